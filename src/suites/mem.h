/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the benches of suite `mem` share: routines of memcpy and memset by number. Mappings: engine/mem_map.h. */
#ifndef PG_SUITES_MEM_H
#define PG_SUITES_MEM_H

#include "pg_bench.h"

extern const struct pg_bench pg_mem_find_bit, pg_mem_mmap;

/* The same numbers in both benches; QUAD is movsq or stosq, BYTE is movsb or stosb. */
enum pg_mem_function {
	PG_MEM_DEFAULT,
	PG_MEM_PORTABLE,
	PG_MEM_UNROLLED,
	PG_MEM_QUAD,
	PG_MEM_BYTE,
	PG_MEM_SSE2,
	PG_MEM_AVX2,
	PG_MEM_AVX512,
	PG_MEM_SSE2_NONTEMPORAL,
	PG_MEM_AVX2_NONTEMPORAL,
	PG_MEM_AVX512_NONTEMPORAL,
};
#define PG_MEM_FUNCTIONS 11

/* Prototypes of memcpy() and memset(). NULL where the program was built for another architecture; asks nothing of the
 * CPU. */
typedef void *pg_copy_fn(void *to, const void *from, size_t n);
typedef void *pg_set_fn(void *to, int byte, size_t n);
pg_copy_fn *pg_mem_copy(int function);
pg_set_fn *pg_mem_set(int function);
/* 0, or -1 with *why: this machine cannot run it. */
int pg_mem_function_probe(int function, const char **why);

/* run->state of both benches. */
struct pg_mem_state {
	struct pg_mem_map source, destination; /* source: memcpy only */
	uint64_t size, chunk;		       /* chunk: bytes of a call, at most size */
	pg_copy_fn *copy;
	pg_set_fn *set;
};

/*
 * Hands v back as a number about which the compiler knows nothing: loops that move or set memory stay loops and become
 * no call of memcpy() or memset().
 */
static inline uint64_t pg_mem_opaque(uint64_t v)
{
	__asm__ volatile("" : "+r"(v));
	return v;
}

#if defined(__x86_64__) && !defined(__ILP32__)
#define PG_MEM_X86_64 1
#else
#define PG_MEM_X86_64 0
#endif

#endif
