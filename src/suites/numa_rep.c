/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One rep of numa/mem: what all processes share, the start, the wait for the end, the numbers. The time has two parts:
 * gate open to all tasks stopped, and told to leave to the last process reaped; between them the processes count their
 * pages.
 */
#include "suites/numa.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LOOK_NS	    50000000 /* how often the main task looks for dead workers */
#define CONVERGE_NS 5000000  /* and whether the processes have converged */

static int map_shared(struct pg_numa *m, struct pg_err *err)
{
	void *p;

	m->shared_bytes = sizeof(*m->shared) + m->tasks * sizeof(*m->result);
	p = mmap(NULL, m->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return pg_fail_sys(err, "cannot map the results of %llu tasks; lower processes or threads",
				   (unsigned long long)m->tasks);
	m->shared = p;
	m->result = (struct pg_numa_result *)(void *)(m->shared + 1);
	return 0;
}

/* Where memory of each node's tasks lies, and where areas are touched first. */
static int find_nodes(struct pg_numa *m, struct pg_err *err)
{
	struct pg_memnodes nodes;
	int r = 0;

	if (pg_memnodes_load(m->root, &nodes, err))
		return -1;
	m->nodes = (size_t)nodes.ids[nodes.n - 1] + 1;
	m->near = malloc(m->nodes * sizeof(*m->near));
	if (!m->near)
		r = pg_fail_nomem(err);
	for (size_t i = 0; r == 0 && i < m->nodes; i++)
		m->near[i] = -1;
	for (size_t i = 0; r == 0 && i < nodes.n; i++)
		m->near[nodes.ids[i]] = pg_memnodes_nearest(&nodes, m->root, nodes.ids[i]);
	if (r == 0 && m->conf->first_touch == PG_NUMA_TOUCH_CPU0_NODE)
		r = pg_numa_touch_find(&m->touch, &nodes, &m->home.cpus, m->root, err);
	pg_memnodes_release(&nodes);
	return r;
}

/* The main task fills what is common to all, and is afterwards where it was. */
static int make_global(struct pg_numa *m, struct pg_err *err)
{
	uint64_t random = pg_numa_seed(m->seed, m->tasks + m->conf->processes);
	int r;

	if (pg_numa_area_map_shared(&m->global, m->conf->global_size, err))
		return -1;
	if (!m->touch.on) {
		pg_numa_area_fill(&m->global, m->conf->fill, &random);
		return 0;
	}
	r = pg_numa_bind_touch(m, 0, err);
	if (r == 0)
		pg_numa_area_fill(&m->global, m->conf->fill, &random);
	if (pg_numa_home_return(&m->home, r ? NULL : err))
		r = -1;
	return r;
}

int pg_numa_setup(struct pg_run *run, struct pg_err *err)
{
	const struct pg_numa_conf *conf = run->conf;
	struct pg_numa *m = calloc(1, sizeof(*m));
	const bool policies = conf->task_nodes || conf->first_touch == PG_NUMA_TOUCH_CPU0_NODE;

	run->state = m;
	if (!m)
		return pg_fail_nomem(err);
	m->conf = conf;
	m->root = run->root;
	m->seed = run->seed;
	m->tasks = conf->processes * conf->threads;
	if (map_shared(m, err) || pg_numa_home_read(&m->home, policies, err) || find_nodes(m, err))
		return -1;
	if (pg_place_load(&m->place, conf->placement, run->root, err))
		return -1;
	return make_global(m, err);
}

static bool converged(const struct pg_numa *m)
{
	const uint64_t n = m->conf->threads;

	for (uint64_t i = 0; i < m->tasks; i++) {
		const int32_t node = atomic_load_explicit(&m->result[i].node, memory_order_relaxed);

		if (node < 0 || node != atomic_load_explicit(&m->result[i / n * n].node, memory_order_relaxed))
			return false;
	}
	return true;
}

/* Until all processes have counted themselves on the word; -1 when one has ended instead. */
static int wait_for_all(struct pg_numa *m, _Atomic uint32_t *word, struct pg_err *err)
{
	uint32_t seen;

	while ((seen = atomic_load(word)) < m->conf->processes) {
		pg_futex_wait(word, seen, LOOK_NS);
		if (atomic_load(word) == seen && pg_crew_check(m->crew, err))
			return -1;
	}
	return 0;
}

/* Until the processes have converged or all have stopped; the stamp of the former, 0 = never. */
static int64_t wait_converged(struct pg_numa *m)
{
	struct pg_numa_shared *s = m->shared;
	uint32_t seen;

	while ((seen = atomic_load(&s->stopped)) < m->conf->processes && pg_crew_check(m->crew, NULL) == 0) {
		if (converged(m)) {
			const int64_t now = pg_now_ns();

			atomic_store(&s->stop, 1);
			pg_futex_wake_all(&s->stop);
			return now;
		}
		pg_futex_wait(&s->stopped, seen, CONVERGE_NS);
	}
	return 0;
}

struct stamps {
	int64_t open, converged, stopped, leave, reaped;
};

static int start(struct pg_numa *m, struct stamps *t, struct pg_err *err)
{
	struct pg_numa_shared *s = m->shared;

	for (uint64_t i = 0; i < m->tasks; i++)
		m->result[i] = (struct pg_numa_result){.node = -1};
	for (uint64_t i = 0; i < m->conf->processes; i++)
		if (pg_crew_start(m->crew, pg_numa_process, m, err))
			return -1;
	t->open = pg_now_ns();
	if (!m->conf->start_gate)
		return 0;
	if (pg_crew_wait_ready(m->crew, err))
		return -1;
	atomic_store(&s->deadline, m->conf->runtime ? pg_now_ns() + m->conf->runtime : INT64_MAX);
	t->open = pg_crew_go(m->crew);
	return 0;
}

static void tell(struct pg_numa_shared *s, enum pg_numa_stage stage)
{
	atomic_store(&s->stage, (uint32_t)stage);
	pg_futex_wake_all(&s->stage);
}

static int measure(struct pg_numa *m, struct stamps *t, struct pg_err *err)
{
	struct pg_numa_shared *s = m->shared;

	if (start(m, t, err))
		return -1;
	t->converged = m->conf->until_converged ? wait_converged(m) : 0;
	if (wait_for_all(m, &s->stopped, err))
		return -1;
	t->stopped = pg_now_ns();
	tell(s, PG_NUMA_LOCATE);
	if (wait_for_all(m, &s->located, err))
		return -1;
	t->leave = pg_now_ns();
	tell(s, PG_NUMA_LEAVE);
	if (pg_crew_reap(m->crew, err))
		return -1;
	t->reaped = pg_now_ns();
	return 0;
}

/* Sums over the tasks that become one number each. */
struct sums {
	int64_t shortest, first, last; /* ns */
	uint64_t visited, pages, local_pages;
};

static void record_tasks(struct pg_run *run, const struct pg_numa *m, struct sums *s)
{
	for (uint64_t i = 0; i < m->tasks; i++) {
		const struct pg_numa_result *r = &m->result[i];
		const int64_t ran = pg_since(r->end_ns, r->start_ns);

		s->shortest = ran < s->shortest ? ran : s->shortest;
		s->first = r->start_ns < s->first ? r->start_ns : s->first;
		s->last = r->end_ns > s->last ? r->end_ns : s->last;
		s->visited += r->visited;
		s->pages += r->pages;
		s->local_pages += r->local_pages;
		pg_record(run, PG_NUMA_M_RUNTIME_MIN, ran);
		pg_record(run, PG_NUMA_M_RUNTIME_MEAN, ran);
		pg_record(run, PG_NUMA_M_DATA_TOTAL, (int64_t)r->nominal);
		pg_record(run, PG_NUMA_M_DATA_PER_TASK, (int64_t)r->nominal);
	}
}

static void record(struct pg_run *run, const struct pg_numa *m, const struct stamps *t)
{
	const int64_t max = pg_since(t->stopped, t->open) + pg_since(t->reaped, t->leave);
	struct sums s = {.shortest = INT64_MAX, .first = INT64_MAX};

	record_tasks(run, m, &s);
	run->timed_ns = max;
	pg_record(run, PG_NUMA_M_RUNTIME_MAX, max);
	pg_record(run, PG_NUMA_M_HALF_RANGE, pg_since(max, s.shortest) / 2);
	pg_record(run, PG_NUMA_M_WHOLE_RANGE, max);
	pg_record(run, PG_NUMA_M_TOUCHED, (int64_t)s.visited);
	/* Without a gate the first task to begin opens it. */
	pg_record(run, PG_NUMA_M_WORK_TIME, pg_since(s.last, m->conf->start_gate ? t->open : s.first));
	if (t->converged)
		pg_record(run, PG_NUMA_M_CONVERGENCE_TIME, pg_since(t->converged, t->open));
	if (s.pages == 0)
		return;
	pg_record(run, PG_NUMA_M_PAGES, (int64_t)s.pages);
	pg_record(run, PG_NUMA_M_LOCAL_PAGES, (int64_t)s.local_pages);
}

int pg_numa_once(struct pg_run *run, struct pg_err *err)
{
	struct pg_numa *m = run->state;
	const struct pg_crew_opts opts = {.n = m->conf->processes, .placement = PG_PLACE_FREE, .root = run->root};
	struct stamps t;
	int r = pg_crew_open(&m->crew, &opts, err);

	if (r == 0)
		r = measure(m, &t, err);
	if (r == 0)
		record(run, m, &t);
	pg_crew_close(m->crew);
	m->crew = NULL;
	return r;
}

void pg_numa_teardown(struct pg_run *run)
{
	struct pg_numa *m = run->state;

	if (!m)
		return;
	pg_numa_area_unmap(&m->global);
	pg_place_release(&m->place);
	pg_cpuset_release(&m->touch.cpus);
	pg_numa_home_release(&m->home);
	free(m->near);
	if (m->shared)
		munmap(m->shared, m->shared_bytes);
	free(m);
	run->state = NULL;
}
