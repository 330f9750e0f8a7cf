/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/support/pgtest.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/support/fake_bench.h"

#include "base/cpulist.h"
#include "base/topo.h"
#include "engine/cgroup.h"
#include "engine/preflight.h"

static char root[64];

static void put(const char *path, const char *text)
{
	char full[PATH_MAX];
	FILE *f;

	snprintf(full, sizeof(full), "%s%s", root, path);
	for (char *p = full + strlen(root) + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(full, 0755);
		*p = '/';
	}
	f = fopen(full, "we");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void remove_tree(const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char full[PATH_MAX];

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		snprintf(full, sizeof(full), "%s/%s", path, e->d_name);
		if (unlink(full) < 0)
			remove_tree(full);
	}
	if (d)
		closedir(d);
	rmdir(path);
}

static void begin(void)
{
	snprintf(root, sizeof(root), "/tmp/pgtest-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	put("/proc/loadavg", "0.00 0.01 0.05 1/700 12345\n");
	put("/proc/sys/kernel/pid_max", "32768\n");
	put("/proc/sys/kernel/threads-max", "50000\n");
	put("/proc/sys/fs/pipe-user-pages-soft", "16384\n");
	put("/proc/meminfo", "MemTotal: 24000000 kB\nMemFree: 1 kB\nMemAvailable:   10000 kB\n");
}

#define V2_MOUNT "40 30 0:37 / /sys/fs/cgroup rw,relatime shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
#define V1_PIDS	 "38 30 0:36 / /cg/pids rw,relatime - cgroup cgroup rw,pids\n"
#define V1_CPU	 "31 30 0:28 / /cg/cpu\\040acct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
#define V1_MEM	 "34 30 0:31 /docker/abc /cg/memory rw,relatime - cgroup cgroup rw,memory\n"

static const struct {
	const char *mountinfo, *cgroup;
	struct {
		const char *path, *text;
	} files[6];
	uint64_t tasks, memory; /* expected; 0 = as without cgroups */
} groups[] = {
	{"", "", {{NULL, NULL}}, 0, 0},
	{V2_MOUNT,
	 "0::/a/b\n",
	 {{"/sys/fs/cgroup/a/b/pids.max", "100\n"}, {"/sys/fs/cgroup/a/b/pids.current", "40\n"}},
	 60,
	 0},
	{V2_MOUNT, "0::/a/b\n", {{"/sys/fs/cgroup/a/b/pids.max", "max\n"}}, 0, 0},
	/* A group above has less room. */
	{V2_MOUNT,
	 "0::/a/b\n",
	 {{"/sys/fs/cgroup/a/b/pids.max", "100\n"},
	  {"/sys/fs/cgroup/a/b/pids.current", "1\n"},
	  {"/sys/fs/cgroup/a/pids.max", "200\n"},
	  {"/sys/fs/cgroup/a/pids.current", "190\n"},
	  {"/sys/fs/cgroup/a/memory.max", "1000000\n"},
	  {"/sys/fs/cgroup/a/b/memory.max", "max\n"}},
	 10,
	 800000},
	/* Full: nothing is left, which is not "no limit". */
	{V2_MOUNT, "0::/a\n", {{"/sys/fs/cgroup/a/pids.max", "5\n"}, {"/sys/fs/cgroup/a/pids.current", "9\n"}}, 1, 0},
	{V1_PIDS V1_MEM,
	 "8:pids:/x\n4:memory:/docker/abc/y\n0::/\n",
	 {{"/cg/pids/x/pids.max", "77\n"}, {"/cg/memory/y/memory.limit_in_bytes", "5000000\n"}},
	 77,
	 4000000},
	/* v1 says "no limit" by a number near 2^63. */
	{V1_MEM, "4:memory:/\n", {{"/cg/memory/memory.limit_in_bytes", "9223372036854771712\n"}}, 0, 0},
	/* A path that cannot be seen from here: the mount point counts. */
	{V2_MOUNT, "0::/../../outside\n", {{"/sys/fs/cgroup/pids.max", "50\n"}}, 50, 0},
};
#define GROUPS (sizeof(groups) / sizeof(groups[0]))

START_TEST(limits)
{
	struct pg_limits l;
	struct pg_err err;

	begin();
	put("/proc/self/mountinfo", groups[_i].mountinfo);
	put("/proc/self/cgroup", groups[_i].cgroup);
	for (size_t i = 0; i < 6 && groups[_i].files[i].path; i++)
		put(groups[_i].files[i].path, groups[_i].files[i].text);
	ck_assert_int_eq(pg_limits_read(root, NULL, &l, &err), 0);
	if (getuid() == 0)
		ck_assert_uint_eq(l.tasks, groups[_i].tasks ? groups[_i].tasks : 32768 - 700 - 300);
	ck_assert_uint_eq(l.memory, groups[_i].memory ? groups[_i].memory : 10000 * 1024 / 5 * 4);
	ck_assert_ptr_nonnull(l.tasks_by);
	remove_tree(root);
}
END_TEST

START_TEST(limits_of_this_machine)
{
	struct pg_limits l;
	struct rlimit r;
	struct pg_err err;

	ck_assert_int_eq(pg_limits_read("", NULL, &l, &err), 0);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &r), 0);
	ck_assert_uint_eq(l.descriptors, r.rlim_cur == RLIM_INFINITY ? 0 : r.rlim_cur);
	ck_assert_uint_gt(l.tasks, 0);
	ck_assert_uint_gt(l.memory, 0);
	ck_assert(l.env.privileged == ((l.caps & PG_CAP_ADMIN) != 0));
	ck_assert(l.caps & PG_CAP_ADMIN ? l.pipes_soft == 0 : true);
	ck_assert_int_le(l.nice_least, 19);
}
END_TEST

