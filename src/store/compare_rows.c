/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of comparisons: kept, judged, put into words. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "stats/diagnose.h"
#include "store/compare.h"
#include "store/compare_rows.h"
#include "store/compare_explored.h"
#include "store/samples.h"

void pg_compare_init(struct pg_compare *c)
{
	memset(c, 0, sizeof(*c));
	pg_arena_init(&c->arena, true);
}

void pg_compare_release(struct pg_compare *c)
{
	pg_arena_release(&c->arena);
	pg_explored_free(c->explored);
	free(c->row);
	pg_compare_init(c);
}

void pg_compare_row_init(struct pg_compare_row *row)
{
	static const struct pg_effect none = {PG_NAN, PG_NAN, PG_NAN, PG_NAN};

	memset(row, 0, sizeof(*row));
	row->base = row->base_sd_pct = row->new = row->new_sd_pct = row->cliff = PG_NAN;
	row->c.mde = row->c.needed = PG_NAN;
	for (size_t l = 0; l < PG_LENSES; l++) {
		row->c.lens[l] = none;
		row->c.p_adj[l] = PG_NAN;
	}
}

struct pg_compare_row *pg_compare_add(struct pg_compare *c, struct pg_err *err)
{
	struct pg_compare_row *row;

	if (c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 64;

		row = reallocarray(c->row, cap, sizeof(*row));
		if (!row) {
			pg_fail_nomem(err);
			return NULL;
		}
		c->row = row;
		c->cap = cap;
	}
	row = &c->row[c->n++];
	pg_compare_row_init(row);
	return row;
}

void pg_compare_rules(const struct pg_sweep *sw, size_t metric, const struct pg_compare_opts *opts,
		      struct pg_compare_rules *out)
{
	*out = sw->rules.compare;
	if (opts && opts->has_threshold)
		out->threshold = opts->threshold;
	if (opts && opts->has_lens)
		out->lens = opts->lens;
	if (opts && opts->has_correction)
		out->correction = opts->correction;
	if (sw->metrics[metric].flags & PG_M_TYPICAL)
		out->lens = PG_LENS_TYPICAL;
}

unsigned pg_compare_lenses(enum pg_lens lens)
{
	return lens == PG_LENS_BOTH ? PG_LENSES : 1;
}

unsigned pg_compare_cell_flags(const struct pg_cell *c, const struct pg_cell_acc *a)
{
	return (c->rules->order == PG_GROUPED ? (unsigned)PG_CF_GROUPED : 0) |
	       (pg_cell_forks(c) ? (unsigned)PG_CF_ONE_LAYOUT : 0) | (a->two_boots ? (unsigned)PG_CF_TWO_BOOTS : 0);
}

bool pg_compare_shows(const struct pg_sweep *sw, size_t metric)
{
	return sw->metrics[metric].better != PG_NEITHER && !(sw->metrics[metric].flags & PG_M_HIDDEN);
}

bool pg_compare_two_modes(const struct pg_metric *m, const double *costs, size_t n, double *scratch)
{
	struct pg_split split;

	if (n < PG_DIAGNOSE_MIN || (m->flags & PG_M_ENGINE && (m->unit == PG_U_COUNT || m->unit == PG_U_B)))
		return false;
	for (size_t i = 0; i < n; i++)
		scratch[i] = log(costs[i]);
	pg_sort(scratch, n);
	split = pg_split(scratch, n);
	return pg_bimodal(&split, n);
}

/* ---- judging ---- */

struct judging {
	struct pg_comparison **v;
	double *scratch;
	size_t cap;
};

static int judge_together(struct judging *j, size_t n, double hypotheses, struct pg_err *err)
{
	size_t need = pg_family_scratch(n, hypotheses) + 1;

	if (need > j->cap) {
		double *more = reallocarray(j->scratch, need, sizeof(*more));

		if (!more)
			return pg_fail_nomem(err);
		j->scratch = more;
		j->cap = need;
	}
	pg_family_judge(j->v, n, hypotheses, j->scratch);
	return 0;
}

/* The other metrics of the rows [from, to) of one sweep, each by itself. */
static int judge_explored(struct pg_compare *c, struct judging *j, size_t from, size_t to, struct pg_err *err)
{
	const struct pg_sweep *sw = c->row[from].sweep;

	for (size_t m = 0; m < sw->n_metrics; m++) {
		size_t n = 0;

		for (size_t i = from; i < to; i++)
			if (c->row[i].metric == m && c->row[i].standing == PG_CMP_EXPLORED)
				j->v[n++] = &c->row[i].c;
		if (n && judge_together(j, n, 0, err) != 0)
			return -1;
	}
	return 0;
}

static double at_least_tested(struct pg_comparison *const *v, size_t n, double hypotheses)
{
	size_t tested = 0;

	for (size_t i = 0; i < n; i++)
		for (unsigned l = 0; l < PG_LENSES; l++)
			tested += isnan(v[i]->lens[l].p) ? 0 : 1;
	return hypotheses > (double)tested ? hypotheses : (double)tested;
}

