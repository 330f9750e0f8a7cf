/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mem/find_bit: every set bit is found once a pass, by both functions, at every border of a word. */
#include <stdio.h>

#include "registry/registry.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

static const char *const functions[] = {"find_next_bit", "test_bit"};

static void bind(struct ps_bench *b, int function, uint64_t bits, uint64_t set_bits, uint64_t loops)
{
	char params[128];

	snprintf(params, sizeof(params), "function=%s bits=%llu set_bits=%llu loops=%llu", functions[function],
		 (unsigned long long)bits, (unsigned long long)set_bits, (unsigned long long)loops);
	ps_bind(b, pg_bench_find("mem/find_bit"), params);
}

static void finds_all(int function, uint64_t bits, uint64_t set_bits, uint64_t loops)
{
	struct ps_bench b;

	bind(&b, function, bits, set_bits, loops);
	ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
	ck_assert_int_eq(ps_raw(&b, "operations"), (int64_t)loops);
	ck_assert_msg(ps_raw(&b, "bits_found") == (int64_t)(set_bits * loops), "%llu of %llu: %lld in %llu passes",
		      (unsigned long long)set_bits, (unsigned long long)bits, (long long)ps_raw(&b, "bits_found"),
		      (unsigned long long)loops);
	ck_assert_int_eq(b.run.timed_ns, ps_raw(&b, "time"));
	ps_done(&b);
}

START_TEST(borders)
{
	static const uint64_t bits[] = {1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 2047, 2048};

	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		finds_all(_i, bits[i], 1, 3);
		finds_all(_i, bits[i], bits[i], 3);
		finds_all(_i, bits[i], (bits[i] + 1) / 2, 3);
		finds_all(_i, bits[i], (bits[i] + 2) / 3, 3); /* no divisor: exactly so many all the same */
	}
	finds_all(_i, 1048576, 1, 1);
	finds_all(_i, 1048576, 1048575, 1);
	finds_all(_i, 1048576, 1048576, 1);
}
END_TEST

/* The ancestor's own sweep: 78 combinations. */
START_TEST(powers_of_two)
{
	for (uint64_t bits = 1; bits <= 2048; bits *= 2)
		for (uint64_t set_bits = 1; set_bits <= bits; set_bits *= 2)
			finds_all(_i, bits, set_bits, 2);
}
END_TEST

/* Many words without a bit: the search passes over each at once, the test looks at every bit. */
START_TEST(search_is_by_words)
{
	struct ps_bench find, test;

	bind(&find, 0, 65536, 1, 50);
	bind(&test, 1, 65536, 1, 50);
	ck_assert_int_eq(ps_rep(&find), 0);
	ck_assert_int_eq(ps_rep(&test), 0);
	ck_assert_int_lt(ps_raw(&find, "time"), ps_raw(&test, "time"));
	ps_done(&find);
	ps_done(&test);
}
END_TEST

/* Nothing of one measurement is in the next one's figures. */
START_TEST(measurements_are_apart)
{
	struct ps_bench b;
	size_t time, found;

	bind(&b, _i, 2048, 2048, 100);
	pg_metric_find(b.bench->metrics, "time", &time);
	pg_metric_find(b.bench->metrics, "bits_found", &found);
	ck_assert_int_eq(b.bench->setup(&b.run, &b.err), 0);
	for (int i = 0; i < 3; i++) {
		b.run.acc[time].n = b.run.acc[found].n = 0;
		b.run.acc[time].raw = b.run.acc[found].raw = 0;
		ck_assert_int_eq(b.bench->once(&b.run, &b.err), 0);
		ck_assert_uint_eq(b.run.acc[time].n, 1);
		ck_assert_int_eq(ps_raw(&b, "bits_found"), 204800);
	}
	b.bench->teardown(&b.run);
	ck_assert_ptr_null(b.run.state);
	b.bench->teardown(&b.run);
	ps_done(&b);
}
END_TEST

START_TEST(more_set_than_there_are)
{
	static const struct {
		uint64_t bits, set_bits;
		bool good;
	} c[] = {{1, 1, true}, {1, 2, false}, {2048, 2048, true}, {2048, 2049, false}, {64, 1048576, false}};
	struct ps_bench b;

	bind(&b, 0, c[_i].bits, c[_i].set_bits, 1);
	ck_assert_int_eq(b.bench->check(b.conf, &b.err), c[_i].good ? 0 : -1);
	if (!c[_i].good) {
		ck_assert_int_eq(b.err.code, PG_EINPUT);
		ck_assert_msg(strstr(b.err.msg, "is more than bits"), "%s", b.err.msg);
	}
	ps_done(&b);
}
END_TEST

START_TEST(ranges)
{
	static const struct {
		const char *row, *text;
		bool good;
	} c[] = {{"bits", "0", false},	     {"bits", "1", true},	{"bits", "1048576", true},
		 {"bits", "1048577", false}, {"set_bits", "0", false},	{"loops", "0", false},
		 {"loops", "auto", true},    {"function", "ffs", false}};
	const struct pg_param *row = pg_param_find(pg_bench_find("mem/find_bit")->params, c[_i].row, NULL);
	struct pg_arena a;
	struct pg_value v;
	struct pg_err err;

	pg_arena_init(&a, false);
	ck_assert_int_eq(pg_value_parse(row, c[_i].text, strlen(c[_i].text), &a, &v, &err), c[_i].good ? 0 : -1);
	pg_arena_release(&a);
}
END_TEST

PG_TEST_MAIN("suites_mem_find_bit", ((const struct pg_test[]){
					    {borders, 2},
					    {powers_of_two, 2},
					    {search_is_by_words, 0},
					    {measurements_are_apart, 2},
					    {more_set_than_there_are, 5},
					    {ranges, 8},
					    {NULL, 0},
				    }))
