/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The history file: written, read, what counts; and how often a comparison by it finds a difference where there is
 * none.
 */
#include <math.h>

#include "stats/family.h"
#include "stats/stats.h"
#include "store/compare_history.h"
#include "store/side.h"
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

#define PLAIN "perfgrid: 1\nname: kit\nsweeps:\n  - {name: s, suite: noop}\n"
#define S     INT64_C(1000000000)

START_TEST(paths)
{
	static const struct {
		const char *xdg, *home, *want;
	} rows[] = {
		{"/x/state", "/home/a", "/x/state/perfgrid/history.jsonl"},
		{"", "/home/a", "/home/a/.local/state/perfgrid/history.jsonl"},
		{"relative", "/home/a", "/home/a/.local/state/perfgrid/history.jsonl"},
		{NULL, "/home/a", "/home/a/.local/state/perfgrid/history.jsonl"},
		{NULL, NULL, ""},
		{NULL, "", ""},
	};
	struct pg_str path;

	pg_str_init(&path);
	pg_history_path(rows[_i].xdg, rows[_i].home, &path);
	ck_assert_str_eq(pg_str_text(&path), rows[_i].want);
	pg_str_release(&path);
}
END_TEST

static const struct pg_fingerprint here = {.trait = {[PG_T_CPU] = "A \"fast\" one", [PG_T_KERNEL] = "6.1"}};
static const struct pg_fingerprint there = {.trait = {[PG_T_CPU] = "A \"fast\" one", [PG_T_KERNEL] = "6.9"}};

static void append(const char *path, const struct pg_fingerprint *f, int64_t start_s, int64_t end_s,
		   struct pg_history_cell *cell, size_t n)
{
	const struct pg_history_session s = {
		.start_ns = start_s * S, .end_ns = end_s * S, .machine = *f, .cell = cell, .n = n};
	struct pg_err err;

	kit_ok(pg_history_append(path, &s, &err), &err);
}

static size_t count(const struct pg_history *h, const struct pg_fingerprint *f, unsigned but, uint64_t cell,
		    const char *metric)
{
	const struct pg_history_cell like = {.cell = cell, .metric = metric}, *found[32];

	ck_assert_uint_le(h->n, 32);
	return pg_history_find(h, f, but, &like, found);
}

START_TEST(written_and_read)
{
	struct pg_history_cell cells[] = {
		{.cell = 0x10, .metric = "time", .n = 20, .median = 1.25e-7, .best = 1e-7},
		{.cell = 0x20, .metric = "time", .sample_time_ns = 50000000, .n = 30, .median = 3, .best = 2},
	};
	const struct pg_history_cell *found[8];
	struct pg_history h;
	struct pg_err err;
	char path[128];
	struct kit k;

	kit_init(&k, PLAIN);
	snprintf(path, sizeof(path), "%s/a/b/history.jsonl", k.top);
	kit_ok(pg_history_read(path, &h, &err), &err);
	ck_assert_uint_eq(h.n, 0);
	pg_history_release(&h);
	append(path, &here, 1000, 1010, cells, 2);
	append(path, &there, 2000, 2010, cells, 1);
	/* What a crash or another program left. */
	snprintf(k.run, sizeof(k.run), "%s/a/b", k.top);
	kit_append(&k, "history.jsonl", "not json\n\n{\"perfgrid\":2}\n[]\n", 28);
	append(path, &here, 3000, 3010, cells, 2);
	kit_append(&k, "history.jsonl", "{\"perfgrid\":1,\"cells\":[{\"cell\":\"c00", 35);
	kit_ok(pg_history_read(path, &h, &err), &err);
	ck_assert_uint_eq(h.n, 3);
	ck_assert(h.session[2].start_ns == 3000 * S && h.session[2].end_ns == 3010 * S);
	ck_assert_uint_eq(pg_history_find(&h, &here, 0, &cells[1], found), 2);
	ck_assert(found[1]->n == 30 && fabs(found[1]->median - 3) < 1e-12 && fabs(found[0]->best - 2) < 1e-12);
	ck_assert_uint_eq(count(&h, &here, 0, 0x10, "time"), 2);
	ck_assert_uint_eq(count(&h, &here, 1u << PG_T_KERNEL, 0x10, "time"), 3);
	ck_assert_uint_eq(pg_history_find(&h, &there, 0, &cells[1], found), 0);
	/* Reps of another length. */
	cells[1].sample_time_ns /= 2;
	ck_assert_uint_eq(pg_history_find(&h, &here, 0, &cells[1], found), 0);
	ck_assert_uint_eq(count(&h, &here, 0, 0x20, "time"), 0);
	ck_assert_uint_eq(count(&h, &here, 0, 0x10, "rate"), 0);
	pg_history_release(&h);
	kit_end(&k);
}
END_TEST

