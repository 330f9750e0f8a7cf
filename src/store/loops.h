/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Operation counts that a stored run has frozen, for a run that is to be compared with it: the fixed cost of a rep is
 * divided by them (docs/statistics.md 2).
 */
#ifndef PG_STORE_LOOPS_H
#define PG_STORE_LOOPS_H

#include <stddef.h>
#include <stdint.h>

struct pg_err;
struct pg_loops;
struct pg_plan;

/* What the journal in `dir` says of calibrations; a cut last line is passed over. -1: PG_EUSAGE, PG_ENOMEM. */
int pg_loops_read(const char *dir, struct pg_loops **out, struct pg_err *err);
void pg_loops_free(struct pg_loops *l);

/* Cells of a plan that are to run and whose loops are `auto`. */
struct pg_loops_found {
	size_t taken, lacking; /* with a count of the stored run, without one */
};
/*
 * ops: one per cell of the plan; 0 = nothing is taken over. A cell is found by id and variant. All arms of a cell have
 * one count: those that the stored run lacks take that of the others, and where the counts differ all take the least.
 * A side without variants gives to, and takes from, any arm.
 */
int pg_loops_take(const struct pg_loops *l, const struct pg_plan *plan, uint64_t *ops, struct pg_loops_found *found,
		  struct pg_err *err);

#endif
