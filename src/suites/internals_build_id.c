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

static const struct pg_choice files[] = {
	[FILES_SAMPLED] = {"sampled", "those that a sample hits"},
	[FILES_MAPPED] = {"mapped", "all of the stream"},
	{NULL, NULL},
};

static const struct pg_param params[] = {
	PG_ROW_LOOPS(struct inject_conf, loops, "streams injected", "100", "auto", 'i'),
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

enum { M_TIME_PER_OP, M_TIME_PER_EVENT, M_INJECTOR_MEMORY, M_TIME, M_OPERATIONS, M_RECORDS };

static const struct pg_metric metrics[] = {
	[M_TIME_PER_OP] = PG_ROW_RATIO("time_per_op", "first byte to injector reaped, mean", PG_U_S, PG_LOWER, M_TIME,
				       M_OPERATIONS, PG_M_MAIN),
	[M_TIME_PER_EVENT] =
		PG_ROW_RATIO("time_per_event", "time_per_op / records", PG_U_S, PG_LOWER, M_TIME, M_RECORDS, 0),
	[M_INJECTOR_MEMORY] =
		PG_ROW_RAW("injector_memory", "peak of the injecting process", PG_U_B, PG_LOWER, PG_MAX, 0),
	[M_TIME] = PG_ROW_HIDDEN("injection_time_total", "all streams", PG_U_S, PG_SUM, PG_M_GROWS),
	[M_OPERATIONS] = PG_ROW_HIDDEN("operations", "streams injected", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_RECORDS] = PG_ROW_HIDDEN("records", "of all streams", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	{.name = NULL},
};

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
