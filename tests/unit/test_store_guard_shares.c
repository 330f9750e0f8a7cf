/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guards of a cell: the share of its reps, or of its CPUs' time, that each speaks against. */
#include <math.h>

#include "store/samples.h"
#include "tests/support/guardkit.h"

static void share_is(const struct kit *k, size_t cell, unsigned guard, double want)
{
	unsigned bit = 0;
	double share = 0;
	bool fired;

	while (guard >> bit != 1)
		bit++;
	fired = pg_guard_shares_of(k->store->shares, cell, bit, &share);
	if (want > 0)
		ck_assert_msg(fired && fabs(share - want) < 1e-9, "%s: %g, not %g", pg_guard_name(bit), share, want);
	else
		ck_assert_msg(!fired, "%s: %g", pg_guard_name(bit), share);
}

START_TEST(shares)
{
	struct kit k;
	char root[FAKE_ROOT];

	open_run(&k, root, NULL);
	/* Long reps tell by themselves; only those that have the fact count. */
	for (uint32_t i = 1; i <= 10; i++)
		rep(&k, (struct with){.round = i,
				      .ns = MS,
				      .wall_ns = 1000 * MS,
				      .major = i == 3,
				      .fact = {{PG_F_STEAL, i <= 8 ? (i <= 2 ? 400 : 1) : 0},
					       {PG_F_PSI_MEM, i == 5 ? 50000 : 10}}});
	share_is(&k, 0, PG_GUARD_STEAL, 0.25);
	share_is(&k, 0, PG_GUARD_PRESSURE_MEMORY, 0.1);
	share_is(&k, 0, PG_GUARD_MAJOR_FAULTS, 0.1);
	share_is(&k, 0, PG_GUARD_LOAD, 0);
	share_is(&k, 0, PG_GUARD_PRESSURE_IO, 0);
	share_is(&k, 1, PG_GUARD_STEAL, 0);
	close_run(&k, root);
}
END_TEST

/* Warm-ups, disturbed and failed reps are no part of a share. */
START_TEST(only_samples)
{
	struct kit k;
	char root[FAKE_ROOT];

	open_run(&k, root, NULL);
	rep(&k, (struct with){.warmup = true, .ns = MS, .wall_ns = MS, .major = 1});
	rep(&k, (struct with){.round = 1, .ns = MS, .wall_ns = MS, .major = 1, .disturbed = true});
	rep(&k, (struct with){.round = 1, .ns = MS, .wall_ns = MS});
	share_is(&k, 0, PG_GUARD_MAJOR_FAULTS, 0);
	ck_assert_uint_eq(pg_guard_shares_cell(k.store->shares, 0)->known[6], 1);
	ck_assert_uint_eq(pg_samples_acc(k.store->samples, 0)->n, 1);
	close_run(&k, root);
}
END_TEST

/* Eight CPUs: of reps that are too short for ticks the sum over the cell is judged, once it is long enough. */
START_TEST(short_reps)
{
	struct kit k;
	char root[FAKE_ROOT];

	open_run(&k, root, NULL);
	for (uint32_t i = 1; i <= 4; i++)
		rep(&k, (struct with){.round = i, .ns = MS, .wall_ns = 49 * MS, .fact = {{PG_F_STEAL, 1}}});
	share_is(&k, 0, PG_GUARD_STEAL, 0); /* 196 ms: too little to tell */
	rep(&k, (struct with){.round = 5, .ns = MS, .wall_ns = 54 * MS, .fact = {{PG_F_STEAL, 1}}});
	share_is(&k, 0, PG_GUARD_STEAL, 50.0 / (250 * 8));
	for (uint32_t i = 1; i <= 10; i++)
		rep(&k,
		    (struct with){.cell = 1, .round = i, .ns = MS, .wall_ns = 50 * MS, .fact = {{PG_F_OTHER_BUSY, 1}}});
	share_is(&k, 1, PG_GUARD_LOAD, 0); /* 2.5 % */
	for (uint32_t i = 11; i <= 20; i++)
		rep(&k,
		    (struct with){.cell = 1, .round = i, .ns = MS, .wall_ns = 50 * MS, .fact = {{PG_F_OTHER_BUSY, 5}}});
	share_is(&k, 1, PG_GUARD_LOAD, 600.0 / (1000 * 8));
	close_run(&k, root);
}
END_TEST

