/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading of the journal, line by line: what is cut at the end is a torn tail, what is wrong before the end is damage.
 */
#include "store/journal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "store/json.h"

#define CHUNK	       ((size_t)64 << 10)
#define LINE_MAX_BYTES ((size_t)64 << 20)

void pg_journal_lines_init(struct pg_journal_lines *l, int fd, off_t from)
{
	memset(l, 0, sizeof(*l));
	l->fd = fd;
	l->offset = l->next = from;
}

void pg_journal_lines_release(struct pg_journal_lines *l)
{
	free(l->buf);
	l->buf = NULL;
}

/* More bytes behind those not yet handed out. 1, 0 at the end, -1. */
static int fill(struct pg_journal_lines *l, struct pg_err *err)
{
	ssize_t k;

	if (l->at) {
		memmove(l->buf, l->buf + l->at, l->len - l->at);
		l->len -= l->at;
		l->at = 0;
	}
	if (l->cap - l->len < CHUNK) {
		size_t cap = l->cap ? l->cap * 2 : 2 * CHUNK;
		char *p = realloc(l->buf, cap);

		if (!p)
			return pg_fail_nomem(err);
		l->buf = p;
		l->cap = cap;
	}
	do
		k = pread(l->fd, l->buf + l->len, CHUNK, l->next + (off_t)l->len);
	while (k < 0 && errno == EINTR);
	if (k < 0)
		return pg_fail_sys(err, "cannot read '%s'", PG_JOURNAL_NAME);
	l->len += (size_t)k;
	return k > 0;
}

int pg_journal_lines_next(struct pg_journal_lines *l, const char **s, size_t *n, bool *whole, struct pg_err *err)
{
	size_t seen = 0;

	for (;;) {
		const char *start = l->buf ? l->buf + l->at : "";
		size_t have = l->len - l->at;
		const char *nl = have > seen ? memchr(start + seen, '\n', have - seen) : NULL;

		if (nl || (l->eof && have)) {
			*s = start;
			*n = nl ? (size_t)(nl - start) : have;
			*whole = nl != NULL;
			l->offset = l->next;
			l->next += (off_t)(*n + *whole);
			l->at += *n + *whole;
			return 1;
		}
		if (l->eof)
			return 0;
		if (have > LINE_MAX_BYTES)
			return pg_fail(err, PG_EDAMAGED, "'%s' has a line of over 64 MiB", PG_JOURNAL_NAME);
		seen = have;
		switch (fill(l, err)) {
		case 0:
			l->eof = true;
			break;
		case 1:
			break;
		default:
			return -1;
		}
	}
}

static int damaged(size_t line, struct pg_err *err)
{
	struct pg_err why = *err;

	if (line == 1)
		return pg_fail(err, PG_EDAMAGED, "line 1 of '%s' is damaged (%s); restore the file from a copy",
			       PG_JOURNAL_NAME, why.msg);
	return pg_fail(
		err, PG_EDAMAGED,
		"line %zu of '%s' is damaged (%s); keep a copy, cut the file before that line (head -n %zu) and run "
		"--resume to measure the rest again",
		line, PG_JOURNAL_NAME, why.msg, line - 1);
}

struct scanning {
	pg_record_fn *each;
	void *ctx;
	struct pg_record *r;
	struct pg_line_at at; /* of the line at hand */
};

/* One line to `each`. 0, 1 = the line is no record, -1. */
static int one_line(struct scanning *k, const char *s, size_t n, struct pg_err *err)
{
	int result;

	if (pg_record_parse(s, n, k->r, err) != 0)
		return err->code == PG_ENOMEM ? -1 : 1;
	result = k->each(k->ctx, k->r, &k->at, err);
	pg_record_drop(k->r);
	if (result != 0 && err->code == PG_EINPUT)
		return damaged(k->at.line, err);
	return result;
}

/* All lines of l; the offset of a torn tail in *torn. */
static int all_lines(struct scanning *k, struct pg_journal_lines *l, off_t *torn, struct pg_err *err)
{
	const char *s;
	size_t n;
	bool whole;
	int got, result;

	while ((got = pg_journal_lines_next(l, &s, &n, &whole, err)) == 1) {
		if (*torn >= 0) /* the line before was no record and not the last one */
			return damaged(k->at.line, err);
		k->at.line++;
		k->at.offset = l->offset;
		k->at.end = l->next;
		result = whole ? one_line(k, s, n, err) : 1;
		if (result < 0)
			return -1;
		if (result == 1)
			*torn = l->offset;
	}
	return got;
}

