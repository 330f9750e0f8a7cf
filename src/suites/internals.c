/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The suite `internals`: what perf does inside. */
#include "pg_bench.h"

extern const struct pg_suite pg_suite_internals;
extern const struct pg_bench pg_internals_synthesize, pg_internals_kallsyms_parse, pg_internals_inject_build_id;
extern const struct pg_bench pg_internals_evlist, pg_internals_pmu_scan;

static const struct pg_bench *const benches[] = {
	&pg_internals_synthesize, &pg_internals_kallsyms_parse, &pg_internals_inject_build_id,
	&pg_internals_evlist,	  &pg_internals_pmu_scan,	NULL,
};

const struct pg_suite pg_suite_internals = {
	.name = "internals",
	.summary = "what perf does inside",
	.benches = benches,
};
