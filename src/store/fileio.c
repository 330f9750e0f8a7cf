/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Temporary name and rename; whole files read. The temporary name holds the process id, so that `tables` beside a run
 * that refreshes the same files does not write into its temporary file.
 */
#include "store/fileio.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/err.h"
#include "base/str.h"

#define SYS_FILE_MAX ((size_t)1 << 20)

static int fail_write(const struct pg_out *o, struct pg_err *err)
{
	int saved = o->failed;

	errno = saved;
	pg_fail_sys(err, "cannot write '%s'", o->name);
	if (err)
		err->code = PG_EWRITE;
	return -1;
}

int pg_out_open(struct pg_out *o, int dirfd, const char *name, struct pg_err *err)
{
	o->dirfd = dirfd;
	o->fd = -1;
	o->failed = 0;
	if (strlen(name) > PG_FILE_NAME_MAX) {
		snprintf(o->name, sizeof(o->name), "%.60s...", name);
		o->failed = ENAMETOOLONG;
		return fail_write(o, err);
	}
	snprintf(o->name, sizeof(o->name), "%s", name);
	snprintf(o->tmp, sizeof(o->tmp), ".%s.%d.tmp", o->name, (int)getpid());
	for (int tries = 0; tries < 2 && o->fd < 0; tries++) {
		o->fd = openat(dirfd, o->tmp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (o->fd < 0 && errno == EEXIST)
			(void)unlinkat(dirfd, o->tmp, 0); /* of an earlier process with our number */
	}
	if (o->fd >= 0)
		return 0;
	o->failed = errno;
	return fail_write(o, err);
}

int pg_write_all(int fd, const char *s, size_t n)
{
	while (n) {
		ssize_t k = write(fd, s, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return -1;
		s += k;
		n -= (size_t)k;
	}
	return 0;
}

void pg_out_write(struct pg_out *o, const char *s, size_t n)
{
	if (!o->failed && pg_write_all(o->fd, s, n) != 0)
		o->failed = errno;
}

int pg_out_commit(struct pg_out *o, bool sync, struct pg_err *err)
{
	if (!o->failed && sync && fsync(o->fd) != 0)
		o->failed = errno;
	/* Some file systems tell only here that there was no room. */
	if (close(o->fd) != 0 && !o->failed && errno != EINTR)
		o->failed = errno;
	o->fd = -1;
	if (!o->failed && renameat(o->dirfd, o->tmp, o->dirfd, o->name) != 0)
		o->failed = errno;
	if (o->failed) {
		(void)unlinkat(o->dirfd, o->tmp, 0);
		return fail_write(o, err);
	}
	if (sync)
		(void)fsync(o->dirfd);
	return 0;
}

void pg_out_abort(struct pg_out *o)
{
	if (o->fd < 0)
		return;
	close(o->fd);
	o->fd = -1;
	(void)unlinkat(o->dirfd, o->tmp, 0);
}

int pg_file_put(int dirfd, const char *name, const char *s, size_t n, struct pg_err *err)
{
	struct pg_out o;

	if (pg_out_open(&o, dirfd, name, err) != 0)
		return -1;
	pg_out_write(&o, s, n);
	return pg_out_commit(&o, true, err);
}

/* ---- a file by its path ---- */

static int fail_path(struct pg_err *err, const char *path, int error)
{
	return pg_fail(err, PG_EUSAGE, "cannot write '%s': %s; give another file", path, strerror(error));
}

/* Where a link that leads to nothing leads to: its own text, from its own directory. */
static char *dangling(const char *path)
{
	const char *slash = strrchr(path, '/');
	char to[PATH_MAX], *full = NULL;
	ssize_t n = readlink(path, to, sizeof(to) - 1);

	if (n <= 0)
		return NULL;
	to[n] = '\0';
	if (to[0] == '/' || !slash)
		return strdup(to);
	if (asprintf(&full, "%.*s/%s", (int)(slash - path), path, to) < 0)
		return NULL;
	return full;
}

/* The path without links in its last part; malloc'ed, NULL with errno. */
static char *target_of(const char *path)
{
	char *real, *next;
	struct stat st;

	/* A pipe behind /dev/stdout or /dev/fd/N has no path of its own. */
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return strdup(path);
	real = realpath(path, NULL);
	if (real || errno != ENOENT)
		return real;
	if (lstat(path, &st) != 0 || !S_ISLNK(st.st_mode))
		return strdup(path);
	next = dangling(path);
	/* Once: a link to a link that leads to nothing is no place that anybody means. */
	if (next && lstat(next, &st) == 0) {
		free(next);
		errno = ELOOP;
		return NULL;
	}
	return next;
}

/* What results are made from: nothing can bring it back. `dir`: where the file lies or shall lie. */
static bool is_of_run(int dir, const char *name)
{
	static const char *const own[] = {"run.json", "journal.jsonl", "env.json", "plan.csv"};
	bool of_run = faccessat(dir, "run.json", F_OK, AT_SYMLINK_NOFOLLOW) == 0;
	struct stat here, files;

	for (size_t i = 0; of_run && i < sizeof(own) / sizeof(*own); i++)
		if (strcmp(name, own[i]) == 0)
			return true;
	return faccessat(dir, "../run.json", F_OK, AT_SYMLINK_NOFOLLOW) == 0 && fstat(dir, &here) == 0 &&
	       fstatat(dir, "../files", &files, 0) == 0 && here.st_dev == files.st_dev && here.st_ino == files.st_ino;
}

/* Into what is no regular file. A named pipe that nobody reads would be waited for without a word. */
static int open_special(struct pg_path_out *o, const char *target, struct pg_err *err)
{
	int flags;

	o->special = true;
	o->out.fd = open(target, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (o->out.fd < 0 && errno == ENXIO)
		return pg_fail(err, PG_EUSAGE, "cannot write '%s': nothing reads from it; start its reader first",
			       o->path);
	if (o->out.fd < 0)
		return fail_path(err, o->path, errno);
	flags = fcntl(o->out.fd, F_GETFL);
	if (flags >= 0)
		(void)fcntl(o->out.fd, F_SETFL, flags & ~O_NONBLOCK);
	return 0;
}

static bool is_writable(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

/*
 * The descriptor of this process that the path means: standard output or error, by whatever name, or /dev/fd/N. -1 =
 * none. Who wrote `>>log` wants what is in the log to stay, and what comes behind it to follow.
 */
static int own_descriptor(const char *path, const struct stat *st)
{
	static const char *const dirs[] = {"/dev/fd/", "/proc/self/fd/"};
	struct stat own;

	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &own) == 0 && own.st_dev == st->st_dev && own.st_ino == st->st_ino && is_writable(fd))
			return fd;
	for (size_t i = 0; i < sizeof(dirs) / sizeof(*dirs); i++) {
		size_t n = strlen(dirs[i]);
		char *end;
		long fd;

		if (strncmp(path, dirs[i], n) != 0 || path[n] < '0' || path[n] > '9')
			continue;
		fd = strtol(path + n, &end, 10);
		if (!*end && fd <= INT_MAX && is_writable((int)fd))
			return (int)fd;
	}
	return -1;
}

static int open_own(struct pg_path_out *o, int fd, struct pg_err *err)
{
	o->special = true;
	o->out.fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	return o->out.fd < 0 ? fail_path(err, o->path, errno) : 0;
}

/* st: of the target, NULL where there is none. */
static int open_target(struct pg_path_out *o, char *target, const struct stat *st, struct pg_err *err)
{
	char *slash = strrchr(target, '/');
	const char *name = slash ? slash + 1 : target;
	int fd = st ? own_descriptor(o->path, st) : -1;

	if (st && S_ISDIR(st->st_mode))
		return fail_path(err, o->path, EISDIR);
	if (fd >= 0)
		return open_own(o, fd, err);
	if (st && !S_ISREG(st->st_mode))
		return open_special(o, target, err);
	/* A rename would not ask. */
	if (st && faccessat(AT_FDCWD, target, W_OK, AT_EACCESS) != 0)
		return fail_path(err, o->path, errno);
	if (!*name)
		return *target ? pg_fail(err, PG_EUSAGE, "'%s' is a directory that is not there; give a file", o->path)
			       : fail_path(err, o->path, ENOENT);
	if (slash)
		*slash = '\0';
	fd = open(!slash ? "." : *target ? target : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail_path(err, o->path, errno);
	if (is_of_run(fd, name)) {
		close(fd);
		return pg_fail(err, PG_EUSAGE, "'%s' is what a run's results are made from; give another file",
			       o->path);
	}
	if (pg_out_open(&o->out, fd, name, err) != 0) {
		close(fd);
		return fail_path(err, o->path, o->out.failed);
	}
	if (st)
		(void)fchmod(o->out.fd, st->st_mode & 0777);
	return 0;
}

int pg_path_out_open(struct pg_path_out *o, const char *path, struct pg_err *err)
{
	char *target = target_of(path);
	struct stat st;
	int result;

	memset(o, 0, sizeof(*o));
	o->path = path;
	o->out.fd = o->out.dirfd = -1;
	if (!target)
		return errno == ENOMEM ? pg_fail_nomem(err) : fail_path(err, path, errno);
	result = open_target(o, target, stat(target, &st) == 0 ? &st : NULL, err);
	free(target);
	return result;
}

void pg_path_out_write(struct pg_path_out *o, const char *s, size_t n)
{
	pg_out_write(&o->out, s, n);
}

int pg_path_out_commit(struct pg_path_out *o, struct pg_err *err)
{
	int result = 0;

	if (!o->special)
		result = pg_out_commit(&o->out, true, err);
	else if (close(o->out.fd) != 0 && !o->out.failed && errno != EINTR)
		o->out.failed = errno;
	if (!o->special)
		close(o->out.dirfd);
	if (o->out.failed)
		result = pg_fail(err, PG_EWRITE, "cannot write '%s': %s; make room, or give another file", o->path,
				 strerror(o->out.failed));
	o->out.fd = -1;
	return result;
}

void pg_path_out_abort(struct pg_path_out *o)
{
	if (o->out.fd < 0)
		return;
	if (o->special)
		close(o->out.fd);
	else
		pg_out_abort(&o->out);
	if (!o->special)
		close(o->out.dirfd);
	o->out.fd = -1;
}

/* ---- reading ---- */

/* 0, -1 with errno; EFBIG beyond the limit. */
static int read_fd(int fd, size_t limit, struct pg_str *out)
{
	size_t total = 0;

	for (;;) {
		char buf[16384];
		ssize_t k = read(fd, buf, sizeof(buf));

		if (k < 0 && errno == EINTR)
			continue;
		if (k <= 0)
			return k < 0 ? -1 : 0;
		total += (size_t)k;
		if (total > limit) {
			errno = EFBIG;
			return -1;
		}
		pg_str_add(out, buf, (size_t)k);
		if (out->failed) {
			errno = ENOMEM;
			return -1;
		}
	}
}

int pg_file_get(int dirfd, const char *name, size_t limit, struct pg_str *out, struct pg_err *err)
{
	/* Non-blocking: a FIFO in a file's place must not hang us. */
	int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int result = 0;

	if (fd < 0)
		return pg_fail_sys(err, "cannot open '%s'", name);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode))
		result = pg_fail(err, PG_EINPUT, "'%s' is no regular file", name);
	else if (read_fd(fd, limit, out) != 0)
		result = pg_fail_sys(err, "cannot read '%s'", name);
	close(fd);
	return result;
}

bool pg_sys_get(const char *root, const char *path, struct pg_str *out)
{
	struct pg_str full;
	size_t start = out->len;
	int fd = -1;
	bool ok = false;

	pg_str_init(&full);
	pg_str_adds(&full, root);
	pg_str_adds(&full, path);
	if (!full.failed)
		fd = open(full.s, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0)
		ok = read_fd(fd, SYS_FILE_MAX, out) == 0;
	if (fd >= 0)
		close(fd);
	pg_str_release(&full);
	if (!ok)
		return false;
	while (out->len > start && (out->s[out->len - 1] == '\n' || out->s[out->len - 1] == '\0'))
		out->s[--out->len] = '\0';
	return true;
}

/* ".NAME.PID.tmp" of a process that is no more? */
static bool stale(const char *name)
{
	size_t n = strlen(name), dot;
	long pid = 0;

	if (n < 7 || name[0] != '.' || strcmp(name + n - 4, ".tmp") != 0)
		return false;
	for (dot = n - 5; dot > 0 && name[dot] != '.'; dot--)
		if (name[dot] < '0' || name[dot] > '9' || n - dot > 14)
			return false;
	if (dot == 0 || dot == n - 5)
		return false;
	pid = strtol(name + dot + 1, NULL, 10);
	return pid > 0 && (pid == (long)getpid() || (kill((pid_t)pid, 0) != 0 && errno == ESRCH));
}

void pg_tmp_sweep(int dirfd)
{
	int fd = openat(dirfd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;

	if (!d) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((e = readdir(d)))
		if (stale(e->d_name))
			(void)unlinkat(dirfd, e->d_name, 0);
	closedir(d);
}
