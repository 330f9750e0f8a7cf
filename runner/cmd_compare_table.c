/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of a comparison for people: which rows, in which order, what stands in their columns. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "runner/cmd_compare.h"

#define MANY	 20 /* rows from which on those are left out that nobody has to look at */
#define HEAD_MAX 12 /* longest name of a side over a column */

/* ---- which rows ---- */

/* What fails a gate first, what is as before last. */
static int rank(const struct pg_compare_row *r)
{
	static const int verdicts[] = {
		[PG_V_REGRESSED] = 0, [PG_V_FAILED] = 1,      [PG_V_MIXED] = 3,	       [PG_V_UNCLEAR] = 4,
		[PG_V_IMPROVED] = 6,  [PG_V_MINOR_WORSE] = 7, [PG_V_MINOR_BETTER] = 8, [PG_V_SAME] = 9,
	};

	switch (r->standing) {
	case PG_CMP_JUDGED:
	case PG_CMP_EXPLORED:
		return verdicts[r->c.verdict];
	case PG_CMP_MISSING:
		return 2;
	case PG_CMP_UNREACHED:
		return 5;
	case PG_CMP_LEFT_OUT:
		break;
	}
	return 10;
}
#define RANKS	   11
#define RANK_QUIET 9 /* from here on nothing to look at */

static void choose_rows(struct pg_compare_table *t, const struct pg_compare *c)
{
	size_t all = 0;

	t->row = calloc(c->n + 1, sizeof(const struct pg_compare_row *));
	if (!t->row) {
		t->failed = true;
		return;
	}
	for (size_t i = 0; i < c->n; i++)
		all += pg_compare_main_row(&c->row[i]);
	for (int k = 0; k < RANKS; k++) {
		for (size_t i = 0; i < c->n; i++) {
			if (!pg_compare_main_row(&c->row[i]) || rank(&c->row[i]) != k)
				continue;
			if (all >= MANY && k >= RANK_QUIET)
				t->hidden++;
			else
				t->row[t->n++] = &c->row[i];
		}
	}
}

/* ---- which columns, and their heads ---- */

/* Arms are the last axis of a sweep. */
static const char *arm_of(const struct pg_compare_row *r)
{
	const struct pg_sweep *sw = r->sweep;

	return sw->n_variants < 2 ? "" : sw->axes[sw->n_axes - 1].labels[(r->cell - sw->first_cell) % sw->n_variants];
}

static const char *metric_of(const struct pg_compare_row *r)
{
	return r->sweep->metrics[r->metric].name;
}

static const char *baseline_of(const struct pg_compare_row *r)
{
	return r->sweep->n_variants < 2 ? "" : r->sweep->axes[r->sweep->n_axes - 1].labels[0];
}

static const char *sweep_of(const struct pg_compare_row *r)
{
	return r->sweep->name;
}

/* The text that all rows share; NULL = they do not. */
static const char *common(const struct pg_compare_table *t, const char *(*text)(const struct pg_compare_row *r))
{
	const char *first = t->n ? text(t->row[0]) : "";

	for (size_t i = 1; i < t->n; i++)
		if (strcmp(first, text(t->row[i])) != 0)
			return NULL;
	return first;
}

/* LABEL of DIR@LABEL, else the last part of the path, where it is short enough. */
static bool short_name(const char *name, char *to, size_t size)
{
	const char *at = strrchr(name, '@');
	size_t n = strlen(name), from;

	while (n > 1 && name[n - 1] == '/')
		n--;
	for (from = n; from > 0 && name[from - 1] != '/'; from--)
		;
	if (at && at[1] && !strchr(at, '/'))
		from = (size_t)(at + 1 - name);
	if (from >= n || n - from > HEAD_MAX)
		return false;
	snprintf(to, size, "%.*s", (int)(n - from), name + from);
	return true;
}

