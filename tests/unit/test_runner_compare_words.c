/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a comparison looks like: digits, units, and which lens a row shows. */
#include <math.h>

#include "base/str.h"
#include "runner/cmd_compare.h"
#include "tests/support/pgtest.h"

#define LEN(a) (int)(sizeof(a) / sizeof(*(a)))

static const struct {
	enum pg_unit unit;
	double v, beside;
	const char *want;
} values[] = {
	{PG_U_S, 4.975e-3, 5.09e-3, "4.975 ms"},
	{PG_U_S, 5.09e-3, 4.975e-3, "5.090 ms"},
	{PG_U_S, 997.8e-6, 1.098e-3, "0.998 ms"},
	{PG_U_S, 1.098e-3, 997.8e-6, "1.098 ms"},
	{PG_U_S, 1.098e-3, PG_NAN, "1.098 ms"},
	{PG_U_S, 12.34e-9, 12.5e-9, "12.34 ns"},
	{PG_U_S, 0.25e-9, 0.26e-9, "0.2500 ns"},
	{PG_U_S, 0, 0, "0 ns"},
	{PG_U_S, 1.1e-3, 10, "0.00110 s"},
	{PG_U_B, 100, 200, "100 B"},
	{PG_U_B, 1536, 2048, "1.500 KiB"},
	{PG_U_B_PER_S, 3.5 * 0x1p30, 0x1p30, "3.500 GiB/s"},
	{PG_U_PER_S, 8.1e6, 8.3e6, "8.100 M/s"},
	{PG_U_PER_S, 12.5, 13.5, "12.50 /s"},
	{PG_U_COUNT, 1234567, 12, "1234567"},
	{PG_U_COUNT, 0.5, 2, "0.500"},
	{PG_U_COUNT, PG_NAN, 2, ""},
};

START_TEST(numbers)
{
	struct pg_str text;

	pg_str_init(&text);
	pg_compare_value_text(values[_i].unit, values[_i].v, values[_i].beside, &text);
	ck_assert_str_eq(pg_str_text(&text), values[_i].want);
	pg_str_release(&text);
}
END_TEST

static const struct pg_metric rows_of[] = {
	{.name = "time", .unit = PG_U_S, .better = PG_LOWER},
	{.name = "rate", .unit = PG_U_PER_S, .better = PG_HIGHER},
};
static const struct pg_sweep sweep = {.name = "s", .metrics = rows_of, .n_metrics = 2, .n_variants = 2};

static struct pg_effect effect(double ratio, double lo, double hi, double p)
{
	return (struct pg_effect){log(ratio), log(lo), log(hi), p};
}

static struct pg_compare_row row_of(struct pg_effect typical, struct pg_effect floor)
{
	return (struct pg_compare_row){
		.sweep = &sweep,
		.standing = PG_CMP_JUDGED,
		.c = {.lens = {typical, floor},
		      .p_adj = {typical.p, floor.p},
		      .threshold = 0.05,
		      .alpha = 0.05,
		      .verdict = PG_V_UNCLEAR},
	};
}

static const struct pg_effect none = {PG_NAN, PG_NAN, PG_NAN, PG_NAN};

static const struct {
	double ratio, lo, hi;
	const char *change, *interval;
} changes[] = {
	{1.0258, 0.99816, 1.0551, "+2.6 %", "[-0.2 to 5.5]"},
	{5.3622, 4.39, 6.82, "+436 %", "[339 to 582]"},
	{11, 11, 11, "+1000 %", "[1000 to 1000]"},
	{1.0001, 0.9996, 1.0004, "+0.01 %", "[-0.04 to 0.04]"},
	{0.9999, 0.97, 1.03, "+0.0 %", "[-3.0 to 3.0]"},
	{1, 1, 1, "+0 %", "[0 to 0]"},
	{0.7, 0.68, 0.71, "-30.0 %", "[-32.0 to -29.0]"},
	{1.3, 1.2, HUGE_VAL, "+30 %", "[20 to inf]"},
	{1.3, PG_NAN, PG_NAN, "+30 %", ""},
	{PG_NAN, PG_NAN, PG_NAN, "", ""},
};

START_TEST(change_is_as_fine_as_its_interval)
{
	struct pg_compare_row r = row_of(effect(changes[_i].ratio, changes[_i].lo, changes[_i].hi, PG_NAN), none);
	struct pg_str text;

	pg_str_init(&text);
	pg_compare_change_text(&r, &text);
	ck_assert_str_eq(pg_str_text(&text), changes[_i].change);
	pg_str_reset(&text);
	pg_compare_interval_text(&r, &text);
	ck_assert_str_eq(pg_str_text(&text), changes[_i].interval);
	pg_str_release(&text);
}
END_TEST

