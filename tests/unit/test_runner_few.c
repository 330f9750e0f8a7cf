/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is made of few reps: an interval whose true level is told, never a verdict. And without a word in the scenario
 * cells take turns, in an order that the run directory keeps.
 */
#include "runner/cmd_compare.h"

#include "base/err.h"
#include "store/json.h"
#include "tests/support/csvkit.h"
#include "tests/support/fake_world.h"
#include "tests/support/pgtest.h"

#define MOST 5 /* reps that are few */

#define SWEEP "perfgrid: 1\nname: a\nsweeps:\n  - {name: s, suite: noop, process: exec, warmup: 0, "

/* The second arm takes twice as long. */
static int twice(struct fake_world *f, const struct pg_job *job, struct pg_outcome *out, struct pg_err *err)
{
	const char *arm = job->cell->variant_label ? job->cell->variant_label : "";
	const int64_t ns = (f->rep_ns + (int64_t)(f->reps * 7919 % 5000)) * (strcmp(arm, "slow") == 0 ? 2 : 1);

	(void)err;
	for (size_t i = 0; i < out->n; i++)
		out->s[i].raw = job->cell->metrics[out->s[i].metric].unit == PG_U_S ? ns : 1000;
	return 0;
}

static struct json_t *read_json(const char *path, struct pg_err *err)
{
	static char text[65536];
	FILE *file = fopen(path, "r");
	struct json_t *j;

	ck_assert_ptr_nonnull(file);
	j = pg_json_parse(text, fread(text, 1, sizeof(text), file), err);
	fclose(file);
	ck_assert_msg(j != NULL, "%s", err->msg);
	return j;
}

/* A difference that anybody sees, in one to five rounds: no verdict, and the gate does not let it pass either. */
START_TEST(few_rounds_give_no_verdict)
{
	const struct json_t *row;
	struct fake_world f;
	struct json_t *j;
	struct pg_err err;
	char text[256];

	enter(&f);
	f.answer = twice;
	snprintf(text, sizeof(text), SWEEP "repeat: %d, variants: [{label: old}, {label: slow}]}\n", _i + 1);
	put("a.yaml", text);
	ck_assert_int_eq(CLI(&f, "run", "-q", "-o", "d", "a.yaml"), 0);
	ck_assert_int_eq(CLI(&f, "compare", "d", "--format=json", "-o", "report.json"), 0);
	ck_assert_int_eq(CLI(&f, "compare", "d", "--gate"), 5);
	j = read_json("report.json", &err);
	row = pg_json_at(pg_json_get(j, "rows"), 0);
	ck_assert_str_eq(pg_json_text(row, "standing"), "judged");
	ck_assert_str_eq(pg_json_text(row, "verdict"), "unclear");
	ck_assert_str_eq(pg_json_text(row, "reason"), "n");
	pg_json_free(j);
	leave(&f);
}
END_TEST

/* The interval of two to five is their range, and cells.csv has the level that a range has; one has none. */
START_TEST(few_reps_have_their_level)
{
	static const char *const levels[MOST] = {"", "0.5", "0.75", "0.875", "0.9375"};
	const int n = _i + 1;
	struct fake_world f;
	struct csvkit s;
	char text[256];
	size_t row;

	enter(&f);
	f.answer = twice;
	snprintf(text, sizeof(text), SWEEP "repeat: %d}\n", n);
	put("a.yaml", text);
	ck_assert_int_eq(CLI(&f, "run", "-o", "d", "a.yaml"), 0);
	csvkit_load(&s, "d/s.cells.csv");
	row = csvkit_find(&s, 1, "metric", "time");
	snprintf(text, sizeof(text), "%d", n);
	csvkit_is(&s, row, "n", text);
	csvkit_is(&s, row, "ci_level", levels[_i]);
	if (n > 1) {
		csvkit_is(&s, row, "ci_lo", csvkit_at(&s, row, "min"));
		csvkit_is(&s, row, "ci_hi", csvkit_at(&s, row, "max"));
		ck_assert_str_ne(csvkit_at(&s, row, "min"), csvkit_at(&s, row, "max"));
	} else {
		csvkit_is(&s, row, "ci_lo", "");
		csvkit_is(&s, row, "ci_hi", "");
		expect("stderr", f.err, "n1: 1 cell");
	}
	ck_assert_int_eq(strstr(csvkit_at(&s, row, "flags"), "n1") != NULL, n == 1);
	csvkit_drop(&s);
	leave(&f);
}
END_TEST

/* Cells take turns: each round has every cell once, in an order that is not the file's; seed and places are kept. */
START_TEST(cells_take_turns_by_default)
{
	struct fake_world f;
	struct csvkit s;
	struct pg_plan *plan;
	bool as_in_file = true;

	enter(&f);
	plan = fake_world_plan(SWEEP "repeat: 4, vary: {first: [1, 2, 3, 4, 5, 6, 7, 8]}}\n");
	ck_assert_int_eq(pg_plan_sweep(plan, 0)->rules.order, PG_INTERLEAVED);
	pg_plan_free(plan);
	put("a.yaml", SWEEP "repeat: 4, vary: {first: [1, 2, 3, 4, 5, 6, 7, 8]}}\n");
	ck_assert_int_eq(CLI(&f, "run", "-q", "--seed", "5", "-o", "d", "a.yaml"), 0);
	csvkit_load(&s, "d/s.samples.csv");
	ck_assert_uint_eq(s.n, 1 + 4 * 8);
	for (size_t round = 0; round < 4; round++) {
		unsigned seen = 0;

		for (size_t i = 0; i < 8; i++) {
			const size_t row = 1 + 8 * round + i;
			const int first = atoi(csvkit_at(&s, row, "first"));

			ck_assert_int_eq(atoi(csvkit_at(&s, row, "round")), (int)round + 1);
			ck_assert_int_eq(atoi(csvkit_at(&s, row, "position")), (int)i);
			ck_assert_int_eq(*csvkit_at(&s, row, "seed"), 's');
			ck_assert_str_ne(csvkit_at(&s, row, "t_wall"), "");
			seen |= 1u << first;
			as_in_file = as_in_file && first == (int)i + 1;
		}
		ck_assert_uint_eq(seen, 0x1fe);
	}
	ck_assert(!as_in_file);
	csvkit_drop(&s);
	leave(&f);
}
END_TEST

PG_TEST_MAIN("runner_few", ((const struct pg_test[]){
				   {few_rounds_give_no_verdict, MOST},
				   {few_reps_have_their_level, MOST},
				   {cells_take_turns_by_default, 0},
				   {NULL, 0},
			   }))
