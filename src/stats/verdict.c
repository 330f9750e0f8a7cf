/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From effects to one word: docs/statistics.md 8.4, the first rule that fits. */
#include "stats/tests.h"

#include <math.h>

const char *pg_verdict_name(enum pg_verdict v)
{
	static const char *const names[] = {
		[PG_V_FAILED] = "failed",     [PG_V_MIXED] = "mixed",	     [PG_V_REGRESSED] = "regressed",
		[PG_V_IMPROVED] = "improved", [PG_V_MINOR_WORSE] = "minor+", [PG_V_MINOR_BETTER] = "minor-",
		[PG_V_SAME] = "same",	      [PG_V_UNCLEAR] = "unclear",
	};

	return names[v];
}

enum pg_verdict pg_judge(const struct pg_effect *lens, const double *p_adj, size_t lenses, double alpha,
			 double threshold)
{
	double band = log1p(threshold), strongest = 0;
	bool worse = false, better = false, minor = false, small = true, inside = lenses > 0;

	for (size_t i = 0; i < lenses; i++) {
		bool significant = p_adj[i] <= alpha; /* false for NaN */

		worse |= significant && lens[i].estimate > band;
		better |= significant && lens[i].estimate < -band;
		minor |= significant;
		small &= !(fabs(lens[i].estimate) > band); /* true for NaN: a lens that is not in use */
		if (significant && fabs(lens[i].estimate) > fabs(strongest))
			strongest = lens[i].estimate;
		inside &= lens[i].lo >= -band && lens[i].hi <= band;
	}
	if (worse && better)
		return PG_V_MIXED;
	if (worse)
		return PG_V_REGRESSED;
	if (better)
		return PG_V_IMPROVED;
	if (minor && small)
		return strongest > 0 ? PG_V_MINOR_WORSE : PG_V_MINOR_BETTER;
	return inside ? PG_V_SAME : PG_V_UNCLEAR;
}

bool pg_look_finishes(const struct pg_effect *lens, size_t lenses, double alpha_k, double hypotheses, double threshold)
{
	double none[2] = {1, 1};

	for (size_t i = 0; i < lenses; i++)
		if (lens[i].p <= alpha_k / hypotheses)
			return true;
	return lenses <= 2 && pg_judge(lens, none, lenses, alpha_k, threshold) == PG_V_SAME;
}
