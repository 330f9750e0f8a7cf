/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When a team has had its last round: the stopping rule for a cell without variants, looks and the last round for one
 * with them (docs/statistics.md 5 and 8.6).
 */
#include "engine/rounds_priv.h"

#include "engine/stop.h"
#include "stats/pair.h"
#include "stats/tests.h"

/* The team has finished a round: all that take part have had it. *done: reps of the one that has the fewest. */
static bool round_is_whole(const struct pg_rounds *r, size_t team, uint64_t *done)
{
	uint32_t round = 0;
	bool whole = true;

	*done = UINT64_MAX;
	for (size_t i = team * r->arms; i < (team + 1) * r->arms; i++) {
		const struct pg_progress *c = &r->cells[i];
		uint64_t n = (uint64_t)c->good + c->bad;

		if (!pg_cell_takes_part(c))
			continue;
		whole &= (round == 0 || c->last_round == round) && c->last_round > 0 && c->attempt == 0 && !c->redo;
		round = c->last_round;
		*done = n < *done ? n : *done;
	}
	return whole && *done != UINT64_MAX;
}

/* A look before the last round. */
static bool is_look(const struct pg_rounds *r, uint64_t done)
{
	const struct pg_compare_rules *rules = &r->work.rules->compare;

	for (uint32_t i = 0; r->arms > 1 && !rules->to_the_end && i < rules->n_looks; i++)
		if (rules->looks[i] == done && done < pg_rounds_most(r))
			return true;
	return false;
}

bool pg_rounds_look_due(const struct pg_rounds *r, size_t team)
{
	uint64_t done;

	for (size_t i = team * r->arms; i < (team + 1) * r->arms; i++)
		if (pg_cell_takes_part(&r->cells[i]) && r->cells[i].stop != PG_STOP_NONE)
			return false;
	return r->arms > 1 && round_is_whole(r, team, &done) && is_look(r, done);
}

/* Is the question of one arm against the baseline answered? */
static int arm_answered(struct pg_rounds *r, size_t team, size_t arm, uint64_t cell_id, bool *answered)
{
	const struct pg_compare_rules *rules = &r->work.rules->compare;
	const struct pg_metric *row = &r->work.metrics[r->work.stop_metric];
	enum pg_lens lens = row->flags & PG_M_TYPICAL ? PG_LENS_TYPICAL : rules->lens;
	double family = r->work.family > 0 ? (double)r->work.family : 1;
	struct pg_effect e[PG_LENSES];
	struct pg_pairs p;
	size_t first = lens == PG_LENS_FLOOR ? PG_FLOOR : PG_TYPICAL;

	if (pg_rounds_pairs(r, team * r->arms, team * r->arms + arm, &p) < 0)
		return -1;
	pg_pair_effects(p.a, p.b, p.fa, p.fb, p.n, lens, PG_CONF_COMPARE, pg_floor_patterns(family),
			pg_pair_seed(r->work.seed, cell_id, (uint32_t)arm, row->name), p.scratch, e);
	*answered = pg_look_finishes(e + first, lens == PG_LENS_BOTH ? PG_LENSES : 1, rules->alpha,
				     rules->correction == PG_CORRECT_NONE ? 1 : family, rules->threshold);
	return 0;
}

/*
 * Every arm beside the baseline that takes part must be answered; where none does, or the baseline does not, there is
 * no question, and the others go on to the last round. So they do with an arm that would end as failed: what has failed
 * is then known from its records alone.
 */
static int answered(struct pg_rounds *r, size_t team, uint64_t cell_id, bool *all)
{
	const struct pg_progress *c = &r->cells[team * r->arms];
	bool any = false;

	*all = false;
	if (!pg_cell_takes_part(&c[0]))
		return 0;
	for (size_t a = 0; a < r->arms; a++)
		if (pg_cell_takes_part(&c[a]) && pg_rounds_broken(&c[a]))
			return 0;
	for (size_t a = 1; a < r->arms; a++) {
		bool one;

		if (!pg_cell_takes_part(&c[a]))
			continue;
		if (arm_answered(r, team, a, cell_id, &one) < 0)
			return -1;
		if (!one)
			return 0;
		any = true;
	}
	*all = any;
	return 0;
}

int pg_rounds_look_again(struct pg_rounds *r, size_t team, bool *still)
{
	const struct pg_cell *cell;
	struct pg_err err;
	uint64_t done;

	*still = true;
	if (!r->work.rules->compare.again || !round_is_whole(r, team, &done) || !is_look(r, done))
		return 0;
	/* It was given once, when the rounds were made, so that what fails now is memory: what -1 says here. */
	if (r->work.cell(r->work.ctx, team * r->arms, &cell, &err) < 0)
		return -1;
	return answered(r, team, cell->id, still);
}

static bool time_is_over(const struct pg_rounds *r, size_t team)
{
	const struct pg_repeat *rule = &r->work.rules->repeat;

	if (rule->fixed)
		return false;
	for (size_t i = team * r->arms; i < (team + 1) * r->arms; i++)
		if (pg_cell_takes_part(&r->cells[i]) && pg_rounds_pace(r, i) > rule->time_ns - r->history[i].used_ns)
			return true;
	return false;
}

static int rule_of_arms(struct pg_rounds *r, size_t team, uint64_t cell_id, uint64_t done, bool live,
			enum pg_stop *stop)
{
	const struct pg_repeat *rule = &r->work.rules->repeat;
	bool all = false;

	*stop = PG_STOP_NONE;
	if (done >= pg_rounds_most(r)) {
		*stop = rule->fixed ? PG_STOP_FIXED : PG_STOP_MAX;
		return 0;
	}
	if (is_look(r, done)) {
		if (!live)
			return 0;
		if (answered(r, team, cell_id, &all) < 0)
			return -1;
	}
	if (all)
		*stop = PG_STOP_LOOK;
	else if (time_is_over(r, team))
		*stop = PG_STOP_TIME;
	return 0;
}

static int rule_of_one(struct pg_rounds *r, size_t cell, uint64_t done, enum pg_stop *stop)
{
	const struct pg_repeat *rule = &r->work.rules->repeat;
	const struct pg_history *h;
	double *x;

	if (rule->fixed) {
		*stop = done >= rule->n ? PG_STOP_FIXED : PG_STOP_NONE;
		return 0;
	}
	h = &r->history[cell];
	x = pg_rounds_samples(r, cell);
	if (!x)
		return -1;
	*stop = pg_stop_check(rule, x, h->n, (size_t)done, h->used_ns, pg_rounds_pace(r, cell), x + h->n, NULL);
	return 0;
}

int pg_rounds_rule(struct pg_rounds *r, size_t team, uint64_t cell_id, bool live)
{
	enum pg_stop stop;
	uint64_t done;
	int result;

	if (!round_is_whole(r, team, &done))
		return 0;
	if (r->arms == 1)
		result = rule_of_one(r, team, done, &stop);
	else
		result = rule_of_arms(r, team, cell_id, done, live, &stop);
	if (result < 0)
		return -1;
	if (stop != PG_STOP_NONE)
		pg_rounds_end_team(r, team, stop);
	return 0;
}
