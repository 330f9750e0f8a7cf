/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One bench behind a foreign command line: its ancestor's defaults, values by param name and text, the check whether it
 * can run here, one rep in this process or in a child, its numbers. No scenario, no planner: nothing is read that the
 * call at hand does not need.
 *
 *   pg_dropin_open   pg_dropin_set ...   pg_dropin_ready   pg_dropin_run ...   pg_dropin_number ...   pg_dropin_close
 */
#ifndef PG_RUNNER_DROPIN_H
#define PG_RUNNER_DROPIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "engine/rep.h"
#include "model/suite.h"
#include "model/value.h"

struct pg_world;

/* What stood in the way of a pg_dropin_ready() that failed with PG_EUNSUPPORTED. */
enum pg_dropin_bar {
	PG_BAR_NONE,
	PG_BAR_BENCH,  /* its probe: kernel, CPU, pages, a privilege */
	PG_BAR_MEMORY, /* it needs more than there is */
	PG_BAR_LIMIT,  /* another limit of this process */
};

struct pg_dropin {
	const struct pg_world *world;
	const struct pg_bench *bench;
	size_t n; /* rows of bench->params */
	struct pg_arena arena;
	struct pg_value *vals;	 /* one per row; complete after pg_dropin_ready() */
	bool *given;		 /* set by name, not a default */
	bool *clamped;		 /* pg_dropin_clamp() */
	void *conf;		 /* bound by pg_dropin_ready() */
	bool lean;		 /* a run of few tasks reads no file: see pg_dropin_ready() */
	enum pg_dropin_bar bar;	 /* of pg_dropin_ready() */
	char note[PG_ERR_MSG];	 /* of pg_dropin_ready(): what will run otherwise than one may think; "" = nothing */
	struct pg_rep_page page; /* of the last run */
	uint32_t runs;
	uint64_t seed;		   /* of the reps; 0 = drawn */
	struct pg_record_log *log; /* the single numbers of the last run; shared memory; NULL = not kept */
};

/* A bench of this world by name, NULL = none. */
const struct pg_bench *pg_dropin_bench(const struct pg_world *w, const char *name);
/* Its values at the ancestor's defaults. -1: no such bench (PG_EUNSUPPORTED), no memory. Closed in either case. */
int pg_dropin_open(struct pg_dropin *d, const struct pg_world *w, const char *bench, struct pg_err *err);
void pg_dropin_close(struct pg_dropin *d);

bool pg_dropin_has(const struct pg_dropin *d, const char *param);
/*
 * By name and text as in a scenario ("4KB", "100ms", "process"; a number of the machine as a number); a later call
 * wins. text NULL: unset. `option` is the option as its user knows it ("--groups|-g"), for the error: "OPTION: value 0
 * is out of range; allowed: 1 to 100000". A param that the bench does not have is our own mistake (assert).
 */
int pg_dropin_set(struct pg_dropin *d, const char *param, const char *text, const char *option, struct pg_err *err);
int pg_dropin_set_u64(struct pg_dropin *d, const char *param, uint64_t v, const char *option, struct pg_err *err);
/* Cuts the words of a row (`auto`) off a range in a message, where an option takes numbers only; the last has it done.
 */
void pg_dropin_numbers_only(struct pg_err *err);
/* Back to the default. */
void pg_dropin_reset(struct pg_dropin *d, const char *param);

/* A value above the most that another row or the machine gives (the threads that there are) becomes that most, once
 * pg_dropin_ready() knows it, and is no mistake. */
void pg_dropin_clamp(struct pg_dropin *d, const char *param);

/*
 * Defaults and limits that are expressions, the bench's check, its probe, limits of this process. -1: cannot run, err
 * says why. May be called again after further values. Limits are read in full only where they may be near; what a
 * control group leaves to a lean run of few tasks is not asked: pg_dropin_name_limit() does that when it was too
 * little.
 */
int pg_dropin_ready(struct pg_dropin *d, struct pg_err *err);
/* An error of a run that could not start a worker becomes one that names need and limit, where such a limit is found.
 */
void pg_dropin_name_limit(struct pg_dropin *d, struct pg_err *err);
/* Resolved values: a number (bytes, ns, index of a word), 0 when unset; a text or the word itself, NULL when unset. */
int64_t pg_dropin_value(const struct pg_dropin *d, const char *param);
const char *pg_dropin_text(const struct pg_dropin *d, const char *param);

/* One rep in this process, or in a child that dies with it. Either may be called again. -1 with the reason. */
int pg_dropin_run(struct pg_dropin *d, struct pg_err *err);
int pg_dropin_run_child(struct pg_dropin *d, struct pg_err *err);

/* Numbers of the last run: in the base unit (s, B, B/s, 1/s), NaN where not measured; raw (ns, B, count), false where
 * not measured or a ratio. By row index, and by name. */
double pg_dropin_number_at(const struct pg_dropin *d, size_t metric);
double pg_dropin_number(const struct pg_dropin *d, const char *metric);
bool pg_dropin_raw(const struct pg_dropin *d, const char *metric, int64_t *raw);

/* Name of this process, for ps and pkill; workers inherit it. Cut to 15 bytes by the kernel. */
void pg_dropin_process_name(const char *name);
/*
 * From here on INT and TERM, also where they were ignored, end all children, wait for them, say so on descriptor 2
 * with the process's name, and let this process die of the signal.
 */
void pg_dropin_catch_signals(void);

#endif
