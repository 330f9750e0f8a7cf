/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside plan: a draft is one sweep in the making, first nodes with their places, then values. */
#ifndef PG_PLAN_DRAFT_H
#define PG_PLAN_DRAFT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "plan/inside.h"
#include "plan/node.h"

struct pg_build;

/* Run keys and rules as they stand at one level; a level starts as a copy of the one outside it. */
struct pg_keyset {
	const char *description;
	struct pg_rules rules;
	struct pg_runkeys run;
	const struct pg_node *words[4]; /* prefix, before, after, background: for their placeholders */
	const struct pg_node *env;
	const struct pg_node *variants;
	struct pg_loc process, repeat, looks; /* file NULL = not given */
	unsigned given;			      /* run keys that stand at this very level: bit 1 << (id - PG_K_PIN) */
};

enum pg_place_kind { PG_IN_SET, PG_IN_AXIS, PG_IN_DERIVE };

/* Where a param or bundle stands. */
struct pg_param_place {
	const char *name;
	const struct pg_node *node; /* value, values or items, expression */
	struct pg_loc loc;	    /* of the key */
	enum pg_place_kind kind;
	bool bundle;   /* PG_IN_AXIS: items are maps */
	bool variants; /* the bundle `variant`: always the last place; its items may have different params */
	bool one;      /* PG_IN_AXIS: held to one value by set */
	bool varied;   /* PG_IN_AXIS: made or changed by --vary or a quick vary: tables that do not place it split by it
			*/
	const struct pg_node *keep; /* bundle: the labels left of it; NULL = all */
};

/* A param inside bundles whose value comes from elsewhere: --set, or taken out by --vary (node NULL). */
struct pg_forced {
	const char *name;
	const struct pg_node *node;
};

/* Where a param gets its value from, once that is known. */
enum pg_source { PG_FROM_DEFAULT, PG_FROM_SET, PG_FROM_AXIS, PG_FROM_COMPUTED };

/* An axis while it is built: n values of n_cols params each, with room for those that `add` brings. */
struct pg_axis_make {
	const struct pg_param_place *place;
	size_t *cols;
	size_t n_cols, n, n_product, room;
	struct pg_value *vals;
	const char **texts, **labels; /* per value and column */
	const char **names;	      /* per value: label of the axis */
	struct pg_item_keys *keys;    /* bundle: per value; NULL = no item has any */
	const char **needed;	      /* variants: per column why each item has to name it; NULL = it need not */
	bool has_label;
	uint32_t *table; /* axis_find.c: hash of the first n_in_table values: index + 1 */
	size_t n_table, n_in_table;
	bool broken; /* its values were refused: one unset value stands in, so that the rest can be checked */
};

struct pg_skip_match {
	size_t axis; /* bits: does value i of the axis match? */
	bool *bits;  /* NULL: the param is looked at in each cell */
	size_t param;
	const struct pg_value *vals;
	size_t n_vals;
};

struct pg_skip_rule {
	struct pg_skip_match *matches;
	size_t n_matches;
	struct pg_expr *when;
	const char *why;
	struct pg_loc loc;
	size_t hits;
	double cut; /* largest share lost in a division of `when` */
	bool failed;
};

/* `max: size`: a limit that depends on the cell. */
struct pg_row_limit {
	size_t param;
	const struct pg_expr *e;
	const char *text;
	bool is_max, failed;
};

struct pg_draft {
	struct pg_build *b;
	const char *name;      /* NULL = missing, reported */
	const char *base_name; /* NAME of NAME-BENCH, where the suite is a glob */
	struct pg_loc loc, name_loc, suite_loc;
	const struct pg_node *node;  /* the sweep's map */
	const struct pg_node *quick; /* its quick form, asked for or not */
	const struct pg_bench *bench;
	bool exec, glob;
	bool selected;	   /* --set, --vary or quick moved params: what no longer fits is expected */
	bool axes_changed; /* they changed the axes: `add` no longer fits */
	unsigned errors;   /* in b->d when it began */
	struct pg_keyset keys;
	uint32_t own_end; /* reps at most without --repeat */
	bool own_given;	  /* the scenario says so, not the built-in value */
	struct pg_param_place *places;
	size_t n_places, room_places;
	struct pg_forced *forced;
	size_t n_forced;
	struct pg_param *rows; /* the sweep's own (exec), else NULL */
	struct pg_program *program;
	struct pg_sweep_in *sw; /* what is made of it */
	struct pg_axis_make *axes;
	size_t n_axes;
	enum pg_source *source;	  /* per param */
	bool *labelled;		  /* per param; is sw->pub.labelled */
	struct pg_loc *value_loc; /* per param: for what is wrong with its value in some cell */
	const char **slot_names;  /* what expressions can name; NULL = no name */
	unsigned *slot_kinds;
	size_t n_slots;
	struct pg_skip_rule *skips;
	size_t n_skips;
	struct pg_row_limit *limits;
	size_t n_limits;
	bool only; /* expressions are those of --only: they know `sweep` */
};

#endif
