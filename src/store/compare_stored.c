/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparing stored runs: docs/statistics.md 9. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "store/compare_history.h"
#include "store/compare_rows.h"
#include "store/compare_unpaired.h"
#include "store/fold.h"
#include "store/samples.h"
#include "store/side.h"
#include "store/store_inside.h"

/* One side of the cell at hand. */
struct half {
	const struct pg_side *side;
	struct pg_cell_buf **buf; /* per run */
	struct pg_units u;
	bool there, left_out; /* some run has the cell; and has not measured it, on purpose */
	bool unreached;	      /* some run ended before it */
	const char *failed;   /* why it went wrong, where no run has it */
	unsigned flags;
	uint64_t ops; /* loops; 0 = not known */
	bool loops_differ;
	int64_t sample_time_ns;
};

struct stored {
	struct half base, new;
	const struct pg_stored_opts *o;
	struct pg_compare *out;
	struct pg_past past;
	const char *env; /* what differs between the machines; NULL = nothing */
	struct pg_unpaired tests;
	/* The cell at hand. */
	const struct pg_cell *cell;
	const char *label; /* of the arm that the other runs must have; NULL = none, or theirs is named */
	bool is_auto;
};

static const struct pg_metric *metric_of(const struct pg_side_run *r, size_t cell, const char *name, size_t *row)
{
	return pg_metric_find(pg_plan_sweep(r->plan, pg_sweep_of(r->plan, cell))->metrics, name, row);
}

/* ---- the machines ---- */

static void name_traits(const struct pg_fingerprint *a, const struct pg_fingerprint *b, unsigned bits,
			struct pg_str *out)
{
	if (bits && (a->unknown || b->unknown)) {
		pg_str_adds(out, out->len ? ", and a machine that is not known" : "env: a machine is not known");
		return;
	}
	for (unsigned i = 0; i < PG_TRAITS; i++) {
		if (!(bits & 1u << i))
			continue;
		pg_str_addf(out, "%s%s %s / %s", out->len ? ", " : "env: ", pg_trait_names[i],
			    a->trait[i] ? a->trait[i] : "n/a", b->trait[i] ? b->trait[i] : "n/a");
	}
}

/* Every run against the first of the base: what differs inside a side counts as well. */
static int look_at_machines(struct stored *s, struct pg_err *err)
{
	const struct pg_side *side[] = {s->base.side, s->new.side};
	const struct pg_fingerprint *first = &side[0]->run[0].machine;
	struct pg_str text;
	unsigned named = s->o->differs;

	pg_str_init(&text);
	for (size_t k = 0; k < 2; k++)
		for (size_t i = 0; i < side[k]->n; i++) {
			unsigned bits = pg_fingerprint_differ(first, &side[k]->run[i].machine) & ~named;

			name_traits(first, &side[k]->run[i].machine, bits, &text);
			named |= bits;
		}
	s->env = text.len ? pg_arena_strdup(&s->out->arena, pg_str_text(&text)) : NULL;
	if (text.failed || (text.len && !s->env)) {
		pg_str_release(&text);
		return pg_fail_nomem(err);
	}
	pg_str_release(&text);
	return 0;
}

/* ---- one side of one cell ---- */

static void hold_flags(struct half *h, const struct pg_cell *c, const struct pg_cell_acc *a)
{
	h->flags |= pg_compare_cell_flags(c, a);
	if (pg_cell_auto(c)) {
		h->loops_differ |= h->ops && a->ops != h->ops;
		h->ops = a->ops;
	}
	h->sample_time_ns = c->rules->sample_time_ns;
}

static int hold_run(struct stored *s, struct half *h, size_t run, const char *metric, struct pg_err *err)
{
	const struct pg_side_run *r = &h->side->run[run];
	size_t index = pg_side_cell(r, s->cell->id, s->label), row, from = h->u.n_cost;
	const struct pg_metric *m;
	const struct pg_cell *c;
	const struct pg_cell_acc *a;
	enum pg_status status;

	m = index == SIZE_MAX ? NULL : metric_of(r, index, metric, &row);
	if (!m)
		return 0;
	h->there = true;
	c = pg_plan_cell(r->plan, index, h->buf[run]);
	a = pg_samples_acc(r->store->samples, index);
	status = pg_acc_status(a, c);
	if (status == PG_ST_OK || status == PG_ST_UNSTABLE) {
		hold_flags(h, c, a);
		if (pg_units_add(&h->u, r, index, row, err) != 0)
			return -1;
		/* Of each run by itself, as its cells.csv has it: two runs that lie apart are no two modes. */
		if (!h->u.zero && pg_compare_two_modes(m, h->u.cost + from, h->u.n_cost - from, h->u.scratch))
			h->flags |= PG_CF_BIMODAL;
		return 0;
	}
	if (status == PG_ST_FAILED || status == PG_ST_TIMEOUT)
		h->failed = a->why ? a->why : pg_status_name(status);
	else if (status == PG_ST_NOT_RUN && c->skip == PG_NOT_SKIPPED)
		h->unreached = true;
	else
		h->left_out = true;
	return 0;
}

