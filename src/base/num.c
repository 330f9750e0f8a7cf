/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strict parsing of whole numbers, decimals, sizes and times. A unit is a product of powers of 2, 3 and 5, so exactness
 * is a question of divisibility and never needs more than 64 bits.
 */
#include "base/num.h"

#include <string.h>

const char *pg_num_error_text(enum pg_num_error e)
{
	switch (e) {
	case PG_NUM_OK:
		return "no error";
	case PG_NUM_EMPTY:
		return "empty text";
	case PG_NUM_SYNTAX:
		return "not a number";
	case PG_NUM_LEADING_ZERO:
		return "leading zeros";
	case PG_NUM_HEX:
		return "hex, octal or binary notation";
	case PG_NUM_SIGN:
		return "a sign";
	case PG_NUM_UNDERSCORE:
		return "an underscore in a number";
	case PG_NUM_SEXAGESIMAL:
		return "a colon in a number";
	case PG_NUM_FRACTION:
		return "a fraction where a whole number is due";
	case PG_NUM_EXPONENT:
		return "an exponent";
	case PG_NUM_UNIT:
		return "unit missing or unknown";
	case PG_NUM_INEXACT:
		return "no whole number of the smallest unit";
	case PG_NUM_OVERFLOW:
		return "number too large";
	}
	return "not a number";
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Says why text that starts as a number goes wrong at s[i]. */
static enum pg_num_error classify(const char *s, size_t n, size_t i)
{
	char c = s[i];

	if (i == 1 && s[0] == '0' && strchr("xXoObB", c) && c && n > 2)
		return PG_NUM_HEX;
	if (i == 0)
		return c == '+' || c == '-'		     ? PG_NUM_SIGN
		       : c == '.' && n > 1 && is_digit(s[1]) ? PG_NUM_FRACTION
							     : PG_NUM_SYNTAX;
	if (c == '_')
		return PG_NUM_UNDERSCORE;
	if (c == ':')
		return PG_NUM_SEXAGESIMAL;
	if (c == '.')
		return PG_NUM_FRACTION;
	if ((c == 'e' || c == 'E') && i + 1 < n && (is_digit(s[i + 1]) || s[i + 1] == '-' || s[i + 1] == '+'))
		return PG_NUM_EXPONENT;
	return PG_NUM_SYNTAX;
}

enum pg_num_error pg_parse_u64(const char *s, size_t n, uint64_t *out)
{
	uint64_t v = 0;
	bool over = false;

	if (n == 0)
		return PG_NUM_EMPTY;
	for (size_t i = 0; i < n; i++) {
		if (!is_digit(s[i]))
			return classify(s, n, i);
		over = over || __builtin_mul_overflow(v, 10, &v) ||
		       __builtin_add_overflow(v, (uint64_t)(s[i] - '0'), &v);
	}
	if (n > 1 && s[0] == '0')
		return PG_NUM_LEADING_ZERO;
	if (over)
		return PG_NUM_OVERFLOW;
	*out = v;
	return PG_NUM_OK;
}

bool pg_mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
	return !__builtin_mul_overflow(a, b, out);
}

struct unit {
	const char *name;
	int twos, threes, fives; /* base units in one = 2^twos * 3^threes * 5^fives */
};

static const struct unit time_units[] = {
	{"ns", 0, 0, 0}, {"us", 3, 0, 3}, {"ms", 6, 0, 6}, {"s", 9, 0, 9}, {"min", 11, 1, 10}, {"h", 13, 2, 11},
};

/* v times base^power, exact; INEXACT when a negative power does not divide v. */
static enum pg_num_error scale(uint64_t *v, unsigned base, int power)
{
	for (; power < 0 && *v; power++) {
		if (*v % base)
			return PG_NUM_INEXACT;
		*v /= base;
	}
	for (; power > 0 && *v; power--) {
		if (__builtin_mul_overflow(*v, (uint64_t)base, v))
			return PG_NUM_OVERFLOW;
	}
	return PG_NUM_OK;
}

/* What is divided goes first, so that only a result that does not fit overflows. */
static enum pg_num_error scale_unit(uint64_t m, int e, const struct unit *u, uint64_t *out)
{
	int twos = u->twos + e, fives = u->fives + e;
	enum pg_num_error r;

	r = scale(&m, 2, twos < 0 ? twos : 0);
	if (!r)
		r = scale(&m, 5, fives < 0 ? fives : 0);
	if (!r)
		r = scale(&m, 2, twos > 0 ? twos : 0);
	if (!r)
		r = scale(&m, 5, fives > 0 ? fives : 0);
	if (!r)
		r = scale(&m, 3, u->threes);
	if (!r)
		*out = m;
	return r;
}

