/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `plan` and `check`: everything short of measuring. */
#include <stdlib.h>

#include "base/err.h"
#include "base/str.h"
#include "plan/plan.h"
#include "runner/commands.h"
#include "runner/estimate.h"
#include "runner/planning.h"
#include "runner/report.h"
#include "runner/world.h"
#include "store/store.h"

/* Cells to standard output, the rest to standard error. */
static int print_plan(struct pg_world *w, struct pg_plan *plan, const size_t *runnable, bool quiet)
{
	struct pg_estimate estimate;
	struct pg_str text;
	struct pg_err err;

	if (pg_plan_csv(plan, pg_stdout_write, w, &err) != 0 && !w->out_errno)
		return pg_fail_status(w, &err);
	if (pg_stdout_flush(w) == 0 && !quiet && pg_estimate(plan, runnable, "results", &estimate) == 0) {
		pg_str_init(&text);
		pg_estimate_text(&estimate, &text);
		pg_say(w, "%s", pg_str_text(&text));
		pg_str_release(&text);
	}
	return pg_stdout_done(w, PG_EXIT_OK);
}

int pg_plan_print(struct pg_world *w, const struct pg_run_opts *opts, const char *file)
{
	struct pg_reporter reporter = {.world = w, .quiet = opts->quiet};
	struct pg_plan_opts shape;
	struct pg_plan *plan = NULL;
	struct pg_here here;
	struct pg_err err;
	struct pg_load load = {.suites = w->suites, .machine = &here.machine, .opts = &shape};
	size_t *runnable = NULL;
	int status = PG_EXIT_USAGE;

	if (pg_here_open(&here, w, &err) != 0)
		return pg_fail_status(w, &err);
	pg_shape(opts, &shape);
	if (pg_load_plan(&load, file, &reporter, &plan) != 0)
		goto out;
	runnable = calloc(pg_plan_sweeps(plan) + 1, sizeof(*runnable));
	if (pg_mark_plan(&here, plan, runnable, &err) != 0)
		status = pg_fail_status(w, &err);
	else
		status = print_plan(w, plan, runnable, opts->quiet);
	free(runnable);
	pg_plan_free(plan);
out:
	pg_here_close(&here);
	return status;
}

int pg_cmd_plan(struct pg_world *w, const void *opts, const struct pg_args *args)
{
	return pg_plan_print(w, opts, args->operand[0]);
}

int pg_cmd_check(struct pg_world *w, const void *opts, const struct pg_args *args)
{
	struct pg_reporter reporter = {.world = w};
	struct pg_plan_opts shape = {.quick = false};
	struct pg_here here;
	struct pg_err err;
	struct pg_load load = {.suites = w->suites, .machine = &here.machine, .opts = &shape};
	int status = PG_EXIT_OK;

	(void)opts;
	if (pg_here_open(&here, w, &err) != 0)
		return pg_fail_status(w, &err);
	for (size_t i = 0; i < args->n; i++) {
		struct pg_plan *plan;

		if (pg_load_plan(&load, args->operand[i], &reporter, &plan) != 0)
			status = PG_EXIT_USAGE;
		pg_plan_free(plan);
	}
	pg_here_close(&here);
	return status;
}
