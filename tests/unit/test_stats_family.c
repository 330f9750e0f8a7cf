/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparisons judged together: corrections, the word for each and its reason, what would be needed. */
#include "stats/family.h"

#include <stdlib.h>
#include <string.h>

#include "tests/support/pgtest.h"

#define MOST 1000

static struct pg_comparison v[MOST];

/* Fresh comparisons: no effect, a narrow interval, p = 1 in both lenses. */
static void fresh(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		memset(&v[i], 0, sizeof(v[i]));
		for (int l = 0; l < PG_LENSES; l++)
			v[i].lens[l] = (struct pg_effect){.estimate = 0, .lo = -0.01, .hi = 0.01, .p = 1};
		v[i].n = 20;
		v[i].design = PG_PAIRED;
		v[i].threshold = 0.05;
		v[i].alpha = 0.05;
		v[i].correction = PG_CORRECT_HOLM;
	}
}

static void judge(size_t n, double hypotheses)
{
	double *scratch = malloc((pg_family_scratch(n, hypotheses) + 1) * sizeof(*scratch));
	struct pg_comparison *order[MOST];

	ck_assert_ptr_nonnull(scratch);
	for (size_t i = 0; i < n; i++)
		order[i] = &v[i];
	pg_family_judge(order, n, hypotheses, scratch);
	free(scratch);
}

static void set(size_t i, int lens, double estimate, double lo, double hi, double p)
{
	v[i].lens[lens] = (struct pg_effect){estimate, lo, hi, p};
}

static void near(double x, double want)
{
	ck_assert_msg(fabs(x - want) <= 1e-9 * (1 + fabs(want)), "%.12g, not %.12g", x, want);
}

START_TEST(corrections)
{
	fresh(3);
	set(0, PG_TYPICAL, 0.1, 0.08, 0.12, 0.001);
	set(1, PG_TYPICAL, 0.1, 0.08, 0.12, 0.01);
	judge(3, 6);
	near(v[0].p_adj[PG_TYPICAL], 0.006);
	near(v[1].p_adj[PG_TYPICAL], 0.05);
	near(v[2].p_adj[PG_FLOOR], 1);
	near(pg_comparison_p(&v[0]), 0.006);
	/* Each has its own correction over the whole family. */
	v[0].correction = PG_CORRECT_NONE;
	v[1].correction = PG_CORRECT_BH;
	judge(3, 6);
	near(v[0].p_adj[PG_TYPICAL], 0.001);
	near(v[1].p_adj[PG_TYPICAL], 0.03);
}
END_TEST

/* What was to be judged and has no p-value still counts. */
START_TEST(those_that_failed_count)
{
	fresh(2);
	set(0, PG_TYPICAL, 0.1, 0.08, 0.12, 0.001);
	v[0].lens[PG_FLOOR] = (struct pg_effect){PG_NAN, PG_NAN, PG_NAN, PG_NAN};
	v[1].lens[PG_TYPICAL] = v[1].lens[PG_FLOOR] = v[0].lens[PG_FLOOR];
	v[1].failed = true;
	judge(2, 1);
	near(v[0].p_adj[PG_TYPICAL], 0.001);
	judge(2, 4);
	near(v[0].p_adj[PG_TYPICAL], 0.004);
	judge(2, 100);
	near(v[0].p_adj[PG_TYPICAL], 0.1);
	ck_assert(isnan(v[0].p_adj[PG_FLOOR]) && isnan(pg_comparison_p(&v[1])));
	ck_assert_int_eq(v[1].verdict, PG_V_FAILED);
	ck_assert(isnan(v[1].mde) && isnan(v[1].needed));
	judge(0, 0);
	judge(0, 5);
}
END_TEST

static const struct {
	const char *what;
	double e0, lo0, hi0, p0, e1, lo1, hi1, p1;
	enum pg_verdict want;
} words[] = {
	{"worse in one lens", 0.1, 0.08, 0.12, 1e-6, 0.0, -0.01, 0.01, 0.9, PG_V_REGRESSED},
	{"better in one", -0.1, -0.12, -0.08, 1e-6, 0.0, -0.01, 0.01, 0.9, PG_V_IMPROVED},
	{"against each other", 0.1, 0.08, 0.12, 1e-6, -0.1, -0.12, -0.08, 1e-6, PG_V_MIXED},
	{"small", 0.02, 0.01, 0.03, 1e-6, 0.01, 0.0, 0.02, 0.9, PG_V_MINOR_WORSE},
	{"small and better", -0.02, -0.03, -0.01, 1e-6, 0.0, -0.02, 0.02, 0.9, PG_V_MINOR_BETTER},
	{"nothing", 0.0, -0.01, 0.01, 0.9, 0.0, -0.02, 0.02, 0.9, PG_V_SAME},
	{"one too wide", 0.0, -0.01, 0.01, 0.9, 0.0, -0.2, 0.2, 0.9, PG_V_UNCLEAR},
};
#define WORDS ((int)(sizeof(words) / sizeof(*words)))

