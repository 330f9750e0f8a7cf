/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Location, spread and outliers of one sample: docs/statistics.md 4.1 and 4.4. */
#include "stats/stats.h"

#include <assert.h>
#include <math.h>

double pg_quantile(const double *x, size_t n, double p)
{
	double h = (double)(n - 1) * p;
	size_t low = (size_t)h;
	double part = h - (double)low;

	assert(n >= 1 && p >= 0 && p <= 1);
	return low + 1 < n ? x[low] + part * (x[low + 1] - x[low]) : x[low];
}

double pg_median(const double *x, size_t n)
{
	assert(n >= 1);
	if (n % 2)
		return x[n / 2];
	/* Halves first: the sum of two large values may not fit. */
	return x[n / 2 - 1] / 2 + x[n / 2] / 2;
}

/* The second pass takes away most of the rounding of the first; equal values give exactly that value, so their spread
 * is exactly 0. */
double pg_mean(const double *x, size_t n)
{
	double mean = 0, rest = 0;
	bool same = true;

	assert(n >= 1);
	for (size_t i = 0; i < n; i++) {
		mean += x[i];
		same &= x[i] == x[0];
	}
	if (same)
		return x[0];
	mean /= (double)n;
	for (size_t i = 0; i < n; i++)
		rest += x[i] - mean;
	return mean + rest / (double)n;
}

double pg_sd(const double *x, size_t n)
{
	double mean, sum = 0;

	if (n < 2)
		return PG_NAN;
	mean = pg_mean(x, n);
	for (size_t i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

/* x is sorted, so the distances from the median ascend from the middle to both ends: a merge orders them. */
double pg_mad(const double *x, size_t n, double *scratch)
{
	double median = pg_median(x, n);
	size_t right = n / 2, left = right;

	for (size_t i = 0; i < n; i++) {
		double below = left > 0 ? median - x[left - 1] : HUGE_VAL;
		double above = right < n ? x[right] - median : HUGE_VAL;

		if (left > 0 && (right == n || below < above)) {
			scratch[i] = below;
			left--;
		} else {
			scratch[i] = above;
			right++;
		}
	}
	return 1.4826 * pg_median(scratch, n);
}

double pg_best(const double *x, size_t n, bool higher)
{
	size_t k = n / 4 ? n / 4 : 1;

	return pg_mean(higher ? x + n - k : x, k);
}

struct pg_tukey pg_tukey(const double *x, size_t n)
{
	double q1 = pg_quantile(x, n, 0.25), q3 = pg_quantile(x, n, 0.75), iqr = q3 - q1;
	/* No spread at all in the middle half: what differs is an outlier, how far out cannot be told. */
	double mild = 1.5 * iqr, severe = iqr > 0 ? 3 * iqr : HUGE_VAL;
	struct pg_tukey t = {0};

	for (size_t i = 0; i < n; i++) {
		double low = q1 - x[i], high = x[i] - q3;

		t.severe_low += low > severe;
		t.mild_low += low > mild && low <= severe;
		t.severe_high += high > severe;
		t.mild_high += high > mild && high <= severe;
	}
	return t;
}
