/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#include "registry/registry.h"
#include "suites/seccomp.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

#define FOR_EVER "loops=1000000000000"

static const struct pg_bench *notify(void)
{
	return pg_bench_find("sched/seccomp-notify");
}

/* False where this machine cannot: then the rep must fail with the probe's reason. */
static bool can_run(const char *params)
{
	struct ps_bench b;
	struct pg_need need;
	bool can;

	ps_bind(&b, notify(), params);
	can = ps_probe(&b, &need) == 0;
	if (!can) {
		ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
		ck_assert_msg(strchr(b.err.msg, ';') != NULL, "no next step: %s", b.err.msg);
	}
	ps_done(&b);
	return can;
}

/* "Seccomp", "Seccomp_filters" and "NoNewPrivs" of this process. */
static void seccomp_state(char *out, size_t n)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "re");
	size_t len = 0;

	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f))
		if (strncmp(line, "Seccomp", 7) == 0 || strncmp(line, "NoNewPrivs", 10) == 0)
			len += (size_t)snprintf(out + len, n - len, "%s", line);
	fclose(f);
	ck_assert_uint_gt(len, 0);
	ck_assert_uint_lt(len, n);
}

/* A rep that must succeed, with everything around it as before: no filter, no listener, no privilege given up. */
static void good_rep(struct ps_bench *b, const char *params)
{
	const struct ps_around before = ps_look();
	struct sigaction was, is;
	sigset_t mask_was, mask_is;
	char state_was[256], state_is[256];

	sigaction(SIGALRM, NULL, &was);
	sigprocmask(SIG_BLOCK, NULL, &mask_was);
	seccomp_state(state_was, sizeof(state_was));
	ps_bind(b, notify(), params);
	ck_assert_msg(ps_rep(b) == 0, "%s: %s", params, b->err.msg);
	ps_same(&before);
	seccomp_state(state_is, sizeof(state_is));
	ck_assert_str_eq(state_is, state_was);
	sigaction(SIGALRM, NULL, &is);
	sigprocmask(SIG_BLOCK, NULL, &mask_is);
	ck_assert(is.sa_handler == was.sa_handler);
	ck_assert_int_eq(sigismember(&mask_is, SIGALRM), sigismember(&mask_was, SIGALRM));
	ck_assert_int_gt(syscall(SYS_gettid), 0);
}

START_TEST(calls_are_answered)
{
	static const int64_t loops[] = {1, 2, 3000};
	struct ps_bench b;
	char params[80];

	snprintf(params, sizeof(params), "loops=%lld sync_wakeup=%s", (long long)loops[_i / 2],
		 _i % 2 ? "true" : "false");
	if (!can_run(params))
		return;
	good_rep(&b, params);
	ck_assert_int_eq(ps_raw(&b, "operations"), loops[_i / 2]);
	ck_assert_int_gt(ps_raw(&b, "loop_time"), 0);
	ck_assert_int_gt(ps_raw(&b, "time"), ps_raw(&b, "loop_time"));
	ck_assert_int_eq(b.run.timed_ns, ps_raw(&b, "loop_time"));
	ps_done(&b);
}
END_TEST

/* Again and again in one process, with SIGALRM blocked or not: nothing of a rep is left for the next one. */
START_TEST(batches_add_up)
{
	const struct ps_around before = ps_look();
	struct ps_bench b;
	sigset_t alarm;

	if (!can_run(""))
		return;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigprocmask(_i ? SIG_BLOCK : SIG_UNBLOCK, &alarm, NULL);
	ps_bind(&b, notify(), "loops=9");
	ck_assert_int_eq(b.bench->setup(&b.run, &b.err), 0);
	for (int i = 0; i < 4; i++) {
		ck_assert_msg(b.bench->once(&b.run, &b.err) == 0, "%s", b.err.msg);
		ps_same(&before);
	}
	b.bench->teardown(&b.run);
	ck_assert_int_eq(ps_raw(&b, "operations"), 36);
	ps_same(&before);
	ps_done(&b);
}
END_TEST

