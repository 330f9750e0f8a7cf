/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What may stand where a value stands: scalars, machine words, lists, `all`, and every way to get one wrong. */
#include "tests/support/pgtest.h"

#include <string.h>

#include "tests/support/valuekit.h"

static const struct sample axes[] = {
	/* lists */
	{GROUPS, "4", "4", ""},
	{GROUPS, "[1, 2, 16]", "1 2 16", ""},
	{GROUPS, "- 16\n- 2\n", "16 2", ""},
	{GROUPS, "['1', \"2\"]", "1 2", ""},
	{GROUPS, "[1, 2, 4..32 x2, cpus]", "1 2 4 8 16 32", "1:18: note: groups: cpus is there already; dropped"},
	{GROUPS, "[cpus, 4, 2]", "4 2", "1:2: note: groups: cpus is there already; dropped"},
	{GROUPS, "[1, cpus, 3*cpus]", "1 4(cpus)!* 12(3*cpus)!*", ""},
	{GROUPS, "[cpus, 2*cores]", "4(cpus)!*", "1:8: note: groups: 2*cores is there already; dropped"},
	{GROUPS, "[1, 2, 2]", NULL, "1:8: groups: value 2 stands here again, it is at line 1, column 5; keep one"},
	{GROUPS, "[1..4, 2..6]", NULL, "1:8: groups: value 2 stands here again, it is at line 1, column 2; keep one"},
	{GROUPS, "[1..cpus, 2..6]", "1! 2 3 4 5 6", "1:2: note: groups: 2 is there already; dropped"},
	{GROUPS, "[]", NULL, "1:1: groups: an empty list; write at least one value"},
	{GROUPS, "[1, [2]]", NULL,
	 "1:5: groups: a value is due here, not a list; write one value, or one list of values"},
	{GROUPS, "{a: 1}", NULL, "1:1: groups: a value is due here, not a map; write one value, or one list of values"},
	{GROUPS, "[1, ~]", NULL, "1:5: groups has no value here" COUNT_ALLOWED},
	{GROUPS, "- 1\n-\n", NULL, "2:2: groups has no value here" COUNT_ALLOWED},
	{GROUPS, "[x, 1, y]", NULL,
	 "1:2: groups: 'x' is no whole number (not a number)" COUNT_ALLOWED
	 "\n1:8: groups: 'y' is no whole number (not a number)" COUNT_ALLOWED},
	{GROUPS, "[max(1, cpus - 1), 4]", NULL,
	 "1:2: the comma inside [ ] ends this text; write the list with `- ` lines: - max(1, cpus - 1)"},
	{GROUPS, "- max(1, cpus - 1)\n- 9\n", "3(max(1, cpus - 1))!* 9", ""},
	/* numbers that are none */
	{GROUPS, "1.5", NULL,
	 "1:1: groups: '1.5' is no whole number (a fraction where a whole number is due)" COUNT_ALLOWED},
	{GROUPS, "010", NULL, "1:1: groups: '010' is no whole number (leading zeros)" COUNT_ALLOWED},
	{GROUPS, "0x10", NULL, "1:1: groups: '0x10' is no whole number (hex, octal or binary notation)" COUNT_ALLOWED},
	{GROUPS, "0o17", NULL, "1:1: groups: '0o17' is no whole number (hex, octal or binary notation)" COUNT_ALLOWED},
	{GROUPS, "1_000", NULL, "1:1: groups: '1_000' is no whole number (an underscore in a number)" COUNT_ALLOWED},
	{GROUPS, "12:30", NULL, "1:1: groups: '12:30' is no whole number (a colon in a number)" COUNT_ALLOWED},
	{GROUPS, "+5", NULL, "1:1: groups: '+5' is no whole number (a sign)" COUNT_ALLOWED},
	{GROUPS, "-5", NULL, "1:1: groups: '-5' is no whole number (a sign)" COUNT_ALLOWED},
	{GROUPS, "1e3", NULL, "1:1: groups: '1e3' is no whole number (an exponent)" COUNT_ALLOWED},
	{GROUPS, "10x", NULL, "1:1: groups: '10x' is no whole number (not a number)" COUNT_ALLOWED},
	{GROUPS, "100abc", NULL, "1:1: groups: '100abc' is no whole number (not a number)" COUNT_ALLOWED},
	{GROUPS, "9223372036854775807", NULL,
	 "1:1: groups: value 9223372036854775807 is out of range; allowed: 1 to 100000"},
	{GROUPS, "9223372036854775808", NULL,
	 "1:1: groups: '9223372036854775808' is no whole number (number too large)" COUNT_ALLOWED},
	{GROUPS, "18446744073709551616", NULL,
	 "1:1: groups: '18446744073709551616' is no whole number (number too large)" COUNT_ALLOWED},
	{GROUPS, "0", NULL, "1:1: groups: value 0 is out of range; allowed: 1 to 100000"},
	{GROUPS, "100000", "100000", ""},
	{GROUPS, "100001", NULL, "1:1: groups: value 100001 is out of range; allowed: 1 to 100000"},
	{GROUPS, "'cpus'", NULL,
	 "1:1: groups: 'cpus' is no whole number (not a number)" COUNT_ALLOWED "; quotes make it text: leave them off"},
	{GROUPS, "'1..8'", NULL,
	 "1:1: groups: '1..8' is no whole number (a fraction where a whole number is due)" COUNT_ALLOWED
	 "; quotes make it text: leave them off"},
	{GROUPS, "0-3", NULL,
	 "1:1: groups: '0-3' is no whole number (not a number)" COUNT_ALLOWED
	 "; a range is written with two dots, as in 0..3"},
	{GROUPS, "2*4", NULL, "1:1: groups: '2*4' is no whole number (not a number)" COUNT_ALLOWED WORDS_ONLY},
	{GROUPS, "2*cpu", NULL,
	 "1:1: groups: '2*cpu' is no whole number (not a number)" COUNT_ALLOWED "; did you mean cpus"},
	/* machine words */
	{GROUPS, "cpus", "4(cpus)!*", ""},
	{GROUPS, "cpus/nodes", "4(cpus/nodes)!*", ""},
	{GROUPS, "cpus / 3", "1(cpus / 3)!*",
	 "1:1: note: groups: cpus / 3 is cut to 1 here; multiply before dividing where that matters"},
	{GROUPS, "[cpus - 4, 1]", "1",
	 "1:2: note: groups: cpus - 4: value 0 is out of range; allowed: 1 to 100000; dropped"},
	{GROUPS, "[cpus - 5, 1]", "1",
	 "1:2: note: groups: cpus - 5: value -1 is below 0; allowed: a number from 1 to 100000; dropped"},
	{GROUPS, "200000*cpus", NULL,
	 "1:1: note: groups: 200000*cpus: value 800000 is out of range; allowed: 1 to 100000; dropped\n"
	 "1:1: groups has no value left on this machine; add one that does not depend on it"},
	{GROUPS, "cpus / (nodes - 1)", NULL,
	 "1:6: division by zero; test the divisor first, as in `x != 0 and ...`, or keep 0 out of the axis"},
	{GROUPS, "[1, cpus + gropus]", NULL, "1:12: unknown name gropus; did you mean cpus"},
	{GROUPS, "cpus * 0.3", NULL, "1:1: groups: the result 1.2 is no whole number; `/` of whole numbers cuts"},
	{GROUPS, "1KB * cpus", NULL,
	 "1:1: groups: the result is a size, groups takes another kind; divide by a unit, as in size / "
	 "1KB" COUNT_ALLOWED},
	{GROUPS, "cpus > 2", NULL, "1:1: groups: the result is a condition, groups takes another kind" COUNT_ALLOWED},
	{SIZE, "cpus", NULL,
	 "1:1: size: the result is a number, size takes another kind; multiply by a unit, as in 4KB * "
	 "cpus" SIZE_ALLOWED},
	{SIZE, "[4KB*cpus, 1MB / nodes]", "16KB(4KB*cpus)!* 1MB(1MB / nodes)!*", ""},
	{SIZE, "cpus * 0.1B", NULL,
	 "1:8: 0.1B: no whole number of the smallest unit; write a plain number, or one with unit (B KB "
	 "MB GB TB, ns us ms s min h)"},
	{RUNTIME, "cpus * 1.5ms", "6ms(cpus * 1.5ms)!*", ""},
	{LEVEL, "cpus * 0.3", "1.2(cpus * 0.3)!*", ""},
	/* words of the row */
	{LOOPS, "[auto, 100, cpus]", "auto 100 4(cpus)!*", ""},
	{LOOPS, "'auto'", NULL,
	 "1:1: loops: 'auto' is text; allowed: a number from 1 to 1000000000000 or `auto`; quotes make it text: leave "
	 "them off "
	 "the word"},
	{LOOPS, "atuo", NULL,
	 "1:1: loops: 'atuo' is no whole number (not a number); allowed: a number from 1 to 1000000000000 or `auto`; "
	 "did you mean "
	 "auto"},
	{LOOPS, "[auto, auto]", NULL, "1:8: loops: value auto stands here again, it is at line 1, column 2; keep one"},
	{LOOPS, "1..auto", NULL, "1:4: loops: a range runs between numbers; list the word apart, as in [1..8, auto]"},
	{CHUNK, "[whole, 16TB]", "whole 16TB", ""},
	/* sizes, times, decimals */
	{SIZE, "[100B, 4k, 1.5KiB, 1mb]", "100B 4KB(4k) 1536B(1.5KiB) 1MB(1mb)", ""},
	{SIZE, "[4KB, 4096B]", NULL, "1:7: size: value 4096B stands here again, it is at line 1, column 2; keep one"},
	{SIZE, "1.5B", NULL, "1:1: size: '1.5B' is no size (no whole number of the smallest unit)" SIZE_ALLOWED},
	{SIZE, "4XB", NULL, "1:1: size: '4XB' is no size (unit missing or unknown)" SIZE_ALLOWED},
	{SIZE, "17TB", NULL, "1:1: size: value 17TB is out of range; allowed: 1B to 16TB"},
	{RUNTIME, "[1ms, 1.5s, 90s, 2h]", "1ms 1500ms(1.5s) 90s 2h", ""},
	{RUNTIME, "5", NULL,
	 "1:1: runtime: '5' is no time (unit missing or unknown); allowed: a time with unit (ns, us, ms, s, min, h) "
	 "from 1ms to 24h"},
	{LEVEL, "[0.5, -1, 2.50]", "0.5 -1 2.5(2.50)", ""},
	{LEVEL, "[0.5, 0.50]", NULL, "1:7: level: value 0.50 stands here again, it is at line 1, column 2; keep one"},
	/* choices */
	{TRANSPORT, "[pipe, 'socket']", "pipe socket", ""},
	{TRANSPORT, "pip", NULL,
	 "1:1: transport: 'pip' is no value of transport, did you mean 'pipe'?; allowed: one of socket, pipe, inet"},
	{TRANSPORT, "all", NULL, "1:1: transport: 'all' is no value of transport; allowed: one of socket, pipe, inet"},
	{ROUTINE, "all", "default! avx2!", ""},
	{ROUTINE, "[avx2, all]", "avx2 default!", "1:8: note: function: avx2 is there already; dropped"},
	{ROUTINE, "[avx512]", "avx512", ""},
	{ROUTINE, "'all'", NULL, "1:1: function: 'all' is no value of function; allowed: one of default, avx2, avx512"},
	{SHARED, "[yes, off]", "true(yes) false(off)", ""},
	{SHARED, "[true, on]", NULL, "1:8: shared: value on stands here again, it is at line 1, column 2; keep one"},
	{SHARED, "1", NULL, "1:1: shared: '1' is no truth value; allowed: one of true, false, yes, no, on, off"},
	/* lists of CPUs */
	{CPUS, "['0-3,8', \"0\"]", "0-3,8 0", ""},
	{CPUS, "['0-1', '1,0']", NULL,
	 "1:9: cpu_set: value 1,0 stands here again, it is at line 1, column 2; keep one"},
	{CPUS, "[0-3,8]", NULL,
	 "1:2: cpu_set: a list of CPUs stands in quotes, YAML takes these as separate items; write \"0-3,8\" for one "
	 "list"},
	{CPUS, "0-3", NULL, "1:1: cpu_set: a list of CPUs stands in quotes; write \"0-3\""},
	{CPUS, "- '0'\n- 1\n", NULL, "2:3: cpu_set: a list of CPUs stands in quotes; write \"1\""},
	/* text */
	{TEXT, "[no, 010, '', 1..8, cpus]", "no 010  1..8 cpus", ""},
	{TEXT, "[a, a]", NULL, "1:5: text: value a stands here again, it is at line 1, column 2; keep one"},
	{TEXT, "{x}", NULL, "1:1: {x} without quotes is a map to YAML; write \"{x}\""},
};

