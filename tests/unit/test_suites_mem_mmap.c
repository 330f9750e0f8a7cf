/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mem/mmap: counts, parts of the time, pages made early or late, refusals, failures of threads. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "suites/mem.h"
#include "tests/support/pgdeny.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

#define KB UINT64_C(1024)
#define MB (KB * 1024)

static uint64_t base_page(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/* The base page is the default of page_size where it has 4 KiB only. */
static void bind(struct ps_bench *b, const char *params)
{
	char all[256];

	snprintf(all, sizeof(all), "page_size=%lluB %s", (unsigned long long)base_page(), params);
	ps_bind(b, &pg_mem_mmap, all);
}

static void rep(struct ps_bench *b, const char *params)
{
	const struct ps_around before = ps_look();

	bind(b, params);
	ck_assert_msg(ps_rep(b) == 0, "%s", b->err.msg);
	ps_same(&before);
}

START_TEST(counts)
{
	static const struct {
		const char *params;
		uint64_t size, loops, threads;
	} c[] = {
		{"size=64KB loops=1 threads=1", 64 * KB, 1, 1},
		{"size=64KB loops=7 threads=1", 64 * KB, 7, 1},
		{"size=1MB loops=3 threads=2", MB, 3, 2},
		{"size=256KB loops=5 threads=9", 256 * KB, 5, 9},
		{"size=1MB loops=2 threads=3 pattern=random", MB, 2, 3},
		{"size=1MB loops=2 threads=3 function=populate", MB, 2, 3},
		{"size=1MB loops=2 threads=2 placement=same-cpu", MB, 2, 2},
		{"size=1MB loops=2 threads=2 transparent_huge_pages=never function=populate pattern=random", MB, 2, 2},
	};
	const int64_t maps = (int64_t)(c[_i].loops * c[_i].threads);
	struct ps_bench b;

	rep(&b, c[_i].params);
	ck_assert_int_eq(ps_raw(&b, "mappings"), maps);
	ck_assert_int_eq(ps_raw(&b, "pages"), maps * (int64_t)(c[_i].size / base_page()));
	ck_assert_int_eq(ps_raw(&b, "bytes"), maps * (int64_t)c[_i].size);
	ps_done(&b);
}
END_TEST

/* The parts make the whole: of one thread they fit into the time since the gate, of n threads into n times that. */
START_TEST(parts_of_the_time)
{
	static const struct {
		const char *params;
		int64_t threads;
	} c[] = {{"size=1MB loops=20 threads=1", 1}, {"size=1MB loops=20 threads=4", 4}};
	struct ps_bench b;
	int64_t parts;

	rep(&b, c[_i].params);
	parts = ps_raw(&b, "map_time_total") + ps_raw(&b, "touch_time_total");
	ck_assert_int_gt(ps_raw(&b, "map_time_total"), 0);
	ck_assert_int_gt(ps_raw(&b, "unmap_time_total"), 0);
	ck_assert_int_eq(ps_raw(&b, "busy_time_total"), parts);
	ck_assert_int_le(parts + ps_raw(&b, "unmap_time_total"), c[_i].threads * ps_raw(&b, "work_time_total"));
	ck_assert_int_eq(b.run.timed_ns, ps_raw(&b, "work_time_total"));
	ps_done(&b);
}
END_TEST

/* thread_bandwidth is size x loops / mean of the threads' times, bandwidth counts all of them together. */
START_TEST(values_follow_from_samples)
{
	const struct pg_metric *rows = pg_mem_mmap.metrics;
	struct pg_sample s[4];
	static const char *const names[] = {"bytes", "busy_time_total", "work_time_total", "pages"};
	static const int64_t raws[] = {2 * 3 * 1048576, 2 * 3000000, 4000000, 2 * 3 * 256};
	size_t row;
	double v;

	for (size_t i = 0; i < 4; i++) {
		pg_metric_find(rows, names[i], &row);
		s[i] = (struct pg_sample){.raw = raws[i], .metric = (uint32_t)row};
		s[i].exp10 = (int8_t)pg_unit_exp(rows[row].unit);
	}
	pg_metric_find(rows, "thread_bandwidth", &row);
	ck_assert(pg_metric_value(rows, row, s, 4, &v));
	ck_assert_double_eq_tol(v, 3 * 1048576 / 3e-3, 1);
	pg_metric_find(rows, "bandwidth", &row);
	ck_assert(pg_metric_value(rows, row, s, 4, &v));
	ck_assert_double_eq_tol(v, 6 * 1048576 / 4e-3, 1);
}
END_TEST

static long mapped_pages(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long size;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%ld", &size), 1);
	fclose(f);
	return size;
}

/* Everything mapped is unmapped: the address space of many passes is no larger than of few. */
START_TEST(nothing_stays_mapped)
{
	struct ps_bench b;
	long before;

	rep(&b, "size=1MB loops=2 threads=2");
	ps_done(&b);
	before = mapped_pages();
	rep(&b, "size=1MB loops=50 threads=2");
	ps_done(&b);
	ck_assert_int_le(mapped_pages(), before + (long)(4 * MB / base_page()));
}
END_TEST

/* Are the pages there when the mapping is? */
START_TEST(when_pages_are_made)
{
	const bool populate = _i % 2;
	const struct pg_mem_pages pages = {base_page(), _i / 2 ? PG_MEM_THP_NEVER : PG_MEM_THP_SYSTEM, ""};
	const struct pg_mem_layout layout = pg_mem_layout(&pages, 0, 64 * base_page(), populate);
	unsigned char there[64];
	struct pg_mem_map map;

	if (populate && _i / 2 && madvise(NULL, 0, 23))
		return; /* Linux before 5.14: the probe refuses this */
	ck_assert_int_eq(pg_mem_map_laid(&map, &layout, 0), 0);
	ck_assert_int_eq(mincore(map.base, map.length, there), 0);
	for (int i = 0; i < 64; i++)
		ck_assert_int_eq(there[i] & 1, populate);
	ck_assert_int_eq(pg_mem_unmap(&map), 0);
	ck_assert_ptr_null(map.base);
	ck_assert_int_eq(pg_mem_unmap(&map), 0);
}
END_TEST

/* With advice for huge pages a touched mapping has fewer faults than base pages (where there are any). */
START_TEST(advice_is_followed)
{
	static const char *const params[] = {"size=8MB loops=1 transparent_huge_pages=never",
					     "size=8MB loops=1 transparent_huge_pages=advise"};
	long faults[2] = {0};
	struct pg_need need;
	struct rusage before, after;
	struct ps_bench b;

	for (int i = 0; i < 2; i++) {
		bind(&b, params[i]);
		if (ps_probe(&b, &need) == 0) {
			getrusage(RUSAGE_SELF, &before);
			ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
			getrusage(RUSAGE_SELF, &after);
			faults[i] = after.ru_minflt - before.ru_minflt;
		}
		ps_done(&b);
	}
	ck_assert_int_ge(faults[0], (long)(8 * MB / base_page()));
	ck_assert_int_lt(faults[1], faults[0]);
}
END_TEST

START_TEST(checks)
{
	static const struct {
		const char *params, *wrong;
	} c[] = {
		{"page_size=4KB size=4KB", NULL},
		{"page_size=4KB size=5KB", "size 5KB is no multiple of page_size 4KB; take whole pages"},
		{"page_size=4KB size=1B", "size 1B is no multiple of page_size 4KB"},
		{"page_size=2MB", "size 1MB is no multiple of page_size 2MB"},
		{"page_size=2MB size=4MB", NULL},
		{"size=16TB loops=524287", NULL},
		{"size=16TB loops=524288", "pass 2^63 bytes"},
		{"size=16TB loops=262144 threads=2", "262144 loops over 16TB in 2 threads pass 2^63 bytes"},
		{"size=16TB loops=1000000000000 threads=100000", "pass 2^63 bytes"},
	};
	struct ps_bench b;

	ps_bind(&b, &pg_mem_mmap, c[_i].params);
	ck_assert_int_eq(b.bench->check(b.conf, &b.err), c[_i].wrong ? -1 : 0);
	if (c[_i].wrong) {
		ck_assert_int_eq(b.err.code, PG_EINPUT);
		ck_assert_msg(strstr(b.err.msg, c[_i].wrong), "%s", b.err.msg);
	}
	ps_done(&b);
}
END_TEST

static void put(const char *root, const char *path, const char *text)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof(full), "%s/%s", root, path);
	for (char *s = full + strlen(root) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(full, 0700);
		*s = '/';
	}
	f = fopen(full, "we");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

