/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a rep costs above what cannot be avoided: paired blocks, one of each kind after the other in changing order,
 * median of the paired differences. rep_cost [PERFGRID]: the file that reps by exec start, else this one. Exit 1 when a
 * limit is passed.
 */
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/err.h"
#include "base/topo.h"
#include "engine/child.h"
#include "engine/rep.h"
#include "registry/registry.h"
#include "stats/stats.h"

#define BLOCKS	   40
#define EACH	   25 /* starts in a block */
#define PLAN_BYTES ((size_t)20 << 20)

extern char **environ;

static const char *self;
static struct pg_executor executor;
static struct pg_job job;

static void die(const char *what)
{
	fprintf(stderr, "rep_cost: %s\n", what);
	exit(2);
}

static void bare_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
}

static void spawn_wait(char **argv, const char *path)
{
	pid_t pid;

	if (posix_spawn(&pid, path, NULL, NULL, argv, environ) != 0)
		die("posix_spawn");
	waitpid(pid, NULL, 0);
}

static void bare_true(void)
{
	char name[] = "true";
	char *argv[] = {name, NULL};

	spawn_wait(argv, "/bin/true");
}

/* The same file as the rep, which ends at once for want of arguments. */
static void bare_self(void)
{
	char name[] = "perfgrid", rep[] = PG_REP_ARG;
	char *argv[] = {name, rep, NULL};

	spawn_wait(argv, self);
}

static void one_rep(void)
{
	struct pg_outcome out;
	struct pg_err err;

	if (executor.run(executor.ctx, &job, &out, &err) < 0)
		die(err.msg);
	if (out.status != PG_ST_OK)
		die(out.why);
}

static double block(void (*fn)(void))
{
	int64_t t = pg_now_ns();

	for (int i = 0; i < EACH; i++)
		fn();
	return (double)pg_since(pg_now_ns(), t) / EACH / 1000;
}

struct row {
	const char *name, *base_name;
	void (*base)(void);
	double limit; /* us above the base, or times the base */
	bool ratio;
};

/*
 * A machine on which a bare fork takes longer than this is slower than the one for which the limits in us were set, or
 * not at rest. Costs only grow there: to stay below the limit counts, to pass it says nothing, and the ratio stands
 * beside it.
 */
#define QUIET_FORK_US 300

static double bare_fork_us; /* median of the first row */

/* value: in the row's unit; times: cost over base. */
static int judge(const struct row *row, double value, double times)
{
	bool ok = value <= row->limit;
	bool judged = ok || row->ratio || bare_fork_us <= QUIET_FORK_US;
	const char *unit = row->ratio ? "times" : "us above";

	printf(" | %.*f %s", row->ratio ? 2 : 1, value, unit);
	if (!row->ratio)
		printf(" (%.2f times)", times);
	printf(" | %.*f %s | %s |\n", row->ratio ? 2 : 0, row->limit, unit,
	       !judged ? "machine too slow or too busy to tell"
	       : ok    ? "ok"
		       : "TOO DEAR");
	fflush(stdout);
	return judged && !ok;
}

static int measure(const struct row *row)
{
	double cost[BLOCKS], base[BLOCKS], above[BLOCKS];

	block(row->base);
	block(one_rep);
	for (int i = 0; i < BLOCKS; i++) {
		if (i % 2)
			base[i] = block(row->base);
		cost[i] = block(one_rep);
		if (i % 2 == 0)
			base[i] = block(row->base);
		above[i] = row->ratio ? cost[i] / base[i] : cost[i] - base[i];
	}
	pg_sort(cost, BLOCKS);
	pg_sort(base, BLOCKS);
	pg_sort(above, BLOCKS);
	if (row->base == bare_fork)
		bare_fork_us = pg_median(base, BLOCKS);
	printf("| %s: %.1f us, %s: %.1f us", row->name, pg_median(cost, BLOCKS), row->base_name,
	       pg_median(base, BLOCKS));
	return judge(row, pg_median(above, BLOCKS), pg_median(cost, BLOCKS) / pg_median(base, BLOCKS));
}

