/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interval of the median: docs/statistics.md 4.2 and 4.3. */
#include "stats/stats.h"

#include <assert.h>
#include <math.h>

unsigned pg_min_n(double conf)
{
	unsigned n = 2;
	double miss = 0.5;

	/* From 55 samples on the level is 1 in a double. */
	while (n < 55 && 1 - miss < conf) {
		n++;
		miss /= 2;
	}
	return n;
}

/* The largest rank whose level reaches conf, with its level and that of the next rank. */
struct rank {
	size_t k;
	double level, next;
};

#define EXACT_N 50

/* Up to here every binomial coefficient and every sum of them is a whole number below 2^53: no rounding at all. */
static struct rank rank_small(size_t n, double conf)
{
	double all = ldexp(1, (int)n), term = 1, tail = 1;
	struct rank r = {.k = 1};

	r.level = 1 - 2 * tail / all;
	for (;; r.k++) {
		term = term * (double)(n - r.k + 1) / (double)r.k;
		tail += term;
		r.next = 1 - 2 * tail / all;
		if (r.next < conf)
			return r;
		r.level = r.next;
	}
}

static double level_of(size_t n, size_t k)
{
	return 1 - 2 * pg_pbinom((double)k - 1, (double)n, 0.5);
}

/* The normal approximation is off by one rank at most in practice; the walk makes it right whatever it says. */
static struct rank rank_large(size_t n, double conf)
{
	double guess = ((double)n + 1 - pg_qnorm((1 + conf) / 2) * sqrt((double)n)) / 2;
	struct rank r = {.k = guess >= 1 ? (size_t)guess : 1};

	r.level = level_of(n, r.k);
	while (r.k > 1 && r.level < conf)
		r.level = level_of(n, --r.k);
	while ((r.next = level_of(n, r.k + 1)) >= conf) {
		r.k++;
		r.level = r.next;
	}
	return r;
}

struct pg_interval pg_median_interval(const double *x, size_t n, double conf, bool exact)
{
	struct pg_interval i = {.lo = PG_NAN, .hi = PG_NAN, .level = PG_NAN};
	struct rank r;
	double part, lambda;

	assert(conf > 0 && conf < 1);
	if (n < 2)
		return i;
	if (n < pg_min_n(conf)) {
		i = (struct pg_interval){x[0], x[n - 1], 1 - ldexp(1, 1 - (int)n), true};
		return i;
	}
	r = n <= EXACT_N ? rank_small(n, conf) : rank_large(n, conf);
	i.lo = x[r.k - 1];
	i.hi = x[n - r.k];
	i.level = r.level;
	if (exact || r.k >= n - r.k)
		return i;
	part = (r.level - conf) / (r.level - r.next);
	lambda = (double)(n - r.k) * part / ((double)r.k + (double)(n - 2 * r.k) * part);
	/* By differences: equal values stay what they are, to the last bit. */
	i.lo += lambda * (x[r.k] - i.lo);
	i.hi -= lambda * (i.hi - x[n - r.k - 1]);
	i.level = conf;
	return i;
}

struct pg_interval pg_stretch(struct pg_interval i, double median, double f)
{
	/* By what is added, so that f = 1 changes no bit. */
	i.lo -= (f - 1) * (median - i.lo);
	i.hi += (f - 1) * (i.hi - median);
	return i;
}

double pg_half_width(const struct pg_interval *i, double median)
{
	if (isnan(i->lo) || median == 0)
		return PG_NAN;
	return (i->hi - i->lo) / (2 * fabs(median));
}
