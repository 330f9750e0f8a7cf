/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside plan: from the draft of a sweep to its cells, step by step in the order of work. -1: an error was reported. */
#ifndef PG_PLAN_SWEEP_H
#define PG_PLAN_SWEEP_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/scenario.h"
#include "plan/values.h"

/* sweep.c: a draft all the way to cells of the plan. */
int pg_sweep_make(struct pg_draft *dr);

/* sweep_axes.c, sweep_bundle.c: values of set and axes, defaults that are plain values. */
int pg_sweep_values(struct pg_draft *dr);
int pg_sweep_bundle(struct pg_draft *dr, struct pg_axis_make *ax);
int pg_plain_default(struct pg_draft *dr, size_t param); /* where it is one: into sw->base */
bool pg_default_is_computed(const struct pg_draft *dr, size_t param);
struct pg_values_ctx pg_draft_values(struct pg_draft *dr);
unsigned pg_value_kinds(const struct pg_param *row, const struct pg_value *v);
unsigned pg_type_kinds(enum pg_type type, bool words); /* of any value of the type; words: or one of the row's */
int pg_axis_room(struct pg_draft *dr, struct pg_axis_make *ax, size_t room);
/* Puts an item into column c of value i. */
void pg_axis_put(struct pg_draft *dr, struct pg_axis_make *ax, size_t i, size_t c, const struct pg_item *item);
int pg_axes_finish(struct pg_draft *dr); /* after add: into the sweep, with ranks */

/*
 * sweep_variants.c. Columns are the params that any item names; an item that does not name one leaves it as it is set,
 * or at its default.
 */
int pg_variants_columns(struct pg_draft *dr, struct pg_axis_make *ax);
int pg_variants_fill(struct pg_draft *dr, struct pg_axis_make *ax, const struct pg_node *item, size_t i);
int pg_variants_rules(struct pg_draft *dr); /* the looks of a comparison, after pg_axes_finish() */
/* Per computed param: is it computed from what variants override? Those stay out of a cell's id. */
int pg_variants_reach(struct pg_draft *dr, bool **out);

/* axis_find.c: number of a value or label; ax->n = the axis has none. -1: out of memory, reported. */
int pg_axis_find_value(struct pg_draft *dr, struct pg_axis_make *ax, const struct pg_value *v, size_t *i);
int pg_axis_find_label(struct pg_draft *dr, struct pg_axis_make *ax, const char *label, size_t *i);

/* sweep_add.c */
int pg_sweep_add(struct pg_draft *dr);

/* sweep_scope.c: what expressions of the sweep can name; only: and `sweep`. */
int pg_sweep_scope(struct pg_draft *dr);
struct pg_scope pg_sweep_names(struct pg_draft *dr, bool only);
int pg_sweep_condition(const struct pg_expr *e, struct pg_diag *d); /* it must be one */

/* sweep_derive.c: derive and defaults that are expressions, in order of dependency. */
int pg_sweep_derive(struct pg_draft *dr);

/* sweep_fold.c: what no axis reaches becomes a plain value. */
int pg_sweep_fold(struct pg_draft *dr);
/* pg_cell_compute() with what went wrong reported, once for each param. -1: the cell has no values. */
struct pg_compute_log {
	struct pg_cell_watch watch;
	size_t *cut_cell; /* per computed: where most was lost */
	bool *failed;
};
int pg_compute_log_init(struct pg_draft *dr, struct pg_compute_log *log);
int pg_compute_logged(struct pg_draft *dr, struct pg_cell_buf *buf, struct pg_compute_log *log);

/* sweep_segments.c */
int pg_sweep_segments(struct pg_draft *dr);

/* sweep_skip.c, sweep_limits.c */
int pg_sweep_skip(struct pg_draft *dr);
int pg_skip_test(struct pg_draft *dr, struct pg_skip_rule *s, struct pg_cell_buf *buf, bool quiet, bool *hit);
int pg_sweep_limits(struct pg_draft *dr);
int pg_limits_test(struct pg_draft *dr, struct pg_cell_buf *buf);

/* sweep_expand.c: every cell once. */
int pg_sweep_expand(struct pg_draft *dr);
void pg_cell_axes_text(const struct pg_cell_buf *buf, struct pg_str *out); /* "groups=4, load=light" */

/* scenario_table.c */
int pg_sweep_tables(struct pg_draft *dr);

#endif
