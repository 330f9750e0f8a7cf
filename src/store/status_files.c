/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which status files a sweep has: one per distinct shape of its tables, by which axes stand on rows, columns and split,
 * named after the first table of that shape. Metrics, statistics and units make no shape: they share one status.
 */
#include <stdlib.h>

#include "base/err.h"
#include "base/str.h"
#include "store/store.h"

/* The axes of two lists, in their order. */
static bool same_axes(const struct pg_placed *a, size_t n_a, const struct pg_placed *b, size_t n_b)
{
	size_t i = 0, k = 0;

	for (;;) {
		while (i < n_a && a[i].place != PG_PLACE_AXIS)
			i++;
		while (k < n_b && b[k].place != PG_PLACE_AXIS)
			k++;
		if (i == n_a || k == n_b)
			return i == n_a && k == n_b;
		if (a[i++].axis != b[k++].axis)
			return false;
	}
}

static bool same_shape(const struct pg_table_spec *a, const struct pg_table_spec *b)
{
	return same_axes(a->rows, a->n_rows, b->rows, b->n_rows) &&
	       same_axes(a->columns, a->n_columns, b->columns, b->n_columns) &&
	       same_axes(a->split, a->n_split, b->split, b->n_split);
}

bool pg_status_same_file(const struct pg_table_spec *a, const struct pg_table_spec *b)
{
	return pg_streq(a->name ? a->name : "", b->name ? b->name : "") &&
	       same_axes(a->split, a->n_split, b->split, b->n_split);
}

/* The first of tables 0..n that brings a file and is like t. */
static size_t find(const struct pg_sweep *sw, const size_t *owner, size_t n, const struct pg_table_spec *t,
		   bool (*like)(const struct pg_table_spec *, const struct pg_table_spec *))
{
	for (size_t k = 0; k < n; k++)
		if (owner[k] == k && like(&sw->tables[k], t))
			return k;
	return SIZE_MAX;
}

size_t *pg_status_owners(const struct pg_sweep *sw, struct pg_err *err)
{
	size_t *owner = calloc(sw->n_tables + 1, sizeof(*owner));

	if (!owner) {
		pg_fail_nomem(err);
		return NULL;
	}
	for (size_t i = 0; i < sw->n_tables; i++) {
		const struct pg_table_spec *t = &sw->tables[i];

		owner[i] = find(sw, owner, i, t, same_shape);
		if (owner[i] == SIZE_MAX && find(sw, owner, i, t, pg_status_same_file) == SIZE_MAX)
			owner[i] = i;
	}
	/* A later one of its shape may have a name that was free. */
	for (size_t i = 0; i < sw->n_tables; i++)
		if (owner[i] == SIZE_MAX)
			owner[i] = find(sw, owner, sw->n_tables, &sw->tables[i], same_shape);
	return owner;
}
