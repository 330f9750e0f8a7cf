/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every cell of a sweep once: computed params, skips, limits, the bench's own rules. What is wrong in many cells is
 * told for the first. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "plan/sweep.h"

struct expand {
	struct pg_draft *dr;
	struct pg_cell_buf *buf;
	struct pg_compute_log log;
	void *conf;	   /* the bench's struct, where it has rules */
	uint32_t *reasons; /* per skip */
	size_t skipped;
	bool check_failed;
};

/* 0-based place of `name` in `text` as a whole word, -1 = it does not stand there. */
static long find_word(const char *text, const char *name)
{
	static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
	const size_t n = strlen(name);

	for (const char *at = text; (at = strstr(at, name)); at++)
		if ((at == text || !strchr(word, at[-1])) && (at[n] == '\0' || !strchr(word, at[n])))
			return at - text;
	return -1;
}

/*
 * Where to point with what a bench says: the value of the param that it names first, of those that have one in the
 * file; else the sweep.
 */
static const struct pg_loc *place_of(const struct pg_draft *dr, const char *msg)
{
	const struct pg_loc *loc = &dr->loc;
	long first = LONG_MAX;

	for (size_t i = 0; i < dr->sw->pub.n_params; i++) {
		const long at = find_word(msg, dr->sw->pub.params[i].name);

		if (at < 0 || at >= first || dr->source[i] == PG_FROM_DEFAULT)
			continue;
		first = at;
		loc = &dr->value_loc[i];
	}
	return loc;
}

static int check_bench(struct expand *x)
{
	struct pg_draft *dr = x->dr;
	struct pg_err err = {.code = PG_OK};
	struct pg_str where;

	if (!x->conf || x->check_failed)
		return 0;
	memset(x->conf, 0, dr->bench->conf_size);
	pg_conf_bind(dr->sw->pub.params, x->buf->vals, 1, x->conf);
	if (!dr->bench->check(x->conf, &err))
		return 0;
	x->check_failed = true;
	pg_str_init(&where);
	if (dr->sw->pub.n_axes) {
		pg_str_adds(&where, " at ");
		pg_cell_axes_text(x->buf, &where);
	}
	pg_diag_error(&dr->b->d, place_of(dr, err.msg), "sweep %s%s: %s", dr->name, pg_str_text(&where), err.msg);
	pg_str_release(&where);
	return -1;
}

static int one_cell(struct expand *x, size_t i)
{
	struct pg_draft *dr = x->dr;
	bool hit = false;

	pg_cell_move(x->buf, i);
	if (pg_compute_logged(dr, x->buf, &x->log))
		return -1;
	for (size_t k = 0; k < dr->n_skips; k++) {
		bool matched;

		/* Behind the first that matches, the others only learn that they match something. */
		if (hit && dr->skips[k].hits)
			continue;
		if (pg_skip_test(dr, &dr->skips[k], x->buf, hit, &matched))
			return -1;
		if (matched && !hit)
			dr->b->plan->marks[dr->sw->pub.first_cell + i] =
				(uint32_t)PG_SKIP_RULE << PG_MARK_SHIFT | x->reasons[k];
		hit |= matched;
	}
	x->skipped += hit;
	if (hit)
		return 0;
	return pg_limits_test(dr, x->buf) || check_bench(x) ? -1 : 0;
}

static void note_cuts(struct expand *x)
{
	struct pg_draft *dr = x->dr;

	for (size_t i = 0; i < dr->sw->n_computed; i++) {
		const struct pg_computed *c = &dr->sw->computed[i];
		struct pg_str where;

		if (!(x->log.watch.cut[i] > 0.01))
			continue;
		pg_str_init(&where);
		pg_cell_move(x->buf, x->log.cut_cell[i]);
		pg_cell_axes_text(x->buf, &where);
		pg_diag_note(&dr->b->d, &c->loc,
			     "%s: `/` cuts to a whole number and loses %.0f %% at %s; multiply first",
			     dr->sw->pub.params[c->param].name, x->log.watch.cut[i] * 100, pg_str_text(&where));
		pg_str_release(&where);
	}
}

static void note_skips(struct expand *x)
{
	struct pg_draft *dr = x->dr;

	for (size_t k = 0; k < dr->n_skips; k++) {
		if (!dr->skips[k].hits && !dr->selected)
			pg_diag_note(&dr->b->d, &dr->skips[k].loc, "this skip matches no cell");
		if (dr->skips[k].cut > 0.01)
			pg_diag_note(
				&dr->b->d, &dr->skips[k].loc,
				"`/` in this condition cuts to a whole number and loses up to %.0f %%; multiply first",
				dr->skips[k].cut * 100);
	}
}

static int prepare(struct expand *x)
{
	struct pg_draft *dr = x->dr;
	struct pg_plan *p = dr->b->plan;

	x->reasons = pg_build_array(dr->b, dr->n_skips, sizeof(*x->reasons));
	if (!x->reasons || pg_compute_log_init(dr, &x->log))
		return -1;
	for (size_t k = 0; k < dr->n_skips; k++)
		if (pg_plan_reason(p, dr->skips[k].why, &x->reasons[k]))
			return pg_diag_error(&dr->b->d, NULL, "out of memory");
	x->buf = pg_cell_buf_for(p, (const struct pg_sweep_in *const *)&dr->sw, 1);
	x->conf = dr->bench->check ? calloc(1, dr->bench->conf_size ? dr->bench->conf_size : 1) : NULL;
	if (!x->buf || (dr->bench->check && !x->conf))
		return pg_diag_error(&dr->b->d, NULL, "out of memory");
	pg_cell_enter(x->buf, dr->sw);
	return 0;
}

static int all_cells(struct expand *x)
{
	struct pg_draft *dr = x->dr;
	int rc = 0;

	if (!dr->n_skips && !dr->n_limits && !x->conf && !dr->sw->n_computed)
		return 0;
	for (size_t i = 0; i < dr->sw->pub.n_cells && !pg_diag_full(&dr->b->d); i++)
		if (one_cell(x, i))
			rc = -1;
	if (rc)
		return -1;
	note_cuts(x);
	note_skips(x);
	if (x->skipped == dr->sw->pub.n_cells)
		return pg_diag_error(&dr->b->d, &dr->loc,
				     "every cell of sweep %s is skipped; leave the sweep out or skip fewer", dr->name);
	return 0;
}

int pg_sweep_expand(struct pg_draft *dr)
{
	struct expand x = {.dr = dr};
	struct pg_plan *p = dr->b->plan;
	int rc = -1;

	if (pg_plan_grow(p, dr->sw->pub.n_cells))
		return pg_diag_error(&dr->b->d, NULL, "out of memory");
	p->n_cells += dr->sw->pub.n_cells;
	if (!prepare(&x))
		rc = all_cells(&x);
	pg_cell_buf_free(x.buf);
	free(x.conf);
	return rc;
}
