/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `run --loops-from`: what is taken over from a stored run, what is calibrated, and that compare finds no difference.
 */
#include "runner/cli.h"

#include "base/err.h"
#include "tests/support/fake_world.h"
#include "tests/support/pgtest.h"

#define HEAD "perfgrid: 1\nname: a\nsweeps:\n"
#define REST "suite: noop, process: exec, set: {loops: auto}, repeat: 3, warmup: 1, "
#define TWO  HEAD "  - {name: s, " REST "vary: {first: [1, 2]}}\n"
#define REPS (3 + 1)

/* An operation takes a thousandth of rep_ns, so that a slower world calibrates to less. */
static int by_loops(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	int64_t ops = (int64_t)job->ops, ns = ops * (f->rep_ns / 1000);

	(void)err;
	out->once_ns = ns;
	out->facts[PG_F_LOOPS] = ops;
	for (size_t i = 0; i < out->n; i++)
		out->s[i].raw = job->cell->metrics[out->s[i].metric].unit == PG_U_S ? ns : ops;
	return 0;
}

/* Nothing was written and run so far. */
static void fresh(struct fake_world *f)
{
	fake_world_close(f);
	f->world.out = open_memstream(&f->out, &f->n_out);
	f->world.err = open_memstream(&f->err, &f->n_err);
	ck_assert(f->world.out && f->world.err);
	f->reps = 0;
}

/* `old` is a run of two cells; from here on the world is slower. */
static void begin(struct fake_world *f)
{
	enter(f);
	f->answer = by_loops;
	put("a.yaml", TWO);
	ck_assert_msg(CLI(f, "run", "-q", "-o", "old", "a.yaml") == 0, "%s", f->err);
	f->rep_ns = 1400000;
	fresh(f);
}

static char *journal(const char *dir)
{
	char path[64], *text;
	struct stat st;
	FILE *f;
	size_t n;

	snprintf(path, sizeof(path), "%s/journal.jsonl", dir);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fstat(fileno(f), &st), 0);
	text = malloc((size_t)st.st_size + 1);
	ck_assert_ptr_nonnull(text);
	n = fread(text, 1, (size_t)st.st_size, f);
	text[n] = '\0';
	fclose(f);
	return text;
}

static size_t count(const char *dir, const char *part)
{
	char *text = journal(dir);
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, part)); p++)
		n++;
	free(text);
	return n;
}

/* Each record of a calibration in `from` stands in `to`, and no other does. */
static void same_counts(const char *from, const char *to)
{
	char *a = journal(from), *save = NULL;
	size_t n = 0;

	for (char *line = strtok_r(a, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (strncmp(line, "{\"cal\":", 7) != 0)
			continue;
		ck_assert_msg(count(to, line) == 1, "%s lacks %s", to, line);
		n++;
	}
	ck_assert_uint_gt(n, 0);
	ck_assert_uint_eq(count(to, "{\"cal\":"), n);
	free(a);
}

START_TEST(compare_finds_no_difference)
{
	struct fake_world f;

	begin(&f);
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "other", "a.yaml"), 0);
	ck_assert_int_eq(CLI(&f, "compare", "old", "other"), 0);
	expect("stdout", f.out,
	       "loops-differ: the sides have different counts; measure one again with the other's "
	       "(`perfgrid run --loops-from RUN`), or say --differs loops\n");
	fresh(&f);
	ck_assert_int_eq(CLI(&f, "run", "-o", "new", "--loops-from", "old", "a.yaml"), 0);
	ck_assert_uint_eq(f.reps, 2 * REPS); /* and nothing to calibrate */
	ck_assert_msg(!strstr(f.err, "calibrated"), "%s", f.err);
	same_counts("old", "new");
	ck_assert_uint_eq(count("new", "\"loops\":55000}"), 2);
	fresh(&f);
	ck_assert_int_eq(CLI(&f, "compare", "old", "new"), 0);
	expect("stdout", f.out, "single session");
	ck_assert_msg(!strstr(f.out, "loops") && !strstr(f.out, "env"), "%s", f.out);
	/* And on: a third run may take them from the second. */
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "third", "--loops-from", "new", "a.yaml"), 0);
	same_counts("old", "third");
	leave(&f);
}
END_TEST

/* Without the other run, and wherever it was cut. */
START_TEST(goes_on)
{
	static const size_t cuts[] = {4, 7}; /* header, session, two counts; three reps more */
	char *text, *end;
	struct fake_world f;

	begin(&f);
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "new", "--loops-from", "old", "a.yaml"), 0);
	ck_assert_int_eq(rename("old", "away"), 0);
	end = text = journal("new");
	for (size_t i = 0; i < cuts[_i]; i++)
		end = strchr(end, '\n') + 1;
	ck_assert_int_eq(truncate("new/journal.jsonl", end - text), 0);
	free(text);
	fresh(&f);
	ck_assert_int_eq(CLI(&f, "run", "-q", "--resume", "new"), 0);
	ck_assert_uint_eq(f.reps, 2 * REPS - (cuts[_i] - 4));
	same_counts("away", "new");
	leave(&f);
}
END_TEST

