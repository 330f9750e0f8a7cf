/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of rounds.h. What is kept of a cell follows from its records alone, so that a resumed run goes on as the first
 * one would have.
 *
 * A team is the arms of one cell: they take turns in a round and end together, but for those that fail. Without
 * variants each cell is a team of one. -1: out of memory.
 */
#ifndef PG_ENGINE_ROUNDS_PRIV_H
#define PG_ENGINE_ROUNDS_PRIV_H

#include "engine/rounds.h"

/* 28 bytes: a million cells are kept at once. */
struct pg_progress {
	uint32_t good, bad;    /* measured reps; bad: failed, timed out or invalid after all tries */
	uint32_t invalid;      /* of the bad ones */
	uint32_t warm;	       /* warm-ups that were run, good or bad */
	uint32_t warm_due;     /* and that are still to be run */
	uint32_t last_round;   /* of the last measured rep: its number too, unless a failed arm was tried again */
	uint16_t attempt;      /* tries of the rep at hand that went wrong; 0 = none is under way */
	uint8_t row : 2;       /* bad reps in a row, up to 3 */
	uint8_t redo : 1;      /* the rep at hand is done again: it was disturbed */
	uint8_t stop : 3;      /* enum pg_stop */
	uint8_t skip : 2;      /* enum pg_skip */
	uint8_t told : 1;      /* the observer knows of its end */
	uint8_t timeout : 1;   /* the last bad rep timed out */
	uint8_t automatic : 1; /* loops are calibrated */
};

/* Beside it where a rule looks at samples or time. */
struct pg_history {
	int64_t used_ns, measured_ns; /* all reps; measured ones */
	uint32_t head, n;	      /* last sample + 1 (0 = none), count */
};

/* Samples of all cells as they come; prev: index + 1 of the cell's sample before. */
struct pg_chain {
	double *x;
	uint32_t *prev;
	uint32_t *round; /* with arms only: they are paired by it */
	double *floor;	 /* with arms, where the metric has one; NaN = this rep had none */
	size_t n, cap;
	bool rounds, floors; /* what is kept beside x */
	size_t floor_row;
};

struct pg_rounds {
	struct pg_work work;
	size_t arms;	/* of a team; at least 1 */
	size_t n_teams; /* n / arms */
	struct pg_progress *cells;
	uint64_t *ops;		    /* per cell; NULL when the bench has no operation count */
	uint32_t *redone;	    /* per cell, disturbed reps; NULL without `redo` */
	struct pg_history *history; /* NULL where nothing is asked of it */
	bool samples;		    /* the chain is kept */
	struct pg_chain chain;
	uint32_t *active; /* teams that may still have a part in a round, in file order */
	size_t n_active;
	uint32_t *order;
	double *scratch;
	size_t cap_scratch;
	uint64_t done, due;
};

static inline bool pg_cell_ended(const struct pg_progress *c)
{
	return c->skip != PG_NOT_SKIPPED || c->stop != PG_STOP_NONE;
}

/* Measured with the others, ended or not: neither skipped nor failed. */
static inline bool pg_cell_takes_part(const struct pg_progress *c)
{
	return c->skip == PG_NOT_SKIPPED && c->stop != PG_STOP_ERROR;
}

/* rounds_order.c */
/*
 * Teams that belong to a round, in its order, into r->order; returns how many. Round 0 is the warm-up: all, so that
 * one that has failed in it since changes nothing. It must be asked for first, the others ascending.
 */
size_t pg_rounds_order(struct pg_rounds *r, uint32_t round);
/* Cell that has the a-th turn of the team in a round. */
size_t pg_rounds_arm(const struct pg_rounds *r, size_t team, uint32_t round, size_t a);
/* Lowest round in which a rep is still to be done, 0 = none; of one team, of all. */
uint32_t pg_rounds_team_next(const struct pg_rounds *r, size_t team);
uint32_t pg_rounds_next(const struct pg_rounds *r);

/* rounds_state.c */
/* Takes a finished rep into account; took_ns: time for the rule. */
int pg_rounds_take(struct pg_rounds *r, const struct pg_rep_record *rec, int64_t took_ns);
enum pg_status pg_rounds_status(const struct pg_rounds *r, const struct pg_progress *c);
void pg_rounds_used(struct pg_rounds *r, size_t cell, int64_t took_ns); /* time that belongs to no record */
bool pg_rounds_broken(const struct pg_progress *c);			/* its failures outweigh what is good */
uint32_t pg_rounds_most(const struct pg_rounds *r);
int64_t pg_rounds_pace(const struct pg_rounds *r, size_t cell); /* ns a rep, 0 = not known; needs a history */
/* Ends the arms of a team that go on; _measured: that have had a measured rep. */
void pg_rounds_end_team(struct pg_rounds *r, size_t team, enum pg_stop stop);
void pg_rounds_end_measured(struct pg_rounds *r, size_t team, enum pg_stop stop);

/* rounds_rule.c */
/*
 * After the last rep of a team in a round: does the rule end it? Without `live` looks are left out, for they take some
 * time and a journal is full of them: pg_going_catch_up() makes up for the one that nothing follows.
 */
int pg_rounds_rule(struct pg_rounds *r, size_t team, uint64_t cell_id, bool live);
bool pg_rounds_look_due(const struct pg_rounds *r, size_t team); /* it stands at a look whose answer is not known */
/* A look has ended it in an earlier start of the run: would it still, by the level of now? */
int pg_rounds_look_again(struct pg_rounds *r, size_t team, bool *still);

/* rounds_samples.c */
int pg_rounds_keep(struct pg_rounds *r, size_t cell, uint32_t round, const struct pg_outcome *out);
void pg_chain_release(struct pg_chain *c);
/* The cell's samples in time order, and room for twice as many behind them; NULL = out of memory. */
double *pg_rounds_samples(struct pg_rounds *r, size_t cell);
struct pg_pairs {		       /* costs of the rounds that both cells have, in time order */
	const double *a, *b, *fa, *fb; /* fa, fb: floors, NULL = not known in every round */
	size_t n;		       /* 0 also where a value has no logarithm: such a comparison has no answer */
	double *scratch;	       /* pg_pair_scratch(n) */
};
int pg_rounds_pairs(struct pg_rounds *r, size_t base, size_t arm, struct pg_pairs *out);

#endif
