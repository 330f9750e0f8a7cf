/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Expressions over machine words, where a value stands. */
#include <string.h>

#include "base/str.h"
#include "plan/quote.h"
#include "plan/values_parts.h"

static int find(void *ctx, const char *name, size_t n, size_t *slot, unsigned *kinds)
{
	int i = pg_machine_word(name, n);

	(void)ctx;
	if (i < 0)
		return -1;
	*slot = (size_t)i;
	*kinds = 1u << PG_E_NUM;
	return 0;
}

static int get(void *ctx, size_t slot, struct pg_evalue *out)
{
	const struct pg_machine *const *m = ctx;

	memset(out, 0, sizeof(*out));
	out->kind = PG_E_NUM;
	out->num = pg_dec_int((int64_t)(*m)->word[slot]);
	return 0;
}

/* Division that loses more than a hundredth is worth a word: 5 CPUs over 2 nodes are not 2 each. */
static void note_cut(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node,
		     double cut, const struct pg_value *v)
{
	struct pg_quote q;
	struct pg_str text;

	if (!(cut > 0.01))
		return;
	pg_str_init(&text);
	pg_value_format(row, v, &text);
	pg_diag_note(ctx->diag, &node->loc, "%s: %s is cut to %s here; multiply before dividing where that matters",
		     row->name, pg_quote(&q, node->text, node->len), pg_str_text(&text));
	pg_str_release(&text);
}

int pg_values_word(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node,
		   struct pg_value *out)
{
	const struct pg_machine *machine = ctx->machine;
	struct pg_scope scope = {find, pg_machine_words, PG_MACHINE_WORDS, NULL};
	struct pg_cellview view = {get, &machine};
	struct pg_expr *e;
	struct pg_evalue v;
	struct pg_err err;
	double cut;

	if (pg_expr_parse_node(node, &scope, ctx->arena, &e, ctx->diag))
		return -1;
	if (pg_expr_eval(e, &view, &v, &cut, &err))
		return pg_diag_pass(ctx->diag, &err);
	if (pg_values_convert(row, &v, out, &err)) {
		pg_err_wrap(&err, "%s", row->name);
		err.loc = node->loc;
		return pg_diag_pass(ctx->diag, &err);
	}
	note_cut(ctx, row, node, cut, out);
	return 0;
}
