/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON: documents are read through jansson; written text goes straight into a buffer.
 */
#ifndef PG_STORE_JSON_H
#define PG_STORE_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_t;
struct pg_err;
struct pg_str;

/* One document; NULL with PG_EINPUT (line and reason in the message). */
struct json_t *pg_json_parse(const char *s, size_t n, struct pg_err *err);
void pg_json_free(struct json_t *j);

/* Members of an object; NULL or false where absent or of another kind, also of a NULL object. Texts live as long as the
 * document. */
const struct json_t *pg_json_get(const struct json_t *o, const char *key);
const char *pg_json_text(const struct json_t *o, const char *key);
bool pg_json_int(const struct json_t *o, const char *key, int64_t *out);
bool pg_json_bool(const struct json_t *o, const char *key, bool *out);
bool pg_json_u64_text(const struct json_t *o, const char *key, int base, uint64_t *out); /* a number kept as text */
/* Name of the member after `key`, NULL = of the first; NULL = there is none. */
const char *pg_json_next(const struct json_t *o, const char *key);
/* Elements. */
bool pg_json_is_object(const struct json_t *j);
bool pg_json_is_array(const struct json_t *j);
bool pg_json_is_null(const struct json_t *j);
size_t pg_json_len(const struct json_t *array);
const struct json_t *pg_json_at(const struct json_t *array, size_t i);
const char *pg_json_as_text(const struct json_t *j); /* NULL = no text */
bool pg_json_as_int(const struct json_t *j, int64_t *out);

/*
 * Writing: members and elements in order, indented by 2. key NULL = an element. Out of memory shows in the buffer's
 * `failed`, which the caller checks once.
 */
struct pg_json_out {
	struct pg_str *out;
	unsigned depth;
	bool more; /* something stands before in this object or array */
};
void pg_json_open(struct pg_json_out *w, const char *key, char bracket); /* '{' or '[' */
void pg_json_close(struct pg_json_out *w, char bracket); /* '}' or ']'; the outermost one adds a newline */
void pg_json_put_text(struct pg_json_out *w, const char *key, const char *text); /* NULL = null */
void pg_json_put_int(struct pg_json_out *w, const char *key, int64_t v);
void pg_json_put_bool(struct pg_json_out *w, const char *key, bool v);
void pg_json_put_u64_text(struct pg_json_out *w, const char *key, int base,
			  uint64_t v); /* text: decimal, or 16 hex digits */

/* A JSON string of foreign text, quotes included: invalid bytes as U+FFFD, control characters escaped. */
void pg_json_quote(struct pg_str *out, const char *s, size_t n);

#endif
