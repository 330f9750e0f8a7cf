/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of rounds.h. What is kept of a cell follows from its records alone, so that a resumed run goes on as the first
 * one would have.
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
	uint32_t last_round;   /* of the last measured rep; every round has one, so this is its number too */
	uint16_t attempt;      /* tries of the rep at hand that went wrong; 0 = none is under way */
	uint8_t row;	       /* bad reps in a row, up to 3 */
	uint8_t stop : 3;      /* enum pg_stop */
	uint8_t skip : 2;      /* enum pg_skip */
	uint8_t told : 1;      /* the observer knows of its end */
	uint8_t timeout : 1;   /* the last bad rep timed out */
	uint8_t automatic : 1; /* loops are calibrated */
};

/* Beside it where the stopping rule looks at samples and time. */
struct pg_history {
	int64_t used_ns, measured_ns; /* all reps; measured ones */
	uint32_t head, n;	      /* last sample + 1 (0 = none), count */
};

struct pg_rounds {
	struct pg_work work;
	struct pg_progress *cells;
	uint64_t *ops;		    /* per cell; NULL when the bench has no operation count */
	struct pg_history *history; /* NULL for a fixed number of reps */
	uint32_t *active;	    /* cells that may still have a part in a round, in file order */
	size_t n_active;
	uint32_t *order;
	/* Samples of all cells as they come; prev: index + 1 of the cell's sample before. 12 bytes a sample. */
	double *x;
	uint32_t *prev;
	size_t n_x, cap_x;
	double *scratch; /* 3 * cap_scratch: one cell's samples, and room for the stopping rule */
	size_t cap_scratch;
	uint64_t done, due;
};

static inline bool pg_cell_ended(const struct pg_progress *c)
{
	return c->skip != PG_NOT_SKIPPED || c->stop != PG_STOP_NONE;
}

/*
 * Cells that belong to a round, in its order, into r->order; returns how many. Round 0 is the warm-up: all cells, so
 * that one that has failed in it since changes nothing. It must be asked for first, the others ascending.
 */
size_t pg_rounds_order(struct pg_rounds *r, uint32_t round);
/* The lowest round in which a cell still has a rep to do; 0 = none is left. */
uint32_t pg_rounds_next(const struct pg_rounds *r);

/* Takes a finished rep into account; took_ns: time for the rule. -1 = out of memory. */
int pg_rounds_take(struct pg_rounds *r, const struct pg_rep_record *rec, int64_t took_ns);
enum pg_status pg_rounds_status(const struct pg_rounds *r, const struct pg_progress *c);
void pg_rounds_used(struct pg_rounds *r, size_t cell, int64_t took_ns); /* time that belongs to no record */

#endif
