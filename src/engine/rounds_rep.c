/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One rep with its further tries, and the calibration that comes before the first. */
#include "engine/rounds_going.h"

#include "base/clock.h"
#include "base/err.h"
#include "engine/guards.h"
#include "engine/stop.h"

#define SLICE_NS INT64_C(100000000) /* of a pause, between two looks at *stop */
#define SLOW_STEP_NS                                                                                                   \
	INT64_C(100000000) /* at least between two readings of the slow facts: reps may take less than these */

static bool stopped(const struct pg_going *g)
{
	return g->stop && *g->stop;
}

static int64_t now(const struct pg_going *g)
{
	return g->clock->mono(g->clock->ctx);
}

bool pg_going_fits(const struct pg_going *g, size_t team)
{
	const struct pg_rounds *r = g->r;
	int64_t took = 0;

	if (g->until.time_ns == 0)
		return true;
	for (size_t i = team * r->arms; r->history && i < (team + 1) * r->arms; i++)
		if (!pg_cell_ended(&r->cells[i]))
			took += pg_rounds_pace(r, i) + r->work.rules->pause_ns;
	return now(g) < g->until.time_ns && took <= g->until.time_ns - now(g);
}

/* In slices: a signal that comes right before the sleep must not have to wait for its end. */
static void rest(struct pg_going *g)
{
	int64_t left = g->begun ? g->r->work.rules->pause_ns : 0;

	for (; left > 0 && !stopped(g); left -= SLICE_NS)
		g->clock->sleep(g->clock->ctx, left < SLICE_NS ? left : SLICE_NS);
}

static bool slow_facts(struct pg_going *g)
{
	int64_t t;

	/* Guards need them of every rep. */
	if (g->r->work.rules->redo > 0)
		return true;
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

static int between(struct pg_going *g)
{
	return g->obs->between && g->obs->between(g->obs->ctx, g->err) < 0 ? -1 : 0;
}

/* Runs one job and takes its time. STOPPED: what came out is to be dropped. */
static int execute(struct pg_going *g, const struct pg_job *job, struct pg_outcome *out, int64_t *took_ns)
{
	int64_t t;

	if (g->obs->rep_start && g->obs->rep_start(g->obs->ctx, job) < 0)
		return pg_fail(g->err, PG_EWRITE, "the start of a rep could not be reported");
	t = now(g);
	if (g->exec->run(g->exec->ctx, job, out, g->err) < 0)
		return -1;
	*took_ns = pg_since(now(g), t);
	g->begun = g->ran = true;
	if (out->status == PG_ST_NOT_RUN || (stopped(g) && out->status != PG_ST_OK))
		return PG_STOPPED;
	return PG_GO_ON;
}

static int get_cell(struct pg_going *g, size_t i, const struct pg_cell **cell)
{
	return g->r->work.cell(g->r->work.ctx, i, cell, g->err);
}

/* round 0: a warm-up. */
static void fill_job(const struct pg_going *g, size_t i, const struct pg_cell *cell, uint32_t round, struct pg_job *job)
{
	const struct pg_progress *c = &g->r->cells[i];

	*job = (struct pg_job){.cell = cell, .warmup = round == 0};
	job->ops = g->r->ops ? g->r->ops[i] : 0;
	job->rep = round == 0 ? c->warm + 1 : round;
	job->attempt = c->attempt + 1U;
	job->seed = pg_rep_seed(g->r->work.seed, cell->id, round == 0, job->rep);
}

/* Is there time to do again a rep that took so long? `time` of the cell and the budget bind here too. */
static bool may_redo(const struct pg_going *g, size_t i, int64_t took_ns)
{
	const struct pg_rounds *r = g->r;
	const struct pg_repeat *rule = &r->work.rules->repeat;

	if (g->until.time_ns && took_ns > g->until.time_ns - now(g))
		return false;
	return rule->fixed || !r->history || 2 * took_ns <= rule->time_ns - r->history[i].used_ns;
}

/* A good measured rep whose guards fired, while the cell may have it done again. */
static bool is_disturbed(const struct pg_going *g, size_t i, const struct pg_job *job, const struct pg_outcome *out,
			 int64_t took_ns)
{
	const struct pg_rounds *r = g->r;

	return r->redone && may_redo(g, i, took_ns) && !job->warmup && out->status == PG_ST_OK &&
	       r->redone[i] < r->work.rules->redo &&
	       pg_guards_fired(r->work.metrics, out, pg_guards_cpus(job->cell->keys, r->work.cpus)) & PG_GUARDS_REDO;
}

/* Into the books and to the observer. */
static int record(struct pg_going *g, size_t i, uint32_t position, const struct pg_job *job,
		  const struct pg_outcome *out, int64_t took_ns)
{
	struct pg_rep_record rec = {
		.cell = i,
		.cell_id = job->cell->id,
		.warmup = job->warmup,
		.round = job->warmup ? 0 : job->rep,
		.position = position,
		.seeded = true,
		.seed = job->seed,
		.attempt = job->attempt,
		.rep = job->rep,
		.disturbed = is_disturbed(g, i, job, out, took_ns),
		.redo = g->r->cells[i].redo,
		.out = out,
	};

	if (pg_rounds_take(g->r, &rec, took_ns) < 0)
		return pg_fail_nomem(g->err);
	if (g->obs->rep_done && g->obs->rep_done(g->obs->ctx, job->cell, &rec, g->err) < 0)
		return -1;
	/* From here on the cell may be another one in the same place. */
	return pg_going_tell(g, i / g->r->arms) < 0 ? -1 : between(g);
}

int pg_going_rep(struct pg_going *g, size_t cell, uint32_t round, uint32_t position)
{
	const struct pg_progress *c = &g->r->cells[cell];
	const struct pg_cell *now_cell;
	struct pg_outcome out;
	struct pg_job job;
	int64_t took;
	int r;

	do {
		rest(g);
		if (stopped(g))
			return PG_STOPPED;
		if (get_cell(g, cell, &now_cell) < 0)
			return -1;
		fill_job(g, cell, now_cell, round, &job);
		job.slow_facts = round > 0 && slow_facts(g);
		r = execute(g, &job, &out, &took);
		if (r == PG_GO_ON)
			r = record(g, cell, position, &job, &out, took);
	} while (r == PG_GO_ON && (c->attempt > 0 || c->redo));
	return r;
}

/*
 * The steps up to a result or a bad one, which becomes a warm-up record: nothing else would say why the cell failed.
 * *ops: what was found, else 0.
 */
static int calibrate_once(struct pg_going *g, size_t i, uint32_t position, uint64_t *ops)
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
			return PG_STOPPED;
		if (get_cell(g, i, &cell) < 0)
			return -1;
		fill_job(g, i, cell, 0, &job);
		job.calibrate = true;
		job.ops = cal.ops;
		r = execute(g, &job, &out, &took);
		if (r != PG_GO_ON)
			return r;
		/* A sample of 0 is no fault of a step: one loop may be too short to be seen. */
		if (out.status != PG_ST_OK && out.status != PG_ST_INVALID)
			return record(g, i, position, &job, &out, took);
		pg_rounds_used(g->r, i, took);
		pg_calibration_step(&cal, out.once_ns);
		if (between(g) < 0)
			return -1;
	}
	*ops = cal.ops;
	return PG_GO_ON;
}

