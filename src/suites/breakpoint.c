/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The suite `breakpoint`: hardware breakpoints and their inheritance. */
#include "breakpoint.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>

#include "perf_event.h"

extern const struct pg_suite pg_suite_breakpoint;
extern const struct pg_bench pg_breakpoint_thread, pg_breakpoint_enable;

static int refuse(size_t i, size_t n, struct pg_err *err)
{
	switch (errno) {
	case ENOSPC:
		return pg_fail(
			err, PG_EUNSUPPORTED,
			"breakpoint %zu of %zu: the hardware has no more free (x86 has 4); lower breakpoints, or "
			"end debuggers that watch",
			i + 1, n);
	case ENODEV:
	case ENOENT:
	case EOPNOTSUPP:
		return pg_fail(err, PG_EUNSUPPORTED,
			       "this machine has no hardware breakpoints for data; use one that has (guests may hide "
			       "them)");
	case EACCES:
	case EPERM:
		return pg_fail(err, PG_EUNSUPPORTED,
			       "breakpoints may not be set by this user; lower kernel.perf_event_paranoid to 2, or run "
			       "as root");
	case ENOSYS:
		return pg_fail(err, PG_EUNSUPPORTED,
			       "this kernel has no perf_event_open; use one with CONFIG_PERF_EVENTS");
	default:
		return pg_fail_sys(err,
				   "cannot set breakpoint %zu of %zu; lower breakpoints or raise the limit of open "
				   "files (ulimit -n)",
				   i + 1, n);
	}
}

int pg_breakpoints_open(int *fds, size_t n, const void *byte, struct pg_err *err)
{
	const struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.bp_type = HW_BREAKPOINT_RW,
		.bp_addr = (uintptr_t)byte,
		.bp_len = HW_BREAKPOINT_LEN_1,
	};

	for (size_t i = 0; i < n; i++) {
		fds[i] = pg_perf_open(&attr, 0, -1);
		if (fds[i] < 0) {
			const int r = refuse(i, n, err);

			pg_breakpoints_close(fds, i);
			return r;
		}
	}
	return 0;
}

void pg_breakpoints_close(int *fds, size_t n)
{
	for (size_t i = 0; i < n; i++)
		close(fds[i]);
}

static const struct pg_bench *const benches[] = {&pg_breakpoint_thread, &pg_breakpoint_enable, NULL};

const struct pg_suite pg_suite_breakpoint = {
	.name = "breakpoint",
	.summary = "hardware breakpoints and their inheritance",
	.benches = benches,
};
