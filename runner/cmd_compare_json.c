/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A comparison as JSON, for programs: every row of compare.csv as an object. What there is no value for is left out.
 * docs/results.md has the format.
 */
#include <math.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "runner/cmd_compare.h"
#include "runner/json_out.h"

static void number(struct pg_jout *j, const char *key, double v)
{
	/* JSON has no infinity: an interval that is open has no end. */
	if (isfinite(v))
		pg_jout_number(j, key, v);
}

/* As in the CSV: sizes in B, times in s, counted loops in the place of `auto`. */
static void put_value(struct pg_jout *j, const struct pg_param *row, const struct pg_value *v)
{
	struct pg_str text;

	if (v->state == PG_V_SET) {
		switch ((enum pg_type)v->type) {
		case PG_BOOL:
			pg_jout_bool(j, row->name, v->u.i != 0);
			return;
		case PG_COUNT:
		case PG_SIZE:
			pg_jout_int(j, row->name, v->u.i);
			return;
		case PG_TIME:
		case PG_REAL:
			pg_jout_number(j, row->name, pg_value_double(v));
			return;
		case PG_ENUM:
		case PG_CPULIST:
		case PG_NODELIST:
		case PG_TEXT:
			break;
		}
	}
	pg_str_init(&text);
	pg_value_format_csv(row, v, &text);
	pg_jout_text(j, row->name, pg_str_text(&text));
	j->out->failed = j->out->failed || text.failed;
	pg_str_release(&text);
}

static void put_params(struct pg_jout *j, const struct pg_compare_row *r, const struct pg_cell *c)
{
	const struct pg_sweep *sw = r->sweep;

	pg_jout_object(j, "params");
	for (size_t i = 0; i < c->n_params; i++) {
		if (c->vals[i].state == PG_V_UNSET)
			continue;
		if (pg_cell_auto(c) && c->params[i].role & PG_OPS && r->ops)
			pg_jout_int(j, c->params[i].name, (int64_t)r->ops);
		else
			put_value(j, &c->params[i], &c->vals[i]);
	}
	for (size_t i = 0; i < sw->n_axes; i++)
		if (sw->axes[i].bundle)
			pg_jout_text(j, sw->axes[i].name, sw->axes[i].labels[c->pos[i]]);
	pg_jout_close(j);
}

static void put_lens(struct pg_jout *j, const struct pg_compare_row *r, unsigned lens, const char *key)
{
	struct pg_ratio x = pg_compare_ratio(r, lens);

	if (isnan(x.estimate))
		return;
	pg_jout_object(j, key);
	number(j, "ratio", x.estimate);
	number(j, "lo", x.lo);
	number(j, "hi", x.hi);
	number(j, "p", r->c.lens[lens].p);
	number(j, "p_adj", r->c.p_adj[lens]);
	pg_jout_close(j);
}

static const char *standing_name(enum pg_standing s)
{
	switch (s) {
	case PG_CMP_JUDGED:
		return "judged";
	case PG_CMP_EXPLORED:
		return "explored";
	case PG_CMP_MISSING:
		return "missing";
	case PG_CMP_UNREACHED:
		return "unreached";
	case PG_CMP_LEFT_OUT:
		break;
	}
	return "left-out";
}

static const char *correction_name(enum pg_correction c)
{
	return c == PG_CORRECT_HOLM ? "holm" : c == PG_CORRECT_BH ? "bh" : "none";
}

/* What was found, and what it was held against. */
static void put_verdict(struct pg_jout *j, const struct pg_compare_row *r)
{
	bool judged = r->standing == PG_CMP_JUDGED || r->standing == PG_CMP_EXPLORED;
	struct pg_str flags;

	if (judged || r->standing == PG_CMP_MISSING)
		pg_jout_text(j, "verdict", pg_verdict_name(r->c.verdict));
	if (*pg_compare_reason(r))
		pg_jout_text(j, "reason", pg_compare_reason(r));
	pg_str_init(&flags);
	pg_compare_flags_text(r->flags, &flags);
	if (r->seen)
		pg_str_addf(&flags, "%s%s", flags.len ? " " : "", r->seen);
	pg_jout_text(j, "flags", pg_str_text(&flags));
	j->out->failed = j->out->failed || flags.failed;
	pg_str_release(&flags);
	if (!judged)
		return;
	pg_jout_int(j, "n", (int64_t)r->c.n);
	if (r->c.design != PG_PAIRED)
		pg_jout_int(j, "n_new", (int64_t)r->c.m);
	pg_jout_int(j, "n_dropped", (int64_t)r->n_dropped);
	number(j, "cliff_delta", r->cliff);
	number(j, "mde", r->c.mde);
	number(j, "rounds_needed", r->c.needed);
	number(j, "threshold", r->c.threshold);
	number(j, "alpha", r->c.alpha);
	pg_jout_text(j, "correction", correction_name(r->c.correction));
}

