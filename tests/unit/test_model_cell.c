/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cell ids, descriptions, seeds. */
#include "tests/support/pgtest.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "model/cell.h"

START_TEST(ids)
{
	static const uint64_t t[] = {0, 1, UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210), UINT64_MAX};
	char buf[PG_CELL_ID_BUF], want[32];

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		uint64_t back = 7;

		pg_cell_id_format(buf, t[i]);
		snprintf(want, sizeof(want), "c%016" PRIx64, t[i]);
		ck_assert_str_eq(buf, want);
		ck_assert_int_eq(pg_cell_id_parse(buf, &back), 0);
		ck_assert(back == t[i]);
	}
}
END_TEST

START_TEST(odd_ids)
{
	static const char *const t[] = {"",
					"c",
					"0123456789abcdef",
					"c0123456789abcde",
					"c0123456789abcdef0",
					"C0123456789abcdef",
					"c0123456789ABCDEF",
					"c0123456789abcdeg",
					"c 123456789abcdef",
					"c-123456789abcdef"};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		uint64_t id = 7;

		ck_assert_msg(pg_cell_id_parse(t[i], &id) == -1, "%s", t[i]);
		ck_assert(id == 7);
	}
}
END_TEST

static const struct pg_choice auto_word[] = {{"auto", NULL}, {NULL, NULL}};
static const struct pg_choice transports[] = {{"socket", NULL}, {"pipe", NULL}, {NULL, NULL}};
static const struct pg_param rows[] = {
	{.name = "groups", .def = "10", .type = PG_COUNT},
	{.name = "loops", .def = "1000", .sdef = "auto", .type = PG_COUNT, .choices = auto_word, .role = PG_OPS},
	{.name = "size", .def = "1024B", .type = PG_SIZE},
	{.name = "threads", .def = "max(1, cpus - 1)", .type = PG_COUNT},
	{.name = "transport", .def = "socket", .type = PG_ENUM, .choices = transports},
	{.name = "program", .def = "/bin/true", .type = PG_TEXT},
	{.name = "cpu_set", .type = PG_CPULIST},
	{.name = NULL},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]) - 1)

START_TEST(descriptions)
{
	static const struct {
		const char *texts[ROWS];
		const char *want;
		bool is_auto;
	} t[] = {
		{{"10", "auto", "1KB", NULL, "socket", "/bin/true", NULL}, "", true},
		{{"4", "auto", "1KB", NULL, "pipe", "/bin/true", NULL}, "groups=4 transport=pipe", true},
		{{"10", "1000", "100B", "3", "socket", "x y", "0-1"},
		 "loops=1000 size=100B threads=3 program=x y cpu_set=0-1",
		 false},
	};
	struct pg_value vals[ROWS];
	struct pg_arena a;
	struct pg_str s;

	pg_arena_init(&a, false);
	pg_str_init(&s);
	for (size_t k = 0; k < sizeof(t) / sizeof(t[0]); k++) {
		struct pg_cell c = {.params = rows, .n_params = ROWS, .vals = vals};

		memset(vals, 0, sizeof(vals));
		for (size_t i = 0; i < ROWS; i++) {
			const char *text = t[k].texts[i];

			if (text)
				ck_assert_int_eq(pg_value_parse(&rows[i], text, strlen(text), &a, &vals[i], NULL), 0);
		}
		/* a param with a default that is an expression is never known to stand there */
		pg_str_reset(&s);
		pg_cell_describe(&c, &s);
		ck_assert_str_eq(pg_str_text(&s), t[k].want);
		ck_assert_int_eq(pg_cell_auto(&c), t[k].is_auto);
	}
	pg_str_release(&s);
	pg_arena_release(&a);
}
END_TEST

START_TEST(no_ops_row)
{
	struct pg_cell c = {.params = &rows[ROWS]};

	ck_assert(!pg_cell_auto(&c));
}
END_TEST

static int cmp_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Neighbouring seeds, cells, reps and phases: no two reps of a run, nor of two runs, share a seed. */
START_TEST(seeds_differ)
{
	enum { SIDE = 24, N = SIDE * SIDE * SIDE * 2 };
	uint64_t *seeds = calloc(N, sizeof(*seeds));
	size_t n = 0, same = 0;

	ck_assert_ptr_nonnull(seeds);
	for (uint64_t run = 0; run < SIDE; run++) {
		for (uint64_t cell = 0; cell < SIDE; cell++) {
			for (uint32_t rep = 0; rep < SIDE; rep++) {
				seeds[n++] = pg_rep_seed(run, cell, false, rep);
				seeds[n++] = pg_rep_seed(run, cell, true, rep);
			}
		}
	}
	qsort(seeds, n, sizeof(*seeds), cmp_u64);
	for (size_t i = 1; i < n; i++)
		same += seeds[i] == seeds[i - 1];
	ck_assert_uint_eq(same, 0);
	free(seeds);
}
END_TEST

/* Kept for ever: a run that is resumed goes on with the same seeds. */
START_TEST(seeds_are_fixed)
{
	uint64_t golden = UINT64_C(0x9e3779b97f4a7c15);

	ck_assert(pg_rep_seed(0, 0, false, 0) == pg_mix64(pg_mix64(pg_mix64(golden) + golden) + golden));
	ck_assert(pg_rep_seed(1, 2, true, 3) == pg_mix64((pg_mix64((pg_mix64(1 + golden) ^ 2) + golden) ^ 7) + golden));
}
END_TEST

PG_TEST_MAIN("model_cell", ((const struct pg_test[]){
				   {ids, 0},
				   {odd_ids, 0},
				   {descriptions, 0},
				   {no_ops_row, 0},
				   {seeds_differ, 0},
				   {seeds_are_fixed, 0},
				   {NULL, 0},
			   }))
