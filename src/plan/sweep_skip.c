/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Skips: maps of names and values, conditions, or both. Which values of an axis match is worked out once. */
#include <string.h>

#include "base/str.h"
#include "plan/quote.h"
#include "plan/scalar.h"
#include "plan/sweep.h"

#define MAX_VALUES 1000u /* of a list in a skip */

struct skip_ctx {
	struct pg_draft *dr;
	struct pg_skip_rule *s;
	struct pg_skip_match *m;
};

static struct pg_axis_make *axis_of(const struct pg_draft *dr, const char *name, size_t *a)
{
	for (*a = 0; *a < dr->n_axes; ++*a)
		if (strcmp(dr->axes[*a].place->name, name) == 0)
			return &dr->axes[*a];
	return NULL;
}

/* Is it a label of the bundle, or of one of its items that the command line left out? */
static bool is_label(const struct pg_axis_make *ax, const char *text)
{
	for (const struct pg_node *item = ax->place->node->child; item; item = item->next) {
		const struct pg_node *label = pg_node_get(item, "label");

		if (label && label->kind == PG_NODE_SCALAR && strcmp(label->text, text) == 0)
			return true;
	}
	return false;
}

static int match_label(struct skip_ctx *c, struct pg_axis_make *ax, const struct pg_node *v)
{
	struct pg_diag *d = &c->dr->b->d;
	struct pg_quote q;
	size_t i;

	if (v->kind != PG_NODE_SCALAR)
		return pg_diag_error(d, &v->loc, "bundle `%s` is matched by its labels; this is %s", ax->place->name,
				     pg_node_what(v));
	if (pg_axis_find_label(c->dr, ax, v->text, &i))
		return -1;
	if (i < ax->n) {
		c->m->bits[i] = true;
		return 0;
	}
	if (!is_label(ax, v->text)) {
		const char *best = pg_nearest(v->text, ax->names, ax->n < 256 ? ax->n : 256);

		return pg_diag_error(
			d, &v->loc, "bundle `%s` has no item %s%s%s%s", ax->place->name, pg_quote(&q, v->text, v->len),
			best ? "; did you mean `" : "; name one of its labels", best ? best : "", best ? "`?" : "");
	}
	return 0;
}

/* Value `v` of the map for param `param`, and where it is an axis, which of its values that is. */
static int match_value(struct skip_ctx *c, struct pg_axis_make *ax, size_t param, const struct pg_node *v,
		       struct pg_value *out)
{
	const struct pg_values_ctx ctx = pg_draft_values(c->dr);
	struct pg_item item;
	size_t i;

	if (pg_values_one(&ctx, &c->dr->sw->pub.params[param], v, &item))
		return -1;
	*out = item.v;
	if (ax && pg_axis_find_value(c->dr, ax, &item.v, &i))
		return -1;
	if (ax && i < ax->n)
		c->m->bits[i] = true;
	return 0;
}

static int unknown_name(struct pg_draft *dr, const struct pg_node *node)
{
	return pg_key_unknown(&dr->b->d, node, pg_skip_keys, PG_KEY_SUB, "a skip", dr->slot_names + PG_MACHINE_WORDS,
			      dr->n_slots - 1 - PG_MACHINE_WORDS);
}

static int read_match(struct skip_ctx *c, const struct pg_node *node)
{
	struct pg_draft *dr = c->dr;
	bool list = node->kind == PG_NODE_LIST;
	size_t param = 0, n = list ? node->n : 1, k = 0;
	struct pg_axis_make *ax = axis_of(dr, node->key->text, &c->m->axis);
	struct pg_value *vals = pg_build_array(dr->b, n, sizeof(*vals));
	const struct pg_node *v;
	int rc = 0;

	if (!ax && !pg_param_find(dr->sw->pub.params, node->key->text, &param))
		return unknown_name(dr, node);
	if (pg_key_has_value(&dr->b->d, node) || !vals)
		return -1;
	if (n > MAX_VALUES)
		return pg_diag_error(&dr->b->d, &node->loc, "`%s` has %zu values; at most %u, or a condition",
				     node->key->text, n, MAX_VALUES);
	if (list && !node->child)
		return pg_diag_error(&dr->b->d, &node->loc, "`%s` has an empty list; write a value or several",
				     node->key->text);
	if (ax && !ax->place->bundle)
		param = ax->cols[0];
	c->m->bits = ax ? pg_build_array(dr->b, ax->n, sizeof(bool)) : NULL;
	if (ax && !c->m->bits)
		return -1;
	for (v = list ? node->child : node; v; v = list ? v->next : NULL)
		if (ax && ax->place->bundle ? match_label(c, ax, v) : match_value(c, ax, param, v, &vals[k++]))
			rc = -1;
	c->m->param = param;
	c->m->vals = vals;
	c->m->n_vals = k;
	return rc;
}

static int read_when(struct skip_ctx *c, const struct pg_node *node)
{
	struct pg_scope scope = pg_sweep_names(c->dr, false);
	struct pg_diag *d = &c->dr->b->d;

	if (pg_key_has_value(d, node) || pg_expr_parse_node(node, &scope, c->dr->b->a, &c->s->when, d))
		return -1;
	return pg_sweep_condition(c->s->when, d);
}

