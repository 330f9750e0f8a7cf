/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The run of the self-check: a scenario each of whose cells has two equal arms, measured like any other into a
 * directory of its own, then compared.
 */
#include "runner/selfcheck.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "runner/commands.h"
#include "runner/planning.h"
#include "runner/report.h"
#include "runner/session.h"
#include "runner/world.h"
#include "store/flags.h"
#include "store/history.h"
#include "store/side.h"
#include "store/store.h"

#define ROUNDS 20 /* unless told */

struct check {
	struct pg_world *w;
	const struct pg_here *here;
	const struct pg_doctor_opts *o;
	const char *scenario; /* NULL = the built-in one */
	const volatile sig_atomic_t *stop;
	struct pg_plan *plan;
	struct pg_plan_opts shape;
	struct pg_run_info info;
	char build[PG_BUILD_BUF];
	char *temporary; /* directory of this run, malloc'ed; NULL = one that was asked for */
	const char *dir;
	int64_t started_ns; /* wall clock */
	double hypotheses;  /* of the comparison */
	struct pg_selfcheck *out;
};

/* ---- the scenario ---- */

static int read_builtin(void *ctx, const char *path, struct pg_str *out, struct pg_err *err)
{
	(void)ctx;
	(void)path;
	pg_str_adds(out, pg_selfcheck_builtin);
	return out->failed ? pg_fail_nomem(err) : 0;
}

static int draw_seed(uint64_t *seed, struct pg_err *err)
{
	ssize_t n;

	do
		n = getrandom(seed, sizeof(*seed), 0);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*seed) ? 0 : pg_fail_sys(err, "cannot draw a seed");
}

/* -1 with PG_OK: errors were reported. */
static int make_plan(struct check *k, struct pg_err *err)
{
	struct pg_reporter reporter = {.world = k->w, .quiet = true};
	struct pg_load load = {
		.suites = k->w->suites,
		.machine = &k->here->machine,
		.opts = &k->shape,
		.read = k->scenario ? NULL : read_builtin,
	};
	const char *file = k->scenario ? k->scenario : "self-check.yaml";

	err->code = PG_OK;
	k->out->rounds = k->o->rounds.given ? (uint32_t)k->o->rounds.v : ROUNDS;
	k->shape.repeat = k->out->rounds;
	k->shape.against_itself = true;
	if (pg_load_plan(&load, file, &reporter, &k->plan) != 0)
		return -1;
	if (pg_mark_plan(k->here, k->plan, NULL, err) != 0)
		return -1;
	k->out->seed = k->o->seed.v;
	if (!k->o->seed.given && draw_seed(&k->out->seed, err) != 0)
		return -1;
	pg_build_id(k->build);
	k->info = (struct pg_run_info){
		.name = pg_plan_name(k->plan),
		.label = "",
		.version = PG_VERSION,
		.build = k->build,
		.seed = k->out->seed,
		.digest = pg_plan_digest(k->plan),
		.state = PG_RUN_RUNNING,
		.opts = k->shape,
		.machine = k->here->machine,
		.scenario = file,
	};
	return 0;
}

/* ---- the run ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int make_dir(struct check *k, struct pg_err *err)
{
	const char *tmp = pg_world_env(k->w, "TMPDIR");

	k->dir = k->o->output;
	if (k->dir)
		return 0;
	if (!tmp || !*tmp)
		tmp = "/tmp";
	if (asprintf(&k->temporary, "%s/perfgrid-XXXXXX", tmp) < 0) {
		k->temporary = NULL;
		return pg_fail_nomem(err);
	}
	if (!mkdtemp(k->temporary)) {
		pg_fail(err, PG_EUSAGE,
			"cannot make a directory in '%s': %s; set TMPDIR to one that can be written, or give -o DIR",
			tmp, strerror(errno));
		free(k->temporary);
		k->temporary = NULL;
		return -1;
	}
	k->dir = k->temporary;
	return 0;
}

static void say_stopped(const struct check *k)
{
	if (k->temporary)
		pg_say(k->w,
		       "the self-check was stopped, and nothing is kept; start it again, with -o DIR to keep what it "
		       "measures");
	else
		pg_say(k->w, "the self-check was stopped; '%s' has what it measured", k->dir);
}

/* Standard output is for the report. */
static int run(struct check *k)
{
	struct pg_world quiet = *k->w;
	struct pg_run_opts opts = {.output = k->dir, .quiet = k->o->json};
	struct pg_session_in in = {
		.world = &quiet,
		.opts = &opts,
		.topo = &k->here->topo,
		.stop = k->stop,
		.plan = k->plan,
		.info = &k->info,
		.inner = "self-check",
	};
	struct pg_err err;
	int status;

	k->started_ns = k->w->clock->wall(k->w->clock->ctx);
	quiet.out = fopen("/dev/null", "we");
	if (!quiet.out) {
		pg_fail_sys(&err, "cannot open /dev/null");
		return pg_fail_status(k->w, &err);
	}
	status = pg_session_run(&in);
	fclose(quiet.out);
	if (status > PG_EXIT_SIGNAL)
		say_stopped(k);
	return status == PG_EXIT_FAILED ? 0 : status; /* cells that failed are in the report */
}

