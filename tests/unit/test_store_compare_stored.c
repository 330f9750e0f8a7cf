/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sides of stored runs: sessions as units, what bars a comparison, history, and the cells that one side lacks. */
#include <math.h>

#include "tests/support/pgtest.h"
#include "tests/support/sidekit.h"

#define TIMED	"perfgrid: 1\nname: kit\nsweeps:\n  - {name: s, suite: noop, process: exec, set: {loops: auto}, "
#define OF_TIME "tables: [{value: time_per_op}]"

START_TEST(sessions_of_a_run)
{
	struct sides *s = side_start();
	const struct pg_compare_row *r;

	side_spread(s, 1000000);
	side_spread(s, 1300000);
	side_compared(s, 1);
	r = side_judged(s);
	side_is(s, PG_V_REGRESSED, PG_UC_NONE);
	ck_assert_uint_eq(r->c.n, 5);
	ck_assert_uint_eq(r->c.m, 5);
	/* 5 against 5: 2 of 252 ways, two lenses. */
	side_near(r->c.lens[PG_TYPICAL].p, 2 / 252.0, 1e-12);
	side_near(r->c.p_adj[PG_TYPICAL], 4 / 252.0, 1e-12);
	side_near(exp(r->c.lens[PG_TYPICAL].estimate), 1.3, 0.003);
	side_near(r->base, 1.002e-6, 1e-8);
	ck_assert(s->c.hypotheses > 1.5 && s->c.hypotheses < 2.5);
	side_end(s);
}
END_TEST

/* Without `sessions` each run directory counts once: 4 against 4 can be told at 5 %, but not with two lenses. */
START_TEST(runs_are_sessions)
{
	struct sides *s = side_start();

	for (int i = 0; i < 8; i++)
		side_rounds(side_add(s, SIDE_PLAIN), 0, 1, 10, i < 4 ? 1000000 + i * 100 : 700000 + i * 100);
	side_compared(s, 4);
	side_near(side_judged(s)->c.lens[PG_FLOOR].p, 2 / 70.0, 1e-12);
	side_is(s, PG_V_UNCLEAR, PG_UC_N);
	side_near(side_judged(s)->c.needed, 5, 1e-9);
	s->opts.rules.has_lens = true;
	s->opts.rules.lens = PG_LENS_TYPICAL;
	side_compared(s, 4);
	side_is(s, PG_V_IMPROVED, PG_UC_NONE);
	ck_assert(isnan(side_judged(s)->c.lens[PG_FLOOR].estimate));
	side_end(s);
}
END_TEST

START_TEST(single_sessions)
{
	struct sides *s = side_start();
	const struct pg_compare_row *r;

	side_rounds(side_add(s, SIDE_PLAIN), 0, 1, 10, 1000000);
	side_rounds(side_add(s, SIDE_PLAIN), 0, 1, 10, 1200000);
	side_compared(s, 1);
	r = side_judged(s);
	side_is(s, PG_V_UNCLEAR, PG_UC_SESSION);
	/* The difference is shown. */
	side_near(exp(r->c.lens[PG_TYPICAL].estimate), 1.2, 1e-4);
	ck_assert(isnan(r->c.lens[PG_TYPICAL].p) && isnan(pg_comparison_p(&r->c)) && isnan(r->c.mde));
	ck_assert_str_eq(pg_compare_reason(r), "single session");
	s->opts.trust_stored = true;
	side_compared(s, 1);
	r = side_judged(s);
	side_is(s, PG_V_REGRESSED, PG_UC_NONE);
	ck_assert(r->flags & PG_CF_TRUSTED);
	ck_assert(r->c.lens[PG_TYPICAL].p < 1e-4 && r->c.lens[PG_FLOOR].p <= 1e-4);
	ck_assert_uint_eq(r->c.n, 10);
	side_end(s);
}
END_TEST

