/* SPDX-License-Identifier: GPL-2.0-or-later */
/* epoll/ctl, and what both epoll benches need and refuse. */
#include <stdio.h>
#include <sys/stat.h>

#include "model/metric.h"
#include "tests/support/epollkit.h"
#include "tests/support/pgtest.h"

static const char *const queues[] = {"common", "per-thread"};
static const char *const patterns[] = {"sequential", "random"};

START_TEST(calls_are_counted)
{
	static const char *const sleeps[] = {"250ns", "0s"};
	const bool sequential = _i % 2 == 0;
	struct ek_bench eb;
	const struct ps_bench *b = &eb.b;
	char params[160];
	int64_t adds, modifies, deletes;

	snprintf(params, sizeof(params), "threads=%d runtime=20ms fds=7 pattern=%s nesting=%d loop_sleep=%s",
		 1 + _i / 2 % 2, patterns[_i % 2], _i % 5, sleeps[_i / 4]);
	ek_good_rep(&eb, "epoll/ctl", params);
	/* Means over threads are sums here, as recorded. */
	adds = ps_raw(b, "thread_adds");
	modifies = ps_raw(b, "thread_modifies");
	deletes = ps_raw(b, "thread_deletes");
	ck_assert_int_gt(adds + modifies + deletes, 0);
	ck_assert_int_eq(adds + modifies + deletes, ps_raw(b, "calls"));
	ck_assert_int_ge(ps_raw(b, "elapsed"), 20000000);
	ck_assert_int_ge(ps_raw(b, "work_span"), 20000000);
	ck_assert_int_ge(ps_raw(b, "work_calls"), ps_raw(b, "calls"));
	ck_assert_int_ge(ps_raw(b, "awake_adds") + ps_raw(b, "awake_modifies") + ps_raw(b, "awake_deletes") + 6,
			 ps_raw(b, "work_calls"));
	ck_assert_int_le(ps_raw(b, "slowest_thread"), ps_raw(b, "fastest_thread"));
	if (sequential) {
		ck_assert_int_eq(adds, modifies);
		ck_assert_int_eq(adds, deletes);
	} else if (_i / 2 % 2 == 0) { /* one thread: 4 of 7 are there at the start */
		ck_assert_int_ge(4 + adds - deletes, 0);
		ck_assert_int_le(4 + adds - deletes, 7);
	}
	if (_i / 4) /* no sleep to leave out */
		ck_assert_int_le(ps_raw(b, "awake_adds") + ps_raw(b, "awake_modifies") + ps_raw(b, "awake_deletes"),
				 ps_raw(b, "work_calls") + 6);
	ps_done(&eb.b);
}
END_TEST

/* Sleeping 5 ms after each call halves nothing: the rates of calls leave it out, the rate over all time does not. */
START_TEST(sleeps_are_left_out)
{
	struct ek_bench eb;
	const struct ps_bench *b = &eb.b;

	ek_good_rep(&eb, "epoll/ctl", "threads=1 runtime=100ms fds=4 pattern=random loop_sleep=5ms");
	ck_assert_int_le(ps_raw(b, "calls"), 21);
	ck_assert_int_gt(ps_raw(b, "awake_adds") + ps_raw(b, "awake_modifies") + ps_raw(b, "awake_deletes"),
			 5 * ps_raw(b, "work_calls"));
	ps_done(&eb.b);
}
END_TEST

