/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the canaries of one run say of the machine (docs/statistics.md 10). */
#ifndef PG_STORE_CANARIES_H
#define PG_STORE_CANARIES_H

#include <stddef.h>

#include "engine/canary.h"

struct pg_err;
struct pg_store;

struct pg_canary_spread {
	size_t n;		    /* times that they were timed */
	double sd_pct[PG_CANARIES]; /* as of a metric; NaN = fewer than two times, or a clock that stands */
};
/* Of a store that has been replayed. */
int pg_canary_spread(const struct pg_store *s, struct pg_canary_spread *out, struct pg_err *err);

#endif
