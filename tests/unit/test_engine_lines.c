/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/pgtest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "engine/drain.h"
#include "engine/lines.h"

static struct pg_str seen;

static void line(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	pg_str_add(&seen, s, n);
	pg_str_addc(&seen, '|');
}

START_TEST(cutting)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"", ""},
		{"\n", "|"},
		{"a", "a|"},
		{"a\n", "a|"},
		{"a\nb", "a|b|"},
		{"a\r\nb\r\n", "a|b|"},
		{"\n\na\n", "||a|"},
		{"abc\ndef\n", "abc|def|"},
		{"\r\n", "|"},
	};
	const char *text = cases[_i].text;

	/* In every way that the text may arrive in two pieces. */
	for (size_t cut = 0; cut <= strlen(text); cut++) {
		struct pg_lines l;

		pg_lines_init(&l, line, NULL);
		pg_str_init(&seen);
		pg_lines_add(&l, text, cut);
		pg_lines_add(&l, text + cut, strlen(text) - cut);
		pg_lines_end(&l);
		ck_assert_str_eq(pg_str_text(&seen), cases[_i].expected);
		pg_lines_release(&l);
		pg_str_release(&seen);
	}
}
END_TEST

static size_t longest;

static void measure(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	(void)s;
	longest = n > longest ? n : longest;
}

START_TEST(nul_inside)
{
	struct pg_lines l;

	pg_lines_init(&l, line, NULL);
	pg_str_init(&seen);
	pg_lines_add(&l, "a\0b\n\0\n", 6);
	pg_lines_end(&l);
	ck_assert_str_eq(pg_str_text(&seen), "a b| |");
	pg_lines_release(&l);
	pg_str_release(&seen);
}
END_TEST

START_TEST(long_line)
{
	size_t n = 3 * PG_LINE_MAX + 5;
	char *text = malloc(n);
	struct pg_lines l;

	ck_assert_ptr_nonnull(text);
	memset(text, 'x', n);
	text[n - 1] = '\n';
	for (size_t piece = 4096; piece <= n; piece += n - 4096) {
		longest = 0;
		pg_lines_init(&l, measure, NULL);
		for (size_t at = 0; at < n; at += piece)
			pg_lines_add(&l, text + at, n - at < piece ? n - at : piece);
		pg_lines_end(&l);
		ck_assert_uint_eq(longest, PG_LINE_MAX);
		ck_assert_uint_le(l.cap, 2 * PG_LINE_MAX);
		pg_lines_release(&l);
	}
	free(text);
}
END_TEST

static struct pg_capture capture;
static struct pg_program program;
static struct pg_captures captures;

static void capture_line(void *ctx, const char *s, size_t n)
{
	(void)ctx;
	ck_assert_uint_eq(strlen(s), n);
	pg_captures_line(&captures, false, s);
}

/* Feeds lines, one a text, and gives the sample. */
static enum pg_status take(const char *lines, struct pg_sample *s, char *why, size_t n)
{
	enum pg_status status;
	struct pg_lines l;
	struct pg_str text;
	struct pg_err err;

	program = (struct pg_program){.captures = &capture, .n_captures = 1};
	pg_captures_init(&captures);
	ck_assert_msg(pg_captures_use(&captures, &program, &err) == 0, "%s", err.msg);
	pg_captures_reset(&captures);
	pg_lines_init(&l, capture_line, NULL);
	pg_lines_add(&l, lines, strlen(lines));
	pg_lines_end(&l);
	pg_lines_release(&l);
	pg_str_init(&text);
	status = pg_captures_sample(&captures, 0, s, &text);
	snprintf(why, n, "%s", pg_str_text(&text));
	pg_str_release(&text);
	pg_captures_release(&captures);
	return status;
}

#define NUMBER "([-+0-9.eE]+)"