START_TEST(rates_follow_from_samples)
{
	static const struct {
		const char *bench, *rate, *num, *den;
		int64_t n, d;
		double expect;
	} rates[] = {
		{"epoll/wait", "thread_rate", "events_read", "thread_elapsed", 3000, 1500000000, 2000},
		{"epoll/wait", "thread_rate_standard_error", "events_error", "elapsed", 50, 500000000, 100},
		{"epoll/wait", "rate", "events_read", "elapsed", 3000, 500000000, 6000},
		{"epoll/wait", "work_rate", "work_events", "work_span", 3000, 500000000, 6000},
		{"epoll/wait", "thread_fairness", "slowest_thread", "fastest_thread", 30, 40, 0.75},
		{"epoll/ctl", "rate", "calls", "elapsed", 700, 2000000000, 350},
		{"epoll/ctl", "add_rate", "awake_adds", "work_span", 700, 2000000000, 350},
		{"epoll/ctl", "modify_rate", "awake_modifies", "work_span", 700, 2000000000, 350},
		{"epoll/ctl", "delete_rate", "awake_deletes", "work_span", 700, 2000000000, 350},
		{"epoll/ctl", "work_rate", "work_calls", "work_span", 700, 2000000000, 350},
		{"epoll/ctl", "thread_fairness", "slowest_thread", "fastest_thread", 30, 40, 0.75},
	};

	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		const struct pg_metric *rows = pg_bench_find(rates[i].bench)->metrics;
		struct pg_sample s[2];
		size_t num, den, row;
		double v;

		ck_assert_ptr_nonnull(pg_metric_find(rows, rates[i].num, &num));
		ck_assert_ptr_nonnull(pg_metric_find(rows, rates[i].den, &den));
		ck_assert_ptr_nonnull(pg_metric_find(rows, rates[i].rate, &row));
		s[num > den] = (struct pg_sample){.raw = rates[i].n, .metric = (uint32_t)num};
		s[num < den] = (struct pg_sample){
			.raw = rates[i].d, .metric = (uint32_t)den, .exp10 = (int8_t)pg_unit_exp(rows[den].unit)};
		ck_assert(pg_metric_value(rows, row, s, 2, &v));
		ck_assert_msg(v > rates[i].expect * 0.999999 && v < rates[i].expect * 1.000001, "%s of %s: %g",
			      rates[i].rate, rates[i].bench, v);
	}
}
END_TEST

struct limited {
	char bench[16], params[120];
	uint64_t descriptors; /* beside 0-2 */
	struct pg_err err;
};

static int rep_with_limit(void *arg)
{
	struct limited *l = arg;
	const struct rlimit lim = {3 + l->descriptors, 3 + l->descriptors};
	struct ek_bench eb;
	struct rlimit after;
	int r, left;

	for (int fd = 3; fd < 1000; fd++)
		close(fd);
	ek_bind(&eb, l->bench, l->params);
	if (setrlimit(RLIMIT_NOFILE, &lim))
		return 10;
	r = ps_rep(&eb.b);
	l->err = eb.b.err;
	ps_done(&eb.b);
	left = dup(0); /* the lowest free one */
	if (left != 3 || getrlimit(RLIMIT_NOFILE, &after) || memcmp(&after, &lim, sizeof(lim)) != 0)
		return 11;
	return r ? 1 : 0;
}

/* What the probe says is needed is enough, and one less ends cleanly with the reason; the limit stays. */
START_TEST(descriptor_need_is_exact)
{
	struct limited *l = ps_shared(sizeof(*l));
	struct ek_bench eb;
	struct pg_need need;

	snprintf(l->bench, sizeof(l->bench), "%s", _i < 4 ? "epoll/wait" : "epoll/ctl");
	snprintf(l->params, sizeof(l->params), "threads=3 runtime=2ms fds=7 nesting=%d%s%s", _i % 2 ? 3 : 0,
		 _i < 4 ? " queue=" : "", _i < 4 ? queues[_i / 2] : "");
	ek_bind(&eb, l->bench, l->params);
	ck_assert_int_eq(ps_probe(&eb.b, &need), 0);
	ps_done(&eb.b);
	ck_assert_uint_eq(need.tasks, _i < 4 ? 4 : 3);
	l->descriptors = need.descriptors;
	ck_assert_msg(ps_in_child(rep_with_limit, l) == 0, "%s: %s", l->params, l->err.msg);
	l->descriptors--;
	ck_assert_int_eq(ps_in_child(rep_with_limit, l), 1);
	ck_assert_msg(strstr(l->err.msg, "Too many open files"), "%s: %s", l->params, l->err.msg);
	munmap(l, sizeof(*l));
}
END_TEST

