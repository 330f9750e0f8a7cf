/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the benches of suite `syscall` share. Loops (basic, getpgid, call): rows of their metrics and the empty loop.
 * Spawning (fork, execve): one operation is a child from fork() to its reaping.
 */
#ifndef PG_SUITES_SYSCALL_H
#define PG_SUITES_SYSCALL_H

#include "pg_bench.h"

#include <sys/types.h>

extern const struct pg_bench pg_syscall_basic, pg_syscall_getpgid, pg_syscall_call, pg_syscall_fork, pg_syscall_execve;

/* The row `loops` of conf struct CONF; DEFAULT is the ancestor's count as text. */
#define PG_SYSCALL_LOOPS(CONF, DEFAULT) PG_ROW_LOOPS(CONF, loops, "calls", DEFAULT, "auto", 'l')

/* Loops */

extern const struct pg_metric pg_syscall_loop_metrics[];

/* An empty loop of the shape of the calls' loops, in ns. */
int64_t pg_syscall_empty_ns(uint64_t loops);
/* Records all rows of pg_syscall_loop_metrics and the timed part. */
void pg_syscall_record(struct pg_run *run, uint64_t loops, int64_t time, int64_t empty);

/* One io_uring with room for one request, worked by system calls alone. Zeroed and fd -1 = none. */
struct pg_syscall_ring {
	int fd;
	void *sq, *cq, *entries; /* mapped */
	size_t sq_bytes, cq_bytes, entries_bytes;
	_Atomic uint32_t *sq_tail, *cq_head, *cq_tail;
	uint32_t cq_mask;
	const void *completions;
};
/* -1: PG_EUNSUPPORTED where the kernel has none or forbids it. r can be closed in either case. */
int pg_syscall_ring_open(struct pg_syscall_ring *r, struct pg_err *err);
void pg_syscall_ring_close(struct pg_syscall_ring *r);
/* Submits one request that does nothing and takes its completion: 1, or -1 with errno. */
long pg_syscall_ring_nop(struct pg_syscall_ring *r);

/* Spawning */

/* The row `parent_size` of conf struct CONF. */
#define PG_SYSCALL_PARENT_SIZE(CONF)                                                                                   \
	{                                                                                                              \
		.name = "parent_size", .doc = "extra written private memory of the forking process", .def = "0B",      \
		.min = "0B", .max = "16TB", PG_AT_SIZE(CONF, parent_size),                                             \
	}

enum { PG_SPAWN_TIME_PER_OP, PG_SPAWN_TIME, PG_SPAWN_RATE, PG_SPAWN_FORK_TIME, PG_SPAWN_OPERATIONS, PG_SPAWN_IN_FORK };

/* The rows that both benches have, in the order of the numbers above. */
/* clang-format off */
#define PG_SPAWN_METRICS \
	[PG_SPAWN_TIME_PER_OP] = PG_ROW_RATIO("time_per_op", "time / loops", PG_U_S, PG_LOWER, PG_SPAWN_TIME, \
		PG_SPAWN_OPERATIONS, PG_M_MAIN), \
	[PG_SPAWN_TIME] = PG_ROW_RAW("time", "the loop, with exit and reap of each child", PG_U_S, PG_LOWER, PG_SUM, \
		PG_M_GROWS), \
	[PG_SPAWN_RATE] = PG_ROW_RATIO("rate", "loops / time", PG_U_PER_S, PG_HIGHER, PG_SPAWN_OPERATIONS, \
		PG_SPAWN_TIME, 0), \
	[PG_SPAWN_FORK_TIME] = PG_ROW_RATIO("fork_time", "fork() entered to returned in the parent, mean", PG_U_S, \
		PG_LOWER, PG_SPAWN_IN_FORK, PG_SPAWN_OPERATIONS, 0), \
	[PG_SPAWN_OPERATIONS] = PG_ROW_HIDDEN("operations", "children reaped", PG_U_COUNT, PG_SUM, PG_M_GROWS), \
	[PG_SPAWN_IN_FORK] = PG_ROW_HIDDEN("fork_time_total", "in fork()", PG_U_S, PG_SUM, PG_M_GROWS)
/* clang-format on */

/* Memory of the parent: `size` bytes in base pages, each page written. NULL for 0 bytes, or with *err on failure. */
struct pg_syscall_ballast {
	void *p;
	size_t size;
};
int pg_syscall_ballast(struct pg_syscall_ballast *b, uint64_t size, struct pg_err *err);
void pg_syscall_ballast_drop(struct pg_syscall_ballast *b);
/* One child at a time beside such a parent. */
void pg_syscall_spawn_need(uint64_t parent_size, struct pg_need *need);

/*
 * Reaps child `pid` and returns 0 when it ended with status 0. -1: err says how it ended; `what` names it ("the
 * child").
 */
int pg_syscall_reap(pid_t pid, const char *what, struct pg_err *err);

#endif
