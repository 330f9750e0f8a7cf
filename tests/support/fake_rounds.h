/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A sweep of fake cells run by pg_rounds_run(): an executor that answers from a function, a clock that moves only by
 * what is run and slept, and a log of all that was observed. Header only: it needs layers that other tests do not link.
 */
#ifndef PG_TESTS_FAKE_ROUNDS_H
#define PG_TESTS_FAKE_ROUNDS_H

#include "tests/support/fake_bench.h"

#include "engine/rounds.h"
#include "stats/tests.h"

#define FR_LOG 4096

enum fr_kind { FR_REP, FR_CAL, FR_END };
struct fr_event {
	enum fr_kind kind;
	size_t cell;
	bool warmup;
	uint32_t round, position, attempt, rep;
	enum pg_status status;
	int64_t raw;   /* of the sample, 0 = none */
	int64_t floor; /* of its batches, 0 = none */
	bool disturbed, redo;
	uint64_t ops, seed;
	enum pg_stop stop;
};

#define FR_FLOOR FB_LEAST /* with `floors` */
#define FR_ROWS	 (FB_ENGINE(PG_ENGINE_METRICS) + 1)

struct fr {
	size_t n;
	size_t arms; /* of a cell; 0 = no variants */
	uint64_t family;
	bool budget;
	struct pg_rules rules;
	struct fb_cell cell; /* the template of all */
	struct pg_metric rows[FR_ROWS];
	bool floors;	    /* the time is that of batches */
	uint64_t id;	    /* of cell 0 */
	struct pg_cell now; /* the one handed out last */
	bool automatic;
	enum pg_skip (*skip)(size_t i);
	/* The answer for a job: a status, and *raw in ns (preset: 1 ms) which is also the time it takes. */
	enum pg_status (*answer)(const struct fr *f, const struct pg_job *job, size_t i, int64_t *raw);
	/* With `floors`: of a rep, 0 = none. Is a rep disturbed? Both may be NULL. */
	int64_t (*floor)(const struct fr *f, const struct pg_job *job, size_t i);
	bool (*disturb)(const struct fr *f, const struct pg_job *job, size_t i);
	uint64_t seed, key;

	struct pg_clock clock;
	int64_t t, slept;
	volatile sig_atomic_t stop;
	size_t stop_after;  /* records; SIZE_MAX = never */
	size_t stop_within; /* jobs: the stop comes while the next one runs */
	bool fail_observer;
	struct fr_event log[FR_LOG];
	size_t n_log, n_records, n_jobs, n_calibrations, n_slow, n_between, n_starts;
	struct pg_rounds *rounds;
};

/* -0.5 to 0.5: another for each cell and rep, the same for each try. */
static inline double fr_noise(const struct pg_job *job, size_t i)
{
	uint64_t h = job->seed + 0x9e3779b97f4a7c15U * (i + 1);

	h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9U;
	h = (h ^ (h >> 27)) * 0x94d049bb133111ebU;
	return (double)(h >> 40) / 16777216.0 - 0.5;
}

static inline int64_t fr_mono(void *ctx)
{
	return ((struct fr *)ctx)->t;
}

static inline void fr_sleep(void *ctx, int64_t ns)
{
	struct fr *f = ctx;

	f->t += ns;
	f->slept += ns;
}

/* The arms of a cell have one id. */
static inline uint64_t fr_id(const struct fr *f, size_t i)
{
	return f->id + i / (f->arms ? f->arms : 1);
}

static inline int fr_get(void *ctx, size_t i, const struct pg_cell **cell, struct pg_err *err)
{
	struct fr *f = ctx;

	(void)err;
	f->now = f->cell.cell;
	f->now.rules = &f->rules;
	f->now.id = fr_id(f, i);
	f->now.index = i;
	f->now.n_variants = (uint32_t)(f->arms ? f->arms : 1);
	f->now.variant = (uint32_t)(i % f->now.n_variants);
	f->now.skip = f->skip ? f->skip(i) : PG_NOT_SKIPPED;
	*cell = &f->now;
	return 0;
}

