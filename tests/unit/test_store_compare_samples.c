/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stored runs by their samples: --trust-stored, the two modes of a side, Cliff's delta; rows that are made when read.
 */
#include <math.h>

#include "store/fold.h"
#include "store/store_inside.h"
#include "tests/support/pgtest.h"
#include "tests/support/sidekit.h"

#define TWENTY SIDE_HEAD "  - {name: s, suite: noop, process: exec, repeat: 20}\n"
#define ARMS   ", variants: [{label: old}, {label: new}]"

/* A run on each side. */
static struct sides *two(const char *text)
{
	struct sides *s = side_start();

	side_add(s, text);
	side_add(s, text);
	return s;
}

/* The row of a metric of the first cell; NULL: of the judged one. */
static const struct pg_compare_row *compared(struct sides *s, const char *metric)
{
	side_compared(s, 1);
	for (size_t i = 0; metric && i < s->c.n; i++)
		if (strcmp(s->c.row[i].sweep->metrics[s->c.row[i].metric].name, metric) == 0)
			return &s->c.row[i];
	ck_assert_ptr_null(metric);
	return side_judged(s);
}

static void reps(struct kit *k, uint32_t n, int64_t ns, int64_t every_third)
{
	for (uint32_t r = 1; r <= n; r++)
		kit_rep(k, (struct kit_rep){.round = r,
					    .ns = ns + (int64_t)(r * 7919 % 1000) + (r % 3 == 0 ? every_third : 0),
					    .count = 1000});
}

/* One p for as many patterns as the live comparison of such a plan would take. */
START_TEST(patterns_of_the_family)
{
	static const struct {
		const char *text;
		double patterns;
	} plans[] = {
		{TWENTY, 9999},
		{SIDE_HEAD "  - {name: s, suite: noop, process: exec, repeat: 20, vary: {first: 1..30}}\n", 24000}};

	for (size_t i = 0; i < 2; i++) {
		struct sides *t = two(plans[i].text);
		const struct pg_compare_row *r;

		reps(t->kit[0], 12, 1000000, 0);
		reps(t->kit[1], 12, 2000000, 0);
		t->opts.trust_stored = true;
		r = compared(t, NULL);
		ck_assert(fabs(r->c.lens[PG_FLOOR].p * (plans[i].patterns + 1) - 1) < 1e-9);
		ck_assert(r->flags & PG_CF_TRUSTED);
		/* Exploration has one lens, as in a live comparison. */
		r = compared(t, "wall_time");
		ck_assert(!isnan(r->c.lens[PG_TYPICAL].p) && isnan(r->c.lens[PG_FLOOR].p));
		side_end(t);
	}
}
END_TEST

/* Reps of batches: their floors where each has one, else their values. */
START_TEST(floors_of_batches)
{
	for (int lacking = 0; lacking < 2; lacking++) {
		struct sides *t = two(SIDE_HEAD "  - {name: s, suite: syscall/basic, repeat: 10}\n");
		const struct pg_compare_row *r;

		for (size_t side = 0; side < 2; side++) {
			struct kit *k = t->kit[side];
			const struct pg_observer *obs = pg_store_observer(k->store);
			struct pg_cell_buf *buf = pg_cell_buf_new(k->plan);
			const struct pg_cell *c = pg_plan_cell(k->plan, 0, buf);
			struct pg_outcome o;
			struct pg_err err;

			for (uint32_t i = 1; i <= 10; i++) {
				struct pg_rep_record rec = {
					.cell_id = c->id, .round = i, .attempt = 1, .rep = i, .out = &o};

				kit_outcome(c, &(struct kit_rep){.ns = 1000, .count = 10}, &o);
				for (size_t m = 0; m < o.n; m++) {
					if (!(c->metrics[o.s[m].metric].flags & PG_M_FLOOR))
						continue;
					o.s[m].raw = side ? 240 : 120;
					o.s[m].exp10 = -12;
					o.s[m].missing = lacking && side == 1 && i == 7;
				}
				kit_ok(obs->rep_done(obs->ctx, c, &rec, &err), &err);
			}
			pg_cell_buf_free(buf);
		}
		t->opts.trust_stored = true;
		t->opts.differs = 1u << PG_T_LOOPS;
		r = compared(t, NULL);
		ck_assert(fabs(r->c.lens[PG_TYPICAL].estimate) < 1e-12);
		ck_assert(fabs(r->c.lens[PG_FLOOR].estimate - (lacking ? 0 : log(2))) < 1e-9);
		side_end(t);
	}
}
END_TEST

/* Of either side; whatever the verdict. What the engine counts has no modes. */
START_TEST(two_modes)
{
	for (size_t humped = 0; humped < 3; humped++) {
		struct sides *t = two(TWENTY);

		for (size_t i = 0; i < 2; i++)
			reps(t->kit[i], 20, 1000000, i == humped ? 3000000 : 0);
		ck_assert_int_eq((compared(t, NULL)->flags & PG_CF_BIMODAL) != 0, humped < 2);
		ck_assert(!(compared(t, "voluntary_switches")->flags & PG_CF_BIMODAL));
		side_end(t);
	}
}
END_TEST

