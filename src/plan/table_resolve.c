/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the names of a table to axes, metrics and statistics: where each stands, and that none is left over. */
#include <string.h>

#include "base/str.h"
#include "plan/quote.h"
#include "plan/table.h"

#define MAX_NEAR 256

static int nomem(const struct pg_table_ctx *c)
{
	return pg_diag_error(c->d, NULL, "out of memory");
}

static void list_names(struct pg_str *s, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pg_str_addf(s, "%s%s", s->len ? ", " : "", names[i]);
}

/* Reports a name that is none of names[0..n): the nearest, else all of them. */
static int unknown(const struct pg_table_ctx *c, const struct pg_table_name *t, const char *what,
		   const char *const *names, size_t n)
{
	const char *best = pg_nearest(t->s, names, n);
	struct pg_str all;
	struct pg_quote q;

	pg_quote(&q, t->s, strlen(t->s));
	if (best)
		return pg_diag_error(c->d, &t->loc, "`%s` is no %s; did you mean `%s`?", q.s, what, best);
	pg_str_init(&all);
	list_names(&all, names, n);
	pg_diag_error(c->d, &t->loc, "`%s` is no %s; allowed: %s", q.s, what, pg_str_text(&all));
	pg_str_release(&all);
	return -1;
}

static int no_axis(const struct pg_table_ctx *c, const struct pg_table_name *t)
{
	const struct pg_sweep *s = &c->sw->pub;
	const char *names[MAX_NEAR];
	size_t n = 0;

	if (pg_param_find(s->params, t->s, NULL))
		return pg_diag_error(
			c->d, &t->loc,
			"`%s` is no axis of this sweep, it does not vary; put it into `vary` or leave it out here",
			t->s);
	for (size_t a = 0; a < s->n_axes && n < MAX_NEAR - 2; a++)
		names[n++] = s->axes[a].name;
	names[n++] = "metric";
	names[n++] = "statistic";
	return unknown(c, t, "axis of this sweep", names, n);
}

static int find_axis(const struct pg_sweep_in *sw, const char *name, size_t *a)
{
	for (*a = 0; *a < sw->pub.n_axes; ++*a)
		if (strcmp(sw->pub.axes[*a].name, name) == 0)
			return 0;
	return -1;
}

/* What is placed so far. */
enum list { ROWS, COLUMNS, SPLIT, LISTS };
struct places {
	struct pg_placed *v[LISTS];
	size_t n[LISTS];
};

static bool is_placed(const struct places *p, enum pg_place place, size_t axis)
{
	for (int l = ROWS; l < LISTS; l++)
		for (size_t i = 0; i < p->n[l]; i++)
			if (p->v[l][i].place == place && (place != PG_PLACE_AXIS || p->v[l][i].axis == axis))
				return true;
	return false;
}

static void put(struct places *p, enum list l, enum pg_place place, size_t axis)
{
	p->v[l][p->n[l]++] = (struct pg_placed){.place = place, .axis = axis};
}

static int place_names(const struct pg_table_ctx *c, const struct pg_name_list *names, struct places *p, enum list l)
{
	int rc = 0;

	for (size_t i = 0; i < names->n; i++) {
		const struct pg_table_name *t = &names->v[i];
		enum pg_place place = PG_PLACE_AXIS;
		size_t axis = 0;

		if (strcmp(t->s, "metric") == 0)
			place = PG_PLACE_METRIC;
		else if (strcmp(t->s, "statistic") == 0)
			place = PG_PLACE_STATISTIC;
		else if (find_axis(c->sw, t->s, &axis)) {
			rc = no_axis(c, t);
			continue;
		}
		if (is_placed(p, place, axis))
			rc = pg_diag_error(c->d, &t->loc, "`%s` is placed twice in this table; keep one", t->s);
		else
			put(p, l, place, axis);
	}
	return rc;
}

static bool is_variants(const struct pg_table_ctx *c, size_t a)
{
	return c->sw->variants && a == c->sw->pub.n_axes - 1;
}

/* Without `rows`: the first axis with several values that stands nowhere else; the others become columns, variants
 * always. */
static void place_default(const struct pg_table_ctx *c, struct places *p)
{
	const struct pg_sweep *s = &c->sw->pub;

	for (size_t a = 0; a < s->n_axes; a++)
		if (s->axes[a].n > 1 && !is_placed(p, PG_PLACE_AXIS, a))
			put(p, p->n[ROWS] || is_variants(c, a) ? COLUMNS : ROWS, PG_PLACE_AXIS, a);
}

