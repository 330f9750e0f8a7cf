/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reps that are programs: output, captures, streams, environment, what runs around them. */
#include "tests/support/pgtest.h"

#include <stdio.h>
#include <sys/stat.h>

#include "tests/support/fake_bench.h"

#include "base/str.h"
#include "base/topo.h"
#include "engine/child.h"

extern char **environ;

static struct pg_child *child;
static struct pg_topo topo;
static struct pg_executor executor;
static volatile sig_atomic_t stop;
static struct pg_outcome out;
static char dir[64];

static void begin(void)
{
	struct pg_child_opts opts = {
		.self = "/proc/self/exe", .root = "", .clock = pg_clock_real(), .topo = &topo, .stop = &stop};
	struct pg_err err;

	snprintf(dir, sizeof(dir), "/tmp/pgtest-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	setenv("PGTEST_DIR", dir, 1);
	opts.environ = environ;
	ck_assert_int_eq(pg_topo_load("", NULL, &topo, &err), 0);
	ck_assert_msg(pg_child_open(&child, &opts, &err) == 0, "%s", err.msg);
	executor = pg_child_executor(child);
}

static void end(struct fb_cell *c)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[400];

	fb_done(c);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	pg_child_close(child);
	pg_topo_release(&topo);
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		unlink(path);
	}
	if (d)
		closedir(d);
	rmdir(dir);
}

static void run_cell(struct fb_cell *c)
{
	struct pg_job job = {.cell = &c->cell, .seed = 77, .rep = 4, .attempt = 1};
	struct pg_err err;

	memset(&out, 0xa5, sizeof(out));
	ck_assert_msg(executor.run(executor.ctx, &job, &out, &err) == 0, "%s", err.msg);
}

/* A small file of the test's directory; "" when it is not there. */
static const char *file(const char *name)
{
	static char text[4096];
	char path[400];
	size_t n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "re");
	if (f) {
		n = fread(text, 1, sizeof(text) - 1, f);
		fclose(f);
	}
	text[n] = '\0';
	return text;
}

static const struct pg_sample *sample(size_t metric)
{
	for (size_t i = 0; i < out.n; i++) {
		if (out.s[i].metric == metric)
			return &out.s[i];
	}
	ck_abort_msg("no sample of row %zu", metric);
	return NULL;
}

static struct pg_words words(struct fb_cell *c, const char *text)
{
	const char *w[] = {"sh", "-c", text, NULL};

	return fb_words(&c->arena, w);
}

static const struct {
	const char *text;
	int any, accepted; /* accepted: a status beside the default, -1 = none */
	enum pg_status status;
	int64_t exit;
	const char *why;
} exits[] = {
	{"exit 0", 0, -1, PG_ST_OK, 0, ""},
	{"exit 3", 0, -1, PG_ST_FAILED, 3, "exit status 3"},
	{"echo one; echo two >&2; exit 3", 0, -1, PG_ST_FAILED, 3, "exit status 3: two"},
	{"echo one; exit 3", 0, -1, PG_ST_FAILED, 3, "exit status 3: one"},
	{"exit 3", 0, 3, PG_ST_OK, 3, ""},
	{"exit 0", 0, 3, PG_ST_FAILED, 0, "exit status 0"},
	{"exit 77", 1, -1, PG_ST_OK, 77, ""},
	{"kill -SEGV $$", 0, -1, PG_ST_FAILED, 128 + SIGSEGV, "killed by SIGSEGV"},
	{"kill -KILL $$", 1, -1, PG_ST_FAILED, 128 + SIGKILL, "killed by SIGKILL"},
	{"kill -TERM $$", 0, 143, PG_ST_FAILED, 143, "killed by SIGTERM"},
	{"no-such-program-here", 0, -1, PG_ST_FAILED, 127, "exit status 127"},
	{"exec cat", 0, -1, PG_ST_OK, 0, ""}, /* stdin is the null device */
	{"sleep 1000 & exit 0", 0, -1, PG_ST_OK, 0, ""},
	{"setsid sleep 1000 & exit 4", 0, -1, PG_ST_FAILED, 4, "exit status 4"},
	{"(setsid sh -c 'trap \"\" TERM; sleep 1000' &) ; exit 0", 0, -1, PG_ST_OK, 0, ""},
	{"exec >&- 2>&-; exit 0", 0, -1, PG_ST_OK, 0, ""},
	{"i=0; while [ $i -lt 20000 ]; do echo line $i of many that fill pipes; i=$((i+1)); done >&2", 0, -1, PG_ST_OK,
	 0, ""},
	{"yes | head -c 3000000; exit 5", 0, -1, PG_ST_FAILED, 5, "exit status 5: y"},
	{"printf 'bad \\377\\033[1mtext\\007'; exit 1", 0, -1, PG_ST_FAILED, 1, "exit status 1: bad \xef\xbf\xbdtext"},
};
#define EXITS (sizeof(exits) / sizeof(exits[0]))

