/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the noise guards say of a cell, from the facts around its good reps: the share of reps that they fired in, sums
 * where a rep alone is too short to tell, and the extremes that other flags look at. docs/statistics.md 12.
 */
#ifndef PG_STORE_GUARD_SHARE_H
#define PG_STORE_GUARD_SHARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/guards.h"

struct pg_err;
struct pg_outcome;
struct pg_plan;
struct pg_rep_record;
struct pg_sweep;

/* One cell. All zero = no good rep. Guards are numbered as for pg_guard_name(). */
struct pg_guard_cell {
	uint32_t known[PG_GUARDS], fired[PG_GUARDS]; /* reps of which a guard can be told, and those it fired in */
	uint32_t steal_ticks, load_ticks;	     /* of 10 ms, over the reps shorter than PG_GUARD_TICKS_MIN_NS */
	int64_t steal_ns, load_ns;		     /* wall time of those */
	int64_t loops_min, loops_max;		     /* operation counts; 0 = none was told */
	int64_t batch_ns;			     /* the shortest batch of any rep; 0 = none was told */
	uint32_t cpus;				     /* that ticks are of; 0 = there were none */
};

struct pg_guard_shares;

/* Nothing a forked rep would have to copy. p outlives it. */
int pg_guard_shares_new(const struct pg_plan *p, struct pg_guard_shares **out, struct pg_err *err);
void pg_guard_shares_cpus(struct pg_guard_shares *g, uint64_t cpus); /* that reps may run on; before the first one */
void pg_guard_shares_free(struct pg_guard_shares *g);
/* A rep of any kind of cell `index` of the plan, which is in sw: the good measured ones count. */
int pg_guard_shares_rep(struct pg_guard_shares *g, size_t index, const struct pg_sweep *sw,
			const struct pg_rep_record *r, struct pg_err *err);
/* Judges interrupts, which needs all reps; before what follows is asked, and again after more reps. */
int pg_guard_shares_settle(struct pg_guard_shares *g, struct pg_err *err);

const struct pg_guard_cell *pg_guard_shares_cell(const struct pg_guard_shares *g, size_t index);
/* Bits of the guards that fired in one rep of cell `index`, as far as rep and run tell: not PG_GUARD_SWITCHES. */
unsigned pg_guard_shares_fired(const struct pg_guard_shares *g, size_t index, const struct pg_sweep *sw,
			       const struct pg_outcome *o);
/*
 * The share of a cell that guard `bit` speaks against, above 0; false = it has not fired, or cannot be told. Of reps as
 * a rule; of the CPU time for steal and load in a cell of short reps. Not for switches, which need the samples.
 */
bool pg_guard_shares_of(const struct pg_guard_shares *g, size_t index, unsigned bit, double *share);

/* Involuntary switches of a rep above which PG_GUARD_SWITCHES fires, from their median in the cell. */
double pg_guard_switches_limit(double median);

#endif