/* Sessions in a row are one piece of weather; in whatever order they stand in the file. */
START_TEST(apart)
{
	static const struct {
		int64_t start, end; /* s */
		size_t count;	    /* with those above */
	} rows[] = {
		{1000, 1030, 1}, {1031, 1061, 1}, /* right behind */
		{1089, 1119, 1},		  /* 59 s after the first */
		{1090, 1120, 2},		  /* 60 s */
		{1180, 1210, 3}, {500, 530, 4},	  /* the clock was set */
		{925, 940, 5},			  /* 60 s before 1000; the later ones still count */
		{1300, 1310, 6},
	};
	struct pg_history_cell cell = {.cell = 0x10, .metric = "time", .n = 20, .median = 1, .best = 1};
	struct pg_history_cell other = {.cell = 0x20, .metric = "time", .n = 20, .median = 1, .best = 1};
	struct pg_history h;
	struct pg_err err;
	char path[128];
	struct kit k;

	kit_init(&k, PLAIN);
	snprintf(path, sizeof(path), "%s/history.jsonl", k.top);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		append(path, &here, rows[i].start, rows[i].end, &cell, 1);
		/* Sessions of other cells and other machines keep nobody away. */
		append(path, &here, rows[i].end + 1, rows[i].end + 2, &other, 1);
		append(path, &there, rows[i].start - 5, rows[i].start - 4, &cell, 1);
		kit_ok(pg_history_read(path, &h, &err), &err);
		ck_assert_uint_eq(count(&h, &here, 0, 0x10, "time"), rows[i].count);
		pg_history_release(&h);
	}
	kit_end(&k);
}
END_TEST

/* Lines without a start, and such that say nothing usable. */
START_TEST(odd_lines)
{
	static const char text[] =
		"{\"perfgrid\":1,\"t\":1000000000000,\"machine\":{},\"cells\":[{\"cell\":\"c0000000000000010\","
		"\"metric\":\"time\",\"n\":5,\"median\":\"1\",\"best\":\"1\"}]}\n"
		"{\"perfgrid\":1,\"from\":1030000000000,\"t\":1031000000000,\"machine\":{},\"cells\":[{\"cell\":"
		"\"c0000000000000010\",\"metric\":\"time\",\"n\":5,\"median\":\"1\",\"best\":\"1\"}]}\n"
		"{\"perfgrid\":1,\"t\":1100000000000,\"machine\":{},\"cells\":[{\"cell\":\"c0000000000000010\","
		"\"metric\":\"time\",\"n\":0,\"median\":\"1\",\"best\":\"1\"}]}\n"
		"{\"perfgrid\":1,\"t\":1200000000000,\"machine\":{},\"cells\":[{\"cell\":\"c0000000000000010\","
		"\"metric\":\"time\",\"n\":5,\"median\":\"-1\",\"best\":\"1\"}]}\n";
	static const struct pg_fingerprint unknown = {.trait = {NULL}};
	struct pg_history h;
	struct pg_err err;
	char path[128];
	struct kit k;

	kit_init(&k, PLAIN);
	snprintf(k.run, sizeof(k.run), "%s", k.top);
	kit_append(&k, "history.jsonl", text, sizeof(text) - 1);
	snprintf(path, sizeof(path), "%s/history.jsonl", k.top);
	kit_ok(pg_history_read(path, &h, &err), &err);
	ck_assert_uint_eq(h.n, 4);
	ck_assert_uint_eq(count(&h, &unknown, 0, 0x10, "time"), 1);
	pg_history_release(&h);
	kit_end(&k);
}
END_TEST

