/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The lines of the `perf bench` drop-in, from numbers that are known: each bench's printers, exactly. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "registry/registry.h"
#include "runner/compat_perf_call.h"
#include "runner/world.h"
#include "tests/support/pgtest.h"

/* Raw numbers are "name=value" (ns, bytes, counts); single ones of workers begin with `+`. Lines: PID is the process's.
 */
static const struct {
	const char *collection, *bench, *words, *raw, *want;
} cases[] = {
	{"sched", "messaging", "-g 2 -l 50", "time=194999999",
	 "# 20 sender and receiver processes per group\n# 2 groups == 80 processes run\n\n     Total time: 0.194 "
	 "[sec]\n"},
	{"sched", "messaging", "-tg 1", "time=61234567890",
	 "# 20 sender and receiver threads per group\n# 1 groups == 40 threads run\n\n     Total time: 61.234 [sec]\n"},
	{"sched", "pipe", "-l 10000", "time=46633000 operations=10000",
	 "# Executed 10000 pipe operations between two processes\n\n     Total time: 0.046 [sec]\n\n       4.663300 "
	 "usecs/op\n"
	 "         214440 ops/sec\n"},
	{"sched", "pipe", "-Tl 5000000000", "time=20000000000000 operations=5000000000",
	 "# Executed 5000000000 pipe operations between two threads\n\n     Total time: 20000.000 [sec]\n\n"
	 "       4.000000 usecs/op\n         250000 ops/sec\n"},
	{"syscall", "basic", "-l 1000000", "time=113506000 operations=1000000",
	 "# Executed 1000000 getppid() calls\n     Total time: 0.113 [sec]\n\n       0.113506 usecs/op\n        "
	 "8810106 ops/sec\n"},
	{"syscall", "execve", "-l 10", "time=18000000 operations=10",
	 "# Executed 10 execve() calls\n     Total time: 0.018 [sec]\n\n    1800.000000 usecs/op\n            555 "
	 "ops/sec\n"},
	{"mem", "memcpy", "", "time=84000 bytes=1048576", "      11.625744 GB/sec\n"},
	{"mem", "memset", "", "time=1000000000 bytes=2097152", "       2.000000 MB/sec\n"},
	{"mem", "memset", "", "time=1000000000 bytes=2048", "       2.000000 KB/sec\n"},
	{"mem", "memset", "", "time=1000000000 bytes=1000", "    1000.000000 bytes/sec\n"},
	{"mem", "mmap", "-t 2",
	 "bytes=2097152 busy_time_total=2000000 +busy_time_total=900000 +busy_time_total=1100000",
	 "    1000.000000 MB/sec/thread\t( +-  10.00% )\n"},
	{"breakpoint", "thread", "-b 4 -p 2", "time=189612000 operations=1000 creator_time=379224000",
	 "# Created/joined 10 threads with 4 breakpoints and 2 parallelism\n     Total time: 0.189 [sec]\n\n"
	 "     189.612000 usecs/op\n     379.224000 usecs/op/cpu\n"},
	{"breakpoint", "enable", "-p 4", "time=156161000 operations=1000",
	 "# Enabled/disabled breakpoint 10 time with 4 passive and 0 active threads\n     Total time: 0.156 [sec]\n\n"
	 "     156.161000 usecs/op\n"},
	{"uprobe", "baseline", "", "time=1053533000 operations=1000",
	 "# Executed 1000 usleep(1000) calls\n     Total time: 1053533 usecs\n\n 1053.533 usecs/op\n"},
	{"futex", "hash", "-t 2",
	 "operations=2000 elapsed=1000000000 thread_elapsed=2000000000 elapsed_x1000=1000000000000 "
	 "operations_standard_error_x1000=100000 +fastest_x1000=900000 +fastest_x1000=1100000",
	 "[thread  0] futexes: 0x0 ... 0xffc [ 900 ops/sec ]\n[thread  1] futexes: 0x0 ... 0xffc [ 1100 ops/sec ]\n\n"
	 "Averaged 1000 operations/sec (+- 10.00%), total secs = 1\n"},
	{"futex", "hash", "-st 2 -b 16",
	 "operations=2000 elapsed=1000000000 thread_elapsed=2000000000 elapsed_x1000=1000000000000 "
	 "operations_standard_error_x1000=0",
	 "Averaged 1000 operations/sec (+- 0.00%), total secs = 1\nFutex hashing: 16 hash buckets\n"},
	{"futex", "lock-pi", "-Mt 2",
	 "operations=2000 elapsed=1000000000 thread_elapsed=2000000000 elapsed_x1000=1000000000000 "
	 "operations_standard_error_x1000=0 +fastest_x1000=1000000 +fastest_x1000=1000000",
	 "[thread   0] futex: 0x0 [ 1000 ops/sec ]\n[thread   1] futex: 0x40 [ 1000 ops/sec ]\n\n"
	 "Averaged 1000 operations/sec (+- 0.00%), total secs = 1\n"},
	{"futex", "wake", "-t 2", "rounds=1 calls=2 total_time=163000 total_work_time=200000",
	 "[Run 1]: Wokeup 2 of 2 threads in 0.1630 ms\n"},
	{"futex", "requeue", "-t 8 -p", "rounds=1 calls=4 total_time=143000 total_work_time=200000",
	 "[Run 1]: Awoke and Requeued (4+4) of 8 threads in 0.1430 ms\n"},
	{"futex", "requeue", "-t 8", "rounds=1 calls=8 total_time=8000 total_work_time=200000",
	 "[Run 1]: Requeued 8 of 8 threads in 0.0080 ms\n"},
	{"futex", "wake-parallel", "-t 8 -w 2",
	 "calls=2 total_thread_time=40000 +total_thread_time=10000 +total_thread_time=30000",
	 "[Run 1]: Avg per-thread latency (waking 4/8 threads) in 0.0200 ms (+-50.00%)\n"},
	{"epoll", "wait", "-t 2",
	 "events_read=3000 elapsed=2000000000 thread_elapsed=4000000000 +events_read=1000 +events_read=2000",
	 "[thread  0] fdmap: 0x0 ... 0xfc [ 0500 ops/sec ]\n[thread  1] fdmap: 0x0 ... 0xfc [ 1000 ops/sec ]\n\n"
	 "Averaged 750 operations/sec (+- 0.00%), total secs = 2\n"},
	{"epoll", "ctl", "-t 1 -f 1",
	 "thread_adds=9593 thread_modifies=9593 thread_deletes=9592 "
	 "+thread_adds=9593 +thread_modifies=9593 +thread_deletes=9592",
	 "[thread  0] fdmap: 0x0 [ add: 9593; mod: 9593; del: 9592s ops ]\n\nAveraged 9593 ADD operations (+- 0.00%)\n"
	 "Averaged 9593 MOD operations (+- 0.00%)\nAveraged 9592 DEL operations (+- 0.00%)\n"},
};

