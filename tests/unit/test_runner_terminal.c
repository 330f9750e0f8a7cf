/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Aligned tables, byte for byte. */
#include "runner/terminal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "tests/support/pgtest.h"

static const struct {
	const char *csv;
	char separator;
	const char *want;
} tables[] = {
	/* Numbers to the right, points below each other; the file's first field ends rows in the test by ';'. */
	{"groups\\mode,process,thread\n1,0.5,12\n16,1.25,3\n", ',',
	 "groups\\mode  process  thread\n"
	 "          1     0.5       12\n"
	 "         16     1.25       3\n"},
	/* A missing value stays blank and does not make its column text. */
	{"a,b\nx,1\nlonger,\ny,300\n", ',',
	 "a         b\n"
	 "x         1\n"
	 "longer\n"
	 "y       300\n"},
	/* Text to the left. */
	{"name,why\na,short\nb,no memory left\n", ',',
	 "name  why\n"
	 "a     short\n"
	 "b     no memory left\n"},
	/* Six significant digits of a fraction; whole numbers keep all. */
	{"v\n0.00123456789012345\n123456.789\n1234567.5\n123456789012\n", ',',
	 "                    v\n"
	 "           0.00123457\n"
	 "      123457\n"
	 "     1234568\n"
	 "123456789012\n"},
	/* Decimal comma. */
	{"a;b\n1,5;x\n2,25;y\n", ';',
	 "   a  b\n"
	 "1.5   x\n"
	 "2.25  y\n"},
	/* Quoted fields, control characters, other alphabets. */
	{"k,v\n\"a,b\",\"x\ty\"\n\xc3\xa9\xc3\xa9,z\n", ',',
	 "k    v\n"
	 "a,b  x?y\n"
	 "\xc3\xa9\xc3\xa9   z\n"},
	/* The header alone. */
	{"a,b\n", ',', "a  b\n"},
};

START_TEST(test_show)
{
	char path[] = "/tmp/pg-terminal-XXXXXX";
	struct pg_err err = {.msg = ""};
	int fd = mkstemp(path);
	struct pg_str out;
	size_t n = strlen(tables[_i].csv);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, tables[_i].csv, n), (ssize_t)n);
	close(fd);
	pg_str_init(&out);
	ck_assert_msg(pg_show_csv(path, tables[_i].separator, &out, &err) == 0, "%s", err.msg);
	unlink(path);
	ck_assert_str_eq(pg_str_text(&out), tables[_i].want);
	pg_str_release(&out);
}
END_TEST

START_TEST(test_absent)
{
	struct pg_err err = {.msg = ""};
	struct pg_str out;

	pg_str_init(&out);
	ck_assert_int_eq(pg_show_csv("/nonexistent/x.csv", ',', &out, &err), -1);
	ck_assert_uint_eq(out.len, 0);
	ck_assert(err.msg[0] != '\0');
	pg_str_release(&out);
}
END_TEST

START_TEST(test_many_rows)
{
	struct pg_grid g;
	struct pg_str out;

	pg_grid_init(&g);
	for (int i = 0; i < 1000; i++) {
		pg_grid_add(&g, "ab");
		pg_grid_add(&g, "c");
		pg_grid_end_row(&g);
	}
	pg_str_init(&out);
	pg_grid_print(&g, &out);
	ck_assert_uint_eq(out.len, 1000 * strlen("ab  c\n"));
	pg_str_release(&out);
	pg_grid_release(&g);
}
END_TEST

PG_TEST_MAIN("runner_terminal", ((const struct pg_test[]){
					{test_show, sizeof(tables) / sizeof(tables[0])},
					{test_absent, 0},
					{test_many_rows, 0},
					{NULL, 0},
				}))
