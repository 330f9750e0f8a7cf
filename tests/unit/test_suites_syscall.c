/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "model/metric.h"
#include "registry/registry.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

static void rep(struct ps_bench *b, const char *params)
{
	const struct ps_around before = ps_look();

	ps_bind(b, pg_bench_find("syscall/basic"), params);
	ck_assert_msg(ps_rep(b) == 0, "%s", b->err.msg);
	ps_same(&before);
}

START_TEST(calls_are_counted)
{
	static const int64_t counts[] = {1, 2, 1000, 200000};
	struct ps_bench b;
	char params[40];

	snprintf(params, sizeof(params), "loops=%lld", (long long)counts[_i]);
	rep(&b, params);
	ck_assert_int_eq(ps_raw(&b, "operations"), counts[_i]);
	ck_assert_int_gt(ps_raw(&b, "time"), 0);
	ck_assert_int_ge(ps_raw(&b, "net_time_total"), 0);
	ck_assert_int_le(ps_raw(&b, "net_time_total"), ps_raw(&b, "time"));
	ck_assert_int_eq(b.run.timed_ns, ps_raw(&b, "time"));
	ps_done(&b);
}
END_TEST

/* A hundred times the calls take longer, and the empty loop is the smaller part. */
START_TEST(time_grows_with_calls)
{
	struct ps_bench few, many;

	rep(&few, "loops=2000");
	rep(&many, "loops=200000");
	ck_assert_int_gt(ps_raw(&many, "time"), ps_raw(&few, "time"));
	ck_assert_int_gt(ps_raw(&many, "net_time_total"), ps_raw(&many, "time") / 2);
	ps_done(&few);
	ps_done(&many);
}
END_TEST

START_TEST(values_follow_from_samples)
{
	const struct pg_metric *rows = pg_bench_find("syscall/basic")->metrics;
	struct pg_sample s[3];
	size_t time, ops, net, row;
	double v;

	pg_metric_find(rows, "time", &time);
	pg_metric_find(rows, "operations", &ops);
	pg_metric_find(rows, "net_time_total", &net);
	ck_assert(time < ops && ops < net);
	s[0] = (struct pg_sample){.raw = 5000, .metric = (uint32_t)time, .exp10 = -9};
	s[1] = (struct pg_sample){.raw = 10, .metric = (uint32_t)ops};
	s[2] = (struct pg_sample){.raw = 4000, .metric = (uint32_t)net, .exp10 = -9};
	pg_metric_find(rows, "time_per_op", &row);
	ck_assert(pg_metric_value(rows, row, s, 3, &v));
	ck_assert_double_eq_tol(v, 500e-9, 1e-18);
	pg_metric_find(rows, "call_time", &row);
	ck_assert(pg_metric_value(rows, row, s, 3, &v));
	ck_assert_double_eq_tol(v, 400e-9, 1e-18);
	pg_metric_find(rows, "rate", &row);
	ck_assert(pg_metric_value(rows, row, s, 3, &v));
	ck_assert_double_eq_tol(v, 2e6, 1e-3);
}
END_TEST

PG_TEST_MAIN("suites_syscall", ((const struct pg_test[]){
				       {calls_are_counted, 4},
				       {time_grows_with_calls, 0},
				       {values_follow_from_samples, 0},
				       {NULL, 0},
			       }))
