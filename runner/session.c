/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One session. Whatever happens after the run directory was made, what was measured is written: a signal, a full disk
 * or a broken pipe end the session, never the results.
 */
#include "runner/session.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/cpulist.h"
#include "base/err.h"
#include "base/str.h"
#include "base/topo.h"
#include "engine/child.h"
#include "engine/rounds.h"
#include "plan/plan.h"
#include "runner/cmd_compare.h"
#include "runner/commands.h"
#include "runner/estimate.h"
#include "runner/observe.h"
#include "runner/progress.h"
#include "runner/report.h"
#include "runner/schedule.h"
#include "runner/summary.h"
#include "runner/terminal.h"
#include "runner/world.h"
#include "store/compare.h"
#include "store/flags.h"
#include "store/store.h"

/* The cells of one sweep, for its rounds. */
struct work {
	const struct pg_plan *plan;
	struct pg_cell_buf *buf;
	size_t first;
};

struct session {
	const struct pg_session_in *in;
	struct pg_store *store;
	size_t n; /* sweeps */
	struct work *work;
	struct pg_rounds **rounds;
	const struct pg_rules **rules;
	struct pg_progress *progress;
	struct pg_child *child;
	struct pg_executor executor;
	struct pg_pair observers;
	struct pg_schedule schedule;
	int64_t started;
};

static int64_t now(const struct session *s)
{
	const struct pg_clock *c = s->in->world->clock;

	return c->mono(c->ctx);
}

static int work_cell(void *ctx, size_t i, const struct pg_cell **cell, struct pg_err *err)
{
	struct work *w = ctx;

	(void)err;
	*cell = pg_plan_cell(w->plan, w->first + i, w->buf);
	return 0;
}

static int open_sweep(struct session *s, size_t i, uint64_t family, struct pg_err *err)
{
	const struct pg_sweep *sweep = pg_plan_sweep(s->in->plan, i);
	struct pg_work work = {
		.n = sweep->n_cells,
		.cell = work_cell,
		.ctx = &s->work[i],
		.rules = &sweep->rules,
		.metrics = sweep->metrics,
		.stop_metric = sweep->stop_metric,
		.seed = s->in->info->seed,
		.sweep_key = pg_fnv1a(PG_FNV_INIT, sweep->name, strlen(sweep->name)),
		.n_variants = sweep->n_variants,
		.family = family,
		.cpus = (unsigned)pg_cpuset_count(&s->in->topo->allowed),
		.budget = s->in->opts->budget.given,
	};

	s->rules[i] = &sweep->rules;
	s->work[i].plan = s->in->plan;
	s->work[i].first = sweep->first_cell;
	s->work[i].buf = pg_cell_buf_new(s->in->plan);
	if (!s->work[i].buf)
		return pg_fail_nomem(err);
	return pg_rounds_new(&s->rounds[i], &work, err);
}

static int open_sweeps(struct session *s, struct pg_err *err)
{
	uint64_t family = pg_compare_family(s->in->plan);

	s->n = pg_plan_sweeps(s->in->plan);
	s->work = calloc(s->n + 1, sizeof(*s->work));
	s->rounds = calloc(s->n + 1, sizeof(*s->rounds));
	s->rules = calloc(s->n + 1, sizeof(*s->rules));
	if (!s->work || !s->rounds || !s->rules)
		return pg_fail_nomem(err);
	for (size_t i = 0; i < s->n; i++)
		if (open_sweep(s, i, family, err) != 0)
			return -1;
	return 0;
}

static void store_note(void *ctx, const char *text)
{
	const struct session *s = ctx;

	if (s->in->opts->quiet)
		return;
	pg_progress_clear(s->progress);
	pg_say(s->in->world, "note: %s", text);
}