START_TEST(machines)
{
	struct sides *s = side_start();
	const struct pg_compare_row *r;

	side_spread(s, 1000000);
	side_spread(s, 1300000);
	s->run[1].machine.trait[PG_T_KERNEL] = "6.9.0-next";
	s->run[1].machine.trait[PG_T_CPU] = "another";
	side_compared(s, 1);
	r = side_judged(s);
	side_is(s, PG_V_UNCLEAR, PG_UC_ENV);
	ck_assert_msg(strncmp(pg_compare_reason(r), "env: cpu ", 9) == 0, "%s", pg_compare_reason(r));
	ck_assert_ptr_nonnull(strstr(pg_compare_reason(r), " / another, kernel "));
	ck_assert_ptr_nonnull(strstr(pg_compare_reason(r), " / 6.9.0-next"));
	s->opts.differs = 1u << PG_T_KERNEL;
	side_compared(s, 1);
	side_is(s, PG_V_UNCLEAR, PG_UC_ENV);
	ck_assert_ptr_null(strstr(pg_compare_reason(side_judged(s)), "kernel"));
	s->opts.differs |= 1u << PG_T_CPU;
	side_compared(s, 1);
	side_is(s, PG_V_REGRESSED, PG_UC_NONE);
	side_end(s);
}
END_TEST

/* Counts and times that the two calibrated apart. */
START_TEST(loops_and_sample_time)
{
	static const char *const text[] = {TIMED "sample_time: 50ms, " OF_TIME "}\n",
					   TIMED "sample_time: 20ms, " OF_TIME "}\n"};
	struct sides *s = side_start();
	struct pg_cell_buf *buf;
	struct pg_err err;

	for (size_t i = 0; i < 2; i++) {
		struct kit *k = side_add(s, text[i]);
		const struct pg_observer *obs = pg_store_observer(k->store);

		buf = pg_cell_buf_new(k->plan);
		kit_ok(obs->calibrated(obs->ctx, pg_plan_cell(k->plan, 0, buf), 70 + i, &err), &err);
		pg_cell_buf_free(buf);
		side_rounds(k, 0, 1, 10, 1000000);
	}
	s->opts.trust_stored = true;
	side_compared(s, 1);
	side_is(s, PG_V_UNCLEAR, PG_UC_ENV);
	ck_assert_str_eq(pg_compare_reason(side_judged(s)), "env: sample_time");
	s->opts.differs = 1u << PG_T_SAMPLE_TIME;
	side_compared(s, 1);
	side_is(s, PG_V_UNCLEAR, PG_UC_FLAG);
	ck_assert(side_judged(s)->flags & PG_CF_LOOPS_DIFFER);
	s->opts.differs |= 1u << PG_T_LOOPS;
	side_compared(s, 1);
	ck_assert_int_ne(side_judged(s)->c.verdict, PG_V_FAILED);
	ck_assert_int_ne(side_judged(s)->c.why, PG_UC_FLAG);
	ck_assert(!(side_judged(s)->flags & PG_CF_LOOPS_DIFFER));
	side_end(s);
}
END_TEST

static size_t standing(const struct sides *s, enum pg_standing which)
{
	size_t n = 0;

	for (size_t i = 0; i < s->c.n; i++)
		n += s->c.row[i].standing == which && s->c.row[i].metric == s->c.row[i].sweep->stop_metric;
	return n;
}

