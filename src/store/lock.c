/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One run per machine: flock on a file that is never written. Read-only descriptors suffice for flock, so the file of
 * another user serves as well.
 */
#include "store/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "store/fileio.h"

#define POLL_NS 50000000

int pg_lock_open(const char *path, int *fd)
{
	struct stat st;

	/* First without O_CREAT: in a sticky directory the kernel may refuse O_CREAT on a file of another user. */
	for (int tries = 0; tries < 3; tries++) {
		*fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (*fd >= 0 || errno != ENOENT)
			break;
		*fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (*fd >= 0)
			(void)fchmod(*fd, 0644); /* whatever the umask: other users must be able to open it */
		if (*fd >= 0 || errno != EEXIST)
			break;
	}
	if (*fd < 0)
		return -1;
	if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode))
		return 0;
	close(*fd);
	*fd = -1;
	errno = EINVAL;
	return -1;
}

/* Process that holds a flock on the file, by /proc/locks ("1: FLOCK  ADVISORY  WRITE 123 00:1a:5678 0 EOF"); 0 = not
 * known. */
static long holder(int fd)
{
	struct pg_str text;
	struct stat st;
	char *save = NULL;
	long pid = 0;

	pg_str_init(&text);
	if (fstat(fd, &st) == 0 && pg_sys_get("", "/proc/locks", &text) && text.s) {
		for (char *line = strtok_r(text.s, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
			unsigned maj, min;
			uint64_t inode;
			long who;

			if (sscanf(line, "%*u: FLOCK %*s %*s %ld %x:%x:%" SCNu64, &who, &maj, &min, &inode) == 4 &&
			    makedev(maj, min) == st.st_dev && inode == (uint64_t)st.st_ino && who > 0)
				pid = who;
		}
	}
	pg_str_release(&text);
	return pid;
}

static int busy(int fd, struct pg_err *err)
{
	long pid = holder(fd);

	if (pid)
		return pg_fail(err, PG_EBUSY,
			       "another run holds the lock (pid %ld); wait for it (--wait-lock 10min) or use --no-lock",
			       pid);
	return pg_fail(err, PG_EBUSY, "another run holds the lock; wait for it (--wait-lock 10min) or use --no-lock");
}

int pg_lock_take(int fd, int64_t wait_ns, const struct pg_clock *clock, struct pg_err *err)
{
	int64_t start = clock->mono(clock->ctx);

	if (fd < 0) {
		pg_fail(err, PG_OK,
			"the lock file can be neither opened nor made; nothing keeps a second run off this machine");
		return 0;
	}
	for (;;) {
		int64_t before, left, nap;

		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return pg_fail_sys(err, "cannot lock");
		before = clock->mono(clock->ctx);
		left = wait_ns - pg_since(before, start);
		if (left <= 0)
			return busy(fd, err);
		nap = left < POLL_NS ? left : POLL_NS;
		clock->sleep(clock->ctx, nap);
		/* A sleep that ended early (but for the rate of another clock) was ended by a signal: the user has
		 * waited enough. */
		if (clock->mono(clock->ctx) - before < nap - nap / 100)
			return pg_fail(err, PG_EBUSY, "interrupted while waiting for the lock of another run");
	}
}
