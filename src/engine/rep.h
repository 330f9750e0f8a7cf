/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One rep in this process: setup, once, teardown, and the result into a page shared with the watcher (child.h). The
 * drop-ins call it in their own process.
 */
#ifndef PG_ENGINE_REP_H
#define PG_ENGINE_REP_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/result.h"
#include "model/suite.h"

struct pg_arena;

/* A MAP_SHARED page set; only the rep writes it while it runs. */
struct pg_rep_page {
	_Atomic uint32_t done; /* 1: everything below is complete. 0 at the end = exit without a result */
	uint32_t phase;	       /* enum pg_phase reached, for messages about a rep that died */
	int32_t failed;	       /* 0, or -1: err holds */
	/* Written before the rep starts. */
	uint32_t rep, attempt; /* 1-based numbers for struct pg_run; 0 counts as 1 */
	uint32_t batches;   /* of a batchable bench: so many calls of `once`, after untimed ones; 0 = one, no other */
	bool calibrate;	    /* how long are they? The best of the batches speaks for all; no warm-up, no floor */
	bool frequency;	    /* khz is wanted */
	bool plain_clock;   /* the runner's pg_clock_plain, for a rep in a program of its own */
	uint32_t n_batches; /* made; 0 = the times are no clock's */
	int64_t batch_ns;   /* the shortest */
	int64_t khz[2];	    /* of the CPU, before and after the timed part; 0 = not known */
	int64_t once_ns;    /* length of the timed hook, or what the bench says of it; of all batches */
	int64_t peak_bytes; /* most resident memory of a rep that runs in a program of its own; 0 = ask wait4() */
	struct pg_err err;  /* loc.file is NULL */
	struct pg_record_log *log; /* written before the rep starts, as rep and attempt are; NULL = none is kept */
	uint32_t n;
	struct pg_sample s[PG_RUN_SAMPLES];
};

enum pg_phase { PG_PHASE_START, PG_PHASE_CHECK, PG_PHASE_SETUP, PG_PHASE_MEASURE, PG_PHASE_TEARDOWN, PG_PHASE_END };
const char *pg_phase_name(unsigned phase);

/*
 * Runs one rep of bench with a bound conf and fills *page (zeroed, but for what is written before). Returns 0, or -1
 * when a hook failed (page->err). Teardown has run on return.
 */
int pg_rep_run(const struct pg_bench *bench, const void *conf, uint64_t seed, const char *root,
	       struct pg_rep_page *page);

/*
 * Batches of a rep of `ops` operations that lasts about sample_time: of some 1.5 ms each, 8 to PG_BATCHES_MAX, at most
 * one an operation (docs/statistics.md 2.2).
 */
#define PG_BATCHES_MAX 256
uint32_t pg_rep_batches(int64_t sample_time_ns, uint64_t ops);
/* Exponent of the raw number in a PG_M_FLOOR row: a byte takes far less than 1 ns. */
#define PG_FLOOR_EXP (-18)

/*
 * The body of a rep process under process: exec. The runner executes itself as
 *   perfgrid PG_REP_ARG PAGE_FD SEED ROOT BENCH NAME=VALUE...
 * pg_rep_main() maps the page from PAGE_FD, binds the conf, calls pg_rep_run() and returns the exit status (0: result
 * in the page). `find` looks a bench up by name (the registry lies above this layer).
 */
#define PG_REP_ARG "--rep"
int pg_rep_main(int argc, char **argv, const struct pg_bench *(*find)(const char *name));

#endif
