/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The values of an axis: scalars, ranges, `all`, one after another, each value once. */
#include "plan/values.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "base/str.h"
#include "plan/quote.h"
#include "plan/range.h"
#include "plan/values_parts.h"

#define AXIS_VALUES 1000000u /* as many as a plan has cells */

struct axis {
	const struct pg_values_ctx *ctx;
	const struct pg_param *row;
	struct pg_item *items; /* malloc'ed while it grows */
	size_t n, cap;
	struct pg_str label; /* reused for each value of a range */
	bool failed;
};

/* A range while its values come. */
struct walk {
	struct axis *a;
	const struct pg_range *r;
	const struct pg_node *node;
	bool end_fits;	 /* the end is in the row's range: */
	bool lower_fits; /* so is a value before, and all between them are */
	size_t unfit;	 /* values dropped, all out of the row's range */
	struct pg_err first_unfit;
};

static int fail(struct axis *a)
{
	a->failed = true;
	return -1;
}

static int nomem(struct axis *a, const struct pg_loc *loc)
{
	pg_diag_error(a->ctx->diag, loc, "out of memory");
	return fail(a);
}

static int push(struct axis *a, const struct pg_item *it)
{
	if (a->n == AXIS_VALUES) {
		pg_diag_error(a->ctx->diag, &it->loc, "%s has more than %u values; a plan has no more cells",
			      a->row->name, AXIS_VALUES);
		return fail(a);
	}
	if (a->n == a->cap) {
		size_t cap = a->cap ? 2 * a->cap : 16;
		struct pg_item *bigger = realloc(a->items, cap * sizeof(*bigger));

		if (!bigger)
			return nomem(a, &it->loc);
		a->items = bigger;
		a->cap = cap;
	}
	a->items[a->n++] = *it;
	return 0;
}

/* {param} and label of a value that the file does not spell out. */
static const char *label(struct axis *a, const struct pg_value *v)
{
	pg_str_reset(&a->label);
	pg_value_format(a->row, v, &a->label);
	return a->label.failed ? NULL : pg_arena_strndup(a->ctx->arena, pg_str_text(&a->label), a->label.len);
}

static int refuse(struct axis *a, const struct pg_loc *loc, const struct pg_err *err)
{
	pg_diag_error(a->ctx->diag, loc, "%s: %s", a->row->name, err->msg);
	return fail(a);
}

static int not_whole(struct walk *w, const struct pg_dec *d)
{
	char buf[PG_NUM_BUF];
	struct pg_quote q;

	pg_fmt_dec(buf, d->m, d->e);
	pg_diag_error(w->a->ctx->diag, &w->r->by_loc,
		      "%s: range %s has the value %s, no whole number; use a whole %s, or list the values",
		      w->a->row->name, pg_quote(&q, w->r->text, w->r->len), buf, w->r->factor ? "factor" : "step");
	return fail(w->a);
}

/* A number of the range as a value of the row. */
static int convert(const struct walk *w, const struct pg_dec *d, struct pg_value *out, struct pg_err *err)
{
	struct pg_evalue e = {PG_E_NUM, *d, NULL};
	enum pg_type type = w->a->row->type;

	if (type == PG_SIZE || type == PG_TIME)
		e.kind = type == PG_SIZE ? PG_E_SIZE : PG_E_TIME;
	return pg_values_convert(w->a->row, &e, out, err);
}

/* 0 = in the row's range, 1 = to be dropped, -1 = an error. */
static int fits(struct walk *w, const struct pg_dec *d, const struct pg_value *v)
{
	struct pg_err err;

	if (w->end_fits && w->lower_fits)
		return 0;
	if (pg_values_in_range(w->a->row, v, &err) == 0) {
		w->lower_fits = true;
		return 0;
	}
	if (!w->r->machine || (!w->r->start_machine && pg_dec_cmp(*d, w->r->start) == 0))
		return refuse(w->a, &w->node->loc, &err);
	if (w->unfit++ == 0)
		w->first_unfit = err;
	return 1;
}

static int take_value(void *ctx, const struct pg_dec *d)
{
	struct walk *w = ctx;
	struct pg_item it = {.from_range = true, .machine = w->r->machine, .loc = w->node->loc};
	struct pg_err err;
	int64_t whole;
	int rc;

	if (w->a->row->type != PG_REAL && !pg_dec_to_i64(*d, &whole))
		return not_whole(w, d);
	if (convert(w, d, &it.v, &err))
		return refuse(w->a, &it.loc, &err);
	rc = fits(w, d, &it.v);
	if (rc)
		return rc < 0 ? -1 : 0;
	it.text = label(w->a, &it.v);
	return it.text ? push(w->a, &it) : nomem(w->a, &it.loc);
}

