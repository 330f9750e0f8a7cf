/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loops of calls: what is recorded, and the loop without a call that tells the loop's own cost apart. */
#include "suites/syscall.h"

enum { M_TIME_PER_OP, M_TIME, M_RATE, M_CALL_TIME, M_OPERATIONS, M_NET_TIME };

const struct pg_metric pg_syscall_loop_metrics[] = {
	[M_TIME_PER_OP] = {.name = "time_per_op",
			   .doc = "time / loops",
			   .unit = PG_U_S,
			   .better = PG_LOWER,
			   .reduce = PG_RATIO,
			   .num = M_TIME,
			   .den = M_OPERATIONS,
			   .flags = PG_M_MAIN},
	[M_TIME] = {.name = "time",
		    .doc = "the loop of calls",
		    .unit = PG_U_S,
		    .better = PG_LOWER,
		    .reduce = PG_SUM,
		    .flags = PG_M_GROWS},
	[M_RATE] = {.name = "rate",
		    .doc = "loops / time",
		    .unit = PG_U_PER_S,
		    .better = PG_HIGHER,
		    .reduce = PG_RATIO,
		    .num = M_OPERATIONS,
		    .den = M_TIME},
	/* A loop of very few calls may take no longer than the empty one. */
	[M_CALL_TIME] = {.name = "call_time",
			 .doc = "time_per_op less an empty loop of the same shape",
			 .unit = PG_U_S,
			 .better = PG_LOWER,
			 .reduce = PG_RATIO,
			 .num = M_NET_TIME,
			 .den = M_OPERATIONS,
			 .flags = PG_M_ZERO_OK},
	[M_OPERATIONS] = {.name = "operations",
			  .doc = "calls made",
			  .unit = PG_U_COUNT,
			  .better = PG_NEITHER,
			  .reduce = PG_SUM,
			  .flags = PG_M_HIDDEN | PG_M_GROWS},
	[M_NET_TIME] = {.name = "net_time_total",
			.doc = "time less that of the empty loop",
			.unit = PG_U_S,
			.better = PG_LOWER,
			.reduce = PG_SUM,
			.flags = PG_M_HIDDEN | PG_M_GROWS | PG_M_ZERO_OK},
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