static int hold(struct stored *s, struct half *h, const char *metric, struct pg_err *err)
{
	h->there = h->left_out = h->unreached = h->loops_differ = h->u.floors = h->u.zero = false;
	h->failed = NULL;
	h->flags = 0;
	h->ops = 0;
	h->u.n = h->u.n_cost = 0;
	for (size_t i = 0; i < h->side->n; i++)
		if (hold_run(s, h, i, metric, err) != 0)
			return -1;
	return 0;
}

/* ---- the test ---- */

static double mean_of(const double *x, size_t n)
{
	return n ? pg_mean(x, n) : PG_NAN;
}

/* As live comparisons do it exploration has the typical lens alone: the patterns of the other one cost most. */
static int by_samples(struct stored *s, struct pg_compare_row *row, enum pg_lens lens, struct pg_err *err)
{
	const char *metric = row->sweep->metrics[row->metric].name;

	return pg_unpaired_samples(&s->tests, &s->base.u, &s->new.u,
				   row->standing == PG_CMP_JUDGED ? lens : PG_LENS_TYPICAL,
				   pg_pair_seed(0, s->cell->id, 0, metric), row, err);
}

/* Section 9, 2 to 4: the first that there is enough for. */
static int test(struct stored *s, struct pg_compare_row *row, enum pg_lens lens, struct pg_err *err)
{
	const struct pg_units *base = &s->base.u, *new = &s->new.u;
	bool enough = base->n >= PG_SESSIONS_LEAST && new->n >= PG_SESSIONS_LEAST, past;
	const struct pg_history_cell like = {.cell = s->cell->id,
					     .metric = row->sweep->metrics[row->metric].name,
					     .sample_time_ns = s->is_auto ? s->new.sample_time_ns : 0};

	if (!enough)
		pg_past_find(&s->past, &s->base.side->run[0].machine, s->o->differs, &like);
	past = !enough && pg_past_enough(&s->past);
	row->c.design = past ? PG_PAST : PG_UNPAIRED;
	if (row->c.barred == PG_UC_NONE && !enough && !past && s->o->trust_stored)
		return by_samples(s, row, lens, err);
	if (row->c.barred == PG_UC_NONE && !enough && !past) {
		row->c.barred = PG_UC_SESSION;
		if (pg_past_why(&s->past, &s->out->arena, &row->reason, err) != 0)
			return -1;
	}
	for (unsigned l = 0; l < PG_LENSES; l++) {
		double ratio =
			mean_of(pg_unpaired_of(new, base, l), new->n) - mean_of(pg_unpaired_of(base, new, l), base->n);

		if (lens != PG_LENS_BOTH && lens != (l == PG_TYPICAL ? PG_LENS_TYPICAL : PG_LENS_FLOOR))
			continue;
		row->c.lens[l].estimate = ratio;
		if (row->c.barred)
			continue; /* the difference is shown, no more */
		if (past)
			row->c.lens[l] = pg_past_compare(&s->past, l, ratio, base, new);
		else if (pg_unpaired_sessions(&s->tests, base, new, l, row, err) != 0)
			return -1;
	}
	return 0;
}

static void describe(const struct pg_units *u, bool higher, double *median, double *sd_pct)
{
	double *x = u->scratch;

	for (size_t i = 0; i < u->n_cost; i++)
		x[i] = higher ? 1 / u->cost[i] : u->cost[i];
	*median = *sd_pct = PG_NAN;
	if (u->n_cost == 0 || u->zero)
		return;
	*sd_pct = 100 * pg_sd(x, u->n_cost) / pg_mean(x, u->n_cost);
	pg_sort(x, u->n_cost);
	*median = pg_median(x, u->n_cost);
}

static enum pg_unclear barred(const struct stored *s, struct pg_compare_row *row)
{
	const struct half *a = &s->base, *b = &s->new;
	bool loops = a->loops_differ || b->loops_differ || a->ops != b->ops;

	row->flags |= a->flags | b->flags | (s->out->one_layout ? (unsigned)PG_CF_ONE_LAYOUT : 0);
	if (s->is_auto && loops && !(s->o->differs & 1u << PG_T_LOOPS))
		row->flags |= PG_CF_LOOPS_DIFFER;
	if (a->u.zero || b->u.zero)
		return PG_UC_ZERO;
	row->reason = s->env;
	if (s->is_auto && !s->env && a->sample_time_ns != b->sample_time_ns &&
	    !(s->o->differs & 1u << PG_T_SAMPLE_TIME))
		row->reason = "env: sample_time";
	if (row->reason)
		return PG_UC_ENV;
	if (row->flags & (PG_CF_GROUPED | PG_CF_LOOPS_DIFFER))
		return PG_UC_FLAG;
	return row->flags & PG_CF_ONE_LAYOUT ? PG_UC_LAYOUT : PG_UC_NONE;
}

