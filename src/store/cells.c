/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SWEEP.cells.csv: a row per cell and metric. It is the largest file: what the rows of a cell share is formatted once,
 * and a number that stands in several columns (one rep: seven of them) too.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "store/csv_write.h"
#include "store/flags.h"
#include "store/fold.h"
#include "store/params_csv.h"
#include "store/reason.h"
#include "store/results.h"

const char *const pg_cells_head[] = {"cell", "status", "reason", NULL};
const char *const pg_cells_tail[] = {
	"metric", "unit",      "better",   "n",	     "n_warmup", "n_failed",  "n_redone",   "median",
	"ci_lo",  "ci_hi",     "ci_level", "ci_pct", "best",	 "min",	      "max",	    "mean",
	"sd",	  "sd_pct",    "mad",	   "q25",    "q75",	 "out_mild",  "out_severe", "r1",
	"n_eff",  "drift_pct", "drift_p",  "stop",   "flags",	 "time_used", NULL};

struct cells {
	const struct pg_results *r;
	const struct pg_sweep *sw;
	struct pg_csv *csv;
	struct pg_param_cols cols;
	struct pg_fold fold;
	struct pg_flagger flagger;
	/*
	 * Fields of the cell at hand: up to the metric; `stop`; the flags of the row before, whose bits are `flags_on`;
	 * `time_used`.
	 */
	struct pg_str front, stop, flags, time_used;
	struct pg_flags cell_flags;
	uint32_t flags_on;
	struct pg_str *what; /* per metric: its name, unit and direction */
	size_t n_front;
	enum pg_status status;
	char last[PG_NUM_BUF]; /* text of last_v */
	size_t last_n;
	double last_v;
};

static void header(struct cells *k)
{
	for (size_t i = 0; pg_cells_head[i]; i++)
		pg_csv_text(k->csv, pg_cells_head[i]);
	pg_param_cols_header(&k->cols, k->csv);
	for (size_t i = 0; pg_cells_tail[i]; i++)
		pg_csv_text(k->csv, pg_cells_tail[i]);
	pg_csv_row(k->csv);
}

static void number(struct cells *k, double v)
{
	if (isnan(v)) {
		pg_csv_missing(k->csv);
		return;
	}
	/* Bit by bit, for that is what a text belongs to. */
	if (memcmp(&v, &k->last_v, sizeof(v)) != 0) {
		k->last_v = v;
		k->last_n = pg_fmt_double(k->last, v);
	}
	pg_csv_num(k->csv, k->last, k->last_n);
}

static void count(struct cells *k, bool there, unsigned v)
{
	if (there)
		pg_csv_u64(k->csv, v);
	else
		pg_csv_missing(k->csv);
}

static void take_stop(struct cells *k, bool ran)
{
	enum pg_stop stop = (enum pg_stop)k->fold.acc->stop;

	if (stop == PG_STOP_NONE && ran && k->r->interrupted)
		stop = PG_STOP_ERROR;
	pg_csv_text(k->csv, stop == PG_STOP_NONE ? NULL : pg_stop_name(stop));
	pg_csv_take(k->csv, &k->stop);
}

static void take_time(struct cells *k, bool ran)
{
	const struct pg_cell_acc *a = k->fold.acc;
	char buf[PG_NUM_BUF];

	if (ran && !a->time_unknown)
		pg_csv_num(k->csv, buf, pg_fmt_dec(buf, a->time_ns, -9));
	else
		pg_csv_missing(k->csv);
	pg_csv_take(k->csv, &k->time_used);
}

/* As a field, made anew only where the row before had others. */
static void take_flags(struct cells *k, const struct pg_flags *f)
{
	struct pg_str text;

	if (f->on == k->flags_on && k->flags.len)
		return;
	pg_str_init(&text);
	pg_flags_text(f, &text);
	pg_csv_text(k->csv, text.len ? pg_str_text(&text) : NULL);
	k->csv->failed = k->csv->failed || text.failed;
	pg_str_release(&text);
	pg_csv_take(k->csv, &k->flags);
	k->flags_on = f->on;
}

/* What all rows of a cell share, put together as rows that are taken back. */
static void begin_cell(struct cells *k, const struct pg_cell *c)
{
	char id[PG_CELL_ID_BUF], why[256];
	bool ran;

	k->status = pg_acc_status(pg_samples_acc(k->r->samples, c->index), c);
	pg_fold_enter(&k->fold, k->sw, c->index);
	ran = c->skip == PG_NOT_SKIPPED && k->fold.acc->ran;
	take_stop(k, ran);
	take_time(k, ran);
	pg_flags_cell(&k->flagger, &k->fold, c, &k->cell_flags);
	pg_str_reset(&k->flags);

	pg_cell_id_format(id, c->id);
	pg_csv_text_n(k->csv, id, sizeof(id) - 1);
	pg_csv_text(k->csv, pg_status_name(k->status));
	pg_reason_csv(k->csv, pg_fold_reason(&k->fold, c, k->status, why, sizeof(why)));
	pg_param_cols_cell(&k->cols, c, k->fold.acc->ops, k->csv);
	k->n_front = pg_csv_take(k->csv, &k->front);
}

static void put_counts(struct cells *k, const struct pg_cell *c, size_t n)
{
	const struct pg_cell_acc *a = k->fold.acc;

	if (c->skip != PG_NOT_SKIPPED || !a->ran) {
		for (int i = 0; i < 4; i++)
			pg_csv_missing(k->csv);
		return;
	}
	pg_csv_u64(k->csv, n);
	pg_csv_u64(k->csv, a->n_warmup);
	pg_csv_u64(k->csv, a->n_failed);
	pg_csv_u64(k->csv, a->n_redone);
}

