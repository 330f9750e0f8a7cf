/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples in memory, what counts as a rep of a cell, statuses, and the fold. */
#include <math.h>

#include "store/fold.h"
#include "store/samples.h"
#include "tests/support/pgtest.h"
#include "tests/support/storekit.h"

#define LEN(a) ((int)(sizeof(a) / sizeof(*(a))))

static const char sweeps[] = "perfgrid: 1\n"
			     "name: kit\n"
			     "sweeps:\n"
			     "  - {name: a, suite: noop, vary: {first: [1, 2]}, repeat: 3}\n"
			     "  - {name: b, suite: noop, vary: {first: [1, 2, 3]}, repeat: {min: 3, max: 5, ci: 1%}}\n"
			     "  - {name: c, suite: noop, retry: 2, repeat: 3}\n";

struct book {
	struct kit k;
	struct pg_samples *s;
	struct pg_cell_buf *buf;
};

static void open_book(struct book *b)
{
	struct pg_err err;

	kit_init(&b->k, sweeps);
	kit_ok(pg_samples_new(b->k.plan, &b->s, &err), &err);
	b->buf = pg_cell_buf_new(b->k.plan);
}

static void close_book(struct book *b)
{
	pg_cell_buf_free(b->buf);
	pg_samples_free(b->s);
	kit_end(&b->k);
}

static void rep(struct book *b, struct kit_rep r, uint16_t boot)
{
	const struct pg_cell *c = pg_plan_cell(b->k.plan, r.cell, b->buf);
	struct pg_outcome o;
	struct pg_rep_record rec = {
		.warmup = r.warmup, .round = r.round ? r.round : 1, .attempt = r.attempt ? r.attempt : 1, .out = &o};
	struct pg_err err;

	kit_outcome(c, &r, &o);
	kit_ok(pg_samples_rep(b->s, r.cell, &rec, boot, &err), &err);
}

static enum pg_status status(struct book *b, size_t cell)
{
	return pg_acc_status(pg_samples_acc(b->s, cell), pg_plan_cell(b->k.plan, cell, b->buf));
}

static size_t row(struct book *b, const char *name)
{
	size_t m = SIZE_MAX;

	ck_assert_ptr_nonnull(pg_metric_find(pg_plan_sweep(b->k.plan, 0)->metrics, name, &m));
	return m;
}

START_TEST(chains)
{
	struct book b;
	uint32_t reps[4];
	double v;

	open_book(&b);
	/* Interleaved over sweeps and cells; the time order of each cell stays. */
	for (uint32_t i = 0; i < 4; i++)
		for (size_t cell = 0; cell < 5; cell++)
			rep(&b,
			    (struct kit_rep){
				    .cell = cell, .ns = 1000 * (int64_t)(cell + 1) + i, .count = i + 1, .round = i + 1},
			    1);
	for (size_t cell = 0; cell < 5; cell++) {
		size_t sweep = cell >= 2;

		ck_assert_uint_eq(pg_sweep_of(b.k.plan, cell), sweep);
		ck_assert_uint_eq(pg_samples_acc(b.s, cell)->n, 4);
		pg_samples_reps(b.s, sweep, cell, reps);
		for (uint32_t i = 0; i < 4; i++) {
			double want = (1000.0 * (double)(cell + 1) + i) * 1e-9;

			ck_assert(pg_samples_value(b.s, sweep, row(&b, "time"), reps[i], &v) && fabs(v - want) < 1e-18);
			ck_assert(pg_samples_value(b.s, sweep, row(&b, "rate"), reps[i], &v) &&
				  fabs(v * want - (i + 1)) < 1e-9);
		}
		ck_assert(pg_samples_acc(b.s, cell)->time_ns == 4000 * (int64_t)(cell + 1) + 6);
	}
	ck_assert_uint_eq(pg_samples_deepest(b.s), 4);
	close_book(&b);
}
END_TEST

