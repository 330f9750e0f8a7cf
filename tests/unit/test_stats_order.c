/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorting, quantiles, spread, outliers: borders and shapes that the reference file does not have. */
#include "tests/support/pgtest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/stats.h"

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

enum shape { RANDOM, SORTED, REVERSED, EQUAL, FEW, PIPE, SAW, NEARLY, SHAPES };

static void fill(double *x, size_t n, enum shape shape, struct pg_rng *r)
{
	for (size_t i = 0; i < n; i++) {
		double at = (double)i;

		switch (shape) {
		case RANDOM:
			x[i] = pg_rng_unit(r) - 0.5;
			break;
		case SORTED:
			x[i] = at;
			break;
		case REVERSED:
			x[i] = -at;
			break;
		case EQUAL:
			x[i] = 7;
			break;
		case FEW:
			x[i] = (double)pg_rng_below(r, 3);
			break;
		case PIPE:
			x[i] = i < n / 2 ? at : (double)(n - i);
			break;
		case SAW:
			x[i] = (double)(i % 5);
			break;
		case NEARLY:
			x[i] = pg_rng_below(r, 20) ? at : -at;
			break;
		case SHAPES:
			break;
		}
	}
}

/* Every shape, all sizes around the borders of the short runs, and some large ones, against the C library's sort. */
START_TEST(sort_shapes)
{
	static const size_t large[] = {255, 256, 257, 1000, 4097, 20000};
	struct pg_rng r;

	pg_rng_seed(&r, 1);
	for (size_t i = 0; i < 130 + sizeof(large) / sizeof(large[0]); i++) {
		size_t n = i < 130 ? i : large[i - 130];
		double *got = malloc((n + 1) * sizeof(*got)), *want = malloc((n + 1) * sizeof(*want));

		ck_assert(got && want);
		fill(got, n, (enum shape)_i, &r);
		got[n] = -1e300;
		memcpy(want, got, (n + 1) * sizeof(*want));
		pg_sort(got, n);
		qsort(want, n, sizeof(*want), ascending);
		ck_assert_msg(memcmp(got, want, (n + 1) * sizeof(*got)) == 0, "shape %d, n %zu", _i, n);
		free(got);
		free(want);
	}
}
END_TEST

/*
 * Built backwards so that the middle one of first, middle and last is always the second smallest value: each partition
 * takes off two elements. Plain quicksort needs n * n / 8 steps, minutes at this size; the depth limit ends it.
 */
START_TEST(sort_worst_case)
{
	const size_t n = 800000;
	double *x = malloc(n * sizeof(*x));
	size_t wrong = 0;

	ck_assert(x);
	for (size_t m = 2; m <= n; m += 2) {
		double *sub = x + n - m;

		if (m == 2) {
			sub[0] = 0;
			sub[1] = 1;
		} else {
			sub[1] = sub[m / 2];
			sub[0] = -(double)m;
			sub[m / 2] = -(double)m + 1;
		}
	}
	pg_sort(x, n);
	for (size_t i = 1; i < n; i++)
		wrong += !(x[i - 1] < x[i]);
	ck_assert_uint_eq(wrong, 0);
	free(x);
}
END_TEST

START_TEST(sort_extremes)
{
	double x[] = {HUGE_VAL, -HUGE_VAL, 1e308, -1e308, 5e-324, 0, -1};

	pg_sort(x, 7);
	ck_assert(x[0] == -HUGE_VAL && x[1] == -1e308 && x[2] == -1 && x[3] == 0 && x[4] == 5e-324 && x[6] == HUGE_VAL);
	pg_sort(x, 0);
	ck_assert(x[0] == -HUGE_VAL);
}
END_TEST

START_TEST(quantile_borders)
{
	static const double x[] = {1, 2, 4, 8, 16};

	ck_assert_double_eq(pg_quantile(x, 5, 0), 1);
	ck_assert_double_eq(pg_quantile(x, 5, 1), 16);
	ck_assert_double_eq(pg_quantile(x, 5, 0.5), 4);
	ck_assert_double_eq(pg_quantile(x, 5, 0.625), 6);
	ck_assert_double_eq(pg_quantile(x, 1, 0.3), 1);
	ck_assert_double_eq(pg_median(x, 1), 1);
	ck_assert_double_eq(pg_median(x, 2), 1.5);
	ck_assert_double_eq(pg_median(x, 3), 2);
	ck_assert_double_eq(pg_median(x, 4), 3);
}
END_TEST

START_TEST(median_of_large_values)
{
	static const double x[] = {1.6e308, 1.7e308};

	ck_assert_double_eq_tol(pg_median(x, 2), 1.65e308, 1e293);
}
END_TEST

/* Equal values have no spread at all, whatever their sum rounds to. */
START_TEST(constant_data)
{
	static const double values[] = {0.1, 1e-9, 3.3333333333333335, 1e15 + 0.3, -7.7, 0};
	double x[100], scratch[100];

	for (size_t i = 0; i < 100; i++)
		x[i] = values[_i];
	for (size_t n = 1; n <= 100; n++) {
		ck_assert_double_eq(pg_mean(x, n), values[_i]);
		ck_assert_double_eq(pg_mad(x, n, scratch), 0);
		ck_assert_double_eq(pg_lag1(x, n), 0);
		ck_assert_double_eq(pg_autocorr_factor(x, n, NULL), 1);
		ck_assert_double_eq(pg_best(x, n, _i % 2), values[_i]);
		if (n > 1)
			ck_assert_double_eq(pg_sd(x, n), 0);
	}
	ck_assert(isnan(pg_sd(x, 1)));
}
END_TEST

