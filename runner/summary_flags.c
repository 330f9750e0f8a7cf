/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Flags at the end of a run. They are seen by the metric that the sweep is judged by; cells.csv has those of all. */
#include "runner/summary.h"

#include <math.h>
#include <stdio.h>

#include "base/str.h"
#include "plan/plan.h"
#include "runner/report.h"
#include "store/flags.h"

/* Numbers of guards whose cause need not be another program. */
enum { GUARD_PRESSURE_CPU = 2, GUARD_SWITCHES = 5 };
_Static_assert(PG_GUARD_PRESSURE_CPU == 1 << GUARD_PRESSURE_CPU && PG_GUARD_SWITCHES == 1 << GUARD_SWITCHES, "guards");

/* What to do. */
static const char *advice(unsigned flag)
{
	static const char *const texts[PG_FLAGS] = {
		[PG_FLAG_N1] = "one rep says nothing of its spread; give `repeat` 5 or more",
		[PG_FLAG_GROUPED] =
			"what changes in the machine looks like a difference of cells; `order: interleaved`",
		[PG_FLAG_ONE_LAYOUT] = "all reps have one memory layout; `process: exec` draws it anew for each",
		[PG_FLAG_TWO_BOOTS] = "reps come from two boots of the machine; measure them in one",
		[PG_FLAG_DRIFT] = "the machine had not settled; wait, or raise `warmup`",
		[PG_FLAG_ACF] = "reps resemble the one before and tell less; more of them, or a `pause`",
		[PG_FLAG_BIMODAL] =
			"two modes: what decides between them is not in the scenario; try `pin` or placement",
		[PG_FLAG_SPIKY] = "over a tenth lies far out; `perfgrid doctor` shows what disturbs",
		[PG_FLAG_COLD_START] = "the first rep stands out; raise `warmup`",
		[PG_FLAG_QUANTISED] = "the steps of the numbers are coarse; make reps longer",
		[PG_FLAG_SHORT] = "timed too shortly for the clock; raise loops, or `loops: auto`",
		[PG_FLAG_NOISY] = "the interval is wider than 10 %; more reps, or `perfgrid doctor`",
		[PG_FLAG_CLOCK] =
			("time does not come from the CPU's own counter, and a read costs more: fine for long reps; "
			 "`perfgrid doctor` tells whether another is offered"),
		[PG_FLAG_LOOPS_DIFFER] =
			"operation counts differ, so fixed costs weigh differently; give them a number",
	};
	static const char *const guards[PG_GUARDS] = {
		[GUARD_SWITCHES] = "reps lost the CPU far more often than the others of their cell; `perfgrid doctor` "
				   "shows who else ran",
		[GUARD_PRESSURE_CPU] = "tasks waited for a CPU: where the bench has more tasks than CPUs they are its "
				       "own, else `perfgrid doctor` shows who else ran",
	};

	if (flag < PG_FLAG_GUARDS)
		return texts[flag];
	return guards[flag - PG_FLAG_GUARDS] ? guards[flag - PG_FLAG_GUARDS]
					     : "something else was at work; `perfgrid doctor` shows what disturbs";
}

static void add_value(struct pg_str *out, double v, enum pg_unit unit)
{
	static const struct {
		double below, factor;
		const char *name;
	} times[] = {{1e-6, 1e9, "ns"}, {1e-3, 1e6, "us"}, {1, 1e3, "ms"}, {HUGE_VAL, 1, "s"}};
	size_t i = 0;

	if (unit != PG_U_S) {
		pg_str_addf(out, "%.4g %s", v, unit == PG_U_COUNT ? "" : pg_unit_name(unit));
		return;
	}
	while (fabs(v) >= times[i].below)
		i++;
	pg_str_addf(out, "%.4g %s", v * times[i].factor, times[i].name);
}

/* What was seen in the example; nothing where the flag says it all. */
static void add_figures(struct pg_str *out, unsigned flag, const struct pg_flag_count *n, enum pg_unit unit)
{
	if (flag >= PG_FLAG_GUARDS) {
		pg_str_addf(out, ", %.0f %%", fmax(1, 100 * n->share));
		return;
	}
	if (flag == PG_FLAG_DRIFT)
		pg_str_addf(out, ", %+.1f %% over its reps", n->d.drift_pct);
	if (flag == PG_FLAG_ACF)
		pg_str_addf(out, ", %zu reps worth %.0f", n->n, n->n_eff);
	if (flag == PG_FLAG_NOISY)
		pg_str_addf(out, ", +-%.0f %%", n->ci_pct);
	for (int i = 0; flag == PG_FLAG_BIMODAL && i < 2; i++) {
		pg_str_addf(out, ", %zu at ", n->d.mode[i].n);
		add_value(out, n->d.mode[i].median, unit);
	}
}

static void add_example(struct pg_str *out, const struct pg_plan *plan, struct pg_cell_buf *buf, unsigned flag,
			const struct pg_flag_count *n)
{
	const struct pg_cell *c = pg_plan_cell(plan, n->example, buf);
	const struct pg_sweep *sw = pg_plan_sweep(plan, c->sweep);
	struct pg_str cell;

	pg_str_init(&cell);
	pg_cell_describe(c, &cell);
	pg_str_addf(out, "%s%s%s%s", n->cells > 1 ? "such as " : "", sw->name, cell.len ? " " : "", pg_str_text(&cell));
	pg_str_release(&cell);
	add_figures(out, flag, n, sw->metrics[sw->stop_metric].unit);
}

void pg_summary_flags(const struct pg_world *w, const struct pg_plan *plan, const struct pg_flag_counts *n)
{
	struct pg_cell_buf *buf = pg_cell_buf_new(plan);
	struct pg_str line;

	pg_str_init(&line);
	for (unsigned i = 0; buf && i < PG_FLAGS; i++) {
		const struct pg_flag_count *f = &n->of[i];

		if (f->cells == 0)
			continue;
		pg_str_reset(&line);
		pg_str_addf(&line, "%zu cell%s, ", f->cells, f->cells == 1 ? "" : "s");
		add_example(&line, plan, buf, i, f);
		pg_say(w, "  %s: %s: %s", pg_flag_name(i), pg_str_text(&line), advice(i));
	}
	if (n->settings[0])
		pg_say(w,
		       "  settings: %s: all numbers of the run are under them; `perfgrid doctor` shows what to change",
		       n->settings);
	pg_str_release(&line);
	pg_cell_buf_free(buf);
}
