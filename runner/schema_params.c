/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Schemas of params: one value, or the values of an axis. */
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "model/param.h"
#include "runner/json_out.h"
#include "runner/schema_parts.h"

/* An expression that names a machine word stands wherever a number does. */
#define WORD_EXPR ".*\\b(cpus|cores|llcs|sockets|nodes)\\b.*"
#define RANGE	  ".+\\.\\..+"

static bool is_numeric(enum pg_type t)
{
	return t == PG_COUNT || t == PG_SIZE || t == PG_TIME || t == PG_REAL;
}

/* Text that a scalar of the type has, without its words. */
static const char *type_pattern(const struct pg_param *row)
{
	switch (row->type) {
	case PG_BOOL:
		return "true|True|TRUE|false|False|FALSE|yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF";
	case PG_COUNT:
		return row->min && strcmp(row->min, "0") != 0 ? "[1-9][0-9]*" : "0|[1-9][0-9]*";
	case PG_SIZE:
		return "(0|[1-9][0-9]*)(\\.[0-9]+)?([kKmMgGtT]([iI]?[bB])?|[bB])?";
	case PG_TIME:
		return "(0|[1-9][0-9]*)(\\.[0-9]+)?(ns|us|ms|s|min|h)";
	case PG_REAL:
		return "-?(0|[1-9][0-9]*)(\\.[0-9]+)?";
	case PG_CPULIST:
	case PG_NODELIST:
		return "[0-9][-0-9,: ]*";
	case PG_ENUM:
	case PG_TEXT:
		break;
	}
	return NULL;
}

/* YAML types of a scalar; ended by NULL. */
static const char *const *yaml_types(enum pg_type t, bool list)
{
	static const char *const boolean[] = {"boolean", "string", "array", NULL};
	static const char *const whole[] = {"integer", "string", "array", NULL};
	static const char *const real[] = {"number", "string", "array", NULL};
	static const char *const text[] = {"string", "array", NULL};
	static const char *const any[] = {"string", "number", "boolean", "array", NULL};
	static const char *const one_boolean[] = {"boolean", "string", NULL}, *const one_whole[] = {"integer", "string",
												    NULL};
	static const char *const one_real[] = {"number", "string", NULL}, *const one_text[] = {"string", NULL};
	static const char *const one_any[] = {"string", "number", "boolean", NULL};

	switch (t) {
	case PG_BOOL:
		return list ? boolean : one_boolean;
	case PG_COUNT:
	case PG_SIZE:
		return list ? whole : one_whole;
	case PG_REAL:
		return list ? real : one_real;
	case PG_TIME:
	case PG_ENUM:
	case PG_CPULIST:
	case PG_NODELIST:
		return list ? text : one_text;
	case PG_TEXT:
		return list ? any : one_any;
	}
	return one_any;
}

/* A word as a regular expression: names hold no character that means something there but `.`, `+` and `*`. */
static void add_literal(struct pg_str *out, const char *word)
{
	for (; *word; word++) {
		if (strchr(".+*?()[]{}|^$\\", *word))
			pg_str_addc(out, '\\');
		pg_str_addc(out, *word);
	}
}

static void pattern(struct pg_jout *j, const struct pg_param *row, bool axis)
{
	const char *base = type_pattern(row);
	struct pg_str re;

	if (!base && row->type != PG_ENUM)
		return;
	pg_str_init(&re);
	pg_str_adds(&re, "^(");
	pg_str_adds(&re, base ? base : "");
	for (const struct pg_choice *c = row->choices; c && c->name; c++) {
		if (re.len > 2)
			pg_str_addc(&re, '|');
		add_literal(&re, c->name);
	}
	if (is_numeric(row->type))
		pg_str_adds(&re, "|" WORD_EXPR);
	if (is_numeric(row->type) && axis)
		pg_str_adds(&re, "|" RANGE);
	if ((row->role & PG_ALL) && axis)
		pg_str_adds(&re, "|all");
	pg_str_adds(&re, ")$");
	pg_jout_text(j, "pattern", pg_str_text(&re));
	pg_str_release(&re);
}

static void limit(struct pg_jout *j, const char *key, enum pg_type type, const char *text)
{
	uint64_t v;

	if (!text || (type != PG_COUNT && type != PG_SIZE))
		return;
	if (type == PG_COUNT ? pg_parse_u64(text, strlen(text), &v) != PG_NUM_OK
			     : pg_size_parse(text, strlen(text), true, &v) != PG_NUM_OK)
		return; /* the name of another row */
	if (v <= INT64_MAX)
		pg_jout_int(j, key, (int64_t)v);
}

static void choices(struct pg_jout *j, const struct pg_param *row, bool axis)
{
	pg_jout_array(j, "enum");
	for (const struct pg_choice *c = row->choices; c && c->name; c++)
		pg_jout_text(j, NULL, c->name);
	if (axis && (row->role & PG_ALL))
		pg_jout_text(j, NULL, "all");
	pg_jout_close(j);
}

/* Members of the schema of one scalar. */
static void scalar(struct pg_jout *j, const struct pg_param *row, bool axis)
{
	if (row->type == PG_ENUM) {
		choices(j, row, axis);
		return;
	}
	pg_jout_texts(j, "type", yaml_types(row->type, false));
	pattern(j, row, axis);
	limit(j, "minimum", row->type, row->min);
	limit(j, "maximum", row->type, row->max);
}

static void describe(struct pg_jout *j, const struct pg_param *row)
{
	const char *def = pg_param_default(row);
	struct pg_str text, range;

	pg_str_init(&text);
	pg_str_init(&range);
	if (row->type != PG_ENUM)
		pg_param_range(row, &range);
	pg_str_adds(&text, row->doc);
	if (range.len > 0)
		pg_str_addf(&text, "; %s", range.s);
	if (def)
		pg_str_addf(&text, "; default %s", def);
	for (const struct pg_choice *c = row->choices; c && c->name; c++)
		if (c->doc)
			pg_str_addf(&text, "\n%s: %s", c->name, c->doc);
	pg_jout_text(j, "description", pg_str_text(&text));
	pg_str_release(&text);
	pg_str_release(&range);
}

void pg_schema_value(struct pg_jout *j, const struct pg_param *row)
{
	pg_jout_object(j, row->name);
	describe(j, row);
	scalar(j, row, false);
	pg_jout_close(j);
}

void pg_schema_axis(struct pg_jout *j, const struct pg_param *row)
{
	pg_jout_object(j, row->name);
	describe(j, row);
	if (row->type == PG_ENUM) {
		pg_jout_array(j, "anyOf");
		pg_jout_object(j, NULL);
		choices(j, row, true);
		pg_jout_close(j);
		pg_jout_object(j, NULL);
		pg_jout_text(j, "type", "array");
	} else {
		pg_jout_texts(j, "type", yaml_types(row->type, true));
		pattern(j, row, true);
		limit(j, "minimum", row->type, row->min);
		limit(j, "maximum", row->type, row->max);
	}
	pg_jout_int(j, "minItems", 1);
	pg_jout_object(j, "items");
	scalar(j, row, true);
	pg_jout_close(j);
	if (row->type == PG_ENUM) {
		pg_jout_close(j);
		pg_jout_close(j);
	}
	pg_jout_close(j);
}