START_TEST(mean_keeps_small_parts)
{
	double x[1000];

	for (size_t i = 0; i < 1000; i++)
		x[i] = 1e9 + (double)(i % 2);
	ck_assert_double_eq(pg_mean(x, 1000), 1e9 + 0.5);
	ck_assert_double_eq_tol(pg_sd(x, 1000), 0.5 * sqrt(1000.0 / 999), 1e-12);
}
END_TEST

/* The merge from the middle gives what sorting the distances gives. */
START_TEST(mad_by_sorting)
{
	double x[200], distance[200], scratch[200];
	struct pg_rng r;

	pg_rng_seed(&r, 2);
	for (size_t n = 1; n <= 200; n++) {
		double median;

		for (size_t i = 0; i < n; i++)
			x[i] = n % 3 ? pg_rng_normal(&r) : (double)pg_rng_below(&r, 4);
		pg_sort(x, n);
		median = pg_median(x, n);
		for (size_t i = 0; i < n; i++)
			distance[i] = fabs(x[i] - median);
		pg_sort(distance, n);
		ck_assert_double_eq(pg_mad(x, n, scratch), 1.4826 * pg_median(distance, n));
		ck_assert_mem_eq(scratch, distance, n * sizeof(*distance));
	}
}
END_TEST

START_TEST(best_quarter)
{
	static const struct {
		size_t n;
		double low, high;
	} c[] = {{1, 1, 1}, {2, 1, 2}, {3, 1, 3}, {4, 1, 4}, {7, 1, 7}, {8, 1.5, 7.5}, {11, 1.5, 10.5}, {12, 2, 11}};
	double x[12];

	for (size_t i = 0; i < 12; i++)
		x[i] = (double)i + 1;
	ck_assert_double_eq(pg_best(x, c[_i].n, false), c[_i].low);
	ck_assert_double_eq(pg_best(x, c[_i].n, true), c[_i].high);
}
END_TEST

/* Quartiles of 1..9 are 3 and 7: fences at -3 and 13 (mild), -9 and 19 (severe). A value on a fence is inside it. */
START_TEST(tukey_fences)
{
	static const struct {
		double lowest, highest;
		struct pg_tukey want;
	} c[] = {
		{1, 9, {0, 0, 0, 0}},	   {-3, 13, {0, 0, 0, 0}},    {-3.001, 13, {1, 0, 0, 0}},
		{1, 13.001, {0, 1, 0, 0}}, {-9, 19, {1, 1, 0, 0}},    {-9.001, 19, {0, 1, 1, 0}},
		{1, 19.001, {0, 0, 0, 1}}, {-1e9, 1e9, {0, 0, 1, 1}},
	};
	double x[] = {c[_i].lowest, 2, 3, 4, 5, 6, 7, 8, c[_i].highest};
	struct pg_tukey got = pg_tukey(x, 9);

	ck_assert_mem_eq(&got, &c[_i].want, sizeof(got));
}
END_TEST

START_TEST(tukey_without_spread)
{
	static const double x[] = {1, 5, 5, 5, 5, 5, 5, 5, 1e9};
	struct pg_tukey got = pg_tukey(x, 9);

	ck_assert_uint_eq(got.mild_low, 1);
	ck_assert_uint_eq(got.mild_high, 1);
	ck_assert_uint_eq(got.severe_low + got.severe_high, 0);
}
END_TEST

START_TEST(lag1_small)
{
	static const double up[] = {1, 2, 3, 4}, zigzag[] = {1, -1, 1, -1, 1, -1, 1, -1};

	ck_assert_double_eq(pg_lag1(up, 0), 0);
	ck_assert_double_eq(pg_lag1(up, 2), 0);
	ck_assert_double_eq(pg_lag1(up, 3), 0);
	ck_assert_double_eq_tol(pg_lag1(up, 4), 0.25, 1e-15);
	ck_assert_double_eq_tol(pg_lag1(zigzag, 8), -0.875, 1e-15);
}
END_TEST

/* The factor begins at 8 samples; the effective number is always there, clipped at r = 0.9. */
START_TEST(autocorr_borders)
{
	double n_eff;

	ck_assert_double_eq(pg_lag1_factor(0.6, 7, &n_eff), 1);
	ck_assert_double_eq_tol(n_eff, 1.75, 1e-12);
	ck_assert_double_eq_tol(pg_lag1_factor(0.6, 8, &n_eff), 2, 1e-12);
	ck_assert_double_eq_tol(n_eff, 2, 1e-12);
	ck_assert_double_eq(pg_lag1_factor(0.99, 20, NULL), pg_lag1_factor(0.9, 20, NULL));
	ck_assert_double_eq(pg_lag1_factor(-0.5, 20, &n_eff), 1);
	ck_assert_double_eq(n_eff, 20);
}
END_TEST

PG_TEST_MAIN("stats_order", ((const struct pg_test[]){
				    {sort_shapes, SHAPES},
				    {sort_worst_case, 0},
				    {sort_extremes, 0},
				    {quantile_borders, 0},
				    {median_of_large_values, 0},
				    {constant_data, 6},
				    {mean_keeps_small_parts, 0},
				    {mad_by_sorting, 0},
				    {best_quarter, 8},
				    {tukey_fences, 8},
				    {tukey_without_spread, 0},
				    {lag1_small, 0},
				    {autocorr_borders, 0},
				    {NULL, 0},
			    }))