static void name_sides(struct pg_compare_table *t, const struct pg_compare_report *r)
{
	const char *base = r->base, *new = r->new;

	if (!new) {
		base = common(t, baseline_of);
		new = common(t, arm_of);
	}
	t->named = base && short_name(base, t->base, sizeof(t->base));
	if (!t->named)
		snprintf(t->base, sizeof(t->base), "%s", "base");
	if (!new)
		snprintf(t->new, sizeof(t->new), "%s", "this arm");
	else if (!t->named || !short_name(new, t->new, sizeof(t->new)) || strcmp(t->base, t->new) == 0)
		t->named = false;
	if (new && !t->named) {
		snprintf(t->base, sizeof(t->base), "%s", "base");
		snprintf(t->new, sizeof(t->new), "%s", "new");
	}
	/* The baseline of a run is its first arm whatever it is called; the arms have a column. */
	t->arms = common(t, arm_of) == NULL || (!r->new && !t->named);
	t->named = t->named || !r->new;
}

void pg_compare_table_init(struct pg_compare_table *t, const struct pg_compare_report *r)
{
	memset(t, 0, sizeof(*t));
	t->c = r->c;
	choose_rows(t, r->c);
	t->sweeps = common(t, sweep_of) == NULL;
	t->metrics = common(t, metric_of) == NULL;
	name_sides(t, r);
}

void pg_compare_table_release(struct pg_compare_table *t)
{
	free(t->row);
	t->row = NULL;
}

/* ---- notes ---- */

static void add(struct pg_str *out, const char *text)
{
	if (*text)
		pg_str_addf(out, "%s%s", out->len ? "; " : "", text);
}

static void add_effect(struct pg_str *out, const struct pg_compare_row *r, unsigned lens)
{
	pg_str_addf(out, "%+.1f %%", 100 * (pg_compare_ratio(r, lens).estimate - 1));
}

/* Which lens it is by, where that is not what one expects. */
static void add_lens(struct pg_str *out, const struct pg_compare_row *r)
{
	if (r->standing == PG_CMP_JUDGED && r->c.verdict == PG_V_MIXED) {
		add(out, "typical ");
		add_effect(out, r, PG_TYPICAL);
		pg_str_adds(out, ", floor ");
		add_effect(out, r, PG_FLOOR);
	} else if (pg_compare_shown(r) == PG_FLOOR && !isnan(r->c.lens[PG_TYPICAL].estimate)) {
		add(out, "by the floor");
	}
}

/* What was tested, and what would do. */
static void add_test(struct pg_str *out, const struct pg_compare_row *r)
{
	double p = pg_comparison_p(&r->c);

	if (!isnan(p)) {
		add(out, "p ");
		pg_compare_p_text(p, out);
	}
	if (isfinite(r->c.mde)) {
		pg_str_adds(out, isnan(p) ? (out->len ? "; " : "") : ", ");
		pg_compare_percent_text(r->c.mde, out);
		pg_str_adds(out, " detectable");
	}
	if (!isnan(r->cliff)) {
		add(out, "Cliff's delta ");
		pg_str_addf(out, "%+.2f", r->cliff);
	}
	if (isnan(r->c.needed))
		return;
	add(out, "about ");
	pg_str_addf(out, "%.0f ", pg_compare_about(r->c.needed));
	if (r->c.design == PG_PAIRED)
		pg_str_adds(out, "rounds would do");
	else
		pg_str_addf(out, "%s on each side would do", r->flags & PG_CF_TRUSTED ? "samples" : "sessions");
}

/* Why, by which lens, which flags; where it does not pass also p, what could have been seen, and what disturbed. */
static void note_text(struct pg_str *out, const struct pg_compare_row *r)
{
	bool judged = r->standing == PG_CMP_JUDGED;
	struct pg_str flags;

	add(out, pg_compare_reason(r));
	if (judged)
		add_lens(out, r);
	if (judged && !pg_compare_passes(r))
		add_test(out, r);
	pg_str_init(&flags);
	pg_compare_flags_text(r->flags, &flags);
	if (r->seen && !pg_compare_passes(r))
		pg_str_addf(&flags, "%s%s", flags.len ? " " : "", r->seen);
	add(out, pg_str_text(&flags));
	out->failed = out->failed || flags.failed;
	pg_str_release(&flags);
}

/* ---- rows ---- */

