/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bench: rows and five hooks, as one static const descriptor at the end of its file. Hooks measure and never print,
 * exit or keep state outside pg_run. Any hook may answer PG_EUNSUPPORTED with the reason.
 */
#ifndef PG_MODEL_SUITE_H
#define PG_MODEL_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/metric.h"
#include "model/param.h"
#include "model/result.h"

struct pg_clock;
struct pg_run;

enum pg_cap {			    /* privileges a cell may need */
	      PG_CAP_NICE = 1 << 0, /* real-time classes, negative nice */
	      PG_CAP_ADMIN = 1 << 1,
	      PG_CAP_PERFMON = 1 << 2,
	      PG_CAP_BPF = 1 << 3,
};

/* What a cell needs at its peak, filled by probe from zero; preflight compares it with this process's limits. */
struct pg_need {
	uint64_t descriptors; /* in the process with the most of them, without 0-2 */
	uint64_t tasks;	      /* processes and threads beside the rep itself */
	uint64_t bytes;	      /* memory of all tasks together: stacks, buffers */
	uint64_t pipes;	      /* pipes alive at once (pipe-user-pages-soft) */
	unsigned caps;	      /* enum pg_cap bits */
};

struct pg_bench {
	const char *name; /* "sched/pipe" */
	const char *summary;
	const struct pg_param *params;
	const struct pg_metric *metrics;
	size_t conf_size;
	/* 0, or -1 with PG_EUNSUPPORTED and the reason. No side effect; called at plan time for distinct confs. With
	 * `tries` what it says does not depend on the operation count (PG_OPS). */
	int (*probe)(const void *conf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err);
	int (*check)(const void *conf, struct pg_err *err); /* rules across params; called at check time */
	int (*setup)(struct pg_run *run, struct pg_err *err);
	int (*once)(struct pg_run *run,
		    struct pg_err *err);      /* conf's operation count of operations; records its metrics */
	void (*teardown)(struct pg_run *run); /* called on every path after a setup that was begun: tolerates a
						 half-built state */
	bool tries;	  /* probe tries things out in the kernel: its answer for a conf is remembered */
	bool one_process; /* default `process: fork` (noop) */
	bool batchable;	  /* once may be called again and again after one setup, each time with another operation count
			     in run->conf; its rows have a PG_M_FLOOR row */
	bool computed;	  /* its times come from no clock (noop) */
};

struct pg_suite {
	const char *name, *summary;
	const struct pg_bench *const *benches; /* ends with NULL */
};

#define PG_RUN_SAMPLES 64 /* metric rows of a bench at most */

/* Every number of a rep as it was recorded, in order: for front ends that show single workers. */
struct pg_record_log {
	uint32_t n, cap; /* what does not fit is left out */
	struct pg_record_entry {
		uint32_t metric;
		int64_t raw;
	} v[];
};

/* One rep as its bench sees it. */
struct pg_run {
	const void *conf; /* the bench's own struct, bound */
	void *state;	  /* the bench's: made by setup, dropped by teardown */
	uint64_t seed;	  /* from run seed, cell and rep number */
	uint32_t rep;	  /* 1-based number within its phase (warm-up, measured); filled by the engine, 1 where there is
			     none */
	uint32_t attempt; /* 1-based: 1 = first try, 2 = first further try of the same rep; filled by the engine */
	const char *root; /* "" or a fake root for /sys and /proc */
	const struct pg_metric *metrics;
	/*
	 * What calibration looks at, and the length of a batch: 0 = the length of `once`; a bench whose `once` also
	 * does what is not timed (spawning, an empty loop) puts the length of its timed part here.
	 */
	int64_t timed_ns;
	struct pg_record_log *log; /* NULL = not kept */
	struct {
		int64_t raw; /* reduced so far */
		uint64_t n;  /* numbers recorded */
	} acc[PG_RUN_SAMPLES];
};

/*
 * Records one raw number of one worker or batch for row `metric` (index into the bench's rows; not a RATIO row). The
 * row's `reduce` says how several become one. Called by the rep's main task only, after the workers were joined.
 */
void pg_record(struct pg_run *run, unsigned metric, int64_t raw);

#endif
