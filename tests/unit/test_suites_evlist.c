/* SPDX-License-Identifier: GPL-2.0-or-later */
/* internals/evlist-open-close: what it takes and refuses, whose events it opens and how many. */
#include <pthread.h>
#include <pwd.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>

#include "registry/registry.h"
#include "suites/evlist.h"
#include "tests/support/fake_root.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

static const struct pg_bench *bench(void)
{
	return pg_bench_find("internals/evlist-open-close");
}

/* What the bench's own probe says: whether this user may, on this machine. */
static bool can(const char *params)
{
	struct ps_bench b;
	struct pg_need need;
	int r;

	ps_bind(&b, bench(), params);
	r = ps_probe(&b, &need);
	if (r)
		ck_assert_msg(b.err.code == PG_EUNSUPPORTED && strpbrk(b.err.msg, ";,"), "%s", b.err.msg);
	ps_done(&b);
	return r == 0;
}

static size_t allowed_cpus(void)
{
	struct pg_cpuset set = {.bits = NULL};
	struct pg_err err;
	size_t n;

	ck_assert_int_eq(pg_affinity_get(0, &set, &err), 0);
	n = pg_cpuset_count(&set);
	pg_cpuset_release(&set);
	return n;
}

START_TEST(targets_are_checked)
{
	static const struct {
		const char *text, *wrong; /* NULL = good */
		enum pg_evlist_who who;
		pid_t id;
	} c[] = {
		{"system", NULL, PG_WHO_SYSTEM, 0},
		{"self", NULL, PG_WHO_SELF, 0},
		{"pid:1", NULL, PG_WHO_PID, 1},
		{"tid:2147483647", NULL, PG_WHO_TID, 2147483647},
		{"user:root", NULL, PG_WHO_USER, 0},
		{"", "character 1", 0, 0},
		{"System", "character 1", 0, 0},
		{"pid:", "character 5: `` is no task number", 0, 0},
		{"pid:0", "character 5: `0` is no task number", 0, 0},
		{"pid:1x", "character 5", 0, 0},
		{"tid:-1", "character 5", 0, 0},
		{"tid:2147483648", "character 5", 0, 0},
		{"user:", "character 6: a user is missing", 0, 0},
		{"pid", "character 1", 0, 0},
	};
	struct pg_evlist_target t;
	struct pg_err err;

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		const int r = pg_evlist_target_parse(c[i].text, &t, &err);

		ck_assert_msg(r == (c[i].wrong ? -1 : 0), "%s", c[i].text);
		if (r)
			ck_assert_msg(strstr(err.msg, c[i].wrong) && strstr(err.msg, "target can be system"), "%s: %s",
				      c[i].text, err.msg);
		else
			ck_assert_msg(t.who == c[i].who && t.id == c[i].id, "%s", c[i].text);
	}
}
END_TEST

START_TEST(rules_across_params)
{
	static const struct {
		const char *params, *wrong;
	} c[] = {
		{"target=self buffer=per-thread", NULL},
		{"target=self event_cpus=0", NULL},
		{"buffer=per-thread", "buffer per-thread needs tasks to follow, target is system"},
		{"buffer=per-thread target=self event_cpus=0", "event_cpus 0: events with buffer per-thread follow"},
		{"target=nobody", "target: character 1"},
		{"events=dummy,nosuch", "events: character 7: unknown event"},
	};
	struct ps_bench b;

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		int r;

		ps_bind(&b, bench(), c[i].params);
		r = b.bench->check(b.conf, &b.err);
		ck_assert_msg(r == (c[i].wrong ? -1 : 0), "%s", c[i].params);
		if (r)
			ck_assert_msg(b.err.code == PG_EINPUT && strstr(b.err.msg, c[i].wrong), "%s", b.err.msg);
		ps_done(&b);
	}
}
END_TEST

static int fake_probe(const char *root, const char *params, const char *online, struct pg_need *need,
		      struct pg_err *err)
{
	struct pg_topo topo;
	const struct pg_probe_env env = {.root = root, .topo = &topo};
	struct ps_bench b;
	size_t pos;
	int r;

