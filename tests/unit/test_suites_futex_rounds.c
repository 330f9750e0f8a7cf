/* SPDX-License-Identifier: GPL-2.0-or-later */
/* futex/wake, wake-parallel, requeue, and the rounds that they have in common. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "tests/support/futexkit.h"
#include "tests/support/pgtest.h"

static void nap_ms(int ms)
{
	const struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&t, NULL);
}

/* Calls of `rounds` rounds where each reaches `per_call` of `threads` waiters: exact, as all were asleep. */
START_TEST(calls_are_counted)
{
	static const struct {
		const char *name, *params;
		int64_t rounds, calls; /* calls of one round */
	} cases[] = {
		{"futex/wake", "threads=1", 1, 1},
		{"futex/wake", "threads=5", 1, 5},
		{"futex/wake", "threads=5 waiters_per_call=2 loops=3", 3, 3},
		{"futex/wake", "threads=5 waiters_per_call=5 loops=2 shared=true", 2, 1},
		{"futex/wake", "threads=5 waiters_per_call=broadcast loops=20 placement=free", 20, 1},
		{"futex/requeue", "threads=1", 1, 1},
		{"futex/requeue", "threads=5 loops=2", 2, 5},
		{"futex/requeue", "threads=5 waiters_per_call=3 loops=3 shared=true", 3, 2},
		{"futex/requeue", "threads=5 waiters_per_call=broadcast loops=20", 20, 1},
		{"futex/requeue", "threads=5 waiters_per_call=broadcast loops=20 priority_inheritance=true", 20, 1},
		{"futex/wake-parallel", "threads=1 wakers=1 loops=3", 3, 1},
		{"futex/wake-parallel", "threads=6 wakers=2 loops=5", 5, 2},
		{"futex/wake-parallel", "threads=6 wakers=3 loops=2 shared=true", 2, 3},
		{"futex/wake-parallel", "threads=6 wakers=6 placement=same-cpu", 1, 6},
	};
	struct fx_bench f;
	char text[160];

	snprintf(text, sizeof(text), "settle=0s %s", cases[_i].params);
	fx_good_rep(&f, cases[_i].name, text);
	ck_assert_int_eq(ps_raw(&f.b, "rounds"), cases[_i].rounds);
	ck_assert_int_eq(ps_raw(&f.b, "calls"), cases[_i].rounds * cases[_i].calls);
	ck_assert_int_gt(ps_raw(&f.b, "total_time"), 0);
	ck_assert_int_gt(ps_raw(&f.b, "total_work_time"), 0);
	ck_assert_int_gt(f.b.run.timed_ns, ps_raw(&f.b, "total_time"));
	ps_done(&f.b);
}
END_TEST

/* A call of the kernel with priority inheritance wakes one and moves per_call: at least one waiter, so at most n calls.
 */
START_TEST(priority_inheritance_moves_all)
{
	static const char *const params[] = {
		"threads=1 loops=3",
		"threads=2 loops=10",
		"threads=8 loops=10",
		"threads=8 loops=10 waiters_per_call=3 shared=true",
		"threads=8 loops=10 placement=same-cpu",
	};
	struct fx_bench f;
	char text[160];
	int64_t threads = params[_i][8] - '0', calls;

	snprintf(text, sizeof(text), "settle=0s priority_inheritance=true %s", params[_i]);
	fx_good_rep(&f, "futex/requeue", text);
	calls = ps_raw(&f.b, "calls");
	ck_assert_int_ge(calls, ps_raw(&f.b, "rounds"));
	ck_assert_int_le(calls, threads * ps_raw(&f.b, "rounds"));
	ps_done(&f.b);
}
END_TEST

/* Each waker's call lies between the opening of the barrier and the last return. */
START_TEST(wakers_lie_inside_the_round)
{
	struct fx_bench f;

	fx_good_rep(&f, "futex/wake-parallel", "threads=6 wakers=3 loops=10 settle=1ms");
	ck_assert_int_gt(ps_raw(&f.b, "total_thread_time"), 0);
	ck_assert_int_le(ps_raw(&f.b, "total_thread_time"), 3 * ps_raw(&f.b, "total_time"));
	ck_assert_int_eq(ps_raw(&f.b, "rounds") * 3, ps_raw(&f.b, "calls"));
	ps_done(&f.b);
}
END_TEST

