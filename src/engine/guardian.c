/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/guardian.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/limit.h"
#include "engine/child.h"

#define STACK_BYTES ((size_t)64 << 10)

static const int stop_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
#define STOP_SIGNALS (sizeof(stop_signals) / sizeof(stop_signals[0]))

/*
 * Stands at the low end of the stack that the handler runs on. The kernel hands that stack's address to the handler, so
 * no variable of the program is needed to find it.
 */
struct stop_context {
	volatile sig_atomic_t *stop;
};

static void on_stop(int sig, siginfo_t *info, void *ucontext)
{
	const ucontext_t *uc = ucontext;
	const struct stop_context *c = uc->uc_stack.ss_sp;

	(void)info;
	if (*c->stop == 0) /* a second signal changes nothing: the clean-up is under way */
		*c->stop = sig;
}

static int install_handlers(volatile sig_atomic_t *stop, struct pg_err *err)
{
	struct sigaction sa = {.sa_sigaction = on_stop, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART}, old;
	struct stop_context *c = pg_big_alloc(STACK_BYTES); /* for as long as the process lives */
	stack_t stack = {.ss_sp = c, .ss_size = STACK_BYTES};

	if (!c)
		return pg_fail_nomem(err);
	c->stop = stop;
	if (sigaltstack(&stack, NULL) < 0)
		return pg_fail_sys(err, "cannot set a signal stack");
	sigemptyset(&sa.sa_mask);
	for (size_t i = 0; i < STOP_SIGNALS; i++) {
		sigaction(stop_signals[i], NULL, &old);
		if (stop_signals[i] == SIGHUP && old.sa_handler == SIG_IGN) /* nohup */
			continue;
		if (sigaction(stop_signals[i], &sa, NULL) < 0)
			return pg_fail_sys(err, "cannot set a signal handler");
	}
	return 0;
}

/* Waits for the runner's end, handing signals on. All signals of `set` are blocked. */
static int guard(pid_t runner, const sigset_t *set)
{
	siginfo_t info;
	int status;

	for (;;) {
		pid_t pid;
		int sig = sigwaitinfo(set, &info);

		if (sig > 0 && sig != SIGCHLD)
			kill(runner, sig);
		while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
			if (pid == runner)
				return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
		}
	}
}

int pg_guardian_start(volatile sig_atomic_t *stop, int *status, struct pg_err *err)
{
	pid_t guardian = getpid(), runner;
	sigset_t set, old;

	if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return pg_fail_sys(err,
				   "cannot become the reaper of orphaned processes; perfgrid needs Linux 3.4 or later");
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < STOP_SIGNALS; i++)
		sigaddset(&set, stop_signals[i]);
	sigprocmask(SIG_BLOCK, &set, &old);
	runner = fork();
	if (runner < 0) {
		pg_fail_sys(
			err,
			"cannot start the runner; raise the limit of processes (ulimit -u, pids.max of the cgroup)");
		sigprocmask(SIG_SETMASK, &old, NULL);
		return -1;
	}
	if (runner > 0) {
		*status = guard(runner, &set);
		pg_kill_descendants();
		return 1;
	}
	if (install_handlers(stop, err) < 0)
		return -1;
	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	if (getppid() != guardian) /* killed before the line above */
		*stop = SIGTERM;
	sigprocmask(SIG_SETMASK, &old, NULL);
	return 0;
}

static int open_standard_streams(struct pg_err *err)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		/* The lowest free number is fd itself. */
		if (open("/dev/null", O_RDWR) != fd)
			return pg_fail_sys(err,
					   "cannot open /dev/null as descriptor %d; make it (mknod), or start perfgrid "
					   "with descriptors 0 to 2 open",
					   fd);
	}
	return 0;
}

/* Without close_range(): Linux before 5.11. */
static void close_on_exec_each(void)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		long fd = strtol(e->d_name, NULL, 10);

		if (fd > 2)
			fcntl((int)fd, F_SETFD, FD_CLOEXEC);
	}
	if (d)
		closedir(d);
}

/* Best effort: what stays low is found by preflight. */
static void raise_limits(void)
{
	static const unsigned raised[] = {RLIMIT_NOFILE, RLIMIT_NPROC, RLIMIT_MEMLOCK};
	struct rlimit l;

	for (size_t i = 0; i < sizeof(raised) / sizeof(raised[0]); i++)
		pg_limit_raise(raised[i]);
	if (getrlimit(RLIMIT_CORE, &l) == 0) {
		l.rlim_cur = 0;
		setrlimit(RLIMIT_CORE, &l);
	}
}

/* Below this the program itself would not fit; benches' threads have stacks of their own. */
#define STACK_NEEDED ((rlim_t)512 << 10)

static int check_stack(struct pg_err *err)
{
	struct rlimit r;

	if (getrlimit(RLIMIT_STACK, &r) < 0 || r.rlim_cur >= STACK_NEEDED)
		return 0;
	if (r.rlim_max < STACK_NEEDED)
		return pg_fail(err, PG_EUSAGE, "the stack limit is %llu KiB; raise it to 512 KiB or more (ulimit -s)",
			       (unsigned long long)r.rlim_max >> 10);
	r.rlim_cur = STACK_NEEDED;
	return setrlimit(RLIMIT_STACK, &r) < 0
		       ? pg_fail_sys(err, "cannot raise the stack limit; start perfgrid with a higher one (ulimit -s)")
		       : 0;
}

int pg_process_prepare(struct pg_err *err)
{
	sigset_t none;

	if (check_stack(err) < 0)
		return -1;

	if (getuid() != geteuid() || getgid() != getegid())
		return pg_fail(err, PG_EUSAGE,
			       "perfgrid runs any command and must not be set-uid or set-gid; remove the bit");
	if (open_standard_streams(err) < 0)
		return -1;
	if (syscall(SYS_close_range, 3, ~0U, 1U << 2 /* CLOSE_RANGE_CLOEXEC */) < 0)
		close_on_exec_each();
	if (signal(SIGCHLD, SIG_DFL) == SIG_ERR)
		return pg_fail_sys(err, "cannot reset SIGCHLD");
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	raise_limits();
	return 0;
}