static int open_store(struct session *s, struct pg_err *err)
{
	const struct pg_session_in *in = s->in;
	struct pg_store_opts opts = {
		.note = store_note,
		.note_ctx = s,
		.dir = in->resume ? in->resume : in->opts->output,
		.root = in->world->root,
		.clock = in->world->clock,
		.info = in->info,
		.canary = !in->world->executor, /* reps of another hand tell nothing of this machine */
	};

	if (in->resume)
		return pg_store_open(&opts, in->plan, true, &s->store, err);
	return pg_store_create(&opts, in->plan, &s->store, err);
}

static void on_rest(void *ctx, uint32_t number)
{
	struct session *s = ctx;

	if (s->in->opts->quiet)
		return;
	pg_progress_clear(s->progress);
	pg_say(s->in->world, "session %u of %u begins in %d s", number, s->schedule.parts,
	       (int)(PG_REST_NS / 1000000000));
}

static int on_begin(void *ctx, uint32_t number, struct pg_err *err)
{
	struct session *s = ctx;

	pg_progress_rested(s->progress);
	pg_store_part(s->store, number);
	return pg_store_session(s->store, err);
}

static void plan_schedule(struct session *s)
{
	const struct pg_session_in *in = s->in;
	bool budget = in->opts->budget.given;

	pg_pair_init(&s->observers, pg_store_observer(s->store), pg_progress_observer(s->progress));
	s->schedule = (struct pg_schedule){
		.n = s->n,
		.rounds = s->rounds,
		.rules = s->rules,
		.executor = &s->executor,
		.observer = &s->observers.both,
		.clock = in->world->clock,
		.stop = in->stop,
		.parts = budget ? 1 : pg_plan_sessions(in->plan),
		.was = pg_store_last_part(s->store),
		.until_ns = budget ? s->started + in->opts->budget.ns : 0,
		.rest = on_rest,
		.begin = on_begin,
		.ctx = s,
	};
	pg_progress_until(s->progress, s->schedule.until_ns);
}

/* Counts of another run stand in the journal before the first rep: a resumed run needs them, and not that other one. */
static int take_loops(struct session *s, struct pg_err *err)
{
	const struct pg_observer *store = pg_store_observer(s->store);

	for (size_t i = 0; i < s->n; i++) {
		for (size_t k = 0; k < pg_plan_sweep(s->in->plan, i)->n_cells; k++) {
			size_t at = s->work[i].first + k;
			uint64_t ops = s->in->loops[at];

			if (ops == 0)
				continue;
			if (pg_rounds_restore_ops(s->rounds[i], k, ops) != 0)
				return pg_fail_nomem(err);
			if (store->calibrated(store->ctx, pg_plan_cell(s->in->plan, at, s->work[i].buf), ops, err) != 0)
				return -1;
		}
	}
	return 0;
}

/* What the journal holds goes into samples and rounds; then this session begins in it. */
static int begin(struct session *s, struct pg_err *err)
{
	if (s->in->resume && pg_store_replay(s->store, s->rounds, err) != 0)
		return -1;
	plan_schedule(s);
	if (s->in->resume && pg_schedule_rest(&s->schedule, err) != 0)
		return -1;
	/* Cells that failed in an earlier part may be tried again in its rounds. */
	for (size_t i = 0; s->in->opts->retry_failed && i < s->n; i++)
		if (pg_rounds_retry_failed(s->rounds[i]) != 0)
			return pg_fail_nomem(err);
	pg_store_part(s->store, pg_schedule_part(&s->schedule));
	if (pg_store_session(s->store, err) != 0)
		return -1;
	if (s->in->loops && take_loops(s, err) != 0)
		return -1;
	return s->in->opts->retry_failed ? pg_store_retry_failed(s->store, err) : 0;
}

static int open_executor(struct session *s, struct pg_err *err)
{
	const struct pg_world *w = s->in->world;
	struct pg_child_opts opts = {
		.self = w->self,
		.root = w->root,
		.clock = w->clock,
		.topo = s->in->topo,
		.stop = s->in->stop,
		.environ = w->environ,
	};

	if (w->executor) {
		s->executor = *w->executor;
		return 0;
	}
	if (pg_child_open(&s->child, &opts, err) != 0)
		return -1;
	s->executor = pg_child_executor(s->child);
	return 0;
}

