/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one main() that every unit test program has: PG_TEST_MAIN("base_num", cases) runs a table of check test functions
 * (a NULL function ends it), fails when nothing ran, and prints check's closing line.
 */
#ifndef PG_TESTS_PGTEST_H
#define PG_TESTS_PGTEST_H

#include <check.h>
#include <stddef.h>

struct pg_test {
	const TTest *fn;
	int loop; /* 0 = once, else [0, loop) with _i */
};

int pg_test_main(const char *name, const struct pg_test *tests);

#define PG_TEST_MAIN(name, tests)                                                                                      \
	int main(void)                                                                                                 \
	{                                                                                                              \
		return pg_test_main(name, tests);                                                                      \
	}
#endif
