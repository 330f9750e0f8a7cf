/* SPDX-License-Identifier: GPL-2.0-or-later */
/* numa/mem: what is refused before a rep, and what ends one: with a reason, and with no process left. */
#include <linux/mempolicy.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "registry/registry.h"
#include "suites/numa.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

#define FOR_EVER "runtime=unlimited loops=1000000000000 processes=2 threads=2 "

static const struct pg_bench *numa_mem(void)
{
	return pg_bench_find("numa/mem");
}

START_TEST(checks)
{
	static const struct {
		const char *params, *wrong; /* NULL = good */
	} c[] = {
		{"", NULL},
		{"global_size=0B", "nothing to work on"},
		{"global_size=0B process_size=8B", NULL},
		{"global_size=0B thread_size=8B", NULL},
		{"global_size=7B", "global_size 7B is less than a word"},
		{"process_size=1B", "process_size 1B is less than a word"},
		{"thread_size=7B", "thread_size 7B is less than a word"},
		{"process_size=1MB locked_size=4B", "locked_size 4B is less than a word"},
		{"process_size=1MB locked_size=1MB", NULL},
		{"process_size=16MB locked_size=32MB", "more than process_size 16777216B"},
		{"locked_size=8B", "more than process_size 0B"},
		{"runtime=unlimited", "both unlimited"},
		{"runtime=unlimited loops=1", NULL},
		{"runtime=unlimited until_converged=true", NULL},
		{"loops=unlimited", NULL},
		{"task_cpus=0-", "task_cpus, character 3"},
		{"task_cpus=0-1#1_2x3", NULL},
		{"task_nodes=0_2", "task_nodes, character 2"},
		{"task_nodes=0x8", NULL},
	};
	struct ps_bench b;

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		ps_bind(&b, numa_mem(), c[i].params);
		ck_assert_msg(b.bench->check(b.conf, &b.err) == (c[i].wrong ? -1 : 0), "%s: %s", c[i].params,
			      b.err.msg);
		if (c[i].wrong) {
			ck_assert_int_eq(b.err.code, PG_EINPUT);
			ck_assert_msg(strstr(b.err.msg, c[i].wrong), "%s: %s", c[i].params, b.err.msg);
		}
		ps_done(&b);
	}
}
END_TEST

/* Numbers that a row does not take. */
START_TEST(ranges)
{
	static const struct {
		const char *name, *text;
	} bad[] = {
		{"processes", "0"},	     {"processes", "4097"}, {"threads", "0"},	  {"threads", "4097"},
		{"global_size", "17TB"},     {"process_size", "x"}, {"loops", "0"},	  {"loops", "auto"},
		{"runtime", "999us"},	     {"runtime", "25h"},    {"runtime", "5"},	  {"loop_sleep", "2h"},
		{"perturb_interval", "1ms"}, {"access", "none"},    {"pattern", "rand"},  {"fill", "one"},
		{"first_touch", "cpu0"},     {"threads", "-1"},	    {"processes", "1.5"}, {"thread_size", "-1B"},
	};
	const struct pg_param *row = pg_param_find(numa_mem()->params, bad[_i].name, NULL);
	struct pg_arena a;
	struct pg_value v;
	struct pg_err err;

	pg_arena_init(&a, false);
	ck_assert_ptr_nonnull(row);
	ck_assert_msg(pg_value_parse(row, bad[_i].text, strlen(bad[_i].text), &a, &v, &err) < 0, "%s=%s", bad[_i].name,
		      bad[_i].text);
	pg_arena_release(&a);
}
END_TEST

/* Whether a mapping of 16 TiB may be had; the thread sanitizer maps as much of its own for it, and dies of that. */
static bool overcommits(void)
{
#ifdef __SANITIZE_THREAD__
	return true;
#endif
	FILE *f = fopen("/proc/sys/vm/overcommit_memory", "re");
	const int c = f ? getc(f) : EOF;

	if (f)
		fclose(f);
	return c == '1';
}