/* Why more reps were asked for, and there is nothing to do. */
static void say_answered(const struct session *s)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		for (size_t k = 0; k < pg_plan_sweep(s->in->plan, i)->n_cells; k++) {
			struct pg_cell_state st;

			pg_rounds_state(s->rounds[i], k, &st);
			n += st.stop == PG_STOP_LOOK && st.n < pg_rounds_at_most(s->rules[i]);
		}
	}
	if (n > 0)
		pg_say(s->in->world,
		       "note: %zu cell%s of `variants` stay%s ended, for a look has answered %s; for more reps start a "
		       "new "
		       "run with `looks: none`",
		       n, n == 1 ? "" : "s", n == 1 ? "s" : "", n == 1 ? "it" : "them");
}

static void say_start(struct session *s, const struct pg_estimate *estimate)
{
	struct pg_str text;
	uint64_t done = 0, total = 0;

	if (s->in->opts->quiet)
		return;
	if (s->in->resume) {
		for (size_t i = 0; i < s->n; i++) {
			uint64_t d, t;

			pg_rounds_progress(s->rounds[i], &d, &t);
			done += d;
			total += t;
		}
		pg_say(s->in->world, "going on in %s: %" PRIu64 " of %s%" PRIu64 " reps are done, seed %" PRIu64,
		       pg_store_dir(s->store), done, estimate->at_most ? "at most " : "", total, s->in->info->seed);
		if (s->in->opts->repeat.given)
			say_answered(s);
		return;
	}
	pg_str_init(&text);
	pg_estimate_text(estimate, &text);
	if (s->in->opts->budget.given) {
		pg_str_adds(&text, ", budget ");
		pg_human_time(&text, (double)s->in->opts->budget.ns * 1e-9);
	}
	if (s->in->inner)
		pg_say(s->in->world, "%s: %s, seed %" PRIu64, s->in->inner, pg_str_text(&text), s->in->info->seed);
	else
		pg_say(s->in->world, "run directory %s: %s, seed %" PRIu64, pg_store_dir(s->store), pg_str_text(&text),
		       s->in->info->seed);
	pg_str_release(&text);
}

static int run_sweeps(struct session *s, struct pg_err *err)
{
	for (size_t i = 0; i < s->n; i++)
		pg_progress_restore(s->progress, i, s->rounds[i]);
	return pg_schedule_run(&s->schedule, err);
}

/* Is there a cell that has not ended? */
static bool unfinished(const struct session *s)
{
	for (size_t i = 0; i < s->n; i++) {
		size_t n = pg_plan_sweep(s->in->plan, i)->n_cells;

		for (size_t k = 0; k < n; k++) {
			struct pg_cell_state st;

			pg_rounds_state(s->rounds[i], k, &st);
			if (st.stop == PG_STOP_NONE && st.status != PG_ST_SKIPPED &&
			    pg_plan_cell(s->in->plan, s->work[i].first + k, s->work[i].buf)->skip == PG_NOT_SKIPPED)
				return true;
		}
	}
	return false;
}

/* Cells that more time would have made surer. */
static void say_ended_by_budget(const struct session *s)
{
	struct pg_str dir;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		for (size_t k = 0; k < pg_plan_sweep(s->in->plan, i)->n_cells; k++) {
			struct pg_cell_state st;

			pg_rounds_state(s->rounds[i], k, &st);
			n += st.stop == PG_STOP_TIME;
		}
	}
	if (n == 0 || s->schedule.until_ns == 0 || s->in->opts->quiet)
		return;
	pg_str_init(&dir);
	pg_shell_word(&dir, pg_store_dir(s->store));
	pg_say(s->in->world, "%zu cell%s ended by time; for more of it: perfgrid run --resume %s --budget TIME", n,
	       n == 1 ? "" : "s", pg_str_text(&dir));
	pg_str_release(&dir);
}

