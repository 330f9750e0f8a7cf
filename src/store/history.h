/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history file: what sessions that compared a cell with itself measured on this machine. How far their estimates
 * lie apart says how far those of two single runs may (docs/statistics.md 9.3). One line of JSON a session; lines that
 * are none are passed over.
 */
#ifndef PG_STORE_HISTORY_H
#define PG_STORE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "engine/parts.h"
#include "store/fingerprint.h"

struct pg_err;
struct pg_str;

#define PG_HISTORY_LEAST 6 /* sessions that a spread is taken from */
/* Between the end of a session and the start of the next: what comes sooner is the same weather measured twice. */
#define PG_HISTORY_APART_NS PG_REST_NS

/* A cell of a session, by its id without variants. */
struct pg_history_cell {
	uint64_t cell;
	const char *metric;
	int64_t sample_time_ns; /* of a calibrated cell, whose reps are as long; 0 = its loops were given */
	uint32_t n;		/* reps, at least 1 */
	double median,
		best; /* estimates of both lenses, > 0: in any unit that stays the same from session to session */
};

struct pg_history_session {
	int64_t start_ns, end_ns; /* wall clock */
	struct pg_fingerprint machine;
	struct pg_history_cell *cell;
	size_t n;
};

/* XDG_STATE_HOME/perfgrid/history.jsonl, or ~/.local/state/...; nothing is appended where neither is known. */
void pg_history_path(const char *xdg_state_home, const char *home, struct pg_str *out);
/* Directories on the way are made. One write. */
int pg_history_append(const char *path, const struct pg_history_session *s, struct pg_err *err);

struct pg_history {
	struct pg_history_session *session; /* by start; malloc'ed */
	size_t n, cap;
	struct pg_arena arena;
};
/* A file that is not there is an empty history. */
int pg_history_read(const char *path, struct pg_history *out, struct pg_err *err);
void pg_history_release(struct pg_history *h);
/*
 * A cell (its id, metric and sample_time_ns) in the sessions that count: those of a machine like f, traits of the bits
 * `but` (1 << trait) aside, each PG_HISTORY_APART_NS after the one before. From the oldest on; `out` holds h->n.
 * Returns how many.
 */
size_t pg_history_find(const struct pg_history *h, const struct pg_fingerprint *f, unsigned but,
		       const struct pg_history_cell *like, const struct pg_history_cell **out);

#endif
