/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machines of other shapes, as the topology, placements and numa/mem see them. What the kernel of this machine must do
 * (setting a policy) is not reached: all that is asked here is what would be refused, and where tasks would go.
 */
#include "base/str.h"
#include "registry/registry.h"
#include "suites/numa.h"
#include "tests/support/faketopo.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

static void list_is(const char *where, const struct pg_cpuset *set, const char *want)
{
	struct pg_str s;

	pg_str_init(&s);
	pg_cpulist_format(set, &s);
	ck_assert_msg(pg_streq(pg_str_text(&s), want), "%s: %s, not %s", where, pg_str_text(&s), want);
	pg_str_release(&s);
}

/* Domains in the order of the machine words. */
START_TEST(counts)
{
	const struct faketopo *t = &faketopos[_i];
	char root[64];
	struct pg_topo topo;

	ft_make(t, root);
	topo = ft_load(t, root);
	for (int d = 0; d < PG_DOMAINS; d++) {
		ck_assert_msg(topo.domain[d].n == t->words[d], "%s: domain %d: %zu", t->name, d, topo.domain[d].n);
		for (size_t i = 0; i < topo.domain[d].n; i++)
			ck_assert(pg_cpuset_subset(&topo.domain[d].sets[i], &topo.allowed));
	}
	list_is(t->name, &topo.allowed, t->allowed);
	pg_topo_release(&topo);
	ft_drop(root);
}
END_TEST

static const struct {
	int topology;
	const char *online, *memory, *allowed;
	struct {
		unsigned cpu;
		int node, near; /* -1 = none */
	} cpus[5];
	size_t n;
	unsigned touch; /* node of first_touch cpu0-node */
	const char *touch_cpus;
} nodes[] = {
	{FT_ONE, "0", "0", "0", {{0, 0, 0}, {3, 0, 0}, {4, -1, 0}}, 3, 0, "0-3"},
	{FT_NO_MEMORY, "0-1", "1", "1", {{0, 0, 1}, {4, 1, 1}}, 2, 1, "0-3"},
	{FT_SPARSE, "0,8,252-255", "0,252-255", "0,252-255", {{0, 8, 253}, {8, 0, 0}, {16, -1, 0}}, 3, 253, "0-7"},
	{FT_HOLE, "0-1", "0-1", "0-1", {{7, 0, 0}, {100, 1, 1}, {8, -1, 0}}, 3, 0, "0-7"},
	{FT_LARGE,
	 "0-31",
	 "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30",
	 "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30",
	 {{0, 0, 0}, {4095, 31, 0}, {3840, 30, 30}},
	 3,
	 0,
	 "0-127"},
	{FT_CPUSET, "0-1", "0-1", "0-1", {{6, 1, 1}, {0, 0, 0}}, 2, 0, ""},
	{FT_MEMS_CPUSET, "0-1", "0-1", "1", {{0, 0, 1}, {2, 1, 1}}, 2, 1, "0-1"},
	{FT_NO_NUMA, "0", "0", "0", {{0, 0, 0}, {1, 0, 0}, {2, -1, 0}}, 3, 0, "0-1"},
};

START_TEST(memory_nodes)
{
	const struct faketopo *t = &faketopos[nodes[_i].topology];
	struct pg_numa_touch touch;
	struct pg_memnodes m;
	struct pg_topo topo;
	struct pg_err err;
	char root[64];

	ft_make(t, root);
	topo = ft_load(t, root);
	ck_assert_msg(pg_memnodes_load(root, &m, &err) == 0, "%s: %s", t->name, err.msg);
	list_is(t->name, &m.online, nodes[_i].online);
	list_is(t->name, &m.memory, nodes[_i].memory);
	list_is(t->name, &m.allowed, nodes[_i].allowed);
	ck_assert_uint_eq(m.n, pg_cpuset_count(&m.online));
	for (size_t i = 0; i < nodes[_i].n; i++) {
		const int node = pg_memnodes_of_cpu(&m, nodes[_i].cpus[i].cpu);

		ck_assert_msg(node == nodes[_i].cpus[i].node, "%s: CPU %u: node %d", t->name, nodes[_i].cpus[i].cpu,
			      node);
		if (node >= 0)
			ck_assert_msg(pg_memnodes_nearest(&m, root, (unsigned)node) == nodes[_i].cpus[i].near,
				      "%s: node %d: %d", t->name, node, pg_memnodes_nearest(&m, root, (unsigned)node));
	}
	ck_assert_int_eq(pg_numa_touch_find(&touch, &m, &topo.allowed, root, &err), 0);
	ck_assert_uint_eq(touch.node, nodes[_i].touch);
	list_is(t->name, &touch.cpus, nodes[_i].touch_cpus);
	pg_cpuset_release(&touch.cpus);
	pg_memnodes_release(&m);
	pg_topo_release(&topo);
	ft_drop(root);
}
END_TEST

