/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranks, and the two rank tests with their shifts and intervals. One dynamic programme each over doubled mid-ranks
 * serves samples with and without ties: docs/statistics.md 8.1 and 9.
 */
#include "stats/tests.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b)
{
	const struct pg_ranked *x = a, *y = b;

	return (x->v > y->v) - (x->v < y->v);
}

double pg_ranks(const double *x, size_t n, uint64_t *rank2, struct pg_ranked *scratch)
{
	double ties = 0;

	for (size_t i = 0; i < n; i++)
		scratch[i] = (struct pg_ranked){x[i], (uint32_t)i};
	qsort(scratch, n, sizeof(*scratch), by_value);
	for (size_t i = 0, end; i < n; i = end) {
		double t;

		for (end = i + 1; end < n && scratch[end].v <= scratch[i].v; end++)
			;
		t = (double)(end - i);
		ties += t * t * t - t;
		for (size_t k = i; k < end; k++)
			rank2[scratch[k].i] = i + end + 1; /* first rank i + 1, last rank end: twice their mean */
	}
	return ties;
}

/* Smaller tail, both sides of the observed sum counted in. */
static double two_sided(double below, double above)
{
	double p = 2 * (below < above ? below : above);

	return p < 1 ? p : 1;
}

/* Chances of each doubled sum of ranks of the positive ones, signs by fair coins: chance[0 ... total]. */
static uint64_t sign_chances(const uint64_t *rank2, size_t n, double *chance)
{
	uint64_t total = 0;

	chance[0] = 1;
	for (size_t i = 0; i < n; i++) {
		uint64_t r = rank2[i];

		for (uint64_t s = total + r + 1; s-- > 0;) {
			double stays = s <= total ? chance[s] : 0, comes = s >= r ? chance[s - r] : 0;

			chance[s] = (stays + comes) / 2;
		}
		total += r;
	}
	return total;
}

static double tail_p(const double *chance, uint64_t total, uint64_t observed)
{
	double below = 0, above = 0;

	for (uint64_t s = 0; s <= total; s++) {
		below += s <= observed ? chance[s] : 0;
		above += s >= observed ? chance[s] : 0;
	}
	return two_sided(below, above);
}

/* p of a statistic by the normal distribution, half a step towards the middle. */
static double normal_p(double statistic, double mean, double variance)
{
	double off = fabs(statistic - mean) - 0.5;
	double p;

	if (variance <= 0)
		return 1;
	p = 2 * pg_pnorm(-(off > 0 ? off : 0) / sqrt(variance));
	return p < 1 ? p : 1;
}

/* Doubled sums of PG_EXACT_PAIRED ranks. */
#define SIGN_SUMS (PG_EXACT_PAIRED * (PG_EXACT_PAIRED + 1) + 1)

static double signed_rank_p(const double *d, size_t n, double *scratch, double *v)
{
	struct pg_ranked *order = (struct pg_ranked *)(void *)scratch;
	uint64_t *rank2 = (uint64_t *)(void *)(order + n);
	double *size = (double *)(void *)(rank2 + n), chance[SIGN_SUMS];
	uint64_t plus = 0;
	size_t k = 0;
	double ties, nn;

	for (size_t i = 0; i < n; i++)
		if (d[i] < 0 || d[i] > 0)
			size[k++] = fabs(d[i]);
	ties = pg_ranks(size, k, rank2, order);
	for (size_t i = 0, at = 0; i < n; i++) {
		plus += d[i] > 0 ? rank2[at] : 0;
		at += d[i] < 0 || d[i] > 0;
	}
	if (v)
		*v = (double)plus / 2;
	if (k == 0)
		return 1;
	if (k <= PG_EXACT_PAIRED) {
		uint64_t total = sign_chances(rank2, k, chance);

		return tail_p(chance, total, plus);
	}
	nn = (double)k;
	return normal_p((double)plus / 2, nn * (nn + 1) / 4, nn * (nn + 1) * (2 * nn + 1) / 24 - ties / 48);
}

