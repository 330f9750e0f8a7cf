/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workers that are processes. They die with the main task: parent-death signal, and a look whether it died before that
 * was set (the signal belongs to the thread that forked, so a crew is opened, used and closed by one thread that
 * outlives it).
 */
#include "engine/crew_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* Signals for which a program may have handlers: a worker must not run them. */
static const int reset_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD};
#define RESET_SIGNALS (sizeof(reset_signals) / sizeof(reset_signals[0]))

static bool has_handlers(void)
{
	struct sigaction sa;

	for (size_t i = 0; i < RESET_SIGNALS; i++)
		if (sigaction(reset_signals[i], NULL, &sa) == 0 && sa.sa_handler != SIG_DFL && sa.sa_handler != SIG_IGN)
			return true;
	return false;
}

int pg_crew_process_open(struct pg_crew *c, struct pg_err *err)
{
	size_t size = 4;

	while (size < 2 * c->opts.n)
		size *= 2;
	c->mask = size - 1;
	c->handlers = has_handlers();
	c->pids = calloc(c->opts.n, sizeof(*c->pids));
	c->by_pid = calloc(size, sizeof(*c->by_pid));
	return c->pids && c->by_pid ? 0 : pg_fail_nomem(err);
}

static void remember(struct pg_crew *c, pid_t pid, size_t index)
{
	size_t at = (size_t)pid & c->mask;

	while (c->by_pid[at])
		at = (at + 1) & c->mask;
	c->by_pid[at] = (uint32_t)index + 1;
	c->pids[index] = pid;
}

/* The worker with that pid, not yet reaped; opts.n = none. Entries stay, so that the search never ends early. */
static size_t find(const struct pg_crew *c, pid_t pid)
{
	for (size_t at = (size_t)pid & c->mask; c->by_pid[at]; at = (at + 1) & c->mask)
		if (c->pids[c->by_pid[at] - 1] == pid)
			return c->by_pid[at] - 1;
	return c->opts.n;
}

static void reset_handlers(void)
{
	struct sigaction sa;

	for (size_t i = 0; i < RESET_SIGNALS; i++) {
		if (sigaction(reset_signals[i], NULL, &sa) || sa.sa_handler == SIG_IGN || sa.sa_handler == SIG_DFL)
			continue;
		sa = (struct sigaction){.sa_handler = SIG_DFL};
		sigaction(reset_signals[i], &sa, NULL);
	}
}

int pg_crew_process_start(struct pg_crew *c, struct pg_worker *w)
{
	sigset_t all, old;
	pid_t pid;
	int e;

	/* With handlers about, none may run in the child before it is rid of them. */
	sigfillset(&all);
	if (c->handlers)
		sigprocmask(SIG_SETMASK, &all, &old);
	pid = fork();
	e = errno;
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		if (getppid() != c->self)
			pg_exit_child(1);
		if (c->handlers) {
			reset_handlers();
			sigprocmask(SIG_SETMASK, &old, NULL);
		}
		pg_exit_child(pg_worker_run(w) ? 1 : 0);
	}
	if (c->handlers)
		sigprocmask(SIG_SETMASK, &old, NULL);
	if (pid < 0)
		return e;
	remember(c, pid, w->index);
	return 0;
}

/* Someone else took the statuses: their work cannot be trusted. */
static void lost_all(struct pg_crew *c)
{
	for (size_t i = 0; i < c->started; i++) {
		if (!c->pids[i])
			continue;
		c->pids[i] = 0;
		pg_crew_note_end(c, i, 255 << 8);
	}
	c->left = 0;
}

int pg_crew_process_collect(struct pg_crew *c, bool wait)
{
	int status;

	while (c->left > 0) {
		const pid_t pid = waitpid(-1, &status, wait ? 0 : WNOHANG);
		size_t i;

		if (pid == 0)
			return 0;
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0) {
			lost_all(c);
			return 0;
		}
		i = find(c, pid);
		if (i == c->opts.n)
			continue;
		c->pids[i] = 0;
		c->left--;
		pg_crew_note_end(c, i, status);
		return 1;
	}
	return 0;
}

void pg_crew_process_end(struct pg_crew *c)
{
	for (size_t i = 0; i < c->started; i++)
		if (c->pids[i])
			kill(c->pids[i], SIGKILL);
	while (pg_crew_process_collect(c, true))
		;
}
