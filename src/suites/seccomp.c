/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched/seccomp-notify: a supervisor answers the trapped system calls of another process (perf bench sched
 * seccomp-notify). One operation is a trapped gettid: two ioctls of the supervisor, two switches.
 * Timed: from before the fork and the filter until the caller is reaped (time), and first receive to last send, both
 * tasks ready (round_trip). Not timed: allocation, the socket pair. Differs from the ancestor: the caller puts the
 * filter on itself, so that nothing of it stays and the supervisor does not pay for it; the listener is handed over and
 * closed; the caller makes its calls and ends, and checks each answer; a caller that dies ends the rep with the reason.
 */
#include "seccomp.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

extern const struct pg_bench pg_sched_seccomp_notify;

static const struct pg_param params[] = {
	PG_ROW_LOOPS(struct pg_seccomp_conf, loops, "trapped calls answered", "1000000", "auto", 'l'),
	{
		.name = "sync_wakeup",
		.doc = "listener flag for a synchronous wake-up (Linux 6.6)",
		.def = "false",
		.opt = 's',
		PG_AT_BOOL(struct pg_seccomp_conf, sync_wakeup),
	},
	PG_ROW_PLACEMENT(struct pg_seccomp_conf, placement, "where caller (worker 0) and supervisor (worker 1) run",
			 "free"),
	{.name = NULL},
};

enum { M_TIME_PER_OP, M_TIME, M_RATE, M_ROUND_TRIP, M_OPERATIONS, M_LOOP_TIME };

static const struct pg_metric metrics[] = {
	[M_TIME_PER_OP] = PG_ROW_RATIO("time_per_op", "time / loops", PG_U_S, PG_LOWER, M_TIME, M_OPERATIONS, 0),
	[M_TIME] = PG_ROW_RAW("time", "filter set-up to caller reaped", PG_U_S, PG_LOWER, PG_SUM, PG_M_GROWS),
	[M_RATE] = PG_ROW_RATIO("rate", "loops / time", PG_U_PER_S, PG_HIGHER, M_OPERATIONS, M_TIME, 0),
	[M_ROUND_TRIP] = PG_ROW_RATIO("round_trip", "first receive to last send / loops: no fork, filter, exit, reap",
				      PG_U_S, PG_LOWER, M_LOOP_TIME, M_OPERATIONS, PG_M_MAIN),
	[M_OPERATIONS] = PG_ROW_HIDDEN("operations", "calls answered", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_LOOP_TIME] = PG_ROW_HIDDEN("loop_time", "first receive to last send", PG_U_S, PG_SUM, PG_M_GROWS),
	{.name = NULL},
};

static int seccomp_probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct pg_seccomp_conf *conf = vconf;
	size_t request, response;

	need->tasks = 1;
	need->descriptors = 2; /* the socket pair; later one end and the listener */
	need->bytes = pg_crew_task_bytes(false, 0);
	if (pg_seccomp_sizes(&request, &response, err) || pg_seccomp_try(conf->sync_wakeup, err))
		return -1;
	return pg_place_probe(conf->placement, env->topo, err);
}

static int seccomp_setup(struct pg_run *run, struct pg_err *err)
{
	struct pg_seccomp *s = calloc(1, sizeof(*s));
	size_t response_bytes;

	run->state = s;
	if (!s)
		return pg_fail_nomem(err);
	s->conf = run->conf;
	s->listener = s->link[0] = s->link[1] = -1;
	if (pg_seccomp_sizes(&s->request_bytes, &response_bytes, err))
		return -1;
	s->request = calloc(1, s->request_bytes);
	s->response = calloc(1, response_bytes);
	return s->request && s->response ? 0 : pg_fail_nomem(err);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void end(struct pg_seccomp *s)
{
	pg_crew_close(s->crew);
	s->crew = NULL;
	close_fd(&s->listener);
	close_fd(&s->link[0]);
	close_fd(&s->link[1]);
}

/* The region that the ancestor times. */
static int run_tasks(struct pg_seccomp *s, struct pg_err *err)
{
	if (pg_crew_start(s->crew, pg_seccomp_caller, s, err))
		return -1;
	close_fd(&s->link[0]); /* so that the caller's death is an end of file */
	pg_crew_here(s->crew, pg_seccomp_supervisor, s);
	return pg_crew_reap(s->crew, err);
}

static int seccomp_once(struct pg_run *run, struct pg_err *err)
{
	struct pg_seccomp *s = run->state;
	const struct pg_crew_opts opts = {
		.n = 2,
		.placement = s->conf->placement,
		.root = run->root,
		.last_opens = true,
	};
	int64_t start, stop;
	int r = -1;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s->link))
		pg_fail_sys(err, "cannot create a socket pair; raise the limit of open files (ulimit -n)");
	else if (pg_crew_open(&s->crew, &opts, err) == 0) {
		start = pg_now_ns();
		r = run_tasks(s, err);
		stop = pg_now_ns();
	}
	if (r == 0) {
		const struct pg_slot *slot = pg_crew_slot(s->crew, 1);

		run->timed_ns = pg_since(slot->end_ns, slot->start_ns);
		pg_record(run, M_TIME, pg_since(stop, start));
		pg_record(run, M_LOOP_TIME, run->timed_ns);
		pg_record(run, M_OPERATIONS, (int64_t)slot->count);
	}
	end(s);
	return r;
}

static void seccomp_teardown(struct pg_run *run)
{
	struct pg_seccomp *s = run->state;

	if (!s)
		return;
	end(s);
	free(s->request);
	free(s->response);
	free(s);
	run->state = NULL;
}

const struct pg_bench pg_sched_seccomp_notify = {
	.name = "sched/seccomp-notify",
	.summary = "a supervisor that answers the trapped system calls of another process",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct pg_seccomp_conf),
	.probe = seccomp_probe,
	.tries = true,
	.setup = seccomp_setup,
	.once = seccomp_once,
	.teardown = seccomp_teardown,
};
