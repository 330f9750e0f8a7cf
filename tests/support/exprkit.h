/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of expressions: the names of a sweep that is made up, and their values. */
#ifndef PG_TESTS_EXPRKIT_H
#define PG_TESTS_EXPRKIT_H

#include <string.h>

#include "base/arena.h"
#include "plan/expr.h"
#include "tests/support/plandiag.h"

#define BIT(k) (1u << (k))

/* The names of a sweep, and their values in the cell at hand. */
static const struct {
	const char *name;
	unsigned kinds;
	struct pg_evalue v;
} names[] = {
	{"groups", BIT(PG_E_NUM), {PG_E_NUM, {3, 0}, NULL}},
	{"fds", BIT(PG_E_NUM), {PG_E_NUM, {20, 0}, NULL}},
	{"size", BIT(PG_E_SIZE), {PG_E_SIZE, {4096, 0}, NULL}},
	{"runtime", BIT(PG_E_TIME), {PG_E_TIME, {1000000, 0}, NULL}},
	{"transport", BIT(PG_E_TEXT), {PG_E_TEXT, {0, 0}, "pipe"}},
	{"shared", BIT(PG_E_BOOL), {PG_E_BOOL, {1, 0}, NULL}},
	{"loops", BIT(PG_E_NUM) | BIT(PG_E_TEXT), {PG_E_TEXT, {0, 0}, "auto"}},
	{"rate", BIT(PG_E_NUM) | BIT(PG_E_NONE), {PG_E_NONE, {0, 0}, NULL}},
	{"share", BIT(PG_E_NUM), {PG_E_NUM, {5, -1}, NULL}},
	{"most", BIT(PG_E_NUM), {PG_E_NUM, {INT64_MAX, 0}, NULL}},
	{"least", BIT(PG_E_NUM), {PG_E_NUM, {INT64_MIN, 0}, NULL}},
	{"flag", BIT(PG_E_BOOL) | BIT(PG_E_NONE), {PG_E_NONE, {0, 0}, NULL}},
	{"cpus", BIT(PG_E_NUM), {PG_E_NUM, {4, 0}, NULL}},
};
#define NAMES (sizeof(names) / sizeof(names[0]))

static inline int find(void *ctx, const char *name, size_t n, size_t *slot, unsigned *kinds)
{
	(void)ctx;
	for (size_t i = 0; i < NAMES; i++)
		if (strlen(names[i].name) == n && memcmp(names[i].name, name, n) == 0) {
			*slot = i;
			*kinds = names[i].kinds;
			return 0;
		}
	return -1;
}

static inline int get(void *ctx, size_t slot, struct pg_evalue *out)
{
	const bool *refuse = ctx;

	*out = names[slot].v;
	return refuse && *refuse ? -1 : 0;
}

static inline int parse(const char *text, struct pg_arena *a, struct pg_told *told, struct pg_expr **e)
{
	const char *list[NAMES + 1];
	struct pg_scope scope = {find, list, NAMES, NULL};
	struct pg_loc loc = {"f.yaml", 7, 11};

	for (size_t i = 0; i < NAMES; i++)
		list[i] = names[i].name;
	return pg_expr_parse(text, strlen(text), &loc, &scope, a, e, &told->d);
}

#endif
