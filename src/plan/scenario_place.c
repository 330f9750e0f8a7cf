/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where each param of a sweep stands: in exactly one of set, an axis, a bundle, derive. Then what a quick form and the
 * command line move: name by name, an axis stays an axis, a bundle keeps its items.
 */
#include <string.h>

#include "base/str.h"
#include "plan/quote.h"
#include "plan/scalar.h"
#include "plan/scenario.h"

#define MAX_NEAR   256
#define MAX_PLACES 256u

struct pg_param_place *pg_draft_find(const struct pg_draft *dr, const char *name)
{
	for (size_t i = 0; i < dr->n_places; i++)
		if (strcmp(dr->places[i].name, name) == 0)
			return &dr->places[i];
	return NULL;
}

const struct pg_forced *pg_draft_forced(const struct pg_draft *dr, const char *param)
{
	for (size_t i = 0; i < dr->n_forced; i++)
		if (strcmp(dr->forced[i].name, param) == 0)
			return &dr->forced[i];
	return NULL;
}

bool pg_item_key_is_param(const struct pg_node *entry)
{
	const struct pg_key *row = pg_key_find(pg_sweep_keys, entry->key->text);

	return !row || !(row->flags & PG_KEY_ITEM);
}

/* Every item of a bundle has the same params, or it is refused: the first one tells. */
struct pg_param_place *pg_draft_bundle_of(const struct pg_draft *dr, const char *param, struct pg_loc *loc)
{
	for (size_t i = 0; i < dr->n_places; i++) {
		struct pg_param_place *p = &dr->places[i];
		const struct pg_node *found = NULL;

		if (p->variants)
			found = pg_variants_param(p->node, param);
		else if (p->bundle)
			found = pg_node_get(p->node->child, param);
		if (!found || !pg_item_key_is_param(found))
			continue;
		if (loc)
			*loc = found->key->loc;
		return p;
	}
	return NULL;
}

bool pg_draft_takes(const struct pg_draft *dr, const char *name)
{
	return pg_draft_find(dr, name) || pg_draft_bundle_of(dr, name, NULL) ||
	       (!dr->exec && pg_param_find(dr->bench->params, name, NULL));
}

static const char *kind_text(const struct pg_param_place *p)
{
	if (p->kind == PG_IN_AXIS)
		return "vary";
	return p->kind == PG_IN_SET ? "set" : "derive";
}

static int second_place(struct pg_draft *dr, const char *name, const char *what, const struct pg_loc *loc)
{
	struct pg_param_place *p = pg_draft_find(dr, name);
	struct pg_loc first;

	if (p)
		return pg_diag_error(&dr->b->d, loc,
				     "`%s` stands in %s here and in %s on line %u; a param stands in one place", name,
				     what, kind_text(p), p->loc.line);
	p = pg_draft_bundle_of(dr, name, &first);
	if (p && p->variants)
		return pg_diag_error(&dr->b->d, loc,
				     "`%s` stands in %s here and in variants on line %u; they override only what is "
				     "set or a default",
				     name, what, first.line);
	return p ? pg_diag_error(&dr->b->d, loc,
				 "`%s` stands in %s here and in bundle `%s` on line %u; a param stands in one place",
				 name, what, p->name, first.line)
		 : 0;
}

static int unknown_param(struct pg_draft *dr, const struct pg_node *key)
{
	const struct pg_key *other = pg_key_find(pg_sweep_keys, key->text);
	const char *names[MAX_NEAR] = {NULL}, *best;
	struct pg_str list;
	struct pg_quote q;
	size_t n = 0;

	if (other && (other->flags & PG_KEY_SWEEP))
		return pg_diag_error(&dr->b->d, &key->loc,
				     "`%s` is a key of a sweep, no param of %s; it stands beside `suite`", other->name,
				     dr->bench->name);
	if (strcmp(key->text, "variant") == 0)
		return pg_diag_error(
			&dr->b->d, &key->loc,
			"`variant` names the axis of `variants`; list the arms there, with a `label` each");
	for (const struct pg_param *row = dr->bench->params; row->name && n < MAX_NEAR; row++)
		names[n++] = row->name;
	best = pg_nearest(key->text, names, n);
	pg_quote(&q, key->text, key->len);
	if (best)
		return pg_diag_error(&dr->b->d, &key->loc, "%s has no param `%s`; did you mean `%s`?", dr->bench->name,
				     q.s, best);
	pg_str_init(&list);
	for (size_t i = 0; i < n; i++)
		pg_str_addf(&list, "%s%s", i ? ", " : "", names[i]);
	pg_diag_error(&dr->b->d, &key->loc, "%s has no param `%s`; it has %s", dr->bench->name, q.s,
		      pg_str_text(&list));
	pg_str_release(&list);
	return -1;
}

