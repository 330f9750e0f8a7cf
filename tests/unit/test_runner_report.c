/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages, standard output that fails, texts for a terminal. */
#include "runner/report.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "runner/reasons.h"
#include "runner/summary.h"
#include "runner/world.h"
#include "tests/support/pgtest.h"

static const struct {
	struct pg_err err;
	bool note;
	const char *want;
} lines[] = {
	{{.msg = "no place"}, false, "perfgrid: no place\n"},
	{{.msg = "no place"}, true, "perfgrid: note: no place\n"},
	{{.loc = {"a.yaml", 3, 7}, .msg = "wrong"}, false, "a.yaml:3:7: wrong\n"},
	{{.loc = {"a.yaml", 3, 7}, .msg = "odd"}, true, "a.yaml:3:7: note: odd\n"},
	{{.loc = {"a.yaml", 3, 0}, .msg = "wrong"}, false, "a.yaml:3: wrong\n"},
	{{.loc = {"a.yaml", 0, 0}, .msg = "wrong"}, false, "a.yaml: wrong\n"},
	/* What a terminal would act on does not reach it. */
	{{.msg = "esc \x1b[31m"}, false, "perfgrid: esc ?[31m\n"},
	{{.msg = "two\nlines"}, false, "perfgrid: two?lines\n"},
	{{.msg = "csi \xc2\x9b"}, false, "perfgrid: csi ??\n"},
	{{.msg = "byte \xff"}, false, "perfgrid: byte \xef\xbf\xbd\n"},
	{{.msg = "\xc3\xa9t\xc3\xa9"}, false, "perfgrid: \xc3\xa9t\xc3\xa9\n"},
	{{.loc = {"a\x07", 1, 1}, .msg = "bell"}, false, "a?:1:1: bell\n"},
};

START_TEST(test_report)
{
	struct pg_world w = {.root = ""};
	char *text = NULL;
	size_t n = 0;

	w.err = open_memstream(&text, &n);
	pg_report(&w, &lines[_i].err, lines[_i].note);
	fclose(w.err);
	ck_assert_str_eq(text, lines[_i].want);
	free(text);
}
END_TEST

static const struct {
	double seconds;
	const char *want;
} times[] = {
	{-1, "0.0s"},	   {0, "0.0s"},	      {0.04, "0.0s"},	 {1.26, "1.3s"},   {9.94, "9.9s"},
	{9.96, "10s"},	   {59.4, "59s"},     {59.6, "1min 0s"}, {61, "1min 1s"},  {3599, "59min 59s"},
	{3600, "1h 0min"}, {7380, "2h 3min"}, {86400, "1d 0h"},	 {90000, "1d 1h"}, {1e12, "over 95 years"},
};

START_TEST(test_human_time)
{
	struct pg_str s;

	pg_str_init(&s);
	pg_human_time(&s, times[_i].seconds);
	ck_assert_str_eq(pg_str_text(&s), times[_i].want);
	pg_str_release(&s);
}
END_TEST

static const struct {
	const char *text, *want;
} shell[] = {
	{"results/a/20261130T082300Z-7f3a", "results/a/20261130T082300Z-7f3a"},
	{"with space", "'with space'"},
	{"", "''"},
	{"it's", "'it'\\''s'"},
	{"$(x)", "'$(x)'"},
};

START_TEST(test_shell_word)
{
	struct pg_str s;

	pg_str_init(&s);
	pg_shell_word(&s, shell[_i].text);
	ck_assert_str_eq(pg_str_text(&s), shell[_i].want);
	pg_str_release(&s);
}
END_TEST

START_TEST(test_out_is_written)
{
	struct pg_world w = {.root = ""};
	char *text = NULL;
	size_t n = 0;

	w.err = stderr;
	w.out = open_memstream(&text, &n);
	ck_assert_int_eq(pg_stdout_write(&w, "abc", 3), 0);
	ck_assert_int_eq(pg_stdout_done(&w, 7), 7);
	ck_assert_str_eq(text, "abc");
	fclose(w.out);
	free(text);
}
END_TEST

