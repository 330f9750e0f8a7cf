/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The level of each look of several, and what it is worth: false alarms of sums of normal steps. Fixed seed. */
#include "tests/support/pgtest.h"

#include <math.h>

#include "stats/stats.h"
#include "stats/tests.h"

#define WALKS 20000

struct row {
	uint32_t look[12];
	unsigned n;
	double level; /* 0 = Pocock's */
};

static const struct row rows[] = {
	{{40}, 1, 0},
	{{10, 15, 20, 30, 40}, 5, 0}, /* the default */
	{{10, 20, 30, 40}, 4, 0},
	{{20, 40}, 2, 0},
	/* Far apart, such as where a run goes on with more reps: lower. */
	{{10, 15, 20, 30, 40, 60}, 6, 0.0137},
	{{10, 15, 20, 30, 40, 400}, 6, 0.0123},
	{{10, 15, 20, 30, 40, 60, 80, 120}, 8, 0.0106},
	{{10, 100, 1000}, 3, 0.0173},
	{{5, 500000}, 2, 0.0253},
	/* More than Pocock's table has. */
	{{10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120}, 12, 0.0097},
};

START_TEST(levels)
{
	const struct row *r = &rows[_i];
	double got = pg_looks_level(r->look, r->n);

	if (r->level == 0)
		ck_assert_double_eq(got, pg_pocock(r->n));
	else
		ck_assert_double_eq_tol(got, r->level, 2e-4);
	ck_assert_double_le(got, pg_pocock(r->n));
	/* Whatever they share, it is no less than where they share nothing. */
	ck_assert_double_ge(got, 1 - pow(0.95, 1.0 / r->n) - 1e-4);
}
END_TEST

/* Is something found at a look where there is nothing? */
static bool alarm(const struct row *r, double z, struct pg_rng *rng)
{
	double sum = 0;

	for (unsigned k = 0; k < r->n; k++) {
		sum += sqrt(r->look[k] - (k ? r->look[k - 1] : 0)) * pg_rng_normal(rng);
		if (fabs(sum) >= z * sqrt(r->look[k]))
			return true;
	}
	return false;
}

START_TEST(false_alarms)
{
	const struct row *r = &rows[_i];
	double z = pg_qnorm(1 - pg_looks_level(r->look, r->n) / 2), share = 0;
	struct pg_rng rng;

	pg_rng_seed(&rng, 20 + (uint64_t)_i);
	for (int i = 0; i < WALKS; i++)
		share += alarm(r, z, &rng);
	share /= WALKS;
	ck_assert_double_le(share, 0.05 + 3 * sqrt(0.05 * 0.95 / WALKS));
	ck_assert_double_ge(share, 0.042);
}
END_TEST

/* Looks that lie close together, as one; nothing at all. */
START_TEST(edges)
{
	const uint32_t close[] = {999998, 999999, 1000000};

	ck_assert_double_eq(pg_looks_level(close, 3), pg_pocock(3));
	ck_assert_double_eq(pg_looks_level(close, 0), 0.05);
}
END_TEST

PG_TEST_MAIN("stats_looks", ((const struct pg_test[]){
				    {levels, 10},
				    {false_alarms, 10},
				    {edges, 0},
				    {NULL, 0},
			    }))