START_TEST(no_place_for_it)
{
	const struct pg_history_session one = {.machine = here};
	struct pg_history h;
	struct pg_err err;
	char path[128];
	struct kit k;

	kit_init(&k, PLAIN);
	snprintf(k.run, sizeof(k.run), "%s", k.top);
	kit_append(&k, "file", "x", 1);
	snprintf(path, sizeof(path), "%s/file/history.jsonl", k.top);
	ck_assert_int_eq(pg_history_append(path, &one, &err), -1);
	ck_assert_int_eq(pg_history_read(k.top, &h, &err), -1);
	kit_end(&k);
}
END_TEST

/* ---- false alarms ---- */

/* A program that never changes, on a machine with that noise. Sessions of one shape lie apart by their reps alone,
 * those with weather by more. */
struct machine {
	const char *name;
	double (*rep)(struct pg_rng *rng);
	double weather; /* standard deviation of a factor common to a session's reps, as a log */
};

static double normal(struct pg_rng *rng)
{
	return 1 + 0.05 * pg_rng_normal(rng);
}

static double lognormal(struct pg_rng *rng)
{
	return exp(0.2 * pg_rng_normal(rng));
}

/* A least time, and interference above it. */
static double one_sided(struct pg_rng *rng)
{
	return 1 - 0.1 * log(1 - pg_rng_unit(rng));
}

static const struct machine machines[] = {
	{"normal", normal, 0},
	{"lognormal", lognormal, 0},
	{"one-sided", one_sided, 0},
	{"weather", normal, 0.05},
};
#define MACHINES ((int)(sizeof(machines) / sizeof(*machines)))

#define REPS  64 /* most */
#define DRAWS 1000

/* ln of median and of the mean of the best quarter of a session; `by`: what the program is slower by. */
static void measure(const struct machine *m, uint32_t n, double by, struct pg_rng *rng, double *log_median,
		    double *log_best)
{
	double x[REPS], weather = exp(m->weather * pg_rng_normal(rng));

	ck_assert_uint_le(n, REPS);
	for (uint32_t i = 0; i < n; i++)
		x[i] = by * weather * m->rep(rng);
	pg_sort(x, n);
	*log_median = log(pg_median(x, n));
	*log_best = log(pg_best(x, n, false));
}

struct shape {
	size_t sessions; /* in the history */
	uint32_t n_history, n_base, n_new;
};

/* The history of one draw. */
static void remember(const struct machine *m, const struct shape *s, struct pg_rng *rng,
		     struct pg_history_session *session, struct pg_history_cell *cell)
{
	for (size_t i = 0; i < s->sessions; i++) {
		double log_median, log_best;

		measure(m, s->n_history, 1, rng, &log_median, &log_best);
		cell[i] = (struct pg_history_cell){1, "time", 0, s->n_history, exp(log_median), exp(log_best)};
		session[i] = (struct pg_history_session){.start_ns = (int64_t)i * 100 * S,
							 .end_ns = ((int64_t)i * 100 + 30) * S,
							 .machine = here,
							 .cell = &cell[i],
							 .n = 1};
	}
}

/* Share of DRAWS comparisons that find a difference at 5 %. */
static void found(const struct machine *m, const struct shape *s, double by, double rate[PG_LENSES])
{
	const struct pg_units base = {.n = 1, .fewest = s->n_base}, new = {.n = 1, .fewest = s->n_new};
	struct pg_history_session session[16];
	struct pg_history_cell cell[16];
	struct pg_history h = {.session = session, .n = s->sessions};
	unsigned alarms[PG_LENSES] = {0};
	struct pg_past past;
	struct pg_rng rng;
	struct pg_err err;

	kit_ok(pg_past_open(&past, &h, &err), &err);
	pg_rng_seed(&rng, 20 + s->n_history + 100 * s->n_base);
	for (unsigned d = 0; d < DRAWS; d++) {
		double a[PG_LENSES], b[PG_LENSES];

		remember(m, s, &rng, session, cell);
		pg_past_find(&past, &here, 0, &cell[0]);
		ck_assert(pg_past_enough(&past));
		measure(m, s->n_base, 1, &rng, &a[PG_TYPICAL], &a[PG_FLOOR]);
		measure(m, s->n_new, by, &rng, &b[PG_TYPICAL], &b[PG_FLOOR]);
		for (unsigned l = 0; l < PG_LENSES; l++)
			alarms[l] += pg_past_compare(&past, l, b[l] - a[l], &base, &new).p <= 0.05;
	}
	pg_past_release(&past);
	for (unsigned l = 0; l < PG_LENSES; l++)
		rate[l] = alarms[l] / (double)DRAWS;
}

