/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From nodes to values of a row: scalars, machine words and expressions over them, ranges, lists, `all`. Here DESIGN's
 * rules about what may stand where a value stands are kept once, for set, axes, bundles, add, skip maps, --set and
 * --vary.
 */
#ifndef PG_PLAN_VALUES_H
#define PG_PLAN_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/param.h"
#include "plan/expr.h"
#include "plan/node.h"

/* The machine as the plan sees it: resolved once, kept in run.json. */
struct pg_machine {
	uint64_t word[PG_MACHINE_WORDS];
	/* Choices that this machine cannot run, as "mem/memcpy.function=x86-64-avx512"; for the word `all`. */
	const char *const *unavailable;
	size_t n_unavailable;
};

struct pg_values_ctx {
	const struct pg_machine *machine;
	const char *bench; /* name, for `unavailable` */
	struct pg_arena *arena;
	struct pg_diag *diag;
};

/* One value with how it was written. */
struct pg_item {
	struct pg_value v;
	const char *text; /* {param} and axis label: as in the file; for range, word or expression: the label (see
			     from_word) */
	bool from_word; /* a machine word or expression made the number: CSV has NAME.label, label = text as written */
	bool from_range;
	bool machine; /* a machine word or `all` had a part in it: a repeated or unfit value is dropped, not refused */
	struct pg_loc loc;
};

/* A single value (set, bundle item, add, skip map entry). -1 after an error reported to ctx->diag. */
int pg_values_one(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node,
		  struct pg_item *out);
/*
 * The values of an axis: a list, a range, a word or one scalar. A repeated value, an empty range or a value out of
 * range is an error where numbers were written, dropped with a note where a machine word made it. *items is an arena
 * array.
 */
int pg_values_axis(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node,
		   struct pg_item **items, size_t *n);
/*
 * An expression result as a value of the row (derive, defaults): kinds must fit, range is checked. -1 with *err at loc.
 */
int pg_values_from_expr(const struct pg_param *row, const struct pg_evalue *e, const struct pg_loc *loc,
			struct pg_value *out, struct pg_err *err);
/* A value as expressions see it. */
void pg_values_to_expr(const struct pg_param *row, const struct pg_value *v, struct pg_evalue *out);
/*
 * The rows of `exec` from its set, vary, derive nodes: type of one param by all its items (digits COUNT, decimal REAL,
 * range with units SIZE or TIME, expression naming a machine word COUNT, else TEXT; one TEXT item makes all TEXT).
 */
enum pg_type pg_values_guess(const struct pg_node *node);
enum pg_type pg_values_guess_both(enum pg_type a, enum pg_type b); /* of a param whose items stand in several places */
/* Parses the list text of --set/--vary ("1,2,4..8", "socket,pipe") into a node that the functions above take. */
struct pg_node *pg_values_cli(const char *text, const struct pg_loc *loc, struct pg_arena *a);

#endif
