/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lists of task_cpus and task_nodes, read where they stand: an entry is found without unfolding the list, whose
 * multipliers could make it larger than memory.
 */
#include "suites/numa.h"

#define FORMS "N, N-M or N-M#STEP, then xMUL%s, separated by commas"

struct reader {
	const char *list;
	size_t at;
	const char *wrong; /* static text */
};

static bool wrong(struct reader *r, const char *what)
{
	r->wrong = what;
	return false;
}

/* A decimal number without leading zeros, from `least` to PG_CPU_MAX - 1. */
static bool number(struct reader *r, uint32_t least, uint32_t *out)
{
	const size_t start = r->at;
	uint64_t v = 0;

	for (; r->list[r->at] >= '0' && r->list[r->at] <= '9'; r->at++) {
		v = v * 10 + (uint64_t)(r->list[r->at] - '0');
		if (v >= PG_CPU_MAX)
			return wrong(r, "a number above 1048575");
		if (r->at > start && r->list[start] == '0')
			return wrong(r, "a leading zero");
	}
	if (r->at == start)
		return wrong(r, "no number");
	if (v < least) {
		r->at = start;
		return wrong(r, "0 where at least 1 is due");
	}
	*out = (uint32_t)v;
	return true;
}

static bool take(struct reader *r, char c)
{
	if (r->list[r->at] != c)
		return false;
	r->at++;
	return true;
}

/* `_LEN` and `xMUL`, in either order, once each. */
static bool suffixes(struct reader *r, bool lengths, struct pg_numa_token *t)
{
	bool length = false, times = false;

	for (;;) {
		if (lengths && !length && take(r, '_')) {
			length = true;
			if (!number(r, 1, &t->length))
				return false;
		} else if (!times && take(r, 'x')) {
			times = true;
			if (!number(r, 1, &t->times))
				return false;
		} else {
			return true;
		}
	}
}

/* The token at r->at; false with r->wrong set, or at the end of the list. */
static bool token(struct reader *r, bool lengths, struct pg_numa_token *t)
{
	*t = (struct pg_numa_token){.step = 1, .length = 1, .times = 1};
	if (r->at > 0 && r->list[r->at] == '\0')
		return false;
	if (r->at > 0)
		r->at++; /* the comma */
	if (!number(r, 0, &t->first))
		return false;
	t->last = t->first;
	if (take(r, '-')) {
		const size_t start = r->at;

		if (!number(r, 0, &t->last))
			return false;
		if (t->last < t->first) {
			r->at = start;
			return wrong(r, "a range that runs backwards");
		}
		if (take(r, '#') && !number(r, 1, &t->step))
			return false;
	}
	if (!suffixes(r, lengths, t))
		return false;
	if (r->list[r->at] != ',' && r->list[r->at] != '\0')
		return wrong(r, "an unexpected character");
	return true;
}

int pg_numa_list_check(const char *what, const char *list, bool lengths, struct pg_err *err)
{
	struct reader r = {.list = list};
	struct pg_numa_token t;

	while (token(&r, lengths, &t))
		;
	if (!r.wrong)
		return 0;
	return pg_fail(err, PG_EINPUT, "%s, character %zu: %s; allowed: " FORMS, what, r.at + 1, r.wrong,
		       lengths ? " and _LEN" : "");
}

bool pg_numa_list_next(const char *list, size_t *at, struct pg_numa_token *out)
{
	struct reader r = {.list = list, .at = *at};
	const bool any = token(&r, true, out);

	*at = r.at;
	return any;
}

uint64_t pg_numa_token_entries(const struct pg_numa_token *t)
{
	return (uint64_t)((t->last - t->first) / t->step + 1) * t->times;
}

bool pg_numa_list_entry(const char *list, uint64_t i, uint32_t *first, uint32_t *length)
{
	struct pg_numa_token t;
	size_t at = 0;

	while (list && pg_numa_list_next(list, &at, &t)) {
		const uint64_t entries = pg_numa_token_entries(&t);

		if (i < entries) {
			*first = t.first + (uint32_t)(i / t.times) * t.step;
			*length = t.length;
			return true;
		}
		i -= entries;
	}
	return false;
}
