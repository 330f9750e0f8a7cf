/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading one value by its row.
 */
#include "model/value.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/cpulist.h"
#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "model/param.h"

/* How much of a text a message repeats. */
#define SHOWN 64

struct reader {
	const struct pg_param *row;
	const char *s;
	size_t n;
	struct pg_arena *a;
	struct pg_value *out;
	struct pg_err *err;
};

static int shown(const struct reader *r)
{
	return (int)(r->n > SHOWN ? pg_utf8_cut(r->s, SHOWN) : r->n);
}

/* "'text' is WHAT; allowed: ..." */
static int refuse(const struct reader *r, const char *what)
{
	struct pg_str allowed;

	if (!r->err)
		return -1;
	pg_str_init(&allowed);
	pg_param_allowed(r->row, &allowed);
	pg_fail(r->err, PG_EINPUT, "'%.*s' is %s; allowed: %s", shown(r), r->s, what, pg_str_text(&allowed));
	pg_str_release(&allowed);
	return -1;
}

static const char *type_noun(enum pg_type t)
{
	switch (t) {
	case PG_COUNT:
		return "no whole number";
	case PG_SIZE:
		return "no size";
	case PG_TIME:
		return "no time";
	case PG_REAL:
		return "no decimal number";
	case PG_BOOL:
	case PG_ENUM:
	case PG_CPULIST:
	case PG_NODELIST:
	case PG_TEXT:
		break;
	}
	return "no such value";
}

static int refuse_number(const struct reader *r, enum pg_num_error e)
{
	struct pg_str what;

	if (!r->err)
		return -1;
	pg_str_init(&what);
	pg_str_addf(&what, "%s (%s)", type_noun(r->row->type), pg_num_error_text(e));
	refuse(r, pg_str_text(&what));
	pg_str_release(&what);
	return -1;
}

static int read_whole(const struct reader *r)
{
	enum pg_num_error e;
	uint64_t v = 0;

	if (r->row->type == PG_SIZE)
		e = pg_size_parse(r->s, r->n, true, &v);
	else
		e = pg_parse_u64(r->s, r->n, &v);
	if (!e && v > INT64_MAX)
		e = PG_NUM_OVERFLOW;
	if (e)
		return refuse_number(r, e);
	r->out->u.i = (int64_t)v;
	return 0;
}

static int read_time(const struct reader *r)
{
	enum pg_num_error e = pg_time_parse(r->s, r->n, &r->out->u.i);

	return e ? refuse_number(r, e) : 0;
}

static int read_real(const struct reader *r)
{
	struct pg_dec d;
	enum pg_num_error e = pg_dec_parse(r->s, r->n, true, &d);

	if (e)
		return refuse_number(r, e);
	r->out->u.i = d.m;
	r->out->exp10 = (int16_t)d.e;
	return 0;
}

/* The spellings of YAML 1.1 without the single letters. */
static const struct {
	const char *text;
	bool value;
} bool_words[] = {
	{"true", true}, {"True", true}, {"TRUE", true}, {"false", false}, {"False", false}, {"FALSE", false},
	{"yes", true},	{"Yes", true},	{"YES", true},	{"no", false},	  {"No", false},    {"NO", false},
	{"on", true},	{"On", true},	{"ON", true},	{"off", false},	  {"Off", false},   {"OFF", false},
};

static int read_bool(const struct reader *r)
{
	for (size_t i = 0; i < sizeof(bool_words) / sizeof(bool_words[0]); i++) {
		if (strlen(bool_words[i].text) == r->n && !memcmp(bool_words[i].text, r->s, r->n)) {
			r->out->u.i = bool_words[i].value;
			return 0;
		}
	}
	return refuse(r, "no truth value");
}

/* The choice that a wrong word was meant to be; NULL = none is near. */
static const char *nearest_choice(const struct reader *r)
{
	const char *names[64], *found;
	size_t n = 0;
	char *word;

	for (const struct pg_choice *c = r->row->choices; c && c->name && n < 64; c++)
		names[n++] = c->name;
	word = strndup(r->s, r->n);
	found = word ? pg_nearest(word, names, n) : NULL;
	free(word);
	return found;
}

static int read_enum(const struct reader *r)
{
	int i = pg_choice_find(r->row->choices, r->s, r->n);
	const char *meant;
	struct pg_str what;

	if (i >= 0) {
		r->out->u.i = i;
		return 0;
	}
	if (!r->err)
		return -1;
	meant = nearest_choice(r);
	pg_str_init(&what);
	pg_str_adds(&what, "no value of ");
	pg_str_adds(&what, r->row->name);
	if (meant)
		pg_str_addf(&what, ", did you mean '%s'?", meant);
	refuse(r, pg_str_text(&what));
	pg_str_release(&what);
	return -1;
}

static int read_list(const struct reader *r)
{
	const char *noun = r->row->type == PG_CPULIST ? "CPU" : "node";
	struct pg_cpuset set;
	struct pg_str text;
	size_t pos = 0;

	if (pg_cpulist_parse(r->s, r->n, &set, &pos, r->err) < 0) {
		pg_err_wrap(r->err, "'%.*s' is no %s list, character %zu", shown(r), r->s, noun, pos + 1);
		return -1;
	}
	if (pg_cpuset_next(&set, -1) < 0) {
		pg_cpuset_release(&set);
		return refuse(r, "an empty list");
	}
	pg_str_init(&text);
	pg_cpulist_format(&set, &text);
	pg_cpuset_release(&set);
	r->out->u.text = text.failed ? NULL : pg_arena_strdup(r->a, pg_str_text(&text));
	pg_str_release(&text);
	return r->out->u.text ? 0 : pg_fail_nomem(r->err);
}

