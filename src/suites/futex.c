/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The suite `futex`: tasks that block and wake through futexes. */
#include "pg_bench.h"

extern const struct pg_suite pg_suite_futex;

static const struct pg_bench *const benches[] = {NULL};

const struct pg_suite pg_suite_futex = {
	.name = "futex",
	.summary = "tasks that block and wake through futexes",
	.benches = benches,
};
