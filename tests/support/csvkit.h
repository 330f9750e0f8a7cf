/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A CSV file in memory, fields by name of the column. Header only. */
#ifndef PG_TESTS_CSVKIT_H
#define PG_TESTS_CSVKIT_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "store/store.h"

struct csvkit {
	char ***row; /* [0] = header */
	size_t n, width;
};

static inline int csvkit_row(void *ctx, size_t line, const char *const *f, size_t n)
{
	struct csvkit *s = ctx;

	(void)line;
	s->row = reallocarray(s->row, s->n + 1, sizeof(*s->row));
	ck_assert_ptr_nonnull(s->row);
	s->row[s->n] = calloc(n + 1, sizeof(char *));
	ck_assert_ptr_nonnull(s->row[s->n]);
	for (size_t i = 0; i < n; i++)
		s->row[s->n][i] = strdup(f[i]);
	s->n++;
	s->width = n;
	return 0;
}

static inline void csvkit_load(struct csvkit *s, const char *path)
{
	struct pg_err err;

	memset(s, 0, sizeof(*s));
	ck_assert_msg(pg_csv_read(path, ',', csvkit_row, s, &err) == 0, "%s", err.msg);
}

static inline void csvkit_drop(struct csvkit *s)
{
	for (size_t i = 0; i < s->n; i++) {
		for (size_t c = 0; c < s->width; c++)
			free(s->row[i][c]);
		free(s->row[i]);
	}
	free(s->row);
	memset(s, 0, sizeof(*s));
}

static inline const char *csvkit_at(const struct csvkit *s, size_t row, const char *column)
{
	ck_assert_uint_lt(row, s->n);
	for (size_t c = 0; c < s->width; c++)
		if (strcmp(s->row[0][c], column) == 0)
			return s->row[row][c];
	ck_abort_msg("no column %s", column);
	return NULL;
}

/* The first row from `from` on in which the column has that text. */
static inline size_t csvkit_find(const struct csvkit *s, size_t from, const char *column, const char *text)
{
	for (size_t i = from; i < s->n; i++)
		if (strcmp(csvkit_at(s, i, column), text) == 0)
			return i;
	ck_abort_msg("no row with %s %s", column, text);
	return 0;
}

#define csvkit_is(s, row, column, text) ck_assert_str_eq(csvkit_at(s, row, column), text)

#endif
