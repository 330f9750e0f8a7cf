/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `run`: options, validation of every FILE, guardian, lock, then one session after the other. Nothing is created before
 * all FILEs are known to be good.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "engine/guardian.h"
#include "runner/commands.h"
#include "runner/ends.h"
#include "runner/planning.h"
#include "runner/report.h"
#include "runner/session.h"
#include "runner/world.h"
#include "store/loops.h"
#include "store/store.h"

#define RESUME_WAIT_NS 10000000000
#define LOCK_SLICE_NS  200000000
#define REPS_MAX       1000000 /* as the keys `repeat` and `warmup` */

/* clang-format off */
#define SHAPE_ROWS                                                                                                     \
	{.name = "quick", .doc = "each sweep in its `quick` form", PG_OPT_AT(struct pg_run_opts, quick)},               \
	{.name = "only", .arg = "EXPR", .doc = "measure only cells for which EXPR holds; the others are not-run",       \
	 PG_OPT_AT(struct pg_run_opts, only)},                                                                          \
	{.name = "vary", .arg = "[SWEEP.]NAME=LIST", .doc = "make NAME an axis with these values",                      \
	 PG_OPT_AT(struct pg_run_opts, vary)},                                                                          \
	{.name = "set", .arg = "[SWEEP.]NAME=VALUE", .doc = "give NAME one value",                                      \
	 PG_OPT_AT(struct pg_run_opts, set)},                                                                           \
	{.name = "repeat", .arg = "N", .doc = "N reps of each cell; with `variants` at most, for a look may answer it before", .min = 1, .max = REPS_MAX,                 \
	 PG_OPT_AT(struct pg_run_opts, repeat)},                                                                        \
	{.name = "warmup", .arg = "N", .doc = "N reps of each cell before those that count", .max = REPS_MAX,           \
	 PG_OPT_AT(struct pg_run_opts, warmup)},                                                                        \
	{.name = "max-cells", .arg = "N", .doc = "refuse a scenario of more cells (1000000)", .min = 1,                 \
	 .max = UINT32_MAX, PG_OPT_AT(struct pg_run_opts, max_cells)}

const struct pg_option pg_plan_options[] = {SHAPE_ROWS, {.name = NULL}};

const struct pg_option pg_run_options[] = {
	{.name = "output", .opt = 'o', .arg = "DIR", .doc = "the run directory itself, new or empty; by default "
	 "results/NAME/STAMP-xxxx", PG_OPT_AT(struct pg_run_opts, output)},
	{.name = "resume", .arg = "DIR", .doc = "go on with the run in DIR", PG_OPT_AT(struct pg_run_opts, resume)},
	{.name = "retry-failed", .doc = "with --resume: measure failed cells again",
	 PG_OPT_AT(struct pg_run_opts, retry_failed)},
	SHAPE_ROWS,
	{.name = "seed", .arg = "N", .doc = "seed of the order and the reps; random and recorded by default",
	 PG_OPT_AT(struct pg_run_opts, seed)},
	{.name = "label", .arg = "TEXT", .doc = "a name for this run: letters, digits, _ and -",
	 PG_OPT_AT(struct pg_run_opts, label)},
	{.name = "budget", .arg = "TIME", .doc = "stop after TIME: first each cell's minimum, then the cells with the widest "
	 "intervals", .min = 1, PG_OPT_AT(struct pg_run_opts, budget)},
	{.name = "loops-from", .arg = "RUN", .doc = "take over the counts of `loops: auto` from RUN, a run directory to "
	 "compare with", PG_OPT_AT(struct pg_run_opts, loops_from)},
	{.name = "no-lock", .doc = "do not keep other runs off this machine", PG_OPT_AT(struct pg_run_opts, no_lock)},
	{.name = "wait-lock", .arg = "TIME", .doc = "wait up to TIME for another run to finish (0s; with --resume 10s)",
	 PG_OPT_AT(struct pg_run_opts, wait_lock)},
	{.name = "dry-run", .opt = 'n', .doc = "as `perfgrid plan`", PG_OPT_AT(struct pg_run_opts, dry_run)},
	{.name = "quiet", .opt = 'q', .doc = "nothing but errors on standard error", PG_OPT_AT(struct pg_run_opts, quiet)},
	{.name = "show", .doc = "print each table as well, in aligned columns", PG_OPT_AT(struct pg_run_opts, show)},
	{.name = NULL},
};
/* clang-format on */

