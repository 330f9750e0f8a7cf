/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the self-check says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "runner/json_out.h"
#include "runner/selfcheck.h"
#include "runner/terminal.h"
#include "runner/world.h"
#include "store/history.h"

static const char *const lens_names[PG_LENSES] = {[PG_TYPICAL] = "typical", [PG_FLOOR] = "floor"};

/* Not a number stays one. */
static double larger(double a, double b)
{
	return isnan(a) || isnan(b) ? PG_NAN : fmax(a, b);
}

int pg_selfcheck_sum_up(struct pg_selfcheck *s)
{
	double *p = malloc((s->n + 1) * sizeof(*p));

	if (!p)
		return -1;
	for (int l = 0; l < PG_LENSES; l++) {
		for (size_t i = 0; i < s->n; i++)
			p[i] = s->cell[i].lens[l].p;
		s->alarms[l] = pg_false_alarms(p, s->n);
	}
	free(p);
	s->threshold = s->needed = 0;
	s->n_failed = s->n_blind = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct pg_self_cell *c = &s->cell[i];

		s->n_failed += c->failed;
		s->n_blind += !c->failed && !(c->mde <= c->threshold);
		if (c->failed)
			continue;
		s->threshold = larger(s->threshold, c->mde);
		s->needed = larger(s->needed, c->needed);
	}
	if (s->n == s->n_failed)
		s->threshold = s->needed = PG_NAN;
	s->n_looks = pg_looks_for(s->needed, s->hypotheses, s->looks);
	return 0;
}

int pg_selfcheck_status(const struct pg_selfcheck *s)
{
	bool alarm = s->n == 0 || s->n_failed > 0;

	for (int l = 0; l < PG_LENSES; l++)
		alarm = alarm || s->alarms[l].too_many;
	if (alarm)
		return PG_EXIT_FAILED;
	return s->n_blind > 0 ? PG_EXIT_INCONCLUSIVE : PG_EXIT_OK;
}

/* ---- text ---- */

/* Too few reps for an interval: no number. */
static const char none[] = "-";

static void add_percent(struct pg_grid *g, double fraction)
{
	char text[48] = "";

	if (isfinite(fraction))
		snprintf(text, sizeof(text), "%.3g %%", 100 * fraction);
	pg_grid_add(g, isfinite(fraction) ? text : none);
}

static void add_interval(struct pg_grid *g, const struct pg_effect *e)
{
	bool known = isfinite(e->lo) && isfinite(e->hi);
	char text[96] = "";

	if (known)
		snprintf(text, sizeof(text), "%+.3g ... %+.3g %%", 100 * expm1(e->lo), 100 * expm1(e->hi));
	pg_grid_add(g, known ? text : none);
}

static void add_words(struct pg_grid *g, const char *const *words)
{
	for (; *words; words++)
		pg_grid_add(g, *words);
	pg_grid_end_row(g);
}

static void add_cells(const struct pg_selfcheck *s, struct pg_str *out)
{
	static const char *const head[] = {"cell",  "metric",	  "sd",	       "typical", "floor",
					   "noise", "detectable", "threshold", NULL};
	struct pg_grid g;

	pg_grid_init(&g);
	add_words(&g, head);
	for (size_t i = 0; i < s->n; i++) {
		const struct pg_self_cell *c = &s->cell[i];

		pg_grid_add(&g, c->name);
		pg_grid_add(&g, c->metric);
		add_percent(&g, c->sd_pct / 100);
		add_interval(&g, &c->lens[PG_TYPICAL]);
		add_interval(&g, &c->lens[PG_FLOOR]);
		add_percent(&g, expm1(c->noise));
		add_percent(&g, c->failed ? PG_NAN : c->mde);
		add_percent(&g, c->threshold);
		pg_grid_end_row(&g);
	}
	pg_grid_print(&g, out);
	out->failed = out->failed || g.failed;
	pg_grid_release(&g);
}

/* What the columns are. */
static void add_legend(const struct pg_selfcheck *s, struct pg_str *out)
{
	pg_str_addf(out,
		    "\nsd: spread of the reps. typical, floor: 95 %% interval of the change between two equal arms, by "
		    "each "
		    "lens\nnoise: so far apart lie two halves of the same reps by chance, 19 times of 20\n"
		    "detectable: the smallest change that %u rounds find, looked at once, 4 times of 5. threshold: "
		    "what the scenario asks "
		    "for\n\n",
		    s->rounds);
}

