/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The CSV writer and reader: styles, quoting, the guard against formulas, and the law read(write(t)) == t. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "stats/stats.h"
#include "store/csv_read.h"
#include "store/csv_write.h"
#include "tests/support/pgtest.h"

#define LEN(a) ((int)(sizeof(a) / sizeof(*(a))))

static const enum pg_csv_style styles[] = {PG_CSV_PLAIN, PG_CSV_RFC4180, PG_CSV_EXCEL, PG_CSV_EXCEL_EU, PG_CSV_TSV};

static void to_str(void *ctx, const char *s, size_t n)
{
	pg_str_add(ctx, s, n);
}

static void start(struct pg_csv *c, enum pg_csv_style style, struct pg_str *out)
{
	pg_str_init(out);
	ck_assert_int_eq(pg_csv_init(c, style, to_str, out, NULL), 0);
}

static void end(struct pg_csv *c)
{
	ck_assert_int_eq(pg_csv_end(c, NULL), 0);
	pg_csv_release(c);
}

static const struct {
	enum pg_csv_style style;
	const char *text, *field;
} fields[] = {
	{PG_CSV_PLAIN, "plain", "plain"},
	{PG_CSV_PLAIN, "two words", "two words"},
	{PG_CSV_PLAIN, "", "\"\""},
	{PG_CSV_PLAIN, NULL, ""},
	{PG_CSV_PLAIN, "a,b", "\"a,b\""},
	{PG_CSV_PLAIN, "a;b\tc", "a;b\tc"},
	{PG_CSV_PLAIN, "say \"x\"", "\"say \"\"x\"\"\""},
	{PG_CSV_PLAIN, "a\nb", "\"a\nb\""},
	{PG_CSV_PLAIN, "a\rb", "\"a\rb\""},
	{PG_CSV_PLAIN, " a", "\" a\""},
	{PG_CSV_PLAIN, "a\t", "\"a\t\""},
	{PG_CSV_PLAIN, "=1+1", "'=1+1"},
	{PG_CSV_PLAIN, "=a,b", "\"'=a,b\""},
	{PG_CSV_PLAIN, "@x", "'@x"},
	{PG_CSV_PLAIN, "-x", "'-x"},
	{PG_CSV_PLAIN, "\tx", "'\tx"},
	{PG_CSV_PLAIN, "\rx", "\"'\rx\""},
	{PG_CSV_PLAIN, "-", "'-"},
	{PG_CSV_PLAIN, "-5", "-5"},
	{PG_CSV_PLAIN, "+1.5e-3", "+1.5e-3"},
	{PG_CSV_PLAIN, "-1-1", "'-1-1"},
	{PG_CSV_PLAIN, "'=x", "''=x"},
	{PG_CSV_PLAIN, "'-5", "''-5"},
	{PG_CSV_PLAIN, "'x", "'x"},
	{PG_CSV_PLAIN, "'", "'"},
	{PG_CSV_EXCEL_EU, "a,b", "a,b"},
	{PG_CSV_EXCEL_EU, "a;b", "\"a;b\""},
	{PG_CSV_EXCEL_EU, "1.5", "1.5"}, /* a text stays as it is */
	{PG_CSV_TSV, "a,b;c", "a,b;c"},
	{PG_CSV_TSV, "a\tb", "\"a\tb\""},
};

START_TEST(field_text)
{
	struct pg_csv c;
	struct pg_str out, want;
	bool bom = fields[_i].style == PG_CSV_EXCEL_EU;

	start(&c, fields[_i].style, &out);
	pg_csv_text(&c, "k");
	pg_csv_text(&c, fields[_i].text);
	pg_csv_row(&c);
	end(&c);
	pg_str_init(&want);
	pg_str_addf(&want, "%sk%c%s%s", bom ? "\xef\xbb\xbf" : "", pg_csv_separator(fields[_i].style), fields[_i].field,
		    bom ? "\r\n" : "\n");
	ck_assert_str_eq(out.s, want.s);
	pg_str_release(&want);
	pg_str_release(&out);
}
END_TEST

START_TEST(numbers)
{
	static const char *const want[] = {"1.5,,0.001,7,\n", "1.5,,0.001,7,\r\n",
					   "\xef\xbb\xbf"
					   "1.5,,0.001,7,\r\n",
					   "\xef\xbb\xbf"
					   "1,5;;0,001;7;\r\n",
					   "1.5\t\t0.001\t7\t\n"};
	struct pg_csv c;
	struct pg_str out;

	start(&c, styles[_i], &out);
	pg_csv_double(&c, 1.5);
	pg_csv_double(&c, PG_NAN);
	pg_csv_num(&c, "0.001", 5);
	pg_csv_u64(&c, 7);
	pg_csv_missing(&c);
	pg_csv_row(&c);
	end(&c);
	ck_assert_str_eq(out.s, want[_i]);
	ck_assert_uint_eq(c.n_rows, 1);
	ck_assert_uint_eq(c.widest, 5);
	pg_str_release(&out);
}
END_TEST

