/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often the lenses and the looks rule see a difference (docs/statistics.md 8): 2,000 pairs of each kind, fixed
 * seeds. Where there is none it must be at most 5 % + 3 standard errors. A Markdown table; exit 1 when a figure leaves
 * its bounds.
 */
#include <stdio.h>

#include "tests/support/simcompare.h"

#define PAIRS 2000

static int row(const char *what, const char *data, double rate, double limit)
{
	printf("| %s, %s, %d pairs | %.2f %% | at most %.2f %% | %s |\n", what, data, PAIRS, 100 * rate, 100 * limit,
	       rate <= limit ? "ok" : "FAILED");
	fflush(stdout);
	return rate > limit;
}

int main(void)
{
	static const struct {
		enum pg_sim_data data;
		const char *name;
	} kinds[] = {{PG_SIM_NORMAL, "normal"}, {PG_SIM_LOGNORMAL, "log-normal"}, {PG_SIM_BIMODAL, "bimodal"}};
	int bad = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct sc_looks f;
		double rate[2];

		sc_rates(kinds[i].data, 20, PAIRS, 9999, rate);
		bad += row("no difference, typical lens, p <= 5 %", kinds[i].name, rate[0], sc_limit(PAIRS));
		bad += row("no difference, floor lens, p <= 5 %", kinds[i].name, rate[1], sc_limit(PAIRS));
		f = sc_looks_rule(kinds[i].data, PAIRS, 9999, 1);
		bad += row("no difference, looks rule, any significance", kinds[i].name, f.significant,
			   sc_limit(PAIRS));
	}
	return bad ? 1 : 0;
}
