/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of each cell: counts, samples, end. Live reps and those of a journal go through the same function.
 */
#include "engine/rounds_priv.h"

#include <string.h>

#include "base/clock.h"

#define BAD_IN_A_ROW  3
#define INVALID_SHARE 10 /* more than one in so many: the cell failed */

static const char *const stop_names[] = {
	[PG_STOP_NONE] = "none",   [PG_STOP_CI] = "ci",	      [PG_STOP_MAX] = "max",   [PG_STOP_TIME] = "time",
	[PG_STOP_FIXED] = "fixed", [PG_STOP_ERROR] = "error", [PG_STOP_LOOK] = "look",
};
#define STOPS (sizeof(stop_names) / sizeof(stop_names[0]))

const char *pg_stop_name(enum pg_stop s)
{
	return (size_t)s < STOPS ? stop_names[s] : "unknown";
}

int pg_stop_find(const char *name)
{
	for (size_t i = PG_STOP_NONE + 1; i < STOPS; i++) {
		if (strcmp(stop_names[i], name) == 0)
			return (int)i;
	}
	return -1;
}

uint32_t pg_rounds_at_most(const struct pg_rules *rules)
{
	return rules->repeat.fixed ? rules->repeat.n : rules->repeat.max;
}

uint32_t pg_rounds_most(const struct pg_rounds *r)
{
	return pg_rounds_at_most(r->work.rules);
}

static uint64_t counted(const struct pg_progress *c)
{
	return (uint64_t)c->good + c->bad;
}

/* Reps still due if the cell does not stop early. */
static uint64_t due(const struct pg_rounds *r, const struct pg_progress *c)
{
	uint64_t most = pg_rounds_most(r), have = counted(c);

	return pg_cell_ended(c) ? 0 : c->warm_due + (most > have ? most - have : 0);
}

bool pg_rounds_broken(const struct pg_progress *c)
{
	return c->row >= BAD_IN_A_ROW || c->good == 0 || (uint64_t)c->invalid * INVALID_SHARE > counted(c);
}

/* Variants are compared, whatever the interval of each. */
static bool asks_for_interval(const struct pg_rounds *r)
{
	return !r->work.rules->repeat.fixed && r->arms == 1;
}

enum pg_status pg_rounds_status(const struct pg_rounds *r, const struct pg_progress *c)
{
	enum pg_status broken = c->timeout ? PG_ST_TIMEOUT : PG_ST_FAILED;

	if (c->skip != PG_NOT_SKIPPED)
		return c->skip == PG_SKIP_NOT_SELECTED ? PG_ST_NOT_RUN : PG_ST_SKIPPED;
	if (c->stop == PG_STOP_NONE) {
		if (c->good > 0)
			return PG_ST_OK;
		return c->bad > 0 ? broken : PG_ST_NOT_RUN;
	}
	if (c->stop == PG_STOP_ERROR || pg_rounds_broken(c))
		return broken;
	if (asks_for_interval(r) && (c->stop == PG_STOP_MAX || c->stop == PG_STOP_TIME))
		return PG_ST_UNSTABLE;
	return PG_ST_OK;
}

int64_t pg_rounds_pace(const struct pg_rounds *r, size_t cell)
{
	const struct pg_progress *c = &r->cells[cell];
	const struct pg_history *h = &r->history[cell];

	if (counted(c) > 0)
		return h->measured_ns / (int64_t)counted(c);
	return c->warm > 0 ? h->used_ns / c->warm : 0;
}

static void set_stop(struct pg_rounds *r, struct pg_progress *c, enum pg_stop stop)
{
	r->due -= due(r, c);
	c->stop = (uint8_t)(stop & 7);
	r->due += due(r, c);
}

static void end_arms(struct pg_rounds *r, size_t team, enum pg_stop stop, uint64_t least)
{
	for (size_t i = team * r->arms; i < (team + 1) * r->arms; i++) {
		struct pg_progress *c = &r->cells[i];

		if (!pg_cell_ended(c) && counted(c) >= least)
			set_stop(r, c, pg_rounds_broken(c) ? PG_STOP_ERROR : stop);
	}
}

void pg_rounds_end_team(struct pg_rounds *r, size_t team, enum pg_stop stop)
{
	end_arms(r, team, stop, 0);
}

void pg_rounds_end_measured(struct pg_rounds *r, size_t team, enum pg_stop stop)
{
	end_arms(r, team, stop, 1);
}

