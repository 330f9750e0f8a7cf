/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The closing summary. */
#include "runner/summary.h"

#include <string.h>

#include "base/str.h"
#include "plan/plan.h"
#include "runner/reasons.h"
#include "runner/report.h"
#include "runner/world.h"
#include "store/store.h"

#define SHOWN 10 /* reasons of a kind */

void pg_shell_word(struct pg_str *out, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./,:+@%=";

	if (*text && text[strspn(text, plain)] == '\0') {
		pg_str_adds(out, text);
		return;
	}
	pg_str_addc(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			pg_str_adds(out, "'\\''");
		else
			pg_str_addc(out, *text);
	}
	pg_str_addc(out, '\'');
}

static void add_count(struct pg_str *out, size_t n, const char *what)
{
	if (n > 0)
		pg_str_addf(out, "%s%zu %s", out->len > 0 ? ", " : "", n, what);
}

static size_t counted(const struct pg_reasons *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->v[i].count;
	return n;
}

static void print_reasons(const struct pg_world *w, const struct pg_reasons *r, const char *what)
{
	size_t shown = 0, more = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (r->v[i].count == 0)
			continue;
		if (shown++ < SHOWN)
			pg_say(w, "  %s: %s (%zu cell%s)", what, *r->v[i].text ? r->v[i].text : "no reason known",
			       r->v[i].count, r->v[i].count == 1 ? "" : "s");
		else
			more += r->v[i].count;
	}
	if (more > 0)
		pg_say(w, "  %s: %zu more reason%s (%zu cell%s); each cells.csv has them", what, shown - SHOWN,
		       shown - SHOWN == 1 ? "" : "s", more, more == 1 ? "" : "s");
}

/* Reasons known before anything ran: skip rules, preflight, --only. */
static void print_skips(const struct pg_world *w, const struct pg_plan *plan)
{
	struct pg_cell_buf *buf = pg_cell_buf_new(plan);
	struct pg_reasons skipped, not_run;

	pg_reasons_init(&skipped);
	pg_reasons_init(&not_run);
	for (size_t i = 0; buf && i < pg_plan_cells(plan); i++) {
		const struct pg_cell *c = pg_plan_cell(plan, i, buf);
		struct pg_reasons *r = c->skip == PG_SKIP_NOT_SELECTED ? &not_run : &skipped;

		if (c->skip != PG_NOT_SKIPPED)
			pg_reasons_count(r, pg_reasons_id(r, c->why ? c->why : ""));
	}
	print_reasons(w, &skipped, "skipped");
	print_reasons(w, &not_run, "not run");
	pg_reasons_release(&skipped);
	pg_reasons_release(&not_run);
	pg_cell_buf_free(buf);
}

static void print_counts(const struct pg_world *w, const struct pg_summary_in *in)
{
	const struct pg_store_counts *c = in->counts;
	struct pg_str text, time;

	pg_str_init(&text);
	pg_str_init(&time);
	add_count(&text, c->ok, "ok");
	add_count(&text, c->failed, "failed");
	add_count(&text, c->timeout, "timeout");
	add_count(&text, c->unstable, "unstable");
	add_count(&text, c->skipped, "skipped");
	add_count(&text, c->not_run, "not run");
	pg_human_time(&time, (double)in->elapsed_ns * 1e-9);
	pg_say(w, "%s; %s in %s", text.len > 0 ? pg_str_text(&text) : "no cells", in->dir, pg_str_text(&time));
	pg_str_release(&text);
	pg_str_release(&time);
}

static void print_next(const struct pg_world *w, const struct pg_summary_in *in)
{
	struct pg_str dir;

	pg_str_init(&dir);
	pg_shell_word(&dir, in->dir);
	if (in->unfinished)
		pg_say(w, "to go on: perfgrid run --resume %s", pg_str_text(&dir));
	else if (in->counts->failed + in->counts->timeout > 0)
		pg_say(w, "to try again: perfgrid run --resume %s --retry-failed", pg_str_text(&dir));
	if (in->counts->unstable > 0)
		pg_say(w, "unstable: the `ci` asked for was not reached%s; %s, or quieten the machine",
		       in->budget ? " within the budget" : "",
		       in->budget ? "give a longer one" : "raise `max` or `time` of `repeat`");
	pg_str_release(&dir);
}

static void print_failed(const struct pg_world *w, const struct pg_summary_in *in)
{
	size_t all = in->counts->failed + in->counts->timeout, now = counted(in->bad);

	print_reasons(w, in->bad, "failed");
	if (all > now)
		pg_say(w, "  failed: in an earlier session (%zu cell%s)", all - now, all - now == 1 ? "" : "s");
}

void pg_summary_print(const struct pg_world *w, const struct pg_summary_in *in)
{
	if (in->quiet) {
		print_failed(w, in);
		return;
	}
	print_counts(w, in);
	print_failed(w, in);
	if (in->counts->skipped + in->counts->not_run > 0)
		print_skips(w, in->plan);
	if (in->flags)
		pg_summary_flags(w, in->plan, in->flags);
	print_next(w, in);
}

void pg_summary_cut(const struct pg_world *w, const char *dir)
{
	struct pg_str word;

	pg_str_init(&word);
	pg_shell_word(&word, dir);
	pg_say(w,
	       "warning: '%s/run.json' says complete, the journal ends before that; restore it from a copy, or measure "
	       "the rest again: perfgrid run --resume %s",
	       dir, pg_str_text(&word));
	pg_str_release(&word);
}
