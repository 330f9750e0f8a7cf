/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of each type: reading, messages, ranges, order, and the law parse(format(v)) == v. */
#include "tests/support/pgtest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "model/param.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

static const struct pg_choice auto_word[] = {{"auto", NULL}, {NULL, NULL}};
static const struct pg_choice whole_word[] = {{"whole", NULL}, {NULL, NULL}};
static const struct pg_choice transports[] = {{"socket", NULL}, {"pipe", NULL}, {"inet", NULL}, {NULL, NULL}};

static const struct pg_param rows[] = {
	{.name = "flag", .type = PG_BOOL},
	{.name = "loops", .type = PG_COUNT, .min = "1", .max = "1000000000000", .choices = auto_word, .role = PG_OPS},
	{.name = "size", .type = PG_SIZE, .min = "1B", .max = "16TB"},
	{.name = "chunk", .type = PG_SIZE, .min = "1B", .max = "size", .choices = whole_word},
	{.name = "settle", .type = PG_TIME, .min = "0s", .max = "1min"},
	{.name = "noise", .type = PG_REAL, .min = "-0.5", .max = "10"},
	{.name = "transport", .type = PG_ENUM, .choices = transports},
	{.name = "cpu_set", .type = PG_CPULIST},
	{.name = "node_set", .type = PG_NODELIST},
	{.name = "text", .type = PG_TEXT},
	{.name = "first", .type = PG_COUNT},
	{.name = "fraction", .type = PG_REAL},
	{.name = NULL},
};

static struct pg_arena arena;

static void setup_arena(void)
{
	pg_arena_init(&arena, false);
}

static const struct pg_param *row(const char *name)
{
	const struct pg_param *r = pg_param_find(rows, name, NULL);

	ck_assert_ptr_nonnull(r);
	return r;
}

static void check_text(const struct pg_param *r, const struct pg_value *v, const char *want, const char *csv)
{
	struct pg_str s;

	pg_str_init(&s);
	pg_value_format(r, v, &s);
	ck_assert_str_eq(pg_str_text(&s), want);
	pg_str_reset(&s);
	pg_value_format_csv(r, v, &s);
	ck_assert_str_eq(pg_str_text(&s), csv);
	pg_str_release(&s);
}

START_TEST(taken)
{
	static const struct {
		const char *row, *s, *text, *csv;
		enum pg_vstate state;
	} t[] = {
		{"flag", "true", "true", "true", PG_V_SET},
		{"flag", "Yes", "true", "true", PG_V_SET},
		{"flag", "ON", "true", "true", PG_V_SET},
		{"flag", "off", "false", "false", PG_V_SET},
		{"flag", "NO", "false", "false", PG_V_SET},
		{"flag", "False", "false", "false", PG_V_SET},
		{"loops", "1", "1", "1", PG_V_SET},
		{"loops", "1000000000000", "1000000000000", "1000000000000", PG_V_SET},
		{"loops", "auto", "auto", "auto", PG_V_WORD},
		{"first", "0", "0", "0", PG_V_SET},
		{"first", "9223372036854775807", "9223372036854775807", "9223372036854780000", PG_V_SET},
		{"size", "4096", "4KB", "4096", PG_V_SET},
		{"size", "4k", "4KB", "4096", PG_V_SET},
		{"size", "1.5MiB", "1536KB", "1572864", PG_V_SET},
		{"size", "16TB", "16TB", "17592186044416", PG_V_SET},
		{"size", "1B", "1B", "1", PG_V_SET},
		{"chunk", "whole", "whole", "whole", PG_V_WORD},
		{"chunk", "99999TB", "99999TB", "109950063265972000",
		 PG_V_SET}, /* `size` is another row: not looked at here */
		{"settle", "0s", "0s", "0", PG_V_SET},
		{"settle", "1min", "1min", "60", PG_V_SET},
		{"settle", "0.5s", "500ms", "0.5", PG_V_SET},
		{"settle", "1ns", "1ns", "0.000000001", PG_V_SET},
		{"noise", "0", "0", "0", PG_V_SET},
		{"noise", "-0.5", "-0.5", "-0.5", PG_V_SET},
		{"noise", "0.10", "0.1", "0.1", PG_V_SET},
		{"noise", "10.000", "10", "10", PG_V_SET},
		{"noise", "1.23456789012345678", "1.23456789012345678", "1.23456789012346", PG_V_SET},
		{"noise", "0.0000000000000000000001", "0.0000000000000000000001", "0.0000000000000000000001", PG_V_SET},
		{"fraction", "120000000000000000000.0", "120000000000000000000", "120000000000000000000", PG_V_SET},
		{"transport", "pipe", "pipe", "pipe", PG_V_SET},
		{"cpu_set", "8,0-3", "0-3,8", "0-3,8", PG_V_SET},
		{"node_set", "0,1,2", "0-2", "0-2", PG_V_SET},
		{"text", "", "", "", PG_V_SET},
		{"text", "no", "no", "no", PG_V_SET},
		{"text", "=\xc3\xa9 \"x\", 1", "=\xc3\xa9 \"x\", 1", "=\xc3\xa9 \"x\", 1", PG_V_SET},
	};

	for (size_t i = 0; i < COUNT_OF(t); i++) {
		const struct pg_param *r = row(t[i].row);
		struct pg_value v;
		struct pg_err err;

		if (pg_value_parse(r, t[i].s, strlen(t[i].s), &arena, &v, &err) < 0)
			ck_abort_msg("%s: %s: %s", t[i].row, t[i].s, err.msg);
		ck_assert_int_eq(v.state, t[i].state);
		ck_assert_int_eq(v.type, r->type);
		check_text(r, &v, t[i].text, t[i].csv);
	}
}
END_TEST

