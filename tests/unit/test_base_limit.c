/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/limit.h"

#include <check.h>
#include <sys/resource.h>

#include "tests/support/pgtest.h"

/* To the hard limit, which stays. */
START_TEST(raise_soft)
{
	struct rlimit was, l;

	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &was), 0);
	l = was;
	l.rlim_cur = was.rlim_max > 64 ? 64 : was.rlim_max / 2;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &l), 0);
	for (int i = 0; i < 2; i++) {
		pg_limit_raise(RLIMIT_NOFILE);
		ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &l), 0);
		ck_assert_uint_eq(l.rlim_cur, was.rlim_max);
		ck_assert_uint_eq(l.rlim_max, was.rlim_max);
	}
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &was), 0);
}
END_TEST

PG_TEST_MAIN("base_limit", ((const struct pg_test[]){
				   {raise_soft, 0},
				   {NULL, 0},
			   }))