static void make_cell(const struct pg_bench *bench, struct pg_arena *a, struct pg_cell *cell)
{
	struct pg_metric *rows;
	struct pg_value *vals;
	size_t n = pg_param_count(bench->params), k = pg_metric_count(bench->metrics);
	struct pg_err err;

	vals = pg_arena_array(a, n + 1, sizeof(*vals));
	rows = pg_arena_array(a, k + PG_ENGINE_METRICS + 1, sizeof(*rows));
	if (!vals || !rows)
		die("out of memory");
	for (size_t i = 0; i < n; i++) {
		const char *def = bench->params[i].def;

		if (def && pg_value_parse(&bench->params[i], def, strlen(def), a, &vals[i], &err) < 0)
			die(err.msg);
	}
	memcpy(rows, bench->metrics, k * sizeof(*rows));
	memcpy(rows + k, pg_engine_metrics, (PG_ENGINE_METRICS + 1) * sizeof(*rows));
	*cell = (struct pg_cell){
		.id = 1,
		.bench = bench,
		.params = bench->params,
		.n_params = n,
		.metrics = rows,
		.n_bench_metrics = k,
		.n_metrics = k + PG_ENGINE_METRICS,
		.vals = vals,
	};
}

static int run(struct pg_arena *a)
{
	static const char *const words[] = {"/bin/true"};
	static const struct pg_param no_params[] = {{.name = NULL}};
	struct pg_rules rules = {.timeout_ns = 600000000000, .process = PG_PROC_FORK};
	struct pg_program program = {.command = {words, 1}};
	struct pg_runkeys keys = {.pin = NULL};
	struct pg_cell noop, prog;
	void *plan;
	int bad = 0;

	make_cell(pg_bench_find("noop"), a, &noop);
	noop.rules = &rules;
	noop.keys = &keys;
	prog = noop;
	prog.params = no_params;
	prog.n_params = 0;
	prog.metrics = pg_engine_metrics;
	prog.n_bench_metrics = 0;
	prog.n_metrics = PG_ENGINE_METRICS;
	prog.program = &program;

	job = (struct pg_job){.cell = &noop, .ops = 1, .seed = 1, .rep = 1, .attempt = 1};
	bad += measure(&(struct row){"noop by fork", "bare fork", bare_fork, 1.5, true});
	plan = pg_big_alloc(PLAN_BYTES);
	if (!plan)
		die("out of memory");
	memset(plan, 1, PLAN_BYTES);
	bad += measure(&(struct row){"noop by fork beside a plan of 20 MiB", "bare fork", bare_fork, 1.5, true});
	rules.process = PG_PROC_EXEC;
	bad += measure(&(struct row){"noop by exec", "posix_spawn of the same file", bare_self, 100, false});
	job.cell = &prog;
	bad += measure(&(struct row){"exec of /bin/true", "posix_spawn and wait", bare_true, 50, false});
	pg_big_free(plan, PLAN_BYTES);
	return bad;
}

int main(int argc, char **argv)
{
	struct pg_child_opts opts = {.root = "", .environ = environ, .clock = pg_clock_real()};
	struct pg_child *child;
	struct pg_topo topo;
	struct pg_arena arena;
	struct pg_err err;
	int bad;

	if (argc > 1 && strcmp(argv[1], PG_REP_ARG) == 0)
		return pg_rep_main(argc, argv, pg_bench_find);
	self = argc > 1 ? argv[1] : "/proc/self/exe";
	opts.self = self;
	if (pg_topo_load("", NULL, &topo, &err) < 0)
		die(err.msg);
	opts.topo = &topo;
	if (pg_child_open(&child, &opts, &err) < 0)
		die(err.msg);
	executor = pg_child_executor(child);
	pg_arena_init(&arena, true);
	bad = run(&arena);
	pg_arena_release(&arena);
	pg_child_close(child);
	pg_topo_release(&topo);
	return bad ? 1 : 0;
}
