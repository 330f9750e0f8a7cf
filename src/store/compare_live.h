/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the live comparison: the two arms at hand, and what becomes of them. */
#ifndef PG_STORE_COMPARE_LIVE_H
#define PG_STORE_COMPARE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/compare.h"
#include "store/fold.h"

struct pg_arm {
	struct pg_fold fold;
	struct pg_cell_buf *buf;
	const struct pg_cell *cell; /* in buf: until the next pg_live_enter() */
	enum pg_status status;
};

struct pg_live {
	const struct pg_plan *plan;
	const struct pg_samples *samples;
	uint64_t seed;
	const struct pg_compare_opts *opts;
	struct pg_arena *arena; /* texts of the rows */
	bool one_layout;	/* as pg_compare has it */
	unsigned patterns;
	/* From here on its own: made by pg_live_open(), freed by pg_live_close(). */
	struct pg_arm base, new;	/* the two cells at hand */
	uint32_t *pair_base, *pair_new; /* reps of the same rounds, with or without a value of the metric */
	size_t n_pairs;
	/*
	 * Of the metric at hand, in the rounds in which both have a value: costs of base and new (pg_cost(): in its
	 * unit, a rate as its inverse), and the floors of their batches, which hold only where each rep has one. All
	 * four are one piece, a's.
	 */
	double *a, *b, *fa, *fb;
	double *scratch;
};

/*
 * plan, samples, seed, opts, one_layout and patterns are set, and arena before the first pg_live_row(); the rest is 0.
 * Closed whatever it answers.
 */
int pg_live_open(struct pg_live *l, struct pg_err *err);
void pg_live_close(struct pg_live *l);
void pg_live_enter(struct pg_live *l, const struct pg_sweep *sw, size_t base, size_t new); /* cells of the plan */
/* One metric of the two: all that is known before families are judged. row: pg_compare_row_init(). -1: no memory. */
int pg_live_row(struct pg_live *l, const struct pg_sweep *sw, size_t metric, struct pg_compare_row *row,
		struct pg_err *err);
/*
 * The p alone of a metric that is explored, before its family is adjusted: that of the typical lens, as pg_live_row()
 * gives it. NaN = none: an arm is not good, no round has both values, or a value has no logarithm.
 */
double pg_live_p(struct pg_live *l, const struct pg_sweep *sw, size_t metric);

#endif