START_TEST(refused)
{
	static const struct {
		const char *bench, *row, *text;
	} texts[] = {
		{"epoll/wait", "fds", "0"},	     {"epoll/wait", "fds", "1000001"},
		{"epoll/wait", "nesting", "5"},	     {"epoll/wait", "runtime", "999us"},
		{"epoll/wait", "runtime", "25h"},    {"epoll/wait", "threads", "0"},
		{"epoll/wait", "writers", "0"},	     {"epoll/wait", "loop_sleep", "2s"},
		{"epoll/wait", "trigger", "both"},   {"epoll/ctl", "threads", "100001"},
		{"epoll/ctl", "pattern", "ordered"},
	};
	struct ek_bench eb;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct pg_value v;
		const struct pg_param *row;

		ek_bind(&eb, texts[i].bench, "");
		row = pg_param_find(eb.rows, texts[i].row, NULL);
		ck_assert_ptr_nonnull(row);
		ck_assert_msg(pg_value_parse(row, texts[i].text, strlen(texts[i].text), &eb.b.arena, &v, &eb.b.err) ==
				      -1,
			      "%s=%s", texts[i].row, texts[i].text);
		ps_done(&eb.b);
	}
	ek_bind(&eb, "epoll/wait", "threads=2 fds=3 writers=6");
	ck_assert_int_eq(eb.bench.check(eb.b.conf, &eb.b.err), 0);
	ps_done(&eb.b);
	ek_bind(&eb, "epoll/wait", "threads=2 fds=3 writers=7");
	ck_assert_int_eq(eb.bench.check(eb.b.conf, &eb.b.err), -1);
	ck_assert_int_eq(eb.b.err.code, PG_EINPUT);
	ck_assert_str_eq(eb.b.err.msg, "writers is 7, more than the 6 eventfds of threads x fds; lower writers");
	ck_assert_ptr_null(pg_param_find(eb.rows, "latency", NULL));
	ps_done(&eb.b);
}
END_TEST

/* threads x fds entries, and per instance its own and the nested ones. */
START_TEST(watches_are_limited)
{
	struct pg_topo topo;
	struct pg_probe_env env = {.topo = &topo};
	struct pg_need need;
	struct ek_bench eb;
	char root[] = "/tmp/pg-test-XXXXXX", path[96];
	FILE *f;

	ck_assert_ptr_nonnull(mkdtemp(root));
	env.root = root;
	memset(&topo, 0, sizeof(topo));
	for (int i = 0; i < 3; i++) {
		static const char *const dirs[] = {"proc", "proc/sys", "proc/sys/fs"};

		snprintf(path, sizeof(path), "%s/%s", root, dirs[i]);
		mkdir(path, 0755);
	}
	snprintf(path, sizeof(path), "%s/proc/sys/fs/epoll", root);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/proc/sys/fs/epoll/max_user_watches", root);
	f = fopen(path, "we");
	ck_assert_ptr_nonnull(f);
	fputs("32\n", f);
	fclose(f);
	for (int i = 0; i < 2; i++) {
		ek_bind(&eb, i ? "epoll/ctl" : "epoll/wait", "threads=3 fds=10 nesting=1 placement=free");
		memset(&need, 0, sizeof(need));
		ck_assert_msg(eb.bench.probe(eb.b.conf, &env, &need, &eb.b.err) == 0, "%s", eb.b.err.msg);
		ps_done(&eb.b);
		ek_bind(&eb, i ? "epoll/ctl" : "epoll/wait", "threads=3 fds=10 nesting=2 placement=free");
		ck_assert_int_eq(eb.bench.probe(eb.b.conf, &env, &need, &eb.b.err), -1);
		ck_assert_int_eq(eb.b.err.code, PG_EUNSUPPORTED);
		ck_assert_msg(strstr(eb.b.err.msg, "needs 33 watches, /proc/sys/fs/epoll/max_user_watches allows 32; "),
			      "%s", eb.b.err.msg);
		ps_done(&eb.b);
	}
	snprintf(path, sizeof(path), "rm -rf %s", root);
	ck_assert_int_eq(system(path), 0);
}
END_TEST

