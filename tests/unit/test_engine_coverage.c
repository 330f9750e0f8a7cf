/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tests/long/sim_coverage.c in small: 200 draws with fixed seeds, bounds widened by 3 binomial standard errors. */
#include "tests/support/pgtest.h"

#include "tests/support/pgsim.h"

#define DRAWS 200

static double slack(double p)
{
	return 3 * sqrt(p * (1 - p) / DRAWS);
}

START_TEST(interval)
{
	static const size_t ns[] = {6, 10, 30};
	enum pg_sim_data data = _i / 3 ? PG_SIM_LOGNORMAL : PG_SIM_NORMAL;
	size_t n = ns[_i % 3];
	double c = pg_sim_coverage(data, n, false, DRAWS), exact = pg_sim_coverage(data, n, true, DRAWS);

	ck_assert_msg(c >= 0.94 - slack(0.94) && c <= 0.97 + slack(0.97), "n %zu: %g", n, c);
	ck_assert(exact >= c);
}
END_TEST

START_TEST(stopping)
{
	static const struct {
		enum pg_sim_data data;
		double n, coverage, wrong;
	} c[] = {
		{PG_SIM_NORMAL, 22, 0.92, 0.066},
		{PG_SIM_BIMODAL, 16, 0.95, 0.013},
		{PG_SIM_SPIKES, 10, 0.94, 0.014},
		{PG_SIM_AR, 29, 0.80, 0.19},
	};
	struct pg_sim_figures f = pg_sim_stopping(c[_i].data, DRAWS);

	ck_assert_msg(f.n > 0.8 * c[_i].n && f.n < 1.2 * c[_i].n, "mean n %g", f.n);
	ck_assert_double_eq_tol(f.coverage, c[_i].coverage, 0.02 + slack(c[_i].coverage));
	ck_assert_double_eq_tol(f.wrong, c[_i].wrong, 0.02 + slack(c[_i].wrong));
	ck_assert(f.reached > 0.5);
}
END_TEST

PG_TEST_MAIN("engine_coverage", ((const struct pg_test[]){{interval, 6}, {stopping, 4}, {NULL, 0}}))
