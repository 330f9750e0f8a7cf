/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns of raw integers per sweep; the reps of a cell are a chain backwards in time. Exponents have a column only
 * where a value came with another one than its unit's.
 */
#include "store/samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "engine/parts.h"

#define MISSING	  INT64_MIN
#define FIRST_CAP ((size_t)1024)

struct columns {
	size_t n_metrics;
	const struct pg_metric *metrics;
	uint32_t *before; /* per rep: the cell's rep before it, 1-based, 0 = none */
	uint32_t *round;  /* per rep */
	int64_t **raw;	  /* per metric row; NULL for RATIO rows */
	int8_t **exp;	  /* per metric row; NULL = all at the unit's */
	size_t n, cap;	  /* reps */
	size_t wall;	  /* row of the engine's wall_time; n_metrics = none */
	size_t floor;	  /* row of the batches' floor; n_metrics = none */
};

/* Where the reps of a session begin. */
struct session {
	uint64_t number;
	uint32_t *from; /* per sweep; those behind the last rep: none yet */
	uint32_t unit;	/* 0 = nothing was measured in it yet */
	uint32_t part;	/* as its start has written; 0 = it has not */
};

struct pg_samples {
	const struct pg_plan *plan;
	struct pg_arena arena; /* columns' heads, reasons */
	struct columns *sweeps;
	size_t n_sweeps, n_cells;
	struct pg_cell_acc *acc;
	size_t deepest;
	const char *last_why; /* the same reason comes again and again */
	struct session *sessions;
	size_t n_sessions;
	uint32_t unit, part; /* of the latest measured rep, 0 = none */
};

size_t pg_sweep_of(const struct pg_plan *p, size_t index)
{
	size_t lo = 0, hi = pg_plan_sweeps(p);

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (pg_plan_sweep(p, mid)->first_cell <= index)
			lo = mid;
		else
			hi = mid;
	}
	return lo;
}

int pg_samples_new(const struct pg_plan *p, struct pg_samples **out, struct pg_err *err)
{
	struct pg_samples *s = calloc(1, sizeof(*s));

	if (!s)
		return pg_fail_nomem(err);
	s->plan = p;
	s->n_sweeps = pg_plan_sweeps(p);
	s->n_cells = pg_plan_cells(p);
	pg_arena_init(&s->arena, true);
	s->sweeps = pg_arena_array(&s->arena, s->n_sweeps, sizeof(*s->sweeps));
	s->acc = pg_big_alloc(s->n_cells * sizeof(*s->acc));
	if (!s->sweeps || !s->acc)
		goto fail;
	for (size_t i = 0; i < s->n_sweeps; i++) {
		const struct pg_sweep *sw = pg_plan_sweep(p, i);
		struct columns *c = &s->sweeps[i];

		c->metrics = sw->metrics;
		c->raw = pg_arena_array(&s->arena, sw->n_metrics, sizeof(*c->raw));
		c->exp = pg_arena_array(&s->arena, sw->n_metrics, sizeof(*c->exp));
		if (!c->raw || !c->exp)
			goto fail;
		c->n_metrics = c->wall = c->floor = sw->n_metrics;
		for (size_t m = 0; m < sw->n_metrics; m++)
			if (sw->metrics[m].flags & PG_M_FLOOR)
				c->floor = m;
		pg_metric_find(sw->metrics, pg_engine_metrics[PG_E_WALL_TIME].name, &c->wall);
	}
	*out = s;
	return 0;
fail:
	pg_samples_free(s);
	return pg_fail_nomem(err);
}

void pg_samples_free(struct pg_samples *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->sweeps && i < s->n_sweeps; i++) {
		struct columns *c = &s->sweeps[i];

		for (size_t m = 0; m < c->n_metrics; m++) {
			pg_big_free(c->raw[m], c->cap * sizeof(**c->raw));
			pg_big_free(c->exp[m], c->cap * sizeof(**c->exp));
		}
		pg_big_free(c->before, c->cap * sizeof(*c->before));
		pg_big_free(c->round, c->cap * sizeof(*c->round));
	}
	free(s->sessions);
	pg_big_free(s->acc, s->n_cells * sizeof(*s->acc));
	pg_arena_release(&s->arena);
	free(s);
}

