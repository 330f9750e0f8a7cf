/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One arm against its baseline: costs, seeds, both lenses, more rounds than the tests take. */
#include "stats/pair.h"

#include <stdlib.h>

#include "tests/support/pgsim.h"
#include "tests/support/pgtest.h"

#define MANY 3000

static double a[MANY], b[MANY], fa[MANY], fb[MANY];

static void fill(size_t n, uint64_t seed, double times)
{
	struct pg_rng rng;

	pg_rng_seed(&rng, seed);
	for (size_t i = 0; i < n; i++) {
		a[i] = 1 + 0.04 * pg_rng_normal(&rng);
		b[i] = times * (1 + 0.04 * pg_rng_normal(&rng));
		fa[i] = a[i] * 0.9;
		fb[i] = b[i] * 0.8;
	}
}

static void effects(const double *x, const double *y, const double *fx, const double *fy, size_t n, enum pg_lens lens,
		    struct pg_effect *out)
{
	double *scratch = malloc((pg_pair_scratch(n) + 1) * sizeof(*scratch));

	ck_assert_ptr_nonnull(scratch);
	pg_pair_effects(x, y, fx, fy, n, lens, 0.95, 999, 7, scratch, out);
	free(scratch);
}

static void same(double x, double y)
{
	ck_assert_msg((isnan(x) && isnan(y)) || fabs(x - y) <= 1e-12 || (isinf(x) && isinf(y) && x * y > 0),
		      "%.17g and %.17g", x, y);
}

START_TEST(costs)
{
	same(pg_cost(2, false), 2);
	same(pg_cost(2, true), 0.5);
	ck_assert(isnan(pg_cost(0, false)) && isnan(pg_cost(0, true)) && isnan(pg_cost(-1, false)));
	ck_assert(isnan(pg_cost(PG_NAN, false)) && isnan(pg_cost((double)INFINITY, true)));
}
END_TEST

START_TEST(patterns_grow_with_the_family)
{
	ck_assert_uint_eq(pg_floor_patterns(0), 9999);
	ck_assert_uint_eq(pg_floor_patterns(20), 9999);
	ck_assert_uint_eq(pg_floor_patterns(100), 40000);
	ck_assert_uint_eq(pg_floor_patterns(1e7), 199999);
}
END_TEST

START_TEST(seeds)
{
	uint64_t seed = pg_pair_seed(1, 2, 1, "time");

	ck_assert_uint_eq(pg_pair_seed(1, 2, 1, "time"), seed);
	ck_assert(pg_pair_seed(2, 2, 1, "time") != seed);
	ck_assert(pg_pair_seed(1, 3, 1, "time") != seed);
	ck_assert(pg_pair_seed(1, 2, 2, "time") != seed);
	ck_assert(pg_pair_seed(1, 2, 1, "rate") != seed);
}
END_TEST

START_TEST(the_two_tests)
{
	static const size_t sizes[] = {1, 5, 6, 16, 17, 40};
	double d[40], scratch[PG_WALSH(40)];

	for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++) {
		struct pg_effect e[PG_LENSES], typical, low;
		struct pg_rng rng;
		size_t n = sizes[k];

		fill(n, 3 + k, 1.05);
		for (size_t i = 0; i < n; i++)
			d[i] = log(b[i]) - log(a[i]);
		pg_rng_seed(&rng, 7);
		typical = pg_signed_rank(d, n, 0.95, scratch, NULL);
		low = pg_floor_paired(a, b, n, 999, 0.95, &rng);
		effects(a, b, NULL, NULL, n, PG_LENS_BOTH, e);
		same(e[PG_TYPICAL].estimate, typical.estimate);
		same(e[PG_TYPICAL].lo, typical.lo);
		same(e[PG_TYPICAL].p, typical.p);
		same(e[PG_FLOOR].estimate, low.estimate);
		same(e[PG_FLOOR].hi, low.hi);
		same(e[PG_FLOOR].p, low.p);
	}
}
END_TEST

