/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bench for tests of the engine that ends in every way a rep can end, and cells around it. Header only: it needs
 * layers that other tests do not link.
 */
#ifndef PG_TESTS_FAKE_BENCH_H
#define PG_TESTS_FAKE_BENCH_H

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "engine/rep.h"
#include "model/cell.h"
#include "model/suite.h"

#ifdef PG_COVERAGE
void __gcov_dump(void);
#endif

enum fb_outcome {
	FB_OK,
	FB_FAIL_CHECK,
	FB_FAIL_SETUP,
	FB_FAIL_ONCE,
	FB_FAIL_SILENT, /* without a message */
	FB_EXIT,
	FB_CRASH,
	FB_ABORT,
	FB_HANG,
	FB_STUBBORN, /* hangs and ignores TERM */
	FB_VANISH,
	FB_ZERO,       /* a time of 0 */
	FB_NO_OPS,     /* a divisor of 0 */
	FB_LATE_CRASH, /* a result, then death by signal in teardown */
	FB_READ_STDIN,
	FB_SLEEP, /* 10 ms a loop */
	FB_LOOK,  /* reports what it has around it */
};
enum fb_child { FB_NO_CHILD, FB_CHILD, FB_SESSION, FB_DOUBLE, FB_STUBBORN_CHILD };

struct fb_conf {
	int outcome, child;
	uint64_t loops, number, leaked, output, errors;
	bool flag;
	const char *text, *cpus;
};

static const struct pg_choice fb_outcomes[] = {
	{"ok", NULL},	  {"fail-check", NULL}, {"fail-setup", NULL}, {"fail-once", NULL},  {"fail-silent", NULL},
	{"exit", NULL},	  {"crash", NULL},	{"abort", NULL},      {"hang", NULL},	    {"stubborn", NULL},
	{"vanish", NULL}, {"zero", NULL},	{"no-ops", NULL},     {"late-crash", NULL}, {"read-stdin", NULL},
	{"sleep", NULL},  {"look", NULL},	{NULL, NULL},
};
static const struct pg_choice fb_children[] = {
	{"none", NULL}, {"child", NULL}, {"session", NULL}, {"double", NULL}, {"stubborn", NULL}, {NULL, NULL},
};
static const struct pg_choice fb_auto[] = {{"auto", NULL}, {NULL, NULL}};

static const struct pg_param fb_params[] = {
	{.name = "outcome", .doc = "end", .def = "ok", .choices = fb_outcomes, PG_AT_ENUM(struct fb_conf, outcome)},
	{.name = "child", .doc = "left", .def = "none", .choices = fb_children, PG_AT_ENUM(struct fb_conf, child)},
	{.name = "loops",
	 .doc = "loops",
	 .def = "1",
	 .min = "1",
	 .choices = fb_auto,
	 .role = PG_OPS,
	 PG_AT_COUNT(struct fb_conf, loops)},
	{.name = "number", .doc = "exit status", .def = "0", PG_AT_COUNT(struct fb_conf, number)},
	{.name = "leaked", .doc = "descriptors", .def = "0", PG_AT_COUNT(struct fb_conf, leaked)},
	{.name = "output", .doc = "bytes", .def = "0", PG_AT_COUNT(struct fb_conf, output)},
	{.name = "errors", .doc = "bytes", .def = "0", PG_AT_COUNT(struct fb_conf, errors)},
	{.name = "flag", .doc = "flag", .def = "false", PG_AT_BOOL(struct fb_conf, flag)},
	{.name = "text", .doc = "text", PG_AT_TEXT(struct fb_conf, text)},
	{.name = "cpus", .doc = "CPUs", PG_AT_CPULIST(struct fb_conf, cpus)},
	{.name = NULL},
};

enum { FB_TIME, FB_OPS, FB_PER_OP, FB_SCORE, FB_LEAST, FB_MOST, FB_SEEN, FB_METRICS };

/* The bench's rows, then the engine's: what a cell has. Filled by fb_rows(). */
static const struct pg_metric fb_own_metrics[] = {
	[FB_TIME] = {.name = "time", .doc = "d", .unit = PG_U_S, .reduce = PG_SUM, .flags = PG_M_MAIN},
	[FB_OPS] = {.name = "ops", .doc = "d", .unit = PG_U_COUNT, .reduce = PG_SUM},
	[FB_PER_OP] =
		{.name = "time_per_op", .doc = "d", .unit = PG_U_S, .reduce = PG_RATIO, .num = FB_TIME, .den = FB_OPS},
	[FB_SCORE] = {.name = "score", .doc = "d", .unit = PG_U_COUNT, .reduce = PG_MEAN},
	[FB_LEAST] = {.name = "least", .doc = "d", .unit = PG_U_COUNT, .reduce = PG_MIN},
	[FB_MOST] = {.name = "most", .doc = "d", .unit = PG_U_COUNT, .reduce = PG_MAX},
	[FB_SEEN] = {.name = "seen", .doc = "d", .unit = PG_U_COUNT, .reduce = PG_SUM},
	[FB_METRICS] = {.name = NULL},
};

