/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of the self-check, and of what it leaves behind. */
#include "stats/selfcheck.h"

#include <math.h>

#include "stats/tests.h"

#define LEVEL	  PG_ALPHA
#define FEWEST	  10 /* rounds of the first look */
#define LOOKS_MAX 5
#define ALARM_FEW 20 /* comparisons in which chance shows less than one alarm */

static void deal(double *x, size_t n, struct pg_rng *rng)
{
	for (size_t i = n; i > 1; i--) {
		size_t k = (size_t)pg_rng_below(rng, i);
		double v = x[i - 1];

		x[i - 1] = x[k];
		x[k] = v;
	}
}

double pg_noise_floor(double *x, size_t n, struct pg_rng *rng, double *scratch)
{
	size_t half = n / 2;
	double *apart = scratch + n;

	if (n < 4)
		return PG_NAN;
	for (size_t d = 0; d < PG_DEALS; d++) {
		deal(x, n, rng);
		for (size_t i = 0; i < n; i++)
			scratch[i] = x[i];
		apart[d] = fabs(log(pg_median_of(scratch, half) / pg_median_of(scratch + half, n - half)));
	}
	pg_sort(apart, PG_DEALS);
	return pg_quantile(apart, PG_DEALS, 1 - LEVEL);
}

struct pg_false_alarms pg_false_alarms(const double *p, size_t n)
{
	struct pg_false_alarms a = {.limits = {PG_NAN, PG_NAN, PG_NAN, false}};

	for (size_t i = 0; i < n; i++) {
		a.m += isnan(p[i]) ? 0 : 1;
		a.k += p[i] <= LEVEL;
	}
	if (a.m == 0)
		return a;
	a.limits = pg_clopper_pearson((double)a.k, (double)a.m, 1 - LEVEL);
	a.too_many = a.limits.lo > LEVEL;
	a.few = a.m < ALARM_FEW;
	return a;
}

/* Ends after `rounds`, each look a like step further, in whole fives; as many as there is room for. */
static unsigned spread_looks(double rounds, uint32_t looks[PG_LOOKS])
{
	uint32_t end = FEWEST;
	double factor, at = FEWEST;
	unsigned n = 0;

	if (!(rounds <= PG_ROUNDS_MAX))
		return 0;
	if (rounds > FEWEST)
		end = (uint32_t)ceil(rounds / 5) * 5;
	factor = pow((double)end / FEWEST, 1.0 / (LOOKS_MAX - 1));
	for (unsigned i = 0; i < LOOKS_MAX; i++, at *= factor) {
		uint32_t look = (uint32_t)nearbyint(at / 5) * 5;

		if (n == 0 || look > looks[n - 1])
			looks[n++] = look;
	}
	looks[n - 1] = end;
	return n;
}

/* Rounds at a lower level, for the same power: they grow with the square of the quantiles' sum (8.7), and must be
 * enough for so small a p (8.5). */
static double rounds_at(double rounds, double hypotheses, double level)
{
	double power = pg_qnorm(0.8), once = pg_qnorm(1 - LEVEL / hypotheses / 2) + power,
	       now = pg_qnorm(1 - level / hypotheses / 2) + power;

	if (!isfinite(rounds))
		return rounds;
	return fmax(rounds * (now / once) * (now / once), pg_min_paired(level, hypotheses));
}

unsigned pg_looks_for(double rounds, double hypotheses, uint32_t looks[PG_LOOKS])
{
	double family = hypotheses > 1 ? hypotheses : 1, level = LEVEL;

	for (;;) {
		unsigned n = spread_looks(rounds_at(rounds, family, level), looks);
		double theirs = n ? pg_looks_level(looks, n) : level;

		if (theirs >= level)
			return n;
		level = theirs;
	}
}

/*
 * Reps that a session's estimate is worth. The variance of a median falls as 1 / n, n even; an odd n is worth little
 * more than the even one below. That of the mean of the k best falls as (k + 3 / 2) / k^2 where times have an
 * exponential tail above a least one: the usual shape of interference, and more than other shapes have at small k.
 */
static double worth(uint32_t n, bool floors, uint32_t quarter)
{
	double k = quarter;

	return floors ? k * k / (k + 1.5) : n;
}

void pg_past_stretch(double *log_estimate, const uint32_t *n, size_t k, bool floors, uint32_t reps)
{
	double mean = k ? pg_mean(log_estimate, k) : 0;
	uint32_t quarter = reps >= 4 ? reps / 4 : 1;
	double now = worth(reps > 1 ? reps - reps % 2 : reps, floors, quarter);
	/* Means of few have longer tails than those that t knows. */
	double least = floors ? 1 + 1.0 / quarter : 1;

	for (size_t i = 0; i < k; i++) {
		/* What is rounded down for the run is rounded up here: in doubt they lie further apart. */
		double ratio = n[i] > reps ? worth(n[i], floors, n[i] / 4 + (n[i] % 4 > 0)) / now : 1;

		log_estimate[i] = mean + sqrt(fmax(ratio, least)) * (log_estimate[i] - mean);
	}
}
