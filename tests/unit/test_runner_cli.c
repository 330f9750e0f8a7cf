/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole command lines in a world of the test's own: nothing is started, time is what the test says. */
#include "runner/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "tests/support/fake_world.h"
#include "tests/support/pgtest.h"

/* What each line says, and where. */
static const struct {
	const char *words[8];
	int status;
	const char *out, *err; /* parts; "" = must be empty; NULL = whatever */
} lines[] = {
	{{NULL}, 2, "", "perfgrid: no command"},
	{{"--help"}, 0, "usage: perfgrid COMMAND", ""},
	{{"-h"}, 0, "usage: perfgrid COMMAND", ""},
	{{"--version"}, 0, "perfgrid " PG_VERSION " (build ", ""},
	{{"--version"}, 0, ", libyaml 0.", ""},
	{{"--nonsense"}, 2, "", "perfgrid: unknown option --nonsense"},
	{{"rum"}, 2, "", "perfgrid: unknown command 'rum'; the nearest is 'run'"},
	{{"xyzzyplugh"}, 2, "", "`perfgrid --help` lists them"},
	{{"compare", "a", "b"}, 2, "", "perfgrid: cannot open run directory 'a'"},
	{{"merge", "a"}, 2, "", "perfgrid: unknown command 'merge'"},
	{{"doctor", "a.yaml"}, 2, "", "perfgrid: a SCENARIO belongs to --self-check"},
	{{"run", "--help"}, 0, "usage: perfgrid run", ""},
	{{"run", "--nonsense", "--help"}, 0, "usage: perfgrid run", ""},
	{{"run"}, 2, "", "perfgrid: run lacks a FILE"},
	{{"run", "--shard", "1/2", "a.yaml"}, 2, "", "perfgrid: unknown option --shard"},
	{{"run", "--budget", "0s", "a.yaml"},
	 2,
	 "",
	 "perfgrid: --budget '0s': too short; a number with one of ns us ms s min h, from 1ns to"},
	{{"run", "--repeat", "0", "a.yaml"}, 2, "", "perfgrid: --repeat 0 is out of range"},
	{{"run", "--label", "a b", "a.yaml"}, 2, "", "perfgrid: --label 'a b' is no label"},
	{{"run", "--retry-failed", "a.yaml"}, 2, "", "belongs to --resume"},
	{{"run", "-o", "x", "a.yaml", "a.yaml"}, 2, "", "-o takes one FILE"},
	{{"run", "--resume", "x", "-o", "y"}, 2, "", "--resume keeps"},
	{{"run", "--resume", "x", "--seed", "1"}, 2, "", "--resume keeps"},
	{{"run", "--resume", "x", "a", "b"}, 2, "", "goes on with one run"},
	{{"run", "--no-lock", "--wait-lock", "1s", "a.yaml"}, 2, "", "exclude each other"},
	{{"run", "absent.yaml"}, 2, "", "absent.yaml"},
	{{"run", "--resume", "absent"}, 2, "", "absent"},
	{{"run", "."}, 2, "", "is a directory"},
	{{"plan"}, 2, "", "perfgrid: plan lacks an operand; usage: perfgrid plan [OPTION]... FILE"},
	{{"plan", "a.yaml", "b.yaml"}, 2, "", "perfgrid: operand 'b.yaml' is one too many"},
	{{"plan", "-o", "x", "a.yaml"}, 2, "", "perfgrid: unknown option -o"},
	{{"plan", "a.yaml"}, 0, "\n", "2 cells, 8 reps, estimate ?"},
	{{"run", "-n", "a.yaml"}, 0, "\n", "2 cells, 8 reps, estimate ?"},
	{{"plan", "--repeat", "1", "--warmup", "0", "a.yaml"}, 0, "\n", "2 cells, 2 reps"},
	{{"plan", "--only", "first == 1", "a.yaml"}, 0, "\n", "2 cells (1 not to run), 4 reps"},
	{{"plan", "--vary", "first=1,2,3", "a.yaml"}, 0, "\n", "3 cells, 12 reps"},
	{{"plan", "--set", "s.first=7", "a.yaml"}, 0, "\n", "1 cell, 4 reps"},
	{{"plan", "--set", "nothing=7", "a.yaml"}, 2, "", "nothing"},
	{{"plan", "--max-cells", "1", "a.yaml"}, 2, "", "a.yaml:"},
	{{"check"}, 2, "", "perfgrid: check lacks an operand"},
	{{"check", "a.yaml"}, 0, "", ""},
	{{"check", "a.yaml", "a.yaml"}, 0, "", ""},
	{{"check", "absent.yaml"}, 2, "", "absent.yaml"},
	{{"tables"}, 2, "", "perfgrid: tables lacks an operand"},
	{{"tables", "."}, 2, "", "is no run directory"},
	{{"tables", "--style", "csv", "."}, 2, "", "--style 'csv' is not known; one of rfc4180, excel, excel-eu, tsv"},
	{{"list"}, 0, "sched/pipe", ""},
	{{"list", "suites"}, 0, "noop", ""},
	{{"list", "metrics"}, 0, "round_trip", ""},
	{{"list", "functions"}, 0, "x86-64-avx2", ""},
	{{"list", "benches"}, 2, "", "one of suites, metrics, functions"},
	{{"describe", "sched/pipe"}, 0, "round_trip", ""},
	{{"describe", "sched"}, 0, "sched/messaging", ""},
	{{"describe", "exec"}, 0, "those that the scenario names", ""},
	{{"describe", "sched/pip"}, 2, "", "the nearest is 'sched/pipe'"},
	{{"describe", "zzzzzzzzz"}, 2, "", "`perfgrid list` shows them"},
	{{"schema"}, 0, "\"$schema\": \"https://json-schema.org/draft/2020-12/schema\"", ""},
	{{"schema", "x"}, 2, "", "one too many"},
	{{"init"}, 0, "perfgrid: 1", ""},
	{{"generate", "man"}, 0, ".TH PERFGRID 1", ""},
	{{"generate", "x"}, 2, "", "one of man, schema"},
};

