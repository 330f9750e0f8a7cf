/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Family header of the suite `breakpoint`: breakpoint.c (the watchpoints), breakpoint_thread.c, breakpoint_enable.c.
 */
#ifndef PG_SUITES_BREAKPOINT_H
#define PG_SUITES_BREAKPOINT_H

#include <stdatomic.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pg_bench.h"

#define PG_BREAKPOINTS 64 /* of a rep at most; the hardware has fewer */

/*
 * Opens n watchpoints (read and write, one byte, user space) for the calling task and all that it will make. fds of
 * those opened before an error are closed again. -1: PG_EUNSUPPORTED where the hardware, the kernel or the user's
 * rights are the reason.
 */
int pg_breakpoints_open(int *fds, size_t n, const void *byte, struct pg_err *err);
void pg_breakpoints_close(int *fds, size_t n);

#endif