/* Worker `i` of a placement gets these CPUs; NULL = refused. */
static const struct {
	int topology, placement;
	enum pg_domain domain;
	size_t worker;
	const char *cpus;
} placements[] = {
	{FT_ONE, PG_PLACE_SAME_NODE, PG_DOMAIN_NODE, 3, "0-3"},
	{FT_ONE, PG_PLACE_CROSS_NODE, PG_DOMAIN_NODE, 0, NULL},
	{FT_ONE, PG_PLACE_CROSS_CPU, PG_DOMAIN_CPU, 5, "1"},
	{FT_NO_MEMORY, PG_PLACE_CROSS_NODE, PG_DOMAIN_NODE, 1, "4-7"},
	{FT_SPARSE, PG_PLACE_SAME_NODE, PG_DOMAIN_NODE, 0, "0-7"},
	{FT_SPARSE, PG_PLACE_CROSS_NODE, PG_DOMAIN_NODE, 1, "8-15"},
	{FT_SPARSE, PG_PLACE_CROSS_NODE, PG_DOMAIN_NODE, 2, "0-7"},
	{FT_HOLE, PG_PLACE_CROSS_NODE, PG_DOMAIN_NODE, 1, "100-107"},
	{FT_HOLE, PG_PLACE_CROSS_CPU, PG_DOMAIN_CPU, 8, "100"},
	{FT_HOLE, PG_PLACE_CROSS_CPU, PG_DOMAIN_CPU, 31, "107"},
	{FT_LARGE, PG_PLACE_CROSS_CPU, PG_DOMAIN_CPU, 4095, "4095"},
	{FT_LARGE, PG_PLACE_CROSS_CORE, PG_DOMAIN_CORE, 2047, "4094-4095"},
	{FT_LARGE, PG_PLACE_CROSS_CACHE, PG_DOMAIN_CACHE, 7, "3584-4095"},
	{FT_LARGE, PG_PLACE_CROSS_NODE, PG_DOMAIN_NODE, 31, "3968-4095"},
	{FT_CPUSET, PG_PLACE_SAME_NODE, PG_DOMAIN_NODE, 9, "6"},
	{FT_CPUSET, PG_PLACE_SAME_CPU, PG_DOMAIN_CPU, 9, "6"},
	{FT_CPUSET, PG_PLACE_CROSS_CPU, PG_DOMAIN_CPU, 0, NULL},
	{FT_CPUSET, PG_PLACE_CROSS_NODE, PG_DOMAIN_NODE, 0, NULL},
};

#define PLACEMENTS (sizeof(placements) / sizeof(placements[0]))

static void check_placement(const char *name, size_t i, const struct pg_topo *topo)
{
	const int placement = placements[i].placement;
	struct pg_place p = {.cross = placement >= PG_PLACE_CROSS_CPU};
	struct pg_err err = {.msg = ""};

	ck_assert_msg(pg_place_probe(placement, topo, &err) == (placements[i].cpus ? 0 : -1), "%s: %s", name, err.msg);
	p.sets = topo->domain[placements[i].domain].sets;
	p.n = topo->domain[placements[i].domain].n;
	if (placements[i].cpus)
		list_is(name, pg_place_of(&p, placements[i].worker), placements[i].cpus);
	else
		ck_assert_int_eq(err.code, PG_EUNSUPPORTED);
}

START_TEST(placed)
{
	const struct faketopo *t = &faketopos[_i];
	struct pg_topo topo;
	char root[64];

	ft_make(t, root);
	topo = ft_load(t, root);
	for (size_t i = 0; i < PLACEMENTS; i++)
		if (placements[i].topology == _i)
			check_placement(t->name, i, &topo);
	pg_topo_release(&topo);
	ft_drop(root);
}
END_TEST

