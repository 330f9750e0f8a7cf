/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "registry/registry.h"
#include "suites/noop.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

static const struct pg_bench *noop(void)
{
	return pg_bench_find("noop");
}

START_TEST(reports_what_was_asked)
{
	static const struct {
		const char *params;
		int64_t time, operations, amount, score;
	} cases[] = {
		{"", 1000, 1, 0, 0},
		{"loops=7", 7000, 7, 0, 0},
		{"loops=7 uncounted_loops=3 duration=2ms", 20000000, 7, 0, 0},
		{"first=12 amount=3KB", 1000, 1, 3072, 12},
		{"duration=0s", 0, 1, 0, 0},
		{"duration=0s noise=normal noise_level=1", 0, 1, 0, 0},
		{"outcome=invalid", 0, 1, 0, 0},
		{"outcome=invalid strike_every=2", 1000, 1, 0, 0},
		{"noise=normal noise_level=0", 1000, 1, 0, 0},
		{"loops=1000000000000 duration=1ms", INT64_C(1000000000000000000), INT64_C(1000000000000), 0, 0},
		{"flag=true second=9 fraction=0.5 interval=3s choice=blue cpu_set=0-1 node_set=0 text=x", 1000, 1, 0,
		 0},
	};
	const struct ps_around before = ps_look();
	struct ps_bench b;

	ps_bind(&b, noop(), cases[_i].params);
	ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
	ck_assert_ptr_null(b.run.state);
	ck_assert_int_eq(ps_raw(&b, "time"), cases[_i].time);
	ck_assert_int_eq(ps_raw(&b, "operations"), cases[_i].operations);
	ck_assert_int_eq(ps_raw(&b, "amount_total"), cases[_i].amount);
	ck_assert_int_eq(ps_raw(&b, "score"), cases[_i].score);
	ps_same(&before);
	ps_done(&b);
}
END_TEST

START_TEST(too_long_is_an_error)
{
	static const char *const params[] = {
		"loops=1000000000000 duration=1h",
		"loops=1000000000000 duration=9223ms noise=drift noise_level=10",
	};
	struct ps_bench b;

	ps_bind(&b, noop(), params[_i]);
	b.run.rep = 100;
	ck_assert_int_eq(ps_rep(&b), -1);
	ck_assert_msg(strstr(b.err.msg, "292 years"), "%s", b.err.msg);
	ps_done(&b);
}
END_TEST

static int rep_status(void *arg)
{
	struct ps_bench *b = arg;
	const int r = ps_rep(b);

	if (r == 0)
		return 77;
	return b->err.code == PG_EUNSUPPORTED ? 79 : 78;
}

/* 77 = a result, 78 = a reason, 79 = unsupported with a reason, else how the process ended. */
START_TEST(outcomes_strike)
{
	static const struct {
		const char *params;
		uint32_t rep, attempt;
		int status;
	} cases[] = {
		{"outcome=succeed", 1, 1, 77},
		{"outcome=fail", 1, 1, 78},
		{"outcome=fail strike_phase=setup", 1, 1, 78},
		{"outcome=fail strike_phase=check", 1, 1, 78},
		{"outcome=fail strike_phase=probe", 1, 1, 77}, /* the probe is not part of a rep */
		{"outcome=exit", 1, 1, 1},
		{"outcome=exit exit_code=0", 1, 1, 0},
		{"outcome=exit exit_code=255 strike_phase=setup", 1, 1, 255},
		{"outcome=exit exit_code=9 strike_phase=teardown", 1, 1, 9},
		{"outcome=crash", 1, 1, 128 + SIGSEGV},
		{"outcome=crash signal=abrt", 1, 1, 128 + SIGABRT},
		{"outcome=crash signal=bus strike_phase=setup", 1, 1, 128 + SIGBUS},
		{"outcome=crash signal=fpe strike_phase=teardown", 1, 1, 128 + SIGFPE},
		{"outcome=crash signal=kill", 1, 1, 128 + SIGKILL},
		{"outcome=crash signal=term ignore_signals=true", 1, 1, 128 + SIGTERM},
		{"outcome=vanish", 1, 1, 0},
		{"outcome=vanish strike_phase=teardown", 1, 1, 0},
		{"outcome=unsupported strike_phase=setup", 1, 1, 79},
		{"outcome=unsupported strike_phase=check", 1, 1, 79},
		{"outcome=unsupported", 1, 1, 79},
		{"outcome=fail strike_every=3", 1, 1, 77},
		{"outcome=fail strike_every=3", 2, 1, 77},
		{"outcome=fail strike_every=3", 3, 1, 78},
		{"outcome=fail strike_every=3", 6, 1, 78},
		{"outcome=fail recover_after=2", 1, 1, 78},
		{"outcome=fail recover_after=2", 1, 2, 78},
		{"outcome=fail recover_after=2", 1, 3, 77},
		{"outcome=fail recover_after=never", 1, 100000, 78},
		{"outcome=exit exit_code=5 strike_every=2 recover_after=1", 2, 2, 77},
		{"outcome=exit exit_code=5 strike_every=2 recover_after=1", 4, 1, 5},
	};
	struct ps_bench b;

	ps_bind(&b, noop(), cases[_i].params);
	b.run.rep = cases[_i].rep;
	b.run.attempt = cases[_i].attempt;
	ck_assert_int_eq(ps_in_child(rep_status, &b), cases[_i].status);
	ps_done(&b);
}
END_TEST

