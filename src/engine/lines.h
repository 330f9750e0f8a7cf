/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What programs print, line by line, and the numbers that declared metrics take from it.
 */
#ifndef PG_ENGINE_LINES_H
#define PG_ENGINE_LINES_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/num.h"
#include "model/cell.h"
#include "model/result.h"

struct pg_err;
struct pg_str;

/* Longer lines are cut for matching: some patterns take time by the square of the length, and nothing can end that. */
#define PG_LINE_MAX ((size_t)1 << 14)

/* Cuts a stream into lines; `line` gets each as text of n bytes ended by NUL, without its own end (LF or CRLF), a NUL
 * inside as a blank. */
struct pg_lines {
	char *buf;
	size_t len, cap;
	void (*line)(void *ctx, const char *s, size_t n);
	void *ctx;
};
void pg_lines_init(struct pg_lines *l, void (*line)(void *ctx, const char *s, size_t n), void *ctx);
void pg_lines_release(struct pg_lines *l);
void pg_lines_reset(struct pg_lines *l);
void pg_lines_add(struct pg_lines *l, const char *s, size_t n);
void pg_lines_end(struct pg_lines *l); /* the last line had no end */

/* The captures of one program: patterns compiled once, numbers gathered anew for each rep. */
struct pg_capture_value {
	struct pg_dec value; /* as printed: first, last or sum */
	uint64_t n;	     /* matches */
	bool bad;	     /* a match was no number, or the sum does not fit */
	char text[64];	     /* the bad one, clean */
};
struct pg_captures {
	const struct pg_program *program; /* NULL = none */
	regex_t *re;			  /* one per capture */
	struct pg_capture_value *value;
	size_t n;
};
void pg_captures_init(struct pg_captures *c);
void pg_captures_release(struct pg_captures *c);
/* Makes them those of a program; nothing to do when they already are. -1: a pattern is wrong, or out of memory. */
int pg_captures_use(struct pg_captures *c, const struct pg_program *program, struct pg_err *err);
void pg_captures_reset(struct pg_captures *c);
bool pg_captures_want(const struct pg_captures *c, bool from_stderr);
void pg_captures_line(struct pg_captures *c, bool from_stderr, const char *s);
/*
 * The sample of capture i, in the base unit. Returns PG_ST_OK, or PG_ST_FAILED (required and not there) or
 * PG_ST_INVALID (no number) with the reason appended to *why.
 */
enum pg_status pg_captures_sample(const struct pg_captures *c, size_t i, struct pg_sample *s, struct pg_str *why);

#endif
