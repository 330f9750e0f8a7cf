/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands, one per cmd_*.c: the options that they take and what runs. */
#ifndef PG_RUNNER_COMMANDS_H
#define PG_RUNNER_COMMANDS_H

#include "runner/args.h"

struct pg_world;

/* Options of `run`; `plan` takes those that shape the plan. */
struct pg_run_opts {
	bool quick;
	const char *only;
	struct pg_opt_list set, vary;
	struct pg_opt_count repeat, warmup, max_cells;

	const char *output, *resume, *label, *loops_from;
	bool retry_failed, no_lock, dry_run, quiet, show;
	struct pg_opt_count seed;
	struct pg_opt_time wait_lock, budget;
};

struct pg_doctor_opts {
	bool json, self_check;
	struct pg_opt_count rounds, seed;
	const char *output;
};

struct pg_tables_opts {
	const char *sweep, *rows, *columns, *split, *value, *statistic, *unit, *relative_to, *name;
	const char *style, *output;
	bool show;
};

struct pg_compare_cmd {
	struct pg_opt_list differs;
	const char *threshold, *lens, *correction, *inconclusive, *missing, *format, *output;
	bool gate, bisect, trust_stored;
};

extern const struct pg_option pg_doctor_options[];
extern const struct pg_option pg_run_options[], pg_plan_options[], pg_tables_options[], pg_compare_options[],
	pg_no_options[];

int pg_cmd_run(struct pg_world *w, const void *opts, const struct pg_args *args);
int pg_cmd_plan(struct pg_world *w, const void *opts, const struct pg_args *args);
int pg_cmd_check(struct pg_world *w, const void *opts, const struct pg_args *args);
int pg_cmd_tables(struct pg_world *w, const void *opts, const struct pg_args *args);
int pg_cmd_compare(struct pg_world *w, const void *opts, const struct pg_args *args);
int pg_compare_status(int status, int argc, char **argv);
int pg_cmd_list(struct pg_world *w, const void *opts, const struct pg_args *args);
int pg_cmd_describe(struct pg_world *w, const void *opts, const struct pg_args *args);
int pg_cmd_schema(struct pg_world *w, const void *opts, const struct pg_args *args);
int pg_cmd_init(struct pg_world *w, const void *opts, const struct pg_args *args);
int pg_cmd_doctor(struct pg_world *w, const void *opts, const struct pg_args *args);
int pg_cmd_generate(struct pg_world *w, const void *opts, const struct pg_args *args);

/* Drop-ins. */
int pg_compat_perf(struct pg_world *w, int argc, char **argv);
int pg_compat_hackbench(struct pg_world *w, int argc, char **argv);

/* What `-n` of run shares with plan: one FILE, its cells to standard output. */
int pg_plan_print(struct pg_world *w, const struct pg_run_opts *opts, const char *file);

#endif
