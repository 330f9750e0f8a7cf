/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions, budgets and comparisons as `run` does them, to their last line in the journal and on from anywhere. */
#include "runner/schedule.h"

#include <inttypes.h>

#include "base/err.h"
#include "tests/support/fake_rounds.h"
#include "tests/support/fake_world.h"
#include "tests/support/pgtest.h"

#define LINES  2000
#define SECOND INT64_C(1000000000)

/* What follows from plan and records alone: sessions, and of each rep all but its seed, numbers and facts. */
struct journal {
	char *line[LINES];
	size_t n;
};

static void read_journal(struct journal *j)
{
	FILE *f = fopen("d/journal.jsonl", "r");
	char *line = NULL;
	size_t cap = 0;

	j->n = 0;
	ck_assert_ptr_nonnull(f);
	while (getline(&line, &cap, f) > 0) {
		char *cut = strstr(line, ",\"m\":[");

		if (strncmp(line, "{\"session", 9) == 0)
			cut = line + 9;
		if (cut)
			*cut = '\0';
		ck_assert_uint_lt(j->n, LINES);
		j->line[j->n++] = strdup(line);
	}
	free(line);
	fclose(f);
}

static void drop_journal(struct journal *j)
{
	for (size_t i = 0; i < j->n; i++)
		free(j->line[i]);
}

static size_t count_lines(const struct journal *j, const char *text)
{
	size_t n = 0;

	for (size_t i = 0; i < j->n; i++)
		n += strstr(j->line[i], text) != NULL;
	return n;
}

/* The journal as it was after `lines` lines. */
static void cut_journal(size_t lines)
{
	FILE *f = fopen("d/journal.jsonl", "r");
	char *line = NULL;
	size_t cap = 0;
	off_t end = 0;

	ck_assert_ptr_nonnull(f);
	for (size_t i = 0; i < lines; i++)
		end += getline(&line, &cap, f);
	free(line);
	fclose(f);
	ck_assert_int_eq(truncate("d/journal.jsonl", end), 0);
}

#define REP "{\"n\":"

static const char three_sessions[] = "perfgrid: 1\n"
				     "name: k\n"
				     "sessions: 3\n"
				     "sweeps:\n"
				     "  - {name: s, suite: noop, vary: {first: [1, 2]}, repeat: 7, warmup: 1}\n"
				     "  - {name: t, suite: noop, repeat: 2, warmup: 0}\n";

START_TEST(test_sessions)
{
	static const size_t reps[] = {2 + 2 * 3 + 1, 2 * 2 + 1, 2 * 2}; /* 3, 5, 7 of 7; 1, 2, 2 of 2 */
	struct fake_world f;
	struct journal j;
	size_t part = 0, n = 0;
	int64_t start;

	enter(&f);
	put("k.yaml", three_sessions);
	start = f.now;
	ck_assert_int_eq(CLI(&f, "run", "-o", "d", "k.yaml"), 0);
	ck_assert_int_ge(f.now - start, 2 * PG_REST_NS);
	ck_assert_int_lt(f.now - start, 2 * PG_REST_NS + SECOND);
	expect("stderr", f.err, "estimate 2min 0s + ?");
	expect("stderr", f.err, "perfgrid: session 2 of 3 begins in 60 s\n");
	expect("stderr", f.err, "perfgrid: session 3 of 3 begins in 60 s\n");
	read_journal(&j);
	ck_assert_uint_eq(count_lines(&j, "{\"session"), 3);
	for (size_t i = 2; i < j.n; i++) {
		n += strncmp(j.line[i], REP, strlen(REP)) == 0;
		if (i + 1 < j.n && strcmp(j.line[i + 1], "{\"session") != 0)
			continue;
		ck_assert_uint_eq(n, reps[part++]);
		n = 0;
	}
	ck_assert_uint_eq(part, 3);
	drop_journal(&j);
	/* All is done: nothing to wait for. */
	start = f.now;
	ck_assert_int_eq(CLI(&f, "run", "--resume", "d"), 0);
	ck_assert_int_lt(f.now - start, SECOND);
	leave(&f);
}
END_TEST

