/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of a sweep: what is set, axes with their labels and their order in tables, plain defaults. */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "plan/sweep.h"

struct pg_values_ctx pg_draft_values(struct pg_draft *dr)
{
	return (struct pg_values_ctx){
		.machine = dr->b->in->machine,
		.bench = dr->bench->name,
		.arena = dr->b->a,
		.diag = &dr->b->d,
	};
}

unsigned pg_value_kinds(const struct pg_param *row, const struct pg_value *v)
{
	struct pg_evalue e = {.kind = PG_E_NONE};

	pg_values_to_expr(row, v, &e);
	return 1u << e.kind;
}

unsigned pg_type_kinds(enum pg_type type, bool words)
{
	unsigned text = words ? 1u << PG_E_TEXT : 0;

	switch (type) {
	case PG_BOOL:
		return 1u << PG_E_BOOL;
	case PG_COUNT:
	case PG_REAL:
		return 1u << PG_E_NUM | text;
	case PG_SIZE:
		return 1u << PG_E_SIZE | text;
	case PG_TIME:
		return 1u << PG_E_TIME | text;
	case PG_ENUM:
	case PG_CPULIST:
	case PG_NODELIST:
	case PG_TEXT:
		break;
	}
	return 1u << PG_E_TEXT;
}

/* What a param may be where its value was refused. */
static unsigned row_kinds(const struct pg_param *row)
{
	return pg_type_kinds(row->type, row->choices != NULL);
}

static unsigned *kinds_of(struct pg_draft *dr, size_t param)
{
	return &dr->slot_kinds[PG_SLOT_PARAM(param)];
}

static void note_value(struct pg_draft *dr, size_t param, const struct pg_item *item)
{
	const struct pg_param *row = &dr->sw->pub.params[param];

	*kinds_of(dr, param) |= pg_value_kinds(row, &item->v);
	/* The number behind `auto` is found when the cell runs: the column has it, and the word beside it. */
	dr->labelled[param] |= item->from_word || (row->role & PG_OPS && item->v.state == PG_V_WORD);
}

int pg_axis_room(struct pg_draft *dr, struct pg_axis_make *ax, size_t room)
{
	struct pg_build *b = dr->b;
	struct pg_axis_make more = *ax;

	if (room <= ax->room)
		return 0;
	more.room = room;
	more.vals = pg_build_array(b, room * ax->n_cols, sizeof(*more.vals));
	more.texts = pg_build_array(b, room * ax->n_cols, sizeof(*more.texts));
	more.labels = pg_build_array(b, room * ax->n_cols, sizeof(*more.labels));
	more.names = pg_build_array(b, room, sizeof(*more.names));
	more.keys = ax->place->bundle ? pg_build_array(b, room, sizeof(*more.keys)) : NULL;
	if (!more.vals || !more.texts || !more.labels || !more.names || (ax->place->bundle && !more.keys))
		return -1;
	if (ax->n) {
		memcpy(more.vals, ax->vals, ax->n * ax->n_cols * sizeof(*more.vals));
		memcpy(more.texts, ax->texts, ax->n * ax->n_cols * sizeof(*more.texts));
		memcpy(more.labels, ax->labels, ax->n * ax->n_cols * sizeof(*more.labels));
		memcpy(more.names, ax->names, ax->n * sizeof(*more.names));
	}
	if (ax->n && more.keys)
		memcpy(more.keys, ax->keys, ax->n * sizeof(*more.keys));
	*ax = more;
	return 0;
}

void pg_axis_put(struct pg_draft *dr, struct pg_axis_make *ax, size_t i, size_t c, const struct pg_item *item)
{
	size_t at = i * ax->n_cols + c;

	ax->vals[at] = item->v;
	ax->texts[at] = item->from_word || item->from_range ? NULL : item->text;
	ax->labels[at] = item->text;
	note_value(dr, ax->cols[c], item);
}

static int set_value(struct pg_draft *dr, const struct pg_param_place *p, size_t param)
{
	const struct pg_values_ctx ctx = pg_draft_values(dr);
	struct pg_sweep_in *sw = dr->sw;
	struct pg_item item;

	dr->source[param] = PG_FROM_SET;
	dr->value_loc[param] = p->node->loc;
	if (pg_values_one(&ctx, &sw->pub.params[param], p->node, &item)) {
		*kinds_of(dr, param) = row_kinds(&sw->pub.params[param]);
		return -1;
	}
	sw->base[param] = item.v;
	sw->base_texts[param] = item.from_word || item.from_range ? NULL : item.text;
	sw->base_labels[param] = item.text;
	note_value(dr, param, &item);
	return 0;
}

