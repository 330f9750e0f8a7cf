/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/pgtest.h"

#include "tests/support/fake_rounds.h"

static struct fr f, g;

static size_t find(const struct fr *x, uint32_t round, uint32_t position)
{
	for (size_t i = 0; i < x->n_log; i++) {
		if (x->log[i].kind == FR_REP && x->log[i].round == round && x->log[i].position == position)
			return x->log[i].cell;
	}
	ck_abort_msg("nothing at %u of round %u", position, round);
	return 0;
}

START_TEST(fixed)
{
	size_t at = 0;

	fr_init(&f, 10);
	fr_open(&f);
	fr_run_all(&f);
	/* One warm-up of each, then rounds of all: each a permutation. */
	for (uint32_t round = 0; round <= 3; round++) {
		bool seen[10] = {false};

		for (uint32_t p = 0; p < 10; at++) {
			const struct fr_event *e = &f.log[at];

			if (e->kind == FR_END)
				continue;
			ck_assert_uint_eq(e->round, round);
			ck_assert_uint_eq(e->position, p++);
			ck_assert_int_eq(e->warmup, round == 0);
			ck_assert_uint_eq(e->rep, round == 0 ? 1 : round);
			ck_assert_uint_eq(e->attempt, 1);
			ck_assert(!seen[e->cell]);
			seen[e->cell] = true;
		}
	}
	for (size_t i = 0; i < 10; i++) {
		struct pg_cell_state s = fr_state(&f, i);

		ck_assert_int_eq(s.status, PG_ST_OK);
		ck_assert_int_eq(s.stop, PG_STOP_FIXED);
		ck_assert_uint_eq(s.n, 3);
		ck_assert_uint_eq(s.n_warmup, 1);
		ck_assert_uint_eq(s.n_failed, 0);
		ck_assert_uint_eq(s.ops, 9);
	}
	ck_assert_uint_eq(f.n_log, 50);
	ck_assert_uint_eq(f.n_between, 40);
	ck_assert_uint_eq(f.n_starts, 40);
	fr_close(&f);
}
END_TEST

START_TEST(orders)
{
	static const enum pg_order all[] = {PG_INTERLEAVED, PG_IN_FILE, PG_GROUPED};
	bool same_as_file = true, rounds_alike = true, same_again = true, same_other_seed = true;

	fr_init(&f, 8);
	f.rules.order = all[_i];
	fr_open(&f);
	fr_run_all(&f);
	fr_init(&g, 8);
	g.rules.order = all[_i];
	fr_open(&g);
	fr_run_all(&g);
	ck_assert_uint_eq(f.n_log, g.n_log);
	for (size_t i = 0; i < f.n_log; i++)
		same_again &= f.log[i].cell == g.log[i].cell;
	ck_assert(same_again);
	fr_close(&g);
	if (all[_i] == PG_GROUPED) {
		for (size_t i = 0; i < f.n_log; i++)
			ck_assert_uint_eq(f.log[i].cell, i / 5); /* warm-up, three reps, end */
		fr_close(&f);
		return;
	}
	fr_init(&g, 8);
	g.rules.order = all[_i];
	g.seed = 43;
	fr_open(&g);
	fr_run_all(&g);
	for (uint32_t p = 0; p < 8; p++) {
		same_as_file &= find(&f, 1, p) == p;
		rounds_alike &= find(&f, 1, p) == find(&f, 2, p);
		same_other_seed &= find(&f, 1, p) == find(&g, 1, p);
	}
	ck_assert_int_eq(same_as_file, all[_i] == PG_IN_FILE);
	ck_assert_int_eq(rounds_alike, all[_i] == PG_IN_FILE);
	ck_assert_int_eq(same_other_seed, all[_i] == PG_IN_FILE);
	fr_close(&g);
	fr_close(&f);
}
END_TEST

static enum pg_skip skip_some(size_t i)
{
	static const enum pg_skip skips[] = {PG_NOT_SKIPPED, PG_SKIP_RULE, PG_SKIP_PREFLIGHT, PG_SKIP_NOT_SELECTED};

