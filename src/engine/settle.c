/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/settle.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"

#define FIRST_NAP_NS 20000
#define LAST_NAP_NS  1000000
#define SLICE_NS     INT64_C(100000000) /* of a rest, between two questions */

enum look { LOOK_AWAKE, LOOK_ASLEEP, LOOK_ENDED, LOOK_BLIND };

/* Reads a short file of a task as text; -1 with errno. */
static int read_file(const struct pg_settle *s, const struct pg_sleeper *t, const char *name, char *buf, size_t size)
{
	char path[4096];
	ssize_t n;
	int fd;

	if (t->process)
		n = snprintf(path, sizeof(path), "%s/proc/%d/task/%d/%s", s->root, (int)t->process, (int)t->task, name);
	else
		n = snprintf(path, sizeof(path), "%s/proc/self/task/%d/%s", s->root, (int)t->task, name);
	if (n < 0 || (size_t)n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, buf, size - 1);
	close(fd);
	if (n < 0)
		return -1;
	buf[n] = '\0';
	return 0;
}

/* The state letter follows the name in parentheses, and the name may hold parentheses and blanks itself. */
static enum look look_state(const struct pg_settle *s, const struct pg_sleeper *t)
{
	char buf[1024], *end;

	if (read_file(s, t, "stat", buf, sizeof(buf)))
		return errno == ENOENT || errno == ESRCH ? LOOK_ENDED : LOOK_BLIND;
	end = strrchr(buf, ')');
	if (!end || end[1] != ' ') {
		errno = EBADMSG;
		return LOOK_BLIND;
	}
	switch (end[2]) {
	case 'S':
		return LOOK_ASLEEP;
	case 'Z':
	case 'X':
	case 'x':
		return LOOK_ENDED;
	default:
		return LOOK_AWAKE;
	}
}

/* "running", or "NUMBER 0xFIRST 0xSECOND ..." of a task that was off its CPU for the whole look. */
static bool is_in_call(const struct pg_settle *s, const struct pg_sleeper *t)
{
	char buf[256], *end;
	long call;

	if (t->call < 0 || read_file(s, t, "syscall", buf, sizeof(buf)))
		return true;
	call = strtol(buf, &end, 10);
	if (end == buf || call != t->call)
		return false;
	return !t->at || strtoull(end, NULL, 16) == (uintptr_t)t->at;
}

static enum look look(const struct pg_settle *s, const struct pg_sleeper *t)
{
	const enum look seen = look_state(s, t);

	return seen == LOOK_ASLEEP && !is_in_call(s, t) ? LOOK_AWAKE : seen;
}

/* The first task from `from` on that is not asleep; n = none. */
static size_t first_awake(const struct pg_settle *s, size_t from, enum look *seen)
{
	for (; from < s->n; from++) {
		*seen = look(s, &s->tasks[from]);
		if (*seen != LOOK_ASLEEP)
			break;
	}
	return from;
}

static int give_up(const struct pg_settle *s, size_t i, enum look seen, int sys, struct pg_err *err)
{
	const int task = (int)s->tasks[i].task;

	if (seen == LOOK_ENDED)
		return pg_fail(
			err, PG_EFAILED,
			"task %d (%zu of %zu) ended instead of falling asleep; see why it ended, or that /proc is "
			"mounted",
			task, i + 1, s->n);
	errno = sys;
	if (seen == LOOK_BLIND)
		return pg_fail_sys(
			err, "cannot see in /proc whether task %d (%zu of %zu) is asleep; mount /proc without hidepid",
			task, i + 1, s->n);
	return pg_fail(err, PG_EFAILED,
		       "task %d (%zu of %zu) was not seen asleep within %" PRId64
		       " ms; lower the number of tasks or the load of this machine",
		       task, i + 1, s->n, s->bound_ns / 1000000);
}

int pg_settle(const struct pg_settle *s, struct pg_err *err)
{
	const int64_t start = pg_now_ns();
	struct timespec nap = {.tv_nsec = FIRST_NAP_NS};
	enum look seen = LOOK_ASLEEP;
	size_t at = 0;
	int sys;
	bool whole = true; /* this pass began with the first task and met nobody awake */

	for (;;) {
		at = first_awake(s, at, &seen);
		sys = errno;
		if (at == s->n && whole)
			return 0;
		if (at == s->n) {
			at = 0;
			whole = true;
			continue;
		}
		whole = false;
		/* The reason of a worker that failed is better than that its task is gone. */
		if (s->check && s->check(s->ctx, err))
			return -1;
		if (seen != LOOK_AWAKE || pg_since(pg_now_ns(), start) >= s->bound_ns)
			return give_up(s, at, seen, sys, err);
		nanosleep(&nap, NULL);
		nap.tv_nsec = nap.tv_nsec < LAST_NAP_NS / 2 ? 2 * nap.tv_nsec : LAST_NAP_NS;
	}
}

int pg_settle_rest(int64_t ns, int (*check)(void *ctx, struct pg_err *err), void *ctx, struct pg_err *err)
{
	const int64_t until = pg_now_ns() + ns;
	int64_t left;

	while ((left = pg_since(until, pg_now_ns())) > 0) {
		const struct timespec t = {.tv_nsec = left < SLICE_NS ? left : SLICE_NS};

		nanosleep(&t, NULL);
		if (check && check(ctx, err))
			return -1;
	}
	return 0;
}
