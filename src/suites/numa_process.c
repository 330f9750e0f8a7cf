/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A worker process: its area, its threads, and after their work the count of its pages by node. Whatever goes wrong in
 * it ends it as a whole, so that nobody waits for a thread that will not come.
 */
#include "suites/numa.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void pg_numa_process_fail(struct pg_numa_process *p, const struct pg_numa_thread *t, const struct pg_err *err)
{
	/* Another one is speaking; it ends this one too. */
	while (atomic_exchange(&p->failed, 1))
		pause();
	if (t)
		pg_worker_fail(p->w, "thread %llu: %s", (unsigned long long)t->index + 1, err->msg);
	else
		pg_worker_fail(p->w, "%s", err->msg);
	pg_exit_child(1);
}

static void make_area(struct pg_numa_process *p)
{
	const struct pg_numa_conf *conf = p->m->conf;
	uint64_t random = pg_numa_seed(p->m->seed, p->m->tasks + p->index);
	struct pg_err err;

	if (pg_numa_bind_touch(p->m, p->index * conf->threads, &err))
		pg_numa_process_fail(p, NULL, &err);
	if (pg_numa_area_map(&p->area, conf->process_size, conf->transparent_huge_pages, p->m->root, &err)) {
		pg_err_wrap(&err, "process_size");
		pg_numa_process_fail(p, NULL, &err);
	}
	pg_numa_area_fill(&p->area, conf->fill, &random);
}

static void start_threads(struct pg_numa_process *p, pthread_t *ids, struct pg_numa_thread *threads)
{
	const uint64_t n = p->m->conf->threads;
	pthread_attr_t attr;
	struct pg_err err;
	int e = pthread_attr_init(&attr);

	if (e == 0)
		e = pthread_attr_setstacksize(&attr, pg_crew_stack_bytes(PG_NUMA_STACK));
	for (uint64_t i = 0; i < n; i++) {
		threads[i] = (struct pg_numa_thread){.p = p, .index = i};
		if (e == 0)
			e = pthread_create(&ids[i], &attr, pg_numa_task, &threads[i]);
		if (e == 0)
			continue;
		errno = e;
		pg_fail_sys(&err,
			    "could start %llu of %llu threads; lower threads or raise the limit of processes (ulimit "
			    "-u, pids.max of the cgroup)",
			    (unsigned long long)i, (unsigned long long)n);
		pg_numa_process_fail(p, NULL, &err);
	}
	pthread_attr_destroy(&attr);
}

/* Pages of a task's own areas: those of its process, counted once for all, and those of its thread. */
static void locate(const struct pg_numa_process *p, uint64_t *process_on, uint64_t *thread_on)
{
	const struct pg_numa *m = p->m;

	pg_numa_area_locate(&p->area, process_on, m->nodes);
	for (uint64_t i = 0; i < m->conf->threads; i++) {
		struct pg_numa_result *r = &m->result[p->index * m->conf->threads + i];
		const int32_t node = atomic_load(&r->node);
		const int near = node >= 0 && (size_t)node < m->nodes ? m->near[node] : -1;

		memset(thread_on, 0, m->nodes * sizeof(*thread_on));
		pg_numa_area_locate(&p->own[i], thread_on, m->nodes);
		for (size_t k = 0; k < m->nodes; k++)
			r->pages += process_on[k] + thread_on[k];
		if (near >= 0)
			r->local_pages += process_on[near] + thread_on[near];
	}
}

/* Tells the main task that this process has come to the end of a stage, and waits for the next one. */
static void next_stage(struct pg_numa_shared *s, _Atomic uint32_t *done, enum pg_numa_stage stage)
{
	uint32_t seen;

	atomic_fetch_add(done, 1);
	pg_futex_wake_all(done);
	while ((seen = atomic_load(&s->stage)) < (uint32_t)stage)
		pg_futex_wait(&s->stage, seen, -1);
}

int pg_numa_process(struct pg_worker *w, void *arg)
{
	const struct pg_numa *m = arg;
	const uint64_t n = m->conf->threads;
	struct pg_numa_process p = {.w = w, .m = m, .index = w->index, .plain_clock = pg_clock_plain};
	struct pg_numa_thread *threads = calloc(n, sizeof(*threads));
	uint64_t *on = calloc(2 * m->nodes, sizeof(*on));
	pthread_t *ids = calloc(n, sizeof(*ids));

	p.own = calloc(n, sizeof(*p.own));
	if (!threads || !on || !ids || !p.own)
		return pg_worker_fail(w, "out of memory for %llu threads; take fewer", (unsigned long long)n);
	pthread_mutex_init(&p.lock, NULL);
	make_area(&p);
	start_threads(&p, ids, threads);
	for (uint64_t i = 0; i < n; i++)
		pthread_join(ids[i], NULL);
	next_stage(m->shared, &m->shared->stopped, PG_NUMA_LOCATE);
	locate(&p, on, on + m->nodes);
	next_stage(m->shared, &m->shared->located, PG_NUMA_LEAVE);
	/* The end of the process, which frees everything, belongs to the ancestor's time. */
	return 0;
}
