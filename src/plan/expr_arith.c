/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arithmetic on exact decimals. Division of whole numbers cuts toward zero and tells what it lost; with a fraction on
 * either side the quotient is rounded to 18 digits. A whole number that does not fit 64 bits is an overflow, never a
 * rounded number.
 */
#include "plan/expr_parts.h"

static const char too_large[] =
	"the result is out of range; whole numbers go to 9223372036854775807, decimals have 18 digits";
static const char by_zero[] =
	"division by zero; test the divisor first, as in `x != 0 and ...`, or keep 0 out of the axis";

static uint64_t magnitude(int64_t v)
{
	return v < 0 ? -(uint64_t)v : (uint64_t)v;
}

/* The next decimal digit of r / b, r < b <= 2^63: r becomes the remainder. Ten sums instead of a product that could
 * overflow. */
static unsigned next_digit(uint64_t *r, uint64_t b)
{
	uint64_t sum = 0;
	unsigned digit = 0;

	for (int i = 0; i < 10; i++) {
		sum += *r;
		if (sum >= b) {
			sum -= b;
			digit++;
		}
	}
	*r = sum;
	return digit;
}

static const char *div_decimal(struct pg_dec a, struct pg_dec b, struct pg_dec *out)
{
	uint64_t den = magnitude(b.m), q = magnitude(a.m) / den, r = magnitude(a.m) % den;
	struct pg_dec d = {0, a.e - b.e};

	while (r && q < UINT64_C(100000000000000000)) {
		q = q * 10 + next_digit(&r, den);
		d.e--;
	}
	if (r && r >= den - r)
		q++;
	if (q > INT64_MAX)
		return too_large;
	d.m = (a.m < 0) != (b.m < 0) ? -(int64_t)q : (int64_t)q;
	*out = pg_dec_norm(d);
	return NULL;
}

static const char *div_whole(int64_t a, int64_t b, struct pg_dec *out, double *cut)
{
	double lost;

	if (a == INT64_MIN && b == -1)
		return too_large;
	*out = pg_dec_int(a / b);
	if (cut && a % b) {
		lost = (double)magnitude(a % b) / (double)magnitude(a);
		if (lost > *cut)
			*cut = lost;
	}
	return NULL;
}

static const char *divide(struct pg_dec a, struct pg_dec b, struct pg_dec *out, double *cut)
{
	if (b.m == 0)
		return by_zero;
	if (a.e == 0 && b.e == 0)
		return div_whole(a.m, b.m, out, cut);
	return div_decimal(a, b, out);
}

/* Brings d to exponent e. */
static bool lower_exp(struct pg_dec *d, int e)
{
	for (; d->e > e && d->m; d->e--)
		if (__builtin_mul_overflow(d->m, 10, &d->m))
			return false;
	d->e = e;
	return true;
}

/* The sign is that of the dividend, as with `/` that cuts toward zero. */
static const char *remainder_of(struct pg_dec a, struct pg_dec b, struct pg_dec *out)
{
	struct pg_dec d = {0, a.e < b.e ? a.e : b.e};

	if (b.m == 0)
		return by_zero;
	if (!lower_exp(&a, d.e) || !lower_exp(&b, d.e))
		return too_large;
	d.m = b.m == -1 ? 0 : a.m % b.m;
	*out = pg_dec_norm(d);
	return NULL;
}

static const char *subtract(struct pg_dec a, struct pg_dec b, struct pg_dec *out)
{
	if (b.m == INT64_MIN)
		return too_large;
	b.m = -b.m;
	return pg_dec_add(a, b, out) ? NULL : too_large;
}

const char *pg_arith(enum pg_op op, struct pg_dec a, struct pg_dec b, struct pg_dec *out, double *cut)
{
	const char *why = NULL;

	switch (op) {
	case PG_OP_ADD:
		why = pg_dec_add(a, b, out) ? NULL : too_large;
		break;
	case PG_OP_SUB:
		why = subtract(a, b, out);
		break;
	case PG_OP_MUL:
		why = pg_dec_mul(a, b, out) ? NULL : too_large;
		break;
	case PG_OP_DIV:
		why = divide(a, b, out, cut);
		break;
	case PG_OP_MOD:
		why = remainder_of(a, b, out);
		break;
	case PG_OP_MIN:
		*out = pg_dec_cmp(a, b) <= 0 ? a : b;
		break;
	case PG_OP_MAX:
		*out = pg_dec_cmp(a, b) >= 0 ? a : b;
		break;
	case PG_OP_CONST:
	case PG_OP_SLOT:
	case PG_OP_NOT:
	case PG_OP_NEG:
	case PG_OP_AND:
	case PG_OP_OR:
	case PG_OP_COND:
	case PG_OP_EQ:
	case PG_OP_NE:
	case PG_OP_LT:
	case PG_OP_LE:
	case PG_OP_GT:
	case PG_OP_GE:
		break;
	}
	return !why && out->e > 0 ? too_large : why;
}
