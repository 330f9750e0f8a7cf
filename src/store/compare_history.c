/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Earlier sessions as the measure of two single ones. */
#include "store/compare_history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "stats/family.h"
#include "stats/selfcheck.h"
#include "store/side.h"

int pg_past_open(struct pg_past *p, const struct pg_history *h, struct pg_err *err)
{
	size_t n = h ? h->n + 1 : 1;

	memset(p, 0, sizeof(*p));
	p->history = h;
	p->cell = calloc(n, sizeof(*p->cell));
	p->log = calloc(n, sizeof(*p->log));
	p->reps = calloc(n, sizeof(*p->reps));
	return p->cell && p->log && p->reps ? 0 : pg_fail_nomem(err);
}

void pg_past_release(struct pg_past *p)
{
	free(p->cell);
	free(p->log);
	free(p->reps);
	memset(p, 0, sizeof(*p));
}

void pg_past_find(struct pg_past *p, const struct pg_fingerprint *f, unsigned but, const struct pg_history_cell *like)
{
	p->n = p->history ? pg_history_find(p->history, f, but, like, p->cell) : 0;
}

bool pg_past_enough(const struct pg_past *p)
{
	return p->n >= PG_HISTORY_LEAST;
}

int pg_past_why(const struct pg_past *p, struct pg_arena *a, const char **out, struct pg_err *err)
{
	if (p->n == 0)
		return 0;
	*out = pg_arena_printf(a, "single session, and %zu of %d in the history", p->n, PG_HISTORY_LEAST);
	return *out ? 0 : pg_fail_nomem(err);
}

struct pg_effect pg_past_compare(struct pg_past *p, unsigned lens, double log_ratio, const struct pg_units *base,
				 const struct pg_units *new)
{
	size_t fewest = base->fewest < new->fewest ? base->fewest : new->fewest;

	for (size_t i = 0; i < p->n; i++) {
		p->log[i] = log(lens == PG_FLOOR ? p->cell[i]->best : p->cell[i]->median);
		p->reps[i] = p->cell[i]->n;
	}
	pg_past_stretch(p->log, p->reps, p->n, lens == PG_FLOOR, fewest < UINT32_MAX ? (uint32_t)fewest : UINT32_MAX);
	return pg_past_effect(log_ratio, base->n, new->n, p->log, p->n, PG_CONF_COMPARE);
}