/* Reserved pages are counted for all threads together, on a fake machine that has five. */
START_TEST(reserved_pages_of_all_threads)
{
	static const struct {
		const char *params, *why;
	} c[] = {
		{"page_size=2MB size=2MB threads=5", NULL},
		{"page_size=2MB size=2MB threads=6", "reserved pages of 2MB: 6 needed, 5 free"},
		{"page_size=2MB size=4MB threads=3", "reserved pages of 2MB: 6 needed, 5 free"},
		{"page_size=1GB size=1GB", "this kernel has no pages of 1GB; page_size can be 4KB, 2MB"},
	};
	char root[] = "/tmp/pg-mmap-XXXXXX", command[64];
	struct pg_probe_env env = {.root = root};
	struct pg_need need = {0};
	struct ps_bench b;

	if (base_page() != 4096)
		return; /* the texts are those of 4 KiB pages */
	ck_assert_ptr_nonnull(mkdtemp(root));
	put(root, "sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages", "5\n");
	ps_bind(&b, &pg_mem_mmap, c[_i].params);
	ck_assert_int_eq(b.bench->probe(b.conf, &env, &need, &b.err), c[_i].why ? -1 : 0);
	if (c[_i].why)
		ck_assert_msg(strstr(b.err.msg, c[_i].why), "%s", b.err.msg);
	else
		ck_assert_uint_eq(need.tasks, 5);
	ps_done(&b);
	snprintf(command, sizeof(command), "rm -r %s", root);
	ck_assert_int_eq(system(command), 0);
}
END_TEST

