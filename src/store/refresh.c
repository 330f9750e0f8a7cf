/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Result files of a run: all of them at its end and by `tables`, those of the sweep at work between reps, seldom enough
 * not to be felt.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "store/compare.h"
#include "store/store_inside.h"

#define REFRESH_EVERY_NS 1000000000
#define REFRESH_SHARE	 49   /* pauses between refreshes: so many times as long as one takes, 2 % in all */
#define FIRST_NS_PER_ROW 1000 /* cost of a row of cells.csv before one was measured */

static struct pg_results results(struct pg_store *s)
{
	return (struct pg_results){
		.plan = s->plan,
		.samples = s->samples,
		.shares = s->shares,
		.rundir = s->dirfd,
		.interrupted = s->info.state == PG_RUN_INTERRUPTED,
		.dirfd = s->dirfd,
		.dir = s->dir,
		.style = PG_CSV_PLAIN,
	};
}

/* cells.csv, tables and status tables. */
static int write_sweep(const struct pg_results *r, const struct pg_sweep *sw, struct pg_err *err)
{
	struct pg_values *v;
	size_t *owner;
	int result;

	if (pg_cells_write(r, sw, err) != 0 || pg_values_new(r, sw, &v, err) != 0)
		return -1;
	owner = pg_status_owners(sw, err);
	result = owner ? 0 : -1;
	for (size_t i = 0; result == 0 && i < sw->n_tables; i++) {
		result = pg_table_write(r, sw, &sw->tables[i], v, err);
		if (result == 0 && owner[i] == i)
			result = pg_status_write(r, sw, &sw->tables[i], v, err);
	}
	free(owner);
	pg_values_free(v);
	return result;
}

static int write_samples(struct pg_store *s, const struct pg_results *r, const struct pg_sweep *sw, struct pg_err *err)
{
	struct pg_journal_part part = {
		.fd = s->journal.fd,
		.from = s->sweeps[sw->index].from,
		.end = s->sweeps[sw->index].end,
		.session = s->sweeps[sw->index].session,
		.columns = s->columns,
	};

	return pg_samples_write(r, sw, &part, err);
}

static void next_refresh(struct pg_store *s, int64_t from, int64_t cost)
{
	int64_t pause = REFRESH_SHARE * cost;

	s->refresh_ns = from + (pause > REFRESH_EVERY_NS ? pause : REFRESH_EVERY_NS);
}

void pg_store_refresh_first(struct pg_store *s)
{
	size_t rows = 0;

	for (size_t i = 0; i < s->n_sweeps; i++) {
		const struct pg_sweep *sw = pg_plan_sweep(s->plan, i);
		size_t n = sw->n_cells * sw->n_metrics;

		rows = n > rows ? n : rows;
	}
	next_refresh(s, s->clock->mono(s->clock->ctx), (int64_t)rows * FIRST_NS_PER_ROW);
}

int pg_store_refresh(struct pg_store *s, struct pg_err *err)
{
	const struct pg_clock *c = s->clock;
	int64_t start = c->mono(c->ctx), end;
	struct pg_results r = results(s);

	for (size_t i = 0; i < s->n_sweeps; i++) {
		if (!s->sweeps[i].dirty)
			continue;
		if (write_sweep(&r, pg_plan_sweep(s->plan, i), err) != 0)
			return -1;
		s->sweeps[i].dirty = false;
	}
	end = c->mono(c->ctx);
	next_refresh(s, end, pg_since(end, start));
	return 0;
}

/* The comparison of the run, anew. */
static int new_compared(struct pg_store *s, struct pg_err *err)
{
	if (!s->compared)
		s->compared = malloc(sizeof(*s->compared));
	else
		pg_compare_release(s->compared);
	if (!s->compared)
		return pg_fail_nomem(err);
	pg_compare_init(s->compared);
	return 0;
}

static void drop_compared(struct pg_store *s)
{
	if (s->compared)
		pg_compare_release(s->compared);
	free(s->compared);
	s->compared = NULL;
}

int pg_store_compared(struct pg_store *s, const struct pg_compare **out, struct pg_err *err)
{
	const struct pg_compare_opts opts = {.judged_only = true};

	if (!s->compared) {
		if (new_compared(s, err) != 0)
			return -1;
		if (pg_store_compare(s, &opts, s->compared, err) != 0 ||
		    pg_compare_see_store(s->compared, s, NULL, err) != 0) {
			drop_compared(s);
			return -1;
		}
	}
	*out = s->compared;
	return 0;
}

static int write_compared(struct pg_store *s, const struct pg_results *r, struct pg_err *err)
{
	if (new_compared(s, err) != 0)
		return -1;
	if (pg_compare_write(r, s->info.seed, s->compared, err) == 0)
		return 0;
	drop_compared(s);
	return -1;
}

static int write_all(struct pg_store *s, const struct pg_results *r, struct pg_err *err)
{
	for (size_t i = 0; i < s->n_sweeps; i++) {
		const struct pg_sweep *sw = pg_plan_sweep(s->plan, i);

		if (write_samples(s, r, sw, err) != 0 || write_sweep(r, sw, err) != 0)
			return -1;
		s->sweeps[i].dirty = false;
	}
	return write_compared(s, r, err);
}

