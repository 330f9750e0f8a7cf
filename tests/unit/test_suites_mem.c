/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem/memcpy and mem/memset as benches: what a rep records, what it leaves in memory, what it maps and
 * unmaps.
 */
#include "tests/support/pgtest.h"

#include "tests/support/pgsuite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "suites/mem.h"

extern const struct pg_suite pg_suite_mem;

#define KB UINT64_C(1024)
#define MB (KB * 1024)

enum { COPY, SET };
enum { M_BANDWIDTH, M_TIME, M_TIME_PER_OP, M_BYTES, M_CALLS }; /* the rows, in their order */

/* Mappings of this process, and their pages: neighbours may merge into one line. */
struct mapped {
	size_t lines;
	unsigned long pages;
};

static struct mapped mapped(void)
{
	FILE *f = fopen("/proc/self/maps", "r"), *g = fopen("/proc/self/statm", "r");
	struct mapped m = {0};
	int c;

	ck_assert(f && g);
	while ((c = getc(f)) != EOF)
		m.lines += c == '\n';
	ck_assert_int_eq(fscanf(g, "%lu", &m.pages), 1);
	fclose(f);
	fclose(g);
	return m;
}

static void nothing_left(struct mapped before)
{
	struct mapped now = mapped();

#ifdef PG_SANITIZED
	now = before; /* sanitizers map memory of their own at any time */
#endif
	ck_assert_uint_eq(now.lines, before.lines);
	ck_assert_uint_eq(now.pages, before.pages);
}

/* VmFlags of the mapping that holds p, and the size of its pages in kB. */
static void look_at_mapping(const void *p, char *flags, size_t cap, unsigned long *page_kb)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	unsigned long from, to;
	bool inside = false;
	char line[512];

	ck_assert_ptr_nonnull(f);
	flags[0] = '\0';
	*page_kb = 0;
	while (fgets(line, sizeof(line), f)) {
		if (sscanf(line, "%lx-%lx ", &from, &to) == 2)
			inside = (unsigned long)p >= from && (unsigned long)p < to;
		else if (inside && strncmp(line, "VmFlags:", 8) == 0)
			snprintf(flags, cap, "%.*s", (int)cap - 1, line + 8);
		else if (inside)
			sscanf(line, "KernelPageSize: %lu kB", page_kb);
	}
	fclose(f);
}

static void same_bytes(const unsigned char *p, int byte, uint64_t n, const char *where)
{
	uint64_t i = 0;

	while (i < n && p[i] == byte)
		i++;
	ck_assert_msg(i == n, "%s: byte %llu of %llu is not %d", where, (unsigned long long)i, (unsigned long long)n,
		      byte);
}

/* The whole destination is done, and of the pages around it nothing. */
static void check_memory(const struct ps_bench *r, int bench, uint64_t loops)
{
	const struct pg_mem_state *s = r->run.state;
	const unsigned char *base = s->destination.base, *start = s->destination.start;

	same_bytes(base, 0, (uint64_t)(start - base), "before the buffer");
	same_bytes(start + s->size, 0, s->destination.length - (uint64_t)(start - base) - s->size, "behind the buffer");
	if (bench == SET) {
		same_bytes(start, (int)((loops - 1) & 0xff), s->size, "buffer");
		return;
	}
	ck_assert_int_eq(memcmp(start, s->source.start, s->size), 0);
	ck_assert(memchr(s->source.start, 0, s->size) != s->source.start);
}

static const struct run_case {
	const char *settings;
	uint64_t size, loops, calls;
} run_cases[] = {
	{"", MB, 1, 1},
	{"size=1B", 1, 1, 1},
	{"size=1B loops=1000", 1, 1000, 1000},
	{"size=1000B loops=3 chunk=300B", 1000, 3, 12},
	{"size=1000B loops=3 chunk=1000B", 1000, 3, 3},
	{"size=1000B loops=2 chunk=999B", 1000, 2, 4},
	{"size=1000B loops=2 chunk=1B", 1000, 2, 2000},
	{"size=100001B loops=257 chunk=4KB destination_offset=64KB", 100001, 257, 257 * 25},
	{"size=4097B loops=300 destination_offset=1B", 4097, 300, 300},
	{"size=3MB loops=2 transparent_huge_pages=never", 3 * MB, 2, 2},
	{"size=3MB loops=2 function=portable", 3 * MB, 2, 2},
	{"size=777B loops=5 function=x86-64-unrolled chunk=100B", 777, 5, 40},
	{"size=777B loops=5 function=x86-64-sse2-nontemporal chunk=100B", 777, 5, 40},
	{"size=64KB loops=5 function=x86-64-avx2 destination_offset=9B", 64 * KB, 5, 5},
	{"size=64KB loops=5 function=x86-64-avx512-nontemporal destination_offset=9B", 64 * KB, 5, 5},
};
#define RUN_CASES ((int)(sizeof(run_cases) / sizeof(run_cases[0])))

