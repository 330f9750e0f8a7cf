/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `compare` as a command: operands, formats, the gate's exit statuses, bisection, what is said. */
#include "runner/cmd_compare.h"

#include "base/err.h"
#include "store/json.h"
#include "tests/support/fake_world.h"
#include "tests/support/pgtest.h"

#define NOOP "perfgrid: 1\nname: a\nsweeps:\n  - {name: s, suite: noop, process: exec, warmup: 0, "

/* Lengths by arm: "slow" takes 30 % more, "wild" varies; "dead" fails. Others vary by half a percent. */
static int by_arm(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	const char *arm = job->cell->variant_label ? job->cell->variant_label : "";
	int64_t ns = f->rep_ns + (int64_t)(f->reps * 7919 % 5000);

	(void)err;
	if (strcmp(arm, "slow") == 0)
		ns += f->rep_ns * 3 / 10;
	if (strcmp(arm, "wild") == 0)
		ns = ns * (int64_t)(4 + f->reps * 31 % 7) / 7;
	if (strcmp(arm, "dead") == 0) {
		out->status = PG_ST_FAILED;
		strcpy(out->why, "exit status 9");
	}
	for (size_t i = 0; i < out->n; i++)
		out->s[i].raw = job->cell->metrics[out->s[i].metric].unit == PG_U_S ? ns : 1000;
	return 0;
}

static void begin(struct fake_world *f)
{
	enter(f);
	f->answer = by_arm;
}

/* Nothing was written so far. */
static void fresh(struct fake_world *f)
{
	fake_world_close(f);
	f->world.out = open_memstream(&f->out, &f->n_out);
	f->world.err = open_memstream(&f->err, &f->n_err);
	ck_assert(f->world.out && f->world.err);
}

static void run(struct fake_world *f, const char *dir, const char *text)
{
	char seed[16];
	int status;

	/* Else one verdict of twenty would be another one. */
	snprintf(seed, sizeof(seed), "%d", 7 + dir[0]);
	put("a.yaml", text);
	status = CLI(f, "run", "-q", "--seed", seed, "-o", dir, "a.yaml");
	ck_assert_msg(status == 0 || status == 1, "%s", f->err);
	fresh(f);
}

static const struct {
	const char *arms, *repeat;
	int gate, bisect;
} gates[] = {
	{"{label: old}, {label: new}", "12", 0, 0},
	{"{label: old}, {label: slow}", "12", 4, 1},
	{"{label: slow}, {label: fast}", "12", 0, 0}, /* improved */
	{"{label: old}, {label: dead}", "12", 1, 125},
	{"{label: old}, {label: slow}, {label: dead}", "12", 1, 125}, /* failed before regressed */
	{"{label: old}, {label: wild}", "12", 5, 125},
	{"{label: old}, {label: slow}, {label: wild}", "14", 4, 1},
	{"{label: old}, {label: slow}", "3", 5, 125},
};

START_TEST(gate)
{
	struct fake_world f;
	char text[512];

	begin(&f);
	snprintf(text, sizeof(text), NOOP "repeat: %s, variants: [%s]}\n", gates[_i].repeat, gates[_i].arms);
	run(&f, "d", text);
	ck_assert_int_eq(CLI(&f, "compare", "d"), 0);
	ck_assert_msg(CLI(&f, "compare", "--gate", "d") == gates[_i].gate, "%d: %s", gates[_i].gate, f.out);
	ck_assert_int_eq(CLI(&f, "compare", "--bisect", "d"), gates[_i].bisect);
	if (gates[_i].gate == 5) {
		ck_assert_int_eq(CLI(&f, "compare", "--gate", "--inconclusive", "pass", "d"), 0);
		ck_assert_int_eq(CLI(&f, "compare", "--gate", "--inconclusive=fail", "d"), 4);
	} else {
		ck_assert_int_eq(CLI(&f, "compare", "--gate", "--inconclusive=fail", "d"), gates[_i].gate);
	}
	leave(&f);
}
END_TEST

START_TEST(the_threshold_is_the_users)
{
	struct fake_world f;

	begin(&f);
	run(&f, "d", NOOP "repeat: 12, variants: [{label: old}, {label: slow}]}\n");
	ck_assert_int_eq(CLI(&f, "compare", "--gate", "d", "--threshold", "40%"), 0);
	expect("stdout", f.out, "minor+");
	ck_assert_int_eq(
		CLI(&f, "compare", "--gate", "d", "--threshold", "20%", "--lens", "floor", "--correction=none"), 4);
	leave(&f);
}
END_TEST

