/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command table and the way from a command line to its command. */
#include "runner/cli.h"

#include <errno.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "plan/node.h"
#include "runner/args.h"
#include "runner/commands.h"
#include "runner/emit_help.h"
#include "runner/report.h"
#include "runner/world.h"

const struct pg_option pg_no_options[] = {{.name = NULL}};

/* clang-format off */
const struct pg_command pg_commands[] = {
	{
		.name = "run", .operands = "FILE...", .summary = "validate, plan and measure scenarios",
		.about = "Each FILE is a run of its own with a directory of its own; all are validated before the first one "
			 "begins. The path of each table goes to standard output, everything else to standard error.\n"
			 "With --resume the run in DIR goes on where it stopped, from the copies of its files; with a FILE as "
			 "well, that FILE's plan must be the same.\n",
		.options = pg_run_options, .opts_size = sizeof(struct pg_run_opts),
		.max_operands = PG_ANY_OPERANDS, .run = pg_cmd_run,
	},
	{
		.name = "plan", .operands = "FILE", .summary = "print every cell of a scenario, in order, and run nothing",
		.about = "The cells go to standard output as CSV, with resolved values and the reason of each that would be "
			 "skipped here; their number and an estimate of the time go to standard error.\n",
		.options = pg_plan_options, .opts_size = sizeof(struct pg_run_opts),
		.min_operands = 1, .max_operands = 1, .run = pg_cmd_plan,
	},
	{
		.name = "check", .operands = "FILE...", .summary = "validate scenarios",
		.about = "Says nothing about a good FILE. Up to 20 errors of each go to standard error as "
			 "FILE:LINE:COL: what is wrong; what is allowed.\n",
		.options = pg_no_options,
		.min_operands = 1, .max_operands = PG_ANY_OPERANDS, .silent = true, .run = pg_cmd_check,
	},
	{
		.name = "tables", .operands = "DIR", .summary = "rebuild the CSV files of a run, or make another table",
		.about = "Works from the journal in DIR and never looks at this machine. With --rows, --columns, --split, --value, "
			 "--statistic, --unit or --relative-to it makes that table only, with --sweep alone the tables of that "
			 "sweep, else everything. The path of each table goes to standard output.\n",
		.options = pg_tables_options, .opts_size = sizeof(struct pg_tables_opts),
		.min_operands = 1, .max_operands = 1, .run = pg_cmd_tables,
	},
	{
		.name = "compare", .operands = "RUN | BASE NEW", .summary = "compare the variants of a run, or stored runs, cell by cell",
		.about = "RUN is a run directory whose scenario has variants: each is compared with the first, over rounds in which "
			 "they ran next to each other. BASE and NEW are run directories, RUN@VARIANT for one variant of a run, or DIR@LABEL "
			 "for the runs below DIR with that label; their sessions are compared. Standard output gets the report.\n"
			 "With --gate the exit status is 0 when no cell regressed, 4 when one did, 1 when one failed or is missing on one "
			 "side, 5 when nothing failed or regressed, but some cell is unclear or was not reached.\n",
		.options = pg_compare_options, .opts_size = sizeof(struct pg_compare_cmd),
		.min_operands = 1, .max_operands = 2, .run = pg_cmd_compare, .status = pg_compare_status,
	},
	{
		.name = "list", .operands = "[suites|metrics|functions]", .summary = "list what there is to measure",
		.about = "suites: every bench; metrics: the metrics of every bench; functions: the routines that benches with a "
			 "`function` param choose from, and which of them cannot run here.\n",
		.options = pg_no_options, .max_operands = 1, .run = pg_cmd_list,
	},
	{
		.name = "describe", .operands = "BENCH", .summary = "params, defaults, ranges and metrics of a bench",
		.about = "BENCH is a bench (sched/pipe) or a suite (sched). Says why a bench cannot run here.\n",
		.options = pg_no_options, .min_operands = 1, .max_operands = 1, .run = pg_cmd_describe,
	},
	{
		.name = "schema", .operands = "", .summary = "print the JSON Schema of scenario files, for editors",
		.about = "", .options = pg_no_options, .run = pg_cmd_schema,
	},
	{
		.name = "init", .operands = "", .summary = "print a commented scenario to start from",
		.about = "", .options = pg_no_options, .run = pg_cmd_init,
	},
	{
		.name = "doctor", .operands = "[SCENARIO]", .summary = "what makes this machine noisy, and how to fix it",
		.about = "Looks at the settings and the control group of this machine, and for a second at what others do to it. "
			 "Changes no setting. States: ok, noisy (with a line to type), note (shapes the numbers, and is no fault), n/a "
			 "(cannot be read here).\n"
			 "With --self-check it measures cells against themselves, those of SCENARIO or of a small set of benches, and says "
			 "how often a difference is seen where there is none, and from which difference on one is seen. What it measured "
			 "becomes a session of the history file. Exit status 1 when a cell failed or there are more false differences than "
			 "chance explains, 5 when some cell cannot see the threshold asked for.\n",
		.options = pg_doctor_options, .opts_size = sizeof(struct pg_doctor_opts), .max_operands = 1, .run = pg_cmd_doctor,
	},
	{
		.name = "bench", .operands = "[SUITE BENCH [OPTION]...]",
		.summary = "the command line and the output of perf bench",
		.about = "Every bench behind the options, the defaults and the lines of `perf bench`; `perfgrid bench` lists the "
			 "collections, `perfgrid bench COLLECTION` its benches, with -h after a bench its options. -r repeats every "
			 "bench, -f json and -f csv are for programs. A link to perfgrid named perf-bench does the same.\n",
		.options = pg_no_options, .foreign = pg_compat_perf, .link = "perf-bench",
	},
	{
		.name = "hackbench", .operands = "", .summary = "the command line and the output of hackbench",
		.about = "sched/messaging behind the options, the defaults and the three lines of hackbench; "
			 "`perfgrid hackbench -h` lists the options. A link to perfgrid named hackbench does the same.\n",
		.options = pg_no_options, .foreign = pg_compat_hackbench, .link = "hackbench",
	},
	{
		.name = "generate", .operands = "man|schema", .summary = "print a file that is generated from the rows",
		.about = "", .options = pg_no_options, .min_operands = 1, .max_operands = 1, .hidden = true,
		.run = pg_cmd_generate,
	},
	{.name = NULL},
};

