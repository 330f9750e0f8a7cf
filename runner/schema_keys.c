/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Schemas of keys, by the form that their value has. */
#include <string.h>

#include "base/str.h"
#include "model/metric.h"
#include "model/suite.h"
#include "plan/keys.h"
#include "plan/plan.h"
#include "runner/json_out.h"
#include "runner/schema_parts.h"

#define STATUS_RE "[0-9]|[1-9][0-9]|1[0-9][0-9]|2[0-4][0-9]|25[0-5]"
#define TIME_RE	  "(0|[1-9][0-9]*)(\\.[0-9]+)?(ns|us|ms|s|min|h)"

/* YAML types, each list ended by NULL. A text may look like a number or a boolean to YAML. */
static const char *const any_types[] = {"string", "number", "boolean", NULL};
static const char *const any_or_list[] = {"string", "number", "boolean", "array", NULL};

void pg_schema_scalar(struct pg_jout *j)
{
	pg_jout_texts(j, "type", any_types);
}

static void any_list(struct pg_jout *j)
{
	pg_jout_int(j, "minItems", 1);
	pg_jout_object(j, "items");
	pg_schema_scalar(j);
	pg_jout_close(j);
}

void pg_schema_any(struct pg_jout *j, const char *key, bool list)
{
	pg_jout_object(j, key);
	pg_jout_texts(j, "type", list ? any_or_list : any_types);
	if (list)
		any_list(j);
	pg_jout_close(j);
}

/* A number with words beside it, as YAML number or as text. */
static void number(struct pg_jout *j, const char *type, const char *re, const struct pg_key *row)
{
	const char *const types[] = {type, "string", NULL};
	struct pg_str pattern;

	pg_str_init(&pattern);
	pg_str_addf(&pattern, "^(%s", re);
	for (size_t i = 0; row->words && row->words[i]; i++)
		pg_str_addf(&pattern, "|%s", row->words[i]);
	pg_str_adds(&pattern, ")$");
	if (strcmp(type, "string") == 0)
		pg_jout_text(j, "type", "string");
	else
		pg_jout_texts(j, "type", types);
	pg_jout_text(j, "pattern", pg_str_text(&pattern));
	pg_str_release(&pattern);
}

static void count_limits(struct pg_jout *j, const struct pg_key *row)
{
	pg_jout_int(j, "minimum", (int64_t)row->min);
	pg_jout_int(j, "maximum", (int64_t)row->max);
}

static const char *count_re(const struct pg_key *row)
{
	return row->min > 0 ? "[1-9][0-9]*" : "0|[1-9][0-9]*";
}

/* A list of maps with the keys of `rows`. */
static void list_of(struct pg_jout *j, const struct pg_key *rows, unsigned with)
{
	pg_jout_text(j, "type", "array");
	pg_jout_int(j, "minItems", 1);
	pg_jout_object(j, "items");
	pg_schema_map(j, rows, with);
	pg_jout_close(j);
}

/* A list of maps from names to values; rows: keys that have a meaning of their own there. */
static void list_of_picks(struct pg_jout *j, const struct pg_key *rows, bool lists)
{
	pg_jout_text(j, "type", "array");
	pg_jout_int(j, "minItems", 1);
	pg_jout_object(j, "items");
	pg_jout_text(j, "type", "object");
	pg_jout_int(j, "minProperties", 1);
	if (rows) {
		pg_jout_object(j, "properties");
		pg_schema_properties(j, rows, PG_KEY_SUB, 0);
		pg_jout_close(j);
	}
	pg_schema_any(j, "additionalProperties", lists);
	pg_jout_close(j);
}

/* The bench decides what may stand in it: see the conditions of a sweep. */
static void map_of_params(struct pg_jout *j)
{
	pg_jout_text(j, "type", "object");
	pg_jout_int(j, "minProperties", 1);
}

static void repeat(struct pg_jout *j, const struct pg_key *row)
{
	static const char *const types[] = {"integer", "string", "object", NULL};

	pg_jout_texts(j, "type", types);
	pg_jout_text(j, "pattern", "^[1-9][0-9]*$");
	count_limits(j, row);
	pg_jout_int(j, "minProperties", 1);
	pg_jout_object(j, "properties");
	pg_schema_properties(j, pg_repeat_keys, PG_KEY_SUB, 0);
	pg_jout_close(j);
	pg_jout_bool(j, "additionalProperties", false);
}

