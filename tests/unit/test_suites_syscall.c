/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loops of system calls: syscall/basic, syscall/getpgid, and syscall/call with each of its functions. */
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>

#include "model/metric.h"
#include "registry/registry.h"
#include "tests/support/pgdeny.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

static const char *const loop_benches[] = {"syscall/basic", "syscall/getpgid", "syscall/call"};
#define BENCHES 3

/* Each function and the system call that it must make. */
static const struct {
	const char *function;
	long number;
} calls[] = {
	{"getppid", SYS_getppid},
	{"getpgid", SYS_getpgid},
	{"gettid", SYS_gettid},
	{"sched_yield", SYS_sched_yield},
	{"clock_gettime", SYS_clock_gettime},
	{"clock_gettime-vdso", -1},
	{"read-null", SYS_read},
	{"read-zero", SYS_read},
	{"write-null", SYS_write},
	{"write-zero", SYS_write},
	{"futex-wake", SYS_futex},
	{"io_uring-nop", SYS_io_uring_enter},
};
#define CALLS ((int)(sizeof(calls) / sizeof(calls[0])))

static void rep(struct ps_bench *b, const char *bench, const char *params)
{
	const struct ps_around before = ps_look();

	ps_bind(b, pg_bench_find(bench), params);
	ck_assert_msg(ps_rep(b) == 0, "%s", b->err.msg);
	ps_same(&before);
}

static void bind_function(struct ps_bench *b, int i, const char *more)
{
	char params[80];

	snprintf(params, sizeof(params), "function=%s %s", calls[i].function, more);
	ps_bind(b, pg_bench_find("syscall/call"), params);
}

START_TEST(calls_are_counted)
{
	static const int64_t counts[] = {1, 2, 1000, 200000};
	struct ps_bench b;
	char params[40];

	snprintf(params, sizeof(params), "loops=%lld", (long long)counts[_i / BENCHES]);
	rep(&b, loop_benches[_i % BENCHES], params);
	ck_assert_int_eq(ps_raw(&b, "operations"), counts[_i / BENCHES]);
	ck_assert_int_gt(ps_raw(&b, "time"), 0);
	ck_assert_int_ge(ps_raw(&b, "net_time_total"), 0);
	ck_assert_int_le(ps_raw(&b, "net_time_total"), ps_raw(&b, "time"));
	ck_assert_int_eq(b.run.timed_ns, ps_raw(&b, "time"));
	ps_done(&b);
}
END_TEST

/* A hundred times the calls take longer, and the empty loop is the smaller part. */
START_TEST(time_grows_with_calls)
{
	struct ps_bench few, many;

	rep(&few, loop_benches[_i], "loops=2000");
	rep(&many, loop_benches[_i], "loops=200000");
	ck_assert_int_gt(ps_raw(&many, "time"), ps_raw(&few, "time"));
	ck_assert_int_gt(ps_raw(&many, "net_time_total"), ps_raw(&many, "time") / 2);
	ps_done(&few);
	ps_done(&many);
}
END_TEST

START_TEST(values_follow_from_samples)
{
	const struct pg_metric *rows = pg_bench_find("syscall/basic")->metrics;
	struct pg_sample s[3];
	size_t time, ops, net, row;
	double v;

	pg_metric_find(rows, "time", &time);
	pg_metric_find(rows, "operations", &ops);
	pg_metric_find(rows, "net_time_total", &net);
	ck_assert(time < ops && ops < net);
	s[0] = (struct pg_sample){.raw = 5000, .metric = (uint32_t)time, .exp10 = -9};
	s[1] = (struct pg_sample){.raw = 10, .metric = (uint32_t)ops};
	s[2] = (struct pg_sample){.raw = 4000, .metric = (uint32_t)net, .exp10 = -9};
	pg_metric_find(rows, "time_per_op", &row);
	ck_assert(pg_metric_value(rows, row, s, 3, &v));
	ck_assert_double_eq_tol(v, 500e-9, 1e-18);
	pg_metric_find(rows, "call_time", &row);
	ck_assert(pg_metric_value(rows, row, s, 3, &v));
	ck_assert_double_eq_tol(v, 400e-9, 1e-18);
	pg_metric_find(rows, "rate", &row);
	ck_assert(pg_metric_value(rows, row, s, 3, &v));
	ck_assert_double_eq_tol(v, 2e6, 1e-3);
	/* One call within a nanosecond: a number, where the ancestor casts infinity to an int. */
	s[0].raw = 1;
	s[1].raw = INT64_C(5000000000);
	pg_metric_find(rows, "rate", &row);
	ck_assert(pg_metric_value(rows, row, s, 3, &v));
	ck_assert_double_eq_tol(v, 5e18, 1e6);
}
END_TEST

/* The choices are those of the table above, in its order. */
START_TEST(functions_of_call)
{
	const struct pg_choice *c = pg_param_find(pg_bench_find("syscall/call")->params, "function", NULL)->choices;

	ck_assert_uint_eq(pg_choice_count(c), CALLS);
	for (int i = 0; i < CALLS; i++)
		ck_assert_str_eq(c[i].name, calls[i].function);
}
END_TEST

