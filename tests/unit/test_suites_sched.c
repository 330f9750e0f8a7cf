/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>

#include "registry/registry.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

#define FOR_EVER "loops=1000000000000"

static const char *const modes[] = {"process", "thread"};
static const char *const transports[] = {"socket", "pipe", "inet"};

static const struct pg_bench *messaging(void)
{
	return pg_bench_find("sched/messaging");
}

static const struct pg_bench *ping_pong(void)
{
	return pg_bench_find("sched/pipe");
}

/* A rep that must succeed, with everything around it as before. */
static void good_rep(struct ps_bench *b, const struct pg_bench *bench, const char *params)
{
	const struct ps_around before = ps_look();

	ps_bind(b, bench, params);
	ck_assert_msg(ps_rep(b) == 0, "%s: %s", params, b->err.msg);
	ps_same(&before);
}

START_TEST(messages_arrive)
{
	static const struct {
		unsigned groups, fds, loops;
		const char *size;
		int64_t bytes;
	} shapes[] = {
		{1, 1, 1, "1B", 1}, {2, 3, 5, "100B", 100}, {1, 2, 3, "300000B", 300000}, {3, 1, 4, "65536B", 65536}};
	const char *mode = modes[_i % 2], *transport = transports[_i / 2 % 3];
	struct ps_bench b;
	char params[160];

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		const int64_t messages = shapes[i].groups * shapes[i].fds * shapes[i].fds * shapes[i].loops;

		snprintf(params, sizeof(params), "groups=%u fds=%u loops=%u size=%s mode=%s transport=%s",
			 shapes[i].groups, shapes[i].fds, shapes[i].loops, shapes[i].size, mode, transport);
		good_rep(&b, messaging(), params);
		ck_assert_int_eq(ps_raw(&b, "messages"), messages);
		ck_assert_int_eq(ps_raw(&b, "payload"), messages * shapes[i].bytes);
		ck_assert_int_gt(ps_raw(&b, "work_time"), 0);
		ck_assert_int_gt(ps_raw(&b, "time"), ps_raw(&b, "work_time"));
		ck_assert_int_eq(ps_raw(&b, "time"), ps_raw(&b, "work_time") + ps_raw(&b, "reap_time"));
		ck_assert_int_gt(ps_raw(&b, "spawn_time"), 0);
		ps_done(&b);
	}
}
END_TEST

START_TEST(turns_are_taken)
{
	static const char *const sizes[] = {"4B", "1B", "70000B", "262144B"};
	const char *mode = modes[_i % 2], *wait = _i / 2 % 2 ? "epoll" : "block";
	struct ps_bench b;
	char params[160];

	for (size_t i = 0; i < 4; i++) {
		snprintf(params, sizeof(params), "loops=50 mode=%s wait=%s tokens=%d size=%s", mode, wait,
			 1 + _i / 4 % 2, sizes[i]);
		good_rep(&b, ping_pong(), params);
		ck_assert_int_eq(ps_raw(&b, "operations"), 50);
		ck_assert_int_gt(ps_raw(&b, "loop_time"), 0);
		ck_assert_int_gt(ps_raw(&b, "time"), ps_raw(&b, "loop_time"));
		ps_done(&b);
	}
}
END_TEST

/* A bench may be asked for several batches of one setup. */
START_TEST(batches_add_up)
{
	const struct ps_around before = ps_look();
	const struct pg_bench *bench = _i % 2 ? ping_pong() : messaging();
	struct ps_bench b;

	ps_bind(&b, bench, _i % 2 ? "loops=7" : "groups=2 fds=2 loops=3");
	ck_assert_int_eq(bench->setup(&b.run, &b.err), 0);
	for (int i = 0; i < 3; i++) {
		const struct ps_around between = ps_look();

		ck_assert_msg(bench->once(&b.run, &b.err) == 0, "%s", b.err.msg);
		ps_same(&between);
	}
	bench->teardown(&b.run);
	ck_assert_int_eq(ps_raw(&b, _i % 2 ? "operations" : "messages"), _i % 2 ? 3 * 7 : 3 * 2 * 2 * 2 * 3);
	ps_same(&before);
	ps_done(&b);
}
END_TEST

