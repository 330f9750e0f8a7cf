/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Progress of a run on standard error. */
#include "runner/progress.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/str.h"
#include "engine/executor.h"
#include "runner/reasons.h"
#include "runner/report.h"
#include "runner/world.h"

#define REDRAW_NS 100000000

/* What is known of a cell: its time per rep and how many it had. */
struct pace {
	float s;       /* seconds per rep, smoothed; 0 = not yet measured */
	uint32_t done; /* reps and warm-ups; UINT32_MAX = finished */
};

struct pg_progress {
	const struct pg_world *w;
	const struct pg_plan *plan;
	enum pg_progress_mode mode;
	struct pg_observer observer;
	size_t cells, cells_done; /* that are to run */

	struct pace *pace; /* one per cell of the plan */
	size_t pace_bytes;
	double known_left;   /* seconds, over cells with a pace */
	double unknown_reps; /* reps of cells without one */
	double pace_sum;     /* over the cells of pace_n */
	size_t pace_n;

	int64_t started, last; /* of the session; of the last event */
	int64_t until;	       /* its end, 0 = when all is done */
	int64_t drawn;
	bool ever_drawn;
	size_t on_screen; /* columns of the live line */

	struct pg_reasons reasons;
	uint16_t *why; /* per cell the reason of its last bad rep, made at the first one */
	size_t why_bytes;
};

enum pg_progress_mode pg_progress_mode(const struct pg_world *w, bool quiet)
{
	const char *term = pg_world_env(w, "TERM");

	if (quiet)
		return PG_PROGRESS_NONE;
	if (w->columns(w, w->err) == 0 || !term || !*term || strcmp(term, "dumb") == 0)
		return PG_PROGRESS_LINES;
	return PG_PROGRESS_LIVE;
}

static int64_t now(const struct pg_progress *p)
{
	return p->w->clock->mono(p->w->clock->ctx);
}

/* Reps that a cell gets at most, warm-ups included. */
static uint32_t due(const struct pg_rules *rules)
{
	return rules->warmup + pg_rounds_at_most(rules);
}

static double reps_left(const struct pace *c, const struct pg_rules *rules)
{
	return c->done < due(rules) ? (double)(due(rules) - c->done) : 0;
}

static double seconds_left(const struct pace *c, const struct pg_rules *rules)
{
	double s = (double)c->s * reps_left(c, rules);
	double most = (double)rules->repeat.time_ns * 1e-9;

	return !rules->repeat.fixed && rules->repeat.time_ns > 0 && s > most ? most : s;
}

/* Takes a cell out of the sums (sign -1) or puts it in (sign 1). */
static void sum_cell(struct pg_progress *p, const struct pace *c, const struct pg_rules *rules, double sign)
{
	if (c->s > 0) {
		p->known_left += sign * seconds_left(c, rules);
		p->pace_sum += sign * (double)c->s;
		p->pace_n = sign > 0 ? p->pace_n + 1 : p->pace_n - 1;
	} else {
		p->unknown_reps += sign * reps_left(c, rules);
	}
}

/* Below 0 = not known. */
static double work_left(const struct pg_progress *p)
{
	double left = p->known_left > 0 ? p->known_left : 0;

	if (p->pace_n == 0)
		return p->unknown_reps > 0 ? -1 : left;
	return left + (p->unknown_reps > 0 ? p->unknown_reps * p->pace_sum / (double)p->pace_n : 0);
}

double pg_progress_left(const struct pg_progress *p)
{
	double left = work_left(p), time = (double)pg_since(p->until, now(p)) * 1e-9;

	return p->until > 0 && (left < 0 || left > time) ? time : left;
}

/* A finished cell keeps its pace in the mean: it still says what a rep of this sweep takes. */
static void finish_cell(struct pg_progress *p, struct pace *c, const struct pg_rules *rules)
{
	sum_cell(p, c, rules, -1);
	c->done = UINT32_MAX;
	sum_cell(p, c, rules, 1);
	p->cells_done++;
}

void pg_progress_clear(struct pg_progress *p)
{
	if (!p || p->on_screen == 0)
		return;
	fprintf(p->w->err, "\r%*s\r", (int)p->on_screen, "");
	fflush(p->w->err);
	p->on_screen = 0;
}

/*
 * The bytes of s that fit in `columns`; *used becomes what they take. Without a locale nobody says how wide a character
 * is: from U+1100 on two columns are reckoned, so that a line is cut early rather than wrapped.
 */
static size_t fit(const char *s, size_t n, size_t columns, size_t *used)
{
	size_t at = 0;

	for (*used = 0; at < n;) {
		size_t k = pg_utf8_len(s + at, n - at);
		size_t wide = k > 2 && memcmp(s + at, "\xe1\x84\x80", 3) >= 0 ? 2 : 1;

		if (*used + wide > columns)
			break;
		at += k ? k : 1;
		*used += wide;
	}
	return at;
}

