/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `perf bench internals`; compat_perf_evlist.c has evlist-open-close. */
#include <stdio.h>
#include <string.h>

#include "runner/compat_perf_call.h"
#include "runner/compat_perf_tables.h"

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

static uint64_t first_threads(const struct pg_pb *p)
{
	return pg_pb_count(p, "min-threads", 1);
}

static uint64_t last_threads(const struct pg_pb *p)
{
	return pg_pb_count(p, "max-threads", pg_pb_cpus());
}

/* Both ends are good numbers of threads, and there is one from the first to the last. */
static int synthesize_begin(struct pg_pb *p, struct pg_err *err)
{
	int r = 0;

	if (!pg_pb_on(p, "mt"))
		return 0;
	if (pg_dropin_set_u64(&p->d, "threads", first_threads(p), "--min-threads|-m", err) ||
	    pg_dropin_set_u64(&p->d, "threads", last_threads(p), "--max-threads|-M", err))
		r = -1;
	else if (first_threads(p) > last_threads(p))
		r = pg_fail(err, PG_EUSAGE,
			    "--min-threads|-m %llu is more than --max-threads|-M %llu%s; at most as many",
			    (unsigned long long)first_threads(p), (unsigned long long)last_threads(p),
			    pg_pb_opt(p, "max-threads")->given ? "" : ", the CPUs that this process may use");
	if (r)
		p->status = PG_STATUS_USAGE;
	return r;
}

static int synthesize_step(struct pg_pb *p, unsigned i, struct pg_err *err)
{
	const char *option = is_single(p) ? "--single-iterations|-i" : "--multi-iterations|-I";
	uint64_t threads = 1;

	if (!is_single(p)) {
		threads = first_threads(p) + i - (with_single(p) ? 2 : 0);
		if (!pg_pb_on(p, "mt") || threads > last_threads(p))
			return 0;
		snprintf(p->label, sizeof(p->label), "%llu threads", (unsigned long long)threads);
	} else {
		snprintf(p->label, sizeof(p->label), i ? "self, data" : "self");
	}
	if (pg_dropin_set(&p->d, "target", is_single(p) ? "self" : "system", "--mt|-t", err) ||
	    pg_dropin_set(&p->d, "data_maps", is_single(p) && i == 1 ? "true" : "false", "--st|-s", err) ||
	    pg_dropin_set_u64(&p->d, "threads", threads, "--min-threads|-m, --max-threads|-M", err) ||
	    pg_pb_split(p, synthesize_iterations(p), option, err)) {
		p->status = PG_STATUS_USAGE;
		return -1;
	}
	return 1;
}

static int synthesize_ready(struct pg_pb *p, struct pg_err *err)
{
	return pg_pb_share(p, synthesize_iterations(p), err);
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
	pg_pb_op_each(p);
	pg_pb_add_part(p, &p->sum[1], pg_pb_number(p, "event_count"));
}

static void synthesize_after(struct pg_pb *p)
{
	const char *indent = is_single(p) ? "" : "  ";

	pg_pb_average(p, indent, is_single(p) && p->step == 1 ? "data synthesis took" : "synthesis took", " usec",
		      &p->sum[0]);
	pg_pb_average(p, indent, "num. events", "", &p->sum[1]);
	pg_str_addf(&p->out, "%s  Average time per event %.3f usec\n", indent, p->sum[0].mean / p->sum[1].mean);
}

static const struct pg_fopt kallsyms_options[] = {OPTION_ITERATIONS, {.name = NULL}};

static void kallsyms_each(struct pg_pb *p)
{
	pg_pb_add_part(p, &p->sum[0], pg_pb_number(p, "time_per_op") * 1e3);
}

static void kallsyms_after(struct pg_pb *p)
{
	pg_pb_average(p, "", "kallsyms__parse took", " ms", &p->sum[0]);
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
	pg_pb_add_part(p, &p->sum[1], pg_pb_number(p, "time_per_event") * 1e6);
	pg_pb_add_part(p, &p->sum[2], pg_pb_number(p, "injector_memory") / 1024);
}

static void inject_after(struct pg_pb *p)
{
	pg_pb_average(p, "", p->step ? "build-id-all injection took" : "build-id injection took", " msec", &p->sum[0]);
	pg_pb_average(p, "", "time per event", " usec", &p->sum[1]);
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
		    (unsigned long long)pg_pb_iterations(p));
}

static void scan_after(struct pg_pb *p)
{
	pg_pb_average(p, "", p->step ? "PMU scanning took" : "core PMU scanning took", " usec", &p->sum[0]);
}

/* clang-format off */
#define BENCH(NAME, OPTIONS, UNIT, SCALE)                                                                              \
	.collection = "internals", .name = NAME, .synopsis = "perf bench internals " NAME " <options>",                \
	.options = OPTIONS, .metric = "time_per_op", .unit = UNIT, .scale = SCALE, .decimals = 3

static const struct pg_pb_bench synthesize = {
	BENCH("synthesize", synthesize_options, "usec", 1e6), .begin = synthesize_begin, .step = synthesize_step,
	.ready = synthesize_ready, .before = synthesize_before, .each = synthesize_each, .after = synthesize_after,
};
static const struct pg_pb_bench kallsyms = {
	BENCH("kallsyms-parse", kallsyms_options, "ms", 1e3), .begin = pg_pb_iterations_begin, .ready = pg_pb_iterations_ready,
	.each = kallsyms_each, .after = kallsyms_after,
};
static const struct pg_pb_bench inject = {
	BENCH("inject-build-id", inject_options, "msec", 1e3), .begin = pg_pb_iterations_begin, .ready = pg_pb_iterations_ready,
	.step = inject_step, .each = inject_each, .after = inject_after,
};
static const struct pg_pb_bench scan = {
	BENCH("pmu-scan", scan_options, "usec", 1e6), .begin = pg_pb_iterations_begin, .ready = pg_pb_iterations_ready,
	.step = scan_step, .part_ok = true, .head = scan_head, .each = pg_pb_op_each, .after = scan_after,
};
/* clang-format on */

const struct pg_pb_bench *const pg_pb_internals[] = {&synthesize, &kallsyms, &inject, &pg_pb_evlist, &scan, NULL};