const struct pg_status_doc pg_status_docs[] = {
	{"0", "everything asked for ran, cells skipped with a reason included"},
	{"1", "some cell failed or timed out; compare --gate: or one side lacks it; doctor --self-check: more false differences than "
	      "chance explains"},
	{"2", "nothing ran: usage or scenario wrong, another plan on --resume, output not writable, another run holds the lock"},
	{"3", "results could not be written after work began, or the journal is damaged before its last line"},
	{"4", "compare --gate: something regressed"},
	{"5", "compare --gate: nothing failed or regressed, but something is unclear, or there was nothing to compare; doctor "
	      "--self-check: some cell cannot see its threshold"},
	{"125", "compare --bisect: cannot be told; 0 is good there and 1 regressed"},
	{"128+n", "stopped by signal n; what was measured is on disk"},
	{NULL, NULL},
};
/* clang-format on */

const struct pg_command *pg_command_find(const char *name)
{
	for (const struct pg_command *c = pg_commands; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

static int unknown_command(const struct pg_world *w, const char *name)
{
	const char *names[sizeof(pg_commands) / sizeof(pg_commands[0])];
	const char *near;
	size_t n = 0;

	for (const struct pg_command *c = pg_commands; c->name; c++)
		if (!c->hidden)
			names[n++] = c->name;
	near = pg_nearest(name, names, n);
	if (near)
		pg_say(w, "unknown command '%s'; the nearest is '%s'", name, near);
	else
		pg_say(w, "unknown command '%s'; `perfgrid --help` lists them", name);
	return PG_EXIT_USAGE;
}

static int print_help(struct pg_world *w, const struct pg_command *c)
{
	struct pg_str text;

	pg_str_init(&text);
	if (c)
		pg_emit_command_help(c, &text);
	else
		pg_emit_usage(&text);
	pg_stdout_text(w, &text);
	pg_str_release(&text);
	return pg_stdout_done(w, PG_EXIT_OK);
}

static int print_version(struct pg_world *w)
{
	char build[PG_BUILD_BUF];
	struct pg_str text;

	pg_build_id(build);
	pg_str_init(&text);
	pg_str_addf(&text, "perfgrid %s (build %s, libyaml %s)\nlicence GPL-2.0-or-later\n", PG_VERSION, build,
		    pg_yaml_version());
	pg_stdout_text(w, &text);
	pg_str_release(&text);
	return pg_stdout_done(w, PG_EXIT_OK);
}

static int operands_fit(const struct pg_command *c, const struct pg_args *args, struct pg_err *err)
{
	if (args->n < c->min_operands)
		return pg_fail(err, PG_EUSAGE, "%s lacks an operand; usage: perfgrid %s [OPTION]... %s", c->name,
			       c->name, c->operands);
	if (args->n > c->max_operands)
		return pg_fail(err, PG_EUSAGE, "operand '%s' is one too many; usage: perfgrid %s [OPTION]...%s%s",
			       args->operand[c->max_operands], c->name, *c->operands ? " " : "", c->operands);
	return 0;
}

static int run_command(struct pg_world *w, const struct pg_command *c, int argc, char **argv, struct pg_arena *a)
{
	struct pg_args args;
	struct pg_err err;
	void *opts = pg_arena_alloc(a, c->opts_size);

	if (!opts) {
		pg_fail_nomem(&err);
		return pg_fail_status(w, &err);
	}
	if (pg_args_parse(c->options, argc, argv, a, opts, &args, &err) != 0)
		return pg_fail_status(w, &err);
	if (w->out_errno && (args.help || !c->silent)) {
		pg_say(w, "cannot write standard output: %s; give it a file, or /dev/null", strerror(w->out_errno));
		return PG_EXIT_USAGE;
	}
	if (args.help)
		return print_help(w, c);
	if (operands_fit(c, &args, &err) != 0)
		return pg_fail_status(w, &err);
	return c->run(w, opts, &args);
}

/* The drop-in that this program was started as a link to. */
static const struct pg_command *linked_command(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	const char *name = slash ? slash + 1 : path;

	for (const struct pg_command *c = pg_commands; name && c->name; c++)
		if (c->link && strcmp(c->link, name) == 0)
			return c;
	return NULL;
}

int pg_cli(struct pg_world *w, int argc, char **argv)
{
	const char *word = argc > 1 ? argv[1] : NULL;
	const struct pg_command *c = linked_command(argv[0]);
	struct pg_arena arena;
	int status;

	if (c)
		return c->foreign(w, argc, argv);
	if (!word) {
		pg_say(w, "no command; `perfgrid --help` lists them");
		return PG_EXIT_USAGE;
	}
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		return print_help(w, NULL);
	if (strcmp(word, "--version") == 0)
		return print_version(w);
	if (word[0] == '-') {
		pg_say(w, "unknown option %s before a command; --help or --version", word);
		return PG_EXIT_USAGE;
	}
	c = pg_command_find(word);
	if (!c)
		return unknown_command(w, word);
	if (c->foreign)
		return c->foreign(w, argc - 1, argv + 1);
	pg_arena_init(&arena, false); /* `run` forks: its child reads the command line */
	status = run_command(w, c, argc - 2, argv + 2, &arena);
	if (c->status)
		status = c->status(status, argc - 2, argv + 2);
	pg_arena_release(&arena);
	return status;
}
