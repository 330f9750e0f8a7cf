/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `variants` of a sweep or of defaults: a bundle named `variant`, the last axis. Unlike a bundle's, its params may
 * stand in `set` as well, which they override, and differ from item to item.
 */
#include <string.h>

#include "base/str.h"
#include "plan/scalar.h"
#include "plan/scenario.h"

/* The arms of the self-check, for every sweep. */
int pg_variants_equal(struct pg_build *b)
{
	static const char text[] = "variants: [{label: a}, {label: a2}]\n";
	const struct pg_node *root = pg_yaml_parse("self-check", text, sizeof(text) - 1, b->a, &b->d);

	b->defaults.variants = root ? pg_node_get(root, "variants") : NULL;
	return b->defaults.variants ? 0 : -1;
}

int pg_variants_read(struct pg_build *b, const struct pg_key *row, const struct pg_node *node, struct pg_keyset *ks)
{
	if (b->opts.against_itself)
		return pg_diag_error(&b->d, &node->key->loc,
				     "the self-check compares each cell with itself; leave out `variants`, or give it "
				     "a scenario without");
	if (pg_node_want_items(&b->d, row, node))
		return -1;
	if (node->n < 2)
		return pg_diag_error(&b->d, &node->loc,
				     "`variants` has one item; a comparison needs two or more, the baseline first");
	ks->variants = node;
	return 0;
}

/* The param in an item; what is no map is reported when the item is read. */
static const struct pg_node *param_of(const struct pg_node *item, const char *param)
{
	const struct pg_node *found = pg_node_get(item, param);

	return found && pg_item_key_is_param(found) ? found : NULL;
}

const struct pg_node *pg_variants_param(const struct pg_node *list, const char *param)
{
	const struct pg_node *found = NULL;

	for (const struct pg_node *item = list->child; item && !found; item = item->next)
		found = param_of(item, param);
	return found;
}

static int check_param(struct pg_draft *dr, const struct pg_node *c)
{
	if (!dr->glob)
		return pg_draft_check_name(dr, c->key);
	return pg_diag_error(&dr->b->d, &c->key->loc,
			     "`%s` has no place in `variants` where suite is several benches; run keys have",
			     c->key->text);
}

int pg_draft_variants(struct pg_draft *dr)
{
	const struct pg_node *list = dr->keys.variants;
	struct pg_param_place *p;
	int rc = 0;

	if (!list)
		return 0;
	for (const struct pg_node *item = list->child; item; item = item->next)
		for (const struct pg_node *c = item->kind == PG_NODE_MAP ? item->child : NULL; c; c = c->next)
			if (pg_item_key_is_param(c) && check_param(dr, c))
				rc = -1;
	if (rc && dr->glob) /* the benches would only say the same again */
		return -1;
	p = pg_draft_place(dr, "variant", PG_IN_AXIS, list, &list->key->loc);
	if (!p)
		return -1;
	p->bundle = p->variants = true;
	return rc;
}

/* A param that stands on an axis of its own, in another bundle or in derive. */
static int in_one_place(struct pg_draft *dr, const struct pg_node *c)
{
	const char *name = c->key->text;

	for (size_t i = 0; i < dr->n_places; i++) {
		const struct pg_param_place *p = &dr->places[i];
		const struct pg_node *in = p->bundle && !p->variants ? param_of(p->node->child, name) : NULL;
		bool own = !p->bundle && p->kind != PG_IN_SET && strcmp(p->name, name) == 0;

		if (in || own)
			return pg_diag_error(
				&dr->b->d, &c->key->loc,
				"`%s` stands in variants here and in %s%s%s on line %u; they override only "
				"what is set or a default",
				name,
				in			? "bundle `"
				: p->kind == PG_IN_AXIS ? "vary"
							: "derive",
				in ? p->name : "", in ? "`" : "", in ? in->key->loc.line : p->loc.line);
	}
	return 0;
}

static int all_in_one_place(struct pg_draft *dr, const struct pg_node *list)
{
	int rc = 0;

	for (const struct pg_node *item = list->child; item; item = item->next)
		for (const struct pg_node *c = item->kind == PG_NODE_MAP ? item->child : NULL; c; c = c->next) {
			const struct pg_forced *f = pg_draft_forced(dr, c->key->text);

			/* Told once, for the first item that names it. */
			if (!pg_item_key_is_param(c) || (f && !f->node) || pg_variants_param(list, c->key->text) != c)
				continue;
			if (in_one_place(dr, c))
				rc = -1;
		}
	return rc;
}

int pg_draft_variants_last(struct pg_draft *dr)
{
	struct pg_param_place *p = pg_draft_find(dr, "variant");
	struct pg_param_place own;
	size_t i;

	if (!p || !p->variants)
		return 0;
	own = *p;
	i = (size_t)(p - dr->places);
	memmove(p, p + 1, (dr->n_places - i - 1) * sizeof(*p));
	dr->places[dr->n_places - 1] = own;
	return all_in_one_place(dr, own.node);
}

void pg_variants_unused(struct pg_build *b)
{
	if (!b->defaults.looks.file)
		return;
	for (size_t i = 0; i < b->n_drafts; i++)
		if (b->drafts[i].keys.variants)
			return;
	pg_diag_note(&b->d, &b->defaults.looks, "`looks` have no effect where no sweep has `variants`");
}