static void looks(struct pg_jout *j, const struct pg_key *row)
{
	static const char *const types[] = {"string", "array", NULL};

	pg_jout_texts(j, "type", types);
	pg_jout_text(j, "pattern", "^none$");
	pg_jout_int(j, "minItems", 1);
	pg_jout_int(j, "maxItems", (int64_t)row->max);
	pg_jout_object(j, "items");
	number(j, "integer", count_re(row), &(struct pg_key){.name = ""});
	pg_jout_int(j, "minimum", (int64_t)row->min);
	pg_jout_close(j);
}

/* Of any bench: its params stand beside the keys. */
static void variants(struct pg_jout *j, const struct pg_key *row)
{
	pg_jout_text(j, "type", "array");
	pg_jout_int(j, "minItems", 2);
	pg_jout_int(j, "maxItems", (int64_t)row->max);
	pg_jout_object(j, "items");
	pg_jout_text(j, "type", "object");
	pg_jout_object(j, "properties");
	pg_schema_properties(j, pg_sweep_keys, PG_KEY_ITEM, 0);
	pg_jout_close(j);
	pg_schema_required(j, pg_sweep_keys, PG_KEY_ITEM);
	pg_schema_any(j, "additionalProperties", false);
	pg_jout_close(j);
}

static void exits(struct pg_jout *j, const struct pg_key *row)
{
	static const char *const types[] = {"integer", "string", "array", NULL};

	pg_jout_texts(j, "type", types);
	pg_jout_text(j, "pattern", "^(any|" STATUS_RE ")$");
	count_limits(j, row);
	pg_jout_int(j, "minItems", 1);
	pg_jout_object(j, "items");
	number(j, "integer", STATUS_RE, &(struct pg_key){.name = ""});
	count_limits(j, row);
	pg_jout_close(j);
}

static void environment(struct pg_jout *j)
{
	static const char *const types[] = {"string", "number", "boolean", "null", NULL};

	pg_jout_text(j, "type", "object");
	pg_jout_int(j, "minProperties", 1);
	pg_jout_object(j, "additionalProperties");
	pg_jout_texts(j, "type", types);
	pg_jout_close(j);
}

static void names(struct pg_jout *j, const struct pg_key *row)
{
	if (row->id != PG_K_STATISTIC) {
		pg_jout_texts(j, "type", any_or_list);
		any_list(j);
		return;
	}
	pg_jout_array(j, "anyOf");
	for (int list = 0; list < 2; list++) {
		pg_jout_object(j, NULL);
		if (list) {
			pg_jout_text(j, "type", "array");
			pg_jout_int(j, "minItems", 1);
			pg_jout_object(j, "items");
		}
		pg_jout_array(j, "enum");
		for (size_t i = 0; i < PG_STATISTICS; i++)
			pg_jout_text(j, NULL, pg_statistic_names[i]);
		pg_jout_close(j);
		if (list)
			pg_jout_close(j);
		pg_jout_close(j);
	}
	pg_jout_close(j);
}

static void metric_enum(struct pg_jout *j, const struct pg_metric *metrics)
{
	pg_jout_array(j, "enum");
	for (const struct pg_metric *m = metrics; m->name; m++)
		if (!(m->flags & PG_M_HIDDEN))
			pg_jout_text(j, NULL, m->name);
	for (const struct pg_metric *m = pg_engine_metrics; m->name; m++)
		pg_jout_text(j, NULL, m->name);
	pg_jout_close(j);
}

void pg_schema_metrics(struct pg_jout *j, const struct pg_key *row, const struct pg_metric *metrics)
{
	pg_jout_object(j, row->name);
	pg_jout_text(j, "description", row->doc);
	pg_jout_array(j, "anyOf");
	pg_jout_object(j, NULL);
	metric_enum(j, metrics);
	pg_jout_close(j);
	pg_jout_object(j, NULL);
	pg_jout_text(j, "type", "array");
	pg_jout_int(j, "minItems", 1);
	pg_jout_object(j, "items");
	metric_enum(j, metrics);
	pg_jout_close(j);
	pg_jout_close(j);
	pg_jout_close(j);
	pg_jout_close(j);
}

static void words(struct pg_jout *j)
{
	pg_jout_text(j, "type", "array");
	any_list(j);
}

