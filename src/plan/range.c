/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ranges: reading and walking them. */
#include "plan/range.h"

#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "plan/quote.h"
#include "plan/values_parts.h"

static const char *find_dots(const char *s, size_t n)
{
	for (size_t i = 0; i + 1 < n; i++)
		if (s[i] == '.' && s[i + 1] == '.')
			return s + i;
	return NULL;
}

bool pg_range_is(const char *text, size_t n)
{
	return find_dots(text, n) != NULL;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* A piece of the range's text as a scalar of its own, without blanks around it. */
static int piece(const struct pg_values_ctx *ctx, const struct pg_node *node, const char *from, const char *to,
		 struct pg_node *out)
{
	while (from < to && is_blank(*from))
		from++;
	while (to > from && is_blank(to[-1]))
		to--;
	memset(out, 0, sizeof(*out));
	out->kind = PG_NODE_SCALAR;
	out->plain = true;
	out->exact = node->exact;
	out->loc = node->loc;
	for (const char *c = node->text; node->exact && c < from; c++)
		out->loc.col += ((unsigned char)*c & 0xc0) != 0x80;
	out->len = (size_t)(to - from);
	out->text = pg_arena_strndup(ctx->arena, from, out->len);
	return out->text ? 0 : pg_diag_error(ctx->diag, &node->loc, "out of memory");
}

/* Where ` by STEP` or ` xFACTOR` begins (at its blank), NULL = neither. */
static const char *find_tail(const char *s, const char *end, bool *factor)
{
	for (const char *c = s; c + 1 < end; c++) {
		if (!is_blank(*c))
			continue;
		if (end - c >= 3 && c[1] == 'b' && c[2] == 'y' && (end - c == 3 || is_blank(c[3]))) {
			*factor = false;
			return c;
		}
		if (c[1] == 'x' && (c + 2 == end || strchr("0123456789.-+ ", c[2]))) {
			*factor = true;
			return c;
		}
	}
	return NULL;
}

static int refuse_end(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *p,
		      struct pg_err *err)
{
	const char *x = memchr(p->text, 'x', p->len), *way = "";

	if (x && x > p->text && x + 1 < p->text + p->len && x[1] >= '0' && x[1] <= '9' && p->text[0] >= '1' &&
	    p->text[0] <= '9')
		way = "; a blank stands before the factor, as in 1..64 x2";
	else if (strpbrk(p->text, "*/+"))
		way = "; arithmetic stands here only with a machine word (cpus, cores, llcs, sockets, nodes)";
	return pg_diag_error(ctx->diag, &p->loc, "%s: %s%s", row->name, err->msg, way);
}

/* An end of the range, or its step: a number of the row's type, or an expression over machine words. */
static int read_end(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *p,
		    struct pg_dec *out, bool *machine)
{
	struct pg_evalue e;
	struct pg_value v;
	struct pg_err err;

	if (!p->len)
		return pg_diag_error(ctx->diag, &p->loc, "%s: a range needs a start and an end, as in 1..8", row->name);
	if (pg_range_is(p->text, p->len))
		return pg_diag_error(ctx->diag, &p->loc,
				     "%s: a second `..`; a range has one start and one end, as in 1..8", row->name);
	*machine = pg_expr_names_word(p->text, p->len);
	if (*machine) {
		if (pg_values_word(ctx, row, p, &v))
			return -1;
	} else if (pg_value_parse_any(row, p->text, p->len, ctx->arena, &v, &err)) {
		return refuse_end(ctx, row, p, &err);
	}
	if (v.state != PG_V_SET)
		return pg_diag_error(ctx->diag, &p->loc,
				     "%s: a range runs between numbers; list the word apart, as in [1..8, %s]",
				     row->name, p->text);
	pg_values_to_expr(row, &v, &e);
	*out = e.num;
	return 0;
}

static int read_factor(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *p,
		       struct pg_range *r)
{
	enum pg_num_error e = pg_dec_parse(p->text, p->len, true, &r->by);
	struct pg_quote q;

	pg_quote(&q, p->text, p->len);
	if (e)
		return pg_diag_error(ctx->diag, &p->loc,
				     "%s: factor '%s' is no number (%s); write a decimal above 1, as in x2", row->name,
				     q.s, pg_num_error_text(e));
	if (pg_dec_cmp(r->by, pg_dec_int(1)) <= 0)
		return pg_diag_error(ctx->diag, &p->loc,
				     "%s: factor %s never reaches the end; a factor is above 1, a step is written `by`",
				     row->name, q.s);
	return 0;
}

static int read_step(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *p,
		     struct pg_range *r)
{
	struct pg_quote q;
	bool machine;

	if (p->len && p->text[0] == '-')
		return pg_diag_error(
			ctx->diag, &p->loc,
			"%s: step %s goes down; a step is above 0, values in another order stand in a list", row->name,
			pg_quote(&q, p->text, p->len));
	if (!p->len)
		return pg_diag_error(ctx->diag, &p->loc, "%s: a step is due after `by`, as in 0..100 by 25", row->name);
	if (read_end(ctx, row, p, &r->by, &machine))
		return -1;
	r->machine = r->machine || machine;
	return 0;
}

static bool has_unit(const struct pg_node *p)
{
	return p->len && strpbrk(p->text, "bBkKmMgGtT") != NULL;
}

/*
 * A size without unit is in bytes, which in `1..64KB` is hardly meant: either every number has a unit or none. 0 is 0,
 * and what machine words are in says its own unit.
 */
static int same_units(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *const *parts,
		      size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++)
		any = any || has_unit(parts[i]);
	for (size_t i = 0; any && i < n; i++)
		if (parts[i]->len && !has_unit(parts[i]) && strcmp(parts[i]->text, "0") != 0)
			return pg_diag_error(ctx->diag, &parts[i]->loc,
					     "%s: %s has no unit and its neighbour has one; write %sB or %sKB",
					     row->name, parts[i]->text, parts[i]->text, parts[i]->text);
	return 0;
}

