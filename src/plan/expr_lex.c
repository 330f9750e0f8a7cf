/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of an expression. Spellings of other languages get the word that is meant. */
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "plan/expr_parts.h"
#include "plan/quote.h"

struct spelling {
	const char *s;
	enum pg_tok kind;
	enum pg_op op;
};

/* Longer ones first. */
static const struct spelling signs[] = {
	{"==", PG_TOK_OP, PG_OP_EQ},	  {"!=", PG_TOK_OP, PG_OP_NE},	    {"<=", PG_TOK_OP, PG_OP_LE},
	{">=", PG_TOK_OP, PG_OP_GE},	  {"<", PG_TOK_OP, PG_OP_LT},	    {">", PG_TOK_OP, PG_OP_GT},
	{"+", PG_TOK_OP, PG_OP_ADD},	  {"-", PG_TOK_OP, PG_OP_SUB},	    {"*", PG_TOK_OP, PG_OP_MUL},
	{"/", PG_TOK_OP, PG_OP_DIV},	  {"%", PG_TOK_OP, PG_OP_MOD},	    {"(", PG_TOK_OPEN, PG_OP_CONST},
	{")", PG_TOK_CLOSE, PG_OP_CONST}, {",", PG_TOK_COMMA, PG_OP_CONST},
};

static const struct spelling words[] = {
	{"and", PG_TOK_OP, PG_OP_AND},
	{"or", PG_TOK_OP, PG_OP_OR},
	{"not", PG_TOK_OP, PG_OP_NOT},
};

/* What other languages write, and what is written here. */
static const struct {
	const char *theirs, *ours;
} foreign[] = {
	{"&&", "write `and`"},	   {"&", "write `and`"},
	{"||", "write `or`"},	   {"|", "write `or`"},
	{"<>", "write `!=`"},	   {"=", "equality is `==`"},
	{"!", "write `not`"},	   {"**", "multiply instead"},
	{"^", "multiply instead"}, {"//", "`/` of whole numbers cuts"},
	{"~", "write `not`"},	   {"\"", "text stands in single quotes: 'pipe'"},
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool begins(const struct pg_lexer *x, const char *s)
{
	size_t len = strlen(s);

	return x->n - x->pos >= len && memcmp(x->s + x->pos, s, len) == 0;
}

/* Takes n bytes as the token's text. */
static void take(struct pg_lexer *x, struct pg_token *t, size_t n)
{
	t->s = x->s + x->pos;
	t->n = n;
	for (size_t i = 0; i < n; i++)
		x->at += ((unsigned char)t->s[i] & 0xc0) != 0x80;
	x->pos += n;
}

static int bad_number(const struct pg_token *t, enum pg_num_error e, struct pg_err *err)
{
	struct pg_quote q;

	pg_quote(&q, t->s, t->n);
	if (memchr(t->s, '.', t->n) && strstr(q.s, ".."))
		return pg_fail(err, PG_EINPUT, "%s is a range; an expression gives one value", q.s);
	return pg_fail(err, PG_EINPUT,
		       "%s: %s; write a plain number, or one with unit (B KB MB GB TB, ns us ms s min h)", q.s,
		       pg_num_error_text(e));
}

static int lex_number(struct pg_lexer *x, struct pg_token *t, struct pg_err *err)
{
	enum pg_num_error e, e2;
	size_t len = 1;
	uint64_t bytes;
	int64_t ns;

	while (x->pos + len < x->n && (is_word(x->s[x->pos + len]) || x->s[x->pos + len] == '.'))
		len++;
	take(x, t, len);
	t->kind = PG_TOK_VALUE;
	if (is_digit(t->s[len - 1])) {
		t->k.kind = PG_E_NUM;
		e = pg_dec_parse(t->s, len, false, &t->k.num);
		return e ? bad_number(t, e, err) : 0;
	}
	e = pg_size_parse(t->s, len, false, &bytes);
	if (!e && bytes > INT64_MAX)
		e = PG_NUM_OVERFLOW;
	if (!e) {
		t->k.kind = PG_E_SIZE;
		t->k.num = pg_dec_int((int64_t)bytes);
		return 0;
	}
	e2 = pg_time_parse(t->s, len, &ns);
	if (e2)
		return bad_number(t, e == PG_NUM_UNIT ? e2 : e, err);
	t->k.kind = PG_E_TIME;
	t->k.num = pg_dec_int(ns);
	return 0;
}

/* 'text', a quote in it is doubled. */
static int lex_text(struct pg_lexer *x, struct pg_token *t, struct pg_err *err)
{
	const char *s = x->s + x->pos;
	size_t n = x->n - x->pos, end = 1, len = 0;
	char *text;

	while (end < n && (s[end] != '\'' || (end + 1 < n && s[end + 1] == '\'')))
		end += s[end] == '\'' ? 2 : 1;
	if (end >= n)
		return pg_fail(err, PG_EINPUT, "the text that begins here has no end; close it with '");
	text = pg_arena_alloc(x->arena, end);
	if (!text)
		return pg_fail_nomem(err);
	for (size_t i = 1; i < end; i++) {
		text[len++] = s[i];
		i += s[i] == '\'';
	}
	take(x, t, end + 1);
	t->kind = PG_TOK_VALUE;
	t->k.kind = PG_E_TEXT;
	t->k.text = text; /* zeroed by the arena: terminated */
	return 0;
}

static void lex_word(struct pg_lexer *x, struct pg_token *t)
{
	size_t len = 1;

	while (x->pos + len < x->n && is_word(x->s[x->pos + len]))
		len++;
	take(x, t, len);
	t->kind = PG_TOK_NAME;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].s) == len && memcmp(words[i].s, t->s, len) == 0) {
			t->kind = words[i].kind;
			t->op = words[i].op;
		}
}

static int lex_sign(struct pg_lexer *x, struct pg_token *t, struct pg_err *err)
{
	struct pg_quote q;
	size_t len;

	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++) {
		bool longer = begins(x, "==") || begins(x, "!=");

		if (begins(x, foreign[i].theirs) && !longer)
			return pg_fail(err, PG_EINPUT, "`%s` is not known here; %s", foreign[i].theirs,
				       foreign[i].ours);
	}
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (begins(x, signs[i].s)) {
			take(x, t, strlen(signs[i].s));
			t->kind = signs[i].kind;
			t->op = signs[i].op;
			return 0;
		}
	len = pg_utf8_len(x->s + x->pos, x->n - x->pos);
	return pg_fail(err, PG_EINPUT,
		       "`%s` has no place in an expression; it has names, numbers, 'text', ( ) and operators",
		       pg_quote(&q, x->s + x->pos, len ? len : 1));
}

int pg_lex(struct pg_lexer *x, struct pg_token *t, struct pg_err *err)
{
	char c;

	while (x->pos < x->n && strchr(" \t\r\n", x->s[x->pos]) && x->s[x->pos]) {
		x->pos++;
		x->at++;
	}
	memset(t, 0, sizeof(*t));
	t->at = x->at;
	t->s = "";
	t->kind = PG_TOK_END;
	if (x->pos == x->n)
		return 0;
	c = x->s[x->pos];
	if (is_digit(c))
		return lex_number(x, t, err);
	if (c == '\'')
		return lex_text(x, t, err);
	if (is_word(c)) {
		lex_word(x, t);
		return 0;
	}
	return lex_sign(x, t, err);
}