START_TEST(hang_never_ends)
{
	static const char *const phases[] = {"setup", "measure", "teardown"};
	struct ps_bench b;
	char params[80];
	pid_t pid;

	snprintf(params, sizeof(params), "outcome=hang ignore_signals=true strike_phase=%s", phases[_i]);
	ps_bind(&b, noop(), params);
	pid = fork();
	if (pid == 0)
		_exit(rep_status(&b));
	usleep(50000);
	kill(pid, SIGTERM);
	kill(pid, SIGINT);
	usleep(50000);
	ck_assert_int_eq(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	ps_done(&b);
}
END_TEST

START_TEST(probe_strikes)
{
	static const struct {
		const char *params;
		enum pg_code code;
	} cases[] = {
		{"outcome=unsupported", PG_EUNSUPPORTED},
		{"outcome=unsupported strike_phase=probe", PG_EUNSUPPORTED},
		{"outcome=unsupported strike_phase=setup", PG_OK},
		{"outcome=fail strike_phase=probe", PG_EFAILED},
		{"outcome=fail", PG_OK},
		{"", PG_OK},
	};
	struct ps_bench b;
	struct pg_need need;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		ps_bind(&b, noop(), cases[i].params);
		ck_assert_int_eq(ps_probe(&b, &need), cases[i].code == PG_OK ? 0 : -1);
		ck_assert_int_eq(b.err.code, cases[i].code);
		ps_done(&b);
	}
	ps_bind(&b, noop(), "leaked_descriptors=12 leaked_threads=3 grandchild=child touch_size=1MB");
	ck_assert_int_eq(ps_probe(&b, &need), 0);
	ck_assert_uint_eq(need.descriptors, 12);
	ck_assert_uint_ge(need.tasks, 4);
	ck_assert_uint_gt(need.bytes, 1048576);
	ps_done(&b);
}
END_TEST

/* Every pair of outcome and phase: refused by check exactly where it would end perfgrid itself or could not be told. */
START_TEST(pairs_are_checked)
{
	static const char good[8][6] = {
		/*		   probe, check, setup, measure, teardown */
		[PG_NOOP_SUCCEED] = "+++++",	 [PG_NOOP_FAIL] = "+x++-",    [PG_NOOP_EXIT] = "--+++",
		[PG_NOOP_CRASH] = "--+++",	 [PG_NOOP_HANG] = "--+++",    [PG_NOOP_VANISH] = "--+++",
		[PG_NOOP_UNSUPPORTED] = "+x++-", [PG_NOOP_INVALID] = "---+-",
	};
	const struct pg_param *rows = noop()->params;
	const struct pg_choice *outcomes = pg_param_find(rows, "outcome", NULL)->choices;
	const struct pg_choice *phases = pg_param_find(rows, "strike_phase", NULL)->choices;
	struct ps_bench b;
	char params[80];

	for (size_t o = 0; o < 8; o++) {
		for (size_t p = 0; p < 5; p++) {
			int r;

			snprintf(params, sizeof(params), "outcome=%s strike_phase=%s", outcomes[o].name,
				 phases[p].name);
			ps_bind(&b, noop(), params);
			r = noop()->check(b.conf, &b.err);
			ck_assert_msg(r == (good[o][p] == '+' ? 0 : -1), "%s", params);
			if (r) /* x: check is where it strikes */
				ck_assert_int_eq(b.err.code == PG_EINPUT, good[o][p] == '-');
			ps_done(&b);
		}
	}
}
END_TEST

