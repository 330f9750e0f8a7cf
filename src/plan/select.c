/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line over the scenario: --set and --vary move params before values are read, --only marks cells of the
 * finished plan. */
#include <string.h>

#include "base/str.h"
#include "plan/quote.h"
#include "plan/sweep.h"

#define MAX_NEAR 256

/* "[SWEEP.]name=value", in pieces. */
struct option {
	const char *sweep; /* NULL = every sweep */
	const char *name;
	const char *value;
	struct pg_loc loc; /* a file that reads "--set TEXT" */
};

static int split(struct pg_build *b, const char *flag, const char *text, struct option *o)
{
	const char *is = strchr(text, '='), *dot;

	o->loc = (struct pg_loc){.file = pg_build_printf(b, "%s %s", flag, text)};
	if (!o->loc.file)
		return -1;
	if (!is || is == text || !is[1])
		return pg_diag_error(&b->d, &o->loc, "no name and value; write %s name=%s or SWEEP.name=...", flag,
				     strcmp(flag, "--set") == 0 ? "value" : "value,value");
	dot = memchr(text, '.', (size_t)(is - text));
	o->sweep = dot ? pg_arena_strndup(b->a, text, (size_t)(dot - text)) : NULL;
	text = dot ? dot + 1 : text;
	o->name = pg_arena_strndup(b->a, text, (size_t)(is - text));
	o->value = is + 1;
	if (!o->name || (dot && !o->sweep))
		return pg_diag_error(&b->d, NULL, "out of memory");
	return 0;
}

static bool is_for(const struct option *o, const struct pg_draft *dr)
{
	if (o->sweep && strcmp(o->sweep, dr->name) != 0 && !(dr->base_name && strcmp(o->sweep, dr->base_name) == 0))
		return false;
	return pg_draft_takes(dr, o->name);
}

static int also_set(struct pg_draft *dr, const struct option *vary)
{
	const struct pg_plan_opts *opts = &dr->b->opts;
	struct option o;

	for (size_t i = 0; i < opts->n_set; i++)
		if (!split(dr->b, "--set", opts->set[i], &o) && strcmp(o.name, vary->name) == 0 && is_for(&o, dr))
			return pg_diag_error(&dr->b->d, &vary->loc, "%s has this param as well; give one of the two",
					     o.loc.file);
	return 0;
}

static int apply(struct pg_draft *dr, const char *flag, const char *text, bool *taken)
{
	bool is_set = strcmp(flag, "--set") == 0;
	const struct pg_node *node;
	struct option o;

	if (split(dr->b, flag, text, &o))
		return -1;
	if (!is_for(&o, dr))
		return 0;
	*taken = true;
	if (!is_set && also_set(dr, &o))
		return -1;
	node = pg_values_cli(o.value, &o.loc, dr->b->a);
	if (!node)
		return pg_diag_error(&dr->b->d, &o.loc, "no value; write %s name=value", flag);
	return is_set ? pg_draft_set(dr, o.name, node, &o.loc, true) : pg_draft_vary(dr, o.name, node, &o.loc, true);
}

int pg_select_apply(struct pg_draft *dr)
{
	const struct pg_plan_opts *o = &dr->b->opts;
	int rc = 0;

	for (size_t i = 0; i < o->n_set; i++)
		if (apply(dr, "--set", o->set[i], &dr->b->set_taken[i]))
			rc = -1;
	for (size_t i = 0; i < o->n_vary; i++)
		if (apply(dr, "--vary", o->vary[i], &dr->b->vary_taken[i]))
			rc = -1;
	return rc;
}

static bool names_sweep(const struct pg_build *b, const char *name)
{
	for (size_t i = 0; i < b->n_drafts; i++) {
		const struct pg_draft *dr = &b->drafts[i];

		if ((dr->name && strcmp(dr->name, name) == 0) || (dr->base_name && strcmp(dr->base_name, name) == 0))
			return true;
	}
	return false;
}

static int not_taken(struct pg_build *b, const char *flag, const char *text)
{
	const char *near[MAX_NEAR] = {NULL}, *best;
	struct option o;
	size_t n = 0;

	if (split(b, flag, text, &o))
		return -1;
	if (o.sweep && !names_sweep(b, o.sweep)) {
		for (size_t i = 0; i < b->n_drafts && n < MAX_NEAR; i++)
			near[n++] = b->drafts[i].name;
		best = pg_nearest(o.sweep, near, n);
		return pg_diag_error(&b->d, &o.loc, "there is no sweep %s%s%s%s", o.sweep,
				     best ? "; did you mean `" : "; see the names in the file", best ? best : "",
				     best ? "`?" : "");
	}
	for (size_t i = 0; i < b->n_drafts; i++) {
		const struct pg_draft *dr = &b->drafts[i];

		for (size_t k = 0; k < dr->n_places && n < MAX_NEAR; k++)
			near[n++] = dr->places[k].name;
		for (const struct pg_param *row = dr->bench ? dr->bench->params : NULL;
		     row && row->name && n < MAX_NEAR; row++)
			near[n++] = row->name;
	}
	best = pg_nearest(o.name, near, n);
	return pg_diag_error(&b->d, &o.loc, "no sweep takes `%s`%s%s%s", o.name,
			     best ? "; did you mean `" : "; see `perfgrid describe BENCH`", best ? best : "",
			     best ? "`?" : "");
}

