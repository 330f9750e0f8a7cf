/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions: where they are wrong, and what is said there. */
#include "tests/support/pgtest.h"

#include <string.h>

#include "tests/support/exprkit.h"

/* Places are columns of a text that begins at 7:11. */
static const struct {
	const char *text, *messages;
} bad[] = {
	{"", "7:11: an empty expression; write one, such as groups > 4 * cpus"},
	{"  ", "7:11: an empty expression; write one, such as groups > 4 * cpus"},
	{"gropus > 3", "7:11: unknown name gropus; did you mean groups"},
	{"zzzzzz + 1",
	 "7:11: unknown name zzzzzz; known: groups, fds, size, runtime, transport, shared, loops, rate, share, "
	 "most, least, flag, cpus"},
	{"gruops + sise", "7:11: unknown name gruops; did you mean groups\n7:20: unknown name sise; did you mean size"},
	{"Groups", "7:11: unknown name Groups; did you mean groups"},
	{"transport == pipe", "7:24: unknown name pipe; text stands in single quotes: 'pipe'"},
	{"pipe != transport", "7:11: unknown name pipe; text stands in single quotes: 'pipe'"},
	{"transport == x86-64-avx2 and shared",
	 "7:24: unknown name x86-64-avx2; text stands in single quotes: 'x86-64-avx2'"},
	{"loops == auto", "7:20: unknown name auto; text stands in single quotes: 'auto'"},
	{"transport == grouqs",
	 "7:24: unknown name grouqs; text stands in single quotes: 'grouqs' (or did you mean groups)"},
	{"transport == \"pipe\"", "7:24: `\"` is not known here; text stands in single quotes: 'pipe'"},
	{"groups = 3", "7:18: `=` is not known here; equality is `==`"},
	{"shared && shared", "7:18: `&&` is not known here; write `and`"},
	{"shared || shared", "7:18: `||` is not known here; write `or`"},
	{"!shared", "7:11: `!` is not known here; write `not`"},
	{"groups <> 3", "7:18: `<>` is not known here; write `!=`"},
	{"groups ** 2", "7:18: `**` is not known here; multiply instead"},
	{"shared AND shared", "7:18: unexpected AND; `and` and `or` are lower case"},
	{"NOT shared",
	 "7:11: unknown name NOT; did you mean not\n7:15: unexpected shared; an operator (and or == != < <= > >= + "
	 "- * / %) or the end is due here"},
	{"groups groups",
	 "7:18: unexpected groups; an operator (and or == != < <= > >= + - * / %) or the end is due here"},
	{"4 KB", "7:13: unexpected KB; a number and its unit stand together, as in 4KB"},
	{"size > 4 KB", "7:20: unexpected KB; a number and its unit stand together, as in 4KB"},
	{"runtime < 5 min", "7:23: unexpected min; a number and its unit stand together, as in 4KB"},
	{"4 X", "7:13: unexpected X; an operator (and or == != < <= > >= + - * / %) or the end is due here"},
	{"1 < 2 < 3", "7:17: a second comparison in a row; join two with `and`, as in a < b and b < c"},
	{"1 == 2 != 3", "7:18: a second comparison in a row; join two with `and`, as in a < b and b < c"},
	{"(groups", "7:11: the ( has no ); close it"},
	{"groups)", "7:17: this ) closes nothing; take it away or open it before"},
	{"(1, 2)", "7:13: a comma stands only between the values of min( ) and max( )"},
	{"1, 2", "7:12: a comma stands only between the values of min( ) and max( )"},
	{"(1 2)", "7:14: unexpected 2; an operator or ) is due here"},
	{"()", "7:12: unexpected ); a name, a number or 'text' is due here"},
	{"* 2", "7:11: unexpected *; a name, a number or 'text' is due here"},
	{"groups >", "7:19: the expression ends too early; a name, a number or 'text' is due here"},
	{"max(1,", "7:17: the expression ends too early; a name, a number or 'text' is due here"},
	{"max(2", "7:14: the ( has no ); close it"},
	{"max(2)", "7:11: one value has no smaller or larger; give two, as in min(groups, 8)"},
	{"min + 1", "7:11: min and max need ( ), as in min(groups, 8)"},
	{"1 + not shared", "7:15: `not` binds looser than what stands before it; put it in ( )"},
	{"size + 1", "7:16: cannot add a size and a number; give the number a unit, as in 4KB"},
	{"runtime > 5", "7:19: cannot compare a time with a number; give the number a unit, as in 10ms"},
	{"size > 1ms", "7:16: cannot compare a size with a time; both sides are numbers, or both sizes, or both times"},
	{"size * size", "7:16: cannot multiply a size and a size; one side is a plain number"},
	{"1 / size", "7:13: cannot divide a number by a size; the divisor is a plain number or of the same kind"},
	{"min(groups, size)",
	 "7:11: cannot take the smaller or larger of a number and a size; give the number a unit, as in 4KB"},
	{"transport < 'a'", "7:21: cannot compare text with text; text knows only == and !="},
	{"groups == 'x'",
	 "7:18: cannot compare a number with text; both sides must be of one kind; text knows only == and !="},
	{"shared == 'true'", "7:18: cannot compare a condition with text; true and false stand without quotes"},
	{"shared + 1",
	 "7:18: cannot add a condition and a number; both sides are numbers, or both sizes, or both times"},
	{"groups and shared",
	 "7:18: cannot join a number and a condition; each side is a condition, such as groups > 4"},
	{"not groups", "7:11: `not` before a number; it takes a condition, such as groups > 4"},
	{"-transport", "7:11: a minus sign before text; it takes a number, a size or a time"},
	{"'abc", "7:11: the text that begins here has no end; close it with '"},
	{"1 + 'it''s", "7:15: the text that begins here has no end; close it with '"},
	{"1..8", "7:11: 1..8 is a range; an expression gives one value"},
	{"010", "7:11: 010: leading zeros; write a plain number, or one with unit (B KB MB GB TB, ns us ms s min h)"},
	{"0x10",
	 "7:11: 0x10: hex, octal or binary notation; write a plain number, or one with unit (B KB MB GB TB, ns us "
	 "ms s min h)"},
	{"1_000",
	 "7:11: 1_000: an underscore in a number; write a plain number, or one with unit (B KB MB GB TB, ns us ms "
	 "s min h)"},
	{"4XB", "7:11: 4XB: unit missing or unknown; write a plain number, or one with unit (B KB MB GB TB, ns us ms s "
		"min h)"},
	{"1.5B",
	 "7:11: 1.5B: no whole number of the smallest unit; write a plain number, or one with unit (B KB MB GB TB, ns "
	 "us ms s min h)"},
	{"1000000000000000001",
	 "7:11: 1000000000000000001: number too large; write a plain number, or one with unit (B KB MB GB "
	 "TB, ns us ms s min h)"},
	{"99999999TB",
	 "7:11: 99999999TB: number too large; write a plain number, or one with unit (B KB MB GB TB, ns us ms s "
	 "min h)"},
	{"groups $ 2", "7:18: `$` has no place in an expression; it has names, numbers, 'text', ( ) and operators"},
	{"'\xc3\xa9' == \xc3\xa9",
	 "7:18: `\xc3\xa9` has no place in an expression; it has names, numbers, 'text', ( ) and operators"},
	{"groups ? 1 : 2", "7:18: `?` has no place in an expression; it has names, numbers, 'text', ( ) and operators"},
};

