/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rounds of blocking and waking, for wake, wake-parallel and requeue. The waiters are made once; a round is: all seen
 * asleep on the word of this turn, the rest, the bench's calls, all back. One untimed round comes first. A waiter that
 * leaves its wait by a signal goes back into it; whom the calls missed is woken without being timed, so that no round
 * waits for ever.
 */
#include "futex.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NAP_NS	  20000
#define RESCUE_NS 20000000		     /* a waiter that is not back by then may have been missed */
#define BOUND_NS  (INT64_C(30) * 1000000000) /* for falling asleep, or being woken */
#define PER_TASK  2000000
#define SENT_HOME 1

static void nap(void)
{
	const struct timespec t = {.tv_nsec = NAP_NS};

	nanosleep(&t, NULL);
}

static int64_t bound_ns(const struct pg_futex_rounds *f)
{
	return BOUND_NS + PER_TASK * (int64_t)f->conf->threads;
}

void pg_futex_send_home(struct pg_futex_rounds *f)
{
	for (size_t i = 0; i < 2; i++) {
		atomic_store(&f->words->turn[i].v, SENT_HOME);
		pg_futex_call(&f->words->turn[i].v, pg_futex_op(f->conf, FUTEX_WAKE), INT_MAX, 0, NULL, 0);
	}
}

/* Until woken: 0 with the stamp; -1 = the rep is being given up, or the slot has failed. */
static int wait_plain(struct pg_worker *w, struct pg_futex_rounds *f, _Atomic uint32_t *word, int64_t *back)
{
	const int op = pg_futex_op(f->conf, FUTEX_WAIT);

	while (pg_futex_call(word, op, 0, 0, NULL, 0)) {
		if (atomic_load(word) || pg_worker_told_to_stop(w))
			return -1;
		if (errno != EINTR)
			return pg_worker_fail_sys(w, "cannot wait on a futex");
	}
	*back = pg_now_ns();
	return atomic_load(word) ? -1 : 0;
}

/*
 * The same with priority inheritance: whoever is back owns the target and hands it on. EAGAIN is also a signal that
 * came after the move: the waiter owns nothing then and starts again from the first word.
 */
static int wait_requeue_pi(struct pg_worker *w, struct pg_futex_rounds *f, _Atomic uint32_t *word, int64_t *back)
{
	const int wait = pg_futex_op(f->conf, FUTEX_WAIT_REQUEUE_PI), unlock = pg_futex_op(f->conf, FUTEX_UNLOCK_PI);
	_Atomic uint32_t *target = &f->words->target.v;

	while (pg_futex_call(word, wait, 0, 0, target, 0)) {
		if (atomic_load(word) || pg_worker_told_to_stop(w))
			return -1;
		if (errno != EINTR && errno != EAGAIN)
			return pg_worker_fail_sys(w, "cannot wait on a futex to be moved");
	}
	*back = pg_now_ns();
	while (pg_futex_call(target, unlock, 0, 0, NULL, 0))
		if (errno != EINTR && errno != EAGAIN)
			return pg_worker_fail_sys(w, "cannot unlock the futex that waiters were moved to");
	return 0;
}

/* After the last round: asleep on the next word, as after any other, so that no thread's ending falls into its time. */
static void wait_end(struct pg_worker *w, struct pg_futex_rounds *f)
{
	_Atomic uint32_t *word = &f->words->turn[(f->conf->loops + 1) & 1].v;

	while (atomic_load(word) == 0 && !pg_worker_told_to_stop(w))
		pg_futex_call(word, pg_futex_op(f->conf, FUTEX_WAIT), 0, 0, NULL, 0);
}

static int waiter(struct pg_worker *w, void *arg)
{
	struct pg_futex_rounds *f = arg;
	struct pg_futex_waiter *me = &f->waiters[w->index];
	int r = 0;

	me->tid = (pid_t)syscall(SYS_gettid);
	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	for (uint64_t i = 0; i <= f->conf->loops && r == 0; i++) {
		_Atomic uint32_t *word = &f->words->turn[i & 1].v;
		int64_t back = 0;

		atomic_store_explicit(&me->entered, i + 1, memory_order_release);
		r = f->conf->priority_inheritance ? wait_requeue_pi(w, f, word, &back) : wait_plain(w, f, word, &back);
		atomic_store_explicit(&me->back_ns, back, memory_order_relaxed);
		atomic_store_explicit(&me->done, i + (r == 0), memory_order_release);
	}
	if (r)
		pg_futex_send_home(f);
	else
		wait_end(w, f);
	return r;
}

int pg_futex_rounds_check(void *ctx, struct pg_err *err)
{
	struct pg_futex_rounds *f = ctx;

	if (f->wakers && pg_crew_check(f->wakers, err))
		return -1;
	return pg_crew_check(f->crew, err);
}

