/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writing of tables: matrices of one statistic, and of statuses. The matrix is always complete: what was skipped,
 * failed or never was a cell is an empty field.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "stats/stats.h"
#include "store/csv_write.h"
#include "store/results.h"
#include "store/table_shape.h"

/* A shape with its lines and the cell at each key. */
struct matrix {
	const struct pg_results *r;
	struct pg_shape s;
	struct pg_line *rows, *columns;
	uint32_t *cell; /* by key: cell of the sweep + 1, 0 = absent */
	struct pg_values *values;
};

static void matrix_release(struct matrix *m)
{
	free(m->rows);
	free(m->columns);
	pg_big_free(m->cell, m->s.n_keys * sizeof(*m->cell));
	pg_shape_release(&m->s);
}

static struct pg_line *lines(const struct pg_shape *s, const struct pg_side *side)
{
	struct pg_line *l = calloc(side->count + 1, sizeof(*l));

	for (size_t i = 0; l && i < side->count; i++)
		l[i] = pg_shape_line(s, side, i);
	return l;
}

/* r and values are set. */
static int matrix_init(struct matrix *m, const struct pg_sweep *sw, const struct pg_table_spec *t, struct pg_err *err)
{
	struct pg_cell_buf *buf;

	if (pg_shape_init(&m->s, sw, t, err) != 0)
		return -1;
	m->rows = lines(&m->s, &m->s.rows);
	m->columns = lines(&m->s, &m->s.columns);
	m->cell = pg_big_alloc(m->s.n_keys * sizeof(*m->cell));
	buf = pg_cell_buf_new(m->r->plan);
	if (!m->rows || !m->columns || !m->cell || !buf) {
		pg_cell_buf_free(buf);
		matrix_release(m);
		return pg_fail_nomem(err);
	}
	for (size_t i = 0; i < sw->n_cells; i++)
		m->cell[pg_shape_key(&m->s, pg_plan_cell(m->r->plan, sw->first_cell + i, buf))] = (uint32_t)i + 1;
	pg_cell_buf_free(buf);
	return 0;
}

static void put_header(const struct matrix *m, const struct pg_table_file *f, struct pg_csv *csv)
{
	const struct pg_shape *s = &m->s;
	struct pg_str text;

	for (size_t k = 0; k + 1 < s->rows.n; k++)
		pg_csv_text(csv, pg_shape_name(s, &s->rows, k));
	pg_str_init(&text);
	pg_str_adds(&text, s->rows.n ? pg_shape_name(s, &s->rows, s->rows.n - 1) : "sweep");
	if (s->columns.n) {
		pg_str_addc(&text, '\\');
		pg_shape_names(s, &s->columns, &text);
	}
	pg_csv_text(csv, pg_str_text(&text));
	for (size_t i = 0; i < s->columns.count; i++) {
		pg_str_reset(&text);
		if (s->columns.n)
			pg_shape_label(s, &s->columns, i, &text);
		else if (!f)
			pg_str_adds(&text, "status");
		else if (f->metric != SIZE_MAX)
			pg_table_metric_text(s, f->metric, &text);
		else
			pg_str_adds(&text, f->stat != SIZE_MAX ? pg_statistic_names[f->stat] : "value");
		if (s->columns.n == 1)
			pg_shape_field(s, &s->columns, i, 0, csv);
		else
			pg_csv_text_n(csv, pg_str_text(&text), text.len);
	}
	csv->failed = csv->failed || text.failed;
	pg_str_release(&text);
	pg_csv_row(csv);
}

static void put_row_name(const struct matrix *m, size_t row, struct pg_csv *csv)
{
	if (m->s.rows.n == 0)
		pg_csv_text(csv, m->s.sw->name);
	for (size_t k = 0; k < m->s.rows.n; k++)
		pg_shape_field(&m->s, &m->s.rows, row, k, csv);
}

static size_t one_of(size_t a, size_t b, size_t c)
{
	if (a != SIZE_MAX)
		return a;
	return b != SIZE_MAX ? b : c;
}

static double at(const struct matrix *m, const double *v, size_t key)
{
	return m->cell[key] ? v[m->cell[key] - 1] : PG_NAN;
}

/* The key of the field that this one is divided by. */
static size_t base_key(const struct matrix *m, size_t key)
{
	size_t stride = m->s.stride[m->s.t->relative_axis], n = m->s.sw->axes[m->s.t->relative_axis].n;

	if (!stride)
		return key; /* an axis of one value that is nowhere placed */
	return key - key / stride % n * stride + m->s.t->relative_value * stride;
}

/* The number of a field. -1: out of memory. */
static int field(struct matrix *m, const struct pg_line *f, double *out, struct pg_err *err)
{
	enum pg_statistic which = (enum pg_statistic)f->stat;
	const double *v = pg_values_get(m->values, f->metric, which, err);
	double base;

	if (!v)
		return -1;
	*out = at(m, v, f->key);
	if (!m->s.t->relative) {
		*out /= pg_table_divisor(&m->s, f->metric, which);
		return 0;
	}
	/* No ratio with a number that is 0 or below: it would be no ratio of two measured things. */
	base = at(m, v, base_key(m, f->key));
	*out = *out > 0 && base > 0 ? *out / base : PG_NAN;
	return 0;
}

