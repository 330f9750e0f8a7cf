/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The param `target`: every process, this one, or tasks found through /proc. */
#include "evlist.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ALLOWED "target can be system, self, pid:N, tid:N, user:NAME"

static int parse_id(const char *text, const char *number, pid_t *id, struct pg_err *err)
{
	const size_t n = strlen(number);
	uint64_t v;

	if (pg_parse_u64(number, n, &v) != PG_NUM_OK || v == 0 || v > INT_MAX)
		return pg_fail(err, PG_EINPUT, "target: character %zu: `%s` is no task number; " ALLOWED,
			       (size_t)(number - text) + 1, number);
	*id = (pid_t)v;
	return 0;
}

int pg_evlist_target_parse(const char *text, struct pg_evlist_target *out, struct pg_err *err)
{
	*out = (struct pg_evlist_target){.who = PG_WHO_SYSTEM};
	if (strcmp(text, "system") == 0)
		return 0;
	if (strcmp(text, "self") == 0) {
		out->who = PG_WHO_SELF;
		return 0;
	}
	if (strncmp(text, "pid:", 4) == 0 || strncmp(text, "tid:", 4) == 0) {
		out->who = text[0] == 'p' ? PG_WHO_PID : PG_WHO_TID;
		return parse_id(text, text + 4, &out->id, err);
	}
	if (strncmp(text, "user:", 5) == 0) {
		out->who = PG_WHO_USER;
		out->user = text + 5;
		return *out->user ? 0 : pg_fail(err, PG_EINPUT, "target: character 6: a user is missing; " ALLOWED);
	}
	return pg_fail(err, PG_EINPUT, "target: character 1: `%s` is none; " ALLOWED, text);
}

static int add(struct pg_evlist_tasks *tasks, pid_t id, struct pg_err *err)
{
	if (tasks->n == tasks->cap) {
		const size_t cap = tasks->cap ? 2 * tasks->cap : 8;
		pid_t *more = realloc(tasks->ids, cap * sizeof(*more));

		if (!more)
			return pg_fail_nomem(err);
		tasks->ids = more;
		tasks->cap = cap;
	}
	tasks->ids[tasks->n++] = id;
	return 0;
}

/* Calls fn for each entry of the folder that is a number. A folder that has gone is an empty one. */
static int each_number(int at, const char *path, int (*fn)(pid_t id, int dir, void *ctx, struct pg_err *err), void *ctx,
		       struct pg_err *err)
{
	const int fd = openat(at, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *e;
	int r = 0;

	if (!d && fd >= 0)
		close(fd);
	if (!d)
		return errno == ENOENT || errno == ESRCH
			       ? 0
			       : pg_fail_sys(err, "cannot read %s; mount /proc, or take target self", path);
	while (r == 0 && (e = readdir(d))) {
		uint64_t id;

		if (pg_parse_u64(e->d_name, strlen(e->d_name), &id) == PG_NUM_OK && id > 0 && id <= INT32_MAX)
			r = fn((pid_t)id, dirfd(d), ctx, err);
	}
	closedir(d);
	return r;
}

struct search {
	struct pg_evlist_tasks *tasks;
	uid_t uid;
};

static int take(pid_t id, int dir, void *ctx, struct pg_err *err)
{
	(void)dir;
	return add(((struct search *)ctx)->tasks, id, err);
}

static int take_process(pid_t id, int dir, void *ctx, struct pg_err *err)
{
	const struct search *s = ctx;
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "%d", (int)id);
	if (fstatat(dir, path, &st, 0) || st.st_uid != s->uid)
		return 0;
	snprintf(path, sizeof(path), "%d/task", (int)id);
	return each_number(dir, path, take, ctx, err);
}

static int find_uid(const char *user, uid_t *uid, struct pg_err *err)
{
	char buf[16384];
	struct passwd pw, *found = NULL;
	uint64_t v;

	if (getpwnam_r(user, &pw, buf, sizeof(buf), &found) == 0 && found) {
		*uid = found->pw_uid;
		return 0;
	}
	if (pg_parse_u64(user, strlen(user), &v) != PG_NUM_OK || v >= UINT32_MAX)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "target: there is no user `%s`; take one of /etc/passwd, or a number", user);
	*uid = (uid_t)v;
	return 0;
}

static int find_in_proc(const struct pg_evlist_target *t, const char *root, struct search *s, struct pg_err *err)
{
	char path[4096];

	if (t->who == PG_WHO_USER) {
		if (find_uid(t->user, &s->uid, err))
			return -1;
		snprintf(path, sizeof(path), "%s/proc", root);
		return each_number(AT_FDCWD, path, take_process, s, err);
	}
	snprintf(path, sizeof(path), "%s/proc/%d%s", root, (int)t->id, t->who == PG_WHO_PID ? "/task" : "");
	if (t->who == PG_WHO_PID)
		return each_number(AT_FDCWD, path, take, s, err);
	return access(path, F_OK) == 0 ? add(s->tasks, t->id, err) : 0;
}

int pg_evlist_tasks_find(const struct pg_evlist_target *t, const char *root, struct pg_evlist_tasks *tasks,
			 struct pg_err *err)
{
	struct search s = {.tasks = tasks};

	tasks->n = 0;
	if (t->who == PG_WHO_SYSTEM)
		return add(tasks, -1, err);
	if (t->who == PG_WHO_SELF)
		return add(tasks, getpid(), err);
	if (find_in_proc(t, root, &s, err))
		return -1;
	if (tasks->n > 0)
		return 0;
	if (t->who == PG_WHO_USER)
		return pg_fail(err, PG_EUNSUPPORTED, "target: user `%s` has no process; start one, or take target self",
			       t->user);
	return pg_fail(err, PG_EUNSUPPORTED, "target: there is no %s %d; take one that runs, or target self",
		       t->who == PG_WHO_PID ? "process" : "thread", (int)t->id);
}