/* All columns to the next capacity. After out of memory the samples can only be freed. */
static int grow(struct columns *c, struct pg_err *err)
{
	size_t cap = c->cap ? c->cap + c->cap / 2 : FIRST_CAP;

	if (c->n < c->cap)
		return 0;
	if (cap > UINT32_MAX)
		return pg_fail(err, PG_ENOMEM, "over 4 billion reps in a sweep");
	if (!pg_big_column(&c->before, c->cap, cap, sizeof(*c->before)) ||
	    !pg_big_column(&c->round, c->cap, cap, sizeof(*c->round)))
		return pg_fail_nomem(err);
	for (size_t m = 0; m < c->n_metrics; m++) {
		if (c->metrics[m].reduce != PG_RATIO && !pg_big_column(&c->raw[m], c->cap, cap, sizeof(**c->raw)))
			return pg_fail_nomem(err);
		if (c->exp[m] && !pg_big_column(&c->exp[m], c->cap, cap, sizeof(**c->exp)))
			return pg_fail_nomem(err);
	}
	c->cap = cap;
	return 0;
}

/* The column of exponents, made when the first value needs one. */
static int need_exp(struct columns *c, size_t m, struct pg_err *err)
{
	int8_t *e = pg_big_alloc(c->cap * sizeof(*e));

	if (!e)
		return pg_fail_nomem(err);
	memset(e, pg_unit_exp(c->metrics[m].unit), c->n);
	c->exp[m] = e;
	return 0;
}

static int store_rep(struct pg_samples *s, struct columns *c, struct pg_cell_acc *a, const struct pg_rep_record *r,
		     struct pg_err *err)
{
	const struct pg_outcome *o = r->out;
	size_t at = c->n, k = 0;

	if (grow(c, err) != 0)
		return -1;
	for (size_t m = 0; m < c->n_metrics; m++) {
		int unit_exp = pg_unit_exp(c->metrics[m].unit);
		const struct pg_sample *v;

		if (c->metrics[m].reduce == PG_RATIO)
			continue;
		while (k < o->n && o->s[k].metric < m)
			k++;
		v = k < o->n && o->s[k].metric == m && !o->s[k].missing ? &o->s[k] : NULL;
		if (v && v->exp10 != unit_exp && !c->exp[m] && need_exp(c, m, err) != 0)
			return -1;
		c->raw[m][at] = v ? v->raw : MISSING;
		if (c->exp[m])
			c->exp[m][at] = (int8_t)(v ? v->exp10 : unit_exp);
	}
	c->before[at] = a->last;
	c->round[at] = r->round;
	c->n++;
	a->last = (uint32_t)c->n;
	a->n++;
	s->deepest = a->n > s->deepest ? a->n : s->deepest;
	return 0;
}

static int64_t wall_ns(const struct columns *c, const struct pg_outcome *o)
{
	for (size_t k = 0; k < o->n; k++)
		if (o->s[k].metric == c->wall && !o->s[k].missing)
			return o->s[k].raw;
	return 0;
}

static int keep_why(struct pg_samples *s, struct pg_cell_acc *a, const char *why, struct pg_err *err)
{
	if (!s->last_why || strcmp(s->last_why, why) != 0)
		s->last_why = pg_arena_strdup(&s->arena, why);
	if (!s->last_why)
		return pg_fail_nomem(err);
	a->why = s->last_why;
	return 0;
}

/*
 * The first measured rep of a session, good or bad, says which unit it is of. The plan of now may have another number
 * of reps than that of then, and split the rounds elsewhere: it is asked only where the journal does not tell.
 */
