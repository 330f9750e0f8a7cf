/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched/pipe: two tasks hand a token (or two) back and forth through two pipes (perf bench sched pipe).
 * Timed: from before fork() or pthread_create() until after the reaping (time), and the turns alone, both tasks ready
 * (round_trip). Not timed: making and enlarging the pipes, mapping the buffers, leaving the cgroups. Differs from the
 * ancestor: monotonic clock, tokens chosen by name, a start gate, placement, short counts and EINTR handled, a task
 * that dies or cannot enter its cgroup ends the rep with its reason, the main task returns to its own cgroup.
 */
#include "pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern const struct pg_bench pg_sched_pipe;

static const struct pg_choice modes[] = {{"process", NULL}, {"thread", NULL}, {NULL, NULL}};
static const struct pg_choice waits[] = {
	{"block", "blocking read"},
	{"epoll", "O_NONBLOCK, and epoll_wait before each read"},
	{NULL, NULL},
};

static const struct pg_param params[] = {
	PG_ROW_LOOPS(struct pg_pipe_conf, loops, "round trips", "1000000", "auto", 'l'),
	{
		.name = "mode",
		.doc = "what the two tasks are",
		.def = "process",
		.choices = modes,
		PG_AT_ENUM(struct pg_pipe_conf, mode),
	},
	{
		.name = "wait",
		.doc = "how a task waits for its turn",
		.def = "block",
		.choices = waits,
		PG_AT_ENUM(struct pg_pipe_conf, wait),
	},
	{
		.name = "tokens",
		.doc = "1 = strict ping-pong, 2 = both tasks write first",
		.def = "1",
		.min = "1",
		.max = "2",
		PG_AT_COUNT(struct pg_pipe_conf, tokens),
	},
	{
		.name = "size",
		.doc = "bytes per write; pipes are enlarged when needed",
		.def = "4B",
		.min = "1B",
		.max = "2147483647B",
		.opt = 's',
		PG_AT_SIZE(struct pg_pipe_conf, size),
	},
	{
		.name = "task_cgroups",
		.doc = "cgroups A,B that task 0 and task 1 enter before the timed turns",
		PG_AT_TEXT(struct pg_pipe_conf, task_cgroups),
	},
	PG_ROW_PLACEMENT(struct pg_pipe_conf, placement, "where the two tasks run", "free"),
	{.name = NULL},
};

enum { M_TIME_PER_OP, M_TIME, M_RATE, M_ROUND_TRIP, M_OPERATIONS, M_LOOP_TIME };

static const struct pg_metric metrics[] = {
	[M_TIME_PER_OP] = PG_ROW_RATIO("time_per_op", "time / loops", PG_U_S, PG_LOWER, M_TIME, M_OPERATIONS, 0),
	[M_TIME] = PG_ROW_RAW("time", "before fork or pthread_create to after reaping", PG_U_S, PG_LOWER, PG_SUM,
			      PG_M_GROWS),
	[M_RATE] = PG_ROW_RATIO("rate", "loops / time", PG_U_PER_S, PG_HIGHER, M_OPERATIONS, M_TIME, 0),
	[M_ROUND_TRIP] =
		PG_ROW_RATIO("round_trip", "loop time with both tasks ready / loops: no fork, exit, reap, cgroup move",
			     PG_U_S, PG_LOWER, M_LOOP_TIME, M_OPERATIONS, PG_M_MAIN),
	[M_OPERATIONS] = PG_ROW_HIDDEN("operations", "round trips done", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_LOOP_TIME] = PG_ROW_HIDDEN("loop_time", "first turn to last turn", PG_U_S, PG_SUM, PG_M_GROWS),
	{.name = NULL},
};

static bool may_exceed_pipe_limit(void)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[2] = {{0}};

	return syscall(SYS_capget, &head, caps) == 0 && caps[0].effective & (1u << CAP_SYS_RESOURCE);
}

static int probe_size(uint64_t size, const char *root, struct pg_err *err)
{
	char path[4096];
	unsigned long max = 0;
	FILE *f;

	if ((size_t)snprintf(path, sizeof(path), "%s/proc/sys/fs/pipe-max-size", root) >= sizeof(path))
		return 0;
	f = fopen(path, "re");
	if (!f)
		return 0;
	if (fscanf(f, "%lu", &max) != 1)
		max = 0;
	fclose(f);
	if (max == 0 || size <= max || may_exceed_pipe_limit())
		return 0;
	return pg_fail(err, PG_EUNSUPPORTED,
		       "size needs pipes of %llu bytes, /proc/sys/fs/pipe-max-size allows %lu; raise it or take a "
		       "smaller size",
		       (unsigned long long)size, max);
}

static int pipe_probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct pg_pipe_conf *conf = vconf;
	const bool threads = conf->mode;

	/* Pipe ends; in each thread an epoll instance, before that a file while a cgroup is entered. Processes have
	 * closed two ends by then. */
	need->tasks = threads ? 2 : 1;
	need->descriptors = 4 + (threads && (conf->wait || conf->task_cgroups) ? 2 : 0);
	need->bytes = need->tasks * pg_crew_task_bytes(threads, PG_PIPE_STACK) + 4 * conf->size;
	need->pipes = 2;
	if (probe_size(conf->size, env->root, err))
		return -1;
	return pg_place_probe(conf->placement, env->topo, err);
}

