/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Everything outside that the program touches: streams, clock, machine, environment, lock. main.c builds the real one,
 * tests build others. Below runner/ nothing of this is reached except through what a call passes in.
 */
#ifndef PG_RUNNER_WORLD_H
#define PG_RUNNER_WORLD_H

#include <stdbool.h>
#include <stdio.h>

struct pg_clock;
struct pg_executor;
struct pg_suite;

struct pg_world {
	const char *root;      /* "" or a fake root for /sys and /proc */
	const char *self;      /* path of this program, for reps that execute it */
	const char *lock_path; /* of the lock that keeps other runs off this machine */
	const struct pg_clock *clock;
	const struct pg_suite *const *suites; /* ended by NULL */
	const struct pg_executor *executor;   /* NULL = reps are processes that this one starts */
	char **environ;
	FILE *out, *err;
	int out_errno; /* why standard output could not be written; EBADF: closed from the start */
	bool guard;    /* a guardian process waits above a run */
	unsigned (*columns)(const struct pg_world *w, FILE *f); /* width of the terminal behind f, 0 = none */
};

/* Exit statuses. 128 + n: stopped by signal n. */
enum pg_exit {
	PG_EXIT_OK = 0,
	PG_EXIT_FAILED = 1, /* some cell failed or timed out */
	PG_EXIT_USAGE = 2,  /* nothing ran */
	PG_EXIT_WRITE = 3,  /* results could not be written after work began, or a damaged journal */
	PG_EXIT_REGRESSED = 4,
	PG_EXIT_INCONCLUSIVE = 5, /* nothing that could be told, or nothing to compare */
	PG_EXIT_SIGNAL = 128,
};

/* The value of an environment variable of this world, NULL = unset. */
const char *pg_world_env(const struct pg_world *w, const char *name);

#define PG_VERSION   "0.1.0"
#define PG_BUILD_BUF 41
/* The linker's build id of this program in hex, "unknown" without one. */
void pg_build_id(char *buf);

#endif