START_TEST(verdicts)
{
	fresh(1);
	set(0, PG_TYPICAL, words[_i].e0, words[_i].lo0, words[_i].hi0, words[_i].p0);
	set(0, PG_FLOOR, words[_i].e1, words[_i].lo1, words[_i].hi1, words[_i].p1);
	judge(1, 2);
	ck_assert_msg(v[0].verdict == words[_i].want, "%s: %s", words[_i].what, pg_verdict_name(v[0].verdict));
	ck_assert_int_eq(v[0].why != PG_UC_NONE, words[_i].want == PG_V_UNCLEAR);
	/* Whatever the numbers say, these stand before them. */
	v[0].barred = PG_UC_FLAG;
	judge(1, 2);
	ck_assert_int_eq(v[0].verdict, PG_V_UNCLEAR);
	ck_assert_int_eq(v[0].why, PG_UC_FLAG);
	v[0].failed = true;
	judge(1, 2);
	ck_assert_int_eq(v[0].verdict, PG_V_FAILED);
}
END_TEST

/* Rounds needed by the table of docs/statistics.md 8.5: cells, both lenses, 5 %. */
static const struct {
	unsigned cells, paired, unpaired;
} table[] = {{1, 7, 5}, {4, 9, 6}, {10, 10, 6}, {40, 12, 7}, {100, 13, 8}, {1000, 17, 10}};

START_TEST(too_few_rounds)
{
	double hypotheses = 2 * table[_i].cells;

	fresh(2);
	for (size_t i = 0; i < 2; i++)
		set(i, PG_TYPICAL, 0, -0.2, 0.2, 0.9);
	v[0].n = table[_i].paired - 1;
	v[1].n = 100;
	v[1].m = table[_i].unpaired - 1;
	v[1].design = PG_UNPAIRED;
	if (hypotheses < 4)
		v[0].lens[PG_FLOOR].p = v[1].lens[PG_FLOOR].p = PG_NAN;
	judge(2, hypotheses);
	ck_assert_int_eq(v[0].why, PG_UC_N);
	ck_assert_int_eq((int)v[0].needed, (int)table[_i].paired);
	ck_assert_int_eq(v[1].why, PG_UC_N);
	ck_assert_int_eq((int)v[1].needed, (int)table[_i].unpaired);
	v[0].n++;
	v[1].m++;
	judge(2, hypotheses);
	ck_assert_int_eq(v[0].why, PG_UC_NOISE);
	ck_assert_int_eq(v[1].why, PG_UC_NOISE);
}
END_TEST

/* All differences of 3 and 4 samples miss the shift with 2 in 35, of 4 and 4 with 2 in 70. */
START_TEST(short_intervals)
{
	fresh(2);
	for (size_t i = 0; i < 2; i++) {
		v[i].design = PG_UNPAIRED;
		v[i].n = 3 + i;
		v[i].m = 4;
	}
	judge(2, 2);
	ck_assert_int_eq(v[0].verdict, PG_V_UNCLEAR);
	ck_assert(isnan(v[0].lens[PG_TYPICAL].lo) && isnan(v[0].lens[PG_FLOOR].hi) && isnan(v[0].mde));
	ck_assert_int_eq(v[1].verdict, PG_V_SAME);
	near(v[1].lens[PG_TYPICAL].hi, 0.01);
}
END_TEST

