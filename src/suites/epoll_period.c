/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The measured part of both epoll benches: threads, gate, period, stop, and the spans that rates are made from. */
#include "epoll.h"

#include <errno.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

#define LOOK_NS 50000000 /* how often the main task looks for threads that have failed */

int64_t pg_epoll_rest(const struct pg_epoll *e)
{
	const int64_t ns = e->conf->loop_sleep;
	const struct timespec nap = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	int64_t start;

	if (ns == 0)
		return 0;
	start = pg_now_ns();
	nanosleep(&nap, NULL);
	return pg_since(pg_now_ns(), start);
}

int64_t pg_epoll_scaled(uint64_t operations, int64_t ns, int64_t span)
{
	/* Rounded; a count of 2^63 and a span of a day need 128 bits. */
	__extension__ typedef unsigned __int128 wide;

	if (ns <= 0 || span <= 0)
		return 0;
	return (int64_t)(((wide)operations * (wide)span + (wide)ns / 2) / (wide)ns);
}

double pg_epoll_counts_error(const struct pg_epoll *e)
{
	const double n = (double)e->threads;
	double mean = 0, m2 = 0;

	for (size_t i = 0; i < e->threads; i++)
		mean += (double)pg_crew_slot(e->crew, i)->count / n;
	for (size_t i = 0; i < e->threads; i++) {
		const double d = (double)pg_crew_slot(e->crew, i)->count - mean;

		m2 += d * d;
	}
	return n > 1 ? sqrt(m2 / (n - 1) / n) : 0;
}

static int open_crew(struct pg_epoll *e, const struct pg_run *run, struct pg_err *err)
{
	struct pg_crew_opts opts = {
		.n = e->threads + e->writers,
		.threads = true,
		.placement = e->conf->placement,
		.root = run->root,
	};

	if (opts.placement == PG_PLACE_CROSS_CPU && pg_cpuset_count(&e->home) == 1)
		opts.placement = PG_PLACE_SAME_CPU;
	return pg_crew_open(&e->crew, &opts, err);
}

/* Until the period is over; -1 when a thread has failed, all were ended then. */
static int work_on(struct pg_epoll *e, int64_t gate, struct pg_err *err)
{
	for (;;) {
		const int64_t left = e->conf->runtime - pg_since(pg_now_ns(), gate);
		const int64_t ns = left < LOOK_NS ? left : LOOK_NS;
		const struct timespec nap = {.tv_nsec = ns};

		if (left <= 0)
			return 0;
		nanosleep(&nap, NULL);
		if (pg_crew_check(e->crew, err))
			return -1;
	}
}

/* Tells all threads to end; whoever waits for an event gets one. */
static int stop(struct pg_epoll *e, struct pg_err *err)
{
	const uint64_t one = 1;

	atomic_store(&e->stop, true);
	while (e->stop_fd >= 0 && write(e->stop_fd, &one, sizeof(one)) != sizeof(one))
		if (errno != EINTR)
			return pg_fail_sys(err, "cannot wake the threads at the end");
	return pg_crew_reap(e->crew, err);
}

int pg_epoll_run(struct pg_epoll *e, const struct pg_run *run, int (*body)(struct pg_worker *, void *),
		 int (*writer)(struct pg_worker *, void *), struct pg_epoll_span *span, struct pg_err *err)
{
	int64_t start, gate, last;

	if (open_crew(e, run, err))
		return -1;
	start = pg_now_ns();
	for (size_t i = 0; i < e->threads + e->writers; i++)
		if (pg_crew_start(e->crew, i < e->threads ? body : writer, e, err))
			return -1;
	if (pg_crew_wait_ready(e->crew, err))
		return -1;
	pg_epoll_deal(e);
	gate = last = pg_crew_go(e->crew);
	if (work_on(e, gate, err))
		return -1;
	span->elapsed = pg_since(pg_now_ns(), start);
	if (stop(e, err))
		return -1;
	for (size_t i = 0; i < e->threads; i++) {
		const int64_t end = pg_crew_slot(e->crew, i)->end_ns;

		last = end > last ? end : last;
	}
	span->work = pg_since(last, gate);
	return 0;
}