START_TEST(refused)
{
	static const struct {
		const char *row, *s, *msg;
	} t[] = {
		{"loops", "0", "value 0 is out of range; allowed: 1 to 1000000000000 or `auto`"},
		{"loops", "1000000000001",
		 "value 1000000000001 is out of range; allowed: 1 to 1000000000000 or `auto`"},
		{"loops", "1.5",
		 "'1.5' is no whole number (a fraction where a whole number is due); allowed: a number from 1 to "
		 "1000000000000 or `auto`"},
		{"loops", "-5",
		 "'-5' is no whole number (a sign); allowed: a number from 1 to 1000000000000 or `auto`"},
		{"loops", "10x",
		 "'10x' is no whole number (not a number); allowed: a number from 1 to 1000000000000 or `auto`"},
		{"loops", "", "'' is empty; allowed: a number from 1 to 1000000000000 or `auto`"},
		{"first", "9223372036854775808",
		 "'9223372036854775808' is no whole number (number too large); allowed: a number"},
		{"first", "18446744073709551616",
		 "'18446744073709551616' is no whole number (number too large); allowed: a number"},
		{"size", "0B", "value 0B is out of range; allowed: 1B to 16TB"},
		{"size", "17592186044417B", "value 17592186044417B is out of range; allowed: 1B to 16TB"},
		{"chunk", "0", "value 0B is out of range; allowed: 1B to size or `whole`"},
		{"settle", "61s", "value 61s is out of range; allowed: 0s to 1min"},
		{"settle", "5",
		 "'5' is no time (unit missing or unknown); allowed: a time with unit (ns, us, ms, s, min, h) from 0s "
		 "to 1min"},
		{"noise", "10.000000000000001", "value 10.000000000000001 is out of range; allowed: -0.5 to 10"},
		{"noise", "-0.51", "value -0.51 is out of range; allowed: -0.5 to 10"},
		{"noise", "1e3", "'1e3' is no decimal number (an exponent); allowed: a decimal number from -0.5 to 10"},
		{"transport", "sockt",
		 "'sockt' is no value of transport, did you mean 'socket'?; allowed: one of socket, pipe, inet"},
		{"transport", "quic", "'quic' is no value of transport; allowed: one of socket, pipe, inet"},
		{"transport", "Pipe",
		 "'Pipe' is no value of transport, did you mean 'pipe'?; allowed: one of socket, pipe, inet"},
		{"flag", "y", "'y' is no truth value; allowed: one of true, false, yes, no, on, off"},
		{"flag", "tRUE", "'tRUE' is no truth value; allowed: one of true, false, yes, no, on, off"},
		{"flag", "1", "'1' is no truth value; allowed: one of true, false, yes, no, on, off"},
		{"cpu_set", "\n", "'\n' is an empty list; allowed: a CPU list like \"0-3,8\""},
		{"cpu_set", "0,x",
		 "'0,x' is no CPU list, character 3: a number is due, not 'x'; allowed: a list like 0-3,8"},
		{"node_set", "3-1", "'3-1' is no node list, character 3: range 3-1 runs backwards; write 1-3"},
		{"text", "a\nb", "control character at byte 2; allowed: text without control characters"},
		{"text", "\xc2\x85", "control character at byte 1; allowed: text without control characters"},
		{"text", "ab\x7f", "control character at byte 3; allowed: text without control characters"},
		{"text", "ab\xff", "invalid UTF-8 at byte 3; allowed: text in UTF-8"},
	};

	for (size_t i = 0; i < COUNT_OF(t); i++) {
		struct pg_value v = {.type = 77};
		struct pg_err err;
		char want[PG_ERR_MSG];

		ck_assert_msg(pg_value_parse(row(t[i].row), t[i].s, strlen(t[i].s), &arena, &v, &err) == -1, "%s",
			      t[i].s);
		snprintf(want, sizeof(want), "%s", t[i].msg);
		for (char *c = want; *c; c++)
			*c = *c == '\n' ? ' ' : *c;
		ck_assert_str_eq(err.msg, want);
		ck_assert_int_eq(err.code, PG_EINPUT);
		ck_assert_int_eq(v.type, 77);
		ck_assert_int_eq(pg_value_parse(row(t[i].row), t[i].s, strlen(t[i].s), &arena, &v, NULL), -1);
	}
}
END_TEST

