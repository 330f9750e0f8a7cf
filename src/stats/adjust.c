/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many tests at once, many looks, and how small an effect can be seen: docs/statistics.md 8.3 to 8.7 and 10. */
#include "stats/tests.h"

#include <math.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
	const struct pg_ranked *x = a, *y = b;

	return (x->v > y->v) - (x->v < y->v);
}

static double at_most_one(double p)
{
	return p < 1 ? p : 1;
}

static void holm(const struct pg_ranked *order, size_t n, double *adjusted)
{
	double last = 0;

	for (size_t i = 0; i < n; i++) {
		double p = at_most_one((double)(n - i) * order[i].v);

		last = p > last ? p : last;
		adjusted[order[i].i] = last;
	}
}

static void benjamini_hochberg(const struct pg_ranked *order, size_t n, double *adjusted)
{
	double last = 1;

	for (size_t i = n; i-- > 0;) {
		double p = (double)n / (double)(i + 1) * order[i].v;

		last = p < last ? p : last;
		adjusted[order[i].i] = last;
	}
}

void pg_adjust(const double *p, size_t n, enum pg_correction how, double *adjusted, struct pg_ranked *scratch)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		adjusted[i] = p[i];
		if (!isnan(p[i]))
			scratch[k++] = (struct pg_ranked){p[i], (uint32_t)i};
	}
	qsort(scratch, k, sizeof(*scratch), by_value);
	if (how == PG_CORRECT_HOLM)
		holm(scratch, k, adjusted);
	else if (how == PG_CORRECT_BH)
		benjamini_hochberg(scratch, k, adjusted);
}

double pg_pocock(unsigned looks)
{
	/* Nominal two-sided levels for 5 % over 1 to 10 equally spaced looks (Pocock 1977, table 1). */
	static const double level[] = {0.05, 0.0294, 0.0221, 0.0182, 0.0158, 0.0142, 0.0130, 0.0120, 0.0112, 0.0106};
	const unsigned last = sizeof(level) / sizeof(level[0]);

	return level[looks == 0 ? 0 : looks > last ? last - 1 : looks - 1];
}

unsigned pg_min_paired(double alpha, double hypotheses)
{
	unsigned n = 1;

	while (n < 1000 && ldexp(1, 1 - (int)n) > alpha / hypotheses)
		n++;
	return n;
}

unsigned pg_min_unpaired(double alpha, double hypotheses)
{
	double ways = 2; /* of 2n choose n, n = 1 */
	unsigned n = 1;

	while (n < 500 && 2 / ways > alpha / hypotheses) {
		n++;
		ways *= 2 * (2 * (double)n - 1) / (double)n;
	}
	return n;
}

double pg_mde(double w, double alpha)
{
	return exp(w * (pg_qnorm(1 - alpha / 2) + pg_qnorm(0.8)) / pg_qnorm(0.975)) - 1;
}

double pg_rounds_needed(size_t n, double mde, double threshold)
{
	double times = log1p(mde) / log1p(threshold);

	return (double)n * times * times;
}

struct pg_interval pg_clopper_pearson(double k, double n, double conf)
{
	double miss = (1 - conf) / 2;

	return (struct pg_interval){
		.lo = k <= 0 ? 0 : pg_qbeta(miss, k, n - k + 1),
		.hi = k >= n ? 1 : pg_qbeta(1 - miss, k + 1, n - k),
		.level = conf,
	};
}
