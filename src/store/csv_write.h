/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CSV text in one of the styles: quoting, decimal comma, the guard against formulas. Rows go through a buffer to a
 * sink.
 */
#ifndef PG_STORE_CSV_WRITE_H
#define PG_STORE_CSV_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/store.h"

struct pg_str;

struct pg_csv {
	void (*write)(void *ctx, const char *s, size_t n); /* keeps its own errors */
	void *ctx;
	char *buf;
	size_t len, cap;
	size_t row;	 /* where the row begins in buf */
	size_t n_fields; /* of the row so far */
	uint64_t n_rows; /* with the header */
	size_t widest;	 /* most fields of a row */
	char sep, point;
	bool crlf;
	bool failed; /* out of memory */
};

int pg_csv_init(struct pg_csv *c, enum pg_csv_style style, void (*write)(void *ctx, const char *s, size_t n), void *ctx,
		struct pg_err *err);
/* Hands on what is left; -1: PG_ENOMEM. */
int pg_csv_end(struct pg_csv *c, struct pg_err *err);
void pg_csv_release(struct pg_csv *c);

/* Fields of the row. Text NULL is a missing value: an empty field; "" is an empty text: quoted. */
void pg_csv_text(struct pg_csv *c, const char *s);
void pg_csv_text_n(struct pg_csv *c, const char *s, size_t n);
void pg_csv_num(struct pg_csv *c, const char *s, size_t n); /* a formatted number with `.`; n 0 = missing */
void pg_csv_double(struct pg_csv *c, double v);		    /* NaN, infinity = missing */
void pg_csv_u64(struct pg_csv *c, uint64_t v);
void pg_csv_missing(struct pg_csv *c);
void pg_csv_row(struct pg_csv *c);
/* Fields as they stand in the buffer, to be written again: copied out of the row from offset `from`, and put back. */
size_t pg_csv_mark(const struct pg_csv *c);
void pg_csv_copy(const struct pg_csv *c, size_t from, struct pg_str *out);
void pg_csv_raw(struct pg_csv *c, const char *s, size_t n, size_t fields);
/* The whole row so far into *out (emptied before), taken back out of the buffer; how many fields it has. */
size_t pg_csv_take(struct pg_csv *c, struct pg_str *out);

/* Is it a number as spreadsheets take it: [+-] digits [. digits] [e [+-] digits]? */
bool pg_csv_is_number(const char *s, size_t n);
/* Leading apostrophes, then one of = + - @ tab CR: such text is told from a formula by one more apostrophe. */
bool pg_csv_guarded(const char *s, size_t n);

char pg_csv_separator(enum pg_csv_style style);

#endif
