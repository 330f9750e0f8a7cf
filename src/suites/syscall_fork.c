/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall/fork: fork(), a child that ends at once, its reaping (perf bench syscall fork).
 * Timed: the loop, from before the first fork() to after the last reaping (time, time_per_op, rate), and inside it each
 * fork() alone (fork_time: two readings of the clock a child, some ten ns beside some ten us). Not timed: making the
 * parent's extra memory. Differs from the ancestor: the parent's memory is a param instead of the size of a large
 * program, each child must end with 0, exactly `loops` children, monotonic clock; the child ends by _exit(), without
 * handlers of a program that it is not.
 */
#include "suites/syscall.h"

#include <stdlib.h>
#include <unistd.h>

struct fork_conf {
	uint64_t loops;
	uint64_t parent_size;
};

static const struct pg_param params[] = {
	PG_SYSCALL_LOOPS(struct fork_conf, "10000"),
	PG_SYSCALL_PARENT_SIZE(struct fork_conf),
	{.name = NULL},
};

static const struct pg_metric metrics[] = {PG_SPAWN_METRICS, {.name = NULL}};

static int probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct fork_conf *conf = vconf;

	(void)env, (void)err;
	pg_syscall_spawn_need(conf->parent_size, need);
	return 0;
}

static int setup(struct pg_run *run, struct pg_err *err)
{
	const struct fork_conf *conf = run->conf;
	struct pg_syscall_ballast *b = calloc(1, sizeof(*b));

	run->state = b;
	if (!b)
		return pg_fail_nomem(err);
	return pg_syscall_ballast(b, conf->parent_size, err);
}

static int one_child(int64_t *in_fork, struct pg_err *err)
{
	const int64_t before = pg_now_ns();
	const pid_t pid = fork();

	if (pid == 0)
		pg_exit_child(0);
	if (pid < 0)
		return pg_fail_sys(err,
				   "cannot fork; raise the limit of processes (ulimit -u, pids.max of the cgroup)");
	*in_fork += pg_since(pg_now_ns(), before);
	return pg_syscall_reap(pid, "a child", err);
}

static int once(struct pg_run *run, struct pg_err *err)
{
	const struct fork_conf *conf = run->conf;
	int64_t in_fork = 0, start = pg_now_ns();

	for (uint64_t i = 0; i < conf->loops; i++)
		if (one_child(&in_fork, err))
			return -1;
	run->timed_ns = pg_since(pg_now_ns(), start);
	pg_record(run, PG_SPAWN_TIME, run->timed_ns);
	pg_record(run, PG_SPAWN_OPERATIONS, (int64_t)conf->loops);
	pg_record(run, PG_SPAWN_IN_FORK, in_fork);
	return 0;
}

static void teardown(struct pg_run *run)
{
	if (run->state)
		pg_syscall_ballast_drop(run->state);
	free(run->state);
	run->state = NULL;
}

const struct pg_bench pg_syscall_fork = {
	.name = "syscall/fork",
	.summary = "fork(), a child that ends at once, its reaping",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct fork_conf),
	.probe = probe,
	.setup = setup,
	.once = once,
	.teardown = teardown,
};
