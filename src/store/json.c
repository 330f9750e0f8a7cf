/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only file that knows jansson.
 */
#include "store/json.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

struct json_t *pg_json_parse(const char *s, size_t n, struct pg_err *err)
{
	json_error_t e;
	json_t *j = json_loadb(s, n, JSON_REJECT_DUPLICATES, &e);

	if (!j)
		pg_fail(err, PG_EINPUT, "not JSON at line %d, column %d: %s", e.line, e.column, e.text);
	return j;
}

void pg_json_free(struct json_t *j)
{
	json_decref(j);
}

const struct json_t *pg_json_get(const struct json_t *o, const char *key)
{
	return json_object_get(o, key);
}

const char *pg_json_text(const struct json_t *o, const char *key)
{
	return json_string_value(json_object_get(o, key));
}

bool pg_json_int(const struct json_t *o, const char *key, int64_t *out)
{
	return pg_json_as_int(json_object_get(o, key), out);
}

bool pg_json_bool(const struct json_t *o, const char *key, bool *out)
{
	const json_t *j = json_object_get(o, key);

	if (!j || !json_is_boolean(j))
		return false;
	*out = json_is_true(j);
	return true;
}

bool pg_json_u64_text(const struct json_t *o, const char *key, int base, uint64_t *out)
{
	const char *s = pg_json_text(o, key);
	char *end;

	if (!s || !*s || strspn(s, base == 16 ? "0123456789abcdef" : "0123456789") != strlen(s) || strlen(s) > 20)
		return false;
	*out = strtoull(s, &end, base);
	return *end == '\0';
}

const char *pg_json_next(const struct json_t *o, const char *key)
{
	json_t *object = (json_t *)(uintptr_t)o; /* an iterator could change it: none does here */
	void *at = key ? json_object_iter_next(object, json_object_iter_at(object, key)) : json_object_iter(object);

	return at ? json_object_iter_key(at) : NULL;
}

bool pg_json_is_object(const struct json_t *j)
{
	return json_is_object(j);
}

bool pg_json_is_array(const struct json_t *j)
{
	return json_is_array(j);
}

bool pg_json_is_null(const struct json_t *j)
{
	return j && json_is_null(j);
}

size_t pg_json_len(const struct json_t *array)
{
	return json_array_size(array);
}

const struct json_t *pg_json_at(const struct json_t *array, size_t i)
{
	return json_array_get(array, i);
}

const char *pg_json_as_text(const struct json_t *j)
{
	return json_string_value(j);
}

bool pg_json_as_int(const struct json_t *j, int64_t *out)
{
	if (!j || !json_is_integer(j))
		return false;
	*out = json_integer_value(j);
	return true;
}

/* What stands before a member or element: comma, line, key. */
static void lead(struct pg_json_out *w, const char *key)
{
	if (w->more)
		pg_str_addc(w->out, ',');
	if (w->depth)
		pg_str_addc(w->out, '\n');
	for (unsigned i = 0; i < w->depth; i++)
		pg_str_adds(w->out, "  ");
	if (key) {
		pg_json_quote(w->out, key, strlen(key));
		pg_str_adds(w->out, ": ");
	}
	w->more = true;
}

void pg_json_open(struct pg_json_out *w, const char *key, char bracket)
{
	lead(w, key);
	pg_str_addc(w->out, bracket);
	w->depth++;
	w->more = false;
}

void pg_json_close(struct pg_json_out *w, char bracket)
{
	w->depth--;
	if (w->more) {
		pg_str_addc(w->out, '\n');
		for (unsigned i = 0; i < w->depth; i++)
			pg_str_adds(w->out, "  ");
	}
	pg_str_addc(w->out, bracket);
	w->more = true;
	if (w->depth == 0)
		pg_str_addc(w->out, '\n');
}

void pg_json_put_text(struct pg_json_out *w, const char *key, const char *text)
{
	lead(w, key);
	if (text)
		pg_json_quote(w->out, text, strlen(text));
	else
		pg_str_adds(w->out, "null");
}

void pg_json_put_int(struct pg_json_out *w, const char *key, int64_t v)
{
	lead(w, key);
	pg_str_addi(w->out, v);
}

void pg_json_put_bool(struct pg_json_out *w, const char *key, bool v)
{
	lead(w, key);
	pg_str_adds(w->out, v ? "true" : "false");
}

void pg_json_put_u64_text(struct pg_json_out *w, const char *key, int base, uint64_t v)
{
	char buf[24];

	if (base == 16)
		snprintf(buf, sizeof(buf), "%016" PRIx64, v);
	else
		snprintf(buf, sizeof(buf), "%" PRIu64, v);
	pg_json_put_text(w, key, buf);
}

void pg_json_quote(struct pg_str *out, const char *s, size_t n)
{
	static const char hex[] = "0123456789abcdef";

	pg_str_addc(out, '"');
	for (size_t i = 0; i < n;) {
		size_t k = pg_utf8_len(s + i, n - i);
		unsigned char c = (unsigned char)s[i];

		if (k == 0) {
			pg_str_adds(out, "\xef\xbf\xbd");
			i++;
			continue;
		}
		if (c == '"' || c == '\\') {
			char esc[2] = {'\\', (char)c};

			pg_str_add(out, esc, 2);
		} else if (c < 0x20 || c == 0x7f) {
			char esc[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};

			pg_str_add(out, esc, 6);
		} else {
			pg_str_add(out, s + i, k);
		}
		i += k;
	}
	pg_str_addc(out, '"');
}