/* One FILE, or the directory to go on in. */
struct job {
	const char *file;
	struct pg_plan *plan;
	struct pg_run_info info;
	struct pg_plan_opts opts;
	/* With --loops-from: a count per cell, 0 = none. */
	uint64_t *loops;
	struct pg_loops_found found;
};

struct running {
	struct pg_world *w;
	const struct pg_run_opts *o;
	const volatile sig_atomic_t *stop;
	struct pg_here here;
	struct pg_arena arena;
	char build[PG_BUILD_BUF];
	struct job *job;
	size_t n;
	struct pg_loops *loops; /* of --loops-from, else NULL */
	int lock_fd;
};

static int check_options(const struct pg_run_opts *o, const struct pg_args *args, struct pg_err *err)
{
	if (!o->resume && args->n == 0)
		return pg_fail(err, PG_EUSAGE, "run lacks a FILE; usage: perfgrid run [OPTION]... FILE...");
	if (o->resume && args->n > 1)
		return pg_fail(err, PG_EUSAGE, "--resume goes on with one run; give one FILE or none");
	if (o->resume && (o->output || o->dry_run || o->seed.given || o->label))
		return pg_fail(err, PG_EUSAGE,
			       "--resume keeps directory, seed and label of the run; leave out -o, -n, "
			       "--seed and --label");
	if (o->resume && o->loops_from)
		return pg_fail(err, PG_EUSAGE,
			       "--resume keeps the loops of the run; leave out --loops-from, or start a new run");
	if (o->retry_failed && !o->resume)
		return pg_fail(err, PG_EUSAGE, "--retry-failed belongs to --resume DIR; give that as well");
	if (o->output && args->n > 1)
		return pg_fail(err, PG_EUSAGE, "-o takes one FILE; each run has a directory of its own");
	if (o->dry_run && args->n > 1)
		return pg_fail(err, PG_EUSAGE, "-n takes one FILE");
	if (o->no_lock && o->wait_lock.given)
		return pg_fail(err, PG_EUSAGE, "--no-lock and --wait-lock exclude each other; give one of them");
	if (o->label && !pg_is_name(o->label))
		return pg_fail(
			err, PG_EUSAGE,
			"--label '%s' is no label; letters, digits, `_` and `-`, first a letter, digit or `_`, at "
			"most 64",
			o->label);
	return 0;
}

static int draw_seed(const struct pg_run_opts *o, uint64_t *seed, struct pg_err *err)
{
	ssize_t n;

	if (o->seed.given) {
		*seed = o->seed.v;
		return 0;
	}
	do
		n = getrandom(seed, sizeof(*seed), 0);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*seed) ? 0 : pg_fail_sys(err, "cannot draw a seed");
}

/* What run.json says of the program and the command line. */
static void fill_info(const struct running *r, struct job *j, uint64_t seed)
{
	j->info.name = pg_plan_name(j->plan);
	j->info.label = r->o->label ? r->o->label : "";
	j->info.version = PG_VERSION;
	j->info.build = r->build;
	j->info.seed = seed;
	j->info.digest = pg_plan_digest(j->plan);
	j->info.state = PG_RUN_RUNNING;
	j->info.opts = j->opts;
	j->info.machine = r->here.machine;
	j->info.scenario = j->file;
}

/* A budget is the time of one session. */
static int check_sessions(const struct pg_run_opts *o, const struct job *j, struct pg_err *err)
{
	if (!o->budget.given || pg_plan_sessions(j->plan) == 1)
		return 0;
	return pg_fail(err, PG_EUSAGE,
		       "'%s' asks for %u sessions, which rest between; leave out `sessions` or --budget", j->file,
		       pg_plan_sessions(j->plan));
}

