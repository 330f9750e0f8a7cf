/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * exec: any command. The program is the rep: the engine starts it, and measures from there to its reaping. So there are
 * no hooks here; params are the names that the scenario gives, metrics those of the engine and those declared there.
 */
#include "pg_bench.h"

extern const struct pg_suite pg_suite_exec;

static const struct pg_param params[] = {{.name = NULL}};
static const struct pg_metric metrics[] = {{.name = NULL}};

static const struct pg_bench exec_bench = {
	.name = "exec",
	.summary = "any other command, its wall time and the numbers it prints",
	.params = params,
	.metrics = metrics,
};

static const struct pg_bench *const benches[] = {&exec_bench, NULL};

const struct pg_suite pg_suite_exec = {
	.name = "exec",
	.summary = "any other command",
	.benches = benches,
};
