/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names that are taken: texts by reference, each with a number, found in constant time however many there are. Memory
 * is the set's own.
 */
#ifndef PG_BASE_NAMESET_H
#define PG_BASE_NAMESET_H

#include <stdbool.h>
#include <stddef.h>

struct pg_nameset_slot {
	const char *name; /* NULL = free */
	size_t number;
};

struct pg_nameset {
	struct pg_nameset_slot *slots;
	size_t n, room; /* room: 0 or a power of two */
	bool any_case;	/* `A` and `a` are one name (ASCII letters) */
};

void pg_nameset_init(struct pg_nameset *s, bool any_case);
void pg_nameset_release(struct pg_nameset *s);
/* 1: the name is the set's now, with this number. 0: it was there, *before is its number. -1: out of memory. */
int pg_nameset_add(struct pg_nameset *s, const char *name, size_t number, size_t *before);
bool pg_nameset_find(const struct pg_nameset *s, const char *name, size_t *number);

#endif
