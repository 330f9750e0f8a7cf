/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every face shows every row: help, man page, schema. A row that one of them lacks fails here. */
#include "runner/emit_help.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "plan/keys.h"
#include "plan/plan.h"
#include "registry/registry.h"
#include "runner/args.h"
#include "runner/cli.h"
#include "runner/emit_schema.h"
#include "runner/json_out.h"
#include "tests/support/pgtest.h"

static char *text_of_schema(void)
{
	struct pg_str s;

	pg_str_init(&s);
	pg_emit_schema(pg_suites, &s);
	ck_assert(!s.failed);
	return pg_str_detach(&s);
}

static char *text_of_man(void)
{
	struct pg_str s;

	pg_str_init(&s);
	pg_emit_man(pg_suites, &s);
	ck_assert(!s.failed);
	return pg_str_detach(&s);
}

static char *text_of_help(const struct pg_command *c)
{
	struct pg_str s;

	pg_str_init(&s);
	pg_emit_command_help(c, &s);
	ck_assert(!s.failed);
	return pg_str_detach(&s);
}

/* Does `text` hold `part`, in which each blank stands for any run of white space? */
static bool holds(const char *text, const char *part)
{
	for (; *text; text++) {
		const char *t = text, *p = part;

		while (*p && (*p == ' ' ? strspn(t, " \n") > 0 : *t == *p)) {
			t += *p == ' ' ? strspn(t, " \n") : 1;
			p++;
		}
		if (!*p)
			return true;
	}
	return false;
}

static const struct pg_key *const key_tables[] = {pg_file_keys, pg_sweep_keys, pg_repeat_keys, pg_compare_keys,
						  pg_skip_keys, pg_table_keys, pg_metric_keys};

START_TEST(test_schema_has_every_key)
{
	char *schema = text_of_schema();

	for (const struct pg_key *k = key_tables[_i]; k->name; k++) {
		struct pg_str key;

		pg_str_init(&key);
		pg_str_addf(&key, "\"%s\": ", k->name);
		ck_assert_msg(strstr(schema, pg_str_text(&key)) != NULL, "no %s", k->name);
		pg_str_release(&key);
		ck_assert_msg(strstr(schema, k->doc) != NULL, "no text of %s", k->name);
		for (size_t i = 0; k->words && k->words[i]; i++)
			ck_assert_msg(strstr(schema, k->words[i]) != NULL, "no %s of %s", k->words[i], k->name);
	}
	free(schema);
}
END_TEST

START_TEST(test_schema_has_every_bench)
{
	char *schema = text_of_schema();

	for (const struct pg_suite *const *s = pg_suites; *s; s++) {
		for (const struct pg_bench *const *b = (*s)->benches; *b; b++) {
			ck_assert_ptr_nonnull(strstr(schema, (*b)->name));
			for (const struct pg_param *p = (*b)->params; p->name; p++) {
				ck_assert_msg(strstr(schema, p->name) != NULL, "no %s", p->name);
				ck_assert_msg(strstr(schema, p->doc) != NULL, "no text of %s", p->name);
				for (const struct pg_choice *c = p->choices; c && c->name; c++)
					ck_assert_msg(strstr(schema, c->name) != NULL, "no %s of %s", c->name, p->name);
			}
		}
	}
	for (size_t i = 0; i < PG_STATISTICS; i++)
		ck_assert_ptr_nonnull(strstr(schema, pg_statistic_names[i]));
	free(schema);
}
END_TEST

/* Nothing that depends on the machine or the moment. */
START_TEST(test_generated_twice_alike)
{
	char *a = text_of_schema(), *b = text_of_schema();

	ck_assert_str_eq(a, b);
	free(a);
	free(b);
	a = text_of_man();
	b = text_of_man();
	ck_assert_str_eq(a, b);
	free(a);
	free(b);
}
END_TEST

