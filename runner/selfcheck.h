/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every cell of a scenario against itself, by the live comparison: what this machine takes for a difference where there
 * is none, and from which difference on it sees one (docs/statistics.md 10).
 */
#ifndef PG_RUNNER_SELFCHECK_H
#define PG_RUNNER_SELFCHECK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stats/pair.h"
#include "stats/selfcheck.h"
#include "store/canaries.h"

struct pg_args;
struct pg_doctor_opts;
struct pg_here;
struct pg_jout;
struct pg_str;
struct pg_world;

/* One cell against itself. Fractions; NaN = not known. */
struct pg_self_cell {
	char *name; /* malloc'ed: sweep and params */
	const char *metric;
	struct pg_effect lens[PG_LENSES]; /* logs of the ratio of costs; all NaN: the lens is not in use */
	double sd_pct;			  /* of the first arm */
	double noise;			  /* floor of noise, log */
	double mde, threshold, needed;	  /* smallest difference that is seen; the one asked for; rounds for that one */
	bool failed;
};

struct pg_selfcheck {
	struct pg_self_cell *cell;
	size_t n;
	uint32_t rounds;
	uint64_t seed;
	struct pg_false_alarms alarms[PG_LENSES];
	/* Of the cells that were measured; NaN: there is none. */
	double threshold;  /* smallest that every cell can support; NaN: some cell supports none */
	double needed;	   /* rounds for the thresholds asked for, looked at once; NaN: not known of some cell */
	double hypotheses; /* that were judged together; 0 where p is not corrected */
	uint32_t looks[PG_LOOKS];
	unsigned n_looks;      /* 0: no number of rounds that is worth it */
	struct pg_str *guards; /* "steal (2), load (1)": cells in which each fired */
	struct pg_canary_spread canary;
	size_t n_failed, n_blind; /* cells without a comparison; with a larger mde than threshold */
	/* The history file, malloc'ed; NULL = nothing was kept. */
	char *history;
	bool no_place;	 /* for none is known where it would be */
	size_t sessions; /* that count there for each of the cells */
	bool counts;	 /* this one does: it began late enough after the one before */
};

/* Measures. 0, or the exit status of what went wrong, which was said. */
int pg_selfcheck_measure(struct pg_world *w, const struct pg_here *here, const struct pg_doctor_opts *o,
			 const char *scenario, const volatile sig_atomic_t *stop, struct pg_selfcheck *out);
void pg_selfcheck_release(struct pg_selfcheck *s);

/* From the cells to what is said of all of them. -1: out of memory. */
int pg_selfcheck_sum_up(struct pg_selfcheck *s);
void pg_selfcheck_text(const struct pg_selfcheck *s, struct pg_str *out);
void pg_selfcheck_json(const struct pg_selfcheck *s, struct pg_jout *j);
/* 0; 1: false alarms, or cells that failed; 5: some cell cannot see its threshold. */
int pg_selfcheck_status(const struct pg_selfcheck *s);

extern const char pg_selfcheck_builtin[]; /* the scenario where none is given */

#endif
