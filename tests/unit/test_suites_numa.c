/* SPDX-License-Identifier: GPL-2.0-or-later */
/* numa/mem as a bench: what a rep counts and how its metrics hang together, each value of each param, what is left. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "registry/registry.h"
#include "suites/numa.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

#define KB UINT64_C(1024)

/* Threads that zero an area of their process write the same words at the same time: that is the workload's definition,
 * and under the thread sanitizer they are processes. */
#ifdef __SANITIZE_THREAD__
#define SHARERS(access) (strcmp(access, "zero") == 0 ? 1 : 3)
#else
#define SHARERS(access) ((void)(access), 3)
#endif

static const struct pg_bench *numa_mem(void)
{
	return pg_bench_find("numa/mem");
}

static bool recorded(const struct ps_bench *b, unsigned metric)
{
	return b->run.acc[metric].n > 0;
}

/* CPUs and memory policy of this process are as they were. */
static void same_home(const struct pg_numa_home *h)
{
	struct pg_numa_home now;
	struct pg_err err;

	ck_assert_int_eq(pg_numa_home_read(&now, h->policies, &err), 0);
	ck_assert(pg_cpuset_equal(&now.cpus, &h->cpus));
	ck_assert_int_eq(now.mode, h->mode);
	ck_assert(pg_cpuset_equal(&now.nodes, &h->nodes));
	pg_numa_home_release(&now);
}

static struct pg_numa_home home(void)
{
	struct pg_numa_home h;
	struct pg_err err;

	ck_assert_int_eq(pg_numa_home_read(&h, pg_numa_policy_probe(&err) == 0, &err), 0);
	return h;
}

/* A good rep, with nothing left behind. */
static void run(struct ps_bench *b, const char *params)
{
	const struct ps_around before = ps_look();
	struct pg_numa_home h = home();

	ps_bind(b, numa_mem(), params);
	ck_assert_msg(ps_rep(b) == 0, "%s: %s", params, b->err.msg);
	ps_same(&before);
	same_home(&h);
	pg_numa_home_release(&h);
}

static void check_relations(const struct ps_bench *b, uint64_t tasks)
{
	const int64_t max = ps_raw(b, "runtime_max"), min = ps_raw(b, "runtime_min");
	const int64_t sum = b->run.acc[PG_NUMA_M_RUNTIME_MEAN].raw;

	ck_assert_uint_eq(b->run.acc[PG_NUMA_M_RUNTIME_MEAN].n, tasks);
	ck_assert_uint_eq(b->run.acc[PG_NUMA_M_RUNTIME_MIN].n, tasks);
	ck_assert_uint_eq(b->run.acc[PG_NUMA_M_DATA_PER_TASK].n, tasks);
	ck_assert_int_gt(min, 0);
	ck_assert_int_le(min * (int64_t)tasks, sum);
	ck_assert_int_le(min, ps_raw(b, "work_time"));
	ck_assert_int_eq(ps_raw(b, "runtime_half_range"), pg_since(max, min) / 2);
	ck_assert_int_eq(b->run.timed_ns, max);
	ck_assert_int_eq(b->run.acc[PG_NUMA_M_DATA_PER_TASK].raw, ps_raw(b, "data_total"));
	ck_assert_int_le(ps_raw(b, "data_touched"), ps_raw(b, "data_total"));
}

static const char *const accesses[] = {"read-write", "read", "write", "zero"};
static const char *const patterns[] = {"random", "alternating", "sequential"};

/* Every access in every order: bytes by hand. */
START_TEST(bytes_are_right)
{
	const char *access = accesses[_i % 4], *pattern = patterns[_i / 4];
	const uint64_t pass = (16 + 24 + 8 + 12) * KB, threads = SHARERS(access), tasks = threads * 2;
	struct ps_bench b;
	char params[256];

	snprintf(params, sizeof(params),
		 "processes=2 threads=%llu global_size=16KB process_size=24KB locked_size=8KB thread_size=12KB loops=5 "
		 "access=%s pattern=%s",
		 (unsigned long long)threads, access, pattern);
	run(&b, params);
	ck_assert_int_eq(ps_raw(&b, "data_total"), (int64_t)(5 * pass * tasks));
	if (strcmp(pattern, "random") == 0)
		ck_assert_int_lt(ps_raw(&b, "data_touched"), ps_raw(&b, "data_total"));
	else
		ck_assert_int_eq(ps_raw(&b, "data_touched"), ps_raw(&b, "data_total"));
	check_relations(&b, tasks);
	ck_assert_int_le(ps_raw(&b, "work_time"), ps_raw(&b, "runtime_max"));
	ck_assert(!recorded(&b, PG_NUMA_M_CONVERGENCE_TIME));
	ps_done(&b);
}
END_TEST

