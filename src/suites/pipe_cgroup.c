/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * task_cgroups: a name is looked for below the cgroup2 mount, then below the version 1 mounts of perf_event and cpu.
 * Processes move through cgroup.procs, threads through cgroup.threads (2) or tasks (1).
 */
#include "pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NAME_BYTES 256

struct hierarchy {
	char mount[PATH_MAX]; /* with the root in front */
	bool v2;
	const char *controller; /* version 1 */
};

static int check_part(const char *text, size_t from, size_t n, struct pg_err *err)
{
	for (size_t i = 0; i < n; i++) {
		const unsigned char c = (unsigned char)text[from + i];

		if (c < 0x20 || c == 0x7f || c == ',')
			return pg_fail(err, PG_EINPUT,
				       "task_cgroups: character %zu cannot be in a name; two names, one comma",
				       from + i + 1);
	}
	if (n == 0 || n >= NAME_BYTES || text[from] == '/')
		return pg_fail(err, PG_EINPUT,
			       "task_cgroups: character %zu: a name below the cgroup mount is due, 1 to %d bytes, no / "
			       "in front",
			       from + 1, NAME_BYTES - 1);
	for (size_t i = 0, len; i < n; i += len + 1) {
		len = strcspn(text + from + i, "/,");
		if ((len == 1 && text[from + i] == '.') || (len == 2 && strncmp(text + from + i, "..", 2) == 0))
			return pg_fail(err, PG_EINPUT, "task_cgroups: character %zu: . and .. are no names of cgroups",
				       from + i + 1);
	}
	return 0;
}

int pg_pipe_cgroups_check(const char *text, struct pg_err *err)
{
	const char *comma = strchr(text, ',');
	const size_t first = comma ? (size_t)(comma - text) : strlen(text);

	if (!comma)
		return pg_fail(err, PG_EINPUT, "task_cgroups: no comma in `%.100s`; two names, as in `a,b`", text);
	if (check_part(text, 0, first, err))
		return -1;
	return check_part(text, first + 1, strlen(comma + 1), err);
}

/* The mount of one kind; false = not mounted. */
static bool find_mount(const char *root, struct hierarchy *h)
{
	char path[PATH_MAX], strings[4096];
	struct mntent entry, *e;
	bool found = false;
	FILE *f;

	if ((size_t)snprintf(path, sizeof(path), "%s/proc/self/mounts", root) >= sizeof(path))
		return false;
	f = setmntent(path, "re");
	if (!f)
		return false;
	while (!found && (e = getmntent_r(f, &entry, strings, sizeof(strings)))) {
		if (h->v2)
			found = strcmp(e->mnt_type, "cgroup2") == 0;
		else
			found = strcmp(e->mnt_type, "cgroup") == 0 && hasmntopt(e, h->controller);
		if (found && (size_t)snprintf(h->mount, sizeof(h->mount), "%s%s", root, e->mnt_dir) >= sizeof(h->mount))
			found = false;
	}
	endmntent(f);
	return found;
}

/* The hierarchy that has a cgroup of that name. */
static int find_hierarchy(const char *root, const char *name, struct hierarchy *h, struct pg_err *err)
{
	static const char *const controllers[] = {NULL, "perf_event", "cpu"};
	char looked[PATH_MAX] = "", path[PATH_MAX];
	struct stat st;

	for (size_t i = 0; i < 3; i++) {
		*h = (struct hierarchy){.v2 = i == 0, .controller = controllers[i]};
		if (!find_mount(root, h))
			continue;
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", h->mount, name) < sizeof(path) &&
		    stat(path, &st) == 0 && S_ISDIR(st.st_mode))
			return 0;
		if (!looked[0])
			memcpy(looked, h->mount, sizeof(looked));
	}
	if (!looked[0])
		return pg_fail(err, PG_EUNSUPPORTED,
			       "task_cgroups: no cgroup2, perf_event or cpu hierarchy is mounted; mount one");
	return pg_fail(err, PG_EFAILED, "task_cgroups: no cgroup `%s` below %.200s; make it before the run", name,
		       looked);
}

static int write_id(const char *path, struct pg_err *err)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	int r = 0;

	/* 0 stands for the writing task in every version. */
	if (fd < 0 || write(fd, "0", 1) != 1)
		r = pg_fail_sys(err,
				"task_cgroups: cannot move a task by %.300s; run as root, or name a cgroup that this "
				"user may change",
				path);
	if (fd >= 0)
		close(fd);
	return r;
}

/* Where this process is now in h: the path of its cgroup.procs, malloc'ed; NULL = not told. */
static char *home_of(const char *root, const struct hierarchy *h)
{
	char path[PATH_MAX], *line = NULL, *home = NULL;
	size_t cap = 0;
	FILE *f;

	if ((size_t)snprintf(path, sizeof(path), "%s/proc/self/cgroup", root) >= sizeof(path))
		return NULL;
	f = fopen(path, "re");
	while (f && !home && getline(&line, &cap, f) > 0) {
		char *list = strchr(line, ':'), *rest = list ? strchr(list + 1, ':') : NULL, *save;
		bool ours = false;

		if (!rest)
			continue;
		*rest++ = '\0';
		rest[strcspn(rest, "\n")] = '\0';
		if (h->v2)
			ours = strcmp(line, "0:") == 0;
		for (char *c = strtok_r(list + 1, ",", &save); c && !h->v2; c = strtok_r(NULL, ",", &save))
			ours = ours || strcmp(c, h->controller) == 0;
		if (ours && asprintf(&home, "%s%s/cgroup.procs", h->mount, rest) < 0)
			home = NULL;
	}
	free(line);
	if (f)
		fclose(f);
	return home;
}

int pg_pipe_cgroup_enter(const struct pg_pipe *p, size_t task, char **home, struct pg_err *err)
{
	const char *text = p->conf->task_cgroups, *comma = strchr(text, ',');
	const char *part = task == 0 ? text : comma + 1;
	const int n = (int)(task == 0 ? (size_t)(comma - text) : strlen(part));
	char name[NAME_BYTES], path[PATH_MAX];
	const char *file = "cgroup.procs";
	struct hierarchy h;

	snprintf(name, sizeof(name), "%.*s", n, part);
	if (find_hierarchy(p->root, name, &h, err))
		return -1;
	if (p->conf->mode)
		file = h.v2 ? "cgroup.threads" : "tasks";
	if ((size_t)snprintf(path, sizeof(path), "%s/%s/%s", h.mount, name, file) >= sizeof(path))
		return pg_fail(err, PG_EFAILED, "task_cgroups: the path of `%s` is too long; take a shorter name",
			       name);
	if (home) {
		*home = home_of(p->root, &h);
		if (!*home)
			return pg_fail(
				err, PG_EFAILED,
				"task_cgroups: cannot tell the present cgroup from /proc/self/cgroup; mount /proc");
	}
	return write_id(path, err);
}

int pg_pipe_cgroup_leave(const char *home, struct pg_err *err)
{
	return write_id(home, err);
}
