/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Family header of the suite futex: raw calls, conf and rows of all five benches, what they prepare and record alike
 * (futex.c, with the measured period of hash and lock-pi), the rounds of blocking and waking of wake, wake-parallel and
 * requeue (futex_rounds.c).
 */
#ifndef PG_SUITES_FUTEX_H
#define PG_SUITES_FUTEX_H

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <unistd.h>

#include "pg_bench.h"

/* Linux 6.16; asked by number so that older headers do. */
#define PG_FUTEX_HASH		78
#define PG_FUTEX_HASH_SET_SLOTS 1
#define PG_FUTEX_HASH_GET_SLOTS 2

/* A row binds where its bench has it, the other fields stay 0. */
struct pg_futex_conf {
	uint64_t threads, loops, futexes, wakers;
	struct pg_word_num waiters_per_call; /* word 0: broadcast */
	struct pg_word_num buckets;	     /* word: enum pg_futex_table */
	int64_t runtime, hold, settle;
	int lock; /* 0 common, 1 per-thread */
	int placement;
	bool shared, mlockall, priority_inheritance;
};

enum pg_futex_table { PG_FUTEX_KERNEL, PG_FUTEX_GLOBAL };

extern const struct pg_choice pg_futex_tables[], pg_futex_broadcast[];

/* clang-format off */
#define PG_FUTEX_ROW_THREADS(text) \
	{.name = "threads", .doc = (text), .def = "cpus", .min = "1", .max = "100000", .opt = 't', \
	 PG_AT_COUNT(struct pg_futex_conf, threads)}
#define PG_FUTEX_ROW_RUNTIME \
	{.name = "runtime", .doc = "length of the measured part", .def = "10s", .min = "1ms", .max = "24h", .opt = 'r', \
	 PG_AT_TIME(struct pg_futex_conf, runtime)}
#define PG_FUTEX_ROW_LOOPS \
	PG_ROW_LOOPS(struct pg_futex_conf, loops, "rounds of block and wake", "1", "auto", 'l')
#define PG_FUTEX_ROW_PER_CALL(text, letter) \
	{.name = "waiters_per_call", .doc = (text), .def = "1", .min = "1", .max = "threads", \
	 .choices = pg_futex_broadcast, .opt = (letter), PG_AT_COUNT_W(struct pg_futex_conf, waiters_per_call)}
#define PG_FUTEX_ROW_SETTLE(text) \
	{.name = "settle", .doc = "rest between all waiters seen asleep and the first call", .def = (text), .min = "0s", \
	 .max = "1min", PG_AT_TIME(struct pg_futex_conf, settle)}
#define PG_FUTEX_ROWS_COMMON(where) \
	{.name = "shared", .doc = "futexes usable between processes, in shared memory", .def = "false", .opt = 'S', \
	 PG_AT_BOOL(struct pg_futex_conf, shared)}, \
	{.name = "mlockall", .doc = "all memory locked", .def = "false", .opt = 'm', \
	 PG_AT_BOOL(struct pg_futex_conf, mlockall)}, \
	{.name = "buckets", .doc = "slots of the hash table, a power of 2; set before threads exist", .def = "kernel", \
	 .min = "2", .max = "16777216", .choices = pg_futex_tables, .opt = 'b', \
	 PG_AT_COUNT_W(struct pg_futex_conf, buckets)}, \
	PG_ROW_PLACEMENT(struct pg_futex_conf, placement, (where), "cross-cpu")
#define PG_FUTEX_METRIC_BUCKETS \
	PG_ROW_RAW("buckets_used", "slots of the hash table at the end; 0 = the common table", PG_U_COUNT, PG_NEITHER, \
		PG_MAX, PG_M_ZERO_OK)
/* clang-format on */

/* A futex word that shares its cache line with nothing. */
struct pg_futex_word {
	_Alignas(64) _Atomic uint32_t v;
};

/* An operation with the flag of process-private futexes, where they are. */
static inline int pg_futex_op(const struct pg_futex_conf *conf, int op)
{
	return conf->shared ? op : op | FUTEX_PRIVATE_FLAG;
}

/* futex.c */

#define PG_FUTEX_STACK 8192 /* of a worker, beyond what the crew adds */

/*
 * Adds `workers` threads and `bytes` of other memory to need and answers for placement, table and locking; pi: does
 * this kernel have priority inheritance.
 */
int pg_futex_probe(const struct pg_futex_conf *conf, const struct pg_probe_env *env, uint64_t workers, uint64_t bytes,
		   struct pg_need *need, struct pg_err *err);
