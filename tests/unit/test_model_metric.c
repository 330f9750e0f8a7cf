/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Metric rows, the headline, units of columns, tables and programs. */
#include "tests/support/pgtest.h"

#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "model/metric.h"

#define COUNT_OF(a) (sizeof(a) / sizeof((a)[0]))

START_TEST(engine_rows)
{
	static const char *const names[] = {"wall_time",
					    "cpu_time",
					    "user_time",
					    "system_time",
					    "peak_memory",
					    "voluntary_switches",
					    "involuntary_switches",
					    "minor_faults",
					    "major_faults"};

	ck_assert_uint_eq(pg_metric_count(pg_engine_metrics), PG_ENGINE_METRICS);
	ck_assert_uint_eq(COUNT_OF(names), PG_ENGINE_METRICS);
	for (size_t i = 0; i < PG_ENGINE_METRICS; i++) {
		const struct pg_metric *m = &pg_engine_metrics[i];
		size_t at = 99;

		ck_assert_str_eq(m->name, names[i]);
		ck_assert_ptr_eq(pg_metric_find(pg_engine_metrics, names[i], &at), m);
		ck_assert_uint_eq(at, i);
		ck_assert_uint_gt(strlen(m->doc), 5);
		ck_assert_int_eq(m->better, PG_LOWER);
		ck_assert_int_ne(m->reduce, PG_RATIO);
		ck_assert_int_eq(m->unit, i < 4 ? PG_U_S : i == 4 ? PG_U_B : PG_U_COUNT);
		ck_assert_uint_eq(m->flags, PG_M_ENGINE | (i == PG_E_WALL_TIME ? 0u : PG_M_ZERO_OK));
	}
	ck_assert_ptr_null(pg_metric_find(pg_engine_metrics, "wall", NULL));
}
END_TEST

START_TEST(headline)
{
	static const struct pg_metric own[] = {
		{.name = "messages", .flags = PG_M_HIDDEN},
		{.name = "time", .flags = PG_M_MAIN | PG_M_GROWS},
		{.name = "rate", .flags = PG_M_AUTO_MAIN},
		{.name = "wall_time", .flags = PG_M_ENGINE},
		{.name = NULL},
	};
	static const struct pg_metric steady[] = {
		{.name = "rate", .flags = PG_M_AUTO_MAIN},
		{.name = "time_per_op", .flags = PG_M_MAIN},
		{.name = NULL},
	};
	static const struct pg_metric grows_only[] = {{.name = "time", .flags = PG_M_MAIN | PG_M_GROWS},
						      {.name = NULL}};
	static const struct pg_metric none[] = {
		{.name = "declared"}, {.name = "cpu_time", .flags = PG_M_ENGINE}, {.name = NULL}};

	ck_assert_uint_eq(pg_metric_main(own, false), 1);
	ck_assert_uint_eq(pg_metric_main(own, true), 2);
	ck_assert_uint_eq(pg_metric_main(steady, false), 1);
	ck_assert_uint_eq(pg_metric_main(steady, true), 1);
	ck_assert_uint_eq(pg_metric_main(grows_only, true), 0);
	ck_assert_uint_eq(pg_metric_main(none, true), 1);
	ck_assert_uint_eq(pg_metric_main(pg_engine_metrics, false), PG_E_WALL_TIME);
}
END_TEST

START_TEST(units)
{
	static const struct {
		enum pg_unit u;
		int exp;
		const char *name, *suffix;
	} t[] = {
		{PG_U_S, -9, "s", "s"},
		{PG_U_B, 0, "B", "B"},
		{PG_U_B_PER_S, 0, "B/s", "B_per_s"},
		{PG_U_PER_S, 0, "1/s", "per_s"},
		{PG_U_COUNT, 0, "count", "count"},
	};

	for (size_t i = 0; i < COUNT_OF(t); i++) {
		struct pg_display d;
		struct pg_err err;

		ck_assert_int_eq(pg_unit_exp(t[i].u), t[i].exp);
		ck_assert_str_eq(pg_unit_name(t[i].u), t[i].name);
		ck_assert_str_eq(pg_unit_suffix(t[i].u), t[i].suffix);
		/* the base unit, left out or named, is shown as it is */
		ck_assert_int_eq(pg_display_parse(NULL, t[i].u, &d, &err), 0);
		ck_assert_double_eq(d.divisor, 1);
		ck_assert_str_eq(d.suffix, t[i].suffix);
		ck_assert_int_eq(pg_display_parse(t[i].name, t[i].u, &d, &err), 0);
		ck_assert_double_eq(d.divisor, 1);
		ck_assert_str_eq(d.suffix, t[i].suffix);
	}
}
END_TEST

