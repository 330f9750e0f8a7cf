/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/plandiag.h"

#include <stddef.h>

static void report(void *ctx, const struct pg_err *e, bool note)
{
	struct pg_str *out = ctx;

	pg_str_addf(out, "%s%u:%u: %s%s", out->len ? "\n" : "", e->loc.line, e->loc.col, note ? "note: " : "", e->msg);
}

void pg_told_init(struct pg_told *t)
{
	pg_str_init(&t->text);
	t->d.report = report;
	t->d.ctx = &t->text;
	t->d.errors = t->d.notes = 0;
}

void pg_told_release(struct pg_told *t)
{
	pg_str_release(&t->text);
}

const char *pg_told_text(struct pg_told *t)
{
	return pg_str_text(&t->text);
}

void pg_tree_text(const struct pg_node *n, bool with_loc, struct pg_str *out)
{
	bool map = n->kind == PG_NODE_MAP;

	if (n->kind == PG_NODE_SCALAR) {
		pg_str_addf(out, n->plain ? "%s" : "'%s'", n->text);
	} else {
		pg_str_addc(out, map ? '{' : '[');
		for (const struct pg_node *c = n->child; c; c = c->next) {
			if (map) {
				pg_tree_text(c->key, with_loc, out);
				pg_str_adds(out, ": ");
			}
			pg_tree_text(c, with_loc, out);
			pg_str_adds(out, c->next ? ", " : "");
		}
		pg_str_addc(out, map ? '}' : ']');
	}
	if (with_loc)
		pg_str_addf(out, "@%u:%u", n->loc.line, n->loc.col);
}
