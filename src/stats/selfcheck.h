/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What comparing cells with themselves says of a machine, also later: docs/statistics.md 9.3 and 10. */
#ifndef PG_STATS_SELFCHECK_H
#define PG_STATS_SELFCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/compare.h"
#include "stats/stats.h"

#define PG_DEALS 999 /* of the noise floor */

/*
 * How far two halves of the same samples lie apart by chance: the 95 % quantile of |ln of the ratio of their medians|
 * over PG_DEALS ways of dealing them. x: n >= 4 costs > 0, whose order is lost; scratch: n + PG_DEALS doubles. NaN
 * below 4.
 */
double pg_noise_floor(double *x, size_t n, struct pg_rng *rng, double *scratch);

/* Differences found at 5 % where there are none. */
struct pg_false_alarms {
	size_t k, m;		   /* of m comparisons */
	struct pg_interval limits; /* of the rate, 95 % */
	bool too_many;		   /* the rate is above 5 %, which chance does not explain */
	bool few;		   /* so few comparisons that chance would seldom show one: none says nothing */
};
struct pg_false_alarms pg_false_alarms(const double *p, size_t n); /* NaN is passed over */

/*
 * Looks for a comparison that needs so many rounds where it is looked at once: ascending, at most five, the last one
 * the end. The more looks, the lower the level of each (8.6), and the more rounds: these count. hypotheses: that are
 * judged together; 0 counts as 1. 0: more rounds than are worth it (PG_ROUNDS_MAX), or not known.
 */
#define PG_ROUNDS_MAX 200
unsigned pg_looks_for(double rounds, double hypotheses, uint32_t looks[PG_LOOKS]);

/*
 * Estimates of k sessions with n[i] reps each (logs), moved away from their mean as far as sessions of `reps` reps
 * would lie apart, in place: for pg_past_effect(). Never towards it: that more reps bring less spread holds within a
 * session only. floors: the estimates are means of the best quarter, which lie a little further apart than t allows
 * for; else medians.
 */
void pg_past_stretch(double *log_estimate, const uint32_t *n, size_t k, bool floors, uint32_t reps);

#endif
