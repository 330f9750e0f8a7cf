/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of a comparison for people: as many digits as mean something. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "runner/cmd_compare.h"

#define MOST_DECIMALS 6

/* A unit and how many digits stand after the point. */
struct scale {
	double divisor;
	const char *name; /* "" = none */
	int decimals;
};

struct unit {
	double divisor;
	const char *name;
};

/* From the largest to the smallest, ended by divisor 0. */
static const struct unit *units_of(enum pg_unit unit)
{
	static const struct unit times[] = {{1, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}, {0, NULL}};
	static const struct unit bytes[] = {{0x1p40, "TiB"}, {0x1p30, "GiB"}, {0x1p20, "MiB"},
					    {0x1p10, "KiB"}, {1, "B"},	      {0, NULL}};
	static const struct unit speeds[] = {{0x1p40, "TiB/s"}, {0x1p30, "GiB/s"}, {0x1p20, "MiB/s"},
					     {0x1p10, "KiB/s"}, {1, "B/s"},	   {0, NULL}};
	static const struct unit rates[] = {{1e9, "G/s"}, {1e6, "M/s"}, {1e3, "K/s"}, {1, "/s"}, {0, NULL}};
	static const struct unit counts[] = {{1, ""}, {0, NULL}};

	switch (unit) {
	case PG_U_S:
		return times;
	case PG_U_B:
		return bytes;
	case PG_U_B_PER_S:
		return speeds;
	case PG_U_PER_S:
		return rates;
	case PG_U_COUNT:
		break;
	}
	return counts;
}

/* Decimals with which v has so many significant digits. */
static int decimals_for(double v, int digits)
{
	return v > 0 ? digits - 1 - (int)floor(log10(v)) : 0;
}

/* Four digits of the larger number, three of the smaller one. */
static struct scale scale_of(enum pg_unit unit, double a, double b)
{
	double x = isnan(a) ? 0 : fabs(a), y = isnan(b) ? 0 : fabs(b), most = fmax(x, y), least = fmin(x, y);
	const struct unit *u = units_of(unit);
	struct scale s;
	int fine;

	while (u[1].divisor > 0 && most < 0.9995 * u->divisor)
		u++;
	s = (struct scale){.divisor = u->divisor, .name = u->name};
	if (u->divisor >= 1 && u->divisor <= 1 && floor(x) >= x && floor(y) >= y)
		return s; /* whole numbers of what is not divided */
	s.decimals = decimals_for(most / s.divisor, 4);
	fine = decimals_for(least / s.divisor, 3);
	s.decimals = fine > s.decimals ? fine : s.decimals;
	s.decimals = s.decimals < 0 ? 0 : s.decimals > MOST_DECIMALS ? MOST_DECIMALS : s.decimals;
	return s;
}

void pg_compare_value_text(enum pg_unit unit, double v, double beside, struct pg_str *out)
{
	struct scale s = scale_of(unit, v, beside);

	if (isnan(v))
		return;
	pg_str_addf(out, "%.*f%s%s", s.decimals, v / s.divisor, *s.name ? " " : "", s.name);
}

void pg_compare_change_text(const struct pg_compare_row *r, struct pg_str *out)
{
	double change = 100 * (pg_compare_ratio(r, pg_compare_shown(r)).estimate - 1);
	int decimals = pg_compare_decimals(r);

	if (isnan(change))
		return;
	/* No "-0". */
	pg_str_addf(out, "%+.*f %%", decimals, fabs(change) < 0.5 * pow(10, -decimals) ? 0 : change);
}

void pg_compare_percent_text(double fraction, struct pg_str *out)
{
	double v = 100 * fraction;

	if (v < 0.005)
		pg_str_adds(out, "<0.01 %");
	else
		pg_str_addf(out, "%.*f %%", v < 0.9995 ? 2 : v < 9.95 ? 1 : 0, v);
}

void pg_compare_p_text(double p, struct pg_str *out)
{
	if (p < 0.0001)
		pg_str_adds(out, "<0.0001");
	else
		pg_str_addf(out, "%.3g", p);
}

double pg_compare_about(double rounds)
{
	double step = rounds < 100 ? 1 : pow(10, floor(log10(rounds)) - 1);

	return step * ceil(rounds / step);
}

static bool is_axis(const struct pg_sweep *sw, const char *name)
{
	for (size_t i = 0; i < sw->n_axes; i++)
		if (strcmp(sw->axes[i].name, name) == 0)
			return true;
	return false;
}

/* Params that the sweep of that name has as axes on the other side, but not on this one. */
static void add_others(const struct pg_compare *c, const struct pg_compare_row *r, const struct pg_cell *cell,
		       size_t from, struct pg_str *out)
{
	const struct pg_plan *other = c->plan[0] == r->plan ? c->plan[1] : c->plan[0];

	for (size_t i = 0; other && i < pg_plan_sweeps(other); i++) {
		const struct pg_sweep *sw = pg_plan_sweep(other, i);

		if (strcmp(sw->name, r->sweep->name) != 0)
			continue;
		for (size_t p = 0; p < cell->n_params; p++) {
			const char *name = cell->params[p].name;

			if (cell->vals[p].state == PG_V_UNSET || !is_axis(sw, name) || is_axis(r->sweep, name))
				continue;
			pg_str_addf(out, "%s%s=", out->len > from ? " " : "", name);
			pg_value_format(&cell->params[p], &cell->vals[p], out);
		}
	}
}

void pg_compare_cell_text(const struct pg_compare *c, const struct pg_compare_row *r, struct pg_cell_buf *buf,
			  struct pg_str *out)
{
	const struct pg_cell *cell = pg_plan_cell(r->plan, r->cell, buf);
	bool missing = r->standing == PG_CMP_MISSING;
	size_t from = out->len;

	for (size_t i = 0; i < r->sweep->n_axes; i++) {
		const struct pg_axis *axis = &r->sweep->axes[i];

		if ((axis->n < 2 && !missing) || (cell->variant_label && i + 1 == r->sweep->n_axes))
			continue;
		pg_str_addf(out, "%s%s=%s", out->len > from ? " " : "", axis->name, axis->labels[cell->pos[i]]);
	}
	/* What the other side lacks may be known by a param that is varied there alone, or on no axis at all. */
	if (missing)
		add_others(c, r, cell, from, out);
	if (out->len == from && missing)
		pg_cell_describe(cell, out);
	if (out->len == from)
		pg_str_adds(out, r->sweep->name);
}
