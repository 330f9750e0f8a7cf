/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/rounds_going.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"

static int load_cells(struct pg_rounds *r, struct pg_err *err)
{
	const struct pg_cell *cell;

	for (size_t i = 0; i < r->work.n; i++) {
		struct pg_progress *c = &r->cells[i];
		size_t k = 0;

		if (r->work.cell(r->work.ctx, i, &cell, err) < 0)
			return -1;
		c->skip = (uint8_t)(cell->skip & 3);
		while (k < cell->n_params && !(cell->params[k].role & PG_OPS))
			k++;
		if (k == cell->n_params)
			continue;
		c->automatic = cell->vals[k].state == PG_V_WORD;
		if (!r->ops && !(r->ops = pg_big_alloc(r->work.n * sizeof(*r->ops))))
			return pg_fail_nomem(err);
		r->ops[i] = c->automatic ? 0 : (uint64_t)cell->vals[k].u.i;
	}
	return 0;
}

static void count_due(struct pg_rounds *r)
{
	const struct pg_rules *rules = r->work.rules;
	uint64_t each = (uint64_t)rules->warmup + pg_rounds_most(r);

	for (size_t i = 0; i < r->work.n; i++) {
		r->cells[i].warm_due = rules->warmup;
		r->due += pg_cell_ended(&r->cells[i]) ? 0 : each;
	}
}

_Static_assert(sizeof(struct pg_progress) == 28, "a million of them are kept");

/* Is the comparison looked at before its last round? */
static bool looks_early(const struct pg_rounds *r)
{
	const struct pg_compare_rules *c = &r->work.rules->compare;

	return r->arms > 1 && !c->to_the_end && c->n_looks > 0 && c->looks[0] < pg_rounds_most(r);
}

/* What the rules look at. */
static void choose_samples(struct pg_rounds *r)
{
	const struct pg_metric *rows = r->work.metrics;
	bool fixed = r->work.rules->repeat.fixed;

	r->samples = r->work.budget || looks_early(r) || (!fixed && r->arms == 1);
	r->chain.rounds = looks_early(r);
	if (!r->chain.rounds || !(rows[r->work.stop_metric].flags & PG_M_BATCHED))
		return;
	for (size_t m = 0; rows[m].name; m++) {
		if (!(rows[m].flags & PG_M_FLOOR))
			continue;
		r->chain.floors = true;
		r->chain.floor_row = m;
	}
}

static int make_room(struct pg_rounds *r)
{
	const struct pg_rules *rules = r->work.rules;
	size_t n = r->work.n;

	r->cells = pg_big_alloc(n * sizeof(*r->cells));
	r->active = pg_big_alloc(r->n_teams * sizeof(*r->active));
	r->order = pg_big_alloc(r->n_teams * sizeof(*r->order));
	if (!rules->repeat.fixed || r->samples)
		r->history = pg_big_alloc(n * sizeof(*r->history));
	if (rules->redo > 0)
		r->redone = pg_big_alloc(n * sizeof(*r->redone));
	return r->cells && r->active && r->order && (r->history || (rules->repeat.fixed && !r->samples)) &&
			       (r->redone || rules->redo == 0)
		       ? 0
		       : -1;
}

int pg_rounds_new(struct pg_rounds **out, const struct pg_work *work, struct pg_err *err)
{
	struct pg_rounds *r = calloc(1, sizeof(*r));

	if (!r)
		return pg_fail_nomem(err);
	r->work = *work;
	r->arms = work->n_variants > 1 ? work->n_variants : 1;
	r->n_teams = work->n / r->arms;
	choose_samples(r);
	if (make_room(r) < 0) {
		pg_rounds_free(r);
		return pg_fail_nomem(err);
	}
	if (load_cells(r, err) < 0) {
		pg_rounds_free(r);
		return -1;
	}
	count_due(r);
	*out = r;
	return 0;
}

void pg_rounds_free(struct pg_rounds *r)
{
	size_t n;

	if (!r)
		return;
	n = r->work.n;
	pg_big_free(r->cells, n * sizeof(*r->cells));
	pg_big_free(r->active, r->n_teams * sizeof(*r->active));
	pg_big_free(r->order, r->n_teams * sizeof(*r->order));
	pg_big_free(r->ops, n * sizeof(*r->ops));
	pg_big_free(r->redone, n * sizeof(*r->redone));
	pg_big_free(r->history, n * sizeof(*r->history));
	pg_chain_release(&r->chain);
	pg_big_free(r->scratch, r->cap_scratch * sizeof(*r->scratch));
	free(r);
}

void pg_going_init(struct pg_going *g, struct pg_rounds *r, const struct pg_until *until,
		   const struct pg_executor *exec, const struct pg_observer *obs, const struct pg_clock *clock,
		   const volatile sig_atomic_t *stop, struct pg_err *err)
{
	static const struct pg_observer none = {.ctx = NULL};

	*g = (struct pg_going){
		.r = r,
		.exec = exec,
		.obs = obs ? obs : &none,
		.clock = clock,
		.stop = stop,
		.err = err,
	};
	if (until)
		g->until = *until;
}

