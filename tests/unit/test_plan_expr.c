/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions: what they compute and what they look like. */
#include "tests/support/pgtest.h"

#include <string.h>

#include "base/num.h"
#include "tests/support/exprkit.h"

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
				  {deepest_stack, 0},
				  {slots, 0},
				  {cuts, 0},
				  {value_that_cannot_be_had, 0},
				  {machine_words, 0},
				  {random_arithmetic, 0},
				  {NULL, 0},
			  }))
