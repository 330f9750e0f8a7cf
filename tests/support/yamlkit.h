/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For tests of YAML: a text and its tree, or what is said about it. */
#ifndef PG_TESTS_YAMLKIT_H
#define PG_TESTS_YAMLKIT_H

#include <check.h>
#include <string.h>

#include "base/arena.h"
#include "tests/support/plandiag.h"

struct sample {
	const char *yaml;
	size_t n;	  /* 0 = strlen */
	const char *tree; /* with places; NULL = an error */
	const char *messages;
};

static inline void check(const struct sample *c)
{
	size_t n = c->n ? c->n : strlen(c->yaml);
	struct pg_arena a;
	struct pg_told told;
	struct pg_str tree;
	struct pg_node *root;

	pg_arena_init(&a, false);
	pg_told_init(&told);
	pg_str_init(&tree);
	root = pg_yaml_parse("f.yaml", c->yaml, n, &a, &told.d);
	if (root)
		pg_tree_text(root, true, &tree);
	ck_assert_msg(!root == !c->tree, "%s: %s", c->yaml, root ? "taken" : pg_told_text(&told));
	ck_assert_str_eq(pg_told_text(&told), c->messages);
	ck_assert_str_eq(pg_str_text(&tree), c->tree ? c->tree : "");
	pg_str_release(&tree);
	pg_told_release(&told);
	pg_arena_release(&a);
}

#endif