static void place(struct pg_samples *s, size_t sweep, uint32_t round)
{
	struct session *now = s->n_sessions ? &s->sessions[s->n_sessions - 1] : NULL;
	uint32_t most = pg_rounds_at_most(&pg_plan_sweep(s->plan, sweep)->rules);
	uint32_t part = now && now->part ? now->part : pg_part_of(most, round, pg_plan_sessions(s->plan));

	if (now && now->unit == 0)
		now->unit = s->unit += part != s->part;
	s->part = part;
}

int pg_samples_rep(struct pg_samples *s, size_t index, struct pg_rep_record *r, uint16_t boot, struct pg_err *err)
{
	size_t sweep = pg_sweep_of(s->plan, index);
	struct columns *c = &s->sweeps[sweep];
	struct pg_cell_acc *a = &s->acc[index];
	bool bad = r->out->status != PG_ST_OK;
	int64_t wall;

	if (!r->warmup)
		place(s, sweep, r->round);
	a->ran = true;
	a->stop = PG_STOP_NONE; /* it had ended, and goes on with more reps */
	wall = wall_ns(c, r->out);
	a->time_ns += wall;
	a->time_unknown = a->time_unknown || wall == 0;
	if (a->boot == 0)
		a->boot = boot;
	a->two_boots = a->two_boots || a->boot != boot;
	if (r->rep == 0)
		r->rep = r->warmup ? a->n_warmup + 1 : r->round;
	/* A try that went wrong and is followed by another counts for nothing, as in the rounds. */
	if (bad && r->attempt <= pg_plan_sweep(s->plan, sweep)->rules.retry)
		return 0;
	if (r->warmup)
		a->n_warmup++;
	if (!bad && r->disturbed) {
		a->n_redone = (uint16_t)(a->n_redone + (a->n_redone < UINT16_MAX));
		return 0;
	}
	if (!bad)
		return r->warmup ? 0 : store_rep(s, c, a, r, err);
	a->n_failed += !r->warmup;
	a->bad = (uint8_t)r->out->status;
	return keep_why(s, a, r->out->why, err);
}

int pg_samples_session(struct pg_samples *s, uint64_t session, uint32_t part, struct pg_err *err)
{
	struct session *more;
	uint32_t *from;

	if (s->n_sessions && s->sessions[s->n_sessions - 1].number == session)
		return 0;
	more = reallocarray(s->sessions, s->n_sessions + 1, sizeof(*more));
	from = pg_arena_array(&s->arena, s->n_sweeps, sizeof(*from));
	s->sessions = more ? more : s->sessions;
	if (!more || !from)
		return pg_fail_nomem(err);
	for (size_t i = 0; i < s->n_sweeps; i++)
		from[i] = (uint32_t)s->sweeps[i].n;
	s->sessions[s->n_sessions++] = (struct session){.number = session, .from = from, .part = part};
	return 0;
}

void pg_samples_ops(struct pg_samples *s, size_t index, uint64_t ops)
{
	s->acc[index].ops = ops;
}

void pg_samples_end(struct pg_samples *s, size_t index, enum pg_stop stop)
{
	s->acc[index].stop = (uint8_t)stop;
}

bool pg_samples_retry(struct pg_samples *s, size_t index)
{
	struct pg_cell_acc *a = &s->acc[index];

	if (!a->stop || !a->bad || (a->stop != PG_STOP_ERROR && a->n))
		return false;
	a->stop = PG_STOP_NONE;
	if (a->n == 0)
		a->n_warmup = 0; /* it may have failed in its warm-up, which is run again */
	a->n_failed = 0;
	a->bad = 0;
	a->why = NULL;
	return true;
}

const struct pg_cell_acc *pg_samples_acc(const struct pg_samples *s, size_t index)
{
	return &s->acc[index];
}

void pg_samples_reps(const struct pg_samples *s, size_t sweep, size_t index, uint32_t *reps)
{
	const struct columns *c = &s->sweeps[sweep];
	uint32_t rep = s->acc[index].last;

	for (size_t i = s->acc[index].n; i-- > 0;) {
		reps[i] = rep - 1;
		rep = c->before[rep - 1];
	}
}

