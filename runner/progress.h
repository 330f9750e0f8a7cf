/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the user sees of a run while it goes on: on a terminal one line, redrawn at most ten times a second and never
 * inside a rep; else a line per finished cell. An observer of the rounds, beside the store's.
 */
#ifndef PG_RUNNER_PROGRESS_H
#define PG_RUNNER_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/rounds.h"
#include "plan/plan.h"

struct pg_progress;
struct pg_reasons;
struct pg_world;

enum pg_progress_mode { PG_PROGRESS_NONE, PG_PROGRESS_LINES, PG_PROGRESS_LIVE };
/* LIVE needs a terminal that can go back to the start of a line. */
enum pg_progress_mode pg_progress_mode(const struct pg_world *w, bool quiet);

int pg_progress_new(struct pg_progress **out, const struct pg_world *w, const struct pg_plan *plan,
		    enum pg_progress_mode mode, struct pg_err *err);
void pg_progress_free(struct pg_progress *p); /* NULL is fine */

/* Before any sweep runs, once for each: what its rounds already hold (resume) counts as done. */
void pg_progress_restore(struct pg_progress *p, size_t sweep, const struct pg_rounds *rounds);
void pg_progress_rested(struct pg_progress *p);			/* time has passed in which nothing ran */
void pg_progress_until(struct pg_progress *p, int64_t time_ns); /* on the clock: the run ends by then; 0 = no end */
const struct pg_observer *pg_progress_observer(struct pg_progress *p);
void pg_progress_clear(struct pg_progress *p); /* takes the live line away; NULL is fine */

/* Why cells failed or timed out in this session, by text. */
const struct pg_reasons *pg_progress_reasons(const struct pg_progress *p);

/*
 * Seconds to go: each unfinished cell with its own time per rep, a cell that has not run yet with the mean of the
 * others. Below 0 = nothing has run, so nothing is known.
 */
double pg_progress_left(const struct pg_progress *p);

#endif
