/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers as text, exactly: strict parsing (decimal digits, no leading zeros, no sign, no hex, no underscore), decimals
 * without binary rounding, sizes (powers of 1024), times, and the C-locale formats of the CSV. Nothing here depends on
 * the locale.
 */
#ifndef PG_BASE_NUM_H
#define PG_BASE_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pg_num_error {
	PG_NUM_OK = 0,
	PG_NUM_EMPTY,
	PG_NUM_SYNTAX,	     /* something that is no digit, or trailing text */
	PG_NUM_LEADING_ZERO, /* 010 */
	PG_NUM_HEX,	     /* 0x10, 0o17, 0b1 */
	PG_NUM_SIGN,	     /* -1, +1 */
	PG_NUM_UNDERSCORE,   /* 1_000 */
	PG_NUM_SEXAGESIMAL,  /* 12:30 */
	PG_NUM_FRACTION,     /* 1.5 where a whole number is due */
	PG_NUM_EXPONENT,     /* 1e3 */
	PG_NUM_UNIT,	     /* unit missing where required, or unknown */
	PG_NUM_INEXACT,	     /* 1.5B, 0.3ns: no whole number of base units */
	PG_NUM_OVERFLOW,
};
/* Short text for messages: "leading zeros", "hex", ...; never NULL. */
const char *pg_num_error_text(enum pg_num_error e);

/* Whole numbers; all of s[0..n) must be used. */
enum pg_num_error pg_parse_u64(const char *s, size_t n, uint64_t *out);

/* A decimal m * 10^e, exact. Canonical: m has no trailing zeros unless e == 0 and m == 0 gives e 0. */
struct pg_dec {
	int64_t m;
	int e;
};
/* `12`, `-1.25`, `0.5`; at most 18 significant digits, no exponent, no leading zeros, `.5` and `5.` refused; sign only
 * if sign_ok. */
enum pg_num_error pg_dec_parse(const char *s, size_t n, bool sign_ok, struct pg_dec *out);
/* For numbers that programs print: also exponent (1e-3, 1.5E+6), leading zeros, leading +, `.5`; digits beyond 18 are
 * rounded. No nan, inf, hex. */
enum pg_num_error pg_dec_parse_lax(const char *s, size_t n, struct pg_dec *out);
struct pg_dec pg_dec_int(int64_t v);
struct pg_dec pg_dec_norm(struct pg_dec d);
int pg_dec_cmp(struct pg_dec a, struct pg_dec b);
bool pg_dec_add(struct pg_dec a, struct pg_dec b, struct pg_dec *out); /* false: does not fit */
bool pg_dec_mul(struct pg_dec a, struct pg_dec b, struct pg_dec *out);
bool pg_dec_to_i64(struct pg_dec d, int64_t *out); /* false: no whole number or does not fit */
double pg_dec_to_double(struct pg_dec d);

/* Buffers for the formatters below; all NUL-terminate and return the length. */
#define PG_NUM_BUF 48
size_t pg_fmt_u64(char *buf, uint64_t v);
size_t pg_fmt_i64(char *buf, int64_t v);
/* Plain decimal notation of m * 10^e, trailing zeros after the point dropped; rounded half to even to 15 significant
 * digits. */
size_t pg_fmt_dec(char *buf, int64_t m, int e);
/* As %.15g with `.`; NaN and infinities give the empty text (a missing value), -0 gives 0. */
size_t pg_fmt_double(char *buf, double v);

/*
 * Sizes: decimal number and B, K/KB/KiB ... T/TB/TiB in any case, powers of 1024; unit required unless bare_ok (then
 * bytes). `1.5KB` is taken when it is a whole number of bytes.
 */
enum pg_num_error pg_size_parse(const char *s, size_t n, bool bare_ok, uint64_t *bytes);
/* Largest unit that keeps it whole: 4096 -> "4KB", 100 -> "100B", 0 -> "0B". */
size_t pg_size_format(char *buf, uint64_t bytes);

/* Times: decimal number and ns us ms s min h, unit required. */
enum pg_num_error pg_time_parse(const char *s, size_t n, int64_t *ns);
/* Largest unit that keeps it whole: 50000000 -> "50ms", 90000000000 -> "90s", 0 -> "0s", 7200s -> "2h". */
size_t pg_time_format(char *buf, int64_t ns);

/* a * b, false on overflow. */
bool pg_mul_u64(uint64_t a, uint64_t b, uint64_t *out);

#endif