START_TEST(long_text_in_message)
{
	char s[400];
	struct pg_value v;
	struct pg_err err;

	for (size_t i = 0; i + 1 < sizeof(s); i += 2)
		memcpy(s + i, "\xc3\xa9", 2);
	ck_assert_int_eq(pg_value_parse(row("flag"), s, sizeof(s), &arena, &v, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "no truth value"));
	ck_assert_ptr_null(strchr(err.msg, '?'));
	ck_assert_int_eq(pg_value_parse(row("text"), "a\0b", 3, &arena, &v, &err), -1);
	ck_assert_int_eq(pg_value_parse(row("transport"), "pipe\0", 5, &arena, &v, &err), -1);
	ck_assert_int_eq(pg_value_parse(row("flag"), "true\0", 5, &arena, &v, &err), -1);
}
END_TEST

START_TEST(range_is_apart)
{
	const struct pg_param *loops = row("loops");
	struct pg_value v;
	struct pg_err err;

	ck_assert_int_eq(pg_value_parse_any(loops, "0", 1, &arena, &v, &err), 0);
	ck_assert_int_eq(pg_value_check_range(loops, &v, &err), -1);
	ck_assert_int_eq(pg_value_parse_any(loops, "auto", 4, &arena, &v, &err), 0);
	ck_assert_int_eq(pg_value_check_range(loops, &v, &err), 0);
	v.state = PG_V_UNSET;
	ck_assert_int_eq(pg_value_check_range(loops, &v, &err), 0);
	ck_assert_int_eq(pg_value_parse_any(row("text"), "x", 1, &arena, &v, &err), 0);
	ck_assert_int_eq(pg_value_check_range(row("text"), &v, &err), 0);
}
END_TEST

START_TEST(one_sided_range)
{
	static const struct pg_param low = {.name = "low", .type = PG_COUNT, .min = "5"};
	static const struct pg_param high = {.name = "high", .type = PG_TIME, .max = "2s"};
	struct pg_value v;
	struct pg_err err;

	ck_assert_int_eq(pg_value_parse(&low, "4", 1, &arena, &v, &err), -1);
	ck_assert_str_eq(err.msg, "value 4 is out of range; allowed: at least 5");
	ck_assert_int_eq(pg_value_parse(&low, "5", 1, &arena, &v, &err), 0);
	ck_assert_int_eq(pg_value_parse(&high, "2001ms", 6, &arena, &v, &err), -1);
	ck_assert_str_eq(err.msg, "value 2001ms is out of range; allowed: at most 2s");
	ck_assert_int_eq(pg_value_parse(&high, "2s", 2, &arena, &v, &err), 0);
}
END_TEST

