/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table of names with open addressing, at most half full.
 */
#include "base/nameset.h"

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define FIRST_ROOM 16

void pg_nameset_init(struct pg_nameset *s, bool any_case)
{
	*s = (struct pg_nameset){.any_case = any_case};
}

void pg_nameset_release(struct pg_nameset *s)
{
	free(s->slots);
	s->slots = NULL;
	s->n = s->room = 0;
}

static char fold(const struct pg_nameset *s, char c)
{
	return s->any_case && c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool same(const struct pg_nameset *s, const char *a, const char *b)
{
	while (*a && fold(s, *a) == fold(s, *b)) {
		a++;
		b++;
	}
	return fold(s, *a) == fold(s, *b);
}

/* The slot that holds the name or would; room > 0. */
static struct pg_nameset_slot *slot_of(const struct pg_nameset *s, const char *name)
{
	uint64_t h = PG_FNV_INIT;
	size_t at;

	for (const char *p = name; *p; p++) {
		char c = fold(s, *p);

		h = pg_fnv1a(h, &c, 1);
	}
	at = (size_t)pg_mix64(h) & (s->room - 1);
	while (s->slots[at].name && !same(s, s->slots[at].name, name))
		at = (at + 1) & (s->room - 1);
	return &s->slots[at];
}

static int grow(struct pg_nameset *s)
{
	struct pg_nameset more = {.room = s->room ? 2 * s->room : FIRST_ROOM, .n = s->n, .any_case = s->any_case};

	more.slots = calloc(more.room, sizeof(*more.slots));
	if (!more.slots)
		return -1;
	for (size_t i = 0; i < s->room; i++)
		if (s->slots[i].name)
			*slot_of(&more, s->slots[i].name) = s->slots[i];
	free(s->slots);
	*s = more;
	return 0;
}

int pg_nameset_add(struct pg_nameset *s, const char *name, size_t number, size_t *before)
{
	struct pg_nameset_slot *slot;

	if (2 * (s->n + 1) > s->room && grow(s) != 0)
		return -1;
	slot = slot_of(s, name);
	if (slot->name) {
		*before = slot->number;
		return 0;
	}
	*slot = (struct pg_nameset_slot){.name = name, .number = number};
	s->n++;
	return 1;
}

bool pg_nameset_find(const struct pg_nameset *s, const char *name, size_t *number)
{
	const struct pg_nameset_slot *slot = s->room ? slot_of(s, name) : NULL;

	if (!slot || !slot->name)
		return false;
	*number = slot->number;
	return true;
}
