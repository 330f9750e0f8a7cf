/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sweep from its node to the cells of the plan, step by step in the order of work. */
#include <string.h>

#include "base/str.h"
#include "plan/scenario.h"

static bool is_clean(const struct draft *dr)
{
	return dr->b->d.errors == dr->errors;
}

static int begin(struct draft *dr)
{
	struct plan_sweep *sw = build_array(dr->b, 1, sizeof(*sw));

	if (!sw)
		return -1;
	dr->sw = sw;
	sw->pub.name = dr->name;
	sw->pub.description = dr->keys.description ? dr->keys.description : "";
	sw->pub.bench = dr->bench;
	sw->pub.rules = dr->keys.rules;
	sw->pub.loc = dr->loc;
	sw->keys = dr->keys.run;
	if (dr->exec && exec_rows(dr))
		return -1;
	sw->pub.params = dr->exec ? dr->rows : dr->bench->params;
	sw->pub.n_params = pg_param_count(sw->pub.params);
	return 0;
}

/* Into the plan: it holds pointers, so that they stay while more sweeps come. */
static int append(struct draft *dr)
{
	struct pg_plan *p = dr->b->plan;

	if (p->n_sweeps == p->room_sweeps) {
		size_t room = p->room_sweeps ? 2 * p->room_sweeps : 16;
		struct plan_sweep **more = build_array(dr->b, room, sizeof(struct plan_sweep *));

		if (!more)
			return -1;
		if (p->n_sweeps)
			memcpy(more, p->sweeps, p->n_sweeps * sizeof(struct plan_sweep *));
		p->sweeps = more;
		p->room_sweeps = room;
	}
	dr->sw->pub.index = p->n_sweeps;
	dr->sw->pub.first_cell = p->n_cells;
	p->sweeps[p->n_sweeps++] = dr->sw;
	return 0;
}

static int count_cells(struct draft *dr)
{
	size_t most = dr->b->opts.max_cells ? dr->b->opts.max_cells : MAX_CELLS;
	struct plan_sweep *sw = dr->sw;
	uint64_t n = 1;

	if (most > MARK_REASON)
		most = MARK_REASON;
	for (size_t a = 0; a < sw->pub.n_axes; a++)
		if (!pg_mul_u64(n, sw->in[a].n_product, &n) || n > most)
			n = most + 1;
	sw->n_product = (size_t)n;
	sw->pub.n_cells = (size_t)n + sw->n_add;
	if (n <= most && sw->pub.n_cells + dr->b->plan->n_cells <= most)
		return 0;
	return pg_diag_error(&dr->b->d, &dr->loc, "with sweep %s the plan has more than %zu cells; take values out or raise --max-cells",
			     dr->name, most);
}

int sweep_make(struct draft *dr)
{
	bool placed;

	dr->errors = dr->b->d.errors;
	draft_read(dr);
	if (!dr->bench || !dr->name)
		return -1;
	placed = !places_read(dr);
	if (select_apply(dr) || begin(dr))
		return -1;
	if (dr->exec)
		exec_program(dr);
	if (sweep_metrics(dr) || sweep_values(dr) || !placed)
		return -1;
	keyset_placeholders(dr, &dr->keys);
	if (sweep_add(dr) || axes_finish(dr) || sweep_scope(dr))
		return -1;
	sweep_derive(dr);
	sweep_skip(dr);
	sweep_limits(dr);
	sweep_tables(dr);
	if (!is_clean(dr) || count_cells(dr) || sweep_fold(dr) || sweep_segments(dr))
		return -1;
	return append(dr) ? -1 : sweep_expand(dr);
}
