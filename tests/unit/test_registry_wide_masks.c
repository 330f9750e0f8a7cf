/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel with more CPUs than a mask of 1024 bits can name answers EINVAL to one that is too short: made here by a
 * filter, under which no bench may fail that does not fail without it.
 */
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>

#include "base/cpulist.h"
#include "tests/support/allbench.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"
#include "tests/support/small_rep.h"

#define KERNEL_BYTES 1024 /* of a mask: 8192 CPUs */

/* sched_getaffinity() with fewer bytes fails from now on: 0, or -1 where there are no filters. */
static int widen(uint32_t bytes)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_sched_getaffinity, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offsetof(struct seccomp_data, args) + sizeof(uint64_t))),
		BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, bytes, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EINVAL),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

enum { GOOD, NO_FILTERS, REFUSED, TOO_SHORT, OPEN_FAILED, RUN_FAILED, OTHER_CPUS };

struct wide {
	const struct pg_bench *bench;
	struct pg_err err;
};

static int rep_under_filter(void *arg)
{
	struct wide *w = arg;
	struct sr_rep r;
	int can = sr_open(&r, w->bench);
	unsigned long mask[1024 / (8 * sizeof(unsigned long))];

	sr_close(&r);
	if (can != 0)
		return REFUSED; /* without a filter too */
	if (widen(KERNEL_BYTES))
		return NO_FILTERS;
	if (sched_getaffinity(0, sizeof(mask), (cpu_set_t *)(void *)mask) == 0 || errno != EINVAL)
		return TOO_SHORT;
	can = sr_open(&r, w->bench);
	if (can == 0)
		can = sr_run(&r, 1) ? 2 : 0;
	w->err = r.err;
	sr_close(&r);
	return can == 0 ? GOOD : can == 2 ? RUN_FAILED : OPEN_FAILED;
}

/* One test a bench; what is beyond the last one has nothing to do. */
START_TEST(benches_work)
{
	struct wide *w = ps_shared(sizeof(*w));
	int status;

	w->bench = ab_bench_at(_i);
	if (w->bench) {
		status = ps_in_child(rep_under_filter, w);
		ck_assert_msg(status == GOOD || status == REFUSED || status == NO_FILTERS, "%s: %d %s", w->bench->name,
			      status, w->err.msg);
	}
	munmap(w, sizeof(*w));
}
END_TEST

/* The same CPUs, by a longer mask; a kernel that no mask is long enough for is an error, not a search without end. */
static int same_cpus(void *arg)
{
	struct wide *w = arg;
	struct pg_cpuset before, now;
	int r;

	if (pg_affinity_get(0, &before, &w->err))
		return OPEN_FAILED;
	if (widen(KERNEL_BYTES))
		return NO_FILTERS;
	if (pg_affinity_get(0, &now, &w->err))
		return OPEN_FAILED;
	r = pg_cpuset_equal(&before, &now) && now.words * sizeof(*now.bits) >= KERNEL_BYTES ? GOOD : OTHER_CPUS;
	pg_cpuset_release(&now);
	pg_cpuset_release(&before);
	if (r == GOOD && (widen(UINT32_MAX) || pg_affinity_get(0, &now, &w->err) != -1 || w->err.sys != EINVAL))
		r = TOO_SHORT;
	return r;
}

START_TEST(masks_grow)
{
	struct wide *w = ps_shared(sizeof(*w));
	const int status = ps_in_child(same_cpus, w);

	ck_assert_msg(status == GOOD || status == NO_FILTERS, "%d: %s", status, w->err.msg);
	munmap(w, sizeof(*w));
}
END_TEST

PG_TEST_MAIN("registry_wide_masks", ((const struct pg_test[]){
					    {masks_grow, 0},
					    {benches_work, AB_BENCHES},
					    {ab_loop_reaches_every_bench, 0},
					    {NULL, 0},
				    }))