START_TEST(each_function_runs)
{
	const struct ps_around before = ps_look();
	struct ps_bench b;
	struct pg_need need;

	bind_function(&b, _i, "loops=3000");
	if (ps_probe(&b, &need)) {
		ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
		ck_assert_msg(strstr(b.err.msg, calls[_i].function) && strstr(b.err.msg, "; `all` takes"), "%s",
			      b.err.msg);
	} else {
		ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
		ck_assert_int_eq(ps_raw(&b, "operations"), 3000);
		ck_assert_uint_le(need.descriptors, 1);
	}
	ps_same(&before);
	ps_done(&b);
}
END_TEST

/* 0 = failed before the loop with the reason; 50 = there are no filters here. */
static int denied_before(void *arg)
{
	struct ps_bench *b = arg;
	const int i = (int)b->run.rep;

	if (pg_deny(calls[i].number, EPERM))
		return 50;
	if (ps_rep(b) == 0)
		return 1;
	return strstr(b->err.msg, calls[i].function) && strstr(b->err.msg, "failed: Operation not permitted") ? 0 : 2;
}

/* Without its system call the function cannot work: it makes that call and no other instead. */
START_TEST(functions_make_their_call)
{
	struct ps_bench b;
	struct pg_need need;
	int r;

	bind_function(&b, _i, "loops=10");
	b.run.rep = (uint32_t)_i;
	if (calls[_i].number >= 0 && ps_probe(&b, &need) == 0) {
		r = ps_in_child(denied_before, &b);
		ck_assert_msg(r == 0 || r == 50, "%s: %d", calls[_i].function, r);
	}
	ps_done(&b);
}
END_TEST

/* The clock by libc goes on where the system call is denied: it does not trap (if this machine's clock can be read
 * so at all). */
static int vdso_goes_on(void *arg)
{
	struct timespec t;

	if (pg_deny(SYS_clock_gettime, EPERM) || clock_gettime(CLOCK_MONOTONIC, &t))
		return 50;
	return ps_rep(arg) == 0 ? 0 : 1;
}

START_TEST(vdso_does_not_trap)
{
	struct ps_bench b;
	struct pg_need need;
	int r;

	bind_function(&b, 5, "loops=1000");
	if (ps_probe(&b, &need) == 0) {
		r = ps_in_child(vdso_goes_on, &b);
		ck_assert(r == 0 || r == 50);
	}
	ps_done(&b);
}
END_TEST

static int denied_on_the_way(void *arg)
{
	struct ps_bench *b = arg;

	if (b->bench->setup(&b->run, &b->err))
		return 1;
	if (pg_deny(SYS_sched_yield, EPERM))
		return 50;
	if (b->bench->once(&b->run, &b->err) == 0)
		return 2;
	b->bench->teardown(&b->run);
	return strstr(b->err.msg, "sched_yield failed on the way") ? 0 : 3;
}

/* What the calls return is looked at: calls that fail inside the loop are no measurement. */
START_TEST(failing_calls_end_the_rep)
{
	struct ps_bench b;
	int r;

	bind_function(&b, 3, "loops=100");
	r = ps_in_child(denied_on_the_way, &b);
	ck_assert_msg(r == 0 || r == 50, "%d", r);
	ps_done(&b);
}
END_TEST

static int no_ring(void *arg)
{
	struct ps_bench *b = arg;
	const struct ps_around before = ps_look();
	struct pg_need need = {0};
	const struct pg_probe_env env = {.root = ""};

	if (pg_deny(SYS_io_uring_setup, ENOSYS))
		return 50;
	if (b->bench->probe(b->conf, &env, &need, &b->err) == 0 || b->err.code != PG_EUNSUPPORTED)
		return 1;
	if (!strstr(b->err.msg, "io_uring is absent or forbidden; see /proc/sys/kernel/io_uring_disabled"))
		return 2;
	if (ps_rep(b) == 0 || b->err.code != PG_EUNSUPPORTED)
		return 3;
	ps_same(&before);
	return 0;
}

/* A kernel without io_uring is a reason, not a failure. */
START_TEST(ring_is_refused_by_the_kernel)
{
	struct ps_bench b;
	int r;

	bind_function(&b, 11, "loops=100");
	r = ps_in_child(no_ring, &b);
	ck_assert_msg(r == 0 || r == 50, "%d", r);
	ps_done(&b);
}
END_TEST

PG_TEST_MAIN("suites_syscall", ((const struct pg_test[]){
				       {calls_are_counted, 4 * BENCHES},
				       {time_grows_with_calls, BENCHES},
				       {values_follow_from_samples, 0},
				       {functions_of_call, 0},
				       {each_function_runs, CALLS},
				       {functions_make_their_call, CALLS},
				       {vdso_does_not_trap, 0},
				       {failing_calls_end_the_rep, 0},
				       {ring_is_refused_by_the_kernel, 0},
				       {NULL, 0},
			       }))
