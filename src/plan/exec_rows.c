/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The param rows of a sweep of exec: the names of its set, vary and derive, each with the type that all its values
 * have. */
#include <string.h>

#include "plan/sweep.h"

/* The values that one param has in the items of a bundle or of variants, as a list. */
static int column_type(struct pg_draft *dr, const struct pg_node *bundle, const char *param, enum pg_type *out)
{
	const struct pg_forced *f = pg_draft_forced(dr, param);
	struct pg_node *copies, list = {.kind = PG_NODE_LIST, .loc = bundle->loc};

	if (f) {
		*out = f->node ? pg_values_guess(f->node) : PG_TEXT;
		return 0;
	}
	copies = pg_build_array(dr->b, bundle->n, sizeof(*copies));
	if (!copies)
		return -1;
	for (const struct pg_node *item = bundle->child; item; item = item->next) {
		const struct pg_node *v = pg_node_get(item, param);

		if (!v)
			continue;
		copies[list.n] = *v;
		copies[list.n].next = NULL;
		if (list.n)
			copies[list.n - 1].next = &copies[list.n];
		list.n++;
	}
	list.child = copies;
	*out = pg_values_guess(&list);
	return 0;
}

static size_t count(const struct pg_draft *dr)
{
	size_t n = 0;

	for (size_t i = 0; i < dr->n_places; i++) {
		const struct pg_param_place *p = &dr->places[i];

		for (const struct pg_node *item = p->variants ? p->node->child : NULL; item; item = item->next)
			n += item->n;
		if (!p->variants)
			n += p->bundle ? p->node->child->n : 1;
	}
	return n;
}

static int add_columns(struct pg_draft *dr, const struct pg_param_place *p, size_t *n)
{
	for (const struct pg_node *c = p->node->child->child; c; c = c->next) {
		const struct pg_forced *f = pg_draft_forced(dr, c->key->text);
		enum pg_type type;

		if (!pg_item_key_is_param(c) || (f && !f->node))
			continue;
		if (column_type(dr, p->node, c->key->text, &type))
			return -1;
		dr->rows[*n].name = c->key->text;
		dr->rows[(*n)++].type = type;
	}
	return 0;
}

static struct pg_param *find_row(struct pg_draft *dr, const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(dr->rows[i].name, name) == 0)
			return &dr->rows[i];
	return NULL;
}

/* A param of variants may be set as well: its type is that of all its values. */
static int add_variants(struct pg_draft *dr, const struct pg_param_place *p, size_t *n)
{
	for (const struct pg_node *item = p->node->child; item; item = item->next)
		for (const struct pg_node *c = item->kind == PG_NODE_MAP ? item->child : NULL; c; c = c->next) {
			const struct pg_forced *f = pg_draft_forced(dr, c->key->text);
			struct pg_param *row = find_row(dr, c->key->text, *n);
			enum pg_type type;

			if (!pg_item_key_is_param(c) || (f && !f->node) ||
			    pg_variants_param(p->node, c->key->text) != c)
				continue;
			if (column_type(dr, p->node, c->key->text, &type))
				return -1;
			if (row) {
				row->type = pg_values_guess_both(row->type, type);
				continue;
			}
			dr->rows[*n].name = c->key->text;
			dr->rows[(*n)++].type = type;
		}
	return 0;
}

int pg_exec_rows(struct pg_draft *dr)
{
	size_t n = 0;

	dr->rows = pg_build_array(dr->b, count(dr) + 1, sizeof(*dr->rows));
	if (!dr->rows)
		return -1;
	for (size_t i = 0; i < dr->n_places; i++) {
		const struct pg_param_place *p = &dr->places[i];

		if (p->bundle) {
			if (p->variants ? add_variants(dr, p, &n) : add_columns(dr, p, &n))
				return -1;
			continue;
		}
		dr->rows[n].name = p->name;
		/* What is derived has the type of its expression, known when that is compiled. */
		dr->rows[n++].type = p->kind == PG_IN_DERIVE ? PG_TEXT : pg_values_guess(p->node);
	}
	for (size_t i = 0; i < n; i++) {
		dr->rows[i].doc = "param of this scenario";
		dr->rows[i].role = PG_DYNAMIC;
	}
	return 0;
}
