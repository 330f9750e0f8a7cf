/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For one test program: an executor of real processes, the outcome of its last rep, and the look that nothing is left.
 */
#ifndef TESTS_SUPPORT_CHILDKIT_H
#define TESTS_SUPPORT_CHILDKIT_H

#include "tests/support/pgtest.h"

#include "tests/support/fake_bench.h"

#include "base/topo.h"
#include "engine/child.h"

extern char **environ;

static struct pg_child *child;
static struct pg_topo topo;
static struct pg_executor executor;
static volatile sig_atomic_t stop;
static struct pg_outcome out;

static void open_child(void)
{
	struct pg_child_opts opts = {.self = "/proc/self/exe",
				     .root = "",
				     .clock = pg_clock_real(),
				     .topo = &topo,
				     .stop = &stop,
				     .environ = environ};
	struct pg_err err;

	ck_assert_int_eq(pg_topo_load("", NULL, &topo, &err), 0);
	ck_assert_msg(pg_child_open(&child, &opts, &err) == 0, "%s", err.msg);
	executor = pg_child_executor(child);
}

/* Nothing may be left: no child, dead or alive. */
static void close_child(void)
{
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	pg_child_close(child);
	pg_topo_release(&topo);
}

static void run_job(const struct pg_job *job)
{
	struct pg_err err;

	memset(&out, 0xa5, sizeof(out));
	ck_assert_msg(executor.run(executor.ctx, job, &out, &err) == 0, "%s", err.msg);
}

static void run_cell(struct fb_cell *c)
{
	struct pg_job job = {.cell = &c->cell, .ops = 1, .seed = 77, .rep = 4, .attempt = 2};

	run_job(&job);
}

static int64_t raw(size_t metric)
{
	for (size_t i = 0; i < out.n; i++) {
		if (out.s[i].metric == metric) {
			ck_assert(!out.s[i].missing);
			return out.s[i].raw;
		}
	}
	ck_abort_msg("no sample of row %zu", metric);
	return 0;
}

#endif
