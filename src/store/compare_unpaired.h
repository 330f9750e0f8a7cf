/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two sides that do not belong together: sessions against sessions, or samples against samples (docs/statistics.md 9).
 */
#ifndef PG_STORE_COMPARE_UNPAIRED_H
#define PG_STORE_COMPARE_UNPAIRED_H

#include <stddef.h>
#include <stdint.h>

#include "store/compare.h"

struct pg_units;

struct pg_unpaired {
	unsigned patterns; /* of the floor lens over samples: pg_floor_patterns() */
	double *scratch;
	size_t cap;
};
void pg_unpaired_release(struct pg_unpaired *k);
/* The units of a session in one lens, logs of costs: floors of batches where both sides have them. */
const double *pg_unpaired_of(const struct pg_units *u, const struct pg_units *other, unsigned lens);
/* One lens over the sessions. */
int pg_unpaired_sessions(struct pg_unpaired *k, const struct pg_units *base, const struct pg_units *new, unsigned lens,
			 struct pg_compare_row *row, struct pg_err *err);
/* Over the samples of all sessions, as a live comparison has them, but not in pairs. seed: pg_pair_seed(). */
int pg_unpaired_samples(struct pg_unpaired *k, const struct pg_units *base, const struct pg_units *new,
			enum pg_lens lens, uint64_t seed, struct pg_compare_row *row, struct pg_err *err);

#endif
