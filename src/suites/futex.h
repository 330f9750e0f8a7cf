/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Family header of the suite futex: raw calls, conf and rows of all five benches, what they prepare and record alike
 * (futex.c), the measured period of hash and lock-pi (futex_period.c), the rounds of blocking and waking of wake,
 * wake-parallel and requeue (futex_rounds.c).
 */
#ifndef PG_SUITES_FUTEX_H
#define PG_SUITES_FUTEX_H

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>
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

extern const struct pg_choice pg_futex_tables[], pg_futex_auto[], pg_futex_broadcast[];

/* clang-format off */
#define PG_FUTEX_ROW_THREADS(text) \
	{.name = "threads", .doc = (text), .def = "cpus", .min = "1", .max = "100000", .opt = 't', \
	 PG_AT_COUNT(struct pg_futex_conf, threads)}
#define PG_FUTEX_ROW_RUNTIME \
	{.name = "runtime", .doc = "length of the measured part", .def = "10s", .min = "1ms", .max = "24h", .opt = 'r', \
	 PG_AT_TIME(struct pg_futex_conf, runtime)}
#define PG_FUTEX_ROW_LOOPS \
	{.name = "loops", .doc = "rounds of block and wake", .def = "1", .sdef = "auto", .min = "1", \
	 .max = "1000000000000", .choices = pg_futex_auto, .role = PG_OPS, .opt = 'l', \
	 PG_AT_COUNT(struct pg_futex_conf, loops)}
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
	{.name = "placement", .doc = (where), .def = "cross-cpu", .choices = pg_placements, \
	 PG_AT_ENUM(struct pg_futex_conf, placement)}
#define PG_FUTEX_METRIC_BUCKETS \
	{.name = "buckets_used", .doc = "slots of the hash table at the end; 0 = the common table", .unit = PG_U_COUNT, \
	 .better = PG_NEITHER, .reduce = PG_MAX, .flags = PG_M_ZERO_OK}
/* clang-format on */

/* A futex word that shares its cache line with nothing. */
struct pg_futex_word {
	_Alignas(64) _Atomic uint32_t v;
};

/* futex(2), -1 with errno. `val2` goes where waiting calls have their time-out. */
static inline long pg_futex_call(_Atomic uint32_t *word, int op, uint32_t val, unsigned long val2,
				 _Atomic uint32_t *word2, uint32_t val3)
{
	return syscall(SYS_futex, word, op, val, val2, word2, val3);
}

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
/* conf's placement, where cross-cpu with one CPU is that CPU. */
int pg_futex_placement(const struct pg_futex_conf *conf);
/* Zeroed memory for words, on pages of its own, first touched by the caller; NULL with errno. */
void *pg_futex_map(const struct pg_futex_conf *conf, size_t bytes);
void pg_futex_unmap(void *map, size_t bytes);

/* futex_period.c */

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
#define PG_FP_HIDDEN(text, what, u, how) \
	{.name = (text), .doc = (what), .unit = (u), .better = (u) == PG_U_S ? PG_LOWER : PG_NEITHER, .reduce = (how), \
	 .flags = PG_M_HIDDEN | PG_M_ZERO_OK}
#define PG_FP_RATIO(text, what, u, dir, n, d, extra) \
	{.name = (text), .doc = (what), .unit = (u), .better = (dir), .reduce = PG_RATIO, .num = (n), .den = (d), \
	 .flags = (extra)}
