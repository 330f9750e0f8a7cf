/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The floor lens: the fast ends of two samples, tested by dealing the labels anew. docs/statistics.md 8.2. All values
 * stand in one ascending list with round and side; a pattern of swaps then needs only its beginning, until both sides
 * have their k smallest.
 */
#include "stats/tests.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SAME	    1e-12 /* statistics closer than this are equal */
#define INVERSIONS  999	  /* patterns of the interval */
#define STEP	    1e-4  /* of the interval's ends, in logs */
#define FAR	    64.0  /* logs: beyond, an end is open */
#define EXACT_SHIFT 10	  /* rounds up to which the interval uses all patterns */
#define WORDS	    (PG_FLOOR_MAX / 64)

struct mark {
	double v;
	uint16_t round;
	uint8_t side;
};

/* Both samples ascending; by merging, as each shift of the interval needs it. */
struct floor_pair {
	struct mark a[PG_FLOOR_MAX], b[PG_FLOOR_MAX], all[2 * PG_FLOOR_MAX];
	size_t n, k;
};

static int by_mark(const void *x, const void *y)
{
	const struct mark *a = x, *b = y;

	return (a->v > b->v) - (a->v < b->v);
}

static void load(struct mark *to, const double *x, size_t n, uint8_t side)
{
	for (size_t i = 0; i < n; i++)
		to[i] = (struct mark){x[i], (uint16_t)i, side};
	qsort(to, n, sizeof(*to), by_mark);
}

/* b's values times `factor`. */
static void merge(struct floor_pair *p, double factor)
{
	size_t i = 0, k = 0;

	for (size_t at = 0; at < 2 * p->n; at++) {
		if (k == p->n || (i < p->n && p->a[i].v <= p->b[k].v * factor)) {
			p->all[at] = p->a[i++];
		} else {
			p->all[at] = p->b[k++];
			p->all[at].v *= factor;
		}
	}
}

/* F(b) - F(a) when the rounds whose bit is set have their labels swapped. */
static double statistic(const struct floor_pair *p, const uint64_t *swap)
{
	double sum[2] = {0, 0};
	size_t have[2] = {0, 0};

	for (size_t at = 0; have[0] < p->k || have[1] < p->k; at++) {
		const struct mark *m = &p->all[at];
		unsigned side = m->side ^ (unsigned)(swap[m->round / 64] >> (m->round % 64) & 1);

		if (have[side] < p->k) {
			sum[side] += m->v;
			have[side]++;
		}
	}
	return log(sum[1] / sum[0]);
}

static double exact_p(const struct floor_pair *p, double observed)
{
	uint64_t swap[WORDS] = {0}, patterns = (uint64_t)1 << (p->n - 1), hits = 0;

	/* A pattern and its opposite give T and -T: half of them are enough. */
	for (swap[0] = 0; swap[0] < patterns; swap[0]++)
		hits += fabs(statistic(p, swap)) >= fabs(observed) - SAME;
	return (double)hits / (double)patterns;
}

static void draw(struct pg_rng *rng, size_t n, uint64_t *swap)
{
	for (size_t i = 0; i <= (n - 1) / 64; i++)
		swap[i] = pg_rng_next(rng);
}

static double random_p(const struct floor_pair *p, double observed, unsigned patterns, struct pg_rng rng)
{
	uint64_t swap[WORDS];
	unsigned hits = 0;

	for (unsigned i = 0; i < patterns; i++) {
		draw(&rng, p->n, swap);
		hits += fabs(statistic(p, swap)) >= fabs(observed) - SAME;
	}
	return (1 + (double)hits) / ((double)patterns + 1);
}

/* p of the test on (a, b e^-shift), always with the same patterns. */
static double shifted_p(struct floor_pair *p, double shift, struct pg_rng rng)
{
	static const uint64_t none[WORDS];
	double t;

	merge(p, exp(-shift));
	t = statistic(p, none);
	return p->n <= EXACT_SHIFT ? exact_p(p, t) : random_p(p, t, INVERSIONS, rng);
}

/* The last shift on this side of the estimate that the test does not refuse. */
static double end_of(struct floor_pair *p, double from, double direction, double miss, struct pg_rng rng)
{
	double inside = 0, outside = 0.01;

	while (shifted_p(p, from + direction * outside, rng) > miss) {
		inside = outside;
		outside *= 2;
		if (outside > FAR)
			return direction * (double)INFINITY;
	}
	while (outside - inside > STEP) {
		double middle = (inside + outside) / 2;

		if (shifted_p(p, from + direction * middle, rng) > miss)
			inside = middle;
		else
			outside = middle;
	}
	return from + direction * inside;
}

