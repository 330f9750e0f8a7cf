/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inside plan: what a made plan is. A sweep keeps the values of its axes and the expressions over them; a cell is put
 * together from its index in a cell buffer, which remembers the cell before, so that only what changed is done again.
 */
#ifndef PG_PLAN_INSIDE_H
#define PG_PLAN_INSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/str.h"
#include "model/cell.h"
#include "plan/expr.h"
#include "plan/plan.h"

/* "name=value\n" of one value, as it goes into a cell's id. */
struct pg_seg {
	const char *s;
	size_t n;
};

/* Run keys of an item of a bundle: those in `given` count (bit 1 << (key id - PG_K_PIN)). */
struct pg_item_keys {
	struct pg_runkeys run;
	unsigned given;
};

/* Beside pg_axis: what its value number i means. A bundle has several columns, any other axis one. */
struct pg_axis_in {
	size_t n_product; /* values of the product; those that `add` brought follow */
	size_t n_cols;
	const size_t *cols;		 /* params */
	const struct pg_value *vals;	 /* n x n_cols */
	const char *const *texts;	 /* n x n_cols: for {placeholders}; NULL = pg_value_format() */
	const char *const *labels;	 /* n x n_cols: for NAME.label */
	const struct pg_seg *segs;	 /* n */
	const struct pg_item_keys *keys; /* n; NULL = no item has run keys */
	size_t seg;			 /* its place among the segments; SIZE_MAX = none */
};

/* A param that is computed in every cell: derive, or a default over other params. In order of dependency. */
struct pg_computed {
	const struct pg_expr *e;
	struct pg_loc loc;
	size_t param;
	size_t seg; /* SIZE_MAX = none */
	/* The short way for whole numbers: a result of this kind from least to most is the value as it is. PG_E_NONE:
	 * there is none. */
	enum pg_ekind whole;
	int64_t least, most;
};

enum pg_seg_kind { PG_SEG_FIXED, PG_SEG_AXIS, PG_SEG_COMPUTED };
struct pg_segment {
	const char *name; /* of param or bundle: they are sorted by it */
	enum pg_seg_kind kind;
	size_t at;	    /* axis, or computed */
	struct pg_seg text; /* FIXED */
};

struct pg_sweep_in {
	struct pg_sweep pub;
	struct pg_axis_in *in;	  /* per axis */
	struct pg_value *base;	  /* per param: set and default values; else unset */
	const char **base_texts;  /* per param */
	const char **base_labels; /* per param */
	struct pg_computed *computed;
	size_t n_computed;
	struct pg_segment *segs;
	size_t n_segs;
	uint64_t hash0; /* of sweep name and bench */
	size_t n_product;
	const uint32_t *add_pos; /* n_add x n_axes */
	const struct pg_loc *add_loc;
	size_t n_add;
	struct pg_runkeys keys;
	size_t n_env; /* most variables of a cell */
	bool keys_vary;
	bool variants;	 /* the last axis is `variant` */
	bool look_ahead; /* much of a cell's id is hashed anew in each cell */
	bool ops_auto;	 /* the operation count is `auto` in some cell */
	const struct pg_program *program;
};

/* Index by id, open addressing; a slot holds index + 1 and the upper half of the id. */
struct pg_find_index {
	struct pg_find_slot {
		uint32_t cell, tag;
	} * slots;
	size_t n;
	struct pg_cell_buf *buf;
};

struct pg_plan {
	struct pg_arena arena;
	const char *name, *description, *only;
	struct pg_plan_file *files;
	size_t n_files, room_files;
	struct pg_sweep_in **sweeps;
	size_t n_sweeps, room_sweeps;
	size_t n_cells;
	uint32_t sessions;
	uint32_t *marks; /* per cell: enum pg_skip in the upper two bits, reason below */
	size_t marks_room;
	const char **reasons;
	size_t n_reasons, room_reasons;
	uint32_t *reason_table; /* hash of reasons: index + 1 */
	size_t n_reason_table;
	uint64_t words[PG_MACHINE_WORDS];
	uint64_t digest;
	struct pg_find_index find;
};

#define PG_MARK_SHIFT  30
#define PG_MARK_REASON ((UINT32_C(1) << PG_MARK_SHIFT) - 1)
#define PG_MAX_CELLS   UINT64_C(1000000)

/* Slots of expressions: machine words, then params, then bundles (index of the axis), then the sweep's name. */
#define PG_SLOT_PARAM(i) (PG_MACHINE_WORDS + (i))

/* A cell on the way to its id. */
struct pg_lane {
	uint32_t *pos;
	struct pg_value *vals; /* of the computed params */
	struct pg_str text;    /* their segments, one after another */
	size_t *at;	       /* where each begins, and the end */
	uint64_t id;
};
#define PG_LANES 4

struct pg_cell_buf {
	const struct pg_plan *p;
	const struct pg_sweep_in *sw; /* whose cell it holds; NULL = none yet */
	size_t local;		      /* index in the sweep; SIZE_MAX = none */
	size_t dirty;		      /* first segment whose state in `hash` is old */
	struct pg_cell cell;
	struct pg_value *vals;
	const char **texts;
	uint32_t *pos;
	uint64_t *hash; /* state before each segment, and at the end */
	struct pg_runkeys keys;
	struct pg_env_item *env;
	struct pg_lane lanes[PG_LANES]; /* of cells lane_first to lane_first + n_lanes - 1 of the sweep */
	size_t lane_first, n_lanes;
};

/* What goes wrong in a computed param: only while the plan is made. */
struct pg_cell_watch {
	struct pg_err err;
	size_t bad;  /* computed[bad] failed */
	double *cut; /* per computed: largest share lost in a division */
};

/* cellbuf.c */
struct pg_cell_buf *pg_cell_buf_for(const struct pg_plan *p, const struct pg_sweep_in *const *sweeps, size_t n);
void pg_cell_enter(struct pg_cell_buf *b, const struct pg_sweep_in *sw);
void pg_cell_move(struct pg_cell_buf *b, size_t local);
int pg_cell_compute(struct pg_cell_buf *b, struct pg_cell_watch *w);
struct pg_cellview pg_cell_view(struct pg_cell_buf *b);
/* cell_ids.c: moves, computes, and gives the id. */
uint64_t pg_cell_make(struct pg_cell_buf *b, size_t local);
void pg_seg_add(struct pg_str *out, const char *name, const struct pg_param *row, const struct pg_value *v,
		const char *label);

/* plan.c */
int pg_plan_reason(struct pg_plan *p, const char *why, uint32_t *out);
int pg_plan_grow(struct pg_plan *p, size_t cells); /* room for marks */

/* digest.c */
uint64_t pg_digest_make(const struct pg_plan *p, const char *version);

#endif
