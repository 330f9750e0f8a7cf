/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reps of a bench in a fresh process: every way to end, by exec and by fork; nothing is left behind. */
#include "tests/support/pgtest.h"

#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>

#include "tests/support/childkit.h"
#include "tests/support/fake_bench.h"

#include "base/str.h"
#include "base/topo.h"
#include "engine/child.h"
#include "engine/guardian.h"
#include "engine/rep.h"

static const enum pg_process both[] = {PG_PROC_EXEC, PG_PROC_FORK};

START_TEST(good)
{
	struct pg_job job = {.ops = 5, .seed = 77, .rep = 4, .attempt = 2};
	struct fb_cell c;
	int64_t before;

	open_child();
	before = pg_now_ns();
	fb_cell(&c, "loops=auto text=hello cpus=3");
	c.rules->process = both[_i];
	job.cell = &c.cell;
	run_job(&job);
	ck_assert_msg(out.status == PG_ST_OK, "%s", out.why);
	ck_assert_str_eq(out.why, "");
	ck_assert_int_eq(raw(FB_TIME), 5000);
	ck_assert_int_eq(raw(FB_OPS), 5);
	ck_assert_int_eq(raw(FB_SCORE), 5); /* mean of rep 4 and 5 */
	ck_assert_int_eq(raw(FB_LEAST), 2); /* attempt */
	ck_assert_int_eq(raw(FB_MOST), 77);
	ck_assert_int_eq(raw(FB_SEEN), 503); /* texts arrive, though the plan's memory does not */
	for (size_t i = 1; i < out.n; i++)
		ck_assert_uint_gt(out.s[i].metric, out.s[i - 1].metric);
	ck_assert_int_gt(raw(FB_ENGINE(PG_E_WALL_TIME)), 0);
	ck_assert_int_lt(raw(FB_ENGINE(PG_E_WALL_TIME)), pg_now_ns() - before);
	ck_assert_int_eq(raw(FB_ENGINE(PG_E_CPU_TIME)),
			 raw(FB_ENGINE(PG_E_USER_TIME)) + raw(FB_ENGINE(PG_E_SYSTEM_TIME)));
	ck_assert_int_gt(raw(FB_ENGINE(PG_E_PEAK_MEMORY)), 0);
	ck_assert_int_gt(raw(FB_ENGINE(PG_E_MINOR_FAULTS)), 0);
	ck_assert_int_eq(out.facts[PG_F_LOOPS], 5);
	ck_assert_int_ge(out.facts[PG_F_T_MONO], before);
	ck_assert_int_gt(out.facts[PG_F_T_WALL], 0);
	ck_assert_int_eq(out.facts[PG_F_EXIT], PG_FACT_ABSENT);
	ck_assert_int_eq(out.facts[PG_F_STEAL], PG_FACT_ABSENT);
	fb_done(&c);
	close_child();
}
END_TEST

static const struct {
	const char *params;
	enum pg_status status;
	const char *why; /* part of the reason */
} ends[] = {
	{"outcome=fail-check", PG_ST_FAILED, "the check said no"},
	{"outcome=fail-setup", PG_ST_FAILED, "the setup said no"},
	{"outcome=fail-once", PG_ST_FAILED, "the bench said no"},
	{"outcome=fail-silent", PG_ST_FAILED, "without a reason"},
	{"outcome=exit number=3", PG_ST_FAILED, "exit status 3 in measure: last words: \xef\xbf\xbdred"},
	{"outcome=exit number=0", PG_ST_FAILED, "exit status 0 without a result in measure: last words"},
	{"outcome=vanish", PG_ST_FAILED, "exit status 0 without a result in measure"},
	{"outcome=crash", PG_ST_FAILED, "killed by SIGSEGV in measure"},
	{"outcome=abort", PG_ST_FAILED, "killed by SIGABRT in measure"},
	{"outcome=late-crash", PG_ST_FAILED, "killed by SIGBUS in teardown"},
	{"outcome=zero", PG_ST_INVALID, "time is 0"},
	{"outcome=no-ops", PG_ST_INVALID, "divisor ops is 0"},
	{"outcome=read-stdin", PG_ST_OK, ""},
	{"child=child", PG_ST_OK, ""},
	{"child=session", PG_ST_OK, ""},
	{"child=double", PG_ST_OK, ""},
	{"child=stubborn", PG_ST_OK, ""},
	{"child=session outcome=crash", PG_ST_FAILED, "SIGSEGV"},
	{"child=stubborn outcome=vanish", PG_ST_FAILED, "without a result"},
	{"output=1000000 errors=1000000", PG_ST_OK, ""},
	{"errors=300000 outcome=exit number=9", PG_ST_FAILED, "exit status 9 in measure: last words"},
	{"output=70000 outcome=vanish", PG_ST_FAILED, "measure: all work and no play"},
};
#define ENDS (sizeof(ends) / sizeof(ends[0]))