struct pg_effect pg_floor_paired(const double *a, const double *b, size_t n, unsigned patterns, double conf,
				 struct pg_rng *rng)
{
	static const uint64_t none[WORDS];
	struct pg_effect e = {PG_NAN, PG_NAN, PG_NAN, PG_NAN};
	struct floor_pair p;

	if (n == 0 || n > PG_FLOOR_MAX)
		return e;
	p.n = n;
	p.k = n / 4 ? n / 4 : 1;
	load(p.a, a, n, 0);
	load(p.b, b, n, 1);
	merge(&p, 1);
	e.estimate = statistic(&p, none);
	e.p = n <= PG_FLOOR_EXACT ? exact_p(&p, e.estimate) : random_p(&p, e.estimate, patterns, *rng);
	if (conf > 0) {
		e.lo = end_of(&p, e.estimate, -1, 1 - conf, *rng);
		e.hi = end_of(&p, e.estimate, 1, 1 - conf, *rng);
	}
	pg_rng_next(rng);
	return e;
}

/* F(b) - F(a) where side[i] tells whose all[i] is. */
static double dealt(const struct mark *all, const uint8_t *side, size_t ka, size_t kb)
{
	double sum[2] = {0, 0};
	size_t have[2] = {0, 0}, k[2] = {ka, kb};

	for (size_t at = 0; have[0] < k[0] || have[1] < k[1]; at++) {
		unsigned s = side[at];

		if (have[s] < k[s]) {
			sum[s] += all[at].v;
			have[s]++;
		}
	}
	return log(sum[1] / (double)kb) - log(sum[0] / (double)ka);
}

/* The next choice of which values are a's (0) in lexicographic order; false after the last. */
static bool next_deal(uint8_t *side, size_t n)
{
	size_t i = n, ones = 0;

	while (i > 0 && side[i - 1] == 1) {
		i--;
		ones++;
	}
	while (i > 0 && side[i - 1] == 0)
		i--;
	if (i == 0)
		return false;
	side[i - 1] = 0;
	memset(side + i, 1, ones + 1);
	memset(side + i + ones + 1, 0, n - i - ones - 1);
	return true;
}

static double deals(double n, double m)
{
	double c = 1;

	for (double i = 1; i <= n; i++)
		c = c * (m + i) / i;
	return c;
}

static void shuffle_sides(uint8_t *side, size_t n, struct pg_rng *rng)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = (size_t)pg_rng_below(rng, i);
		uint8_t t = side[i - 1];

		side[i - 1] = side[k];
		side[k] = t;
	}
}

struct pg_effect pg_floor_unpaired(const double *a, size_t n, const double *b, size_t m, unsigned patterns,
				   struct pg_rng *rng)
{
	struct pg_effect e = {PG_NAN, PG_NAN, PG_NAN, PG_NAN};
	struct mark all[2 * PG_FLOOR_MAX];
	uint8_t side[2 * PG_FLOOR_MAX];
	size_t ka = n / 4 ? n / 4 : 1, kb = m / 4 ? m / 4 : 1;
	double hits = 0, count = 0;

	if (n == 0 || m == 0 || n > PG_FLOOR_MAX || m > PG_FLOOR_MAX)
		return e;
	load(all, a, n, 0);
	load(all + n, b, m, 1);
	qsort(all, n + m, sizeof(*all), by_mark);
	for (size_t i = 0; i < n + m; i++)
		side[i] = all[i].side;
	e.estimate = dealt(all, side, ka, kb);
	if (deals((double)n, (double)m) <= patterns) {
		memset(side, 1, m);
		memset(side + m, 0, n);
		do {
			hits += fabs(dealt(all, side, ka, kb)) >= fabs(e.estimate) - SAME;
			count++;
		} while (next_deal(side, n + m));
		e.p = hits / count;
		return e;
	}
	for (unsigned i = 0; i < patterns; i++) {
		shuffle_sides(side, n + m, rng);
		hits += fabs(dealt(all, side, ka, kb)) >= fabs(e.estimate) - SAME;
	}
	e.p = (1 + hits) / ((double)patterns + 1);
	return e;
}
