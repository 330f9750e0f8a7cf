/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A run that goes on with another number of reps: which of the ends that it had before were looked at, and stay counted
 * (docs/statistics.md 8.6).
 */
#ifndef PG_RUNNER_ENDS_H
#define PG_RUNNER_ENDS_H

#include "plan/plan.h"

struct pg_arena;

/*
 * `was`: the plan of the run in `dir` as it was, with the options *to but for to->repeat, which is the new number.
 * Enters what is spent into to->earlier, in the arena. PG_EUSAGE where there is no room for more.
 */
int pg_ends_settle(const char *dir, struct pg_plan *was, uint32_t was_repeat, struct pg_arena *a,
		   struct pg_plan_opts *to, struct pg_err *err);

#endif
