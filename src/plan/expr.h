/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expressions of the scenario: or, and, not, one comparison, + -, * / %, unary minus, min( ) max( ), in that order of
 * binding; names, numbers with unit, 'text'. Whole numbers and decimals are exact; sizes and times keep their kind;
 * like / like is a plain number; `/` of whole numbers cuts toward zero. Compiled once, evaluated per cell without
 * allocation.
 */
#ifndef PG_PLAN_EXPR_H
#define PG_PLAN_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/num.h"

struct pg_arena;
struct pg_expr;
struct pg_node;
struct pg_str;

/* An enum value, a label or a word (`auto`) is TEXT; a bool param is BOOL. */
enum pg_ekind { PG_E_NUM, PG_E_SIZE, PG_E_TIME, PG_E_BOOL, PG_E_TEXT, PG_E_NONE /* unset param: equal to '' only */ };

struct pg_evalue {
	enum pg_ekind kind;
	struct pg_dec num; /* NUM; SIZE in bytes; TIME in ns; BOOL 0/1 */
	const char *text;  /* TEXT */
};

/*
 * What names mean. `kinds` is a bit set (1 << enum pg_ekind) of what the name may hold in any cell, so that mixed kinds
 * are found at check time.
 */
struct pg_scope {
	/* 0 and *slot, *kinds; -1 = no such name. */
	int (*find)(void *ctx, const char *name, size_t n, size_t *slot, unsigned *kinds);
	/* Names for "did you mean", NULL-terminated by count. */
	const char *const *names;
	size_t n_names;
	void *ctx;
};

/* Value of a slot in the cell at hand; ctx is what pg_expr_eval() was given. */
struct pg_cellview {
	int (*get)(void *ctx, size_t slot, struct pg_evalue *out); /* -1: cannot be had (error already reported) */
	void *ctx;
};

/*
 * Compiles text at loc (its first character; line 0 = no place, errors then carry loc as it is). -1 after errors, which
 * went to d at their own line and column. Slots used can be listed for ordering derives.
 */
int pg_expr_parse(const char *text, size_t n, const struct pg_loc *loc, const struct pg_scope *scope,
		  struct pg_arena *a, struct pg_expr **out, struct pg_diag *d);
/*
 * The same for the text of a node: places inside it are told where the file has the text as it is (a folded or escaped
 * one: the place of the node). Slips of flow style are reported as such. Lists, maps and empty values are errors.
 */
int pg_expr_parse_node(const struct pg_node *node, const struct pg_scope *scope, struct pg_arena *a,
		       struct pg_expr **out, struct pg_diag *d);
unsigned pg_expr_kinds(const struct pg_expr *e);		     /* of the result */
bool pg_expr_uses(const struct pg_expr *e, size_t slot);	     /* names it */
size_t pg_expr_slots(const struct pg_expr *e, const size_t **slots); /* the distinct slots it names */
const struct pg_loc *pg_expr_loc(const struct pg_expr *e);
/*
 * Evaluates for a cell. -1: division by zero, overflow, mixed kinds; *err holds it at the operator's place. *cut (may
 * be NULL) becomes the largest share that a whole-number division lost (0.01 = 1 %). Where get() said -1, *err has code
 * PG_OK: it was reported there.
 */
int pg_expr_eval(const struct pg_expr *e, const struct pg_cellview *cell, struct pg_evalue *out, double *cut,
		 struct pg_err *err);
/* Canonical text, for digests and reasons. */
void pg_expr_text(const struct pg_expr *e, struct pg_str *out);

/* Machine words, in this order everywhere. */
#define PG_MACHINE_WORDS 5
extern const char *const pg_machine_words[PG_MACHINE_WORDS]; /* cpus cores llcs sockets nodes */
int pg_machine_word(const char *name, size_t n);	     /* index, -1 = none */
/* "a number", "a size", ... for messages: what a set of kinds (1 << enum pg_ekind) may be. */
const char *pg_ekind_text(unsigned kinds);
/* Does plain text look like an expression that names a machine word (a token that is one of them)? */
bool pg_expr_names_word(const char *text, size_t n);

#endif
