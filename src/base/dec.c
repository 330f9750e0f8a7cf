/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exact decimals: m * 10^e with a 64-bit m.
 */
#include "base/num.h"

#include <stdio.h>
#include <stdlib.h>

#define MAX_DIGITS 18
/* Exponents beyond are refused: far outside of every unit, and sums of a few of them stay small. */
#define MAX_EXP 300

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits as they come: up to MAX_DIGITS kept, what follows only rounds. */
struct digits {
	uint64_t m;
	int n;		    /* digits in m, leading zeros not counted */
	int64_t e;	    /* m * 10^e */
	int64_t zeros;	    /* zeros not yet known to be inner ones */
	int64_t zeros_frac; /* how many of them stand behind the point */
	bool more;	    /* significant digits were cut off */
	int first_cut;	    /* the first of them */
	bool sticky;	    /* a digit other than 0 stands behind that one */
};

static void flush_zeros(struct digits *d)
{
	while (d->zeros > 0 && d->n < MAX_DIGITS) {
		d->m *= 10;
		d->n++;
		d->zeros--;
		if (d->zeros_frac > d->zeros) {
			d->zeros_frac--;
			d->e--;
		}
	}
}

static void push(struct digits *d, int digit, bool frac)
{
	if (d->n == 0 && digit == 0) { /* leading zero */
		d->e -= frac;
		return;
	}
	if (digit == 0 && !d->more) {
		d->zeros++;
		d->zeros_frac += frac;
		return;
	}
	if (!d->more) {
		flush_zeros(d);
		if (d->zeros == 0 && d->n < MAX_DIGITS) {
			d->m = d->m * 10 + (uint64_t)digit;
			d->n++;
			d->e -= frac;
			return;
		}
		d->more = true;
		d->first_cut = d->zeros ? 0 : digit;
		d->sticky = d->zeros > 0;
		d->e += d->zeros - d->zeros_frac;
		d->zeros = 0;
		d->zeros_frac = 0;
	} else if (digit) {
		d->sticky = true;
	}
	d->e += !frac;
}

/* Trailing zeros of a whole number only move the exponent. */
static void finish(struct digits *d)
{
	d->e += d->zeros - d->zeros_frac;
	if (d->more && (d->first_cut > 5 || (d->first_cut == 5 && (d->sticky || d->m % 2))))
		d->m++;
}

struct pg_dec pg_dec_norm(struct pg_dec d)
{
	if (d.m == 0) {
		d.e = 0;
		return d;
	}
	while (d.e < 0 && d.m % 10 == 0) {
		d.m /= 10;
		d.e++;
	}
	if (d.e > 0) {
		struct pg_dec whole = d;

		while (whole.e > 0 && !__builtin_mul_overflow(whole.m, 10, &whole.m))
			whole.e--;
		if (whole.e == 0)
			return whole;
		while (d.m % 10 == 0) {
			d.m /= 10;
			d.e++;
		}
	}
	return d;
}

static enum pg_num_error make(const struct digits *d, bool negative, struct pg_dec *out)
{
	struct pg_dec r = {(int64_t)d->m, 0};

	if (d->m) {
		if (d->e > MAX_EXP || d->e < -MAX_EXP)
			return PG_NUM_OVERFLOW;
		r.e = (int)d->e;
	}
	if (negative)
		r.m = -r.m;
	*out = pg_dec_norm(r);
	return PG_NUM_OK;
}

/* Why the strict form ends at s[i]. */
static enum pg_num_error odd(const char *s, size_t n, size_t i, size_t start)
{
	char c = s[i];

	if (i == start)
		return c == '+' || c == '-' ? PG_NUM_SIGN : PG_NUM_SYNTAX;
	if (i == start + 1 && s[start] == '0' && (c == 'x' || c == 'X' || c == 'o' || c == 'O' || c == 'b' || c == 'B'))
		return PG_NUM_HEX;
	if (c == '_')
		return PG_NUM_UNDERSCORE;
	if (c == ':')
		return PG_NUM_SEXAGESIMAL;
	if ((c == 'e' || c == 'E') && i + 1 < n)
		return PG_NUM_EXPONENT;
	return PG_NUM_SYNTAX;
}

enum pg_num_error pg_dec_parse(const char *s, size_t n, bool sign_ok, struct pg_dec *out)
{
	struct digits d = {0};
	bool negative = false, frac = false;
	size_t i = 0, start;

	if (n == 0)
		return PG_NUM_EMPTY;
	if (sign_ok && s[0] == '-') {
		negative = true;
		i++;
	}
	start = i;
	for (; i < n; i++) {
		if (is_digit(s[i])) {
			push(&d, s[i] - '0', frac);
		} else if (s[i] == '.' && !frac && i > start && i + 1 < n && is_digit(s[i + 1])) {
			frac = true;
		} else {
			return odd(s, n, i, start);
		}
	}
	if (i == start)
		return PG_NUM_SYNTAX;
	if (n - start > 1 && s[start] == '0' && is_digit(s[start + 1]))
		return PG_NUM_LEADING_ZERO;
	finish(&d);
	if (d.more)
		return PG_NUM_OVERFLOW;
	return make(&d, negative, out);
}

