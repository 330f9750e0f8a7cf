/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparing two samples, and looking at one: tests, intervals, corrections, verdicts. Numbers in, numbers out, as
 * stats.h; memory comes from the caller. Costs: lower is better (a rate enters as 1 / rate). Effects and intervals of
 * ratios are in natural logs, + = worse. Sections: docs/statistics.md.
 */
#ifndef PG_STATS_TESTS_H
#define PG_STATS_TESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/compare.h"
#include "stats/stats.h"

#define PG_EXACT_PAIRED	  50 /* above: normal approximation */
#define PG_EXACT_UNPAIRED 50 /* of each side, without ties */
#define PG_EXACT_TIES	  60 /* of both sides together, with ties */

/* A value with the place it came from, for ranking. */
struct pg_ranked {
	double v;
	uint32_t i;
};
/*
 * Twice the mid-rank of each x (2, 4, 6 ... without ties) into rank2. Returns sum over groups of ties of t^3 - t;
 * scratch holds n.
 */
double pg_ranks(const double *x, size_t n, uint64_t *rank2, struct pg_ranked *scratch);

/* One effect with its interval and test. NaN = none; lo, hi may be infinite. */
struct pg_effect {
	double estimate, lo, hi, p;
};

/* Doubles that pg_signed_rank() needs as scratch. */
#define PG_WALSH(n) ((n) * ((n) + 1) / 2 + 4 * (n))
/*
 * Wilcoxon signed-rank, two-sided, zeros dropped; exact up to PG_EXACT_PAIRED, ties by dynamic programming over doubled
 * mid-ranks. Effect: median of the Walsh averages of all d, interval by their order statistics (8.1). *v: sum of the
 * ranks of the positive ones, or NULL. conf 0: p alone.
 */
struct pg_effect pg_signed_rank(const double *d, size_t n, double conf, double *scratch, double *v);

/* Doubles that pg_mann_whitney() needs as scratch. */
size_t pg_mann_whitney_scratch(size_t n, size_t m);
/*
 * Mann-Whitney, two-sided (section 9): exact where the limits above allow, else normal with ties and continuity.
 * Effect: Hodges-Lehmann shift of y against x with its interval. *u: pairs with x > y, ties half, or NULL.
 */
struct pg_effect pg_mann_whitney(const double *x, size_t n, const double *y, size_t m, double conf, double *scratch,
				 double *u);
double pg_mann_whitney_normal(const double *x, size_t n, const double *y, size_t m, double *scratch); /* p alone */
double pg_cliff(const double *x, size_t n, const double *y, size_t m); /* P(y > x) - P(y < x) */

/* Floor lens (8.2). F = ln of the mean of the max(1, n/4) smallest; effect F(b) - F(a). */
#define PG_FLOOR_MAX   1024 /* rounds; more are not looked at: PG_NAN */
#define PG_FLOOR_EXACT 16
/*
 * a, b: costs > 0 of the same n rounds. p by swapping labels inside rounds: all patterns up to PG_FLOOR_EXACT rounds,
 * else `patterns` random ones from *rng. Interval by inversion with at most 999 patterns; none for conf 0.
 */
struct pg_effect pg_floor_paired(const double *a, const double *b, size_t n, unsigned patterns, double conf,
				 struct pg_rng *rng);
/* The same for sides that do not belong together: labels are dealt anew; all deals while there are at most `patterns`.
 * No interval. */
struct pg_effect pg_floor_unpaired(const double *a, size_t n, const double *b, size_t m, unsigned patterns,
				   struct pg_rng *rng);

/* Adjusted p-values in the order of p. scratch holds n. NaN stays, and is not counted. */
void pg_adjust(const double *p, size_t n, enum pg_correction how, double *adjusted, struct pg_ranked *scratch);
/* Pocock's nominal level for k looks at 5 % in all; k beyond 10 counts as 10 (8.6). */
double pg_pocock(unsigned looks);
/* The level of looks after so many rounds, from 1 on and strictly ascending: Pocock's, or, where they lie so far apart
 * that it would give more than 5 % in all, the largest multiple of 0.01 % that does not. */
double pg_looks_level(const uint32_t *looks, unsigned n);
/* Fewest rounds (paired) or samples a side that can reach p <= alpha / hypotheses (8.5). */
unsigned pg_min_paired(double alpha, double hypotheses);
unsigned pg_min_unpaired(double alpha, double hypotheses);
/* Smallest effect found with 80 % power, as a fraction, from the half-width w in logs of a 95 % interval (8.7). */
double pg_mde(double w, double alpha);
double pg_rounds_needed(size_t n, double mde, double threshold);
/* Clopper-Pearson limits of k of n. */
struct pg_interval pg_clopper_pearson(double k, double n, double conf);

/* Spearman's rho against time order, p by t with n - 2 degrees of freedom. scratch: n each. NaN below n = 3 or
 * constant. */
struct pg_trend {
	double rho, p;
};
struct pg_trend pg_spearman(const double *x, size_t n, uint64_t *rank2, struct pg_ranked *scratch);
/* Median of the slopes of all pairs, per step. scratch: n (n - 1) / 2. */
double pg_theil_sen(const double *x, size_t n, double *scratch);

/* Best two groups of x sorted ascending, n >= 2, by the sum of squares between them (7). */
struct pg_split {
	size_t k;	    /* size of the lower group */
	double eta2;	    /* between / total; 0 when all are equal */
	double gap, m1, m2; /* distance between the groups; their means */
};
struct pg_split pg_split(const double *x, size_t n);
/* The rule of section 7 from a split of ln x. */
bool pg_bimodal(const struct pg_split *logs, size_t n);

/* Log-linear histogram (11): 128 buckets a power of two, 0 ... 2^40 - 1 ns. */
#define PG_BUCKETS 4352
unsigned pg_bucket(uint64_t ns); /* beyond the end: the last */
uint64_t pg_bucket_lowest(unsigned index);
uint64_t pg_bucket_highest(unsigned index);

enum pg_verdict {
	PG_V_FAILED,
	PG_V_MIXED,
	PG_V_REGRESSED,
	PG_V_IMPROVED,
	PG_V_MINOR_WORSE,
	PG_V_MINOR_BETTER,
	PG_V_SAME,
	PG_V_UNCLEAR,
};
const char *pg_verdict_name(enum pg_verdict v);
/* Section 8.4 for the lenses in use (1 or 2); p_adj beside each effect. threshold: 0.05 is 5 %. */
enum pg_verdict pg_judge(const struct pg_effect *lens, const double *p_adj, size_t lenses, double alpha,
			 double threshold);

/*
 * A look at a live comparison before the last one (8.6): is the cell finished, because a lens has p <= alpha_k /
 * hypotheses, or because its verdict is `same`? alpha_k: pg_looks_level().
 */
bool pg_look_finishes(const struct pg_effect *lens, size_t lenses, double alpha_k, double hypotheses, double threshold);

#endif
