/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "registry/registry.h"

#include <string.h>

/* One line a suite: declaration and table come from the same list. */
#define PG_SUITES(X)                                                                                                   \
	X(sched)                                                                                                       \
	X(syscall)                                                                                                     \
	X(mem)                                                                                                         \
	X(numa)                                                                                                        \
	X(futex)                                                                                                       \
	X(epoll)                                                                                                       \
	X(internals)                                                                                                   \
	X(breakpoint)                                                                                                  \
	X(uprobe)                                                                                                      \
	X(exec)                                                                                                        \
	X(noop)

#define DECLARE(s) extern const struct pg_suite pg_suite_##s;
PG_SUITES(DECLARE)

#define POINT(s) &pg_suite_##s,
const struct pg_suite *const pg_suites[] = {PG_SUITES(POINT) NULL};

const struct pg_bench *pg_bench_find(const char *name)
{
	for (size_t i = 0; pg_suites[i]; i++)
		for (size_t k = 0; pg_suites[i]->benches[k]; k++)
			if (strcmp(pg_suites[i]->benches[k]->name, name) == 0)
				return pg_suites[i]->benches[k];
	return NULL;
}