static int add_range(struct axis *a, const struct pg_node *node)
{
	struct pg_range r;
	struct walk w = {.a = a, .r = &r, .node = node};
	struct pg_value end;
	struct pg_quote q;

	if (pg_range_parse(a->ctx, a->row, node, &r))
		return fail(a);
	w.end_fits = convert(&w, &r.end, &end, NULL) == 0 && pg_values_in_range(a->row, &end, NULL) == 0;
	if (pg_range_each(a->ctx, &r, take_value, &w))
		return fail(a);
	if (w.unfit)
		pg_diag_note(a->ctx->diag, &node->loc, "%s: %s: %s; dropped %zu of its values", a->row->name,
			     pg_quote(&q, node->text, node->len), w.first_unfit.msg, w.unfit);
	return 0;
}

/* Does the machine lack BENCH.PARAM=CHOICE? */
static bool is_unavailable(const struct axis *a, const char *choice)
{
	const char *parts[] = {a->ctx->bench ? a->ctx->bench : "", ".", a->row->name, "=", choice};

	for (size_t i = 0; i < a->ctx->machine->n_unavailable; i++) {
		const char *s = a->ctx->machine->unavailable[i];
		size_t k = 0;

		for (; k < sizeof(parts) / sizeof(parts[0]) && pg_startswith(s, parts[k]); k++)
			s += strlen(parts[k]);
		if (k == sizeof(parts) / sizeof(parts[0]) && !*s)
			return true;
	}
	return false;
}

static int add_all(struct axis *a, const struct pg_node *node)
{
	for (int i = 0; a->row->choices[i].name; i++) {
		struct pg_item it = {.text = a->row->choices[i].name, .machine = true, .loc = node->loc};

		if (is_unavailable(a, it.text))
			continue;
		it.v.type = (uint8_t)a->row->type;
		it.v.state = PG_V_SET;
		it.v.u.i = i;
		if (push(a, &it))
			return -1;
	}
	return 0;
}

static bool is_all(const struct pg_param *row, const struct pg_node *node)
{
	return row->role & PG_ALL && row->type == PG_ENUM && node->kind == PG_NODE_SCALAR && node->plain &&
	       strcmp(node->text, "all") == 0;
}

static int add(struct axis *a, const struct pg_node *node)
{
	struct pg_item it;
	struct pg_err err;
	int rc;

	if (pg_node_slip(node, a->ctx->diag))
		return fail(a);
	if (node->kind != PG_NODE_SCALAR) {
		pg_diag_error(a->ctx->diag, &node->loc,
			      "%s: a value is due here, not %s; write one value, or one list of values", a->row->name,
			      pg_node_what(node));
		return fail(a);
	}
	if (is_all(a->row, node))
		return add_all(a, node);
	if (node->plain && pg_values_is_number(a->row->type) && pg_range_is(node->text, node->len))
		return add_range(a, node);
	rc = pg_values_scalar(a->ctx, a->row, node, &it, &err);
	if (rc < 0)
		return fail(a);
	if (rc == 0)
		return push(a, &it);
	pg_diag_note(a->ctx->diag, &node->loc, "%s: %s: %s; dropped", a->row->name, node->text, err.msg);
	return 0;
}

static bool same_place(const struct pg_loc *a, const struct pg_loc *b)
{
	return a->line == b->line && a->col == b->col;
}

/* Two items alike: the one that a machine word made goes, else it is an error. One message for each place. Returns the
 * one to keep. */
static size_t settle(struct axis *a, size_t first, size_t second, struct pg_loc *told)
{
	size_t drop = a->items[first].machine && !a->items[second].machine ? first : second;
	const struct pg_item *f = &a->items[first], *s = &a->items[second];
	struct pg_quote q;

	pg_quote(&q, s->text, strlen(s->text));
	if (!same_place(told, &s->loc)) {
		*told = s->loc;
		if (a->items[drop].machine)
			pg_diag_note(a->ctx->diag, &a->items[drop].loc, "%s: %s is there already; dropped",
				     a->row->name, a->items[drop].text);
		else if (s->loc.line)
			pg_diag_error(a->ctx->diag, &s->loc,
				      "%s: value %s stands here again, it is at line %u, column %u; keep one",
				      a->row->name, q.s, f->loc.line, f->loc.col);
		else
			pg_diag_error(a->ctx->diag, &s->loc, "%s: value %s stands twice; keep one", a->row->name, q.s);
	}
	if (!a->items[drop].machine)
		a->failed = true;
	a->items[drop].v.state = PG_V_UNSET;
	return drop == first ? second : first;
}

