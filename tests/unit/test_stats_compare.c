/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rules that comparisons obey: no more false alarms than promised, the same answer whichever side comes first and
 * whatever the unit, ranks untouched by monotone transforms, times and rates alike. And the own rank distributions
 * beside libRmath's.
 */
#include "tests/support/pgtest.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/simcompare.h"

#define PAIRS	 200
#define PATTERNS 999 /* the long simulation takes those of the rule */

/* libRmath's, declared here: its header belongs to one source file. */
double pwilcox(double q, double m, double n, int lower, int log_p);
double psignrank(double q, double n, int lower, int log_p);
void wilcox_free(void);
void signrank_free(void);

static const enum pg_sim_data kinds[] = {PG_SIM_NORMAL, PG_SIM_LOGNORMAL, PG_SIM_BIMODAL};
static double scratch[400000];

START_TEST(no_more_false_alarms_than_promised)
{
	double rate[2];

	sc_rates(kinds[_i], 20, PAIRS, PATTERNS, rate);
	ck_assert_msg(rate[0] <= sc_limit(PAIRS), "typical lens: %.3f", rate[0]);
	ck_assert_msg(rate[1] <= sc_limit(PAIRS), "floor lens: %.3f", rate[1]);
}
END_TEST

START_TEST(looks_rule_on_nothing)
{
	struct sc_looks f = sc_looks_rule(kinds[_i], PAIRS, PATTERNS, 1);

	ck_assert_msg(f.significant <= sc_limit(PAIRS), "%.3f", f.significant);
	ck_assert(f.regressed <= f.significant);
}
END_TEST

START_TEST(looks_rule_on_ten_percent)
{
	struct sc_looks f = sc_looks_rule(PG_SIM_NORMAL, 50, PATTERNS, 1.1);

	ck_assert_msg(f.regressed >= 0.8, "%.3f", f.regressed);
	ck_assert_msg(f.rounds < 40, "%.1f", f.rounds);
}
END_TEST

static void same_size(double a, double b)
{
	if (isinf(a) || isinf(b) || isnan(a) || isnan(b))
		ck_assert(memcmp(&a, &b, sizeof(a)) == 0 || (isnan(a) && isnan(b)));
	else
		ck_assert_double_le(fabs(a - b), 3e-4);
}

/* effect turned round: b against a instead of a against b. */
static void mirrored(const struct pg_effect *e, const struct pg_effect *m)
{
	same_size(e->estimate, -m->estimate);
	same_size(e->lo, -m->hi);
	same_size(e->hi, -m->lo);
	ck_assert_double_le(fabs(e->p - m->p), 1e-9);
}

START_TEST(sides_can_be_swapped)
{
	static const size_t sizes[] = {2, 5, 6, 8, 10};
	struct sc_pair p, q;
	struct pg_effect e[2], m[2];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		sc_fill(&p, PG_SIM_LOGNORMAL, 7 + i, 1.2);
		q = p;
		memcpy(q.a, p.b, sizeof(q.a));
		memcpy(q.b, p.a, sizeof(q.b));
		for (size_t k = 0; k < SC_ROUNDS; k++)
			q.d[k] = -p.d[k];
		sc_lenses(&p, sizes[i], 9999, 0.95, e);
		sc_lenses(&q, sizes[i], 9999, 0.95, m);
		mirrored(&e[0], &m[0]);
		mirrored(&e[1], &m[1]);
	}
}
END_TEST

START_TEST(units_do_not_matter)
{
	struct sc_pair p, q;
	struct pg_effect e[2], m[2];

	sc_fill(&p, PG_SIM_BIMODAL, 5, 1.05);
	q = p;
	for (size_t k = 0; k < SC_ROUNDS; k++) {
		q.a[k] *= 1e-9;
		q.b[k] *= 1e-9;
	}
	sc_lenses(&p, SC_ROUNDS, 9999, 0.95, e);
	sc_lenses(&q, SC_ROUNDS, 9999, 0.95, m);
	for (int i = 0; i < 2; i++) {
		same_size(e[i].estimate, m[i].estimate);
		same_size(e[i].lo, m[i].lo);
		same_size(e[i].hi, m[i].hi);
		ck_assert_double_le(fabs(e[i].p - m[i].p), 1e-12);
	}
}
END_TEST

