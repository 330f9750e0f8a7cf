/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at a comparison: when it has its answer, and when it cannot have one. */
#include "tests/support/pgtest.h"

#include "tests/support/fake_rounds.h"

static struct fr f;

static const uint32_t three_looks[] = {6, 8, 12};

/* What each cell answers, by a letter: s steady, w wild (30 %), S three tenths slower than steady. */
static const char *arms;

static enum pg_status by_letter(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	char c = arms[i % strlen(arms)];
	double wide = c == 'w' ? 0.6 : 0.002;

	(void)x;
	*raw = (int64_t)(1e6 * (c == 'S' ? 1.3 : 1) * (1 + wide * fr_noise(job, i)));
	return PG_ST_OK;
}

/* Cells of so many arms each, looked at three times; with nothing answered yet. */
static void looked_at(size_t n, size_t each, uint64_t family, fr_answer *answer)
{
	fr_init(&f, n);
	fr_looks(&f, each, three_looks, 3);
	f.family = family;
	f.answer = answer;
}

/* Every cell has so many reps and has ended so. */
static void all_have(uint32_t n, enum pg_stop stop)
{
	for (size_t i = 0; i < f.n; i++) {
		ck_assert_uint_eq(fr_state(&f, i).n, n);
		ck_assert_int_eq(fr_state(&f, i).stop, stop);
		ck_assert_int_eq(fr_state(&f, i).status, PG_ST_OK);
	}
}

static void run_all(void)
{
	fr_open(&f);
	fr_run_all(&f);
}

/* A comparison ends at the first look that answers all of it. */
START_TEST(looks)
{
	static const struct {
		const char *arms;
		uint32_t n;
		enum pg_stop stop;
		uint64_t family;
	} c[] = {
		{"ss", 6, PG_STOP_LOOK, 2},   /* the same, as far as a 5 % band goes */
		{"sS", 8, PG_STOP_LOOK, 2},   /* six rounds cannot reach 0.0221 / 2, eight can */
		{"sS", 12, PG_STOP_FIXED, 8}, /* nor can eight 0.0221 / 8, and after twelve it is over */
		{"Ss", 8, PG_STOP_LOOK, 2},   {"ww", 12, PG_STOP_FIXED, 2},
		{"sss", 6, PG_STOP_LOOK, 4},  {"ssw", 12, PG_STOP_FIXED, 4}, /* one arm has no answer yet: all go on */
	};

	arms = c[_i].arms;
	looked_at(strlen(arms), strlen(arms), c[_i].family, by_letter);
	run_all();
	all_have(c[_i].n, c[_i].stop);
	for (size_t i = 0; i < f.n; i++) {
		ck_assert_int_eq(f.log[f.n_log - f.n + i].kind, FR_END);
		ck_assert_uint_eq(f.log[f.n_log - f.n + i].cell, i);
	}
	fr_close(&f);
}
END_TEST
#define LOOKS 7

/* The others go on when one cell is finished. */
START_TEST(cells_end_on_their_own)
{
	arms = "sswwss";
	looked_at(6, 2, 6, by_letter);
	run_all();
	for (size_t i = 0; i < 6; i++) {
		ck_assert_uint_eq(fr_state(&f, i).n, i / 2 == 1 ? 12 : 6);
		ck_assert_int_eq(fr_state(&f, i).stop, i / 2 == 1 ? PG_STOP_FIXED : PG_STOP_LOOK);
	}
	fr_close(&f);
}
END_TEST

START_TEST(correction)
{
	arms = "sS";
	looked_at(4, 2, 4, by_letter);
	f.rules.compare.lens = PG_LENS_TYPICAL;
	f.rules.compare.correction = PG_CORRECT_NONE;
	run_all();
	for (size_t i = 0; i < 4; i++)
		ck_assert_uint_eq(fr_state(&f, i).n, 8); /* uncorrected: 2^-7 is enough whatever the family */
	fr_close(&f);
	looked_at(4, 2, 4, by_letter);
	run_all();
	for (size_t i = 0; i < 4; i++)
		ck_assert_uint_eq(fr_state(&f, i).n, 12); /* 0.0221 / 4 is not */
	fr_close(&f);
}
END_TEST

/* Wild times, but the best batches of an arm are slower: seen where floors are known, in both arms and all rounds. */
static int64_t slower_batches(const struct fr *x, const struct pg_job *job, size_t i)
{
	if (x->key == 8 && i == 1 && job->rep == 3)
		return 0;
	return (int64_t)((i ? 1300 : 1000) + 2 * fr_noise(job, i));
}

START_TEST(floors)
{
	static const struct {
		bool floors;
		uint64_t key; /* 8: one rep lacks it */
		enum pg_lens lens;
		uint32_t n;
	} c[] = {
		{true, 7, PG_LENS_BOTH, 8},   {true, 7, PG_LENS_FLOOR, 8}, {true, 7, PG_LENS_TYPICAL, 12},
		{false, 7, PG_LENS_BOTH, 12}, {true, 8, PG_LENS_BOTH, 12},
	};

	arms = "ww";
	looked_at(2, 2, 2, by_letter);
	f.rules.compare.lens = c[_i].lens;
	f.key = c[_i].key;
	f.floors = c[_i].floors;
	f.floor = slower_batches;
	run_all();
	ck_assert_uint_eq(fr_state(&f, 0).n, c[_i].n);
	ck_assert_uint_eq(fr_state(&f, 1).n, c[_i].n);
	fr_close(&f);
}
END_TEST

/* A value without a ratio in one round of one arm: of 0 (_i 0, 1), below it (2, 3). */
static int which;

