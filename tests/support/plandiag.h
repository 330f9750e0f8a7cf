/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of a validator as text, for tests of plan: a line "LINE:COL: message" each, notes as "LINE:COL: note:
 * message". Also a tree of nodes as one line of text.
 */
#ifndef PG_TESTS_PLANDIAG_H
#define PG_TESTS_PLANDIAG_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "plan/node.h"

struct pg_told {
	struct pg_diag d; /* what is under test reports here */
	struct pg_str text;
};

void pg_told_init(struct pg_told *t);
void pg_told_release(struct pg_told *t);
const char *pg_told_text(struct pg_told *t); /* without the last newline */

/* [a, 'b', {k: v}]: quoted scalars in single quotes, flow and block alike; with_loc adds @LINE:COL to each. */
void pg_tree_text(const struct pg_node *n, bool with_loc, struct pg_str *out);

#endif
