/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A rep that is divided into batches, and the clock of its CPU. */
#include "tests/support/pgtest.h"

#include <sched.h>
#include <stdio.h>

#include "tests/support/fake_bench.h"
#include "tests/support/fake_root.h"

#include "base/str.h"
#include "engine/rep.h"

static struct pg_rep_page page;

/*
 * Batches. The bench has no clock: in its nth timed batch an operation takes paces[n] ns. The first timed batch is the
 * first call with one operation more than the calls before it.
 */
struct paced_conf {
	uint64_t before, loops, fail_at; /* fail_at: 1 = at once, n = the nth timed batch fails; 0 = none */
};

static struct {
	const int64_t *paces;
	uint64_t calls, first, ops[PG_BATCHES_MAX], batches;
	const void *teardown_conf;
} paced;

enum { PACED_RATE, PACED_TIME, PACED_BYTES, PACED_FLOOR, PACED_CALLS };

/* The headline as a time of something, and as a rate. */
#define PACED_ROWS(NUM, DEN)                                                                                           \
	{                                                                                                              \
		[PACED_RATE] = {.name = "rate",                                                                        \
				.doc = "d",                                                                            \
				.unit = PG_U_COUNT,                                                                    \
				.reduce = PG_RATIO,                                                                    \
				.num = (NUM),                                                                          \
				.den = (DEN),                                                                          \
				.flags = PG_M_MAIN | PG_M_BATCHED},                                                    \
		[PACED_TIME] = {.name = "time", .doc = "d", .unit = PG_U_S, .reduce = PG_SUM, .flags = PG_M_BATCHED},  \
		[PACED_BYTES] = {.name = "bytes", .doc = "d", .unit = PG_U_B, .reduce = PG_SUM},                       \
		[PACED_FLOOR] = PG_FLOOR_ROW,                                                                          \
		[PACED_CALLS] = {.name = "calls", .doc = "d", .unit = PG_U_COUNT, .reduce = PG_SUM}, {.name = NULL},   \
	}
static const struct pg_metric paced_rates[] = PACED_ROWS(PACED_BYTES, PACED_TIME);
static const struct pg_metric paced_times[] = PACED_ROWS(PACED_TIME, PACED_BYTES);

static const struct pg_param paced_params[] = {
	{.name = "before", .doc = "d", .def = "1", PG_AT_COUNT(struct paced_conf, before)},
	{.name = "loops",
	 .doc = "d",
	 .def = "1",
	 .choices = fb_auto,
	 .role = PG_OPS,
	 PG_AT_COUNT(struct paced_conf, loops)},
	{.name = NULL},
};

static int paced_setup(struct pg_run *run, struct pg_err *err)
{
	(void)err;
	run->state = (void *)(uintptr_t)run->conf;
	return 0;
}

static int paced_once(struct pg_run *run, struct pg_err *err)
{
	const struct paced_conf *conf = run->conf;
	int64_t pace = 1;

	paced.calls++;
	if (conf->fail_at == 1 || (conf->fail_at > 1 && paced.batches + 1 == conf->fail_at))
		return pg_fail(err, PG_EFAILED, "the bench said no");
	if (paced.first == 0)
		paced.first = conf->loops;
	if (conf->loops > paced.first || paced.batches > 0) {
		ck_assert_uint_lt(paced.batches, PG_BATCHES_MAX);
		pace = paced.paces[paced.batches];
		paced.ops[paced.batches++] = conf->loops;
	}
	run->timed_ns = pace * (int64_t)conf->loops;
	pg_record(run, PACED_TIME, run->timed_ns);
	pg_record(run, PACED_BYTES, 10 * (int64_t)conf->loops);
	pg_record(run, PACED_CALLS, 1);
	return 0;
}

static void paced_teardown(struct pg_run *run)
{
	paced.teardown_conf = run->conf == run->state ? run->conf : NULL;
}

static struct pg_bench paced_bench(const struct pg_metric *rows)
{
	return (struct pg_bench){
		.name = "paced",
		.params = paced_params,
		.metrics = rows,
		.conf_size = sizeof(struct paced_conf),
		.setup = paced_setup,
		.once = paced_once,
		.teardown = paced_teardown,
		.batchable = true,
	};
}

static const int64_t paces[] = {9000, 500, 40, 700, 30, 600, 5000, 50, 800, 900};
#define PACES 10

