/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of rows to expression values and back. */
#include "tests/support/pgtest.h"

#include <string.h>

#include "tests/support/valuekit.h"

/* Values of rows to expression values and back. */
START_TEST(to_and_from_expressions)
{
	static const struct {
		enum row row;
		const char *text;
		enum pg_ekind kind;
	} cases[] = {
		{GROUPS, "7", PG_E_NUM},      {LOOPS, "auto", PG_E_TEXT},  {SIZE, "4KB", PG_E_SIZE},
		{RUNTIME, "50ms", PG_E_TIME}, {LEVEL, "-0.25", PG_E_NUM},  {TRANSPORT, "inet", PG_E_TEXT},
		{CPUS, "0-3", PG_E_TEXT},     {SHARED, "true", PG_E_BOOL}, {TEXT, "free", PG_E_TEXT},
		{SHARED, "no", PG_E_BOOL},
	};
	struct pg_loc loc = {"f", 3, 4};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct pg_param *row = &rows[cases[i].row];
		struct pg_value v, back;
		struct pg_evalue e;
		struct pg_arena a;
		struct pg_err err;

		pg_arena_init(&a, false);
		ck_assert_int_eq(pg_value_parse(row, cases[i].text, strlen(cases[i].text), &a, &v, &err), 0);
		pg_values_to_expr(row, &v, &e);
		ck_assert_int_eq(e.kind, cases[i].kind);
		ck_assert_msg(pg_values_from_expr(row, &e, &loc, &back, &err) == 0, "%s: %s", cases[i].text, err.msg);
		ck_assert_msg(pg_value_equal(&v, &back), "%s", cases[i].text);
		memset(&v, 0, sizeof(v));
		pg_values_to_expr(row, &v, &e);
		ck_assert_int_eq(e.kind, PG_E_NONE);
		pg_arena_release(&a);
	}
}
END_TEST

START_TEST(results_that_do_not_fit)
{
	static const struct {
		enum row row;
		struct pg_evalue e;
		const char *message;
	} cases[] = {
		{GROUPS, {PG_E_NUM, {0, 0}, NULL}, "groups: value 0 is out of range; allowed: 1 to 100000"},
		{GROUPS, {PG_E_NUM, {-3, 0}, NULL}, "groups: value -3 is below 0; allowed: a number from 1 to 100000"},
		{GROUPS,
		 {PG_E_NUM, {15, -1}, NULL},
		 "groups: the result 1.5 is no whole number; `/` of whole numbers cuts"},
		{SIZE,
		 {PG_E_SIZE, {5, -1}, NULL},
		 "size: the result 0.5 is no whole number of bytes; `/` of whole numbers cuts"},
		{RUNTIME,
		 {PG_E_TIME, {5, -1}, NULL},
		 "runtime: the result 0.5 is no whole number of nanoseconds; `/` of whole numbers cuts"},
		{SIZE, {PG_E_SIZE, {-4096, 0}, NULL}, "size: value -4KB is below 0; allowed: a size"},
		{SIZE,
		 {PG_E_NUM, {5, 0}, NULL},
		 "size: the result is a number, size takes another kind; multiply by a unit"},
		{RUNTIME,
		 {PG_E_NUM, {5, 0}, NULL},
		 "runtime: the result is a number, runtime takes another kind; multiply by a unit"},
		{GROUPS,
		 {PG_E_TIME, {5, 0}, NULL},
		 "groups: the result is a time, groups takes another kind; divide by a unit"},
		{GROUPS, {PG_E_TEXT, {0, 0}, "auto"}, "groups: the result is text, groups takes another kind; allowed"},
		{GROUPS,
		 {PG_E_NONE, {0, 0}, NULL},
		 "groups: the result is nothing (unset), groups takes another kind; allowed"},
		{SHARED,
		 {PG_E_NUM, {1, 0}, NULL},
		 "shared: the result is a number, shared takes another kind; allowed"},
		{TRANSPORT,
		 {PG_E_TEXT, {0, 0}, "pip"},
		 "transport: 'pip' is no value of transport, did you mean 'pipe'?"},
		{CPUS, {PG_E_TEXT, {0, 0}, "1,0"}, "cpu_set: write this list as '0-1'"},
		{CPUS, {PG_E_TEXT, {0, 0}, "x"}, "cpu_set: 'x' is no CPU list"},
	};
	struct pg_loc loc = {"f", 3, 4};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pg_value v;
		struct pg_err err;

		ck_assert_int_eq(pg_values_from_expr(&rows[cases[i].row], &cases[i].e, &loc, &v, &err), -1);
		ck_assert_msg(pg_startswith(err.msg, cases[i].message), "%s", err.msg);
		ck_assert_uint_eq(err.loc.line, 3);
		ck_assert_uint_eq(err.loc.col, 4);
		ck_assert_int_eq(pg_values_from_expr(&rows[cases[i].row], &cases[i].e, &loc, &v, NULL), -1);
	}
}
END_TEST

PG_TEST_MAIN("plan_values_expr", ((const struct pg_test[]){
					 {to_and_from_expressions, 0},
					 {results_that_do_not_fit, 0},
					 {NULL, 0},
				 }))