static int left_over(const struct pg_table_ctx *c, const struct pg_table_text *t, struct places *p)
{
	const struct pg_sweep *s = &c->sw->pub;
	int rc = 0;

	for (size_t a = 0; a < s->n_axes; a++) {
		if (s->axes[a].n < 2 || is_placed(p, PG_PLACE_AXIS, a))
			continue;
		if ((c->varied && c->varied[a]) || is_variants(c, a))
			put(p, SPLIT, PG_PLACE_AXIS, a);
		else
			rc = pg_diag_error(c->d, &t->loc,
					   "axis `%s` has %zu values and stands nowhere in this table; put it into "
					   "rows, columns or split",
					   s->axes[a].name, s->axes[a].n);
	}
	return rc;
}

static int place_all(const struct pg_table_ctx *c, const struct pg_table_text *t, struct pg_table_spec *out)
{
	struct places p = {.n = {0}};
	int rc = 0;

	for (int l = ROWS; l < LISTS; l++) {
		p.v[l] = pg_arena_array(c->a, c->sw->pub.n_axes + 2, sizeof(struct pg_placed));
		if (!p.v[l])
			return nomem(c);
	}
	if (place_names(c, &t->rows, &p, ROWS))
		rc = -1;
	if (place_names(c, &t->columns, &p, COLUMNS))
		rc = -1;
	if (place_names(c, &t->split, &p, SPLIT) || rc)
		return -1;
	if (!t->rows.given)
		place_default(c, &p);
	else if (left_over(c, t, &p))
		return -1;
	/* Several metrics or statistics that stand nowhere get a file each. */
	if (out->n_metrics > 1 && !is_placed(&p, PG_PLACE_METRIC, 0))
		put(&p, SPLIT, PG_PLACE_METRIC, 0);
	if (out->n_stats > 1 && !is_placed(&p, PG_PLACE_STATISTIC, 0))
		put(&p, SPLIT, PG_PLACE_STATISTIC, 0);
	out->rows = p.v[ROWS];
	out->n_rows = p.n[ROWS];
	out->columns = p.v[COLUMNS];
	out->n_columns = p.n[COLUMNS];
	out->split = p.v[SPLIT];
	out->n_split = p.n[SPLIT];
	return 0;
}

static int unknown_metric(const struct pg_table_ctx *c, const struct pg_table_name *t)
{
	const struct pg_metric *rows = c->sw->pub.metrics;
	const char *names[MAX_NEAR];
	size_t n = 0;

	for (; rows->name && n < MAX_NEAR; rows++)
		if (!(rows->flags & PG_M_HIDDEN))
			names[n++] = rows->name;
	return unknown(c, t, "metric of this sweep", names, n);
}

/* A total over a number of loops that was chosen to last so long says nothing. */
static int grows(const struct pg_table_ctx *c, const struct pg_table_name *t)
{
	const struct pg_metric *rows = c->sw->pub.metrics;
	const char *main_name = rows[pg_metric_main(rows, true)].name;
	const char *names[3];
	static const char *const usual[] = {"time_per_op", "rate"};
	struct pg_str list;
	size_t n = 0;

	names[n++] = main_name;
	for (size_t i = 0; i < 2; i++)
		if (strcmp(usual[i], main_name) != 0 && pg_metric_find(rows, usual[i], NULL))
			names[n++] = usual[i];
	pg_str_init(&list);
	list_names(&list, names, n);
	pg_diag_error(c->d, &t->loc,
		      "`%s` grows with loops, and loops is `auto` here; use %s, or set loops to a number", t->s,
		      pg_str_text(&list));
	pg_str_release(&list);
	return -1;
}

static int one_metric(const struct pg_table_ctx *c, const struct pg_table_name *t, size_t *out)
{
	const struct pg_metric *m = pg_metric_find(c->sw->pub.metrics, t->s, out);

	if (!m || m->flags & PG_M_HIDDEN)
		return unknown_metric(c, t);
	return c->sw->ops_auto && m->flags & PG_M_GROWS ? grows(c, t) : 0;
}

static int metrics(const struct pg_table_ctx *c, const struct pg_table_text *t, struct pg_table_spec *out)
{
	size_t *m = pg_arena_array(c->a, t->value.n + 1, sizeof(*m));
	int rc = 0;

	if (!m)
		return nomem(c);
	m[0] = c->sw->pub.main_metric;
	for (size_t i = 0; i < t->value.n; i++) {
		if (one_metric(c, &t->value.v[i], &m[i])) {
			rc = -1;
			continue;
		}
		for (size_t k = 0; k < i; k++)
			if (m[k] == m[i] && strcmp(t->value.v[k].s, t->value.v[i].s) == 0)
				rc = pg_diag_error(c->d, &t->value.v[i].loc, "metric `%s` stands here twice; keep one",
						   t->value.v[i].s);
	}
	out->metrics = m;
	out->n_metrics = t->value.n ? t->value.n : 1;
	return rc;
}