static const struct sample singles[] = {
	{GROUPS, "4", "4", ""},
	{GROUPS, "cpus", "4(cpus)!*", ""},
	{GROUPS, "1..8", NULL,
	 "1:1: groups: '1..8' is no whole number (a fraction where a whole number is due)" COUNT_ALLOWED
	 "; this is a range: several values stand in `vary`"},
	{GROUPS, "[1]", NULL, "1:1: groups takes one value here, not a list; several values stand in `vary`"},
	{GROUPS, "{a: 1}", NULL, "1:1: groups takes one value here, not a map; several values stand in `vary`"},
	{GROUPS, "200000*cpus", NULL, "1:1: groups: 200000*cpus: value 800000 is out of range; allowed: 1 to 100000"},
	{GROUPS, "cpus - 9", NULL, "1:1: groups: cpus - 9: value -5 is below 0; allowed: a number from 1 to 100000"},
	{GROUPS, "0", NULL, "1:1: groups: value 0 is out of range; allowed: 1 to 100000"},
	{ROUTINE, "all", NULL, "1:1: function: `all` stands for several values; it belongs in `vary`"},
	{ROUTINE, "avx2", "avx2", ""},
	{LOOPS, "auto", "auto", ""},
	{TEXT, "''", "", ""},
	{TEXT, "all", "all", ""},
	{CPUS, "'3,0-1'", "0-1,3(3,0-1)", ""},
};