int pg_futex_rounds_fail(struct pg_futex_rounds *f, const char *what, struct pg_err *err)
{
	const int why = errno;

	if (pg_futex_rounds_check(f, err))
		return -1;
	errno = why;
	return pg_fail_sys(err, "%s", what);
}

/* Waiters that are back from this round. */
static uint64_t count_back(struct pg_futex_rounds *f)
{
	uint64_t n = 0;

	for (uint64_t i = 0; i < f->conf->threads; i++)
		n += atomic_load_explicit(&f->waiters[i].done, memory_order_acquire) > f->number;
	return n;
}

int pg_futex_rounds_late(struct pg_futex_rounds *f, int64_t since_ns, const char *noun, uint64_t got, uint64_t of,
			 struct pg_err *err)
{
	if (pg_futex_rounds_check(f, err))
		return -1;
	if (pg_since(pg_now_ns(), since_ns) < bound_ns(f))
		return 0;
	return pg_fail(err, PG_EFAILED,
		       "%" PRIu64 " of %" PRIu64 " %ss were where they should be within %" PRId64
		       " s; lower threads or the load of this machine",
		       got, of, noun, bound_ns(f) / 1000000000);
}

int pg_futex_rounds_stalled(struct pg_futex_rounds *f, int64_t since_ns, uint64_t got, bool kept, struct pg_err *err)
{
	if (pg_futex_rounds_late(f, since_ns, "waiter", got, f->conf->threads, err))
		return -1;
	if (count_back(f) + (kept ? got : 0) < f->conf->threads)
		return 0;
	return pg_fail(err, PG_EFAILED,
		       "%" PRIu64 " of %" PRIu64
		       " waiters were reached by the calls, the others left by themselves; run it again",
		       got, f->conf->threads);
}

/* While all should fall asleep: nobody may be back already. */
static int settle_check(void *ctx, struct pg_err *err)
{
	struct pg_futex_rounds *f = ctx;

	if (pg_futex_rounds_check(f, err))
		return -1;
	if (count_back(f) == 0)
		return 0;
	return pg_fail(err, PG_EFAILED, "a waiter left before the calls; run it again");
}

/* All inside the wait of this round, then the rest. */
static int settle(struct pg_futex_rounds *f, _Atomic uint32_t *word, int64_t rest_ns, struct pg_err *err)
{
	const struct pg_settle asleep = {
		.root = "", /* these tasks are real, whatever machine the run is to see */
		.tasks = f->sleepers,
		.n = f->conf->threads,
		.bound_ns = bound_ns(f),
		.check = settle_check,
		.ctx = f,
	};
	const int64_t start = pg_now_ns();

	for (uint64_t i = 0; i < f->conf->threads; i++) {
		while (atomic_load_explicit(&f->waiters[i].entered, memory_order_acquire) <= f->number) {
			if (pg_futex_rounds_late(f, start, "waiter", i, f->conf->threads, err))
				return -1;
			nap();
		}
		f->sleepers[i] = (struct pg_sleeper){.task = f->waiters[i].tid, .call = SYS_futex, .at = word};
	}
	return pg_settle(&asleep, err) || pg_settle_rest(rest_ns, pg_futex_rounds_check, f, err) ? -1 : 0;
}

/* Whoever the calls missed, or who was moved and then left by a signal. */
static void rescue(struct pg_futex_rounds *f, _Atomic uint32_t *word)
{
	_Atomic uint32_t *target = &f->words->target.v;

	if (f->conf->priority_inheritance) {
		pg_futex_call(word, pg_futex_op(f->conf, FUTEX_CMP_REQUEUE_PI), 1, INT_MAX, target, 0);
		return;
	}
	pg_futex_call(word, pg_futex_op(f->conf, FUTEX_WAKE), INT_MAX, 0, NULL, 0);
	pg_futex_call(target, pg_futex_op(f->conf, FUTEX_WAKE), INT_MAX, 0, NULL, 0);
}

/* Until all are back from this round; *last = when the last one was. */
static int collect(struct pg_futex_rounds *f, _Atomic uint32_t *word, int64_t *last, struct pg_err *err)
{
	const int64_t start = pg_now_ns();
	int64_t rescued = start, back;

	*last = 0;
	for (uint64_t i = 0; i < f->conf->threads; i++) {
		while (atomic_load_explicit(&f->waiters[i].done, memory_order_acquire) <= f->number) {
			if (pg_futex_rounds_late(f, start, "waiter", i, f->conf->threads, err))
				return -1;
			nap();
			if (pg_since(pg_now_ns(), rescued) >= RESCUE_NS) {
				rescue(f, word);
				rescued = pg_now_ns();
			}
		}
		back = atomic_load_explicit(&f->waiters[i].back_ns, memory_order_relaxed);
		*last = back > *last ? back : *last;
	}
	return 0;
}

