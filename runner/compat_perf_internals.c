/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `perf bench internals`. The ancestor's `+-` is the standard error over single iterations; here the iterations are ten
 * reps of equal length, and it is the standard error of those.
 */
#include <stdio.h>
#include <string.h>

#include "runner/compat_perf_call.h"
#include "runner/compat_perf_tables.h"

#define PARTS 10

static bool for_machines(const struct pg_pb *p)
{
	return p->format == PG_PB_JSON || p->format == PG_PB_CSV;
}

/* Iterations of a step into parts; one part where every rep is a result by itself. */
static int split(struct pg_pb *p, uint64_t iterations, const char *option, struct pg_err *err)
{
	p->parts = iterations < PARTS ? iterations : PARTS;
	if (for_machines(p) || p->parts == 0)
		p->parts = 1;
	return pg_dropin_set_u64(&p->d, "loops", iterations, option, err);
}

/* The iterations of this part; the first ones have what is left over by the division. */
static int part_of(struct pg_pb *p, uint64_t iterations, struct pg_err *err)
{
	const uint64_t n = iterations / p->parts + (p->part < iterations % p->parts);

	return pg_dropin_set_u64(&p->d, "loops", n, "--iterations|-i", err);
}

static void average(struct pg_pb *p, const char *indent, const char *what, const char *unit, const struct pg_pb_sum *s)
{
	pg_str_addf(&p->out, "%s  Average %s: %.3f%s (+- %.3f%s)\n", indent, what, s->mean, unit, pg_pb_error(s), unit);
}

/* One option, 100 iterations unless it says otherwise: kallsyms-parse, inject-build-id, evlist-open-close, pmu-scan. */
static uint64_t iterations(const struct pg_pb *p)
{
	return pg_pb_count(p, "iterations", 100);
}

static int iterations_begin(struct pg_pb *p, struct pg_err *err)
{
	if (split(p, iterations(p), "--iterations|-i", err) == 0)
		return 0;
	p->status = PG_STATUS_USAGE;
	return -1;
}

static int iterations_ready(struct pg_pb *p, struct pg_err *err)
{
	return part_of(p, iterations(p), err);
}

static void op_each(struct pg_pb *p)
{
	pg_pb_add(&p->sum[0], pg_pb_number(p, "time_per_op") * 1e6);
}

/* clang-format off */
#define OPTION_ITERATIONS                                                                                              \
	{.name = "iterations", .letter = 'i', .kind = PG_FOPT_UINT, .param = "loops",                                  \
	 .help = "iterations of the average (default: 100)"}
/* clang-format on */

static const struct pg_fopt synthesize_options[] = {
	{.name = "st", .letter = 's', .help = "the part with one thread"},
	{.name = "mt", .letter = 't', .help = "the part with several threads"},
	{.name = "min-threads", .letter = 'm', .kind = PG_FOPT_UINT, .help = "first number of threads (default: 1)"},
	{.name = "max-threads",
	 .letter = 'M',
	 .kind = PG_FOPT_UINT,
	 .help = "last number of threads (default: the CPUs)"},
	{.name = "single-iterations",
	 .letter = 'i',
	 .kind = PG_FOPT_UINT,
	 .help = "iterations with one thread (default: 10000)"},
	{.name = "multi-iterations",
	 .letter = 'I',
	 .kind = PG_FOPT_UINT,
	 .help = "iterations with several threads (default: 10)"},
	{.name = NULL},
};

static bool with_single(const struct pg_pb *p)
{
	return pg_pb_on(p, "st") || !pg_pb_on(p, "mt");
}

/* Steps 0 and 1 are the single-threaded ones where there are any. */
static bool is_single(const struct pg_pb *p)
{
	return with_single(p) && p->step < 2;
}

static uint64_t synthesize_iterations(const struct pg_pb *p)
{
	return is_single(p) ? pg_pb_count(p, "single-iterations", 10000) : pg_pb_count(p, "multi-iterations", 10);
}

static int synthesize_step(struct pg_pb *p, unsigned i, struct pg_err *err)
{
	const char *option = is_single(p) ? "--single-iterations|-i" : "--multi-iterations|-I";
	uint64_t threads = 1;

	if (!is_single(p)) {
		const uint64_t first = pg_pb_count(p, "min-threads", 1);
		const uint64_t last = pg_pb_count(p, "max-threads", pg_pb_cpus());

		threads = (first ? first : 1) + i - (with_single(p) ? 2 : 0);
		if (!pg_pb_on(p, "mt") || threads > last)
			return 0;
		snprintf(p->label, sizeof(p->label), "%llu threads", (unsigned long long)threads);
	} else {
		snprintf(p->label, sizeof(p->label), i ? "self, data" : "self");
	}
	if (pg_dropin_set(&p->d, "target", is_single(p) ? "self" : "system", "--mt|-t", err) ||
	    pg_dropin_set(&p->d, "data_maps", is_single(p) && i == 1 ? "true" : "false", "--st|-s", err) ||
	    pg_dropin_set_u64(&p->d, "threads", threads, "--min-threads|-m, --max-threads|-M", err) ||
	    split(p, synthesize_iterations(p), option, err)) {
		p->status = PG_STATUS_USAGE;
		return -1;
	}
	return 1;
}

static int synthesize_ready(struct pg_pb *p, struct pg_err *err)
{
	return part_of(p, synthesize_iterations(p), err);
}