/* METRIC_UNIT, the name of a metric's column. */
static bool is_column(const char *name, const struct pg_metric *m)
{
	size_t n = strlen(m->name);

	return strncmp(name, m->name, n) == 0 && name[n] == '_' && strcmp(name + n + 1, pg_unit_suffix(m->unit)) == 0;
}

/* One name has one meaning: a metric's is no name for what the scenario makes, nor that of its column. */
static int metric_name(struct pg_draft *dr, const struct pg_node *key, const char *what, const struct pg_metric *rows)
{
	for (const struct pg_metric *m = rows; m->name; m++) {
		bool column = is_column(key->text, m);

		if (m->flags & PG_M_HIDDEN || (!column && strcmp(key->text, m->name) != 0))
			continue;
		return pg_diag_error(&dr->b->d, &key->loc, "`%s` cannot be the name of a %s: it is %s %s; take another",
				     key->text, what, column ? "the column of metric" : "a metric of",
				     column ? m->name : dr->bench->name);
	}
	return 0;
}

/* A name that the scenario makes: a bundle, a param of exec. */
static int new_name(struct pg_draft *dr, const struct pg_node *key, const char *what)
{
	const char *why;
	struct pg_quote q;

	pg_quote(&q, key->text, key->len);
	if (!pg_is_param_name(key->text))
		return pg_diag_error(&dr->b->d, &key->loc,
				     "`%s` cannot be the name of a %s; allowed: small letters, digits, `_`, at most "
				     "64, first a letter",
				     q.s, what);
	why = pg_name_reserved(key->text);
	if (why)
		return pg_diag_error(&dr->b->d, &key->loc, "`%s` cannot be the name of a %s: it %s; take another", q.s,
				     what, why);
	return metric_name(dr, key, what, pg_engine_metrics) || metric_name(dr, key, what, dr->bench->metrics) ? -1 : 0;
}

int pg_draft_check_name(struct pg_draft *dr, const struct pg_node *key)
{
	if (dr->exec)
		return new_name(dr, key, "param");
	return pg_param_find(dr->bench->params, key->text, NULL) ? 0 : unknown_param(dr, key);
}

/* `[{jobs}]` is a text without its quotes, not an item. */
static bool is_bundle(const struct pg_node *node)
{
	const struct pg_node *first = node->child;

	return node->kind == PG_NODE_LIST && first && first->kind == PG_NODE_MAP &&
	       !(first->n == 1 && pg_node_is_null(first->child));
}

/* self: the bundle that these items replace, NULL = a new one. */
static int items_check(struct pg_draft *dr, const struct pg_node *node, const struct pg_param_place *self)
{
	int rc = 0;

	for (const struct pg_node *c = node->child->child; c; c = c->next) {
		if (!pg_item_key_is_param(c) || (self && pg_draft_bundle_of(dr, c->key->text, NULL) == self))
			continue;
		if (pg_draft_check_name(dr, c->key) || second_place(dr, c->key->text, "a bundle", &c->key->loc))
			rc = -1;
	}
	return rc;
}

static int bundle_check(struct pg_draft *dr, const struct pg_node *node)
{
	if (!dr->exec && pg_param_find(dr->bench->params, node->key->text, NULL))
		return pg_diag_error(&dr->b->d, &node->key->loc,
				     "`%s` is a param of %s and cannot name a bundle; take another name",
				     node->key->text, dr->bench->name);
	return new_name(dr, node->key, "bundle") ? -1 : items_check(dr, node, NULL);
}

struct pg_param_place *pg_draft_place(struct pg_draft *dr, const char *name, enum pg_place_kind kind,
				      const struct pg_node *node, const struct pg_loc *loc)
{
	if (dr->n_places >= MAX_PLACES) {
		pg_diag_error(&dr->b->d, loc, "too many params and bundles in a sweep; at most %u", MAX_PLACES);
		return NULL;
	}
	if (dr->n_places == dr->room_places) {
		size_t room = dr->room_places ? 2 * dr->room_places : 16;
		struct pg_param_place *more = pg_build_array(dr->b, room, sizeof(*more));

		if (!more)
			return NULL;
		if (dr->n_places)
			memcpy(more, dr->places, dr->n_places * sizeof(*more));
		dr->places = more;
		dr->room_places = room;
	}
	dr->places[dr->n_places] = (struct pg_param_place){.name = name, .node = node, .loc = *loc, .kind = kind};
	return &dr->places[dr->n_places++];
}