START_TEST(capture_values)
{
	static const struct {
		const char *pattern, *lines;
		enum pg_which which;
		int64_t raw;
		int exp10;
	} cases[] = {
		{"took " NUMBER, "took 1.5\ntook 2.25\n", PG_LAST, 225, -2},
		{"took " NUMBER, "took 1.5\ntook 2.25\n", PG_FIRST, 15, -1},
		{"took " NUMBER, "took 1.5\ntook 2.25\n", PG_W_SUM, 375, -2},
		{"took " NUMBER, "took 1.5\ntook 2.25\n", PG_W_MEAN, 1875, -3},
		{"took " NUMBER, "took 10\nnothing\ntook 20\ntook 30\n", PG_W_MEAN, 20, 0},
		{"took " NUMBER, "took 1\ntook 1\ntook 0\n", PG_W_MEAN, 666666666666666667, -18},
		{"took " NUMBER, "took -1\ntook -1\ntook 0\n", PG_W_MEAN, -666666666666666667, -18},
		{"^n=" NUMBER "$", "xn=1\nn=2\nn=3x\n", PG_LAST, 2, 0},
		{NUMBER, "1e-3\n", PG_LAST, 1, -3},
		{NUMBER, "0.1\n0.2\n", PG_W_SUM, 3, -1},
		{NUMBER " ms", "1 ms 2 ms\n", PG_LAST, 1, 0}, /* one match a line, the first */
		{"(9223372036854775807)", "9223372036854775807\n", PG_LAST, 922337203685477581, 1},
	};
	struct pg_sample s;
	char why[256];

	capture = (struct pg_capture){.name = "m",
				      .pattern = cases[_i].pattern,
				      .metric = 12,
				      .factor = 1,
				      .dec_scale = {1, 0},
				      .which = cases[_i].which};
	ck_assert_int_eq(take(cases[_i].lines, &s, why, sizeof(why)), PG_ST_OK);
	ck_assert_int_eq(s.raw, cases[_i].raw);
	ck_assert_int_eq(s.exp10, cases[_i].exp10);
	ck_assert_int_eq(s.metric, 12);
	ck_assert(!s.missing);
}
END_TEST

START_TEST(capture_scale)
{
	static const struct {
		const char *text;
		double factor;
		struct pg_dec scale;
		int64_t raw;
		int exp10;
	} cases[] = {
		{"12.5", 0.001, {1, -3}, 125, -4},
		{"3", 1024, {1024, 0}, 3072, 0},
		{"0.1", 60, {60, 0}, 6, 0},
		{"2", 1.0 / 3, {0, 0}, 666666666666667, -15}, /* no decimal: the digits of a double */
		{"999999999999999999",
		 1234567890123.0,
		 {1234567890123, 0},
		 1234567890123,
		 18}, /* a product that does not fit */
	};
	struct pg_sample s;
	char why[256];

	capture = (struct pg_capture){.name = "m",
				      .pattern = NUMBER,
				      .factor = cases[_i].factor,
				      .dec_scale = cases[_i].scale,
				      .which = PG_LAST};
	ck_assert_int_eq(take(cases[_i].text, &s, why, sizeof(why)), PG_ST_OK);
	ck_assert_int_eq(s.raw, cases[_i].raw);
	ck_assert_int_eq(s.exp10, cases[_i].exp10);
}
END_TEST

START_TEST(capture_bad)
{
	static const struct {
		const char *lines;
		enum pg_which which;
		bool required;
		enum pg_status status;
		const char *why;
	} cases[] = {
		{"nothing here\n", PG_LAST, true, PG_ST_FAILED, "no line of stdout matches"},
		{"v=nan\n", PG_LAST, true, PG_ST_INVALID, "'nan'"},
		{"v=inf\n", PG_FIRST, true, PG_ST_INVALID, "'inf'"},
		{"v=1\nv=1.2.3\n", PG_W_SUM, true, PG_ST_INVALID, "'1.2.3'"},
		{"v=0x10\n", PG_LAST, true, PG_ST_INVALID, "'0x10'"},
		{"v=1e200\n", PG_LAST, true, PG_ST_INVALID, "out of range"},
	};
	struct pg_sample s;
	char why[256];

	capture = (struct pg_capture){.name = "m",
				      .pattern = "v=(.*)",
				      .factor = 1,
				      .dec_scale = {1, 0},
				      .which = cases[_i].which,
				      .required = cases[_i].required};
	ck_assert_int_eq(take(cases[_i].lines, &s, why, sizeof(why)), cases[_i].status);
	ck_assert_msg(strstr(why, cases[_i].why) && strstr(why, "metric m"), "%s", why);
}
END_TEST

START_TEST(capture_optional)
{
	struct pg_sample s;
	char why[256];

	capture = (struct pg_capture){
		.name = "m", .pattern = "v=(.*)", .factor = 1, .dec_scale = {1, 0}, .which = PG_LAST};
	ck_assert_int_eq(take("", &s, why, sizeof(why)), PG_ST_OK);
	ck_assert(s.missing);
	/* A later good one makes up for a bad one only where the last counts. */
	ck_assert_int_eq(take("v=x\nv=2\n", &s, why, sizeof(why)), PG_ST_OK);
	ck_assert_int_eq(s.raw, 2);
	capture.which = PG_FIRST;
	ck_assert_int_eq(take("v=x\nv=2\n", &s, why, sizeof(why)), PG_ST_INVALID);
	ck_assert_int_eq(take("v=2\nv=x\n", &s, why, sizeof(why)), PG_ST_OK);
}
END_TEST

