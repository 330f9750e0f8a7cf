/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The interval of the median by n, its rank, its level; borders of the confidence; stretching; half width. */
#include "tests/support/pgtest.h"

#include <math.h>
#include <stdlib.h>

#include "stats/stats.h"

/* The sample 1, 2, ... n: a bound is its own rank. */
static double *ranks(size_t n)
{
	double *x = malloc(n * sizeof(*x));

	ck_assert(x);
	for (size_t i = 0; i < n; i++)
		x[i] = (double)i + 1;
	return x;
}

static double level(size_t n, double k)
{
	return 1 - 2 * pg_pbinom(k - 1, (double)n, 0.5);
}

static const double confs[] = {0.5, 0.8, 0.9, 0.95, 0.99, 0.999, 0.999999};
#define CONFS ((int)(sizeof(confs) / sizeof(confs[0])))

START_TEST(least_n)
{
	static const struct {
		double conf;
		unsigned n;
	} c[] = {{0.5, 2},	 {0.50001, 3}, {0.75, 3},     {0.9, 5},	  {0.9375, 5}, {0.93751, 6},
		 {0.95, 6},	 {0.96875, 6}, {0.968751, 7}, {0.99, 8},  {0.999, 11}, {0.0001, 2},
		 {0.999999, 21}, {1, 55},      {1.5, 55},     {PG_NAN, 2}};

	ck_assert_uint_eq(pg_min_n(c[_i].conf), c[_i].n);
}
END_TEST

/* The rank is the largest whose level reaches conf, below and above the border between exact sums and the library's
 * binomial. */
START_TEST(rank_is_the_largest)
{
	static const size_t large[] = {100, 1000, 1073, 1074, 1075, 1076, 1100, 5000, 10000, 99999, 100000, 1000000};
	double conf = confs[_i];

	for (size_t i = 0; i < 200 + sizeof(large) / sizeof(large[0]); i++) {
		size_t n = i < 200 ? i : large[i - 200];
		struct pg_interval got;
		double *x;

		if (n < pg_min_n(conf))
			continue;
		x = ranks(n);
		got = pg_median_interval(x, n, conf, true);
		ck_assert(!got.range);
		ck_assert_double_eq(got.lo + got.hi, (double)n + 1);
		ck_assert_double_eq_tol(got.level, level(n, got.lo), 1e-12);
		ck_assert_msg(got.level >= conf - 1e-15, "n %zu conf %g: level %.17g", n, conf, got.level);
		ck_assert_msg(level(n, got.lo + 1) < conf + 1e-15, "n %zu conf %g: rank %g is not the largest", n, conf,
			      got.lo);
		free(x);
	}
}
END_TEST

/* The interpolated interval lies between the exact one of its rank and that of the next. */
START_TEST(interpolated_inside)
{
	double conf = confs[_i];

	for (size_t n = pg_min_n(conf); n < 1200; n += n < 80 ? 1 : 97) {
		double *x = ranks(n);
		struct pg_interval exact = pg_median_interval(x, n, conf, true);
		struct pg_interval inter = pg_median_interval(x, n, conf, false);

		ck_assert(inter.lo >= exact.lo && inter.hi <= exact.hi);
		ck_assert(inter.lo < exact.lo + 1 && inter.hi > exact.hi - 1);
		ck_assert_double_eq_tol(inter.lo + inter.hi, (double)n + 1, 1e-9);
		/* Ranks that meet in the middle leave nothing between which to interpolate. */
		ck_assert_double_eq(inter.level, exact.lo < (double)n - exact.lo ? conf : exact.level);
		free(x);
	}
}
END_TEST

/* A level reached exactly: no interpolation is left to do. 0.9375 is the level of [min, max] at n = 5, 0.875 that of n
 * = 7, k = 2. */
START_TEST(level_met_exactly)
{
	static const double x[] = {1, 2, 3, 4, 5, 6, 7};
	struct pg_interval i = pg_median_interval(x, 5, 0.9375, false);

	ck_assert_double_eq(i.lo, 1);
	ck_assert_double_eq(i.hi, 5);
	ck_assert(!i.range);
	i = pg_median_interval(x, 7, 0.875, true);
	ck_assert_double_eq(i.lo, 2);
	ck_assert_double_eq(i.level, 0.875);
	i = pg_median_interval(x, 7, 0.875, false);
	ck_assert_double_eq(i.lo, 2);
	ck_assert_double_eq(i.hi, 6);
}
END_TEST

START_TEST(small_n)
{
	static const double x[] = {3, 5, 8, 9, 11};
	static const double levels[] = {0.5, 0.75, 0.875, 0.9375};
	struct pg_interval i;

	for (size_t n = 0; n < 2; n++) {
		i = pg_median_interval(x, n, 0.95, _i);
		ck_assert(isnan(i.lo) && isnan(i.hi) && isnan(i.level) && !i.range);
		ck_assert(isnan(pg_half_width(&i, 3)));
	}
	for (size_t n = 2; n <= 5; n++) {
		i = pg_median_interval(x, n, 0.95, _i);
		ck_assert(i.range);
		ck_assert_double_eq(i.lo, x[0]);
		ck_assert_double_eq(i.hi, x[n - 1]);
		ck_assert_double_eq(i.level, levels[n - 2]);
	}
	/* 90 % is reached with 5, 99 % not even with 7. */
	ck_assert(!pg_median_interval(x, 5, 0.9, _i).range);
	ck_assert(pg_median_interval((const double[]){1, 2, 3, 4, 5, 6, 7}, 7, 0.99, _i).range);
	ck_assert(!pg_median_interval((const double[]){1, 2, 3, 4, 5, 6, 7, 8}, 8, 0.99, _i).range);
}
END_TEST

START_TEST(stretching)
{
	struct pg_interval i = {.lo = 0.1, .hi = 0.7, .level = 0.95}, s;

	s = pg_stretch(i, 0.3, 1);
	ck_assert_mem_eq(&s, &i, sizeof(s));
	s = pg_stretch(i, 0.3, 2);
	ck_assert_double_eq_tol(s.lo, -0.1, 1e-15);
	ck_assert_double_eq_tol(s.hi, 1.1, 1e-15);
	ck_assert_double_eq(s.level, 0.95);
	ck_assert_double_eq_tol(pg_half_width(&s, 0.3), 2, 1e-12);
	ck_assert_double_eq_tol(pg_half_width(&s, -0.3), 2, 1e-12);
	ck_assert(isnan(pg_half_width(&s, 0)));
}
END_TEST

PG_TEST_MAIN("stats_interval", ((const struct pg_test[]){
				       {least_n, 16},
				       {rank_is_the_largest, CONFS},
				       {interpolated_inside, CONFS},
				       {level_met_exactly, 0},
				       {small_n, 2},
				       {stretching, 0},
				       {NULL, 0},
			       }))