/* Arms that had ended go on with the others, but those that failed. */
static void reopen(struct pg_rounds *r, size_t team)
{
	for (size_t i = team * r->arms; i < (team + 1) * r->arms; i++) {
		struct pg_progress *c = &r->cells[i];

		if (!pg_cell_takes_part(c) || c->stop == PG_STOP_NONE)
			continue;
		set_stop(r, c, PG_STOP_NONE);
		c->told = false;
	}
}

/* A rep that is final: neither disturbed nor tried again. */
static void count(struct pg_progress *c, const struct pg_rep_record *rec)
{
	bool bad = rec->out->status != PG_ST_OK;

	c->attempt = 0;
	c->redo = false;
	if (!bad)
		c->row = 0;
	else if (c->row < BAD_IN_A_ROW)
		c->row++;
	if (bad)
		c->timeout = rec->out->status == PG_ST_TIMEOUT;
	if (rec->warmup) {
		c->warm++;
		c->warm_due -= c->warm_due > 0;
		return;
	}
	c->last_round = rec->round;
	c->good += !bad;
	c->bad += bad;
	c->invalid += rec->out->status == PG_ST_INVALID;
}

void pg_rounds_used(struct pg_rounds *r, size_t cell, int64_t took_ns)
{
	if (r->history)
		r->history[cell].used_ns += took_ns;
}

/* What is no final rep; false = it is one. */
static bool take_passing(struct pg_rounds *r, const struct pg_rep_record *rec)
{
	struct pg_progress *c = &r->cells[rec->cell];

	if (rec->out->status != PG_ST_OK && rec->attempt <= r->work.rules->retry) {
		c->attempt = rec->attempt < UINT16_MAX ? (uint16_t)rec->attempt : UINT16_MAX;
		return true;
	}
	if (!rec->disturbed)
		return false;
	c->attempt = 0;
	c->row = 0;
	c->redo = true;
	if (r->redone)
		r->redone[rec->cell]++;
	return true;
}

static int take(struct pg_rounds *r, const struct pg_rep_record *rec, int64_t took_ns, bool live)
{
	struct pg_progress *c = &r->cells[rec->cell];
	size_t team = rec->cell / r->arms;

	pg_rounds_used(r, rec->cell, took_ns);
	if (!rec->warmup && r->history)
		r->history[rec->cell].measured_ns += took_ns;
	/* In a journal: of a session that had other rules, or more time. */
	if (c->stop != PG_STOP_NONE)
		reopen(r, team);
	if (take_passing(r, rec))
		return 0;
	r->due -= due(r, c);
	count(c, rec);
	c->stop = c->row >= BAD_IN_A_ROW ? PG_STOP_ERROR : PG_STOP_NONE;
	r->due += due(r, c);
	r->done++;
	if (!rec->warmup && r->samples && rec->out->status == PG_ST_OK &&
	    pg_rounds_keep(r, rec->cell, rec->round, rec->out) < 0)
		return -1;
	/* An arm that fails leaves the others complete. */
	return rec->warmup && c->stop == PG_STOP_NONE ? 0 : pg_rounds_rule(r, team, rec->cell_id, live);
}

int pg_rounds_take(struct pg_rounds *r, const struct pg_rep_record *rec, int64_t took_ns)
{
	return take(r, rec, took_ns, true);
}

int pg_rounds_restore_ops(struct pg_rounds *r, size_t cell, uint64_t ops)
{
	if (cell >= r->work.n || !r->ops)
		return -1;
	r->ops[cell] = ops;
	return 0;
}

/* What the records know of a rep's length. */
static int64_t recorded_ns(const struct pg_rounds *r, const struct pg_rep_record *rec)
{
	const struct pg_outcome *o = rec->out;

	for (size_t i = 0; i < o->n; i++) {
		const struct pg_metric *row = &r->work.metrics[o->s[i].metric];

		if (row->flags & PG_M_ENGINE && strcmp(row->name, pg_engine_metrics[PG_E_WALL_TIME].name) == 0)
			return o->s[i].missing ? 0 : o->s[i].raw;
	}
	return o->status == PG_ST_TIMEOUT && r->work.rules->timeout_ns > 0 ? r->work.rules->timeout_ns : 0;
}

int pg_rounds_restore_rep(struct pg_rounds *r, const struct pg_rep_record *rec)
{
	if (rec->cell >= r->work.n)
		return -1;
	return take(r, rec, recorded_ns(r, rec), false);
}

