/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main_policy of sched/messaging: in force while the rep runs, of the main task alone, and gone before its results. */
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "registry/registry.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

static const char *const modes[] = {"process", "thread"};

struct watched {
	struct ps_bench b;
	struct pg_err err;
	int policy; /* of this program */
};

static int rep(void *arg)
{
	struct watched *w = arg;
	const int r = ps_rep(&w->b);

	w->err = w->b.err;
	if (r)
		return 1;
	return sched_getscheduler(0) == w->policy ? 0 : 2;
}

/* Whether this user may, and this cgroup has time for it: asked of a child. */
static int become_fifo(void *arg)
{
	const struct sched_param one = {.sched_priority = 1};

	(void)arg;
	return sched_setscheduler(0, SCHED_FIFO, &one) ? 1 : 0;
}

/* Another task of pid: a process below it, or a thread of it. */
static pid_t worker_of(pid_t pid, bool thread)
{
	char path[64];
	pid_t found = 0;
	struct dirent *e;
	DIR *d;

	if (!thread)
		return ps_child_of(pid, 0);
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	d = opendir(path);
	while (d && (e = readdir(d)))
		found = atoi(e->d_name) > 0 && atoi(e->d_name) != pid ? atoi(e->d_name) : found;
	if (d)
		closedir(d);
	return found;
}

struct seen {
	bool main, worker;
	int status; /* of the rep's process */
};

static struct seen watch(struct watched *w, bool threads)
{
	const struct timespec nap = {.tv_nsec = 200000};
	const pid_t pid = fork();
	struct seen s = {.main = false};

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		pg_exit_child(rep(w));
	while (waitpid(pid, &s.status, WNOHANG) == 0) {
		if (sched_getscheduler(pid) == SCHED_FIFO) {
			const pid_t worker = worker_of(pid, threads);

			s.main = true;
			s.worker = s.worker || (worker > 0 && sched_getscheduler(worker) == SCHED_FIFO);
		}
		nanosleep(&nap, NULL);
	}
	ck_assert(WIFEXITED(s.status));
	s.status = WEXITSTATUS(s.status);
	return s;
}

START_TEST(in_force_while_it_runs)
{
	const bool may = ps_in_child(become_fifo, NULL) == 0;
	struct watched *w = ps_shared(sizeof(*w));
	struct seen s = {.main = false};
	char params[160];

	w->policy = sched_getscheduler(0);
	/* On a busy machine a short rep may be over before anybody looks. */
	for (int loops = may ? 10000 : 1; !s.main && loops <= 1000000; loops *= may ? 10 : 1000001) {
		snprintf(params, sizeof(params), "groups=1 fds=2 loops=%d main_policy=fifo mode=%s", loops, modes[_i]);
		ps_bind(&w->b, pg_bench_find("sched/messaging"), params);
		s = watch(w, _i);
		ps_done(&w->b);
		ck_assert_msg(s.status == (may ? 0 : 1), "%d: %s", s.status, w->err.msg);
		ck_assert(!s.worker); /* they were there before */
	}
	ck_assert_int_eq(s.main, may);
	if (!may)
		ck_assert_msg(strstr(w->err.msg, "CAP_SYS_NICE"), "%s", w->err.msg);
	munmap(w, sizeof(*w));
}
END_TEST

PG_TEST_MAIN("suites_messaging_policy", ((const struct pg_test[]){
						{in_force_while_it_runs, 2},
						{NULL, 0},
					}))
