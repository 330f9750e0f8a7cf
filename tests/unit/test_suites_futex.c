/* SPDX-License-Identifier: GPL-2.0-or-later */
/* futex/hash, futex/lock-pi, and the period that both are measured over. */
#include <stdio.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <time.h>

#include "tests/support/futexkit.h"
#include "tests/support/pgtest.h"

static const char *const periods[] = {"futex/hash", "futex/lock-pi"};

START_TEST(metrics_fit_together)
{
	static const char *const params[] = {
		"threads=1 futexes=1",
		"threads=3 futexes=7 shared=true placement=free",
		"threads=2 placement=same-cpu",
		"threads=1",
		"threads=2 hold=0s",
		"threads=3 lock=per-thread shared=true",
		"threads=2 lock=per-thread hold=0s",
		"threads=2 hold=100us shared=true placement=free",
	};
	const char *name = periods[_i / 4];
	const int64_t threads = params[_i][8] - '0', before = pg_now_ns();
	struct fx_bench f;
	char text[128];
	int64_t wall;
	size_t spread;

	snprintf(text, sizeof(text), "runtime=60ms %s%s", params[_i], _i < 3 ? "" : _i == 3 ? " futexes=100000" : "");
	fx_good_rep(&f, name, text);
	wall = pg_now_ns() - before;
	ck_assert_int_ge(ps_raw(&f.b, "elapsed"), 60000000);
	ck_assert_int_lt(ps_raw(&f.b, "elapsed"), wall);
	ck_assert_int_eq(ps_raw(&f.b, "thread_elapsed"), threads * ps_raw(&f.b, "elapsed"));
	ck_assert_int_eq(ps_raw(&f.b, "elapsed_x1000"), 1000 * ps_raw(&f.b, "elapsed"));
	ck_assert_int_gt(ps_raw(&f.b, "operations"), 0);
	ck_assert_int_le(ps_raw(&f.b, "slowest_x1000"), ps_raw(&f.b, "fastest_x1000"));
	ck_assert_int_ge(ps_raw(&f.b, "work_operations_x1000"), threads * ps_raw(&f.b, "slowest_x1000"));
	ck_assert_int_le(ps_raw(&f.b, "work_operations_x1000"), threads * ps_raw(&f.b, "fastest_x1000"));
	/* Of one thread there is none: the sample is missing, no perfect 0. */
	pg_metric_find(f.bench.metrics, "operations_standard_error_x1000", &spread);
	ck_assert_uint_eq(f.b.run.acc[spread].n, threads > 1);
	if (_i >= 4) {
		ck_assert_int_gt(ps_raw(&f.b, "locking"), 0);
		ck_assert_int_gt(ps_raw(&f.b, "unlocking"), 0);
		ck_assert_int_ge(ps_raw(&f.b, "timed_loops"), 1);
		ck_assert_int_le(ps_raw(&f.b, "timed_loops"), ps_raw(&f.b, "operations"));
	}
	ps_done(&f.b);
}
END_TEST

/* With a sleep each loop is timed, so that lock_time and unlock_time are of all calls. */
START_TEST(each_sleeping_loop_is_timed)
{
	struct fx_bench f;

	fx_good_rep(&f, "futex/lock-pi", "threads=2 runtime=60ms hold=1us");
	ck_assert_int_eq(ps_raw(&f.b, "timed_loops"), ps_raw(&f.b, "operations"));
	ps_done(&f.b);
}
END_TEST

/* A contended lock is held by one thread at a time: at most runtime / hold operations, plus those under way. */
START_TEST(hold_is_slept)
{
	struct fx_bench f;

	fx_good_rep(&f, "futex/lock-pi", "threads=3 runtime=80ms hold=4ms");
	ck_assert_int_le(ps_raw(&f.b, "operations") * 4000000, ps_raw(&f.b, "elapsed") + 4000000);
	ps_done(&f.b);
}
END_TEST

struct fixed {
	struct pg_period p;
	_Atomic uint64_t ready, early;
	_Atomic bool pinned;
};

