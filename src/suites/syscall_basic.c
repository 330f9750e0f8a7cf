/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall/basic: getppid() through libc in a loop (perf bench syscall basic).
 * Timed: the loop only (time, time_per_op, rate). call_time takes away an empty loop of the same shape, timed in the
 * same rep just before. Not timed: anything else; there is nothing to set up. Differs from the ancestor: monotonic
 * clock, 64-bit counts, the loop's own cost told apart.
 */
#include "suites/syscall.h"

#include <unistd.h>

struct basic_conf {
	uint64_t loops;
};

static const struct pg_param params[] = {
	PG_SYSCALL_LOOPS(struct basic_conf, "10000000"),
	{.name = NULL},
};

static int64_t call_loop_ns(uint64_t loops)
{
	const int64_t start = pg_now_ns();

	for (uint64_t i = 0; i < loops; i++)
		getppid();
	return pg_since(pg_now_ns(), start);
}

static int once(struct pg_run *run, struct pg_err *err)
{
	const struct basic_conf *conf = run->conf;
	const int64_t empty = pg_syscall_empty_ns(conf->loops);
	const int64_t time = call_loop_ns(conf->loops);

	(void)err;
	pg_syscall_record(run, conf->loops, time, empty);
	return 0;
}

const struct pg_bench pg_syscall_basic = {
	.name = "syscall/basic",
	.summary = "getppid() in a loop",
	.params = params,
	.metrics = pg_syscall_loop_metrics,
	.conf_size = sizeof(struct basic_conf),
	.once = once,
	.batchable = true,
};
