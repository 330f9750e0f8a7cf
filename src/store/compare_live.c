/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two arms of a cell, one metric: over the rounds in which both have a value. */
#include "store/compare_live.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"
#include "store/compare_rows.h"
#include "store/samples.h"
#include "store/store_inside.h"

/* Rounds ascend in time. */
static void find_pairs(struct pg_live *l)
{
	size_t i = 0, k = 0, sweep = l->new.cell->sweep;

	l->n_pairs = 0;
	while (i < l->base.fold.n && k < l->new.fold.n) {
		uint32_t a = pg_samples_round(l->samples, sweep, l->base.fold.reps[i]);
		uint32_t b = pg_samples_round(l->samples, sweep, l->new.fold.reps[k]);

		if (a == b) {
			l->pair_base[l->n_pairs] = l->base.fold.reps[i];
			l->pair_new[l->n_pairs++] = l->new.fold.reps[k];
		}
		i += a <= b;
		k += b <= a;
	}
}

static unsigned cell_flags(const struct pg_live *l)
{
	unsigned flags = pg_compare_cell_flags(l->base.cell, l->base.fold.acc) |
			 pg_compare_cell_flags(l->new.cell, l->new.fold.acc) |
			 (l->one_layout ? (unsigned)PG_CF_ONE_LAYOUT : 0);

	if (pg_cell_auto(l->base.cell) && pg_cell_auto(l->new.cell) && l->base.fold.acc->ops != l->new.fold.acc->ops)
		flags |= PG_CF_LOOPS_DIFFER;
	return flags;
}

/* The values of a metric in the paired rounds, as costs, with the floors where each round has both. */
static void fill(struct pg_live *l, struct pg_compare_row *row, bool *zero, bool *floors)
{
	size_t sweep = l->new.cell->sweep, n = 0;
	bool higher = row->sweep->metrics[row->metric].better == PG_HIGHER;

	*zero = false;
	*floors = l->n_pairs > 0;
	for (size_t i = 0; i < l->n_pairs; i++) {
		double a, b;

		if (!pg_samples_value(l->samples, sweep, row->metric, l->pair_base[i], &a) ||
		    !pg_samples_value(l->samples, sweep, row->metric, l->pair_new[i], &b))
			continue;
		l->a[n] = pg_cost(a, higher);
		l->b[n] = pg_cost(b, higher);
		*zero |= isnan(l->a[n]) || isnan(l->b[n]);
		*floors = *floors && pg_samples_floor(l->samples, sweep, row->metric, l->pair_base[i], &l->fa[n]) &&
			  pg_samples_floor(l->samples, sweep, row->metric, l->pair_new[i], &l->fb[n]) && l->fa[n] > 0 &&
			  l->fb[n] > 0;
		n++;
	}
	row->c.n = n;
	row->n_dropped = (uint32_t)(l->base.fold.n + l->new.fold.n - 2 * l->n_pairs + (l->n_pairs - n));
}

static enum pg_unclear barred(const struct pg_compare_row *row, bool zero)
{
	if (zero)
		return PG_UC_ZERO;
	if (row->flags & (PG_CF_GROUPED | PG_CF_LOOPS_DIFFER))
		return PG_UC_FLAG;
	return row->flags & PG_CF_ONE_LAYOUT ? PG_UC_LAYOUT : PG_UC_NONE;
}

static uint64_t pair_seed(const struct pg_live *l, const struct pg_compare_row *row)
{
	return pg_pair_seed(l->seed, l->new.cell->id, l->new.cell->variant, row->sweep->metrics[row->metric].name);
}

static void compare_values(struct pg_live *l, struct pg_compare_row *row, const struct pg_compare_rules *rules)
{
	const struct pg_metric *m = &row->sweep->metrics[row->metric];
	bool judged = row->standing == PG_CMP_JUDGED, zero, floors;
	/* The random patterns of the other lens cost more than all else, and exploration has many metrics. */
	enum pg_lens lens = judged ? rules->lens : PG_LENS_TYPICAL;
	struct pg_summary s;

	pg_fold_metric(&l->base.fold, row->metric, &s);
	row->base = s.median;
	row->base_sd_pct = s.sd_pct;
	pg_fold_metric(&l->new.fold, row->metric, &s);
	row->new = s.median;
	row->new_sd_pct = s.sd_pct;
	fill(l, row, &zero, &floors);
	row->c.barred = barred(row, zero);
	if (row->c.n == 0 && !judged) {
		row->standing = PG_CMP_LEFT_OUT;
		row->reason = "no round with a value on both sides";
		return;
	}
	row->c.failed = row->c.n == 0;
	if (row->c.failed)
		row->reason = "no round with a value on both sides";
	if (row->c.failed || zero)
		return;
	if (pg_compare_two_modes(m, l->a, row->c.n, l->scratch) || pg_compare_two_modes(m, l->b, row->c.n, l->scratch))
		row->flags |= PG_CF_BIMODAL;
	pg_pair_effects(l->a, l->b, floors ? l->fa : NULL, floors ? l->fb : NULL, row->c.n, lens, PG_CONF_COMPARE,
			l->patterns, pair_seed(l, row), l->scratch, row->c.lens);
}

static bool is_good(const struct pg_arm *a)
{
	return a->status == PG_ST_OK || a->status == PG_ST_UNSTABLE;
}

static bool is_broken(const struct pg_arm *a)
{
	return a->status == PG_ST_FAILED || a->status == PG_ST_TIMEOUT;
}

