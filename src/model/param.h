/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A param row: the one source for YAML validation, command line, schema, help, man page and CSV column. A table of rows
 * ends with .name == NULL. Binding is by offset into the bench's own conf struct, checked at compile time by the PG_AT_
 * macros.
 */
#ifndef PG_MODEL_PARAM_H
#define PG_MODEL_PARAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/value.h"

struct pg_arena;
struct pg_err;
struct pg_str;

/* An allowed word; a list ends with .name == NULL. */
struct pg_choice {
	const char *name;
	const char *doc; /* NULL where the name says it */
};

enum pg_role {
	PG_OPS = 1 << 0, /* the operation count that `auto` calibrates; its conf field is a plain uint64_t, bound to the
			    frozen number */
	PG_FORKS = 1 << 1, /* not under process: fork */
	PG_ALL =
		1
		<< 2, /* takes the word `all` in a list or as the value of an axis: every choice this machine can run */
	PG_DYNAMIC = 1 << 3, /* made by the scenario (exec); texts stay as written */
};

struct pg_param {
	const char *name; /* YAML key = long option = CSV column stem */
	const char *doc;  /* sentence fragment, used verbatim everywhere; required */
	const char *def;  /* default as text for the user's parser, may be an expression over machine words and other
			     rows; NULL = (unset) */
	const char *sdef; /* default in a scenario where it is another one (loops: auto); NULL = def */
	const char *min, *max;		 /* text; max may name another row (`size`) ; NULL = none */
	const struct pg_choice *choices; /* ENUM: the values; numbers: words beside the range */
	/* Which choices this machine can run: 0, or -1 with *why (static text). NULL = all. */
	int (*choice_probe)(int choice, const char **why);
	size_t offset; /* in the bench's conf struct */
	enum pg_type type;
	unsigned role; /* enum pg_role bits */
	char opt;      /* short option or 0 */
};

/* A number field whose row has words and is not PG_OPS. */
struct pg_word_num {
	uint64_t n;
	int word; /* index into choices, -1 = none: n holds */
};

/* clang-format off */
#define PG_OFF(s, f, t) _Generic(((s *)0)->f, t: offsetof(s, f))
#define PG_AT_BOOL(s, f)     .type = PG_BOOL,     .offset = PG_OFF(s, f, bool)
#define PG_AT_COUNT(s, f)    .type = PG_COUNT,    .offset = PG_OFF(s, f, uint64_t)
#define PG_AT_COUNT_W(s, f)  .type = PG_COUNT,    .offset = PG_OFF(s, f, struct pg_word_num)
#define PG_AT_SIZE(s, f)     .type = PG_SIZE,     .offset = PG_OFF(s, f, uint64_t)
#define PG_AT_SIZE_W(s, f)   .type = PG_SIZE,     .offset = PG_OFF(s, f, struct pg_word_num)
#define PG_AT_TIME(s, f)     .type = PG_TIME,     .offset = PG_OFF(s, f, int64_t)
#define PG_AT_REAL(s, f)     .type = PG_REAL,     .offset = PG_OFF(s, f, double)
#define PG_AT_ENUM(s, f)     .type = PG_ENUM,     .offset = PG_OFF(s, f, int)
#define PG_AT_CPULIST(s, f)  .type = PG_CPULIST,  .offset = PG_OFF(s, f, const char *)
#define PG_AT_NODELIST(s, f) .type = PG_NODELIST, .offset = PG_OFF(s, f, const char *)
#define PG_AT_TEXT(s, f)     .type = PG_TEXT,     .offset = PG_OFF(s, f, const char *)
/* clang-format on */

size_t pg_param_count(const struct pg_param *rows);
/* The row of that name, NULL = none; *index may be NULL. */
const struct pg_param *pg_param_find(const struct pg_param *rows, const char *name, size_t *index);
int pg_choice_find(const struct pg_choice *choices, const char *name, size_t n); /* -1 = none */
size_t pg_choice_count(const struct pg_choice *choices);
/* "one of a, b, c", "a number from 1 to 10 or `auto`": what a row allows, for messages. */
void pg_param_allowed(const struct pg_param *row, struct pg_str *out);
/* The range alone, for "out of range; allowed: ...": "1 to 100 or `auto`", "at least 1B"; nothing where a row has
 * neither limits nor words. */
void pg_param_range(const struct pg_param *row, struct pg_str *out);
/* The default that a scenario has. */
const char *pg_param_default(const struct pg_param *row);

/*
 * Writes vals (one per row) into conf (zeroed by the caller, conf_size bytes). Text pointers are copied as they are:
 * vals must outlive conf. A word `auto` of a PG_OPS row binds as `ops`. Rows with role PG_DYNAMIC are passed over.
 */
void pg_conf_bind(const struct pg_param *rows, const struct pg_value *vals, uint64_t ops, void *conf);
/* The way to a fresh process: "name=value\0name=value\0..." of all set rows, in row order; and back. */
void pg_conf_format(const struct pg_param *rows, const struct pg_value *vals, uint64_t ops, struct pg_str *out);
int pg_conf_parse(const struct pg_param *rows, const char *text, size_t n, struct pg_arena *a, void *conf,
		  struct pg_err *err);

#endif
