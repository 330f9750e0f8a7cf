/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loading and marking plans. */
#include "runner/planning.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"
#include "runner/commands.h"
#include "runner/report.h"
#include "runner/world.h"
#include "store/store.h"

#define FILE_MAX ((size_t)16 << 20)

/* The enumerators of the topology's domains are in the order of the machine words. */
static void resolve_words(const struct pg_topo *t, struct pg_machine *m)
{
	m->word[0] = pg_cpuset_count(&t->allowed);
	for (int d = PG_DOMAIN_CORE; d <= PG_DOMAIN_NODE; d++)
		m->word[d] = t->domain[d].n;
}

/* Appends the choices of a row that cannot run here; names NULL only counts. SIZE_MAX = out of memory. */
static size_t add_choices(const struct pg_bench *b, const struct pg_param *p, struct pg_arena *a, const char **names,
			  size_t n)
{
	for (int i = 0; p->choices[i].name; i++) {
		const char *why;

		if (p->choice_probe(i, &why) == 0)
			continue;
		if (names)
			names[n] = pg_arena_printf(a, "%s.%s=%s", b->name, p->name, p->choices[i].name);
		if (names && !names[n])
			return SIZE_MAX;
		n++;
	}
	return n;
}

static size_t visit_rows(const struct pg_bench *b, struct pg_arena *a, const char **names, size_t n)
{
	for (const struct pg_param *p = b->params; p->name && n != SIZE_MAX; p++)
		if ((p->role & PG_ALL) && p->choices && p->choice_probe)
			n = add_choices(b, p, a, names, n);
	return n;
}

static size_t visit_benches(const struct pg_suite *const *suites, struct pg_arena *a, const char **names)
{
	size_t n = 0;

	for (; *suites; suites++)
		for (const struct pg_bench *const *b = (*suites)->benches; *b && n != SIZE_MAX; b++)
			n = visit_rows(*b, a, names, n);
	return n;
}

static int find_unavailable(struct pg_here *h, struct pg_err *err)
{
	size_t n = visit_benches(h->world->suites, NULL, NULL);
	const char **names = pg_arena_array(&h->arena, n + 1, sizeof(*names));

	if (!names || visit_benches(h->world->suites, &h->arena, names) != n)
		return pg_fail_nomem(err);
	h->machine.unavailable = names;
	h->machine.n_unavailable = n;
	return 0;
}

int pg_here_open(struct pg_here *h, const struct pg_world *w, struct pg_err *err)
{
	memset(h, 0, sizeof(*h));
	h->world = w;
	pg_arena_init(&h->arena, true);
	if (pg_topo_load(w->root, NULL, &h->topo, err) != 0)
		return -1;
	resolve_words(&h->topo, &h->machine);
	if (find_unavailable(h, err) != 0 || pg_limits_read(w->root, &h->topo, &h->limits, err) != 0) {
		pg_here_close(h);
		return -1;
	}
	return 0;
}

void pg_here_close(struct pg_here *h)
{
	pg_topo_release(&h->topo);
	pg_arena_release(&h->arena);
}

bool pg_shape_differs(const struct pg_plan_opts *a, const struct pg_plan_opts *b)
{
	return a->quick != b->quick || a->only != b->only || a->set != b->set || a->vary != b->vary ||
	       a->repeat != b->repeat || a->has_warmup != b->has_warmup || a->warmup != b->warmup ||
	       a->max_cells != b->max_cells;
}

void pg_shape(const struct pg_run_opts *opts, struct pg_plan_opts *out)
{
	memset(out, 0, sizeof(*out));
	out->quick = opts->quick;
	out->only = opts->only;
	out->set = opts->set.v;
	out->n_set = opts->set.n;
	out->vary = opts->vary.v;
	out->n_vary = opts->vary.n;
	out->repeat = opts->repeat.given ? (uint32_t)opts->repeat.v : 0;
	out->has_warmup = opts->warmup.given;
	out->warmup = (uint32_t)opts->warmup.v;
	out->max_cells = opts->max_cells.given ? (size_t)opts->max_cells.v : 0;
}

static int read_all(int fd, struct pg_str *out, struct pg_err *err)
{
	char buf[65536];

	for (;;) {
		ssize_t n = read(fd, buf, sizeof(buf));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return pg_fail_sys(err, "cannot be read");
		if (n == 0)
			break;
		if (out->len + (size_t)n > FILE_MAX)
			return pg_fail(err, PG_EINPUT, "larger than 16 MiB; a scenario is smaller");
		pg_str_add(out, buf, (size_t)n);
	}
	return out->failed ? pg_fail_nomem(err) : 0;
}