START_TEST(a_rate_is_a_time_turned_over)
{
	struct sc_pair p, q;
	struct pg_effect e[2], m[2];

	sc_fill(&p, PG_SIM_NORMAL, 6, 1.07);
	q = p;
	for (size_t k = 0; k < SC_ROUNDS; k++) {
		double rate_a = 1 / p.a[k], rate_b = 1 / p.b[k];

		q.a[k] = 1 / rate_a;
		q.b[k] = 1 / rate_b;
		q.d[k] = log(q.b[k]) - log(q.a[k]);
	}
	sc_lenses(&p, SC_ROUNDS, 9999, 0.95, e);
	sc_lenses(&q, SC_ROUNDS, 9999, 0.95, m);
	for (int i = 0; i < 2; i++) {
		ck_assert_double_le(fabs(e[i].estimate - m[i].estimate), 1e-9);
		ck_assert_double_le(fabs(e[i].p - m[i].p), 1e-12);
	}
}
END_TEST

START_TEST(ranks_see_order_alone)
{
	double x[12], y[15], ex[12], ey[15];
	struct pg_effect a, b;
	struct pg_sim s;

	pg_sim_start(&s, PG_SIM_LOGNORMAL, 3);
	for (size_t i = 0; i < 12; i++)
		ex[i] = exp(x[i] = pg_sim_next(&s));
	for (size_t i = 0; i < 15; i++)
		ey[i] = exp(y[i] = pg_sim_next(&s));
	a = pg_mann_whitney(x, 12, y, 15, 0.95, scratch, NULL);
	b = pg_mann_whitney(ex, 12, ey, 15, 0.95, scratch, NULL);
	ck_assert_double_le(fabs(a.p - b.p), 1e-12);
	ck_assert_double_eq(pg_cliff(x, 12, y, 15), pg_cliff(ex, 12, ey, 15));
}
END_TEST

/* All signs of n ranks have a p that libRmath has too. */
START_TEST(signed_rank_beside_the_library)
{
	double d[9];
	const size_t n = (size_t)_i + 1;

	for (unsigned signs = 0; signs < 1u << n; signs++) {
		double v, below, above, expected;
		struct pg_effect e;

		for (size_t k = 0; k < n; k++)
			d[k] = (double)(k + 1) * (signs >> k & 1 ? 1 : -1);
		e = pg_signed_rank(d, n, 0.95, scratch, &v);
		below = psignrank(v, (double)n, 1, 0);
		above = psignrank(v - 1, (double)n, 0, 0);
		expected = 2 * (below < above ? below : above);
		ck_assert_double_le(fabs(e.p - (expected < 1 ? expected : 1)), 1e-12);
	}
	signrank_free();
}
END_TEST

START_TEST(mann_whitney_beside_the_library)
{
	static const struct {
		size_t n, m;
	} sizes[] = {{1, 1}, {1, 7}, {4, 4}, {5, 9}, {9, 5}, {20, 30}, {50, 50}};
	double x[50], y[50];
	struct pg_rng r;

	pg_rng_seed(&r, 4);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		size_t n = sizes[i].n, m = sizes[i].m;
		double u, below, above, expected;
		struct pg_effect e;

		for (size_t k = 0; k < n; k++)
			x[k] = pg_rng_unit(&r);
		for (size_t k = 0; k < m; k++)
			y[k] = pg_rng_unit(&r) + 0.2;
		ck_assert_uint_le(pg_mann_whitney_scratch(n, m), sizeof(scratch) / sizeof(scratch[0]));
		e = pg_mann_whitney(x, n, y, m, 0.95, scratch, &u);
		below = pwilcox(u, (double)n, (double)m, 1, 0);
		above = pwilcox(u - 1, (double)n, (double)m, 0, 0);
		expected = 2 * (below < above ? below : above);
		ck_assert_msg(fabs(e.p - (expected < 1 ? expected : 1)) <= 1e-10, "%zu %zu: %g, not %g", n, m, e.p,
			      expected);
	}
	wilcox_free();
}
END_TEST

