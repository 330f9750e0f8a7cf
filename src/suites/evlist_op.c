/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One operation: open, map, enable, disable, close; a stamp between the phases. */
#include "evlist.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static size_t map_bytes(void)
{
	return (PG_EVLIST_PAGES + 1) * (size_t)sysconf(_SC_PAGESIZE);
}

static size_t copies(const struct pg_evlist *l)
{
	return l->n_events * l->conf->event_copies;
}

int pg_evlist_op_prepare(struct pg_evlist *l, struct pg_err *err)
{
	const size_t fds = copies(l) * l->n_cpus * l->tasks.n, buffers = l->conf->buffer ? l->tasks.n : l->n_cpus;

	if (fds > l->fds_cap) {
		int *more = realloc(l->fds, fds * sizeof(*more));

		if (!more)
			return pg_fail_nomem(err);
		l->fds = more;
		l->fds_cap = fds;
	}
	if (buffers > l->buffers_cap) {
		struct pg_evlist_buffer *more = realloc(l->buffers, buffers * sizeof(*more));

		if (!more)
			return pg_fail_nomem(err);
		l->buffers = more;
		l->buffers_cap = buffers;
	}
	memset(l->fds, 0xff, fds * sizeof(*l->fds));
	memset(l->buffers, 0, buffers * sizeof(*l->buffers));
	l->n_fds = fds;
	l->n_buffers = buffers;
	l->opened = 0;
	return 0;
}

/* A task that has ended since the target was looked at is left out. */
static int open_all(struct pg_evlist *l, struct pg_err *err)
{
	int *fd = l->fds;

	for (size_t i = 0; i < copies(l); i++) {
		const struct perf_event_attr attr = pg_evlist_attr(l, i);
		const struct pg_perf_event *e = &l->events[i % l->n_events];

		for (size_t c = 0; c < l->n_cpus; c++) {
			for (size_t t = 0; t < l->tasks.n; t++, fd++) {
				if (!pg_evlist_counts_on(e, l->cpus[c]))
					continue;
				*fd = pg_perf_open(&attr, l->tasks.ids[t], l->cpus[c]);
				if (*fd >= 0)
					l->opened++;
				else if (errno != ESRCH || l->tasks.ids[t] < 0)
					return pg_fail_sys(err,
							   "cannot open event %s (%zu are open); raise the limit of "
							   "open files (ulimit -n), or lower events or event_copies",
							   e->name, l->opened);
			}
		}
	}
	return l->opened ? 0 : pg_fail(err, PG_EFAILED, "every task of the target has ended; take one that stays");
}

static int map_one(struct pg_evlist *l, int fd, struct pg_evlist_buffer *b, struct pg_err *err)
{
	uint64_t id;

	if (!b->map) {
		b->map = mmap(NULL, map_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (b->map == MAP_FAILED) {
			b->map = NULL;
			return pg_fail_sys(err,
					   "cannot map a ring buffer of %zu bytes; raise kernel.perf_event_mlock_kb or "
					   "the limit of locked memory (ulimit -l)",
					   map_bytes());
		}
		b->leader = fd;
	} else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, b->leader)) {
		return pg_fail_sys(err, "cannot join a ring buffer of %s; take buffer per-cpu and events of one clock",
				   l->conf->events);
	}
	if (fcntl(fd, F_SETFL, O_RDONLY | O_NONBLOCK) || ioctl(fd, PERF_EVENT_IOC_ID, &id))
		return pg_fail_sys(err, "cannot prepare an event of %s", l->conf->events);
	return 0;
}

static int map_all(struct pg_evlist *l, struct pg_err *err)
{
	const size_t tasks = l->tasks.n;

	for (size_t i = 0; i < l->n_fds; i++) {
		struct pg_evlist_buffer *b = &l->buffers[l->conf->buffer ? i % tasks : i / tasks % l->n_cpus];

		if (l->fds[i] >= 0 && map_one(l, l->fds[i], b, err))
			return -1;
	}
	return 0;
}

