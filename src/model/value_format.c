/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values to text, for the user's parser and for the CSV, and to numbers.
 */
#include "model/value.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/str.h"
#include "model/param.h"

/* All digits of m * 10^e, without exponent. */
static void add_exact(struct pg_str *out, int64_t m, int e)
{
	char buf[PG_NUM_BUF];
	size_t n = pg_fmt_i64(buf, m), sign = buf[0] == '-', digits = n - sign;

	if (e >= 0 || m == 0) {
		pg_str_add(out, buf, n);
		for (; e > 0 && m; e--)
			pg_str_addc(out, '0');
		return;
	}
	pg_str_add(out, buf, sign);
	if (digits > (size_t)-e) {
		pg_str_add(out, buf + sign, digits - (size_t)-e);
		pg_str_addc(out, '.');
		pg_str_add(out, buf + n - (size_t)-e, (size_t)-e);
		return;
	}
	pg_str_adds(out, "0.");
	for (size_t i = digits; i < (size_t)-e; i++)
		pg_str_addc(out, '0');
	pg_str_add(out, buf + sign, digits);
}

static void add_choice(const struct pg_param *row, int64_t i, struct pg_str *out)
{
	assert(i >= 0 && (size_t)i < pg_choice_count(row->choices));
	pg_str_adds(out, row->choices[i].name);
}

static void add_set(const struct pg_param *row, const struct pg_value *v, struct pg_str *out)
{
	char buf[PG_NUM_BUF];

	switch ((enum pg_type)v->type) {
	case PG_BOOL:
		pg_str_adds(out, v->u.i ? "true" : "false");
		break;
	case PG_COUNT:
		pg_str_addi(out, v->u.i);
		break;
	case PG_SIZE:
		pg_str_add(out, buf, pg_size_format(buf, (uint64_t)v->u.i));
		break;
	case PG_TIME:
		pg_str_add(out, buf, pg_time_format(buf, v->u.i));
		break;
	case PG_REAL:
		add_exact(out, v->u.i, v->exp10);
		break;
	case PG_ENUM:
		add_choice(row, v->u.i, out);
		break;
	case PG_CPULIST:
	case PG_NODELIST:
	case PG_TEXT:
		pg_str_adds(out, v->u.text);
		break;
	}
}

void pg_value_format(const struct pg_param *row, const struct pg_value *v, struct pg_str *out)
{
	if (v->state == PG_V_WORD)
		add_choice(row, v->u.i, out);
	else if (v->state == PG_V_SET)
		add_set(row, v, out);
}

void pg_value_format_csv(const struct pg_param *row, const struct pg_value *v, struct pg_str *out)
{
	char buf[PG_NUM_BUF];

	if (v->state == PG_V_SET) {
		switch ((enum pg_type)v->type) {
		case PG_COUNT:
		case PG_SIZE:
			pg_str_add(out, buf, pg_fmt_dec(buf, v->u.i, 0));
			return;
		case PG_TIME:
			pg_str_add(out, buf, pg_fmt_dec(buf, v->u.i, -9));
			return;
		case PG_REAL:
			pg_str_add(out, buf, pg_fmt_dec(buf, v->u.i, v->exp10));
			return;
		case PG_BOOL:
		case PG_ENUM:
		case PG_CPULIST:
		case PG_NODELIST:
		case PG_TEXT:
			break;
		}
	}
	pg_value_format(row, v, out);
}

double pg_value_double(const struct pg_value *v)
{
	struct pg_dec d = {v->u.i, 0};

	if (v->state != PG_V_SET)
		return (double)NAN;
	switch ((enum pg_type)v->type) {
	case PG_COUNT:
	case PG_SIZE:
		return (double)v->u.i;
	case PG_TIME:
		d.e = -9;
		return pg_dec_to_double(d);
	case PG_REAL:
		d.e = v->exp10;
		return pg_dec_to_double(d);
	case PG_BOOL:
	case PG_ENUM:
	case PG_CPULIST:
	case PG_NODELIST:
	case PG_TEXT:
		break;
	}
	return (double)NAN;
}