START_TEST(cells_that_one_side_lacks)
{
	struct sides *s = side_start();
	struct kit *old, *new;

	old = side_add(s,
		       SIDE_HEAD "  - {name: s, suite: noop, process: exec, repeat: 10, vary: {first: [1, 2, 3]}}\n");
	new = side_add(s, SIDE_HEAD
		       "  - {name: s, suite: noop, process: exec, repeat: 10, vary: {first: [2, 3, 4, 5]}, skip: "
		       "[{first: 5}]}\n");
	for (size_t i = 0; i < 3; i++)
		side_rounds(old, i, 1, 10, 1000000);
	side_rounds(new, 0, 1, 10, 1000000);
	side_rounds(new, 2, 1, 10, 1000000);
	for (uint32_t r = 1; r <= 3; r++)
		kit_rep(new, (struct kit_rep){.cell = 1, .round = r, .status = PG_ST_FAILED, .why = "no luck"});
	kit_done(new, 1, PG_STOP_ERROR);
	s->opts.rules.judged_only = true;
	side_compared(s, 1);
	ck_assert_uint_eq(s->c.n, 5); /* 2, 3, 4, 5 of the new one, then 1 */
	ck_assert_int_eq(s->c.row[0].standing, PG_CMP_JUDGED);
	ck_assert_int_eq(s->c.row[1].c.verdict, PG_V_FAILED);
	ck_assert_str_eq(pg_compare_reason(&s->c.row[1]), "NEW: no luck");
	ck_assert_str_eq(pg_compare_reason(&s->c.row[2]), "OLD: no such cell");
	ck_assert_str_eq(pg_compare_reason(&s->c.row[4]), "NEW: no such cell");
	ck_assert_ptr_eq(s->c.row[4].plan, old->plan);
	ck_assert_uint_eq(standing(s, PG_CMP_MISSING), 2);
	ck_assert_uint_eq(standing(s, PG_CMP_LEFT_OUT), 1);
	side_end(s);
}
END_TEST

START_TEST(units)
{
	static const char unit[] = "perfgrid: 1\nname: kit\nsweeps:\n  - {name: s, suite: exec, command: [x], "
				   "metrics: [{name: size, pattern: '(.)', unit: %s, better: %s}]}\n";
	static const struct {
		const char *unit, *better;
		bool fits;
	} rows[] = {{"B", "lower", true}, {"s", "lower", false}, {"B", "higher", false}};
	struct sides *s = side_start();
	char text[3][256];
	struct pg_err err;

	for (size_t i = 0; i < 3; i++) {
		snprintf(text[i], sizeof(text[i]), unit, rows[i].unit, rows[i].better);
		side_add(s, text[0]);
		side_add(s, text[i]);
		s->opts.rules.judged_only = true;
		pg_compare_release(&s->c);
		ck_assert_int_eq(side_compare(s, 1, &err), rows[i].fits ? 0 : -1);
		if (!rows[i].fits)
			ck_assert(err.code == PG_EUSAGE && strstr(err.msg, "'size' of sweep 's' has another unit"));
		side_drop_kits(s);
	}
	side_end(s);
}
END_TEST

/* Canaries that differ are a warning on every row, and no verdict is another one for it. */
START_TEST(another_speed)
{
	static const char *const canary[] = {"{\"canary\":[500000,60000]}\n", "{\"canary\":[500000,62000]}\n"};
	struct sides *s = side_start();
	struct pg_str text;

	side_spread(s, 1000000);
	side_spread(s, 1300000);
	side_compared(s, 1);
	ck_assert(!s->c.shift.on);
	ck_assert(!(side_judged(s)->flags & PG_CF_ENV_SHIFT));
	for (size_t k = 0; k < 2; k++) {
		for (int i = 0; i < 3; i++)
			kit_append(s->kit[k], "journal.jsonl", canary[k], strlen(canary[k]));
		kit_reopen(s->kit[k], false);
	}
	side_compared(s, 1);
	ck_assert(s->c.shift.on);
	side_is(s, PG_V_REGRESSED, PG_UC_NONE);
	ck_assert_uint_gt(s->c.n, 1);
	for (size_t i = 0; i < s->c.n; i++)
		ck_assert(s->c.row[i].flags & PG_CF_ENV_SHIFT);
	pg_str_init(&text);
	pg_compare_flags_text(side_judged(s)->flags, &text);
	ck_assert_str_eq(pg_str_text(&text), "env-shift");
	pg_str_release(&text);
	side_end(s);
}
END_TEST

