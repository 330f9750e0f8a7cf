/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/rounds_priv.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "engine/stop.h"

#define SLICE_NS INT64_C(100000000) /* of a pause, between two looks at *stop */
#define SLOW_STEP_NS                                                                                                   \
	INT64_C(100000000) /* at least between two readings of the slow facts: reps may take less than these */

/* One call of pg_rounds_run(). */
struct going {
	struct pg_rounds *r;
	const struct pg_executor *exec;
	const struct pg_observer *obs;
	const struct pg_clock *clock;
	const volatile sig_atomic_t *stop;
	struct pg_err *err;
	bool begun;	/* a rep was run: a pause is due before the next */
	bool slow_due;	/* first rep of a round */
	bool slow_read; /* slow_ns holds */
	int64_t slow_ns;
};

/* Results of the functions below: go on, or leave everything as it is, or -1 with *err. */
enum { GO_ON = 0, STOPPED = 1 };

/* A slot of a round. */
struct slot {
	size_t i;
	bool warmup;
	uint32_t round, position;
};

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
	uint64_t each = (uint64_t)rules->warmup + (rules->repeat.fixed ? rules->repeat.n : rules->repeat.max);

	for (size_t i = 0; i < r->work.n; i++) {
		r->cells[i].warm_due = rules->warmup;
		r->due += pg_cell_ended(&r->cells[i]) ? 0 : each;
	}
}

