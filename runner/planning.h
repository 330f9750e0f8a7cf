/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a FILE on the command line to a plan, with this machine's words, limits and what it cannot run. */
#ifndef PG_RUNNER_PLANNING_H
#define PG_RUNNER_PLANNING_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/topo.h"
#include "engine/preflight.h"
#include "plan/plan.h"

struct pg_reporter;
struct pg_run_opts;
struct pg_world;

/* This machine as plans see it. Not to be moved: limits point into it. */
struct pg_here {
	const struct pg_world *world;
	struct pg_arena arena;
	struct pg_topo topo;
	struct pg_limits limits;
	struct pg_machine machine;
};

int pg_here_open(struct pg_here *h, const struct pg_world *w, struct pg_err *err);
void pg_here_close(struct pg_here *h);

/* What of the command line shapes a plan; arrays by reference. */
void pg_shape(const struct pg_run_opts *opts, struct pg_plan_opts *out);
/* Of two that share their arrays: do they ask for different plans? */
bool pg_shape_differs(const struct pg_plan_opts *a, const struct pg_plan_opts *b);

/*
 * pg_plan_input.read with ctx = the path of the main file, which need not be a regular one. Messages continue "PATH: "
 * or "cannot include PATH: ".
 */
int pg_file_read(void *main_path, const char *path, struct pg_str *out, struct pg_err *err);

/*
 * Loads and validates, also the names of the table files. -1 after errors, all of which were reported; *out is then
 * NULL. `read` NULL = files of this machine.
 */
struct pg_load {
	const struct pg_suite *const *suites;
	const struct pg_machine *machine;
	const struct pg_plan_opts *opts;
	bool other_opts;     /* not those that a run began with: an error in its copies may be theirs */
	const char *version; /* of the perfgrid that the plan is for; NULL = this one */
	int (*read)(void *ctx, const char *path, struct pg_str *out, struct pg_err *err);
	void *read_ctx;
};
int pg_load_plan(const struct pg_load *l, const char *file, struct pg_reporter *r, struct pg_plan **out);

/* Marks what cannot run here. runnable (NULL = not asked) has an item per sweep: its cells that are to run become that.
 */
int pg_mark_plan(const struct pg_here *h, struct pg_plan *plan, size_t *runnable, struct pg_err *err);

#endif
