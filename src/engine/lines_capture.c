/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Declared metrics: pattern, number, which of several, unit. Numbers stay decimal from the program's text to the
 * journal.
 */
#include "engine/lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "engine/drain.h"

void pg_captures_init(struct pg_captures *c)
{
	*c = (struct pg_captures){.program = NULL};
}

void pg_captures_release(struct pg_captures *c)
{
	for (size_t i = 0; i < c->n; i++)
		regfree(&c->re[i]);
	free(c->re);
	free(c->value);
	pg_captures_init(c);
}

static int compile(struct pg_captures *c, const struct pg_capture *cap, struct pg_err *err)
{
	char why[128];
	int r = regcomp(&c->re[c->n], cap->pattern, REG_EXTENDED);

	if (r == 0) {
		c->n++;
		return 0;
	}
	regerror(r, &c->re[c->n], why, sizeof(why));
	return pg_fail(err, PG_EINPUT, "metric %s: wrong pattern (%s); write a POSIX extended regular expression",
		       cap->name, why);
}

int pg_captures_use(struct pg_captures *c, const struct pg_program *program, struct pg_err *err)
{
	if (c->program == program)
		return 0;
	pg_captures_release(c);
	if (program->n_captures == 0) {
		c->program = program;
		return 0;
	}
	c->re = calloc(program->n_captures, sizeof(*c->re));
	c->value = calloc(program->n_captures, sizeof(*c->value));
	if (!c->re || !c->value) {
		pg_captures_release(c);
		return pg_fail_nomem(err);
	}
	for (size_t i = 0; i < program->n_captures; i++) {
		if (compile(c, &program->captures[i], err) < 0) {
			pg_captures_release(c);
			return -1;
		}
	}
	c->program = program;
	return 0;
}

void pg_captures_reset(struct pg_captures *c)
{
	if (c->n > 0)
		memset(c->value, 0, c->n * sizeof(*c->value));
}

bool pg_captures_want(const struct pg_captures *c, bool from_stderr)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->program->captures[i].from_stderr == from_stderr)
			return true;
	}
	return false;
}

static void mark_bad(struct pg_capture_value *v, const char *s, size_t n)
{
	struct pg_str text;

	if (v->bad)
		return;
	v->bad = true;
	pg_str_init(&text);
	pg_clean_text(s, n, sizeof(v->text) - 1, &text);
	snprintf(v->text, sizeof(v->text), "%s", pg_str_text(&text));
	pg_str_release(&text);
}

static void take(const struct pg_capture *cap, struct pg_capture_value *v, const char *s, size_t n)
{
	struct pg_dec d, sum;

	if (cap->which == PG_FIRST && v->n > 0)
		return;
	if (cap->which == PG_LAST)
		v->bad = false;
	v->n++;
	if (pg_dec_parse_lax(s, n, &d) != PG_NUM_OK) {
		mark_bad(v, s, n);
		return;
	}
	switch (cap->which) {
	case PG_FIRST:
	case PG_LAST:
		v->value = d;
		break;
	case PG_W_SUM:
	case PG_W_MEAN:
		if (pg_dec_add(v->value, d, &sum))
			v->value = sum;
		else
			mark_bad(v, s, n);
		break;
	}
}

void pg_captures_line(struct pg_captures *c, bool from_stderr, const char *s)
{
	regmatch_t m[2];

	for (size_t i = 0; i < c->n; i++) {
		const struct pg_capture *cap = &c->program->captures[i];

		if (cap->from_stderr != from_stderr)
			continue;
		if (regexec(&c->re[i], s, 2, m, 0) == 0 && m[1].rm_so >= 0)
			take(cap, &c->value[i], s + m[1].rm_so, (size_t)(m[1].rm_eo - m[1].rm_so));
	}
}

/* d / n, to as many digits as fit. */
static struct pg_dec divide(struct pg_dec d, uint64_t n)
{
	int64_t by = (int64_t)n, q, r;

	while (d.m > -INT64_MAX / 10 && d.m < INT64_MAX / 10 && d.m % by != 0) {
		d.m *= 10;
		d.e--;
	}
	q = d.m / by;
	r = d.m % by;
	if (r > 0 && r >= by - r)
		q++;
	if (r < 0 && -r >= by + r)
		q--;
	d.m = q;
	return pg_dec_norm(d);
}

/* Printed number to base unit: exact where the factor is a decimal and the product fits, else to the digits of a
 * double. */
static bool to_base(const struct pg_capture *cap, struct pg_dec d, struct pg_dec *out)
{
	char buf[PG_NUM_BUF];
	int n;

	if (cap->dec_scale.m != 0 && pg_dec_mul(d, cap->dec_scale, out))
		return true;
	n = snprintf(buf, sizeof(buf), "%.15g", pg_dec_to_double(d) * cap->factor);
	return n > 0 && pg_dec_parse_lax(buf, (size_t)n, out) == PG_NUM_OK;
}

enum pg_status pg_captures_sample(const struct pg_captures *c, size_t i, struct pg_sample *s, struct pg_str *why)
{
	const struct pg_capture *cap = &c->program->captures[i];
	const struct pg_capture_value *v = &c->value[i];
	struct pg_dec d;

	*s = (struct pg_sample){.metric = (uint32_t)cap->metric, .missing = v->n == 0};
	if (v->n == 0 && cap->required) {
		pg_str_addf(why, "metric %s: no line of %s matches its pattern", cap->name,
			    cap->from_stderr ? "stderr" : "stdout");
		return PG_ST_FAILED;
	}
	if (v->n == 0)
		return PG_ST_OK;
	if (v->bad) {
		pg_str_addf(why, "metric %s: '%s' is no number that can be taken", cap->name, v->text);
		return PG_ST_INVALID;
	}
	d = cap->which == PG_W_MEAN ? divide(v->value, v->n) : v->value;
	if (!to_base(cap, d, &d) || d.e < INT8_MIN || d.e > INT8_MAX) {
		pg_str_addf(why, "metric %s: the number is out of range", cap->name);
		return PG_ST_INVALID;
	}
	s->raw = d.m;
	s->exp10 = (int8_t)d.e;
	return PG_ST_OK;
}