START_TEST(settle_is_a_rest)
{
	static const char *const names[] = {"futex/wake", "futex/requeue", "futex/wake-parallel"};
	struct fx_bench f;

	fx_good_rep(&f, names[_i], "threads=2 loops=2 settle=15ms");
	ck_assert_int_ge(f.b.run.timed_ns, 2 * 15000000);
	/* ... and no part of what is timed */
	ck_assert_int_le(ps_raw(&f.b, "total_time"), f.b.run.timed_ns - 2 * 15000000);
	ps_done(&f.b);
}
END_TEST

/* Rounds under test: what a bench's own calls would do, and what is seen at their start. */
enum kind { WAKE_ALL, WAKE_NOBODY, MOVE_ONLY, SIGNAL_THEN_WAKE, WAKE_WRONGLY, FAIL_LATE, WAITER_FAILS };
struct probe {
	struct pg_futex_rounds rounds; /* first */
	enum kind kind;
	uint64_t awake; /* waiters that did not sleep when the calls began */
};

static bool sleeps(pid_t tid)
{
	char path[64], text[512], *end;
	FILE *f;
	size_t n = 0;

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", (int)tid);
	f = fopen(path, "re");
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	end = strrchr(text, ')');
	return end && strncmp(end, ") S ", 4) == 0;
}

/* A waiter that was seen asleep fails, and so does the main task's call, as the waiter has sent all home. */
static int spoilt_round(struct pg_futex_rounds *r, _Atomic uint32_t *word, struct pg_err *err)
{
	static const struct fx_try no_wait = {.nr = SYS_futex, .arg = 1, .value = FUTEX_WAIT, .answer = ENOMEM};

	if (fx_filter(&no_wait))
		return pg_fail(err, PG_EFAILED, "no filters here");
	syscall(SYS_tgkill, getpid(), r->waiters[0].tid, SIGUSR2);
	while (atomic_load(word) == 0)
		nap_ms(1);
	if (pg_futex_call(word, FUTEX_CMP_REQUEUE, 0, INT_MAX, &r->words->target.v, 0) != -1)
		return pg_fail(err, PG_EFAILED, "the call did not fail");
	return pg_futex_rounds_fail(r, "cannot move waiters", err);
}

static int probe_round(struct pg_futex_rounds *r, _Atomic uint32_t *word, struct pg_futex_round *out,
		       struct pg_err *err)
{
	struct probe *p = (struct probe *)r;
	const int pi = r->conf->priority_inheritance;

	for (uint64_t i = 0; i < r->conf->threads; i++)
		p->awake += !sleeps(r->waiters[i].tid);
	out->start_ns = pg_now_ns();
	out->calls = 1;
	switch (p->kind) {
	case SIGNAL_THEN_WAKE:
		for (uint64_t i = 0; i < r->conf->threads; i++)
			syscall(SYS_tgkill, getpid(), r->waiters[i].tid, SIGUSR2);
		nap_ms(2);
	/* fall through */
	case WAKE_ALL:
		if (pi)
			pg_futex_call(word, pg_futex_op(r->conf, FUTEX_CMP_REQUEUE_PI), 1, INT_MAX, &r->words->target.v,
				      0);
		else
			pg_futex_call(word, pg_futex_op(r->conf, FUTEX_WAKE), INT_MAX, 0, NULL, 0);
		break;
	case MOVE_ONLY: /* moved, and left there by a signal */
		pg_futex_call(word, pg_futex_op(r->conf, FUTEX_CMP_REQUEUE), 0, INT_MAX, &r->words->target.v, 0);
		syscall(SYS_tgkill, getpid(), r->waiters[0].tid, SIGUSR2);
		break;
	case WAKE_NOBODY:
		break;
	case WAKE_WRONGLY: /* somebody else does it, so a bench's own calls would find nobody */
		pg_futex_call(word, pg_futex_op(r->conf, FUTEX_WAKE), INT_MAX, 0, NULL, 0);
		for (;;) {
			if (pg_futex_rounds_stalled(r, out->start_ns, 0, false, err))
				return -1;
			nap_ms(1);
		}
	case WAITER_FAILS:
		return spoilt_round(r, word, err);
	case FAIL_LATE:
		if (r->number == 2)
			return pg_fail(err, PG_EFAILED, "two were enough");
		p->kind = WAKE_ALL;
		probe_round(r, word, out, err);
		p->kind = FAIL_LATE;
		break;
	}
	out->stop_ns = pg_now_ns();
	return 0;
}

