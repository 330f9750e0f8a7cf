/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scenario of the self-check where none is given. */
#include "runner/selfcheck.h"

/* A loop of the CPU, a system call, a small and a large copy, and what the scheduler has a say in. */
const char pg_selfcheck_builtin[] = "perfgrid: 1\n"
				    "name: self-check\n"
				    "sweeps:\n"
				    "  - name: start\n"
				    "    suite: noop\n"
				    "    process: exec\n"
				    "    set: {elapse: spin, duration: 10ms}\n"
				    "    tables: [{rows: variant, value: wall_time}]\n"
				    "  - {name: syscall, suite: syscall/basic}\n"
				    "  - {name: copy, suite: mem/memcpy, vary: {size: [4KB, 1MB]}}\n"
				    "  - {name: messaging, suite: sched/messaging}\n"
				    "  - {name: pipe, suite: sched/pipe}\n";
