/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Folding of one cell at a time. */
#include "store/fold.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/num.h"

int pg_fold_init(struct pg_fold *f, const struct pg_samples *s, struct pg_err *err)
{
	memset(f, 0, sizeof(*f));
	f->samples = s;
	f->cap = pg_samples_deepest(s) + 1;
	f->reps = malloc(f->cap * sizeof(*f->reps));
	f->x = malloc(f->cap * sizeof(*f->x));
	f->scratch = malloc(2 * f->cap * sizeof(*f->scratch));
	f->deep = malloc(pg_diagnose_scratch(f->cap) * sizeof(*f->deep));
	if (f->reps && f->x && f->scratch && f->deep)
		return 0;
	pg_fold_release(f);
	return pg_fail_nomem(err);
}

void pg_fold_release(struct pg_fold *f)
{
	free(f->reps);
	free(f->x);
	free(f->scratch);
	free(f->deep);
	f->reps = NULL;
	f->x = f->scratch = f->deep = NULL;
}

void pg_fold_enter(struct pg_fold *f, const struct pg_sweep *sw, size_t index)
{
	f->sw = sw;
	f->acc = pg_samples_acc(f->samples, index);
	f->n = f->acc->n;
	if (f->n)
		pg_samples_reps(f->samples, sw->index, index, f->reps);
}

void pg_fold_metric(struct pg_fold *f, size_t metric, struct pg_summary *out)
{
	const struct pg_repeat *r = &f->sw->rules.repeat;
	size_t n = 0;

	for (size_t i = 0; i < f->n; i++) {
		double v;

		if (pg_samples_value(f->samples, f->sw->index, metric, f->reps[i], &v) && isfinite(v))
			f->x[n++] = v;
	}
	pg_summarise(f->x, n, f->sw->metrics[metric].better == PG_HIGHER, r->conf, r->exact, f->scratch, out);
}

/* Whole numbers by nature, and the same in every rep of a quiet cell: no test of docs/statistics.md 7 is for them. */
static bool engine_count(const struct pg_metric *m)
{
	return m->flags & PG_M_ENGINE && (m->unit == PG_U_COUNT || m->unit == PG_U_B);
}

void pg_fold_diagnose(struct pg_fold *f, size_t metric, const struct pg_summary *s, struct pg_diagnosis *out)
{
	const struct pg_repeat *r = &f->sw->rules.repeat;

	if (engine_count(&f->sw->metrics[metric])) {
		memset(out, 0, sizeof(*out));
		out->drift_pct = out->drift_p = PG_NAN;
		return;
	}
	pg_diagnose(f->x, f->scratch, s, f->sw->metrics[metric].better == PG_HIGHER, r->fixed ? 0 : r->ci, f->deep,
		    out);
}

/* Median and share of the mode that most reps are in; the lower one of two alike. */
static double dominant(struct pg_fold *f, size_t metric, const struct pg_summary *s, bool share)
{
	struct pg_diagnosis d;
	const struct pg_mode *m;

	if (s->n == 0)
		return (double)NAN;
	pg_fold_diagnose(f, metric, s, &d);
	if (!d.bimodal)
		return share ? 100 : s->median;
	m = &d.mode[d.mode[1].n > d.mode[0].n];
	return share ? 100 * (double)m->n / (double)s->n : m->median;
}

double pg_fold_statistic(struct pg_fold *f, size_t metric, const struct pg_summary *s, enum pg_statistic which)
{
	switch (which) {
	case PG_STAT_MEDIAN:
		return s->median;
	case PG_STAT_MEAN:
		return s->mean;
	case PG_STAT_MIN:
		return s->min;
	case PG_STAT_MAX:
		return s->max;
	case PG_STAT_BEST:
		return s->best;
	case PG_STAT_SD:
		return s->sd;
	case PG_STAT_SD_PCT:
		return s->sd_pct;
	case PG_STAT_MAD:
		return s->mad;
	case PG_STAT_Q25:
		return s->q25;
	case PG_STAT_Q75:
		return s->q75;
	case PG_STAT_N:
		return s->n ? (double)s->n : (double)NAN;
	case PG_STAT_CI_LO:
		return s->ci_lo;
	case PG_STAT_CI_HI:
		return s->ci_hi;
	case PG_STAT_CI_PCT:
		return s->ci_pct;
	case PG_STAT_MODE:
	case PG_STAT_MODE_PCT:
		return dominant(f, metric, s, which == PG_STAT_MODE_PCT);
	}
	return (double)NAN;
}

/* "interval is 3.1 % after 50 reps, 2 % was asked for; about 120 reps would do": docs/statistics.md 5.3. */
static const char *unstable(struct pg_fold *f, char *buf, size_t size)
{
	const struct pg_repeat *r = &f->sw->rules.repeat;
	double want = 100 * r->ci, times;
	struct pg_summary s;
	const char *limit = f->acc->stop == PG_STOP_TIME ? "time" : "max";

	pg_fold_metric(f, f->sw->stop_metric, &s);
	if (!(s.ci_pct >= 0) || s.range) {
		snprintf(buf, size, "`%s` was reached after %zu reps, too few for the interval that `ci` asks for",
			 limit, s.n);
		return buf;
	}
	times = s.ci_pct / want;
	snprintf(
		buf, size,
		"interval is %.3g %% after %zu reps, %.3g %% was asked for; `%s` was reached, about %.0f reps would do",
		s.ci_pct, s.n, want, limit, ceil((double)s.n * times * times));
	return buf;
}

const char *pg_fold_reason(struct pg_fold *f, const struct pg_cell *c, enum pg_status status, char *buf, size_t size)
{
	switch (status) {
	case PG_ST_FAILED:
	case PG_ST_TIMEOUT:
	case PG_ST_INVALID:
		return f->acc->why ? f->acc->why : "";
	case PG_ST_SKIPPED:
	case PG_ST_NOT_RUN:
		return c->why ? c->why : "";
	case PG_ST_UNSTABLE:
		return unstable(f, buf, size);
	case PG_ST_OK:
	case PG_ST_ABSENT:
		break;
	}
	return "";
}
