/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiler of expressions: precedence climbing over one token, code for a stack of values. Names and kinds are checked
 * here, so that a plan of a million cells cannot fail in the last one for a slip of the pen. A fault of syntax ends the
 * text, other faults are collected.
 */
#include <string.h>

#include "base/arena.h"
#include "plan/expr_parts.h"
#include "plan/node.h"

#define BIT(k)	   (1u << (k))
#define ALL_KINDS  (BIT(PG_E_NONE + 1) - 1)
#define QUANTITIES (BIT(PG_E_NUM) | BIT(PG_E_SIZE) | BIT(PG_E_TIME))

/* How tightly an operator binds. */
enum level { LEVEL_NONE, LEVEL_OR, LEVEL_AND, LEVEL_NOT, LEVEL_COMPARE, LEVEL_SUM, LEVEL_TERM, LEVEL_UNARY };

static int parse_level(struct pg_parser *p, enum level level, struct pg_part *out);

static enum level level_of(enum pg_op op)
{
	switch (op) {
	case PG_OP_OR:
		return LEVEL_OR;
	case PG_OP_AND:
		return LEVEL_AND;
	case PG_OP_EQ:
	case PG_OP_NE:
	case PG_OP_LT:
	case PG_OP_LE:
	case PG_OP_GT:
	case PG_OP_GE:
		return LEVEL_COMPARE;
	case PG_OP_ADD:
	case PG_OP_SUB:
		return LEVEL_SUM;
	case PG_OP_MUL:
	case PG_OP_DIV:
	case PG_OP_MOD:
		return LEVEL_TERM;
	case PG_OP_NOT:
	case PG_OP_NEG:
	case PG_OP_COND:
	case PG_OP_CONST:
	case PG_OP_SLOT:
	case PG_OP_MIN:
	case PG_OP_MAX:
		break;
	}
	return LEVEL_NONE;
}

static bool is_name(const struct pg_token *t, const char *name)
{
	return strlen(name) == t->n && memcmp(t->s, name, t->n) == 0;
}

static int parse_name(struct pg_parser *p, struct pg_part *out)
{
	struct pg_token t = p->t;
	struct pg_ins *i;
	size_t slot;

	if (p->scope->find(p->scope->ctx, t.s, t.n, &slot, &out->kinds) == 0) {
		i = pg_emit(p, PG_OP_SLOT, t.at);
		if (!i)
			return -1;
		i->u.slot = slot;
		return pg_use_slot(p, slot) ? -1 : pg_parser_advance(p, false);
	}
	if (is_name(&t, "true") || is_name(&t, "false")) {
		struct pg_evalue k = {PG_E_BOOL, pg_dec_int(t.n == 4), NULL};

		return pg_emit_value(p, &k, t.at, out) ? -1 : pg_parser_advance(p, false);
	}
	out->kinds = ALL_KINDS;
	if (p->wants_text)
		return pg_skip_word(p);
	out->unknown = t;
	return pg_parser_advance(p, false);
}

static int enter(struct pg_parser *p)
{
	if (++p->nest <= PG_EXPR_NEST)
		return 0;
	pg_parser_fail(p, p->t.at, "nested deeper than %u levels; name a part of it by a param in derive",
		       PG_EXPR_NEST);
	return -1;
}

static int close_paren(struct pg_parser *p, unsigned opened)
{
	struct pg_quote q;

	if (p->t.kind == PG_TOK_CLOSE)
		return pg_parser_advance(p, false);
	if (p->t.kind == PG_TOK_END)
		pg_parser_fail(p, opened, "the ( has no ); close it");
	else if (p->t.kind == PG_TOK_COMMA)
		pg_parser_fail(p, p->t.at, "a comma stands only between the values of min( ) and max( )");
	else
		pg_parser_fail(p, p->t.at, "unexpected %s; an operator or ) is due here", pg_quote(&q, p->t.s, p->t.n));
	return -1;
}

/* Checks the kinds of both sides and gives those of the result. */
static void join(struct pg_parser *p, const struct pg_token *op, struct pg_part *l, struct pg_part *r)
{
	bool equality = op->op == PG_OP_EQ || op->op == PG_OP_NE;
	struct pg_err e;
	unsigned kinds;

	if (l->unknown.n && equality && r->kinds == BIT(PG_E_TEXT)) {
		pg_report_unquoted(p, l->unknown.s, l->unknown.n, l->unknown.at);
		l->unknown.n = 0;
	}
	pg_part_settle(p, l);
	pg_part_settle(p, r);
	kinds = pg_kinds_binary(op->op, l->kinds, r->kinds);
	if (!kinds) {
		pg_kind_mismatch(op->op, l->kinds, r->kinds, &p->loc, &e);
		pg_parser_pass(p, op->at, &e);
		kinds = ALL_KINDS;
	}
	l->kinds = kinds;
}