static int read_entry(struct pg_draft *dr, const struct pg_node *c, enum pg_place_kind kind, const char *what)
{
	bool bundle = kind == PG_IN_AXIS && is_bundle(c);
	struct pg_param_place *p;

	if (pg_key_has_value(&dr->b->d, c) || (bundle ? bundle_check(dr, c) : pg_draft_check_name(dr, c->key)) ||
	    second_place(dr, c->key->text, what, &c->key->loc))
		return -1;
	p = pg_draft_place(dr, c->key->text, kind, c, &c->key->loc);
	if (!p)
		return -1;
	p->bundle = bundle;
	return 0;
}

static int read_map(struct pg_draft *dr, const char *key, enum pg_place_kind kind)
{
	const struct pg_node *map = pg_node_get(dr->node, key);
	bool cut = false;
	int rc = 0;

	if (!map || pg_node_is_null(map))
		return 0;
	if (pg_node_want_map(&dr->b->d, pg_key_find(pg_sweep_keys, key), map))
		return -1;
	for (const struct pg_node *c = map->child; c && !pg_diag_full(&dr->b->d); c = c->next) {
		if (cut && pg_node_is_null(c))
			continue;
		cut = c->kind == PG_NODE_SCALAR && pg_node_slip(c, &dr->b->d);
		if (cut || read_entry(dr, c, kind, key))
			rc = -1;
	}
	return rc;
}

static void drop_place(struct pg_draft *dr, struct pg_param_place *p)
{
	size_t i = (size_t)(p - dr->places);

	memmove(p, p + 1, (dr->n_places - i - 1) * sizeof(*p));
	dr->n_places--;
}

static int force(struct pg_draft *dr, const char *name, const struct pg_node *node)
{
	struct pg_forced *more = pg_build_array(dr->b, dr->n_forced + 1, sizeof(*more));

	if (!more)
		return -1;
	if (dr->n_forced)
		memcpy(more, dr->forced, dr->n_forced * sizeof(*more));
	more[dr->n_forced++] = (struct pg_forced){.name = name, .node = node};
	dr->forced = more;
	return 0;
}

int pg_draft_set(struct pg_draft *dr, const char *name, const struct pg_node *node, const struct pg_loc *loc, bool cli)
{
	struct pg_param_place *p = pg_draft_find(dr, name), *in = pg_draft_bundle_of(dr, name, NULL);
	bool over = in && in->variants; /* variants override what is set here */

	dr->selected = true;
	if (cli && in && (!p || over) && force(dr, name, over ? NULL : node))
		return -1;
	if (!p && cli && in && !over)
		return 0;
	if (!p && !over && second_place(dr, name, "set of `quick`", loc))
		return -1;
	if (!p)
		return pg_draft_place(dr, name, PG_IN_SET, node, loc) ? 0 : -1;
	if (p->bundle) {
		p->keep = node;
		dr->axes_changed |= !p->variants;
		return 0;
	}
	if (p->kind == PG_IN_AXIS) {
		p->one = true;
		dr->axes_changed = true;
	} else {
		p->kind = PG_IN_SET;
	}
	p->node = node;
	p->loc = *loc;
	return 0;
}

int pg_draft_vary(struct pg_draft *dr, const char *name, const struct pg_node *node, const struct pg_loc *loc, bool cli)
{
	struct pg_param_place *p = pg_draft_find(dr, name), *in = pg_draft_bundle_of(dr, name, NULL);

	dr->selected = true;
	dr->axes_changed |= !(p && p->variants);
	if (p && p->bundle) {
		if (is_bundle(node)) {
			p->node = node;
			p->loc = *loc;
		} else {
			p->keep = node;
		}
		p->varied = true;
		return 0;
	}
	if (cli && in && (!p || in->variants) && force(dr, name, NULL))
		return -1;
	if (!p && !cli && second_place(dr, name, "vary of `quick`", loc))
		return -1;
	if (p && p->kind != PG_IN_AXIS) {
		drop_place(dr, p); /* a new axis is the last one */
		p = NULL;
	}
	if (!p)
		p = pg_draft_place(dr, name, PG_IN_AXIS, node, loc);
	if (!p)
		return -1;
	p->node = node;
	p->loc = *loc;
	p->one = false;
	p->bundle = is_bundle(node);
	p->varied = true;
	return 0;
}

