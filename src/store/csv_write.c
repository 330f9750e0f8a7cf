/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The CSV writer. libcsv's own writer quotes every field, so it writes those that need quotes and plain ones are
 * written bare.
 */
#include "store/csv_write.h"

#include <csv.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"

#define FLUSH_AT ((size_t)64 << 10)

static const char *const style_names[] = {
	[PG_CSV_PLAIN] = NULL,		[PG_CSV_RFC4180] = "rfc4180", [PG_CSV_EXCEL] = "excel",
	[PG_CSV_EXCEL_EU] = "excel-eu", [PG_CSV_TSV] = "tsv",
};

int pg_csv_style_find(const char *name)
{
	for (int i = 0; i < (int)(sizeof(style_names) / sizeof(*style_names)); i++)
		if (style_names[i] && strcmp(style_names[i], name) == 0)
			return i;
	return -1;
}

char pg_csv_separator(enum pg_csv_style style)
{
	if (style == PG_CSV_EXCEL_EU)
		return ';';
	return style == PG_CSV_TSV ? '\t' : ',';
}

int pg_csv_init(struct pg_csv *c, enum pg_csv_style style, void (*write)(void *ctx, const char *s, size_t n), void *ctx,
		struct pg_err *err)
{
	memset(c, 0, sizeof(*c));
	c->write = write;
	c->ctx = ctx;
	c->sep = pg_csv_separator(style);
	c->point = style == PG_CSV_EXCEL_EU ? ',' : '.';
	c->crlf = style == PG_CSV_RFC4180 || style == PG_CSV_EXCEL || style == PG_CSV_EXCEL_EU;
	c->cap = 2 * FLUSH_AT;
	c->buf = malloc(c->cap);
	if (!c->buf)
		return pg_fail_nomem(err);
	if (style == PG_CSV_EXCEL || style == PG_CSV_EXCEL_EU) {
		memcpy(c->buf, "\xef\xbb\xbf", 3);
		c->len = c->row = 3;
	}
	return 0;
}

int pg_csv_end(struct pg_csv *c, struct pg_err *err)
{
	if (c->len && !c->failed)
		c->write(c->ctx, c->buf, c->len);
	c->len = c->row = 0;
	return c->failed ? pg_fail_nomem(err) : 0;
}

void pg_csv_release(struct pg_csv *c)
{
	free(c->buf);
	c->buf = NULL;
}

static char *more_room(struct pg_csv *c, size_t n)
{
	size_t cap = c->cap;
	char *p;

	if (c->failed)
		return NULL;
	while (cap - c->len < n) {
		if (cap > SIZE_MAX / 2) {
			c->failed = true;
			return NULL;
		}
		cap *= 2;
	}
	p = realloc(c->buf, cap);
	if (!p) {
		c->failed = true;
		return NULL;
	}
	c->buf = p;
	c->cap = cap;
	return p + c->len;
}

/* Room for n more bytes; NULL when out of memory. */
static inline char *room(struct pg_csv *c, size_t n)
{
	if (n <= c->cap - c->len && !c->failed)
		return c->buf + c->len;
	return more_room(c, n);
}

static inline void put(struct pg_csv *c, const char *s, size_t n)
{
	char *p = room(c, n);

	if (p) {
		memcpy(p, s, n);
		c->len += n;
	}
}

/* The separator before every field but the first. */
static inline void begin(struct pg_csv *c)
{
	char *p;

	if (c->n_fields++ == 0)
		return;
	p = room(c, 1);
	if (p) {
		*p = c->sep;
		c->len++;
	}
}

static size_t digits(const char *s, size_t n)
{
	size_t i = 0;

	while (i < n && s[i] >= '0' && s[i] <= '9')
		i++;
	return i;
}

bool pg_csv_is_number(const char *s, size_t n)
{
	size_t i = n && (s[0] == '+' || s[0] == '-'), k = digits(s + i, n - i);

	if (!k)
		return false;
	i += k;
	if (i < n && s[i] == '.') {
		k = digits(s + i + 1, n - i - 1);
		if (!k)
			return false;
		i += 1 + k;
	}
	if (i < n && (s[i] == 'e' || s[i] == 'E')) {
		i++;
		i += i < n && (s[i] == '+' || s[i] == '-');
		k = digits(s + i, n - i);
		if (!k)
			return false;
		i += k;
	}
	return i == n;
}