/* Forms that are one scalar. */
static void scalar_form(struct pg_jout *j, const struct pg_key *row)
{
	/* clang-format off */
	static const struct {
		const char *type, *re;
	} rows[] = {
		[PG_FORM_NICE] = {"integer", "-?[1-9]|-?1[0-9]|-20|0"},
		[PG_FORM_TIME] = {"string", TIME_RE},
		[PG_FORM_PERCENT] = {"string", "(0|[1-9][0-9]*)(\\.[0-9]+)?%"},
		[PG_FORM_NUMBER] = {"number", "(0|[1-9][0-9]*)(\\.[0-9]+)?"},
		[PG_FORM_BOOL] = {"boolean", "true|false|yes|no|on|off"},
		[PG_FORM_POLICY] = {"string", "other|batch|idle|fifo:([1-9]|[1-8][0-9]|9[0-8])"},
		[PG_FORM_CPULIST] = {"string", "[0-9][-0-9,: ]*"},
	};
	/* clang-format on */

	number(j, rows[row->form].type, rows[row->form].re, row);
	if (row->form == PG_FORM_NICE) {
		pg_jout_int(j, "minimum", -20);
		pg_jout_int(j, "maximum", 19);
	}
}

static void version(struct pg_jout *j)
{
	pg_jout_array(j, "enum");
	pg_jout_int(j, NULL, 1);
	pg_jout_text(j, NULL, "1");
	pg_jout_close(j);
}

static void sweeps(struct pg_jout *j)
{
	pg_jout_text(j, "type", "array");
	pg_jout_int(j, "minItems", 1);
	pg_jout_object(j, "items");
	pg_jout_text(j, "$ref", "#/$defs/sweep");
	pg_jout_close(j);
}

static void pick(struct pg_jout *j)
{
	map_of_params(j);
	pg_jout_int(j, "maxProperties", 1);
	pg_schema_any(j, "additionalProperties", false);
}

/* Forms that are lists or maps. */
static void structure_form(struct pg_jout *j, const struct pg_key *row)
{
	if (row->form == PG_FORM_SKIPS)
		list_of_picks(j, pg_skip_keys, true);
	else if (row->form == PG_FORM_ADDS)
		list_of_picks(j, NULL, false);
	else if (row->form == PG_FORM_ENV)
		environment(j);
	else if (row->form == PG_FORM_COMPARE)
		pg_schema_map(j, pg_compare_keys, PG_KEY_SUB);
	else if (row->form == PG_FORM_LOOKS)
		looks(j, row);
	else if (row->form == PG_FORM_VARIANTS)
		variants(j, row);
	else if (row->form == PG_FORM_TABLES)
		list_of(j, pg_table_keys, PG_KEY_SUB);
	else if (row->form == PG_FORM_METRICS)
		list_of(j, pg_metric_keys, PG_KEY_SUB);
	else if (row->form == PG_FORM_QUICK)
		pg_schema_map(j, pg_sweep_keys, PG_KEY_QUICK);
	else if (row->form == PG_FORM_DEFAULTS)
		pg_schema_map(j, pg_sweep_keys, PG_KEY_DEFAULTS);
	else if (row->form == PG_FORM_SWEEPS)
		sweeps(j);
	else
		pick(j);
}

/* Forms of one value that have no pattern of their own. */
static void plain_form(struct pg_jout *j, const struct pg_key *row)
{
	if (row->form == PG_FORM_VERSION) {
		version(j);
	} else if (row->form == PG_FORM_COUNT) {
		number(j, "integer", count_re(row), row);
		count_limits(j, row);
	} else if (row->form == PG_FORM_CHOICE) {
		pg_jout_texts(j, "enum", row->words);
	} else {
		pg_schema_scalar(j);
		if (row->form == PG_FORM_NAME)
			pg_jout_text(j, "pattern", "^[A-Za-z0-9_][-A-Za-z0-9_]{0,63}$");
	}
}

