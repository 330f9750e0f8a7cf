/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Inside plan: a table as it was written, in a scenario or on the command line, and how it becomes a pg_table_spec. */
#ifndef PG_PLAN_TABLE_H
#define PG_PLAN_TABLE_H

#include "base/arena.h"
#include "plan/inside.h"
#include "plan/node.h"
#include "plan/values.h"

struct pg_table_name {
	const char *s;
	struct pg_loc loc;
};

struct pg_name_list {
	struct pg_table_name *v;
	size_t n;
	bool given;
};

struct pg_table_text {
	struct pg_name_list rows, columns, split, value, statistic;
	struct pg_table_name unit, name; /* s NULL = not given */
	struct pg_table_name axis;	 /* relative_to */
	const struct pg_node *axis_value;
	struct pg_loc loc;
};

struct pg_table_ctx {
	struct pg_arena *a;
	struct pg_diag *d;
	const struct pg_sweep_in *sw;
	const struct pg_machine *machine;
	const bool *varied; /* per axis, NULL = none: not placed, it splits the table */
	const bool *broken; /* per axis, NULL = none: its values are not known */
	bool selected; /* the command line changed the axes: a table may no longer fit and is then left out with a note
			*/
};

/* 0; -1 after an error; 1 = left out, with a note. Without rows: as a sweep without `tables` has them. */
int pg_table_resolve(const struct pg_table_ctx *c, const struct pg_table_text *t, struct pg_table_spec *out);

#endif