/* A side has no value: which one, and why. */
static int no_pair(struct stored *s, struct pg_compare_row *row, struct pg_err *err)
{
	/* What went wrong stands before what is not there. */
	bool base = s->base.u.n == 0 && (s->base.failed || s->new.u.n || !s->new.failed);
	const struct half *h = base ? &s->base : &s->new;
	const char *what = h->failed	  ? h->failed
			   : h->unreached ? "not reached"
			   : h->left_out  ? "not measured"
			   : h->there	  ? "no value"
					  : "no such cell";

	if (!s->base.failed && !s->new.failed && !s->base.u.n && !s->new.u.n)
		row->standing = s->base.unreached || s->new.unreached ? PG_CMP_UNREACHED : PG_CMP_LEFT_OUT;
	else if (!h->failed)
		row->standing = PG_CMP_MISSING;
	row->c.failed = true;
	row->reason = pg_arena_printf(&s->out->arena, "%s: %s", h->side->name, what);
	return row->reason ? 0 : pg_fail_nomem(err);
}

/* `from`: the run and the cell in it that the row shows. */
static int compare_metric(struct stored *s, const struct pg_side_run *from, size_t metric, struct pg_err *err)
{
	const struct pg_sweep *sw = pg_plan_sweep(from->plan, s->cell->sweep);
	struct pg_compare_row *row = pg_compare_add(s->out, err);
	const struct pg_metric *m = &sw->metrics[metric];
	struct pg_compare_rules rules;

	if (!row)
		return -1;
	pg_compare_rules(sw, metric, &s->o->rules, &rules);
	row->plan = from->plan;
	row->sweep = sw;
	row->cell = s->cell->index;
	row->metric = metric;
	row->standing = metric == sw->stop_metric ? PG_CMP_JUDGED : PG_CMP_EXPLORED;
	row->c.threshold = rules.threshold;
	row->c.alpha = PG_ALPHA;
	row->c.correction = row->standing == PG_CMP_JUDGED ? rules.correction : PG_CORRECT_BH;
	if (hold(s, &s->base, m->name, err) != 0 || hold(s, &s->new, m->name, err) != 0)
		return -1;
	row->ops = s->new.ops;
	row->c.n = s->base.u.n;
	row->c.m = s->new.u.n;
	row->c.design = PG_UNPAIRED;
	describe(&s->base.u, m->better == PG_HIGHER, &row->base, &row->base_sd_pct);
	describe(&s->new.u, m->better == PG_HIGHER, &row->new, &row->new_sd_pct);
	if (!s->base.u.n || !s->new.u.n)
		return no_pair(s, row, err);
	row->c.barred = barred(s, row);
	return row->c.barred == PG_UC_ZERO ? 0 : test(s, row, rules.lens, err);
}

/* A number in seconds and one in bytes are not compared. */
static int check_units(const struct stored *s, const struct pg_side_run *from, size_t metric, struct pg_err *err)
{
	const struct pg_sweep *sw = pg_plan_sweep(from->plan, s->cell->sweep);
	const struct pg_metric *m = &sw->metrics[metric], *other;

	for (size_t i = 0; i < s->base.side->n; i++) {
		size_t index = pg_side_cell(&s->base.side->run[i], s->cell->id, s->label), row;

		other = index == SIZE_MAX ? NULL : metric_of(&s->base.side->run[i], index, m->name, &row);
		if (other && (other->unit != m->unit || other->better != m->better))
			return pg_fail(err, PG_EUSAGE,
				       "metric '%s' of sweep '%s' has another unit or direction in '%s' than in '%s'; "
				       "compare runs that declare it alike",
				       m->name, sw->name, s->base.side->run[i].dir, from->dir);
	}
	return 0;
}

static const char *label_of(const struct pg_side_run *from, const struct pg_cell *c)
{
	return from->arm ? NULL : c->variant_label;
}

static int compare_cell(struct stored *s, const struct pg_side_run *from, const struct pg_cell *c, struct pg_err *err)
{
	const struct pg_sweep *sw = pg_plan_sweep(from->plan, c->sweep);

	s->cell = c;
	s->label = label_of(from, c);
	s->is_auto = pg_cell_auto(c);
	for (size_t m = 0; m < sw->n_metrics; m++) {
		if (check_units(s, from, m, err) != 0)
			return -1;
		if (!pg_compare_shows(sw, m) || (m != sw->stop_metric && s->o->rules.judged_only))
			continue;
		if (compare_metric(s, from, m, err) != 0)
			return -1;
	}
	return 0;
}

