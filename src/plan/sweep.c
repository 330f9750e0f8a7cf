/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A sweep from its node to the cells of the plan, step by step in the order of work. */
#include <string.h>

#include "base/str.h"
#include "plan/sweep.h"

static bool is_clean(const struct pg_draft *dr)
{
	return dr->b->d.errors == dr->errors;
}

static int begin(struct pg_draft *dr)
{
	struct pg_sweep_in *sw = pg_build_array(dr->b, 1, sizeof(*sw));

	if (!sw)
		return -1;
	dr->sw = sw;
	sw->pub.name = dr->name;
	sw->pub.description = dr->keys.description ? dr->keys.description : "";
	sw->pub.bench = dr->bench;
	sw->pub.rules = dr->keys.rules;
	sw->pub.loc = dr->loc;
	sw->keys = dr->keys.run;
	if (dr->exec && pg_exec_rows(dr))
		return -1;
	sw->pub.params = dr->exec ? dr->rows : dr->bench->params;
	sw->pub.n_params = pg_param_count(sw->pub.params);
	return 0;
}

/* Into the plan: it holds pointers, so that they stay while more sweeps come. */
static int append(struct pg_draft *dr)
{
	struct pg_plan *p = dr->b->plan;

	if (p->n_sweeps == p->room_sweeps) {
		size_t room = p->room_sweeps ? 2 * p->room_sweeps : 16;
		struct pg_sweep_in **more = pg_build_array(dr->b, room, sizeof(struct pg_sweep_in *));

		if (!more)
			return -1;
		if (p->n_sweeps)
			memcpy(more, p->sweeps, p->n_sweeps * sizeof(struct pg_sweep_in *));
		p->sweeps = more;
		p->room_sweeps = room;
	}
	dr->sw->pub.index = p->n_sweeps;
	dr->sw->pub.first_cell = p->n_cells;
	p->sweeps[p->n_sweeps++] = dr->sw;
	return 0;
}

static int count_cells(struct pg_draft *dr)
{
	size_t most = dr->b->opts.max_cells ? dr->b->opts.max_cells : PG_MAX_CELLS;
	struct pg_sweep_in *sw = dr->sw;
	uint64_t n = 1;

	if (most > PG_MARK_REASON)
		most = PG_MARK_REASON;
	for (size_t a = 0; a < sw->pub.n_axes; a++)
		if (!pg_mul_u64(n, sw->in[a].n_product, &n) || n > most)
			n = most + 1;
	sw->n_product = (size_t)n;
	sw->pub.n_cells = (size_t)n + sw->n_add;
	if (n <= most && sw->pub.n_cells + dr->b->plan->n_cells <= most)
		return 0;
	return pg_diag_error(&dr->b->d, &dr->loc,
			     "with sweep %s the plan has more than %zu cells; take values out or raise --max-cells",
			     dr->name, most);
}

int pg_sweep_make(struct pg_draft *dr)
{
	bool placed;

	dr->errors = dr->b->d.errors;
	pg_draft_read(dr);
	if (!dr->bench || !dr->name)
		return -1;
	placed = !pg_draft_places(dr);
	if (pg_select_apply(dr))
		return -1;
	placed = !pg_draft_variants_last(dr) && placed;
	if (begin(dr))
		return -1;
	if (dr->exec)
		pg_exec_program(dr);
	if (pg_sweep_metrics(dr) || pg_sweep_values(dr) || !placed)
		return -1;
	pg_keyset_placeholders(dr, &dr->keys);
	if (pg_sweep_add(dr) || pg_axes_finish(dr) || pg_sweep_scope(dr))
		return -1;
	pg_variants_rules(dr);
	pg_sweep_derive(dr);
	pg_sweep_skip(dr);
	pg_sweep_limits(dr);
	pg_sweep_tables(dr);
	if (!is_clean(dr) || count_cells(dr) || pg_sweep_fold(dr) || pg_sweep_segments(dr))
		return -1;
	return append(dr) ? -1 : pg_sweep_expand(dr);
}
