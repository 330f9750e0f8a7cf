/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the journal back to what a run knew: samples, calibrations, ends; and, on resuming, what the rounds knew.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "store/fileio.h"
#include "store/store_inside.h"

#define TORN_NAME "journal.torn"

struct replay {
	struct pg_store *s;
	struct pg_rounds *const *rounds;
	struct pg_outcome *out;
	bool header;
};

static struct pg_rounds *rounds_of(const struct replay *p, size_t sweep)
{
	return p->rounds ? p->rounds[sweep] : NULL;
}

int pg_store_boot(struct pg_store *s, const char *boot, struct pg_err *err)
{
	const char **more;

	for (size_t i = 0; i < s->n_boots; i++) {
		if (strcmp(s->boots[i], boot) == 0) {
			s->boot_now = (uint16_t)(i + 1);
			return 0;
		}
	}
	if (s->n_boots >= UINT16_MAX - 1)
		return pg_fail(err, PG_EINPUT, "over %d boots in a run", UINT16_MAX - 1);
	more = reallocarray(s->boots, s->n_boots + 1, sizeof(*more));
	if (!more)
		return pg_fail_nomem(err);
	s->boots = more;
	s->boots[s->n_boots] = pg_arena_strdup(&s->arena, boot);
	if (!s->boots[s->n_boots])
		return pg_fail_nomem(err);
	s->n_boots++;
	s->boot_now = (uint16_t)s->n_boots;
	return 0;
}

static int take_rep(struct replay *p, const struct pg_record *r, const struct pg_line_at *at, size_t index,
		    struct pg_err *err)
{
	struct pg_store *s = p->s;
	const struct pg_sweep *sw = pg_plan_sweep(s->plan, pg_sweep_of(s->plan, index));
	struct pg_rep_record rec = {
		.cell = index - sw->first_cell,
		.cell_id = r->cell,
		.warmup = r->warmup,
		.round = r->round,
		.position = r->position,
		.attempt = r->attempt,
		.disturbed = r->disturbed,
		.redo = r->redo,
		.seeded = r->seeded,
		.seed = r->seed,
		.out = p->out,
	};

	if (r->n != s->journal.n + 1)
		return pg_fail(err, PG_EINPUT, "number %llu follows number %llu", (unsigned long long)r->n,
			       (unsigned long long)s->journal.n);
	if (pg_record_outcome(r, &s->columns[sw->index], sw->metrics, p->out, err) != 0)
		return -1;
	s->journal.n = r->n;
	if (pg_store_take_rep(s, index, &rec, at, err) != 0)
		return -1;
	if (rounds_of(p, sw->index) && pg_rounds_restore_rep(rounds_of(p, sw->index), &rec) != 0)
		return pg_fail_nomem(err);
	return 0;
}

static int take_mark(struct replay *p, const struct pg_record *r, size_t index, struct pg_err *err)
{
	size_t sweep = pg_sweep_of(p->s->plan, index);
	size_t local = index - pg_plan_sweep(p->s->plan, sweep)->first_cell;
	struct pg_rounds *rounds = rounds_of(p, sweep);
	int result = 0;

	p->s->sweeps[sweep].dirty = true;

	switch (r->kind) {
	case PG_REC_CAL:
		pg_samples_ops(p->s->samples, index, r->ops);
		result = rounds ? pg_rounds_restore_ops(rounds, local, r->ops) : 0;
		break;
	case PG_REC_END:
		pg_samples_end(p->s->samples, index, r->stop);
		result = rounds ? pg_rounds_restore_end(rounds, local, r->stop) : 0;
		break;
	case PG_REC_RETRY:
		/* All failed cells of a sweep are retried at once: the rounds take the first of their records for all.
		 */
		if (pg_samples_retry(p->s->samples, index))
			result = rounds ? pg_rounds_retry_failed(rounds) : 0;
		break;
	case PG_REC_HEADER:
	case PG_REC_SESSION:
	case PG_REC_REP:
	case PG_REC_CANARY:
	case PG_REC_STATE:
		break;
	}
	return result == 0 ? 0 : pg_fail_nomem(err);
}

/* A run that stands on files that were changed: nothing is wrong with its journal. */
static int other_files(const struct pg_store *s, const char *id, struct pg_err *err)
{
	struct pg_str copies;

	pg_str_init(&copies);
	pg_rundir_copies(s, &copies);
	pg_fail(err, PG_EUSAGE,
		"'%s' was changed since the run began: its plan has no cell %s now, which was measured; restore it, or "
		"measure anew",
		pg_str_text(&copies), id);
	pg_str_release(&copies);
	return -1;
}

static int take_cell(struct replay *p, const struct pg_record *r, const struct pg_line_at *at, struct pg_err *err)
{
	size_t index = pg_record_cell(p->s->plan, r);
	char id[PG_CELL_ID_BUF];

	if (index == SIZE_MAX) {
		pg_cell_id_format(id, r->cell);
		if (pg_plan_digest(p->s->plan) != p->s->info.digest)
			return other_files(p->s, id, err);
		return pg_fail(err, PG_EINPUT, "the plan has no cell %s%s%s", id, r->variant[0] ? " of variant " : "",
			       r->variant);
	}
	return r->kind == PG_REC_REP ? take_rep(p, r, at, index, err) : take_mark(p, r, index, err);
}

static int take_header(struct replay *p, const struct pg_record *r, struct pg_err *err)
{
	if (p->header)
		return pg_fail(err, PG_EINPUT, "a second header");
	p->header = true;
	return pg_columns_read(r->header, p->s->plan, p->s->columns, err);
}

