/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the interval of the median and the stopping rule are worth (docs/statistics.md 4.3 and 5.4), simulated with
 * fixed seeds: a Markdown table. Exit status 1 when a figure leaves its bounds.
 */
#include <stdio.h>

#include "tests/support/pgsim.h"

#define DRAWS 20000

static bool inside(double v, double low, double high)
{
	return v >= low && v <= high;
}

static bool row(const char *what, double measured, double low, double high, const char *unit)
{
	bool ok = inside(measured, low, high);

	printf("| %s | %.1f%s | %.1f to %.1f%s | %s |\n", what, measured, unit, low, high, unit, ok ? "ok" : "FAILED");
	return ok;
}

static bool coverage_rows(void)
{
	static const size_t ns[] = {6, 10, 30};
	static const struct {
		const char *name;
		enum pg_sim_data data;
	} c[] = {{"normal", PG_SIM_NORMAL}, {"lognormal", PG_SIM_LOGNORMAL}};
	bool good = true;
	char what[128];

	for (size_t i = 0; i < 6; i++) {
		size_t n = ns[i % 3];

		snprintf(what, sizeof(what), "coverage of the 95 %% interval of the median, %s, n = %zu", c[i / 3].name,
			 n);
		good &= row(what, 100 * pg_sim_coverage(c[i / 3].data, n, false, DRAWS), 94, 97, " %");
	}
	return good;
}

/* The published figures of docs/statistics.md 5.4: mean n within 15 %, shares within two points. */
static bool stopping_rows(void)
{
	static const struct {
		const char *name;
		enum pg_sim_data data;
		double n, coverage, wrong;
	} c[] = {
		{"normal CV 4 %", PG_SIM_NORMAL, 22, 92, 6.6},
		{"80/20 bimodal", PG_SIM_BIMODAL, 16, 95, 1.3},
		{"5 % spikes of +30 %, CV 2 %", PG_SIM_SPIKES, 10, 94, 1.4},
		{"AR(1) 0.5, CV 4 %", PG_SIM_AR, 29, 80, 19},
	};
	bool good = true;
	char what[128];

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		struct pg_sim_figures f = pg_sim_stopping(c[i].data, DRAWS);

		snprintf(what, sizeof(what), "stopping rule at 2 %%, %s: mean n", c[i].name);
		good &= row(what, f.n, 0.85 * c[i].n, 1.15 * c[i].n, "");
		snprintf(what, sizeof(what), "stopping rule at 2 %%, %s: coverage", c[i].name);
		good &= row(what, 100 * f.coverage, c[i].coverage - 2, c[i].coverage + 2, " %");
		snprintf(what, sizeof(what), "stopping rule at 2 %%, %s: median more than 2 %% off", c[i].name);
		good &= row(what, 100 * f.wrong, c[i].wrong > 2 ? c[i].wrong - 2 : 0, c[i].wrong + 2, " %");
	}
	return good;
}

int main(void)
{
	bool good;

	printf("| what | measured | limit | result |\n| --- | --- | --- | --- |\n");
	good = coverage_rows();
	good &= stopping_rows();
	return good ? 0 : 1;
}
