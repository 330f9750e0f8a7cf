/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a comparison says of cells that were not measured. */
#include "tests/support/pgtest.h"

#include "store/compare.h"
#include "tests/support/storekit.h"

#define SCENARIO                                                                                                       \
	"perfgrid: 1\nname: kit\nsweeps:\n"                                                                            \
	"  - {name: s, suite: noop, process: exec, repeat: 12, variants: [{label: old}, {label: new}]}\n"

/* Not measured: on purpose, because the run ended, because one arm cannot run here. */
START_TEST(standings)
{
	static const struct {
		bool base, new;
		enum pg_skip skip; /* of the second arm */
		enum pg_standing want;
	} rows[] = {
		{true, true, PG_NOT_SKIPPED, PG_CMP_JUDGED},	     {true, false, PG_NOT_SKIPPED, PG_CMP_UNREACHED},
		{false, false, PG_NOT_SKIPPED, PG_CMP_UNREACHED},    {true, false, PG_SKIP_PREFLIGHT, PG_CMP_MISSING},
		{false, false, PG_SKIP_PREFLIGHT, PG_CMP_UNREACHED}, {true, false, PG_SKIP_RULE, PG_CMP_LEFT_OUT},
	};
	const struct pg_compare_opts opts = {.judged_only = true};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct pg_compare c;
		struct pg_err err;
		struct kit k;

		kit_init(&k, SCENARIO);
		if (rows[i].skip != PG_NOT_SKIPPED)
			ck_assert_int_eq(pg_plan_mark(k.plan, 1, rows[i].skip, "here not"), 0);
		kit_create(&k);
		for (uint32_t r = 1; rows[i].base && r <= 12; r++)
			for (size_t arm = 0; arm <= rows[i].new; arm++)
				kit_rep(&k, (struct kit_rep){.cell = arm, .round = r, .ns = 1000000 + r, .count = 1});
		pg_compare_init(&c);
		kit_ok(pg_store_compare(k.store, &opts, &c, &err), &err);
		ck_assert_uint_eq(c.n, 1);
		ck_assert_msg(c.row[0].standing == rows[i].want, "row %zu: %d", i, (int)c.row[0].standing);
		pg_compare_release(&c);
		kit_end(&k);
	}
}
END_TEST

PG_TEST_MAIN("store_compare_standing", ((const struct pg_test[]){
					       {standings, 0},
					       {NULL, 0},
				       }))
