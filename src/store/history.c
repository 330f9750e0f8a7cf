/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The history of sessions. */
#include "store/history.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "model/cell.h"
#include "store/fileio.h"
#include "store/json.h"

#define HISTORY_MAX ((size_t)64 << 20)
#define NAME	    "perfgrid/history.jsonl"

void pg_history_path(const char *xdg_state_home, const char *home, struct pg_str *out)
{
	/* The rules of XDG: a path that is not absolute counts as none. */
	if (xdg_state_home && *xdg_state_home == '/')
		pg_str_addf(out, "%s/" NAME, xdg_state_home);
	else if (home && *home == '/')
		pg_str_addf(out, "%s/.local/state/" NAME, home);
}

/* ---- writing ---- */

static int make_parents(const char *path, struct pg_err *err)
{
	char *copy = strdup(path);
	int result = 0;

	if (!copy)
		return pg_fail_nomem(err);
	for (char *slash = strchr(copy + 1, '/'); slash && result == 0; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0700) != 0 && errno != EEXIST)
			result = pg_fail_sys(err, "cannot make directory '%s'", copy);
		*slash = '/';
	}
	free(copy);
	return result;
}

static void put_number(struct pg_str *out, const char *key, double v)
{
	char buf[PG_NUM_BUF];

	pg_str_addf(out, ",\"%s\":\"%.*s\"", key, (int)pg_fmt_double(buf, v), buf);
}

static void put_session(struct pg_str *out, const struct pg_history_session *s)
{
	pg_str_addf(out, "{\"perfgrid\":1,\"from\":%lld,\"t\":%lld,\"machine\":", (long long)s->start_ns,
		    (long long)s->end_ns);
	pg_fingerprint_put(out, &s->machine);
	pg_str_adds(out, ",\"cells\":[");
	for (size_t i = 0; i < s->n; i++) {
		const struct pg_history_cell *c = &s->cell[i];
		char id[PG_CELL_ID_BUF];

		pg_cell_id_format(id, c->cell);
		pg_str_addf(out, "%s{\"cell\":\"%s\",\"metric\":", i ? "," : "", id);
		pg_json_quote(out, c->metric, strlen(c->metric));
		if (c->sample_time_ns)
			pg_str_addf(out, ",\"sample_time_ns\":%lld", (long long)c->sample_time_ns);
		pg_str_addf(out, ",\"n\":%u", c->n);
		put_number(out, "median", c->median);
		put_number(out, "best", c->best);
		pg_str_addc(out, '}');
	}
	pg_str_adds(out, "]}\n");
}

int pg_history_append(const char *path, const struct pg_history_session *s, struct pg_err *err)
{
	struct pg_str line;
	int fd, result = 0;

	if (make_parents(path, err) != 0)
		return -1;
	fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600);
	if (fd < 0)
		return pg_fail_sys(err, "cannot open '%s'", path);
	pg_str_init(&line);
	put_session(&line, s);
	if (line.failed)
		result = pg_fail_nomem(err);
	else if (pg_write_all(fd, line.s, line.len) != 0)
		result = pg_fail_sys(err, "cannot write '%s'", path);
	pg_str_release(&line);
	if (close(fd) != 0 && result == 0)
		result = pg_fail_sys(err, "cannot write '%s'", path);
	return result;
}

/* ---- reading ---- */

static bool get_number(const struct json_t *o, const char *key, double *out)
{
	const char *s = pg_json_text(o, key);
	struct pg_dec d;

	if (!s || pg_dec_parse_lax(s, strlen(s), &d) != PG_NUM_OK)
		return false;
	*out = pg_dec_to_double(d);
	return *out > 0;
}

/* false: no cell, passed over. */
static bool get_cell(const struct json_t *o, struct pg_arena *a, struct pg_history_cell *out)
{
	const char *id = pg_json_text(o, "cell"), *metric = pg_json_text(o, "metric");
	int64_t n = 0;

	if (!id || !metric || pg_cell_id_parse(id, &out->cell) != 0 || !get_number(o, "median", &out->median) ||
	    !get_number(o, "best", &out->best) || !pg_json_int(o, "n", &n) || n < 1 || n > UINT32_MAX)
		return false;
	out->n = (uint32_t)n;
	out->sample_time_ns = 0;
	pg_json_int(o, "sample_time_ns", &out->sample_time_ns);
	out->metric = pg_arena_strdup(a, metric);
	return out->metric != NULL;
}

