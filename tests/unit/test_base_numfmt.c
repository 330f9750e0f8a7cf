/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers to text, cross-checked with printf. */
#include "tests/support/pgtest.h"

#include <float.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

START_TEST(integers)
{
	static const int64_t t[] = {0, 1, -1, 9, 10, -10, 99, 100, 12345, INT64_MAX, INT64_MIN, INT64_MIN + 1};
	char buf[PG_NUM_BUF], want[PG_NUM_BUF];

	for (size_t i = 0; i < COUNT_OF(t); i++) {
		snprintf(want, sizeof(want), "%" PRId64, t[i]);
		ck_assert_uint_eq(pg_fmt_i64(buf, t[i]), strlen(want));
		ck_assert_str_eq(buf, want);
		snprintf(want, sizeof(want), "%" PRIu64, (uint64_t)t[i]);
		ck_assert_uint_eq(pg_fmt_u64(buf, (uint64_t)t[i]), strlen(want));
		ck_assert_str_eq(buf, want);
	}
}
END_TEST

START_TEST(decimals)
{
	static const struct {
		int64_t m;
		int e;
		const char *s;
	} t[] = {
		{0, 0, "0"},
		{0, -9, "0"},
		{0, 127, "0"},
		{5, 0, "5"},
		{-5, -1, "-0.5"},
		{1500, -3, "1.5"},
		{1000, -3, "1"},
		{1, -9, "0.000000001"},
		{50000000, -9, "0.05"},
		{12, 3, "12000"},
		{123456789012345, -9, "123456.789012345"},
		{1234567890123456, -9, "1234567.89012346"},
		{1234567890123445, 0, "1234567890123440"}, /* half to even */
		{1234567890123455, 0, "1234567890123460"},
		{12345678901234451, 0, "12345678901234500"},
		{12345678901234450, -1, "1234567890123440"},
		{9999999999999995, 0, "10000000000000000"},
		{9999999999999994, -15, "9.99999999999999"},
		{INT64_MAX, 0, "9223372036854780000"},
		{INT64_MIN, 0, "-9223372036854780000"},
		{INT64_MIN, -18, "-9.22337203685478"},
		{1, -100, "1e-100"},
		{15, 99, "1.5e+100"},
		{-123, -128, "-1.23e-126"},
	};
	char buf[PG_NUM_BUF];

	for (size_t i = 0; i < COUNT_OF(t); i++) {
		ck_assert_uint_eq(pg_fmt_dec(buf, t[i].m, t[i].e), strlen(t[i].s));
		ck_assert_str_eq(buf, t[i].s);
	}
}
END_TEST

/* Every exponent of a sample, the longest mantissas: the buffer holds, and the C library reads the same number. */
START_TEST(decimals_fit)
{
	static const int64_t m[] = {1, -7, 123456789012345, -999999999999999, 999999999999999999, INT64_MAX, INT64_MIN};

	for (int e = INT8_MIN; e <= INT8_MAX; e++) {
		for (size_t i = 0; i < COUNT_OF(m); i++) {
			char buf[PG_NUM_BUF + 16];
			double want = pg_dec_to_double((struct pg_dec){m[i], e});

			memset(buf, 'x', sizeof(buf));
			ck_assert_uint_lt(pg_fmt_dec(buf, m[i], e), PG_NUM_BUF);
			ck_assert_int_eq(buf[PG_NUM_BUF], 'x');
			ck_assert(fabs(strtod(buf, NULL) - want) <= fabs(want) * 1e-14);
		}
	}
}
END_TEST

static unsigned wrong;

static void cross_check(double v)
{
	char buf[PG_NUM_BUF], want[PG_NUM_BUF];
	size_t n;

	snprintf(want, sizeof(want), "%.15g", v);
	n = pg_fmt_double(buf, v);
	if (n == strlen(want) && memcmp(buf, want, n + 1) == 0)
		return;
	if (wrong++ < 5)
		fprintf(stderr, "%.17g: %s, not %s\n", v, buf, want);
}

