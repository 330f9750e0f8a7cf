/* SPDX-License-Identifier: GPL-2.0-or-later */
/* breakpoint/thread and breakpoint/enable: counts, inheritance, refusals, failure in the middle. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>

#include "model/metric.h"
#include "registry/registry.h"
#include "suites/breakpoint.h"
#include "tests/support/pgdeny.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const struct pg_bench *bench(const char *name)
{
	return pg_bench_find(name);
}

/* Whether this machine sets that many breakpoints: by the bench's own probe. */
static bool can(const char *params)
{
	struct ps_bench b;
	struct pg_need need;
	int r;

	ps_bind(&b, bench("breakpoint/thread"), params);
	r = ps_probe(&b, &need);
	if (r)
		ck_assert_msg(b.err.code == PG_EUNSUPPORTED && strchr(b.err.msg, ';'), "%s", b.err.msg);
	ps_done(&b);
	return r == 0;
}

static void rep(struct ps_bench *b, const char *name, const char *params)
{
	const struct ps_around before = ps_look();

	ps_bind(b, bench(name), params);
	ck_assert_msg(ps_rep(b) == 0, "%s: %s", params, b->err.msg);
	ps_same(&before);
}

static const struct thread_case {
	const char *params;
	int64_t made, creators;
} thread_cases[] = {
	{"loops=1", 1, 1},
	{"loops=7", 7, 1},
	{"loops=10 threads=3", 30, 1},
	{"loops=10 creators=3", 10, 3},
	{"loops=2 creators=5 threads=2", 4, 5}, /* more creators than batches */
	{"loops=9 creators=2 threads=4 breakpoints=0", 36, 2},
	{"loops=5 breakpoints=4", 5, 1},
	{"loops=5 creators=2 placement=same-cpu", 5, 2},
};

/* threads are counted, not batches; relations between the metrics hold to the digit. */
START_TEST(threads_are_counted)
{
	const struct thread_case *c = &thread_cases[_i];
	struct ps_bench b;

	if (!can(c->params))
		return;
	rep(&b, "breakpoint/thread", c->params);
	ck_assert_int_eq(ps_raw(&b, "operations"), c->made);
	ck_assert_int_gt(ps_raw(&b, "time"), 0);
	ck_assert_int_eq(ps_raw(&b, "creator_time"), ps_raw(&b, "time") * c->creators);
	ck_assert_int_gt(ps_raw(&b, "work_time"), 0);
	ck_assert_int_le(ps_raw(&b, "work_time"), ps_raw(&b, "time"));
	ps_done(&b);
}
END_TEST

START_TEST(values_follow_from_samples)
{
	const struct pg_metric *rows = bench("breakpoint/thread")->metrics;
	static const struct {
		const char *name;
		double value;
	} c[] = {{"time_per_op", 100e-9}, {"time_per_op_per_cpu", 300e-9}, {"work_time_per_op", 80e-9}};
	struct pg_sample s[4];
	size_t at;

	pg_metric_find(rows, "time", &at);
	s[0] = (struct pg_sample){.raw = 4000, .metric = (uint32_t)at, .exp10 = -9};
	pg_metric_find(rows, "operations", &at);
	s[1] = (struct pg_sample){.raw = 40, .metric = (uint32_t)at};
	pg_metric_find(rows, "creator_time", &at);
	s[2] = (struct pg_sample){.raw = 12000, .metric = (uint32_t)at, .exp10 = -9};
	pg_metric_find(rows, "work_time", &at);
	s[3] = (struct pg_sample){.raw = 3200, .metric = (uint32_t)at, .exp10 = -9};
	for (int i = 0; i < COUNT(c); i++) {
		double v;

		ck_assert(pg_metric_find(rows, c[i].name, &at) != NULL);
		ck_assert(pg_metric_value(rows, at, s, 4, &v));
		ck_assert_double_eq_tol(v, c[i].value, 1e-18);
	}
}
END_TEST

struct toucher {
	volatile unsigned char *byte;
	bool makes;		/* one more thread, which does the same */
	_Atomic unsigned *free; /* breakpoints that a thread could still set, of all threads together */
};

static unsigned free_breakpoints(void)
{
	static unsigned char byte;
	unsigned n = 0;
	int fds[PG_BREAKPOINTS];

	while (n < PG_BREAKPOINTS && pg_breakpoints_open(&fds[n], 1, &byte, NULL) == 0)
		n++;
	pg_breakpoints_close(fds, n);
	return n;
}

