/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bundles: an axis whose items are maps of a label, the same params in each, and run keys. Variants are one. */
#include <string.h>

#include "base/nameset.h"
#include "base/str.h"
#include "plan/quote.h"
#include "plan/scalar.h"
#include "plan/sweep.h"

#define MAX_ITEMS 10000u
#define MAX_NEAR  256

struct item_ctx {
	struct pg_draft *dr;
	struct pg_axis_make *ax;
	size_t i;
	struct pg_keyset ks;
	size_t n_params; /* of this item, among the columns */
};

/* As it is called in messages. */
static const char *what(const struct pg_axis_make *ax)
{
	return ax->place->variants ? "" : "bundle ";
}

static const char *name_of(const struct pg_axis_make *ax)
{
	return ax->place->variants ? "variants" : ax->place->name;
}

static int count_columns(struct pg_draft *dr, struct pg_axis_make *ax)
{
	const struct pg_node *first = ax->place->node->child;

	ax->cols = pg_build_array(dr->b, first->n, sizeof(*ax->cols));
	if (!ax->cols)
		return -1;
	for (const struct pg_node *c = first->child; c; c = c->next) {
		const struct pg_forced *f = pg_draft_forced(dr, c->key->text);
		size_t param;

		if (!pg_item_key_is_param(c) || (f && !f->node) ||
		    !pg_param_find(dr->sw->pub.params, c->key->text, &param))
			continue;
		ax->cols[ax->n_cols++] = param;
		dr->source[param] = PG_FROM_AXIS;
		dr->value_loc[param] = c->loc;
	}
	return 0;
}

static bool find_column(const struct item_ctx *c, const char *name, size_t *col)
{
	for (*col = 0; *col < c->ax->n_cols; ++*col)
		if (strcmp(c->dr->sw->pub.params[c->ax->cols[*col]].name, name) == 0)
			return true;
	return false;
}

static int item_param(struct item_ctx *c, const struct pg_node *node)
{
	const struct pg_values_ctx ctx = pg_draft_values(c->dr);
	const struct pg_forced *f = pg_draft_forced(c->dr, node->key->text);
	struct pg_item item;
	size_t col;

	if (f && !f->node)
		return 0;
	if (!find_column(c, node->key->text, &col))
		return pg_draft_check_name(c->dr, node->key)
			       ? -1
			       : pg_diag_error(
					 &c->dr->b->d, &node->key->loc,
					 "`%s` stands in this item and not in the first; items have the same params",
					 node->key->text);
	c->n_params++;
	if (!f && pg_key_has_value(&c->dr->b->d, node))
		return -1;
	if (pg_values_one(&ctx, &c->dr->sw->pub.params[c->ax->cols[col]], f ? f->node : node, &item))
		return -1;
	pg_axis_put(c->dr, c->ax, c->i, col, &item);
	return 0;
}

static int item_key(struct item_ctx *c, const struct pg_node *node)
{
	const struct pg_key *row = pg_key_find(pg_sweep_keys, node->key->text);
	struct pg_build *b = c->dr->b;

	if (pg_item_key_is_param(node))
		return item_param(c, node);
	if (pg_key_has_value(&b->d, node))
		return -1;
	return row->id == PG_K_LABEL ? pg_scalar_name(&b->d, row, node, &c->ax->names[c->i])
				     : pg_keyset_run(b, row, node, &c->ks);
}

static int missing_params(struct item_ctx *c, const struct pg_node *item)
{
	if (c->ax->place->variants)
		return pg_variants_fill(c->dr, c->ax, item, c->i);
	for (size_t k = 0; k < c->ax->n_cols; k++) {
		const char *name = c->dr->sw->pub.params[c->ax->cols[k]].name;

		if (!pg_node_get(item, name))
			return pg_diag_error(
				&c->dr->b->d, &item->loc,
				"`%s` is missing in this item and stands in the first; items have the same params",
				name);
	}
	return 0;
}

