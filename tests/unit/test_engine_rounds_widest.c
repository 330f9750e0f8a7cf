/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far a run goes: up to a round, up to a time, and where time is short always on with the widest interval. */
#include "tests/support/pgtest.h"

#include "tests/support/fake_rounds.h"

#include "engine/stop.h"

#define S INT64_C(1000000000)

static struct fr f, whole, third;

/* The higher the cell's number the wilder. */
static enum pg_status wilder(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	(void)x;
	*raw = (int64_t)(1e6 * (1 + 0.05 * (double)i * fr_noise(job, i)));
	return PG_ST_OK;
}

/* As above, but cell 2 takes a hundred times as long, and cell 3 fails now and then. */
static enum pg_status uneven(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	wilder(x, job, i, raw);
	if (i == 2)
		*raw *= 100;
	return i == 3 && fr_noise(job, 99) > 0.3 ? PG_ST_FAILED : PG_ST_OK;
}

START_TEST(until_a_round)
{
	fr_init(&f, 5);
	f.rules.repeat.n = 7;
	f.answer = wilder;
	f.rules.order = (enum pg_order)_i;
	fr_open(&f);
	for (uint32_t round = 1; round <= 7; round += 2) {
		uint32_t next, last;

		fr_go_until(&f, (struct pg_until){.round = round});
		for (size_t i = 0; i < 5; i++)
			ck_assert_uint_eq(fr_state(&f, i).n, round);
		pg_rounds_reach(f.rounds, &next, &last);
		ck_assert_uint_eq(last, round);
		ck_assert_uint_eq(next, round == 7 ? 0 : round + 1);
	}
	ck_assert_uint_eq(f.n_records, 5 * 8);
	fr_close(&f);
}
END_TEST

/* Cut into pieces or not: the same reps in the same order. */
START_TEST(pieces_are_the_whole)
{
	fr_init(&whole, 6);
	whole.rules.repeat.n = 9;
	whole.answer = wilder;
	fr_open(&whole);
	fr_run_all(&whole);
	fr_init(&f, 6);
	f.rules.repeat.n = 9;
	f.answer = wilder;
	fr_open(&f);
	fr_go_until(&f, (struct pg_until){.round = 2});
	fr_go_until(&f, (struct pg_until){.round = 2});
	fr_go_until(&f, (struct pg_until){.round = 7});
	fr_run_all(&f);
	ck_assert_uint_eq(f.n_log, whole.n_log);
	for (size_t k = 0; k < f.n_log; k++) {
		ck_assert_uint_eq(f.log[k].cell, whole.log[k].cell);
		ck_assert_uint_eq(f.log[k].round, whole.log[k].round);
		ck_assert_uint_eq(f.log[k].position, whole.log[k].position);
	}
	fr_close(&f);
	fr_close(&whole);
}
END_TEST

static void configure(struct fr *x, int kind)
{
	static const uint32_t looks[] = {6, 8, 12};

	fr_init(x, 6);
	x->budget = true;
	x->answer = uneven;
	x->rules.retry = 1;
	switch (kind) {
	case 0:
		x->rules.repeat = (struct pg_repeat){.fixed = true, .n = 20, .conf = 0.95};
		break;
	case 1:
		fr_ci(x, 30, 0.02, 60 * S);
		break;
	default:
		fr_looks(x, 2, looks, 3);
		x->family = 6;
		break;
	}
}
#define KINDS 3
#define LEAST 6

/* As the schedule does it. */
static void run_budget(struct fr *x, int64_t time_ns)
{
	fr_go_until(x, (struct pg_until){.round = LEAST, .time_ns = time_ns});
	fr_go_widest(x, time_ns);
}

/* What each rep comes after: of the cells (with their arms) that had not ended, none had a wider interval. */
static void check_order(int kind)
{
	size_t arms = f.arms ? f.arms : 1, from = 0;

	while (from < f.n_log && !(f.log[from].kind == FR_REP && f.log[from].round > LEAST))
		from++;
	ck_assert_uint_lt(from, f.n_log);
	for (size_t k = from; k < f.n_log; k++) {
		size_t teams = f.n / arms;
		double width[6];

		/* The first rep of a round of a cell: what was known then follows from the records before. */
		if (f.log[k].kind != FR_REP || f.log[k].position > 0 || f.log[k].attempt > 1)
			continue;
		for (size_t t = 0; t < teams; t++) {
			width[t] = 0;
			for (size_t a = t * arms; a < (t + 1) * arms; a++) {
				double x[64], scratch[128], w;
				size_t n = 0;
				bool ended = false;

				for (size_t e = 0; e < k; e++) {
					const struct fr_event *ev = &f.log[e];

					ended |= ev->cell == a && ev->kind == FR_END;
					if (ev->cell == a && ev->kind == FR_REP && !ev->warmup &&
					    ev->status == PG_ST_OK)
						x[n++] = (double)ev->raw * 1e-9;
				}
				w = ended ? 0 : n < 2 ? 1e9 : pg_stop_width(&f.rules.repeat, x, n, scratch);
				width[t] = w > width[t] ? w : width[t];
			}
		}
		for (size_t t = 0; t < teams; t++)
			ck_assert_msg(width[t] <= width[f.log[k].cell / arms], "kind %d event %zu: cell %zu was wider",
				      kind, k, t);
	}
}

