/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What docs/better-than.md says of mem as a user sees it: through command lines, with reps that nobody runs. */
#include "tests/support/fake_world.h"
#include "tests/support/pgtest.h"

/* Fields of a line of numbers that hold something. */
static unsigned filled(const char *line)
{
	unsigned n = 0;

	for (const char *p = strchr(line, ','); p; p = strchr(p + 1, ','))
		n += p[1] != ',' && p[1] != '\n' && p[1] != '\0';
	return n;
}

/* The 78 lengths and numbers of set bits, powers of two up to 2048, as one table for each function. */
START_TEST(the_ancestors_bitmaps)
{
	static const char *const files[] = {"bitmap.find_next_bit.time_per_op_ns.median.csv",
					    "bitmap.test_bit.time_per_op_ns.median.csv"};
	char top[4096], scenario[4200], line[4096];
	struct fake_world f;
	unsigned rows = 0, numbers = 0;
	FILE *table;

	ck_assert_ptr_nonnull(getcwd(top, sizeof(top)));
	snprintf(scenario, sizeof(scenario), "%s/scenarios/find_bit.yaml", top);
	if (access(scenario, R_OK))
		ck_abort_msg("run the tests in the top directory");
	enter(&f);
	ck_assert_msg(CLI(&f, "run", "-q", "--no-lock", "-o", "run", scenario) == 0, "%s", f.err);
	snprintf(line, sizeof(line), "run/%s", files[_i]);
	table = fopen(line, "re");
	ck_assert_msg(table != NULL, "no %s in\n%s", line, f.out);
	ck_assert_ptr_nonnull(fgets(line, sizeof(line), table));
	ck_assert_str_eq(line, "bits\\set_bits,1,2,4,8,16,32,64,128,256,512,1024,2048\n");
	for (; fgets(line, sizeof(line), table); rows++) {
		ck_assert_int_eq(strtol(line, NULL, 10), 1L << rows);
		ck_assert_msg(filled(line) == rows + 1, "%s", line);
		numbers += filled(line);
	}
	fclose(table);
	ck_assert_uint_eq(rows, 12);
	ck_assert_uint_eq(numbers, 78);
	leave(&f);
}
END_TEST

/* `all`, or the name of a routine, whole: no word that begins with it, no other spelling. */
START_TEST(functions_are_whole_words)
{
	static const struct {
		const char *word;
		int status;
	} c[] = {{"all", 0}, {"default", 0}, {"allxyz", 2}, {"al", 2}, {"defaul", 2}, {"Default", 2}, {"help", 2}};
	struct fake_world f;
	char text[256];

	enter(&f);
	snprintf(text, sizeof(text),
		 "perfgrid: 1\nname: b\nsweeps:\n  - {name: s, suite: mem/memcpy, vary: {function: %s}}\n", c[_i].word);
	put("b.yaml", text);
	ck_assert_msg(CLI(&f, "check", "b.yaml") == c[_i].status, "%s: %s", c[_i].word, f.err);
	if (c[_i].status)
		expect("message", f.err, "b.yaml:4:");
	leave(&f);
}
END_TEST

PG_TEST_MAIN("runner_claims", ((const struct pg_test[]){
				      {the_ancestors_bitmaps, 2},
				      {functions_are_whole_words, 7},
				      {NULL, 0},
			      }))
