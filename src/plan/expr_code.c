/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Compiler of expressions, below the grammar: errors at their place, canonical text, instructions, unknown names. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "plan/expr_parts.h"

#define BIT(k) (1u << (k))

struct pg_loc pg_expr_place(const struct pg_loc *loc, bool exact, unsigned at)
{
	struct pg_loc l = *loc;

	if (exact)
		l.col += at;
	return l;
}

static struct pg_loc place(const struct pg_parser *p, unsigned at)
{
	return pg_expr_place(&p->loc, p->exact, at);
}

/* Hands on *e, made without a place, as an error at `at`. */
int pg_parser_pass(struct pg_parser *p, unsigned at, struct pg_err *e)
{
	e->loc = place(p, at);
	p->errors++;
	return pg_diag_pass(p->diag, e);
}

int pg_parser_fail(struct pg_parser *p, unsigned at, const char *fmt, ...)
{
	char text[PG_ERR_MSG];
	struct pg_err e;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pg_fail(&e, PG_EINPUT, "%s", text);
	return pg_parser_pass(p, at, &e);
}

int pg_parser_nomem(struct pg_parser *p)
{
	return pg_parser_fail(p, p->t.at, "out of memory");
}

static void add_value(struct pg_str *to, const struct pg_token *t)
{
	char buf[PG_NUM_BUF];

	switch (t->k.kind) {
	case PG_E_SIZE:
		pg_size_format(buf, (uint64_t)t->k.num.m);
		break;
	case PG_E_TIME:
		pg_time_format(buf, t->k.num.m);
		break;
	case PG_E_NUM:
	case PG_E_TEXT:
	case PG_E_BOOL:
	case PG_E_NONE:
		pg_str_add(to, t->s, t->n);
		return;
	}
	pg_str_adds(to, buf);
}

/* Takes the token at hand into the canonical text and reads the next; glue: none of the two blanks around it on this
 * side. */
int pg_parser_advance(struct pg_parser *p, bool glue)
{
	struct pg_err e;

	if (p->text.len && !p->glued && p->t.kind != PG_TOK_CLOSE && p->t.kind != PG_TOK_COMMA)
		pg_str_addc(&p->text, ' ');
	p->glued = glue;
	if (p->t.kind == PG_TOK_VALUE)
		add_value(&p->text, &p->t);
	else
		pg_str_add(&p->text, p->t.s, p->t.n);
	if (pg_lex(&p->x, &p->t, &e))
		return pg_parser_pass(p, p->t.at, &e);
	return 0;
}

/* Room for one more of `size` bytes; the old array stays in the arena. */
static void *grown(struct pg_parser *p, void *old, size_t n, size_t *cap, size_t size)
{
	void *bigger;

	if (n < *cap)
		return old;
	*cap = *cap ? 2 * *cap : 16;
	bigger = pg_arena_array(p->arena, *cap, size);
	if (bigger && n)
		memcpy(bigger, old, n * size);
	return bigger;
}

struct pg_ins *pg_emit(struct pg_parser *p, enum pg_op op, unsigned at)
{
	struct pg_ins *code = grown(p, p->code, p->n, &p->cap, sizeof(*code));

	if (!code) {
		pg_parser_nomem(p);
		return NULL;
	}
	p->code = code;
	code += p->n++;
	code->op = op;
	code->at = at;
	return code;
}

int pg_emit_value(struct pg_parser *p, const struct pg_evalue *k, unsigned at, struct pg_part *out)
{
	struct pg_ins *i = pg_emit(p, PG_OP_CONST, at);

	if (!i)
		return -1;
	i->u.k = *k;
	out->kinds = BIT(k->kind);
	return 0;
}

int pg_use_slot(struct pg_parser *p, size_t slot)
{
	size_t *slots;

	for (size_t i = 0; i < p->n_slots; i++)
		if (p->slots[i] == slot)
			return 0;
	slots = grown(p, p->slots, p->n_slots, &p->cap_slots, sizeof(*slots));
	if (!slots)
		return pg_parser_nomem(p);
	p->slots = slots;
	slots[p->n_slots++] = slot;
	return 0;
}

/* Names that may have been meant, for a message. */
static void report_unknown(struct pg_parser *p, const struct pg_token *t)
{
	static const char *const operators[] = {"and", "or", "not", "min", "max"};
	struct pg_quote q;
	struct pg_str known;
	const char *near;

	pg_quote(&q, t->s, t->n);
	near = pg_nearest(q.s, p->scope->names, p->scope->n_names);
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++)
		if (pg_edit_distance(q.s, operators[i]) == 0)
			near = operators[i];
	if (near) {
		pg_parser_fail(p, t->at, "unknown name %s; did you mean %s", q.s, near);
		return;
	}
	pg_str_init(&known);
	for (size_t i = 0; i < p->scope->n_names && known.len < 200; i++)
		if (p->scope->names[i])
			pg_str_addf(&known, "%s%s", known.len ? ", " : "", p->scope->names[i]);
	pg_parser_fail(p, t->at, "unknown name %s; known: %s", q.s, known.len ? pg_str_text(&known) : "none");
	pg_str_release(&known);
}

void pg_report_unquoted(struct pg_parser *p, const char *s, size_t n, unsigned at)
{
	struct pg_quote q;

	const char *near = pg_nearest(pg_quote(&q, s, n), p->scope->names, p->scope->n_names);

	if (near && pg_edit_distance(q.s, near) == 1)
		pg_parser_fail(p, at, "unknown name %s; text stands in single quotes: '%s' (or did you mean %s)", q.s,
			       q.s, near);
	else
		pg_parser_fail(p, at, "unknown name %s; text stands in single quotes: '%s'", q.s, q.s);
}

void pg_part_settle(struct pg_parser *p, struct pg_part *part)
{
	if (part->unknown.n)
		report_unknown(p, &part->unknown);
	part->unknown.n = 0;
}

int pg_skip_word(struct pg_parser *p)
{
	const char *s = p->t.s;
	size_t from = (size_t)(s - p->x.s), end = from;

	while (end < p->x.n && p->x.s[end] && !strchr(" \t\r\n()'\",=!<>", p->x.s[end]))
		end++;
	pg_report_unquoted(p, s, end - from, p->t.at);
	for (; p->x.pos < end; p->x.pos++)
		p->x.at += ((unsigned char)p->x.s[p->x.pos] & 0xc0) != 0x80;
	return pg_parser_advance(p, false);
}