int pg_range_parse(const struct pg_values_ctx *ctx, const struct pg_param *row, const struct pg_node *node,
		   struct pg_range *out)
{
	const char *s = node->text, *end = s + node->len, *dots = find_dots(s, node->len), *tail;
	struct pg_node start, stop, by;
	const struct pg_node *const parts[] = {&start, &stop, &by};
	bool end_machine;

	memset(out, 0, sizeof(*out));
	out->text = s;
	out->len = node->len;
	out->loc = node->loc;
	tail = find_tail(dots, end, &out->factor);
	if (piece(ctx, node, s, dots, &start) || piece(ctx, node, dots + 2, tail ? tail : end, &stop) ||
	    piece(ctx, node, tail ? tail + (out->factor ? 2 : 3) : end, end, &by)) /* after ` x` or ` by` */
		return -1;
	out->start_loc = start.loc;
	out->end_loc = stop.loc;
	out->by_loc = by.loc;
	if (read_end(ctx, row, &start, &out->start, &out->start_machine) ||
	    read_end(ctx, row, &stop, &out->end, &end_machine))
		return -1;
	out->machine = out->start_machine || end_machine;
	out->by = pg_dec_int(1);
	if (row->type == PG_SIZE && same_units(ctx, row, parts, tail && !out->factor ? 3 : 2))
		return -1;
	if (!tail)
		return 0;
	return out->factor ? read_factor(ctx, row, &by, out) : read_step(ctx, row, &by, out);
}

/* Parts that can never arrive, and an end below the start. 1 = nothing to walk. */
static int check(const struct pg_values_ctx *ctx, const struct pg_range *r)
{
	struct pg_quote q;

	pg_quote(&q, r->text, r->len);
	if (!r->factor && r->by.m <= 0)
		return pg_diag_error(ctx->diag, &r->by_loc,
				     "range %s: a step of 0 never reaches the end; a step is above 0", q.s);
	if (r->factor && r->start.m <= 0)
		return pg_diag_error(
			ctx->diag, &r->start_loc,
			"range %s: no factor leads away from 0; start above 0 and list 0 apart, as in [0, 1..64 x2]",
			q.s);
	if (pg_dec_cmp(r->end, r->start) >= 0)
		return 0;
	if (!r->machine)
		return pg_diag_error(
			ctx->diag, &r->end_loc,
			"range %s is empty, its end is below its start; values in another order stand in a list", q.s);
	pg_diag_note(ctx->diag, &r->loc, "range %s is empty on this machine; dropped", q.s);
	return 1;
}

/* The next value. 0; 1 = certainly past the end; -1 = has too many digits to be exact. */
static int next(const struct pg_range *r, struct pg_dec *v)
{
	double guess, end = pg_dec_to_double(r->end);
	struct pg_dec n;

	if (r->factor ? pg_dec_mul(*v, r->by, &n) : pg_dec_add(*v, r->by, &n)) {
		*v = n;
		return 0;
	}
	guess = r->factor ? pg_dec_to_double(*v) * pg_dec_to_double(r->by)
			  : pg_dec_to_double(*v) + pg_dec_to_double(r->by);
	return guess > end + 1e-9 * (end < 0 ? -end : end) ? 1 : -1;
}

int pg_range_each(const struct pg_values_ctx *ctx, const struct pg_range *r, pg_range_fn *fn, void *fn_ctx)
{
	struct pg_dec v = r->start;
	struct pg_quote q;
	int rc = check(ctx, r);

	if (rc)
		return rc < 0 ? -1 : 0;
	for (size_t n = 0; rc == 0 && pg_dec_cmp(v, r->end) <= 0; n++) {
		if (n == PG_RANGE_VALUES)
			return pg_diag_error(ctx->diag, &r->loc,
					     "range %s has more than %u values; give a larger step or a factor",
					     pg_quote(&q, r->text, r->len), PG_RANGE_VALUES);
		if (fn(fn_ctx, &v))
			return -1;
		rc = next(r, &v);
	}
	if (rc < 0)
		return pg_diag_error(
			ctx->diag, &r->by_loc,
			"range %s needs more than 18 digits; use a rounder step or factor, or list the values",
			pg_quote(&q, r->text, r->len));
	return 0;
}