	memset(&topo, 0, sizeof(topo));
	ck_assert_int_eq(pg_cpulist_parse(online, strlen(online), &topo.online, &pos, err), 0);
	ck_assert_int_eq(pg_cpuset_copy(&topo.allowed, &topo.online), 0);
	memset(need, 0, sizeof(*need));
	ps_bind(&b, bench(), params);
	r = b.bench->probe(b.conf, &env, need, err);
	ps_done(&b);
	pg_topo_release(&topo);
	return r;
}

/* Machines that this is not: CPUs, settings, processes. */
START_TEST(probe_knows_the_machine)
{
	static const struct {
		const char *params;
		uint64_t descriptors;
		const char *wrong;
	} c[] = {
		{"target=self", 4, NULL},
		{"target=self event_copies=3 events=dummy,cs", 24, NULL},
		{"target=self event_cpus=0,9", 2, NULL},
		{"target=self event_cpus=0,8", 0, "event_cpus 0,8: CPU 8 is not online"},
		{"target=pid:70", 12, NULL},
		{"target=pid:70 buffer=per-thread", 3, NULL},
		{"target=tid:70", 4, NULL},
		{"target=pid:71", 0, "there is no process 71"},
		{"target=tid:71", 0, "there is no thread 71"},
		{"target=self events=gpu/event=1/", 0, "no PMU `gpu`"},
		{"target=user:no-such-user-here", 0, "there is no user `no-such-user-here`"},
		{"target=user:4000000000", 0, "has no process"},
	};
	struct pg_need need;
	struct pg_err err;
	char root[FAKE_ROOT];
	int r;

	fr_make(root);
	fr_put(root, "proc/sys/kernel/perf_event_paranoid", "2\n");
	fr_put(root, "proc/70/task/70/stat", "");
	fr_put(root, "proc/70/task/701/stat", "");
	fr_put(root, "proc/70/task/702/stat", "");
	r = fake_probe(root, c[_i].params, "0-2,9", &need, &err);
	fr_remove(root);
	ck_assert_msg(r == (c[_i].wrong ? -1 : 0), "%s: %s", c[_i].params, r ? err.msg : "");
	if (r)
		ck_assert_msg(err.code == PG_EUNSUPPORTED && strstr(err.msg, c[_i].wrong) && strchr(err.msg, ';'), "%s",
			      err.msg);
	else
		ck_assert_uint_eq(need.descriptors, c[_i].descriptors);
}
END_TEST

