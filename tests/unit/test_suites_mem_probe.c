/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What mem/memcpy and mem/memset take and refuse: rows, rules across params, what this machine cannot do. Machines with
 * and without huge pages are fake /sys trees.
 */
#include "tests/support/pgtest.h"

#include "tests/support/pgsuite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "suites/mem.h"

extern const struct pg_suite pg_suite_mem;

#define KB UINT64_C(1024)
#define MB (KB * 1024)

enum { COPY, SET };

START_TEST(checks)
{
	static const struct {
		const char *settings, *wrong; /* NULL = good */
	} c[] = {
		{"size=4KB chunk=4KB", NULL},
		{"size=4KB chunk=4097B", "chunk 4097B is more than size 4KB"},
		{"size=1B chunk=2B", "chunk 2B is more than size 1B"},
		{"size=4KB chunk=whole", NULL},
		{"size=16TB loops=524287", NULL},
		{"size=16TB loops=524288", "524288 loops over 16TB pass 2^63 bytes"},
		{"size=9223373B loops=1000000000000", "pass 2^63 bytes"},
		{"size=9223372B loops=1000000000000", NULL},
	};
	struct ps_bench r;

	for (int bench = COPY; bench <= SET; bench++) {
		ps_bind(&r, pg_suite_mem.benches[bench], c[_i].settings);
		if (!c[_i].wrong) {
			ck_assert_msg(r.bench->check(r.conf, &r.err) == 0, "%s", r.err.msg);
		} else {
			ck_assert_int_eq(r.bench->check(r.conf, &r.err), -1);
			ck_assert_int_eq(r.err.code, PG_EINPUT);
			ck_assert_msg(strstr(r.err.msg, c[_i].wrong), "%s", r.err.msg);
		}
		ps_done(&r);
	}
}
END_TEST

static const struct pg_param *row_of(int bench, const char *name)
{
	return pg_param_find(pg_suite_mem.benches[bench]->params, name, NULL);
}

/* Both benches number their routines alike; every word that `all` gives can really run. */
START_TEST(function_rows)
{
	const struct pg_choice *copies = row_of(COPY, "function")->choices, *sets = row_of(SET, "function")->choices;

	ck_assert_uint_eq(pg_choice_count(copies), PG_MEM_FUNCTIONS);
	ck_assert_uint_eq(pg_choice_count(sets), PG_MEM_FUNCTIONS);
	for (int i = 0; i < PG_MEM_FUNCTIONS; i++)
		ck_assert_int_eq(strcmp(copies[i].name, sets[i].name) != 0, i == PG_MEM_QUAD || i == PG_MEM_BYTE);
	ck_assert_str_eq(copies[PG_MEM_QUAD].name, "x86-64-movsq");
	ck_assert_str_eq(copies[PG_MEM_BYTE].name, "x86-64-movsb");
	ck_assert_str_eq(sets[PG_MEM_QUAD].name, "x86-64-stosq");
	ck_assert_str_eq(sets[PG_MEM_BYTE].name, "x86-64-stosb");
	ck_assert_str_eq(copies[PG_MEM_AVX512_NONTEMPORAL].name, "x86-64-avx512-nontemporal");
	ck_assert_ptr_null(row_of(SET, "source_offset"));
	ck_assert_str_eq(pg_param_default(row_of(COPY, "loops")), "auto");
	ck_assert_str_eq(row_of(COPY, "loops")->def, "1");
}
END_TEST

/* A fake /sys below a fresh folder: "path=text" each. */
static void fake_root(char *root, const char *const *files)
{
	strcpy(root, "/tmp/pg-mem-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	for (; *files; files++) {
		const char *eq = strchr(*files, '=');
		char path[512];
		FILE *f;

		snprintf(path, sizeof(path), "%s/sys/kernel/mm/%.*s", root, (int)(eq - *files), *files);
		for (char *s = path + strlen(root) + 1; (s = strchr(s, '/')); s++) {
			*s = '\0';
			mkdir(path, 0700);
			*s = '/';
		}
		f = fopen(path, "w");
		ck_assert_ptr_nonnull(f);
		fputs(eq + 1, f);
		fclose(f);
	}
}

static void remove_root(const char *root)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -r %s", root);
	ck_assert_int_eq(system(command), 0);
}

#define POOL_2M "hugepages/hugepages-2048kB/"