int pg_futex_probe_pi(struct pg_err *err);
int pg_futex_check(const struct pg_futex_conf *conf, struct pg_err *err);
/* Table and locking of this process, before there are threads. Undone: locking; a table stays until the process ends.
 */
int pg_futex_prepare(const struct pg_futex_conf *conf, struct pg_err *err);
void pg_futex_undo(const struct pg_futex_conf *conf);
/* Records row `metric` where the kernel tells the size; -1 when another table than the one asked for is in use. */
int pg_futex_record_buckets(struct pg_run *run, unsigned metric, struct pg_err *err);
/* Zeroed memory for words, on pages of its own, first touched by the caller; NULL with errno. */
void *pg_futex_map(const struct pg_futex_conf *conf, size_t bytes);
void pg_futex_unmap(void *map, size_t bytes);

/* Indices of the rows that hash and lock-pi have in common, first in their tables. */
enum {
	PG_FP_THREAD_RATE,
	PG_FP_RATE,
	PG_FP_STANDARD_ERROR,
	PG_FP_FAIRNESS,
	PG_FP_WORK_RATE,
	PG_FP_BUCKETS,
	PG_FP_OPERATIONS,
	PG_FP_ELAPSED,
	PG_FP_THREAD_ELAPSED,
	PG_FP_SPREAD,
	PG_FP_WORK,
	PG_FP_SLOWEST,
	PG_FP_FASTEST,
	PG_FP_ELAPSED_1000,
	PG_FP_ROWS,
};
/* clang-format off */
#define PG_FUTEX_PERIOD_METRICS \
	[PG_FP_THREAD_RATE] = PG_ROW_RATIO("thread_rate", "mean over threads of operations / elapsed: creation to stop", \
		PG_U_PER_S, PG_HIGHER, PG_FP_OPERATIONS, PG_FP_THREAD_ELAPSED, PG_M_MAIN), \
	[PG_FP_RATE] = PG_ROW_RATIO("rate", "operations of all threads / elapsed", \
		PG_U_PER_S, PG_HIGHER, PG_FP_OPERATIONS, PG_FP_ELAPSED, 0), \
	[PG_FP_STANDARD_ERROR] = PG_ROW_RATIO("thread_rate_standard_error", "standard error of thread_rate, between threads", \
		PG_U_PER_S, PG_LOWER, PG_FP_SPREAD, PG_FP_ELAPSED_1000, PG_M_ZERO_OK | PG_M_TYPICAL), \
	[PG_FP_FAIRNESS] = PG_ROW_RATIO("thread_fairness", "slowest / fastest thread", \
		PG_U_COUNT, PG_HIGHER, PG_FP_SLOWEST, PG_FP_FASTEST, PG_M_ZERO_OK | PG_M_TYPICAL), \
	[PG_FP_WORK_RATE] = PG_ROW_RATIO("work_rate", "sum of each thread's operations / its own gate-to-stop time", \
		PG_U_PER_S, PG_HIGHER, PG_FP_WORK, PG_FP_ELAPSED_1000, 0), \
	[PG_FP_BUCKETS] = PG_FUTEX_METRIC_BUCKETS, \
	[PG_FP_OPERATIONS] = PG_ROW_HIDDEN("operations", "operations of all threads", PG_U_COUNT, PG_SUM, PG_M_ZERO_OK), \
	[PG_FP_ELAPSED] = PG_ROW_HIDDEN("elapsed", "before creation to stop", PG_U_S, PG_SUM, PG_M_ZERO_OK), \
	[PG_FP_THREAD_ELAPSED] = PG_ROW_HIDDEN("thread_elapsed", "elapsed times threads", PG_U_S, PG_SUM, PG_M_ZERO_OK), \
	[PG_FP_SPREAD] = PG_ROW_HIDDEN("operations_standard_error_x1000", \
		"standard error of a thread's operations, in thousandths", PG_U_COUNT, PG_SUM, PG_M_ZERO_OK), \
	[PG_FP_WORK] = PG_ROW_HIDDEN("work_operations_x1000", \
		"operations of all threads as if each had worked for elapsed, in thousandths", PG_U_COUNT, PG_SUM, PG_M_ZERO_OK), \
	[PG_FP_SLOWEST] = PG_ROW_HIDDEN("slowest_x1000", "the same of the slowest thread", PG_U_COUNT, PG_MIN, PG_M_ZERO_OK), \
	[PG_FP_FASTEST] = PG_ROW_HIDDEN("fastest_x1000", "the same of the fastest thread", PG_U_COUNT, PG_MAX, PG_M_ZERO_OK), \
	[PG_FP_ELAPSED_1000] = PG_ROW_HIDDEN("elapsed_x1000", "elapsed times 1000", PG_U_S, PG_SUM, PG_M_ZERO_OK)
