/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where time is short: always one round of the cell that is known worst. The teams that go on stand in a heap, the
 * widest interval on top; only the one that was run changes its place, so a rep costs the same in a plan of any size.
 * Ties are broken by place in the run: the order follows from the records alone.
 */
#include "engine/rounds_going.h"

#include <math.h>

#include "base/arena.h"
#include "base/err.h"
#include "engine/stop.h"

struct entry {
	double width; /* of its widest arm; HUGE_VAL = none is known */
	uint32_t sweep, team;
};

struct heap {
	struct entry *e;
	size_t n, cap;
};

/* An interval of a single sample, or of none, is wide beyond measure; one around 0 has no relative width: it is last.
 */
static int arm_width(struct pg_rounds *r, size_t cell, double *width)
{
	size_t n = r->history[cell].n;
	double *x;

	*width = HUGE_VAL;
	if (n < 2)
		return 0;
	x = pg_rounds_samples(r, cell);
	if (!x)
		return -1;
	*width = pg_stop_width(&r->work.rules->repeat, x, n, x + n);
	if (isnan(*width))
		*width = 0;
	return 0;
}

static bool goes_on(const struct pg_rounds *r, size_t team)
{
	return pg_rounds_team_next(r, team) > 0;
}

static int team_width(struct pg_rounds *r, size_t team, double *width)
{
	*width = 0;
	for (size_t i = team * r->arms; i < (team + 1) * r->arms; i++) {
		double one;

		if (pg_cell_ended(&r->cells[i]))
			continue;
		if (arm_width(r, i, &one) < 0)
			return -1;
		*width = one > *width ? one : *width;
	}
	return 0;
}

static bool before(const struct entry *a, const struct entry *b)
{
	if (a->width > b->width || a->width < b->width)
		return a->width > b->width;
	return a->sweep != b->sweep ? a->sweep < b->sweep : a->team < b->team;
}

static void sink(struct heap *h, size_t at)
{
	for (;;) {
		size_t top = at, child = 2 * at + 1;
		struct entry t;

		if (child < h->n && before(&h->e[child], &h->e[top]))
			top = child;
		if (child + 1 < h->n && before(&h->e[child + 1], &h->e[top]))
			top = child + 1;
		if (top == at)
			return;
		t = h->e[at];
		h->e[at] = h->e[top];
		h->e[top] = t;
		at = top;
	}
}

static void drop_top(struct heap *h)
{
	h->e[0] = h->e[--h->n];
	sink(h, 0);
}

/* Has a round begun? Of the arms that go on one has had it and another has not, or a rep of a later one is under way.
 */
static bool in_a_round(const struct pg_rounds *r, size_t team)
{
	uint32_t next = pg_rounds_team_next(r, team);

	for (size_t i = team * r->arms; next > 0 && i < (team + 1) * r->arms; i++) {
		const struct pg_progress *c = &r->cells[i];

		if (!pg_cell_ended(c) && (c->last_round >= next || (c->last_round > 0 && (c->attempt > 0 || c->redo))))
			return true;
	}
	return false;
}

static int fill(struct heap *h, struct pg_rounds *const *sweeps, size_t n)
{
	for (size_t s = 0; s < n; s++) {
		for (size_t t = 0; t < sweeps[s]->n_teams; t++) {
			struct entry *e = &h->e[h->n];

			if (!goes_on(sweeps[s], t))
				continue;
			*e = (struct entry){.sweep = (uint32_t)s, .team = (uint32_t)t};
			if (team_width(sweeps[s], t, &e->width) < 0)
				return -1;
			h->n++;
		}
	}
	for (size_t i = h->n / 2; i-- > 0;)
		sink(h, i);
	return 0;
}

static int run_team(struct pg_going *g, size_t team)
{
	g->slow_due = true;
	return pg_going_team(g, team, pg_rounds_team_next(g->r, team), 0);
}

/* Rounds that were cut short: they belong to the cell that was the widest then. */
static int finish_begun(struct pg_going *g)
{
	int result = pg_going_catch_up(g);

	for (size_t t = 0; t < g->r->n_teams && result == PG_GO_ON; t++)
		if (in_a_round(g->r, t))
			result = run_team(g, t);
	return result;
}

static int run_heap(struct heap *h, struct pg_going *g, struct pg_rounds *const *sweeps)
{
	int result = PG_GO_ON;

	while (h->n > 0 && result == PG_GO_ON) {
		struct entry *top = &h->e[0];

		g->r = sweeps[top->sweep];
		/* Time only gets shorter: what does not fit now never will. */
		if (!goes_on(g->r, top->team) || !pg_going_fits(g, top->team)) {
			drop_top(h);
			continue;
		}
		result = run_team(g, top->team);
		if (result != PG_GO_ON)
			break;
		if (team_width(g->r, top->team, &top->width) < 0)
			return pg_fail_nomem(g->err);
		sink(h, 0);
	}
	return result;
}

int pg_rounds_run_widest(struct pg_rounds *const *sweeps, size_t n, const struct pg_until *until,
			 const struct pg_executor *exec, const struct pg_observer *obs, const struct pg_clock *clock,
			 const volatile sig_atomic_t *stop, struct pg_err *err)
{
	struct heap h = {.n = 0};
	struct pg_going g;
	int result = PG_GO_ON;

	pg_going_init(&g, NULL, until, exec, obs, clock, stop, err);
	for (size_t s = 0; s < n && result == PG_GO_ON; s++) {
		g.r = sweeps[s];
		h.cap += g.r->n_teams;
		result = finish_begun(&g);
	}
	if (result != PG_GO_ON || h.cap == 0)
		return result < 0 ? -1 : 0;
	h.e = pg_big_alloc(h.cap * sizeof(*h.e));
	if (!h.e || fill(&h, sweeps, n) < 0)
		result = pg_fail_nomem(err);
	else
		result = run_heap(&h, &g, sweeps);
	pg_big_free(h.e, h.cap * sizeof(*h.e));
	return result < 0 ? -1 : 0;
}

int pg_rounds_end_by_time(struct pg_rounds *r, const struct pg_observer *obs, struct pg_err *err)
{
	struct pg_going g;

	pg_going_init(&g, r, NULL, NULL, obs, NULL, NULL, err);
	for (size_t t = 0; t < r->n_teams; t++) {
		pg_rounds_end_measured(r, t, PG_STOP_TIME);
		if (pg_going_tell(&g, t) < 0)
			return -1;
	}
	return 0;
}
