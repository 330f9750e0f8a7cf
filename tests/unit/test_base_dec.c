/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exact decimals: both parsers, canonical form, arithmetic against 64-bit arithmetic on scaled numbers. */
#include "tests/support/pgtest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

struct parsed {
	const char *s;
	enum pg_num_error e;
	int64_t m;
	int exp;
};

static void check_parse(const struct parsed *t, enum pg_num_error e, struct pg_dec d)
{
	if (e != t->e || (!e && (d.m != t->m || d.e != t->exp)))
		ck_abort_msg("'%s': error %d, %lld e %d", t->s, (int)e, (long long)d.m, d.e);
}

START_TEST(strict)
{
	static const struct parsed t[] = {
		{"0", PG_NUM_OK, 0, 0},
		{"0.0", PG_NUM_OK, 0, 0},
		{"-0", PG_NUM_OK, 0, 0},
		{"12", PG_NUM_OK, 12, 0},
		{"-1.25", PG_NUM_OK, -125, -2},
		{"0.5", PG_NUM_OK, 5, -1},
		{"0.50", PG_NUM_OK, 5, -1},
		{"1.0", PG_NUM_OK, 1, 0},
		{"100", PG_NUM_OK, 100, 0},
		{"100.10", PG_NUM_OK, 1001, -1},
		{"1000.0001", PG_NUM_OK, 10000001, -4},
		{"0.000000000000000001", PG_NUM_OK, 1, -18},
		{"0.0000000000000000000000001", PG_NUM_OK, 1, -25},
		{"999999999999999999", PG_NUM_OK, INT64_C(999999999999999999), 0},
		{"1000000000000000000", PG_NUM_OK, INT64_C(1000000000000000000), 0},
		{"10000000000000000000", PG_NUM_OK, 1, 19},
		{"1.000000000000000000000", PG_NUM_OK, 1, 0},
		{"1234567890123456789", PG_NUM_OVERFLOW, 0, 0},
		{"1.234567890123456789", PG_NUM_OVERFLOW, 0, 0},
		{"1.23456789012345678", PG_NUM_OK, INT64_C(123456789012345678), -17},
		{"1.0000000000000000001", PG_NUM_OVERFLOW, 0, 0},
		{"", PG_NUM_EMPTY, 0, 0},
		{"-", PG_NUM_SYNTAX, 0, 0},
		{".", PG_NUM_SYNTAX, 0, 0},
		{".5", PG_NUM_SYNTAX, 0, 0},
		{"5.", PG_NUM_SYNTAX, 0, 0},
		{"1.2.3", PG_NUM_SYNTAX, 0, 0},
		{"1,5", PG_NUM_SYNTAX, 0, 0},
		{"+1", PG_NUM_SIGN, 0, 0},
		{"--1", PG_NUM_SIGN, 0, 0},
		{"01", PG_NUM_LEADING_ZERO, 0, 0},
		{"00.5", PG_NUM_LEADING_ZERO, 0, 0},
		{"-01", PG_NUM_LEADING_ZERO, 0, 0},
		{"0x1p3", PG_NUM_HEX, 0, 0},
		{"1e3", PG_NUM_EXPONENT, 0, 0},
		{"1.5E-3", PG_NUM_EXPONENT, 0, 0},
		{"1_0", PG_NUM_UNDERSCORE, 0, 0},
		{"1:0", PG_NUM_SEXAGESIMAL, 0, 0},
		{"nan", PG_NUM_SYNTAX, 0, 0},
		{"inf", PG_NUM_SYNTAX, 0, 0},
		{"1%", PG_NUM_SYNTAX, 0, 0},
		{" 1", PG_NUM_SYNTAX, 0, 0},
	};
	struct pg_dec d = {0, 0};

	for (size_t i = 0; i < COUNT_OF(t); i++)
		check_parse(&t[i], pg_dec_parse(t[i].s, strlen(t[i].s), true, &d), d);
	ck_assert_int_eq(pg_dec_parse("-1", 2, false, &d), PG_NUM_SIGN);
	ck_assert_int_eq(pg_dec_parse("1.25", 4, false, &d), PG_NUM_OK);
}
END_TEST