/* Ends with status 0 after doing something to the caller, the only child of the rep, which is no child of its own. */
static void visit_caller(void (*visit)(pid_t caller))
{
	const pid_t main_pid = getpid();
	_Atomic int *alone = ps_shared(sizeof(*alone));
	pid_t caller;
	int status;
	const pid_t pid = fork();

	if (pid == 0) {
		if (fork() != 0)
			_exit(0);
		while (!atomic_load(alone))
			usleep(1000);
		while (!(caller = ps_child_of(main_pid, 0)))
			usleep(1000);
		usleep(20000);
		visit(caller);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	atomic_store(alone, 1);
}

static void kill_it(pid_t caller)
{
	kill(caller, SIGKILL);
}

START_TEST(killed_caller_ends_the_rep)
{
	const struct ps_around before = ps_look();
	struct ps_bench b;

	if (!can_run(""))
		return;
	ps_bind(&b, notify(), FOR_EVER);
	visit_caller(kill_it);
	ck_assert_int_eq(ps_rep(&b), -1);
	ck_assert_msg(strstr(b.err.msg, "worker 1 of 2 was killed by signal 9"), "%s", b.err.msg);
	ck_assert_int_eq(b.err.code, PG_EFAILED);
	ps_same(&before);
	ps_done(&b);
}
END_TEST

/* Stopping takes a waiting call back; it comes again when the caller goes on. Once for longer than the supervisor waits
 * without a look. */
static void stop_and_go(pid_t caller)
{
	for (int i = 0; i < 30; i++) {
		kill(caller, SIGSTOP);
		usleep(i ? 1000 : 250000);
		kill(caller, SIGCONT);
		usleep(2000);
	}
}

START_TEST(interrupted_calls_count_once)
{
	struct ps_bench b;

	if (!can_run(""))
		return;
	visit_caller(stop_and_go);
	good_rep(&b, "loops=10000");
	ck_assert_int_eq(ps_raw(&b, "operations"), 10000);
	ps_done(&b);
}
END_TEST

static void nothing(int sig)
{
	(void)sig;
}

START_TEST(signals_do_not_disturb_the_supervisor)
{
	const struct sigaction sa = {.sa_handler = nothing};
	const struct itimerspec often = {{0, 200000}, {0, 200000}};
	struct sigevent ev = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2};
	struct ps_bench b;
	timer_t timer;

	if (!can_run(""))
		return;
	ps_bind(&b, notify(), "loops=5000");
	sigaction(SIGUSR2, &sa, NULL);
	ck_assert_int_eq(timer_create(CLOCK_MONOTONIC, &ev, &timer), 0);
	timer_settime(timer, 0, &often, NULL);
	ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
	timer_delete(timer);
	ck_assert_int_eq(ps_raw(&b, "operations"), 5000);
	ps_done(&b);
}
END_TEST

static int rep_for_ever(struct ps_bench *b)
{
	b->bench->setup(&b->run, &b->err);
	return b->bench->once(&b->run, &b->err);
}

/* SIGKILL of the supervisor leaves no caller that waits for an answer. */
START_TEST(nothing_outlives_the_supervisor)
{
	struct ps_bench b;
	pid_t pid;

	if (!can_run(""))
		return;
	ps_bind(&b, notify(), FOR_EVER);
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	pid = fork();
	if (pid == 0)
		_exit(rep_for_ever(&b));
	while (!ps_child_of(pid, 0))
		usleep(500);
	usleep((useconds_t)_i * 4000);
	kill(pid, SIGKILL);
	ck_assert_int_ge(ps_reap_all(), 2);
	ps_done(&b);
}
END_TEST

/* The caller, and afterwards a gettid that nobody would answer if it were trapped. */
static int caller_and_more(struct pg_worker *w, void *arg)
{
	const int r = pg_seccomp_caller(w, arg);

	return r || syscall(SYS_gettid, 0) == getpid() ? r : pg_worker_fail(w, "another gettid was trapped");
}