static void json_row(const struct json_t *row)
{
	int64_t first;

	ck_assert_str_eq(pg_json_text(row, "verdict"), "regressed");
	ck_assert_str_eq(pg_json_text(row, "better"), "lower");
	ck_assert_str_eq(pg_json_text(row, "standing"), "judged");
	ck_assert_str_eq(pg_json_text(row, "correction"), "holm");
	ck_assert_str_eq(pg_json_text(row, "lens"), "typical");
	/* Numbers are numbers. */
	ck_assert(pg_json_int(pg_json_get(row, "params"), "first", &first) && first == 1);
	ck_assert(pg_json_get(row, "change_pct") && pg_json_get(row, "alpha") && pg_json_get(row, "threshold"));
	ck_assert_ptr_null(pg_json_get(row, "reason"));
}

START_TEST(formats)
{
	struct fake_world f;
	struct json_t *j;
	struct pg_err err;
	int64_t n;

	begin(&f);
	run(&f, "d", NOOP "repeat: 12, vary: {first: [1, 2]}, variants: [{label: old}, {label: slow}]}\n");
	ck_assert_int_eq(CLI(&f, "compare", "d"), 0);
	expect("stdout", f.out, "time_per_op, less is better\ncell     old ");
	expect("stdout", f.out, "\nfirst=2  ");
	expect("stdout", f.out, "regressed\n    p 0.0");
	expect("stdout", f.out,
	       "\n2 regressed\nthreshold 5 %; 4 tests (2 comparisons, 2 lenses), holm: p at most 0.0294 "
	       "counts (2 looks)\nchange: middle of the round-by-round ratios, not new / base\n");
	expect("stderr", f.err, "");
	ck_assert_int_eq(CLI(&f, "compare", "d", "--format=csv"), 0);
	expect("stdout", f.out, "sweep,cell,");
	expect("stdout", f.out, ",slow,time_per_op,s,lower,");
	ck_assert_int_eq(CLI(&f, "compare", "d", "--format=markdown"), 0);
	expect("stdout", f.out,
	       "time\\_per\\_op, less is better\n\n| cell | old | slow | change | 95 % interval | "
	       "verdict | note |\n| --- |");
	expect("stdout", f.out, "\n- 2 regressed\n");
	ck_assert_int_eq(CLI(&f, "compare", "d", "--format=json", "-o", "out.json"), 0);
	ck_assert_ptr_null(strstr(f.out, "\"rows\""));
	fresh(&f);
	ck_assert_int_eq(CLI(&f, "compare", "d", "--format=json"), 0);
	j = pg_json_parse(f.out, strlen(f.out), &err);
	ck_assert_msg(j != NULL, "%s", err.msg);
	ck_assert_uint_ge(pg_json_len(pg_json_get(j, "rows")), 2);
	ck_assert(pg_json_int(pg_json_get(j, "counts"), "regressed", &n) && n == 2);
	json_row(pg_json_at(pg_json_get(j, "rows"), 0));
	ck_assert(pg_json_int(j, "gate", &n) && n == 4);
	ck_assert_str_eq(pg_json_text(j, "design"), "live");
	expect("stdout", f.out, "\"complete\": true");
	pg_json_free(j);
	leave(&f);
}
END_TEST

/* A lot of cells that are the same are a number. */
START_TEST(many_cells)
{
	struct fake_world f;

	begin(&f);
	run(&f, "d", NOOP "repeat: 12, vary: {first: 1..20}, variants: [{label: old}, {label: new}]}\n");
	ck_assert_int_eq(CLI(&f, "compare", "d"), 0);
	expect("stdout", f.out, "not shown: 20 that are the same or not measured; --format csv has them\n20 same\n");
	ck_assert_msg(!strstr(f.out, "first="), "%s", f.out);
	leave(&f);
}
END_TEST

/* Arms have a column where there are several; what is worse stands first. */
START_TEST(several_arms)
{
	struct fake_world f;
	const char *slow, *same;

	begin(&f);
	run(&f, "d", NOOP "repeat: 12, variants: [{label: old}, {label: same}, {label: slow}]}\n");
	ck_assert_int_eq(CLI(&f, "compare", "d"), 0);
	expect("stdout", f.out, "\narm   cell  old       this arm  change");
	slow = strstr(f.out, "\nslow  s ");
	same = strstr(f.out, "\nsame  s ");
	ck_assert_msg(slow && same && slow < same, "%s", f.out);
	leave(&f);
}
END_TEST

