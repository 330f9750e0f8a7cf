/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distances between names, the nearest one, and what a name may look like. */
#include "tests/support/pgtest.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"

START_TEST(distances)
{
	static const struct {
		const char *a, *b;
		unsigned d;
	} t[] = {
		{"", "", 0},	   {"", "abc", 3},	     {"abc", "abc", 0},
		{"abc", "ABC", 0}, {"repeat", "repeats", 1}, {"kitten", "sitting", 3},
		{"ab", "ba", 1},   {"gruops", "groups", 1},  {"abcd", "acbd", 1},
		{"ca", "abc", 3},  {"size", "sise", 1},	     {"loops", "pools", 2},
		{"a", "b", 1},	   {"abcdef", "badcfe", 3},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		ck_assert_msg(pg_edit_distance(t[i].a, t[i].b) == t[i].d, "%s %s", t[i].a, t[i].b);
		ck_assert_msg(pg_edit_distance(t[i].b, t[i].a) == t[i].d, "%s %s", t[i].b, t[i].a);
	}
}
END_TEST

START_TEST(long_texts_are_far)
{
	char a[66], b[66];

	memset(a, 'x', sizeof(a));
	memset(b, 'x', sizeof(b));
	a[64] = b[64] = '\0';
	ck_assert_uint_eq(pg_edit_distance(a, b), 0);
	b[64] = 'x';
	b[65] = '\0';
	ck_assert_uint_gt(pg_edit_distance(a, b), 64);
	ck_assert_uint_gt(pg_edit_distance(b, b), 64);
}
END_TEST

START_TEST(nearest)
{
	static const char *const names[] = {"groups", NULL,    "loops", "transport", "transparent_huge_pages",
					    "size",   "repeat"};
	static const struct {
		const char *in, *out;
	} t[] = {
		{"repeats", "repeat"},
		{"Groups", "groups"},
		{"gruops", "groups"},
		{"trans", "transport"},
		{"sizes", "size"},
		{"transprot", "transport"},
		{"unrelated_thing", NULL},
		{"xy", NULL},
		{"transparent", "transparent_huge_pages"},
		{"repeat_after_warmup", "repeat"},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		const char *found = pg_nearest(t[i].in, names, sizeof(names) / sizeof(names[0]));

		if (t[i].out)
			ck_assert_msg(found && pg_streq(found, t[i].out), "%s -> %s", t[i].in, found ? found : "none");
		else
			ck_assert_msg(!found, "%s -> %s", t[i].in, found);
	}
	ck_assert_ptr_null(pg_nearest("x", names, 0));
}
END_TEST

START_TEST(scenario_names)
{
	static const char *const good[] = {"a", "A", "9", "_", "sched-scaling", "x_-1", "2x"};
	static const char *const bad[] = {"", "-", "-a", "a b", "a.b", "\xc3\xa9", "a/b", "=1", "a\n", "..", "a,"};
	char s[70];

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert_msg(pg_is_name(good[i]), "%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!pg_is_name(bad[i]), "%s", bad[i]);
	memset(s, 'a', sizeof(s));
	s[64] = '\0';
	ck_assert(pg_is_name(s));
	ck_assert(pg_is_param_name(s));
	s[64] = 'a';
	s[65] = '\0';
	ck_assert(!pg_is_name(s));
	ck_assert(!pg_is_param_name(s));
}
END_TEST

START_TEST(param_names)
{
	static const char *const good[] = {"a", "groups", "page_size", "x1", "a_"};
	static const char *const bad[] = {"", "A", "1a", "_a", "a-b", "aB", "a b", "\xc3\xa9"};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert_msg(pg_is_param_name(good[i]), "%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!pg_is_param_name(bad[i]), "%s", bad[i]);
}
END_TEST

PG_TEST_MAIN("base_names", ((const struct pg_test[]){
				   {distances, 0},
				   {long_texts_are_far, 0},
				   {nearest, 0},
				   {scenario_names, 0},
				   {param_names, 0},
				   {NULL, 0},
			   }))
