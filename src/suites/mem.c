/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem/memcpy and mem/memset: one task moves or sets a buffer, pass after pass, with one of several routines.
 * Timed: the passes alone, calls through a pointer included (a few ns each, which small sizes show).
 * Not timed: mapping, first touch (source and destination are written with a pattern that is not zero, so no pass reads
 * the common zero page), one whole pass with the same routine and chunk. Differs from the ancestor: buffers begin on a
 * page boundary unless an offset says otherwise (perf's begin 16 bytes past one), both are written before, ns clock,
 * movsq and stosq run the instructions they name, vector and non-temporal routines are ours, routines that this CPU
 * lacks are skipped with the reason.
 */
#include "suites/mem.h"

#include <stdlib.h>
#include <string.h>

struct mem_conf {
	uint64_t size;
	int function; /* enum pg_mem_function */
	uint64_t loops;
	struct pg_word_num chunk; /* word 0: whole */
	uint64_t page_size;
	int transparent_huge_pages; /* enum pg_mem_thp */
	uint64_t source_offset;	    /* memcpy only */
	uint64_t destination_offset;
};

extern const struct pg_suite pg_suite_mem;

static const struct pg_choice whole_word[] = {{"whole", "the buffer in one call"}, {NULL, NULL}};

/* clang-format off */
#define VECTOR_CHOICES                                                                                                 \
	[PG_MEM_SSE2] = {"x86-64-sse2", "16-byte loads and stores"},                                                   \
	[PG_MEM_AVX2] = {"x86-64-avx2", "32-byte loads and stores"},                                                   \
	[PG_MEM_AVX512] = {"x86-64-avx512", "64-byte loads and stores"},                                               \
	[PG_MEM_SSE2_NONTEMPORAL] = {"x86-64-sse2-nontemporal", "16-byte stores past the caches"},                     \
	[PG_MEM_AVX2_NONTEMPORAL] = {"x86-64-avx2-nontemporal", "32-byte stores past the caches"},                     \
	[PG_MEM_AVX512_NONTEMPORAL] = {"x86-64-avx512-nontemporal", "64-byte stores past the caches"},                 \
	{NULL, NULL}

static const struct pg_choice copy_functions[] = {
	[PG_MEM_DEFAULT] = {"default", "the C library's memcpy()"},
	[PG_MEM_PORTABLE] = {"portable", "eight bytes at a time, in C"},
	[PG_MEM_UNROLLED] = {"x86-64-unrolled", "general registers, 32 bytes at a time"},
	[PG_MEM_QUAD] = {"x86-64-movsq", "rep movsq, then rep movsb"},
	[PG_MEM_BYTE] = {"x86-64-movsb", "rep movsb"},
	VECTOR_CHOICES,
};

static const struct pg_choice set_functions[] = {
	[PG_MEM_DEFAULT] = {"default", "the C library's memset()"},
	[PG_MEM_PORTABLE] = {"portable", "eight bytes at a time, in C"},
	[PG_MEM_UNROLLED] = {"x86-64-unrolled", "a general register, 64 bytes at a time"},
	[PG_MEM_QUAD] = {"x86-64-stosq", "rep stosq, then rep stosb"},
	[PG_MEM_BYTE] = {"x86-64-stosb", "rep stosb"},
	VECTOR_CHOICES,
};

/* The rows of both benches, in the order of the CSV's columns. */
#define ROW_SIZE                                                                                                       \
	{.name = "size", .doc = "bytes of the buffer (each of the two for memcpy)", .def = "1MB", .min = "1B", .max = "16TB", .opt = 's',           \
	 PG_AT_SIZE(struct mem_conf, size)}
#define ROW_FUNCTION(CHOICES)                                                                                          \
	{.name = "function", .doc = "the routine that does the work", .def = "default", .choices = CHOICES,            \
	 .choice_probe = pg_mem_function_probe, .role = PG_ALL, .opt = 'f', PG_AT_ENUM(struct mem_conf, function)}
#define ROW_LOOPS                                                                                                      \
	PG_ROW_LOOPS(struct mem_conf, loops, "passes over the buffer", "1", "auto", 'l')
#define ROW_CHUNK                                                                                                      \
	{.name = "chunk", .doc = "bytes of one call; the last one of a pass may be shorter", .def = "whole",           \
	 .min = "1B", .max = "size", .choices = whole_word, .opt = 'k', PG_AT_SIZE_W(struct mem_conf, chunk)}
#define ROW_PAGE_SIZE                                                                                                  \
	{.name = "page_size",                                                                                          \
	 .doc = "pages of the mapping: the base page, or a larger size of which pages are reserved", .def = "4KB",     \
	 .min = "4KB", .max = "16GB", .opt = 'p', PG_AT_SIZE(struct mem_conf, page_size)}
#define ROW_THP                                                                                                        \
	{.name = "transparent_huge_pages", .doc = "advice for the mapping", .def = "system", .choices = pg_mem_thps,     \
	 PG_AT_ENUM(struct mem_conf, transparent_huge_pages)}
#define ROW_OFFSET(FIELD, WHAT)                                                                                        \
	{.name = #FIELD, .doc = "start of the " WHAT " past a page boundary", .def = "0B", .min = "0B",                \
	 .max = "64KB", PG_AT_SIZE(struct mem_conf, FIELD)}

static const struct pg_param copy_params[] = {
	ROW_SIZE, ROW_FUNCTION(copy_functions), ROW_LOOPS, ROW_CHUNK, ROW_PAGE_SIZE, ROW_THP,
	ROW_OFFSET(source_offset, "source"), ROW_OFFSET(destination_offset, "destination"), {.name = NULL},
};

static const struct pg_param set_params[] = {
	ROW_SIZE, ROW_FUNCTION(set_functions), ROW_LOOPS, ROW_CHUNK, ROW_PAGE_SIZE, ROW_THP,
	ROW_OFFSET(destination_offset, "buffer"), {.name = NULL},
};
/* clang-format on */

enum { M_BANDWIDTH, M_TIME, M_TIME_PER_OP, M_BYTES, M_CALLS, M_FLOOR };

static const struct pg_metric metrics[] = {
	[M_BANDWIDTH] = PG_ROW_RATIO("bandwidth", "size x loops / time", PG_U_B_PER_S, PG_HIGHER, M_BYTES, M_TIME,
				     PG_M_MAIN | PG_M_BATCHED),
	[M_TIME] = PG_ROW_RAW("time", "all passes", PG_U_S, PG_LOWER, PG_SUM, PG_M_GROWS | PG_M_BATCHED),
	[M_TIME_PER_OP] = PG_ROW_RATIO("time_per_op", "time / calls: of a pass, or of a chunk", PG_U_S, PG_LOWER,
				       M_TIME, M_CALLS, PG_M_BATCHED),
	[M_BYTES] = PG_ROW_HIDDEN("bytes", "size x loops", PG_U_B, PG_SUM, PG_M_GROWS),
	[M_CALLS] = PG_ROW_HIDDEN("calls", "calls of the routine", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_FLOOR] = PG_FLOOR_ROW,
	{.name = NULL},
};

#if PG_MEM_X86_64
int pg_mem_function_probe(int function, const char **why)
{
	bool avx2 = function == PG_MEM_AVX2 || function == PG_MEM_AVX2_NONTEMPORAL;
	bool avx512 = function == PG_MEM_AVX512 || function == PG_MEM_AVX512_NONTEMPORAL;

	/* Both ask the kernel's part as well: are the registers kept over a switch of tasks? */
	__builtin_cpu_init();
	if (avx2 && !__builtin_cpu_supports("avx2"))
		*why = "this CPU or kernel has no AVX2";
	else if (avx512 && !__builtin_cpu_supports("avx512f"))
		*why = "this CPU or kernel has no AVX-512F";
	else
		return 0;
	return -1;
}
#else
int pg_mem_function_probe(int function, const char **why)
{
	if (function == PG_MEM_DEFAULT || function == PG_MEM_PORTABLE)
		return 0;
	*why = "this machine is no x86-64";
	return -1;
}
#endif

static struct pg_mem_pages pages_of(const struct mem_conf *c, const char *root)
{
	return (struct pg_mem_pages){c->page_size, c->transparent_huge_pages, root};
}

static uint64_t chunk_of(const struct mem_conf *c)
{
	return c->chunk.word < 0 ? c->chunk.n : c->size;
}

static int check(const void *conf, struct pg_err *err)
{
	const struct mem_conf *c = conf;
	char chunk[PG_NUM_BUF], size[PG_NUM_BUF];

	pg_size_format(chunk, c->chunk.n);
	pg_size_format(size, c->size);
	if (chunk_of(c) > c->size)
		return pg_fail(err, PG_EINPUT, "chunk %s is more than size %s; at most size, or `whole`", chunk, size);
	if (c->loops > INT64_MAX / c->size)
		return pg_fail(err, PG_EINPUT, "%llu loops over %s pass 2^63 bytes; lower loops or size",
			       (unsigned long long)c->loops, size);
	return 0;
}

static int probe(const void *conf, const struct pg_probe_env *env, bool copy, struct pg_need *need, struct pg_err *err)
{
	const struct mem_conf *c = conf;
	const uint64_t offsets[] = {c->destination_offset, c->source_offset};
	struct pg_mem_pages pages = pages_of(c, env->root);
	const char *why;

	if (pg_mem_function_probe(c->function, &why))
		return pg_fail(err, PG_EUNSUPPORTED, "function %s: %s; `all` takes those that run here",
			       copy ? copy_functions[c->function].name : set_functions[c->function].name, why);
	return pg_mem_pages_probe(&pages, c->size, offsets, copy ? 2 : 1, &need->bytes, err);
}

static int copy_probe(const void *conf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	return probe(conf, env, true, need, err);
}

static int set_probe(const void *conf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	return probe(conf, env, false, need, err);
}

/* After each call: what it wrote counts as read, so no pass is left out because the next one writes the same. */
static inline void written(const void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

static inline void copy_pass(const struct pg_mem_state *s)
{
	unsigned char *to = s->destination.start;
	const unsigned char *from = s->source.start;

	for (uint64_t done = 0; done < s->size; done += s->chunk) {
		uint64_t left = s->size - done;

		s->copy(to + done, from + done, left < s->chunk ? left : s->chunk);
		written(to);
	}
}

static inline void set_pass(const struct pg_mem_state *s, int byte)
{
	unsigned char *to = s->destination.start;

	for (uint64_t done = 0; done < s->size; done += s->chunk) {
		uint64_t left = s->size - done;

		s->set(to + done, byte, left < s->chunk ? left : s->chunk);
		written(to);
	}
}

/* Every word differs from its neighbours and none is zero. */
static void fill(unsigned char *p, uint64_t size)
{
	uint64_t word, i;

	for (i = 0; size - i >= sizeof(word); i += sizeof(word)) {
		word = (i + 1) * PG_GOLDEN64 | 1;
		memcpy(p + i, &word, sizeof(word));
	}
	memset(p + i, 0x5a, size - i);
}

static int setup(struct pg_run *run, bool copy, struct pg_err *err)
{
	const struct mem_conf *c = run->conf;
	struct pg_mem_pages pages = pages_of(c, run->root);
	struct pg_mem_state *s = calloc(1, sizeof(*s));
	const char *why = "";

	run->state = s;
	if (!s)
		return pg_fail_nomem(err);
	if (pg_mem_function_probe(c->function, &why))
		return pg_fail(err, PG_EUNSUPPORTED, "%s", why);
	s->size = c->size;
	s->chunk = chunk_of(c);
	s->copy = pg_mem_copy(c->function);
	s->set = pg_mem_set(c->function);
	if (pg_mem_map(&s->destination, &pages, c->destination_offset, c->size, err) ||
	    (copy && pg_mem_map(&s->source, &pages, c->source_offset, c->size, err)))
		return -1;
	fill(s->destination.start, s->size);
	if (copy) {
		fill(s->source.start, s->size);
		copy_pass(s);
	} else {
		set_pass(s, 0xff);
	}
	return 0;
}

static int copy_setup(struct pg_run *run, struct pg_err *err)
{
	return setup(run, true, err);
}

static int set_setup(struct pg_run *run, struct pg_err *err)
{
	return setup(run, false, err);
}

static void record(struct pg_run *run, int64_t begin, int64_t end)
{
	const struct mem_conf *c = run->conf;
	const struct pg_mem_state *s = run->state;
	uint64_t calls = s->size / s->chunk + (s->size % s->chunk != 0);

	run->timed_ns = pg_since(end, begin);
	pg_record(run, M_TIME, run->timed_ns);
	pg_record(run, M_BYTES, (int64_t)(c->loops * s->size));
	pg_record(run, M_CALLS, (int64_t)(c->loops * calls));
}

static int copy_once(struct pg_run *run, struct pg_err *err)
{
	/* A copy that nothing else can reach stays in registers, whatever the routine writes. */
	const struct pg_mem_state s = *(const struct pg_mem_state *)run->state;
	uint64_t loops = ((const struct mem_conf *)run->conf)->loops;
	int64_t begin = pg_now_ns();

	(void)err;
	/* Whole buffers without the loop over chunks: at 1 KB that would be some per cent of a call. */
	if (s.chunk == s.size)
		for (uint64_t i = 0; i < loops; i++)
			s.copy(s.destination.start, s.source.start, s.size);
	else
		for (uint64_t i = 0; i < loops; i++)
			copy_pass(&s);
	record(run, begin, pg_now_ns());
	return 0;
}

static int set_once(struct pg_run *run, struct pg_err *err)
{
	/* A copy that nothing else can reach stays in registers, whatever the routine writes. */
	const struct pg_mem_state s = *(const struct pg_mem_state *)run->state;
	uint64_t loops = ((const struct mem_conf *)run->conf)->loops;
	int64_t begin = pg_now_ns();

	(void)err;
	if (s.chunk == s.size)
		for (uint64_t i = 0; i < loops; i++)
			s.set(s.destination.start, (int)(i & 0xff), s.size);
	else
		for (uint64_t i = 0; i < loops; i++)
			set_pass(&s, (int)(i & 0xff));
	record(run, begin, pg_now_ns());
	return 0;
}

static void teardown(struct pg_run *run)
{
	struct pg_mem_state *s = run->state;

	if (!s)
		return;
	pg_mem_unmap(&s->source);
	pg_mem_unmap(&s->destination);
	free(s);
	run->state = NULL;
}

static const struct pg_bench memcpy_bench = {
	.name = "mem/memcpy",
	.summary = "copying a buffer",
	.params = copy_params,
	.metrics = metrics,
	.conf_size = sizeof(struct mem_conf),
	.probe = copy_probe,
	.check = check,
	.setup = copy_setup,
	.once = copy_once,
	.teardown = teardown,
	.batchable = true,
};

static const struct pg_bench memset_bench = {
	.name = "mem/memset",
	.summary = "setting a buffer to one byte",
	.params = set_params,
	.metrics = metrics,
	.conf_size = sizeof(struct mem_conf),
	.probe = set_probe,
	.check = check,
	.setup = set_setup,
	.once = set_once,
	.teardown = teardown,
	.batchable = true,
};

static const struct pg_bench *const benches[] = {&memcpy_bench, &memset_bench, &pg_mem_find_bit, &pg_mem_mmap, NULL};

const struct pg_suite pg_suite_mem = {
	.name = "mem",
	.summary = "moving, setting, searching and mapping memory",
	.benches = benches,
};
