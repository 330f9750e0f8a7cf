/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run directory from its making to its close, and what rounds report into it.
 */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "store/compare.h"
#include "store/fileio.h"
#include "store/guard_share.h"
#include "store/plan_csv.h"
#include "store/store_inside.h"

#define SECOND_NS 1000000000

void pg_store_note(struct pg_store *s, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (!s->note)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	s->note(s->note_ctx, text);
}

static int64_t now(const struct pg_store *s)
{
	return s->clock->mono(s->clock->ctx);
}

/* ---- observer ---- */

static int on_calibrated(void *ctx, const struct pg_cell *cell, uint64_t ops, struct pg_err *err)
{
	struct pg_store *s = ctx;

	if (pg_journal_cal(&s->journal, cell, ops, err) != 0)
		return -1;
	s->size += (off_t)s->journal.line.len;
	pg_samples_ops(s->samples, cell->index, ops);
	return 0;
}

int pg_store_take_rep(struct pg_store *s, size_t index, struct pg_rep_record *r, const struct pg_line_at *at,
		      struct pg_err *err)
{
	struct sweep_state *w = &s->sweeps[pg_sweep_of(s->plan, index)];

	if (w->end == 0) {
		w->from = at->offset;
		w->session = s->sessions;
	}
	w->end = at->end;
	w->dirty = true;
	if (pg_guard_shares_rep(s->shares, index, pg_plan_sweep(s->plan, pg_sweep_of(s->plan, index)), r, err) != 0)
		return -1;
	if (pg_samples_session(s->samples, s->sessions, s->part, err) != 0)
		return -1;
	return pg_samples_rep(s->samples, index, r, s->boot_now, err);
}

/* No rep is at work until rep_done returns. */
static int sample_canary(struct pg_store *s, size_t sweep, const struct pg_rep_record *r, struct pg_err *err)
{
	int64_t ns[PG_CANARIES];

	if (!s->with_canary || r->warmup || !pg_canary_sample(&s->canary, s->clock, sweep, r->round, ns))
		return 0;
	if (pg_journal_canary(&s->journal, ns, err) != 0)
		return -1;
	s->size += (off_t)s->journal.line.len;
	return 0;
}

static int on_rep_done(void *ctx, const struct pg_cell *cell, const struct pg_rep_record *r, struct pg_err *err)
{
	struct pg_store *s = ctx;
	struct pg_rep_record copy = *r;
	struct pg_line_at at = {.offset = s->size};

	if (pg_journal_rep(&s->journal, cell, r, err) != 0)
		return -1;
	at.end = s->size += (off_t)s->journal.line.len;
	if (pg_store_take_rep(s, cell->index, &copy, &at, err) != 0)
		return -1;
	return sample_canary(s, cell->sweep, r, err);
}

static int on_cell_done(void *ctx, const struct pg_cell *cell, enum pg_stop stop, enum pg_status status,
			struct pg_err *err)
{
	struct pg_store *s = ctx;

	(void)status; /* follows from the records */
	if (pg_journal_end(&s->journal, cell, stop, err) != 0)
		return -1;
	s->size += (off_t)s->journal.line.len;
	pg_samples_end(s->samples, cell->index, stop);
	s->sweeps[cell->sweep].dirty = true;
	return 0;
}

static int on_between(void *ctx, struct pg_err *err)
{
	struct pg_store *s = ctx;
	int64_t t = now(s);

	if (s->journal.unsynced && t - s->synced_ns >= SECOND_NS) {
		if (pg_journal_sync(&s->journal, err) != 0)
			return -1;
		t = s->synced_ns = now(s);
	}
	return t >= s->refresh_ns ? pg_store_refresh(s, err) : 0;
}

const struct pg_observer *pg_store_observer(struct pg_store *s)
{
	return &s->obs;
}

/* ---- making and opening ---- */

static int store_new(const struct pg_store_opts *opts, struct pg_plan *plan, struct pg_store **out, struct pg_err *err)
{
	struct pg_store *s = calloc(1, sizeof(*s));

	if (!s)
		return pg_fail_nomem(err);
	s->dirfd = s->journal.fd = -1;
	s->clock = opts->clock;
	s->plan = plan;
	s->note = opts->note;
	s->note_ctx = opts->note_ctx;
	s->with_canary = opts->canary;
	pg_arena_init(&s->arena, true);
	pg_str_init(&s->journal.line);
	s->n_sweeps = pg_plan_sweeps(plan);
	s->sweeps = pg_arena_array(&s->arena, s->n_sweeps, sizeof(*s->sweeps));
	s->columns = pg_arena_array(&s->arena, s->n_sweeps, sizeof(*s->columns));
	s->root = pg_arena_strdup(&s->arena, opts->root ? opts->root : "");
	s->obs = (struct pg_observer){
		.calibrated = on_calibrated,
		.rep_done = on_rep_done,
		.cell_done = on_cell_done,
		.between = on_between,
		.ctx = s,
	};
	s->synced_ns = now(s);
	if (!s->sweeps || !s->columns || !s->root) {
		pg_store_close(s);
		return pg_fail_nomem(err);
	}
	if (pg_guard_shares_new(plan, &s->shares, err) != 0 || pg_samples_new(plan, &s->samples, err) != 0) {
		pg_store_close(s);
		return -1;
	}
	*out = s;
	return 0;
}