static inline void fr_sample(struct pg_outcome *out, size_t metric, int64_t raw, int exp10)
{
	out->s[out->n++] = (struct pg_sample){.raw = raw, .metric = (uint32_t)metric, .exp10 = (int8_t)exp10};
}

/* floor 0 = none. */
static inline void fr_outcome_full(struct pg_outcome *out, enum pg_status status, int64_t raw, int64_t floor,
				   bool disturbed)
{
	out->status = status;
	out->why[0] = '\0';
	out->n = 0;
	for (int i = 0; i < PG_FACTS; i++)
		out->facts[i] = PG_FACT_ABSENT;
	if (status != PG_ST_OK)
		return;
	fr_sample(out, FB_TIME, raw, -9);
	if (floor > 0)
		fr_sample(out, FR_FLOOR, floor, -9);
	fr_sample(out, FB_ENGINE(PG_E_WALL_TIME), raw, -9);
	if (disturbed)
		fr_sample(out, FB_ENGINE(PG_E_MAJOR_FAULTS), 1, 0);
}

static inline void fr_outcome(struct pg_outcome *out, enum pg_status status, int64_t raw)
{
	fr_outcome_full(out, status, raw, 0, false);
}

static inline int fr_run(void *ctx, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	struct fr *f = ctx;
	int64_t raw = 1000000, floor = 0;
	enum pg_status status = PG_ST_OK;

	if (f->answer)
		status = f->answer(f, job, job->cell->index, &raw);
	f->n_jobs++;
	f->n_calibrations += job->calibrate;
	f->n_slow += job->slow_facts;
	if (f->n_jobs == f->stop_within) {
		f->stop = SIGTERM;
		status = PG_ST_NOT_RUN;
	}
	f->t += status == PG_ST_TIMEOUT && f->rules.timeout_ns > 0 ? f->rules.timeout_ns : status == PG_ST_OK ? raw : 0;
	if (f->floors && f->floor)
		floor = f->floor(f, job, job->cell->index);
	fr_outcome_full(out, status, raw, floor, f->disturb && f->disturb(f, job, job->cell->index));
	out->once_ns = raw;
	return status == PG_ST_ABSENT ? pg_fail(err, PG_ENOMEM, "the executor is broken") : 0;
}

static inline struct fr_event *fr_add(struct fr *f, enum fr_kind kind, size_t cell)
{
	struct fr_event *e = &f->log[f->n_log];

	ck_assert_uint_lt(f->n_log, FR_LOG);
	f->n_log++;
	*e = (struct fr_event){.kind = kind, .cell = cell};
	return e;
}

static inline int fr_start(void *ctx, const struct pg_job *job)
{
	struct fr *f = ctx;

	(void)job;
	f->n_starts++;
	return 0;
}

static inline int fr_calibrated(void *ctx, const struct pg_cell *cell, uint64_t ops, struct pg_err *err)
{
	(void)err;
	fr_add(ctx, FR_CAL, cell->index)->ops = ops;
	return 0;
}

static inline int fr_rep_done(void *ctx, const struct pg_cell *cell, const struct pg_rep_record *r, struct pg_err *err)
{
	struct fr *f = ctx;
	struct fr_event *e = fr_add(f, FR_REP, cell->index);

	ck_assert_uint_eq(r->cell, cell->index);
	ck_assert_uint_eq(r->cell_id, cell->id);
	ck_assert(r->seeded && r->seed == pg_rep_seed(f->seed, cell->id, r->warmup, r->rep));
	e->warmup = r->warmup;
	e->round = r->round;
	e->position = r->position;
	e->attempt = r->attempt;
	e->rep = r->rep;
	e->status = r->out->status;
	e->raw = r->out->n ? r->out->s[0].raw : 0;
	e->floor = r->out->n > 1 && r->out->s[1].metric == FR_FLOOR ? r->out->s[1].raw : 0;
	e->disturbed = r->disturbed;
	e->redo = r->redo;
	e->seed = r->seed;
	if (++f->n_records == f->stop_after)
		f->stop = SIGINT;
	return f->fail_observer ? pg_fail(err, PG_EWRITE, "the disk is full") : 0;
}

