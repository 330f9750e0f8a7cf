/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking at one sample for what makes its numbers doubtful: warnings, which change no number. docs/statistics.md 7. */
#ifndef PG_STATS_DIAGNOSE_H
#define PG_STATS_DIAGNOSE_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/stats.h"
#include "stats/tests.h"

#define PG_DIAGNOSE_MIN 10   /* samples from which on a sample is looked at */
#define PG_SLOPES_MAX	100  /* samples up to which the slope is the median over all pairs */
#define PG_DIAGNOSE_CI	0.02 /* half width that `quantised` is measured by where none is asked for */

struct pg_diagnosis {
	bool drift, acf, bimodal, spiky, cold_start, quantised, noisy;
	/*
	 * Trend in percent of the median over the whole sample, and p of the rank correlation with time. NaN: below
	 * PG_DIAGNOSE_MIN samples, median 0, or constant.
	 */
	double drift_pct, drift_p;
	/* The two modes of a bimodal sample. */
	struct pg_mode {
		size_t n;
		double median; /* the lower one first */
	} mode[2];
};

/* Doubles of scratch for n samples, enough for fewer too. */
size_t pg_diagnose_scratch(size_t n);
/*
 * x in time order, sorted the same ascending, s the summary of both. higher: more is better. ci: half width asked for
 * as a fraction, 0 = none.
 */
void pg_diagnose(const double *x, const double *sorted, const struct pg_summary *s, bool higher, double ci,
		 double *scratch, struct pg_diagnosis *out);
/* Trend per step (Theil-Sen); above PG_SLOPES_MAX from the pairs that are half the sample apart. */
double pg_slope(const double *x, size_t n, double *scratch);

#endif
