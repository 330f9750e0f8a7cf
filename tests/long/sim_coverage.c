/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the interval of the median and the stopping rule are worth (docs/statistics.md 4.3 and 5.4), simulated with
 * fixed seeds: a Markdown table each. Exit status 1 when a figure leaves its bounds.
 */
#include <stdio.h>

#include "tests/support/pgsim.h"

#define DRAWS 20000

static bool inside(double v, double low, double high)
{
	return v >= low && v <= high;
}

static bool coverage_table(void)
{
	static const size_t ns[] = {6, 10, 30};
	static const struct {
		const char *name;
		enum pg_sim_data data;
	} rows[] = {{"normal", PG_SIM_NORMAL}, {"lognormal", PG_SIM_LOGNORMAL}};
	bool good = true;

	printf("Coverage of the 95 %% interval of the median, %d draws (must be 94 to 97 %%)\n\n", DRAWS);
	printf("| data | n | interpolated | exact | |\n| --- | --- | --- | --- | --- |\n");
	for (size_t r = 0; r < 2; r++) {
		for (size_t i = 0; i < 3; i++) {
			double c = pg_sim_coverage(rows[r].data, ns[i], false, DRAWS);
			double e = pg_sim_coverage(rows[r].data, ns[i], true, DRAWS);
			bool ok = inside(c, 0.94, 0.97);

			good &= ok;
			printf("| %s | %zu | %.2f %% | %.2f %% | %s |\n", rows[r].name, ns[i], 100 * c, 100 * e,
			       ok ? "ok" : "OUT OF BOUNDS");
		}
	}
	return good;
}

static bool stopping_table(void)
{
	static const struct {
		const char *name;
		enum pg_sim_data data;
		double n, coverage, wrong; /* published: means, fractions */
	} rows[] = {
		{"normal CV 4 %", PG_SIM_NORMAL, 22, 0.92, 0.066},
		{"80/20 bimodal", PG_SIM_BIMODAL, 16, 0.95, 0.013},
		{"5 % spikes of +30 %, CV 2 %", PG_SIM_SPIKES, 10, 0.94, 0.014},
		{"AR(1) 0.5, CV 4 %", PG_SIM_AR, 29, 0.80, 0.19},
	};
	bool good = true;

	printf("\nStopping rule {min: 8, max: 50, ci: 2%%}, %d draws (published figures in brackets)\n\n", DRAWS);
	printf("| data | mean n | coverage | median more than 2 %% off | ended by ci | |\n");
	printf("| --- | --- | --- | --- | --- | --- |\n");
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct pg_sim_figures f = pg_sim_stopping(rows[r].data, DRAWS);
		bool ok = inside(f.n / rows[r].n, 0.85, 1.15) && inside(f.coverage - rows[r].coverage, -0.02, 0.02) &&
			  inside(f.wrong - rows[r].wrong, -0.02, 0.02);

		good &= ok;
		printf("| %s | %.1f (%g) | %.1f %% (%g) | %.1f %% (%g) | %.0f %% | %s |\n", rows[r].name, f.n,
		       rows[r].n, 100 * f.coverage, 100 * rows[r].coverage, 100 * f.wrong, 100 * rows[r].wrong,
		       100 * f.reached, ok ? "ok" : "OUT OF BOUNDS");
	}
	return good;
}

int main(void)
{
	bool good = coverage_table();

	good &= stopping_table();
	return good ? 0 : 1;
}