static void put(struct pg_pb *p, const char *name, int64_t raw, bool single)
{
	struct pg_rep_page *page = &p->d.page;
	size_t row = 0;
	const struct pg_metric *m = pg_metric_find(p->d.bench->metrics, name, &row);

	ck_assert_msg(m != NULL, "no metric %s", name);
	if (single)
		p->d.log->v[p->d.log->n++] = (struct pg_record_entry){.metric = (uint32_t)row, .raw = raw};
	else
		page->s[page->n++] =
			(struct pg_sample){.raw = raw, .metric = (uint32_t)row, .exp10 = (int8_t)pg_unit_exp(m->unit)};
}

static void put_all(struct pg_pb *p, const char *text)
{
	char buf[512], name[64];
	long long raw;

	snprintf(buf, sizeof(buf), "%s", text);
	for (char *w = strtok(buf, " "); w; w = strtok(NULL, " ")) {
		ck_assert_int_eq(sscanf(w + (*w == '+'), "%63[a-z_0-9]=%lld", name, &raw), 2);
		put(p, name, raw, *w == '+');
	}
}

START_TEST(lines_of_a_rep)
{
	FILE *null = fopen("/dev/null", "w");
	struct pg_world w = {.root = "", .suites = pg_suites, .out = null, .err = null};
	struct pg_pb p = {.world = &w, .bench = pg_pb_find(cases[_i].collection, cases[_i].bench), .parts = 1};
	struct pg_record_log *log = calloc(1, sizeof(*log) + 64 * sizeof(log->v[0]));
	char buf[64], *argv[16];
	struct pg_err err = {.msg = ""};
	int argc = 0;

	snprintf(buf, sizeof(buf), "%s", cases[_i].words);
	for (char *word = strtok(buf, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	pg_pb_open(&p);
	ck_assert_int_eq(pg_pb_options(&p, argc, argv), 0);
	if (p.bench->begin)
		ck_assert_msg(p.bench->begin(&p, &err) == 0, "%s", err.msg);
	ck_assert_msg(pg_dropin_ready(&p.d, &err) == 0 || err.code == PG_EUNSUPPORTED, "%s", err.msg);
	p.d.log = log;
	put_all(&p, cases[_i].raw);
	p.bench->each(&p);
	ck_assert_msg(strcmp(pg_str_text(&p.out), cases[_i].want) == 0, "%s/%s %s:\n%s", cases[_i].collection,
		      cases[_i].bench, cases[_i].words, pg_str_text(&p.out));
	p.d.log = NULL;
	free(log);
	pg_pb_close(&p);
	fclose(null);
}
END_TEST

/* Events are counted as perf separates them: a comma between the slashes of a PMU is none of theirs. */
static const struct {
	const char *events, *want;
} listed[] = {
	{"dummy", "1 (6 fds)"},
	{"dummy,dummy", "2 (6 fds)"},
	{"pmu/a=1,b=2/", "1 (6 fds)"},
	{"pmu/a=1,b=2,c/,dummy,pmu/d,e/", "3 (6 fds)"},
	{"dummy,pmu//,dummy", "3 (6 fds)"},
};

START_TEST(events_are_counted)
{
	struct pg_world w = {.root = "", .suites = pg_suites, .out = stdout, .err = stderr};
	struct pg_pb p = {.world = &w, .bench = pg_pb_find("internals", "evlist-open-close"), .parts = 1};
	char events[64], *argv[] = {(char[]){"-C"}, (char[]){"0"}, (char[]){"-e"}, events};
	struct pg_err err = {.msg = ""};
	char want[64];

	snprintf(events, sizeof(events), "%s", listed[_i].events);
	snprintf(want, sizeof(want), "  Number of events:\t%s\n", listed[_i].want);
	pg_pb_open(&p);
	ck_assert_int_eq(pg_pb_options(&p, 4, argv), 0);
	ck_assert_int_eq(p.bench->begin(&p, &err), 0);
	(void)pg_dropin_ready(&p.d, &err); /* values, whether or not there are such events here */
	put_all(&p, "operations=1 opened=6");
	p.bench->after(&p);
	ck_assert_msg(strstr(pg_str_text(&p.out), want) != NULL, "%s: %s", events, pg_str_text(&p.out));
	pg_pb_close(&p);
}
END_TEST

START_TEST(long_targets_are_whole)
{
	struct pg_world w = {.root = "", .suites = pg_suites, .out = stdout, .err = stderr};
	struct pg_pb p = {.world = &w, .bench = pg_pb_find("internals", "evlist-open-close")};
	char user[201], want[210], *argv[] = {(char[]){"-u"}, user};
	struct pg_err err = {.msg = ""};

	memset(user, 'u', sizeof(user) - 1);
	user[sizeof(user) - 1] = '\0';
	snprintf(want, sizeof(want), "user:%s", user);
	pg_pb_open(&p);
	ck_assert_int_eq(pg_pb_options(&p, 2, argv), 0);
	ck_assert_msg(p.bench->begin(&p, &err) == 0, "%s", err.msg);
	ck_assert_str_eq(pg_dropin_text(&p.d, "target"), want);
	pg_pb_close(&p);
}
END_TEST

static const struct {
	double seconds;
	const char *want;
} times[] = {{0, "0.000"},     {0.0009999, "0.000"}, {0.001, "0.001"},
	     {0.046, "0.046"}, {59.9999, "59.999"},  {86400.5, "86400.500"}};

START_TEST(seconds_are_cut)
{
	struct pg_str s;

	pg_str_init(&s);
	pg_pb_seconds(&s, times[_i].seconds);
	ck_assert_str_eq(pg_str_text(&s), times[_i].want);
	pg_str_release(&s);
}
END_TEST

/* The figures of the ancestor's own output: 1887232 and 988160 give 1437696 +- 31.27 %. */
START_TEST(spread_is_the_standard_error)
{
	struct pg_pb_sum s = {.n = 0};

	ck_assert(pg_pb_error(&s) == 0);
	pg_pb_add(&s, 1887232);
	ck_assert(pg_pb_error(&s) == 0 && pg_pb_error_percent(&s) == 0);
	pg_pb_add(&s, 988160);
	ck_assert_double_eq_tol(s.mean, 1437696, 1e-6);
	ck_assert_double_eq_tol(pg_pb_error_percent(&s), 31.27, 0.005);
}
END_TEST

/* `all` of uprobe: the difference to the baseline, from the second probe on also to the one before. */
START_TEST(probes_know_the_ones_before)
{
	static const char *const benches[] = {"baseline", "empty", "trace_printk"};
	static const char *const raw[] = {"time=1000000000 operations=1000", "time=1100000000 operations=1000",
					  "time=1050000000 operations=1000"};
	static const char *const want[] = {
		"# Executed 1000 usleep(1000) calls\n     Total time: 1000000 usecs\n\n 1000.000 usecs/op\n",
		"# Executed 1000 usleep(1000) calls\n     Total time: 1100000 usecs +100000 to baseline\n\n"
		" 1100.000 usecs/op +100.000 usecs/op to baseline\n",
		"# Executed 1000 usleep(1000) calls\n     Total time: 1050000 usecs +50000 to baseline -50000 to "
		"previous\n\n"
		" 1050.000 usecs/op +50.000 usecs/op to baseline -50.000 usecs/op to previous\n",
	};
	struct pg_world w = {.root = "", .suites = pg_suites, .out = stdout, .err = stderr};
	struct pg_pb_chain chain = {.baseline = 0};

	for (size_t i = 0; i < 3; i++) {
		struct pg_pb p = {
			.world = &w, .bench = pg_pb_find("uprobe", benches[i]), .chain = &chain, .in_all = true};
		struct pg_err err;

		pg_pb_open(&p);
		ck_assert_int_eq(pg_pb_options(&p, 0, NULL), 0);
		ck_assert(pg_dropin_ready(&p.d, &err) == 0 || err.code == PG_EUNSUPPORTED);
		put_all(&p, raw[i]);
		p.bench->each(&p);
		ck_assert_str_eq(pg_str_text(&p.out), want[i]);
		pg_pb_close(&p);
	}
}
END_TEST

/* What single threads recorded comes back from a child, as far as there is room. */
START_TEST(single_numbers_come_back)
{
	static const uint32_t caps[] = {64, 3, 0};
	const size_t bytes = sizeof(struct pg_record_log) + 64 * sizeof(struct pg_record_entry);
	struct pg_world w = {.root = "", .suites = pg_suites, .out = stdout, .err = stderr};
	struct pg_record_log *log = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct pg_dropin d;
	struct pg_err err = {.msg = ""};

	ck_assert(log != MAP_FAILED);
	ck_assert_int_eq(pg_dropin_open(&d, &w, "mem/mmap", &err), 0);
	ck_assert_int_eq(pg_dropin_set_u64(&d, "threads", 2, "threads", &err), 0);
	ck_assert_msg(pg_dropin_ready(&d, &err) == 0, "%s", err.msg);
	d.log = log;
	for (size_t i = 0; i < sizeof(caps) / sizeof(caps[0]); i++) {
		struct pg_pb p = {.world = &w, .d = d};
		uint32_t at = 0;
		int64_t ns;

		log->cap = caps[i];
		ck_assert_msg(pg_dropin_run_child(&d, &err) == 0, "%s", err.msg);
		p.d = d;
		ck_assert_uint_le(log->n, log->cap);
		ck_assert_int_eq(pg_pb_single(&p, "busy_time_total", &at, &ns), caps[i] > 1);
		ck_assert_int_eq(pg_pb_single(&p, "busy_time_total", &at, &ns), caps[i] > 9);
		ck_assert(!pg_pb_single(&p, "busy_time_total", &at, &ns));
	}
	pg_dropin_close(&d);
	munmap(log, bytes);
}
END_TEST

#define N(a) (int)(sizeof(a) / sizeof((a)[0]))

PG_TEST_MAIN("runner_perf_lines", ((const struct pg_test[]){
					  {lines_of_a_rep, N(cases)},
					  {events_are_counted, N(listed)},
					  {long_targets_are_whole, 0},
					  {seconds_are_cut, N(times)},
					  {spread_is_the_standard_error, 0},
					  {probes_know_the_ones_before, 0},
					  {single_numbers_come_back, 0},
					  {NULL, 0},
				  }))