static bool get(const struct columns *c, size_t m, uint32_t rep, struct pg_sample *out)
{
	out->metric = (uint32_t)m;
	out->raw = c->raw[m][rep];
	out->exp10 = c->exp[m] ? c->exp[m][rep] : (int8_t)pg_unit_exp(c->metrics[m].unit);
	out->missing = out->raw == MISSING;
	return !out->missing;
}

bool pg_samples_value(const struct pg_samples *s, size_t sweep, size_t metric, uint32_t rep, double *out)
{
	const struct columns *c = &s->sweeps[sweep];
	const struct pg_metric *row = &c->metrics[metric];
	struct pg_sample v[2];
	size_t low, high;

	if (row->reduce != PG_RATIO)
		return get(c, metric, rep, &v[0]) && pg_metric_value(c->metrics, metric, v, 1, out);
	low = row->num < row->den ? row->num : row->den;
	high = row->num < row->den ? row->den : row->num;
	return get(c, low, rep, &v[0]) && get(c, high, rep, &v[1]) &&
	       pg_metric_value(c->metrics, metric, v, low == high ? 1 : 2, out);
}

bool pg_samples_floor(const struct pg_samples *s, size_t sweep, size_t metric, uint32_t rep, double *out)
{
	const struct columns *c = &s->sweeps[sweep];
	struct pg_sample v;

	if (!(c->metrics[metric].flags & PG_M_BATCHED) || c->floor == c->n_metrics)
		return false;
	return get(c, c->floor, rep, &v) && pg_metric_value(c->metrics, c->floor, &v, 1, out);
}

uint32_t pg_samples_round(const struct pg_samples *s, size_t sweep, uint32_t rep)
{
	return s->sweeps[sweep].round[rep];
}

uint32_t pg_samples_unit(const struct pg_samples *s, size_t sweep, uint32_t rep)
{
	size_t lo = 0, hi = s->n_sessions;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->sessions[mid].from[sweep] <= rep)
			lo = mid;
		else
			hi = mid;
	}
	return hi ? s->sessions[lo].unit : 1;
}

uint32_t pg_samples_unit_of(const struct pg_samples *s, uint64_t session)
{
	for (size_t i = s->n_sessions; i-- > 0;)
		if (s->sessions[i].number == session)
			return s->sessions[i].unit;
	return 0;
}

uint32_t pg_samples_part(const struct pg_samples *s)
{
	return s->part;
}

size_t pg_samples_deepest(const struct pg_samples *s)
{
	return s->deepest;
}

size_t pg_samples_bytes(const struct pg_samples *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_sweeps; i++) {
		const struct columns *c = &s->sweeps[i];

		n += c->before ? c->cap * (sizeof(*c->before) + sizeof(*c->round)) : 0;
		for (size_t m = 0; m < c->n_metrics; m++)
			n += (c->raw[m] ? c->cap * sizeof(**c->raw) : 0) + (c->exp[m] ? c->cap : 0);
	}
	return n;
}

static enum pg_status bad_status(const struct pg_cell_acc *a)
{
	/* Warm-ups that went wrong are no result as long as it goes on. */
	if (!a->bad || (a->stop == PG_STOP_NONE && a->n_failed == 0))
		return PG_ST_NOT_RUN;
	return a->bad == PG_ST_TIMEOUT ? PG_ST_TIMEOUT : PG_ST_FAILED;
}

enum pg_status pg_acc_status(const struct pg_cell_acc *a, const struct pg_cell *c)
{
	if (c->skip == PG_SKIP_RULE || c->skip == PG_SKIP_PREFLIGHT)
		return PG_ST_SKIPPED;
	if (c->skip == PG_SKIP_NOT_SELECTED)
		return PG_ST_NOT_RUN;
	if (a->stop == PG_STOP_ERROR || a->n == 0)
		return bad_status(a);
	if ((a->stop == PG_STOP_MAX || a->stop == PG_STOP_TIME) && !c->rules->repeat.fixed && c->rules->repeat.ci > 0)
		return PG_ST_UNSTABLE;
	return PG_ST_OK;
}
