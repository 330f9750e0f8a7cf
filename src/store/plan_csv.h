/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * plan.csv: every cell, in order. With run.json and the journal the source of every other CSV: what this machine could
 * not run stands only here.
 */
#ifndef PG_STORE_PLAN_CSV_H
#define PG_STORE_PLAN_CSV_H

#include "plan/plan.h"

#define PG_PLAN_CSV_NAME "plan.csv"

/* Takes the marks of preflight from a run's plan.csv over into the plan. path: of the file. */
int pg_plan_csv_marks(const char *path, struct pg_plan *p, struct pg_err *err);

#endif
