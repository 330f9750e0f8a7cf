/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Placeholders: what is found, where it is wrong, and the environment of programs. */
#include "tests/support/pgtest.h"

#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "model/template.h"

static const struct pg_choice auto_word[] = {{"auto", NULL}, {NULL, NULL}};
static const struct pg_param rows[] = {
	{.name = "jobs", .type = PG_COUNT, .choices = auto_word},
	{.name = "size", .type = PG_SIZE},
	{.name = "wait", .type = PG_TIME},
	{.name = "file_name", .type = PG_TEXT},
	{.name = "gone", .type = PG_TEXT},
	{.name = NULL},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]) - 1)

struct fixture {
	struct pg_value vals[ROWS];
	struct pg_arena a;
	struct pg_cell cell;
	struct pg_template_ctx ctx;
};

/* As in the file where there was a text; `gone` is unset. */
static const char *const as_written[ROWS] = {NULL, "4096B", NULL, NULL, NULL};

static void init(struct fixture *f, const char *variant)
{
	static const char *const texts[ROWS] = {"8", "4096B", "1500us", "a {jobs} b", NULL};

	memset(f, 0, sizeof(*f));
	pg_arena_init(&f->a, false);
	for (size_t i = 0; i < ROWS; i++) {
		if (texts[i])
			ck_assert_int_eq(pg_value_parse(&rows[i], texts[i], strlen(texts[i]), &f->a, &f->vals[i], NULL),
					 0);
	}
	f->cell.id = UINT64_C(0x00c0ffee00c0ffee);
	f->cell.params = rows;
	f->cell.n_params = ROWS;
	f->cell.vals = f->vals;
	f->cell.texts = as_written;
	f->ctx.cell = &f->cell;
	f->ctx.rep = 3;
	f->ctx.seed = UINT64_MAX;
	f->ctx.variant = variant;
}

START_TEST(expansion)
{
	static const struct {
		const char *in, *out;
	} t[] = {
		{"", ""},
		{"make", "make"},
		{"-j{jobs}", "-j8"},
		{"{size}", "4096B"},
		{"{wait}", "1500us"},
		{"{file_name}", "a {jobs} b"}, /* what comes in is not looked at again */
		{"[{gone}]", "[]"},
		{"{rep}-{cell}-{seed}-{variant}.", "3-c00c0ffee00c0ffee-18446744073709551615-new."},
		{"{{jobs}}", "{jobs}"},
		{"{{{jobs}}}", "{8}"},
		{"{{", "{"},
		{"}}", "}"},
		{"}", "}"},
		{"a}b", "a}b"},
		{"}}}", "}}"},
		{"{jobs}}", "8}"},
		{"awk '{{print $1}}'", "awk '{print $1}'"},
		{"$"
		 "{jobs}{jobs}",
		 "$88"},
	};
	struct fixture f;

	init(&f, "new");
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		struct pg_str s;
		struct pg_err err;

		ck_assert_msg(pg_template_check(t[i].in, rows, NULL, &err) == 0, "%s", t[i].in);
		pg_str_init(&s);
		pg_template_expand(t[i].in, &f.ctx, &s);
		ck_assert_str_eq(pg_str_text(&s), t[i].out);
		pg_str_release(&s);
	}
	pg_arena_release(&f.a);
}
END_TEST

START_TEST(refused)
{
	static const struct {
		const char *in;
		size_t pos;
		const char *msg;
	} t[] = {
		{"{job}", 0, "unknown placeholder {job}, did you mean {jobs}?; write {{ for a brace itself"},
		{"x {jobs} {sede}", 9, "unknown placeholder {sede}, did you mean {seed}?; write {{ for a brace itself"},
		{"ab{filename}", 2,
		 "unknown placeholder {filename}, did you mean {file_name}?; write {{ for a brace itself"},
		{"{print $1}", 0,
		 "unknown placeholder {print $1}; allowed: {jobs}, {size}, {wait}, {file_name}, {gone}, {rep}, {cell}, "
		 "{seed}, {variant}, and {{ for a brace itself"},
		{"{}", 0, NULL},
		{"{ jobs }", 0, NULL},
		{"{jobs", 0, "a { without its }; write {{ for a brace itself"},
		{"a{", 1, "a { without its }; write {{ for a brace itself"},
		{"{{{", 2, "a { without its }; write {{ for a brace itself"},
		{"{jobs{size}", 0, "a { without its }; write {{ for a brace itself"},
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		size_t pos = 99;
		struct pg_err err;

		ck_assert_msg(pg_template_check(t[i].in, rows, &pos, &err) == -1, "%s", t[i].in);
		ck_assert_msg(pos == t[i].pos, "%s: %zu", t[i].in, pos);
		if (t[i].msg)
			ck_assert_str_eq(err.msg, t[i].msg);
		ck_assert_int_eq(pg_template_check(t[i].in, rows, NULL, NULL), -1);
	}
	ck_assert_int_eq(pg_template_check("{jobs}", NULL, NULL, NULL), -1);
	ck_assert_int_eq(pg_template_check("{rep}", NULL, NULL, NULL), 0);
}
END_TEST

/* Expansion of what check refuses: text as it was, no crash. */
START_TEST(random_text)
{
	static const char alphabet[] = "{}{}jobsre p";
	struct fixture f;

	init(&f, "");
	for (uint64_t i = 0; i < 100000; i++) {
		char s[16];
		struct pg_str out;
		uint64_t x = pg_mix64(i);
		size_t n = i % sizeof(s), pos = 0;

		for (size_t k = 0; k < n; k++) {
			x = pg_mix64(x + 1);
			s[k] = alphabet[x % (sizeof(alphabet) - 1)];
		}
		s[n] = '\0';
		if (pg_template_check(s, rows, &pos, NULL) < 0 && (pos >= n || s[pos] != '{'))
			ck_abort_msg("%s: %zu", s, pos);
		pg_str_init(&out);
		pg_template_expand(s, &f.ctx, &out);
		if (out.failed)
			ck_abort_msg("%s", s);
		pg_str_release(&out);
	}
	pg_arena_release(&f.a);
}
END_TEST

START_TEST(environment)
{
	static const char want[] = "PERFGRID_JOBS=8\0PERFGRID_SIZE=4096B\0PERFGRID_WAIT=1500us\0"
				   "PERFGRID_FILE_NAME=a {jobs} b\0PERFGRID_REP=3\0PERFGRID_CELL=c00c0ffee00c0ffee\0"
				   "PERFGRID_SEED=18446744073709551615\0PERFGRID_VARIANT=";
	struct fixture f;
	struct pg_str s;

	init(&f, "");
	pg_str_init(&s);
	pg_template_env(&f.ctx, &s);
	ck_assert_uint_eq(s.len, sizeof(want));
	ck_assert_mem_eq(s.s, want, sizeof(want));
	f.cell.texts = NULL;
	pg_str_reset(&s);
	pg_template_env(&f.ctx, &s);
	ck_assert_str_eq(s.s + strlen("PERFGRID_JOBS=8") + 1, "PERFGRID_SIZE=4KB");
	pg_str_release(&s);
	pg_arena_release(&f.a);
}
END_TEST

PG_TEST_MAIN("model_template", ((const struct pg_test[]){
				       {expansion, 0},
				       {refused, 0},
				       {random_text, 0},
				       {environment, 0},
				       {NULL, 0},
			       }))
