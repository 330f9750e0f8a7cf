/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Many values, labels, skips and adds in one sweep: none is looked for one by one. That would be thousands of millions
 * of comparisons each, and the tests would not end in their time.
 */
#include "tests/support/pgtest.h"

#include "tests/support/plankit.h"

#define EXEC KIT_HEAD "  - name: s\n    suite: exec\n    command: [x]\n"

static void load(struct kit *k, struct pg_str *yaml, size_t cells)
{
	ck_assert(!yaml->failed);
	kit_init(k);
	kit_good(k, pg_str_text(yaml), "");
	ck_assert_uint_eq(pg_plan_cells(k->plan), cells);
	pg_str_release(yaml);
}

static size_t skipped(const struct kit *k)
{
	size_t n = 0;

	for (size_t i = 0; i < pg_plan_cells(k->plan); i++)
		n += pg_plan_skip(k->plan, i, NULL) != PG_NOT_SKIPPED;
	return n;
}

/* 30,000 values of skips against 100,000 of the axis. */
START_TEST(skipped_values)
{
	struct pg_str y;
	struct kit k;

	pg_str_init(&y);
	pg_str_adds(&y, EXEC "    vary: {j: 1..100000}\n    skip:\n");
	for (int i = 0; i < 30; i++) {
		pg_str_adds(&y, "      - {j: [");
		for (int v = 0; v < 1000; v++)
			pg_str_addf(&y, "%s%d", v ? ", " : "", 100000 - 1000 * i - v);
		pg_str_adds(&y, "]}\n");
	}
	load(&k, &y, 100000);
	ck_assert_uint_eq(skipped(&k), 30000);
	ck_assert_int_eq(pg_plan_skip(k.plan, 69999, NULL), PG_NOT_SKIPPED);
	ck_assert_int_eq(pg_plan_skip(k.plan, 70000, NULL), PG_SKIP_RULE);
	kit_done(&k);
}
END_TEST

/* 10,000 new values, each looked for among 90,000 and those that joined before it. */
START_TEST(added_values)
{
	struct pg_str y;
	struct kit k;

	pg_str_init(&y);
	pg_str_adds(&y, EXEC "    vary: {j: 1..90000}\n    add:\n");
	for (int i = 0; i < 10000; i++)
		pg_str_addf(&y, "      - {j: %d}\n", 200000 + i);
	load(&k, &y, 100000);
	kit_done(&k);
}
END_TEST

/* 10,000 labels, all different; a quick form that keeps all of them, the last one first. */
START_TEST(labels)
{
	struct pg_str y;
	struct kit k;

	pg_str_init(&y);
	pg_str_adds(&y, EXEC "    vary:\n      b:\n");
	for (int i = 0; i < 10000; i++)
		pg_str_addf(&y, "        - {label: label-of-some-length-%d, j: %d}\n", i, i);
	pg_str_adds(&y, "    quick: {vary: {b: [");
	for (int i = 9999; i >= 0; i--)
		pg_str_addf(&y, "label-of-some-length-%d%s", i, i ? ", " : "]}}\n");
	kit_init(&k);
	k.opts.quick = true;
	kit_good(&k, pg_str_text(&y), "");
	ck_assert_uint_eq(pg_plan_cells(k.plan), 10000);
	ck_assert_str_eq(pg_plan_sweep(k.plan, 0)->axes[0].labels[0], "label-of-some-length-9999");
	pg_str_release(&y);
	kit_done(&k);
}
END_TEST

PG_TEST_MAIN("plan_many", ((const struct pg_test[]){
				  {skipped_values, 0},
				  {added_values, 0},
				  {labels, 0},
				  {NULL, 0},
			  }))
