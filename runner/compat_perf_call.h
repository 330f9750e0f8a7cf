/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One call of one bench of the `perf bench` drop-in, and what its hooks find: options, numbers, common lines. */
#ifndef PG_RUNNER_COMPAT_PERF_CALL_H
#define PG_RUNNER_COMPAT_PERF_CALL_H

#include "base/str.h"
#include "runner/compat_perf.h"
#include "runner/dropin.h"
#include "runner/json_out.h"

struct pg_world;

/* Where results go in the machine formats, over all calls of a command line. */
struct pg_pb_machine {
	struct pg_jout json;
	struct pg_str text;
};

/* Microseconds of the uprobe benches of one `all`, for differences; 0 = not run. */
struct pg_pb_chain {
	double baseline, baseline_op, previous, previous_op;
};

/* Headlines of a step over all rounds, for the summary on standard error. */
struct pg_pb_series {
	char label[48];
	double *v;
	size_t n, cap;
};

/* One call of one bench. */
struct pg_pb {
	struct pg_world *world;
	const struct pg_pb_bench *bench;
	enum pg_pb_format format;
	struct pg_pb_machine *machine;
	struct pg_pb_chain *chain;
	bool in_all; /* part of `all`: what cannot run here is passed over */
	bool repeat_given;
	uint64_t repeat;      /* of the command line, else 10 */
	uint64_t rounds;      /* of all steps */
	uint64_t parts;	      /* reps of a step; begin and step may set it */
	uint64_t round, part; /* in progress, from 0 */
	double weight;	      /* iterations of the part, where parts of a step differ; 0 = they do not */
	unsigned step;
	char label[48]; /* of the step, for summaries; "" = the only one */
	int status;	/* to leave with; 0 as long as all went well */
	struct pg_fopts set;
	struct pg_fopt_state opt[PG_FOPTS_MOST];
	struct pg_dropin d;
	struct pg_str out; /* for standard output */
	bool shown;	   /* head was printed in this round */
	unsigned left_out; /* steps of this round that cannot run here */
	/* Headline of each part of the step in progress. */
	struct pg_pb_sum headline;
	/* For hooks: emptied before each step, and before each round. */
	struct pg_pb_sum sum[PG_PB_SUMS], kept[PG_PB_SUMS];
	struct pg_pb_series *series; /* one a step */
	size_t n_series;
	const char *title; /* numa: name of the preset; NULL = none */
	char **words;	   /* the bench's own words */
	int n_words;
};

/* compat_perf_run.c: the whole of one call, from its own words on. Returns the status. */
int pg_pb_call(struct pg_pb *p, int argc, char **argv);
/* Its two halves: options to values (0, or a status to leave with; texts are written), and everything that runs. */
int pg_pb_options(struct pg_pb *p, int argc, char **argv);
int pg_pb_rounds(struct pg_pb *p);
void pg_pb_open(struct pg_pb *p); /* before the two */
void pg_pb_close(struct pg_pb *p);
/* Prints p->out and empties it; -1: standard output is broken. */
int pg_pb_write(struct pg_pb *p);

/* compat_perf_opt.c: what options said */
const struct pg_fopt_state *pg_pb_opt(const struct pg_pb *p, const char *name); /* by its long name */
bool pg_pb_on(const struct pg_pb *p, const char *name);	 /* a flag that was given and not taken back */
bool pg_pb_off(const struct pg_pb *p, const char *name); /* a flag that was taken back */
uint64_t pg_pb_count(const struct pg_pb *p, const char *name, uint64_t def);
const char *pg_pb_text(const struct pg_pb *p, const char *name, const char *def);
/* Sets a param of the bench from text in its option's form; the option's name stands in the message. */
int pg_pb_set(struct pg_pb *p, const char *param, const char *text, const char *option, struct pg_err *err);
/* Says so where the default of --threads is less than elsewhere: it counts the CPUs that this process may use. */
void pg_pb_note_cpus(const struct pg_pb *p);
int pg_pb_apply(struct pg_pb *p); /* all rows that name a param; 0 or a status */

/* compat_perf_out.c: what is common to several printers */
double pg_pb_number(const struct pg_pb *p, const char *metric);
/*
 * The next number that was recorded for a metric (of a single worker); false = none is left. *at is where to look on,
 * 0 at first.
 */
bool pg_pb_single(const struct pg_pb *p, const char *metric, uint32_t *at, int64_t *raw);
void pg_pb_total(struct pg_pb *p);			/* "     Total time: 0.046 [sec]\n" */
void pg_pb_op_lines(struct pg_pb *p);			/* usecs/op, ops/sec */
uint64_t pg_pb_cpus(void);				/* that this process may use */
uint64_t pg_pb_nodes(const struct pg_pb *p);		/* that are online */
uint64_t pg_pb_listed(const char *list);		/* members of a CPU list */
void pg_pb_seconds(struct pg_str *out, double seconds); /* S.mmm, cut */

/* compat_perf_parts.c: iterations of a step as parts */
uint64_t pg_pb_iterations(const struct pg_pb *p); /* of --iterations; 100 without */
/* Into parts, ten where there are so many; one where every rep is a result by itself. */
int pg_pb_split(struct pg_pb *p, uint64_t iterations, const char *option, struct pg_err *err);
/* Those of the part at hand; the first ones have what is left over by the division. */
int pg_pb_share(struct pg_pb *p, uint64_t iterations, struct pg_err *err);
void pg_pb_add_part(const struct pg_pb *p, struct pg_pb_sum *s, double v); /* a number of the part */
/* Hooks of benches with --iterations, and a line of theirs: "  Average WHAT: 1.500 usec (+- 0.100 usec)\n". */
int pg_pb_iterations_begin(struct pg_pb *p, struct pg_err *err);
int pg_pb_iterations_ready(struct pg_pb *p, struct pg_err *err);
void pg_pb_op_each(struct pg_pb *p); /* sum[0]: microseconds of an operation */
void pg_pb_average(struct pg_pb *p, const char *indent, const char *what, const char *unit, const struct pg_pb_sum *s);

/* compat_perf_report.c: machine formats, and the summary of repeated runs */
void pg_pb_report_part(struct pg_pb *p);
void pg_pb_report_step(struct pg_pb *p);
void pg_pb_report_end(struct pg_pb *p);
/* Around all calls of a command line: the frame of JSON, the heading of CSV. */
void pg_pb_machine_begin(struct pg_pb_machine *m, enum pg_pb_format format);
void pg_pb_machine_end(struct pg_pb_machine *m, enum pg_pb_format format);

#endif
