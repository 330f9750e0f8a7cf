/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions: what they compute, what they look like, and where they are wrong. */
#include "tests/support/pgtest.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
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

static int find(void *ctx, const char *name, size_t n, size_t *slot, unsigned *kinds)
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

static int get(void *ctx, size_t slot, struct pg_evalue *out)
{
	const bool *refuse = ctx;

	*out = names[slot].v;
	return refuse && *refuse ? -1 : 0;
}

static int parse(const char *text, struct pg_arena *a, struct pg_told *told, struct pg_expr **e)
{
	const char *list[NAMES + 1];
	struct pg_scope scope = {find, list, NAMES, NULL};
	struct pg_loc loc = {"f.yaml", 7, 11};

	for (size_t i = 0; i < NAMES; i++)
		list[i] = names[i].name;
	return pg_expr_parse(text, strlen(text), &loc, &scope, a, e, &told->d);
}

static void show(const struct pg_evalue *v, struct pg_str *out)
{
	static const char *const kinds[] = {"", "B", "ns", "", "", "unset"};
	char buf[PG_NUM_BUF];

	if (v->kind == PG_E_TEXT)
		pg_str_addf(out, "'%s'", v->text);
	else if (v->kind == PG_E_BOOL)
		pg_str_adds(out, v->num.m ? "true" : "false");
	else {
		pg_fmt_dec(buf, v->num.m, v->num.e);
		if (v->num.e == 0)
			pg_fmt_i64(buf, v->num.m);
		pg_str_addf(out, "%s%s", buf, kinds[v->kind]);
	}
}

struct sample {
	const char *text;
	const char *canonical; /* NULL = text itself */
	const char *result;    /* or "COL: message" where evaluation fails */
};

