/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The seam of the drop-ins: values, defaults that are expressions, runs in both ways. */
#include "runner/dropin.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/support/fake_world.h"
#include "tests/support/pgtest.h"

/* A bench that ends as `end` says, with rows that lean on each other and on the machine. */
enum end { END_GOOD, END_FAIL, END_DIE, END_EXIT, END_ZERO, END_NO_EVENT, END_NOTHING, END_NEGATIVE };
static const struct pg_choice ends[] = {{"good", NULL},	   {"fail", NULL},     {"die", NULL},
					{"exit", NULL},	   {"zero", NULL},     {"no-event", NULL},
					{"nothing", NULL}, {"negative", NULL}, {NULL, NULL}};
static const struct pg_choice placements[] = {{"free", NULL}, {"same-cpu", NULL}, {NULL, NULL}};

struct toy {
	uint64_t base, twin, threads, part, size;
	int64_t period;
	int end, placement;
	const char *text;
};

static const struct pg_param toy_params[] = {
	{.name = "twin", .doc = "d", .def = "base", .min = "1", PG_AT_COUNT(struct toy, twin)},
	{.name = "base", .doc = "d", .def = "3", .min = "1", .max = "100", PG_AT_COUNT(struct toy, base)},
	{.name = "threads", .doc = "d", .def = "max(1, cpus - 1)", .min = "1", PG_AT_COUNT(struct toy, threads)},
	{.name = "part", .doc = "d", .def = "1", .min = "1", .max = "base", PG_AT_COUNT(struct toy, part)},
	{.name = "size", .doc = "d", .def = "4KB", .min = "1B", PG_AT_SIZE(struct toy, size)},
	{.name = "period", .doc = "d", .def = "1ms", PG_AT_TIME(struct toy, period)},
	{.name = "end", .doc = "d", .def = "good", .choices = ends, PG_AT_ENUM(struct toy, end)},
	{.name = "placement", .doc = "d", .def = "free", .choices = placements, PG_AT_ENUM(struct toy, placement)},
	{.name = "text", .doc = "d", PG_AT_TEXT(struct toy, text)},
	{.name = NULL},
};

enum { M_TIME, M_COUNT, M_RATE, M_NONE };
static const struct pg_metric toy_metrics[] = {
	[M_TIME] = {.name = "time", .doc = "d", .unit = PG_U_S, .reduce = PG_SUM, .flags = PG_M_MAIN},
	[M_COUNT] = {.name = "count", .doc = "d", .unit = PG_U_COUNT, .reduce = PG_SUM},
	[M_RATE] = {.name = "rate", .doc = "d", .unit = PG_U_PER_S, .reduce = PG_RATIO, .num = M_COUNT, .den = M_TIME},
	[M_NONE] = {.name = "none", .doc = "d", .unit = PG_U_S, .reduce = PG_SUM},
	{.name = NULL},
};

static int toy_check(const void *conf, struct pg_err *err)
{
	const struct toy *t = conf;

	return t->base == 13 ? pg_fail(err, PG_EINPUT, "base 13 is bad luck") : 0;
}

static int toy_probe(const void *conf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct toy *t = conf;

	(void)env;
	if (t->base == 14)
		return pg_fail(err, PG_EUNSUPPORTED, "base 14 is not for this machine");
	if (t->base == 15)
		need->descriptors = UINT64_C(1) << 40;
	if (t->base == 16)
		need->caps = PG_CAP_BPF;
	return 0;
}

static int toy_once(struct pg_run *run, struct pg_err *err)
{
	const struct toy *t = run->conf;

	switch ((enum end)t->end) {
	case END_GOOD:
		pg_record(run, M_TIME, 2000000000);
		pg_record(run, M_COUNT, (int64_t)t->base * run->rep);
		return 0;
	case END_FAIL:
		return pg_fail(err, PG_EFAILED, "as it was told");
	case END_DIE:
		raise(SIGKILL);
		return 0;
	case END_EXIT:
		_exit(7);
	case END_ZERO:
		pg_record(run, M_TIME, 0);
		return 0;
	case END_NO_EVENT:
		pg_record(run, M_TIME, 2000000000);
		pg_record(run, M_COUNT, 0);
		return 0;
	case END_NOTHING:
		return 0;
	case END_NEGATIVE:
		pg_record(run, M_TIME, 2000000000);
		pg_record(run, M_COUNT, -1);
		return 0;
	}
	return -1;
}

