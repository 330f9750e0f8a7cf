/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an operand of `compare` to runs that are open. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/limit.h"
#include "base/str.h"
#include "runner/cmd_compare.h"
#include "runner/planning.h"
#include "runner/report.h"
#include "runner/summary.h"
#include "runner/world.h"

#define RUN_DESCRIPTORS 5 /* at once, while a run is opened */

static void on_note(void *ctx, const char *text)
{
	pg_say(ctx, "note: %s", text);
}

static bool is_run(const char *dir)
{
	struct pg_str path;
	struct stat st;
	bool found;

	pg_str_init(&path);
	pg_str_addf(&path, "%s/run.json", dir);
	found = !path.failed && stat(pg_str_text(&path), &st) == 0;
	pg_str_release(&path);
	return found;
}

static void say_incomplete(const struct pg_world *w, const char *dir)
{
	struct pg_str word;

	pg_str_init(&word);
	pg_shell_word(&word, dir);
	pg_say(w, "note: the run in '%s' is not complete; what it has is compared; to go on: perfgrid run --resume %s",
	       dir, pg_str_text(&word));
	pg_str_release(&word);
}

static void say_unknown(const struct pg_world *w, const char *dir)
{
	pg_say(w,
	       "warning: '%s/env.json' is missing or damaged, so nothing is known of the machine: no cell is judged; "
	       "restore it from a copy, or name what may differ: --differs "
	       "cpu,kernel,microcode,governor,turbo,smt,hypervisor",
	       dir);
}

static void close_run(struct pg_side_run *r)
{
	if (r->store)
		pg_store_close(r->store);
	pg_plan_free(r->plan);
	memset(r, 0, sizeof(*r));
}

/* Must not look like a damaged run, or like one without env.json. */
static int check_descriptors(const char *dir, struct pg_err *err)
{
	int fd[RUN_DESCRIPTORS], result = 0, n = 0;

	while (n < RUN_DESCRIPTORS && result == 0) {
		fd[n] = dup(STDERR_FILENO);
		if (fd[n] >= 0)
			n++;
		else if (errno == EBADF)
			break;
		else
			result = pg_fail(err, PG_EBUSY, "cannot open '%s' beside the other runs: %s; raise `ulimit -n`",
					 dir, strerror(errno));
	}
	while (n > 0)
		close(fd[--n]);
	return result;
}

/* Opens and replays; the caller closes it, also after errors. */
static int read_run(const struct pg_store_opts *opts, struct pg_compare_side *s, struct pg_side_run *r,
		    struct pg_err *err)
{
	if (pg_store_open(opts, r->plan, false, &r->store, err) != 0 || pg_store_replay(r->store, NULL, err) != 0)
		return -1;
	pg_store_replayed(r->store);
	return pg_fingerprint_of(r->store, &s->arena, &r->machine, err);
}

static int open_run(struct pg_world *w, struct pg_compare_side *s, const char *dir, const char *arm, struct pg_err *err)
{
	struct pg_reporter reporter = {.world = w, .quiet = true};
	struct pg_side_run *r = &s->side.run[s->side.n];
	struct pg_run_info *info = &s->info[s->side.n];
	struct pg_store_opts opts = {.root = w->root, .clock = w->clock, .info = info, .note = on_note, .note_ctx = w};
	struct pg_load load = {.suites = w->suites, .read = pg_run_file_read, .opts = &info->opts};

	memset(r, 0, sizeof(*r));
	memset(info, 0, sizeof(*info));
	r->dir = opts.dir = load.read_ctx = pg_arena_strdup(&s->arena, dir);
	r->arm = arm;
	if (!r->dir)
		return pg_fail_nomem(err);
	if (pg_run_info_read(r->dir, &s->arena, info, err) != 0)
		return -1;
	load.machine = &info->machine;
	load.version = info->version;
	if (pg_load_plan(&load, info->scenario, &reporter, &r->plan) != 0) {
		err->code = PG_OK;
		return -1;
	}
	if (read_run(&opts, s, r, err) != 0) {
		close_run(r);
		return -1;
	}
	s->side.n++;
	if (r->machine.unknown)
		say_unknown(w, r->dir);
	if (pg_store_is_cut(r->store)) {
		pg_summary_cut(w, r->dir);
		info->state = PG_RUN_INTERRUPTED;
	} else if (info->state != PG_RUN_COMPLETE) {
		say_incomplete(w, r->dir);
	}
	return 0;
}

