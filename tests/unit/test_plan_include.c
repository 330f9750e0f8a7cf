/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths of included files, and which may be included. */
#include "tests/support/pgtest.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "plan/include.h"
#include "tests/support/plandiag.h"

START_TEST(include_paths)
{
	static const struct {
		const char *from, *rel, *path;
	} cases[] = {
		{"a.yaml", "lab.yaml", "lab.yaml"},
		{"d/a.yaml", "lab.yaml", "d/lab.yaml"},
		{"/x/d/a.yaml", "../lab.yaml", "/x/d/../lab.yaml"},
		{"d/a.yaml", "/etc/lab.yaml", "/etc/lab.yaml"},
		{"d/a.yaml", "", NULL},
	};
	static const struct {
		const char *a, *b;
		bool same;
	} pairs[] = {
		{"a", "a", true},
		{"a", "./a", true},
		{"d/a", "d//a", true},
		{"d/../a", "a", true},
		{"d/e/../../a", "a", true},
		{"../a", "a", false},
		{"../a", "x/../../a", true},
		{"/a", "a", false},
		{"d/a", "a", false},
		{"../../a", "../a", false},
		{"/../a", "/a", false},
		{"d/./e/a", "d/e/a", true},
		{"", "", true},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pg_str out;
		int rc;

		pg_str_init(&out);
		rc = pg_include_path(cases[i].from, cases[i].rel, &out);
		ck_assert_int_eq(rc, cases[i].path ? 0 : -1);
		if (cases[i].path)
			ck_assert_str_eq(pg_str_text(&out), cases[i].path);
		pg_str_release(&out);
	}
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		ck_assert_msg(pg_include_same(pairs[i].a, pairs[i].b) == pairs[i].same, "%s %s", pairs[i].a,
			      pairs[i].b);
		ck_assert_msg(pg_include_same(pairs[i].b, pairs[i].a) == pairs[i].same, "%s %s", pairs[i].b,
			      pairs[i].a);
	}
}
END_TEST

START_TEST(include_rules)
{
	struct pg_include chain[9];
	struct pg_loc loc = {"f", 2, 11};
	struct pg_told told;
	char names[9][16];

	for (int i = 0; i < 9; i++) {
		snprintf(names[i], sizeof(names[i]), "f%d", i);
		chain[i].path = names[i];
		chain[i].from = i ? &chain[i - 1] : NULL;
	}
	pg_told_init(&told);
	ck_assert_int_eq(pg_include_check(&chain[7], "new", &loc, &told.d), 0); /* the eighth inside the scenario */
	ck_assert_int_eq(pg_include_check(&chain[8], "new", &loc, &told.d), -1);
	ck_assert_int_eq(pg_include_check(&chain[3], "./f1", &loc, &told.d), -1);
	ck_assert_str_eq(pg_told_text(&told),
			 "2:11: includes are nested deeper than 8 files; name the file in the scenario itself\n"
			 "2:11: ./f1 is being read already, it would include itself; take this include away");
	pg_told_release(&told);
}
END_TEST

PG_TEST_MAIN("plan_include", ((const struct pg_test[]){
				     {include_paths, 0},
				     {include_rules, 0},
				     {NULL, 0},
			     }))
