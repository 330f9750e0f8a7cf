/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values where no row says what they are: params of `exec`, and text of the command line. */
#include <string.h>

#include "base/arena.h"
#include "base/num.h"
#include "base/str.h"
#include "plan/range.h"
#include "plan/values_parts.h"

/* A machine whose words are no round numbers, so that none cancels another; only the form of an expression is looked
 * at. */
static const struct pg_machine any_machine = {.word = {997, 499, 53, 11, 3}};

static bool is_digits(const struct pg_node *n)
{
	for (size_t i = 0; i < n->len; i++)
		if (n->text[i] < '0' || n->text[i] > '9')
			return false;
	return n->len > 0;
}

static bool as_range(const struct pg_values_ctx *ctx, enum pg_type type, const struct pg_node *n)
{
	struct pg_param row = {.name = "range", .type = type};
	struct pg_range r;
	int64_t whole;

	if (pg_range_parse(ctx, &row, n, &r))
		return false;
	return type != PG_COUNT || !r.factor || pg_dec_to_i64(r.by, &whole);
}

static bool as_word(const struct pg_values_ctx *ctx, enum pg_type type, const struct pg_node *n)
{
	struct pg_param row = {.name = "value", .type = type};
	struct pg_value v;

	return pg_values_word(ctx, &row, n, &v) == 0;
}

/* Text that reads as none of the others is TEXT, without complaint: the diag of ctx only counts. */
static enum pg_type guess_form(const struct pg_values_ctx *ctx, const struct pg_node *n)
{
	static const enum pg_type numbers[] = {PG_COUNT, PG_REAL, PG_SIZE, PG_TIME};
	bool range = pg_range_is(n->text, n->len);

	if (!range && !pg_expr_names_word(n->text, n->len))
		return PG_TEXT;
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		if (range ? as_range(ctx, numbers[i], n) : as_word(ctx, numbers[i], n))
			return numbers[i];
	return PG_TEXT;
}

static enum pg_type guess_scalar(const struct pg_node *n)
{
	struct pg_diag quiet = {NULL, NULL, 0, 0};
	struct pg_arena scratch;
	struct pg_values_ctx ctx = {&any_machine, "exec", &scratch, &quiet};
	enum pg_type type;
	struct pg_dec d;

	if (n->kind != PG_NODE_SCALAR || !n->plain)
		return PG_TEXT;
	if (is_digits(n))
		return PG_COUNT;
	if (pg_dec_parse(n->text, n->len, false, &d) == PG_NUM_OK)
		return PG_REAL;
	pg_arena_init(&scratch, false);
	type = guess_form(&ctx, n);
	pg_arena_release(&scratch);
	return type;
}

enum pg_type pg_values_guess_both(enum pg_type a, enum pg_type b)
{
	if (a == b)
		return a;
	return (a == PG_COUNT && b == PG_REAL) || (a == PG_REAL && b == PG_COUNT) ? PG_REAL : PG_TEXT;
}

enum pg_type pg_values_guess(const struct pg_node *node)
{
	enum pg_type type;

	if (node->kind != PG_NODE_LIST || !node->child)
		return guess_scalar(node);
	type = guess_scalar(node->child);
	for (const struct pg_node *c = node->child->next; c && type != PG_TEXT; c = c->next)
		type = pg_values_guess_both(type, guess_scalar(c));
	return type;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* One item of a list on the command line: the text up to a comma that stands outside of quotes and parentheses. */
static const char *item_end(const char *s)
{
	const char *close;
	long open = 0;

	if ((*s == '\'' || *s == '"') && (close = strchr(s + 1, *s)) != NULL)
		s = close + 1;
	for (; *s && (*s != ',' || open > 0); s++)
		open += *s == '(' ? 1 : *s == ')' ? -1 : 0;
	return s;
}

static struct pg_node *new_item(const char *s, const char *end, const struct pg_loc *loc, struct pg_arena *a)
{
	struct pg_node *n = pg_arena_alloc(a, sizeof(*n));

	if (!n)
		return NULL;
	while (end > s && is_blank(end[-1]))
		end--;
	n->kind = PG_NODE_SCALAR;
	n->loc = *loc;
	n->cli = true;
	n->plain = !(end - s >= 2 && (*s == '\'' || *s == '"') && end[-1] == *s);
	n->len = (size_t)(end - s) - (n->plain ? 0 : 2);
	n->text = pg_arena_strndup(a, n->plain ? s : s + 1, n->len);
	return n->text ? n : NULL;
}

struct pg_node *pg_values_cli(const char *text, const struct pg_loc *loc, struct pg_arena *a)
{
	struct pg_node *list = pg_arena_alloc(a, sizeof(*list)), **tail;
	const char *s = text, *end;

	if (!list)
		return NULL;
	list->kind = PG_NODE_LIST;
	list->loc = *loc;
	list->cli = true;
	list->len = strlen(text);
	list->text = pg_arena_strndup(a, text, list->len);
	tail = &list->child;
	for (;; s = end + 1) {
		while (is_blank(*s))
			s++;
		end = item_end(s);
		*tail = new_item(s, end, loc, a);
		if (!*tail)
			return NULL;
		tail = &(*tail)->next;
		list->n++;
		if (!*end)
			break;
	}
	if (!list->text)
		return NULL;
	return list->n == 1 ? list->child : list;
}
