/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values to a bench's own struct, and the same through text to a fresh process. Which field a row has follows from its
 * type and role, as the PG_AT_ macros check at compile time.
 */
#include "model/param.h"

#include <assert.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/str.h"

static bool is_ops(const struct pg_param *row)
{
	return row->role & PG_OPS;
}

/* COUNT and SIZE: a plain number, or one beside words. */
static void bind_whole(const struct pg_param *row, const struct pg_value *v, uint64_t ops, void *field)
{
	struct pg_word_num w = {0, -1};
	bool word = v->state == PG_V_WORD;

	if (v->state == PG_V_SET)
		w.n = (uint64_t)v->u.i;
	if (row->choices && !is_ops(row)) {
		if (word)
			w.word = (int)v->u.i;
		memcpy(field, &w, sizeof(w));
		return;
	}
	if (word)
		w.n = ops;
	memcpy(field, &w.n, sizeof(w.n));
}

static void bind_one(const struct pg_param *row, const struct pg_value *v, uint64_t ops, void *field)
{
	bool set = v->state == PG_V_SET;
	const char *text = set ? v->u.text : NULL;
	int64_t i = set ? v->u.i : 0;
	double real;
	bool yes;
	int choice;

	switch (row->type) {
	case PG_BOOL:
		yes = i != 0;
		memcpy(field, &yes, sizeof(yes));
		break;
	case PG_COUNT:
	case PG_SIZE:
		bind_whole(row, v, ops, field);
		break;
	case PG_TIME:
		memcpy(field, &i, sizeof(i));
		break;
	case PG_REAL:
		real = set ? pg_value_double(v) : 0;
		memcpy(field, &real, sizeof(real));
		break;
	case PG_ENUM:
		choice = (int)i;
		memcpy(field, &choice, sizeof(choice));
		break;
	case PG_CPULIST:
	case PG_NODELIST:
	case PG_TEXT:
		memcpy(field, &text, sizeof(text));
		break;
	}
}

void pg_conf_bind(const struct pg_param *rows, const struct pg_value *vals, uint64_t ops, void *conf)
{
	for (size_t i = 0; rows[i].name; i++) {
		if (!(rows[i].role & PG_DYNAMIC))
			bind_one(&rows[i], &vals[i], ops, (char *)conf + rows[i].offset);
	}
}

void pg_conf_format(const struct pg_param *rows, const struct pg_value *vals, uint64_t ops, struct pg_str *out)
{
	for (size_t i = 0; rows[i].name; i++) {
		if (vals[i].state == PG_V_UNSET || rows[i].role & PG_DYNAMIC)
			continue;
		pg_str_adds(out, rows[i].name);
		pg_str_addc(out, '=');
		if (is_ops(&rows[i]) && vals[i].state == PG_V_WORD)
			pg_str_addu(out, ops);
		else
			pg_value_format(&rows[i], &vals[i], out);
		pg_str_addc(out, '\0');
	}
}

/* One "name=value" of n bytes. */
static int parse_pair(const struct pg_param *rows, const char *s, size_t n, struct pg_arena *a, struct pg_value *vals,
		      struct pg_err *err)
{
	const char *eq = memchr(s, '=', n);
	size_t len = eq ? (size_t)(eq - s) : n;

	if (!eq)
		return pg_fail(err, PG_EINPUT, "'%.*s' has no value; allowed: name=value", (int)(n > 64 ? 64 : n), s);
	for (size_t i = 0; rows[i].name; i++) {
		if (strlen(rows[i].name) != len || memcmp(rows[i].name, s, len) || rows[i].role & PG_DYNAMIC)
			continue;
		if (vals[i].state != PG_V_UNSET)
			return pg_fail(err, PG_EINPUT, "%s is given twice; give it once", rows[i].name);
		if (pg_value_parse_any(&rows[i], eq + 1, n - len - 1, a, &vals[i], err) == 0)
			return 0;
		pg_err_wrap(err, "%s", rows[i].name);
		return -1;
	}
	return pg_fail(err, PG_EINPUT, "unknown param '%.*s'; allowed: those of the bench", (int)(len > 64 ? 64 : len),
		       s);
}

int pg_conf_parse(const struct pg_param *rows, const char *text, size_t n, struct pg_arena *a, void *conf,
		  struct pg_err *err)
{
	size_t count = pg_param_count(rows);
	struct pg_value *vals = pg_arena_array(a, count, sizeof(*vals));

	if (!vals)
		return pg_fail_nomem(err);
	for (size_t i = 0; i < n;) {
		size_t len = strnlen(text + i, n - i);

		if (parse_pair(rows, text + i, len, a, vals, err) < 0)
			return -1;
		i += len + 1;
	}
	pg_conf_bind(rows, vals, 0, conf);
	return 0;
}