/* Without the probe's word: the workers themselves fail, and the rep with them. */
START_TEST(workers_fail)
{
	static const struct {
		const char *params, *why;
		bool memory;
	} c[] = {
		{FOR_EVER "task_cpus=1048575", "cannot run on CPUs 1048575", false},
		{FOR_EVER "task_cpus=1048575x4 start_gate=false", "cannot run on CPUs 1048575", false},
		{FOR_EVER "process_size=16TB fill=none", "process_size: cannot map 16TB", true},
		{FOR_EVER "thread_size=16TB fill=none", "thread_size: cannot map 16TB", true},
		{FOR_EVER "thread_size=16TB fill=none start_gate=false until_converged=true",
		 "thread_size: cannot map 16TB", true},
	};
	const struct ps_around before = ps_look();
	struct ps_bench b;

	if (c[_i].memory && overcommits())
		return;
	ps_bind(&b, numa_mem(), c[_i].params);
	ck_assert_int_eq(ps_rep(&b), -1);
	ck_assert_msg(strstr(b.err.msg, "worker ") && strstr(b.err.msg, c[_i].why), "%s", b.err.msg);
	ps_same(&before);
	ps_done(&b);
}
END_TEST

START_TEST(setup_fails)
{
	const struct ps_around before = ps_look();
	struct ps_bench b;

	if (overcommits())
		return;
	ps_bind(&b, numa_mem(), "global_size=16TB fill=none");
	ck_assert_int_eq(b.bench->setup(&b.run, &b.err), -1);
	ck_assert_msg(strstr(b.err.msg, "cannot map 16TB for all processes"), "%s", b.err.msg);
	b.bench->teardown(&b.run);
	ck_assert_ptr_null(b.run.state);
	b.bench->teardown(&b.run);
	ps_same(&before);
	ps_done(&b);
}
END_TEST

/* A node that no kernel has. */
START_TEST(no_such_node)
{
	const struct ps_around before = ps_look();
	struct ps_bench b;

	if (pg_numa_policy_probe(NULL))
		return;
	ps_bind(&b, numa_mem(), FOR_EVER "task_nodes=100000");
	ck_assert_int_eq(ps_rep(&b), -1);
	ck_assert_msg(strstr(b.err.msg, "worker 1 of 2: memory of node 100000: cannot set the memory policy"), "%s",
		      b.err.msg);
	ps_same(&before);
	ps_done(&b);
}
END_TEST

/* As a user who may have few tasks. */
static int crowded(void *arg)
{
	const struct rlimit few = {5, 5};
	struct ps_bench b;
	int r;

	if (geteuid() == 0 && setresuid(64999, 64999, 64999))
		return 2;
	if (setrlimit(RLIMIT_NPROC, &few))
		return 3;
	ps_bind(&b, numa_mem(), arg);
	r = ps_rep(&b);
	if (r != -1 || !strstr(b.err.msg, "could start")) {
		fprintf(stderr, "%d %s\n", r, b.err.msg);
		return 1;
	}
	return waitpid(-1, NULL, WNOHANG) == -1 ? 0 : 4;
}

START_TEST(too_few_tasks)
{
	static char params[2][80] = {FOR_EVER "threads=50", FOR_EVER "processes=50"};
	char *p = params[_i];

	ck_assert_int_eq(ps_in_child(crowded, p), 0);
}
END_TEST

struct told {
	int r;
	char msg[PG_ERR_MSG];
};

static int for_ever(void *arg)
{
	struct told *t = arg;
	struct ps_bench b;

	ps_bind(&b, numa_mem(), FOR_EVER "process_size=64KB");
	t->r = ps_rep(&b);
	snprintf(t->msg, sizeof(t->msg), "%s", b.err.msg);
	return 0;
}

/* The rep's number-th child, as soon as there is one. */
static pid_t wait_for_child(pid_t rep, int number)
{
	const struct timespec nap = {.tv_nsec = 1000000};
	pid_t pid;

	while ((pid = ps_child_of(rep, number)) == 0)
		nanosleep(&nap, NULL);
	return pid;
}