/* min(a, b, ...) or max: folded from the left. */
static int parse_call(struct pg_parser *p, enum pg_op op, struct pg_part *out)
{
	struct pg_token name = p->t;
	bool wanted = p->wants_text;
	struct pg_part next;
	unsigned opened;

	if (enter(p) || pg_parser_advance(p, true))
		return -1;
	if (p->t.kind != PG_TOK_OPEN)
		return pg_parser_fail(p, name.at, "min and max need ( ), as in min(groups, 8)");
	opened = p->t.at;
	p->wants_text = false;
	if (pg_parser_advance(p, true) || parse_level(p, LEVEL_OR, out))
		return -1;
	if (p->t.kind == PG_TOK_CLOSE)
		return pg_parser_fail(p, name.at, "one value has no smaller or larger; give two, as in min(groups, 8)");
	while (p->t.kind == PG_TOK_COMMA) {
		if (pg_parser_advance(p, false) || parse_level(p, LEVEL_OR, &next))
			return -1;
		name.op = op;
		join(p, &name, out, &next);
		if (!pg_emit(p, op, name.at))
			return -1;
	}
	p->wants_text = wanted;
	p->nest--;
	return close_paren(p, opened);
}

static int parse_paren(struct pg_parser *p, struct pg_part *out)
{
	bool wanted = p->wants_text;
	unsigned opened = p->t.at;

	p->wants_text = false;
	if (enter(p) || pg_parser_advance(p, true) || parse_level(p, LEVEL_OR, out))
		return -1;
	pg_part_settle(p, out);
	p->wants_text = wanted;
	p->nest--;
	return close_paren(p, opened);
}

static int parse_minus(struct pg_parser *p, struct pg_part *out)
{
	unsigned at = p->t.at;

	if (enter(p) || pg_parser_advance(p, true) || parse_level(p, LEVEL_UNARY, out))
		return -1;
	pg_part_settle(p, out);
	p->nest--;
	if (!(out->kinds & QUANTITIES)) {
		pg_parser_fail(p, at, "a minus sign before %s; it takes a number, a size or a time",
			       pg_ekind_text(out->kinds));
		out->kinds = QUANTITIES;
	}
	out->kinds &= QUANTITIES;
	return pg_emit(p, PG_OP_NEG, at) ? 0 : -1;
}

static int parse_not(struct pg_parser *p, enum level level, struct pg_part *out)
{
	unsigned at = p->t.at;

	if (level > LEVEL_NOT)
		return pg_parser_fail(p, at, "`not` binds looser than what stands before it; put it in ( )");
	if (enter(p) || pg_parser_advance(p, false) || parse_level(p, LEVEL_NOT, out))
		return -1;
	pg_part_settle(p, out);
	p->nest--;
	if (!(out->kinds & BIT(PG_E_BOOL)))
		pg_parser_fail(p, at, "`not` before %s; it takes a condition, such as groups > 4",
			       pg_ekind_text(out->kinds));
	out->kinds = BIT(PG_E_BOOL);
	return pg_emit(p, PG_OP_NOT, at) ? 0 : -1;
}

/* Is it a unit of a size or a time? */
static bool is_unit(const struct pg_token *t)
{
	char text[8] = "1";
	uint64_t bytes;
	int64_t ns;

	if (t->kind != PG_TOK_NAME || t->n > sizeof(text) - 2)
		return false;
	memcpy(text + 1, t->s, t->n);
	return !pg_size_parse(text, t->n + 1, false, &bytes) || !pg_time_parse(text, t->n + 1, &ns);
}

static int parse_value(struct pg_parser *p, struct pg_part *out)
{
	struct pg_token t = p->t;
	struct pg_quote q;

	if (pg_parser_advance(p, false))
		return -1;
	if (t.k.kind == PG_E_NUM && is_unit(&p->t))
		return pg_parser_fail(p, p->t.at, "unexpected %s; a number and its unit stand together, as in 4KB",
				      pg_quote(&q, p->t.s, p->t.n));
	return pg_emit_value(p, &t.k, t.at, out);
}

static int parse_prefix(struct pg_parser *p, enum level level, struct pg_part *out)
{
	struct pg_token t = p->t;
	struct pg_quote q;

	memset(out, 0, sizeof(*out));
	switch (t.kind) {
	case PG_TOK_VALUE:
		return parse_value(p, out);
	case PG_TOK_NAME:
		if (is_name(&t, "min"))
			return parse_call(p, PG_OP_MIN, out);
		if (is_name(&t, "max"))
			return parse_call(p, PG_OP_MAX, out);
		return parse_name(p, out);
	case PG_TOK_OPEN:
		return parse_paren(p, out);
	case PG_TOK_OP:
		if (t.op == PG_OP_SUB)
			return parse_minus(p, out);
		if (t.op == PG_OP_NOT)
			return parse_not(p, level, out);
		break;
	case PG_TOK_END:
	case PG_TOK_CLOSE:
	case PG_TOK_COMMA:
		break;
	}
	if (t.kind == PG_TOK_END)
		return pg_parser_fail(p, t.at, "the expression ends too early; a name, a number or 'text' is due here");
	return pg_parser_fail(p, t.at, "unexpected %s; a name, a number or 'text' is due here", pg_quote(&q, t.s, t.n));
}