/* What was formatted once can be put again; a row that was taken leaves nothing. */
START_TEST(rows_again)
{
	struct pg_csv c;
	struct pg_str out, row, part;
	size_t n;

	pg_str_init(&row);
	pg_str_init(&part);
	start(&c, PG_CSV_PLAIN, &out);
	pg_csv_text(&c, "a,b");
	pg_csv_text(&c, "c");
	n = pg_csv_take(&c, &row);
	ck_assert_uint_eq(n, 2);
	pg_csv_text(&c, "x");
	pg_csv_raw(&c, row.s, row.len, n);
	pg_csv_copy(&c, 2, &part);
	pg_csv_row(&c);
	pg_csv_raw(&c, "", 0, 0);
	pg_csv_text(&c, "y");
	pg_csv_row(&c);
	end(&c);
	ck_assert_str_eq(out.s, "x,\"a,b\",c\ny\n");
	ck_assert_str_eq(part.s, "\"a,b\",c");
	ck_assert_uint_eq(c.widest, 3);
	pg_str_release(&row);
	pg_str_release(&part);
	pg_str_release(&out);
}
END_TEST

START_TEST(is_number)
{
	static const char *const yes[] = {"0", "-1", "+1", "1.5", "12e3", "1E-3", "-0.5e+10"};
	static const char *const no[] = {"",   "-",   "+",   ".5",  "5.",    "1e",  "1e+",
					 "1 ", "0x1", "inf", "nan", "1.5.5", "--1", "1,5"};

	for (int i = 0; i < LEN(yes); i++)
		ck_assert_msg(pg_csv_is_number(yes[i], strlen(yes[i])), "%s", yes[i]);
	for (int i = 0; i < LEN(no); i++)
		ck_assert_msg(!pg_csv_is_number(no[i], strlen(no[i])), "%s", no[i]);
}
END_TEST

START_TEST(style_names)
{
	ck_assert_int_eq(pg_csv_style_find("rfc4180"), PG_CSV_RFC4180);
	ck_assert_int_eq(pg_csv_style_find("excel"), PG_CSV_EXCEL);
	ck_assert_int_eq(pg_csv_style_find("excel-eu"), PG_CSV_EXCEL_EU);
	ck_assert_int_eq(pg_csv_style_find("tsv"), PG_CSV_TSV);
	ck_assert_int_eq(pg_csv_style_find("plain"), -1);
	ck_assert_int_eq(pg_csv_style_find(""), -1);
}
END_TEST

/* ---- reading ---- */

struct got {
	struct pg_str text; /* "LINE:[a][b]\n" a row */
	struct pg_err *err;
};

static int take(void *ctx, size_t line, const char *const *f, size_t n)
{
	struct got *g = ctx;

	pg_str_addf(&g->text, "%zu:", line);
	for (size_t i = 0; i < n; i++)
		pg_str_addf(&g->text, "[%s]", f[i]);
	pg_str_addc(&g->text, '\n');
	return 0;
}

static const struct {
	const char *in, *out, *err;
} reads[] = {
	{"a,b\n1,2\n", "1:[a][b]\n2:[1][2]\n", NULL},
	{"a,b\n1,2", "1:[a][b]\n2:[1][2]\n", NULL},
	{"a,b\r\n1,2\r\n", "1:[a][b]\n2:[1][2]\n", NULL},
	{"\xef\xbb\xbf"
	 "a,b\n",
	 "1:[a][b]\n", NULL},
	{"a\n\n\nb\n", "1:[a]\n4:[b]\n", NULL},
	{"a\r\n\r\nb\r\n", "1:[a]\n3:[b]\n", NULL},
	{"a\rb\n", "1:[a]\n1:[b]\n", NULL},
	{"\"x\n\ny\",2\n3,4\n", "1:[x\n\ny][2]\n4:[3][4]\n", NULL},
	{" a , b \n", "1:[ a ][ b ]\n", NULL},
	{"\"\",\"q\"\"q\"\n", "1:[][q\"q]\n", NULL},
	{"'=x,''=x,'x,'-5\n", "1:[=x]['=x]['x][-5]\n", NULL},
	{"a,b\n1\n", "1:[a][b]\n", "line 2 has 1 fields, the header 2"},
	{"a,b\n\n1,2,3\n", "1:[a][b]\n", "line 3 has 3 fields, the header 2"},
	{"a,b\n1,x\"y\n", "1:[a][b]\n",
	 "line 2: a quote where none may stand; quote the whole field and double the quotes inside"},
	{"a\n\"b\"c\n", "1:[a]\n",
	 "line 2: a quote where none may stand; quote the whole field and double the quotes inside"},
	{"a\n\"b\n\n", "1:[a]\n", "line 2: a quoted field that never ends"},
	{"", "", NULL},
	{"\n\n", "", NULL},
};

