/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trees of processes. This process is a subreaper: whoever loses its parent becomes its child, stays unreaped until
 * this code reaps it, and so can be killed by number without hitting a stranger.
 */
#include "engine/child_priv.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DEPTH_MAX   64
#define STEP_NS	    (1000 * 1000) /* between two looks at children that are dying */
#define PATIENCE_NS INT64_C(5000000000)

/* Calls fn for each number in a file of numbers; false = the file cannot be read. */
static bool each_in_file(const char *path, void (*fn)(void *ctx, pid_t pid), void *ctx)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char buf[4096];
	ssize_t n;
	pid_t pid = 0;

	if (fd < 0)
		return false;
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (buf[i] >= '0' && buf[i] <= '9') {
				pid = pid * 10 + (buf[i] - '0');
			} else if (pid > 0) {
				fn(ctx, pid);
				pid = 0;
			}
		}
	}
	close(fd);
	if (pid > 0)
		fn(ctx, pid);
	return true;
}

/* Kernels without CONFIG_PROC_CHILDREN: by the parent's number in every /proc/PID/stat. */
static void each_by_parent(pid_t parent, void (*fn)(void *ctx, pid_t pid), void *ctx)
{
	DIR *d = opendir("/proc");
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[64], text[1024], *p;
		long pid = strtol(e->d_name, NULL, 10);

		if (pid <= 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
		if (pg_read_small(path, text, sizeof(text)) < 0)
			continue;
		p = strrchr(text, ')'); /* the name may hold anything */
		if (p && strlen(p) > 4 && strtol(p + 4, NULL, 10) == parent)
			fn(ctx, (pid_t)pid);
	}
	if (d)
		closedir(d);
}

/* Children of all tasks of a process. */
static void each_child(pid_t parent, void (*fn)(void *ctx, pid_t pid), void *ctx)
{
	char path[300];
	bool readable = false;
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)parent);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/proc/%d/task/%s/children", (int)parent, e->d_name);
		readable |= each_in_file(path, fn, ctx);
	}
	if (d)
		closedir(d);
	if (!readable)
		each_by_parent(parent, fn, ctx);
}

struct walk {
	pid_t group; /* has got the signal already */
	int sig, depth;
};

static void signal_below(void *ctx, pid_t pid)
{
	struct walk *w = ctx;

	if (getpgid(pid) != w->group)
		kill(pid, w->sig);
	if (w->depth == DEPTH_MAX)
		return;
	w->depth++;
	each_child(pid, signal_below, w);
	w->depth--;
}

void pg_tree_signal(pid_t pid, int sig)
{
	struct walk w = {.group = pid, .sig = sig};

	if (kill(-pid, sig) < 0) /* it has not come as far as its own group */
		kill(pid, sig);
	each_child(pid, signal_below, &w);
}

bool pg_tree_empty(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) < 0 && errno == ECHILD;
}

static void kill_one(void *ctx, pid_t pid)
{
	(void)ctx;
	kill(pid, SIGKILL);
}

unsigned pg_kill_descendants(void)
{
	struct timespec step = {0, STEP_NS};
	unsigned count = 0;
	int64_t waited = 0;
	pid_t pid;

	/* Who dies hands its children on to us: until none is left, or only such as cannot be killed. */
	while (waited < PATIENCE_NS) {
		each_child(getpid(), kill_one, NULL);
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0) {
			count++;
			waited = 0;
		}
		if (pid < 0)
			break;
		nanosleep(&step, NULL);
		waited += STEP_NS;
	}
	return count;
}
