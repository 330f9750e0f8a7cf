/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Simulated samples whose true median is known, and what the interval and the stopping rule make of them. Fixed seeds:
 * a figure is the same at every run. Used by the quick test and by the long simulation.
 */
#ifndef PG_TESTS_PGSIM_H
#define PG_TESTS_PGSIM_H

#include <math.h>

#include "engine/stop.h"
#include "stats/stats.h"

#define PG_SIM_N_MAX 64

enum pg_sim_data {
	PG_SIM_NORMAL,	  /* CV 4 % */
	PG_SIM_LOGNORMAL, /* sigma 0.5 */
	PG_SIM_BIMODAL,	  /* 80 % at 100, 20 % at 125, each with CV 2 % */
	PG_SIM_SPIKES,	  /* CV 2 %, 5 % of the samples 30 % longer */
	PG_SIM_AR,	  /* CV 4 %, each sample correlated with the one before: 0.5 */
};

struct pg_sim {
	enum pg_sim_data data;
	struct pg_rng rng;
	double last; /* AR: standard normal value of the sample before */
};

static inline void pg_sim_start(struct pg_sim *s, enum pg_sim_data data, uint64_t seed)
{
	s->data = data;
	pg_rng_seed(&s->rng, seed);
	s->last = pg_rng_normal(&s->rng);
}

static inline double pg_sim_next(struct pg_sim *s)
{
	double z = pg_rng_normal(&s->rng), u;

	switch (s->data) {
	case PG_SIM_NORMAL:
		return 100 + 4 * z;
	case PG_SIM_LOGNORMAL:
		return exp(0.5 * z);
	case PG_SIM_BIMODAL:
		u = pg_rng_unit(&s->rng);
		return (u < 0.8 ? 100 : 125) * (1 + 0.02 * z);
	case PG_SIM_SPIKES:
		u = pg_rng_unit(&s->rng);
		return (u < 0.95 ? 100 : 130) * (1 + 0.02 * z);
	case PG_SIM_AR:
		s->last = 0.5 * s->last + sqrt(0.75) * z;
		return 100 + 4 * s->last;
	}
	return 0;
}

/* Where half of the probability lies below: the quantile p of the lower mode, the upper one taking no part in it. */
static inline double pg_sim_median(enum pg_sim_data data)
{
	switch (data) {
	case PG_SIM_LOGNORMAL:
		return 1;
	case PG_SIM_BIMODAL:
		return 100 * (1 + 0.02 * pg_qnorm(0.5 / 0.8));
	case PG_SIM_SPIKES:
		return 100 * (1 + 0.02 * pg_qnorm(0.5 / 0.95));
	case PG_SIM_NORMAL:
	case PG_SIM_AR:
		break;
	}
	return 100;
}

/* Share of `draws` intervals of n samples, nominal 95 %, that hold the true median. */
static inline double pg_sim_coverage(enum pg_sim_data data, size_t n, bool exact, unsigned draws)
{
	double x[PG_SIM_N_MAX], truth = pg_sim_median(data);
	unsigned held = 0;
	struct pg_sim s;

	pg_sim_start(&s, data, 1000 + n);
	for (unsigned d = 0; d < draws; d++) {
		struct pg_interval i;

		for (size_t k = 0; k < n; k++)
			x[k] = pg_sim_next(&s);
		pg_sort(x, n);
		i = pg_median_interval(x, n, 0.95, exact);
		held += i.lo <= truth && truth <= i.hi;
	}
	return held / (double)draws;
}

struct pg_sim_figures {
	double n;	 /* mean number of samples at the end */
	double coverage; /* share of shown intervals with the true median inside */
	double wrong;	 /* share of medians more than 2 % off */
	double reached;	 /* share that ended by `ci` */
};

/* The rule {min: 8, max: 50, ci: 2%}, a sample at a time. */
static inline struct pg_sim_figures pg_sim_stopping(enum pg_sim_data data, unsigned draws)
{
	const struct pg_repeat rule = {.min = 8, .max = 50, .ci = 0.02, .time_ns = INT64_MAX, .conf = 0.95};
	double x[PG_SIM_N_MAX], scratch[2 * PG_SIM_N_MAX], truth = pg_sim_median(data);
	struct pg_sim_figures f = {0};

	for (unsigned d = 0; d < draws; d++) {
		enum pg_stop stop = PG_STOP_NONE;
		struct pg_summary o;
		struct pg_sim s;
		size_t n = 0;

		pg_sim_start(&s, data, 5000000 + d);
		while (stop == PG_STOP_NONE) {
			x[n++] = pg_sim_next(&s);
			stop = pg_stop_check(&rule, x, n, n, 0, 0, scratch, NULL);
		}
		pg_summarise(x, n, false, rule.conf, rule.exact, scratch, &o);
		f.n += (double)n;
		f.coverage += o.ci_lo <= truth && truth <= o.ci_hi;
		f.wrong += fabs(o.median / truth - 1) > 0.02;
		f.reached += stop == PG_STOP_CI;
	}
	f.n /= draws;
	f.coverage /= draws;
	f.wrong /= draws;
	f.reached /= draws;
	return f;
}

#endif
