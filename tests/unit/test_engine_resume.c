/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run that is cut anywhere and goes on from its records does what it would have done: the same reps in the same
 * order, the same ends. Cut after every record, with and without the "end" record that may be lost with it; twice in a
 * row too.
 */
#include "tests/support/pgtest.h"

#include "tests/support/fake_rounds.h"

static struct fr whole, first, second;

/* Depends on cell, phase, rep and attempt alone: as a machine would be that knows nothing of sessions. */
static uint64_t dice(const struct pg_job *job, size_t i)
{
	uint64_t h = job->seed ^ ((uint64_t)i << 32) ^ (job->attempt * 0x9e3779b97f4a7c15U);

	h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9U;
	h = (h ^ (h >> 27)) * 0x94d049bb133111ebU;
	return h >> 11;
}

static enum pg_status answer(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	uint64_t d = dice(job, i);

	(void)x;
	if (job->calibrate) {
		*raw = (int64_t)job->ops * (int64_t)(1000 + i);
		return i == 3 ? PG_ST_FAILED : PG_ST_OK;
	}
	*raw += (int64_t)(d % (i % 3 == 2 ? 500000 : 9000));
	if (i == 4)
		return PG_ST_TIMEOUT;
	switch (d % 16) {
	case 0:
	case 1:
	case 2:
		return PG_ST_FAILED;
	case 3:
		return i == 5 ? PG_ST_INVALID : PG_ST_TIMEOUT;
	default:
		return PG_ST_OK;
	}
}

static enum pg_skip skip(size_t i)
{
	return i == 1 ? PG_SKIP_RULE : PG_NOT_SKIPPED;
}

/* Arms: those of cell 0 are alike, of cell 1 one is slower, of cell 2 nothing is sure and one fails now and then. */
static enum pg_status of_arms(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	uint64_t d = dice(job, i);
	size_t cell = i / x->arms;

	if (job->calibrate) {
		*raw = (int64_t)job->ops * (int64_t)(1000 + 100 * i);
		return i == 3 && job->ops == 100 && job->attempt == 1 ? PG_ST_FAILED : PG_ST_OK;
	}
	*raw += (int64_t)(d % (cell == 2 ? 900000 : 3000)) + (cell == 1 && i % x->arms == 1 ? 300000 : 0);
	if (cell == 2 && d % 7 == 0)
		return PG_ST_FAILED;
	/* The baseline of the last cell fails for good. */
	return cell == 3 && i % x->arms == 0 && job->rep > 3 ? PG_ST_TIMEOUT : PG_ST_OK;
}

/* By what is recorded alone, so that a resumed run sees the same. */
static bool disturbed_once(const struct fr *x, const struct pg_job *job, size_t i)
{
	struct pg_cell_state s;

	pg_rounds_state(x->rounds, i, &s);
	return !job->warmup && (dice(job, i) + s.n_redone) % 3 == 0;
}

static int64_t floor_of(const struct fr *x, const struct pg_job *job, size_t i)
{
	(void)x;
	return 1000 + (int64_t)(dice(job, i) % 30) + (i % 2 ? 20 : 0);
}

static void configure_arms(struct fr *f, int kind)
{
	static const uint32_t looks[] = {6, 8, 10};

	fr_init(f, kind == 10 ? 6 : 8);
	fr_looks(f, kind == 10 ? 3 : 2, looks, 3);
	f->family = 4;
	f->answer = of_arms;
	if (kind == 8) {
		f->automatic = true;
		f->rules.retry = 1;
	}
	if (kind == 9) {
		f->rules.redo = 2;
		f->disturb = disturbed_once;
		f->floors = true;
		f->floor = floor_of;
		f->rules.order = PG_GROUPED;
	}
	if (kind == 10)
		f->rules.order = PG_IN_FILE;
	if (kind == 11) /* its time ends some, as recorded */
		fr_ci(f, 10, 0.9, 9000000);
}

static void configure(struct fr *f, int kind)
{
	if (kind >= 7 && kind < 12) {
		configure_arms(f, kind);
		return;
	}
	fr_init(f, 7);
	f->answer = answer;
	f->skip = skip;
	switch (kind) {
	case 0:
		f->rules.repeat.n = 5;
		break;
	case 1:
		f->rules.repeat.n = 4;
		f->rules.retry = 2;
		f->rules.warmup = 3;
		break;
	case 2:
		fr_ci(f, 15, 0.02, 60000000000);
		f->rules.retry = 1;
		break;
	case 3: /* time ends some: as recorded, a failed rep takes none */
		fr_ci(f, 40, 0.005, 14000000);
		break;
	case 4:
		f->rules.repeat.n = 4;
		f->rules.order = PG_GROUPED;
		f->rules.retry = 1;
		break;
	case 5:
		f->rules.repeat.n = 4;
		f->rules.order = PG_IN_FILE;
		f->rules.warmup = 0;
		break;
	case 6:
		f->automatic = true;
		f->rules.repeat.n = 3;
		f->rules.retry = 1;
		break;
	default:
		f->rules.repeat.n = 4;
		f->rules.redo = 3;
		f->rules.retry = 1;
		f->disturb = disturbed_once;
		break;
	}
}
#define KINDS 13

