/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The suite `sched`: what the scheduler does with tasks that talk to each other. */
#include "pg_bench.h"

extern const struct pg_bench pg_sched_messaging, pg_sched_pipe, pg_sched_seccomp_notify;
extern const struct pg_suite pg_suite_sched;

static const struct pg_bench *const benches[] = {&pg_sched_messaging, &pg_sched_pipe, &pg_sched_seccomp_notify, NULL};

const struct pg_suite pg_suite_sched = {
	.name = "sched",
	.summary = "tasks that wake each other",
	.benches = benches,
};