/* ---- what came out ---- */

static int name_cell(const struct pg_sweep *sw, const struct pg_cell *c, char **out, struct pg_err *err)
{
	struct pg_cell both = *c; /* it is about both arms */
	struct pg_str params;

	both.variant_label = NULL;
	pg_str_init(&params);
	pg_cell_describe(&both, &params);
	if (asprintf(out, "%s%s%s", sw->name, params.len ? " " : "", pg_str_text(&params)) < 0)
		*out = NULL;
	pg_str_release(&params);
	return *out ? 0 : pg_fail_nomem(err);
}

/* Numbers of both arms together, and what the history keeps of them. */
static int take_samples(struct pg_self_cell *to, const struct pg_side_run *run, const struct pg_compare_row *row,
			uint64_t seed, struct pg_history_cell *past, struct pg_err *err)
{
	struct pg_units u = {0};
	struct pg_rng rng;
	double *scratch;
	int result = -1;

	/* The first arm alone is what the cell would be without the other. */
	if (pg_units_add(&u, run, row->cell - 1, row->metric, err) != 0)
		goto out;
	past->n = (uint32_t)u.n_cost;
	if (pg_units_add(&u, run, row->cell, row->metric, err) != 0)
		goto out;
	scratch = malloc((u.n_cost + PG_DEALS) * sizeof(*scratch));
	if (!scratch) {
		pg_fail_nomem(err);
		goto out;
	}
	pg_rng_seed(&rng, seed);
	to->noise = u.zero ? PG_NAN : pg_noise_floor(u.cost, u.n_cost, &rng, scratch);
	free(scratch);
	if (u.zero)
		past->n = 0;
	if (past->n > 0) {
		past->median = exp(u.log_median[0]);
		past->best = exp(u.floors ? u.log_floor[0] : u.log_best[0]);
	}
	result = 0;
out:
	pg_units_release(&u);
	return result;
}

static int take_row(struct check *k, const struct pg_side_run *run, const struct pg_compare_row *row,
		    struct pg_cell_buf *buf, struct pg_history_cell *past, struct pg_err *err)
{
	struct pg_self_cell *to = &k->out->cell[k->out->n++];
	const struct pg_cell *c = pg_plan_cell(k->plan, row->cell - 1, buf);

	*to = (struct pg_self_cell){
		.metric = row->sweep->metrics[row->metric].name,
		.sd_pct = row->base_sd_pct,
		.noise = PG_NAN,
		.mde = row->c.mde,
		.needed = pg_rounds_needed(row->c.n, row->c.mde, row->c.threshold),
		.threshold = row->c.threshold,
		.failed = row->c.failed,
	};
	memcpy(to->lens, row->c.lens, sizeof(to->lens));
	if (row->c.correction != PG_CORRECT_NONE)
		k->out->hypotheses = k->hypotheses;
	*past = (struct pg_history_cell){
		.cell = c->id, .metric = to->metric, .sample_time_ns = pg_cell_auto(c) ? c->rules->sample_time_ns : 0};
	if (name_cell(row->sweep, c, &to->name, err) != 0)
		return -1;
	return row->c.failed ? 0 : take_samples(to, run, row, k->out->seed ^ c->id, past, err);
}

/* How many sessions the file has now for each of the cells, and whether this one is among them. */
static int count_sessions(struct check *k, const struct pg_history_session *s, struct pg_err *err)
{
	const struct pg_history_cell **found;
	struct pg_history h;
	int result = 0;

	if (pg_history_read(k->out->history, &h, err) != 0)
		return -1;
	found = calloc(h.n + 1, sizeof(*found));
	if (!found)
		result = pg_fail_nomem(err);
	k->out->sessions = h.n;
	for (size_t i = 0; result == 0 && h.n > 0 && i < s->n; i++) {
		size_t n = pg_history_find(&h, &s->machine, 0, &s->cell[i], found), before;

		h.n--;
		before = pg_history_find(&h, &s->machine, 0, &s->cell[i], found);
		h.n++;
		k->out->counts = k->out->counts || n > before;
		k->out->sessions = n < k->out->sessions ? n : k->out->sessions;
	}
	free(found);
	pg_history_release(&h);
	return result;
}

static int append(struct check *k, const struct pg_store *store, struct pg_history_session *s, struct pg_arena *a,
		  struct pg_err *err)
{
	struct pg_str path;
	int result = -1;

