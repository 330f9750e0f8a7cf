/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Duplicate keys. YAML libraries take them, the last one wins, and a line of a study silently does nothing: refused,
 * naming both places. Small maps are searched, large ones hashed, so that no file takes quadratic time.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "plan/quote.h"
#include "plan/yaml_parts.h"

#define SMALL_MAP 16

static bool same(const struct pg_node *a, const struct pg_node *b)
{
	return a->len == b->len && memcmp(a->text, b->text, a->len) == 0;
}

static void report(const struct pg_node *key, const struct pg_node *first, struct pg_diag *d)
{
	struct pg_quote q;

	pg_diag_error(d, &key->loc, "key %s stands here a second time; the first is at line %u, column %u: keep one",
		      pg_quote(&q, key->text, key->len), first->loc.line, first->loc.col);
}

static void search(const struct pg_node *map, struct pg_diag *d)
{
	for (const struct pg_node *c = map->child; c && !pg_diag_full(d); c = c->next)
		for (const struct pg_node *b = map->child; c->key->text && b != c; b = b->next)
			if (b->key->text && same(b->key, c->key)) {
				report(c->key, b->key, d);
				break;
			}
}

/* slots: a power of two, at least twice the keys. */
static void hash(const struct pg_node *map, const struct pg_node **table, size_t slots, struct pg_diag *d)
{
	for (const struct pg_node *c = map->child; c && !pg_diag_full(d); c = c->next) {
		size_t i;

		if (!c->key->text)
			continue;
		i = (size_t)pg_mix64(pg_fnv1a(PG_FNV_INIT, c->key->text, c->key->len)) & (slots - 1);
		while (table[i] && !same(table[i], c->key))
			i = (i + 1) & (slots - 1);
		if (table[i])
			report(c->key, table[i], d);
		else
			table[i] = c->key;
	}
}

void pg_yaml_unique(const struct pg_node *map, struct pg_diag *d)
{
	const struct pg_node **table;
	size_t slots = 64;

	if (map->n <= SMALL_MAP) {
		search(map, d);
		return;
	}
	while (slots < 2 * map->n)
		slots *= 2;
	table = calloc(slots, sizeof(const struct pg_node *));
	if (!table) {
		pg_diag_error(d, &map->loc, "out of memory");
		return;
	}
	hash(map, table, slots, d);
	free(table);
}
