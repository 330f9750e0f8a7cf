/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `perf bench syscall`: basic, getpgid, fork, execve. */
#include "runner/compat_perf_call.h"
#include "runner/compat_perf_tables.h"

static const struct pg_fopt many_options[] = {
	{.name = "loop", .letter = 'l', .kind = PG_FOPT_INT, .param = "loops", .help = "calls (default: 10000000)"},
	{.name = "nr_loops", .param = "loop"},
	{.name = NULL},
};
static const struct pg_fopt few_options[] = {
	{.name = "loop", .letter = 'l', .kind = PG_FOPT_INT, .param = "loops", .help = "calls (default: 10000)"},
	{.name = "nr_loops", .param = "loop"},
	{.name = NULL},
};

static void each(struct pg_pb *p, const char *call)
{
	pg_str_addf(&p->out, "# Executed %lld %s calls\n", (long long)pg_dropin_value(&p->d, "loops"), call);
	pg_pb_total(p);
	pg_str_addc(&p->out, '\n');
	pg_pb_op_lines(p);
}

static void basic_each(struct pg_pb *p)
{
	each(p, "getppid()");
}

static void getpgid_each(struct pg_pb *p)
{
	each(p, "getpgid()");
}

static void fork_each(struct pg_pb *p)
{
	each(p, "fork()");
}

static void execve_each(struct pg_pb *p)
{
	each(p, "execve()");
}

/* clang-format off */
#define BENCH(NAME, OPTIONS, EACH)                                                                                     \
	{.collection = "syscall", .name = NAME, .synopsis = "perf bench syscall <options>", .options = OPTIONS,        \
	 .words_ok = true, .simple = PG_PB_SECONDS, .metric = "time_per_op", .unit = "usecs/op", .scale = 1e6,       \
	 .each = EACH}
/* clang-format on */

static const struct pg_pb_bench basic = BENCH("basic", many_options, basic_each);
static const struct pg_pb_bench getpgid = BENCH("getpgid", many_options, getpgid_each);
static const struct pg_pb_bench forks = BENCH("fork", few_options, fork_each);
static const struct pg_pb_bench execs = BENCH("execve", few_options, execve_each);

const struct pg_pb_bench *const pg_pb_syscall[] = {&basic, &getpgid, &forks, &execs, NULL};