/* Reps and ends of a run that was cut after any line and resumed are those of one that was not. */
static void check_resumed(struct fake_world *f, const char *const *words)
{
	struct journal whole, again;

	read_journal(&whole);
	for (size_t cut = 2; cut < whole.n; cut += 3) {
		size_t k = 0;

		cut_journal(cut);
		ck_assert_int_eq(fake_world_cli(f, words), 0);
		read_journal(&again);
		for (size_t i = 0; i < whole.n; i++) {
			/* A start of the runner is a session more, and says the state again. */
			while (k < again.n && strncmp(again.line[k], "{\"s", 3) == 0)
				k++;
			if (strncmp(whole.line[i], "{\"s", 3) == 0)
				continue;
			ck_assert_msg(k < again.n && strcmp(again.line[k], whole.line[i]) == 0, "cut %zu: %s for %s",
				      cut, k < again.n ? again.line[k] : "the end", whole.line[i]);
			k++;
		}
		drop_journal(&again);
	}
	drop_journal(&whole);
}

#define RESUMED(f, ...) check_resumed(f, (const char *const[]){__VA_ARGS__, NULL})

START_TEST(test_sessions_resumed)
{
	struct fake_world f;

	enter(&f);
	put("k.yaml", three_sessions);
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "k.yaml"), 0);
	RESUMED(&f, "run", "-q", "--resume", "d");
	leave(&f);
}
END_TEST

/* A run that ended between two sessions rests before it goes on; inside one it does not. */
START_TEST(test_resumed_between_sessions)
{
	static const size_t cut[] = {2 + 2 + 6 + 1, 2 + 2 + 6 + 1 + 1 + 1}; /* the first part; a rep of the next */
	static const int64_t rests[] = {2, 1};
	struct fake_world f;
	int64_t start;

	enter(&f);
	put("k.yaml", three_sessions);
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "k.yaml"), 0);
	cut_journal(cut[_i]);
	start = f.now;
	ck_assert_int_eq(CLI(&f, "run", "-q", "--resume", "d"), 0);
	ck_assert_int_ge(f.now - start, rests[_i] * PG_REST_NS);
	ck_assert_int_lt(f.now - start, rests[_i] * PG_REST_NS + SECOND);
	leave(&f);
}
END_TEST

/*
 * More reps for a run whose sessions are over: its rounds are split anew, and the journal says of which part, by the
 * plan of then, each start was. One in another part than the last begins with a rest.
 */
START_TEST(test_sessions_with_more_reps)
{
	static const char *const want[] = {"\"part\":1,", "\"part\":2,", "\"part\":1,", "\"part\":2,"};
	char *line = NULL;
	struct fake_world f;
	size_t cap = 0, n = 0;
	int64_t start;
	FILE *file;

	enter(&f);
	put("k.yaml", "perfgrid: 1\nname: k\nsessions: 2\nsweeps:\n  - {name: s, suite: noop, repeat: 4, warmup: 0}\n");
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "k.yaml"), 0);
	start = f.now;
	ck_assert_int_eq(CLI(&f, "run", "-q", "--resume", "d", "--repeat", "12"), 0);
	ck_assert_int_ge(f.now - start, 2 * PG_REST_NS);
	ck_assert_int_lt(f.now - start, 2 * PG_REST_NS + SECOND);
	file = fopen("d/journal.jsonl", "r");
	ck_assert_ptr_nonnull(file);
	while (getline(&line, &cap, file) > 0) {
		if (strncmp(line, "{\"session\":", 11) != 0)
			continue;
		ck_assert_msg(n < 4 && strstr(line, want[n]), "start %zu: %s", n + 1, line);
		n++;
	}
	free(line);
	fclose(file);
	ck_assert_uint_eq(n, 4);
	leave(&f);
}
END_TEST