static const struct pg_bench toy = {
	.name = "toy/one",
	.summary = "s",
	.params = toy_params,
	.metrics = toy_metrics,
	.conf_size = sizeof(struct toy),
	.check = toy_check,
	.probe = toy_probe,
	.once = toy_once,
};
static const struct pg_bench *const toys[] = {&toy, NULL};
static const struct pg_suite toy_suite = {"toy", "s", toys};
static const struct pg_suite *const toy_suites[] = {&toy_suite, NULL};

struct fixture {
	struct fake_world f;
	struct pg_dropin d;
	struct pg_err err;
};

static void begin(struct fixture *x)
{
	fake_world_open(&x->f);
	x->f.world.suites = toy_suites;
	ck_assert_int_eq(pg_dropin_open(&x->d, &x->f.world, "toy/one", &x->err), 0);
}

static void end(struct fixture *x)
{
	pg_dropin_close(&x->d);
	fake_world_close(&x->f);
}

static void set(struct fixture *x, const char *param, const char *text)
{
	ck_assert_int_eq(pg_dropin_set(&x->d, param, text, "--x|-x", &x->err), 0);
}

static void ready(struct fixture *x)
{
	ck_assert_msg(pg_dropin_ready(&x->d, &x->err) == 0, "%s", x->err.msg);
}

static int64_t cpus(void)
{
	cpu_set_t set;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	return CPU_COUNT(&set);
}

START_TEST(test_defaults)
{
	struct fixture x;
	const int64_t want = cpus() > 2 ? cpus() - 1 : 1;

	begin(&x);
	ready(&x);
	ck_assert_int_eq(pg_dropin_value(&x.d, "base"), 3);
	ck_assert_int_eq(pg_dropin_value(&x.d, "twin"), 3); /* stands before what it leans on */
	ck_assert_int_eq(pg_dropin_value(&x.d, "threads"), want);
	ck_assert_int_eq(pg_dropin_value(&x.d, "size"), 4096);
	ck_assert_int_eq(pg_dropin_value(&x.d, "period"), 1000000);
	ck_assert_str_eq(pg_dropin_text(&x.d, "end"), "good");
	ck_assert_ptr_null(pg_dropin_text(&x.d, "text"));
	ck_assert_ptr_null(pg_dropin_text(&x.d, "base"));
	ck_assert_uint_eq(((struct toy *)x.d.conf)->twin, 3);
	/* What leans on a value follows it, and a value that was given stays. */
	ck_assert_int_eq(pg_dropin_set_u64(&x.d, "base", 7, "-b", &x.err), 0);
	ready(&x);
	ck_assert_uint_eq(((struct toy *)x.d.conf)->twin, 7);
	set(&x, "twin", "9");
	ready(&x);
	ck_assert_uint_eq(((struct toy *)x.d.conf)->twin, 9);
	pg_dropin_reset(&x.d, "base");
	pg_dropin_reset(&x.d, "twin");
	ready(&x);
	ck_assert_uint_eq(((struct toy *)x.d.conf)->twin, 3);
	end(&x);
}
END_TEST

START_TEST(test_values)
{
	struct fixture x;

	begin(&x);
	set(&x, "size", "1MB");
	set(&x, "text", "a b");
	ck_assert_int_eq(pg_dropin_set_u64(&x.d, "period", 5, "-p", &x.err), 0);
	ready(&x);
	ck_assert_int_eq(pg_dropin_value(&x.d, "size"), 1 << 20);
	ck_assert_int_eq(pg_dropin_value(&x.d, "period"), 5);
	ck_assert_str_eq(pg_dropin_text(&x.d, "text"), "a b");
	ck_assert_int_eq(pg_dropin_set_u64(&x.d, "size", 12, "-s", &x.err), 0);
	set(&x, "text", NULL);
	ready(&x);
	ck_assert_int_eq(pg_dropin_value(&x.d, "size"), 12);
	ck_assert_ptr_null(pg_dropin_text(&x.d, "text"));
	ck_assert(pg_dropin_has(&x.d, "base"));
	ck_assert(!pg_dropin_has(&x.d, "bases"));
	ck_assert_ptr_null(pg_dropin_bench(&x.f.world, "toy/two"));
	end(&x);
}
END_TEST

