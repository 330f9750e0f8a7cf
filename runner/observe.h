/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two observers as one. */
#ifndef PG_RUNNER_OBSERVE_H
#define PG_RUNNER_OBSERVE_H

#include "engine/rounds.h"

/* Every event goes to `first`, then, unless that failed, to `second`. Both and p live as long as p->both is used. */
struct pg_pair {
	const struct pg_observer *first, *second;
	struct pg_observer both;
};
void pg_pair_init(struct pg_pair *p, const struct pg_observer *first, const struct pg_observer *second);

#endif
