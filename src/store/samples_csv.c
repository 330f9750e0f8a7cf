/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SWEEP.samples.csv: a row per rep, from the journal, in its order. Facts are in base units: times in seconds,
 * frequencies in Hz.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "stats/stats.h"
#include "store/csv_write.h"
#include "store/fold.h"
#include "store/guard_share.h"
#include "store/journal.h"
#include "store/params_csv.h"
#include "store/reason.h"
#include "store/results.h"

const char *const pg_samples_head[] = {"session",  "seed",    "cell", "status", "phase",  "round",
				       "position", "attempt", "mark", "guards", "reason", NULL};

/* Power of ten of a fact in its base unit. The operation count is no column: it stands in the param's own. */
static const struct {
	enum pg_fact fact;
	int exp10;
} facts[] = {
	{PG_F_T_MONO, -9},	   {PG_F_T_WALL, -9},	    {PG_F_STEAL, -2},
	{PG_F_OTHER_BUSY, -2},	   {PG_F_PSI_CPU, -6},	    {PG_F_PSI_MEM, -6},
	{PG_F_PSI_IO, -6},	   {PG_F_THROTTLED, -6},    {PG_F_EXIT, 0},
	{PG_F_BATCHES, 0},	   {PG_F_BATCH_TIME, -9},   {PG_F_THERMAL, 0},
	{PG_F_FREQUENCY_START, 3}, {PG_F_FREQUENCY_END, 3}, {PG_F_INTERRUPTS, 0},
	{PG_F_SOFTIRQS, 0},	   {PG_F_SWAPPED, 0},
};
#define FACTS (sizeof(facts) / sizeof(*facts))

struct rows {
	const struct pg_results *r;
	const struct pg_sweep *sw;
	const struct pg_columns *columns;
	struct pg_csv *csv;
	struct pg_param_cols cols;
	struct pg_cell_buf *buf;
	struct pg_record *rec;
	struct pg_outcome *out;
	struct pg_fold fold;
	double *most_switches; /* per cell of the sweep: involuntary ones from which the guard fires; NaN = not known
				  yet */
	size_t next;	       /* cell of the sweep to try first */
	uint64_t session;      /* of the line at hand */
};

static void header(struct rows *k)
{
	struct pg_str name;

	for (size_t i = 0; pg_samples_head[i]; i++)
		pg_csv_text(k->csv, pg_samples_head[i]);
	pg_param_cols_header(&k->cols, k->csv);
	pg_str_init(&name);
	for (size_t m = 0; m < k->sw->n_metrics; m++) {
		const struct pg_metric *row = &k->sw->metrics[m];

		if (row->flags & PG_M_HIDDEN)
			continue;
		pg_str_reset(&name);
		pg_str_addf(&name, "%s_%s", row->name, pg_unit_suffix(row->unit));
		pg_csv_text(k->csv, pg_str_text(&name));
	}
	k->csv->failed = k->csv->failed || name.failed;
	pg_str_release(&name);
	for (size_t i = 0; i < FACTS; i++)
		pg_csv_text(k->csv, pg_fact_name(facts[i].fact));
	pg_csv_row(k->csv);
}

static void put_numbers(struct rows *k)
{
	const struct pg_outcome *o = k->out;

	for (size_t m = 0; m < k->sw->n_metrics; m++) {
		double v = PG_NAN;

		if (k->sw->metrics[m].flags & PG_M_HIDDEN)
			continue;
		if (!pg_metric_value(k->sw->metrics, m, o->s, o->n, &v))
			v = PG_NAN;
		pg_csv_double(k->csv, v);
	}
	for (size_t i = 0; i < FACTS; i++) {
		int64_t v = o->facts[facts[i].fact];
		char buf[PG_NUM_BUF];

		pg_csv_num(k->csv, buf, v == PG_FACT_ABSENT ? 0 : pg_fmt_dec(buf, v, facts[i].exp10));
	}
}

/* Twenty digits would lose the last ones as a number: a letter makes them text. */
static void put_seed(struct rows *k)
{
	char buf[PG_NUM_BUF + 1] = "s";

	if (k->rec->seeded)
		pg_csv_text_n(k->csv, buf, 1 + pg_fmt_u64(buf + 1, k->rec->seed));
	else
		pg_csv_missing(k->csv);
}

static void put_words(struct rows *k, struct pg_str *words)
{
	pg_csv_text(k->csv, words->len ? pg_str_text(words) : NULL);
	k->csv->failed = k->csv->failed || words->failed;
	pg_str_release(words);
}

static void add_word(struct pg_str *words, const char *word)
{
	if (words->len)
		pg_str_addc(words, ' ');
	pg_str_adds(words, word);
}

/* What a rep is beside a plain one. */
static void put_mark(struct rows *k)
{
	struct pg_str words;

	pg_str_init(&words);
	if (k->rec->disturbed)
		add_word(&words, "disturbed");
	if (k->rec->redo)
		add_word(&words, "redo");
	put_words(k, &words);
}

/* Was it switched out far more often than the cell's other reps? */
static bool many_switches(struct rows *k, const struct pg_cell *c)
{
	size_t row = c->n_bench_metrics + PG_E_INVOLUNTARY_SWITCHES;
	double *most = &k->most_switches[c->index - k->sw->first_cell], v;

	if (isnan(*most)) {
		struct pg_summary s;

		pg_fold_enter(&k->fold, k->sw, c->index);
		pg_fold_metric(&k->fold, row, &s);
		*most = s.n < 2 ? HUGE_VAL : pg_guard_switches_limit(s.median);
	}
	return pg_metric_value(k->sw->metrics, row, k->out->s, k->out->n, &v) && v > *most;
}

