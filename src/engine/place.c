/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From the word of a placement param to the CPUs of each worker. */
#include "engine/place.h"

#include <string.h>

#include "base/cpulist.h"
#include "base/err.h"

const struct pg_choice pg_placements[] = {
	{"free", "the scheduler decides"},
	{"same-cpu", "all workers on the first allowed CPU"},
	{"same-core", "all workers inside the first core"},
	{"same-cache", "all workers inside the first last-level cache"},
	{"same-node", "all workers inside the first memory node"},
	{"cross-cpu", "worker i on the i-th allowed CPU, wrapping"},
	{"cross-core", "worker i inside the i-th core, wrapping"},
	{"cross-cache", "worker i inside the i-th last-level cache, wrapping"},
	{"cross-node", "worker i inside the i-th memory node, wrapping"},
	{NULL, NULL},
};

static bool is_cross(int placement)
{
	return placement >= PG_PLACE_CROSS_CPU;
}

static enum pg_domain domain_of(int placement)
{
	static const enum pg_domain domains[] = {
		[PG_PLACE_FREE] = PG_DOMAIN_CPU,	[PG_PLACE_SAME_CPU] = PG_DOMAIN_CPU,
		[PG_PLACE_SAME_CORE] = PG_DOMAIN_CORE,	[PG_PLACE_SAME_CACHE] = PG_DOMAIN_CACHE,
		[PG_PLACE_SAME_NODE] = PG_DOMAIN_NODE,	[PG_PLACE_CROSS_CPU] = PG_DOMAIN_CPU,
		[PG_PLACE_CROSS_CORE] = PG_DOMAIN_CORE, [PG_PLACE_CROSS_CACHE] = PG_DOMAIN_CACHE,
		[PG_PLACE_CROSS_NODE] = PG_DOMAIN_NODE,
	};

	return domains[placement];
}

static const char *noun_of(enum pg_domain d)
{
	static const char *const nouns[PG_DOMAINS] = {
		[PG_DOMAIN_CPU] = "CPU",       [PG_DOMAIN_CORE] = "core",	 [PG_DOMAIN_CACHE] = "last-level cache",
		[PG_DOMAIN_SOCKET] = "socket", [PG_DOMAIN_NODE] = "memory node",
	};

	return nouns[d];
}

int pg_place_probe(int placement, const struct pg_topo *topo, struct pg_err *err)
{
	enum pg_domain d;
	size_t n;

	if (placement == PG_PLACE_FREE)
		return 0;
	d = domain_of(placement);
	n = topo->domain[d].n;
	if (n == 0)
		return pg_fail(err, PG_EUNSUPPORTED, "placement %s: this machine tells of no %s; use placement free",
			       pg_placements[placement].name, noun_of(d));
	if (is_cross(placement) && n < 2)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "placement %s needs two %ss, this process may use one; use placement free or same-*",
			       pg_placements[placement].name, noun_of(d));
	return 0;
}

int pg_place_lenient_probe(int placement, const struct pg_topo *topo, struct pg_err *err)
{
	if (placement == PG_PLACE_CROSS_CPU && topo->domain[PG_DOMAIN_CPU].n == 1)
		return 0;
	return pg_place_probe(placement, topo, err);
}

int pg_place_lenient(int placement)
{
	struct pg_cpuset allowed;
	bool one;

	if (placement != PG_PLACE_CROSS_CPU)
		return placement;
	pg_cpuset_init(&allowed);
	one = pg_affinity_get(0, &allowed, NULL) == 0 && pg_cpuset_count(&allowed) == 1;
	pg_cpuset_release(&allowed);
	return one ? PG_PLACE_SAME_CPU : PG_PLACE_CROSS_CPU;
}

int pg_place_load(struct pg_place *p, int placement, const char *root, struct pg_err *err)
{
	enum pg_domain d;

	memset(p, 0, sizeof(*p));
	if (placement == PG_PLACE_FREE)
		return 0;
	if (pg_topo_load(root, NULL, &p->topo, err)) {
		memset(p, 0, sizeof(*p));
		return -1;
	}
	p->loaded = true;
	d = domain_of(placement);
	p->sets = p->topo.domain[d].sets;
	p->n = p->topo.domain[d].n;
	p->cross = is_cross(placement);
	if (pg_place_probe(placement, &p->topo, err)) {
		pg_place_release(p);
		return -1;
	}
	return 0;
}

void pg_place_release(struct pg_place *p)
{
	if (p->loaded)
		pg_topo_release(&p->topo);
	memset(p, 0, sizeof(*p));
}

const struct pg_cpuset *pg_place_of(const struct pg_place *p, size_t i)
{
	if (!p->sets)
		return NULL;
	return &p->sets[p->cross ? i % p->n : 0];
}