/* A worker with known results: 10, 20, 30 operations; the last one in half the time. */
static int fixed_work(struct pg_worker *w, void *arg)
{
	struct fixed *x = arg;
	cpu_set_t cpus;
	const struct timespec nap = {.tv_nsec = 1000000};

	CPU_ZERO(&cpus);
	if (sched_getaffinity(0, sizeof(cpus), &cpus) || CPU_COUNT(&cpus) != 1)
		atomic_store(&x->pinned, false);
	if (w->index == 0) /* the others are long there */
		for (int i = 0; i < 20; i++)
			nanosleep(&nap, NULL);
	atomic_fetch_add(&x->ready, 1);
	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	if (atomic_load(&x->ready) != 3)
		atomic_fetch_add(&x->early, 1);
	pg_period_begin(w, &x->p);
	while (!pg_period_stopped(&x->p))
		nanosleep(&nap, NULL);
	w->slot->count = 10 * (w->index + 1);
	w->slot->start_ns = 1000;
	w->slot->end_ns = w->index == 2 ? 1000 + 500000 : 1000 + 1000000;
	return 0;
}

START_TEST(known_counts)
{
	struct fixed x;
	struct fx_bench f;
	int64_t elapsed;

	memset(&x, 0, sizeof(x));
	atomic_store(&x.pinned, true);
	fx_bind(&f, "futex/hash", "threads=3 runtime=20ms");
	ck_assert_msg(pg_futex_period_run(&x.p, &f.b.run, fixed_work, &x, &f.b.err) == 0, "%s", f.b.err.msg);
	pg_period_end(&x.p);
	ck_assert_uint_eq(atomic_load(&x.early), 0); /* the gate held until all were ready */
	ck_assert(atomic_load(&x.pinned));
	elapsed = ps_raw(&f.b, "elapsed");
	ck_assert_int_eq(ps_raw(&f.b, "operations"), 60);
	/* sd of 10, 20, 30 is 10; its standard error 10 / sqrt(3) */
	ck_assert_int_eq(ps_raw(&f.b, "operations_standard_error_x1000"), 5774);
	/* each over its own time, as if for elapsed: 10, 20, 60 in a millisecond */
	ck_assert_int_le(llabs(ps_raw(&f.b, "slowest_x1000") - elapsed / 100), 1);
	ck_assert_int_le(llabs(ps_raw(&f.b, "fastest_x1000") - 6 * elapsed / 100), 1);
	ck_assert_int_le(llabs(ps_raw(&f.b, "work_operations_x1000") - 9 * elapsed / 100), 2);
	ps_done(&f.b);
}
END_TEST

static int idle_work(struct pg_worker *w, void *arg)
{
	struct pg_period *p = arg;

	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	pg_period_begin(w, p);
	if (w->index == 1)
		return pg_worker_fail(w, "has had enough");
	while (!pg_period_stopped(p) && !pg_worker_told_to_stop(w))
		sched_yield();
	return 0;
}

/* A worker that fails ends the rep long before its period does; nobody has done anything: no rate of 0 either. */
START_TEST(failures_end_the_period)
{
	const struct fx_around was = fx_look();
	struct pg_period p = {.stop = false};
	struct fx_bench f;

	fx_bind(&f, "futex/hash", _i == 0 ? "threads=3 runtime=1h" : "threads=1 runtime=1ms");
	ck_assert_int_eq(pg_futex_period_run(&p, &f.b.run, idle_work, &p, &f.b.err), -1);
	pg_period_end(&p);
	ck_assert_msg(strstr(f.b.err.msg, _i == 0 ? "worker 2 of 3: has had enough" : "no operation was finished"),
		      "%s", f.b.err.msg);
	fx_same(&was);
	ps_done(&f.b);
}
END_TEST

