/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a cell is finished, and how many loops it takes: every border of both rules. */
#include "tests/support/pgtest.h"

#include <math.h>
#include <string.h>

#include "engine/stop.h"
#include "stats/stats.h"

#define N_MAX 64
#define S     INT64_C(1000000000)

static const struct pg_repeat by_ci = {.min = 8, .max = 50, .ci = 0.02, .time_ns = 60 * S, .conf = 0.95};

static enum pg_stop check(const struct pg_repeat *rule, const double *x, size_t n, size_t n_done, double *ci_pct)
{
	double scratch[2 * N_MAX];

	return pg_stop_check(rule, x, n, n_done, 0, 0, scratch, ci_pct);
}

/* 100 and 100 + spread in turn: no positive autocorrelation. */
static void zigzag(double *x, size_t n, double spread)
{
	for (size_t i = 0; i < n; i++)
		x[i] = 100 + (i % 2 ? spread : 0);
}

START_TEST(fixed)
{
	static const struct {
		uint32_t n;
		size_t n_done;
		enum pg_stop want;
	} c[] = {{10, 0, PG_STOP_NONE},	  {10, 9, PG_STOP_NONE}, {10, 10, PG_STOP_FIXED},
		 {10, 11, PG_STOP_FIXED}, {1, 0, PG_STOP_NONE},	 {1, 1, PG_STOP_FIXED}};
	/* max, time and ci belong to the other form. */
	struct pg_repeat rule = {.fixed = true, .n = c[_i].n, .max = 1, .ci = 1, .time_ns = 1, .conf = 0.95};
	double x[N_MAX] = {0}, scratch[2 * N_MAX];

	ck_assert_int_eq(pg_stop_check(&rule, x, 0, c[_i].n_done, 5 * S, 5 * S, scratch, NULL), c[_i].want);
}
END_TEST

/* A fixed count shows its interval all the same. */
START_TEST(fixed_shows_interval)
{
	struct pg_repeat rule = {.fixed = true, .n = 20, .conf = 0.95};
	double x[N_MAX], ci = -1;

	zigzag(x, 20, 2);
	ck_assert_int_eq(check(&rule, x, 19, 19, &ci), PG_STOP_NONE);
	ck_assert_double_eq_tol(ci, 1, 0.02);
	ck_assert_int_eq(check(&rule, x, 1, 20, &ci), PG_STOP_FIXED);
	ck_assert(isnan(ci));
	ck_assert_int_eq(check(&rule, x, 0, 20, &ci), PG_STOP_FIXED);
	ck_assert(isnan(ci));
}
END_TEST

/* Good and finally failed reps count together, good ones alone have the interval. */
START_TEST(failures_count)
{
	struct pg_repeat rule = by_ci;
	double x[N_MAX];

	zigzag(x, 10, 60);
	rule.max = 10;
	ck_assert_int_eq(check(&rule, x, 6, 9, NULL), PG_STOP_NONE);
	ck_assert_int_eq(check(&rule, x, 6, 10, NULL), PG_STOP_MAX);
	ck_assert_int_eq(check(&rule, x, 0, 10, NULL), PG_STOP_MAX);
	/* Ten done, seven good: below min, so the narrow interval does not end it. */
	zigzag(x, 10, 0.1);
	rule.max = 50;
	ck_assert_int_eq(check(&rule, x, 7, 10, NULL), PG_STOP_NONE);
	ck_assert_int_eq(check(&rule, x, 8, 11, NULL), PG_STOP_CI);
}
END_TEST

START_TEST(least_n)
{
	static const struct {
		uint32_t min;
		double conf;
		uint32_t want;
	} c[] = {{1, 0.95, 6}, {5, 0.95, 6}, {6, 0.95, 6}, {7, 0.95, 7},  {8, 0.95, 8},
		 {1, 0.99, 8}, {5, 0.90, 5}, {2, 0.90, 5}, {30, 0.99, 30}};
	struct pg_repeat rule = {.min = c[_i].min, .max = 1000, .ci = 0.5, .time_ns = 60 * S, .conf = c[_i].conf};
	double x[N_MAX];

	ck_assert_uint_eq(pg_stop_min(&rule), c[_i].want);
	zigzag(x, N_MAX, 0.1);
	ck_assert_int_eq(check(&rule, x, c[_i].want - 1, c[_i].want - 1, NULL), PG_STOP_NONE);
	ck_assert_int_eq(check(&rule, x, c[_i].want, c[_i].want, NULL), PG_STOP_CI);
}
END_TEST

/* The interval of eight is, by interpolation, x(1) and x(2) at both ends: h is known, and `ci` is met when it equals
 * it. */
