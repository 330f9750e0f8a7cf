/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors: a result is 0 or -1; what went wrong stands in a caller-owned struct pg_err, untouched on success.
 * It is filled once, where the fact is known; callers may put context in front with pg_err_wrap(). Only runner/ prints.
 */
#ifndef PG_BASE_ERR_H
#define PG_BASE_ERR_H

#include <stdbool.h>

/* Counts of operations, bytes and time are 64 bits wide, and become sizes of memory as they are. */
_Static_assert(sizeof(void *) == 8, "perfgrid needs a 64-bit system");

enum pg_code {
	PG_OK = 0,
	PG_EUSAGE, /* the command line is wrong */
	PG_EINPUT, /* a file that the user wrote is wrong; loc says where */
	PG_ENOMEM,
	PG_ESYS,	 /* a system call failed; sys holds its errno */
	PG_EUNSUPPORTED, /* this machine, kernel or user cannot do it; msg is the reason that goes into the CSV */
	PG_EBUSY,	 /* another run holds the lock */
	PG_EDAMAGED,	 /* the journal is damaged before its last line */
	PG_EWRITE,	 /* results could not be written */
	PG_EFAILED,	 /* a measurement failed */
};

/* A place in a file: 1-based; file NULL = no place, line 0 = the whole file. `file` is owned by whoever read it. */
struct pg_loc {
	const char *file;
	unsigned line, col;
};

#define PG_ERR_MSG 512

struct pg_err {
	enum pg_code code;
	int sys;
	struct pg_loc loc;
	char msg[PG_ERR_MSG]; /* lower case, no full stop: "what is wrong; what is allowed"; cut on a UTF-8 border */
};

/* All three fill *err (err may be NULL) and return -1. pg_fail_sys() saves errno and appends ": " and its text. */
int pg_fail(struct pg_err *err, enum pg_code code, const char *fmt, ...) __attribute__((format(printf, 3, 4), cold));
int pg_fail_at(struct pg_err *err, enum pg_code code, const struct pg_loc *loc, const char *fmt, ...)
	__attribute__((format(printf, 4, 5), cold));
int pg_fail_sys(struct pg_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold));
int pg_fail_nomem(struct pg_err *err);

/* Puts "context: " in front of the message. */
void pg_err_wrap(struct pg_err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold));

#define PG_DIAG_LIMIT 20

/*
 * Collects what is wrong with an input: errors and notes go to `report` as they are found. After PG_DIAG_LIMIT errors
 * nothing more is reported; pg_diag_full() tells a validator to stop.
 */
struct pg_diag {
	void (*report)(void *ctx, const struct pg_err *e, bool note); /* NULL = count only */
	void *ctx;
	unsigned errors, notes;
};

/* Return -1, so that `return pg_diag_error(...)` reads well. */
int pg_diag_error(struct pg_diag *d, const struct pg_loc *loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), cold));
int pg_diag_pass(struct pg_diag *d, const struct pg_err *e); /* hand on an error made elsewhere; returns -1 */
void pg_diag_note(struct pg_diag *d, const struct pg_loc *loc, const char *fmt, ...)
	__attribute__((format(printf, 3, 4), cold));
bool pg_diag_full(const struct pg_diag *d);

#endif
