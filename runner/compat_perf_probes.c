/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `perf bench breakpoint` and `perf bench uprobe`. */
#include "runner/compat_perf_call.h"
#include "runner/compat_perf_tables.h"

static long long count(const struct pg_pb *p, const char *param)
{
	return (long long)pg_dropin_value(&p->d, param);
}

static const struct pg_fopt thread_options[] = {
	{.name = "breakpoints",
	 .letter = 'b',
	 .kind = PG_FOPT_UINT,
	 .param = "breakpoints",
	 .help = "breakpoints that each thread inherits (default: 1)"},
	{.name = "parallelism",
	 .letter = 'p',
	 .kind = PG_FOPT_UINT,
	 .param = "creators",
	 .help = "threads that create the batches (default: 1)"},
	{.name = "threads",
	 .letter = 't',
	 .kind = PG_FOPT_UINT,
	 .param = "threads",
	 .help = "threads of a batch (default: 1)"},
	{.name = NULL},
};
static const struct pg_fopt enable_options[] = {
	{.name = "passive",
	 .letter = 'p',
	 .kind = PG_FOPT_UINT,
	 .param = "blocked_threads",
	 .help = "threads that sleep (default: 0)"},
	{.name = "active",
	 .letter = 'a',
	 .kind = PG_FOPT_UINT,
	 .param = "spinning_threads",
	 .help = "threads that run (default: 0)"},
	{.name = NULL},
};

/* The ancestor says batches where it writes threads; with one thread a batch that is the same. */
static void thread_each(struct pg_pb *p)
{
	pg_str_addf(&p->out, "# Created/joined %lld threads with %lld breakpoints and %lld parallelism\n",
		    count(p, "loops") * count(p, "threads"), count(p, "breakpoints"), count(p, "creators"));
	pg_pb_total(p);
	pg_str_addf(&p->out, "\n %14lf usecs/op\n", pg_pb_number(p, "time_per_op") * 1e6);
	pg_str_addf(&p->out, " %14lf usecs/op/cpu\n", pg_pb_number(p, "time_per_op_per_cpu") * 1e6);
}

static void enable_each(struct pg_pb *p)
{
	pg_str_addf(&p->out, "# Enabled/disabled breakpoint %lld time with %lld passive and %lld active threads\n",
		    count(p, "loops"), count(p, "blocked_threads"), count(p, "spinning_threads"));
	pg_pb_total(p);
	pg_str_addf(&p->out, "\n %14lf usecs/op\n", pg_pb_number(p, "time_per_op") * 1e6);
}

/* clang-format off */
#define BREAKPOINT(NAME, OPTIONS, EACH)                                                                                \
	{.collection = "breakpoint", .name = NAME, .synopsis = "perf bench breakpoint " NAME " <options>",             \
	 .options = OPTIONS, .simple = PG_PB_SECONDS, .by_repeat = PG_PB_LOOPS, .metric = "time_per_op",           \
	 .unit = "usecs/op", .scale = 1e6, .each = EACH}
/* clang-format on */
static const struct pg_pb_bench thread = BREAKPOINT("thread", thread_options, thread_each);
static const struct pg_pb_bench enable = BREAKPOINT("enable", enable_options, enable_each);

const struct pg_pb_bench *const pg_pb_breakpoint[] = {&thread, &enable, NULL};

static const struct pg_fopt uprobe_options[] = {
	{.name = "loop",
	 .letter = 'l',
	 .kind = PG_FOPT_INT,
	 .param = "loops",
	 .help = "calls of usleep(1000) (default: 1000)"},
	{.name = "nr_loops", .param = "loop"},
	{.name = NULL},
};

static bool is_baseline(const struct pg_pb *p)
{
	return p->bench == pg_pb_uprobe[0];
}

/* What a run of `all` knows of the ones before: the difference to each. */
static void differences(struct pg_pb *p, double v, double baseline, double previous, bool per_op)
{
	const struct {
		double than;
		const char *what;
	} others[] = {{baseline, "baseline"}, {previous, "previous"}};

	for (size_t i = 0; i < 2 && !is_baseline(p); i++) {
		const double d = v - others[i].than;

		if (others[i].than <= 0)
			continue;
		if (per_op)
			pg_str_addf(&p->out, " %s%.3f usecs/op to %s", d > 0 ? "+" : "", d, others[i].what);
		else
			pg_str_addf(&p->out, " %s%lld to %s", d > 0 ? "+" : "", (long long)d, others[i].what);
	}
}

static void uprobe_each(struct pg_pb *p)
{
	const double total = pg_pb_number(p, "time") * 1e6, per_op = total / (double)count(p, "loops");
	struct pg_pb_chain *c = p->in_all ? p->chain : NULL;

	if (p->format == PG_PB_SIMPLE) {
		pg_str_addf(&p->out, "%lld\n", (long long)total);
		return;
	}
	pg_str_addf(&p->out, "# Executed %lld usleep(1000) calls\n %14s: %lld usecs", count(p, "loops"), "Total time",
		    (long long)total);
	if (c)
		differences(p, total, c->baseline, c->previous, false);
	pg_str_addf(&p->out, "\n\n %.3f usecs/op", per_op);
	if (c)
		differences(p, per_op, c->baseline_op, c->previous_op, true);
	pg_str_addc(&p->out, '\n');
	if (!c)
		return;
	if (is_baseline(p)) {
		c->baseline = total;
		c->baseline_op = per_op;
	} else {
		c->previous = total;
		c->previous_op = per_op;
	}
}

/* clang-format off */
#define UPROBE(NAME)                                                                                                   \
	{.collection = "uprobe", .name = NAME, .synopsis = "perf bench uprobe <options>", .options = uprobe_options,   \
	 .words_ok = true, .simple = PG_PB_HOOKS, .metric = "time_per_op", .unit = "usecs/op", .scale = 1e6,         \
	 .decimals = 3, .each = uprobe_each}
/* clang-format on */
static const struct pg_pb_bench uprobes[] = {
	UPROBE("baseline"), UPROBE("empty"), UPROBE("trace_printk"), UPROBE("empty_ret"), UPROBE("trace_printk_ret"),
};

const struct pg_pb_bench *const pg_pb_uprobe[] = {&uprobes[0], &uprobes[1], &uprobes[2],
						  &uprobes[3], &uprobes[4], NULL};
