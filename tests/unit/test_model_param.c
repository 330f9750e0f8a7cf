/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows: what they allow in words, and the way of values into a bench's struct, directly and through text. */
#include "tests/support/pgtest.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "model/param.h"

struct conf {
	uint64_t guard_front;
	bool flag;
	uint64_t loops;
	uint64_t count;
	struct pg_word_num recover;
	uint64_t size;
	struct pg_word_num chunk;
	int64_t settle;
	double noise;
	int mode;
	const char *cpus, *nodes, *text;
	uint64_t guard_back;
};

static const struct pg_choice auto_word[] = {{"auto", NULL}, {NULL, NULL}};
static const struct pg_choice never_word[] = {{"forever", NULL}, {"never", NULL}, {NULL, NULL}};
static const struct pg_choice whole_word[] = {{"whole", NULL}, {NULL, NULL}};
static const struct pg_choice modes[] = {{"process", NULL}, {"thread", NULL}, {NULL, NULL}};

/* clang-format off */
static const struct pg_param rows[] = {
	{ .name = "flag", PG_AT_BOOL(struct conf, flag) },
	{ .name = "loops", .def = "100", .sdef = "auto", .min = "1", .max = "1000", .choices = auto_word, .role = PG_OPS,
	  PG_AT_COUNT(struct conf, loops) },
	{ .name = "count", .min = "2", PG_AT_COUNT(struct conf, count) },
	{ .name = "recover", .max = "9", .choices = never_word, PG_AT_COUNT_W(struct conf, recover) },
	{ .name = "size", .min = "1B", .max = "1GB", PG_AT_SIZE(struct conf, size) },
	{ .name = "chunk", .min = "1B", .max = "size", .choices = whole_word, PG_AT_SIZE_W(struct conf, chunk) },
	{ .name = "settle", .min = "0s", .max = "1h", PG_AT_TIME(struct conf, settle) },
	{ .name = "noise", PG_AT_REAL(struct conf, noise) },
	{ .name = "mode", .choices = modes, PG_AT_ENUM(struct conf, mode) },
	{ .name = "cpus_used", PG_AT_CPULIST(struct conf, cpus) },
	{ .name = "nodes_used", PG_AT_NODELIST(struct conf, nodes) },
	{ .name = "text", PG_AT_TEXT(struct conf, text) },
	{ .name = "free_text", .type = PG_TEXT, .role = PG_DYNAMIC },
	{ .name = NULL },
};
/* clang-format on */
#define ROWS (sizeof(rows) / sizeof(rows[0]) - 1)

START_TEST(finding)
{
	size_t i = 99;

	ck_assert_uint_eq(pg_param_count(rows), ROWS);
	ck_assert_ptr_eq(pg_param_find(rows, "chunk", &i), &rows[5]);
	ck_assert_uint_eq(i, 5);
	ck_assert_ptr_eq(pg_param_find(rows, "flag", NULL), &rows[0]);
	ck_assert_ptr_null(pg_param_find(rows, "chun", NULL));
	ck_assert_ptr_null(pg_param_find(rows, "", NULL));
	ck_assert_uint_eq(pg_choice_count(modes), 2);
	ck_assert_uint_eq(pg_choice_count(NULL), 0);
	ck_assert_int_eq(pg_choice_find(modes, "threads", 6), 1);
	ck_assert_int_eq(pg_choice_find(modes, "threads", 7), -1);
	ck_assert_int_eq(pg_choice_find(modes, "", 0), -1);
	ck_assert_int_eq(pg_choice_find(NULL, "x", 1), -1);
	ck_assert_str_eq(pg_param_default(&rows[1]), "auto");
	ck_assert_ptr_null(pg_param_default(&rows[0]));
}
END_TEST

