/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From what is known of a cell and of its samples to the flags of its rows. */
#include "store/flags.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "store/fold.h"
#include "store/guard_share.h"
#include "store/store_inside.h"

const char *pg_flag_name(unsigned flag)
{
	static const char *const names[PG_FLAG_GUARDS] = {
		[PG_FLAG_N1] = "n1",
		[PG_FLAG_GROUPED] = "grouped",
		[PG_FLAG_ONE_LAYOUT] = "one-layout",
		[PG_FLAG_TWO_BOOTS] = "two-boots",
		[PG_FLAG_DRIFT] = "drift",
		[PG_FLAG_ACF] = "acf",
		[PG_FLAG_BIMODAL] = "bimodal",
		[PG_FLAG_SPIKY] = "spiky",
		[PG_FLAG_COLD_START] = "cold-start",
		[PG_FLAG_QUANTISED] = "quantised",
		[PG_FLAG_SHORT] = "short",
		[PG_FLAG_NOISY] = "noisy",
		[PG_FLAG_CLOCK] = "clock",
		[PG_FLAG_LOOPS_DIFFER] = "loops-differ",
	};

	return flag < PG_FLAG_GUARDS ? names[flag] : pg_guard_name(flag - PG_FLAG_GUARDS);
}

void pg_flags_text(const struct pg_flags *f, struct pg_str *out)
{
	for (unsigned i = 0; i < PG_FLAGS; i++) {
		if (!(f->on & PG_FLAG(i)))
			continue;
		if (out->len)
			pg_str_addc(out, ' ');
		pg_str_adds(out, pg_flag_name(i));
		if (i >= PG_FLAG_GUARDS) {
			double pct = nearbyint(100 * f->share[i - PG_FLAG_GUARDS]);

			pg_str_addc(out, ':');
			pg_str_addu(out, pct < 1 ? 1 : (uint64_t)pct);
			pg_str_addc(out, '%');
		}
	}
}

/* ---- of a run ---- */

/* The clock is that of the run, not of the machine that makes its tables; one that is not known is no flag. */
int pg_flagger_init(struct pg_flagger *k, const struct pg_results *r, struct pg_err *err)
{
	struct pg_env_clock clock;

	*k = (struct pg_flagger){.r = r, .one_layout = pg_env_one_layout(r->rundir)};
	if (pg_env_clock(r->rundir, &clock)) {
		k->short_ns = (double)pg_clock_batch_ns(&clock.figures);
		k->other_clock = clock.clocksource[0] && strcmp(clock.clocksource, "tsc") != 0 &&
				 strcmp(clock.clocksource, "arch_sys_counter") != 0;
	}
	return pg_guard_shares_settle(r->shares, err);
}

/* ---- of a cell ---- */

static void turn(struct pg_flags *f, bool on, unsigned flag)
{
	if (on)
		f->on |= PG_FLAG(flag);
}

/*
 * Other operation counts than another rep of the cell or of another arm had, under `loops: auto`: where they are given
 * as numbers that is what was asked for.
 */
static bool loops_differ(const struct pg_guard_shares *g, const struct pg_cell *c)
{
	const struct pg_guard_cell *own = pg_guard_shares_cell(g, c->index);

	if (own->loops_max == 0 || !pg_cell_auto(c))
		return false;
	for (uint32_t v = 0; v < c->n_variants; v++) {
		const struct pg_guard_cell *arm = pg_guard_shares_cell(g, c->index - c->variant + v);

		if (arm->loops_max && (arm->loops_min != own->loops_min || arm->loops_max != own->loops_max))
			return true;
	}
	return own->loops_min != own->loops_max;
}

/* Reps that were switched out far more often than the cell's others. */
static void judge_switches(struct pg_fold *fold, const struct pg_cell *c, struct pg_flags *f)
{
	struct pg_summary s;
	double limit;
	size_t over = 0;

	if (fold->n < 2)
		return;
	pg_fold_metric(fold, c->n_bench_metrics + PG_E_INVOLUNTARY_SWITCHES, &s);
	limit = pg_guard_switches_limit(s.median);
	for (size_t i = 0; i < s.n; i++)
		over += fold->x[i] > limit;
	if (over) {
		unsigned bit = 0;

		while (PG_GUARD_SWITCHES >> bit != 1)
			bit++;
		turn(f, true, PG_FLAG_GUARDS + bit);
		f->share[bit] = (double)over / (double)s.n;
	}
}

void pg_flags_cell(const struct pg_flagger *k, struct pg_fold *fold, const struct pg_cell *c, struct pg_flags *out)
{
	const struct pg_guard_shares *g = k->r->shares;

	memset(out, 0, sizeof(*out));
	if (c->skip != PG_NOT_SKIPPED || !fold->acc->ran)
		return;
	turn(out, c->rules->order == PG_GROUPED, PG_FLAG_GROUPED);
	turn(out, k->one_layout || pg_cell_forks(c), PG_FLAG_ONE_LAYOUT);
	turn(out, fold->acc->two_boots, PG_FLAG_TWO_BOOTS);
	turn(out, k->other_clock, PG_FLAG_CLOCK);
	turn(out, loops_differ(g, c), PG_FLAG_LOOPS_DIFFER);
	for (unsigned bit = 0; bit < PG_GUARDS; bit++)
		turn(out, pg_guard_shares_of(g, c->index, bit, &out->share[bit]), PG_FLAG_GUARDS + bit);
	judge_switches(fold, c, out);
}

