/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The suite `numa`: memory and CPUs of several nodes. */
#include "pg_bench.h"

extern const struct pg_suite pg_suite_numa;
extern const struct pg_bench pg_numa_mem;

static const struct pg_bench *const benches[] = {&pg_numa_mem, NULL};

const struct pg_suite pg_suite_numa = {
	.name = "numa",
	.summary = "memory and CPUs of several nodes",
	.benches = benches,
};