	return skips[i % 4];
}

START_TEST(skipped)
{
	static const enum pg_status expected[] = {PG_ST_OK, PG_ST_SKIPPED, PG_ST_SKIPPED, PG_ST_NOT_RUN};
	uint64_t done, total;

	fr_init(&f, 8);
	f.skip = skip_some;
	fr_open(&f);
	pg_rounds_progress(f.rounds, &done, &total);
	ck_assert_uint_eq(done, 0);
	ck_assert_uint_eq(total, 2 * 4);
	fr_run_all(&f);
	for (size_t i = 0; i < 8; i++) {
		ck_assert_uint_eq(fr_count(&f, i, false), i % 4 ? 0 : 3);
		ck_assert_int_eq(fr_state(&f, i).status, expected[i % 4]);
	}
	fr_close(&f);
}
END_TEST

/* What a cell answers by the number of its job, as letters: . good, f failed, t timed out, i invalid. */
static const char *script;
static size_t script_at;

static enum pg_status by_script(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	char c = script[script_at] ? script[script_at++] : '.';

	(void)x;
	(void)job;
	(void)i;
	*raw += (int64_t)script_at;
	return c == 'f' ? PG_ST_FAILED : c == 't' ? PG_ST_TIMEOUT : c == 'i' ? PG_ST_INVALID : PG_ST_OK;
}

START_TEST(failures)
{
	static const struct {
		const char *script;
		uint32_t warmup, n, retry;
		enum pg_status status;
		enum pg_stop stop;
		uint32_t good, bad, warm;
		size_t jobs;
	} cases[] = {
		{"", 1, 3, 0, PG_ST_OK, PG_STOP_FIXED, 3, 0, 1, 4},
		{".f", 1, 3, 0, PG_ST_OK, PG_STOP_FIXED, 2, 1, 1, 4},
		{"f", 1, 3, 0, PG_ST_OK, PG_STOP_FIXED, 3, 0, 1, 4}, /* a warm-up that failed */
		{"fff", 1, 10, 0, PG_ST_FAILED, PG_STOP_ERROR, 0, 2, 1, 3},
		{"fff", 5, 10, 0, PG_ST_FAILED, PG_STOP_ERROR, 0, 0, 3, 3}, /* in the warm-ups */
		{"fft", 1, 10, 0, PG_ST_TIMEOUT, PG_STOP_ERROR, 0, 2, 1, 3},
		{"ttf", 1, 10, 0, PG_ST_FAILED, PG_STOP_ERROR, 0, 2, 1, 3},
		{".ff.ff.ff.", 0, 10, 0, PG_ST_OK, PG_STOP_FIXED, 4, 6, 0, 10},
		{".....fff", 0, 10, 0, PG_ST_FAILED, PG_STOP_ERROR, 5, 3, 0, 8},
		{".......fff", 0, 10, 0, PG_ST_FAILED, PG_STOP_ERROR, 7, 3, 0, 10},
		{"ff", 0, 2, 0, PG_ST_FAILED, PG_STOP_ERROR, 0, 2, 0, 2}, /* no good one */
		{"tt", 0, 2, 0, PG_ST_TIMEOUT, PG_STOP_ERROR, 0, 2, 0, 2},
		{"t", 0, 1, 0, PG_ST_TIMEOUT, PG_STOP_ERROR, 0, 1, 0, 1},
		{"f.", 0, 2, 1, PG_ST_OK, PG_STOP_FIXED, 2, 0, 0, 3},
		{"ff.", 0, 2, 1, PG_ST_OK, PG_STOP_FIXED, 1, 1, 0, 3},
		{"ff.", 0, 2, 2, PG_ST_OK, PG_STOP_FIXED, 2, 0, 0, 4},
		{"fffff.", 0, 2, 5, PG_ST_OK, PG_STOP_FIXED, 2, 0, 0, 7}, /* tries are not reps */
		{"ffffff", 0, 9, 1, PG_ST_FAILED, PG_STOP_ERROR, 0, 3, 0, 6},
		{"ff..", 1, 2, 1, PG_ST_OK, PG_STOP_FIXED, 2, 0, 1, 4},	 /* a warm-up is tried again too */
		{"i", 0, 10, 0, PG_ST_OK, PG_STOP_FIXED, 9, 1, 0, 10},	 /* 10 % */
		{"i", 0, 9, 0, PG_ST_FAILED, PG_STOP_ERROR, 8, 1, 0, 9}, /* more */
		{"i....i", 0, 19, 0, PG_ST_FAILED, PG_STOP_ERROR, 17, 2, 0, 19},
		{"i....i", 0, 20, 0, PG_ST_OK, PG_STOP_FIXED, 18, 2, 0, 20},
		{"iii", 0, 40, 0, PG_ST_FAILED, PG_STOP_ERROR, 0, 3, 0, 3},
		{"fif", 0, 40, 0, PG_ST_FAILED, PG_STOP_ERROR, 0, 3, 0, 3},
	};
	struct pg_cell_state s;
	uint64_t done, total;

	fr_init(&f, 1);
	script = cases[_i].script;
	script_at = 0;
	f.answer = by_script;
	f.rules.warmup = cases[_i].warmup;
	f.rules.retry = cases[_i].retry;
	f.rules.repeat.n = cases[_i].n;
	fr_open(&f);
	fr_run_all(&f);
	s = fr_state(&f, 0);
	ck_assert_int_eq(s.status, cases[_i].status);
	ck_assert_int_eq(s.stop, cases[_i].stop);
	ck_assert_uint_eq(s.n, cases[_i].good);
	ck_assert_uint_eq(s.n_failed, cases[_i].bad);
	ck_assert_uint_eq(s.n_warmup, cases[_i].warm);
	ck_assert_uint_eq(f.n_jobs, cases[_i].jobs);
	ck_assert_uint_eq(f.n_records, cases[_i].jobs);
	ck_assert_int_eq(f.log[f.n_log - 1].kind, FR_END);
	ck_assert_int_eq(f.log[f.n_log - 1].status, cases[_i].status);
	ck_assert_int_eq(f.log[f.n_log - 1].stop, cases[_i].stop);
	pg_rounds_progress(f.rounds, &done, &total);
	ck_assert_uint_eq(done, total);
	fr_close(&f);
}
END_TEST
#define FAILURES 25