/* Appends a name to a list that need not have all of them, unless it is there. */
static void add_name(struct pg_str *names, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = names->len ? pg_str_text(names) : ""; *s; s += strcspn(s, " ") + (strchr(s, ' ') != NULL))
		if (strncmp(s, name, n) == 0 && (s[n] == '\0' || s[n] == ','))
			return;
	if (n > 0 && names->len < 200)
		pg_str_addf(names, "%s%s", names->len ? ", " : "", name);
}

static int room_for(struct pg_compare_side *s, size_t n, struct pg_err *err)
{
	s->side.run = pg_arena_array(&s->arena, n, sizeof(*s->side.run));
	s->info = pg_arena_array(&s->arena, n, sizeof(*s->info));
	return s->side.run && s->info ? 0 : pg_fail_nomem(err);
}

/* Variants of all sweeps as text, each once; true where `arm` is one of them. */
static bool find_arms(const struct pg_side_run *r, const char *arm, struct pg_str *names)
{
	bool found = false;

	for (size_t i = 0; i < pg_plan_sweeps(r->plan); i++) {
		const struct pg_sweep *sw = pg_plan_sweep(r->plan, i);
		const struct pg_axis *arms = sw->n_variants > 1 ? &sw->axes[sw->n_axes - 1] : NULL;

		for (size_t v = 0; arms && v < arms->n; v++) {
			found = found || (arm && strcmp(arms->labels[v], arm) == 0);
			add_name(names, arms->labels[v]);
		}
	}
	return found;
}