static const struct shape shapes[] = {
	{6, 20, 20, 20},  {6, 20, 5, 5},    {6, 60, 15, 15}, {6, 60, 60, 60},
	{12, 20, 20, 20}, {12, 40, 10, 10}, {6, 20, 20, 5},  {6, 10, 40, 40},
};
#define SHAPES ((int)(sizeof(shapes) / sizeof(*shapes)))

/* Equal things are called different in at most 5 % of comparisons, and three standard errors of so many draws. */
START_TEST(false_alarms)
{
	const struct machine *m = &machines[_i % MACHINES];
	const struct shape *s = &shapes[_i / MACHINES];

	double rate[PG_LENSES];

	found(m, s, 1, rate);
	for (unsigned lens = 0; lens < PG_LENSES; lens++)
		ck_assert_msg(rate[lens] <= 0.05 + 3 * sqrt(0.05 * 0.95 / DRAWS),
			      "%s, %zu sessions of %u reps, %u against %u, lens %u: %.3f", m->name, s->sessions,
			      s->n_history, s->n_base, s->n_new, lens, rate[lens]);
}
END_TEST

/* It still sees what is there: and the spread as it stands would be wrong for shorter runs. */
START_TEST(sees_and_must)
{
	const struct shape equal = {6, 20, 20, 20}, shorter = {6, 20, 5, 5};
	double log_of[6], rate[PG_LENSES];
	unsigned alarms = 0;
	struct pg_rng rng;

	found(&machines[0], &equal, 1.15, rate);
	ck_assert(rate[PG_TYPICAL] > 0.9 && rate[PG_FLOOR] > 0.9);
	found(&machines[0], &shorter, 1.5, rate);
	ck_assert(rate[PG_TYPICAL] > 0.9 && rate[PG_FLOOR] > 0.9);
	pg_rng_seed(&rng, 4);
	for (unsigned d = 0; d < DRAWS; d++) {
		double a, b, best;

		for (size_t i = 0; i < 6; i++)
			measure(&machines[0], 20, 1, &rng, &log_of[i], &best);
		measure(&machines[0], 5, 1, &rng, &a, &best);
		measure(&machines[0], 5, 1, &rng, &b, &best);
		alarms += pg_past_effect(b - a, 1, 1, log_of, 6, 0.95).p <= 0.05;
	}
	ck_assert_uint_gt(alarms, DRAWS / 10);
}
END_TEST

/* Few sessions say how many there are; none says nothing. */
START_TEST(why)
{
	struct pg_history_cell cell = {1, "time", 0, 20, 1, 1};
	struct pg_history_session session[5];
	struct pg_history h = {.session = session, .n = 5};
	const char *text = "as it was";
	struct pg_arena a;
	struct pg_past past;
	struct pg_err err;

	for (size_t i = 0; i < 5; i++)
		session[i] = (struct pg_history_session){.start_ns = (int64_t)i * 100 * S,
							 .end_ns = ((int64_t)i * 100 + 1) * S,
							 .machine = here,
							 .cell = &cell,
							 .n = 1};
	pg_arena_init(&a, false);
	kit_ok(pg_past_open(&past, &h, &err), &err);
	pg_past_find(&past, &there, 0, &cell);
	kit_ok(pg_past_why(&past, &a, &text, &err), &err);
	ck_assert_str_eq(text, "as it was");
	pg_past_find(&past, &here, 0, &cell);
	ck_assert(!pg_past_enough(&past));
	kit_ok(pg_past_why(&past, &a, &text, &err), &err);
	ck_assert_str_eq(text, "single session, and 5 of 6 in the history");
	pg_past_release(&past);
	kit_ok(pg_past_open(&past, NULL, &err), &err);
	pg_past_find(&past, &here, 0, &cell);
	ck_assert_uint_eq(past.n, 0);
	pg_past_release(&past);
	pg_arena_release(&a);
}
END_TEST

PG_TEST_MAIN("store_history", ((const struct pg_test[]){
				      {paths, 6},
				      {written_and_read, 0},
				      {apart, 0},
				      {odd_lines, 0},
				      {no_place_for_it, 0},
				      {false_alarms, SHAPES *MACHINES},
				      {sees_and_must, 0},
				      {why, 0},
				      {NULL, 0},
			      }))
