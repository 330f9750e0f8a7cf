/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Live comparisons: the arms of a cell over the rounds in which both have a value. What the rounds looked at is judged
 * together over the whole run; the other metrics are exploration.
 */
#include "store/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "store/fold.h"
#include "store/samples.h"
#include "store/store_inside.h"

struct arm {
	struct pg_fold fold;
	struct pg_cell_buf *buf;
	const struct pg_cell *cell;
	enum pg_status status;
};

struct live {
	const struct pg_plan *plan;
	const struct pg_samples *samples;
	uint64_t seed;
	const struct pg_compare_opts *opts;
	struct pg_compare *out;
	unsigned patterns;
	struct arm base, new;		/* the two cells at hand */
	uint32_t *pair_base, *pair_new; /* reps of the same rounds */
	size_t n_pairs;
	double *a, *b, *fa, *fb, *scratch;
};

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

/* ---- one cell ---- */

/* Rounds ascend in time. */
static void find_pairs(struct live *l)
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

static unsigned arm_flags(const struct arm *a)
{
	const struct pg_cell *c = a->cell;

	return (c->rules->order == PG_GROUPED ? (unsigned)PG_CF_GROUPED : 0) |
	       (pg_cell_forks(c) ? (unsigned)PG_CF_ONE_LAYOUT : 0) |
	       (a->fold.acc->two_boots ? (unsigned)PG_CF_TWO_BOOTS : 0);
}

static unsigned cell_flags(const struct live *l)
{
	unsigned flags =
		arm_flags(&l->base) | arm_flags(&l->new) | (l->out->one_layout ? (unsigned)PG_CF_ONE_LAYOUT : 0);

	if (pg_cell_auto(l->base.cell) && pg_cell_auto(l->new.cell) && l->base.fold.acc->ops != l->new.fold.acc->ops)
		flags |= PG_CF_LOOPS_DIFFER;
	return flags;
}

/* The values of a metric in the paired rounds, as costs, with the floors where each round has both. */
static void fill(struct live *l, struct pg_compare_row *row, bool *zero, bool *floors)
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

static bool two_modes(const struct live *l, const double *costs, size_t n)
{
	struct pg_split split;

	if (n < 10)
		return false;
	for (size_t i = 0; i < n; i++)
		l->scratch[i] = log(costs[i]);
	pg_sort(l->scratch, n);
	split = pg_split(l->scratch, n);
	return pg_bimodal(&split, n);
}

static enum pg_unclear barred(const struct pg_compare_row *row, bool zero)
{
	if (zero)
		return PG_UC_ZERO;
	if (row->flags & (PG_CF_GROUPED | PG_CF_LOOPS_DIFFER))
		return PG_UC_FLAG;
	return row->flags & PG_CF_ONE_LAYOUT ? PG_UC_LAYOUT : PG_UC_NONE;
}

static void compare_values(struct live *l, struct pg_compare_row *row, const struct pg_compare_rules *rules)
{
	uint64_t seed =
		pg_pair_seed(l->seed, l->new.cell->id, l->new.cell->variant, row->sweep->metrics[row->metric].name);
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
	if (two_modes(l, l->a, row->c.n) || two_modes(l, l->b, row->c.n))
		row->flags |= PG_CF_BIMODAL;
	pg_pair_effects(l->a, l->b, floors ? l->fa : NULL, floors ? l->fb : NULL, row->c.n, lens, PG_CONF_COMPARE,
			l->patterns, seed, l->scratch, row->c.lens);
}

static bool is_good(const struct arm *a)
{
	return a->status == PG_ST_OK || a->status == PG_ST_UNSTABLE;
}

static bool is_broken(const struct arm *a)
{
	return a->status == PG_ST_FAILED || a->status == PG_ST_TIMEOUT;
}

/* "LABEL: why" */
static int keep_reason(struct live *l, struct pg_compare_row *row, struct arm *a, struct pg_err *err)
{
	char buf[256];
	const char *why = pg_fold_reason(&a->fold, a->cell, a->status, buf, sizeof(buf));

	row->reason = pg_arena_printf(&l->out->arena, "%s: %s", a->cell->variant_label,
				      *why ? why : pg_status_name(a->status));
	return row->reason ? 0 : pg_fail_nomem(err);
}

static bool is_unreached(const struct arm *a)
{
	return a->status == PG_ST_NOT_RUN && a->cell->skip == PG_NOT_SKIPPED;
}

