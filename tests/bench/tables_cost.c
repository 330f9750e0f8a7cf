/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The way from a journal to all CSVs: 100,000 cells of one rep each (noop over three axes, one table), best of 3, the
 * files in the page cache as they are after a run. Also what a record costs when it is written. Its argument, the
 * program, is not used. Files stand below TMPDIR or /tmp (1 GB) and are removed. Exit 1 when a limit is passed.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/str.h"
#include "plan/plan.h"
#include "registry/registry.h"
#include "store/store.h"

#define TRIES	3
#define LIMIT_S 2

static const char scenario[] =
	"perfgrid: 1\n"
	"name: cost\n"
	"defaults: {repeat: 1, warmup: 0}\n"
	"sweeps:\n"
	"  - name: cost\n"
	"    suite: noop\n"
	"    vary: {first: 1..100, second: 1..100, interval: [1us, 2us, 3us, 4us, 5us, 6us, 7us, 8us, 9us, 10us]}\n"
	"    tables:\n"
	"      - {rows: [first, interval], columns: second, value: time_per_op}\n";

static int read_text(void *ctx, const char *path, struct pg_str *out, struct pg_err *err)
{
	(void)ctx;
	(void)path;
	(void)err;
	pg_str_adds(out, scenario);
	return 0;
}

static void report(void *ctx, const struct pg_err *e, bool note)
{
	(void)ctx;
	fprintf(stderr, "%s%u:%u: %s\n", note ? "note: " : "", e->loc.line, e->loc.col, e->msg);
}

static _Noreturn void give_up(const struct pg_err *err)
{
	fprintf(stderr, "tables_cost: %s\n", err->msg);
	exit(1);
}

static double seconds(void)
{
	return (double)pg_now_ns() * 1e-9;
}

static double cpu_seconds(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

static struct pg_plan *load(const struct pg_run_info *info)
{
	struct pg_diag d = {.report = report};
	struct pg_plan_input in = {
		.file = "cost.yaml",
		.read = read_text,
		.suites = pg_suites,
		.machine = &info->machine,
		.opts = &info->opts,
		.version = "bench",
	};
	struct pg_plan *p = NULL;

	if (pg_plan_load(&in, &p, &d) != 0)
		exit(1);
	return p;
}

/* Times of about 1 ms, different in every rep; counts of about 1000. */
static void fill(struct pg_outcome *o, const struct pg_cell *c, int64_t ns)
{
	o->n = 0;
	for (size_t m = 0; m < c->n_metrics; m++) {
		bool time = c->metrics[m].unit == PG_U_S;

		if (c->metrics[m].reduce != PG_RATIO)
			o->s[o->n++] =
				(struct pg_sample){.raw = time ? ns + (int64_t)m * 12345 : 1000 + ns % 97 + (int64_t)m,
						   .metric = (uint32_t)m,
						   .exp10 = (int8_t)pg_unit_exp(c->metrics[m].unit)};
	}
	for (int f = 0; f < PG_FACTS; f++)
		o->facts[f] = f == PG_F_T_MONO || f == PG_F_T_WALL ? INT64_C(1764000000000000000) + ns : ns % 13;
	o->facts[PG_F_LOOPS] = 1;
	o->facts[PG_F_EXIT] = PG_FACT_ABSENT;
}

/* The run: every cell once. Returns seconds for the records. */
static double run(const struct pg_store_opts *opts, struct pg_plan *plan)
{
	struct pg_cell_buf *buf = pg_cell_buf_new(plan);
	struct pg_outcome *o = calloc(1, sizeof(*o));
	const struct pg_observer *obs;
	struct pg_store *s;
	struct pg_err err;
	double start;

	if (!buf || !o || pg_store_create(opts, plan, &s, &err) != 0 || pg_store_session(s, &err) != 0)
		give_up(&err);
	obs = pg_store_observer(s);
	start = seconds();
	for (size_t i = 0; i < pg_plan_cells(plan); i++) {
		const struct pg_cell *c = pg_plan_cell(plan, i, buf);
		struct pg_rep_record rec = {.cell = i,
					    .cell_id = c->id,
					    .round = 1,
					    .position = (uint32_t)i,
					    .attempt = 1,
					    .rep = 1,
					    .out = o};

		fill(o, c, 1000000 + (int64_t)(i * 7919 % 1000003));
		if (obs->rep_done(obs->ctx, c, &rec, &err) != 0)
			give_up(&err);
	}
	start = seconds() - start;
	pg_store_close(s);
	pg_cell_buf_free(buf);
	free(o);
	return start;
}

static void empty(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;

	while (d && (e = readdir(d))) {
		char path[1024];

		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		if (e->d_name[0] != '.' && unlink(path) != 0)
			(void)rmdir(path);
	}
	if (d)
		closedir(d);
	(void)rmdir(dir);
}

static long long size_of(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	long long n = 0;

	while (d && (e = readdir(d))) {
		struct stat st;

		if (fstatat(dirfd(d), e->d_name, &st, 0) == 0 && S_ISREG(st.st_mode))
			n += st.st_size;
	}
	if (d)
		closedir(d);
	return n;
}

/* Seconds of one way from opening to the last file. */
static double rebuild(const struct pg_store_opts *opts, double *part)
{
	struct pg_plan *plan = load(opts->info);
	struct pg_store *s;
	struct pg_err err;
	double start = seconds(), opened, replayed, end;

	if (pg_store_open(opts, plan, false, &s, &err) != 0)
		give_up(&err);
	opened = seconds();
	if (pg_store_replay(s, NULL, &err) != 0)
		give_up(&err);
	replayed = seconds();
	if (pg_store_write_all(s, NULL, PG_CSV_PLAIN, NULL, NULL, &err) != 0)
		give_up(&err);
	end = seconds();
	part[0] = opened - start;
	part[1] = replayed - opened;
	part[2] = end - replayed;
	pg_store_close(s);
	pg_plan_free(plan);
	return end - start;
}

int main(void)
{
	struct pg_run_info info = {
		.name = "cost", .label = "", .version = "bench", .build = "", .scenario = "cost.yaml"};
	struct pg_store_opts opts = {.root = "", .clock = pg_clock_real(), .info = &info};
	const char *tmp = getenv("TMPDIR");
	char dir[512], files[600];
	double part[3], best[3] = {0}, wall = 1e9, cpu = 1e9, record;
	struct pg_plan *plan;
	bool ok;

	snprintf(dir, sizeof(dir), "%s/tables-cost.%d", tmp ? tmp : "/tmp", (int)getpid());
	snprintf(files, sizeof(files), "%s/files", dir);
	opts.dir = dir;
	plan = load(&info);
	record = 1e6 * run(&opts, plan) / (double)pg_plan_cells(plan);
	pg_plan_free(plan);
	for (int i = 0; i < TRIES; i++) {
		double before = cpu_seconds(), t = rebuild(&opts, part), used = cpu_seconds() - before;

		cpu = used < cpu ? used : cpu;
		if (t < wall) {
			wall = t;
			memcpy(best, part, sizeof(best));
		}
	}
	ok = wall <= LIMIT_S;
	printf("| 100,000 records of one rep to all CSVs (%.0f MB), best of %d | %.2f s: open %.2f, journal %.2f, "
	       "files %.2f; CPU time %.2f s "
	       "| at most %d s | %s |\n",
	       (double)size_of(dir) * 1e-6, TRIES, wall, best[0], best[1], best[2], cpu, LIMIT_S,
	       ok ? "ok" : "TOO DEAR");
	printf("| one record into journal and samples | %.1f us | - | - |\n", record);
	empty(files);
	empty(dir);
	return !ok;
}
