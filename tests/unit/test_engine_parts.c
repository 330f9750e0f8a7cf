/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which rounds are of which part. */
#include "engine/parts.h"
#include "tests/support/pgtest.h"

static const struct {
	uint32_t most, parts, end[5];
} rows[] = {
	{7, 3, {3, 5, 7}},
	{10, 5, {2, 4, 6, 8, 10}},
	{3, 5, {1, 2, 2, 3, 3}},
	{1, 1, {1}},
	{UINT32_MAX, 2, {1U << 31, UINT32_MAX}},
};

START_TEST(ends)
{
	for (uint32_t i = 0; i < rows[_i].parts; i++)
		ck_assert_uint_eq(pg_part_end(rows[_i].most, i + 1, rows[_i].parts), rows[_i].end[i]);
}
END_TEST

/* A round is of the first part that ends with it or after it. */
START_TEST(of_a_round)
{
	for (uint32_t most = 1; most <= 40; most++) {
		for (uint32_t parts = 1; parts <= 12; parts++) {
			for (uint32_t round = 1; round <= most + 3; round++) {
				uint32_t want = 1;

				while (want < parts && pg_part_end(most, want, parts) < round)
					want++;
				ck_assert_uint_eq(pg_part_of(most, round, parts), want);
			}
		}
	}
	ck_assert_uint_eq(pg_part_of(10, 0, 5), 1);
	ck_assert_uint_eq(pg_part_of(10, 7, 0), 1);
	ck_assert_uint_eq(pg_part_end(10, 1, 0), 10);
	ck_assert_uint_eq(pg_part_of(UINT32_MAX, UINT32_MAX, UINT32_MAX), UINT32_MAX);
}
END_TEST

PG_TEST_MAIN("engine_parts", ((const struct pg_test[]){
				     {ends, (int)(sizeof(rows) / sizeof(*rows))},
				     {of_a_round, 0},
				     {NULL, 0},
			     }))
