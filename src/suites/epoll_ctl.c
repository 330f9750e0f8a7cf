/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * epoll/ctl: threads add, modify and delete eventfds of one epoll instance (perf bench epoll ctl).
 * Timed: successful calls over the period, from before the first thread is created to the stop (rate, thread_adds ...);
 * each thread's calls over its own time from gate to stop (work_rate), and without its sleeps (add_rate ...). Not
 * timed: making the eventfds that are there before the gate, ending and joining. Differs from the ancestor: rates
 * beside totals, sleeps told apart or left out, exact elapsed time, threads are joined before they are read and make
 * their own eventfds, limits of the process stay.
 */
#include "epoll.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

extern const struct pg_bench pg_epoll_ctl_bench;

static const struct pg_param params[] = {
	PG_EPOLL_ROW_THREADS("cpus"),
	PG_EPOLL_ROW_RUNTIME,
	PG_EPOLL_ROW_FDS,
	PG_EPOLL_ROW_PATTERN("sequential: add, modify, delete in turn; random: any of them on any eventfd"),
	PG_EPOLL_ROW_NESTING,
	PG_EPOLL_ROW_LOOP_SLEEP("sleep after each pass over the eventfds (random: after each call), longer by the "
				"timer slack (50 us); 0s = none",
				"250ns"),
	PG_EPOLL_ROW_PLACEMENT("where the workers run"),
	{.name = NULL},
};

enum {
	M_RATE,
	M_THREAD_ADDS,
	M_THREAD_MODIFIES,
	M_THREAD_DELETES,
	M_ADD_RATE,
	M_MODIFY_RATE,
	M_DELETE_RATE,
	M_WORK_RATE,
	M_FAIRNESS,
	M_CALLS,
	M_ELAPSED,
	M_ADDS,
	M_MODIFIES,
	M_DELETES,
	M_WORK_CALLS,
	M_WORK_SPAN,
	M_SLOWEST,
	M_FASTEST,
};

static const struct pg_metric metrics[] = {
	[M_RATE] = PG_ROW_RATIO("rate", "all successful calls / elapsed", PG_U_PER_S, PG_HIGHER, M_CALLS, M_ELAPSED,
				PG_M_MAIN),
	[M_THREAD_ADDS] = PG_ROW_RAW("thread_adds",
				     "mean per thread of successful additions in the whole run; grows with runtime",
				     PG_U_COUNT, PG_HIGHER, PG_MEAN, 0),
	[M_THREAD_MODIFIES] =
		PG_ROW_RAW("thread_modifies", "the same of modifications", PG_U_COUNT, PG_HIGHER, PG_MEAN, 0),
	[M_THREAD_DELETES] = PG_ROW_RAW("thread_deletes", "the same of deletions", PG_U_COUNT, PG_HIGHER, PG_MEAN, 0),
	[M_ADD_RATE] = PG_ROW_RATIO("add_rate", "additions of all threads / their time without sleeps", PG_U_PER_S,
				    PG_HIGHER, M_ADDS, M_WORK_SPAN, PG_M_ZERO_OK),
	[M_MODIFY_RATE] = PG_ROW_RATIO("modify_rate", "the same of modifications", PG_U_PER_S, PG_HIGHER, M_MODIFIES,
				       M_WORK_SPAN, PG_M_ZERO_OK),
	[M_DELETE_RATE] = PG_ROW_RATIO("delete_rate", "the same of deletions", PG_U_PER_S, PG_HIGHER, M_DELETES,
				       M_WORK_SPAN, PG_M_ZERO_OK),
	[M_WORK_RATE] = PG_ROW_RATIO(
		"work_rate", "sum of each thread's successful calls / its own time from gate to stop, with sleeps",
		PG_U_PER_S, PG_HIGHER, M_WORK_CALLS, M_WORK_SPAN, 0),
	[M_FAIRNESS] = PG_ROW_RATIO("thread_fairness", "slowest / fastest thread", PG_U_COUNT, PG_HIGHER, M_SLOWEST,
				    M_FASTEST, PG_M_TYPICAL),
	[M_CALLS] = PG_ROW_HIDDEN("calls", "successful calls of all threads", PG_U_COUNT, PG_SUM, 0),
	[M_ELAPSED] = PG_ROW_HIDDEN("elapsed", "before the first thread to the stop", PG_U_S, PG_SUM, 0),
	[M_ADDS] = PG_ROW_HIDDEN(
		"awake_adds", "additions, each thread's as if it had worked without sleep for the whole of work_span",
		PG_U_COUNT, PG_SUM, 0),
	[M_MODIFIES] = PG_ROW_HIDDEN("awake_modifies", "the same of modifications", PG_U_COUNT, PG_SUM, 0),
	[M_DELETES] = PG_ROW_HIDDEN("awake_deletes", "the same of deletions", PG_U_COUNT, PG_SUM, 0),
	[M_WORK_CALLS] =
		PG_ROW_HIDDEN("work_calls", "calls, each thread's as if it had worked for the whole of work_span",
			      PG_U_COUNT, PG_SUM, 0),
	[M_WORK_SPAN] = PG_ROW_HIDDEN("work_span", "gate open to the last thread's end", PG_U_S, PG_SUM, 0),
	[M_SLOWEST] = PG_ROW_HIDDEN("slowest_thread", "least of work_calls", PG_U_COUNT, PG_MIN, 0),
	[M_FASTEST] = PG_ROW_HIDDEN("fastest_thread", "most of work_calls", PG_U_COUNT, PG_MAX, 0),
	{.name = NULL},
};

static int ctl_probe(const void *conf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	return pg_epoll_probe(conf, env, 0, 1, need, err);
}

static int ctl_setup(struct pg_run *run, struct pg_err *err)
{
	return pg_epoll_setup(run, 0, 1, err);
}