static const struct probe_case {
	const char *settings;
	uint64_t bytes;
	const char *why; /* NULL = can run */
	const char *files[6];
} probe_cases[] = {
	{"size=1B", 8 * KB, NULL, {NULL}},
	{"size=4KB destination_offset=1B", 12 * KB, NULL, {NULL}},
	{"size=1B source_offset=64KB destination_offset=64KB", 136 * KB, NULL, {NULL}},
	{"size=1MB transparent_huge_pages=never", 2 * MB, NULL, {NULL}},
	{"size=16TB", 32 * MB *MB, NULL, {NULL}},
	{"page_size=2MB", 0, "this kernel has no pages of 2MB; page_size can be 4KB", {NULL}},
	{"page_size=3MB",
	 0,
	 "no pages of 3MB; page_size can be 4KB, 2MB, 1GB",
	 {"hugepages/hugepages-1048576kB/free_hugepages=0\n", POOL_2M "free_hugepages=9\n"}},
	{"page_size=2MB",
	 0,
	 "reserved pages of 2MB: 2 needed, 0 free; reserve more through",
	 {POOL_2M "free_hugepages=0\n", POOL_2M "nr_overcommit_hugepages=0\n"}},
	{"page_size=2MB", 0, "reserved pages of 2MB: 2 needed, 1 free", {POOL_2M "free_hugepages=1\n"}},
	{"page_size=2MB", 0, NULL, {POOL_2M "free_hugepages=2\n"}},
	{"page_size=2MB",
	 0,
	 "reserved pages of 2MB: 2 needed, 1 free",
	 {POOL_2M "free_hugepages=3\n", POOL_2M "resv_hugepages=2\n"}},
	{"page_size=2MB",
	 0,
	 NULL,
	 {POOL_2M "free_hugepages=1\n", POOL_2M "nr_overcommit_hugepages=3\n", POOL_2M "surplus_hugepages=2\n"}},
	{"page_size=2MB size=2MB source_offset=1B", 0, "3 needed, 2 free", {POOL_2M "free_hugepages=2\n"}},
	{"page_size=2MB transparent_huge_pages=advise",
	 0,
	 "transparent_huge_pages advise is for the base page, page_size is 2MB",
	 {POOL_2M "free_hugepages=9\n"}},
	{"page_size=2MB transparent_huge_pages=never", 0, NULL, {POOL_2M "free_hugepages=9\n"}},
	{"transparent_huge_pages=advise", 0, "this kernel has no transparent huge pages", {NULL}},
	{"transparent_huge_pages=advise",
	 0,
	 "transparent huge pages are off; write madvise to /sys/kernel/mm/transparent_hugepage/enabled",
	 {"transparent_hugepage/enabled=always madvise [never]\n"}},
	{"transparent_huge_pages=advise",
	 2 * (4 * MB - 4 * KB),
	 NULL,
	 {"transparent_hugepage/enabled=always [madvise] never\n"}},
	{"transparent_huge_pages=advise",
	 2 * (MB + 512 * KB - 4 * KB),
	 NULL,
	 {"transparent_hugepage/enabled=[always] madvise never\n", "transparent_hugepage/hpage_pmd_size=524288\n"}},
	{"transparent_huge_pages=advise",
	 0,
	 "hugepages-2048kB/enabled",
	 {"transparent_hugepage/enabled=[always] madvise never\n",
	  "transparent_hugepage/hugepages-2048kB/enabled=always inherit madvise [never]\n"}},
	{"transparent_huge_pages=advise",
	 0,
	 "are off; write madvise to /sys/kernel/mm/transparent_hugepage/enabled",
	 {"transparent_hugepage/enabled=always madvise [never]\n",
	  "transparent_hugepage/hugepages-2048kB/enabled=always [inherit] madvise never\n"}},
	{"transparent_huge_pages=advise",
	 2 * (4 * MB - 4 * KB),
	 NULL,
	 {"transparent_hugepage/enabled=always madvise [never]\n",
	  "transparent_hugepage/hugepages-2048kB/enabled=always inherit [madvise] never\n"}},
	{"transparent_huge_pages=never", 2 * MB, NULL, {"transparent_hugepage/enabled=[always] madvise never\n"}},
};
#define PROBE_CASES ((int)(sizeof(probe_cases) / sizeof(probe_cases[0])))

START_TEST(probes)
{
	const struct probe_case *c = &probe_cases[_i];
	char root[64];
	struct pg_probe_env env = {.root = root};
	struct pg_need need = {0};
	struct ps_bench r;
	int got;

	if (sysconf(_SC_PAGESIZE) != 4096)
		return; /* the numbers are those of 4 KiB pages */
	fake_root(root, c->files);
	ps_bind(&r, pg_suite_mem.benches[COPY], c->settings);
	got = r.bench->probe(r.conf, &env, &need, &r.err);
	remove_root(root);
	if (c->why) {
		ck_assert_int_eq(got, -1);
		ck_assert_int_eq(r.err.code, PG_EUNSUPPORTED);
		ck_assert_msg(strstr(r.err.msg, c->why), "%s", r.err.msg);
	} else {
		ck_assert_msg(got == 0, "%s", r.err.msg);
		ck_assert_uint_eq(need.bytes, c->bytes);
	}
	ck_assert(need.tasks == 0 && need.descriptors == 0 && need.pipes == 0 && need.caps == 0);
	ps_done(&r);
}
END_TEST

/* memset has one buffer. */
START_TEST(probe_of_memset)
{
	struct pg_probe_env env = {.root = ""};
	struct pg_need need = {0};
	struct ps_bench r;

	ps_bind(&r, pg_suite_mem.benches[SET], "size=1MB");
	ck_assert_int_eq(r.bench->probe(r.conf, &env, &need, &r.err), 0);
	ck_assert_uint_eq(need.bytes, MB);
	ps_done(&r);
}
END_TEST

/* Routines that this CPU lacks are refused by name, with the reason. */
START_TEST(probe_of_function)
{
	const struct pg_choice *choice = &row_of(_i % 2, "function")->choices[_i / 2];
	struct pg_probe_env env = {.root = ""};
	struct pg_need need = {0};
	const char *why = NULL;
	char settings[64];
	struct ps_bench r;

	snprintf(settings, sizeof(settings), "function=%s", choice->name);
	ps_bind(&r, pg_suite_mem.benches[_i % 2], settings);
	ck_assert_int_eq(r.bench->probe(r.conf, &env, &need, &r.err), pg_mem_function_probe(_i / 2, &why));
	if (why) {
		ck_assert_int_eq(r.err.code, PG_EUNSUPPORTED);
		ck_assert(strstr(r.err.msg, choice->name) && strstr(r.err.msg, why));
	}
	ps_done(&r);
}
END_TEST

PG_TEST_MAIN("suites_mem_probe", ((const struct pg_test[]){
					 {checks, 8},
					 {function_rows, 0},
					 {probes, PROBE_CASES},
					 {probe_of_memset, 0},
					 {probe_of_function, 2 * PG_MEM_FUNCTIONS},
					 {NULL, 0},
				 }))
