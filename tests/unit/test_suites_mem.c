/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem/memcpy and mem/memset as benches: what a rep records, what it leaves in memory, what it maps and unmaps, what its probe and check
 * refuse. Machines with and without huge pages are fake /sys trees.
 */
#include "tests/support/pgtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "suites/mem.h"

extern const struct pg_suite pg_suite_mem;

#define KB UINT64_C(1024)
#define MB (KB * 1024)

enum { COPY, SET };
enum { M_BANDWIDTH, M_TIME, M_TIME_PER_OP, M_BYTES, M_CALLS }; /* the rows, in their order */

/* One rep's surroundings. */
struct rep {
	const struct pg_bench *bench;
	struct pg_arena arena;
	void *conf;
	struct pg_run run;
	struct pg_err err;
};

/* The conf of the defaults and "name=value name=value". */
static void rep_init(struct rep *r, int bench, const char *settings)
{
	const struct pg_param *rows;
	struct pg_value vals[16];
	char text[256], *save = NULL;

	memset(r, 0, sizeof(*r));
	r->bench = pg_suite_mem.benches[bench];
	rows = r->bench->params;
	pg_arena_init(&r->arena, false);
	for (size_t i = 0; rows[i].name; i++)
		ck_assert_int_eq(pg_value_parse(&rows[i], rows[i].def, strlen(rows[i].def), &r->arena, &vals[i], &r->err), 0);
	ck_assert_uint_lt(strlen(settings), sizeof(text));
	for (char *s = strtok_r(strcpy(text, settings), " ", &save); s; s = strtok_r(NULL, " ", &save)) {
		char *eq = strchr(s, '=');
		size_t i;

		ck_assert_ptr_nonnull(eq);
		*eq = '\0';
		ck_assert_msg(pg_param_find(rows, s, &i), "%s has no %s", r->bench->name, s);
		ck_assert_msg(pg_value_parse_any(&rows[i], eq + 1, strlen(eq + 1), &r->arena, &vals[i], &r->err) == 0,
			      "%s: %s", s, r->err.msg);
	}
	r->conf = pg_arena_alloc(&r->arena, r->bench->conf_size);
	ck_assert_ptr_nonnull(r->conf);
	pg_conf_bind(rows, vals, 1, r->conf);
	r->run = (struct pg_run){.conf = r->conf, .seed = 1, .root = "", .metrics = r->bench->metrics};
}

static void rep_release(struct rep *r)
{
	pg_arena_release(&r->arena);
}

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
	ck_assert_msg(i == n, "%s: byte %llu of %llu is not %d", where, (unsigned long long)i, (unsigned long long)n, byte);
}

/* The whole destination is done, and of the pages around it nothing. */
static void check_memory(const struct rep *r, int bench, uint64_t loops)
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
	struct rep r;
	struct mapped before = {0};

	rep_init(&r, bench, c->settings);
	if (r.bench->probe(r.conf, &env, &need, &r.err)) {
		ck_assert_int_eq(r.err.code, PG_EUNSUPPORTED);
		rep_release(&r);
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
	rep_release(&r);
}
END_TEST

/* Buffers begin where they were asked to; each is a mapping of its own size. */
START_TEST(offsets)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const struct pg_mem_state *s;
	struct rep r;

	rep_init(&r, COPY, "size=10000B source_offset=16B destination_offset=5000B");
	ck_assert_int_eq(r.bench->setup(&r.run, &r.err), 0);
	s = r.run.state;
	ck_assert_uint_eq((uintptr_t)s->source.start % page, 16);
	ck_assert_uint_eq((uintptr_t)s->destination.start % page, 5000 % page);
	ck_assert_uint_eq(s->source.length, (10016 + page - 1) / page * page);
	ck_assert_uint_eq(s->destination.length, (15000 + page - 1) / page * page);
	ck_assert(s->source.start + s->size <= (unsigned char *)s->source.base + s->source.length);
	r.bench->teardown(&r.run);
	rep_release(&r);
}
END_TEST