START_TEST(lenses_asked_for)
{
	struct pg_effect e[PG_LENSES];

	fill(12, 1, 1);
	effects(a, b, NULL, NULL, 12, PG_LENS_TYPICAL, e);
	ck_assert(!isnan(e[PG_TYPICAL].p) && isnan(e[PG_FLOOR].p) && isnan(e[PG_FLOOR].estimate));
	effects(a, b, NULL, NULL, 12, PG_LENS_FLOOR, e);
	ck_assert(isnan(e[PG_TYPICAL].p) && isnan(e[PG_TYPICAL].estimate) && !isnan(e[PG_FLOOR].p));
	effects(a, b, NULL, NULL, 0, PG_LENS_BOTH, e);
	ck_assert(isnan(e[PG_TYPICAL].estimate) && isnan(e[PG_FLOOR].estimate));
}
END_TEST

START_TEST(floors_where_both_sides_have_them)
{
	struct pg_effect with[PG_LENSES], without[PG_LENSES], one[PG_LENSES];

	fill(12, 1, 1);
	effects(a, b, fa, fb, 12, PG_LENS_BOTH, with);
	effects(a, b, NULL, NULL, 12, PG_LENS_BOTH, without);
	effects(a, b, fa, NULL, 12, PG_LENS_BOTH, one);
	same(with[PG_TYPICAL].estimate, without[PG_TYPICAL].estimate);
	same(with[PG_FLOOR].estimate, without[PG_FLOOR].estimate + log(0.8 / 0.9));
	same(one[PG_FLOOR].estimate, without[PG_FLOOR].estimate);
}
END_TEST

START_TEST(more_rounds_than_the_tests_take)
{
	struct pg_effect e[PG_LENSES];

	/* Room for the deepest cell of a plan serves every other. */
	for (size_t n = 0; n < 3 * PG_FLOOR_MAX; n++)
		ck_assert_uint_le(pg_pair_scratch(n), pg_pair_scratch(n + 1));
	ck_assert_uint_le(pg_pair_scratch(1000000), pg_pair_scratch(PG_FLOOR_MAX));
	for (size_t n = PG_FLOOR_MAX - 1; n <= PG_FLOOR_MAX + 2; n++) {
		fill(n, n, 1.03);
		effects(a, b, NULL, NULL, n, PG_LENS_TYPICAL, e);
		ck_assert_msg(fabs(e[PG_TYPICAL].estimate - log(1.03)) < 0.005, "%zu rounds: %g", n,
			      e[PG_TYPICAL].estimate);
		ck_assert(e[PG_TYPICAL].p < 1e-6 && e[PG_TYPICAL].lo > 0 && e[PG_TYPICAL].hi < 2 * log(1.03));
	}
	/* Groups keep the fastest round of each side: one that is no faster than the others of its side changes
	 * nothing. */
	fill(MANY, 9, 1.03);
	effects(a, b, NULL, NULL, MANY, PG_LENS_FLOOR, e);
	ck_assert(e[PG_FLOOR].estimate > 0.01 && e[PG_FLOOR].estimate < 0.05 && e[PG_FLOOR].p <= 0.002);
}
END_TEST

/* Whichever side comes first, and whether a number is a time or its inverse. */
START_TEST(direction)
{
	struct pg_effect e[PG_LENSES], m[PG_LENSES];

	fill(14, 5, 1.1);
	effects(a, b, NULL, NULL, 14, PG_LENS_BOTH, e);
	effects(b, a, NULL, NULL, 14, PG_LENS_BOTH, m);
	for (int l = 0; l < PG_LENSES; l++) {
		same(e[l].estimate, -m[l].estimate);
		same(e[l].p, m[l].p);
	}
	for (size_t i = 0; i < 14; i++) {
		a[i] = pg_cost(1 / a[i], true);
		b[i] = pg_cost(1 / b[i], true);
	}
	effects(a, b, NULL, NULL, 14, PG_LENS_BOTH, m);
	for (int l = 0; l < PG_LENSES; l++) {
		same(e[l].estimate, m[l].estimate);
		same(e[l].p, m[l].p);
	}
}
END_TEST

PG_TEST_MAIN("stats_pair", ((const struct pg_test[]){
				   {costs, 0},
				   {patterns_grow_with_the_family, 0},
				   {seeds, 0},
				   {the_two_tests, 0},
				   {lenses_asked_for, 0},
				   {floors_where_both_sides_have_them, 0},
				   {more_rounds_than_the_tests_take, 0},
				   {direction, 0},
				   {NULL, 0},
			   }))
