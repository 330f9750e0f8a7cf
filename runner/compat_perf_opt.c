/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From options to values: what each row of a bench's table says about its param. */
#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "runner/compat_perf_call.h"
#include "runner/report.h"
#include "runner/world.h"

const struct pg_fopt_state *pg_pb_opt(const struct pg_pb *p, const char *name)
{
	const int row = pg_fopt_find(p->set.rows, name);

	assert(row >= 0);
	return &p->opt[row];
}

bool pg_pb_on(const struct pg_pb *p, const char *name)
{
	const struct pg_fopt_state *st = pg_pb_opt(p, name);

	return st->given && !st->no;
}

bool pg_pb_off(const struct pg_pb *p, const char *name)
{
	return pg_pb_opt(p, name)->no;
}

uint64_t pg_pb_count(const struct pg_pb *p, const char *name, uint64_t def)
{
	const struct pg_fopt_state *st = pg_pb_opt(p, name);

	return st->given ? st->n : def;
}

const char *pg_pb_text(const struct pg_pb *p, const char *name, const char *def)
{
	const struct pg_fopt_state *st = pg_pb_opt(p, name);

	return st->given && !st->no ? st->text : def;
}

static bool all_digits(const char *s)
{
	return *s && s[strspn(s, "0123456789")] == '\0';
}

int pg_pb_set(struct pg_pb *p, const char *param, const char *text, const char *option, struct pg_err *err)
{
	const struct pg_param *row = pg_param_find(p->d.bench->params, param, NULL);
	struct pg_str bytes;
	int r;

	assert(row);
	pg_str_init(&bytes);
	if (row->type == PG_SIZE && all_digits(text)) {
		pg_str_addf(&bytes, "%sB", text);
		text = pg_str_text(&bytes);
	}
	r = pg_dropin_set(&p->d, param, text, option, err);
	pg_str_release(&bytes);
	return r;
}

/* Params are no negative numbers, so their own parser would speak of a sign. */
static int refuse_negative(const struct pg_pb *p, const char *param, const char *text, const char *option,
			   struct pg_err *err)
{
	struct pg_str range;

	pg_str_init(&range);
	pg_param_range(pg_param_find(p->d.bench->params, param, NULL), &range);
	pg_fail(err, PG_EUSAGE, "%s: value %s is out of range; allowed: %s", option, text, pg_str_text(&range));
	pg_str_release(&range);
	return -1;
}

static int apply_row(struct pg_pb *p, size_t row)
{
	const struct pg_fopt *o = &p->set.rows[row];
	const struct pg_fopt_state *st = &p->opt[row];
	char option[64];
	struct pg_str text;
	struct pg_err err;
	int r = 0;

	pg_str_init(&text);
	if (!pg_fopt_value(o, st, &text)) {
		pg_dropin_reset(&p->d, o->param);
	} else {
		if (st->by_name || !o->letter)
			snprintf(option, sizeof(option), "option `%s'", o->name);
		else
			snprintf(option, sizeof(option), "switch `%c'", o->letter);
		r = st->negative ? refuse_negative(p, o->param, pg_str_text(&text), option, &err)
				 : pg_pb_set(p, o->param, pg_str_text(&text), option, &err);
	}
	/* Where text is the value as it stands, a word of the row is a spelling; numbers have none. */
	if (r && (o->kind != PG_FOPT_TEXT || o->value))
		pg_dropin_numbers_only(&err);
	pg_str_reset(&text);
	if (r) {
		pg_fopts_message(&p->set, row, err.msg, &text);
		fputs(pg_str_text(&text), p->world->err);
		r = PG_STATUS_USAGE;
	}
	pg_str_release(&text);
	return r;
}

void pg_pb_note_cpus(const struct pg_pb *p)
{
	const unsigned long long allowed = pg_pb_cpus();
	const long online = sysconf(_SC_NPROCESSORS_ONLN);

	if (pg_pb_count(p, "threads", 0) == 0 && online > 0 && allowed < (unsigned long long)online)
		pg_say(p->world,
		       "%s/%s: the number of threads follows from the %llu of %ld CPUs that this process may use",
		       p->bench->collection, p->bench->name, allowed, online);
}

int pg_pb_apply(struct pg_pb *p)
{
	for (size_t i = 0; p->set.rows[i].name; i++) {
		const struct pg_fopt *o = &p->set.rows[i];
		int r;

		if (!o->help || !o->param || !p->opt[i].given)
			continue;
		r = apply_row(p, i);
		if (r)
			return r;
	}
	return 0;
}