/* Before anything is timed both buffers are written, with no byte row of zeros in them. */
START_TEST(filled_before)
{
	const struct pg_mem_state *s;
	uint64_t word, zeros = 0;
	struct rep r;

	rep_init(&r, COPY, "size=65539B");
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
	rep_release(&r);
	rep_init(&r, SET, "size=65539B chunk=1000B");
	ck_assert_int_eq(r.bench->setup(&r.run, &r.err), 0);
	s = r.run.state;
	same_bytes(s->destination.start, 0xff, s->size, "buffer");
	r.bench->teardown(&r.run);
	rep_release(&r);
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
	struct rep r;

	snprintf(settings, sizeof(settings), "size=3MB transparent_huge_pages=%s", words[_i / 2]);
	rep_init(&r, _i % 2, settings);
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
	rep_release(&r);
}
END_TEST

static void use_reserved(struct rep *r)
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

/* Where the machine has reserved pages free, they are what the buffer stands on; what the probe refuses cannot be mapped either. */
START_TEST(reserved_pages)
{
	struct pg_probe_env env = {.root = ""};
	struct pg_need need = {0};
	struct rep r;
	struct mapped before = {0};

	rep_init(&r, COPY, "size=100KB page_size=2MB source_offset=100B transparent_huge_pages=never");
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
	rep_release(&r);
}
END_TEST

/* Memory for one buffer but not for two: the first is given back. */
START_TEST(second_mapping_fails)
{
#ifndef PG_SANITIZED
	struct rlimit limit;
	struct mapped before;
	struct rep r;

	rep_init(&r, COPY, "size=64MB");
	before = mapped();
	limit.rlim_cur = limit.rlim_max = before.pages * (rlim_t)sysconf(_SC_PAGESIZE) + 100 * MB;
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
	ck_assert_int_eq(r.bench->setup(&r.run, &r.err), -1);
	ck_assert_int_eq(r.err.code, PG_ESYS);
	ck_assert_ptr_nonnull(strstr(r.err.msg, "cannot map 64MB in pages of 4KB"));
	r.bench->teardown(&r.run);
	nothing_left(before);
	rep_release(&r);
#endif
}
END_TEST

