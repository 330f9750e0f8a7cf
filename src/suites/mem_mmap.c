/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * mem/mmap: threads that each map memory, touch one byte of every page, and unmap it, over and over (perf bench mem
 * mmap).
 * Timed: thread_bandwidth: mapping and touching, a thread at a time (one reading of the clock lies between the two);
 * bandwidth: from the opening of the gate to the last thread's last unmapping; map_time, fault_time, unmap_time: the
 * parts. Not timed: creating the threads. Differs from the ancestor: size is a multiple of page_size, so pages are
 * really touched and really unmapped, an unmapping that fails ends the rep; threads begin at one gate; each has random
 * numbers of its own; advice for transparent huge pages.
 */
#include "suites/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum function { F_DEMAND, F_POPULATE };
enum pattern { P_SEQUENTIAL, P_RANDOM };

struct mmap_conf {
	uint64_t size;
	int function; /* enum function */
	uint64_t loops;
	uint64_t page_size;
	int transparent_huge_pages; /* enum pg_mem_thp */
	int pattern;		    /* enum pattern */
	uint64_t threads;
	int placement; /* enum pg_placement */
};

/* Of one thread. */
struct sums {
	_Alignas(64) int64_t map, touch, unmap; /* ns */
	uint64_t mappings, pages;
};

struct mapper {
	const struct mmap_conf *conf;
	uint64_t seed;
	struct pg_mem_layout layout;
	struct sums *sums; /* one a thread */
};

static const struct pg_choice functions[] = {
	[F_DEMAND] = {"demand", "each page is made when it is touched"},
	[F_POPULATE] = {"populate", "all pages are made while mapping (MAP_POPULATE)"},
	{NULL, NULL},
};
static const struct pg_choice patterns[] = {
	[P_SEQUENTIAL] = {"sequential", "first byte of each page"},
	[P_RANDOM] = {"random", "a random byte of each page"},
	{NULL, NULL},
};

static const struct pg_param params[] = {
	{
		.name = "size",
		.doc = "bytes mapped by each thread, a multiple of page_size",
		.def = "1MB",
		.min = "1B",
		.max = "16TB",
		.opt = 's',
		PG_AT_SIZE(struct mmap_conf, size),
	},
	{
		.name = "function",
		.doc = "when the pages are made",
		.def = "demand",
		.choices = functions,
		.role = PG_ALL,
		.opt = 'f',
		PG_AT_ENUM(struct mmap_conf, function),
	},
	PG_ROW_LOOPS(struct mmap_conf, loops, "times to map, touch, unmap", "1", "auto", 'l'),
	{
		.name = "page_size",
		.doc = "pages of the mapping: the base page, or a larger size of which pages are reserved",
		.def = "4KB",
		.min = "4KB",
		.max = "16GB",
		.opt = 'p',
		PG_AT_SIZE(struct mmap_conf, page_size),
	},
	{
		.name = "transparent_huge_pages",
		.doc = "advice for the mapping",
		.def = "system",
		.choices = pg_mem_thps,
		PG_AT_ENUM(struct mmap_conf, transparent_huge_pages),
	},
	{
		.name = "pattern",
		.doc = "which byte of a page is touched",
		.def = "sequential",
		.choices = patterns,
		PG_AT_ENUM(struct mmap_conf, pattern),
	},
	{
		.name = "threads",
		.doc = "concurrent threads",
		.def = "1",
		.min = "1",
		.max = "100000",
		.opt = 't',
		PG_AT_COUNT(struct mmap_conf, threads),
	},
	PG_ROW_PLACEMENT(struct mmap_conf, placement, "where the threads run", "free"),
	{.name = NULL},
};

enum {
	M_THREAD_BANDWIDTH,
	M_BANDWIDTH,
	M_MAP_TIME,
	M_FAULT_TIME,
	M_UNMAP_TIME,
	M_BYTES,
	M_BUSY,
	M_WORK,
	M_MAPPINGS,
	M_PAGES,
	M_MAP,
	M_TOUCH,
	M_UNMAP
};

