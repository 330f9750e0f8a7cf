/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers to text as the CSV has them: at most 15 significant digits, correctly rounded, `.` in every locale. A table
 * of a million cells goes through here, so the common range does without printf.
 */
#include "base/num.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SIG	  15
#define SIG_LIMIT UINT64_C(1000000000000000) /* 10^SIG */

size_t pg_fmt_u64(char *buf, uint64_t v)
{
	char tmp[20];
	size_t n = 0;

	do {
		tmp[n++] = (char)('0' + v % 10);
		v /= 10;
	} while (v);
	for (size_t i = 0; i < n; i++)
		buf[i] = tmp[n - 1 - i];
	buf[n] = '\0';
	return n;
}

size_t pg_fmt_i64(char *buf, int64_t v)
{
	if (v >= 0)
		return pg_fmt_u64(buf, (uint64_t)v);
	buf[0] = '-';
	return 1 + pg_fmt_u64(buf + 1, -(uint64_t)v);
}

/* digits[0..n), the first of them standing for 10^x, without exponent. */
static size_t put_plain(char *buf, const char *digits, int n, int x)
{
	size_t len = 0;

	if (x < 0) {
		buf[len++] = '0';
		buf[len++] = '.';
		memset(buf + len, '0', (size_t)(-x - 1));
		len += (size_t)(-x - 1);
		memcpy(buf + len, digits, (size_t)n);
		len += (size_t)n;
	} else if (n > x + 1) {
		memcpy(buf, digits, (size_t)(x + 1));
		len = (size_t)(x + 1);
		buf[len++] = '.';
		memcpy(buf + len, digits + x + 1, (size_t)(n - x - 1));
		len += (size_t)(n - x - 1);
	} else {
		memcpy(buf, digits, (size_t)n);
		memset(buf + n, '0', (size_t)(x + 1 - n));
		len = (size_t)(x + 1);
	}
	buf[len] = '\0';
	return len;
}

/* The same with exponent, of at least two digits as printf has it. */
static size_t put_exp(char *buf, const char *digits, int n, int x)
{
	unsigned ax = (unsigned)(x < 0 ? -x : x);
	size_t len = 0;

	buf[len++] = digits[0];
	if (n > 1) {
		buf[len++] = '.';
		memcpy(buf + len, digits + 1, (size_t)(n - 1));
		len += (size_t)(n - 1);
	}
	buf[len++] = 'e';
	buf[len++] = x < 0 ? '-' : '+';
	if (ax < 10)
		buf[len++] = '0';
	return len + pg_fmt_u64(buf + len, ax);
}

/* v (not 0) to digits without trailing zeros; their number. */
static int to_digits(char *digits, uint64_t v)
{
	int n = (int)pg_fmt_u64(digits, v);

	while (n > 1 && digits[n - 1] == '0')
		n--;
	return n;
}

size_t pg_fmt_dec(char *buf, int64_t m, int e)
{
	uint64_t v = m < 0 ? -(uint64_t)m : (uint64_t)m;
	unsigned cut = 0;
	bool sticky = false;
	char digits[24];
	size_t sign = m < 0;
	int n, x;

	if (v == 0)
		return pg_fmt_u64(buf, 0);
	while (v >= SIG_LIMIT) {
		sticky = sticky || cut;
		cut = (unsigned)(v % 10);
		v /= 10;
		e++;
	}
	if (cut > 5 || (cut == 5 && (sticky || v % 2)))
		v++; /* 10^15 then: one digit and zeros, nothing to do */
	x = (int)pg_fmt_u64(digits, v) - 1 + e;
	n = to_digits(digits, v);
	if (sign)
		buf[0] = '-';
	if (x > 40 || x < -25) /* would not fit */
		return sign + put_exp(buf + sign, digits, n, x);
	return sign + put_plain(buf + sign, digits, n, x);
}

/*
 * The 15 leading digits of v > 0 and the power of ten x of the first one, correctly rounded (half to even). The product
 * with a power of ten up to 10^22 is exact in two doubles. false: outside of that range.
 */
static bool leading_digits(double v, uint64_t *out, int *x_out)
{
	static const double pow10[] = {1e0,  1e1,  1e2,	 1e3,  1e4,  1e5,  1e6,	 1e7,  1e8,  1e9,  1e10, 1e11,
				       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
	double hi, lo, whole, rest;
	int bin, x;

	frexp(v, &bin);
	x = (int)floor((bin - 1) * 0.30102999566398120); /* right, or one too low */
	for (;; x++) {
		int k = SIG - 1 - x;

		if (k < 0 || k > 22)
			return false;
		hi = v * pow10[k];
		lo = fma(v, pow10[k], -hi);
		if (hi < 1e15 || (!(hi > 1e15) && lo < 0))
			break;
	}
	whole = rint(hi);
	rest = hi - whole; /* exact; a step of hi is at most 1/8, and |lo| half a step: only a tie needs lo */
	if (!(rest < 0.5) && lo > 0)
		whole += 1;
	else if (!(rest > -0.5) && lo < 0)
		whole -= 1;
	*out = (uint64_t)whole;
	*x_out = x;
	if (*out == SIG_LIMIT) {
		*out /= 10;
		*x_out = x + 1;
	}
	return true;
}

/* Whatever else is finite and above 0, by printf. Its decimal point, whatever the locale makes of it, is no digit and
 * passed over. */
static uint64_t leading_digits_slow(double v, int *x)
{
	char buf[PG_NUM_BUF];
	const char *p = buf;
	uint64_t d = 0;

	snprintf(buf, sizeof(buf), "%.*e", SIG - 1, v);
	for (; *p && *p != 'e'; p++) {
		if (*p >= '0' && *p <= '9')
			d = d * 10 + (uint64_t)(*p - '0');
	}
	*x = *p ? (int)strtol(p + 1, NULL, 10) : 0;
	return d;
}

size_t pg_fmt_double(char *buf, double v)
{
	char digits[24];
	uint64_t d;
	size_t sign;
	int n, x;

	if (!isfinite(v)) {
		buf[0] = '\0';
		return 0;
	}
	if (fabs(v) < 1e15) {
		int64_t whole = (int64_t)v;

		if (!((double)whole < v) && !((double)whole > v))
			return pg_fmt_i64(buf, whole);
	}
	sign = v < 0;
	if (sign)
		v = -v;
	if (!leading_digits(v, &d, &x))
		d = leading_digits_slow(v, &x);
	n = to_digits(digits, d);
	if (sign)
		buf[0] = '-';
	if (x < -4 || x >= SIG)
		return sign + put_exp(buf + sign, digits, n, x);
	return sign + put_plain(buf + sign, digits, n, x);
}