static void form(struct pg_jout *j, const struct pg_key *row)
{
	switch (row->form) {
	case PG_FORM_VERSION:
	case PG_FORM_NAME:
	case PG_FORM_TEXT:
	case PG_FORM_EXPR:
	case PG_FORM_SUITE: /* its names are added by the sweep */
	case PG_FORM_COUNT:
	case PG_FORM_CHOICE:
		plain_form(j, row);
		break;
	case PG_FORM_NICE:
	case PG_FORM_TIME:
	case PG_FORM_PERCENT:
	case PG_FORM_NUMBER:
	case PG_FORM_BOOL:
	case PG_FORM_POLICY:
	case PG_FORM_CPULIST:
		scalar_form(j, row);
		break;
	case PG_FORM_WORDS:
	case PG_FORM_FILES:
		words(j);
		break;
	case PG_FORM_COMMAND:
		pg_jout_texts(j, "type", any_or_list);
		any_list(j);
		break;
	case PG_FORM_EXITS:
		exits(j, row);
		break;
	case PG_FORM_NAMES:
		names(j, row);
		break;
	case PG_FORM_REPEAT:
		repeat(j, row);
		break;
	case PG_FORM_VALUES:
	case PG_FORM_AXES:
	case PG_FORM_EXPRS:
		map_of_params(j);
		break;
	case PG_FORM_ENV:
	case PG_FORM_SKIPS:
	case PG_FORM_ADDS:
	case PG_FORM_COMPARE:
	case PG_FORM_LOOKS:
	case PG_FORM_VARIANTS:
	case PG_FORM_TABLES:
	case PG_FORM_METRICS:
	case PG_FORM_QUICK:
	case PG_FORM_DEFAULTS:
	case PG_FORM_SWEEPS:
	case PG_FORM_PICK:
		structure_form(j, row);
		break;
	}
}

static void key_object(struct pg_jout *j, const struct pg_key *row, const char *name)
{
	struct pg_str doc;

	pg_str_init(&doc);
	pg_str_adds(&doc, row->doc);
	if (row->def)
		pg_str_addf(&doc, "; default %s", row->def);
	pg_jout_object(j, name);
	pg_jout_text(j, "description", pg_str_text(&doc));
	form(j, row);
	pg_jout_close(j);
	pg_str_release(&doc);
}

void pg_schema_key(struct pg_jout *j, const struct pg_key *row)
{
	key_object(j, row, row->name);
}

/* Sweep keys stand in many maps: each is a definition once. */
static void member(struct pg_jout *j, const struct pg_key *row)
{
	struct pg_str ref;

	if (pg_key_find(pg_sweep_keys, row->name) != row) {
		pg_schema_key(j, row);
		return;
	}
	pg_str_init(&ref);
	pg_str_adds(&ref, "#/$defs/");
	pg_str_addf(&ref, "key.%s", row->name);
	pg_jout_object(j, row->name);
	pg_jout_text(j, "$ref", pg_str_text(&ref));
	pg_jout_close(j);
	pg_str_release(&ref);
}

void pg_schema_definitions(struct pg_jout *j)
{
	struct pg_str name;

	pg_str_init(&name);
	for (const struct pg_key *k = pg_sweep_keys; k->name; k++) {
		if (k->form == PG_FORM_SUITE)
			continue; /* its names are the registry's */
		pg_str_reset(&name);
		pg_str_addf(&name, "key.%s", k->name);
		key_object(j, k, pg_str_text(&name));
	}
	pg_str_release(&name);
}

void pg_schema_properties(struct pg_jout *j, const struct pg_key *rows, unsigned with, unsigned without)
{
	for (; rows->name; rows++)
		if ((rows->flags & with) && !(rows->flags & without) && rows->form != PG_FORM_SUITE)
			member(j, rows);
}

void pg_schema_required(struct pg_jout *j, const struct pg_key *rows, unsigned with)
{
	bool any = false;

	for (const struct pg_key *k = rows; k->name; k++)
		any = any || ((k->flags & with) && (k->flags & PG_KEY_REQUIRED));
	if (!any)
		return;
	pg_jout_array(j, "required");
	for (; rows->name; rows++)
		if ((rows->flags & with) && (rows->flags & PG_KEY_REQUIRED))
			pg_jout_text(j, NULL, rows->name);
	pg_jout_close(j);
}

void pg_schema_map(struct pg_jout *j, const struct pg_key *rows, unsigned with)
{
	pg_jout_text(j, "type", "object");
	pg_jout_int(j, "minProperties", 1);
	pg_jout_object(j, "properties");
	pg_schema_properties(j, rows, with, 0);
	pg_jout_close(j);
	pg_schema_required(j, rows, with);
	pg_jout_bool(j, "additionalProperties", false);
}
