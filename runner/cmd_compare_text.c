/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a comparison for people: aligned text, or Markdown for a review, and the lines that close it. */
#include <math.h>
#include <string.h>

#include "base/str.h"
#include "runner/cmd_compare.h"
#include "runner/report.h"
#include "runner/summary.h"
#include "runner/terminal.h"
#include "runner/world.h"

#define ROUNDS_MOST 1000 /* more are no advice: something else has to change */

/* ---- counts and rules ---- */

static void add_count(struct pg_str *out, size_t from, size_t n, const char *what)
{
	if (n)
		pg_str_addf(out, "%s%zu %s", out->len > from ? ", " : "", n, what);
}

static void counts_line(const struct pg_compare_counts *k, struct pg_str *out)
{
	size_t from = out->len;

	add_count(out, from, k->verdict[PG_V_REGRESSED], "regressed");
	add_count(out, from, k->verdict[PG_V_FAILED], "failed");
	add_count(out, from, k->missing, "missing");
	add_count(out, from, k->verdict[PG_V_MIXED], "mixed");
	add_count(out, from, k->verdict[PG_V_UNCLEAR], "unclear");
	add_count(out, from, k->unreached, "not reached");
	add_count(out, from, k->verdict[PG_V_IMPROVED], "improved");
	add_count(out, from, k->verdict[PG_V_MINOR_WORSE], "minor+");
	add_count(out, from, k->verdict[PG_V_MINOR_BETTER], "minor-");
	add_count(out, from, k->verdict[PG_V_SAME], "same");
	add_count(out, from, k->left_out, "not measured");
	if (out->len == from)
		pg_str_adds(out, "nothing to compare");
	pg_str_addc(out, '\n');
}

/* What the judged rows were held against; sweeps may have rules of their own. */
struct rules {
	double threshold[2], alpha[2]; /* smallest, largest */
	bool used[PG_CORRECT_NONE + 1];
	uint32_t looks;
	bool cut;	  /* looks were left out */
	size_t cut_short; /* rows that ended by time before their last look */
};

static void widen(double *range, double v, bool first)
{
	range[0] = first ? v : fmin(range[0], v);
	range[1] = first ? v : fmax(range[1], v);
}

static bool is_judged(const struct pg_compare_row *r)
{
	return r->standing == PG_CMP_JUDGED && pg_compare_main_row(r);
}

static size_t find_rules(const struct pg_compare *c, struct rules *out)
{
	size_t n = 0;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < c->n; i++) {
		const struct pg_compare_row *r = &c->row[i];
		uint32_t looks = r->sweep->rules.compare.n_looks;

		if (!is_judged(r))
			continue;
		widen(out->threshold, 100 * r->c.threshold, n == 0);
		widen(out->alpha, r->c.alpha, n == 0);
		out->used[r->c.correction] = true;
		if (r->c.design == PG_PAIRED && looks > out->looks)
			out->looks = looks;
		out->cut = out->cut || (r->c.design == PG_PAIRED && r->sweep->rules.compare.cut > 0);
		out->cut_short += r->cut_short;
		n++;
	}
	return n;
}

static void add_range(struct pg_str *out, const double *range, const char *unit)
{
	pg_str_addf(out, "%.3g%s", range[0], unit);
	if (range[1] > range[0])
		pg_str_addf(out, " to %.3g%s", range[1], unit);
}

static void add_correction(struct pg_str *out, const struct rules *rules)
{
	static const char *const names[] = {
		[PG_CORRECT_HOLM] = "holm", [PG_CORRECT_BH] = "bh", [PG_CORRECT_NONE] = "no correction"};
	bool more = false;

	for (int i = 0; i <= PG_CORRECT_NONE; i++) {
		if (rules->used[i])
			pg_str_addf(out, "%s%s", more ? " or " : "", names[i]);
		more = more || rules->used[i];
	}
}

/* "threshold 5 %; 2 tests (1 comparison, 2 lenses), holm: p at most 0.0158 counts (5 looks)" */
static void rules_line(const struct pg_compare *c, struct pg_str *out)
{
	struct rules rules;
	size_t n = find_rules(c, &rules), tests = (size_t)c->hypotheses;

	if (n == 0)
		return;
	pg_str_adds(out, "threshold ");
	add_range(out, rules.threshold, " %");
	if (tests == 0) {
		pg_str_adds(out, "; nothing could be tested\n");
		return;
	}
	pg_str_addf(out, "; %zu test%s", tests, tests == 1 ? "" : "s");
	if (tests == n || tests == PG_LENSES * n)
		pg_str_addf(out, " (%zu comparison%s, %s)", n, n == 1 ? "" : "s", tests == n ? "1 lens" : "2 lenses");
	pg_str_adds(out, ", ");
	add_correction(out, &rules);
	pg_str_adds(out, ": p at most ");
	add_range(out, rules.alpha, "");
	pg_str_adds(out, " counts");
	if (rules.looks > 1)
		pg_str_addf(out, " (%u looks)", (unsigned)rules.looks);
	pg_str_addc(out, '\n');
}

