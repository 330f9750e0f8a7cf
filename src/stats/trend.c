/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking at one sample: trend over time, two modes. docs/statistics.md 7. */
#include "stats/tests.h"

#include <math.h>

#define ROUNDS_MAX 64

struct pg_trend pg_spearman(const double *x, size_t n, uint64_t *rank2, struct pg_ranked *scratch)
{
	struct pg_trend t = {PG_NAN, PG_NAN};
	double both = 0, ranks = 0, times = 0, middle = (double)n + 1; /* doubled mean rank */

	if (n < 3)
		return t;
	pg_ranks(x, n, rank2, scratch);
	for (size_t i = 0; i < n; i++) {
		double r = (double)rank2[i] - middle, at = 2 * (double)(i + 1) - middle;

		both += r * at;
		ranks += r * r;
		times += at * at;
	}
	if (ranks <= 0)
		return t;
	t.rho = both / sqrt(ranks * times);
	if (fabs(t.rho) >= 1)
		t.p = 0;
	else
		t.p = 2 * pg_pt(-fabs(t.rho) * sqrt(((double)n - 2) / (1 - t.rho * t.rho)), (double)n - 2);
	return t;
}

static double middle_of_three(double a, double b, double c)
{
	double low = a < b ? a : b, high = a < b ? b : a;

	return c < low ? low : c > high ? high : c;
}

/* Hoare's partition of x[*lo..*hi]: afterwards x[lo..*hi] is at most, x[*lo..hi] at least what stands between them. */
static void split_range(double *x, ptrdiff_t *lo, ptrdiff_t *hi)
{
	double pivot = middle_of_three(x[*lo], x[*lo + (*hi - *lo) / 2], x[*hi]);

	while (*lo <= *hi) {
		while (x[*lo] < pivot)
			++*lo;
		while (pivot < x[*hi])
			--*hi;
		if (*lo <= *hi) {
			double v = x[*lo];

			x[(*lo)++] = x[*hi];
			x[(*hi)--] = v;
		}
	}
}

/* Puts the k-th smallest (0-based) at its place, nothing larger in front of it. */
static void select_kth(double *x, size_t n, size_t k)
{
	ptrdiff_t lo = 0, hi = (ptrdiff_t)n - 1, at = (ptrdiff_t)k;

	for (unsigned rounds = 0; lo < hi; rounds++) {
		ptrdiff_t right = lo, left = hi;

		if (rounds > ROUNDS_MAX) { /* the pivots are bad ones */
			pg_sort(x + lo, (size_t)(hi - lo + 1));
			return;
		}
		split_range(x, &right, &left);
		if (at > left && at < right)
			return;
		if (at <= left)
			hi = left;
		else
			lo = right;
	}
}

double pg_median_of(double *x, size_t n)
{
	double below;

	select_kth(x, n, n / 2);
	if (n % 2)
		return x[n / 2];
	below = x[0];
	for (size_t i = 1; i < n / 2; i++)
		below = x[i] > below ? x[i] : below;
	return below / 2 + x[n / 2] / 2;
}

double pg_theil_sen(const double *x, size_t n, double *scratch)
{
	size_t pairs = 0;

	if (n < 2)
		return PG_NAN;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i + 1; k < n; k++)
			scratch[pairs++] = (x[k] - x[i]) / (double)(k - i);
	return pg_median_of(scratch, pairs);
}

struct pg_split pg_split(const double *x, size_t n)
{
	double mean = pg_mean(x, n), total = 0, below = 0, best = -1, sum = 0;
	struct pg_split s = {.k = 0};

	for (size_t i = 0; i < n; i++) {
		total += (x[i] - mean) * (x[i] - mean);
		sum += x[i] - mean; /* what rounding leaves */
	}
	for (size_t k = 1; k < n; k++) {
		double a = (double)k, b = (double)(n - k), between, off;

		below += x[k - 1] - mean;
		off = below / a - (sum - below) / b;
		between = a * b / (a + b) * off * off;
		if (between > best) {
			best = between;
			s.k = k;
		}
	}
	if (n < 2 || total <= 0)
		return s;
	s.eta2 = best / total < 1 ? best / total : 1;
	s.gap = x[s.k] - x[s.k - 1];
	s.m1 = pg_mean(x, s.k);
	s.m2 = pg_mean(x + s.k, n - s.k);
	return s;
}

bool pg_bimodal(const struct pg_split *logs, size_t n)
{
	size_t minor = logs->k < n - logs->k ? logs->k : n - logs->k;

	if (n < 10 || minor < 3 || (double)minor < 0.15 * (double)n)
		return false;
	return logs->eta2 >= (n < 20 ? 0.90 : 0.85);
}