START_TEST(refusals)
{
	static const struct {
		const char *name, *params, *why; /* NULL = good */
	} cases[] = {
		{"futex/hash", "buckets=2", NULL},
		{"futex/hash", "buckets=16777216", NULL},
		{"futex/hash", "buckets=kernel", NULL},
		{"futex/hash", "buckets=global", NULL},
		{"futex/hash", "buckets=3", "buckets: 3 is no power of 2"},
		{"futex/wake", "buckets=6", "buckets: 6 is no power of 2"},
		{"futex/wake-parallel", "buckets=1000", "buckets: 1000 is no power of 2"},
		{"futex/requeue", "buckets=12", "buckets: 12 is no power of 2"},
		{"futex/lock-pi", "buckets=24", "buckets: 24 is no power of 2"},
		{"futex/lock-pi", "runtime=1ms hold=999us", NULL},
		{"futex/lock-pi", "runtime=1ms hold=1ms", "hold: 1000000 ns is not below runtime"},
		{"futex/wake-parallel", "threads=6 wakers=3", NULL},
		{"futex/wake-parallel", "threads=6 wakers=4", "wakers: 4 is no divisor of threads, 6"},
	};
	struct fx_bench f;
	int r;

	fx_bind(&f, cases[_i].name, cases[_i].params);
	r = f.bench.check(f.b.conf, &f.b.err);
	ck_assert_int_eq(r, cases[_i].why ? -1 : 0);
	if (r)
		ck_assert_msg(strstr(f.b.err.msg, cases[_i].why), "%s", f.b.err.msg);
	ps_done(&f.b);
}
END_TEST

static const char *const all[] = {"futex/hash", "futex/lock-pi", "futex/wake", "futex/wake-parallel", "futex/requeue"};

START_TEST(needs_are_told)
{
	struct fx_bench f;
	struct pg_need need, more;

	fx_bind(&f, all[_i], "threads=1000");
	ck_assert_msg(ps_probe(&f.b, &need) == 0, "%s", f.b.err.msg);
	ck_assert_uint_eq(need.tasks, _i == 3 ? 1002 : 1000);
	ck_assert_uint_ge(need.bytes, 1000 * pg_crew_stack_bytes(0));
	ps_done(&f.b);
	if (_i == 0) {
		fx_bind(&f, all[_i], "threads=1000 futexes=1000000");
		ck_assert_int_eq(ps_probe(&f.b, &more), 0);
		ck_assert_uint_ge(more.bytes - need.bytes, UINT64_C(3990000000));
		ps_done(&f.b);
	}
	fx_bind(&f, all[_i], "threads=1000 buckets=1048576");
	if (ps_probe(&f.b, &more) == 0)
		ck_assert_uint_ge(more.bytes - need.bytes, UINT64_C(1048576) * 64);
	ps_done(&f.b);
}
END_TEST

static const char *quick_params(int bench)
{
	return bench < 2 ? "runtime=60ms" : "settle=0s";
}