/* What is said of stored runs has no meaning for arms that were measured in turns. */
START_TEST(for_stored_runs_only)
{
	struct fake_world f;

	begin(&f);
	run(&f, "d", NOOP "repeat: 2, variants: [{label: a}, {label: b}, {label: c}]}\n");
	ck_assert_int_eq(CLI(&f, "compare", "d", "--differs", "loops"), 2);
	expect("stderr", f.err, "--differs and --trust-stored are for two stored runs");
	ck_assert_int_eq(CLI(&f, "compare", "d", "--trust-stored"), 2);
	ck_assert_int_eq(CLI(&f, "compare", "d@b", "d@c", "--trust-stored"), 2);
	expect("stdout", f.out, "");
	leave(&f);
}
END_TEST

START_TEST(into_a_file)
{
	struct fake_world f;
	struct stat st;

	begin(&f);
	run(&f, "d", NOOP "repeat: 12, variants: [{label: old}, {label: slow}]}\n");
	ck_assert_int_eq(CLI(&f, "compare", "d", "-o", "d/report.txt"), 0);
	ck_assert(stat("d/report.txt", &st) == 0 && st.st_size > 20);
	ck_assert_int_eq(CLI(&f, "compare", "d", "-o", "/dev/null"), 0);
	ck_assert(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
	expect("stdout", f.out, "");
	ck_assert_int_eq(CLI(&f, "compare", "d", "-o", "-"), 0);
	expect("stdout", f.out, "1 regressed");
	ck_assert(stat("-", &st) != 0);
	fresh(&f);
	ck_assert_int_eq(CLI(&f, "compare", "d", "-o", "nowhere/x"), 2);
	expect("stderr", f.err, "cannot write 'nowhere/x': No such file or directory; give another file");
	ck_assert_int_eq(CLI(&f, "compare", "--bisect", "d", "-o", "nowhere/x"), 125);
	/* Each command that has -o. */
	ck_assert_int_eq(CLI(&f, "compare", "d", "-o", ""), 2);
	ck_assert_int_eq(CLI(&f, "tables", "d", "--output="), 2);
	ck_assert_int_eq(CLI(&f, "run", "a.yaml", "-o", ""), 2);
	expect("stderr", f.err, "--output '' names nothing; give it a FILE, or leave it out\n");
	expect("stderr", f.err, "--output '' names nothing; give it a DIR, or leave it out\n");
	/* A link stays one. */
	ck_assert_int_eq(symlink("d/report.txt", "link"), 0);
	ck_assert_int_eq(CLI(&f, "compare", "d", "-o", "link", "--format=csv"), 0);
	ck_assert(lstat("link", &st) == 0 && S_ISLNK(st.st_mode));
	ck_assert(stat("d/report.txt", &st) == 0 && st.st_size > 1000);
	leave(&f);
}
END_TEST

START_TEST(two_runs)
{
	struct fake_world f;

	begin(&f);
	run(&f, "old", NOOP "repeat: 8, vary: {first: [1, 2]}}\n");
	run(&f, "new", NOOP "repeat: 8, vary: {first: [2, 3]}}\n");
	ck_assert_int_eq(CLI(&f, "compare", "old", "new"), 0);
	expect("stdout", f.out, "single session");
	expect("stdout", f.out, "use `variants:`, or `sessions: 5` on both sides (1 cell)");
	expect("stdout", f.out, "2 missing, 1 unclear\nthreshold 5 %; nothing could be tested\n");
	expect("stdout", f.out, "missing\n    old: no such cell\n");
	expect("stdout", f.out, "missing\n    new: no such cell\n");
	/* What was seen of the cells stands with what cannot be told. */
	expect("stdout", f.out, "unclear\n    single session; major-faults:100%\n");
	expect("stderr", f.err, "");
	ck_assert_int_eq(CLI(&f, "compare", "old", "new", "--format", "csv"), 0);
	expect("stderr", f.err, "perfgrid: 2 cells are missing on one side; the report names them");
	ck_assert_int_eq(CLI(&f, "compare", "--gate", "old", "new"), 1);
	ck_assert_int_eq(CLI(&f, "compare", "--gate", "--missing=pass", "old", "new"), 5);
	ck_assert_int_eq(CLI(&f, "compare", "--gate", "--missing=pass", "--trust-stored", "old", "new"), 5);
	expect("stdout", f.out, "trust-stored: 29 to 76 %");
	leave(&f);
}
END_TEST

/* Several runs with one label are the sessions of a side. */
START_TEST(labels)
{
	struct fake_world f;

	begin(&f);
	put("a.yaml", NOOP "repeat: 6}\n");
	mkdir("runs", 0777);
	for (int i = 0; i < 10; i++) {
		const char dir[] = {'r', 'u', 'n', 's', '/', (char)('0' + i), '\0'};

		f.rep_ns = i < 5 ? 1000000 : 1400000;
		ck_assert_int_eq(CLI(&f, "run", "-q", "-o", dir, "--label", i < 5 ? "v1" : "v2", "a.yaml"), 0);
	}
	ck_assert_int_eq(symlink("9", "runs/latest"), 0);
	ck_assert_msg(CLI(&f, "compare", "--gate", "runs@v1", "runs@v2") == 4, "%s", f.out);
	expect("stdout", f.out, "cell  v1        v2        change");
	expect("stdout", f.out,
	       "1 regressed\nthreshold 5 %; 2 tests (1 comparison, 2 lenses), holm: p at most 0.05 counts\n");
	ck_assert_int_eq(CLI(&f, "compare", "runs@v1", "runs@v3"), 2);
	expect("stderr", f.err, "no run in 'runs' has the label 'v3'; there are v1, v2");
	ck_assert_int_eq(CLI(&f, "compare", "runs@v1"), 2);
	expect("stderr", f.err, "'runs@v1' is one side; give the other one too");
	put("a.yaml", NOOP "repeat: 6, vary: {first: [1, 2]}}\n");
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "runs/x", "--label", "v2", "a.yaml"), 0);
	ck_assert_int_eq(CLI(&f, "compare", "runs@v1", "runs@v2"), 2);
	expect("stderr", f.err, "have one label and different plans");
	leave(&f);
}
END_TEST

