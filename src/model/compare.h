/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How two sides are compared: what `compare:` of a scenario and the options of `compare` say (docs/statistics.md 8).
 */
#ifndef PG_MODEL_COMPARE_H
#define PG_MODEL_COMPARE_H

#include <stdint.h>

enum pg_lens { PG_LENS_BOTH, PG_LENS_TYPICAL, PG_LENS_FLOOR };
enum pg_correction { PG_CORRECT_HOLM, PG_CORRECT_BH, PG_CORRECT_NONE };

#define PG_LOOKS	10   /* at most */
#define PG_ALPHA	0.05 /* of the whole family */
#define PG_CONF_COMPARE 0.95
#define PG_THRESHOLD	0.05

struct pg_compare_rules {
	double threshold; /* fraction: 5% = 0.05; band of what is no practical change */
	enum pg_lens lens;
	enum pg_correction correction;
	/*
	 * Rounds after which a live comparison is looked at, ascending; the last one is its end: the plan has cut them
	 * to the reps that `repeat` allows. n_looks 0: no variants.
	 */
	uint32_t looks[PG_LOOKS];
	uint32_t n_looks;
};

#endif
