/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside plan: how the tree of a scenario becomes sweeps. A build is one pg_plan_load(); a draft is one sweep in the making, first the nodes
 * with their places (scenario_*.c), then values (sweep_*.c). Everything is allocated in the plan's arena; functions report what is
 * wrong to build.d and return -1.
 */
#ifndef PG_PLAN_SCENARIO_H
#define PG_PLAN_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "plan/inside.h"
#include "plan/keys.h"
#include "plan/node.h"
#include "plan/plan.h"
#include "plan/values.h"

/* Run keys and rules as they stand at one level; a level starts as a copy of the one outside it. */
struct keyset {
	const char *description;
	struct pg_rules rules;
	struct pg_runkeys run;
	const struct pg_node *words[4]; /* prefix, before, after, background: for their placeholders */
	const struct pg_node *env;
	struct pg_loc process; /* file NULL = not given */
	unsigned given;	       /* run keys that stand at this very level: bit 1 << (id - PG_K_PIN) */
};

struct build {
	struct pg_plan *plan;
	const struct pg_plan_input *in;
	struct pg_arena *a;
	struct pg_diag *out;	/* the caller's */
	struct pg_diag d;	/* everything reports here: repeats are dropped, the rest is handed on */
	uint64_t seen[64];	/* hashes of messages already handed on */
	size_t n_seen;
	struct pg_plan_opts opts;
	bool quick_check; /* quick forms are only validated: notes are dropped */
	struct keyset defaults;
	const struct pg_node **layers; /* the `defaults` maps, weakest first */
	size_t n_layers, room_layers, n_includes;
	struct draft *drafts;
	size_t n_drafts, room_drafts;
	bool *set_taken, *vary_taken; /* per --set and --vary: some sweep takes it */
};

enum place_kind { IN_SET, IN_AXIS, IN_DERIVE };

/* Where a param or bundle stands. */
struct place {
	const char *name;
	const struct pg_node *node; /* value, values or items, expression */
	struct pg_loc loc;	    /* of the key */
	enum place_kind kind;
	bool bundle;		    /* IN_AXIS: items are maps */
	bool one;		    /* IN_AXIS: held to one value by set */
	bool varied;		    /* IN_AXIS: made or changed by --vary or a quick vary: tables that do not place it split by it */
	const struct pg_node *keep; /* bundle: the labels left of it; NULL = all */
};

/* A param inside bundles whose value comes from elsewhere: --set, or taken out by --vary (node NULL). */
struct forced {
	const char *name;
	const struct pg_node *node;
};

/* Where a param gets its value from, once that is known. */
enum source { FROM_DEFAULT, FROM_SET, FROM_AXIS, FROM_COMPUTED };

/* An axis while it is built: n values of n_cols params each, with room for those that `add` brings. */
struct axis_make {
	const struct place *place;
	size_t *cols;
	size_t n_cols, n, n_product, room;
	struct pg_value *vals;
	const char **texts, **labels; /* per value and column */
	const char **names;	      /* per value: label of the axis */
	struct item_keys *keys;	      /* bundle: per value; NULL = no item has any */
	bool has_label;
	bool broken; /* its values were refused: one unset value stands in, so that the rest can be checked */
};

struct skip_match {
	size_t axis;   /* bits: does value i of the axis match? */
	bool *bits;    /* NULL: the param is looked at in each cell */
	size_t param;
	const struct pg_value *vals;
	size_t n_vals;
};

struct skip_rule {
	struct skip_match *matches;
	size_t n_matches;
	struct pg_expr *when;
	const char *why;
	struct pg_loc loc;
	size_t hits;
	double cut; /* largest share lost in a division of `when` */
	bool failed;
};

/* `max: size`: a limit that depends on the cell. */
struct limit {
	size_t param;
	const struct pg_expr *e;
	const char *text;
	bool is_max, failed;
};

struct draft {
	struct build *b;
	const char *name;	     /* NULL = missing, reported */
	const char *base_name;	     /* NAME of NAME-BENCH, where the suite is a glob */
	struct pg_loc loc, name_loc, suite_loc;
	const struct pg_node *node;  /* the sweep's map */
	const struct pg_node *quick; /* its quick form, asked for or not */
	const struct pg_bench *bench;
	bool exec, glob;
	bool selected;	   /* --set, --vary or quick moved params: what no longer fits is expected */
	bool axes_changed; /* they changed the axes: `add` no longer fits */
	unsigned errors;   /* in b->d when it began */
	struct keyset keys;
	struct place *places;
	size_t n_places, room_places;
	struct forced *forced;
	size_t n_forced;
	struct pg_param *rows; /* the sweep's own (exec), else NULL */
	struct pg_program *program;
	struct plan_sweep *sw; /* what is made of it */
	struct axis_make *axes;
	size_t n_axes;
	enum source *source; /* per param */
	bool *labelled;	     /* per param; is sw->pub.labelled */
	struct pg_loc *value_loc; /* per param: for what is wrong with its value in some cell */
	const char **slot_names; /* what expressions can name; NULL = no name */
	unsigned *slot_kinds;
	size_t n_slots;
	struct skip_rule *skips;
	size_t n_skips;
	struct limit *limits;
	size_t n_limits;
	bool only; /* expressions are those of --only: they know `sweep` */
};