static const char *alarm_words(const struct pg_false_alarms *a)
{
	if (a->too_many)
		return "more than chance explains; nothing that is compared here can be trusted";
	return a->few ? "too few cells to tell" : "as chance has it";
}

static void add_alarms(const struct pg_selfcheck *s, struct pg_str *out)
{
	for (int l = 0; l < PG_LENSES; l++) {
		const struct pg_false_alarms *a = &s->alarms[l];

		if (a->m > 0)
			pg_str_addf(out, "%s lens: %zu of %zu differ at 5 %%, a rate of %.1f ... %.1f %%: %s\n",
				    lens_names[l], a->k, a->m, 100 * a->limits.lo, 100 * a->limits.hi, alarm_words(a));
	}
}

/* What is said of "all" says nothing of the cells that failed. */
static void add_measured(const struct pg_selfcheck *s, struct pg_str *out)
{
	size_t n = s->n - s->n_failed;

	pg_str_addf(out, " of the %zu cell%s measured", n, n == 1 ? " that was" : "s that were");
}

static void add_looks(const struct pg_selfcheck *s, struct pg_str *out)
{
	if (s->n == s->n_failed)
		return;
	if (!isfinite(s->needed)) {
		pg_str_adds(out, "looks: not known, for some cell has too few reps\n");
		return;
	}
	if (!s->n_looks) {
		pg_str_addf(out, "looks: over %d rounds would be needed; raise the threshold, or quieten the machine\n",
			    PG_ROUNDS_MAX);
		return;
	}
	pg_str_adds(out, "looks: [");
	for (unsigned i = 0; i < s->n_looks; i++)
		pg_str_addf(out, "%s%u", i ? ", " : "", s->looks[i]);
	pg_str_adds(out, "] would do for all thresholds");
	if (s->n_failed)
		add_measured(s, out);
	pg_str_addc(out, '\n');
}

static void add_canary(const struct pg_selfcheck *s, struct pg_str *out)
{
	const double *sd = s->canary.sd_pct;

	if (s->canary.n > 1 && isfinite(sd[PG_CANARY_ALU]) && isfinite(sd[PG_CANARY_COPY]))
		pg_str_addf(out,
			    "canary: meanwhile a fixed loop spread by %.3g %%, a fixed copy of 1 MB by %.3g %% (timed "
			    "%zu times)\n",
			    sd[PG_CANARY_ALU], sd[PG_CANARY_COPY], s->canary.n);
}

static void add_advice(const struct pg_selfcheck *s, struct pg_str *out)
{
	size_t seen = s->n - s->n_failed - s->n_blind;

	pg_str_addf(out, "threshold: %zu of %zu cells can see theirs in %u rounds", seen, s->n, s->rounds);
	if (s->threshold > 0 && isfinite(s->threshold)) {
		pg_str_adds(out, "; all");
		if (s->n_failed)
			add_measured(s, out);
		pg_str_addf(out, " can see one of %.3g %%", 100 * s->threshold);
	}
	pg_str_addc(out, '\n');
	add_looks(s, out);
	add_canary(s, out);
	if (s->guards && s->guards->len)
		pg_str_addf(out, "guards: %s\n", pg_str_text(s->guards));
}

static void add_history(const struct pg_selfcheck *s, struct pg_str *out)
{
	if (!s->history) {
		pg_str_addf(out, "history: not kept%s\n",
			    s->no_place ? ": neither XDG_STATE_HOME nor HOME says where" : "");
		return;
	}
	pg_str_addf(out, "history: kept in %s; ", s->history);
	if (!s->counts)
		pg_str_addf(out, "began less than %d s after the session before it and does not count; ",
			    (int)(PG_HISTORY_APART_NS / 1000000000));
	if (s->sessions < PG_HISTORY_LEAST)
		pg_str_addf(out, "%zu of the %d sessions that `compare` needs to judge single runs of these cells\n",
			    s->sessions, PG_HISTORY_LEAST);
	else
		pg_str_addf(out, "with %zu sessions `compare` judges single runs of these cells\n", s->sessions);
}