START_TEST(every_exit)
{
	struct fb_cell c;

	begin();
	fb_program(&c, exits[_i].text);
	c.program->any_exit = exits[_i].any;
	if (exits[_i].accepted >= 0) {
		c.program->exits = &exits[_i].accepted;
		c.program->n_exits = 1;
	}
	run_cell(&c);
	ck_assert_msg(out.status == exits[_i].status, "%s: %d %s", exits[_i].text, (int)out.status, out.why);
	ck_assert_msg(strstr(out.why, exits[_i].why) != NULL, "%s: '%s'", exits[_i].text, out.why);
	ck_assert_int_eq(out.facts[PG_F_EXIT], exits[_i].exit);
	ck_assert_int_eq(out.facts[PG_F_LOOPS], PG_FACT_ABSENT);
	if (out.status == PG_ST_OK) {
		ck_assert_int_eq(sample(PG_E_WALL_TIME)->raw, out.once_ns);
		ck_assert_int_gt(out.once_ns, 0);
	}
	end(&c);
}
END_TEST

/* A program's memory is its own, not that of the runner, which is larger than this one. */
START_TEST(peak_memory)
{
	size_t n = (size_t)64 << 20;
	char *large = malloc(n);
	struct fb_cell c;

	ck_assert_ptr_nonnull(large);
	memset(large, 1, n);
	begin();
	fb_program(&c, "exit 0");
	run_cell(&c);
	ck_assert_int_eq(out.status, PG_ST_OK);
	ck_assert(sample(PG_E_PEAK_MEMORY)->missing || sample(PG_E_PEAK_MEMORY)->raw < (int64_t)n);
	ck_assert(!sample(PG_E_WALL_TIME)->missing);
	end(&c);
	free(large);
}
END_TEST

START_TEST(deadline)
{
	static const char *const texts[] = {
		"echo before >&2; sleep 1000",
		"sleep 1000 & setsid sleep 1000 & wait",
		"trap 'exit 0' TERM; echo before >&2; sleep 1000 & wait",
	};
	struct fb_cell c;

	begin();
	fb_program(&c, texts[_i]);
	c.rules->timeout_ns = 700000000;
	run_cell(&c);
	ck_assert_int_eq(out.status, PG_ST_TIMEOUT);
	ck_assert_ptr_nonnull(strstr(out.why, "no end within 700ms"));
	end(&c);
}
END_TEST

START_TEST(captures)
{
	static struct pg_capture caps[] = {
		{.name = "last", .pattern = "took ([0-9.]+)", .factor = 1, .dec_scale = {1, 0}, .which = PG_LAST},
		{.name = "total",
		 .pattern = "took ([0-9.]+)",
		 .factor = 0.001,
		 .dec_scale = {1, -3},
		 .which = PG_W_SUM},
		{.name = "wrong", .pattern = "warn(.*)", .factor = 1, .dec_scale = {1, 0}, .from_stderr = true},
		{.name = "tail", .pattern = "^end=(.*)$", .factor = 1, .dec_scale = {1, 0}, .required = true},
	};
	static const enum pg_unit units[] = {PG_U_S, PG_U_S, PG_U_COUNT, PG_U_COUNT};
	struct fb_cell c;

	begin();
	fb_program(&c, "for i in 1 2 3; do echo took $i.5 s; done; yes 'filler filler filler' | head -n 30000;"
		       " echo took 100 >&2; echo warn7 >&2; printf end=-12");
	fb_captures(&c, caps, 4, units);
	run_cell(&c);
	ck_assert_msg(out.status == PG_ST_OK, "%s", out.why);
	ck_assert_int_eq(sample(PG_ENGINE_METRICS)->raw, 35);
	ck_assert_int_eq(sample(PG_ENGINE_METRICS)->exp10, -1);
	ck_assert_int_eq(sample(PG_ENGINE_METRICS + 1)->raw, 75);
	ck_assert_int_eq(sample(PG_ENGINE_METRICS + 1)->exp10, -4);
	ck_assert_int_eq(sample(PG_ENGINE_METRICS + 2)->raw, 7);
	ck_assert_int_eq(sample(PG_ENGINE_METRICS + 3)->raw, -12);
	/* The next rep of another program starts from nothing. */
	c.program->command = fb_words(&c.arena, (const char *[]){"echo end=0", NULL});
	run_cell(&c);
	ck_assert_msg(out.status == PG_ST_OK, "%s", out.why);
	ck_assert(sample(PG_ENGINE_METRICS)->missing);
	ck_assert_int_eq(sample(PG_ENGINE_METRICS + 3)->raw, 0);
	end(&c);
}
END_TEST

