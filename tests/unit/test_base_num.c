/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole numbers, sizes and times: what is taken, what is refused and as what, and both borders. */
#include "tests/support/pgtest.h"

#include <string.h>

#include "base/num.h"
#include "base/str.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

START_TEST(whole_numbers)
{
	static const struct {
		const char *s;
		enum pg_num_error e;
		uint64_t v;
	} t[] = {
		{"0", PG_NUM_OK, 0},
		{"7", PG_NUM_OK, 7},
		{"1000000", PG_NUM_OK, 1000000},
		{"18446744073709551615", PG_NUM_OK, UINT64_MAX},
		{"18446744073709551616", PG_NUM_OVERFLOW, 0},
		{"18446744073709551620", PG_NUM_OVERFLOW, 0},
		{"99999999999999999999999", PG_NUM_OVERFLOW, 0},
		{"9223372036854775808", PG_NUM_OK, UINT64_C(9223372036854775808)},
		{"", PG_NUM_EMPTY, 0},
		{"010", PG_NUM_LEADING_ZERO, 0},
		{"00", PG_NUM_LEADING_ZERO, 0},
		{"0x10", PG_NUM_HEX, 0},
		{"0X1", PG_NUM_HEX, 0},
		{"0o17", PG_NUM_HEX, 0},
		{"0b1", PG_NUM_HEX, 0},
		{"-1", PG_NUM_SIGN, 0},
		{"+1", PG_NUM_SIGN, 0},
		{"-", PG_NUM_SIGN, 0},
		{"1_000", PG_NUM_UNDERSCORE, 0},
		{"12:30", PG_NUM_SEXAGESIMAL, 0},
		{"1.5", PG_NUM_FRACTION, 0},
		{"1.0", PG_NUM_FRACTION, 0},
		{"1.", PG_NUM_FRACTION, 0},
		{".5", PG_NUM_FRACTION, 0},
		{"1e3", PG_NUM_EXPONENT, 0},
		{"1E+3", PG_NUM_EXPONENT, 0},
		{"10x", PG_NUM_SYNTAX, 0},
		{"1e", PG_NUM_SYNTAX, 0},
		{"100abc", PG_NUM_SYNTAX, 0},
		{" 1", PG_NUM_SYNTAX, 0},
		{"1 ", PG_NUM_SYNTAX, 0},
		{"1\n", PG_NUM_SYNTAX, 0},
		{".", PG_NUM_SYNTAX, 0},
		{"abc", PG_NUM_SYNTAX, 0},
		{"\xd9\xa1", PG_NUM_SYNTAX, 0},
	};

	for (size_t i = 0; i < COUNT_OF(t); i++) {
		uint64_t v = 77;

		ck_assert_msg(pg_parse_u64(t[i].s, strlen(t[i].s), &v) == t[i].e, "%s", t[i].s);
		ck_assert_msg(v == (t[i].e ? 77 : t[i].v), "%s", t[i].s);
	}
	ck_assert_int_eq(pg_parse_u64("1\0002", 3, &(uint64_t){0}), PG_NUM_SYNTAX);
}
END_TEST

START_TEST(every_error_has_text)
{
	for (int e = PG_NUM_OK; e <= PG_NUM_OVERFLOW; e++)
		ck_assert_uint_gt(strlen(pg_num_error_text((enum pg_num_error)e)), 3);
}
END_TEST

#define KI UINT64_C(1024)