static void draw(struct pg_progress *p, const struct pg_str *text)
{
	unsigned columns = p->w->columns(p->w, p->w->err);
	struct pg_str line;
	size_t bytes, used;

	pg_str_init(&line);
	pg_clean_line(&line, pg_str_text(text), text->len);
	/* The last column stays free: a cursor behind it wraps on some terminals. */
	bytes = fit(pg_str_text(&line), line.len, columns > 1 ? columns - 1 : 79, &used);
	fprintf(p->w->err, "\r%.*s%*s", (int)bytes, pg_str_text(&line),
		(int)(p->on_screen > used ? p->on_screen - used : 0), "");
	/* Behind blanks that wiped the longer line before, the cursor goes back to the end of the text. */
	if (p->on_screen > used)
		fprintf(p->w->err, "\r%.*s", (int)bytes, pg_str_text(&line));
	fflush(p->w->err);
	p->on_screen = used;
	pg_str_release(&line);
}

/* "SWEEP axis=value axis=value": where in the matrix the cell stands. */
static void add_cell_name(const struct pg_progress *p, const struct pg_cell *cell, struct pg_str *out)
{
	const struct pg_sweep *s = pg_plan_sweep(p->plan, cell->sweep);

	pg_str_adds(out, s->name);
	for (size_t i = 0; i < s->n_axes; i++) {
		const struct pg_axis *a = &s->axes[i];

		pg_str_addf(out, " %s=", a->name);
		if (a->bundle)
			pg_str_adds(out, a->labels[cell->pos[i]]);
		else
			pg_value_format(&s->params[a->param], &cell->vals[a->param], out);
	}
}

static void live_line(struct pg_progress *p, const struct pg_job *job, int64_t t)
{
	struct pg_str text;
	double left = pg_progress_left(p);

	pg_str_init(&text);
	pg_str_addf(&text, "%zu/%zu cells, ", p->cells_done, p->cells);
	pg_human_time(&text, (double)(t - p->started) * 1e-9);
	if (left >= 0) {
		pg_str_adds(&text, ", about ");
		pg_human_time(&text, left);
		pg_str_adds(&text, " left");
	}
	pg_str_adds(&text, ": ");
	add_cell_name(p, job->cell, &text);
	if (job->calibrate)
		pg_str_adds(&text, ", calibrating");
	else
		pg_str_addf(&text, ", %s %u", job->warmup ? "warm-up" : "rep", job->rep);
	draw(p, &text);
	pg_str_release(&text);
}

static int on_rep_start(void *ctx, const struct pg_job *job)
{
	struct pg_progress *p = ctx;
	int64_t t;

	if (p->mode != PG_PROGRESS_LIVE)
		return 0;
	t = now(p);
	if (p->ever_drawn && t - p->drawn < REDRAW_NS)
		return 0;
	live_line(p, job, t);
	p->drawn = t;
	p->ever_drawn = true;
	return 0;
}

/* Calibration is no part of a cell's pace. */
static int on_calibrated(void *ctx, const struct pg_cell *cell, uint64_t ops, struct pg_err *err)
{
	struct pg_progress *p = ctx;

	(void)cell;
	(void)ops;
	(void)err;
	p->last = now(p);
	return 0;
}

static void keep_reason(struct pg_progress *p, size_t cell, const char *why)
{
	size_t n = pg_plan_cells(p->plan);

	if (!p->why) {
		p->why_bytes = n * sizeof(*p->why);
		p->why = pg_big_alloc(p->why_bytes);
	}
	if (p->why)
		p->why[cell] = (uint16_t)(pg_reasons_id(&p->reasons, why) + 1);
}

static int on_rep_done(void *ctx, const struct pg_cell *cell, const struct pg_rep_record *r, struct pg_err *err)
{
	struct pg_progress *p = ctx;
	struct pace *c = &p->pace[cell->index];
	int64_t t = now(p);
	float s = (float)((double)pg_since(t, p->last) * 1e-9);

	(void)err;
	p->last = t;
	if (r->out->status != PG_ST_OK)
		keep_reason(p, cell->index, r->out->why);
	if (c->done == UINT32_MAX)
		return 0;
	sum_cell(p, c, cell->rules, -1);
	c->s = c->s > 0 ? 0.75f * c->s + 0.25f * s : s;
	if (r->attempt <= 1 && !r->redo)
		c->done++;
	sum_cell(p, c, cell->rules, 1);
	return 0;
}

static const char *reason_of(const struct pg_progress *p, size_t cell)
{
	return p->why && p->why[cell] ? p->reasons.v[p->why[cell] - 1].text : NULL;
}

static void cell_line(struct pg_progress *p, const struct pg_cell *cell, uint32_t reps, enum pg_stop stop,
		      enum pg_status status)
{
	const char *why = reason_of(p, cell->index);
	struct pg_str text;