static struct pg_need wanted;

static int fake_probe(const void *conf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct fb_conf *c = conf;

	(void)env;
	ck_assert_uint_eq(c->loops, 1); /* `auto` */
	*need = wanted;
	return c->number == 99 ? pg_fail(err, PG_EFAILED, "number 99 is not for this machine") : 0;
}

static struct fb_cell cell;
static struct pg_bench bench;

static void make_cell(const char *params)
{
	fb_cell(&cell, params);
	bench = fb_bench;
	bench.probe = fake_probe;
	cell.cell.bench = &bench;
}

static int preflight(const struct pg_limits *l, struct pg_err *err)
{
	struct fb_conf conf;

	memset(&conf, 0xff, sizeof(conf));
	memset(err, 0, sizeof(*err));
	return pg_preflight(&cell.cell, l, &conf, err);
}

START_TEST(needs)
{
	static const struct {
		struct pg_need need;
		struct pg_limits limits;
		const char *why; /* NULL = can run */
	} cases[] = {
		{{.descriptors = 1021}, {.descriptors = 1024}, NULL},
		{{.descriptors = 1022},
		 {.descriptors = 1024},
		 "needs 1025 descriptors, the limit is 1024; raise the hard limit (ulimit -Hn) or lower what the cell "
		 "asks for"},
		{{.descriptors = UINT64_MAX - 3}, {.descriptors = 0}, NULL},
		{{.descriptors = 1}, {.descriptors = 2}, "needs 4 descriptors, the limit is 2"},
		{{.tasks = 99}, {.tasks = 100}, NULL},
		{{.tasks = 100},
		 {.tasks = 100, .tasks_by = "kernel.pid_max"},
		 "needs 101 tasks, kernel.pid_max leaves 100; raise it"},
		{{.tasks = 1000000}, {.tasks = 0}, NULL},
		{{.bytes = 1 << 20}, {.memory = 1 << 20}, NULL},
		{{.bytes = (5 << 20) + 1},
		 {.memory = 5 << 20},
		 "needs 6 MiB of memory, the limit is 5 MiB (80 % of what is available); lower what the cell asks for"},
		{{.pipes = 1025}, {.pipes_soft = 1024}, "needs 1025 pipes, beyond 1024 the kernel makes them smaller"},
		{{.pipes = 1025}, {.pipes_soft = 0}, NULL},
		{{.caps = PG_CAP_BPF}, {.caps = PG_CAP_NICE}, "needs CAP_BPF; run as root or grant it"},
		{{.caps = PG_CAP_BPF | PG_CAP_NICE}, {.caps = PG_CAP_NICE | PG_CAP_BPF}, NULL},
	};
	struct pg_err err;
	int r;

	make_cell("loops=auto");
	wanted = cases[_i].need;
	r = preflight(&cases[_i].limits, &err);
	if (!cases[_i].why) {
		ck_assert_msg(r == 0, "%s", err.msg);
	} else {
		ck_assert_int_eq(r, -1);
		ck_assert_int_eq(err.code, PG_EUNSUPPORTED);
		ck_assert_msg(strncmp(err.msg, cases[_i].why, strlen(cases[_i].why)) == 0, "%s", err.msg);
	}
	fb_done(&cell);
}
END_TEST

static int plain_probe(const void *conf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	(void)conf;
	(void)env;
	(void)err;
	*need = wanted;
	return 0;
}