START_TEST(unset_is_nothing)
{
	struct pg_value v = {.state = PG_V_UNSET, .type = PG_TEXT};

	check_text(row("text"), &v, "", "");
	v.type = PG_COUNT;
	check_text(row("first"), &v, "", "");
	ck_assert(isnan(pg_value_double(&v)));
}
END_TEST

static void read_back(const struct pg_param *r, const struct pg_value *v)
{
	struct pg_str s;
	struct pg_value back;
	struct pg_err err;

	pg_str_init(&s);
	pg_value_format(r, v, &s);
	if (pg_value_parse_any(r, pg_str_text(&s), s.len, &arena, &back, &err) < 0)
		ck_abort_msg("%s: %s: %s", r->name, pg_str_text(&s), err.msg);
	if (!pg_value_equal(v, &back))
		ck_abort_msg("%s: %s is another value", r->name, pg_str_text(&s));
	pg_str_release(&s);
}

/* A random value of a row, as a parse could have made it. */
static struct pg_value random_value(const struct pg_param *r, uint64_t x)
{
	struct pg_value v = {.state = PG_V_SET, .type = (uint8_t)r->type};
	struct pg_dec d;
	struct pg_err err;
	char s[64];
	size_t n = 0;

	switch (r->type) {
	case PG_BOOL:
		v.u.i = (int64_t)(x & 1);
		break;
	case PG_COUNT:
	case PG_SIZE:
	case PG_TIME:
		v.u.i = (int64_t)(x >> (1 + x % 62));
		if (r->choices && x % 7 == 0) {
			v.state = PG_V_WORD;
			v.u.i = 0;
		}
		break;
	case PG_REAL:
		d.m = (int64_t)(x >> 8) % INT64_C(1000000000000000000) >> x % 56;
		d.e = -(int)(x % 40);
		if (x & 64)
			d.m = -d.m;
		d = pg_dec_norm(d);
		v.u.i = d.m;
		v.exp10 = (int16_t)d.e;
		break;
	case PG_ENUM:
		v.u.i = (int64_t)(x % 3);
		break;
	case PG_CPULIST:
	case PG_NODELIST:
		n = (size_t)snprintf(s, sizeof(s), "%u,%u-%u", (unsigned)(x % 5000), (unsigned)(x >> 20 & 63),
				     (unsigned)(x >> 20 & 63) + (unsigned)(x >> 40 & 63));
		ck_assert_int_eq(pg_value_parse_any(r, s, n, &arena, &v, &err), 0);
		break;
	case PG_TEXT:
		for (; n < x % 20; n++)
			s[n] = (char)(' ' + pg_mix64(x + n) % 95);
		ck_assert_int_eq(pg_value_parse_any(r, s, n, &arena, &v, &err), 0);
		break;
	}
	return v;
}

START_TEST(law)
{
	for (uint64_t i = 0; i < 20000; i++) {
		struct pg_value v = random_value(&rows[_i], pg_mix64(i * 11 + (uint64_t)_i));

		read_back(&rows[_i], &v);
	}
}
END_TEST

/* Random bytes for every row: never a crash, and what is taken obeys the law. */
START_TEST(random_text)
{
	static const char alphabet[] = "0123456789.-,:KMBisnuauto eE_\xc3\xa9\n";
	const struct pg_param *r = &rows[_i];
	struct pg_err err;

	for (uint64_t i = 0; i < 30000; i++) {
		char s[16];
		struct pg_value v;
		uint64_t x = pg_mix64(i);
		size_t n = i % 13;

		for (size_t k = 0; k < n; k++) {
			x = pg_mix64(x + 1);
			s[k] = alphabet[x % (sizeof(alphabet) - 1)];
		}
		if (pg_value_parse_any(r, s, n, &arena, &v, &err) == 0)
			read_back(r, &v);
		else if (!err.msg[0])
			ck_abort_msg("no message");
	}
}
END_TEST

