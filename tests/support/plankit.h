/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of plans: scenarios from memory, a machine that is made up, a suite whose benches have a row of every kind
 * (nothing of it ever runs), messages and cells as text. Header only: it needs layers that other tests do not link.
 */
#ifndef PG_TESTS_PLANKIT_H
#define PG_TESTS_PLANKIT_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "model/cell.h"
#include "model/suite.h"
#include "plan/plan.h"
#include "registry/registry.h"
#include "tests/support/plandiag.h"

/* fake/types */
struct fake_types {
	bool flag;
	uint64_t loops, count, size, threads, wakers;
	struct pg_word_num limit, chunk;
	int64_t span;
	double ratio;
	int colour;
	const char *cpu_set, *node_set, *text;
};

static const struct pg_choice fake_auto[] = {{"auto", NULL}, {NULL, NULL}};
static const struct pg_choice fake_none[] = {{"none", NULL}, {NULL, NULL}};
static const struct pg_choice fake_whole[] = {{"whole", NULL}, {NULL, NULL}};
static const struct pg_choice fake_colours[] = {{"red", NULL}, {"green", NULL}, {"blue", NULL}, {NULL, NULL}};

/* clang-format off */
static const struct pg_param fake_types_params[] = {
	{ .name = "loops", .doc = "operations", .def = "1000", .sdef = "auto", .min = "1", .max = "1000000", .role = PG_OPS,
	  .choices = fake_auto, PG_AT_COUNT(struct fake_types, loops) },
	{ .name = "flag", .doc = "d", .def = "false", PG_AT_BOOL(struct fake_types, flag) },
	{ .name = "count", .doc = "d", .def = "1", .min = "0", .max = "1000", PG_AT_COUNT(struct fake_types, count) },
	{ .name = "limit", .doc = "d", .def = "none", .min = "1", .max = "100", .choices = fake_none,
	  PG_AT_COUNT_W(struct fake_types, limit) },
	{ .name = "size", .doc = "d", .def = "4KB", .min = "1B", .max = "1GB", PG_AT_SIZE(struct fake_types, size) },
	{ .name = "chunk", .doc = "d", .def = "whole", .min = "1B", .max = "size", .choices = fake_whole,
	  PG_AT_SIZE_W(struct fake_types, chunk) },
	{ .name = "span", .doc = "d", .def = "1ms", .min = "0s", .max = "1h", PG_AT_TIME(struct fake_types, span) },
	{ .name = "ratio", .doc = "d", .def = "0.5", .min = "0", .max = "10", PG_AT_REAL(struct fake_types, ratio) },
	{ .name = "colour", .doc = "d", .def = "red", .choices = fake_colours, .role = PG_ALL, PG_AT_ENUM(struct fake_types, colour) },
	{ .name = "cpu_set", .doc = "d", PG_AT_CPULIST(struct fake_types, cpu_set) },
	{ .name = "node_set", .doc = "d", PG_AT_NODELIST(struct fake_types, node_set) },
	{ .name = "text", .doc = "d", PG_AT_TEXT(struct fake_types, text) },
	{ .name = "threads", .doc = "d", .def = "cpus", .min = "1", .max = "100000", PG_AT_COUNT(struct fake_types, threads) },
	{ .name = "wakers", .doc = "d", .def = "threads", .min = "1", .max = "threads", PG_AT_COUNT(struct fake_types, wakers) },
	{ .name = NULL },
};

static const struct pg_metric fake_types_metrics[] = {
	{ .name = "time", .doc = "d", .unit = PG_U_S, .better = PG_LOWER, .reduce = PG_SUM, .flags = PG_M_MAIN | PG_M_GROWS },
	{ .name = "ops", .doc = "d", .unit = PG_U_COUNT, .better = PG_HIGHER, .reduce = PG_SUM, .flags = PG_M_HIDDEN },
	{ .name = "rate", .doc = "d", .unit = PG_U_PER_S, .better = PG_HIGHER, .reduce = PG_RATIO, .num = 1, .den = 0,
	  .flags = PG_M_AUTO_MAIN },
	{ .name = "time_per_op", .doc = "d", .unit = PG_U_S, .better = PG_LOWER, .reduce = PG_RATIO, .num = 0, .den = 1 },
	{ .name = "amount", .doc = "d", .unit = PG_U_B, .better = PG_NEITHER, .reduce = PG_SUM },
	{ .name = NULL },
};
/* clang-format on */

