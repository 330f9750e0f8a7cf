/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Orders, keys and texts of a table. The key of a cell is a mixed-radix number over the placed axes; a line of rows,
 * columns or split holds its part of it, so that a field is found by one addition.
 */
#include "store/table_shape.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "store/csv_write.h"
#include "store/params_csv.h"

size_t pg_shape_length(const struct pg_shape *s, const struct pg_placed *p)
{
	switch (p->place) {
	case PG_PLACE_AXIS:
		return s->sw->axes[p->axis].n;
	case PG_PLACE_METRIC:
		return s->t->n_metrics;
	case PG_PLACE_STATISTIC:
		return s->t->n_stats;
	}
	return 1;
}

static int too_large(const struct pg_shape *s, struct pg_err *err)
{
	return pg_fail_at(err, PG_EINPUT, &s->t->loc,
			  "table of over %zu fields; place fewer axes or give the sweep fewer values",
			  PG_TABLE_FIELDS_MAX);
}

static int side_init(struct pg_shape *s, struct pg_side *side, const struct pg_placed *placed, size_t n,
		     struct pg_err *err)
{
	*side = (struct pg_side){placed, n, 1};
	for (size_t i = 0; i < n; i++) {
		size_t len = pg_shape_length(s, &placed[i]);

		if (len && side->count > PG_TABLE_FIELDS_MAX / len)
			return too_large(s, err);
		side->count *= len;
		s->has_metric = s->has_metric || placed[i].place == PG_PLACE_METRIC;
		s->has_stat = s->has_stat || placed[i].place == PG_PLACE_STATISTIC;
		if (placed[i].place != PG_PLACE_AXIS)
			continue;
		s->stride[placed[i].axis] = s->n_keys;
		s->n_keys *= len; /* at most the fields of the table, checked by the caller */
		if (s->n_keys > PG_TABLE_FIELDS_MAX)
			return too_large(s, err);
	}
	return 0;
}

static int make_orders(struct pg_shape *s, struct pg_err *err)
{
	for (size_t a = 0; a < s->sw->n_axes; a++) {
		const struct pg_axis *axis = &s->sw->axes[a];

		s->order[a] = calloc(axis->n + 1, sizeof(**s->order));
		if (!s->order[a])
			return pg_fail_nomem(err);
		for (size_t i = 0; i < axis->n; i++)
			s->order[a][axis->rank[i]] = i;
	}
	return 0;
}

int pg_shape_init(struct pg_shape *s, const struct pg_sweep *sw, const struct pg_table_spec *t, struct pg_err *err)
{
	memset(s, 0, sizeof(*s));
	s->sw = sw;
	s->t = t;
	s->n_keys = 1;
	s->stride = calloc(sw->n_axes + 1, sizeof(*s->stride));
	s->order = calloc(sw->n_axes + 1, sizeof(*s->order));
	if (!s->stride || !s->order) {
		pg_fail_nomem(err);
		goto fail;
	}
	if (make_orders(s, err) != 0 || side_init(s, &s->rows, t->rows, t->n_rows, err) != 0 ||
	    side_init(s, &s->columns, t->columns, t->n_columns, err) != 0 ||
	    side_init(s, &s->split, t->split, t->n_split, err) != 0)
		goto fail;
	if (s->split.count > PG_TABLE_FILES_MAX) {
		pg_fail_at(err, PG_EINPUT, &t->loc, "`split` makes %zu files; at most %u", s->split.count,
			   PG_TABLE_FILES_MAX);
		goto fail;
	}
	if (s->rows.count > PG_TABLE_FIELDS_MAX / s->columns.count ||
	    s->rows.count * s->columns.count > PG_TABLE_FIELDS_MAX / s->split.count) {
		too_large(s, err);
		goto fail;
	}
	return 0;
fail:
	pg_shape_release(s);
	return -1;
}

void pg_shape_release(struct pg_shape *s)
{
	for (size_t a = 0; s->order && a < s->sw->n_axes; a++)
		free(s->order[a]);
	free(s->order);
	free(s->stride);
	s->order = NULL;
	s->stride = NULL;
}

/* Value, metric or statistic number of placed thing k in line i. */
static size_t digit(const struct pg_shape *s, const struct pg_side *side, size_t i, size_t k)
{
	size_t len = 1;

	for (size_t j = side->n; j-- > k + 1;)
		i /= pg_shape_length(s, &side->placed[j]);
	len = pg_shape_length(s, &side->placed[k]);
	i %= len;
	return side->placed[k].place == PG_PLACE_AXIS ? s->order[side->placed[k].axis][i] : i;
}

struct pg_line pg_shape_line(const struct pg_shape *s, const struct pg_side *side, size_t i)
{
	struct pg_line l = {0, SIZE_MAX, SIZE_MAX};

