/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * noop: does nothing and reports 1 us a loop; made for testing the engine, so every way in which a rep can end is an
 * outcome. Timed: nothing. The time is computed (loops x duration, noise from the rep's seed), and spent only where
 * `elapse` says so. Not timed: output, processes and threads left behind, memory touched: all done in setup.
 */
#include "noop.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

extern const struct pg_suite pg_suite_noop;

static const struct pg_choice outcomes[] = {
	[PG_NOOP_SUCCEED] = {"succeed", NULL},
	[PG_NOOP_FAIL] = {"fail", "error from the hook"},
	[PG_NOOP_EXIT] = {"exit", "exit with exit_code"},
	[PG_NOOP_CRASH] = {"crash", "death by signal"},
	[PG_NOOP_HANG] = {"hang", "never ends"},
	[PG_NOOP_VANISH] = {"vanish", "exit 0 without a result"},
	[PG_NOOP_UNSUPPORTED] = {"unsupported", "the probe refuses"},
	[PG_NOOP_INVALID] = {"invalid", "a sample of 0"},
	{NULL, NULL},
};
static const struct pg_choice phases[] = {
	{"probe", NULL}, {"check", NULL}, {"setup", NULL}, {"measure", NULL}, {"teardown", NULL}, {NULL, NULL},
};
static const struct pg_choice never_word[] = {{"never", NULL}, {NULL, NULL}};
static const struct pg_choice streams[] = {{"stdout", NULL}, {"stderr", NULL}, {"both", NULL}, {NULL, NULL}};
static const struct pg_choice grandchildren[] = {
	{"none", NULL}, {"child", NULL}, {"new-session", NULL}, {"double-fork", NULL}, {NULL, NULL},
};
static const struct pg_choice elapses[] = {
	{"none", "only reported"},
	{"sleep", NULL},
	{"spin", NULL},
	{NULL, NULL},
};
static const struct pg_choice noises[] = {
	{"none", NULL},	  {"normal", NULL}, {"lognormal", NULL},  {"bimodal", NULL},
	{"spikes", NULL}, {"drift", NULL},  {"correlated", NULL}, {NULL, NULL},
};
static const struct pg_choice colours[] = {{"red", NULL}, {"green", NULL}, {"blue", NULL}, {NULL, NULL}};

static const struct pg_param params[] = {
	{
		.name = "outcome",
		.doc = "how the rep ends",
		.def = "succeed",
		.choices = outcomes,
		PG_AT_ENUM(struct pg_noop_conf, outcome),
	},
	{
		.name = "strike_phase",
		.doc = "hook in which outcome strikes",
		.def = "measure",
		.choices = phases,
		PG_AT_ENUM(struct pg_noop_conf, strike_phase),
	},
	{
		.name = "strike_every",
		.doc = "outcome strikes in every so many reps",
		.def = "1",
		.min = "1",
		.max = "1000000",
		PG_AT_COUNT(struct pg_noop_conf, strike_every),
	},
	{
		.name = "recover_after",
		.doc = "outcome stops striking after so many attempts at a rep",
		.def = "never",
		.min = "1",
		.max = "100",
		.choices = never_word,
		PG_AT_COUNT_W(struct pg_noop_conf, recover_after),
	},
	{
		.name = "exit_code",
		.doc = "status of outcome exit",
		.def = "1",
		.min = "0",
		.max = "255",
		PG_AT_COUNT(struct pg_noop_conf, exit_code),
	},
	{
		.name = "signal",
		.doc = "signal of outcome crash",
		.def = "segv",
		.choices = pg_noop_signals,
		PG_AT_ENUM(struct pg_noop_conf, signal),
	},
	{
		.name = "output",
		.doc = "bytes printed by the rep",
		.def = "0B",
		.min = "0B",
		.max = "1GB",
		PG_AT_SIZE(struct pg_noop_conf, output),
	},
	{
		.name = "output_stream",
		.doc = "where output goes",
		.def = "stderr",
		.choices = streams,
		PG_AT_ENUM(struct pg_noop_conf, output_stream),
	},
	{
		.name = "grandchild",
		.doc = "process left running",
		.def = "none",
		.choices = grandchildren,
		PG_AT_ENUM(struct pg_noop_conf, grandchild),
	},
	{
		.name = "leaked_descriptors",
		.doc = "descriptors left open",
		.def = "0",
		.min = "0",
		.max = "100000",
		PG_AT_COUNT(struct pg_noop_conf, leaked_descriptors),
	},
	{
		.name = "leaked_threads",
		.doc = "threads left running",
		.def = "0",
		.min = "0",
		.max = "100000",
		PG_AT_COUNT(struct pg_noop_conf, leaked_threads),
	},
	{
		.name = "touch_size",
		.doc = "memory written",
		.def = "0B",
		.min = "0B",
		.max = "16TB",
		PG_AT_SIZE(struct pg_noop_conf, touch_size),
	},
	PG_ROW_LOOPS(struct pg_noop_conf, loops, "loops counted", "1", NULL, 'l'),
	{
		.name = "uncounted_loops",
		.doc = "loops done beyond those counted: a hidden slow-down",
		.def = "0",
		.min = "0",
		.max = "1000000000000",
		PG_AT_COUNT(struct pg_noop_conf, uncounted_loops),
	},
	{
		.name = "duration",
		.doc = "length of one loop",
		.def = "1us",
		.min = "0s",
		.max = "1h",
		PG_AT_TIME(struct pg_noop_conf, duration),
	},
	{
		.name = "elapse",
		.doc = "whether the time is really spent",
		.def = "none",
		.choices = elapses,
		PG_AT_ENUM(struct pg_noop_conf, elapse),
	},
	{
		.name = "noise",
		.doc = "shape of the noise on the time of a rep",
		.def = "none",
		.choices = noises,
		PG_AT_ENUM(struct pg_noop_conf, noise),
	},
	{
		.name = "noise_level",
		.doc = "standard deviation of the noise, as a fraction of duration",
		.def = "0",
		.min = "0",
		.max = "10",
		PG_AT_REAL(struct pg_noop_conf, noise_level),
	},
	{
		.name = "flag",
		.doc = "carried through",
		.def = "false",
		PG_AT_BOOL(struct pg_noop_conf, flag),
	},
	{
		.name = "first",
		.doc = "carried through, and reported as score",
		.def = "0",
		PG_AT_COUNT(struct pg_noop_conf, first),
	},
	{
		.name = "second",
		.doc = "carried through",
		.def = "0",
		PG_AT_COUNT(struct pg_noop_conf, second),
	},
	{
		.name = "fraction",
		.doc = "carried through",
		.def = "0",
		PG_AT_REAL(struct pg_noop_conf, fraction),
	},
	{
		.name = "amount",
		.doc = "carried through, and reported as bandwidth",
		.def = "0B",
		PG_AT_SIZE(struct pg_noop_conf, amount),
	},
	{
		.name = "interval",
		.doc = "carried through",
		.def = "0s",
		PG_AT_TIME(struct pg_noop_conf, interval),
	},
	{
		.name = "choice",
		.doc = "carried through",
		.def = "red",
		.choices = colours,
		PG_AT_ENUM(struct pg_noop_conf, choice),
	},
	{
		.name = "cpu_set",
		.doc = "carried through",
		PG_AT_CPULIST(struct pg_noop_conf, cpu_set),
	},
	{
		.name = "node_set",
		.doc = "carried through",
		PG_AT_NODELIST(struct pg_noop_conf, node_set),
	},
	{
		.name = "text",
		.doc = "carried through",
		PG_AT_TEXT(struct pg_noop_conf, text),
	},
	{
		.name = "ignore_signals",
		.doc = "TERM and INT ignored",
		.def = "false",
		PG_AT_BOOL(struct pg_noop_conf, ignore_signals),
	},
	{.name = NULL},
};

enum { M_TIME_PER_OP, M_TIME, M_RATE, M_BANDWIDTH, M_SCORE, M_OPERATIONS, M_AMOUNT };

static const struct pg_metric metrics[] = {
	[M_TIME_PER_OP] =
		PG_ROW_RATIO("time_per_op", "time / loops", PG_U_S, PG_LOWER, M_TIME, M_OPERATIONS, PG_M_MAIN),
	[M_TIME] = PG_ROW_RAW("time", "(loops + uncounted_loops) x duration, with noise", PG_U_S, PG_LOWER, PG_SUM,
			      PG_M_GROWS),
	[M_RATE] = PG_ROW_RATIO("rate", "loops / time", PG_U_PER_S, PG_HIGHER, M_OPERATIONS, M_TIME, 0),
	[M_BANDWIDTH] =
		PG_ROW_RATIO("bandwidth", "amount / time", PG_U_B_PER_S, PG_HIGHER, M_AMOUNT, M_TIME, PG_M_ZERO_OK),
	[M_SCORE] = PG_ROW_RAW("score", "the param first", PG_U_COUNT, PG_NEITHER, PG_MAX, 0),
	[M_OPERATIONS] = PG_ROW_HIDDEN("operations", "loops counted", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_AMOUNT] = PG_ROW_HIDDEN("amount_total", "the param amount", PG_U_B, PG_SUM, 0),
	{.name = NULL},
};

static int noop_probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct pg_noop_conf *conf = vconf;

	(void)env;
	need->descriptors = conf->leaked_descriptors;
	need->tasks = conf->leaked_threads + (conf->grandchild ? 2 : 0);
	need->bytes = conf->leaked_threads * pg_crew_task_bytes(true, 0) + conf->touch_size;
	return pg_noop_strike_early(conf, PG_NOOP_PROBE, err);
}

