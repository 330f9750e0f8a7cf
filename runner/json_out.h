/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A writer of JSON text for people and diffs: two blanks of indent, keys in the order in which they are written. */
#ifndef PG_RUNNER_JSON_OUT_H
#define PG_RUNNER_JSON_OUT_H

#include <stdbool.h>
#include <stdint.h>

struct pg_str;

#define PG_JOUT_DEPTH 32

/* key NULL: an item of the array that is open. */
struct pg_jout {
	struct pg_str *out;
	unsigned depth;
	bool filled[PG_JOUT_DEPTH]; /* something stands in the open object or array */
	char closing[PG_JOUT_DEPTH];
};
void pg_jout_init(struct pg_jout *j, struct pg_str *out);
void pg_jout_object(struct pg_jout *j, const char *key);
void pg_jout_array(struct pg_jout *j, const char *key);
void pg_jout_close(struct pg_jout *j); /* the innermost object or array */
void pg_jout_text(struct pg_jout *j, const char *key, const char *text);
void pg_jout_int(struct pg_jout *j, const char *key, int64_t v);
void pg_jout_number(struct pg_jout *j, const char *key, double v); /* finite; 15 digits */
void pg_jout_bool(struct pg_jout *j, const char *key, bool v);
/* An array of texts on one line, ended by NULL. */
void pg_jout_texts(struct pg_jout *j, const char *key, const char *const *texts);

#endif
