/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The collections, in the order of the list. */
#include "runner/compat_perf.h"
#include "runner/compat_perf_tables.h"

const struct pg_pb_collection pg_pb_collections[] = {
	{"sched", "scheduler and messages between tasks", pg_pb_sched, "every sched benchmark"},
	{"syscall", "system calls", pg_pb_syscall, "every syscall benchmark"},
	{"mem", "copying, setting, mapping and searching memory", pg_pb_mem, "every mem benchmark"},
	{"numa", "memory and scheduling over nodes", pg_pb_numa, "every numa benchmark"},
	{"futex", "futex calls", pg_pb_futex, "every futex benchmark"},
	{"epoll", "epoll calls", pg_pb_epoll, "every epoll benchmark"},
	{"internals", "what a profiler does at its start", pg_pb_internals, NULL},
	{"breakpoint", "hardware breakpoints", pg_pb_breakpoint, "every breakpoint benchmark"},
	{"uprobe", "probes in user space", pg_pb_uprobe, NULL},
	{.name = NULL},
};