/* Looks that were asked for and not taken: the level is that of the ones that were planned. */
static void say_looks(const struct pg_compare *c, struct pg_str *out)
{
	struct rules rules;

	if (find_rules(c, &rules) == 0)
		return;
	if (rules.cut)
		pg_str_adds(out, "looks: those after the last rep that `repeat` allows were left out; the last rep is "
				 "the last look\n");
	if (rules.cut_short)
		pg_str_addf(out,
			    "looks: %zu comparison%s ended by time before the last look; p counts as with all of "
			    "them\n",
			    rules.cut_short, rules.cut_short == 1 ? "" : "s");
}

/* What the columns mean, where it is not what one takes them for. */
static void legend(const struct pg_compare_report *r, const struct pg_compare_counts *k, struct pg_str *out)
{
	size_t n[PG_LENSES] = {0};

	for (size_t i = 0; i < r->c->n; i++) {
		unsigned l = pg_compare_shown(&r->c->row[i]);
		const struct pg_effect *e = &r->c->row[i].c.lens[l];

		n[l] += is_judged(&r->c->row[i]) && !isnan(l == PG_FLOOR ? e->estimate : e->lo);
	}
	if (n[PG_TYPICAL])
		pg_str_addf(out, "change: middle of the %s, not new / base\n",
			    r->live ? "round-by-round ratios" : "differences between sessions");
	if (n[PG_FLOOR])
		pg_str_adds(out, "change by the floor: of the means of the fastest quarters, not new / base\n");
	if (k->verdict[PG_V_MINOR_WORSE] + k->verdict[PG_V_MINOR_BETTER] > 0)
		pg_str_adds(out, "minor+: slightly worse; minor-: slightly better; both within the threshold\n");
}

/* ---- advice ---- */

/* Judged rows that are unclear for that reason, and what they need. */
struct need {
	size_t n, known;
	double least, most, feasible; /* feasible: the most that is at most ROUNDS_MOST, 0 = none */
	bool samples;
};

static struct need count_why(const struct pg_compare *c, enum pg_unclear why)
{
	struct need k = {0};

	for (size_t i = 0; i < c->n; i++) {
		const struct pg_compare_row *r = &c->row[i];
		double needed = r->c.needed;

		if (!is_judged(r) || r->c.verdict != PG_V_UNCLEAR || r->c.why != why)
			continue;
		k.n++;
		k.samples = k.samples || (r->flags & PG_CF_TRUSTED) != 0;
		if (isnan(needed))
			continue;
		k.least = k.known ? fmin(k.least, needed) : needed;
		k.most = fmax(k.most, needed);
		if (needed <= ROUNDS_MOST)
			k.feasible = fmax(k.feasible, needed);
		k.known++;
	}
	return k;
}

static void add_resume(struct pg_str *out, const char *dir)
{
	pg_str_adds(out, "perfgrid run --resume ");
	pg_shell_word(out, dir);
}

/* "about 120 to 220 rounds would do: perfgrid run --resume DIR --repeat 220" */
static void add_need(struct pg_str *out, const struct pg_compare_report *r, const struct need *k)
{
	double least = pg_compare_about(k->least), most = pg_compare_about(k->most);

	if (k->known == 0)
		return;
	pg_str_addf(out, "; about %.0f", least);
	if (most > least)
		pg_str_addf(out, " to %.0f", most);
	if (!r->live) {
		pg_str_addf(out, " %s on each side would do", k->samples ? "samples" : "sessions");
		return;
	}
	pg_str_adds(out, " rounds would do");
	if (k->known < k->n)
		pg_str_addf(out, " for %zu of them", k->known);
	if (!r->dir || k->feasible <= 0)
		return;
	pg_str_adds(out, ": ");
	add_resume(out, r->dir);
	pg_str_addf(out, " --repeat %.0f", pg_compare_about(k->feasible));
}

