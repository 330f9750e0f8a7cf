/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/period.h"

#include <math.h>
#include <time.h>

#include "base/err.h"
#include "engine/settle.h"

#define NAP_NS 20000

static int workers_live(void *crew, struct pg_err *err)
{
	return pg_crew_check(crew, err);
}

static int sleep_period(struct pg_period *p, int64_t runtime_ns, struct pg_err *err)
{
	const struct timespec nap = {.tv_nsec = NAP_NS};

	while (!atomic_load(&p->begun)) {
		if (pg_crew_check(p->crew, err))
			return -1;
		nanosleep(&nap, NULL);
	}
	return pg_settle_rest(runtime_ns, workers_live, p->crew, err);
}

static int start_all(struct pg_period *p, const struct pg_period_plan *plan, struct pg_err *err)
{
	for (size_t i = 0; i < plan->crew.n; i++)
		if (pg_crew_start(p->crew, i < plan->workers ? plan->body : plan->helper, plan->arg, err))
			return -1;
	return pg_crew_wait_ready(p->crew, err);
}

static int stop(struct pg_period *p, const struct pg_period_plan *plan, struct pg_err *err)
{
	atomic_store(&p->stop, true);
	if (plan->wake && plan->wake(plan->arg, err))
		return -1;
	return pg_crew_reap(p->crew, err);
}

/* What has to be found out first, the topology, lies before the measured span. */
static int measure(struct pg_period *p, const struct pg_period_plan *plan, struct pg_period_span *span,
		   struct pg_err *err)
{
	const int64_t start = pg_now_ns();
	int64_t gate, last;

	if (start_all(p, plan, err))
		return -1;
	if (plan->ready)
		plan->ready(plan->arg);
	gate = last = pg_crew_go(p->crew);
	if (sleep_period(p, plan->runtime_ns, err))
		return -1;
	span->elapsed = pg_since(pg_now_ns(), start);
	if (stop(p, plan, err))
		return -1;
	for (size_t i = 0; i < p->workers; i++) {
		const int64_t end = pg_crew_slot(p->crew, i)->end_ns;

		last = end > last ? end : last;
	}
	span->work = pg_since(last, gate);
	return 0;
}

int pg_period_run(struct pg_period *p, const struct pg_period_plan *plan, struct pg_period_span *span,
		  struct pg_err *err)
{
	struct pg_crew_opts opts = plan->crew;

	p->workers = plan->workers;
	opts.placement = pg_place_lenient(opts.placement);
	return pg_crew_open(&p->crew, &opts, err) || measure(p, plan, span, err) ? -1 : 0;
}

void pg_period_end(struct pg_period *p)
{
	atomic_store(&p->stop, true);
	pg_crew_close(p->crew);
	p->crew = NULL;
	atomic_store(&p->stop, false);
	atomic_store(&p->begun, false);
}

int64_t pg_period_scaled(uint64_t operations, int64_t ns, int64_t span)
{
	/* A count of 2^61 and a span of a day need 128 bits. */
	__extension__ typedef unsigned __int128 wide;

	if (ns <= 0 || span <= 0)
		return 0;
	return (int64_t)(((wide)operations * (wide)span + (wide)ns / 2) / (wide)ns);
}

int64_t pg_period_own_ns(const struct pg_period *p, size_t worker)
{
	const struct pg_slot *slot = pg_crew_slot(p->crew, worker);

	return pg_since(slot->end_ns, slot->start_ns);
}

uint64_t pg_period_count(const struct pg_period *p)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->workers; i++)
		n += pg_crew_slot(p->crew, i)->count;
	return n;
}

bool pg_period_standard_error(const struct pg_period *p, double *out)
{
	const double n = (double)p->workers, mean = (double)pg_period_count(p) / n;
	double squares = 0;

	if (p->workers < 2)
		return false;
	for (size_t i = 0; i < p->workers; i++) {
		const double off = (double)pg_crew_slot(p->crew, i)->count - mean;

		squares += off * off;
	}
	*out = sqrt(squares / (n - 1) / n);
	return true;
}
