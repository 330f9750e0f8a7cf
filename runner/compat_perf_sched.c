/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `perf bench sched`: messaging, pipe, seccomp-notify. */
#include <stdio.h>
#include <string.h>

#include "runner/compat_perf_call.h"
#include "runner/compat_perf_tables.h"

static bool threads(const struct pg_pb *p)
{
	return strcmp(pg_dropin_text(&p->d, "mode"), "thread") == 0;
}

static const struct pg_fopt messaging_options[] = {
	{.name = "pipe",
	 .letter = 'p',
	 .param = "transport",
	 .value = "pipe",
	 .help = "pipes in place of Unix sockets"},
	{.name = "thread", .letter = 't', .param = "mode", .value = "thread", .help = "threads in place of processes"},
	{.name = "group", .letter = 'g', .kind = PG_FOPT_UINT, .param = "groups", .help = "groups (default: 10)"},
	{.name = "nr_loops",
	 .letter = 'l',
	 .kind = PG_FOPT_UINT,
	 .param = "loops",
	 .help = "messages of each sender to each receiver (default: 100)"},
	{.name = "loop", .param = "nr_loops"}, /* of older versions */
	{.name = NULL},
};

static void messaging_each(struct pg_pb *p)
{
	const char *what = threads(p) ? "threads" : "processes";
	const uint64_t fds = (uint64_t)pg_dropin_value(&p->d, "fds"),
		       groups = (uint64_t)pg_dropin_value(&p->d, "groups");

	pg_str_addf(&p->out, "# %llu sender and receiver %s per group\n", (unsigned long long)fds, what);
	pg_str_addf(&p->out, "# %llu groups == %llu %s run\n\n", (unsigned long long)groups,
		    (unsigned long long)(2 * fds * groups), what);
	pg_pb_total(p);
}

static const struct pg_pb_bench messaging = {
	.collection = "sched",
	.name = "messaging",
	.synopsis = "perf bench sched messaging <options>",
	.options = messaging_options,
	.words_ok = true,
	.simple = PG_PB_SECONDS,
	.metric = "time",
	.unit = "seconds",
	.scale = 1,
	.each = messaging_each,
};

static const struct pg_fopt pipe_options[] = {
	{.name = "nonblocking",
	 .letter = 'n',
	 .param = "wait",
	 .value = "epoll",
	 .help = "pipes that do not block, and epoll_wait() before each read"},
	{.name = "loop",
	 .letter = 'l',
	 .kind = PG_FOPT_INT,
	 .param = "loops",
	 .help = "round trips (default: 1000000)"},
	{.name = "threaded",
	 .letter = 'T',
	 .param = "mode",
	 .value = "thread",
	 .help = "two threads, not two processes"},
	{.name = "cgroups",
	 .letter = 'G',
	 .kind = PG_FOPT_TEXT,
	 .arg = "SEND,RECV",
	 .param = "task_cgroups",
	 .help = "cgroups that the two tasks enter"},
	{.name = "write-size",
	 .letter = 's',
	 .kind = PG_FOPT_UINT,
	 .param = "size",
	 .value = "B",
	 .help = "bytes of a write (default: 4)"},
	{.name = "nr_loops", .param = "loop"},
	{.name = NULL},
};

static void pipe_each(struct pg_pb *p)
{
	pg_str_addf(&p->out, "# Executed %lld pipe operations between two %s\n\n",
		    (long long)pg_dropin_value(&p->d, "loops"), threads(p) ? "threads" : "processes");
	pg_pb_total(p);
	pg_str_addc(&p->out, '\n');
	pg_pb_op_lines(p);
}

static const struct pg_pb_bench pipe_bench = {
	.collection = "sched",
	.name = "pipe",
	.synopsis = "perf bench sched pipe <options>",
	.options = pipe_options,
	.words_ok = true,
	.simple = PG_PB_SECONDS,
	.metric = "time_per_op",
	.unit = "usecs/op",
	.scale = 1e6,
	.each = pipe_each,
};

static const struct pg_fopt seccomp_options[] = {
	{.name = "loop",
	 .letter = 'l',
	 .kind = PG_FOPT_UINT,
	 .param = "loops",
	 .help = "trapped calls (default: 1000000)"},
	{.name = "sync-mode",
	 .letter = 's',
	 .param = "sync_wakeup",
	 .value = "true",
	 .help = "synchronous wake-up of the listener"},
	{.name = NULL},
};

static void seccomp_each(struct pg_pb *p)
{
	pg_str_addf(&p->out, "# Executed %lld system calls\n\n", (long long)pg_dropin_value(&p->d, "loops"));
	pg_pb_total(p);
	pg_str_addc(&p->out, '\n');
	pg_pb_op_lines(p);
}

static const struct pg_pb_bench seccomp = {
	.collection = "sched",
	.name = "seccomp-notify",
	.synopsis = "perf bench sched seccomp-notify <options>",
	.options = seccomp_options,
	.words_ok = true,
	.simple = PG_PB_SECONDS,
	.metric = "time_per_op",
	.unit = "usecs/op",
	.scale = 1e6,
	.each = seccomp_each,
};

const struct pg_pb_bench *const pg_pb_sched[] = {&messaging, &pipe_bench, &seccomp, NULL};
