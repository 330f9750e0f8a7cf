/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts a rep in a fresh process, watches it, kills its tree, collects the outcome. Order around a rep: before
 * (untimed), background started, facts, the rep, facts, background's tree killed, after (whatever happened).
 */
#ifndef PG_ENGINE_CHILD_H
#define PG_ENGINE_CHILD_H

#include <signal.h>
#include <stdbool.h>

#include "engine/executor.h"

struct pg_clock;
struct pg_topo;
struct pg_child;

struct pg_child_opts {
	const char *self;	      /* path of this program, "/proc/self/exe" by default */
	const char *root;	      /* "" or a fake root for /sys and /proc */
	const struct pg_clock *clock; /* for deadlines */
	const struct pg_topo *topo;
	const volatile sig_atomic_t
		*stop;	/* signal number once the runner was told to stop: the rep in progress is ended */
	char **environ; /* environment of programs and reps, before `env` */
};

/* One per runner: shared page, null device, pipes' buffers. Makes this process a child subreaper. */
int pg_child_open(struct pg_child **out, const struct pg_child_opts *opts, struct pg_err *err);
void pg_child_close(struct pg_child *c); /* NULL is fine; removes cgroups that it made */
/* The executor that runs jobs through c. */
struct pg_executor pg_child_executor(struct pg_child *c);

/* Kills every descendant of this process (its children and what the subreaper inherits) and reaps them; returns how
 * many were left. */
unsigned pg_kill_descendants(void);

#endif
