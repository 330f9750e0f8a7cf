/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of suites: the only place that names them. */
#ifndef PG_REGISTRY_REGISTRY_H
#define PG_REGISTRY_REGISTRY_H

#include "model/suite.h"

extern const struct pg_suite *const pg_suites[]; /* ends with NULL */
const struct pg_bench *pg_bench_find(const char *name);

#endif