/* Of two arms, not both of them good and none broken. One that cannot run here while the other can is missing. */
static enum pg_standing standing_of(const struct arm *a, const struct arm *b)
{
	const struct arm *lacking = is_good(a) ? b : a;

	if (is_unreached(a) || is_unreached(b))
		return PG_CMP_UNREACHED;
	if ((is_good(a) || is_good(b)) && lacking->cell->skip == PG_SKIP_PREFLIGHT)
		return PG_CMP_MISSING;
	return PG_CMP_LEFT_OUT;
}

/* There is nothing to compare: what went wrong stands before what was not reached, and that before what was left out.
 */
static int no_pair(struct live *l, struct pg_compare_row *row, struct pg_err *err)
{
	row->c.failed = is_broken(&l->base) || is_broken(&l->new);
	if (!row->c.failed)
		row->standing = standing_of(&l->base, &l->new);
	if (is_broken(&l->base) || (!row->c.failed && !is_good(&l->base)))
		return keep_reason(l, row, &l->base, err);
	return keep_reason(l, row, &l->new, err);
}

static int add_row(struct live *l, const struct pg_sweep *sw, size_t metric, struct pg_err *err)
{
	struct pg_compare_row *row = pg_compare_add(l->out, err);
	struct pg_compare_rules rules;

	if (!row)
		return -1;
	pg_compare_rules(sw, metric, l->opts, &rules);
	row->plan = l->plan;
	row->sweep = sw;
	row->cell = l->new.cell->index;
	row->metric = metric;
	row->ops = l->new.fold.acc->ops;
	row->standing = metric == sw->stop_metric ? PG_CMP_JUDGED : PG_CMP_EXPLORED;
	row->flags = cell_flags(l);
	row->c.design = PG_PAIRED;
	row->c.threshold = rules.threshold;
	row->c.alpha = pg_pocock(rules.n_looks);
	row->c.correction = row->standing == PG_CMP_JUDGED ? rules.correction : PG_CORRECT_BH;
	if (!is_good(&l->base) || !is_good(&l->new))
		return no_pair(l, row, err);
	compare_values(l, row, &rules);
	return 0;
}

static void enter(struct live *l, struct arm *a, const struct pg_sweep *sw, size_t cell)
{
	a->cell = pg_plan_cell(l->plan, cell, a->buf);
	pg_fold_enter(&a->fold, sw, cell);
	a->status = pg_acc_status(a->fold.acc, a->cell);
}

static int compare_arm(struct live *l, const struct pg_sweep *sw, size_t base, size_t new, struct pg_err *err)
{
	enter(l, &l->base, sw, base);
	enter(l, &l->new, sw, new);
	find_pairs(l);
	for (size_t m = 0; m < sw->n_metrics; m++) {
		if (!pg_compare_shows(sw, m) || (m != sw->stop_metric && l->opts && l->opts->judged_only))
			continue;
		if (add_row(l, sw, m, err) != 0)
			return -1;
	}
	return 0;
}

static int compare_sweep(struct live *l, const struct pg_sweep *sw, struct pg_err *err)
{
	for (size_t k = 0; sw->n_variants > 1 && k < sw->n_cells; k++) {
		size_t arm = k % sw->n_variants, base = base_of(sw, arm, l->opts), cell = sw->first_cell + k;

		if (base != NO_ARM && compare_arm(l, sw, cell - arm + base, cell, err) != 0)
			return -1;
	}
	return 0;
}

static int open_live(struct live *l, struct pg_err *err)
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

static void close_live(struct live *l)
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

int pg_compare_live(const struct pg_plan *p, const struct pg_samples *s, uint64_t seed,
		    const struct pg_compare_opts *opts, struct pg_compare *out, struct pg_err *err)
{
	double hypotheses = (double)family(p, opts);
	struct live l = {
		.plan = p,
		.samples = s,
		.seed = seed,
		.opts = opts,
		.out = out,
		.patterns = pg_floor_patterns(hypotheses),
	};
	int result = open_live(&l, err);

	for (size_t i = 0; result == 0 && i < pg_plan_sweeps(p); i++)
		result = compare_sweep(&l, pg_plan_sweep(p, i), err);
	if (result == 0)
		result = pg_compare_judge(out, hypotheses, err);
	close_live(&l);
	return result;
}

int pg_store_compare(const struct pg_store *s, const struct pg_compare_opts *opts, struct pg_compare *out,
		     struct pg_err *err)
{
	out->one_layout = pg_env_one_layout(s->dirfd);
	return pg_compare_live(s->plan, s->samples, s->info.seed, opts, out, err);
}