void pg_store_close(struct pg_store *s)
{
	if (!s)
		return;
	if (s->journal.fd >= 0)
		close(s->journal.fd);
	if (s->dirfd >= 0)
		close(s->dirfd);
	pg_str_release(&s->journal.line);
	pg_samples_free(s->samples);
	pg_guard_shares_free(s->shares);
	pg_canary_release(&s->canary);
	pg_canaries_release(&s->canaries);
	if (s->compared)
		pg_compare_release(s->compared);
	free(s->compared);
	free(s->boots);
	free(s->dir);
	pg_arena_release(&s->arena);
	free(s);
}

static void to_file(void *ctx, const char *s, size_t n)
{
	pg_out_write(ctx, s, n);
}

static int to_file_result(void *ctx, const char *s, size_t n)
{
	to_file(ctx, s, n);
	return ((struct pg_out *)ctx)->failed ? -1 : 0;
}

static int write_plan(struct pg_store *s, struct pg_err *err)
{
	struct pg_out out;

	if (pg_out_open(&out, s->dirfd, PG_PLAN_CSV_NAME, err) != 0)
		return -1;
	if (pg_plan_csv(s->plan, to_file_result, &out, err) != 0 && !out.failed) {
		pg_out_abort(&out);
		return -1;
	}
	return pg_out_commit(&out, true, err);
}

/* The columns that this program writes. */
static void own_columns(struct pg_store *s)
{
	for (size_t i = 0; i < s->n_sweeps; i++) {
		const struct pg_sweep *sw = pg_plan_sweep(s->plan, i);
		struct pg_columns *c = &s->columns[i];

		for (size_t m = 0; m < sw->n_metrics; m++)
			if (sw->metrics[m].reduce != PG_RATIO && c->n_m < PG_OUT_SAMPLES)
				c->m[c->n_m++] = m;
		for (int f = 0; f < PG_FACTS; f++)
			c->f[c->n_f++] = f;
		c->known = true;
	}
}

