/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Many comparisons, one family: docs/statistics.md 8.3 to 8.7 and 9.3. */
#include "stats/family.h"

#include <math.h>
#include <string.h>

#define NOTHING 1e-12 /* logs that differ by less are equal but for rounding */

const char *pg_unclear_name(enum pg_unclear u)
{
	static const char *const names[] = {
		[PG_UC_NONE] = "",     [PG_UC_ZERO] = "zero",	  [PG_UC_ENV] = "env",
		[PG_UC_FLAG] = "flag", [PG_UC_LAYOUT] = "layout", [PG_UC_SESSION] = "single session",
		[PG_UC_N] = "n",       [PG_UC_NOISE] = "noise",
	};

	return names[u];
}

double pg_comparison_p(const struct pg_comparison *c)
{
	double p = PG_NAN;

	for (size_t i = 0; i < PG_LENSES; i++)
		if (!isnan(c->p_adj[i]) && !(p <= c->p_adj[i]))
			p = c->p_adj[i];
	return p;
}

/* p-values of the family, then room for as many adjusted ones and for their order. */
static size_t family_size(size_t n, double hypotheses)
{
	double least = (double)PG_LENSES * (double)n;

	return hypotheses > least ? (size_t)hypotheses : (size_t)least;
}

size_t pg_family_scratch(size_t n, double hypotheses)
{
	return family_size(n, hypotheses) * (2 + sizeof(struct pg_ranked) / sizeof(double));
}

static size_t collect(struct pg_comparison *const *c, size_t n, double hypotheses, double *p, size_t *judged)
{
	size_t with = 0, k = PG_LENSES * n;

	for (size_t i = 0; i < n; i++)
		for (size_t l = 0; l < PG_LENSES; l++) {
			p[PG_LENSES * i + l] = c[i]->lens[l].p;
			with += isnan(c[i]->lens[l].p) ? 0 : 1;
		}
	/* What was to be judged and has no p-value: places of lenses that are not in use serve, then more behind. */
	for (size_t i = 0; i < k && (double)with < hypotheses; i++)
		if (isnan(p[i])) {
			p[i] = 1;
			with++;
		}
	for (; (double)with < hypotheses; with++)
		p[k++] = 1;
	*judged = with;
	return k;
}

static void take_adjusted(struct pg_comparison *const *c, size_t n, enum pg_correction how, const double *adjusted)
{
	for (size_t i = 0; i < n; i++)
		for (size_t l = 0; l < PG_LENSES && c[i]->correction == how; l++)
			c[i]->p_adj[l] = isnan(c[i]->lens[l].p) ? PG_NAN : adjusted[PG_LENSES * i + l];
}

/* How many times smaller than alpha a p-value must be. */
static double divisor(const struct pg_comparison *c, double hypotheses)
{
	return c->correction == PG_CORRECT_NONE || hypotheses < 1 ? 1 : hypotheses;
}

static unsigned least_n(const struct pg_comparison *c, double hypotheses)
{
	switch (c->design) {
	case PG_PAIRED:
		return pg_min_paired(c->alpha, divisor(c, hypotheses));
	case PG_UNPAIRED:
		return pg_min_unpaired(c->alpha, divisor(c, hypotheses));
	case PG_PAST:
		break;
	}
	return 0;
}

static double find_mde(const struct pg_comparison *c, double hypotheses)
{
	double w = PG_NAN;

	for (size_t l = 0; l < PG_LENSES; l++) {
		double half = (c->lens[l].hi - c->lens[l].lo) / 2;

		if (!isnan(half) && !(w <= half))
			w = half;
	}
	return pg_mde(w, c->alpha / divisor(c, hypotheses));
}

/* Do all differences of two samples together hold the shift with at least conf? They miss it with 2 / C(n + m, n). */
static bool has_interval(size_t n, size_t m, double conf)
{
	double ways = 1, slack = 1 - 1e-9; /* 1 - conf is no exact number */

	for (size_t i = 1; i <= m && ways < 1e15; i++)
		ways = ways * (double)(n + i) / (double)i;
	return 2 / ways * slack <= 1 - conf;
}

