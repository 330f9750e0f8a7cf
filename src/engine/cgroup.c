/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/cgroup.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/num.h"

#define REMOVE_TRIES 50
#define REMOVE_STEP  (2 * 1000 * 1000)	 /* ns */
#define NO_LIMIT     (UINT64_C(1) << 62) /* v1 has a number near 2^63 for "no limit" */

int pg_read_small(const char *path, char *buf, size_t n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t k = 1;

	if (fd < 0)
		return -1;
	while (len < n - 1 && (k = read(fd, buf + len, n - 1 - len)) > 0)
		len += (size_t)k;
	close(fd);
	buf[len] = '\0';
	return k < 0 ? -1 : 0;
}

/* Field of mountinfo with its octal escapes undone, in place. */
static void unescape(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] >= '0' && s[2] <= '7' && s[3] >= '0' &&
		    s[3] <= '7') {
			*to++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 3;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

/* Is `word` an item of a comma list of n characters? */
static bool has_item(const char *list, size_t n, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= n; i++) {
		if (i > 0 && list[i - 1] != ',')
			continue;
		if (memcmp(list + i, word, len) == 0 && (i + len == n || list[i + len] == ','))
			return true;
	}
	return false;
}

/* One line of mountinfo: is it the hierarchy? Then its root and mount point. */
static bool take_mount(char *line, const char *controller, char **fs_root, char **mount)
{
	char *save = NULL, *field[5], *rest = strstr(line, " - "), *type, *options = NULL;

	if (!rest)
		return false;
	*rest = '\0';
	type = strtok_r(rest + 3, " ", &save);
	if (!type || strcmp(type, controller ? "cgroup" : "cgroup2") != 0)
		return false;
	if (strtok_r(NULL, " ", &save))
		options = strtok_r(NULL, " \n", &save);
	if (controller && (!options || !has_item(options, strlen(options), controller)))
		return false;
	for (int i = 0; i < 5; i++) {
		field[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!field[i])
			return false;
	}
	*fs_root = field[3];
	*mount = field[4];
	unescape(*fs_root);
	unescape(*mount);
	return true;
}

/* Path of this process in the hierarchy, from /proc/self/cgroup ("4:cpu,cpuacct:/a"); false = not listed. */
static bool own_path(const char *root, const char *controller, char *out, size_t n)
{
	char path[PATH_MAX], *line = NULL;
	size_t cap = 0;
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	f = fopen(path, "re");
	if (!f)
		return false;
	while (!found && getline(&line, &cap, f) > 0) {
		char *list = strchr(line, ':'), *at = list ? strchr(list + 1, ':') : NULL;
		size_t len;

		if (!at)
			continue;
		len = (size_t)(at - list - 1);
		found = controller ? has_item(list + 1, len, controller) : len == 0 && line[0] == '0';
		at[strcspn(at, "\n")] = '\0';
		if (found)
			snprintf(out, n, "%s", at + 1);
	}
	free(line);
	fclose(f);
	return found;
}

/* Joins mount point and path, less what is above the mount's own root (containers). */
static void join_own(struct pg_cgroup_place *p, const char *fs_root, const char *path)
{
	size_t n = strlen(fs_root);
	struct stat st;

	if (strcmp(fs_root, "/") != 0 && strncmp(path, fs_root, n) == 0 && (path[n] == '/' || path[n] == '\0'))
		path += n;
	if (snprintf(p->own, sizeof(p->own), "%s%s", p->mount, strcmp(path, "/") == 0 ? "" : path) >=
		    (int)sizeof(p->own) ||
	    stat(p->own, &st) < 0 || strstr(path, "/.."))
		memcpy(p->own, p->mount, sizeof(p->own));
}

int pg_cgroup_locate(const char *root, const char *controller, struct pg_cgroup_place *out)
{
	char path[PATH_MAX], *line = NULL, *fs_root = NULL, *mount = NULL;
	size_t cap = 0;
	int r = -1;
	FILE *f;

	snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	f = fopen(path, "re");
	if (!f)
		return -1;
	while (r < 0 && getline(&line, &cap, f) > 0) {
		if (!take_mount(line, controller, &fs_root, &mount))
			continue;
		r = 0;
		snprintf(out->mount, sizeof(out->mount), "%s%s", root, mount);
		if (own_path(root, controller, path, sizeof(path)))
			join_own(out, fs_root, path);
		else
			memcpy(out->own, out->mount, sizeof(out->own));
	}
	free(line);
	fclose(f);
	return r;
}

/* The number in a file of a directory; UINT64_MAX where there is none. */
static uint64_t number_in(const char *dir, const char *file)
{
	char path[PG_CGROUP_PATH + 64], text[64];
	uint64_t v;

	snprintf(path, sizeof(path), "%s/%s", dir, file);
	if (pg_read_small(path, text, sizeof(text)) < 0 || pg_parse_u64(text, strcspn(text, "\n"), &v) != PG_NUM_OK ||
	    v >= NO_LIMIT)
		return UINT64_MAX;
	return v;
}

uint64_t pg_cgroup_limit(const struct pg_cgroup_place *p, const char *file, const char *used)
{
	char dir[PG_CGROUP_PATH];
	size_t floor = strlen(p->mount);
	uint64_t least = UINT64_MAX;

	memcpy(dir, p->own, sizeof(dir));
	for (;;) {
		uint64_t limit = number_in(dir, file), u = 0;
		char *slash;

		if (used && limit != UINT64_MAX)
			u = number_in(dir, used);
		if (u == UINT64_MAX)
			u = 0;
		limit = limit > u ? limit - (limit == UINT64_MAX ? 0 : u) : 0;
		least = limit < least ? limit : least;
		slash = strrchr(dir, '/');
		if (!slash || (size_t)(slash - dir) < floor)
			return least;
		*slash = '\0';
	}
}