START_TEST(other_calls_are_not_trapped)
{
	const struct pg_crew_opts opts = {.n = 2, .root = "", .last_opens = true};
	struct ps_bench b;
	struct pg_seccomp *s;

	if (!can_run(""))
		return;
	ps_bind(&b, notify(), "loops=3");
	ck_assert_int_eq(b.bench->setup(&b.run, &b.err), 0);
	s = b.run.state;
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s->link), 0);
	ck_assert_int_eq(pg_crew_open(&s->crew, &opts, &b.err), 0);
	ck_assert_int_eq(pg_crew_start(s->crew, caller_and_more, s, &b.err), 0);
	close(s->link[0]);
	s->link[0] = -1;
	pg_crew_here(s->crew, pg_seccomp_supervisor, s);
	ck_assert_msg(pg_crew_reap(s->crew, &b.err) == 0, "%s", b.err.msg);
	ck_assert_uint_eq(pg_crew_slot(s->crew, 0)->count, 3);
	ck_assert_uint_eq(pg_crew_slot(s->crew, 1)->count, 3);
	b.bench->teardown(&b.run);
	ps_done(&b);
}
END_TEST

/* Processes in which one thing does not work, as on other kernels and in containers. */
enum lack { NO_SECCOMP, NO_SYNC_FLAG, LISTENER_THERE, NO_FILTERS };

static int lack_it(enum lack lack)
{
	const unsigned filters = lack == LISTENER_THERE ? SECCOMP_FILTER_FLAG_NEW_LISTENER : 0;
	const unsigned nr = lack == NO_SYNC_FLAG ? SYS_ioctl : SYS_seccomp;
	/* seccomp(): the operation is argument 0; ioctl(): the request is argument 1. */
	const unsigned value = lack == NO_SYNC_FLAG ? (unsigned)SECCOMP_IOW(4, __u64)
			       : lack == NO_SECCOMP ? SECCOMP_GET_NOTIF_SIZES
						    : SECCOMP_SET_MODE_FILTER;
	const unsigned answer =
		lack == LISTENER_THERE ? SECCOMP_RET_ALLOW : SECCOMP_RET_ERRNO | (lack == NO_FILTERS ? EACCES : EINVAL);
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[lack == NO_SYNC_FLAG])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, filters, &filter);
}

struct lacking {
	enum lack lack;
	struct pg_err probe, rep;
};

/* Probe and rep alike say no, and nothing is left. */
static int lacking_rep(void *arg)
{
	struct lacking *l = arg;
	struct ps_bench b;
	struct pg_need need;

	ps_bind(&b, notify(), FOR_EVER " sync_wakeup=true");
	if (lack_it(l->lack) < 0)
		return 10;
	if (ps_probe(&b, &need) != -1 || b.err.code != PG_EUNSUPPORTED)
		return 11;
	l->probe = b.err;
	if (ps_rep(&b) != -1)
		return 12;
	l->rep = b.err;
	ps_done(&b);
	return waitpid(-1, NULL, WNOHANG) == -1 ? 0 : 13;
}

START_TEST(what_lacks_is_told)
{
	static const struct {
		enum lack lack;
		const char *probe, *rep;
	} lacks[] = {
		{NO_SECCOMP, "this kernel has no seccomp notifications", "this kernel has no seccomp notifications"},
		{NO_SYNC_FLAG, "sync_wakeup needs Linux 6.6", "cannot set the flag of sync_wakeup"},
		{LISTENER_THERE, "a seccomp listener watches this process already",
		 "worker 1 of 2: cannot create a notification descriptor; measure outside of other seccomp "
		 "supervisors: Device or resource busy"},
		{NO_FILTERS, "cannot install a seccomp filter with a listener: Permission denied",
		 "worker 1 of 2: cannot create a notification descriptor; measure outside of other seccomp "
		 "supervisors: Permission denied"},
	};
	struct lacking *l;

	if (!can_run("sync_wakeup=true"))
		return;
	l = ps_shared(sizeof(*l));
	l->lack = lacks[_i].lack;
	ck_assert_int_eq(ps_in_child(lacking_rep, l), 0);
	ck_assert_msg(strstr(l->probe.msg, lacks[_i].probe) && strchr(l->probe.msg, ';'), "%s", l->probe.msg);
	ck_assert_msg(strstr(l->rep.msg, lacks[_i].rep), "%s", l->rep.msg);
	munmap(l, sizeof(*l));
}
END_TEST

