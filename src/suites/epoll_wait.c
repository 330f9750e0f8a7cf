/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * epoll/wait: threads wait for events of eventfds that writers write to in turn (perf bench epoll wait).
 * Timed: events over the period (thread_rate: from before the first thread is created to the stop), and each thread's
 * events over its own time from gate to stop (work_rate). Not timed: ending and joining. Differs from the ancestor:
 * exact elapsed time, threads are joined before they are read, they make their own eventfds, an event that another
 * thread was quicker to read is counted (empty_reads) and left, a return without event is no event, edge-triggered
 * entries are not added again, one writer or several, limits of the process stay.
 */
#include "epoll_wait.h"

#include <math.h>
#include <sys/eventfd.h>
#include <unistd.h>

extern const struct pg_bench pg_epoll_wait_bench;

static const struct pg_choice queues[] = {
	{"common", "one epoll instance"},
	{"per-thread", "an epoll instance of each thread"},
	{NULL, NULL},
};
static const struct pg_choice waits[] = {
	{"block", "no time-out"},
	{"poll", "time-out 0"},
	{NULL, NULL},
};
static const struct pg_choice triggers[] = {
	[PG_EPOLL_LEVEL] = {"level", "as long as there is something to read"},
	[PG_EPOLL_EDGE] = {"edge", "EPOLLET"},
	[PG_EPOLL_ONESHOT] = {"oneshot", "EPOLLONESHOT, re-armed after each event"},
	[PG_EPOLL_EDGE_ONESHOT] = {"edge-oneshot", "both"},
	{NULL, NULL},
};

static const struct pg_param params[] = {
	PG_EPOLL_ROW_THREADS("max(1, cpus - 1)"),
	PG_EPOLL_ROW_RUNTIME,
	PG_EPOLL_ROW_FDS,
	PG_EPOLL_ROW_PATTERN("order in which a writer visits its eventfds; random = shuffled anew each round"),
	PG_EPOLL_ROW_NESTING,
	PG_EPOLL_ROW_LOOP_SLEEP("sleep of a writer after each round, longer by the timer slack (50 us); 0s = none",
				"500ns"),
	{
		.name = "queue",
		.doc = "epoll instances",
		.def = "common",
		.choices = queues,
		PG_AT_ENUM(struct pg_epoll_conf, queue),
	},
	{
		.name = "wait",
		.doc = "time-out of epoll_wait",
		.def = "block",
		.choices = waits,
		PG_AT_ENUM(struct pg_epoll_conf, wait),
	},
	{
		.name = "trigger",
		.doc = "how an event is delivered and re-armed",
		.def = "level",
		.choices = triggers,
		PG_AT_ENUM(struct pg_epoll_conf, trigger),
	},
	{
		.name = "writers",
		.doc = "writing threads, each with its share of the eventfds; one alone limits small fds",
		.def = "1",
		.min = "1",
		.max = "100000",
		PG_AT_COUNT(struct pg_epoll_conf, writers),
	},
	PG_EPOLL_ROW_PLACEMENT("where the workers run; writers are free"),
	{.name = NULL},
};

enum {
	M_THREAD_RATE,
	M_STANDARD_ERROR,
	M_RATE,
	M_WORK_RATE,
	M_FAIRNESS,
	M_EMPTY_WAITS,
	M_EMPTY_READS,
	M_EVENTS,
	M_EVENTS_ERROR,
	M_ELAPSED,
	M_THREAD_TIME,
	M_WORK_EVENTS,
	M_WORK_SPAN,
	M_SLOWEST,
	M_FASTEST,
};

/* clang-format off */
#define RATIO(n, u, b, above, below, f, text) \
	{.name = (n), .doc = (text), .unit = (u), .better = (b), .reduce = PG_RATIO, .num = (above), .den = (below), .flags = (f)}
#define RAW(n, u, b, r, f, text) {.name = (n), .doc = (text), .unit = (u), .better = (b), .reduce = (r), .flags = (f)}

