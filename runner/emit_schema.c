/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The schema of a scenario file: the file itself, an included file, a sweep with its conditions by suite. */
#include "runner/emit_schema.h"

#include "base/str.h"
#include "model/suite.h"
#include "plan/keys.h"
#include "runner/json_out.h"
#include "runner/schema_parts.h"

#define EXEC "exec" /* the bench that has keys of its own beside `suite` */

void pg_schema_bench_name(const struct pg_bench *b, const char *what, struct pg_str *out)
{
	for (const char *c = b->name; *c; c++)
		pg_str_addc(out, *c == '/' ? '.' : *c);
	pg_str_addf(out, ".%s", what);
}

void pg_schema_bench_members(struct pg_jout *j, const struct pg_bench *b, const char *what)
{
	struct pg_str ref;

	pg_str_init(&ref);
	pg_str_adds(&ref, "#/$defs/");
	pg_schema_bench_name(b, what, &ref);
	pg_jout_text(j, "$ref", pg_str_text(&ref));
	pg_str_release(&ref);
}

void pg_schema_bench_ref(struct pg_jout *j, const char *key, const struct pg_bench *b, const char *what)
{
	pg_jout_object(j, key);
	pg_schema_bench_members(j, b, what);
	pg_jout_close(j);
}

/* Calls for each bench, in the order of the registry. */
static void each_bench(struct pg_jout *j, const struct pg_suite *const *suites,
		       void (*one)(struct pg_jout *j, const struct pg_bench *b))
{
	for (; *suites; suites++)
		for (const struct pg_bench *const *b = (*suites)->benches; *b; b++)
			one(j, *b);
}

static void bench_item(struct pg_jout *j, const struct pg_bench *b)
{
	pg_jout_text(j, NULL, b->name);
}

/* Benches and what stands for several of them. */
static void suite_names(struct pg_jout *j, const struct pg_suite *const *suites)
{
	pg_jout_array(j, "enum");
	each_bench(j, suites, bench_item);
	for (; *suites; suites++) {
		struct pg_str glob;

		pg_str_init(&glob);
		pg_str_addf(&glob, "%s/*", (*suites)->name);
		if ((*suites)->benches[0] && !pg_streq((*suites)->benches[0]->name, (*suites)->name))
			pg_jout_text(j, NULL, pg_str_text(&glob));
		pg_str_release(&glob);
	}
	pg_jout_text(j, NULL, "all");
	pg_jout_close(j);
}

static void open_if(struct pg_jout *j, const char *word, const char *value)
{
	static const char *const suite[] = {"suite", NULL};

	pg_jout_object(j, NULL);
	pg_jout_object(j, "if");
	pg_jout_object(j, "properties");
	pg_jout_object(j, "suite");
	pg_jout_text(j, word, value);
	pg_jout_close(j);
	pg_jout_close(j);
	pg_jout_texts(j, "required", suite);
	pg_jout_close(j);
	pg_jout_object(j, "then");
}

static void close_if(struct pg_jout *j)
{
	pg_jout_close(j);
	pg_jout_close(j);
}

/* `command` is a list, with `shell: true` one text. */
static void command_condition(struct pg_jout *j)
{
	static const char *const shell[] = {"shell", NULL};
	static const char *const text[] = {"string", "number", "boolean", NULL};

	pg_jout_object(j, "if");
	pg_jout_object(j, "properties");
	pg_jout_object(j, "shell");
	pg_jout_array(j, "enum");
	pg_jout_bool(j, NULL, true);
	pg_jout_text(j, NULL, "true");
	pg_jout_text(j, NULL, "yes");
	pg_jout_text(j, NULL, "on");
	pg_jout_close(j);
	pg_jout_close(j);
	pg_jout_close(j);
	pg_jout_texts(j, "required", shell);
	pg_jout_close(j);
	for (int with = 1; with >= 0; with--) {
		pg_jout_object(j, with ? "then" : "else");
		pg_jout_object(j, "properties");
		pg_jout_object(j, "command");
		if (with)
			pg_jout_texts(j, "type", text);
		else
			pg_jout_text(j, "type", "array");
		pg_jout_close(j);
		pg_jout_close(j);
		pg_jout_close(j);
	}
}