static int begin_journal(struct pg_store *s, struct pg_err *err)
{
	s->journal.fd = openat(s->dirfd, PG_JOURNAL_NAME, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (s->journal.fd < 0)
		return pg_fail_sys(err, "cannot make '%s'", PG_JOURNAL_NAME);
	(void)flock(s->journal.fd, LOCK_EX | LOCK_NB); /* a second --resume sees it */
	if (pg_journal_header(&s->journal, s->plan, &s->info, err) != 0)
		return -1;
	s->size = (off_t)s->journal.line.len;
	own_columns(s);
	return pg_journal_sync(&s->journal, err);
}

/* run.json comes last: without it the directory is none that could be resumed. */
static int fill(struct pg_store *s, struct pg_err *err)
{
	char boot[64];
	struct pg_str host;
	int result = 0;

	pg_str_init(&host);
	pg_boot_id(s->root, boot, sizeof(boot));
	s->boot = pg_arena_strdup(&s->arena, boot);
	if (pg_sys_get(s->root, "/proc/sys/kernel/hostname", &host))
		s->host = pg_arena_strdup(&s->arena, pg_str_text(&host));
	pg_str_release(&host);
	if (!s->boot)
		return pg_fail_nomem(err);
	result = pg_rundir_copy_files(s, err);
	if (result == 0)
		result = pg_env_write(s, err);
	if (result == 0)
		result = write_plan(s, err);
	if (result == 0)
		result = begin_journal(s, err);
	return result == 0 ? pg_run_json_write(s, err) : result;
}

int pg_store_create(const struct pg_store_opts *opts, struct pg_plan *plan, struct pg_store **out, struct pg_err *err)
{
	struct pg_store *s;
	int made;

	if (store_new(opts, plan, &s, err) != 0)
		return -1;
	s->for_writing = true;
	s->info = *opts->info;
	pg_guard_shares_cpus(s->shares, opts->info->machine.word[0]);
	s->info.state = PG_RUN_RUNNING;
	s->info.digest = pg_plan_digest(plan);
	s->info.started_wall_ns = s->clock->wall(s->clock->ctx);
	s->info.name = pg_plan_name(plan);
	if (pg_run_info_copy(&s->arena, &s->info) != 0) {
		pg_store_close(s);
		return pg_fail_nomem(err);
	}
	made = pg_rundir_make(s, opts->dir, err);
	if (made < 0) {
		pg_store_close(s);
		return -1;
	}
	if (fill(s, err) != 0) {
		if (err && err->code != PG_ENOMEM) {
			pg_err_wrap(err, "run directory '%s'", s->dir);
			err->code = PG_EUSAGE;
		}
		pg_rundir_undo(s, made);
		pg_store_close(s);
		return -1;
	}
	pg_rundir_settle(s);
	if (!opts->dir)
		pg_rundir_latest(s);
	*out = s;
	return 0;
}

/* ---- opening ---- */

static int check_digest(struct pg_store *s, struct pg_err *err)
{
	struct pg_str copies;

	if (pg_plan_digest(s->plan) == s->info.digest)
		return 0;
	if (s->for_writing)
		return pg_fail(err, PG_EUSAGE,
			       "the plan is not that of the run in '%s'; resume it with its own files and options",
			       s->dir);
	pg_str_init(&copies);
	pg_rundir_copies(s, &copies);
	pg_store_note(s,
		      "'%s' gives another plan now than the one that perfgrid %s has measured: it was changed, or is "
		      "read in another way by this perfgrid",
		      pg_str_text(&copies), s->info.version);
	pg_str_release(&copies);
	return 0;
}

/* What could not run there. Cells that plan.csv has otherwise are those of another plan. */
static int take_marks(struct pg_store *s, struct pg_err *err)
{
	struct pg_str path, copies;
	int result;

	pg_str_init(&path);
	pg_str_addf(&path, "%s/%s", s->dir, PG_PLAN_CSV_NAME);
	result = path.failed ? pg_fail_nomem(err) : pg_plan_csv_marks(path.s, s->plan, err);
	if (result != 0 && err && err->code != PG_ENOMEM && pg_plan_digest(s->plan) != s->info.digest) {
		pg_str_init(&copies);
		pg_rundir_copies(s, &copies);
		pg_fail(err, PG_EUSAGE,
			"'%s' was changed since the run began: its plan has not the cells of '%s' now; restore it, or "
			"measure anew",
			pg_str_text(&copies), path.s);
		pg_str_release(&copies);
	}
	pg_str_release(&path);
	return result;
}

static int open_journal(struct pg_store *s, struct pg_err *err)
{
	struct stat st;

	s->journal.fd = openat(s->dirfd, PG_JOURNAL_NAME,
			       (s->for_writing ? O_RDWR | O_APPEND : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (s->journal.fd < 0) {
		return pg_fail(err, PG_EUSAGE, "cannot open '%s/%s': %s; %s", s->dir, PG_JOURNAL_NAME, strerror(errno),
			       errno == ENOENT ? "restore it from a copy"
					       : "a run goes on only where its files can be written");
	}
	if (fstat(s->journal.fd, &st) != 0 || !S_ISREG(st.st_mode))
		return pg_fail(err, PG_EUSAGE, "'%s/%s' is no regular file; restore it from a copy", s->dir,
			       PG_JOURNAL_NAME);
	if (s->for_writing && flock(s->journal.fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
		return pg_fail(err, PG_EBUSY, "another run writes into '%s'; wait until it has ended", s->dir);
	return 0;
}

static int open_all(struct pg_store *s, const struct pg_store_opts *opts, struct pg_err *err)
{
	struct pg_run_stored stored;

	if (pg_rundir_open(s, opts->dir, err) != 0 || pg_run_json_read(s->dirfd, s->dir, &s->arena, &stored, err) != 0)
		return -1;
	/* What the caller changed of the options (more reps) is kept; who made the run is not the caller's. */
	s->info = stored.info;
	pg_guard_shares_cpus(s->shares, stored.info.machine.word[0]);
	s->host = stored.host;
	s->boot = stored.boot;
	if (opts->info) {
		s->info.opts = opts->info->opts;
		if (pg_run_info_copy(&s->arena, &s->info) != 0)
			return pg_fail_nomem(err);
	}
	if (check_digest(s, err) != 0)
		return -1;
	if (take_marks(s, err) != 0 || open_journal(s, err) != 0)
		return -1;
	if (s->for_writing)
		pg_tmp_sweep(s->dirfd);
	return 0;
}

int pg_store_open(const struct pg_store_opts *opts, struct pg_plan *plan, bool for_writing, struct pg_store **out,
		  struct pg_err *err)
{
	struct pg_store *s;

	if (store_new(opts, plan, &s, err) != 0)
		return -1;
	s->for_writing = for_writing;
	if (open_all(s, opts, err) != 0) {
		pg_store_close(s);
		return -1;
	}
	*out = s;
	return 0;
}

bool pg_store_same_run(const struct pg_store *a, const struct pg_store *b)
{
	return a->info.started_wall_ns == b->info.started_wall_ns && strcmp(a->info.id, b->info.id) == 0;
}

const char *pg_store_dir(const struct pg_store *s)
{
	return s->dir;
}
