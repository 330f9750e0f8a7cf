/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bytes as a CSV: rows or a message, never harm. What was read is written again in the same style and read back the
 * same; the first byte chooses the style.
 */
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "store/csv_read.h"
#include "store/csv_write.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct reading {
	struct pg_csv *again; /* NULL in the second reading */
	struct pg_str all;    /* every field, each ended by NUL, a row by 0x01 */
	size_t line;
};

static void to_str(void *ctx, const char *s, size_t n)
{
	pg_str_add(ctx, s, n);
}

static int take(void *ctx, size_t line, const char *const *f, size_t n)
{
	struct reading *r = ctx;

	assert(line >= r->line && n > 0);
	r->line = line;
	for (size_t i = 0; i < n; i++) {
		pg_str_add(&r->all, f[i], strlen(f[i]) + 1);
		if (r->again)
			pg_csv_text(r->again, f[i]);
	}
	pg_str_add(&r->all, "\1", 1);
	if (r->again)
		pg_csv_row(r->again);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum pg_csv_style style = size ? (enum pg_csv_style)(data[0] % 5) : PG_CSV_PLAIN;
	struct reading first = {.line = 0}, second = {.line = 0};
	struct pg_err err = {.code = PG_OK};
	struct pg_csv csv;
	struct pg_str text;
	int rc;

	pg_str_init(&text);
	pg_str_init(&first.all);
	pg_str_init(&second.all);
	if (pg_csv_init(&csv, style, to_str, &text, &err) != 0)
		abort();
	first.again = &csv;
	rc = pg_csv_parse(size ? (const char *)data + 1 : "", size ? size - 1 : 0, pg_csv_separator(style), take,
			  &first, &err);
	assert(rc == 0 || (err.code != PG_OK && err.msg[0]));
	if (pg_csv_end(&csv, &err) != 0)
		abort();
	if (pg_csv_parse(pg_str_text(&text), text.len, pg_csv_separator(style), take, &second, &err) != 0)
		abort();
	assert(first.all.len == second.all.len);
	assert(first.all.len == 0 || memcmp(first.all.s, second.all.s, first.all.len) == 0);
	pg_csv_release(&csv);
	pg_str_release(&text);
	pg_str_release(&first.all);
	pg_str_release(&second.all);
	return 0;
}
