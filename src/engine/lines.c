/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/lines.h"

#include <stdlib.h>
#include <string.h>

void pg_lines_init(struct pg_lines *l, void (*line)(void *ctx, const char *s, size_t n), void *ctx)
{
	*l = (struct pg_lines){.line = line, .ctx = ctx};
}

void pg_lines_release(struct pg_lines *l)
{
	free(l->buf);
	l->buf = NULL;
	l->len = l->cap = 0;
}

void pg_lines_reset(struct pg_lines *l)
{
	l->len = 0;
}

/* What does not fit is left out: the line is matched as far as it was kept. */
static void keep(struct pg_lines *l, const char *s, size_t n)
{
	size_t cap = l->cap ? l->cap : 4096;
	char *buf;

	if (n > PG_LINE_MAX - l->len)
		n = PG_LINE_MAX - l->len;
	while (cap - l->len <= n)
		cap *= 2;
	if (cap > l->cap) {
		buf = realloc(l->buf, cap);
		if (!buf)
			return;
		l->buf = buf;
		l->cap = cap;
	}
	for (size_t i = 0; i < n; i++)
		l->buf[l->len++] = s[i] ? s[i] : ' '; /* matching would end at a NUL */
}

static void emit(struct pg_lines *l)
{
	size_t n = l->len;

	keep(l, "", 0); /* room for the end of an empty line */
	l->len = 0;
	if (!l->buf)
		return;
	n -= n > 0 && l->buf[n - 1] == '\r';
	l->buf[n] = '\0';
	l->line(l->ctx, l->buf, n);
}

void pg_lines_add(struct pg_lines *l, const char *s, size_t n)
{
	while (n > 0) {
		const char *end = memchr(s, '\n', n);
		size_t k = end ? (size_t)(end - s) : n;

		keep(l, s, k);
		if (!end)
			return;
		emit(l);
		s += k + 1;
		n -= k + 1;
	}
}

void pg_lines_end(struct pg_lines *l)
{
	if (l->len > 0)
		emit(l);
}
