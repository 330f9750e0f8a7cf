/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The directory of a run: made exclusively, or one that is there and empty; copies of the scenario's files; the link to
 * the latest run.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "store/fileio.h"
#include "store/store_inside.h"

#define RESULTS "results"
#define TRIES	100

static int fail_usage(struct pg_err *err, const char *what, const char *path)
{
	return pg_fail(err, PG_EUSAGE, "cannot %s '%s': %s; give another with -o", what, path, strerror(errno));
}

/* Makes the parents of path; those that are there are fine. */
static int make_parents(const char *path, struct pg_err *err)
{
	char *copy = strdup(path);
	int result = 0;

	if (!copy)
		return pg_fail_nomem(err);
	for (char *p = copy + 1; result == 0 && *copy && (p = strchr(p, '/')); p++) {
		*p = '\0';
		if (mkdir(copy, 0777) != 0 && errno != EEXIST)
			result = fail_usage(err, "make directory", copy);
		*p = '/';
	}
	free(copy);
	return result;
}

/* 1 = empty, 0 = not, -1 with errno. */
static int is_empty(int dirfd)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), result = 1;
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return -1;
	}
	while ((e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			result = 0;
	closedir(d);
	return result;
}

static int stamp(struct pg_store *s, struct pg_err *err)
{
	char when[17];
	uint16_t salt;

	if (getrandom(&salt, sizeof(salt), 0) != sizeof(salt))
		return pg_fail_sys(err, "cannot draw a random number");
	pg_stamp_utc(when, s->clock->wall(s->clock->ctx));
	snprintf(s->info.id, sizeof(s->info.id), "%s-%04x", when, salt);
	return 0;
}

/* results/NAME/STAMP-xxxx: another stamp where a run has that one already. */
static int make_stamped(struct pg_store *s, struct pg_err *err)
{
	for (int i = 0; i < TRIES; i++) {
		struct pg_str path;

		if (stamp(s, err) != 0)
			return -1;
		pg_str_init(&path);
		pg_str_addf(&path, "%s/%s/%s", RESULTS, s->info.name, s->info.id);
		free(s->dir);
		s->dir = pg_str_detach(&path);
		if (!s->dir)
			return pg_fail_nomem(err);
		if (make_parents(s->dir, err) != 0)
			return -1;
		if (mkdir(s->dir, 0777) == 0)
			return 0;
		if (errno != EEXIST)
			break;
	}
	return fail_usage(err, "make directory", s->dir);
}

/* The directory of -o: *made where it was not there. */
static int make_given(struct pg_store *s, const char *dir, bool *made, struct pg_err *err)
{
	struct stat st;

	if (stamp(s, err) != 0)
		return -1;
	s->dir = strdup(dir);
	if (!s->dir)
		return pg_fail_nomem(err);
	if (make_parents(dir, err) != 0)
		return -1;
	*made = mkdir(dir, 0777) == 0;
	if (!*made && errno != EEXIST)
		return fail_usage(err, "make directory", dir);
	/* A link that leads nowhere is none either. */
	if (!*made && stat(dir, &st) != 0 && errno != ENOENT)
		return fail_usage(err, "open directory", dir);
	if (!*made && (stat(dir, &st) != 0 || !S_ISDIR(st.st_mode)))
		return pg_fail(err, PG_EUSAGE, "'%s' is there and is no directory; give a new or an empty one with -o",
			       dir);
	return 0;
}

static bool open_dir(struct pg_store *s)
{
	s->dirfd = open(s->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return s->dirfd >= 0;
}

int pg_rundir_open(struct pg_store *s, const char *dir, struct pg_err *err)
{
	if (!s->dir)
		s->dir = strdup(dir);
	if (!s->dir)
		return pg_fail_nomem(err);
	return open_dir(s)
		       ? 0
		       : pg_fail(err, PG_EUSAGE,
				 "cannot open run directory '%s': %s; give a directory that `perfgrid run` has made",
				 s->dir, strerror(errno));
}

int pg_rundir_make(struct pg_store *s, const char *dir, struct pg_err *err)
{
	bool made = true;

	if (dir ? make_given(s, dir, &made, err) : make_stamped(s, err))
		return -1;
	if (!open_dir(s))
		return fail_usage(err, "open directory", s->dir);
	if (!made) {
		int empty = is_empty(s->dirfd);

		if (empty < 0)
			return fail_usage(err, "read directory", s->dir);
		if (!empty && s->info.opts.against_itself)
			return pg_fail(err, PG_EUSAGE, "directory '%s' is not empty; give a new or an empty one",
				       s->dir);
		if (!empty)
			return pg_fail(err, PG_EUSAGE,
				       "directory '%s' is not empty; give a new or an empty one, or go on in it with "
				       "--resume %s",
				       s->dir, s->dir);
	}
	/* Of two runs that found the directory empty one gets it here. */
	if (mkdirat(s->dirfd, "files", 0777) == 0)
		return made;
	fail_usage(err, "make directory 'files' in", s->dir);
	if (made)
		(void)rmdir(s->dir);
	return -1;
}

void pg_rundir_copy_name(size_t i, const char *path, struct pg_str *out)
{
	const char *base = strrchr(path, '/');

	base = base ? base + 1 : path;
	pg_str_addf(out, "files/%02zu-", i + 1);
	for (size_t k = 0; base[k] && k < 100; k++) {
		char c = base[k];
		bool ok =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("._-", c);

		pg_str_addc(out, ok ? c : '_');
	}
}

void pg_rundir_copies(const struct pg_store *s, struct pg_str *out)
{
	const struct pg_plan_file *files;
	size_t n;

	files = pg_plan_files(s->plan, &n);
	pg_str_addf(out, "%s/", s->dir);
	if (n == 1)
		pg_rundir_copy_name(0, files[0].path, out);
	else
		pg_str_adds(out, "files");
}

int pg_rundir_copy_files(struct pg_store *s, struct pg_err *err)
{
	const struct pg_plan_file *files;
	struct pg_str name;
	size_t n;
	int fd, result = 0;

	files = pg_plan_files(s->plan, &n);
	fd = openat(s->dirfd, "files", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail_usage(err, "open directory", "files");
	pg_str_init(&name);
	for (size_t i = 0; result == 0 && i < n; i++) {
		pg_str_reset(&name);
		pg_rundir_copy_name(i, files[i].path, &name);
		if (name.failed)
			result = pg_fail_nomem(err);
		else
			result = pg_file_put(fd, name.s + strlen("files/"), files[i].bytes, files[i].n, err);
	}
	pg_str_release(&name);
	close(fd);
	return result;
}

void pg_rundir_settle(struct pg_store *s)
{
	int fd = openat(s->dirfd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	(void)fsync(fd);
	close(fd);
}

void pg_rundir_latest(struct pg_store *s)
{
	const char *slash = strrchr(s->dir, '/');
	struct pg_str parent;
	struct stat st;
	char tmp[64];
	int fd = -1;

	pg_str_init(&parent);
	pg_str_add(&parent, s->dir, slash ? (size_t)(slash - s->dir) : 0);
	if (slash)
		fd = open(pg_str_text(&parent), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	snprintf(tmp, sizeof(tmp), ".latest.%d.tmp", (int)getpid());
	if (fd < 0)
		pg_store_note(s, "cannot set the link 'latest': %s", strerror(errno));
	else if (fstatat(fd, "latest", &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISLNK(st.st_mode))
		pg_store_note(s, "'%s/latest' is no symbolic link and was left alone", pg_str_text(&parent));
	else if ((void)unlinkat(fd, tmp, 0), symlinkat(slash + 1, fd, tmp) != 0 || renameat(fd, tmp, fd, "latest") != 0)
		pg_store_note(s, "cannot set the link 'latest': %s", strerror(errno));
	if (fd >= 0)
		close(fd);
	pg_str_release(&parent);
}

static void empty_directory(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			(void)unlinkat(fd, e->d_name, 0);
	closedir(d);
}

void pg_rundir_undo(struct pg_store *s, bool made)
{
	/* It was new or empty: what stands in it is ours. */
	empty_directory(s->dirfd, "files");
	(void)unlinkat(s->dirfd, "files", AT_REMOVEDIR);
	empty_directory(s->dirfd, ".");
	if (made)
		(void)rmdir(s->dir);
}
