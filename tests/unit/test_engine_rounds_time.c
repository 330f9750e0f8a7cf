/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rounds and time: until sure, until time is up, calibration, pauses, facts that are dear. */
#include "tests/support/pgtest.h"

#include "tests/support/fake_rounds.h"

static struct fr f;

/* Noise by cell: 0 constant, 1 small, 2 large; about 1 ms. */
static enum pg_status noisy(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	static const int64_t size[] = {0, 2000, 400000};
	uint64_t h = job->seed;

	(void)x;
	h = (h ^ (h >> 31)) * 0x9e3779b97f4a7c15U;
	*raw += (int64_t)(h >> 40) % 1000 * size[i % 3] / 1000;
	return PG_ST_OK;
}

START_TEST(until_sure)
{
	fr_init(&f, 3);
	fr_ci(&f, 30, 0.02, 60000000000);
	f.answer = noisy;
	fr_open(&f);
	fr_run_all(&f);
	ck_assert_int_eq(fr_state(&f, 0).stop, PG_STOP_CI);
	ck_assert_uint_eq(fr_state(&f, 0).n, 6);
	ck_assert_int_eq(fr_state(&f, 0).status, PG_ST_OK);
	ck_assert_int_eq(fr_state(&f, 1).stop, PG_STOP_CI);
	ck_assert_uint_eq(fr_state(&f, 1).n, 6);
	ck_assert_int_eq(fr_state(&f, 2).stop, PG_STOP_MAX);
	ck_assert_uint_eq(fr_state(&f, 2).n, 30);
	ck_assert_int_eq(fr_state(&f, 2).status, PG_ST_UNSTABLE);
	fr_close(&f);
}
END_TEST

START_TEST(until_time_is_up)
{
	/* Warm-up and reps of 1 ms: the seventh would end at 8 ms. */
	fr_init(&f, 1);
	fr_ci(&f, 1000, 1e-9, 7500000);
	f.answer = noisy;
	fr_open(&f);
	f.rules.repeat.min = 500; /* time binds even before min */
	fr_run_all(&f);
	ck_assert_int_eq(fr_state(&f, 0).stop, PG_STOP_TIME);
	ck_assert_uint_eq(fr_state(&f, 0).n, 6);
	ck_assert_int_eq(fr_state(&f, 0).status, PG_ST_UNSTABLE);
	fr_close(&f);
}
END_TEST

/* 1 us a loop. */
static enum pg_status grows(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	(void)x;
	(void)i;
	*raw = (int64_t)job->ops * 1000;
	return PG_ST_OK;
}

START_TEST(calibration)
{
	fr_init(&f, 3);
	f.automatic = true;
	f.answer = grows;
	fr_open(&f);
	ck_assert_uint_eq(fr_state(&f, 1).ops, 0);
	fr_run_all(&f);
	/* 1, 10, 100, 1000, 10000 loops, then 50 ms / 10 ms * 1.1. */
	ck_assert_uint_eq(f.n_calibrations, 3 * 6);
	ck_assert_uint_eq(f.n_records, 3 * 4); /* steps are no records */
	for (size_t i = 0; i < f.n_log; i++) {
		if (f.log[i].kind == FR_CAL)
			ck_assert_uint_eq(f.log[i].ops, 55000);
		if (f.log[i].kind == FR_REP)
			ck_assert_int_eq(f.log[i].raw, 55000000);
	}
	ck_assert_int_eq(f.log[0].kind, FR_CAL); /* first of all, the warm-up behind it */
	ck_assert_int_eq(f.log[1].kind, FR_REP);
	ck_assert(f.log[1].warmup && f.log[1].cell == f.log[0].cell);
	ck_assert_uint_eq(fr_state(&f, 1).ops, 55000);
	fr_close(&f);
}
END_TEST

static bool first_only; /* the step fails but once */

static enum pg_status bad_steps(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	(void)i;
	*raw = (int64_t)job->ops * 1000;
	if (job->calibrate && job->ops == 100 && x->n_jobs < (first_only ? 3 : 1000))
		return PG_ST_TIMEOUT;
	/* One loop is too short to be seen: no fault. */
	return job->calibrate && job->ops == 1 ? PG_ST_INVALID : PG_ST_OK;
}

START_TEST(calibration_fails)
{
	fr_init(&f, 1);
	f.automatic = true;
	f.answer = bad_steps;
	first_only = _i;
	fr_open(&f);
	fr_run_all(&f);
	/* The step that failed is told as a warm-up: else nothing says why. */
	ck_assert_int_eq(f.log[0].kind, FR_REP);
	ck_assert(f.log[0].warmup);
	ck_assert_int_eq(f.log[0].status, PG_ST_TIMEOUT);
	if (_i) {
		ck_assert_int_eq(fr_state(&f, 0).status, PG_ST_OK);
		ck_assert_uint_eq(fr_state(&f, 0).n, 3);
		ck_assert_uint_eq(fr_state(&f, 0).ops, 55000);
	} else {
		ck_assert_int_eq(fr_state(&f, 0).status, PG_ST_TIMEOUT);
		ck_assert_int_eq(fr_state(&f, 0).stop, PG_STOP_ERROR);
		ck_assert_uint_eq(f.n_records, 3);
		ck_assert_uint_eq(fr_state(&f, 0).ops, 0);
	}
	fr_close(&f);
}
END_TEST

START_TEST(pauses)
{
	fr_init(&f, 2);
	f.rules.pause_ns = 250000000;
	fr_open(&f);
	fr_run_all(&f);
	ck_assert_int_eq(f.slept, 7 * 250000000); /* eight reps */
	fr_close(&f);
}
END_TEST

static enum pg_status slow_rep(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	(void)x;
	(void)job;
	(void)i;
	*raw = 300000000;
	return PG_ST_OK;
}

START_TEST(slow_facts)
{
	fr_init(&f, 4);
	f.answer = slow_rep;
	fr_open(&f);
	fr_run_all(&f);
	ck_assert_uint_eq(f.n_slow, 3); /* once a round */
	fr_close(&f);
	/* Where a round is shorter than a tenth of a second they would cost more than the reps. */
	fr_init(&f, 1);
	f.rules.repeat.n = 250;
	fr_open(&f);
	fr_run_all(&f);
	ck_assert_uint_eq(f.n_slow, 3); /* at 1, 101 and 201 ms */
	fr_close(&f);
}
END_TEST

PG_TEST_MAIN("engine_rounds_time", ((const struct pg_test[]){
					   {until_sure, 0},
					   {until_time_is_up, 0},
					   {calibration, 0},
					   {calibration_fails, 2},
					   {pauses, 0},
					   {slow_facts, 0},
					   {NULL, 0},
				   }))
