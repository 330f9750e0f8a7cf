/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is seen in a sample, each test with a sample that has it, one that just has it not, and how often chance alone
 * looks like it.
 */
#include "tests/support/pgtest.h"

#include <math.h>
#include <string.h>

#include "stats/diagnose.h"

#define N_MAX 2000

struct sample {
	double x[N_MAX], scratch[2 * N_MAX], deep[8 * N_MAX];
};

static struct pg_diagnosis look(struct sample *s, size_t n, bool higher, double ci)
{
	size_t room = pg_diagnose_scratch(n);
	struct pg_summary sum;
	struct pg_diagnosis d;

	ck_assert_uint_lt(room, 8 * N_MAX);
	s->deep[room] = -12345;
	pg_summarise(s->x, n, higher, 0.95, false, s->scratch, &sum);
	memset(&d, 0x5a, sizeof(d));
	pg_diagnose(s->x, s->scratch, &sum, higher, ci, s->deep, &d);
	ck_assert(s->deep[room] == -12345);
	return d;
}

/* Around 100, independent. */
static void noise(struct sample *s, size_t n, double cv, uint64_t seed)
{
	struct pg_rng r;

	pg_rng_seed(&r, seed);
	for (size_t i = 0; i < n; i++)
		s->x[i] = 100 * (1 + cv * pg_rng_normal(&r));
}

/* Room for the deepest cell of a plan serves every other. */
START_TEST(room_never_falls)
{
	for (size_t n = 0; n < 3 * PG_SLOPES_MAX; n++)
		ck_assert_uint_le(pg_diagnose_scratch(n), pg_diagnose_scratch(n + 1));
}
END_TEST

START_TEST(few)
{
	struct sample s;
	struct pg_diagnosis d;

	for (size_t n = 0; n < PG_DIAGNOSE_MIN; n++) {
		noise(&s, n, 0.01, 7 + n);
		if (n)
			s.x[0] = 1000;
		for (size_t i = 1; i < n; i++)
			s.x[i] += 20 * (double)i;
		d = look(&s, n, false, 0);
		ck_assert(!d.drift && !d.acf && !d.bimodal && !d.spiky && !d.cold_start && !d.quantised);
		ck_assert(isnan(d.drift_pct) && isnan(d.drift_p));
		ck_assert_int_eq(d.noisy, n >= 6);
	}
}
END_TEST

START_TEST(drift)
{
	struct sample s;
	struct pg_diagnosis d;

	noise(&s, 20, 0.001, 1);
	for (size_t i = 0; i < 20; i++)
		s.x[i] += 0.25 * (double)i;
	d = look(&s, 20, false, 0);
	ck_assert(d.drift && d.drift_p < 1e-6);
	ck_assert_double_eq_tol(d.drift_pct, 100 * 0.25 * 19 / 102.375, 0.3);
	/* Downwards. */
	for (size_t i = 0; i < 20; i++)
		s.x[i] = 210 - s.x[i];
	d = look(&s, 20, false, 0);
	ck_assert(d.drift && d.drift_pct < -4);
	/* Sure, but too small to matter. */
	noise(&s, 20, 0.0001, 1);
	for (size_t i = 0; i < 20; i++)
		s.x[i] += 0.05 * (double)i;
	d = look(&s, 20, false, 0);
	ck_assert(!d.drift && d.drift_p < 1e-6);
	ck_assert_double_eq_tol(d.drift_pct, 0.95, 0.1);
	/* Large, but no trend: the same values in another order. */
	for (size_t i = 0; i < 20; i++)
		s.x[i] = 100 + (double)(i * 7 % 20);
	d = look(&s, 20, false, 0);
	ck_assert(!d.drift && d.drift_p > 0.01);
}
END_TEST

/* A straight line has its slope whatever pairs are looked at. */
START_TEST(slope)
{
	static const size_t sizes[] = {2, 3, 10, PG_SLOPES_MAX, PG_SLOPES_MAX + 1, 501, N_MAX};
	size_t n = sizes[_i];
	static struct sample s;

	for (size_t i = 0; i < n; i++)
		s.x[i] = 5 + 0.5 * (double)i;
	ck_assert_double_eq_tol(pg_slope(s.x, n, s.deep), 0.5, 1e-12);
	s.x[n / 3] = n > 3 ? 1e6 : s.x[n / 3]; /* one wild value moves it little */
	if (n > 3)
		ck_assert_double_eq_tol(pg_slope(s.x, n, s.deep), 0.5, 0.1);
}
END_TEST

