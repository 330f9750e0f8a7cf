/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a comparison comes to: counts, and the exit status of the gate (docs/statistics.md 8.8). */
#include <string.h>

#include "runner/cmd_compare.h"
#include "runner/world.h"

bool pg_compare_main_row(const struct pg_compare_row *r)
{
	return r->metric == r->sweep->stop_metric;
}

bool pg_compare_passes(const struct pg_compare_row *r)
{
	if (r->standing != PG_CMP_JUDGED)
		return r->standing == PG_CMP_LEFT_OUT;
	switch (r->c.verdict) {
	case PG_V_SAME:
	case PG_V_MINOR_WORSE:
	case PG_V_MINOR_BETTER:
	case PG_V_IMPROVED:
		return true;
	case PG_V_FAILED:
	case PG_V_MIXED:
	case PG_V_REGRESSED:
	case PG_V_UNCLEAR:
		break;
	}
	return false;
}

void pg_compare_count(const struct pg_compare *c, struct pg_compare_counts *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < c->n; i++) {
		const struct pg_compare_row *r = &c->row[i];

		if (!pg_compare_main_row(r))
			continue;
		switch (r->standing) {
		case PG_CMP_JUDGED:
			out->verdict[r->c.verdict]++;
			out->n++;
			break;
		case PG_CMP_MISSING:
			out->missing++;
			break;
		case PG_CMP_LEFT_OUT:
			out->left_out++;
			break;
		case PG_CMP_UNREACHED:
			out->unreached++;
			break;
		case PG_CMP_EXPLORED:
			break;
		}
	}
}

int pg_gate_status(const struct pg_compare *c, const struct pg_gate *g)
{
	struct pg_compare_counts k;
	size_t open;

	pg_compare_count(c, &k);
	/* What a run that ended early has not measured is as open as what it could not tell. */
	open = k.verdict[PG_V_UNCLEAR] + k.verdict[PG_V_MIXED] + k.unreached;
	if (k.verdict[PG_V_FAILED] > 0 || (k.missing > 0 && !g->missing_passes))
		return PG_EXIT_FAILED;
	if (k.verdict[PG_V_REGRESSED] > 0)
		return PG_EXIT_REGRESSED;
	if (open == 0 && k.n > 0)
		return PG_EXIT_OK;
	if (g->inconclusive_fails)
		return PG_EXIT_REGRESSED;
	return g->inconclusive_passes ? PG_EXIT_OK : PG_EXIT_INCONCLUSIVE;
}
