/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parts of rounds.h that run reps: one call, from its start to a stop, an end or an error. */
#ifndef PG_ENGINE_ROUNDS_GOING_H
#define PG_ENGINE_ROUNDS_GOING_H

#include "engine/rounds_priv.h"

/* One call that runs reps. */
struct pg_going {
	struct pg_rounds *r;
	const struct pg_executor *exec;
	const struct pg_observer *obs;
	const struct pg_clock *clock;
	const volatile sig_atomic_t *stop;
	struct pg_until until;
	struct pg_err *err;
	bool begun;	/* a rep was run: a pause is due before the next */
	bool ran;	/* a job was run since this was false */
	bool slow_due;	/* first rep of a round */
	bool slow_read; /* slow_ns holds */
	int64_t slow_ns;
};

/* Results of what runs reps: go on, or leave all as it is, or -1 with *err. */
enum { PG_GO_ON = 0, PG_STOPPED = 1 };

/* rounds.c */
void pg_going_init(struct pg_going *g, struct pg_rounds *r, const struct pg_until *until,
		   const struct pg_executor *exec, const struct pg_observer *obs, const struct pg_clock *clock,
		   const volatile sig_atomic_t *stop, struct pg_err *err);
/* What must come before any rep: looks that the records end with, ends that nobody was told of. */
int pg_going_catch_up(struct pg_going *g);
/* The rep that each arm of the team still owes a round, with what must come before. place: of the team in the round. */
int pg_going_team(struct pg_going *g, size_t team, uint32_t round, size_t place);
int pg_going_tell(struct pg_going *g, size_t team); /* the observer, of ends in the team */

/* rounds_rep.c */
bool pg_going_fits(const struct pg_going *g, size_t team); /* is there time for a round of it? */
int pg_going_rep(struct pg_going *g, size_t cell, uint32_t round, uint32_t position); /* round 0: a warm-up */
int pg_going_calibrate(struct pg_going *g, size_t team, uint32_t position); /* finds the loops that its arms lack */

#endif