/* Three times the median of the run, which no rep knows when it is measured. */
START_TEST(interrupts)
{
	struct kit k;
	struct pg_err err;
	char root[FAKE_ROOT];

	open_run(&k, root, NULL);
	for (uint32_t i = 1; i <= 9; i++)
		rep(&k, (struct with){.round = i, .ns = MS, .wall_ns = 100 * MS, .fact = {{PG_F_INTERRUPTS, 100 + i}}});
	rep(&k, (struct with){.cell = 1,
			      .round = 1,
			      .ns = MS,
			      .wall_ns = 100 * MS,
			      .fact = {{PG_F_INTERRUPTS, 200}, {PG_F_SOFTIRQS, 150}}});
	share_is(&k, 1, PG_GUARD_INTERRUPTS, 0);
	for (int again = 0; again < 2; again++) {
		kit_ok(pg_guard_shares_settle(k.store->shares, &err), &err);
		share_is(&k, 0, PG_GUARD_INTERRUPTS, 0);
		share_is(&k, 1, PG_GUARD_INTERRUPTS, 1);
	}
	for (uint32_t i = 2; i <= 20; i++)
		rep(&k,
		    (struct with){
			    .cell = 1, .round = i, .ns = MS, .wall_ns = 100 * MS, .fact = {{PG_F_INTERRUPTS, 350}}});
	kit_ok(pg_guard_shares_settle(k.store->shares, &err), &err);
	share_is(&k, 1, PG_GUARD_INTERRUPTS, 0); /* many are usual now */
	close_run(&k, root);
}
END_TEST

/* Where as a rule there are none, one or two are no sign of anything; nor are they in a rep of a millisecond. */
START_TEST(few_interrupts)
{
	struct kit k;
	struct pg_err err;
	char root[FAKE_ROOT], *text;
	int named = 0;

	open_run(&k, root, NULL);
	for (uint32_t i = 1; i <= 9; i++)
		rep(&k, (struct with){.round = i,
				      .ns = MS,
				      .wall_ns = 100 * MS,
				      .fact = {{PG_F_INTERRUPTS, i == 5 ? 5 : NOTHING}}});
	rep(&k, (struct with){.cell = 1, .round = 1, .ns = MS, .wall_ns = 100 * MS, .fact = {{PG_F_INTERRUPTS, 6}}});
	kit_ok(pg_guard_shares_settle(k.store->shares, &err), &err);
	share_is(&k, 0, PG_GUARD_INTERRUPTS, 0);
	share_is(&k, 1, PG_GUARD_INTERRUPTS, 1);
	write_all(&k);
	text = kit_file(&k, "a.samples.csv");
	for (const char *p = text; (p = strstr(p, ",interrupts,")); p++)
		named++;
	ck_assert_int_eq(named, 2); /* a column, and the guard of one rep */
	free(text);
	/* 1000 a second are usual now: 3 expected in 1 ms, and 5 more. */
	for (uint32_t i = 10; i <= 30; i++)
		rep(&k, (struct with){.round = i, .ns = MS, .wall_ns = 100 * MS, .fact = {{PG_F_INTERRUPTS, 100}}});
	for (uint32_t i = 1; i <= 4; i++)
		rep(&k,
		    (struct with){.cell = 2, .round = i, .ns = MS, .wall_ns = MS, .fact = {{PG_F_SOFTIRQS, 5 + i}}});
	kit_ok(pg_guard_shares_settle(k.store->shares, &err), &err);
	share_is(&k, 0, PG_GUARD_INTERRUPTS, 0);
	share_is(&k, 2, PG_GUARD_INTERRUPTS, 0.25);
	close_run(&k, root);
}
END_TEST

/* A cell with a `pin` is judged by its own CPUs, two, not by the eight of the run. */
START_TEST(pinned)
{
	struct kit k;
	char root[FAKE_ROOT], *text;

	open_run(&k, root, NULL);
	for (uint32_t i = 1; i <= 4; i++) {
		const int64_t load = i % 2 ? 10 : 11; /* ticks: at the limit of two CPUs, and above it */

		for (size_t cell = 0; cell < 6; cell += 5)
			rep(&k, (struct with){.cell = cell,
					      .round = i,
					      .ns = MS,
					      .wall_ns = 1000 * MS,
					      .fact = {{PG_F_OTHER_BUSY, load}, {PG_F_STEAL, NOTHING}}});
	}
	share_is(&k, 0, PG_GUARD_LOAD, 0);
	share_is(&k, 5, PG_GUARD_LOAD, 0.5);
	kit_reopen(&k, false);
	share_is(&k, 0, PG_GUARD_LOAD, 0);
	share_is(&k, 5, PG_GUARD_LOAD, 0.5);
	write_all(&k);
	text = kit_file(&k, "a.samples.csv");
	ck_assert_ptr_null(strstr(text, ",load,"));
	free(text);
	text = kit_file(&k, "d.samples.csv");
	ck_assert_ptr_nonnull(strstr(text, ",load,"));
	free(text);
	close_run(&k, root);
	/* Short reps: the share of the CPU time. */
	open_run(&k, root, NULL);
	for (uint32_t i = 1; i <= 10; i++)
		rep(&k, (struct with){.cell = 5, .round = i, .ns = MS, .wall_ns = 50 * MS, .fact = {{PG_F_STEAL, 1}}});
	share_is(&k, 5, PG_GUARD_STEAL, 100.0 / (500 * 2));
	close_run(&k, root);
}
END_TEST

PG_TEST_MAIN("store_guard_shares", ((const struct pg_test[]){
					   {shares, 0},
					   {only_samples, 0},
					   {short_reps, 0},
					   {interrupts, 0},
					   {few_interrupts, 0},
					   {pinned, 0},
					   {NULL, 0},
				   }))