static int noop_check(const void *vconf, struct pg_err *err)
{
	if (pg_noop_strike_check(vconf, err))
		return -1;
	return pg_noop_strike_early(vconf, PG_NOOP_CHECK, err);
}

static int noop_setup(struct pg_run *run, struct pg_err *err)
{
	const struct pg_noop_conf *conf = run->conf;

	if (pg_noop_leaves_traces(conf)) {
		run->state = calloc(1, sizeof(struct pg_noop));
		if (!run->state)
			return pg_fail_nomem(err);
		if (pg_noop_leave_traces(conf, run->state, err))
			return -1;
	}
	return pg_noop_strike(run, PG_NOOP_SETUP, NULL, err);
}

/* The time that is reported, in ns. */
static int compute(const struct pg_run *run, const struct pg_noop_conf *conf, int64_t *time, struct pg_err *err)
{
	const uint64_t loops = conf->loops + conf->uncounted_loops;
	double noisy;

	if (__builtin_mul_overflow(loops, conf->duration, time))
		return pg_fail(err, PG_EFAILED,
			       "%" PRIu64 " loops of %" PRId64
			       " ns are more than 292 years; take fewer or shorter ones",
			       loops, conf->duration);
	if (conf->noise == PG_NOOP_QUIET || *time == 0)
		return 0;
	noisy = (double)*time * pg_noop_noise_factor(conf->noise, conf->noise_level, run->seed, run->rep);
	if (noisy >= 0x1p63)
		return pg_fail(err, PG_EFAILED,
			       "the time with noise is more than 292 years; take fewer or shorter loops");
	/* Noise never makes a time that cannot be. */
	*time = noisy < 1 ? 1 : (int64_t)(noisy + 0.5);
	return 0;
}

