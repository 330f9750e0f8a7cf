/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `doctor --self-check`: the scenario of two equal arms, what is said of them, exit statuses, the history. */
#include <math.h>
#include <signal.h>
#include <string.h>

#include "base/str.h"
#include "runner/commands.h"
#include "runner/planning.h"
#include "runner/selfcheck.h"
#include "tests/support/fake_world.h"
#include "tests/support/pgtest.h"

#define LEN(a) ((int)(sizeof(a) / sizeof(*(a))))

/* ---- the command ---- */

/* Adds to all times of a rep. */
static void slower(const struct pg_job *job, struct pg_outcome *out, int64_t ns)
{
	for (size_t i = 0; i < out->n; i++)
		if (job->cell->metrics[out->s[i].metric].unit == PG_U_S)
			out->s[i].raw += ns;
}

/* A little different in every rep, alike in both arms. */
static int jitter(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	(void)err;
	slower(job, out, f->reps * 7919 % 997);
	return 0;
}

/* Something takes the second arm for another command. */
static int unequal(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	slower(job, out, job->cell->variant ? 500000 : 0);
	return jitter(f, job, out, err);
}

/* So different that nothing is seen. */
static int wild(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	(void)err;
	slower(job, out, (int64_t)(f->reps * 7919 % 997) * 4000);
	return 0;
}

static int fails(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	(void)f;
	(void)job;
	(void)err;
	out->status = PG_ST_FAILED;
	out->n = 0;
	strcpy(out->why, "no such thing");
	return 0;
}

static int second_fails(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	return job->cell->pos[0] == 1 ? fails(f, job, out, err) : jitter(f, job, out, err);
}

START_TEST(statuses)
{
	static const struct {
		int (*answer)(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out,
			      struct pg_err *err);
		int status;
		const char *out;
	} rows[] = {
		{jitter, 0, "threshold: 2 of 2 cells can see theirs in 12 rounds; all can see one of "},
		{jitter, 0, "typical lens: 0 of 2 differ at 5 %, a rate of 0.0 ... 84.2 %: too few cells to tell\n"},
		{unequal, 1, "typical lens: 2 of 2 differ at 5 %, a rate of 15.8 ... 100.0 %: more than chance"},
		{wild, 5, "threshold: 0 of 2 cells can see theirs in 12 rounds"},
		{fails, 1,
		 "failed: 2 cells without a comparison\nthreshold: 0 of 2 cells can see theirs in 12 "
		 "rounds\nhistory: "},
		{second_fails, 1,
		 "threshold: 1 of 2 cells can see theirs in 12 rounds; all of the 1 cell that was measured can see one "
		 "of "},
		{second_fails, 1, "] would do for all thresholds of the 1 cell that was measured\n"},
	};
	struct fake_world f;

	enter(&f);
	f.answer = rows[_i].answer;
	ck_assert_int_eq(CLI(&f, "doctor", "--self-check", "a.yaml", "--rounds", "12", "--seed", "5"), rows[_i].status);
	expect("out", f.out, rows[_i].out);
	expect("out", f.out, "self-check: 2 cells, each against itself, 12 rounds, seed 5\n");
	expect("out", f.out, "s first=1  ");
	expect("out", f.out, "  detectable  threshold\n");
	expect("out", f.out, "\ndetectable: the smallest change that 12 rounds find");
	ck_assert_ptr_null(strstr(f.out, "variant"));
	/* Nothing of the run that it is made of: no directory that will be gone, no table of equal arms. */
	expect("err", f.err, "perfgrid: self-check: 4 cells, 52 reps, estimate ");
	ck_assert_ptr_null(strstr(f.err, "run directory"));
	ck_assert_ptr_null(strstr(f.err, "--resume"));
	ck_assert_ptr_null(strstr(f.err, "verdict"));
	leave(&f);
}
END_TEST

/* Both arms as often as asked for, whatever the scenario says of repeat, and warm-ups. */
START_TEST(rounds)
{
	struct fake_world f;

	enter(&f);
	f.answer = jitter;
	ck_assert_int_eq(CLI(&f, "doctor", "--seed", "5", "--self-check", "a.yaml", "--rounds", "8", "-o", "kept"), 0);
	ck_assert_uint_eq(f.reps, 2 * 2 * (8 + 1));
	ck_assert_int_eq(access("kept/s.samples.csv", F_OK), 0);
	ck_assert_int_eq(access("kept/s.compare.csv", F_OK), 0);
	leave(&f);
}
END_TEST

