/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Evaluation of a compiled expression for one cell: a stack of values on the caller's stack, nothing allocated. Whole
 * numbers that stay small, which is nearly all of them, take a short way.
 */
#include <string.h>

#include "base/str.h"
#include "plan/expr_parts.h"

#define BIT(k) (1u << (k))
#define SMALL  (INT64_C(1) << 31)

unsigned pg_expr_kinds(const struct pg_expr *e)
{
	return e->kinds;
}

bool pg_expr_uses(const struct pg_expr *e, size_t slot)
{
	for (size_t i = 0; i < e->n_slots; i++)
		if (e->slots[i] == slot)
			return true;
	return false;
}

size_t pg_expr_slots(const struct pg_expr *e, const size_t **slots)
{
	*slots = e->slots;
	return e->n_slots;
}

const struct pg_loc *pg_expr_loc(const struct pg_expr *e)
{
	return &e->loc;
}

void pg_expr_text(const struct pg_expr *e, struct pg_str *out)
{
	pg_str_adds(out, e->text);
}

static void set_bool(struct pg_evalue *v, bool b)
{
	v->kind = PG_E_BOOL;
	v->num = pg_dec_int(b);
}

static int fail(const struct pg_expr *e, const struct pg_ins *i, const char *why, struct pg_err *err)
{
	struct pg_loc l = pg_expr_place(&e->loc, e->exact, i->at);

	return pg_fail_at(err, PG_EINPUT, &l, "%s", why);
}

static int mismatch(const struct pg_expr *e, const struct pg_ins *i, const struct pg_evalue *a,
		    const struct pg_evalue *b, struct pg_err *err)
{
	struct pg_loc l = pg_expr_place(&e->loc, e->exact, i->at);
	const struct pg_evalue *word = a->kind == PG_E_TEXT ? a : b;
	struct pg_quote q;

	if (word->kind == PG_E_TEXT && a->kind != b->kind)
		return pg_fail_at(err, PG_EINPUT, &l,
				  "a word, '%s', where a number is due; test it first, as in x != '%s' and x > 4",
				  pg_quote(&q, word->text, strlen(word->text)), q.s);
	return pg_kind_mismatch(i->op, BIT(a->kind), BIT(b->kind), &l, err);
}

/* An unset param equals the empty text and another unset one, nothing else; different kinds are not equal. */
static bool equal(const struct pg_evalue *a, const struct pg_evalue *b)
{
	if (a->kind == PG_E_TEXT && b->kind == PG_E_TEXT)
		return strcmp(a->text, b->text) == 0;
	if (a->kind == PG_E_NONE || b->kind == PG_E_NONE) {
		const struct pg_evalue *other = a->kind == PG_E_NONE ? b : a;

		return other->kind == PG_E_NONE || (other->kind == PG_E_TEXT && !*other->text);
	}
	return a->kind == b->kind && pg_dec_cmp(a->num, b->num) == 0;
}

static bool ordered(enum pg_op op, int cmp)
{
	if (op == PG_OP_LT)
		return cmp < 0;
	if (op == PG_OP_LE)
		return cmp <= 0;
	return op == PG_OP_GT ? cmp > 0 : cmp >= 0;
}

static int cmp_num(struct pg_dec a, struct pg_dec b)
{
	return a.e == 0 && b.e == 0 ? (a.m > b.m) - (a.m < b.m) : pg_dec_cmp(a, b);
}

static bool is_small(struct pg_dec d)
{
	return d.e == 0 && d.m < SMALL && d.m > -SMALL;
}

/* Whole numbers below 2^31: no result of these three can overflow. */
static bool short_way(enum pg_op op, struct pg_dec a, struct pg_dec b, struct pg_dec *out)
{
	if ((op != PG_OP_ADD && op != PG_OP_SUB && op != PG_OP_MUL) || !is_small(a) || !is_small(b))
		return false;
	*out = pg_dec_int(op == PG_OP_MUL ? a.m * b.m : op == PG_OP_ADD ? a.m + b.m : a.m - b.m);
	return true;
}