static void advise_reasons(const struct pg_compare_report *r, struct pg_str *out)
{
	static const struct {
		enum pg_unclear why;
		const char *live, *stored;
	} advice[] = {
		{PG_UC_N, "n: too few rounds to tell anything", "n: too few sessions to tell anything"},
		{PG_UC_NOISE,
		 "noise: a change as large as the threshold could go unseen; more rounds, a quieter machine, or a "
		 "larger `threshold`",
		 "noise: a change as large as the threshold could go unseen; more sessions, a quieter machine, or a "
		 "larger `threshold`"},
		{PG_UC_SESSION, "",
		 "single session: two runs at different times differ by themselves; use `variants:`, or `sessions: 5` "
		 "on both sides"},
		{PG_UC_ENV, "", "env: the machines are not alike; name what is meant to differ with --differs"},
		{PG_UC_LAYOUT, "layout: all reps of a side had one memory layout; use `process: exec`", NULL},
		{PG_UC_ZERO, "zero: a value of 0 has no ratio; compare another metric", NULL},
	};

	for (size_t i = 0; i < sizeof(advice) / sizeof(*advice); i++) {
		struct need k = count_why(r->c, advice[i].why);

		if (k.n == 0)
			continue;
		pg_str_adds(out, r->live || !advice[i].stored ? advice[i].live : advice[i].stored);
		pg_str_addf(out, " (%zu cell%s)", k.n, k.n == 1 ? "" : "s");
		add_need(out, r, &k);
		pg_str_addc(out, '\n');
	}
}

static unsigned all_flags(const struct pg_compare *c)
{
	unsigned flags = 0;

	for (size_t i = 0; i < c->n; i++)
		if (pg_compare_main_row(&c->row[i]))
			flags |= c->row[i].flags;
	return flags;
}

static void advise_flags(unsigned flags, bool live, struct pg_str *out)
{
	if (flags & PG_CF_GROUPED)
		pg_str_adds(out, "grouped: the sides were measured one after the other; the false-alarm rate is not "
				 "controlled; use `order: interleaved`\n");
	if (flags & PG_CF_LOOPS_DIFFER && live)
		pg_str_adds(out, "loops-differ: the arms were calibrated to different counts; give `loops` a number\n");
	if (flags & PG_CF_LOOPS_DIFFER && !live)
		pg_str_adds(out, "loops-differ: the sides have different counts; measure one again with the other's "
				 "(`perfgrid run --loops-from RUN`), or say --differs loops\n");
	if (flags & PG_CF_TRUSTED)
		pg_str_adds(out, "trust-stored: 29 to 76 % of such comparisons of a program with itself found a "
				 "difference on a noisy machine\n");
	if (flags & PG_CF_BIMODAL)
		pg_str_adds(out,
			    "*: the samples fall into two groups; look at samples.csv before you believe a median\n");
}

static void advise_counts(const struct pg_compare_report *r, const struct pg_compare_counts *k, struct pg_str *out)
{
	if (k->unreached) {
		pg_str_addf(out, "%zu not reached: the run is not complete", k->unreached);
		if (r->dir) {
			pg_str_adds(out, "; ");
			add_resume(out, r->dir);
		}
		pg_str_addc(out, '\n');
	}
	if (k->verdict[PG_V_MIXED])
		pg_str_adds(out, "mixed: the typical rep is worse and the undisturbed one better, or the other way "
				 "round; look at samples.csv, and choose one by `lens`\n");
	if (k->missing && k->n + k->left_out + k->unreached == 0)
		pg_str_adds(out, "the sides have no measured cell in common; another name of the sweep, bench or value "
				 "of a param makes another cell\n");
}

static void add_canary(struct pg_str *out, const struct pg_env_shift *s, int part)
{
	const double base = s->base[part], new = s->new[part];

	pg_compare_value_text(PG_U_S, base, new, out);
	pg_str_adds(out, " / ");
	pg_compare_value_text(PG_U_S, new, base, out);
	if (base > 0)
		pg_str_addf(out, " (%+.1f %%)", 100 * (new / base - 1));
}

static void warn_of_shift(const struct pg_env_shift *s, struct pg_str *out)
{
	if (!s->on)
		return;
	pg_str_adds(out, "env-shift: the machine itself ran at another speed: between the reps a fixed loop took ");
	add_canary(out, s, PG_CANARY_ALU);
	pg_str_adds(out, ", a copy of 1 MB ");
	add_canary(out, s, PG_CANARY_COPY);
	pg_str_adds(out, "; changes of that size may be its own and not the program's; `variants:` are measured in "
			 "turns\n");
}

void pg_compare_closing(const struct pg_compare_report *r, struct pg_str *out)
{
	struct pg_compare_counts k;

	pg_compare_count(r->c, &k);
	counts_line(&k, out);
	rules_line(r->c, out);
	say_looks(r->c, out);
	legend(r, &k, out);
	advise_counts(r, &k, out);
	advise_reasons(r, out);
	advise_flags(all_flags(r->c), r->live, out);
	warn_of_shift(&r->c->shift, out);
}

static void say_hidden(const struct pg_compare_table *t, struct pg_str *out)
{
	if (t->hidden)
		pg_str_addf(out, "not shown: %zu that are the same or not measured; --format csv has them\n",
			    t->hidden);
}