START_TEST(names_the_params)
{
	static const struct pg_param rows[] = {
		{.name = "fds", .doc = "d", .type = PG_COUNT, .role = PG_DYNAMIC},
		{.name = "size", .doc = "d", .type = PG_COUNT, .role = PG_DYNAMIC},
		{.name = "groups", .doc = "d", .type = PG_COUNT, .role = PG_DYNAMIC},
		{.name = NULL},
	};
	static const char *const drivers[] = {"creators", "blocked_threads", "spinning_threads", "wakers",
					      "writers",  "event_copies",    "futexes",		 "bits"};
	static const struct pg_value vals[3];
	struct pg_limits l = {.descriptors = 1024, .memory = 1};
	struct pg_err err;

	make_cell("");
	bench.probe = plain_probe;
	cell.cell.params = rows;
	cell.cell.n_params = 3;
	cell.cell.vals = vals;
	wanted = (struct pg_need){.descriptors = 4004};
	ck_assert_int_eq(preflight(&l, &err), -1);
	ck_assert_str_eq(
		err.msg,
		"needs 4007 descriptors, the limit is 1024; raise the hard limit (ulimit -Hn) or lower groups or fds");
	wanted = (struct pg_need){.bytes = 4096};
	ck_assert_int_eq(preflight(&l, &err), -1);
	ck_assert_msg(strstr(err.msg, "lower size or groups"), "%s", err.msg);
	for (size_t i = 0; i < 8; i++) {
		const struct pg_param row[] = {{.name = drivers[i], .doc = "d", .type = PG_COUNT}, {.name = NULL}};

		cell.cell.params = row;
		cell.cell.n_params = 1;
		wanted = i < 6 ? (struct pg_need){.descriptors = 4004} : (struct pg_need){.bytes = 4096};
		ck_assert_int_eq(preflight(&l, &err), -1);
		ck_assert_msg(strstr(err.msg, drivers[i]), "%s", err.msg);
	}
	fb_done(&cell);
}
END_TEST

START_TEST(probe_refuses)
{
	struct pg_limits l = {.descriptors = 0};
	struct pg_err err;

	make_cell("loops=auto number=99");
	wanted = (struct pg_need){.descriptors = 0};
	ck_assert_int_eq(preflight(&l, &err), -1);
	ck_assert_int_eq(err.code, PG_EUNSUPPORTED);
	ck_assert_str_eq(err.msg, "number 99 is not for this machine");
	fb_done(&cell);
}
END_TEST

START_TEST(keys)
{
	static const struct {
		const char *pin;
		enum pg_policy policy;
		int priority;
		bool has_nice;
		int nice;
		struct pg_limits limits;
		const char *why;
	} cases[] = {
		{.pin = "0,2-3"},
		{.pin = "0,8", .why = "pin 0,8: CPU 8 is not online (online: 0-7); name others"},
		{.pin = "5", .why = "pin 5: CPU 5 is not allowed to this process (allowed: 0-3); name others"},
		{.policy = PG_POLICY_FIFO, .priority = 10, .limits = {.caps = PG_CAP_NICE}},
		{.policy = PG_POLICY_FIFO, .priority = 10, .limits = {.rt_priority = 10}},
		{.policy = PG_POLICY_FIFO,
		 .priority = 11,
		 .limits = {.rt_priority = 10},
		 .why = "policy fifo:11 needs CAP_SYS_NICE or RLIMIT_RTPRIO 11 (it is 10)"},
		{.policy = PG_POLICY_IDLE},
		{.policy = PG_POLICY_BATCH},
		{.has_nice = true, .nice = 5},
		{.has_nice = true, .nice = -5, .limits = {.caps = PG_CAP_NICE}},
		{.has_nice = true, .nice = -5, .limits = {.nice_least = -5}},
		{.has_nice = true,
		 .nice = -6,
		 .limits = {.nice_least = -5},
		 .why = "nice -6 needs CAP_SYS_NICE; run as root or use -5 or more"},
	};
	struct pg_limits l = cases[_i].limits;
	struct pg_topo topo;
	struct pg_err err;
	int r;

	memset(&topo, 0, sizeof(topo));
	ck_assert_int_eq(pg_cpulist_parse("0-3", 3, &topo.allowed, NULL, &err), 0);
	ck_assert_int_eq(pg_cpulist_parse("0-7", 3, &topo.online, NULL, &err), 0);
	l.env.topo = &topo;
	make_cell("loops=auto");
	wanted = (struct pg_need){.descriptors = 0};
	cell.keys->pin = cases[_i].pin;
	cell.keys->policy = cases[_i].policy;
	cell.keys->priority = cases[_i].priority;
	cell.keys->has_nice = cases[_i].has_nice;
	cell.keys->nice = cases[_i].nice;
	r = preflight(&l, &err);
	if (cases[_i].why) {
		ck_assert_int_eq(r, -1);
		ck_assert_int_eq(err.code, PG_EUNSUPPORTED);
		ck_assert_msg(strncmp(err.msg, cases[_i].why, strlen(cases[_i].why)) == 0, "%s", err.msg);
	} else {
		ck_assert_msg(r == 0, "%s", err.msg);
	}
	pg_cpuset_release(&topo.allowed);
	pg_cpuset_release(&topo.online);
	fb_done(&cell);
}
END_TEST