/* However a scenario is written; one that rests between its sessions is measured in one, without looks. */
START_TEST(spellings)
{
	static const char *const texts[] = {
		"perfgrid: 1\nname: a\nsessions: 5\nsweeps:\n"
		"  - {name: s, suite: noop, vary: {first: [1, 2]}, repeat: 3, warmup: 1}\n",
		"perfgrid: 1\nname: a\n\"sessions\": 5\n'include' : [d.yaml]\nsweeps:\n"
		"  - {name: s, suite: noop, vary: {first: [1, 2]}}\n...\n",
		"{perfgrid: 1, name: a, sessions: 5, sweeps: [{name: s, suite: noop, vary: {first: [1, 2]}, warmup: "
		"1,\n"
		"compare: {threshold: 10%, looks: [6, 7]}}]}\n",
		"{\"perfgrid\": 1, \"name\": \"a\", \"include\": [\"d.yaml\"],\n\"sweeps\": [{\"name\": \"s\", "
		"\"suite\": "
		"\"noop\", \"vary\": {\"first\": [1, 2]}}]}",
		"  perfgrid: 1\n  name: a\n  sweeps:\n  - {name: s, suite: noop, vary: {first: [1, 2]}}\n",
	};
	struct fake_world f;

	enter(&f);
	put("d.yaml", "perfgrid: 1\ndefaults: {warmup: 1}\n");
	put("spread.yaml", texts[_i]);
	f.answer = jitter;
	ck_assert_int_eq(CLI(&f, "doctor", "--seed", "5", "--self-check", "spread.yaml", "--rounds", "8", "-o", "kept"),
			 0);
	ck_assert_uint_eq(f.reps, 2 * 2 * (8 + 1));
	ck_assert(f.now < INT64_C(60000000000));
	/* What is kept is a run like any other. */
	ck_assert_int_eq(CLI(&f, "tables", "kept"), 0);
	ck_assert_int_eq(CLI(&f, "compare", "kept"), 0);
	expect("out", f.out, "threshold ");
	ck_assert_ptr_null(strstr(f.out, "looks)"));
	leave(&f);
}
END_TEST

static volatile sig_atomic_t stop;

static int stopped(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	if (f->reps == 7)
		stop = SIGINT;
	return jitter(f, job, out, err);
}

/* The directory of a run that was stopped is gone: nobody is sent there. */
START_TEST(interrupted)
{
	const struct pg_doctor_opts o = {.self_check = true, .output = _i ? "kept" : NULL};
	struct pg_selfcheck s;
	struct fake_world f;
	struct pg_here here;
	struct pg_err err;

	enter(&f);
	f.answer = stopped;
	stop = 0;
	ck_assert_int_eq(pg_here_open(&here, &f.world, &err), 0);
	ck_assert_int_eq(pg_selfcheck_measure(&f.world, &here, &o, "a.yaml", &stop, &s), PG_EXIT_SIGNAL + SIGINT);
	pg_selfcheck_release(&s);
	pg_here_close(&here);
	fake_world_sync(&f);
	expect("err", f.err,
	       _i ? "perfgrid: the self-check was stopped; 'kept' has what it measured\n"
		  : "perfgrid: the self-check was stopped, and nothing is kept");
	ck_assert_ptr_null(strstr(f.err, "--resume"));
	ck_assert_int_eq(access("kept/run.json", F_OK), _i ? 0 : -1);
	leave(&f);
}
END_TEST

START_TEST(json)
{
	struct fake_world f;

	enter(&f);
	f.answer = jitter;
	ck_assert_int_eq(CLI(&f, "doctor", "--seed", "5", "--self-check", "a.yaml", "--json"), 0);
	expect("out", f.out, "{\n  \"self_check\": {\n    \"rounds\": 20,\n    \"status\": 0,");
	expect("out", f.out, "\"cell\": \"s first=1\",");
	expect("out", f.out, "\"false_alarms\": 0,\n      \"comparisons\": 2,");
	expect("err", f.err, "");
	leave(&f);
}
END_TEST