START_TEST(capture_pattern_wrong)
{
	struct pg_err err = {.code = PG_OK};

	capture = (struct pg_capture){.name = "m", .pattern = "v=(", .factor = 1};
	program = (struct pg_program){.captures = &capture, .n_captures = 1};
	pg_captures_init(&captures);
	ck_assert_int_eq(pg_captures_use(&captures, &program, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "metric m"));
	ck_assert_ptr_null(captures.program);
	pg_captures_release(&captures);
}
END_TEST

/* What is written into the pipe, in pieces, read each time. */
static void fill(struct pg_drain *d, const char *s, size_t n)
{
	while (n > 0) {
		size_t k = n < 32768 ? n : 32768;

		ck_assert_int_eq(write(d->wr, s, k), (ssize_t)k);
		pg_drain_finish(d);
		s += k;
		n -= k;
	}
}

START_TEST(last_line)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"one\n", "one"},
		{"one", "one"},
		{"one\ntwo\n\n \t\n", "two"},
		{"one\rtwo\r", "two"},
		{"\xff\xfe bad\n", "\xef\xbf\xbd\xef\xbf\xbd bad"},
		{"\x1b[1;31mred\x1b[0m alert\x07\n", "red alert"},
		{"tab\tand   blanks  \n", "tab and blanks"},
		{"gr\xc3\xbc\xc3\x9f\x65 \xc2\x85x\n", "gr\xc3\xbc\xc3\x9f\x65 x"},
		{"\x7f\x01\n", NULL},
		{"", NULL},
		{"\n\n\n", NULL},
		{"cut \x1b[", "cut ["},
	};
	struct pg_drain d;
	struct pg_str out;
	struct pg_err err;
	bool found;

	pg_drain_init(&d);
	pg_str_init(&out);
	ck_assert_int_eq(pg_drain_open(&d, &err), 0);
	fill(&d, cases[_i].text, strlen(cases[_i].text));
	found = pg_drain_last_line(&d, 400, &out);
	ck_assert_int_eq(found, cases[_i].expected != NULL);
	ck_assert_str_eq(pg_str_text(&out), cases[_i].expected ? cases[_i].expected : "");
	pg_str_release(&out);
	pg_drain_close(&d);
}
END_TEST

START_TEST(kept)
{
	/* Around the borders of both parts that are kept. */
	static const size_t sizes[] = {0, 1, 65535, 65536, 65537, 131071, 131072, 131073, 200000, 300007};
	size_t n = sizes[_i], tail;
	char *text = malloc(n + 1);
	struct pg_drain d;
	struct pg_err err;

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < n; i++)
		text[i] = (char)('a' + i * 7 % 23);
	pg_drain_init(&d);
	ck_assert_int_eq(pg_drain_open(&d, &err), 0);
	fill(&d, text, n);
	ck_assert_uint_eq(d.total, n);
	ck_assert_int_eq(memcmp(d.head, text, n < PG_DRAIN_KEEP ? n : PG_DRAIN_KEEP), 0);
	tail = n < PG_DRAIN_KEEP ? 0 : n - PG_DRAIN_KEEP;
	tail = tail < PG_DRAIN_KEEP ? tail : PG_DRAIN_KEEP;
	for (size_t i = n - tail; i < n; i++)
		ck_assert_int_eq(d.tail[i % PG_DRAIN_KEEP], text[i]);
	pg_drain_reset(&d);
	ck_assert_uint_eq(d.total, 0);
	pg_drain_close(&d);
	free(text);
}
END_TEST

START_TEST(long_last_line)
{
	size_t n = 200000;
	char *text = malloc(n);
	struct pg_drain d;
	struct pg_str out;
	struct pg_err err;

	ck_assert_ptr_nonnull(text);
	memset(text, 'y', n);
	pg_drain_init(&d);
	pg_str_init(&out);
	ck_assert_int_eq(pg_drain_open(&d, &err), 0);
	fill(&d, text, n);
	ck_assert(pg_drain_last_line(&d, 400, &out));
	ck_assert_uint_eq(out.len, 400);
	/* Cut on a border of characters. */
	pg_str_reset(&out);
	pg_clean_text("\xc3\xbc\xc3\xbc\xc3\xbc", 6, 5, &out);
	ck_assert_str_eq(pg_str_text(&out), "\xc3\xbc\xc3\xbc");
	pg_str_release(&out);
	pg_drain_close(&d);
	free(text);
}
END_TEST

PG_TEST_MAIN("engine_lines", ((const struct pg_test[]){
				     {cutting, 9},
				     {nul_inside, 0},
				     {long_line, 0},
				     {capture_values, 12},
				     {capture_scale, 5},
				     {capture_bad, 6},
				     {capture_optional, 0},
				     {capture_pattern_wrong, 0},
				     {last_line, 12},
				     {kept, 10},
				     {long_last_line, 0},
				     {NULL, 0},
			     }))
