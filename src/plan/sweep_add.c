/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cells beside the product: one value per axis and nothing else. A new value joins the axis; a cell that is there
 * already is dropped. With variants each comes in every arm, and names none. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "plan/quote.h"
#include "plan/scalar.h"
#include "plan/sweep.h"

#define MAX_NEAR 256

struct adder {
	struct pg_draft *dr;
	size_t n_axes; /* those that an item names */
	uint32_t *pos; /* of the cells kept so far */
	struct pg_loc *loc;
	size_t n;
	uint32_t *table; /* hash of positions: index + 1 */
	size_t n_table;
};

/* Axes without the one of variants, which is the last. */
static size_t named_axes(const struct pg_draft *dr)
{
	return dr->n_axes - (dr->n_axes && dr->axes[dr->n_axes - 1].place->variants);
}

static int no_axis(struct pg_draft *dr, const struct pg_node *key)
{
	const char *names[MAX_NEAR] = {NULL}, *best;
	struct pg_str list;
	struct pg_quote q;
	size_t n = 0, axes = named_axes(dr);

	pg_quote(&q, key->text, key->len);
	if (axes < dr->n_axes && strcmp(key->text, "variant") == 0)
		return pg_diag_error(&dr->b->d, &key->loc,
				     "`variant` has no place in `add`; what it adds comes in every variant");
	if (!axes)
		return pg_diag_error(&dr->b->d, &key->loc, "`%s` is no axis: this sweep has none; `add` needs a `vary`",
				     q.s);
	pg_str_init(&list);
	for (size_t a = 0; a < axes && n < MAX_NEAR; a++) {
		names[n++] = dr->axes[a].place->name;
		pg_str_addf(&list, "%s%s", a ? ", " : "", dr->axes[a].place->name);
	}
	best = pg_nearest(key->text, names, n);
	pg_diag_error(&dr->b->d, &key->loc, "`%s` is no axis of this sweep; `add` takes one value for each of %s%s%s%s",
		      q.s, pg_str_text(&list), best ? "; did you mean `" : "", best ? best : "", best ? "`?" : "");
	pg_str_release(&list);
	return -1;
}

static int find_label(struct pg_draft *dr, struct pg_axis_make *ax, const struct pg_node *node, uint32_t *pos)
{
	const char *best;
	struct pg_quote q;
	size_t i;

	if (node->kind != PG_NODE_SCALAR)
		return pg_diag_error(&dr->b->d, &node->loc, "bundle `%s` takes one label here; this is %s",
				     ax->place->name, pg_node_what(node));
	if (pg_axis_find_label(dr, ax, node->text, &i))
		return -1;
	*pos = (uint32_t)i;
	if (i < ax->n)
		return 0;
	best = pg_nearest(node->text, ax->names, ax->n < MAX_NEAR ? ax->n : MAX_NEAR);
	return pg_diag_error(&dr->b->d, &node->loc, "bundle `%s` has no item %s%s%s%s", ax->place->name,
			     pg_quote(&q, node->text, node->len),
			     best ? "; did you mean `" : "; name one of its labels", best ? best : "",
			     best ? "`?" : "");
}

static int find_value(struct pg_draft *dr, struct pg_axis_make *ax, const struct pg_node *node, uint32_t *pos)
{
	const struct pg_values_ctx ctx = pg_draft_values(dr);
	struct pg_item item;
	size_t i;

	if (pg_values_one(&ctx, &dr->sw->pub.params[ax->cols[0]], node, &item) ||
	    pg_axis_find_value(dr, ax, &item.v, &i))
		return -1;
	*pos = (uint32_t)i;
	if (i < ax->n)
		return 0;
	if (ax->n == ax->room && pg_axis_room(dr, ax, 2 * ax->room))
		return -1;
	pg_axis_put(dr, ax, i, 0, &item);
	ax->names[i] = item.text;
	ax->has_label |= item.from_word;
	ax->n++;
	return 0;
}

static int read_entry(struct pg_draft *dr, const struct pg_node *c, uint32_t *pos)
{
	for (size_t a = 0; a < named_axes(dr); a++) {
		struct pg_axis_make *ax = &dr->axes[a];

		if (strcmp(ax->place->name, c->key->text) != 0)
			continue;
		if (pg_key_has_value(&dr->b->d, c) || ax->broken)
			return -1;
		return ax->place->bundle ? find_label(dr, ax, c, &pos[a]) : find_value(dr, ax, c, &pos[a]);
	}
	return no_axis(dr, c->key);
}

