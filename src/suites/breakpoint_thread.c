/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * breakpoint/thread: threads made and joined under inherited watchpoints (perf bench breakpoint thread). `creators`
 * threads share `loops` batches; a batch makes `threads` threads that sleep on a futex, tells them to end and joins
 * them.
 * Timed: from before the creators are made until they are joined (time), and the batches alone, from the first
 * creator's first to the last creator's last (work_time_per_op). Not timed: setting and removing the watchpoints.
 * Differs from the ancestor: a start gate for the creators, monotonic clock, 64-bit counts, threads counted as well as
 * batches, a batch that cannot be made whole ends the rep with the reason.
 */
#include "breakpoint.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

extern const struct pg_bench pg_breakpoint_thread;

struct conf {
	uint64_t loops, breakpoints, creators, threads;
	int placement;
};

struct state {
	const struct conf *conf;
	struct pg_crew *crew;
	int fds[PG_BREAKPOINTS];
	size_t n_fds;
	unsigned char byte;		   /* watched */
	_Alignas(64) _Atomic int64_t left; /* batches that nobody has taken */
};

/* One creator's, on cache lines of its own. */
struct batch {
	_Alignas(64) _Atomic uint32_t end;
	_Alignas(64) pthread_t *threads;
};

static const struct pg_param params[] = {
	PG_ROW_LOOPS(struct conf, loops, "batches, of all creators together", "10", "auto", 0),
	{
		.name = "breakpoints",
		.doc = "watchpoints that every thread inherits",
		.def = "1",
		.min = "0",
		.max = "64",
		.opt = 'b',
		PG_AT_COUNT(struct conf, breakpoints),
	},
	{
		.name = "creators",
		.doc = "threads that make and join the batches",
		.def = "1",
		.min = "1",
		.max = "100000",
		.opt = 'p',
		PG_AT_COUNT(struct conf, creators),
	},
	{
		.name = "threads",
		.doc = "threads of a batch",
		.def = "1",
		.min = "1",
		.max = "100000",
		.opt = 't',
		PG_AT_COUNT(struct conf, threads),
	},
	PG_ROW_PLACEMENT(struct conf, placement, "where the creators run, and the threads that they make", "free"),
	{.name = NULL},
};

enum { M_TIME_PER_OP, M_TIME, M_TIME_PER_OP_PER_CPU, M_WORK_TIME_PER_OP, M_OPERATIONS, M_CREATOR_TIME, M_WORK_TIME };

static const struct pg_metric metrics[] = {
	[M_TIME_PER_OP] = PG_ROW_RATIO("time_per_op", "time / loops / threads", PG_U_S, PG_LOWER, M_TIME, M_OPERATIONS,
				       PG_M_MAIN),
	[M_TIME] = PG_ROW_RAW("time", "before the creators are made to after they are joined", PG_U_S, PG_LOWER, PG_SUM,
			      PG_M_GROWS),
	[M_TIME_PER_OP_PER_CPU] = PG_ROW_RATIO("time_per_op_per_cpu", "time_per_op x creators", PG_U_S, PG_LOWER,
					       M_CREATOR_TIME, M_OPERATIONS, 0),
	[M_WORK_TIME_PER_OP] =
		PG_ROW_RATIO("work_time_per_op", "first batch to last batch / loops / threads, creators ready before",
			     PG_U_S, PG_LOWER, M_WORK_TIME, M_OPERATIONS, 0),
	[M_OPERATIONS] = PG_ROW_HIDDEN("operations", "threads made and joined", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_CREATOR_TIME] = PG_ROW_HIDDEN("creator_time", "time x creators", PG_U_S, PG_SUM, PG_M_GROWS),
	[M_WORK_TIME] = PG_ROW_HIDDEN("work_time", "first batch to last batch", PG_U_S, PG_SUM, PG_M_GROWS),
	{.name = NULL},
};

static int thread_probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct conf *conf = vconf;
	int fds[PG_BREAKPOINTS];
	unsigned char byte = 0;

	need->descriptors = conf->breakpoints;
	need->tasks = conf->creators * (1 + conf->threads);
	/* Stacks are reserved, not used: a task costs what the kernel has of it, and two pages. */
	need->bytes = need->tasks * pg_crew_task_bytes(true, 0);
	if (pg_place_probe(conf->placement, env->topo, err))
		return -1;
	if (*env->root) /* a fake machine sets no breakpoint */
		return 0;
	if (pg_breakpoints_open(fds, conf->breakpoints, &byte, err))
		return -1;
	pg_breakpoints_close(fds, conf->breakpoints);
	return 0;
}

static int thread_setup(struct pg_run *run, struct pg_err *err)
{
	struct state *s = aligned_alloc(64, sizeof(*s));

	run->state = s;
	if (!s)
		return pg_fail_nomem(err);
	memset(s, 0, sizeof(*s));
	s->conf = run->conf;
	if (pg_breakpoints_open(s->fds, s->conf->breakpoints, &s->byte, err))
		return -1;
	s->n_fds = s->conf->breakpoints;
	return 0;
}