/* Cells that an interval ends early leave parts empty: they are passed over. */
START_TEST(test_empty_parts)
{
	struct fake_world f;
	struct journal j;

	enter(&f);
	put("k.yaml", "perfgrid: 1\nname: k\nsessions: 5\nsweeps:\n"
		      "  - {name: s, suite: noop, repeat: {min: 6, max: 20, ci: 5%}, warmup: 0}\n"
		      "  - {name: t, suite: noop, repeat: 2, warmup: 0}\n");
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "k.yaml"), 0);
	read_journal(&j);
	/* s has four rounds in a part and ends after six; t has a rep in the first and in the third. */
	ck_assert_uint_eq(count_lines(&j, "{\"session"), 3);
	ck_assert_uint_eq(count_lines(&j, "\"stop\":\"ci\""), 1);
	drop_journal(&j);
	leave(&f);
}
END_TEST

START_TEST(test_budget)
{
	struct fake_world f;
	struct journal j;
	int64_t start;

	enter(&f);
	put("b.yaml", "perfgrid: 1\nname: b\nsweeps:\n"
		      "  - {name: s, suite: noop, vary: {first: [1, 2]}, repeat: 100, warmup: 1}\n"
		      "  - {name: t, suite: noop, repeat: {min: 8, max: 50, ci: 2%}, warmup: 1}\n");
	start = f.now;
	ck_assert_int_eq(CLI(&f, "run", "--budget", "100ms", "-o", "d", "b.yaml"), 0);
	ck_assert_int_le(f.now - start, SECOND / 10);
	ck_assert_int_ge(f.now - start, SECOND / 10 - 2 * f.rep_ns);
	expect("stderr", f.err, "estimate ?, budget 0.1s");
	expect("stderr", f.err, "2 cells ended by time; for more of it: perfgrid run --resume d --budget TIME\n");
	read_journal(&j);
	ck_assert_uint_eq(count_lines(&j, "\"stop\":\"time\""), 2);
	ck_assert_uint_eq(count_lines(&j, "\"stop\":\"ci\""), 1);
	ck_assert_uint_eq(count_lines(&j, REP), 100);
	drop_journal(&j);
	/* More time, and all of it is done. */
	ck_assert_int_eq(CLI(&f, "run", "-q", "--budget", "1h", "--resume", "d"), 0);
	read_journal(&j);
	ck_assert_uint_eq(count_lines(&j, REP), 2 * 101 + 9);
	ck_assert_uint_eq(count_lines(&j, "\"stop\":\"fixed\""), 2);
	drop_journal(&j);
	leave(&f);
}
END_TEST

/* Other numbers for each rep, by cell, round and arm alone. */
static int varied(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	uint64_t h = (job->seed ^ (job->cell->variant * 7919U)) * 0x9e3779b97f4a7c15U;
	/* The wilder the higher the cell's number. */
	int64_t wide = (int64_t)(h >> 40) % 1000 * (int64_t)(job->cell->index + 1) * 20;

	(void)f;
	(void)err;
	for (size_t i = 0; i < out->n; i++)
		if (job->cell->metrics[out->s[i].metric].unit == PG_U_S)
			out->s[i].raw += wide;
	return 0;
}

START_TEST(test_budget_resumed)
{
	struct fake_world f;

	enter(&f);
	put("b.yaml", "perfgrid: 1\nname: b\nsweeps:\n"
		      "  - {name: s, suite: noop, vary: {first: [1, 2, 3]}, repeat: 12, warmup: 1}\n"
		      "  - {name: t, suite: noop, vary: {first: [1, 2]}, repeat: {min: 6, max: 20, ci: 1%},"
		      " warmup: 1}\n");
	f.answer = varied;
	ck_assert_int_eq(CLI(&f, "run", "-q", "--budget", "1h", "-o", "d", "b.yaml"), 0);
	RESUMED(&f, "run", "-q", "--budget", "1h", "--resume", "d");
	leave(&f);
}
END_TEST