bool pg_csv_guarded(const char *s, size_t n)
{
	while (n && *s == '\'') {
		s++;
		n--;
	}
	return n && (*s == '=' || *s == '+' || *s == '-' || *s == '@' || *s == '\t' || *s == '\r');
}

static bool blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool needs_quotes(const struct pg_csv *c, const char *s, size_t n)
{
	/* A byte-order mark at the start of a text would be the file's own where the text comes first. */
	if (n == 0 || blank(s[0]) || blank(s[n - 1]) || (n >= 3 && memcmp(s, "\xef\xbb\xbf", 3) == 0))
		return true;
	for (size_t i = 0; i < n; i++)
		if (s[i] == c->sep || s[i] == '"' || s[i] == '\r' || s[i] == '\n')
			return true;
	return false;
}

static void put_quoted(struct pg_csv *c, const char *s, size_t n)
{
	size_t need = csv_write(NULL, 0, s, n);
	char *p = room(c, need);

	if (p) {
		csv_write(p, need, s, n);
		c->len += need;
	}
}

void pg_csv_text_n(struct pg_csv *c, const char *s, size_t n)
{
	struct pg_str guarded;

	begin(c);
	if (!pg_csv_guarded(s, n) || pg_csv_is_number(s, n)) {
		if (needs_quotes(c, s, n))
			put_quoted(c, s, n);
		else
			put(c, s, n);
		return;
	}
	/* The guard comes first, quoting after it: a separator in the text must not hide it. */
	pg_str_init(&guarded);
	pg_str_addc(&guarded, '\'');
	pg_str_add(&guarded, s, n);
	if (guarded.failed)
		c->failed = true;
	else if (needs_quotes(c, guarded.s, guarded.len))
		put_quoted(c, guarded.s, guarded.len);
	else
		put(c, guarded.s, guarded.len);
	pg_str_release(&guarded);
}

void pg_csv_text(struct pg_csv *c, const char *s)
{
	if (s)
		pg_csv_text_n(c, s, strlen(s));
	else
		begin(c);
}

void pg_csv_missing(struct pg_csv *c)
{
	begin(c);
}

void pg_csv_num(struct pg_csv *c, const char *s, size_t n)
{
	size_t start;
	char *dot;

	begin(c);
	start = c->len;
	put(c, s, n);
	if (c->point == '.' || c->failed)
		return;
	dot = memchr(c->buf + start, '.', c->len - start);
	if (dot)
		*dot = c->point;
}

void pg_csv_double(struct pg_csv *c, double v)
{
	char buf[PG_NUM_BUF];

	pg_csv_num(c, buf, pg_fmt_double(buf, v));
}

void pg_csv_u64(struct pg_csv *c, uint64_t v)
{
	char buf[PG_NUM_BUF];

	pg_csv_num(c, buf, pg_fmt_u64(buf, v));
}

void pg_csv_row(struct pg_csv *c)
{
	/* A row of one empty field would be a blank line, which readers pass over. */
	if (c->n_fields == 1 && c->len == c->row)
		put(c, "\"\"", 2);
	if (c->crlf)
		put(c, "\r\n", 2);
	else
		put(c, "\n", 1);
	c->widest = c->n_fields > c->widest ? c->n_fields : c->widest;
	c->n_rows++;
	c->n_fields = 0;
	if (c->len >= FLUSH_AT && !c->failed) {
		c->write(c->ctx, c->buf, c->len);
		c->len = 0;
	}
	c->row = c->len;
}

size_t pg_csv_mark(const struct pg_csv *c)
{
	return c->len - c->row;
}

void pg_csv_copy(const struct pg_csv *c, size_t from, struct pg_str *out)
{
	if (!c->failed)
		pg_str_add(out, c->buf + c->row + from, c->len - c->row - from);
}

size_t pg_csv_take(struct pg_csv *c, struct pg_str *out)
{
	size_t n = c->n_fields;

	pg_str_reset(out);
	pg_csv_copy(c, 0, out);
	c->len = c->row;
	c->n_fields = 0;
	return n;
}

void pg_csv_raw(struct pg_csv *c, const char *s, size_t n, size_t fields)
{
	if (!fields)
		return;
	begin(c);
	c->n_fields += fields - 1;
	put(c, s, n);
}