START_TEST(lax)
{
	static const struct parsed t[] = {
		{"1e-3", PG_NUM_OK, 1, -3},
		{"1.5E+6", PG_NUM_OK, 1500000, 0},
		{"1.5e6", PG_NUM_OK, 1500000, 0},
		{"007", PG_NUM_OK, 7, 0},
		{"+3.50", PG_NUM_OK, 35, -1},
		{"-.5", PG_NUM_OK, -5, -1},
		{"5.", PG_NUM_OK, 5, 0},
		{"00.001", PG_NUM_OK, 1, -3},
		{"0e999999999999999999999", PG_NUM_OK, 0, 0},
		{"1e-999999999999999999999", PG_NUM_OVERFLOW, 0, 0},
		{"1e301", PG_NUM_OVERFLOW, 0, 0},
		{"1e300", PG_NUM_OK, 1, 300},
		{"1e18", PG_NUM_OK, INT64_C(1000000000000000000), 0},
		{"1234567890123456785", PG_NUM_OK, INT64_C(1234567890123456780), 0}, /* half to even */
		{"1234567890123456775", PG_NUM_OK, INT64_C(1234567890123456780), 0},
		{"1.23456789012345678501", PG_NUM_OK, INT64_C(123456789012345679), -17},
		{"1.234567890123456784999", PG_NUM_OK, INT64_C(123456789012345678), -17},
		{"9999999999999999995", PG_NUM_OK, 1, 19},
		{"0.99999999999999999999", PG_NUM_OK, 1, 0},
		{"12345678901234567890123", PG_NUM_OK, INT64_C(123456789012345679), 5},
		{"1000000000000000000000001", PG_NUM_OK, 1, 24},
		{"0.10000000000000000000000000000009", PG_NUM_OK, 1, -1},
		{"", PG_NUM_EMPTY, 0, 0},
		{"+", PG_NUM_SYNTAX, 0, 0},
		{".", PG_NUM_SYNTAX, 0, 0},
		{"e3", PG_NUM_SYNTAX, 0, 0},
		{".e3", PG_NUM_SYNTAX, 0, 0},
		{"1e", PG_NUM_SYNTAX, 0, 0},
		{"1e+", PG_NUM_SYNTAX, 0, 0},
		{"1e3x", PG_NUM_SYNTAX, 0, 0},
		{"1e3.5", PG_NUM_SYNTAX, 0, 0},
		{"0x10", PG_NUM_SYNTAX, 0, 0},
		{"nan", PG_NUM_SYNTAX, 0, 0},
		{"-inf", PG_NUM_SYNTAX, 0, 0},
		{"1,5", PG_NUM_SYNTAX, 0, 0},
		{" 1", PG_NUM_SYNTAX, 0, 0},
	};
	struct pg_dec d = {0, 0};

	for (size_t i = 0; i < COUNT_OF(t); i++)
		check_parse(&t[i], pg_dec_parse_lax(t[i].s, strlen(t[i].s), &d), d);
}
END_TEST

START_TEST(canonical)
{
	static const struct {
		struct pg_dec in, out;
	} t[] = {
		{{0, 5}, {0, 0}},
		{{0, -5}, {0, 0}},
		{{100, 0}, {100, 0}},
		{{100, -1}, {10, 0}},
		{{100, -3}, {1, -1}},
		{{1, 3}, {1000, 0}},
		{{-12, 2}, {-1200, 0}},
		{{1000, 30}, {1, 33}},
		{{INT64_MAX, 0}, {INT64_MAX, 0}},
		{{INT64_MIN, -1}, {INT64_MIN, -1}},
		{{INT64_MIN, 1}, {INT64_MIN, 1}},
	};

	for (size_t i = 0; i < COUNT_OF(t); i++) {
		struct pg_dec d = pg_dec_norm(t[i].in);

		ck_assert_int_eq(d.m, t[i].out.m);
		ck_assert_int_eq(d.e, t[i].out.e);
		ck_assert_int_eq(pg_dec_cmp(d, t[i].in), 0);
	}
	ck_assert_int_eq(pg_dec_int(-7).m, -7);
}
END_TEST

