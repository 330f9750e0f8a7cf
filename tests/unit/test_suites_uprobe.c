/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The suite uprobe: where functions lie, refusals, hits, and that nothing stays whichever way a rep ends. The code of
 * the probed function is looked at in this process: a probe for every process shows in it, one for another does not.
 */
#include <fcntl.h>
#include <linux/bpf.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/uio.h>
#include <time.h>

#include "registry/registry.h"
#include "suites/perf_event.h"
#include "suites/uprobe.h"
#include "tests/support/fake_root.h"
#include "tests/support/pgdeny.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

#define PMU "sys/bus/event_source/devices/uprobe/"

static const char *const probed[] = {"uprobe/empty", "uprobe/trace_printk", "uprobe/empty_ret",
				     "uprobe/trace_printk_ret"};

/* By the bench's own probe: whether this user may, on this machine. */
static bool can(const char *bench)
{
	struct ps_bench b;
	struct pg_need need;
	int r;

	ps_bind(&b, pg_bench_find(bench), "");
	r = ps_probe(&b, &need);
	if (r)
		ck_assert_msg(b.err.code == PG_EUNSUPPORTED && strchr(b.err.msg, ';'), "%s", b.err.msg);
	ps_done(&b);
	return r == 0;
}

static const unsigned char *code(void)
{
	return (const unsigned char *)(uintptr_t)pg_uprobe_empty;
}

/* What stands in the file at that place is what runs at that address: for fixed programs and for others. */
START_TEST(functions_are_found)
{
	const void *at[] = {(const void *)(uintptr_t)pg_uprobe_empty, pg_uprobe_usleep()};
	struct pg_uprobe_place p;
	struct pg_err err;
	unsigned char bytes[16];
	int fd;

	if (!at[_i])
		return; /* a libc of its own */
	ck_assert_msg(pg_uprobe_place_of(at[_i], &p, &err) == 0, "%s", err.msg);
	fd = open(p.path, O_RDONLY | O_CLOEXEC);
	ck_assert_msg(fd >= 0, "%s", p.path);
	ck_assert_int_eq(pread(fd, bytes, sizeof(bytes), (off_t)p.offset), sizeof(bytes));
	close(fd);
	ck_assert_mem_eq(bytes + 1, (const unsigned char *)at[_i] + 1, sizeof(bytes) - 1);
}
END_TEST

/* libc's own, not this program's PLT entry for it. */
START_TEST(usleep_is_that_of_libc)
{
	struct pg_uprobe_place mine, libcs;
	struct pg_err err;
	char a[PATH_MAX] = "", b[PATH_MAX] = "";

	if (!pg_uprobe_usleep())
		return;
	ck_assert_int_eq(pg_uprobe_place_of(code(), &mine, &err), 0);
	ck_assert_int_eq(pg_uprobe_place_of(pg_uprobe_usleep(), &libcs, &err), 0);
	ck_assert_ptr_nonnull(realpath(mine.path, a));
	ck_assert_ptr_nonnull(realpath(libcs.path, b));
	ck_assert_str_ne(a, b);
	ck_assert_msg(strstr(b, "libc"), "%s", b);
}
END_TEST

START_TEST(what_is_no_code_of_a_file)
{
	struct pg_uprobe_place p;
	struct pg_err err;
	int here;
	void *page = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const void *at[] = {NULL, &here, page};

	for (int i = 0; i < 3; i++) {
		ck_assert_int_eq(pg_uprobe_place_of(at[i], &p, &err), -1);
		ck_assert_int_eq(err.code, PG_EUNSUPPORTED);
		ck_assert_msg(strchr(err.msg, ';'), "%s", err.msg);
	}
	munmap(page, 4096);
}
END_TEST

struct user_case {
	const char *root, *bench, *wrong;
};

static int refuse_on(const struct user_case *c)
{
	const struct pg_probe_env env = {.root = c->root};
	struct pg_need need = {.tasks = 0};
	struct ps_bench b;
	int r;

	ps_bind(&b, pg_bench_find(c->bench), "");
	r = b.bench->probe(b.conf, &env, &need, &b.err);
	if (r != -1 || b.err.code != PG_EUNSUPPORTED || !strstr(b.err.msg, c->wrong) || !strchr(b.err.msg, ';')) {
		fprintf(stderr, "%s: %s\n", c->bench, r ? b.err.msg : "no refusal");
		return 1;
	}
	ps_done(&b);
	return 0;
}

