/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The seam between deciding what to run (rounds.h) and running it (child.h). Tests put a recording executor here.
 */
#ifndef PG_ENGINE_EXECUTOR_H
#define PG_ENGINE_EXECUTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "model/cell.h"
#include "model/result.h"

struct pg_err;

/* One rep to run. */
struct pg_job {
	const struct pg_cell *cell;
	uint64_t ops; /* operation count, where the bench has one: frozen, calibrated or as written */
	uint64_t seed;
	uint32_t rep;	  /* 1-based number within its phase, for {rep} */
	uint32_t attempt; /* 1 = first try; 0 counts as 1 */
	bool warmup;
	bool calibrate;	 /* a calibration step: no slow facts; still a fresh process with run keys */
	bool slow_facts; /* read the facts that cost over 5 us (once a round) */
};

struct pg_executor {
	/*
	 * Runs one rep and fills *out (all of it). Failures of the rep are statuses in *out; PG_ST_NOT_RUN = ended
	 * before its time because the runner was told to stop, to be dropped. -1 with *err only for what makes going on
	 * pointless (the runner itself is out of memory or descriptors).
	 */
	int (*run)(void *ctx, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err);
	void *ctx;
};

#endif
