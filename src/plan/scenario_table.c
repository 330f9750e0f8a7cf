/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of a sweep as the scenario or `tables --rows ...` has them. */
#include <string.h>

#include "base/nameset.h"
#include "base/str.h"
#include "plan/scalar.h"
#include "plan/sweep.h"
#include "plan/table.h"

struct reader {
	struct pg_build *b;
	struct pg_table_text *t;
};

static int read_names(struct reader *r, const struct pg_key *row, const struct pg_node *node, struct pg_name_list *out)
{
	bool list = node->kind == PG_NODE_LIST;
	const struct pg_node *n;
	int rc = 0;

	if (node->kind == PG_NODE_MAP || (list && pg_node_want_list(&r->b->d, row, node)))
		return list ? -1 : pg_scalar_wrong(&r->b->d, row, node);
	out->v = pg_build_array(r->b, list ? node->n : 1, sizeof(*out->v));
	if (!out->v)
		return -1;
	out->given = true;
	for (n = list ? node->child : node; n; n = list ? n->next : NULL) {
		if (n->kind != PG_NODE_SCALAR || !n->len)
			rc = pg_diag_error(&r->b->d, &n->loc, "`%s` must be %s", row->name, pg_form_text(row->form));
		else
			out->v[out->n++] = (struct pg_table_name){.s = n->text, .loc = n->loc};
	}
	return rc;
}

static int read_relative(struct reader *r, const struct pg_key *row, const struct pg_node *node)
{
	if (pg_node_want_map(&r->b->d, row, node))
		return -1;
	if (node->n != 1)
		return pg_diag_error(&r->b->d, &node->loc,
				     "`relative_to` takes one axis and one of its values; this map has %zu entries",
				     node->n);
	if (pg_key_has_value(&r->b->d, node->child))
		return -1;
	r->t->axis = (struct pg_table_name){.s = node->child->key->text, .loc = node->child->key->loc};
	r->t->axis_value = node->child;
	return 0;
}

static int table_key(void *ctx, const struct pg_key *row, const struct pg_node *node)
{
	struct reader *r = ctx;
	struct pg_table_text *t = r->t;

	if (row->id == PG_K_ROWS)
		return read_names(r, row, node, &t->rows);
	if (row->id == PG_K_COLUMNS)
		return read_names(r, row, node, &t->columns);
	if (row->id == PG_K_SPLIT)
		return read_names(r, row, node, &t->split);
	if (row->id == PG_K_VALUE)
		return read_names(r, row, node, &t->value);
	if (row->id == PG_K_STATISTIC)
		return read_names(r, row, node, &t->statistic);
	if (row->id == PG_K_RELATIVE_TO)
		return read_relative(r, row, node);
	if (row->id == PG_K_UNIT) {
		t->unit.loc = node->loc;
		return pg_scalar_text(&r->b->d, row, node, &t->unit.s);
	}
	t->name.loc = node->loc;
	return pg_scalar_name(&r->b->d, row, node, &t->name.s);
}

/* Tables of a sweep so far. */
struct tables {
	struct pg_table_spec *v;
	size_t n;
	struct pg_nameset names; /* line; of refused ones too */
};

static int take_name(struct pg_draft *dr, struct tables *made, const struct pg_table_text *t)
{
	size_t before;
	int added = t->name.s ? pg_nameset_add(&made->names, t->name.s, t->loc.line, &before) : 1;

	if (added < 0)
		return pg_diag_error(&dr->b->d, NULL, "out of memory");
	return added ? 0
		     : pg_diag_error(&dr->b->d, &t->name.loc,
				     "table %s has the name of the table on line %u; a name is taken once, whatever "
				     "its case",
				     t->name.s, (unsigned)before);
}

static int read_table(struct pg_draft *dr, const struct pg_table_ctx *c, const struct pg_node *node,
		      struct tables *made)
{
	struct pg_table_text t = {.loc = node->loc};
	struct reader r = {.b = dr->b, .t = &t};
	int rc;

	if (node->kind != PG_NODE_MAP)
		return pg_diag_error(&dr->b->d, &node->loc, "a table must be a map with `rows`; this is %s",
				     pg_node_what(node));
	rc = pg_keys_walk(&dr->b->d, node, pg_table_keys, PG_KEY_SUB, "a table", table_key, &r);
	if (rc || take_name(dr, made, &t))
		return -1;
	rc = pg_table_resolve(c, &t, &made->v[made->n]);
	made->n += rc == 0;
	return rc < 0 ? -1 : 0;
}

static int read_list(struct pg_draft *dr, const struct pg_table_ctx *c, const struct pg_node *list, struct tables *made)
{
	int rc = 0;

	if (pg_node_want_items(&dr->b->d, pg_key_find(pg_sweep_keys, "tables"), list))
		return -1;
	for (const struct pg_node *t = list->child; t && !pg_diag_full(&dr->b->d); t = t->next)
		if (read_table(dr, c, t, made))
			rc = -1;
	return rc;
}

/* May the operation count be the word `auto`? */
static bool is_ops_auto(const struct pg_draft *dr)
{
	const struct pg_sweep *s = &dr->sw->pub;

	for (size_t i = 0; i < s->n_params; i++)
		if (s->params[i].role & PG_OPS && dr->slot_kinds[PG_SLOT_PARAM(i)] & 1u << PG_E_TEXT)
			return true;
	return false;
}

static int axis_flags(struct pg_draft *dr, struct pg_table_ctx *c)
{
	bool *varied = pg_build_array(dr->b, dr->n_axes, sizeof(*varied)),
	     *broken = pg_build_array(dr->b, dr->n_axes, sizeof(*broken));

	if (!varied || !broken)
		return -1;
	for (size_t a = 0; a < dr->n_axes; a++) {
		varied[a] = dr->axes[a].place->varied;
		broken[a] = dr->axes[a].broken;
	}
	c->varied = varied;
	c->broken = broken;
	return 0;
}