START_TEST(size_text)
{
	static const struct {
		const char *s;
		enum pg_num_error e;
		uint64_t v;
	} t[] = {
		{"0B", PG_NUM_OK, 0},
		{"0b", PG_NUM_OK, 0},
		{"1b", PG_NUM_OK, 1},
		{"100B", PG_NUM_OK, 100},
		{"1K", PG_NUM_OK, KI},
		{"1k", PG_NUM_OK, KI},
		{"1KB", PG_NUM_OK, KI},
		{"1kb", PG_NUM_OK, KI},
		{"1kB", PG_NUM_OK, KI},
		{"1KiB", PG_NUM_OK, KI},
		{"1kIb", PG_NUM_OK, KI},
		{"3M", PG_NUM_OK, 3 * KI * KI},
		{"3mib", PG_NUM_OK, 3 * KI * KI},
		{"2GB", PG_NUM_OK, 2 * KI * KI * KI},
		{"16TB", PG_NUM_OK, 16 * KI * KI * KI * KI},
		{"1.5KB", PG_NUM_OK, 1536},
		{"0.5K", PG_NUM_OK, 512},
		{"1.000000B", PG_NUM_OK, 1},
		{"0.0009765625KB", PG_NUM_OK, 1},
		{"0.0000000000009094947017729282379150390625TB", PG_NUM_OVERFLOW, 0}, /* 1 byte, over 18 digits */
		{"0.00048828125KB", PG_NUM_INEXACT, 0},
		{"0.1KB", PG_NUM_INEXACT, 0},
		{"1.5B", PG_NUM_INEXACT, 0},
		{"0.3B", PG_NUM_INEXACT, 0},
		{"0.0B", PG_NUM_OK, 0},
		{"18446744073709551615B", PG_NUM_OK, UINT64_MAX},
		{"18446744073709551616B", PG_NUM_OVERFLOW, 0},
		{"16777215TB", PG_NUM_OK, UINT64_C(16777215) << 40},
		{"16777216TB", PG_NUM_OVERFLOW, 0},
		{"18014398509481983KB", PG_NUM_OK, UINT64_C(18014398509481983) << 10},
		{"18014398509481984KB", PG_NUM_OVERFLOW, 0},
		{"1", PG_NUM_UNIT, 0},
		{"1.5", PG_NUM_UNIT, 0},
		{"1PB", PG_NUM_UNIT, 0},
		{"1KBB", PG_NUM_UNIT, 0},
		{"1Ki", PG_NUM_UNIT, 0},
		{"1iB", PG_NUM_UNIT, 0},
		{"1 KB", PG_NUM_UNIT, 0},
		{"1KB ", PG_NUM_UNIT, 0},
		{"1bytes", PG_NUM_UNIT, 0},
		{"1ms", PG_NUM_UNIT, 0},
		{"", PG_NUM_EMPTY, 0},
		{"KB", PG_NUM_SYNTAX, 0},
		{"-1KB", PG_NUM_SIGN, 0},
		{"+1KB", PG_NUM_SIGN, 0},
		{"010KB", PG_NUM_LEADING_ZERO, 0},
		{"01.5KB", PG_NUM_LEADING_ZERO, 0},
		{"0x10KB", PG_NUM_HEX, 0},
		{"1_000B", PG_NUM_UNDERSCORE, 0},
		{"1:30B", PG_NUM_SEXAGESIMAL, 0},
		{"1e3KB", PG_NUM_EXPONENT, 0},
		{"1.KB", PG_NUM_SYNTAX, 0},
		{".5KB", PG_NUM_SYNTAX, 0},
		{"1.5.2KB", PG_NUM_SYNTAX, 0},
	};

	for (size_t i = 0; i < COUNT_OF(t); i++) {
		uint64_t v = 77;

		ck_assert_msg(pg_size_parse(t[i].s, strlen(t[i].s), false, &v) == t[i].e, "%s", t[i].s);
		ck_assert_msg(v == (t[i].e ? 77 : t[i].v), "%s", t[i].s);
	}
}
END_TEST

START_TEST(bare_sizes)
{
	uint64_t v;

	ck_assert_int_eq(pg_size_parse("4096", 4, true, &v), PG_NUM_OK);
	ck_assert_uint_eq(v, 4096);
	ck_assert_int_eq(pg_size_parse("4K", 2, true, &v), PG_NUM_OK);
	ck_assert_uint_eq(v, 4096);
	ck_assert_int_eq(pg_size_parse("1.5", 3, true, &v), PG_NUM_INEXACT);
	ck_assert_int_eq(pg_size_parse("0x1", 3, true, &v), PG_NUM_HEX);
	ck_assert_int_eq(pg_size_parse("-1", 2, true, &v), PG_NUM_SIGN);
	ck_assert_int_eq(pg_size_parse("K", 1, true, &v), PG_NUM_SYNTAX);
}
END_TEST

