/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reps whose guards fired: kept, no samples, done again at once, so many times a cell and no more. */
#include "tests/support/pgtest.h"

#include "tests/support/fake_rounds.h"

static struct fr f;

/* What happens to a cell by the number of its job, as letters: . good, d disturbed, f failed, F failed and disturbed.
 */
static const char *script;
static size_t at;

static char letter(void)
{
	return at < strlen(script) ? script[at] : '.';
}

static enum pg_status by_script(const struct fr *x, const struct pg_job *job, size_t i, int64_t *raw)
{
	(void)x;
	(void)job;
	(void)i;
	(void)raw;
	return letter() == 'f' || letter() == 'F' ? PG_ST_FAILED : PG_ST_OK;
}

static bool by_letter(const struct fr *x, const struct pg_job *job, size_t i)
{
	bool d = letter() == 'd' || letter() == 'F';

	(void)x;
	(void)job;
	(void)i;
	at++;
	return d;
}

/* What the observer is told, by letters too: m a rep of the number, d a disturbed one, r one done again; D both. */
static void told(char *out)
{
	size_t n = 0;

	for (size_t i = 0; i < f.n_log; i++) {
		const struct fr_event *e = &f.log[i];

		if (e->kind != FR_REP)
			continue;
		out[n++] = e->warmup ? 'w' : e->disturbed && e->redo ? 'D' : e->disturbed ? 'd' : e->redo ? 'r' : 'm';
	}
	out[n] = '\0';
}

START_TEST(done_again)
{
	static const struct {
		const char *script;
		uint32_t warmup, redo, retry;
		const char *told;
		uint32_t good, bad, redone;
	} c[] = {
		{"....", 0, 2, 0, "mmm", 3, 0, 0},
		{"d", 0, 2, 0, "drmm", 3, 0, 1},
		{"dd", 0, 2, 0, "dDrmm", 3, 0, 2},
		{"ddd", 0, 2, 0, "dDrmm", 3, 0, 2}, /* no more than so many: it counts as it is */
		{".d.d.d", 0, 2, 0, "mdrdr", 3, 0, 2},
		{"dddd", 0, 0, 0, "mmm", 3, 0, 0},  /* not asked for */
		{"dd", 1, 2, 0, "wdrmm", 3, 0, 1},  /* warm-ups are none of it */
		{"df", 0, 2, 0, "drmm", 2, 1, 1},   /* a failure counts, done again or not */
		{"dF.", 0, 2, 1, "drrmm", 3, 0, 1}, /* and has its own tries */
		{"Fd", 0, 2, 1, "mdrmm", 3, 0, 1},
	};
	char text[32];

	fr_init(&f, 1);
	script = c[_i].script;
	at = 0;
	f.answer = by_script;
	f.disturb = by_letter;
	f.rules.warmup = c[_i].warmup;
	f.rules.redo = c[_i].redo;
	f.rules.retry = c[_i].retry;
	fr_open(&f);
	fr_run_all(&f);
	told(text);
	ck_assert_str_eq(text, c[_i].told);
	ck_assert_uint_eq(fr_state(&f, 0).n, c[_i].good);
	ck_assert_uint_eq(fr_state(&f, 0).n_failed, c[_i].bad);
	ck_assert_uint_eq(fr_state(&f, 0).n_redone, c[_i].redone);
	fr_close(&f);
}
END_TEST
#define CASES 10

/* At once: before the next cell has its turn, in the same place, with the same seed. */
START_TEST(at_once)
{
	fr_init(&f, 4);
	script = "..d";
	at = 0;
	f.disturb = by_letter;
	f.rules.warmup = 0;
	f.rules.redo = 1;
	fr_open(&f);
	fr_run_all(&f);
	ck_assert(f.log[2].disturbed && f.log[3].redo);
	ck_assert_uint_eq(f.log[2].cell, f.log[3].cell);
	ck_assert_uint_eq(f.log[2].round, f.log[3].round);
	ck_assert_uint_eq(f.log[2].position, f.log[3].position);
	ck_assert_uint_eq(f.log[2].rep, f.log[3].rep);
	ck_assert_uint_eq(f.log[2].seed, f.log[3].seed);
	ck_assert_uint_eq(f.log[3].attempt, 1);
	fr_close(&f);
}
END_TEST

/* Each cell has its own number of them, each arm too. */
START_TEST(each_cell)
{
	static const uint32_t end[] = {3};

	fr_init(&f, 4);
	fr_looks(&f, 2, end, 1);
	script = "dddddddddddddddddddddddddddddddd";
	at = 0;
	f.disturb = by_letter;
	f.rules.warmup = 0;
	f.rules.redo = 2;
	fr_open(&f);
	fr_run_all(&f);
	for (size_t i = 0; i < 4; i++) {
		ck_assert_uint_eq(fr_state(&f, i).n, 3);
		ck_assert_uint_eq(fr_state(&f, i).n_redone, 2);
	}
	fr_close(&f);
}
END_TEST

/* Guards need the slow facts of every measured rep. */
START_TEST(slow_facts)
{
	fr_init(&f, 2);
	f.rules.redo = 1;
	fr_open(&f);
	fr_run_all(&f);
	ck_assert_uint_eq(f.n_slow, 6);
	fr_close(&f);
}
END_TEST

/* Reps under way are no reps that are done. */
START_TEST(progress)
{
	uint64_t done, total;

	fr_init(&f, 1);
	script = "dd";
	at = 0;
	f.disturb = by_letter;
	f.rules.warmup = 0;
	f.rules.redo = 2;
	f.stop_after = 2;
	fr_open(&f);
	fr_run_all(&f);
	pg_rounds_progress(f.rounds, &done, &total);
	ck_assert_uint_eq(done, 0);
	ck_assert_uint_eq(total, 3);
	f.stop = 0;
	fr_run_all(&f);
	pg_rounds_progress(f.rounds, &done, &total);
	ck_assert_uint_eq(done, 3);
	ck_assert_uint_eq(total, 3);
	fr_close(&f);
}
END_TEST

PG_TEST_MAIN("engine_rounds_redo", ((const struct pg_test[]){
					   {done_again, CASES},
					   {at_once, 0},
					   {each_cell, 0},
					   {slow_facts, 0},
					   {progress, 0},
					   {NULL, 0},
				   }))
