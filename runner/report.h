/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the program says on standard error, and the end of standard output. The only place that prints errors. */
#ifndef PG_RUNNER_REPORT_H
#define PG_RUNNER_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

struct pg_world;
struct pg_str;

/* `FILE:LINE:COL: message`, notes with `note: ` in front; without a place `perfgrid: message`. */
void pg_report(const struct pg_world *w, const struct pg_err *e, bool note);
/* `perfgrid: ` and the text; or the name that a drop-in was called by. */
void pg_say(const struct pg_world *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pg_say_as(const struct pg_world *w, const char *name, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Where diagnostics of a validation go: pg_diag.report with ctx = struct pg_reporter. */
struct pg_reporter {
	const struct pg_world *world;
	bool quiet;	    /* no notes */
	const char *copies; /* a run directory: files are named by their copies in it; NULL = by their own names */
	bool *in_copy;	    /* set when an error lies in a copy; NULL = nobody asks */
};
void pg_reporter_report(void *ctx, const struct pg_err *e, bool note);

/* Reports e and gives the exit status that its code stands for. */
int pg_fail_status(const struct pg_world *w, const struct pg_err *e);
int pg_status_of(const struct pg_err *e);

/*
 * Standard output. The first failure is remembered and later calls do nothing but say -1; pg_stdout_write() has the
 * form of the sinks below (ctx = struct pg_world).
 */
int pg_stdout_write(void *world, const char *s, size_t n);
int pg_stdout_text(struct pg_world *w,
		   struct pg_str *text); /* writes it and empties it; -1 also when it ran out of memory */
int pg_stdout_flush(struct pg_world *w);
/*
 * Flushes: `status`, or where something could not be written a message and PG_EXIT_WRITE; 128 + SIGPIPE without a
 * message when the reader has gone.
 */
int pg_stdout_done(struct pg_world *w, int status);
void pg_say_unwritten(const struct pg_world *w, const char *name); /* why, by w->out_errno */
/*
 * Makes a write to a pipe without a reader, or past a file-size limit, an error, which is handled, and not the end of
 * the program. By handlers, for programs that are started get the default back.
 */
void pg_handle_write_signals(void);

/* Appends n bytes for a terminal: invalid bytes as U+FFFD, control characters as `?`. */
void pg_clean_line(struct pg_str *out, const char *s, size_t n);
/* "2h 3min", "1min 5s", "12s", "0.4s": for people. */
void pg_human_time(struct pg_str *out, double seconds);

#endif