/* Of values, as the change is: all of the new ones are larger. */
START_TEST(cliff)
{
	struct sides *t = two(TWENTY);

	reps(t->kit[0], 10, 1000000, 0);
	reps(t->kit[1], 10, 2000000, 0);
	ck_assert(isnan(compared(t, NULL)->cliff));
	t->opts.trust_stored = true;
	ck_assert(fabs(compared(t, NULL)->cliff - 1) < 1e-12);
	ck_assert(fabs(compared(t, "rate")->cliff + 1) < 1e-12);
	side_end(t);
}
END_TEST

struct seen {
	size_t judged, explored, failed;
	double p; /* sum of the adjusted ones */
};

static int see(void *ctx, const struct pg_compare_row *r, struct pg_err *err)
{
	struct seen *n = ctx;

	if (n->judged + n->explored == 4)
		return pg_fail(err, PG_EUSAGE, "enough");
	n->judged += r->standing == PG_CMP_JUDGED;
	n->explored += r->standing == PG_CMP_EXPLORED;
	n->failed += r->c.verdict == PG_V_FAILED && !isnan(r->c.p_adj[PG_TYPICAL]);
	return 0;
}

/* Kept are the rows that are judged; the others come when they are read, and a reader may have enough. */
START_TEST(rows_when_read)
{
	const struct pg_compare *c, *again;
	struct seen n = {0};
	struct pg_err err;
	struct kit k;

	kit_init(&k, SIDE_HEAD "  - {name: s, suite: noop, process: exec, repeat: 8, vary: {first: [1, 2]}" ARMS "}\n");
	kit_create(&k);
	for (uint32_t r = 1; r <= 8; r++)
		for (size_t i = 0; i < 4; i++)
			kit_rep(&k, (struct kit_rep){
					    .cell = i, .round = r, .ns = 1000000 + (int64_t)(r * 97 + i), .count = 5});
	kit_ok(pg_store_finish(k.store, PG_RUN_COMPLETE, &err), &err);
	/* What the files have is what the end of a run tells. */
	ck_assert_ptr_nonnull(k.store->compared);
	kit_ok(pg_store_compared(k.store, &c, &err), &err);
	ck_assert_ptr_eq(c, k.store->compared);
	ck_assert_uint_eq(c->n, 2);
	ck_assert_ptr_nonnull(c->explored);
	ck_assert_int_eq(pg_compare_each(c, NULL, see, &n, &err), -1);
	ck_assert_str_eq(err.msg, "enough");
	ck_assert_uint_eq(n.judged + n.explored, 4);
	ck_assert_uint_gt(n.explored, 1);
	ck_assert_uint_eq(n.failed, 0);
	/* A run that is only read is compared at the first question. */
	kit_reopen(&k, false);
	ck_assert_ptr_null(k.store->compared);
	kit_ok(pg_store_compared(k.store, &c, &err), &err);
	kit_ok(pg_store_compared(k.store, &again, &err), &err);
	ck_assert_ptr_eq(c, again);
	ck_assert_uint_eq(c->n, 2);
	kit_end(&k);
}
END_TEST

/* Rounds that ended by time before the last look; not those that an answer has ended. */
START_TEST(before_the_last_look)
{
	static const struct {
		enum pg_stop stop;
		bool cut_short;
	} rows[] = {{PG_STOP_TIME, true}, {PG_STOP_LOOK, false}};

	for (size_t i = 0; i < 2; i++) {
		const struct pg_compare *c;
		struct pg_err err;
		struct kit k;

		kit_init(&k, SIDE_HEAD "  - {name: s, suite: noop, process: exec" ARMS "}\n");
		kit_create(&k);
		for (uint32_t r = 1; r <= 12; r++)
			for (size_t arm = 0; arm < 2; arm++)
				kit_rep(&k, (struct kit_rep){.cell = arm, .round = r, .ns = 1000000 + r, .count = 5});
		for (size_t arm = 0; arm < 2; arm++)
			kit_done(&k, arm, rows[i].stop);
		kit_ok(pg_store_compared(k.store, &c, &err), &err);
		ck_assert_uint_eq(c->n, 1);
		ck_assert_int_eq(c->row[0].cut_short, rows[i].cut_short);
		kit_end(&k);
	}
}
END_TEST

PG_TEST_MAIN("store_compare_samples", ((const struct pg_test[]){
					      {patterns_of_the_family, 0},
					      {floors_of_batches, 0},
					      {two_modes, 0},
					      {cliff, 0},
					      {rows_when_read, 0},
					      {before_the_last_look, 0},
					      {NULL, 0},
				      }))
