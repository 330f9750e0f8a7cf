/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cell from its index: odometer over the axes (last fastest), then the cells of `add`; values, computed params, run
 * keys. The id hashes one segment per param or bundle in order of name; the state before each segment is kept, so that
 * a step of the last axis hashes only what follows it (cell_ids.c).
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "plan/inside.h"
#include "plan/keys.h"

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static bool lane_init(struct pg_lane *l, size_t axes, size_t computed)
{
	l->pos = calloc(axes, sizeof(*l->pos));
	l->vals = calloc(computed, sizeof(*l->vals));
	l->at = calloc(computed + 1, sizeof(*l->at));
	pg_str_init(&l->text);
	return l->pos && l->vals && l->at;
}

struct pg_cell_buf *pg_cell_buf_for(const struct pg_plan *p, const struct pg_sweep_in *const *sweeps, size_t n)
{
	struct pg_cell_buf *b = calloc(1, sizeof(*b));
	size_t params = 1, axes = 1, segs = 1, env = 1, computed = 1;
	bool made = true;

	if (!b)
		return NULL;
	for (size_t i = 0; i < n; i++) {
		params = larger(params, sweeps[i]->pub.n_params);
		axes = larger(axes, sweeps[i]->pub.n_axes);
		segs = larger(segs, sweeps[i]->n_segs);
		env = larger(env, sweeps[i]->n_env);
		computed = larger(computed, sweeps[i]->n_computed);
	}
	b->p = p;
	b->local = SIZE_MAX;
	b->vals = calloc(params, sizeof(*b->vals));
	b->texts = calloc(params, sizeof(*b->texts));
	b->pos = calloc(axes, sizeof(*b->pos));
	b->hash = calloc(segs + 1, sizeof(*b->hash));
	b->env = calloc(env, sizeof(*b->env));
	for (size_t k = 0; k < PG_LANES; k++)
		made &= lane_init(&b->lanes[k], axes, computed);
	if (made && b->vals && b->texts && b->pos && b->hash && b->env)
		return b;
	pg_cell_buf_free(b);
	return NULL;
}

struct pg_cell_buf *pg_cell_buf_new(const struct pg_plan *p)
{
	return pg_cell_buf_for(p, (const struct pg_sweep_in *const *)p->sweeps, p->n_sweeps);
}

void pg_cell_buf_free(struct pg_cell_buf *b)
{
	if (!b)
		return;
	free(b->vals);
	free(b->texts);
	free(b->pos);
	free(b->hash);
	free(b->env);
	for (size_t k = 0; k < PG_LANES; k++) {
		free(b->lanes[k].pos);
		free(b->lanes[k].vals);
		free(b->lanes[k].at);
		pg_str_release(&b->lanes[k].text);
	}
	free(b);
}

void pg_cell_enter(struct pg_cell_buf *b, const struct pg_sweep_in *sw)
{
	struct pg_cell *c = &b->cell;
	const struct pg_sweep *s = &sw->pub;

	b->sw = sw;
	b->local = SIZE_MAX;
	b->dirty = 0;
	b->n_lanes = 0;
	b->hash[0] = sw->hash0;
	memcpy(b->vals, sw->base, s->n_params * sizeof(*b->vals));
	memcpy(b->texts, sw->base_texts, s->n_params * sizeof(*b->texts));
	for (size_t a = 0; a < s->n_axes; a++)
		b->pos[a] = UINT32_MAX;
	*c = (struct pg_cell){
		.sweep = s->index,
		.bench = s->bench,
		.params = s->params,
		.n_params = s->n_params,
		.metrics = s->metrics,
		.n_bench_metrics = s->n_bench_metrics,
		.n_metrics = s->n_metrics,
		.vals = b->vals,
		.texts = b->texts,
		.pos = b->pos,
		.n_variants = (uint32_t)s->n_variants,
		.keys = sw->keys_vary ? &b->keys : &sw->keys,
		.program = sw->program,
		.rules = &s->rules,
		.loc = s->loc,
	};
}

static void set_env(struct pg_cell_buf *b, const struct pg_env_item *item)
{
	for (size_t i = 0; i < b->keys.n_env; i++)
		if (strcmp(b->env[i].name, item->name) == 0) {
			b->env[i] = *item;
			return;
		}
	b->env[b->keys.n_env++] = *item;
}

