/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SWEEP.compare.csv and all.compare.csv: a row per cell, arm and metric. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/err.h"
#include "base/str.h"
#include "store/compare.h"
#include "store/csv_write.h"
#include "store/params_csv.h"
#include "store/reason.h"
#include "store/results.h"
#include "store/store_inside.h"

#define ALL_NAME "all"

const char *const pg_compare_tail[] = {
	"metric",	 "unit",       "better",	"base",	     "base_sd_pct",
	"new",		 "new_sd_pct", "change_pct",	"interval",  "p_adj",
	"verdict",	 "reason",     "flags",		"n",	     "n_dropped",
	"typical_ratio", "typical_lo", "typical_hi",	"typical_p", "typical_p_adj",
	"floor_ratio",	 "floor_lo",   "floor_hi",	"floor_p",   "floor_p_adj",
	"ratio_median",	 "mde",	       "rounds_needed", "threshold", NULL,
};

/* Rows into one file. */
struct rows {
	struct pg_csv *csv;
	struct pg_param_cols cols;
	struct pg_cell_buf *buf;
	const struct pg_plan *plan; /* of buf */
	bool all;
	struct pg_str text;
};

static void header(struct rows *k)
{
	if (k->all)
		pg_csv_text(k->csv, "sweep");
	pg_csv_text(k->csv, "cell");
	pg_param_cols_header_beside(&k->cols, pg_compare_tail, k->csv);
	for (size_t i = 0; pg_compare_tail[i]; i++)
		pg_csv_text(k->csv, pg_compare_tail[i]);
	pg_csv_row(k->csv);
}

static void put_built(struct rows *k)
{
	pg_csv_text(k->csv, k->text.len ? pg_str_text(&k->text) : NULL);
	k->csv->failed = k->csv->failed || k->text.failed;
}

/* What is exploration says so first, and then why nothing can be told. */
static void put_reason(struct rows *k, const struct pg_compare_row *r)
{
	const char *reason = pg_compare_reason(r);

	if (r->standing != PG_CMP_EXPLORED) {
		pg_reason_csv(k->csv, reason);
		return;
	}
	pg_str_reset(&k->text);
	pg_str_addf(&k->text, "exploration%s%s", *reason ? ": " : "", reason);
	pg_reason_csv(k->csv, pg_str_text(&k->text));
	k->csv->failed = k->csv->failed || k->text.failed;
}

/* The columns that people read. */
static void put_front(struct rows *k, const struct pg_compare_row *r)
{
	const struct pg_metric *m = &r->sweep->metrics[r->metric];
	bool judged = r->standing == PG_CMP_JUDGED || r->standing == PG_CMP_EXPLORED;

	pg_csv_text(k->csv, m->name);
	pg_csv_text(k->csv, pg_unit_name(m->unit));
	pg_csv_text(k->csv, pg_better_name(m->better));
	pg_csv_double(k->csv, r->base);
	pg_csv_double(k->csv, r->base_sd_pct);
	pg_csv_double(k->csv, r->new);
	pg_csv_double(k->csv, r->new_sd_pct);
	pg_csv_double(k->csv, 100 * (pg_compare_ratio(r, pg_compare_shown(r)).estimate - 1));
	pg_str_reset(&k->text);
	pg_compare_interval_text(r, &k->text);
	put_built(k);
	pg_csv_double(k->csv, pg_comparison_p(&r->c));
	pg_csv_text(k->csv, judged || r->standing == PG_CMP_MISSING ? pg_verdict_name(r->c.verdict) : NULL);
	put_reason(k, r);
	pg_str_reset(&k->text);
	pg_compare_flags_text(r->flags, &k->text);
	if (r->seen)
		pg_str_addf(&k->text, "%s%s", k->text.len ? " " : "", r->seen);
	put_built(k);
}

static void put_back(struct rows *k, const struct pg_compare_row *r)
{
	if (r->standing != PG_CMP_JUDGED && r->standing != PG_CMP_EXPLORED) {
		pg_csv_missing(k->csv);
		pg_csv_missing(k->csv);
	} else {
		pg_csv_u64(k->csv, r->c.n);
		pg_csv_u64(k->csv, r->n_dropped);
	}
	for (unsigned l = 0; l < PG_LENSES; l++) {
		struct pg_ratio x = pg_compare_ratio(r, l);

		pg_csv_double(k->csv, x.estimate);
		pg_csv_double(k->csv, x.lo);
		pg_csv_double(k->csv, x.hi);
		pg_csv_double(k->csv, r->c.lens[l].p);
		pg_csv_double(k->csv, r->c.p_adj[l]);
	}
	pg_csv_double(k->csv, r->base > 0 ? r->new / r->base : PG_NAN);
	pg_csv_double(k->csv, r->c.mde);
	pg_csv_double(k->csv, r->c.needed);
	pg_csv_double(k->csv, r->c.threshold > 0 ? r->c.threshold : PG_NAN);
}

