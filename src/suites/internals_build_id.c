/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * internals/inject-build-id: a stream of perf.data through a process that adds build ids (perf bench internals
 * inject-build-id). Its names are here, the measurement is not: what the ancestor times is the injector that is part of
 * perf, and one of ours would be another program. The probe says so, and how to measure perf's.
 */
#include "pg_bench.h"

extern const struct pg_bench pg_internals_inject_build_id;

enum files { FILES_SAMPLED, FILES_MAPPED };

struct inject_conf {
	uint64_t loops, maps, samples_per_map;
	int files; /* enum files */
};

static const struct pg_choice auto_word[] = {{"auto", "calibrated to sample_time"}, {NULL, NULL}};
static const struct pg_choice files[] = {
	[FILES_SAMPLED] = {"sampled", "those that a sample hits"},
	[FILES_MAPPED] = {"mapped", "all of the stream"},
	{NULL, NULL},
};

static const struct pg_param params[] = {
	{
		.name = "loops",
		.doc = "streams injected",
		.def = "100",
		.sdef = "auto",
		.min = "1",
		.max = "1000000000000",
		.choices = auto_word,
		.role = PG_OPS,
		.opt = 'i',
		PG_AT_COUNT(struct inject_conf, loops),
	},
	{
		.name = "maps",
		.doc = "mapped files in the stream",
		.def = "100",
		.min = "1",
		.max = "100000",
		.opt = 'm',
		PG_AT_COUNT(struct inject_conf, maps),
	},
	{
		.name = "samples_per_map",
		.doc = "samples that hit each",
		.def = "100",
		.min = "1",
		.max = "100000",
		.opt = 'n',
		PG_AT_COUNT(struct inject_conf, samples_per_map),
	},
	{
		.name = "files",
		.doc = "files that get a build-id record",
		.def = "sampled",
		.choices = files,
		PG_AT_ENUM(struct inject_conf, files),
	},
	{.name = NULL},
};

/* clang-format off */
enum { M_TIME_PER_OP, M_TIME_PER_EVENT, M_INJECTOR_MEMORY, M_TIME, M_OPERATIONS, M_RECORDS };

#define HIDDEN(NAME, DOC, UNIT)                                                                                        \
	{.name = NAME, .doc = DOC, .unit = UNIT, .better = UNIT == PG_U_S ? PG_LOWER : PG_NEITHER, .reduce = PG_SUM,   \
	 .flags = PG_M_HIDDEN | PG_M_GROWS}

static const struct pg_metric metrics[] = {
	[M_TIME_PER_OP] = {.name = "time_per_op", .doc = "first byte to injector reaped, mean", .unit = PG_U_S,
			   .better = PG_LOWER, .reduce = PG_RATIO, .num = M_TIME, .den = M_OPERATIONS,
			   .flags = PG_M_MAIN},
	[M_TIME_PER_EVENT] = {.name = "time_per_event", .doc = "time_per_op / records", .unit = PG_U_S,
			      .better = PG_LOWER, .reduce = PG_RATIO, .num = M_TIME, .den = M_RECORDS},
	[M_INJECTOR_MEMORY] = {.name = "injector_memory", .doc = "peak of the injecting process", .unit = PG_U_B,
			       .better = PG_LOWER, .reduce = PG_MAX},
	[M_TIME] = HIDDEN("injection_time_total", "all streams", PG_U_S),
	[M_OPERATIONS] = HIDDEN("operations", "streams injected", PG_U_COUNT),
	[M_RECORDS] = HIDDEN("records", "of all streams", PG_U_COUNT),
	{.name = NULL},
};
/* clang-format on */

static int unsupported(struct pg_err *err)
{
	return pg_fail(err, PG_EUNSUPPORTED,
		       "what this bench times is the injector inside perf, and perfgrid has none; measure perf's with "
		       "suite exec, command [perf, bench, internals, inject-build-id]");
}

static int probe(const void *conf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	(void)conf, (void)env, (void)need;
	return unsupported(err);
}

static int once(struct pg_run *run, struct pg_err *err)
{
	(void)run;
	return unsupported(err);
}

const struct pg_bench pg_internals_inject_build_id = {
	.name = "internals/inject-build-id",
	.summary = "build ids added to a stream of perf.data (measured by suite exec)",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct inject_conf),
	.probe = probe,
	.once = once,
};