/* Parts between slashes, none of them empty, `.` or `..`: a name below the mount point and nowhere else. */
static bool is_below(const char *name)
{
	for (;;) {
		size_t n = strcspn(name, "/");

		if (n == 0 || (n == 1 && name[0] == '.') || (n == 2 && name[0] == '.' && name[1] == '.'))
			return false;
		if (name[n] == '\0')
			return true;
		name += n + 1;
	}
}

int pg_cgroup_dir(const char *root, const char *name, char *out, size_t n, struct pg_err *err)
{
	struct pg_cgroup_place place;

	if (!is_below(name))
		return pg_fail(err, PG_EUNSUPPORTED,
			       "cgroup '%.64s' is no name below the mount point; write it like a/b", name);
	if (pg_cgroup_locate(root, NULL, &place) < 0 && pg_cgroup_locate(root, "cpu", &place) < 0)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "cgroup %s: no cgroup file system is mounted; mount cgroup2 or leave `cgroup` out",
			       name);
	if (snprintf(out, n, "%s/%s", place.mount, name) >= (int)n)
		return pg_fail(err, PG_EUNSUPPORTED, "cgroup %.64s...: the path is too long; use a shorter name", name);
	return 0;
}

int pg_cgroup_check(const char *root, const char *name, struct pg_err *err)
{
	char dir[PG_CGROUP_PATH], procs[PG_CGROUP_PATH + 16];
	struct stat st;
	char *slash;

	if (pg_cgroup_dir(root, name, dir, sizeof(dir), err) < 0)
		return -1;
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", dir);
	if (stat(dir, &st) == 0) {
		if (access(procs, W_OK) == 0)
			return 0;
		return pg_fail(err, PG_EUNSUPPORTED,
			       "cgroup %s: cannot write %s: %s; ask for a group delegated to this user", name, procs,
			       strerror(errno));
	}
	do { /* the nearest directory that is there */
		slash = strrchr(dir, '/');
		*slash = '\0';
	} while (stat(dir, &st) < 0 && strchr(dir, '/'));
	if (access(dir, W_OK) == 0)
		return 0;
	return pg_fail(err, PG_EUNSUPPORTED,
		       "cgroup %s: cannot make a group in %s: %s; ask for one delegated to this user", name, dir,
		       strerror(errno));
}

/* Makes the directories of g->dir behind the first `floor` characters that are not there. */
static int make_dirs(struct pg_cgroup *g, size_t floor, struct pg_err *err)
{
	for (size_t i = floor + 1;; i++) {
		char c = g->dir[i];
		int r;

		if (c != '/' && c != '\0')
			continue;
		g->dir[i] = '\0';
		r = mkdir(g->dir, 0755);
		if (r == 0 && g->made_at == SIZE_MAX) {
			g->made_at = i;
			while (g->dir[--g->made_at] != '/')
				;
		}
		if (r < 0 && errno != EEXIST)
			return pg_fail_sys(
				err, "cannot make cgroup '%s'; run as root, or name a cgroup that this user may make",
				g->dir);
		g->dir[i] = c;
		if (c == '\0')
			return 0;
	}
}

static void remove_dirs(const struct pg_cgroup *g)
{
	struct timespec step = {0, REMOVE_STEP};
	size_t n = strlen(g->dir);

	while (g->made_at != SIZE_MAX && n > g->made_at) {
		g->dir[n] = '\0';
		/* The kernel lets go of a group a moment after its last task was reaped. */
		for (int i = 0; i < REMOVE_TRIES && rmdir(g->dir) < 0 && errno == EBUSY; i++)
			nanosleep(&step, NULL);
		while (n > 0 && g->dir[--n] != '/')
			;
	}
}

static void release(struct pg_cgroup *g)
{
	if (g->procs >= 0)
		close(g->procs);
	if (g->dir)
		remove_dirs(g);
	free(g->dir);
	free(g->name);
}

static int open_group(struct pg_cgroup *g, const char *root, const char *name, struct pg_err *err)
{
	char dir[PG_CGROUP_PATH], procs[PG_CGROUP_PATH + 16];

	*g = (struct pg_cgroup){.procs = -1, .made_at = SIZE_MAX};
	if (pg_cgroup_dir(root, name, dir, sizeof(dir), err) < 0)
		return -1;
	g->name = strdup(name);
	g->dir = strdup(dir);
	if (!g->name || !g->dir)
		return pg_fail_nomem(err);
	if (make_dirs(g, strlen(dir) - strlen(name) - 1, err) < 0)
		return -1;
	snprintf(procs, sizeof(procs), "%s/cgroup.procs", dir);
	g->procs = open(procs, O_WRONLY | O_CLOEXEC);
	return g->procs < 0
		       ? pg_fail_sys(err, "cannot open '%s'; run as root, or name a cgroup that this user may change",
				     procs)
		       : 0;
}

const struct pg_cgroup *pg_cgroup_get(struct pg_cgroups *g, const char *root, const char *name, struct pg_err *err)
{
	struct pg_cgroup *p;

	for (size_t i = 0; i < g->n; i++) {
		if (strcmp(g->groups[i].name, name) == 0)
			return &g->groups[i];
	}
	p = reallocarray(g->groups, g->n + 1, sizeof(*p));
	if (!p) {
		pg_fail_nomem(err);
		return NULL;
	}
	g->groups = p;
	if (open_group(&p[g->n], root, name, err) < 0) {
		release(&p[g->n]);
		return NULL;
	}
	return &p[g->n++];
}

void pg_cgroups_release(struct pg_cgroups *g)
{
	while (g->n > 0)
		release(&g->groups[--g->n]);
	free(g->groups);
	g->groups = NULL;
}
