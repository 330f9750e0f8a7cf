/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparisons that are judged together: adjusted p-values, the word for each, and what would be needed where there is
 * none (docs/statistics.md 8.3 to 8.7). Memory comes from the caller.
 */
#ifndef PG_STATS_FAMILY_H
#define PG_STATS_FAMILY_H

#include <stdbool.h>
#include <stddef.h>

#include "model/compare.h"
#include "stats/pair.h"
#include "stats/tests.h"

/* Why a comparison is `unclear`. */
enum pg_unclear {
	PG_UC_NONE,
	PG_UC_ZERO,    /* a value without a logarithm */
	PG_UC_ENV,     /* the machines are not alike */
	PG_UC_FLAG,    /* loops-differ, grouped */
	PG_UC_LAYOUT,  /* one memory layout for a whole side */
	PG_UC_SESSION, /* too few sessions */
	PG_UC_N,       /* too few rounds to reach significance at all */
	PG_UC_NOISE,   /* smaller effects than the threshold are not seen */
};
const char *pg_unclear_name(
	enum pg_unclear u); /* "", "zero", "env", "flag", "layout", "single session", "n", "noise" */

/* Where the p-values come from, for what is the least n. */
enum pg_design {
	PG_PAIRED,   /* n rounds */
	PG_UNPAIRED, /* n values against m */
	PG_PAST,     /* against the spread of earlier sessions: any n */
};

struct pg_comparison {
	/* Given. */
	struct pg_effect lens[PG_LENSES]; /* logs of costs, + = worse; estimate NaN: not in use */
	size_t n, m;			  /* rounds, or values of base and new */
	enum pg_design design;
	double threshold; /* fraction */
	double alpha;	  /* level of the last look: pg_looks_level() */
	enum pg_correction correction;
	enum pg_unclear barred; /* what no number can cure; NONE = none */
	bool failed;		/* no usable pair */
	/* Found. */
	double p_adj[PG_LENSES]; /* NaN = none */
	enum pg_verdict verdict;
	enum pg_unclear why; /* of PG_V_UNCLEAR */
	double mde;	     /* fraction; NaN = no interval */
	double needed;	     /* rounds, or values a side; NaN: not a matter of their number */
};

/* The p of the row: the smallest adjusted one; NaN = none. */
double pg_comparison_p(const struct pg_comparison *c);

/* Doubles of scratch for a family. */
size_t pg_family_scratch(size_t n, double hypotheses);
/*
 * hypotheses: how many were to be judged at the start (8.6); those without a p-value count as p = 1. 0, or fewer than
 * there are p-values: as many as there are.
 */
void pg_family_judge(struct pg_comparison *const *c, size_t n, double hypotheses, double *scratch);
/* One of a family of which the adjusted p-values are known: p_adj is given, for so many hypotheses. */
void pg_comparison_judge(struct pg_comparison *c, double hypotheses);

/*
 * One effect of `log_ratio` against the spread of earlier sessions of the same cell (9.3): past holds n >= 2 logs of
 * their estimates, n_base and n_new sessions went into the ratio. Where the earlier ones are all equal p is 1 for a
 * ratio of 1; else the chance that of all n + n_base + n_new sessions the one that is another is one of the sides',
 * without an interval.
 */
struct pg_effect pg_past_effect(double log_ratio, size_t n_base, size_t n_new, const double *past, size_t n,
				double conf);

#endif
