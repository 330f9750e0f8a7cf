/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Param rows: finding them, and saying in words what they take.
 */
#include "model/param.h"

#include <string.h>

#include "base/str.h"

size_t pg_param_count(const struct pg_param *rows)
{
	size_t n = 0;

	while (rows[n].name)
		n++;
	return n;
}

const struct pg_param *pg_param_find(const struct pg_param *rows, const char *name, size_t *index)
{
	for (size_t i = 0; rows[i].name; i++) {
		if (!pg_streq(rows[i].name, name))
			continue;
		if (index)
			*index = i;
		return &rows[i];
	}
	return NULL;
}

size_t pg_choice_count(const struct pg_choice *choices)
{
	size_t n = 0;

	while (choices && choices[n].name)
		n++;
	return n;
}

int pg_choice_find(const struct pg_choice *choices, const char *name, size_t n)
{
	for (int i = 0; choices && choices[i].name; i++) {
		if (strlen(choices[i].name) == n && !memcmp(choices[i].name, name, n))
			return i;
	}
	return -1;
}

const char *pg_param_default(const struct pg_param *row)
{
	return row->sdef ? row->sdef : row->def;
}

static void add_limits(const struct pg_param *row, const char *from, struct pg_str *out)
{
	if (row->min && row->max)
		pg_str_addf(out, "%s%s to %s", from, row->min, row->max);
	else if (row->min)
		pg_str_addf(out, "at least %s", row->min);
	else if (row->max)
		pg_str_addf(out, "at most %s", row->max);
}

static void add_words(const struct pg_param *row, struct pg_str *out)
{
	for (const struct pg_choice *c = row->choices; c && c->name; c++)
		pg_str_addf(out, " or `%s`", c->name);
}

void pg_param_range(const struct pg_param *row, struct pg_str *out)
{
	add_limits(row, "", out);
	add_words(row, out);
}

static void add_number(const struct pg_param *row, const char *noun, struct pg_str *out)
{
	pg_str_adds(out, noun);
	if (row->min || row->max)
		pg_str_addc(out, ' ');
	add_limits(row, "from ", out);
	add_words(row, out);
}

void pg_param_allowed(const struct pg_param *row, struct pg_str *out)
{
	switch (row->type) {
	case PG_BOOL:
		pg_str_adds(out, "one of true, false, yes, no, on, off");
		break;
	case PG_COUNT:
		add_number(row, "a number", out);
		break;
	case PG_SIZE:
		add_number(row, "a size (100B, 4KB, 1.5MB)", out);
		break;
	case PG_TIME:
		add_number(row, "a time with unit (ns, us, ms, s, min, h)", out);
		break;
	case PG_REAL:
		add_number(row, "a decimal number", out);
		break;
	case PG_ENUM:
		pg_str_adds(out, "one of ");
		for (const struct pg_choice *c = row->choices; c && c->name; c++)
			pg_str_addf(out, "%s%s", c == row->choices ? "" : ", ", c->name);
		break;
	case PG_CPULIST:
		pg_str_adds(out, "a CPU list like \"0-3,8\"");
		add_words(row, out);
		break;
	case PG_NODELIST:
		pg_str_adds(out, "a node list like \"0-1\"");
		add_words(row, out);
		break;
	case PG_TEXT:
		pg_str_adds(out, "text without control characters");
		break;
	}
}
