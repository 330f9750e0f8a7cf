/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The estimate. The time of a rep is the median wall_time of the same cell in the newest finished run of that name;
 * cells that run did not have take the mean of their sweep. A sweep it did not have takes warm-up and sample_time where
 * loops are `auto`; else nothing is known.
 */
#include "runner/estimate.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "engine/parts.h"
#include "engine/rounds.h"
#include "plan/plan.h"
#include "runner/report.h"
#include "runner/schedule.h"
#include "store/store.h"

/* Reps of a cell at most. */
static uint64_t reps_of(const struct pg_rules *r)
{
	return (uint64_t)r->warmup + pg_rounds_at_most(r);
}

/* Seconds of a cell whose rep takes `rep` seconds; `time` of a rule binds. */
static double cell_seconds(const struct pg_rules *r, double rep)
{
	double s = (rep + (double)r->pause_ns * 1e-9) * (double)reps_of(r);
	double most = (double)r->repeat.time_ns * 1e-9;

	return !r->repeat.fixed && r->repeat.time_ns > 0 && s > most ? most : s;
}

/* cells.csv of an earlier run, one row after the other. */
struct earlier {
	const struct pg_plan *plan;
	const struct pg_sweep *sweep;
	struct pg_plan *index; /* the same plan, for looking cells up */
	struct pg_cell_buf *buf;
	size_t cell, metric, median, variant; /* columns; variant: SIZE_MAX = none */
	bool header;
	double found_s, sum_s; /* seconds of the cells found; sum of rep times */
	size_t found, n;
};

static double number(const char *s)
{
	struct pg_dec d;

	return pg_dec_parse_lax(s, strlen(s), &d) == PG_NUM_OK ? pg_dec_to_double(d) : 0;
}

static int earlier_row(void *ctx, size_t line, const char *const *fields, size_t n)
{
	struct earlier *e = ctx;
	uint64_t id;
	size_t at;
	double s;

	(void)line;
	if (!e->header) {
		e->header = true;
		for (size_t i = 0; i < n; i++) {
			e->cell = strcmp(fields[i], "cell") == 0 ? i : e->cell;
			e->metric = strcmp(fields[i], "metric") == 0 ? i : e->metric;
			e->median = strcmp(fields[i], "median") == 0 ? i : e->median;
			e->variant = strcmp(fields[i], "variant") == 0 ? i : e->variant;
		}
		return 0;
	}
	if (e->cell >= n || e->metric >= n || e->median >= n || strcmp(fields[e->metric], "wall_time") != 0)
		return 0;
	s = number(fields[e->median]);
	if (s <= 0)
		return 0;
	e->sum_s += s;
	e->n++;
	if (pg_cell_id_parse(fields[e->cell], &id) != 0)
		return 0;
	at = pg_plan_find_arm(e->index, id, e->variant < n ? fields[e->variant] : NULL);
	if (at == SIZE_MAX || pg_plan_cell(e->plan, at, e->buf)->skip != PG_NOT_SKIPPED)
		return 0;
	e->found_s += cell_seconds(&e->sweep->rules, s);
	e->found++;
	return 0;
}

/* Is some runnable cell of the sweep calibrated, and are all? */
static bool all_auto(const struct pg_plan *plan, const struct pg_sweep *s, struct pg_cell_buf *buf)
{
	/* The operation count is an axis at most in small sweeps: the first cell decides where it is none. */
	size_t ops = s->n_params;
	bool varies = false;

	for (size_t i = 0; i < s->n_params; i++)
		ops = s->params[i].role & PG_OPS ? i : ops;
	if (ops == s->n_params || s->n_cells == 0)
		return false;
	for (size_t i = 0; i < s->n_axes; i++)
		varies = varies || s->axes[i].bundle || s->axes[i].param == ops;
	for (size_t i = 0; i < (varies ? s->n_cells : 1); i++)
		if (!pg_cell_auto(pg_plan_cell(plan, s->first_cell + i, buf)))
			return false;
	return true;
}

/* Newest first: the names begin with a time stamp. */
static int newer_first(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*b)->d_name, (*a)->d_name);
}

static int is_stamp(const struct dirent *d)
{
	return d->d_name[0] >= '0' && d->d_name[0] <= '9';
}

