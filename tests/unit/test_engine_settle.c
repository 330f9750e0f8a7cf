/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "engine/settle.h"
#include "tests/support/pgtest.h"

#define MS 1000000

/* A thread that spins, or naps and then sleeps in a futex, until told to end. */
struct sleeper {
	pthread_t thread;
	_Atomic pid_t tid;
	_Atomic uint32_t word;
	_Atomic bool entered, end;
	int64_t nap_ns;
	bool spin;
};

static void nap(int64_t ns)
{
	const struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

	nanosleep(&t, NULL);
}

static void *sleep_on(void *arg)
{
	struct sleeper *s = arg;

	atomic_store(&s->tid, (pid_t)syscall(SYS_gettid));
	while (s->spin && !atomic_load(&s->end))
		;
	nap(s->nap_ns);
	atomic_store(&s->entered, true);
	while (!atomic_load(&s->end))
		syscall(SYS_futex, &s->word, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	return NULL;
}

static void start(struct sleeper *s, int64_t nap_ns, bool spin)
{
	memset(s, 0, sizeof(*s));
	s->nap_ns = nap_ns;
	s->spin = spin;
	ck_assert_int_eq(pthread_create(&s->thread, NULL, sleep_on, s), 0);
	while (!atomic_load(&s->tid))
		nap(MS);
}

static void stop(struct sleeper *s)
{
	atomic_store(&s->end, true);
	atomic_store(&s->word, 1);
	syscall(SYS_futex, &s->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
	ck_assert_int_eq(pthread_join(s->thread, NULL), 0);
}

static int settle(const struct pg_sleeper *tasks, size_t n, int64_t bound_ns, struct pg_err *err)
{
	const struct pg_settle s = {.root = "", .tasks = tasks, .n = n, .bound_ns = bound_ns};

	return pg_settle(&s, err);
}

/* The late sleeper is waited for: it has entered its wait when this returns. */
START_TEST(threads_in_their_wait)
{
	struct sleeper a, b;
	struct pg_sleeper tasks[2];
	struct pg_err err;

	start(&a, 0, false);
	start(&b, 30 * MS, false);
	tasks[0] = (struct pg_sleeper){.task = atomic_load(&a.tid), .call = SYS_futex, .at = &a.word};
	tasks[1] = (struct pg_sleeper){.task = atomic_load(&b.tid), .call = SYS_futex, .at = &b.word};
	ck_assert_msg(settle(tasks, 2, INT64_C(30000) * MS, &err) == 0, "%s", err.msg);
	ck_assert(atomic_load(&a.entered) && atomic_load(&b.entered));
	stop(&a);
	stop(&b);
}
END_TEST

/* Whether this kernel tells the call of a sleeping thread. */
static bool calls_are_told(pid_t task)
{
	char path[64], first = 0;
	int fd;

	snprintf(path, sizeof(path), "/proc/self/task/%d/syscall", (int)task);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, &first, 1) != 1)
		first = 0;
	if (fd >= 0)
		close(fd);
	return first != 0;
}

/* Asleep, but not where it should be: another call, another word; and a task that never sleeps. */
START_TEST(not_asleep_where_it_should_be)
{
	struct sleeper s;
	struct pg_sleeper task = {.call = _i == 0 ? SYS_read : SYS_futex};
	struct pg_err err = {.code = PG_OK};
	int r;

	start(&s, 0, _i == 2);
	task.task = atomic_load(&s.tid);
	task.at = _i == 1 ? (const void *)&s.nap_ns : NULL;
	r = settle(&task, 1, 20 * MS, &err);
	if (_i == 2 || calls_are_told(task.task)) {
		ck_assert_int_eq(r, -1);
		ck_assert_msg(strstr(err.msg, "was not seen asleep within 20 ms"), "%s", err.msg);
		ck_assert_int_eq(err.code, PG_EFAILED);
	}
	stop(&s);
}
END_TEST

START_TEST(any_sleep)
{
	struct sleeper s;
	struct pg_sleeper task = {.call = -1};
	struct pg_err err;

	start(&s, 0, false);
	task.task = atomic_load(&s.tid);
	ck_assert_msg(settle(&task, 1, INT64_C(30000) * MS, &err) == 0, "%s", err.msg);
	stop(&s);
}
END_TEST

START_TEST(no_tasks_no_wait)
{
	struct pg_err err;

	ck_assert_int_eq(settle(NULL, 0, 0, &err), 0);
}
END_TEST

START_TEST(a_child_process)
{
	struct pg_sleeper task = {.call = -1};
	struct pg_err err;
	const pid_t pid = fork();
	int status;

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	task.process = task.task = pid;
	ck_assert_msg(settle(&task, 1, INT64_C(30000) * MS, &err) == 0, "%s", err.msg);
	kill(pid, SIGKILL);
	/* A zombie now or soon: both ways of having ended are told, before and after the reaping. */
	for (int i = 0; i < 2; i++) {
		siginfo_t info;

		ck_assert_int_eq(waitid(P_PID, (id_t)pid, &info, WEXITED | (i == 0 ? WNOWAIT : 0)), 0);
		ck_assert_int_eq(settle(&task, 1, INT64_C(30000) * MS, &err), -1);
		ck_assert_msg(strstr(err.msg, "ended instead of falling asleep"), "%s", err.msg);
	}
	ck_assert_int_eq(waitpid(pid, &status, WNOHANG), -1);
}
END_TEST

