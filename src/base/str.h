/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growing text buffer, and small helpers for text. Appending never fails visibly: on out of memory `failed` is set
 * and later calls do nothing, so a caller checks once at the end.
 */
#ifndef PG_BASE_STR_H
#define PG_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pg_str {
	char *s; /* NUL-terminated once anything was added; NULL before */
	size_t len, cap;
	bool failed;
};

void pg_str_init(struct pg_str *b);
void pg_str_release(struct pg_str *b);
void pg_str_reset(struct pg_str *b); /* empty, capacity kept */
void pg_str_add(struct pg_str *b, const char *s, size_t n);
void pg_str_adds(struct pg_str *b, const char *s);
void pg_str_addc(struct pg_str *b, char c);
void pg_str_addu(struct pg_str *b, uint64_t v);
void pg_str_addi(struct pg_str *b, int64_t v);
void pg_str_addf(struct pg_str *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *pg_str_text(const struct pg_str *b); /* never NULL; "" when empty */
char *pg_str_detach(struct pg_str *b); /* malloc'ed text for the caller, NULL when failed; b is empty afterwards */

bool pg_streq(const char *a, const char *b);
bool pg_startswith(const char *s, const char *prefix);

/* Length of the valid UTF-8 sequence at s (1..4), 0 when it is none. Surrogates and overlong forms are none. */
size_t pg_utf8_len(const char *s, size_t n);
/* Appends n bytes of foreign text with each invalid byte replaced by U+FFFD. */
void pg_utf8_clean(struct pg_str *out, const char *s, size_t n);
/* The largest n' <= n that does not cut a sequence. */
size_t pg_utf8_cut(const char *s, size_t n);

/* Damerau-Levenshtein distance without regard to case; texts over 64 bytes are far. */
unsigned pg_edit_distance(const char *a, const char *b);
/*
 * The nearest of `n` names to `name`, or NULL when none is near enough to be a slip (distance at most 1 + length / 3,
 * or one is a prefix of the other with at least 3 letters). names[i] NULL is passed over.
 */
const char *pg_nearest(const char *name, const char *const *names, size_t n);

/* A name by DESIGN 4: letters, digits, `_`, `-`, first a letter, digit or `_`, 1 to 64 bytes. */
bool pg_is_name(const char *s);
/* A param name: [a-z][a-z0-9_]*, at most 64 bytes. */
bool pg_is_param_name(const char *s);

/* FNV-1a, 64 bits (offset basis PG_FNV_INIT), and the finaliser of splitmix64 that spreads the result. */
#define PG_FNV_INIT UINT64_C(0xcbf29ce484222325)
uint64_t pg_fnv1a(uint64_t h, const void *p, size_t n);
static inline uint64_t pg_mix64(uint64_t x)
{
	x ^= x >> 30;
	x *= UINT64_C(0xbf58476d1ce4e5b9);
	x ^= x >> 27;
	x *= UINT64_C(0x94d049bb133111eb);
	x ^= x >> 31;
	return x;
}

/* The next number of splitmix64 (Steele, Lea, Flood 2014); any state will do. */
#define PG_GOLDEN64 UINT64_C(0x9e3779b97f4a7c15)
static inline uint64_t pg_splitmix64(uint64_t *state)
{
	return pg_mix64(*state += PG_GOLDEN64);
}

#endif