static int take(void *ctx, struct pg_record *r, const struct pg_line_at *at, struct pg_err *err)
{
	struct replay *p = ctx;
	struct pg_store *s = p->s;

	s->size = at->end;
	if (!p->header && r->kind != PG_REC_HEADER)
		return pg_fail(err, PG_EINPUT, "the header is missing");
	switch (r->kind) {
	case PG_REC_HEADER:
		return take_header(p, r, err);
	case PG_REC_SESSION:
		s->sessions++;
		s->part = r->part;
		s->info.state = PG_RUN_RUNNING;
		return pg_store_boot(s, r->boot, err);
	case PG_REC_STATE:
		s->info.state = r->state;
		return 0;
	case PG_REC_CANARY:
		return pg_canaries_add(&s->canaries, s->sessions, r->canary, err);
	case PG_REC_CAL:
	case PG_REC_REP:
	case PG_REC_END:
	case PG_REC_RETRY:
		break;
	}
	return take_cell(p, r, at, err);
}

/* Copies what stands behind `from` to journal.torn, then cuts it off. */
static int cut_tail(struct pg_store *s, off_t from, struct pg_err *err)
{
	int fd = openat(s->dirfd, TORN_NAME, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
	off_t at = from;
	ssize_t k = -1;

	while (fd >= 0) {
		char buf[16384];

		k = pread(s->journal.fd, buf, sizeof(buf), at);
		if (k <= 0 || pg_write_all(fd, buf, (size_t)k) != 0)
			break;
		at += k;
	}
	if (fd >= 0 && k == 0 && fsync(fd) == 0 && ftruncate(s->journal.fd, from) == 0) {
		close(fd);
		(void)fsync(s->journal.fd);
		pg_store_note(s, "the last line of '%s' was cut; it stands in '%s' now", PG_JOURNAL_NAME, TORN_NAME);
		return 0;
	}
	pg_fail_sys(err, "cannot cut the torn tail of '%s' into '%s'", PG_JOURNAL_NAME, TORN_NAME);
	if (err)
		err->code = PG_EWRITE;
	if (fd >= 0)
		close(fd);
	return -1;
}

/* A run that is gone on with just now says in its journal first that it is not complete any more. */
static int look_at_end(struct pg_store *s, enum pg_run_state said, struct pg_err *err)
{
	struct pg_run_stored now;

	if (s->for_writing || said != PG_RUN_COMPLETE || s->info.state == PG_RUN_COMPLETE)
		return 0;
	if (pg_run_json_read(s->dirfd, s->dir, &s->arena, &now, err) != 0)
		return -1;
	s->cut = now.info.state == PG_RUN_COMPLETE;
	return 0;
}

bool pg_store_is_cut(const struct pg_store *s)
{
	return s->cut;
}

int pg_store_replay(struct pg_store *s, struct pg_rounds *const *rounds, struct pg_err *err)
{
	enum pg_run_state said = s->info.state;
	struct replay p = {.s = s, .rounds = rounds, .out = malloc(sizeof(*p.out))};
	off_t torn;
	int result;

	if (!p.out)
		return pg_fail_nomem(err);
	s->info.state = PG_RUN_RUNNING; /* until a record says otherwise */
	result = pg_journal_scan(s->journal.fd, take, &p, &torn, err);
	free(p.out);
	if (result == 0 && !p.header)
		result = pg_fail(err, PG_EDAMAGED, "'%s' in '%s' has no first line; restore it from a copy",
				 PG_JOURNAL_NAME, s->dir);
	if (result == 0)
		result = look_at_end(s, said, err);
	if (result != 0 || torn < 0)
		return result;
	if (s->for_writing)
		return cut_tail(s, torn, err);
	pg_store_note(s, "the last line of '%s/%s' is cut and was left out: its run was killed or still goes on",
		      s->dir, PG_JOURNAL_NAME);
	return 0;
}

void pg_store_replayed(struct pg_store *s)
{
	close(s->journal.fd);
	s->journal.fd = -1;
}

int pg_store_retry_failed(struct pg_store *s, struct pg_err *err)
{
	struct pg_cell_buf *buf = pg_cell_buf_new(s->plan);
	int result = 0;

	if (!buf)
		return pg_fail_nomem(err);
	for (size_t i = 0; result == 0 && i < pg_plan_cells(s->plan); i++) {
		if (!pg_samples_retry(s->samples, i))
			continue;
		result = pg_journal_retry(&s->journal, pg_plan_cell(s->plan, i, buf), err);
		s->size += result == 0 ? (off_t)s->journal.line.len : 0;
		s->sweeps[pg_sweep_of(s->plan, i)].dirty = true;
	}
	pg_cell_buf_free(buf);
	return result;
}

void pg_store_part(struct pg_store *s, uint32_t part)
{
	s->part = pg_plan_sessions(s->plan) > 1 ? part : 0;
}

uint32_t pg_store_last_part(const struct pg_store *s)
{
	return pg_samples_part(s->samples);
}

int pg_store_session(struct pg_store *s, struct pg_err *err)
{
	char boot[64];

	pg_boot_id(s->root, boot, sizeof(boot));
	if (pg_store_boot(s, boot, err) != 0)
		return -1;
	if (pg_journal_session(&s->journal, s->sessions + 1, s->part, boot, s->clock, err) != 0)
		return -1;
	s->size += (off_t)s->journal.line.len;
	s->sessions++;
	s->info.state = PG_RUN_RUNNING;
	pg_store_refresh_first(s);
	return pg_run_json_write(s, err);
}
