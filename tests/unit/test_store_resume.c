/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run that is cut anywhere and resumed ends with the same cells and tables as one that was never cut. The reps are
 * made up from cell, phase and number, so that both runs would measure the same.
 */
#include <signal.h>

#include "engine/rounds.h"
#include "stats/stats.h"
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

#define LEN(a) ((int)(sizeof(a) / sizeof(*(a))))
#define SWEEPS 3

static const char text[] =
	"perfgrid: 1\n"
	"name: kit\n"
	"defaults: {warmup: 1, retry: 1}\n"
	"sweeps:\n"
	"  - {name: a, suite: noop, vary: {first: 1..4}, repeat: 3}\n"
	"  - {name: b, suite: noop, set: {loops: auto}, vary: {first: 1..3}, repeat: {min: 6, max: 9, ci: 1%}, "
	"tables: [{rows: first, value: rate}]}\n"
	"  - {name: c, suite: noop, vary: {first: 1..2}, repeat: 2, order: grouped}\n";
static const char *const files[] = {"a.cells.csv",
				    "b.cells.csv",
				    "c.cells.csv",
				    "a.status.csv",
				    "b.status.csv",
				    "c.status.csv",
				    "a.time_per_op_s.median.csv",
				    "b.rate_per_s.median.csv",
				    "c.time_per_op_s.median.csv"};

struct bench {
	struct kit *k;
	bool never_fails;
	sig_atomic_t stop;
};

static int run_one(void *ctx, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	struct bench *b = ctx;
	struct kit_rep r = {.count = 1000};
	struct pg_rng rng;
	uint64_t dice;

	(void)err;
	pg_rng_seed(&rng, job->cell->id ^ (job->warmup ? 77 : 0) ^ ((uint64_t)job->rep << 20) ^
				  ((uint64_t)job->attempt << 40));
	dice = pg_rng_below(&rng, 6);
	r.ns = 1000000 + (int64_t)pg_rng_below(&rng, 20000);
	if (!b->never_fails && !job->calibrate && (dice == 0 || job->cell->index == 1)) {
		r.status = dice % 2 ? PG_ST_TIMEOUT : PG_ST_FAILED;
		r.why = "made up";
	}
	kit_outcome(job->cell, &r, out);
	out->once_ns = (int64_t)job->ops * 1000;
	b->k->now += r.ns;
	return 0;
}

struct work {
	struct kit *k;
	struct pg_cell_buf *buf;
	size_t first;
};

static int cell_of(void *ctx, size_t i, const struct pg_cell **cell, struct pg_err *err)
{
	struct work *w = ctx;

	(void)err;
	*cell = pg_plan_cell(w->k->plan, w->first + i, w->buf);
	return 0;
}

struct session {
	struct work work[SWEEPS];
	struct pg_rounds *rounds[SWEEPS];
};

static void open_rounds(struct session *s, struct kit *k)
{
	struct pg_err err;

	for (size_t i = 0; i < SWEEPS; i++) {
		const struct pg_sweep *sw = pg_plan_sweep(k->plan, i);
		struct pg_work w = {.n = sw->n_cells,
				    .cell = cell_of,
				    .ctx = &s->work[i],
				    .rules = &sw->rules,
				    .metrics = sw->metrics,
				    .stop_metric = sw->stop_metric,
				    .seed = 5,
				    .sweep_key = i};

		s->work[i] = (struct work){k, pg_cell_buf_new(k->plan), sw->first_cell};
		kit_ok(pg_rounds_new(&s->rounds[i], &w, &err), &err);
	}
}

/* What rounds and store know of a cell is the same. */
static void agree(struct session *s, struct kit *k)
{
	for (size_t i = 0; i < SWEEPS; i++) {
		for (size_t c = 0; c < pg_plan_sweep(k->plan, i)->n_cells; c++) {
			struct pg_cell_state st;

			pg_rounds_state(s->rounds[i], c, &st);
			ck_assert_msg(st.status ==
					      pg_store_cell_status(k->store, pg_plan_sweep(k->plan, i)->first_cell + c),
				      "sweep %zu cell %zu: %s and %s", i, c, pg_status_name(st.status),
				      pg_status_name(pg_store_cell_status(k->store,
									  pg_plan_sweep(k->plan, i)->first_cell + c)));
		}
	}
}

static void close_rounds(struct session *s)
{
	for (size_t i = 0; i < SWEEPS; i++) {
		pg_rounds_free(s->rounds[i]);
		pg_cell_buf_free(s->work[i].buf);
	}
}

