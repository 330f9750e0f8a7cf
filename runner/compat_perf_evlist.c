/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `perf bench internals evlist-open-close`. */
#include <string.h>

#include "runner/compat_perf_call.h"
#include "runner/compat_perf_tables.h"

static const struct pg_fopt options[] = {
	{.name = "event",
	 .letter = 'e',
	 .kind = PG_FOPT_TEXT,
	 .arg = "event",
	 .param = "events",
	 .help = "events to open (default: dummy)"},
	{.name = "nr-events",
	 .letter = 'n',
	 .kind = PG_FOPT_INT,
	 .param = "event_copies",
	 .help = "times to repeat them (default: 1)"},
	{.name = "iterations",
	 .letter = 'i',
	 .kind = PG_FOPT_INT,
	 .param = "loops",
	 .help = "iterations of the average (default: 100)"},
	{.name = "all-cpus", .letter = 'a', .help = "events of all processes (as without a target)"},
	{.name = "cpu",
	 .letter = 'C',
	 .kind = PG_FOPT_TEXT,
	 .arg = "cpu",
	 .param = "event_cpus",
	 .help = "CPUs to open them on"},
	{.name = "pid", .letter = 'p', .kind = PG_FOPT_TEXT, .arg = "pid", .help = "events of a process"},
	{.name = "tid", .letter = 't', .kind = PG_FOPT_TEXT, .arg = "tid", .help = "events of a thread"},
	{.name = "uid",
	 .letter = 'u',
	 .kind = PG_FOPT_TEXT,
	 .arg = "user",
	 .help = "events of the processes of a user"},
	{.name = "per-thread", .param = "buffer", .value = "per-thread", .help = "ring buffers of threads"},
	{.name = NULL},
};

static int set_target(struct pg_pb *p, struct pg_err *err)
{
	static const struct {
		const char *option, *prefix, *shown;
	} targets[] = {{"uid", "user", "--uid|-u"}, {"tid", "tid", "--tid|-t"}, {"pid", "pid", "--pid|-p"}};

	for (size_t i = 0; i < 3 && !pg_pb_on(p, "all-cpus"); i++) {
		const char *v = pg_pb_text(p, targets[i].option, NULL);
		struct pg_str text;
		int r;

		if (!v)
			continue;
		pg_str_init(&text);
		pg_str_addf(&text, "%s:%s", targets[i].prefix, v);
		r = pg_pb_set(p, "target", pg_str_text(&text), targets[i].shown, err);
		pg_str_release(&text);
		if (r)
			return r;
	}
	return 0;
}

static int begin(struct pg_pb *p, struct pg_err *err)
{
	return pg_pb_iterations_begin(p, err) || set_target(p, err) ? -1 : 0;
}

static uint64_t events(const struct pg_pb *p)
{
	bool terms = false; /* between the slashes of pmu/a=1,b=2/ */
	uint64_t n = 1;

	for (const char *s = pg_dropin_text(&p->d, "events"); *s; s++) {
		terms ^= *s == '/';
		n += *s == ',' && !terms;
	}
	return n * (uint64_t)pg_dropin_value(&p->d, "event_copies");
}

static uint64_t cpus(const struct pg_pb *p)
{
	const char *list = pg_dropin_text(&p->d, "event_cpus");

	if (list)
		return pg_pb_listed(list);
	return pg_pb_on(p, "per-thread") ? 1 : pg_pb_cpus();
}

/* How many threads there were follows from the descriptors that were opened. */
static void after(struct pg_pb *p)
{
	const uint64_t fds = (uint64_t)pg_pb_number(p, "open_events"), n = events(p), c = cpus(p);
	const uint64_t threads = fds / n / c;

	pg_str_addf(&p->out, "  Number of cpus:\t%llu\n", (unsigned long long)c);
	pg_str_addf(&p->out, "  Number of threads:\t%llu\n", (unsigned long long)(threads ? threads : 1));
	pg_str_addf(&p->out, "  Number of events:\t%llu (%llu fds)\n", (unsigned long long)n, (unsigned long long)fds);
	pg_str_addf(&p->out, "  Number of iterations:\t%llu\n", (unsigned long long)pg_pb_iterations(p));
	pg_pb_average(p, "", "open-close took", " usec", &p->sum[0]);
}

const struct pg_pb_bench pg_pb_evlist = {
	.collection = "internals",
	.name = "evlist-open-close",
	.synopsis = "perf bench internals evlist-open-close <options>",
	.options = options,
	.metric = "time_per_op",
	.unit = "usec",
	.scale = 1e6,
	.decimals = 3,
	.begin = begin,
	.ready = pg_pb_iterations_ready,
	.each = pg_pb_op_each,
	.after = after,
};