START_TEST(reps)
{
	const struct run_case *c = &run_cases[_i / 2];
	int bench = _i % 2;
	struct pg_probe_env env = {.root = ""};
	struct pg_need need = {0};
	struct ps_bench r;
	struct mapped before = {0};

	ps_bind(&r, pg_suite_mem.benches[bench], c->settings);
	if (r.bench->probe(r.conf, &env, &need, &r.err)) {
		ck_assert_int_eq(r.err.code, PG_EUNSUPPORTED);
		ps_done(&r);
		return;
	}
	ck_assert_int_eq(r.bench->check(r.conf, &r.err), 0);
	/* Twice: the first time the C library may map something for itself. */
	for (int i = 0; i < 2; i++) {
		memset(r.run.acc, 0, sizeof(r.run.acc));
		before = mapped();
		ck_assert_msg(r.bench->setup(&r.run, &r.err) == 0, "%s", r.err.msg);
		ck_assert_int_eq(r.bench->once(&r.run, &r.err), 0);
		check_memory(&r, bench, c->loops);
		r.bench->teardown(&r.run);
		ck_assert_ptr_null(r.run.state);
	}
	nothing_left(before);
	ck_assert_int_gt(r.run.acc[M_TIME].raw, 0);
	ck_assert_int_eq(r.run.acc[M_BYTES].raw, (int64_t)(c->size * c->loops));
	ck_assert_int_eq(r.run.acc[M_CALLS].raw, (int64_t)c->calls);
	for (unsigned m = M_TIME; m <= M_CALLS; m++)
		ck_assert_uint_eq(r.run.acc[m].n, m == M_TIME_PER_OP ? 0 : 1);
	ps_done(&r);
}
END_TEST

/* Buffers begin where they were asked to; each is a mapping of its own size. */
START_TEST(offsets)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const struct pg_mem_state *s;
	struct ps_bench r;

	ps_bind(&r, pg_suite_mem.benches[COPY], "size=10000B source_offset=16B destination_offset=5000B");
	ck_assert_int_eq(r.bench->setup(&r.run, &r.err), 0);
	s = r.run.state;
	ck_assert_uint_eq((uintptr_t)s->source.start % page, 16);
	ck_assert_uint_eq((uintptr_t)s->destination.start % page, 5000 % page);
	ck_assert_uint_eq(s->source.length, (10016 + page - 1) / page * page);
	ck_assert_uint_eq(s->destination.length, (15000 + page - 1) / page * page);
	ck_assert(s->source.start + s->size <= (unsigned char *)s->source.base + s->source.length);
	r.bench->teardown(&r.run);
	ps_done(&r);
}
END_TEST

/* Before anything is timed both buffers are written, with no byte row of zeros in them. */
START_TEST(filled_before)
{
	const struct pg_mem_state *s;
	uint64_t word, zeros = 0;
	struct ps_bench r;

	ps_bind(&r, pg_suite_mem.benches[COPY], "size=65539B");
	ck_assert_int_eq(r.bench->setup(&r.run, &r.err), 0);
	s = r.run.state;
	for (uint64_t i = 0; i + 8 <= s->size; i += 8) {
		memcpy(&word, s->source.start + i, 8);
		zeros += word == 0;
	}
	ck_assert_uint_eq(zeros, 0);
	/* The untimed pass was one. */
	ck_assert_int_eq(memcmp(s->source.start, s->destination.start, s->size), 0);
	r.bench->teardown(&r.run);
	ps_done(&r);
	ps_bind(&r, pg_suite_mem.benches[SET], "size=65539B chunk=1000B");
	ck_assert_int_eq(r.bench->setup(&r.run, &r.err), 0);
	s = r.run.state;
	same_bytes(s->destination.start, 0xff, s->size, "buffer");
	r.bench->teardown(&r.run);
	ps_done(&r);
}
END_TEST

