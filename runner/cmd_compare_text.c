/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a comparison for people: aligned text, or Markdown for a review. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "runner/cmd_compare.h"
#include "runner/report.h"
#include "runner/terminal.h"
#include "runner/world.h"

#define PRECISE "%.4g"

/* "1.23 ms", "512 KiB", "3.2 GiB/s", "8.1e+06 1/s". */
static void value_text(struct pg_str *out, enum pg_unit unit, double v)
{
	static const char *const bytes[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	static const char *const times[] = {"s", "ms", "us", "ns"};
	size_t i = 0;

	if (isnan(v))
		return;
	switch (unit) {
	case PG_U_S:
		for (; i < 3 && fabs(v) < 0.9995 && fabs(v) > 0; i++)
			v *= 1000;
		pg_str_addf(out, PRECISE " %s", v, times[i]);
		return;
	case PG_U_B:
	case PG_U_B_PER_S:
		for (; i < 4 && fabs(v) >= 1024; i++)
			v /= 1024;
		pg_str_addf(out, PRECISE " %s%s", v, bytes[i], unit == PG_U_B ? "" : "/s");
		return;
	case PG_U_PER_S:
		pg_str_addf(out, PRECISE " 1/s", v);
		return;
	case PG_U_COUNT:
		break;
	}
	pg_str_addf(out, PRECISE, v);
}

static void percent(struct pg_str *out, double fraction, bool sign)
{
	if (!isnan(fraction))
		pg_str_addf(out, sign ? "%+.2f %%" : "%.2f %%", 100 * fraction);
}

static void cell_text(struct pg_str *out, const struct pg_compare_row *r, struct pg_cell_buf *buf)
{
	const struct pg_cell *c = pg_plan_cell(r->plan, r->cell, buf);
	size_t from = out->len;

	if (c->variant_label)
		pg_str_adds(out, c->variant_label);
	for (size_t i = 0; i < r->sweep->n_axes; i++) {
		const struct pg_axis *axis = &r->sweep->axes[i];

		if (axis->n < 2 || (c->variant_label && i + 1 == r->sweep->n_axes))
			continue;
		pg_str_addf(out, "%s%s=%s", out->len > from ? " " : "", axis->name, axis->labels[c->pos[i]]);
	}
	if (out->len == from)
		pg_str_adds(out, r->sweep->name);
}

/* Why, which flags, and how many rounds would do. */
static void note_text(struct pg_str *out, const struct pg_compare_row *r)
{
	const char *reason = pg_compare_reason(r);

	pg_str_adds(out, reason);
	if (r->flags) {
		pg_str_adds(out, out->len ? "; " : "");
		pg_compare_flags_text(r->flags, out);
	}
	if (isnan(r->c.needed))
		return;
	pg_str_addf(out, "%s%.0f %s would do", out->len ? "; " : "", r->c.needed,
		    r->c.design == PG_PAIRED ? "rounds" : "on each side");
}

static const char *verdict_text(const struct pg_compare_row *r)
{
	switch (r->standing) {
	case PG_CMP_JUDGED:
	case PG_CMP_EXPLORED:
		return pg_verdict_name(r->c.verdict);
	case PG_CMP_MISSING:
		return "missing";
	case PG_CMP_LEFT_OUT:
		break;
	}
	return "";
}

enum field { F_SWEEP, F_CELL, F_METRIC, F_BASE, F_NEW, F_CHANGE, F_INTERVAL, F_P, F_MDE, F_VERDICT, F_NOTE, FIELDS };

static void field_text(struct pg_str *out, const struct pg_compare_row *r, struct pg_cell_buf *buf, enum field f)
{
	const struct pg_metric *m = &r->sweep->metrics[r->metric];

	switch (f) {
	case F_SWEEP:
		pg_str_adds(out, r->sweep->name);
		break;
	case F_CELL:
		cell_text(out, r, buf);
		break;
	case F_METRIC:
		pg_str_adds(out, m->name);
		break;
	case F_BASE:
		value_text(out, m->unit, r->base);
		break;
	case F_NEW:
		value_text(out, m->unit, r->new);
		break;
	case F_CHANGE:
		percent(out, pg_compare_ratio(r, pg_compare_shown(r)).estimate - 1, true);
		break;
	case F_INTERVAL:
		pg_compare_interval_text(r, out);
		break;
	case F_P:
		if (!isnan(pg_comparison_p(&r->c)))
			pg_str_addf(out, "%.3g", pg_comparison_p(&r->c));
		break;
	case F_MDE:
		if (isfinite(r->c.mde))
			percent(out, r->c.mde, false);
		break;
	case F_VERDICT:
		pg_str_addf(out, "%s%s", verdict_text(r), r->flags & PG_CF_BIMODAL ? "*" : "");
		break;
	case F_NOTE:
		note_text(out, r);
		break;
	case FIELDS:
		break;
	}
}

static const char *const heads[FIELDS] = {
	[F_SWEEP] = "sweep",	   [F_CELL] = "cell",	    [F_METRIC] = "metric",	 [F_BASE] = "base",
	[F_NEW] = "new",	   [F_CHANGE] = "change",   [F_INTERVAL] = "interval %", [F_P] = "p_adj",
	[F_MDE] = "smallest seen", [F_VERDICT] = "verdict", [F_NOTE] = "note",
};

/* One field after the other, rows as they come. */
struct sink {
	void (*field)(void *ctx, const char *text);
	void (*end)(void *ctx, bool header);
	void *ctx;
};

static bool several_sweeps(const struct pg_compare *c)
{
	for (size_t i = 1; i < c->n; i++)
		if (strcmp(c->row[i].sweep->name, c->row[0].sweep->name) != 0)
			return true;
	return false;
}

static void put_rows(const struct pg_compare *c, const struct sink *to)
{
	bool sweeps = several_sweeps(c);
	struct pg_cell_buf *buf = NULL;
	const struct pg_plan *plan = NULL;
	struct pg_str text;

	pg_str_init(&text);
	for (int f = 0; f < FIELDS; f++)
		if (f != F_SWEEP || sweeps)
			to->field(to->ctx, heads[f]);
	to->end(to->ctx, true);
	for (size_t i = 0; i < c->n; i++) {
		const struct pg_compare_row *r = &c->row[i];

		if (!pg_compare_main_row(r))
			continue;
		if (plan != r->plan) {
			pg_cell_buf_free(buf);
			plan = r->plan;
			buf = pg_cell_buf_new(plan);
		}
		for (int f = 0; buf && f < FIELDS; f++) {
			if (f == F_SWEEP && !sweeps)
				continue;
			pg_str_reset(&text);
			field_text(&text, r, buf, (enum field)f);
			to->field(to->ctx, pg_str_text(&text));
		}
		to->end(to->ctx, false);
	}
	pg_cell_buf_free(buf);
	pg_str_release(&text);
}

/* ---- closing lines ---- */

static void counts_line(const struct pg_compare *c, const struct pg_compare_counts *k, struct pg_str *out)
{
	bool more = false;

	for (int v = 0; v <= PG_V_UNCLEAR; v++) {
		if (k->verdict[v] == 0)
			continue;
		pg_str_addf(out, "%s%zu %s", more ? ", " : "", k->verdict[v], pg_verdict_name((enum pg_verdict)v));
		more = true;
	}
	if (k->missing)
		pg_str_addf(out, "%s%zu missing", more ? ", " : "", k->missing);
	if (k->left_out)
		pg_str_addf(out, "%s%zu not measured", more || k->missing ? ", " : "", k->left_out);
	if (!more && !k->missing && !k->left_out)
		pg_str_adds(out, "nothing to compare");
	pg_str_addf(out, " (%.0f hypotheses together, 5 %%)\n", c->hypotheses);
}

static size_t count_why(const struct pg_compare *c, enum pg_unclear why)
{
	size_t n = 0;

	for (size_t i = 0; i < c->n; i++)
		n += pg_compare_main_row(&c->row[i]) && c->row[i].standing == PG_CMP_JUDGED &&
		     c->row[i].c.verdict == PG_V_UNCLEAR && c->row[i].c.why == why;
	return n;
}

static unsigned all_flags(const struct pg_compare *c)
{
	unsigned flags = 0;

	for (size_t i = 0; i < c->n; i++)
		if (pg_compare_main_row(&c->row[i]))
			flags |= c->row[i].flags;
	return flags;
}

static void advise_reasons(const struct pg_compare *c, struct pg_str *out)
{
	static const struct {
		enum pg_unclear why;
		const char *text;
	} advice[] = {
		{PG_UC_N, "n: too few to tell anything; more rounds (`repeat`), or more sessions of stored runs"},
		{PG_UC_NOISE, "noise: a change of the threshold could hide here; more rounds, a quieter machine, or a "
			      "larger `threshold`"},
		{PG_UC_SESSION, "single session: two runs at different times differ by themselves; use `variants:`, or "
				"`sessions: 5` on both sides"},
		{PG_UC_ENV, "env: the machines are not alike; name what is meant to differ with --differs"},
		{PG_UC_LAYOUT, "layout: all reps of a side had one memory layout; use `process: exec`"},
		{PG_UC_ZERO, "zero: a value of 0 has no ratio; compare another metric"},
	};

	for (size_t i = 0; i < sizeof(advice) / sizeof(*advice); i++) {
		size_t n = count_why(c, advice[i].why);

		if (n)
			pg_str_addf(out, "%s (%zu cell%s)\n", advice[i].text, n, n == 1 ? "" : "s");
	}
}

static void advise_flags(unsigned flags, struct pg_str *out)
{
	if (flags & PG_CF_GROUPED)
		pg_str_adds(out, "grouped: the sides were measured one after the other; how often this calls equal "
				 "things different is not controlled; use `order: interleaved`\n");
	if (flags & PG_CF_LOOPS_DIFFER)
		pg_str_adds(out, "loops-differ: the sides were calibrated to different counts; give `loops` a number, "
				 "or say --differs loops\n");
	if (flags & PG_CF_TRUSTED)
		pg_str_adds(out, "trust-stored: 29 to 76 % of such comparisons of a program with itself found a "
				 "difference on a noisy machine\n");
	if (flags & PG_CF_BIMODAL)
		pg_str_adds(out,
			    "*: the samples fall into two groups; look at samples.csv before you believe a median\n");
}

void pg_compare_closing(const struct pg_compare_report *r, struct pg_str *out)
{
	struct pg_compare_counts k;

	pg_compare_count(r->c, &k);
	counts_line(r->c, &k, out);
	advise_reasons(r->c, out);
	advise_flags(all_flags(r->c), out);
}

/* ---- text ---- */

static void grid_field(void *ctx, const char *text)
{
	pg_grid_add(ctx, text);
}

static void grid_end(void *ctx, bool header)
{
	(void)header;
	pg_grid_end_row(ctx);
}

void pg_compare_text(const struct pg_compare_report *r, struct pg_str *out)
{
	struct pg_grid grid;
	const struct sink to = {grid_field, grid_end, &grid};

	pg_grid_init(&grid);
	put_rows(r->c, &to);
	pg_grid_print(&grid, out);
	out->failed = out->failed || grid.failed;
	pg_grid_release(&grid);
	pg_compare_closing(r, out);
}

/* ---- Markdown ---- */

struct markdown {
	struct pg_str *out;
	size_t columns;
};

static void markdown_field(void *ctx, const char *text)
{
	struct markdown *m = ctx;

	pg_str_adds(m->out, m->columns++ ? " " : "| ");
	for (; *text; text++) {
		if (strchr("|\\`*_<>", *text))
			pg_str_addc(m->out, '\\');
		pg_str_addc(m->out, *text);
	}
	pg_str_adds(m->out, " |");
}

static void markdown_end(void *ctx, bool header)
{
	struct markdown *m = ctx;

	pg_str_addc(m->out, '\n');
	for (size_t i = 0; header && i < m->columns; i++)
		pg_str_adds(m->out, i ? " --- |" : "| --- |");
	if (header)
		pg_str_addc(m->out, '\n');
	m->columns = 0;
}

void pg_compare_markdown(const struct pg_compare_report *r, struct pg_str *out)
{
	struct markdown m = {.out = out};
	const struct sink to = {markdown_field, markdown_end, &m};
	struct pg_str lines;

	put_rows(r->c, &to);
	pg_str_init(&lines);
	pg_compare_closing(r, &lines);
	pg_str_addc(out, '\n');
	for (const char *s = pg_str_text(&lines); *s; s += strcspn(s, "\n") + 1)
		pg_str_addf(out, "- %.*s\n", (int)strcspn(s, "\n"), s);
	out->failed = out->failed || lines.failed;
	pg_str_release(&lines);
}

/* ---- after a run ---- */

void pg_compare_say(const struct pg_world *w, const struct pg_store *s)
{
	const struct pg_compare_opts opts = {.judged_only = true};
	struct pg_compare c;
	struct pg_compare_report r = {.c = &c};
	struct pg_str text;
	struct pg_err err;

	pg_compare_init(&c);
	pg_str_init(&text);
	if (pg_store_compare(s, &opts, &c, &err) != 0) {
		pg_report(w, &err, false);
	} else if (c.n > 0) {
		pg_compare_text(&r, &text);
		for (const char *line = pg_str_text(&text); *line; line += strcspn(line, "\n") + 1)
			pg_say(w, "%.*s", (int)strcspn(line, "\n"), line);
	}
	pg_str_release(&text);
	pg_compare_release(&c);
}
