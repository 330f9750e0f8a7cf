/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/child_priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "model/suite.h"

#define STOPPED_LIMIT_NS INT64_C(10000000000)

static void out_line(void *ctx, const char *s, size_t n)
{
	(void)n;
	pg_captures_line(ctx, false, s);
}

static void err_line(void *ctx, const char *s, size_t n)
{
	(void)n;
	pg_captures_line(ctx, true, s);
}

static int open_page(struct pg_child *c, struct pg_err *err)
{
	c->page_fd = memfd_create("perfgrid-rep", MFD_CLOEXEC);
	if (c->page_fd < 0 || ftruncate(c->page_fd, sizeof(*c->page)) < 0)
		return pg_fail_sys(err,
				   "cannot make the page shared with reps; raise the limit of open files (ulimit -n)");
	c->page = mmap(NULL, sizeof(*c->page), PROT_READ | PROT_WRITE, MAP_SHARED, c->page_fd, 0);
	if (c->page == MAP_FAILED) {
		c->page = NULL;
		return pg_fail_sys(err, "cannot map the page shared with reps; free memory or raise the limit of the "
					"cgroup (memory.max)");
	}
	return 0;
}

/* Paths of this program: as exec takes it, and as other programs would call it ("" = not known). */
static int find_self(struct pg_child *c, struct pg_err *err)
{
	ssize_t n = readlink("/proc/self/exe", c->self, sizeof(c->self) - 1);

	c->self[n > 0 ? n : 0] = '\0';
	c->self_path = strdup(c->opts.self);
	return c->self_path ? 0 : pg_fail_nomem(err);
}

static struct pg_child *new_child(const struct pg_child_opts *opts)
{
	struct pg_child *c = calloc(1, sizeof(*c));
	struct sigaction hup;

	if (!c)
		return NULL;
	c->opts = *opts;
	c->pid = getpid();
	c->page_fd = c->null_fd = -1;
	pg_drain_init(&c->out);
	pg_drain_init(&c->err);
	pg_drain_init(&c->bg);
	pg_captures_init(&c->captures);
	pg_lines_init(&c->out_lines, out_line, &c->captures);
	pg_lines_init(&c->err_lines, err_line, &c->captures);
	pg_wordlist_init(&c->words);
	pg_environment_init(&c->env);
	pg_str_init(&c->path);
	pg_str_init(&c->directory);
	pg_str_init(&c->conf_text);
	pg_str_init(&c->pin_text);
	pg_cpuset_init(&c->pin);
	sigaction(SIGHUP, NULL, &hup);
	c->ignore_hup = hup.sa_handler == SIG_IGN;
	return c;
}

int pg_child_open(struct pg_child **out, const struct pg_child_opts *opts, struct pg_err *err)
{
	struct pg_child *c = new_child(opts);

	if (!c)
		return pg_fail_nomem(err);
	c->stack = pg_big_alloc(PG_CHILD_STACK);
	if (!c->stack) {
		pg_fail_nomem(err);
		goto fail;
	}
	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0) {
		pg_fail_sys(err, "cannot become the reaper of orphaned processes; perfgrid needs Linux 3.4 or later");
		goto fail;
	}
	c->null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (c->null_fd < 0) {
		pg_fail_sys(err, "cannot open /dev/null; make it (mknod) or raise the limit of open files (ulimit -n)");
		goto fail;
	}
	if (find_self(c, err) < 0 || open_page(c, err) < 0 || pg_drain_open(&c->out, err) < 0 ||
	    pg_drain_open(&c->err, err) < 0)
		goto fail;
	*out = c;
	return 0;
fail:
	pg_child_close(c);
	return -1;
}

