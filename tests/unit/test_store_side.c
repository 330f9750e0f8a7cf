/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the runs of a side count for: parts that took several starts, sessions that failed, machines that are not known.
 */
#include "tests/support/pgtest.h"
#include "tests/support/sidekit.h"

/* A run that was interrupted and went on has no more units than its scenario has sessions. */
START_TEST(sessions_of_interrupted_runs)
{
	struct sides *s = side_start();
	struct pg_err err;

	for (int64_t side = 0; side < 2; side++) {
		struct kit *k =
			side_add(s, "perfgrid: 1\nname: kit\nsessions: 2\nsweeps:\n  - {name: s, suite: noop, process: "
				    "exec, repeat: 10}\n");

		for (uint32_t r = 1; r <= 10; r++) {
			side_rounds(k, 0, r, r, 1000000 + 300000 * side);
			kit_reopen(k, true);
			kit_ok(pg_store_session(k->store, &err), &err);
		}
		kit_done(k, 0, PG_STOP_FIXED);
	}
	side_compared(s, 1);
	ck_assert_uint_eq(side_judged(s)->c.n, 2);
	ck_assert_uint_eq(side_judged(s)->c.m, 2);
	side_is(s, PG_V_UNCLEAR, PG_UC_SESSION);
	side_end(s);
}
END_TEST

/* Sessions that are over stay what they were when the run is given more reps, which splits its rounds elsewhere. */
START_TEST(sessions_with_more_reps)
{
	struct sides *s = side_start();
	struct pg_err err;

	for (int64_t side = 0; side < 2; side++) {
		struct kit *k = side_add(s, "perfgrid: 1\nname: kit\nsessions: 5\nsweeps:\n  - {name: s, suite: noop, "
					    "process: exec, repeat: 10}\n");

		for (uint32_t i = 0; i < 5; i++) {
			pg_store_part(k->store, i + 1);
			kit_ok(pg_store_session(k->store, &err), &err);
			side_rounds(k, 0, 2 * i + 1, 2 * i + 2, 1000000 + 300000 * side);
		}
		k->info.opts.repeat = 20;
		kit_reopen(k, true);
		pg_store_part(k->store, 3);
		kit_ok(pg_store_session(k->store, &err), &err);
		side_rounds(k, 0, 11, 12, 1000000 + 300000 * side);
		kit_reopen(k, true);
		kit_done(k, 0, PG_STOP_FIXED);
	}
	side_compared(s, 1);
	ck_assert_uint_eq(side_judged(s)->c.n, 6);
	ck_assert_uint_eq(side_judged(s)->c.m, 6);
	side_end(s);
}
END_TEST

/* Sessions that failed are named beside those that did not, whatever the verdict. */
START_TEST(sessions_that_failed)
{
	struct sides *s = side_start();
	const struct pg_compare_row *r;
	struct pg_err err;

	for (int i = 0; i < 12; i++) {
		struct kit *k = side_add(s, SIDE_PLAIN);
		bool bad = i == 0 || i == 1;

		for (uint32_t n = 1; bad && n <= 3; n++)
			kit_rep(k, (struct kit_rep){.cell = 0, .round = n, .status = PG_ST_FAILED, .why = "no luck"});
		if (i == 7)
			kit_rep(k, (struct kit_rep){.cell = 0, .round = 1, .status = PG_ST_TIMEOUT, .why = "late"});
		if (!bad && i != 11)
			side_rounds(k, 0, 2, 9, 1000000 + i * 100);
		if (i != 11)
			kit_done(k, 0, bad ? PG_STOP_ERROR : PG_STOP_FIXED);
	}
	side_compared(s, 6);
	kit_ok(pg_compare_see_sides(&s->c, &s->base, &s->new, &err), &err);
	r = side_judged(s);
	ck_assert_uint_eq(r->c.n, 4);
	ck_assert_uint_eq(r->c.m, 5);
	ck_assert_str_eq(pg_compare_reason(r),
			 "OLD: 2 of 6 runs failed (no luck); NEW: 1 rep failed (late), not measured "
			 "in 1 of 6 runs");
	ck_assert_int_eq(r->c.verdict, PG_V_MINOR_WORSE);
	/* Behind the reason that there is. */
	s->opts.differs = 0;
	s->run[3].machine.trait[PG_T_KERNEL] = "6.9.0-next";
	side_compared(s, 6);
	kit_ok(pg_compare_see_sides(&s->c, &s->base, &s->new, &err), &err);
	ck_assert_msg(strncmp(pg_compare_reason(side_judged(s)), "env: kernel ", 12) == 0 &&
			      strstr(pg_compare_reason(side_judged(s)), "; OLD: 2 of 6 runs failed (no luck); NEW: "),
		      "%s", pg_compare_reason(side_judged(s)));
	side_end(s);
}
END_TEST