static int one_round(struct pg_futex_rounds *f, pg_futex_round_fn *round, struct pg_err *err)
{
	_Atomic uint32_t *word = &f->words->turn[f->number & 1].v;
	struct pg_futex_round out = {.calls = 0};
	int64_t last;

	if (settle(f, word, f->number > 0 ? f->conf->settle : 0, err) || round(f, word, &out, err) ||
	    collect(f, word, &last, err))
		return -1;
	if (f->number == 0)
		return 0;
	f->rounds++;
	f->calls += out.calls;
	f->time_ns += pg_since(out.stop_ns, out.start_ns);
	f->work_ns += pg_since(last, out.start_ns);
	return 0;
}

static int start_waiters(struct pg_futex_rounds *f, struct pg_err *err)
{
	const struct pg_crew_opts opts = {
		.n = f->conf->threads,
		.threads = true,
		.placement = pg_place_lenient(f->conf->placement),
		.root = f->root,
		.stack_bytes = PG_FUTEX_STACK,
	};

	if (pg_crew_open(&f->crew, &opts, err))
		return -1;
	for (uint64_t i = 0; i < f->conf->threads; i++)
		if (pg_crew_start(f->crew, waiter, f, err))
			return -1;
	if (pg_crew_wait_ready(f->crew, err))
		return -1;
	pg_crew_go(f->crew);
	return 0;
}

uint64_t pg_futex_rounds_bytes(const struct pg_futex_conf *conf)
{
	return sizeof(struct pg_futex_words) +
	       conf->threads * (sizeof(struct pg_futex_waiter) + sizeof(struct pg_sleeper));
}

uint32_t pg_futex_per_call(const struct pg_futex_conf *conf)
{
	return (uint32_t)(conf->waiters_per_call.word >= 0 ? conf->threads : conf->waiters_per_call.n);
}

int pg_futex_rounds_setup(struct pg_run *run, size_t state_bytes, struct pg_err *err)
{
	const struct pg_futex_conf *conf = run->conf;
	struct pg_futex_rounds *f;

	if (pg_futex_prepare(conf, err))
		return -1;
	f = aligned_alloc(64, (state_bytes + 63) / 64 * 64);
	run->state = f;
	if (!f)
		return pg_fail_nomem(err);
	memset(f, 0, state_bytes);
	f->conf = conf;
	f->root = run->root;
	f->words = pg_futex_map(conf, sizeof(*f->words));
	if (!f->words)
		return pg_fail_sys(
			err, "cannot map the futex words; free memory or raise the limit of the cgroup (memory.max)");
	f->waiters = aligned_alloc(64, conf->threads * sizeof(*f->waiters));
	f->sleepers = calloc(conf->threads, sizeof(*f->sleepers));
	if (!f->waiters || !f->sleepers)
		return pg_fail_nomem(err);
	memset(f->waiters, 0, conf->threads * sizeof(*f->waiters));
	return 0;
}

void pg_futex_rounds_teardown(struct pg_run *run)
{
	struct pg_futex_rounds *f = run->state;

	pg_futex_undo(run->conf);
	if (!f)
		return;
	free(f->waiters);
	free(f->sleepers);
	pg_futex_unmap(f->words, sizeof(*f->words));
	free(f);
	run->state = NULL;
}

static int run_rounds(struct pg_futex_rounds *f, pg_futex_round_fn *round, struct pg_err *err)
{
	int64_t start = 0;

	if (start_waiters(f, err))
		return -1;
	for (f->number = 0; f->number <= f->conf->loops; f->number++) {
		if (f->number == 1)
			start = pg_now_ns();
		if (one_round(f, round, err))
			return -1;
	}
	f->span_ns = pg_since(pg_now_ns(), start);
	pg_futex_send_home(f);
	return pg_crew_reap(f->crew, err);
}

int pg_futex_rounds_run(struct pg_futex_rounds *f, pg_futex_round_fn *round, struct pg_err *err)
{
	int r;

	for (uint64_t i = 0; i < f->conf->threads; i++) {
		atomic_store(&f->waiters[i].entered, 0);
		atomic_store(&f->waiters[i].done, 0);
	}
	for (size_t i = 0; i < 2; i++)
		atomic_store(&f->words->turn[i].v, 0);
	r = run_rounds(f, round, err);
	if (r)
		pg_futex_send_home(f);
	pg_crew_close(f->crew);
	f->crew = NULL;
	return r;
}
