/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Known answers from R: every row of tests/data/stats-reference.csv whose kind this library computes. Rows of other
 * kinds are counted by kind below, so that no row is passed over unnoticed.
 */
#include "tests/support/pgtest.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/statref.h"

#ifndef PG_TEST_DATA
#define PG_TEST_DATA "tests/data"
#endif

static double describe(struct row *r)
{
	if (quantity(r, "mean"))
		return pg_mean(r->x, r->n);
	if (quantity(r, "median"))
		return pg_median(r->sorted, r->n);
	if (quantity(r, "sd"))
		return pg_sd(r->x, r->n);
	if (quantity(r, "mad_scaled"))
		return pg_mad(r->sorted, r->n, r->scratch);
	if (quantity(r, "mad_raw"))
		return pg_mad(r->sorted, r->n, r->scratch) / 1.4826;
	return unknown(r);
}

static double quantile7(struct row *r)
{
	return pg_quantile(r->sorted, r->n, param(r, "p"));
}

static double tukey(struct row *r)
{
	struct pg_tukey t = pg_tukey(r->sorted, r->n);

	if (quantity(r, "n_mild"))
		return t.mild_low + t.mild_high;
	if (quantity(r, "n_severe"))
		return t.severe_low + t.severe_high;
	return unknown(r);
}

static double bound(struct row *r, bool exact)
{
	struct pg_interval i = pg_median_interval(r->sorted, r->n, param(r, "conf"), exact);

	return quantity(r, "lo") ? i.lo : quantity(r, "hi") ? i.hi : unknown(r);
}

static double ci_exact(struct row *r)
{
	return bound(r, true);
}

static double ci_interp(struct row *r)
{
	return bound(r, false);
}

/* Ranks show as the values of the sample 1, 2, ... n. */
static double ci_rank(struct row *r)
{
	size_t n = (size_t)param(r, "n");
	struct pg_interval i;

	ck_assert_uint_le(n, VECTOR_MAX);
	for (size_t k = 0; k < n; k++)
		r->scratch[k] = (double)k + 1;
	i = pg_median_interval(r->scratch, n, param(r, "conf"), true);
	if (quantity(r, "k"))
		return isnan(i.lo) ? 0 : i.lo;
	if (quantity(r, "achieved_conf"))
		return i.level;
	return unknown(r);
}

static double lag1(struct row *r)
{
	return pg_lag1(r->x, r->n);
}

static double autocorr(struct row *r)
{
	double n_eff, f = pg_lag1_factor(param(r, "r1"), (size_t)param(r, "n"), &n_eff);

	return quantity(r, "f") ? f : quantity(r, "n_eff") ? n_eff : unknown(r);
}

static double t_interval(struct row *r)
{
	double mean = pg_mean(r->x, r->n), half = pg_sd(r->x, r->n) / sqrt((double)r->n);

	half *= pg_qt((1 + param(r, "conf")) / 2, (double)r->n - 1);
	return quantity(r, "lo") ? mean - half : quantity(r, "hi") ? mean + half : unknown(r);
}

static double clopper_pearson(struct row *r)
{
	struct pg_interval i = pg_clopper_pearson(param(r, "k"), param(r, "n"), param(r, "conf"));

	return quantity(r, "lo") ? i.lo : quantity(r, "hi") ? i.hi : unknown(r);
}

static double mde(struct row *r)
{
	ck_assert(param(r, "power") > 0.79 && param(r, "power") < 0.81);
	return pg_mde(param(r, "halfwidth_ln"), param(r, "alpha"));
}

static double of_effect(const struct row *r, struct pg_effect e)
{
	if (quantity(r, "p_two_sided"))
		return e.p;
	if (quantity(r, "lo"))
		return e.lo;
	if (quantity(r, "hi"))
		return e.hi;
	if (quantity(r, "shift") || quantity(r, "pseudomedian") || quantity(r, "T"))
		return e.estimate;
	return unknown(r);
}

static double mann_whitney(struct row *r)
{
	double u;
	struct pg_effect e;

	ck_assert_uint_le(pg_mann_whitney_scratch(r->n, r->n_y), SCRATCH_MAX);
	e = pg_mann_whitney(r->x, r->n, r->y, r->n_y, 0.95, r->scratch, &u);
	if (quantity(r, "U_x"))
		return u;
	return quantity(r, "cliff_delta") ? pg_cliff(r->x, r->n, r->y, r->n_y) : of_effect(r, e);
}

static double mann_whitney_normal(struct row *r)
{
	return pg_mann_whitney_normal(r->x, r->n, r->y, r->n_y, r->scratch);
}

static double hl_ratio(struct row *r)
{
	double x[VECTOR_MAX], y[VECTOR_MAX];
	struct pg_effect e;

	for (size_t i = 0; i < r->n; i++)
		x[i] = log(r->x[i]);
	for (size_t i = 0; i < r->n_y; i++)
		y[i] = log(r->y[i]);
	e = pg_mann_whitney(x, r->n, y, r->n_y, param(r, "conf"), r->scratch, NULL);
	return exp(quantity(r, "ratio") ? e.estimate : of_effect(r, e));
}