/* Arms are compared by the metric of the first table: better and worse must be told of it. */
static int check_direction(const struct pg_draft *dr)
{
	const struct pg_sweep *s = &dr->sw->pub;
	const struct pg_metric *m = &s->metrics[s->stop_metric];

	if (s->n_variants < 2 || m->better != PG_NEITHER)
		return 0;
	return pg_diag_error(&dr->b->d, &dr->keys.variants->key->loc,
			     "variants are compared by %s, which has no direction; %s another metric first in `tables`",
			     m->name, dr->exec ? "give it `better: lower` or `higher`, or put" : "put");
}

int pg_sweep_tables(struct pg_draft *dr)
{
	const struct pg_node *list = dr->glob ? NULL : pg_node_get(dr->node, "tables");
	struct pg_sweep *s = &dr->sw->pub;
	struct pg_table_ctx c = {
		.a = dr->b->a, .d = &dr->b->d, .sw = dr->sw, .machine = dr->b->in->machine, .selected = dr->selected};
	struct tables made = {.n = 0};
	bool given = list && !pg_node_is_null(list);
	int rc = 0;

	dr->sw->ops_auto = is_ops_auto(dr);
	s->main_metric = pg_metric_main(s->metrics, dr->sw->ops_auto);
	made.v = pg_build_array(dr->b, (given && list->kind == PG_NODE_LIST ? list->n : 0) + 1, sizeof(*made.v));
	if (!made.v || axis_flags(dr, &c))
		return -1;
	pg_nameset_init(&made.names, true);
	if (given)
		rc = read_list(dr, &c, list, &made);
	pg_nameset_release(&made.names);
	if (!rc && made.n == 0) {
		struct pg_table_text none = {.loc = dr->loc};

		rc = pg_table_resolve(&c, &none, &made.v[made.n++]);
	}
	s->tables = made.v;
	s->n_tables = made.n;
	s->stop_metric = made.n && made.v[0].n_metrics ? made.v[0].metrics[0] : s->main_metric;
	return rc ? rc : check_direction(dr);
}

static int split_list(struct pg_arena *a, const char *flag, const char *text, struct pg_name_list *out)
{
	size_t room = 1;
	char *s;

	if (!text)
		return 0;
	for (const char *p = text; *p; p++)
		room += *p == ',';
	s = pg_arena_strdup(a, text);
	out->v = pg_arena_array(a, room, sizeof(*out->v));
	if (!s || !out->v)
		return -1;
	out->given = true;
	for (char *end; s; s = end) {
		end = strchr(s, ',');
		if (end)
			*end++ = '\0';
		out->v[out->n++] = (struct pg_table_name){.s = s, .loc = {.file = flag}};
	}
	return 0;
}

static int read_request(struct pg_arena *a, const struct pg_table_request *q, struct pg_table_text *t,
			struct pg_err *err)
{
	const char *is = q->relative_to ? strchr(q->relative_to, '=') : NULL;

	if (split_list(a, "--rows", q->rows, &t->rows) || split_list(a, "--columns", q->columns, &t->columns) ||
	    split_list(a, "--split", q->split, &t->split) || split_list(a, "--value", q->value, &t->value) ||
	    split_list(a, "--statistic", q->statistic, &t->statistic))
		return pg_fail_nomem(err);
	t->unit = (struct pg_table_name){.s = q->unit, .loc = {.file = "--unit"}};
	t->name = (struct pg_table_name){.s = q->name, .loc = {.file = "--name"}};
	if (q->name && !pg_is_name(q->name))
		return pg_fail(err, PG_EUSAGE, "--name: `%s` cannot be a name; allowed: %s", q->name,
			       pg_form_text(PG_FORM_NAME));
	if (!q->relative_to)
		return 0;
	if (!is || is == q->relative_to || !is[1])
		return pg_fail(err, PG_EUSAGE, "--relative-to: %s is no axis and value; write --relative-to axis=value",
			       q->relative_to);
	t->axis = (struct pg_table_name){.s = pg_arena_strndup(a, q->relative_to, (size_t)(is - q->relative_to)),
					 .loc = {.file = "--relative-to"}};
	t->axis_value = pg_values_cli(is + 1, &t->axis.loc, a);
	return t->axis.s && t->axis_value ? 0 : pg_fail_nomem(err);
}

static void keep_first(void *ctx, const struct pg_err *e, bool note)
{
	struct pg_err *first = ctx;

	if (!note && first->code == PG_OK)
		*first = *e;
}

int pg_plan_add_table(struct pg_plan *p, size_t sweep, const struct pg_table_request *req, struct pg_table_spec *out,
		      struct pg_err *err)
{
	struct pg_err first = {.code = PG_OK};
	struct pg_diag d = {.report = keep_first, .ctx = &first};
	struct pg_machine machine = {.n_unavailable = 0};
	struct pg_table_ctx c = {.a = &p->arena, .d = &d, .sw = p->sweeps[sweep], .machine = &machine};
	struct pg_table_text t = {.loc = {.file = "--rows"}};

	memcpy(machine.word, p->words, sizeof(machine.word));
	if (read_request(&p->arena, req, &t, err))
		return -1;
	if (!pg_table_resolve(&c, &t, out))
		return 0;
	if (first.loc.file)
		pg_err_wrap(&first, "%s", first.loc.file);
	return pg_fail(err, PG_EUSAGE, "%s", first.msg);
}
