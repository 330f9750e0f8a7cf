/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When a canary is due, what it says by a clock that the test drives, and that forks leave its memory out. */
#include "engine/canary.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "tests/support/pgtest.h"

#define SECOND INT64_C(1000000000)

/* Goes on by step[0], step[1], ... with each reading, and then no more. */
struct ticks {
	int64_t now;
	int64_t step[8];
	size_t n;
};

static int64_t tick(void *ctx)
{
	struct ticks *t = ctx;

	if (t->n < 8)
		t->now += t->step[t->n++];
	return t->now;
}

static struct pg_clock clock_of(struct ticks *t)
{
	return (struct pg_clock){.mono = tick, .ctx = t};
}

/* One reading says whether a second has passed, three stand around the loop and the copy. */
START_TEST(what_the_clock_says)
{
	struct ticks t = {.now = 5, .step = {7, 11, 500000, 60000}};
	const struct pg_clock clock = clock_of(&t);
	struct pg_canary c = {.sampled = false};
	int64_t ns[PG_CANARIES];

	ck_assert(pg_canary_sample(&c, &clock, 0, 1, ns));
	ck_assert_int_eq(ns[PG_CANARY_ALU], 500000);
	ck_assert_int_eq(ns[PG_CANARY_COPY], 60000);
	/* A clock that stands: no time has passed. */
	t.now += SECOND;
	t.n = 8;
	ck_assert(pg_canary_sample(&c, &clock, 0, 2, ns));
	ck_assert_int_eq(ns[PG_CANARY_ALU], 0);
	ck_assert_int_eq(ns[PG_CANARY_COPY], 0);
	/* One that goes back is no time below 0. */
	t = (struct ticks){.now = t.now + 2 * SECOND, .step = {0, 0, -3, -4}};
	ck_assert(pg_canary_sample(&c, &clock, 0, 3, ns));
	ck_assert_int_eq(ns[PG_CANARY_ALU], 0);
	ck_assert_int_eq(ns[PG_CANARY_COPY], 0);
	pg_canary_release(&c);
}
END_TEST

START_TEST(once_a_round_and_a_second)
{
	static const struct {
		int64_t at;
		size_t sweep;
		uint32_t round;
		bool due;
	} rows[] = {
		{0, 0, 1, true},
		{5 * SECOND, 0, 1, false}, /* the round has one */
		{5 * SECOND, 0, 2, true},
		{6 * SECOND - 1, 0, 3, false}, /* a second has not passed */
		{6 * SECOND, 0, 3, true},
		{6 * SECOND, 1, 3, false},
		{7 * SECOND, 1, 3, true}, /* the same number in another sweep */
		{70 * SECOND, 1, 3, false},
		{70 * SECOND, 1, 4, true},
	};
	struct ticks t = {.n = 8};
	const struct pg_clock clock = clock_of(&t);
	struct pg_canary c = {.sampled = false};
	int64_t ns[PG_CANARIES];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		t.now = 1000 + rows[i].at;
		ck_assert_msg(pg_canary_sample(&c, &clock, rows[i].sweep, rows[i].round, ns) == rows[i].due, "row %zu",
			      i);
	}
	/* Let go it starts anew. */
	pg_canary_release(&c);
	ck_assert(pg_canary_sample(&c, &clock, 1, 4, ns));
	pg_canary_release(&c);
}
END_TEST

/* By the real clock both take time, and a rep that was forked has none of it. */
START_TEST(real_work)
{
	struct pg_canary c = {.sampled = false};
	int64_t ns[PG_CANARIES];
	unsigned char core;
	int status;
	pid_t child;

	ck_assert(pg_canary_sample(&c, pg_clock_real(), 0, 1, ns));
	ck_assert_int_gt(ns[PG_CANARY_ALU], 0);
	ck_assert_int_gt(ns[PG_CANARY_COPY], 0);
	ck_assert_ptr_nonnull(c.buf);
	ck_assert_int_eq(mincore(c.buf, 1, &core), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		_exit(mincore(c.buf, 1, &core) == 0);
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
	pg_canary_release(&c);
	ck_assert_ptr_null(c.buf);
}
END_TEST

PG_TEST_MAIN("engine_canary", ((const struct pg_test[]){
				      {what_the_clock_says, 0},
				      {once_a_round_and_a_second, 0},
				      {real_work, 0},
				      {NULL, 0},
			      }))
