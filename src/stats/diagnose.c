/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One test per warning; thresholds and what they are worth: docs/statistics.md 7. */
#include "stats/diagnose.h"

#include <math.h>
#include <string.h>

#define DRIFT_P	     0.01
#define DRIFT_PCT    2.0  /* percent of the median over the sample */
#define ACF_LIMIT    1.96 /* over the root of n */
#define SPIKY_SHARE  0.10
#define COLD_FENCE   3.0 /* interquartile ranges */
#define NOISY_PCT    10.0
#define NOISY_MIN    6
#define GRID_SLACK   1e-3 /* of a step: what binary fractions of decimal values are off */
#define MAX(a, b)    ((a) > (b) ? (a) : (b))
#define PAIRS(n)     ((n) * ((n)-1) / 2)
#define RANK_ROOM(n) (3 * (n)) /* doubles that hold ranks and what sorts them */

_Static_assert(sizeof(uint64_t) + sizeof(struct pg_ranked) <= 3 * sizeof(double), "RANK_ROOM");

size_t pg_diagnose_scratch(size_t n)
{
	size_t slopes = n < PG_SLOPES_MAX ? n : PG_SLOPES_MAX;

	/* Never less for more samples: room for the deepest cell serves all. Beyond PG_SLOPES_MAX slopes take n / 2. */
	return n < 2 ? 1 : MAX(RANK_ROOM(n), PAIRS(slopes));
}

double pg_slope(const double *x, size_t n, double *scratch)
{
	size_t apart = n / 2, pairs = n - apart;

	if (n <= PG_SLOPES_MAX)
		return pg_theil_sen(x, n, scratch);
	for (size_t i = 0; i < pairs; i++)
		scratch[i] = (x[i + apart] - x[i]) / (double)apart;
	return pg_median_of(scratch, pairs);
}

static void look_at_trend(const double *x, const struct pg_summary *s, double *scratch, struct pg_diagnosis *out)
{
	size_t n = s->n;
	struct pg_ranked *by_value = (struct pg_ranked *)(void *)scratch;
	uint64_t *rank2 = (uint64_t *)(void *)(by_value + n);
	struct pg_trend t = pg_spearman(x, n, rank2, by_value);

	if (isnan(t.p) || s->median == 0)
		return;
	out->drift_p = t.p;
	out->drift_pct = 100 * pg_slope(x, n, scratch) * (double)(n - 1) / fabs(s->median);
	out->drift = t.p < DRIFT_P && fabs(out->drift_pct) > DRIFT_PCT;
}

static void look_at_modes(const double *sorted, size_t n, double *logs, struct pg_diagnosis *out)
{
	struct pg_split split;

	if (sorted[0] <= 0)
		return;
	for (size_t i = 0; i < n; i++)
		logs[i] = log(sorted[i]);
	split = pg_split(logs, n);
	if (!pg_bimodal(&split, n))
		return;
	out->bimodal = true;
	out->mode[0] = (struct pg_mode){split.k, pg_median(sorted, split.k)};
	out->mode[1] = (struct pg_mode){n - split.k, pg_median(sorted + split.k, n - split.k)};
}

/* The first sample against the fence of the others. */
static bool cold_start(double first, const double *sorted, size_t n, bool higher, double *rest)
{
	size_t at = 0;
	double q1, q3, fence;

	while (sorted[at] < first)
		at++;
	memcpy(rest, sorted, at * sizeof(*rest));
	memcpy(rest + at, sorted + at + 1, (n - at - 1) * sizeof(*rest));
	q1 = pg_quantile(rest, n - 1, 0.25);
	q3 = pg_quantile(rest, n - 1, 0.75);
	fence = COLD_FENCE * (q3 - q1);
	return higher ? first < q1 - fence : first > q3 + fence;
}

/* Are all samples whole steps apart? Else the step is only the distance of two that happen to be near each other. */
static bool on_grid(const double *sorted, size_t n, double step)
{
	for (size_t i = 1; i < n; i++) {
		double steps = (sorted[i] - sorted[0]) / step;

		if (fabs(steps - nearbyint(steps)) > GRID_SLACK)
			return false;
	}
	return true;
}

static bool quantised(const double *sorted, const struct pg_summary *s, double ci)
{
	size_t n = s->n, distinct = 1;
	double step = HUGE_VAL;

	for (size_t i = 1; i < n; i++) {
		double gap = sorted[i] - sorted[i - 1];

		if (gap <= 0)
			continue;
		distinct++;
		step = gap < step ? gap : step;
	}
	if (distinct == 1)
		return true;
	if (n < PG_DIAGNOSE_MIN)
		return false;
	if (2 * distinct < n)
		return true;
	return step > ci / 4 * fabs(s->median) && on_grid(sorted, n, step);
}

void pg_diagnose(const double *x, const double *sorted, const struct pg_summary *s, bool higher, double ci,
		 double *scratch, struct pg_diagnosis *out)
{
	size_t n = s->n;

	memset(out, 0, sizeof(*out));
	out->drift_pct = out->drift_p = PG_NAN;
	if (n < 2)
		return;
	out->quantised = quantised(sorted, s, ci > 0 ? ci : PG_DIAGNOSE_CI);
	out->noisy = n >= NOISY_MIN && !s->range && s->ci_pct > NOISY_PCT;
	if (n < PG_DIAGNOSE_MIN)
		return;
	out->acf = s->r1 > ACF_LIMIT / sqrt((double)n);
	out->spiky = s->out_severe > SPIKY_SHARE * (double)n;
	out->cold_start = cold_start(x[0], sorted, n, higher, scratch);
	look_at_modes(sorted, n, scratch, out);
	look_at_trend(x, s, scratch, out);
}
