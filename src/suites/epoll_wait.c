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
	M_WRITER_SLEEP,
	M_WRITER_SLEEP_SHARE,
	M_EVENTS,
	M_EVENTS_ERROR,
	M_ELAPSED,
	M_THREAD_TIME,
	M_WORK_EVENTS,
	M_WORK_SPAN,
	M_SLOWEST,
	M_FASTEST,
	M_WRITER_SLEPT,
	M_WRITER_RESTS,
	M_WRITER_TIME,
};

static const struct pg_metric metrics[] = {
	[M_THREAD_RATE] = PG_ROW_RATIO(
		"thread_rate", "mean over the threads of events / elapsed, from before their creation to the stop",
		PG_U_PER_S, PG_HIGHER, M_EVENTS, M_THREAD_TIME, PG_M_MAIN),
	[M_STANDARD_ERROR] = PG_ROW_RATIO("thread_rate_standard_error",
					  "standard error of thread_rate between the threads; none for one thread",
					  PG_U_PER_S, PG_LOWER, M_EVENTS_ERROR, M_ELAPSED, PG_M_ZERO_OK | PG_M_TYPICAL),
	[M_RATE] =
		PG_ROW_RATIO("rate", "events of all threads / elapsed", PG_U_PER_S, PG_HIGHER, M_EVENTS, M_ELAPSED, 0),
	[M_WORK_RATE] = PG_ROW_RATIO("work_rate", "sum of each thread's events / its own time from gate to stop",
				     PG_U_PER_S, PG_HIGHER, M_WORK_EVENTS, M_WORK_SPAN, 0),
	[M_FAIRNESS] = PG_ROW_RATIO("thread_fairness", "slowest / fastest thread", PG_U_COUNT, PG_HIGHER, M_SLOWEST,
				    M_FASTEST, PG_M_TYPICAL),
	[M_EMPTY_WAITS] = PG_ROW_RAW("empty_waits", "returns of epoll_wait without event", PG_U_COUNT, PG_LOWER, PG_SUM,
				     PG_M_TYPICAL),
	[M_EMPTY_READS] = PG_ROW_RAW("empty_reads", "events whose eventfd another thread had read already", PG_U_COUNT,
				     PG_LOWER, PG_SUM, PG_M_TYPICAL),
	[M_WRITER_SLEEP] = PG_ROW_RATIO(
		"writer_sleep", "mean length of a writer's sleep, loop_sleep as timers make it; none without sleeps",
		PG_U_S, PG_LOWER, M_WRITER_SLEPT, M_WRITER_RESTS, PG_M_ZERO_OK),
	[M_WRITER_SLEEP_SHARE] = PG_ROW_RATIO("writer_sleep_share",
					      "share of their time that writers slept; above 0.5 they limit the rates",
					      PG_U_COUNT, PG_NEITHER, M_WRITER_SLEPT, M_WRITER_TIME, 0),
	[M_EVENTS] = PG_ROW_HIDDEN("events_read", "events of all threads", PG_U_COUNT, PG_SUM, 0),
	[M_EVENTS_ERROR] =
		PG_ROW_HIDDEN("events_error", "standard error of the threads' events", PG_U_COUNT, PG_SUM, 0),
	[M_ELAPSED] = PG_ROW_HIDDEN("elapsed", "before the first thread to the stop", PG_U_S, PG_SUM, 0),
	[M_THREAD_TIME] = PG_ROW_HIDDEN("thread_elapsed", "elapsed times threads", PG_U_S, PG_SUM, 0),
	[M_WORK_EVENTS] =
		PG_ROW_HIDDEN("work_events", "events, each thread's as if it had worked for the whole of work_span",
			      PG_U_COUNT, PG_SUM, 0),
	[M_WORK_SPAN] = PG_ROW_HIDDEN("work_span", "gate open to the last thread's end", PG_U_S, PG_SUM, 0),
	[M_SLOWEST] = PG_ROW_HIDDEN("slowest_thread", "least of work_events", PG_U_COUNT, PG_MIN, 0),
	[M_FASTEST] = PG_ROW_HIDDEN("fastest_thread", "most of work_events", PG_U_COUNT, PG_MAX, 0),
	[M_WRITER_SLEPT] = PG_ROW_HIDDEN("writer_slept", "sleeps of all writers", PG_U_S, PG_SUM, PG_M_ZERO_OK),
	[M_WRITER_RESTS] = PG_ROW_HIDDEN("writer_rests", "how many sleeps these are", PG_U_COUNT, PG_SUM, 0),
	[M_WRITER_TIME] = PG_ROW_HIDDEN("writer_time", "each writer's own time from gate to stop", PG_U_S, PG_SUM, 0),
	{.name = NULL},
};

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

/*
 * With few eventfds the figure is the writers', whose sleep is as long as the machine's timers make it: what shows
 * that. Writers that never slept have no length of a sleep; where the clock saw nothing of their time, there is no
 * share.
 */
static void record_writers(struct pg_run *run, const struct pg_epoll *e)
{
	int64_t slept = 0, whole = 0, rests = 0;

	for (size_t i = e->threads; i < e->threads + e->writers; i++) {
		slept += e->own[i].slept_ns;
		rests += (int64_t)e->own[i].rests;
		whole += pg_period_own_ns(&e->period, i);
	}
	pg_record(run, M_WRITER_SLEPT, slept);
	if (rests > 0)
		pg_record(run, M_WRITER_RESTS, rests);
	if (whole > 0)
		pg_record(run, M_WRITER_TIME, whole);
}

static void record(struct pg_run *run, const struct pg_epoll *e, const struct pg_period_span *span)
{
	double spread;

	pg_record(run, M_ELAPSED, span->elapsed);
	pg_record(run, M_THREAD_TIME, (int64_t)e->threads * span->elapsed);
	pg_record(run, M_WORK_SPAN, span->work);
	for (size_t i = 0; i < e->threads; i++) {
		const struct pg_slot *slot = pg_crew_slot(e->period.crew, i);
		const int64_t scaled = pg_period_scaled(slot->count, pg_period_own_ns(&e->period, i), span->work);

		pg_record(run, M_EVENTS, (int64_t)slot->count);
		pg_record(run, M_WORK_EVENTS, scaled);
		pg_record(run, M_SLOWEST, scaled);
		pg_record(run, M_FASTEST, scaled);
		pg_record(run, M_EMPTY_WAITS, (int64_t)e->own[i].empty_waits);
		pg_record(run, M_EMPTY_READS, (int64_t)e->own[i].empty_reads);
	}
	if (pg_period_standard_error(&e->period, &spread))
		pg_record(run, M_EVENTS_ERROR, llround(spread));
	record_writers(run, e);
}

static int wait_once(struct pg_run *run, struct pg_err *err)
{
	struct pg_epoll *e = run->state;
	struct pg_period_span span;
	int r = -1;

	e->stop_fd = eventfd(0, EFD_CLOEXEC);
	if (e->stop_fd < 0)
		pg_fail_sys(err, "cannot create an eventfd; raise the limit of open files (ulimit -n) or lower fds");
	else if (e->conf->queue == 0 && pg_epoll_open_queue(e, 0, err))
		;
	else if (e->conf->queue == 0 && pg_epoll_watch_stop(e, 0))
		pg_fail_sys(err, "cannot watch an eventfd; raise /proc/sys/fs/epoll/max_user_watches");
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
