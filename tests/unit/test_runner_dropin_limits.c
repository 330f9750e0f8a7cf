/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits of tasks and memory before a drop-in's run, and after one that met them, on machines made of files. */
#include "runner/dropin.h"

#include <errno.h>
#include <grp.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/support/fake_world.h"
#include "tests/support/faketopo.h"
#include "tests/support/pgtest.h"

struct toy {
	uint64_t tasks, gib, number;
	int placement;
};

static const struct pg_choice placements[] = {{"free", NULL}, {"same-cpu", NULL}, {NULL, NULL}};

static const struct pg_param toy_params[] = {
	{.name = "tasks", .doc = "d", .def = "0", PG_AT_COUNT(struct toy, tasks)},
	{.name = "gib", .doc = "d", .def = "0", PG_AT_COUNT(struct toy, gib)},
	{.name = "number", .doc = "d", .def = "0", PG_AT_COUNT(struct toy, number)},
	{.name = "placement", .doc = "d", .def = "free", .choices = placements, PG_AT_ENUM(struct toy, placement)},
	{.name = NULL},
};
static const struct pg_metric toy_metrics[] = {
	{.name = "time", .doc = "d", .unit = PG_U_S, .reduce = PG_SUM, .flags = PG_M_MAIN},
	{.name = NULL},
};

static int toy_probe(const void *conf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct toy *t = conf;

	(void)env;
	need->tasks = t->tasks;
	need->bytes = t->gib << 30;
	return t->number == 13 ? pg_fail(err, PG_EFAILED, "number 13 is not for this machine") : 0;
}

/* Ends as a crew does that could not start its second worker; number: the errno. */
static int toy_once(struct pg_run *run, struct pg_err *err)
{
	const struct toy *t = run->conf;

	errno = (int)t->number;
	return pg_fail_sys(err, "could start 1 of %llu processes", (unsigned long long)t->tasks);
}

static const struct pg_bench toy = {
	.name = "toy/one",
	.summary = "s",
	.params = toy_params,
	.metrics = toy_metrics,
	.conf_size = sizeof(struct toy),
	.probe = toy_probe,
	.once = toy_once,
};
static const struct pg_bench *const toys[] = {&toy, NULL};
static const struct pg_suite toy_suite = {"toy", "s", toys};
static const struct pg_suite *const toy_suites[] = {&toy_suite, NULL};

/* 20 tasks in a group of version 2 or 1, 5 of them alive; 4 GiB of memory, of which four fifths are given. */
static void make_root(char *root, bool v1)
{
	strcpy(root, "/tmp/pg-limits-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	ft_put(root,
	       v1 ? "30 29 0:27 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n"
		  : "30 29 0:27 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n",
	       "proc/self/mountinfo");
	ft_put(root, v1 ? "7:pids:/a\n" : "0::/a\n", "proc/self/cgroup");
	ft_put(root, "20\n", "sys/fs/cgroup/%sa/pids.max", v1 ? "pids/" : "");
	ft_put(root, "5\n", "sys/fs/cgroup/%sa/pids.current", v1 ? "pids/" : "");
	ft_put(root, "MemTotal: 8388608 kB\nMemAvailable: 4194304 kB\n", "proc/meminfo");
}

#define GROUP_SAYS "tasks, the cgroup's pids.max leaves 16; raise it or lower"

static const struct {
	const char *tasks, *gib, *number;
	bool lean;
	enum pg_dropin_bar bar;
	const char *why; /* "" = it can run */
} cases[] = {
	{"0", "0", "0", false, PG_BAR_NONE, ""},
	{"15", "0", "0", false, PG_BAR_NONE, ""},
	{"16", "0", "0", false, PG_BAR_LIMIT, "needs 17 " GROUP_SAYS},
	{"600", "0", "0", false, PG_BAR_LIMIT, "needs 601 " GROUP_SAYS},
	{"16", "0", "0", true, PG_BAR_NONE, ""}, /* a lean run of few tasks does not look */
	{"65", "0", "0", true, PG_BAR_LIMIT, "needs 66 " GROUP_SAYS},
	{"0", "3", "0", false, PG_BAR_NONE, ""},
	{"0", "4", "0", true, PG_BAR_MEMORY, "needs 4096 MiB of memory, the limit is 3276 MiB"},
	{"0", "0", "13", false, PG_BAR_BENCH, "number 13 is not for this machine"},
	{"600", "0", "13", true, PG_BAR_BENCH, "number 13 is not for this machine"},
};
#define CASES ((int)(sizeof(cases) / sizeof(cases[0])))

