/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arms of a comparison: side by side, in balanced order, with the same loops. */
#include "tests/support/pgtest.h"

#include "tests/support/fake_rounds.h"

#include "engine/rounds_priv.h"

static struct fr f, g;

static const uint32_t three_looks[] = {6, 8, 12};

static const struct fr_event *rep_at(const struct fr *x, uint32_t round, uint32_t position)
{
	for (size_t i = 0; i < x->n_log; i++)
		if (x->log[i].kind == FR_REP && x->log[i].round == round && x->log[i].position == position)
			return &x->log[i];
	ck_abort_msg("nothing at %u of round %u", position, round);
	return NULL;
}

/* Three arms in every order: next to each other in each round, and in two consecutive rounds once from either end, of
 * which the first is drawn. */
START_TEST(side_by_side)
{
	static const enum pg_order all[] = {PG_INTERLEAVED, PG_IN_FILE, PG_GROUPED};
	size_t forward_first = 0;
	uint32_t at = 0;

	fr_arms(&f, 15, 3, 8);
	f.rules.order = all[_i];
	f.rules.warmup = 0;
	fr_measure(&f, fr_steady);
	ck_assert_uint_eq(f.n_records, 15 * 8);
	for (size_t team = 0; team < 5; team++) {
		size_t arm[9][3] = {{0}};

		for (uint32_t round = 1; round <= 8; round++) {
			for (uint32_t p = 0; p < 15; p++) {
				const struct fr_event *e = NULL;

				/* In a group the places of the teams are the same in all rounds. */
				for (size_t k = 0; k < f.n_log; k++)
					if (f.log[k].kind == FR_REP && f.log[k].round == round &&
					    f.log[k].cell / 3 == team && f.log[k].position == p)
						e = &f.log[k];
				if (e)
					arm[round][p % 3] = e->cell % 3;
			}
			ck_assert_uint_eq(1U << arm[round][0] | 1U << arm[round][1] | 1U << arm[round][2], 7);
		}
		for (uint32_t round = 1; round <= 8; round += 2) {
			for (size_t p = 0; p < 3; p++)
				ck_assert_uint_eq(arm[round][p], arm[round + 1][2 - p]);
			forward_first += arm[round][1] == (arm[round][0] + 1) % 3;
		}
	}
	ck_assert_uint_gt(forward_first, 0);
	ck_assert_uint_lt(forward_first, 20);
	/* And they come one after the other. */
	for (size_t k = 0; k < f.n_log; k++) {
		if (f.log[k].kind != FR_REP)
			continue;
		if (at++ % 3 > 0)
			ck_assert_uint_eq(f.log[k].cell / 3, f.log[k - 1].cell / 3);
	}
	fr_close(&f);
}
END_TEST

/* Over as many pairs of rounds as there are arms each is twice at each place, and twice right behind each other one. */
START_TEST(balanced)
{
	const size_t n = 2 + (size_t)_i;
	bool as_in_file = true;

	fr_arms(&f, 4 * n, n, 4);
	fr_open(&f);
	for (size_t team = 0; team < 4; team++) {
		for (uint32_t first = 1; first < 20 * n; first += (uint32_t)(2 * n)) {
			int at[8][8] = {{0}}, behind[8][8] = {{0}};

			for (uint32_t round = first; round < first + 2 * n; round++) {
				size_t last = n;

				for (size_t a = 0; a < n; a++) {
					size_t arm = pg_rounds_arm(f.rounds, team, round, a) - team * n;

					ck_assert_uint_lt(arm, n);
					at[a][arm]++;
					if (last < n)
						behind[last][arm]++;
					last = arm;
					as_in_file &= arm == a || arm == n - 1 - a;
				}
			}
			for (size_t i = 0; i < n; i++)
				for (size_t k = 0; k < n; k++) {
					ck_assert_int_eq(at[i][k], 2);
					ck_assert_int_eq(behind[i][k], i == k ? 0 : 2);
				}
		}
	}
	ck_assert(as_in_file == (n == 2));
	fr_close(&f);
}
END_TEST

