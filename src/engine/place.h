/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where workers run: `free`, `same-X` (all inside the first X of the allowed CPUs) or `cross-X` (worker i in the i-th
 * X, wrapping), X = cpu, core, cache, node. The param row, its probe and the sets are the same for every bench that has
 * workers.
 */
#ifndef PG_ENGINE_PLACE_H
#define PG_ENGINE_PLACE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/topo.h"
#include "model/param.h"

struct pg_err;

enum pg_placement {
	PG_PLACE_FREE,
	PG_PLACE_SAME_CPU,
	PG_PLACE_SAME_CORE,
	PG_PLACE_SAME_CACHE,
	PG_PLACE_SAME_NODE,
	PG_PLACE_CROSS_CPU,
	PG_PLACE_CROSS_CORE,
	PG_PLACE_CROSS_CACHE,
	PG_PLACE_CROSS_NODE,
};
extern const struct pg_choice pg_placements[];

/* 0, or -1 with PG_EUNSUPPORTED: no such domain here, or for cross-X only one. */
int pg_place_probe(int placement, const struct pg_topo *topo, struct pg_err *err);

struct pg_place {
	struct pg_topo topo;
	const struct pg_cpuset *sets; /* in topo; NULL = free */
	size_t n;
	bool cross;
	bool loaded; /* topo holds memory */
};

/* Reads the topology behind root (not for `free`); on error p is empty. Released by pg_place_release() in either case.
 */
int pg_place_load(struct pg_place *p, int placement, const char *root, struct pg_err *err);
void pg_place_release(struct pg_place *p);
/* CPUs of worker i, owned by p; NULL = the scheduler decides. */
const struct pg_cpuset *pg_place_of(const struct pg_place *p, size_t i);

#endif
