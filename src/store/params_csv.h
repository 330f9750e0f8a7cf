/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The param columns of a CSV: one per param under its bare name, and NAME.label after it where a machine word or
 * expression made values; then one per bundle, which holds its labels. Cells that follow each other share most values:
 * the text of the value before is kept.
 */
#ifndef PG_STORE_PARAMS_CSV_H
#define PG_STORE_PARAMS_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "plan/plan.h"

struct pg_csv;

struct pg_param_col {
	const char *name;
	size_t param;  /* row in the sweep at hand; SIZE_MAX = that sweep has no such param */
	size_t bundle; /* axis of the sweep at hand, where it is a bundle there; else SIZE_MAX */
	bool label;    /* has a NAME.label column */
	struct pg_value last;
	struct pg_str text; /* `last` as it stands in the file, quotes and all */
	bool known;
};

struct pg_param_cols {
	const struct pg_plan *plan;
	const struct pg_sweep *sweep; /* pg_param_cols_enter() */
	struct pg_param_col *col;
	size_t n;
};

/* Columns of one sweep, or of all (sweep NULL): then the union by name, in order of appearance. */
int pg_param_cols_init(struct pg_param_cols *c, const struct pg_plan *p, const struct pg_sweep *sweep,
		       struct pg_err *err);
/* Columns of all sweeps of another plan too, behind: those whose names are not there yet. */
int pg_param_cols_also(struct pg_param_cols *c, const struct pg_plan *p, struct pg_err *err);
void pg_param_cols_release(struct pg_param_cols *c);
void pg_param_cols_enter(struct pg_param_cols *c, const struct pg_sweep *sweep);
void pg_param_cols_header(const struct pg_param_cols *c, struct pg_csv *csv);
/* A param that is called as one of `fixed`, ended by NULL, is headed `param.NAME`: noop has an `interval`. */
void pg_param_cols_header_beside(const struct pg_param_cols *c, const char *const *fixed, struct pg_csv *csv);
/*
 * The fields of a cell. ops stands in the place of the word `auto`: 0 = not yet known, an empty field; UINT64_MAX: the
 * word itself stands there.
 */
void pg_param_cols_cell(struct pg_param_cols *c, const struct pg_cell *cell, uint64_t ops, struct pg_csv *csv);

/* A value as a field: numbers bare, words and text as text. */
void pg_value_csv(const struct pg_param *row, const struct pg_value *v, struct pg_csv *csv);

#endif