static const struct pg_metric metrics[] = {
	[M_THREAD_RATE] = RATIO("thread_rate", PG_U_PER_S, PG_HIGHER, M_EVENTS, M_THREAD_TIME, PG_M_MAIN,
		"mean over the threads of events / elapsed, from before their creation to the stop"),
	[M_STANDARD_ERROR] = RATIO("thread_rate_standard_error", PG_U_PER_S, PG_LOWER, M_EVENTS_ERROR, M_ELAPSED,
		PG_M_ZERO_OK, "standard error of thread_rate between the threads; none for one thread"),
	[M_RATE] = RATIO("rate", PG_U_PER_S, PG_HIGHER, M_EVENTS, M_ELAPSED, 0, "events of all threads / elapsed"),
	[M_WORK_RATE] = RATIO("work_rate", PG_U_PER_S, PG_HIGHER, M_WORK_EVENTS, M_WORK_SPAN, 0,
		"sum of each thread's events / its own time from gate to stop"),
	[M_FAIRNESS] = RATIO("thread_fairness", PG_U_COUNT, PG_HIGHER, M_SLOWEST, M_FASTEST, 0,
		"slowest / fastest thread"),
	[M_EMPTY_WAITS] = RAW("empty_waits", PG_U_COUNT, PG_LOWER, PG_SUM, 0, "returns of epoll_wait without event"),
	[M_EMPTY_READS] = RAW("empty_reads", PG_U_COUNT, PG_LOWER, PG_SUM, 0,
		"events whose eventfd another thread had read already"),
	[M_EVENTS] = RAW("events_read", PG_U_COUNT, PG_NEITHER, PG_SUM, PG_M_HIDDEN, "events of all threads"),
	[M_EVENTS_ERROR] = RAW("events_error", PG_U_COUNT, PG_NEITHER, PG_SUM, PG_M_HIDDEN,
		"standard error of the threads' events"),
	[M_ELAPSED] = RAW("elapsed", PG_U_S, PG_LOWER, PG_SUM, PG_M_HIDDEN, "before the first thread to the stop"),
	[M_THREAD_TIME] = RAW("thread_elapsed", PG_U_S, PG_LOWER, PG_SUM, PG_M_HIDDEN, "elapsed times threads"),
	[M_WORK_EVENTS] = RAW("work_events", PG_U_COUNT, PG_NEITHER, PG_SUM, PG_M_HIDDEN,
		"events, each thread's as if it had worked for the whole of work_span"),
	[M_WORK_SPAN] = RAW("work_span", PG_U_S, PG_LOWER, PG_SUM, PG_M_HIDDEN, "gate open to the last thread's end"),
	[M_SLOWEST] = RAW("slowest_thread", PG_U_COUNT, PG_NEITHER, PG_MIN, PG_M_HIDDEN, "least of work_events"),
	[M_FASTEST] = RAW("fastest_thread", PG_U_COUNT, PG_NEITHER, PG_MAX, PG_M_HIDDEN, "most of work_events"),
	{.name = NULL},
};
/* clang-format on */

static uint64_t queues_of(const struct pg_epoll_conf *conf)
{
	return conf->queue ? conf->threads : 1;
}

static int wait_probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct pg_epoll_conf *conf = vconf;
	const uint64_t eventfds = conf->threads * conf->fds;

	if (pg_epoll_probe(conf, env, conf->writers, queues_of(conf), need, err))
		return -1;
	need->bytes += eventfds * (sizeof(int) + sizeof(int)); /* what a writer has to visit */
	return 0;
}

static int wait_check(const void *vconf, struct pg_err *err)
{
	const struct pg_epoll_conf *conf = vconf;

	if (conf->writers > conf->threads * conf->fds)
		return pg_fail(err, PG_EINPUT,
			       "writers is %llu, more than the %llu eventfds of threads x fds; lower writers",
			       (unsigned long long)conf->writers, (unsigned long long)(conf->threads * conf->fds));
	return 0;
}

static int wait_setup(struct pg_run *run, struct pg_err *err)
{
	const struct pg_epoll_conf *conf = run->conf;

	return pg_epoll_setup(run, conf->writers, queues_of(conf), err);
}

static void record(struct pg_run *run, const struct pg_epoll *e, const struct pg_epoll_span *span)
{
	pg_record(run, M_ELAPSED, span->elapsed);
	pg_record(run, M_THREAD_TIME, (int64_t)e->threads * span->elapsed);
	pg_record(run, M_WORK_SPAN, span->work);
	for (size_t i = 0; i < e->threads; i++) {
		const struct pg_slot *slot = pg_crew_slot(e->crew, i);
		const int64_t scaled = pg_epoll_scaled(slot->count, pg_since(slot->end_ns, slot->start_ns), span->work);

		pg_record(run, M_EVENTS, (int64_t)slot->count);
		pg_record(run, M_WORK_EVENTS, scaled);
		pg_record(run, M_SLOWEST, scaled);
		pg_record(run, M_FASTEST, scaled);
		pg_record(run, M_EMPTY_WAITS, (int64_t)e->own[i].empty_waits);
		pg_record(run, M_EMPTY_READS, (int64_t)e->own[i].empty_reads);
	}
	if (e->threads > 1)
		pg_record(run, M_EVENTS_ERROR, llround(pg_epoll_counts_error(e)));
}

static int wait_once(struct pg_run *run, struct pg_err *err)
{
	struct pg_epoll *e = run->state;
	struct pg_epoll_span span;
	int r = -1;

	e->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (e->stop_fd < 0)
		pg_fail_sys(err, "cannot create an eventfd");
	else if (e->conf->queue == 0 && pg_epoll_open_queue(e, 0, err))
		;
	else if (e->conf->queue == 0 && pg_epoll_watch_stop(e, 0))
		pg_fail_sys(err, "cannot watch an eventfd");
	else
		r = pg_epoll_run(e, run, pg_epoll_waiter, pg_epoll_writer, &span, err);
	if (r == 0)
		record(run, e, &span);
	pg_epoll_close(e);
	return r;
}

const struct pg_bench pg_epoll_wait_bench = {
	.name = "epoll/wait",
	.summary = "threads that wait for events of many eventfds",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct pg_epoll_conf),
	.probe = wait_probe,
	.check = wait_check,
	.setup = wait_setup,
	.once = wait_once,
	.teardown = pg_epoll_teardown,
};