/* Bytes at the start of s that can be a number. */
static size_t number_span(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && (is_digit(s[i]) || s[i] == '.'))
		i++;
	return i;
}

/* The number in front of a unit: a whole one of up to 64 bits, or a decimal. */
static enum pg_num_error parse_number(const char *s, size_t len, uint64_t *m, int *e)
{
	struct pg_dec d;
	enum pg_num_error r;

	*e = 0;
	if (!memchr(s, '.', len))
		return pg_parse_u64(s, len, m);
	r = pg_dec_parse(s, len, false, &d);
	if (r)
		return r;
	*m = (uint64_t)d.m;
	*e = d.e;
	return PG_NUM_OK;
}

/* A text with a number and then no known unit: where the number itself is odd, say that. */
static enum pg_num_error odd_unit(const char *s, size_t n, size_t len)
{
	enum pg_num_error r;

	if (len == n)
		return PG_NUM_UNIT;
	r = classify(s, n, len);
	if (r == PG_NUM_HEX && !is_digit(s[2]))
		return PG_NUM_UNIT;
	return r == PG_NUM_SYNTAX && len > 0 ? PG_NUM_UNIT : r;
}

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* B, or K M G T with optional `B` or `iB`, in any case: the power of 1024, -1 = none. */
static int size_unit(const char *s, size_t n)
{
	const char letters[] = "kmgt";
	const char *p;
	char rest0, rest1;

	if (n == 0 || n > 3)
		return -1;
	if (n == 1 && lower(s[0]) == 'b')
		return 0;
	p = memchr(letters, lower(s[0]), 4);
	if (!p)
		return -1;
	rest0 = n > 1 ? lower(s[1]) : '\0';
	rest1 = n > 2 ? lower(s[2]) : '\0';
	if (n == 1 || (n == 2 && rest0 == 'b') || (n == 3 && rest0 == 'i' && rest1 == 'b'))
		return 1 + (int)(p - letters);
	return -1;
}

enum pg_num_error pg_size_parse(const char *s, size_t n, bool bare_ok, uint64_t *bytes)
{
	size_t len = number_span(s, n);
	struct unit u = {"B", 0, 0, 0};
	enum pg_num_error r;
	int power, e;
	uint64_t m;

	if (n == 0)
		return PG_NUM_EMPTY;
	power = len == n && bare_ok ? 0 : size_unit(s + len, n - len);
	if (power < 0 || len == 0)
		return odd_unit(s, n, len);
	r = parse_number(s, len, &m, &e);
	if (r)
		return r;
	u.twos = 10 * power;
	return scale_unit(m, e, &u, bytes);
}

enum pg_num_error pg_time_parse(const char *s, size_t n, int64_t *ns)
{
	size_t len = number_span(s, n);
	const struct unit *u = NULL;
	enum pg_num_error r;
	uint64_t m, v;
	int e;

	if (n == 0)
		return PG_NUM_EMPTY;
	for (size_t i = 0; i < sizeof(time_units) / sizeof(time_units[0]); i++) {
		if (strlen(time_units[i].name) == n - len && !memcmp(time_units[i].name, s + len, n - len))
			u = &time_units[i];
	}
	if (!u || len == 0)
		return odd_unit(s, n, len);
	r = parse_number(s, len, &m, &e);
	if (!r)
		r = scale_unit(m, e, u, &v);
	if (r)
		return r;
	if (v > INT64_MAX)
		return PG_NUM_OVERFLOW;
	*ns = (int64_t)v;
	return PG_NUM_OK;
}

size_t pg_size_format(char *buf, uint64_t bytes)
{
	static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
	size_t i = 0, len;

	while (bytes && i < 4 && bytes % 1024 == 0) {
		bytes /= 1024;
		i++;
	}
	len = pg_fmt_u64(buf, bytes);
	strcpy(buf + len, units[i]);
	return len + strlen(units[i]);
}

size_t pg_time_format(char *buf, int64_t ns)
{
	static const struct {
		int64_t ns;
		const char *name;
	} units[] = {
		{INT64_C(3600000000000), "h"},
		{INT64_C(60000000000), "min"},
		{1000000000, "s"},
		{1000000, "ms"},
		{1000, "us"},
		{1, "ns"},
	};
	size_t i = ns ? 0 : 2, len; /* nothing is 0s */

	while (ns % units[i].ns)
		i++;
	len = pg_fmt_i64(buf, ns / units[i].ns);
	strcpy(buf + len, units[i].name);
	return len + strlen(units[i].name);
}
