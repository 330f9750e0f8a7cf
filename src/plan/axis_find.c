/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which value of an axis that is: skips, adds and kept items ask for many of them, and an axis may have a hundred
 * thousand. The table is made at the first question and takes in what joined the axis since.
 */
#include <string.h>

#include "base/str.h"
#include "plan/sweep.h"

static uint64_t hash_of(const struct pg_axis_make *ax, size_t i)
{
	return ax->place->bundle ? pg_mix64(pg_fnv1a(PG_FNV_INIT, ax->names[i], strlen(ax->names[i])))
				 : pg_value_hash(&ax->vals[i * ax->n_cols]);
}

static void put(struct pg_axis_make *ax, size_t i)
{
	size_t at = (size_t)hash_of(ax, i) & (ax->n_table - 1);

	while (ax->table[at])
		at = (at + 1) & (ax->n_table - 1);
	ax->table[at] = (uint32_t)i + 1;
}

/* At most half full. */
static int take_in(struct pg_draft *dr, struct pg_axis_make *ax)
{
	if (2 * ax->n >= ax->n_table) {
		ax->n_table = ax->n_table ? ax->n_table : 16;
		while (2 * ax->n >= ax->n_table)
			ax->n_table *= 2;
		ax->table = pg_build_array(dr->b, ax->n_table, sizeof(*ax->table));
		if (!ax->table)
			return -1;
		ax->n_in_table = 0;
	}
	while (ax->n_in_table < ax->n)
		put(ax, ax->n_in_table++);
	return 0;
}

int pg_axis_find_value(struct pg_draft *dr, struct pg_axis_make *ax, const struct pg_value *v, size_t *i)
{
	size_t at;

	if (take_in(dr, ax))
		return -1;
	at = (size_t)pg_value_hash(v) & (ax->n_table - 1);
	while (ax->table[at] && !pg_value_equal(&ax->vals[(ax->table[at] - 1) * ax->n_cols], v))
		at = (at + 1) & (ax->n_table - 1);
	*i = ax->table[at] ? ax->table[at] - 1 : ax->n;
	return 0;
}

int pg_axis_find_label(struct pg_draft *dr, struct pg_axis_make *ax, const char *label, size_t *i)
{
	size_t at;

	if (take_in(dr, ax))
		return -1;
	at = (size_t)pg_mix64(pg_fnv1a(PG_FNV_INIT, label, strlen(label))) & (ax->n_table - 1);
	while (ax->table[at] && strcmp(ax->names[ax->table[at] - 1], label) != 0)
		at = (at + 1) & (ax->n_table - 1);
	*i = ax->table[at] ? ax->table[at] - 1 : ax->n;
	return 0;
}