void pg_selfcheck_text(const struct pg_selfcheck *s, struct pg_str *out)
{
	pg_str_addf(out, "self-check: %zu cell%s, each against itself, %u rounds, seed %llu\n\n", s->n,
		    s->n == 1 ? "" : "s", s->rounds, (unsigned long long)s->seed);
	add_cells(s, out);
	add_legend(s, out);
	add_alarms(s, out);
	if (s->n_failed)
		pg_str_addf(out, "failed: %zu cell%s without a comparison\n", s->n_failed, s->n_failed == 1 ? "" : "s");
	add_advice(s, out);
	add_history(s, out);
}

/* ---- JSON ---- */

/* Absent where not known. */
static void put(struct pg_jout *j, const char *key, double v)
{
	if (isfinite(v))
		pg_jout_number(j, key, v);
}

static void put_history(struct pg_jout *j, const struct pg_selfcheck *s)
{
	if (!s->history)
		return;
	pg_jout_object(j, "history");
	pg_jout_text(j, "path", s->history);
	pg_jout_bool(j, "counts", s->counts);
	pg_jout_int(j, "sessions", (int64_t)s->sessions);
	pg_jout_int(j, "needed", PG_HISTORY_LEAST);
	pg_jout_close(j);
}

static void put_canary(struct pg_jout *j, const struct pg_selfcheck *s)
{
	if (s->canary.n == 0)
		return;
	pg_jout_object(j, "canary");
	pg_jout_int(j, "n", (int64_t)s->canary.n);
	put(j, "loop_sd_pct", s->canary.sd_pct[PG_CANARY_ALU]);
	put(j, "copy_sd_pct", s->canary.sd_pct[PG_CANARY_COPY]);
	pg_jout_close(j);
}

static void put_looks(struct pg_jout *j, const struct pg_selfcheck *s)
{
	if (s->n_looks == 0)
		return;
	pg_jout_array(j, "looks");
	for (unsigned i = 0; i < s->n_looks; i++)
		pg_jout_int(j, NULL, s->looks[i]);
	pg_jout_close(j);
}

static void put_cell(struct pg_jout *j, const struct pg_self_cell *c)
{
	pg_jout_object(j, NULL);
	pg_jout_text(j, "cell", c->name);
	pg_jout_text(j, "metric", c->metric);
	pg_jout_bool(j, "failed", c->failed);
	put(j, "sd_pct", c->sd_pct);
	for (int l = 0; l < PG_LENSES; l++) {
		if (isnan(c->lens[l].estimate))
			continue;
		pg_jout_object(j, lens_names[l]);
		put(j, "change_pct", 100 * expm1(c->lens[l].estimate));
		put(j, "lo_pct", 100 * expm1(c->lens[l].lo));
		put(j, "hi_pct", 100 * expm1(c->lens[l].hi));
		put(j, "p", c->lens[l].p);
		pg_jout_close(j);
	}
	put(j, "noise_pct", 100 * expm1(c->noise));
	put(j, "mde_pct", 100 * c->mde);
	put(j, "threshold_pct", 100 * c->threshold);
	put(j, "rounds_needed", c->needed);
	pg_jout_close(j);
}

void pg_selfcheck_json(const struct pg_selfcheck *s, struct pg_jout *j)
{
	pg_jout_object(j, "self_check");
	pg_jout_int(j, "rounds", s->rounds);
	pg_jout_int(j, "status", pg_selfcheck_status(s));
	for (int l = 0; l < PG_LENSES; l++) {
		if (s->alarms[l].m == 0)
			continue;
		pg_jout_object(j, lens_names[l]);
		pg_jout_int(j, "false_alarms", (int64_t)s->alarms[l].k);
		pg_jout_int(j, "comparisons", (int64_t)s->alarms[l].m);
		put(j, "rate_lo", s->alarms[l].limits.lo);
		put(j, "rate_hi", s->alarms[l].limits.hi);
		pg_jout_bool(j, "too_many", s->alarms[l].too_many);
		pg_jout_bool(j, "too_few_to_tell", s->alarms[l].few && !s->alarms[l].too_many);
		pg_jout_close(j);
	}
	/* Values that are all alike tell of no change that would be seen. */
	if (s->threshold > 0)
		put(j, "threshold_pct", 100 * s->threshold);
	put_looks(j, s);
	put_canary(j, s);
	put_history(j, s);
	pg_jout_array(j, "cells");
	for (size_t i = 0; i < s->n; i++)
		put_cell(j, &s->cell[i]);
	pg_jout_close(j);
	pg_jout_close(j);
}
