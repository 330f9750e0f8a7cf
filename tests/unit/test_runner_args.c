/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option parser, on rows of its own. */
#include "runner/args.h"

#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "tests/support/pgtest.h"

struct opts {
	bool flag, other;
	const char *text, *word;
	struct pg_opt_list list;
	struct pg_opt_count count, least;
	struct pg_opt_time time;
};

static const char *const words[] = {"red", "green", NULL};
static const struct pg_option rows[] = {
	{.name = "flag", .opt = 'f', .doc = "a flag", PG_OPT_AT(struct opts, flag)},
	{.name = "other", .opt = 'o', .doc = "another", PG_OPT_AT(struct opts, other)},
	{.name = "text", .opt = 't', .arg = "TEXT", .doc = "a text", PG_OPT_AT(struct opts, text)},
	{.name = "word", .arg = "WORD", .doc = "a word", .words = words, PG_OPT_AT(struct opts, word)},
	{.name = "list", .opt = 'l', .arg = "ITEM", .doc = "items", PG_OPT_AT(struct opts, list)},
	{.name = "count", .arg = "N", .doc = "a number", .min = 1, .max = 10, PG_OPT_AT(struct opts, count)},
	{.name = "least", .arg = "N", .doc = "a number", .min = 3, PG_OPT_AT(struct opts, least)},
	{.name = "time", .arg = "TIME", .doc = "a time", PG_OPT_AT(struct opts, time)},
	{.name = NULL},
};

#define WORDS 10

/* The options that a line sets, and its operands, as one text. */
static void show(const struct opts *o, const struct pg_args *a, char *buf, size_t n)
{
	FILE *f = fmemopen(buf, n, "w");

	ck_assert_ptr_nonnull(f);
	if (a->help)
		fputs("help ", f);
	if (o->flag)
		fputs("flag ", f);
	if (o->other)
		fputs("other ", f);
	if (o->text)
		fprintf(f, "text=%s ", o->text);
	if (o->word)
		fprintf(f, "word=%s ", o->word);
	for (size_t i = 0; i < o->list.n; i++)
		fprintf(f, "item=%s ", o->list.v[i]);
	if (o->count.given)
		fprintf(f, "count=%llu ", (unsigned long long)o->count.v);
	if (o->least.given)
		fprintf(f, "least=%llu ", (unsigned long long)o->least.v);
	if (o->time.given)
		fprintf(f, "time=%lld ", (long long)o->time.ns);
	for (size_t i = 0; i < a->n; i++)
		fprintf(f, "<%s>", a->operand[i]);
	fclose(f);
}

static int parse(const char *const *line, struct opts *o, struct pg_args *a, struct pg_arena *arena, struct pg_err *err)
{
	char **argv = pg_arena_array(arena, WORDS + 1, sizeof(char *));
	int n = 0;

	for (; n < WORDS && line[n]; n++)
		argv[n] = pg_arena_strdup(arena, line[n]);
	memset(o, 0, sizeof(*o));
	return pg_args_parse(rows, n, argv, arena, o, a, err);
}

static const struct {
	const char *line[WORDS];
	const char *want;
} good[] = {
	{{NULL}, ""},
	{{"a", "b"}, "<a><b>"},
	{{"--flag", "a"}, "flag <a>"},
	{{"a", "--flag", "b"}, "flag <a><b>"},
	{{"-f"}, "flag "},
	{{"-fo"}, "flag other "},
	{{"-of", "x"}, "flag other <x>"},
	{{"-fotx"}, "flag other text=x "},
	{{"-ft", "x", "y"}, "flag text=x <y>"},
	{{"-t", "x"}, "text=x "},
	{{"-tx"}, "text=x "},
	{{"-t="}, "text== "},
	{{"--text=x"}, "text=x "},
	{{"--text", "x"}, "text=x "},
	{{"--text="}, "text= "},
	{{"--text=a=b"}, "text=a=b "},
	{{"--text", "--flag"}, "text=--flag "},
	{{"--text", "--"}, "text=-- "},
	{{"-f", "--flag"}, "flag "},
	{{"--text", "a", "--", "--text", "b"}, "text=a <--text><b>"},
	{{"--list", "a", "-lb", "--list=c"}, "item=a item=b item=c "},
	{{"--word", "green"}, "word=green "},
	{{"--count", "1"}, "count=1 "},
	{{"--count=10"}, "count=10 "},
	{{"--least", "18446744073709551615"}, "least=18446744073709551615 "},
	{{"--time", "1.5ms"}, "time=1500000 "},
	{{"--", "--flag", "-f"}, "<--flag><-f>"},
	{{"a", "--", "b", "--"}, "<a><b><-->"},
	{{"-"}, "<->"},
	{{""}, "<>"},
	{{"--help"}, "help "},
	{{"-h"}, "help "},
	{{"--nonsense", "--help"}, "help "},
	{{"--text", "--help"}, "text=--help "},
	{{"-t", "-h"}, "text=-h "},
	{{"--", "--help"}, "<--help>"},
	{{"-fh"}, "help flag "},
};