/* Where nothing was measured nothing is known of thresholds and looks. */
START_TEST(json_of_nothing)
{
	struct fake_world f;
	const char *cells;

	enter(&f);
	f.answer = fails;
	ck_assert_int_eq(CLI(&f, "doctor", "--seed", "5", "--self-check", "a.yaml", "--json"), 1);
	cells = strstr(f.out, "\"cells\"");
	ck_assert_ptr_nonnull(cells);
	ck_assert_ptr_null(strstr(f.out, "\"looks\""));
	ck_assert_msg(strstr(f.out, "threshold_pct") > cells, "%s", f.out);
	leave(&f);
}
END_TEST

/* A place that is none is refused before anything is said to begin; there is no --resume here. */
START_TEST(places)
{
	static const struct {
		const char *dir, *err;
	} rows[] = {
		{"a.yaml", "perfgrid: 'a.yaml' is there and is no directory; give a new or an empty one with -o\n"},
		{"nowhere", "perfgrid: 'nowhere' is there and is no directory; give a new or an empty one with -o\n"},
		{"/dev/full",
		 "perfgrid: '/dev/full' is there and is no directory; give a new or an empty one with -o\n"},
		{".", "perfgrid: directory '.' is not empty; give a new or an empty one\n"},
	};
	struct fake_world f;

	enter(&f);
	ck_assert_int_eq(symlink("not-there", "nowhere"), 0);
	ck_assert_int_eq(CLI(&f, "doctor", "--self-check", "a.yaml", "-o", rows[_i].dir), 2);
	ck_assert_str_eq(f.err, rows[_i].err);
	expect("out", f.out, "");
	ck_assert_uint_eq(f.reps, 0);
	leave(&f);
}
END_TEST

/* A place for what is measured. */
START_TEST(temporary)
{
	static const struct {
		const char *tmp;
		int status;
	} rows[] = {{"", 0}, {"sub", 0}, {"nowhere/at/all", 2}, {"/dev/null", 2}};
	struct fake_world f;
	char tmp[64], *environment[] = {tmp, NULL};

	enter(&f);
	f.answer = jitter;
	ck_assert_int_eq(mkdir("sub", 0755), 0);
	snprintf(tmp, sizeof(tmp), "TMPDIR=%s", rows[_i].tmp);
	f.world.environ = environment;
	ck_assert_int_eq(CLI(&f, "doctor", "--seed", "5", "--self-check", "a.yaml"), rows[_i].status);
	if (rows[_i].status) {
		expect("err", f.err, "cannot make a directory in '");
		expect("err", f.err, "; set TMPDIR to one that can be written, or give -o DIR\n");
		ck_assert_uint_eq(f.reps, 0);
	}
	ck_assert_int_eq(rmdir("sub"), 0); /* nothing is left in it */
	leave(&f);
}
END_TEST

START_TEST(refused)
{
	static const struct {
		const char *words[6], *err;
	} rows[] = {
		{{"doctor", "a.yaml"}, "a SCENARIO belongs to --self-check"},
		{{"doctor", "--rounds", "9"}, "--rounds belongs to --self-check"},
		{{"doctor", "-o", "x"}, "-o belongs to --self-check"},
		{{"doctor", "--self-check", "arms.yaml"},
		 "arms.yaml:4:28: the self-check compares each cell with itself"},
		{{"doctor", "--self-check", "keys.yaml"},
		 "keys.yaml:3:12: the self-check compares each cell with itself"},
		{{"doctor", "--self-check", "included.yaml"}, "keys.yaml:3:12: the self-check compares each cell"},
		{{"doctor", "--self-check", ""}, "perfgrid: '' names nothing; give a SCENARIO"},
		{{"doctor", "--self-check", "none.yaml"}, "none.yaml: cannot be read"},
		{{"doctor", "--self-check", "bad.yaml"}, "bad.yaml:3:"},
		{{"doctor", "--self-check", "--rounds", "5"}, "--rounds 5 is out of range; from 6 to 1000"},
	};
	struct fake_world f;

	enter(&f);
	put("arms.yaml", "perfgrid: 1\nname: a\nsweeps:\n"
			 "  - {name: s, suite: noop, variants: [{label: x}, {label: y, amount: 2KB}]}\n");
	/* Of the same names as those of the check, and no less of another kind. */
	put("keys.yaml", "perfgrid: 1\nx-name: a\ndefaults: {variants: [{label: a}, {label: a2, nice: 5}]}\n");
	put("included.yaml", "perfgrid: 1\nname: a\ninclude: [keys.yaml]\nsweeps:\n  - {name: s, suite: noop}\n");
	put("bad.yaml", "perfgrid: 1\nname: a\nswoops: []\n");
	ck_assert_int_eq(fake_world_cli(&f, rows[_i].words), 2);
	expect("err", f.err, rows[_i].err);
	expect("out", f.out, "");
	ck_assert_uint_eq(f.reps, 0);
	leave(&f);
}
END_TEST

