/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers that rules and looks need: one metric of every good rep, 12 bytes each; with arms its round and its floor
 * too.
 */
#include "engine/rounds_priv.h"

#include <math.h>

#include "base/arena.h"
#include "stats/pair.h"

#define FIRST_SAMPLES 4096

/* After out of memory some columns are longer than cap says: the chain can only be released. */
static int grow(struct pg_chain *c)
{
	size_t cap = c->cap ? c->cap * 2 : FIRST_SAMPLES;

	if (c->n < c->cap)
		return 0;
	if (!pg_big_column(&c->x, c->cap, cap, sizeof(*c->x)) ||
	    !pg_big_column(&c->prev, c->cap, cap, sizeof(*c->prev)) ||
	    (c->rounds && !pg_big_column(&c->round, c->cap, cap, sizeof(*c->round))) ||
	    (c->floors && !pg_big_column(&c->floor, c->cap, cap, sizeof(*c->floor))))
		return -1;
	c->cap = cap;
	return 0;
}

void pg_chain_release(struct pg_chain *c)
{
	pg_big_free(c->x, c->cap * sizeof(*c->x));
	pg_big_free(c->prev, c->cap * sizeof(*c->prev));
	pg_big_free(c->round, c->cap * sizeof(*c->round));
	pg_big_free(c->floor, c->cap * sizeof(*c->floor));
}

int pg_rounds_keep(struct pg_rounds *r, size_t cell, uint32_t round, const struct pg_outcome *out)
{
	const struct pg_metric *rows = r->work.metrics;
	struct pg_history *h = &r->history[cell];
	struct pg_chain *c = &r->chain;
	double value, floor = PG_NAN;

	if (!pg_metric_value(rows, r->work.stop_metric, out->s, out->n, &value))
		return 0;
	if (grow(c) < 0)
		return -1;
	c->x[c->n] = value;
	c->prev[c->n] = h->head;
	if (c->rounds)
		c->round[c->n] = round;
	if (c->floors) {
		if (!pg_metric_value(rows, c->floor_row, out->s, out->n, &floor))
			floor = PG_NAN;
		c->floor[c->n] = floor;
	}
	h->head = (uint32_t)++c->n;
	h->n++;
	return 0;
}

static double *room(struct pg_rounds *r, size_t n)
{
	size_t cap = r->cap_scratch ? r->cap_scratch : 64;
	double *p;

	while (cap < n)
		cap *= 2;
	if (cap == r->cap_scratch)
		return r->scratch;
	p = pg_big_grow(r->scratch, r->cap_scratch * sizeof(*p), cap * sizeof(*p));
	if (!p)
		return NULL;
	r->scratch = p;
	r->cap_scratch = cap;
	return p;
}

double *pg_rounds_samples(struct pg_rounds *r, size_t cell)
{
	const struct pg_history *h = &r->history[cell];
	double *x = room(r, 3 * (size_t)h->n);
	size_t n = h->n;

	for (uint32_t at = h->head; x && at > 0; at = r->chain.prev[at - 1])
		x[--n] = r->chain.x[at - 1];
	return x;
}

/*
 * Both chains backwards at once: their rounds descend. A zero or a negative value has no ratio, and at the end there is
 * no verdict for it: without its round a look would give an answer that the end takes back.
 */
int pg_rounds_pairs(struct pg_rounds *r, size_t base, size_t arm, struct pg_pairs *out)
{
	const struct pg_history *hb = &r->history[base], *ha = &r->history[arm];
	bool higher = r->work.metrics[r->work.stop_metric].better == PG_HIGHER;
	size_t most = hb->n < ha->n ? hb->n : ha->n, at = most;
	double *x = room(r, 4 * most + pg_pair_scratch(most));
	const struct pg_chain *c = &r->chain;
	bool floors = c->floors, zero = false;
	uint32_t i = hb->head, k = ha->head;

	if (!x)
		return -1;
	while (i > 0 && k > 0) {
		double a = pg_cost(c->x[i - 1], higher), b = pg_cost(c->x[k - 1], higher);
		uint32_t round_a = c->round[i - 1], round_b = c->round[k - 1];

		zero |= round_a == round_b && (isnan(a) || isnan(b));
		if (round_a == round_b && !zero) {
			double fa = floors ? pg_cost(c->floor[i - 1], false) : PG_NAN;
			double fb = floors ? pg_cost(c->floor[k - 1], false) : PG_NAN;

			at--;
			x[at] = a;
			x[most + at] = b;
			x[2 * most + at] = fa;
			x[3 * most + at] = fb;
			floors = floors && !isnan(fa) && !isnan(fb);
		}
		if (round_a >= round_b)
			i = c->prev[i - 1];
		if (round_b >= round_a)
			k = c->prev[k - 1];
	}
	*out = (struct pg_pairs){.a = x + at, .b = x + most + at, .n = zero ? 0 : most - at, .scratch = x + 4 * most};
	out->fa = floors ? x + 2 * most + at : NULL;
	out->fb = floors ? x + 3 * most + at : NULL;
	return 0;
}
