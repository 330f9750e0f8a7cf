/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The `perf bench` command line over perfgrid's benches: per bench a table of spellings and hooks that print, nothing
 * that measures. A call is made of steps (memcpy: one a routine), a step of parts (futex wake: its runs); a part is one
 * rep. `-r` repeats all steps, but where the ancestor gives it another meaning (by_repeat).
 */
#ifndef PG_RUNNER_COMPAT_PERF_H
#define PG_RUNNER_COMPAT_PERF_H

#include <stdbool.h>
#include <stdint.h>

#include "runner/compat_options.h"

struct pg_err;
struct pg_pb;

enum pg_pb_format { PG_PB_DEFAULT, PG_PB_SIMPLE, PG_PB_JSON, PG_PB_CSV };

/* What `-f simple` prints. */
enum pg_pb_simple {
	PG_PB_NUMBER,  /* the headline of each step: ours, the ancestor ignores the format */
	PG_PB_SECONDS, /* `time` as S.mmm */
	PG_PB_HOOKS,   /* the hooks look at the format themselves */
};

/* What the ancestor does with `-r`. */
enum pg_pb_by_repeat {
	PG_PB_ROUNDS, /* nothing: here everything is done so often */
	PG_PB_PARTS,  /* runs in a row with one summary, 10 without -r */
	PG_PB_LOOPS,  /* the number of operations, 10 without -r */
};

struct pg_pb_bench {
	const char *collection, *name;
	const char *synopsis;	       /* "perf bench sched pipe <options>" */
	const struct pg_fopt *options; /* ended by .name == NULL */
	bool words_ok;		       /* words that are no options are ignored */
	bool part_ok;		       /* steps that cannot run here are left out as long as one can */
	const char *const *singles;    /* metrics whose numbers of single workers are printed; ended by NULL */
	enum pg_pb_simple simple;
	enum pg_pb_by_repeat by_repeat;
	/* The headline: metric times scale is in `unit`, printed with so many decimals. */
	const char *metric, *unit;
	double scale;
	int decimals;
	/*
	 * Hooks, each may be NULL. begin: what options mean that no table says, once all are set; -1 with err, and
	 * p->status where it is another one than 1. step: values of step i; 1, 0 = there is none, -1; NULL = one step.
	 * ready: values of part p->part; 0 or -1. The others print to p->out: head before the first step of a round,
	 * before and after a step, each after a part, foot after the last step.
	 */
	int (*begin)(struct pg_pb *p, struct pg_err *err);
	int (*step)(struct pg_pb *p, unsigned i, struct pg_err *err);
	int (*ready)(struct pg_pb *p, struct pg_err *err);
	void (*head)(struct pg_pb *p);
	void (*before)(struct pg_pb *p);
	void (*each)(struct pg_pb *p);
	void (*after)(struct pg_pb *p);
	void (*foot)(struct pg_pb *p);
	/* In place of everything: a call whose words mean a whole suite. Its status, or -1 = they do not. */
	int (*instead)(struct pg_pb *p, int argc, char **argv);
	/* What cannot run: text beside the reason. */
	void (*refused)(struct pg_pb *p, const struct pg_err *err);
};

struct pg_pb_collection {
	const char *name, *summary;
	const struct pg_pb_bench *const *benches; /* ended by NULL */
	const char *all;			  /* summary of its line `all`; NULL = the list has none */
};
extern const struct pg_pb_collection pg_pb_collections[]; /* ended by .name == NULL */

/* Online mean and spread of n values; each stands for `weight` observations, 1 with pg_pb_add(). */
struct pg_pb_sum {
	double n, weight, mean, m2;
};
void pg_pb_add(struct pg_pb_sum *s, double v);
void pg_pb_add_weighted(struct pg_pb_sum *s, double v, double weight);
double pg_pb_error(const struct pg_pb_sum *s);	       /* standard error of the mean; 0 for fewer than two */
double pg_pb_error_percent(const struct pg_pb_sum *s); /* of the mean */

#define PG_PB_SUMS 6

const struct pg_pb_bench *pg_pb_find(const char *collection, const char *bench);

#endif
