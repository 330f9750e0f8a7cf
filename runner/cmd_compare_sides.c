/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From an operand of `compare` to runs that are open. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/str.h"
#include "runner/cmd_compare.h"
#include "runner/planning.h"
#include "runner/report.h"
#include "runner/summary.h"
#include "runner/world.h"

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
	s->side.n++;
	if (pg_store_open(&opts, r->plan, false, &r->store, err) != 0 || pg_store_replay(r->store, NULL, err) != 0 ||
	    pg_fingerprint_of(r->store, &s->arena, &r->machine, err) != 0)
		return -1;
	if (info->state != PG_RUN_COMPLETE)
		say_incomplete(w, r->dir);
	return 0;
}

static int room_for(struct pg_compare_side *s, size_t n, struct pg_err *err)
{
	s->side.run = pg_arena_array(&s->arena, n, sizeof(*s->side.run));
	s->info = pg_arena_array(&s->arena, n, sizeof(*s->info));
	return s->side.run && s->info ? 0 : pg_fail_nomem(err);
}

/* Does some sweep have that variant? */
static int check_arm(const struct pg_side_run *r, struct pg_err *err)
{
	struct pg_str names;
	bool found = false;

	pg_str_init(&names);
	for (size_t i = 0; i < pg_plan_sweeps(r->plan); i++) {
		const struct pg_sweep *sw = pg_plan_sweep(r->plan, i);
		const struct pg_axis *arms = sw->n_variants > 1 ? &sw->axes[sw->n_axes - 1] : NULL;

		for (size_t v = 0; arms && v < arms->n; v++) {
			found = found || strcmp(arms->labels[v], r->arm) == 0;
			if (names.len < 200)
				pg_str_addf(&names, "%s%s", names.len ? ", " : "", arms->labels[v]);
		}
	}
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

static void add_label(struct pg_str *labels, const char *label)
{
	if (!*label || labels->len > 200 || (labels->len && strstr(pg_str_text(labels), label)))
		return;
	pg_str_addf(labels, "%s%s", labels->len ? ", " : "", label);
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
		struct pg_run_info info;

		memset(&info, 0, sizeof(info));
		if (result == 0)
			result = pg_run_info_read(path[i], &s->arena, &info, err);
		if (result == 0 && strcmp(info.label, label) == 0)
			result = open_run(w, s, path[i], NULL, err);
		else if (result == 0)
			add_label(&labels, info.label);
		free(path[i]);
	}
	free(path);
	if (result == 0 && s->side.n == 0)
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

static int open_side(struct pg_world *w, const char *operand, struct pg_compare_side *s, struct pg_err *err)
{
	const char *at = strrchr(operand, '@');
	const char *dir, *label;

	s->side.name = operand;
	if (is_run(operand) || !at || at == operand || !at[1])
		return room_for(s, 1, err) != 0 ? -1 : open_run(w, s, operand, NULL, err);
	dir = pg_arena_strndup(&s->arena, operand, (size_t)(at - operand));
	label = pg_arena_strdup(&s->arena, at + 1);
	if (!dir || !label)
		return pg_fail_nomem(err);
	if (!is_run(dir))
		return open_labelled(w, s, dir, label, err) != 0 ? -1 : check_plans(s, err);
	if (room_for(s, 1, err) != 0 || open_run(w, s, dir, label, err) != 0)
		return -1;
	return check_arm(&s->side.run[0], err);
}

int pg_compare_side_open(struct pg_world *w, const char *operand, struct pg_compare_side *out, struct pg_err *err)
{
	memset(out, 0, sizeof(*out));
	pg_arena_init(&out->arena, true);
	if (open_side(w, operand, out, err) == 0)
		return 0;
	pg_compare_side_close(out);
	return -1;
}

bool pg_compare_side_incomplete(const struct pg_compare_side *s)
{
	for (size_t i = 0; i < s->side.n; i++)
		if (s->info[i].state != PG_RUN_COMPLETE)
			return true;
	return false;
}

void pg_compare_side_close(struct pg_compare_side *s)
{
	for (size_t i = 0; i < s->side.n; i++) {
		if (s->side.run[i].store)
			pg_store_close(s->side.run[i].store);
		pg_plan_free(s->side.run[i].plan);
	}
	s->side.n = 0;
	pg_arena_release(&s->arena);
}
