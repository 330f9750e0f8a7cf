/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `compare`: a run with variants, or two sides of stored runs; the report and what it means for a gate or a bisection.
 */
#include "runner/cmd_compare.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/num.h"
#include "base/str.h"
#include "runner/commands.h"
#include "runner/report.h"
#include "runner/world.h"
#include "store/csv_write.h"
#include "store/fileio.h"

#define BISECT_SKIP 125

static const char *const lens_words[] = {"both", "typical", "floor", NULL};
static const char *const correction_words[] = {"holm", "bh", "none", NULL};
static const char *const pass_words[] = {"pass", "fail", NULL};
static const char *const format_words[] = {"text", "csv", "json", "markdown", NULL};

/* clang-format off */
const struct pg_option pg_compare_options[] = {
	{.name = "differs", .arg = "TRAIT", .doc = "what is meant to differ between the sides: cpu, cpus, kernel, microcode, governor, "
	 "turbo, smt, hypervisor, version, loops, sample_time; several with commas or by repeating",
	 PG_OPT_AT(struct pg_compare_cmd, differs)},
	{.name = "threshold", .arg = "PERCENT", .doc = "changes up to this are no regression (5%)",
	 PG_OPT_AT(struct pg_compare_cmd, threshold)},
	{.name = "lens", .arg = "LENS", .doc = "both, typical (the middle of the reps) or floor (the undisturbed ones)", .words = lens_words, PG_OPT_AT(struct pg_compare_cmd, lens)},
	{.name = "correction", .arg = "RULE", .doc = "how p is corrected for many tests: holm, bh or none", .words = correction_words,
	 PG_OPT_AT(struct pg_compare_cmd, correction)},
	{.name = "trust-stored", .doc = "test the samples of single sessions against each other; often calls equal things different",
	 PG_OPT_AT(struct pg_compare_cmd, trust_stored)},
	{.name = "gate", .doc = "the exit status is that of the verdicts: 0, 1, 4, 5", PG_OPT_AT(struct pg_compare_cmd, gate)},
	{.name = "inconclusive", .arg = "pass|fail", .doc = "with --gate or --bisect: what is unclear passes, or "
	 "fails as if it had regressed", .words = pass_words,
	 PG_OPT_AT(struct pg_compare_cmd, inconclusive)},
	{.name = "missing", .arg = "pass|fail", .doc = "with --gate or --bisect: cells that one side lacks do not "
	 "count, or fail (fail)",
	 .words = pass_words, PG_OPT_AT(struct pg_compare_cmd, missing)},
	{.name = "bisect", .doc = "for `git bisect run`: 0 good, 1 regressed, 125 anything else",
	 PG_OPT_AT(struct pg_compare_cmd, bisect)},
	{.name = "format", .arg = "FORMAT", .doc = "text, csv, json or markdown (text)", .words = format_words,
	 PG_OPT_AT(struct pg_compare_cmd, format)},
	{.name = "output", .opt = 'o', .arg = "FILE", .doc = "write the report there; - is standard output",
	 PG_OPT_AT(struct pg_compare_cmd, output)},
	{.name = NULL},
};
/* clang-format on */

struct comparing {
	struct pg_world *w;
	const struct pg_compare_cmd *o;
	struct pg_stored_opts opts;
	struct pg_compare c;
	struct pg_compare_report report;
};

/* ---- options ---- */

static int find_word(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return -1;
}

static int take_threshold(const char *text, struct pg_compare_opts *out, struct pg_err *err)
{
	size_t n = strlen(text);
	struct pg_dec d;
	double v;

	if (n < 2 || text[n - 1] != '%' || pg_dec_parse(text, n - 1, false, &d) != PG_NUM_OK)
		return pg_fail(err, PG_EUSAGE, "--threshold '%s' is no percentage; such as 5%%", text);
	v = pg_dec_to_double(d) / 100;
	if (!(v > 0) || v > 1)
		return pg_fail(err, PG_EUSAGE, "--threshold '%s' is out of range; above 0%% and at most 100%%", text);
	out->has_threshold = true;
	out->threshold = v;
	return 0;
}