static const struct sample good[] = {
	/* binding */
	{"1 + 2 * 3", NULL, "7"},
	{"(1 + 2) * 3", NULL, "9"},
	{"2*3+4*5", "2 * 3 + 4 * 5", "26"},
	{"10 - 3 - 2", NULL, "5"},
	{"100 / 5 / 2", NULL, "10"},
	{"100 / 5 * 2", NULL, "40"},
	{"-groups * 2", NULL, "-6"},
	{"- groups", "-groups", "-3"},
	{"2 - -3", NULL, "5"},
	{"- -3", "--3", "3"},
	{"groups > 2 and fds > 2 or false", NULL, "true"},
	{"false and false or true", NULL, "true"},
	{"true or false and false", NULL, "true"},
	{"not shared or true", NULL, "true"},
	{"not (shared or true)", NULL, "false"},
	{"not groups == 3", NULL, "false"},
	{"not not shared", NULL, "true"},
	{"1 + 2 == 3", NULL, "true"},
	{"(1 < 2) == (3 < 4)", NULL, "true"},
	{"max(2, 20 / groups)", NULL, "6"},
	{"min(5, 3, 4)", NULL, "3"},
	{"max(1KB, size, 2B)", NULL, "4096B"},
	{"max(1, min(2, 3)) + 1", NULL, "3"},
	{"min (1,2)", "min(1, 2)", "1"},
	{"  groups  ", "groups", "3"},
	{"groups\t>\n2", "groups > 2", "true"},
	/* numbers are exact */
	{"0.1 + 0.2 == 0.3", NULL, "true"},
	{"share * 3", NULL, "1.5"},
	{"0.1 * 0.1", NULL, "0.01"},
	{"1.5 / 2", NULL, "0.75"},
	{"2.5 / 0.5", NULL, "5"},
	{"2 / 0.3 > 6.66666666666666666", NULL, "true"},
	{"2 / 0.3 == 6.66666666666666667", NULL, "true"},
	{"-1.5 / 2", NULL, "-0.75"},
	{"3 <= 3 and 3 >= 3 and 2 <= 3", NULL, "true"},
	{"4 <= 3 or 2 >= 3 or 3 < 3 or 3 > 3", NULL, "false"},
	{"1 / 0.3", NULL, "3.33333333333333"},
	{"5.5 % 2", NULL, "1.5"},
	{"7 / 2", NULL, "3"},
	{"-7 / 2", NULL, "-3"},
	{"7 / -2", NULL, "-3"},
	{"7 % 3", NULL, "1"},
	{"-7 % 3", NULL, "-1"},
	{"7 % -3", NULL, "1"},
	{"least % -1", NULL, "0"},
	{"most - 1", NULL, "9223372036854775806"},
	{"least + 1", NULL, "-9223372036854775807"},
	{"most / 2 * 2 + 1 == most", NULL, "true"},
	{"3000000000 * 3000000000", NULL, "9000000000000000000"},
	{"999999999999999999 - 999999999999999998", NULL, "1"},
	/* kinds */
	{"size / 1KB", NULL, "4"},
	{"size / 2", NULL, "2048B"},
	{"size * 2", NULL, "8192B"},
	{"2 * size", NULL, "8192B"},
	{"size + 1KB", NULL, "5120B"},
	{"size - 8KB", NULL, "-4096B"},
	{"size % 1000B", NULL, "96B"},
	{"size * 0.5", NULL, "2048B"},
	{"1.5KB", "1536B", "1536B"},
	{"4096B == 4KiB", "4KB == 4KB", "true"},
	{"1mb", "1MB", "1048576B"},
	{"runtime / 1us", NULL, "1000"},
	{"runtime * 3 > 2ms", NULL, "true"},
	{"90s", NULL, "90000000000ns"},
	{"1.5min", "90s", "90000000000ns"},
	{"2h == 120min", "2h == 2h", "true"},
	/* text, words, unset */
	{"transport == 'pipe'", NULL, "true"},
	{"transport != 'pipe'", NULL, "false"},
	{"'a''b' == 'a''b'", NULL, "true"},
	{"''", NULL, "''"},
	{"loops == 'auto'", NULL, "true"},
	{"loops == 100", NULL, "false"},
	{"loops != 100", NULL, "true"},
	{"loops == 'auto' or loops > 100", NULL, "true"},
	{"rate == ''", NULL, "true"},
	{"rate != ''", NULL, "false"},
	{"rate == 5", NULL, "false"},
	{"rate == rate", NULL, "true"},
	{"transport == rate", NULL, "false"},
	{"shared == true", NULL, "true"},
	{"shared != false", NULL, "true"},
	/* what is not needed is not evaluated */
	{"groups == 3 or 1 / 0 == 1", NULL, "true"},
	{"groups == 4 and 1 / 0 == 1", NULL, "false"},
	{"false or false or true", NULL, "true"},
	{"true and true and false", NULL, "false"},
	{"(false or true) and (true and true)", NULL, "true"},
	/* found only with the values */
	{"1 / 0", NULL,
	 "13: division by zero; test the divisor first, as in `x != 0 and ...`, or keep 0 out of the axis"},
	{"size / 0", NULL,
	 "16: division by zero; test the divisor first, as in `x != 0 and ...`, or keep 0 out of the axis"},
	{"1 % (groups - 3)", NULL,
	 "13: division by zero; test the divisor first, as in `x != 0 and ...`, or keep 0 out of the axis"},
	{"1.5 / 0", NULL,
	 "15: division by zero; test the divisor first, as in `x != 0 and ...`, or keep 0 out of the axis"},
	{"most + 1", NULL,
	 "16: the result is out of range; whole numbers go to 9223372036854775807, decimals have 18 digits"},
	{"least - 1", NULL,
	 "17: the result is out of range; whole numbers go to 9223372036854775807, decimals have 18 digits"},
	{"most * 2", NULL,
	 "16: the result is out of range; whole numbers go to 9223372036854775807, decimals have 18 digits"},
	{"most * 10", NULL,
	 "16: the result is out of range; whole numbers go to 9223372036854775807, decimals have 18 digits"},
	{"0 - least", NULL,
	 "13: the result is out of range; whole numbers go to 9223372036854775807, decimals have 18 digits"},
	{"least / -1", NULL,
	 "17: the result is out of range; whole numbers go to 9223372036854775807, decimals have 18 digits"},
	{"most % 0.1", NULL,
	 "16: the result is out of range; whole numbers go to 9223372036854775807, decimals have 18 digits"},
	{"most / 0.1", NULL,
	 "16: the result is out of range; whole numbers go to 9223372036854775807, decimals have 18 digits"},
	{"least / 1.5 > 0", NULL, "false"},
	{"not flag", NULL, "11: `and`, `or` and `not` take conditions; a param without a value is none"},
	{"flag and shared", NULL, "16: `and`, `or` and `not` take conditions; a param without a value is none"},
	{"shared and flag", NULL, "18: `and`, `or` and `not` take conditions; a param without a value is none"},
	{"flag == false", NULL, "false"},
	{"-least", NULL, "11: the result is out of range; whole numbers go to 9223372036854775807"},
	{"999999999999999999 + 0.1", NULL,
	 "30: the result is out of range; whole numbers go to 9223372036854775807, decimals have 18 digits"},
	{"loops > 100", NULL, "17: a word, 'auto', where a number is due; test it first, as in x != 'auto' and x > 4"},
	{"2 * loops", NULL, "13: a word, 'auto', where a number is due; test it first, as in x != 'auto' and x > 4"},
	{"-loops", NULL, "11: a minus sign before a word or nothing; it takes a number, a size or a time"},
	{"rate < 5", NULL,
	 "16: cannot compare nothing (unset) with a number; a param without a value knows only == '' and != ''"},
	{"rate + 1", NULL,
	 "16: cannot add nothing (unset) and a number; a param without a value knows only == '' and != ''"},
};