static inline int fr_cell_done(void *ctx, const struct pg_cell *cell, enum pg_stop stop, enum pg_status status,
			       struct pg_err *err)
{
	struct fr_event *e = fr_add(ctx, FR_END, cell->index);

	(void)err;
	e->stop = stop;
	e->status = status;
	return 0;
}

static inline int fr_between(void *ctx, struct pg_err *err)
{
	(void)err;
	((struct fr *)ctx)->n_between++;
	return 0;
}

/* Rules: three reps, one warm-up, shuffled; to be changed before fr_open(). */
static inline void fr_init(struct fr *f, size_t n)
{
	memset(f, 0, sizeof(*f));
	f->n = n;
	f->rules = (struct pg_rules){.repeat = {.fixed = true, .n = 3},
				     .warmup = 1,
				     .timeout_ns = 5000000,
				     .order = PG_INTERLEAVED,
				     .sample_time_ns = 50000000};
	f->seed = 42;
	f->key = 7;
	f->id = 1000;
	f->stop_after = SIZE_MAX;
	f->clock = (struct pg_clock){.mono = fr_mono, .wall = fr_mono, .sleep = fr_sleep, .ctx = f};
}

static inline void fr_ci(struct fr *f, uint32_t max, double ci, int64_t time_ns)
{
	f->rules.repeat = (struct pg_repeat){.min = 6, .max = max, .ci = ci, .time_ns = time_ns, .conf = 0.95};
}

/* A comparison of `arms` arms that is looked at after so many rounds, the last of which ends it. */
static inline void fr_looks(struct fr *f, size_t arms, const uint32_t *looks, uint32_t n)
{
	struct pg_compare_rules *c = &f->rules.compare;

	f->arms = arms;
	f->rules.repeat = (struct pg_repeat){.fixed = true, .n = looks[n - 1], .conf = 0.95};
	*c = (struct pg_compare_rules){.threshold = PG_THRESHOLD, .n_looks = n, .alpha = pg_pocock(n)};
	memcpy(c->looks, looks, n * sizeof(*looks));
}

/* The same, ended after so many rounds and not looked at before. */
static inline void fr_arms(struct fr *f, size_t n, size_t arms, uint32_t end)
{
	fr_init(f, n);
	fr_looks(f, arms, &end, 1);
}

static inline void fr_open(struct fr *f)
{
	struct pg_work work = {.n = f->n,
			       .cell = fr_get,
			       .ctx = f,
			       .rules = &f->rules,
			       .stop_metric = FB_TIME,
			       .seed = f->seed,
			       .sweep_key = f->key,
			       .n_variants = f->arms,
			       .family = f->family,
			       .cpus = 2,
			       .budget = f->budget};
	struct pg_err err;

	if (!f->cell.cell.metrics)
		fb_cell(&f->cell, f->automatic ? "loops=auto" : "loops=9");
	memcpy(f->rows, f->cell.cell.metrics, sizeof(f->rows));
	if (f->floors) {
		f->rows[FB_TIME].flags |= PG_M_BATCHED;
		f->rows[FR_FLOOR].flags |= PG_M_FLOOR;
	}
	f->cell.cell.metrics = work.metrics = f->rows;
	ck_assert_int_eq(pg_rounds_new(&f->rounds, &work, &err), 0);
}

static inline struct pg_observer fr_observer(struct fr *f)
{
	return (struct pg_observer){.rep_start = fr_start,
				    .calibrated = fr_calibrated,
				    .rep_done = fr_rep_done,
				    .cell_done = fr_cell_done,
				    .between = fr_between,
				    .ctx = f};
}

static inline int fr_go(struct fr *f, struct pg_err *err)
{
	struct pg_executor exec = {fr_run, f};
	struct pg_observer obs = fr_observer(f);

	return pg_rounds_run(f->rounds, &exec, &obs, &f->clock, &f->stop, err);
}

