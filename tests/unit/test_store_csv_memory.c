/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading CSV without memory. libcsv grows the buffer of a field by realloc() and tells of a failure only by how much
 * it took of the text: whoever does not look goes on with a field that lacks its middle. The reader is compiled into
 * this test, with another realloc() for each of its parsers.
 */
#define csv_init init_with_our_memory
#include "store/csv_read.c"
#undef csv_init

#include <limits.h>
#include <stdio.h>

#include "tests/support/pgtest.h"

static struct {
	unsigned calls, from, to; /* calls with from <= number < to fail; the first is 0 */
	unsigned failed;
} memory;

static void *failing_realloc(void *p, size_t n)
{
	const unsigned call = memory.calls++;

	if (call >= memory.from && call < memory.to) {
		memory.failed++;
		return NULL;
	}
	return realloc(p, n);
}

int csv_init(struct csv_parser *p, unsigned char options);

int init_with_our_memory(struct csv_parser *p, unsigned char options)
{
	if (csv_init(p, options) != 0)
		return -1;
	csv_set_realloc_func(p, failing_realloc);
	return 0;
}

struct got {
	struct pg_str text; /* "[a][b]\n" a row */
};

static int take(void *ctx, size_t line, const char *const *f, size_t n)
{
	struct got *g = ctx;

	(void)line;
	for (size_t i = 0; i < n; i++)
		pg_str_addf(&g->text, "[%s]", f[i]);
	pg_str_addc(&g->text, '\n');
	return 0;
}

/* Two fields of many times what libcsv starts with, one in quotes; nothing in them repeats. */
static void add_rows(struct pg_str *csv, struct pg_str *want)
{
	for (int row = 0; row < 3; row++) {
		for (int field = 0; field < 2; field++) {
			const int n = 300 << row;

			pg_str_adds(csv, field ? ",\"" : "");
			pg_str_addc(want, '[');
			for (int i = 0; i < n; i++) {
				pg_str_addf(csv, "%d.", row + 7 * i);
				pg_str_addf(want, "%d.", row + 7 * i);
			}
			pg_str_adds(csv, field ? "\"\n" : "");
			pg_str_addc(want, ']');
		}
		pg_str_addc(want, '\n');
	}
}

struct texts {
	struct pg_str csv, want;
	char path[32];
};

static void begin(struct texts *t)
{
	int fd;

	pg_str_init(&t->csv);
	pg_str_init(&t->want);
	add_rows(&t->csv, &t->want);
	strcpy(t->path, "/tmp/pg-csv-XXXXXX");
	fd = mkstemp(t->path);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, t->csv.s, t->csv.len), (ssize_t)t->csv.len);
	close(fd);
}

static void end(struct texts *t)
{
	unlink(t->path);
	pg_str_release(&t->csv);
	pg_str_release(&t->want);
}

/* Reads with calls [from, to) failing. Rows that came are whole rows, from the first one on. */
static int read_with(const struct texts *t, bool file, unsigned from, unsigned to, size_t *rows, struct pg_err *err)
{
	struct got g;
	int r;

	memory.calls = memory.failed = 0;
	memory.from = from;
	memory.to = to;
	pg_str_init(&g.text);
	r = file ? pg_csv_read(t->path, ',', take, &g, err) : pg_csv_parse(t->csv.s, t->csv.len, ',', take, &g, err);
	ck_assert_uint_le(g.text.len, t->want.len);
	ck_assert_int_eq(memcmp(pg_str_text(&g.text), t->want.s, g.text.len), 0);
	*rows = 0;
	for (size_t i = 0; i < g.text.len; i++)
		*rows += g.text.s[i] == '\n';
	ck_assert(g.text.len == 0 || g.text.s[g.text.len - 1] == '\n');
	pg_str_release(&g.text);
	return r;
}

/* From whichever growth on there is no memory: an error, and no row that is not as it was written. */
START_TEST(no_memory_is_told)
{
	struct pg_err err = {.code = PG_OK};
	size_t rows, least = SIZE_MAX, most = 0;
	unsigned growths;
	struct texts t;

	begin(&t);
	ck_assert_int_eq(read_with(&t, _i, 0, 0, &rows, &err), 0);
	ck_assert_uint_eq(rows, 3);
	growths = memory.calls;
	ck_assert_uint_gt(growths, 3);
	for (unsigned from = 0; from < growths; from++) {
		err = (struct pg_err){.code = PG_OK};
		ck_assert_msg(read_with(&t, _i, from, UINT_MAX, &rows, &err) == -1, "from call %u on: all is well",
			      from);
		ck_assert_uint_gt(memory.failed, 0);
		ck_assert_int_eq(err.code, PG_ENOMEM);
		ck_assert_uint_lt(rows, 3);
		least = rows < least ? rows : least;
		most = rows > most ? rows : most;
	}
	ck_assert_uint_eq(least, 0);
	ck_assert_uint_eq(most, 2); /* those before it were handed over */
	end(&t);
}
END_TEST

/* libcsv asks again for less: one refusal is no error, and loses nothing. */
START_TEST(one_refusal_loses_nothing)
{
	struct pg_err err = {.code = PG_OK};
	struct texts t;
	unsigned growths;
	size_t rows;

	begin(&t);
	ck_assert_int_eq(read_with(&t, _i, 0, 0, &rows, &err), 0);
	growths = memory.calls;
	for (unsigned at = 0; at < growths; at++) {
		ck_assert_int_eq(read_with(&t, _i, at, at + 1, &rows, &err), 0);
		ck_assert_uint_eq(memory.failed, 1);
		ck_assert_uint_eq(rows, 3);
	}
	end(&t);
}
END_TEST

PG_TEST_MAIN("store_csv_memory", ((const struct pg_test[]){
					 {no_memory_is_told, 2},
					 {one_refusal_loses_nothing, 2},
					 {NULL, 0},
				 }))