START_TEST(results)
{
	const struct sample *c = &good[_i];
	struct pg_str canonical, result;
	struct pg_cellview view = {get, NULL};
	struct pg_arena a;
	struct pg_told told;
	struct pg_expr *e, *again;
	struct pg_evalue v;
	struct pg_err err;

	pg_arena_init(&a, false);
	pg_told_init(&told);
	pg_str_init(&canonical);
	pg_str_init(&result);
	ck_assert_msg(parse(c->text, &a, &told, &e) == 0, "%s: %s", c->text, pg_told_text(&told));
	pg_expr_text(e, &canonical);
	ck_assert_str_eq(pg_str_text(&canonical), c->canonical ? c->canonical : c->text);
	if (pg_expr_eval(e, &view, &v, NULL, &err))
		pg_str_addf(&result, "%u: %s", err.loc.col, err.msg);
	else
		show(&v, &result);
	ck_assert_str_eq(pg_str_text(&result), c->result);
	/* The canonical text is an expression again, and its own canonical text. */
	ck_assert_int_eq(parse(pg_str_text(&canonical), &a, &told, &again), 0);
	pg_str_reset(&result);
	pg_expr_text(again, &result);
	ck_assert_str_eq(pg_str_text(&result), pg_str_text(&canonical));
	ck_assert_uint_eq(pg_expr_kinds(e), pg_expr_kinds(again));
	pg_str_release(&canonical);
	pg_str_release(&result);
	pg_told_release(&told);
	pg_arena_release(&a);
}
END_TEST

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