static int break_axis(struct pg_draft *dr, struct pg_axis_make *ax)
{
	ax->broken = true;
	if (pg_axis_room(dr, ax, 1))
		return -1;
	ax->n = 1;
	ax->names[0] = "";
	for (size_t c = 0; c < ax->n_cols; c++)
		*kinds_of(dr, ax->cols[c]) = row_kinds(&dr->sw->pub.params[ax->cols[c]]);
	return 0;
}

static int read_items(struct pg_draft *dr, struct pg_axis_make *ax, struct pg_item **items, size_t *n)
{
	const struct pg_values_ctx ctx = pg_draft_values(dr);
	const struct pg_param *row = &dr->sw->pub.params[ax->cols[0]];

	if (!ax->place->one)
		return pg_values_axis(&ctx, row, ax->place->node, items, n);
	*items = pg_build_array(dr->b, 1, sizeof(**items));
	*n = 1;
	return *items ? pg_values_one(&ctx, row, ax->place->node, *items) : -1;
}

static int param_axis(struct pg_draft *dr, struct pg_axis_make *ax, size_t param)
{
	struct pg_item *items;
	size_t n;

	ax->cols = pg_build_array(dr->b, 1, sizeof(*ax->cols));
	if (!ax->cols)
		return -1;
	ax->n_cols = 1;
	ax->cols[0] = param;
	dr->source[param] = PG_FROM_AXIS;
	dr->value_loc[param] = ax->place->node->loc;
	if (read_items(dr, ax, &items, &n))
		return break_axis(dr, ax);
	if (pg_axis_room(dr, ax, n))
		return -1;
	ax->n = n;
	for (size_t i = 0; i < n; i++) {
		pg_axis_put(dr, ax, i, 0, &items[i]);
		ax->names[i] = items[i].text;
		ax->has_label |= items[i].from_word;
	}
	return 0;
}

static int one_axis(struct pg_draft *dr, const struct pg_param_place *p)
{
	struct pg_axis_make *ax = &dr->axes[dr->n_axes++];
	size_t param;

	ax->place = p;
	if (p->bundle)
		return pg_sweep_bundle(dr, ax) ? break_axis(dr, ax) : 0;
	return pg_param_find(dr->sw->pub.params, p->name, &param) ? param_axis(dr, ax, param) : -1;
}

/* A default that is an expression over other params is compiled with derive. */
int pg_plain_default(struct pg_draft *dr, size_t param)
{
	struct pg_sweep_in *sw = dr->sw;
	const struct pg_param *row = &sw->pub.params[param];
	const char *text = pg_param_default(row);
	struct pg_item item = {.from_word = false};
	struct pg_str shown;
	struct pg_err err;

	sw->base[param] = (struct pg_value){.state = PG_V_UNSET, .type = (uint8_t)row->type};
	if (dr->source[param] != PG_FROM_DEFAULT)
		return 0;
	dr->value_loc[param] = dr->suite_loc;
	if (text && pg_value_parse_any(row, text, strlen(text), dr->b->a, &item.v, &err))
		return 0;
	if (text)
		sw->base[param] = item.v;
	else
		item.v = sw->base[param];
	note_value(dr, param, &item);
	pg_str_init(&shown);
	pg_value_format(row, &item.v, &shown);
	sw->base_labels[param] = pg_build_printf(dr->b, "%s", pg_str_text(&shown));
	pg_str_release(&shown);
	return sw->base_labels[param] ? 0 : -1;
}

