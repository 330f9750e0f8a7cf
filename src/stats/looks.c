/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The level of one look of many: docs/statistics.md 8.6. Pocock's constants are those of looks that lie equally far
 * apart; where they lie further apart they resemble each other less, and the same level would give more than 5 % in
 * all.
 */
#include "stats/tests.h"

#include <math.h>

#define BINS 80 /* per look; the total is then right to about 1e-4 of itself (held against random walks) */
#define STEP 1e-4
#define MOST (PG_ALPHA + 1e-4) /* in all: Pocock's constants are rounded */

/* Of a sum of n steps of variance 1: how probable it is that it lies in a bin, and within +-edge at every look so far.
 */
struct sums {
	double p[BINS], edge;
};

/* pg_pnorm() to the last digits, at a third of its time: a level takes thousands. */
static double below(double z)
{
	return 0.5 * erfc(-z / sqrt(2));
}

static double middle(const struct sums *s, int i)
{
	return s->edge * ((2 * i + 1.0) / BINS - 1);
}

/* `more` steps later, and within the edge then. What is in a bin stands in its middle. */
static void go_on(const struct sums *from, double more, struct sums *to)
{
	double sd = sqrt(more), width = 2 * to->edge / BINS;

	for (int k = 0; k < BINS; k++)
		to->p[k] = 0;
	for (int i = 0; i < BINS; i++) {
		double at = middle(from, i), last = below((-to->edge - at) / sd);

		for (int k = 0; k < BINS; k++) {
			double next = below((-to->edge + (k + 1) * width - at) / sd);

			to->p[k] += from->p[i] * (next - last);
			last = next;
		}
	}
}

/* How probable it is that nothing is found at any look where there is nothing. */
static double silence(const uint32_t *looks, unsigned n, double level)
{
	double z = pg_qnorm(1 - level / 2), sum = 0;
	struct sums s[2];

	s[0].edge = z * sqrt(looks[0]);
	for (int i = 0; i < BINS; i++)
		s[0].p[i] = below(z * ((2 * i + 2.0) / BINS - 1)) - below(z * (2.0 * i / BINS - 1));
	for (unsigned k = 1; k < n; k++) {
		s[k % 2].edge = z * sqrt(looks[k]);
		go_on(&s[(k - 1) % 2], (double)looks[k] - looks[k - 1], &s[k % 2]);
	}
	for (int i = 0; i < BINS; i++)
		sum += s[(n - 1) % 2].p[i];
	return sum;
}

double pg_looks_level(const uint32_t *looks, unsigned n)
{
	double pocock = pg_pocock(n);
	int lo = 0, hi = (int)nearbyint(pocock / STEP);

	if (n <= 1 || 1 - silence(looks, n, pocock) <= MOST)
		return pocock;
	while (hi - lo > 1) {
		int mid = (lo + hi) / 2;

		if (1 - silence(looks, n, mid * STEP) <= MOST)
			lo = mid;
		else
			hi = mid;
	}
	return lo * STEP;
}
