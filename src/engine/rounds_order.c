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

/* Step 0 ... arms - 1 of a pair of rounds, 0-based; each comes once in `arms` pairs, the first is drawn for each team.
 */
static size_t step_of(const struct pg_rounds *r, size_t team, uint64_t pair)
{
	uint64_t block = pair / r->arms, who[] = {team, r->arms}, h;

	if (r->arms == 2) /* the reverse is the other order already */
		return 0;
	h = pg_fnv1a(order_seed(r, (uint32_t)block), who, sizeof(who));
	return (size_t)((pg_mix64(h) % r->arms + pair % r->arms) % r->arms);
}

/*
 * Of two consecutive rounds, 1 and 2, 3 and 4 ..., one has the arms in some order and the other in reverse. Which comes
 * first is drawn for each team and pair of rounds. The order is 0, 1, n - 1, 2, n - 2 ... (for two and three arms that
 * of the file) with the pair's step added to each, modulo n. Over n pairs each arm is then twice at each place, and
 * twice right behind each other one (E. J. Williams 1949, Experimental designs balanced for the estimation of residual
 * effects of treatments).
 */
size_t pg_rounds_arm(const struct pg_rounds *r, size_t team, uint32_t round, size_t a)
{
	uint64_t pair = (round + 1) / 2, which = team, h;

	if (r->arms == 1 || round == 0)
		return team * r->arms + a;
	h = pg_fnv1a(order_seed(r, (uint32_t)pair), &which, sizeof(which));
	if ((pg_mix64(h) ^ round) & 1)
		a = r->arms - 1 - a;
	a = a % 2 ? (a + 1) / 2 : r->arms - a / 2;
	return team * r->arms + (a + step_of(r, team, pair - 1)) % r->arms;
}

static void begin(struct pg_rounds *r)
{
	r->n_active = 0;
	for (size_t t = 0; t < r->n_teams; t++) {
		bool runs = false;

		for (size_t i = t * r->arms; i < (t + 1) * r->arms; i++)
			runs |= r->cells[i].skip == PG_NOT_SKIPPED;
		if (runs)
			r->active[r->n_active++] = (uint32_t)t;
	}
}

/* Has the team a part in the round: a rep before it or in it? *later: it may have one in this or a later round. */
static bool has_part(const struct pg_rounds *r, size_t team, uint32_t round, bool *later)
{
	bool part = false;

	*later = false;
	for (size_t i = team * r->arms; i < (team + 1) * r->arms; i++) {
		const struct pg_progress *c = &r->cells[i];

		part |= c->last_round == round || (c->last_round < round && !pg_cell_ended(c));
		*later |= c->last_round >= round || !pg_cell_ended(c);
	}
	return part;
}

/*
 * Fills r->order with the teams of a round: those that have it before them or had a rep in it, ended or not. After
 * --retry-failed some may be rounds ahead of others: they wait. Those that will not be asked for again leave r->active.
 */
static size_t choose(struct pg_rounds *r, uint32_t round)
{
	size_t n = 0, kept = 0;

	for (size_t k = 0; k < r->n_active; k++) {
		uint32_t t = r->active[k];
		bool later;

		if (has_part(r, t, round, &later))
			r->order[n++] = t;
		if (later)
			r->active[kept++] = t;
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

uint32_t pg_rounds_team_next(const struct pg_rounds *r, size_t team)
{
	uint32_t next = 0;

	for (size_t i = team * r->arms; i < (team + 1) * r->arms; i++) {
		const struct pg_progress *c = &r->cells[i];

		if (!pg_cell_ended(c) && (next == 0 || c->last_round + 1 < next))
			next = c->last_round + 1;
	}
	return next;
}

uint32_t pg_rounds_next(const struct pg_rounds *r)
{
	uint32_t next = 0;

	for (size_t k = 0; k < r->n_active; k++) {
		uint32_t one = pg_rounds_team_next(r, r->active[k]);

		if (one > 0 && (next == 0 || one < next))
			next = one;
	}
	return next;
}

void pg_rounds_reach(const struct pg_rounds *r, uint32_t *next, uint32_t *last)
{
	*next = *last = 0;
	for (size_t i = 0; i < r->work.n; i++) {
		const struct pg_progress *c = &r->cells[i];

		if (c->last_round > *last)
			*last = c->last_round;
		if (!pg_cell_ended(c) && (*next == 0 || c->last_round + 1 < *next))
			*next = c->last_round + 1;
	}
}