static int as_user(void *arg)
{
	if (getuid() == 0 && (setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534)))
		return 99;
	return refuse_on(arg);
}

/* A kernel without the PMU, an ordinary user, a kernel without return probes, one without the trace event. */
START_TEST(reasons)
{
	char root[FAKE_ROOT];
	struct user_case c = {.root = root, .bench = probed[_i]};

	fr_make(root);
	ck_assert_int_eq(chmod(root, 0755), 0);
	fr_put(root, "proc/sys/kernel/perf_event_paranoid", "3\n");
	fr_put(root, "proc/sys/kernel/unprivileged_bpf_disabled", "2\n");
	c.wrong = "no uprobe PMU (/sys/bus/event_source/devices/uprobe); use a kernel from 4.17 on";
	ck_assert_int_eq(refuse_on(&c), 0);
	fr_put(root, PMU "type", "8\n");
	if (_i >= 2) {
		c.wrong = "neither a term nor an event `retprobe`";
		ck_assert_int_eq(refuse_on(&c), 0);
	}
	fr_put(root, PMU "format/retprobe", "config:0\n");
	c.wrong = "probes need CAP_PERFMON and CAP_BPF, both are missing (perf_event_paranoid is 3, "
		  "unprivileged_bpf_disabled is 2";
	ck_assert_int_eq(ps_in_child(as_user, &c), 0);
	if (_i % 2 && pg_perf_may_watch() && pg_perf_may_load()) {
		c.wrong = "a program that prints needs tracefs, which cannot be read";
		ck_assert_int_eq(refuse_on(&c), 0);
		fr_put(root, "sys/kernel/tracing/events/none", "");
		c.wrong = "tracefs has no events/bpf_trace/bpf_trace_printk";
		ck_assert_int_eq(refuse_on(&c), 0);
	}
	fr_remove(root);
}
END_TEST

START_TEST(baseline_needs_nothing)
{
	static const char *const params[] = {"loops=1000 function=empty", "loops=2 function=usleep"};
	const struct ps_around before = ps_look();
	struct ps_bench b;

	ps_bind(&b, pg_bench_find("uprobe/baseline"), params[_i]);
	ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
	ck_assert_int_eq(ps_raw(&b, "operations"), _i ? 2 : 1000);
	ck_assert_int_ge(ps_raw(&b, "time"), _i ? 2000000 : 1);
	ck_assert_ptr_null(pg_metric_find(b.bench->metrics, "hits", NULL));
	ck_assert_ptr_null(pg_param_find(b.bench->params, "target", NULL));
	ps_same(&before);
	ps_done(&b);
}
END_TEST

/* The state of the kernel that a rep may not change. */
struct kernel {
	char enable; /* of the trace event; 0 = not readable */
	char entries[64];
	int programs;
};

static int count_programs(void)
{
	union bpf_attr attr;
	int n = 0;

	memset(&attr, 0, sizeof(attr));
	while (syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, &attr, sizeof(attr)) == 0) {
		attr.start_id = attr.next_id;
		n++;
	}
	return n;
}

static struct kernel look_at_kernel(void)
{
	struct kernel k = {.programs = count_programs()};
	const int dir = pg_perf_open_tracefs("");
	char text[512] = "";
	int fd = dir < 0 ? -1 : openat(dir, "events/bpf_trace/bpf_trace_printk/enable", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		/* reps of other processes, at this moment, put it back before they let go */
		ck_assert_int_eq(flock(fd, LOCK_EX), 0);
		ck_assert_int_gt(read(fd, &k.enable, 1), 0);
		close(fd);
	}
	fd = dir < 0 ? -1 : openat(dir, "trace", O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		char *at;

		ck_assert_int_gt(read(fd, text, sizeof(text) - 1), 0);
		close(fd);
		at = strstr(text, "entries-in-buffer");
		snprintf(k.entries, sizeof(k.entries), "%.*s", (int)strcspn(at ? at : "", "#\n"), at ? at : "");
	}
	if (dir >= 0)
		close(dir);
	return k;
}

