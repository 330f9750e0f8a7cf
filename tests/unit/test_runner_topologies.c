/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Machine words of a plan on machines of other shapes: the tree is made up around the CPUs that this process really
 * has, for those are asked of the kernel. Presets of numa/mem: what they are called is what they are.
 */
#include "base/str.h"
#include "tests/support/fake_world.h"
#include "tests/support/faketopo.h"
#include "tests/support/pgtest.h"

/* One digit a word. */
static const char scenario[] = "perfgrid: 1\n"
			       "name: t\n"
			       "sweeps:\n"
			       "  - name: s\n"
			       "    suite: sched/messaging\n"
			       "    set: {groups: 10000*cpus + 1000*cores + 100*llcs + 10*sockets + nodes}\n";

/* This process keeps the first n of its CPUs; false when it has fewer. */
static bool keep(size_t n, int *cpu)
{
	struct pg_cpuset all, few;
	struct pg_err err;
	bool enough;

	ck_assert_int_eq(pg_affinity_get(0, &all, &err), 0);
	enough = pg_cpuset_count(&all) >= n;
	pg_cpuset_init(&few);
	for (size_t i = 0; enough && i < n; i++) {
		cpu[i] = pg_cpuset_nth(&all, i);
		ck_assert_int_eq(pg_cpuset_add(&few, (unsigned)cpu[i]), 0);
	}
	if (enough)
		ck_assert_int_eq(pg_affinity_set(0, &few, &err), 0);
	pg_cpuset_release(&all);
	pg_cpuset_release(&few);
	return enough;
}

static void put_number(const char *root, int v, const char *file)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", v);
	ft_put(root, text, "%s", file);
}

/* Two CPUs on two sockets, on nodes 8 and 0; nodes 252 to 255 are memory; more CPUs than this process may use. */
static void two_sockets(const char *root, const int *cpu, size_t n)
{
	char file[96];

	ft_put(root, "0-4095", FT_CPU "online");
	ft_put(root, "0,8,252-255", FT_NODE "online");
	for (size_t i = 0; i < n; i++) {
		snprintf(file, sizeof(file), FT_CPU "cpu%d/topology/physical_package_id", cpu[i]);
		put_number(root, i ? 36 : 1, file);
		snprintf(file, sizeof(file), FT_NODE "node%d/cpulist", i ? 0 : 8);
		put_number(root, cpu[i], file);
	}
	ft_put(root, "", FT_NODE "node252/cpulist");
}

/* Two threads of one core, one node; the second node has no CPU. */
static void one_core(const char *root, const int *cpu, size_t n)
{
	char list[32];

	snprintf(list, sizeof(list), "%d,%d", cpu[0], cpu[n - 1]);
	ft_put(root, list, FT_CPU "online");
	ft_put(root, "0-1", FT_NODE "online");
	ft_put(root, list, FT_NODE "node0/cpulist");
	ft_put(root, "", FT_NODE "node1/cpulist");
	for (size_t i = 0; i < n; i++)
		ft_put(root, list, FT_CPU "cpu%d/topology/thread_siblings_list", cpu[i]);
}

static void no_files(const char *root, const int *cpu, size_t n)
{
	(void)cpu;
	(void)n;
	ft_put(root, "", "proc/nothing");
}

static const struct {
	size_t cpus; /* of this process */
	void (*make)(const char *root, const int *cpu, size_t n);
	const char *words;
} machines[] = {
	{1, two_sockets, "11111"}, {2, two_sockets, "22122"}, {1, one_core, "11111"},
	{2, one_core, "21111"},	   {1, no_files, "11111"},    {2, no_files, "22111"},
};

START_TEST(words)
{
	char root[64], file[96], want[32];
	struct fake_world f;
	int cpu[2];
	FILE *y;

	if (!keep(machines[_i].cpus, cpu))
		return;
	strcpy(root, "/tmp/pg-topo-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	machines[_i].make(root, cpu, machines[_i].cpus);
	snprintf(file, sizeof(file), "%s/a.yaml", root);
	y = fopen(file, "we");
	ck_assert_ptr_nonnull(y);
	fputs(scenario, y);
	fclose(y);
	fake_world_open(&f);
	f.world.root = root;
	const char *const command[] = {"plan", file, NULL};
	const int status = fake_world_cli(&f, command);
	snprintf(want, sizeof(want), ",%s,", machines[_i].words);
	ck_assert_msg(strstr(f.out, want) != NULL, "%d: %s in\n%s%s", status, want, f.out, f.err);
	fake_world_close(&f);
	ft_drop(root);
}
END_TEST

/* 45 presets, each once; PxT in a name is what it runs; what a name says of pages and of the area is so. */
START_TEST(presets)
{
	const char *const command[] = {"plan", "scenarios/numa-presets.yaml", NULL};
	struct fake_world f;
	char *line, *save = NULL;
	unsigned n = 0, sized = 0;

	fake_world_open(&f);
	if (access(command[1], R_OK))
		ck_abort_msg("run the tests in the top directory");
	ck_assert_msg(fake_world_cli(&f, command) == 0, "%s", f.err);
	for (line = strtok_r(f.out, "\n", &save); (line = strtok_r(NULL, "\n", &save)); n++) {
		char *label = strrchr(line, ',') + 1, expect[32];
		const bool thp = strstr(line, ",advise,");
		unsigned p, t;

		ck_assert_msg(thp != (strstr(label, "-NOTHP") != NULL), "%s", line);
		ck_assert(strstr(line, ",zero,"));
		if (sscanf(label, "%ux%u-", &p, &t) != 2)
			continue;
		sized++;
		snprintf(expect, sizeof(expect), ",%u,%u,1048576,", p, t);
		ck_assert_msg(strstr(line, expect) != NULL, "%s", line);
		ck_assert_msg((strstr(label, "convergence") != NULL) == (strstr(line, ",unlimited,100,true,") != NULL),
			      "%s", line);
		if (strstr(label, "bw-thread"))
			ck_assert_msg(strstr(line, ",1048576,0,0,") != NULL, "%s", line);
	}
	ck_assert_uint_eq(n, 45);
	ck_assert_uint_eq(sized, 35);
	fake_world_close(&f);
}
END_TEST

PG_TEST_MAIN("runner_topologies", ((const struct pg_test[]){
					  {words, sizeof(machines) / sizeof(machines[0])},
					  {presets, 0},
					  {NULL, 0},
				  }))