START_TEST(errors)
{
	struct pg_arena a;
	struct pg_told told;
	struct pg_expr *e;

	pg_arena_init(&a, false);
	pg_told_init(&told);
	ck_assert_int_eq(parse(bad[_i].text, &a, &told, &e), -1);
	ck_assert_str_eq(pg_told_text(&told), bad[_i].messages);
	pg_told_release(&told);
	pg_arena_release(&a);
}
END_TEST

START_TEST(nesting)
{
	static const char *const units[] = {"(", "-", "not ", "max(1, "};
	static const unsigned col[] = {75, 75, 267, 459};

	for (size_t u = 0; u < 4; u++)
		for (int depth = 64; depth <= 65; depth++) {
			struct pg_str s, expect;
			struct pg_arena a;
			struct pg_told told;
			struct pg_expr *e;

			pg_arena_init(&a, false);
			pg_told_init(&told);
			pg_str_init(&s);
			pg_str_init(&expect);
			for (int i = 0; i < depth; i++)
				pg_str_adds(&s, units[u]);
			pg_str_adds(&s, u == 2 ? "shared" : "1");
			for (int i = 0; i < depth && (u == 0 || u == 3); i++)
				pg_str_addc(&s, ')');
			if (depth == 65)
				pg_str_addf(
					&expect,
					"7:%u: nested deeper than 64 levels; name a part of it by a param in derive",
					col[u]);
			ck_assert_int_eq(parse(pg_str_text(&s), &a, &told, &e), depth == 65 ? -1 : 0);
			ck_assert_str_eq(pg_told_text(&told), pg_str_text(&expect));
			pg_str_release(&s);
			pg_str_release(&expect);
			pg_told_release(&told);
			pg_arena_release(&a);
		}
}
END_TEST

