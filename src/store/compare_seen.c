/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the cells behind a comparison were seen to suffer from: their flags, those of both sides put together, and the
 * runs and reps of a side that say nothing of them.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "store/compare.h"
#include "store/flags.h"
#include "store/fold.h"
#include "store/side.h"
#include "store/store_inside.h"

/* Beside the guards. The others speak of one cell alone, of the whole run, or have a flag of the comparison. */
#define KEPT                                                                                                           \
	(PG_FLAG(PG_FLAG_SPIKY) | PG_FLAG(PG_FLAG_SHORT) | PG_FLAG(PG_FLAG_NOISY) |                                    \
	 ~(PG_FLAG(PG_FLAG_GUARDS) - UINT32_C(1)))

/* Looks at the cells of one run. */
struct looker {
	struct pg_results r;
	struct pg_flagger k;
	struct pg_fold fold;
	struct pg_cell_buf *buf;
};

static int open_looker(struct looker *l, const struct pg_results *r, struct pg_err *err)
{
	memset(l, 0, sizeof(*l));
	l->r = *r;
	l->buf = pg_cell_buf_new(r->plan);
	if (!l->buf)
		return pg_fail_nomem(err);
	if (pg_flagger_init(&l->k, &l->r, err) != 0)
		return -1;
	return pg_fold_init(&l->fold, r->samples, err);
}

static void close_looker(struct looker *l)
{
	pg_fold_release(&l->fold);
	pg_cell_buf_free(l->buf);
}

static void add(struct pg_flags *sum, const struct pg_flags *f)
{
	sum->on |= f->on & KEPT;
	for (unsigned i = 0; i < PG_GUARDS; i++)
		sum->share[i] = fmax(sum->share[i], f->share[i]);
}

/* A cell of the looker's plan, by the metric of that name. */
static void look(struct looker *l, size_t index, const char *metric, struct pg_flags *sum)
{
	const struct pg_sweep *sw = pg_plan_sweep(l->r.plan, pg_sweep_of(l->r.plan, index));
	const struct pg_cell *c = pg_plan_cell(l->r.plan, index, l->buf);
	enum pg_status status = pg_acc_status(pg_samples_acc(l->r.samples, index), c);
	struct pg_diagnosis d;
	struct pg_summary s;
	struct pg_flags f;
	size_t row;

	if ((status != PG_ST_OK && status != PG_ST_UNSTABLE) || !pg_metric_find(sw->metrics, metric, &row))
		return;
	pg_fold_enter(&l->fold, sw, index);
	pg_flags_cell(&l->k, &l->fold, c, &f);
	pg_fold_metric(&l->fold, row, &s);
	pg_flags_metric(&l->k, &l->fold, c, row, &s, &f, &d);
	add(sum, &f);
}

static int keep(struct pg_compare *c, struct pg_compare_row *row, const struct pg_flags *sum, struct pg_err *err)
{
	struct pg_str text;

	if (!sum->on)
		return 0;
	pg_str_init(&text);
	pg_flags_text(sum, &text);
	row->seen = text.failed ? NULL : pg_arena_strdup(&c->arena, pg_str_text(&text));
	pg_str_release(&text);
	return row->seen ? 0 : pg_fail_nomem(err);
}

/* ---- arms of a run ---- */

static size_t base_cell(struct looker *l, const struct pg_compare_row *row, const char *base_arm)
{
	const struct pg_axis *arms = &row->sweep->axes[row->sweep->n_axes - 1];
	size_t first = row->cell - pg_plan_cell(l->r.plan, row->cell, l->buf)->variant;

	for (size_t v = 0; base_arm && v < arms->n; v++)
		if (strcmp(arms->labels[v], base_arm) == 0)
			return first + v;
	return first;
}

int pg_compare_see_live(struct pg_compare *c, const struct pg_results *r, const char *base_arm, struct pg_err *err)
{
	struct looker l;
	int result = open_looker(&l, r, err);

	for (size_t i = 0; result == 0 && i < c->n; i++) {
		struct pg_compare_row *row = &c->row[i];
		const char *metric = row->sweep->metrics[row->metric].name;
		struct pg_flags sum = {0};

		if (row->standing != PG_CMP_JUDGED)
			continue;
		look(&l, base_cell(&l, row, base_arm), metric, &sum);
		look(&l, row->cell, metric, &sum);
		result = keep(c, row, &sum, err);
	}
	close_looker(&l);
	return result;
}

static struct pg_results results_of(const struct pg_store *s)
{
	return (struct pg_results){.plan = s->plan, .samples = s->samples, .shares = s->shares, .rundir = s->dirfd};
}

int pg_compare_see_store(struct pg_compare *c, const struct pg_store *s, const char *base_arm, struct pg_err *err)
{
	struct pg_results r = results_of(s);

	return pg_compare_see_live(c, &r, base_arm, err);
}

/* ---- stored sides ---- */

