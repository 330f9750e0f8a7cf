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

/* clang-format off */
#define RATIO(n, u, above, below, f, text) \
	{.name = (n), .doc = (text), .unit = (u), .better = PG_HIGHER, .reduce = PG_RATIO, .num = (above), .den = (below), .flags = (f)}
#define RAW(n, u, b, r, f, text) {.name = (n), .doc = (text), .unit = (u), .better = (b), .reduce = (r), .flags = (f)}

static const struct pg_metric metrics[] = {
	[M_RATE] = RATIO("rate", PG_U_PER_S, M_CALLS, M_ELAPSED, PG_M_MAIN, "all successful calls / elapsed"),
	[M_THREAD_ADDS] = RAW("thread_adds", PG_U_COUNT, PG_HIGHER, PG_MEAN, 0,
		"mean per thread of successful additions in the whole run; grows with runtime"),
	[M_THREAD_MODIFIES] = RAW("thread_modifies", PG_U_COUNT, PG_HIGHER, PG_MEAN, 0, "the same of modifications"),
	[M_THREAD_DELETES] = RAW("thread_deletes", PG_U_COUNT, PG_HIGHER, PG_MEAN, 0, "the same of deletions"),
	[M_ADD_RATE] = RATIO("add_rate", PG_U_PER_S, M_ADDS, M_WORK_SPAN, PG_M_ZERO_OK,
		"additions of all threads / their time without sleeps"),
	[M_MODIFY_RATE] = RATIO("modify_rate", PG_U_PER_S, M_MODIFIES, M_WORK_SPAN, PG_M_ZERO_OK,
		"the same of modifications"),
	[M_DELETE_RATE] = RATIO("delete_rate", PG_U_PER_S, M_DELETES, M_WORK_SPAN, PG_M_ZERO_OK,
		"the same of deletions"),
	[M_WORK_RATE] = RATIO("work_rate", PG_U_PER_S, M_WORK_CALLS, M_WORK_SPAN, 0,
		"sum of each thread's successful calls / its own time from gate to stop, with sleeps"),
	[M_FAIRNESS] = RATIO("thread_fairness", PG_U_COUNT, M_SLOWEST, M_FASTEST, 0, "slowest / fastest thread"),
	[M_CALLS] = RAW("calls", PG_U_COUNT, PG_NEITHER, PG_SUM, PG_M_HIDDEN, "successful calls of all threads"),
	[M_ELAPSED] = RAW("elapsed", PG_U_S, PG_LOWER, PG_SUM, PG_M_HIDDEN, "before the first thread to the stop"),
	[M_ADDS] = RAW("awake_adds", PG_U_COUNT, PG_NEITHER, PG_SUM, PG_M_HIDDEN,
		"additions, each thread's as if it had worked without sleep for the whole of work_span"),
	[M_MODIFIES] = RAW("awake_modifies", PG_U_COUNT, PG_NEITHER, PG_SUM, PG_M_HIDDEN, "the same of modifications"),
	[M_DELETES] = RAW("awake_deletes", PG_U_COUNT, PG_NEITHER, PG_SUM, PG_M_HIDDEN, "the same of deletions"),
	[M_WORK_CALLS] = RAW("work_calls", PG_U_COUNT, PG_NEITHER, PG_SUM, PG_M_HIDDEN,
		"calls, each thread's as if it had worked for the whole of work_span"),
	[M_WORK_SPAN] = RAW("work_span", PG_U_S, PG_LOWER, PG_SUM, PG_M_HIDDEN, "gate open to the last thread's end"),
	[M_SLOWEST] = RAW("slowest_thread", PG_U_COUNT, PG_NEITHER, PG_MIN, PG_M_HIDDEN, "least of work_calls"),
	[M_FASTEST] = RAW("fastest_thread", PG_U_COUNT, PG_NEITHER, PG_MAX, PG_M_HIDDEN, "most of work_calls"),
	{.name = NULL},
};
/* clang-format on */

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
			return pg_worker_fail_sys(w, "cannot add eventfd %zu", i + 1);
		own->adds++;
		ev.events = EPOLLOUT;
		if (epoll_ctl(own->queue, EPOLL_CTL_MOD, fd, &ev))
			return pg_worker_fail_sys(w, "cannot modify eventfd %zu", i + 1);
		own->modifies++;
		if (epoll_ctl(own->queue, EPOLL_CTL_DEL, fd, NULL))
			return pg_worker_fail_sys(w, "cannot delete eventfd %zu", i + 1);
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
		return pg_worker_fail_sys(w, "cannot change an epoll instance");
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
			return pg_worker_fail_sys(w, "cannot add eventfd %zu", i + 1);
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
	w->slot->start_ns = pg_now_ns();
	while (!pg_epoll_stopped(w, e)) {
		if (e->conf->pattern ? one_call(w, own, &state) : pass(w, e, own))
			return -1;
		own->slept_ns += pg_epoll_rest(e);
	}
	w->slot->end_ns = pg_now_ns();
	w->slot->count = own->adds + own->modifies + own->deletes;
	return 0;
}

static void record(struct pg_run *run, const struct pg_epoll *e, const struct pg_epoll_span *span)
{
	pg_record(run, M_ELAPSED, span->elapsed);
	pg_record(run, M_WORK_SPAN, span->work);
	for (size_t i = 0; i < e->threads; i++) {
		const struct pg_slot *slot = pg_crew_slot(e->crew, i);
		const struct pg_epoll_own *own = &e->own[i];
		const int64_t whole = pg_since(slot->end_ns, slot->start_ns), awake = pg_since(whole, own->slept_ns);
		const int64_t scaled = pg_epoll_scaled(slot->count, whole, span->work);

		pg_record(run, M_THREAD_ADDS, (int64_t)own->adds);
		pg_record(run, M_THREAD_MODIFIES, (int64_t)own->modifies);
		pg_record(run, M_THREAD_DELETES, (int64_t)own->deletes);
		pg_record(run, M_CALLS, (int64_t)slot->count);
		pg_record(run, M_ADDS, pg_epoll_scaled(own->adds, awake, span->work));
		pg_record(run, M_MODIFIES, pg_epoll_scaled(own->modifies, awake, span->work));
		pg_record(run, M_DELETES, pg_epoll_scaled(own->deletes, awake, span->work));
		pg_record(run, M_WORK_CALLS, scaled);
		pg_record(run, M_SLOWEST, scaled);
		pg_record(run, M_FASTEST, scaled);
	}
}

static int ctl_once(struct pg_run *run, struct pg_err *err)
{
	struct pg_epoll *e = run->state;
	struct pg_epoll_span span;
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
