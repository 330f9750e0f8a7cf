/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One scalar as a value: which forms it may have, and hints for those it may not. */
#include <string.h>

#include "base/str.h"
#include "plan/quote.h"
#include "plan/range.h"
#include "plan/values_parts.h"

static int empty(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node)
{
	struct pg_str allowed;

	pg_str_init(&allowed);
	pg_param_allowed(row, &allowed);
	pg_diag_error(ctx->diag, &node->loc, "%s has no value here; allowed: %s", row->name, pg_str_text(&allowed));
	pg_str_release(&allowed);
	return -1;
}

int pg_values_want(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node)
{
	if (pg_node_slip(node, ctx->diag))
		return -1;
	if (node->kind != PG_NODE_SCALAR)
		return pg_diag_error(ctx->diag, &node->loc,
				     "%s takes one value here, not %s; several values stand in `%s`", row->name,
				     pg_node_what(node), node->cli ? "--vary" : "vary");
	if (pg_node_is_null(node) || (node->plain && strcmp(node->text, "~") == 0))
		return empty(ctx, row, node);
	return 0;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* "0-3", "0-3,8": what a list of CPUs looks like. */
static bool like_cpulist(const struct pg_node *n)
{
	for (size_t i = 0; i < n->len; i++)
		if (!is_digit(n->text[i]) && n->text[i] != '-' && n->text[i] != ',')
			return false;
	return is_digit(n->text[0]) && strchr(n->text, '-');
}

/* A machine word or a word of the row that was nearly written; NULL = none. */
static const char *near_word(const struct pg_param *row, const struct pg_node *n)
{
	const char *names[PG_MACHINE_WORDS + 16];
	struct pg_quote q;
	size_t count = 0, from = 0, len = 0;

	while (from < n->len &&
	       !((n->text[from] >= 'a' && n->text[from] <= 'z') || (n->text[from] >= 'A' && n->text[from] <= 'Z')))
		from++;
	while (from + len < n->len && !strchr(" \t+-*/%(),.", n->text[from + len]))
		len++;
	if (len < 2 || (from && is_digit(n->text[from - 1])))
		return NULL;
	for (; count < PG_MACHINE_WORDS; count++)
		names[count] = pg_machine_words[count];
	for (const struct pg_choice *c = row->choices; c && c->name && count < sizeof(names) / sizeof(names[0]); c++)
		names[count++] = c->name;
	return pg_nearest(pg_quote(&q, n->text + from, len), names, count);
}

/* What the user may have meant by the text of a number that is none; "" = nothing known. */
static void hint(const struct pg_param *row, const struct pg_node *n, struct pg_str *out)
{
	const char *near = n->plain ? near_word(row, n) : NULL;

	if (!n->plain && (pg_range_is(n->text, n->len) || pg_expr_names_word(n->text, n->len)))
		pg_str_adds(out, "; quotes make it text: leave them off");
	else if (!n->plain && pg_choice_find(row->choices, n->text, n->len) >= 0)
		pg_str_adds(out, "; quotes make it text: leave them off the word");
	else if (pg_range_is(n->text, n->len))
		pg_str_addf(out, "; this is a range: several values stand in `%s`", n->cli ? "--vary" : "vary");
	else if (like_cpulist(n))
		pg_str_adds(out, "; a range is written with two dots, as in 0..3");
	else if (near)
		pg_str_addf(out, "; did you mean %s", near);
	else if (n->len && is_digit(n->text[0]) && strpbrk(n->text, "*/+"))
		pg_str_adds(out,
			    "; arithmetic stands here only with a machine word (cpus, cores, llcs, sockets, nodes)");
}

static int refuse(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node,
		  struct pg_err *err)
{
	struct pg_str way;

	pg_str_init(&way);
	if (pg_values_is_number(row->type))
		hint(row, node, &way);
	pg_diag_error(ctx->diag, &node->loc, "%s: %s%s", row->name, err->msg, pg_str_text(&way));
	pg_str_release(&way);
	return -1;
}

static int unquoted_list(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node)
{
	const char *noun = row->type == PG_CPULIST ? "CPUs" : "nodes";
	struct pg_quote q;

	pg_quote(&q, node->text, node->len);
	return pg_diag_error(ctx->diag, &node->loc, "%s: a list of %s stands in quotes; write \"%s\"", row->name, noun,
			     q.s);
}

static int literal(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node,
		   struct pg_item *out)
{
	bool word = pg_values_is_number(row->type) && pg_choice_find(row->choices, node->text, node->len) >= 0;
	struct pg_str allowed;
	struct pg_quote q;
	struct pg_err err;

	if (word && !node->plain) {
		pg_str_init(&allowed);
		pg_param_allowed(row, &allowed);
		pg_fail(&err, PG_EINPUT, "'%s' is text; allowed: %s", pg_quote(&q, node->text, node->len),
			pg_str_text(&allowed));
		pg_str_release(&allowed);
		return refuse(ctx, row, node, &err);
	}
	if (pg_value_parse(row, node->text, node->len, ctx->arena, &out->v, &err))
		return refuse(ctx, row, node, &err);
	return 0;
}

int pg_values_scalar(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node,
		     struct pg_item *out, struct pg_err *err)
{
	bool number = pg_values_is_number(row->type), list = row->type == PG_CPULIST || row->type == PG_NODELIST;

	if (pg_values_want(ctx, row, node))
		return -1;
	memset(out, 0, sizeof(*out));
	out->text = node->text;
	out->loc = node->loc;
	if (list && node->plain && !node->cli && pg_choice_find(row->choices, node->text, node->len) < 0)
		return unquoted_list(ctx, row, node);
	if (!number || !node->plain || !pg_expr_names_word(node->text, node->len) || pg_range_is(node->text, node->len))
		return literal(ctx, row, node, out);
	out->from_word = true;
	out->machine = true;
	if (pg_values_word(ctx, row, node, &out->v))
		return -1;
	if (pg_values_in_range(row, &out->v, err) == 0)
		return 0;
	err->loc = node->loc;
	return 1;
}