/* "transport: socket, groups: [1, 2], CONDITION": what stands there is the reason where no other is given. */
static const char *own_words(struct pg_draft *dr, const struct pg_node *item)
{
	const struct pg_node *when = pg_node_get(item, "when");
	struct pg_str s;
	const char *out;

	pg_str_init(&s);
	for (const struct pg_node *c = item->child; c; c = c->next) {
		if (pg_key_find(pg_skip_keys, c->key->text))
			continue;
		pg_str_addf(&s, "%s%s: %s", s.len ? ", " : "", c->key->text, c->kind == PG_NODE_LIST ? "[" : "");
		if (c->kind == PG_NODE_SCALAR)
			pg_str_adds(&s, c->text);
		for (const struct pg_node *v = c->kind == PG_NODE_LIST ? c->child : NULL; v; v = v->next)
			pg_str_addf(&s, "%s%s", v->text, v->next ? ", " : "]");
	}
	if (when)
		pg_str_addf(&s, "%s%s", s.len ? ", " : "", when->text);
	out = pg_build_printf(dr->b, "%s", pg_str_text(&s));
	pg_str_release(&s);
	return out;
}

static int read_entry(struct skip_ctx *c, const struct pg_node *n)
{
	const struct pg_key *row = pg_key_find(pg_skip_keys, n->key->text);
	struct pg_diag *d = &c->dr->b->d;

	if (row && row->id == PG_K_WHEN)
		return read_when(c, n);
	if (row)
		return pg_key_has_value(d, n) || pg_scalar_text(d, row, n, &c->s->why) ? -1 : 0;
	c->m = &c->s->matches[c->s->n_matches++];
	return read_match(c, n);
}

static int read_skip(struct pg_draft *dr, const struct pg_node *item, struct pg_skip_rule *s)
{
	struct skip_ctx c = {.dr = dr, .s = s};
	struct pg_diag *d = &dr->b->d;
	bool cut = false;
	int rc = 0;

	s->loc = item->loc;
	if (item->kind != PG_NODE_MAP)
		return pg_diag_error(d, &item->loc, "a skip must be a map with `when` or params and values; this is %s",
				     pg_node_what(item));
	s->matches = pg_build_array(dr->b, item->n, sizeof(*s->matches));
	if (!s->matches)
		return -1;
	for (const struct pg_node *n = item->child; n && !pg_diag_full(d); n = n->next) {
		if (cut && pg_node_is_null(n))
			continue;
		cut = n->kind == PG_NODE_SCALAR && pg_node_slip(n, d);
		if (cut || read_entry(&c, n))
			rc = -1;
	}
	if (!rc && !s->n_matches && !s->when)
		rc = pg_diag_error(d, &item->loc, "this skip names no cell; it needs `when` or params and values");
	if (!rc && !s->why)
		s->why = own_words(dr, item);
	return !rc && s->why ? 0 : -1;
}

int pg_sweep_skip(struct pg_draft *dr)
{
	const struct pg_node *list = dr->glob ? NULL : pg_node_get(dr->node, "skip");
	int rc = 0;

	if (!list || pg_node_is_null(list))
		return 0;
	if (pg_node_want_items(&dr->b->d, pg_key_find(pg_sweep_keys, "skip"), list))
		return -1;
	dr->skips = pg_build_array(dr->b, list->n, sizeof(*dr->skips));
	if (!dr->skips)
		return -1;
	for (const struct pg_node *item = list->child; item && !pg_diag_full(&dr->b->d); item = item->next)
		if (read_skip(dr, item, &dr->skips[dr->n_skips++]))
			rc = -1;
	return rc;
}

static bool matches(const struct pg_skip_match *m, const struct pg_cell_buf *buf)
{
	if (m->bits)
		return m->bits[buf->pos[m->axis]];
	for (size_t i = 0; i < m->n_vals; i++)
		if (pg_value_equal(&buf->vals[m->param], &m->vals[i]))
			return true;
	return false;
}

/*
 * -1 after the error of a condition that cannot be evaluated; it is then left alone. quiet: the cell is skipped
 * already, only hits are of interest.
 */
int pg_skip_test(struct pg_draft *dr, struct pg_skip_rule *s, struct pg_cell_buf *buf, bool quiet, bool *hit)
{
	const struct pg_cellview view = pg_cell_view(buf);
	struct pg_evalue v;
	struct pg_err err;
	double cut;

	*hit = false;
	for (size_t i = 0; i < s->n_matches; i++)
		if (!matches(&s->matches[i], buf))
			return 0;
	if (s->when) {
		if (s->failed)
			return -1;
		if (pg_expr_eval(s->when, &view, &v, &cut, &err)) {
			if (quiet)
				return 0;
			s->failed = true;
			return pg_diag_pass(&dr->b->d, &err);
		}
		if (cut > s->cut)
			s->cut = cut;
		if (!v.num.m)
			return 0;
	}
	*hit = true;
	s->hits++;
	return 0;
}