static int refuse(void *ctx, struct pg_err *err)
{
	int *left = ctx;

	return --*left > 0 ? 0 : pg_fail(err, PG_EFAILED, "a worker has failed");
}

START_TEST(check_ends_it)
{
	struct sleeper s;
	struct pg_sleeper task = {.call = -1};
	int left = 3;
	struct pg_settle how = {
		.root = "", .tasks = &task, .n = 1, .bound_ns = INT64_C(30000) * MS, .check = refuse, .ctx = &left};
	struct pg_err err;

	start(&s, 0, true);
	task.task = atomic_load(&s.tid);
	ck_assert_int_eq(pg_settle(&how, &err), -1);
	ck_assert_str_eq(err.msg, "a worker has failed");
	ck_assert_int_eq(left, 0);
	stop(&s);
}
END_TEST

static void put(const char *root, const char *name, const char *text)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/self/task/7/%s", root, name);
	f = fopen(path, "we");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

/* What the files may say. */
START_TEST(texts_of_proc)
{
	static const struct {
		const char *stat, *call; /* NULL = no such file */
		const char *why;	 /* NULL = asleep */
	} looks[] = {
		{"7 (a b) S 1 2", "202 0x1000 0x80 0x0", NULL},
		{"7 () S) R (x) S 1 2", "202 0x1000 0x80 0x0\n", NULL},
		{"7 () S) R 1 2", "running\n", "not seen asleep"},
		{"7 (a) D 1 2", "202 0x1000 0x80 0x0", "not seen asleep"},
		{"7 (a) t 1 2", NULL, "not seen asleep"},
		{"7 (a) S 1 2", "running\n", "not seen asleep"},
		{"7 (a) S 1 2", "-1 0x1000 0x80\n", "not seen asleep"},
		{"7 (a) S 1 2", "202 0x1008 0x80 0x0\n", "not seen asleep"},
		{"7 (a) S 1 2", "20 0x1000 0x80 0x0\n", "not seen asleep"},
		{"7 (a) S 1 2", "", "not seen asleep"},
		{"7 (a) S 1 2", NULL, NULL}, /* a kernel that does not tell the call */
		{"7 (a) Z 1 2", NULL, "ended"},
		{"7 (a) X 1 2", NULL, "ended"},
		{NULL, NULL, "ended"},
		{"nonsense", NULL, "cannot see in /proc"},
	};
	const struct pg_sleeper task = {.task = 7, .call = 202, .at = (const void *)0x1000};
	char root[] = "/tmp/pg-test-XXXXXX", command[128];
	struct pg_settle how = {.root = root, .tasks = &task, .n = 1, .bound_ns = 0};
	struct pg_err err = {.code = PG_OK};
	int r;

	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(command, sizeof(command), "mkdir -p %s/proc/self/task/7", root);
	ck_assert_int_eq(system(command), 0);
	if (looks[_i].stat)
		put(root, "stat", looks[_i].stat);
	if (looks[_i].call)
		put(root, "syscall", looks[_i].call);
	r = pg_settle(&how, &err);
	snprintf(command, sizeof(command), "rm -rf %s", root);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(r, looks[_i].why ? -1 : 0);
	if (looks[_i].why)
		ck_assert_msg(strstr(err.msg, looks[_i].why), "%s", err.msg);
}
END_TEST

struct asked {
	int n, enough; /* the question that ends the rest; 0 = none does */
};

static int ask(void *ctx, struct pg_err *err)
{
	struct asked *a = ctx;

	return ++a->n == a->enough ? pg_fail(err, PG_EFAILED, "enough") : 0;
}

/* An hour's rest ends when it has lost its sense; a short one is slept in full, and asked about as well. */
START_TEST(rest_looks_up)
{
	struct asked a = {.enough = 2};
	struct pg_err err = {.code = PG_OK};
	int64_t start;

	ck_assert_int_eq(pg_settle_rest(INT64_C(3600) * 1000 * MS, ask, &a, &err), -1);
	ck_assert_int_eq(a.n, 2);
	ck_assert_str_eq(err.msg, "enough");
	a = (struct asked){.enough = 0};
	start = pg_now_ns();
	ck_assert_int_eq(pg_settle_rest(250 * MS, ask, &a, &err), 0);
	ck_assert_int_ge(pg_now_ns() - start, 250 * MS);
	ck_assert_int_ge(a.n, 1);
	ck_assert_int_eq(pg_settle_rest(1, NULL, NULL, &err), 0);
	ck_assert_int_eq(pg_settle_rest(0, ask, NULL, &err), 0);
}
END_TEST

PG_TEST_MAIN("engine_settle", ((const struct pg_test[]){
				      {threads_in_their_wait, 0},
				      {not_asleep_where_it_should_be, 3},
				      {any_sleep, 0},
				      {no_tasks_no_wait, 0},
				      {a_child_process, 0},
				      {check_ends_it, 0},
				      {texts_of_proc, 15},
				      {rest_looks_up, 0},
				      {NULL, 0},
			      }))