/* roff spells `-` and `\`` with a backslash. */
static bool man_holds(const char *man, const char *part)
{
	struct pg_str s;
	bool found;

	pg_str_init(&s);
	for (; *part; part++) {
		if (*part == '-' || *part == '`')
			pg_str_addc(&s, '\\');
		if (*part == '\\')
			pg_str_adds(&s, "\\e");
		else
			pg_str_addc(&s, *part);
	}
	found = holds(man, pg_str_text(&s));
	pg_str_release(&s);
	return found;
}

START_TEST(test_man_has_every_row)
{
	char *man = text_of_man();

	for (const struct pg_command *c = pg_commands; c->name; c++) {
		if (c->hidden)
			continue;
		ck_assert_msg(holds(man, c->name), "no command %s", c->name);
		for (const struct pg_option *o = c->options; o->name; o++)
			ck_assert_msg(man_holds(man, o->doc), "no text of --%s of %s", o->name, c->name);
	}
	for (const struct pg_suite *const *s = pg_suites; *s; s++) {
		for (const struct pg_bench *const *b = (*s)->benches; *b; b++) {
			for (const struct pg_param *p = (*b)->params; p->name; p++)
				ck_assert_msg(man_holds(man, p->doc), "no text of %s", p->name);
			for (const struct pg_metric *m = (*b)->metrics; m->name; m++)
				ck_assert_msg((m->flags & PG_M_HIDDEN) || man_holds(man, m->doc), "no text of %s",
					      m->name);
		}
	}
	for (size_t i = 0; i < sizeof(key_tables) / sizeof(key_tables[0]); i++)
		for (const struct pg_key *k = key_tables[i]; k->name; k++)
			ck_assert_msg(man_holds(man, k->doc), "no text of %s", k->name);
	free(man);
}
END_TEST

/* The table of commands: what a row must have, and that its help names every option. */
START_TEST(test_commands)
{
	for (const struct pg_command *c = pg_commands; c->name; c++) {
		char *help = text_of_help(c);

		ck_assert_ptr_nonnull(c->summary);
		ck_assert_ptr_nonnull(c->about);
		ck_assert(c->run != NULL || c->foreign != NULL);
		ck_assert_ptr_eq(pg_command_find(c->name), c); /* unique */
		ck_assert_uint_le(c->min_operands, c->max_operands);
		ck_assert(strchr("", c->summary[strlen(c->summary)]) && c->summary[strlen(c->summary) - 1] != '.');
		for (const struct pg_option *o = c->options; o->name; o++) {
			ck_assert_msg(holds(help, o->doc), "no text of --%s in help of %s", o->name, c->name);
			ck_assert_msg((o->arg == NULL) == (o->kind == PG_OPT_FLAG), "--%s of %s", o->name, c->name);
			ck_assert_msg(o->offset < c->opts_size, "--%s of %s", o->name, c->name);
			for (const struct pg_option *other = o + 1; other->name; other++) {
				ck_assert_str_ne(o->name, other->name);
				ck_assert(!o->opt || o->opt != other->opt);
				ck_assert_uint_ne(o->offset, other->offset);
			}
			ck_assert(o->opt != 'h');
			ck_assert_str_ne(o->name, "help");
		}
		for (const char *line = help; *line; line += strcspn(line, "\n") + 1)
			ck_assert_uint_le(strcspn(line, "\n"), 80);
		free(help);
	}
}
END_TEST

/* Options that fit into no word of a usage line still parse. */
START_TEST(test_options_parse)
{
	for (const struct pg_command *c = pg_commands; c->name; c++) {
		for (const struct pg_option *o = c->options; o->name; o++) {
			struct pg_arena a;
			struct pg_args args;
			struct pg_err err = {.msg = ""};
			char name[64], value[32];
			char *argv[] = {name, value, NULL};

			snprintf(name, sizeof(name), "--%s", o->name);
			snprintf(value, sizeof(value), "%s",
				 o->kind == PG_OPT_COUNT  ? "8"
				 : o->kind == PG_OPT_TIME ? "3s"
				 : o->words		  ? o->words[0]
							  : "x");
			pg_arena_init(&a, false);
			ck_assert_msg(pg_args_parse(c->options, o->kind == PG_OPT_FLAG ? 1 : 2, argv, &a,
						    pg_arena_alloc(&a, c->opts_size), &args, &err) == 0,
				      "%s: %s", c->name, err.msg);
			ck_assert_uint_eq(args.n, 0);
			pg_arena_release(&a);
		}
	}
}
END_TEST