static int add_session(struct pg_history *h, const struct json_t *j, struct pg_err *err)
{
	const struct json_t *cells = pg_json_get(j, "cells");
	struct pg_history_session *s;
	size_t n = pg_json_len(cells);

	if (h->n == h->cap) {
		size_t cap = h->cap ? 2 * h->cap : 16;

		s = reallocarray(h->session, cap, sizeof(*s));
		if (!s)
			return pg_fail_nomem(err);
		h->session = s;
		h->cap = cap;
	}
	s = &h->session[h->n];
	memset(s, 0, sizeof(*s));
	s->cell = pg_arena_array(&h->arena, n + 1, sizeof(*s->cell));
	if (!s->cell || pg_fingerprint_get(pg_json_get(j, "machine"), &h->arena, &s->machine, err) != 0)
		return pg_fail_nomem(err);
	/* Where the start is not told the end stands for it. */
	pg_json_int(j, "t", &s->end_ns);
	if (!pg_json_int(j, "from", &s->start_ns) || s->start_ns > s->end_ns)
		s->start_ns = s->end_ns;
	for (size_t i = 0; i < n; i++)
		s->n += get_cell(pg_json_at(cells, i), &h->arena, &s->cell[s->n]);
	h->n++;
	return 0;
}

static int add_line(struct pg_history *h, const char *s, size_t n, struct pg_err *err)
{
	struct json_t *j = n ? pg_json_parse(s, n, NULL) : NULL;
	int64_t version;
	int result = 0;

	if (j && pg_json_int(j, "perfgrid", &version) && version == 1)
		result = add_session(h, j, err);
	pg_json_free(j);
	return result;
}

static int by_start(const void *a, const void *b)
{
	const struct pg_history_session *x = a, *y = b;

	return x->start_ns < y->start_ns ? -1 : x->start_ns > y->start_ns;
}

int pg_history_read(const char *path, struct pg_history *out, struct pg_err *err)
{
	struct pg_str text;
	struct pg_err why;
	int result = 0;

	memset(out, 0, sizeof(*out));
	pg_arena_init(&out->arena, true);
	pg_str_init(&text);
	if (pg_file_get(AT_FDCWD, path, HISTORY_MAX, &text, &why) != 0) {
		pg_str_release(&text);
		if (why.code == PG_ESYS && why.sys == ENOENT)
			return 0;
		if (err)
			*err = why;
		return -1;
	}
	for (size_t at = 0, end; result == 0 && at < text.len; at = end + 1) {
		const char *newline = memchr(text.s + at, '\n', text.len - at);

		end = newline ? (size_t)(newline - text.s) : text.len;
		result = add_line(out, text.s + at, end - at, err);
	}
	pg_str_release(&text);
	if (result != 0)
		pg_history_release(out);
	/* Clocks that were set leave them in another order. */
	else if (out->n > 1)
		qsort(out->session, out->n, sizeof(*out->session), by_start);
	return result;
}

void pg_history_release(struct pg_history *h)
{
	free(h->session);
	h->session = NULL;
	h->n = h->cap = 0;
	pg_arena_release(&h->arena);
}

static const struct pg_history_cell *cell_of(const struct pg_history_session *s, const struct pg_history_cell *like)
{
	for (size_t k = 0; k < s->n; k++) {
		const struct pg_history_cell *c = &s->cell[k];

		if (c->cell == like->cell && c->sample_time_ns == like->sample_time_ns &&
		    strcmp(c->metric, like->metric) == 0)
			return c;
	}
	return NULL;
}

size_t pg_history_find(const struct pg_history *h, const struct pg_fingerprint *f, unsigned but,
		       const struct pg_history_cell *like, const struct pg_history_cell **out)
{
	size_t found = 0;
	int64_t last_ns = 0; /* end of the last one that counts */

	for (size_t i = 0; i < h->n; i++) {
		const struct pg_history_session *s = &h->session[i];
		const struct pg_history_cell *c;

		if (pg_fingerprint_differ(&s->machine, f) & ~but)
			continue;
		if (found > 0 && pg_since(s->start_ns, last_ns) < PG_HISTORY_APART_NS)
			continue;
		c = cell_of(s, like);
		if (!c)
			continue;
		out[found++] = c;
		last_ns = s->end_ns;
	}
	return found;
}
