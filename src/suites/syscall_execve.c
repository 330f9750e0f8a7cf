/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall/execve: fork(), a child that becomes `program`, its end and reaping (perf bench syscall execve).
 * Timed: the loop, from before the first fork() to after the last reaping (time, time_per_op, rate), inside it each
 * fork() alone (fork_time). exec_time comes from further children, one for every eight of the loop and at least one:
 * they hold a close-on-exec pipe whose end of file says that the new image is in place, and would disturb the loop.
 * Not timed: the parent's extra memory, one child beforehand that shows that the program can be executed at all.
 * Differs from the ancestor: a child that cannot be executed or ends other than 0 fails the rep with its reason, the
 * program and the parent's memory are params, exactly `loops` children, monotonic clock. The program gets one argument,
 * its path, and no environment.
 */
#include "suites/syscall.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define NOT_EXECUTED 127
#define PROBED_SHARE 8

struct execve_conf {
	uint64_t loops;
	uint64_t parent_size;
	const char *program;
};

static const struct pg_param params[] = {
	PG_SYSCALL_LOOPS(struct execve_conf, "10000"),
	PG_SYSCALL_PARENT_SIZE(struct execve_conf),
	{
		.name = "program",
		.doc = "path of what the child becomes; it must end with status 0",
		.def = "/bin/true",
		PG_AT_TEXT(struct execve_conf, program),
	},
	{.name = NULL},
};

enum { M_EXEC_TIME = PG_SPAWN_IN_FORK + 1, M_EXECS, M_IN_EXEC };

static const struct pg_metric metrics[] = {
	PG_SPAWN_METRICS,
	[M_EXEC_TIME] = PG_ROW_RATIO("exec_time", "fork() returned to the new image in place, mean", PG_U_S, PG_LOWER,
				     M_IN_EXEC, M_EXECS, 0),
	[M_EXECS] = PG_ROW_HIDDEN("watched_execs", "children of exec_time", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_IN_EXEC] = PG_ROW_HIDDEN("exec_time_total", "until the images were in place", PG_U_S, PG_SUM, PG_M_GROWS),
	{.name = NULL},
};

static int check(const void *vconf, struct pg_err *err)
{
	const struct execve_conf *conf = vconf;

	if (!strchr(conf->program, '/'))
		return pg_fail(err, PG_EINPUT, "program `%s` is no path; write one with a slash, as /bin/true",
			       conf->program);
	return 0;
}

static int probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct execve_conf *conf = vconf;
	struct stat st;

	(void)env;
	pg_syscall_spawn_need(conf->parent_size, need);
	need->descriptors = 2;
	if (stat(conf->program, &st))
		return pg_fail(err, PG_EUNSUPPORTED, "program %s: %s; install it or name another", conf->program,
			       strerror(errno));
	if (!S_ISREG(st.st_mode) || access(conf->program, X_OK))
		return pg_fail(err, PG_EUNSUPPORTED, "program %s cannot be executed by this user; name another",
			       conf->program);
	return 0;
}

struct parent {
	struct pg_syscall_ballast ballast;
	char *program;
};

static void become(char *program)
{
	char *const argv[] = {program, NULL}, *const envp[] = {NULL};

	execve(program, argv, envp);
}

/* A child that tells by end of file on a close-on-exec pipe that it has become the program, or sends the errno. */
static int watched_child(char *program, int64_t *in_exec, struct pg_err *err)
{
	int ends[2], why = 0;
	int64_t before;
	ssize_t n;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return pg_fail_sys(err, "cannot create a pipe; raise the limit of open files (ulimit -n)");
	pid = fork();
	before = pg_now_ns();
	if (pid == 0) {
		become(program);
		why = errno;
		if (write(ends[1], &why, sizeof(why)) < 0)
			why = 0;
		_exit(NOT_EXECUTED);
	}
	close(ends[1]);
	if (pid < 0) {
		pg_fail_sys(err, "cannot fork; raise the limit of processes (ulimit -u, pids.max of the cgroup)");
		close(ends[0]);
		return -1;
	}
	while ((n = read(ends[0], &why, sizeof(why))) < 0 && errno == EINTR)
		;
	*in_exec += pg_since(pg_now_ns(), before);
	close(ends[0]);
	if (n == 0)
		return pg_syscall_reap(pid, program, err);
	pg_syscall_reap(pid, program, NULL);
	errno = why;
	return pg_fail_sys(err, "cannot execute %s; name a program that this user may execute", program);
}

static int plain_child(char *program, int64_t *in_fork, struct pg_err *err)
{
	const int64_t before = pg_now_ns();
	const pid_t pid = fork();

	if (pid == 0) {
		become(program);
		_exit(NOT_EXECUTED);
	}
	if (pid < 0)
		return pg_fail_sys(err,
				   "cannot fork; raise the limit of processes (ulimit -u, pids.max of the cgroup)");
	*in_fork += pg_since(pg_now_ns(), before);
	return pg_syscall_reap(pid, program, err);
}

static int setup(struct pg_run *run, struct pg_err *err)
{
	const struct execve_conf *conf = run->conf;
	struct parent *p = calloc(1, sizeof(*p));
	int64_t in_exec = 0;

	run->state = p;
	if (!p)
		return pg_fail_nomem(err);
	p->program = strdup(conf->program);
	if (!p->program)
		return pg_fail_nomem(err);
	if (pg_syscall_ballast(&p->ballast, conf->parent_size, err))
		return -1;
	return watched_child(p->program, &in_exec, err);
}

static int once(struct pg_run *run, struct pg_err *err)
{
	const struct execve_conf *conf = run->conf;
	const struct parent *p = run->state;
	const uint64_t watched = (conf->loops + PROBED_SHARE - 1) / PROBED_SHARE;
	int64_t in_fork = 0, in_exec = 0, start = pg_now_ns();

	for (uint64_t i = 0; i < conf->loops; i++)
		if (plain_child(p->program, &in_fork, err))
			return -1;
	run->timed_ns = pg_since(pg_now_ns(), start);
	for (uint64_t i = 0; i < watched; i++)
		if (watched_child(p->program, &in_exec, err))
			return -1;
	pg_record(run, PG_SPAWN_TIME, run->timed_ns);
	pg_record(run, PG_SPAWN_OPERATIONS, (int64_t)conf->loops);
	pg_record(run, PG_SPAWN_IN_FORK, in_fork);
	pg_record(run, M_IN_EXEC, in_exec);
	pg_record(run, M_EXECS, (int64_t)watched);
	return 0;
}

static void teardown(struct pg_run *run)
{
	struct parent *p = run->state;

	if (!p)
		return;
	pg_syscall_ballast_drop(&p->ballast);
	free(p->program);
	free(p);
	run->state = NULL;
}

const struct pg_bench pg_syscall_execve = {
	.name = "syscall/execve",
	.summary = "fork(), a child that becomes a program, its end and reaping",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct execve_conf),
	.probe = probe,
	.check = check,
	.setup = setup,
	.once = once,
	.teardown = teardown,
};