static int read_cell(struct pg_draft *dr, const struct pg_node *item, uint32_t *pos)
{
	int rc = 0;

	if (item->kind != PG_NODE_MAP)
		return pg_diag_error(&dr->b->d, &item->loc,
				     "an item of `add` must be a map with one value for each axis; this is %s",
				     pg_node_what(item));
	for (const struct pg_node *c = item->child; c && !pg_diag_full(&dr->b->d); c = c->next)
		if (read_entry(dr, c, pos))
			rc = -1;
	for (size_t a = 0; a < named_axes(dr); a++)
		if (!pg_node_get(item, dr->axes[a].place->name))
			rc = pg_diag_error(&dr->b->d, &item->loc,
					   "`%s` is missing in this item; `add` takes one value for each axis",
					   dr->axes[a].place->name);
	return rc;
}

static bool in_product(const struct pg_draft *dr, const uint32_t *pos)
{
	for (size_t a = 0; a < named_axes(dr); a++)
		if (pos[a] >= dr->axes[a].n_product)
			return false;
	return true;
}

/* Among the cells that `add` made before. */
static bool is_there(struct adder *ad, const uint32_t *pos)
{
	size_t n = ad->n_axes, bytes = n * sizeof(*pos);
	size_t at = (size_t)pg_mix64(pg_fnv1a(PG_FNV_INIT, pos, bytes)) & (ad->n_table - 1);

	for (; ad->table[at]; at = (at + 1) & (ad->n_table - 1))
		if (memcmp(ad->pos + (ad->table[at] - 1) * n, pos, bytes) == 0)
			return true;
	ad->table[at] = (uint32_t)ad->n + 1;
	return false;
}

static int add_cells(struct adder *ad, const struct pg_node *list)
{
	struct pg_draft *dr = ad->dr;
	int rc = 0;

	for (const struct pg_node *item = list->child; item && !pg_diag_full(&dr->b->d); item = item->next) {
		uint32_t *pos = ad->pos + ad->n * ad->n_axes;

		if (read_cell(dr, item, pos)) {
			rc = -1;
			continue;
		}
		if (in_product(dr, pos) || is_there(ad, pos)) {
			pg_diag_note(&dr->b->d, &item->loc, "this cell is there already; dropped");
			continue;
		}
		ad->loc[ad->n++] = item->loc;
	}
	return rc;
}

/* Positions are needed for one cell more than there are items: the last one may be a candidate that is dropped. */
static int make_room(struct adder *ad, size_t items)
{
	struct pg_build *b = ad->dr->b;

	ad->n_table = 16;
	while (ad->n_table < 2 * items)
		ad->n_table *= 2;
	ad->pos = pg_build_array(b, (items + 1) * (ad->n_axes + 1), sizeof(*ad->pos));
	ad->loc = pg_build_array(b, items, sizeof(*ad->loc));
	ad->table = pg_build_array(b, ad->n_table, sizeof(*ad->table));
	return ad->pos && ad->loc && ad->table ? 0 : -1;
}

/* Each cell in every arm. */
static int put_arms(struct adder *ad)
{
	struct pg_draft *dr = ad->dr;
	struct pg_sweep_in *sw = dr->sw;
	size_t arms = ad->n_axes < dr->n_axes ? dr->axes[ad->n_axes].n : 1, n = ad->n * arms;
	uint32_t *pos = pg_build_array(dr->b, n * dr->n_axes, sizeof(*pos));
	struct pg_loc *loc = pg_build_array(dr->b, n, sizeof(*loc));

	if (!pos || !loc)
		return -1;
	for (size_t i = 0; i < n; i++) {
		memcpy(pos + i * dr->n_axes, ad->pos + i / arms * ad->n_axes, ad->n_axes * sizeof(*pos));
		if (ad->n_axes < dr->n_axes)
			pos[i * dr->n_axes + ad->n_axes] = (uint32_t)(i % arms);
		loc[i] = ad->loc[i / arms];
	}
	sw->n_add = n;
	sw->add_pos = pos;
	sw->add_loc = loc;
	return 0;
}

int pg_sweep_add(struct pg_draft *dr)
{
	const struct pg_node *list = dr->glob ? NULL : pg_node_get(dr->node, "add");
	struct adder ad = {.dr = dr, .n_axes = named_axes(dr)};

	for (size_t a = 0; a < dr->n_axes; a++)
		dr->axes[a].n_product = dr->axes[a].n;
	if (!list || pg_node_is_null(list))
		return 0;
	if (pg_node_want_items(&dr->b->d, pg_key_find(pg_sweep_keys, "add"), list))
		return 0;
	if (dr->axes_changed) {
		pg_diag_note(&dr->b->d, &list->loc, "the axes of sweep %s are others now; %zu item%s of `add` left out",
			     dr->name, list->n, list->n == 1 ? "" : "s");
		return 0;
	}
	if (make_room(&ad, list->n))
		return -1;
	add_cells(&ad, list);
	return put_arms(&ad);
}
