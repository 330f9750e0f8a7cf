/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CSV reader on text in memory; pg_csv_read() of store.h does the same with a file.
 */
#ifndef PG_STORE_CSV_READ_H
#define PG_STORE_CSV_READ_H

#include <stddef.h>

struct pg_err;

/* Gets a row with the line it began in; -1 ends the reading, and the callback has filled the err of the call. */
typedef int pg_csv_row_fn(void *ctx, size_t line, const char *const *fields, size_t n);

int pg_csv_parse(const char *s, size_t n, char separator, pg_csv_row_fn *row, void *ctx, struct pg_err *err);

/*
 * "header has 1 column, expected 6 (semicolon-separated?)", or which column is wrong: -1. 0 when fields begin with the
 * names of `expected`.
 */
int pg_csv_check_header(const char *const *fields, size_t n, const char *const *expected, size_t n_expected,
			struct pg_err *err);

#endif