static inline void fb_print(int fd, uint64_t n)
{
	static const char line[] = "all work and no play makes a dull boy, line after line after li\n";

	for (uint64_t done = 0; done < n; done += sizeof(line) - 1)
		if (write(fd, line, sizeof(line) - 1) < 0)
			return;
}

static inline void fb_stay(bool stubborn)
{
	if (stubborn) {
		signal(SIGTERM, SIG_IGN);
		signal(SIGINT, SIG_IGN);
	}
	for (;;)
		pause();
}

static inline void fb_leave(int kind)
{
	pid_t pid = kind == FB_NO_CHILD ? 1 : fork();

	if (pid != 0) {
		if (kind == FB_DOUBLE)
			waitpid(pid, NULL, 0);
		return;
	}
	if (kind == FB_SESSION)
		setsid();
	if (kind == FB_DOUBLE && fork() != 0)
		_exit(0);
	fb_stay(kind == FB_STUBBORN_CHILD);
}

static inline int fb_check(const void *vconf, struct pg_err *err)
{
	const struct fb_conf *conf = vconf;

	return conf->outcome == FB_FAIL_CHECK ? pg_fail(err, PG_EINPUT, "the check said no") : 0;
}

static inline int fb_setup(struct pg_run *run, struct pg_err *err)
{
	const struct fb_conf *conf = run->conf;

	if (conf->outcome == FB_FAIL_SETUP)
		return pg_fail(err, PG_EFAILED, "the setup said no");
	return 0;
}

static inline void fb_record(struct pg_run *run, unsigned row, int64_t raw)
{
	pg_record(run, row, raw);
}

static inline void fb_end(const struct fb_conf *conf)
{
	char c;

	switch (conf->outcome) {
	case FB_EXIT:
		fprintf(stderr, "first line\nlast words: \xff\x1b[31mred\x1b[0m\n\n");
		exit((int)conf->number);
	case FB_CRASH:
		signal(SIGSEGV, SIG_DFL);
		raise(SIGSEGV);
		break;
	case FB_ABORT:
		signal(SIGABRT, SIG_DFL);
		raise(SIGABRT);
		break;
	case FB_HANG:
	case FB_STUBBORN:
		fb_stay(conf->outcome == FB_STUBBORN);
		break;
	case FB_VANISH:
		_exit(0);
	case FB_READ_STDIN:
		if (read(0, &c, 1) != 0)
			_exit(3);
		break;
	case FB_SLEEP:
		usleep((useconds_t)(10000 * conf->loops));
		break;
	default:
		break;
	}
}

/* Descriptors above 2 that are open. */
static inline int64_t fb_descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	int64_t n = 0;

	while (d && (e = readdir(d)))
		n += atoi(e->d_name) > 2 && atoi(e->d_name) != dirfd(d);
	if (d)
		closedir(d);
	return n;
}

/* Decimal digits from the right: descriptors 3, nice + 20 2, policy 1, CPUs it may use. */
static inline int64_t fb_look(void)
{
	cpu_set_t set;

	sched_getaffinity(0, sizeof(set), &set);
	return fb_descriptors() + 1000 * (getpriority(PRIO_PROCESS, 0) + 20) + 100000 * (int64_t)sched_getscheduler(0) +
	       1000000 * (int64_t)CPU_COUNT(&set);
}

static inline int fb_once(struct pg_run *run, struct pg_err *err)
{
	const struct fb_conf *conf = run->conf;

	fb_print(1, conf->output);
	fb_print(2, conf->errors);
	for (uint64_t i = 0; i < conf->leaked; i++)
		if (open("/dev/null", O_RDONLY) < 0)
			return pg_fail_sys(err, "cannot leak");
	fb_leave(conf->child);
	fb_end(conf);
	if (conf->outcome == FB_FAIL_ONCE)
		return pg_fail(err, PG_EFAILED, "the bench said no");
	if (conf->outcome == FB_FAIL_SILENT)
		return -1;
	fb_record(run, FB_TIME, conf->outcome == FB_ZERO ? 0 : (int64_t)(1000 * conf->loops));
	fb_record(run, FB_OPS, conf->outcome == FB_NO_OPS ? 0 : (int64_t)conf->loops);
	fb_record(run, FB_SCORE, (int64_t)run->rep);
	fb_record(run, FB_SCORE, (int64_t)run->rep + 1);
	fb_record(run, FB_LEAST, (int64_t)run->attempt);
	fb_record(run, FB_LEAST, (int64_t)run->attempt + 1);
	fb_record(run, FB_MOST, (int64_t)run->seed);
	fb_record(run, FB_MOST, (int64_t)run->seed - 1);
	if (conf->outcome == FB_LOOK)
		fb_record(run, FB_SEEN, fb_look());
	else if (conf->text)
		fb_record(run, FB_SEEN, (int64_t)strlen(conf->text) * 100 + (conf->cpus ? conf->cpus[0] - '0' : 0));
	return 0;
}