/* Placement as this machine has it: runs, or is unsupported in probe and rep alike. */
START_TEST(placed_benches)
{
	const struct pg_bench *bench = _i % 2 ? ping_pong() : messaging();
	const char *mode = modes[_i / 2];
	struct ps_bench b;
	struct pg_need need;
	char params[120];

	for (size_t i = 0; pg_placements[i].name; i++) {
		snprintf(params, sizeof(params), "%sloops=3 mode=%s placement=%s", _i % 2 ? "" : "groups=1 fds=3 ",
			 mode, pg_placements[i].name);
		ps_bind(&b, bench, params);
		if (ps_probe(&b, &need) == 0) {
			ck_assert_msg(ps_rep(&b) == 0, "%s: %s", params, b.err.msg);
		} else {
			ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
			ck_assert_int_eq(ps_rep(&b), -1);
			ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
		}
		ps_done(&b);
	}
}
END_TEST

static long mapped_pages(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long pages = 0;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%ld", &pages), 1);
	fclose(f);
	return pages;
}

START_TEST(memory_stays)
{
	const char *params = _i % 2 ? "groups=1 fds=3 loops=2 mode=thread" : "groups=1 fds=3 loops=2";
	struct ps_bench b;
	long after_five = 0;

	for (int i = 0; i < 20; i++) {
		good_rep(&b, _i / 2 ? ping_pong() : messaging(), _i / 2 ? strchr(params, 'l') : params);
		ps_done(&b);
		if (i == 4)
			after_five = mapped_pages();
	}
#ifndef PG_SANITIZED
	ck_assert_int_le(mapped_pages(), after_five + 256);
#endif
	(void)after_five;
}
END_TEST

