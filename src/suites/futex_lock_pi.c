/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * futex/lock-pi: threads lock and unlock a futex with priority inheritance, always by system call, and sleep `hold`
 * while they own it (perf bench futex lock-pi). One common lock or one of each thread.
 * Timed: before the threads are made to the stop flag (thread_rate, rate), each thread from the gate to its last unlock
 * (work_rate), single calls (lock_time, unlock_time). The ancestor's figure is mostly its fixed sleep; hold 0s leaves
 * the calls alone. Single calls are timed in each loop where it sleeps, else in one of 64, so that reading the clock
 * stays below 1 % of thread_rate. Differs from the ancestor: exact elapsed time, atomic stop flag, locks and counts on
 * cache lines of their own, own locks made by their thread, a lock or unlock that fails ends the rep with the reason.
 */
#include "futex.h"

#include <inttypes.h>
#include <stdlib.h>
#include <time.h>

extern const struct pg_bench pg_futex_lock_pi;

#define SAMPLE 64 /* without a sleep one loop of so many is timed */

static const struct pg_choice locks[] = {
	{"common", "one contended lock"},
	{"per-thread", "an own lock of each thread"},
	{NULL, NULL},
};

static const struct pg_param params[] = {
	PG_FUTEX_ROW_THREADS("workers"),
	PG_FUTEX_ROW_RUNTIME,
	{
		.name = "lock",
		.doc = "how many locks there are",
		.def = "common",
		.choices = locks,
		PG_AT_ENUM(struct pg_futex_conf, lock),
	},
	{
		.name = "hold",
		.doc = "sleep while owning the lock; 0s = none",
		.def = "1us",
		.min = "0s",
		.max = "1s",
		PG_AT_TIME(struct pg_futex_conf, hold),
	},
	PG_FUTEX_ROWS_COMMON("where the workers run"),
	{.name = NULL},
};

enum { M_LOCK_TIME = PG_FP_ROWS, M_UNLOCK_TIME, M_LOCKING, M_UNLOCKING, M_TIMED };

static const struct pg_metric metrics[] = {
	PG_FUTEX_PERIOD_METRICS,
	[M_LOCK_TIME] = PG_ROW_RATIO("lock_time", "mean of one lock call, with the wait for the owner", PG_U_S,
				     PG_LOWER, M_LOCKING, M_TIMED, 0),
	[M_UNLOCK_TIME] =
		PG_ROW_RATIO("unlock_time", "mean of one unlock call", PG_U_S, PG_LOWER, M_UNLOCKING, M_TIMED, 0),
	[M_LOCKING] = PG_ROW_HIDDEN("locking", "the timed lock calls", PG_U_S, PG_SUM, PG_M_ZERO_OK),
	[M_UNLOCKING] = PG_ROW_HIDDEN("unlocking", "the timed unlock calls", PG_U_S, PG_SUM, PG_M_ZERO_OK),
	[M_TIMED] = PG_ROW_HIDDEN("timed_loops", "loops whose calls were timed", PG_U_COUNT, PG_SUM, PG_M_ZERO_OK),
	{.name = NULL},
};

/* One of each thread, written once at its end. */
struct tally {
	_Alignas(64) int64_t locking_ns, unlocking_ns;
	int64_t timed;
};

struct lock_pi {
	const struct pg_futex_conf *conf;
	struct pg_period period;
	struct pg_futex_word *common; /* NULL: each its own */
	struct tally *tallies;
};

/* One thread at work. */
struct loop {
	struct pg_worker *w;
	struct lock_pi *l;
	_Atomic uint32_t *word;
	int lock, unlock; /* operations */
	struct tally sum;
};

static int lock_probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct pg_futex_conf *conf = vconf;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	if (pg_futex_probe_pi(err))
		return -1;
	return pg_futex_probe(conf, env, conf->threads,
			      conf->threads * sizeof(struct tally) + (conf->lock ? conf->threads * page : page), need,
			      err);
}

static int lock_check(const void *vconf, struct pg_err *err)
{
	const struct pg_futex_conf *conf = vconf;

	if (conf->hold >= conf->runtime)
		return pg_fail(err, PG_EUSAGE,
			       "hold: %" PRId64 " ns is not below runtime, %" PRId64
			       " ns; no thread would finish an operation",
			       conf->hold, conf->runtime);
	return pg_futex_check(conf, err);
}

static void sleep_hold(int64_t ns)
{
	const struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

	if (ns > 0)
		nanosleep(&t, NULL);
}

/* EAGAIN: the owner is just ending; EINTR: the crew is being ended, or a signal from outside. */
static int lock(struct loop *a)
{
	while (pg_futex_call(a->word, a->lock, 0, 0, NULL, 0)) {
		if (errno != EAGAIN && errno != EINTR)
			return pg_worker_fail_sys(a->w, "cannot lock a futex with priority inheritance");
		if (pg_period_stopped(&a->l->period))
			return -1;
	}
	return 0;
}