static void synthesize_before(struct pg_pb *p)
{
	if (p->step == 0 && with_single(p))
		pg_str_adds(&p->out, "Computing performance of single threaded perf event synthesis by\n"
				     "synthesizing events on the perf process itself:\n");
	if (is_single(p))
		return;
	if (p->step == (with_single(p) ? 2 : 0))
		pg_str_adds(&p->out, "Computing performance of multi threaded perf event synthesis by\n"
				     "synthesizing events on CPU 0:\n");
	pg_str_addf(&p->out, "  Number of synthesis threads: %lld\n", (long long)pg_dropin_value(&p->d, "threads"));
}

static void synthesize_each(struct pg_pb *p)
{
	op_each(p);
	pg_pb_add(&p->sum[1], pg_pb_number(p, "event_count"));
}

static void synthesize_after(struct pg_pb *p)
{
	const char *indent = is_single(p) ? "" : "  ";

	average(p, indent, is_single(p) && p->step == 1 ? "data synthesis took" : "synthesis took", " usec",
		&p->sum[0]);
	average(p, indent, "num. events", "", &p->sum[1]);
	pg_str_addf(&p->out, "%s  Average time per event %.3f usec\n", indent, p->sum[0].mean / p->sum[1].mean);
}

static const struct pg_fopt kallsyms_options[] = {OPTION_ITERATIONS, {.name = NULL}};

static void kallsyms_each(struct pg_pb *p)
{
	pg_pb_add(&p->sum[0], pg_pb_number(p, "time_per_op") * 1e3);
}

static void kallsyms_after(struct pg_pb *p)
{
	average(p, "", "kallsyms__parse took", " ms", &p->sum[0]);
}

static const struct pg_fopt inject_options[] = {
	OPTION_ITERATIONS,
	{.name = "nr-mmaps",
	 .letter = 'm',
	 .kind = PG_FOPT_UINT,
	 .param = "maps",
	 .help = "mapped files (default: 100)"},
	{.name = "nr-samples",
	 .letter = 'n',
	 .kind = PG_FOPT_UINT,
	 .param = "samples_per_map",
	 .help = "samples of each (default: 100)"},
	{.name = "verbose", .letter = 'v', .kind = PG_FOPT_COUNTER, .help = "taken for compatibility"},
	{.name = NULL},
};

static int inject_step(struct pg_pb *p, unsigned i, struct pg_err *err)
{
	static const char *const files[] = {"sampled", "mapped"};

	if (i > 1)
		return 0;
	snprintf(p->label, sizeof(p->label), i ? "build-id-all" : "build-id");
	return pg_dropin_set(&p->d, "files", files[i], "files", err) ? -1 : 1;
}

static void inject_each(struct pg_pb *p)
{
	kallsyms_each(p);
	pg_pb_add(&p->sum[1], pg_pb_number(p, "time_per_event") * 1e6);
	pg_pb_add(&p->sum[2], pg_pb_number(p, "injector_memory") / 1024);
}

static void inject_after(struct pg_pb *p)
{
	average(p, "", p->step ? "build-id-all injection took" : "build-id injection took", " msec", &p->sum[0]);
	average(p, "", "time per event", " usec", &p->sum[1]);
	pg_str_addf(&p->out, "  Average memory usage: %.0f KB (+- %.0f KB)\n", p->sum[2].mean, pg_pb_error(&p->sum[2]));
}

static const struct pg_fopt scan_options[] = {OPTION_ITERATIONS, {.name = NULL}};

static int scan_step(struct pg_pb *p, unsigned i, struct pg_err *err)
{
	if (i > 1)
		return 0;
	snprintf(p->label, sizeof(p->label), i ? "every" : "core");
	return pg_dropin_set(&p->d, "pmus", p->label, "pmus", err) ? -1 : 1;
}

static void scan_head(struct pg_pb *p)
{
	pg_str_addf(&p->out, "Computing performance of sysfs PMU event scan for %llu times\n",
		    (unsigned long long)iterations(p));
}

static void scan_after(struct pg_pb *p)
{
	average(p, "", p->step ? "PMU scanning took" : "core PMU scanning took", " usec", &p->sum[0]);
}

/* clang-format off */
#define BENCH(NAME, OPTIONS, UNIT, SCALE)                                                                              \
	.collection = "internals", .name = NAME, .synopsis = "perf bench internals " NAME " <options>",                \
	.options = OPTIONS, .metric = "time_per_op", .unit = UNIT, .scale = SCALE, .decimals = 3

static const struct pg_pb_bench synthesize = {
	BENCH("synthesize", synthesize_options, "usec", 1e6), .step = synthesize_step, .ready = synthesize_ready,
	.before = synthesize_before, .each = synthesize_each, .after = synthesize_after,
};
static const struct pg_pb_bench kallsyms = {
	BENCH("kallsyms-parse", kallsyms_options, "ms", 1e3), .begin = iterations_begin, .ready = iterations_ready,
	.each = kallsyms_each, .after = kallsyms_after,
};
static const struct pg_pb_bench inject = {
	BENCH("inject-build-id", inject_options, "msec", 1e3), .begin = iterations_begin, .ready = iterations_ready,
	.step = inject_step, .each = inject_each, .after = inject_after,
};
static const struct pg_pb_bench scan = {
	BENCH("pmu-scan", scan_options, "usec", 1e6), .begin = iterations_begin, .ready = iterations_ready,
	.step = scan_step, .part_ok = true, .head = scan_head, .each = op_each, .after = scan_after,
};
/* clang-format on */

const struct pg_pb_bench *const pg_pb_internals[] = {&synthesize, &kallsyms, &inject, &pg_pb_evlist, &scan, NULL};