static void put_guards(struct rows *k, const struct pg_cell *c)
{
	unsigned fired = 0;
	struct pg_str words;

	pg_str_init(&words);
	if (k->rec->status == PG_ST_OK) {
		fired = pg_guard_shares_fired(k->r->shares, c->index, k->sw, k->out);
		fired |= !k->rec->warmup && many_switches(k, c) ? PG_GUARD_SWITCHES : 0;
	}
	for (unsigned bit = 0; bit < PG_GUARDS; bit++)
		if (fired >> bit & 1)
			add_word(&words, pg_guard_name(bit));
	put_words(k, &words);
}

static void put_rep(struct rows *k, const struct pg_cell *c)
{
	const struct pg_record *rec = k->rec;
	int64_t ops = k->out->facts[PG_F_LOOPS];
	char id[PG_CELL_ID_BUF];

	pg_csv_u64(k->csv, k->session);
	put_seed(k);
	pg_cell_id_format(id, c->id);
	pg_csv_text_n(k->csv, id, sizeof(id) - 1);
	pg_csv_text(k->csv, pg_status_name(rec->status));
	pg_csv_text(k->csv, rec->warmup ? "warmup" : "measure");
	pg_csv_u64(k->csv, rec->round);
	pg_csv_u64(k->csv, rec->position);
	pg_csv_u64(k->csv, rec->attempt);
	put_mark(k);
	put_guards(k, c);
	pg_reason_csv(k->csv, rec->why);
	pg_param_cols_cell(&k->cols, c, ops > 0 ? (uint64_t)ops : pg_samples_acc(k->r->samples, c->index)->ops, k->csv);
	put_numbers(k);
	pg_csv_row(k->csv);
}

/* The cell of the record: often the one after the last. */
static const struct pg_cell *cell_of(struct rows *k)
{
	const struct pg_record *rec = k->rec;
	const struct pg_cell *c = NULL;
	size_t index = k->next;

	if (index < k->sw->n_cells)
		c = pg_plan_cell(k->r->plan, k->sw->first_cell + index, k->buf);
	if (!c || c->id != rec->cell || strcmp(c->variant_label ? c->variant_label : "", rec->variant) != 0) {
		index = pg_record_cell(k->r->plan, rec);
		if (index == SIZE_MAX)
			return NULL;
		c = pg_plan_cell(k->r->plan, index, k->buf);
	}
	k->next = c->index + 1 - k->sw->first_cell;
	return c;
}

/* What replay took is whole and known; a record that is neither came later. */
static bool put_line(struct rows *k, const char *s, size_t n)
{
	const struct pg_cell *c;
	struct pg_err err;

	if (pg_record_parse(s, n, k->rec, &err) != 0)
		return false;
	pg_record_drop(k->rec);
	k->session += k->rec->kind == PG_REC_SESSION;
	if (k->rec->kind != PG_REC_REP)
		return true;
	c = cell_of(k);
	if (!c)
		return false;
	if (c->sweep != k->sw->index)
		return true;
	if (pg_record_outcome(k->rec, k->columns, k->sw->metrics, k->out, &err) != 0)
		return false;
	put_rep(k, c);
	return true;
}

static int all_rows(struct rows *k, const struct pg_journal_part *j, struct pg_err *err)
{
	struct pg_journal_lines l;
	const char *s;
	size_t n;
	bool whole;
	int got = 0;

	header(k);
	pg_journal_lines_init(&l, j->fd, j->from);
	while (l.next < j->end && (got = pg_journal_lines_next(&l, &s, &n, &whole, err)) == 1)
		if (!whole || !put_line(k, s, n))
			break;
	pg_journal_lines_release(&l);
	return got < 0 ? -1 : 0;
}

static int write_file(struct rows *k, const struct pg_journal_part *j, struct pg_err *err)
{
	struct pg_csv_file *file;
	struct pg_str name;
	int result = -1;

	pg_str_init(&name);
	pg_str_addf(&name, "%s.samples.csv", k->sw->name);
	file = name.failed ? NULL : pg_csv_file_open(k->r, pg_str_text(&name), err);
	if (name.failed)
		pg_fail_nomem(err);
	if (file) {
		k->csv = pg_csv_file_rows(file);
		result = all_rows(k, j, err);
		if (result == 0)
			result = pg_csv_file_close(file, true, err);
		else
			pg_csv_file_close(file, false, NULL);
	}
	pg_str_release(&name);
	return result;
}

static int with_columns(struct rows *k, const struct pg_journal_part *j, struct pg_err *err)
{
	int result;

	if (pg_param_cols_init(&k->cols, k->r->plan, k->sw, err) != 0)
		return -1;
	result = write_file(k, j, err);
	pg_param_cols_release(&k->cols);
	return result;
}

int pg_samples_write(const struct pg_results *r, const struct pg_sweep *sw, const struct pg_journal_part *j,
		     struct pg_err *err)
{
	struct rows k = {.r = r, .sw = sw, .columns = &j->columns[sw->index], .session = j->session};
	int result = -1;

	k.buf = pg_cell_buf_new(r->plan);
	k.rec = malloc(sizeof(*k.rec));
	k.out = malloc(sizeof(*k.out));
	k.most_switches = malloc((sw->n_cells + 1) * sizeof(*k.most_switches));
	for (size_t i = 0; k.most_switches && i < sw->n_cells; i++)
		k.most_switches[i] = PG_NAN;
	if (!k.buf || !k.rec || !k.out || !k.most_switches)
		pg_fail_nomem(err);
	else if (pg_guard_shares_settle(r->shares, err) == 0 && pg_fold_init(&k.fold, r->samples, err) == 0)
		result = with_columns(&k, j, err);
	pg_fold_release(&k.fold);
	free(k.most_switches);
	free(k.rec);
	free(k.out);
	pg_cell_buf_free(k.buf);
	return result;
}