START_TEST(captures_bad)
{
	static const struct {
		const char *text;
		enum pg_status status;
		const char *why;
	} cases[] = {
		{"echo nothing", PG_ST_FAILED, "metric m: no line of stdout matches"},
		{"echo v=0", PG_ST_INVALID, "m is 0"},
		{"echo v=-3", PG_ST_INVALID, "m is -3"},
		{"echo v=nan", PG_ST_INVALID, "'nan' is no number"},
	};
	static struct pg_capture caps[] = {
		{.name = "m", .pattern = "v=(.*)", .factor = 1, .dec_scale = {1, 0}, .required = true},
	};
	static const enum pg_unit units[] = {PG_U_S};
	struct fb_cell c;

	begin();
	fb_program(&c, cases[_i].text);
	fb_captures(&c, caps, 1, units);
	run_cell(&c);
	ck_assert_int_eq(out.status, cases[_i].status);
	ck_assert_msg(strstr(out.why, cases[_i].why) != NULL, "%s", out.why);
	ck_assert_uint_eq(out.n, 0);
	end(&c);
}
END_TEST

START_TEST(surroundings)
{
	static const struct pg_env_item env[] = {{"PGTEST_A", "<{size}>"}, {"HOME", NULL}, {"PERFGRID_REP", "mine"}};
	struct fb_cell c;

	begin();
	fb_program(
		&c,
		"echo \"{size} {rep} {seed} $PERFGRID_SIZE $PERFGRID_REP $PERFGRID_SEED [$PERFGRID_VARIANT] "
		"$PGTEST_A ${{HOME-none}} $PWD $(cat)\" > \"$PGTEST_DIR/o\"; ls -l /proc/self/fd > \"$PGTEST_DIR/fd\"");
	c.keys->env = env;
	c.keys->n_env = 3;
	c.program->working_directory = "/usr";
	c.program->stdin_path = pg_arena_printf(&c.arena, "%s/in{rep}", dir);
	run_cell(&c);
	ck_assert_int_eq(out.status, PG_ST_FAILED);
	ck_assert_msg(strstr(out.why, "cannot open stdin") && strstr(out.why, "in4"), "%s", out.why);
	{
		char path[100];
		FILE *f;

		snprintf(path, sizeof(path), "%s/in4", dir);
		f = fopen(path, "we");
		ck_assert_ptr_nonnull(f);
		fputs("words", f);
		fclose(f);
	}
	run_cell(&c);
	ck_assert_msg(out.status == PG_ST_OK, "%s", out.why);
	ck_assert_str_eq(file("o"), "4KB 4 77 4KB mine 77 [] <4KB> none /usr words\n");
	c.program->working_directory = "/no/such";
	run_cell(&c);
	ck_assert_int_eq(out.status, PG_ST_FAILED);
	ck_assert_str_eq(out.why, "cannot enter directory '/no/such'; name another: No such file or directory");
	end(&c);
}
END_TEST

