/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits of a row that other rows give (`chunk` is at most `size`): they hold or not cell by cell. */
#include <string.h>

#include "base/str.h"
#include "plan/sweep.h"

static int add_limit(struct pg_draft *dr, size_t param, const char *text, bool is_max)
{
	const struct pg_param *row = &dr->sw->pub.params[param];
	const struct pg_loc none = {.file = dr->loc.file};
	struct pg_scope scope = pg_sweep_names(dr, false);
	struct pg_expr *e;
	struct pg_value v;
	struct pg_err err;

	if (!text || pg_value_parse_any(row, text, strlen(text), dr->b->a, &v, &err) == 0)
		return 0;
	if (pg_expr_parse(text, strlen(text), &none, &scope, dr->b->a, &e, &dr->b->d))
		return -1;
	dr->limits[dr->n_limits++] = (struct pg_row_limit){.param = param, .e = e, .text = text, .is_max = is_max};
	return 0;
}

int pg_sweep_limits(struct pg_draft *dr)
{
	const struct pg_sweep *s = &dr->sw->pub;

	dr->limits = pg_build_array(dr->b, 2 * s->n_params, sizeof(*dr->limits));
	if (!dr->limits)
		return -1;
	for (size_t i = 0; i < s->n_params; i++)
		if (add_limit(dr, i, s->params[i].min, false) || add_limit(dr, i, s->params[i].max, true))
			return -1;
	return 0;
}

static int out_of_limit(struct pg_draft *dr, struct pg_row_limit *l, struct pg_cell_buf *buf,
			const struct pg_evalue *limit)
{
	const struct pg_param *row = &dr->sw->pub.params[l->param];
	struct pg_value shown = {.type = (uint8_t)row->type, .state = PG_V_SET};
	struct pg_str own, other, where;

	if (l->failed)
		return -1;
	pg_str_init(&own);
	pg_str_init(&other);
	pg_str_init(&where);
	pg_value_format(row, &buf->vals[l->param], &own);
	if (pg_dec_to_i64(limit->num, &shown.u.i))
		pg_value_format(row, &shown, &other);
	if (dr->sw->pub.n_axes)
		pg_str_adds(&where, " at ");
	pg_cell_axes_text(buf, &where);
	l->failed = true;
	pg_diag_error(&dr->b->d, &dr->value_loc[l->param],
		      "%s %s is out of range%s; allowed: at %s `%s`, which is %s there%s", row->name, pg_str_text(&own),
		      pg_str_text(&where), l->is_max ? "most" : "least", l->text, pg_str_text(&other),
		      dr->sw->pub.n_axes ? "; leave such cells out with `skip`" : "");
	pg_str_release(&own);
	pg_str_release(&other);
	pg_str_release(&where);
	return -1;
}

int pg_limits_test(struct pg_draft *dr, struct pg_cell_buf *buf)
{
	const struct pg_cellview view = pg_cell_view(buf);
	int rc = 0;

	for (size_t i = 0; i < dr->n_limits; i++) {
		struct pg_row_limit *l = &dr->limits[i];
		const struct pg_value *v = &buf->vals[l->param];
		struct pg_evalue own, limit;
		struct pg_err err;
		int cmp;

		if (v->state != PG_V_SET || pg_expr_eval(l->e, &view, &limit, NULL, &err))
			continue;
		pg_values_to_expr(&dr->sw->pub.params[l->param], v, &own);
		if (own.kind != limit.kind) /* a word, or nothing: no limit */
			continue;
		cmp = pg_dec_cmp(own.num, limit.num);
		if (l->is_max ? cmp > 0 : cmp < 0)
			rc = out_of_limit(dr, l, buf, &limit);
	}
	return rc;
}