static const struct pg_metric metrics[] = {
	[M_THREAD_BANDWIDTH] =
		PG_ROW_RATIO("thread_bandwidth", "size x loops / mean over threads of the time to map and touch",
			     PG_U_B_PER_S, PG_HIGHER, M_BYTES, M_BUSY, PG_M_MAIN),
	[M_BANDWIDTH] = PG_ROW_RATIO("bandwidth", "bytes of all threads / gate open to last thread done", PG_U_B_PER_S,
				     PG_HIGHER, M_BYTES, M_WORK, 0),
	[M_MAP_TIME] = PG_ROW_RATIO("map_time", "one mapping, with its advice", PG_U_S, PG_LOWER, M_MAP, M_MAPPINGS, 0),
	[M_FAULT_TIME] = PG_ROW_RATIO("fault_time", "touching one page", PG_U_S, PG_LOWER, M_TOUCH, M_PAGES, 0),
	[M_UNMAP_TIME] = PG_ROW_RATIO("unmap_time", "one munmap()", PG_U_S, PG_LOWER, M_UNMAP, M_MAPPINGS, 0),
	[M_BYTES] = PG_ROW_HIDDEN("bytes", "mapped by all threads", PG_U_B, PG_SUM, PG_M_GROWS),
	[M_BUSY] = PG_ROW_HIDDEN("busy_time_total", "mapping and touching, all threads", PG_U_S, PG_SUM, PG_M_GROWS),
	[M_WORK] = PG_ROW_HIDDEN("work_time_total", "gate open to last thread done", PG_U_S, PG_SUM, PG_M_GROWS),
	[M_MAPPINGS] = PG_ROW_HIDDEN("mappings", "made by all threads", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_PAGES] = PG_ROW_HIDDEN("pages", "touched by all threads", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_MAP] = PG_ROW_HIDDEN("map_time_total", "mapping, all threads", PG_U_S, PG_SUM, PG_M_GROWS),
	[M_TOUCH] = PG_ROW_HIDDEN("touch_time_total", "touching, all threads", PG_U_S, PG_SUM, PG_M_GROWS),
	[M_UNMAP] = PG_ROW_HIDDEN("unmap_time_total", "unmapping, all threads", PG_U_S, PG_SUM, PG_M_GROWS),
	{.name = NULL},
};

static struct pg_mem_pages pages_of(const struct mmap_conf *c, const char *root)
{
	return (struct pg_mem_pages){c->page_size, c->transparent_huge_pages, root};
}

static int check(const void *vconf, struct pg_err *err)
{
	const struct mmap_conf *c = vconf;
	char size[PG_NUM_BUF], page[PG_NUM_BUF];
	uint64_t bytes;

	pg_size_format(size, c->size);
	pg_size_format(page, c->page_size);
	if (c->size % c->page_size)
		return pg_fail(err, PG_EINPUT, "size %s is no multiple of page_size %s; take whole pages", size, page);
	if (!pg_mul_u64(c->size, c->loops, &bytes) || !pg_mul_u64(bytes, c->threads, &bytes) || bytes > INT64_MAX)
		return pg_fail(err, PG_EINPUT,
			       "%llu loops over %s in %llu threads pass 2^63 bytes; lower loops, size or threads",
			       (unsigned long long)c->loops, size, (unsigned long long)c->threads);
	return 0;
}

static int probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct mmap_conf *c = vconf;
	const struct pg_mem_pages pages = pages_of(c, env->root);
	uint64_t bytes;

	if (pg_mem_pages_probe(&pages, c->size, NULL, c->threads, &bytes, err))
		return -1;
	if (c->function == F_POPULATE && c->transparent_huge_pages != PG_MEM_THP_SYSTEM &&
	    madvise(NULL, 0, MADV_POPULATE_WRITE))
		return pg_fail(err, PG_EUNSUPPORTED,
			       "function populate with advice needs Linux 5.14; use transparent_huge_pages system");
	need->tasks = c->threads;
	need->bytes = bytes + c->threads * (pg_crew_task_bytes(true, 0) + sizeof(struct sums));
	return pg_place_probe(c->placement, env->topo, err);
}

static int setup(struct pg_run *run, struct pg_err *err)
{
	const struct mmap_conf *c = run->conf;
	const struct pg_mem_pages pages = pages_of(c, run->root);
	struct mapper *m = calloc(1, sizeof(*m));

	run->state = m;
	if (!m)
		return pg_fail_nomem(err);
	m->conf = c;
	m->seed = run->seed;
	m->layout = pg_mem_layout(&pages, 0, c->size, c->function == F_POPULATE);
	m->sums = aligned_alloc(_Alignof(struct sums), c->threads * sizeof(*m->sums));
	if (!m->sums)
		return pg_fail_nomem(err);
	return 0;
}