START_TEST(axis_values)
{
	check(&axes[_i], false);
}
END_TEST

START_TEST(single_values)
{
	check(&singles[_i], true);
}
END_TEST

/* Ten ranges of 100,000 are as many values as a plan has cells; one more is refused before they are compared. */
START_TEST(axis_limit)
{
	struct sample c = {LOOPS, NULL, "#200000", ""};
	struct pg_str s;

	pg_str_init(&s);
	for (int i = 0; i < 10; i++) {
		pg_str_addf(&s, "- %d..%d\n", 100000 * i + 1, 100000 * i + 100000);
		c.yaml = pg_str_text(&s);
		if (i == 1)
			check(&c, false);
	}
	pg_str_adds(&s, "- 1000001\n");
	c.yaml = pg_str_text(&s);
	c.values = NULL;
	c.messages = "11:3: loops has more than 1000000 values; a plan has no more cells";
	check(&c, false);
	pg_str_release(&s);
}
END_TEST

/* Each repeated place is told once, at most twenty errors in all. */
START_TEST(repeats_do_not_flood)
{
	struct pg_arena a;
	struct pg_told told;
	struct pg_values_ctx ctx = {&machine, "x", &a, &told.d};
	struct pg_item *items;
	struct pg_str s;
	size_t n;

	pg_arena_init(&a, false);
	pg_told_init(&told);
	pg_str_init(&s);
	pg_str_adds(&s, "[1..1000");
	for (int i = 0; i < 100; i++)
		pg_str_adds(&s, ", 1..1000");
	pg_str_addc(&s, ']');
	ck_assert_int_eq(pg_values_axis(&ctx, &rows[GROUPS], pg_yaml_parse("f", s.s, s.len, &a, &told.d), &items, &n),
			 -1);
	ck_assert_uint_eq(told.d.errors, PG_DIAG_LIMIT);
	pg_str_release(&s);
	pg_told_release(&told);
	pg_arena_release(&a);
}
END_TEST

PG_TEST_MAIN("plan_values", ((const struct pg_test[]){
				    {axis_values, sizeof(axes) / sizeof(axes[0])},
				    {single_values, sizeof(singles) / sizeof(singles[0])},
				    {axis_limit, 0},
				    {repeats_do_not_flood, 0},
				    {NULL, 0},
			    }))
