/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of 64 KiB that double up to 4 MiB; a request that would waste much of the current block gets a mapping of its
 * own behind it. Pages come zeroed from the kernel and are never given out twice.
 */
#include "base/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "base/num.h"

#define BLOCK_FIRST ((size_t)64 << 10)
#define BLOCK_LIMIT ((size_t)4 << 20)
#define ALIGN	    16

struct pg_arena_block {
	struct pg_arena_block *next;
	size_t size; /* of the mapping, this header included */
	size_t used;
};

#define HEADER ((sizeof(struct pg_arena_block) + ALIGN - 1) & ~(size_t)(ALIGN - 1))

static void *map(size_t n, bool nofork)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	/* A refusal costs time in a fork, nothing else. */
	if (nofork)
		(void)madvise(p, n, MADV_DONTFORK);
	return p;
}

void pg_arena_init(struct pg_arena *a, bool nofork)
{
	a->head = NULL;
	a->nofork = nofork;
}

void pg_arena_release(struct pg_arena *a)
{
	struct pg_arena_block *b = a->head;

	while (b) {
		struct pg_arena_block *next = b->next;

		munmap(b, b->size);
		b = next;
	}
	a->head = NULL;
}

size_t pg_arena_bytes(const struct pg_arena *a)
{
	size_t n = 0;

	for (const struct pg_arena_block *b = a->head; b; b = b->next)
		n += b->size;
	return n;
}

static struct pg_arena_block *block_new(const struct pg_arena *a, size_t size)
{
	struct pg_arena_block *b = map(size, a->nofork);

	if (!b)
		return NULL;
	b->size = size;
	b->used = HEADER;
	return b;
}

static void *take(struct pg_arena_block *b, size_t n)
{
	void *p = (char *)b + b->used;

	b->used += n;
	return p;
}

void *pg_arena_alloc(struct pg_arena *a, size_t n)
{
	struct pg_arena_block *b = a->head;
	size_t size;

	if (n > SIZE_MAX / 2)
		return NULL;
	n = n ? (n + ALIGN - 1) & ~(size_t)(ALIGN - 1) : ALIGN;
	if (b && b->size - b->used >= n)
		return take(b, n);

	size = b ? b->size * 2 : BLOCK_FIRST;
	if (size > BLOCK_LIMIT)
		size = BLOCK_LIMIT;
	if (n > (size - HEADER) / 4) {
		b = block_new(a, (n + HEADER + 4095) & ~(size_t)4095);
		if (!b)
			return NULL;
		if (a->head) { /* the current block stays the current one */
			b->next = a->head->next;
			a->head->next = b;
			return take(b, n);
		}
	} else {
		b = block_new(a, size);
		if (!b)
			return NULL;
		b->next = a->head;
	}
	a->head = b;
	return take(b, n);
}

void *pg_arena_array(struct pg_arena *a, size_t count, size_t size)
{
	size_t n;

	if (__builtin_mul_overflow(count, size, &n))
		return NULL;
	return pg_arena_alloc(a, n);
}

char *pg_arena_strndup(struct pg_arena *a, const char *s, size_t n)
{
	size_t len = strnlen(s, n);
	char *p = pg_arena_alloc(a, len + 1);

	if (p)
		memcpy(p, s, len);
	return p;
}

char *pg_arena_strdup(struct pg_arena *a, const char *s)
{
	return pg_arena_strndup(a, s, strlen(s));
}

char *pg_arena_printf(struct pg_arena *a, const char *fmt, ...)
{
	va_list ap;
	char *p;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return NULL;
	p = pg_arena_alloc(a, (size_t)n + 1);
	if (!p)
		return NULL;
	va_start(ap, fmt);
	vsnprintf(p, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return p;
}

void *pg_big_alloc(size_t n)
{
	return map(n ? n : 1, true);
}

void *pg_big_grow(void *p, size_t old_n, size_t new_n)
{
	void *q;

	if (!p)
		return pg_big_alloc(new_n);
	q = mremap(p, old_n ? old_n : 1, new_n ? new_n : 1, MREMAP_MAYMOVE);
	return q == MAP_FAILED ? NULL : q; /* the mark moves with the mapping */
}

void pg_big_free(void *p, size_t n)
{
	if (p)
		munmap(p, n ? n : 1);
}

bool pg_big_column(void *column, size_t old_cap, size_t cap, size_t size)
{
	void **p = column, *q = pg_big_grow(*p, *p ? old_cap * size : 0, cap * size);

	if (q)
		*p = q;
	return q;
}
