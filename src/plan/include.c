/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of included files. */
#include "plan/include.h"

#include <stddef.h>
#include <string.h>

#include "base/str.h"
#include "plan/quote.h"

int pg_include_path(const char *from_file, const char *rel, struct pg_str *out)
{
	const char *slash = strrchr(from_file, '/');

	if (!*rel)
		return -1;
	if (*rel != '/' && slash)
		pg_str_add(out, from_file, (size_t)(slash - from_file) + 1);
	pg_str_adds(out, rel);
	return out->failed ? -1 : 0;
}

struct part {
	const char *s;
	size_t n;
};

static bool is(const struct part *p, const char *s)
{
	return p->n == strlen(s) && memcmp(p->s, s, p->n) == 0;
}

/*
 * The last part of the path that ends at *end, moving *end before it; n 0 = none left. Read from the back, `..` takes
 * away the parts before it; those that nothing stands before are given as they are.
 */
static struct part last_part(const char *path, size_t *end, size_t *up)
{
	struct part p = {"", 0};

	while (*end) {
		while (*end && path[*end - 1] == '/')
			--*end;
		p.n = 0;
		while (*end && path[*end - 1] != '/') {
			--*end;
			p.n++;
		}
		p.s = path + *end;
		if (!p.n || is(&p, "."))
			continue;
		if (is(&p, ".."))
			++*up;
		else if (*up)
			--*up;
		else
			return p;
	}
	p.n = 0;
	if (*up) {
		--*up;
		p = (struct part){"..", 2};
	}
	return p;
}

bool pg_include_same(const char *a, const char *b)
{
	size_t end_a = strlen(a), end_b = strlen(b), up_a = 0, up_b = 0;

	if ((*a == '/') != (*b == '/'))
		return false;
	for (;;) {
		struct part x = last_part(a, &end_a, &up_a), y = last_part(b, &end_b, &up_b);

		if (x.n != y.n || memcmp(x.s, y.s, x.n) != 0)
			return false;
		if (!x.n)
			return true;
	}
}

int pg_include_check(const struct pg_include *chain, const char *path, const struct pg_loc *loc, struct pg_diag *d)
{
	struct pg_quote q;
	unsigned depth = 0;

	pg_quote(&q, path, strlen(path));
	for (const struct pg_include *i = chain; i; i = i->from, depth++)
		if (pg_include_same(i->path, path))
			return pg_diag_error(
				d, loc, "%s is being read already, it would include itself; take this include away",
				q.s);
	if (depth > PG_INCLUDE_DEPTH)
		return pg_diag_error(d, loc,
				     "includes are nested deeper than %u files; name the file in the scenario itself",
				     PG_INCLUDE_DEPTH);
	return 0;
}
