/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One session: a plan measured into its run directory, from an empty one or going on, to tables and exit status. */
#ifndef PG_RUNNER_SESSION_H
#define PG_RUNNER_SESSION_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

struct pg_plan;
struct pg_run_info;
struct pg_run_opts;
struct pg_topo;
struct pg_world;

struct pg_session_in {
	struct pg_world *world;
	const struct pg_run_opts *opts;
	const struct pg_topo *topo;
	const volatile sig_atomic_t *stop; /* number of the signal that asked to stop */
	struct pg_plan *plan;		   /* marked */
	const struct pg_run_info *info;
	const char *resume; /* the directory to go on in, NULL = a new one */
	/* Of a new one: operation counts that cells take over from another run, one per cell of the plan, 0 = none. */
	const uint64_t *loops;
	/* The command that it is part of, and which says itself what came out: only start, progress and failures are
	 * shown. NULL = `run`. */
	const char *inner;
};

/* Returns the exit status; what is to be said was said. */
int pg_session_run(const struct pg_session_in *in);

#endif
