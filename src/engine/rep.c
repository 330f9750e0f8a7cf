/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The hooks of a bench in their order, timed around `once`, and the numbers they recorded as samples in the page.
 */
#include "engine/rep.h"

#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/num.h"
#include "base/str.h"
#include "engine/cgroup.h"
#include "stats/stats.h"

#define USAGE	     2
#define BATCH_NS     INT64_C(1500000) /* a clock may be trusted from 1 ms on: not at the border of that */
#define BATCHES_MIN  8
#define WARM_NS	     INT64_C(10000000)
#define FLOOR_PER_NS 1e9 /* PG_FLOOR_EXP */

const char *pg_phase_name(unsigned phase)
{
	static const char *const names[] = {
		[PG_PHASE_START] = "start",	[PG_PHASE_CHECK] = "check",	  [PG_PHASE_SETUP] = "setup",
		[PG_PHASE_MEASURE] = "measure", [PG_PHASE_TEARDOWN] = "teardown", [PG_PHASE_END] = "end",
	};

	return phase < sizeof(names) / sizeof(names[0]) ? names[phase] : "an unknown phase";
}

/* A hook that fails without saying why is our own mistake, but the rep's reason must not be empty. */
static void take_error(struct pg_rep_page *page, const struct pg_err *err)
{
	page->failed = -1;
	page->err = *err;
	page->err.loc.file = NULL;
	if (page->err.msg[0] == '\0')
		pg_fail(&page->err, PG_EFAILED, "failed in %s without a reason", pg_phase_name(page->phase));
}

static int64_t mean(int64_t sum, uint64_t n)
{
	int64_t d = (int64_t)n, q = sum / d, r = sum % d;

	if (r > 0 && r >= d - r)
		return q + 1;
	if (r < 0 && -r >= d + r)
		return q - 1;
	return q;
}

static void reduce(const struct pg_run *run, struct pg_rep_page *page)
{
	page->n = 0;
	for (unsigned i = 0; i < PG_RUN_SAMPLES && run->metrics[i].name; i++) {
		struct pg_sample *s = &page->s[page->n];

		if (run->acc[i].n == 0)
			continue;
		s->metric = i;
		s->exp10 =
			(int8_t)(run->metrics[i].flags & PG_M_FLOOR ? PG_FLOOR_EXP : pg_unit_exp(run->metrics[i].unit));
		s->missing = false;
		s->raw = run->metrics[i].reduce == PG_MEAN ? mean(run->acc[i].raw, run->acc[i].n) : run->acc[i].raw;
		page->n++;
	}
}

uint32_t pg_rep_batches(int64_t sample_time_ns, uint64_t ops)
{
	int64_t n = sample_time_ns / BATCH_NS;

	n = n < BATCHES_MIN ? BATCHES_MIN : n > PG_BATCHES_MAX ? PG_BATCHES_MAX : n;
	return ops < (uint64_t)n ? (uint32_t)ops : (uint32_t)n;
}

/* kHz of the CPU this process is on, 0 = not known. */
static int64_t cpu_khz(const char *root)
{
	char path[PATH_MAX], text[32];
	int cpu = sched_getcpu();

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq", root, cpu);
	return cpu >= 0 && pg_read_small(path, text, sizeof(text)) == 0 ? strtoll(text, NULL, 10) : 0;
}

/* *ns: what the bench has timed of it, or all of it. */
static int call_once(const struct pg_bench *bench, struct pg_run *run, int64_t *ns, struct pg_err *err)
{
	int64_t t;
	int r;

	run->timed_ns = 0;
	t = pg_now_ns();
	r = bench->once(run, err);
	t = pg_since(pg_now_ns(), t);
	*ns = run->timed_ns > 0 ? run->timed_ns : t;
	return r;
}

/* The bench's state as it is between batches: caches, predictors, frequency. What is recorded is dropped. */
static int warm_up(const struct pg_bench *bench, struct pg_run *run, struct pg_err *err)
{
	int64_t begin = pg_now_ns(), ns;
	int r;

	do
		r = call_once(bench, run, &ns, err);
	while (r == 0 && pg_since(pg_now_ns(), begin) < WARM_NS);
	memset(run->acc, 0, sizeof(run->acc));
	return r;
}