START_TEST(allowed)
{
	static const char *const want[] = {
		"one of true, false, yes, no, on, off",
		"a number from 1 to 1000 or `auto`",
		"a number at least 2",
		"a number at most 9 or `forever` or `never`",
		"a size (100B, 4KB, 1.5MB) from 1B to 1GB",
		"a size (100B, 4KB, 1.5MB) from 1B to size or `whole`",
		"a time with unit (ns, us, ms, s, min, h) from 0s to 1h",
		"a decimal number",
		"one of process, thread",
		"a CPU list like \"0-3,8\"",
		"a node list like \"0-1\"",
		"text without control characters",
		"text without control characters",
	};

	for (size_t i = 0; i < ROWS; i++) {
		struct pg_str s;

		pg_str_init(&s);
		pg_param_allowed(&rows[i], &s);
		ck_assert_str_eq(pg_str_text(&s), want[i]);
		pg_str_release(&s);
	}
}
END_TEST

static void parse_all(const char *const *texts, struct pg_arena *a, struct pg_value *vals)
{
	struct pg_err err;

	for (size_t i = 0; i < ROWS; i++) {
		memset(&vals[i], 0, sizeof(vals[i]));
		vals[i].type = (uint8_t)rows[i].type;
		if (texts[i] && pg_value_parse(&rows[i], texts[i], strlen(texts[i]), a, &vals[i], &err) < 0)
			ck_abort_msg("%s: %s", rows[i].name, err.msg);
	}
}

static const char *const full[] = {"yes",  "auto",   "12",    "never", "4KB",	"1MB",	  "50ms",
				   "0.25", "thread", "0-3,8", "1",     "a=b c", "ignored"};
static const char *const words[] = {"off", "7", "2", "3", "1GB", "whole", "0s", "-1", "process", NULL, NULL, "", NULL};

static void check_full(const struct conf *c, uint64_t ops)
{
	ck_assert(c->flag);
	ck_assert_uint_eq(c->loops, ops);
	ck_assert_uint_eq(c->count, 12);
	ck_assert_int_eq(c->recover.word, 1);
	ck_assert_uint_eq(c->size, 4096);
	ck_assert_int_eq(c->chunk.word, -1);
	ck_assert_uint_eq(c->chunk.n, 1 << 20);
	ck_assert_int_eq(c->settle, 50000000);
	ck_assert_double_eq(c->noise, 0.25);
	ck_assert_int_eq(c->mode, 1);
	ck_assert_str_eq(c->cpus, "0-3,8");
	ck_assert_str_eq(c->nodes, "1");
	ck_assert_str_eq(c->text, "a=b c");
	ck_assert_uint_eq(c->guard_front | c->guard_back, 0);
}

static void check_words(const struct conf *c)
{
	ck_assert(!c->flag);
	ck_assert_uint_eq(c->loops, 7);
	ck_assert_int_eq(c->recover.word, -1);
	ck_assert_uint_eq(c->recover.n, 3);
	ck_assert_int_eq(c->chunk.word, 0);
	ck_assert_double_eq(c->noise, -1);
	ck_assert_int_eq(c->mode, 0);
	ck_assert_ptr_null(c->cpus);
	ck_assert_ptr_null(c->nodes);
	ck_assert_str_eq(c->text, "");
}

START_TEST(binding)
{
	struct pg_value vals[ROWS];
	struct pg_arena a;
	struct conf c;

	pg_arena_init(&a, false);
	memset(&c, 0, sizeof(c));
	parse_all(full, &a, vals);
	pg_conf_bind(rows, vals, UINT64_MAX, &c);
	check_full(&c, UINT64_MAX);

	memset(&c, 0, sizeof(c));
	parse_all(words, &a, vals);
	pg_conf_bind(rows, vals, 5, &c); /* loops is a number: ops is not looked at */
	check_words(&c);
	pg_arena_release(&a);
}
END_TEST

START_TEST(binding_unset)
{
	static const char *const none[ROWS] = {NULL};
	struct pg_value vals[ROWS];
	struct conf c, zero;

	memset(&c, 0xff, sizeof(c));
	memset(&zero, 0, sizeof(zero));
	parse_all(none, NULL, vals);
	for (size_t i = 0; i < ROWS; i++)
		vals[i].u.i = 77; /* without meaning when unset */
	pg_conf_bind(rows, vals, 5, &c);
	ck_assert(!c.flag);
	ck_assert_uint_eq(c.loops | c.count | c.size | c.recover.n | c.chunk.n, 0);
	ck_assert_int_eq(c.recover.word, -1);
	ck_assert_int_eq(c.chunk.word, -1);
	ck_assert_int_eq(c.settle, 0);
	ck_assert_double_eq(c.noise, 0);
	ck_assert_int_eq(c.mode, 0);
	ck_assert_ptr_null(c.cpus);
	ck_assert_ptr_null(c.nodes);
	ck_assert_ptr_null(c.text);
}
END_TEST