/* Each area alone, each fill, both ways to begin, both kinds of advice. */
START_TEST(each_value)
{
	static const struct {
		const char *params;
		uint64_t bytes; /* of a task's pass */
	} c[] = {
		{"global_size=8B", 8},
		{"global_size=1001B pattern=sequential", 1000},
		{"global_size=0B thread_size=64KB fill=zero", 64 * KB},
		{"global_size=0B thread_size=64KB fill=none", 64 * KB},
		{"global_size=0B process_size=64KB fill=none access=zero", 64 * KB},
		{"global_size=0B process_size=8KB locked_size=8KB", 16 * KB},
		{"global_size=4KB start_gate=false", 4 * KB},
		{"global_size=0B thread_size=4KB transparent_huge_pages=never", 4 * KB},
		{"global_size=0B process_size=4KB placement=same-cpu", 4 * KB},
		{"global_size=0B thread_size=4KB placement=same-node", 4 * KB},
		{"global_size=4KB runtime=unlimited", 4 * KB},
	};
	struct ps_bench b;
	char params[160];

	snprintf(params, sizeof(params), "%s processes=2 loops=3", c[_i].params);
	run(&b, params);
	ck_assert_int_eq(ps_raw(&b, "data_total"), (int64_t)(2 * 3 * c[_i].bytes));
	check_relations(&b, 2);
	ps_done(&b);
}
END_TEST

/* A pass over a gibibyte takes longer than a millisecond anywhere; the tasks end in the middle of it. Untouched memory
 * that is only read stays untouched. */
START_TEST(time_ends_a_pass)
{
	struct ps_bench b;

	run(&b, "global_size=0B thread_size=1GB fill=none access=read threads=2 runtime=1ms pattern=sequential");
	ck_assert_int_gt(ps_raw(&b, "data_total"), 0);
	ck_assert_int_lt(ps_raw(&b, "data_total"), INT64_C(2) << 30);
	ck_assert_int_eq(ps_raw(&b, "data_touched"), ps_raw(&b, "data_total"));
	ps_done(&b);
}
END_TEST

/* The time that was given is the time that is taken: no task goes on until the longest pass of another one ends. */
START_TEST(time_is_kept)
{
	struct ps_bench b;

	run(&b, "threads=2 runtime=60ms");
	ck_assert_int_ge(ps_raw(&b, "work_time"), 60000000);
	ck_assert_int_le(ps_raw(&b, "work_time"), ps_raw(&b, "runtime_max"));
	ps_done(&b);
	run(&b, "threads=2 runtime=30ms start_gate=false");
	ck_assert_int_ge(ps_raw(&b, "work_time"), 30000000);
	ps_done(&b);
}
END_TEST

/* Sleepers hold no mutex: each task gets through its whole pass, and the deadline ends the sleep. */
START_TEST(sleep_is_outside_the_mutex)
{
	struct ps_bench b;

	run(&b, "threads=4 global_size=0B process_size=8KB locked_size=8KB loop_sleep=1h runtime=2s");
	ck_assert_int_eq(ps_raw(&b, "data_total"), (int64_t)(4 * 16 * KB));
	ps_done(&b);
}
END_TEST

/* Threads that all run on one CPU are on one node; sleepers are woken by the end. */
START_TEST(convergence)
{
	static const char *const params[] = {
		"processes=2 threads=2 runtime=unlimited until_converged=true placement=same-cpu",
		"threads=3 runtime=unlimited until_converged=true loop_sleep=1h placement=same-cpu",
		"runtime=unlimited until_converged=true start_gate=false placement=same-cpu",
	};
	struct ps_bench b;

	run(&b, params[_i]);
	ck_assert(recorded(&b, PG_NUMA_M_CONVERGENCE_TIME));
	ck_assert_int_gt(ps_raw(&b, "convergence_time"), 0);
	ck_assert_int_le(ps_raw(&b, "convergence_time"), ps_raw(&b, "runtime_max"));
	ps_done(&b);
}
END_TEST

