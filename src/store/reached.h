/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How far a stored run has come, from its journal alone: before it goes on, and before the plan for that is made. */
#ifndef PG_STORE_REACHED_H
#define PG_STORE_REACHED_H

#include <stdint.h>

#include "plan/plan.h"

/*
 * Per sweep of the run's plan: the most rounds that all arms of one of its cells have had, without those that failed
 * for good. An arm that the journal does not name was skipped. -1: as pg_store_open() and pg_store_replay().
 */
int pg_run_reached(const char *dir, struct pg_plan *plan, uint32_t *rounds, struct pg_err *err);

#endif
