/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Computed params: derive, and defaults that are expressions over other params. Put into an order in which each comes
 * after what it names; those that no axis reaches are computed once and become plain values.
 */
#include <string.h>

#include "base/str.h"
#include "plan/scalar.h"
#include "plan/sweep.h"

enum state { NEW, OPEN, DONE };

struct one {
	struct pg_computed c;
	const struct pg_node *node; /* derive; NULL = a default */
	enum state state;
};

struct derive {
	struct pg_draft *dr;
	struct one *all;
	size_t n;
	size_t *of_param; /* index + 1, 0 = not computed */
};

static int compile(struct derive *v, struct one *o)
{
	struct pg_draft *dr = v->dr;
	const struct pg_param *row = &dr->sw->pub.params[o->c.param];
	const char *text = pg_param_default(row);
	struct pg_scope scope = pg_sweep_names(dr, false);
	const struct pg_loc none = {.file = dr->loc.file};
	struct pg_expr *e = NULL;

	if (o->node && pg_expr_parse_node(o->node, &scope, dr->b->a, &e, &dr->b->d))
		return -1;
	if (!o->node && pg_expr_parse(text, strlen(text), &none, &scope, dr->b->a, &e, &dr->b->d))
		return -1;
	o->c.e = e;
	return 0;
}

static struct one *add_one(struct derive *v, size_t param, const struct pg_node *node)
{
	struct one *o = &v->all[v->n++];

	*o = (struct one){.c = {.param = param, .loc = node ? node->loc : v->dr->suite_loc}, .node = node};
	v->of_param[param] = v->n;
	return o;
}

/* Until its expression is compiled, a param of exec may be anything. */
static void forget_kinds(struct derive *v)
{
	struct pg_draft *dr = v->dr;

	for (size_t i = 0; i < v->n; i++)
		dr->slot_kinds[PG_SLOT_PARAM(v->all[i].c.param)] = (1u << (PG_E_NONE + 1)) - 1;
}

static enum pg_type type_of(unsigned kinds)
{
	static const enum pg_type of[] = {
		[PG_E_NUM] = PG_REAL,  [PG_E_SIZE] = PG_SIZE, [PG_E_TIME] = PG_TIME,
		[PG_E_BOOL] = PG_BOOL, [PG_E_TEXT] = PG_TEXT,
	};

	for (unsigned k = PG_E_NUM; k <= PG_E_TEXT; k++)
		if (kinds == 1u << k)
			return of[k];
	return PG_TEXT;
}

static int64_t limit_of(struct pg_draft *dr, const struct pg_param *row, const char *text, int64_t none)
{
	struct pg_value v;
	struct pg_err err;

	if (!text || pg_value_parse_any(row, text, strlen(text), dr->b->a, &v, &err) || v.state != PG_V_SET)
		return none;
	return v.u.i;
}

/* Limits that other rows give are looked at cell by cell, after this. */
static void find_short_way(struct pg_draft *dr, const struct pg_param *row, struct pg_computed *c)
{
	static const enum pg_ekind of[] = {[PG_COUNT] = PG_E_NUM, [PG_SIZE] = PG_E_SIZE, [PG_TIME] = PG_E_TIME};

	c->whole = PG_E_NONE;
	if (row->type != PG_COUNT && row->type != PG_SIZE && row->type != PG_TIME)
		return;
	c->whole = of[row->type];
	c->least = limit_of(dr, row, row->min, 0);
	c->most = limit_of(dr, row, row->max, INT64_MAX);
}

/* With what it names known, an expression has a kind; in exec that is the param's type. */
static int settle(struct derive *v, struct one *o)
{
	struct pg_draft *dr = v->dr;
	size_t param = o->c.param;
	struct pg_param *row = dr->rows ? &dr->rows[param] : NULL;
	const struct pg_param *r = &dr->sw->pub.params[param];
	unsigned kinds;

	if (row) {
		if (compile(v, o))
			return -1;
		row->type = type_of(pg_expr_kinds(o->c.e));
		dr->sw->base[param].type = (uint8_t)row->type;
		dr->slot_kinds[PG_SLOT_PARAM(param)] = pg_type_kinds(row->type, false);
		return 0;
	}
	kinds = pg_expr_kinds(o->c.e);
	dr->slot_kinds[PG_SLOT_PARAM(param)] = pg_type_kinds(r->type, r->choices && kinds & 1u << PG_E_TEXT);
	/* A derived operation count is a number, a derived `auto` is auto. */
	dr->labelled[param] |= r->role & PG_OPS && kinds & 1u << PG_E_TEXT;
	return 0;
}

