/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the expressions of a sweep can name: machine words, params, bundles, and for --only the sweep itself. */
#include <string.h>

#include "plan/sweep.h"

static int find(void *ctx, const char *name, size_t n, size_t *slot, unsigned *kinds)
{
	const struct pg_draft *dr = ctx;
	size_t end = dr->only ? dr->n_slots : dr->n_slots - 1;

	/* A param stands before the sweep's name, should exec have one called `sweep`. */
	for (size_t i = 0; i < end; i++)
		if (dr->slot_names[i] && strlen(dr->slot_names[i]) == n && memcmp(dr->slot_names[i], name, n) == 0) {
			*slot = i;
			*kinds = dr->slot_kinds[i];
			return 0;
		}
	return -1;
}

int pg_sweep_scope(struct pg_draft *dr)
{
	const struct pg_sweep *s = &dr->sw->pub;

	for (size_t i = 0; i < PG_MACHINE_WORDS; i++) {
		dr->slot_names[i] = pg_machine_words[i];
		dr->slot_kinds[i] = 1u << PG_E_NUM;
	}
	for (size_t i = 0; i < s->n_params; i++)
		dr->slot_names[PG_SLOT_PARAM(i)] = s->params[i].name;
	for (size_t a = 0; a < s->n_axes; a++) {
		size_t slot = PG_SLOT_PARAM(s->n_params) + a;

		dr->slot_names[slot] = s->axes[a].bundle ? s->axes[a].name : NULL;
		dr->slot_kinds[slot] = 1u << PG_E_TEXT;
	}
	dr->slot_names[dr->n_slots - 1] = "sweep";
	dr->slot_kinds[dr->n_slots - 1] = 1u << PG_E_TEXT;
	return 0;
}

struct pg_scope pg_sweep_names(struct pg_draft *dr, bool only)
{
	dr->only = only;
	return (struct pg_scope){
		.find = find,
		.names = dr->slot_names,
		.n_names = only ? dr->n_slots : dr->n_slots - 1,
		.ctx = dr,
	};
}

int pg_sweep_condition(const struct pg_expr *e, struct pg_diag *d)
{
	unsigned kinds = pg_expr_kinds(e);

	if (kinds == 1u << PG_E_BOOL)
		return 0;
	return pg_diag_error(d, pg_expr_loc(e), "a condition is due here, not %s; write one, such as groups > 4",
			     pg_ekind_text(kinds));
}
