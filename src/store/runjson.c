/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * run.json: what the plan was made from, so that it can be made again elsewhere, and how the run stands.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"
#include "model/compare.h"
#include "store/fileio.h"
#include "store/json.h"
#include "store/store_inside.h"

#define RUN_JSON_MAX ((size_t)64 << 20)

static void put_list(struct pg_json_out *j, const char *key, const char *const *v, size_t n)
{
	pg_json_open(j, key, '[');
	for (size_t i = 0; i < n; i++)
		pg_json_put_text(j, NULL, v[i]);
	pg_json_close(j, ']');
}

static void put_options(struct pg_json_out *j, const struct pg_plan_opts *o)
{
	pg_json_open(j, "options", '{');
	pg_json_put_bool(j, "quick", o->quick);
	pg_json_put_text(j, "only", o->only);
	put_list(j, "set", o->set, o->n_set);
	put_list(j, "vary", o->vary, o->n_vary);
	if (o->repeat)
		pg_json_put_int(j, "repeat", o->repeat);
	if (o->n_earlier > 0) {
		pg_json_open(j, "earlier_repeats", '[');
		for (size_t i = 0; i < o->n_earlier; i++)
			pg_json_put_int(j, NULL, o->earlier[i]);
		pg_json_close(j, ']');
	}
	if (o->against_itself)
		pg_json_put_bool(j, "self_check", true);
	if (o->has_warmup)
		pg_json_put_int(j, "warmup", o->warmup);
	if (o->max_cells)
		pg_json_put_u64_text(j, "max_cells", 10, o->max_cells);
	pg_json_close(j, '}');
}

static void put_files(struct pg_json_out *j, const struct pg_plan *p)
{
	const struct pg_plan_file *files;
	struct pg_str copy;
	size_t n;

	files = pg_plan_files(p, &n);
	pg_str_init(&copy);
	pg_json_open(j, "files", '[');
	for (size_t i = 0; i < n; i++) {
		pg_str_reset(&copy);
		pg_rundir_copy_name(i, files[i].path, &copy);
		pg_json_open(j, NULL, '{');
		pg_json_put_text(j, "path", files[i].path);
		pg_json_put_text(j, "copy", pg_str_text(&copy));
		pg_json_close(j, '}');
	}
	pg_json_close(j, ']');
	j->out->failed = j->out->failed || copy.failed;
	pg_str_release(&copy);
}

int pg_run_json_write(struct pg_store *s, struct pg_err *err)
{
	const struct pg_run_info *i = &s->info;
	struct pg_str out;
	struct pg_json_out j = {.out = &out};
	int result;

	pg_str_init(&out);
	pg_json_open(&j, NULL, '{');
	pg_json_put_int(&j, "perfgrid", 1);
	pg_json_put_text(&j, "run", i->id);
	pg_json_put_text(&j, "name", i->name);
	pg_json_put_text(&j, "label", i->label);
	pg_json_put_text(&j, "state", pg_run_state_name(i->state));
	pg_json_put_text(&j, "version", i->version);
	pg_json_put_text(&j, "build", i->build);
	pg_json_put_text(&j, "host", s->host);
	pg_json_put_text(&j, "boot", s->boot);
	pg_json_put_int(&j, "started", i->started_wall_ns);
	pg_json_put_u64_text(&j, "seed", 10, i->seed);
	pg_json_put_u64_text(&j, "plan", 16, i->digest);
	pg_json_put_text(&j, "scenario", i->scenario);
	put_options(&j, &i->opts);
	pg_json_open(&j, "words", '{');
	for (size_t w = 0; w < PG_MACHINE_WORDS; w++)
		pg_json_put_u64_text(&j, pg_machine_words[w], 10, i->machine.word[w]);
	pg_json_close(&j, '}');
	put_list(&j, "unavailable", i->machine.unavailable, i->machine.n_unavailable);
	put_files(&j, s->plan);
	pg_json_close(&j, '}');
	result = out.failed ? pg_fail_nomem(err) : pg_file_put(s->dirfd, PG_RUN_JSON, out.s, out.len, err);
	pg_str_release(&out);
	return result;
}

