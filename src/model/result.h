/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What comes out of a rep: a status with a reason, samples (raw integers), facts around it.
 */
#ifndef PG_MODEL_RESULT_H
#define PG_MODEL_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pg_status {
	PG_ST_OK,
	PG_ST_FAILED,
	PG_ST_TIMEOUT,
	PG_ST_INVALID,	/* a sample that cannot be (time or rate <= 0): rep only */
	PG_ST_SKIPPED,	/* cell only, from here on */
	PG_ST_UNSTABLE, /* a `ci` asked for and not reached */
	PG_ST_NOT_RUN,
	PG_ST_ABSENT, /* no such cell */
};
const char *pg_status_name(enum pg_status s); /* "ok", "failed", ..., "not-run" */
int pg_status_find(const char *name);	      /* -1 = none */

/* What a probe may look at: passed in, so that tests use fake machines. */
struct pg_topo;
struct pg_probe_env {
	const char *root;	    /* "" or a fake root */
	const struct pg_topo *topo; /* of this process */
	bool privileged;	    /* effective CAP_SYS_ADMIN */
};

/* value = raw * 10^exp10 in the metric's unit. 16 bytes. */
struct pg_sample {
	int64_t raw;
	uint32_t metric; /* row of the sweep's metrics */
	int8_t exp10;
	bool missing; /* exec: `required: false` without a match */
};

/* Facts around each rep, in the order of the journal. */
enum pg_fact {
	PG_F_LOOPS,	 /* frozen operation count; absent where the bench has none */
	PG_F_T_MONO,	 /* ns, start of the rep */
	PG_F_T_WALL,	 /* ns since the epoch */
	PG_F_STEAL,	 /* ticks (1/100 s), of the CPUs that the rep may use */
	PG_F_OTHER_BUSY, /* the same, busy with others: all busy - own time; absent beside `background` */
	PG_F_PSI_CPU,	 /* us of `some` pressure */
	PG_F_PSI_MEM,
	PG_F_PSI_IO,
	PG_F_THROTTLED, /* cgroup: us throttled */
	PG_F_EXIT,	/* exit status of a program (exec), 128 + n when signalled */
	/* Absent where a rep is no bench's, or its time no clock's (noop). */
	PG_F_BATCHES,	 /* timed calls of the bench's `once`: 1, or how many the rep was divided into */
	PG_F_BATCH_TIME, /* ns, the shortest of them */
	/* Slow ones, as steal to throttled are. */
	PG_F_THERMAL,	      /* times that a core or socket was slowed down for its heat */
	PG_F_FREQUENCY_START, /* kHz of the rep's CPU, before the timed part and after it; absent for programs */
	PG_F_FREQUENCY_END,
	PG_F_INTERRUPTS, /* hardware interrupts on the CPUs that the rep may use */
	PG_F_SOFTIRQS,	 /* the same of softirqs */
	PG_F_SWAPPED,	 /* pages swapped in and out, of the whole machine */
};
#define PG_FACTS       18
#define PG_FACT_ABSENT INT64_MIN
const char *pg_fact_name(enum pg_fact f); /* journal and samples.csv column: "loops", "t_mono", ... */

#define PG_OUT_SAMPLES 128
#define PG_WHY	       512

struct pg_outcome {
	enum pg_status status;
	char why[PG_WHY]; /* reason of a status that is not ok; UTF-8, no control characters; "" when ok */
	struct pg_sample
		s[PG_OUT_SAMPLES]; /* every non-RATIO row of the sweep that was measured, ascending by metric */
	size_t n;
	int64_t facts[PG_FACTS];
	int64_t once_ns; /* length of the bench's timed hook: what calibration looks at; wall time for programs */
};

/*
 * The value of any row, RATIO too, from raw samples, in the base unit. false = missing. For RATIO: numerator 0 gives 0,
 * denominator
 * <= 0 gives missing.
 */
struct pg_metric;
struct pg_err;
bool pg_metric_value(const struct pg_metric *rows, size_t row, const struct pg_sample *s, size_t n, double *out);

/*
 * Could the samples of one rep be (docs/statistics.md 14)? s is ascending by metric. A time or rate is above 0, with
 * PG_M_ZERO_OK not below it; a ratio has a divisor above 0. Missing samples are passed over. -1 with what is wrong.
 */
int pg_samples_check(const struct pg_metric *rows, size_t n_rows, const struct pg_sample *s, size_t n,
		     struct pg_err *err);

#endif