/* Mean and standard deviation of each shape, over many reps. */
START_TEST(noise_has_its_shape)
{
	static const struct {
		int shape;
		double mean, sd, tolerance;
	} shapes[] = {
		{PG_NOOP_QUIET, 1, 0, 1e-12},	      {PG_NOOP_NORMAL, 1, 0.1, 0.003},
		{PG_NOOP_LOGNORMAL, 1, 0.1, 0.003},   {PG_NOOP_BIMODAL, 1, 0.1, 0.003},
		{PG_NOOP_SPIKES, 1.0229, 0.1, 0.005}, {PG_NOOP_CORRELATED, 1, 0.1, 0.003},
	};
	enum { REPS = 20000 };
	double sum = 0, square = 0, lag = 0, last = 0;

	for (uint32_t i = 0; i < REPS; i++) {
		const double f = pg_noop_noise_factor(shapes[_i].shape, 0.1, UINT64_C(0x1234567) * i, i + 1);

		sum += f;
		square += (f - 1) * (f - 1);
		lag += i ? (f - 1) * (last - 1) : 0;
		last = f;
	}
	ck_assert_double_eq_tol(sum / REPS, shapes[_i].mean, shapes[_i].tolerance);
	ck_assert_double_eq_tol(sqrt(square / REPS - pow(shapes[_i].mean - 1, 2)), shapes[_i].sd, shapes[_i].tolerance);
	if (shapes[_i].shape == PG_NOOP_CORRELATED)
		ck_assert_double_eq_tol(lag / square, 0.74, 0.02);
	if (shapes[_i].shape == PG_NOOP_NORMAL)
		ck_assert_double_eq_tol(lag / square, 0, 0.05);
}
END_TEST

START_TEST(noise_comes_from_the_seed)
{
	for (int shape = PG_NOOP_NORMAL; shape <= PG_NOOP_CORRELATED; shape++) {
		double sum = 0, first = pg_noop_noise_factor(shape, 0.3, 42, 1);

		ck_assert_double_eq(first, pg_noop_noise_factor(shape, 0.3, 42, 1));
		for (uint64_t seed = 0; seed < 200; seed++)
			sum += fabs(first - pg_noop_noise_factor(shape, 0.3, seed, 1));
		ck_assert_double_gt(sum, 0);
		for (uint64_t seed = 0; seed < 1000; seed++)
			ck_assert_double_ge(pg_noop_noise_factor(shape, 10, seed, 1), 0);
	}
}
END_TEST

START_TEST(drift_goes_up)
{
	double early = 0, late = 0;

	for (uint64_t seed = 0; seed < 1000; seed++) {
		early += pg_noop_noise_factor(PG_NOOP_DRIFT, 0.01, seed, 1);
		late += pg_noop_noise_factor(PG_NOOP_DRIFT, 0.01, seed + 1000, 21);
	}
	ck_assert_double_eq_tol(early / 1000, 1, 0.002);
	ck_assert_double_eq_tol(late / 1000, 1.04, 0.002);
}
END_TEST

/* Noise changes the time, never to what cannot be. */
START_TEST(noisy_time_is_valid)
{
	struct ps_bench b;
	int different = 0;

	ps_bind(&b, noop(), "noise=normal noise_level=3 duration=10ns");
	for (uint64_t seed = 0; seed < 200; seed++) {
		memset(b.run.acc, 0, sizeof(b.run.acc));
		b.run.seed = seed;
		ck_assert_int_eq(ps_rep(&b), 0);
		ck_assert_int_ge(ps_raw(&b, "time"), 1);
		different += ps_raw(&b, "time") != 10;
	}
	ck_assert_int_gt(different, 100);
	ps_done(&b);
}
END_TEST

START_TEST(time_is_spent)
{
	struct ps_bench b;
	int64_t start;

	ps_bind(&b, noop(), _i ? "duration=5ms loops=4 elapse=sleep" : "duration=5ms loops=4 elapse=spin");
	start = pg_now_ns();
	ck_assert_int_eq(ps_rep(&b), 0);
	ck_assert_int_ge(pg_now_ns() - start, 20000000);
	ck_assert_int_eq(ps_raw(&b, "time"), 20000000);
	ps_done(&b);
}
END_TEST

struct output {
	const char *params;
	int out, err; /* where 1 and 2 go */
};

static int print_rep(void *arg)
{
	struct output *o = arg;
	struct ps_bench b;

	dup2(o->out, 1);
	dup2(o->err, 2);
	ps_bind(&b, noop(), o->params);
	return ps_rep(&b) == 0 ? 0 : 1;
}

