/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside the live comparison: the two arms at hand, and what becomes of them. */
#ifndef PG_STORE_COMPARE_LIVE_H
#define PG_STORE_COMPARE_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "store/compare.h"
#include "store/fold.h"

struct pg_arm {
	struct pg_fold fold;
	struct pg_cell_buf *buf;
	const struct pg_cell *cell;
	enum pg_status status;
};

struct pg_live {
	const struct pg_plan *plan;
	const struct pg_samples *samples;
	uint64_t seed;
	const struct pg_compare_opts *opts;
	struct pg_arena *arena; /* texts of the rows */
	bool one_layout;	/* as pg_compare has it */
	unsigned patterns;
	struct pg_arm base, new;	/* the two cells at hand */
	uint32_t *pair_base, *pair_new; /* reps of the same rounds */
	size_t n_pairs;
	double *a, *b, *fa, *fb, *scratch;
};

/* plan, samples, seed, opts, one_layout and patterns are set, the rest is 0. Closed whatever it answers. */
int pg_live_open(struct pg_live *l, struct pg_err *err);
void pg_live_close(struct pg_live *l);
void pg_live_enter(struct pg_live *l, const struct pg_sweep *sw, size_t base, size_t new); /* cells of the plan */
/* One metric of the two: all that is known before families are judged. row: pg_compare_row_init(). */
int pg_live_row(struct pg_live *l, const struct pg_sweep *sw, size_t metric, struct pg_compare_row *row,
		struct pg_err *err);
double pg_live_p(struct pg_live *l, const struct pg_sweep *sw, size_t metric);

#endif