START_TEST(doubles_special)
{
	static const double t[] = {0.1,
				   1.0 / 3,
				   -2.5,
				   1e15,
				   1e15 - 1,
				   1e15 + 1,
				   123456789012345678.0,
				   1e14,
				   99999999999999.95,
				   999999999999999.5,
				   9999999999999995.0,
				   1e-4,
				   1e-5,
				   0.00012345,
				   9.9999999999999995e-5,
				   1e22,
				   1e23,
				   DBL_MAX,
				   DBL_MIN,
				   DBL_TRUE_MIN,
				   0.5,
				   1e100,
				   0.3,
				   2.0 / 3,
				   1e-8,
				   1.5e-9,
				   4503599627370496.5,
				   0.000099999999999999999};
	char buf[PG_NUM_BUF];

	for (size_t i = 0; i < COUNT_OF(t); i++) {
		cross_check(t[i]);
		cross_check(-t[i]);
	}
	ck_assert_uint_eq(wrong, 0);
	ck_assert_uint_eq(pg_fmt_double(buf, (double)NAN), 0);
	ck_assert_str_eq(buf, "");
	ck_assert_uint_eq(pg_fmt_double(buf, (double)INFINITY), 0);
	ck_assert_uint_eq(pg_fmt_double(buf, -(double)INFINITY), 0);
	ck_assert_uint_eq(pg_fmt_double(buf, -0.0), 1);
	ck_assert_str_eq(buf, "0");
}
END_TEST

static double from_bits(uint64_t x)
{
	double v;

	memcpy(&v, &x, sizeof(v));
	return v;
}

enum kind { BITS, DECIMALS, QUOTIENTS, TIES, POWERS, NANOSECONDS, KINDS };

static double random_of(enum kind kind, uint64_t x)
{
	double a = (double)(x >> 33), b = (double)(x & 0xffff) + 1;
	int k = (int)(x % 40) - 20;

	switch (kind) {
	case BITS:
		return from_bits(x);
	case DECIMALS: /* short decimals */
		return (double)(x >> 14 & 0xfffff) / pow(10, (double)(x % 12));
	case QUOTIENTS:
		return a / b;
	case TIES: /* 15 digits and a half, or as near as a double comes */
		return (1e14 + (double)(x % 900000000000000)) * 1.0 + 0.5;
	case POWERS: /* around powers of ten */
		return nextafter(pow(10, k), x & 1 ? 0 : (double)INFINITY) * (1 + (double)(x >> 60) * DBL_EPSILON);
	case NANOSECONDS:
		return (double)(x >> 24) / 1e9;
	case KINDS:
		break;
	}
	return 0;
}

START_TEST(doubles_random)
{
	for (uint64_t i = 0; i < 300000; i++) {
		double v = random_of((enum kind)_i, pg_mix64(i + 1));

		if (isfinite(v))
			cross_check(v);
	}
	ck_assert_uint_eq(wrong, 0);
}
END_TEST

/* The point is a point whatever the locale says (where the machine has one that says otherwise). */
START_TEST(no_locale)
{
	static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "ru_RU.UTF-8", ""};
	static const double t[] = {0.5, 1.5e-9, 1.0 / 3 * 1e-7, 1.25e20, DBL_MAX};
	static const char *const want[] = {"0.5", "1.5e-09", "3.33333333333333e-08", "1.25e+20",
					   "1.79769313486232e+308"};
	char buf[PG_NUM_BUF];

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		if (!setlocale(LC_ALL, names[i]))
			continue;
		for (size_t k = 0; k < COUNT_OF(t); k++) {
			struct pg_dec d;

			pg_fmt_double(buf, t[k]);
			ck_assert_str_eq(buf, want[k]);
			ck_assert_int_eq(pg_dec_parse_lax(buf, strlen(buf), &d), PG_NUM_OK);
		}
		pg_fmt_dec(buf, 15, -1);
		ck_assert_str_eq(buf, "1.5");
	}
}
END_TEST

PG_TEST_MAIN("base_numfmt", ((const struct pg_test[]){
				    {integers, 0},
				    {decimals, 0},
				    {decimals_fit, 0},
				    {doubles_special, 0},
				    {doubles_random, KINDS},
				    {no_locale, 0},
				    {NULL, 0},
			    }))