START_TEST(test_out_is_full)
{
	struct pg_world w = {.root = ""};
	char *text = NULL;
	size_t n = 0;

	w.err = open_memstream(&text, &n);
	w.out = fopen("/dev/full", "w");
	ck_assert_ptr_nonnull(w.out);
	pg_stdout_write(&w, "abc", 3);
	ck_assert_int_eq(pg_stdout_flush(&w), -1);
	ck_assert_int_eq(w.out_errno, ENOSPC);
	/* Once lost, nothing more is tried. */
	ck_assert_int_eq(pg_stdout_write(&w, "abc", 3), -1);
	ck_assert_int_eq(pg_stdout_done(&w, 0), PG_EXIT_WRITE);
	fclose(w.err);
	ck_assert_ptr_nonnull(strstr(text, "cannot write standard output: No space left"));
	free(text);
	fclose(w.out);
}
END_TEST

START_TEST(test_reader_has_gone)
{
	struct pg_world w = {.root = "", .out_errno = EPIPE};
	char *text = NULL;
	size_t n = 0;

	w.err = open_memstream(&text, &n);
	ck_assert_int_eq(pg_stdout_done(&w, 0), 128 + SIGPIPE);
	fclose(w.err);
	ck_assert_str_eq(text, "");
	free(text);
}
END_TEST

static const struct {
	enum pg_code code;
	int status;
} codes[] = {
	{PG_EUSAGE, 2}, {PG_EINPUT, 2}, {PG_ENOMEM, 2},	  {PG_ESYS, 2},	   {PG_EUNSUPPORTED, 2},
	{PG_EBUSY, 2},	{PG_EWRITE, 3}, {PG_EDAMAGED, 3}, {PG_EFAILED, 1},
};

START_TEST(test_status)
{
	struct pg_err e = {.code = codes[_i].code};

	ck_assert_int_eq(pg_status_of(&e), codes[_i].status);
}
END_TEST

START_TEST(test_reasons)
{
	struct pg_reasons r;
	char text[32];

	pg_reasons_init(&r);
	for (int i = 0; i < 2 * PG_REASONS_MAX; i++) {
		snprintf(text, sizeof(text), "reason %d", i);
		pg_reasons_count(&r, pg_reasons_id(&r, text));
	}
	pg_reasons_count(&r, pg_reasons_id(&r, "reason 0"));
	ck_assert_uint_eq(r.n, PG_REASONS_MAX);
	ck_assert_uint_eq(r.v[0].count, 2);
	ck_assert_uint_eq(r.v[1].count, 1);
	ck_assert_str_eq(r.v[PG_REASONS_MAX - 1].text, "other reasons");
	ck_assert_uint_eq(r.v[PG_REASONS_MAX - 1].count, PG_REASONS_MAX + 1);
	pg_reasons_release(&r);
	ck_assert_uint_eq(r.n, 0);
}
END_TEST

START_TEST(test_build_id)
{
	char id[PG_BUILD_BUF];

	pg_build_id(id);
	ck_assert(strlen(id) > 0 && strlen(id) < PG_BUILD_BUF);
	ck_assert(strcmp(id, "unknown") == 0 || strspn(id, "0123456789abcdef") == strlen(id));
}
END_TEST

START_TEST(test_env)
{
	char a[] = "TERM=xterm", b[] = "TERMINAL=x", c[] = "NO_COLOR=";
	char *environment[] = {b, a, c, NULL};
	struct pg_world w = {.environ = environment};

	ck_assert_str_eq(pg_world_env(&w, "TERM"), "xterm");
	ck_assert_str_eq(pg_world_env(&w, "NO_COLOR"), "");
	ck_assert_ptr_null(pg_world_env(&w, "TER"));
}
END_TEST

PG_TEST_MAIN("runner_report", ((const struct pg_test[]){
				      {test_report, sizeof(lines) / sizeof(lines[0])},
				      {test_human_time, sizeof(times) / sizeof(times[0])},
				      {test_shell_word, sizeof(shell) / sizeof(shell[0])},
				      {test_out_is_written, 0},
				      {test_out_is_full, 0},
				      {test_reader_has_gone, 0},
				      {test_status, sizeof(codes) / sizeof(codes[0])},
				      {test_reasons, 0},
				      {test_build_id, 0},
				      {test_env, 0},
				      {NULL, 0},
			      }))
