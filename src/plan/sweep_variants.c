/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Variants as an axis: the params of all items, with what an item does not name left as it is set or at its default;
 * when a comparison of them is looked at; what of a cell they reach.
 */
#include <string.h>

#include "base/str.h"
#include "plan/sweep.h"
#include "stats/tests.h"

static bool names(const struct pg_node *item, const char *param)
{
	const struct pg_node *found = pg_node_get(item, param);

	return found && pg_item_key_is_param(found);
}

static bool in_all(const struct pg_axis_make *ax, const char *param)
{
	for (const struct pg_node *item = ax->place->node->child; item; item = item->next)
		if (!names(item, param))
			return false;
	return true;
}

/* The value where an item does not name the param. Called before the param counts as one of an axis. */
static int base_of(struct pg_draft *dr, struct pg_axis_make *ax, size_t col)
{
	size_t param = ax->cols[col];

	if (dr->source[param] == PG_FROM_SET || in_all(ax, dr->sw->pub.params[param].name))
		return 0;
	if (pg_default_is_computed(dr, param))
		ax->needed[col] = "its default is computed";
	else if (dr->exec && !pg_name_reserved(dr->sw->pub.params[param].name)) /* that was reported */
		ax->needed[col] = "it is not in `set`";
	else
		return pg_plain_default(dr, param);
	return 0;
}

static int add_column(struct pg_draft *dr, struct pg_axis_make *ax, const struct pg_node *c)
{
	const struct pg_forced *f = pg_draft_forced(dr, c->key->text);
	size_t param;

	if (!pg_item_key_is_param(c) || (f && !f->node) || !pg_param_find(dr->sw->pub.params, c->key->text, &param))
		return 0;
	for (size_t k = 0; k < ax->n_cols; k++)
		if (ax->cols[k] == param)
			return 0;
	ax->cols[ax->n_cols++] = param;
	if (base_of(dr, ax, ax->n_cols - 1))
		return -1;
	dr->source[param] = PG_FROM_AXIS;
	dr->value_loc[param] = c->loc;
	return 0;
}

int pg_variants_columns(struct pg_draft *dr, struct pg_axis_make *ax)
{
	size_t room = dr->sw->pub.n_params;

	ax->cols = pg_build_array(dr->b, room, sizeof(*ax->cols));
	ax->needed = pg_build_array(dr->b, room, sizeof(*ax->needed));
	if (!ax->cols || !ax->needed)
		return -1;
	for (const struct pg_node *item = ax->place->node->child; item; item = item->next)
		for (const struct pg_node *c = item->kind == PG_NODE_MAP ? item->child : NULL; c; c = c->next)
			if (add_column(dr, ax, c))
				return -1;
	return 0;
}

int pg_variants_fill(struct pg_draft *dr, struct pg_axis_make *ax, const struct pg_node *item, size_t i)
{
	const struct pg_sweep_in *sw = dr->sw;

	for (size_t k = 0; k < ax->n_cols; k++) {
		size_t param = ax->cols[k], at = i * ax->n_cols + k;

		if (names(item, sw->pub.params[param].name))
			continue;
		if (ax->needed[k])
			return pg_diag_error(
				&dr->b->d, &item->loc,
				"`%s` is missing in this item and stands in another; %s, so each item names it",
				sw->pub.params[param].name, ax->needed[k]);
		ax->vals[at] = sw->base[param];
		ax->texts[at] = sw->base_texts[param];
		ax->labels[at] = sw->base_labels[param];
	}
	return 0;
}

/* A round more, in its place; once. */
static void add_look(struct pg_compare_rules *c, uint32_t round)
{
	uint32_t i = c->n_looks;

	for (uint32_t k = 0; k < c->n_looks; k++)
		if (c->looks[k] == round)
			return;
	if (i == sizeof(c->looks) / sizeof(c->looks[0]))
		return;
	for (; i > 0 && c->looks[i - 1] > round; i--)
		c->looks[i] = c->looks[i - 1];
	c->looks[i] = round;
	c->n_looks++;
}

/* The looks of a comparison that ends after `end` rounds: those asked for before it, and that one. */
static void add_schedule(struct pg_compare_rules *c, const struct pg_compare_rules *asked, uint32_t end)
{
	for (uint32_t i = 0; i < asked->n_looks && i < PG_LOOKS - 1 && asked->looks[i] < end; i++)
		add_look(c, asked->looks[i]);
	add_look(c, end);
}

static double level_of(struct pg_looks_known *k, const struct pg_compare_rules *c)
{
	if (k->n != c->n_looks || memcmp(k->looks, c->looks, c->n_looks * sizeof(*c->looks)) != 0) {
		k->level = pg_looks_level(c->looks, c->n_looks);
		k->n = c->n_looks;
		memcpy(k->looks, c->looks, c->n_looks * sizeof(*c->looks));
	}
	return k->level;
}