/* The exponent at s[i..n): -1 = none there. Clamped, so that any number of digits is taken. */
static int parse_exponent(const char *s, size_t n, int64_t *exp)
{
	bool negative = false;
	int64_t v = 0;
	size_t i = 0;

	if (i < n && (s[i] == '+' || s[i] == '-'))
		negative = s[i++] == '-';
	if (i == n)
		return -1;
	for (; i < n; i++) {
		if (!is_digit(s[i]))
			return -1;
		if (v < INT32_MAX)
			v = v * 10 + (s[i] - '0');
	}
	*exp = negative ? -v : v;
	return 0;
}

enum pg_num_error pg_dec_parse_lax(const char *s, size_t n, struct pg_dec *out)
{
	struct digits d = {0};
	bool negative = false, frac = false, any = false;
	int64_t exp = 0;
	size_t i = 0;

	if (n == 0)
		return PG_NUM_EMPTY;
	if (s[0] == '-' || s[0] == '+')
		negative = s[i++] == '-';
	for (; i < n; i++) {
		if (is_digit(s[i])) {
			push(&d, s[i] - '0', frac);
			any = true;
		} else if (s[i] == '.' && !frac) {
			frac = true;
		} else {
			break;
		}
	}
	if (!any)
		return PG_NUM_SYNTAX;
	if (i < n) {
		if ((s[i] != 'e' && s[i] != 'E') || parse_exponent(s + i + 1, n - i - 1, &exp) < 0)
			return PG_NUM_SYNTAX;
	}
	finish(&d);
	d.e += exp;
	return make(&d, negative, out);
}

struct pg_dec pg_dec_int(int64_t v)
{
	struct pg_dec d = {v, 0};

	return d;
}

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

static int digits_of(uint64_t v)
{
	int n = 1;

	for (; v >= 10; v /= 10)
		n++;
	return n;
}

static int sign_of(int64_t v)
{
	return (v > 0) - (v < 0);
}

int pg_dec_cmp(struct pg_dec a, struct pg_dec b)
{
	int sign = sign_of(a.m), na, nb;
	uint64_t ma = magnitude(a.m), mb = magnitude(b.m);

	if (sign != sign_of(b.m))
		return sign < sign_of(b.m) ? -1 : 1;
	if (sign == 0)
		return 0;
	na = digits_of(ma);
	nb = digits_of(mb);
	if (na + a.e != nb + b.e)
		return na + a.e < nb + b.e ? -sign : sign;
	/* The leading digits stand at the same place: at most 19 digits after both are brought to one length. */
	for (; na < nb; na++)
		ma *= 10;
	for (; nb < na; nb++)
		mb *= 10;
	return ma == mb ? 0 : ma < mb ? -sign : sign;
}

/* Without trailing zeros, so that there is room to bring it to a lower exponent. */
static struct pg_dec strip(struct pg_dec d)
{
	while (d.m && d.m % 10 == 0) {
		d.m /= 10;
		d.e++;
	}
	return d;
}

bool pg_dec_add(struct pg_dec a, struct pg_dec b, struct pg_dec *out)
{
	struct pg_dec r;

	a = strip(a);
	b = strip(b);
	if (a.m == 0 || b.m == 0) {
		*out = pg_dec_norm(a.m ? a : b);
		return true;
	}
	if (a.e < b.e) {
		r = a;
		a = b;
		b = r;
	}
	for (; a.e > b.e; a.e--) {
		if (__builtin_mul_overflow(a.m, 10, &a.m))
			return false;
	}
	if (__builtin_add_overflow(a.m, b.m, &r.m))
		return false;
	r.e = a.e;
	*out = pg_dec_norm(r);
	return true;
}

/* Moves tens that are split over the two factors (a 2 here, a 5 there) into the exponent. */
static void cancel(struct pg_dec *a, struct pg_dec *b)
{
	while (a->m % 2 == 0 && b->m % 5 == 0) {
		a->m /= 2;
		b->m /= 5;
		a->e++;
	}
}

bool pg_dec_mul(struct pg_dec a, struct pg_dec b, struct pg_dec *out)
{
	struct pg_dec r = {0, 0};

	if (a.m && b.m) {
		a = strip(a);
		b = strip(b);
		cancel(&a, &b);
		cancel(&b, &a);
		if (__builtin_mul_overflow(a.m, b.m, &r.m))
			return false;
		r.e = a.e + b.e;
		if (r.e > 2 * MAX_EXP || r.e < -2 * MAX_EXP)
			return false;
	}
	*out = pg_dec_norm(r);
	return true;
}

bool pg_dec_to_i64(struct pg_dec d, int64_t *out)
{
	d = pg_dec_norm(d);
	if (d.e != 0)
		return false;
	*out = d.m;
	return true;
}

double pg_dec_to_double(struct pg_dec d)
{
	static const double pow10[] = {1e0,  1e1,  1e2,	 1e3,  1e4,  1e5,  1e6,	 1e7,  1e8,  1e9,  1e10, 1e11,
				       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	char buf[64];

	/* Both operands are exact, so the one operation rounds once. */
	if (magnitude(d.m) <= UINT64_C(1) << 53 && d.e >= -22 && d.e <= 22)
		return d.e < 0 ? (double)d.m / pow10[-d.e] : (double)d.m * pow10[d.e];
	snprintf(buf, sizeof(buf), "%llde%d", (long long)d.m, d.e); /* no decimal point: no locale */
	return strtod(buf, NULL);
}
