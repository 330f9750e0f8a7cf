/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Family header of numa/mem: numa_mem.c (rows), numa_rep.c (one rep), numa_probe.c (what is refused), numa_list.c
 * (task_cpus, task_nodes), numa_bind.c (CPUs and memory policies), numa_area.c (memory), numa_walk.c (order of visits,
 * the visits), numa_process.c (a worker process), numa_task.c (its threads).
 */
#ifndef PG_SUITES_NUMA_H
#define PG_SUITES_NUMA_H

#include <limits.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "suites/numa_parts.h"

enum pg_numa_access { PG_NUMA_READ_WRITE, PG_NUMA_READ, PG_NUMA_WRITE, PG_NUMA_ZERO };
enum pg_numa_pattern { PG_NUMA_RANDOM, PG_NUMA_ALTERNATING, PG_NUMA_SEQUENTIAL };
enum pg_numa_fill { PG_NUMA_FILL_RANDOM, PG_NUMA_FILL_ZERO, PG_NUMA_FILL_NONE };
enum pg_numa_first_touch { PG_NUMA_TOUCH_LOCAL, PG_NUMA_TOUCH_CPU0_NODE };

struct pg_numa_conf {
	uint64_t processes, threads;
	uint64_t global_size, process_size, locked_size, thread_size;
	struct pg_word_num loops;
	int64_t runtime; /* 0 = unlimited: words of a time bind as 0, which is below its range */
	bool until_converged;
	int64_t loop_sleep;
	int access, pattern, fill, first_touch;
	int64_t perturb_interval;   /* 0 = never */
	int transparent_huge_pages; /* enum pg_mem_thp */
	bool start_gate;
	const char *task_cpus, *task_nodes; /* NULL = unset */
	int placement;
};

enum pg_numa_metric {
	PG_NUMA_M_BANDWIDTH,
	PG_NUMA_M_THREAD_BANDWIDTH,
	PG_NUMA_M_RUNTIME_MAX,
	PG_NUMA_M_RUNTIME_MIN,
	PG_NUMA_M_RUNTIME_MEAN,
	PG_NUMA_M_RUNTIME_SPREAD,
	PG_NUMA_M_DATA_TOTAL,
	PG_NUMA_M_DATA_PER_TASK,
	PG_NUMA_M_TIME_PER_BYTE,
	PG_NUMA_M_CONVERGENCE_TIME,
	PG_NUMA_M_TOUCHED_BANDWIDTH,
	PG_NUMA_M_LOCAL_FRACTION,
	PG_NUMA_M_HALF_RANGE,
	PG_NUMA_M_WHOLE_RANGE,
	PG_NUMA_M_TOUCHED,
	PG_NUMA_M_WORK_TIME,
	PG_NUMA_M_PAGES,
	PG_NUMA_M_LOCAL_PAGES,
};

/* Beyond the smallest stack: for the memory calls of a task before its work. */
#define PG_NUMA_STACK 8192

/* numa_probe.c: hooks of the bench. */
int pg_numa_check(const void *conf, struct pg_err *err);
int pg_numa_probe(const void *conf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err);

/* numa_rep.c: hooks of the bench. */
int pg_numa_setup(struct pg_run *run, struct pg_err *err);
int pg_numa_once(struct pg_run *run, struct pg_err *err);
void pg_numa_teardown(struct pg_run *run);

/* The rep. */

/* A task, on cache lines of its own in shared memory. */
struct pg_numa_result {
	_Alignas(64) _Atomic int32_t node; /* where it ran last, -1 = not yet */
	int64_t start_ns, end_ns;
	uint64_t nominal, visited; /* bytes */
	uint64_t passes;	   /* whole ones */
	uint64_t pages, local_pages;
	uint64_t value;
};

/* The end of a rep, after the work: all stop, then all locate their pages, then all exit. Keeps locating out of the
 * time. */
enum pg_numa_stage { PG_NUMA_WORK, PG_NUMA_LOCATE, PG_NUMA_LEAVE };

struct pg_numa_shared {
	_Alignas(64) _Atomic int64_t deadline; /* pg_now_ns() at which all stop; 0 = the first task to start sets it */
	_Atomic uint32_t stop;		       /* before the deadline: converged */
	_Alignas(64) _Atomic uint32_t stopped; /* processes whose tasks have all stopped */
	_Alignas(64) _Atomic uint32_t located; /* processes that have located their pages */
	_Alignas(64) _Atomic uint32_t stage;   /* enum pg_numa_stage */
};

/* run->state: made by setup, inherited by the processes, written by none of them but through the shared parts. */
struct pg_numa {
	const struct pg_numa_conf *conf;
	const char *root;
	uint64_t seed;
	uint64_t tasks;
	struct pg_crew *crew;
	struct pg_numa_shared *shared; /* mapping of shared_bytes: this, then the results */
	struct pg_numa_result *result; /* process x threads + thread */
	size_t shared_bytes;
	struct pg_numa_area global;
	struct pg_numa_home home;
	struct pg_place place;
	struct pg_numa_touch touch;
	int *near; /* by node number: node with its memory, -1 = none */
	size_t nodes;
};

/* CPUs and memory policy of a task: its entries in the lists, else its placement, else home. */
int pg_numa_bind_task(const struct pg_numa *m, uint64_t task, struct pg_err *err);
/* The same for allocating and filling what is `task`'s. */
int pg_numa_bind_touch(const struct pg_numa *m, uint64_t task, struct pg_err *err);
/* Pushes the calling task to the other end of home's CPUs, then gives it its own CPUs back. */
int pg_numa_perturb(const struct pg_numa *m, uint64_t task, struct pg_err *err);

/* One worker process and its threads. */
struct pg_numa_process {
	struct pg_worker *w;
	const struct pg_numa *m;
	uint64_t index;
	struct pg_numa_area area;
	struct pg_numa_area *own; /* of each thread */
	pthread_mutex_t lock;	  /* of the locked part */
	bool plain_clock;	  /* pg_clock_plain, for its threads */
	_Atomic uint32_t ready;	  /* threads */
	_Atomic uint32_t failed;  /* the first thread to fail speaks for the process */
};
struct pg_numa_thread {
	struct pg_numa_process *p;
	uint64_t index;
};
/* numa_process.c: body of a crew worker, arg is the struct pg_numa. */
int pg_numa_process(struct pg_worker *w, void *arg);
/* Says why and ends the process, with all its threads. */
void pg_numa_process_fail(struct pg_numa_process *p, const struct pg_numa_thread *t, const struct pg_err *err)
	__attribute__((noreturn, cold));
/* numa_task.c: a thread, arg is its struct pg_numa_thread. */
void *pg_numa_task(void *arg);

#endif
