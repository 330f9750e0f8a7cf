/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The suite `epoll`: waiting for, and managing, many descriptors. */
#include "pg_bench.h"

extern const struct pg_bench pg_epoll_ctl_bench, pg_epoll_wait_bench;
extern const struct pg_suite pg_suite_epoll;

static const struct pg_bench *const benches[] = {&pg_epoll_wait_bench, &pg_epoll_ctl_bench, NULL};

const struct pg_suite pg_suite_epoll = {
	.name = "epoll",
	.summary = "waiting for, and managing, many descriptors",
	.benches = benches,
};
