/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Errors: what ends up in the struct, cutting on a character, cleaning of foreign text, the collector's limit. */
#include "tests/support/pgtest.h"

#include <errno.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

START_TEST(fail_fills)
{
	struct pg_loc loc = {"a.yaml", 3, 7};
	struct pg_err e;

	ck_assert_int_eq(pg_fail(&e, PG_EUSAGE, "no option %s; see %s", "-x", "--help"), -1);
	ck_assert_int_eq(e.code, PG_EUSAGE);
	ck_assert_int_eq(e.sys, 0);
	ck_assert_ptr_null(e.loc.file);
	ck_assert_str_eq(e.msg, "no option -x; see --help");

	ck_assert_int_eq(pg_fail_at(&e, PG_EINPUT, &loc, "%s", "odd"), -1);
	ck_assert_str_eq(e.loc.file, "a.yaml");
	ck_assert_uint_eq(e.loc.line, 3);
	ck_assert_uint_eq(e.loc.col, 7);

	ck_assert_int_eq(pg_fail_at(&e, PG_EINPUT, &e.loc, "%s again", e.msg),
			 -1); /* arguments from the struct itself */
	ck_assert_str_eq(e.msg, "odd again");
	ck_assert_uint_eq(e.loc.line, 3);

	ck_assert_int_eq(pg_fail_at(&e, PG_EINPUT, NULL, "x"), -1);
	ck_assert_ptr_null(e.loc.file);
}
END_TEST

START_TEST(fail_without_struct)
{
	ck_assert_int_eq(pg_fail(NULL, PG_EUSAGE, "x"), -1);
	ck_assert_int_eq(pg_fail_at(NULL, PG_EUSAGE, NULL, "x"), -1);
	ck_assert_int_eq(pg_fail_sys(NULL, "x"), -1);
	ck_assert_int_eq(pg_fail_nomem(NULL), -1);
	pg_err_wrap(NULL, "x");
}
END_TEST

START_TEST(fail_sys_keeps_errno)
{
	struct pg_err e;

	errno = ENOENT;
	ck_assert_int_eq(pg_fail_sys(&e, "cannot open '%s'", "f"), -1);
	ck_assert_int_eq(e.code, PG_ESYS);
	ck_assert_int_eq(e.sys, ENOENT);
	ck_assert_str_eq(e.msg, "cannot open 'f': No such file or directory");
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

/* A subject too long for the message gives way to the reason. */
START_TEST(fail_sys_long_subject)
{
	char subject[2000];
	struct pg_err e;

	memset(subject, 'x', sizeof(subject) - 1);
	subject[sizeof(subject) - 1] = '\0';
	errno = EACCES;
	pg_fail_sys(&e, "cannot open %s", subject);
	ck_assert_uint_eq(strlen(e.msg), PG_ERR_MSG - 1);
	ck_assert(strstr(e.msg, "x: Permission denied") != NULL);
}
END_TEST

/* Three-byte characters around the end: the message is whole UTF-8 whatever the shift. */
START_TEST(cut_on_character)
{
	char text[2000];
	struct pg_err e;
	size_t n = (size_t)_i, len;

	memset(text, 'a', n);
	for (; n + 3 < sizeof(text); n += 3)
		memcpy(text + n, "\xe2\x82\xac", 3);
	text[n] = '\0';
	pg_fail(&e, PG_EINPUT, "%s", text);
	len = strlen(e.msg);
	ck_assert_uint_le(len, PG_ERR_MSG - 1);
	ck_assert_uint_ge(len, PG_ERR_MSG - 3);
	for (size_t i = 0; i < len;) {
		size_t k = pg_utf8_len(e.msg + i, len - i);

		ck_assert_uint_gt(k, 0);
		i += k;
	}
}
END_TEST

START_TEST(foreign_text_is_cleaned)
{
	struct pg_err e;

	pg_fail(&e, PG_EINPUT, "a\x1b[31m\nb\xff\xc3z\x7f\xc3\xa9");
	ck_assert_str_eq(e.msg, "a [31m b??z \xc3\xa9");
}
END_TEST

START_TEST(wrap_puts_in_front)
{
	struct pg_err e;
	char big[PG_ERR_MSG * 2];

	pg_fail(&e, PG_EFAILED, "reason");
	pg_err_wrap(&e, "cell %d", 4);
	ck_assert_str_eq(e.msg, "cell 4: reason");
	ck_assert_int_eq(e.code, PG_EFAILED);

	memset(big, 'y', sizeof(big) - 1);
	big[sizeof(big) - 1] = '\0';
	pg_err_wrap(&e, "%s", big);
	ck_assert_uint_eq(strlen(e.msg), PG_ERR_MSG - 1);
}
END_TEST

struct seen {
	unsigned errors, notes;
	char last[PG_ERR_MSG];
};

static void see(void *ctx, const struct pg_err *e, bool note)
{
	struct seen *s = ctx;

	s->errors += !note;
	s->notes += note;
	memcpy(s->last, e->msg, sizeof(s->last));
}

START_TEST(diag_stops_at_limit)
{
	struct seen s = {0, 0, ""};
	struct pg_diag d = {.report = see, .ctx = &s};
	struct pg_loc loc = {"f", 1, 1};
	struct pg_err e;

	pg_fail(&e, PG_EINPUT, "handed on");
	pg_diag_note(&d, &loc, "note %d", 1);
	ck_assert_int_eq(pg_diag_pass(&d, &e), -1);
	ck_assert_str_eq(s.last, "handed on");
	for (int i = 1; i < PG_DIAG_LIMIT; i++) {
		ck_assert(!pg_diag_full(&d));
		ck_assert_int_eq(pg_diag_error(&d, &loc, "error %d", i), -1);
	}
	ck_assert(pg_diag_full(&d));
	pg_diag_error(&d, &loc, "one too many");
	pg_diag_note(&d, &loc, "one too many");
	ck_assert_uint_eq(s.errors, PG_DIAG_LIMIT);
	ck_assert_uint_eq(s.notes, 1);
	ck_assert_uint_eq(d.errors, PG_DIAG_LIMIT);
	ck_assert_str_eq(s.last, "error 19");
}
END_TEST

START_TEST(diag_without_report_counts)
{
	struct pg_diag d = {.report = NULL};

	pg_diag_error(&d, NULL, "x");
	pg_diag_note(&d, NULL, "x");
	ck_assert_uint_eq(d.errors, 1);
	ck_assert_uint_eq(d.notes, 1);
}
END_TEST

PG_TEST_MAIN("base_err", ((const struct pg_test[]){
				 {fail_fills, 0},
				 {fail_without_struct, 0},
				 {fail_sys_keeps_errno, 0},
				 {fail_sys_long_subject, 0},
				 {cut_on_character, 8},
				 {foreign_text_is_cleaned, 0},
				 {wrap_puts_in_front, 0},
				 {diag_stops_at_limit, 0},
				 {diag_without_report_counts, 0},
				 {NULL, 0},
			 }))