static void put_row(struct pg_jout *j, const struct pg_compare_row *r, const struct pg_cell *c)
{
	const struct pg_metric *m = &r->sweep->metrics[r->metric];
	unsigned shown = pg_compare_shown(r);
	char id[PG_CELL_ID_BUF];

	pg_cell_id_format(id, c->id);
	pg_jout_object(j, NULL);
	pg_jout_text(j, "sweep", r->sweep->name);
	pg_jout_text(j, "cell", id);
	put_params(j, r, c);
	pg_jout_text(j, "metric", m->name);
	pg_jout_text(j, "unit", pg_unit_name(m->unit));
	pg_jout_text(j, "better", pg_better_name(m->better));
	pg_jout_text(j, "standing", standing_name(r->standing));
	number(j, "base", r->base);
	number(j, "base_sd_pct", r->base_sd_pct);
	number(j, "new", r->new);
	number(j, "new_sd_pct", r->new_sd_pct);
	if (isfinite(r->c.lens[shown].estimate)) {
		number(j, "change_pct", 100 * (pg_compare_ratio(r, shown).estimate - 1));
		pg_jout_text(j, "lens", shown == PG_FLOOR ? "floor" : "typical");
	}
	put_lens(j, r, PG_TYPICAL, "typical");
	put_lens(j, r, PG_FLOOR, "floor");
	put_verdict(j, r);
	pg_jout_close(j);
}

/* Rows, and the cells behind them. */
struct putting {
	struct pg_jout *j;
	struct pg_cell_buf *buf;
	const struct pg_plan *plan; /* of buf */
};

static int each_row(void *ctx, const struct pg_compare_row *row, struct pg_err *err)
{
	struct putting *k = ctx;

	if (k->plan != row->plan) {
		pg_cell_buf_free(k->buf);
		k->plan = row->plan;
		k->buf = pg_cell_buf_new(row->plan);
	}
	if (!k->buf)
		return pg_fail_nomem(err);
	put_row(k->j, row, pg_plan_cell(row->plan, row->cell, k->buf));
	return 0;
}

static void put_counts(struct pg_jout *j, const struct pg_compare *c)
{
	struct pg_compare_counts k;

	pg_compare_count(c, &k);
	pg_jout_object(j, "counts");
	for (int v = 0; v <= PG_V_UNCLEAR; v++)
		pg_jout_int(j, pg_verdict_name((enum pg_verdict)v), (int64_t)k.verdict[v]);
	pg_jout_int(j, "missing", (int64_t)k.missing);
	pg_jout_int(j, "unreached", (int64_t)k.unreached);
	pg_jout_int(j, "left-out", (int64_t)k.left_out);
	pg_jout_close(j);
}

void pg_compare_json(const struct pg_compare_report *r, struct pg_str *out)
{
	struct pg_jout j;
	struct putting k = {.j = &j};
	struct pg_err err;

	pg_jout_init(&j, out);
	pg_jout_object(&j, NULL);
	pg_jout_int(&j, "perfgrid", 1);
	pg_jout_text(&j, "base", r->base);
	if (r->new)
		pg_jout_text(&j, "new", r->new);
	pg_jout_text(&j, "design", r->live ? "live" : "stored");
	pg_jout_bool(&j, "complete", !r->incomplete);
	pg_jout_int(&j, "gate", r->gate);
	pg_jout_number(&j, "hypotheses", r->c->hypotheses);
	put_counts(&j, r->c);
	pg_jout_array(&j, "rows");
	/* Nothing but memory can be lacking. */
	if (pg_compare_each(r->c, NULL, each_row, &k, &err) != 0)
		out->failed = true;
	pg_jout_close(&j);
	pg_jout_close(&j);
	pg_cell_buf_free(k.buf);
}