/* Where the headline of a batchable bench has its time and what it counts; its floor. */
struct rows {
	unsigned time, units, floor;
};

static struct rows rows_of(const struct pg_bench *bench)
{
	const struct pg_metric *rows = bench->metrics, *headline = &rows[pg_metric_main(rows, true)];
	bool rate = rows[headline->den].flags & PG_M_BATCHED;
	struct rows r = {rate ? headline->den : headline->num, rate ? headline->num : headline->den, 0};

	while (!(rows[r.floor].flags & PG_M_FLOOR))
		r.floor++;
	return r;
}

/* Mean of the best quarter of n times in ns. */
static void record_floor(struct pg_run *run, unsigned row, double *time, size_t n)
{
	size_t k = n / 4 > 0 ? n / 4 : 1;
	double sum = 0;

	pg_sort(time, n);
	for (size_t i = 0; i < k; i++)
		sum += time[i];
	sum *= FLOOR_PER_NS / (double)k;
	if (sum >= 1 && sum < 0x1p63)
		pg_record(run, row, (int64_t)(sum + 0.5));
}

static uint64_t batches_of(const struct pg_rep_page *page, uint64_t ops)
{
	uint64_t n = page->batches < PG_BATCHES_MAX ? page->batches : PG_BATCHES_MAX;

	n = n < ops ? n : ops;
	return n > 0 ? n : 1;
}

/*
 * `ops` is the field of a conf of run's own that says how long a batch is. When calibrating, once_ns is what all would
 * take at the pace of the best: one that was interrupted must not end the search for a count.
 */
static int run_batches(const struct pg_bench *bench, struct pg_run *run, uint64_t *ops, struct pg_rep_page *page,
		       struct pg_err *err)
{
	const uint64_t all = *ops, n = batches_of(page, all), each = all / n, longer = all % n;
	const struct rows rows = rows_of(bench);
	double times[PG_BATCHES_MAX], best = 0;
	int64_t ns;

	*ops = each;
	if (!page->calibrate && warm_up(bench, run, err) < 0)
		return -1;
	page->khz[0] = page->frequency ? cpu_khz(run->root) : 0;
	for (uint64_t i = 0; i < n; i++) {
		const int64_t time = run->acc[rows.time].raw, units = run->acc[rows.units].raw;

		*ops = each + (i < longer);
		if (call_once(bench, run, &ns, err) < 0)
			return -1;
		page->once_ns += ns;
		if (i == 0 || ns < page->batch_ns)
			page->batch_ns = ns;
		if (i == 0 || (double)ns < best * (double)*ops)
			best = (double)ns / (double)*ops;
		times[i] = (double)(run->acc[rows.time].raw - time) / (double)(run->acc[rows.units].raw - units);
	}
	page->n_batches = (uint32_t)n;
	if (page->calibrate)
		page->once_ns = (int64_t)(best * (double)all);
	else
		record_floor(run, rows.floor, times, n);
	return 0;
}

/* Of the operation count in the conf: every batchable bench has one. */
static size_t ops_offset(const struct pg_bench *bench)
{
	const struct pg_param *row = bench->params;

	while (!(row->role & PG_OPS))
		row++;
	return row->offset;
}

static int measure_batches(const struct pg_bench *bench, struct pg_run *run, struct pg_rep_page *page,
			   struct pg_err *err)
{
	const void *conf = run->conf;
	char *own = malloc(bench->conf_size);
	int r;

	if (!own)
		return pg_fail_nomem(err);
	memcpy(own, conf, bench->conf_size);
	run->conf = own;
	r = run_batches(bench, run, (uint64_t *)(void *)(own + ops_offset(bench)), page, err);
	run->conf = conf;
	free(own);
	return r;
}

static int measure(const struct pg_bench *bench, struct pg_run *run, struct pg_rep_page *page, struct pg_err *err)
{
	int r;

	page->phase = PG_PHASE_MEASURE;
	if (page->batches > 0 && bench->batchable) {
		r = measure_batches(bench, run, page, err);
	} else {
		page->khz[0] = page->frequency ? cpu_khz(run->root) : 0;
		r = call_once(bench, run, &page->once_ns, err);
		page->n_batches = !bench->computed;
		page->batch_ns = page->once_ns;
	}
	page->khz[1] = page->frequency ? cpu_khz(run->root) : 0;
	return r;
}

