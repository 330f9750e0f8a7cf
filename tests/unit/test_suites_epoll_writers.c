/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long the writers of epoll/wait slept: where that is most of their time, events per second say what the timers of
 * the machine are like and little of epoll, and the row has to tell.
 */
#include <stdio.h>
#include <sys/prctl.h>

#include "model/result.h"
#include "tests/support/epollkit.h"
#include "tests/support/pgtest.h"

#define TRIES 6 /* on a busy machine a writer may not get its turn */

static size_t recorded(const struct ps_bench *b, const char *metric)
{
	size_t i;

	ck_assert_ptr_nonnull(pg_metric_find(b->bench->metrics, metric, &i));
	return b->run.acc[i].n;
}

/* What was recorded, as samples; a rep in which something happened has to be one that counts. */
static size_t samples(const struct ps_bench *b, struct pg_sample *s)
{
	const struct pg_metric *rows = b->bench->metrics;
	struct pg_err err;
	size_t n = 0;

	for (size_t i = 0; rows[i].name; i++)
		if (b->run.acc[i].n > 0)
			s[n++] = (struct pg_sample){.raw = b->run.acc[i].raw,
						    .metric = (uint32_t)i,
						    .exp10 = (int8_t)pg_unit_exp(rows[i].unit)};
	if (ps_raw(b, "events_read") > 0)
		ck_assert_msg(pg_samples_check(rows, pg_metric_count(rows), s, n, &err) == 0, "%s", err.msg);
	return n;
}

static bool value(const struct ps_bench *b, const char *metric, double *out)
{
	struct pg_sample s[PG_RUN_SAMPLES];
	const size_t n = samples(b, s);
	size_t row;

	ck_assert_ptr_nonnull(pg_metric_find(b->bench->metrics, metric, &row));
	return pg_metric_value(b->bench->metrics, row, s, n, out);
}

/* Sleeps of 5 ms, or of 1 ms by five writers, after a few writes: most of their time is sleep, and each sleep is at
 * least as long as it was asked to be. */
START_TEST(sleeping_writers_are_seen)
{
	static const struct {
		const char *sleep;
		int64_t ns;
		int writers;
	} cases_[] = {{"5ms", 5000000, 1}, {"1ms", 1000000, 5}};
	double share = 0, sleep = 0;

	for (int i = 0, ms = 60; i < TRIES && share <= 0.5; i++, ms *= 2) {
		struct ek_bench eb;
		const struct ps_bench *b = &eb.b;
		char params[160];

		snprintf(params, sizeof(params), "runtime=%dms fds=5 loop_sleep=%s writers=%d", ms, cases_[_i].sleep,
			 cases_[_i].writers);
		ek_good_rep(&eb, "epoll/wait", params);
		if (recorded(b, "writer_rests") > 0) {
			ck_assert_int_ge(ps_raw(b, "writer_slept"), ps_raw(b, "writer_rests") * cases_[_i].ns);
			ck_assert_int_le(ps_raw(b, "writer_slept"), ps_raw(b, "writer_time"));
			ck_assert(value(b, "writer_sleep", &sleep));
			ck_assert_double_ge(sleep, (double)cases_[_i].ns * 1e-9 * 0.999999);
			ck_assert(value(b, "writer_sleep_share", &share));
			ck_assert_double_le(share, 1);
		}
		ps_done(&eb.b);
	}
	ck_assert_msg(share > 0.5, "writers slept %g of their time", share);
}
END_TEST

/* No sleep: a share of 0, which is a number, and no length of a sleep, which would be none. */
START_TEST(writers_that_never_sleep)
{
	struct ek_bench eb;
	double share, sleep;

	ek_good_rep(&eb, "epoll/wait", "runtime=20ms fds=5 loop_sleep=0s writers=3");
	ck_assert_int_eq(ps_raw(&eb.b, "writer_slept"), 0);
	ck_assert_int_gt(ps_raw(&eb.b, "writer_time"), 0);
	ck_assert(value(&eb.b, "writer_sleep_share", &share));
	ck_assert_double_eq(share, 0);
	ck_assert_uint_eq(recorded(&eb.b, "writer_rests"), 0);
	ck_assert(!value(&eb.b, "writer_sleep", &sleep));
	ps_done(&eb.b);
}
END_TEST