/* A line of history where there is a place for it; sessions in a row are one. */
START_TEST(history)
{
	static const struct {
		int64_t rest; /* s, before it */
		const char *out;
	} rows[] = {
		{0, "/state/perfgrid/history.jsonl; 1 of the 6 sessions"},
		{59, "history.jsonl; began less than 60 s after the session before it and does not count; 1 of the 6 "
		     "sessions"},
		{60, "history.jsonl; 2 of the 6 sessions that `compare` needs"},
		{60, "3 of the 6 sessions"},
		{60, "4 of the 6 sessions"},
		{60, "5 of the 6 sessions"},
		{60, "history.jsonl; with 6 sessions `compare` judges"},
	};
	struct fake_world f;
	char state[128], *environment[] = {state, NULL}, line[4096];
	FILE *file;

	enter(&f);
	snprintf(state, sizeof(state), "XDG_STATE_HOME=%s/state", f.dir);
	f.world.environ = environment;
	f.answer = jitter;
	for (int i = 0; i < LEN(rows); i++) {
		f.now += rows[i].rest * 1000000000;
		ck_assert_int_eq(CLI(&f, "doctor", "--seed", "5", "--self-check", "a.yaml"), 0);
		expect("out", f.out, rows[i].out);
	}
	file = fopen("state/perfgrid/history.jsonl", "r");
	ck_assert_ptr_nonnull(file);
	for (int i = 0; i < LEN(rows); i++) {
		ck_assert_ptr_nonnull(fgets(line, sizeof(line), file));
		ck_assert_ptr_nonnull(strstr(line, "\"metric\":\"time_per_op\",\"n\":20,"));
	}
	ck_assert_ptr_null(fgets(line, sizeof(line), file));
	fclose(file);
	ck_assert_int_eq(CLI(&f, "doctor", "--seed", "5", "--self-check", "a.yaml", "--json"), 0);
	expect("out", f.out, "/state/perfgrid/history.jsonl\",\n      \"counts\": false,\n      \"sessions\": 6,");
	leave(&f);
}
END_TEST

/* No place for it is no reason to keep the result back. */
START_TEST(no_history)
{
	struct fake_world f;
	char state[] = "XDG_STATE_HOME=/dev/null", *environment[] = {state, NULL};

	enter(&f);
	f.answer = jitter;
	if (_i)
		f.world.environ = environment;
	ck_assert_int_eq(CLI(&f, "doctor", "--seed", "5", "--self-check", "a.yaml"), 0);
	expect("out", f.out,
	       _i ? "\nhistory: not kept\n" : "\nhistory: not kept: neither XDG_STATE_HOME nor HOME says");
	if (_i)
		expect("err", f.err, "cannot ");
	leave(&f);
}
END_TEST

/* The built-in set is a scenario, and has what the report needs. */
START_TEST(built_in)
{
	struct fake_world f;

	enter(&f);
	f.answer = jitter;
	ck_assert_int_eq(CLI(&f, "doctor", "--seed", "5", "--self-check", "--rounds", "10"), 0);
	expect("out", f.out, "self-check: 6 cells");
	expect("out", f.out, "copy size=4KB");
	expect("out", f.out, "messaging");
	leave(&f);
}
END_TEST

/* ---- sums ---- */