static double signed_rank(struct row *r)
{
	double v;
	struct pg_effect e;

	ck_assert_uint_le(PG_WALSH(r->n), SCRATCH_MAX);
	e = pg_signed_rank(r->x, r->n, 0.95, r->scratch, &v);
	return quantity(r, "V") ? v : of_effect(r, e);
}

/* Not in the library: no rule needs them; here they check its distributions once more. */
static double sign_test(struct row *r)
{
	double plus = 0, all = 0, tail;

	for (size_t i = 0; i < r->n; i++) {
		plus += r->x[i] > 0;
		all += r->x[i] < 0 || r->x[i] > 0;
	}
	tail = pg_pbinom(plus < all - plus ? plus : all - plus, all, 0.5);
	return 2 * tail < 1 ? 2 * tail : 1;
}

static double welch(struct row *r)
{
	double a = pg_sd(r->x, r->n), b = pg_sd(r->y, r->n_y), n = (double)r->n, m = (double)r->n_y;
	double va = a * a / n, vb = b * b / m, t = (pg_mean(r->x, r->n) - pg_mean(r->y, r->n_y)) / sqrt(va + vb);
	double df = (va + vb) * (va + vb) / (va * va / (n - 1) + vb * vb / (m - 1));

	if (quantity(r, "t"))
		return t;
	if (quantity(r, "df"))
		return df;
	return quantity(r, "p_two_sided") ? 2 * pg_pt(-fabs(t), df) : unknown(r);
}

static double floor_paired(struct row *r)
{
	struct pg_rng rng;

	pg_rng_seed(&rng, 1);
	return of_effect(r, pg_floor_paired(r->x, r->y, r->n, 9999, 0.95, &rng));
}

static double floor_unpaired(struct row *r)
{
	struct pg_rng rng;

	pg_rng_seed(&rng, 1);
	return of_effect(r, pg_floor_unpaired(r->x, r->n, r->y, r->n_y, 199999, &rng));
}

static double min_paired(struct row *r)
{
	return pg_min_paired(param(r, "alpha"), param(r, "lenses") * param(r, "m"));
}

static double min_unpaired(struct row *r)
{
	return pg_min_unpaired(param(r, "alpha"), param(r, "lenses") * param(r, "m"));
}

static double spearman(struct row *r)
{
	struct pg_trend t = pg_spearman(r->x, r->n, r->rank2, r->ranked);

	return quantity(r, "rho") ? t.rho : quantity(r, "p_two_sided") ? t.p : unknown(r);
}

static double theil_sen(struct row *r)
{
	return pg_theil_sen(r->x, r->n, r->scratch);
}

static double of_split(const struct row *r, const struct pg_split *s)
{
	if (quantity(r, "k"))
		return (double)s->k;
	if (quantity(r, "eta2") || quantity(r, "eta2_log"))
		return s->eta2;
	if (quantity(r, "gap"))
		return s->gap;
	if (quantity(r, "m1"))
		return s->m1;
	return quantity(r, "m2") ? s->m2 : unknown(r);
}

static double split_of_two(struct row *r)
{
	struct pg_split s = pg_split(r->sorted, r->n);

	return of_split(r, &s);
}

static double bimodal(struct row *r)
{
	struct pg_split s;

	for (size_t i = 0; i < r->n; i++)
		r->scratch[i] = log(r->sorted[i]);
	s = pg_split(r->scratch, r->n);
	if (quantity(r, "minor"))
		return (double)(s.k < r->n - s.k ? s.k : r->n - s.k);
	return quantity(r, "flag") ? pg_bimodal(&s, r->n) : of_split(r, &s);
}

static double bucket(struct row *r)
{
	unsigned i = pg_bucket((uint64_t)param(r, "value"));

	if (quantity(r, "index"))
		return i;
	if (quantity(r, "lowest"))
		return (double)pg_bucket_lowest(i);
	return quantity(r, "highest") ? (double)pg_bucket_highest(i) : unknown(r);
}

/* A row of several numbers: the largest distance from the expected ones. */
static double adjusted(struct row *r)
{
	double got[VECTOR_MAX], expected[VECTOR_MAX], worst = 0;
	size_t n = read_numbers(r->field[F_EXPECTED], expected);
	bool holm = strstr(r->field[F_PARAMS], "method=holm") != NULL;

	ck_assert(holm || strstr(r->field[F_PARAMS], "method=bh"));
	ck_assert_uint_eq(n, r->n);
	pg_adjust(r->x, n, holm ? PG_CORRECT_HOLM : PG_CORRECT_BH, got, r->ranked);
	for (size_t i = 0; i < n; i++)
		worst = fmax(worst, fabs(got[i] - expected[i]) / expected[i]);
	return expected[0] * (1 + worst);
}

static double geomean(struct row *r)
{
	for (size_t i = 0; i < r->n; i++)
		r->scratch[i] = log(r->x[i]);
	return exp(pg_mean(r->scratch, r->n));
}

static double qt_value(struct row *r)
{
	return pg_qt(param(r, "p"), param(r, "df"));
}