/* An interval of two or three samples a side holds too little to call anything the same. */
static void drop_short_intervals(struct pg_comparison *c)
{
	if (c->design != PG_UNPAIRED || has_interval(c->n, c->m, PG_CONF_COMPARE))
		return;
	for (size_t l = 0; l < PG_LENSES; l++)
		c->lens[l].lo = c->lens[l].hi = PG_NAN;
}

void pg_comparison_judge(struct pg_comparison *c, double hypotheses)
{
	struct pg_effect e[PG_LENSES];
	double p[PG_LENSES];
	size_t lenses = 0, n = c->design == PG_UNPAIRED && c->m < c->n ? c->m : c->n;

	drop_short_intervals(c);
	for (size_t l = 0; l < PG_LENSES; l++) {
		if (isnan(c->lens[l].estimate))
			continue;
		e[lenses] = c->lens[l];
		p[lenses++] = c->p_adj[l];
	}
	c->needed = PG_NAN;
	c->mde = find_mde(c, hypotheses);
	c->why = PG_UC_NONE;
	c->verdict = c->failed || (lenses == 0 && !c->barred) ? PG_V_FAILED : PG_V_UNCLEAR;
	if (c->verdict == PG_V_FAILED)
		return;
	c->why = c->barred;
	if (c->barred)
		return;
	c->verdict = pg_judge(e, p, lenses, c->alpha, c->threshold);
	if (c->verdict != PG_V_UNCLEAR)
		return;
	c->why = n < least_n(c, hypotheses) ? PG_UC_N : PG_UC_NOISE;
	c->needed = c->why == PG_UC_N ? (double)least_n(c, hypotheses) : PG_NAN;
	if (c->why == PG_UC_NOISE && isfinite(c->mde) && c->threshold > 0)
		c->needed = ceil(pg_rounds_needed(n, c->mde, c->threshold));
	/* One lens sees enough, the other one is the noise: how many rounds it takes is not known. */
	if (c->needed <= (double)n)
		c->needed = PG_NAN;
}

void pg_family_judge(struct pg_comparison *const *c, size_t n, double hypotheses, double *scratch)
{
	size_t size = family_size(n, hypotheses), with = 0, k = collect(c, n, hypotheses, scratch, &with);
	double *adjusted = scratch + size;
	struct pg_ranked *order = (struct pg_ranked *)(void *)(adjusted + size);

	for (enum pg_correction how = PG_CORRECT_HOLM; how <= PG_CORRECT_NONE; how++) {
		bool asked = false;

		for (size_t i = 0; i < n && !asked; i++)
			asked = c[i]->correction == how;
		if (!asked)
			continue;
		pg_adjust(scratch, k, how, adjusted, order);
		take_adjusted(c, n, how, adjusted);
	}
	for (size_t i = 0; i < n; i++)
		pg_comparison_judge(c[i], (double)with);
}

struct pg_effect pg_past_effect(double log_ratio, size_t n_base, size_t n_new, const double *past, size_t n,
				double conf)
{
	struct pg_effect e = {log_ratio, PG_NAN, PG_NAN, PG_NAN};
	double s = pg_sd(past, n), df = (double)n - 1, width;

	if (n < 2 || n_base == 0 || n_new == 0 || isnan(log_ratio))
		return e;
	s *= sqrt(1 / (double)n_base + 1 / (double)n_new);
	/* Sessions that never differed do not tell how far they may: only how rarely the one of them all that is
	 * another is one of these two sides. */
	if (s < NOTHING) {
		e.p = fabs(log_ratio) < NOTHING ? 1 : (double)(n_base + n_new) / (double)(n + n_base + n_new);
		e.lo = e.hi = fabs(log_ratio) < NOTHING ? log_ratio : PG_NAN;
		return e;
	}
	width = pg_qt((1 + conf) / 2, df) * s;
	e.lo = log_ratio - width;
	e.hi = log_ratio + width;
	e.p = 2 * pg_pt(-fabs(log_ratio) / s, df);
	return e;
}