static int put_row(struct rows *k, const struct pg_compare_row *r, struct pg_err *err)
{
	const struct pg_cell *c;
	char id[PG_CELL_ID_BUF];

	if (k->plan != r->plan) {
		pg_cell_buf_free(k->buf);
		k->plan = k->cols.plan = r->plan;
		k->buf = pg_cell_buf_new(r->plan);
		if (!k->buf)
			return pg_fail_nomem(err);
	}
	if (k->cols.sweep != r->sweep)
		pg_param_cols_enter(&k->cols, r->sweep);
	c = pg_plan_cell(r->plan, r->cell, k->buf);
	if (k->all)
		pg_csv_text(k->csv, r->sweep->name);
	pg_cell_id_format(id, c->id);
	pg_csv_text_n(k->csv, id, sizeof(id) - 1);
	pg_param_cols_cell(&k->cols, c, r->ops, k->csv);
	put_front(k, r);
	put_back(k, r);
	pg_csv_row(k->csv);
	return 0;
}

/* Columns and header: those of one sweep; NULL: of all, of both sides. */
static int open_rows(struct rows *k, const struct pg_compare *c, const struct pg_sweep *sw, struct pg_csv *csv,
		     struct pg_err *err)
{
	memset(k, 0, sizeof(*k));
	k->csv = csv;
	k->all = sw == NULL;
	pg_str_init(&k->text);
	if (pg_param_cols_init(&k->cols, c->plan[0], sw, err) != 0)
		return -1;
	if (!sw && c->plan[1] && pg_param_cols_also(&k->cols, c->plan[1], err) != 0)
		return -1;
	header(k);
	return 0;
}

static void close_rows(struct rows *k)
{
	pg_str_release(&k->text);
	pg_cell_buf_free(k->buf);
	pg_param_cols_release(&k->cols);
}

static int to_one(void *ctx, const struct pg_compare_row *r, struct pg_err *err)
{
	return put_row(ctx, r, err);
}

int pg_compare_csv(const struct pg_compare *c, struct pg_csv *csv, struct pg_err *err)
{
	struct rows k;
	int result = open_rows(&k, c, NULL, csv, err);

	if (result == 0)
		result = pg_compare_each(c, NULL, to_one, &k, err);
	close_rows(&k);
	return result;
}

/* ---- the files of a run ---- */

struct output {
	struct pg_csv_file *file;
	struct rows rows;
};

static int open_output(struct output *o, const struct pg_results *r, const struct pg_compare *c,
		       const struct pg_sweep *sw, struct pg_err *err)
{
	struct pg_str name;

	memset(o, 0, sizeof(*o));
	pg_str_init(&name);
	pg_str_addf(&name, "%s.compare.csv", sw ? sw->name : ALL_NAME);
	if (name.failed)
		pg_fail_nomem(err);
	else
		o->file = pg_csv_file_open(r, pg_str_text(&name), err);
	pg_str_release(&name);
	return o->file ? open_rows(&o->rows, c, sw, pg_csv_file_rows(o->file), err) : -1;
}

static int close_output(struct output *o, bool keep, struct pg_err *err)
{
	if (!o->file)
		return 0;
	close_rows(&o->rows);
	return pg_csv_file_close(o->file, keep, keep ? err : NULL);
}

/* Both files at once: a row of exploration is made for each reading. */
static int to_both(void *ctx, const struct pg_compare_row *r, struct pg_err *err)
{
	struct output **o = ctx;

	for (size_t i = 0; i < 2; i++)
		if (o[i]->file && put_row(&o[i]->rows, r, err) != 0)
			return -1;
	return 0;
}

static int write_sweep(const struct pg_results *r, const struct pg_compare *c, const struct pg_sweep *sw,
		       struct output *all, struct pg_err *err)
{
	struct output own = {.file = NULL}, *both[] = {all, &own};
	int result = 0;

	/* A sweep of that name has its rows in the file of all. */
	if (strcasecmp(sw->name, ALL_NAME) != 0)
		result = open_output(&own, r, c, sw, err);
	if (result == 0)
		result = pg_compare_each(c, sw, to_both, both, err);
	if (close_output(&own, result == 0, err) != 0)
		result = -1;
	return result;
}

static int write_files(const struct pg_results *r, const struct pg_compare *c, struct pg_err *err)
{
	struct output all;
	int result = open_output(&all, r, c, NULL, err);

	for (size_t i = 0; result == 0 && i < pg_plan_sweeps(r->plan); i++)
		if (pg_plan_sweep(r->plan, i)->n_variants > 1)
			result = write_sweep(r, c, pg_plan_sweep(r->plan, i), &all, err);
	if (close_output(&all, result == 0, err) != 0)
		result = -1;
	return result;
}

int pg_compare_write(const struct pg_results *r, uint64_t seed, struct pg_compare *out, struct pg_err *err)
{
	if (!pg_compare_wanted(r->plan))
		return 0;
	out->one_layout = pg_env_one_layout(r->rundir);
	if (pg_compare_live(r->plan, r->samples, seed, NULL, out, err) != 0)
		return -1;
	if (pg_compare_see_live(out, r, NULL, err) != 0)
		return -1;
	return write_files(r, out, err);
}