/* Arms of runs with variants meet their namesakes; a named one meets what it is given. */
START_TEST(arms)
{
	static const char text[] = SIDE_HEAD "  - {name: s, suite: noop, process: exec, repeat: 10, "
					     "variants: [{label: a}, {label: b}]}\n";
	struct sides *s = side_start();

	for (int i = 0; i < 2; i++) {
		struct kit *k = side_add(s, text);

		side_rounds(k, 0, 1, 10, 1000000);
		side_rounds(k, 1, 1, 10, 2000000);
	}
	s->opts.rules.judged_only = true;
	side_compared(s, 1);
	ck_assert_uint_eq(s->c.n, 2);
	side_near(s->c.row[0].c.lens[PG_TYPICAL].estimate, 0, 1e-9);
	side_near(s->c.row[1].c.lens[PG_TYPICAL].estimate, 0, 1e-9);
	s->run[0].arm = "b";
	s->run[1].arm = "a";
	side_compared(s, 1);
	ck_assert_uint_eq(s->c.n, 1);
	side_near(exp(s->c.row[0].c.lens[PG_TYPICAL].estimate), 0.5, 1e-4);
	side_end(s);
}
END_TEST

START_TEST(history)
{
	static const double past[] = {1.00, 1.01, 0.99, 1.02, 0.98, 1.00};
	struct pg_history h;
	struct sides *s = side_start();
	struct pg_fingerprint f;
	struct pg_cell_buf *buf;
	char path[256], reason[64];
	struct pg_err err;
	uint64_t id;

	side_rounds(side_add(s, SIDE_PLAIN), 0, 1, 10, 1000000);
	side_rounds(side_add(s, SIDE_PLAIN), 0, 1, 10, 1200000);
	snprintf(path, sizeof(path), "%s/state/perfgrid/history.jsonl", s->kit[0]->top);
	kit_ok(pg_fingerprint_of(s->kit[0]->store, &s->arena, &f, &err), &err);
	buf = pg_cell_buf_new(s->kit[0]->plan);
	id = pg_plan_cell(s->kit[0]->plan, 0, buf)->id;
	pg_cell_buf_free(buf);
	for (size_t i = 0; i < 6; i++) {
		struct pg_history_cell cell = {
			.cell = id, .metric = "time_per_op", .n = 10, .median = past[i], .best = past[i]};
		const struct pg_history_session session = {.start_ns = (int64_t)i * 100000000000,
							   .end_ns = (int64_t)i * 100000000000 + 1000000000,
							   .machine = f,
							   .cell = &cell,
							   .n = 1};

		kit_ok(pg_history_append(path, &session, &err), &err);
		kit_ok(pg_history_read(path, &h, &err), &err);
		s->opts.history = &h;
		side_compared(s, 1);
		if (i < 5) {
			side_is(s, PG_V_UNCLEAR, PG_UC_SESSION);
			snprintf(reason, sizeof(reason), "single session, and %zu of 6 in the history", i + 1);
			ck_assert_str_eq(pg_compare_reason(side_judged(s)), reason);
		}
		pg_history_release(&h);
	}
	side_is(s, PG_V_REGRESSED, PG_UC_NONE);
	ck_assert_int_eq(side_judged(s)->c.design, PG_PAST);
	ck_assert(side_judged(s)->c.lens[PG_TYPICAL].p < 0.001);
	s->opts.history = NULL;
	side_end(s);
}
END_TEST

PG_TEST_MAIN("store_compare_stored", ((const struct pg_test[]){
					     {sessions_of_a_run, 0},
					     {runs_are_sessions, 0},
					     {single_sessions, 0},
					     {machines, 0},
					     {loops_and_sample_time, 0},
					     {cells_that_one_side_lacks, 0},
					     {units, 0},
					     {another_speed, 0},
					     {arms, 0},
					     {history, 0},
					     {NULL, 0},
				     }))