/* What the kernel was told: hg = huge pages advised, nh = not wanted. */
START_TEST(advice)
{
	static const char *const words[] = {"system", "advise", "never"};
	struct pg_probe_env env = {.root = ""};
	struct pg_need need = {0};
	char settings[64], flags[256];
	unsigned long page_kb;
	struct ps_bench r;

	snprintf(settings, sizeof(settings), "size=3MB transparent_huge_pages=%s", words[_i / 2]);
	ps_bind(&r, pg_suite_mem.benches[_i % 2], settings);
	if (r.bench->probe(r.conf, &env, &need, &r.err) == 0) {
		const struct pg_mem_state *s;

		ck_assert_msg(r.bench->setup(&r.run, &r.err) == 0, "%s", r.err.msg);
		s = r.run.state;
		look_at_mapping(s->destination.start, flags, sizeof(flags), &page_kb);
		ck_assert_int_eq(strstr(flags, " hg") != NULL, _i / 2 == 1);
		/* A kernel without huge pages has nothing to be told. */
		if (access("/sys/kernel/mm/transparent_hugepage/enabled", R_OK) == 0)
			ck_assert_int_eq(strstr(flags, " nh") != NULL, _i / 2 == 2);
		if (_i / 2 == 1)
			ck_assert_uint_eq((uintptr_t)s->destination.start % (64 * KB), 0);
		r.bench->teardown(&r.run);
	}
	ps_done(&r);
}
END_TEST

static void use_reserved(struct ps_bench *r)
{
	const struct pg_mem_state *s;
	unsigned long page_kb;
	char flags[256];

	ck_assert_msg(r->bench->setup(&r->run, &r->err) == 0, "%s", r->err.msg);
	s = r->run.state;
	look_at_mapping(s->source.start, flags, sizeof(flags), &page_kb);
	ck_assert_uint_eq(page_kb, 2048);
	ck_assert_int_eq(r->bench->once(&r->run, &r->err), 0);
}

/* Where the machine has reserved pages free, they are what the buffer stands on; what the probe refuses cannot be
 * mapped either. */
START_TEST(reserved_pages)
{
	struct pg_probe_env env = {.root = ""};
	struct pg_need need = {0};
	struct ps_bench r;
	struct mapped before = {0};

	ps_bind(&r, pg_suite_mem.benches[COPY],
		"size=100KB page_size=2MB source_offset=100B transparent_huge_pages=never");
	for (int i = 0; i < 2; i++) {
		before = mapped();
		if (r.bench->probe(r.conf, &env, &need, &r.err) == 0) {
			ck_assert_uint_eq(need.bytes, 0);
			use_reserved(&r);
		} else {
			ck_assert_int_eq(r.err.code, PG_EUNSUPPORTED);
			ck_assert_int_eq(r.bench->setup(&r.run, &r.err), -1);
		}
		r.bench->teardown(&r.run);
	}
	nothing_left(before);
	ps_done(&r);
}
END_TEST

/* Memory for one buffer but not for two: the first is given back. */
START_TEST(second_mapping_fails)
{
#ifndef PG_SANITIZED
	struct rlimit limit;
	struct mapped before;
	struct ps_bench r;

	ps_bind(&r, pg_suite_mem.benches[COPY], "size=64MB");
	before = mapped();
	limit.rlim_cur = limit.rlim_max = before.pages * (rlim_t)sysconf(_SC_PAGESIZE) + 100 * MB;
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
	ck_assert_int_eq(r.bench->setup(&r.run, &r.err), -1);
	ck_assert_int_eq(r.err.code, PG_ESYS);
	ck_assert_ptr_nonnull(strstr(r.err.msg, "cannot map 64MB in pages of 4KB"));
	r.bench->teardown(&r.run);
	nothing_left(before);
	ps_done(&r);
#endif
}
END_TEST

START_TEST(teardown_of_nothing)
{
	struct ps_bench r;

	ps_bind(&r, pg_suite_mem.benches[_i], "");
	r.bench->teardown(&r.run);
	ps_done(&r);
}
END_TEST

PG_TEST_MAIN("suites_mem", ((const struct pg_test[]){
				   {reps, 2 * RUN_CASES},
				   {offsets, 0},
				   {filled_before, 0},
				   {advice, 6},
				   {reserved_pages, 0},
				   {second_mapping_fails, 0},
				   {teardown_of_nothing, 2},
				   {NULL, 0},
			   }))