/* The largest of everything does not overflow into little, and ends with a reason. */
START_TEST(largest_need)
{
	struct pg_need need = {.descriptors = 0};
	struct pg_topo topo;
	struct pg_probe_env env = {.root = "/nowhere", .topo = &topo};
	struct ek_bench eb;

	memset(&topo, 0, sizeof(topo));
	ek_bind(&eb, "epoll/wait",
		"threads=100000 fds=1000000 writers=100000 queue=per-thread nesting=4 placement=free");
	ck_assert_int_eq(eb.bench.probe(eb.b.conf, &env, &need, &eb.b.err), 0);
	ck_assert_uint_eq(need.descriptors, UINT64_C(100000500001));
	ck_assert_uint_eq(need.tasks, 200000);
	ck_assert_uint_gt(need.bytes, UINT64_C(100000000000) * 1024);
	ps_done(&eb.b);
}
END_TEST

/* A bench may be asked for several batches of one setup. */
START_TEST(batches_add_up)
{
	const struct ps_around before = ps_look();
	struct ek_bench eb;

	ek_bind(&eb, _i ? "epoll/ctl" : "epoll/wait", "runtime=5ms fds=3");
	ck_assert_int_eq(eb.bench.setup(&eb.b.run, &eb.b.err), 0);
	for (int i = 1; i <= 3; i++) {
		const struct ps_around between = ps_look();

		ck_assert_msg(eb.bench.once(&eb.b.run, &eb.b.err) == 0, "%s", eb.b.err.msg);
		ck_assert_int_ge(ps_raw(&eb.b, "elapsed"), i * 5000000);
		ps_same(&between);
	}
	eb.bench.teardown(&eb.b.run);
	ps_same(&before);
	ps_done(&eb.b);
}
END_TEST

/* Placement as this machine has it: runs, or is unsupported in probe and rep alike. */
START_TEST(placed_benches)
{
	struct ek_bench eb;
	struct pg_need need;
	char params[80];

	for (size_t i = 0; pg_placements[i].name; i++) {
		snprintf(params, sizeof(params), "threads=3 runtime=2ms placement=%s", pg_placements[i].name);
		ek_bind(&eb, _i ? "epoll/ctl" : "epoll/wait", params);
		if (ps_probe(&eb.b, &need) == 0) {
			ck_assert_msg(ps_rep(&eb.b) == 0, "%s: %s", params, eb.b.err.msg);
		} else {
			ck_assert_int_eq(eb.b.err.code, PG_EUNSUPPORTED);
			ck_assert_int_eq(ps_rep(&eb.b), -1);
			ck_assert_int_eq(eb.b.err.code, PG_EUNSUPPORTED);
		}
		ps_done(&eb.b);
	}
}
END_TEST

START_TEST(teardown_of_nothing)
{
	struct ek_bench eb;

	ek_bind(&eb, _i ? "epoll/ctl" : "epoll/wait", "");
	eb.bench.teardown(&eb.b.run);
	eb.bench.setup(&eb.b.run, &eb.b.err);
	eb.bench.teardown(&eb.b.run);
	ck_assert_ptr_null(eb.b.run.state);
	ps_done(&eb.b);
}
END_TEST

PG_TEST_MAIN("suites_epoll_ctl", ((const struct pg_test[]){
					 {calls_are_counted, 8},
					 {sleeps_are_left_out, 0},
					 {rates_follow_from_samples, 0},
					 {descriptor_need_is_exact, 6},
					 {refused, 0},
					 {watches_are_limited, 0},
					 {largest_need, 0},
					 {batches_add_up, 2},
					 {placed_benches, 2},
					 {teardown_of_nothing, 2},
					 {NULL, 0},
				 }))