static int binary(const struct pg_expr *e, const struct pg_ins *i, struct pg_evalue *a, const struct pg_evalue *b,
		  double *cut, struct pg_err *err)
{
	const char *why;
	int kind;

	if (i->op == PG_OP_EQ || i->op == PG_OP_NE) {
		set_bool(a, equal(a, b) == (i->op == PG_OP_EQ));
		return 0;
	}
	kind = pg_kind_binary(i->op, a->kind, b->kind);
	if (kind < 0)
		return mismatch(e, i, a, b, err);
	if (kind == PG_E_BOOL) {
		set_bool(a, ordered(i->op, cmp_num(a->num, b->num)));
		return 0;
	}
	a->kind = (enum pg_ekind)kind;
	if (short_way(i->op, a->num, b->num, &a->num))
		return 0;
	why = pg_arith(i->op, a->num, b->num, &a->num, cut);
	return why ? fail(e, i, why, err) : 0;
}

static int negate(const struct pg_expr *e, const struct pg_ins *i, struct pg_evalue *v, struct pg_err *err)
{
	if (v->kind != PG_E_NUM && v->kind != PG_E_SIZE && v->kind != PG_E_TIME)
		return fail(e, i, "a minus sign before a word or nothing; it takes a number, a size or a time", err);
	if (v->num.m == INT64_MIN)
		return fail(e, i, "the result is out of range; whole numbers go to 9223372036854775807", err);
	v->num.m = -v->num.m;
	return 0;
}

static int condition(const struct pg_expr *e, const struct pg_ins *i, const struct pg_evalue *v, struct pg_err *err)
{
	if (v->kind == PG_E_BOOL)
		return 0;
	return fail(e, i, "`and`, `or` and `not` take conditions; a param without a value is none", err);
}

/* One instruction at *pc; *top is the number of values. */
static int step(const struct pg_expr *e, size_t *pc, struct pg_evalue *st, size_t *top, double *cut, struct pg_err *err)
{
	const struct pg_ins *i = &e->code[*pc];
	struct pg_evalue *v = st + *top - 1;

	switch (i->op) {
	case PG_OP_CONST:
	case PG_OP_SLOT:
		break;
	case PG_OP_NOT:
		if (condition(e, i, v, err))
			return -1;
		v->num.m = !v->num.m;
		break;
	case PG_OP_NEG:
		return negate(e, i, v, err);
	case PG_OP_AND:
	case PG_OP_OR:
		if (condition(e, i, v, err))
			return -1;
		if ((v->num.m != 0) == (i->op == PG_OP_OR))
			*pc = i->u.to - 1;
		else
			--*top;
		break;
	case PG_OP_COND:
		return condition(e, i, v, err);
	case PG_OP_EQ:
	case PG_OP_NE:
	case PG_OP_LT:
	case PG_OP_LE:
	case PG_OP_GT:
	case PG_OP_GE:
	case PG_OP_ADD:
	case PG_OP_SUB:
	case PG_OP_MUL:
	case PG_OP_DIV:
	case PG_OP_MOD:
	case PG_OP_MIN:
	case PG_OP_MAX:
		--*top;
		return binary(e, i, v - 1, v, cut, err);
	}
	return 0;
}

int pg_expr_eval(const struct pg_expr *e, const struct pg_cellview *cell, struct pg_evalue *out, double *cut,
		 struct pg_err *err)
{
	struct pg_evalue st[PG_EXPR_STACK];
	size_t top = 0;

	if (cut)
		*cut = 0;
	for (size_t pc = 0; pc < e->n; pc++) {
		const struct pg_ins *i = &e->code[pc];

		if (i->op == PG_OP_CONST) {
			st[top++] = i->u.k;
		} else if (i->op == PG_OP_SLOT) {
			if (cell->get(cell->ctx, i->u.slot, &st[top++])) {
				if (err)
					err->code = PG_OK;
				return -1;
			}
		} else if (step(e, &pc, st, &top, cut, err)) {
			return -1;
		}
	}
	*out = st[0];
	return 0;
}