static int make_room(struct pg_draft *dr)
{
	struct pg_build *b = dr->b;
	struct pg_sweep_in *sw = dr->sw;
	size_t n = sw->pub.n_params, axes = 0;

	for (size_t i = 0; i < dr->n_places; i++)
		axes += dr->places[i].kind == PG_IN_AXIS;
	dr->axes = pg_build_array(b, axes, sizeof(*dr->axes));
	dr->source = pg_build_array(b, n, sizeof(*dr->source));
	dr->value_loc = pg_build_array(b, n, sizeof(*dr->value_loc));
	dr->n_slots = PG_SLOT_PARAM(n) + axes + 1;
	dr->slot_names = pg_build_array(b, dr->n_slots, sizeof(*dr->slot_names));
	dr->slot_kinds = pg_build_array(b, dr->n_slots, sizeof(*dr->slot_kinds));
	sw->base = pg_build_array(b, n, sizeof(*sw->base));
	sw->base_texts = pg_build_array(b, n, sizeof(*sw->base_texts));
	sw->base_labels = pg_build_array(b, n, sizeof(*sw->base_labels));
	dr->labelled = pg_build_array(b, n, sizeof(*dr->labelled));
	sw->pub.labelled = dr->labelled;
	return dr->axes && dr->source && dr->value_loc && dr->slot_names && dr->slot_kinds && sw->base &&
			       sw->base_texts && sw->base_labels && dr->labelled
		       ? 0
		       : -1;
}

/* Values that are refused are reported; -1 only where going on makes no sense. */
int pg_sweep_values(struct pg_draft *dr)
{
	size_t param;

	if (make_room(dr))
		return -1;
	for (size_t i = 0; i < dr->n_places; i++) {
		const struct pg_param_place *p = &dr->places[i];

		if (p->kind == PG_IN_AXIS) {
			if (one_axis(dr, p))
				return -1;
		} else if (pg_param_find(dr->sw->pub.params, p->name, &param)) {
			if (p->kind == PG_IN_SET)
				set_value(dr, p, param);
			else
				dr->source[param] = PG_FROM_COMPUTED;
		}
	}
	for (size_t i = 0; i < dr->sw->pub.n_params; i++)
		if (dr->source[i] != PG_FROM_SET && pg_plain_default(dr, i))
			return -1;
	return 0;
}

static int by_value(const void *a, const void *b, void *ctx)
{
	const struct pg_value *vals = ctx;
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	int c = pg_value_cmp(&vals[i], &vals[k]);

	return c ? c : (i > k) - (i < k);
}

/* Numbers ascend; words and labels keep the order of the file. */
static const size_t *ranks(struct pg_draft *dr, const struct pg_axis_make *ax)
{
	size_t *order = pg_build_array(dr->b, ax->n, sizeof(*order)),
	       *rank = pg_build_array(dr->b, ax->n, sizeof(*rank));

	if (!order || !rank)
		return NULL;
	for (size_t i = 0; i < ax->n; i++)
		order[i] = i;
	if (!ax->place->bundle)
		qsort_r(order, ax->n, sizeof(*order), by_value, ax->vals);
	for (size_t i = 0; i < ax->n; i++)
		rank[order[i]] = i;
	return rank;
}

static size_t most_variables(const struct pg_axis_make *ax)
{
	size_t most = 0;

	for (size_t i = 0; ax->keys && i < ax->n; i++)
		if (ax->keys[i].run.n_env > most)
			most = ax->keys[i].run.n_env;
	return most;
}

int pg_axes_finish(struct pg_draft *dr)
{
	struct pg_sweep_in *sw = dr->sw;
	struct pg_axis *axes = pg_build_array(dr->b, dr->n_axes, sizeof(*axes));

	sw->in = pg_build_array(dr->b, dr->n_axes, sizeof(*sw->in));
	if (!axes || !sw->in)
		return -1;
	for (size_t a = 0; a < dr->n_axes; a++) {
		const struct pg_axis_make *ax = &dr->axes[a];
		bool bundle = ax->place->bundle;

		axes[a] = (struct pg_axis){
			.name = ax->place->name,
			.bundle = bundle,
			.param = bundle ? 0 : ax->cols[0],
			.n = ax->n,
			.vals = bundle ? NULL : ax->vals,
			.labels = ax->names,
			.rank = ranks(dr, ax),
			.has_label = ax->has_label,
		};
		sw->in[a] = (struct pg_axis_in){
			.n_product = ax->n_product,
			.n_cols = ax->n_cols,
			.cols = ax->cols,
			.vals = ax->vals,
			.texts = ax->texts,
			.labels = ax->labels,
			.keys = ax->keys,
		};
		sw->keys_vary |= ax->keys != NULL;
		sw->variants |= ax->place->variants;
		sw->n_env += most_variables(ax);
		if (!axes[a].rank)
			return -1;
	}
	sw->n_env += sw->keys.n_env;
	sw->pub.axes = axes;
	sw->pub.n_axes = dr->n_axes;
	sw->pub.n_variants = sw->variants ? axes[dr->n_axes - 1].n : 1;
	return 0;
}
