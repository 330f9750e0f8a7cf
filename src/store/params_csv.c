/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Param columns. Text that has been quoted and guarded once is put again as it is.
 */
#include "store/params_csv.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "store/csv_write.h"

static bool is_number(const struct pg_value *v)
{
	switch ((enum pg_type)v->type) {
	case PG_COUNT:
	case PG_SIZE:
	case PG_TIME:
	case PG_REAL:
		return v->state == PG_V_SET;
	case PG_BOOL:
	case PG_ENUM:
	case PG_CPULIST:
	case PG_NODELIST:
	case PG_TEXT:
		break;
	}
	return false;
}

void pg_value_csv(const struct pg_param *row, const struct pg_value *v, struct pg_csv *csv)
{
	struct pg_str text;

	if (v->state == PG_V_UNSET) {
		pg_csv_missing(csv);
		return;
	}
	pg_str_init(&text);
	pg_value_format_csv(row, v, &text);
	if (is_number(v))
		pg_csv_num(csv, pg_str_text(&text), text.len);
	else
		pg_csv_text_n(csv, pg_str_text(&text), text.len);
	csv->failed = csv->failed || text.failed;
	pg_str_release(&text);
}

static struct pg_param_col *find(struct pg_param_cols *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (strcmp(c->col[i].name, name) == 0)
			return &c->col[i];
	return NULL;
}

static struct pg_param_col *add_col(struct pg_param_cols *c, const char *name)
{
	struct pg_param_col *col = find(c, name);

	if (col)
		return col;
	col = &c->col[c->n++];
	col->name = name;
	col->param = SIZE_MAX;
	col->bundle = SIZE_MAX;
	pg_str_init(&col->text);
	return col;
}

static void add_sweep(struct pg_param_cols *c, const struct pg_sweep *sw)
{
	for (size_t i = 0; i < sw->n_params; i++) {
		struct pg_param_col *col = add_col(c, sw->params[i].name);

		col->label = col->label || sw->labelled[i];
	}
	for (size_t i = 0; i < sw->n_axes; i++)
		if (sw->axes[i].bundle)
			add_col(c, sw->axes[i].name);
}

static size_t sweep_room(const struct pg_sweep *sw)
{
	return sw->n_params + sw->n_axes;
}

int pg_param_cols_init(struct pg_param_cols *c, const struct pg_plan *p, const struct pg_sweep *sweep,
		       struct pg_err *err)
{
	size_t room = 0, n = pg_plan_sweeps(p);

	memset(c, 0, sizeof(*c));
	c->plan = p;
	for (size_t i = 0; i < n; i++)
		room += sweep ? 0 : sweep_room(pg_plan_sweep(p, i));
	room += sweep ? sweep_room(sweep) : 0;
	c->col = calloc(room + 1, sizeof(*c->col));
	if (!c->col)
		return pg_fail_nomem(err);
	if (sweep) {
		add_sweep(c, sweep);
		pg_param_cols_enter(c, sweep);
		return 0;
	}
	for (size_t i = 0; i < n; i++)
		add_sweep(c, pg_plan_sweep(p, i));
	return 0;
}

int pg_param_cols_also(struct pg_param_cols *c, const struct pg_plan *p, struct pg_err *err)
{
	struct pg_param_col *more;
	size_t room = c->n + 1;

	for (size_t i = 0; i < pg_plan_sweeps(p); i++)
		room += sweep_room(pg_plan_sweep(p, i));
	more = reallocarray(c->col, room, sizeof(*more));
	if (!more)
		return pg_fail_nomem(err);
	c->col = more;
	memset(more + c->n, 0, (room - c->n) * sizeof(*more));
	for (size_t i = 0; i < pg_plan_sweeps(p); i++)
		add_sweep(c, pg_plan_sweep(p, i));
	return 0;
}

void pg_param_cols_release(struct pg_param_cols *c)
{
	for (size_t i = 0; i < c->n; i++)
		pg_str_release(&c->col[i].text);
	free(c->col);
	c->col = NULL;
	c->n = 0;
}

void pg_param_cols_enter(struct pg_param_cols *c, const struct pg_sweep *sweep)
{
	c->sweep = sweep;
	for (size_t i = 0; i < c->n; i++) {
		c->col[i].param = SIZE_MAX;
		c->col[i].bundle = SIZE_MAX;
		c->col[i].known = false;
	}
	for (size_t i = 0; i < sweep->n_params; i++) {
		struct pg_param_col *col = find(c, sweep->params[i].name);

		if (col)
			col->param = i;
	}
	for (size_t i = 0; i < sweep->n_axes; i++) {
		struct pg_param_col *col = sweep->axes[i].bundle ? find(c, sweep->axes[i].name) : NULL;

		if (col)
			col->bundle = i;
	}
}

static bool is_listed(const char *const *names, const char *name)
{
	while (names && *names && strcmp(*names, name) != 0)
		names++;
	return names && *names;
}

void pg_param_cols_header_beside(const struct pg_param_cols *c, const char *const *fixed, struct pg_csv *csv)
{
	struct pg_str name;

	pg_str_init(&name);
	for (size_t i = 0; i < c->n; i++) {
		pg_str_reset(&name);
		pg_str_addf(&name, "%s%s", is_listed(fixed, c->col[i].name) ? "param." : "", c->col[i].name);
		pg_csv_text(csv, pg_str_text(&name));
		if (!c->col[i].label)
			continue;
		pg_str_adds(&name, ".label");
		pg_csv_text(csv, pg_str_text(&name));
	}
	csv->failed = csv->failed || name.failed;
	pg_str_release(&name);
}

void pg_param_cols_header(const struct pg_param_cols *c, struct pg_csv *csv)
{
	pg_param_cols_header_beside(c, NULL, csv);
}

/* One text over many, told apart by its value; a word that ops replaces never comes here. */
static void put_value(struct pg_param_col *col, const struct pg_param *row, const struct pg_value *v,
		      struct pg_csv *csv)
{
	size_t from;

	if (v->state == PG_V_UNSET) {
		pg_csv_missing(csv);
		return;
	}
	if (col->known && pg_value_equal(&col->last, v)) {
		pg_csv_raw(csv, pg_str_text(&col->text), col->text.len, 1);
		return;
	}
	from = pg_csv_mark(csv) + (csv->n_fields > 0);
	pg_value_csv(row, v, csv);
	pg_str_reset(&col->text);
	pg_csv_copy(csv, from, &col->text);
	col->last = *v;
	col->known = !col->text.failed;
}

void pg_param_cols_cell(struct pg_param_cols *c, const struct pg_cell *cell, uint64_t ops, struct pg_csv *csv)
{
	bool is_auto = ops != UINT64_MAX && pg_cell_auto(cell);

	for (size_t i = 0; i < c->n; i++) {
		struct pg_param_col *col = &c->col[i];
		const struct pg_param *row = col->param == SIZE_MAX ? NULL : &cell->params[col->param];

		if (col->bundle != SIZE_MAX)
			pg_csv_text(csv, c->sweep->axes[col->bundle].labels[cell->pos[col->bundle]]);
		else if (!row)
			pg_csv_missing(csv);
		else if (is_auto && (row->role & PG_OPS) && ops)
			pg_csv_u64(csv, ops);
		else if (is_auto && (row->role & PG_OPS))
			pg_csv_missing(csv);
		else
			put_value(col, row, &cell->vals[col->param], csv);
		if (!col->label)
			continue;
		pg_csv_text(csv, row ? pg_plan_label(c->plan, cell, col->param) : NULL);
	}
}