/* What a side does not say of a cell, though others of its runs do. */
struct lost {
	size_t runs, failed, absent; /* of the side; those in which it failed; those that have not measured it */
	uint64_t reps;		     /* that failed in the other runs */
	const char *why;	     /* of the latest failure; NULL = none */
};

static void tally(struct looker *l, size_t index, struct lost *lost)
{
	const struct pg_cell_acc *a = pg_samples_acc(l->r.samples, index);

	switch (pg_acc_status(a, pg_plan_cell(l->r.plan, index, l->buf))) {
	case PG_ST_OK:
	case PG_ST_UNSTABLE:
		lost->reps += a->n_failed;
		break;
	case PG_ST_FAILED:
	case PG_ST_TIMEOUT:
		lost->failed++;
		break;
	case PG_ST_INVALID:
	case PG_ST_SKIPPED:
	case PG_ST_NOT_RUN:
	case PG_ST_ABSENT:
		lost->absent++;
		return;
	}
	if (a->why)
		lost->why = a->why;
}

static void lost_text(const struct pg_side *side, const struct lost *n, struct pg_str *out)
{
	const char *comma;

	if (n->failed + n->absent + n->reps == 0)
		return;
	pg_str_addf(out, "; %s: ", side->name);
	if (n->failed)
		pg_str_addf(out, "%zu of %zu runs failed", n->failed, n->runs);
	comma = n->failed ? ", " : "";
	if (n->reps)
		pg_str_addf(out, "%s%llu rep%s failed", comma, (unsigned long long)n->reps, n->reps == 1 ? "" : "s");
	if (n->why && n->failed + n->reps)
		pg_str_addf(out, " (%s)", n->why);
	comma = n->failed + n->reps ? ", " : "";
	if (n->absent)
		pg_str_addf(out, "%snot measured in %zu of %zu runs", comma, n->absent, n->runs);
}

/* Behind the reason of a row, or in its place. */
static int name_lost(struct pg_compare *c, struct pg_compare_row *row, const struct pg_str *lost, struct pg_err *err)
{
	const char *reason = pg_compare_reason(row);

	if (lost->failed)
		return pg_fail_nomem(err);
	if (!lost->len)
		return 0;
	row->reason = pg_arena_printf(&c->arena, "%s%s", reason, lost->s + (*reason ? 0 : strlen("; ")));
	return row->reason ? 0 : pg_fail_nomem(err);
}

/* Looks at the cell of a row in each run of a side. */
static int see_row(const struct pg_side *side, struct looker *l, const struct pg_compare_row *row, const char *arm,
		   struct pg_flags *sum, struct pg_str *text, struct pg_err *err)
{
	struct lost lost = {.runs = side->n};
	struct pg_cell_buf *buf = pg_cell_buf_new(row->plan);
	const struct pg_cell *c;

	if (!buf)
		return pg_fail_nomem(err);
	c = pg_plan_cell(row->plan, row->cell, buf);
	for (size_t i = 0; i < side->n; i++) {
		size_t index = pg_side_cell(&side->run[i], c->id, arm ? NULL : c->variant_label);

		if (index == SIZE_MAX)
			continue;
		look(&l[i], index, row->sweep->metrics[row->metric].name, sum);
		tally(&l[i], index, &lost);
	}
	lost_text(side, &lost, text);
	pg_cell_buf_free(buf);
	return 0;
}

static int see_rows(struct pg_compare *c, const struct pg_side *base, struct looker *old, const struct pg_side *new,
		    struct looker *l, struct pg_err *err)
{
	struct pg_str lost;
	int result = 0;

	pg_str_init(&lost);
	for (size_t i = 0; result == 0 && i < c->n; i++) {
		struct pg_compare_row *row = &c->row[i];
		const char *arm = row->plan == base->run[0].plan ? base->run[0].arm : new->run[0].arm;
		struct pg_flags sum = {0};

		if (row->standing != PG_CMP_JUDGED)
			continue;
		pg_str_reset(&lost);
		result = see_row(base, old, row, arm, &sum, &lost, err);
		if (result == 0)
			result = see_row(new, l, row, arm, &sum, &lost, err);
		if (result == 0)
			result = keep(c, row, &sum, err);
		if (result == 0)
			result = name_lost(c, row, &lost, err);
	}
	pg_str_release(&lost);
	return result;
}

int pg_compare_see_sides(struct pg_compare *c, const struct pg_side *base, const struct pg_side *new,
			 struct pg_err *err)
{
	size_t n = base->n + new->n, open = 0;
	struct looker *l = calloc(n, sizeof(*l));
	int result = l ? 0 : pg_fail_nomem(err);

	for (; result == 0 && open < n; open++) {
		const struct pg_side_run *run = open < base->n ? &base->run[open] : &new->run[open - base->n];
		struct pg_results r = results_of(run->store);

		result = open_looker(&l[open], &r, err);
	}
	if (result == 0)
		result = see_rows(c, base, l, new, l + base->n, err);
	for (size_t i = 0; i < open; i++)
		close_looker(&l[i]);
	free(l);
	return result;
}
