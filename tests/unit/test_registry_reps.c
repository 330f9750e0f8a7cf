/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every bench of the registry that this machine can run: small reps, and the process as it was before. */
#include <string.h>

#include "tests/support/allbench.h"
#include "tests/support/pgtest.h"
#include "tests/support/small_rep.h"

#define REPS 4

#ifdef __SANITIZE_THREAD__
#define FOREIGN_THREADS 1 /* the sanitizer's own, once there were threads */
#else
#define FOREIGN_THREADS 0
#endif

static bool recorded(const struct sr_rep *r, const struct pg_metric *m)
{
	for (uint32_t i = 0; i < r->page.n; i++)
		if (&r->bench->metrics[r->page.s[i].metric] == m && !r->page.s[i].missing)
			return true;
	return false;
}

/* The headline is a number of its own, or a ratio whose two parts are. */
static void headline_recorded(const struct sr_rep *r)
{
	const struct pg_metric *rows = r->bench->metrics;

	for (size_t i = 0; rows[i].name; i++) {
		if (!(rows[i].flags & PG_M_MAIN))
			continue;
		if (rows[i].reduce != PG_RATIO) {
			ck_assert_msg(recorded(r, &rows[i]), "%s: no %s", r->bench->name, rows[i].name);
			continue;
		}
		ck_assert_msg(recorded(r, &rows[rows[i].num]), "%s: nothing above the line of %s", r->bench->name,
			      rows[i].name);
		ck_assert_msg(recorded(r, &rows[rows[i].den]), "%s: nothing below the line of %s", r->bench->name,
			      rows[i].name);
	}
}

/* One test a bench; what is beyond the last one has nothing to do. */
START_TEST(leaves_all_as_it_was)
{
	const struct pg_bench *b = ab_bench_at(_i);
	struct sr_around before, after;
	struct sr_rep r;
	int can;

	if (!b)
		return;
	can = sr_open(&r, b);
	ck_assert_msg(can >= 0, "%s: %s", b->name, r.err.msg);
	if (can == 1)
		ck_assert_msg(r.err.msg[0], "%s: refused without a reason", b->name);
	if (can == 0) {
		sr_look(&before);
		for (unsigned i = 1; i <= REPS; i++) {
			const char *what;

			ck_assert_msg(sr_run(&r, i) == 0, "%s: %s", b->name, r.err.msg);
			headline_recorded(&r);
			sr_look(&after);
			what = sr_differs(&before, &after, FOREIGN_THREADS);
			ck_assert_msg(!what, "%s: %s differ after rep %u", b->name, what, i);
		}
	}
	sr_close(&r);
}
END_TEST

PG_TEST_MAIN("registry_reps", ((const struct pg_test[]){
				      {leaves_all_as_it_was, AB_BENCHES},
				      {ab_loop_reaches_every_bench, 0},
				      {NULL, 0},
			      }))
