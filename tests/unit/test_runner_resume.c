/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What comes after a run: going on in its directory, and its tables again. */
#include "runner/cli.h"

#include "base/err.h"
#include "tests/support/fake_world.h"
#include "tests/support/pgtest.h"

/* The runner itself has no more: the session ends, what there is is written. */
static int gives_up(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	(void)job;
	(void)out;
	return f->reps > 3 ? pg_fail(err, PG_ESYS, "no more descriptors") : 0;
}

START_TEST(test_executor_gives_up_then_resume)
{
	struct fake_world f;

	enter(&f);
	f.answer = gives_up;
	ck_assert_int_eq(CLI(&f, "run", "-o", "d", "a.yaml"), 3);
	expect("stderr", f.err, "perfgrid: no more descriptors\n");
	expect("stderr", f.err, "perfgrid: to go on: perfgrid run --resume d\n");
	ck_assert_int_eq(access("d/s.cells.csv", F_OK), 0);
	f.answer = NULL;
	f.reps = 0;
	ck_assert_int_eq(CLI(&f, "run", "--resume", "d"), 0);
	ck_assert_uint_eq(f.reps, 8 - 3);
	expect("stderr", f.err, "perfgrid: going on in d: 3 of 8 reps are done");
	/* And once more: there is nothing left. */
	f.reps = 0;
	ck_assert_int_eq(CLI(&f, "run", "--resume", "d"), 0);
	ck_assert_uint_eq(f.reps, 0);
	leave(&f);
}
END_TEST

START_TEST(test_resume_wants_the_same_plan)
{
	struct fake_world f;

	enter(&f);
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "a.yaml"), 0);
	f.reps = 0;
	put("other.yaml", "perfgrid: 1\nname: a\nsweeps:\n"
			  "  - {name: s, suite: noop, vary: {first: [1, 3]}, repeat: 3, warmup: 1}\n");
	ck_assert_int_eq(CLI(&f, "run", "--resume", "d", "other.yaml"), 2);
	expect("stderr", f.err, "'other.yaml' is not the plan of the run in 'd'");
	ck_assert_int_eq(CLI(&f, "run", "--resume", "d", "--set", "first=1"), 2);
	ck_assert_uint_eq(f.reps, 0);
	/* The same plan is welcome, and so are more reps. */
	ck_assert_int_eq(CLI(&f, "run", "--resume", "d", "a.yaml"), 0);
	ck_assert_uint_eq(f.reps, 0);
	ck_assert_int_eq(CLI(&f, "run", "--resume", "d", "--repeat", "5"), 0);
	ck_assert_uint_eq(f.reps, 2 * 2);
	leave(&f);
}
END_TEST

/* Nothing is wrong with the copies where an option of now is. */
START_TEST(test_resume_with_bad_options)
{
	static const char *const bad[][2] = {
		{"--set", "first=x"}, {"--set", "nothing=1"}, {"--max-cells", "1"}, {"--only", "nope == 1"}};
	struct fake_world f;

	enter(&f);
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "a.yaml"), 0);
	ck_assert_int_eq(CLI(&f, "run", "--resume", "d", bad[_i][0], bad[_i][1]), 2);
	ck_assert_ptr_null(strstr(f.err, "was changed since"));
	put("d/files/01-a.yaml", "perfgrid: 1\nname: a\nsweeps: []\n");
	ck_assert_int_eq(CLI(&f, "run", "--resume", "d"), 2);
	expect("stderr", f.err, "what is in 'd/files' was changed since the run began; restore it, or measure anew");
	leave(&f);
}
END_TEST

/* The whole file without blanks. */
static const char *packed(const char *path)
{
	static char text[8192];
	FILE *file = fopen(path, "r");
	size_t n = 0;

	ck_assert_ptr_nonnull(file);
	for (int c; (c = getc(file)) != EOF && n < sizeof(text) - 1;)
		if (c != ' ' && c != '\n')
			text[n++] = (char)c;
	text[n] = '\0';
	fclose(file);
	return text;
}