/* Smallest q with P(V <= q) >= p, at least 1: which Walsh average is the limit. */
static size_t signed_rank_limit(size_t n, double p)
{
	double chance[SIGN_SUMS], sum = 0, nn = (double)n;
	uint64_t rank2[PG_EXACT_PAIRED];
	double q;

	if (n > PG_EXACT_PAIRED) {
		q = floor(nn * (nn + 1) / 4 + pg_qnorm(p) * sqrt(nn * (nn + 1) * (2 * nn + 1) / 24));
		return q > 1 ? (size_t)q : 1;
	}
	for (size_t i = 0; i < n; i++)
		rank2[i] = 2 * (i + 1);
	sign_chances(rank2, n, chance);
	for (size_t s = 0; s <= n * (n + 1) / 2; s++) {
		sum += chance[2 * s];
		if (sum >= p)
			return s > 1 ? s : 1;
	}
	return 1;
}

struct pg_effect pg_signed_rank(const double *d, size_t n, double conf, double *scratch, double *v)
{
	struct pg_effect e = {PG_NAN, PG_NAN, PG_NAN, PG_NAN};
	size_t walsh = 0, c;

	if (n == 0)
		return e;
	e.p = signed_rank_p(d, n, scratch, v);
	if (conf <= 0)
		return e;
	for (size_t i = 0; i < n; i++)
		for (size_t k = i; k < n; k++)
			scratch[walsh++] = d[i] / 2 + d[k] / 2;
	pg_sort(scratch, walsh);
	e.estimate = pg_median(scratch, walsh);
	if (n >= pg_min_n(conf)) {
		c = signed_rank_limit(n, (1 - conf) / 2);
		e.lo = scratch[c - 1];
		e.hi = scratch[walsh - c];
	}
	return e;
}

/* ways[k * (sums + 1) + s]: chances that k of the first i ranks, drawn fairly, add up to s. */
static void rank_sum_chances(const uint64_t *rank2, size_t all, size_t n, uint64_t sums, double *ways)
{
	memset(ways, 0, (n + 1) * (sums + 1) * sizeof(*ways));
	ways[0] = 1;
	for (size_t i = 0; i < all; i++) {
		/* Hypergeometric: item i is among the n drawn with the chance (n - k) / (all - i). */
		for (size_t k = (i < n ? i + 1 : n) + 1; k-- > 0;) {
			double *row = ways + k * (sums + 1), left = (double)(all - i);
			double keep = 1 - (double)(n - k) / left;
			double take = k > 0 ? (double)(n - k + 1) / left : 0;
			const double *from = k > 0 ? row - (sums + 1) : row;
			uint64_t r = rank2[i];

			for (uint64_t s = sums + 1; s-- > 0;)
				row[s] = (keep > 0 ? row[s] * keep : 0) + (k > 0 && s >= r ? from[s - r] * take : 0);
		}
	}
}

static uint64_t largest_sum(size_t n, size_t m)
{
	/* The n largest of n + m doubled ranks without ties; ties never sum to more. */
	return (uint64_t)n * (2 * (uint64_t)m + n + 1);
}

size_t pg_mann_whitney_scratch(size_t n, size_t m)
{
	size_t small = n < m ? n : m, all = n + m;
	size_t dp = n <= PG_EXACT_UNPAIRED && m <= PG_EXACT_UNPAIRED
			    ? (small + 1) * (size_t)(largest_sum(small, all - small) + 1)
			    : 0;
	size_t ranks = 4 * all, pairs = n * m;

	return ranks + (dp > pairs ? dp : pairs);
}

struct sides {
	uint64_t *rank2; /* x first, then y */
	double ties;
	uint64_t sum2; /* of the ranks of x */
	double *rest;  /* scratch behind */
};

static struct sides rank_both(const double *x, size_t n, const double *y, size_t m, double *scratch)
{
	size_t all = n + m;
	struct pg_ranked *order = (struct pg_ranked *)(void *)scratch;
	struct sides s = {.rank2 = (uint64_t *)(void *)(order + all)};
	double *both = (double *)(void *)(s.rank2 + all);