START_TEST(commands)
{
	static const struct {
		const char *w[4];
		const char *why; /* NULL = ok */
	} cases[] = {
		{{"true", NULL}, NULL},
		{{"/bin/true", NULL}, NULL},
		{{"none", NULL}, "cannot execute 'none': no such program on PATH; install it, or name its path"},
		{{"/no/such", NULL},
		 "cannot execute '/no/such'; name a program that this user may execute: No such file or directory"},
		{{"/etc", NULL}, "cannot execute '/etc'; name a program that this user may execute: Permission denied"},
		{{"", NULL}, "cannot execute '': no such program on PATH; install it, or name its path"},
		{{"./script", "7", NULL}, NULL}, /* no first line: a shell runs it */
	};
	struct fb_cell c;
	char path[100];
	FILE *f;

	begin();
	snprintf(path, sizeof(path), "%s/script", dir);
	f = fopen(path, "we");
	ck_assert_ptr_nonnull(f);
	fputs("[ \"$1\" = 7 ]\n", f);
	fclose(f);
	chmod(path, 0755);
	fb_program(&c, "");
	c.program->shell = false;
	c.program->working_directory = dir;
	c.program->command = fb_words(&c.arena, cases[_i].w);
	run_cell(&c);
	ck_assert_msg((out.status == PG_ST_OK) == !cases[_i].why, "%s", out.why);
	ck_assert_str_eq(out.why, cases[_i].why ? cases[_i].why : "");
	end(&c);
}
END_TEST

START_TEST(before_and_after)
{
	static const struct {
		const char *before, *program, *after;
		enum pg_status status;
		const char *why, *order;
	} cases[] = {
		{"echo b >>$PGTEST_DIR/o", "echo p >>$PGTEST_DIR/o", "echo a >>$PGTEST_DIR/o", PG_ST_OK, "",
		 "b\np\na\n"},
		{"echo no >&2; exit 2", "echo p >>$PGTEST_DIR/o", "echo a >>$PGTEST_DIR/o", PG_ST_FAILED,
		 "before: exit status 2: no", "a\n"},
		{"echo b >>$PGTEST_DIR/o", "exit 9", "echo a >>$PGTEST_DIR/o", PG_ST_FAILED, "exit status 9", "b\na\n"},
		{"true", "echo p >>$PGTEST_DIR/o", "echo undone >&2; exit 1", PG_ST_FAILED,
		 "after: exit status 1: undone", "p\n"},
		{"true", "exit 9", "exit 1", PG_ST_FAILED, "exit status 9", ""},
		{"kill -ABRT $$", "true", "true", PG_ST_FAILED, "before: killed by SIGABRT", ""},
		{"sleep 1000 & true", "true", "setsid sleep 1000 & true", PG_ST_OK, "", ""},
		/* Output of the helpers is not the program's. */
		{"echo v=1", "true", "echo v=2", PG_ST_FAILED, "metric m: no line", ""},
	};
	static struct pg_capture caps[] = {
		{.name = "m", .pattern = "v=(.*)", .factor = 1, .dec_scale = {1, 0}, .required = true},
	};
	static const enum pg_unit units[] = {PG_U_S};
	struct fb_cell c;

	begin();
	fb_program(&c, cases[_i].program);
	if (_i == 7)
		fb_captures(&c, caps, 1, units);
	c.keys->before = words(&c, cases[_i].before);
	c.keys->after = words(&c, cases[_i].after);
	run_cell(&c);
	ck_assert_msg(out.status == cases[_i].status, "%s", out.why);
	ck_assert_msg(strstr(out.why, cases[_i].why) != NULL, "%s", out.why);
	ck_assert_str_eq(file("o"), cases[_i].order);
	end(&c);
}
END_TEST

START_TEST(before_timeout)
{
	struct fb_cell c;

	begin();
	fb_program(&c, "echo p >>$PGTEST_DIR/o");
	c.rules->timeout_ns = 300000000;
	c.keys->before = words(&c, "sleep 1000");
	run_cell(&c);
	ck_assert_int_eq(out.status, PG_ST_FAILED);
	ck_assert_str_eq(out.why, "before: no end within 300ms");
	ck_assert_str_eq(file("o"), "");
	end(&c);
}
END_TEST