static const struct {
	const char *words[4], *want;
} wrong[] = {
	{{"d"}, "the run in 'd' has no variants; give a second run"},
	{{"d", "d"}, "'d' and 'd' are one run"},
	{{"d@x", "d"}, "the run in 'd' has no variants, so no 'x'"},
	{{"none", "d"}, "cannot open run directory 'none'"},
	{{"none@x", "d"}, "cannot read directory 'none'"},
	{{"--differs", "weather", "d", "e"}, "--differs 'weather' names nothing"},
	{{"--differs", "kernel,cpu", "d", "d"}, "are one run"},
	{{"--differs", "kernel,", "d", "d"}, "--differs '' names nothing"},
	{{"--differs", ",kernel", "d", "d"}, "--differs '' names nothing"},
	{{"", "d"}, "'' names nothing; give a run directory"},
	{{"d@", "d"}, "'d@' has nothing behind the @"},
	{{"a.yaml"}, "'a.yaml' is a file and no run directory; a scenario is run first"},
	{{"--threshold", "5", "d", "e"}, "--threshold '5' is no percentage"},
	{{"--threshold", "0%", "d", "e"}, "is out of range"},
	{{"--threshold", "101%", "d", "e"}, "at most 100%"},
	{{"--missing=pass", "d", "e"}, "belong to --gate"},
	{{"--format=pdf", "d", "e"}, "pdf"},
	{{NULL}, "compare lacks an operand"},
	{{"a", "b", "c"}, "operand 'c' is one too many"},
};

START_TEST(wrong_words)
{
	const char *words[8] = {"compare"};
	struct fake_world f;

	begin(&f);
	run(&f, "d", NOOP "repeat: 2}\n");
	memcpy(words + 1, wrong[_i].words, sizeof(wrong[_i].words));
	ck_assert_int_eq(fake_world_cli(&f, words), 2);
	expect("stderr", f.err, wrong[_i].want);
	expect("stdout", f.out, "");
	/* No bad commit either. */
	words[0] = "compare";
	words[1] = "--bisect";
	memcpy(words + 2, wrong[_i].words, sizeof(wrong[_i].words));
	ck_assert_int_eq(fake_world_cli(&f, words), 125);
	leave(&f);
}
END_TEST