static int pass(struct pg_worker *w, const struct pg_epoll *e, struct pg_epoll_own *own)
{
	for (size_t i = 0; i < own->n_fds && !pg_epoll_stopped(w, e); i++) {
		const int fd = own->fds[i];
		struct epoll_event ev = {.events = EPOLLIN, .data.fd = fd};

		if (epoll_ctl(own->queue, EPOLL_CTL_ADD, fd, &ev))
			return pg_worker_fail_sys(
				w, "cannot add eventfd %zu; raise /proc/sys/fs/epoll/max_user_watches or lower fds",
				i + 1);
		own->adds++;
		ev.events = EPOLLOUT;
		if (epoll_ctl(own->queue, EPOLL_CTL_MOD, fd, &ev))
			return pg_worker_fail_sys(w, "cannot modify eventfd %zu; run it again", i + 1);
		own->modifies++;
		if (epoll_ctl(own->queue, EPOLL_CTL_DEL, fd, NULL))
			return pg_worker_fail_sys(w, "cannot delete eventfd %zu; run it again", i + 1);
		own->deletes++;
	}
	return 0;
}

/* Any call on any eventfd: that an eventfd is there already, or is not there, is an answer like another. */
static int one_call(struct pg_worker *w, struct pg_epoll_own *own, uint64_t *state)
{
	static const int ops[] = {EPOLL_CTL_ADD, EPOLL_CTL_MOD, EPOLL_CTL_DEL};
	uint64_t *const counts[] = {&own->adds, &own->modifies, &own->deletes};
	const size_t kind = pg_epoll_below(state, 3);
	const int fd = own->fds[pg_epoll_below(state, own->n_fds)];
	struct epoll_event ev = {.events = kind ? EPOLLOUT : EPOLLIN, .data.fd = fd};

	if (epoll_ctl(own->queue, ops[kind], fd, &ev) == 0)
		(*counts[kind])++;
	else if (errno != EEXIST && errno != ENOENT)
		return pg_worker_fail_sys(
			w, "cannot change an epoll instance; raise /proc/sys/fs/epoll/max_user_watches or lower fds");
	return 0;
}

static int prepare(struct pg_worker *w, struct pg_epoll *e)
{
	struct pg_epoll_own *own = &e->own[w->index];

	if (pg_epoll_make_fds(w, e))
		return -1;
	own->queue = e->queues[0].instance[0];
	for (size_t i = 0; e->conf->pattern && i < own->n_fds; i += 2) {
		struct epoll_event ev = {.events = EPOLLIN, .data.fd = own->fds[i]};

		if (epoll_ctl(own->queue, EPOLL_CTL_ADD, own->fds[i], &ev))
			return pg_worker_fail_sys(
				w, "cannot add eventfd %zu; raise /proc/sys/fs/epoll/max_user_watches or lower fds",
				i + 1);
	}
	return 0;
}

static int changer(struct pg_worker *w, void *arg)
{
	struct pg_epoll *e = arg;
	struct pg_epoll_own *own = &e->own[w->index];
	uint64_t state = e->seed + w->index * UINT64_C(0xd1b54a32d192ed03);

	if (prepare(w, e))
		return -1;
	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	pg_period_begin(w, &e->period);
	while (!pg_epoll_stopped(w, e)) {
		if (e->conf->pattern ? one_call(w, own, &state) : pass(w, e, own))
			return -1;
		pg_epoll_rest(e, own);
	}
	w->slot->end_ns = pg_now_ns();
	w->slot->count = own->adds + own->modifies + own->deletes;
	return 0;
}

static void record(struct pg_run *run, const struct pg_epoll *e, const struct pg_period_span *span)
{
	pg_record(run, M_ELAPSED, span->elapsed);
	pg_record(run, M_WORK_SPAN, span->work);
	for (size_t i = 0; i < e->threads; i++) {
		const struct pg_slot *slot = pg_crew_slot(e->period.crew, i);
		const struct pg_epoll_own *own = &e->own[i];
		const int64_t whole = pg_period_own_ns(&e->period, i), awake = pg_since(whole, own->slept_ns);
		const int64_t scaled = pg_period_scaled(slot->count, whole, span->work);

		pg_record(run, M_THREAD_ADDS, (int64_t)own->adds);
		pg_record(run, M_THREAD_MODIFIES, (int64_t)own->modifies);
		pg_record(run, M_THREAD_DELETES, (int64_t)own->deletes);
		pg_record(run, M_CALLS, (int64_t)slot->count);
		pg_record(run, M_ADDS, pg_period_scaled(own->adds, awake, span->work));
		pg_record(run, M_MODIFIES, pg_period_scaled(own->modifies, awake, span->work));
		pg_record(run, M_DELETES, pg_period_scaled(own->deletes, awake, span->work));
		pg_record(run, M_WORK_CALLS, scaled);
		pg_record(run, M_SLOWEST, scaled);
		pg_record(run, M_FASTEST, scaled);
	}
}

static int ctl_once(struct pg_run *run, struct pg_err *err)
{
	struct pg_epoll *e = run->state;
	struct pg_period_span span;
	int r = pg_epoll_open_queue(e, 0, err);

	if (r == 0)
		r = pg_epoll_run(e, run, changer, NULL, &span, err);
	if (r == 0)
		record(run, e, &span);
	pg_epoll_close(e);
	return r;
}

const struct pg_bench pg_epoll_ctl_bench = {
	.name = "epoll/ctl",
	.summary = "threads that add, modify and delete eventfds of one epoll instance",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct pg_epoll_conf),
	.probe = ctl_probe,
	.setup = ctl_setup,
	.once = ctl_once,
	.teardown = pg_epoll_teardown,
};
