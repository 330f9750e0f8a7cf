/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The growing text buffer, UTF-8, and hashes.
 */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

void pg_str_init(struct pg_str *b)
{
	memset(b, 0, sizeof(*b));
}

void pg_str_release(struct pg_str *b)
{
	free(b->s);
	pg_str_init(b);
}

void pg_str_reset(struct pg_str *b)
{
	b->len = 0;
	b->failed = false;
	if (b->s)
		b->s[0] = '\0';
}

/* Room for n more bytes and the NUL. */
static bool reserve(struct pg_str *b, size_t n)
{
	size_t need, cap;
	char *s;

	if (b->failed)
		return false;
	if (__builtin_add_overflow(b->len, n, &need) || need >= SIZE_MAX / 2)
		goto fail;
	need++;
	if (need <= b->cap)
		return true;
	cap = b->cap ? b->cap : 64;
	while (cap < need)
		cap *= 2;
	s = realloc(b->s, cap);
	if (!s)
		goto fail;
	b->s = s;
	b->cap = cap;
	return true;
fail:
	b->failed = true;
	return false;
}

void pg_str_add(struct pg_str *b, const char *s, size_t n)
{
	if (!reserve(b, n))
		return;
	if (n)
		memcpy(b->s + b->len, s, n);
	b->len += n;
	b->s[b->len] = '\0';
}

void pg_str_adds(struct pg_str *b, const char *s)
{
	pg_str_add(b, s, strlen(s));
}

void pg_str_addc(struct pg_str *b, char c)
{
	pg_str_add(b, &c, 1);
}

void pg_str_addu(struct pg_str *b, uint64_t v)
{
	char buf[PG_NUM_BUF];

	pg_str_add(b, buf, pg_fmt_u64(buf, v));
}

void pg_str_addi(struct pg_str *b, int64_t v)
{
	char buf[PG_NUM_BUF];

	pg_str_add(b, buf, pg_fmt_i64(buf, v));
}

void pg_str_addf(struct pg_str *b, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n < 0) {
		b->failed = true;
		return;
	}
	if (!reserve(b, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf(b->s + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

const char *pg_str_text(const struct pg_str *b)
{
	return b->s ? b->s : "";
}

char *pg_str_detach(struct pg_str *b)
{
	char *s;

	if (!reserve(b, 0)) {
		pg_str_release(b);
		return NULL;
	}
	s = b->s;
	s[b->len] = '\0';
	pg_str_init(b);
	return s;
}

bool pg_streq(const char *a, const char *b)
{
	return strcmp(a, b) == 0;
}

bool pg_startswith(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) == 0;
}

static bool is_tail(char c)
{
	return ((unsigned char)c & 0xc0) == 0x80;
}

size_t pg_utf8_len(const char *s, size_t n)
{
	unsigned char a, b;

	if (n == 0)
		return 0;
	a = (unsigned char)s[0];
	if (a < 0x80)
		return 1;
	if (a < 0xc2 || n < 2 || !is_tail(s[1]))
		return 0;
	if (a < 0xe0)
		return 2;
	b = (unsigned char)s[1];
	if (n < 3 || !is_tail(s[2]))
		return 0;
	if (a < 0xf0) {
		if ((a == 0xe0 && b < 0xa0) || (a == 0xed && b > 0x9f)) /* overlong; surrogate */
			return 0;
		return 3;
	}
	if (a > 0xf4 || n < 4 || !is_tail(s[3]))
		return 0;
	if ((a == 0xf0 && b < 0x90) || (a == 0xf4 && b > 0x8f)) /* overlong; above U+10FFFF */
		return 0;
	return 4;
}

void pg_utf8_clean(struct pg_str *out, const char *s, size_t n)
{
	size_t from = 0, i = 0;

	while (i < n) {
		size_t k = pg_utf8_len(s + i, n - i);

		if (k) {
			i += k;
			continue;
		}
		pg_str_add(out, s + from, i - from);
		pg_str_add(out, "\xef\xbf\xbd", 3);
		from = ++i;
	}
	pg_str_add(out, s + from, n - from);
}

size_t pg_utf8_cut(const char *s, size_t n)
{
	for (size_t back = 1; back <= 3 && back <= n; back++) {
		unsigned char c = (unsigned char)s[n - back];
		size_t need;

		if ((c & 0xc0) == 0x80)
			continue;
		need = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc0 ? 2 : 1;
		return need > back ? n - back : n;
	}
	return n;
}

uint64_t pg_fnv1a(uint64_t h, const void *p, size_t n)
{
	const unsigned char *c = p;

	for (size_t i = 0; i < n; i++) {
		h ^= c[i];
		h *= UINT64_C(0x100000001b3);
	}
	return h;
}