/* Programs are freed some time after their last descriptor was closed. */
static void kernel_is_as_before(const struct kernel *before)
{
	const struct timespec nap = {.tv_nsec = 20000000};
	struct kernel now = look_at_kernel();

	for (int i = 0; i < 500 && now.programs > before->programs; i++) {
		nanosleep(&nap, NULL);
		now = look_at_kernel();
	}
	ck_assert_int_le(now.programs, before->programs);
	ck_assert_int_eq(now.enable, before->enable);
	if (before->enable == '0') /* else whoever switched it on gets lines */
		ck_assert_str_eq(now.entries, before->entries);
}

/* Each bench, function and target: hits reach the calls, and for this process alone they are the calls. */
START_TEST(hits_are_counted)
{
	static const char *const params[] = {
		"loops=200 function=empty target=system",
		"loops=200 function=empty target=self",
		"loops=3 function=usleep target=system",
		"loops=3 function=usleep target=self",
	};
	const struct ps_around before = ps_look();
	const unsigned char first = *code();
	struct kernel k;
	struct ps_bench b;
	int64_t loops;

	if (!can(probed[_i / 4]))
		return;
	k = look_at_kernel();
	ps_bind(&b, pg_bench_find(probed[_i / 4]), params[_i % 4]);
	ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
	loops = ps_raw(&b, "operations");
	ck_assert_int_eq(loops, _i % 4 < 2 ? 200 : 3);
	ck_assert_int_ge(ps_raw(&b, "hits"), loops);
	if (_i % 2)
		ck_assert_int_eq(ps_raw(&b, "hits"), loops);
	ck_assert_int_gt(ps_raw(&b, "time"), 0);
	ck_assert_int_le(ps_raw(&b, "net_time_total"), ps_raw(&b, "time"));
	if (_i % 4 < 2) /* a trap is a thousand times a call */
		ck_assert_int_gt(ps_raw(&b, "net_time_total"), ps_raw(&b, "time") / 2);
	ck_assert_int_gt(ps_raw(&b, "attach_time"), 0);
	ck_assert_int_gt(ps_raw(&b, "detach_time"), 0);
	ck_assert_int_eq(b.run.timed_ns, ps_raw(&b, "time"));
	ps_done(&b);
	ps_same(&before);
	ck_assert_uint_eq(*code(), first);
	kernel_is_as_before(&k);
}
END_TEST

START_TEST(missing_hits_fail_the_rep)
{
	static const struct {
		uint64_t loops, runs, lines;
		const char *wrong;
	} c[] = {
		{10, 10, 10, NULL},
		{10, 12, 11, NULL},
		{10, 9, 10, "ran 9 times in 10 calls;"},
		{10, 0, 0, "ran 0 times in 10 calls;"},
		{10, 10, 9, "printed 9 lines in 10 calls;"},
		{UINT64_C(1) << 40, UINT64_C(1) << 32, UINT64_MAX, "ran 4294967296 times in 1099511627776 calls;"},
	};
	struct pg_err err;

	for (size_t i = 0; i < sizeof(c) / sizeof(c[0]); i++) {
		const int r = pg_uprobe_check_hits(c[i].loops, c[i].runs, c[i].lines, &err);

		ck_assert_int_eq(r, c[i].wrong ? -1 : 0);
		if (r)
			ck_assert_msg(err.code == PG_EFAILED && strstr(err.msg, c[i].wrong), "%s", err.msg);
	}
}
END_TEST

/* A program that is loaded, and not attached to anything, has not run. */
START_TEST(programs_count_from_zero)
{
	struct pg_uprobe_program p;
	struct pg_err err;
	uint64_t runs = 7;

	if (!can("uprobe/empty"))
		return;
	ck_assert_msg(pg_uprobe_program_load(&p, false, &err) == 0, "%s", err.msg);
	ck_assert_msg(pg_uprobe_program_runs(&p, &runs, &err) == 0, "%s", err.msg);
	ck_assert_uint_eq(runs, 0);
	pg_uprobe_program_unload(&p);
	ck_assert_int_eq(pg_uprobe_program_runs(&p, &runs, &err), -1);
}
END_TEST

