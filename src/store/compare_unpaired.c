/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests between two groups. */
#include "store/compare_unpaired.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "store/side.h"

#define TRUSTED_MAX ((size_t)2000) /* samples of a side that are tested against each other */

void pg_unpaired_release(struct pg_unpaired *k)
{
	free(k->scratch);
	memset(k, 0, sizeof(*k));
}

static double *room(struct pg_unpaired *k, size_t n, struct pg_err *err)
{
	if (n > k->cap) {
		double *more = reallocarray(k->scratch, n, sizeof(*more));

		if (!more) {
			pg_fail_nomem(err);
			return NULL;
		}
		k->scratch = more;
		k->cap = n;
	}
	return k->scratch;
}

const double *pg_unpaired_of(const struct pg_units *u, const struct pg_units *other, unsigned lens)
{
	if (lens == PG_TYPICAL)
		return u->log_median;
	return u->floors && other->floors ? u->log_floor : u->log_best;
}

/* Of values, as all that a row shows: a rate has its costs upside down. */
static double cliff(const struct pg_compare_row *row, const double *x, size_t n, const double *y, size_t m)
{
	double v = pg_cliff(x, n, y, m);

	return row->sweep->metrics[row->metric].better == PG_HIGHER ? -v : v;
}

int pg_unpaired_sessions(struct pg_unpaired *k, const struct pg_units *base, const struct pg_units *new, unsigned lens,
			 struct pg_compare_row *row, struct pg_err *err)
{
	const double *x = pg_unpaired_of(base, new, lens), *y = pg_unpaired_of(new, base, lens);
	double *scratch = room(k, pg_mann_whitney_scratch(base->n, new->n), err);

	if (!scratch)
		return -1;
	row->c.lens[lens] = pg_mann_whitney(x, base->n, y, new->n, PG_CONF_COMPARE, scratch, NULL);
	row->cliff = cliff(row, base->log_median, base->n, new->log_median, new->n);
	return 0;
}

/* At most TRUSTED_MAX samples, evenly spread, as logs or as they are. */
static size_t thin(const double *x, size_t n, bool logs, size_t most, double *to)
{
	size_t k = n < most ? n : most;

	for (size_t i = 0; i < k; i++) {
		double v = x[n <= most ? i : (size_t)((double)i * (double)n / (double)most)];

		to[i] = logs ? log(v) : v;
	}
	return k;
}

int pg_unpaired_samples(struct pg_unpaired *k, const struct pg_units *base, const struct pg_units *new,
			enum pg_lens lens, uint64_t seed, struct pg_compare_row *row, struct pg_err *err)
{
	size_t n = base->n_cost < TRUSTED_MAX ? base->n_cost : TRUSTED_MAX;
	size_t m = new->n_cost < TRUSTED_MAX ? new->n_cost : TRUSTED_MAX;
	double *x = room(k, n + m + pg_mann_whitney_scratch(n, m), err), *y = x + n;
	bool floors = base->floors && new->floors;
	struct pg_rng rng;

	if (!x)
		return -1;
	row->flags |= PG_CF_TRUSTED;
	thin(base->cost, base->n_cost, true, TRUSTED_MAX, x);
	thin(new->cost, new->n_cost, true, TRUSTED_MAX, y);
	row->cliff = cliff(row, x, n, y, m);
	if (lens != PG_LENS_FLOOR)
		row->c.lens[PG_TYPICAL] = pg_mann_whitney(x, n, y, m, PG_CONF_COMPARE, y + m, NULL);
	if (lens != PG_LENS_TYPICAL) {
		n = thin(floors ? base->floor : base->cost, base->n_cost, false, PG_FLOOR_MAX, x);
		m = thin(floors ? new->floor : new->cost, new->n_cost, false, PG_FLOOR_MAX, y);
		pg_rng_seed(&rng, seed);
		row->c.lens[PG_FLOOR] = pg_floor_unpaired(x, n, y, m, k->patterns, &rng);
	}
	row->c.n = base->n_cost;
	row->c.m = new->n_cost;
	return 0;
}