/* ---- reading ---- */

struct reading {
	const struct json_t *j;
	struct pg_arena *arena;
	const char *bad; /* the first member that is missing or of another kind */
	bool nomem;
};

static const char *keep(struct reading *r, const char *s)
{
	const char *copy = s ? pg_arena_strdup(r->arena, s) : NULL;

	r->nomem = r->nomem || (s && !copy);
	return copy;
}

static const char *need_text(struct reading *r, const char *key)
{
	const char *s = pg_json_text(r->j, key);

	if (!s && !r->bad)
		r->bad = key;
	return keep(r, s ? s : "");
}

static void need_u64(struct reading *r, const struct json_t *o, const char *key, int base, uint64_t *out)
{
	if (!pg_json_u64_text(o, key, base, out) && !r->bad)
		r->bad = key;
}

static const char *const *list(struct reading *r, const struct json_t *o, const char *key, size_t *n)
{
	const struct json_t *a = pg_json_get(o, key);
	const char **v;

	*n = pg_json_len(a);
	v = pg_arena_array(r->arena, *n + 1, sizeof(*v));
	if (!v) {
		r->nomem = true;
		*n = 0;
		return NULL;
	}
	for (size_t i = 0; i < *n; i++) {
		const char *s = pg_json_as_text(pg_json_at(a, i));

		if (!s && !r->bad)
			r->bad = key;
		v[i] = keep(r, s ? s : "");
	}
	return v;
}

static uint32_t small(struct reading *r, const struct json_t *o, const char *key)
{
	int64_t v = 0;

	if (pg_json_get(o, key) && (!pg_json_int(o, key, &v) || v < 0 || v > UINT32_MAX) && !r->bad)
		r->bad = key;
	return r->bad ? 0 : (uint32_t)v;
}

static const uint32_t *counts(struct reading *r, const struct json_t *o, const char *key, size_t most, size_t *n)
{
	const struct json_t *a = pg_json_get(o, key);
	uint32_t *v;

	*n = pg_json_len(a);
	if (*n > most || (a && !pg_json_is_array(a))) {
		r->bad = r->bad ? r->bad : key;
		*n = 0;
	}
	v = pg_arena_array(r->arena, *n + 1, sizeof(*v));
	r->nomem = r->nomem || !v;
	for (size_t i = 0; v && i < *n; i++) {
		int64_t one = 0;

		if ((!pg_json_as_int(pg_json_at(a, i), &one) || one < 0 || one > UINT32_MAX) && !r->bad)
			r->bad = key;
		v[i] = (uint32_t)one;
	}
	return v;
}

static void take_options(struct reading *r, struct pg_plan_opts *o)
{
	const struct json_t *j = pg_json_get(r->j, "options");
	uint64_t cells = 0;

	if (!pg_json_is_object(j) && !r->bad)
		r->bad = "options";
	pg_json_bool(j, "quick", &o->quick);
	o->only = keep(r, pg_json_text(j, "only"));
	o->set = list(r, j, "set", &o->n_set);
	o->vary = list(r, j, "vary", &o->n_vary);
	o->repeat = small(r, j, "repeat");
	o->earlier = counts(r, j, "earlier_repeats", PG_ENDS, &o->n_earlier);
	pg_json_bool(j, "self_check", &o->against_itself);
	o->has_warmup = pg_json_get(j, "warmup") != NULL;
	o->warmup = small(r, j, "warmup");
	if (pg_json_get(j, "max_cells"))
		need_u64(r, j, "max_cells", 10, &cells);
	o->max_cells = (size_t)cells;
}