/* i: of the item whose label it is. */
static int take_label(struct pg_draft *dr, const struct pg_axis_make *ax, struct pg_nameset *labels,
		      const struct pg_node *item, size_t i)
{
	const char *label = ax->names[i];
	size_t before;
	int added = pg_nameset_add(labels, label, i, &before);

	if (added < 0)
		return pg_diag_error(&dr->b->d, NULL, "out of memory");
	return added ? 0
		     : pg_diag_error(&dr->b->d, &pg_node_get(item, "label")->loc,
				     "label %s stands in %s a second time; a label is taken once, whatever its case",
				     label, ax->place->variants ? "`variants`" : "this bundle");
}

static int read_item(struct pg_draft *dr, struct pg_axis_make *ax, const struct pg_node *item, size_t i,
		     struct pg_nameset *labels)
{
	struct item_ctx c = {.dr = dr, .ax = ax, .i = i};
	struct pg_diag *d = &dr->b->d;
	bool cut = false;
	int rc = 0;

	if (item->kind != PG_NODE_MAP)
		return pg_node_slip(item, d) ? -1
					     : pg_diag_error(d, &item->loc,
							     "an item of %s`%s` must be a map with `label`; this is %s",
							     what(ax), name_of(ax), pg_node_what(item));
	for (const struct pg_node *n = item->child; n && !pg_diag_full(d); n = n->next) {
		if (cut && pg_node_is_null(n))
			continue;
		cut = n->kind == PG_NODE_SCALAR && pg_node_slip(n, d);
		if (cut || item_key(&c, n))
			rc = -1;
	}
	if (!pg_node_get(item, "label"))
		rc = pg_diag_error(d, &item->loc,
				   "`label` is missing in this item; it names the item in tables and CSV");
	if (missing_params(&c, item))
		rc = -1;
	if (!rc && take_label(dr, ax, labels, item, i))
		rc = -1;
	if (pg_keyset_placeholders(dr, &c.ks))
		rc = -1;
	ax->keys[i] = (struct pg_item_keys){.run = c.ks.run, .given = c.ks.given};
	return rc;
}

/* A setting made before the reps of one item stays for the next item's, unless that one has something to say about it.
 */
static int leaks(struct pg_draft *dr, const struct pg_axis_make *ax)
{
	const unsigned before = 1u << (PG_K_BEFORE - PG_K_PIN), after = 1u << (PG_K_AFTER - PG_K_PIN);
	const struct pg_node *item = ax->place->node->child;
	unsigned any = 0;
	int rc = 0;

	for (size_t i = 0; i < ax->n; i++)
		any |= ax->keys[i].given;
	if (!(any & before))
		return 0;
	for (size_t i = 0; i < ax->n; i++, item = item->next)
		if (!(ax->keys[i].given & (before | after)))
			rc = pg_diag_error(&dr->b->d, &item->loc,
					   "another item of `%s` has `before` and this one has not: its setting would "
					   "stay; give each item `before` or `after`",
					   name_of(ax));
	return rc;
}

/* A run key in two bundles of a sweep would have two values in each cell. */
static int same_key_twice(struct pg_draft *dr, const struct pg_axis_make *ax)
{
	unsigned mine = 0, theirs = 0;

	for (size_t i = 0; i < ax->n; i++)
		mine |= ax->keys[i].given;
	mine &= ~(1u << (PG_K_ENV - PG_K_PIN)); /* merged name by name */
	for (const struct pg_axis_make *o = dr->axes; o < ax; o++) {
		for (size_t i = 0; o->keys && i < o->n; i++)
			theirs |= o->keys[i].given;
		if (!(mine & theirs))
			continue;
		for (const struct pg_key *row = pg_sweep_keys; row->name; row++)
			if (pg_key_is_run(row->id) && (mine & theirs & (1u << (row->id - PG_K_PIN))))
				return pg_diag_error(&dr->b->d, &ax->place->loc,
						     "`%s` stands in bundle `%s` and in %s`%s`; keep it in one",
						     row->name, o->place->name, what(ax), name_of(ax));
	}
	return 0;
}

