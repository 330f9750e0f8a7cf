/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The p-values of exploration, and the families that they are of. */
#include "store/compare_explored.h"

#include <math.h>
#include <stdlib.h>

#include "base/err.h"

struct pg_explored *pg_explored_new(const struct pg_plan *p, struct pg_err *err)
{
	struct pg_explored *x = calloc(1, sizeof(*x));

	if (x) {
		x->plan = p;
		x->parts = pg_plan_sweeps(p);
		x->part = calloc(x->parts + 1, sizeof(*x->part));
	}
	if (x && x->part)
		return x;
	free(x);
	pg_fail_nomem(err);
	return NULL;
}

void pg_explored_free(struct pg_explored *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->parts; i++)
		free(x->part[i].tests);
	free(x->part);
	free(x->p);
	free(x);
}

int pg_explored_enter(struct pg_explored *x, const struct pg_sweep *sw, size_t rows, size_t metrics, struct pg_err *err)
{
	struct pg_explored_part *part = &x->part[sw->index];
	double *more;

	*part = (struct pg_explored_part){.from = x->n, .metrics = metrics};
	if (rows == 0)
		return 0;
	more = reallocarray(x->p, x->n + rows, sizeof(*more));
	if (more)
		x->p = more;
	part->tests = calloc(metrics + 1, sizeof(*part->tests));
	return more && part->tests ? 0 : pg_fail_nomem(err);
}

void pg_explored_add(struct pg_explored *x, const struct pg_sweep *sw, double p)
{
	x->p[x->n++] = p;
	x->part[sw->index].n++;
}

/* One metric: every part->metrics-th p from the m-th on. Room is for as many as the part has cells and arms. */
static void judge_metric(struct pg_explored *x, const struct pg_explored_part *part, size_t m, double *p,
			 struct pg_ranked *order)
{
	double *first = x->p + part->from + m, *adjusted = p + part->n / part->metrics;
	size_t n = 0;

	for (size_t i = 0; i < part->n; i += part->metrics) {
		p[n++] = first[i];
		part->tests[m] += isnan(first[i]) ? 0 : 1;
	}
	pg_adjust(p, n, PG_CORRECT_BH, adjusted, order);
	for (size_t i = 0; i < n; i++)
		first[i * part->metrics] = adjusted[i];
}

int pg_explored_judge(struct pg_explored *x, struct pg_err *err)
{
	for (size_t i = 0; i < x->parts; i++) {
		const struct pg_explored_part *part = &x->part[i];
		size_t n = part->n ? part->n / part->metrics : 0;
		double *p = calloc(2 * n + 1, sizeof(*p));
		struct pg_ranked *order = calloc(n + 1, sizeof(*order));

		for (size_t m = 0; p && order && n && m < part->metrics; m++)
			judge_metric(x, part, m, p, order);
		free(order);
		free(p);
		if (!p || !order)
			return pg_fail_nomem(err);
	}
	return 0;
}

void pg_explored_finish(const struct pg_explored *x, const struct pg_sweep *sw, size_t at, struct pg_compare_row *row)
{
	const struct pg_explored_part *part = &x->part[sw->index];

	if (row->standing != PG_CMP_EXPLORED)
		return;
	row->c.p_adj[PG_TYPICAL] = x->p[part->from + at];
	pg_comparison_judge(&row->c, part->tests[at % part->metrics]);
}