START_TEST(test_budget_refused)
{
	struct fake_world f;

	enter(&f);
	put("k.yaml", three_sessions);
	ck_assert_int_eq(CLI(&f, "run", "--budget", "0s", "a.yaml"), 2);
	expect("stderr", f.err, "--budget '0s': too short; ");
	ck_assert_int_eq(CLI(&f, "run", "--budget", "1h", "k.yaml"), 2);
	expect("stderr", f.err, "'k.yaml' asks for 3 sessions, which rest between; leave out `sessions` or --budget");
	ck_assert_int_eq(access("results", F_OK), -1);
	/* Too short to measure each cell: that is no success. */
	ck_assert_int_eq(CLI(&f, "run", "--budget", "1500us", "-o", "d", "a.yaml"), 1);
	expect("stderr", f.err, "the budget was over before each cell had been measured");
	expect("stderr", f.err, "to go on: perfgrid run --resume d");
	ck_assert_int_eq(CLI(&f, "run", "-q", "--resume", "d"), 0);
	leave(&f);
}
END_TEST

static const char variants[] = "perfgrid: 1\n"
			       "name: v\n"
			       "sweeps:\n"
			       "  - name: s\n"
			       "    suite: noop\n"
			       "    vary: {first: [1, 2]}\n"
			       "    warmup: 1\n"
			       "    compare: {looks: [6, 8, 10]}\n"
			       "    variants: [{label: a}, {label: b, nice: 5}, {label: c, nice: 10}]\n";

/* All alike: the first look with an interval says so. */
START_TEST(test_variants)
{
	struct fake_world f;
	struct journal j;

	enter(&f);
	put("v.yaml", variants);
	ck_assert_int_eq(CLI(&f, "run", "-o", "d", "v.yaml"), 0);
	expect("stderr", f.err, "6 cells, at most 66 reps");
	expect("stderr", f.err, "s first=1 variant=b: ok (answered after 6 rounds)");
	read_journal(&j);
	ck_assert_uint_eq(count_lines(&j, "\"stop\":\"look\""), 6);
	ck_assert_uint_eq(count_lines(&j, REP), 6 * 7);
	ck_assert_uint_eq(count_lines(&j, "\"v\":\"b\",\"p\":\"m\",\"k\":6"), 2);
	drop_journal(&j);
	leave(&f);
}
END_TEST

START_TEST(test_variants_resumed)
{
	struct fake_world f;

	enter(&f);
	put("v.yaml", variants);
	f.answer = varied;
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "v.yaml"), 0);
	RESUMED(&f, "run", "-q", "--resume", "d");
	leave(&f);
}
END_TEST

/* Parts without a rep are left out, with their rests. */
START_TEST(test_estimate_of_sessions)
{
	static const struct {
		const char *text, *want;
	} rows[] = {
		{"sessions: 100\nsweeps:\n  - {name: s, suite: noop, repeat: 3}\n", "4 reps, estimate 2min 0s + ?"},
		/* 1, 34, 67 and 1, 51. */
		{"sessions: 100\nsweeps:\n  - {name: s, suite: noop, repeat: 3}\n  - {name: t, suite: noop, repeat: "
		 "2}\n",
		 "7 reps, estimate 3min 0s + ?"},
		{"sessions: 100\nsweeps:\n  - {name: s, suite: noop, repeat: 1}\n", "2 reps, estimate ?"},
		{"sessions: 3\nsweeps:\n  - {name: s, suite: noop, repeat: {max: 30}}\n",
		 "at most 31 reps, estimate 2min 0s + ?"},
		/* The second sweep has nothing to run. */
		{"sessions: 9\nsweeps:\n  - {name: s, suite: noop, repeat: 2}\n"
		 "  - {name: t, suite: noop, pin: '4095', repeat: 9}\n",
		 "(1 not to run), 3 reps, estimate 1min 0s + ?"},
	};
	struct fake_world f;
	char text[512];

	enter(&f);
	snprintf(text, sizeof(text), "perfgrid: 1\nname: a\n%s", rows[_i].text);
	put("k.yaml", text);
	ck_assert_int_eq(CLI(&f, "plan", "k.yaml"), 0);
	expect("stderr", f.err, rows[_i].want);
	leave(&f);
}
END_TEST

