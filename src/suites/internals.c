/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The suite `internals`: what perf does inside. */
#include "pg_bench.h"

extern const struct pg_suite pg_suite_internals;

static const struct pg_bench *const benches[] = {NULL};

const struct pg_suite pg_suite_internals = {
	.name = "internals",
	.summary = "what perf does inside",
	.benches = benches,
};
