/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the expression compiler share: code is a row of instructions for a stack of values. Nobody else
 * includes this.
 */
#ifndef PG_PLAN_EXPR_PARTS_H
#define PG_PLAN_EXPR_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "plan/expr.h"
#include "plan/quote.h"

#define PG_EXPR_NEST  64u  /* parentheses, `not` and minus signs inside each other */
#define PG_EXPR_STACK 512u /* values at once: 5 levels of binding a nesting, and the operand at hand */

enum pg_op {
	PG_OP_CONST, /* u.k */
	PG_OP_SLOT,  /* u.slot */
	PG_OP_NOT,
	PG_OP_NEG,
	PG_OP_AND, /* false: go to u.to and keep it; true: drop it */
	PG_OP_OR,
	PG_OP_COND, /* the right side of `and`, `or`: must be a condition */
	PG_OP_EQ,
	PG_OP_NE,
	PG_OP_LT,
	PG_OP_LE,
	PG_OP_GT,
	PG_OP_GE,
	PG_OP_ADD,
	PG_OP_SUB,
	PG_OP_MUL,
	PG_OP_DIV,
	PG_OP_MOD,
	PG_OP_MIN,
	PG_OP_MAX,
};

struct pg_ins {
	enum pg_op op;
	unsigned at; /* characters from the beginning of the text */
	union {
		struct pg_evalue k;
		size_t slot;
		size_t to; /* index of an instruction */
	} u;
};

struct pg_expr {
	const struct pg_ins *code;
	size_t n;
	const size_t *slots;
	size_t n_slots;
	const char *text; /* canonical */
	struct pg_loc loc;
	bool exact; /* loc and `at` of an instruction give its place */
	unsigned kinds;
};

/* expr_lex.c */
enum pg_tok {
	PG_TOK_END,
	PG_TOK_VALUE, /* a number or text: k */
	PG_TOK_NAME,
	PG_TOK_OP, /* op: one of two sides, or - */
	PG_TOK_OPEN,
	PG_TOK_CLOSE,
	PG_TOK_COMMA,
};

struct pg_token {
	enum pg_tok kind;
	enum pg_op op;
	struct pg_evalue k;
	const char *s;
	size_t n;
	unsigned at;
};

struct pg_lexer {
	const char *s;
	size_t n, pos;
	unsigned at; /* characters before pos */
	struct pg_arena *arena;
};
/* The next token. -1 with *err (its place is t->at, to be put in by the caller). */
int pg_lex(struct pg_lexer *x, struct pg_token *t, struct pg_err *err);

/* expr_kind.c: kind of the result of a op b, -1 = not defined; and over sets, 0 = for no member. */
int pg_kind_binary(enum pg_op op, enum pg_ekind a, enum pg_ekind b);
unsigned pg_kinds_binary(enum pg_op op, unsigned a, unsigned b);
/* The message for two kinds that do not go together; returns -1. */
int pg_kind_mismatch(enum pg_op op, unsigned a, unsigned b, const struct pg_loc *loc, struct pg_err *err);

/* expr_arith.c: a op b on numbers whose kinds fit. NULL, or why not (static text). */
const char *pg_arith(enum pg_op op, struct pg_dec a, struct pg_dec b, struct pg_dec *out, double *cut);

/* expr_code.c: the state of a compilation, with what the grammar (expr_parse.c) does to it. */

/* A compiled part. */
struct pg_part {
	unsigned kinds;
	struct pg_token unknown; /* n > 0: a name that nobody knows, still to be reported */
};

struct pg_parser {
	struct pg_lexer x;
	struct pg_token t; /* the token at hand */
	const struct pg_scope *scope;
	struct pg_arena *arena;
	struct pg_diag *diag;
	struct pg_loc loc;
	bool exact;
	struct pg_ins *code;
	size_t n, cap;
	size_t *slots;
	size_t n_slots, cap_slots;
	struct pg_str text; /* canonical, as far as consumed */
	bool glued;	    /* no blank before the next token */
	bool wants_text;    /* compared with something that may be text */
	unsigned nest;
	int errors;
};

/* Hands on *e, made without a place, as an error at `at`; returns -1. */
int pg_parser_pass(struct pg_parser *p, unsigned at, struct pg_err *e);
int pg_parser_fail(struct pg_parser *p, unsigned at, const char *fmt, ...) __attribute__((format(printf, 3, 4), cold));
int pg_parser_nomem(struct pg_parser *p);
/* Takes the token at hand into the canonical text and reads the next; glue: no blank between the two. */
int pg_parser_advance(struct pg_parser *p, bool glue);
struct pg_ins *pg_emit(struct pg_parser *p, enum pg_op op, unsigned at);
int pg_emit_value(struct pg_parser *p, const struct pg_evalue *k, unsigned at, struct pg_part *out);
int pg_use_slot(struct pg_parser *p, size_t slot);
/* Reports the unknown name of a part, if it has one. */
void pg_part_settle(struct pg_parser *p, struct pg_part *part);
/* An unknown name compared with text: the quotes were forgotten. */
void pg_report_unquoted(struct pg_parser *p, const char *s, size_t n, unsigned at);
/* The same for the name at hand, as long as the word may be (x86-64-avx2); passes over it. */
int pg_skip_word(struct pg_parser *p);

/* Place of an instruction. */
struct pg_loc pg_expr_place(const struct pg_loc *loc, bool exact, unsigned at);

#endif