/* Pages of the own areas: 3 of the process for each task, 5 of its thread. */
START_TEST(local_pages)
{
	const long page = sysconf(_SC_PAGESIZE);
	struct ps_bench b;
	struct pg_memnodes m;
	char params[160];

	if (pg_numa_policy_probe(NULL))
		return;
	snprintf(params, sizeof(params),
		 "processes=2 threads=2 loops=1 process_size=%ldB thread_size=%ldB transparent_huge_pages=never",
		 3 * page, 5 * page);
	run(&b, params);
	ck_assert_int_eq(ps_raw(&b, "own_pages"), 4 * (3 + 5));
	ck_assert_int_eq(pg_memnodes_load("", &m, &b.err), 0);
	if (pg_cpuset_count(&m.memory) == 1)
		ck_assert_int_eq(ps_raw(&b, "local_pages"), ps_raw(&b, "own_pages"));
	else
		ck_assert_int_le(ps_raw(&b, "local_pages"), ps_raw(&b, "own_pages"));
	pg_memnodes_release(&m);
	ps_done(&b);
	/* The common area is nobody's own: no figure instead of a wrong one. */
	run(&b, "loops=1");
	ck_assert(!recorded(&b, PG_NUMA_M_PAGES));
	ps_done(&b);
}
END_TEST

/* The memory of this node alone, filled where CPU 0 is. */
START_TEST(policies)
{
	struct pg_memnodes m;
	struct ps_bench b;
	char params[160];

	if (pg_numa_policy_probe(NULL))
		return;
	ck_assert_int_eq(pg_memnodes_load("", &m, &b.err), 0);
	snprintf(params, sizeof(params), "threads=2 loops=1 thread_size=8KB process_size=8KB task_nodes=%dx2 %s",
		 pg_cpuset_next(&m.allowed, -1), _i ? "first_touch=cpu0-node" : "");
	pg_memnodes_release(&m);
	run(&b, params);
	ck_assert_int_gt(ps_raw(&b, "own_pages"), 0);
	ps_done(&b);
	run(&b, "loops=2 process_size=8KB first_touch=cpu0-node fill=zero");
	ps_done(&b);
}
END_TEST

/* The same seed visits the same words, another one others. */
START_TEST(seed_decides)
{
	int64_t touched[3];
	struct ps_bench b;

	for (int i = 0; i < 3; i++) {
		ps_bind(&b, numa_mem(), "global_size=0B thread_size=20KB loops=50");
		b.run.seed = i < 2 ? 42 : 43;
		ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
		touched[i] = ps_raw(&b, "data_touched");
		ps_done(&b);
	}
	ck_assert_int_eq(touched[0], touched[1]);
	ck_assert_int_ne(touched[0], touched[2]);
}
END_TEST

/* A task is pushed about and has its own CPUs again; the rep goes on. */
START_TEST(perturbed)
{
	struct pg_numa_home h = home();
	struct ps_bench b;

	if (pg_cpuset_count(&h.cpus) >= 2) {
		run(&b, "runtime=1200ms perturb_interval=1s loop_sleep=1ms");
		ps_done(&b);
	}
	ps_bind(&b, numa_mem(), "loops=1 perturb_interval=1s");
	ck_assert_int_eq(b.bench->setup(&b.run, &b.err), 0);
	for (int i = 0; i < 4; i++)
		ck_assert_msg(pg_numa_perturb(b.run.state, 0, &b.err) == 0, "%s", b.err.msg);
	b.bench->teardown(&b.run);
	same_home(&h);
	pg_numa_home_release(&h);
	ps_done(&b);
}
END_TEST

/* Once more with the same state around: nothing of the first rep is in the second. */
START_TEST(two_reps)
{
	struct ps_bench b;

	for (int i = 0; i < 2; i++) {
		run(&b, "processes=3 loops=2 global_size=8KB");
		ck_assert_int_eq(ps_raw(&b, "data_total"), (int64_t)(3 * 2 * 8 * KB));
		ps_done(&b);
	}
}
END_TEST

PG_TEST_MAIN("suites_numa", ((const struct pg_test[]){
				    {bytes_are_right, 12},
				    {each_value, 11},
				    {time_ends_a_pass, 0},
				    {time_is_kept, 0},
				    {sleep_is_outside_the_mutex, 0},
				    {convergence, 3},
				    {local_pages, 0},
				    {policies, 2},
				    {seed_decides, 0},
				    {perturbed, 0},
				    {two_reps, 0},
				    {NULL, 0},
			    }))