/* The rounds of an end of this run, of now or before: 0 = the scenario's. */
static uint32_t end_of(const struct pg_draft *dr, const struct pg_compare_rules *asked, uint32_t repeat)
{
	if (repeat)
		return repeat;
	return !dr->own_given && asked->n_looks ? asked->looks[asked->n_looks - 1] : dr->own_end;
}

/* The last round that is an end of this run, of now or before. */
static uint32_t last_end(const struct pg_draft *dr, const struct pg_compare_rules *asked, uint32_t end)
{
	const struct pg_plan_opts *o = &dr->b->opts;

	for (size_t i = 0; i < o->n_earlier && i < PG_ENDS; i++) {
		uint32_t before = end_of(dr, asked, o->earlier[i]);

		end = before > end ? before : end;
	}
	return end;
}

/*
 * Looks of this start of the run, and of those before it: whoever goes on after an answer that he did not like has had
 * that look. Earlier ends were reached: one beyond the end of now leaves nothing to be looked at anew.
 */
static void schedule(const struct pg_draft *dr, struct pg_compare_rules *c, uint32_t end)
{
	const struct pg_plan_opts *o = &dr->b->opts;
	const struct pg_compare_rules asked = *c;

	c->n_looks = 0;
	for (size_t i = 0; i < o->n_earlier && i < PG_ENDS; i++)
		add_schedule(c, &asked, end_of(dr, &asked, o->earlier[i]));
	if (last_end(dr, &asked, end) == end)
		add_schedule(c, &asked, end);
	c->alpha = level_of(&dr->b->looks, c);
	c->again = o->n_earlier > 0 || o->repeat > 0;
	c->to_the_end = asked.n_looks == 0;
}

/* Looks that were written and come too late. */
static void note_late_looks(struct pg_draft *dr, const struct pg_compare_rules *asked, uint32_t end)
{
	uint32_t late = 0, last = last_end(dr, asked, end);

	for (uint32_t i = 0; i < asked->n_looks; i++)
		late += asked->looks[i] > last;
	/* That `repeat` of the file ends before some built-in look is no surprise to anybody. */
	if (dr->keys.looks.file || dr->b->opts.repeat)
		dr->sw->pub.rules.compare.cut = late;
	if (late && dr->keys.looks.file)
		pg_diag_note(&dr->b->d, &dr->keys.looks,
			     "%u of the %u `looks` come after the last rep, which is %u, and are left out", late,
			     asked->n_looks, last);
}

int pg_variants_rules(struct pg_draft *dr)
{
	struct pg_rules *r = &dr->sw->pub.rules;
	struct pg_compare_rules *c = &r->compare;
	const struct pg_node *own = pg_node_get(dr->node, "compare"), *looks = own ? pg_node_get(own, "looks") : NULL;

	/* The other rules are those of comparisons with other runs, too. */
	if (!dr->keys.variants && looks)
		pg_diag_note(&dr->b->d, &looks->loc, "`looks` have no effect without `variants`");
	if (dr->sw->pub.n_variants < 2) {
		memset(c->looks, 0, sizeof(c->looks));
		c->n_looks = 0;
		return 0;
	}
	if (dr->b->opts.against_itself)
		c->n_looks = 0;
	if (!dr->keys.repeat.file && c->n_looks) {
		r->repeat.fixed = true;
		r->repeat.n = c->looks[c->n_looks - 1];
	} else if (!r->repeat.fixed) {
		r->repeat.n = r->repeat.max;
	}
	note_late_looks(dr, c, r->repeat.n);
	schedule(dr, c, r->repeat.n);
	if (r->repeat.fixed)
		return 0;
	r->repeat.ci = 0; /* nothing that could be missed */
	pg_diag_note(&dr->b->d, &dr->keys.repeat,
		     "with `variants` a cell ends at a look of `compare`, not by `ci`; max and time bind as ever");
	return 0;
}

int pg_variants_reach(struct pg_draft *dr, bool **out)
{
	const struct pg_sweep_in *sw = dr->sw;
	size_t axis = PG_SLOT_PARAM(sw->pub.n_params) + sw->pub.n_axes - 1;
	bool *param = pg_build_array(dr->b, sw->pub.n_params, sizeof(*param));

	*out = pg_build_array(dr->b, sw->n_computed, sizeof(**out));
	if (!param || !*out)
		return -1;
	if (!sw->variants)
		return 0;
	for (size_t k = 0; k < sw->in[sw->pub.n_axes - 1].n_cols; k++)
		param[sw->in[sw->pub.n_axes - 1].cols[k]] = true;
	for (size_t i = 0; i < sw->n_computed; i++) {
		const size_t *slots;
		size_t n = pg_expr_slots(sw->computed[i].e, &slots);

		for (size_t k = 0; k < n; k++) {
			size_t p = slots[k] - PG_MACHINE_WORDS;

			if (slots[k] >= PG_MACHINE_WORDS && (slots[k] == axis || (p < sw->pub.n_params && param[p])))
				(*out)[i] = true;
		}
		param[sw->computed[i].param] = (*out)[i];
	}
	return 0;
}
