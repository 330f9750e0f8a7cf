/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values from the command line, and the type that text is guessed to have. */
#include "tests/support/pgtest.h"

#include <string.h>

#include "tests/support/valuekit.h"

START_TEST(guesses)
{
	static const struct {
		const char *yaml;
		enum pg_type type;
	} cases[] = {
		{"1", PG_COUNT},
		{"010", PG_COUNT},
		{"1.5", PG_REAL},
		{"[1, 2.5]", PG_REAL},
		{"[1, x]", PG_TEXT},
		{"4KB", PG_TEXT},
		{"[4KB, 8KB]", PG_TEXT},
		{"1KB..4KB x2", PG_SIZE},
		{"1ms..4ms x2", PG_TIME},
		{"[1KB..4KB x2, 1ms..4ms x2]", PG_TEXT},
		{"1..4*cpus x2", PG_COUNT},
		{"cpus", PG_COUNT},
		{"[1, cpus]", PG_COUNT},
		{"per-cpus", PG_TEXT},
		{"../cpus", PG_TEXT},
		{"../x", PG_TEXT},
		{"'1'", PG_TEXT},
		{"[1, '2']", PG_TEXT},
		{"-1", PG_TEXT},
		{"0x10", PG_TEXT},
		{"1..4 x1.5", PG_REAL},
		{"0..1 by 0.1", PG_REAL},
		{"[1..8, 4KB]", PG_TEXT},
		{"{a: 1}", PG_TEXT},
		{"4KB*cpus", PG_SIZE},
		{"a b", PG_TEXT},
		{"~", PG_TEXT},
		{"8..1", PG_COUNT},
		{"[0.5, cpus]", PG_REAL},
		{"-O2", PG_TEXT},
		{"[1..8, 16]", PG_COUNT},
		{"[]", PG_TEXT},
		{"cpus nodes", PG_TEXT},
		{"true", PG_TEXT},
		{"cpus > 2", PG_TEXT},
		{"12:30", PG_TEXT},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pg_arena a;
		struct pg_diag d = {NULL, NULL, 0, 0};
		enum pg_type t;

		pg_arena_init(&a, false);
		t = pg_values_guess(pg_yaml_parse("f", cases[i].yaml, strlen(cases[i].yaml), &a, &d));
		ck_assert_msg(t == cases[i].type, "%s: %d", cases[i].yaml, (int)t);
		pg_arena_release(&a);
	}
	ck_assert_int_eq(pg_values_guess_both(PG_COUNT, PG_REAL), PG_REAL);
	ck_assert_int_eq(pg_values_guess_both(PG_REAL, PG_COUNT), PG_REAL);
	ck_assert_int_eq(pg_values_guess_both(PG_SIZE, PG_COUNT), PG_TEXT);
	ck_assert_int_eq(pg_values_guess_both(PG_TIME, PG_TIME), PG_TIME);
}
END_TEST

START_TEST(command_line)
{
	static const struct {
		const char *text, *tree;
	} cases[] = {
		{"4", "4"},
		{"1,2,4..8", "[1, 2, 4..8]"},
		{" socket , pipe ", "[socket, pipe]"},
		{"'a,b',c", "['a,b', c]"},
		{"\"a,b\"", "'a,b'"},
		{"'it''s'", "'it''s'"},
		{"'open", "'open"},
		{"max(1, cpus - 1),4", "[max(1, cpus - 1), 4]"},
		{"1,", "[1, ]"},
		{"", ""},
		{",", "[, ]"},
		{"0-3,8", "[0-3, 8]"},
		{")(,1", "[)(, 1]"},
	};
	struct pg_loc loc = {"--vary", 0, 0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pg_arena a;
		struct pg_node *n;
		struct pg_str s;

		pg_arena_init(&a, false);
		pg_str_init(&s);
		n = pg_values_cli(cases[i].text, &loc, &a);
		ck_assert_ptr_nonnull(n);
		ck_assert(n->cli);
		ck_assert_str_eq(n->loc.file, "--vary");
		pg_tree_text(n, false, &s);
		ck_assert_str_eq(pg_str_text(&s), cases[i].tree);
		pg_str_release(&s);
		pg_arena_release(&a);
	}
}
END_TEST

/* On the command line quotes are the shell's: CPU lists need none, commas of a single text are its own. */
START_TEST(command_line_values)
{
	static const struct {
		enum row row;
		const char *text, *one, *axis;
	} cases[] = {
		{CPUS, "0-3,8", "0-3,8", "0-3 8"},
		{TEXT, "a,b", "a,b", "a b"},
		{GROUPS, "cpus", "4(cpus)!*", "4(cpus)!*"},
		{GROUPS, "1,2", NULL, "1 2"},
		{GROUPS, "1,1", NULL, NULL},
		{GROUPS, "1,", NULL, NULL},
		{TRANSPORT, "pipe", "pipe", "pipe"},
	};
	struct pg_loc loc = {"--set", 0, 0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct pg_arena a;
		struct pg_told told;
		struct pg_values_ctx ctx = {&machine, "x", &a, &told.d};
		struct pg_item one, *items;
		struct pg_node *node;
		struct pg_str s;
		size_t n;

		pg_arena_init(&a, false);
		pg_told_init(&told);
		pg_str_init(&s);
		node = pg_values_cli(cases[i].text, &loc, &a);
		ck_assert_int_eq(pg_values_one(&ctx, &rows[cases[i].row], node, &one), cases[i].one ? 0 : -1);
		if (cases[i].one) {
			show(&rows[cases[i].row], &one, 1, &s);
			ck_assert_str_eq(pg_str_text(&s), cases[i].one);
		}
		ck_assert_int_eq(pg_values_axis(&ctx, &rows[cases[i].row], node, &items, &n), cases[i].axis ? 0 : -1);
		ck_assert_msg(cases[i].axis || told.d.errors, "%s: no message", cases[i].text);
		if (cases[i].axis) {
			pg_str_reset(&s);
			show(&rows[cases[i].row], items, n, &s);
			ck_assert_str_eq(pg_str_text(&s), cases[i].axis);
		}
		pg_str_release(&s);
		pg_told_release(&told);
		pg_arena_release(&a);
	}
}
END_TEST

PG_TEST_MAIN("plan_values_cli", ((const struct pg_test[]){
					{guesses, 0},
					{command_line, 0},
					{command_line_values, 0},
					{NULL, 0},
				}))