/* scenario.c */
void *build_array(struct build *b, size_t n, size_t size); /* NULL after "out of memory" was reported */
const char *build_printf(struct build *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* scenario_top.c */
int scenario_read(struct build *b);

/* scenario_include.c: the defaults of file `path` and of what it includes, weakest first, into b->layers; *root = its map. */
int scenario_files(struct build *b, const char *path, const struct pg_node **root);

/* scenario_rules.c, scenario_run.c: one key into ks. */
void keyset_init(struct keyset *ks);
int keyset_rule(struct build *b, const struct pg_key *row, const struct pg_node *node, struct keyset *ks);
int keyset_run(struct build *b, const struct pg_key *row, const struct pg_node *node, struct keyset *ks);
bool key_is_rule(enum pg_key_id id);
bool key_is_run(enum pg_key_id id);
/* A list of texts as words. */
int words_read(struct build *b, const struct pg_key *row, const struct pg_node *node, struct pg_words *out);
/* Placeholders in every text of a keyset, a node with texts, or one text; rows are the sweep's. */
int keyset_placeholders(struct draft *dr, const struct keyset *ks);
int node_placeholders(struct draft *dr, const struct pg_node *node);

/* scenario_sweep.c */
int drafts_read(struct build *b, const struct pg_node *sweeps);
/* Reads the keys of the sweep over the defaults, those of its quick form and of the command line over them. */
int draft_read(struct draft *dr);

/* scenario_place.c */
int places_read(struct draft *dr);
struct place *place_find(const struct draft *dr, const char *name);
/* The bundle that holds the param, and where in it; NULL = none. */
struct place *place_bundle_of(const struct draft *dr, const char *param, struct pg_loc *loc);
const struct forced *forced_find(const struct draft *dr, const char *param);
bool item_key_is_param(const struct pg_node *entry); /* of an item of a bundle: no label, no run key */
int param_name_check(struct draft *dr, const struct pg_node *key);
bool draft_takes(const struct draft *dr, const char *name); /* a param or bundle of the sweep */
int place_set(struct draft *dr, const char *name, const struct pg_node *node, const struct pg_loc *loc, bool cli);
int place_vary(struct draft *dr, const char *name, const struct pg_node *node, const struct pg_loc *loc, bool cli);
int place_derive(struct draft *dr, const char *name, const struct pg_node *node, const struct pg_loc *loc);

/* select.c */
int select_apply(struct draft *dr);    /* --set and --vary */
int select_all_taken(struct build *b); /* an option that no sweep takes is an error */
int select_only(struct build *b);      /* --only, over all sweeps */

/* exec_rows.c, exec_program.c */
int exec_rows(struct draft *dr);
int exec_program(struct draft *dr);
int sweep_metrics(struct draft *dr);

/* sweep.c: a draft all the way to cells of the plan. */
int sweep_make(struct draft *dr);

/* sweep_axes.c, sweep_bundle.c: values of set and axes, defaults that are plain values. */
int sweep_values(struct draft *dr);
int sweep_bundle(struct draft *dr, struct axis_make *ax);
struct pg_values_ctx values_ctx(struct draft *dr);
unsigned value_kinds(const struct pg_param *row, const struct pg_value *v);
unsigned type_kinds(enum pg_type type, bool words); /* of any value of the type; words: or one of the row's */
int axis_room(struct draft *dr, struct axis_make *ax, size_t room);
/* Puts an item into column c of value i. */
void axis_put(struct draft *dr, struct axis_make *ax, size_t i, size_t c, const struct pg_item *item);
int axes_finish(struct draft *dr); /* after add: into the sweep, with ranks */

/* sweep_add.c */
int sweep_add(struct draft *dr);

/* sweep_scope.c: what expressions of the sweep can name; only: and `sweep`. */
int sweep_scope(struct draft *dr);
struct pg_scope sweep_names(struct draft *dr, bool only);
int sweep_condition(const struct pg_expr *e, struct pg_diag *d); /* it must be one */

/* sweep_derive.c: derive and defaults that are expressions, in order of dependency. */
int sweep_derive(struct draft *dr);

/* sweep_fold.c: what no axis reaches becomes a plain value. */
int sweep_fold(struct draft *dr);
/* cell_compute() with what went wrong reported, once for each param. -1: the cell has no values. */
struct compute_log {
	struct cell_watch watch;
	size_t *cut_cell; /* per computed: where most was lost */
	bool *failed;
};
int compute_log_init(struct draft *dr, struct compute_log *log);
int compute_logged(struct draft *dr, struct pg_cell_buf *buf, struct compute_log *log);

/* sweep_segments.c */
int sweep_segments(struct draft *dr);

/* sweep_skip.c, sweep_limits.c */
int sweep_skip(struct draft *dr);
int skip_test(struct draft *dr, struct skip_rule *s, struct pg_cell_buf *buf, bool quiet, bool *hit);
int sweep_limits(struct draft *dr);
int limits_test(struct draft *dr, struct pg_cell_buf *buf);

/* sweep_expand.c: every cell once. */
int sweep_expand(struct draft *dr);
void cell_axes_text(const struct pg_cell_buf *buf, struct pg_str *out); /* "groups=4, load=light" */

/* scenario_table.c */
int sweep_tables(struct draft *dr);

#endif