static inline void fb_teardown(struct pg_run *run)
{
	const struct fb_conf *conf = run->conf;

	if (conf->outcome == FB_LATE_CRASH) {
		signal(SIGBUS, SIG_DFL);
		raise(SIGBUS);
	}
}

static const struct pg_bench fb_bench = {
	.name = "fake",
	.summary = "for tests",
	.params = fb_params,
	.metrics = fb_own_metrics,
	.conf_size = sizeof(struct fb_conf),
	.check = fb_check,
	.setup = fb_setup,
	.once = fb_once,
	.teardown = fb_teardown,
};

/* The same in batches. */
static const struct pg_metric fb_batched_metrics[] = {
	[FB_TIME] = {.name = "time", .doc = "d", .unit = PG_U_S, .reduce = PG_SUM, .flags = PG_M_BATCHED},
	[FB_OPS] = {.name = "ops", .doc = "d", .unit = PG_U_COUNT, .reduce = PG_SUM},
	[FB_PER_OP] = {.name = "time_per_op",
		       .doc = "d",
		       .unit = PG_U_S,
		       .reduce = PG_RATIO,
		       .num = FB_TIME,
		       .den = FB_OPS,
		       .flags = PG_M_MAIN | PG_M_BATCHED},
	[FB_SCORE] = {.name = "score", .doc = "d", .unit = PG_U_COUNT, .reduce = PG_MEAN},
	[FB_LEAST] = {.name = "least", .doc = "d", .unit = PG_U_COUNT, .reduce = PG_MIN},
	[FB_MOST] = {.name = "most", .doc = "d", .unit = PG_U_COUNT, .reduce = PG_MAX},
	[FB_SEEN] = PG_FLOOR_ROW,
	[FB_METRICS] = {.name = NULL},
};

static const struct pg_bench fb_batched = {
	.name = "fake-batched",
	.summary = "for tests",
	.params = fb_params,
	.metrics = fb_batched_metrics,
	.conf_size = sizeof(struct fb_conf),
	.once = fb_once,
	.batchable = true,
};

static inline const struct pg_bench *fb_find(const char *name)
{
	if (strcmp(name, fb_batched.name) == 0)
		return &fb_batched;
	return strcmp(name, "fake") == 0 ? &fb_bench : NULL;
}

/* A cell with everything it points to, in memory that is not forked, as a plan's. */
struct fb_cell {
	struct pg_arena arena;
	struct pg_cell cell;
	struct pg_runkeys *keys;
	struct pg_rules *rules;
	struct pg_program *program;
};

#define FB_ENGINE(e) ((size_t)FB_METRICS + (e))

static inline void fb_value(struct pg_arena *a, struct pg_value *vals, const char *name, size_t n, const char *text,
			    size_t len)
{
	struct pg_err err;
	size_t i = 0;

	while (fb_params[i].name && (strlen(fb_params[i].name) != n || strncmp(fb_params[i].name, name, n) != 0))
		i++;
	ck_assert_msg(fb_params[i].name != NULL, "no param %.*s", (int)n, name);
	ck_assert_msg(pg_value_parse(&fb_params[i], text, len, a, &vals[i], &err) == 0, "%s", err.msg);
}

static inline void fb_common(struct fb_cell *c, const struct pg_bench *bench, size_t n_bench_metrics)
{
	memset(c, 0, sizeof(*c));
	pg_arena_init(&c->arena, true);
	c->keys = pg_arena_alloc(&c->arena, sizeof(*c->keys));
	c->rules = pg_arena_alloc(&c->arena, sizeof(*c->rules));
	*c->rules = (struct pg_rules){.repeat = {.fixed = true, .n = 3},
				      .timeout_ns = -1,
				      .sample_time_ns = 50000000,
				      .process = PG_PROC_EXEC};
	c->cell.id = 0x1234;
	c->cell.bench = bench;
	c->cell.keys = c->keys;
	c->cell.rules = c->rules;
	c->cell.n_bench_metrics = n_bench_metrics;
}

