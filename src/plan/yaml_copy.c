/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expansion of aliases by copying, so that the tree is a tree. Two limits keep a small file from becoming a large one:
 * nodes copied in all, and depth; both hold across nested aliases.
 */
#include "base/arena.h"
#include "plan/yaml_parts.h"

enum pg_copy pg_yaml_copy(const struct pg_node *n, size_t depth, size_t *copied, struct pg_arena *a,
			  struct pg_node **out)
{
	struct pg_node *c, **tail;

	if (n->kind != PG_NODE_SCALAR && depth >= PG_YAML_DEPTH)
		return PG_COPY_DEPTH;
	if (++*copied > PG_YAML_COPIES)
		return PG_COPY_MANY;
	c = pg_arena_alloc(a, sizeof(*c));
	if (!c)
		return PG_COPY_NOMEM;
	*c = *n;
	c->child = c->next = c->key = NULL;
	tail = &c->child;
	for (const struct pg_node *k = n->child; k; k = k->next) {
		enum pg_copy rc = pg_yaml_copy(k, depth + 1, copied, a, tail);

		if (rc != PG_COPY_OK)
			return rc;
		(*tail)->key = k->key;
		tail = &(*tail)->next;
	}
	*out = c;
	return PG_COPY_OK;
}