/* The counts that the plan takes over. */
static int take_loops(const struct running *r, struct job *j, struct pg_err *err)
{
	const char *from = r->o->loops_from;

	j->loops = pg_big_alloc((pg_plan_cells(j->plan) + 1) * sizeof(*j->loops));
	if (!j->loops)
		return pg_fail_nomem(err);
	if (pg_loops_take(r->loops, j->plan, j->loops, &j->found, err) != 0)
		return -1;
	if (j->found.taken > 0)
		return 0;
	return pg_fail(err, PG_EUSAGE,
		       "'%s' has no cell under `loops: auto` that was calibrated in '%s'; give a run of the same "
		       "scenario, or leave out --loops-from",
		       j->file, from);
}

/* Every FILE is looked at, so that all errors come at once. */
static int load_files(struct running *r, const struct pg_args *args, struct pg_err *err)
{
	struct pg_reporter reporter = {.world = r->w, .quiet = r->o->quiet};
	int result = 0;

	if (r->o->loops_from && pg_loops_read(r->o->loops_from, &r->loops, err) != 0)
		return -1;
	for (size_t i = 0; i < args->n; i++) {
		struct job *j = &r->job[i];
		struct pg_load load = {.suites = r->w->suites, .machine = &r->here.machine, .opts = &j->opts};
		uint64_t seed;

		j->file = args->operand[i];
		pg_shape(r->o, &j->opts);
		if (pg_load_plan(&load, j->file, &reporter, &j->plan) != 0) {
			err->code = PG_OK; /* reported */
			result = -1;
			continue;
		}
		if (check_sessions(r->o, j, err) != 0 || draw_seed(r->o, &seed, err) != 0 ||
		    pg_mark_plan(&r->here, j->plan, NULL, err) != 0)
			return -1;
		if (r->loops && take_loops(r, j, err) != 0)
			return -1;
		fill_info(r, j, seed);
	}
	pg_loops_free(r->loops);
	r->loops = NULL;
	return result;
}

/* Options on the command line replace those of the run; the digest says whether the plan is still the same. */
static void merge_shape(const struct pg_run_opts *o, struct pg_plan_opts *to)
{
	struct pg_plan_opts given;

	pg_shape(o, &given);
	to->quick = to->quick || given.quick;
	if (given.only)
		to->only = given.only;
	if (given.n_set > 0) {
		to->set = given.set;
		to->n_set = given.n_set;
	}
	if (given.n_vary > 0) {
		to->vary = given.vary;
		to->n_vary = given.n_vary;
	}
	if (given.has_warmup) {
		to->has_warmup = true;
		to->warmup = given.warmup;
	}
	if (given.max_cells > 0)
		to->max_cells = given.max_cells;
	if (given.repeat > 0)
		to->repeat = given.repeat;
}

/* A FILE beside --resume must be the plan of the run; what is measured comes from the copies. */
static int compare_file(struct running *r, const char *file, struct pg_err *err)
{
	struct job *j = &r->job[0];
	struct pg_reporter reporter = {.world = r->w, .quiet = true};
	struct pg_load load = {.suites = r->w->suites, .machine = &j->info.machine, .opts = &j->opts};
	const struct pg_plan_file *now, *then;
	struct pg_plan *plan;
	size_t n_now, n_then;
	int result = 0;

	if (pg_load_plan(&load, file, &reporter, &plan) != 0) {
		err->code = PG_OK;
		return -1;
	}
	now = pg_plan_files(plan, &n_now);
	then = pg_plan_files(j->plan, &n_then);
	if (pg_plan_digest(plan) != pg_plan_digest(j->plan))
		result = pg_fail(err, PG_EUSAGE,
				 "'%s' is not the plan of the run in '%s'; start a new run, or --resume without "
				 "a FILE to go on with the old plan",
				 file, r->o->resume);
	else if (!r->o->quiet &&
		 (n_now != n_then || now[0].n != then[0].n || memcmp(now[0].bytes, then[0].bytes, now[0].n)))
		pg_say(r->w,
		       "note: '%s' has changed in what does not shape a rep; the run goes on as in '%s/files' "
		       "(--repeat N gives it more reps)",
		       file, r->o->resume);
	pg_plan_free(plan);
	return result;
}