START_TEST(test_lines)
{
	struct fake_world f;

	enter(&f);
	ck_assert_int_eq(fake_world_cli(&f, lines[_i].words), lines[_i].status);
	expect("stdout", f.out, lines[_i].out);
	expect("stderr", f.err, lines[_i].err);
	/* Nothing of this measures or leaves anything behind. */
	ck_assert_uint_eq(f.reps, 0);
	ck_assert_int_ne(access("results", F_OK), 0);
	ck_assert_int_ne(access("x", F_OK), 0);
	leave(&f);
}
END_TEST

START_TEST(test_starter_is_good)
{
	struct fake_world f;

	enter(&f);
	ck_assert_int_eq(CLI(&f, "init"), 0);
	put("first.yaml", f.out);
	ck_assert_int_eq(CLI(&f, "check", "first.yaml"), 0);
	ck_assert_msg(f.n_err == 0, "%s", f.err);
	ck_assert_int_eq(CLI(&f, "plan", "--quick", "first.yaml"), 0);
	leave(&f);
}
END_TEST

START_TEST(test_run)
{
	struct fake_world f;

	enter(&f);
	ck_assert_int_eq(CLI(&f, "run", "-o", "d", "--seed", "5", "a.yaml"), 0);
	ck_assert_uint_eq(f.reps, 2 * (3 + 1));
	ck_assert_str_eq(f.out, "d/s.time_per_op_s.median.csv\n");
	expect("stderr", f.err, "perfgrid: run directory d: 2 cells, 8 reps, estimate ?, seed 5\n");
	expect("stderr", f.err, "perfgrid: [2/2] s first=");
	expect("stderr", f.err, "perfgrid: 2 ok; d in ");
	ck_assert_int_eq(access("d/s.time_per_op_s.median.csv", F_OK), 0);
	ck_assert_int_eq(access("d/s.cells.csv", F_OK), 0);
	leave(&f);
}
END_TEST

START_TEST(test_quiet_run)
{
	struct fake_world f;

	enter(&f);
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "a.yaml"), 0);
	ck_assert_msg(f.n_err == 0, "%s", f.err);
	ck_assert_str_eq(f.out, "d/s.time_per_op_s.median.csv\n");
	leave(&f);
}
END_TEST

START_TEST(test_live_run_leaves_the_line_empty)
{
	struct fake_world f;

	enter(&f);
	f.width = 80;
	ck_assert_int_eq(CLI(&f, "run", "-o", "d", "a.yaml"), 0);
	expect("stderr", f.err, "\r0/2 cells");
	/* The summary follows the wiped line. */
	expect("stderr", f.err, " \rperfgrid: 2 ok; d in ");
	leave(&f);
}
END_TEST

START_TEST(test_show)
{
	struct fake_world f;

	enter(&f);
	ck_assert_int_eq(CLI(&f, "run", "-q", "--show", "-o", "d", "a.yaml"), 0);
	/* Every raw number of the fake is the length of a rep, 1 ms; per operation it is divided by that many. */
	expect("stdout", f.out, "d/s.time_per_op_s.median.csv\nfirst  ");
	leave(&f);
}
END_TEST

