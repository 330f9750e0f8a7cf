/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cpulist.h"
#include "base/err.h"

#ifdef PG_COVERAGE
void __gcov_dump(void);
#endif

#ifdef __SANITIZE_THREAD__
/* The thread sanitizer takes its clone() for a fork and looks away from then on; this is the C library's own name for
 * the same. */
extern __typeof__(clone) __clone;
#define clone __clone
#endif

#define NOT_STARTED 127

void pg_spawn_init(struct pg_spawn *s, pid_t parent, const sigset_t *mask)
{
	*s = (struct pg_spawn){
		.in = -1, .out = -1, .err = -1, .kept = -1, .cgroup = -1, .parent = parent, .mask = *mask};
}

static int failed(struct pg_spawn *s, enum pg_spawn_step step)
{
	s->sys = errno;
	s->step = step;
	return -1;
}

/*
 * From here on bare system calls: the new process may run in the runner's memory, where wrappers keep books (sanitizers
 * most of all) that would then be wrong for the runner.
 */
static long default_signal(int sig)
{
	static const unsigned long
		zero[8]; /* struct sigaction of the kernel: SIG_DFL, no flags, empty mask on every architecture */

	return syscall(SYS_rt_sigaction, sig, zero, NULL, _NSIG / 8);
}

/* The runner's handlers must not run here; a hang-up that the user chose to ignore stays ignored. */
static void default_signals(const struct pg_spawn *s)
{
	default_signal(SIGINT);
	default_signal(SIGQUIT);
	default_signal(SIGTERM);
	default_signal(SIGPIPE);
	if (!s->ignore_hup)
		default_signal(SIGHUP);
}

static long set_policy(const struct pg_spawn *s)
{
	struct sched_param p = {.sched_priority = 0};

	switch (s->policy) {
	case PG_POLICY_NONE:
		return 0;
	case PG_POLICY_OTHER:
		return syscall(SYS_sched_setscheduler, 0, SCHED_OTHER, &p);
	case PG_POLICY_BATCH:
		return syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &p);
	case PG_POLICY_IDLE:
		return syscall(SYS_sched_setscheduler, 0, SCHED_IDLE, &p);
	case PG_POLICY_FIFO:
		p.sched_priority = s->priority;
		return syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &p);
	}
	return 0;
}

/* Descriptor `from` as number `to`, open across exec. */
static long move_fd(int from, int to)
{
	return from == to ? syscall(SYS_fcntl, from, F_SETFD, 0) : syscall(SYS_dup3, from, to, 0);
}

int pg_spawn_enter(struct pg_spawn *s)
{
	if ((s->session ? syscall(SYS_setsid) : syscall(SYS_setpgid, 0, 0)) < 0)
		return failed(s, PG_STEP_GROUP);
	syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	if (syscall(SYS_getppid) != s->parent) /* died before the line above */
		return failed(s, PG_STEP_PARENT);
	if (s->cgroup >= 0 && syscall(SYS_write, s->cgroup, "0", 1) != 1)
		return failed(s, PG_STEP_CGROUP);
	if (s->pin && syscall(SYS_sched_setaffinity, 0, s->pin->words * sizeof(*s->pin->bits), s->pin->bits) < 0)
		return failed(s, PG_STEP_PIN);
	if (set_policy(s) < 0)
		return failed(s, PG_STEP_POLICY);
	if (s->has_nice && syscall(SYS_setpriority, PRIO_PROCESS, 0, s->nice) < 0)
		return failed(s, PG_STEP_NICE);
	if (s->directory && syscall(SYS_chdir, s->directory) < 0)
		return failed(s, PG_STEP_DIRECTORY);
	if (move_fd(s->in, 0) < 0 || move_fd(s->out, 1) < 0 || move_fd(s->err, 2) < 0)
		return failed(s, PG_STEP_STREAMS);
	if (s->kept >= 0 && move_fd(s->kept, PG_SPAWN_KEPT) < 0)
		return failed(s, PG_STEP_STREAMS);
	default_signals(s);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &s->mask, NULL, _NSIG / 8);
	return 0;
}

static int program(void *arg)
{
	struct pg_spawn *s = arg;

	if (pg_spawn_enter(s) == 0) {
		char *word = s->argv[0];

		syscall(SYS_execve, s->path, s->argv, s->envp);
		if (errno == ENOEXEC) { /* a script without a first line, as execvp() has it */
			char sh[] = "/bin/sh";

			s->argv[-1] = sh;
			s->argv[0] = s->path;
			syscall(SYS_execve, sh, s->argv - 1, s->envp);
			s->argv[0] = word;
		}
		failed(s, PG_STEP_EXEC);
	}
	return NOT_STARTED; /* ends the new process, without what exit() would do to memory that is not its own */
}

int pg_spawn_program(struct pg_spawn *s, char *stack, size_t n, struct pg_proc *out)
{
	pid_t pid;

	s->step = PG_STEP_NONE;
	pid = clone(program, stack + n, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, s, &out->fd);
	if (pid < 0)
		return -1;
	out->pid = pid;
	return 0;
}

int pg_spawn_fork(struct pg_spawn *s, int (*body)(void *arg, const struct pg_spawn *failed), void *arg,
		  struct pg_proc *out)
{
	pid_t pid = fork();
	int r, saved;

	if (pid < 0)
		return -1;
	if (pid == 0) {
		r = pg_spawn_enter(s);
		syscall(SYS_close_range, PG_SPAWN_KEPT, ~0U, 0);
		r = body(arg, r < 0 ? s : NULL);
#ifdef PG_COVERAGE
		__gcov_dump();
#endif
		_exit(r);
	}
	out->fd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (out->fd < 0) {
		saved = errno;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		errno = saved;
		return -1;
	}
	out->pid = pid;
	return 0;
}

void pg_spawn_reason(const struct pg_spawn *s, const char *word, struct pg_err *err)
{
	static const char *const policies[] = {
		[PG_POLICY_NONE] = "none", [PG_POLICY_OTHER] = "other", [PG_POLICY_BATCH] = "batch",
		[PG_POLICY_IDLE] = "idle", [PG_POLICY_FIFO] = "fifo",
	};

	errno = s->sys;
	switch (s->step) {
	case PG_STEP_NONE:
	case PG_STEP_PARENT:
		break;
	case PG_STEP_GROUP:
		pg_fail_sys(err, "cannot make a process group");
		return;
	case PG_STEP_CGROUP:
		pg_fail_sys(err, "cannot enter the cgroup; run as root, or name a cgroup that this user may change");
		return;
	case PG_STEP_PIN:
		pg_fail_sys(
			err,
			"cannot pin to the CPUs asked for; name CPUs that are online and allowed (nproc, taskset -p)");
		return;
	case PG_STEP_POLICY:
		pg_fail_sys(err, "cannot set policy %s%s; run as root or use policy other", policies[s->policy],
			    s->cgroup >= 0 && s->sys == EPERM ? " inside this cgroup (cpu.rt_runtime_us)" : "");
		return;
	case PG_STEP_NICE:
		pg_fail_sys(err, "cannot set nice %d; run as root or use a higher number", s->nice);
		return;
	case PG_STEP_DIRECTORY:
		pg_fail_sys(err, "cannot enter directory '%s'; name another", s->directory);
		return;
	case PG_STEP_STREAMS:
		pg_fail_sys(err, "cannot redirect output");
		return;
	case PG_STEP_EXEC:
		pg_fail_sys(err, "cannot execute '%s'; name a program that this user may execute", word);
		return;
	}
	pg_fail(err, PG_EFAILED, "the runner was gone before '%s' started; run it again", word);
}