static double pt_value(struct row *r)
{
	return pg_pt(param(r, "t"), param(r, "df"));
}

static double qnorm_value(struct row *r)
{
	return pg_qnorm(param(r, "p"));
}

static double pbinom_value(struct row *r)
{
	return pg_pbinom(param(r, "k"), param(r, "n"), param(r, "prob"));
}

static double upper_tail(struct row *r)
{
	return 1 - pg_pbinom(param(r, "k") - 1, param(r, "n"), param(r, "prob"));
}

/* rows: how many of this kind the file has; value NULL: the method uses neither bootstrap nor dip test. */
static const struct kind {
	const char *name;
	unsigned rows;
	double (*value)(struct row *r);
} kinds[] = {
	{"describe", 65, describe},
	{"quantile7", 78, quantile7},
	{"tukey", 24, tukey},
	{"geomean", 13, geomean},
	{"median_ci_rank", 43, ci_rank},
	{"median_ci_exact", 20, ci_exact},
	{"median_ci_interp", 20, ci_interp},
	{"lag1_autocorr", 5, lag1},
	{"autocorr_factor", 8, autocorr},
	{"t_ci", 20, t_interval},
	{"clopper_pearson", 8, clopper_pearson},
	{"mde", 4, mde},
	{"qt", 7, qt_value},
	{"pt", 2, pt_value},
	{"qnorm", 3, qnorm_value},
	{"pbinom", 2, pbinom_value},
	{"binom_upper_tail", 4, upper_tail},
	{"bimodal_flag", 18, bimodal},
	{"boot_ratio_bca", 6, NULL},
	{"boot_ratio_percentile", 12, NULL},
	{"dip", 5, NULL},
	{"floor_perm_paired", 6, floor_paired},
	{"floor_perm_unpaired", 2, floor_unpaired},
	{"hl_ratio", 6, hl_ratio},
	{"hodges_lehmann", 18, mann_whitney},
	{"loglinear_bucket", 51, bucket},
	{"min_n_paired", 6, min_paired},
	{"min_n_unpaired", 6, min_unpaired},
	{"mwu_exact", 12, mann_whitney},
	{"mwu_exact_ties", 10, mann_whitney},
	{"mwu_normal", 10, mann_whitney_normal},
	{"p_adjust", 8, adjusted},
	{"sign_test", 3, sign_test},
	{"signed_rank", 15, signed_rank},
	{"signed_rank_ties", 1, signed_rank},
	{"spearman_drift", 10, spearman},
	{"theil_sen", 5, theil_sen},
	{"two_cluster_split", 30, split_of_two},
	{"welch", 18, welch},
};
#define KINDS	  (sizeof(kinds) / sizeof(kinds[0]))
#define ROWS_USED 561
#define ROWS_ALL  584

static size_t kind_of(const struct row *r)
{
	for (size_t i = 0; i < KINDS; i++)
		if (strcmp(kinds[i].name, r->field[F_KIND]) == 0)
			return i;
	ck_abort_msg("%s: kind %s is in no list", r->field[F_CASE], r->field[F_KIND]);
	return 0;
}

static void check_row(struct row *r, double (*value)(struct row *r))
{
	double expected = strtod(r->field[F_EXPECTED], NULL);
	double allowed = strtod(r->field[F_ABS_TOL], NULL) + strtod(r->field[F_REL_TOL], NULL) * fabs(expected);
	double got;

	if (expected == 0)
		allowed += 1e-12;
	read_vector(r);
	got = value(r);
	ck_assert_msg(fabs(got - expected) <= allowed, "%s %s: got %.17g, R has %.17g (%s)", r->field[F_CASE],
		      r->field[F_QUANTITY], got, expected, r->field[F_HOW]);
}

START_TEST(every_row)
{
	unsigned seen[KINDS] = {0}, used = 0, all = 0;
	FILE *f = fopen(PG_TEST_DATA "/stats-reference.csv", "r");
	struct row *row = malloc(sizeof(*row));
	char *line = NULL;
	size_t cap = 0;

	ck_assert_msg(f, "%s/stats-reference.csv: cannot be opened; run the tests from the top directory",
		      PG_TEST_DATA);
	ck_assert_ptr_nonnull(row);
	ck_assert_int_gt(getline(&line, &cap, f), 0);
	while (getline(&line, &cap, f) > 0) {
		size_t k;

		split(line, row);
		k = kind_of(row);
		seen[k]++;
		all++;
		if (kinds[k].value) {
			check_row(row, kinds[k].value);
			used++;
		}
	}
	free(line);
	free(row);
	fclose(f);
	printf("stats_reference: %u of %u rows used\n", used, all);
	for (size_t i = 0; i < KINDS; i++)
		ck_assert_msg(seen[i] == kinds[i].rows, "%s: %u rows, %u expected", kinds[i].name, seen[i],
			      kinds[i].rows);
	ck_assert_uint_eq(used, ROWS_USED);
	ck_assert_uint_eq(all, ROWS_ALL);
}
END_TEST

PG_TEST_MAIN("stats_reference", ((const struct pg_test[]){{every_row, 0}, {NULL, 0}}))