int pg_rounds_new(struct pg_rounds **out, const struct pg_work *work, struct pg_err *err)
{
	struct pg_rounds *r = calloc(1, sizeof(*r));
	size_t n = work->n;

	if (!r)
		return pg_fail_nomem(err);
	r->work = *work;
	r->cells = pg_big_alloc(n * sizeof(*r->cells));
	r->active = pg_big_alloc(n * sizeof(*r->active));
	r->order = pg_big_alloc(n * sizeof(*r->order));
	if (!work->rules->repeat.fixed)
		r->history = pg_big_alloc(n * sizeof(*r->history));
	if (!r->cells || !r->active || !r->order || (!work->rules->repeat.fixed && !r->history)) {
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
	pg_big_free(r->active, n * sizeof(*r->active));
	pg_big_free(r->order, n * sizeof(*r->order));
	pg_big_free(r->ops, n * sizeof(*r->ops));
	pg_big_free(r->history, n * sizeof(*r->history));
	pg_big_free(r->x, r->cap_x * sizeof(*r->x));
	pg_big_free(r->prev, r->cap_x * sizeof(*r->prev));
	pg_big_free(r->scratch, 3 * r->cap_scratch * sizeof(*r->scratch));
	free(r);
}

static bool stopped(const struct going *g)
{
	return g->stop && *g->stop;
}

static int64_t now(const struct going *g)
{
	return g->clock->mono(g->clock->ctx);
}

/* In slices: a signal that comes right before the sleep must not have to wait for its end. */
static void rest(struct going *g)
{
	int64_t left = g->begun ? g->r->work.rules->pause_ns : 0;

	for (; left > 0 && !stopped(g); left -= SLICE_NS)
		g->clock->sleep(g->clock->ctx, left < SLICE_NS ? left : SLICE_NS);
}

static bool slow_facts(struct going *g)
{
	int64_t t;

	if (!g->slow_due)
		return false;
	g->slow_due = false;
	t = now(g);
	if (g->slow_read && t - g->slow_ns < SLOW_STEP_NS)
		return false;
	g->slow_read = true;
	g->slow_ns = t;
	return true;
}

static int between(struct going *g)
{
	return g->obs->between && g->obs->between(g->obs->ctx, g->err) < 0 ? -1 : 0;
}

/* Runs one job and takes its time. STOPPED: what came out is to be dropped. */
static int execute(struct going *g, const struct pg_job *job, struct pg_outcome *out, int64_t *took_ns)
{
	int64_t t;

	if (g->obs->rep_start && g->obs->rep_start(g->obs->ctx, job) < 0)
		return pg_fail(g->err, PG_EWRITE, "the start of a rep could not be reported");
	t = now(g);
	if (g->exec->run(g->exec->ctx, job, out, g->err) < 0)
		return -1;
	*took_ns = pg_since(now(g), t);
	g->begun = true;
	if (out->status == PG_ST_NOT_RUN || (stopped(g) && out->status != PG_ST_OK))
		return STOPPED;
	return GO_ON;
}

static void fill_job(const struct going *g, const struct pg_cell *cell, const struct slot *s, struct pg_job *job)
{
	const struct pg_progress *c = &g->r->cells[s->i];

	*job = (struct pg_job){.cell = cell, .warmup = s->warmup};
	job->ops = g->r->ops ? g->r->ops[s->i] : 0;
	job->rep = s->warmup ? c->warm + 1 : s->round;
	job->attempt = c->attempt + 1U;
	job->seed = pg_rep_seed(g->r->work.seed, cell->id, s->warmup, job->rep);
}

static int tell_end(struct going *g, const struct pg_cell *cell, struct pg_progress *c)
{
	if (c->stop == PG_STOP_NONE || c->told)
		return GO_ON;
	if (g->obs->cell_done &&
	    g->obs->cell_done(g->obs->ctx, cell, (enum pg_stop)c->stop, pg_rounds_status(g->r, c), g->err) < 0)
		return -1;
	c->told = true;
	return GO_ON;
}

/* Into the books and to the observer. */
static int record(struct going *g, const struct slot *s, const struct pg_job *job, const struct pg_outcome *out,
		  int64_t took_ns)
{
	struct pg_rep_record rec = {
		.cell = s->i,
		.cell_id = job->cell->id,
		.warmup = s->warmup,
		.round = s->warmup ? 0 : s->round,
		.position = s->position,
		.seeded = true,
		.seed = job->seed,
		.attempt = job->attempt,
		.rep = job->rep,
		.out = out,
	};

	if (pg_rounds_take(g->r, &rec, took_ns) < 0)
		return pg_fail_nomem(g->err);
	if (g->obs->rep_done && g->obs->rep_done(g->obs->ctx, job->cell, &rec, g->err) < 0)
		return -1;
	if (tell_end(g, job->cell, &g->r->cells[s->i]) < 0)
		return -1;
	return between(g);
}

/* One rep with its further tries. */
static int run_rep(struct going *g, const struct slot *s)
{
	struct pg_progress *c = &g->r->cells[s->i];
	const struct pg_cell *cell;
	struct pg_outcome out;
	struct pg_job job;
	int64_t took;
	int r;

	do {
		rest(g);
		if (stopped(g))
			return STOPPED;
		if (g->r->work.cell(g->r->work.ctx, s->i, &cell, g->err) < 0)
			return -1;
		fill_job(g, cell, s, &job);
		job.slow_facts = !s->warmup && slow_facts(g);
		r = execute(g, &job, &out, &took);
		if (r == GO_ON)
			r = record(g, s, &job, &out, took);
	} while (r == GO_ON && c->attempt > 0);
	return r;
}

/* The steps up to a result or a bad one, which becomes a warm-up record: nothing else would say why the cell failed. */
static int calibrate_once(struct going *g, const struct slot *s)
{
	struct pg_calibration cal;
	const struct pg_cell *cell;
	struct pg_outcome out;
	struct pg_job job;
	int64_t took;
	int r;

	pg_calibration_start(&cal, g->r->work.rules->sample_time_ns);
	while (!cal.done) {
		if (stopped(g))
			return STOPPED;
		if (g->r->work.cell(g->r->work.ctx, s->i, &cell, g->err) < 0)
			return -1;
		fill_job(g, cell, s, &job);
		job.calibrate = true;
		job.ops = cal.ops;
		r = execute(g, &job, &out, &took);
		if (r != GO_ON)
			return r;
		/* A sample of 0 is no fault of a step: one loop may be too short to be seen. */
		if (out.status != PG_ST_OK && out.status != PG_ST_INVALID)
			return record(g, s, &job, &out, took);
		pg_rounds_used(g->r, s->i, took);
		pg_calibration_step(&cal, out.once_ns);
		if (between(g) < 0)
			return -1;
	}
	g->r->ops[s->i] = cal.ops;
	if (g->obs->calibrated && g->obs->calibrated(g->obs->ctx, cell, cal.ops, g->err) < 0)
		return -1;
	return GO_ON;
}

/* Calibration and warm-ups that the cell still lacks. */
static int prepare(struct going *g, size_t i, uint32_t position)
{
	struct pg_progress *c = &g->r->cells[i];
	struct slot s = {.i = i, .warmup = true, .position = position};
	int r = GO_ON;

	while (r == GO_ON && c->stop == PG_STOP_NONE && c->automatic && g->r->ops[i] == 0)
		r = calibrate_once(g, &s);
	while (r == GO_ON && c->stop == PG_STOP_NONE && c->warm_due > 0)
		r = run_rep(g, &s);
	return r;
}

static int run_slot(struct going *g, size_t i, uint32_t round, uint32_t position)
{
	struct slot s = {.i = i, .round = round, .position = position};
	int r = prepare(g, i, position);

	if (r != GO_ON || g->r->cells[i].stop != PG_STOP_NONE)
		return r;
	return run_rep(g, &s);
}

static int run_grouped(struct going *g)
{
	int r = GO_ON;

	for (size_t i = 0; i < g->r->work.n && r == GO_ON; i++) {
		struct pg_progress *c = &g->r->cells[i];

		g->slow_due = true;
		while (r == GO_ON && !pg_cell_ended(c))
			r = run_slot(g, i, c->last_round + 1, 0);
	}
	return r;
}

static int warm_up(struct going *g)
{
	size_t n = pg_rounds_order(g->r, 0);
	int r = GO_ON;

	for (size_t k = 0; k < n && r == GO_ON; k++)
		r = prepare(g, g->r->order[k], (uint32_t)k);
	return r;
}

static int run_round(struct going *g, uint32_t round)
{
	size_t n = pg_rounds_order(g->r, round);
	int r = GO_ON;

	g->slow_due = true;
	for (size_t k = 0; k < n && r == GO_ON; k++) {
		const struct pg_progress *c = &g->r->cells[g->r->order[k]];

		if (pg_cell_ended(c) || c->last_round == round)
			continue;
		r = run_slot(g, g->r->order[k], round, (uint32_t)k);
	}
	return r;
}

static int run_rounds(struct going *g)
{
	int r = warm_up(g);
	uint32_t round;

	/* The first one may have been cut short: what is done in it is passed over. */
	while (r == GO_ON && (round = pg_rounds_next(g->r)) > 0)
		r = run_round(g, round);
	return r;
}

/* Cells whose last rep is in the journal, but not that it was the last. */
static int tell_ended(struct going *g)
{
	const struct pg_cell *cell;

	for (size_t i = 0; i < g->r->work.n; i++) {
		struct pg_progress *c = &g->r->cells[i];

		if (c->skip != PG_NOT_SKIPPED || c->stop == PG_STOP_NONE || c->told)
			continue;
		if (g->r->work.cell(g->r->work.ctx, i, &cell, g->err) < 0 || tell_end(g, cell, c) < 0)
			return -1;
	}
	return GO_ON;
}

int pg_rounds_run(struct pg_rounds *r, const struct pg_executor *exec, const struct pg_observer *obs,
		  const struct pg_clock *clock, const volatile sig_atomic_t *stop, struct pg_err *err)
{
	static const struct pg_observer none = {.ctx = NULL};
	struct going g = {
		.r = r,
		.exec = exec,
		.obs = obs ? obs : &none,
		.clock = clock,
		.stop = stop,
		.err = err,
	};
	int result = tell_ended(&g);

	if (result == GO_ON)
		result = r->work.rules->order == PG_GROUPED ? run_grouped(&g) : run_rounds(&g);
	return result < 0 ? -1 : 0;
}
