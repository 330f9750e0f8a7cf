/* SPDX-License-Identifier: GPL-2.0-or-later */
/* YAML text that is too much: depth, aliases, keys, bytes, errors. */
#include "tests/support/pgtest.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "tests/support/yamlkit.h"

/* `unit` repeated n times between head and tail. */
static void repeat(struct pg_str *out, const char *head, const char *unit, size_t n, const char *tail)
{
	pg_str_reset(out);
	pg_str_adds(out, head);
	for (size_t i = 0; i < n; i++)
		pg_str_adds(out, unit);
	pg_str_adds(out, tail);
}

static void limit(struct pg_str *text, const char *messages)
{
	struct sample c = {pg_str_text(text), text->len, NULL, messages};
	struct pg_told told;
	struct pg_arena a;

	if (messages) {
		check(&c);
		return;
	}
	pg_arena_init(&a, false);
	pg_told_init(&told);
	ck_assert_msg(pg_yaml_parse("f", text->s, text->len, &a, &told.d) != NULL, "%s", pg_told_text(&told));
	ck_assert_str_eq(pg_told_text(&told), "");
	pg_told_release(&told);
	pg_arena_release(&a);
}

START_TEST(depth_limit)
{
	struct pg_str s;

	pg_str_init(&s);
	repeat(&s, "a: ", "[", 63, "");
	for (int i = 0; i < 63; i++)
		pg_str_addc(&s, ']');
	limit(&s, NULL);
	repeat(&s, "a: ", "[", 64, "");
	limit(&s, "1:67: lists and maps are nested deeper than 64 levels; flatten them");
	repeat(&s, "", "- ", 65, "x\n");
	limit(&s, "1:129: lists and maps are nested deeper than 64 levels; flatten them");
	/* A megabyte of brackets is refused at the 65th, not after all of them. */
	repeat(&s, "", "[", 1000000, "");
	limit(&s, "1:65: lists and maps are nested deeper than 64 levels; flatten them");
	pg_str_release(&s);
}
END_TEST

START_TEST(depth_limit_of_aliases)
{
	struct pg_str s;

	pg_str_init(&s);
	pg_str_adds(&s, "a0: &a0 [x]\n");
	for (int i = 1; i < 70; i++)
		pg_str_addf(&s, "a%d: &a%d [*a%d]\n", i, i, i - 1);
	limit(&s, "64:12: lists and maps are nested deeper than 64 levels; flatten them");
	pg_str_release(&s);
}
END_TEST

START_TEST(alias_budget)
{
	struct pg_str s;

	pg_str_init(&s);
	pg_str_adds(&s, "a: &a x\nb: [");
	for (int i = 0; i < 10000; i++)
		pg_str_addf(&s, "%s*a", i ? "," : "");
	pg_str_adds(&s, "]\n");
	limit(&s, NULL);
	pg_str_adds(&s, "c: *a\n");
	limit(&s, "3:4: aliases expand to more than 10000 values; write fewer of them");
	pg_str_reset(&s);
	pg_str_adds(&s, "a0: &a0 [x,x,x,x,x,x,x,x,x]\n");
	for (int i = 1; i < 12; i++)
		pg_str_addf(&s, "a%d: &a%d [*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d,*a%d]\n", i, i, i - 1, i - 1, i - 1,
			    i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
	limit(&s, "5:10: aliases expand to more than 10000 values; write fewer of them");
	pg_str_release(&s);
}
END_TEST

START_TEST(key_length)
{
	struct pg_str s;

	pg_str_init(&s);
	repeat(&s, "", "k", 1024, ": 1\n");
	limit(&s, NULL);
	repeat(&s, "", "k", 1025, ": 1\n");
	limit(&s, "1:1026: mapping values are not allowed in this context; a key is at most 1024 characters long");
	pg_str_release(&s);
}
END_TEST

START_TEST(file_size)
{
	struct pg_str s;

	pg_str_init(&s);
	repeat(&s, "a: 1\n", "# 3456789012345\n", 1048575, "# 789012345");
	ck_assert_uint_eq(s.len, (size_t)16 << 20);
	limit(&s, NULL);
	pg_str_addc(&s, '\n');
	limit(&s, "0:0: the file is larger than 16 MiB; split it into several scenarios");
	pg_str_release(&s);
}
END_TEST

/* Many keys take the hashed way; the last one repeats the first. */
START_TEST(many_keys)
{
	struct pg_str s;

	pg_str_init(&s);
	for (int i = 0; i < 50000; i++)
		pg_str_addf(&s, "k%d: v\n", i);
	limit(&s, NULL);
	pg_str_adds(&s, "k0: v\n");
	limit(&s, "50001:1: key k0 stands here a second time; the first is at line 1, column 1: keep one");
	pg_str_release(&s);
}
END_TEST

/* More anchors than slots of their table: each alias still finds its own. */
START_TEST(many_anchors)
{
	struct pg_arena a;
	struct pg_told told;
	struct pg_node *n;
	struct pg_str s;

	pg_str_init(&s);
	for (int i = 0; i < 600; i++)
		pg_str_addf(&s, "- &n%d v%d\n", i, i);
	for (int i = 0; i < 600; i++)
		pg_str_addf(&s, "- *n%d\n", i);
	pg_arena_init(&a, false);
	pg_told_init(&told);
	n = pg_yaml_parse("f", s.s, s.len, &a, &told.d);
	ck_assert_msg(n != NULL, "%s", pg_told_text(&told));
	n = n->child;
	for (int i = 0; i < 1200; i++, n = n->next) {
		ck_assert_int_eq(atoi(n->text + 1), i % 600);
		ck_assert_uint_eq(n->loc.line, (unsigned)i + 1);
	}
	pg_told_release(&told);
	pg_arena_release(&a);
	pg_str_release(&s);
}
END_TEST

START_TEST(stops_at_twenty)
{
	struct pg_told told;
	struct pg_arena a;
	struct pg_str s;

	pg_str_init(&s);
	for (int i = 0; i < 100; i++)
		pg_str_addf(&s, "k%d: !x v\n", i);
	pg_arena_init(&a, false);
	pg_told_init(&told);
	ck_assert_ptr_null(pg_yaml_parse("f", s.s, s.len, &a, &told.d));
	ck_assert_uint_eq(told.d.errors, PG_DIAG_LIMIT);
	pg_told_release(&told);
	pg_arena_release(&a);
	pg_str_release(&s);
}
END_TEST

PG_TEST_MAIN("plan_yaml_limits", ((const struct pg_test[]){
					 {depth_limit, 0},
					 {depth_limit_of_aliases, 0},
					 {alias_budget, 0},
					 {key_length, 0},
					 {file_size, 0},
					 {many_keys, 0},
					 {many_anchors, 0},
					 {stops_at_twenty, 0},
					 {NULL, 0},
				 }))
