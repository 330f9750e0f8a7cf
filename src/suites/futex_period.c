/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The measured period of futex/hash and futex/lock-pi. Two measures of its length: from before the first thread is made
 * to the stop flag, exactly (the ancestor's region; it divided by whole seconds), and each thread's own, from the gate
 * to the end of its last operation. What a crew has to find out first, the topology, lies before both.
 */
#include "futex.h"

#include <inttypes.h>
#include <math.h>
#include <time.h>

#define NAP_NS	 20000
#define SLICE_NS 500000000 /* how often the sleeping main task looks for a failed worker */
#define THOUSAND 1000

/* From when the first worker works: on a loaded machine that may be long after the gate has opened. */
static int sleep_period(struct pg_futex_period *p, struct pg_err *err)
{
	const struct timespec nap = {.tv_nsec = NAP_NS};
	int64_t until, left;

	while (!atomic_load(&p->begun)) {
		if (pg_crew_check(p->crew, err))
			return -1;
		nanosleep(&nap, NULL);
	}
	until = pg_now_ns() + p->conf->runtime;

	while ((left = pg_since(until, pg_now_ns())) > 0) {
		const int64_t ns = left < SLICE_NS ? left : SLICE_NS;
		const struct timespec t = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};

		nanosleep(&t, NULL);
		if (pg_crew_check(p->crew, err))
			return -1;
	}
	return 0;
}

static int open_crew(struct pg_futex_period *p, const char *root, struct pg_err *err)
{
	const struct pg_crew_opts opts = {
		.n = p->conf->threads,
		.threads = true,
		.placement = pg_futex_placement(p->conf),
		.root = root,
		.stack_bytes = PG_FUTEX_STACK,
	};

	return pg_crew_open(&p->crew, &opts, err);
}

static int start_all(struct pg_futex_period *p, int (*body)(struct pg_worker *, void *), void *arg, struct pg_err *err)
{
	for (uint64_t i = 0; i < p->conf->threads; i++)
		if (pg_crew_start(p->crew, body, arg, err))
			return -1;
	return pg_crew_wait_ready(p->crew, err);
}

/* Operations of a thread over its own time as if that had been `elapsed`, in thousandths. */
static double scaled(const struct pg_slot *slot, int64_t elapsed)
{
	const int64_t own = pg_since(slot->end_ns, slot->start_ns);

	return own > 0 ? (double)slot->count * ((double)elapsed / (double)own) * THOUSAND : 0;
}

/* Standard error of the threads' counts: sd of the sample / sqrt(n); 0 for one thread, as the ancestor has it. */
static double standard_error(const struct pg_futex_period *p, double mean)
{
	const double n = (double)p->conf->threads;
	double squares = 0;

	if (p->conf->threads < 2)
		return 0;
	for (uint64_t i = 0; i < p->conf->threads; i++) {
		const double off = (double)pg_crew_slot(p->crew, i)->count - mean;

		squares += off * off;
	}
	return sqrt(squares / (n - 1) / n);
}

static int record(const struct pg_futex_period *p, struct pg_run *run, int64_t elapsed, struct pg_err *err)
{
	const uint64_t n = p->conf->threads;
	uint64_t operations = 0;
	double mean;

	for (uint64_t i = 0; i < n; i++)
		operations += pg_crew_slot(p->crew, i)->count;
	if (operations == 0)
		return pg_fail(err, PG_EFAILED,
			       "no operation was finished in %" PRId64 " us; raise runtime or lower threads",
			       elapsed / 1000);
	mean = (double)operations / (double)n;
	pg_record(run, PG_FP_ELAPSED, elapsed);
	pg_record(run, PG_FP_ELAPSED_1000, elapsed * THOUSAND);
	pg_record(run, PG_FP_SPREAD, llround(standard_error(p, mean) * THOUSAND));
	for (uint64_t i = 0; i < n; i++) {
		const int64_t work = llround(scaled(pg_crew_slot(p->crew, i), elapsed));

		pg_record(run, PG_FP_OPERATIONS, (int64_t)pg_crew_slot(p->crew, i)->count);
		pg_record(run, PG_FP_THREAD_ELAPSED, elapsed);
		pg_record(run, PG_FP_WORK, work);
		pg_record(run, PG_FP_SLOWEST, work);
		pg_record(run, PG_FP_FASTEST, work);
	}
	return pg_futex_record_buckets(run, PG_FP_BUCKETS, err);
}

int pg_futex_period_run(struct pg_futex_period *p, struct pg_run *run, int (*body)(struct pg_worker *, void *),
			void *arg, struct pg_err *err)
{
	int64_t start, elapsed;

	p->conf = run->conf;
	if (open_crew(p, run->root, err))
		return -1;
	start = pg_now_ns();
	if (start_all(p, body, arg, err))
		return -1;
	pg_crew_go(p->crew);
	if (sleep_period(p, err))
		return -1;
	elapsed = pg_since(pg_now_ns(), start);
	atomic_store(&p->stop, true);
	return pg_crew_reap(p->crew, err) ? -1 : record(p, run, elapsed, err);
}

void pg_futex_period_end(struct pg_futex_period *p)
{
	atomic_store(&p->stop, true);
	pg_crew_close(p->crew);
	p->crew = NULL;
}
