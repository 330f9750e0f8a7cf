/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For tests of benches: a conf from "name=value name=value" (all else at its default), the hooks called directly, and
 * what a process has around it (descriptors, threads, children) before and after. Header only: it needs layers that
 * other tests do not link.
 */
#ifndef PG_TESTS_PGSUITE_H
#define PG_TESTS_PGSUITE_H

#include <check.h>
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/topo.h"
#include "engine/crew.h"
#include "model/suite.h"
#include "tests/support/tasks.h"

struct ps_bench {
	const struct pg_bench *bench;
	struct pg_arena arena;
	struct pg_run run;
	struct pg_value *vals; /* as bound; one per row */
	void *conf;
	struct pg_err err;
};

static inline void ps_set(struct ps_bench *b, struct pg_value *vals, const char *name, size_t name_n, const char *text,
			  size_t n)
{
	const struct pg_param *rows = b->bench->params;
	size_t i = 0;

	while (rows[i].name && (strlen(rows[i].name) != name_n || strncmp(rows[i].name, name, name_n) != 0))
		i++;
	ck_assert_msg(rows[i].name, "no param %.*s", (int)name_n, name);
	ck_assert_msg(pg_value_parse(&rows[i], text, n, &b->arena, &vals[i], &b->err) == 0, "%s: %s", rows[i].name,
		      b->err.msg);
}

static inline bool ps_given(const char *params, const char *name)
{
	const size_t n = strlen(name);

	for (const char *at = params; *at; at += strcspn(at, " "), at += strspn(at, " "))
		if (strncmp(at, name, n) == 0 && at[n] == '=')
			return true;
	return false;
}

/* Binds; `auto` counts as 1; defaults that are expressions must be given. To be ended by ps_done(). */
static inline void ps_bind(struct ps_bench *b, const struct pg_bench *bench, const char *params)
{
	const struct pg_param *rows = bench->params;
	struct pg_value *vals;

	memset(b, 0, sizeof(*b));
	b->bench = bench;
	pg_arena_init(&b->arena, false);
	vals = pg_arena_array(&b->arena, pg_param_count(rows) + 1, sizeof(*vals));
	b->vals = vals;
	b->conf = pg_arena_alloc(&b->arena, bench->conf_size);
	for (size_t i = 0; rows[i].name; i++)
		if (rows[i].def && !ps_given(params, rows[i].name))
			ps_set(b, vals, rows[i].name, strlen(rows[i].name), rows[i].def, strlen(rows[i].def));
	while (*params) {
		const size_t len = strcspn(params, " "), eq = strcspn(params, "=");

		ps_set(b, vals, params, eq, params + eq + 1, len - eq - 1);
		params += len + strspn(params + len, " ");
	}
	pg_conf_bind(rows, vals, 1, b->conf);
	b->run = (struct pg_run){
		.conf = b->conf, .seed = 1, .rep = 1, .attempt = 1, .root = "", .metrics = bench->metrics};
}

static inline void ps_done(struct ps_bench *b)
{
	pg_arena_release(&b->arena);
}

/* check, setup, once, teardown as a rep does them: 0 or -1 with b->err. */
static inline int ps_rep(struct ps_bench *b)
{
	int r = b->bench->check ? b->bench->check(b->conf, &b->err) : 0;

	if (r)
		return r;
	r = b->bench->setup ? b->bench->setup(&b->run, &b->err) : 0;
	if (r == 0)
		r = b->bench->once(&b->run, &b->err);
	if (b->bench->teardown)
		b->bench->teardown(&b->run);
	return r;
}

static inline int ps_probe(struct ps_bench *b, struct pg_need *need)
{
	struct pg_topo topo;
	struct pg_probe_env env = {.root = "", .topo = &topo};
	int r;

	ck_assert_int_eq(pg_topo_load("", NULL, &topo, &b->err), 0);
	memset(need, 0, sizeof(*need));
	r = b->bench->probe(b->conf, &env, need, &b->err);
	pg_topo_release(&topo);
	return r;
}

/* The one raw number recorded for a row. */
static inline int64_t ps_raw(const struct ps_bench *b, const char *metric)
{
	size_t i;

	ck_assert_msg(pg_metric_find(b->bench->metrics, metric, &i) != NULL, "no metric %s", metric);
	ck_assert_msg(b->run.acc[i].n > 0, "%s was not recorded", metric);
	return b->run.acc[i].raw;
}

static inline int ps_entries(const char *dir)
{
	DIR *d = opendir(dir);
	int n = 0;

	ck_assert_msg(d != NULL, "%s: %s", dir, strerror(errno));
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

#ifdef __SANITIZE_THREAD__
#define PS_FOREIGN_THREADS 1 /* the sanitizer's own, once there were threads */
#else
#define PS_FOREIGN_THREADS 0
#endif

struct ps_around {
	int descriptors, threads;
	struct sigaction pipe;
	int policy;
};

static inline struct ps_around ps_look(void)
{
	struct ps_around a = {.descriptors = ps_entries("/proc/self/fd"), .threads = live_tasks()};

	sigaction(SIGPIPE, NULL, &a.pipe);
	a.policy = (int)syscall(SYS_sched_getscheduler, 0);
	return a;
}

static inline void ps_same(const struct ps_around *before)
{
	const struct ps_around now = ps_look();

	ck_assert_int_eq(now.descriptors, before->descriptors);
	ck_assert_int_ge(now.threads, before->threads);
	ck_assert_int_le(now.threads, before->threads + PS_FOREIGN_THREADS);
	ck_assert(now.pipe.sa_handler == before->pipe.sa_handler);
	ck_assert_int_eq(now.policy, before->policy);
	ck_assert_msg(waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD, "a child is left");
}

/*
 * Runs fn in a child of its own (limits, descriptors, signals can be changed there) and returns its exit status, 128 +
 * n if it died by signal n. Failures inside are told by a status that is not 0: no ck_assert there.
 */
static inline int ps_in_child(int (*fn)(void *arg), void *arg)
{
	int status;
	const pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0)
		pg_exit_child(fn(arg));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Shared with children; zeroed. */
static inline void *ps_shared(size_t n)
{
	void *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	ck_assert(p != MAP_FAILED);
	return p;
}

/* Reaps everything that this subreaper inherits; returns how many there were. */
static inline int ps_reap_all(void)
{
	int n = 0;

	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		n++;
	return n;
}

/* The number-th child of pid by /proc (0-based; -1 = the last), 0 = none. */
static inline pid_t ps_child_of(pid_t pid, int number)
{
	char path[64], buf[65536];
	FILE *f;
	size_t n;
	char *at = buf;
	long child = 0;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	f = fopen(path, "re");
	if (!f)
		return 0;
	n = fread(buf, 1, sizeof(buf) - 1, f);
	fclose(f);
	buf[n] = '\0';
	for (int i = 0; number < 0 || i <= number; i++) {
		char *end;
		const long c = strtol(at, &end, 10);

		if (end == at)
			return number < 0 ? (pid_t)child : 0;
		child = c;
		at = end;
	}
	return (pid_t)child;
}

#endif