static int pipe_check(const void *vconf, struct pg_err *err)
{
	const struct pg_pipe_conf *conf = vconf;

	return conf->task_cgroups ? pg_pipe_cgroups_check(conf->task_cgroups, err) : 0;
}

/* A pipe that holds a whole message: where both tasks write first, neither could read before its own had gone in. */
static int open_pipe(int ends[2], const struct pg_pipe_conf *conf, struct pg_err *err)
{
	int room;

	if (pipe2(ends, O_CLOEXEC | (conf->wait ? O_NONBLOCK : 0)))
		return pg_fail_sys(err, "cannot create a pipe; raise the limit of open files (ulimit -n)");
	room = fcntl(ends[PG_PIPE_WRITE], F_GETPIPE_SZ);
	if (room >= 0 && (uint64_t)room >= conf->size)
		return 0;
	room = fcntl(ends[PG_PIPE_WRITE], F_SETPIPE_SZ, (int)conf->size);
	if (room >= 0 && (uint64_t)room >= conf->size)
		return 0;
	if (room >= 0)
		errno = ENOSPC;
	return pg_fail_sys(
		err, "cannot enlarge a pipe to %llu bytes; see /proc/sys/fs/pipe-max-size and pipe-user-pages-soft",
		(unsigned long long)conf->size);
}

static int pipe_setup(struct pg_run *run, struct pg_err *err)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct pg_pipe *p = calloc(1, sizeof(*p));
	void *map;

	run->state = p;
	if (!p)
		return pg_fail_nomem(err);
	p->conf = run->conf;
	p->root = run->root;
	for (size_t i = 0; i < 4; i++)
		p->pipes[i / 2][i % 2] = -1;
	p->stride = (p->conf->size + page - 1) / page * page;
	map = mmap(NULL, 2 * p->stride, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED)
		return pg_fail_sys(err, "cannot map %zu bytes for messages; lower size", 2 * p->stride);
	p->buffers = map;
	return 0;
}

/* Tasks started, run and reaped: the region that the ancestor times. */
static int run_tasks(struct pg_pipe *p, struct pg_err *err)
{
	if (pg_crew_start(p->crew, pg_pipe_task, p, err))
		return -1;
	if (p->conf->mode) {
		if (pg_crew_start(p->crew, pg_pipe_task, p, err))
			return -1;
	} else {
		pg_pipe_keep_ends(p, 1);
		pg_crew_here(p->crew, pg_pipe_task, p);
	}
	return pg_crew_reap(p->crew, err);
}

/* One token: the turns of the task that begins. Two: from the first start to the last end. */
static int64_t loop_ns(const struct pg_pipe *p)
{
	const struct pg_slot *a = pg_crew_slot(p->crew, 0), *b = pg_crew_slot(p->crew, 1);

	if (p->conf->tokens == 1)
		return pg_since(b->end_ns, b->start_ns);
	return pg_since(a->end_ns > b->end_ns ? a->end_ns : b->end_ns,
			a->start_ns < b->start_ns ? a->start_ns : b->start_ns);
}

static int leave_cgroup(struct pg_pipe *p, struct pg_err *err)
{
	int r = 0;

	if (p->home)
		r = pg_pipe_cgroup_leave(p->home, err);
	free(p->home);
	p->home = NULL;
	return r;
}

static void end(struct pg_pipe *p)
{
	pg_crew_close(p->crew);
	p->crew = NULL;
	pg_pipe_close(p);
	leave_cgroup(p, NULL);
}

static int pipe_once(struct pg_run *run, struct pg_err *err)
{
	struct pg_pipe *p = run->state;
	const struct pg_crew_opts opts = {
		.n = 2,
		.threads = p->conf->mode,
		.placement = p->conf->placement,
		.root = p->root,
		.stack_bytes = PG_PIPE_STACK,
		.last_opens = true,
	};
	int64_t start, stop;
	int r = -1;

	if (open_pipe(p->pipes[0], p->conf, err) || open_pipe(p->pipes[1], p->conf, err) ||
	    pg_crew_open(&p->crew, &opts, err))
		goto done;
	start = pg_now_ns();
	r = run_tasks(p, err);
	stop = pg_now_ns();
	if (r == 0)
		r = leave_cgroup(p, err);
	if (r == 0) {
		pg_record(run, M_TIME, pg_since(stop, start));
		pg_record(run, M_LOOP_TIME, loop_ns(p));
		pg_record(run, M_OPERATIONS, (int64_t)pg_crew_slot(p->crew, 1)->count);
	}
done:
	end(p);
	return r;
}

static void pipe_teardown(struct pg_run *run)
{
	struct pg_pipe *p = run->state;

	if (!p)
		return;
	end(p);
	if (p->buffers)
		munmap(p->buffers, 2 * p->stride);
	free(p);
	run->state = NULL;
}

const struct pg_bench pg_sched_pipe = {
	.name = "sched/pipe",
	.summary = "two tasks that hand a token back and forth through two pipes",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct pg_pipe_conf),
	.probe = pipe_probe,
	.check = pipe_check,
	.setup = pipe_setup,
	.once = pipe_once,
	.teardown = pipe_teardown,
};
