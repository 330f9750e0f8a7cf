/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <sys/stat.h>

#include <poll.h>

#include "registry/registry.h"
#include "suites/pipe.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

#define FOR_EVER "loops=1000000000000"

static const struct pg_bench *ping_pong(void)
{
	return pg_bench_find("sched/pipe");
}

/* In place of the task that begins: looks what comes before it has written. */
static int wait_first(struct pg_worker *w, void *arg)
{
	struct pg_pipe *p = arg;
	struct pollfd in = {.fd = p->pipes[1][PG_PIPE_READ], .events = POLLIN};
	char c[4];

	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	w->slot->count = (uint64_t)poll(&in, 1, p->conf->tokens == 1 ? 30 : -1);
	if (write(p->pipes[0][PG_PIPE_WRITE], "1234", 4) != 4 || read(in.fd, c, 4) != 4)
		return pg_worker_fail(w, "no turn");
	return 0;
}

START_TEST(tokens_under_way)
{
	const struct pg_crew_opts opts = {
		.n = 2, .threads = true, .root = "", .last_opens = true, .stack_bytes = PG_PIPE_STACK};
	const struct pg_pipe_conf conf = {.loops = 1, .tokens = (uint64_t)_i + 1, .size = 4, .mode = 1};
	char buffers[8];
	struct pg_pipe p = {.conf = &conf, .root = "", .buffers = buffers, .stride = 4};
	struct pg_err err;

	ck_assert_int_eq(pipe(p.pipes[0]), 0);
	ck_assert_int_eq(pipe(p.pipes[1]), 0);
	ck_assert_int_eq(pg_crew_open(&p.crew, &opts, &err), 0);
	ck_assert_int_eq(pg_crew_start(p.crew, pg_pipe_task, &p, &err), 0);
	ck_assert_int_eq(pg_crew_start(p.crew, wait_first, &p, &err), 0);
	ck_assert_msg(pg_crew_reap(p.crew, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(pg_crew_slot(p.crew, 1)->count, (uint64_t)_i);
	pg_crew_close(p.crew);
	pg_pipe_close(&p);
}
END_TEST

START_TEST(cgroup_text_is_checked)
{
	static const struct {
		const char *text, *expect; /* NULL = good */
	} texts[] = {
		{"a,b", NULL},		 {"a/b.slice,c-d_e", NULL}, {"a", "no comma"},
		{",b", "character 1"},	 {"a,", "character 3"},	    {"a,b,c", "character 4"},
		{"/a,b", "character 1"}, {"a,/b", "character 3"},   {"a/../b,c", "character 3"},
		{"a,..", "character 3"}, {".,b", "character 1"},
	};
	struct ps_bench b;
	char params[64];

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		int r;

		snprintf(params, sizeof(params), "task_cgroups=%s", texts[i].text);
		ps_bind(&b, ping_pong(), params);
		r = b.bench->check(b.conf, &b.err);
		ck_assert_msg(r == (texts[i].expect ? -1 : 0), "%s", texts[i].text);
		if (r)
			ck_assert_msg(strstr(b.err.msg, texts[i].expect), "%s: %s", texts[i].text, b.err.msg);
		ps_done(&b);
	}
}
END_TEST

static void put(const char *root, const char *path, const char *text)
{
	char name[256];
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", root, path);
	for (char *slash = strchr(name + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(name, 0777);
		*slash = '/';
	}
	f = fopen(name, "we");
	ck_assert_msg(f != NULL, "%s", name);
	fputs(text, f);
	fclose(f);
}

static void has(const char *root, const char *path, const char *text)
{
	char name[256], buf[16] = "";
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s", root, path);
	f = fopen(name, "re");
	ck_assert_msg(f != NULL, "%s", name);
	ck_assert_uint_le(fread(buf, 1, sizeof(buf) - 1, f), sizeof(buf));
	fclose(f);
	ck_assert_msg(strcmp(buf, text) == 0, "%s has `%s`, not `%s`", path, buf, text);
}

/* A root where the control files are plain ones. */
static void make_root(char *root)
{
	strcpy(root, "/tmp/pg-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	put(root, "proc/self/mounts",
	    "cgroup /v1 cgroup rw,cpu 0 0\ncgroup /pe cgroup rw,perf_event 0 0\ncgroup2 /v2 cgroup2 rw 0 0\n");
	put(root, "proc/self/cgroup", "3:cpu,cpuacct:/here\n2:perf_event:/there\n0::/home\n");
	put(root, "v2/home/cgroup.procs", "");
	put(root, "v2/a/cgroup.procs", "");
	put(root, "v2/a/cgroup.threads", "");
	put(root, "v2/b/cgroup.procs", "");
	put(root, "v2/b/cgroup.threads", "");
	put(root, "v1/here/cgroup.procs", "");
	put(root, "v1/old/cgroup.procs", "");
	put(root, "v1/old/tasks", "");
	put(root, "pe/there/cgroup.procs", "");
	put(root, "pe/events/cgroup.procs", "");
	put(root, "pe/events/tasks", "");
}

static void remove_root(const char *root)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", root);
	ck_assert_int_eq(system(command), 0);
}

START_TEST(cgroups_are_entered_and_left)
{
	static const struct {
		const char *params, *moved[2], *home; /* files that a task was written to */
	} moves[] = {
		{"task_cgroups=a,b", {"v2/a/cgroup.procs", "v2/b/cgroup.procs"}, "v2/home/cgroup.procs"},
		{"task_cgroups=a,b mode=thread", {"v2/a/cgroup.threads", "v2/b/cgroup.threads"}, NULL},
		{"task_cgroups=a,old", {"v2/a/cgroup.procs", "v1/old/cgroup.procs"}, "v1/here/cgroup.procs"},
		{"task_cgroups=old,events", {"v1/old/cgroup.procs", "pe/events/cgroup.procs"}, "pe/there/cgroup.procs"},
		{"task_cgroups=events,old mode=thread", {"pe/events/tasks", "v1/old/tasks"}, NULL},
	};
	const struct ps_around before = ps_look();
	char root[64], params[80];
	struct ps_bench b;

	make_root(root);
	snprintf(params, sizeof(params), "loops=3 %s", moves[_i].params);
	ps_bind(&b, ping_pong(), params);
	b.run.root = root;
	ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
	has(root, moves[_i].moved[0], "0");
	has(root, moves[_i].moved[1], "0");
	has(root, "v2/home/cgroup.procs", _i == 0 ? "0" : "");
	if (moves[_i].home)
		has(root, moves[_i].home, "0");
	remove_root(root);
	ps_same(&before);
	ps_done(&b);
}
END_TEST

START_TEST(cgroup_failures_end_the_rep)
{
	static const char *const params[] = {
		FOR_EVER " task_cgroups=none,b",
		FOR_EVER " task_cgroups=a,none",
		FOR_EVER " task_cgroups=none,b mode=thread",
		FOR_EVER " task_cgroups=a,none mode=thread",
	};
	const struct ps_around before = ps_look();
	char root[64];
	struct ps_bench b;

	make_root(root);
	ps_bind(&b, ping_pong(), params[_i]);
	b.run.root = root;
	ck_assert_int_eq(ps_rep(&b), -1);
	ck_assert_msg(strstr(b.err.msg, "no cgroup `none` below"), "%s", b.err.msg);
	ck_assert_msg(strstr(b.err.msg, _i % 2 ? "worker 2" : "worker 1"), "%s", b.err.msg);
	remove_root(root);
	ps_same(&before);
	ps_done(&b);
}
END_TEST

/* With the real cgroup2 mount, where there is one and it may be written. */
START_TEST(real_cgroups)
{
	char line[512], where[400] = "", a[480], c[480], params[160];
	FILE *f = fopen("/proc/self/mounts", "re");
	struct ps_bench b;
	int r = 0;

	while (f && !where[0] && fgets(line, sizeof(line), f))
		if (strstr(line, " cgroup2 "))
			sscanf(line, "%*s %399s", where);
	if (f)
		fclose(f);
	snprintf(a, sizeof(a), "%s/pg-test-%d-a", where, (int)getpid());
	snprintf(c, sizeof(c), "%s/pg-test-%d-b", where, (int)getpid());
	if (!where[0] || mkdir(a, 0755))
		return;
	if (mkdir(c, 0755) == 0) {
		snprintf(params, sizeof(params), "loops=3 task_cgroups=pg-test-%d-a,pg-test-%d-b", (int)getpid(),
			 (int)getpid());
		ps_bind(&b, ping_pong(), params);
		r = ps_rep(&b);
		ps_done(&b);
		ck_assert_int_eq(rmdir(c), 0); /* busy if the main task had stayed */
	}
	ck_assert_int_eq(rmdir(a), 0);
	ck_assert_msg(r == 0, "%s", b.err.msg);
}
END_TEST

START_TEST(pipe_limit_is_known)
{
	struct ps_bench b;
	struct pg_need need;
	struct pg_topo topo;
	struct pg_probe_env env = {.topo = &topo};
	char root[64];

	make_root(root);
	put(root, "proc/sys/fs/pipe-max-size", "65536\n");
	memset(&topo, 0, sizeof(topo));
	memset(&need, 0, sizeof(need));
	env.root = root;
	ps_bind(&b, ping_pong(), "size=65536B");
	ck_assert_int_eq(b.bench->probe(b.conf, &env, &need, &b.err), 0);
	ps_done(&b);
	ps_bind(&b, ping_pong(), "size=65537B");
	if (b.bench->probe(b.conf, &env, &need, &b.err)) { /* not for those who may exceed it */
		ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
		ck_assert_msg(strstr(b.err.msg, "/proc/sys/fs/pipe-max-size allows 65536"), "%s", b.err.msg);
	}
	ps_done(&b);
	remove_root(root);
}
END_TEST

PG_TEST_MAIN("suites_pipe", ((const struct pg_test[]){
				    {tokens_under_way, 2},
				    {cgroup_text_is_checked, 0},
				    {cgroups_are_entered_and_left, 5},
				    {cgroup_failures_end_the_rep, 4},
				    {real_cgroups, 0},
				    {pipe_limit_is_known, 0},
				    {NULL, 0},
			    }))