/* Of the comparison that was printed last. */
static const char *last_level(const struct fake_world *f)
{
	const char *found = NULL;

	for (const char *s = f->out; (s = strstr(s, ": p at most")); s++)
		found = s;
	ck_assert_ptr_nonnull(found);
	return found;
}

/*
 * More reps for a comparison: the looks that were made stay counted, in every later start and in what compares it. An
 * end that no cell came to was none: both are answered at the first look.
 */
START_TEST(test_resume_counts_looks)
{
	static const struct {
		const char *repeat, *line, *json;
	} more[] = {
		{"60", ": p at most 0.0137 counts (6 looks)\n", "\"repeat\":60}"},
		{"60", " (6 looks)\n", "\"repeat\":60}"},
		{"45", ": p at most 0.0142 counts (6 looks)\n", "\"repeat\":45}"},
		{"8", ": p at most 0.05 counts\n", "\"repeat\":8,\"earlier_repeats\":[10]"},
		{NULL, ": p at most 0.05 counts\n", "\"repeat\":8,\"earlier_repeats\":[10]"},
		{"60", ": p at most 0.0137 counts (6 looks)\n", "\"repeat\":60,\"earlier_repeats\":[10]"},
	};
	struct fake_world f;

	enter(&f);
	put("v.yaml", "perfgrid: 1\nname: a\nsweeps:\n"
		      "  - {name: s, suite: noop, variants: [{label: x}, {label: y, amount: 2KB}]}\n");
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "v.yaml"), 0);
	ck_assert_int_eq(CLI(&f, "compare", "d"), 0);
	expect("out", f.out, ": p at most 0.0158 counts (5 looks)\n");
	for (size_t i = 0; i < sizeof(more) / sizeof(*more); i++) {
		if (more[i].repeat)
			ck_assert_int_eq(CLI(&f, "run", "--resume", "d", "--repeat", more[i].repeat), 0);
		else
			ck_assert_int_eq(CLI(&f, "run", "--resume", "d"), 0);
		ck_assert_int_eq(CLI(&f, "compare", "d"), 0);
		expect("out", last_level(&f), more[i].line);
		expect("run.json", packed("d/run.json"), more[i].json);
	}
	leave(&f);
}
END_TEST

#define ARMS "variants: [{label: x}, {label: y, amount: 2KB}]"

/* Not without end, where each end is a look. */
START_TEST(test_resume_too_often)
{
	struct fake_world f;
	char n[16];

	enter(&f);
	put("v.yaml", "perfgrid: 1\nname: a\nsweeps:\n"
		      "  - {name: s, suite: noop, repeat: 6, compare: {looks: none}, " ARMS "}\n");
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "v", "v.yaml"), 0);
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "a.yaml"), 0);
	for (int i = 0; i < 22; i++) {
		snprintf(n, sizeof(n), "%d", i < 20 ? 8 + i : 8 + i % 20);
		if (i < 20)
			ck_assert_int_eq(CLI(&f, "run", "-q", "--resume", "v", "--repeat", n), 0);
		ck_assert_int_eq(CLI(&f, "run", "-q", "--resume", "d", "--repeat", n), 0);
	}
	ck_assert_int_eq(CLI(&f, "run", "--resume", "v", "--repeat", "40"), 2);
	expect("stderr", f.err,
	       "the run in 'v' has been given another --repeat 20 times, as often as one can; start a ");
	ck_assert_int_eq(CLI(&f, "run", "--resume", "v", "--repeat", "27"), 0);
	ck_assert_int_eq(CLI(&f, "run", "--resume", "d", "--repeat", "40"), 0);
	ck_assert_ptr_null(strstr(packed("d/run.json"), "earlier_repeats"));
	leave(&f);
}
END_TEST

/*
 * Without looks nothing but the number ends a cell; what was seen at the end before still has its price. Fewer reps
 * than there are show nothing new.
 */