static int run_paced(const struct pg_metric *rows, const struct paced_conf *conf, uint32_t batches)
{
	struct pg_bench bench = paced_bench(rows);

	memset(&paced, 0, sizeof(paced));
	paced.paces = paces;
	page = (struct pg_rep_page){.rep = 1, .batches = batches};
	return pg_rep_run(&bench, conf, 1, "", &page);
}

START_TEST(batches)
{
	const struct paced_conf conf = {77, 1003, 0};
	int64_t time = 0;

	ck_assert_int_eq(run_paced(_i ? paced_rates : paced_times, &conf, PACES), 0);
	ck_assert_uint_eq(page.n_batches, PACES);
	ck_assert_uint_eq(paced.batches, PACES);
	for (int i = 0; i < PACES; i++) {
		ck_assert_uint_eq(paced.ops[i], i < 3 ? 101 : 100);
		time += paces[i] * (int64_t)paced.ops[i];
	}
	/* The sums are those of one call, warm-up is in none of them. */
	ck_assert_int_eq(fb_sample(&page, PACED_TIME).raw, time);
	ck_assert_int_eq(fb_sample(&page, PACED_BYTES).raw, 10030);
	ck_assert_int_eq(fb_sample(&page, PACED_CALLS).raw, PACES);
	ck_assert_uint_gt(paced.calls, PACES);
	ck_assert_int_eq(page.once_ns, time);
	ck_assert_int_eq(page.batch_ns, 3000);
	/* Mean of the best 2 of 10: 30 and 40 ns an operation, which is ten bytes; in units of 1e-18 s. */
	ck_assert_int_eq(fb_sample(&page, PACED_FLOOR).raw, INT64_C(3500000000));
	ck_assert_int_eq(fb_sample(&page, PACED_FLOOR).exp10, -18);
	ck_assert_ptr_eq(paced.teardown_conf, &conf);
}
END_TEST

/* The best of the batches says how long all of them would take. */
START_TEST(calibrating)
{
	const struct paced_conf conf = {0, 1003, 0};
	struct pg_bench bench = paced_bench(paced_rates);
	struct pg_sample s;

	memset(&paced, 0, sizeof(paced));
	paced.paces = paces;
	paced.first = 1; /* the first call counts: there is no warm-up */
	page = (struct pg_rep_page){.rep = 1, .batches = 4, .calibrate = true};
	ck_assert_int_eq(pg_rep_run(&bench, &conf, 1, "", &page), 0);
	ck_assert_uint_eq(paced.calls, 4);
	ck_assert_uint_eq(paced.ops[0], 251);
	ck_assert_uint_eq(paced.ops[3], 250);
	ck_assert_int_eq(page.once_ns, 40 * 1003);
	ck_assert_int_eq(fb_sample(&page, PACED_BYTES).raw, 10030);
	ck_assert(!fb_has_sample(&page, PACED_FLOOR, &s));
}
END_TEST

/* Never more batches than operations; with few of them the best one is the floor. */
START_TEST(few_operations)
{
	const struct paced_conf one = {0, 1, 0};

	ck_assert_int_eq(run_paced(paced_rates, &one, 8), 0);
	ck_assert_uint_eq(page.n_batches, 1);
	ck_assert_int_eq(fb_sample(&page, PACED_TIME).raw, 1);
	ck_assert_int_eq(fb_sample(&page, PACED_BYTES).raw, 10);
	ck_assert_int_eq(fb_sample(&page, PACED_FLOOR).raw, 100000000); /* 1 ns for 10 bytes */
	ck_assert_uint_ge(paced.calls, 2);
}
END_TEST

/* As the drop-ins and a number of loops have it. */
START_TEST(no_batches)
{
	struct pg_bench bench = paced_bench(paced_rates);
	const struct paced_conf conf = {0, 1000, 0};
	struct pg_sample s;

	ck_assert_int_eq(run_paced(paced_rates, &conf, 0), 0);
	ck_assert_uint_eq(paced.calls, 1);
	ck_assert_uint_eq(page.n_batches, 1);
	ck_assert_int_eq(page.batch_ns, 1000);
	ck_assert_int_eq(page.once_ns, 1000);
	ck_assert(!fb_has_sample(&page, PACED_FLOOR, &s));
	/* Asked for where the bench cannot: once as well. */
	bench.batchable = false;
	memset(&paced, 0, sizeof(paced));
	page = (struct pg_rep_page){.rep = 1, .batches = 8};
	ck_assert_int_eq(pg_rep_run(&bench, &conf, 1, "", &page), 0);
	ck_assert_uint_eq(paced.calls, 1);
	/* What no clock has timed has no batches. */
	bench.computed = true;
	page = (struct pg_rep_page){.rep = 1};
	ck_assert_int_eq(pg_rep_run(&bench, &conf, 1, "", &page), 0);
	ck_assert_uint_eq(page.n_batches, 0);
}
END_TEST