/* A thread that fails here ends, and the kernel hands its lock to the next one. */
static int unlock(struct loop *a)
{
	while (pg_futex_call(a->word, a->unlock, 0, 0, NULL, 0))
		if (errno != EAGAIN && errno != EINTR)
			return pg_worker_fail_sys(a->w, "cannot unlock a futex with priority inheritance");
	return 0;
}

/* Returns 1 when the period has ended; such a loop does not count. */
static int loop_plain(struct loop *a, int64_t hold)
{
	if (lock(a))
		return pg_period_stopped(&a->l->period) ? 1 : -1;
	if (pg_period_stopped(&a->l->period))
		return unlock(a) ? -1 : 1;
	sleep_hold(hold);
	return unlock(a);
}

static int loop_timed(struct loop *a, int64_t hold)
{
	int64_t before, locked, held, after;

	before = pg_now_ns();
	if (lock(a))
		return pg_period_stopped(&a->l->period) ? 1 : -1;
	locked = pg_now_ns();
	if (pg_period_stopped(&a->l->period))
		return unlock(a) ? -1 : 1;
	sleep_hold(hold);
	held = pg_now_ns();
	if (unlock(a))
		return -1;
	after = pg_now_ns();
	a->sum.locking_ns += locked - before;
	a->sum.unlocking_ns += after - held;
	a->sum.timed++;
	return 0;
}

static int run_loops(struct loop *a)
{
	struct pg_slot *slot = a->w->slot;
	const int64_t hold = a->l->conf->hold;
	const uint64_t every = hold > 0 ? 1 : SAMPLE;
	uint64_t count = 0;
	int r = 0;

	pg_period_begin(a->w, &a->l->period);
	while (!pg_period_stopped(&a->l->period)) {
		r = count % every == 0 ? loop_timed(a, hold) : loop_plain(a, hold);
		if (r)
			break;
		count++;
	}
	slot->end_ns = pg_now_ns();
	slot->count = count;
	return r < 0 ? -1 : 0;
}

static int work(struct pg_worker *w, void *arg)
{
	struct lock_pi *l = arg;
	const struct pg_futex_conf *conf = l->conf;
	struct loop a = {
		.w = w,
		.l = l,
		.lock = pg_futex_op(conf, FUTEX_LOCK_PI),
		.unlock = pg_futex_op(conf, FUTEX_UNLOCK_PI),
	};
	struct pg_futex_word *word = l->common ? l->common : pg_futex_map(conf, sizeof(*word));
	int r = -1;

	if (!word)
		return pg_worker_fail_sys(
			w, "cannot map a lock; free memory or raise the limit of the cgroup (memory.max)");
	a.word = &word->v;
	pg_worker_ready(w);
	if (pg_worker_hold(w) == 0)
		r = run_loops(&a);
	if (r)
		atomic_store(&l->period.stop, true);
	l->tallies[w->index] = a.sum;
	if (!l->common)
		pg_futex_unmap(word, sizeof(*word));
	return r;
}

static int lock_setup(struct pg_run *run, struct pg_err *err)
{
	const struct pg_futex_conf *conf = run->conf;
	struct lock_pi *l;

	if (pg_futex_prepare(conf, err))
		return -1;
	l = aligned_alloc(64, sizeof(*l));
	run->state = l;
	if (!l)
		return pg_fail_nomem(err);
	*l = (struct lock_pi){.conf = conf};
	l->tallies = aligned_alloc(64, conf->threads * sizeof(*l->tallies));
	if (!l->tallies)
		return pg_fail_nomem(err);
	if (conf->lock)
		return 0;
	l->common = pg_futex_map(conf, sizeof(*l->common));
	return l->common ? 0
			 : pg_fail_sys(err,
				       "cannot map a lock; free memory or raise the limit of the cgroup (memory.max)");
}

static int lock_once(struct pg_run *run, struct pg_err *err)
{
	struct lock_pi *l = run->state;
	int r;

	r = pg_futex_period_run(&l->period, run, work, l, err);
	for (uint64_t i = 0; r == 0 && i < l->conf->threads; i++) {
		pg_record(run, M_LOCKING, l->tallies[i].locking_ns);
		pg_record(run, M_UNLOCKING, l->tallies[i].unlocking_ns);
		pg_record(run, M_TIMED, l->tallies[i].timed);
	}
	pg_period_end(&l->period);
	return r;
}

static void lock_teardown(struct pg_run *run)
{
	struct lock_pi *l = run->state;

	pg_futex_undo(run->conf);
	if (!l)
		return;
	pg_futex_unmap(l->common, sizeof(*l->common));
	free(l->tallies);
	free(l);
	run->state = NULL;
}

const struct pg_bench pg_futex_lock_pi = {
	.name = "futex/lock-pi",
	.summary = "threads that lock and unlock futexes with priority inheritance",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct pg_futex_conf),
	.probe = lock_probe,
	.check = lock_check,
	.setup = lock_setup,
	.once = lock_once,
	.teardown = lock_teardown,
};
