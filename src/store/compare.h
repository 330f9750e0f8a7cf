/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparisons of cells: the arms of a run against its baseline, or the sessions of one side against those of another;
 * and the CSV that both become (docs/statistics.md 8 and 9).
 */
#ifndef PG_STORE_COMPARE_H
#define PG_STORE_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "engine/canary.h"
#include "plan/plan.h"
#include "stats/family.h"

struct pg_csv;
struct pg_results;
struct pg_samples;
struct pg_side;
struct pg_store;
struct pg_str;

/* What a row says of its two sides, in the order of the text. */
enum pg_compare_flag {
	PG_CF_GROUPED = 1 << 0,
	PG_CF_ONE_LAYOUT = 1 << 1,
	PG_CF_TWO_BOOTS = 1 << 2,
	PG_CF_BIMODAL = 1 << 3,
	PG_CF_LOOPS_DIFFER = 1 << 4,
	PG_CF_TRUSTED = 1 << 5,	  /* stored samples of one session a side were believed */
	PG_CF_ENV_SHIFT = 1 << 6, /* a canary differs between the sides */
};
void pg_compare_flags_text(unsigned flags, struct pg_str *out); /* names with blanks between, appended */

enum pg_standing {
	PG_CMP_JUDGED,	  /* in the family: the metric that the sweep is about */
	PG_CMP_EXPLORED,  /* another metric: its own family, Benjamini-Hochberg */
	PG_CMP_LEFT_OUT,  /* not measured, on purpose: skipped, not selected */
	PG_CMP_UNREACHED, /* the run ended before one of its arms was measured: nothing can be told */
	PG_CMP_MISSING,	  /* one side has no such cell, left it out, or cannot run it */
};

struct pg_compare_row {
	const struct pg_plan *plan; /* whose cell it is: of the new side, unless only the base has it */
	const struct pg_sweep *sweep;
	size_t cell; /* index in the plan */
	size_t metric;
	uint64_t ops; /* calibrated loops */
	enum pg_standing standing;
	unsigned flags;
	uint32_t n_dropped;			   /* rounds in which a side has no value */
	bool cut_short;				   /* its rounds ended by time, before the last look */
	double base, base_sd_pct, new, new_sd_pct; /* medians; NaN = none */
	const char *reason;			   /* of failed, left out, missing, env; NULL = none */
	const char *seen;			   /* pg_compare_see_live(); NULL = nothing */
	double cliff; /* two groups: P(new > base) - P(new < base), of values; NaN = none */
	struct pg_comparison c;
};

/* Medians of the canaries of two sides, in seconds. */
struct pg_env_shift {
	bool on; /* one of them differs */
	double base[PG_CANARIES], new[PG_CANARIES];
};

/* What the command line says in place of the scenarios. NULL in a call = nothing. */
struct pg_compare_opts {
	bool has_threshold, has_lens, has_correction;
	double threshold;
	enum pg_lens lens;
	enum pg_correction correction;
	bool judged_only;		/* no other metrics */
	const char *base_arm, *new_arm; /* labels of two arms; NULL = each against the baseline */
};

/* The other metrics of live comparisons are many rows: kept is what their families need, the rest is made anew. */
struct pg_explored;

struct pg_compare {
	struct pg_arena arena; /* texts */
	/* By sweep, cell, arm, metric. Of a live comparison only those of the metric that its sweep is about. */
	struct pg_compare_row *row;
	size_t n, cap;
	double hypotheses; /* that were judged together */
	bool one_layout;   /* the kernel drew no address-space layout: no arm had more than one */
	struct pg_env_shift shift;
	const struct pg_plan *plan[2]; /* of the new side, of the base; NULL = the same */
	struct pg_explored *explored;  /* NULL = there is none, or it stands among the rows */
};
void pg_compare_init(struct pg_compare *c);
void pg_compare_release(struct pg_compare *c);
/*
 * Every row of one sweep, or of all (NULL), exploration too, in order. A row holds as long as the call of row(), which
 * fills *err where it answers -1. Plan and samples that were compared must still be there.
 */
int pg_compare_each(const struct pg_compare *c, const struct pg_sweep *sw,
		    int (*row)(void *ctx, const struct pg_compare_row *r, struct pg_err *err), void *ctx,
		    struct pg_err *err);

/* Hypotheses that a run with variants judges together: cells that are to run, arms beside the baseline, lenses. */
uint64_t pg_compare_family(const struct pg_plan *p);
bool pg_compare_wanted(const struct pg_plan *p); /* some sweep has variants */
/* Every arm against the baseline of its cell. */
int pg_compare_live(const struct pg_plan *p, const struct pg_samples *s, uint64_t seed,
		    const struct pg_compare_opts *opts, struct pg_compare *out, struct pg_err *err);
int pg_store_compare(const struct pg_store *s, const struct pg_compare_opts *opts, struct pg_compare *out,
		     struct pg_err *err);
/*
 * The comparison of a run with its own rules, what was seen too: as its files have just got it, else made. *out is s's
 * and ends with the next pg_store_finish() and with pg_store_close().
 */
int pg_store_compared(struct pg_store *s, const struct pg_compare **out, struct pg_err *err);

/*
 * What cells.csv says of the cells behind the judged rows that bears on a comparison, both sides together: "noisy
 * switches:12%", into row->seen. base_arm as in the options. Of sides also what they do not say of a cell, for some of
 * their runs or reps failed, behind row->reason: "OLD: 2 of 5 runs failed (exit status 3)".
 */
int pg_compare_see_live(struct pg_compare *c, const struct pg_results *r, const char *base_arm, struct pg_err *err);
int pg_compare_see_store(struct pg_compare *c, const struct pg_store *s, const char *base_arm, struct pg_err *err);
int pg_compare_see_sides(struct pg_compare *c, const struct pg_side *base, const struct pg_side *new,
			 struct pg_err *err);

/* ---- files ---- */

/* Ratio of the values, new to base, from an effect: no direction turned. */
struct pg_ratio {
	double estimate, lo, hi; /* NaN = none */
};
struct pg_ratio pg_compare_ratio(const struct pg_compare_row *r, unsigned lens);
/* The lens whose effect a row shows: the one that decided; where none did the typical one, if it is in use. */
unsigned pg_compare_shown(const struct pg_compare_row *r);
/* Digits after the point of a change in percent that its interval leaves a meaning, 0 to 2. */
int pg_compare_decimals(const struct pg_compare_row *r);
/* "[-1.2 to 3.4]", percent; nothing where there is no interval. Appended. */
void pg_compare_interval_text(const struct pg_compare_row *r, struct pg_str *out);
/* Why a row has the verdict that it has, "" = nothing to say. */
const char *pg_compare_reason(const struct pg_compare_row *r);

/* Fixed columns around the params, for tests and docs: names ended by NULL. */
extern const char *const pg_compare_tail[];
/* Header and rows of all sweeps, with a leading column `sweep`: the params of the new side, then those that only the
 * base has. */
int pg_compare_csv(const struct pg_compare *c, struct pg_csv *csv, struct pg_err *err);
/* Compares the arms of a run into *out, and writes SWEEP.compare.csv of each sweep with variants and all.compare.csv.
 */
int pg_compare_write(const struct pg_results *r, uint64_t seed, struct pg_compare *out, struct pg_err *err);

#endif
