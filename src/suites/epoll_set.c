/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Eventfds and epoll instances of both benches, what they need of this machine, and the threads at work. */
#include "epoll.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define FD_BYTES 1024 /* kernel memory of an eventfd and its entry in an instance, rounded up */

const struct pg_choice pg_epoll_patterns[] = {{"sequential", NULL}, {"random", NULL}, {NULL, NULL}};

/* Entries that instances of this user may have; UINT64_MAX where the kernel does not say. */
static uint64_t max_watches(const char *root)
{
	char path[4096];
	unsigned long long max;
	FILE *f;
	int n;

	if ((size_t)snprintf(path, sizeof(path), "%s/proc/sys/fs/epoll/max_user_watches", root) >= sizeof(path))
		return UINT64_MAX;
	f = fopen(path, "re");
	if (!f)
		return UINT64_MAX;
	n = fscanf(f, "%llu", &max);
	fclose(f);
	return n == 1 ? max : UINT64_MAX;
}

int pg_epoll_probe(const struct pg_epoll_conf *conf, const struct pg_probe_env *env, uint64_t writers, uint64_t queues,
		   struct pg_need *need, struct pg_err *err)
{
	const uint64_t fds = conf->threads * conf->fds, watches = fds + queues * (1 + conf->nesting);
	const uint64_t allowed = max_watches(env->root);

	need->tasks = conf->threads + writers;
	need->descriptors = fds + queues * (1 + conf->nesting) + (writers > 0);
	need->bytes = need->tasks * pg_crew_task_bytes(true, 0) + need->descriptors * FD_BYTES;
	if (watches > allowed)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "threads x fds needs %llu watches, /proc/sys/fs/epoll/max_user_watches allows %llu; "
			       "raise it or lower threads or fds",
			       (unsigned long long)watches, (unsigned long long)allowed);
	return pg_place_lenient_probe(conf->placement, env->topo, err);
}

int pg_epoll_setup(struct pg_run *run, size_t writers, size_t queues, struct pg_err *err)
{
	const struct pg_epoll_conf *conf = run->conf;
	struct pg_epoll *e = aligned_alloc(64, sizeof(*e));
	size_t bytes;

	run->state = e;
	if (!e)
		return pg_fail_nomem(err);
	memset(e, 0, sizeof(*e));
	e->conf = conf;
	e->seed = run->seed;
	e->threads = conf->threads;
	e->writers = writers;
	e->stop_fd = -1;
	pg_cpuset_init(&e->home);
	bytes = (e->threads + writers) * sizeof(*e->own);
	e->own = aligned_alloc(64, bytes);
	e->queues = malloc(queues * sizeof(*e->queues));
	if (!e->own || !e->queues)
		return pg_fail_nomem(err);
	memset(e->own, 0, bytes);
	memset(e->queues, 0xff, queues * sizeof(*e->queues)); /* all -1 */
	e->n_queues = queues;
	return pg_affinity_get(0, &e->home, err);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void pg_epoll_close(struct pg_epoll *e)
{
	pg_period_end(&e->period);
	for (size_t i = 0; i < e->n_queues; i++)
		for (size_t k = 0; k < 5; k++)
			close_fd(&e->queues[i].instance[k]);
	for (size_t i = 0; e->own && i < e->threads + e->writers; i++) {
		for (size_t k = 0; k < e->own[i].n_fds; k++)
			close(e->own[i].fds[k]);
		free(e->own[i].fds);
		free(e->own[i].share);
		memset(&e->own[i], 0, sizeof(e->own[i]));
	}
	close_fd(&e->stop_fd);
}

void pg_epoll_teardown(struct pg_run *run)
{
	struct pg_epoll *e = run->state;

	if (!e)
		return;
	pg_epoll_close(e);
	pg_cpuset_release(&e->home);
	free(e->queues);
	free(e->own);
	free(e);
	run->state = NULL;
}

int pg_epoll_make_fds(struct pg_worker *w, struct pg_epoll *e)
{
	struct pg_epoll_own *own = &e->own[w->index];
	const size_t n = e->conf->fds;

	/* Whole cache lines, so that no two threads share one. */
	own->fds = aligned_alloc(64, (n * sizeof(*own->fds) + 63) / 64 * 64);
	if (!own->fds)
		return pg_worker_fail(w, "out of memory for %zu eventfds; lower fds or threads", n);
	for (own->n_fds = 0; own->n_fds < n; own->n_fds++) {
		const int fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);

		if (fd < 0)
			return pg_worker_fail_sys(w, "cannot create eventfd %zu of %zu; lower fds or threads",
						  own->n_fds + 1, n);
		if (pg_worker_told_to_stop(w)) {
			close(fd);
			return -1;
		}
		own->fds[own->n_fds] = fd;
	}
	return 0;
}