static int status_of(const struct session *s, const struct pg_store_counts *c, bool left)
{
	if (left && *s->in->stop)
		return PG_EXIT_SIGNAL + (int)*s->in->stop;
	if (left && s->schedule.until_ns > 0) {
		pg_say(s->in->world,
		       "the budget was over before each cell had been measured; give more with --resume and --budget");
		return PG_EXIT_FAILED;
	}
	if (left)
		return PG_EXIT_WRITE;
	return c->failed + c->timeout > 0 ? PG_EXIT_FAILED : PG_EXIT_OK;
}

/* Results, counts, tables. `status`: what already went wrong, or 0. */
static int finish(struct session *s, int status)
{
	const struct pg_session_in *in = s->in;
	bool left = unfinished(s);
	struct pg_store_counts counts;
	struct pg_flag_counts flags;
	struct pg_summary_in sum = {
		.plan = in->plan,
		.counts = &counts,
		.bad = pg_progress_reasons(s->progress),
		.dir = pg_store_dir(s->store),
		.unfinished = left,
		.budget = in->opts->budget.given,
		.quiet = in->opts->quiet || in->inner,
	};
	struct pg_err err;

	if (pg_store_finish(s->store, left ? PG_RUN_INTERRUPTED : PG_RUN_COMPLETE, &err) != 0) {
		/* The disk that stopped the run is still full: said once. */
		if (status != PG_EXIT_WRITE)
			pg_report(in->world, &err, false);
		status = PG_EXIT_WRITE;
	}
	pg_store_counts(s->store, &counts);
	if (!sum.quiet && pg_store_flags(s->store, &flags, &err) == 0)
		sum.flags = &flags;
	sum.elapsed_ns = pg_since(now(s), s->started);
	pg_summary_print(in->world, &sum);
	say_ended_by_budget(s);
	if (!sum.quiet)
		pg_compare_say(in->world, s->store);
	if (status == 0)
		status = status_of(s, &counts, left);
	if (pg_print_tables(in->world, in->plan, sum.dir, in->opts->show, &err) != 0 && status != PG_EXIT_WRITE) {
		pg_report(in->world, &err, false);
		status = PG_EXIT_WRITE;
	}
	return status;
}

static int measure(struct session *s)
{
	struct pg_err err;
	int status = 0;

	if (run_sweeps(s, &err) != 0) {
		pg_progress_clear(s->progress);
		pg_report(s->in->world, &err, false);
		/* Work has begun: whatever the reason, results are missing. */
		status = PG_EXIT_WRITE;
	}
	pg_progress_clear(s->progress);
	return finish(s, status);
}

static void close_session(struct session *s)
{
	pg_child_close(s->child);
	pg_progress_free(s->progress);
	for (size_t i = 0; i < s->n; i++) {
		if (s->rounds)
			pg_rounds_free(s->rounds[i]);
		if (s->work && s->work[i].buf)
			pg_cell_buf_free(s->work[i].buf);
	}
	free(s->rounds);
	free(s->rules);
	free(s->work);
	if (s->store)
		pg_store_close(s->store);
}

int pg_session_run(const struct pg_session_in *in)
{
	enum pg_progress_mode mode = pg_progress_mode(in->world, in->opts->quiet);
	struct session s = {.in = in};
	struct pg_estimate estimate;
	struct pg_err err;
	int status, r;

	s.started = now(&s);
	/* Before the directory exists: it is no earlier run. */
	r = pg_estimate(in->plan, NULL, "results", &estimate);
	if (r != 0)
		pg_fail_nomem(&err);
	if (r == 0)
		r = open_executor(&s, &err);
	if (r == 0)
		r = open_store(&s, &err);
	/* After the store: on --resume the cells that preflight skipped are known from plan.csv. */
	if (r == 0)
		r = pg_progress_new(&s.progress, in->world, in->plan, mode, &err);
	if (r == 0)
		r = open_sweeps(&s, &err);
	if (r == 0)
		r = begin(&s, &err);
	if (r != 0) {
		status = pg_fail_status(in->world, &err);
	} else {
		say_start(&s, &estimate);
		status = measure(&s);
	}
	close_session(&s);
	return status;
}
