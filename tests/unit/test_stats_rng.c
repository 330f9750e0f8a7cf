/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The generator: published answers of splitmix64 and xoshiro256**, unbiased bounds, shuffles, normal numbers. */
#include "tests/support/pgtest.h"

#include <math.h>

#include "stats/stats.h"

START_TEST(splitmix_answers)
{
	static const struct {
		uint64_t seed, s[4];
	} c[] = {
		{0,
		 {UINT64_C(0xe220a8397b1dcdaf), UINT64_C(0x6e789e6aa1b965f4), UINT64_C(0x06c45d188009454f),
		  UINT64_C(0xf88bb8a8724c81ec)}},
		{1234567,
		 {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973), UINT64_C(9817491932198370423),
		  UINT64_C(4593380528125082431)}},
	};
	struct pg_rng r;

	pg_rng_seed(&r, c[_i].seed);
	ck_assert_mem_eq(r.s, c[_i].s, sizeof(r.s));
}
END_TEST

START_TEST(xoshiro_answers)
{
	static const uint64_t want[] = {
		UINT64_C(11520),
		UINT64_C(0),
		UINT64_C(1509978240),
		UINT64_C(1215971899390074240),
		UINT64_C(1216172134540287360),
		UINT64_C(607988272756665600),
		UINT64_C(16172922978634559625),
		UINT64_C(8476171486693032832),
		UINT64_C(10595114339597558777),
		UINT64_C(2904607092377533576),
	};
	struct pg_rng r = {{1, 2, 3, 4}};

	for (size_t i = 0; i < 10; i++)
		ck_assert_uint_eq(pg_rng_next(&r), want[i]);
}
END_TEST

/* Made with arbitrary-precision integers. The second bound rejects nearly every second number. */
START_TEST(below_answers)
{
	static const struct {
		uint64_t seed, bound, want[4];
	} c[] = {
		{42, 100, {8, 37, 68, 92}},
		{5,
		 (UINT64_C(1) << 63) + 1,
		 {UINT64_C(2660124057020295092), UINT64_C(5553229355294069358), UINT64_C(5991011151194742231),
		  UINT64_C(7458586743318756548)}},
		{9, 1, {0, 0, 0, 0}},
	};
	struct pg_rng r;

	pg_rng_seed(&r, c[_i].seed);
	for (size_t i = 0; i < 4; i++)
		ck_assert_uint_eq(pg_rng_below(&r, c[_i].bound), c[_i].want[i]);
}
END_TEST

/*
 * With bound 3 * 2^62 a product without rejection gives residue 0 modulo 3 half of the time instead of a third. 30,000
 * draws, 6 standard deviations.
 */
START_TEST(below_is_unbiased)
{
	static const uint64_t bounds[] = {
		3, 6, 99, UINT64_C(3) << 62, 3 * (UINT64_C(1) << 40), (UINT64_C(1) << 63) + 1};
	const double draws = 30000, share = draws / 3, sd = sqrt(draws * 2 / 9);
	unsigned count[3] = {0};
	struct pg_rng r;

	pg_rng_seed(&r, 77);
	for (int i = 0; i < 30000; i++) {
		uint64_t v = pg_rng_below(&r, bounds[_i]);

		if (v >= bounds[_i])
			ck_abort_msg("%llu", (unsigned long long)v);
		count[v % 3]++;
	}
	for (int i = 0; i < 3; i++)
		ck_assert_msg(fabs(count[i] - share) < 6 * sd, "residue %d: %u of %.0f", i, count[i], share);
}
END_TEST

START_TEST(unit_interval)
{
	double sum = 0, least = 1, most = 0;
	struct pg_rng r;

	pg_rng_seed(&r, 3);
	for (int i = 0; i < 100000; i++) {
		double u = pg_rng_unit(&r);

		if (u < 0 || u >= 1)
			ck_abort_msg("%g", u);
		sum += u;
		least = u < least ? u : least;
		most = u > most ? u : most;
	}
	ck_assert_double_eq_tol(sum / 100000, 0.5, 0.006);
	ck_assert(least < 0.001 && most > 0.999);
	/* The largest number there is stays below 1. */
	r = (struct pg_rng){{0, UINT64_C(0xffffffffffffffff), 0, 0}};
	ck_assert(pg_rng_unit(&r) < 1);
}
END_TEST

START_TEST(normal_moments)
{
	const double draws = 100000;
	double sum = 0, square = 0, cube = 0;
	unsigned tails = 0;
	struct pg_rng r;

	pg_rng_seed(&r, 4);
	for (int i = 0; i < 100000; i++) {
		double z = pg_rng_normal(&r);

		if (!isfinite(z))
			ck_abort_msg("%g", z);
		sum += z;
		square += z * z;
		cube += z * z * z;
		tails += fabs(z) > 1.959964;
	}
	ck_assert_double_eq_tol(sum / draws, 0, 0.016);
	ck_assert_double_eq_tol(square / draws, 1, 0.023);
	ck_assert_double_eq_tol(cube / draws, 0, 0.062);
	ck_assert_double_eq_tol(tails / draws, 0.05, 0.0035);
}
END_TEST

/* A state of zeros is the one from which the generator never gets away; its number must still be a normal one. */
START_TEST(normal_ends)
{
	struct pg_rng r = {{0, 0, 0, 0}};

	ck_assert(isfinite(pg_rng_normal(&r)));
	r.s[1] = UINT64_C(0xffffffffffffffff);
	ck_assert(isfinite(pg_rng_normal(&r)));
}
END_TEST

START_TEST(shuffle_answer)
{
	static const uint32_t want[] = {1, 8, 3, 0, 4, 5, 9, 6, 2, 7};
	uint32_t a[10];
	struct pg_rng r;

	for (uint32_t i = 0; i < 10; i++)
		a[i] = i;
	pg_rng_seed(&r, 7);
	pg_shuffle_u32(&r, a, 10);
	ck_assert_mem_eq(a, want, sizeof(a));
	pg_shuffle_u32(&r, a, 0);
	pg_shuffle_u32(&r, a, 1);
	ck_assert_mem_eq(a, want, sizeof(a));
}
END_TEST

/* All 24 orders of four things equally often: 24,000 shuffles, 6 standard deviations. */
START_TEST(shuffle_is_uniform)
{
	unsigned count[256] = {0}, orders = 0;
	struct pg_rng r;

	pg_rng_seed(&r, 8);
	for (int i = 0; i < 24000; i++) {
		uint32_t a[4] = {0, 1, 2, 3};

		pg_shuffle_u32(&r, a, 4);
		count[a[0] | a[1] << 2 | a[2] << 4 | a[3] << 6]++;
	}
	for (size_t i = 0; i < 256; i++) {
		if (count[i] == 0)
			continue;
		orders++;
		ck_assert_msg(fabs(count[i] - 1000.0) < 6 * sqrt(1000 * 23 / 24.0), "order %zx: %u of 1000", i,
			      count[i]);
	}
	ck_assert_uint_eq(orders, 24);
}
END_TEST

PG_TEST_MAIN("stats_rng", ((const struct pg_test[]){
				  {splitmix_answers, 2},
				  {xoshiro_answers, 0},
				  {below_answers, 3},
				  {below_is_unbiased, 6},
				  {unit_interval, 0},
				  {normal_moments, 0},
				  {normal_ends, 0},
				  {shuffle_answer, 0},
				  {shuffle_is_uniform, 0},
				  {NULL, 0},
			  }))