int pg_rep_run(const struct pg_bench *bench, const void *conf, uint64_t seed, const char *root,
	       struct pg_rep_page *page)
{
	struct pg_run run = {.conf = conf, .seed = seed, .root = root, .metrics = bench->metrics};
	struct pg_err err = {.code = PG_OK};
	int r = 0;

	run.rep = page->rep ? page->rep : 1;
	run.attempt = page->attempt ? page->attempt : 1;
	run.log = page->log;
	page->phase = PG_PHASE_CHECK;
	if (bench->check)
		r = bench->check(conf, &err);
	if (r == 0) {
		page->phase = PG_PHASE_SETUP;
		if (bench->setup)
			r = bench->setup(&run, &err);
		if (r == 0)
			r = measure(bench, &run, page, &err);
		if (r < 0)
			take_error(page, &err);
		else
			reduce(&run, page);
		page->phase = PG_PHASE_TEARDOWN;
		if (bench->teardown)
			bench->teardown(&run);
	} else {
		take_error(page, &err);
	}
	page->phase = PG_PHASE_END;
	atomic_store_explicit(&page->done, 1, memory_order_release);
	return r < 0 ? -1 : 0;
}

static struct pg_rep_page *map_page(const char *fd_text)
{
	struct pg_rep_page *page;
	struct stat st;
	uint64_t fd;

	if (pg_parse_u64(fd_text, strlen(fd_text), &fd) != PG_NUM_OK || fd > INT32_MAX)
		return NULL;
	if (fstat((int)fd, &st) < 0 || st.st_size < (off_t)sizeof(*page))
		return NULL;
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, (int)fd, 0);
	close((int)fd); /* the bench finds 0-2 open and nothing else */
	return page == MAP_FAILED ? NULL : page;
}

/*
 * The kernel carries the size of whoever called exec over into ru_maxrss, so the watcher cannot learn the size of a
 * small program from wait4(): this one says it itself. Children of the rep were forked, their figures are their own.
 */
static int64_t peak_memory(void)
{
	static const char key[] = "VmHWM:";
	struct rusage ru;
	char buf[4096], *p;
	int64_t kib = 0;
	ssize_t n;
	int fd;

	fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	buf[n] = '\0';
	p = strstr(buf, key);
	if (p)
		kib = strtoll(p + sizeof(key) - 1, NULL, 10);
	if (kib > 0 && getrusage(RUSAGE_CHILDREN, &ru) == 0 && ru.ru_maxrss > kib)
		kib = ru.ru_maxrss;
	return kib * 1024;
}

static int run_args(int argc, char **argv, const struct pg_bench *bench, uint64_t seed, struct pg_rep_page *page)
{
	struct pg_err err = {.code = PG_OK};
	struct pg_arena arena;
	struct pg_str text;
	void *conf;
	int r = -1;

	pg_arena_init(&arena, false);
	pg_str_init(&text);
	for (int i = 6; i < argc; i++)
		pg_str_add(&text, argv[i], strlen(argv[i]) + 1);
	conf = pg_arena_alloc(&arena, bench->conf_size);
	if (!conf || text.failed)
		pg_fail_nomem(&err);
	else
		r = pg_conf_parse(bench->params, pg_str_text(&text), text.len, &arena, conf, &err);
	if (r == 0) {
		r = pg_rep_run(bench, conf, seed, argv[4], page);
		page->peak_bytes = peak_memory();
	} else {
		take_error(page, &err);
		atomic_store_explicit(&page->done, 1, memory_order_release);
	}
	pg_str_release(&text);
	pg_arena_release(&arena);
	return r;
}

int pg_rep_main(int argc, char **argv, const struct pg_bench *(*find)(const char *name))
{
	const struct pg_bench *bench;
	struct pg_rep_page *page;
	uint64_t seed;
	int r;

	if (argc < 6 || pg_parse_u64(argv[3], strlen(argv[3]), &seed) != PG_NUM_OK)
		return USAGE;
	bench = find(argv[5]);
	page = bench && bench->once ? map_page(argv[2]) : NULL;
	if (!page)
		return USAGE;
	pg_clock_plain = page->plain_clock;
	r = run_args(argc, argv, bench, seed, page);
	munmap(page, sizeof(*page));
	return r < 0 ? 1 : 0;
}