START_TEST(test_default_directory_and_estimate)
{
	struct fake_world f;

	enter(&f);
	ck_assert_int_eq(CLI(&f, "run", "-q", "a.yaml"), 0);
	ck_assert_msg(strncmp(f.out, "results/a/20", 12) == 0, "%s", f.out);
	ck_assert_int_eq(access("results/a/latest/run.json", F_OK), 0);
	/* A rep took 1 ms: the next plan of that name knows. */
	f.err[0] = '\0';
	ck_assert_int_eq(CLI(&f, "plan", "a.yaml"), 0);
	expect("stderr", f.err, "2 cells, 8 reps, estimate 0.0s");
	leave(&f);
}
END_TEST

START_TEST(test_nothing_runs_unless_all_are_good)
{
	struct fake_world f;

	enter(&f);
	put("b.yaml", "perfgrid: 1\nname: b\nsweeps:\n  - {name: s, suite: nope}\n");
	put("c.yaml", "perfgrid: 1\nname: c\nsweeps:\n  - {name: s, suite: noop, repeats: 3}\n");
	ck_assert_int_eq(CLI(&f, "run", "a.yaml", "b.yaml", "c.yaml"), 2);
	ck_assert_uint_eq(f.reps, 0);
	ck_assert_int_ne(access("results", F_OK), 0);
	/* All of them were looked at. */
	expect("stderr", f.err, "b.yaml:4:");
	expect("stderr", f.err, "c.yaml:4:");
	leave(&f);
}
END_TEST

/* The cell first=2 fails, whatever else it may be. */
static int second_fails(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	struct pg_str name;

	(void)f;
	(void)err;
	pg_str_init(&name);
	pg_cell_describe(job->cell, &name);
	if (strcmp(pg_str_text(&name), "first=2") == 0) {
		out->status = PG_ST_FAILED;
		out->n = 0;
		strcpy(out->why, "it broke");
	}
	pg_str_release(&name);
	return 0;
}

START_TEST(test_failed_cell)
{
	struct fake_world f;

	enter(&f);
	f.answer = second_fails;
	ck_assert_int_eq(CLI(&f, "run", "-o", "d", "a.yaml"), 1);
	expect("stderr", f.err, "perfgrid: 1 ok, 1 failed; d in ");
	expect("stderr", f.err, "perfgrid:   failed: it broke (1 cell)\n");
	expect("stderr", f.err, "perfgrid: to try again: perfgrid run --resume d --retry-failed\n");
	/* On resume it stays failed ... */
	f.reps = 0;
	ck_assert_int_eq(CLI(&f, "run", "--resume", "d"), 1);
	ck_assert_uint_eq(f.reps, 0);
	/* ... unless asked for. */
	f.answer = NULL;
	ck_assert_int_eq(CLI(&f, "run", "--resume", "d", "--retry-failed"), 0);
	ck_assert_uint_ge(f.reps, 3);
	ck_assert_uint_le(f.reps, 4);
	expect("stderr", f.err, "perfgrid: 2 ok; d in ");
	leave(&f);
}
END_TEST

START_TEST(test_quiet_still_names_failures)
{
	struct fake_world f;

	enter(&f);
	f.answer = second_fails;
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "a.yaml"), 1);
	ck_assert_str_eq(f.err, "perfgrid:   failed: it broke (1 cell)\n");
	leave(&f);
}
END_TEST

START_TEST(test_first_bad_status_of_several)
{
	struct fake_world f;

	enter(&f);
	put("b.yaml", "perfgrid: 1\nname: b\nsweeps:\n  - {name: s, suite: noop, vary: {first: [2]}, repeat: 2}\n");
	put("c.yaml", "perfgrid: 1\nname: c\nsweeps:\n  - {name: s, suite: noop, vary: {first: [1]}, repeat: 2}\n");
	f.answer = second_fails;
	ck_assert_int_eq(CLI(&f, "run", "-q", "b.yaml", "c.yaml"), 1);
	/* The second one was run all the same. */
	ck_assert_int_eq(access("results/c/latest/run.json", F_OK), 0);
	leave(&f);
}
END_TEST

START_TEST(test_output_must_be_empty)
{
	struct fake_world f;

	enter(&f);
	ck_assert_int_eq(mkdir("d", 0777), 0);
	put("d/x", "");
	ck_assert_int_eq(CLI(&f, "run", "-o", "d", "a.yaml"), 2);
	expect("stderr", f.err, "perfgrid: directory 'd' is not empty");
	ck_assert_uint_eq(f.reps, 0);
	ck_assert_int_eq(CLI(&f, "run", "-o", "a.yaml/d", "a.yaml"), 2);
	ck_assert_uint_eq(f.reps, 0);
	leave(&f);
}
END_TEST

