/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live comparisons: the arms of a cell over the rounds in which both have a value. What the rounds looked at is judged
 * together over the whole run; the other metrics are exploration.
 */
#include "store/compare.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "store/compare_explored.h"
#include "store/compare_live.h"
#include "store/compare_rows.h"
#include "store/samples.h"
#include "store/store_inside.h"

#define NO_ARM SIZE_MAX

static size_t arm_of(const struct pg_sweep *sw, const char *label)
{
	const struct pg_axis *arms = &sw->axes[sw->n_axes - 1];

	for (size_t v = 0; v < arms->n; v++)
		if (strcmp(arms->labels[v], label) == 0)
			return v;
	return NO_ARM;
}

/* The arm that arm `new` of the sweep is compared with; NO_ARM: with none. */
static size_t base_of(const struct pg_sweep *sw, size_t new, const struct pg_compare_opts *opts)
{
	if (sw->n_variants < 2)
		return NO_ARM;
	if (!opts || !opts->new_arm)
		return new > 0 ? 0 : NO_ARM;
	return arm_of(sw, opts->new_arm) == new ? arm_of(sw, opts->base_arm) : NO_ARM;
}

static uint64_t family(const struct pg_plan *p, const struct pg_compare_opts *opts)
{
	uint64_t n = 0;

	for (size_t i = 0; i < pg_plan_sweeps(p); i++) {
		const struct pg_sweep *sw = pg_plan_sweep(p, i);
		struct pg_compare_rules rules;
		unsigned lenses;

		if (sw->n_variants < 2 || !pg_compare_shows(sw, sw->stop_metric))
			continue;
		pg_compare_rules(sw, sw->stop_metric, opts, &rules);
		lenses = pg_compare_lenses(rules.lens);
		for (size_t k = 0; k < sw->n_cells; k++) {
			size_t arm = k % sw->n_variants, base = base_of(sw, arm, opts), cell = sw->first_cell + k;

			n += base != NO_ARM && pg_plan_skip(p, cell, NULL) == PG_NOT_SKIPPED &&
					     pg_plan_skip(p, cell - arm + base, NULL) == PG_NOT_SKIPPED
				     ? lenses
				     : 0;
		}
	}
	return n;
}

uint64_t pg_compare_family(const struct pg_plan *p)
{
	return family(p, NULL);
}

bool pg_compare_wanted(const struct pg_plan *p)
{
	for (size_t i = 0; i < pg_plan_sweeps(p); i++)
		if (pg_plan_sweep(p, i)->n_variants > 1)
			return true;
	return false;
}

typedef int pair_fn(void *ctx, struct pg_live *l, const struct pg_sweep *sw, struct pg_err *err);

/* Each arm of a sweep beside its baseline. */
static int visit_sweep(struct pg_live *l, const struct pg_sweep *sw, pair_fn *pair, void *ctx, struct pg_err *err)
{
	for (size_t k = 0; sw->n_variants > 1 && k < sw->n_cells; k++) {
		size_t arm = k % sw->n_variants, base = base_of(sw, arm, l->opts), cell = sw->first_cell + k;

		if (base == NO_ARM)
			continue;
		pg_live_enter(l, sw, cell - arm + base, cell);
		if (pair(ctx, l, sw, err) != 0)
			return -1;
	}
	return 0;
}

/* ---- all cells: first what is judged together ---- */

static bool is_explored(const struct pg_sweep *sw, size_t metric)
{
	return metric != sw->stop_metric && pg_compare_shows(sw, metric);
}

static int judge_pair(void *ctx, struct pg_live *l, const struct pg_sweep *sw, struct pg_err *err)
{
	struct pg_compare *out = ctx;

	for (size_t m = 0; m < sw->n_metrics; m++) {
		struct pg_compare_row *row;

		if (is_explored(sw, m) && out->explored)
			pg_explored_add(out->explored, sw, pg_live_p(l, sw, m));
		if (m != sw->stop_metric || !pg_compare_shows(sw, m))
			continue;
		row = pg_compare_add(out, err);
		if (!row || pg_live_row(l, sw, m, row, err) != 0)
			return -1;
	}
	return 0;
}

static size_t pairs_of(const struct pg_sweep *sw, const struct pg_compare_opts *opts)
{
	size_t arms = 0;

	if (sw->n_variants < 2)
		return 0;
	for (size_t v = 0; v < sw->n_variants; v++)
		arms += base_of(sw, v, opts) != NO_ARM;
	return sw->n_cells / sw->n_variants * arms;
}

static int judge_sweep(struct pg_compare *out, struct pg_live *l, const struct pg_sweep *sw, struct pg_err *err)
{
	struct pg_explored *x = out->explored;
	size_t metrics = 0;

	for (size_t m = 0; m < sw->n_metrics; m++)
		metrics += is_explored(sw, m);
	if (x && pg_explored_enter(x, sw, pairs_of(sw, l->opts) * metrics, metrics, err) != 0)
		return -1;
	return visit_sweep(l, sw, judge_pair, out, err);
}

