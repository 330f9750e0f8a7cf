/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * breakpoint/enable: a watchpoint disabled and enabled while threads that inherited it sleep or spin (perf bench
 * breakpoint enable).
 * Timed: `loops` pairs of the two ioctls (time, time_per_op); then as many once more, each ioctl between two stamps
 * (disable_time, enable_time), so that the stamps are no part of the compatible figure. Not timed: making the threads,
 * waiting until the blocked ones are seen asleep and every spinning one has begun, `settle`, ending them. Differs from
 * the ancestor: that wait instead of a fixed 10 ms alone, monotonic clock, the two ioctls told apart.
 */
#include "breakpoint.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

extern const struct pg_bench pg_breakpoint_enable;

#define ASLEEP_BOUND_NS INT64_C(60000000000) /* thousands of spinning threads take their time */

struct conf {
	uint64_t loops, blocked_threads, spinning_threads;
	int64_t settle;
	int placement;
};

struct state {
	const struct conf *conf;
	const char *root;
	struct pg_crew *crew; /* NULL without threads */
	struct pg_sleeper *sleepers;
	int fd; /* -1 = closed */
	unsigned char byte;
	_Alignas(64) _Atomic uint32_t end; /* read only until the end: all spinning threads share it */
};

static const struct pg_param params[] = {
	PG_ROW_LOOPS(struct conf, loops, "pairs of disable and enable", "10", "auto", 0),
	{
		.name = "blocked_threads",
		.doc = "threads that inherit the breakpoint and sleep",
		.def = "0",
		.min = "0",
		.max = "100000",
		.opt = 'p',
		PG_AT_COUNT(struct conf, blocked_threads),
	},
	{
		.name = "spinning_threads",
		.doc = "threads that inherit the breakpoint and run",
		.def = "0",
		.min = "0",
		.max = "100000",
		.opt = 'a',
		PG_AT_COUNT(struct conf, spinning_threads),
	},
	{
		.name = "settle",
		.doc = "rest between all threads sleeping or running and the timed part",
		.def = "10ms",
		.min = "0s",
		.max = "1min",
		PG_AT_TIME(struct conf, settle),
	},
	PG_ROW_PLACEMENT(struct conf, placement, "where the inheriting threads run", "free"),
	{.name = NULL},
};

enum { M_TIME_PER_OP, M_TIME, M_DISABLE_TIME, M_ENABLE_TIME, M_OPERATIONS, M_DISABLE_TOTAL, M_ENABLE_TOTAL };

static const struct pg_metric metrics[] = {
	[M_TIME_PER_OP] =
		PG_ROW_RATIO("time_per_op", "time / loops", PG_U_S, PG_LOWER, M_TIME, M_OPERATIONS, PG_M_MAIN),
	[M_TIME] = PG_ROW_RAW("time", "all pairs of disable and enable", PG_U_S, PG_LOWER, PG_SUM, PG_M_GROWS),
	[M_DISABLE_TIME] = PG_ROW_RATIO("disable_time", "one disable, mean, stamps included", PG_U_S, PG_LOWER,
					M_DISABLE_TOTAL, M_OPERATIONS, 0),
	[M_ENABLE_TIME] = PG_ROW_RATIO("enable_time", "one enable, mean, stamps included", PG_U_S, PG_LOWER,
				       M_ENABLE_TOTAL, M_OPERATIONS, 0),
	[M_OPERATIONS] = PG_ROW_HIDDEN("operations", "pairs done", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_DISABLE_TOTAL] =
		PG_ROW_HIDDEN("disable_total", "all disables of the second pass", PG_U_S, PG_SUM, PG_M_GROWS),
	[M_ENABLE_TOTAL] = PG_ROW_HIDDEN("enable_total", "all enables of the second pass", PG_U_S, PG_SUM, PG_M_GROWS),
	{.name = NULL},
};

static int enable_probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct conf *conf = vconf;
	unsigned char byte = 0;
	int fd;

	need->descriptors = 1;
	need->tasks = conf->blocked_threads + conf->spinning_threads;
	need->bytes = need->tasks * pg_crew_task_bytes(true, 0);
	if (pg_place_probe(conf->placement, env->topo, err))
		return -1;
	if (*env->root) /* a fake machine sets no breakpoint */
		return 0;
	if (pg_breakpoints_open(&fd, 1, &byte, err))
		return -1;
	pg_breakpoints_close(&fd, 1);
	return 0;
}

static int enable_setup(struct pg_run *run, struct pg_err *err)
{
	struct state *s = aligned_alloc(64, sizeof(*s));

	run->state = s;
	if (!s)
		return pg_fail_nomem(err);
	memset(s, 0, sizeof(*s));
	s->conf = run->conf;
	s->root = run->root;
	s->fd = -1;
	s->sleepers = calloc(s->conf->blocked_threads + 1, sizeof(*s->sleepers));
	if (!s->sleepers)
		return pg_fail_nomem(err);
	if (pg_breakpoints_open(&s->fd, 1, &s->byte, err)) {
		s->fd = -1;
		return -1;
	}
	return 0;
}

