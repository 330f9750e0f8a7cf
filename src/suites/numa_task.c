/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A task: passes over the areas until its number of passes is done, the time is over or the processes have converged.
 * It looks at the clock once a mebibyte, in the middle of a pass too, and counts what it did of that pass: all tasks
 * end together, however large the areas are.
 */
#include "suites/numa.h"

#include <sched.h>

struct task {
	struct pg_numa_thread *thread;
	struct pg_numa_process *p;
	const struct pg_numa *m;
	const struct pg_numa_conf *conf;
	struct pg_numa_area *own;
	struct pg_numa_result *r;
	uint64_t index, random;
	int64_t deadline, next_perturb; /* INT64_MAX = never */
	/* Kept here and not in the result, whose cache lines others read. */
	uint64_t value, nominal, visited; /* words */
	uint64_t since;			  /* nominal words since the last look at the clock */
};

static void note_node(struct task *t)
{
	unsigned cpu, node;

	if (pg_numa_where(&cpu, &node))
		atomic_store_explicit(&t->r->node, (int32_t)node, memory_order_relaxed);
}

static void perturb(struct task *t, int64_t now)
{
	struct pg_err err;

	t->next_perturb = now + t->conf->perturb_interval;
	if (pg_numa_perturb(t->m, t->index, &err)) {
		pg_err_wrap(&err, "perturb_interval");
		pg_numa_process_fail(t->p, t->thread, &err);
	}
}

/* Between two slices: false = the task ends. */
static bool go_on(struct task *t)
{
	const int64_t now = pg_now_ns();

	t->since = 0;
	note_node(t);
	if (now >= t->deadline || atomic_load_explicit(&t->m->shared->stop, memory_order_relaxed))
		return false;
	if (now >= t->next_perturb)
		perturb(t, now);
	return true;
}

static bool work_on(struct task *t, const struct pg_numa_area *a, uint64_t words, const struct pg_numa_turn *turn)
{
	struct pg_numa_walk walk;
	struct pg_numa_span span;

	pg_numa_walk_begin(&walk, t->conf, words, turn);
	while (pg_numa_walk_next(&walk, &t->random, &span)) {
		t->value = pg_numa_visit(a->word + span.first, span.words, walk.back, t->conf->access, t->value);
		t->visited += span.words;
		t->nominal += span.nominal;
		t->since += span.nominal;
		if (t->since >= PG_NUMA_SLICE && !go_on(t))
			return false;
	}
	return true;
}

/* The clock is looked at before as well: the wait for the mutex may have been long. */
static bool work_locked(struct task *t, const struct pg_numa_turn *turn)
{
	bool on;

	pthread_mutex_lock(&t->p->lock);
	on = go_on(t) && work_on(t, &t->p->area, t->conf->locked_size / sizeof(uint64_t), turn);
	pthread_mutex_unlock(&t->p->lock);
	return on;
}

static bool pass(struct task *t, uint64_t number)
{
	const struct pg_numa_conf *conf = t->conf;
	const struct pg_numa_turn processes = {t->p->index, conf->processes, number};
	const struct pg_numa_turn threads = {t->thread->index, conf->threads, number};
	const struct pg_numa_turn alone = {0, 1, number};

	return work_on(t, &t->m->global, t->m->global.words, &processes) &&
	       work_on(t, &t->p->area, t->p->area.words, &threads) && work_on(t, t->own, t->own->words, &alone) &&
	       (conf->locked_size == 0 || work_locked(t, &threads));
}

/* Whoever stops all wakes those that sleep too. */
static bool nap(struct task *t)
{
	const int64_t until = pg_now_ns() + t->conf->loop_sleep;
	const int64_t end = until < t->deadline ? until : t->deadline;
	_Atomic uint32_t *stop = &t->m->shared->stop;

	for (int64_t now; atomic_load(stop) == 0 && (now = pg_now_ns()) < end;)
		pg_futex_wait(stop, 0, end - now);
	return go_on(t);
}

/* Without the start gate the first one to begin sets the end for all. */
static void set_deadline(struct task *t, int64_t start)
{
	const int64_t end = t->conf->runtime ? start + t->conf->runtime : INT64_MAX;
	int64_t set = 0;

	if (atomic_compare_exchange_strong(&t->m->shared->deadline, &set, end))
		set = end;
	t->deadline = set;
	t->next_perturb = INT64_MAX;
	if (t->conf->perturb_interval && t->index == 0)
		t->next_perturb = start + t->conf->perturb_interval;
}

static void work(struct task *t)
{
	const struct pg_numa_conf *conf = t->conf;
	const uint64_t loops = conf->loops.word < 0 ? conf->loops.n : UINT64_MAX;
	const int64_t start = pg_now_ns();
	uint64_t i = 0;

	set_deadline(t, start);
	while (i < loops && pass(t, i)) {
		i++;
		if (conf->loop_sleep && !nap(t))
			break;
	}
	t->r->start_ns = start;
	t->r->end_ns = pg_now_ns();
	note_node(t);
	t->r->passes = i;
	t->r->nominal = t->nominal * sizeof(uint64_t);
	t->r->visited = t->visited * sizeof(uint64_t);
	t->r->value = t->value;
}

static int prepare(struct task *t, struct pg_err *err)
{
	if (pg_numa_bind_touch(t->m, t->index, err))
		return -1;
	if (pg_numa_area_map(t->own, t->conf->thread_size, t->conf->transparent_huge_pages, t->m->root, err)) {
		pg_err_wrap(err, "thread_size");
		return -1;
	}
	pg_numa_area_fill(t->own, t->conf->fill, &t->random);
	return t->m->touch.on ? pg_numa_bind_task(t->m, t->index, err) : 0;
}

void *pg_numa_task(void *arg)
{
	struct pg_numa_thread *thread = arg;
	struct pg_numa_process *p = thread->p;
	struct task t = {.thread = thread, .p = p, .m = p->m, .conf = p->m->conf, .own = &p->own[thread->index]};
	struct pg_err err;

	pg_clock_plain = p->plain_clock;
	t.index = p->index * t.conf->threads + thread->index;
	t.r = &p->m->result[t.index];
	t.random = pg_numa_seed(p->m->seed, t.index);
	if (prepare(&t, &err))
		pg_numa_process_fail(p, thread, &err);
	if (atomic_fetch_add(&p->ready, 1) + 1 == t.conf->threads)
		pg_worker_ready(p->w);
	if (!t.conf->start_gate || pg_worker_hold(p->w) == 0)
		work(&t);
	return NULL;
}