START_TEST(time_text)
{
	static const struct {
		const char *s;
		enum pg_num_error e;
		int64_t v;
	} t[] = {
		{"0s", PG_NUM_OK, 0},
		{"0ns", PG_NUM_OK, 0},
		{"1ns", PG_NUM_OK, 1},
		{"1us", PG_NUM_OK, 1000},
		{"50ms", PG_NUM_OK, 50000000},
		{"1s", PG_NUM_OK, 1000000000},
		{"90s", PG_NUM_OK, INT64_C(90000000000)},
		{"10min", PG_NUM_OK, INT64_C(600000000000)},
		{"24h", PG_NUM_OK, INT64_C(86400000000000)},
		{"1.5s", PG_NUM_OK, 1500000000},
		{"0.1s", PG_NUM_OK, 100000000},
		{"1.000000001s", PG_NUM_OK, 1000000001},
		{"0.000000001s", PG_NUM_OK, 1},
		{"0.0000000001s", PG_NUM_INEXACT, 0},
		{"0.3ns", PG_NUM_INEXACT, 0},
		{"0.0001us", PG_NUM_INEXACT, 0},
		{"0.001us", PG_NUM_OK, 1},
		{"0.25min", PG_NUM_OK, INT64_C(15000000000)},
		{"0.0000000000025h", PG_NUM_OK, 9},
		{"9223372036854775807ns", PG_NUM_OK, INT64_MAX},
		{"9223372036854775808ns", PG_NUM_OVERFLOW, 0},
		{"18446744073709551616ns", PG_NUM_OVERFLOW, 0},
		{"9223372036.854775807s", PG_NUM_OVERFLOW, 0}, /* 19 digits in a decimal */
		{"9223372036.85477580s", PG_NUM_OK, INT64_C(9223372036854775800)},
		{"9223372037s", PG_NUM_OVERFLOW, 0},
		{"2562047h", PG_NUM_OK, INT64_C(2562047) * 3600000000000},
		{"2562048h", PG_NUM_OVERFLOW, 0},
		{"153722867min", PG_NUM_OK, INT64_C(153722867) * 60000000000},
		{"153722868min", PG_NUM_OVERFLOW, 0},
		{"5", PG_NUM_UNIT, 0},
		{"0", PG_NUM_UNIT, 0},
		{"1m", PG_NUM_UNIT, 0},
		{"1S", PG_NUM_UNIT, 0},
		{"1MS", PG_NUM_UNIT, 0},
		{"30d", PG_NUM_UNIT, 0},
		{"1 s", PG_NUM_UNIT, 0},
		{"1sec", PG_NUM_UNIT, 0},
		{"1KB", PG_NUM_UNIT, 0},
		{"", PG_NUM_EMPTY, 0},
		{"s", PG_NUM_SYNTAX, 0},
		{"-1s", PG_NUM_SIGN, 0},
		{"01s", PG_NUM_LEADING_ZERO, 0},
		{"0x1s", PG_NUM_HEX, 0},
		{"1_0s", PG_NUM_UNDERSCORE, 0},
		{"1:30", PG_NUM_SEXAGESIMAL, 0},
		{"1e3s", PG_NUM_EXPONENT, 0},
		{".5s", PG_NUM_SYNTAX, 0},
		{"5.s", PG_NUM_SYNTAX, 0},
	};

	for (size_t i = 0; i < COUNT_OF(t); i++) {
		int64_t v = 77;

		ck_assert_msg(pg_time_parse(t[i].s, strlen(t[i].s), &v) == t[i].e, "%s", t[i].s);
		ck_assert_msg(v == (t[i].e ? 77 : t[i].v), "%s", t[i].s);
	}
}
END_TEST