int pg_select_all_taken(struct pg_build *b)
{
	const struct pg_plan_opts *o = &b->opts;
	int rc = 0;

	/* A sweep that could not be read might have been the one. */
	for (size_t i = 0; i < b->n_drafts; i++)
		if (!b->drafts[i].bench || !b->drafts[i].name)
			return 0;
	for (size_t i = 0; i < o->n_set; i++)
		if (!b->set_taken[i])
			rc = not_taken(b, "--set", o->set[i]);
	for (size_t i = 0; i < o->n_vary; i++)
		if (!b->vary_taken[i])
			rc = not_taken(b, "--vary", o->vary[i]);
	return rc;
}

static const struct pg_loc only_loc = {.file = "--only", .line = 1, .col = 1};

/* The first message of a sweep in which the expression has no meaning, kept until it is known whether another sweep
 * gives it one. */
struct first_error {
	struct pg_err err;
	bool any;
};

static void keep_first(void *ctx, const struct pg_err *e, bool note)
{
	struct first_error *f = ctx;

	if (note || f->any)
		return;
	f->err = *e;
	f->any = true;
}

static int mark_cells(struct pg_build *b, struct pg_draft *dr, const struct pg_expr *e, size_t *left)
{
	const struct pg_sweep_in *sw = dr->sw;
	struct pg_cell_buf *buf = pg_cell_buf_for(b->plan, (const struct pg_sweep_in *const *)&dr->sw, 1);
	struct pg_err err = {.code = PG_OK};
	struct pg_cellview view;
	int rc = 0;

	if (!buf)
		return pg_diag_error(&b->d, NULL, "out of memory");
	pg_cell_enter(buf, sw);
	view = pg_cell_view(buf);
	for (size_t i = 0; i < sw->pub.n_cells && !rc; i++) {
		size_t index = sw->pub.first_cell + i;
		struct pg_evalue v;

		if (b->plan->marks[index] >> PG_MARK_SHIFT != PG_NOT_SKIPPED)
			continue;
		pg_cell_move(buf, i);
		(void)pg_cell_compute(buf, NULL);
		if (pg_expr_eval(e, &view, &v, NULL, &err))
			rc = pg_diag_pass(&b->d, &err);
		else if (v.kind == PG_E_BOOL && v.num.m)
			++*left;
		else if (pg_plan_mark(b->plan, index, PG_SKIP_NOT_SELECTED, "not selected by --only"))
			rc = pg_diag_error(&b->d, NULL, "out of memory");
	}
	pg_cell_buf_free(buf);
	return rc;
}

static int mark_all(struct pg_build *b, const struct pg_draft *dr)
{
	for (size_t i = 0; i < dr->sw->pub.n_cells; i++) {
		size_t index = dr->sw->pub.first_cell + i;

		if (b->plan->marks[index] >> PG_MARK_SHIFT == PG_NOT_SKIPPED &&
		    pg_plan_mark(b->plan, index, PG_SKIP_NOT_SELECTED, "not selected by --only"))
			return pg_diag_error(&b->d, NULL, "out of memory");
	}
	return 0;
}

int pg_select_only(struct pg_build *b)
{
	const char *text = b->opts.only;
	struct first_error first = {.any = false};
	size_t meant = 0, left = 0;

	if (!text)
		return 0;
	b->plan->only = pg_arena_strdup(b->a, text);
	for (size_t i = 0; i < b->n_drafts; i++) {
		struct pg_draft *dr = &b->drafts[i];
		struct first_error here = {.any = false};
		struct pg_diag d = {.report = keep_first, .ctx = &here};
		struct pg_expr *e = NULL;
		struct pg_scope scope = pg_sweep_names(dr, true);
		int rc;

		if (pg_expr_parse(text, strlen(text), &only_loc, &scope, b->a, &e, &d) || pg_sweep_condition(e, &d)) {
			if (!first.any)
				first = here;
			rc = mark_all(b, dr);
		} else {
			meant++;
			rc = mark_cells(b, dr, e, &left);
		}
		if (rc)
			return -1;
	}
	if (!meant)
		return pg_diag_pass(&b->d, &first.err);
	return left ? 0
		    : pg_diag_error(&b->d, &(struct pg_loc){.file = "--only"},
				    "no cell is left to run; `perfgrid plan` shows all");
}