	pg_str_init(&text);
	pg_str_addf(&text, "[%zu/%zu] ", p->cells_done, p->cells);
	add_cell_name(p, cell, &text);
	pg_str_addf(&text, ": %s", pg_status_name(status));
	if (why && (status == PG_ST_FAILED || status == PG_ST_TIMEOUT))
		pg_str_addf(&text, ": %s", why);
	else if (stop == PG_STOP_LOOK && reps)
		pg_str_addf(&text, " (answered after %u round%s)", (unsigned)reps, reps == 1 ? "" : "s");
	else if (stop != PG_STOP_FIXED && stop != PG_STOP_NONE)
		pg_str_addf(&text, " (%s)", pg_stop_name(stop));
	pg_say(p->w, "%s", pg_str_text(&text));
	pg_str_release(&text);
}

static int on_cell_done(void *ctx, const struct pg_cell *cell, enum pg_stop stop, enum pg_status status,
			struct pg_err *err)
{
	struct pg_progress *p = ctx;
	struct pace *c = &p->pace[cell->index];
	uint32_t reps = c->done == UINT32_MAX || c->done < cell->rules->warmup ? 0 : c->done - cell->rules->warmup;

	(void)err;
	if (c->done != UINT32_MAX)
		finish_cell(p, c, cell->rules);
	if ((status == PG_ST_FAILED || status == PG_ST_TIMEOUT) && p->why && p->why[cell->index])
		pg_reasons_count(&p->reasons, p->why[cell->index] - 1u);
	if (p->mode == PG_PROGRESS_LINES)
		cell_line(p, cell, reps, stop, status);
	return 0;
}

/* Which cells there are to run, and how many reps they take. */
static int count_cells(struct pg_progress *p, struct pg_err *err)
{
	struct pg_cell_buf *buf = pg_cell_buf_new(p->plan);

	if (!buf)
		return pg_fail_nomem(err);
	for (size_t i = 0; i < pg_plan_cells(p->plan); i++) {
		const struct pg_cell *c = pg_plan_cell(p->plan, i, buf);

		if (c->skip != PG_NOT_SKIPPED)
			continue;
		p->cells++;
		p->unknown_reps += (double)due(c->rules);
	}
	pg_cell_buf_free(buf);
	return 0;
}

int pg_progress_new(struct pg_progress **out, const struct pg_world *w, const struct pg_plan *plan,
		    enum pg_progress_mode mode, struct pg_err *err)
{
	struct pg_progress *p = calloc(1, sizeof(*p));

	if (!p)
		return pg_fail_nomem(err);
	p->w = w;
	p->plan = plan;
	p->mode = mode;
	p->observer = (struct pg_observer){
		.rep_start = on_rep_start,
		.calibrated = on_calibrated,
		.rep_done = on_rep_done,
		.cell_done = on_cell_done,
		.ctx = p,
	};
	pg_reasons_init(&p->reasons);
	p->pace_bytes = pg_plan_cells(plan) * sizeof(*p->pace);
	p->pace = pg_big_alloc(p->pace_bytes);
	if (!p->pace)
		pg_fail_nomem(err);
	if (!p->pace || count_cells(p, err) != 0) {
		pg_progress_free(p);
		return -1;
	}
	p->started = p->last = now(p);
	*out = p;
	return 0;
}

void pg_progress_free(struct pg_progress *p)
{
	if (!p)
		return;
	pg_big_free(p->pace, p->pace ? p->pace_bytes : 0);
	pg_big_free(p->why, p->why ? p->why_bytes : 0);
	pg_reasons_release(&p->reasons);
	free(p);
}

void pg_progress_restore(struct pg_progress *p, size_t sweep, const struct pg_rounds *rounds)
{
	const struct pg_sweep *s = pg_plan_sweep(p->plan, sweep);

	for (size_t i = 0; i < s->n_cells; i++) {
		struct pace *c = &p->pace[s->first_cell + i];
		struct pg_cell_state st;

		pg_rounds_state(rounds, i, &st);
		if (st.status == PG_ST_SKIPPED || (st.stop == PG_STOP_NONE && st.n + st.n_warmup + st.n_failed == 0))
			continue;
		if (st.stop != PG_STOP_NONE) {
			finish_cell(p, c, &s->rules);
			continue;
		}
		sum_cell(p, c, &s->rules, -1);
		c->done = st.n + st.n_failed + st.n_warmup;
		sum_cell(p, c, &s->rules, 1);
	}
	p->last = now(p);
}

void pg_progress_until(struct pg_progress *p, int64_t time_ns)
{
	p->until = time_ns;
}

void pg_progress_rested(struct pg_progress *p)
{
	p->last = now(p);
}

const struct pg_observer *pg_progress_observer(struct pg_progress *p)
{
	return &p->observer;
}

const struct pg_reasons *pg_progress_reasons(const struct pg_progress *p)
{
	return &p->reasons;
}
