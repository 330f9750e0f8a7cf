/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names of statuses and facts, recording, and values from raw samples. */
#include "tests/support/pgtest.h"

#include <string.h>

#include "base/str.h"
#include "model/suite.h"

START_TEST(statuses)
{
	static const char *const names[] = {"ok",      "failed",   "timeout", "invalid",
					    "skipped", "unstable", "not-run", "absent"};

	for (int i = 0; i <= PG_ST_ABSENT; i++) {
		ck_assert_str_eq(pg_status_name((enum pg_status)i), names[i]);
		ck_assert_int_eq(pg_status_find(names[i]), i);
	}
	ck_assert_int_eq(pg_status_find("OK"), -1);
	ck_assert_int_eq(pg_status_find(""), -1);
}
END_TEST

START_TEST(facts)
{
	static const char *const names[] = {"loops",	  "t_mono",	"t_wall",  "steal",	      "other_busy",
					    "psi_cpu",	  "psi_mem",	"psi_io",  "throttled",	      "exit",
					    "batches",	  "batch_time", "thermal", "frequency_start", "frequency_end",
					    "interrupts", "softirqs",	"swapped"};

	ck_assert_uint_eq(sizeof(names) / sizeof(*names), PG_FACTS);
	for (int i = 0; i < PG_FACTS; i++) {
		ck_assert_str_eq(pg_fact_name((enum pg_fact)i), names[i]);
		ck_assert(pg_is_param_name(names[i]));
	}
}
END_TEST

START_TEST(sample_is_small)
{
	ck_assert_uint_eq(sizeof(struct pg_sample), 16);
}
END_TEST

static const struct pg_metric rows[] = {
	{.name = "ops", .unit = PG_U_COUNT, .reduce = PG_SUM, .flags = PG_M_HIDDEN},
	{.name = "time", .unit = PG_U_S, .reduce = PG_MAX},
	{.name = "rate", .unit = PG_U_PER_S, .reduce = PG_RATIO, .num = 0, .den = 1},
	{.name = "time_per_op", .unit = PG_U_S, .reduce = PG_RATIO, .num = 1, .den = 0},
	{.name = "worst", .unit = PG_U_S, .reduce = PG_MIN},
	{.name = "mean", .unit = PG_U_COUNT, .reduce = PG_MEAN},
	{.name = NULL},
};

START_TEST(recording)
{
	static const int64_t raw[] = {5, -3, 8, 0};
	struct pg_run run;

	memset(&run, 0, sizeof(run));
	run.metrics = rows;
	for (size_t i = 0; i < 4; i++) {
		pg_record(&run, 0, raw[i]);
		pg_record(&run, 1, raw[i]);
		pg_record(&run, 4, raw[i]);
		pg_record(&run, 5, raw[i]);
	}
	ck_assert_int_eq(run.acc[0].raw, 10);
	ck_assert_int_eq(run.acc[1].raw, 8);
	ck_assert_int_eq(run.acc[4].raw, -3);
	ck_assert_int_eq(run.acc[5].raw, 10);
	ck_assert_uint_eq(run.acc[5].n, 4);
	ck_assert_uint_eq(run.acc[2].n, 0);
}
END_TEST

/* The first number counts, whatever lies in the accumulator's sign. */
START_TEST(recording_borders)
{
	struct pg_run run;

	memset(&run, 0, sizeof(run));
	run.metrics = rows;
	pg_record(&run, 1, -7);
	ck_assert_int_eq(run.acc[1].raw, -7);
	pg_record(&run, 4, 7);
	ck_assert_int_eq(run.acc[4].raw, 7);
	pg_record(&run, 0, INT64_MAX);
	pg_record(&run, 0, 1);
	ck_assert_int_eq(run.acc[0].raw, INT64_MAX);
	pg_record(&run, 5, INT64_MIN);
	pg_record(&run, 5, -1);
	ck_assert_int_eq(run.acc[5].raw, INT64_MIN);
}
END_TEST

static double value_of(size_t row, const struct pg_sample *s, size_t n)
{
	double v = -77;

	return pg_metric_value(rows, row, s, n, &v) ? v : -77;
}

START_TEST(values)
{
	static const struct pg_sample s[] = {
		{.raw = 1000, .metric = 0},
		{.raw = 1000000, .metric = 1, .exp10 = -9},
		{.raw = 15, .metric = 4, .exp10 = -1},
		{.metric = 5, .missing = true},
	};

	ck_assert_double_eq(value_of(0, s, 4), 1000);
	ck_assert_double_eq(value_of(1, s, 4), 0.001);
	ck_assert_double_eq(value_of(2, s, 4), 1e6);
	ck_assert_double_eq(value_of(3, s, 4), 1e-6);
	ck_assert_double_eq(value_of(4, s, 4), 1.5);
	ck_assert_double_eq(value_of(5, s, 4), -77);
	ck_assert_double_eq(value_of(1, s, 1), -77);
	ck_assert_double_eq(value_of(2, s, 1), -77);
	ck_assert_double_eq(value_of(0, s, 0), -77);
	ck_assert_double_eq(value_of(0, NULL, 0), -77);
}
END_TEST

START_TEST(ratios)
{
	struct pg_sample s[] = {{.raw = 0, .metric = 0}, {.raw = 5, .metric = 1, .exp10 = -9}};

	ck_assert_double_eq(value_of(2, s, 2), 0);   /* nothing done */
	ck_assert_double_eq(value_of(3, s, 2), -77); /* per nothing */
	s[0].raw = -1;
	ck_assert_double_eq(value_of(3, s, 2), -77);
	s[0].raw = 1;
	s[1].raw = 0;
	ck_assert_double_eq(value_of(2, s, 2), -77);
	ck_assert_double_eq(value_of(3, s, 2), 0);
	s[1].raw = 3;
	s[1].missing = true;
	ck_assert_double_eq(value_of(2, s, 2), -77);
	ck_assert_double_eq(value_of(3, s, 2), -77);
	s[1].missing = false;
	s[0].raw = INT64_C(1000000000000);
	s[1].raw = INT64_C(9000000000000000);
	ck_assert_double_eq(value_of(2, s, 2), 1e12 / 9e6);
}
END_TEST

PG_TEST_MAIN("model_result", ((const struct pg_test[]){
				     {statuses, 0},
				     {facts, 0},
				     {sample_is_small, 0},
				     {recording, 0},
				     {recording_borders, 0},
				     {values, 0},
				     {ratios, 0},
				     {NULL, 0},
			     }))