/* The directory that files go to, made where it is not there. */
static int out_dir(const char *dir, struct pg_err *err)
{
	int fd;

	if (mkdir(dir, 0777) != 0 && errno != EEXIST) {
		pg_fail(err, PG_EUSAGE, "cannot make directory '%s': %s; give another with -o", dir, strerror(errno));
		return -1;
	}
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		pg_fail(err, PG_EUSAGE, "cannot open directory '%s': %s; give another with -o", dir, strerror(errno));
	return fd;
}

static int into(const char *dir, struct pg_results *r, struct pg_err *err)
{
	if (!dir)
		return 0;
	r->dir = dir;
	r->dirfd = out_dir(dir, err);
	if (r->dirfd >= 0)
		return 0;
	if (err)
		err->code = PG_EUSAGE;
	return -1;
}

int pg_store_write_all(struct pg_store *s, const char *dir, enum pg_csv_style style,
		       void (*written)(void *ctx, const char *path), void *ctx, struct pg_err *err)
{
	struct pg_results r = results(s);
	int result;

	r.style = style;
	r.written = written;
	r.written_ctx = ctx;
	r.note = s->note;
	r.note_ctx = s->note_ctx;
	if (into(dir, &r, err) != 0)
		return -1;
	result = write_all(s, &r, err);
	if (dir)
		close(r.dirfd);
	return result;
}

/* A table of the scenario has the status files that it has in the run; a further one takes none of theirs. */
static int write_status(const struct pg_results *r, const struct pg_sweep *sw, const struct pg_table_spec *t,
			bool in_run, struct pg_values *v, struct pg_err *err)
{
	size_t *owner = pg_status_owners(sw, err);
	bool wanted = true;

	if (!owner)
		return -1;
	for (size_t i = 0; i < sw->n_tables; i++) {
		if (t == &sw->tables[i])
			wanted = owner[i] == i;
		else if (in_run && owner[i] == i && pg_status_same_file(t, &sw->tables[i]))
			wanted = false;
	}
	free(owner);
	return wanted ? pg_status_write(r, sw, t, v, err) : 0;
}

int pg_store_write_table(struct pg_store *s, const char *dir, size_t sweep, const struct pg_table_spec *t,
			 enum pg_csv_style style, void (*written)(void *ctx, const char *path), void *ctx,
			 struct pg_err *err)
{
	const struct pg_sweep *sw = pg_plan_sweep(s->plan, sweep);
	struct pg_results r = results(s);
	struct pg_values *v = NULL;
	int result;

	r.style = style;
	r.written = written;
	r.written_ctx = ctx;
	r.note = s->note;
	r.note_ctx = s->note_ctx;
	if (into(dir, &r, err) != 0)
		return -1;
	result = pg_values_new(&r, sw, &v, err);
	if (result == 0)
		result = pg_table_write(&r, sw, t, v, err);
	if (result == 0)
		result = write_status(&r, sw, t, !dir, v, err);
	pg_values_free(v);
	if (dir)
		close(r.dirfd);
	return result;
}

int pg_store_finish(struct pg_store *s, enum pg_run_state state, struct pg_err *err)
{
	struct pg_err first = {.code = PG_OK}, next;
	int result = 0;

	drop_compared(s); /* of the records so far */
	/* One after the other whatever happens: what can still be written is. */
	if (pg_journal_state(&s->journal, state, &first) != 0)
		result = -1;
	else
		s->size += (off_t)s->journal.line.len;
	if (pg_journal_sync(&s->journal, result ? &next : &first) != 0)
		result = -1;
	s->info.state = result == 0 ? state : PG_RUN_INTERRUPTED;
	if (pg_run_json_write(s, result ? &next : &first) != 0)
		result = -1;
	if (pg_store_write_all(s, NULL, PG_CSV_PLAIN, NULL, NULL, result ? &next : &first) != 0)
		result = -1;
	if (result != 0 && err)
		*err = first;
	return result;
}

enum pg_status pg_store_cell_status(const struct pg_store *s, size_t cell)
{
	struct pg_cell_buf *buf = pg_cell_buf_new(s->plan);
	enum pg_status status = PG_ST_NOT_RUN;

	if (buf)
		status = pg_acc_status(pg_samples_acc(s->samples, cell), pg_plan_cell(s->plan, cell, buf));
	pg_cell_buf_free(buf);
	return status;
}

void pg_store_counts(const struct pg_store *s, struct pg_store_counts *out)
{
	struct pg_cell_buf *buf = pg_cell_buf_new(s->plan);

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; buf && i < pg_plan_cells(s->plan); i++) {
		switch (pg_acc_status(pg_samples_acc(s->samples, i), pg_plan_cell(s->plan, i, buf))) {
		case PG_ST_OK:
			out->ok++;
			break;
		case PG_ST_FAILED:
		case PG_ST_INVALID:
			out->failed++;
			break;
		case PG_ST_TIMEOUT:
			out->timeout++;
			break;
		case PG_ST_SKIPPED:
			out->skipped++;
			break;
		case PG_ST_UNSTABLE:
			out->unstable++;
			break;
		case PG_ST_NOT_RUN:
		case PG_ST_ABSENT:
			out->not_run++;
			break;
		}
	}
	pg_cell_buf_free(buf);
}