int pg_draft_derive(struct pg_draft *dr, const char *name, const struct pg_node *node, const struct pg_loc *loc)
{
	struct pg_param_place *p = pg_draft_find(dr, name);

	dr->selected = true;
	if (!p)
		return second_place(dr, name, "derive of `quick`", loc) ||
				       !pg_draft_place(dr, name, PG_IN_DERIVE, node, loc)
			       ? -1
			       : 0;
	if (p->bundle)
		return pg_diag_error(&dr->b->d, loc, "`%s` is a bundle and cannot be derived; derive a param", name);
	dr->axes_changed |= p->kind == PG_IN_AXIS;
	p->kind = PG_IN_DERIVE;
	p->node = node;
	p->loc = *loc;
	return 0;
}

static int quick_entry(struct pg_draft *dr, const struct pg_node *c, enum pg_place_kind kind)
{
	const struct pg_node *vary = pg_node_get(dr->quick, "vary"), *set = pg_node_get(dr->quick, "set");
	struct pg_param_place *p = pg_draft_find(dr, c->key->text);
	const struct pg_node *first = NULL;
	int rc;

	if (kind != PG_IN_SET)
		first = pg_node_get(set, c->key->text);
	if (kind == PG_IN_DERIVE && !first)
		first = pg_node_get(vary, c->key->text);
	if (first)
		return pg_diag_error(&dr->b->d, &c->key->loc,
				     "`%s` stands in `quick` twice, first on line %u; a param stands in one place",
				     c->key->text, first->loc.line);
	if (pg_key_has_value(&dr->b->d, c))
		return -1;
	if (p && p->variants && is_bundle(c))
		return pg_diag_error(&dr->b->d, &c->loc, "`variant` takes labels of `variants` here, not new ones");
	if (p && p->bundle)
		rc = is_bundle(c) ? items_check(dr, c, p) : 0;
	else if (kind == PG_IN_AXIS && is_bundle(c))
		rc = bundle_check(dr, c);
	else
		rc = pg_draft_check_name(dr, c->key);
	if (rc)
		return -1;
	if (kind == PG_IN_SET)
		return pg_draft_set(dr, c->key->text, c, &c->key->loc, false);
	return kind == PG_IN_AXIS ? pg_draft_vary(dr, c->key->text, c, &c->key->loc, false)
				  : pg_draft_derive(dr, c->key->text, c, &c->key->loc);
}

static int quick_map(struct pg_draft *dr, const char *key, enum pg_place_kind kind)
{
	const struct pg_node *map = pg_node_get(dr->quick, key);
	bool cut = false;
	int rc = 0;

	if (!map || pg_node_is_null(map))
		return 0;
	if (pg_node_want_map(&dr->b->d, pg_key_find(pg_sweep_keys, key), map))
		return -1;
	for (const struct pg_node *c = map->child; c && !pg_diag_full(&dr->b->d); c = c->next) {
		if (cut && pg_node_is_null(c))
			continue;
		cut = c->kind == PG_NODE_SCALAR && pg_node_slip(c, &dr->b->d);
		if (cut || quick_entry(dr, c, kind))
			rc = -1;
	}
	return rc;
}

int pg_draft_places(struct pg_draft *dr)
{
	int rc = 0;

	if (dr->glob)
		return pg_draft_variants(dr);
	if (read_map(dr, "set", PG_IN_SET))
		rc = -1;
	if (read_map(dr, "vary", PG_IN_AXIS))
		rc = -1;
	if (read_map(dr, "derive", PG_IN_DERIVE))
		rc = -1;
	if (pg_draft_variants(dr))
		rc = -1;
	if (rc || !dr->b->opts.quick || !dr->quick || dr->quick->kind != PG_NODE_MAP)
		return rc;
	if (quick_map(dr, "set", PG_IN_SET))
		rc = -1;
	if (quick_map(dr, "vary", PG_IN_AXIS))
		rc = -1;
	return quick_map(dr, "derive", PG_IN_DERIVE) ? -1 : rc;
}
