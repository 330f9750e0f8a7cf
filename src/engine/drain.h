/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pipe that reps write into and the runner empties, so that no amount of output fills memory or blocks the rep: the
 * first and the last 64 KiB are kept, and each line goes to whoever asked for lines. One pipe serves all reps.
 */
#ifndef PG_ENGINE_DRAIN_H
#define PG_ENGINE_DRAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/lines.h"

struct pg_err;
struct pg_str;

#define PG_DRAIN_KEEP ((size_t)64 << 10)

struct pg_drain {
	int rd, wr; /* -1 = closed */
	char *head; /* first bytes; 2 * PG_DRAIN_KEEP from pg_big_alloc() */
	char *tail; /* ring of the bytes behind them; byte i of the output stands at i % PG_DRAIN_KEEP */
	uint64_t total;
	struct pg_lines *lines; /* NULL = nobody asks for lines */
};

void pg_drain_init(struct pg_drain *d);
int pg_drain_open(struct pg_drain *d, struct pg_err *err);
void pg_drain_close(struct pg_drain *d);
/* Forgets what was kept; the pipe must be empty. */
void pg_drain_reset(struct pg_drain *d);
/* One read without waiting. false: the pipe is empty. */
bool pg_drain_read(struct pg_drain *d);
/* Reads until the pipe is empty. A writer that lives on cannot hold it up. */
void pg_drain_finish(struct pg_drain *d);
void pg_drain_end(struct pg_drain *d); /* no more will come: the last line is one, ended or not */

/* Appends the last line that is not blank, clean (UTF-8, no control characters), at most `max` bytes. False = there is
 * none. */
bool pg_drain_last_line(const struct pg_drain *d, size_t max, struct pg_str *out);
/* Appends foreign text without control characters and invalid UTF-8, cut to at most `max` bytes. */
void pg_clean_text(const char *s, size_t n, size_t max, struct pg_str *out);

#endif
