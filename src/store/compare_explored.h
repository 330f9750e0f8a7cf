/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exploration of a live comparison: every cell has a dozen metrics beside the one that its sweep is about. Kept is one
 * adjusted p-value a row; the rest of a row is computed again for whoever reads it (pg_compare_each()).
 */
#ifndef PG_STORE_COMPARE_EXPLORED_H
#define PG_STORE_COMPARE_EXPLORED_H

#include <stddef.h>
#include <stdint.h>

#include "store/compare.h"

struct pg_explored {
	/* What was compared: the caller's. It may be gone before this is freed, not before rows are read. */
	const struct pg_plan *plan;
	const struct pg_samples *samples;
	uint64_t seed;
	struct pg_compare_opts opts;
	/* Rows of each sweep. */
	struct pg_explored_part {
		size_t from, n; /* of p */
		size_t metrics; /* of each cell and arm */
		double *tests;	/* per metric: p-values of its family */
	} * part;
	size_t parts;
	double *p; /* by sweep, cell, arm, metric; adjusted once they are judged; NaN = none */
	size_t n;
};

struct pg_explored *pg_explored_new(const struct pg_plan *p, struct pg_err *err);
void pg_explored_free(struct pg_explored *x);
/*
 * The next sweep, in the order of the plan and once each: room for so many rows, `metrics` a cell and arm. Then
 * pg_explored_add() gives the p of each in the order of pg_explored.p, at most `rows` of them. -1: no memory.
 */
int pg_explored_enter(struct pg_explored *x, const struct pg_sweep *sw, size_t rows, size_t metrics,
		      struct pg_err *err);
void pg_explored_add(struct pg_explored *x, const struct pg_sweep *sw, double p);
/* Each metric of each sweep is a family of its own, by Benjamini and Hochberg. */
int pg_explored_judge(struct pg_explored *x, struct pg_err *err);
/* Gives row `at` of a sweep, made anew, its adjusted p and its verdict. */
void pg_explored_finish(const struct pg_explored *x, const struct pg_sweep *sw, size_t at, struct pg_compare_row *row);

#endif
