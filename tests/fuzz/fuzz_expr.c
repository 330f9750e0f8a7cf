/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any text as an expression: messages, or code that evaluates without harm and whose canonical text means the same. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "plan/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char *const names[] = {"g", "s", "t", "w", "b", "n", "cpus", "d"};
static const unsigned kinds[] = {
	1u << PG_E_NUM,	 1u << PG_E_SIZE,
	1u << PG_E_TIME, 1u << PG_E_TEXT | 1u << PG_E_NUM,
	1u << PG_E_BOOL, 1u << PG_E_NONE | 1u << PG_E_NUM,
	1u << PG_E_NUM,	 1u << PG_E_NUM,
};
static const struct pg_evalue values[] = {
	{PG_E_NUM, {3, 0}, NULL},	  {PG_E_SIZE, {4096, 0}, NULL}, {PG_E_TIME, {INT64_MAX, 0}, NULL},
	{PG_E_TEXT, {0, 0}, "auto"},	  {PG_E_BOOL, {1, 0}, NULL},	{PG_E_NONE, {0, 0}, NULL},
	{PG_E_NUM, {INT64_MIN, 0}, NULL}, {PG_E_NUM, {-125, -3}, NULL},
};
#define NAMES (sizeof(names) / sizeof(names[0]))

static int find(void *ctx, const char *name, size_t n, size_t *slot, unsigned *k)
{
	(void)ctx;
	for (size_t i = 0; i < NAMES; i++)
		if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0) {
			*slot = i;
			*k = kinds[i];
			return 0;
		}
	return -1;
}

static int get(void *ctx, size_t slot, struct pg_evalue *out)
{
	(void)ctx;
	*out = values[slot];
	return 0;
}

static bool alike(const struct pg_evalue *a, const struct pg_evalue *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == PG_E_TEXT)
		return strcmp(a->text, b->text) == 0;
	return a->kind == PG_E_NONE || pg_dec_cmp(a->num, b->num) == 0;
}

static void evaluate(const struct pg_expr *e, const struct pg_expr *again)
{
	struct pg_cellview view = {get, NULL};
	struct pg_evalue v, w;
	struct pg_err err;
	double cut;
	int rc = pg_expr_eval(e, &view, &v, &cut, &err);

	assert(cut >= 0 && cut <= 1);
	assert(rc == pg_expr_eval(again, &view, &w, NULL, NULL));
	assert(rc || (alike(&v, &w) && pg_expr_kinds(e) & 1u << v.kind));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct pg_scope scope = {find, names, NAMES, NULL};
	struct pg_diag d = {NULL, NULL, 0, 0};
	struct pg_loc loc = {"fuzz", 1, 1};
	struct pg_expr *e, *again;
	struct pg_arena a;
	struct pg_str text;
	char *copy;

	pg_arena_init(&a, false);
	pg_str_init(&text);
	copy = pg_arena_strndup(&a, (const char *)data, size);
	if (copy && pg_expr_parse(copy, strlen(copy), &loc, &scope, &a, &e, &d) == 0) {
		assert(d.errors == 0);
		pg_expr_text(e, &text);
		assert(pg_expr_parse(pg_str_text(&text), text.len, &loc, &scope, &a, &again, &d) == 0);
		evaluate(e, again);
	} else {
		assert(d.errors > 0);
	}
	pg_str_release(&text);
	pg_arena_release(&a);
	return 0;
}
