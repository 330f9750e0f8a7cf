/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting until given tasks are seen asleep, instead of hoping that a fixed time is enough. A task counts as asleep
 * when /proc says state S and, where a system call is named and the kernel tells (/proc/.../syscall, which is readable
 * for threads of the own process and mostly for children), that it is off its CPU inside this call with this first
 * argument. Where the kernel does not tell the call, the state alone decides.
 */
#ifndef PG_ENGINE_SETTLE_H
#define PG_ENGINE_SETTLE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct pg_err;

struct pg_sleeper {
	pid_t process; /* 0 = the caller's; else the task is thread `task` of that process */
	pid_t task;
	long call;	/* number of the system call that it is to sleep in, -1 = whatever it sleeps in */
	const void *at; /* first argument of that call, NULL = any */
};

struct pg_settle {
	const char *root; /* "" or a fake root for /proc */
	const struct pg_sleeper *tasks;
	size_t n;
	int64_t bound_ns; /* how long to wait at most */
	/* Asked between looks, may be NULL: 0 = go on, -1 = give up with *err (a worker has failed: pg_crew_check). */
	int (*check)(void *ctx, struct pg_err *err);
	void *ctx;
};

/*
 * 0 when all n tasks were seen asleep within one pass. -1: a task has ended, the bound has passed, `check` said so, or
 * /proc cannot be read. Looks at once, then ever more rarely, at most once a millisecond.
 */
int pg_settle(const struct pg_settle *s, struct pg_err *err);

/*
 * Sleeps `ns`, in slices: `check` (as above, may be NULL) is asked after each, so that a rest of a minute does not
 * outlive a worker that has failed. 0, or -1 as soon as it says so. A signal does not shorten the rest.
 */
int pg_settle_rest(int64_t ns, int (*check)(void *ctx, struct pg_err *err), void *ctx, struct pg_err *err);

#endif
