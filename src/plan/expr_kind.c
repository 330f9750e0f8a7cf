/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which kinds go together, said once for the check of a whole sweep and for the evaluation of a cell. */
#include "plan/expr_parts.h"

#define BIT(k) (1u << (k))
#define KINDS  6

static bool is_quantity(enum pg_ekind k)
{
	return k == PG_E_NUM || k == PG_E_SIZE || k == PG_E_TIME;
}

int pg_kind_binary(enum pg_op op, enum pg_ekind a, enum pg_ekind b)
{
	switch (op) {
	case PG_OP_EQ:
	case PG_OP_NE:
		return a == b || a == PG_E_NONE || b == PG_E_NONE ? PG_E_BOOL : -1;
	case PG_OP_LT:
	case PG_OP_LE:
	case PG_OP_GT:
	case PG_OP_GE:
		return a == b && is_quantity(a) ? PG_E_BOOL : -1;
	case PG_OP_ADD:
	case PG_OP_SUB:
	case PG_OP_MOD:
	case PG_OP_MIN:
	case PG_OP_MAX:
		return a == b && is_quantity(a) ? (int)a : -1;
	case PG_OP_MUL:
		if (a == PG_E_NUM && is_quantity(b))
			return (int)b;
		return b == PG_E_NUM && is_quantity(a) ? (int)a : -1;
	case PG_OP_DIV:
		if (a == b && is_quantity(a))
			return PG_E_NUM;
		return b == PG_E_NUM && is_quantity(a) ? (int)a : -1;
	case PG_OP_AND:
	case PG_OP_OR:
		return a == PG_E_BOOL && b == PG_E_BOOL ? PG_E_BOOL : -1;
	case PG_OP_CONST:
	case PG_OP_SLOT:
	case PG_OP_NOT:
	case PG_OP_NEG:
	case PG_OP_COND:
		break;
	}
	return -1;
}

unsigned pg_kinds_binary(enum pg_op op, unsigned a, unsigned b)
{
	unsigned result = 0;

	for (unsigned i = 0; i < KINDS; i++)
		for (unsigned k = 0; k < KINDS; k++) {
			int r = a & BIT(i) && b & BIT(k) ? pg_kind_binary(op, (enum pg_ekind)i, (enum pg_ekind)k) : -1;

			if (r >= 0)
				result |= BIT(r);
		}
	return result;
}

const char *pg_ekind_text(unsigned kinds)
{
	unsigned k = kinds & ~BIT(PG_E_NONE);

	if (k == (BIT(PG_E_NUM) | BIT(PG_E_TEXT)))
		return "a number or a word";
	if (k == (BIT(PG_E_SIZE) | BIT(PG_E_TEXT)))
		return "a size or a word";
	if (k == (BIT(PG_E_TIME) | BIT(PG_E_TEXT)))
		return "a time or a word";
	if (k & BIT(PG_E_NUM))
		return "a number";
	if (k & BIT(PG_E_SIZE))
		return "a size";
	if (k & BIT(PG_E_TIME))
		return "a time";
	if (k & BIT(PG_E_BOOL))
		return "a condition";
	return k & BIT(PG_E_TEXT) ? "text" : "nothing (unset)";
}

/* "add %s and %s": the words around the two kinds. */
static void words(enum pg_op op, const char **verb, const char **and)
{
	*and = " and ";
	switch (op) {
	case PG_OP_ADD:
		*verb = "add ";
		return;
	case PG_OP_SUB:
		*verb = "subtract with ";
		return;
	case PG_OP_MUL:
		*verb = "multiply ";
		return;
	case PG_OP_DIV:
		*verb = "divide ";
		*and = " by ";
		return;
	case PG_OP_MOD:
		*verb = "take the remainder of ";
		*and = " by ";
		return;
	case PG_OP_MIN:
	case PG_OP_MAX:
		*verb = "take the smaller or larger of ";
		return;
	case PG_OP_AND:
	case PG_OP_OR:
		*verb = "join ";
		return;
	case PG_OP_EQ:
	case PG_OP_NE:
	case PG_OP_LT:
	case PG_OP_LE:
	case PG_OP_GT:
	case PG_OP_GE:
	case PG_OP_CONST:
	case PG_OP_SLOT:
	case PG_OP_NOT:
	case PG_OP_NEG:
	case PG_OP_COND:
		break;
	}
	*verb = "compare ";
	*and = " with ";
}

static const char *way_out(enum pg_op op, unsigned a, unsigned b)
{
	unsigned both = a | b;

	if (op == PG_OP_AND || op == PG_OP_OR)
		return "each side is a condition, such as groups > 4";
	if (both & BIT(PG_E_NONE) && !(both & BIT(PG_E_TEXT)))
		return "a param without a value knows only == '' and != ''";
	if (both == (BIT(PG_E_BOOL) | BIT(PG_E_TEXT)))
		return "true and false stand without quotes";
	if (both & BIT(PG_E_TEXT))
		return a == b ? "text knows only == and !="
			      : "both sides must be of one kind; text knows only == and !=";
	if (both == (BIT(PG_E_NUM) | BIT(PG_E_SIZE)) && op != PG_OP_DIV)
		return "give the number a unit, as in 4KB";
	if (both == (BIT(PG_E_NUM) | BIT(PG_E_TIME)) && op != PG_OP_DIV)
		return "give the number a unit, as in 10ms";
	if (op == PG_OP_MUL)
		return "one side is a plain number";
	if (op == PG_OP_DIV)
		return "the divisor is a plain number or of the same kind";
	return "both sides are numbers, or both sizes, or both times";
}

int pg_kind_mismatch(enum pg_op op, unsigned a, unsigned b, const struct pg_loc *loc, struct pg_err *err)
{
	const char *verb, *and;

	words(op, &verb, &and);
	return pg_fail_at(err, PG_EINPUT, loc, "cannot %s%s%s%s; %s", verb, pg_ekind_text(a), and, pg_ekind_text(b),
			  way_out(op, a, b));
}