static void *touch(void *arg)
{
	const struct toucher *t = arg;
	struct toucher other = {t->byte, false, t->free};
	pthread_t thread;

	*t->byte = 1;
	atomic_fetch_add(t->free, free_breakpoints());
	if (t->makes && pthread_create(&thread, NULL, touch, &other) == 0)
		pthread_join(thread, NULL);
	return NULL;
}

/*
 * What the benches measure is there: in threads of threads the inherited watchpoints take the places of new ones. Where
 * the machine delivers their hits (some guests do not), they also count.
 */
START_TEST(breakpoints_are_inherited)
{
	static volatile unsigned char byte;
	_Atomic unsigned left = 0;
	struct toucher t = {&byte, true, &left};
	struct pg_err err;
	pthread_t thread;
	uint64_t hits, more;
	unsigned all, n = (unsigned)_i;
	int fds[PG_BREAKPOINTS];

	if (!can("breakpoints=2"))
		return;
	all = free_breakpoints();
	ck_assert_uint_ge(all, n);
	ck_assert_int_eq(pg_breakpoints_open(fds, n, (const void *)(uintptr_t)&byte, &err), 0);
	ck_assert_int_eq(pthread_create(&thread, NULL, touch, &t), 0);
	pthread_join(thread, NULL);
	ck_assert_uint_eq(left, 2 * (all - n));
	byte = 1;
	for (unsigned i = 0; i < n; i++) {
		ck_assert_int_eq(read(fds[i], &hits, sizeof(hits)), sizeof(hits));
		byte = 2;
		ck_assert_int_eq(read(fds[i], &more, sizeof(more)), sizeof(more));
		if (more > hits)
			ck_assert_uint_ge(hits, 3); /* two threads and this one */
	}
	pg_breakpoints_close(fds, n);
	ck_assert_uint_eq(free_breakpoints(), all);
}
END_TEST

/* 64 are more than any machine has: refused by the probe, and a rep leaves none behind. */
START_TEST(too_many_breakpoints)
{
	const struct ps_around before = ps_look();
	struct ps_bench b;
	struct pg_need need;

	if (!can("breakpoints=1"))
		return;
	ck_assert(can("breakpoints=0"));
	ps_bind(&b, bench("breakpoint/thread"), "breakpoints=64");
	if (ps_probe(&b, &need) == 0) {
		ps_done(&b);
		return;
	}
	ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
	ck_assert_msg(strstr(b.err.msg, "of 64: the hardware has no more free") &&
			      strstr(b.err.msg, "lower breakpoints"),
		      "%s", b.err.msg);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(ps_rep(&b), -1);
	ps_done(&b);
	ps_same(&before);
	ck_assert(can("breakpoints=1"));
}
END_TEST

static int refused(void *arg)
{
	const int *error = arg;
	static const struct {
		int error;
		const char *says;
	} c[] = {
		{ENOSYS, "no perf_event_open; use one with CONFIG_PERF_EVENTS"},
		{EACCES, "may not be set by this user; lower kernel.perf_event_paranoid"},
		{EPERM, "may not be set by this user"},
		{ENODEV, "no hardware breakpoints for data"},
		{EOPNOTSUPP, "no hardware breakpoints for data"},
		{ENOSPC, "breakpoint 1 of 1: the hardware has no more free"},
	};
	unsigned char byte = 0;
	struct pg_err err;
	int fd;

	if (pg_deny(SYS_perf_event_open, *error))
		return 0;
	if (pg_breakpoints_open(&fd, 1, &byte, &err) != -1 || err.code != PG_EUNSUPPORTED)
		return 1;
	for (int i = 0; i < COUNT(c); i++)
		if (c[i].error == *error && strstr(err.msg, c[i].says) && strchr(err.msg, ';'))
			return 0;
	return 2;
}

START_TEST(refusals_say_why)
{
	static const int errors[] = {ENOSYS, EACCES, EPERM, ENODEV, EOPNOTSUPP, ENOSPC};
	int error = errors[_i];

	ck_assert_int_eq(ps_in_child(refused, &error), 0);
}
END_TEST

/* No more threads can be made once the creators wait: the batch is given up, what was made is joined, the rep says so.
 */
