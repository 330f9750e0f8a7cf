/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every routine of mem/memcpy and mem/memset that this CPU has, against the C library: alignments, sizes, and not a
 * byte written or read outside.
 */
#include "tests/support/pgtest.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "suites/mem.h"

#define GUARD 64
#define TOP   (4096 + 128)
#define FRESH 0xa5

/* A zone of TOP bytes with a guard on both sides, all FRESH but what a routine has just written. */
struct zone {
	unsigned char bytes[GUARD + TOP + GUARD];
	unsigned char clean[GUARD + TOP + GUARD];
};

static void zone_init(struct zone *z)
{
	memset(z->bytes, FRESH, sizeof(z->bytes));
	memset(z->clean, FRESH, sizeof(z->clean));
}

/* Asserts here and below only when they fail: check writes a record for each that holds. Exactly [at, at + n) is like
 * want, the rest still fresh; then all is fresh again. */
static void zone_check(struct zone *z, size_t at, const unsigned char *want, size_t n, int function)
{
	unsigned char *p = z->bytes + GUARD + at;

	if (memcmp(p, want, n) != 0)
		ck_abort_msg("function %d, at +%zu, %zu bytes: wrong bytes", function, at, n);
	memset(p, FRESH, n);
	if (memcmp(z->bytes, z->clean, sizeof(z->bytes)) != 0)
		ck_abort_msg("function %d, at +%zu, %zu bytes: wrote outside", function, at, n);
}

static bool here(int function)
{
	const char *why = NULL;

	if (pg_mem_function_probe(function, &why) == 0) {
		ck_assert(pg_mem_copy(function) && pg_mem_set(function));
		return true;
	}
	ck_assert(why && *why);
	return false;
}

static void pattern(unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		p[i] = (unsigned char)((i * 167 + i / 256 * 31 + 13) % 251 + 1);
}

static void try_copy(int function, struct zone *z, const unsigned char *source, size_t from, size_t to, size_t n)
{
	unsigned char *d = z->bytes + GUARD + to;

	if (pg_mem_copy(function)(d, source + from, n) != d)
		ck_abort_msg("function %d: result", function);
	zone_check(z, to, source + from, n, function);
}

static void try_set(int function, struct zone *z, size_t to, int byte, size_t n)
{
	static _Alignas(64) unsigned char want[TOP];
	unsigned char *d = z->bytes + GUARD + to;

	memset(want, byte, n);
	if (pg_mem_set(function)(d, byte, n) != d)
		ck_abort_msg("function %d: result", function);
	zone_check(z, to, want, n, function);
}

/* All pairs of alignments in a cache line with the sizes at which something changes; then all sizes with some pairs. */
START_TEST(copies)
{
	static const size_t sizes[] = {0,  1,  2,  3,  4,  7,	8,   9,	  15,  16,  17,	 31,  32,  33,	63,
				       64, 65, 95, 96, 97, 127, 128, 129, 191, 192, 255, 256, 257, 320, 513};
	static const size_t pairs[][2] = {{0, 0}, {0, 1}, {1, 0}, {8, 8}, {3, 17}, {63, 32}, {48, 63}};
	_Alignas(64) static unsigned char source[TOP], master[TOP];
	_Alignas(64) static struct zone z;

	if (!here(_i))
		return;
	zone_init(&z);
	pattern(source, sizeof(source));
	memcpy(master, source, sizeof(master));
	for (size_t from = 0; from < 64; from++)
		for (size_t to = 0; to < 64; to++)
			try_copy(_i, &z, source, from, to, sizes[(from * 7 + to) % 30]);
	for (size_t i = 0; i < 30; i++)
		for (size_t a = 0; a < 64; a++) {
			try_copy(_i, &z, source, a, 0, sizes[i]);
			try_copy(_i, &z, source, 0, a, sizes[i]);
			try_copy(_i, &z, source, a, a, sizes[i]);
		}
	for (size_t n = 0; n <= 4096; n++)
		try_copy(_i, &z, source, pairs[n % 7][0], pairs[n % 7][1], n);
	for (size_t n = 0; n <= 300; n++)
		for (size_t p = 0; p < 7; p++)
			try_copy(_i, &z, source, pairs[p][0], pairs[p][1], n);
	ck_assert_msg(memcmp(source, master, sizeof(source)) == 0, "copy %d wrote to its source", _i);
}
END_TEST

