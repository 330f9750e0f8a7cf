/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of each cell: counts, samples, end. Live reps and those of a journal go through the same function.
 */
#include "engine/rounds_priv.h"

#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "engine/stop.h"

#define BAD_IN_A_ROW  3
#define INVALID_SHARE 10 /* more than one in so many: the cell failed */
#define FIRST_SAMPLES 4096

static const char *const stop_names[] = {
	[PG_STOP_NONE] = "none", [PG_STOP_CI] = "ci",	    [PG_STOP_MAX] = "max",
	[PG_STOP_TIME] = "time", [PG_STOP_FIXED] = "fixed", [PG_STOP_ERROR] = "error",
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

static uint32_t most_reps(const struct pg_repeat *rule)
{
	return rule->fixed ? rule->n : rule->max;
}

/* Reps still due if the cell does not stop early. */
static uint64_t due(const struct pg_rounds *r, const struct pg_progress *c)
{
	uint64_t most = most_reps(&r->work.rules->repeat), have = (uint64_t)c->good + c->bad;

	return pg_cell_ended(c) ? 0 : c->warm_due + (most > have ? most - have : 0);
}

static int add_sample(struct pg_rounds *r, struct pg_history *h, double value)
{
	if (r->n_x == r->cap_x) {
		size_t cap = r->cap_x ? r->cap_x * 2 : FIRST_SAMPLES;
		double *x = pg_big_grow(r->x, r->cap_x * sizeof(*x), cap * sizeof(*x));
		uint32_t *prev;

		if (!x)
			return -1;
		r->x = x;
		prev = pg_big_grow(r->prev, r->cap_x * sizeof(*prev), cap * sizeof(*prev));
		if (!prev) {
			/* x goes back to the size that cap_x says; making a mapping smaller does not fail */
			r->x = pg_big_grow(x, cap * sizeof(*x), r->cap_x * sizeof(*x));
			return -1;
		}
		r->prev = prev;
		r->cap_x = cap;
	}
	r->x[r->n_x] = value;
	r->prev[r->n_x] = h->head;
	h->head = (uint32_t)++r->n_x;
	h->n++;
	return 0;
}

/* The cell's samples in time order into r->scratch. */
static int gather(struct pg_rounds *r, const struct pg_history *h)
{
	size_t cap = r->cap_scratch ? r->cap_scratch : 64, n = h->n;

	while (cap < n)
		cap *= 2;
	if (cap > r->cap_scratch) {
		double *p = pg_big_grow(r->scratch, 3 * r->cap_scratch * sizeof(*p), 3 * cap * sizeof(*p));

		if (!p)
			return -1;
		r->scratch = p;
		r->cap_scratch = cap;
	}
	for (uint32_t at = h->head; at > 0; at = r->prev[at - 1])
		r->scratch[--n] = r->x[at - 1];
	return 0;
}

static bool is_broken(const struct pg_progress *c)
{
	return c->row >= BAD_IN_A_ROW || c->good == 0 ||
	       (uint64_t)c->invalid * INVALID_SHARE > (uint64_t)c->good + c->bad;
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
	if (c->stop == PG_STOP_ERROR || is_broken(c))
		return broken;
	if (!r->work.rules->repeat.fixed && (c->stop == PG_STOP_MAX || c->stop == PG_STOP_TIME))
		return PG_ST_UNSTABLE;
	return PG_ST_OK;
}

/* The rule's answer after a measured rep. */
static int check_rule(struct pg_rounds *r, size_t cell, enum pg_stop *stop)
{
	const struct pg_repeat *rule = &r->work.rules->repeat;
	struct pg_progress *c = &r->cells[cell];
	size_t done = (size_t)c->good + c->bad;
	struct pg_history *h;

	if (rule->fixed) {
		*stop = done >= rule->n ? PG_STOP_FIXED : PG_STOP_NONE;
		return 0;
	}
	h = &r->history[cell];
	if (gather(r, h) < 0)
		return -1;
	*stop = pg_stop_check(rule, r->scratch, h->n, done, h->used_ns, h->measured_ns / (int64_t)done,
			      r->scratch + r->cap_scratch, NULL);
	return 0;
}

static int decide(struct pg_rounds *r, size_t cell, bool warmup)
{
	struct pg_progress *c = &r->cells[cell];
	enum pg_stop stop = PG_STOP_NONE;

	if (c->row >= BAD_IN_A_ROW)
		stop = PG_STOP_ERROR;
	else if (!warmup && check_rule(r, cell, &stop) < 0)
		return -1;
	if (stop != PG_STOP_NONE && is_broken(c))
		stop = PG_STOP_ERROR;
	c->stop = (uint8_t)(stop & 7);
	return 0;
}

static void count(struct pg_progress *c, const struct pg_rep_record *rec)
{
	bool bad = rec->out->status != PG_ST_OK;

	c->attempt = 0;
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

int pg_rounds_take(struct pg_rounds *r, const struct pg_rep_record *rec, int64_t took_ns)
{
	struct pg_progress *c = &r->cells[rec->cell];
	const struct pg_work *w = &r->work;
	double value;

	pg_rounds_used(r, rec->cell, took_ns);
	if (!rec->warmup && r->history)
		r->history[rec->cell].measured_ns += took_ns;
	if (rec->out->status != PG_ST_OK && rec->attempt <= w->rules->retry) {
		c->attempt = rec->attempt < UINT16_MAX ? (uint16_t)rec->attempt : UINT16_MAX;
		return 0;
	}
	r->due -= due(r, c);
	count(c, rec);
	if (!rec->warmup && r->history && rec->out->status == PG_ST_OK &&
	    pg_metric_value(w->metrics, w->stop_metric, rec->out->s, rec->out->n, &value) &&
	    add_sample(r, &r->history[rec->cell], value) < 0)
		return -1;
	if (decide(r, rec->cell, rec->warmup) < 0)
		return -1;
	r->due += due(r, c);
	r->done++;
	return 0;
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
	return pg_rounds_take(r, rec, recorded_ns(r, rec));
}

/* Would the rule as it stands now go on where it ended then? `repeat` may have been raised since. */
static bool goes_on(const struct pg_rounds *r, const struct pg_progress *c, enum pg_stop then)
{
	const struct pg_repeat *rule = &r->work.rules->repeat;
	bool room = (uint64_t)c->good + c->bad < most_reps(rule);

	if (then == PG_STOP_ERROR)
		return false;
	return room && (rule->fixed || then == PG_STOP_FIXED || then == PG_STOP_MAX);
}

int pg_rounds_restore_end(struct pg_rounds *r, size_t cell, enum pg_stop stop)
{
	struct pg_progress *c;

	if (cell >= r->work.n)
		return -1;
	c = &r->cells[cell];
	if (goes_on(r, c, stop))
		return 0;
	r->due -= due(r, c);
	if (c->stop == PG_STOP_NONE || (!r->work.rules->repeat.fixed && stop != PG_STOP_FIXED))
		c->stop = (uint8_t)(stop & 7);
	c->told = true;
	r->due += due(r, c);
	return 0;
}

int pg_rounds_retry_failed(struct pg_rounds *r)
{
	for (size_t i = 0; i < r->work.n; i++) {
		struct pg_progress *c = &r->cells[i];
		enum pg_status status = pg_rounds_status(r, c);

		if (c->stop == PG_STOP_NONE || (status != PG_ST_FAILED && status != PG_ST_TIMEOUT))
			continue;
		r->done -= c->bad;
		if (r->history) /* a new budget of time */
			r->history[i].used_ns = r->history[i].measured_ns = 0;
		if (c->good == 0) /* it may have failed in its warm-up */
			c->warm_due = r->work.rules->warmup;
		c->bad = c->invalid = 0;
		c->attempt = 0;
		c->row = 0;
		c->timeout = false;
		c->told = false;
		c->stop = PG_STOP_NONE;
		r->due += due(r, c);
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
		.ops = r->ops ? r->ops[cell] : 0,
	};
}

void pg_rounds_progress(const struct pg_rounds *r, uint64_t *done, uint64_t *total)
{
	*done = r->done;
	*total = r->done + r->due;
}