static const struct {
	const char *param, *text, *want;
	enum pg_code code;
	bool set; /* refused at once, else by ready */
} wrong[] = {
	{"base", "0", "--x|-x: value 0 is out of range; allowed: 1 to 100", PG_EUSAGE, true},
	{"base", "101", "--x|-x: value 101 is out of range", PG_EUSAGE, true},
	{"base", "x", "--x|-x: 'x' is", PG_EUSAGE, true},
	{"base", "99999999999999999999", "--x|-x: ", PG_EUSAGE, true},
	{"end", "never", "--x|-x: 'never'", PG_EUSAGE, true},
	{"size", "4 apples", "--x|-x: ", PG_EUSAGE, true},
	{"part", "4", "part is out of range; allowed: at most `base`", PG_EUSAGE, false},
	{"base", "13", "base 13 is bad luck", PG_EINPUT, false},
	{"base", "14", "base 14 is not for this machine", PG_EUNSUPPORTED, false},
	{"base", "15", "descriptors, the limit is", PG_EUNSUPPORTED, false},
	{"placement", "same-socket", "--x|-x: 'same-socket'", PG_EUSAGE, true},
};

START_TEST(test_wrong)
{
	struct fixture x;

	begin(&x);
	ck_assert_int_eq(pg_dropin_set(&x.d, wrong[_i].param, wrong[_i].text, "--x|-x", &x.err),
			 wrong[_i].set ? -1 : 0);
	if (!wrong[_i].set)
		ck_assert_int_eq(pg_dropin_ready(&x.d, &x.err), -1);
	expect("error", x.err.msg, wrong[_i].want);
	ck_assert_int_eq(x.err.code, wrong[_i].code);
	/* A value refused leaves the one before. */
	pg_dropin_reset(&x.d, wrong[_i].param);
	ready(&x);
	end(&x);
}
END_TEST

/* Cut to what the machine or another row gives, once that is known; not below a least. */
START_TEST(test_clamp)
{
	struct fixture x;

	begin(&x);
	pg_dropin_clamp(&x.d, "part");
	set(&x, "part", "4");
	ready(&x);
	ck_assert_int_eq(pg_dropin_value(&x.d, "part"), 3);
	ck_assert_uint_eq(((struct toy *)x.d.conf)->part, 3);
	set(&x, "part", "4");
	set(&x, "base", "9");
	ready(&x);
	ck_assert_int_eq(pg_dropin_value(&x.d, "part"), 4);
	ck_assert_int_eq(pg_dropin_set(&x.d, "part", "0", "--x|-x", &x.err), -1);
	end(&x);
}
END_TEST

START_TEST(test_no_such_bench)
{
	struct fake_world f;
	struct pg_dropin d;
	struct pg_err err;

	fake_world_open(&f);
	ck_assert_int_eq(pg_dropin_open(&d, &f.world, "sched/nosuch", &err), -1);
	ck_assert_int_eq(err.code, PG_EUNSUPPORTED);
	expect("error", err.msg, "sched/nosuch");
	pg_dropin_close(&d);
	fake_world_close(&f);
}
END_TEST

START_TEST(test_run)
{
	struct fixture x;
	int64_t raw = 0;

	begin(&x);
	ready(&x);
	ck_assert(isnan(pg_dropin_number(&x.d, "time")));
	for (int i = 1; i <= 3; i++) {
		/* Numbers of reps go on in whatever process they are. */
		ck_assert_int_eq(i == 2 ? pg_dropin_run_child(&x.d, &x.err) : pg_dropin_run(&x.d, &x.err), 0);
		ck_assert_double_eq(pg_dropin_number(&x.d, "time"), 2.0);
		ck_assert_double_eq(pg_dropin_number(&x.d, "count"), 3.0 * i);
		ck_assert_double_eq(pg_dropin_number(&x.d, "rate"), 1.5 * i);
		ck_assert_double_eq(pg_dropin_number_at(&x.d, M_RATE), 1.5 * i);
		ck_assert(pg_dropin_raw(&x.d, "time", &raw));
		ck_assert_int_eq(raw, 2000000000);
		ck_assert(!pg_dropin_raw(&x.d, "rate", &raw));
		ck_assert(!pg_dropin_raw(&x.d, "none", &raw));
		ck_assert(isnan(pg_dropin_number(&x.d, "none")));
		ck_assert(isnan(pg_dropin_number(&x.d, "nosuch")));
	}
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	ck_assert_int_eq(errno, ECHILD);
	end(&x);
}
END_TEST

static const struct {
	const char *end, *want;
	bool child; /* only there: in this process it would be the end of the test */
} failures[] = {
	{"fail", "as it was told", false},
	{"zero", "time is 0; a time or rate is above 0", false},
	{"no-event", "rate is 0; a time or rate is above 0", false},
	{"nothing", "time was not measured", false},
	{"negative", "count came out as -1, which cannot be", false},
	{"die", "killed by signal 9 (Killed) in measure", true},
	{"exit", "ended with status 7 in measure, without a result", true},
};