static int cycle(struct derive *v, const struct one *o)
{
	struct pg_draft *dr = v->dr;
	struct pg_str path;

	pg_str_init(&path);
	for (size_t i = 0; i < v->n; i++)
		if (v->all[i].state == OPEN && &v->all[i] != o)
			pg_str_addf(&path, "%s%s", path.len ? ", " : ", by way of ",
				    dr->sw->pub.params[v->all[i].c.param].name);
	pg_diag_error(&dr->b->d, &o->c.loc,
		      "`%s` is derived from itself%s; a param is derived from params that do not need it",
		      dr->sw->pub.params[o->c.param].name, pg_str_text(&path));
	pg_str_release(&path);
	return -1;
}

/* Depth first; what is done stands in sw->computed. At most as deep as there are params. */
static int visit(struct derive *v, struct one *o)
{
	struct pg_draft *dr = v->dr;
	const size_t *slots;
	size_t n;

	if (o->state == DONE)
		return 0;
	if (o->state == OPEN)
		return cycle(v, o);
	o->state = OPEN;
	n = pg_expr_slots(o->c.e, &slots);
	for (size_t i = 0; i < n; i++) {
		size_t param = slots[i] - PG_MACHINE_WORDS;

		if (slots[i] < PG_MACHINE_WORDS || param >= dr->sw->pub.n_params || !v->of_param[param])
			continue;
		if (visit(v, &v->all[v->of_param[param] - 1]))
			return -1;
	}
	o->state = DONE;
	if (settle(v, o))
		return -1;
	find_short_way(dr, &dr->sw->pub.params[o->c.param], &o->c);
	dr->sw->computed[dr->sw->n_computed++] = o->c;
	return 0;
}

bool pg_default_is_computed(const struct pg_draft *dr, size_t param)
{
	const struct pg_param *row = &dr->sw->pub.params[param];
	const char *text = pg_param_default(row);
	struct pg_value v;
	struct pg_err err;

	return dr->source[param] == PG_FROM_DEFAULT && text &&
	       pg_value_parse_any(row, text, strlen(text), dr->b->a, &v, &err);
}

static int collect(struct derive *v)
{
	struct pg_draft *dr = v->dr;
	size_t param;

	for (size_t i = 0; i < dr->n_places; i++)
		if (dr->places[i].kind == PG_IN_DERIVE && pg_param_find(dr->sw->pub.params, dr->places[i].name, &param))
			add_one(v, param, dr->places[i].node);
	for (size_t i = 0; i < dr->sw->pub.n_params; i++)
		if (pg_default_is_computed(dr, i)) {
			add_one(v, i, NULL);
			dr->source[i] = PG_FROM_COMPUTED;
		}
	for (size_t i = 0; i < v->n; i++) {
		const struct pg_param *row = &dr->sw->pub.params[v->all[i].c.param];

		dr->slot_kinds[PG_SLOT_PARAM(v->all[i].c.param)] = pg_type_kinds(row->type, row->choices != NULL);
		dr->value_loc[v->all[i].c.param] = v->all[i].c.loc;
	}
	if (dr->exec)
		forget_kinds(v);
	return 0;
}

int pg_sweep_derive(struct pg_draft *dr)
{
	size_t n = dr->sw->pub.n_params;
	struct derive v = {.dr = dr};
	int rc = 0;

	v.all = pg_build_array(dr->b, n, sizeof(*v.all));
	v.of_param = pg_build_array(dr->b, n, sizeof(*v.of_param));
	dr->sw->computed = pg_build_array(dr->b, n, sizeof(*dr->sw->computed));
	if (!v.all || !v.of_param || !dr->sw->computed || collect(&v))
		return -1;
	for (size_t i = 0; i < v.n; i++)
		if (compile(&v, &v.all[i]))
			rc = -1;
	for (size_t i = 0; i < v.n && !rc; i++)
		rc = visit(&v, &v.all[i]);
	return rc;
}
