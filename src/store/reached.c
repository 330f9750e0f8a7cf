/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "store/reached.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "store/journal.h"

struct reached {
	struct pg_plan *plan;
	uint32_t *last; /* per cell of the plan: its latest measured round, 0 = none, or it has failed */
};

/* What is wrong with a record is told by the replay that follows: a cell that is unknown counts for nothing here. */
static int take(void *ctx, struct pg_record *r, const struct pg_line_at *at, struct pg_err *err)
{
	struct reached *p = ctx;
	bool rep = r->kind == PG_REC_REP && !r->warmup && !r->disturbed;
	bool failed = r->kind == PG_REC_END && r->stop == PG_STOP_ERROR;
	size_t index;

	(void)at;
	(void)err;
	if (!rep && !failed)
		return 0;
	index = pg_record_cell(p->plan, r);
	if (index != SIZE_MAX)
		p->last[index] = rep ? r->round : 0;
	return 0;
}

static uint32_t of_team(const uint32_t *last, size_t arms)
{
	uint32_t least = 0;

	for (size_t i = 0; i < arms; i++)
		if (last[i] > 0 && (least == 0 || last[i] < least))
			least = last[i];
	return least;
}

static void count(const struct reached *p, uint32_t *rounds)
{
	for (size_t i = 0; i < pg_plan_sweeps(p->plan); i++) {
		const struct pg_sweep *sw = pg_plan_sweep(p->plan, i);
		size_t arms = sw->n_variants > 1 ? sw->n_variants : 1;

		rounds[i] = 0;
		for (size_t k = 0; k + arms <= sw->n_cells; k += arms) {
			uint32_t one = of_team(p->last + sw->first_cell + k, arms);

			rounds[i] = one > rounds[i] ? one : rounds[i];
		}
	}
}

static int open_journal(const char *dir, int *fd, struct pg_err *err)
{
	struct pg_str path;
	struct stat st;
	int result = 0;

	pg_str_init(&path);
	pg_str_addf(&path, "%s/%s", dir, PG_JOURNAL_NAME);
	*fd = path.failed ? -1 : open(path.s, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (path.failed)
		result = pg_fail_nomem(err);
	else if (*fd < 0)
		result = pg_fail(err, PG_EUSAGE, "cannot open '%s': %s; restore it from a copy", path.s,
				 strerror(errno));
	else if (fstat(*fd, &st) != 0 || !S_ISREG(st.st_mode))
		result = pg_fail(err, PG_EUSAGE, "'%s' is no regular file; restore it from a copy", path.s);
	if (result != 0 && *fd >= 0)
		close(*fd);
	pg_str_release(&path);
	return result;
}

int pg_run_reached(const char *dir, struct pg_plan *plan, uint32_t *rounds, struct pg_err *err)
{
	size_t size = (pg_plan_cells(plan) + 1) * sizeof(uint32_t);
	struct reached p = {.plan = plan, .last = pg_big_alloc(size)};
	off_t torn;
	int fd, result;

	if (!p.last)
		return pg_fail_nomem(err);
	result = open_journal(dir, &fd, err);
	if (result == 0) {
		result = pg_journal_scan(fd, take, &p, &torn, err);
		close(fd);
	}
	if (result == 0)
		count(&p, rounds);
	pg_big_free(p.last, size);
	return result;
}
