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
#include "store/fingerprint.h"

struct pg_err;
struct pg_str;

#define PG_HISTORY_LEAST 6 /* sessions that a spread is taken from */

/* A cell of a session, by its id without variants. */
struct pg_history_cell {
	uint64_t cell;
	const char *metric;
	uint32_t n; /* reps */
	double median,
		best; /* estimates of both lenses, > 0: in any unit that stays the same from session to session */
};

/* XDG_STATE_HOME/perfgrid/history.jsonl, or ~/.local/state/...; nothing is appended where neither is known. */
void pg_history_path(const char *xdg_state_home, const char *home, struct pg_str *out);
/* Directories on the way are made. One write. */
int pg_history_append(const char *path, int64_t wall_ns, const struct pg_fingerprint *f,
		      const struct pg_history_cell *cell, size_t n, struct pg_err *err);

struct pg_history_session {
	int64_t wall_ns;
	struct pg_fingerprint machine;
	struct pg_history_cell *cell;
	size_t n;
};
struct pg_history {
	struct pg_history_session *session; /* as in the file; malloc'ed */
	size_t n, cap;
	struct pg_arena arena;
};
/* A file that is not there is an empty history. */
int pg_history_read(const char *path, struct pg_history *out, struct pg_err *err);
void pg_history_release(struct pg_history *h);
/*
 * Logs of a cell's estimates in the sessions of a machine like f, traits of the bits `but` (1 << trait) aside; the
 * arrays hold h->n. Returns how many.
 */
size_t pg_history_find(const struct pg_history *h, const struct pg_fingerprint *f, unsigned but, uint64_t cell,
		       const char *metric, double *log_median, double *log_best);

#endif
