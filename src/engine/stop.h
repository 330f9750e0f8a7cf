/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two rules of time, free of time itself: when is a cell finished (docs/statistics.md 5), how many loops does it
 * take (2.2).
 */
#ifndef PG_ENGINE_STOP_H
#define PG_ENGINE_STOP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/rounds.h"

/*
 * After a round. x: samples in time order; n_done counts good and finally failed reps (both count towards n and max);
 * used_ns: time this cell has taken with warm-up and calibration; next_ns: expected length of its next rep. scratch
 * holds 2 n doubles. *ci_pct (may be NULL) becomes 100 h f, NaN when there is none. time binds from the first rep on.
 */
enum pg_stop pg_stop_check(const struct pg_repeat *rule, const double *x, size_t n, size_t n_done, int64_t used_ns,
			   int64_t next_ns, double *scratch, double *ci_pct);
/* Relative half width of the interval as shown: of the median, stretched by the autocorrelation factor. NaN = none. */
double pg_stop_width(const struct pg_repeat *rule, const double *x, size_t n, double *scratch);
/* The least n at which `ci` may stop a cell: max(min, pg_min_n(conf)). */
uint32_t pg_stop_min(const struct pg_repeat *rule);

/*
 * Calibration: start at 1 loop; below 1/10 of target times 10; then target/elapsed * 1.1 rounded up; done at >= 0.8
 * target, 12 steps, 2^40. The count that comes out is always one that was run.
 */
struct pg_calibration {
	int64_t target_ns;
	uint64_t ops; /* to run next; the result once done */
	unsigned steps;
	bool done;
};
void pg_calibration_start(struct pg_calibration *c, int64_t target_ns);
void pg_calibration_step(struct pg_calibration *c, int64_t elapsed_ns);

#endif