/* A process that is no child of the test kills one of its children, the number-th, once it is there. */
static void kill_a_child_later(int number, int wait_for)
{
	const pid_t main_pid = getpid();
	_Atomic int *alone = ps_shared(sizeof(*alone));
	pid_t victim = 0;
	int status;
	const pid_t pid = fork();

	if (pid == 0) {
		if (fork() != 0)
			_exit(0);
		while (!atomic_load(alone))
			usleep(1000);
		while (!ps_child_of(main_pid, wait_for) || !(victim = ps_child_of(main_pid, number)))
			usleep(2000);
		usleep(20000);
		kill(victim, SIGKILL);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	atomic_store(alone, 1);
}

/* Whoever dies: the rep ends with that reason, never hangs, leaves nothing. */
START_TEST(killed_worker_ends_messaging)
{
	const struct ps_around before = ps_look();
	const int victim = _i % 2 ? 0 : 5; /* a receiver, a sender */
	struct ps_bench b;
	char params[160], expect[64];

	snprintf(params, sizeof(params), "groups=1 fds=3 " FOR_EVER " transport=%s", transports[_i / 2]);
	ps_bind(&b, messaging(), params);
	kill_a_child_later(victim, 5);
	ck_assert_int_eq(ps_rep(&b), -1);
	snprintf(expect, sizeof(expect), "worker %d of 6 was killed by signal 9", victim + 1);
	ck_assert_msg(strstr(b.err.msg, expect), "%s", b.err.msg);
	ck_assert_int_eq(b.err.code, PG_EFAILED);
	ps_same(&before);
	ps_done(&b);
}
END_TEST

START_TEST(killed_task_ends_pipe)
{
	const struct ps_around before = ps_look();
	struct ps_bench b;
	char params[80];

	snprintf(params, sizeof(params), FOR_EVER " wait=%s tokens=%d", _i % 2 ? "epoll" : "block", 1 + _i / 2);
	ps_bind(&b, ping_pong(), params);
	kill_a_child_later(0, 0);
	ck_assert_int_eq(ps_rep(&b), -1);
	ck_assert_msg(strstr(b.err.msg, "worker 1 of 2 was killed by signal 9"), "%s", b.err.msg);
	ps_same(&before);
	ps_done(&b);
}
END_TEST

static int rep_for_ever(void *arg)
{
	struct ps_bench *b = arg;

	b->bench->setup(&b->run, &b->err);
	return b->bench->once(&b->run, &b->err);
}

/* SIGKILL of the main task leaves no worker, at whatever moment. */
START_TEST(nothing_outlives_main)
{
	const struct pg_bench *bench = _i % 2 ? ping_pong() : messaging();
	struct ps_bench b;
	pid_t pid;

	ps_bind(&b, bench, _i % 2 ? FOR_EVER : "groups=2 fds=10 " FOR_EVER);
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	pid = fork();
	if (pid == 0)
		_exit(rep_for_ever(&b));
	while (!ps_child_of(pid, 0))
		usleep(500);
	usleep((useconds_t)(_i / 2) * 4000);
	kill(pid, SIGKILL);
	ck_assert_int_ge(ps_reap_all(), 2);
	ps_done(&b);
}
END_TEST

struct limited {
	char params[120];
	uint64_t descriptors; /* beside 0-2 */
	struct pg_err err;
	int left; /* descriptors left open */
};

static int rep_with_limit(void *arg)
{
	struct limited *l = arg;
	const struct rlimit lim = {3 + l->descriptors, 3 + l->descriptors};
	struct ps_bench b;
	int r;

	for (int fd = 3; fd < 1000; fd++)
		close(fd);
	ps_bind(&b, l->params[0] == 'g' ? messaging() : ping_pong(), l->params);
	if (setrlimit(RLIMIT_NOFILE, &lim))
		return 10;
	r = ps_rep(&b);
	l->err = b.err;
	ps_done(&b);
	for (int fd = 3; fd < 3 + (int)l->descriptors; fd++)
		l->left += fcntl(fd, F_GETFD) >= 0;
	if (waitpid(-1, NULL, WNOHANG) != -1 || l->left)
		return 11;
	return r ? 1 : 0;
}

/* What the probe says is needed is enough, and one less ends cleanly with the reason. */
START_TEST(descriptor_need_is_exact)
{
	static const char *const shapes[] = {"groups=3 fds=5 loops=2", "groups=1 fds=9 loops=2"};
	struct limited *l = ps_shared(sizeof(*l));
	struct ps_bench b;
	struct pg_need need;

	if (_i < 12)
		snprintf(l->params, sizeof(l->params), "%s mode=%s transport=%s", shapes[_i / 6], modes[_i % 2],
			 transports[_i / 2 % 3]);
	else
		snprintf(l->params, sizeof(l->params), "loops=2 mode=%s wait=%s", modes[_i % 2],
			 _i < 14 ? "block" : "epoll");
	ps_bind(&b, _i < 12 ? messaging() : ping_pong(), l->params);
	ck_assert_int_eq(ps_probe(&b, &need), 0);
	ps_done(&b);
	l->descriptors = need.descriptors;
	ck_assert_msg(ps_in_child(rep_with_limit, l) == 0, "%s: %s", l->params, l->err.msg);
	l->descriptors--;
	ck_assert_int_eq(ps_in_child(rep_with_limit, l), 1);
	ck_assert_msg(strstr(l->err.msg, "Too many open files"), "%s: %s", l->params, l->err.msg);
	munmap(l, sizeof(*l));
}
END_TEST

START_TEST(needs_are_told)
{
	struct ps_bench b;
	struct pg_need need;

	ps_bind(&b, messaging(), "groups=7 fds=11 transport=pipe main_policy=fifo size=1MB");
	ck_assert_int_eq(ps_probe(&b, &need), 0);
	ck_assert_uint_eq(need.tasks, 7 * 22);
	ck_assert_uint_eq(need.pipes, 7 * 11 + 2);
	ck_assert_uint_eq(need.caps, PG_CAP_NICE);
	ck_assert_uint_gt(need.bytes, 7 * 22 * UINT64_C(1048576));
	ps_done(&b);
	/* The largest of everything does not overflow into little. */
	ps_bind(&b, messaging(), "groups=100000 fds=10000 mode=thread size=1GB " FOR_EVER);
	ck_assert_int_eq(ps_probe(&b, &need), 0);
	ck_assert_uint_eq(need.descriptors, UINT64_C(2000000004));
	ck_assert_uint_gt(need.bytes, UINT64_C(2000000000) << 30);
	ck_assert_int_eq(b.bench->check(b.conf, &b.err), 0);
#ifndef PG_SANITIZED /* they write what they allocate */
	ck_assert_int_eq(ps_rep(&b), -1);
#endif
	ps_done(&b);
	ps_bind(&b, ping_pong(), "mode=thread");
	ck_assert_int_eq(ps_probe(&b, &need), 0);
	ck_assert_uint_eq(need.tasks, 2);
	ck_assert_uint_eq(need.pipes, 2);
	ck_assert_uint_eq(need.caps, 0);
	ps_done(&b);
}
END_TEST

START_TEST(main_policy_is_restored)
{
	const struct ps_around before = ps_look();
	struct ps_bench b;

	ps_bind(&b, messaging(),
		_i ? "groups=1 fds=2 main_policy=fifo mode=thread" : "groups=1 fds=2 main_policy=fifo");
	if (ps_rep(&b))
		ck_assert_msg(strstr(b.err.msg, "CAP_SYS_NICE"), "%s", b.err.msg);
	ck_assert_int_eq(sched_getscheduler(0), before.policy);
	ps_same(&before);
	ps_done(&b);
}
END_TEST

static int rep_without_rights(void *arg)
{
	struct limited *l = arg;
	struct ps_bench b;
	int r;

	if (geteuid() == 0 && setuid(65534))
		return 10;
	ps_bind(&b, l->params[0] == 'g' ? messaging() : ping_pong(), l->params);
	r = ps_rep(&b);
	l->err = b.err;
	ps_done(&b);
	return waitpid(-1, NULL, WNOHANG) == -1 && r == -1 ? 0 : 11;
}

START_TEST(refused_without_rights)
{
	static const struct {
		const char *params, *expect;
	} cases_[] = {{"groups=1 fds=3 main_policy=fifo", "needs CAP_SYS_NICE"},
		      {"groups=1 fds=3 main_policy=fifo mode=thread", "needs CAP_SYS_NICE"},
		      {"loops=1 size=2147483647B", "pipe-max-size"}};
	struct limited *l = ps_shared(sizeof(*l));

	snprintf(l->params, sizeof(l->params), "%s", cases_[_i].params);
	ck_assert_int_eq(ps_in_child(rep_without_rights, l), 0);
	ck_assert_msg(strstr(l->err.msg, cases_[_i].expect), "%s", l->err.msg);
	munmap(l, sizeof(*l));
}
END_TEST

/* Teardown puts up with a setup that never was. */
START_TEST(teardown_of_nothing)
{
	struct ps_bench b;

	ps_bind(&b, _i ? ping_pong() : messaging(), "");
	b.bench->teardown(&b.run);
	b.bench->setup(&b.run, &b.err);
	b.bench->teardown(&b.run);
	ck_assert_ptr_null(b.run.state);
	ps_done(&b);
}
END_TEST

PG_TEST_MAIN("suites_sched", ((const struct pg_test[]){
				     {messages_arrive, 6},
				     {turns_are_taken, 8},
				     {batches_add_up, 2},
				     {placed_benches, 4},
				     {memory_stays, 4},
				     {killed_worker_ends_messaging, 6},
				     {killed_task_ends_pipe, 4},
				     {nothing_outlives_main, 8},
				     {descriptor_need_is_exact, 16},
				     {needs_are_told, 0},
				     {main_policy_is_restored, 2},
				     {refused_without_rights, 3},
				     {teardown_of_nothing, 2},
				     {NULL, 0},
			     }))