/* Beyond the exact limits the normal distribution takes over without a jump. */
START_TEST(exact_and_normal_meet)
{
	double d[60];
	struct pg_effect e[2];
	struct pg_sim s;

	pg_sim_start(&s, PG_SIM_NORMAL, 12);
	for (size_t i = 0; i < 60; i++)
		d[i] = pg_sim_next(&s) - 99.2;
	e[0] = pg_signed_rank(d, 50, 0.95, scratch, NULL);
	e[1] = pg_signed_rank(d, 51, 0.95, scratch, NULL);
	ck_assert_double_le(fabs(e[0].p - e[1].p), 0.1);
	ck_assert_double_le(fabs(e[0].lo - e[1].lo), 0.5);
	ck_assert_double_le(fabs(e[0].hi - e[1].hi), 0.5);
}
END_TEST

START_TEST(nothing_differs)
{
	double zero[12] = {0}, same[12];
	struct pg_effect e;
	struct pg_rng r;

	for (size_t i = 0; i < 12; i++)
		same[i] = 5;
	e = pg_signed_rank(zero, 12, 0.95, scratch, NULL);
	ck_assert_double_eq(e.p, 1);
	ck_assert_double_eq(e.estimate, 0);
	ck_assert_double_eq(e.lo, 0);
	ck_assert_double_eq(e.hi, 0);
	pg_rng_seed(&r, 1);
	e = pg_floor_paired(same, same, 12, 9999, 0.95, &r);
	ck_assert_double_eq(e.p, 1);
	ck_assert_double_eq(e.estimate, 0);
	e = pg_mann_whitney(same, 12, same, 12, 0.95, scratch, NULL);
	ck_assert_double_eq(e.p, 1);
	ck_assert_double_eq(e.lo, 0);
	ck_assert_double_eq(e.hi, 0);
}
END_TEST

/* Too few rounds for 95 %: open ends, no interval of the median of differences. */
START_TEST(few_rounds)
{
	double a[3] = {1, 1.1, 1.05}, b[3] = {2, 2.1, 2.2}, d[3] = {0.6, 0.7, 0.8};
	struct pg_effect e;
	struct pg_rng r;

	pg_rng_seed(&r, 1);
	e = pg_floor_paired(a, b, 3, 9999, 0.95, &r);
	ck_assert(isinf(e.lo) && isinf(e.hi));
	ck_assert_double_eq(e.p, 0.25);
	e = pg_signed_rank(d, 3, 0.95, scratch, NULL);
	ck_assert(isnan(e.lo) && isnan(e.hi));
	ck_assert_double_eq(e.p, 0.25);
	e = pg_signed_rank(d, 0, 0.95, scratch, NULL);
	ck_assert(isnan(e.p) && isnan(e.estimate));
}
END_TEST

/* The interval holds just the shifts that its own test does not refuse. */
START_TEST(floor_interval_is_the_test_turned_round)
{
	struct sc_pair p;
	struct pg_effect lens[2], at;
	double shifted[SC_ROUNDS];
	struct pg_rng r;

	sc_fill(&p, PG_SIM_NORMAL, 8, 1.1);
	sc_lenses(&p, 10, 9999, 0.95, lens);
	ck_assert(lens[1].lo < lens[1].estimate && lens[1].estimate < lens[1].hi);
	for (int i = 0; i < 2; i++) {
		double end = i ? lens[1].hi : lens[1].lo, in = i ? -2e-4 : 2e-4;

		for (size_t k = 0; k < 10; k++)
			shifted[k] = p.b[k] * exp(-(end + in));
		pg_rng_seed(&r, 1);
		at = pg_floor_paired(p.a, shifted, 10, 9999, 0.95, &r);
		ck_assert_double_gt(at.p, 0.05);
		for (size_t k = 0; k < 10; k++)
			shifted[k] = p.b[k] * exp(-(end - in));
		at = pg_floor_paired(p.a, shifted, 10, 9999, 0.95, &r);
		ck_assert_double_le(at.p, 0.05);
	}
}
END_TEST