static void take_all(struct reading *r, struct pg_run_info *out)
{
	const char *id = need_text(r, "run"), *state = need_text(r, "state");
	const struct json_t *words = pg_json_get(r->j, "words");
	int st = state ? pg_run_state_find(state) : -1;

	if (!r->bad && (!id || strlen(id) >= sizeof(out->id)))
		r->bad = "run";
	if (!r->bad && st < 0)
		r->bad = "state";
	if (r->bad)
		return;
	memcpy(out->id, id, strlen(id) + 1);
	out->state = (enum pg_run_state)st;
	out->name = need_text(r, "name");
	out->label = need_text(r, "label");
	out->version = need_text(r, "version");
	out->build = need_text(r, "build");
	out->scenario = need_text(r, "scenario");
	need_u64(r, r->j, "seed", 10, &out->seed);
	need_u64(r, r->j, "plan", 16, &out->digest);
	if (!pg_json_int(r->j, "started", &out->started_wall_ns) && !r->bad)
		r->bad = "started";
	take_options(r, &out->opts);
	for (size_t w = 0; w < PG_MACHINE_WORDS; w++)
		need_u64(r, words, pg_machine_words[w], 10, &out->machine.word[w]);
	out->machine.unavailable = list(r, r->j, "unavailable", &out->machine.n_unavailable);
}

static struct json_t *read_json(int dirfd, const char *dir, struct pg_err *err)
{
	struct pg_str text;
	struct json_t *j = NULL;
	struct pg_err why;
	int64_t version;

	pg_str_init(&text);
	if (pg_file_get(dirfd, PG_RUN_JSON, RUN_JSON_MAX, &text, &why) != 0) {
		pg_fail(err, PG_EUSAGE, "'%s' is no run directory (%s); give a directory that `perfgrid run` has made",
			dir, why.msg);
	} else {
		j = pg_json_parse(pg_str_text(&text), text.len, &why);
		if (!j)
			pg_fail(err, PG_EDAMAGED, "'%s/%s' is damaged (%s); restore it from a copy", dir, PG_RUN_JSON,
				why.msg);
	}
	pg_str_release(&text);
	if (j && (!pg_json_int(j, "perfgrid", &version) || version != 1)) {
		pg_json_free(j);
		pg_fail(err, PG_EUSAGE, "'%s' was made by another version of perfgrid; use that version", dir);
		return NULL;
	}
	return j;
}

int pg_run_json_read(int dirfd, const char *dir, struct pg_arena *a, struct pg_run_stored *out, struct pg_err *err)
{
	struct json_t *j = read_json(dirfd, dir, err);
	struct reading r = {.j = j, .arena = a};

	if (!j)
		return -1;
	memset(out, 0, sizeof(*out));
	take_all(&r, &out->info);
	out->host = keep(&r, pg_json_text(j, "host"));
	out->boot = keep(&r, pg_json_text(j, "boot"));
	pg_json_free(j);
	if (r.nomem)
		return pg_fail_nomem(err);
	if (r.bad)
		return pg_fail(err, PG_EDAMAGED,
			       "'%s/%s' is damaged ('%s' is missing or wrong); restore it from a copy", dir,
			       PG_RUN_JSON, r.bad);
	return 0;
}

static int open_dir(const char *dir, struct pg_err *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		pg_fail(err, PG_EUSAGE,
			"cannot open run directory '%s': %s; give a directory that `perfgrid run` has made", dir,
			strerror(errno));
	return fd;
}

int pg_run_info_read(const char *dir, struct pg_arena *a, struct pg_run_info *out, struct pg_err *err)
{
	int fd = open_dir(dir, err), result;
	struct pg_run_stored stored;

	if (fd < 0)
		return -1;
	result = pg_run_json_read(fd, dir, a, &stored, err);
	close(fd);
	if (result == 0)
		*out = stored.info;
	return result;
}