/* What numa/mem can do there; NULL = all of it. */
static const struct {
	int topology;
	const char *params, *why;
} probes[] = {
	{FT_ONE, "", NULL},
	{FT_ONE, "task_cpus=3", NULL},
	{FT_ONE, "processes=2 task_cpus=0,4", "CPU 4 is not online (online: 0-3); name others"},
	{FT_ONE, "task_nodes=0", NULL},
	{FT_ONE, "task_nodes=1", "node 1 is not online (online: 0); name others"},
	{FT_ONE, "placement=cross-node", "needs two memory nodes"},
	{FT_ONE, "perturb_interval=1s", NULL},
	{FT_NO_MEMORY, "processes=2 task_nodes=1,0", "node 0 is without memory (with memory: 1); name others"},
	{FT_NO_MEMORY, "task_nodes=1,0", NULL}, /* the second entry is nobody's */
	{FT_NO_MEMORY, "placement=cross-node first_touch=cpu0-node", NULL},
	{FT_SPARSE, "processes=3 task_nodes=0,252,255", NULL},
	{FT_SPARSE, "processes=4 task_nodes=252-255", NULL},
	{FT_SPARSE, "task_nodes=8", "node 8 is without memory (with memory: 0,252-255)"},
	{FT_SPARSE, "task_nodes=1", "node 1 is not online (online: 0,8,252-255)"},
	{FT_SPARSE, "task_nodes=256", "node 256 is not online"},
	{FT_SPARSE, "processes=9 task_nodes=0-8", "node 1 is not online"},
	{FT_HOLE, "processes=2 task_cpus=0,100", NULL},
	{FT_HOLE, "processes=2 task_cpus=0,8 task_nodes=1,0", "CPU 8 is not online (online: 0-7,100-107); name others"},
	{FT_HOLE, "task_cpus=0_8", NULL},
	{FT_HOLE, "task_cpus=4_5", "CPU 8 is not online"},
	{FT_HOLE, "processes=16 task_cpus=0-107", "CPU 8 is not online"},
	{FT_HOLE, "processes=8 task_cpus=0-107", NULL},
	{FT_LARGE, "task_cpus=4095", NULL},
	{FT_LARGE, "task_cpus=0_4096", NULL},
	{FT_LARGE, "task_cpus=0_4097", "CPU 4096 is not online (online: 0-4095)"},
	{FT_LARGE, "processes=2 task_cpus=0,8 task_nodes=2,0", NULL},
	{FT_LARGE, "task_nodes=30", NULL},
	{FT_LARGE, "task_nodes=31", "node 31 is without memory"},
	{FT_LARGE, "processes=32 placement=cross-node task_cpus=4095", NULL},
	{FT_CPUSET, "", NULL},
	{FT_CPUSET, "task_cpus=6", NULL},
	{FT_CPUSET, "task_cpus=0", "CPU 0 is not allowed to this process (allowed: 6); name others"},
	{FT_CPUSET, "task_cpus=1048575", "CPU 1048575 is not online (online: 0-7)"},
	{FT_CPUSET, "placement=cross-cpu", "needs two CPUs"},
	{FT_CPUSET, "placement=cross-cpu task_cpus=6", NULL},
	{FT_CPUSET, "perturb_interval=1s", "this process may use one"},
	{FT_CPUSET, "first_touch=cpu0-node", NULL},
	{FT_MEMS_CPUSET, "task_nodes=1", NULL},
	{FT_MEMS_CPUSET, "task_nodes=0", "node 0 is not allowed to this process (allowed: 1); name others"},
	{FT_NO_NUMA, "task_nodes=0 first_touch=cpu0-node", NULL},
	{FT_ONE, "thread_size=1MB transparent_huge_pages=advise", "no transparent huge pages"},
};
#define PROBES (sizeof(probes) / sizeof(probes[0]))

static void check_probe(const char *name, size_t i, const struct pg_probe_env *env)
{
	const char *why = probes[i].why, *params = probes[i].params;
	struct pg_need need = {.tasks = 0};
	struct ps_bench b;
	int r;

	ps_bind(&b, pg_bench_find("numa/mem"), params);
	r = b.bench->probe(b.conf, env, &need, &b.err);
	/* Where this kernel refuses policies that reason comes after those of the machine. */
	if (!why && r && pg_numa_policy_probe(NULL))
		why = "memory policies: ";
	ck_assert_msg(r == (why ? -1 : 0), "%s: %s: %s", name, params, r ? b.err.msg : "taken");
	if (why) {
		ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
		ck_assert_msg(strstr(b.err.msg, why), "%s: %s: %s", name, params, b.err.msg);
	}
	ps_done(&b);
}

START_TEST(probed)
{
	const struct faketopo *t = &faketopos[_i];
	struct pg_probe_env env;
	struct pg_topo topo;
	char root[64];

	ft_make(t, root);
	topo = ft_load(t, root);
	env = (struct pg_probe_env){.root = root, .topo = &topo};
	for (size_t i = 0; i < PROBES; i++)
		if (probes[i].topology == _i)
			check_probe(t->name, i, &env);
	pg_topo_release(&topo);
	ft_drop(root);
}
END_TEST

/* Tasks and bytes, with products that no 64 bits hold. */
START_TEST(needs)
{
	static const struct {
		const char *params;
		uint64_t tasks, least, most;
	} c[] = {
		{"processes=3 threads=5", 18, UINT64_C(1) << 20, UINT64_C(16) << 20},
		{"processes=2 threads=2 process_size=1GB thread_size=2GB global_size=4GB", 6, UINT64_C(14) << 30,
		 (UINT64_C(14) << 30) + (UINT64_C(16) << 20)},
		{"processes=4096 threads=4096 thread_size=16TB", 4096 * 4097, UINT64_MAX, UINT64_MAX},
	};
	struct pg_need need;
	struct ps_bench b;

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		ps_bind(&b, pg_bench_find("numa/mem"), c[i].params);
		ck_assert_msg(ps_probe(&b, &need) == 0, "%s", b.err.msg);
		ck_assert_uint_eq(need.tasks, c[i].tasks);
		ck_assert_uint_ge(need.bytes, c[i].least);
		ck_assert_uint_le(need.bytes, c[i].most);
		ps_done(&b);
	}
}
END_TEST

PG_TEST_MAIN("suites_topologies", ((const struct pg_test[]){
					  {counts, FT_TOPOLOGIES},
					  {memory_nodes, sizeof(nodes) / sizeof(nodes[0])},
					  {placed, FT_TOPOLOGIES},
					  {probed, FT_TOPOLOGIES},
					  {needs, 0},
					  {NULL, 0},
				  }))
