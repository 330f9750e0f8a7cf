/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A world for tests: text instead of streams, a clock that only moves when told or slept on, files from memory, an
 * executor that answers from a script and starts nothing. All of it is in this header, for only tests of runner/ can
 * link it.
 */
#ifndef PG_TESTS_FAKE_WORLD_H
#define PG_TESTS_FAKE_WORLD_H

#include <check.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/str.h"
#include "engine/executor.h"
#include "plan/plan.h"
#include "registry/registry.h"
#include "runner/cli.h"
#include "runner/world.h"

struct fake_world {
	struct pg_world world; /* first: the world handed around is this one */
	struct pg_clock clock;
	struct pg_executor executor;
	char dir[64];	 /* of enter() */
	int64_t now;	 /* ns, monotonic; the wall clock stands 1,700,000,000 s before it */
	unsigned width;	 /* of the terminal behind err, 0 = none */
	char *out, *err; /* what was written, after fake_world_sync() */
	size_t n_out, n_err;
	/* The executor: a rep takes rep_ns; `answer` (may be NULL) changes its outcome. */
	int64_t rep_ns;
	unsigned reps;
	int (*answer)(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err);
};

#define WALL_START 1700000000000000000

static inline int64_t fake_mono(void *ctx)
{
	return ((struct fake_world *)ctx)->now;
}

static inline int64_t fake_wall(void *ctx)
{
	return WALL_START + ((struct fake_world *)ctx)->now;
}

static inline void fake_sleep(void *ctx, int64_t ns)
{
	((struct fake_world *)ctx)->now += ns;
}

/* Every raw metric of the bench is the length of the rep, in its raw unit. */
static inline int fake_run(void *ctx, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	struct fake_world *f = ctx;
	const struct pg_cell *c = job->cell;

	memset(out, 0, sizeof(*out));
	for (int i = 0; i < PG_FACTS; i++)
		out->facts[i] = PG_FACT_ABSENT;
	out->facts[PG_F_T_MONO] = f->now;
	out->facts[PG_F_T_WALL] = WALL_START + f->now;
	out->once_ns = f->rep_ns;
	f->now += f->rep_ns;
	f->reps++;
	for (size_t i = 0; i < c->n_metrics; i++)
		if (c->metrics[i].reduce != PG_RATIO)
			out->s[out->n++] = (struct pg_sample){.raw = f->rep_ns,
							      .metric = (uint32_t)i,
							      .exp10 = (int8_t)pg_unit_exp(c->metrics[i].unit)};
	return f->answer ? f->answer(f, job, out, err) : 0;
}

/* The terminal is behind err. */
static inline unsigned fake_columns(const struct pg_world *w, FILE *stream)
{
	return stream == w->err ? ((const struct fake_world *)w)->width : 0;
}

static inline void fake_world_open(struct fake_world *f)
{
	static char term[] = "TERM=xterm", path[] = "PATH=/usr/bin:/bin";
	static char *environment[] = {term, path, NULL};

	memset(f, 0, sizeof(*f));
	f->now = 1000000000;
	f->rep_ns = 1000000;
	f->clock = (struct pg_clock){.mono = fake_mono, .wall = fake_wall, .sleep = fake_sleep, .ctx = f};
	f->executor = (struct pg_executor){.run = fake_run, .ctx = f};
	f->world = (struct pg_world){
		.root = "",
		.self = "/proc/self/exe",
		.lock_path = "perfgrid.lock",
		.clock = &f->clock,
		.suites = pg_suites,
		.executor = &f->executor,
		.environ = environment,
		.columns = fake_columns,
	};
	f->world.out = open_memstream(&f->out, &f->n_out);
	f->world.err = open_memstream(&f->err, &f->n_err);
	ck_assert_ptr_nonnull(f->world.out);
	ck_assert_ptr_nonnull(f->world.err);
}

/* out and err become what was written so far. */
static inline void fake_world_sync(struct fake_world *f)
{
	fflush(f->world.out);
	fflush(f->world.err);
}

static inline void fake_world_close(struct fake_world *f)
{
	fclose(f->world.out);
	fclose(f->world.err);
	free(f->out);
	free(f->err);
}

/* Runs a command line, words ended by NULL; returns the exit status. Output is added to out and err. */
static inline int fake_world_cli(struct fake_world *f, const char *const *words)
{
	char *argv[32];
	int argc = 0, status;

	argv[argc++] = strdup("perfgrid");
	for (; words[argc - 1] && argc < 31; argc++)
		argv[argc] = strdup(words[argc - 1]);
	argv[argc] = NULL;
	status = pg_cli(&f->world, argc, argv);
	for (int i = 0; i < argc; i++)
		free(argv[i]);
	fake_world_sync(f);
	return status;
}

static inline int fake_read(void *ctx, const char *path, struct pg_str *out, struct pg_err *err)
{
	(void)path;
	(void)err;
	pg_str_adds(out, ctx);
	return 0;
}

static inline void fake_report(void *ctx, const struct pg_err *e, bool note)
{
	(void)ctx;
	if (!note)
		fprintf(stderr, "%s:%u:%u: %s\n", e->loc.file ? e->loc.file : "", e->loc.line, e->loc.col, e->msg);
}

/* A plan from text; ends the test when it is wrong. */
static inline struct pg_plan *fake_world_plan(const char *text)
{
	static const struct pg_machine machine = {.word = {2, 2, 1, 1, 1}};
	static const struct pg_plan_opts opts = {.quick = false};
	struct pg_diag d = {.report = fake_report};
	char *copy = strdup(text);
	struct pg_plan_input in = {
		.file = "test.yaml",
		.read = fake_read,
		.read_ctx = copy,
		.suites = pg_suites,
		.machine = &machine,
		.opts = &opts,
	};
	struct pg_plan *plan = NULL;
	int r = pg_plan_load(&in, &plan, &d);

	free(copy);
	ck_assert_int_eq(r, 0);
	return plan;
}

#define CLI(f, ...) fake_world_cli(f, (const char *const[]){__VA_ARGS__, NULL})

/* A file with that text. */
static inline void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static inline int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

/* Each test in a directory of its own, with a scenario of two cells. */
static inline void enter(struct fake_world *f)
{
	fake_world_open(f);
	strcpy(f->dir, "/tmp/pg-cli-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(f->dir));
	ck_assert_int_eq(chdir(f->dir), 0);
	put("a.yaml", "perfgrid: 1\n"
		      "name: a\n"
		      "sweeps:\n"
		      "  - {name: s, suite: noop, vary: {first: [1, 2]}, repeat: 3, warmup: 1}\n");
}

static inline void leave(struct fake_world *f)
{
	fake_world_close(f);
	ck_assert_int_eq(chdir("/"), 0);
	nftw(f->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* got holds the text want; "" = it must be empty, NULL = whatever. */
static inline void expect(const char *what, const char *got, const char *want)
{
	if (!want)
		return;
	if (!*want)
		ck_assert_msg(!*got, "%s is not empty: %s", what, got);
	ck_assert_msg(strstr(got, want) != NULL, "%s lacks '%s': %s", what, want, got);
}

#endif