static int statistics(const struct pg_table_ctx *c, const struct pg_table_text *t, struct pg_table_spec *out)
{
	enum pg_statistic *s = pg_arena_array(c->a, t->statistic.n + 1, sizeof(*s));
	int rc = 0;

	if (!s)
		return nomem(c);
	s[0] = PG_STAT_MEDIAN;
	for (size_t i = 0; i < t->statistic.n; i++) {
		const struct pg_table_name *name = &t->statistic.v[i];
		size_t k = 0;

		while (k < PG_STATISTICS && strcmp(pg_statistic_names[k], name->s) != 0)
			k++;
		if (k == PG_STATISTICS) {
			rc = unknown(c, name, "statistic", pg_statistic_names, PG_STATISTICS);
			continue;
		}
		s[i] = (enum pg_statistic)k;
		for (k = 0; k < i; k++)
			if (strcmp(t->statistic.v[k].s, name->s) == 0)
				rc = pg_diag_error(c->d, &name->loc, "statistic `%s` stands here twice; keep one",
						   name->s);
	}
	out->stats = s;
	out->n_stats = t->statistic.n ? t->statistic.n : 1;
	return rc;
}

static int unit(const struct pg_table_ctx *c, const struct pg_table_text *t, struct pg_table_spec *out)
{
	struct pg_err err = {.code = PG_OK};
	struct pg_display shown;

	if (!t->unit.s)
		return 0;
	for (size_t i = 0; i < out->n_metrics; i++) {
		const struct pg_metric *m = &c->sw->pub.metrics[out->metrics[i]];

		if (pg_display_parse(t->unit.s, m->unit, &shown, &err))
			return pg_diag_error(c->d, &t->unit.loc, "%s: %s", m->name, err.msg);
	}
	if (t->axis.s)
		pg_diag_note(c->d, &t->unit.loc, "with relative_to the numbers are ratios; `unit` has no effect");
	else
		out->unit = t->unit.s;
	return 0;
}

static int find_label(const struct pg_table_ctx *c, const struct pg_axis *axis, const struct pg_node *node, size_t *out)
{
	if (node->kind != PG_NODE_SCALAR)
		return pg_diag_error(c->d, &node->loc, "`relative_to` takes one label of `%s`; this is %s", axis->name,
				     pg_node_what(node));
	for (*out = 0; *out < axis->n; ++*out)
		if (strcmp(axis->labels[*out], node->text) == 0)
			break;
	return 0;
}

static int find_value(const struct pg_table_ctx *c, const struct pg_axis *axis, const struct pg_node *node, size_t *out)
{
	const struct pg_values_ctx ctx = {
		.machine = c->machine, .bench = c->sw->pub.bench->name, .arena = c->a, .diag = c->d};
	struct pg_item item;

	if (pg_values_one(&ctx, &c->sw->pub.params[axis->param], node, &item))
		return -1;
	for (*out = 0; *out < axis->n; ++*out)
		if (pg_value_equal(&axis->vals[*out], &item.v))
			break;
	return 0;
}

static int relative(const struct pg_table_ctx *c, const struct pg_table_text *t, struct pg_table_spec *out)
{
	const struct pg_axis *axis;
	struct pg_quote q;

	if (!t->axis.s)
		return 0;
	if (find_axis(c->sw, t->axis.s, &out->relative_axis))
		return no_axis(c, &t->axis);
	if (c->broken && c->broken[out->relative_axis])
		return 0;
	axis = &c->sw->pub.axes[out->relative_axis];
	if (axis->bundle ? find_label(c, axis, t->axis_value, &out->relative_value)
			 : find_value(c, axis, t->axis_value, &out->relative_value))
		return -1;
	out->relative = true;
	if (out->relative_value < axis->n)
		return 0;
	pg_quote(&q, t->axis_value->text, t->axis_value->len);
	if (c->selected) {
		pg_diag_note(c->d, &t->loc,
			     "this table is relative to %s %s, which is left out now; the table is left out too",
			     axis->name, q.s);
		return 1;
	}
	return pg_diag_error(c->d, &t->axis_value->loc,
			     "axis `%s` has no value %s; `relative_to` names one of its values", axis->name, q.s);
}

int pg_table_resolve(const struct pg_table_ctx *c, const struct pg_table_text *t, struct pg_table_spec *out)
{
	int rc = 0, rel;

	*out = (struct pg_table_spec){.name = t->name.s, .loc = t->loc};
	if (metrics(c, t, out))
		rc = -1;
	if (statistics(c, t, out))
		rc = -1;
	if (place_all(c, t, out))
		rc = -1;
	rel = relative(c, t, out);
	if (rc || rel < 0 || unit(c, t, out))
		return -1;
	return rel;
}