static void same_event(const struct fr_event *a, const struct fr_event *b)
{
	ck_assert_int_eq(a->kind, b->kind);
	ck_assert_uint_eq(a->cell, b->cell);
	ck_assert_int_eq(a->warmup, b->warmup);
	ck_assert_uint_eq(a->round, b->round);
	ck_assert_uint_eq(a->position, b->position);
	ck_assert_uint_eq(a->attempt, b->attempt);
	ck_assert_uint_eq(a->rep, b->rep);
	ck_assert_int_eq(a->status, b->status);
	ck_assert_int_eq(a->raw, b->raw);
	ck_assert_int_eq(a->disturbed, b->disturbed);
	ck_assert_int_eq(a->redo, b->redo);
	ck_assert_uint_eq(a->seed, b->seed);
	ck_assert_uint_eq(a->ops, b->ops);
	ck_assert_int_eq(a->stop, b->stop);
}

static void same_states(const struct fr *a, const struct fr *b)
{
	for (size_t i = 0; i < a->n; i++) {
		struct pg_cell_state x = fr_state(a, i), y = fr_state(b, i);

		ck_assert_int_eq(x.status, y.status);
		ck_assert_int_eq(x.stop, y.stop);
		ck_assert_uint_eq(x.n, y.n);
		ck_assert_uint_eq(x.n_warmup, y.n_warmup);
		ck_assert_uint_eq(x.n_failed, y.n_failed);
		ck_assert_uint_eq(x.n_redone, y.n_redone);
		ck_assert_uint_eq(x.ops, y.ops);
	}
}

/* Goes on from log[0..n) and compares with what `whole` did from event `at` on. */
static void go_on(struct fr *f, int kind, const struct fr_event *log, size_t n, size_t at)
{
	uint64_t done, total;

	configure(f, kind);
	fr_open(f);
	fr_restore(f, log, n);
	fr_run_all(f);
	ck_assert_uint_eq(f->n_log, whole.n_log - at);
	for (size_t i = 0; i < f->n_log; i++)
		same_event(&f->log[i], &whole.log[at + i]);
	same_states(f, &whole);
	pg_rounds_progress(f->rounds, &done, &total);
	ck_assert_uint_eq(done, total);
	fr_close(f);
}

START_TEST(cut_everywhere)
{
	size_t ends = 0;

	configure(&whole, _i);
	fr_open(&whole);
	fr_run_all(&whole);
	for (size_t k = 0; k <= whole.n_log; k++) {
		ends += k < whole.n_log && whole.log[k].kind == FR_END;
		go_on(&first, _i, whole.log, k, k);
	}
	ck_assert_uint_eq(ends, whole.n - (whole.skip ? 1 : 0));
	fr_close(&whole);
}
END_TEST

/* Stopped live after k records, and again after k more. */
START_TEST(stopped_twice)
{
	configure(&whole, _i);
	fr_open(&whole);
	fr_run_all(&whole);
	for (size_t k = 1; k < whole.n_records; k += 3) {
		struct fr_event log[FR_LOG];
		size_t n;

		configure(&first, _i);
		first.stop_after = k;
		fr_open(&first);
		fr_run_all(&first);
		configure(&second, _i);
		second.stop_after = k;
		fr_open(&second);
		fr_restore(&second, first.log, first.n_log);
		fr_run_all(&second);
		n = first.n_log + second.n_log;
		memcpy(log, first.log, first.n_log * sizeof(*log));
		memcpy(log + first.n_log, second.log, second.n_log * sizeof(*log));
		fr_close(&first);
		fr_close(&second);
		go_on(&first, _i, log, n, n);
	}
	fr_close(&whole);
}
END_TEST

static bool healed;

static enum pg_status ill(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	(void)x;
	*raw += (int64_t)(dice(job, i) % 1000);
	if (healed)
		return PG_ST_OK;
	if (i == 0) /* in its warm-up */
		return PG_ST_FAILED;
	if (i == 2 && !job->warmup && job->rep > 2)
		return PG_ST_TIMEOUT;
	return PG_ST_OK;
}

static void configure_ill(struct fr *f)
{
	fr_init(f, 4);
	f->rules.repeat.n = 6;
	f->rules.warmup = 2;
	f->answer = ill;
}

