/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Definitions of one bench: what its params and metrics make of set, vary, derive, skip, tables and quick. */
#include "base/str.h"
#include "model/metric.h"
#include "model/param.h"
#include "model/suite.h"
#include "plan/keys.h"
#include "runner/json_out.h"
#include "runner/schema_parts.h"

/* exec has no rows: its params are what a scenario names. */
static bool own_params(const struct pg_bench *b)
{
	return b->params[0].name == NULL;
}

static void definition(struct pg_jout *j, const struct pg_bench *b, const char *what)
{
	struct pg_str name;

	pg_str_init(&name);
	pg_schema_bench_name(b, what, &name);
	pg_jout_object(j, pg_str_text(&name));
	pg_jout_text(j, "type", "object");
	pg_str_release(&name);
}

static void param_names(struct pg_jout *j)
{
	pg_jout_object(j, "propertyNames");
	pg_jout_text(j, "pattern", "^[a-z][a-z0-9_]*$");
	pg_jout_close(j);
}

/* What else may stand beside the rows. */
static void others(struct pg_jout *j, const struct pg_bench *b)
{
	if (own_params(b))
		pg_schema_any(j, "additionalProperties", false);
	else
		pg_jout_bool(j, "additionalProperties", false);
}

static void set_definition(struct pg_jout *j, const struct pg_bench *b)
{
	definition(j, b, "set");
	pg_jout_int(j, "minProperties", 1);
	param_names(j);
	pg_jout_object(j, "properties");
	for (const struct pg_param *p = b->params; p->name; p++)
		pg_schema_value(j, p);
	pg_jout_close(j);
	others(j, b);
	pg_jout_close(j);
}

/* A param has the same values in an item of a bundle, the same axis in a quick form. */
static void same_as(struct pg_jout *j, const struct pg_bench *b, const struct pg_param *p, const char *in)
{
	struct pg_str what;

	pg_str_init(&what);
	pg_str_addf(&what, "%s/properties/%s", in, p->name);
	pg_schema_bench_ref(j, p->name, b, pg_str_text(&what));
	pg_str_release(&what);
}

static void item_definition(struct pg_jout *j, const struct pg_bench *b)
{
	definition(j, b, "item");
	pg_jout_object(j, "properties");
	pg_schema_properties(j, pg_sweep_keys, PG_KEY_ITEM, 0);
	for (const struct pg_param *p = b->params; p->name; p++)
		same_as(j, b, p, "set");
	pg_jout_close(j);
	pg_schema_required(j, pg_sweep_keys, PG_KEY_ITEM);
	others(j, b);
	pg_jout_close(j);
}

/* An axis that is no row is a bundle; for exec it may be a param of the scenario's own. */
static void other_axis(struct pg_jout *j, const struct pg_bench *b)
{
	static const char *const any[] = {"string", "number", "boolean", "array", NULL};

	pg_jout_object(j, "additionalProperties");
	if (own_params(b))
		pg_jout_texts(j, "type", any);
	else
		pg_jout_text(j, "type", "array");
	pg_jout_int(j, "minItems", 1);
	pg_jout_object(j, "items");
	if (own_params(b)) {
		pg_jout_array(j, "anyOf");
		pg_schema_any(j, NULL, false);
		pg_schema_bench_ref(j, NULL, b, "item");
		pg_jout_close(j);
	} else {
		pg_schema_bench_members(j, b, "item");
	}
	pg_jout_close(j);
	pg_jout_close(j);
}

static void vary_definition(struct pg_jout *j, const struct pg_bench *b)
{
	definition(j, b, "vary");
	pg_jout_int(j, "minProperties", 1);
	param_names(j);
	pg_jout_object(j, "properties");
	for (const struct pg_param *p = b->params; p->name; p++)
		pg_schema_axis(j, p);
	pg_jout_close(j);
	other_axis(j, b);
	pg_jout_close(j);
}

static void derive_definition(struct pg_jout *j, const struct pg_bench *b)
{
	definition(j, b, "derive");
	pg_jout_int(j, "minProperties", 1);
	param_names(j);
	pg_jout_object(j, "properties");
	for (const struct pg_param *p = b->params; p->name; p++) {
		pg_jout_object(j, p->name);
		pg_jout_text(j, "description", "an expression over other params");
		pg_schema_scalar(j);
		pg_jout_close(j);
	}
	pg_jout_close(j);
	others(j, b);
	pg_jout_close(j);
}

/* Every key of a table, with the metrics of the bench as values. */
static void table_definition(struct pg_jout *j, const struct pg_bench *b)
{
	definition(j, b, "table");
	pg_jout_object(j, "properties");
	for (const struct pg_key *k = pg_table_keys; k->name; k++) {
		if (k->id == PG_K_VALUE && !own_params(b))
			pg_schema_metrics(j, k, b->metrics);
		else
			pg_schema_key(j, k);
	}
	pg_jout_close(j);
	pg_schema_required(j, pg_table_keys, PG_KEY_SUB);
	pg_jout_bool(j, "additionalProperties", false);
	pg_jout_close(j);
}

/* A bundle by new items or by the labels of those it has; `variant` by its labels. */
static void quick_vary(struct pg_jout *j, const struct pg_bench *b)
{
	pg_jout_object(j, "vary");
	pg_jout_text(j, "type", "object");
	pg_jout_int(j, "minProperties", 1);
	param_names(j);
	pg_jout_object(j, "properties");
	for (const struct pg_param *p = b->params; p->name; p++)
		same_as(j, b, p, "vary");
	pg_jout_close(j);
	pg_jout_object(j, "additionalProperties");
	pg_jout_array(j, "anyOf");
	pg_schema_any(j, NULL, true);
	pg_schema_bench_ref(j, NULL, b, "vary/additionalProperties");
	pg_jout_close(j);
	pg_jout_close(j);
	pg_jout_close(j);
}

static void quick_definition(struct pg_jout *j, const struct pg_bench *b)
{
	definition(j, b, "quick");
	pg_jout_int(j, "minProperties", 1);
	pg_jout_object(j, "properties");
	pg_schema_bench_ref(j, "set", b, "set");
	quick_vary(j, b);
	pg_schema_bench_ref(j, "derive", b, "derive");
	pg_schema_properties(j, pg_sweep_keys, PG_KEY_QUICK, PG_KEY_GRID);
	pg_jout_close(j);
	pg_jout_bool(j, "additionalProperties", false);
	pg_jout_close(j);
}

void pg_schema_bench(struct pg_jout *j, const struct pg_bench *b)
{
	set_definition(j, b);
	item_definition(j, b);
	vary_definition(j, b);
	derive_definition(j, b);
	table_definition(j, b);
	quick_definition(j, b);
}
