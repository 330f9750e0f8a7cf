/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One arm against its baseline, one metric: both lenses over paired rounds (docs/statistics.md 8.1, 8.2). Used by the
 * looks of a live comparison and by the comparison at its end, so that both judge alike.
 */
#ifndef PG_STATS_PAIR_H
#define PG_STATS_PAIR_H

#include <stddef.h>
#include <stdint.h>

#include "model/compare.h"
#include "stats/tests.h"

enum { PG_TYPICAL, PG_FLOOR, PG_LENSES }; /* index into lens[] */

/* Cost of a value: itself where lower is better, 1 / value where higher is. NaN for what has no logarithm (<= 0). */
double pg_cost(double value, bool higher);
/* Random patterns of the floor lens for a family of so many hypotheses (8.2). */
unsigned pg_floor_patterns(double hypotheses);
/* Seed of its generator: run seed, cell id, arm, metric. */
uint64_t pg_pair_seed(uint64_t run_seed, uint64_t cell_id, uint32_t variant, const char *metric);

/* Doubles of scratch for n rounds, enough for fewer too. */
size_t pg_pair_scratch(size_t n);
/*
 * a, b: costs > 0 of the same n rounds in time order, a the baseline. fa, fb: floors of the same rounds, NULL = the
 * costs serve. A lens that is not asked for, and both for n = 0: all NaN.
 */
void pg_pair_effects(const double *a, const double *b, const double *fa, const double *fb, size_t n, enum pg_lens lens,
		     double conf, unsigned patterns, uint64_t seed, double *scratch, struct pg_effect out[PG_LENSES]);

#endif
