/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line over the scenario: --set and --vary move params before values are read, --only marks cells of the
 * finished plan. */
#include <string.h>

#include "base/str.h"
#include "plan/quote.h"
#include "plan/sweep.h"

#define MAX_NEAR   256
#define MAX_LISTED 20

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
	const char *what = strcmp(flag, "--set") == 0 ? "value" : "value,value";

	o->loc = (struct pg_loc){.file = pg_build_printf(b, "%s %s", flag, text)};
	if (!o->loc.file)
		return -1;
	if (!is || is == text || !is[1])
		return pg_diag_error(&b->d, &o->loc, "no name and value; write %s name=%s or SWEEP.name=...", flag,
				     what);
	dot = memchr(text, '.', (size_t)(is - text));
	if (dot == text)
		return pg_diag_error(&b->d, &o->loc,
				     "no sweep is named before the dot; write %s name=%s for every sweep that takes "
				     "it, or SWEEP.name=%s for one",
				     flag, what, what);
	if (dot && dot + 1 == is)
		return pg_diag_error(&b->d, &o->loc, "no param is named after the dot; write %s SWEEP.name=%s", flag,
				     what);
	o->sweep = dot ? pg_arena_strndup(b->a, text, (size_t)(dot - text)) : NULL;
	text = dot ? dot + 1 : text;
	o->name = pg_arena_strndup(b->a, text, (size_t)(is - text));
	o->value = is + 1;
	if (!o->name || (dot && !o->sweep))
		return pg_diag_error(&b->d, NULL, "out of memory");
	return 0;
}

/* How closely an option names this sweep: 1 = it names none, 2 = the one that this was expanded from, 3 = this very
 * one; 0 = another. */
static int closeness(const struct option *o, const struct pg_draft *dr)
{
	if (!o->sweep)
		return 1;
	if (strcmp(o->sweep, dr->name) == 0)
		return 3;
	return dr->base_name && strcmp(o->sweep, dr->base_name) == 0 ? 2 : 0;
}

static bool is_for(const struct option *o, const struct pg_draft *dr)
{
	return closeness(o, dr) && pg_draft_takes(dr, o->name);
}

/* Another option of the same list, before `at` or behind, gives the same param of this sweep: a closer one counts, one
 * as close is an error (reported for the later one). */
