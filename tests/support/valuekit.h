/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of values: a row of every type, a machine, and what becomes of YAML text as the value or values of a row.
 */
#ifndef PG_TESTS_VALUEKIT_H
#define PG_TESTS_VALUEKIT_H

#include <check.h>
#include <string.h>

#include "base/arena.h"
#include "plan/values.h"
#include "tests/support/plandiag.h"

static const struct pg_choice auto_word[] = {{"auto", NULL}, {NULL, NULL}};
static const struct pg_choice whole_word[] = {{"whole", NULL}, {NULL, NULL}};
static const struct pg_choice transports[] = {{"socket", NULL}, {"pipe", NULL}, {"inet", NULL}, {NULL, NULL}};
static const struct pg_choice routines[] = {{"default", NULL}, {"avx2", NULL}, {"avx512", NULL}, {NULL, NULL}};

enum row { GROUPS, LOOPS, SIZE, CHUNK, RUNTIME, LEVEL, TRANSPORT, ROUTINE, CPUS, SHARED, TEXT };
static const struct pg_param rows[] = {
	[GROUPS] = {.name = "groups", .type = PG_COUNT, .min = "1", .max = "100000"},
	[LOOPS] = {.name = "loops", .type = PG_COUNT, .min = "1", .max = "1000000000000", .choices = auto_word},
	[SIZE] = {.name = "size", .type = PG_SIZE, .min = "1B", .max = "16TB"},
	[CHUNK] = {.name = "chunk", .type = PG_SIZE, .min = "1B", .max = "size", .choices = whole_word},
	[RUNTIME] = {.name = "runtime", .type = PG_TIME, .min = "1ms", .max = "24h"},
	[LEVEL] = {.name = "level", .type = PG_REAL},
	[TRANSPORT] = {.name = "transport", .type = PG_ENUM, .choices = transports},
	[ROUTINE] = {.name = "function", .type = PG_ENUM, .choices = routines, .role = PG_ALL},
	[CPUS] = {.name = "cpu_set", .type = PG_CPULIST},
	[SHARED] = {.name = "shared", .type = PG_BOOL},
	[TEXT] = {.name = "text", .type = PG_TEXT},
};

static const char *const missing[] = {"mem/memset.function=avx2", "mem/memcpy.function=avx512"};
static const struct pg_machine machine = {{4, 2, 1, 1, 1}, missing, 2};

struct sample {
	enum row row;
	const char *yaml;
	const char *values; /* value, (text) where that differs, ! made by the machine, * labelled; NULL = an error */
	const char *messages;
};

#define COUNT_ALLOWED "; allowed: a number from 1 to 100000"
#define SIZE_ALLOWED  "; allowed: a size (100B, 4KB, 1.5MB) from 1B to 16TB"
#define WORDS_ONLY    "; arithmetic stands here only with a machine word (cpus, cores, llcs, sockets, nodes)"

static inline void show(const struct pg_param *row, const struct pg_item *it, size_t n, struct pg_str *out)
{
	struct pg_str v;

	if (n > 1000) {
		pg_str_addf(out, "#%zu", n);
		return;
	}
	pg_str_init(&v);
	for (size_t i = 0; i < n; i++) {
		pg_str_reset(&v);
		pg_value_format(row, &it[i].v, &v);
		pg_str_addf(out, "%s%s", i ? " " : "", pg_str_text(&v));
		if (!pg_streq(pg_str_text(&v), it[i].text))
			pg_str_addf(out, "(%s)", it[i].text);
		pg_str_adds(out, it[i].machine ? "!" : "");
		pg_str_adds(out, it[i].from_word ? "*" : "");
	}
	pg_str_release(&v);
}

static inline void check(const struct sample *c, bool one)
{
	struct pg_arena a;
	struct pg_told told;
	struct pg_values_ctx ctx = {&machine, "mem/memcpy", &a, &told.d};
	struct pg_item single, *items = &single;
	struct pg_node *node;
	struct pg_str values;
	size_t n = 1;
	int rc;

	pg_arena_init(&a, false);
	pg_told_init(&told);
	pg_str_init(&values);
	node = pg_yaml_parse("f", c->yaml, strlen(c->yaml), &a, &told.d);
	ck_assert_msg(node != NULL, "%s", pg_told_text(&told));
	rc = one ? pg_values_one(&ctx, &rows[c->row], node, &single)
		 : pg_values_axis(&ctx, &rows[c->row], node, &items, &n);
	if (rc == 0)
		show(&rows[c->row], items, n, &values);
	ck_assert_msg((rc == 0) == (c->values != NULL), "%s: %s", c->yaml, pg_told_text(&told));
	ck_assert_str_eq(pg_told_text(&told), c->messages);
	ck_assert_str_eq(pg_str_text(&values), c->values ? c->values : "");
	pg_str_release(&values);
	pg_told_release(&told);
	pg_arena_release(&a);
}

#endif
