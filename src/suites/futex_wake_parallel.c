/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * futex/wake-parallel: threads block on one futex, `wakers` other threads wake equal shares of them at the same time,
 * each by one call (perf bench futex wake-parallel).
 * Timed: each waker's own call, mean (thread_time), and from the opening of the wakers' barrier to the last call's
 * return, mean of the rounds (time, time_per_op). Not timed: as futex/wake. Differs from the ancestor: as futex/wake;
 * before the barrier opens all wakers are awake and look at one flag, so that no waker has to be woken by the barrier;
 * a waker that reaches fewer than its share fails the rep, and the others are still woken.
 */
#include "futex.h"

#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

extern const struct pg_bench pg_futex_wake_parallel;

#define NAP_NS 20000

static const struct pg_param params[] = {
	PG_FUTEX_ROW_THREADS("waiters"),
	PG_FUTEX_ROW_LOOPS,
	{
		.name = "wakers",
		.doc = "waking threads, a divisor of threads",
		.def = "threads",
		.min = "1",
		.max = "threads",
		.opt = 'w',
		PG_AT_COUNT(struct pg_futex_conf, wakers),
	},
	PG_FUTEX_ROW_SETTLE("200ms"),
	PG_FUTEX_ROWS_COMMON("where the waiters run; wakers run anywhere"),
	{.name = NULL},
};

enum {
	M_THREAD_TIME,
	M_TIME,
	M_TIME_PER_OP,
	M_WORK_TIME,
	M_BUCKETS,
	M_ROUNDS,
	M_CALLS,
	M_TOTAL,
	M_WORK,
	M_THREAD_TOTAL
};

static const struct pg_metric metrics[] = {
	[M_THREAD_TIME] = PG_ROW_RATIO("thread_time", "mean over wakers of their one call", PG_U_S, PG_LOWER,
				       M_THREAD_TOTAL, M_CALLS, PG_M_MAIN),
	[M_TIME] = PG_ROW_RATIO("time", "barrier open to last waker's call returned, mean of the rounds", PG_U_S,
				PG_LOWER, M_TOTAL, M_ROUNDS, 0),
	[M_TIME_PER_OP] = PG_ROW_RATIO("time_per_op", "one call, all wakers together: time / wakers", PG_U_S, PG_LOWER,
				       M_TOTAL, M_CALLS, 0),
	[M_WORK_TIME] = PG_ROW_RATIO("work_time", "barrier open to last waiter back in user space, mean of the rounds",
				     PG_U_S, PG_LOWER, M_WORK, M_ROUNDS, 0),
	[M_BUCKETS] = PG_FUTEX_METRIC_BUCKETS,
	PG_FUTEX_ROUND_METRICS(M_ROUNDS, M_CALLS, M_TOTAL, M_WORK),
	[M_THREAD_TOTAL] = PG_ROW_HIDDEN("total_thread_time", "calls of all wakers", PG_U_S, PG_SUM, PG_M_GROWS),
	{.name = NULL},
};

/* Of one waker, on cache lines of its own. */
struct call {
	_Alignas(64) _Atomic int64_t start_ns, stop_ns;
	_Atomic int64_t woken;
	int64_t total_ns; /* of the timed rounds, summed up by the main task */
};

/* called and open hold the number of the next round, modulo 2^32. */
struct barrier {
	struct pg_futex_word called; /* wakers may wake up and come */
	struct pg_futex_word open;
	_Alignas(64) _Atomic uint64_t arrived; /* over all rounds */
	_Alignas(64) _Atomic uint64_t finished;
};

struct parallel {
	struct pg_futex_rounds rounds; /* first: teardown */
	struct barrier barrier;
	struct call *calls;
};

static int parallel_probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct pg_futex_conf *conf = vconf;

	return pg_futex_probe(conf, env, conf->threads + conf->wakers,
			      pg_futex_rounds_bytes(conf) + conf->wakers * sizeof(struct call), need, err);
}

