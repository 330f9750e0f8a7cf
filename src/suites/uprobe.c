/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The suite `uprobe`: probes in user space. */
#include "pg_bench.h"

extern const struct pg_suite pg_suite_uprobe;

static const struct pg_bench *const benches[] = {NULL};

const struct pg_suite pg_suite_uprobe = {
	.name = "uprobe",
	.summary = "probes in user space",
	.benches = benches,
};
