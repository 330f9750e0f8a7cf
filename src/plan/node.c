/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking at the tree, and the slips of flow style that only the tree can show. */
#include "plan/node.h"

#include <string.h>

#include "base/str.h"
#include "plan/quote.h"

struct pg_node *pg_node_get(const struct pg_node *map, const char *key)
{
	if (!map || map->kind != PG_NODE_MAP)
		return NULL;
	for (struct pg_node *c = map->child; c; c = c->next)
		if (strcmp(c->key->text, key) == 0)
			return c;
	return NULL;
}

const char *pg_node_what(const struct pg_node *n)
{
	switch (n->kind) {
	case PG_NODE_LIST:
		return "a list";
	case PG_NODE_MAP:
		return "a map";
	case PG_NODE_SCALAR:
		break;
	}
	return "text";
}

bool pg_node_is_null(const struct pg_node *n)
{
	return n->kind == PG_NODE_SCALAR && n->plain && n->len == 0;
}

struct pg_loc pg_node_text_loc(const struct pg_node *n)
{
	struct pg_loc l = n->loc;

	if (n->exact && !n->plain)
		l.col++;
	return l;
}

/* Parentheses that s[0..n) leaves open. */
static long open_parens(const char *s, size_t n)
{
	long open = 0;

	for (size_t i = 0; i < n; i++)
		open += s[i] == '(' ? 1 : s[i] == ')' && open > 0 ? -1 : 0;
	return open;
}

/* A plain scalar in [ ] or { } whose parenthesis is closed by what the comma made the next entry. */
static bool is_cut(const struct pg_node *n)
{
	const struct pg_node *next = n->next;

	if (n->kind != PG_NODE_SCALAR || !n->plain || !n->flow || !next || open_parens(n->text, n->len) <= 0)
		return false;
	return n->key ? pg_node_is_null(next) : next->kind == PG_NODE_SCALAR && next->plain;
}

/* The pieces of a cut text put together again: the entry's key and the text, quoted. */
static void report_cut(const struct pg_node *n, struct pg_diag *d)
{
	struct pg_str whole;
	struct pg_quote key, text;

	pg_str_init(&whole);
	pg_str_add(&whole, n->text, n->len);
	for (const struct pg_node *k = n->next; k && open_parens(pg_str_text(&whole), whole.len) > 0; k = k->next) {
		const struct pg_node *piece = n->key ? k->key : k;

		if (piece->kind != PG_NODE_SCALAR || whole.len > PG_QUOTE_MAX)
			break;
		pg_str_adds(&whole, ", ");
		pg_str_add(&whole, piece->text, piece->len);
	}
	pg_quote(&text, pg_str_text(&whole), whole.len);
	if (n->key)
		pg_diag_error(d, &n->loc, "the comma inside { } ends this text; give the key a line of its own: %s: %s",
			      pg_quote(&key, n->key->text, n->key->len), text.s);
	else
		pg_diag_error(d, &n->loc, "the comma inside [ ] ends this text; write the list with `- ` lines: - %s",
			      text.s);
	pg_str_release(&whole);
}

bool pg_node_slip(const struct pg_node *n, struct pg_diag *d)
{
	struct pg_quote q;

	if (is_cut(n)) {
		report_cut(n, d);
		return true;
	}
	if (n->kind == PG_NODE_SCALAR || !n->flow)
		return false;
	if (n->kind == PG_NODE_MAP && n->n == 1 && pg_node_is_null(n->child)) {
		pg_quote(&q, n->child->key->text, n->child->key->len);
		pg_diag_error(d, &n->loc, "{%s} without quotes is a map to YAML; write \"{%s}\"", q.s, q.s);
		return true;
	}
	for (const struct pg_node *c = n->child; c; c = c->next)
		if (is_cut(c)) {
			report_cut(c, d);
			return true;
		}
	return false;
}