START_TEST(batches_that_fail)
{
	struct paced_conf conf = {0, 1003, 1};

	/* In the warm-up. */
	ck_assert_int_eq(run_paced(paced_rates, &conf, 8), -1);
	ck_assert_str_eq(page.err.msg, "the bench said no");
	ck_assert_uint_eq(paced.calls, 1);
	ck_assert_uint_eq(page.n, 0);
	ck_assert_ptr_eq(paced.teardown_conf, &conf);
	/* Later. */
	conf.fail_at = 3;
	ck_assert_int_eq(run_paced(paced_rates, &conf, 8), -1);
	ck_assert_uint_eq(paced.batches, 2);
	ck_assert_uint_eq(page.n, 0);
	ck_assert_uint_eq(page.n_batches, 0);
	ck_assert_ptr_eq(paced.teardown_conf, &conf);
}
END_TEST

START_TEST(batch_counts)
{
	static const struct {
		int64_t sample_time_ns;
		uint64_t ops;
		uint32_t batches;
	} cases[] = {
		{50000000, 1000000, 33},
		{50000000, 33, 33},
		{50000000, 32, 32},
		{50000000, 1, 1},
		{12000000, 1000, 8},
		{1000, 1000, 8},
		{1000, 7, 7},
		{13500000, 1000, 9},
		{384000000, UINT64_MAX, 256},
		{INT64_C(10000000000), 300, 256},
		{0, 100, 8},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		ck_assert_uint_eq(pg_rep_batches(cases[i].sample_time_ns, cases[i].ops), cases[i].batches);
}
END_TEST

/* The clock of every CPU of a made-up machine; a rep slows them down. */
static char machine[FAKE_ROOT];

static void set_clock(const char *khz)
{
	cpu_set_t cpus;

	sched_getaffinity(0, sizeof(cpus), &cpus);
	for (size_t c = 0; c < CPU_SETSIZE; c++) {
		char path[128];

		if (!CPU_ISSET(c, &cpus))
			continue;
		snprintf(path, sizeof(path), "sys/devices/system/cpu/cpu%zu/cpufreq/scaling_cur_freq", c);
		fr_put(machine, path, khz);
	}
}

static int slowing_once(struct pg_run *run, struct pg_err *err)
{
	set_clock("1200000\n");
	return paced_once(run, err);
}

START_TEST(frequency)
{
	struct pg_bench bench = paced_bench(paced_rates);
	const struct paced_conf conf = {0, 1000, 0};

	fr_make(machine);
	memset(&paced, 0, sizeof(paced));
	bench.once = slowing_once;
	set_clock("3000000\n");
	page = (struct pg_rep_page){.rep = 1, .frequency = true};
	ck_assert_int_eq(pg_rep_run(&bench, &conf, 1, machine, &page), 0);
	ck_assert_int_eq(page.khz[0], 3000000);
	ck_assert_int_eq(page.khz[1], 1200000);
	/* Not asked for, and not there. */
	page = (struct pg_rep_page){.rep = 1};
	ck_assert_int_eq(pg_rep_run(&bench, &conf, 1, machine, &page), 0);
	ck_assert(page.khz[0] == 0 && page.khz[1] == 0);
	fr_remove(machine);
	bench.once = paced_once;
	page = (struct pg_rep_page){.rep = 1, .frequency = true};
	ck_assert_int_eq(pg_rep_run(&bench, &conf, 1, machine, &page), 0);
	ck_assert(page.khz[0] == 0 && page.khz[1] == 0);
}
END_TEST

PG_TEST_MAIN("engine_batches", ((const struct pg_test[]){
				       {batches, 2},
				       {calibrating, 0},
				       {few_operations, 0},
				       {no_batches, 0},
				       {batches_that_fail, 0},
				       {batch_counts, 0},
				       {frequency, 0},
				       {NULL, 0},
			       }))