START_TEST(through_text)
{
	static const char want[] = "flag=true\0loops=123\0count=12\0recover=never\0size=4KB\0chunk=1MB\0settle=50ms\0"
				   "noise=0.25\0mode=thread\0cpus_used=0-3,8\0nodes_used=1\0text=a=b c";
	struct pg_value vals[ROWS];
	struct pg_arena a;
	struct pg_str s;
	struct pg_err err;
	struct conf c;

	pg_arena_init(&a, false);
	pg_str_init(&s);
	parse_all(full, &a, vals);
	pg_conf_format(rows, vals, 123, &s);
	ck_assert_uint_eq(s.len, sizeof(want));
	ck_assert_mem_eq(s.s, want, sizeof(want));
	memset(&c, 0, sizeof(c));
	ck_assert_int_eq(pg_conf_parse(rows, s.s, s.len, &a, &c, &err), 0);
	check_full(&c, 123);
	memset(&c, 0, sizeof(c));
	ck_assert_int_eq(pg_conf_parse(rows, s.s, s.len - 1, &a, &c, &err), 0); /* without the last NUL */
	check_full(&c, 123);

	pg_str_reset(&s);
	parse_all(words, &a, vals);
	pg_conf_format(rows, vals, 5, &s);
	memset(&c, 0, sizeof(c));
	ck_assert_int_eq(pg_conf_parse(rows, s.s, s.len, &a, &c, &err), 0);
	check_words(&c);
	ck_assert_int_eq(pg_conf_parse(rows, "", 0, &a, &c, &err), 0);
	pg_str_release(&s);
	pg_arena_release(&a);
}
END_TEST

/* A calibrated count may lie beyond what a user may write. */
START_TEST(ops_beyond_range)
{
	struct pg_value vals[ROWS];
	struct pg_arena a;
	struct pg_str s;
	struct pg_err err;
	struct conf c;

	pg_arena_init(&a, false);
	pg_str_init(&s);
	parse_all(full, &a, vals);
	pg_conf_format(rows, vals, UINT64_C(5000000000000), &s);
	memset(&c, 0, sizeof(c));
	ck_assert_int_eq(pg_conf_parse(rows, s.s, s.len, &a, &c, &err), 0);
	ck_assert_uint_eq(c.loops, UINT64_C(5000000000000));
	pg_str_release(&s);
	pg_arena_release(&a);
}
END_TEST

START_TEST(odd_conf_text)
{
	static const struct {
		const char *s;
		size_t n;
		const char *part;
	} t[] = {
		{"flag", 4, "'flag' has no value"},
		{"flag=true\0\0", 11, "'' has no value"},
		{"what=1", 6, "unknown param 'what'"},
		{"=1", 2, "unknown param ''"},
		{"free_text=x", 11, "unknown param 'free_text'"},
		{"count=1\0count=1", 15, "count is given twice"},
		{"count=1x", 8, "count: '1x' is no whole number"},
		{"mode=", 5, "mode: '' is empty"},
	};
	struct pg_arena a;
	struct pg_err err;
	struct conf c;

	pg_arena_init(&a, false);
	memset(&c, 0, sizeof(c));
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		ck_assert_int_eq(pg_conf_parse(rows, t[i].s, t[i].n, &a, &c, &err), -1);
		ck_assert_msg(strstr(err.msg, t[i].part), "%s", err.msg);
	}
	pg_arena_release(&a);
}
END_TEST

PG_TEST_MAIN("model_param", ((const struct pg_test[]){
				    {finding, 0},
				    {allowed, 0},
				    {binding, 0},
				    {binding_unset, 0},
				    {through_text, 0},
				    {ops_beyond_range, 0},
				    {odd_conf_text, 0},
				    {NULL, 0},
			    }))