static struct pg_value value(const char *name, const char *s)
{
	struct pg_value v;
	struct pg_err err;

	if (pg_value_parse_any(row(name), s, strlen(s), &arena, &v, &err) < 0)
		ck_abort_msg("%s", err.msg);
	return v;
}

START_TEST(equality)
{
	struct pg_value a = value("size", "4096"), b = value("size", "4KB"), c = value("size", "5KB");
	struct pg_value t = value("text", "x"), u = value("text", "x"), w = value("loops", "auto"),
			n = value("loops", "0");

	ck_assert(pg_value_equal(&a, &b));
	ck_assert(!pg_value_equal(&a, &c));
	ck_assert(pg_value_equal(&t, &u));
	ck_assert(t.u.text != u.u.text);
	ck_assert(!pg_value_equal(&w, &n)); /* a word is no number, whatever its index */
	a = value("first", "4096");
	ck_assert(!pg_value_equal(&a, &b)); /* another type */
	a = value("noise", "0.10");
	b = value("noise", "0.1");
	ck_assert(pg_value_equal(&a, &b));
	a.state = b.state = PG_V_UNSET;
	a.u.i = 7;
	ck_assert(pg_value_equal(&a, &b));
}
END_TEST

START_TEST(order)
{
	struct pg_value w = value("loops", "auto"), one = value("loops", "1"), ten = value("loops", "10");
	struct pg_value a = value("noise", "0.3"), b = value("noise", "0.25"), c = value("noise", "-1");
	struct pg_value x = value("text", "x"), y = value("text", "y"), p = value("transport", "pipe");
	struct pg_value s = value("transport", "socket"), yes = value("flag", "yes"), no = value("flag", "no");

	ck_assert_int_lt(pg_value_cmp(&one, &ten), 0);
	ck_assert_int_gt(pg_value_cmp(&ten, &one), 0);
	ck_assert_int_eq(pg_value_cmp(&ten, &ten), 0);
	ck_assert_int_lt(pg_value_cmp(&w, &one), 0);
	ck_assert_int_gt(pg_value_cmp(&one, &w), 0);
	ck_assert_int_eq(pg_value_cmp(&w, &w), 0);
	ck_assert_int_gt(pg_value_cmp(&a, &b), 0);
	ck_assert_int_lt(pg_value_cmp(&c, &b), 0);
	ck_assert_int_eq(pg_value_cmp(&x, &y), 0);
	ck_assert_int_eq(pg_value_cmp(&p, &s), 0);
	ck_assert_int_eq(pg_value_cmp(&yes, &no), 0);
}
END_TEST

START_TEST(doubles)
{
	struct pg_value v = value("size", "4KB");

	ck_assert_double_eq(pg_value_double(&v), 4096);
	v = value("settle", "50ms");
	ck_assert_double_eq(pg_value_double(&v), 0.05);
	v = value("noise", "-0.1");
	ck_assert_double_eq(pg_value_double(&v), -0.1);
	v = value("first", "7");
	ck_assert_double_eq(pg_value_double(&v), 7);
	v = value("loops", "auto");
	ck_assert(isnan(pg_value_double(&v)));
	v = value("transport", "pipe");
	ck_assert(isnan(pg_value_double(&v)));
	v = value("flag", "yes");
	ck_assert(isnan(pg_value_double(&v)));
	v = value("text", "7");
	ck_assert(isnan(pg_value_double(&v)));
}
END_TEST

#define ROWS ((int)COUNT_OF(rows) - 1)

int main(void)
{
	const struct pg_test tests[] = {
		{taken, 0},	     {refused, 0},	   {long_text_in_message, 0},
		{range_is_apart, 0}, {one_sided_range, 0}, {unset_is_nothing, 0},
		{law, ROWS},	     {random_text, ROWS},  {equality, 0},
		{order, 0},	     {doubles, 0},	   {NULL, 0},
	};
	int r;

	setup_arena(); /* before the forks: each test works on its own copy */
	r = pg_test_main("model_value", tests);
	pg_arena_release(&arena);
	return r;
}