START_TEST(every_end)
{
	size_t i = (size_t)_i / 2;
	struct fb_cell c;

	open_child();
	fb_cell(&c, ends[i].params);
	c.rules->process = both[_i % 2];
	run_cell(&c);
	ck_assert_msg(out.status == ends[i].status, "%s: %d %s", ends[i].params, (int)out.status, out.why);
	ck_assert_msg(strstr(out.why, ends[i].why) != NULL, "%s: '%s'", ends[i].params, out.why);
	ck_assert_int_eq(out.status != PG_ST_OK, out.why[0] != '\0');
	if (out.status != PG_ST_OK)
		ck_assert_uint_eq(out.n, 0);
	fb_done(&c);
	close_child();
}
END_TEST

START_TEST(deadline)
{
	static const char *const params[] = {"outcome=hang", "outcome=hang child=session", "outcome=hang child=double"};
	struct fb_cell c;

	open_child();
	fb_cell(&c, params[_i % 3]);
	c.rules->process = both[_i > 0];
	c.rules->timeout_ns = 1000000000;
	run_cell(&c);
	ck_assert_int_eq(out.status, PG_ST_TIMEOUT);
	ck_assert_str_eq(out.why, "no end within 1s in measure");
	fb_done(&c);
	close_child();
}
END_TEST

START_TEST(deadline_ignored)
{
	int64_t t = pg_now_ns();
	struct fb_cell c;

	open_child();
	fb_cell(&c, "outcome=stubborn child=stubborn");
	c.rules->process = both[_i];
	c.rules->timeout_ns = 1000000000; /* it must have come as far as ignoring signals */
	run_cell(&c);
	ck_assert_int_eq(out.status, PG_ST_TIMEOUT);
	ck_assert_int_ge(pg_now_ns() - t, 3000000000); /* TERM had its two seconds */
	fb_done(&c);
	close_child();
}
END_TEST

static void on_alarm(int sig)
{
	(void)sig;
	stop = SIGTERM;
}

/* A stop of the runner ends the rep in progress; what came out is no result. */
START_TEST(stopped)
{
	struct fb_cell c;

	open_child();
	signal(SIGALRM, on_alarm);
	fb_cell(&c, "outcome=hang child=session");
	c.rules->process = both[_i];
	ualarm(100000, 0);
	run_cell(&c);
	ck_assert_int_eq(out.status, PG_ST_NOT_RUN);
	fb_done(&c);
	close_child();
}
END_TEST

#ifdef PG_SANITIZED
#define REPS 100
#else
#define REPS 1000
#endif

static int descriptors(void)
{
	return (int)fb_descriptors();
}

START_TEST(constant_descriptors)
{
	static const char *const params[] = {"outcome=ok", "outcome=crash", "leaked=50", "output=100000"};
	struct fb_cell c[4];
	int before;

	open_child();
	for (int i = 0; i < 4; i++) {
		fb_cell(&c[i], params[i]);
		c[i].rules->process = PG_PROC_FORK;
		run_cell(&c[i]);
	}
	before = descriptors();
	for (int i = 0; i < REPS; i++)
		run_cell(&c[i % 4]);
	ck_assert_int_eq(descriptors(), before);
	for (int i = 0; i < 4; i++) {
		c[i].rules->process = PG_PROC_EXEC;
		run_cell(&c[i]);
		fb_done(&c[i]);
	}
	ck_assert_int_eq(descriptors(), before);
	close_child();
}
END_TEST

/* A rep has 0-2 and nothing of the runner's. */
START_TEST(clean_descriptors)
{
	int more = open("/dev/null", O_RDONLY);
	struct pg_err err;
	struct fb_cell c;

	ck_assert_int_ge(more, 0);
	ck_assert_int_eq(pg_process_prepare(&err), 0);
	open_child();
	fb_cell(&c, "outcome=look");
	c.rules->process = both[_i];
	run_cell(&c);
	ck_assert_msg(out.status == PG_ST_OK, "%s", out.why);
	ck_assert_int_eq(raw(FB_SEEN) % 1000, 0);
	fb_done(&c);
	close_child();
	close(more);
}
END_TEST