static void catch (int sig)
{
	(void)sig;
}

/* Waiters sleep when the calls begin; however the calls go, every round and the rep come to their end. */
START_TEST(rounds_end)
{
	static const struct {
		enum kind kind;
		bool pi;
		const char *why; /* NULL = good */
	} cases[] = {
		{WAKE_ALL, false, NULL},
		{WAKE_ALL, true, NULL},
		{WAKE_NOBODY, false, NULL},
		{WAKE_NOBODY, true, NULL},
		{MOVE_ONLY, false, NULL},
		{SIGNAL_THEN_WAKE, false, NULL},
		{SIGNAL_THEN_WAKE, true, NULL},
		{WAKE_WRONGLY, false, "0 of 4 waiters were reached by the calls"},
		{FAIL_LATE, false, "two were enough"},
		{FAIL_LATE, true, "two were enough"},
	};
	const struct sigaction sa = {.sa_handler = catch};
	const struct fx_around was = fx_look();
	struct fx_bench f;
	struct probe *p;
	int r;

	sigaction(SIGUSR2, &sa, NULL);
	fx_bind(&f, "futex/requeue",
		cases[_i].pi ? "threads=4 loops=3 settle=0s priority_inheritance=true" : "threads=4 loops=3 settle=0s");
	ck_assert_int_eq(pg_futex_rounds_setup(&f.b.run, sizeof(*p), &f.b.err), 0);
	p = f.b.run.state;
	p->kind = cases[_i].kind;
	r = pg_futex_rounds_run(&p->rounds, probe_round, &f.b.err);
	ck_assert_msg(r == (cases[_i].why ? -1 : 0), "%s", f.b.err.msg);
	if (r)
		ck_assert_msg(strstr(f.b.err.msg, cases[_i].why), "%s", f.b.err.msg);
	else
		ck_assert_uint_eq(p->rounds.rounds, 3);
	ck_assert_uint_eq(p->awake, 0);
	pg_futex_rounds_teardown(&f.b.run);
	fx_same(&was);
	ps_done(&f.b);
}
END_TEST

static int rep_of_failing_waiter(void *arg)
{
	const struct sigaction sa = {.sa_handler = catch};
	struct fx_bench f;
	struct probe *p;
	int r;

	sigaction(SIGUSR2, &sa, NULL);
	fx_bind(&f, "futex/requeue", "threads=4 settle=0s shared=true");
	if (pg_futex_rounds_setup(&f.b.run, sizeof(*p), &f.b.err))
		return 2;
	p = f.b.run.state;
	p->kind = WAITER_FAILS;
	r = pg_futex_rounds_run(&p->rounds, probe_round, &f.b.err);
	snprintf(arg, PG_ERR_MSG, "%s", f.b.err.msg);
	pg_futex_rounds_teardown(&f.b.run);
	ps_done(&f.b);
	return r == -1 ? 0 : 3;
}

/* Its reason is told, and not what followed from it. */
START_TEST(a_waiters_reason_wins)
{
	char *why = ps_shared(PG_ERR_MSG);

	ck_assert_int_eq(ps_in_child(rep_of_failing_waiter, why), 0);
	if (strcmp(why, "no filters here") != 0)
		ck_assert_msg(strstr(why, "worker 1 of 4: cannot wait on a futex"), "%s", why);
	munmap(why, PG_ERR_MSG);
}
END_TEST

/* Sends signals to all waiters of a rep again and again, or wakes one of them in the bench's place. */
enum disturbance { SIGNALS, STEAL_ASLEEP, STEAL_EARLY };
struct disturber {
	struct fx_bench *f;
	_Atomic bool end;
	enum disturbance kind;
};

