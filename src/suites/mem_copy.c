/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The routines of mem/memcpy. Each does with every byte what its name says, whatever the compiler likes better: general
 * registers and string instructions are written in assembly, vector values pass through an empty one. Source and
 * destination must not overlap.
 */
#include "suites/mem.h"

#include <string.h>

static void *copy_portable(void *to, const void *from, size_t n)
{
	unsigned char *d = to;
	const unsigned char *s = from;
	uint64_t word;

	for (; n >= sizeof(word); n -= sizeof(word)) {
		memcpy(&word, s, sizeof(word));
		word = pg_mem_opaque(word);
		memcpy(d, &word, sizeof(word));
		d += sizeof(word);
		s += sizeof(word);
	}
	for (; n > 0; n--)
		*d++ = (unsigned char)pg_mem_opaque(*s++);
	return to;
}

#if PG_MEM_X86_64
#include <immintrin.h>

static inline uint64_t get8(const unsigned char *s)
{
	uint64_t v;

	__asm__ volatile("movq (%1), %0" : "=r"(v) : "r"(s) : "memory");
	return v;
}

static inline void put8(unsigned char *d, uint64_t v)
{
	__asm__ volatile("movq %0, (%1)" : : "r"(v), "r"(d) : "memory");
}

static inline uint32_t get4(const unsigned char *s)
{
	uint32_t v;

	__asm__ volatile("movl (%1), %0" : "=r"(v) : "r"(s) : "memory");
	return v;
}

static inline void put4(unsigned char *d, uint32_t v)
{
	__asm__ volatile("movl %0, (%1)" : : "r"(v), "r"(d) : "memory");
}

/* Four loads, then four stores. */
static inline void move32(unsigned char *d, const unsigned char *s)
{
	uint64_t a, b, c, e; /* no array: it would be kept in memory, and written in each round */

	__asm__ volatile("movq (%[s]), %[a]\n\t"
			 "movq 8(%[s]), %[b]\n\t"
			 "movq 16(%[s]), %[c]\n\t"
			 "movq 24(%[s]), %[e]\n\t"
			 "movq %[a], (%[d])\n\t"
			 "movq %[b], 8(%[d])\n\t"
			 "movq %[c], 16(%[d])\n\t"
			 "movq %[e], 24(%[d])"
			 : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [e] "=&r"(e)
			 : [s] "r"(s), [d] "r"(d)
			 : "memory");
}

/* Below 32 bytes: the first and the last words, which may overlap. */
static void move_rest(unsigned char *d, const unsigned char *s, size_t n)
{
	uint64_t a, b, c, e;

	if (n >= 16) {
		a = get8(s);
		b = get8(s + 8);
		c = get8(s + n - 16);
		e = get8(s + n - 8);
		put8(d, a);
		put8(d + 8, b);
		put8(d + n - 16, c);
		put8(d + n - 8, e);
	} else if (n >= 8) {
		a = get8(s);
		b = get8(s + n - 8);
		put8(d, a);
		put8(d + n - 8, b);
	} else if (n >= 4) {
		uint32_t first = get4(s), last = get4(s + n - 4);

		put4(d, first);
		put4(d + n - 4, last);
	} else {
		if (n > 0)
			d[0] = s[0];
		if (n > 1)
			d[1] = s[1];
		if (n > 2)
			d[2] = s[2];
	}
}

/*
 * General registers only, 32 bytes at a time. A source whose low address byte is the smaller (signed) one is copied
 * from its end: a load then never follows closely on a store to the same place of another page, which CPUs take for the
 * same address.
 */
static void *copy_unrolled(void *to, const void *from, size_t n)
{
	unsigned char *d = to;
	const unsigned char *s = from;

	if ((signed char)(uintptr_t)s < (signed char)(uintptr_t)d) {
		unsigned char *d_end = d + n;
		const unsigned char *s_end = s + n;

		for (; n >= 32; n -= 32) {
			d_end -= 32;
			s_end -= 32;
			move32(d_end, s_end);
		}
	} else {
		for (; n >= 32; n -= 32, d += 32, s += 32)
			move32(d, s);
	}
	move_rest(d, s, n);
	return to;
}

static inline void repeat_movsb(void **d, const void **s, size_t n)
{
	__asm__ volatile("rep movsb" : "+D"(*d), "+S"(*s), "+c"(n) : : "memory");
}

static void *copy_movsq(void *to, const void *from, size_t n)
{
	void *d = to;
	const void *s = from;
	size_t words = n / 8;

	__asm__ volatile("rep movsq" : "+D"(d), "+S"(s), "+c"(words) : : "memory");
	repeat_movsb(&d, &s, n % 8);
	return to;
}

static void *copy_movsb(void *to, const void *from, size_t n)
{
	void *d = to;
	const void *s = from;

	repeat_movsb(&d, &s, n);
	return to;
}

