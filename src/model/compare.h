/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How two sides are compared: what `compare:` of a scenario and the options of `compare` say (docs/statistics.md 8).
 */
#ifndef PG_MODEL_COMPARE_H
#define PG_MODEL_COMPARE_H

#include <stdbool.h>
#include <stdint.h>

enum pg_lens { PG_LENS_BOTH, PG_LENS_TYPICAL, PG_LENS_FLOOR };
enum pg_correction { PG_CORRECT_HOLM, PG_CORRECT_BH, PG_CORRECT_NONE };

#define PG_LOOKS	10   /* at most, of a scenario */
#define PG_ENDS		20   /* earlier ends of a run: so often can it be given another number of reps */
#define PG_ALPHA	0.05 /* of the whole family */
#define PG_CONF_COMPARE 0.95
#define PG_THRESHOLD	0.05

struct pg_compare_rules {
	double threshold; /* fraction: 5% = 0.05; band of what is no practical change */
	enum pg_lens lens;
	enum pg_correction correction;
	/*
	 * Rounds after which a live comparison is looked at, ascending: those before the last rep that `repeat` allows,
	 * that one, and, where a run goes on with more reps or fewer, those that were made before: they are spent.
	 * n_looks 0: no variants.
	 */
	uint32_t looks[PG_LOOKS + PG_ENDS];
	uint32_t n_looks;
	uint32_t cut;	 /* looks that were asked for and come after the last rep: left out */
	double alpha;	 /* level of each of them: pg_looks_level() */
	bool to_the_end; /* `looks: none`: no look ends a cell before its last round */
	bool again; /* the run may have had other ends: what a look has answered by another level is looked at again */
};

#endif