/* The estimate takes each arm's own time. */
START_TEST(test_estimate_of_variants)
{
	struct fake_world f;

	enter(&f);
	put("v.yaml", variants);
	f.rep_ns = SECOND / 2;
	ck_assert_int_eq(CLI(&f, "run", "-q", "v.yaml"), 0);
	ck_assert_int_eq(CLI(&f, "plan", "v.yaml"), 0);
	expect("stderr", f.err, "6 cells, at most 66 reps, estimate 33s");
	leave(&f);
}
END_TEST

START_TEST(test_minimum)
{
	static const struct {
		struct pg_repeat rule;
		uint32_t want;
	} c[] = {
		{{.fixed = true, .n = 40, .conf = 0.95}, 6}, {{.fixed = true, .n = 4, .conf = 0.95}, 4},
		{{.fixed = true, .n = 40, .conf = 0.99}, 8}, {{.min = 12, .max = 50, .conf = 0.95}, 12},
		{{.min = 2, .max = 50, .conf = 0.95}, 6},    {{.min = 2, .max = 5, .conf = 0.95}, 5},
	};
	struct pg_rules rules = {.repeat = c[_i].rule};

	ck_assert_uint_eq(pg_schedule_minimum(&rules), c[_i].want);
}
END_TEST

static struct fr r;

static void stop_asleep(void *ctx, int64_t ns)
{
	fr_sleep(ctx, ns);
	if (r.slept > 5 * SECOND)
		r.stop = SIGTERM;
}

static unsigned begun;

static int begins(void *ctx, uint32_t number, struct pg_err *err)
{
	(void)ctx;
	(void)number;
	(void)err;
	begun++;
	return 0;
}

/* A signal ends the rest at once, and no session begins. */
START_TEST(test_stopped_at_rest)
{
	const struct pg_rules *rules = &r.rules;
	struct pg_executor exec = {fr_run, &r};
	struct pg_observer obs;
	struct pg_schedule s;
	struct pg_err err;

	fr_init(&r, 3);
	r.clock.sleep = stop_asleep;
	r.rules.repeat.n = 4;
	fr_open(&r);
	obs = fr_observer(&r);
	s = (struct pg_schedule){.n = 1,
				 .rounds = &r.rounds,
				 .rules = &rules,
				 .executor = &exec,
				 .observer = &obs,
				 .clock = &r.clock,
				 .stop = &r.stop,
				 .parts = 2,
				 .begin = begins};
	begun = 0;
	ck_assert_int_eq(pg_schedule_run(&s, &err), 0);
	ck_assert_int_lt(r.slept, 6 * SECOND);
	ck_assert_uint_eq(begun, 0);
	ck_assert_uint_eq(fr_state(&r, 0).n, 2);
	/* Going on: it rests again, then the second part alone is left. */
	r.stop = 0;
	r.clock.sleep = fr_sleep;
	ck_assert_int_eq(pg_schedule_rest(&s, &err), 0);
	ck_assert_int_ge(r.slept, PG_REST_NS);
	ck_assert_int_eq(pg_schedule_run(&s, &err), 0);
	ck_assert_uint_eq(begun, 0);
	ck_assert_uint_eq(fr_state(&r, 0).n, 4);
	fr_close(&r);
}
END_TEST

PG_TEST_MAIN("runner_schedule", ((const struct pg_test[]){
					{test_sessions, 0},
					{test_sessions_resumed, 0},
					{test_resumed_between_sessions, 2},
					{test_sessions_with_more_reps, 0},
					{test_empty_parts, 0},
					{test_budget, 0},
					{test_budget_resumed, 0},
					{test_budget_refused, 0},
					{test_variants, 0},
					{test_variants_resumed, 0},
					{test_estimate_of_sessions, 5},
					{test_estimate_of_variants, 0},
					{test_minimum, 6},
					{test_stopped_at_rest, 0},
					{NULL, 0},
				}))