/* What one rep left in the pipes or the page is not the next one's. */
START_TEST(nothing_carried_over)
{
	struct fb_cell bad, good_cell;

	open_child();
	fb_cell(&bad, "outcome=exit number=3 output=5000");
	fb_cell(&good_cell, "outcome=vanish");
	bad.rules->process = good_cell.rules->process = both[_i];
	run_cell(&bad);
	run_cell(&good_cell);
	ck_assert_str_eq(out.why, "exit status 0 without a result in measure");
	fb_done(&bad);
	fb_done(&good_cell);
	close_child();
}
END_TEST

START_TEST(keys)
{
	int nice_before = getpriority(PRIO_PROCESS, 0), policy_before = sched_getscheduler(0);
	struct fb_cell c;
	unsigned cpu;

	open_child();
	ck_assert_int_ge(pg_cpuset_next(&topo.allowed, -1), 0);
	cpu = (unsigned)pg_cpuset_next(&topo.allowed, -1);
	fb_cell(&c, "outcome=look");
	c.rules->process = both[_i];
	c.keys->pin = pg_arena_printf(&c.arena, "%u", cpu);
	c.keys->has_nice = true;
	c.keys->nice = 17;
	c.keys->policy = PG_POLICY_BATCH;
	run_cell(&c);
	ck_assert_msg(out.status == PG_ST_OK, "%s", out.why);
	ck_assert_int_eq(raw(FB_SEEN) / 1000, 1000 + 100 * SCHED_BATCH + 17 + 20);
	/* The runner itself is as before. */
	ck_assert_int_eq(getpriority(PRIO_PROCESS, 0), nice_before);
	ck_assert_int_eq(sched_getscheduler(0), policy_before);
	c.keys->pin = "1000000";
	run_cell(&c);
	ck_assert_int_eq(out.status, PG_ST_FAILED);
	ck_assert_msg(strstr(out.why, "cannot pin"), "%s", out.why);
	fb_done(&c);
	close_child();
}
END_TEST

START_TEST(prefix)
{
	static const char *const nice[] = {"nice", "-n", "3", NULL}, *const fork_it[] = {"sh", "-c", "\"$@\"", "x",
											 NULL};
	static const char *const missing[] = {"no-such-program-here", NULL};
	struct fb_cell c;

	open_child();
	fb_cell(&c, "outcome=ok text=hello");
	c.rules->process = both[_i]; /* prefix words always make it an exec */
	c.keys->prefix = fb_words(&c.arena, nice);
	run_cell(&c);
	ck_assert_msg(out.status == PG_ST_OK, "%s", out.why);
	ck_assert_int_eq(raw(FB_SEEN), 500);
	c.keys->prefix = fb_words(&c.arena, fork_it);
	run_cell(&c);
	ck_assert_msg(out.status == PG_ST_OK, "%s", out.why);
	c.keys->prefix = fb_words(&c.arena, missing);
	run_cell(&c);
	ck_assert_int_eq(out.status, PG_ST_FAILED);
	ck_assert_str_eq(
		out.why,
		"cannot execute 'no-such-program-here': no such program on PATH; install it, or name its path");
	fb_done(&c);
	close_child();
}
END_TEST