START_TEST(some_are_calibrated)
{
	struct fake_world f;

	begin(&f);
	put("b.yaml", HEAD "  - {name: s, " REST "vary: {first: [2, 3]}}\n"
			   "  - {name: t, " REST "}\n"
			   "  - {name: u, suite: noop, set: {loops: 5}, repeat: 3, warmup: 1}\n");
	ck_assert_int_eq(CLI(&f, "run", "-o", "new", "--loops-from", "old", "b.yaml"), 0);
	expect("stderr", f.err,
	       "perfgrid: note: not calibrated in 'old': 2 of 3 cells under `loops: auto`; they are "
	       "calibrated now\n");
	ck_assert_uint_eq(count("new", "\"loops\":55000}"), 1);
	ck_assert_uint_eq(count("new", "{\"cal\":"), 3);
	ck_assert_uint_gt(f.reps, 4 * REPS);
	fresh(&f);
	/* Cells that are not to run are none that lack something. */
	ck_assert_int_eq(CLI(&f, "run", "-o", "one", "--only", "first == 2", "--loops-from", "old", "b.yaml"), 0);
	ck_assert_msg(!strstr(f.err, "calibrated"), "%s", f.err);
	ck_assert_uint_eq(count("one", "{\"cal\":"), 1);
	fresh(&f);
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "quiet", "--loops-from", "old", "b.yaml"), 0);
	expect("stderr", f.err, "");
	leave(&f);
}
END_TEST

START_TEST(arms)
{
	struct fake_world f;

	begin(&f);
	put("v.yaml", HEAD "  - {name: s, " REST "variants: [{label: a}, {label: b}]}\n");
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "v", "v.yaml"), 0);
	put("w.yaml", HEAD "  - {name: s, " REST "variants: [{label: a}, {label: c}, {label: b}]}\n");
	f.rep_ns = 500000;
	fresh(&f);
	ck_assert_int_eq(CLI(&f, "run", "-o", "w", "--loops-from", "v", "w.yaml"), 0);
	ck_assert_uint_eq(f.reps, 3 * REPS);
	ck_assert_msg(!strstr(f.err, "calibrated"), "%s", f.err);
	ck_assert_uint_eq(count("w", "{\"cal\":"), 3);
	ck_assert_uint_eq(count("w", "\"v\":\"c\",\"loops\":39286}"), 1);
	fresh(&f);
	ck_assert_int_eq(CLI(&f, "compare", "v@b", "w@c"), 0);
	ck_assert_msg(!strstr(f.out, "loops"), "%s", f.out);
	leave(&f);
}
END_TEST

static const struct {
	const char *words[6], *want;
} wrong[] = {
	{{"--loops-from", "none", "a.yaml"},
	 "cannot open run directory 'none': No such file or directory; give a "
	 "directory that `perfgrid run` has made"},
	{{"--loops-from", "a.yaml", "a.yaml"}, "cannot open run directory 'a.yaml': Not a directory"},
	{{"--loops-from", ".", "a.yaml"}, "'.' is no run directory"},
	{{"--loops-from", "broken", "a.yaml"}, "run directory 'broken': line 3 of 'journal.jsonl' is damaged"},
	{{"--loops-from", "fixed", "a.yaml"},
	 "'a.yaml' has no cell under `loops: auto` that was calibrated in 'fixed'; "
	 "give a run of the same scenario, or leave out --loops-from"},
	{{"--loops-from", "old", "a.yaml", "c.yaml"}, "'c.yaml' has no cell under `loops: auto`"},
	{{"--loops-from", "old", "--set", "loops=7", "a.yaml"}, "'a.yaml' has no cell under `loops: auto`"},
	{{"--loops-from", "old", "--resume", "old"},
	 "--resume keeps the loops of the run; leave out --loops-from, or "
	 "start a new run"},
	{{"a.yaml", "--loops-from"}, "--loops-from"},
};

/* A line of the journal becomes no record. */
static void spoil(const char *dir, size_t line)
{
	char path[64], *text = journal(dir), *at = text;
	FILE *f;

	while (--line > 0)
		at = strchr(at, '\n') + 1;
	*at = 'x';
	snprintf(path, sizeof(path), "%s/journal.jsonl", dir);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	free(text);
}

START_TEST(wrong_words)
{
	const char *words[8] = {"run"};
	struct fake_world f;

	begin(&f);
	put("c.yaml", "perfgrid: 1\nname: c\nsweeps:\n  - {name: other, " REST "}\n");
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "fixed", "--set", "loops=3", "a.yaml"), 0);
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "broken", "--set", "loops=3", "a.yaml"), 0);
	spoil("broken", 3);
	fresh(&f);
	memcpy(words + 1, wrong[_i].words, sizeof(wrong[_i].words));
	ck_assert_int_eq(fake_world_cli(&f, words), 2);
	expect("stderr", f.err, wrong[_i].want);
	expect("stdout", f.out, "");
	ck_assert_uint_eq(f.reps, 0);
	ck_assert_int_ne(access("results", F_OK), 0);
	leave(&f);
}
END_TEST

PG_TEST_MAIN("runner_run_loops", ((const struct pg_test[]){
					 {compare_finds_no_difference, 0},
					 {goes_on, 2},
					 {some_are_calibrated, 0},
					 {arms, 0},
					 {wrong_words, sizeof(wrong) / sizeof(*wrong)},
					 {NULL, 0},
				 }))