static void bench_condition(struct pg_jout *j, const struct pg_bench *b)
{
	static const char *const command[] = {"command", NULL};

	open_if(j, "const", b->name);
	if (pg_streq(b->name, EXEC)) {
		pg_jout_texts(j, "required", command);
		command_condition(j);
	}
	pg_jout_object(j, "properties");
	pg_schema_bench_ref(j, "set", b, "set");
	pg_schema_bench_ref(j, "vary", b, "vary");
	pg_schema_bench_ref(j, "derive", b, "derive");
	pg_jout_object(j, "tables");
	pg_jout_object(j, "items");
	pg_schema_bench_members(j, b, "table");
	pg_jout_close(j);
	pg_jout_close(j);
	pg_schema_bench_ref(j, "quick", b, "quick");
	pg_jout_object(j, "variants");
	pg_jout_object(j, "items");
	pg_schema_bench_members(j, b, "item");
	pg_jout_close(j);
	pg_jout_close(j);
	if (!pg_streq(b->name, EXEC))
		for (const struct pg_key *k = pg_sweep_keys; k->name; k++)
			if (k->flags & PG_KEY_EXEC)
				pg_jout_bool(j, k->name, false);
	pg_jout_close(j);
	close_if(j);
}

static void glob_condition(struct pg_jout *j)
{
	open_if(j, "pattern", "^(all|.*/\\*)$");
	pg_jout_object(j, "properties");
	for (const struct pg_key *k = pg_sweep_keys; k->name; k++)
		if (k->flags & (PG_KEY_GRID | PG_KEY_EXEC))
			pg_jout_bool(j, k->name, false);
	pg_jout_object(j, "variants");
	pg_jout_object(j, "items");
	pg_jout_object(j, "properties");
	pg_schema_properties(j, pg_sweep_keys, PG_KEY_ITEM, 0);
	pg_jout_close(j);
	pg_jout_bool(j, "additionalProperties", false);
	pg_jout_close(j);
	pg_jout_close(j);
	pg_jout_close(j);
	close_if(j);
}

static void sweep_definition(struct pg_jout *j, const struct pg_suite *const *suites)
{
	const struct pg_key *suite = pg_key_find(pg_sweep_keys, "suite");

	pg_jout_object(j, "sweep");
	pg_jout_text(j, "type", "object");
	pg_jout_object(j, "properties");
	pg_jout_object(j, suite->name);
	pg_jout_text(j, "description", suite->doc);
	suite_names(j, suites);
	pg_jout_close(j);
	pg_schema_properties(j, pg_sweep_keys, PG_KEY_SWEEP, 0);
	pg_jout_close(j);
	pg_schema_required(j, pg_sweep_keys, PG_KEY_SWEEP);
	pg_jout_bool(j, "additionalProperties", false);
	pg_jout_array(j, "allOf");
	each_bench(j, suites, bench_condition);
	glob_condition(j);
	pg_jout_close(j);
	pg_jout_close(j);
}

/* Members of a file: its keys, and `x-...` for anchors. */
static void file_members(struct pg_jout *j, unsigned flag)
{
	pg_jout_text(j, "type", "object");
	pg_jout_object(j, "properties");
	pg_schema_properties(j, pg_file_keys, flag, 0);
	pg_jout_close(j);
	pg_jout_object(j, "patternProperties");
	pg_jout_bool(j, "^x-", true);
	pg_jout_close(j);
	/* Only the version is required of a file that is included. */
	if (flag == PG_KEY_FILE) {
		pg_schema_required(j, pg_file_keys, flag);
	} else {
		static const char *const version[] = {"perfgrid", NULL};

		pg_jout_texts(j, "required", version);
	}
	pg_jout_bool(j, "additionalProperties", false);
}

void pg_emit_schema(const struct pg_suite *const *suites, struct pg_str *out)
{
	struct pg_jout j;

	pg_jout_init(&j, out);
	pg_jout_object(&j, NULL);
	pg_jout_text(&j, "$schema", "https://json-schema.org/draft/2020-12/schema");
	pg_jout_text(&j, "title", "perfgrid scenario");
	pg_jout_text(&j, "description",
		     "A scenario of perfgrid. Generated from its rows by `perfgrid schema`; `perfgrid check` is the "
		     "authority. A file that "
		     "is only included is described by #/$defs/include.");
	file_members(&j, PG_KEY_FILE);
	pg_jout_object(&j, "$defs");
	pg_jout_object(&j, "include");
	file_members(&j, PG_KEY_INCLUDE);
	pg_jout_close(&j);
	sweep_definition(&j, suites);
	pg_schema_definitions(&j);
	each_bench(&j, suites, pg_schema_bench);
	pg_jout_close(&j);
	pg_jout_close(&j);
}