/* Batches are for counts that were found, not for those that were asked for; finding them takes a few. */
START_TEST(batches)
{
	struct pg_job job = {.ops = 1000, .seed = 1, .rep = 1};
	struct fb_cell c;
	size_t i = 0;

	open_child();
	fb_cell_of(&c, &fb_batched, "loops=auto");
	c.rules->process = both[_i];
	job.cell = &c.cell;
	run_job(&job);
	ck_assert_msg(out.status == PG_ST_OK, "%s", out.why);
	ck_assert_int_eq(out.facts[PG_F_BATCHES], 33); /* of 50 ms */
	ck_assert_int_ge(out.facts[PG_F_BATCH_TIME], 0);
	ck_assert_int_eq(out.facts[PG_F_LOOPS], 1000);
	ck_assert_int_eq(raw(FB_OPS), 1000);
	ck_assert_int_eq(raw(FB_TIME), 1000000);
	ck_assert_int_eq(raw(FB_SEEN), INT64_C(1000000000000)); /* 1 us */
	while (out.s[i].metric != FB_SEEN)
		i++;
	ck_assert_int_eq(out.s[i].exp10, PG_FLOOR_EXP);
	job.calibrate = true;
	run_job(&job);
	ck_assert_int_eq(out.facts[PG_F_BATCHES], 4);
	ck_assert_int_eq(raw(FB_TIME), 1000000);
	for (i = 0; i < out.n; i++)
		ck_assert_uint_ne(out.s[i].metric, FB_SEEN);
	fb_done(&c);
	fb_cell_of(&c, &fb_batched, "loops=1000");
	c.rules->process = both[_i];
	job = (struct pg_job){.cell = &c.cell, .ops = 1000, .seed = 1, .rep = 1};
	run_job(&job);
	ck_assert_msg(out.status == PG_ST_OK, "%s", out.why);
	ck_assert_int_eq(out.facts[PG_F_BATCHES], 1);
	for (i = 0; i < out.n; i++)
		ck_assert_uint_ne(out.s[i].metric, FB_SEEN);
	fb_done(&c);
	close_child();
}
END_TEST

/* What calibration sees is the timed hook, not the process. */
START_TEST(hook_time)
{
	struct pg_job job = {.ops = 3, .seed = 1, .rep = 1};
	struct fb_cell c;

	open_child();
	fb_cell(&c, "outcome=sleep loops=auto");
	job.cell = &c.cell;
	run_job(&job);
	ck_assert_int_ge(out.once_ns, 30000000);
	ck_assert_int_le(out.once_ns, raw(FB_ENGINE(PG_E_WALL_TIME)));
	fb_done(&c);
	close_child();
}
END_TEST

/* A process of another group that lost its parent, and one that will not die of TERM. */
START_TEST(descendants)
{
	pid_t pid;

	open_child();
	ck_assert_uint_eq(pg_kill_descendants(), 0);
	pid = fork();
	if (pid == 0) {
		fb_leave(FB_SESSION);
		fb_leave(FB_DOUBLE);
		fb_leave(FB_STUBBORN_CHILD);
		_exit(0);
	}
	while (waitpid(pid, NULL, 0) < 0)
		;
	ck_assert_uint_eq(pg_kill_descendants(), 3);
	ck_assert_uint_eq(pg_kill_descendants(), 0);
	close_child();
}
END_TEST

/* Without room for processes the rep fails, the runner goes on. */
START_TEST(no_descriptors)
{
	struct rlimit old, none;
	struct pg_job job = {.ops = 1, .seed = 1, .rep = 1};
	struct pg_err err;
	struct fb_cell c;
	int fds[64], n = 0;

	open_child();
	fb_cell(&c, "outcome=ok");
	c.rules->process = both[_i];
	job.cell = &c.cell;
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &old), 0);
	none = old;
	none.rlim_cur = 40;
	setrlimit(RLIMIT_NOFILE, &none);
	while (n < 64 && (fds[n] = open("/dev/null", O_RDONLY | O_CLOEXEC)) >= 0)
		n++;
	/* The runner's own end. */
	ck_assert_int_eq(executor.run(executor.ctx, &job, &out, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.msg, "cannot start a process"));
	while (n > 0)
		close(fds[--n]);
	setrlimit(RLIMIT_NOFILE, &old);
	run_cell(&c);
	ck_assert_int_eq(out.status, PG_ST_OK);
	fb_done(&c);
	close_child();
}
END_TEST

/* Reps by exec run this very program. */
int main(int argc, char **argv)
{
	const struct pg_test tests[] = {
		{good, 2},
		{every_end, 2 * ENDS},
		{deadline, 4},
		{deadline_ignored, 2},
		{stopped, 2},
		{constant_descriptors, 0},
		{clean_descriptors, 2},
		{nothing_carried_over, 2},
		{keys, 2},
		{prefix, 2},
		{batches, 2},
		{hook_time, 0},
		{descendants, 0},
		{no_descriptors, 2},
		{NULL, 0},
	};

	if (argc > 1 && strcmp(argv[1], PG_REP_ARG) == 0)
		return pg_rep_main(argc, argv, fb_find);
	return pg_test_main("engine_child", tests);
}