/* Reps of the arm that has the fewest: how far the team is. */
static uint64_t team_counted(const struct pg_rounds *r, size_t team)
{
	uint64_t least = UINT64_MAX;

	for (size_t i = team * r->arms; i < (team + 1) * r->arms; i++)
		if (pg_cell_takes_part(&r->cells[i]) && counted(&r->cells[i]) < least)
			least = counted(&r->cells[i]);
	return least;
}

/*
 * Would the rule as it stands now go on where it ended then? `repeat` may have been raised since, and a budget of time
 * be given anew. A comparison that a look has ended is answered, unless its level has become lower.
 */
static int goes_on(struct pg_rounds *r, size_t cell, enum pg_stop then, bool *on)
{
	bool fixed = r->work.rules->repeat.fixed, still;

	*on = false;
	if (team_counted(r, cell / r->arms) >= pg_rounds_most(r))
		return 0;
	switch (then) {
	case PG_STOP_FIXED:
	case PG_STOP_MAX:
		*on = true;
		break;
	case PG_STOP_TIME:
		*on = fixed || (r->work.budget && r->cells[cell].stop == PG_STOP_NONE);
		break;
	case PG_STOP_CI:
		*on = fixed;
		break;
	case PG_STOP_LOOK:
		/* The record of its first arm has ended all. */
		if (r->cells[cell].stop != PG_STOP_NONE)
			break;
		if (pg_rounds_look_again(r, cell / r->arms, &still) < 0)
			return -1;
		*on = !still;
		break;
	case PG_STOP_NONE:
	case PG_STOP_ERROR:
		break;
	}
	return 0;
}

int pg_rounds_restore_end(struct pg_rounds *r, size_t cell, enum pg_stop stop)
{
	struct pg_progress *c;
	bool on;

	if (cell >= r->work.n || goes_on(r, cell, stop, &on) < 0)
		return -1;
	c = &r->cells[cell];
	if (on)
		return 0;
	if (c->stop == PG_STOP_NONE || (!r->work.rules->repeat.fixed && stop != PG_STOP_FIXED))
		set_stop(r, c, stop);
	c->told = true;
	/* The others ended with it, though the journal may be cut before it says so. */
	if (stop != PG_STOP_ERROR)
		pg_rounds_end_measured(r, cell / r->arms, stop);
	return 0;
}

/* The arms of a failed one go on beside it, in rounds that none of them has had: only then are they pairs. */
static void retry_team(struct pg_rounds *r, size_t team)
{
	uint32_t last = 0;

	reopen(r, team);
	for (size_t i = team * r->arms; i < (team + 1) * r->arms; i++)
		if (r->cells[i].last_round > last)
			last = r->cells[i].last_round;
	for (size_t i = team * r->arms; i < (team + 1) * r->arms; i++)
		if (pg_cell_takes_part(&r->cells[i]))
			r->cells[i].last_round = last;
}

static void forget_failures(struct pg_rounds *r, size_t cell)
{
	struct pg_progress *c = &r->cells[cell];

	r->done -= c->bad;
	if (r->history) /* a new budget of time */
		r->history[cell].used_ns = r->history[cell].measured_ns = 0;
	if (c->good == 0) /* it may have failed in its warm-up */
		c->warm_due = r->work.rules->warmup;
	c->bad = c->invalid = 0;
	c->attempt = 0;
	c->redo = false;
	c->row = 0;
	c->timeout = false;
	c->told = false;
	c->stop = PG_STOP_NONE;
	r->due += due(r, c);
}

int pg_rounds_retry_failed(struct pg_rounds *r)
{
	for (size_t i = 0; i < r->work.n; i++) {
		const struct pg_progress *c = &r->cells[i];
		enum pg_status status = pg_rounds_status(r, c);

		if (c->stop == PG_STOP_NONE || (status != PG_ST_FAILED && status != PG_ST_TIMEOUT))
			continue;
		forget_failures(r, i);
		if (r->arms > 1)
			retry_team(r, i / r->arms);
	}
	return 0;
}

void pg_rounds_state(const struct pg_rounds *r, size_t cell, struct pg_cell_state *out)
{
	const struct pg_progress *c = &r->cells[cell];

	*out = (struct pg_cell_state){
		.status = pg_rounds_status(r, c),
		.stop = (enum pg_stop)c->stop,
		.n = c->good,
		.n_warmup = c->warm,
		.n_failed = c->bad,
		.n_redone = r->redone ? r->redone[cell] : 0,
		.ops = r->ops ? r->ops[cell] : 0,
	};
}

void pg_rounds_progress(const struct pg_rounds *r, uint64_t *done, uint64_t *total)
{
	*done = r->done;
	*total = r->done + r->due;
}