START_TEST(compare_borders)
{
	/* Ascending; each against each. */
	static const struct pg_dec t[] = {
		{INT64_MIN, 300},
		{-1, 20},
		{INT64_MIN, 0},
		{-INT64_MAX, 0},
		{-1, 0},
		{-999999999999999999, -18},
		{-1, -300},
		{0, 0},
		{1, -300},
		{INT64_MAX, -300},
		{999999999999999999, -18},
		{1, 0},
		{11, -1},
		{12, 0},
		{INT64_MAX - 1, 0},
		{INT64_MAX, 0},
		{1, 19},
		{INT64_MAX, 300},
	};

	for (size_t i = 0; i < COUNT_OF(t); i++) {
		for (size_t j = 0; j < COUNT_OF(t); j++)
			ck_assert_int_eq(pg_dec_cmp(t[i], t[j]), (i > j) - (i < j));
	}
}
END_TEST

static struct pg_dec random_dec(uint64_t *x)
{
	struct pg_dec d;

	*x = pg_mix64(*x + 1);
	d.m = (int64_t)(*x % 2000001) - 1000000;
	d.e = -(int)(*x >> 40) % 7;
	return d;
}

static int64_t at_minus_6(struct pg_dec d)
{
	int64_t v = d.m;

	for (int e = d.e; e > -6; e--)
		v *= 10;
	return v;
}

/* Numbers of at most 6 decimals are whole at 10^-6 (products: 10^-12). */
START_TEST(arithmetic)
{
	uint64_t x = 7;
	unsigned bad = 0;

	for (int i = 0; i < 200000; i++) {
		struct pg_dec a = random_dec(&x), b = random_dec(&x), r;
		int64_t va = at_minus_6(a), vb = at_minus_6(b);

		bad += pg_dec_cmp(a, b) != (va > vb) - (va < vb);
		bad += !pg_dec_add(a, b, &r) || at_minus_6(r) != va + vb || (r.e < 0 && r.m % 10 == 0);
		bad += !pg_dec_mul(a, b, &r) || r.e < -12 || r.e > 0;
		for (int e = r.e; e > a.e + b.e; e--)
			r.m *= 10;
		bad += r.m != a.m * b.m;
	}
	ck_assert_uint_eq(bad, 0);
}
END_TEST

START_TEST(arithmetic_borders)
{
	struct pg_dec r, max = {INT64_MAX, 0}, one = {1, 0}, half = {5, -1};

	ck_assert(!pg_dec_add(max, one, &r));
	ck_assert(!pg_dec_add(max, half, &r));
	ck_assert(pg_dec_add(max, pg_dec_int(-INT64_MAX), &r) && r.m == 0 && r.e == 0);
	ck_assert(pg_dec_add(half, half, &r) && r.m == 1 && r.e == 0);
	ck_assert(pg_dec_add((struct pg_dec){1, 200}, (struct pg_dec){0, 0}, &r) && r.m == 1 && r.e == 200);
	ck_assert(!pg_dec_add((struct pg_dec){1, 200}, one, &r));
	ck_assert(pg_dec_add((struct pg_dec){1, 18}, one, &r) && r.m == INT64_C(1000000000000000001));
	ck_assert(!pg_dec_mul(max, pg_dec_int(2), &r));
	ck_assert(pg_dec_mul(max, pg_dec_int(0), &r) && r.m == 0);
	ck_assert(pg_dec_mul(max, pg_dec_int(10), &r) && r.m == INT64_MAX && r.e == 1);
	ck_assert(pg_dec_mul(pg_dec_int(INT64_C(1000000000000)), pg_dec_int(INT64_C(1000000000000)), &r) && r.m == 1 &&
		  r.e == 24);
	/* 2^31 * 5^27: the tens are spread over both sides. */
	ck_assert(pg_dec_mul(pg_dec_int(INT64_C(2147483648)), pg_dec_int(INT64_C(7450580596923828125)), &r) &&
		  r.m == 16 && r.e == 27);
	ck_assert(!pg_dec_mul((struct pg_dec){1, 400}, (struct pg_dec){1, 400}, &r));
}
END_TEST

