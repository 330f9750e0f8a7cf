/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loops of calls: what is recorded, and the loop without a call that tells the loop's own cost apart. */
#include "suites/syscall.h"

enum { M_TIME_PER_OP, M_TIME, M_RATE, M_CALL_TIME, M_OPERATIONS, M_NET_TIME, M_FLOOR };

const struct pg_metric pg_syscall_loop_metrics[] = {
	[M_TIME_PER_OP] = PG_ROW_RATIO("time_per_op", "time / loops", PG_U_S, PG_LOWER, M_TIME, M_OPERATIONS,
				       PG_M_MAIN | PG_M_BATCHED),
	[M_TIME] = PG_ROW_RAW("time", "the loop of calls", PG_U_S, PG_LOWER, PG_SUM, PG_M_GROWS | PG_M_BATCHED),
	[M_RATE] = PG_ROW_RATIO("rate", "loops / time", PG_U_PER_S, PG_HIGHER, M_OPERATIONS, M_TIME, PG_M_BATCHED),
	/* A loop of very few calls may take no longer than the empty one. */
	[M_CALL_TIME] = PG_ROW_RATIO("call_time", "time_per_op less an empty loop of the same shape", PG_U_S, PG_LOWER,
				     M_NET_TIME, M_OPERATIONS, PG_M_ZERO_OK | PG_M_TYPICAL),
	[M_OPERATIONS] = PG_ROW_HIDDEN("operations", "calls made", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_NET_TIME] = PG_ROW_HIDDEN("net_time_total", "time less that of the empty loop", PG_U_S, PG_SUM,
				     PG_M_GROWS | PG_M_ZERO_OK),
	[M_FLOOR] = PG_FLOOR_ROW,
	{.name = NULL},
};

int64_t pg_syscall_empty_ns(uint64_t loops)
{
	const int64_t start = pg_now_ns();

	for (uint64_t i = 0; i < loops; i++)
		__asm__ volatile("" : : : "memory"); /* the compiler must keep the loop */
	return pg_since(pg_now_ns(), start);
}

void pg_syscall_record(struct pg_run *run, uint64_t loops, int64_t time, int64_t empty)
{
	run->timed_ns = time;
	pg_record(run, M_TIME, time);
	pg_record(run, M_OPERATIONS, (int64_t)loops);
	pg_record(run, M_NET_TIME, pg_since(time, empty));
}
