/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Family header of sched/pipe: pipe.c (rows, one rep), pipe_task.c (the two tasks), pipe_cgroup.c (task_cgroups). */
#ifndef PG_SUITES_PIPE_H
#define PG_SUITES_PIPE_H

#include "pg_bench.h"

struct pg_pipe_conf {
	uint64_t loops, tokens, size;
	const char *task_cgroups; /* "A,B"; NULL = none */
	int mode;		  /* 0 process, 1 thread */
	int wait;		  /* 0 block, 1 epoll */
	int placement;
};

/* Looking up a cgroup takes paths on the stack. */
#define PG_PIPE_STACK ((size_t)64 << 10)

enum { PG_PIPE_READ, PG_PIPE_WRITE };

struct pg_pipe {
	const struct pg_pipe_conf *conf;
	const char *root;
	struct pg_crew *crew;
	int pipes[2][2]; /* pipe t is read by task t and written by the other; [read end, write end], -1 = closed */
	char *buffers;	 /* private mapping: one of each task, on pages of their own */
	size_t stride;
	char *home; /* cgroup.procs (or like) that the main task came from, once it has left it; NULL */
};

/* pipe_task.c: bodies of crew workers, arg is the struct pg_pipe. Worker 0 echoes (tokens 1), worker 1 begins. */
int pg_pipe_task(struct pg_worker *w, void *arg);
/* Keeps only the ends that task t needs: processes, so that a peer's death is an end of file. */
void pg_pipe_keep_ends(struct pg_pipe *p, size_t t);
void pg_pipe_close(struct pg_pipe *p);

/* pipe_cgroup.c. "A,B": two names of cgroups below a mount. */
int pg_pipe_cgroups_check(const char *text, struct pg_err *err);
/*
 * Moves the calling task (threads: the thread) into its part of the text. *home (may be NULL: not wanted) becomes the
 * malloc'ed path whose writing brings a process back.
 */
int pg_pipe_cgroup_enter(const struct pg_pipe *p, size_t task, char **home, struct pg_err *err);
int pg_pipe_cgroup_leave(const char *home, struct pg_err *err);

#endif
