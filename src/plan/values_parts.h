/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the value reader share. Nobody else includes this. */
#ifndef PG_PLAN_VALUES_PARTS_H
#define PG_PLAN_VALUES_PARTS_H

#include "plan/values.h"

bool pg_values_is_number(enum pg_type t); /* COUNT SIZE TIME REAL: ranges and expressions */

/* values_expr.c: an expression result as a value; 0, or -1 with *err where the kind does not fit. The range is not
 * checked. */
int pg_values_convert(const struct pg_param *row, const struct pg_evalue *e, struct pg_value *out, struct pg_err *err);
/* Range of the row; below 0 is no count, size or time in any row. */
int pg_values_in_range(const struct pg_param *row, const struct pg_value *v, struct pg_err *err);

/*
 * values_word.c: the value of plain text that names machine words. -1 after an error. `cut` notes are given; *out is of
 * the row's type, its range is not checked.
 */
int pg_values_word(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node,
		   struct pg_value *out);

/*
 * values_scalar.c: a scalar that is no range and not `all`. 0, -1 after an error, 1 where a machine word made a value
 * out of range: *err says so, nothing is reported.
 */
int pg_values_scalar(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node,
		     struct pg_item *out, struct pg_err *err);
/* Is it a scalar with text in it? Reports if not. */
int pg_values_want(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node);

#endif
