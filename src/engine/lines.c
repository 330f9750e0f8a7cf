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
	while (cap - l->len < n)
		cap *= 2;
	if (cap > l->cap) {
		buf = realloc(l->buf, cap);
		if (!buf)
			return;
		l->buf = buf;
		l->cap = cap;
	}
	memcpy(l->buf + l->len, s, n);
	l->len += n;
}

static void emit(struct pg_lines *l, const char *s, size_t n)
{
	if (n > 0 && s[n - 1] == '\r')
		n--;
	l->line(l->ctx, s, n);
}

void pg_lines_add(struct pg_lines *l, const char *s, size_t n)
{
	while (n > 0) {
		const char *end = memchr(s, '\n', n);
		size_t k = end ? (size_t)(end - s) : n;

		if (end && l->len == 0) {
			emit(l, s, k < PG_LINE_MAX ? k : PG_LINE_MAX);
		} else if (k > 0) {
			keep(l, s, k);
		}
		if (!end)
			return;
		if (l->len > 0)
			emit(l, l->buf, l->len);
		l->len = 0;
		s += k + 1;
		n -= k + 1;
	}
}

void pg_lines_end(struct pg_lines *l)
{
	if (l->len > 0)
		emit(l, l->buf, l->len);
	l->len = 0;
}