/* Without sorting, as with it: ties, rising, falling, one value. */
START_TEST(median)
{
	static double x[N_MAX], sorted[N_MAX];
	struct pg_rng r;

	pg_rng_seed(&r, 21);
	for (size_t n = 1; n < 400; n++) {
		for (size_t i = 0; i < n; i++)
			x[i] = n % 5 == 0   ? (double)pg_rng_below(&r, 3)
			       : n % 5 == 1 ? (double)i
			       : n % 5 == 2 ? -(double)(i * i)
			       : n % 5 == 3 ? (double)(i < n / 2 ? i : n - i)
					    : pg_rng_normal(&r);
		memcpy(sorted, x, n * sizeof(*x));
		pg_sort(sorted, n);
		ck_assert(pg_median_of(x, n) == pg_median(sorted, n));
	}
}
END_TEST

START_TEST(acf)
{
	struct sample s;
	struct pg_rng r;
	double before = 0;

	pg_rng_seed(&r, 3);
	for (size_t i = 0; i < 40; i++) {
		before = 0.8 * before + pg_rng_normal(&r);
		s.x[i] = 100 + before;
	}
	ck_assert(look(&s, 40, false, 0).acf);
	for (size_t i = 0; i < 40; i++)
		s.x[i] = 100 + (i % 2 ? 1 : -1) + 0.01 * (double)(i * 7 % 40);
	ck_assert(!look(&s, 40, false, 0).acf); /* neighbours unlike each other cost nothing */
}
END_TEST

START_TEST(bimodal)
{
	struct sample s;
	struct pg_diagnosis d;

	noise(&s, 20, 0.02, 5);
	for (size_t i = 0; i < 20; i += 3)
		s.x[i] *= 20;
	d = look(&s, 20, false, 0);
	ck_assert(d.bimodal);
	ck_assert_uint_eq(d.mode[0].n, 13);
	ck_assert_uint_eq(d.mode[1].n, 7);
	ck_assert_double_eq_tol(d.mode[0].median, 100, 3);
	ck_assert_double_eq_tol(d.mode[1].median, 2000, 60);
	/* Two of twenty are no mode. */
	noise(&s, 20, 0.02, 5);
	s.x[4] *= 20;
	s.x[9] *= 20;
	ck_assert(!look(&s, 20, false, 0).bimodal);
	/* No logarithm, no groups. */
	for (size_t i = 0; i < 20; i++)
		s.x[i] = i % 2 ? 0 : 100;
	ck_assert(!look(&s, 20, false, 0).bimodal);
}
END_TEST

START_TEST(spiky)
{
	struct sample s;

	noise(&s, 20, 0.01, 9);
	s.x[3] = s.x[8] = 200;
	ck_assert(!look(&s, 20, false, 0).spiky);
	s.x[13] = 300;
	ck_assert(look(&s, 20, false, 0).spiky);
}
END_TEST

START_TEST(cold_start)
{
	struct sample s;

	noise(&s, 12, 0.01, 11);
	ck_assert(!look(&s, 12, false, 0).cold_start);
	s.x[0] = 120;
	ck_assert(look(&s, 12, false, 0).cold_start);
	ck_assert(!look(&s, 12, true, 0).cold_start); /* a rate that begins high is not cold */
	s.x[0] = 80;
	ck_assert(!look(&s, 12, false, 0).cold_start);
	ck_assert(look(&s, 12, true, 0).cold_start);
	s.x[0] = 100;
	s.x[1] = 120;
	ck_assert(!look(&s, 12, false, 0).cold_start);
}
END_TEST

