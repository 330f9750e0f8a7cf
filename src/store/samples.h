/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Good samples in memory, column by column, and what is known of each cell. 8 bytes a sample, 8 a rep; what is no
 * sample of the statistics (warm-ups, failures, disturbed reps, facts) only counts here and stays in the journal.
 */
#ifndef PG_STORE_SAMPLES_H
#define PG_STORE_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/rounds.h"
#include "plan/plan.h"

/* One cell. All zero = nothing has happened. */
struct pg_cell_acc {
	uint64_t ops;		     /* calibrated loops, 0 = not known */
	int64_t time_ns;	     /* wall time of all its reps */
	const char *why;	     /* reason of the latest failure, NULL = none */
	uint32_t last;		     /* its latest good rep, 1-based, 0 = none */
	uint32_t n;		     /* good reps */
	uint32_t n_warmup, n_failed; /* warm-ups, good or bad; measured reps that went wrong; both after all tries */
	uint16_t n_redone;	     /* good measured reps that were disturbed: no samples, done again */
	uint16_t boot;		     /* of its first rep, 1-based */
	uint8_t stop;		     /* enum pg_stop; NONE = goes on */
	uint8_t bad;		     /* enum pg_status of the latest rep that went wrong, 0 = none */
	bool ran : 1, two_boots : 1;
	bool time_unknown : 1; /* some rep went wrong and left no wall time */
};

struct pg_samples;

/* p is kept by reference. Nothing a forked rep would have to copy: all of it is left out of children. */
int pg_samples_new(const struct pg_plan *p, struct pg_samples **out, struct pg_err *err);
void pg_samples_free(struct pg_samples *s);

/* A rep of cell `index` of the plan. r->rep is set here from what came before where it is 0. boot: 1-based session of
 * its boot. */
int pg_samples_rep(struct pg_samples *s, size_t index, struct pg_rep_record *r, uint16_t boot, struct pg_err *err);
/*
 * Reps from here on are of this session of the journal, 1-based, and of this part of the rounds, as they were split at
 * its start (0 = not told: as the plan splits them now).
 */
int pg_samples_session(struct pg_samples *s, uint64_t session, uint32_t part, struct pg_err *err);
void pg_samples_ops(struct pg_samples *s, size_t index, uint64_t ops);
void pg_samples_end(struct pg_samples *s, size_t index, enum pg_stop stop);
/* Forgets the failures of a cell that ended by them; false = it did not. */
bool pg_samples_retry(struct pg_samples *s, size_t index);

const struct pg_cell_acc *pg_samples_acc(const struct pg_samples *s, size_t index);
/* Good reps of cell `index` of the plan, which is in `sweep`, in time order, as indices for pg_samples_value(); `reps`
 * holds acc->n. */
void pg_samples_reps(const struct pg_samples *s, size_t sweep, size_t index, uint32_t *reps);
/* Value of a metric row, RATIO too, of a good rep of the sweep; false = missing. */
bool pg_samples_value(const struct pg_samples *s, size_t sweep, size_t metric, uint32_t rep, double *out);
/*
 * The floor of a rep for a PG_M_BATCHED row: seconds of an operation in the best quarter of its batches, a cost
 * whatever the row's direction. false: the row has none, or the rep had no batches.
 */
bool pg_samples_floor(const struct pg_samples *s, size_t sweep, size_t metric, uint32_t rep, double *out);
uint32_t pg_samples_round(const struct pg_samples *s, size_t sweep, uint32_t rep); /* of a good rep */
/*
 * The unit that a good rep of the sweep is of, 1-based, counted over the run: what the scenario's `sessions` have split
 * it into. A unit begins where a start of the runner (a session of the journal) goes on in another part than the one
 * before has ended in: a part that took several starts is one unit, and so are parts that were measured in one start.
 */
uint32_t pg_samples_unit(const struct pg_samples *s, size_t sweep, uint32_t rep);
uint32_t pg_samples_unit_of(const struct pg_samples *s, uint64_t session); /* 0 = nothing was measured in it */
uint32_t pg_samples_part(const struct pg_samples *s);			   /* of the latest measured rep, 0 = none */
/* Most good reps of any cell so far. */
size_t pg_samples_deepest(const struct pg_samples *s);
/* Bytes in use for reps and samples, for tests: by capacity. */
size_t pg_samples_bytes(const struct pg_samples *s);

/* The sweep that holds cell `index` of the plan. */
size_t pg_sweep_of(const struct pg_plan *p, size_t index);
/* Status of a cell from what happened. */
enum pg_status pg_acc_status(const struct pg_cell_acc *a, const struct pg_cell *c);

#endif
