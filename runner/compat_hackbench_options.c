/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The spelling of hackbench: getopt_long() reads it, as it does for hackbench, so that clusters, prefixes, order of
 * words and messages are the same; numbers are read as leniently, but with 64 bits and a warning.
 */
#include "runner/compat_hackbench.h"

#include <ctype.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "model/param.h"
#include "runner/dropin.h"
#include "runner/report.h"
#include "runner/world.h"

#define LOOPS_MAX INT64_C(1000000000000) /* 30 years of messages and more */

struct spelling {
	const char *name;  /* long form */
	const char *shown; /* in the usage; NULL = name */
	const char *noun;  /* of a number; NULL = a flag */
	const char *param;
	const char *value; /* of a flag */
	const char *doc;
	char opt;
};

static const struct spelling rows[] = {
	{"fds", NULL, "NUM", "fds", NULL, "senders, and as many receivers, of a group", 'f'},
	{"fifo", NULL, NULL, "main_policy", "fifo", "SCHED_FIFO for the main thread", 'F'},
	{"groups", NULL, "NUM", "groups", NULL, "groups that run side by side", 'g'},
	{"help", NULL, NULL, NULL, NULL, "this text", 'h'},
	{"loops", NULL, "LOOPS", "loops", NULL, "messages to each receiver; -1: until stopped", 'l'},
	{"pipe", NULL, NULL, "transport", "pipe", "messages go through pipes", 'p'},
	{"inet", NULL, NULL, "transport", "inet", "messages go through TCP on loopback", 'i'},
	{"datasize", NULL, "SIZE", "size", NULL, "bytes of a message", 's'},
	{"threads", NULL, NULL, "mode", "thread", "workers are threads", 'T'},
	{"processes", "process", NULL, "mode", "process", "workers are processes (default)", 'P'},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static const struct spelling *row_of(int opt)
{
	for (size_t i = 0; i < ROWS; i++)
		if (rows[i].opt == opt)
			return &rows[i];
	return NULL;
}

void pg_hackbench_usage(const struct pg_hackbench *h, struct pg_str *out)
{
	if (h->positional) {
		pg_str_adds(out, "Usage: hackbench [-pipe] GROUPS [process|thread [LOOPS]]\n");
		return;
	}
	pg_str_adds(out, "hackbench V 2.40 (perfgrid " PG_VERSION ")\nUsage:\nhackbench <options>\n\n");
	for (size_t i = 0; i < ROWS; i++) {
		const struct spelling *r = &rows[i];
		char text[32];

		snprintf(text, sizeof(text), "--%s%s%s", r->shown ? r->shown : r->name, r->noun ? "=" : "",
			 r->noun ? r->noun : "");
		pg_str_addf(out, "-%-7c %-17s %s\n", r->opt, text, r->doc);
	}
}

struct lax {
	int64_t v; /* the end of the range where it does not fit */
	struct pg_typed typed;
	bool rest; /* something follows, which is dropped */
};

/* Leading blanks, a sign, digits. */
static struct lax lax_number(const char *text)
{
	struct lax x = {.v = 0};
	char *end;

	x.v = strtoll(text, &end, 10);
	x.rest = end != text && *end != '\0';
	text += strspn(text, " \t\n\v\f\r");
	text += *text == '+';
	while (*text == '0' && text + 1 < end)
		text++;
	x.typed = (struct pg_typed){text, end > text ? (size_t)(end - text) : 0};
	return x;
}

/* The count of loops that stands for "until stopped". */
static int64_t loops_of(struct pg_hackbench *h, const struct lax *x, const char *name)
{
	h->loops = x->typed;
	if (x->v > LOOPS_MAX)
		pg_say_as(h->world, h->prog, "warning: %s %.*s means until stopped", name, (int)x->typed.n, x->typed.s);
	return x->v < 0 || x->v > LOOPS_MAX ? LOOPS_MAX : x->v;
}

/* The number that was typed stands in the message, not the one that it was read as. */
static bool out_of_range(const struct pg_hackbench *h, const struct spelling *r, const char *name, const struct lax *x)
{
	struct pg_str range;

	pg_str_init(&range);
	pg_param_range(pg_param_find(h->to->bench->params, r->param, NULL), &range);
	pg_say_as(h->world, h->prog, "%s: value %.*s is out of range; allowed: %s", name, (int)x->typed.n, x->typed.s,
		  pg_str_text(&range));
	pg_str_release(&range);
	return false;
}

static bool number(struct pg_hackbench *h, const struct spelling *r, const char *text)
{
	const struct lax x = lax_number(text);
	struct pg_err err;
	char name[32];
	int64_t v = x.v;

	snprintf(name, sizeof(name), "--%s|-%c", r->name, r->opt);
	if (x.rest && v != 0)
		pg_say_as(h->world, h->prog, "warning: %s '%s' is taken as %.*s", name, text, (int)x.typed.n,
			  x.typed.s);
	if (r->opt == 'l')
		v = loops_of(h, &x, name);
	if (v <= 0) {
		pg_say_as(h->world, h->prog, "%s requires an integer > 0", name);
		return false;
	}
	if (pg_dropin_set_u64(h->to, r->param, (uint64_t)v, name, &err) == 0)
		return true;
	if (err.code == PG_EUSAGE)
		return out_of_range(h, r, name, &x);
	pg_say_as(h->world, h->prog, "%s", err.msg);
	return false;
}

static bool flag(struct pg_hackbench *h, const struct spelling *r)
{
	struct pg_err err;
	char name[32];

	h->pipe |= r->opt == 'p';
	h->inet |= r->opt == 'i';
	h->fifo |= r->opt == 'F';
	snprintf(name, sizeof(name), "--%s|-%c", r->name, r->opt);
	if (pg_dropin_set(h->to, r->param, r->value, name, &err) == 0)
		return true;
	pg_say_as(h->world, h->prog, "%s", err.msg);
	return false;
}

/* The words that are no options, for a warning: those who write them mean something by them. */
static void warn_operands(const struct pg_hackbench *h, char **words)
{
	struct pg_str text;

	pg_str_init(&text);
	for (; *words; words++)
		pg_str_addf(&text, "%s%s", text.len ? " " : "", *words);
	if (text.len)
		pg_say_as(h->world, h->prog, "warning: '%s' is ignored; numbers go with -g, -f, -l and -s",
			  pg_str_text(&text));
	pg_str_release(&text);
}

static enum pg_hackbench_next parse_options(struct pg_hackbench *h, int argc, char **argv)
{
	struct option options[ROWS + 1];
	char letters[2 * ROWS + 1], *p = letters;
	int c;

	memset(options, 0, sizeof(options));
	for (size_t i = 0; i < ROWS; i++) {
		options[i] = (struct option){rows[i].name, rows[i].noun ? required_argument : no_argument, NULL,
					     rows[i].opt};
		*p++ = rows[i].opt;
		if (rows[i].noun)
			*p++ = ':';
	}
	*p = '\0';
	optind = 0; /* afresh */
	while ((c = getopt_long(argc, argv, letters, options, NULL)) != -1) {
		const struct spelling *r = row_of(c);

		if (!r)
			return PG_HB_WRONG;
		if (!r->param)
			return PG_HB_HELP;
		if (r->noun ? !number(h, r, optarg) : !flag(h, r))
			return PG_HB_WRONG;
	}
	if (h->pipe && h->inet) {
		pg_say_as(h->world, h->prog, "--pipe|-p and --inet|-i cannot be used together");
		return PG_HB_WRONG;
	}
	warn_operands(h, argv + optind);
	return PG_HB_RUN;
}

static bool is_mode(const char *word)
{
	return word && (strcmp(word, "process") == 0 || strcmp(word, "thread") == 0);
}

static enum pg_hackbench_next parse_positional(struct pg_hackbench *h, char **words)
{
	bool good = true;

	h->positional = true;
	if (*words && strcmp(*words, "-pipe") == 0) {
		good = flag(h, row_of('p'));
		words++;
	}
	if (good && words[0])
		good = number(h, row_of('g'), words[0]);
	if (good && words[0] && words[1]) {
		good = is_mode(words[1]);
		if (!good)
			pg_say_as(h->world, h->prog,
				  "'%s' is neither process nor thread; one of the two stands after GROUPS", words[1]);
		else
			good = flag(h, row_of(words[1][0] == 't' ? 'T' : 'P'));
		if (good && words[2])
			good = number(h, row_of('l'), words[2]);
		if (good && words[2] && words[3])
			warn_operands(h, words + 3);
	}
	return good ? PG_HB_RUN : PG_HB_WRONG;
}

enum pg_hackbench_next pg_hackbench_parse(struct pg_hackbench *h, int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "-pipe") == 0)
		return parse_positional(h, argv + 1);
	if (argc > 2 && isdigit((unsigned char)argv[1][0]) && is_mode(argv[2])) {
		bool plain = true;

		for (int i = 3; i < argc; i++)
			plain = plain && (argv[i][0] != '-' || isdigit((unsigned char)argv[i][1]));
		if (plain) {
			pg_say_as(h->world, h->prog,
				  "note: `GROUPS process|thread LOOPS` as in the hackbench of before 2010");
			return parse_positional(h, argv + 1);
		}
	}
	return parse_options(h, argc, argv);
}