/* The plan of the run to go on with, from its own copies. */
static int load_copies(struct running *r, const struct pg_plan_opts *opts, struct pg_plan **out, struct pg_err *err)
{
	struct pg_reporter reporter = {.world = r->w, .quiet = true};
	struct job *j = &r->job[0];
	char *dir = pg_arena_strdup(&r->arena, r->o->resume);
	struct pg_load load = {.suites = r->w->suites,
			       .machine = &j->info.machine,
			       .opts = opts,
			       .other_opts = pg_shape_differs(opts, &j->info.opts),
			       .read = pg_run_file_read,
			       .read_ctx = dir};

	if (!dir)
		return pg_fail_nomem(err);
	if (pg_load_plan(&load, j->file, &reporter, out) == 0)
		return 0;
	err->code = PG_OK;
	return -1;
}

static int load_resume(struct running *r, const struct pg_args *args, struct pg_err *err)
{
	struct job *j = &r->job[0];

	if (pg_run_info_read(r->o->resume, &r->arena, &j->info, err) != 0)
		return -1;
	j->file = j->info.scenario;
	j->opts = j->info.opts;
	merge_shape(r->o, &j->opts);
	if (load_copies(r, &j->opts, &j->plan, err) != 0)
		return -1;
	if (pg_plan_digest(j->plan) != j->info.digest)
		return pg_fail(err, PG_EUSAGE,
			       "the plan is not that of the run in '%s'; --resume keeps options and perfgrid version "
			       "of the run, but "
			       "for --repeat, --warmup",
			       r->o->resume);
	if (check_sessions(r->o, j, err) != 0)
		return -1;
	return args->n > 0 ? compare_file(r, args->operand[0], err) : 0;
}

/*
 * With another number of reps the looks that were made stay counted. Under the lock: how far the run has come is what
 * nobody changes any more.
 */
static int settle_ends(struct running *r, struct pg_err *err)
{
	struct job *j = &r->job[0];
	size_t before = j->opts.n_earlier;
	struct pg_plan *was = NULL;
	int result = 0;

	if (j->opts.repeat != j->info.opts.repeat) {
		result = load_copies(r, &j->info.opts, &was, err);
		if (result == 0)
			result = pg_ends_settle(r->o->resume, was, j->info.opts.repeat, &r->arena, &j->opts, err);
		pg_plan_free(was);
	}
	if (result == 0 && j->opts.n_earlier > before) {
		pg_plan_free(j->plan);
		j->plan = NULL;
		result = load_copies(r, &j->opts, &j->plan, err);
	}
	j->info.opts = j->opts;
	return result;
}

static int take_lock(struct running *r, struct pg_err *err)
{
	const struct pg_run_opts *o = r->o;
	int64_t wait = o->wait_lock.given ? o->wait_lock.ns : o->resume ? RESUME_WAIT_NS : 0;
	const struct pg_clock *clock = r->w->clock;
	int64_t start = clock->mono(clock->ctx);

	if (o->no_lock)
		return 0;
	/* In slices, so that a signal is seen soon. */
	for (;;) {
		int64_t left = wait - pg_since(clock->mono(clock->ctx), start);
		struct pg_err e = {.code = PG_OK};

		if (pg_lock_take(r->lock_fd, left < LOCK_SLICE_NS ? (left > 0 ? left : 0) : LOCK_SLICE_NS, clock, &e) ==
		    0) {
			if (e.msg[0] && !o->quiet)
				pg_report(r->w, &e, true);
			return 0;
		}
		if (e.code != PG_EBUSY || left <= LOCK_SLICE_NS || *r->stop) {
			*err = e;
			return -1;
		}
	}
}

