/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <sched.h>

#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

#define N 5

struct seen {
	unsigned long bits[N]; /* affinity of each worker, CPUs 0 to 63 */
};

static void start_all(struct pg_crew *c, int (*body)(struct pg_worker *, void *), void *arg, size_t n)
{
	struct pg_err err;

	for (size_t i = 0; i < n; i++)
		ck_assert_msg(pg_crew_start(c, body, arg, &err) == 0, "%s", err.msg);
}

static int see_cpus(struct pg_worker *w, void *arg)
{
	struct seen *k = arg;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return pg_worker_fail_sys(w, "no affinity");
	memcpy(&k->bits[w->index], &set, sizeof(k->bits[0]));
	return 0;
}

/* On this machine: same-cpu puts all on the first allowed CPU, cross-cpu goes round; the main task keeps its own. */
START_TEST(workers_are_placed)
{
	const bool threads = _i % 2, cross = _i / 2;
	const struct pg_crew_opts opts = {
		.n = N, .threads = threads, .placement = cross ? PG_PLACE_CROSS_CPU : PG_PLACE_SAME_CPU, .root = ""};
	struct seen *k = ps_shared(sizeof(*k));
	cpu_set_t before, after;
	struct pg_crew *c;
	struct pg_topo topo;
	struct pg_err err;
	int r;

	ck_assert_int_eq(pg_topo_load("", NULL, &topo, &err), 0);
	sched_getaffinity(0, sizeof(before), &before);
	r = pg_crew_open(&c, &opts, &err);
	if (cross && topo.domain[PG_DOMAIN_CPU].n < 2) {
		ck_assert_int_eq(r, -1);
		ck_assert_int_eq(err.code, PG_EUNSUPPORTED);
		goto done;
	}
	ck_assert_msg(r == 0, "%s", err.msg);
	start_all(c, see_cpus, k, N - !threads);
	if (!threads)
		pg_crew_here(c, see_cpus, k);
	ck_assert_msg(pg_crew_reap(c, &err) == 0, "%s", err.msg);
	pg_crew_close(c);
	for (size_t i = 0; i < N; i++) {
		const size_t nth = cross ? i % topo.domain[PG_DOMAIN_CPU].n : 0;
		const int cpu = pg_cpuset_nth(&topo.allowed, nth);

		if (cpu < 64)
			ck_assert_uint_eq(k->bits[i], 1ul << cpu);
	}
	sched_getaffinity(0, sizeof(after), &after);
	ck_assert(CPU_EQUAL(&before, &after));
done:
	pg_topo_release(&topo);
	munmap(k, sizeof(*k));
}
END_TEST

START_TEST(placement_rules)
{
	static const struct {
		int placement;
		size_t n; /* of every domain */
		int expect;
	} cases[] = {
		{PG_PLACE_FREE, 0, 0},	     {PG_PLACE_SAME_CPU, 1, 0},	    {PG_PLACE_SAME_NODE, 0, -1},
		{PG_PLACE_SAME_NODE, 1, 0},  {PG_PLACE_CROSS_NODE, 0, -1},  {PG_PLACE_CROSS_NODE, 1, -1},
		{PG_PLACE_CROSS_NODE, 2, 0}, {PG_PLACE_CROSS_CACHE, 1, -1}, {PG_PLACE_CROSS_CORE, 1, -1},
		{PG_PLACE_CROSS_CPU, 1, -1}, {PG_PLACE_CROSS_CPU, 2, 0},    {PG_PLACE_SAME_CACHE, 3, 0},
	};
	struct pg_topo topo;
	struct pg_err err = {.code = PG_OK};

	memset(&topo, 0, sizeof(topo));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		for (size_t d = 0; d < PG_DOMAINS; d++)
			topo.domain[d].n = cases[i].n;
		ck_assert_msg(pg_place_probe(cases[i].placement, &topo, &err) == cases[i].expect, "case %zu", i);
		if (cases[i].expect == 0)
			continue;
		ck_assert_int_eq(err.code, PG_EUNSUPPORTED);
		ck_assert_msg(strstr(err.msg, pg_placements[cases[i].placement].name), "%s", err.msg);
	}
}
END_TEST

START_TEST(sets_wrap)
{
	struct pg_cpuset sets[3];
	struct pg_place p = {.sets = sets, .n = 3, .cross = true};

	for (size_t i = 0; i < 7; i++)
		ck_assert_ptr_eq(pg_place_of(&p, i), &sets[i % 3]);
	p.cross = false;
	ck_assert_ptr_eq(pg_place_of(&p, 5), &sets[0]);
	p.sets = NULL;
	ck_assert_ptr_null(pg_place_of(&p, 5));
}
END_TEST

PG_TEST_MAIN("engine_place", ((const struct pg_test[]){
				     {workers_are_placed, 4},
				     {placement_rules, 0},
				     {sets_wrap, 0},
				     {NULL, 0},
			     }))