/* Two arms: from one seed the same order in every version, for a run that goes on must not see another one. */
START_TEST(two_arms_as_ever)
{
	static const char *const first[] = {"ABBAABBAABBABABABABAABBABAABABBA", "BABAABBAABBAABABABBAABBABAABABBA",
					    "BAABABABABABBAABBABAABBABAABBAAB"};

	fr_arms(&f, 6, 2, 32);
	fr_open(&f);
	for (size_t team = 0; team < 3; team++)
		for (uint32_t round = 1; round <= 32; round++)
			for (size_t a = 0; a < 2; a++)
				ck_assert_uint_eq(pg_rounds_arm(f.rounds, team, round, a),
						  team * 2 + (((first[team][round - 1] == 'B') + a) & 1));
	fr_close(&f);
}
END_TEST

/* What f has measured in seven rounds, cut after each event; before: an earlier start, whose failures were tried again.
 */
static void cut_anywhere(size_t n, size_t arms, const struct fr_event *before, size_t n_before)
{
	for (size_t k = 0; k <= f.n_log; k++) {
		fr_arms(&g, n, arms, 7);
		g.answer = f.answer;
		fr_open(&g);
		fr_restore(&g, before, n_before);
		if (n_before > 0)
			ck_assert_int_eq(pg_rounds_retry_failed(g.rounds), 0);
		fr_restore(&g, f.log, k);
		fr_run_all(&g);
		fr_same_rest(&g, &f, k);
		fr_close(&g);
	}
}

/* A run that is cut anywhere goes on in the order that it would have had. */
START_TEST(resumed_in_order)
{
	fr_arms(&f, 8, 4, 7);
	fr_measure(&f, fr_steady);
	cut_anywhere(8, 4, NULL, 0);
	fr_close(&f);
}
END_TEST

/* The order of the cells is shuffled as it would be without arms, and anew for each round. */
START_TEST(teams_are_shuffled)
{
	bool as_in_file = true, alike = true;

	fr_arms(&f, 16, 2, 4);
	fr_measure(&f, fr_steady);
	fr_init(&g, 8);
	g.rules.repeat.n = 4;
	fr_open(&g);
	fr_run_all(&g);
	for (uint32_t p = 0; p < 8; p++) {
		as_in_file &= rep_at(&f, 1, 2 * p)->cell / 2 == p;
		alike &= rep_at(&f, 1, 2 * p)->cell / 2 == rep_at(&f, 2, 2 * p)->cell / 2;
		ck_assert_uint_eq(rep_at(&f, 3, 2 * p)->cell / 2, rep_at(&g, 3, p)->cell);
	}
	ck_assert(!as_in_file);
	ck_assert(!alike);
	fr_close(&g);
	fr_close(&f);
}
END_TEST

/* Arms of one round have one seed. */
START_TEST(same_seed)
{
	fr_arms(&f, 4, 2, 3);
	fr_measure(&f, fr_steady);
	for (uint32_t round = 1; round <= 3; round++) {
		ck_assert_uint_eq(rep_at(&f, round, 0)->seed, rep_at(&f, round, 1)->seed);
		ck_assert_uint_ne(rep_at(&f, round, 0)->seed, rep_at(&f, round, 2)->seed);
	}
	fr_close(&f);
}
END_TEST

/* 1 us a loop, the arm in the middle four times as slow. */
static enum pg_status slow_middle(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	(void)x;
	*raw = (int64_t)job->ops * (i % 3 == 1 ? 4000 : 1000);
	return PG_ST_OK;
}

START_TEST(shared_loops)
{
	size_t cals = 0;

	fr_arms(&f, 6, 3, 2);
	f.automatic = true;
	fr_measure(&f, slow_middle);
	for (size_t i = 0; i < f.n_log; i++) {
		if (f.log[i].kind != FR_CAL)
			continue;
		/* One record for each arm, all together before the first rep of the cell. */
		ck_assert_uint_eq(f.log[i].cell % 3, cals++ % 3);
		ck_assert_uint_eq(f.log[i].ops, 10000); /* which take the slow one 40 ms, near enough to 50 */
	}
	ck_assert_uint_eq(cals, 6);
	for (size_t i = 0; i < 6; i++)
		ck_assert_uint_eq(fr_state(&f, i).ops, 10000);
	fr_close(&f);
}
END_TEST

static enum pg_status dead_middle(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	(void)x;
	*raw = job->calibrate ? (int64_t)job->ops * (i % 3 == 0 ? 4000 : 1000) : 55000000;
	return i % 3 == 1 ? PG_ST_FAILED : PG_ST_OK;
}