static void put_metric(struct cells *k, const struct pg_cell *c, size_t metric)
{
	struct pg_flags flags = k->cell_flags;
	struct pg_diagnosis d;
	struct pg_summary s;
	size_t n;

	pg_fold_metric(&k->fold, metric, &s);
	n = s.n;
	if (k->status != PG_ST_OK && k->status != PG_ST_UNSTABLE)
		pg_summarise(NULL, 0, false, 0, false, NULL,
			     &s); /* a cell that failed has no number, whatever it measured before */
	pg_flags_metric(&k->flagger, &k->fold, c, metric, &s, &flags, &d);
	take_flags(k, &flags);
	pg_csv_raw(k->csv, pg_str_text(&k->front), k->front.len, k->n_front);
	pg_csv_raw(k->csv, pg_str_text(&k->what[metric]), k->what[metric].len, 3);
	put_counts(k, c, n);
	number(k, s.median);
	number(k, s.ci_lo);
	number(k, s.ci_hi);
	number(k, s.ci_level);
	number(k, s.ci_pct);
	number(k, s.best);
	number(k, s.min);
	number(k, s.max);
	number(k, s.mean);
	number(k, s.sd);
	number(k, s.sd_pct);
	if (s.mad > 0)
		number(k, s.mad);
	else
		count(k, s.n, 0);
	number(k, s.q25);
	number(k, s.q75);
	count(k, s.n, s.out_mild);
	count(k, s.n, s.out_severe);
	number(k, s.r1);
	number(k, s.n_eff);
	number(k, d.drift_pct);
	number(k, d.drift_p);
	pg_csv_raw(k->csv, pg_str_text(&k->stop), k->stop.len, 1);
	pg_csv_raw(k->csv, pg_str_text(&k->flags), k->flags.len, 1);
	pg_csv_raw(k->csv, pg_str_text(&k->time_used), k->time_used.len, 1);
	pg_csv_row(k->csv);
}

/* What the rows of a metric share. */
static int make_whats(struct cells *k)
{
	k->what = calloc(k->sw->n_metrics + 1, sizeof(*k->what));
	for (size_t m = 0; k->what && m < k->sw->n_metrics; m++) {
		const struct pg_metric *row = &k->sw->metrics[m];

		pg_csv_text(k->csv, row->name);
		pg_csv_text(k->csv, pg_unit_name(row->unit));
		pg_csv_text(k->csv, pg_better_name(row->better));
		pg_csv_take(k->csv, &k->what[m]);
		k->csv->failed = k->csv->failed || k->what[m].failed;
	}
	return k->what ? 0 : -1;
}

static void free_whats(struct cells *k)
{
	for (size_t m = 0; k->what && m < k->sw->n_metrics; m++)
		pg_str_release(&k->what[m]);
	free(k->what);
}

static void all_rows(struct cells *k, struct pg_cell_buf *buf)
{
	header(k);
	for (size_t i = 0; i < k->sw->n_cells; i++) {
		const struct pg_cell *c = pg_plan_cell(k->r->plan, k->sw->first_cell + i, buf);

		begin_cell(k, c);
		for (size_t m = 0; m < c->n_metrics; m++)
			if (!(c->metrics[m].flags & PG_M_HIDDEN))
				put_metric(k, c, m);
	}
	k->csv->failed = k->csv->failed || k->front.failed || k->stop.failed || k->flags.failed || k->time_used.failed;
}

static int write_file(struct cells *k, struct pg_cell_buf *buf, const char *name, struct pg_err *err)
{
	struct pg_csv_file *file = pg_csv_file_open(k->r, name, err);
	int result;

	if (!file)
		return -1;
	k->csv = pg_csv_file_rows(file);
	if (make_whats(k) == 0) {
		all_rows(k, buf);
		result = pg_csv_file_close(file, true, err);
	} else {
		pg_csv_file_close(file, false, NULL);
		result = pg_fail_nomem(err);
	}
	free_whats(k);
	return result;
}

int pg_cells_write(const struct pg_results *r, const struct pg_sweep *sw, struct pg_err *err)
{
	struct cells k = {.r = r, .sw = sw, .last_v = PG_NAN};
	struct pg_cell_buf *buf = pg_cell_buf_new(r->plan);
	struct pg_str name;
	int result = -1;

	pg_str_init(&name);
	pg_str_init(&k.front);
	pg_str_init(&k.stop);
	pg_str_init(&k.flags);
	pg_str_init(&k.time_used);
	pg_str_addf(&name, "%s.cells.csv", sw->name);
	if (!buf || name.failed) {
		pg_fail_nomem(err);
		goto out;
	}
	if (pg_flagger_init(&k.flagger, r, err) != 0)
		goto out;
	if (pg_param_cols_init(&k.cols, r->plan, sw, err) != 0)
		goto out;
	if (pg_fold_init(&k.fold, r->samples, err) == 0) {
		result = write_file(&k, buf, pg_str_text(&name), err);
		pg_fold_release(&k.fold);
	}
	pg_param_cols_release(&k.cols);
out:
	pg_str_release(&name);
	pg_str_release(&k.front);
	pg_str_release(&k.stop);
	pg_str_release(&k.flags);
	pg_str_release(&k.time_used);
	pg_cell_buf_free(buf);
	return result;
}