static enum pg_status one_without_ratio(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	enum pg_status status = by_letter(x, job, i, raw);

	if (!job->warmup && job->rep == 3 && i == (size_t)which % 2)
		*raw = which < 2 ? 0 : -5;
	return status;
}

/* At the end such a comparison has no verdict: a look must not end it with one, though the other rounds would do. */
START_TEST(no_ratio)
{
	for (int differ = 0; differ < 2; differ++) {
		arms = differ ? "sS" : "ss";
		which = _i;
		looked_at(2, 2, 2, one_without_ratio);
		run_all();
		all_have(12, PG_STOP_FIXED);
		fr_close(&f);
	}
}
END_TEST

static size_t dead;

static enum pg_status one_dies(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	fr_steady(x, job, i, raw);
	return i == dead && !job->warmup && job->rep > 4 ? PG_ST_FAILED : PG_ST_OK;
}

/*
 * An arm fails on its own. Beside the baseline it is no question any more; where the baseline fails, or nothing is left
 * beside it, there is no question at all and the others go on to the last round.
 */
START_TEST(an_arm_fails)
{
	static const struct {
		size_t arms, dead;
		uint32_t n;
		enum pg_stop stop;
	} c[] = {
		{3, 1, 8, PG_STOP_LOOK}, /* at six its third failure is still to come: no answer */
		/* Here that comes first in round seven: the others stand at the look of six, and it has an answer. */
		{3, 2, 6, PG_STOP_LOOK},
		{3, 0, 12, PG_STOP_FIXED},
		{2, 1, 12, PG_STOP_FIXED},
		{2, 0, 12, PG_STOP_FIXED},
	};

	dead = c[_i].dead;
	looked_at(c[_i].arms, c[_i].arms, 4, one_dies);
	f.seed = 43; /* of three arms the third comes first in round seven */
	run_all();
	for (size_t i = 0; i < f.n; i++) {
		struct pg_cell_state s = fr_state(&f, i);

		if (i == dead) {
			ck_assert_int_eq(s.status, PG_ST_FAILED);
			ck_assert_int_eq(s.stop, PG_STOP_ERROR);
			ck_assert_uint_eq(s.n, 4);
			ck_assert_uint_eq(s.n_failed, 3);
			continue;
		}
		ck_assert_uint_eq(s.n, c[_i].n);
		ck_assert_int_eq(s.stop, c[_i].stop);
		ck_assert_int_eq(s.status, PG_ST_OK);
	}
	fr_close(&f);
}
END_TEST

/* In the map form of `repeat` its max is the end, its ci is not looked at, and its time binds. */
START_TEST(map_form)
{
	arms = "ww";
	looked_at(2, 2, 2, by_letter);
	fr_ci(&f, 12, 0.9, 60000000000);
	run_all();
	all_have(12, PG_STOP_MAX);
	fr_close(&f);
	looked_at(2, 2, 2, fr_steady);
	fr_ci(&f, 12, 0.9, 5500000);
	run_all();
	all_have(4, PG_STOP_TIME); /* and the warm-up, 1 ms each */
	fr_close(&f);
}
END_TEST

/*
 * The run goes on with a further end. What a look has answered is looked at again (_i 1) by the lower level of more
 * looks: the steady pair is the same as ever, the other one goes on to a look that has an answer.
 */
START_TEST(looked_at_again)
{
	static const uint32_t rounds[] = {6, 9, 20, 40};
	struct fr_event before[128];
	size_t n;

	arms = "ssSs";
	fr_init(&f, 4);
	fr_looks(&f, 2, rounds, 3);
	f.family = 6;
	f.rules.compare.alpha = 0.0240; /* 2^-8 is 0.0234 / 6 */
	fr_measure(&f, by_letter);
	ck_assert_uint_eq(fr_state(&f, 1).n, 6);
	ck_assert_uint_eq(fr_state(&f, 3).n, 9);
	ck_assert_int_eq(fr_state(&f, 3).stop, PG_STOP_LOOK);
	n = f.n_log;
	ck_assert_uint_le(n, 128);
	memcpy(before, f.log, n * sizeof(*before));
	fr_close(&f);
	fr_init(&f, 4);
	fr_looks(&f, 2, rounds, 4);
	f.family = 6;
	f.answer = by_letter;
	f.rules.compare.again = _i != 0;
	fr_open(&f);
	fr_restore(&f, before, n);
	ck_assert_int_eq(fr_state(&f, 1).stop, PG_STOP_LOOK);
	ck_assert_int_eq(fr_state(&f, 2).stop, _i ? PG_STOP_NONE : PG_STOP_LOOK);
	ck_assert_int_eq(fr_state(&f, 3).stop, _i ? PG_STOP_NONE : PG_STOP_LOOK);
	fr_run_all(&f);
	ck_assert_uint_eq(fr_state(&f, 0).n, 6);
	ck_assert_uint_eq(fr_state(&f, 1).n, 6);
	ck_assert_uint_eq(fr_state(&f, 2).n, _i ? 20 : 9);
	ck_assert_uint_eq(fr_state(&f, 3).n, _i ? 20 : 9);
	ck_assert_int_eq(fr_state(&f, 3).stop, PG_STOP_LOOK);
	fr_close(&f);
}
END_TEST

PG_TEST_MAIN("engine_rounds_looks", ((const struct pg_test[]){
					    {looks, LOOKS},
					    {cells_end_on_their_own, 0},
					    {correction, 0},
					    {floors, 5},
					    {no_ratio, 4},
					    {an_arm_fails, 5},
					    {map_form, 0},
					    {looked_at_again, 2},
					    {NULL, 0},
				    }))