int pg_journal_scan(int fd, pg_record_fn *each, void *ctx, off_t *torn, struct pg_err *err)
{
	struct scanning k = {.each = each, .ctx = ctx, .r = malloc(sizeof(*k.r))};
	struct pg_err local = {.code = PG_OK};
	struct pg_journal_lines l;
	int result;

	*torn = -1;
	if (!k.r)
		return pg_fail_nomem(err);
	pg_journal_lines_init(&l, fd, 0);
	result = all_lines(&k, &l, torn, &local);
	pg_journal_lines_release(&l);
	free(k.r);
	if (result != 0 && err)
		*err = local;
	return result;
}

static int name_column(const struct pg_sweep *sw, const char *name, size_t *m)
{
	if (!name)
		return -1;
	if (!pg_metric_find(sw->metrics, name, m) || sw->metrics[*m].reduce == PG_RATIO)
		*m = SIZE_MAX;
	return 0;
}

static int fact_find(const char *name)
{
	for (int f = 0; f < PG_FACTS; f++)
		if (strcmp(pg_fact_name((enum pg_fact)f), name) == 0)
			return f;
	return -1;
}

static int sweep_columns(const struct json_t *o, const struct pg_sweep *sw, struct pg_columns *c)
{
	const struct json_t *m = pg_json_get(o, "m"), *f = pg_json_get(o, "f");

	c->n_m = pg_json_len(m);
	c->n_f = pg_json_len(f);
	if (!pg_json_is_array(m) || !pg_json_is_array(f) || c->n_m > PG_OUT_SAMPLES || c->n_f > PG_RECORD_FACTS)
		return -1;
	for (size_t i = 0; i < c->n_m; i++)
		if (name_column(sw, pg_json_as_text(pg_json_at(m, i)), &c->m[i]) != 0)
			return -1;
	for (size_t i = 0; i < c->n_f; i++) {
		const char *name = pg_json_as_text(pg_json_at(f, i));

		if (!name)
			return -1;
		c->f[i] = fact_find(name);
	}
	c->known = true;
	return 0;
}

int pg_columns_read(const struct json_t *header, const struct pg_plan *p, struct pg_columns *out, struct pg_err *err)
{
	const struct json_t *columns = pg_json_get(header, "columns");

	for (size_t i = 0; i < pg_plan_sweeps(p); i++) {
		const struct pg_sweep *sw = pg_plan_sweep(p, i);
		const struct json_t *o = pg_json_get(columns, sw->name);

		out[i].known = false;
		if (o && sweep_columns(o, sw, &out[i]) != 0)
			return pg_fail(err, PG_EINPUT, "'columns' of sweep '%s' are no lists of names", sw->name);
	}
	return 0;
}

size_t pg_record_cell(struct pg_plan *p, const struct pg_record *r)
{
	return pg_plan_find_arm(p, r->cell, r->variant[0] ? r->variant : NULL);
}

/* Samples ascend by metric row; columns of another perfgrid may stand in another order. */
static void add_sample(struct pg_outcome *out, const struct pg_sample *s)
{
	size_t k = out->n++;

	while (k > 0 && out->s[k - 1].metric > s->metric) {
		out->s[k] = out->s[k - 1];
		k--;
	}
	out->s[k] = *s;
}

int pg_record_outcome(const struct pg_record *r, const struct pg_columns *c, const struct pg_metric *metrics,
		      struct pg_outcome *out, struct pg_err *err)
{
	if (!c->known || r->n_m != c->n_m || r->n_f != c->n_f)
		return pg_fail(err, PG_EINPUT, "its numbers are not the columns of the first line");
	out->status = r->status;
	memcpy(out->why, r->why, strlen(r->why) + 1);
	out->once_ns = 0;
	out->n = 0;
	for (size_t i = 0; i < c->n_m; i++) {
		const struct pg_raw *v = &r->m[i];
		struct pg_sample s = {.raw = v->raw, .missing = v->missing};

		if (c->m[i] == SIZE_MAX)
			continue;
		s.metric = (uint32_t)c->m[i];
		s.exp10 = (int8_t)(v->plain ? pg_unit_exp(metrics[c->m[i]].unit) : v->exp10);
		add_sample(out, &s);
	}
	for (int f = 0; f < PG_FACTS; f++)
		out->facts[f] = PG_FACT_ABSENT;
	for (size_t i = 0; i < c->n_f; i++)
		if (c->f[i] >= 0)
			out->facts[c->f[i]] = r->f[i];
	return 0;
}