START_TEST(test_lock)
{
	struct fake_world f;
	int fd;

	enter(&f);
	put("perfgrid.lock", "");
	fd = open("perfgrid.lock", O_RDONLY);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	ck_assert_int_eq(CLI(&f, "run", "-o", "d", "a.yaml"), 2);
	expect("stderr", f.err, "another run holds the lock");
	ck_assert_int_ne(access("d", F_OK), 0);
	/* The fake clock moves when it is slept on: this waits a fake minute. */
	ck_assert_int_eq(CLI(&f, "run", "--wait-lock", "1min", "-o", "d", "a.yaml"), 2);
	ck_assert_int_ge(f.now, 60000000000);
	ck_assert_uint_eq(f.reps, 0);
	ck_assert_int_eq(CLI(&f, "run", "--no-lock", "-o", "d", "a.yaml"), 0);
	close(fd);
	ck_assert_int_eq(CLI(&f, "run", "-o", "e", "a.yaml"), 0);
	leave(&f);
}
END_TEST

START_TEST(test_lock_that_cannot_be)
{
	struct fake_world f;

	enter(&f);
	f.world.lock_path = "absent/perfgrid.lock";
	ck_assert_int_eq(CLI(&f, "run", "-o", "d", "a.yaml"), 0);
	expect("stderr", f.err, "perfgrid: note: the lock file");
	leave(&f);
}
END_TEST

START_TEST(test_closed_output)
{
	struct fake_world f;

	enter(&f);
	f.world.out_errno = EBADF;
	ck_assert_int_eq(CLI(&f, "run", "-o", "d", "a.yaml"), 2);
	expect("stderr", f.err, "perfgrid: cannot write standard output: Bad file descriptor");
	ck_assert_uint_eq(f.reps, 0);
	ck_assert_int_eq(CLI(&f, "plan", "a.yaml"), 2);
	/* check has nothing to write. */
	ck_assert_int_eq(CLI(&f, "check", "a.yaml"), 0);
	leave(&f);
}
END_TEST

START_TEST(test_full_output)
{
	struct fake_world f;
	FILE *kept;

	enter(&f);
	kept = f.world.out;
	f.world.out = fopen("/dev/full", "w");
	ck_assert_int_eq(CLI(&f, "run", "-o", "d", "a.yaml"), 3);
	expect("stderr", f.err,
	       "cannot write standard output: No space left on device; the tables are in the run directory");
	/* Nothing of the run is lost. */
	ck_assert_int_eq(access("d/s.time_per_op_s.median.csv", F_OK), 0);
	f.world.out_errno = 0;
	ck_assert_int_eq(CLI(&f, "plan", "a.yaml"), 3);
	fclose(f.world.out);
	f.world.out = kept;
	leave(&f);
}
END_TEST

/* Two tables that would become one file. */
START_TEST(test_tables_of_one_name)
{
	struct fake_world f;

	enter(&f);
	put("a.yaml", "perfgrid: 1\n"
		      "name: a\n"
		      "sweeps:\n"
		      "  - name: s\n"
		      "    suite: noop\n"
		      "    vary: {first: [1, 2], second: [1, 2]}\n"
		      "    tables:\n"
		      "      - {rows: first, columns: second}\n"
		      "      - {rows: second, columns: first}\n");
	ck_assert_int_eq(CLI(&f, "check", "a.yaml"), 2);
	expect("stderr", f.err, "a.yaml:9:");
	expect("stderr", f.err, "is also the file of the table on line 8; give one of them a `name`");
	leave(&f);
}
END_TEST

PG_TEST_MAIN("runner_cli", ((const struct pg_test[]){
				   {test_lines, sizeof(lines) / sizeof(lines[0])},
				   {test_starter_is_good, 0},
				   {test_run, 0},
				   {test_quiet_run, 0},
				   {test_live_run_leaves_the_line_empty, 0},
				   {test_show, 0},
				   {test_default_directory_and_estimate, 0},
				   {test_nothing_runs_unless_all_are_good, 0},
				   {test_failed_cell, 0},
				   {test_quiet_still_names_failures, 0},
				   {test_first_bad_status_of_several, 0},
				   {test_output_must_be_empty, 0},
				   {test_lock, 0},
				   {test_lock_that_cannot_be, 0},
				   {test_closed_output, 0},
				   {test_full_output, 0},
				   {test_tables_of_one_name, 0},
				   {NULL, 0},
			   }))
