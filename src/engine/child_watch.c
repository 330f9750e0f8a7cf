/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting for a process: one poll over its end, its output, and the end of the background program.
 */
#include "engine/child_priv.h"

#include <errno.h>
#include <poll.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S      INT64_C(1000000000)
#define GRACE_NS      (2 * NS_PER_S) /* between TERM and KILL */
#define STOP_GRACE_NS NS_PER_S	     /* the same when the user waits for us */
#define KILL_WAIT_NS  (10 * NS_PER_S)

/* The end stands first: when it shows, the pipes hold everything that was written before it. */
enum { ON_END, ON_OUT, ON_ERR, ON_BG_END, ON_BG_ERR, ON_COUNT };

enum state { RUNNING, TERM_SENT, KILL_SENT };

struct watch {
	struct pg_child *c;
	const struct pg_proc *p;
	struct pg_end *end;
	enum state state;
	int64_t deadline; /* of the state; -1 = none */
	bool watch_stop;
	bool output; /* the pipes hold something at the end */
};

static void begin_end(struct watch *w, enum pg_end_cause cause, int64_t grace_ns)
{
	w->end->cause = cause;
	pg_tree_signal(w->p->pid, SIGTERM);
	w->state = TERM_SENT;
	w->deadline = pg_child_now(w->c) + grace_ns;
}

/* The time of the state is up. False: there is nothing more to be done. */
static bool expired(struct watch *w)
{
	switch (w->state) {
	case RUNNING:
		begin_end(w, PG_END_DEADLINE, GRACE_NS);
		return true;
	case TERM_SENT:
		pg_tree_signal(w->p->pid, SIGKILL);
		w->state = KILL_SENT;
		w->deadline = pg_child_now(w->c) + KILL_WAIT_NS;
		return true;
	case KILL_SENT:
		break;
	}
	w->end->cause = PG_END_LOST;
	return false;
}

static int wait_some(struct watch *w, struct pollfd *fds)
{
	struct timespec left, *timeout = NULL;
	int64_t ns;

	if (w->deadline >= 0) {
		ns = pg_since(w->deadline, pg_child_now(w->c));
		left.tv_sec = (time_t)(ns / NS_PER_S);
		left.tv_nsec = (long)(ns % NS_PER_S);
		timeout = &left;
	}
	return ppoll(fds, ON_COUNT, timeout, &w->c->mask);
}

static void drain_some(struct pg_drain *d, const struct pollfd *fd)
{
	if (fd->revents)
		pg_drain_read(d);
}

/* False when it will not end. */
static bool wait_for_end(struct watch *w)
{
	struct pg_child *c = w->c;
	struct pollfd fds[ON_COUNT] = {
		[ON_END] = {.fd = w->p->fd, .events = POLLIN},
		[ON_OUT] = {.fd = c->out.rd, .events = POLLIN},
		[ON_ERR] = {.fd = c->err.rd, .events = POLLIN},
		[ON_BG_END] = {.fd = c->background.pid > 0 ? c->background.fd : -1, .events = POLLIN},
		[ON_BG_ERR] = {.fd = c->bg.rd, .events = POLLIN},
	};

	for (;;) {
		int n;

		if (w->watch_stop && w->state == RUNNING && pg_child_stopped(c))
			begin_end(w, PG_END_STOP, STOP_GRACE_NS);
		n = wait_some(w, fds);
		if (n == 0 && !expired(w))
			return false;
		if (n <= 0)
			continue;
		if (fds[ON_END].revents) {
			w->output = fds[ON_OUT].revents || fds[ON_ERR].revents;
			return true;
		}
		drain_some(&c->out, &fds[ON_OUT]);
		drain_some(&c->err, &fds[ON_ERR]);
		drain_some(&c->bg, &fds[ON_BG_ERR]);
		if (fds[ON_BG_END].revents) {
			fds[ON_BG_END].fd = -1;
			if (w->state == RUNNING)
				begin_end(w, PG_END_BACKGROUND, GRACE_NS);
		}
	}
}

/* The group is killed while its leader's number is still ours, then the leader is reaped. */
static void reap(struct pg_proc *p, struct pg_end *end)
{
	kill(-p->pid, SIGKILL);
	while (wait4(p->pid, &end->status, 0, &end->ru) < 0 && errno == EINTR)
		;
	close(p->fd);
	p->pid = 0;
	p->fd = -1;
}

void pg_child_watch(struct pg_child *c, struct pg_proc *p, int64_t timeout_ns, bool watch_stop, struct pg_end *end)
{
	struct watch w = {.c = c, .p = p, .end = end, .deadline = -1, .watch_stop = watch_stop};
	bool ended;

	end->cause = PG_END_OWN;
	if (timeout_ns >= 0 && __builtin_add_overflow(end->t0, timeout_ns, &w.deadline))
		w.deadline = -1;
	ended = wait_for_end(&w);
	end->t1 = pg_child_now(c);
	if (!ended) {
		close(p->fd);
		p->pid = 0;
		return;
	}
	reap(p, end);
	if (c->background.pid == 0 && !pg_tree_empty()) {
		pg_kill_descendants();
		w.output = true;
	}
	if (w.output || c->background.pid > 0) {
		pg_drain_finish(&c->out);
		pg_drain_finish(&c->err);
	}
	pg_drain_end(&c->out);
	pg_drain_end(&c->err);
}

void pg_child_end_background(struct pg_child *c)
{
	struct pg_proc p = c->background;
	struct pg_end end = {.t0 = pg_child_now(c)};
	struct watch w = {.c = c, .p = &p, .end = &end, .deadline = -1};

	if (p.pid == 0)
		return;
	c->background.pid = 0;
	if (!pg_child_stopped(c))
		begin_end(&w, PG_END_STOP, GRACE_NS);
	else
		begin_end(&w, PG_END_STOP, STOP_GRACE_NS);
	if (wait_for_end(&w))
		reap(&p, &end);
	else
		close(p.fd);
	pg_drain_finish(&c->bg);
}