/* Decimals of exec metrics, and what was not printed. */
START_TEST(exponents_and_holes)
{
	struct book b;
	struct pg_outcome o;
	struct pg_rep_record rec = {.round = 1, .attempt = 1, .out = &o};
	struct kit_rep r = {.ns = 1500, .count = 7};
	uint32_t reps[3];
	size_t score;
	struct pg_err err;
	double v;

	open_book(&b);
	score = row(&b, "score");
	for (int i = 0; i < 3; i++) {
		kit_outcome(pg_plan_cell(b.k.plan, 0, b.buf), &r, &o);
		for (size_t k = 0; k < o.n; k++) {
			if (o.s[k].metric != score)
				continue;
			o.s[k].missing = i == 0;
			o.s[k].raw = i == 2 ? 125 : 7;
			o.s[k].exp10 = i == 2 ? -2 : 0;
		}
		kit_ok(pg_samples_rep(b.s, 0, &rec, 1, &err), &err);
	}
	pg_samples_reps(b.s, 0, 0, reps);
	ck_assert(!pg_samples_value(b.s, 0, score, reps[0], &v));
	ck_assert(pg_samples_value(b.s, 0, score, reps[1], &v) && fabs(v - 7) < 1e-12);
	ck_assert(pg_samples_value(b.s, 0, score, reps[2], &v) && fabs(v - 1.25) < 1e-12);
	close_book(&b);
}
END_TEST

/* At most 16 bytes a sample, growth included. */
START_TEST(memory)
{
	struct book b;
	size_t samples = 0, n;

	open_book(&b);
	for (uint32_t i = 0; i < 20000; i++) {
		rep(&b, (struct kit_rep){.cell = i % 2, .ns = i + 1, .count = 1}, 1);
		samples += 13;
		n = pg_samples_bytes(b.s);
		ck_assert_msg(i < 1024 || n <= 16 * samples, "%zu bytes for %zu samples", n, samples);
	}
	close_book(&b);
}
END_TEST

/* ---- what counts ---- */

static const struct {
	const char *what;
	struct kit_rep reps[8];
	int n;
	enum pg_stop stop;
	size_t cell; /* 0: fixed number of reps; 2: with ci; 5: with two further tries */
	enum pg_status status;
	uint32_t good, failed, warm;
} counts[] = {
	{"nothing", {{0}}, 0, PG_STOP_NONE, 0, PG_ST_NOT_RUN, 0, 0, 0},
	{"warm-up only", {{.warmup = true}}, 1, PG_STOP_NONE, 0, PG_ST_NOT_RUN, 0, 0, 1},
	{"good", {{.warmup = true}, {.round = 1}, {.round = 2}, {.round = 3}}, 4, PG_STOP_FIXED, 0, PG_ST_OK, 3, 0, 1},
	{"one bad",
	 {{.round = 1}, {.round = 2, .status = PG_ST_FAILED}, {.round = 3}},
	 3,
	 PG_STOP_FIXED,
	 0,
	 PG_ST_OK,
	 2,
	 1,
	 0},
	{"invalid", {{.round = 1}, {.round = 2, .status = PG_ST_INVALID}}, 2, PG_STOP_FIXED, 0, PG_ST_OK, 1, 1, 0},
	{"all bad", {{.status = PG_ST_TIMEOUT}, {.status = PG_ST_FAILED}}, 2, PG_STOP_ERROR, 0, PG_ST_FAILED, 0, 2, 0},
	{"last timed out",
	 {{.status = PG_ST_FAILED}, {.status = PG_ST_TIMEOUT}},
	 2,
	 PG_STOP_ERROR,
	 0,
	 PG_ST_TIMEOUT,
	 0,
	 2,
	 0},
	{"good, then three bad",
	 {{.round = 1}, {.status = PG_ST_FAILED}, {.status = PG_ST_FAILED}, {.status = PG_ST_FAILED}},
	 4,
	 PG_STOP_ERROR,
	 0,
	 PG_ST_FAILED,
	 1,
	 3,
	 0},
	{"bad warm-ups",
	 {{.warmup = true, .status = PG_ST_FAILED},
	  {.warmup = true, .status = PG_ST_FAILED},
	  {.warmup = true, .status = PG_ST_FAILED}},
	 3,
	 PG_STOP_ERROR,
	 0,
	 PG_ST_FAILED,
	 0,
	 0,
	 3},
	{"bad, going on", {{.status = PG_ST_TIMEOUT}}, 1, PG_STOP_NONE, 0, PG_ST_TIMEOUT, 0, 1, 0},
	{"second try good",
	 {{.status = PG_ST_FAILED, .attempt = 1}, {.attempt = 2}, {.round = 2}},
	 3,
	 PG_STOP_FIXED,
	 5,
	 PG_ST_OK,
	 2,
	 0,
	 0},
	{"three tries bad",
	 {{.status = PG_ST_FAILED, .attempt = 1},
	  {.status = PG_ST_FAILED, .attempt = 2},
	  {.status = PG_ST_FAILED, .attempt = 3},
	  {.round = 2}},
	 4,
	 PG_STOP_FIXED,
	 5,
	 PG_ST_OK,
	 1,
	 1,
	 0},
	{"warm-up tried again",
	 {{.warmup = true, .status = PG_ST_FAILED, .attempt = 1}, {.warmup = true, .attempt = 2}, {.round = 1}},
	 3,
	 PG_STOP_FIXED,
	 5,
	 PG_ST_OK,
	 1,
	 0,
	 1},
	{"between two tries",
	 {{.status = PG_ST_FAILED, .attempt = 1}, {.status = PG_ST_FAILED, .attempt = 2}},
	 2,
	 PG_STOP_NONE,
	 5,
	 PG_ST_NOT_RUN,
	 0,
	 0,
	 0},
	{"ci reached", {{.round = 1}, {.round = 2}, {.round = 3}}, 3, PG_STOP_CI, 2, PG_ST_OK, 3, 0, 0},
	{"max reached", {{.round = 1}, {.round = 2}, {.round = 3}}, 3, PG_STOP_MAX, 2, PG_ST_UNSTABLE, 3, 0, 0},
	{"time is up", {{.round = 1}}, 1, PG_STOP_TIME, 2, PG_ST_UNSTABLE, 1, 0, 0},
	{"max is fine where none was asked for", {{.round = 1}}, 1, PG_STOP_MAX, 0, PG_ST_OK, 1, 0, 0},
};