int pg_evlist_op_init(struct pg_evlist *l, struct pg_err *err)
{
	if (l->conf->buffer)
		return 0;
	l->spots = calloc(l->n_cpus, sizeof(*l->spots));
	if (!l->spots)
		return pg_fail_nomem(err);
	for (size_t c = 0; c < l->n_cpus; c++)
		if (pg_cpuset_add(&l->spots[c], (unsigned)l->cpus[c]))
			return pg_fail_nomem(err);
	return pg_affinity_get(0, &l->home, err);
}

void pg_evlist_op_release(struct pg_evlist *l)
{
	for (size_t c = 0; l->spots && c < l->n_cpus; c++)
		pg_cpuset_release(&l->spots[c]);
	free(l->spots);
	pg_cpuset_release(&l->home);
}

/*
 * Does something to every event, CPU by CPU, from the CPU itself: what the ancestor does instead of interrupting the
 * others. A CPU that this task may not use is reached from afar. fn: 0 or -1 with errno.
 */
static int each_event(struct pg_evlist *l, int (*fn)(int *fd, unsigned long request), unsigned long request)
{
	const size_t tasks = l->tasks.n, row = l->n_cpus * tasks;
	int r = 0;

	for (size_t c = 0; r == 0 && c < l->n_cpus; c++) {
		if (l->spots)
			pg_affinity_set(0, &l->spots[c], NULL);
		for (size_t i = c * tasks; r == 0 && i < l->n_fds; i += row)
			for (size_t t = 0; r == 0 && t < tasks; t++)
				r = l->fds[i + t] >= 0 ? fn(&l->fds[i + t], request) : 0;
	}
	if (l->spots)
		pg_affinity_set(0, &l->home, NULL);
	return r;
}

static int control_one(int *fd, unsigned long request)
{
	return ioctl(*fd, request, 0);
}

static int close_one(int *fd, unsigned long request)
{
	(void)request;
	close(*fd);
	*fd = -1;
	return 0;
}

static int control_all(struct pg_evlist *l, unsigned long request, struct pg_err *err)
{
	if (each_event(l, control_one, request) == 0)
		return 0;
	return pg_fail_sys(err, "cannot %s an event of %s", request == PERF_EVENT_IOC_ENABLE ? "enable" : "disable",
			   l->conf->events);
}

void pg_evlist_op_close(struct pg_evlist *l)
{
	for (size_t i = 0; i < l->n_buffers; i++) {
		if (l->buffers[i].map)
			munmap(l->buffers[i].map, map_bytes());
		l->buffers[i].map = NULL;
	}
	if (l->n_fds > 0)
		each_event(l, close_one, 0);
	l->n_fds = l->n_buffers = 0;
}

int pg_evlist_op_run(struct pg_evlist *l, struct pg_err *err)
{
	int64_t stamp[PG_EVLIST_PHASES + 1];
	int r;

	stamp[PG_EV_OPEN] = pg_now_ns();
	r = open_all(l, err);
	stamp[PG_EV_MAP] = pg_now_ns();
	if (r == 0)
		r = map_all(l, err);
	stamp[PG_EV_ENABLE] = pg_now_ns();
	if (r == 0)
		r = control_all(l, PERF_EVENT_IOC_ENABLE, err);
	stamp[PG_EV_DISABLE] = pg_now_ns();
	if (r == 0)
		r = control_all(l, PERF_EVENT_IOC_DISABLE, err);
	stamp[PG_EV_CLOSE] = pg_now_ns();
	pg_evlist_op_close(l);
	stamp[PG_EVLIST_PHASES] = pg_now_ns();
	for (size_t p = 0; r == 0 && p < PG_EVLIST_PHASES; p++)
		l->phase_ns[p] += pg_since(stamp[p + 1], stamp[p]);
	return r;
}