static int put_rows(struct matrix *m, const struct pg_table_file *f, struct pg_csv *csv, struct pg_err *err)
{
	struct pg_line split = pg_shape_line(&m->s, &m->s.split, f->split);

	for (size_t i = 0; i < m->s.rows.count; i++) {
		const struct pg_line *row = &m->rows[i];

		put_row_name(m, i, csv);
		for (size_t k = 0; k < m->s.columns.count; k++) {
			const struct pg_line *col = &m->columns[k];
			struct pg_line at_field = {
				.key = split.key + row->key + col->key,
				.metric = one_of(f->metric, row->metric, col->metric),
				.stat = one_of(f->stat, row->stat, col->stat),
			};
			double v;

			if (field(m, &at_field, &v, err) != 0)
				return -1;
			pg_csv_double(csv, v);
		}
		pg_csv_row(csv);
	}
	return 0;
}

static int say_written(const struct pg_results *r, const char *name, struct pg_err *err)
{
	struct pg_str path;
	int result = 0;

	if (!r->written)
		return 0;
	pg_str_init(&path);
	pg_str_addf(&path, "%s/%s", r->dir, name);
	if (path.failed)
		result = pg_fail_nomem(err);
	else
		r->written(r->written_ctx, path.s);
	pg_str_release(&path);
	return result;
}

static int write_file(struct matrix *m, const struct pg_table_file *f, const char *name, struct pg_err *err)
{
	struct pg_csv_file *file = pg_csv_file_open(m->r, name, err);
	struct pg_csv *csv;

	if (!file)
		return -1;
	csv = pg_csv_file_rows(file);
	put_header(m, f, csv);
	if (put_rows(m, f, csv, err) != 0) {
		pg_csv_file_close(file, false, NULL);
		return -1;
	}
	if (pg_csv_file_close(file, true, err) != 0)
		return -1;
	return say_written(m->r, name, err);
}

int pg_table_write(const struct pg_results *r, const struct pg_sweep *sw, const struct pg_table_spec *t,
		   struct pg_values *v, struct pg_err *err)
{
	struct matrix m = {.r = r, .values = v};
	struct pg_str name;
	int result = 0;

	if (matrix_init(&m, sw, t, err) != 0)
		return -1;
	pg_str_init(&name);
	for (size_t i = 0; result == 0 && i < pg_shape_files(&m.s); i++) {
		struct pg_table_file f = pg_shape_file(&m.s, i);

		pg_str_reset(&name);
		result = pg_shape_file_name(&m.s, &f, &name, err);
		if (result == 0)
			result = write_file(&m, &f, pg_str_text(&name), err);
	}
	pg_str_release(&name);
	matrix_release(&m);
	return result;
}

/* ---- statuses ---- */

static void put_statuses(struct matrix *m, size_t split_line, struct pg_csv *csv)
{
	struct pg_line split = pg_shape_line(&m->s, &m->s.split, split_line);

	for (size_t i = 0; i < m->s.rows.count; i++) {
		put_row_name(m, i, csv);
		for (size_t k = 0; k < m->s.columns.count; k++) {
			uint32_t cell = m->cell[split.key + m->rows[i].key + m->columns[k].key];

			pg_csv_text(csv, pg_status_name(cell ? pg_values_status(m->values, cell - 1) : PG_ST_ABSENT));
		}
		pg_csv_row(csv);
	}
}

/* The axes of a list; metrics and statistics have one status. */
static size_t axes_only(const struct pg_placed *from, size_t n, struct pg_placed *to)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		if (from[i].place == PG_PLACE_AXIS)
			to[k++] = from[i];
	return k;
}

static int write_statuses(const struct pg_results *r, const struct pg_sweep *sw, const struct pg_table_spec *t,
			  struct pg_values *v, struct pg_err *err)
{
	struct matrix m = {.r = r, .values = v};
	struct pg_str name;
	int result = 0;

	if (matrix_init(&m, sw, t, err) != 0)
		return -1;
	pg_str_init(&name);
	for (size_t i = 0; result == 0 && i < m.s.split.count; i++) {
		struct pg_csv_file *file;

		pg_str_reset(&name);
		result = pg_status_file_name(&m.s, i, &name, err);
		file = result == 0 ? pg_csv_file_open(r, pg_str_text(&name), err) : NULL;
		if (!file) {
			result = -1;
			break;
		}
		put_header(&m, NULL, pg_csv_file_rows(file));
		put_statuses(&m, i, pg_csv_file_rows(file));
		result = pg_csv_file_close(file, true, err);
	}
	pg_str_release(&name);
	matrix_release(&m);
	return result;
}

int pg_status_write(const struct pg_results *r, const struct pg_sweep *sw, const struct pg_table_spec *t,
		    struct pg_values *v, struct pg_err *err)
{
	struct pg_placed *placed = calloc(t->n_rows + t->n_columns + t->n_split + 1, sizeof(*placed));
	struct pg_table_spec only = *t;
	int result;

	if (!placed)
		return pg_fail_nomem(err);
	only.rows = placed;
	only.n_rows = axes_only(t->rows, t->n_rows, placed);
	only.columns = placed + only.n_rows;
	only.n_columns = axes_only(t->columns, t->n_columns, placed + only.n_rows);
	only.split = only.columns + only.n_columns;
	only.n_split = axes_only(t->split, t->n_split, placed + only.n_rows + only.n_columns);
	result = write_statuses(r, sw, &only, v, err);
	free(placed);
	return result;
}
