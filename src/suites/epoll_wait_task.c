/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads of epoll/wait: one epoll_wait and one read (oneshot: one re-arming) per event; one write per eventfd. */
#include "epoll_wait.h"

#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

int pg_epoll_watch_stop(const struct pg_epoll *e, size_t i)
{
	/* Level-triggered and never read: whoever takes it leaves it to the next. */
	struct epoll_event ev = {.events = EPOLLIN, .data.fd = e->stop_fd};

	return epoll_ctl(e->queues[i].instance[0], EPOLL_CTL_ADD, e->stop_fd, &ev);
}

static uint32_t events_of(const struct pg_epoll_conf *conf)
{
	return EPOLLIN | (conf->trigger & PG_EPOLL_EDGE ? (uint32_t)EPOLLET : 0) |
	       (conf->trigger & PG_EPOLL_ONESHOT ? (uint32_t)EPOLLONESHOT : 0);
}

static int prepare(struct pg_worker *w, struct pg_epoll *e)
{
	const size_t q = e->conf->queue ? w->index : 0;
	struct pg_epoll_own *own = &e->own[w->index];
	struct pg_err err;

	if (pg_epoll_make_fds(w, e))
		return -1;
	if (e->conf->queue && pg_epoll_open_queue(e, q, &err))
		return pg_worker_fail(w, "%s", err.msg);
	if (e->conf->queue && pg_epoll_watch_stop(e, q))
		return pg_worker_fail_sys(w, "cannot watch an eventfd; raise /proc/sys/fs/epoll/max_user_watches");
	own->queue = e->queues[q].instance[0];
	for (size_t i = 0; i < own->n_fds; i++) {
		struct epoll_event ev = {.events = events_of(e->conf), .data.fd = own->fds[i]};

		if (epoll_ctl(own->queue, EPOLL_CTL_ADD, own->fds[i], &ev))
			return pg_worker_fail_sys(w,
						  "cannot watch eventfd %zu of %zu; raise "
						  "/proc/sys/fs/epoll/max_user_watches or lower fds",
						  i + 1, own->n_fds);
	}
	return 0;
}

/* Nothing came, or what came was gone. 0 = go on; -1 = failed. */
static int look_closer(struct pg_worker *w, struct pg_epoll_own *own, int n)
{
	if (n == 0) {
		own->empty_waits++;
		return 0;
	}
	return errno == EINTR ? 0 : pg_worker_fail_sys(w, "cannot wait for an event");
}

int pg_epoll_waiter(struct pg_worker *w, void *arg)
{
	struct pg_epoll *e = arg;
	struct pg_epoll_own *own = &e->own[w->index];
	const int timeout = e->conf->wait ? 0 : -1;
	const bool rearm = e->conf->trigger & PG_EPOLL_ONESHOT;
	const uint32_t events = events_of(e->conf);
	struct epoll_event ev;
	uint64_t count = 0, value;

	if (prepare(w, e))
		return -1;
	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	pg_period_begin(w, &e->period);
	for (;;) {
		const int n = epoll_wait(own->queue, &ev, 1, timeout);

		if (pg_epoll_stopped(w, e))
			break;
		if (n != 1) {
			if (look_closer(w, own, n))
				return -1;
			continue;
		}
		if (read(ev.data.fd, &value, sizeof(value)) == sizeof(value))
			count++;
		else if (errno == EAGAIN)
			own->empty_reads++;
		else if (errno != EINTR)
			return pg_worker_fail_sys(w, "cannot read an eventfd");
		ev.events = events;
		if (rearm && epoll_ctl(own->queue, EPOLL_CTL_MOD, ev.data.fd, &ev))
			return pg_worker_fail_sys(w, "cannot re-arm an eventfd");
	}
	w->slot->end_ns = pg_now_ns();
	w->slot->count = count;
	return 0;
}

static void shuffle(int *fds, size_t n, uint64_t *state)
{
	for (size_t i = n; i > 1; i--) {
		const size_t k = pg_epoll_below(state, i);
		const int fd = fds[i - 1];

		fds[i - 1] = fds[k];
		fds[k] = fd;
	}
}

static int write_rounds(struct pg_worker *w, struct pg_epoll *e, struct pg_epoll_own *own)
{
	int *const fds = own->share;
	const size_t n = own->n_share;
	const uint64_t one = 1;
	uint64_t state = e->seed + w->index * UINT64_C(0xd1b54a32d192ed03);

	while (!pg_epoll_stopped(w, e)) {
		if (e->conf->pattern)
			shuffle(fds, n, &state);
		for (size_t i = 0; i < n && !pg_epoll_stopped(w, e); i++) {
			if (write(fds[i], &one, sizeof(one)) == sizeof(one))
				w->slot->count++;
			else if (errno != EINTR && errno != EAGAIN)
				return pg_worker_fail_sys(w, "cannot write to an eventfd");
		}
		pg_epoll_rest(e, own);
	}
	return 0;
}

int pg_epoll_writer(struct pg_worker *w, void *arg)
{
	struct pg_epoll *e = arg;
	struct pg_epoll_own *own = &e->own[w->index];
	struct pg_err err;
	int r;

	/* Placement is the workers'; a writer runs where the process may. */
	if (e->conf->placement != PG_PLACE_FREE && pg_affinity_set(0, &e->home, &err))
		return pg_worker_fail(w, "%s", err.msg);
	if (pg_epoll_make_share(w, e))
		return -1;
	pg_worker_ready(w);
	if (pg_worker_hold(w)) /* from here on the share is filled */
		return -1;
	w->slot->start_ns = pg_now_ns(); /* no pg_period_begin(): the period is the workers' */
	r = write_rounds(w, e, own);
	w->slot->end_ns = pg_now_ns();
	return r;
}
