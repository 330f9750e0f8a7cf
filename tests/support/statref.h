/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One row of tests/data/stats-reference.csv: quoted fields, vectors, params. For check tests. */
#ifndef PG_TESTS_STATREF_H
#define PG_TESTS_STATREF_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "stats/tests.h"

#define FIELDS	    10
#define VECTOR_MAX  256
#define SCRATCH_MAX 600000

enum { F_CASE, F_KIND, F_PARAMS, F_X, F_Y, F_QUANTITY, F_EXPECTED, F_ABS_TOL, F_REL_TOL, F_HOW };

struct row {
	char *field[FIELDS];
	double x[VECTOR_MAX]; /* in time order */
	double sorted[VECTOR_MAX];
	double scratch[SCRATCH_MAX];
	uint64_t rank2[VECTOR_MAX];
	struct pg_ranked ranked[VECTOR_MAX];
	double y[VECTOR_MAX];
	size_t n, n_y;
};

/* Splits one line of quoted fields in place. */
static inline void split(char *line, struct row *r)
{
	char *from = line, *to;

	for (size_t i = 0; i < FIELDS; i++) {
		ck_assert_msg(*from == '"', "field %zu is not quoted: %s", i, from);
		r->field[i] = to = ++from;
		while (*from && !(from[0] == '"' && from[1] != '"')) {
			if (*from == '"')
				from++;
			*to++ = *from++;
		}
		ck_assert_msg(*from == '"', "field %zu of %s has no end", i, r->field[0]);
		from++;
		*to = '\0';
		if (i + 1 < FIELDS) {
			ck_assert_int_eq(*from, ',');
			from++;
		}
	}
	ck_assert_msg(strspn(from, "\r\n") == strlen(from), "more than %d fields: %s", FIELDS, r->field[0]);
}

static inline size_t read_numbers(const char *s, double *to)
{
	size_t n = 0;

	while (*s) {
		char *end;

		ck_assert_uint_lt(n, VECTOR_MAX);
		to[n++] = strtod(s, &end);
		ck_assert_ptr_ne(end, s);
		s = *end == ';' ? end + 1 : end;
	}
	return n;
}

static inline void read_vector(struct row *r)
{
	r->n = read_numbers(r->field[F_X], r->x);
	r->n_y = read_numbers(r->field[F_Y], r->y);
	memcpy(r->sorted, r->x, r->n * sizeof(r->x[0]));
	pg_sort(r->sorted, r->n);
}

/* The number behind "name=" in params. */
static inline double param(const struct row *r, const char *name)
{
	size_t len = strlen(name);

	for (const char *s = r->field[F_PARAMS]; s; s = strchr(s, ';')) {
		s += *s == ';';
		if (strncmp(s, name, len) == 0 && s[len] == '=')
			return strtod(s + len + 1, NULL);
	}
	ck_abort_msg("%s: no %s in \"%s\"", r->field[F_CASE], name, r->field[F_PARAMS]);
	return 0;
}

static inline bool quantity(const struct row *r, const char *name)
{
	return strcmp(r->field[F_QUANTITY], name) == 0;
}

static inline double unknown(const struct row *r)
{
	ck_abort_msg("%s: quantity %s is not known", r->field[F_CASE], r->field[F_QUANTITY]);
	return 0;
}

#endif
