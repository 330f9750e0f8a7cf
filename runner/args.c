/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one option parser. */
#include "runner/args.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/str.h"

#define MAX_ROWS 64
#define TIME_MAX "2562047h" /* whole hours that fit 63 bits of ns */

struct parser {
	const struct pg_option *rows;
	struct pg_arena *arena;
	char *opts; /* the caller's struct, by bytes */
	int argc, at;
	char **argv;
	bool help;
	struct pg_err *err;
};

static const struct pg_option *find_long(const struct pg_option *rows, const char *name, size_t n)
{
	for (; rows->name; rows++)
		if (strlen(rows->name) == n && memcmp(rows->name, name, n) == 0)
			return rows;
	return NULL;
}

static const struct pg_option *find_short(const struct pg_option *rows, char c)
{
	for (; rows->name; rows++)
		if (rows->opt == c)
			return rows;
	return NULL;
}

static int unknown_long(struct parser *p, const char *name, size_t n)
{
	const char *names[MAX_ROWS + 1];
	size_t count = 0;
	char *text = pg_arena_strndup(p->arena, name, n);
	const char *near;

	if (!text)
		return pg_fail_nomem(p->err);
	for (const struct pg_option *r = p->rows; r->name && count < MAX_ROWS; r++)
		names[count++] = r->name;
	names[count++] = "help";
	near = pg_nearest(text, names, count);
	if (near)
		return pg_fail(p->err, PG_EUSAGE, "unknown option --%s; the nearest is --%s", text, near);
	return pg_fail(p->err, PG_EUSAGE, "unknown option --%s; --help lists what there is", text);
}

static int add_to_list(struct parser *p, struct pg_opt_list *l, const char *value)
{
	/* No more items than words on the line. */
	if (!l->v) {
		l->v = pg_arena_array(p->arena, (size_t)p->argc + 1, sizeof(*l->v));
		if (!l->v)
			return pg_fail_nomem(p->err);
	}
	l->v[l->n++] = value;
	return 0;
}

/* Which of the two would have counted is for nobody to guess; flags say the same twice. */
static int twice(struct parser *p, const struct pg_option *row)
{
	return pg_fail(p->err, PG_EUSAGE, "--%s stands here twice; give it once", row->name);
}

static int set_count(struct parser *p, const struct pg_option *row, struct pg_opt_count *to, const char *value)
{
	unsigned long long min = row->min, max = row->max > 0 ? row->max : UINT64_MAX;
	enum pg_num_error e;

	if (to->given)
		return twice(p, row);
	e = pg_parse_u64(value, strlen(value), &to->v);
	if (e != PG_NUM_OK)
		return pg_fail(p->err, PG_EUSAGE, "--%s '%s': %s; decimal digits only, from %llu to %llu", row->name,
			       value, pg_num_error_text(e), min, max);
	if (to->v < min || to->v > max)
		return pg_fail(p->err, PG_EUSAGE, "--%s %s is out of range; from %llu to %llu", row->name, value, min,
			       max);
	to->given = true;
	return 0;
}

static int set_time(struct parser *p, const struct pg_option *row, struct pg_opt_time *to, const char *value)
{
	enum pg_num_error e;
	char least[PG_NUM_BUF];

	if (to->given)
		return twice(p, row);
	e = pg_time_parse(value, strlen(value), &to->ns);
	pg_time_format(least, (int64_t)row->min);
	if (e != PG_NUM_OK || to->ns < (int64_t)row->min)
		return pg_fail(p->err, PG_EUSAGE,
			       "--%s '%s': %s; a number with one of ns us ms s min h, from %s to " TIME_MAX, row->name,
			       value, e != PG_NUM_OK ? pg_num_error_text(e) : "too short", least);
	to->given = true;
	return 0;
}

static int set_text(struct parser *p, const struct pg_option *row, const char **to, const char *value)
{
	if (*to)
		return twice(p, row);
	if (row->words) {
		struct pg_str all;
		size_t i = 0;

		while (row->words[i] && strcmp(row->words[i], value) != 0)
			i++;
		if (!row->words[i]) {
			pg_str_init(&all);
			for (i = 0; row->words[i]; i++)
				pg_str_addf(&all, "%s%s", i ? ", " : "", row->words[i]);
			pg_fail(p->err, PG_EUSAGE, "--%s '%s' is not known; one of %s", row->name, value,
				pg_str_text(&all));
			pg_str_release(&all);
			return -1;
		}
	}
	/* A variable of a script that is not set. */
	if (!*value && (strcmp(row->arg, "FILE") == 0 || strcmp(row->arg, "DIR") == 0 || strcmp(row->arg, "RUN") == 0))
		return pg_fail(p->err, PG_EUSAGE, "--%s '' names nothing; give it a %s, or leave it out", row->name,
			       row->arg);
	*to = value;
	return 0;
}