static const char *verdict_text(const struct pg_compare_row *r)
{
	switch (r->standing) {
	case PG_CMP_JUDGED:
	case PG_CMP_EXPLORED:
		return pg_verdict_name(r->c.verdict);
	case PG_CMP_MISSING:
		return "missing";
	case PG_CMP_UNREACHED:
		return "not reached";
	case PG_CMP_LEFT_OUT:
		break;
	}
	return "not measured";
}

enum field { F_SWEEP, F_ARM, F_CELL, F_METRIC, F_BASE, F_NEW, F_CHANGE, F_INTERVAL, F_VERDICT, FIELDS };

static bool is_shown(const struct pg_compare_table *t, enum field f)
{
	return (f != F_SWEEP || t->sweeps) && (f != F_ARM || t->arms) && (f != F_METRIC || t->metrics);
}

static void field_text(const struct pg_compare_table *t, struct pg_str *out, const struct pg_compare_row *r,
		       struct pg_cell_buf *buf, enum field f)
{
	const struct pg_metric *m = &r->sweep->metrics[r->metric];

	switch (f) {
	case F_SWEEP:
		pg_str_adds(out, r->sweep->name);
		break;
	case F_ARM:
		pg_str_adds(out, arm_of(r));
		break;
	case F_CELL:
		pg_compare_cell_text(t->c, r, buf, out);
		break;
	case F_METRIC:
		pg_str_addf(out, "%s%s", m->name, m->better == PG_HIGHER ? " (more)" : "");
		break;
	case F_BASE:
		pg_compare_value_text(m->unit, r->base, r->new, out);
		break;
	case F_NEW:
		pg_compare_value_text(m->unit, r->new, r->base, out);
		break;
	case F_CHANGE:
		pg_compare_change_text(r, out);
		break;
	case F_INTERVAL:
		pg_compare_interval_text(r, out);
		break;
	case F_VERDICT:
		pg_str_addf(out, "%s%s", verdict_text(r), r->flags & PG_CF_BIMODAL ? "*" : "");
		break;
	case FIELDS:
		break;
	}
}

static void put_header(const struct pg_compare_table *t, const struct pg_compare_sink *to)
{
	const char *const heads[FIELDS] = {
		[F_SWEEP] = "sweep",	 [F_ARM] = "arm",  [F_CELL] = "cell",	  [F_METRIC] = "metric",
		[F_BASE] = t->base,	 [F_NEW] = t->new, [F_CHANGE] = "change", [F_INTERVAL] = "95 % interval",
		[F_VERDICT] = "verdict",
	};

	for (enum field f = F_SWEEP; f < FIELDS; f++)
		if (is_shown(t, f))
			to->field(to->ctx, heads[f]);
	to->end(to->ctx, NULL);
}

void pg_compare_table_put(const struct pg_compare_table *t, const struct pg_compare_sink *to)
{
	struct pg_cell_buf *buf = NULL;
	const struct pg_plan *plan = NULL;
	struct pg_str text;

	pg_str_init(&text);
	put_header(t, to);
	for (size_t i = 0; i < t->n; i++) {
		const struct pg_compare_row *r = t->row[i];

		if (plan != r->plan) {
			pg_cell_buf_free(buf);
			plan = r->plan;
			buf = pg_cell_buf_new(plan);
		}
		for (enum field f = F_SWEEP; buf && f < FIELDS; f++) {
			if (!is_shown(t, f))
				continue;
			pg_str_reset(&text);
			field_text(t, &text, r, buf, f);
			to->field(to->ctx, pg_str_text(&text));
		}
		pg_str_reset(&text);
		note_text(&text, r);
		to->end(to->ctx, pg_str_text(&text));
	}
	pg_cell_buf_free(buf);
	pg_str_release(&text);
}

void pg_compare_table_title(const struct pg_compare_table *t, const struct pg_compare_report *r, struct pg_str *out)
{
	if (t->n == 0)
		return;
	if (t->metrics)
		pg_str_adds(out, "less is better, but where (more) stands");
	else
		pg_str_addf(out, "%s, %s is better", metric_of(t->row[0]),
			    t->row[0]->sweep->metrics[t->row[0]->metric].better == PG_HIGHER ? "more" : "less");
	if (!t->named)
		pg_str_addf(out, "; base: %s, new: %s", r->base, r->new);
}
