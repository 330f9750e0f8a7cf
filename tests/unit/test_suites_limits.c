/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Benches that make many tasks are refused where a limit has no room for them, before one task is made. */
#include <stdio.h>
#include <sys/resource.h>

#include "base/topo.h"
#include "engine/preflight.h"
#include "registry/registry.h"
#include "tests/support/fake_root.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

static const struct {
	const char *bench, *params;
	uint64_t tasks; /* beside the rep's own */
	const char *lower;
} many[] = {
	{"sched/messaging", "groups=3 fds=4", 24, "groups or fds"},
	{"sched/messaging", "groups=3 fds=4 mode=thread", 24, "groups or fds"},
	{"sched/pipe", "mode=process", 1, "what the cell asks for"},
	{"sched/pipe", "mode=thread", 2, "what the cell asks for"},
	{"mem/mmap", "threads=5 size=64KB", 5, "threads"},
	{"breakpoint/thread", "creators=2 threads=6 breakpoints=1", 14, "threads or creators or breakpoints"},
	{"breakpoint/enable", "blocked_threads=3 spinning_threads=4", 7, "blocked_threads or spinning_threads"},
	{"futex/hash", "threads=9", 9, "threads"},
	{"futex/wake-parallel", "threads=8 wakers=2", 10, "threads or wakers"},
	{"epoll/wait", "threads=2 fds=2 writers=3", 5, "fds or threads or writers"},
	{"numa/mem", "processes=2 threads=3 thread_size=1MB", 8, "processes or threads"},
};

static int preflight(struct ps_bench *b, const struct pg_limits *l)
{
	static const struct pg_runkeys keys = {.pin = NULL};
	const struct pg_cell cell = {
		.bench = b->bench,
		.params = b->bench->params,
		.n_params = pg_param_count(b->bench->params),
		.vals = b->vals,
		.keys = &keys,
	};

	return pg_preflight(&cell, l, b->conf, &b->err);
}

/* One task too many, and just enough. */
START_TEST(tasks_are_counted_beforehand)
{
	const uint64_t tasks = many[_i].tasks;
	struct pg_topo topo;
	struct pg_limits l = {.tasks = tasks, .tasks_by = "RLIMIT_NPROC", .env = {.root = "", .topo = &topo}};
	struct ps_bench b;
	struct pg_need need;
	char why[160];

	ps_bind(&b, pg_bench_find(many[_i].bench), many[_i].params);
	ck_assert_int_eq(pg_topo_load("", NULL, &topo, &b.err), 0);
	if (ps_probe(&b, &need)) { /* no hardware breakpoints for this user */
		ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
	} else {
		ck_assert_uint_eq(need.tasks, tasks);
		snprintf(why, sizeof(why), "needs %d tasks, RLIMIT_NPROC leaves %d; raise it or lower %s",
			 (int)tasks + 1, (int)tasks, many[_i].lower);
		ck_assert_int_eq(preflight(&b, &l), -1);
		ck_assert_str_eq(b.err.msg, why);
		ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
		l.tasks++;
		ck_assert_msg(preflight(&b, &l) == 0, "%s", b.err.msg);
	}
	pg_topo_release(&topo);
	ps_done(&b);
}
END_TEST

/* By the process's own limit, as an ordinary user has it. 0, or which step went wrong. */
static int ordinary_user(void *arg)
{
	const struct rlimit few = {64, 64};
	struct pg_topo topo;
	struct pg_limits l;
	struct ps_bench b;
	int r = 0;

	(void)arg;
	if (geteuid() == 0 && setuid(65534))
		return 1;
	if (setrlimit(RLIMIT_NPROC, &few))
		return 2;
	ps_bind(&b, pg_bench_find("sched/messaging"), "groups=2 fds=20");
	if (pg_topo_load("", NULL, &topo, &b.err) || pg_limits_read("", &topo, &l, &b.err))
		return 3;
	if (l.tasks > 64 || preflight(&b, &l) != -1)
		r = 4;
	else if (!strstr(b.err.msg, "needs 81 tasks, ") || !strstr(b.err.msg, "; raise it or lower groups or fds"))
		r = 5;
	pg_topo_release(&topo);
	ps_done(&b);
	return r;
}

START_TEST(the_users_own_limit)
{
	ck_assert_int_eq(ps_in_child(ordinary_user, NULL), 0);
}
END_TEST

/* It binds ordinary users, and a root that is one only in its user namespace. */
START_TEST(who_is_bound_by_the_process_limit)
{
	const struct rlimit few = {10, 10};
	char root[FAKE_ROOT];
	struct pg_limits l;
	struct pg_err err;
	bool bound;

	fr_make(root);
	fr_put(root, "proc/self/uid_map", _i ? "0 100000 65536\n" : "0 0 4294967295\n");
	fr_put(root, "proc/loadavg", "0.00 0.01 0.05 1/700 12345\n");
	fr_put(root, "proc/sys/kernel/pid_max", "32768\n");
	ck_assert_int_eq(setrlimit(RLIMIT_NPROC, &few), 0);
	ck_assert_int_eq(pg_limits_read(root, NULL, &l, &err), 0);
	fr_remove(root);
	bound = strcmp(l.tasks_by, "RLIMIT_NPROC") == 0;
	ck_assert_int_eq(bound, _i == 1 || getuid() != 0);
	ck_assert_uint_eq(l.tasks, bound ? 10 : 32768 - 700 - 300);
}
END_TEST

PG_TEST_MAIN("suites_limits", ((const struct pg_test[]){
				      {tasks_are_counted_beforehand, sizeof(many) / sizeof(many[0])},
				      {the_users_own_limit, 0},
				      {who_is_bound_by_the_process_limit, 2},
				      {NULL, 0},
			      }))
