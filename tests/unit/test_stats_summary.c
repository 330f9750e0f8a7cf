/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pg_summarise(): every field against the function it comes from, and what small n leave empty. */
#include "tests/support/pgtest.h"

#include <math.h>
#include <string.h>

#include "stats/stats.h"

#define N_MAX 64

struct sample {
	double x[N_MAX], copy[N_MAX], sorted[N_MAX], scratch[2 * N_MAX + 2];
};

/* Fills n numbers around 100, runs pg_summarise() between guard values and makes sure that x stays as it was. */
static struct pg_summary summarise(struct sample *s, size_t n, bool higher, bool exact)
{
	struct pg_summary out;

	memset(&out, 0x5a, sizeof(out));
	memcpy(s->copy, s->x, n * sizeof(double));
	memcpy(s->sorted, s->x, n * sizeof(double));
	pg_sort(s->sorted, n);
	s->scratch[0] = s->scratch[2 * n + 1] = -12345;
	pg_summarise(s->x, n, higher, 0.95, exact, s->scratch + 1, &out);
	ck_assert_mem_eq(s->x, s->copy, n * sizeof(double));
	ck_assert(s->scratch[0] == -12345 && s->scratch[2 * n + 1] == -12345);
	ck_assert_uint_eq(out.n, n);
	return out;
}

static void random_sample(struct sample *s, size_t n, uint64_t seed)
{
	struct pg_rng r;

	pg_rng_seed(&r, seed);
	for (size_t i = 0; i < n; i++)
		s->x[i] = 100 * exp(0.1 * pg_rng_normal(&r));
}

static void same(double got, double want)
{
	ck_assert_msg(got == want || (isnan(got) && isnan(want)), "%.17g, not %.17g", got, want);
}

START_TEST(nothing_at_all)
{
	struct sample s;
	struct pg_summary o = summarise(&s, 0, false, false);
	const double fields[] = {o.median, o.ci_lo, o.ci_hi,  o.ci_level, o.ci_pct, o.best, o.min, o.max,
				 o.mean,   o.sd,    o.sd_pct, o.mad,	  o.q25,    o.q75,  o.r1,  o.n_eff};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		ck_assert(isnan(fields[i]));
	ck_assert(o.out_mild == 0 && o.out_severe == 0 && !o.range);
}
END_TEST

START_TEST(one_sample)
{
	struct sample s = {.x = {0.1}};
	struct pg_summary o = summarise(&s, 1, _i, false);
	const double values[] = {o.median, o.best, o.min, o.max, o.mean, o.q25, o.q75};
	const double empty[] = {o.ci_lo, o.ci_hi, o.ci_level, o.ci_pct, o.sd, o.sd_pct, o.r1, o.n_eff};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		same(values[i], 0.1);
	for (size_t i = 0; i < sizeof(empty) / sizeof(empty[0]); i++)
		ck_assert(isnan(empty[i]));
	same(o.mad, 0);
	ck_assert(o.out_mild == 0 && o.out_severe == 0 && !o.range);
}
END_TEST

/* Each field for each n from 2 on, lower and higher, both intervals. */
START_TEST(all_fields)
{
	size_t n = (size_t)_i + 2;

	for (unsigned way = 0; way < 4; way++) {
		bool higher = way & 1, exact = way & 2;
		double scratch[N_MAX], f, n_eff;
		struct pg_interval ci;
		struct pg_summary o;
		struct pg_tukey t;
		struct sample s;

		random_sample(&s, n, 100 + n);
		o = summarise(&s, n, higher, exact);
		t = pg_tukey(s.sorted, n);
		f = pg_autocorr_factor(s.x, n, &n_eff);
		same(o.median, pg_median(s.sorted, n));
		same(o.best, pg_best(s.sorted, n, higher));
		same(o.min, s.sorted[0]);
		same(o.max, s.sorted[n - 1]);
		ck_assert_double_eq_tol(o.mean, pg_mean(s.x, n), 1e-12);
		ck_assert_double_eq_tol(o.sd, pg_sd(s.x, n), 1e-12);
		same(o.sd_pct, 100 * o.sd / o.mean);
		same(o.mad, pg_mad(s.sorted, n, scratch));
		same(o.q25, pg_quantile(s.sorted, n, 0.25));
		same(o.q75, pg_quantile(s.sorted, n, 0.75));
		ck_assert_uint_eq(o.out_mild, t.mild_low + t.mild_high);
		ck_assert_uint_eq(o.out_severe, t.severe_low + t.severe_high);
		same(o.r1, n < 3 ? PG_NAN : pg_lag1(s.x, n));
		same(o.n_eff, n < 3 ? PG_NAN : n_eff);
		ci = pg_stretch(pg_median_interval(s.sorted, n, 0.95, exact), o.median, n < 8 ? 1 : f);
		same(o.ci_lo, ci.lo);
		same(o.ci_hi, ci.hi);
		same(o.ci_level, ci.level);
		ck_assert_double_eq_tol(o.ci_pct, 100 * (ci.hi - ci.lo) / 2 / o.median, 1e-12);
		ck_assert_int_eq(o.range, n < 6);
	}
}
END_TEST

/* A drift makes neighbours alike: the shown interval is wider than that of the same numbers in another order. */
START_TEST(drift_stretches)
{
	struct pg_summary drift, mixed;
	struct sample s;

	for (size_t i = 0; i < 20; i++)
		s.x[i] = 100 + (double)i;
	drift = summarise(&s, 20, false, false);
	for (size_t i = 0; i < 20; i++)
		s.x[i] = 100 + (double)(i * 7 % 20);
	mixed = summarise(&s, 20, false, false);
	ck_assert(drift.r1 > 0.8 && mixed.r1 < 0);
	same(drift.median, mixed.median);
	ck_assert_double_eq_tol(drift.ci_hi - drift.ci_lo,
				(mixed.ci_hi - mixed.ci_lo) * sqrt((1 + drift.r1) / (1 - drift.r1)), 1e-9);
	ck_assert_double_eq(mixed.n_eff, 20);
	ck_assert(drift.n_eff < 3);
}
END_TEST

START_TEST(constant)
{
	struct pg_summary o;
	struct sample s;

	for (size_t i = 0; i < 12; i++)
		s.x[i] = 0.1;
	o = summarise(&s, 12, false, false);
	same(o.ci_lo, 0.1);
	same(o.ci_hi, 0.1);
	same(o.ci_pct, 0);
	same(o.sd, 0);
	same(o.sd_pct, 0);
	same(o.mad, 0);
	same(o.r1, 0);
	same(o.n_eff, 12);
}
END_TEST

/* Percentages of nothing are empty, not infinite. */
START_TEST(around_zero)
{
	struct sample s = {.x = {-3, -2, -1, 0, 1, 2, 3}};
	struct pg_summary o = summarise(&s, 7, false, false);

	same(o.median, 0);
	ck_assert(isnan(o.ci_pct) && isnan(o.sd_pct));
	ck_assert(o.ci_lo < 0 && o.ci_hi > 0 && o.sd > 2);
	for (size_t i = 0; i < 7; i++)
		s.x[i] -= 10;
	o = summarise(&s, 7, false, false);
	ck_assert(o.ci_pct > 0 && o.sd_pct > 0);
}
END_TEST

PG_TEST_MAIN("stats_summary", ((const struct pg_test[]){
				      {nothing_at_all, 0},
				      {one_sample, 2},
				      {all_fields, N_MAX - 2},
				      {drift_stretches, 0},
				      {constant, 0},
				      {around_zero, 0},
				      {NULL, 0},
			      }))
