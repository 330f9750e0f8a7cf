/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the cells of one sweep to their end: calibration, warm-up, rounds in the asked order, retries, stopping rule,
 * looks at a comparison. Knows nothing of scenario or disk: cells come through a callback, what happened goes to an
 * observer, time through the clock.
 */
#ifndef PG_ENGINE_ROUNDS_H
#define PG_ENGINE_ROUNDS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/executor.h"

struct pg_clock;
struct pg_rounds;

enum pg_stop { PG_STOP_NONE, PG_STOP_CI, PG_STOP_MAX, PG_STOP_TIME, PG_STOP_FIXED, PG_STOP_ERROR, PG_STOP_LOOK };
const char *pg_stop_name(enum pg_stop s); /* "ci", "max", "time", "fixed", "error", "look" */
int pg_stop_find(const char *name);	  /* -1 = none */

/* The cells of one sweep. */
struct pg_work {
	size_t n;
	/* Fills *cell for cell i of the sweep (0-based); valid until the next call. Cells with skip != 0 are never run.
	 */
	int (*cell)(void *ctx, size_t i, const struct pg_cell **cell, struct pg_err *err);
	void *ctx;
	const struct pg_rules *rules;
	const struct pg_metric *metrics;
	size_t stop_metric; /* row whose interval the stopping rule looks at */
	uint64_t seed;	    /* of the run */
	uint64_t sweep_key; /* mixes into the order's generator: hash of the sweep's name */
	/*
	 * Arms of a cell: cells i * n_variants to (i + 1) * n_variants - 1 are one, the baseline first. 0 counts as 1.
	 * n is a multiple of it.
	 */
	size_t n_variants;
	/* Hypotheses that the run judges together: lenses x arms beside the baseline, over all sweeps. 0 counts as 1.
	 */
	uint64_t family;
	unsigned cpus; /* that a rep may run on: for guards */
	bool budget;   /* pg_rounds_run_widest() comes: intervals are kept for fixed numbers of reps as well */
};

/* A rep as the journal has it. */
struct pg_rep_record {
	size_t cell; /* within the sweep */
	uint64_t cell_id;
	bool warmup;
	uint32_t round;	   /* 1-based; warm-ups: 0 */
	uint32_t position; /* in the round, 0-based */
	uint32_t attempt;  /* 1 = first try */
	uint32_t rep;	   /* 1-based within the phase */
	bool seeded;	   /* false: in a journal that does not tell */
	uint64_t seed;	   /* what the rep was given */
	bool disturbed;	   /* its guards fired and it is done again: kept, no sample, not one of the reps asked for */
	bool redo;	   /* done again after a disturbed one */
	const struct pg_outcome *out;
};

/* Each may be NULL. A result of -1 ends the run (PG_EWRITE: exit 3). */
struct pg_observer {
	int (*rep_start)(void *ctx, const struct pg_job *job);
	int (*calibrated)(void *ctx, const struct pg_cell *cell, uint64_t ops, struct pg_err *err);
	int (*rep_done)(void *ctx, const struct pg_cell *cell, const struct pg_rep_record *r, struct pg_err *err);
	int (*cell_done)(void *ctx, const struct pg_cell *cell, enum pg_stop stop, enum pg_status status,
			 struct pg_err *err);
	int (*between)(void *ctx, struct pg_err *err); /* between two reps: the place for syncing and table refresh */
	void *ctx;
};

int pg_rounds_new(struct pg_rounds **out, const struct pg_work *work, struct pg_err *err);
void pg_rounds_free(struct pg_rounds *r);

/*
 * Resume: replay what a journal holds, in journal order, before pg_rounds_run(). Values feed the stopping rule,
 * attempts and failures the retry rule; `ended` marks cells with an "end" record.
 */
int pg_rounds_restore_ops(struct pg_rounds *r, size_t cell, uint64_t ops); /* also what another run has found */
int pg_rounds_restore_rep(struct pg_rounds *r, const struct pg_rep_record *rec);
int pg_rounds_restore_end(struct pg_rounds *r, size_t cell, enum pg_stop stop);
/* --retry-failed: forget the failed reps of cells that ended as failed or timeout, so that they are measured again. */
int pg_rounds_retry_failed(struct pg_rounds *r);

/*
 * Runs until every cell has ended or *stop is non-zero (then 0 is returned with cells left over; nothing new was
 * started). -1 = the executor or an observer failed.
 */
int pg_rounds_run(struct pg_rounds *r, const struct pg_executor *exec, const struct pg_observer *obs,
		  const struct pg_clock *clock, const volatile sig_atomic_t *stop, struct pg_err *err);

/* How far to go; all zero = to the end. */
struct pg_until {
	uint32_t round;	 /* the last one that is run */
	int64_t time_ns; /* on the clock: no round of a cell begins that would, by its reps so far, end later */
};
/* The same, but not further than *until (NULL = to the end); may be called again and again. */
int pg_rounds_run_until(struct pg_rounds *r, const struct pg_until *until, const struct pg_executor *exec,
			const struct pg_observer *obs, const struct pg_clock *clock, const volatile sig_atomic_t *stop,
			struct pg_err *err);
/*
 * Of all sweeps, always one round of the cell (with its arms) whose interval is the widest, until each has met its rule
 * or until->time_ns. Their work has `budget`.
 */
int pg_rounds_run_widest(struct pg_rounds *const *sweeps, size_t n, const struct pg_until *until,
			 const struct pg_executor *exec, const struct pg_observer *obs, const struct pg_clock *clock,
			 const volatile sig_atomic_t *stop, struct pg_err *err);
/* Measured cells that have not ended do so, by PG_STOP_TIME. Those without a measured rep stay as they are. */
int pg_rounds_end_by_time(struct pg_rounds *r, const struct pg_observer *obs, struct pg_err *err);

/* Reps of a cell at most, without warm-ups. */
uint32_t pg_rounds_at_most(const struct pg_rules *rules);
/* Lowest round in which a cell has a rep to do, 0 = all have ended; the highest in which one had one. */
void pg_rounds_reach(const struct pg_rounds *r, uint32_t *next, uint32_t *last);

/* What is known of a cell now; also for the progress line and for cells.csv. */
struct pg_cell_state {
	enum pg_status status; /* OK, FAILED, TIMEOUT, UNSTABLE, SKIPPED, NOT_RUN (no rep yet) */
	enum pg_stop stop;     /* NONE while it goes on */
	uint32_t n, n_warmup, n_failed;
	uint32_t n_redone; /* good reps that were disturbed: not in n */
	uint64_t ops;	   /* 0 = not yet known */
};
void pg_rounds_state(const struct pg_rounds *r, size_t cell, struct pg_cell_state *out);
/* Reps done and the least number still due if no cell stops early (the upper end: max). */
void pg_rounds_progress(const struct pg_rounds *r, uint64_t *done, uint64_t *total);

#endif
