/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Units: raw, of columns, of tables, and of what programs print.
 */
#include "model/metric.h"

#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"

int pg_unit_exp(enum pg_unit u)
{
	return u == PG_U_S ? -9 : 0;
}

const char *pg_better_name(enum pg_better b)
{
	switch (b) {
	case PG_LOWER:
		return "lower";
	case PG_HIGHER:
		return "higher";
	case PG_NEITHER:
		break;
	}
	return "neither";
}

const char *pg_unit_name(enum pg_unit u)
{
	switch (u) {
	case PG_U_S:
		return "s";
	case PG_U_B:
		return "B";
	case PG_U_B_PER_S:
		return "B/s";
	case PG_U_PER_S:
		return "1/s";
	case PG_U_COUNT:
		break;
	}
	return "count";
}

const char *pg_unit_suffix(enum pg_unit u)
{
	switch (u) {
	case PG_U_S:
		return "s";
	case PG_U_B:
		return "B";
	case PG_U_B_PER_S:
		return "B_per_s";
	case PG_U_PER_S:
		return "per_s";
	case PG_U_COUNT:
		break;
	}
	return "count";
}

static const char *allowed_units(enum pg_unit u)
{
	switch (u) {
	case PG_U_S:
		return "ns, us, ms, s, min, h";
	case PG_U_B:
		return "B, KB, MB, GB, TB (powers of 1024)";
	case PG_U_B_PER_S:
		return "B/s, KB/s, MB/s, GB/s, TB/s (powers of 1024)";
	case PG_U_PER_S:
		return "1/s, K/s, M/s, G/s (powers of 1000)";
	case PG_U_COUNT:
		break;
	}
	return "count";
}

static void set_display(struct pg_display *out, double divisor, const char *stem, const char *tail)
{
	out->divisor = divisor;
	snprintf(out->suffix, sizeof(out->suffix), "%s%s", stem, tail);
}

static bool time_display(const char *text, struct pg_display *out)
{
	static const struct {
		const char *name;
		double seconds;
	} units[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!pg_streq(units[i].name, text))
			continue;
		set_display(out, units[i].seconds, text, "");
		return true;
	}
	return false;
}

/* text[0..n) as B, K, KB, KiB ... */
static bool size_display(const char *text, size_t n, const char *tail, struct pg_display *out)
{
	static const char *const stems[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	char one[8] = "1";
	uint64_t bytes;
	size_t i = 0;

	if (n == 0 || n > 3 || (text[0] >= '0' && text[0] <= '9') || text[0] == '.')
		return false; /* `1B` would read as 11 bytes */
	memcpy(one + 1, text, n);
	if (pg_size_parse(one, n + 1, false, &bytes))
		return false;
	for (uint64_t b = bytes; b > 1; b /= 1024)
		i++;
	set_display(out, (double)bytes, stems[i], tail);
	return true;
}

static bool rate_display(const char *text, struct pg_display *out)
{
	static const struct {
		const char *name, *suffix;
		double factor;
	} units[] = {
		{"1/s", "per_s", 1},	 {"K/s", "K_per_s", 1e3}, {"k/s", "K_per_s", 1e3},
		{"M/s", "M_per_s", 1e6}, {"G/s", "G_per_s", 1e9},
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!pg_streq(units[i].name, text))
			continue;
		set_display(out, units[i].factor, units[i].suffix, "");
		return true;
	}
	return false;
}

static bool display(const char *text, enum pg_unit base, struct pg_display *out)
{
	size_t n = strlen(text);

	switch (base) {
	case PG_U_S:
		return time_display(text, out);
	case PG_U_B:
		return size_display(text, n, "", out);
	case PG_U_B_PER_S:
		return n > 2 && pg_streq(text + n - 2, "/s") && size_display(text, n - 2, "_per_s", out);
	case PG_U_PER_S:
		return rate_display(text, out);
	case PG_U_COUNT:
		break;
	}
	set_display(out, 1, "count", "");
	return pg_streq(text, "count");
}

int pg_display_parse(const char *text, enum pg_unit base, struct pg_display *out, struct pg_err *err)
{
	struct pg_display d;

	if (!text) {
		set_display(out, 1, pg_unit_suffix(base), "");
		return 0;
	}
	if (!display(text, base, &d))
		return pg_fail(err, PG_EINPUT, "'%.40s' is no unit for a number in %s; allowed: %s", text,
			       pg_unit_name(base), allowed_units(base));
	*out = d;
	return 0;
}

int pg_unit_parse(const char *text, enum pg_unit *unit, double *factor, struct pg_err *err)
{
	/* K/s without B is a rate of things, so rates come before bytes per second. */
	static const enum pg_unit order[] = {PG_U_COUNT, PG_U_S, PG_U_PER_S, PG_U_B, PG_U_B_PER_S};
	struct pg_display d;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		if (!display(text, order[i], &d))
			continue;
		*unit = order[i];
		*factor = d.divisor;
		return 0;
	}
	return pg_fail(err, PG_EINPUT,
		       "unknown unit '%.40s'; allowed: s, B, B/s, 1/s, count, or with prefix (ms, KB, MB/s)", text);
}