	for (size_t k = 0; k < side->n; k++) {
		size_t d = digit(s, side, i, k);

		switch (side->placed[k].place) {
		case PG_PLACE_AXIS:
			l.key += d * s->stride[side->placed[k].axis];
			break;
		case PG_PLACE_METRIC:
			l.metric = s->t->metrics[d];
			break;
		case PG_PLACE_STATISTIC:
			l.stat = s->t->stats[d];
			break;
		}
	}
	return l;
}

size_t pg_shape_key(const struct pg_shape *s, const struct pg_cell *c)
{
	size_t key = 0;

	for (size_t a = 0; a < s->sw->n_axes; a++)
		key += c->pos[a] * s->stride[a];
	return key;
}

const char *pg_shape_name(const struct pg_shape *s, const struct pg_side *side, size_t k)
{
	switch (side->placed[k].place) {
	case PG_PLACE_AXIS:
		return s->sw->axes[side->placed[k].axis].name;
	case PG_PLACE_METRIC:
		return "metric";
	case PG_PLACE_STATISTIC:
		return "statistic";
	}
	return "";
}

void pg_shape_names(const struct pg_shape *s, const struct pg_side *side, struct pg_str *out)
{
	for (size_t k = 0; k < side->n; k++) {
		if (k)
			pg_str_addc(out, '|');
		pg_str_adds(out, pg_shape_name(s, side, k));
	}
}

/* Text of a value of an axis: numbers in base units, also where a machine word made them; labels of bundles. */
static void axis_text(const struct pg_axis *axis, const struct pg_sweep *sw, size_t value, struct pg_str *out)
{
	if (axis->bundle)
		pg_str_adds(out, axis->labels[value]);
	else
		pg_value_format_csv(&sw->params[axis->param], &axis->vals[value], out);
}

static void thing_text(const struct pg_shape *s, const struct pg_side *side, size_t i, size_t k, struct pg_str *out)
{
	size_t d = digit(s, side, i, k);

	switch (side->placed[k].place) {
	case PG_PLACE_AXIS:
		axis_text(&s->sw->axes[side->placed[k].axis], s->sw, d, out);
		break;
	case PG_PLACE_METRIC:
		pg_table_metric_text(s, s->t->metrics[d], out);
		break;
	case PG_PLACE_STATISTIC:
		pg_str_adds(out, pg_statistic_names[s->t->stats[d]]);
		break;
	}
}

void pg_shape_label(const struct pg_shape *s, const struct pg_side *side, size_t i, struct pg_str *out)
{
	for (size_t k = 0; k < side->n; k++) {
		if (k)
			pg_str_addc(out, '|');
		thing_text(s, side, i, k, out);
	}
}

void pg_shape_field(const struct pg_shape *s, const struct pg_side *side, size_t i, size_t k, struct pg_csv *csv)
{
	const struct pg_placed *p = &side->placed[k];
	const struct pg_axis *axis = p->place == PG_PLACE_AXIS ? &s->sw->axes[p->axis] : NULL;
	struct pg_str text;

	if (axis && !axis->bundle) {
		pg_value_csv(&s->sw->params[axis->param], &axis->vals[digit(s, side, i, k)], csv);
		return;
	}
	pg_str_init(&text);
	thing_text(s, side, i, k, &text);
	pg_csv_text_n(csv, pg_str_text(&text), text.len);
	csv->failed = csv->failed || text.failed;
	pg_str_release(&text);
}

/* The unit of the table where it fits the metric, else the base unit. */
static void display(const struct pg_shape *s, size_t metric, struct pg_display *out)
{
	enum pg_unit base = s->sw->metrics[metric].unit;
	struct pg_err err;

	if (!s->t->unit || pg_display_parse(s->t->unit, base, out, &err) != 0)
		pg_display_parse(NULL, base, out, &err);
}

void pg_table_metric_text(const struct pg_shape *s, size_t metric, struct pg_str *out)
{
	struct pg_display d;

	pg_str_adds(out, s->sw->metrics[metric].name);
	pg_str_addc(out, '_');
	if (s->t->relative) {
		pg_str_adds(out, "ratio");
		return;
	}
	display(s, metric, &d);
	pg_str_adds(out, d.suffix);
}

double pg_table_divisor(const struct pg_shape *s, size_t metric, enum pg_statistic stat)
{
	struct pg_display d;

	if (s->t->relative || stat == PG_STAT_N || stat == PG_STAT_SD_PCT || stat == PG_STAT_CI_PCT ||
	    stat == PG_STAT_MODE_PCT)
		return 1;
	display(s, metric, &d);
	return d.divisor;
}