START_TEST(cgroup_refused)
{
	struct pg_limits l = {.env = {.root = root}};
	struct pg_err err;

	begin();
	make_cell("loops=auto");
	wanted = (struct pg_need){.descriptors = 0};
	cell.keys->cgroup = "a";
	ck_assert_int_eq(preflight(&l, &err), -1);
	ck_assert_msg(strstr(err.msg, "no cgroup file system is mounted"), "%s", err.msg);
	put("/proc/self/mountinfo", V2_MOUNT);
	put("/proc/self/cgroup", "0::/\n");
	put("/sys/fs/cgroup/cgroup.procs", "");
	ck_assert_msg(preflight(&l, &err) == 0, "%s", err.msg);
	cell.keys->cgroup = "../a";
	ck_assert_int_eq(preflight(&l, &err), -1);
	ck_assert_msg(strstr(err.msg, "no name below the mount point"), "%s", err.msg);
	if (getuid() != 0) {
		char path[PATH_MAX];

		snprintf(path, sizeof(path), "%s/sys/fs/cgroup", root);
		chmod(path, 0555);
		cell.keys->cgroup = "a";
		ck_assert_int_eq(preflight(&l, &err), -1);
		ck_assert_msg(strstr(err.msg, "Permission denied"), "%s", err.msg);
		chmod(path, 0755);
	}
	fb_done(&cell);
	remove_tree(root);
}
END_TEST

/* cgroup2 first, else v1's cpu mount; made as needed, and only what was made is removed. */
START_TEST(cgroup_made)
{
	struct pg_cgroups g = {.n = 0};
	const struct pg_cgroup *a, *b;
	char expected[PATH_MAX], path[PATH_MAX];
	struct stat st;
	struct pg_err err;

	begin();
	put("/proc/self/mountinfo", _i ? V2_MOUNT V1_CPU : V1_CPU V1_PIDS);
	put("/proc/self/cgroup", "1:cpu,cpuacct:/\n0::/\n");
	snprintf(path, sizeof(path), "%s/%s", root, _i ? "/sys/fs/cgroup" : "/cg/cpu acct");
	/* There before; and a file where the kernel makes one. */
	put(_i ? "/sys/fs/cgroup/old/new/deep/cgroup.procs" : "/cg/cpu acct/old/new/deep/cgroup.procs", "");
	snprintf(expected, sizeof(expected), "%s%s/old/new/deep", root, _i ? "/sys/fs/cgroup" : "/cg/cpu acct");
	a = pg_cgroup_get(&g, root, "old/new/deep", &err);
	ck_assert_msg(a != NULL, "%s", err.msg);
	ck_assert_str_eq(a->dir, expected);
	ck_assert_uint_eq(a->made_at, SIZE_MAX);
	b = pg_cgroup_get(&g, root, "old/new/deep", &err);
	ck_assert_ptr_eq(a, b);
	pg_cgroups_release(&g);
	ck_assert_int_eq(stat(expected, &st), 0);
	/* In a plain directory no cgroup.procs appears: what was made is removed again. */
	ck_assert_ptr_null(pg_cgroup_get(&g, root, "old/fresh/deeper", &err));
	snprintf(path, sizeof(path), "%s%s/old/fresh", root, _i ? "/sys/fs/cgroup" : "/cg/cpu acct");
	ck_assert_int_eq(stat(path, &st), -1);
	pg_cgroups_release(&g);
	remove_tree(root);
}
END_TEST

START_TEST(cgroup_real)
{
	struct pg_cgroups g = {.n = 0};
	const struct pg_cgroup *a;
	char name[64], dir[PG_CGROUP_PATH];
	struct stat st;
	struct pg_err err;

	snprintf(name, sizeof(name), "pgtest-%d/inner", (int)getpid());
	if (pg_cgroup_check("", name, &err) < 0)
		return; /* not allowed here */
	a = pg_cgroup_get(&g, "", name, &err);
	ck_assert_msg(a != NULL, "%s", err.msg);
	snprintf(dir, sizeof(dir), "%s", a->dir);
	ck_assert_int_eq(stat(dir, &st), 0);
	ck_assert_int_ge(a->procs, 0);
	pg_cgroups_release(&g);
	ck_assert_int_eq(stat(dir, &st), -1);
	*strrchr(dir, '/') = '\0';
	ck_assert_int_eq(stat(dir, &st), -1);
}
END_TEST

PG_TEST_MAIN("engine_preflight", ((const struct pg_test[]){
					 {limits, GROUPS},
					 {limits_of_this_machine, 0},
					 {needs, 13},
					 {names_the_params, 0},
					 {probe_refuses, 0},
					 {keys, 12},
					 {cgroup_refused, 0},
					 {cgroup_made, 2},
					 {cgroup_real, 0},
					 {NULL, 0},
				 }))