/* Is the cell one that the run stands for? Of a run with a named arm only that arm. */
static bool is_of(const struct pg_side_run *r, const struct pg_cell *c)
{
	return !r->arm || !c->variant_label || strcmp(r->arm, c->variant_label) == 0;
}

static bool others_have(const struct pg_side *side, const struct pg_side_run *from, const struct pg_cell *c)
{
	for (size_t i = 0; i < side->n; i++)
		if (pg_side_cell(&side->run[i], c->id, label_of(from, c)) != SIZE_MAX)
			return true;
	return false;
}

/* Cells of the new side in their order; then, with only_base, those that only the base has. */
static int compare_plan(struct stored *s, const struct pg_side_run *from, bool only_base, struct pg_err *err)
{
	struct pg_cell_buf *buf = pg_cell_buf_new(from->plan);
	int result = buf ? 0 : pg_fail_nomem(err);

	for (size_t i = 0; result == 0 && i < pg_plan_cells(from->plan); i++) {
		const struct pg_cell *c = pg_plan_cell(from->plan, i, buf);

		if (is_of(from, c) && !(only_base && others_have(s->new.side, from, c)))
			result = compare_cell(s, from, c, err);
	}
	pg_cell_buf_free(buf);
	return result;
}

static int open_half(struct half *h, struct pg_err *err)
{
	h->buf = calloc(h->side->n, sizeof(struct pg_cell_buf *));
	for (size_t i = 0; h->buf && i < h->side->n; i++) {
		h->buf[i] = pg_cell_buf_new(h->side->run[i].plan);
		if (!h->buf[i])
			return pg_fail_nomem(err);
	}
	return h->buf ? 0 : pg_fail_nomem(err);
}

static void close_half(struct half *h)
{
	for (size_t i = 0; h->buf && i < h->side->n; i++)
		pg_cell_buf_free(h->buf[i]);
	free(h->buf);
	pg_units_release(&h->u);
}

/* Hypotheses that may be judged together: the measured metric of each cell that the new side is to have. */
static double planned(const struct stored *s)
{
	const struct pg_side_run *r = &s->new.side->run[0];
	double n = 0;

	for (size_t i = 0; i < pg_plan_sweeps(r->plan); i++) {
		const struct pg_sweep *sw = pg_plan_sweep(r->plan, i);
		struct pg_compare_rules rules;

		if (!pg_compare_shows(sw, sw->stop_metric))
			continue;
		pg_compare_rules(sw, sw->stop_metric, &s->o->rules, &rules);
		n += (double)pg_compare_lenses(rules.lens) *
		     (double)(r->arm && sw->n_variants > 1 ? sw->n_cells / sw->n_variants : sw->n_cells);
	}
	return n;
}

static int open_stored(struct stored *s, struct pg_err *err)
{
	if (open_half(&s->base, err) != 0 || open_half(&s->new, err) != 0)
		return -1;
	s->tests.patterns = pg_floor_patterns(planned(s));
	if (pg_past_open(&s->past, s->o->history, err) != 0)
		return -1;
	return look_at_machines(s, err);
}

static void close_stored(struct stored *s)
{
	close_half(&s->base);
	close_half(&s->new);
	pg_past_release(&s->past);
	pg_unpaired_release(&s->tests);
}

/* What the machine did by itself is a warning to all of it and changes no verdict. */
static int look_at_canaries(struct stored *s, struct pg_err *err)
{
	struct pg_compare *c = s->out;

	if (pg_env_shift(s->base.side, s->new.side, &c->shift, err) != 0)
		return -1;
	for (size_t i = 0; c->shift.on && i < c->n; i++)
		c->row[i].flags |= PG_CF_ENV_SHIFT;
	return 0;
}

int pg_compare_stored(const struct pg_side *base, const struct pg_side *new, const struct pg_stored_opts *opts,
		      struct pg_compare *out, struct pg_err *err)
{
	struct stored s = {.base = {.side = base}, .new = {.side = new}, .o = opts, .out = out};
	int result = open_stored(&s, err);

	out->plan[0] = new->run[0].plan;
	out->plan[1] = base->run[0].plan;
	for (size_t i = 0; i < base->n + new->n; i++)
		out->one_layout |=
			pg_env_one_layout((i < base->n ? &base->run[i] : &new->run[i - base->n])->store->dirfd);
	if (result == 0)
		result = compare_plan(&s, &new->run[0], false, err);
	if (result == 0)
		result = compare_plan(&s, &base->run[0], true, err);
	if (result == 0)
		result = look_at_canaries(&s, err);
	if (result == 0)
		result = pg_compare_judge(out, 0, err);
	close_stored(&s);
	return result;
}