/* Errors of a node stand where the file has them, and at the node where the text was folded or escaped. */
START_TEST(places_in_nodes)
{
	static const struct {
		const char *yaml, *messages;
	} cases[] = {
		{"a: groups > gropus", "1:13: unknown name gropus; did you mean groups"},
		{"a: 'groups > gropus'", "1:14: unknown name gropus; did you mean groups"},
		{"a: \"groups > gropus\"", "1:14: unknown name gropus; did you mean groups"},
		{"a: groups >\n   gropus", "1:4: unknown name gropus; did you mean groups"},
		{"a: 'transport == ''pipe'' and gropus'", "1:4: unknown name gropus; did you mean groups"},
		{"a: >\n  groups > gropus", "1:4: unknown name gropus; did you mean groups"},
		{"a: [groups]", "1:4: an expression is due here, not a list; write one, such as groups > 4 * cpus"},
		{"a:", "1:3: an empty expression; write one, such as groups > 4 * cpus"},
		{"a: {groups}", "1:4: {groups} without quotes is a map to YAML; write \"{groups}\""},
		{"a: groups > 2", ""},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *list[NAMES];
		struct pg_scope scope = {find, list, NAMES, NULL};
		struct pg_arena a;
		struct pg_told told;
		struct pg_expr *e;
		struct pg_node *n;

		for (size_t k = 0; k < NAMES; k++)
			list[k] = names[k].name;
		pg_arena_init(&a, false);
		pg_told_init(&told);
		n = pg_yaml_parse("f", cases[i].yaml, strlen(cases[i].yaml), &a, &told.d);
		ck_assert_ptr_nonnull(n);
		ck_assert_int_eq(pg_expr_parse_node(pg_node_get(n, "a"), &scope, &a, &e, &told.d),
				 *cases[i].messages ? -1 : 0);
		ck_assert_str_eq(pg_told_text(&told), cases[i].messages);
		pg_told_release(&told);
		pg_arena_release(&a);
	}
}
END_TEST

START_TEST(no_place)
{
	struct pg_scope scope = {find, NULL, 0, NULL};
	struct pg_loc nowhere = {"--only", 0, 0};
	struct pg_arena a;
	struct pg_told told;
	struct pg_expr *e;

	pg_arena_init(&a, false);
	pg_told_init(&told);
	ck_assert_int_eq(pg_expr_parse("groups > nope", 13, &nowhere, &scope, &a, &e, &told.d), -1);
	ck_assert_str_eq(pg_told_text(&told), "0:0: unknown name nope; known: none");
	pg_told_release(&told);
	pg_arena_release(&a);
}
END_TEST

PG_TEST_MAIN("plan_expr_errors", ((const struct pg_test[]){
					 {errors, sizeof(bad) / sizeof(bad[0])},
					 {nesting, 0},
					 {places_in_nodes, 0},
					 {no_place, 0},
					 {NULL, 0},
				 }))