START_TEST(smallest_effect)
{
	double w = 0.08, z = pg_qnorm(1 - 0.05 / 2 / 2) + 0.8416212335729143, want = exp(w * z / 1.959963984540054) - 1;

	fresh(1);
	set(0, PG_TYPICAL, 0.01, -0.07, 0.09, 0.5);
	set(0, PG_FLOOR, 0.01, -0.3, 0.3, 0.5);
	judge(1, 2);
	near(v[0].mde, want); /* of the narrower interval */
	ck_assert_int_eq(v[0].why, PG_UC_NOISE);
	near(v[0].needed, ceil(20 * pow(log1p(want) / log1p(0.05), 2)));
	v[0].lens[PG_TYPICAL].hi = v[0].lens[PG_FLOOR].hi = (double)INFINITY;
	judge(1, 2);
	ck_assert(isinf(v[0].mde) && isnan(v[0].needed));
	ck_assert_int_eq(v[0].why, PG_UC_NOISE);
}
END_TEST

/* The narrow lens would see the threshold; the wide one keeps the verdict open, and no number of rounds is promised. */
START_TEST(one_lens_is_the_noise)
{
	fresh(1);
	set(0, PG_TYPICAL, 0.15, 0.03, 0.27, 0.06);
	set(0, PG_FLOOR, 0, -0.005, 0.005, 0.6);
	judge(1, 2);
	ck_assert_int_eq(v[0].verdict, PG_V_UNCLEAR);
	ck_assert_int_eq(v[0].why, PG_UC_NOISE);
	ck_assert(v[0].mde < 0.05 && isnan(v[0].needed));
}
END_TEST

/* t with 5 degrees of freedom: 2.570582 is its 97.5 % point. */
START_TEST(earlier_sessions)
{
	static const double past[] = {0.1, -0.1, 0.1, -0.1, 0.1, -0.1};
	double s = sqrt(6 * 0.01 / 5), of_two = s * sqrt(1 / 1.0 + 1 / 2.0);
	struct pg_effect e = pg_past_effect(2.5705818356363 * of_two, 1, 2, past, 6, 0.95);

	ck_assert_msg(fabs(e.p - 0.05) < 1e-8, "%.12g", e.p);
	ck_assert(fabs(e.lo) < 1e-8);
	near(e.hi, 2 * e.estimate);
	e = pg_past_effect(-2.5705818356363 * of_two, 1, 2, past, 6, 0.95);
	ck_assert(fabs(e.p - 0.05) < 1e-8 && fabs(e.hi) < 1e-8);
	e = pg_past_effect(0.3, 1, 1, past, 1, 0.95);
	ck_assert(isnan(e.p) && isnan(e.lo));
	near(e.estimate, 0.3);
}
END_TEST

/* Earlier sessions that are all equal, but for rounding, make no difference certain. */
START_TEST(earlier_sessions_without_spread)
{
	double past[80];
	struct pg_effect e;

	for (size_t i = 0; i < 80; i++)
		past[i] = -11.1 + (double)(i % 2) * 2e-15;
	e = pg_past_effect(1e-6, 1, 1, past, 6, 0.95);
	near(e.p, 2 / 8.0);
	ck_assert(isnan(e.lo) && isnan(e.hi));
	e = pg_past_effect(0.5, 1, 1, past, 78, 0.95);
	near(e.p, 2 / 80.0);
	/* The odd one is as likely any of the sides' sessions. */
	e = pg_past_effect(0.5, 3, 3, past, 6, 0.95);
	near(e.p, 6 / 12.0);
	e = pg_past_effect(0.5, 1, 3, past, 78, 0.95);
	near(e.p, 4 / 82.0);
	e = pg_past_effect(1e-15, 1, 1, past, 6, 0.95);
	near(e.p, 1);
	ck_assert(fabs(e.lo) < 1e-14 && fabs(e.hi) < 1e-14);
}
END_TEST

START_TEST(names)
{
	ck_assert_str_eq(pg_unclear_name(PG_UC_NONE), "");
	ck_assert_str_eq(pg_unclear_name(PG_UC_SESSION), "single session");
	for (int i = PG_UC_ZERO; i <= PG_UC_NOISE; i++)
		ck_assert_int_gt((int)strlen(pg_unclear_name((enum pg_unclear)i)), 0);
}
END_TEST

PG_TEST_MAIN("stats_family", ((const struct pg_test[]){
				     {corrections, 0},
				     {those_that_failed_count, 0},
				     {verdicts, WORDS},
				     {too_few_rounds, (int)(sizeof(table) / sizeof(*table))},
				     {short_intervals, 0},
				     {smallest_effect, 0},
				     {one_lens_is_the_noise, 0},
				     {earlier_sessions, 0},
				     {earlier_sessions_without_spread, 0},
				     {names, 0},
				     {NULL, 0},
			     }))
