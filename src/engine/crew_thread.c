/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workers that are threads. They share the descriptors of the main task, so a peer's failure is no end of file for
 * them: they are told to stop and interrupted until they have.
 */
#include "engine/crew_priv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define REASON_BYTES 16384     /* for putting a reason into words */
#define JOIN_NS	     100000000 /* between two looks for failed threads */
#define PROD_NS	     1000000
#define PROD_SIGNAL  SIGUSR1

size_t pg_crew_stack_bytes(size_t stack_bytes)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const long min = sysconf(_SC_THREAD_STACK_MIN);
	size_t need = (min > 0 ? (size_t)min : (size_t)PTHREAD_STACK_MIN) + REASON_BYTES + stack_bytes;

#ifdef PG_SANITIZED
	need += (size_t)1 << 19;
#endif
	return (need + page - 1) / page * page;
}

uint64_t pg_crew_task_bytes(bool threads, size_t stack_bytes)
{
	/* Kernel stack and task; for a process also page tables and the pages that it copies when it runs. */
	if (threads)
		return 32768 + pg_crew_stack_bytes(stack_bytes);
	return 196608;
}

int pg_crew_thread_open(struct pg_crew *c, struct pg_err *err)
{
	c->plain_clock = pg_clock_plain;
	c->threads = calloc(c->opts.n, sizeof(*c->threads));
	c->alive = calloc(c->opts.n, sizeof(*c->alive));
	return c->threads && c->alive ? 0 : pg_fail_nomem(err);
}

static void *thread_main(void *arg)
{
	struct pg_worker *w = arg;

	pg_clock_plain = w->crew->plain_clock;
	pg_worker_run(w);
	return NULL;
}

int pg_crew_thread_start(struct pg_crew *c, struct pg_worker *w)
{
	pthread_attr_t attr;
	int e = pthread_attr_init(&attr);

	if (e)
		return e;
	e = pthread_attr_setstacksize(&attr, pg_crew_stack_bytes(c->opts.stack_bytes));
	if (e == 0)
		e = pthread_create(&c->threads[w->index], &attr, thread_main, w);
	pthread_attr_destroy(&attr);
	c->alive[w->index] = e == 0;
	return e;
}

static void joined(struct pg_crew *c, size_t i)
{
	c->alive[i] = false;
	c->left--;
	pg_crew_note_end(c, i, 0);
}

int pg_crew_thread_collect(struct pg_crew *c)
{
	struct timespec until;

	while (c->next < c->started && !c->alive[c->next])
		c->next++;
	if (c->next == c->started)
		return 0;
	/* The wall clock is the only one this call has; a step of it can only delay the look for failures. */
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += JOIN_NS;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	if (pthread_timedjoin_np(c->threads[c->next], NULL, &until))
		return 0;
	joined(c, c->next);
	return 1;
}

static void prod(int sig)
{
	(void)sig;
}

/* A signal without SA_RESTART ends a blocking call with EINTR; one that comes just before the call is lost, hence again
 * and again. */
void pg_crew_thread_end(struct pg_crew *c)
{
	const struct sigaction sa = {.sa_handler = prod};
	const struct timespec nap = {.tv_nsec = PROD_NS};
	struct sigaction old;

	sigaction(PROD_SIGNAL, &sa, &old);
	atomic_store(&c->gate->state, PG_GATE_END);
	pg_futex_wake_all(&c->gate->state);
	while (c->left > 0) {
		for (size_t i = 0; i < c->started; i++) {
			if (!c->alive[i])
				continue;
			if (pthread_tryjoin_np(c->threads[i], NULL) == 0)
				joined(c, i);
			else
				pthread_kill(c->threads[i], PROD_SIGNAL);
		}
		if (c->left > 0)
			nanosleep(&nap, NULL);
	}
	sigaction(PROD_SIGNAL, &old, NULL);
}