static int parallel_check(const void *vconf, struct pg_err *err)
{
	const struct pg_futex_conf *conf = vconf;

	if (conf->wakers == 0 || conf->threads % conf->wakers)
		return pg_fail(err, PG_EUSAGE,
			       "wakers: %" PRIu64 " is no divisor of threads, %" PRIu64
			       "; each waker has the same share of the waiters",
			       conf->wakers, conf->threads);
	return pg_futex_check(conf, err);
}

static bool is_before(uint32_t a, uint32_t b)
{
	return (int32_t)(a - b) < 0;
}

/* Asleep until the round is called, then looking at one flag until it opens. -1: the crew is being ended. */
static int pass_barrier(struct pg_worker *w, struct barrier *b, uint32_t next)
{
	uint32_t seen;

	while (is_before(seen = atomic_load(&b->called.v), next)) {
		if (pg_worker_told_to_stop(w))
			return -1;
		pg_futex_call(&b->called.v, FUTEX_WAIT | FUTEX_PRIVATE_FLAG, seen, 0, NULL, 0);
	}
	atomic_fetch_add(&b->arrived, 1);
	while (is_before(atomic_load_explicit(&b->open.v, memory_order_acquire), next)) {
		if (pg_worker_told_to_stop(w))
			return -1;
		sched_yield(); /* there may be more wakers than CPUs */
	}
	return 0;
}

static int waker(struct pg_worker *w, void *arg)
{
	struct parallel *p = arg;
	const struct pg_futex_conf *conf = p->rounds.conf;
	const uint32_t share = (uint32_t)(conf->threads / conf->wakers);
	const int op = pg_futex_op(conf, FUTEX_WAKE);
	struct call *mine = &p->calls[w->index];

	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	for (uint64_t i = 0; i <= conf->loops; i++) {
		int64_t start, stop;
		long woken;

		if (pass_barrier(w, &p->barrier, (uint32_t)(i + 1)))
			return -1;
		start = pg_now_ns();
		woken = pg_futex_call(&p->rounds.words->turn[i & 1].v, op, share, 0, NULL, 0);
		stop = pg_now_ns();
		if (woken < 0)
			return pg_worker_fail_sys(w, "cannot wake waiters of a futex");
		atomic_store_explicit(&mine->start_ns, start, memory_order_relaxed);
		atomic_store_explicit(&mine->stop_ns, stop, memory_order_relaxed);
		atomic_store_explicit(&mine->woken, woken, memory_order_relaxed);
		atomic_fetch_add(&p->barrier.finished, 1);
	}
	return 0;
}

/* Until all wakers have been counted in this round too; the main task keeps off the CPUs while wakers work. */
static int await(struct pg_futex_rounds *f, const _Atomic uint64_t *count, bool spin, struct pg_err *err)
{
	const struct timespec t = {.tv_nsec = NAP_NS};
	const int64_t start = pg_now_ns();
	const uint64_t n = f->conf->wakers, before = n * f->number;
	uint64_t got;

	while ((got = atomic_load(count) - before) < n) {
		if (pg_futex_rounds_late(f, start, "waker", got, n, err))
			return -1;
		if (spin)
			sched_yield();
		else
			nanosleep(&t, NULL);
	}
	return 0;
}

static int read_calls(struct parallel *p, struct pg_futex_round *out, struct pg_err *err)
{
	const struct pg_futex_conf *conf = p->rounds.conf;
	const int64_t share = (int64_t)(conf->threads / conf->wakers);

	for (uint64_t i = 0; i < conf->wakers; i++) {
		const int64_t start = atomic_load(&p->calls[i].start_ns), stop = atomic_load(&p->calls[i].stop_ns);
		const int64_t woken = atomic_load(&p->calls[i].woken);

		if (woken != share && pg_futex_rounds_check(&p->rounds, err))
			return -1;
		if (woken != share)
			return pg_fail(err, PG_EFAILED,
				       "waker %" PRIu64 " of %" PRIu64 " reached %" PRId64 " of its %" PRId64
				       " waiters; signals from outside send waiters away, run it without them",
				       i + 1, conf->wakers, woken, share);
		if (p->rounds.number > 0)
			p->calls[i].total_ns += pg_since(stop, start);
		out->stop_ns = stop > out->stop_ns ? stop : out->stop_ns;
	}
	out->calls = conf->wakers;
	return 0;
}

