/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paired rounds: docs/statistics.md 8.1 and 8.2. */
#include "stats/pair.h"

#include <math.h>
#include <string.h>

#include "base/str.h"

#define PATTERNS_MIN 9999.0
#define PATTERNS_MAX 199999.0

double pg_cost(double value, bool higher)
{
	if (!(value > 0) || isinf(value))
		return PG_NAN;
	return higher ? 1 / value : value;
}

unsigned pg_floor_patterns(double hypotheses)
{
	double wanted = 20 * hypotheses / PG_ALPHA;

	if (!(wanted > PATTERNS_MIN))
		return (unsigned)PATTERNS_MIN;
	return (unsigned)(wanted < PATTERNS_MAX ? wanted : PATTERNS_MAX);
}

uint64_t pg_pair_seed(uint64_t run_seed, uint64_t cell_id, uint32_t variant, const char *metric)
{
	const uint64_t what[] = {run_seed, cell_id, variant};

	return pg_mix64(pg_fnv1a(pg_fnv1a(PG_FNV_INIT, what, sizeof(what)), metric, strlen(metric)));
}

/*
 * More rounds than the tests take become groups of consecutive ones. Under the null hypothesis the labels of a whole
 * group may be swapped as those of a round, so both tests stay exact for it.
 */
static size_t group_size(size_t n)
{
	return (n + PG_FLOOR_MAX - 1) / PG_FLOOR_MAX;
}

static size_t groups(size_t n)
{
	size_t size = group_size(n);

	return size ? (n + size - 1) / size : 0;
}

size_t pg_pair_scratch(size_t n)
{
	/* Not groups(n), which falls from PG_FLOOR_MAX to about half of it: room for the most rounds serves all. */
	size_t m = n < PG_FLOOR_MAX ? n : PG_FLOOR_MAX;

	return 3 * m + PG_WALSH(m);
}

/* Mean of the log ratios of each group. */
static void differences(const double *a, const double *b, size_t n, double *d)
{
	size_t size = group_size(n), m = groups(n);

	for (size_t g = 0; g < m; g++) {
		size_t end = (g + 1) * size < n ? (g + 1) * size : n;
		double sum = 0;

		for (size_t i = g * size; i < end; i++)
			sum += log(b[i]) - log(a[i]);
		d[g] = sum / (double)(end - g * size);
	}
}

/* The fastest round of each group. */
static void fastest(const double *x, size_t n, double *to)
{
	size_t size = group_size(n), m = groups(n);

	for (size_t g = 0; g < m; g++) {
		size_t end = (g + 1) * size < n ? (g + 1) * size : n;

		to[g] = x[g * size];
		for (size_t i = g * size + 1; i < end; i++)
			to[g] = x[i] < to[g] ? x[i] : to[g];
	}
}

void pg_pair_effects(const double *a, const double *b, const double *fa, const double *fb, size_t n, enum pg_lens lens,
		     double conf, unsigned patterns, uint64_t seed, double *scratch, struct pg_effect out[PG_LENSES])
{
	static const struct pg_effect none = {PG_NAN, PG_NAN, PG_NAN, PG_NAN};
	size_t m = groups(n);
	double *d = scratch, *low_a = d + m, *low_b = low_a + m, *rest = low_b + m;
	struct pg_rng rng;

	out[PG_TYPICAL] = out[PG_FLOOR] = none;
	if (n == 0)
		return;
	if (lens != PG_LENS_FLOOR) {
		differences(a, b, n, d);
		out[PG_TYPICAL] = pg_signed_rank(d, m, conf, rest, NULL);
	}
	if (lens != PG_LENS_TYPICAL) {
		fastest(fa && fb ? fa : a, n, low_a);
		fastest(fa && fb ? fb : b, n, low_b);
		pg_rng_seed(&rng, seed);
		out[PG_FLOOR] = pg_floor_paired(low_a, low_b, m, patterns, conf, &rng);
	}
}