START_TEST(attempts)
{
	static const uint32_t attempt[] = {1, 1, 2, 3, 1}, rep[] = {1, 1, 1, 1, 2};

	fr_init(&f, 1);
	script = ".fff.";
	script_at = 0;
	f.answer = by_script;
	f.rules.retry = 2;
	f.rules.repeat.n = 2;
	fr_open(&f);
	fr_run_all(&f);
	ck_assert_uint_eq(f.n_records, 5);
	for (size_t i = 0; i < 5; i++) {
		ck_assert_uint_eq(f.log[i].attempt, attempt[i]);
		ck_assert_uint_eq(f.log[i].rep, rep[i]);
	}
	fr_close(&f);
}
END_TEST

static enum pg_status broken(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	(void)job;
	(void)i;
	(void)raw;
	return x->n_jobs == 3 ? PG_ST_ABSENT : PG_ST_OK;
}

START_TEST(errors)
{
	struct pg_err err = {.code = PG_OK};

	fr_init(&f, 2);
	f.answer = broken;
	fr_open(&f);
	ck_assert_int_eq(fr_go(&f, &err), -1);
	ck_assert_int_eq(err.code, PG_ENOMEM);
	ck_assert_uint_eq(f.n_records, 3);
	fr_close(&f);
	fr_init(&f, 2);
	f.fail_observer = true;
	fr_open(&f);
	ck_assert_int_eq(fr_go(&f, &err), -1);
	ck_assert_int_eq(err.code, PG_EWRITE);
	ck_assert_uint_eq(f.n_jobs, 1);
	fr_close(&f);
}
END_TEST

