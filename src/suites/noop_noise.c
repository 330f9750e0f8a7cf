/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Shapes of noise with standard deviation `level` (a fraction), around a factor of 1. A rep knows only its own seed and
 * number, so that what hangs together over reps (drift, correlated) is a function of the number plus noise of the rep.
 *   normal      1 + level z
 *   lognormal   exp(s z - s^2/2), s^2 = ln(1 + level^2): mean 1, standard deviation level
 *   bimodal     1 - level or 1 + level, half each, with normal noise of level/20
 *   spikes      1, but 1 + level / sqrt(p (1 - p)) in p = 5 % of the reps
 *   drift       1 + level (z + (rep - 1) / 5): each rep a fifth of `level` above the one before
 *   correlated  1 + level (sqrt(1.6) sin(2 pi rep / 16) + sqrt(0.2) z): lag-1 autocorrelation 0.8 cos(2 pi / 16) = 0.74
 */
#include "noop.h"

#include <math.h>

#define PI 3.14159265358979323846

/* In (0, 1). */
static double uniform(uint64_t *state)
{
	return ((double)(pg_splitmix64(state) >> 11) + 0.5) * 0x1p-53;
}

static double normal(uint64_t *state)
{
	const double u = uniform(state), v = uniform(state);

	return sqrt(-2 * log(u)) * cos(2 * PI * v);
}

double pg_noop_noise_factor(int shape, double level, uint64_t seed, uint32_t rep)
{
	const double p = 0.05;
	double f = 1, s;

	switch ((enum pg_noop_noise)shape) {
	case PG_NOOP_QUIET:
		break;
	case PG_NOOP_NORMAL:
		f = 1 + level * normal(&seed);
		break;
	case PG_NOOP_LOGNORMAL:
		s = sqrt(log1p(level * level));
		f = exp(s * normal(&seed) - s * s / 2);
		break;
	case PG_NOOP_BIMODAL:
		f = uniform(&seed) < 0.5 ? 1 - level : 1 + level;
		f += level / 20 * normal(&seed);
		break;
	case PG_NOOP_SPIKES:
		f = uniform(&seed) < p ? 1 + level / sqrt(p * (1 - p)) : 1;
		break;
	case PG_NOOP_DRIFT:
		f = 1 + level * (normal(&seed) + ((double)rep - 1) / 5);
		break;
	case PG_NOOP_CORRELATED:
		f = 1 + level * (sqrt(1.6) * sin(2 * PI * (double)rep / 16) + sqrt(0.2) * normal(&seed));
		break;
	}
	return f > 0 ? f : 0;
}
