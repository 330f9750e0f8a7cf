/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a job to processes: command lines, environment, run keys, streams.
 */
#include "engine/child_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/num.h"
#include "model/suite.h"

#define CALIBRATION_PARTS 4

#define TEXT_(n) #n
#define TEXT(n)	 TEXT_(n)

static int fail_rep(struct pg_outcome *out, const struct pg_err *why)
{
	pg_outcome_fail(out, PG_ST_FAILED, why->msg);
	return 0;
}

/* A process could not be made. Out of descriptors or memory is the runner's own end, out of processes only this rep's.
 */
static int no_process(struct pg_outcome *out, struct pg_err *err)
{
	struct pg_err why;
	int saved = errno;

	pg_fail_sys(&why, "cannot start a process; raise the limit of processes, descriptors or memory (ulimit -u, -n, "
			  "the cgroup)");
	if (saved != EMFILE && saved != ENFILE && saved != ENOMEM)
		return fail_rep(out, &why);
	*err = why;
	return -1;
}

/* The words are in c->words or c->bg_words: starts the program. A failure of the program itself is the rep's. */
static int start_program(struct pg_child *c, struct pg_spawn *s, struct pg_wordlist *words, struct pg_proc *p,
			 struct pg_outcome *out, struct pg_err *err)
{
	struct pg_err why;

	s->argv = pg_wordlist_argv(words);
	if (!s->argv || !s->envp)
		return pg_fail_nomem(err);
	if (!s->path) {
		pg_find_program(s->argv[0], s->envp, &c->path);
		if (c->path.failed)
			return pg_fail_nomem(err);
		if (c->path.len == 0) {
			pg_fail(&why, PG_EFAILED,
				"cannot execute '%s': no such program on PATH; install it, or name its path",
				s->argv[0]);
			return fail_rep(out, &why);
		}
		s->path = c->path.s;
	}
	if (pg_spawn_program(s, c->stack, PG_CHILD_STACK, p) < 0)
		return no_process(out, err);
	if (s->step == PG_STEP_NONE)
		return 0;
	waitpid(p->pid, NULL, 0);
	close(p->fd);
	p->pid = 0;
	pg_spawn_reason(s, s->argv[0], &why);
	return fail_rep(out, &why);
}

/* What all processes around a rep share: parent, signals, streams, environment, directory. */
static void set_surroundings(struct pg_child *c, const struct pg_launch *l, struct pg_spawn *s, bool program)
{
	const struct pg_cell *cell = l->job->cell;

	pg_spawn_init(s, c->pid, &c->mask);
	s->ignore_hup = c->ignore_hup;
	s->in = c->null_fd;
	s->out = c->out.wr;
	s->err = c->err.wr;
	s->envp = pg_environment_build(&c->env, c->opts.environ, cell->keys, &l->ctx, program);
	if (cell->program && cell->program->working_directory) {
		pg_str_reset(&c->directory);
		pg_template_expand(cell->program->working_directory, &l->ctx, &c->directory);
		s->directory = pg_str_text(&c->directory);
	}
}

int pg_child_pin(struct pg_child *c, const char *list, struct pg_err *err)
{
	size_t pos;

	if (pg_streq(pg_str_text(&c->pin_text), list))
		return 0;
	pg_str_reset(&c->pin_text);
	pg_cpuset_release(&c->pin);
	if (pg_cpulist_parse(list, strlen(list), &c->pin, &pos, err) < 0)
		return -1;
	pg_str_adds(&c->pin_text, list);
	return 0;
}

/* Run keys that hold for the rep alone. -1: *why. */
static int set_keys(struct pg_child *c, const struct pg_runkeys *keys, struct pg_spawn *s, struct pg_err *why)
{
	const struct pg_cgroup *g;

	s->policy = keys->policy;
	s->priority = keys->priority;
	s->has_nice = keys->has_nice;
	s->nice = keys->nice;
	if (keys->pin && pg_child_pin(c, keys->pin, why) < 0)
		return -1;
	s->pin = keys->pin ? &c->pin : NULL;
	if (!keys->cgroup)
		return 0;
	g = pg_cgroup_get(&c->cgroups, c->opts.root, keys->cgroup, why);
	if (!g)
		return -1;
	s->cgroup = g->procs;
	return 0;
}

