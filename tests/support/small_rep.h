/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Any bench of the registry as one small rep in this process, and what must be as before once it is over. The smallest
 * work follows from the names that benches share (params.md 0.1), so that a new bench needs no line here. Nothing of
 * check.h: the long proof uses it too.
 */
#ifndef PG_TESTS_SMALL_REP_H
#define PG_TESTS_SMALL_REP_H

#include <dirent.h>
#include <malloc.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/topo.h"
#include "engine/rep.h"
#include "model/param.h"
#include "model/suite.h"
#include "tests/support/tasks.h"

/* The first row that fits counts; bench NULL = all. */
static const struct sr_small {
	const char *bench, *param, *text;
} sr_smalls[] = {
	{"sched/messaging", "fds", "2"},
	{"epoll/wait", "fds", "8"},
	{"epoll/ctl", "fds", "8"},
	{"futex/hash", "futexes", "16"},
	{"internals/synthesize", "threads", "1"},
	{"numa/mem", "loops", "2"},
	{NULL, "loops", "1"},
	{NULL, "groups", "1"},
	{NULL, "processes", "1"},
	{NULL, "threads", "2"},
	{NULL, "runtime", "2ms"},
	{NULL, "settle", "0s"},
};

struct sr_rep {
	const struct pg_bench *bench;
	struct pg_arena arena;
	struct pg_topo topo;
	void *conf;
	struct pg_rep_page page;
	struct pg_err err;
};

/* Machine words that stand as a whole default; benches with expressions in defaults have a row above or below. */
static inline const char *sr_text(const struct pg_bench *b, const struct pg_param *row)
{
	for (size_t i = 0; i < sizeof(sr_smalls) / sizeof(sr_smalls[0]); i++) {
		const struct sr_small *s = &sr_smalls[i];

		if (strcmp(s->param, row->name) == 0 && (!s->bench || strcmp(s->bench, b->name) == 0))
			return s->text;
	}
	return row->def;
}

/* 0; 1: this machine cannot run it, r->err has the reason; -1: r->err. To be ended by sr_close() in each case. */
static inline int sr_open(struct sr_rep *r, const struct pg_bench *bench)
{
	const struct pg_param *rows = bench->params;
	struct pg_need need = {.descriptors = 0};
	struct pg_probe_env env = {.root = "", .topo = &r->topo};
	struct pg_value *vals;

	memset(r, 0, sizeof(*r));
	r->bench = bench;
	pg_arena_init(&r->arena, false);
	if (pg_topo_load("", NULL, &r->topo, &r->err) < 0)
		return -1;
	vals = pg_arena_array(&r->arena, pg_param_count(rows) + 1, sizeof(*vals));
	r->conf = pg_arena_alloc(&r->arena, bench->conf_size + 1);
	if (!vals || !r->conf)
		return pg_fail_nomem(&r->err);
	for (size_t i = 0; rows[i].name; i++) {
		const char *text = sr_text(bench, &rows[i]);

		/* An expression: the rows that have one mean "as many as the row before". */
		if (text && pg_value_parse(&rows[i], text, strlen(text), &r->arena, &vals[i], &r->err) < 0 &&
		    pg_value_parse(&rows[i], "2", 1, &r->arena, &vals[i], &r->err) < 0)
			return -1;
	}
	pg_conf_bind(rows, vals, 1, r->conf);
	if (bench->probe && bench->probe(r->conf, &env, &need, &r->err) < 0)
		return r->err.code == PG_EUNSUPPORTED ? 1 : -1;
	return 0;
}

/* 0, or -1 with the reason in r->err. */
static inline int sr_run(struct sr_rep *r, uint64_t seed)
{
	memset(&r->page, 0, sizeof(r->page));
	r->page.rep = 1;
	r->page.attempt = 1;
	if (pg_rep_run(r->bench, r->conf, seed, "", &r->page) == 0)
		return 0;
	r->err = r->page.err;
	return -1;
}

static inline void sr_close(struct sr_rep *r)
{
	pg_topo_release(&r->topo);
	pg_arena_release(&r->arena);
}

/* What a rep must leave as it was. */
struct sr_around {
	int descriptors, threads;
	char cgroup[512], directory[512];
	cpu_set_t cpus;
	struct rlimit limits[RLIM_NLIMITS];
	struct sigaction actions[NSIG];
	sigset_t mask;
	int policy, nice;
	mode_t umask;
};

static inline int sr_entries(const char *dir)
{
	DIR *d = opendir(dir);
	int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

static inline void sr_look(struct sr_around *a)
{
	FILE *f;

	memset(a, 0, sizeof(*a));
	a->descriptors = sr_entries("/proc/self/fd");
	a->threads = live_tasks();
	f = fopen("/proc/self/cgroup", "re");
	if (f) {
		a->cgroup[fread(a->cgroup, 1, sizeof(a->cgroup) - 1, f)] = '\0';
		fclose(f);
	}
	if (!getcwd(a->directory, sizeof(a->directory)))
		a->directory[0] = '\0';
	sched_getaffinity(0, sizeof(a->cpus), &a->cpus);
	for (int i = 0; i < RLIM_NLIMITS; i++)
		getrlimit((__rlimit_resource_t)i, &a->limits[i]);
	for (int i = 1; i < 32; i++)
		sigaction(i, NULL, &a->actions[i]);
	sigprocmask(SIG_BLOCK, NULL, &a->mask);
	a->policy = sched_getscheduler(0);
	a->nice = getpriority(PRIO_PROCESS, 0);
	a->umask = umask(0);
	umask(a->umask);
}

/* NULL, or what differs. */
static inline const char *sr_differs(const struct sr_around *a, const struct sr_around *b, int foreign_threads)
{
	if (a->descriptors != b->descriptors)
		return "open descriptors";
	if (b->threads < a->threads || b->threads > a->threads + foreign_threads)
		return "threads";
	if (strcmp(a->cgroup, b->cgroup) != 0)
		return "the cgroup";
	if (strcmp(a->directory, b->directory) != 0)
		return "the working directory";
	if (!CPU_EQUAL(&a->cpus, &b->cpus))
		return "the affinity";
	if (memcmp(a->limits, b->limits, sizeof(a->limits)) != 0)
		return "resource limits";
	for (int i = 1; i < 32; i++)
		if (a->actions[i].sa_handler != b->actions[i].sa_handler)
			return "signal handlers";
	if (memcmp(&a->mask, &b->mask, sizeof(a->mask)) != 0)
		return "the signal mask";
	if (a->policy != b->policy || a->nice != b->nice)
		return "policy or nice";
	if (a->umask != b->umask)
		return "the umask";
	if (waitpid(-1, NULL, WNOHANG) != -1)
		return "a child is left: the children";
	return NULL;
}

/* Bytes that malloc() gave out, and lines of the memory map. */
struct sr_memory {
	size_t allocated, mappings;
};

static inline struct sr_memory sr_memory(void)
{
	struct sr_memory m = {mallinfo2().uordblks + mallinfo2().hblkhd, 0};
	FILE *f = fopen("/proc/self/maps", "re");
	int c;

	while (f && (c = fgetc(f)) != EOF)
		m.mappings += c == '\n';
	if (f)
		fclose(f);
	return m;
}

#endif
