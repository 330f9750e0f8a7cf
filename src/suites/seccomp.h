/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Family header of sched/seccomp-notify: seccomp.c (rows, one rep), seccomp_task.c (caller and supervisor). */
#ifndef PG_SUITES_SECCOMP_H
#define PG_SUITES_SECCOMP_H

#include "pg_bench.h"

struct pg_seccomp_conf {
	uint64_t loops;
	bool sync_wakeup;
	int placement;
};

struct pg_seccomp {
	const struct pg_seccomp_conf *conf;
	struct pg_crew *crew;
	int link[2];	/* Unix socket pair that hands the listener over: [caller, supervisor]; -1 = closed */
	int listener;	/* the supervisor's; -1 = none */
	void *request;	/* struct seccomp_notif and _resp, in the kernel's sizes */
	void *response; /* zeroed by setup */
	size_t request_bytes;
};

/* Bodies of crew workers, arg is the struct pg_seccomp: 0 = the caller, a process; 1 = the supervisor, the main task.
 */
int pg_seccomp_caller(struct pg_worker *w, void *arg);
int pg_seccomp_supervisor(struct pg_worker *w, void *arg);

/* Sizes that the kernel gives its structures, at least those of the headers. */
int pg_seccomp_sizes(size_t *request, size_t *response, struct pg_err *err);
/* In a process of its own, which ends: is a listener to be had, with sync its flag? PG_EUNSUPPORTED with the reason. */
int pg_seccomp_try(bool sync, struct pg_err *err);

#endif
