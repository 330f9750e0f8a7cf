/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Drop-ins that are stopped: by which signal they die, what they say, who is left. */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "runner/dropin.h"
#include "tests/support/fake_world.h"
#include "tests/support/pgtest.h"

static void wait_for_ever(void)
{
	while (poll(NULL, 0, -1) >= 0 || errno == EINTR)
		;
	_exit(1);
}

/* Workers as a crew has them: without the handlers of the main task, dead when it is. */
static int tree(struct pg_err *err)
{
	for (int i = 0; i < 3; i++) {
		const pid_t parent = getpid();
		sigset_t all, old;

		sigfillset(&all);
		sigprocmask(SIG_SETMASK, &all, &old);
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
			if (getppid() != parent)
				_exit(1);
			signal(SIGINT, SIG_DFL);
			signal(SIGTERM, SIG_DFL);
			sigprocmask(SIG_SETMASK, &old, NULL);
			wait_for_ever();
		}
		sigprocmask(SIG_SETMASK, &old, NULL);
	}
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
	return pg_fail(err, PG_EFAILED, "workers ended");
}

static int once(struct pg_run *run, struct pg_err *err)
{
	(void)run;
	return tree(err);
}

static const struct pg_param params[] = {{.name = NULL}};
static const struct pg_metric metrics[] = {{.name = NULL}};
static const struct pg_bench toy = {
	.name = "toy/one", .summary = "s", .params = params, .metrics = metrics, .conf_size = 1, .once = once};
static const struct pg_bench *const toys[] = {&toy, NULL};
static const struct pg_suite toy_suite = {"toy", "s", toys};
static const struct pg_suite *const toy_suites[] = {&toy_suite, NULL};

/* How many processes this one has below it, as the kernel lists them. */
static int children_of(pid_t pid)
{
	char path[64], text[256];
	int n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	f = fopen(path, "r");
	while (f && fscanf(f, "%255s", text) == 1)
		n++;
	if (f)
		fclose(f);
	return n;
}

static const struct {
	int sig;
	bool child;	/* the rep in a child */
	bool inherited; /* a child of before, which is nobody's business */
	bool ignored;	/* the signal was */
	int below;	/* processes to wait for */
} stops[] = {
	{SIGTERM, false, false, false, 3}, {SIGINT, false, false, false, 3}, {SIGINT, false, false, true, 3},
	{SIGTERM, true, false, false, 1},  {SIGINT, true, false, true, 1},   {SIGTERM, false, true, false, 4},
	{SIGKILL, false, false, false, 3}, {SIGQUIT, true, false, false, 1},
};

static void stopped(size_t i, int said)
{
	struct fake_world f;
	struct pg_dropin d;
	struct pg_err err;

	fake_world_open(&f);
	f.world.suites = toy_suites;
	dup2(said, STDERR_FILENO);
	pg_dropin_process_name("toy-one");
	if (stops[i].ignored)
		signal(stops[i].sig, SIG_IGN);
	if (stops[i].inherited && fork() == 0)
		wait_for_ever();
	pg_dropin_catch_signals();
	if (pg_dropin_open(&d, &f.world, "toy/one", &err) || pg_dropin_ready(&d, &err))
		_exit(1);
	if (stops[i].child)
		pg_dropin_run_child(&d, &err);
	else
		pg_dropin_run(&d, &err);
	_exit(0);
}

START_TEST(test_signals)
{
	const bool caught = stops[_i].sig == SIGTERM || stops[_i].sig == SIGINT;
	const char *want = stops[_i].sig == SIGINT ? "toy-one: stopped by signal 2 (Interrupt); no measurement\n"
						   : "toy-one: stopped by signal 15 (Terminated); no measurement\n";
	char said[128] = "";
	int fd[2], status;
	pid_t pid, left;

	ck_assert_int_eq(pipe(fd), 0);
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0); /* whatever is left becomes ours */
	pid = fork();
	if (pid == 0)
		stopped((size_t)_i, fd[1]);
	for (int k = 0; k < 2000 && children_of(pid) < stops[_i].below; k++)
		poll(NULL, 0, 5);
	ck_assert_int_eq(children_of(pid), stops[_i].below);
	poll(NULL, 0, 20);
	ck_assert_int_eq(kill(pid, stops[_i].sig), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == stops[_i].sig, "status %x", (unsigned)status);
	close(fd[1]);
	/* At once where the signal was caught; else each dies as its parent has. */
	for (int k = 0; k < 2000; k++) {
		left = waitpid(-1, NULL, WNOHANG);
		if (left < 0 || (stops[_i].inherited && left == 0 && k > 100))
			break;
		poll(NULL, 0, 5);
	}
	ck_assert_int_eq(left, stops[_i].inherited ? 0 : -1);
	if (stops[_i].inherited)
		ck_assert_int_eq(children_of(getpid()), 1);
	for (size_t n = 0; n + 1 < sizeof(said);) {
		const ssize_t got = stops[_i].inherited ? 0 : read(fd[0], said + n, sizeof(said) - 1 - n);

		if (got <= 0)
			break;
		n += (size_t)got;
	}
	if (!stops[_i].inherited)
		ck_assert_str_eq(said, caught ? want : "");
}
END_TEST

PG_TEST_MAIN("runner_dropin_stop", ((const struct pg_test[]){
					   {test_signals, sizeof(stops) / sizeof(stops[0])},
					   {NULL, 0},
				   }))
