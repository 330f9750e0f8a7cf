/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The routines of mem/memset, made as those of mem_copy.c. */
#include "suites/mem.h"

#include <string.h>

/* The byte in all eight places. */
static inline uint64_t replicate(int byte)
{
	return (uint64_t)(unsigned char)byte * UINT64_C(0x0101010101010101);
}

static void *set_portable(void *to, int byte, size_t n)
{
	unsigned char *d = to;
	uint64_t word = replicate(byte);

	for (; n >= sizeof(word); n -= sizeof(word)) {
		word = pg_mem_opaque(word);
		memcpy(d, &word, sizeof(word));
		d += sizeof(word);
	}
	for (; n > 0; n--)
		*d++ = (unsigned char)pg_mem_opaque((unsigned char)byte);
	return to;
}

#if PG_MEM_X86_64
#include <immintrin.h>

static inline void put1(unsigned char *d, uint64_t v)
{
	__asm__ volatile("movb %b0, (%1)" : : "q"(v), "r"(d) : "memory");
}

static inline void put8(unsigned char *d, uint64_t v)
{
	__asm__ volatile("movq %0, (%1)" : : "r"(v), "r"(d) : "memory");
}

static inline void put64(unsigned char *d, uint64_t v)
{
	__asm__ volatile("movq %0, (%1)\n\t"
			 "movq %0, 8(%1)\n\t"
			 "movq %0, 16(%1)\n\t"
			 "movq %0, 24(%1)\n\t"
			 "movq %0, 32(%1)\n\t"
			 "movq %0, 40(%1)\n\t"
			 "movq %0, 48(%1)\n\t"
			 "movq %0, 56(%1)"
			 :
			 : "r"(v), "r"(d)
			 : "memory");
}

/* General registers only: one unaligned word up to the next boundary, 64 bytes at a time, words, bytes. */
static void *set_unrolled(void *to, int byte, size_t n)
{
	unsigned char *d = to;
	uint64_t word = replicate(byte);
	size_t odd = (uintptr_t)d % 8;

	if (odd && n >= 8) {
		put8(d, word);
		d += 8 - odd;
		n -= 8 - odd;
	}
	for (; n >= 64; n -= 64, d += 64)
		put64(d, word);
	for (; n >= 8; n -= 8, d += 8)
		put8(d, word);
	for (; n > 0; n--, d++)
		put1(d, word);
	return to;
}

static inline void repeat_stosb(void **d, uint64_t word, size_t n)
{
	__asm__ volatile("rep stosb" : "+D"(*d), "+c"(n) : "a"(word) : "memory");
}

static void *set_stosq(void *to, int byte, size_t n)
{
	void *d = to;
	uint64_t word = replicate(byte);
	size_t words = n / 8;

	__asm__ volatile("rep stosq" : "+D"(d), "+c"(words) : "a"(word) : "memory");
	repeat_stosb(&d, word, n % 8);
	return to;
}

static void *set_stosb(void *to, int byte, size_t n)
{
	void *d = to;

	repeat_stosb(&d, replicate(byte), n);
	return to;
}

/* clang-format off */
#define FILL_128(w)	_mm_set1_epi64x((long long)(w))
#define EDGE_128(d, v)	_mm_storeu_si128((__m128i *)(void *)(d), v)
#define STORE_128(d, v)	_mm_store_si128((__m128i *)(void *)(d), v)
#define STREAM_128(d, v) _mm_stream_si128((__m128i *)(void *)(d), v)
#define FILL_256(w)	_mm256_set1_epi64x((long long)(w))
#define EDGE_256(d, v)	_mm256_storeu_si256((__m256i *)(void *)(d), v)
#define STORE_256(d, v)	_mm256_store_si256((__m256i *)(void *)(d), v)
#define STREAM_256(d, v) _mm256_stream_si256((__m256i *)(void *)(d), v)
#define FILL_512(w)	_mm512_set1_epi64((long long)(w))
#define EDGE_512(d, v)	_mm512_storeu_si512((void *)(d), v)
#define STORE_512(d, v)	_mm512_store_si512((void *)(d), v)
#define STREAM_512(d, v) _mm512_stream_si512((__m512i *)(void *)(d), v)
#define NOTHING()	((void)0)
/* clang-format on */

/* As VECTOR_COPY of mem_copy.c. */
#define VECTOR_SET(NAME, ISA, VECTOR, BITS, PUT, FINISH)                                                               \
	__attribute__((target(ISA))) static void *NAME(void *to, int byte, size_t n)                                   \
	{                                                                                                              \
		enum { WIDTH = BITS / 8 };                                                                             \
		unsigned char *d = to, *end = d + n;                                                                   \
		VECTOR v;                                                                                              \
                                                                                                                       \
		if (n < WIDTH)                                                                                         \
			return set_portable(to, byte, n);                                                              \
		v = FILL_##BITS(replicate(byte));                                                                      \
		EDGE_##BITS(d, v);                                                                                     \
		d += WIDTH - ((uintptr_t)d & (WIDTH - 1));                                                             \
		for (; end - d >= 4 * WIDTH; d += 4 * WIDTH) {                                                         \
			__asm__ volatile("" : "+v"(v));                                                                \
			PUT##_##BITS(d, v);                                                                            \
			PUT##_##BITS(d + WIDTH, v);                                                                    \
			PUT##_##BITS(d + 2 * WIDTH, v);                                                                \
			PUT##_##BITS(d + 3 * WIDTH, v);                                                                \
		}                                                                                                      \
		for (; end - d >= WIDTH; d += WIDTH) {                                                                 \
			__asm__ volatile("" : "+v"(v));                                                                \
			PUT##_##BITS(d, v);                                                                            \
		}                                                                                                      \
		if (d < end)                                                                                           \
			EDGE_##BITS(end - WIDTH, v);                                                                   \
		FINISH();                                                                                              \
		return to;                                                                                             \
	}

VECTOR_SET(set_sse2, "sse2", __m128i, 128, STORE, NOTHING)
VECTOR_SET(set_avx2, "avx2", __m256i, 256, STORE, NOTHING)
VECTOR_SET(set_avx512, "avx512f", __m512i, 512, STORE, NOTHING)
VECTOR_SET(set_sse2_nontemporal, "sse2", __m128i, 128, STREAM, _mm_sfence)
VECTOR_SET(set_avx2_nontemporal, "avx2", __m256i, 256, STREAM, _mm_sfence)
VECTOR_SET(set_avx512_nontemporal, "avx512f", __m512i, 512, STREAM, _mm_sfence)
#endif

static pg_set_fn *const routines[PG_MEM_FUNCTIONS] = {
	[PG_MEM_DEFAULT] = memset,
	[PG_MEM_PORTABLE] = set_portable,
#if PG_MEM_X86_64
	[PG_MEM_UNROLLED] = set_unrolled,
	[PG_MEM_QUAD] = set_stosq,
	[PG_MEM_BYTE] = set_stosb,
	[PG_MEM_SSE2] = set_sse2,
	[PG_MEM_AVX2] = set_avx2,
	[PG_MEM_AVX512] = set_avx512,
	[PG_MEM_SSE2_NONTEMPORAL] = set_sse2_nontemporal,
	[PG_MEM_AVX2_NONTEMPORAL] = set_avx2_nontemporal,
	[PG_MEM_AVX512_NONTEMPORAL] = set_avx512_nontemporal,
#endif
};

pg_set_fn *pg_mem_set(int function)
{
	return routines[function];
}