/* An option that stands for a key takes what the key takes. */
START_TEST(test_options_of_keys)
{
	static const char *const names[] = {"repeat", "warmup"};

	for (const struct pg_option *o = pg_command_find("run")->options; o->name; o++) {
		if (!pg_streq(o->name, names[_i]))
			continue;
		ck_assert_uint_eq(o->min, pg_key_find(pg_sweep_keys, o->name)->min);
		ck_assert_uint_eq(o->max, pg_key_find(pg_sweep_keys, o->name)->max);
		return;
	}
	ck_abort_msg("no --%s", names[_i]);
}
END_TEST

static const struct {
	const char *text;
	size_t at, indent, width;
	const char *want;
} fills[] = {
	{"", 0, 0, 10, "\n"},
	{"one two three", 0, 0, 8, "one two\nthree\n"},
	{"one two", 0, 0, 7, "one two\n"},
	{"one two", 0, 0, 6, "one\ntwo\n"},
	{"toolongforit x", 0, 0, 5, "toolongforit\nx\n"},
	{"one two three", 4, 4, 12, "one two\n    three\n"},
	{" one  two ", 0, 0, 80, "one two\n"},
};

START_TEST(test_fill)
{
	struct pg_str s;

	pg_str_init(&s);
	pg_emit_filled(&s, fills[_i].text, fills[_i].at, fills[_i].indent, fills[_i].width);
	ck_assert_str_eq(pg_str_text(&s), fills[_i].want);
	pg_str_release(&s);
}
END_TEST

START_TEST(test_json)
{
	static const char *const texts[] = {"a", "b", NULL};
	struct pg_str s;
	struct pg_jout j;

	pg_str_init(&s);
	pg_jout_init(&j, &s);
	pg_jout_object(&j, NULL);
	pg_jout_text(&j, "text", "q\" b\\ n\n c\x01 \xc3\xa9");
	pg_jout_int(&j, "int", -5);
	pg_jout_bool(&j, "bool", true);
	pg_jout_array(&j, "empty");
	pg_jout_close(&j);
	pg_jout_array(&j, "list");
	pg_jout_int(&j, NULL, 1);
	pg_jout_object(&j, NULL);
	pg_jout_close(&j);
	pg_jout_close(&j);
	pg_jout_texts(&j, "texts", texts);
	pg_jout_close(&j);
	ck_assert_str_eq(pg_str_text(&s), "{\n"
					  "  \"text\": \"q\\\" b\\\\ n\\u000a c\\u0001 \xc3\xa9\",\n"
					  "  \"int\": -5,\n"
					  "  \"bool\": true,\n"
					  "  \"empty\": [],\n"
					  "  \"list\": [\n"
					  "    1,\n"
					  "    {}\n"
					  "  ],\n"
					  "  \"texts\": [\"a\", \"b\"]\n"
					  "}\n");
	pg_str_release(&s);
}
END_TEST

PG_TEST_MAIN("runner_emit", ((const struct pg_test[]){
				    {test_schema_has_every_key, sizeof(key_tables) / sizeof(key_tables[0])},
				    {test_schema_has_every_bench, 0},
				    {test_generated_twice_alike, 0},
				    {test_man_has_every_row, 0},
				    {test_commands, 0},
				    {test_options_parse, 0},
				    {test_options_of_keys, 2},
				    {test_fill, sizeof(fills) / sizeof(fills[0])},
				    {test_json, 0},
				    {NULL, 0},
			    }))
