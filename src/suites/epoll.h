/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What epoll/wait and epoll/ctl share: conf and rows, eventfds and instances, the threads and the period that they work
 * for (epoll_set.c).
 */
#ifndef PG_SUITES_EPOLL_H
#define PG_SUITES_EPOLL_H

#include "pg_bench.h"

/* Rows of both benches bind here; the last four are of epoll/wait only. */
struct pg_epoll_conf {
	uint64_t threads, fds, nesting;
	int64_t runtime, loop_sleep;
	int pattern; /* 0 sequential, 1 random */
	int placement;
	int queue; /* 0 common, 1 per-thread */
	int wait;  /* 0 block, 1 poll */
	int trigger;
	uint64_t writers;
};

/* Bits of trigger. */
enum { PG_EPOLL_LEVEL = 0, PG_EPOLL_EDGE = 1, PG_EPOLL_ONESHOT = 2, PG_EPOLL_EDGE_ONESHOT = 3 };

extern const struct pg_choice pg_epoll_patterns[];

/* clang-format off */
#define PG_EPOLL_ROW_THREADS(text) \
	{.name = "threads", .doc = "workers", .def = (text), .min = "1", .max = "100000", .opt = 't', \
	 PG_AT_COUNT(struct pg_epoll_conf, threads)}
#define PG_EPOLL_ROW_RUNTIME \
	{.name = "runtime", .doc = "length of the measured part", .def = "8s", .min = "1ms", .max = "24h", .opt = 'r', \
	 PG_AT_TIME(struct pg_epoll_conf, runtime)}
#define PG_EPOLL_ROW_FDS \
	{.name = "fds", .doc = "eventfds of each thread", .def = "64", .min = "1", .max = "1000000", .opt = 'f', \
	 PG_AT_COUNT(struct pg_epoll_conf, fds)}
#define PG_EPOLL_ROW_PATTERN(text) \
	{.name = "pattern", .doc = (text), .def = "sequential", .choices = pg_epoll_patterns, \
	 PG_AT_ENUM(struct pg_epoll_conf, pattern)}
#define PG_EPOLL_ROW_NESTING \
	{.name = "nesting", .doc = "empty epoll instances chained below; they hold no descriptors", .def = "0", \
	 .min = "0", .max = "4", .opt = 'N', PG_AT_COUNT(struct pg_epoll_conf, nesting)}
#define PG_EPOLL_ROW_LOOP_SLEEP(text, length) \
	{.name = "loop_sleep", .doc = (text), .def = (length), .min = "0s", .max = "1s", \
	 PG_AT_TIME(struct pg_epoll_conf, loop_sleep)}
#define PG_EPOLL_ROW_PLACEMENT(text) \
	PG_ROW_PLACEMENT(struct pg_epoll_conf, placement, (text), "cross-cpu")
/* clang-format on */

/* One thread, on cache lines of its own; written by the thread, read by the main task after the reaping. */
struct pg_epoll_own {
	_Alignas(64) int *fds; /* made and first touched by the worker; kept until pg_epoll_close() */
	size_t n_fds;	       /* open ones */
	int queue;	       /* the instance that it uses; -1 = none yet */
	uint64_t empty_waits, empty_reads;
	uint64_t adds, modifies, deletes;
	uint64_t rests; /* sleeps of loop_sleep, which took slept_ns together */
	int64_t slept_ns;
	int *share; /* of a writer: the eventfds that it writes to; made by it, filled by the main task; NULL = none
		     */
	size_t n_share;
};

/* A chain of instances: instance[0] is used, each of the others lies empty below the one before. */
struct pg_epoll_queue {
	int instance[5]; /* -1 = not open */
};

struct pg_epoll {
	const struct pg_epoll_conf *conf;
	uint64_t seed;
	size_t threads, writers;       /* writers 0: epoll/ctl */
	struct pg_epoll_own *own;      /* one of each thread, then of each writer */
	struct pg_epoll_queue *queues; /* one, or one of each thread */
	size_t n_queues;
	int stop_fd;	       /* eventfd in each queue that wakes whoever waits at the end; -1 */
	struct pg_cpuset home; /* allowed CPUs of the main task: those of writers */
	struct pg_period period;
};

/* need and unsupported placements of both benches; writers, queues: 0 and 1 for epoll/ctl. */
int pg_epoll_probe(const struct pg_epoll_conf *conf, const struct pg_probe_env *env, uint64_t writers, uint64_t queues,
		   struct pg_need *need, struct pg_err *err);
int pg_epoll_setup(struct pg_run *run, size_t writers, size_t queues, struct pg_err *err);
void pg_epoll_teardown(struct pg_run *run);
/* Everything that one `once` opened. */
void pg_epoll_close(struct pg_epoll *e);
/* By the worker itself: its eventfds. -1 with the slot failed. */
int pg_epoll_make_fds(struct pg_worker *w, struct pg_epoll *e);
/* By a writer itself, before it is ready: room for its share of the eventfds. -1 with the slot failed. */
int pg_epoll_make_share(struct pg_worker *w, struct pg_epoll *e);
int pg_epoll_open_queue(struct pg_epoll *e, size_t i, struct pg_err *err);

/* A period of threads with `body` (index < threads) and `writer`, arg is e, and conf->runtime (pg_period_run). */
int pg_epoll_run(struct pg_epoll *e, const struct pg_run *run, int (*body)(struct pg_worker *, void *),
		 int (*writer)(struct pg_worker *, void *), struct pg_period_span *span, struct pg_err *err);

static inline bool pg_epoll_stopped(const struct pg_worker *w, const struct pg_epoll *e)
{
	return pg_period_stopped(&e->period) || pg_worker_told_to_stop(w);
}

/* A number below n, below 2^32, by multiplication. */
static inline size_t pg_epoll_below(uint64_t *state, size_t n)
{
	return (size_t)((pg_splitmix64(state) >> 32) * n >> 32);
}

/* Sleeps loop_sleep, if any, and adds to the thread's rests and slept_ns what came of it. */
void pg_epoll_rest(const struct pg_epoll *e, struct pg_epoll_own *own);

#endif