/* Writer k writes to every writers-th eventfd from the k-th on, counted through all threads. */
int pg_epoll_make_share(struct pg_worker *w, struct pg_epoll *e)
{
	struct pg_epoll_own *own = &e->own[w->index];
	const size_t all = e->threads * e->conf->fds, k = w->index - e->threads;
	const size_t n = (all - k + e->writers - 1) / e->writers;
	const size_t bytes = (n * sizeof(*own->share) + 63) / 64 * 64;

	own->share = aligned_alloc(64, bytes);
	if (!own->share)
		return pg_worker_fail(w, "out of memory for %zu eventfds of a writer; lower fds or threads", n);
	memset(own->share, 0xff, bytes); /* first touched here, no descriptor yet */
	own->n_share = n;
	return 0;
}

/* By the main task, when all workers are ready and so all eventfds are there: fills the writers' shares. */
static void deal(void *arg)
{
	struct pg_epoll *e = arg;

	for (size_t k = 0; k < e->writers; k++) {
		const struct pg_epoll_own *own = &e->own[e->threads + k];

		for (size_t i = 0; i < own->n_share; i++) {
			const size_t at = k + i * e->writers;

			own->share[i] = e->own[at / e->conf->fds].fds[at % e->conf->fds];
		}
	}
}

int pg_epoll_open_queue(struct pg_epoll *e, size_t i, struct pg_err *err)
{
	int *instance = e->queues[i].instance;

	for (uint64_t k = 0; k <= e->conf->nesting; k++) {
		struct epoll_event ev = {.events = EPOLLIN};

		instance[k] = epoll_create1(EPOLL_CLOEXEC);
		if (instance[k] < 0)
			return pg_fail_sys(err, "cannot create an epoll instance; raise the limit of open files "
						"(ulimit -n) or lower threads");
		if (k > 0 && epoll_ctl(instance[k - 1], EPOLL_CTL_ADD, instance[k], &ev))
			return pg_fail_sys(err,
					   "cannot nest epoll instance %llu; raise /proc/sys/fs/epoll/max_user_watches "
					   "or lower nesting",
					   (unsigned long long)k);
	}
	return 0;
}

void pg_epoll_rest(const struct pg_epoll *e, struct pg_epoll_own *own)
{
	const int64_t ns = e->conf->loop_sleep;
	const struct timespec nap = {.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
	int64_t start;

	if (ns == 0)
		return;
	start = pg_now_ns();
	nanosleep(&nap, NULL);
	own->slept_ns += pg_since(pg_now_ns(), start);
	own->rests++;
}

/* Whoever waits for an event gets one. */
static int wake(void *arg, struct pg_err *err)
{
	const struct pg_epoll *e = arg;
	const uint64_t one = 1;

	while (e->stop_fd >= 0 && write(e->stop_fd, &one, sizeof(one)) != sizeof(one))
		if (errno != EINTR)
			return pg_fail_sys(err, "cannot wake the threads at the end");
	return 0;
}

int pg_epoll_run(struct pg_epoll *e, const struct pg_run *run, int (*body)(struct pg_worker *, void *),
		 int (*writer)(struct pg_worker *, void *), struct pg_period_span *span, struct pg_err *err)
{
	const struct pg_period_plan plan = {
		.crew = {.n = e->threads + e->writers,
			 .threads = true,
			 .placement = e->conf->placement,
			 .root = run->root},
		.workers = e->threads,
		.runtime_ns = e->conf->runtime,
		.body = body,
		.helper = writer,
		.ready = deal,
		.wake = wake,
		.arg = e,
	};

	return pg_period_run(&e->period, &plan, span, err);
}
