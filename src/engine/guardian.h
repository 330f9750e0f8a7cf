/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that the user starts: it only waits above the runner, hands signals on, and kills what a SIGKILLed runner
 * leaves.
 */
#ifndef PG_ENGINE_GUARDIAN_H
#define PG_ENGINE_GUARDIAN_H

#include <signal.h>

struct pg_err;

/*
 * Forks. In the guardian it does not return before the runner has ended and its tree is gone: then it returns 1 and
 * *status is the exit status to leave with (128 + n when the runner died by signal n). In the runner it returns 0:
 * *stop becomes the number of the first HUP, INT, QUIT or TERM that arrived, also when the guardian itself was killed
 * (SIGTERM then). -1 = error.
 */
int pg_guardian_start(volatile sig_atomic_t *stop, int *status, struct pg_err *err);

/*
 * What any start of the program does first: SIGCHLD default, signal mask empty, descriptors 0-2 open (null device), all
 * others close-on-exec, RLIMIT_CORE 0, soft limits raised to hard ones (NOFILE, NPROC, MEMLOCK), set-uid refused.
 */
int pg_process_prepare(struct pg_err *err);

#endif