/* On a machine with reserved pages the bench uses them; else it says what is missing. */
START_TEST(reserved_pages)
{
	struct pg_need need;
	struct ps_bench b;

	ps_bind(&b, &pg_mem_mmap, "page_size=2MB size=4MB loops=3 threads=1");
	if (ps_probe(&b, &need)) {
		ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
	} else {
		ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
		ck_assert_int_eq(ps_raw(&b, "pages"), 6);
	}
	ps_done(&b);
}
END_TEST

START_TEST(need_counts_all_threads)
{
	struct pg_need one, four;
	struct ps_bench b;

	bind(&b, "size=64MB threads=1");
	ck_assert_int_eq(ps_probe(&b, &one), 0);
	ps_done(&b);
	bind(&b, "size=64MB threads=4");
	ck_assert_int_eq(ps_probe(&b, &four), 0);
	ps_done(&b);
	ck_assert_uint_eq(one.tasks, 1);
	ck_assert_uint_eq(four.tasks, 4);
	ck_assert_uint_eq(four.bytes, 4 * one.bytes);
	ck_assert_uint_gt(one.bytes, 64 * MB);
}
END_TEST

/* Sanitizers need address space and unmapping for themselves. */
#ifdef PG_SANITIZED
#define SANITIZED true
#else
#define SANITIZED false
#endif

static int no_room(void *arg)
{
	const struct rlimit limit = {.rlim_cur = 256 * MB, .rlim_max = 256 * MB};
	const struct ps_around before = ps_look();
	struct ps_bench *b = arg;

	setrlimit(RLIMIT_AS, &limit);
	if (ps_rep(b) == 0)
		return 1;
	ps_same(&before);
	return strstr(b->err.msg, "cannot map 1073741824 bytes; lower size or threads: Cannot allocate memory") ? 0 : 2;
}

/* A thread that cannot map ends the rep with its reason; the others are not waited for. */
START_TEST(mapping_fails)
{
	struct ps_bench b;

	if (SANITIZED)
		return;
	bind(&b, "size=1GB threads=3 loops=1000");
	ck_assert_int_eq(ps_in_child(no_room, &b), 0);
	ps_done(&b);
}
END_TEST

static int no_unmapping(void *arg)
{
	struct ps_bench *b = arg;

	if (pg_deny(SYS_munmap, EPERM))
		return 50;
	if (ps_rep(b) == 0)
		return 1;
	return strstr(b->err.msg, "cannot unmap: Operation not permitted") ? 0 : 2;
}

START_TEST(unmapping_fails)
{
	struct ps_bench b;
	int r;

	if (SANITIZED)
		return;
	bind(&b, "size=64KB threads=2 loops=3");
	r = ps_in_child(no_unmapping, &b);
	ck_assert_msg(r == 0 || r == 50, "%d", r);
	ps_done(&b);
}
END_TEST

PG_TEST_MAIN("suites_mem_mmap", ((const struct pg_test[]){
					{counts, 8},
					{parts_of_the_time, 2},
					{values_follow_from_samples, 0},
					{nothing_stays_mapped, 0},
					{when_pages_are_made, 4},
					{advice_is_followed, 0},
					{checks, 9},
					{reserved_pages_of_all_threads, 4},
					{reserved_pages, 0},
					{need_counts_all_threads, 0},
					{mapping_fails, 0},
					{unmapping_fails, 0},
					{NULL, 0},
				}))