static uint64_t next_random(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* Reads, changes and writes one byte of each page; *random 0 = its first byte. */
static void touch(unsigned char *start, const struct mmap_conf *c, uint64_t *random)
{
	volatile unsigned char *p = start;

	for (uint64_t page = 0, at = 0; at < c->size; page++, at += c->page_size) {
		const uint64_t byte = *random ? next_random(random) & (c->page_size - 1) : 0;

		p[at + byte] = (unsigned char)(p[at + byte] + page);
	}
}

static int one_pass(struct pg_worker *w, const struct mapper *m, struct sums *s, uint64_t *random)
{
	struct pg_mem_map map;
	int64_t begin, mapped, touched;
	int r;

	begin = pg_now_ns();
	if (pg_mem_map_laid(&map, &m->layout, 0))
		return pg_worker_fail_sys(w, "cannot map %llu bytes; lower size or threads",
					  (unsigned long long)m->layout.length);
	mapped = pg_now_ns();
	touch(map.start, m->conf, random);
	touched = pg_now_ns();
	r = pg_mem_unmap(&map);
	s->unmap += pg_since(pg_now_ns(), touched);
	s->map += pg_since(mapped, begin);
	s->touch += pg_since(touched, mapped);
	s->mappings++;
	s->pages += m->conf->size / m->conf->page_size;
	return r ? pg_worker_fail_sys(w, "cannot unmap") : 0;
}

static int map_pages(struct pg_worker *w, void *arg)
{
	const struct mapper *m = arg;
	struct sums s = {0};
	uint64_t random = 0;
	int r = 0;

	if (m->conf->pattern == P_RANDOM) /* never 0, another in each thread */
		random = (m->seed + w->index + 1) * PG_GOLDEN64 | 1;
	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	for (uint64_t i = 0; r == 0 && i < m->conf->loops; i++)
		r = pg_worker_told_to_stop(w) ? -1 : one_pass(w, m, &s, &random);
	w->slot->end_ns = pg_now_ns();
	m->sums[w->index] = s;
	return r;
}

static void record(struct pg_run *run, const struct mapper *m, struct pg_crew *crew, int64_t open)
{
	const uint64_t threads = m->conf->threads;
	int64_t done = open;

	for (uint64_t i = 0; i < threads; i++) {
		const struct sums *s = &m->sums[i];
		const int64_t end = pg_crew_slot(crew, i)->end_ns;

		if (end > done)
			done = end;
		pg_record(run, M_BYTES, (int64_t)(s->mappings * m->conf->size));
		pg_record(run, M_BUSY, s->map + s->touch);
		pg_record(run, M_MAPPINGS, (int64_t)s->mappings);
		pg_record(run, M_PAGES, (int64_t)s->pages);
		pg_record(run, M_MAP, s->map);
		pg_record(run, M_TOUCH, s->touch);
		pg_record(run, M_UNMAP, s->unmap);
	}
	run->timed_ns = pg_since(done, open);
	pg_record(run, M_WORK, run->timed_ns);
}

static int once(struct pg_run *run, struct pg_err *err)
{
	struct mapper *m = run->state;
	const struct pg_crew_opts opts = {
		.n = m->conf->threads,
		.threads = true,
		.placement = m->conf->placement,
		.root = run->root,
	};
	struct pg_crew *crew = NULL;
	int64_t open = 0;
	int r = pg_crew_open(&crew, &opts, err);

	for (uint64_t i = 0; r == 0 && i < m->conf->threads; i++)
		r = pg_crew_start(crew, map_pages, m, err);
	if (r == 0)
		r = pg_crew_wait_ready(crew, err);
	if (r == 0) {
		open = pg_crew_go(crew);
		r = pg_crew_reap(crew, err);
	}
	if (r == 0)
		record(run, m, crew, open);
	pg_crew_close(crew);
	return r;
}

static void teardown(struct pg_run *run)
{
	struct mapper *m = run->state;

	if (!m)
		return;
	free(m->sums);
	free(m);
	run->state = NULL;
}

const struct pg_bench pg_mem_mmap = {
	.name = "mem/mmap",
	.summary = "threads that map memory, touch its pages and unmap it",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct mmap_conf),
	.probe = probe,
	.check = check,
	.setup = setup,
	.once = once,
	.teardown = teardown,
};