	pg_str_init(&path);
	pg_history_path(pg_world_env(k->w, "XDG_STATE_HOME"), pg_world_env(k->w, "HOME"), &path);
	k->out->no_place = path.len == 0 && !path.failed;
	if (k->out->no_place) {
		result = 0;
	} else if (path.failed) {
		pg_fail_nomem(err);
	} else if (pg_fingerprint_of(store, a, &s->machine, err) == 0 &&
		   pg_history_append(pg_str_text(&path), s, err) == 0) {
		k->out->history = pg_str_detach(&path);
		result = k->out->history ? count_sessions(k, s, err) : pg_fail_nomem(err);
	}
	pg_str_release(&path);
	return result;
}

/* A history that cannot be written is no reason to keep the result back. */
static void keep(struct check *k, const struct pg_store *store, struct pg_history_cell *past, size_t n)
{
	struct pg_history_session s = {
		.start_ns = k->started_ns, .end_ns = k->w->clock->wall(k->w->clock->ctx), .cell = past};
	struct pg_arena arena;
	struct pg_err err;

	for (size_t i = 0; i < n; i++)
		if (past[i].n > 0)
			past[s.n++] = past[i];
	pg_arena_init(&arena, false);
	if (s.n > 0 && append(k, store, &s, &arena, &err) != 0)
		pg_report(k->w, &err, true);
	pg_arena_release(&arena);
}

static int take_guards(struct check *k, struct pg_store *store, struct pg_err *err)
{
	struct pg_flag_counts n;

	k->out->guards = calloc(1, sizeof(*k->out->guards));
	if (!k->out->guards)
		return pg_fail_nomem(err);
	pg_str_init(k->out->guards);
	if (pg_store_flags(store, &n, err) != 0)
		return -1;
	for (unsigned f = PG_FLAG_GUARDS; f < PG_FLAGS; f++)
		if (n.of[f].cells)
			pg_str_addf(k->out->guards, "%s%s (%zu)", k->out->guards->len ? ", " : "", pg_flag_name(f),
				    n.of[f].cells);
	return 0;
}

static int take_rows(struct check *k, struct pg_store *store, const struct pg_compare *cmp, struct pg_err *err)
{
	struct pg_side_run run = {.dir = k->dir, .plan = k->plan, .store = store};
	struct pg_cell_buf *buf = pg_cell_buf_new(k->plan);
	struct pg_history_cell *past = calloc(cmp->n + 1, sizeof(*past));
	int result = 0;

	k->out->cell = calloc(cmp->n + 1, sizeof(*k->out->cell));
	k->hypotheses = cmp->hypotheses;
	if (!buf || !past || !k->out->cell)
		result = pg_fail_nomem(err);
	for (size_t i = 0; result == 0 && i < cmp->n; i++)
		if (cmp->row[i].standing == PG_CMP_JUDGED)
			result = take_row(k, &run, &cmp->row[i], buf, &past[k->out->n], err);
	if (result == 0)
		keep(k, store, past, k->out->n);
	free(past);
	pg_cell_buf_free(buf);
	return result;
}

static int analyse(struct check *k, struct pg_err *err)
{
	struct pg_store_opts opts = {.dir = k->dir, .root = k->w->root, .clock = k->w->clock};
	struct pg_compare_opts judged = {.judged_only = true};
	struct pg_store *store = NULL;
	struct pg_compare cmp;
	int result;

	if (pg_store_open(&opts, k->plan, false, &store, err) != 0)
		return -1;
	pg_compare_init(&cmp);
	result = pg_store_replay(store, NULL, err);
	if (result == 0)
		result = pg_store_compare(store, &judged, &cmp, err);
	if (result == 0)
		result = take_rows(k, store, &cmp, err);
	if (result == 0)
		result = take_guards(k, store, err);
	if (result == 0)
		result = pg_canary_spread(store, &k->out->canary, err);
	if (result == 0 && pg_selfcheck_sum_up(k->out) != 0)
		result = pg_fail_nomem(err);
	pg_compare_release(&cmp);
	pg_store_close(store);
	return result;
}

int pg_selfcheck_measure(struct pg_world *w, const struct pg_here *here, const struct pg_doctor_opts *o,
			 const char *scenario, const volatile sig_atomic_t *stop, struct pg_selfcheck *out)
{
	struct check k = {.w = w, .here = here, .o = o, .scenario = scenario, .stop = stop, .out = out};
	struct pg_err err;
	int status = 0;

	memset(out, 0, sizeof(*out));
	if (make_plan(&k, &err) != 0 || make_dir(&k, &err) != 0)
		status = err.code == PG_OK ? PG_EXIT_USAGE : pg_fail_status(w, &err);
	if (status == 0)
		status = run(&k);
	if (status == 0 && analyse(&k, &err) != 0)
		status = pg_fail_status(w, &err);
	if (k.temporary)
		nftw(k.temporary, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	free(k.temporary);
	pg_plan_free(k.plan);
	return status;
}

void pg_selfcheck_release(struct pg_selfcheck *s)
{
	for (size_t i = 0; i < s->n; i++)
		free(s->cell[i].name);
	free(s->cell);
	free(s->history);
	if (s->guards)
		pg_str_release(s->guards);
	free(s->guards);
}