/* clang-format on */

/* A period of conf->threads workers and conf->runtime (pg_period_run), recorded as the rows above. */
int pg_futex_period_run(struct pg_period *p, struct pg_run *run, int (*body)(struct pg_worker *, void *), void *arg,
			struct pg_err *err);

/* futex_rounds.c */

/* clang-format off */
#define PG_FUTEX_ROUND_METRICS(rounds, calls, total, work) \
	[rounds] = PG_ROW_HIDDEN("rounds", "rounds timed", PG_U_COUNT, PG_SUM, PG_M_GROWS), \
	[calls] = PG_ROW_HIDDEN("calls", "calls made in them", PG_U_COUNT, PG_SUM, PG_M_GROWS), \
	[total] = PG_ROW_HIDDEN("total_time", "time of all rounds", PG_U_S, PG_SUM, PG_M_GROWS), \
	[work] = PG_ROW_HIDDEN("total_work_time", "work_time of all rounds", PG_U_S, PG_SUM, PG_M_GROWS)
/* clang-format on */

/* One waiter, on cache lines of its own, written by it alone. */
struct pg_futex_waiter {
	_Alignas(64) _Atomic uint64_t entered; /* waits begun */
	_Atomic uint64_t done;		       /* waits ended; back_ns is of the last of them */
	_Atomic int64_t back_ns;
	pid_t tid; /* valid after the gate */
};

/* Two words take turns: who is woken in one round blocks on the other word and cannot be woken twice in a round. */
struct pg_futex_words {
	struct pg_futex_word turn[2]; /* 0 while the rep goes well; anything else sends the waiters home */
	struct pg_futex_word target;  /* of requeue */
};

struct pg_futex_rounds {
	const struct pg_futex_conf *conf;
	const char *root;	       /* of the run */
	struct pg_crew *crew, *wakers; /* wakers: of wake-parallel, else NULL */
	struct pg_futex_words *words;
	struct pg_futex_waiter *waiters;
	struct pg_sleeper *sleepers;
	uint64_t number; /* of the round, 0 = the untimed first one */
	/* Sums over the timed rounds. */
	uint64_t rounds, calls;
	int64_t time_ns, work_ns;
	int64_t span_ns; /* first timed round to the last, with the waiting */
};

/* What a bench does once all waiters are asleep on *word. */
struct pg_futex_round {
	int64_t start_ns, stop_ns; /* around the calls */
	uint64_t calls;
};
typedef int pg_futex_round_fn(struct pg_futex_rounds *f, _Atomic uint32_t *word, struct pg_futex_round *out,
			      struct pg_err *err);

/* Hooks of the three benches: preparation, a struct pg_futex_rounds as state (followed by what the bench adds). */
int pg_futex_rounds_setup(struct pg_run *run, size_t state_bytes, struct pg_err *err);
void pg_futex_rounds_teardown(struct pg_run *run);
uint64_t pg_futex_rounds_bytes(const struct pg_futex_conf *conf); /* beside the threads */
/* Starts the waiters, has one untimed round and conf->loops timed ones done by `round`, ends the waiters. */
int pg_futex_rounds_run(struct pg_futex_rounds *f, pg_futex_round_fn *round, struct pg_err *err);
/* What one call is to reach. */
uint32_t pg_futex_per_call(const struct pg_futex_conf *conf);
/* 0, or -1 when a worker has failed. */
int pg_futex_rounds_check(void *f, struct pg_err *err);
/* A call of the main task has failed with errno: -1 with a worker's own reason where there is one, else with `what`. */
int pg_futex_rounds_fail(struct pg_futex_rounds *f, const char *what, struct pg_err *err);
/*
 * Asked while waiting since since_ns: 0, or -1 when a worker has failed or this takes too long. For the message: `got`
 * of `of` `noun`s are there.
 */
int pg_futex_rounds_late(struct pg_futex_rounds *f, int64_t since_ns, const char *noun, uint64_t got, uint64_t of,
			 struct pg_err *err);
/*
 * Asked after a call that reached nobody, `got` so far: the same, and -1 when no waiter is left that could be reached;
 * kept: those that were reached do not come back before the last of them was.
 */
int pg_futex_rounds_stalled(struct pg_futex_rounds *f, int64_t since_ns, uint64_t got, bool kept, struct pg_err *err);
/* At the end, and by a worker that fails: no waiter waits any longer. */
void pg_futex_send_home(struct pg_futex_rounds *f);

#endif