static int read_text(const struct reader *r)
{
	for (size_t i = 0; i < r->n;) {
		size_t k = pg_utf8_len(r->s + i, r->n - i);
		unsigned char c = (unsigned char)r->s[i];

		if (k == 0)
			return pg_fail(r->err, PG_EINPUT, "invalid UTF-8 at byte %zu; allowed: text in UTF-8", i + 1);
		if (c < 0x20 || c == 0x7f || (c == 0xc2 && (unsigned char)r->s[i + 1] < 0xa0))
			return pg_fail(r->err, PG_EINPUT,
				       "control character at byte %zu; allowed: text without control characters",
				       i + 1);
		i += k;
	}
	r->out->u.text = pg_arena_strndup(r->a, r->s, r->n);
	return r->out->u.text ? 0 : pg_fail_nomem(r->err);
}

static int read_typed(const struct reader *r)
{
	switch (r->row->type) {
	case PG_BOOL:
		return read_bool(r);
	case PG_COUNT:
	case PG_SIZE:
		return read_whole(r);
	case PG_TIME:
		return read_time(r);
	case PG_REAL:
		return read_real(r);
	case PG_ENUM:
		return read_enum(r);
	case PG_CPULIST:
	case PG_NODELIST:
		return read_list(r);
	case PG_TEXT:
		return read_text(r);
	}
	return refuse(r, "of no known type");
}

int pg_value_parse_any(const struct pg_param *row, const char *s, size_t n, struct pg_arena *a, struct pg_value *out,
		       struct pg_err *err)
{
	struct pg_value v;
	struct reader r = {row, s, n, a, &v, err};
	int word;

	memset(&v, 0, sizeof(v));
	v.type = (uint8_t)row->type;
	v.state = PG_V_SET;
	if (n == 0 && row->type != PG_TEXT)
		return refuse(&r, "empty");
	word = row->type == PG_ENUM ? -1 : pg_choice_find(row->choices, s, n);
	if (word >= 0) {
		v.state = PG_V_WORD;
		v.u.i = word;
	} else if (read_typed(&r) < 0) {
		return -1;
	}
	*out = v;
	return 0;
}

int pg_value_parse(const struct pg_param *row, const char *s, size_t n, struct pg_arena *a, struct pg_value *out,
		   struct pg_err *err)
{
	struct pg_value v;

	if (pg_value_parse_any(row, s, n, a, &v, err) < 0 || pg_value_check_range(row, &v, err) < 0)
		return -1;
	*out = v;
	return 0;
}

static bool has_limits(enum pg_type t)
{
	return t == PG_COUNT || t == PG_SIZE || t == PG_TIME || t == PG_REAL;
}

static int cmp_number(const struct pg_value *a, const struct pg_value *b)
{
	struct pg_dec x = {a->u.i, a->exp10}, y = {b->u.i, b->exp10};

	if (a->exp10 == b->exp10)
		return (a->u.i > b->u.i) - (a->u.i < b->u.i);
	return pg_dec_cmp(x, y);
}

/* A limit as a number; false: none, or an expression, or the name of another row. */
static bool limit(const struct pg_param *row, const char *text, struct pg_value *out)
{
	return text && pg_value_parse_any(row, text, strlen(text), NULL, out, NULL) == 0 && out->state == PG_V_SET;
}

int pg_value_check_range(const struct pg_param *row, const struct pg_value *v, struct pg_err *err)
{
	struct pg_str text, allowed;
	struct pg_value l;

	if (v->state != PG_V_SET || !has_limits(row->type))
		return 0;
	if (!(limit(row, row->min, &l) && cmp_number(v, &l) < 0) &&
	    !(limit(row, row->max, &l) && cmp_number(v, &l) > 0))
		return 0;
	pg_str_init(&text);
	pg_str_init(&allowed);
	pg_value_format(row, v, &text);
	pg_param_range(row, &allowed);
	pg_fail(err, PG_EINPUT, "value %s is out of range; allowed: %s", pg_str_text(&text), pg_str_text(&allowed));
	pg_str_release(&text);
	pg_str_release(&allowed);
	return -1;
}

bool pg_value_equal(const struct pg_value *a, const struct pg_value *b)
{
	if (a->type != b->type || a->state != b->state)
		return false;
	if (a->state == PG_V_UNSET)
		return true;
	if (a->state == PG_V_SET && (a->type == PG_CPULIST || a->type == PG_NODELIST || a->type == PG_TEXT))
		return pg_streq(a->u.text, b->u.text);
	return a->u.i == b->u.i && a->exp10 == b->exp10;
}

uint64_t pg_value_hash(const struct pg_value *v)
{
	bool text = v->state == PG_V_SET && (v->type == PG_TEXT || v->type == PG_CPULIST || v->type == PG_NODELIST);
	uint64_t h = PG_FNV_INIT + v->state;

	if (v->state == PG_V_UNSET)
		return h;
	h = text ? pg_fnv1a(h, v->u.text, strlen(v->u.text)) : pg_fnv1a(h, &v->u.i, sizeof(v->u.i));
	return pg_mix64(h + (uint64_t)v->exp10);
}

static bool is_number(const struct pg_value *v)
{
	return v->state == PG_V_SET && has_limits((enum pg_type)v->type);
}

int pg_value_cmp(const struct pg_value *a, const struct pg_value *b)
{
	bool x = is_number(a), y = is_number(b);

	if (x && y)
		return cmp_number(a, b);
	return (int)x - (int)y;
}