/* "LABEL: why" */
static int keep_reason(struct pg_live *l, struct pg_compare_row *row, struct pg_arm *a, struct pg_err *err)
{
	char buf[256];
	const char *why = pg_fold_reason(&a->fold, a->cell, a->status, buf, sizeof(buf));

	row->reason =
		pg_arena_printf(l->arena, "%s: %s", a->cell->variant_label, *why ? why : pg_status_name(a->status));
	return row->reason ? 0 : pg_fail_nomem(err);
}

static bool is_unreached(const struct pg_arm *a)
{
	return a->status == PG_ST_NOT_RUN && a->cell->skip == PG_NOT_SKIPPED;
}

/* Of two arms, not both of them good and none broken. One that cannot run here while the other can is missing. */
static enum pg_standing standing_of(const struct pg_arm *a, const struct pg_arm *b)
{
	const struct pg_arm *lacking = is_good(a) ? b : a;

	if (is_unreached(a) || is_unreached(b))
		return PG_CMP_UNREACHED;
	if ((is_good(a) || is_good(b)) && lacking->cell->skip == PG_SKIP_PREFLIGHT)
		return PG_CMP_MISSING;
	return PG_CMP_LEFT_OUT;
}

/* There is nothing to compare: what went wrong stands before what was not reached, and that before what was left out.
 */
static int no_pair(struct pg_live *l, struct pg_compare_row *row, struct pg_err *err)
{
	row->c.failed = is_broken(&l->base) || is_broken(&l->new);
	if (!row->c.failed)
		row->standing = standing_of(&l->base, &l->new);
	if (is_broken(&l->base) || (!row->c.failed && !is_good(&l->base)))
		return keep_reason(l, row, &l->base, err);
	return keep_reason(l, row, &l->new, err);
}

static bool ended_by_time(const struct pg_arm *a, const struct pg_sweep *sw)
{
	const struct pg_compare_rules *rules = &sw->rules.compare;

	return a->fold.acc->stop == PG_STOP_TIME && rules->n_looks > 0 && a->fold.n < rules->looks[rules->n_looks - 1];
}

/* One metric of the two arms at hand. */
int pg_live_row(struct pg_live *l, const struct pg_sweep *sw, size_t metric, struct pg_compare_row *row,
		struct pg_err *err)
{
	struct pg_compare_rules rules;

	pg_compare_rules(sw, metric, l->opts, &rules);
	row->plan = l->plan;
	row->sweep = sw;
	row->cell = l->new.cell->index;
	row->metric = metric;
	row->ops = l->new.fold.acc->ops;
	row->standing = metric == sw->stop_metric ? PG_CMP_JUDGED : PG_CMP_EXPLORED;
	row->flags = cell_flags(l);
	row->cut_short = ended_by_time(&l->base, sw) || ended_by_time(&l->new, sw);
	row->c.design = PG_PAIRED;
	row->c.threshold = rules.threshold;
	row->c.alpha = rules.alpha;
	row->c.correction = row->standing == PG_CMP_JUDGED ? rules.correction : PG_CORRECT_BH;
	if (!is_good(&l->base) || !is_good(&l->new))
		return no_pair(l, row, err);
	compare_values(l, row, &rules);
	return 0;
}

static void enter(struct pg_live *l, struct pg_arm *a, const struct pg_sweep *sw, size_t cell)
{
	a->cell = pg_plan_cell(l->plan, cell, a->buf);
	pg_fold_enter(&a->fold, sw, cell);
	a->status = pg_acc_status(a->fold.acc, a->cell);
}

void pg_live_enter(struct pg_live *l, const struct pg_sweep *sw, size_t base, size_t new)
{
	enter(l, &l->base, sw, base);
	enter(l, &l->new, sw, new);
	find_pairs(l);
}

double pg_live_p(struct pg_live *l, const struct pg_sweep *sw, size_t metric)
{
	struct pg_compare_row row = {.sweep = sw, .metric = metric};
	struct pg_effect e[PG_LENSES];
	bool zero, floors;

	if (!is_good(&l->base) || !is_good(&l->new))
		return PG_NAN;
	fill(l, &row, &zero, &floors);
	if (zero)
		return PG_NAN;
	pg_pair_effects(l->a, l->b, NULL, NULL, row.c.n, PG_LENS_TYPICAL, 0, l->patterns, 0, l->scratch, e);
	return e[PG_TYPICAL].p;
}

int pg_live_open(struct pg_live *l, struct pg_err *err)
{
	size_t cap = pg_samples_deepest(l->samples) + 1;

	if (pg_fold_init(&l->base.fold, l->samples, err) != 0 || pg_fold_init(&l->new.fold, l->samples, err) != 0)
		return -1;
	l->base.buf = pg_cell_buf_new(l->plan);
	l->new.buf = pg_cell_buf_new(l->plan);
	l->pair_base = malloc(cap * sizeof(*l->pair_base));
	l->pair_new = malloc(cap * sizeof(*l->pair_new));
	l->a = malloc(4 * cap * sizeof(*l->a));
	/* The split for the two modes needs one double a round. */
	l->scratch = malloc((pg_pair_scratch(cap) + cap) * sizeof(*l->scratch));
	if (!l->base.buf || !l->new.buf || !l->pair_base || !l->pair_new || !l->a || !l->scratch)
		return pg_fail_nomem(err);
	l->b = l->a + cap;
	l->fa = l->b + cap;
	l->fb = l->fa + cap;
	return 0;
}

void pg_live_close(struct pg_live *l)
{
	pg_fold_release(&l->base.fold);
	pg_fold_release(&l->new.fold);
	pg_cell_buf_free(l->base.buf);
	pg_cell_buf_free(l->new.buf);
	free(l->pair_base);
	free(l->pair_new);
	free(l->a);
	free(l->scratch);
}
