/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall/basic: getppid() through libc in a loop (perf bench syscall basic).
 * Timed: the loop only (time, time_per_op, rate). call_time takes away an empty loop of the same shape, timed in the
 * same rep just before. Not timed: anything else; there is nothing to set up. Differs from the ancestor: monotonic
 * clock, 64-bit counts, the loop's own cost told apart.
 */
#include "pg_bench.h"

#include <unistd.h>

extern const struct pg_suite pg_suite_syscall;

struct basic_conf {
	uint64_t loops;
};

static const struct pg_choice auto_word[] = {{"auto", "calibrated to sample_time"}, {NULL, NULL}};

static const struct pg_param basic_params[] = {
	{
		.name = "loops",
		.doc = "calls",
		.def = "10000000",
		.sdef = "auto",
		.min = "1",
		.max = "1000000000000",
		.choices = auto_word,
		.role = PG_OPS,
		.opt = 'l',
		PG_AT_COUNT(struct basic_conf, loops),
	},
	{.name = NULL},
};

enum { M_TIME_PER_OP, M_TIME, M_RATE, M_CALL_TIME, M_OPERATIONS, M_NET_TIME };

static const struct pg_metric basic_metrics[] = {
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

static int64_t empty_loop_ns(uint64_t loops)
{
	const int64_t start = pg_now_ns();

	for (uint64_t i = 0; i < loops; i++)
		__asm__ volatile("" : : : "memory"); /* the compiler must keep the loop */
	return pg_since(pg_now_ns(), start);
}

static int64_t call_loop_ns(uint64_t loops)
{
	const int64_t start = pg_now_ns();

	for (uint64_t i = 0; i < loops; i++)
		getppid();
	return pg_since(pg_now_ns(), start);
}

static int basic_once(struct pg_run *run, struct pg_err *err)
{
	const struct basic_conf *conf = run->conf;
	const int64_t empty = empty_loop_ns(conf->loops);
	const int64_t time = call_loop_ns(conf->loops);

	(void)err;
	run->timed_ns = time;
	pg_record(run, M_TIME, time);
	pg_record(run, M_OPERATIONS, (int64_t)conf->loops);
	pg_record(run, M_NET_TIME, pg_since(time, empty));
	return 0;
}

static const struct pg_bench basic = {
	.name = "syscall/basic",
	.summary = "getppid() in a loop",
	.params = basic_params,
	.metrics = basic_metrics,
	.conf_size = sizeof(struct basic_conf),
	.once = basic_once,
};

static const struct pg_bench *const benches[] = {&basic, NULL};

const struct pg_suite pg_suite_syscall = {
	.name = "syscall",
	.summary = "single system calls",
	.benches = benches,
};
