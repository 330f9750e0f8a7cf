/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Numbers in, numbers out: no I/O, no threads, no state. Formulas by section of docs/statistics.md.
 */
#ifndef PG_STATS_STATS_H
#define PG_STATS_STATS_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No number: an empty field. Not NAN bare, which is a float. */
#define PG_NAN ((double)NAN)

/* Sorts ascending in place. No NaN. */
void pg_sort(double *x, size_t n);

/* On x sorted ascending, n >= 1. Type-7 quantile, p in [0, 1]. */
double pg_quantile(const double *x, size_t n, double p);
double pg_median(const double *x, size_t n);
double pg_median_of(double *x, size_t n);		   /* of x in any order, which changes */
double pg_mean(const double *x, size_t n);		   /* any order */
double pg_sd(const double *x, size_t n);		   /* n - 1; NaN for n < 2 */
double pg_mad(const double *x, size_t n, double *scratch); /* 1.4826 * median |x - median|; scratch of n */
double pg_best(const double *x, size_t n, bool higher);	   /* mean of the max(1, n/4) best */
struct pg_tukey {
	unsigned mild_low, mild_high, severe_low, severe_high; /* mild: beyond 1.5 IQR and not severe */
};
struct pg_tukey pg_tukey(const double *x, size_t n);

/* Lag-1 autocorrelation of x in time order as R's acf() has it; 0 for n < 3 or constant x. */
double pg_lag1(const double *x, size_t n);
/* f = sqrt((1 + r) / (1 - r)), r = clip(lag1, 0, 0.9), for n >= 8, else 1. *n_eff = n (1 - r) / (1 + r), or NULL. */
double pg_autocorr_factor(const double *x, size_t n, double *n_eff);
double pg_lag1_factor(double r1, size_t n, double *n_eff); /* the same from a known lag-1 autocorrelation */

/* Smallest n with 1 - 2^(1-n) >= conf: 5 for 0.9, 6 for 0.95, 8 for 0.99. */
unsigned pg_min_n(double conf);

struct pg_interval {
	double lo, hi; /* NaN when there is none (n < 2) */
	double level;  /* true level: conf for the interpolated one, exact level else; NaN when none */
	bool range;    /* n below pg_min_n(): [min, max] */
};
/* Interval of the median of x sorted ascending: interpolated (Hettmansperger-Sheather) or exact order statistics. No
 * factor applied. */
struct pg_interval pg_median_interval(const double *x, size_t n, double conf, bool exact);
/* Stretches lo and hi about the median by f. */
struct pg_interval pg_stretch(struct pg_interval i, double median, double f);
/* (hi - lo) / (2 |median|), NaN when there is no interval or the median is 0. */
double pg_half_width(const struct pg_interval *i, double median);

/* One cell, one metric: the fields of cells.csv. */
struct pg_summary {
	size_t n;
	double median, ci_lo, ci_hi, ci_level, ci_pct; /* NaN = empty field; *_pct: 2.5 is 2.5 % */
	double best, min, max, mean, sd, sd_pct, mad, q25, q75;
	unsigned out_mild, out_severe; /* mild does not count severe */
	double r1, n_eff;	       /* NaN below n = 3; n_eff by pg_autocorr_factor */
	bool range;		       /* ci is [min, max] of a small n */
};
/* x in time order; scratch holds 2 n doubles. n 0: all NaN. */
void pg_summarise(const double *x, size_t n, bool higher, double conf, bool exact, double *scratch,
		  struct pg_summary *out);

/* xoshiro256** seeded through splitmix64. */
struct pg_rng {
	uint64_t s[4];
};
void pg_rng_seed(struct pg_rng *r, uint64_t seed);
uint64_t pg_rng_next(struct pg_rng *r);
/* [0, bound), unbiased (multiply-shift with rejection); bound >= 1. */
uint64_t pg_rng_below(struct pg_rng *r, uint64_t bound);
double pg_rng_unit(struct pg_rng *r); /* [0, 1) */
double pg_rng_normal(struct pg_rng *r);
void pg_shuffle_u32(struct pg_rng *r, uint32_t *a, size_t n); /* Fisher-Yates */

/* The only file with Rmath.h is src/stats/dist.c. */
double pg_pbinom(double k, double n, double p);
double pg_qnorm(double p);
double pg_pnorm(double q);
double pg_pt(double q, double df);
double pg_qt(double p, double df);
double pg_qbeta(double p, double a, double b);

#endif