/* ---- of a metric ---- */

static bool is_short(const struct pg_flagger *k, const struct pg_cell *c, size_t metric)
{
	int64_t batch_ns = pg_guard_shares_cell(k->r->shares, c->index)->batch_ns;
	enum pg_unit unit = c->metrics[metric].unit;

	return metric < c->n_bench_metrics && unit != PG_U_COUNT && unit != PG_U_B && batch_ns > 0 &&
	       (double)batch_ns < k->short_ns;
}

void pg_flags_metric(const struct pg_flagger *k, struct pg_fold *fold, const struct pg_cell *c, size_t metric,
		     const struct pg_summary *s, struct pg_flags *flags, struct pg_diagnosis *d)
{
	memset(d, 0, sizeof(*d));
	d->drift_pct = d->drift_p = PG_NAN;
	turn(flags, s->n == 1, PG_FLAG_N1);
	if (s->n == 0)
		return;
	turn(flags, is_short(k, c, metric), PG_FLAG_SHORT);
	pg_fold_diagnose(fold, metric, s, d);
	turn(flags, d->drift, PG_FLAG_DRIFT);
	turn(flags, d->acf, PG_FLAG_ACF);
	turn(flags, d->bimodal, PG_FLAG_BIMODAL);
	turn(flags, d->spiky, PG_FLAG_SPIKY);
	turn(flags, d->cold_start, PG_FLAG_COLD_START);
	turn(flags, d->quantised, PG_FLAG_QUANTISED);
	turn(flags, d->noisy, PG_FLAG_NOISY);
}

/* ---- counting ---- */

static void count_cell(struct pg_flag_counts *out, size_t cell, const struct pg_flags *f, const struct pg_summary *s,
		       const struct pg_diagnosis *d)
{
	for (unsigned i = 0; i < PG_FLAGS; i++) {
		struct pg_flag_count *n = &out->of[i];

		if (!(f->on & PG_FLAG(i)) || n->cells++ > 0)
			continue;
		n->example = cell;
		n->share = i >= PG_FLAG_GUARDS ? f->share[i - PG_FLAG_GUARDS] : 0;
		n->ci_pct = s->ci_pct;
		n->n = s->n;
		n->n_eff = s->n_eff;
		n->d = *d;
	}
}

static void count_sweep(const struct pg_flagger *k, struct pg_fold *fold, const struct pg_sweep *sw,
			struct pg_cell_buf *buf, struct pg_flag_counts *out)
{
	for (size_t i = 0; i < sw->n_cells; i++) {
		const struct pg_cell *c = pg_plan_cell(k->r->plan, sw->first_cell + i, buf);
		enum pg_status status = pg_acc_status(pg_samples_acc(k->r->samples, c->index), c);
		struct pg_diagnosis d;
		struct pg_summary s;
		struct pg_flags f;

		if (status != PG_ST_OK && status != PG_ST_UNSTABLE)
			continue;
		pg_fold_enter(fold, sw, c->index);
		pg_flags_cell(k, fold, c, &f);
		pg_fold_metric(fold, sw->stop_metric, &s);
		pg_flags_metric(k, fold, c, sw->stop_metric, &s, &f, &d);
		count_cell(out, c->index, &f, &s, &d);
	}
}

static void take_settings(const struct pg_store *s, struct pg_flag_counts *out)
{
	struct pg_str text;

	pg_str_init(&text);
	pg_env_settings(s, &text);
	snprintf(out->settings, sizeof(out->settings), "%s", pg_str_text(&text));
	pg_str_release(&text);
}

int pg_store_flags(struct pg_store *s, struct pg_flag_counts *out, struct pg_err *err)
{
	struct pg_results r = {.plan = s->plan, .samples = s->samples, .shares = s->shares, .rundir = s->dirfd};
	struct pg_cell_buf *buf = pg_cell_buf_new(s->plan);
	struct pg_flagger k;
	struct pg_fold fold;
	int result = -1;

	memset(out, 0, sizeof(*out));
	take_settings(s, out);
	if (!buf) {
		pg_fail_nomem(err);
	} else if (pg_flagger_init(&k, &r, err) == 0 && pg_fold_init(&fold, s->samples, err) == 0) {
		for (size_t i = 0; i < s->n_sweeps; i++)
			count_sweep(&k, &fold, pg_plan_sweep(s->plan, i), buf, out);
		pg_fold_release(&fold);
		result = 0;
	}
	pg_cell_buf_free(buf);
	return result;
}