#define GIVEN(k, id) ((k)->given & (1u << ((id)-PG_K_PIN)))

static void merge_item(struct pg_cell_buf *b, const struct pg_item_keys *k)
{
	struct pg_runkeys *to = &b->keys;

	if (GIVEN(k, PG_K_PIN))
		to->pin = k->run.pin;
	if (GIVEN(k, PG_K_NICE)) {
		to->nice = k->run.nice;
		to->has_nice = true;
	}
	if (GIVEN(k, PG_K_POLICY)) {
		to->policy = k->run.policy;
		to->priority = k->run.priority;
	}
	if (GIVEN(k, PG_K_CGROUP))
		to->cgroup = k->run.cgroup;
	if (GIVEN(k, PG_K_PREFIX))
		to->prefix = k->run.prefix;
	if (GIVEN(k, PG_K_BEFORE))
		to->before = k->run.before;
	if (GIVEN(k, PG_K_AFTER))
		to->after = k->run.after;
	if (GIVEN(k, PG_K_BACKGROUND))
		to->background = k->run.background;
	for (size_t i = 0; i < k->run.n_env; i++)
		set_env(b, &k->run.env[i]);
}

/* The sweep's keys, and over them those of the items that this cell has. */
static void merge_keys(struct pg_cell_buf *b)
{
	const struct pg_sweep_in *sw = b->sw;

	b->keys = sw->keys;
	b->keys.env = b->env;
	b->keys.n_env = 0;
	for (size_t i = 0; i < sw->keys.n_env; i++)
		set_env(b, &sw->keys.env[i]);
	for (size_t a = 0; a < sw->pub.n_axes; a++)
		if (sw->in[a].keys)
			merge_item(b, &sw->in[a].keys[b->pos[a]]);
}

static void move_axis(struct pg_cell_buf *b, size_t a, uint32_t pos)
{
	const struct pg_axis_in *in = &b->sw->in[a];

	if (b->pos[a] == pos)
		return;
	b->pos[a] = pos;
	for (size_t c = 0; c < in->n_cols; c++) {
		b->vals[in->cols[c]] = in->vals[pos * in->n_cols + c];
		b->texts[in->cols[c]] = in->texts[pos * in->n_cols + c];
	}
	if (in->seg < b->dirty)
		b->dirty = in->seg;
}

static void step(struct pg_cell_buf *b)
{
	for (size_t a = b->sw->pub.n_axes; a-- > 0;) {
		uint32_t next = b->pos[a] + 1;

		if (next < b->sw->in[a].n_product) {
			move_axis(b, a, next);
			return;
		}
		move_axis(b, a, 0);
	}
}

void pg_cell_move(struct pg_cell_buf *b, size_t local)
{
	const struct pg_sweep_in *sw = b->sw;
	size_t n = sw->pub.n_axes, rest = local;

	if (b->local != SIZE_MAX && local == b->local + 1 && local < sw->n_product) {
		step(b);
	} else if (local < sw->n_product) {
		for (size_t a = n; a-- > 0; rest /= sw->in[a].n_product)
			move_axis(b, a, (uint32_t)(rest % sw->in[a].n_product));
	} else {
		for (size_t a = 0; a < n; a++)
			move_axis(b, a, sw->add_pos[(local - sw->n_product) * n + a]);
	}
	b->local = local;
	b->cell.loc = local < sw->n_product ? sw->pub.loc : sw->add_loc[local - sw->n_product];
	if (sw->keys_vary)
		merge_keys(b);
}

static int get_slot(void *ctx, size_t slot, struct pg_evalue *out)
{
	const struct pg_cell_buf *b = ctx;
	const struct pg_sweep *s = &b->sw->pub;

	if (slot < PG_MACHINE_WORDS) {
		*out = (struct pg_evalue){.kind = PG_E_NUM, .num = pg_dec_int((int64_t)b->p->words[slot])};
		return 0;
	}
	slot -= PG_MACHINE_WORDS;
	if (slot < s->n_params) {
		pg_values_to_expr(&s->params[slot], &b->vals[slot], out);
		return 0;
	}
	slot -= s->n_params;
	*out = (struct pg_evalue){.kind = PG_E_TEXT,
				  .text = slot < s->n_axes ? s->axes[slot].labels[b->pos[slot]] : s->name};
	return 0;
}

