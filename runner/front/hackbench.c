/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `hackbench` as a program of its own: the drop-in of runner/compat_hackbench.c and the one bench that it needs. The
 * whole of perfgrid takes longer to load than the smallest run of hackbench lasts; its link of that name does the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "engine/guardian.h"
#include "model/suite.h"
#include "runner/commands.h"
#include "runner/report.h"
#include "runner/world.h"

extern const struct pg_bench pg_sched_messaging;

static const struct pg_bench *const benches[] = {&pg_sched_messaging, NULL};
static const struct pg_suite sched = {.name = "sched", .summary = "scheduler", .benches = benches};
static const struct pg_suite *const suites[] = {&sched, NULL};

int main(int argc, char **argv)
{
	struct pg_world w = {
		.root = "",
		.clock = pg_clock_real(),
		.suites = suites,
		.environ = environ,
		.out = stdout,
		.err = stderr,
	};
	static char out_buf[4096];
	struct pg_err err;

	if (argc < 1)
		return PG_EXIT_USAGE;
	if (fcntl(STDOUT_FILENO, F_GETFD) < 0)
		w.out_errno = errno;
	if (pg_process_prepare(&err) != 0) {
		fprintf(stderr, "hackbench: %s\n", err.msg);
		return PG_EXIT_FAILED;
	}
	pg_handle_write_signals();
	setvbuf(stdout, out_buf, _IOFBF, sizeof(out_buf));
	return pg_compat_hackbench(&w, argc, argv);
}
