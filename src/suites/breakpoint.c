/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The suite `breakpoint`: hardware breakpoints and their inheritance. */
#include "pg_bench.h"

extern const struct pg_suite pg_suite_breakpoint;

static const struct pg_bench *const benches[] = {NULL};

const struct pg_suite pg_suite_breakpoint = {
	.name = "breakpoint",
	.summary = "hardware breakpoints and their inheritance",
	.benches = benches,
};
