/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Topology from /sys trees that the test builds: odd numbers, holes, missing files, 4096 CPUs. */
#include "tests/support/pgtest.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "base/topo.h"

static char base[PATH_MAX], root[PATH_MAX + 16];

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

/* Before and after all tests, in the parent: what a test that failed leaves behind goes away as well. */
static void make_base(void)
{
	const char *tmp = getenv("TMPDIR");

	/* thousands of small files: in memory where there is such a place */
	snprintf(base, sizeof(base), "/dev/shm/pg-topo-XXXXXX");
	if (mkdtemp(base))
		return;
	snprintf(base, sizeof(base), "%s/pg-topo-XXXXXX", tmp ? tmp : "/tmp");
	ck_assert_ptr_nonnull(mkdtemp(base));
}

static void remove_base(void)
{
	nftw(base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void make_root(void)
{
	snprintf(root, sizeof(root), "%s/XXXXXX", base);
	ck_assert_ptr_nonnull(mkdtemp(root));
}

/* From the last directory that is there on. */
static void make_parents(char *path)
{
	char *slash = strrchr(path, '/');

	*slash = '\0';
	if (mkdir(path, 0755) < 0 && errno == ENOENT) {
		make_parents(path);
		if (mkdir(path, 0755) < 0)
			ck_abort_msg("%s: %s", path, strerror(errno));
	}
	*slash = '/';
}

/* Writes ROOT/sys/devices/system/PATH, making directories on the way. */
static void put(const char *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(const char *text, const char *fmt, ...)
{
	char path[PATH_MAX + 512], tail[200];
	va_list ap;
	FILE *f;

	va_start(ap, fmt);
	vsnprintf(tail, sizeof(tail), fmt, ap);
	va_end(ap);
	snprintf(path, sizeof(path), "%s/sys/devices/system/%s", root, tail);
	f = fopen(path, "w");
	if (!f) {
		make_parents(path);
		f = fopen(path, "w");
	}
	if (!f || fprintf(f, "%s\n", text) < 0 || fclose(f) != 0)
		ck_abort_msg("%s: %s", path, strerror(errno));
}

static void put_number(int v, int cpu, const char *file)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", v);
	put(text, "cpu/cpu%d/%s", cpu, file);
}

static struct pg_topo load(const char *allowed)
{
	struct pg_cpuset set;
	struct pg_topo t;
	struct pg_err err;

	ck_assert_int_eq(pg_cpulist_parse(allowed, strlen(allowed), &set, NULL, NULL), 0);
	if (pg_topo_load(root, &set, &t, &err) < 0)
		ck_abort_msg("%s", err.msg);
	pg_cpuset_release(&set);
	return t;
}

/* "ID:list ID:list" of a kind of domain. */
static void check_domains(const struct pg_topo *t, enum pg_domain kind, const char *want)
{
	struct pg_str s;

	pg_str_init(&s);
	for (size_t i = 0; i < t->domain[kind].n; i++) {
		pg_str_addf(&s, "%s%u:", i ? " " : "", t->domain[kind].ids[i]);
		pg_cpulist_format(&t->domain[kind].sets[i], &s);
	}
	if (!pg_streq(pg_str_text(&s), want))
		ck_abort_msg("kind %d: %s, not %s", (int)kind, pg_str_text(&s), want);
	pg_str_release(&s);
}

/* A desktop: 4 cores of 2 threads, numbered as Linux does on x86. */
static void small_machine(void)
{
	put("0-7", "cpu/online");
	for (int c = 0; c < 8; c++) {
		char list[32];

		snprintf(list, sizeof(list), "%d,%d", c % 4, c % 4 + 4);
		put(list, "cpu/cpu%d/topology/thread_siblings_list", c);
		put_number(c % 4, c, "topology/core_id");
		put_number(0, c, "topology/physical_package_id");
		put("1", "cpu/cpu%d/cache/index0/level", c);
		put("Data", "cpu/cpu%d/cache/index0/type", c);
		put(list, "cpu/cpu%d/cache/index0/shared_cpu_list", c);
		put("1", "cpu/cpu%d/cache/index1/level", c);
		put("Instruction", "cpu/cpu%d/cache/index1/type", c);
		put(list, "cpu/cpu%d/cache/index1/shared_cpu_list", c);
		put("3", "cpu/cpu%d/cache/index2/level", c);
		put("Unified", "cpu/cpu%d/cache/index2/type", c);
		put("0-7", "cpu/cpu%d/cache/index2/shared_cpu_list", c);
	}
	put("0", "node/online");
	put("0-7", "node/node0/cpulist");
}

START_TEST(one_node)
{
	struct pg_topo t;

	small_machine();
	t = load("0-7");
	ck_assert_uint_eq(pg_cpuset_count(&t.allowed), 8);
	ck_assert_uint_eq(pg_cpuset_count(&t.online), 8);
	ck_assert_uint_eq(t.domain[PG_DOMAIN_CPU].n, 8);
	check_domains(&t, PG_DOMAIN_CORE, "0:0,4 1:1,5 2:2,6 3:3,7");
	check_domains(&t, PG_DOMAIN_CACHE, "0:0-7");
	check_domains(&t, PG_DOMAIN_SOCKET, "0:0-7");
	check_domains(&t, PG_DOMAIN_NODE, "0:0-7");
	pg_topo_release(&t);
	ck_assert_uint_eq(t.domain[PG_DOMAIN_CORE].n, 0);
}
END_TEST

/* What a cpuset leaves: counts are of what is allowed. */
START_TEST(cpuset)
{
	struct pg_topo t;

	small_machine();
	t = load("6");
	check_domains(&t, PG_DOMAIN_CPU, "6:6");
	check_domains(&t, PG_DOMAIN_CORE, "2:6");
	check_domains(&t, PG_DOMAIN_CACHE, "6:6");
	check_domains(&t, PG_DOMAIN_SOCKET, "0:6");
	check_domains(&t, PG_DOMAIN_NODE, "0:6");
	ck_assert_uint_eq(pg_cpuset_count(&t.online), 8);
	pg_topo_release(&t);
	t = load("1-2,5");
	check_domains(&t, PG_DOMAIN_CORE, "1:1,5 2:2");
	pg_topo_release(&t);
}
END_TEST

/* Sparse node numbers, a node without CPUs, CPU 0 on node 8, a socket a node. */
START_TEST(sparse_nodes)
{
	struct pg_topo t;

	put("0-15", "cpu/online");
	for (int c = 0; c < 16; c++)
		put_number(c < 8 ? 8 : 0, c, "topology/physical_package_id");
	put("0,8,252-255", "node/online");
	put("8-15", "node/node0/cpulist");
	put("0-7", "node/node8/cpulist");
	for (int n = 252; n < 255; n++) /* memory only; 255 has no list at all */
		put("", "node/node%d/cpulist", n);
	t = load("0-15");
	check_domains(&t, PG_DOMAIN_NODE, "8:0-7 0:8-15");
	check_domains(&t, PG_DOMAIN_SOCKET, "8:0-7 0:8-15");
	ck_assert_uint_eq(t.domain[PG_DOMAIN_CORE].n, 16);
	pg_topo_release(&t);
	t = load("12-14"); /* a node without an allowed CPU is none */
	check_domains(&t, PG_DOMAIN_NODE, "0:12-14");
	pg_topo_release(&t);
}
END_TEST

/* CPU numbers with a hole: numbers are no counts. */
START_TEST(hole_in_cpus)
{
	struct pg_topo t;

	put("0-7,100-107", "cpu/online");
	for (int i = 0; i < 16; i++) {
		int c = i < 8 ? i : i + 92;
		char list[32];

		snprintf(list, sizeof(list), "%d-%d", c & ~1, c | 1);
		put(list, "cpu/cpu%d/topology/core_cpus_list", c);
		put_number(i < 8 ? 0 : 1, c, "topology/physical_package_id");
		put_number(i / 2 % 4, c, "topology/core_id"); /* the same numbers in each socket */
	}
	t = load("0-7,100-107");
	ck_assert_uint_eq(t.domain[PG_DOMAIN_CPU].n, 16);
	ck_assert_uint_eq(t.domain[PG_DOMAIN_CPU].ids[15], 107);
	check_domains(&t, PG_DOMAIN_CORE, "0:0-1 1:2-3 2:4-5 3:6-7 0:100-101 1:102-103 2:104-105 3:106-107");
	check_domains(&t, PG_DOMAIN_SOCKET, "0:0-7 1:100-107");
	pg_topo_release(&t);
}
END_TEST

/* No list of siblings: core and socket number together tell. */
START_TEST(cores_by_number)
{
	struct pg_topo t;

	for (int c = 0; c < 8; c++) {
		put_number(c / 4, c, "topology/physical_package_id");
		put_number(c % 2, c, "topology/core_id");
	}
	t = load("0-9"); /* 8 and 9 have no files: a core each */
	check_domains(&t, PG_DOMAIN_CORE, "0:0,2 1:1,3 0:4,6 1:5,7 8:8 9:9");
	pg_topo_release(&t);
}
END_TEST

START_TEST(no_files)
{
	struct pg_topo t;

	t = load("3,5-6");
	check_domains(&t, PG_DOMAIN_CPU, "3:3 5:5 6:6");
	check_domains(&t, PG_DOMAIN_CORE, "3:3 5:5 6:6");
	check_domains(&t, PG_DOMAIN_CACHE, "0:3,5-6");
	check_domains(&t, PG_DOMAIN_SOCKET, "0:3,5-6");
	check_domains(&t, PG_DOMAIN_NODE, "0:3,5-6");
	ck_assert(pg_cpuset_equal(&t.online, &t.allowed));
	pg_topo_release(&t);
}
END_TEST

/* Files with nonsense in them, or negative numbers ("unknown"), are as good as none. */
START_TEST(odd_files)
{
	struct pg_topo t;

	put("none", "cpu/online");
	for (int c = 0; c < 4; c++) {
		put("0-", "cpu/cpu%d/topology/thread_siblings_list", c);
		put("-1", "cpu/cpu%d/topology/core_id", c);
		put("-1", "cpu/cpu%d/topology/physical_package_id", c);
		put("99999999999999999999", "cpu/cpu%d/cache/index0/level", c);
	}
	put("zero", "node/online");
	t = load("0-3");
	check_domains(&t, PG_DOMAIN_CORE, "0:0 1:1 2:2 3:3");
	check_domains(&t, PG_DOMAIN_CACHE, "0:0-3");
	check_domains(&t, PG_DOMAIN_SOCKET, "0:0-3");
	check_domains(&t, PG_DOMAIN_NODE, "0:0-3");
	ck_assert(pg_cpuset_equal(&t.online, &t.allowed));
	pg_topo_release(&t);
}
END_TEST

/* Lists that contradict each other: every CPU is in one core all the same. */
START_TEST(contradictory_lists)
{
	struct pg_topo t;

	put("1-3", "cpu/cpu0/topology/core_cpus_list");
	put("0-3", "cpu/cpu1/topology/core_cpus_list");
	put("4,0,7", "cpu/cpu4/topology/core_cpus_list");
	put("4", "cpu/cpu7/topology/core_cpus_list");
	t = load("0-4,7");
	check_domains(&t, PG_DOMAIN_CORE, "0:0-3 4:4,7");
	pg_topo_release(&t);
}
END_TEST

/* Two last-level caches of different index numbers, one CPU without any. */
START_TEST(caches)
{
	struct pg_topo t;

	for (int c = 0; c < 4; c++) {
		put("1", "cpu/cpu%d/cache/index0/level", c);
		put("Data", "cpu/cpu%d/cache/index0/type", c);
		put("2", "cpu/cpu%d/cache/index1/level", c);
		put("Unified", "cpu/cpu%d/cache/index1/type", c);
		put(c < 2 ? "0-1" : "2-3", "cpu/cpu%d/cache/index1/shared_cpu_list", c);
		put_number(c < 2 ? 10 : 11, c, "cache/index1/id");
	}
	t = load("0-4");
	check_domains(&t, PG_DOMAIN_CACHE, "10:0-1 11:2-3 0:4");
	pg_topo_release(&t);
}
END_TEST

/* 4096 CPUs: a core of 4, a socket of 256, a node of 128. The lists stand with the first CPU of a core alone: the
 * others are not looked at. */
START_TEST(large_machine)
{
	struct pg_topo t;
	char list[32];

	put("0-4095", "cpu/online");
	put("0-31", "node/online");
	for (int c = 0; c < 4096; c++) {
		put_number(c / 256, c, "topology/physical_package_id");
		snprintf(list, sizeof(list), "%d-%d", c & ~3, c | 3);
		if (c % 4 == 0)
			put(list, "cpu/cpu%d/topology/core_cpus_list", c);
		snprintf(list, sizeof(list), "%d-%d", c & ~127, c | 127);
		if (c % 128 == 0)
			put(list, "node/node%d/cpulist", c / 128);
	}
	t = load("0-4095");
	ck_assert_uint_eq(t.domain[PG_DOMAIN_CPU].n, 4096);
	ck_assert_uint_eq(t.domain[PG_DOMAIN_CORE].n, 1024);
	ck_assert_uint_eq(t.domain[PG_DOMAIN_CACHE].n, 1);
	ck_assert_uint_eq(t.domain[PG_DOMAIN_SOCKET].n, 16);
	ck_assert_uint_eq(t.domain[PG_DOMAIN_NODE].n, 32);
	ck_assert_uint_eq(pg_cpuset_count(&t.domain[PG_DOMAIN_SOCKET].sets[15]), 256);
	ck_assert_int_eq(pg_cpuset_next(&t.domain[PG_DOMAIN_NODE].sets[31], -1), 3968);
	pg_topo_release(&t);
}
END_TEST

START_TEST(real_machine)
{
	struct pg_topo t;
	struct pg_cpuset mine;
	struct pg_err err;

	ck_assert_int_eq(pg_topo_load("", NULL, &t, &err), 0);
	ck_assert_int_eq(pg_affinity_get(0, &mine, &err), 0);
	ck_assert(pg_cpuset_equal(&t.allowed, &mine));
	ck_assert(pg_cpuset_subset(&t.allowed, &t.online));
	ck_assert_uint_eq(t.domain[PG_DOMAIN_CPU].n, pg_cpuset_count(&mine));
	for (int kind = PG_DOMAIN_CORE; kind < PG_DOMAINS; kind++) {
		size_t members = 0;

		ck_assert_uint_ge(t.domain[kind].n, 1);
		for (size_t i = 0; i < t.domain[kind].n; i++) {
			members += pg_cpuset_count(&t.domain[kind].sets[i]);
			ck_assert(pg_cpuset_subset(&t.domain[kind].sets[i], &mine));
		}
		ck_assert_uint_eq(members, pg_cpuset_count(&mine));
	}
	pg_topo_release(&t);
	pg_cpuset_release(&mine);
}
END_TEST

START_TEST(nothing_allowed)
{
	struct pg_cpuset none;
	struct pg_topo t;
	struct pg_err err;

	pg_cpuset_init(&none);
	ck_assert_int_eq(pg_topo_load(root, &none, &t, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "no CPU is allowed"));
}
END_TEST

/* With fixtures, unlike the other programs. */
int main(void)
{
	static const TTest *const *const tests[] = {
		&one_node,	  &cpuset,	  &sparse_nodes, &hole_in_cpus,
		&cores_by_number, &no_files,	  &odd_files,	 &contradictory_lists,
		&caches,	  &large_machine, &real_machine, &nothing_allowed};
	Suite *s = suite_create("base_topo");
	TCase *tc = tcase_create("base_topo");
	SRunner *sr;
	int failed;

	tcase_add_unchecked_fixture(tc, make_base, remove_base);
	tcase_add_checked_fixture(tc, make_root, NULL);
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++)
		tcase_add_test(tc, *tests[i]);
	suite_add_tcase(s, tc);
	sr = srunner_create(s);
	srunner_run_all(sr, CK_ENV);
	failed = srunner_ntests_failed(sr);
	srunner_free(sr);
	return failed != 0;
}
