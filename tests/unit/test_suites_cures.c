/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Weaknesses of the ancestors that no other test looks at: figures of the shortest runs, and of very fast ones. */
#include <math.h>

#include "model/metric.h"
#include "registry/registry.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

/* One operation: the ancestors print inf, nan or the least int. */
START_TEST(shortest_runs_have_figures)
{
	static const struct {
		const char *bench, *params;
	} runs[] = {
		{"mem/memcpy", "size=1B loops=1"},
		{"mem/memcpy", "size=1KB loops=1"},
		{"mem/memset", "size=1B loops=1"},
		{"mem/memset", "size=1KB loops=1"},
		{"syscall/basic", "loops=1"},
		{"sched/pipe", "loops=1"},
		{"sched/messaging", "groups=1 fds=1 loops=1"},
	};
	const struct pg_metric *rows;
	struct ps_bench b;

	ps_bind(&b, pg_bench_find(runs[_i].bench), runs[_i].params);
	ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
	rows = b.bench->metrics;
	for (size_t i = 0; rows[i].name; i++) {
		double v;

		if (rows[i].reduce != PG_RATIO || rows[i].flags & PG_M_ZERO_OK)
			continue;
		ck_assert_msg(b.run.acc[rows[i].num].n == 1 && b.run.acc[rows[i].den].n == 1, "%s", rows[i].name);
		v = (double)b.run.acc[rows[i].num].raw / (double)b.run.acc[rows[i].den].raw;
		ck_assert_msg(isfinite(v) && v > 0, "%s: %g", rows[i].name, v);
	}
	ps_done(&b);
}
END_TEST

/* Beyond 2^31 a second, where the ancestors' int ends. */
START_TEST(fast_rates_are_exact)
{
	const struct pg_metric *rows = pg_bench_find("syscall/basic")->metrics;
	struct pg_sample s[2];
	size_t time, operations, rate;
	double v;

	pg_metric_find(rows, "time", &time);
	pg_metric_find(rows, "operations", &operations);
	pg_metric_find(rows, "rate", &rate);
	ck_assert(time < operations);
	s[0] = (struct pg_sample){.raw = 2000000000, .metric = (uint32_t)time, .exp10 = -9};
	s[1] = (struct pg_sample){.raw = 1000000000000, .metric = (uint32_t)operations};
	ck_assert(pg_metric_value(rows, rate, s, 2, &v));
	ck_assert_double_eq(v, 5e11);
}
END_TEST

PG_TEST_MAIN("suites_cures", ((const struct pg_test[]){
				     {shortest_runs_have_figures, 7},
				     {fast_rates_are_exact, 0},
				     {NULL, 0},
			     }))
