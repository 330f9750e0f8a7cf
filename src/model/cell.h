/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the engine is asked to run: a cell, the run keys around it, the rules of its sweep. Made by plan, owned by the
 * plan's arena; the engine only reads.
 */
#ifndef PG_MODEL_CELL_H
#define PG_MODEL_CELL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/num.h"
#include "model/compare.h"
#include "model/metric.h"
#include "model/param.h"
#include "model/value.h"

struct pg_bench;

/* A list of words, each a template with {placeholders} (model/template.h). n 0 = not given. */
struct pg_words {
	const char *const *w;
	size_t n;
};

struct pg_env_item {
	const char *name;
	const char *text; /* template; NULL = unset the variable */
};

enum pg_policy { PG_POLICY_NONE, PG_POLICY_OTHER, PG_POLICY_BATCH, PG_POLICY_IDLE, PG_POLICY_FIFO };

struct pg_runkeys {
	const char *pin; /* canonical CPU list; NULL = not given */
	bool has_nice;
	int nice;
	enum pg_policy policy;
	int priority;	    /* FIFO: 1..98 */
	const char *cgroup; /* name; NULL = not given */
	const struct pg_env_item *env;
	size_t n_env;
	struct pg_words prefix, before, after, background;
};

/* A metric declared for `exec`, taken from what the program prints, line by line. */
enum pg_which { PG_FIRST, PG_LAST, PG_W_SUM, PG_W_MEAN };
struct pg_capture {
	const char *name;
	const char *pattern;	 /* POSIX ERE; group 1 is the number */
	size_t metric;		 /* row in the sweep's metrics */
	double factor;		 /* printed value times this = base unit (unit prefix and scale) */
	struct pg_dec dec_scale; /* the same, exact, where it is a decimal: factor == dec_scale */
	enum pg_which which;
	bool from_stderr, required;
};

/* Keys of bench exec. */
struct pg_program {
	struct pg_words command; /* with `shell`: one text */
	bool shell;
	const char *stdin_path;	       /* template; NULL = null device */
	const char *working_directory; /* template; NULL = the runner's */
	bool any_exit;
	const int *exits; /* accepted statuses */
	size_t n_exits;
	const struct pg_capture *captures;
	size_t n_captures;
};

enum pg_order { PG_INTERLEAVED, PG_IN_FILE, PG_GROUPED };
enum pg_process { PG_PROC_EXEC, PG_PROC_FORK };

struct pg_repeat {
	bool fixed; /* exactly n reps */
	uint32_t n; /* fixed */
	uint32_t min, max;
	double ci;	 /* fraction: 2% = 0.02 */
	int64_t time_ns; /* per cell */
	double conf;	 /* fraction: 95% = 0.95 */
	bool exact;	 /* interval: exact */
};

struct pg_rules {
	struct pg_repeat repeat;
	uint32_t warmup;
	int64_t pause_ns;
	int64_t timeout_ns; /* per rep; -1 = none */
	uint32_t retry;
	uint32_t redo; /* further reps of a cell for those whose guards fired */
	struct pg_compare_rules compare;
	enum pg_order order;
	enum pg_process process;
	int64_t sample_time_ns;
};

enum pg_skip { PG_NOT_SKIPPED, PG_SKIP_RULE, PG_SKIP_PREFLIGHT, PG_SKIP_NOT_SELECTED /* --only: not-run */ };

struct pg_cell {
	uint64_t id;  /* printed as c + 16 hex digits */
	size_t index; /* in the plan: sweeps in file order, cells in order of work */
	size_t sweep; /* index of its sweep */
	const struct pg_bench *bench;
	const struct pg_param *params; /* the sweep's rows: the bench's, or those of exec */
	size_t n_params;
	const struct pg_metric *metrics; /* the bench's, then pg_engine_metrics, then declared ones */
	size_t n_bench_metrics, n_metrics;
	const struct pg_value *vals; /* one per param */
	const char *const *texts; /* one per param: text for {placeholders}, as in the file; NULL = pg_value_format() */
	const uint32_t *pos;	  /* value index on each axis of the sweep */
	/*
	 * Variants are the last axis of a sweep, a bundle named `variant`: the arms of a cell follow one another, the
	 * baseline first, and all have the cell's id. 0 of 1: the sweep has none.
	 */
	uint32_t variant, n_variants;
	const char *variant_label; /* NULL = none */
	const struct pg_runkeys *keys;
	const struct pg_program *program; /* bench exec only, else NULL */
	const struct pg_rules *rules;
	enum pg_skip skip;
	const char *why; /* reason of a skip */
	struct pg_loc loc;
};

#define PG_CELL_ID_BUF 18
void pg_cell_id_format(char *buf, uint64_t id); /* "c0123456789abcdef" */
int pg_cell_id_parse(const char *s, uint64_t *id);
/* "groups=4 transport=pipe": the params that are not at their default, in row order; for messages and progress. */
void pg_cell_describe(const struct pg_cell *c, struct pg_str *out);
/* Its reps are forked: the runner's program and environment serve them as they are. Prefix words and `env` need an
 * exec, whatever `process` says. */
bool pg_cell_forks(const struct pg_cell *c);
bool pg_cell_auto(const struct pg_cell *c); /* its PG_OPS param stands at the word `auto` */
/* Seed of a rep: mixes run seed, cell id and rep number (phase included). */
uint64_t pg_rep_seed(uint64_t run_seed, uint64_t cell_id, bool warmup, uint32_t rep);

#endif