/* ---- text ---- */

/* Rows become a grid; their notes stand below them, so that a long one makes no column wide. */
struct lines {
	struct pg_grid grid;
	struct pg_str notes; /* one a row, each with its NUL */
};

static void grid_field(void *ctx, const char *text)
{
	pg_grid_add(&((struct lines *)ctx)->grid, text);
}

static void grid_end(void *ctx, const char *note)
{
	struct lines *l = ctx;

	pg_grid_end_row(&l->grid);
	note = note ? note : "";
	pg_clean_line(&l->notes, note, strlen(note));
	pg_str_add(&l->notes, "", 1);
}

static void print_lines(const struct lines *l, struct pg_str *out)
{
	const char *note = pg_str_text(&l->notes);
	struct pg_str rows;

	pg_str_init(&rows);
	pg_grid_print(&l->grid, &rows);
	for (const char *s = pg_str_text(&rows); *s && !l->notes.failed; s += strcspn(s, "\n") + 1) {
		pg_str_addf(out, "%.*s\n", (int)strcspn(s, "\n"), s);
		if (*note)
			pg_str_addf(out, "    %s\n", note);
		note += strlen(note) + 1;
	}
	out->failed = out->failed || rows.failed || l->grid.failed || l->notes.failed;
	pg_str_release(&rows);
}

void pg_compare_text(const struct pg_compare_report *r, struct pg_str *out)
{
	struct pg_compare_table t;
	struct lines l;
	const struct pg_compare_sink to = {grid_field, grid_end, &l};

	pg_compare_table_init(&t, r);
	pg_grid_init(&l.grid);
	pg_str_init(&l.notes);
	if (t.n > 0) {
		pg_compare_table_title(&t, r, out);
		pg_str_addc(out, '\n');
		pg_compare_table_put(&t, &to);
		print_lines(&l, out);
	}
	say_hidden(&t, out);
	pg_compare_closing(r, out);
	out->failed = out->failed || t.failed;
	pg_grid_release(&l.grid);
	pg_str_release(&l.notes);
	pg_compare_table_release(&t);
}

/* ---- Markdown ---- */

struct markdown {
	struct pg_str *out;
	size_t columns;
};

static void add_escaped(struct pg_str *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("|\\`*_<>", *text))
			pg_str_addc(out, '\\');
		pg_str_addc(out, *text);
	}
}

static void markdown_field(void *ctx, const char *text)
{
	struct markdown *m = ctx;

	pg_str_adds(m->out, m->columns++ ? " " : "| ");
	add_escaped(m->out, text);
	pg_str_adds(m->out, " |");
}

static void markdown_end(void *ctx, const char *note)
{
	struct markdown *m = ctx;

	markdown_field(m, note ? note : "note");
	pg_str_addc(m->out, '\n');
	for (size_t i = 0; !note && i < m->columns; i++)
		pg_str_adds(m->out, i ? " --- |" : "| --- |");
	if (!note)
		pg_str_addc(m->out, '\n');
	m->columns = 0;
}

void pg_compare_markdown(const struct pg_compare_report *r, struct pg_str *out)
{
	struct markdown m = {.out = out};
	const struct pg_compare_sink to = {markdown_field, markdown_end, &m};
	struct pg_compare_table t;
	struct pg_str lines;

	pg_str_init(&lines);
	pg_compare_table_init(&t, r);
	if (t.n > 0) {
		pg_compare_table_title(&t, r, &lines);
		add_escaped(out, pg_str_text(&lines));
		pg_str_adds(out, "\n\n");
		pg_compare_table_put(&t, &to);
		pg_str_addc(out, '\n');
	}
	pg_str_reset(&lines);
	say_hidden(&t, &lines);
	pg_compare_closing(r, &lines);
	for (const char *s = pg_str_text(&lines); *s; s += strcspn(s, "\n") + 1)
		pg_str_addf(out, "- %.*s\n", (int)strcspn(s, "\n"), s);
	out->failed = out->failed || lines.failed || t.failed;
	pg_str_release(&lines);
	pg_compare_table_release(&t);
}

/* ---- after a run ---- */

void pg_compare_say(const struct pg_world *w, struct pg_store *s)
{
	struct pg_compare_report r = {.dir = pg_store_dir(s), .live = true};
	struct pg_str text;
	struct pg_err err;

	pg_str_init(&text);
	if (pg_store_compared(s, &r.c, &err) != 0) {
		pg_report(w, &err, false);
	} else if (r.c->n > 0) {
		pg_compare_text(&r, &text);
		for (const char *line = pg_str_text(&text); *line; line += strcspn(line, "\n") + 1)
			pg_say(w, "%.*s", (int)strcspn(line, "\n"), line);
	}
	pg_str_release(&text);
}
