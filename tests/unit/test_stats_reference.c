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

#include "stats/stats.h"

#ifndef PG_TEST_DATA
#define PG_TEST_DATA "tests/data"
#endif

#define FIELDS	   10
#define VECTOR_MAX 256

enum { F_CASE, F_KIND, F_PARAMS, F_X, F_Y, F_QUANTITY, F_EXPECTED, F_ABS_TOL, F_REL_TOL, F_HOW };

struct row {
	char *field[FIELDS];
	double x[VECTOR_MAX]; /* in time order */
	double sorted[VECTOR_MAX];
	double scratch[2 * VECTOR_MAX];
	size_t n;
};

/* Splits one line of quoted fields in place. */
static void split(char *line, struct row *r)
{
	char *from = line, *to;

	for (size_t i = 0; i < FIELDS; i++) {
		ck_assert_msg(*from == '"', "field %zu is not quoted: %s", i, from);
		r->field[i] = to = ++from;
		while (*from && !(from[0] == '"' && from[1] != '"')) {
			if (*from == '"')
				from++;
			*to++ = *from++;
		}
		ck_assert_msg(*from == '"', "field %zu of %s has no end", i, r->field[0]);
		from++;
		*to = '\0';
		if (i + 1 < FIELDS) {
			ck_assert_int_eq(*from, ',');
			from++;
		}
	}
	ck_assert_msg(strspn(from, "\r\n") == strlen(from), "more than %d fields: %s", FIELDS, r->field[0]);
}

static void read_vector(struct row *r)
{
	const char *s = r->field[F_X];

	r->n = 0;
	while (*s) {
		char *end;

		ck_assert_uint_lt(r->n, VECTOR_MAX);
		r->x[r->n++] = strtod(s, &end);
		ck_assert_ptr_ne(end, s);
		s = *end == ';' ? end + 1 : end;
	}
	memcpy(r->sorted, r->x, r->n * sizeof(r->x[0]));
	pg_sort(r->sorted, r->n);
}

/* The number behind "name=" in params. */
static double param(const struct row *r, const char *name)
{
	size_t len = strlen(name);

	for (const char *s = r->field[F_PARAMS]; s; s = strchr(s, ';')) {
		s += *s == ';';
		if (strncmp(s, name, len) == 0 && s[len] == '=')
			return strtod(s + len + 1, NULL);
	}
	ck_abort_msg("%s: no %s in \"%s\"", r->field[F_CASE], name, r->field[F_PARAMS]);
	return 0;
}

static bool quantity(const struct row *r, const char *name)
{
	return strcmp(r->field[F_QUANTITY], name) == 0;
}

static double unknown(const struct row *r)
{
	ck_abort_msg("%s: quantity %s is not known", r->field[F_CASE], r->field[F_QUANTITY]);
	return 0;
}

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
	double k = param(r, "k"), n = param(r, "n"), miss = (1 - param(r, "conf")) / 2;

	if (quantity(r, "lo"))
		return k == 0 ? 0 : pg_qbeta(miss, k, n - k + 1);
	if (quantity(r, "hi"))
		return k >= n ? 1 : pg_qbeta(1 - miss, k + 1, n - k);
	return unknown(r);
}

static double mde(struct row *r)
{
	double z = pg_qnorm(1 - param(r, "alpha") / 2) + pg_qnorm(param(r, "power"));

	return exp(param(r, "halfwidth_ln") * z / pg_qnorm(0.975)) - 1;
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

/* rows: how many of this kind the file has; value NULL: comparisons and diagnostics, which this library does not
 * compute. */
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
	{"bimodal_flag", 18, NULL},
	{"boot_ratio_bca", 6, NULL},
	{"boot_ratio_percentile", 12, NULL},
	{"dip", 5, NULL},
	{"floor_perm_paired", 6, NULL},
	{"floor_perm_unpaired", 2, NULL},
	{"hl_ratio", 6, NULL},
	{"hodges_lehmann", 18, NULL},
	{"loglinear_bucket", 51, NULL},
	{"min_n_paired", 6, NULL},
	{"min_n_unpaired", 6, NULL},
	{"mwu_exact", 12, NULL},
	{"mwu_exact_ties", 10, NULL},
	{"mwu_normal", 10, NULL},
	{"p_adjust", 8, NULL},
	{"sign_test", 3, NULL},
	{"signed_rank", 15, NULL},
	{"signed_rank_ties", 1, NULL},
	{"spearman_drift", 10, NULL},
	{"theil_sen", 5, NULL},
	{"two_cluster_split", 30, NULL},
	{"welch", 18, NULL},
};
#define KINDS	  (sizeof(kinds) / sizeof(kinds[0]))
#define ROWS_USED 326
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
	struct row row;
	char *line = NULL;
	size_t cap = 0;

	ck_assert_msg(f, "%s/stats-reference.csv: cannot be opened; run the tests from the top directory",
		      PG_TEST_DATA);
	ck_assert_int_gt(getline(&line, &cap, f), 0);
	while (getline(&line, &cap, f) > 0) {
		size_t k;

		split(line, &row);
		k = kind_of(&row);
		seen[k]++;
		all++;
		if (kinds[k].value) {
			check_row(&row, kinds[k].value);
			used++;
		}
	}
	free(line);
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
