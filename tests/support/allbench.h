/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One test a bench: every bench of the registry by its number, and that a loop of AB_BENCHES reaches all of them. */
#ifndef PG_TESTS_ALLBENCH_H
#define PG_TESTS_ALLBENCH_H

#include "registry/registry.h"
#include "tests/support/pgtest.h"

#define AB_BENCHES 64

/* NULL: there are not so many, or it has nothing to run. */
static inline const struct pg_bench *ab_bench_at(int i)
{
	for (size_t s = 0; pg_suites[s]; s++)
		for (const struct pg_bench *const *b = pg_suites[s]->benches; *b; b++)
			if (i-- == 0)
				return (*b)->once ? *b : NULL;
	return NULL;
}

START_TEST(ab_loop_reaches_every_bench)
{
	size_t n = 0;

	for (size_t s = 0; pg_suites[s]; s++)
		for (const struct pg_bench *const *b = pg_suites[s]->benches; *b; b++)
			n++;
	ck_assert_uint_ge(n, 20);
	ck_assert_uint_le(n, AB_BENCHES);
}
END_TEST

#endif