START_TEST(ci_border)
{
	struct pg_repeat rule = by_ci;
	double x[N_MAX], ci;

	zigzag(x, 8, 2);
	ck_assert_int_eq(check(&rule, x, 8, 8, &ci), PG_STOP_CI);
	ck_assert_double_eq_tol(ci, 100 * (102 - 100) / (2 * 101.0), 1e-12);
	rule.ci = ci / 100;
	ck_assert_int_eq(check(&rule, x, 8, 8, NULL), PG_STOP_CI);
	rule.ci = ci / 100 * (1 - 1e-12);
	ck_assert_int_eq(check(&rule, x, 8, 8, NULL), PG_STOP_NONE);
}
END_TEST

/* The exact interval is the wider one. */
START_TEST(exact_interval)
{
	static const double x[] = {100, 101, 102, 103, 104, 105, 106, 107};
	struct pg_repeat rule = by_ci;
	double inter, exact;

	check(&rule, x, 8, 8, &inter);
	rule.exact = true;
	check(&rule, x, 8, 8, &exact);
	ck_assert(exact > inter);
}
END_TEST

/* Neighbours alike: from eight samples on the interval is stretched, in time order and not in sorted order. */
START_TEST(autocorrelation)
{
	double drift[N_MAX], mixed[N_MAX], wide, narrow;
	struct pg_repeat rule = by_ci;

	for (size_t i = 0; i < 16; i++) {
		drift[i] = 100 + 0.3 * (double)i;
		mixed[i] = 100 + 0.3 * (double)(i * 7 % 16);
	}
	rule.ci = 0.015;
	ck_assert_int_eq(check(&rule, drift, 16, 16, &wide), PG_STOP_NONE);
	ck_assert_int_eq(check(&rule, mixed, 16, 16, &narrow), PG_STOP_CI);
	ck_assert_double_eq_tol(wide / narrow, pg_autocorr_factor(drift, 16, NULL), 1e-9);
	check(&rule, drift, 7, 7, &wide);
	ck_assert_double_eq_tol(wide, 100 * 0.3 * (6 - 2 * 0.13) / 2 / 100.9, 0.2);
}
END_TEST

START_TEST(constant_stops_at_min)
{
	static const double values[] = {100, 0, -3, 0.1};
	double x[N_MAX], ci = -1;

	for (size_t i = 0; i < N_MAX; i++)
		x[i] = values[_i];
	ck_assert_int_eq(check(&by_ci, x, 7, 7, &ci), PG_STOP_NONE);
	ck_assert_double_eq(ci, 0);
	ck_assert_int_eq(check(&by_ci, x, 8, 8, &ci), PG_STOP_CI);
	ck_assert_double_eq(ci, 0);
}
END_TEST

/* A median of 0 has no relative interval: only max or time end such a cell. */
START_TEST(zero_median)
{
	double x[N_MAX], ci = -1;

	for (size_t i = 0; i < 51; i++)
		x[i] = (i % 2 ? 1 : -1) * (double)((i + 1) / 2);
	ck_assert_int_eq(check(&by_ci, x, 49, 49, &ci), PG_STOP_NONE);
	ck_assert(isnan(ci));
	ck_assert_int_eq(check(&by_ci, x, 50, 50, NULL), PG_STOP_MAX);
}
END_TEST

/* max binds before min and when it is the same; a cell whose interval is reached in its last rep ended by ci. */
START_TEST(max_binds)
{
	struct pg_repeat rule = by_ci;
	double x[N_MAX];

	zigzag(x, N_MAX, 60);
	rule.max = 3;
	ck_assert_int_eq(check(&rule, x, 2, 2, NULL), PG_STOP_NONE);
	ck_assert_int_eq(check(&rule, x, 3, 3, NULL), PG_STOP_MAX);
	rule.max = 50;
	ck_assert_int_eq(check(&rule, x, 49, 49, NULL), PG_STOP_NONE);
	ck_assert_int_eq(check(&rule, x, 50, 50, NULL), PG_STOP_MAX);
	zigzag(x, N_MAX, 0.1);
	ck_assert_int_eq(check(&rule, x, 50, 50, NULL), PG_STOP_CI);
}
END_TEST

