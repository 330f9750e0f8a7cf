/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One number per cell for a metric and a statistic, folded when a table first asks for it.
 */
#include <stdlib.h>

#include "base/arena.h"
#include "base/err.h"
#include "store/fold.h"
#include "store/results.h"

struct vector {
	struct vector *next;
	size_t metric;
	enum pg_statistic which;
	double *v; /* one per cell of the sweep */
};

struct pg_values {
	const struct pg_results *r;
	const struct pg_sweep *sw;
	struct pg_fold fold;
	uint8_t *status; /* enum pg_status, one per cell of the sweep */
	struct vector *vectors;
};

static int statuses(struct pg_values *v, struct pg_err *err)
{
	struct pg_cell_buf *buf = pg_cell_buf_new(v->r->plan);

	v->status = pg_big_alloc(v->sw->n_cells);
	if (!buf || !v->status) {
		pg_cell_buf_free(buf);
		return pg_fail_nomem(err);
	}
	for (size_t i = 0; i < v->sw->n_cells; i++) {
		const struct pg_cell *c = pg_plan_cell(v->r->plan, v->sw->first_cell + i, buf);

		v->status[i] = (uint8_t)pg_acc_status(pg_samples_acc(v->r->samples, c->index), c);
	}
	pg_cell_buf_free(buf);
	return 0;
}

int pg_values_new(const struct pg_results *r, const struct pg_sweep *sw, struct pg_values **out, struct pg_err *err)
{
	struct pg_values *v = calloc(1, sizeof(*v));

	if (!v)
		return pg_fail_nomem(err);
	v->r = r;
	v->sw = sw;
	if (statuses(v, err) != 0 || pg_fold_init(&v->fold, r->samples, err) != 0) {
		pg_values_free(v);
		return -1;
	}
	*out = v;
	return 0;
}

void pg_values_free(struct pg_values *v)
{
	while (v && v->vectors) {
		struct vector *next = v->vectors->next;

		pg_big_free(v->vectors->v, v->sw->n_cells * sizeof(double));
		free(v->vectors);
		v->vectors = next;
	}
	if (!v)
		return;
	pg_fold_release(&v->fold);
	pg_big_free(v->status, v->sw->n_cells);
	free(v);
}

enum pg_status pg_values_status(const struct pg_values *v, size_t cell)
{
	return (enum pg_status)v->status[cell];
}

static void fold_all(struct pg_values *v, const struct vector *to)
{
	for (size_t i = 0; i < v->sw->n_cells; i++) {
		struct pg_summary s;

		to->v[i] = PG_NAN;
		if (v->status[i] != PG_ST_OK && v->status[i] != PG_ST_UNSTABLE)
			continue;
		pg_fold_enter(&v->fold, v->sw, v->sw->first_cell + i);
		pg_fold_metric(&v->fold, to->metric, &s);
		to->v[i] = pg_fold_statistic(&v->fold, to->metric, &s, to->which);
	}
}

const double *pg_values_get(struct pg_values *v, size_t metric, enum pg_statistic which, struct pg_err *err)
{
	struct vector *n;

	for (n = v->vectors; n; n = n->next)
		if (n->metric == metric && n->which == which)
			return n->v;
	n = calloc(1, sizeof(*n));
	if (n)
		n->v = pg_big_alloc(v->sw->n_cells * sizeof(double));
	if (!n || !n->v) {
		free(n);
		pg_fail_nomem(err);
		return NULL;
	}
	n->metric = metric;
	n->which = which;
	fold_all(v, n);
	n->next = v->vectors;
	v->vectors = n;
	return n->v;
}
