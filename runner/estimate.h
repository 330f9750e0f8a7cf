/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How long a plan will take: reps times the time of a rep in the newest finished run of that name, else what
 * calibration aims at. */
#ifndef PG_RUNNER_ESTIMATE_H
#define PG_RUNNER_ESTIMATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pg_plan;
struct pg_str;

struct pg_estimate {
	size_t cells, runnable;
	uint64_t reps;	/* of runnable cells, warm-ups included; the upper end where `repeat` is a rule */
	bool at_most;	/* some `repeat` is a rule */
	double seconds; /* of the sweeps that are known */
	bool unknown;	/* some sweep is not */
};

/* runnable: cells to run of each sweep, NULL = to be counted. results: the directory that holds NAME/STAMP-xxxx
 * ("results"); whatever cannot be read there counts as absent. */
int pg_estimate(struct pg_plan *plan, const size_t *runnable, const char *results, struct pg_estimate *out);
/* "24 cells (2 not to run), at most 264 reps, estimate 13s" */
void pg_estimate_text(const struct pg_estimate *e, struct pg_str *out);

#endif