START_TEST(counting)
{
	struct book b;
	const struct pg_cell_acc *a;

	open_book(&b);
	for (int i = 0; i < counts[_i].n; i++) {
		struct kit_rep r = counts[_i].reps[i];

		r.cell = counts[_i].cell;
		r.ns = r.count = 1;
		rep(&b, r, 1);
	}
	if (counts[_i].stop != PG_STOP_NONE)
		pg_samples_end(b.s, counts[_i].cell, counts[_i].stop);
	a = pg_samples_acc(b.s, counts[_i].cell);
	ck_assert_msg(status(&b, counts[_i].cell) == counts[_i].status, "%s: %s", counts[_i].what,
		      pg_status_name(status(&b, counts[_i].cell)));
	ck_assert_msg(a->n == counts[_i].good && a->n_failed == counts[_i].failed && a->n_warmup == counts[_i].warm,
		      "%s: %u good %u failed %u warm", counts[_i].what, a->n, a->n_failed, a->n_warmup);
	close_book(&b);
}
END_TEST

START_TEST(retrying)
{
	struct book b;

	open_book(&b);
	ck_assert(!pg_samples_retry(b.s, 0));
	rep(&b, (struct kit_rep){.ns = 1}, 1);
	pg_samples_end(b.s, 0, PG_STOP_FIXED);
	ck_assert(!pg_samples_retry(b.s, 0)); /* nothing failed */
	for (int i = 0; i < 3; i++)
		rep(&b, (struct kit_rep){.cell = 1, .status = PG_ST_FAILED, .why = "why"}, 1);
	ck_assert(!pg_samples_retry(b.s, 1)); /* it has not ended */
	pg_samples_end(b.s, 1, PG_STOP_ERROR);
	ck_assert_str_eq(pg_samples_acc(b.s, 1)->why, "why");
	ck_assert(pg_samples_retry(b.s, 1));
	ck_assert_int_eq(status(&b, 1), PG_ST_NOT_RUN);
	ck_assert_uint_eq(pg_samples_acc(b.s, 1)->n_failed, 0);
	rep(&b, (struct kit_rep){.cell = 1, .ns = 5}, 1);
	pg_samples_end(b.s, 1, PG_STOP_FIXED);
	ck_assert_int_eq(status(&b, 1), PG_ST_OK);
	close_book(&b);
}
END_TEST

START_TEST(boots)
{
	struct book b;

	open_book(&b);
	rep(&b, (struct kit_rep){.ns = 1}, 1);
	rep(&b, (struct kit_rep){.ns = 1}, 1);
	ck_assert(!pg_samples_acc(b.s, 0)->two_boots);
	rep(&b, (struct kit_rep){.ns = 1}, 2);
	rep(&b, (struct kit_rep){.cell = 1, .ns = 1}, 2);
	ck_assert(pg_samples_acc(b.s, 0)->two_boots && !pg_samples_acc(b.s, 1)->two_boots);
	close_book(&b);
}
END_TEST

/* ---- fold ---- */

/* Of the cell entered. */
static double folded(struct book *b, struct pg_fold *f, const char *metric, enum pg_statistic which)
{
	struct pg_summary s;

	pg_fold_metric(f, row(b, metric), &s);
	return pg_fold_statistic(f, row(b, metric), &s, which);
}

