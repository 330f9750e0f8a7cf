/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Starts one process with the run keys of a cell. A program is started by clone(CLONE_VM | CLONE_VFORK): its cost does
 * not depend on the runner's size, and what fails before exec is written where the caller sees it, without a pipe.
 */
#ifndef PG_ENGINE_SPAWN_H
#define PG_ENGINE_SPAWN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "model/cell.h"

struct pg_cpuset;

/* Number under which a kept descriptor appears in the program: constant, so that command lines are. */
#define PG_SPAWN_KEPT 3

enum pg_spawn_step {
	PG_STEP_NONE,
	PG_STEP_GROUP,
	PG_STEP_PARENT, /* the runner is gone */
	PG_STEP_CGROUP,
	PG_STEP_PIN,
	PG_STEP_POLICY,
	PG_STEP_NICE,
	PG_STEP_DIRECTORY,
	PG_STEP_STREAMS,
	PG_STEP_EXEC,
};

struct pg_spawn {
	/* Program only. */
	char *path;  /* resolved */
	char **argv; /* argv[-1] is spare, for a script without #! */
	char **envp;
	const char *directory; /* NULL = the runner's */
	int kept;	       /* becomes PG_SPAWN_KEPT, -1 = none */

	int in, out, err;	     /* become 0, 1, 2 */
	bool session;		     /* own session, else only an own process group */
	int cgroup;		     /* cgroup.procs open for writing, -1 = none */
	const struct pg_cpuset *pin; /* NULL = as the runner */
	enum pg_policy policy;
	int priority;
	bool has_nice;
	int nice;
	pid_t parent;	 /* the runner */
	sigset_t mask;	 /* of the new process */
	bool ignore_hup; /* as under nohup */

	enum pg_spawn_step step; /* where it failed; written by the new process */
	int sys;		 /* errno there */
};

struct pg_proc {
	pid_t pid; /* 0 = none */
	int fd;	   /* pidfd */
};

void pg_spawn_init(struct pg_spawn *s, pid_t parent, const sigset_t *mask);

/*
 * What the new process does before it becomes the program or the rep. 0, or -1 with step and sys. Only system calls: it
 * may run in the runner's own memory.
 */
int pg_spawn_enter(struct pg_spawn *s);

/*
 * Every signal must be blocked by the caller. `stack` of n bytes is for the new process until it has become the
 * program. -1 with errno: no process could be made. 0 with step != PG_STEP_NONE: the process is there, failed, and must
 * be reaped.
 */
int pg_spawn_program(struct pg_spawn *s, char *stack, size_t n, struct pg_proc *out);

/*
 * Forks; the new process enters, closes all descriptors above 2, calls body and ends with its result. `failed` is NULL,
 * or s with the step that failed: body then only says so. -1 with errno: no process.
 */
int pg_spawn_fork(struct pg_spawn *s, int (*body)(void *arg, const struct pg_spawn *failed), void *arg,
		  struct pg_proc *out);

/* "cannot set nice -5: Permission denied" */
struct pg_err;
void pg_spawn_reason(const struct pg_spawn *s, const char *word, struct pg_err *err);

#endif
