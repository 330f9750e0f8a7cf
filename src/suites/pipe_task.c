/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two tasks of sched/pipe: one write, one read (epoll: one wait before it) per turn; everything else is off the
 * fast path. */
#include "pipe.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

struct turn {
	struct pg_worker *w;
	int in, out;
	int epoll; /* -1 = blocking */
	char *buf;
	size_t size;
};

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void pg_pipe_keep_ends(struct pg_pipe *p, size_t t)
{
	close_end(&p->pipes[t][PG_PIPE_WRITE]);
	close_end(&p->pipes[1 - t][PG_PIPE_READ]);
}

void pg_pipe_close(struct pg_pipe *p)
{
	for (size_t t = 0; t < 2; t++) {
		close_end(&p->pipes[t][PG_PIPE_READ]);
		close_end(&p->pipes[t][PG_PIPE_WRITE]);
	}
}

/* O_NONBLOCK and no room: two large messages are under way. */
static int wait_room(const struct turn *t)
{
	struct pollfd room = {.fd = t->out, .events = POLLOUT};

	return poll(&room, 1, -1) < 0 && errno != EINTR ? pg_worker_fail_sys(t->w, "cannot wait for room in the pipe")
							: 0;
}

static int send_rest(const struct turn *t, ssize_t got)
{
	size_t done = 0;

	for (;;) {
		if (got >= 0)
			done += (size_t)got;
		else if (errno == EPIPE)
			return pg_worker_lost_peer(t->w, "the other task closed its pipe");
		else if (errno == EAGAIN && wait_room(t))
			return -1;
		else if (errno != EAGAIN && errno != EINTR)
			return pg_worker_fail_sys(t->w, "cannot write");
		if (done == t->size)
			return 0;
		if (pg_worker_told_to_stop(t->w))
			return -1;
		got = write(t->out, t->buf + done, t->size - done);
	}
}

static inline int send_one(const struct turn *t)
{
	const ssize_t got = write(t->out, t->buf, t->size);

	return got == (ssize_t)t->size ? 0 : send_rest(t, got);
}

static int wait_input(const struct turn *t)
{
	struct epoll_event ev;

	while (epoll_wait(t->epoll, &ev, 1, -1) < 0) {
		if (errno != EINTR)
			return pg_worker_fail_sys(t->w, "cannot wait for input");
		if (pg_worker_told_to_stop(t->w))
			return -1;
	}
	return 0;
}

static int receive_rest(const struct turn *t, ssize_t got)
{
	size_t done = 0;

	for (;;) {
		if (got > 0)
			done += (size_t)got;
		else if (got == 0)
			return pg_worker_lost_peer(t->w,
						   "end of file after %" PRIu64 " turns; the other task ended early",
						   t->w->slot->count);
		else if (errno != EAGAIN && errno != EINTR)
			return pg_worker_fail_sys(t->w, "cannot read");
		if (done == t->size)
			return 0;
		if (pg_worker_told_to_stop(t->w) || (t->epoll >= 0 && wait_input(t)))
			return -1;
		got = read(t->in, t->buf + done, t->size - done);
	}
}

static inline int receive_one(const struct turn *t)
{
	ssize_t got;

	if (t->epoll >= 0 && wait_input(t))
		return -1;
	got = read(t->in, t->buf, t->size);
	return got == (ssize_t)t->size ? 0 : receive_rest(t, got);
}

static int run_turns(const struct turn *t, uint64_t loops, bool writes_first)
{
	struct pg_slot *slot = t->w->slot;

	slot->start_ns = pg_now_ns();
	for (slot->count = 0; slot->count < loops; slot->count++) {
		if (writes_first && send_one(t))
			return -1;
		if (receive_one(t))
			return -1;
		if (!writes_first && send_one(t))
			return -1;
	}
	slot->end_ns = pg_now_ns();
	return 0;
}

static int open_epoll(struct turn *t)
{
	struct epoll_event ev = {.events = EPOLLIN};

	t->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (t->epoll < 0)
		return pg_worker_fail_sys(t->w,
					  "cannot create an epoll instance; raise the limit of open files (ulimit -n)");
	if (epoll_ctl(t->epoll, EPOLL_CTL_ADD, t->in, &ev))
		return pg_worker_fail_sys(t->w, "cannot watch the pipe; raise /proc/sys/fs/epoll/max_user_watches");
	return 0;
}

int pg_pipe_task(struct pg_worker *w, void *arg)
{
	struct pg_pipe *p = arg;
	struct turn t = {
		.w = w,
		.in = p->pipes[w->index][PG_PIPE_READ],
		.out = p->pipes[1 - w->index][PG_PIPE_WRITE],
		.epoll = -1,
		.buf = p->buffers + w->index * p->stride,
		.size = p->conf->size,
	};
	struct pg_err err;
	int r = -1;

	if (!p->conf->mode && !w->here)
		pg_pipe_keep_ends(p, w->index);
	if (p->conf->task_cgroups && pg_pipe_cgroup_enter(p, w->index, w->here ? &p->home : NULL, &err))
		return pg_worker_fail(w, "%s", err.msg);
	memset(t.buf, 0, t.size);
	if (p->conf->wait && open_epoll(&t))
		goto done;
	pg_worker_ready(w);
	if (pg_worker_hold(w) == 0)
		r = run_turns(&t, p->conf->loops, w->index == 1 || p->conf->tokens == 2);
done:
	if (t.epoll >= 0)
		close(t.epoll);
	return r;
}
