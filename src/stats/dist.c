/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Distribution functions, from libRmath: what R answers. No other file may include its header. */
#define MATHLIB_STANDALONE 1
#include <Rmath.h>

#include "stats/stats.h"

double pg_pbinom(double k, double n, double p)
{
	return pbinom(k, n, p, 1, 0);
}

double pg_qnorm(double p)
{
	return qnorm(p, 0, 1, 1, 0);
}

double pg_pnorm(double q)
{
	return pnorm(q, 0, 1, 1, 0);
}

double pg_pt(double q, double df)
{
	return pt(q, df, 1, 0);
}

double pg_qt(double p, double df)
{
	return qt(p, df, 1, 0);
}

double pg_qbeta(double p, double a, double b)
{
	return qbeta(p, a, b, 1, 0);
}