static void spend(int elapse, int64_t time)
{
	const int64_t start = pg_now_ns();
	int64_t gone;

	while ((gone = pg_since(pg_now_ns(), start)) < time) {
		const int64_t left = time - gone;
		const struct timespec t = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};

		if (elapse == PG_NOOP_SLEEP)
			nanosleep(&t, NULL);
	}
}

static int noop_once(struct pg_run *run, struct pg_err *err)
{
	const struct pg_noop_conf *conf = run->conf;
	int64_t time;

	if (compute(run, conf, &time, err) || pg_noop_strike(run, PG_NOOP_MEASURE, &time, err))
		return -1;
	if (conf->elapse != PG_NOOP_ELAPSE_NONE)
		spend(conf->elapse, time);
	run->timed_ns = time;
	pg_record(run, M_TIME, time);
	pg_record(run, M_SCORE, (int64_t)conf->first);
	pg_record(run, M_OPERATIONS, (int64_t)conf->loops);
	pg_record(run, M_AMOUNT, (int64_t)conf->amount);
	return 0;
}

static void noop_teardown(struct pg_run *run)
{
	pg_noop_strike(run, PG_NOOP_TEARDOWN, NULL, NULL);
	if (run->state)
		pg_noop_remove_traces(run->state);
	free(run->state);
	run->state = NULL;
}

static const struct pg_bench noop = {
	.name = "noop",
	.summary = "does nothing; for testing the engine",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct pg_noop_conf),
	.probe = noop_probe,
	.check = noop_check,
	.setup = noop_setup,
	.once = noop_once,
	.teardown = noop_teardown,
	.one_process = true,
	.computed = true,
};

static const struct pg_bench *const benches[] = {&noop, NULL};

const struct pg_suite pg_suite_noop = {
	.name = "noop",
	.summary = "nothing, in every way it can go wrong",
	.benches = benches,
};