/* The newest finished run below results/NAME, as a path; NULL = none. malloc'ed. */
static char *newest_run(const char *results, const char *name)
{
	struct dirent **entries;
	struct pg_str path;
	char *found = NULL;
	int n;

	pg_str_init(&path);
	pg_str_addf(&path, "%s/%s", results, name);
	n = scandir(pg_str_text(&path), &entries, is_stamp, newer_first);
	for (int i = 0; i < n; i++) {
		struct pg_run_info info;
		struct pg_arena arena;
		struct pg_err err;

		pg_arena_init(&arena, false);
		if (!found) {
			pg_str_reset(&path);
			pg_str_addf(&path, "%s/%s/%s", results, name, entries[i]->d_name);
			memset(&info, 0, sizeof(info));
			if (pg_run_info_read(pg_str_text(&path), &arena, &info, &err) == 0 &&
			    info.state == PG_RUN_COMPLETE)
				found = strdup(pg_str_text(&path));
		}
		pg_arena_release(&arena);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
	pg_str_release(&path);
	return found;
}

static size_t count_runnable(const struct pg_plan *plan, const struct pg_sweep *s, struct pg_cell_buf *buf)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_cells; i++)
		n += pg_plan_cell(plan, s->first_cell + i, buf)->skip == PG_NOT_SKIPPED;
	return n;
}

/* n: cells of the sweep that are to run. */
static void add_sweep(struct pg_estimate *out, struct earlier *e, size_t n, const char *run)
{
	const struct pg_rules *rules = &e->sweep->rules;
	struct pg_str path;
	struct pg_err err;

	out->cells += e->sweep->n_cells;
	out->runnable += n;
	out->reps += n * reps_of(rules);
	/* An early look may end a comparison. */
	out->at_most = out->at_most || ((!rules->repeat.fixed || rules->compare.n_looks > 1) && n > 0);
	if (n == 0)
		return;
	pg_str_init(&path);
	if (run) {
		pg_str_addf(&path, "%s/%s.cells.csv", run, e->sweep->name);
		if (pg_csv_read(pg_str_text(&path), ',', earlier_row, e, &err) != 0)
			e->n = 0;
	}
	pg_str_release(&path);
	if (e->n > 0)
		out->seconds += e->found_s + (double)(n > e->found ? n - e->found : 0) *
						     cell_seconds(rules, e->sum_s / (double)e->n);
	else if (all_auto(e->plan, e->sweep, e->buf))
		out->seconds += (double)n * cell_seconds(rules, (double)rules->sample_time_ns * 1e-9);
	else
		out->unknown = true;
}

/* Parts of the run in which a sweep has a rep to do: the others are left out, and the rest before them. */
static void mark_parts(const struct pg_sweep *s, uint32_t parts, bool *busy)
{
	uint32_t most = pg_rounds_at_most(&s->rules);

	for (uint32_t k = 1; k <= parts; k++)
		busy[k] = busy[k] || pg_part_end(most, k, parts) > pg_part_end(most, k - 1, parts);
}

static double rests(const bool *busy, uint32_t parts)
{
	uint32_t n = 0;

	for (uint32_t k = 1; k <= parts; k++)
		n += busy[k];
	return n > 1 ? (n - 1) * (double)PG_REST_NS * 1e-9 : 0;
}

int pg_estimate(struct pg_plan *plan, const size_t *runnable, const char *results, struct pg_estimate *out)
{
	struct pg_cell_buf *buf = pg_cell_buf_new(plan);
	uint32_t parts = pg_plan_sessions(plan);
	bool *busy = calloc((size_t)parts + 1, sizeof(*busy));
	char *run;

	memset(out, 0, sizeof(*out));
	if (!buf || !busy) {
		pg_cell_buf_free(buf);
		free(busy);
		return -1;
	}
	run = newest_run(results, pg_plan_name(plan));
	for (size_t i = 0; i < pg_plan_sweeps(plan); i++) {
		struct earlier e = {
			.plan = plan,
			.sweep = pg_plan_sweep(plan, i),
			.index = plan,
			.buf = buf,
			.cell = SIZE_MAX,
			.metric = SIZE_MAX,
			.median = SIZE_MAX,
			.variant = SIZE_MAX,
		};

		size_t n = runnable ? runnable[i] : count_runnable(plan, e.sweep, buf);

		add_sweep(out, &e, n, run);
		if (n > 0)
			mark_parts(e.sweep, parts, busy);
	}
	out->seconds += rests(busy, parts);
	free(run);
	free(busy);
	pg_cell_buf_free(buf);
	return 0;
}

void pg_estimate_text(const struct pg_estimate *e, struct pg_str *out)
{
	pg_str_addf(out, "%zu cell%s", e->cells, e->cells == 1 ? "" : "s");
	if (e->runnable < e->cells)
		pg_str_addf(out, " (%zu not to run)", e->cells - e->runnable);
	pg_str_addf(out, ", %s%llu rep%s, estimate ", e->at_most ? "at most " : "", (unsigned long long)e->reps,
		    e->reps == 1 ? "" : "s");
	if (e->unknown && e->seconds <= 0) {
		pg_str_addc(out, '?');
		return;
	}
	pg_human_time(out, e->seconds);
	if (e->unknown)
		pg_str_adds(out, " + ?");
}