/* Killed while it starts, or while it works. */
START_TEST(worker_is_killed)
{
	const struct timespec nap = {.tv_nsec = _i < 2 ? 0 : 200000000};
	struct told *t = ps_shared(sizeof(*t));
	const pid_t rep = fork();
	int status;

	ck_assert_int_ge(rep, 0);
	if (rep == 0)
		pg_exit_child(for_ever(t));
	const pid_t victim = wait_for_child(rep, _i % 2);
	nanosleep(&nap, NULL);
	kill(victim, SIGKILL);
	ck_assert_int_eq(waitpid(rep, &status, 0), rep);
	ck_assert_int_eq(status, 0);
	ck_assert_int_eq(t->r, -1);
	ck_assert_msg(strstr(t->msg, "of 2 was killed by signal 9"), "%s", t->msg);
	munmap(t, sizeof(*t));
}
END_TEST

/* The rep itself dies: its processes go with it. */
START_TEST(rep_is_killed)
{
	struct told *t = ps_shared(sizeof(*t));
	pid_t rep;

	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	rep = fork();
	ck_assert_int_ge(rep, 0);
	if (rep == 0)
		pg_exit_child(for_ever(t));
	wait_for_child(rep, 1);
	kill(rep, SIGKILL);
	ck_assert_int_ge(ps_reap_all(), 2);
	munmap(t, sizeof(*t));
}
END_TEST

static void bind_is(struct pg_numa *m, uint64_t task, const struct pg_cpuset *cpus, int mode, int node)
{
	struct pg_numa_home h;
	struct pg_err err;

	ck_assert_msg(pg_numa_bind_task(m, task, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(pg_numa_home_read(&h, true, &err), 0);
	ck_assert(pg_cpuset_equal(&h.cpus, cpus));
	ck_assert_int_eq(h.mode, mode);
	ck_assert_int_eq(pg_cpuset_next(&h.nodes, -1), node);
	pg_numa_home_release(&h);
}

/* Tasks with entries have what those say; the others what the process had; and the way back leads home. */
START_TEST(bindings)
{
	struct pg_memnodes nodes;
	struct pg_cpuset one;
	struct ps_bench b;
	struct pg_numa *m;
	char params[128];
	int cpu, node;

	if (pg_numa_policy_probe(NULL))
		return;
	ck_assert_int_eq(pg_affinity_get(0, &one, &b.err), 0);
	cpu = pg_cpuset_next(&one, -1);
	pg_cpuset_release(&one);
	ck_assert_int_eq(pg_cpuset_add(&one, (unsigned)cpu), 0);
	ck_assert_int_eq(pg_memnodes_load("", &nodes, &b.err), 0);
	node = pg_cpuset_next(&nodes.allowed, -1);
	pg_memnodes_release(&nodes);
	snprintf(params, sizeof(params), "threads=4 loops=1 task_cpus=%dx2 task_nodes=%d first_touch=cpu0-node", cpu,
		 node);
	ps_bind(&b, numa_mem(), params);
	ck_assert_msg(b.bench->setup(&b.run, &b.err) == 0, "%s", b.err.msg);
	m = b.run.state;
	ck_assert(m->touch.on);
	bind_is(m, 0, &one, MPOL_BIND, node);
	bind_is(m, 1, &one, m->home.mode, pg_cpuset_next(&m->home.nodes, -1));
	bind_is(m, 2, &m->home.cpus, m->home.mode, pg_cpuset_next(&m->home.nodes, -1));
	ck_assert_int_eq(pg_numa_bind_touch(m, 3, &b.err), 0);
	ck_assert_int_eq(pg_numa_home_return(&m->home, &b.err), 0);
	bind_is(m, 3, &m->home.cpus, m->home.mode, pg_cpuset_next(&m->home.nodes, -1));
	b.bench->teardown(&b.run);
	pg_cpuset_release(&one);
	ps_done(&b);
}
END_TEST

PG_TEST_MAIN("suites_numa_fail", ((const struct pg_test[]){
					 {checks, 0},
					 {ranges, 20},
					 {workers_fail, 5},
					 {setup_fails, 0},
					 {no_such_node, 0},
					 {too_few_tasks, 2},
					 {worker_is_killed, 4},
					 {rep_is_killed, 0},
					 {bindings, 0},
					 {NULL, 0},
				 }))