START_TEST(test_failures)
{
	struct fixture x;

	begin(&x);
	set(&x, "end", failures[_i].end);
	ready(&x);
	if (!failures[_i].child) {
		ck_assert_int_eq(pg_dropin_run(&x.d, &x.err), -1);
		expect("error", x.err.msg, failures[_i].want);
	}
	ck_assert_int_eq(pg_dropin_run_child(&x.d, &x.err), -1);
	expect("error", x.err.msg, failures[_i].want);
	/* The next one is as good as if nothing had been. */
	set(&x, "end", "good");
	ready(&x);
	ck_assert_int_eq(pg_dropin_run_child(&x.d, &x.err), 0);
	end(&x);
}
END_TEST

/* Buffered text is written once, not once a process. */
START_TEST(test_child_prints_nothing)
{
	struct fixture x;
	char text[64];
	int fd[2];

	begin(&x);
	ck_assert_int_eq(pipe(fd), 0);
	fclose(x.f.world.out);
	free(x.f.out);
	x.f.world.out = fdopen(fd[1], "w");
	fputs("once", x.f.world.out);
	ready(&x);
	ck_assert_int_eq(pg_dropin_run_child(&x.d, &x.err), 0);
	fflush(x.f.world.out);
	ck_assert_int_eq(read(fd[0], text, sizeof(text)), 4);
	x.f.out = NULL;
	end(&x);
}
END_TEST

/* Kills whoever opens a file. */
static void forbid_files(void)
{
#define KILL_ON(nr) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
	struct sock_filter rules[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		KILL_ON(SYS_openat),
		KILL_ON(SYS_readlinkat),
		KILL_ON(SYS_newfstatat),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {.len = sizeof(rules) / sizeof(rules[0]), .filter = rules};

	ck_assert_int_eq(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	ck_assert_int_eq(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* Small runs look at no file of the machine. */
static const struct {
	const char *bench, *param, *value;
} quiet[] = {{"sched/messaging", "groups", "1"}, {"syscall/basic", "loops", "10"}};

START_TEST(test_small_runs_read_nothing)
{
	struct fake_world f;
	struct pg_dropin d;
	struct pg_err err;
	int status;
	pid_t pid;

	fake_world_open(&f);
	ck_assert_int_eq(pg_dropin_open(&d, &f.world, quiet[_i].bench, &err), 0);
	ck_assert_int_eq(pg_dropin_set(&d, quiet[_i].param, quiet[_i].value, "-x", &err), 0);
	d.lean = true;
	pid = fork();
	if (pid == 0) {
		forbid_files();
		_exit(pg_dropin_ready(&d, &err) == 0 ? 0 : 1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
	pg_dropin_close(&d);
	fake_world_close(&f);
}
END_TEST

/* Every bench of this program stands behind a drop-in: it gets all its values, and runs or says why not. */
START_TEST(test_every_bench)
{
	struct fake_world f;

	fake_world_open(&f);
	for (size_t i = 0; pg_suites[i]; i++)
		for (size_t k = 0; pg_suites[i]->benches[k]; k++) {
			const struct pg_bench *b = pg_suites[i]->benches[k];
			struct pg_dropin d;
			struct pg_err err = {.msg = ""};
			int r;

			if (strcmp(b->name, "exec") == 0)
				continue;
			ck_assert_int_eq(pg_dropin_open(&d, &f.world, b->name, &err), 0);
			r = pg_dropin_ready(&d, &err);
			ck_assert_msg(r == 0 || (err.code == PG_EUNSUPPORTED && err.msg[0]), "%s: %s", b->name,
				      err.msg);
			for (size_t p = 0; r == 0 && p < d.n; p++)
				ck_assert_msg((d.vals[p].state == PG_V_UNSET) == (b->params[p].def == NULL),
					      "%s: %s has no value", b->name, b->params[p].name);
			pg_dropin_close(&d);
		}
	fake_world_close(&f);
}
END_TEST

PG_TEST_MAIN("runner_dropin", ((const struct pg_test[]){
				      {test_defaults, 0},
				      {test_values, 0},
				      {test_wrong, sizeof(wrong) / sizeof(wrong[0])},
				      {test_clamp, 0},
				      {test_no_such_bench, 0},
				      {test_run, 0},
				      {test_failures, sizeof(failures) / sizeof(failures[0])},
				      {test_child_prints_nothing, 0},
				      {test_small_runs_read_nothing, sizeof(quiet) / sizeof(quiet[0])},
				      {test_every_bench, 0},
				      {NULL, 0},
			      }))