START_TEST(arms_of_a_run)
{
	struct fake_world f;

	begin(&f);
	run(&f, "d", NOOP "repeat: 8, variants: [{label: a}, {label: slow}]}\n");
	run(&f, "e", NOOP "repeat: 8, variants: [{label: a}, {label: slow}]}\n");
	ck_assert_int_eq(CLI(&f, "compare", "d@a", "e@slow", "--trust-stored", "--gate"), 4);
	/* Of one run: over its rounds. */
	run(&f, "g", NOOP "repeat: 12, variants: [{label: a}, {label: slow}, {label: b}]}\n");
	ck_assert_int_eq(CLI(&f, "compare", "g@slow", "g@b", "--gate"), 0);
	expect("stdout", f.out, "cell  slow      b         change");
	expect("stdout", f.out, "1 improved\n");
	ck_assert_int_eq(CLI(&f, "compare", "g@b", "g@slow", "--gate"), 4);
	ck_assert_int_eq(CLI(&f, "compare", "g@b", "g@b"), 2);
	ck_assert_int_eq(CLI(&f, "compare", "g@b", "g"), 2);
	expect("stderr", f.err, "'g@b' and 'g' are one run; give it once");
	ck_assert_int_eq(CLI(&f, "compare", "d@b", "e"), 2);
	expect("stderr", f.err, "the run in 'd' has no variant 'b'; it has a, slow");
	leave(&f);
}
END_TEST

/* What a run with variants ends with. */
START_TEST(after_a_run)
{
	struct pg_compare_side side;
	struct fake_world f;
	struct pg_err err;

	begin(&f);
	put("b.yaml", NOOP "repeat: 2, variants: [{label: old}, {label: slow}]}\n");
	ck_assert_int_eq(CLI(&f, "run", "-q", "--show", "-o", "b", "b.yaml"), 0);
	expect("stdout", f.out, "\nb/s.compare.csv\n");
	fresh(&f);
	run(&f, "d", NOOP "repeat: 12, variants: [{label: old}, {label: slow}]}\n");
	ck_assert_int_eq(pg_compare_side_open(&f.world, "d", &side, &err), 0);
	pg_compare_say(&f.world, side.side.run[0].store);
	fake_world_sync(&f);
	expect("stderr", f.err, "perfgrid: time_per_op, less is better\nperfgrid: cell  old       slow      change");
	expect("stderr", f.err, "perfgrid: 1 regressed\n");
	pg_compare_side_close(&side);
	leave(&f);
}
END_TEST

/* Looks that were asked for and not taken are told of, once; what `repeat` of the file leaves of the built-in ones is
 * not. */
START_TEST(looks_not_taken)
{
	static const struct {
		const char *text, *repeat;
		bool told;
	} rows[] = {
		{NOOP "variants: [{label: a}, {label: b}]}\n", "--repeat=12", true},
		{NOOP "variants: [{label: a}, {label: b}]}\n", "--repeat=60", false},
		{NOOP "repeat: 12, compare: {looks: [6, 20, 30]}, variants: [{label: a}, {label: b}]}\n", NULL, true},
		{NOOP "repeat: 12, variants: [{label: a}, {label: b}]}\n", NULL, false},
	};
	struct fake_world f;

	begin(&f);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char dir[] = {(char)('a' + i), '\0'};

		put("a.yaml", rows[i].text);
		ck_assert_int_eq(rows[i].repeat ? CLI(&f, "run", "-q", "-o", dir, "a.yaml", rows[i].repeat)
						: CLI(&f, "run", "-q", "-o", dir, "a.yaml"),
				 0);
		fresh(&f);
		ck_assert_int_eq(CLI(&f, "compare", dir), 0);
		ck_assert_msg(!strstr(f.out, "looks: those after the last rep") == !rows[i].told, "%zu: %s", i, f.out);
	}
	leave(&f);
}
END_TEST

PG_TEST_MAIN("runner_compare", ((const struct pg_test[]){
				       {gate, (int)(sizeof(gates) / sizeof(*gates))},
				       {the_threshold_is_the_users, 0},
				       {formats, 0},
				       {many_cells, 0},
				       {several_arms, 0},
				       {for_stored_runs_only, 0},
				       {into_a_file, 0},
				       {two_runs, 0},
				       {labels, 0},
				       {wrong_words, (int)(sizeof(wrong) / sizeof(*wrong))},
				       {arms_of_a_run, 0},
				       {after_a_run, 0},
				       {looks_not_taken, 0},
				       {NULL, 0},
			       }))