static int without_threads(void *arg)
{
	struct ps_bench b;
	int before, r;

	ps_bind(&b, bench("breakpoint/thread"), arg);
	before = ps_entries("/proc/self/fd");
	/* The limit counts all tasks of the user: an ordinary one with others' tasks meets it at once. */
	r = ps_rep(&b);
	if (r != -1 || ps_entries("/proc/self/fd") != before || live_tasks() != 1)
		return 1;
	return strstr(b.err.msg, "threads") ? 0 : 2;
}

START_TEST(a_batch_that_cannot_be_whole)
{
	static char params[] = "loops=1000000000000 threads=100000 breakpoints=0 creators=2";
	const struct rlimit space = {(rlim_t)1 << 30, (rlim_t)1 << 30};

#ifndef PG_SANITIZED /* these reserve address space of their own */
	if (setrlimit(RLIMIT_AS, &space) == 0)
		ck_assert_int_eq(ps_in_child(without_threads, params), 0);
#else
	(void)space;
	(void)params;
	(void)without_threads;
#endif
}
END_TEST

static const char *const enable_cases[] = {
	"loops=1",
	"loops=20 settle=0s",
	"loops=20 blocked_threads=3 settle=0s",
	"loops=20 spinning_threads=2 settle=1ms",
	"loops=5 blocked_threads=8 spinning_threads=1 settle=0s",
	"loops=5 blocked_threads=2 spinning_threads=1 placement=same-cpu settle=0s",
};

START_TEST(pairs_are_counted)
{
	struct ps_bench b;

	if (!can("breakpoints=1"))
		return;
	rep(&b, "breakpoint/enable", enable_cases[_i]);
	ck_assert_int_eq(ps_raw(&b, "operations"), enable_cases[_i][6] == '2' ? 20 : enable_cases[_i][6] - '0');
	ck_assert_int_gt(ps_raw(&b, "time"), 0);
	ck_assert_int_gt(ps_raw(&b, "disable_total"), 0);
	ck_assert_int_gt(ps_raw(&b, "enable_total"), 0);
	ck_assert_int_eq(b.run.timed_ns, ps_raw(&b, "time"));
	ps_done(&b);
}
END_TEST

/* The rest lies before the timed part, and takes at least what was asked for. */
START_TEST(settle_is_outside)
{
	struct ps_bench b;
	int64_t start;

	if (!can("breakpoints=1"))
		return;
	ps_bind(&b, bench("breakpoint/enable"), "loops=1 settle=120ms");
	start = pg_now_ns();
	ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
	start = pg_since(pg_now_ns(), start);
	ck_assert_int_ge(start, 120000000);
	ck_assert_int_le(ps_raw(&b, "time"), start - 120000000);
	ps_done(&b);
}
END_TEST

START_TEST(needs_are_told)
{
	static const struct {
		const char *bench, *params;
		uint64_t tasks, descriptors;
	} c[] = {
		{"breakpoint/thread", "creators=3 threads=5 breakpoints=2", 18, 2},
		{"breakpoint/thread", "creators=100000 threads=100000 breakpoints=0", UINT64_C(10000100000), 0},
		{"breakpoint/enable", "blocked_threads=7 spinning_threads=4", 11, 1},
		{"breakpoint/enable", "", 0, 1},
	};
	struct ps_bench b;
	struct pg_need need;

	if (!can("breakpoints=2"))
		return;
	for (int i = 0; i < COUNT(c); i++) {
		ps_bind(&b, bench(c[i].bench), c[i].params);
		ck_assert_msg(ps_probe(&b, &need) == 0, "%s", b.err.msg);
		ck_assert_uint_eq(need.tasks, c[i].tasks);
		ck_assert_uint_eq(need.descriptors, c[i].descriptors);
		ck_assert_uint_ge(need.bytes, need.tasks * 4096);
		ps_done(&b);
	}
}
END_TEST

PG_TEST_MAIN("suites_breakpoint", ((const struct pg_test[]){
					  {threads_are_counted, COUNT(thread_cases)},
					  {values_follow_from_samples, 0},
					  {breakpoints_are_inherited, 3},
					  {too_many_breakpoints, 0},
					  {refusals_say_why, 6},
					  {a_batch_that_cannot_be_whole, 0},
					  {pairs_are_counted, COUNT(enable_cases)},
					  {settle_is_outside, 0},
					  {needs_are_told, 0},
					  {NULL, 0},
				  }))
