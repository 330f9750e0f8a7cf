/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pairs of samples without a difference (A/A), and what the lenses, the looks rule and the verdicts say of them: how
 * often they see one. Fixed seeds. Used by the quick test (200 pairs) and by the long simulation (2,000).
 */
#ifndef PG_TESTS_SIMCOMPARE_H
#define PG_TESTS_SIMCOMPARE_H

#include "stats/tests.h"
#include "tests/support/pgsim.h"

#define SC_ROUNDS 40

struct sc_pair {
	double a[SC_ROUNDS], b[SC_ROUNDS], d[SC_ROUNDS], scratch[PG_WALSH(SC_ROUNDS)];
	struct pg_rng rng;
};

/* Rounds share a level, as those of a machine do: b is `times` as long as a. */
static inline void sc_fill(struct sc_pair *p, enum pg_sim_data data, uint64_t seed, double times)
{
	struct pg_rng level;
	struct pg_sim s;

	pg_sim_start(&s, data, seed);
	pg_rng_seed(&level, seed + 77);
	pg_rng_seed(&p->rng, seed + 99);
	for (size_t i = 0; i < SC_ROUNDS; i++) {
		double round = exp(0.03 * pg_rng_normal(&level));

		p->a[i] = round * pg_sim_next(&s);
		p->b[i] = round * times * pg_sim_next(&s);
		p->d[i] = log(p->b[i]) - log(p->a[i]);
	}
}

/* Both lenses of the first n rounds: [0] typical, [1] floor. conf 0: without the floor's interval. */
static inline void sc_lenses(struct sc_pair *p, size_t n, unsigned patterns, double conf, struct pg_effect *lens)
{
	lens[0] = pg_signed_rank(p->d, n, 0.95, p->scratch, NULL);
	lens[1] = pg_floor_paired(p->a, p->b, n, patterns, conf, &p->rng);
}

/* Share of A/A pairs of n rounds with p <= 5 % in a lens. */
static inline void sc_rates(enum pg_sim_data data, size_t n, unsigned pairs, unsigned patterns, double *rate)
{
	struct pg_effect lens[2];
	struct sc_pair p;

	rate[0] = rate[1] = 0;
	for (unsigned i = 0; i < pairs; i++) {
		sc_fill(&p, data, 31000000 + i, 1);
		sc_lenses(&p, n, patterns, 0, lens);
		rate[0] += lens[0].p <= 0.05;
		rate[1] += lens[1].p <= 0.05;
	}
	rate[0] /= pairs;
	rate[1] /= pairs;
}

struct sc_looks {
	double significant, regressed, same, rounds; /* shares of pairs; mean rounds */
};

/* The rule of one cell with looks at 10, 15, 20, 30, 40, both lenses, threshold 5 %; b is `times` as long as a. */
static inline struct sc_looks sc_looks_rule(enum pg_sim_data data, unsigned pairs, unsigned patterns, double times)
{
	static const size_t looks[] = {10, 15, 20, 30, 40};
	const double alpha = pg_pocock(5);
	struct sc_looks f = {0};
	struct pg_effect lens[2];
	struct sc_pair p;

	for (unsigned i = 0; i < pairs; i++) {
		double raw[2], adjusted[2];
		struct pg_ranked scratch[2];
		enum pg_verdict v;
		size_t k;

		sc_fill(&p, data, 52000000 + i, times);
		for (k = 0; k < 5; k++) {
			sc_lenses(&p, looks[k], patterns, 0.95, lens);
			if (k < 4 && pg_look_finishes(lens, 2, alpha, 2, 0.05))
				break;
		}
		k -= k == 5;
		raw[0] = lens[0].p;
		raw[1] = lens[1].p;
		pg_adjust(raw, 2, PG_CORRECT_HOLM, adjusted, scratch);
		v = pg_judge(lens, adjusted, 2, alpha, 0.05);
		f.significant += adjusted[0] <= alpha || adjusted[1] <= alpha;
		f.regressed += v == PG_V_REGRESSED;
		f.same += v == PG_V_SAME;
		f.rounds += (double)looks[k];
	}
	f.significant /= pairs;
	f.regressed /= pairs;
	f.same /= pairs;
	f.rounds /= pairs;
	return f;
}

/* 5 % and three standard errors of a share of so many pairs. */
static inline double sc_limit(unsigned pairs)
{
	return 0.05 + 3 * sqrt(0.05 * 0.95 / pairs);
}

#endif