/* As many values as there can be at once: every nesting holds a left side of each level. */
START_TEST(deepest_stack)
{
	struct pg_cellview view = {get, NULL};
	struct pg_evalue v;
	struct pg_arena a;
	struct pg_told told;
	struct pg_expr *e;
	struct pg_err err;
	struct pg_str s;

	pg_arena_init(&a, false);
	pg_told_init(&told);
	pg_str_init(&s);
	for (int i = 0; i < 64; i++)
		pg_str_adds(&s, "max(1, 1 + 1 * ");
	pg_str_adds(&s, "1 == 1 + 1 * 1");
	ck_assert_int_eq(parse(pg_str_text(&s), &a, &told, &e), -1);
	pg_str_reset(&s);
	for (int i = 0; i < 64; i++)
		pg_str_adds(&s, "max(1, 1 + 1 * ");
	pg_str_adds(&s, "1 + 1 * 1");
	for (int i = 0; i < 64; i++)
		pg_str_addc(&s, ')');
	ck_assert_msg(parse(pg_str_text(&s), &a, &told, &e) == 0 || strstr(pg_told_text(&told), "close"), "%s",
		      pg_told_text(&told));
	ck_assert_int_eq(pg_expr_eval(e, &view, &v, NULL, &err), 0);
	ck_assert_int_eq(v.num.m, 66);
	pg_str_release(&s);
	pg_told_release(&told);
	pg_arena_release(&a);
}
END_TEST

START_TEST(slots)
{
	struct pg_arena a;
	struct pg_told told;
	struct pg_expr *e;
	const size_t *used;

	pg_arena_init(&a, false);
	pg_told_init(&told);
	ck_assert_int_eq(parse("groups + fds * groups > fds or size > 1KB", &a, &told, &e), 0);
	ck_assert_uint_eq(pg_expr_slots(e, &used), 3);
	ck_assert_uint_eq(used[0], 0);
	ck_assert_uint_eq(used[1], 1);
	ck_assert_uint_eq(used[2], 2);
	ck_assert(pg_expr_uses(e, 2));
	ck_assert(!pg_expr_uses(e, 3));
	ck_assert_uint_eq(pg_expr_kinds(e), BIT(PG_E_BOOL));
	ck_assert_uint_eq(pg_expr_loc(e)->col, 11);
	ck_assert_int_eq(parse("1", &a, &told, &e), 0);
	ck_assert_uint_eq(pg_expr_slots(e, &used), 0);
	ck_assert_int_eq(parse("loops", &a, &told, &e), 0);
	ck_assert_uint_eq(pg_expr_kinds(e), BIT(PG_E_NUM) | BIT(PG_E_TEXT));
	pg_told_release(&told);
	pg_arena_release(&a);
}
END_TEST

START_TEST(cuts)
{
	static const struct {
		const char *text;
		double cut;
	} cases[] = {
		{"20 / 3", 0.1},
		{"20 / 4", 0},
		{"1 / 2", 1},
		{"20 / 3 + 21 / 4", 0.1},
		{"21 / 4 + 20 / 3", 0.1},
		{"5.5 / 3", 0},
		{"size / 3", 1.0 / 4096},
		{"groups", 0},
		{"-20 / 3", 0.1},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pg_cellview view = {get, NULL};
		struct pg_evalue v;
		struct pg_arena a;
		struct pg_told told;
		struct pg_expr *e;
		struct pg_err err;
		double cut = 5;

		pg_arena_init(&a, false);
		pg_told_init(&told);
		ck_assert_int_eq(parse(cases[i].text, &a, &told, &e), 0);
		ck_assert_int_eq(pg_expr_eval(e, &view, &v, &cut, &err), 0);
		ck_assert_msg(cut > cases[i].cut - 1e-12 && cut < cases[i].cut + 1e-12, "%s: %g", cases[i].text, cut);
		pg_told_release(&told);
		pg_arena_release(&a);
	}
}
END_TEST

