/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Handing each event to two observers. */
#include "runner/observe.h"

static int rep_start(void *ctx, const struct pg_job *job)
{
	const struct pg_pair *p = ctx;

	if (p->first->rep_start && p->first->rep_start(p->first->ctx, job) != 0)
		return -1;
	return p->second->rep_start ? p->second->rep_start(p->second->ctx, job) : 0;
}

static int calibrated(void *ctx, const struct pg_cell *cell, uint64_t ops, struct pg_err *err)
{
	const struct pg_pair *p = ctx;

	if (p->first->calibrated && p->first->calibrated(p->first->ctx, cell, ops, err) != 0)
		return -1;
	return p->second->calibrated ? p->second->calibrated(p->second->ctx, cell, ops, err) : 0;
}

static int rep_done(void *ctx, const struct pg_cell *cell, const struct pg_rep_record *r, struct pg_err *err)
{
	const struct pg_pair *p = ctx;

	if (p->first->rep_done && p->first->rep_done(p->first->ctx, cell, r, err) != 0)
		return -1;
	return p->second->rep_done ? p->second->rep_done(p->second->ctx, cell, r, err) : 0;
}

static int cell_done(void *ctx, const struct pg_cell *cell, enum pg_stop stop, enum pg_status status,
		     struct pg_err *err)
{
	const struct pg_pair *p = ctx;

	if (p->first->cell_done && p->first->cell_done(p->first->ctx, cell, stop, status, err) != 0)
		return -1;
	return p->second->cell_done ? p->second->cell_done(p->second->ctx, cell, stop, status, err) : 0;
}

static int between(void *ctx, struct pg_err *err)
{
	const struct pg_pair *p = ctx;

	if (p->first->between && p->first->between(p->first->ctx, err) != 0)
		return -1;
	return p->second->between ? p->second->between(p->second->ctx, err) : 0;
}

void pg_pair_init(struct pg_pair *p, const struct pg_observer *first, const struct pg_observer *second)
{
	p->first = first;
	p->second = second;
	p->both = (struct pg_observer){
		.rep_start = rep_start,
		.calibrated = calibrated,
		.rep_done = rep_done,
		.cell_done = cell_done,
		.between = between,
		.ctx = p,
	};
}