struct limited {
	uint64_t descriptors; /* beside 0-2 */
	struct pg_err err;
};

static int rep_with_limit(void *arg)
{
	struct limited *l = arg;
	const struct rlimit lim = {3 + l->descriptors, 3 + l->descriptors};
	struct ps_bench b;
	int r;

	for (int fd = 3; fd < 1000; fd++)
		close(fd);
	ps_bind(&b, notify(), "loops=2");
	if (setrlimit(RLIMIT_NOFILE, &lim))
		return 10;
	r = ps_rep(&b);
	l->err = b.err;
	ps_done(&b);
	if (waitpid(-1, NULL, WNOHANG) != -1 || (l->descriptors && fcntl(0, F_DUPFD, 3) != 3))
		return 11;
	return r ? 1 : 0;
}

START_TEST(descriptor_need_is_exact)
{
	struct limited *l = ps_shared(sizeof(*l));
	struct ps_bench b;
	struct pg_need need;

	if (!can_run(""))
		return;
	ps_bind(&b, notify(), "loops=2");
	ck_assert_int_eq(ps_probe(&b, &need), 0);
	ps_done(&b);
	ck_assert_uint_eq(need.tasks, 1);
	ck_assert_uint_eq(need.caps, 0);
	l->descriptors = need.descriptors;
	ck_assert_msg(ps_in_child(rep_with_limit, l) == 0, "%s", l->err.msg);
	l->descriptors--;
	ck_assert_int_eq(ps_in_child(rep_with_limit, l), 1);
	ck_assert_msg(strstr(l->err.msg, "Too many open files"), "%s", l->err.msg);
	munmap(l, sizeof(*l));
}
END_TEST

/* Placement as this machine has it: runs, or is unsupported in probe and rep alike; the main task returns. */
START_TEST(placed_tasks)
{
	struct ps_bench b;
	struct pg_need need;
	cpu_set_t was, is;
	char params[80];

	if (!can_run(""))
		return;
	sched_getaffinity(0, sizeof(was), &was);
	for (size_t i = 0; pg_placements[i].name; i++) {
		snprintf(params, sizeof(params), "loops=3 placement=%s", pg_placements[i].name);
		ps_bind(&b, notify(), params);
		if (ps_probe(&b, &need) == 0) {
			ck_assert_msg(ps_rep(&b) == 0, "%s: %s", params, b.err.msg);
		} else {
			ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
			ck_assert_int_eq(ps_rep(&b), -1);
			ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
		}
		sched_getaffinity(0, sizeof(is), &is);
		ck_assert(CPU_EQUAL(&was, &is));
		ps_done(&b);
	}
}
END_TEST

START_TEST(teardown_of_nothing)
{
	struct ps_bench b;

	ps_bind(&b, notify(), "");
	b.bench->teardown(&b.run);
	b.bench->setup(&b.run, &b.err);
	b.bench->teardown(&b.run);
	ck_assert_ptr_null(b.run.state);
	ck_assert_ptr_null(pg_param_find(b.bench->params, "latency", NULL));
	ps_done(&b);
}
END_TEST

PG_TEST_MAIN("suites_seccomp", ((const struct pg_test[]){
				       {calls_are_answered, 6},
				       {batches_add_up, 2},
				       {killed_caller_ends_the_rep, 0},
				       {interrupted_calls_count_once, 0},
				       {signals_do_not_disturb_the_supervisor, 0},
				       {nothing_outlives_the_supervisor, 4},
				       {other_calls_are_not_trapped, 0},
				       {what_lacks_is_told, 4},
				       {descriptor_need_is_exact, 0},
				       {placed_tasks, 0},
				       {teardown_of_nothing, 0},
				       {NULL, 0},
			       }))