static inline int fake_types_check(const void *vconf, struct pg_err *err)
{
	const struct fake_types *conf = vconf;

	if (conf->count == 13)
		return pg_fail(err, PG_EINPUT, "count 13 brings bad luck; allowed: any other");
	/* Whatever the plan binds has to be what the cell says. */
	if (conf->loops < 1 || conf->size < 1 || (conf->chunk.word < 0 && conf->chunk.n > conf->size))
		return pg_fail(err, PG_EINPUT, "the conf is not bound");
	return 0;
}

static const struct pg_bench fake_types_bench = {
	.name = "fake/types",
	.summary = "a row of every type",
	.params = fake_types_params,
	.metrics = fake_types_metrics,
	.conf_size = sizeof(struct fake_types),
	.check = fake_types_check,
};

/* fake/forks: not under process fork; fake/plain: in one process by default. */
static const struct pg_param fake_forks_params[] = {
	{.name = "depth", .doc = "d", .def = "1", .role = PG_FORKS, .type = PG_COUNT, .offset = 0},
	{.name = NULL},
};
static const struct pg_param fake_plain_params[] = {
	{.name = "depth", .doc = "d", .def = "1", .type = PG_COUNT, .offset = 0},
	{.name = NULL},
};
static const struct pg_metric fake_plain_metrics[] = {
	{.name = "time", .doc = "d", .unit = PG_U_S, .better = PG_LOWER, .reduce = PG_SUM, .flags = PG_M_MAIN},
	{.name = NULL},
};
static const struct pg_bench fake_forks_bench = {
	.name = "fake/forks",
	.summary = "s",
	.params = fake_forks_params,
	.metrics = fake_plain_metrics,
	.conf_size = 8,
};
static const struct pg_bench fake_plain_bench = {
	.name = "fake/plain",
	.summary = "s",
	.params = fake_plain_params,
	.metrics = fake_plain_metrics,
	.conf_size = 8,
	.one_process = true,
};

static const struct pg_bench *const fake_benches[] = {&fake_types_bench, &fake_forks_bench, &fake_plain_bench, NULL};
static const struct pg_suite fake_suite = {"fake", "made up", fake_benches};

#define KIT_FILES 16

struct kit {
	const char *names[KIT_FILES], *texts[KIT_FILES]; /* beside "t.yaml" */
	const char *yaml;
	struct pg_plan_opts opts;
	struct pg_machine machine;
	const char *version;
	struct pg_told told;
	struct pg_plan *plan;
	struct pg_cell_buf *buf;
	struct pg_str text; /* of the last question */
	unsigned reads;
};

static inline int kit_read(void *ctx, const char *path, struct pg_str *out, struct pg_err *err)
{
	struct kit *k = ctx;

	k->reads++;
	if (strcmp(path, "t.yaml") == 0) {
		pg_str_adds(out, k->yaml);
		return 0;
	}
	for (size_t i = 0; i < KIT_FILES && k->names[i]; i++)
		if (strcmp(k->names[i], path) == 0) {
			pg_str_adds(out, k->texts[i]);
			return 0;
		}
	return pg_fail(err, PG_EINPUT, "no such file");
}

/* Four CPUs, two cores, one of everything else. */
static inline void kit_init(struct kit *k)
{
	memset(k, 0, sizeof(*k));
	k->machine.word[0] = 4;
	k->machine.word[1] = 2;
	k->machine.word[2] = k->machine.word[3] = k->machine.word[4] = 1;
}

static inline void kit_done(struct kit *k)
{
	pg_cell_buf_free(k->buf);
	pg_plan_free(k->plan);
	pg_told_release(&k->told);
	pg_str_release(&k->text);
	k->buf = NULL;
	k->plan = NULL;
}

static inline int kit_load(struct kit *k, const char *yaml)
{
	const struct pg_suite *suites[16] = {&fake_suite};
	struct pg_plan_input in = {
		.file = "t.yaml",
		.read = kit_read,
		.read_ctx = k,
		.suites = suites,
		.machine = &k->machine,
		.opts = &k->opts,
		.version = k->version,
	};
	int rc;

	for (size_t i = 0; pg_suites[i]; i++)
		suites[i + 1] = pg_suites[i];
	kit_done(k);
	pg_told_init(&k->told);
	k->yaml = yaml;
	rc = pg_plan_load(&in, &k->plan, &k->told.d);
	ck_assert_int_eq(rc, k->told.d.errors ? -1 : 0);
	if (rc)
		k->plan = NULL;
	else
		k->buf = pg_cell_buf_new(k->plan);
	return rc;
}

