/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `tables`: the CSV files of a run again, or another table. Everything comes from the run directory. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/nameset.h"
#include "base/str.h"
#include "plan/plan.h"
#include "runner/commands.h"
#include "runner/planning.h"
#include "runner/report.h"
#include "runner/summary.h"
#include "runner/terminal.h"
#include "runner/world.h"
#include "store/store.h"

static const char *const styles[] = {"rfc4180", "excel", "excel-eu", "tsv", NULL};

/* clang-format off */
const struct pg_option pg_tables_options[] = {
	{.name = "sweep", .arg = "SWEEP", .doc = "the sweep whose tables are written", PG_OPT_AT(struct pg_tables_opts, sweep)},
	{.name = "rows", .arg = "AXES", .doc = "axes that run down, separated by commas", PG_OPT_AT(struct pg_tables_opts, rows)},
	{.name = "columns", .arg = "AXES", .doc = "axes that run across", PG_OPT_AT(struct pg_tables_opts, columns)},
	{.name = "split", .arg = "AXES", .doc = "axes with a file for each value", PG_OPT_AT(struct pg_tables_opts, split)},
	{.name = "value", .arg = "METRICS", .doc = "metrics shown", PG_OPT_AT(struct pg_tables_opts, value)},
	{.name = "statistic", .arg = "NAMES", .doc = "how reps become one number: median, mean, min, max, best, sd, sd_pct, mad, "
	 "q25, q75, n, ci_lo, ci_hi, ci_pct, mode, mode_pct", PG_OPT_AT(struct pg_tables_opts, statistic)},
	{.name = "unit", .arg = "UNIT", .doc = "unit of the numbers", PG_OPT_AT(struct pg_tables_opts, unit)},
	{.name = "relative-to", .arg = "AXIS=VALUE", .doc = "divide each number by the one at this value of an axis",
	 PG_OPT_AT(struct pg_tables_opts, relative_to)},
	{.name = "name", .arg = "NAME", .doc = "part of the new table's file name", PG_OPT_AT(struct pg_tables_opts, name)},
	{.name = "style", .arg = "STYLE", .doc = "rfc4180, excel, excel-eu or tsv", .words = styles,
	 PG_OPT_AT(struct pg_tables_opts, style)},
	{.name = "output", .opt = 'o', .arg = "DIR", .doc = "directory to write into; by default the run directory",
	 PG_OPT_AT(struct pg_tables_opts, output)},
	{.name = "show", .doc = "print each table as well, in aligned columns", PG_OPT_AT(struct pg_tables_opts, show)},
	{.name = NULL},
};
/* clang-format on */

struct tables {
	struct pg_world *w;
	const struct pg_tables_opts *o;
	struct pg_plan *plan;
	struct pg_store *store;
	enum pg_csv_style style;
	char separator;
	struct pg_err show_err;
	bool show_failed;
};

static void on_note(void *ctx, const char *text)
{
	const struct tables *t = ctx;

	pg_say(t->w, "note: %s", text);
}

static bool wants_another(const struct pg_tables_opts *o)
{
	return o->rows || o->columns || o->split || o->value || o->statistic || o->unit || o->relative_to || o->name;
}

static void choose_style(struct tables *t)
{
	t->style = t->o->style ? (enum pg_csv_style)pg_csv_style_find(t->o->style) : PG_CSV_PLAIN;
	t->separator = t->style == PG_CSV_TSV ? '\t' : t->style == PG_CSV_EXCEL_EU ? ';' : ',';
}

static void on_written(void *ctx, const char *path)
{
	struct tables *t = ctx;

	if (pg_print_table(t->w, path, t->separator, t->o->show && !t->show_failed, &t->show_err) != 0)
		t->show_failed = true;
}

static int unknown_sweep(const struct tables *t, struct pg_err *err)
{
	struct pg_str names;

	pg_str_init(&names);
	for (size_t i = 0; i < pg_plan_sweeps(t->plan) && i < 20; i++)
		pg_str_addf(&names, "%s%s", i ? ", " : "", pg_plan_sweep(t->plan, i)->name);
	if (t->o->sweep)
		pg_fail(err, PG_EUSAGE, "no sweep '%s' in this run; one of %s", t->o->sweep, pg_str_text(&names));
	else
		pg_fail(err, PG_EUSAGE, "the run has several sweeps; choose one with --sweep: %s", pg_str_text(&names));
	pg_str_release(&names);
	return -1;
}

static int choose_sweep(const struct tables *t, size_t *sweep, struct pg_err *err)
{
	size_t n = pg_plan_sweeps(t->plan);

	*sweep = 0;
	if (!t->o->sweep)
		return n == 1 ? 0 : unknown_sweep(t, err);
	for (; *sweep < n; ++*sweep)
		if (strcmp(pg_plan_sweep(t->plan, *sweep)->name, t->o->sweep) == 0)
			return 0;
	return unknown_sweep(t, err);
}

/* A new table must not take the file of one that the scenario declares. */
struct clash {
	struct pg_arena arena;
	struct pg_nameset names; /* of the scenario's */
};

static int take_name(void *ctx, const char *file_name, struct pg_err *err)
{
	struct clash *c = ctx;
	const char *kept = pg_arena_strdup(&c->arena, file_name);
	size_t before;

	return kept && pg_nameset_add(&c->names, kept, 0, &before) >= 0 ? 0 : pg_fail_nomem(err);
}