/* Seven reps near 200 ns, five near 100: the median stands between, the mode does not. */
START_TEST(dominant_mode)
{
	struct book b;
	struct pg_fold f;
	struct pg_err err;

	open_book(&b);
	for (uint32_t i = 0; i < 12; i++)
		rep(&b,
		    (struct kit_rep){.cell = 2, .ns = i % 2 && i < 10 ? 100 + i : 200 + i, .count = 1, .round = i + 1},
		    1);
	kit_ok(pg_fold_init(&f, b.s, &err), &err);
	pg_fold_enter(&f, pg_plan_sweep(b.k.plan, 1), 2);
	ck_assert(fabs(folded(&b, &f, "time", PG_STAT_MODE) - 206e-9) < 1e-18);
	ck_assert(fabs(folded(&b, &f, "time", PG_STAT_MODE_PCT) - 700.0 / 12) < 1e-9);
	ck_assert(fabs(folded(&b, &f, "time", PG_STAT_MEDIAN) - 201e-9) < 1e-18);
	pg_fold_release(&f);
	close_book(&b);
}
END_TEST

START_TEST(folding)
{
	struct book b;
	struct pg_fold f;
	struct pg_err err;
	const struct pg_sweep *sw;
	char buf[256];
	const char *why;

	open_book(&b);
	for (uint32_t i = 0; i < 5; i++)
		rep(&b, (struct kit_rep){.cell = 2, .ns = 100 + 10 * i, .count = 1, .round = i + 1}, 1);
	pg_samples_end(b.s, 2, PG_STOP_MAX);
	sw = pg_plan_sweep(b.k.plan, 1);
	kit_ok(pg_fold_init(&f, b.s, &err), &err);
	pg_fold_enter(&f, sw, 2);
	ck_assert(fabs(folded(&b, &f, "time", PG_STAT_MEDIAN) - 120e-9) < 1e-18);
	ck_assert(fabs(folded(&b, &f, "time", PG_STAT_MIN) - 100e-9) < 1e-18);
	ck_assert(fabs(folded(&b, &f, "time", PG_STAT_MAX) - 140e-9) < 1e-18);
	ck_assert(fabs(folded(&b, &f, "time", PG_STAT_BEST) - 100e-9) < 1e-18);
	ck_assert(fabs(folded(&b, &f, "time", PG_STAT_N) - 5) < 1e-12);
	ck_assert(fabs(folded(&b, &f, "time", PG_STAT_MODE) - 120e-9) < 1e-18);
	ck_assert(fabs(folded(&b, &f, "time", PG_STAT_MODE_PCT) - 100) < 1e-12);
	/* more is better: the best is the largest */
	ck_assert(fabs(folded(&b, &f, "rate", PG_STAT_BEST) - 1e7) < 1);
	why = pg_fold_reason(&f, pg_plan_cell(b.k.plan, 2, b.buf), PG_ST_UNSTABLE, buf, sizeof(buf));
	ck_assert_str_eq(why, "`max` was reached after 5 reps, too few for the interval that `ci` asks for");
	pg_fold_release(&f);
	rep(&b, (struct kit_rep){.cell = 2, .ns = 150, .count = 1, .round = 6}, 1);
	rep(&b, (struct kit_rep){.cell = 2, .ns = 160, .count = 1, .round = 7}, 1);
	pg_samples_end(b.s, 2, PG_STOP_TIME);
	kit_ok(pg_fold_init(&f, b.s, &err), &err);
	pg_fold_enter(&f, sw, 2);
	why = pg_fold_reason(&f, pg_plan_cell(b.k.plan, 2, b.buf), PG_ST_UNSTABLE, buf, sizeof(buf));
	ck_assert_msg(strstr(why, "after 7 reps, 1 % was asked for; `time` was reached, about"), "%s", why);
	pg_fold_enter(&f, sw, 3);
	ck_assert(isnan(folded(&b, &f, "time", PG_STAT_N)) && isnan(folded(&b, &f, "time", PG_STAT_MEDIAN)));
	pg_fold_release(&f);
	close_book(&b);
}
END_TEST