/* Bare the calls take a moment, probed they take long enough to be killed in. */
static pid_t start_long_rep(const char *bench, bool self)
{
	const pid_t pid = fork();
	struct ps_bench b;

	ck_assert_int_ge(pid, 0);
	if (pid > 0)
		return pid;
	signal(SIGTERM, SIG_DFL); /* the test's own handler */
	ps_bind(&b, pg_bench_find(bench),
		self ? "loops=20000000 function=empty target=self" : "loops=20000000 function=empty target=system");
	if (ps_rep(&b))
		fprintf(stderr, "%s\n", b.err.msg);
	pg_exit_child(0);
}

/* The probed function's first byte as that process, a fork of this one, has it. */
static unsigned char code_of(pid_t pid)
{
	unsigned char byte = 0;
	const struct iovec here = {&byte, 1}, there = {(void *)(uintptr_t)code(), 1};

	ck_assert_int_eq(process_vm_readv(pid, &here, 1, &there, 1, 0), 1);
	return byte;
}

static void wait_armed(pid_t pid, unsigned char first)
{
	const struct timespec nap = {.tv_nsec = 1000000};

	for (int i = 0; i < 20000; i++) {
		ck_assert_msg(waitpid(pid, NULL, WNOHANG) == 0, "the rep has ended");
		if (code_of(pid) != first)
			return;
		nanosleep(&nap, NULL);
	}
	ck_abort_msg("no probe was set");
}

/* In the middle of the calls, by any signal: the probe goes, the program goes, trace settings are as before. */
START_TEST(killed_reps_leave_nothing)
{
	static const int signals[] = {SIGKILL, SIGTERM};
	const struct timespec nap = {.tv_nsec = 200000000};
	const char *bench = probed[_i % 4];
	const bool self = _i & 4;
	const unsigned char first = *code();
	struct kernel k;
	pid_t pid;
	int status;

	if (!can(bench))
		return;
	k = look_at_kernel();
	pid = start_long_rep(bench, self);
	wait_armed(pid, first);
	nanosleep(&nap, NULL); /* some calls */
	if (self)
		ck_assert_uint_eq(*(const volatile unsigned char *)code(), first);
	else
		ck_assert_uint_ne(*(const volatile unsigned char *)code(), first);
	ck_assert_int_eq(kill(pid, signals[_i / 8]), 0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == signals[_i / 8]);
	ck_assert_uint_eq(*(const volatile unsigned char *)code(), first);
	kernel_is_as_before(&k);
}
END_TEST

/* The kernel says no in the middle: a reason, no descriptor, no probe left. */
static int denied(void *arg)
{
	const long *call = arg;
	struct ps_bench b;
	struct pg_need need;
	int fds, r;

	ps_bind(&b, pg_bench_find("uprobe/empty"), "loops=5 function=empty");
	fds = ps_entries("/proc/self/fd");
	if (pg_deny(*call, EPERM))
		return 0;
	if (*call == SYS_bpf) { /* already the probe finds out */
		r = ps_probe(&b, &need);
		if (r != -1 || b.err.code != PG_EUNSUPPORTED || !strstr(b.err.msg, "cannot make a counter"))
			return 1;
	}
	if (ps_rep(&b) != -1 || b.run.state || ps_entries("/proc/self/fd") != fds)
		return 2;
	if (*call == SYS_perf_event_open && !strstr(b.err.msg, "cannot set a probe at offset 0x"))
		return 3;
	if (*call == SYS_ioctl && !strstr(b.err.msg, "cannot attach the program to the probe"))
		return 4;
	return 0;
}

START_TEST(refusals_in_the_middle)
{
	long calls[] = {SYS_bpf, SYS_perf_event_open, SYS_ioctl};
	const unsigned char first = *code();
	struct kernel k;

	if (!can("uprobe/empty"))
		return;
	k = look_at_kernel();
	ck_assert_int_eq(ps_in_child(denied, &calls[_i]), 0);
	ck_assert_uint_eq(*code(), first);
	kernel_is_as_before(&k);
}
END_TEST

PG_TEST_MAIN("suites_uprobe", ((const struct pg_test[]){
				      {functions_are_found, 2},
				      {usleep_is_that_of_libc, 0},
				      {what_is_no_code_of_a_file, 0},
				      {reasons, 4},
				      {baseline_needs_nothing, 2},
				      {hits_are_counted, 16},
				      {missing_hits_fail_the_rep, 0},
				      {programs_count_from_zero, 0},
				      {killed_reps_leave_nothing, 16},
				      {refusals_in_the_middle, 3},
				      {NULL, 0},
			      }))