static int blocked(struct pg_worker *w, void *arg)
{
	struct state *s = arg;

	w->slot->count = (uint64_t)syscall(SYS_gettid);
	pg_worker_ready(w);
	while (!atomic_load(&s->end) && !pg_worker_told_to_stop(w))
		pg_futex_wait_private(&s->end, 0);
	return 0;
}

static int spinning(struct pg_worker *w, void *arg)
{
	struct state *s = arg;

	pg_worker_ready(w);
	while (!atomic_load_explicit(&s->end, memory_order_relaxed) && !pg_worker_told_to_stop(w))
		;
	return 0;
}

/* ctx NULL: there are none. */
static int workers_live(void *ctx, struct pg_err *err)
{
	return ctx ? pg_crew_check(ctx, err) : 0;
}

/* All begun, and the blocked ones seen asleep in their futex. */
static int start_threads(struct state *s, struct pg_err *err)
{
	const struct conf *conf = s->conf;
	const uint64_t n = conf->blocked_threads + conf->spinning_threads;
	const struct pg_crew_opts opts = {.n = n, .threads = true, .placement = conf->placement, .root = s->root};
	struct pg_settle asleep = {
		.root = "",
		.tasks = s->sleepers,
		.n = conf->blocked_threads,
		.bound_ns = ASLEEP_BOUND_NS,
		.check = workers_live,
	};

	if (n == 0)
		return 0;
	if (pg_crew_open(&s->crew, &opts, err))
		return -1;
	for (uint64_t i = 0; i < n; i++)
		if (pg_crew_start(s->crew, i < conf->blocked_threads ? blocked : spinning, s, err))
			return -1;
	if (pg_crew_wait_ready(s->crew, err))
		return -1;
	for (uint64_t i = 0; i < conf->blocked_threads; i++)
		s->sleepers[i] = (struct pg_sleeper){
			.task = (pid_t)pg_crew_slot(s->crew, i)->count, .call = SYS_futex, .at = &s->end};
	asleep.ctx = s->crew;
	return conf->blocked_threads ? pg_settle(&asleep, err) : 0;
}

static int end_threads(struct state *s, struct pg_err *err)
{
	int r;

	if (!s->crew)
		return 0;
	atomic_store(&s->end, 1);
	pg_futex_wake_all_private(&s->end);
	r = pg_crew_reap(s->crew, err);
	pg_crew_close(s->crew);
	s->crew = NULL;
	return r;
}

static int run_pairs(struct pg_run *run, const struct state *s, struct pg_err *err)
{
	int64_t start = pg_now_ns(), time, disable = 0, enable = 0;

	for (uint64_t i = 0; i < s->conf->loops; i++)
		if (ioctl(s->fd, PERF_EVENT_IOC_DISABLE, 0) || ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0))
			return pg_fail_sys(
				err, "cannot switch the breakpoint in pair %llu; run it again, alone on this machine",
				(unsigned long long)i + 1);
	time = pg_since(pg_now_ns(), start);
	for (uint64_t i = 0; i < s->conf->loops; i++) {
		const int64_t a = pg_now_ns();
		const int off = ioctl(s->fd, PERF_EVENT_IOC_DISABLE, 0);
		const int64_t b = pg_now_ns();
		const int on = ioctl(s->fd, PERF_EVENT_IOC_ENABLE, 0);
		const int64_t c = pg_now_ns();

		if (off || on)
			return pg_fail_sys(err,
					   "cannot switch the breakpoint in pair %llu of the second pass; run it "
					   "again, alone on this "
					   "machine",
					   (unsigned long long)i + 1);
		disable += pg_since(b, a);
		enable += pg_since(c, b);
	}
	run->timed_ns = time;
	pg_record(run, M_TIME, time);
	pg_record(run, M_OPERATIONS, (int64_t)s->conf->loops);
	pg_record(run, M_DISABLE_TOTAL, disable);
	pg_record(run, M_ENABLE_TOTAL, enable);
	return 0;
}

static int enable_once(struct pg_run *run, struct pg_err *err)
{
	struct state *s = run->state;

	atomic_store(&s->end, 0);
	if (start_threads(s, err) || pg_settle_rest(s->conf->settle, workers_live, s->crew, err) ||
	    run_pairs(run, s, err))
		return -1;
	return end_threads(s, err);
}

static void enable_teardown(struct pg_run *run)
{
	struct state *s = run->state;

	if (!s)
		return;
	end_threads(s, NULL);
	if (s->fd >= 0)
		pg_breakpoints_close(&s->fd, 1);
	free(s->sleepers);
	free(s);
	run->state = NULL;
}

const struct pg_bench pg_breakpoint_enable = {
	.name = "breakpoint/enable",
	.summary = "a breakpoint disabled and enabled under threads that inherited it",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct conf),
	.probe = enable_probe,
	.tries = true,
	.setup = enable_setup,
	.once = enable_once,
	.teardown = enable_teardown,
};
