/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan's digest: 64 bits over a text of all that shapes a rep. Two plans with the same digest measure the same
 * cells in the same way, so that one run may go on where the other stopped. How often a cell is measured is not part of
 * it.
 */
#include <string.h>

#include "base/str.h"
#include "model/suite.h"
#include "plan/inside.h"

struct out {
	uint64_t h;
	struct pg_str line;
};

/* The line so far, with its length, so that no two sequences of lines give the same bytes. */
static void flush(struct out *o)
{
	uint64_t n = o->line.len;

	o->h = pg_fnv1a(o->h, &n, sizeof(n));
	o->h = pg_fnv1a(o->h, pg_str_text(&o->line), o->line.len);
	pg_str_reset(&o->line);
}

static void text(struct out *o, const char *key, const char *value)
{
	pg_str_adds(&o->line, key);
	pg_str_adds(&o->line, value ? "=" : "");
	pg_str_adds(&o->line, value ? value : "");
	flush(o);
}

static void number(struct out *o, const char *key, int64_t v)
{
	pg_str_adds(&o->line, key);
	pg_str_addc(&o->line, '=');
	pg_str_addi(&o->line, v);
	flush(o);
}

static void value(struct out *o, const struct pg_param *row, const struct pg_value *v)
{
	pg_str_adds(&o->line, row->name);
	if (v->state != PG_V_UNSET)
		pg_str_addc(&o->line, v->state == PG_V_WORD ? ':' : '=');
	pg_value_format(row, v, &o->line);
	flush(o);
}

static void words(struct out *o, const char *key, const struct pg_words *w)
{
	number(o, key, (int64_t)w->n);
	for (size_t i = 0; i < w->n; i++)
		text(o, "word", w->w[i]);
}

static void run_keys(struct out *o, const struct pg_runkeys *k)
{
	text(o, "pin", k->pin);
	number(o, "nice", k->has_nice ? k->nice : INT64_MAX);
	number(o, "policy", k->policy);
	number(o, "priority", k->priority);
	text(o, "cgroup", k->cgroup);
	for (size_t i = 0; i < k->n_env; i++) {
		text(o, "variable", k->env[i].name);
		text(o, "value", k->env[i].text);
	}
	words(o, "prefix", &k->prefix);
	words(o, "before", &k->before);
	words(o, "after", &k->after);
	words(o, "background", &k->background);
}

static void program(struct out *o, const struct pg_program *p, const struct pg_metric *metrics)
{
	words(o, p->shell ? "shell" : "command", &p->command);
	text(o, "stdin", p->stdin_path);
	text(o, "directory", p->working_directory);
	number(o, "any_exit", p->any_exit);
	for (size_t i = 0; i < p->n_exits; i++)
		number(o, "exit", p->exits[i]);
	for (size_t i = 0; i < p->n_captures; i++) {
		const struct pg_capture *c = &p->captures[i];
		char factor[PG_NUM_BUF];

		pg_fmt_double(factor, c->factor);
		text(o, "metric", c->name);
		text(o, "pattern", c->pattern);
		text(o, "factor", factor);
		number(o, "unit", metrics[c->metric].unit);
		number(o, "which", c->which);
		number(o, "stderr", c->from_stderr);
		number(o, "required", c->required);
	}
}

static void axis(struct out *o, const struct pg_sweep_in *sw, size_t a)
{
	const struct pg_axis *x = &sw->pub.axes[a];
	const struct pg_axis_in *in = &sw->in[a];

	text(o, x->bundle ? "bundle" : "axis", x->name);
	number(o, "product", (int64_t)in->n_product);
	for (size_t i = 0; i < x->n; i++) {
		if (x->bundle)
			text(o, "label", x->labels[i]);
		for (size_t k = 0; k < in->n_cols; k++) {
			value(o, &sw->pub.params[in->cols[k]], &in->vals[i * in->n_cols + k]);
			text(o, "text", in->texts[i * in->n_cols + k]);
		}
		if (in->keys) {
			number(o, "given", in->keys[i].given);
			run_keys(o, &in->keys[i].run);
		}
	}
}

/* Machine words count where an expression of the cell names them; elsewhere they have become numbers. */
static void computed(struct out *o, const struct pg_plan *p, const struct pg_sweep_in *sw)
{
	for (size_t i = 0; i < sw->n_computed; i++) {
		const struct pg_computed *c = &sw->computed[i];

		pg_str_adds(&o->line, sw->pub.params[c->param].name);
		pg_str_adds(&o->line, ":=");
		pg_expr_text(c->e, &o->line);
		flush(o);
		for (size_t w = 0; w < PG_MACHINE_WORDS; w++)
			if (pg_expr_uses(c->e, w))
				number(o, pg_machine_words[w], (int64_t)p->words[w]);
	}
}

static void cells(struct out *o, const struct pg_plan *p, const struct pg_sweep_in *sw)
{
	for (size_t i = 0; i < sw->n_add * sw->pub.n_axes; i++)
		number(o, "add", sw->add_pos[i]);
	for (size_t i = 0; i < sw->pub.n_cells; i++) {
		uint32_t skip = p->marks[sw->pub.first_cell + i] >> PG_MARK_SHIFT;

		if (skip != PG_NOT_SKIPPED) {
			uint64_t mark = (uint64_t)i << 2 | skip;

			o->h = pg_fnv1a(o->h, &mark, sizeof(mark));
		}
	}
}

static void sweep(struct out *o, const struct pg_plan *p, const struct pg_sweep_in *sw)
{
	const struct pg_sweep *s = &sw->pub;

	text(o, "sweep", s->name);
	text(o, "bench", s->bench->name);
	number(o, "process", s->rules.process);
	number(o, "sample_time", s->rules.sample_time_ns);
	number(o, "cells", (int64_t)s->n_cells);
	for (size_t i = 0; i < s->n_params; i++) {
		value(o, &s->params[i], &sw->base[i]);
		text(o, "text", sw->base_texts[i]);
	}
	for (size_t a = 0; a < s->n_axes; a++)
		axis(o, sw, a);
	computed(o, p, sw);
	run_keys(o, &sw->keys);
	if (sw->program)
		program(o, sw->program, s->metrics);
	cells(o, p, sw);
}

uint64_t pg_digest_make(const struct pg_plan *p, const char *version)
{
	struct out o = {.h = PG_FNV_INIT};

	pg_str_init(&o.line);
	text(&o, "perfgrid", version);
	text(&o, "scenario", p->name);
	text(&o, "only", p->only);
	for (size_t i = 0; i < p->n_sweeps; i++)
		sweep(&o, p, p->sweeps[i]);
	pg_str_release(&o.line);
	return pg_mix64(o.h);
}
