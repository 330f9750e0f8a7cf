/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranges: `1..8`, `0..100 by 25`, `1..64 x2`, with sizes, times and machine words at their ends. Values are start + i *
 * step or start * factor^i in exact decimal, as long as they do not pass the end.
 */
#ifndef PG_PLAN_RANGE_H
#define PG_PLAN_RANGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/num.h"
#include "plan/values.h"

#define PG_RANGE_VALUES 100000u

struct pg_range {
	struct pg_dec start, end, by; /* in the row's base unit; by: step, or the factor */
	bool factor;
	bool start_machine; /* a machine word made the start */
	bool machine;	    /* or any part of it */
	const char *text;
	size_t len;
	struct pg_loc loc, start_loc, end_loc, by_loc;
};

/* Does text look like a range: has it a `..`? */
bool pg_range_is(const char *text, size_t n);
/* Reads the text of a plain scalar. -1 after errors. The ends are not compared yet. */
int pg_range_parse(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node,
		   struct pg_range *out);

/*
 * Gives each value to fn, which returns -1 to stop. -1 when fn did, or after an error: step or factor that never
 * arrives, more than PG_RANGE_VALUES values, an end below the start (no error but a note where a machine word made it).
 */
typedef int pg_range_fn(void *fn_ctx, const struct pg_dec *v);
int pg_range_each(const struct pg_values_ctx *ctx, const struct pg_range *r, pg_range_fn *fn, void *fn_ctx);

#endif