/* The copy of a file by its first path, "" = none. A copy stands directly in files/, whatever run.json says. */
static void find_copy(const struct json_t *j, const char *path, struct pg_str *out)
{
	const struct json_t *files = pg_json_get(j, "files");

	for (size_t i = 0; i < pg_json_len(files); i++) {
		const struct json_t *f = pg_json_at(files, i);
		const char *p = pg_json_text(f, "path"), *copy = pg_json_text(f, "copy");

		if (!p || !copy || strcmp(p, path) != 0 || strncmp(copy, "files/", 6) != 0 || strchr(copy + 6, '/'))
			continue;
		pg_str_adds(out, copy);
		return;
	}
}

int pg_run_file_read(void *dir, const char *path, struct pg_str *out, struct pg_err *err)
{
	int fd = open_dir(dir, err), result = -1;
	struct pg_err why;
	struct json_t *j;
	struct pg_str copy;

	if (fd < 0)
		return -1;
	pg_str_init(&copy);
	j = read_json(fd, dir, err);
	if (j)
		find_copy(j, path, &copy);
	if (j && copy.len == 0)
		pg_fail(err, PG_EUSAGE, "'%s' has no copy of '%s'; restore run.json from a copy", (const char *)dir,
			path);
	else if (j && pg_file_get(fd, copy.s, RUN_JSON_MAX, out, &why) == 0)
		result = 0;
	else if (j)
		pg_fail(err, why.code, "'%s': %s; restore it from a copy", (const char *)dir, why.msg);
	pg_json_free(j);
	pg_str_release(&copy);
	close(fd);
	return result;
}

void pg_run_copy_path(const char *dir, const char *path, struct pg_str *out)
{
	int fd = open_dir(dir, NULL);
	struct json_t *j = fd < 0 ? NULL : read_json(fd, dir, NULL);
	struct pg_str copy;

	pg_str_init(&copy);
	if (j)
		find_copy(j, path, &copy);
	if (copy.len)
		pg_str_addf(out, "%s/%s", dir, pg_str_text(&copy));
	pg_json_free(j);
	pg_str_release(&copy);
	if (fd >= 0)
		close(fd);
}

static bool copy_text(struct pg_arena *a, const char **s)
{
	if (!*s)
		return true;
	*s = pg_arena_strdup(a, *s);
	return *s != NULL;
}

static bool copy_list(struct pg_arena *a, const char *const **v, size_t n)
{
	const char **copy = pg_arena_array(a, n + 1, sizeof(*copy));

	for (size_t i = 0; copy && i < n; i++) {
		copy[i] = (*v)[i];
		if (!copy_text(a, &copy[i]))
			return false;
	}
	*v = copy;
	return copy != NULL;
}

static bool copy_counts(struct pg_arena *a, const uint32_t **v, size_t n)
{
	uint32_t *copy = pg_arena_array(a, n + 1, sizeof(*copy));

	if (copy && n > 0)
		memcpy(copy, *v, n * sizeof(*copy));
	*v = copy;
	return copy != NULL;
}

int pg_run_info_copy(struct pg_arena *a, struct pg_run_info *i)
{
	static const char none[] = "";

	i->name = i->name ? i->name : none;
	i->label = i->label ? i->label : none;
	i->version = i->version ? i->version : none;
	i->build = i->build ? i->build : none;
	i->scenario = i->scenario ? i->scenario : none;
	return copy_text(a, &i->name) && copy_text(a, &i->label) && copy_text(a, &i->version) &&
			       copy_text(a, &i->build) && copy_text(a, &i->scenario) && copy_text(a, &i->opts.only) &&
			       copy_list(a, &i->opts.set, i->opts.n_set) &&
			       copy_list(a, &i->opts.vary, i->opts.n_vary) &&
			       copy_counts(a, &i->opts.earlier, i->opts.n_earlier) &&
			       copy_list(a, &i->machine.unavailable, i->machine.n_unavailable)
		       ? 0
		       : -1;
}