START_TEST(test_good)
{
	struct pg_arena arena;
	struct pg_args args;
	struct pg_err err = {.msg = ""};
	struct opts o;
	char got[256] = "";

	pg_arena_init(&arena, false);
	ck_assert_msg(parse(good[_i].line, &o, &args, &arena, &err) == 0, "%s", err.msg);
	show(&o, &args, got, sizeof(got));
	ck_assert_str_eq(got, good[_i].want);
	pg_arena_release(&arena);
}
END_TEST

static const struct {
	const char *line[WORDS];
	const char *part; /* of the message */
} bad[] = {
	{{"--flog"}, "unknown option --flog; the nearest is --flag"},
	{{"--fla"}, "unknown option --fla; the nearest is --flag"}, /* no abbreviations */
	{{"--tim", "1s"}, "unknown option --tim"},
	{{"--xyzzyplugh"}, "--help lists"},
	{{"--hlp"}, "the nearest is --help"},
	{{"--flog=3"}, "unknown option --flog;"},
	{{"-x"}, "unknown option -x"},
	{{"-fx"}, "unknown option -x"},
	{{"-\xc3\xa9"}, "unknown option -\xc3\xa9"},
	{{"--flag=yes"}, "option --flag takes no argument"},
	{{"--flag="}, "option --flag takes no argument"},
	{{"--text"}, "option --text lacks its argument; --text TEXT"},
	{{"-t"}, "option --text lacks its argument"},
	{{"-ft"}, "option --text lacks its argument"},
	{{"--word", "blue"}, "--word 'blue' is not known; one of red, green"},
	{{"--word="}, "--word '' is not known"},
	{{"--count", "0"}, "--count 0 is out of range; from 1 to 10"},
	{{"--count", "11"}, "--count 11 is out of range; from 1 to 10"},
	{{"--count", "10x"}, "--count '10x'"},
	{{"--count", "-1"}, "--count '-1'"},
	{{"--count", "+1"}, "--count '+1'"},
	{{"--count", "01"}, "--count '01'"},
	{{"--count", "0x1"}, "--count '0x1'"},
	{{"--count", "1.5"}, "--count '1.5'"},
	{{"--count="}, "--count ''"},
	{{"--least", "18446744073709551616"}, "number too large; decimal digits only, from 3 to 18446744073709551615"},
	{{"--least", "2"}, "--least 2 is out of range; from 3 to 18446744073709551615"},
	{{"--count", "99999999999999999999999"}, "number too large; decimal digits only, from 1 to 10"},
	{{"--count", "ten"}, "decimal digits only, from 1 to 10"},
	{{"--time", "99999999999999999999h"},
	 "number too large; a number with one of ns us ms s min h, from 0s to 2562047h"},
	/* Once is enough, in whatever spelling. */
	{{"--text", "a", "--text", "a"}, "--text stands here twice; give it once"},
	{{"-ta", "--text=b"}, "--text stands here twice; give it once"},
	{{"--text=", "-t", "b"}, "--text stands here twice; give it once"},
	{{"--word", "red", "--word", "green"}, "--word stands here twice; give it once"},
	{{"--count", "1", "--flag", "--count", "2"}, "--count stands here twice; give it once"},
	{{"--time", "1s", "x", "--time", "2s"}, "--time stands here twice; give it once"},
	{{"--time", "10"}, "--time '10'"},
	{{"--time", "ten"}, "one of ns us ms s min h"},
};

START_TEST(test_bad)
{
	struct pg_arena arena;
	struct pg_args args;
	struct pg_err err = {.msg = ""};
	struct opts o;

	pg_arena_init(&arena, false);
	ck_assert_int_eq(parse(bad[_i].line, &o, &args, &arena, &err), -1);
	ck_assert_int_eq(err.code, PG_EUSAGE);
	ck_assert_msg(strstr(err.msg, bad[_i].part) != NULL, "'%s' lacks '%s'", err.msg, bad[_i].part);
	pg_arena_release(&arena);
}
END_TEST

PG_TEST_MAIN("runner_args", ((const struct pg_test[]){
				    {test_good, sizeof(good) / sizeof(good[0])},
				    {test_bad, sizeof(bad) / sizeof(bad[0])},
				    {NULL, 0},
			    }))
