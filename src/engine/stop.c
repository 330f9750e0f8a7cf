/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/stop.h"

#include <math.h>
#include <string.h>

#include "stats/stats.h"

uint32_t pg_stop_min(const struct pg_repeat *rule)
{
	unsigned least = pg_min_n(rule->conf);

	return rule->min > least ? rule->min : least;
}

double pg_stop_width(const struct pg_repeat *rule, const double *x, size_t n, double *scratch)
{
	struct pg_interval i;
	double median, f;

	if (n < 2)
		return PG_NAN;
	memcpy(scratch, x, n * sizeof(*x));
	pg_sort(scratch, n);
	median = pg_median(scratch, n);
	f = pg_autocorr_factor(x, n, NULL);
	i = pg_stretch(pg_median_interval(scratch, n, rule->conf, rule->exact), median, f);
	/* Nothing is uncertain about an interval without width, be its median 0. */
	return i.hi > i.lo ? pg_half_width(&i, median) : 0;
}

enum pg_stop pg_stop_check(const struct pg_repeat *rule, const double *x, size_t n, size_t n_done, int64_t used_ns,
			   int64_t next_ns, double *scratch, double *ci_pct)
{
	double h = PG_NAN;

	if (ci_pct || !rule->fixed)
		h = pg_stop_width(rule, x, n, scratch);
	if (ci_pct)
		*ci_pct = 100 * h;
	if (rule->fixed)
		return n_done >= rule->n ? PG_STOP_FIXED : PG_STOP_NONE;
	if (n >= pg_stop_min(rule) && h <= rule->ci)
		return PG_STOP_CI;
	if (n_done >= rule->max)
		return PG_STOP_MAX;
	if (n_done > 0 && next_ns > rule->time_ns - used_ns)
		return PG_STOP_TIME;
	return PG_STOP_NONE;
}

#define STEPS_MAX 12
#define OPS_MAX	  (UINT64_C(1) << 40)

void pg_calibration_start(struct pg_calibration *c, int64_t target_ns)
{
	*c = (struct pg_calibration){.target_ns = target_ns, .ops = 1};
}

void pg_calibration_step(struct pg_calibration *c, int64_t elapsed_ns)
{
	double target = (double)c->target_ns, elapsed = (double)elapsed_ns, next;

	c->steps++;
	/* The count that comes out is one that was run, also where the limits end the search. */
	c->done = elapsed * 5 >= target * 4 || c->steps >= STEPS_MAX || c->ops >= OPS_MAX;
	if (c->done)
		return;
	if (elapsed * 10 < target)
		next = (double)c->ops * 10;
	else
		next = ceil((double)c->ops * target * 11 / (elapsed * 10));
	c->ops = next < (double)OPS_MAX ? (uint64_t)next : OPS_MAX;
}
