/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/loops.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "plan/plan.h"
#include "store/journal.h"
#include "store/store.h"

/* A `cal` record. */
struct count {
	uint64_t cell, variant; /* hash of the label; 0 = none */
	uint64_t ops;
	size_t line; /* the latest holds */
};

struct pg_loops {
	struct count *v;
	size_t n, cap;
};

static uint64_t label_hash(const char *label)
{
	return label && *label ? pg_fnv1a(PG_FNV_INIT, label, strlen(label)) : 0;
}

static int take_record(void *ctx, struct pg_record *r, const struct pg_line_at *at, struct pg_err *err)
{
	struct pg_loops *l = ctx;

	if (r->kind != PG_REC_CAL)
		return 0;
	if (l->n == l->cap) {
		size_t cap = l->cap ? 2 * l->cap : 64;
		struct count *more = reallocarray(l->v, cap, sizeof(*more));

		if (!more)
			return pg_fail_nomem(err);
		l->v = more;
		l->cap = cap;
	}
	l->v[l->n++] = (struct count){r->cell, label_hash(r->variant), r->ops, at->line};
	return 0;
}

static int by_cell(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	if (x->cell != y->cell)
		return x->cell < y->cell ? -1 : 1;
	return x->line < y->line ? -1 : x->line > y->line;
}

static int open_journal(const char *dir, int *fd, struct pg_err *err)
{
	struct pg_str path;
	struct stat st;
	int result = 0;

	pg_str_init(&path);
	pg_str_addf(&path, "%s/%s", dir, PG_JOURNAL_NAME);
	if (path.failed) {
		pg_str_release(&path);
		return pg_fail_nomem(err);
	}
	*fd = open(path.s, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (*fd < 0)
		result = pg_fail(err, PG_EUSAGE, "cannot open '%s': %s; give another run, or restore the file", path.s,
				 strerror(errno));
	else if (fstat(*fd, &st) != 0 || !S_ISREG(st.st_mode))
		result = pg_fail(err, PG_EUSAGE, "'%s' is no regular file; give another run", path.s);
	if (result != 0 && *fd >= 0)
		close(*fd);
	pg_str_release(&path);
	return result;
}

static int check_run(const char *dir, struct pg_err *err)
{
	struct pg_run_info info;
	struct pg_arena arena;
	int result;

	memset(&info, 0, sizeof(info));
	pg_arena_init(&arena, true);
	result = pg_run_info_read(dir, &arena, &info, err);
	pg_arena_release(&arena);
	return result;
}

/* All that is wrong with another run is a matter of what was asked for. */
static int read_all(const char *dir, struct pg_loops *l, struct pg_err *err)
{
	struct pg_err why = {.code = PG_OK};
	int fd = -1, result = check_run(dir, &why);
	off_t torn;

	if (result == 0)
		result = open_journal(dir, &fd, &why);
	if (result == 0) {
		result = pg_journal_scan(fd, take_record, l, &torn, &why);
		close(fd);
		if (result != 0)
			pg_err_wrap(&why, "run directory '%s'", dir);
	}
	if (result == 0)
		return 0;
	if (why.code != PG_ENOMEM)
		why.code = PG_EUSAGE;
	if (err)
		*err = why;
	return -1;
}

int pg_loops_read(const char *dir, struct pg_loops **out, struct pg_err *err)
{
	struct pg_loops *l = calloc(1, sizeof(*l));

	if (!l)
		return pg_fail_nomem(err);
	if (read_all(dir, l, err) != 0) {
		pg_loops_free(l);
		return -1;
	}
	if (l->n > 1)
		qsort(l->v, l->n, sizeof(*l->v), by_cell);
	*out = l;
	return 0;
}

void pg_loops_free(struct pg_loops *l)
{
	if (!l)
		return;
	free(l->v);
	free(l);
}

/* 0 = never calibrated there. */
static uint64_t find(const struct pg_loops *l, const struct pg_cell *c)
{
	uint64_t variant = label_hash(c->variant_label), ops = 0;
	size_t lo = 0, hi = l->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->v[mid].cell < c->id)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < l->n && l->v[lo].cell == c->id; lo++)
		if (l->v[lo].variant == variant || !l->v[lo].variant || !variant)
			ops = l->v[lo].ops;
	return ops;
}

#define LACKS UINT64_MAX /* in ops: a cell that wants a count */

/* Cells [first, first + arms) of the plan are one cell's arms. */
static void take_team(const struct pg_loops *l, const struct pg_plan *plan, size_t first, size_t arms,
		      struct pg_cell_buf *buf, uint64_t *ops, struct pg_loops_found *found)
{
	uint64_t least = 0;

	for (size_t i = first; i < first + arms; i++) {
		const struct pg_cell *c;
		uint64_t n;

		ops[i] = 0;
		if (pg_plan_skip(plan, i, NULL) != PG_NOT_SKIPPED)
			continue;
		c = pg_plan_cell(plan, i, buf);
		if (!pg_cell_auto(c))
			continue;
		ops[i] = LACKS;
		n = find(l, c);
		if (n > 0 && (least == 0 || n < least))
			least = n;
	}
	for (size_t i = first; i < first + arms; i++) {
		if (ops[i] != LACKS)
			continue;
		ops[i] = least;
		found->taken += least > 0;
		found->lacking += least == 0;
	}
}

int pg_loops_take(const struct pg_loops *l, const struct pg_plan *plan, uint64_t *ops, struct pg_loops_found *found,
		  struct pg_err *err)
{
	struct pg_cell_buf *buf = pg_cell_buf_new(plan);

	if (!buf)
		return pg_fail_nomem(err);
	*found = (struct pg_loops_found){0, 0};
	for (size_t s = 0; s < pg_plan_sweeps(plan); s++) {
		const struct pg_sweep *sw = pg_plan_sweep(plan, s);
		size_t arms = sw->n_variants > 1 ? sw->n_variants : 1;

		for (size_t i = 0; i < sw->n_cells; i += arms)
			take_team(l, plan, sw->first_cell + i, arms, buf, ops, found);
	}
	pg_cell_buf_free(buf);
	return 0;
}
