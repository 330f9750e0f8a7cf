/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Placeholders in commands. One scanner cuts a text into pieces; check and expansion walk the same pieces.
 */
#include "model/template.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"

static const char *const own_names[] = {"rep", "cell", "seed", "variant"};
#define OWN_NAMES (sizeof(own_names) / sizeof(own_names[0]))
enum own { OWN_REP, OWN_CELL, OWN_SEED, OWN_VARIANT };

enum piece_kind { PIECE_END, PIECE_TEXT, PIECE_NAME, PIECE_UNCLOSED };

struct piece {
	enum piece_kind kind;
	const char *s; /* the text, or the name without braces */
	size_t n;
	const char *next;
};

static struct piece scan(const char *s)
{
	struct piece p = {PIECE_TEXT, s, 0, s};

	if (*s == '\0') {
		p.kind = PIECE_END;
		return p;
	}
	if ((s[0] == '{' || s[0] == '}') && s[1] == s[0]) {
		p.n = 1;
		p.next = s + 2;
		return p;
	}
	if (s[0] == '{') {
		size_t n = strcspn(s + 1, "{}");

		p.s = s + 1;
		p.n = n;
		p.kind = s[1 + n] == '}' ? PIECE_NAME : PIECE_UNCLOSED;
		p.next = s + 2 + n;
		return p;
	}
	p.n = s[0] == '}' ? 1 : strcspn(s, "{}");
	p.next = s + p.n;
	return p;
}

static bool same(const char *name, const struct piece *p)
{
	return strlen(name) == p->n && !memcmp(name, p->s, p->n);
}

static int find_own(const struct piece *p)
{
	for (size_t i = 0; i < OWN_NAMES; i++) {
		if (same(own_names[i], p))
			return (int)i;
	}
	return -1;
}

static const struct pg_param *find_row(const struct pg_param *rows, const struct piece *p)
{
	for (; rows && rows->name; rows++) {
		if (same(rows->name, p))
			return rows;
	}
	return NULL;
}

/* Row names and own ones; nearest of them all. NULL = none. */
static const char *nearest(const struct pg_param *rows, const char *name)
{
	const char *best = pg_nearest(name, own_names, OWN_NAMES);

	for (; rows && rows->name; rows++) {
		const char *pair[2] = {best, rows->name};

		best = pg_nearest(name, pair, 2);
	}
	return best;
}

static int unknown(const struct pg_param *rows, const struct piece *p, struct pg_err *err)
{
	char name[65];
	const char *meant;
	struct pg_str list;

	if (!err)
		return -1;
	if (p->n < sizeof(name)) {
		memcpy(name, p->s, p->n);
		name[p->n] = '\0';
		meant = nearest(rows, name);
		if (meant)
			return pg_fail(err, PG_EINPUT,
				       "unknown placeholder {%s}, did you mean {%s}?; write {{ for a brace itself",
				       name, meant);
	}
	pg_str_init(&list);
	for (; rows && rows->name; rows++)
		pg_str_addf(&list, "{%s}, ", rows->name);
	pg_fail(err, PG_EINPUT,
		"unknown placeholder {%.*s}; allowed: %s{rep}, {cell}, {seed}, {variant}, and {{ for a brace itself",
		(int)(p->n > 64 ? pg_utf8_cut(p->s, 64) : p->n), p->s, pg_str_text(&list));
	pg_str_release(&list);
	return -1;
}

int pg_template_check(const char *text, const struct pg_param *rows, size_t *pos, struct pg_err *err)
{
	struct piece p;

	for (p = scan(text); p.kind != PIECE_END; p = scan(p.next)) {
		if (p.kind == PIECE_TEXT || (p.kind == PIECE_NAME && (find_own(&p) >= 0 || find_row(rows, &p))))
			continue;
		if (pos)
			*pos = (size_t)(p.s - 1 - text);
		if (p.kind == PIECE_UNCLOSED)
			return pg_fail(err, PG_EINPUT, "a { without its }; write {{ for a brace itself");
		return unknown(rows, &p, err);
	}
	return 0;
}

static void add_param(const struct pg_cell *c, size_t i, struct pg_str *out)
{
	if (c->texts && c->texts[i])
		pg_str_adds(out, c->texts[i]);
	else
		pg_value_format(&c->params[i], &c->vals[i], out);
}

static void add_own(const struct pg_template_ctx *ctx, enum own which, struct pg_str *out)
{
	char id[PG_CELL_ID_BUF];

	switch (which) {
	case OWN_REP:
		pg_str_addu(out, ctx->rep);
		break;
	case OWN_CELL:
		pg_cell_id_format(id, ctx->cell->id);
		pg_str_adds(out, id);
		break;
	case OWN_SEED:
		pg_str_addu(out, ctx->seed);
		break;
	case OWN_VARIANT:
		pg_str_adds(out, ctx->variant ? ctx->variant : "");
		break;
	}
}

/* A name that is none stays as it was written: pg_template_check() has refused it before. */
static void add_name(const struct pg_template_ctx *ctx, const struct piece *p, struct pg_str *out)
{
	const struct pg_cell *c = ctx->cell;
	int own = find_own(p);

	if (own >= 0) {
		add_own(ctx, (enum own)own, out);
		return;
	}
	for (size_t i = 0; i < c->n_params; i++) {
		if (same(c->params[i].name, p)) {
			add_param(c, i, out);
			return;
		}
	}
	pg_str_add(out, p->s - 1, p->n + 2);
}

void pg_template_expand(const char *text, const struct pg_template_ctx *ctx, struct pg_str *out)
{
	struct piece p;

	for (p = scan(text); p.kind != PIECE_END; p = scan(p.next)) {
		if (p.kind == PIECE_NAME) {
			add_name(ctx, &p, out);
		} else if (p.kind == PIECE_UNCLOSED) {
			pg_str_adds(out, p.s - 1);
			return;
		} else {
			pg_str_add(out, p.s, p.n);
		}
	}
}

static void add_upper(struct pg_str *out, const char *name)
{
	pg_str_adds(out, "PERFGRID_");
	for (; *name; name++)
		pg_str_addc(out, *name >= 'a' && *name <= 'z' ? (char)(*name - 'a' + 'A') : *name);
	pg_str_addc(out, '=');
}

void pg_template_env(const struct pg_template_ctx *ctx, struct pg_str *out)
{
	const struct pg_cell *c = ctx->cell;

	for (size_t i = 0; i < c->n_params; i++) {
		if (c->vals[i].state == PG_V_UNSET)
			continue;
		add_upper(out, c->params[i].name);
		add_param(c, i, out);
		pg_str_addc(out, '\0');
	}
	for (size_t i = 0; i < OWN_NAMES; i++) {
		add_upper(out, own_names[i]);
		add_own(ctx, (enum own)i, out);
		pg_str_addc(out, '\0');
	}
}