START_TEST(reading)
{
	struct pg_err err = {.code = PG_OK};
	struct got g = {.err = &err};
	int result;

	pg_str_init(&g.text);
	result = pg_csv_parse(reads[_i].in, strlen(reads[_i].in), ',', take, &g, &err);
	ck_assert_str_eq(pg_str_text(&g.text), reads[_i].out);
	if (reads[_i].err) {
		ck_assert_int_eq(result, -1);
		ck_assert_int_eq(err.code, PG_EINPUT);
		ck_assert_str_eq(err.msg, reads[_i].err);
	} else {
		ck_assert_int_eq(result, 0);
	}
	pg_str_release(&g.text);
}
END_TEST

START_TEST(nul_byte)
{
	struct pg_err err = {.code = PG_OK};
	struct got g = {.err = &err};

	pg_str_init(&g.text);
	ck_assert_int_eq(pg_csv_parse("a\nb\0c\n", 6, ',', take, &g, &err), -1);
	ck_assert_str_eq(err.msg, "line 2: a NUL byte");
	pg_str_release(&g.text);
}
END_TEST

static int refuse(void *ctx, size_t line, const char *const *f, size_t n)
{
	(void)f;
	(void)n;
	return line == 2 ? pg_fail(((struct got *)ctx)->err, PG_EINPUT, "no") : 0;
}

START_TEST(row_ends_reading)
{
	struct pg_err err = {.code = PG_OK};
	struct got g = {.err = &err};

	ck_assert_int_eq(pg_csv_parse("a\nb\nc\n", 6, ',', refuse, &g, &err), -1);
	ck_assert_str_eq(err.msg, "no");
}
END_TEST

START_TEST(files)
{
	char path[] = "/tmp/pg-csv-XXXXXX", want[128];
	struct pg_err err = {.code = PG_OK};
	struct got g = {.err = &err};
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd,
			       "\xef\xbb\xbf"
			       "a;b\r\n1;2;3\r\n",
			       15),
			 15);
	close(fd);
	pg_str_init(&g.text);
	ck_assert_int_eq(pg_csv_read(path, ';', take, &g, &err), -1);
	ck_assert_str_eq(pg_str_text(&g.text), "1:[a][b]\n");
	snprintf(want, sizeof(want), "%s: line 2 has 3 fields, the header 2", path);
	ck_assert_str_eq(err.msg, want);
	unlink(path);
	ck_assert_int_eq(pg_csv_read(path, ',', take, &g, &err), -1);
	ck_assert_int_eq(err.code, PG_ESYS);
	ck_assert_int_eq(pg_csv_read("/dev/null", ',', take, &g, &err),
			 -1); /* no regular file: nothing that could block */
	ck_assert_int_eq(err.code, PG_EINPUT);
	pg_str_release(&g.text);
}
END_TEST

START_TEST(headers)
{
	static const char *const want[] = {"cell", "status"};
	const char *good[] = {"cell", "status", "more"}, *other[] = {"cell", "x"}, *semi[] = {"cell;status"},
		   *tab[] = {"cell\tstatus"};
	struct pg_err err;

	ck_assert_int_eq(pg_csv_check_header(good, 3, want, 2, &err), 0);
	ck_assert_int_eq(pg_csv_check_header(other, 2, want, 2, &err), -1);
	ck_assert_str_eq(err.msg, "column 2 is 'x', expected 'status'");
	ck_assert_int_eq(pg_csv_check_header(semi, 1, want, 2, &err), -1);
	ck_assert_str_eq(err.msg, "header has 1 column, expected 2 (semicolon-separated?); save it with commas");
	ck_assert_int_eq(pg_csv_check_header(tab, 1, want, 2, &err), -1);
	ck_assert_str_eq(err.msg, "header has 1 column, expected 2 (tab-separated?); save it with commas");
}
END_TEST

/* ---- the law ---- */

#define COLUMNS 4
#define ROWS	60

static void random_text(struct pg_rng *rng, char *buf, size_t size)
{
	static const char alphabet[] = "ab1'''===+-@\t\r\n\"\",,;. \xc3\xa9";
	size_t n = (size_t)pg_rng_below(rng, size);

	for (size_t i = 0; i < n; i++)
		buf[i] = pg_rng_below(rng, 8) ? alphabet[pg_rng_below(rng, sizeof(alphabet) - 1)]
					      : (char)(1 + pg_rng_below(rng, 255));
	buf[n] = '\0';
}