/* Ratios with their p. */
static const struct {
	double typical, p, floor, floor_p;
	enum pg_verdict verdict;
	unsigned shown;
} lenses[] = {
	{1.0258, 0.4, 1.061, 0.001, PG_V_REGRESSED, PG_FLOOR},
	{1.0258, 0.001, 1.061, 0.001, PG_V_REGRESSED, PG_FLOOR}, /* within the band: not what it is by */
	{1.2, 0.001, 1.3, 0.001, PG_V_REGRESSED, PG_TYPICAL},
	{1.2, 0.001, 1.3, 0.2, PG_V_REGRESSED, PG_TYPICAL},
	{0.99, 0.9, 0.8, 0.001, PG_V_IMPROVED, PG_FLOOR},
	{0.8, 0.001, 1.01, 0.9, PG_V_IMPROVED, PG_TYPICAL},
	{1.01, 0.001, 1.03, 0.001, PG_V_MINOR_WORSE, PG_FLOOR},
	{1.03, 0.001, 1.01, 0.001, PG_V_MINOR_WORSE, PG_TYPICAL},
	{0.99, 0.6, 0.98, 0.001, PG_V_MINOR_BETTER, PG_FLOOR},
	{1.2, 0.001, 0.8, 0.001, PG_V_MIXED, PG_TYPICAL},
	{1.2, 0.2, 1.3, 0.001, PG_V_UNCLEAR, PG_TYPICAL},
	{1.0, 0.9, 1.0, 0.9, PG_V_SAME, PG_TYPICAL},
	{PG_NAN, PG_NAN, 1.0, 0.9, PG_V_SAME, PG_FLOOR},
};

START_TEST(the_lens_that_decided)
{
	struct pg_compare_row r = row_of(effect(lenses[_i].typical, 0.9, 1.1, lenses[_i].p),
					 effect(lenses[_i].floor, 0.9, 1.1, lenses[_i].floor_p));

	r.c.verdict = lenses[_i].verdict;
	ck_assert_uint_eq(pg_compare_shown(&r), lenses[_i].shown);
}
END_TEST

START_TEST(a_rate_is_no_cost)
{
	struct pg_compare_row r = row_of(effect(1.25, 1.2, 1.3, 0.001), none);
	struct pg_str text;

	r.metric = 1;
	pg_str_init(&text);
	pg_compare_change_text(&r, &text);
	ck_assert_str_eq(pg_str_text(&text), "-20.0 %");
	pg_str_release(&text);
}
END_TEST

START_TEST(small_words)
{
	struct pg_str text;

	pg_str_init(&text);
	pg_compare_p_text(0.0000229, &text);
	pg_str_adds(&text, ", ");
	pg_compare_p_text(0.01583, &text);
	pg_str_adds(&text, ", ");
	pg_compare_p_text(1, &text);
	pg_str_adds(&text, ", ");
	pg_compare_percent_text(0, &text);
	pg_str_adds(&text, ", ");
	pg_compare_percent_text(0.00786, &text);
	pg_str_adds(&text, ", ");
	pg_compare_percent_text(0.0172, &text);
	pg_str_adds(&text, ", ");
	pg_compare_percent_text(1.4572, &text);
	ck_assert_str_eq(pg_str_text(&text), "<0.0001, 0.0158, 1, <0.01 %, 0.79 %, 1.7 %, 146 %");
	pg_str_release(&text);
	ck_assert_int_eq((int)pg_compare_about(7), 7);
	ck_assert_int_eq((int)pg_compare_about(99), 99);
	ck_assert_int_eq((int)pg_compare_about(218), 220);
	ck_assert_int_eq((int)pg_compare_about(220), 220);
	ck_assert_int_eq((int)pg_compare_about(12345), 13000);
}
END_TEST

/* What a gate lets be is what the report does not put on top. */
START_TEST(what_passes)
{
	struct pg_compare_row r = row_of(none, none);
	struct pg_compare c = {.row = &r, .n = 1};
	struct pg_gate g = {.missing_passes = false};

	for (int v = 0; v <= PG_V_UNCLEAR; v++) {
		r.c.verdict = (enum pg_verdict)v;
		ck_assert_int_eq(pg_compare_passes(&r), pg_gate_status(&c, &g) == 0);
	}
	r.standing = PG_CMP_UNREACHED;
	ck_assert(!pg_compare_passes(&r));
	ck_assert_int_eq(pg_gate_status(&c, &g), 5);
	r.standing = PG_CMP_MISSING;
	ck_assert(!pg_compare_passes(&r));
	ck_assert_int_eq(pg_gate_status(&c, &g), 1);
	r.standing = PG_CMP_LEFT_OUT;
	ck_assert(pg_compare_passes(&r));
	ck_assert_int_eq(pg_gate_status(&c, &g), 5); /* nothing at all was compared */
}
END_TEST

PG_TEST_MAIN("runner_compare_words", ((const struct pg_test[]){
					     {numbers, LEN(values)},
					     {change_is_as_fine_as_its_interval, LEN(changes)},
					     {the_lens_that_decided, LEN(lenses)},
					     {a_rate_is_no_cost, 0},
					     {small_words, 0},
					     {what_passes, 0},
					     {NULL, 0},
				     }))
