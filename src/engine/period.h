/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A measured period: threads of a crew that work until a flag stops them, and what their counts say. Two measures of
 * its length: from before the first thread is made to the stop (what the ancestors take), and each worker's own, from
 * the gate to the end of its last operation.
 *
 *   worker's body:  pg_worker_ready   pg_worker_hold   pg_period_begin   work until pg_period_stopped
 *                   then stamps slot->end_ns and stores slot->count
 */
#ifndef PG_ENGINE_PERIOD_H
#define PG_ENGINE_PERIOD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "engine/crew.h"

struct pg_err;

/* Zeroed = none. */
struct pg_period {
	struct pg_crew *crew;		 /* open, for the slots, from pg_period_run() to pg_period_end() */
	size_t workers;			 /* the first ones of the crew: those whose counts are looked at */
	_Alignas(64) _Atomic bool stop;	 /* read by every worker, written once */
	_Alignas(64) _Atomic bool begun; /* a worker has: the period starts */
};

struct pg_period_plan {
	struct pg_crew_opts crew; /* n: workers and helpers. cross-cpu with one allowed CPU is that CPU */
	size_t workers;
	int64_t runtime_ns; /* from when the first worker works: on a loaded machine long after the gate has opened */
	int (*body)(struct pg_worker *w, void *arg);
	int (*helper)(struct pg_worker *w, void *arg); /* of the rest of the crew */
	void (*ready)(void *arg);		       /* all are at the gate, which is closed; NULL = nothing to do */
	int (*wake)(void *arg, struct pg_err *err);    /* the flag is set: wakes whoever sleeps; NULL = nobody does */
	void *arg;
};

/* In ns. */
struct pg_period_span {
	int64_t elapsed; /* before the first thread is made to the stop */
	int64_t work;	 /* gate open to the last worker's last operation */
};

/*
 * Starts the crew, lets it work, stops and reaps it. -1 with the first reason as soon as a worker fails. To be followed
 * by pg_period_end() in either case.
 */
int pg_period_run(struct pg_period *p, const struct pg_period_plan *plan, struct pg_period_span *span,
		  struct pg_err *err);
/* Stops what still works; p can be run again. */
void pg_period_end(struct pg_period *p);

/* Operations of a worker as if it had worked for `span`, at the speed that it had over its own `ns`; rounded. */
int64_t pg_period_scaled(uint64_t operations, int64_t ns, int64_t span);
/* The worker's own time: pg_period_begin() to its end_ns. */
int64_t pg_period_own_ns(const struct pg_period *p, size_t worker);
uint64_t pg_period_count(const struct pg_period *p); /* of all workers */
/* Standard error of the mean of the workers' counts: sqrt(sum of squared deviations / (n - 1) / n). false: of one
 * worker there is none. */
bool pg_period_standard_error(const struct pg_period *p, double *out);

static inline void pg_period_begin(struct pg_worker *w, struct pg_period *p)
{
	if (!atomic_load_explicit(&p->begun, memory_order_relaxed))
		atomic_store(&p->begun, true);
	w->slot->start_ns = pg_now_ns();
}

static inline bool pg_period_stopped(const struct pg_period *p)
{
	return atomic_load_explicit(&p->stop, memory_order_relaxed);
}

#endif