/* Disturbed reps are kept and are no samples; the rounds of the others are known. */
START_TEST(disturbed)
{
	const struct pg_cell *c;
	struct pg_outcome o;
	struct pg_err err;
	uint32_t reps[4];
	struct book b;

	open_book(&b);
	c = pg_plan_cell(b.k.plan, 0, b.buf);
	for (uint32_t r = 1; r <= 4; r++) {
		struct pg_rep_record rec = {.round = 10 * r, .attempt = 1, .out = &o, .disturbed = true};

		kit_outcome(c, &(struct kit_rep){.ns = 100 * r, .count = 1}, &o);
		if (r > 2)
			kit_ok(pg_samples_rep(b.s, 0, &rec, 1, &err), &err);
		rec.disturbed = false;
		kit_ok(pg_samples_rep(b.s, 0, &rec, 1, &err), &err);
	}
	ck_assert_uint_eq(pg_samples_acc(b.s, 0)->n, 4);
	ck_assert_uint_eq(pg_samples_acc(b.s, 0)->n_redone, 2);
	pg_samples_reps(b.s, 0, 0, reps);
	for (uint32_t i = 0; i < 4; i++)
		ck_assert_uint_eq(pg_samples_round(b.s, 0, reps[i]), 10 * (i + 1));
	close_book(&b);
}
END_TEST

/* Starts of a run of ten rounds: the rounds [from, to] of two cells, and the unit that they are. */
struct start {
	uint32_t from, to, unit; /* to 0: warm-ups only */
};
static const struct {
	uint32_t sessions;
	struct start start[8];
} splits[] = {
	/* As planned. */
	{5, {{1, 2, 1}, {3, 4, 2}, {5, 6, 3}, {7, 8, 4}, {9, 10, 5}}},
	/* Interrupted in a part, and between two. */
	{5, {{1, 1, 1}, {2, 2, 1}, {3, 4, 2}, {5, 5, 3}, {6, 6, 3}, {7, 8, 4}, {9, 9, 5}, {10, 10, 5}}},
	/* A start that came to nothing. */
	{5, {{1, 2, 1}, {0, 0, 0}, {3, 4, 2}, {5, 6, 3}}},
	/* One start that went through several parts without a rest. */
	{5, {{1, 2, 1}, {3, 10, 2}}},
	/* Cells that are tried again after the last part. */
	{2, {{1, 5, 1}, {6, 10, 2}, {11, 14, 2}}},
	/* Without `sessions` a run is one. */
	{1, {{1, 1, 1}, {2, 6, 1}, {7, 10, 1}}},
	/* Split otherwise by the plan of then: the record holds, and what has none lies as it lies now. */
	{5, {{1, 1, 1}, {2, 2, 2}, {3, 3, 3}, {4, 4, 4}, {5, 5, 5}, {6, 6, 6}, {7, 8, 7}}},
	{5, {{1, 1, 1}, {2, 3, 1}, {4, 6, 2}, {7, 10, 3}}},
};
/* As the records of the starts say; 0 = they do not. */
static const uint32_t told[LEN(splits)][8] = {
	[6] = {1, 2, 3, 4, 5, 3},
	[7] = {1, 1, 2, 5},
};

START_TEST(units)
{
	char text[256];
	struct pg_err err;
	struct book b;

	snprintf(text, sizeof(text),
		 "perfgrid: 1\nname: kit\nsessions: %u\nsweeps:\n  - {name: s, suite: noop, vary: "
		 "{first: [1, 2]}, repeat: 10}\n",
		 splits[_i].sessions);
	kit_init(&b.k, text);
	kit_ok(pg_samples_new(b.k.plan, &b.s, &err), &err);
	b.buf = pg_cell_buf_new(b.k.plan);
	for (uint32_t n = 0, at = 0; n < 8 && (splits[_i].start[n].from || n == 1); n++) {
		const struct start *p = &splits[_i].start[n];

		kit_ok(pg_samples_session(b.s, n + 1, told[_i][n], &err), &err);
		rep(&b, (struct kit_rep){.cell = 0, .warmup = true, .ns = 1, .count = 1}, 1);
		for (uint32_t r = p->from; r && r <= p->to; r++) {
			/* A bad rep is in the part as well. */
			rep(&b, (struct kit_rep){.cell = 0, .round = r, .status = PG_ST_FAILED, .why = "x"}, 1);
			rep(&b, (struct kit_rep){.cell = 1, .round = r, .ns = 1, .count = 1}, 1);
			ck_assert_uint_eq(pg_samples_unit(b.s, 0, at++), p->unit);
		}
		ck_assert_uint_eq(pg_samples_unit_of(b.s, n + 1), p->unit);
	}
	close_book(&b);
}
END_TEST

PG_TEST_MAIN("store_samples", ((const struct pg_test[]){
				      {chains, 0},
				      {exponents_and_holes, 0},
				      {memory, 0},
				      {counting, LEN(counts)},
				      {retrying, 0},
				      {boots, 0},
				      {folding, 0},
				      {dominant_mode, 0},
				      {disturbed, 0},
				      {units, LEN(splits)},
				      {NULL, 0},
			      }))