START_TEST(quantised)
{
	static const double ms[] = {0.100, 0.103, 0.101, 0.104, 0.106, 0.102, 0.107, 0.109, 0.105, 0.111};
	struct sample s;

	/* All different, yet whole milliseconds: one percent each. */
	memcpy(s.x, ms, sizeof(ms));
	ck_assert(look(&s, 10, false, 0).quantised);
	ck_assert(!look(&s, 10, false, 0.05).quantised); /* fine enough for an interval of 5 % */
	for (size_t i = 0; i < 10; i++)
		s.x[i] *= 1e9;
	ck_assert(look(&s, 10, false, 0).quantised);
	/* So few values that most are alike. */
	for (size_t i = 0; i < 12; i++)
		s.x[i] = 1e6 + (double)(i % 4);
	ck_assert(look(&s, 12, false, 0).quantised);
	for (size_t i = 0; i < 12; i++)
		s.x[i] = 1e6 + (double)(i * 5 % 6);
	ck_assert(!look(&s, 12, false, 0).quantised);
	/* Constant: at any number of samples. */
	for (size_t i = 0; i < 2; i++)
		s.x[i] = 5;
	ck_assert(look(&s, 2, false, 0).quantised);
	ck_assert(!look(&s, 1, false, 0).quantised);
	/* Wide apart by chance. */
	for (uint64_t seed = 0; seed < 200; seed++) {
		noise(&s, 10, 0.5, seed);
		ck_assert(!look(&s, 10, false, 0).quantised);
	}
}
END_TEST

START_TEST(noisy)
{
	struct sample s;

	for (size_t i = 0; i < 8; i++)
		s.x[i] = 100 + 10 * (double)(i * 3 % 8);
	ck_assert(look(&s, 8, false, 0).noisy);
	for (size_t i = 0; i < 8; i++)
		s.x[i] = 100 + 2 * (double)(i * 3 % 8);
	ck_assert(!look(&s, 8, false, 0).noisy);
	for (size_t i = 0; i < 5; i++)
		s.x[i] = 100 * (double)(i + 1);
	ck_assert(!look(&s, 5, false, 0).noisy); /* no interval, only a range */
}
END_TEST

/* What independent samples look like by chance: fixed seeds, limits with room for their binomial spread. */
START_TEST(chance)
{
	enum { RUNS = 1000 };
	static const size_t sizes[] = {10, 20, 40};
	unsigned trends = 0, alike = 0, modes = 0, cold = 0;
	size_t n = sizes[_i];
	struct sample s;

	for (uint64_t seed = 0; seed < RUNS; seed++) {
		struct pg_diagnosis d;

		noise(&s, n, 0.05, 1000 * n + seed);
		d = look(&s, n, false, 0);
		trends += d.drift;
		alike += d.acf;
		modes += d.bimodal;
		cold += d.cold_start;
	}
	ck_assert_uint_le(trends, RUNS * 0.02);
	ck_assert_uint_le(alike, RUNS * 0.04);
	ck_assert_uint_le(modes, RUNS * 0.05);
	ck_assert_uint_le(cold, RUNS * 0.04);
}
END_TEST

/* Nothing depends on the unit. */
START_TEST(units)
{
	struct sample s, t;

	for (uint64_t seed = 0; seed < 100; seed++) {
		size_t n = 10 + seed % 30;
		struct pg_diagnosis a, b;

		noise(&s, n, 0.2, seed);
		for (size_t i = 0; i < n; i++)
			s.x[i] = fabs(s.x[i]) * (seed % 3 == 0 && i % 2 ? 8 : 1) + (seed % 5 == 0 ? 4 * (double)i : 0);
		for (size_t i = 0; i < n; i++)
			t.x[i] = s.x[i] * 1e-9;
		a = look(&s, n, false, 0);
		b = look(&t, n, false, 0);
		ck_assert(a.drift == b.drift && a.acf == b.acf && a.bimodal == b.bimodal && a.spiky == b.spiky &&
			  a.cold_start == b.cold_start && a.quantised == b.quantised && a.noisy == b.noisy);
		ck_assert_double_eq_tol(a.drift_pct, b.drift_pct, 1e-9);
	}
}
END_TEST

PG_TEST_MAIN("stats_diagnose", ((const struct pg_test[]){
				       {room_never_falls, 0},
				       {few, 0},
				       {drift, 0},
				       {slope, 7},
				       {median, 0},
				       {acf, 0},
				       {bimodal, 0},
				       {spiky, 0},
				       {cold_start, 0},
				       {quantised, 0},
				       {noisy, 0},
				       {chance, 3},
				       {units, 0},
				       {NULL, 0},
			       }))