struct law {
	char text[ROWS][COLUMNS][12];
	size_t row;
};

static int check_row(void *ctx, size_t line, const char *const *f, size_t n)
{
	struct law *l = ctx;

	(void)line;
	ck_assert_uint_eq(n, COLUMNS);
	ck_assert_uint_lt(l->row, ROWS);
	for (size_t i = 0; i < n; i++)
		ck_assert_str_eq(f[i], l->text[l->row][i]);
	l->row++;
	return 0;
}

START_TEST(law)
{
	enum pg_csv_style style = styles[_i % LEN(styles)];
	struct law *l = calloc(1, sizeof(*l));
	struct pg_rng rng;
	struct pg_csv c;
	struct pg_str out;
	struct pg_err err = {.code = PG_OK};

	ck_assert_ptr_nonnull(l);
	pg_rng_seed(&rng, (uint64_t)_i + 1);
	start(&c, style, &out);
	for (size_t r = 0; r < ROWS; r++) {
		for (size_t k = 0; k < COLUMNS; k++) {
			random_text(&rng, l->text[r][k], sizeof(l->text[r][k]));
			pg_csv_text(&c, l->text[r][k]);
		}
		pg_csv_row(&c);
	}
	end(&c);
	ck_assert_msg(pg_csv_parse(out.s, out.len, pg_csv_separator(style), check_row, l, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(l->row, ROWS);
	pg_str_release(&out);
	free(l);
}
END_TEST

/* No field of a file opens as a formula. */
START_TEST(no_formula)
{
	struct pg_rng rng;
	struct pg_csv c;
	struct pg_str out;
	char text[12];

	pg_rng_seed(&rng, 99);
	for (int i = 0; i < 3000; i++) {
		const char *s;
		size_t n;

		random_text(&rng, text, sizeof(text));
		start(&c, PG_CSV_PLAIN, &out);
		pg_csv_text(&c, text);
		pg_csv_row(&c);
		end(&c);
		s = out.s + (out.s[0] == '"');
		n = strcspn(s, "\"");
		ck_assert_msg(!strchr("=+-@\t\r", *s) || *s == '\0' || pg_csv_is_number(text, strlen(text)), "%s",
			      out.s);
		ck_assert_uint_le(n, strlen(s));
		pg_str_release(&out);
	}
}
END_TEST

/* A missing value alone in its row is no blank line. */
START_TEST(lonely_field)
{
	struct pg_err err;
	struct pg_csv c;
	struct pg_str out;
	struct got g = {.err = &err};

	start(&c, PG_CSV_PLAIN, &out);
	pg_csv_text(&c, "h");
	pg_csv_row(&c);
	pg_csv_missing(&c);
	pg_csv_row(&c);
	end(&c);
	pg_str_init(&g.text);
	ck_assert_int_eq(pg_csv_parse(out.s, out.len, ',', take, &g, &err), 0);
	ck_assert_str_eq(pg_str_text(&g.text), "1:[h]\n2:[]\n");
	pg_str_release(&g.text);
	pg_str_release(&out);
}
END_TEST

/* Rows longer than the buffer, and many of them. */
START_TEST(large)
{
	struct pg_csv c;
	struct pg_str out;
	char *big = malloc(1000001);

	ck_assert_ptr_nonnull(big);
	memset(big, 'x', 1000000);
	big[1000000] = '\0';
	start(&c, PG_CSV_PLAIN, &out);
	for (int i = 0; i < 3; i++) {
		pg_csv_text(&c, big);
		pg_csv_u64(&c, (uint64_t)i);
		pg_csv_row(&c);
	}
	end(&c);
	ck_assert_uint_eq(out.len, 3 * 1000003);
	ck_assert(memcmp(out.s + 1000003, "xxx", 3) == 0);
	ck_assert_str_eq(out.s + out.len - 3, ",2\n");
	pg_str_release(&out);
	free(big);
}
END_TEST

PG_TEST_MAIN("store_csv", ((const struct pg_test[]){
				  {field_text, LEN(fields)},
				  {numbers, LEN(styles)},
				  {rows_again, 0},
				  {is_number, 0},
				  {style_names, 0},
				  {reading, LEN(reads)},
				  {nul_byte, 0},
				  {row_ends_reading, 0},
				  {files, 0},
				  {headers, 0},
				  {law, 100},
				  {no_formula, 0},
				  {lonely_field, 0},
				  {large, 0},
				  {NULL, 0},
			  }))
