/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of a command line in the grammar of `perf bench`, and its usage texts. */
#include "runner/compat_options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"

#define HELP_COLUMN 26

struct parse {
	const struct pg_fopts *set;
	struct pg_fopt_state *states;
	struct pg_str *text;
	char **argv;
	int argc, at; /* next word */
};

/* A row and how it was spelled. */
struct found {
	size_t row;
	bool no;
};

size_t pg_fopts_count(const struct pg_fopt *rows)
{
	size_t n = 0;

	while (rows[n].name)
		n++;
	return n;
}

int pg_fopt_find(const struct pg_fopt *rows, const char *name)
{
	for (int i = 0; rows[i].name; i++)
		if (strcmp(rows[i].name, name) == 0)
			return i;
	return -1;
}

static int find_letter(const struct pg_fopt *rows, char letter)
{
	for (int i = 0; rows[i].name; i++)
		if (rows[i].letter == letter)
			return i;
	return -1;
}

static char folded(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The usage has options by letter without regard to case, of one letter by name, long-only ones last. */
static bool before(const struct pg_fopt *a, const struct pg_fopt *b)
{
	const char x = folded(a->letter), y = folded(b->letter);

	if ((x == 0) != (y == 0))
		return y == 0;
	if (x != y)
		return x < y;
	return strcmp(a->name, b->name) < 0;
}

static void option_help(const struct pg_fopt *o, struct pg_str *text)
{
	const size_t from = text->len;
	size_t width;

	if (o->letter)
		pg_str_addf(text, "    -%c, --%s", o->letter, o->name);
	else
		pg_str_addf(text, "        --%s", o->name);
	if (o->kind == PG_FOPT_TEXT)
		pg_str_addf(text, " <%s>", o->arg);
	else if (o->kind == PG_FOPT_UINT || o->kind == PG_FOPT_INT)
		pg_str_adds(text, " <n>");
	width = text->len - from;
	if (width + 2 > HELP_COLUMN) {
		pg_str_addc(text, '\n');
		width = 0;
	}
	pg_str_addf(text, "%*s%s\n", (int)(HELP_COLUMN - width), "", o->help);
}

void pg_fopts_usage(const struct pg_fopts *set, struct pg_str *text)
{
	const struct pg_fopt *sorted[PG_FOPTS_MOST];
	size_t n = 0;

	for (const struct pg_fopt *o = set->rows; o->name; o++) {
		size_t i = n;

		assert(n < PG_FOPTS_MOST);
		if (!o->help)
			continue;
		for (; i > 0 && before(o, sorted[i - 1]); i--)
			sorted[i] = sorted[i - 1];
		sorted[i] = o;
		n++;
	}
	pg_str_addf(text, "\n Usage: %s\n\n", set->synopsis);
	for (size_t i = 0; i < n; i++)
		option_help(sorted[i], text);
	pg_str_addc(text, '\n');
}

void pg_fopts_message(const struct pg_fopts *set, size_t row, const char *message, struct pg_str *text)
{
	pg_str_addf(text, " Error: %s\n Usage: %s\n\n", message, set->synopsis);
	option_help(&set->rows[row], text);
}

static enum pg_fopt_outcome value_error(struct parse *p, struct found f, bool by_name, const char *why)
{
	const struct pg_fopt *o = &p->set->rows[f.row];
	char message[160];

	if (by_name || !o->letter)
		snprintf(message, sizeof(message), "option `%s%s' %s", f.no ? "no-" : "", o->name, why);
	else
		snprintf(message, sizeof(message), "switch `%c' %s", o->letter, why);
	pg_fopts_message(p->set, f.row, message, p->text);
	return PG_FOPT_USAGE;
}

static enum pg_fopt_outcome usage(struct parse *p)
{
	pg_fopts_usage(p->set, p->text);
	return PG_FOPT_USAGE;
}

/* A row without help is another spelling: what it names is the row that counts. */
static size_t resolve(const struct pg_fopts *set, size_t row)
{
	int target;

	if (set->rows[row].help)
		return row;
	target = pg_fopt_find(set->rows, set->rows[row].param);
	assert(target >= 0);
	return (size_t)target;
}

/* Decimal digits, blanks and a sign before them; nothing is 0. NULL, or what is wrong. */
static const char *number(const char *s, bool signed_ok, struct pg_fopt_state *st)
{
	uint64_t n = 0;
	bool negative;

	while (*s == ' ' || (*s >= '\t' && *s <= '\r'))
		s++;
	negative = *s == '-';
	if (negative && !signed_ok)
		return "expects an unsigned numerical value";
	if (*s == '-' || *s == '+') {
		s++;
		if (!*s)
			return "expects a numerical value";
	}
	for (; *s; s++) {
		if (*s < '0' || *s > '9')
			return "expects a numerical value";
		if (__builtin_mul_overflow(n, (uint64_t)10, &n) ||
		    __builtin_add_overflow(n, (uint64_t)(*s - '0'), &n) || n > INT64_MAX)
			return "expects a number of at most 9223372036854775807";
	}
	st->n = n;
	st->negative = negative && n > 0;
	return NULL;
}

static bool takes_value(const struct pg_fopt *o)
{
	return o->kind == PG_FOPT_UINT || o->kind == PG_FOPT_INT || o->kind == PG_FOPT_TEXT;
}

/* value NULL: none was attached. */
static enum pg_fopt_outcome take(struct parse *p, struct found f, bool by_name, const char *value)
{
	const struct pg_fopt *o = &p->set->rows[f.row];
	struct pg_fopt_state *st = &p->states[f.row];
	const char *why = NULL;
	uint64_t before_n = st->n;

	if (value && (f.no || !takes_value(o)))
		return value_error(p, f, by_name, "takes no value");
	if (!f.no && takes_value(o) && !value) {
		if (p->at >= p->argc)
			return value_error(p, f, by_name, "requires a value");
		value = p->argv[p->at++];
	}
	memset(st, 0, sizeof(*st));
	st->given = true;
	st->no = f.no;
	st->by_name = by_name;
	if (f.no)
		return PG_FOPT_OK;
	if (o->kind == PG_FOPT_TEXT)
		st->text = value;
	else if (takes_value(o))
		why = number(value, o->kind == PG_FOPT_INT, st);
	else
		st->n = o->kind == PG_FOPT_COUNTER ? before_n + 1 : 1;
	return why ? value_error(p, f, by_name, why) : PG_FOPT_OK;
}

static enum pg_fopt_outcome short_options(struct parse *p, const char *s)
{
	while (*s) {
		const int row = find_letter(p->set->rows, *s);
		enum pg_fopt_outcome r;
		struct found f = {.no = false};
		const char *value = NULL;

		if (row < 0 && *s == 'h')
			return usage(p);
		if (row < 0) {
			pg_str_addf(p->text, "  Error: unknown switch `%c'\n", *s);
			return usage(p);
		}
		f.row = resolve(p->set, (size_t)row);
		s++;
		if (takes_value(&p->set->rows[f.row]) && *s) {
			value = s;
			s += strlen(s);
		}
		r = take(p, f, false, value);
		if (r != PG_FOPT_OK)
			return r;
	}
	return PG_FOPT_OK;
}

/* Does the n-byte word mean this row: in full, or (`whole` false) as the beginning of its name? */
static bool names(const char *word, size_t n, const char *name, bool whole)
{
	return strncmp(word, name, n) == 0 && (!whole || name[n] == '\0');
}

/*
 * Rows whose name, `no-` in front where `no` is set, the n-byte word begins (or is): how many, and the last two of
 * them. shown: only rows of the usage, or only the further spellings.
 */
static size_t matches(const struct pg_fopts *set, const char *word, size_t n, bool no, bool whole, bool shown,
		      size_t last[2])
{
	size_t found = 0;

	if (no && (n < 3 || strncmp(word, "no-", 3) != 0))
		return 0;
	for (size_t i = 0; set->rows[i].name; i++) {
		const char *w = no ? word + 3 : word;

		if (!set->rows[i].help == shown || !names(w, no ? n - 3 : n, set->rows[i].name, whole))
			continue;
		last[0] = last[1];
		last[1] = i;
		found++;
	}
	return found;
}

static enum pg_fopt_outcome ambiguous(struct parse *p, const char *word, size_t n, bool no, const size_t last[2])
{
	const char *pre = no ? "no-" : "";
	const struct pg_fopt *rows = p->set->rows;

	pg_str_addf(p->text, " Error: Ambiguous option: %.*s (could be --%s%s or --%s%s)\n\n Usage: %s\n\n", (int)n,
		    word, pre, rows[last[0]].name, pre, rows[last[1]].name, p->set->synopsis);
	for (size_t i = 0; rows[i].name; i++)
		if (rows[i].help && names(no ? word + 3 : word, no ? n - 3 : n, rows[i].name, false))
			option_help(&rows[i], p->text);
	return PG_FOPT_USAGE;
}

/* In the order in which a meaning is looked for: the full name before an abbreviation, usual spellings before others.
 */
static const struct {
	bool no, whole, shown;
} meanings[] = {
	{false, true, true},  {false, true, false},  {true, true, true},  {true, true, false},
	{false, false, true}, {false, false, false}, {true, false, true}, {true, false, false},
};

static enum pg_fopt_outcome long_option(struct parse *p, const char *word)
{
	const char *eq = strchr(word, '=');
	const size_t n = eq ? (size_t)(eq - word) : strlen(word);

	for (size_t k = 0; k < sizeof(meanings) / sizeof(meanings[0]); k++) {
		size_t last[2] = {0, 0};
		const bool no = meanings[k].no;
		const size_t many = matches(p->set, word, n, no, meanings[k].whole, meanings[k].shown, last);

		if (many > 1)
			return ambiguous(p, word, n, no, last);
		if (many == 1)
			return take(p, (struct found){.row = resolve(p->set, last[1]), .no = no}, true,
				    eq ? eq + 1 : NULL);
	}
	pg_str_addf(p->text, "  Error: unknown option `%s'\n", word);
	return usage(p);
}

static enum pg_fopt_outcome list(struct parse *p)
{
	for (const struct pg_fopt *o = p->set->rows; o->name; o++)
		if (o->help)
			pg_str_addf(p->text, "--%s ", o->name);
	pg_str_addc(p->text, '\n');
	return PG_FOPT_LIST;
}

static enum pg_fopt_outcome one_word(struct parse *p, const char *word)
{
	if (word[1] != '-')
		return short_options(p, word + 1);
	if (strcmp(word, "--help") == 0 || strcmp(word, "--help-all") == 0)
		return usage(p);
	if (strcmp(word, "--list-opts") == 0)
		return list(p);
	return long_option(p, word + 2);
}

enum pg_fopt_outcome pg_fopts_parse(const struct pg_fopts *set, int argc, char **argv, struct pg_fopt_state *states,
				    struct pg_fopt_rest *rest, struct pg_str *text)
{
	struct parse p = {.set = set, .states = states, .text = text, .argv = argv, .argc = argc};
	int left = 0, first = argc;

	memset(states, 0, pg_fopts_count(set->rows) * sizeof(*states));
	while (p.at < argc) {
		const char *word = argv[p.at];
		enum pg_fopt_outcome r;

		if (word[0] != '-' || word[1] == '\0') {
			if (set->stop)
				break;
			if (left++ == 0)
				first = p.at;
			p.at++;
			continue;
		}
		p.at++;
		if (strcmp(word, "--") == 0)
			break;
		r = one_word(&p, word);
		if (r != PG_FOPT_OK)
			return r;
	}
	if (left == 0)
		first = p.at;
	rest->words = argv + first;
	rest->n = left + argc - p.at;
	return PG_FOPT_OK;
}

bool pg_fopt_value(const struct pg_fopt *row, const struct pg_fopt_state *state, struct pg_str *out)
{
	switch (row->kind) {
	case PG_FOPT_FLAG:
	case PG_FOPT_COUNTER:
		if (state->no)
			return false;
		pg_str_adds(out, row->value);
		return true;
	case PG_FOPT_TEXT:
		if (state->no)
			return false;
		pg_str_adds(out, state->text);
		pg_str_adds(out, row->value ? row->value : "");
		return true;
	case PG_FOPT_UINT:
	case PG_FOPT_INT:
		break;
	}
	if (row->minus_one && (state->no || (state->negative && state->n == 1)))
		return false;
	if (state->n == 0 && row->zero) {
		pg_str_adds(out, row->zero);
		return *row->zero != '\0';
	}
	if (state->negative)
		pg_str_addc(out, '-');
	pg_str_addu(out, state->n);
	pg_str_adds(out, row->value ? row->value : "");
	return true;
}