START_TEST(test_resume_without_looks)
{
	struct fake_world f;

	enter(&f);
	put("v.yaml", "perfgrid: 1\nname: a\nsweeps:\n"
		      "  - {name: s, suite: noop, repeat: 6, warmup: 0, compare: {looks: none}, " ARMS "}\n");
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "v.yaml"), 0);
	ck_assert_uint_eq(f.reps, 2 * 6);
	/* A number that was given before is no new end. */
	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(CLI(&f, "run", "-q", "--resume", "d", "--repeat", "12"), 0);
		ck_assert_uint_eq(f.reps, 2 * 12);
		ck_assert_int_eq(CLI(&f, "run", "-q", "--resume", "d", "--repeat", "6"), 0);
	}
	expect("run.json", packed("d/run.json"), "\"earlier_repeats\":[0,12]");
	ck_assert_int_eq(CLI(&f, "compare", "d"), 0);
	expect("out", f.out, " (2 looks)\n");
	leave(&f);
}
END_TEST

static int six_rounds(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	(void)job;
	(void)out;
	return f->reps > 2 * 6 ? pg_fail(err, PG_ESYS, "no more descriptors") : 0;
}

/* What was only planned, such as a number typed wrongly, costs nothing; looks on the way to it that were made do. */
START_TEST(test_resume_after_less_than_planned)
{
	static const struct {
		const char *looks, *first;
		struct {
			const char *repeat, *json, *line;
		} then[5];
	} c[] = {
		{"none",
		 "6000",
		 {{"6", "\"repeat\":6}", ": p at most 0.05 counts\n"},
		  {"2", "\"repeat\":2,\"earlier_repeats\":[6]", ": p at most 0.05 counts\n"},
		  {"40", "\"repeat\":40,\"earlier_repeats\":[6]", " (2 looks)\n"},
		  {"10", "\"repeat\":10,\"earlier_repeats\":[6,40]", " (2 looks)\n"}}},
		{"[2, 4, 5, 30]",
		 "50",
		 {{"60", "\"repeat\":60}", " (5 looks)\n"},
		  {"3", "\"repeat\":3,\"earlier_repeats\":[30]", " (4 looks)\n"}}},
		{"[2, 4, 5, 30]", "50", {{"3", "\"repeat\":3,\"earlier_repeats\":[6]", " (4 looks)\n"}}},
		{"[8, 30]", "50", {{"3", "\"repeat\":3}", ": p at most 0.05 counts\n"}}},
	};
	struct fake_world f;
	char text[512];

	enter(&f);
	snprintf(text, sizeof(text),
		 "perfgrid: 1\nname: a\nsweeps:\n  - {name: s, suite: noop, repeat: 30, warmup: 0, compare: "
		 "{looks: %s}, " ARMS "}\n",
		 c[_i].looks);
	put("v.yaml", text);
	f.answer = six_rounds;
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "--repeat", c[_i].first, "v.yaml"), 3);
	f.answer = NULL;
	for (size_t i = 0; i < 5 && c[_i].then[i].repeat; i++) {
		ck_assert_int_eq(CLI(&f, "run", "-q", "--resume", "d", "--repeat", c[_i].then[i].repeat), 0);
		expect("run.json", packed("d/run.json"), c[_i].then[i].json);
		ck_assert_int_eq(CLI(&f, "compare", "d"), 0);
		expect("out", last_level(&f), c[_i].then[i].line);
	}
	leave(&f);
}
END_TEST

/* More reps were asked for, and nothing is measured: it says why, and what to do. */
START_TEST(test_resume_of_what_is_answered)
{
	struct fake_world f;

	enter(&f);
	put("v.yaml",
	    "perfgrid: 1\nname: a\nsweeps:\n  - {name: s, suite: noop, warmup: 0, compare: {looks: [6, 30]}, " ARMS
	    "}\n");
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "v.yaml"), 0);
	ck_assert_uint_eq(f.reps, 2 * 6);
	for (int i = 0; i < 2; i++) {
		size_t before = f.n_err;

		ck_assert_int_eq(CLI(&f, "run", "--resume", "d", "--repeat", i ? "40" : "20"), 0);
		expect("stderr", f.err + before,
		       "note: 2 cells of `variants` stay ended, for a look has answered them; for more reps start a "
		       "new run "
		       "with `looks: none`\n");
		ck_assert_uint_eq(f.reps, 2 * 6);
	}
	leave(&f);
}
END_TEST