static int keep_source(const struct pg_live *l, struct pg_compare *out, struct pg_err *err)
{
	out->explored = pg_explored_new(l->plan, err);
	if (!out->explored)
		return -1;
	out->explored->samples = l->samples;
	out->explored->seed = l->seed;
	if (l->opts)
		out->explored->opts = *l->opts;
	return 0;
}

int pg_compare_live(const struct pg_plan *p, const struct pg_samples *s, uint64_t seed,
		    const struct pg_compare_opts *opts, struct pg_compare *out, struct pg_err *err)
{
	double hypotheses = (double)family(p, opts);
	struct pg_live l = {
		.plan = p,
		.samples = s,
		.seed = seed,
		.opts = opts,
		.arena = &out->arena,
		.one_layout = out->one_layout,
		.patterns = pg_floor_patterns(hypotheses),
	};
	int result = pg_live_open(&l, err);

	out->plan[0] = p;
	if (result == 0 && !(opts && opts->judged_only))
		result = keep_source(&l, out, err);
	for (size_t i = 0; result == 0 && i < pg_plan_sweeps(p); i++)
		result = judge_sweep(out, &l, pg_plan_sweep(p, i), err);
	if (result == 0)
		result = pg_compare_judge(out, hypotheses, err);
	if (result == 0 && out->explored)
		result = pg_explored_judge(out->explored, err);
	pg_live_close(&l);
	return result;
}

/* ---- then each row, for whoever reads them ---- */

struct reader {
	const struct pg_compare *c;
	size_t next; /* of c->row */
	size_t at;   /* row of exploration, of the sweep */
	int (*row)(void *ctx, const struct pg_compare_row *r, struct pg_err *err);
	void *ctx;
};

static int tell_explored(struct reader *k, struct pg_live *l, const struct pg_sweep *sw, size_t metric,
			 struct pg_err *err)
{
	struct pg_compare_row row;
	struct pg_arena texts;
	int result;

	pg_arena_init(&texts, true);
	l->arena = &texts;
	pg_compare_row_init(&row);
	result = pg_live_row(l, sw, metric, &row, err);
	if (result == 0) {
		pg_explored_finish(k->c->explored, sw, k->at++, &row);
		result = k->row(k->ctx, &row, err);
	}
	pg_arena_release(&texts);
	return result;
}

static int tell_pair(void *ctx, struct pg_live *l, const struct pg_sweep *sw, struct pg_err *err)
{
	struct reader *k = ctx;
	int result = 0;

	for (size_t m = 0; result == 0 && m < sw->n_metrics; m++) {
		if (is_explored(sw, m))
			result = tell_explored(k, l, sw, m, err);
		else if (m == sw->stop_metric && pg_compare_shows(sw, m))
			result = k->row(k->ctx, &k->c->row[k->next++], err);
	}
	return result;
}

static int tell_rows(struct reader *k, const struct pg_sweep *sw, struct pg_err *err)
{
	int result = 0;

	for (size_t i = 0; result == 0 && i < k->c->n; i++)
		if (!sw || k->c->row[i].sweep == sw)
			result = k->row(k->ctx, &k->c->row[i], err);
	return result;
}

int pg_compare_each(const struct pg_compare *c, const struct pg_sweep *sw,
		    int (*row)(void *ctx, const struct pg_compare_row *r, struct pg_err *err), void *ctx,
		    struct pg_err *err)
{
	struct reader k = {.c = c, .row = row, .ctx = ctx};
	const struct pg_explored *x = c->explored;
	struct pg_live l;
	int result;

	if (!x)
		return tell_rows(&k, sw, err);
	l = (struct pg_live){
		.plan = x->plan,
		.samples = x->samples,
		.seed = x->seed,
		.opts = &x->opts,
		.one_layout = c->one_layout,
	};
	result = pg_live_open(&l, err);
	for (size_t i = 0; result == 0 && i < pg_plan_sweeps(x->plan); i++) {
		const struct pg_sweep *now = pg_plan_sweep(x->plan, i);

		k.at = 0;
		if (!sw || now == sw)
			result = visit_sweep(&l, now, tell_pair, &k, err);
		while (sw && now != sw && k.next < c->n && c->row[k.next].sweep == now)
			k.next++;
	}
	pg_live_close(&l);
	return result;
}

int pg_store_compare(const struct pg_store *s, const struct pg_compare_opts *opts, struct pg_compare *out,
		     struct pg_err *err)
{
	out->one_layout = pg_env_one_layout(s->dirfd);
	return pg_compare_live(s->plan, s->samples, s->info.seed, opts, out, err);
}