/* One trait, or several with commas. */
static int take_differs(const char *text, unsigned *bits, struct pg_err *err)
{
	for (;;) {
		size_t n = strcspn(text, ",");
		char name[64];
		int t = -1;

		if (n > 0 && n < sizeof(name)) {
			memcpy(name, text, n);
			name[n] = '\0';
			t = pg_trait_find(name);
		}
		if (t < 0)
			return pg_fail(err, PG_EUSAGE,
				       "--differs '%.*s' names nothing; cpu, cpus, kernel, microcode, governor, turbo, "
				       "smt, hypervisor, version, loops, sample_time",
				       (int)n, text);
		*bits |= 1u << t;
		if (!text[n])
			return 0;
		text += n + 1;
	}
}

static int take_options(struct comparing *k, struct pg_err *err)
{
	const struct pg_compare_cmd *o = k->o;
	struct pg_compare_opts *rules = &k->opts.rules;

	for (size_t i = 0; i < o->differs.n; i++)
		if (take_differs(o->differs.v[i], &k->opts.differs, err) != 0)
			return -1;
	if (o->threshold && take_threshold(o->threshold, rules, err) != 0)
		return -1;
	rules->has_lens = o->lens != NULL;
	if (o->lens)
		rules->lens = (enum pg_lens)find_word(lens_words, o->lens);
	rules->has_correction = o->correction != NULL;
	if (o->correction)
		rules->correction = (enum pg_correction)find_word(correction_words, o->correction);
	/* The other metrics stand only where programs read. */
	rules->judged_only = !o->format || strcmp(o->format, "text") == 0 || strcmp(o->format, "markdown") == 0;
	k->opts.trust_stored = o->trust_stored;
	if ((o->inconclusive || o->missing) && !o->gate && !o->bisect)
		return pg_fail(err, PG_EUSAGE,
			       "--inconclusive and --missing belong to --gate or --bisect; give one of these too");
	return 0;
}

/* ---- comparing ---- */

/* What is said of the sides of two stored runs says nothing of the arms of one. */
static int check_live(const struct comparing *k, struct pg_err *err)
{
	if (k->o->differs.n == 0 && !k->o->trust_stored)
		return 0;
	return pg_fail(err, PG_EUSAGE,
		       "--differs and --trust-stored are for two stored runs, these are arms of one; leave them out");
}

static int compare_rounds(struct comparing *k, const struct pg_side_run *r, struct pg_err *err)
{
	k->report.live = true;
	k->report.dir = r->dir;
	if (check_live(k, err) != 0 || pg_store_compare(r->store, &k->opts.rules, &k->c, err) != 0)
		return -1;
	return pg_compare_see_store(&k->c, r->store, k->opts.rules.base_arm, err);
}

static int compare_variants(struct comparing *k, const struct pg_compare_side *s, struct pg_err *err)
{
	const struct pg_side_run *r = &s->side.run[0];

	if (s->side.n > 1 || r->arm)
		return pg_fail(err, PG_EUSAGE, "'%s' is one side; give the other one too", s->side.name);
	if (!pg_compare_wanted(r->plan))
		return pg_fail(err, PG_EUSAGE,
			       "the run in '%s' has no variants; give a second run to compare it with, or `variants:` "
			       "to its scenario",
			       r->dir);
	k->report.base = s->side.name;
	return compare_rounds(k, r, err);
}