START_TEST(sets)
{
	static const int bytes[] = {0, 1, 0x7f, 0x80, 0xff, 0x1a5, -1};
	_Alignas(64) static struct zone z;

	if (!here(_i))
		return;
	zone_init(&z);
	for (size_t a = 0; a < 64; a++)
		for (size_t n = 0; n <= 300; n++)
			try_set(_i, &z, a, bytes[(a + n) % 7], n);
	for (size_t n = 0; n <= 4096; n++)
		try_set(_i, &z, n * 5 % 64, bytes[n % 7], n);
}
END_TEST

/* n bytes that end where an inaccessible page begins, and n that begin where one ends. */
struct fenced {
	unsigned char *base, *first, *end;
	size_t page;
};

static struct fenced fence(void)
{
	struct fenced f = {.page = (size_t)sysconf(_SC_PAGESIZE)};

	f.base = mmap(NULL, 3 * f.page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(f.base, MAP_FAILED);
	f.first = f.base + f.page;
	f.end = f.first + f.page;
	ck_assert_int_eq(mprotect(f.first, f.page, PROT_READ | PROT_WRITE), 0);
	return f;
}

START_TEST(page_borders)
{
	struct fenced to = fence(), from = fence();

	if (!here(_i))
		return;
	pattern(from.first, from.page);
	for (size_t n = 0; n <= 520; n++) {
		pg_mem_copy(_i)(to.end - n, from.end - n, n);
		ck_assert(memcmp(to.end - n, from.end - n, n) == 0);
		pg_mem_copy(_i)(to.first, from.first, n);
		ck_assert(memcmp(to.first, from.first, n) == 0);
		pg_mem_copy(_i)(to.end - n, from.first, n);
		pg_mem_copy(_i)(to.first, from.end - n, n);
		pg_mem_set(_i)(to.end - n, 7, n);
		pg_mem_set(_i)(to.first, 8, n);
		ck_assert(n == 0 || (to.end[-1] == 7 && to.first[0] == 8));
	}
	munmap(to.base, 3 * to.page);
	munmap(from.base, 3 * from.page);
}
END_TEST

START_TEST(large)
{
	static const size_t sizes[] = {(64 << 10) - 3, (1 << 20) + 1, (8 << 20) + 17};
	const size_t top = (8 << 20) + 4096;
	unsigned char *from = malloc(top), *to = malloc(top), *want = malloc(top);

	ck_assert(from && to && want);
	pattern(from, top);
	for (size_t i = 0; i < 3 && here(_i); i++) {
		size_t n = sizes[i], a = i * 21 + 1, b = 63 - i * 13;

		memset(to, FRESH, top);
		memset(want, FRESH, top);
		memcpy(want + b, from + a, n);
		pg_mem_copy(_i)(to + b, from + a, n);
		ck_assert_msg(memcmp(to, want, top) == 0, "copy of %zu", n);
		memset(want + a, (int)i + 1, n);
		pg_mem_set(_i)(to + a, (int)i + 1, n);
		ck_assert_msg(memcmp(to, want, top) == 0, "set of %zu", n);
	}
	free(from);
	free(to);
	free(want);
}
END_TEST

/* Which routines this CPU has is what the compiler's own test says; without x86-64 only the first two are there. */
START_TEST(probes)
{
	const char *why = NULL;
	int got = pg_mem_function_probe(_i, &why), want = 0;

#if PG_MEM_X86_64
	if (_i == PG_MEM_AVX2 || _i == PG_MEM_AVX2_NONTEMPORAL)
		want = __builtin_cpu_supports("avx2") ? 0 : -1;
	if (_i == PG_MEM_AVX512 || _i == PG_MEM_AVX512_NONTEMPORAL)
		want = __builtin_cpu_supports("avx512f") ? 0 : -1;
#else
	want = _i <= PG_MEM_PORTABLE ? 0 : -1;
	ck_assert_int_eq(pg_mem_copy(_i) != NULL, want == 0);
#endif
	ck_assert_int_eq(got, want);
}
END_TEST

PG_TEST_MAIN("suites_mem_routines", ((const struct pg_test[]){
					    {copies, PG_MEM_FUNCTIONS},
					    {sets, PG_MEM_FUNCTIONS},
					    {page_borders, PG_MEM_FUNCTIONS},
					    {large, PG_MEM_FUNCTIONS},
					    {probes, PG_MEM_FUNCTIONS},
					    {NULL, 0},
				    }))