static int set_value(struct parser *p, const struct pg_option *row, const char *value)
{
	void *to = p->opts + row->offset;

	switch (row->kind) {
	case PG_OPT_FLAG:
		*(bool *)to = true;
		return 0;
	case PG_OPT_TEXT:
		return set_text(p, row, to, value);
	case PG_OPT_LIST:
		return add_to_list(p, to, value);
	case PG_OPT_COUNT:
		return set_count(p, row, to, value);
	case PG_OPT_TIME:
		return set_time(p, row, to, value);
	}
	return 0;
}

/* The argument that stands in the next word. */
static const char *next_word(struct parser *p, const struct pg_option *row)
{
	if (p->at >= p->argc) {
		pg_fail(p->err, PG_EUSAGE, "option --%s lacks its argument; --%s %s", row->name, row->name, row->arg);
		return NULL;
	}
	return p->argv[p->at++];
}

static int take_long(struct parser *p, const char *word)
{
	const char *eq = strchr(word, '=');
	size_t n = eq ? (size_t)(eq - word) : strlen(word);
	const struct pg_option *row = find_long(p->rows, word, n);
	const char *value = eq ? eq + 1 : NULL;

	if (!row)
		return unknown_long(p, word, n);
	if (row->kind == PG_OPT_FLAG && value)
		return pg_fail(p->err, PG_EUSAGE, "option --%s takes no argument; leave `=%s` out", row->name, value);
	if (row->kind != PG_OPT_FLAG && !value) {
		value = next_word(p, row);
		if (!value)
			return -1;
	}
	return set_value(p, row, value);
}

/* `-nq`, `-oDIR`, `-o DIR`. */
static int take_shorts(struct parser *p, const char *c)
{
	for (; *c; c++) {
		const struct pg_option *row = find_short(p->rows, *c);
		const char *value;

		if (*c == 'h') {
			p->help = true;
			continue;
		}
		if (!row)
			return pg_fail(p->err, PG_EUSAGE, "unknown option -%.*s; --help lists what there is",
				       (int)(pg_utf8_len(c, strlen(c)) ? pg_utf8_len(c, strlen(c)) : 1), c);
		if (row->kind == PG_OPT_FLAG) {
			if (set_value(p, row, NULL) != 0)
				return -1;
			continue;
		}
		value = c[1] ? c + 1 : next_word(p, row);
		return value ? set_value(p, row, value) : -1;
	}
	return 0;
}

/* Is help asked for? Looked at before anything is parsed, so that it works beside any mistake. */
static bool asks_help(const struct pg_option *rows, int argc, char **argv)
{
	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
		const struct pg_option *row = NULL;

		if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0)
			return true;
		if (argv[i][0] == '-' && argv[i][1] == '-')
			row = find_long(rows, argv[i] + 2, strlen(argv[i] + 2));
		else if (argv[i][0] == '-' && argv[i][1] && !argv[i][2])
			row = find_short(rows, argv[i][1]);
		if (row && row->kind != PG_OPT_FLAG)
			i++; /* its argument may be anything */
	}
	return false;
}

int pg_args_parse(const struct pg_option *rows, int argc, char **argv, struct pg_arena *a, void *opts,
		  struct pg_args *args, struct pg_err *err)
{
	struct parser p = {.rows = rows, .arena = a, .opts = opts, .argc = argc, .argv = argv, .err = err};
	bool only_operands = false;

	memset(args, 0, sizeof(*args));
	if (asks_help(rows, argc, argv)) {
		args->help = true;
		return 0;
	}
	args->operand = pg_arena_array(a, (size_t)argc + 1, sizeof(*args->operand));
	if (!args->operand)
		return pg_fail_nomem(err);
	while (p.at < argc) {
		const char *word = argv[p.at++];
		int r = 0;

		if (only_operands || word[0] != '-' || !word[1])
			args->operand[args->n++] = word;
		else if (strcmp(word, "--") == 0)
			only_operands = true;
		else if (word[1] == '-')
			r = take_long(&p, word + 2);
		else
			r = take_shorts(&p, word + 1);
		if (r != 0)
			return -1;
	}
	args->help = p.help;
	return 0;
}