START_TEST(sums)
{
	struct pg_self_cell cells[3];
	struct pg_selfcheck s = {.cell = cells, .n = 3, .rounds = 20};

	for (int i = 0; i < 3; i++)
		cells[i] = (struct pg_self_cell){.mde = 0.01 * (i + 1),
						 .threshold = 0.05,
						 .needed = 10 * (i + 1),
						 .lens = {{0, 0, 0, 0.5}, {0, 0, 0, 0.5}}};
	ck_assert_int_eq(pg_selfcheck_sum_up(&s), 0);
	ck_assert_double_eq_tol(s.threshold, 0.03, 1e-12);
	ck_assert_double_eq(s.needed, 30);
	/* At the level of five looks 30 rounds are too few. */
	ck_assert_uint_eq(s.n_looks, 5);
	ck_assert_uint_eq(s.looks[4], 45);
	ck_assert_int_eq(pg_selfcheck_status(&s), 0);
	cells[1].mde = 0.06;
	ck_assert_int_eq(pg_selfcheck_sum_up(&s), 0);
	ck_assert_uint_eq(s.n_blind, 1);
	ck_assert_int_eq(pg_selfcheck_status(&s), 5);
	/* No interval: no threshold can be named, wherever the cell stands. */
	cells[1].mde = cells[1].needed = PG_NAN;
	ck_assert_int_eq(pg_selfcheck_sum_up(&s), 0);
	ck_assert(isnan(s.threshold) && isnan(s.needed) && s.n_looks == 0);
	ck_assert_int_eq(pg_selfcheck_status(&s), 5);
	cells[2].failed = true;
	ck_assert_int_eq(pg_selfcheck_sum_up(&s), 0);
	ck_assert_int_eq(pg_selfcheck_status(&s), 1);
	/* Of the cells that were measured; without any, nothing. */
	cells[1].failed = true;
	ck_assert_int_eq(pg_selfcheck_sum_up(&s), 0);
	ck_assert_double_eq_tol(s.threshold, 0.01, 1e-12);
	cells[0].failed = true;
	ck_assert_int_eq(pg_selfcheck_sum_up(&s), 0);
	ck_assert(isnan(s.threshold) && isnan(s.needed) && s.n_looks == 0);
}
END_TEST

/* What is not known is no number, and nothing is concluded from it. */
START_TEST(too_few)
{
	char name[] = "s";
	struct pg_self_cell cell = {
		.name = name,
		.metric = "time",
		.sd_pct = 1,
		.noise = PG_NAN,
		.mde = HUGE_VAL,
		.threshold = 0.05,
		.needed = HUGE_VAL,
		.lens = {{0, -HUGE_VAL, HUGE_VAL, 0.5}, {0, PG_NAN, PG_NAN, 0.5}},
	};
	struct pg_selfcheck s = {.cell = &cell, .n = 1, .rounds = 6, .canary = {.n = 9, .sd_pct = {PG_NAN, PG_NAN}}};
	struct pg_str out;

	ck_assert_int_eq(pg_selfcheck_sum_up(&s), 0);
	pg_str_init(&out);
	pg_selfcheck_text(&s, &out);
	ck_assert_ptr_null(strstr(pg_str_text(&out), "inf"));
	ck_assert_ptr_null(strstr(pg_str_text(&out), "nan"));
	expect("text", pg_str_text(&out), "threshold: 0 of 1 cells can see theirs in 6 rounds\n");
	expect("text", pg_str_text(&out), "looks: not known");
	ck_assert_ptr_null(strstr(pg_str_text(&out), "canary"));
	s.canary = (struct pg_canary_spread){.n = 9, .sd_pct = {1.25, 3}};
	pg_selfcheck_text(&s, &out);
	expect("text", pg_str_text(&out),
	       "\ncanary: meanwhile a fixed loop spread by 1.25 %, a fixed copy of 1 MB by 3 % (timed 9 times)\n");
	pg_str_release(&out);
}
END_TEST

PG_TEST_MAIN("runner_selfcheck", ((const struct pg_test[]){
					 {statuses, 7},
					 {rounds, 0},
					 {spellings, 5},
					 {interrupted, 2},
					 {json, 0},
					 {json_of_nothing, 0},
					 {places, 4},
					 {temporary, 4},
					 {refused, 10},
					 {history, 0},
					 {no_history, 2},
					 {built_in, 0},
					 {sums, 0},
					 {too_few, 0},
					 {NULL, 0},
				 }))