START_TEST(background)
{
	static const struct {
		const char *background, *program;
		enum pg_status status;
		const char *why;
	} cases[] = {
		{"echo $$ >$PGTEST_DIR/o; exec sleep 1000",
		 "while ! [ -s $PGTEST_DIR/o ]; do sleep 0.01; done; kill -0 $(cat $PGTEST_DIR/o)", PG_ST_OK, ""},
		{"echo bye >&2; exit 3", "sleep 1000", PG_ST_FAILED,
		 "the background program ended before the rep: exit status 3: bye"},
		{"exit 0", "sleep 1000", PG_ST_FAILED, "the background program ended before the rep: exit status 0"},
		{"kill -KILL $$", "sleep 1000", PG_ST_FAILED, "killed by SIGKILL"},
		{"sleep 1000 & setsid sleep 1000 & wait", "exit 4", PG_ST_FAILED, "exit status 4"},
		/* What it prints is not the program's output, and does not fill a pipe. */
		{"yes v=9 | head -n 100000; yes v=8 | head -n 100000 >&2; exec sleep 1000", "sleep 0.3; echo v=5",
		 PG_ST_OK, ""},
	};
	static struct pg_capture caps[] = {
		{.name = "m", .pattern = "v=(.*)", .factor = 1, .dec_scale = {1, 0}, .which = PG_W_SUM},
	};
	static const enum pg_unit units[] = {PG_U_S};
	struct fb_cell c;

	begin();
	fb_program(&c, cases[_i].program);
	fb_captures(&c, caps, 1, units);
	c.keys->background = words(&c, cases[_i].background);
	run_cell(&c);
	ck_assert_msg(out.status == cases[_i].status, "%s", out.why);
	ck_assert_msg(strstr(out.why, cases[_i].why) != NULL, "%s", out.why);
	if (_i == 5)
		ck_assert_int_eq(sample(PG_ENGINE_METRICS)->raw, 5);
	end(&c);
}
END_TEST

static void on_alarm(int sig)
{
	(void)sig;
	stop = SIGINT;
}

/* `after` runs whatever happened, a stop included; nothing stays alive. */
START_TEST(stopped)
{
	struct fb_cell c;

	begin();
	signal(SIGALRM, on_alarm);
	fb_program(&c, _i ? "true" : "sleep 1000");
	c.keys->before = words(&c, _i ? "sleep 1000" : "echo b >>$PGTEST_DIR/o");
	c.keys->background = words(&c, "exec sleep 1000");
	c.keys->after = words(&c, "echo a >>$PGTEST_DIR/o");
	ualarm(400000, 0);
	run_cell(&c);
	ck_assert_int_eq(out.status, PG_ST_NOT_RUN);
	ck_assert_str_eq(file("o"), _i ? "a\n" : "b\na\n");
	end(&c);
}
END_TEST

/* A program can be stopped by signals that the runner blocks or ignores. */
START_TEST(signals)
{
	unsigned long blocked, ignored;
	struct fb_cell c;

	begin();
	signal(SIGPIPE, SIG_IGN);
	fb_program(&c, "grep -E '^Sig(Blk|Ign)' /proc/self/status > $PGTEST_DIR/o");
	run_cell(&c);
	ck_assert_msg(out.status == PG_ST_OK, "%s", out.why);
	ck_assert_int_eq(sscanf(file("o"), "SigBlk: %lx SigIgn: %lx", &blocked, &ignored), 2);
	/* Signals 32 and up are libc's own business: its posix_spawn() hands some on as ignored. */
	ck_assert_uint_eq(blocked & 0x7fffffff, 0);
	ck_assert_uint_eq(ignored & 0x7fffffff, 0);
	end(&c);
}
END_TEST

/* Its own session: a program that takes the terminal's signals, or makes groups, does not reach the runner. */
START_TEST(session)
{
	struct fb_cell c;

	begin();
	fb_program(&c, "set -- $(cat /proc/$$/stat); [ $1 = $5 ] && [ $1 = $6 ]");
	run_cell(&c);
	ck_assert_msg(out.status == PG_ST_OK, "%s", out.why);
	end(&c);
}
END_TEST

PG_TEST_MAIN("engine_program", ((const struct pg_test[]){
				       {every_exit, EXITS},
				       {peak_memory, 0},
				       {deadline, 3},
				       {captures, 0},
				       {captures_bad, 4},
				       {surroundings, 0},
				       {commands, 7},
				       {before_and_after, 8},
				       {before_timeout, 0},
				       {background, 6},
				       {stopped, 2},
				       {signals, 0},
				       {session, 0},
				       {NULL, 0},
			       }))
