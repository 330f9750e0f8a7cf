/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Flags of a row of cells.csv: what makes its numbers doubtful. They warn and change nothing. docs/statistics.md 7, 12.
 */
#ifndef PG_STORE_FLAGS_H
#define PG_STORE_FLAGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/guards.h"
#include "stats/diagnose.h"

struct pg_cell;
struct pg_err;
struct pg_fold;
struct pg_results;
struct pg_store;
struct pg_str;
struct pg_sweep;

/* In the order in which they are written; then the guards, by number. */
enum pg_flag {
	PG_FLAG_N1,
	PG_FLAG_GROUPED,
	PG_FLAG_ONE_LAYOUT,
	PG_FLAG_TWO_BOOTS,
	PG_FLAG_DRIFT,
	PG_FLAG_ACF,
	PG_FLAG_BIMODAL,
	PG_FLAG_SPIKY,
	PG_FLAG_COLD_START,
	PG_FLAG_QUANTISED,
	PG_FLAG_SHORT,
	PG_FLAG_NOISY,
	PG_FLAG_CLOCK,
	PG_FLAG_LOOPS_DIFFER,
	PG_FLAG_GUARDS,
};
#define PG_FLAGS   (PG_FLAG_GUARDS + PG_GUARDS)
#define PG_FLAG(f) (UINT32_C(1) << (f))
const char *pg_flag_name(unsigned flag); /* "n1", ..., "loops-differ", "steal", ... */

/* Flags of a cell: a bit each, and for guards the share of the cell that they speak of. */
struct pg_flags {
	uint32_t on;
	double share[PG_GUARDS]; /* 0 ... 1, where the bit is on */
};
/* Names separated by blanks, guards with their share in whole percent, at least 1: "drift steal:12%". */
void pg_flags_text(const struct pg_flags *f, struct pg_str *out);

/* What flags need to know of a run. */
struct pg_flagger {
	const struct pg_results *r;
	bool other_clock; /* time does not come from the CPU's own counter */
	bool one_layout;  /* the kernel drew none anew for each program */
	double short_ns;  /* a batch below this is short; 0 = the run does not tell */
};
int pg_flagger_init(struct pg_flagger *k, const struct pg_results *r, struct pg_err *err);

/* Those that all rows of the cell entered have. Leaves a summary in the fold. */
void pg_flags_cell(const struct pg_flagger *k, struct pg_fold *fold, const struct pg_cell *c, struct pg_flags *out);
/*
 * Adds those of one metric, which pg_fold_metric() has just summarised as s; *d is what was seen. Nothing for s->n 0,
 * and for what the engine counts (switches, faults, memory) only that which does not depend on its values.
 */
void pg_flags_metric(const struct pg_flagger *k, struct pg_fold *fold, const struct pg_cell *c, size_t metric,
		     const struct pg_summary *s, struct pg_flags *flags, struct pg_diagnosis *d);

/* Over all cells of a run that have numbers, by the metric that their sweep is judged by. */
struct pg_flag_count {
	size_t cells;
	size_t example; /* first cell of the plan that has it */
	double share;	/* of a guard in that cell */
	double ci_pct;	/* of the interval of that cell */
	size_t n;	/* its reps */
	double n_eff;
	struct pg_diagnosis d; /* what was seen there */
};
struct pg_flag_counts {
	struct pg_flag_count of[PG_FLAGS];
	char settings[200]; /* of the machine, those of the whole run: pg_env_settings(); "" = none to speak of */
};
int pg_store_flags(struct pg_store *s, struct pg_flag_counts *out, struct pg_err *err);

#endif
