/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of names: with and without regard to case, and as many as no search one by one could take. */
#include "tests/support/pgtest.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/nameset.h"

START_TEST(names)
{
	struct pg_nameset s;
	size_t n = 99;

	pg_nameset_init(&s, false);
	ck_assert(!pg_nameset_find(&s, "a", &n));
	ck_assert_int_eq(pg_nameset_add(&s, "a", 1, &n), 1);
	ck_assert_int_eq(pg_nameset_add(&s, "A", 2, &n), 1);
	ck_assert_int_eq(pg_nameset_add(&s, "ab", 3, &n), 1);
	ck_assert_int_eq(pg_nameset_add(&s, "", 4, &n), 1);
	ck_assert_uint_eq(n, 99);
	ck_assert_int_eq(pg_nameset_add(&s, "a", 5, &n), 0);
	ck_assert_uint_eq(n, 1);
	ck_assert(pg_nameset_find(&s, "A", &n) && n == 2);
	ck_assert(pg_nameset_find(&s, "ab", &n) && n == 3);
	ck_assert(pg_nameset_find(&s, "", &n) && n == 4);
	ck_assert(!pg_nameset_find(&s, "b", &n));
	pg_nameset_release(&s);
	ck_assert(!pg_nameset_find(&s, "a", &n));
	pg_nameset_release(&s);
}
END_TEST

START_TEST(any_case)
{
	struct pg_nameset s;
	size_t n = 0;

	pg_nameset_init(&s, true);
	ck_assert_int_eq(pg_nameset_add(&s, "Load-1_z", 7, &n), 1);
	ck_assert_int_eq(pg_nameset_add(&s, "lOAD-1_Z", 8, &n), 0);
	ck_assert_uint_eq(n, 7);
	ck_assert_int_eq(pg_nameset_add(&s, "load-1_z2", 9, &n), 1);
	ck_assert_int_eq(pg_nameset_add(&s, "@", 10, &n), 1); /* 32 below `: no letters */
	ck_assert_int_eq(pg_nameset_add(&s, "`", 11, &n), 1);
	pg_nameset_release(&s);
}
END_TEST

/* Each of so many would be compared with all before it: the test would not end in its time. */
START_TEST(many)
{
	enum { N = 200000 };
	struct pg_nameset s;
	struct pg_arena a;
	size_t n, added = 0;

	pg_arena_init(&a, false);
	pg_nameset_init(&s, true);
	for (size_t i = 0; i < N; i++)
		added += pg_nameset_add(&s, pg_arena_printf(&a, "a-name-as-long-as-they-come-%zu", i), i, &n) == 1;
	ck_assert_uint_eq(added, N);
	for (size_t i = 0; i < N; i += 997) {
		char name[64];

		snprintf(name, sizeof(name), "A-NAME-as-long-as-they-come-%zu", i);
		ck_assert(pg_nameset_find(&s, name, &n));
		ck_assert_uint_eq(n, i);
	}
	pg_nameset_release(&s);
	pg_arena_release(&a);
}
END_TEST

PG_TEST_MAIN("base_nameset", ((const struct pg_test[]){
				     {names, 0},
				     {any_case, 0},
				     {many, 0},
				     {NULL, 0},
			     }))