/* What is not known of both machines is not alike. */
START_TEST(unknown_machines)
{
	struct sides *s = side_start();
	char path[128];

	side_spread(s, 1000000);
	side_spread(s, 1300000);
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/env.json", s->kit[i]->run);
		ck_assert_int_eq(unlink(path), 0);
		if (i == 0)
			kit_append(s->kit[i], "env.json", "{", 1);
	}
	side_compared(s, 1);
	side_is(s, PG_V_UNCLEAR, PG_UC_ENV);
	ck_assert_str_eq(pg_compare_reason(side_judged(s)), "env: a machine is not known");
	/* All that cannot be known may differ, if it is said. */
	s->opts.differs = ~(1u << PG_T_CPUS | 1u << PG_T_VERSION);
	side_compared(s, 1);
	side_is(s, PG_V_REGRESSED, PG_UC_NONE);
	side_end(s);
}
END_TEST

static void cut_last_line(const struct kit *k)
{
	char *all = kit_file(k, "journal.jsonl"), path[128], *last;

	ck_assert_ptr_nonnull(all);
	all[strlen(all) - 1] = '\0';
	last = strrchr(all, '\n');
	ck_assert_ptr_nonnull(last);
	snprintf(path, sizeof(path), "%s/journal.jsonl", k->run);
	ck_assert_int_eq(truncate(path, last + 1 - all), 0);
	free(all);
}

/* A journal without its end is told by run.json, which says that there was one; a run that goes on has none yet. */
START_TEST(journals_without_end)
{
	struct pg_err err;
	struct kit k;

	kit_init(&k, SIDE_PLAIN);
	kit_create(&k);
	kit_reopen(&k, false);
	ck_assert(!pg_store_is_cut(k.store));
	kit_reopen(&k, true);
	side_rounds(&k, 0, 1, 10, 1000000);
	kit_done(&k, 0, PG_STOP_FIXED);
	kit_ok(pg_store_finish(k.store, PG_RUN_COMPLETE, &err), &err);
	kit_reopen(&k, false);
	ck_assert(!pg_store_is_cut(k.store));
	/* The end, the mark of the cell, every rep, the start of the session. */
	for (int i = 0; i < 13; i++) {
		cut_last_line(&k);
		kit_reopen(&k, false);
		ck_assert(pg_store_is_cut(k.store));
	}
	kit_reopen(&k, true);
	ck_assert(!pg_store_is_cut(k.store));
	kit_ok(pg_store_session(k.store, &err), &err);
	kit_reopen(&k, false);
	ck_assert(!pg_store_is_cut(k.store));
	kit_end(&k);
}
END_TEST

PG_TEST_MAIN("store_side", ((const struct pg_test[]){
				   {sessions_of_interrupted_runs, 0},
				   {sessions_with_more_reps, 0},
				   {sessions_that_failed, 0},
				   {unknown_machines, 0},
				   {journals_without_end, 0},
				   {NULL, 0},
			   }))