static inline void fr_go_until(struct fr *f, struct pg_until until)
{
	struct pg_executor exec = {fr_run, f};
	struct pg_observer obs = fr_observer(f);
	struct pg_err err;

	ck_assert_int_eq(pg_rounds_run_until(f->rounds, &until, &exec, &obs, &f->clock, &f->stop, &err), 0);
}

static inline void fr_go_widest(struct fr *f, int64_t time_ns)
{
	struct pg_until until = {.time_ns = time_ns};
	struct pg_executor exec = {fr_run, f};
	struct pg_observer obs = fr_observer(f);
	struct pg_err err;

	ck_assert_int_eq(pg_rounds_run_widest(&f->rounds, 1, &until, &exec, &obs, &f->clock, &f->stop, &err), 0);
}

static inline void fr_run_all(struct fr *f)
{
	struct pg_err err;

	ck_assert_msg(fr_go(f, &err) == 0, "%s", err.msg);
}

typedef enum pg_status fr_answer(const struct fr *f, const struct pg_job *job, size_t i, int64_t *raw);

/* All cells alike, but for a little noise. */
static inline enum pg_status fr_steady(const struct fr *f, const struct pg_job *job, size_t i, int64_t *raw)
{
	(void)f;
	*raw = (int64_t)(1e6 * (1 + 0.002 * fr_noise(job, i)));
	return PG_ST_OK;
}

static inline void fr_measure(struct fr *f, fr_answer *answer)
{
	f->answer = answer;
	fr_open(f);
	fr_run_all(f);
}

/* What came after the restored events is what came there the first time. */
static inline void fr_same_rest(const struct fr *g, const struct fr *first, size_t restored)
{
	ck_assert_uint_eq(g->n_log, first->n_log - restored);
	for (size_t i = 0; i < g->n_log; i++) {
		ck_assert_uint_eq(g->log[i].cell, first->log[restored + i].cell);
		ck_assert_uint_eq(g->log[i].round, first->log[restored + i].round);
		ck_assert_uint_eq(g->log[i].position, first->log[restored + i].position);
		ck_assert_int_eq(g->log[i].stop, first->log[restored + i].stop);
	}
}

static inline void fr_close(struct fr *f)
{
	pg_rounds_free(f->rounds);
	fb_done(&f->cell);
}

/* The events of a log into new rounds, as the journal's records would be. Times of calibrations are not in them. */
static inline void fr_restore(struct fr *f, const struct fr_event *log, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct fr_event *e = &log[i];
		struct pg_outcome out;
		struct pg_rep_record rec = {.cell = e->cell,
					    .cell_id = fr_id(f, e->cell),
					    .warmup = e->warmup,
					    .round = e->round,
					    .position = e->position,
					    .attempt = e->attempt,
					    .rep = 0,
					    .disturbed = e->disturbed,
					    .out = &out};

		if (e->kind == FR_CAL)
			ck_assert_int_eq(pg_rounds_restore_ops(f->rounds, e->cell, e->ops), 0);
		if (e->kind == FR_END)
			ck_assert_int_eq(pg_rounds_restore_end(f->rounds, e->cell, e->stop), 0);
		if (e->kind != FR_REP)
			continue;
		fr_outcome_full(&out, e->status, e->raw, e->floor, e->disturbed);
		ck_assert_int_eq(pg_rounds_restore_rep(f->rounds, &rec), 0);
	}
}

static inline struct pg_cell_state fr_state(const struct fr *f, size_t i)
{
	struct pg_cell_state s;

	pg_rounds_state(f->rounds, i, &s);
	return s;
}

static inline size_t fr_count(const struct fr *f, size_t cell, bool warmup)
{
	size_t n = 0;

	for (size_t i = 0; i < f->n_log; i++)
		n += f->log[i].kind == FR_REP && f->log[i].cell == cell && f->log[i].warmup == warmup;
	return n;
}

#endif
