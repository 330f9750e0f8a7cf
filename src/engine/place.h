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

/* The row, field f of conf struct s. */
/* clang-format off */
#define PG_ROW_PLACEMENT(s, f, text, word) \
	{.name = "placement", .doc = (text), .def = (word), .choices = pg_placements, PG_AT_ENUM(s, f)}
/* clang-format on */

/* 0, or -1 with PG_EUNSUPPORTED: no such domain here, or for cross-X only one. */
int pg_place_probe(int placement, const struct pg_topo *topo, struct pg_err *err);

/*
 * For benches whose ancestor pins worker i on the i-th CPU and puts up with one: there cross-cpu is that CPU.
 * pg_place_lenient() looks at the CPUs that the calling task may use, and returns the placement to ask for.
 */
int pg_place_lenient_probe(int placement, const struct pg_topo *topo, struct pg_err *err);
int pg_place_lenient(int placement);

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