static int read_path(const char *path, bool is_main, struct pg_str *out, struct pg_err *err)
{
	struct stat st;
	int fd, r;

	if (stat(path, &st) != 0)
		return pg_fail(err, PG_EINPUT, "cannot be read: %s; check the path", strerror(errno));
	/* Looked at before opening: opening a pipe or a device may block or do something. */
	if (S_ISDIR(st.st_mode))
		return pg_fail(err, PG_EINPUT, "is a directory; a scenario is a file");
	if (!is_main && !S_ISREG(st.st_mode))
		return pg_fail(err, PG_EINPUT, "is no regular file; only those can be included");
	/* A pipe that nobody writes to is an empty file, not one to wait for; one with a writer is read to its end. */
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return pg_fail_sys(err, "cannot be read");
	r = S_ISREG(st.st_mode) || fcntl(fd, F_SETFL, 0) == 0 ? read_all(fd, out, err)
							      : pg_fail_sys(err, "cannot be read");
	close(fd);
	return r;
}

int pg_file_read(void *main_path, const char *path, struct pg_str *out, struct pg_err *err)
{
	return read_path(path, main_path && strcmp(main_path, path) == 0, out, err);
}

/* The files that tables become, with the place of each. */
struct names {
	struct name {
		const char *text;
		const struct pg_loc *loc;
	} * v;
	size_t n, cap;
	const struct pg_loc *loc;
	struct pg_arena arena;
};

static int add_name(void *ctx, const char *file_name, struct pg_err *err)
{
	struct names *all = ctx;

	if (all->n == all->cap) {
		size_t cap = all->cap ? 2 * all->cap : 64;
		struct name *v = reallocarray(all->v, cap, sizeof(*v));

		if (!v)
			return pg_fail_nomem(err);
		all->v = v;
		all->cap = cap;
	}
	all->v[all->n].loc = all->loc;
	all->v[all->n].text = pg_arena_strdup(&all->arena, file_name);
	if (!all->v[all->n].text)
		return pg_fail_nomem(err);
	all->n++;
	return 0;
}

static int by_text(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int c = strcmp(x->text, y->text);

	if (c != 0)
		return c;
	if (x->loc->line != y->loc->line)
		return x->loc->line < y->loc->line ? -1 : 1;
	return x->loc->col < y->loc->col ? -1 : x->loc->col > y->loc->col;
}

static int collect_names(const struct pg_plan *plan, struct names *all, struct pg_err *err)
{
	for (size_t i = 0; i < pg_plan_sweeps(plan); i++) {
		const struct pg_sweep *s = pg_plan_sweep(plan, i);

		for (size_t k = 0; k < s->n_tables; k++) {
			all->loc = &s->tables[k].loc;
			if (pg_table_names(plan, i, &s->tables[k], add_name, all, err) != 0)
				return -1;
		}
	}
	return 0;
}

/* Two tables that become one file. */
static int check_table_names(const struct pg_plan *plan, struct pg_diag *d)
{
	struct names all = {.v = NULL};
	struct pg_err err;

	pg_arena_init(&all.arena, true);
	if (collect_names(plan, &all, &err) != 0)
		pg_diag_pass(d, &err);
	if (all.n > 1)
		qsort(all.v, all.n, sizeof(*all.v), by_text);
	for (size_t i = 1; i < all.n && !pg_diag_full(d); i++) {
		if (strcmp(all.v[i - 1].text, all.v[i].text) != 0)
			continue;
		pg_diag_error(d, all.v[i].loc,
			      "'%s' is also the file of the table on line %u; give one of them a `name`", all.v[i].text,
			      all.v[i - 1].loc->line);
	}
	pg_arena_release(&all.arena);
	free(all.v);
	return d->errors > 0 ? -1 : 0;
}

/* Two shapes of table whose status files have one name: the later shape has none. */
static void note_statuses(const struct pg_plan *plan, struct pg_diag *d)
{
	for (size_t i = 0; i < pg_plan_sweeps(plan); i++) {
		const struct pg_sweep *s = pg_plan_sweep(plan, i);
		struct pg_err err;
		size_t *owner = s->n_tables > 1 ? pg_status_owners(s, &err) : NULL;

		for (size_t k = 0; owner && k < s->n_tables; k++)
			if (owner[k] == SIZE_MAX)
				pg_diag_note(d, &s->tables[k].loc,
					     "no status file has the shape of this table, an earlier one has taken its "
					     "name; give it a `name`");
		free(owner);
	}
}

/* What a run was measured by was once a plan. */
static void say_changed(const struct pg_world *w, const char *dir, const char *version)
{
	if (version && strcmp(version, PG_VERSION) != 0)
		pg_say(w,
		       "'%s/files' makes no plan for perfgrid %s, but did for %s, which made the run; use that "
		       "version, "
		       "or measure anew",
		       dir, PG_VERSION, version);
	else
		pg_say(w, "what is in '%s/files' was changed since the run began; restore it, or measure anew", dir);
}