START_TEST(formats)
{
	static const struct {
		uint64_t bytes;
		const char *s;
	} sizes[] = {
		{0, "0B"},
		{100, "100B"},
		{1023, "1023B"},
		{1024, "1KB"},
		{1025, "1025B"},
		{4096, "4KB"},
		{1536 << 10, "1536KB"},
		{UINT64_C(3) << 30, "3GB"},
		{UINT64_C(16) << 40, "16TB"},
		{UINT64_C(1) << 50, "1024TB"},
		{UINT64_MAX, "18446744073709551615B"},
	};
	static const struct {
		int64_t ns;
		const char *s;
	} times[] = {
		{0, "0s"},
		{1, "1ns"},
		{1000, "1us"},
		{1500, "1500ns"},
		{50000000, "50ms"},
		{INT64_C(90000000000), "90s"},
		{INT64_C(120000000000), "2min"},
		{INT64_C(7200000000000), "2h"},
		{INT64_MAX, "9223372036854775807ns"},
	};
	char buf[PG_NUM_BUF];

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		ck_assert_uint_eq(pg_size_format(buf, sizes[i].bytes), strlen(sizes[i].s));
		ck_assert_str_eq(buf, sizes[i].s);
	}
	for (size_t i = 0; i < COUNT_OF(times); i++) {
		ck_assert_uint_eq(pg_time_format(buf, times[i].ns), strlen(times[i].s));
		ck_assert_str_eq(buf, times[i].s);
	}
}
END_TEST

/* parse(format(v)) == v, over magnitudes and over round numbers. */
START_TEST(text_is_read_back)
{
	static const uint64_t steps[] = {
		1, 1024, 1000, UINT64_C(1) << 20, 1000000, UINT64_C(60000000000), UINT64_C(3600000000000)};
	char buf[PG_NUM_BUF];
	unsigned bad = 0;

	for (uint64_t i = 0; i < 200000; i++) {
		uint64_t x = pg_mix64(i + 1), v = x >> (i % 64), back;
		int64_t ns, ns_back;

		v = v / steps[i % COUNT_OF(steps)] * steps[i % COUNT_OF(steps)];
		ns = (int64_t)(v >> 1);
		bad += pg_size_parse(buf, pg_size_format(buf, v), false, &back) != PG_NUM_OK || back != v;
		bad += pg_time_parse(buf, pg_time_format(buf, ns), &ns_back) != PG_NUM_OK || ns_back != ns;
		bad += pg_parse_u64(buf, pg_fmt_u64(buf, v), &back) != PG_NUM_OK || back != v;
	}
	ck_assert_uint_eq(bad, 0);
}
END_TEST

/* Random bytes of the alphabet of numbers: no crash, and what is taken is printed back to the same value. */
START_TEST(random_text)
{
	static const char alphabet[] = "0123456789.00e-+_:xKMGTkbBinsumh ";
	unsigned bad = 0;

	for (uint64_t i = 0; i < 300000; i++) {
		char s[24], buf[PG_NUM_BUF];
		uint64_t x = pg_mix64(i), v, back;
		size_t n = i % 13;
		int64_t ns, ns_back;

		for (size_t k = 0; k < n; k++) {
			x = pg_mix64(x + 1);
			s[k] = alphabet[x % (sizeof(alphabet) - 1)];
		}
		if (pg_size_parse(s, n, i % 2, &v) == PG_NUM_OK)
			bad += pg_size_parse(buf, pg_size_format(buf, v), false, &back) || back != v;
		if (pg_time_parse(s, n, &ns) == PG_NUM_OK)
			bad += ns < 0 || pg_time_parse(buf, pg_time_format(buf, ns), &ns_back) || ns_back != ns;
	}
	ck_assert_uint_eq(bad, 0);
}
END_TEST

START_TEST(products)
{
	uint64_t v;

	ck_assert(pg_mul_u64(0, UINT64_MAX, &v) && v == 0);
	ck_assert(pg_mul_u64(UINT64_MAX, 1, &v) && v == UINT64_MAX);
	ck_assert(pg_mul_u64(UINT64_C(1) << 32, (UINT64_C(1) << 32) - 1, &v));
	ck_assert(!pg_mul_u64(UINT64_C(1) << 32, UINT64_C(1) << 32, &v));
	ck_assert(!pg_mul_u64(UINT64_MAX, 2, &v));
}
END_TEST

PG_TEST_MAIN("base_num", ((const struct pg_test[]){
				 {whole_numbers, 0},
				 {every_error_has_text, 0},
				 {size_text, 0},
				 {bare_sizes, 0},
				 {time_text, 0},
				 {formats, 0},
				 {text_is_read_back, 0},
				 {random_text, 0},
				 {products, 0},
				 {NULL, 0},
			 }))