/* clang-format off */
#define LOAD_128(s)	_mm_loadu_si128((const __m128i *)(const void *)(s))
#define EDGE_128(d, v)	_mm_storeu_si128((__m128i *)(void *)(d), v)
#define STORE_128(d, v)	_mm_store_si128((__m128i *)(void *)(d), v)
#define STREAM_128(d, v) _mm_stream_si128((__m128i *)(void *)(d), v)
#define LOAD_256(s)	_mm256_loadu_si256((const __m256i *)(const void *)(s))
#define EDGE_256(d, v)	_mm256_storeu_si256((__m256i *)(void *)(d), v)
#define STORE_256(d, v)	_mm256_store_si256((__m256i *)(void *)(d), v)
#define STREAM_256(d, v) _mm256_stream_si256((__m256i *)(void *)(d), v)
#define LOAD_512(s)	_mm512_loadu_si512((const void *)(s))
#define EDGE_512(d, v)	_mm512_storeu_si512((void *)(d), v)
#define STORE_512(d, v)	_mm512_store_si512((void *)(d), v)
#define STREAM_512(d, v) _mm512_stream_si512((__m512i *)(void *)(d), v)
#define NOTHING()	((void)0)
/* clang-format on */

/*
 * One vector over the unaligned start, four aligned ones at a time, one over the end. PUT is the plain or the
 * non-temporal store of the aligned part; FINISH waits for the latter. Less than one vector is copied by words.
 */
#define VECTOR_COPY(NAME, ISA, VECTOR, BITS, PUT, FINISH)                                                              \
	__attribute__((target(ISA))) static void *NAME(void *to, const void *from, size_t n)                           \
	{                                                                                                              \
		enum { WIDTH = BITS / 8 };                                                                             \
		unsigned char *d = to, *end = d + n;                                                                   \
		const unsigned char *s = from;                                                                         \
		VECTOR v[4];                                                                                           \
		size_t head;                                                                                           \
                                                                                                                       \
		if (n < WIDTH)                                                                                         \
			return copy_portable(to, from, n);                                                             \
		EDGE_##BITS(d, LOAD_##BITS(s));                                                                        \
		head = WIDTH - ((uintptr_t)d & (WIDTH - 1));                                                           \
		d += head;                                                                                             \
		s += head;                                                                                             \
		for (; end - d >= 4 * WIDTH; d += 4 * WIDTH, s += 4 * WIDTH) {                                         \
			v[0] = LOAD_##BITS(s);                                                                         \
			v[1] = LOAD_##BITS(s + WIDTH);                                                                 \
			v[2] = LOAD_##BITS(s + 2 * WIDTH);                                                             \
			v[3] = LOAD_##BITS(s + 3 * WIDTH);                                                             \
			__asm__ volatile("" : "+v"(v[0]), "+v"(v[1]), "+v"(v[2]), "+v"(v[3]));                         \
			PUT##_##BITS(d, v[0]);                                                                         \
			PUT##_##BITS(d + WIDTH, v[1]);                                                                 \
			PUT##_##BITS(d + 2 * WIDTH, v[2]);                                                             \
			PUT##_##BITS(d + 3 * WIDTH, v[3]);                                                             \
		}                                                                                                      \
		for (; end - d >= WIDTH; d += WIDTH, s += WIDTH) {                                                     \
			v[0] = LOAD_##BITS(s);                                                                         \
			__asm__ volatile("" : "+v"(v[0]));                                                             \
			PUT##_##BITS(d, v[0]);                                                                         \
		}                                                                                                      \
		if (d < end)                                                                                           \
			EDGE_##BITS(end - WIDTH, LOAD_##BITS(s + (end - d) - WIDTH));                                  \
		FINISH();                                                                                              \
		return to;                                                                                             \
	}

VECTOR_COPY(copy_sse2, "sse2", __m128i, 128, STORE, NOTHING)
VECTOR_COPY(copy_avx2, "avx2", __m256i, 256, STORE, NOTHING)
VECTOR_COPY(copy_avx512, "avx512f", __m512i, 512, STORE, NOTHING)
VECTOR_COPY(copy_sse2_nontemporal, "sse2", __m128i, 128, STREAM, _mm_sfence)
VECTOR_COPY(copy_avx2_nontemporal, "avx2", __m256i, 256, STREAM, _mm_sfence)
VECTOR_COPY(copy_avx512_nontemporal, "avx512f", __m512i, 512, STREAM, _mm_sfence)
#endif

static pg_copy_fn *const routines[PG_MEM_FUNCTIONS] = {
	[PG_MEM_DEFAULT] = memcpy,
	[PG_MEM_PORTABLE] = copy_portable,
#if PG_MEM_X86_64
	[PG_MEM_UNROLLED] = copy_unrolled,
	[PG_MEM_QUAD] = copy_movsq,
	[PG_MEM_BYTE] = copy_movsb,
	[PG_MEM_SSE2] = copy_sse2,
	[PG_MEM_AVX2] = copy_avx2,
	[PG_MEM_AVX512] = copy_avx512,
	[PG_MEM_SSE2_NONTEMPORAL] = copy_sse2_nontemporal,
	[PG_MEM_AVX2_NONTEMPORAL] = copy_avx2_nontemporal,
	[PG_MEM_AVX512_NONTEMPORAL] = copy_avx512_nontemporal,
#endif
};

pg_copy_fn *pg_mem_copy(int function)
{
	return routines[function];
}