#define PG_FUTEX_PERIOD_METRICS \
	[PG_FP_THREAD_RATE] = PG_FP_RATIO("thread_rate", "mean over threads of operations / elapsed: creation to stop", \
		PG_U_PER_S, PG_HIGHER, PG_FP_OPERATIONS, PG_FP_THREAD_ELAPSED, PG_M_MAIN), \
	[PG_FP_RATE] = PG_FP_RATIO("rate", "operations of all threads / elapsed", \
		PG_U_PER_S, PG_HIGHER, PG_FP_OPERATIONS, PG_FP_ELAPSED, 0), \
	[PG_FP_STANDARD_ERROR] = PG_FP_RATIO("thread_rate_standard_error", "standard error of thread_rate, between threads", \
		PG_U_PER_S, PG_LOWER, PG_FP_SPREAD, PG_FP_ELAPSED_1000, PG_M_ZERO_OK), \
	[PG_FP_FAIRNESS] = PG_FP_RATIO("thread_fairness", "slowest / fastest thread", \
		PG_U_COUNT, PG_HIGHER, PG_FP_SLOWEST, PG_FP_FASTEST, PG_M_ZERO_OK), \
	[PG_FP_WORK_RATE] = PG_FP_RATIO("work_rate", "sum of each thread's operations / its own gate-to-stop time", \
		PG_U_PER_S, PG_HIGHER, PG_FP_WORK, PG_FP_ELAPSED_1000, 0), \
	[PG_FP_BUCKETS] = PG_FUTEX_METRIC_BUCKETS, \
	[PG_FP_OPERATIONS] = PG_FP_HIDDEN("operations", "operations of all threads", PG_U_COUNT, PG_SUM), \
	[PG_FP_ELAPSED] = PG_FP_HIDDEN("elapsed", "before creation to stop", PG_U_S, PG_SUM), \
	[PG_FP_THREAD_ELAPSED] = PG_FP_HIDDEN("thread_elapsed", "elapsed times threads", PG_U_S, PG_SUM), \
	[PG_FP_SPREAD] = PG_FP_HIDDEN("operations_standard_error_x1000", \
		"standard error of a thread's operations, in thousandths", PG_U_COUNT, PG_SUM), \
	[PG_FP_WORK] = PG_FP_HIDDEN("work_operations_x1000", \
		"operations of all threads as if each had worked for elapsed, in thousandths", PG_U_COUNT, PG_SUM), \
	[PG_FP_SLOWEST] = PG_FP_HIDDEN("slowest_x1000", "the same of the slowest thread", PG_U_COUNT, PG_MIN), \
	[PG_FP_FASTEST] = PG_FP_HIDDEN("fastest_x1000", "the same of the fastest thread", PG_U_COUNT, PG_MAX), \
	[PG_FP_ELAPSED_1000] = PG_FP_HIDDEN("elapsed_x1000", "elapsed times 1000", PG_U_S, PG_SUM)
/* clang-format on */

/* Threads that work for a period. */
struct pg_futex_period {
	const struct pg_futex_conf *conf;
	struct pg_crew *crew;
	_Alignas(64) _Atomic bool stop;	 /* read by every worker, written once */
	_Alignas(64) _Atomic bool begun; /* a worker has: the period starts */
};

/*
 * Starts conf->threads workers, lets them work for conf->runtime, reaps them, records the rows above. A worker's body
 * calls pg_futex_begin() after the gate, stamps end_ns after its last operation, and stores its count. The crew stays
 * open, for the slots, until pg_futex_period_end().
 */
int pg_futex_period_run(struct pg_futex_period *p, struct pg_run *run, int (*body)(struct pg_worker *, void *),
			void *arg, struct pg_err *err);
void pg_futex_period_end(struct pg_futex_period *p);

static inline void pg_futex_begin(struct pg_worker *w, struct pg_futex_period *p)
{
	if (!atomic_load_explicit(&p->begun, memory_order_relaxed))
		atomic_store(&p->begun, true);
	w->slot->start_ns = pg_now_ns();
}

static inline bool pg_futex_stopped(const struct pg_futex_period *p)
{
	return atomic_load_explicit(&p->stop, memory_order_relaxed);
}

/* futex_rounds.c */

/* clang-format off */
#define PG_FUTEX_ROUND_METRICS(rounds, calls, total, work) \
	[rounds] = PG_FP_TOTAL("rounds", "rounds timed", PG_U_COUNT), \
	[calls] = PG_FP_TOTAL("calls", "calls made in them", PG_U_COUNT), \
	[total] = PG_FP_TOTAL("total_time", "time of all rounds", PG_U_S), \
	[work] = PG_FP_TOTAL("total_work_time", "work_time of all rounds", PG_U_S)
#define PG_FP_TOTAL(text, what, u) \
	{.name = (text), .doc = (what), .unit = (u), .better = (u) == PG_U_S ? PG_LOWER : PG_NEITHER, .reduce = PG_SUM, \
	 .flags = PG_M_HIDDEN | PG_M_GROWS}
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
