/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Noise floor, false alarms, looks. */
#include "tests/support/pgtest.h"

#include <math.h>

#include "stats/selfcheck.h"
#include "stats/tests.h"

START_TEST(floor_of_noise)
{
	double x[40], scratch[40 + PG_DEALS], floors[3];
	struct pg_rng r;

	for (int k = 0; k < 3; k++) {
		double cv = k == 0 ? 0.01 : k == 1 ? 0.02 : 0.04;

		pg_rng_seed(&r, 5);
		for (int i = 0; i < 40; i++)
			x[i] = 100 * exp(cv * pg_rng_normal(&r));
		floors[k] = pg_noise_floor(x, 40, &r, scratch);
		/* Two medians of 20: 1.96 x 1.253 x sqrt(2 / 20) standard deviations. */
		ck_assert_double_gt(floors[k], 0.5 * 0.776 * cv);
		ck_assert_double_lt(floors[k], 1.8 * 0.776 * cv);
	}
	for (int i = 0; i < 40; i++)
		x[i] = 7;
	ck_assert_double_eq(pg_noise_floor(x, 40, &r, scratch), 0);
	ck_assert(isnan(pg_noise_floor(x, 3, &r, scratch)));
}
END_TEST

START_TEST(alarms)
{
	const double none[] = {0.5, 0.06, PG_NAN, 0.9}, one[] = {0.05, 0.5, 0.7, 0.8, 0.3, 0.2};
	const double three[] = {0.01, 0.5, 0.02, 0.8, 0.03, 0.2};
	double many[20];
	struct pg_false_alarms a = pg_false_alarms(none, 4);

	ck_assert_uint_eq(a.k, 0);
	ck_assert_uint_eq(a.m, 3);
	ck_assert(!a.too_many && a.limits.lo == 0);
	a = pg_false_alarms(one, 6);
	ck_assert_uint_eq(a.k, 1);
	ck_assert(!a.too_many);
	ck_assert_double_eq_tol(a.limits.lo, 0.00421, 1e-4);
	ck_assert_double_eq_tol(a.limits.hi, 0.6412, 1e-3);
	a = pg_false_alarms(three, 6);
	ck_assert(a.too_many && a.few);
	a = pg_false_alarms(none, 0);
	ck_assert(a.m == 0 && !a.too_many);
	for (size_t i = 0; i < 20; i++)
		many[i] = 0.5;
	ck_assert(pg_false_alarms(many, 19).few && !pg_false_alarms(many, 20).few);
}
END_TEST

START_TEST(looks)
{
	static const struct {
		double rounds, hypotheses; /* looked at once */
		unsigned n;
		uint32_t look[5];
	} rows[] = {
		{3, 1, 1, {10}},
		{10, 1, 1, {10}},
		/* Two looks: each of them at 2.94 %, which takes 12 % more rounds; 13.6. */
		{12, 0, 2, {10, 15}},
		/* Five looks: a third more. */
		{29, 1, 5, {10, 15, 20, 30, 40}}, /* the default */
		{40, 1, 5, {10, 15, 25, 35, 55}},
		{40, 100, 5, {10, 15, 20, 35, 50}}, /* of many hypotheses the level is low anyway */
		{2, 200, 2, {10, 15}},		    /* fewer cannot give a p that is small enough */
		{140, 1, 5, {10, 20, 45, 95, 200}},
		{150, 1, 0, {0}},
		{200, 1, 0, {0}},
	};
	uint32_t got[PG_LOOKS];

	ck_assert_uint_eq(pg_looks_for(rows[_i].rounds, rows[_i].hypotheses, got), rows[_i].n);
	for (unsigned i = 0; i < rows[_i].n; i++)
		ck_assert_uint_eq(got[i], rows[_i].look[i]);
}
END_TEST

/* What is said to do does: the change that so many rounds find once is found in the looks. */
START_TEST(looks_in_general)
{
	const double w = 0.05, threshold = pg_mde(w, 0.05 / 7);
	uint32_t got[PG_LOOKS];

	for (double rounds = 0; rounds <= 140; rounds += 0.7) {
		unsigned n = pg_looks_for(rounds, 7, got);
		double level = pg_looks_level(got, n);

		ck_assert(n >= 1 && n <= 5 && got[0] >= 10);
		/* The interval narrows with the root of the rounds. */
		ck_assert_double_le(pg_mde(w * sqrt(rounds / got[n - 1]), level / 7), threshold * (1 + 1e-9));
		ck_assert_uint_ge(got[n - 1], pg_min_paired(level, 7));
		for (unsigned i = 1; i < n; i++)
			ck_assert_uint_gt(got[i], got[i - 1]);
	}
	ck_assert_uint_eq(pg_looks_for(PG_NAN, 1, got), 0);
	ck_assert_uint_eq(pg_looks_for(HUGE_VAL, 1, got), 0);
}
END_TEST

/* Away from the mean by the root of how much less the session is worth, never towards it. */
START_TEST(stretch)
{
	static const struct {
		uint32_t n, reps;
		bool floors;
		double ratio; /* of variances */
	} rows[] = {
		{20, 20, false, 1},
		{20, 4, false, 5},
		{20, 80, false, 1},
		{20, 1, false, 20},
		{20, 5, false, 5}, /* 5: as 4 */
		{5, 5, false, 1},
		{20, 20, true, 1 + 1 / 5.0}, /* longer tails */
		{80, 20, true, (400 / 21.5) / (25 / 6.5)},
		{20, 80, true, 1 + 1 / 20.0},
		{20, 4, true, (25 / 6.5) / 0.4},
		{20, 7, true, (25 / 6.5) / 0.4},       /* still one of four */
		{18, 8, true, (25 / 6.5) / (4 / 3.5)}, /* 18: rounded up */
		{3, 3, true, 2},
	};
	double x[] = {1, 2, 6};
	const uint32_t n[] = {rows[_i].n, rows[_i].n, rows[_i].n};

	pg_past_stretch(x, n, 3, rows[_i].floors, rows[_i].reps);
	ck_assert_double_eq_tol(x[0], 3 - 2 * sqrt(rows[_i].ratio), 1e-12);
	ck_assert_double_eq_tol(x[2], 3 + 3 * sqrt(rows[_i].ratio), 1e-12);
	/* Each by its own number. */
	x[0] = 1, x[1] = 2, x[2] = 6;
	pg_past_stretch(x, (const uint32_t[]){16, 4, 36}, 3, false, 4);
	ck_assert_double_eq_tol(x[0], -1, 1e-12);
	ck_assert_double_eq_tol(x[1], 2, 1e-12);
	ck_assert_double_eq_tol(x[2], 12, 1e-12);
	pg_past_stretch(x, n, 0, false, 5);
}
END_TEST

PG_TEST_MAIN("stats_selfcheck", ((const struct pg_test[]){
					{floor_of_noise, 0},
					{alarms, 0},
					{looks, 10},
					{looks_in_general, 0},
					{stretch, 13},
					{NULL, 0},
				}))
