/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One value of a param. The type comes from the param's row, never from how the text was spelled. A word of the row
 * (`auto`, `whole`, `unlimited`) is kept as the word: no magic number stands for it.
 */
#ifndef PG_MODEL_VALUE_H
#define PG_MODEL_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pg_arena;
struct pg_err;
struct pg_param;
struct pg_str;

/* The type fixes the unit of u.i: SIZE bytes, TIME ns. Switches over it have no `default`. */
enum pg_type {
	PG_BOOL,
	PG_COUNT,
	PG_SIZE,
	PG_TIME,
	PG_REAL,
	PG_ENUM,
	PG_CPULIST,
	PG_NODELIST,
	PG_TEXT,
};

enum pg_vstate {
	PG_V_UNSET, /* absent in YAML, empty in CSV */
	PG_V_SET,
	PG_V_WORD, /* u.i is the index into the row's choices */
};

struct pg_value {
	union {
		int64_t i; /* BOOL 0/1, COUNT, SIZE, TIME, ENUM (index into choices), REAL (mantissa), any WORD */
		const char *text; /* CPULIST, NODELIST (canonical), TEXT; owned by the arena it was parsed into */
	} u;
	int16_t exp10; /* REAL: value = u.i * 10^exp10, canonical as struct pg_dec */
	uint8_t state; /* enum pg_vstate */
	uint8_t type;  /* enum pg_type, as the row's */
};

/*
 * Reads text by the row: type, words, choices, range min..max (plain numbers; limits that are expressions are the
 * plan's work). CPULIST and NODELIST are made canonical. Law under test: parse(format(v)) == v. On error *err holds
 * "what is wrong; what is allowed" without a place. Empty text is an error, but for TEXT.
 */
int pg_value_parse(const struct pg_param *row, const char *s, size_t n, struct pg_arena *a, struct pg_value *out,
		   struct pg_err *err);
/* As pg_value_parse() without the range check, and the check alone: limits min and max of the row. */
int pg_value_parse_any(const struct pg_param *row, const char *s, size_t n, struct pg_arena *a, struct pg_value *out,
		       struct pg_err *err);
int pg_value_check_range(const struct pg_param *row, const struct pg_value *v, struct pg_err *err);

/* Text that pg_value_parse() reads back: sizes "4KB", times "50ms", bool "true". UNSET appends nothing. */
void pg_value_format(const struct pg_param *row, const struct pg_value *v, struct pg_str *out);
/* CSV form: sizes as bytes, times as decimal seconds, else as pg_value_format(). Units are by the column. */
void pg_value_format_csv(const struct pg_param *row, const struct pg_value *v, struct pg_str *out);

bool pg_value_equal(const struct pg_value *a, const struct pg_value *b);
uint64_t pg_value_hash(const struct pg_value *v); /* equal values have equal ones */
/* Order for tables: numbers ascend, words and texts compare equal among themselves (they keep file order) and stand
 * before numbers. */
int pg_value_cmp(const struct pg_value *a, const struct pg_value *b);
/* As a number in the base unit (bytes, seconds, count); NaN for words and text. */
double pg_value_double(const struct pg_value *v);

#endif
