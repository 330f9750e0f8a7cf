/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between values of a row and values of an expression. */
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "plan/quote.h"
#include "plan/values_parts.h"

#define BIT(k) (1u << (k))

bool pg_values_is_number(enum pg_type t)
{
	return t == PG_COUNT || t == PG_SIZE || t == PG_TIME || t == PG_REAL;
}

static enum pg_ekind kind_of(enum pg_type t)
{
	switch (t) {
	case PG_BOOL:
		return PG_E_BOOL;
	case PG_COUNT:
	case PG_REAL:
		return PG_E_NUM;
	case PG_SIZE:
		return PG_E_SIZE;
	case PG_TIME:
		return PG_E_TIME;
	case PG_ENUM:
	case PG_CPULIST:
	case PG_NODELIST:
	case PG_TEXT:
		break;
	}
	return PG_E_TEXT;
}

void pg_values_to_expr(const struct pg_param *row, const struct pg_value *v, struct pg_evalue *out)
{
	memset(out, 0, sizeof(*out));
	if (v->state == PG_V_UNSET) {
		out->kind = PG_E_NONE;
		return;
	}
	if (v->state == PG_V_WORD || v->type == PG_ENUM) {
		out->kind = PG_E_TEXT;
		out->text = row->choices[v->u.i].name;
		return;
	}
	out->kind = kind_of((enum pg_type)v->type);
	if (out->kind == PG_E_TEXT) {
		out->text = v->u.text;
		return;
	}
	out->num.m = v->u.i;
	out->num.e = v->type == PG_REAL ? v->exp10 : 0;
}

static int mismatch(const struct pg_param *row, const struct pg_evalue *e, struct pg_err *err)
{
	enum pg_ekind due = kind_of(row->type);
	const char *way = "";
	struct pg_str allowed;

	if (!err)
		return -1;
	if (due == PG_E_SIZE && e->kind == PG_E_NUM)
		way = "; multiply by a unit, as in 4KB * cpus";
	else if (due == PG_E_TIME && e->kind == PG_E_NUM)
		way = "; multiply by a unit, as in 10ms * cpus";
	else if (due == PG_E_NUM && e->kind == PG_E_SIZE)
		way = "; divide by a unit, as in size / 1KB";
	else if (due == PG_E_NUM && e->kind == PG_E_TIME)
		way = "; divide by a unit, as in runtime / 1ms";
	pg_str_init(&allowed);
	pg_param_allowed(row, &allowed);
	pg_fail(err, PG_EINPUT, "the result is %s, %s takes another kind%s; allowed: %s", pg_ekind_text(BIT(e->kind)),
		row->name, way, pg_str_text(&allowed));
	pg_str_release(&allowed);
	return -1;
}

static int from_number(const struct pg_param *row, const struct pg_evalue *e, struct pg_value *out, struct pg_err *err)
{
	struct pg_dec d = pg_dec_norm(e->num);
	char buf[PG_NUM_BUF];

	if (row->type == PG_REAL && d.e >= INT16_MIN && d.e <= INT16_MAX) {
		out->u.i = d.m;
		out->exp10 = (int16_t)d.e;
		return 0;
	}
	if (pg_dec_to_i64(d, &out->u.i))
		return 0;
	pg_fmt_dec(buf, d.m, d.e);
	return pg_fail(err, PG_EINPUT, "the result %s is no whole number%s; `/` of whole numbers cuts", buf,
		       row->type == PG_SIZE   ? " of bytes"
		       : row->type == PG_TIME ? " of nanoseconds"
					      : "");
}

/* Text of an expression lives as long as the expression; a list of CPUs is taken in its canonical form only, so that no
 * copy is due. */
static int from_text(const struct pg_param *row, const struct pg_evalue *e, struct pg_value *out, struct pg_err *err)
{
	struct pg_arena scratch;
	struct pg_quote q;
	int rc;

	pg_arena_init(&scratch, false);
	rc = pg_value_parse_any(row, e->text, strlen(e->text), &scratch, out, err);
	if (rc == 0 && out->state == PG_V_SET && row->type != PG_ENUM) {
		if (!pg_streq(out->u.text, e->text))
			rc = pg_fail(err, PG_EINPUT, "write this list as '%s'",
				     pg_quote(&q, out->u.text, strlen(out->u.text)));
		out->u.text = e->text;
	}
	pg_arena_release(&scratch);
	return rc;
}

int pg_values_convert(const struct pg_param *row, const struct pg_evalue *e, struct pg_value *out, struct pg_err *err)
{
	struct pg_value v;
	int word = -1;

	memset(&v, 0, sizeof(v));
	v.type = (uint8_t)row->type;
	v.state = PG_V_SET;
	if (e->kind == PG_E_TEXT && row->type != PG_ENUM)
		word = pg_choice_find(row->choices, e->text, strlen(e->text));
	if (word >= 0) {
		v.state = PG_V_WORD;
		v.u.i = word;
	} else if (e->kind != kind_of(row->type)) {
		return mismatch(row, e, err);
	} else if (e->kind == PG_E_BOOL) {
		v.u.i = e->num.m != 0;
	} else if (e->kind == PG_E_TEXT ? from_text(row, e, &v, err) : from_number(row, e, &v, err)) {
		return -1;
	}
	*out = v;
	return 0;
}

/* Below 0: what formats a size or a time takes no sign. */
static int negative(const struct pg_param *row, const struct pg_value *v, struct pg_err *err)
{
	struct pg_value above = *v;
	struct pg_str text, allowed;

	above.u.i = v->u.i == INT64_MIN ? INT64_MAX : -v->u.i;
	pg_str_init(&text);
	pg_str_init(&allowed);
	pg_value_format(row, &above, &text);
	pg_param_allowed(row, &allowed);
	pg_fail(err, PG_EINPUT, "value -%s is below 0; allowed: %s", pg_str_text(&text), pg_str_text(&allowed));
	pg_str_release(&text);
	pg_str_release(&allowed);
	return -1;
}

int pg_values_in_range(const struct pg_param *row, const struct pg_value *v, struct pg_err *err)
{
	bool whole = row->type == PG_COUNT || row->type == PG_SIZE || row->type == PG_TIME;

	if (whole && v->state == PG_V_SET && v->u.i < 0)
		return negative(row, v, err);
	return pg_value_check_range(row, v, err);
}

int pg_values_from_expr(const struct pg_param *row, const struct pg_evalue *e, const struct pg_loc *loc,
			struct pg_value *out, struct pg_err *err)
{
	struct pg_value v;

	if (pg_values_convert(row, e, &v, err) || pg_values_in_range(row, &v, err)) {
		if (err) {
			pg_err_wrap(err, "%s", row->name);
			err->loc = *loc;
		}
		return -1;
	}
	*out = v;
	return 0;
}