/* Takes repeated values out: marks them UNSET, then closes the gaps. */
static int unique(struct axis *a)
{
	struct pg_loc told = {NULL, UINT_MAX, 0}, whole = a->n ? a->items[0].loc : told;
	size_t slots = 16, kept = 0;
	size_t *table;

	if (a->n && a->items[0].from_range && same_place(&a->items[0].loc, &a->items[a->n - 1].loc) &&
	    a->items[0].loc.line)
		return 0; /* one range alone: it ascends */
	while (slots < 2 * a->n)
		slots *= 2;
	table = calloc(slots, sizeof(*table)); /* index + 1 */
	if (!table)
		return nomem(a, &whole);
	for (size_t i = 0; i < a->n && !pg_diag_full(a->ctx->diag); i++) {
		size_t k = (size_t)pg_value_hash(&a->items[i].v) & (slots - 1);

		while (table[k] && !pg_value_equal(&a->items[table[k] - 1].v, &a->items[i].v))
			k = (k + 1) & (slots - 1);
		table[k] = (table[k] ? settle(a, table[k] - 1, i, &told) : i) + 1;
	}
	free(table);
	for (size_t i = 0; i < a->n; i++)
		if (a->items[i].v.state != PG_V_UNSET)
			a->items[kept++] = a->items[i];
	a->n = kept;
	return a->failed ? -1 : 0;
}

/* `[0-3,8]` for a list of CPUs: YAML made items of it. */
static bool is_torn_list(const struct axis *a, const struct pg_node *list)
{
	if ((a->row->type != PG_CPULIST && a->row->type != PG_NODELIST) || !list->flow || list->cli)
		return false;
	for (const struct pg_node *c = list->child; c; c = c->next)
		if (c->kind != PG_NODE_SCALAR || !c->plain || strspn(c->text, "0123456789-:") != c->len)
			return false;
	return list->child != NULL;
}

static int report_torn(struct axis *a, const struct pg_node *list)
{
	struct pg_str whole;
	struct pg_quote q;

	pg_str_init(&whole);
	for (const struct pg_node *c = list->child; c && whole.len < PG_QUOTE_MAX; c = c->next)
		pg_str_addf(&whole, "%s%s", c == list->child ? "" : ",", c->text);
	pg_diag_error(
		a->ctx->diag, &list->child->loc,
		"%s: a list of %s stands in quotes, YAML takes these as separate items; write \"%s\" for one list",
		a->row->name, a->row->type == PG_CPULIST ? "CPUs" : "nodes",
		pg_quote(&q, pg_str_text(&whole), whole.len));
	pg_str_release(&whole);
	return -1;
}

static int collect(struct axis *a, const struct pg_node *node)
{
	struct pg_diag *d = a->ctx->diag;

	if (node->kind != PG_NODE_LIST)
		return add(a, node);
	if (pg_node_slip(node, d))
		return -1;
	if (is_torn_list(a, node))
		return report_torn(a, node);
	if (!node->child)
		return pg_diag_error(d, &node->loc, "%s: an empty list; write at least one value", a->row->name);
	for (const struct pg_node *c = node->child; c && !pg_diag_full(d); c = c->next)
		add(a, c);
	return a->failed ? -1 : 0;
}

static int finish(struct axis *a, const struct pg_node *node, struct pg_item **items, size_t *n)
{
	if (a->n == 0)
		return pg_diag_error(a->ctx->diag, &node->loc,
				     "%s has no value left on this machine; add one that does not depend on it",
				     a->row->name);
	*items = pg_arena_array(a->ctx->arena, a->n, sizeof(**items));
	if (!*items)
		return nomem(a, &node->loc);
	memcpy(*items, a->items, a->n * sizeof(**items));
	*n = a->n;
	return 0;
}

int pg_values_axis(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node,
		   struct pg_item **items, size_t *n)
{
	struct axis a = {.ctx = ctx, .row = row};
	int rc = collect(&a, node) || unique(&a) || finish(&a, node, items, n) ? -1 : 0;

	free(a.items);
	pg_str_release(&a.label);
	return rc;
}

int pg_values_one(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node,
		  struct pg_item *out)
{
	bool text = !pg_values_is_number(row->type) && row->type != PG_ENUM && row->type != PG_BOOL;
	struct pg_node whole;
	struct pg_err err;
	int rc;

	if (node->kind == PG_NODE_LIST && node->cli && text) {
		whole = *node; /* commas of a text on the command line are its own */
		whole.kind = PG_NODE_SCALAR;
		whole.child = NULL;
		node = &whole;
	}
	if (is_all(row, node))
		return pg_diag_error(ctx->diag, &node->loc, "%s: `all` stands for several values; it belongs in `%s`",
				     row->name, node->cli ? "--vary" : "vary");
	rc = pg_values_scalar(ctx, row, node, out, &err);
	if (rc <= 0)
		return rc;
	pg_err_wrap(&err, "%s: %s", row->name, node->text);
	return pg_diag_pass(ctx->diag, &err);
}