static int rep_on_one_cpu(void *arg)
{
	struct fx_bench f;
	struct pg_need need;
	cpu_set_t cpus;
	size_t last = CPU_SETSIZE - 1;
	int r;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	while (!CPU_ISSET(last, &cpus))
		last--;
	CPU_ZERO(&cpus);
	CPU_SET(last, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return 2;
	fx_bind(&f, all[*(int *)arg], quick_params(*(int *)arg));
	if (ps_probe(&f.b, &need) || pg_place_lenient(PG_PLACE_CROSS_CPU) != PG_PLACE_SAME_CPU)
		return 3;
	r = ps_rep(&f.b) ? 4 : 0;
	ps_done(&f.b);
	fx_bind(&f, all[*(int *)arg], "placement=cross-core");
	if (r == 0 && (ps_probe(&f.b, &need) == 0 || f.b.err.code != PG_EUNSUPPORTED))
		r = 5;
	ps_done(&f.b);
	return r;
}

/* The last allowed CPU and no other: workers go by allowed CPUs, and the default placement puts up with one. */
START_TEST(one_allowed_cpu)
{
	int bench = _i;

	ck_assert_int_eq(ps_in_child(rep_on_one_cpu, &bench), 0);
}
END_TEST

/* Where workers go is read below the run's root. */
START_TEST(topology_is_of_the_root)
{
	static const char *const dirs[] = {"/sys", "/sys/devices", "/sys/devices/system", "/sys/devices/system/cpu"};
	char root[] = "/tmp/pgtest-XXXXXX", path[128], events[4096];
	struct fx_bench f;
	FILE *online;
	int fd;

	ck_assert_ptr_nonnull(mkdtemp(root));
	for (size_t i = 0; i < 4; i++) {
		snprintf(path, sizeof(path), "%s%s", root, dirs[i]);
		ck_assert_int_eq(mkdir(path, 0755), 0);
	}
	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/online", root);
	online = fopen(path, "we");
	ck_assert_ptr_nonnull(online);
	fputs("0-1023\n", online);
	fclose(online);
	fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_ge(inotify_add_watch(fd, path, IN_OPEN), 0);

	fx_bind(&f, all[_i], quick_params(_i));
	f.b.run.root = root;
	ck_assert_msg(ps_rep(&f.b) == 0, "%s", f.b.err.msg);
	ck_assert_int_gt(read(fd, events, sizeof(events)), 0);
	close(fd);
	ps_done(&f.b);
	unlink(path);
	for (size_t i = 4; i-- > 0;) {
		snprintf(path, sizeof(path), "%s%s", root, dirs[i]);
		rmdir(path);
	}
	rmdir(root);
}
END_TEST

/* What a kernel without these calls, or a call that fails, does to a rep: its reason, and nobody left. */
START_TEST(calls_that_fail)
{
	static const struct {
		const char *name, *params;
		uint32_t op; /* 3, 1234: the value of a call, else its operation */
		int answer;
		const char *why;
		bool probed; /* the probe says it already */
	} cases[] = {
		{"futex/hash", "runtime=1h", 1234, ENOSYS, "cannot look up a futex", false},
		{"futex/hash", "runtime=1h", 1234, 0, "let a thread wait that expected 1234", false},
		{"futex/lock-pi", "runtime=1h", FUTEX_LOCK_PI_PRIVATE, ENOMEM, "cannot lock a futex", false},
		{"futex/lock-pi", "runtime=1h threads=4", FUTEX_UNLOCK_PI_PRIVATE, EINVAL, "cannot unlock a futex",
		 false},
		{"futex/lock-pi", "runtime=1h lock=per-thread hold=0s", FUTEX_UNLOCK_PI_PRIVATE, ENOSYS,
		 "no futexes with priority inheritance", true},
		{"futex/wake", "settle=0s threads=4 shared=true", FUTEX_WAIT, ENOMEM, "cannot wait on a futex", false},
		{"futex/wake", "settle=0s threads=4 waiters_per_call=3", 3, EINVAL, "cannot wake waiters", false},
		{"futex/wake-parallel", "settle=0s threads=6 wakers=2", 3, EINVAL,
		 "cannot wake waiters of a futex: Invalid argument", false},
		{"futex/requeue", "settle=0s threads=4", FUTEX_CMP_REQUEUE_PRIVATE, ENOMEM, "cannot move waiters",
		 false},
		{"futex/requeue", "settle=0s threads=4 priority_inheritance=true", FUTEX_CMP_REQUEUE_PI_PRIVATE, ENOMEM,
		 "cannot move waiters", false},
		{"futex/requeue", "settle=0s threads=4 priority_inheritance=true", FUTEX_WAIT_REQUEUE_PI_PRIVATE,
		 ENOMEM, "cannot wait on a futex to be moved", false},
		{"futex/requeue", "settle=0s threads=4 priority_inheritance=true", FUTEX_UNLOCK_PI_PRIVATE, ENOSYS,
		 "no futexes with priority inheritance", true},
	};
	struct fx_try *t = ps_shared(sizeof(*t));
	const char *told;
	int r;

	t->name = cases[_i].name;
	t->params = cases[_i].params;
	t->nr = SYS_futex;
	t->arg = cases[_i].op == 3 || cases[_i].op == 1234 ? 2 : 1;
	t->value = cases[_i].op;
	t->answer = cases[_i].answer;
	r = ps_in_child(fx_try, t);
	if (r == 1) /* no filters here */
		return;
	ck_assert_int_eq(r, 0);
	ck_assert_int_eq(t->r, -1);
	ck_assert_int_eq(t->probed, cases[_i].probed ? -1 : 0);
	told = cases[_i].probed ? t->probe_why : t->why;
	ck_assert_msg(strstr(told, cases[_i].why), "%s", told);
	ck_assert(!t->left);
	munmap(t, sizeof(*t));
}
END_TEST

PG_TEST_MAIN("suites_futex", ((const struct pg_test[]){
				     {metrics_fit_together, 8},
				     {each_sleeping_loop_is_timed, 0},
				     {hold_is_slept, 0},
				     {known_counts, 0},
				     {failures_end_the_period, 2},
				     {refusals, 13},
				     {needs_are_told, 5},
				     {one_allowed_cpu, 5},
				     {topology_is_of_the_root, 5},
				     {calls_that_fail, 12},
				     {NULL, 0},
			     }))