START_TEST(value_that_cannot_be_had)
{
	bool refuse = true;
	struct pg_cellview view = {get, &refuse};
	struct pg_evalue v;
	struct pg_arena a;
	struct pg_told told;
	struct pg_expr *e;
	struct pg_err err = {.code = PG_EINPUT};

	pg_arena_init(&a, false);
	pg_told_init(&told);
	ck_assert_int_eq(parse("1 + groups", &a, &told, &e), 0);
	ck_assert_int_eq(pg_expr_eval(e, &view, &v, NULL, &err), -1);
	ck_assert_int_eq(err.code, PG_OK);
	pg_told_release(&told);
	pg_arena_release(&a);
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

START_TEST(machine_words)
{
	static const struct {
		const char *text;
		bool names;
	} cases[] = {
		{"cpus", true},	  {"2*cpus", true},  {"cpus/nodes", true}, {"max(1, cores - 1)", true},
		{"llcs", true},	  {"sockets", true}, {"cpu", false},	   {"mycpus", false},
		{"cpus2", false}, {"cpus_x", false}, {"4KB", false},	   {"", false},
		{"Cpus", false},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_msg(pg_expr_names_word(cases[i].text, strlen(cases[i].text)) == cases[i].names, "%s",
			      cases[i].text);
	for (int i = 0; i < PG_MACHINE_WORDS; i++)
		ck_assert_int_eq(pg_machine_word(pg_machine_words[i], strlen(pg_machine_words[i])), i);
	ck_assert_int_eq(pg_machine_word("cpu", 3), -1);
}
END_TEST

static uint64_t rng = 88172645463325252u;

static uint64_t draw(uint64_t n)
{
	rng ^= rng << 13;
	rng ^= rng >> 7;
	rng ^= rng << 17;
	return rng % n;
}

/* Writes a random expression of whole numbers to out and returns its value; *ok false where it has none in 64 bits. */
static int64_t random_sum(struct pg_str *out, int depth, bool *ok)
{
	static const char ops[] = "+-*/%";
	int64_t l, r, v = 0;
	char op;

	if (depth == 0 || draw(4) == 0) {
		l = (int64_t)(draw(3) ? draw(100) : draw(4000000000u));
		pg_str_addi(out, l);
		return l;
	}
	op = ops[draw(5)];
	pg_str_addc(out, '(');
	l = random_sum(out, depth - 1, ok);
	pg_str_addf(out, ") %c (", op);
	r = random_sum(out, depth - 1, ok);
	pg_str_addc(out, ')');
	if (!*ok || ((op == '/' || op == '%') && (r == 0 || (l == INT64_MIN && r == -1))) ||
	    (op == '+' && __builtin_add_overflow(l, r, &v)) || (op == '-' && __builtin_sub_overflow(l, r, &v)) ||
	    (op == '*' && __builtin_mul_overflow(l, r, &v))) {
		*ok = false;
		return 0;
	}
	return op == '/' ? l / r : op == '%' ? l % r : v;
}

START_TEST(random_arithmetic)
{
	int evaluated = 0;

	for (int i = 0; i < 3000; i++) {
		struct pg_cellview view = {get, NULL};
		struct pg_arena a;
		struct pg_told told;
		struct pg_expr *e;
		struct pg_evalue v;
		struct pg_err err;
		struct pg_str s;
		bool ok = true;
		int64_t expect;

		pg_arena_init(&a, false);
		pg_told_init(&told);
		pg_str_init(&s);
		expect = random_sum(&s, 4, &ok);
		ck_assert_msg(parse(pg_str_text(&s), &a, &told, &e) == 0, "%s: %s", s.s, pg_told_text(&told));
		if (pg_expr_eval(e, &view, &v, NULL, &err))
			ck_assert_msg(!ok, "%s: %s", s.s, err.msg);
		else
			ck_assert_msg(ok && v.num.e == 0 && v.num.m == expect, "%s", s.s);
		evaluated += ok;
		pg_str_release(&s);
		pg_told_release(&told);
		pg_arena_release(&a);
	}
	ck_assert_int_gt(evaluated, 300);
}
END_TEST

PG_TEST_MAIN("plan_expr", ((const struct pg_test[]){
				  {results, sizeof(good) / sizeof(good[0])},
				  {errors, sizeof(bad) / sizeof(bad[0])},
				  {nesting, 0},
				  {deepest_stack, 0},
				  {slots, 0},
				  {cuts, 0},
				  {value_that_cannot_be_had, 0},
				  {places_in_nodes, 0},
				  {no_place, 0},
				  {machine_words, 0},
				  {random_arithmetic, 0},
				  {NULL, 0},
			  }))
