/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read around a rep, and the clock that it reads itself. */
#include "tests/support/pgtest.h"

#include "tests/support/childkit.h"
#include "tests/support/fake_bench.h"

#include "engine/child.h"
#include "engine/guardian.h"
#include "engine/rep.h"

START_TEST(slow_facts)
{
	struct pg_job job = {.ops = 1, .seed = 1, .rep = 1, .slow_facts = true};
	struct fb_cell c;

	open_child();
	fb_cell(&c, "outcome=ok");
	job.cell = &c.cell;
	run_job(&job);
	ck_assert_int_ge(out.facts[PG_F_STEAL], 0);
	ck_assert_int_ge(out.facts[PG_F_OTHER_BUSY], 0);
	ck_assert_int_ge(out.facts[PG_F_INTERRUPTS], 0);
	ck_assert_int_ge(out.facts[PG_F_SOFTIRQS], 0);
	job.calibrate = true;
	run_job(&job);
	ck_assert_int_eq(out.facts[PG_F_STEAL], PG_FACT_ABSENT);
	ck_assert_int_eq(out.facts[PG_F_INTERRUPTS], PG_FACT_ABSENT);
	/* What a background program uses is no load of others; how much it is cannot be told. */
	job.calibrate = false;
	c.keys->background = fb_words(&c.arena, (const char *const[]){"sleep", "1000", NULL});
	run_job(&job);
	ck_assert_msg(out.status == PG_ST_OK, "%s", out.why);
	ck_assert_int_eq(out.facts[PG_F_OTHER_BUSY], PG_FACT_ABSENT);
	ck_assert_int_ge(out.facts[PG_F_STEAL], 0);
	fb_done(&c);
	close_child();
}
END_TEST

/* Says which clock it reads. */
static int tell_clock(struct pg_run *run, struct pg_err *err)
{
	(void)err;
	pg_record(run, FB_TIME, 1000);
	pg_record(run, FB_SEEN, pg_clock_plain ? 2 : 1);
	return 0;
}

static const struct pg_bench clock_bench = {
	.name = "clock",
	.summary = "for tests",
	.params = fb_params,
	.metrics = fb_own_metrics,
	.conf_size = sizeof(struct fb_conf),
	.once = tell_clock,
};

/* Reps read the runner's clock, in a program of their own too. */
START_TEST(one_clock)
{
	struct fb_cell c;

	open_child();
	fb_cell_of(&c, &clock_bench, "");
	c.rules->process = _i ? PG_PROC_FORK : PG_PROC_EXEC;
	for (int plain = 0; plain < 2; plain++) {
		pg_clock_plain = plain;
		run_cell(&c);
		ck_assert_msg(out.status == PG_ST_OK, "%s", out.why);
		ck_assert_int_eq(raw(FB_SEEN), plain + 1);
	}
	fb_done(&c);
	close_child();
}
END_TEST

static const struct pg_bench *find(const char *name)
{
	return strcmp(name, clock_bench.name) == 0 ? &clock_bench : fb_find(name);
}

/* Reps by exec run this very program. */
int main(int argc, char **argv)
{
	const struct pg_test tests[] = {
		{slow_facts, 0},
		{one_clock, 2},
		{NULL, 0},
	};

	if (argc > 1 && strcmp(argv[1], PG_REP_ARG) == 0)
		return pg_rep_main(argc, argv, find);
	return pg_test_main("engine_child_facts", tests);
}
