/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The suite `epoll`: waiting for, and managing, many descriptors. */
#include "pg_bench.h"

extern const struct pg_suite pg_suite_epoll;

static const struct pg_bench *const benches[] = {NULL};

const struct pg_suite pg_suite_epoll = {
	.name = "epoll",
	.summary = "waiting for, and managing, many descriptors",
	.benches = benches,
};