START_TEST(stops_at_once)
{
	fr_init(&f, 5);
	f.stop_after = 7;
	fr_open(&f);
	fr_run_all(&f);
	ck_assert_uint_eq(f.n_jobs, 7);
	fr_close(&f);
	/* Stopped before anything: nothing is started. */
	fr_init(&f, 5);
	f.stop = SIGHUP;
	fr_open(&f);
	fr_run_all(&f);
	ck_assert_uint_eq(f.n_jobs, 0);
	fr_close(&f);
	/* The rep in progress is dropped. */
	fr_init(&f, 5);
	f.stop_within = 4;
	fr_open(&f);
	fr_run_all(&f);
	ck_assert_uint_eq(f.n_jobs, 4);
	ck_assert_uint_eq(f.n_records, 3);
	fr_close(&f);
}
END_TEST

static enum pg_status by_cell(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	(void)x;
	(void)job;
	*raw += (int64_t)i;
	return i % 5 == 0 ? PG_ST_FAILED : PG_ST_OK;
}

/* done grows by one a final rep, and total only gets smaller. */
START_TEST(progress)
{
	uint64_t done, total, last_done = 0, last_total = UINT64_MAX;
	struct pg_err err;

	fr_init(&f, 20);
	fr_ci(&f, 20, 0.02, 60000000000);
	f.answer = by_cell;
	fr_open(&f);
	do {
		f.stop = 0;
		f.stop_after = f.n_records + 1;
		ck_assert_int_eq(fr_go(&f, &err), 0);
		pg_rounds_progress(f.rounds, &done, &total);
		ck_assert_uint_le(total, last_total);
		ck_assert_uint_le(done, last_done + 1);
		last_done = done;
		last_total = total;
	} while (f.stop);
	ck_assert_uint_eq(done, total);
	ck_assert_uint_eq(done, f.n_records);
	fr_close(&f);
}
END_TEST

static size_t counted;

static int count_rep(void *ctx, const struct pg_cell *cell, const struct pg_rep_record *r, struct pg_err *err)
{
	(void)ctx;
	(void)cell;
	(void)r;
	(void)err;
	counted++;
	return 0;
}

START_TEST(many_cells)
{
	struct pg_observer obs = {.rep_done = count_rep};
	struct pg_executor exec = {fr_run, &f};
	struct pg_err err;

	fr_init(&f, 200000);
	f.rules.repeat.n = 1;
	f.rules.warmup = 0;
	fr_open(&f);
	counted = 0;
	ck_assert_int_eq(pg_rounds_run(f.rounds, &exec, &obs, &f.clock, &f.stop, &err), 0);
	ck_assert_uint_eq(counted, 200000);
	for (size_t i = 0; i < f.n; i += 997)
		ck_assert_int_eq(fr_state(&f, i).status, PG_ST_OK);
	fr_close(&f);
}
END_TEST

START_TEST(no_cells)
{
	fr_init(&f, 0);
	fr_open(&f);
	fr_run_all(&f);
	ck_assert_uint_eq(f.n_jobs, 0);
	fr_close(&f);
}
END_TEST

START_TEST(stop_names)
{
	static const enum pg_stop all[] = {PG_STOP_CI, PG_STOP_MAX, PG_STOP_TIME, PG_STOP_FIXED, PG_STOP_ERROR};
	static const char *const names[] = {"ci", "max", "time", "fixed", "error"};

	for (int i = 0; i < 5; i++) {
		ck_assert_str_eq(pg_stop_name(all[i]), names[i]);
		ck_assert_int_eq(pg_stop_find(names[i]), (int)all[i]);
	}
	ck_assert_int_eq(pg_stop_find("none"), -1);
	ck_assert_int_eq(pg_stop_find(""), -1);
}
END_TEST

PG_TEST_MAIN("engine_rounds", ((const struct pg_test[]){
				      {fixed, 0},
				      {orders, 3},
				      {skipped, 0},
				      {failures, FAILURES},
				      {attempts, 0},
				      {errors, 0},
				      {stops_at_once, 0},
				      {progress, 0},
				      {many_cells, 0},
				      {no_cells, 0},
				      {stop_names, 0},
				      {NULL, 0},
			      }))