/* An operator and its right side, after the part *l. */
static int parse_rest(struct pg_parser *p, struct pg_part *l)
{
	struct pg_token op = p->t;
	enum level level = level_of(op.op);
	bool wanted = p->wants_text, lazy = op.op == PG_OP_AND || op.op == PG_OP_OR;
	size_t jump = p->n;
	struct pg_part r;

	if (pg_parser_advance(p, false) || (lazy && !pg_emit(p, op.op, op.at)))
		return -1;
	p->wants_text = (op.op == PG_OP_EQ || op.op == PG_OP_NE) && !l->unknown.n && l->kinds & BIT(PG_E_TEXT);
	if (parse_level(p, (enum level)(level + 1), &r))
		return -1;
	p->wants_text = wanted;
	if (level == LEVEL_COMPARE && p->t.kind == PG_TOK_OP && level_of(p->t.op) == LEVEL_COMPARE)
		return pg_parser_fail(p, p->t.at,
				      "a second comparison in a row; join two with `and`, as in a < b and b < c");
	join(p, &op, l, &r);
	if (!pg_emit(p, lazy ? PG_OP_COND : op.op, op.at))
		return -1;
	if (lazy)
		p->code[jump].u.to = p->n;
	return 0;
}

static int parse_level(struct pg_parser *p, enum level level, struct pg_part *out)
{
	if (parse_prefix(p, level, out))
		return -1;
	while (p->t.kind == PG_TOK_OP && level_of(p->t.op) >= level)
		if (parse_rest(p, out))
			return -1;
	return 0;
}

static int parse_all(struct pg_parser *p, struct pg_part *out)
{
	struct pg_quote q;
	struct pg_err e;

	if (pg_lex(&p->x, &p->t, &e))
		return pg_parser_pass(p, p->t.at, &e);
	if (p->t.kind == PG_TOK_END)
		return pg_parser_fail(p, 0, "an empty expression; write one, such as groups > 4 * cpus");
	if (parse_level(p, LEVEL_OR, out))
		return -1;
	pg_part_settle(p, out);
	if (p->t.kind == PG_TOK_END)
		return 0;
	if (p->t.kind == PG_TOK_CLOSE)
		pg_parser_fail(p, p->t.at, "this ) closes nothing; take it away or open it before");
	else if (p->t.kind == PG_TOK_COMMA)
		pg_parser_fail(p, p->t.at, "a comma stands only between the values of min( ) and max( )");
	else if (p->t.kind == PG_TOK_NAME &&
		 (!pg_edit_distance(pg_quote(&q, p->t.s, p->t.n), "and") || !pg_edit_distance(q.s, "or")))
		pg_parser_fail(p, p->t.at, "unexpected %s; `and` and `or` are lower case", q.s);
	else
		pg_parser_fail(p, p->t.at,
			       "unexpected %s; an operator (and or == != < <= > >= + - * / %%) or the end is due here",
			       pg_quote(&q, p->t.s, p->t.n));
	return -1;
}

static int finish(struct pg_parser *p, const struct pg_part *whole, struct pg_expr **out)
{
	struct pg_expr *e = pg_arena_alloc(p->arena, sizeof(*e));

	if (!e)
		return pg_parser_nomem(p);
	e->text = p->text.failed ? NULL : pg_arena_strdup(p->arena, pg_str_text(&p->text));
	if (!e->text)
		return pg_parser_nomem(p);
	e->code = p->code;
	e->n = p->n;
	e->slots = p->slots;
	e->n_slots = p->n_slots;
	e->loc = p->loc;
	e->exact = p->exact;
	e->kinds = whole->kinds;
	*out = e;
	return 0;
}

static int compile(const char *text, size_t n, const struct pg_loc *loc, bool exact, struct pg_parser *p,
		   struct pg_expr **out)
{
	struct pg_part whole;
	int rc;

	p->x.s = text;
	p->x.n = n;
	p->x.arena = p->arena;
	p->loc = *loc;
	p->exact = exact;
	rc = parse_all(p, &whole);
	if (rc == 0 && p->errors == 0)
		rc = finish(p, &whole, out);
	pg_str_release(&p->text);
	return rc || p->errors ? -1 : 0;
}

int pg_expr_parse(const char *text, size_t n, const struct pg_loc *loc, const struct pg_scope *scope,
		  struct pg_arena *a, struct pg_expr **out, struct pg_diag *d)
{
	struct pg_parser p = {.scope = scope, .arena = a, .diag = d};

	return compile(text, n, loc, loc->line != 0, &p, out);
}

int pg_expr_parse_node(const struct pg_node *node, const struct pg_scope *scope, struct pg_arena *a,
		       struct pg_expr **out, struct pg_diag *d)
{
	struct pg_parser p = {.scope = scope, .arena = a, .diag = d};
	struct pg_loc loc = pg_node_text_loc(node);

	if (pg_node_slip(node, d))
		return -1;
	if (node->kind != PG_NODE_SCALAR)
		return pg_diag_error(d, &node->loc,
				     "an expression is due here, not %s; write one, such as groups > 4 * cpus",
				     pg_node_what(node));
	return compile(node->text, node->len, &loc, node->exact, &p, out);
}