/* Does some sweep have that variant? */
static int check_arm(const struct pg_side_run *r, struct pg_err *err)
{
	struct pg_str names;
	bool found;

	pg_str_init(&names);
	found = find_arms(r, r->arm, &names);
	if (!found && names.len)
		pg_fail(err, PG_EUSAGE, "the run in '%s' has no variant '%s'; it has %s", r->dir, r->arm,
			pg_str_text(&names));
	else if (!found)
		pg_fail(err, PG_EUSAGE, "the run in '%s' has no variants, so no '%s'; leave out @%s", r->dir, r->arm,
			r->arm);
	pg_str_release(&names);
	return found ? 0 : -1;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int no_dots(const struct dirent *e)
{
	return e->d_name[0] != '.';
}

/* Directories below dir that are runs, links aside (`latest` is one of them again). Malloc'ed paths. */
static int find_runs(const char *dir, char ***out, size_t *n_out, struct pg_err *err)
{
	struct dirent **entry;
	int n = scandir(dir, &entry, no_dots, by_name), result = 0;
	char **path;
	size_t found = 0;

	if (n < 0)
		return pg_fail(err, PG_EUSAGE, "cannot read directory '%s': %s; give a directory of runs", dir,
			       strerror(errno));
	path = calloc((size_t)n + 1, sizeof(*path));
	for (int i = 0; i < n; i++) {
		struct pg_str full;
		struct stat st;

		pg_str_init(&full);
		pg_str_addf(&full, "%s/%s", dir, entry[i]->d_name);
		if (path && !full.failed && lstat(full.s, &st) == 0 && S_ISDIR(st.st_mode) && is_run(full.s))
			path[found++] = pg_str_detach(&full);
		else
			pg_str_release(&full);
		free(entry[i]);
	}
	free(entry);
	if (!path)
		result = pg_fail_nomem(err);
	*out = path;
	*n_out = found;
	return result;
}

static int no_such_label(const char *dir, const char *label, const struct pg_str *labels, struct pg_err *err)
{
	if (labels->len)
		return pg_fail(err, PG_EUSAGE, "no run in '%s' has the label '%s'; there are %s", dir, label,
			       pg_str_text(labels));
	return pg_fail(err, PG_EUSAGE,
		       "no run in '%s' has a label; give one with `perfgrid run --label %s`, or give the run directory",
		       dir, label);
}

/* Of the runs in one directory a damaged one does not keep the others from being compared. */
static int leave_out(const struct pg_world *w, const char *dir, struct pg_err *err)
{
	if (err->code == PG_ENOMEM || err->code == PG_EBUSY)
		return -1;
	if (err->code != PG_OK)
		pg_report(w, err, false);
	pg_say(w, "warning: the run in '%s' is left out; restore it from a copy, or move it to another directory", dir);
	err->code = PG_OK;
	return 0;
}

/* One of the runs in a directory, if it has the label. */
static int open_if_labelled(struct pg_world *w, struct pg_compare_side *s, const char *dir, const char *label,
			    struct pg_str *labels, struct pg_err *err)
{
	struct pg_run_info info;

	memset(&info, 0, sizeof(info));
	if (check_descriptors(dir, err) != 0)
		return -1;
	if (pg_run_info_read(dir, &s->arena, &info, err) != 0)
		return leave_out(w, dir, err);
	if (strcmp(info.label, label) != 0) {
		add_name(labels, info.label);
		return 0;
	}
	if (open_run(w, s, dir, NULL, err) == 0)
		return 0;
	s->left_out = true;
	return leave_out(w, dir, err);
}

static int open_labelled(struct pg_world *w, struct pg_compare_side *s, const char *dir, const char *label,
			 struct pg_err *err)
{
	struct pg_str labels;
	char **path = NULL;
	size_t n = 0;
	int result;

	if (find_runs(dir, &path, &n, err) != 0)
		return -1;
	pg_str_init(&labels);
	result = room_for(s, n + 1, err);
	for (size_t i = 0; i < n; i++) {
		if (result == 0)
			result = open_if_labelled(w, s, path[i], label, &labels, err);
		free(path[i]);
	}
	free(path);
	if (result == 0 && s->side.n == 0 && s->left_out)
		result = pg_fail(err, PG_EDAMAGED,
				 "no run with the label '%s' in '%s' can be read; restore one, or measure anew", label,
				 dir);
	else if (result == 0 && s->side.n == 0)
		result = no_such_label(dir, label, &labels, err);
	pg_str_release(&labels);
	return result;
}

/* Runs of one side are sessions of one configuration. */
static int check_plans(const struct pg_compare_side *s, struct pg_err *err)
{
	for (size_t i = 1; i < s->side.n; i++)
		if (s->info[i].digest != s->info[0].digest)
			return pg_fail(err, PG_EUSAGE,
				       "'%s' and '%s' have one label and different plans; the runs of a side are "
				       "sessions of one plan",
				       s->side.run[0].dir, s->side.run[i].dir);
	return 0;
}

/* ... and of one machine: what differs between sides may be meant, inside of one it would only hide in its spread. */
static int check_machines(const struct pg_compare_side *s, struct pg_err *err)
{
	const struct pg_side_run *first = &s->side.run[0];

	for (size_t i = 1; i < s->side.n; i++) {
		const struct pg_side_run *r = &s->side.run[i];
		unsigned bits = pg_fingerprint_differ(&first->machine, &r->machine), t = 0;
		const char *a, *b;

		if (!bits || first->machine.unknown || r->machine.unknown)
			continue;
		while (!(bits & 1u << t))
			t++;
		a = first->machine.trait[t];
		b = r->machine.trait[t];
		return pg_fail(err, PG_EUSAGE,
			       "'%s' and '%s' are sessions of one side and differ in %s (%s / %s); keep them in "
			       "directories of their own, and compare those, with --differs %s if it is meant",
			       first->dir, r->dir, pg_trait_names[t], a ? a : "n/a", b ? b : "n/a", pg_trait_names[t]);
	}
	return 0;
}

static int check_runs(const struct pg_compare_side *s, struct pg_err *err)
{
	return check_plans(s, err) != 0 ? -1 : check_machines(s, err);
}

/* What is easily given in the place of a run, each with its own way out. */
static int check_operand(const char *operand, struct pg_err *err)
{
	const char *at = strrchr(operand, '@');
	struct stat st;
	int known = stat(operand, &st);

	if (!*operand)
		return pg_fail(err, PG_EUSAGE, "'' names nothing; give a run directory, RUN@VARIANT or DIR@LABEL");
	if (known == 0 && S_ISREG(st.st_mode))
		return pg_fail(err, PG_EUSAGE,
			       "'%s' is a file and no run directory; a scenario is run first, with `perfgrid run`",
			       operand);
	if (known != 0 && at && !at[1])
		return pg_fail(err, PG_EUSAGE, "'%s' has nothing behind the @; give DIR@LABEL, RUN@VARIANT or RUN",
			       operand);
	return 0;
}

static int open_side(struct pg_world *w, const char *operand, struct pg_compare_side *s, struct pg_err *err)
{
	const char *at = strrchr(operand, '@');
	const char *dir, *label;

	s->side.name = operand;
	if (check_operand(operand, err) != 0)
		return -1;
	if (is_run(operand) || !at || at == operand || !at[1])
		return room_for(s, 1, err) != 0 ? -1 : open_run(w, s, operand, NULL, err);
	dir = pg_arena_strndup(&s->arena, operand, (size_t)(at - operand));
	label = pg_arena_strdup(&s->arena, at + 1);
	if (!dir || !label)
		return pg_fail_nomem(err);
	if (!is_run(dir))
		return open_labelled(w, s, dir, label, err) != 0 ? -1 : check_runs(s, err);
	if (room_for(s, 1, err) != 0 || open_run(w, s, dir, label, err) != 0)
		return -1;
	return check_arm(&s->side.run[0], err);
}

int pg_compare_side_open(struct pg_world *w, const char *operand, struct pg_compare_side *out, struct pg_err *err)
{
	pg_limit_raise(RLIMIT_NOFILE); /* each run keeps a directory open */
	memset(out, 0, sizeof(*out));
	pg_arena_init(&out->arena, true);
	if (open_side(w, operand, out, err) == 0)
		return 0;
	pg_compare_side_close(out);
	return -1;
}

/* An arm of the one and all arms of the other have no cell in common. */
int pg_compare_sides_check(const struct pg_compare_side *base, const struct pg_compare_side *new, struct pg_err *err)
{
	const struct pg_compare_side *with = base->side.run[0].arm ? base : new, *other = with == base ? new : base;
	struct pg_str names;

	if (!with->side.run[0].arm || other->side.run[0].arm || !pg_compare_wanted(other->side.run[0].plan))
		return 0;
	pg_str_init(&names);
	find_arms(&other->side.run[0], NULL, &names);
	pg_fail(err, PG_EUSAGE,
		"'%s' is one arm, and '%s' has several; name an arm on both sides: %s@ARM, with one of %s",
		with->side.name, other->side.name, other->side.run[0].dir, pg_str_text(&names));
	pg_str_release(&names);
	return -1;
}

bool pg_compare_side_incomplete(const struct pg_compare_side *s)
{
	if (s->left_out)
		return true;
	for (size_t i = 0; i < s->side.n; i++)
		if (s->info[i].state != PG_RUN_COMPLETE)
			return true;
	return false;
}

void pg_compare_side_close(struct pg_compare_side *s)
{
	for (size_t i = 0; i < s->side.n; i++)
		close_run(&s->side.run[i]);
	s->side.n = 0;
	pg_arena_release(&s->arena);
}
