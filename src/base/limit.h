/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Limits of the process. */
#ifndef PG_BASE_LIMIT_H
#define PG_BASE_LIMIT_H

/* RLIMIT_x as high as it may go without privilege. Best effort: what stays low is found by whoever needs it. */
void pg_limit_raise(unsigned resource);

#endif
