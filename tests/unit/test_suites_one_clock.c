/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bench reads one clock in all of its tasks, and it is the one that it was told: stamps of two clocks have no
 * difference. clock_gettime() of this program is watched: the definition here stands before that of libc.
 */
#include <sys/syscall.h>

#include "base/clock.h"
#include "tests/support/allbench.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"
#include "tests/support/small_rep.h"

/* Bit per clock that was read; shared with the processes that a bench makes. */
static _Atomic uint64_t *clocks;

int clock_gettime(clockid_t id, struct timespec *t)
{
	if (clocks && id >= 0 && id < 64)
		atomic_fetch_or(clocks, UINT64_C(1) << id);
	return (int)syscall(SYS_clock_gettime, id, t);
}

START_TEST(the_other_clock_is_not_read)
{
	const struct pg_bench *bench = ab_bench_at(_i);
	struct sr_rep r;
	int status;

	if (!bench)
		return;
	pg_clock_plain = true;
	if (sr_open(&r, bench) == 0) {
		clocks = ps_shared(sizeof(*clocks));
		status = sr_run(&r, 1);
		ck_assert_msg(status == 0, "%s: %s", bench->name, r.err.msg);
		ck_assert_msg(atomic_load(clocks) >> CLOCK_MONOTONIC & 1, "%s", bench->name);
		ck_assert_msg(!(atomic_load(clocks) >> CLOCK_MONOTONIC_RAW & 1), "%s", bench->name);
		clocks = NULL;
	}
	sr_close(&r);
}
END_TEST

PG_TEST_MAIN("suites_one_clock", ((const struct pg_test[]){
					 {the_other_clock_is_not_read, AB_BENCHES},
					 {ab_loop_reaches_every_bench, 0},
					 {NULL, 0},
				 }))
