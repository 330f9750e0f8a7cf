/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From samples to numbers of a cell: the summary of one metric, its status, its reason. */
#ifndef PG_STORE_FOLD_H
#define PG_STORE_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "plan/plan.h"
#include "stats/diagnose.h"
#include "stats/stats.h"
#include "store/samples.h"

/* Room for the reps of one cell, kept from cell to cell. */
struct pg_fold {
	const struct pg_samples *samples;
	uint32_t *reps;
	double *x, *scratch; /* cap, 2 cap: the samples of the metric at hand in time order, and ascending from 2 on */
	double *deep;	     /* of pg_fold_diagnose() */
	size_t cap;
	const struct pg_sweep *sw; /* pg_fold_enter() */
	const struct pg_cell_acc *acc;
	size_t n;
};

int pg_fold_init(struct pg_fold *f, const struct pg_samples *s, struct pg_err *err);
void pg_fold_release(struct pg_fold *f);
/* Cell `index` of the plan, one of the sweep's that is not skipped. */
void pg_fold_enter(struct pg_fold *f, const struct pg_sweep *sw, size_t index);
/* Summary of a metric row of the cell entered. */
void pg_fold_metric(struct pg_fold *f, size_t metric, struct pg_summary *out);
/* Looks at the samples of the metric that was summarised last, as s; for what the engine counts it sees nothing. */
void pg_fold_diagnose(struct pg_fold *f, size_t metric, const struct pg_summary *s, struct pg_diagnosis *out);
/* The statistic of the metric that was summarised last, as s; NaN = empty. */
double pg_fold_statistic(struct pg_fold *f, size_t metric, const struct pg_summary *s, enum pg_statistic which);
/*
 * Why the status of the cell entered is what it is: the skip's reason, the latest failure, the interval that was not
 * reached. "" = none. `buf` holds `size` bytes and is used where the text must be made.
 */
const char *pg_fold_reason(struct pg_fold *f, const struct pg_cell *c, enum pg_status status, char *buf, size_t size);

#endif
