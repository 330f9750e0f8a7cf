/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One rep in this process: setup, once, teardown, and the result into a page shared with the watcher (child.h). The
 * drop-ins call it in their own process.
 */
#ifndef PG_ENGINE_REP_H
#define PG_ENGINE_REP_H

#include <stdatomic.h>
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
	uint32_t rep, attempt; /* written before the rep starts: 1-based numbers for struct pg_run; 0 counts as 1 */
	int64_t once_ns;       /* length of the timed hook, or what the bench says of it */
	int64_t peak_bytes;    /* most resident memory of a rep that runs in a program of its own; 0 = ask wait4() */
	struct pg_err err;     /* loc.file is NULL */
	struct pg_record_log *log; /* written before the rep starts, as rep and attempt are; NULL = none is kept */
	uint32_t n;
	struct pg_sample s[PG_RUN_SAMPLES];
};

enum pg_phase { PG_PHASE_START, PG_PHASE_CHECK, PG_PHASE_SETUP, PG_PHASE_MEASURE, PG_PHASE_TEARDOWN, PG_PHASE_END };
const char *pg_phase_name(unsigned phase);

/*
 * Runs one rep of bench with a bound conf and fills *page (zeroed, but for rep, attempt and log). Returns 0, or -1 when
 * a hook failed (page->err). Teardown has run on return.
 */
int pg_rep_run(const struct pg_bench *bench, const void *conf, uint64_t seed, const char *root,
	       struct pg_rep_page *page);

/*
 * The body of a rep process under process: exec. The runner executes itself as
 *   perfgrid PG_REP_ARG PAGE_FD SEED ROOT BENCH NAME=VALUE...
 * pg_rep_main() maps the page from PAGE_FD, binds the conf, calls pg_rep_run() and returns the exit status (0: result
 * in the page). `find` looks a bench up by name (the registry lies above this layer).
 */
#define PG_REP_ARG "--rep"
int pg_rep_main(int argc, char **argv, const struct pg_bench *(*find)(const char *name));

#endif