START_TEST(test_resume_with_a_changed_file)
{
	struct fake_world f;

	enter(&f);
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "a.yaml"), 0);
	put("a.yaml", "perfgrid: 1\nname: a\nsweeps:\n"
		      "  - {name: s, suite: noop, vary: {first: [1, 2]}, repeat: 9, warmup: 1}\n");
	f.reps = 0;
	ck_assert_int_eq(CLI(&f, "run", "--resume", "d", "a.yaml"), 0);
	/* Said aloud, for nothing more is measured. */
	expect("stderr", f.err, "note: 'a.yaml' has changed in what does not shape a rep");
	ck_assert_uint_eq(f.reps, 0);
	leave(&f);
}
END_TEST

START_TEST(test_tables)
{
	struct fake_world f;

	enter(&f);
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "a.yaml"), 0);
	ck_assert_int_eq(unlink("d/s.time_per_op_s.median.csv"), 0);
	ck_assert_int_eq(CLI(&f, "tables", "d"), 0);
	ck_assert_int_eq(access("d/s.time_per_op_s.median.csv", F_OK), 0);
	/* Another statistic is another file. */
	ck_assert_int_eq(CLI(&f, "tables", "d", "--rows", "first", "--statistic", "sd"), 0);
	ck_assert_int_eq(access("d/s.time_per_op_s.sd.csv", F_OK), 0);
	/* A declared table is not written over. */
	ck_assert_int_eq(CLI(&f, "tables", "d", "--rows", "first"), 2);
	expect("stderr", f.err, "'s.time_per_op_s.median.csv' is a table of the scenario");
	ck_assert_int_eq(CLI(&f, "tables", "d", "--rows", "first", "--name", "mine"), 0);
	ck_assert_int_eq(access("d/s.mine.time_per_op_s.median.csv", F_OK), 0);
	ck_assert_int_eq(CLI(&f, "tables", "d", "--rows", "first", "-o", "elsewhere"), 0);
	ck_assert_int_eq(access("elsewhere/s.time_per_op_s.median.csv", F_OK), 0);
	ck_assert_int_eq(CLI(&f, "tables", "d", "--sweep", "s", "--style", "tsv", "-o", "elsewhere"), 0);
	ck_assert_int_eq(CLI(&f, "tables", "d", "--sweep", "t"), 2);
	expect("stderr", f.err, "no sweep 't' in this run; one of s");
	ck_assert_int_eq(CLI(&f, "tables", "d", "--rows", "nothing"), 2);
	ck_assert_int_eq(CLI(&f, "tables", "d", "-o", "a.yaml"), 2);
	leave(&f);
}
END_TEST

START_TEST(test_damaged_journal)
{
	struct fake_world f;
	FILE *j;

	enter(&f);
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "a.yaml"), 0);
	j = fopen("d/journal.jsonl", "r+");
	ck_assert_ptr_nonnull(j);
	fputs("xxxx", j);
	fclose(j);
	ck_assert_int_eq(CLI(&f, "tables", "d"), 3);
	ck_assert_int_eq(CLI(&f, "run", "--resume", "d"), 3);
	leave(&f);
}
END_TEST

PG_TEST_MAIN("runner_resume", ((const struct pg_test[]){
				      {test_executor_gives_up_then_resume, 0},
				      {test_resume_wants_the_same_plan, 0},
				      {test_resume_with_bad_options, 4},
				      {test_resume_counts_looks, 0},
				      {test_resume_too_often, 0},
				      {test_resume_without_looks, 0},
				      {test_resume_after_less_than_planned, 4},
				      {test_resume_of_what_is_answered, 0},
				      {test_resume_with_a_changed_file, 0},
				      {test_tables, 0},
				      {test_damaged_journal, 0},
				      {NULL, 0},
			      }))