static void *disturb(void *arg)
{
	struct disturber *d = arg;
	struct pg_futex_rounds *r = d->f->b.run.state;

	while (!atomic_load(&d->end)) {
		for (uint64_t i = 0; i < r->conf->threads; i++) {
			if (atomic_load(&r->waiters[i].entered) == 0)
				continue;
			if (d->kind == SIGNALS) {
				syscall(SYS_tgkill, getpid(), r->waiters[i].tid, SIGUSR2);
				continue;
			}
			if (atomic_load(&r->waiters[i].entered) != 2)
				continue;
			if (d->kind == STEAL_ASLEEP)
				nap_ms(100);
			if (pg_futex_call(&r->words->turn[1].v, FUTEX_WAKE_PRIVATE, 1, 0, NULL, 0) == 1)
				return NULL;
		}
		if (d->kind == STEAL_EARLY)
			sched_yield();
		else
			nap_ms(1);
	}
	return NULL;
}

static int disturbed_rep(struct fx_bench *f, enum disturbance kind)
{
	struct disturber d = {.f = f, .kind = kind};
	pthread_t thread;
	int r;

	ck_assert_int_eq(f->bench.setup(&f->b.run, &f->b.err), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, disturb, &d), 0);
	r = f->bench.once(&f->b.run, &f->b.err);
	atomic_store(&d.end, true);
	pthread_join(thread, NULL);
	f->bench.teardown(&f->b.run);
	return r;
}

/* A signal with a handler sends a waiter out of its call. It goes back, and the numbers are right all the same. */
START_TEST(signals_do_no_harm)
{
	static const struct {
		const char *name, *params;
		int64_t rounds, reached;
	} cases[] = {
		{"futex/wake", "threads=4 loops=30 settle=2ms", 30, 4},
		{"futex/requeue", "threads=4 loops=30 settle=2ms", 30, 4},
		{"futex/requeue", "threads=4 loops=30 settle=2ms priority_inheritance=true", 30, 1},
	};
	const struct sigaction sa = {.sa_handler = catch};
	const struct fx_around was = fx_look();
	struct fx_bench f;

	sigaction(SIGUSR2, &sa, NULL);
	fx_bind(&f, cases[_i].name, cases[_i].params);
	ck_assert_msg(disturbed_rep(&f, SIGNALS) == 0, "%s", f.b.err.msg);
	ck_assert_int_eq(ps_raw(&f.b, "rounds"), cases[_i].rounds);
	ck_assert_int_ge(ps_raw(&f.b, "calls"), cases[_i].rounds * cases[_i].reached);
	fx_same(&was);
	ps_done(&f.b);
}
END_TEST

/* A waiter woken by somebody else: the calls cannot reach it. The ancestor's join would wait for ever. */
START_TEST(a_missing_waiter_is_told)
{
	static const struct {
		const char *name, *params, *why;
	} cases[] = {
		{"futex/wake", "threads=3 loops=2 settle=300ms", "2 of 3 waiters were reached by the calls"},
		{"futex/requeue", "threads=3 loops=2 settle=300ms", "2 of 3 waiters were reached by the calls"},
		{"futex/wake-parallel", "threads=3 wakers=3 loops=2 settle=300ms", "reached 0 of its 1 waiters"},
		{"futex/wake", "threads=3 loops=2 settle=300ms", ""}, /* before or after all were seen asleep */
	};
	const struct fx_around was = fx_look();
	struct fx_bench f;

	fx_bind(&f, cases[_i].name, cases[_i].params);
	ck_assert_int_eq(disturbed_rep(&f, _i < 3 ? STEAL_ASLEEP : STEAL_EARLY), -1);
	ck_assert_msg(strstr(f.b.err.msg, cases[_i].why), "%s", f.b.err.msg);
	fx_same(&was);
	ps_done(&f.b);
}
END_TEST

PG_TEST_MAIN("suites_futex_rounds", ((const struct pg_test[]){
					    {calls_are_counted, 14},
					    {priority_inheritance_moves_all, 5},
					    {wakers_lie_inside_the_round, 0},
					    {settle_is_a_rest, 3},
					    {rounds_end, 10},
					    {a_waiters_reason_wins, 0},
					    {signals_do_no_harm, 3},
					    {a_missing_waiter_is_told, 4},
					    {NULL, 0},
				    }))