void pg_child_close(struct pg_child *c)
{
	if (!c)
		return;
	pg_cgroups_release(&c->cgroups);
	if (c->guards_open)
		pg_guards_close(&c->guards);
	pg_cpuset_release(&c->pin);
	pg_str_release(&c->pin_text);
	pg_str_release(&c->conf_text);
	pg_str_release(&c->directory);
	pg_str_release(&c->path);
	pg_environment_release(&c->env);
	pg_wordlist_release(&c->words);
	pg_lines_release(&c->err_lines);
	pg_lines_release(&c->out_lines);
	pg_captures_release(&c->captures);
	pg_drain_close(&c->bg);
	pg_drain_close(&c->err);
	pg_drain_close(&c->out);
	if (c->page)
		munmap(c->page, sizeof(*c->page));
	if (c->page_fd >= 0)
		close(c->page_fd);
	if (c->null_fd >= 0)
		close(c->null_fd);
	pg_big_free(c->stack, PG_CHILD_STACK);
	free(c->self_path);
	free(c->conf);
	free(c);
}

static bool has_ops(const struct pg_cell *cell)
{
	for (size_t i = 0; i < cell->n_params; i++) {
		if (cell->params[i].role & PG_OPS)
			return true;
	}
	return false;
}

/* After a stop nobody waits ten minutes for a clean-up that hangs. */
static int64_t helper_timeout(const struct pg_child *c, const struct pg_rules *rules)
{
	int64_t t = rules->timeout_ns;

	return pg_child_stopped(c) && (t < 0 || t > STOPPED_LIMIT_NS) ? STOPPED_LIMIT_NS : t;
}

/* before and after: a failure is the rep's, unless that has one already. */
static int run_helper(struct pg_child *c, const struct pg_launch *l, const char *what, struct pg_outcome *out,
		      struct pg_err *err)
{
	bool before = what[0] == 'b';
	const struct pg_runkeys *keys = l->job->cell->keys;
	int64_t timeout_ns = helper_timeout(c, l->job->cell->rules);
	struct pg_end end = {.t0 = pg_child_now(c)};
	struct pg_outcome own;
	struct pg_proc p = {0, -1};

	pg_outcome_clear(&own);
	if (pg_child_start_helper(c, l, before ? &keys->before : &keys->after, &p, &own, err) < 0)
		return -1;
	if (p.pid > 0) {
		pg_child_watch(c, &p, timeout_ns, before, &end);
		pg_outcome_helper(c, what, &end, timeout_ns, &own);
	}
	if (own.status != PG_ST_OK && out->status == PG_ST_OK) {
		pg_outcome_fail(out, own.status, own.why);
		out->once_ns = 0;
	}
	return 0;
}

static const char *own_group(struct pg_child *c, const struct pg_runkeys *keys)
{
	const struct pg_cgroup *g = keys->cgroup ? pg_cgroup_get(&c->cgroups, c->opts.root, keys->cgroup, NULL) : NULL;

	return g ? g->dir : NULL;
}

/* The CPUs that the rep may use where `pin` says so, NULL = the runner's. A bad list makes the rep fail later on. */
static const struct pg_cpuset *own_cpus(struct pg_child *c, const struct pg_runkeys *keys)
{
	struct pg_err err;

	return keys->pin && pg_child_pin(c, keys->pin, &err) == 0 ? &c->pin : NULL;
}

static int measure(struct pg_child *c, const struct pg_launch *l, struct pg_outcome *out, struct pg_err *err)
{
	const struct pg_job *job = l->job;
	bool slow = job->slow_facts && !job->calibrate;
	struct pg_reading before, after;
	struct pg_end end = {.t0 = pg_child_now(c)};
	struct pg_proc p = {0, -1};

	if (slow)
		pg_guards_read(&c->guards, own_group(c, job->cell->keys), own_cpus(c, job->cell->keys), &before);
	out->facts[PG_F_T_WALL] = c->opts.clock->wall(c->opts.clock->ctx);
	if (pg_child_start_rep(c, l, &p, &end.t0, out, err) < 0)
		return -1;
	out->facts[PG_F_T_MONO] = end.t0;
	if (has_ops(job->cell))
		out->facts[PG_F_LOOPS] = (int64_t)job->ops;
	if (p.pid == 0) /* not started: *out says why */
		return 0;
	pg_child_watch(c, &p, job->cell->rules->timeout_ns, true, &end);
	if (slow) {
		pg_guards_read(&c->guards, own_group(c, job->cell->keys), own_cpus(c, job->cell->keys), &after);
		pg_guards_facts(&before, &after, pg_timeval_ns(end.ru.ru_utime) + pg_timeval_ns(end.ru.ru_stime),
				out->facts);
		/* What the background program used is not known before it has ended, and it is no other's load. */
		if (job->cell->keys->background.n > 0)
			out->facts[PG_F_OTHER_BUSY] = PG_FACT_ABSENT;
	}
	if (job->cell->program)
		pg_outcome_program(c, job, &end, out);
	else
		pg_outcome_bench(c, job, &end, out);
	return 0;
}