/* Loads what has to be right: no error, and these notes. */
static inline void kit_good(struct kit *k, const char *yaml, const char *notes)
{
	kit_load(k, yaml);
	ck_assert_str_eq(pg_told_text(&k->told), notes);
	ck_assert_ptr_nonnull(k->plan);
}

/* Loads what has to be refused with exactly these messages. */
static inline void kit_bad(struct kit *k, const char *yaml, const char *messages)
{
	kit_load(k, yaml);
	ck_assert_str_eq(pg_told_text(&k->told), messages);
	ck_assert_ptr_null(k->plan);
}

static inline const struct pg_cell *kit_cell(struct kit *k, size_t i)
{
	const struct pg_cell *c;

	ck_assert_uint_lt(i, pg_plan_cells(k->plan));
	c = pg_plan_cell(k->plan, i, k->buf);
	ck_assert_ptr_nonnull(c);
	ck_assert_uint_eq(c->index, i);
	return c;
}

/* The values of "PARAM ?PARAM" in every cell (with `?`: - where the bench has none), "; " between cells, skipped ones
 * in ( ). */
static inline const char *kit_cells(struct kit *k, const char *params)
{
	pg_str_reset(&k->text);
	for (size_t i = 0; i < pg_plan_cells(k->plan); i++) {
		const struct pg_cell *c = kit_cell(k, i);
		char names[256] = "";

		pg_str_adds(&k->text, i ? "; " : "");
		pg_str_adds(&k->text, c->skip != PG_NOT_SKIPPED ? "(" : "");
		snprintf(names, sizeof(names), "%s", params);
		for (char *save, *n = strtok_r(names, " ", &save), *first = n; n; n = strtok_r(NULL, " ", &save)) {
			bool may_lack = *n == '?';
			size_t p;

			pg_str_adds(&k->text, n == first ? "" : " ");
			if (pg_param_find(c->params, n + may_lack, &p))
				pg_value_format(&c->params[p], &c->vals[p], &k->text);
			else
				pg_str_adds(&k->text, may_lack ? "-" : "no such param");
		}
		pg_str_adds(&k->text, c->skip != PG_NOT_SKIPPED ? ")" : "");
	}
	return pg_str_text(&k->text);
}

static inline const char *kit_table(struct kit *k, size_t sweep, const struct pg_table_spec *t)
{
	const struct pg_sweep *s = pg_plan_sweep(k->plan, sweep);
	const struct pg_placed *const placed[] = {t->rows, t->columns, t->split};
	const size_t n[] = {t->n_rows, t->n_columns, t->n_split};

	pg_str_reset(&k->text);
	for (int i = 0; i < 3; i++) {
		pg_str_adds(&k->text, i ? "/" : "");
		for (size_t p = 0; p < n[i]; p++) {
			const char *name = placed[i][p].place == PG_PLACE_METRIC ? "metric" : "statistic";

			if (placed[i][p].place == PG_PLACE_AXIS)
				name = s->axes[placed[i][p].axis].name;
			pg_str_addf(&k->text, "%s%s", p ? "," : "", name);
		}
	}
	for (size_t i = 0; i < t->n_metrics; i++)
		pg_str_addf(&k->text, "%s%s", i ? "," : " ", s->metrics[t->metrics[i]].name);
	for (size_t i = 0; i < t->n_stats; i++)
		pg_str_addf(&k->text, "%s%s", i ? "," : " ", pg_statistic_names[t->stats[i]]);
	if (t->unit)
		pg_str_addf(&k->text, " %s", t->unit);
	if (t->relative)
		pg_str_addf(&k->text, " %s=%s", s->axes[t->relative_axis].name,
			    s->axes[t->relative_axis].labels[t->relative_value]);
	if (t->name)
		pg_str_addf(&k->text, " as %s", t->name);
	return pg_str_text(&k->text);
}

/* Every table of a sweep, "; " between them. */
static inline const char *kit_tables(struct kit *k, size_t sweep)
{
	const struct pg_sweep *s = pg_plan_sweep(k->plan, sweep);
	struct pg_str all;

	pg_str_init(&all);
	for (size_t i = 0; i < s->n_tables; i++)
		pg_str_addf(&all, "%s%s", i ? "; " : "", kit_table(k, sweep, &s->tables[i]));
	pg_str_reset(&k->text);
	pg_str_adds(&k->text, pg_str_text(&all));
	pg_str_release(&all);
	return pg_str_text(&k->text);
}

#define KIT_HEAD "perfgrid: 1\nname: t\nsweeps:\n"

#endif
