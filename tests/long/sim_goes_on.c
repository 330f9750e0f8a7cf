/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the level costs whoever gives a run more reps because nothing was found yet (docs/statistics.md 8.6): the
 * default looks, and 20 rounds more each time, each end at the level of all looks till then. Walks of normal steps, no
 * difference in any, fixed seed. A Markdown table; exit 1 when a figure is not the one that the page gives, or the
 * plan that was settled before comes to more than 5 % + 3 standard errors.
 */
#include <math.h>
#include <stdio.h>

#include "model/compare.h"
#include "stats/stats.h"
#include "stats/tests.h"

#define WALKS 2000000
#define MORE  20 /* rounds of each decision */

static const uint32_t planned[] = {10, 15, 20, 30, 40}; /* the default looks and the end */
#define PLANNED (sizeof(planned) / sizeof(*planned))
/* By the page: decisions, and the share of walks that is called different by the last table. */
static const struct {
	unsigned decisions;
	double percent;
} page[] = {{0, 4.9}, {1, 5.5}, {2, 6.0}, {5, 7.0}, {10, 7.8}, {20, 8.7}};

static uint32_t at[PLANNED + PG_ENDS];
static double bound[PG_ENDS + 1]; /* |z| from which a look answers, after so many decisions */

/* After how many decisions the walk is called different; -1 = never. */
static int walk(struct pg_rng *rng)
{
	double sum = 0;

	for (size_t i = 0; i < PLANNED + PG_ENDS; i++) {
		size_t decisions = i < PLANNED ? 0 : i - PLANNED + 1;

		sum += sqrt(at[i] - (i ? at[i - 1] : 0)) * pg_rng_normal(rng);
		if (fabs(sum) / sqrt(at[i]) >= bound[decisions])
			return (int)decisions;
	}
	return -1;
}

/* z of a two-sided level, by halving: the table of looks is what is tested here, not a quantile. */
static double z_of(double alpha)
{
	double low = 0, high = 10;

	for (int i = 0; i < 60; i++) {
		double z = (low + high) / 2;

		*(erfc(z / sqrt(2)) > alpha ? &low : &high) = z;
	}
	return low;
}

int main(void)
{
	size_t found[PG_ENDS + 1] = {0}, so_far = 0, next = 0;
	struct pg_rng rng;
	int bad = 0;

	for (size_t i = 0; i < PLANNED + PG_ENDS; i++)
		at[i] = i < PLANNED ? planned[i] : at[i - 1] + MORE;
	for (unsigned k = 0; k <= PG_ENDS; k++)
		bound[k] = z_of(pg_looks_level(at, (unsigned)PLANNED + k));
	pg_rng_seed(&rng, 4711);
	for (int i = 0; i < WALKS; i++) {
		int k = walk(&rng);

		if (k >= 0)
			found[k]++;
	}
	for (unsigned k = 0; k <= PG_ENDS && next < sizeof(page) / sizeof(*page); k++) {
		double percent, limit = k ? 100 : 5 + 300 * sqrt(0.05 * 0.95 / WALKS);
		bool ok;

		so_far += found[k];
		if (page[next].decisions != k)
			continue;
		percent = 100.0 * (double)so_far / WALKS;
		ok = fabs(percent - page[next].percent) <= 0.1 && percent <= limit;
		printf("| no difference, 20 rounds more as nothing was found yet, decided so %u times, 2,000,000 walks "
		       "| %.2f %% | "
		       "%.1f "
		       "%% by statistics.md 8.6 | %s |\n",
		       k, percent, page[next].percent, ok ? "ok" : "FAILED");
		bad += !ok;
		next++;
	}
	return bad ? 1 : 0;
}