static void open_toy(struct fake_world *f, struct pg_dropin *d, const char *root)
{
	struct pg_err err;

	fake_world_open(f);
	f->world.suites = toy_suites;
	f->world.root = root;
	ck_assert_int_eq(pg_dropin_open(d, &f->world, "toy/one", &err), 0);
}

static void set(struct pg_dropin *d, const char *param, const char *text)
{
	struct pg_err err;

	ck_assert_int_eq(pg_dropin_set(d, param, text, "--x|-x", &err), 0);
}

START_TEST(test_beforehand)
{
	const bool v1 = _i >= CASES;
	const int i = _i % CASES;
	struct fake_world f;
	struct pg_dropin d;
	struct pg_err err = {.msg = ""};
	char root[64];

	make_root(root, v1);
	open_toy(&f, &d, root);
	d.lean = cases[i].lean;
	set(&d, "tasks", cases[i].tasks);
	set(&d, "gib", cases[i].gib);
	set(&d, "number", cases[i].number);
	ck_assert_msg((pg_dropin_ready(&d, &err) == 0) == !*cases[i].why, "%s", err.msg);
	expect("error", err.msg, cases[i].why);
	ck_assert_int_eq(d.bar, cases[i].bar);
	if (*cases[i].why)
		ck_assert_int_eq(err.code, PG_EUNSUPPORTED);
	pg_dropin_close(&d);
	fake_world_close(&f);
	ft_drop(root);
}
END_TEST

/* What a lean run did not look at is looked at when it could not start its workers, and only then. */
START_TEST(test_afterwards)
{
	static const struct {
		int number;
		const char *tasks, *want;
	} runs[] = {
		{EAGAIN, "16", "needs 17 " GROUP_SAYS},
		{EAGAIN, "15", "could start 1 of 15 processes: "}, /* another limit than those that are known */
		{ENOMEM, "16", "could start 1 of 16 processes: "},
	};
	struct fake_world f;
	struct pg_dropin d;
	struct pg_err err;
	char root[64], number[16];

	make_root(root, false);
	open_toy(&f, &d, root);
	d.lean = true;
	snprintf(number, sizeof(number), "%d", runs[_i].number);
	set(&d, "tasks", runs[_i].tasks);
	set(&d, "number", number);
	ck_assert_msg(pg_dropin_ready(&d, &err) == 0, "%s", err.msg);
	ck_assert_int_eq(pg_dropin_run(&d, &err), -1);
	ck_assert_msg(strncmp(err.msg, runs[_i].want, strlen(runs[_i].want)) == 0, "%s", err.msg);
	ck_assert_int_eq(pg_dropin_run_child(&d, &err), -1);
	ck_assert_msg(strncmp(err.msg, runs[_i].want, strlen(runs[_i].want)) == 0, "%s", err.msg);
	pg_dropin_close(&d);
	fake_world_close(&f);
	ft_drop(root);
}
END_TEST

/* Another user's process with a limit of 4; the made-up machine shows none of its tasks. 0 = as wanted. */
static int as_user(const char *tasks, bool can)
{
	const struct rlimit few = {.rlim_cur = 4, .rlim_max = 4};
	struct fake_world f;
	struct pg_dropin d;
	struct pg_err err = {.msg = ""};

	open_toy(&f, &d, "/nonexistent");
	d.lean = true;
	set(&d, "tasks", tasks);
	if (getuid() == 0 && (setgroups(0, NULL) || setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
		return 1;
	if (setrlimit(RLIMIT_NPROC, &few))
		return 2;
	if ((pg_dropin_ready(&d, &err) == 0) != can)
		return 3;
	return can || (d.bar == PG_BAR_LIMIT && strstr(err.msg, "needs 6 tasks, RLIMIT_NPROC leaves 5; raise it")) ? 0
														   : 4;
}

START_TEST(test_limit_of_the_user)
{
	static const struct {
		const char *tasks;
		bool can;
	} users[] = {{"4", true}, {"5", false}};
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(as_user(users[_i].tasks, users[_i].can));
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
}
END_TEST

PG_TEST_MAIN("runner_dropin_limits", ((const struct pg_test[]){
					     {test_beforehand, 2 * CASES},
					     {test_afterwards, 3},
					     {test_limit_of_the_user, 2},
					     {NULL, 0},
				     }))
