/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a scenario file: a tree within its limits, or messages with a place inside the file. */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/arena.h"
#include "plan/node.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void report(void *ctx, const struct pg_err *e, bool note)
{
	const unsigned *lines = ctx;

	(void)note;
	assert(e->msg[0]);
	assert(e->loc.line <= *lines + 1);
	assert(strlen(e->msg) < PG_ERR_MSG);
}

static void walk(const struct pg_node *n, unsigned depth, struct pg_diag *d)
{
	size_t count = 0;

	assert(depth <= 64);
	if (n->kind == PG_NODE_SCALAR) {
		assert(strlen(n->text) == n->len);
		return;
	}
	pg_node_slip(n, d);
	for (const struct pg_node *c = n->child; c; c = c->next) {
		assert((n->kind == PG_NODE_MAP) == (c->key != NULL));
		assert(!c->key || (c->key->kind == PG_NODE_SCALAR && c->key->len));
		walk(c, depth + 1, d);
		count++;
	}
	assert(count == n->n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned breaks = (unsigned)size;
	struct pg_diag d = {report, &breaks, 0, 0};
	struct pg_arena a;
	struct pg_node *n;

	pg_arena_init(&a, false);
	n = pg_yaml_parse("fuzz.yaml", (const char *)data, size, &a, &d);
	assert((n == NULL) == (d.errors > 0));
	if (n)
		walk(n, 0, &d);
	pg_arena_release(&a);
	return 0;
}