static void run_all(struct session *s, struct kit *k, bool never_fails)
{
	struct bench b = {.k = k, .never_fails = never_fails};
	struct pg_executor exec = {run_one, &b};
	struct pg_err err;

	for (size_t i = 0; i < SWEEPS; i++)
		kit_ok(pg_rounds_run(s->rounds[i], &exec, pg_store_observer(k->store), &k->clock, &b.stop, &err), &err);
	agree(s, k);
	kit_ok(pg_store_finish(k->store, PG_RUN_COMPLETE, &err), &err);
}

static void whole_run(struct kit *k)
{
	struct session s;

	kit_init(k, text);
	kit_create(k);
	open_rounds(&s, k);
	run_all(&s, k, false);
	close_rounds(&s);
}

static void resume(struct kit *k, bool retry, bool never_fails)
{
	struct session s;
	struct pg_err err;

	kit_ok(kit_open(k, true, &err), &err);
	open_rounds(&s, k);
	kit_ok(pg_store_replay(k->store, s.rounds, &err), &err);
	if (!retry)
		agree(&s, k);
	kit_ok(pg_store_session(k->store, &err), &err);
	if (retry) {
		kit_ok(pg_store_retry_failed(k->store, &err), &err);
		for (size_t i = 0; i < SWEEPS; i++)
			ck_assert_int_eq(pg_rounds_retry_failed(s.rounds[i]), 0);
	}
	run_all(&s, k, never_fails);
	close_rounds(&s);
}

static void cut_journal(struct kit *k, off_t at)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/journal.jsonl", k->run);
	ck_assert_int_eq(truncate(path, at), 0);
}

#define CUTS 24

START_TEST(cut_and_resumed)
{
	char *want[LEN(files)], *journal, *second;
	size_t from, n;
	struct kit k;

	whole_run(&k);
	for (int i = 0; i < LEN(files); i++)
		want[i] = kit_file(&k, files[i]);
	journal = kit_file(&k, "journal.jsonl");
	n = strlen(journal);
	second = strchr(strchr(journal, '\n') + 1, '\n');
	from = (size_t)(second - journal) + 1;
	for (int again = 0; again < 2; again++) {
		/* Spread over the journal, in and between records; the second time what was resumed is cut again,
		 * further on. */
		size_t at = from + (n - from) * (size_t)(2 * _i + again) / (2 * CUTS);

		if (_i % 3 == 0) /* right behind a record */
			at = (size_t)(strchr(journal + at - 1, '\n') - journal) + 1;
		cut_journal(&k, (off_t)at);
		resume(&k, false, false);
		for (int i = 0; i < LEN(files); i++)
			kit_is(&k, files[i], want[i]);
		free(journal);
		journal = kit_file(&k, "journal.jsonl");
		n = strlen(journal);
	}
	free(journal);
	for (int i = 0; i < LEN(files); i++)
		free(want[i]);
	kit_end(&k);
}
END_TEST

START_TEST(failed_once_more)
{
	struct pg_store_counts before, after;
	char *cells, *status;
	struct kit k;

	whole_run(&k);
	pg_store_counts(k.store, &before);
	ck_assert_uint_gt(before.failed + before.timeout, 0);
	ck_assert_uint_eq(before.ok + before.failed + before.timeout + before.unstable, 9);
	resume(&k, false, true); /* failed cells stay */
	pg_store_counts(k.store, &after);
	ck_assert_uint_eq(after.failed + after.timeout, before.failed + before.timeout);
	resume(&k, true, true);
	pg_store_counts(k.store, &after);
	ck_assert_uint_eq(after.failed + after.timeout, 0);
	ck_assert_uint_eq(after.not_run, 0);
	kit_has(&k, "journal.jsonl", "{\"retry\":\"c");
	/* And so it is read back, by store and rounds. */
	cells = kit_file(&k, "a.cells.csv");
	status = kit_file(&k, "b.status.csv");
	resume(&k, false, false);
	kit_is(&k, "a.cells.csv", cells);
	kit_is(&k, "b.status.csv", status);
	free(cells);
	free(status);
	kit_end(&k);
}
END_TEST

PG_TEST_MAIN("store_resume", ((const struct pg_test[]){
				     {cut_and_resumed, CUTS},
				     {failed_once_more, 0},
				     {NULL, 0},
			     }))