/* A background program that did not live as long as the rep makes its sample worthless. */
static void check_background(struct pg_child *c, struct pg_outcome *out)
{
	siginfo_t info = {.si_pid = 0};
	struct pg_str why;

	if (out->status == PG_ST_NOT_RUN ||
	    waitid(P_PID, (id_t)c->background.pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 || info.si_pid == 0)
		return;
	pg_str_init(&why);
	pg_str_adds(&why, "the background program ended before the rep: ");
	pg_end_describe(info.si_code == CLD_EXITED ? (info.si_status & 0xff) << 8 : info.si_status, &why);
	pg_drain_finish(&c->bg);
	if (c->bg.total > 0)
		pg_str_adds(&why, ": ");
	pg_drain_last_line(&c->bg, 300, &why);
	pg_outcome_fail(out, PG_ST_FAILED, pg_str_text(&why));
	pg_str_release(&why);
}

static int with_background(struct pg_child *c, const struct pg_launch *l, struct pg_outcome *out, struct pg_err *err)
{
	int r;

	if (l->job->cell->keys->background.n == 0)
		return measure(c, l, out, err);
	if (pg_child_start_background(c, l, out, err) < 0)
		return -1;
	if (c->background.pid == 0)
		return 0;
	r = measure(c, l, out, err);
	if (r == 0)
		check_background(c, out);
	pg_child_end_background(c);
	if (!pg_tree_empty())
		pg_kill_descendants();
	pg_drain_finish(&c->out);
	pg_drain_finish(&c->err);
	return r;
}

static int run_parts(struct pg_child *c, const struct pg_launch *l, struct pg_outcome *out, struct pg_err *err)
{
	const struct pg_runkeys *keys = l->job->cell->keys;
	struct pg_err other;
	int r = 0;

	if (l->job->slow_facts && !c->guards_open) {
		pg_guards_open(&c->guards, c->opts.root, c->opts.topo);
		c->guards_open = true;
	}
	/* There when `before` writes its limits. */
	if (keys->cgroup && !pg_cgroup_get(&c->cgroups, c->opts.root, keys->cgroup, &other))
		pg_outcome_fail(out, PG_ST_FAILED, other.msg);
	if (keys->before.n > 0 && out->status == PG_ST_OK)
		r = run_helper(c, l, "before", out, err);
	if (r == 0 && out->status == PG_ST_OK && pg_child_stopped(c))
		pg_outcome_fail(out, PG_ST_NOT_RUN, "stopped by the user");
	if (r == 0 && out->status == PG_ST_OK)
		r = with_background(c, l, out, err);
	/* Whatever happened, be it that the runner itself is at its end. */
	if (keys->after.n > 0 && run_helper(c, l, "after", out, r < 0 ? &other : err) < 0)
		r = -1;
	return r;
}

static int run_job(void *ctx, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	struct pg_child *c = ctx;
	struct pg_launch l = {.job = job};
	sigset_t all;
	int r;

	l.ctx = (struct pg_template_ctx){
		.cell = job->cell, .rep = job->rep, .seed = job->seed, .variant = job->cell->variant_label};
	pg_outcome_clear(out);
	/* A stop is taken while the rep is waited for, never half-way through starting it. */
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &c->mask);
	r = run_parts(c, &l, out, err);
	sigprocmask(SIG_SETMASK, &c->mask, NULL);
	return r;
}

struct pg_executor pg_child_executor(struct pg_child *c)
{
	return (struct pg_executor){.run = run_job, .ctx = c};
}