struct pg_cellview pg_cell_view(struct pg_cell_buf *b)
{
	return (struct pg_cellview){.get = get_slot, .ctx = b};
}

static bool short_way(const struct pg_param *row, const struct pg_computed *c, const struct pg_evalue *v,
		      struct pg_value *out)
{
	if (v->kind != c->whole || v->num.e != 0 || v->num.m < c->least || v->num.m > c->most)
		return false;
	*out = (struct pg_value){.u.i = v->num.m, .state = PG_V_SET, .type = (uint8_t)row->type};
	return true;
}

static int compute_one(struct pg_cell_buf *b, const struct pg_computed *c, const struct pg_cellview *view, double *cut,
		       struct pg_err *err)
{
	const struct pg_param *row = &b->sw->pub.params[c->param];
	struct pg_evalue v;

	if (pg_expr_eval(c->e, view, &v, cut, err))
		return -1;
	return short_way(row, c, &v, &b->vals[c->param])
		       ? 0
		       : pg_values_from_expr(row, &v, &c->loc, &b->vals[c->param], err);
}

int pg_cell_compute(struct pg_cell_buf *b, struct pg_cell_watch *w)
{
	const struct pg_sweep_in *sw = b->sw;
	const struct pg_cellview view = pg_cell_view(b);
	struct pg_err err;

	for (size_t i = 0; i < sw->n_computed; i++) {
		const struct pg_computed *c = &sw->computed[i];
		double cut = 0;

		if (compute_one(b, c, &view, w ? &cut : NULL, w ? &w->err : &err)) {
			assert(w); /* every cell was computed when the plan was made */
			w->bad = i;
			return -1;
		}
		if (w && cut > w->cut[i])
			w->cut[i] = cut;
		if (c->seg < b->dirty)
			b->dirty = c->seg;
	}
	return 0;
}

void pg_seg_add(struct pg_str *out, const char *name, const struct pg_param *row, const struct pg_value *v,
		const char *label)
{
	if (!label && v->state == PG_V_UNSET)
		return;
	pg_str_adds(out, name);
	pg_str_addc(out, '=');
	if (label)
		pg_str_adds(out, label);
	else
		pg_value_format(row, v, out); /* no value has a control character in it */
	pg_str_addc(out, '\n');
}

static const struct pg_sweep_in *sweep_of(const struct pg_plan *p, size_t index)
{
	size_t lo = 0, hi = p->n_sweeps;

	while (hi - lo > 1) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->sweeps[mid]->pub.first_cell <= index)
			lo = mid;
		else
			hi = mid;
	}
	return p->sweeps[lo];
}

const struct pg_cell *pg_plan_cell(const struct pg_plan *p, size_t index, struct pg_cell_buf *b)
{
	const struct pg_sweep_in *sw = b->sw;

	assert(index < p->n_cells);
	if (!sw || index < sw->pub.first_cell || index - sw->pub.first_cell >= sw->pub.n_cells) {
		sw = sweep_of(p, index);
		pg_cell_enter(b, sw);
	}
	b->cell.id = pg_cell_make(b, index - sw->pub.first_cell);
	if (sw->variants) {
		b->cell.variant = b->pos[sw->pub.n_axes - 1];
		b->cell.variant_label = sw->pub.axes[sw->pub.n_axes - 1].labels[b->cell.variant];
	}
	b->cell.index = index;
	b->cell.skip = pg_plan_skip(p, index, &b->cell.why);
	return &b->cell;
}

const char *pg_plan_label(const struct pg_plan *p, const struct pg_cell *c, size_t param)
{
	const struct pg_sweep_in *sw = p->sweeps[c->sweep];

	if (!sw->pub.labelled[param])
		return NULL;
	for (size_t a = 0; a < sw->pub.n_axes; a++)
		for (size_t k = 0; k < sw->in[a].n_cols; k++)
			if (sw->in[a].cols[k] == param)
				return sw->in[a].labels[c->pos[a] * sw->in[a].n_cols + k];
	return sw->base_labels[param];
}