static bool same_directory(const struct pg_side_run *a, const struct pg_side_run *b)
{
	struct stat x, y;

	return stat(a->dir, &x) == 0 && stat(b->dir, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* A copy of a run is no session of its own: its numbers would count twice. */
static int refuse_copies(const struct pg_compare_side *base, const struct pg_compare_side *new, struct pg_err *err)
{
	size_t n = base->side.n + new->side.n;

	for (size_t i = 0; i < n; i++) {
		for (size_t k = i + 1; k < n; k++) {
			const struct pg_side_run *a =
				i < base->side.n ? &base->side.run[i] : &new->side.run[i - base->side.n];
			const struct pg_side_run *b =
				k < base->side.n ? &base->side.run[k] : &new->side.run[k - base->side.n];

			if (pg_store_same_run(a->store, b->store))
				return pg_fail(err, PG_EUSAGE, "'%s' and '%s' are copies of one run; leave one out",
					       a->dir, b->dir);
		}
	}
	return 0;
}

/* Two arms of one run were measured in turns. */
static int compare_arms(struct comparing *k, const struct pg_compare_side *base, const struct pg_compare_side *new,
			struct pg_err *err)
{
	k->opts.rules.base_arm = base->side.run[0].arm;
	k->opts.rules.new_arm = new->side.run[0].arm;
	k->report.base = base->side.name;
	k->report.new = new->side.name;
	return compare_rounds(k, &new->side.run[0], err);
}

static int say_also(const struct comparing *k, const struct pg_compare_side *base, const struct pg_compare_side *new,
		    struct pg_err *err)
{
	struct pg_str also;
	int result;

	pg_str_init(&also);
	result = pg_fingerprint_also(&base->side, &new->side, &also, err);
	if (result == 0 && also.len)
		pg_say(k->w, "note: also differs: %s", pg_str_text(&also));
	pg_str_release(&also);
	return result;
}

static int compare_sides(struct comparing *k, const struct pg_compare_side *base, const struct pg_compare_side *new,
			 struct pg_err *err)
{
	const char *xdg = pg_world_env(k->w, "XDG_STATE_HOME"), *home = pg_world_env(k->w, "HOME");
	struct pg_history history;
	struct pg_str path;
	int result;

	memset(&history, 0, sizeof(history));
	pg_arena_init(&history.arena, true);
	pg_str_init(&path);
	pg_history_path(xdg, home, &path);
	/* Of use for single sessions alone: one that cannot be read is none. */
	if (path.len && pg_history_read(pg_str_text(&path), &history, err) != 0) {
		pg_say(k->w, "note: the history is left out: %s; move that file away, or set XDG_STATE_HOME", err->msg);
		pg_history_release(&history);
		memset(&history, 0, sizeof(history));
		pg_arena_init(&history.arena, true);
		err->code = PG_OK;
	}
	pg_str_release(&path);
	k->report.base = base->side.name;
	k->report.new = new->side.name;
	k->opts.history = &history;
	result = pg_compare_stored(&base->side, &new->side, &k->opts, &k->c, err);
	if (result == 0)
		result = pg_compare_see_sides(&k->c, &base->side, &new->side, err);
	if (result == 0)
		result = say_also(k, base, new, err);
	k->opts.history = NULL;
	pg_history_release(&history);
	return result;
}

/* What text and Markdown have in their closing lines, for those who read a file for programs. */
static void say_missing(const struct comparing *k)
{
	struct pg_compare_counts n;

	pg_compare_count(&k->c, &n);
	if (n.missing && !k->opts.rules.judged_only)
		pg_say(k->w, "%zu cell%s missing on one side; the report names %s, --missing=pass lets %s be",
		       n.missing, n.missing == 1 ? " is" : "s are", n.missing == 1 ? "it" : "them",
		       n.missing == 1 ? "it" : "them");
}

/* ---- the report ---- */

/* Where the report goes; CSV piece by piece, for it may be long. */
struct out {
	struct pg_world *w;
	struct pg_path_out *file; /* NULL: standard output */
};

static void to_out(void *ctx, const char *s, size_t n)
{
	struct out *o = ctx;

	if (o->file)
		pg_path_out_write(o->file, s, n);
	else
		(void)pg_stdout_write(o->w, s, n);
}

static int write_csv(struct comparing *k, struct out *out, struct pg_err *err)
{
	struct pg_csv csv;
	int result;

	if (pg_csv_init(&csv, PG_CSV_PLAIN, to_out, out, err) != 0)
		return -1;
	result = pg_compare_csv(&k->c, &csv, err);
	if (result == 0)
		result = pg_csv_end(&csv, err);
	pg_csv_release(&csv);
	return result;
}

static int write_report(struct comparing *k, struct out *out, struct pg_err *err)
{
	const char *format = k->o->format ? k->o->format : "text";
	struct pg_str text;
	int result = 0;

	if (strcmp(format, "csv") == 0)
		return write_csv(k, out, err);
	pg_str_init(&text);
	if (strcmp(format, "json") == 0)
		pg_compare_json(&k->report, &text);
	else if (strcmp(format, "markdown") == 0)
		pg_compare_markdown(&k->report, &text);
	else
		pg_compare_text(&k->report, &text);
	if (text.failed)
		result = pg_fail_nomem(err);
	else
		to_out(out, pg_str_text(&text), text.len);
	pg_str_release(&text);
	return result;
}

static int print_report(struct comparing *k, struct pg_err *err)
{
	struct pg_path_out file;
	struct out out = {.w = k->w};

	if (!k->o->output || strcmp(k->o->output, "-") == 0)
		return write_report(k, &out, err);
	if (pg_path_out_open(&file, k->o->output, err) != 0)
		return -1;
	out.file = &file;
	if (write_report(k, &out, err) == 0)
		return pg_path_out_commit(&file, err);
	pg_path_out_abort(&file);
	return -1;
}

/* What the exit status is, or would be: the report has it too. */
static int gate(const struct comparing *k)
{
	const struct pg_compare_cmd *o = k->o;
	const struct pg_gate g = {
		.inconclusive_passes = o->inconclusive && strcmp(o->inconclusive, "pass") == 0,
		.inconclusive_fails = o->inconclusive && strcmp(o->inconclusive, "fail") == 0,
		.missing_passes = o->missing && strcmp(o->missing, "pass") == 0,
	};

	return pg_gate_status(&k->c, &g);
}

static int compare_operands(struct comparing *k, const struct pg_compare_side *side, size_t n, struct pg_err *err)
{
	const struct pg_side_run *a = &side[0].side.run[0], *b = n > 1 ? &side[1].side.run[0] : NULL;

	if (!b)
		return compare_variants(k, &side[0], err);
	if (!same_directory(a, b)) {
		if (pg_compare_sides_check(&side[0], &side[1], err) != 0 || refuse_copies(&side[0], &side[1], err) != 0)
			return -1;
		return compare_sides(k, &side[0], &side[1], err);
	}
	if (!a->arm || !b->arm || strcmp(a->arm, b->arm) == 0)
		return pg_fail(err, PG_EUSAGE,
			       "'%s' and '%s' are one run; give it once to compare its variants, or name two of them",
			       side[0].side.name, side[1].side.name);
	return compare_arms(k, &side[0], &side[1], err);
}

static int compare(struct comparing *k, const struct pg_args *args)
{
	struct pg_compare_side side[2];
	size_t open = 0;
	struct pg_err err = {.code = PG_OK};
	int result = take_options(k, &err), status;

	for (size_t i = 0; result == 0 && i < args->n; i++) {
		result = pg_compare_side_open(k->w, args->operand[i], &side[i], &err);
		open += result == 0;
	}
	if (result == 0)
		result = compare_operands(k, side, args->n, &err);
	for (size_t i = 0; i < open; i++)
		k->report.incomplete = k->report.incomplete || pg_compare_side_incomplete(&side[i]);
	if (result == 0) {
		k->report.gate = gate(k);
		result = print_report(k, &err);
	}
	if (result == 0)
		say_missing(k);
	if (result != 0)
		status = err.code == PG_OK ? PG_EXIT_USAGE : pg_fail_status(k->w, &err);
	else
		status = pg_stdout_done(k->w, k->o->gate || k->o->bisect ? k->report.gate : PG_EXIT_OK);
	for (size_t i = 0; i < open; i++)
		pg_compare_side_close(&side[i]);
	return status;
}

int pg_cmd_compare(struct pg_world *w, const void *opts, const struct pg_args *args)
{
	struct comparing k = {.w = w, .o = opts};
	int status;

	pg_compare_init(&k.c);
	k.report.c = &k.c;
	status = compare(&k, args);
	pg_compare_release(&k.c);
	return status;
}

/* A wrong command line is no bad commit either. */
int pg_compare_status(int status, int argc, char **argv)
{
	bool bisect = false;

	for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++)
		bisect = bisect || strcmp(argv[i], "--bisect") == 0;
	if (!bisect || status == PG_EXIT_OK)
		return status;
	return status == PG_EXIT_REGRESSED ? 1 : BISECT_SKIP;
}