int pg_load_plan(const struct pg_load *l, const char *file, struct pg_reporter *r, struct pg_plan **out)
{
	struct pg_diag d = {.report = pg_reporter_report, .ctx = r};
	char *main_path = strdup(file);
	struct pg_plan_input in = {
		.file = file,
		.read = l->read ? l->read : pg_file_read,
		.read_ctx = l->read ? l->read_ctx : main_path,
		.suites = l->suites,
		.machine = l->machine,
		.opts = l->opts,
		.version = l->version ? l->version : PG_VERSION,
	};
	bool in_copy = false;
	struct pg_err err;
	int result = -1;

	*out = NULL;
	r->copies = l->read == pg_run_file_read ? l->read_ctx : NULL;
	r->in_copy = &in_copy;
	if (!main_path) {
		pg_fail_nomem(&err);
		pg_diag_pass(&d, &err);
	} else if (pg_plan_load(&in, out, &d) == 0) {
		result = check_table_names(*out, &d);
		if (result == 0)
			note_statuses(*out, &d);
	}
	if (result != 0) {
		pg_plan_free(*out);
		*out = NULL;
		if (pg_diag_full(&d))
			pg_say(r->world, "stopped after %u errors; correct these first", d.errors);
		/* Not where an option of now is wrong, or memory is short. */
		if (r->copies && in_copy && !l->other_opts)
			say_changed(r->world, r->copies, l->version);
	}
	r->in_copy = NULL;
	free(main_path);
	return result;
}

static size_t largest_conf(const struct pg_plan *plan)
{
	size_t n = 1;

	for (size_t i = 0; i < pg_plan_sweeps(plan); i++) {
		size_t need = pg_plan_sweep(plan, i)->bench->conf_size;

		n = need > n ? need : n;
	}
	return n;
}

/*
 * Answers of preflight by what they depend on: bench, run keys, and every param but the operation count. Probes ask the
 * kernel, which a sweep over loops need not do in each cell. A slot holds the last answer that fell on it.
 */
#define MEMO_SLOTS 4096

struct memo {
	struct answer {
		uint64_t key; /* 0 = none */
		char *why;    /* NULL = can run */
	} slots[MEMO_SLOTS];
};

static uint64_t memo_key(const struct pg_cell *c)
{
	const struct pg_runkeys *k = c->keys;
	const uint64_t plain[] = {(uintptr_t)c->bench, (uint64_t)k->policy, (uint64_t)k->priority, k->has_nice,
				  (uint64_t)k->nice};
	uint64_t h = pg_fnv1a(PG_FNV_INIT, plain, sizeof(plain));

	if (k->cgroup)
		h = pg_fnv1a(h, k->cgroup, strlen(k->cgroup));
	for (size_t i = 0; i < c->n_params; i++)
		if (!(c->params[i].role & PG_OPS))
			h = pg_mix64(h ^ pg_value_hash(&c->vals[i])) + i;
	return h ? h : 1;
}

/* NULL = can run, else the reason, valid until the next call. */
static const char *ask(const struct pg_here *h, const struct pg_cell *c, void *conf, struct memo *memo)
{
	const uint64_t key = c->bench->tries ? memo_key(c) : 0;
	struct answer *a = &memo->slots[key % MEMO_SLOTS];
	struct pg_err why;

	if (key && a->key == key)
		return a->why;
	free(a->why);
	a->why = NULL;
	a->key = 0;
	if (pg_preflight(c, &h->limits, conf, &why) == 0) {
		a->key = key;
		return NULL;
	}
	a->why = strdup(why.msg);
	if (!a->why)
		return "out of memory; free some and try again";
	a->key = key;
	return a->why;
}

static void memo_free(struct memo *memo)
{
	for (size_t i = 0; memo && i < MEMO_SLOTS; i++)
		free(memo->slots[i].why);
	free(memo);
}

int pg_mark_plan(const struct pg_here *h, struct pg_plan *plan, size_t *runnable, struct pg_err *err)
{
	struct pg_cell_buf *buf = pg_cell_buf_new(plan);
	void *conf = calloc(1, largest_conf(plan));
	struct memo *memo = calloc(1, sizeof(*memo));
	int r = buf && conf && memo ? 0 : pg_fail_nomem(err);

	for (size_t i = 0; runnable && i < pg_plan_sweeps(plan); i++)
		runnable[i] = 0;
	for (size_t i = 0; r == 0 && i < pg_plan_cells(plan); i++) {
		const struct pg_cell *c = pg_plan_cell(plan, i, buf);
		const char *why;

		if (c->skip != PG_NOT_SKIPPED)
			continue;
		why = ask(h, c, conf, memo);
		if (!why) {
			if (runnable)
				runnable[c->sweep]++;
		} else if (pg_plan_mark(plan, i, PG_SKIP_PREFLIGHT, why) != 0) {
			r = pg_fail_nomem(err);
		}
	}
	memo_free(memo);
	free(conf);
	pg_cell_buf_free(buf);
	return r;
}