/* time: what was used plus the next rep must fit; it binds before min, but never before the first rep. */
START_TEST(time_binds)
{
	static const struct {
		size_t n_done;
		int64_t used, next;
		enum pg_stop want;
	} c[] = {
		{1, 59 * S, S, PG_STOP_NONE},
		{1, 59 * S, S + 1, PG_STOP_TIME},
		{1, 60 * S, 0, PG_STOP_NONE},
		{1, 60 * S + 1, 0, PG_STOP_TIME},
		{0, 90 * S, 9 * S, PG_STOP_NONE},
		{20, 61 * S, S, PG_STOP_TIME},
		{20, INT64_MAX, INT64_MAX, PG_STOP_TIME},
		{20, 0, INT64_MAX, PG_STOP_TIME},
	};
	double x[N_MAX], scratch[2 * N_MAX];

	zigzag(x, N_MAX, 60);
	ck_assert_int_eq(pg_stop_check(&by_ci, x, c[_i].n_done, c[_i].n_done, c[_i].used, c[_i].next, scratch, NULL),
			 c[_i].want);
}
END_TEST

/* Runs calibration against a bench whose n loops take start + n * each ns; returns the steps. */
static unsigned calibrate(struct pg_calibration *c, int64_t target, double start, double each)
{
	pg_calibration_start(c, target);
	ck_assert_uint_eq(c->ops, 1);
	ck_assert(!c->done);
	while (!c->done) {
		uint64_t ran = c->ops;

		pg_calibration_step(c, (int64_t)(start + each * (double)ran));
		ck_assert_uint_le(c->steps, 12);
		if (c->done)
			ck_assert_uint_eq(c->ops, ran);
		else
			ck_assert_uint_gt(c->ops, ran);
	}
	return c->steps;
}

START_TEST(calibration_ends)
{
	static const struct {
		double start, each; /* ns */
		uint64_t least, most;
		unsigned steps;
	} c[] = {
		{0, 1, 40000000, 60000000, 9}, /* 1 ... 10^7, then scaled */
		{0, 50e6, 1, 1, 1},	       /* one loop is the target */
		{0, 40e6, 1, 1, 1},	       /* 0.8 of it is enough */
		{0, 39999999, 2, 2, 2},	       /* just below */
		{0, 5e6, 11, 11, 2},	       /* exactly a tenth is scaled, not multiplied */
		{0, 4999999, 10, 10, 2},       /* just below a tenth */
		{0, 1e12, 1, 1, 1},	       /* far too long, but it cannot be less */
		{39e6, 1000, 96, 96, 12},      /* mostly fixed cost: grows by 1.41 until the steps are used up */
		{0, 0, UINT64_C(100000000000), UINT64_C(100000000000), 12}, /* takes no time at all */
		{0, 0.00001, UINT64_C(100000000000), UINT64_C(100000000000), 12},
	};
	struct pg_calibration cal;
	unsigned steps = calibrate(&cal, 50 * S / 1000, c[_i].start, c[_i].each);

	ck_assert_msg(cal.ops >= c[_i].least && cal.ops <= c[_i].most, "%llu loops", (unsigned long long)cal.ops);
	ck_assert_uint_le(steps, c[_i].steps);
}
END_TEST

/* Scaling is by 1.1 and rounds up; whole results are not rounded further. */
START_TEST(calibration_scales)
{
	static const struct {
		uint64_t ops;
		int64_t target, elapsed;
		uint64_t want;
	} c[] = {
		{10, 1000, 200, 55},
		{10, 1000, 500, 22},
		{10, 1000, 300, 37},
		{1, 1000, 799, 2},
		{1, 1000, 99, 10},
		{1, 1000, 100, 11},
		{100, 1000, -5, 1000},
		{7, 1000, 0, 70},
		{UINT64_C(1) << 39, 1000, 1, UINT64_C(1) << 40},
		{UINT64_C(1) << 39, 1000, 500, UINT64_C(1) << 40},
	};
	struct pg_calibration cal;

	pg_calibration_start(&cal, c[_i].target);
	cal.ops = c[_i].ops;
	pg_calibration_step(&cal, c[_i].elapsed);
	ck_assert(!cal.done);
	ck_assert_uint_eq(cal.ops, c[_i].want);
}
END_TEST

START_TEST(calibration_limit)
{
	struct pg_calibration cal;

	pg_calibration_start(&cal, 1000);
	cal.ops = UINT64_C(1) << 40;
	pg_calibration_step(&cal, 10);
	ck_assert(cal.done);
	ck_assert_uint_eq(cal.ops, UINT64_C(1) << 40);
}
END_TEST

PG_TEST_MAIN("engine_stop", ((const struct pg_test[]){
				    {fixed, 6},
				    {fixed_shows_interval, 0},
				    {failures_count, 0},
				    {least_n, 9},
				    {ci_border, 0},
				    {exact_interval, 0},
				    {autocorrelation, 0},
				    {constant_stops_at_min, 4},
				    {zero_median, 0},
				    {max_binds, 0},
				    {time_binds, 8},
				    {calibration_ends, 10},
				    {calibration_scales, 10},
				    {calibration_limit, 0},
				    {NULL, 0},
			    }))