int pg_compare_judge(struct pg_compare *c, double hypotheses, struct pg_err *err)
{
	struct judging j = {.v = malloc((c->n + 1) * sizeof(struct pg_comparison *))};
	size_t n = 0;
	int result;

	if (!j.v)
		return pg_fail_nomem(err);
	for (size_t i = 0; i < c->n; i++)
		if (c->row[i].standing == PG_CMP_JUDGED)
			j.v[n++] = &c->row[i].c;
	c->hypotheses = at_least_tested(j.v, n, hypotheses);
	result = judge_together(&j, n, hypotheses, err);
	for (size_t i = 0, end; result == 0 && i < c->n; i = end) {
		for (end = i + 1; end < c->n && c->row[end].sweep == c->row[i].sweep; end++)
			;
		result = judge_explored(c, &j, i, end, err);
	}
	free(j.v);
	free(j.scratch);
	return result;
}

/* ---- words ---- */

void pg_compare_flags_text(unsigned flags, struct pg_str *out)
{
	static const struct {
		enum pg_compare_flag flag;
		const char *name;
	} names[] = {
		{PG_CF_GROUPED, "grouped"},	{PG_CF_ONE_LAYOUT, "one-layout"},     {PG_CF_TWO_BOOTS, "two-boots"},
		{PG_CF_BIMODAL, "bimodal"},	{PG_CF_LOOPS_DIFFER, "loops-differ"}, {PG_CF_TRUSTED, "trust-stored"},
		{PG_CF_ENV_SHIFT, "env-shift"},
	};
	bool first = true;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!(flags & names[i].flag))
			continue;
		if (!first)
			pg_str_addc(out, ' ');
		pg_str_adds(out, names[i].name);
		first = false;
	}
}

struct pg_ratio pg_compare_ratio(const struct pg_compare_row *r, unsigned lens)
{
	const struct pg_effect *e = &r->c.lens[lens];

	/* A rate is compared as its inverse. */
	if (r->sweep->metrics[r->metric].better == PG_HIGHER)
		return (struct pg_ratio){exp(-e->estimate), exp(-e->hi), exp(-e->lo)};
	return (struct pg_ratio){exp(e->estimate), exp(e->lo), exp(e->hi)};
}

/* Does a lens bear the verdict? Those within the band only where the verdict is that there is no more. */
static bool decides(const struct pg_comparison *c, unsigned lens)
{
	double effect = c->lens[lens].estimate, band = log1p(c->threshold);

	if (!(c->p_adj[lens] <= c->alpha))
		return false;
	switch (c->verdict) {
	case PG_V_REGRESSED:
		return effect > band;
	case PG_V_IMPROVED:
		return effect < -band;
	case PG_V_MINOR_WORSE:
	case PG_V_MINOR_BETTER:
		return true;
	case PG_V_FAILED:
	case PG_V_MIXED:
	case PG_V_SAME:
	case PG_V_UNCLEAR:
		break;
	}
	return false;
}

unsigned pg_compare_shown(const struct pg_compare_row *r)
{
	const struct pg_comparison *c = &r->c;
	bool typical = decides(c, PG_TYPICAL), floor = decides(c, PG_FLOOR);

	/* Of two small effects the word is that of the stronger one. */
	if (typical && floor && (c->verdict == PG_V_MINOR_WORSE || c->verdict == PG_V_MINOR_BETTER))
		typical = fabs(c->lens[PG_TYPICAL].estimate) >= fabs(c->lens[PG_FLOOR].estimate);
	if (floor && !typical)
		return PG_FLOOR;
	return isnan(c->lens[PG_TYPICAL].estimate) ? (unsigned)PG_FLOOR : (unsigned)PG_TYPICAL;
}

/* The width counts to its second digit; without one, or an end of it, the change itself does. */
int pg_compare_decimals(const struct pg_compare_row *r)
{
	struct pg_ratio x = pg_compare_ratio(r, pg_compare_shown(r));
	double v = 100 * (x.hi - x.lo);
	int decimals;

	if (!isfinite(v) || !(v > 0))
		v = fabs(100 * (x.estimate - 1));
	if (!isfinite(v) || !(v > 0))
		return 0;
	decimals = 1 - (int)floor(log10(v));
	return decimals < 0 ? 0 : decimals > 2 ? 2 : decimals;
}

void pg_compare_interval_text(const struct pg_compare_row *r, struct pg_str *out)
{
	struct pg_ratio x = pg_compare_ratio(r, pg_compare_shown(r));
	int decimals = pg_compare_decimals(r);
	double least = 0.5 * pow(10, -decimals), lo = 100 * (x.lo - 1), hi = 100 * (x.hi - 1);

	if (isnan(lo) || isnan(hi))
		return;
	/* No "-0". */
	pg_str_addf(out, "[%.*f to %.*f]", decimals, fabs(lo) < least ? 0 : lo, decimals, fabs(hi) < least ? 0 : hi);
}

const char *pg_compare_reason(const struct pg_compare_row *r)
{
	if (r->reason)
		return r->reason;
	return r->c.verdict == PG_V_UNCLEAR ? pg_unclear_name(r->c.why) : "";
}