START_TEST(prints_exactly)
{
	static const struct {
		const char *params;
		off_t out, err;
	} cases[] = {
		{"", 0, 0},
		{"output=1B", 0, 1},
		{"output=65B output_stream=stdout", 65, 0},
		{"output=1000001B output_stream=both", 1000001, 1000001},
	};
	struct output o = {.params = cases[_i].params, .out = memfd_create("out", 0), .err = memfd_create("err", 0)};
	char line[130] = "";

	ck_assert_int_eq(ps_in_child(print_rep, &o), 0);
	ck_assert_int_eq(lseek(o.out, 0, SEEK_END), cases[_i].out);
	ck_assert_int_eq(lseek(o.err, 0, SEEK_END), cases[_i].err);
	if (cases[_i].out > 64) {
		ck_assert_int_eq(pread(o.out, line, 65, 0), 65);
		ck_assert(line[63] == '\n' && line[64] == line[0]);
	}
	close(o.out);
	close(o.err);
}
END_TEST

static int leave_process(void *arg)
{
	struct ps_bench b;

	ps_bind(&b, noop(), arg);
	return ps_rep(&b) == 0 ? 0 : 1;
}

START_TEST(grandchild_is_left)
{
	static const char *const kinds[] = {"child", "new-session", "double-fork"};
	char params[40];
	pid_t pid;

	snprintf(params, sizeof(params), "grandchild=%s", kinds[_i]);
	ck_assert_int_eq(prctl(PR_SET_CHILD_SUBREAPER, 1), 0);
	ck_assert_int_eq(ps_in_child(leave_process, params), 0);
	/* It came to this subreaper, and lives. */
	while (!(pid = ps_child_of(getpid(), 0)))
		usleep(1000);
	usleep(20000);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), 0);
	ck_assert_int_eq(getsid(pid) == pid, _i == 1);
	kill(pid, SIGKILL);
	ck_assert_int_eq(ps_reap_all(), 1);
}
END_TEST

START_TEST(leaks_are_left)
{
	const struct ps_around before = ps_look();
	struct ps_around after;
	struct ps_bench b;

	ps_bind(&b, noop(), "leaked_descriptors=9 leaked_threads=4 touch_size=3MB");
	ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
	ck_assert_ptr_null(b.run.state);
	after = ps_look();
	ck_assert_int_eq(after.descriptors, before.descriptors + 9);
	ck_assert_int_ge(after.threads, before.threads + 4);
	ck_assert_int_le(after.threads, before.threads + 4 + PS_FOREIGN_THREADS);
	ps_done(&b);
}
END_TEST

START_TEST(signals_are_ignored_until_teardown)
{
	struct sigaction before, sa;
	struct ps_bench b;

	sigaction(SIGTERM, NULL, &before);
	ps_bind(&b, noop(), "ignore_signals=true");
	ck_assert_int_eq(noop()->setup(&b.run, &b.err), 0);
	sigaction(SIGTERM, NULL, &sa);
	ck_assert(sa.sa_handler == SIG_IGN);
	sigaction(SIGINT, NULL, &sa);
	ck_assert(sa.sa_handler == SIG_IGN);
	noop()->teardown(&b.run);
	sigaction(SIGTERM, NULL, &sa);
	ck_assert(sa.sa_handler == before.sa_handler);
	ps_done(&b);
}
END_TEST

START_TEST(impossible_traces_fail)
{
	struct ps_bench b;

	ps_bind(&b, noop(), "touch_size=16TB");
#ifndef PG_SANITIZED
	ck_assert_int_eq(ps_rep(&b), -1);
	ck_assert_msg(strstr(b.err.msg, "cannot map"), "%s", b.err.msg);
#endif
	ps_done(&b);
	ck_assert(noop()->one_process);
}
END_TEST

PG_TEST_MAIN("suites_noop", ((const struct pg_test[]){
				    {reports_what_was_asked, 11},
				    {too_long_is_an_error, 2},
				    {outcomes_strike, 30},
				    {hang_never_ends, 3},
				    {probe_strikes, 0},
				    {pairs_are_checked, 0},
				    {noise_has_its_shape, 6},
				    {noise_comes_from_the_seed, 0},
				    {drift_goes_up, 0},
				    {noisy_time_is_valid, 0},
				    {time_is_spent, 2},
				    {prints_exactly, 4},
				    {grandchild_is_left, 3},
				    {leaks_are_left, 0},
				    {signals_are_ignored_until_teardown, 0},
				    {impossible_traces_fail, 0},
				    {NULL, 0},
			    }))
