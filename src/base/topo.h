/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU topology as this process may use it: read from /sys behind a root path, restricted to an allowed set. Numbers are
 * numbers, never counts; a CPU without a file keeps its own core; a node without an allowed CPU is not counted.
 */
#ifndef PG_BASE_TOPO_H
#define PG_BASE_TOPO_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cpulist.h"

struct pg_err;
struct pg_str;

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

/*
 * Nodes as places for memory: all that are online, also those without an allowed CPU or without any. Where /sys knows
 * of no nodes there is node 0 with all CPUs and all memory.
 */
struct pg_memnodes {
	struct pg_cpuset online;  /* node numbers */
	struct pg_cpuset memory;  /* those with memory */
	struct pg_cpuset allowed; /* those of `memory` that this process may allocate on (/proc/self/status) */
	unsigned *ids;		  /* the online ones, ascending */
	struct pg_cpuset *cpus;	  /* online CPUs of each, allowed to this process or not; may be empty */
	size_t n;
};
int pg_memnodes_load(const char *root, struct pg_memnodes *out, struct pg_err *err);
void pg_memnodes_release(struct pg_memnodes *m);
int pg_memnodes_of_cpu(const struct pg_memnodes *m, unsigned cpu); /* number of its node, -1 = in none */
/* The node where memory for a task on `node` is: itself, else the nearest allowed one by /sys (of two equally far ones
 * the lower number); -1 = no node is allowed. */
int pg_memnodes_nearest(const struct pg_memnodes *m, const char *root, unsigned node);

/* A small file below root into text, in place of what that held; false when it cannot be read, or not to its end. */
bool pg_topo_read(const char *root, const char *path, struct pg_str *text);

#endif
