/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the sessions of a side say of one cell and metric. */
#include "store/side.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "store/samples.h"
#include "store/store_inside.h"

size_t pg_side_cell(const struct pg_side_run *r, uint64_t id, const char *label)
{
	size_t index = pg_plan_find_arm(r->plan, id, r->arm ? r->arm : label);

	/* A sweep without variants has no arm to choose. */
	return index == SIZE_MAX && r->arm ? pg_plan_find_arm(r->plan, id, NULL) : index;
}

void pg_units_release(struct pg_units *u)
{
	free(u->log_median);
	free(u->log_best);
	free(u->log_floor);
	free(u->cost);
	free(u->floor);
	free(u->scratch);
	memset(u, 0, sizeof(*u));
}

static bool grow(double **v, size_t cap)
{
	double *more = reallocarray(*v, cap, sizeof(*more));

	if (more)
		*v = more;
	return more;
}

static int room_for_unit(struct pg_units *u, struct pg_err *err)
{
	size_t cap = u->cap_units ? 2 * u->cap_units : 16;

	if (u->n < u->cap_units)
		return 0;
	if (!grow(&u->log_median, cap) || !grow(&u->log_best, cap) || !grow(&u->log_floor, cap))
		return pg_fail_nomem(err);
	u->cap_units = cap;
	return 0;
}

static int room_for_costs(struct pg_units *u, size_t n, struct pg_err *err)
{
	size_t cap = u->cap_cost ? u->cap_cost : 64;

	while (cap < u->n_cost + n)
		cap *= 2;
	if (cap == u->cap_cost)
		return 0;
	if (!grow(&u->cost, cap) || !grow(&u->floor, cap) || !grow(&u->scratch, cap))
		return pg_fail_nomem(err);
	u->cap_cost = cap;
	return 0;
}

/* ln of the mean of the best quarter of x, which is sorted. */
static double log_best(double *x, size_t n)
{
	pg_sort(x, n);
	return log(pg_best(x, n, false));
}

/* Reps of one unit, one metric. */
struct part {
	const struct pg_samples *samples;
	const struct pg_sweep *sw;
	size_t metric;
	const uint32_t *rep;
	size_t n;
};

static int add_unit(struct pg_units *u, const struct part *p, struct pg_err *err)
{
	bool higher = p->sw->metrics[p->metric].better == PG_HIGHER, floors = true;
	double *x = u->scratch, *cost = u->cost + u->n_cost, v;
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		if (!pg_samples_value(p->samples, p->sw->index, p->metric, p->rep[i], &v))
			continue;
		cost[n] = pg_cost(v, higher);
		u->zero |= isnan(cost[n]);
		floors = floors && pg_samples_floor(p->samples, p->sw->index, p->metric, p->rep[i], &x[n]) && x[n] > 0;
		n++;
	}
	if (n == 0)
		return 0;
	if (room_for_unit(u, err) != 0)
		return -1;
	if (floors)
		memcpy(u->floor + u->n_cost, x, n * sizeof(*x));
	u->log_floor[u->n] = floors ? log_best(x, n) : PG_NAN;
	u->floors = (u->floors || u->n == 0) && floors;
	memcpy(x, cost, n * sizeof(*x));
	u->n_cost += n;
	u->fewest = u->n == 0 || n < u->fewest ? n : u->fewest;
	if (!u->zero) {
		u->log_best[u->n] = log_best(x, n);
		u->log_median[u->n] = log(pg_median(x, n));
	}
	u->n++;
	return 0;
}

int pg_units_add(struct pg_units *u, const struct pg_side_run *r, size_t cell, size_t metric, struct pg_err *err)
{
	const struct pg_samples *s = r->store->samples;
	const struct pg_sweep *sw = pg_plan_sweep(r->plan, pg_sweep_of(r->plan, cell));
	size_t n = pg_samples_acc(s, cell)->n;
	uint32_t *rep = malloc((n + 1) * sizeof(*rep));
	int result;

	if (!rep)
		return pg_fail_nomem(err);
	result = room_for_costs(u, n, err);
	if (n)
		pg_samples_reps(s, sw->index, cell, rep);
	for (size_t i = 0, end; result == 0 && i < n; i = end) {
		uint32_t unit = pg_samples_unit(s, sw->index, rep[i]);
		struct part part = {.samples = s, .sw = sw, .metric = metric, .rep = rep + i};

		for (end = i + 1; end < n && pg_samples_unit(s, sw->index, rep[end]) == unit;)
			end++;
		part.n = end - i;
		result = add_unit(u, &part, err);
	}
	free(rep);
	return result;
}