/* An arm that cannot be calibrated is out; the others share what they have. */
START_TEST(loops_without_a_failed_arm)
{
	fr_arms(&f, 3, 3, 2);
	f.automatic = true;
	fr_measure(&f, dead_middle);
	ck_assert_uint_eq(fr_state(&f, 0).ops, 10000);
	ck_assert_uint_eq(fr_state(&f, 1).ops, 0);
	ck_assert_uint_eq(fr_state(&f, 2).ops, 10000);
	ck_assert_int_eq(fr_state(&f, 1).status, PG_ST_FAILED);
	ck_assert_int_eq(fr_state(&f, 1).stop, PG_STOP_ERROR);
	ck_assert_uint_eq(fr_state(&f, 0).n, 2);
	ck_assert_uint_eq(fr_state(&f, 2).n, 2);
	fr_close(&f);
}
END_TEST

static size_t skipped_arm;

static enum pg_skip skip_one(size_t i)
{
	return i == skipped_arm ? PG_SKIP_PREFLIGHT : PG_NOT_SKIPPED;
}

START_TEST(an_arm_is_skipped)
{
	uint64_t done, total;

	skipped_arm = (size_t)_i;
	fr_init(&f, 3);
	fr_looks(&f, 3, three_looks, 3);
	f.skip = skip_one;
	f.family = 2;
	f.answer = fr_steady;
	fr_open(&f);
	pg_rounds_progress(f.rounds, &done, &total);
	ck_assert_uint_eq(total, 2 * 13);
	fr_run_all(&f);
	for (size_t i = 0; i < 3; i++) {
		if (i == skipped_arm)
			ck_assert_int_eq(fr_state(&f, i).status, PG_ST_SKIPPED);
		else
			ck_assert_uint_eq(fr_state(&f, i).n, skipped_arm == 0 ? 12 : 6);
	}
	pg_rounds_progress(f.rounds, &done, &total);
	ck_assert_uint_eq(done, total);
	fr_close(&f);
}
END_TEST

static bool healed;

static enum pg_status heals(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	fr_steady(x, job, i, raw);
	return i == 1 && !job->warmup && job->rep > 3 && !healed ? PG_ST_FAILED : PG_ST_OK;
}

/*
 * --retry-failed: the failed arm is measured again and its baseline beside it, for reps of another time would be no
 * pairs. What neither has failed in stays as it is.
 */
START_TEST(retried_in_pairs)
{
	struct fr_event before[64];
	size_t n;

	healed = false;
	fr_arms(&f, 4, 2, 7);
	fr_measure(&f, heals);
	ck_assert_int_eq(fr_state(&f, 1).stop, PG_STOP_ERROR);
	ck_assert_uint_eq(fr_state(&f, 0).n, 7);
	n = f.n_log;
	ck_assert_uint_le(n, 64);
	memcpy(before, f.log, n * sizeof(*before));
	fr_close(&f);

	healed = true;
	fr_arms(&f, 4, 2, 7);
	f.answer = heals;
	fr_open(&f);
	fr_restore(&f, before, n);
	ck_assert_int_eq(pg_rounds_retry_failed(f.rounds), 0);
	fr_run_all(&f);
	ck_assert_uint_eq(fr_state(&f, 0).n, 7 + 4);
	ck_assert_uint_eq(fr_state(&f, 1).n, 3 + 4);
	ck_assert_int_eq(fr_state(&f, 1).status, PG_ST_OK);
	ck_assert_int_eq(fr_state(&f, 0).stop, PG_STOP_FIXED);
	ck_assert_uint_eq(fr_count(&f, 2, false), 0);
	ck_assert_uint_eq(fr_count(&f, 3, false), 0);
	for (uint32_t round = 8; round <= 11; round++)
		ck_assert_uint_eq(rep_at(&f, round, 0)->cell + rep_at(&f, round, 1)->cell, 1);
	/* Which can be cut anywhere too. */
	cut_anywhere(4, 2, before, n);
	fr_close(&f);
}
END_TEST

PG_TEST_MAIN("engine_rounds_arms", ((const struct pg_test[]){
					   {side_by_side, 3},
					   {balanced, 7},
					   {two_arms_as_ever, 0},
					   {resumed_in_order, 0},
					   {teams_are_shuffled, 0},
					   {same_seed, 0},
					   {shared_loops, 0},
					   {loops_without_a_failed_arm, 0},
					   {an_arm_is_skipped, 3},
					   {retried_in_pairs, 0},
					   {NULL, 0},
				   }))
