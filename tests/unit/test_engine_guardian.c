/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/pgtest.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "engine/child.h"
#include "engine/guardian.h"

#ifdef PG_COVERAGE
void __gcov_dump(void);
#endif

/* What the processes tell the test. */
struct told {
	atomic_int runner, left, ready, stop, done;
};
static struct told *told;

static volatile sig_atomic_t stop;

static void leave(int status)
{
#ifdef PG_COVERAGE
	__gcov_dump();
#endif
	_exit(status);
}

static void nap(void)
{
	struct timespec t = {0, 2000000};

	nanosleep(&t, NULL);
}

static void await(atomic_int *what)
{
	while (*what == 0)
		nap();
}

/* A process of its own session below the runner that ignores TERM. */
static void leave_process(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		setsid();
		signal(SIGTERM, SIG_IGN);
		told->left = getpid();
		for (;;)
			pause();
	}
}

/* Ready; then waits for a stop, or for `done`. */
static int wait_for_stop(void)
{
	told->runner = getpid();
	told->ready = 1;
	while (stop == 0 && told->done == 0)
		nap();
	told->stop = (int)stop;
	return stop ? 128 + (int)stop : 0;
}

static int leave_and_wait(void)
{
	leave_process();
	await(&told->left);
	return wait_for_stop();
}

static int end_at_once(void)
{
	return 7;
}

static int two_signals(void)
{
	wait_for_stop();
	while (told->done == 0)
		nap();
	told->stop = (int)stop;
	return 128 + (int)stop;
}

/* The process that a user starts. */
static pid_t start(int (*runner)(void))
{
	pid_t pid;

	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	ck_assert(told != MAP_FAILED);
	prctl(PR_SET_CHILD_SUBREAPER, 1); /* so that whatever is left comes to this test */
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		struct pg_err err;
		int status = 99;
		int r = pg_guardian_start(&stop, &status, &err);

		if (r == 0)
			leave(runner());
		leave(r < 0 ? 98 : status);
	}
	return pid;
}

static int status_of(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		ck_assert_int_eq(errno, EINTR);
	return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void check_nothing_left(void)
{
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
	ck_assert_int_eq(errno, ECHILD);
}

START_TEST(hands_status_on)
{
	ck_assert_int_eq(status_of(start(end_at_once)), 7);
	check_nothing_left();
}
END_TEST

START_TEST(hands_signals_on)
{
	static const int sigs[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
	pid_t pid = start(leave_and_wait);

	await(&told->ready);
	kill(pid, sigs[_i]);
	ck_assert_int_eq(status_of(pid), 128 + sigs[_i]);
	ck_assert_int_eq(told->stop, sigs[_i]);
	/* What the runner left was killed before the guardian ended. */
	ck_assert_int_eq(kill(told->left, 0), -1);
	check_nothing_left();
}
END_TEST

START_TEST(runner_killed)
{
	pid_t pid = start(leave_and_wait);

	await(&told->ready);
	kill(told->runner, SIGKILL);
	ck_assert_int_eq(status_of(pid), 128 + SIGKILL);
	ck_assert_int_eq(kill(told->left, 0), -1);
	check_nothing_left();
}
END_TEST

START_TEST(guardian_killed)
{
	pid_t pid = start(wait_for_stop);

	await(&told->ready);
	kill(pid, SIGKILL);
	ck_assert_int_eq(status_of(pid), 1000 + SIGKILL);
	ck_assert_int_eq(status_of(told->runner), 128 + SIGTERM);
	ck_assert_int_eq(told->stop, SIGTERM);
}
END_TEST

START_TEST(first_signal_counts)
{
	pid_t pid = start(two_signals);

	await(&told->ready);
	kill(told->runner, SIGINT);
	await(&told->stop);
	kill(told->runner, SIGTERM);
	kill(pid, SIGINT);
	nap();
	told->done = 1;
	ck_assert_int_eq(status_of(pid), 128 + SIGINT);
	ck_assert_int_eq(told->stop, SIGINT);
}
END_TEST

/* Under nohup a hang-up changes nothing. */
START_TEST(ignored_hang_up)
{
	pid_t pid;

	signal(SIGHUP, SIG_IGN);
	pid = start(wait_for_stop);
	await(&told->ready);
	kill(pid, SIGHUP);
	kill(told->runner, SIGHUP);
	nap();
	told->done = 1;
	ck_assert_int_eq(status_of(pid), 0);
	ck_assert_int_eq(told->stop, 0);
}
END_TEST

/* Signals that come while the runner works do not break it: the handler runs on a stack of its own, many times. */
START_TEST(many_signals)
{
	pid_t pid = start(wait_for_stop);

	await(&told->ready);
	for (int i = 0; i < 200; i++)
		kill(told->runner, i % 2 ? SIGINT : SIGQUIT);
	ck_assert_int_ge(status_of(pid), 128 + SIGINT);
	ck_assert(told->stop == SIGINT || told->stop == SIGQUIT);
}
END_TEST

static int prepared(void)
{
	struct rlimit l = {100, 200};
	struct sigaction sa;
	struct pg_err err;
	sigset_t set;

	signal(SIGCHLD, SIG_IGN);
	sigfillset(&set);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (setrlimit(RLIMIT_NOFILE, &l) < 0 || dup2(2, 60) < 0)
		return 10;
	close(0);
	close(2);
	if (pg_process_prepare(&err) < 0)
		return 11;
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) != 0)
			return 12;
	if (fcntl(60, F_GETFD) != FD_CLOEXEC)
		return 13;
	sigaction(SIGCHLD, NULL, &sa);
	sigprocmask(SIG_BLOCK, NULL, &set);
	if (sa.sa_handler != SIG_DFL || sigismember(&set, SIGTERM) || sigismember(&set, SIGCHLD))
		return 14;
	if (getrlimit(RLIMIT_NOFILE, &l) < 0 || l.rlim_cur != 200)
		return 15;
	if (getrlimit(RLIMIT_CORE, &l) < 0 || l.rlim_cur != 0)
		return 16;
	return 0;
}

START_TEST(prepare)
{
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		leave(prepared());
	ck_assert_int_eq(status_of(pid), 0);
}
END_TEST

START_TEST(set_uid_refused)
{
	pid_t pid;

	if (getuid() != 0)
		return;
	pid = fork();
	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		struct pg_err err = {.code = PG_OK};

		if (setresuid(12345, 0, 0) < 0)
			leave(10);
		leave(pg_process_prepare(&err) == -1 && err.code == PG_EUSAGE ? 0 : 11);
	}
	ck_assert_int_eq(status_of(pid), 0);
}
END_TEST

PG_TEST_MAIN("engine_guardian", ((const struct pg_test[]){
					{hands_status_on, 0},
					{hands_signals_on, 4},
					{runner_killed, 0},
					{guardian_killed, 0},
					{first_signal_counts, 0},
					{ignored_hang_up, 0},
					{many_signals, 0},
					{prepare, 0},
					{set_uid_refused, 0},
					{NULL, 0},
				}))
