/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which cells a round has, and in which order. Both follow from the records and the seed, so that a round that was cut
 * short is gone through again in the same order, less what is done.
 */
#include "engine/rounds_priv.h"

#include <string.h>

#include "base/str.h"
#include "stats/stats.h"

static uint64_t order_seed(const struct pg_rounds *r, uint32_t round)
{
	uint64_t h = pg_fnv1a(PG_FNV_INIT, &r->work.seed, sizeof(r->work.seed));

	h = pg_fnv1a(h, &r->work.sweep_key, sizeof(r->work.sweep_key));
	h = pg_fnv1a(h, &round, sizeof(round));
	return pg_mix64(h);
}

static void begin(struct pg_rounds *r)
{
	r->n_active = 0;
	for (size_t i = 0; i < r->work.n; i++) {
		if (r->cells[i].skip == PG_NOT_SKIPPED)
			r->active[r->n_active++] = (uint32_t)i;
	}
}

/*
 * Fills r->order with the cells of a round: those that have it before them or had their rep in it, ended or not. After
 * --retry-failed cells may be rounds ahead of others: they wait. Those that will not be asked for again leave
 * r->active.
 */
static size_t choose(struct pg_rounds *r, uint32_t round)
{
	size_t n = 0, kept = 0;

	for (size_t k = 0; k < r->n_active; k++) {
		uint32_t i = r->active[k];
		const struct pg_progress *c = &r->cells[i];

		if (pg_cell_ended(c) && c->last_round < round)
			continue;
		r->active[kept++] = i;
		if (c->last_round <= round)
			r->order[n++] = i;
	}
	r->n_active = kept;
	return n;
}

size_t pg_rounds_order(struct pg_rounds *r, uint32_t round)
{
	struct pg_rng rng;
	size_t n;

	if (round == 0) {
		begin(r);
		n = r->n_active;
		memcpy(r->order, r->active, n * sizeof(*r->order));
	} else {
		n = choose(r, round);
	}
	if (r->work.rules->order == PG_INTERLEAVED) {
		pg_rng_seed(&rng, order_seed(r, round));
		pg_shuffle_u32(&rng, r->order, n);
	}
	return n;
}

uint32_t pg_rounds_next(const struct pg_rounds *r)
{
	uint32_t next = 0;

	for (size_t k = 0; k < r->n_active; k++) {
		const struct pg_progress *c = &r->cells[r->active[k]];

		if (!pg_cell_ended(c) && (next == 0 || c->last_round + 1 < next))
			next = c->last_round + 1;
	}
	return next;
}