START_TEST(widest_first)
{
	configure(&f, _i);
	fr_open(&f);
	run_budget(&f, 0);
	/* Nothing was short: every cell met its rule. */
	for (size_t i = 0; i < f.n; i++) {
		ck_assert_int_ne(fr_state(&f, i).stop, PG_STOP_NONE);
		ck_assert_int_ne(fr_state(&f, i).stop, PG_STOP_TIME);
	}
	check_order(_i);
	fr_close(&f);
}
END_TEST

/* The time is kept: no rep begins that would end later, and the cells end by it. */
START_TEST(time_is_kept)
{
	static const int64_t time[] = {500000000, 900000000, 1500000000};
	struct pg_observer obs;
	struct pg_err err;
	int64_t start;

	configure(&f, _i % KINDS);
	fr_open(&f);
	start = f.t;
	run_budget(&f, start + time[_i / KINDS]);
	ck_assert_int_le(f.t - start, time[_i / KINDS] + 10000000);
	obs = fr_observer(&f);
	ck_assert_int_eq(pg_rounds_end_by_time(f.rounds, &obs, &err), 0);
	for (size_t i = 0; i < f.n; i++) {
		struct pg_cell_state s = fr_state(&f, i);

		if (s.n + s.n_failed > 0)
			ck_assert_int_ne(s.stop, PG_STOP_NONE);
		if (s.stop == PG_STOP_TIME && s.n > 0)
			ck_assert_int_eq(s.status, _i % KINDS == 1 ? PG_ST_UNSTABLE : PG_ST_OK);
	}
	fr_close(&f);
}
END_TEST

/* Nothing measured: no result, no end. */
START_TEST(no_time_at_all)
{
	struct pg_observer obs;
	struct pg_err err;

	configure(&f, 0);
	fr_open(&f);
	f.t = 5;
	run_budget(&f, 5);
	ck_assert_uint_eq(f.n_jobs, 0);
	obs = fr_observer(&f);
	ck_assert_int_eq(pg_rounds_end_by_time(f.rounds, &obs, &err), 0);
	ck_assert_uint_eq(f.n_log, 0);
	ck_assert_int_eq(fr_state(&f, 0).status, PG_ST_NOT_RUN);
	fr_close(&f);
}
END_TEST

/* Cut anywhere, it goes on as it would have. */
START_TEST(resumed)
{
	configure(&whole, _i);
	fr_open(&whole);
	run_budget(&whole, 0);
	for (size_t k = 0; k <= whole.n_log; k++) {
		configure(&f, _i);
		fr_open(&f);
		fr_restore(&f, whole.log, k);
		run_budget(&f, 0);
		ck_assert_uint_eq(f.n_log, whole.n_log - k);
		for (size_t i = 0; i < f.n_log; i++) {
			ck_assert_int_eq(f.log[i].kind, whole.log[k + i].kind);
			ck_assert_uint_eq(f.log[i].cell, whole.log[k + i].cell);
			ck_assert_uint_eq(f.log[i].round, whole.log[k + i].round);
			ck_assert_uint_eq(f.log[i].attempt, whole.log[k + i].attempt);
			ck_assert_int_eq(f.log[i].stop, whole.log[k + i].stop);
		}
		fr_close(&f);
	}
	fr_close(&whole);
}
END_TEST

/* What a budget has ended goes on with another one; what its rule has ended does not. */
START_TEST(a_second_budget)
{
	struct pg_observer obs;
	struct pg_err err;
	size_t n;

	configure(&whole, _i);
	fr_open(&whole);
	run_budget(&whole, 800000000);
	obs = fr_observer(&whole);
	ck_assert_int_eq(pg_rounds_end_by_time(whole.rounds, &obs, &err), 0);
	n = whole.n_log;
	configure(&f, _i);
	fr_open(&f);
	fr_restore(&f, whole.log, n);
	run_budget(&f, 0);
	ck_assert_uint_gt(f.n_records, 0);
	for (size_t i = 0; i < f.n; i++) {
		ck_assert_int_ne(fr_state(&f, i).stop, PG_STOP_TIME);
		ck_assert_int_ne(fr_state(&f, i).stop, PG_STOP_NONE);
	}
	for (size_t i = 0; i < f.n_log; i++) {
		if (f.log[i].kind == FR_REP && f.log[i].cell != 3)
			ck_assert_int_eq(fr_state(&whole, f.log[i].cell).stop, PG_STOP_TIME);
	}
	/* And once more, both starts in one journal: nothing is left. */
	configure(&third, _i);
	fr_open(&third);
	fr_restore(&third, whole.log, n);
	fr_restore(&third, f.log, f.n_log);
	run_budget(&third, 0);
	ck_assert_uint_eq(third.n_log, 0);
	fr_close(&third);
	fr_close(&f);
	fr_close(&whole);
}
END_TEST

PG_TEST_MAIN("engine_rounds_widest", ((const struct pg_test[]){
					     {until_a_round, 3},
					     {pieces_are_the_whole, 0},
					     {widest_first, KINDS},
					     {time_is_kept, 3 * KINDS},
					     {no_time_at_all, 0},
					     {resumed, KINDS},
					     {a_second_budget, KINDS},
					     {NULL, 0},
				     }))
