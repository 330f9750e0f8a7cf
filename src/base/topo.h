/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU topology as this process may use it: read from /sys behind a root path, restricted to an allowed set. Numbers are
 * numbers, never counts; a CPU without a file keeps its own core; a node without an allowed CPU is not counted.
 */
#ifndef PG_BASE_TOPO_H
#define PG_BASE_TOPO_H

#include <stddef.h>

#include "base/cpulist.h"

struct pg_err;

enum pg_domain {
	PG_DOMAIN_CPU,
	PG_DOMAIN_CORE,
	PG_DOMAIN_CACHE, /* last-level cache: the highest index/level with type Unified or Data */
	PG_DOMAIN_SOCKET,
	PG_DOMAIN_NODE,
};
#define PG_DOMAINS 5

struct pg_topo {
	struct pg_cpuset allowed;
	struct pg_cpuset online; /* equal to allowed where /sys does not say */
	struct {
		struct pg_cpuset *sets; /* allowed CPUs of each domain, in order of their first CPU */
		unsigned *ids;		/* kernel's number of the domain (node number for nodes), same order */
		size_t n;
	} domain[PG_DOMAINS];
};

/* root "" = the real machine. allowed NULL = this process's affinity. */
int pg_topo_load(const char *root, const struct pg_cpuset *allowed, struct pg_topo *out, struct pg_err *err);
void pg_topo_release(struct pg_topo *t);

#endif