static void *sleeper(void *arg)
{
	_Atomic uint32_t *end = arg;

	while (!atomic_load(end))
		pg_futex_wait_private(end, 0);
	return NULL;
}

/* Those made are told to end and joined whatever happens. 0 or an errno. */
static int run_batch(struct batch *b, uint64_t threads, uint64_t *made)
{
	int e = 0;

	atomic_store(&b->end, 0);
	for (*made = 0; *made < threads; ++*made) {
		e = pthread_create(&b->threads[*made], NULL, sleeper, &b->end);
		if (e)
			break;
	}
	atomic_store(&b->end, 1);
	pg_futex_wake_all_private(&b->end);
	for (uint64_t i = 0; i < *made; i++)
		pthread_join(b->threads[i], NULL);
	return e;
}

/* Counts the threads that it made and joined. */
static int run_batches(struct pg_worker *w, struct state *s, struct batch *b)
{
	const uint64_t threads = s->conf->threads;
	uint64_t made;

	w->slot->start_ns = pg_now_ns();
	while (atomic_fetch_sub(&s->left, 1) > 0 && !pg_worker_told_to_stop(w)) {
		const int e = run_batch(b, threads, &made);

		if (e) {
			errno = e;
			return pg_worker_fail_sys(w,
						  "made %llu of the %llu threads of a batch; lower threads or creators",
						  (unsigned long long)made, (unsigned long long)threads);
		}
		w->slot->count += threads;
	}
	w->slot->end_ns = pg_now_ns();
	return 0;
}

static int creator(struct pg_worker *w, void *arg)
{
	struct state *s = arg;
	struct batch b = {.end = 0};
	int r = -1;

	b.threads = calloc(s->conf->threads, sizeof(*b.threads));
	if (!b.threads)
		return pg_worker_fail(w, "out of memory for %llu threads; lower threads",
				      (unsigned long long)s->conf->threads);
	pg_worker_ready(w);
	if (pg_worker_hold(w) == 0)
		r = run_batches(w, s, &b);
	free(b.threads);
	return r;
}

static int make_and_join(struct state *s, struct pg_err *err)
{
	for (uint64_t i = 0; i < s->conf->creators; i++)
		if (pg_crew_start(s->crew, creator, s, err))
			return -1;
	return pg_crew_reap(s->crew, err);
}

static int record(struct pg_run *run, const struct state *s, int64_t time, struct pg_err *err)
{
	int64_t first = INT64_MAX, last = 0;
	uint64_t made = 0;

	for (uint64_t i = 0; i < s->conf->creators; i++) {
		const struct pg_slot *slot = pg_crew_slot(s->crew, i);

		first = slot->start_ns < first ? slot->start_ns : first;
		last = slot->end_ns > last ? slot->end_ns : last;
		made += slot->count;
	}
	if (made != s->conf->loops * s->conf->threads)
		return pg_fail(err, PG_EFAILED, "%llu threads were made instead of %llu; run it again",
			       (unsigned long long)made, (unsigned long long)(s->conf->loops * s->conf->threads));
	pg_record(run, M_TIME, time);
	pg_record(run, M_CREATOR_TIME, time * (int64_t)s->conf->creators);
	pg_record(run, M_WORK_TIME, pg_since(last, first));
	pg_record(run, M_OPERATIONS, (int64_t)made);
	return 0;
}

static int thread_once(struct pg_run *run, struct pg_err *err)
{
	struct state *s = run->state;
	const struct pg_crew_opts opts = {
		.n = s->conf->creators,
		.threads = true,
		.placement = s->conf->placement,
		.root = run->root,
		.last_opens = true,
	};
	int64_t start, time;
	int r;

	atomic_store(&s->left, (int64_t)s->conf->loops);
	if (pg_crew_open(&s->crew, &opts, err))
		return -1;
	start = pg_now_ns();
	r = make_and_join(s, err);
	time = pg_since(pg_now_ns(), start);
	if (r == 0)
		r = record(run, s, time, err);
	pg_crew_close(s->crew);
	s->crew = NULL;
	return r;
}

static void thread_teardown(struct pg_run *run)
{
	struct state *s = run->state;

	if (!s)
		return;
	pg_crew_close(s->crew);
	pg_breakpoints_close(s->fds, s->n_fds);
	free(s);
	run->state = NULL;
}

const struct pg_bench pg_breakpoint_thread = {
	.name = "breakpoint/thread",
	.summary = "threads made and joined under inherited breakpoints",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct conf),
	.probe = thread_probe,
	.tries = true,
	.setup = thread_setup,
	.once = thread_once,
	.teardown = thread_teardown,
};
