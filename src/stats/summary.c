/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One cell, one metric: all fields of a row of cells.csv; and the autocorrelation that stretches its interval
 * (docs/statistics.md 5.2). */
#include "stats/stats.h"

#include <math.h>
#include <string.h>

double pg_lag1(const double *x, size_t n)
{
	double mean, before, cross = 0, square = 0;

	if (n < 3)
		return 0;
	mean = pg_mean(x, n);
	before = x[0] - mean;
	square = before * before;
	for (size_t i = 1; i < n; i++) {
		double here = x[i] - mean;

		cross += before * here;
		square += here * here;
		before = here;
	}
	return square > 0 ? cross / square : 0;
}

double pg_lag1_factor(double r1, size_t n, double *n_eff)
{
	double r = r1 < 0 ? 0 : r1 > 0.9 ? 0.9 : r1;

	if (n_eff)
		*n_eff = (double)n * (1 - r) / (1 + r);
	return n >= 8 ? sqrt((1 + r) / (1 - r)) : 1;
}

double pg_autocorr_factor(const double *x, size_t n, double *n_eff)
{
	return pg_lag1_factor(pg_lag1(x, n), n, n_eff);
}

static const struct pg_summary nothing = {
	.median = PG_NAN,
	.ci_lo = PG_NAN,
	.ci_hi = PG_NAN,
	.ci_level = PG_NAN,
	.ci_pct = PG_NAN,
	.best = PG_NAN,
	.min = PG_NAN,
	.max = PG_NAN,
	.mean = PG_NAN,
	.sd = PG_NAN,
	.sd_pct = PG_NAN,
	.mad = PG_NAN,
	.q25 = PG_NAN,
	.q75 = PG_NAN,
	.r1 = PG_NAN,
	.n_eff = PG_NAN,
};

/* A million cells of one rep each come through here: no sorting, no intervals. */
static void summarise_one(double x, struct pg_summary *out)
{
	*out = nothing;
	out->n = 1;
	out->median = out->best = out->min = out->max = out->mean = out->q25 = out->q75 = x;
	out->mad = 0;
}

void pg_summarise(const double *x, size_t n, bool higher, double conf, bool exact, double *scratch,
		  struct pg_summary *out)
{
	double *sorted = scratch, f;
	struct pg_interval i;
	struct pg_tukey t;

	if (n == 0) {
		*out = nothing;
		return;
	}
	if (n == 1) {
		summarise_one(x[0], out);
		return;
	}
	memcpy(sorted, x, n * sizeof(*x));
	pg_sort(sorted, n);
	out->n = n;
	out->median = pg_median(sorted, n);
	out->best = pg_best(sorted, n, higher);
	out->min = sorted[0];
	out->max = sorted[n - 1];
	out->mean = pg_mean(sorted, n);
	out->sd = pg_sd(sorted, n);
	out->sd_pct = out->mean != 0 ? 100 * out->sd / fabs(out->mean) : PG_NAN;
	out->mad = pg_mad(sorted, n, scratch + n);
	out->q25 = pg_quantile(sorted, n, 0.25);
	out->q75 = pg_quantile(sorted, n, 0.75);
	t = pg_tukey(sorted, n);
	out->out_mild = t.mild_low + t.mild_high;
	out->out_severe = t.severe_low + t.severe_high;
	out->r1 = out->n_eff = PG_NAN;
	f = 1;
	if (n >= 3) {
		out->r1 = pg_lag1(x, n);
		f = pg_lag1_factor(out->r1, n, &out->n_eff);
	}
	i = pg_stretch(pg_median_interval(sorted, n, conf, exact), out->median, f);
	out->ci_lo = i.lo;
	out->ci_hi = i.hi;
	out->ci_level = i.level;
	out->ci_pct = 100 * pg_half_width(&i, out->median);
	out->range = i.range;
}