static int wake_together(struct pg_futex_rounds *f, _Atomic uint32_t *word, struct pg_futex_round *out,
			 struct pg_err *err)
{
	struct parallel *p = (struct parallel *)f;
	struct barrier *b = &p->barrier;
	const uint32_t next = (uint32_t)(f->number + 1);

	(void)word;
	atomic_store(&b->called.v, next);
	pg_futex_call(&b->called.v, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, INT_MAX, 0, NULL, 0);
	if (await(f, &b->arrived, true, err))
		return -1;
	out->start_ns = pg_now_ns();
	atomic_store_explicit(&b->open.v, next, memory_order_release);
	if (await(f, &b->finished, false, err))
		return -1;
	return read_calls(p, out, err);
}

static int start_wakers(struct parallel *p, struct pg_err *err)
{
	const struct pg_crew_opts opts = {
		.n = p->rounds.conf->wakers,
		.threads = true,
		.placement = PG_PLACE_FREE,
		.root = p->rounds.root,
		.stack_bytes = PG_FUTEX_STACK,
	};
	struct pg_crew *crew;

	if (pg_crew_open(&crew, &opts, err))
		return -1;
	p->rounds.wakers = crew;
	for (uint64_t i = 0; i < opts.n; i++)
		if (pg_crew_start(crew, waker, p, err))
			return -1;
	if (pg_crew_wait_ready(crew, err))
		return -1;
	pg_crew_go(crew);
	return 0;
}

static int parallel_setup(struct pg_run *run, struct pg_err *err)
{
	const struct pg_futex_conf *conf = run->conf;
	struct parallel *p;

	if (pg_futex_rounds_setup(run, sizeof(*p), err))
		return -1;
	p = run->state;
	p->calls = aligned_alloc(64, conf->wakers * sizeof(*p->calls));
	if (!p->calls)
		return pg_fail_nomem(err);
	memset(p->calls, 0, conf->wakers * sizeof(*p->calls));
	return 0;
}

static int parallel_once(struct pg_run *run, struct pg_err *err)
{
	struct parallel *p = run->state;
	struct pg_futex_rounds *f = &p->rounds;
	int r = start_wakers(p, err);

	if (r == 0)
		r = pg_futex_rounds_run(f, wake_together, err);
	if (r == 0)
		r = pg_crew_reap(f->wakers, err);
	pg_crew_close(f->wakers);
	f->wakers = NULL;
	if (r)
		return -1;
	run->timed_ns = f->span_ns;
	pg_record(run, M_ROUNDS, (int64_t)f->rounds);
	pg_record(run, M_CALLS, (int64_t)f->calls);
	pg_record(run, M_TOTAL, f->time_ns);
	pg_record(run, M_WORK, f->work_ns);
	for (uint64_t i = 0; i < f->conf->wakers; i++)
		pg_record(run, M_THREAD_TOTAL, p->calls[i].total_ns);
	return pg_futex_record_buckets(run, M_BUCKETS, err);
}

static void parallel_teardown(struct pg_run *run)
{
	struct parallel *p = run->state;

	if (p)
		free(p->calls);
	pg_futex_rounds_teardown(run);
}

const struct pg_bench pg_futex_wake_parallel = {
	.name = "futex/wake-parallel",
	.summary = "threads that block on one futex, and several threads that wake them at the same time",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct pg_futex_conf),
	.probe = parallel_probe,
	.check = parallel_check,
	.setup = parallel_setup,
	.once = parallel_once,
	.teardown = parallel_teardown,
};