enum rival { RIVAL_NONE, RIVAL_CLOSER, RIVAL_TWICE };
static enum rival find_rival(struct pg_draft *dr, const char *flag, const char *const *list, size_t n, size_t at,
			     const struct option *mine)
{
	enum rival found = RIVAL_NONE;
	struct option o;

	for (size_t i = 0; i < n; i++) {
		if (i == at || split(dr->b, flag, list[i], &o) || strcmp(o.name, mine->name) != 0)
			continue;
		if (closeness(&o, dr) > closeness(mine, dr))
			found = RIVAL_CLOSER;
		if (closeness(&o, dr) != closeness(mine, dr) || i > at)
			continue;
		pg_diag_error(&dr->b->d, &mine->loc, "%s stands before it for the same param; give one of the two",
			      o.loc.file);
		return RIVAL_TWICE;
	}
	return found;
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

/* Option `at` of a list. */
static int apply(struct pg_draft *dr, const char *flag, const char *const *list, size_t n, size_t at, bool *taken)
{
	bool is_set = strcmp(flag, "--set") == 0;
	const struct pg_node *node;
	enum rival rival;
	struct option o;

	if (split(dr->b, flag, list[at], &o))
		return -1;
	if (!is_for(&o, dr))
		return 0;
	taken[at] = true;
	rival = find_rival(dr, flag, list, n, at, &o);
	if (rival != RIVAL_NONE)
		return rival == RIVAL_TWICE ? -1 : 0;
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
		if (apply(dr, "--set", o->set, o->n_set, i, dr->b->set_taken))
			rc = -1;
	for (size_t i = 0; i < o->n_vary; i++)
		if (apply(dr, "--vary", o->vary, o->n_vary, i, dr->b->vary_taken))
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

static int no_sweep(struct pg_build *b, const struct option *o)
{
	const char *near[MAX_NEAR] = {NULL}, *best;
	struct pg_str list;
	struct pg_quote q;
	size_t n = 0;

	for (size_t i = 0; i < b->n_drafts && n < MAX_NEAR; i++)
		near[n++] = b->drafts[i].name;
	pg_quote(&q, o->sweep, strlen(o->sweep));
	best = pg_nearest(o->sweep, near, n);
	if (best)
		return pg_diag_error(&b->d, &o->loc, "there is no sweep `%s`; did you mean `%s`?", q.s, best);
	pg_str_init(&list);
	for (size_t i = 0; i < n && i < MAX_LISTED; i++)
		pg_str_addf(&list, "%s%s", i ? ", " : "", near[i]);
	pg_diag_error(&b->d, &o->loc, "there is no sweep `%s`; the file has %s%s", q.s, pg_str_text(&list),
		      b->n_drafts > MAX_LISTED ? ", ..." : "");
	pg_str_release(&list);
	return -1;
}

/* A key of the scenario in the place of a param: where it is said instead. 0 = it is none. */
static int is_key(struct pg_build *b, const struct option *o)
{
	static const struct {
		enum pg_key_id id;
		const char *option;
	} options[] = {
		{PG_K_REPEAT, "--repeat N"},  {PG_K_WARMUP, "--warmup N"},    {PG_K_QUICK, "--quick"},
		{PG_K_LABEL, "--label TEXT"}, {PG_K_SET, "--set name=value"}, {PG_K_VARY, "--vary name=value,value"},
	};
	const struct pg_key *row = pg_key_find(pg_sweep_keys, o->name);

	if (!row)
		return 0;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].id == row->id)
			return pg_diag_error(&b->d, &o->loc, "`%s` is a key and no param; use %s", o->name,
					     options[i].option);
	return pg_diag_error(&b->d, &o->loc, "`%s` is a key and no param; write it in the scenario, in the sweep%s",
			     o->name, row->flags & PG_KEY_DEFAULTS ? " or in `defaults`" : "");
}

static int not_taken(struct pg_build *b, const char *flag, const char *text)
{
	const char *near[MAX_NEAR] = {NULL}, *best, *why;
	struct option o;
	struct pg_quote q;
	size_t n = 0;

	if (split(b, flag, text, &o))
		return -1;
	if (o.sweep && !names_sweep(b, o.sweep))
		return no_sweep(b, &o);
	if (is_key(b, &o))
		return -1;
	pg_quote(&q, o.name, strlen(o.name));
	why = pg_name_reserved(o.name);
	if (why)
		return pg_diag_error(&b->d, &o.loc, "`%s` %s and no param; see `perfgrid describe BENCH`", q.s, why);
	for (size_t i = 0; i < b->n_drafts; i++) {
		const struct pg_draft *dr = &b->drafts[i];

		for (size_t k = 0; k < dr->n_places && n < MAX_NEAR; k++)
			near[n++] = dr->places[k].name;
		for (const struct pg_param *row = dr->bench ? dr->bench->params : NULL;
		     row && row->name && n < MAX_NEAR; row++)
			near[n++] = row->name;
	}
	best = pg_nearest(o.name, near, n);
	if (best)
		return pg_diag_error(&b->d, &o.loc, "no sweep takes `%s`; did you mean `%s`?", q.s, best);
	if (!pg_is_param_name(o.name))
		return pg_diag_error(&b->d, &o.loc,
				     "`%s` cannot be the name of a param; allowed: small letters, digits, `_`, first a "
				     "letter",
				     q.s);
	return pg_diag_error(&b->d, &o.loc, "no sweep takes `%s`; see `perfgrid describe BENCH`", q.s);
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