static int is_free(void *ctx, const char *file_name, struct pg_err *err)
{
	const struct clash *c = ctx;
	size_t before;

	if (pg_nameset_find(&c->names, file_name, &before))
		return pg_fail(err, PG_EUSAGE, "'%s' is a table of the scenario; give the new one a --name, or -o DIR",
			       file_name);
	return 0;
}

static int check_names(const struct pg_plan *plan, size_t sweep, const struct pg_table_spec *spec, struct pg_err *err)
{
	struct clash c;
	int result = 0;

	pg_arena_init(&c.arena, true);
	pg_nameset_init(&c.names, false);
	for (size_t i = 0; result == 0 && i < pg_plan_sweeps(plan); i++) {
		const struct pg_sweep *s = pg_plan_sweep(plan, i);

		for (size_t k = 0; result == 0 && k < s->n_tables; k++)
			result = pg_table_names(plan, i, &s->tables[k], take_name, &c, err);
	}
	if (result == 0)
		result = pg_table_names(plan, sweep, spec, is_free, &c, err);
	pg_nameset_release(&c.names);
	pg_arena_release(&c.arena);
	return result;
}

static int write_another(struct tables *t, struct pg_err *err)
{
	const struct pg_tables_opts *o = t->o;
	const struct pg_table_request req = {
		.rows = o->rows,
		.columns = o->columns,
		.split = o->split,
		.value = o->value,
		.statistic = o->statistic,
		.unit = o->unit,
		.relative_to = o->relative_to,
		.name = o->name,
	};
	struct pg_table_spec spec;
	size_t sweep;

	if (choose_sweep(t, &sweep, err) != 0 || pg_plan_add_table(t->plan, sweep, &req, &spec, err) != 0)
		return -1;
	if (!o->output && check_names(t->plan, sweep, &spec, err) != 0)
		return -1;
	return pg_store_write_table(t->store, o->output, sweep, &spec, t->style, on_written, t, err);
}

static int write_tables(struct tables *t, struct pg_err *err)
{
	const struct pg_sweep *s;
	size_t sweep;

	if (wants_another(t->o))
		return write_another(t, err);
	if (!t->o->sweep)
		return pg_store_write_all(t->store, t->o->output, t->style, on_written, t, err);
	if (choose_sweep(t, &sweep, err) != 0)
		return -1;
	s = pg_plan_sweep(t->plan, sweep);
	for (size_t i = 0; i < s->n_tables; i++)
		if (pg_store_write_table(t->store, t->o->output, sweep, &s->tables[i], t->style, on_written, t, err) !=
		    0)
			return -1;
	return 0;
}

/* Looked at before anything is written: a directory of somebody else, or on a medium that is read-only, is usual here.
 */
static int make_output(const struct tables *t, const char *run, struct pg_err *err)
{
	const char *dir = t->o->output ? t->o->output : run;

	if (t->o->output && mkdir(dir, 0777) != 0 && errno != EEXIST)
		return pg_fail(err, PG_EUSAGE, "cannot make '%s': %s; give another directory with -o DIR", dir,
			       strerror(errno));
	if (faccessat(AT_FDCWD, dir, W_OK | X_OK, AT_EACCESS) != 0)
		return pg_fail(err, PG_EUSAGE, "cannot write into '%s': %s; give %s directory with -o DIR", dir,
			       strerror(errno), t->o->output ? "another" : "a");
	return 0;
}

static int rebuild(struct tables *t, const char *dir, const struct pg_run_info *info, struct pg_err *err)
{
	struct pg_store_opts opts = {
		.dir = dir,
		.root = t->w->root,
		.clock = t->w->clock,
		.info = info,
		.note = on_note,
		.note_ctx = t,
	};

	choose_style(t);
	if (pg_store_open(&opts, t->plan, false, &t->store, err) != 0)
		return -1;
	if (pg_store_replay(t->store, NULL, err) != 0 || make_output(t, dir, err) != 0)
		return -1;
	if (pg_store_is_cut(t->store))
		pg_summary_cut(t->w, dir);
	else if (info->state != PG_RUN_COMPLETE)
		pg_say(t->w, "note: this run is not complete; the tables hold what there is");
	if (write_tables(t, err) != 0)
		return -1;
	if (t->show_failed)
		*err = t->show_err;
	return t->show_failed ? -1 : 0;
}

int pg_cmd_tables(struct pg_world *w, const void *opts, const struct pg_args *args)
{
	struct pg_reporter reporter = {.world = w, .quiet = true};
	struct tables t = {.w = w, .o = opts};
	struct pg_run_info info;
	struct pg_arena arena;
	struct pg_load load = {.suites = w->suites, .read = pg_run_file_read};
	struct pg_err err;
	char *dir;
	int status = PG_EXIT_USAGE;

	memset(&info, 0, sizeof(info));
	pg_arena_init(&arena, true);
	dir = pg_arena_strdup(&arena, args->operand[0]);
	if (!dir || pg_run_info_read(dir, &arena, &info, &err) != 0) {
		if (!dir)
			pg_fail_nomem(&err);
		status = pg_fail_status(w, &err);
		goto out;
	}
	load.machine = &info.machine;
	load.opts = &info.opts;
	load.read_ctx = dir;
	load.version = info.version; /* a later perfgrid still reads the run */
	if (pg_load_plan(&load, info.scenario, &reporter, &t.plan) != 0)
		goto out;
	if (rebuild(&t, dir, &info, &err) != 0)
		status = pg_fail_status(w, &err);
	else
		status = pg_stdout_done(w, PG_EXIT_OK);
	if (t.store)
		pg_store_close(t.store);
	pg_plan_free(t.plan);
out:
	pg_arena_release(&arena);
	return status;
}