static int no_label(struct pg_draft *dr, const struct pg_axis_make *ax, const struct pg_node *node)
{
	const char *best = pg_nearest(node->text, ax->names, ax->n < MAX_NEAR ? ax->n : MAX_NEAR);
	struct pg_quote q;

	return pg_diag_error(&dr->b->d, &node->loc, "%s`%s` has no item %s%s%s%s", what(ax), name_of(ax),
			     pg_quote(&q, node->text, node->len),
			     best ? "; did you mean `" : "; name one of its labels", best ? best : "",
			     best ? "`?" : "");
}

/* moved: per item of `from`. */
static int move_item(struct pg_draft *dr, struct pg_axis_make *from, struct pg_axis_make *to,
		     const struct pg_node *node, bool *moved)
{
	size_t i, n = from->n_cols;

	if (node->kind != PG_NODE_SCALAR)
		return pg_diag_error(&dr->b->d, &node->loc, "%s`%s` takes its labels here; this is %s", what(from),
				     from->place->name, pg_node_what(node));
	if (pg_axis_find_label(dr, from, node->text, &i))
		return -1;
	if (i == from->n)
		return no_label(dr, from, node);
	if (moved[i])
		return pg_diag_error(&dr->b->d, &node->loc, "label %s stands here a second time; keep one", node->text);
	moved[i] = true;
	memcpy(to->vals + to->n * n, from->vals + i * n, n * sizeof(*to->vals));
	memcpy(to->texts + to->n * n, from->texts + i * n, n * sizeof(*to->texts));
	memcpy(to->labels + to->n * n, from->labels + i * n, n * sizeof(*to->labels));
	to->names[to->n] = from->names[i];
	to->keys[to->n++] = from->keys[i];
	return 0;
}

/* A quick form or the command line names the items that are left. */
static int keep_items(struct pg_draft *dr, struct pg_axis_make *ax)
{
	const struct pg_node *keep = ax->place->keep, *one;
	struct pg_axis_make left = {
		.place = ax->place, .cols = ax->cols, .n_cols = ax->n_cols, .has_label = ax->has_label};
	bool *moved;

	if (!keep)
		return 0;
	if (keep->kind == PG_NODE_MAP || (keep->kind == PG_NODE_LIST && !keep->child))
		return pg_diag_error(&dr->b->d, &keep->loc, "%s`%s` takes its labels here", what(ax), ax->place->name);
	moved = pg_build_array(dr->b, ax->n, sizeof(*moved));
	if (!moved || pg_axis_room(dr, &left, keep->kind == PG_NODE_LIST ? keep->n : 1))
		return -1;
	for (one = keep->kind == PG_NODE_LIST ? keep->child : keep; one;
	     one = keep->kind == PG_NODE_LIST ? one->next : NULL)
		if (left.n == left.room || move_item(dr, ax, &left, one, moved))
			return -1;
	*ax = left;
	return 0;
}

static void drop_no_keys(struct pg_axis_make *ax)
{
	unsigned any = 0;

	for (size_t i = 0; i < ax->n; i++)
		any |= ax->keys[i].given;
	if (!any)
		ax->keys = NULL;
}

int pg_sweep_bundle(struct pg_draft *dr, struct pg_axis_make *ax)
{
	const struct pg_node *list = ax->place->node;
	bool variants = ax->place->variants;
	struct pg_nameset labels;
	int rc = 0;

	if (list->n > MAX_ITEMS)
		return pg_diag_error(&dr->b->d, &list->loc, "bundle `%s` has %zu items; at most %u", ax->place->name,
				     list->n, MAX_ITEMS);
	if ((variants ? pg_variants_columns(dr, ax) : count_columns(dr, ax)) || pg_axis_room(dr, ax, list->n))
		return -1;
	pg_nameset_init(&labels, true);
	for (const struct pg_node *item = list->child; item && !pg_diag_full(&dr->b->d); item = item->next, ax->n++)
		if (read_item(dr, ax, item, ax->n, &labels))
			rc = -1;
	pg_nameset_release(&labels);
	for (size_t k = 0; variants && k < ax->n_cols; k++)
		dr->sw->base_texts[ax->cols[k]] = NULL; /* what is set stands in the items that leave it */
	if (rc || leaks(dr, ax) || same_key_twice(dr, ax) || keep_items(dr, ax))
		return -1;
	drop_no_keys(ax);
	return 0;
}