/* A user is found by number as well as by name; all threads of all processes count. */
START_TEST(users_own_tasks)
{
	char root[FAKE_ROOT], params[64];
	const struct passwd *pw = getpwuid(getuid());
	struct pg_need need;
	struct pg_err err;

	fr_make(root);
	fr_put(root, "proc/70/task/70/stat", "");
	fr_put(root, "proc/70/task/71/stat", "");
	fr_put(root, "proc/80/task/80/stat", "");
	fr_put(root, "proc/self/task/70/stat", "");
	snprintf(params, sizeof(params), "target=user:%u", (unsigned)getuid());
	ck_assert_msg(fake_probe(root, params, "0", &need, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(need.descriptors, 3);
	if (pw) {
		snprintf(params, sizeof(params), "target=user:%s", pw->pw_name);
		ck_assert_msg(fake_probe(root, params, "0", &need, &err) == 0, "%s", err.msg);
		ck_assert_uint_eq(need.descriptors, 3);
	}
	fr_remove(root);
}
END_TEST

struct user_case {
	const char *params, *paranoid, *wrong, *root;
};

/* As an ordinary user, whoever runs the tests: a child gives its rights away. */
static int as_user(void *arg)
{
	const struct user_case *c = arg;
	const struct rlimit none = {0, 0};
	struct pg_need need;
	struct pg_err err;
	bool good;
	int r;

	setrlimit(RLIMIT_MEMLOCK, &none);
	if (getuid() == 0 && (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
		return 99;
	r = fake_probe(c->root, c->params, "0-3", &need, &err);
	good = c->wrong ? r && strstr(err.msg, c->wrong) : r == 0;
	if (!good)
		fprintf(stderr, "%s at %s: %s\n", c->params, c->paranoid, r ? err.msg : "no refusal");
	return !good;
}

START_TEST(users_get_reasons)
{
	struct user_case cases[] = {
		{"target=system", "2\n",
		 "target system watches every process, perf_event_paranoid 2 keeps that to root; run", NULL},
		{"target=system", "1\n", "perf_event_paranoid 1", NULL},
		{"target=system", "0\n", NULL, NULL},
		{"target=system", "-1\n", NULL, NULL},
		{"target=self", "4\n", NULL, NULL}, /* the trial on the real machine says more */
		{"target=pid:70", "2\n", NULL, NULL},
		{"target=pid:70 buffer=per-thread", "2\n", "ring buffers of 4128 KiB, 2064 may be locked; raise", NULL},
	};
	struct user_case *c = &cases[_i];
	char root[FAKE_ROOT], path[64];

	fr_make(root);
	ck_assert_int_eq(chmod(root, 0755), 0);
	fr_put(root, "proc/sys/kernel/perf_event_paranoid", c->paranoid);
	fr_put(root, "proc/sys/kernel/perf_event_mlock_kb", "516");
	for (int i = 0; i < 8; i++) {
		snprintf(path, sizeof(path), "proc/70/task/%d/stat", 70 + i);
		fr_put(root, path, "");
	}
	c->root = root;
	ck_assert_int_eq(ps_in_child(as_user, c), 0);
	fr_remove(root);
}
END_TEST

static void rep(struct ps_bench *b, const char *params)
{
	const struct ps_around before = ps_look();
	struct pg_cpuset home = {.bits = NULL}, now = {.bits = NULL};

	ck_assert_int_eq(pg_affinity_get(0, &home, &b->err), 0);
	ps_bind(b, bench(), params);
	ck_assert_msg(ps_rep(b) == 0, "%s: %s", params, b->err.msg);
	ps_same(&before);
	ck_assert_int_eq(pg_affinity_get(0, &now, &b->err), 0);
	ck_assert(pg_cpuset_equal(&home, &now));
	pg_cpuset_release(&home);
	pg_cpuset_release(&now);
}

/* Events x copies x CPUs (x tasks), every time; the phases are the whole. */
START_TEST(descriptors_are_counted)
{
	static const struct {
		const char *params;
		size_t events;
		bool per_cpu, all;
	} c[] = {
		{"loops=3 target=self", 1, true, false},
		{"loops=1 target=self event_copies=5", 5, true, false},
		{"loops=2 target=self events=dummy,cs,page-faults event_copies=2", 6, true, false},
		{"loops=2 target=self buffer=per-thread events=dummy,cs:u", 2, false, false},
		{"loops=2 target=system events=dummy,cpu-clock", 2, true, true},
	};
	static const char *const phases[] = {"open_total", "map_total", "enable_total", "disable_total", "close_total"};
	int64_t loops, sum = 0;
	struct ps_bench b;

	if (!can(c[_i].params)) {
		ck_assert(c[_i].all || !can("target=self"));
		return;
	}
	rep(&b, c[_i].params);
	loops = ps_raw(&b, "operations");
	ck_assert_int_eq(loops, (int64_t)((struct pg_evlist_conf *)b.conf)->loops);
	ck_assert_int_eq(ps_raw(&b, "opened"), loops * (int64_t)(c[_i].events * (c[_i].per_cpu ? allowed_cpus() : 1)));
	for (size_t i = 0; i < 5; i++) {
		ck_assert_int_gt(ps_raw(&b, phases[i]), 0);
		sum += ps_raw(&b, phases[i]);
	}
	ck_assert_int_eq(ps_raw(&b, "op_total"), sum);
	ck_assert_int_eq(b.run.timed_ns, sum);
	ps_done(&b);
}
END_TEST

static void *sleep_until(void *arg)
{
	while (!atomic_load((_Atomic int *)arg))
		usleep(1000);
	return NULL;
}

/* pid: every thread of the process; tid: the one. */
START_TEST(threads_of_a_process)
{
	_Atomic int end = 0;
	pthread_t threads[3];
	char params[80];
	struct ps_bench b;
	size_t cpus = allowed_cpus();

	if (!can("target=self"))
		return;
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, sleep_until, &end), 0);
	for (int i = 0; i < 3; i++) {
		const size_t expect[] = {4 * cpus, 4, cpus};

		snprintf(params, sizeof(params), "loops=1 target=%s:%d buffer=%s", i == 2 ? "tid" : "pid",
			 (int)getpid(), i == 1 ? "per-thread" : "per-cpu");
		if (!can(params)) /* ring buffers beyond what this user may lock */
			continue;
		ps_bind(&b, bench(), params);
		ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
#ifndef __SANITIZE_THREAD__
		ck_assert_int_eq(ps_raw(&b, "opened"), (int64_t)expect[i]);
#else
		ck_assert_int_ge(ps_raw(&b, "opened"), (int64_t)expect[i]);
#endif
		ps_done(&b);
	}
	atomic_store(&end, 1);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}
END_TEST

/* A counter that the machine lacks is refused with its name, by the probe and by a rep all the same. */
START_TEST(missing_counters_are_refused)
{
	const struct ps_around before = ps_look();
	struct ps_bench b;
	struct pg_need need;

	if (!can("target=self"))
		return;
	ps_bind(&b, bench(), "target=self events=dummy,r7fffffffffffffff");
	if (access("/sys/bus/event_source/devices/cpu", F_OK)) {
		ck_assert_int_eq(ps_probe(&b, &need), -1);
		ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
		ck_assert_msg(strstr(b.err.msg, "event r7fffffffffffffff: this machine has no such counter"), "%s",
			      b.err.msg);
		ck_assert_int_eq(ps_rep(&b), -1);
		ck_assert_msg(strstr(b.err.msg, "no such counter"), "%s", b.err.msg);
	}
	ps_done(&b);
	ps_same(&before);
}
END_TEST

/* The limit of descriptors is met in the middle: the rep fails, and all that was open is closed. */
START_TEST(failures_close_what_was_open)
{
	const struct rlimit few = {64, 64};
	struct ps_around before;
	struct ps_bench b;

	if (!can("target=self"))
		return;
	setrlimit(RLIMIT_NOFILE, &few);
	before = ps_look();
	ps_bind(&b, bench(), "target=self event_copies=100");
	ck_assert_int_eq(ps_rep(&b), -1);
	ck_assert_msg(strstr(b.err.msg, "cannot open event dummy ("), "%s", b.err.msg);
	ck_assert_ptr_null(b.run.state);
	ps_same(&before);
	ps_done(&b);
}
END_TEST

/* Looking up a tracepoint mounts nothing. */
START_TEST(tracefs_is_not_mounted)
{
	char before[65536], after[65536];
	FILE *f = fopen("/proc/self/mounts", "re");
	size_t n, m;

	ck_assert_ptr_nonnull(f);
	n = fread(before, 1, sizeof(before), f);
	fclose(f);
	can("events=nosuch:event");
	can("events=sched:sched_switch");
	f = fopen("/proc/self/mounts", "re");
	ck_assert_ptr_nonnull(f);
	m = fread(after, 1, sizeof(after), f);
	fclose(f);
	ck_assert(n == m && memcmp(before, after, n) == 0);
}
END_TEST

PG_TEST_MAIN("suites_evlist", ((const struct pg_test[]){
				      {targets_are_checked, 0},
				      {rules_across_params, 0},
				      {probe_knows_the_machine, 12},
				      {users_own_tasks, 0},
				      {users_get_reasons, 7},
				      {descriptors_are_counted, 5},
				      {threads_of_a_process, 0},
				      {missing_counters_are_refused, 0},
				      {failures_close_what_was_open, 0},
				      {tracefs_is_not_mounted, 0},
				      {NULL, 0},
			      }))
