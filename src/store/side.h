/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sides of a comparison of stored runs. Within-session tests do not hold across sessions, so sessions, not samples, are
 * the units: the parts of a run whose scenario has `sessions`, however often it was started, else each run
 * (docs/statistics.md 9).
 */
#ifndef PG_STORE_SIDE_H
#define PG_STORE_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/compare.h"
#include "store/fingerprint.h"
#include "store/history.h"

#define PG_SESSIONS_LEAST 4 /* of each side, for a test without history */

/* A run, opened and replayed; all of it the caller's. */
struct pg_side_run {
	const char *dir;
	struct pg_plan *plan;
	struct pg_store *store;
	const char *arm; /* the variant that is the side; NULL: each variant against its namesake */
	struct pg_fingerprint machine;
};
struct pg_side {
	const char *name; /* "BASE" as it was given */
	struct pg_side_run *run;
	size_t n; /* at least 1 */
};

/* The place of a cell in a run, by id and label of its variant (NULL = none); SIZE_MAX = it has none. */
size_t pg_side_cell(const struct pg_side_run *r, uint64_t id, const char *label);

/* One cell, one metric, one side. */
struct pg_units {
	double *log_median, *log_best, *log_floor; /* per session, of costs; log_floor: best of the batches' floors */
	size_t n;
	size_t fewest; /* samples of the session that has the fewest */
	double *cost;  /* every sample */
	double *floor; /* and its floor, where `floors` holds */
	size_t n_cost;
	bool floors; /* log_floor holds */
	bool zero;   /* some value has no logarithm */
	size_t cap_units, cap_cost;
	double *scratch; /* cap_cost */
};
void pg_units_release(struct pg_units *u);
/* Appends the units of a run that have values (pg_samples_unit()). `cell`: of its plan; `metric`: row of its sweep. */
int pg_units_add(struct pg_units *u, const struct pg_side_run *r, size_t cell, size_t metric, struct pg_err *err);

/* Have the canaries of one side other medians than those of the other? Off where a side has hardly any. */
int pg_env_shift(const struct pg_side *base, const struct pg_side *new, struct pg_env_shift *out, struct pg_err *err);

struct pg_stored_opts {
	struct pg_compare_opts rules;
	unsigned differs;		  /* 1 << enum pg_trait: meant to differ */
	bool trust_stored;		  /* too few sessions: the samples themselves are tested */
	const struct pg_history *history; /* may be NULL */
};
/* PG_EUSAGE where a metric has another unit or direction on the other side. */
int pg_compare_stored(const struct pg_side *base, const struct pg_side *new, const struct pg_stored_opts *opts,
		      struct pg_compare *out, struct pg_err *err);

#endif