	memcpy(both, x, n * sizeof(*x));
	memcpy(both + n, y, m * sizeof(*y));
	s.ties = pg_ranks(both, all, s.rank2, order);
	for (size_t i = 0; i < n; i++)
		s.sum2 += s.rank2[i];
	s.rest = both + all;
	return s;
}

static double u_of(const struct sides *s, size_t n)
{
	return (double)s->sum2 / 2 - (double)n * ((double)n + 1) / 2;
}

static double u_normal_p(const struct sides *s, size_t n, size_t m)
{
	double a = (double)n, b = (double)m, all = a + b;
	double variance = a * b / 12 * (all + 1 - s->ties / (all * (all - 1)));

	return normal_p(u_of(s, n), a * b / 2, variance);
}

double pg_mann_whitney_normal(const double *x, size_t n, const double *y, size_t m, double *scratch)
{
	struct sides s = rank_both(x, n, y, m, scratch);

	return u_normal_p(&s, n, m);
}

static double u_exact_p(const struct sides *s, size_t n, size_t m)
{
	size_t all = n + m, small = n <= m ? n : m;
	uint64_t sums = largest_sum(small, all - small), observed = s->sum2, total = 0;

	for (size_t i = 0; i < all; i++)
		total += s->rank2[i];
	if (small != n)
		observed = total - s->sum2; /* the other side's sum: the same event */
	rank_sum_chances(s->rank2, all, small, sums, s->rest);
	return tail_p(s->rest + small * (sums + 1), sums, observed);
}

/* Smallest q with P(U <= q) >= p without ties, at least 1. */
static size_t u_limit(size_t n, size_t m, double p, struct sides *s)
{
	double a = (double)n, b = (double)m, sum = 0, q;
	size_t all = n + m, small = n <= m ? n : m;
	uint64_t sums = largest_sum(small, all - small), lowest = (uint64_t)small * (small + 1);

	if (n > PG_EXACT_UNPAIRED || m > PG_EXACT_UNPAIRED) {
		q = floor(a * b / 2 + pg_qnorm(p) * sqrt(a * b * (a + b + 1) / 12));
		return q > 1 ? (size_t)q : 1;
	}
	for (size_t i = 0; i < all; i++)
		s->rank2[i] = 2 * (i + 1);
	rank_sum_chances(s->rank2, all, small, sums, s->rest);
	for (size_t u = 0; u <= n * m; u++) {
		sum += s->rest[small * (sums + 1) + lowest + 2 * u];
		if (sum >= p)
			return u > 1 ? u : 1;
	}
	return 1;
}

struct pg_effect pg_mann_whitney(const double *x, size_t n, const double *y, size_t m, double conf, double *scratch,
				 double *u)
{
	struct pg_effect e = {PG_NAN, PG_NAN, PG_NAN, PG_NAN};
	struct sides s;
	size_t c, pairs = n * m;

	if (pairs == 0)
		return e;
	s = rank_both(x, n, y, m, scratch);
	if (u)
		*u = u_of(&s, n);
	if (n <= PG_EXACT_UNPAIRED && m <= PG_EXACT_UNPAIRED && (s.ties <= 0 || n + m <= PG_EXACT_TIES))
		e.p = u_exact_p(&s, n, m);
	else
		e.p = u_normal_p(&s, n, m);
	c = u_limit(n, m, (1 - conf) / 2, &s);
	for (size_t i = 0, at = 0; i < n; i++)
		for (size_t k = 0; k < m; k++)
			s.rest[at++] = y[k] - x[i];
	pg_sort(s.rest, pairs);
	e.estimate = pg_median(s.rest, pairs);
	if (c > pairs)
		c = pairs;
	e.lo = s.rest[c - 1];
	e.hi = s.rest[pairs - c];
	return e;
}

double pg_cliff(const double *x, size_t n, const double *y, size_t m)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < m; k++)
			sum += (y[k] > x[i]) - (y[k] < x[i]);
	return n && m ? sum / ((double)n * (double)m) : PG_NAN;
}