/* Params as "name=value name=value"; the rest at its default. */
static inline void fb_cell_of(struct fb_cell *c, const struct pg_bench *bench, const char *params)
{
	struct pg_metric *rows;
	struct pg_value *vals;
	size_t n = pg_param_count(fb_params);

	fb_common(c, bench, FB_METRICS);
	vals = pg_arena_array(&c->arena, n + 1, sizeof(*vals));
	for (size_t i = 0; i < n; i++) {
		const char *def = fb_params[i].def;

		vals[i].type = (uint8_t)fb_params[i].type;
		if (def)
			fb_value(&c->arena, vals, fb_params[i].name, strlen(fb_params[i].name), def, strlen(def));
	}
	while (*params) {
		size_t len = strcspn(params, " "), eq = strcspn(params, "=");

		fb_value(&c->arena, vals, params, eq, params + eq + 1, len - eq - 1);
		params += len + strspn(params + len, " ");
	}
	rows = pg_arena_array(&c->arena, FB_ENGINE(PG_ENGINE_METRICS) + 1, sizeof(*rows));
	memcpy(rows, bench->metrics, FB_METRICS * sizeof(*rows));
	memcpy(rows + FB_METRICS, pg_engine_metrics, (PG_ENGINE_METRICS + 1) * sizeof(*rows));
	c->cell.params = fb_params;
	c->cell.n_params = n;
	c->cell.vals = vals;
	c->cell.metrics = rows;
	c->cell.n_metrics = FB_ENGINE(PG_ENGINE_METRICS);
}

static inline void fb_cell(struct fb_cell *c, const char *params)
{
	fb_cell_of(c, &fb_bench, params);
}

static const struct pg_param fb_no_params[] = {{.name = NULL}};
static const struct pg_metric fb_no_metrics[] = {{.name = NULL}};
static const struct pg_bench fb_exec = {
	.name = "exec", .summary = "for tests", .params = fb_no_params, .metrics = fb_no_metrics};

/* Words up to a NULL. */
static inline struct pg_words fb_words(struct pg_arena *a, const char *const *w)
{
	struct pg_words out = {.n = 0};
	const char **copy;

	while (w[out.n])
		out.n++;
	copy = pg_arena_array(a, out.n + 1, sizeof(*copy));
	for (size_t i = 0; i < out.n; i++)
		copy[i] = pg_arena_strdup(a, w[i]);
	out.w = copy;
	return out;
}

/* A cell of bench exec with a param `size` at 4KB: sh -c TEXT. */
static inline void fb_program(struct fb_cell *c, const char *text)
{
	static const struct pg_param rows[] = {
		{.name = "size", .doc = "d", .type = PG_SIZE, .role = PG_DYNAMIC},
		{.name = NULL},
	};
	struct pg_value *vals;
	const char *w[] = {text, NULL};

	fb_common(c, &fb_exec, 0);
	vals = pg_arena_array(&c->arena, 2, sizeof(*vals));
	vals[0] = (struct pg_value){.u = {.i = 4096}, .state = PG_V_SET, .type = PG_SIZE};
	c->cell.params = rows;
	c->cell.n_params = 1;
	c->cell.vals = vals;
	c->cell.metrics = pg_engine_metrics;
	c->cell.n_metrics = PG_ENGINE_METRICS;
	c->program = pg_arena_alloc(&c->arena, sizeof(*c->program));
	c->program->shell = true;
	c->program->command = fb_words(&c->arena, w);
	c->cell.program = c->program;
}

/* Declared metrics behind the engine's. */
static inline void fb_captures(struct fb_cell *c, struct pg_capture *captures, size_t n, const enum pg_unit *units)
{
	struct pg_metric *rows = pg_arena_array(&c->arena, PG_ENGINE_METRICS + n + 1, sizeof(*rows));

	memcpy(rows, pg_engine_metrics, PG_ENGINE_METRICS * sizeof(*rows));
	for (size_t i = 0; i < n; i++) {
		captures[i].metric = PG_ENGINE_METRICS + i;
		rows[PG_ENGINE_METRICS + i] =
			(struct pg_metric){.name = captures[i].name, .doc = "d", .unit = units[i], .reduce = PG_SUM};
	}
	c->cell.metrics = rows;
	c->cell.n_metrics = PG_ENGINE_METRICS + n;
	c->program->captures = captures;
	c->program->n_captures = n;
}

static inline void fb_done(struct fb_cell *c)
{
	pg_arena_release(&c->arena);
}

/* What a rep has recorded of a row. */
static inline bool fb_has_sample(const struct pg_rep_page *page, unsigned metric, struct pg_sample *out)
{
	for (uint32_t i = 0; i < page->n; i++) {
		*out = page->s[i];
		if (out->metric == metric)
			return true;
	}
	return false;
}

static inline struct pg_sample fb_sample(const struct pg_rep_page *page, unsigned metric)
{
	struct pg_sample s = {.raw = 0};

	ck_assert_msg(fb_has_sample(page, metric, &s), "no sample of row %u", metric);
	return s;
}

#endif
