/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <time.h>

#include "base/clock.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

#define N 5

struct work {
	_Atomic int passed; /* workers beyond the gate */
	_Atomic int entered;
	int mode; /* what a body does */
	size_t victim;
	int gate[2]; /* nobody writes: reading blocks for ever */
};

static struct pg_crew *open_crew(size_t n, bool threads)
{
	const struct pg_crew_opts opts = {.n = n, .threads = threads, .root = ""};
	struct pg_crew *c;
	struct pg_err err;

	ck_assert_msg(pg_crew_open(&c, &opts, &err) == 0, "%s", err.msg);
	return c;
}

static void start_all(struct pg_crew *c, int (*body)(struct pg_worker *, void *), void *arg, size_t n)
{
	struct pg_err err;

	for (size_t i = 0; i < n; i++)
		ck_assert_msg(pg_crew_start(c, body, arg, &err) == 0, "%s", err.msg);
}

static int pass_gate(struct pg_worker *w, void *arg)
{
	struct work *k = arg;

	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	w->slot->start_ns = pg_now_ns();
	atomic_fetch_add(&k->passed, 1);
	w->slot->count = w->index * 10;
	w->slot->end_ns = pg_now_ns();
	return 0;
}

START_TEST(gate_holds_then_opens)
{
	const struct timespec nap = {.tv_nsec = 30000000};
	const struct ps_around before = ps_look();
	struct work *k = ps_shared(sizeof(*k));
	struct pg_crew *c = open_crew(N, _i);
	struct pg_err err;
	int64_t go;

	start_all(c, pass_gate, k, N);
	ck_assert_uint_eq(pg_crew_started(c), N);
	ck_assert_int_eq(pg_crew_wait_ready(c, &err), 0);
	nanosleep(&nap, NULL);
	ck_assert_int_eq(k->passed, 0);
	ck_assert_int_eq(pg_crew_check(c, &err), 0);
	go = pg_crew_go(c);
	ck_assert_msg(pg_crew_reap(c, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(k->passed, N);
	for (size_t i = 0; i < N; i++) {
		const struct pg_slot *s = pg_crew_slot(c, i);

		ck_assert_uint_eq((uintptr_t)s % 64, 0);
		ck_assert(s->ready_ns > 0 && s->ready_ns <= go && go <= s->start_ns && s->start_ns <= s->end_ns);
		ck_assert_uint_eq(s->count, i * 10);
	}
	pg_crew_close(c);
	ps_same(&before);
	munmap(k, sizeof(*k));
}
END_TEST

/* The gate opens by itself; with processes the main task is the last worker. */
START_TEST(last_one_opens)
{
	const struct ps_around before = ps_look();
	const struct pg_crew_opts opts = {.n = 3, .threads = _i, .root = "", .last_opens = true};
	struct work *k = ps_shared(sizeof(*k));
	struct pg_crew *c;
	struct pg_err err;

	ck_assert_int_eq(pg_crew_open(&c, &opts, &err), 0);
	start_all(c, pass_gate, k, 2);
	if (_i)
		start_all(c, pass_gate, k, 1);
	else
		pg_crew_here(c, pass_gate, k);
	ck_assert_msg(pg_crew_reap(c, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(k->passed, 3);
	ck_assert_uint_eq(pg_crew_slot(c, 2)->count, 20);
	pg_crew_close(c);
	ps_same(&before);
	munmap(k, sizeof(*k));
}
END_TEST

enum { DIE_EARLY, DIE_AT_GATE, DIE_LATE, FAIL_EARLY, FAIL_LATE, END_EARLY, WAYS };

static int block(struct pg_worker *w, struct work *k)
{
	char c;

	while (read(k->gate[0], &c, 1) < 0 && errno == EINTR)
		if (pg_worker_told_to_stop(w))
			return -1;
	return pg_worker_fail(w, "the gate's pipe gave way");
}

/* One worker goes the way that k->mode says, the others never end by themselves. */
static int misbehave(struct pg_worker *w, void *arg)
{
	struct work *k = arg;
	const bool victim = w->index == k->victim;

	if (victim && k->mode == DIE_EARLY)
		raise(SIGKILL);
	if (victim && k->mode == FAIL_EARLY)
		return pg_worker_fail(w, "no luck at %d", 7);
	if (victim && k->mode == END_EARLY)
		return 0;
	pg_worker_ready(w);
	if (victim && k->mode == DIE_AT_GATE)
		raise(SIGKILL);
	if (pg_worker_hold(w))
		return -1;
	atomic_fetch_add(&k->passed, 1);
	if (victim && k->mode == DIE_LATE)
		raise(SIGSEGV);
	errno = EBADF;
	if (victim && k->mode == FAIL_LATE)
		return pg_worker_fail_sys(w, "no luck");
	return block(w, k);
}

static void fail_one(int mode, bool threads, size_t victim, struct pg_err *err)
{
	const struct ps_around before = ps_look();
	struct work *k = ps_shared(sizeof(*k));
	struct pg_crew *c = open_crew(N, threads);
	int r;

	k->mode = mode;
	k->victim = victim;
	ck_assert_int_eq(pipe(k->gate), 0);
	start_all(c, misbehave, k, N);
	r = pg_crew_wait_ready(c, err);
	if (r == 0) {
		pg_crew_go(c);
		r = pg_crew_reap(c, err);
	}
	ck_assert_int_eq(r, -1);
	ck_assert_int_eq(err->code, PG_EFAILED);
	ck_assert_int_eq(pg_crew_reap(c, err), -1);
	/* Those who were held are ended, not let through. */
	if (mode == DIE_EARLY || mode == FAIL_EARLY || mode == END_EARLY)
		ck_assert_int_eq(k->passed, 0);
	pg_crew_close(c);
	close(k->gate[0]);
	close(k->gate[1]);
	ps_same(&before);
	munmap(k, sizeof(*k));
}

START_TEST(process_that_ends_badly)
{
	static const char *const expect[WAYS] = {
		[DIE_EARLY] = "killed by signal 9",
		[DIE_AT_GATE] = "killed by signal 9",
		[DIE_LATE] = "signal 11",
		[FAIL_EARLY] = "no luck at 7",
		[FAIL_LATE] = "no luck: Bad file descriptor",
		[END_EARLY] = "before",
	};
	const int way = _i / 2;
	const size_t victim = _i % 2 ? 0 : N - 1;
	struct pg_err err;

#ifdef PG_SANITIZED
	if (way == DIE_LATE) /* the sanitizer makes an exit of it */
		return;
#endif
	fail_one(way, false, victim, &err);
	ck_assert_msg(strstr(err.msg, expect[way]), "%d: %s", way, err.msg);
	if (way != END_EARLY)
		ck_assert_msg(strstr(err.msg, _i % 2 ? "worker 1 of 5" : "worker 5 of 5"), "%s", err.msg);
}
END_TEST

static int tell_and_linger(struct pg_worker *w, void *arg)
{
	pg_worker_fail(w, "no luck at %d", 7);
	return block(w, arg);
}

/* One that has said why, and is ended by the crew before it is gone, was not killed by somebody. */
START_TEST(reason_outlives_the_kill)
{
	const struct ps_around before = ps_look();
	struct work *k = ps_shared(sizeof(*k));
	struct pg_crew *c = open_crew(1, false);
	struct pg_err err;

	ck_assert_int_eq(pipe(k->gate), 0);
	start_all(c, tell_and_linger, k, 1);
	ck_assert_int_eq(pg_crew_wait_ready(c, &err), -1);
	ck_assert_str_eq(err.msg, "worker 1 of 1: no luck at 7");
	pg_crew_close(c);
	close(k->gate[0]);
	close(k->gate[1]);
	ps_same(&before);
	munmap(k, sizeof(*k));
}
END_TEST

START_TEST(thread_that_fails)
{
	struct pg_err err;

	fail_one(_i / 2 ? FAIL_LATE : FAIL_EARLY, true, _i % 2 ? 0 : N - 1, &err);
	ck_assert_msg(strstr(err.msg, _i / 2 ? "no luck: Bad file" : "no luck at 7"), "%s", err.msg);
	ck_assert_msg(strstr(err.msg, _i % 2 ? "worker 1 of 5" : "worker 5 of 5"), "%s", err.msg);
}
END_TEST

/* Worker 0 dies when told; worker 1 only sees its pipe close. The one that died is the reason. */
static int consequence(struct pg_worker *w, void *arg)
{
	struct work *k = arg;
	char c;

	if (w->index == 0) {
		pg_worker_ready(w);
		pg_worker_hold(w);
		/* As the kernel does it: descriptors first, the end later. */
		close(k->gate[1]);
		usleep(20000);
		raise(SIGKILL);
	}
	close(k->gate[1]);
	pg_worker_ready(w);
	pg_worker_hold(w);
	return read(k->gate[0], &c, 1) == 0 ? pg_worker_lost_peer(w, "end of file") : 0;
}

START_TEST(cause_before_consequence)
{
	struct work *k = ps_shared(sizeof(*k));
	struct pg_crew *c = open_crew(2, false);
	struct pg_err err;

	ck_assert_int_eq(pipe(k->gate), 0);
	start_all(c, consequence, k, 2);
	close(k->gate[0]);
	close(k->gate[1]);
	ck_assert_int_eq(pg_crew_wait_ready(c, &err), 0);
	pg_crew_go(c);
	ck_assert_int_eq(pg_crew_reap(c, &err), -1);
	ck_assert_msg(strstr(err.msg, "worker 1 of 2 was killed by signal 9"), "%s", err.msg);
	pg_crew_close(c);
	munmap(k, sizeof(*k));
}
END_TEST

static int only_consequence(struct pg_worker *w, void *arg)
{
	(void)arg;
	return w->index == 0 ? pg_worker_lost_peer(w, "end of file") : 0;
}

START_TEST(consequence_alone_is_told)
{
	struct pg_crew *c = open_crew(2, _i);
	struct pg_err err;

	start_all(c, only_consequence, NULL, 2);
	ck_assert_int_eq(pg_crew_reap(c, &err), -1);
	ck_assert_msg(strstr(err.msg, "worker 1 of 2: end of file"), "%s", err.msg);
	pg_crew_close(c);
}
END_TEST

/* The main task, as a worker, fails; the other would wait for ever. */
static int here_fails(struct pg_worker *w, void *arg)
{
	return w->here ? pg_worker_fail(w, "main gave up") : block(w, arg);
}

START_TEST(main_as_worker_fails)
{
	const struct ps_around before = ps_look();
	struct work *k = ps_shared(sizeof(*k));
	struct pg_crew *c = open_crew(2, false);
	struct pg_err err;

	ck_assert_int_eq(pipe(k->gate), 0);
	start_all(c, here_fails, k, 1);
	pg_crew_here(c, here_fails, k);
	ck_assert_int_eq(pg_crew_reap(c, &err), -1);
	ck_assert_msg(strstr(err.msg, "worker 2 of 2: main gave up"), "%s", err.msg);
	pg_crew_close(c);
	close(k->gate[0]);
	close(k->gate[1]);
	ps_same(&before);
	munmap(k, sizeof(*k));
}
END_TEST

/* The other dies before it is ready, while the main task waits at the gate. */
static int other_dies(struct pg_worker *w, void *arg)
{
	(void)arg;
	if (!w->here)
		raise(SIGKILL);
	pg_worker_ready(w);
	return pg_worker_hold(w);
}

START_TEST(main_at_gate_sees_death)
{
	const struct pg_crew_opts opts = {.n = 2, .root = "", .last_opens = true};
	struct pg_crew *c;
	struct pg_err err;

	ck_assert_int_eq(pg_crew_open(&c, &opts, &err), 0);
	start_all(c, other_dies, NULL, 1);
	pg_crew_here(c, other_dies, NULL);
	ck_assert_int_eq(pg_crew_reap(c, &err), -1);
	ck_assert_msg(strstr(err.msg, "worker 1 of 2 was killed"), "%s", err.msg);
	pg_crew_close(c);
}
END_TEST

static int block_body(struct pg_worker *w, void *arg)
{
	return block(w, arg);
}

START_TEST(close_ends_workers)
{
	const struct ps_around before = ps_look();
	struct work *k = ps_shared(sizeof(*k));
	struct pg_crew *c = open_crew(N, _i);

	ck_assert_int_eq(pipe(k->gate), 0);
	start_all(c, block_body, k, N - 1);
	pg_crew_close(c);
	close(k->gate[0]);
	close(k->gate[1]);
	pg_crew_close(NULL);
	ps_same(&before);
	munmap(k, sizeof(*k));
}
END_TEST

static void on_signal(int sig)
{
	(void)sig;
}

static int check_handlers(struct pg_worker *w, void *arg)
{
	struct sigaction term, intr, sigpipe;
	sigset_t mask;

	(void)arg;
	sigaction(SIGTERM, NULL, &term);
	sigaction(SIGINT, NULL, &intr);
	sigaction(SIGPIPE, NULL, &sigpipe);
	sigprocmask(SIG_SETMASK, NULL, &mask);
	if (term.sa_handler != SIG_DFL)
		return pg_worker_fail(w, "TERM still has a handler");
	if (intr.sa_handler != SIG_IGN)
		return pg_worker_fail(w, "INT is not ignored any more");
	if (sigpipe.sa_handler != SIG_IGN)
		return pg_worker_fail(w, "PIPE is not ignored");
	return sigismember(&mask, SIGTERM) ? pg_worker_fail(w, "TERM is blocked") : 0;
}

START_TEST(handlers_are_reset)
{
	struct pg_crew *c;
	struct pg_err err;

	signal(SIGTERM, on_signal);
	signal(SIGINT, SIG_IGN);
	c = open_crew(2, false);
	start_all(c, check_handlers, NULL, 2);
	ck_assert_msg(pg_crew_reap(c, &err) == 0, "%s", err.msg);
	pg_crew_close(c);
	signal(SIGTERM, SIG_DFL);
	signal(SIGINT, SIG_DFL);
}
END_TEST

static int main_with_workers(void *arg)
{
	struct work *k = arg;
	struct pg_crew *c = open_crew(N, k->mode);

	start_all(c, block_body, k, N);
	atomic_store(&k->entered, 1);
	for (;;)
		pause();
	return 0;
}

START_TEST(workers_die_with_main)
{
	struct work *k = ps_shared(sizeof(*k));
	pid_t pid;

	ck_assert_int_eq(pipe(k->gate), 0);
	k->mode = _i;
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	pid = fork();
	if (pid == 0)
		_exit(main_with_workers(k));
	while (!atomic_load(&k->entered))
		usleep(1000);
	kill(pid, SIGKILL);
	/* Orphans come to this subreaper: a worker that lives on makes this wait for ever. */
	ck_assert_int_eq(ps_reap_all(), _i ? 1 : 1 + N);
	close(k->gate[0]);
	close(k->gate[1]);
	munmap(k, sizeof(*k));
}
END_TEST

/* Children that are not the crew's may end meanwhile. */
START_TEST(foreign_children_do_not_count)
{
	struct work *k = ps_shared(sizeof(*k));
	struct pg_crew *c = open_crew(N, false);
	struct pg_err err;

	for (int i = 0; i < 3; i++)
		if (fork() == 0)
			_exit(3);
	start_all(c, pass_gate, k, N);
	ck_assert_int_eq(pg_crew_wait_ready(c, &err), 0);
	pg_crew_go(c);
	ck_assert_msg(pg_crew_reap(c, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(k->passed, N);
	pg_crew_close(c);
	ps_reap_all();
	munmap(k, sizeof(*k));
}
END_TEST

PG_TEST_MAIN("engine_crew", ((const struct pg_test[]){
				    {gate_holds_then_opens, 2},
				    {last_one_opens, 2},
				    {process_that_ends_badly, 2 * WAYS},
				    {reason_outlives_the_kill, 0},
				    {thread_that_fails, 4},
				    {cause_before_consequence, 0},
				    {consequence_alone_is_told, 2},
				    {main_as_worker_fails, 0},
				    {main_at_gate_sees_death, 0},
				    {close_ends_workers, 2},
				    {handlers_are_reset, 0},
				    {workers_die_with_main, 2},
				    {foreign_children_do_not_count, 0},
				    {NULL, 0},
			    }))