/* Every writer counts, and no waiter: three sleep at the same time, so together longer than the period. */
START_TEST(all_writers_count)
{
	bool longer = false;

	for (int i = 0, ms = 60; i < TRIES && !longer; i++, ms *= 2) {
		struct ek_bench eb;
		char params[160];

		snprintf(params, sizeof(params), "threads=1 runtime=%dms fds=6 loop_sleep=5ms writers=3", ms);
		ek_good_rep(&eb, "epoll/wait", params);
		longer = ps_raw(&eb.b, "writer_time") > 2 * ps_raw(&eb.b, "work_span");
		ps_done(&eb.b);
	}
	ck_assert(longer);
}
END_TEST

struct timers {
	double sleep, rate; /* of one rep */
	bool slept;
	struct pg_err err;
};

/* A rep whose threads the kernel may wake late, as it does where timers are coarse. */
static int rep_with_slack(struct timers *t, unsigned long slack_ns)
{
	struct ek_bench eb;
	int r;

	if (prctl(PR_SET_TIMERSLACK, slack_ns))
		return 10;
	ek_bind(&eb, "epoll/wait", "threads=1 runtime=100ms fds=4 loop_sleep=500ns");
	r = ps_rep(&eb.b);
	t->err = eb.b.err;
	t->slept = r == 0 && value(&eb.b, "writer_sleep", &t->sleep) && value(&eb.b, "rate", &t->rate);
	ps_done(&eb.b);
	return r ? 1 : 0;
}

static int fine_then_coarse(void *arg)
{
	struct timers *t = arg;
	int r = rep_with_slack(&t[0], 1);

	return r ? r : rep_with_slack(&t[1], 50000000);
}

/* The same command on coarse timers: fewer events, and the row says why. */
START_TEST(coarse_timers_are_told)
{
	struct timers *t = ps_shared(2 * sizeof(*t));
	bool told = false;

	for (int i = 0; i < TRIES && !told; i++) {
		const int status = ps_in_child(fine_then_coarse, t);

		ck_assert_msg(status == 0, "%d: %s %s", status, t[0].err.msg, t[1].err.msg);
		told = t[0].slept && t[1].slept && t[1].sleep > 2 * t[0].sleep && t[1].rate < t[0].rate;
	}
	ck_assert_msg(told, "sleeps of %g and %g s, %g and %g events a second", t[0].sleep, t[1].sleep, t[0].rate,
		      t[1].rate);
	munmap(t, 2 * sizeof(*t));
}
END_TEST

/* 30 of 40 s slept in 600 sleeps. */
START_TEST(values_follow_from_samples)
{
	const struct pg_metric *rows = pg_bench_find("epoll/wait")->metrics;
	static const struct {
		const char *metric, *num, *den;
		int64_t n, d;
		int8_t exp_d;
		double expect;
	} cases_[] = {
		{"writer_sleep", "writer_slept", "writer_rests", 30000000000, 600, 0, 0.05},
		{"writer_sleep_share", "writer_slept", "writer_time", 30000000000, 40000000000, -9, 0.75},
	};

	for (size_t i = 0; i < sizeof(cases_) / sizeof(cases_[0]); i++) {
		struct pg_sample s[2];
		size_t num, den, row;
		double v;

		ck_assert_ptr_nonnull(pg_metric_find(rows, cases_[i].num, &num));
		ck_assert_ptr_nonnull(pg_metric_find(rows, cases_[i].den, &den));
		ck_assert_ptr_nonnull(pg_metric_find(rows, cases_[i].metric, &row));
		ck_assert_uint_lt(num, den);
		s[0] = (struct pg_sample){.raw = cases_[i].n, .metric = (uint32_t)num, .exp10 = -9};
		s[1] = (struct pg_sample){.raw = cases_[i].d, .metric = (uint32_t)den, .exp10 = cases_[i].exp_d};
		ck_assert(pg_metric_value(rows, row, s, 2, &v));
		ck_assert_double_eq_tol(v, cases_[i].expect, 1e-9);
	}
}
END_TEST

PG_TEST_MAIN("suites_epoll_writers", ((const struct pg_test[]){
					     {sleeping_writers_are_seen, 2},
					     {writers_that_never_sleep, 0},
					     {all_writers_count, 0},
					     {coarse_timers_are_told, 0},
					     {values_follow_from_samples, 0},
					     {NULL, 0},
				     }))