/* Opened anew for each rep; a name without a leading slash counts from the working directory. */
static int open_stdin(const struct pg_launch *l, const struct pg_spawn *s, struct pg_err *why)
{
	struct pg_str path;
	int fd;

	pg_str_init(&path);
	pg_template_expand(l->job->cell->program->stdin_path, &l->ctx, &path);
	if (s->directory && *pg_str_text(&path) != '/') {
		struct pg_str full;

		pg_str_init(&full);
		pg_str_addf(&full, "%s/%s", s->directory, pg_str_text(&path));
		pg_str_release(&path);
		path = full;
	}
	/* Without waiting for the other end of a FIFO here, with it in the program. */
	fd = open(pg_str_text(&path), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		pg_fail_sys(why, "cannot open stdin '%.200s'; name a file that this user may read", pg_str_text(&path));
	else
		fcntl(fd, F_SETFL, 0);
	pg_str_release(&path);
	return fd;
}

static int start_command(struct pg_child *c, const struct pg_launch *l, struct pg_spawn *s, struct pg_proc *p,
			 struct pg_outcome *out, struct pg_err *err)
{
	const struct pg_program *program = l->job->cell->program;
	struct pg_err why;
	int r, in = -1;

	if (pg_captures_use(&c->captures, program, &why) < 0)
		return fail_rep(out, &why);
	pg_captures_reset(&c->captures);
	c->out.lines = pg_captures_want(&c->captures, false) ? &c->out_lines : NULL;
	c->err.lines = pg_captures_want(&c->captures, true) ? &c->err_lines : NULL;
	if (program->shell) {
		pg_wordlist_add(&c->words, "/bin/sh");
		pg_wordlist_add(&c->words, "-c");
	}
	pg_wordlist_expand(&c->words, &program->command, &l->ctx);
	if (program->stdin_path) {
		in = open_stdin(l, s, &why);
		if (in < 0)
			return fail_rep(out, &why);
		s->in = in;
	}
	s->session = true;
	r = start_program(c, s, &c->words, p, out, err);
	if (in >= 0)
		close(in);
	return r;
}

/* How prefix words call this program: by its path as long as that is still the same file. */
static const char *self_word(const struct pg_child *c, char *buf, size_t n)
{
	struct stat here, there;

	snprintf(buf, n, "/proc/%d/exe", (int)c->pid);
	if (strcmp(c->opts.self, "/proc/self/exe") != 0)
		return c->opts.self;
	if (c->self[0] && stat(c->self, &here) == 0 && stat(buf, &there) == 0 && here.st_dev == there.st_dev &&
	    here.st_ino == there.st_ino)
		return c->self;
	return buf;
}

static int start_self(struct pg_child *c, const struct pg_launch *l, struct pg_spawn *s, struct pg_proc *p,
		      struct pg_outcome *out, struct pg_err *err)
{
	const struct pg_cell *cell = l->job->cell;
	char buf[PG_NUM_BUF];
	char self[32];

	if (cell->keys->prefix.n > 0) {
		pg_wordlist_add(&c->words, self_word(c, self, sizeof(self)));
	} else {
		s->path = c->self_path;
		pg_wordlist_add(&c->words, "perfgrid");
	}
	pg_wordlist_add(&c->words, PG_REP_ARG);
	pg_wordlist_add(&c->words, TEXT(PG_SPAWN_KEPT));
	pg_fmt_u64(buf, l->job->seed);
	pg_wordlist_add(&c->words, buf);
	pg_wordlist_add(&c->words, c->opts.root);
	pg_wordlist_add(&c->words, cell->bench->name);
	pg_str_reset(&c->conf_text);
	pg_conf_format(cell->params, cell->vals, l->job->ops, &c->conf_text);
	if (c->conf_text.failed)
		return pg_fail_nomem(err);
	pg_wordlist_split(&c->words, pg_str_text(&c->conf_text), c->conf_text.len);
	s->kept = c->page_fd;
	return start_program(c, s, &c->words, p, out, err);
}

static bool is_text(const struct pg_param *row)
{
	return row->type == PG_TEXT || row->type == PG_CPULIST || row->type == PG_NODELIST;
}

/* Binds the conf and copies its texts: the plan's memory does not exist in a forked process. */
static int bind_conf(struct pg_child *c, const struct pg_job *job, struct pg_err *err)
{
	const struct pg_cell *cell = job->cell;
	size_t need = cell->bench->conf_size;
	char *texts;

	for (size_t i = 0; i < cell->n_params; i++) {
		if (is_text(&cell->params[i]) && cell->vals[i].state == PG_V_SET)
			need += strlen(cell->vals[i].u.text) + 1;
	}
	if (need > c->conf_cap) {
		void *conf = realloc(c->conf, need);

		if (!conf)
			return pg_fail_nomem(err);
		c->conf = conf;
		c->conf_cap = need;
	}
	if (need == 0)
		return 0;
	memset(c->conf, 0, cell->bench->conf_size);
	pg_conf_bind(cell->params, cell->vals, job->ops, c->conf);
	texts = (char *)c->conf + cell->bench->conf_size;
	for (size_t i = 0; i < cell->n_params; i++) {
		const struct pg_param *row = &cell->params[i];
		size_t n;

		if (!is_text(row) || cell->vals[i].state != PG_V_SET || row->role & PG_DYNAMIC)
			continue;
		n = strlen(cell->vals[i].u.text) + 1;
		memcpy(texts, cell->vals[i].u.text, n);
		memcpy((char *)c->conf + row->offset, &texts, sizeof(texts));
		texts += n;
	}
	return 0;
}

/* What a forked rep needs; nothing of it lies in the plan. */
struct forked {
	const struct pg_bench *bench;
	const void *conf;
	const char *root;
	uint64_t seed;
	struct pg_rep_page *page;
};

static int forked_rep(void *arg, const struct pg_spawn *failed)
{
	const struct forked *f = arg;

	if (!failed)
		return pg_rep_run(f->bench, f->conf, f->seed, f->root, f->page) < 0 ? 1 : 0;
	pg_spawn_reason(failed, f->bench->name, &f->page->err);
	f->page->failed = -1;
	atomic_store_explicit(&f->page->done, 1, memory_order_release);
	return 1;
}

static int start_forked(struct pg_child *c, const struct pg_launch *l, struct pg_spawn *s, struct pg_proc *p,
			struct pg_outcome *out, struct pg_err *err)
{
	struct forked f = {l->job->cell->bench, NULL, c->opts.root, l->job->seed, c->page};

	if (bind_conf(c, l->job, err) < 0)
		return -1;
	f.conf = c->conf;
	return pg_spawn_fork(s, forked_rep, &f, p) < 0 ? no_process(out, err) : 0;
}

static void reset_page(struct pg_child *c, const struct pg_job *job)
{
	memset(c->page, 0, sizeof(*c->page));
	c->page->rep = job->rep;
	c->page->attempt = job->attempt;
	c->page->frequency = job->slow_facts && !job->calibrate;
	c->page->calibrate = job->calibrate;
	c->page->plain_clock = pg_clock_plain;
	if (job->cell->bench->batchable && pg_cell_auto(job->cell))
		c->page->batches =
			job->calibrate ? CALIBRATION_PARTS : pg_rep_batches(job->cell->rules->sample_time_ns, job->ops);
}

int pg_child_start_rep(struct pg_child *c, const struct pg_launch *l, struct pg_proc *p, int64_t *t0,
		       struct pg_outcome *out, struct pg_err *err)
{
	const struct pg_cell *cell = l->job->cell;
	struct pg_spawn s;
	struct pg_err why;

	set_surroundings(c, l, &s, cell->program);
	if (set_keys(c, cell->keys, &s, &why) < 0)
		return fail_rep(out, &why);
	pg_drain_reset(&c->out);
	pg_drain_reset(&c->err);
	*t0 = pg_child_now(c);
	if (!cell->program)
		reset_page(c, l->job);
	if (pg_cell_forks(cell))
		return start_forked(c, l, &s, p, out, err);
	pg_wordlist_reset(&c->words);
	pg_wordlist_expand(&c->words, &cell->keys->prefix, &l->ctx);
	if (cell->program)
		return start_command(c, l, &s, p, out, err);
	return start_self(c, l, &s, p, out, err);
}

int pg_child_start_helper(struct pg_child *c, const struct pg_launch *l, const struct pg_words *words,
			  struct pg_proc *p, struct pg_outcome *out, struct pg_err *err)
{
	struct pg_spawn s;

	set_surroundings(c, l, &s, true);
	s.session = true;
	c->out.lines = NULL;
	c->err.lines = NULL;
	pg_drain_reset(&c->out);
	pg_drain_reset(&c->err);
	pg_wordlist_reset(&c->words);
	pg_wordlist_expand(&c->words, words, &l->ctx);
	return start_program(c, &s, &c->words, p, out, err);
}

int pg_child_start_background(struct pg_child *c, const struct pg_launch *l, struct pg_outcome *out, struct pg_err *err)
{
	struct pg_spawn s;

	if (c->bg.rd < 0 && pg_drain_open(&c->bg, err) < 0)
		return -1;
	set_surroundings(c, l, &s, true);
	s.session = true;
	s.out = c->null_fd;
	s.err = c->bg.wr;
	pg_drain_reset(&c->bg);
	pg_wordlist_reset(&c->words);
	pg_wordlist_expand(&c->words, &l->job->cell->keys->background, &l->ctx);
	return start_program(c, &s, &c->words, &c->background, out, err);
}
