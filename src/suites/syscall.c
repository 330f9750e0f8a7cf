/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The suite `syscall`: single system calls, and the two that make processes. */
#include "suites/syscall.h"

extern const struct pg_suite pg_suite_syscall;

static const struct pg_bench *const benches[] = {
	&pg_syscall_basic, &pg_syscall_getpgid, &pg_syscall_fork, &pg_syscall_execve, &pg_syscall_call, NULL,
};

const struct pg_suite pg_suite_syscall = {
	.name = "syscall",
	.summary = "single system calls",
	.benches = benches,
};