START_TEST(verdicts)
{
	const double big = log(1.2), small = log(1.02), wide = log(1.3);
	const struct {
		struct pg_effect lens[2];
		double p_adj[2];
		enum pg_verdict verdict;
	} rows[] = {
		{{{big, 0.1, 0.3, 0}, {big, 0.1, 0.3, 0}}, {0.01, 0.01}, PG_V_REGRESSED},
		{{{big, 0.1, 0.3, 0}, {small, 0, 0.04, 0}}, {0.01, 0.5}, PG_V_REGRESSED},
		{{{-big, -0.3, -0.1, 0}, {small, 0, 0.04, 0}}, {0.01, 0.5}, PG_V_IMPROVED},
		{{{-big, -0.3, -0.1, 0}, {big, 0.1, 0.3, 0}}, {0.01, 0.04}, PG_V_MIXED},
		{{{small, 0.01, 0.04, 0}, {0, -0.01, 0.01, 0}}, {0.01, 0.9}, PG_V_MINOR_WORSE},
		{{{-small, -0.04, -0.01, 0}, {0, -0.01, 0.01, 0}}, {0.01, 0.9}, PG_V_MINOR_BETTER},
		{{{small, 0.01, 0.04, 0}, {big, -0.1, 0.4, 0}}, {0.01, 0.3}, PG_V_UNCLEAR},
		{{{small, -0.01, 0.04, 0}, {0, -0.01, 0.01, 0}}, {0.3, 0.9}, PG_V_SAME},
		{{{small, -0.01, 0.04, 0}, {0, -wide, wide, 0}}, {0.3, 0.9}, PG_V_UNCLEAR},
		{{{big, -wide, wide, 0}, {big, -wide, wide, 0}}, {0.06, 0.06}, PG_V_UNCLEAR},
		{{{PG_NAN, PG_NAN, PG_NAN, 0}, {0, 0, 0, 0}}, {PG_NAN, PG_NAN}, PG_V_UNCLEAR},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		enum pg_verdict v = pg_judge(rows[i].lens, rows[i].p_adj, 2, 0.05, 0.05);

		ck_assert_msg(v == rows[i].verdict, "row %zu: %s", i, pg_verdict_name(v));
	}
	ck_assert_int_eq(pg_judge(NULL, NULL, 0, 0.05, 0.05), PG_V_UNCLEAR);
}
END_TEST

START_TEST(corrections)
{
	double p[4] = {0.01, PG_NAN, 0.04, 0.03}, q[4];
	struct pg_ranked s[4];

	pg_adjust(p, 4, PG_CORRECT_HOLM, q, s);
	ck_assert_double_eq_tol(q[0], 0.03, 1e-12);
	ck_assert(isnan(q[1]));
	ck_assert_double_eq_tol(q[2], 0.06, 1e-12);
	ck_assert_double_eq_tol(q[3], 0.06, 1e-12);
	pg_adjust(p, 4, PG_CORRECT_NONE, q, s);
	ck_assert_double_eq(q[2], 0.04);
	ck_assert_double_eq(pg_pocock(1), 0.05);
	ck_assert_double_eq(pg_pocock(5), 0.0158);
	ck_assert_double_eq(pg_pocock(0), 0.05);
	ck_assert_double_eq(pg_pocock(50), pg_pocock(10));
}
END_TEST

START_TEST(buckets_cover_all)
{
	for (unsigned i = 0; i + 1 < PG_BUCKETS; i++) {
		ck_assert_uint_eq(pg_bucket_highest(i) + 1, pg_bucket_lowest(i + 1));
		ck_assert_uint_eq(pg_bucket(pg_bucket_lowest(i)), i);
		ck_assert_uint_eq(pg_bucket(pg_bucket_highest(i)), i);
	}
	ck_assert_uint_eq(pg_bucket(UINT64_MAX), PG_BUCKETS - 1);
}
END_TEST

PG_TEST_MAIN("stats_compare", ((const struct pg_test[]){
				      {no_more_false_alarms_than_promised, 3},
				      {looks_rule_on_nothing, 3},
				      {looks_rule_on_ten_percent, 0},
				      {sides_can_be_swapped, 0},
				      {units_do_not_matter, 0},
				      {a_rate_is_a_time_turned_over, 0},
				      {ranks_see_order_alone, 0},
				      {signed_rank_beside_the_library, 9},
				      {mann_whitney_beside_the_library, 0},
				      {exact_and_normal_meet, 0},
				      {nothing_differs, 0},
				      {few_rounds, 0},
				      {floor_interval_is_the_test_turned_round, 0},
				      {verdicts, 0},
				      {corrections, 0},
				      {buckets_cover_all, 0},
				      {NULL, 0},
			      }))