static const struct {
	const char *text;
	enum pg_unit base;
	double divisor;
	const char *suffix;
} displays[] = {
	{"ns", PG_U_S, 1e-9, "ns"},
	{"us", PG_U_S, 1e-6, "us"},
	{"ms", PG_U_S, 1e-3, "ms"},
	{"min", PG_U_S, 60, "min"},
	{"h", PG_U_S, 3600, "h"},
	{"K", PG_U_B, 1024, "KiB"},
	{"kb", PG_U_B, 1024, "KiB"},
	{"KiB", PG_U_B, 1024, "KiB"},
	{"MB", PG_U_B, 1048576, "MiB"},
	{"GiB", PG_U_B, 1073741824, "GiB"},
	{"TB", PG_U_B, 1099511627776, "TiB"},
	{"KB/s", PG_U_B_PER_S, 1024, "KiB_per_s"},
	{"MiB/s", PG_U_B_PER_S, 1048576, "MiB_per_s"},
	{"GB/s", PG_U_B_PER_S, 1073741824, "GiB_per_s"},
	{"GiB/s", PG_U_B_PER_S, 1073741824, "GiB_per_s"},
	{"gb/s", PG_U_B_PER_S, 1073741824, "GiB_per_s"},
	{"TiB/s", PG_U_B_PER_S, 1099511627776, "TiB_per_s"},
	{"K/s", PG_U_PER_S, 1e3, "K_per_s"},
	{"M/s", PG_U_PER_S, 1e6, "M_per_s"},
	{"G/s", PG_U_PER_S, 1e9, "G_per_s"},
};

START_TEST(table_units)
{
	for (size_t i = 0; i < COUNT_OF(displays); i++) {
		struct pg_display d;
		struct pg_err err;

		ck_assert_msg(pg_display_parse(displays[i].text, displays[i].base, &d, &err) == 0, "%s",
			      displays[i].text);
		ck_assert_double_eq(d.divisor, displays[i].divisor);
		ck_assert_str_eq(d.suffix, displays[i].suffix);
	}
}
END_TEST

START_TEST(table_units_refused)
{
	static const struct {
		const char *text;
		enum pg_unit base;
		const char *msg;
	} t[] = {
		{"MB", PG_U_S, "'MB' is no unit for a number in s; allowed: ns, us, ms, s, min, h"},
		{"MS", PG_U_S, NULL},
		{"", PG_U_S, NULL},
		{"ms", PG_U_B, "'ms' is no unit for a number in B; allowed: B, KB, MB, GB, TB (powers of 1024)"},
		{"1B", PG_U_B, NULL},
		{"", PG_U_B, NULL},
		{"GB", PG_U_B_PER_S,
		 "'GB' is no unit for a number in B/s; allowed: B/s, KB/s, MB/s, GB/s, TB/s (powers of 1024)"},
		{"/s", PG_U_B_PER_S, NULL},
		{"GB/h", PG_U_B_PER_S, NULL},
		{"1/s", PG_U_B_PER_S, NULL},
		{"B/s", PG_U_PER_S,
		 "'B/s' is no unit for a number in 1/s; allowed: 1/s, K/s, M/s, G/s (powers of 1000)"},
		{"s", PG_U_COUNT, "'s' is no unit for a number in count; allowed: count"},
		{"a very long text that is certainly no unit of anything at all", PG_U_S, NULL},
	};

	for (size_t i = 0; i < COUNT_OF(t); i++) {
		struct pg_display d = {.divisor = 7};
		struct pg_err err;

		ck_assert_msg(pg_display_parse(t[i].text, t[i].base, &d, &err) == -1, "%s", t[i].text);
		if (t[i].msg)
			ck_assert_str_eq(err.msg, t[i].msg);
		ck_assert_double_eq(d.divisor, 7);
	}
}
END_TEST

START_TEST(program_units)
{
	static const struct {
		const char *text;
		enum pg_unit unit;
		double factor;
	} t[] = {
		{"s", PG_U_S, 1},
		{"ms", PG_U_S, 1e-3},
		{"min", PG_U_S, 60},
		{"B", PG_U_B, 1},
		{"KB", PG_U_B, 1024},
		{"B/s", PG_U_B_PER_S, 1},
		{"MB/s", PG_U_B_PER_S, 1048576},
		{"1/s", PG_U_PER_S, 1},
		{"K/s", PG_U_PER_S, 1e3},
		{"count", PG_U_COUNT, 1},
	};
	static const char *const bad[] = {"", "x", "S", "sec", "B/h", "counts", "%", "bit/s"};
	struct pg_err err;

	for (size_t i = 0; i < COUNT_OF(t); i++) {
		enum pg_unit u;
		double f;

		ck_assert_msg(pg_unit_parse(t[i].text, &u, &f, &err) == 0, "%s", t[i].text);
		ck_assert_int_eq(u, t[i].unit);
		ck_assert_double_eq(f, t[i].factor);
	}
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		ck_assert_msg(pg_unit_parse(bad[i], &(enum pg_unit){PG_U_S}, &(double){0}, &err) == -1, "%s", bad[i]);
		ck_assert_ptr_nonnull(strstr(err.msg, "; allowed: s, B, B/s, 1/s, count"));
	}
}
END_TEST

PG_TEST_MAIN("model_metric", ((const struct pg_test[]){
				     {engine_rows, 0},
				     {headline, 0},
				     {units, 0},
				     {table_units, 0},
				     {table_units_refused, 0},
				     {program_units, 0},
				     {NULL, 0},
			     }))