static int run_job(struct running *r, struct job *j)
{
	struct pg_session_in in = {
		.world = r->w,
		.opts = r->o,
		.topo = &r->here.topo,
		.stop = r->stop,
		.plan = j->plan,
		.info = &j->info,
		.resume = r->o->resume,
		.loops = j->loops,
	};

	if (j->found.lacking > 0 && !r->o->quiet)
		pg_say(r->w,
		       "note: not calibrated in '%s': %zu of %zu cells under `loops: auto`; they are calibrated now",
		       r->o->loops_from, j->found.lacking, j->found.lacking + j->found.taken);
	return pg_session_run(&in);
}

static int run_all(struct running *r, const struct pg_args *args)
{
	struct pg_err err = {.code = PG_OK};
	int status = 0;
	int loaded = r->o->resume ? load_resume(r, args, &err) : load_files(r, args, &err);

	if (loaded == 0 && !*r->stop)
		loaded = take_lock(r, &err);
	if (loaded == 0 && !*r->stop && r->o->resume)
		loaded = settle_ends(r, &err);
	if (*r->stop)
		return PG_EXIT_SIGNAL + (int)*r->stop;
	if (loaded != 0)
		return err.code == PG_OK ? PG_EXIT_USAGE : pg_fail_status(r->w, &err);
	for (size_t i = 0; i < r->n && !*r->stop; i++) {
		int one = run_job(r, &r->job[i]);

		status = status ? status : one;
	}
	if (pg_stdout_flush(r->w) != 0 && status == 0) {
		pg_say(r->w, "cannot write standard output: %s; the tables are in the run directory",
		       strerror(r->w->out_errno));
		status = PG_EXIT_WRITE;
	}
	return status;
}

static void drop_job(struct job *j)
{
	if (j->loops)
		pg_big_free(j->loops, (pg_plan_cells(j->plan) + 1) * sizeof(*j->loops));
	pg_plan_free(j->plan);
}

/* In the process that measures. */
static int run_below_guardian(struct running *r, const struct pg_args *args)
{
	struct pg_err err;
	int status;

	pg_arena_init(&r->arena, true);
	pg_build_id(r->build);
	r->n = r->o->resume ? 1 : args->n;
	r->job = calloc(r->n, sizeof(*r->job));
	if (!r->job) {
		pg_fail_nomem(&err);
		return pg_fail_status(r->w, &err);
	}
	if (pg_here_open(&r->here, r->w, &err) != 0) {
		status = pg_fail_status(r->w, &err);
	} else {
		status = run_all(r, args);
		pg_here_close(&r->here);
	}
	for (size_t i = 0; i < r->n; i++)
		drop_job(&r->job[i]);
	free(r->job);
	pg_loops_free(r->loops);
	pg_arena_release(&r->arena);
	return status;
}

/* In the guardian: a runner that was killed could say nothing. The signals that it handles are no such end. */
static void say_killed(const struct pg_world *w, int status)
{
	int sig = status - PG_EXIT_SIGNAL;

	if (sig > 0 && sig != SIGHUP && sig != SIGINT && sig != SIGQUIT && sig != SIGTERM)
		pg_say(w,
		       "the runner was killed by signal %d (%s); what was measured is on disk, --resume goes on from "
		       "there",
		       sig, strsignal(sig));
}

int pg_cmd_run(struct pg_world *w, const void *options, const struct pg_args *args)
{
	volatile sig_atomic_t stop = 0;
	struct running r = {.w = w, .o = options, .stop = &stop, .lock_fd = -1};
	struct pg_err err;
	int status = 0;

	if (check_options(r.o, args, &err) != 0)
		return pg_fail_status(w, &err);
	if (r.o->dry_run)
		return pg_plan_print(w, r.o, args->operand[0]);
	/* Open before the fork: the lock is held as long as either process lives. */
	if (!r.o->no_lock)
		pg_lock_open(w->lock_path, &r.lock_fd);
	if (w->guard) {
		/* A small process is forked, before a plan makes it large. */
		int role = pg_guardian_start(&stop, &status, &err);

		if (role != 0) {
			if (role < 0)
				status = pg_fail_status(w, &err);
			else
				say_killed(w, status);
			goto out;
		}
	}
	status = run_below_guardian(&r, args);
out:
	if (r.lock_fd >= 0)
		close(r.lock_fd);
	return status;
}