START_TEST(whole_ones)
{
	int64_t v = 0;

	ck_assert(pg_dec_to_i64((struct pg_dec){1200, -2}, &v) && v == 12);
	ck_assert(pg_dec_to_i64((struct pg_dec){-3, 18}, &v) && v == INT64_C(-3000000000000000000));
	ck_assert(pg_dec_to_i64((struct pg_dec){INT64_MIN, 0}, &v) && v == INT64_MIN);
	ck_assert(!pg_dec_to_i64((struct pg_dec){1, 19}, &v));
	ck_assert(!pg_dec_to_i64((struct pg_dec){15, -1}, &v));
	ck_assert(pg_dec_to_i64((struct pg_dec){0, 400}, &v) && v == 0);
}
END_TEST

/* Correctly rounded: the same as the C library makes of the text. */
START_TEST(to_double)
{
	uint64_t x = 3;
	unsigned bad = 0;

	for (int i = 0; i < 200000; i++) {
		struct pg_dec d;
		char buf[64];
		double want, got;

		x = pg_mix64(x + 1);
		d.m = (int64_t)x >> (i % 64);
		x = pg_mix64(x + 1);
		d.e = (int)(x % 61) - 30;
		snprintf(buf, sizeof(buf), "%llde%d", (long long)d.m, d.e);
		want = strtod(buf, NULL);
		got = pg_dec_to_double(d);
		bad += memcmp(&want, &got, sizeof(got)) != 0;
	}
	ck_assert_uint_eq(bad, 0);
}
END_TEST

/* Whatever the strict form takes, the lax one reads alike, and so does the C library. */
START_TEST(random_text)
{
	static const char alphabet[] = "0123456789.000-+e";
	unsigned bad = 0, taken = 0;

	for (uint64_t i = 0; i < 300000; i++) {
		char s[32];
		struct pg_dec a, b;
		uint64_t x = pg_mix64(i);
		size_t n = i % 24;

		for (size_t k = 0; k < n; k++) {
			x = pg_mix64(x + 1);
			s[k] = alphabet[x % (i % 2 ? 13 : sizeof(alphabet) - 1)];
		}
		s[n] = '\0';
		if (pg_dec_parse(s, n, true, &a) == PG_NUM_OK) {
			taken++;
			bad += pg_dec_parse_lax(s, n, &b) || a.m != b.m || a.e != b.e;
		}
		if (pg_dec_parse_lax(s, n, &b) == PG_NUM_OK) {
			double want = strtod(s, NULL), got = pg_dec_to_double(b);

			bad += fabs(want - got) > fabs(want) * 1e-15;
		}
	}
	ck_assert_uint_eq(bad, 0);
	ck_assert_uint_gt(taken, 1000);
}
END_TEST

PG_TEST_MAIN("base_dec", ((const struct pg_test[]){
				 {strict, 0},
				 {lax, 0},
				 {canonical, 0},
				 {compare_borders, 0},
				 {arithmetic, 0},
				 {arithmetic_borders, 0},
				 {whole_ones, 0},
				 {to_double, 0},
				 {random_text, 0},
				 {NULL, 0},
			 }))