/* --retry-failed: the failed cells alone are measured again, their good reps stay; and that can be cut anywhere too. */
START_TEST(retry_failed)
{
	size_t before;

	healed = false;
	configure_ill(&first);
	fr_open(&first);
	fr_run_all(&first);
	before = first.n_log;
	ck_assert_int_eq(fr_state(&first, 0).status, PG_ST_FAILED);
	ck_assert_int_eq(fr_state(&first, 2).status, PG_ST_TIMEOUT);
	ck_assert_uint_eq(fr_state(&first, 2).n, 2);

	/* Resumed without it: nothing is left to do. */
	configure_ill(&second);
	fr_open(&second);
	fr_restore(&second, first.log, before);
	fr_run_all(&second);
	ck_assert_uint_eq(second.n_log, 0);
	fr_close(&second);

	healed = true;
	configure_ill(&whole);
	fr_open(&whole);
	fr_restore(&whole, first.log, before);
	ck_assert_int_eq(pg_rounds_retry_failed(whole.rounds), 0);
	fr_run_all(&whole);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_int_eq(fr_state(&whole, i).status, PG_ST_OK);
		ck_assert_uint_eq(fr_state(&whole, i).n, 6);
		ck_assert_uint_eq(fr_state(&whole, i).n_failed, 0);
	}
	ck_assert_uint_eq(fr_count(&whole, 0, true), 2); /* warm-ups again, there was none that was good */
	ck_assert_uint_eq(fr_count(&whole, 0, false), 6);
	ck_assert_uint_eq(fr_count(&whole, 2, true), 0);
	ck_assert_uint_eq(fr_count(&whole, 2, false), 4);
	ck_assert_uint_eq(fr_count(&whole, 1, false), 0);
	/* No number is given twice: seeds follow from it. */
	for (size_t i = 0; i < whole.n_log; i++)
		if (whole.log[i].kind == FR_REP && whole.log[i].cell == 2)
			ck_assert_uint_gt(whole.log[i].rep, 5);

	for (size_t k = 0; k <= whole.n_log; k++) {
		configure_ill(&second);
		fr_open(&second);
		fr_restore(&second, first.log, before);
		ck_assert_int_eq(pg_rounds_retry_failed(second.rounds), 0);
		fr_restore(&second, whole.log, k);
		fr_run_all(&second);
		ck_assert_uint_eq(second.n_log, whole.n_log - k);
		for (size_t i = 0; i < second.n_log; i++)
			same_event(&second.log[i], &whole.log[k + i]);
		same_states(&second, &whole);
		fr_close(&second);
	}
	fr_close(&whole);
	fr_close(&first);
}
END_TEST

/* `repeat` may be raised for a resumed run: cells that had their number go on, failed ones do not. */
START_TEST(repeat_raised)
{
	healed = false;
	configure_ill(&first);
	fr_open(&first);
	fr_run_all(&first);
	configure_ill(&second);
	second.rules.repeat.n = 9;
	fr_open(&second);
	fr_restore(&second, first.log, first.n_log);
	fr_run_all(&second);
	ck_assert_uint_eq(fr_state(&second, 1).n, 9);
	ck_assert_uint_eq(fr_count(&second, 1, false), 3);
	ck_assert_uint_eq(fr_count(&second, 1, true), 0);
	ck_assert_int_eq(fr_state(&second, 1).status, PG_ST_OK);
	ck_assert_int_eq(fr_state(&second, 0).status, PG_ST_FAILED);
	ck_assert_uint_eq(fr_count(&second, 0, false), 0);
	fr_close(&second);
	/* Lowered: nothing is left to do. */
	configure_ill(&second);
	second.rules.repeat.n = 3;
	fr_open(&second);
	fr_restore(&second, first.log, first.n_log);
	fr_run_all(&second);
	ck_assert_uint_eq(second.n_jobs, 0);
	ck_assert_int_eq(fr_state(&second, 1).stop, PG_STOP_FIXED);
	fr_close(&second);
	fr_close(&first);
}
END_TEST

START_TEST(strange_records)
{
	struct pg_outcome out;
	struct pg_rep_record rec = {.cell = 99, .attempt = 1, .round = 1, .out = &out};

	configure(&first, 0);
	fr_open(&first);
	fr_outcome(&out, PG_ST_OK, 5);
	ck_assert_int_eq(pg_rounds_restore_rep(first.rounds, &rec), -1);
	ck_assert_int_eq(pg_rounds_restore_end(first.rounds, 99, PG_STOP_FIXED), -1);
	ck_assert_int_eq(pg_rounds_restore_ops(first.rounds, 99, 5), -1);
	fr_close(&first);
}
END_TEST

PG_TEST_MAIN("engine_resume", ((const struct pg_test[]){
				      {cut_everywhere, KINDS},
				      {stopped_twice, KINDS},
				      {retry_failed, 0},
				      {repeat_raised, 0},
				      {strange_records, 0},
				      {NULL, 0},
			      }))