/* The slowest arm has the least count; 0 = none has one. */
static int find_least(struct pg_going *g, size_t team, uint32_t position, uint64_t *least)
{
	struct pg_rounds *r = g->r;
	int result = PG_GO_ON;

	for (size_t a = 0; a < r->arms && result == PG_GO_ON; a++) {
		size_t i = team * r->arms + a;
		uint64_t ops = 0;

		while (result == PG_GO_ON && r->cells[i].automatic && !pg_cell_ended(&r->cells[i]) && ops == 0)
			result = calibrate_once(g, i, position + (uint32_t)a, &ops);
		if (ops > 0 && (*least == 0 || ops < *least))
			*least = ops;
	}
	return result;
}

/*
 * All arms take the count of the slowest, for the fixed cost of a batch is divided by it. Once frozen it stays: an arm
 * that comes later takes it as it is.
 */
int pg_going_calibrate(struct pg_going *g, size_t team, uint32_t position)
{
	struct pg_rounds *r = g->r;
	size_t first = team * r->arms, end = first + r->arms;
	const struct pg_cell *cell;
	bool lacking = false;
	uint64_t ops = 0;
	int result = PG_GO_ON;

	for (size_t i = first; i < end; i++) {
		const struct pg_progress *c = &r->cells[i];

		if (c->automatic && r->ops[i] > 0)
			ops = r->ops[i];
		lacking |= c->automatic && r->ops[i] == 0 && !pg_cell_ended(c);
	}
	if (!lacking)
		return PG_GO_ON;
	if (ops == 0)
		result = find_least(g, team, position, &ops);
	for (size_t i = first; i < end && result == PG_GO_ON; i++) {
		const struct pg_progress *c = &r->cells[i];

		if (!c->automatic || r->ops[i] > 0 || pg_cell_ended(c))
			continue;
		if (get_cell(g, i, &cell) < 0)
			return -1;
		r->ops[i] = ops;
		if (g->obs->calibrated && g->obs->calibrated(g->obs->ctx, cell, ops, g->err) < 0)
			return -1;
	}
	return result;
}
