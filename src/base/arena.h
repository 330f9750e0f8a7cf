/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that is dropped all at once. Blocks are private mappings marked MADV_DONTFORK when `nofork` is set, so that
 * the size of a plan costs a forked rep nothing (a child must then not touch it: conf is copied out before the fork).
 */
#ifndef PG_BASE_ARENA_H
#define PG_BASE_ARENA_H

#include <stdbool.h>
#include <stdarg.h>
#include <stddef.h>

struct pg_arena_block;

struct pg_arena {
	struct pg_arena_block *head;
	bool nofork;
};

void pg_arena_init(struct pg_arena *a, bool nofork);
void pg_arena_release(struct pg_arena *a);	 /* a is empty and usable afterwards */
size_t pg_arena_bytes(const struct pg_arena *a); /* bytes mapped */

/* Zeroed, aligned to 16; NULL when out of memory or n overflows. n 0 gives a unique pointer. */
void *pg_arena_alloc(struct pg_arena *a, size_t n);
void *pg_arena_array(struct pg_arena *a, size_t count, size_t size);
char *pg_arena_strdup(struct pg_arena *a, const char *s);
char *pg_arena_strndup(struct pg_arena *a, const char *s, size_t n);
char *pg_arena_printf(struct pg_arena *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* One large zeroed mapping marked MADV_DONTFORK; NULL when out of memory. Freed with the same size. */
void *pg_big_alloc(size_t n);
void *pg_big_grow(void *p, size_t old_n,
		  size_t new_n); /* as realloc: NULL = failed, p still valid; p may be NULL with old_n 0 */
void pg_big_free(void *p, size_t n);
/* One of several arrays of cap elements: *column (a pointer to a pointer) grows; false = failed, it is as it was. */
bool pg_big_column(void *column, size_t old_cap, size_t cap, size_t size);

#endif
