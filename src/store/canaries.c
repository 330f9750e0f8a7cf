/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Canaries of stored runs: how far they spread, and whether they differ between two sides (docs/statistics.md 9, 10).
 */
#include "store/canaries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "stats/stats.h"
#include "store/samples.h"
#include "store/side.h"
#include "store/store_inside.h"

#define SHIFT_LEAST   0.02
#define SAMPLES_LEAST 3 /* of each side */

int pg_canaries_add(struct pg_canaries *c, uint64_t session, const int64_t ns[PG_CANARIES], struct pg_err *err)
{
	if (c->n == c->cap) {
		size_t cap = c->cap ? 2 * c->cap : 64;
		struct pg_canary_at *more = reallocarray(c->v, cap, sizeof(*more));

		if (!more)
			return pg_fail_nomem(err);
		c->v = more;
		c->cap = cap;
	}
	c->v[c->n].session = session;
	memcpy(c->v[c->n].ns, ns, sizeof(c->v[c->n].ns));
	c->n++;
	return 0;
}

void pg_canaries_release(struct pg_canaries *c)
{
	free(c->v);
	memset(c, 0, sizeof(*c));
}

/* 0: of a start in which nothing was measured, which tells nothing of what is compared. */
static uint32_t unit_at(const struct pg_store *s, size_t i)
{
	return pg_samples_unit_of(s->samples, s->canaries.v[i].session);
}

static size_t count(const struct pg_side *side)
{
	size_t n = 0;

	for (size_t i = 0; i < side->n; i++) {
		const struct pg_store *s = side->run[i].store;

		for (size_t k = 0; k < s->canaries.n; k++)
			n += unit_at(s, k) != 0;
	}
	return n;
}

/* The median of what one unit has from `from` on; *end: where the next one begins. */
static double median_of_unit(const struct pg_store *s, int part, size_t from, size_t *end, double *x)
{
	const struct pg_canaries *c = &s->canaries;
	uint32_t unit = unit_at(s, from);
	size_t n = 0, i;

	for (i = from; i < c->n; i++) {
		uint32_t now = unit_at(s, i);

		if (now != unit && now != 0)
			break;
		if (now != 0)
			x[n++] = 1e-9 * (double)c->v[i].ns[part];
	}
	*end = i;
	return pg_median_of(x, n);
}

/* Units weigh alike, however long they took: as in the comparison itself. x: room for all twice. */
static double median_of_side(const struct pg_side *side, int part, double *x)
{
	double *units = x + count(side);
	size_t n = 0;

	for (size_t i = 0; i < side->n; i++) {
		const struct pg_store *s = side->run[i].store;

		for (size_t k = 0; k < s->canaries.n;) {
			if (unit_at(s, k) == 0)
				k++;
			else
				units[n++] = median_of_unit(s, part, k, &k, x);
		}
	}
	return pg_median_of(units, n);
}

int pg_env_shift(const struct pg_side *base, const struct pg_side *new, struct pg_env_shift *out, struct pg_err *err)
{
	size_t n = count(base), m = count(new);
	double *x;

	memset(out, 0, sizeof(*out));
	if (n < SAMPLES_LEAST || m < SAMPLES_LEAST)
		return 0;
	x = malloc(2 * (n > m ? n : m) * sizeof(*x));
	if (!x)
		return pg_fail_nomem(err);
	for (int part = 0; part < PG_CANARIES; part++) {
		double a = median_of_side(base, part, x), b = median_of_side(new, part, x);

		out->base[part] = a;
		out->new[part] = b;
		/* A clock that stands tells nothing. */
		out->on = out->on || (a > 0 && b > 0 && fabs(b - a) > SHIFT_LEAST * a);
	}
	free(x);
	return 0;
}

int pg_canary_spread(const struct pg_store *s, struct pg_canary_spread *out, struct pg_err *err)
{
	const struct pg_canaries *c = &s->canaries;
	double *x = calloc(c->n + 1, sizeof(*x));

	if (!x)
		return pg_fail_nomem(err);
	out->n = c->n;
	for (int part = 0; part < PG_CANARIES; part++) {
		double mean;

		for (size_t i = 0; i < c->n; i++)
			x[i] = (double)c->v[i].ns[part];
		mean = c->n > 1 ? pg_mean(x, c->n) : 0;
		out->sd_pct[part] = mean > 0 ? 100 * pg_sd(x, c->n) / mean : PG_NAN;
	}
	free(x);
	return 0;
}