/* Ends that the observer does not know of. */
int pg_going_tell(struct pg_going *g, size_t team)
{
	const struct pg_cell *cell;

	for (size_t i = team * g->r->arms; i < (team + 1) * g->r->arms; i++) {
		struct pg_progress *c = &g->r->cells[i];

		if (c->skip != PG_NOT_SKIPPED || c->stop == PG_STOP_NONE || c->told)
			continue;
		c->told = true;
		if (!g->obs->cell_done)
			continue;
		if (g->r->work.cell(g->r->work.ctx, i, &cell, g->err) < 0 ||
		    g->obs->cell_done(g->obs->ctx, cell, (enum pg_stop)c->stop, pg_rounds_status(g->r, c), g->err) < 0)
			return -1;
	}
	return PG_GO_ON;
}

int pg_going_catch_up(struct pg_going *g)
{
	struct pg_rounds *r = g->r;
	const struct pg_cell *cell;

	for (size_t t = 0; t < r->n_teams; t++) {
		if (pg_rounds_look_due(r, t)) {
			if (r->work.cell(r->work.ctx, t * r->arms, &cell, g->err) < 0)
				return -1;
			if (pg_rounds_rule(r, t, cell->id, true) < 0)
				return pg_fail_nomem(g->err);
		}
		if (pg_going_tell(g, t) < 0)
			return -1;
	}
	return PG_GO_ON;
}

/* Calibration and warm-ups that the team still lacks. */
static int prepare(struct pg_going *g, size_t team, uint32_t position)
{
	struct pg_rounds *r = g->r;
	int result = pg_going_calibrate(g, team, position);

	for (size_t a = 0; a < r->arms && result == PG_GO_ON; a++) {
		size_t i = team * r->arms + a;
		const struct pg_progress *c = &r->cells[i];

		while (result == PG_GO_ON && !pg_cell_ended(c) && c->warm_due > 0)
			result = pg_going_rep(g, i, 0, position + (uint32_t)a);
	}
	return result;
}

int pg_going_team(struct pg_going *g, size_t team, uint32_t round, size_t place)
{
	struct pg_rounds *r = g->r;
	uint32_t position = (uint32_t)(place * r->arms);
	int result = PG_GO_ON;

	if (!pg_going_fits(g, team))
		return PG_GO_ON;
	result = prepare(g, team, position);
	for (size_t a = 0; a < r->arms && result == PG_GO_ON && round > 0; a++) {
		size_t i = pg_rounds_arm(r, team, round, a);
		const struct pg_progress *c = &r->cells[i];

		if (!pg_cell_ended(c) && c->last_round < round)
			result = pg_going_rep(g, i, round, position + (uint32_t)a);
	}
	return result;
}

static bool within(const struct pg_going *g, uint32_t round)
{
	return round > 0 && (g->until.round == 0 || round <= g->until.round);
}

static int run_grouped(struct pg_going *g)
{
	int result = PG_GO_ON;

	for (size_t t = 0; t < g->r->n_teams && result == PG_GO_ON; t++) {
		uint32_t round;

		g->slow_due = g->ran = true;
		while (result == PG_GO_ON && g->ran && within(g, round = pg_rounds_team_next(g->r, t))) {
			g->ran = false;
			result = pg_going_team(g, t, round, 0);
		}
	}
	return result;
}

static int run_round(struct pg_going *g, uint32_t round)
{
	size_t n = pg_rounds_order(g->r, round);
	int result = PG_GO_ON;

	g->slow_due = round > 0;
	for (size_t k = 0; k < n && result == PG_GO_ON; k++)
		result = pg_going_team(g, g->r->order[k], round, k);
	return result;
}

/*
 * The first round may have been cut short: what is done in it is passed over. Where time is short cells may be left
 * behind, so that a round is not always the last one of all.
 */
static int run_rounds(struct pg_going *g)
{
	int result = run_round(g, 0);
	uint32_t round = pg_rounds_next(g->r);

	g->ran = true;
	while (result == PG_GO_ON && g->ran && within(g, round)) {
		uint32_t next;

		g->ran = false;
		result = run_round(g, round);
		next = pg_rounds_next(g->r);
		round = next == 0 || next > round ? next : round + 1;
	}
	return result;
}

int pg_rounds_run_until(struct pg_rounds *r, const struct pg_until *until, const struct pg_executor *exec,
			const struct pg_observer *obs, const struct pg_clock *clock, const volatile sig_atomic_t *stop,
			struct pg_err *err)
{
	struct pg_going g;
	int result;

	pg_going_init(&g, r, until, exec, obs, clock, stop, err);
	result = pg_going_catch_up(&g);
	if (result == PG_GO_ON)
		result = r->work.rules->order == PG_GROUPED ? run_grouped(&g) : run_rounds(&g);
	return result < 0 ? -1 : 0;
}

int pg_rounds_run(struct pg_rounds *r, const struct pg_executor *exec, const struct pg_observer *obs,
		  const struct pg_clock *clock, const volatile sig_atomic_t *stop, struct pg_err *err)
{
	return pg_rounds_run_until(r, NULL, exec, obs, clock, stop, err);
}