START_TEST(teardown_of_nothing)
{
	struct rep r;

	rep_init(&r, _i, "");
	r.bench->teardown(&r.run);
	rep_release(&r);
}
END_TEST

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
	struct rep r;

	for (int bench = COPY; bench <= SET; bench++) {
		rep_init(&r, bench, c[_i].settings);
		if (!c[_i].wrong) {
			ck_assert_msg(r.bench->check(r.conf, &r.err) == 0, "%s", r.err.msg);
		} else {
			ck_assert_int_eq(r.bench->check(r.conf, &r.err), -1);
			ck_assert_int_eq(r.err.code, PG_EINPUT);
			ck_assert_msg(strstr(r.err.msg, c[_i].wrong), "%s", r.err.msg);
		}
		rep_release(&r);
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
	{"size=16TB", 32 * MB * MB, NULL, {NULL}},
	{"page_size=2MB", 0, "this kernel has no pages of 2MB; page_size can be 4KB", {NULL}},
	{"page_size=3MB", 0, "no pages of 3MB; page_size can be 4KB, 2MB, 1GB",
	 {"hugepages/hugepages-1048576kB/free_hugepages=0\n", POOL_2M "free_hugepages=9\n"}},
	{"page_size=2MB", 0, "needs 2 pages of 2MB, 0 are free; reserve them through",
	 {POOL_2M "free_hugepages=0\n", POOL_2M "nr_overcommit_hugepages=0\n"}},
	{"page_size=2MB", 0, "needs 2 pages of 2MB, 1 are free", {POOL_2M "free_hugepages=1\n"}},
	{"page_size=2MB", 0, NULL, {POOL_2M "free_hugepages=2\n"}},
	{"page_size=2MB", 0, "needs 2 pages of 2MB, 1 are free",
	 {POOL_2M "free_hugepages=3\n", POOL_2M "resv_hugepages=2\n"}},
	{"page_size=2MB", 0, NULL,
	 {POOL_2M "free_hugepages=1\n", POOL_2M "nr_overcommit_hugepages=3\n", POOL_2M "surplus_hugepages=2\n"}},
	{"page_size=2MB size=2MB source_offset=1B", 0, "needs 3 pages", {POOL_2M "free_hugepages=2\n"}},
	{"page_size=2MB transparent_huge_pages=advise", 0, "transparent_huge_pages advise is for the base page, page_size is 2MB",
	 {POOL_2M "free_hugepages=9\n"}},
	{"page_size=2MB transparent_huge_pages=never", 0, NULL, {POOL_2M "free_hugepages=9\n"}},
	{"transparent_huge_pages=advise", 0, "this kernel has no transparent huge pages", {NULL}},
	{"transparent_huge_pages=advise", 0, "transparent huge pages are off; write madvise to /sys/kernel/mm/transparent_hugepage/enabled",
	 {"transparent_hugepage/enabled=always madvise [never]\n"}},
	{"transparent_huge_pages=advise", 2 * (4 * MB - 4 * KB), NULL,
	 {"transparent_hugepage/enabled=always [madvise] never\n"}},
	{"transparent_huge_pages=advise", 2 * (MB + 512 * KB - 4 * KB), NULL,
	 {"transparent_hugepage/enabled=[always] madvise never\n", "transparent_hugepage/hpage_pmd_size=524288\n"}},
	{"transparent_huge_pages=advise", 0, "hugepages-2048kB/enabled",
	 {"transparent_hugepage/enabled=[always] madvise never\n",
	  "transparent_hugepage/hugepages-2048kB/enabled=always inherit madvise [never]\n"}},
	{"transparent_huge_pages=advise", 0, "are off; write madvise to /sys/kernel/mm/transparent_hugepage/enabled",
	 {"transparent_hugepage/enabled=always madvise [never]\n",
	  "transparent_hugepage/hugepages-2048kB/enabled=always [inherit] madvise never\n"}},
	{"transparent_huge_pages=advise", 2 * (4 * MB - 4 * KB), NULL,
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
	struct rep r;
	int got;

	if (sysconf(_SC_PAGESIZE) != 4096)
		return; /* the numbers are those of 4 KiB pages */
	fake_root(root, c->files);
	rep_init(&r, COPY, c->settings);
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
	rep_release(&r);
}
END_TEST

/* memset has one buffer. */
START_TEST(probe_of_memset)
{
	struct pg_probe_env env = {.root = ""};
	struct pg_need need = {0};
	struct rep r;

	rep_init(&r, SET, "size=1MB");
	ck_assert_int_eq(r.bench->probe(r.conf, &env, &need, &r.err), 0);
	ck_assert_uint_eq(need.bytes, MB);
	rep_release(&r);
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
	struct rep r;

	snprintf(settings, sizeof(settings), "function=%s", choice->name);
	rep_init(&r, _i % 2, settings);
	ck_assert_int_eq(r.bench->probe(r.conf, &env, &need, &r.err), pg_mem_function_probe(_i / 2, &why));
	if (why) {
		ck_assert_int_eq(r.err.code, PG_EUNSUPPORTED);
		ck_assert(strstr(r.err.msg, choice->name) && strstr(r.err.msg, why));
	}
	rep_release(&r);
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
				   {checks, 8},
				   {function_rows, 0},
				   {probes, PROBE_CASES},
				   {probe_of_memset, 0},
				   {probe_of_function, 2 * PG_MEM_FUNCTIONS},
				   {NULL, 0},
			   }))
