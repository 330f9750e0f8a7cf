/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparing by what earlier sessions of a cell measured: docs/statistics.md 9.3. */
#ifndef PG_STORE_COMPARE_HISTORY_H
#define PG_STORE_COMPARE_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/pair.h"
#include "store/history.h"

struct pg_units;

/* Earlier sessions of the cell at hand. */
struct pg_past {
	const struct pg_history *history; /* NULL = there is none */
	const struct pg_history_cell **cell;
	size_t n; /* sessions that count */
	double *log;
	uint32_t *reps;
};
int pg_past_open(struct pg_past *p, const struct pg_history *h, struct pg_err *err);
void pg_past_release(struct pg_past *p);
/* As pg_history_find(). */
void pg_past_find(struct pg_past *p, const struct pg_fingerprint *f, unsigned but, const struct pg_history_cell *like);
bool pg_past_enough(const struct pg_past *p); /* of what was found */
/* Why they are not enough, as text of the arena; *out stays where there is no session at all. */
int pg_past_why(const struct pg_past *p, struct pg_arena *a, const char **out, struct pg_err *err);
/*
 * An effect between two sides with at least one session each, against the spread of the earlier ones: as it would be if
 * they had as few reps as the shortest session of the sides.
 */
struct pg_effect pg_past_compare(struct pg_past *p, unsigned lens, double log_ratio, const struct pg_units *base,
				 const struct pg_units *new);

#endif
