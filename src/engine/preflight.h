/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Can this process run this cell? The bench's probe says what it needs; here it is compared with limits, memory,
 * privileges.
 */
#ifndef PG_ENGINE_PREFLIGHT_H
#define PG_ENGINE_PREFLIGHT_H

#include <stddef.h>
#include <stdint.h>

#include "model/cell.h"
#include "model/suite.h"

struct pg_topo;
struct pg_str;

/* Read once at start. 0 in a limit = unlimited. */
struct pg_limits {
	uint64_t descriptors; /* RLIMIT_NOFILE soft, after raising */
	uint64_t tasks; /* least of RLIMIT_NPROC (not root), threads-max, pid_max, pids.max, each less those alive */
	const char *tasks_by; /* which of them it is, for messages; NULL = not said */
	uint64_t memory;      /* 80 % of the least of MemAvailable and the cgroup's limit */
	uint64_t pipes_soft;  /* default-size pipes an unprivileged user has before they shrink; 0 when privileged */
	unsigned caps;	      /* enum pg_cap bits this process has */
	int nice_least;	      /* least nice value without PG_CAP_NICE */
	unsigned rt_priority; /* highest real-time priority without PG_CAP_NICE; 0 = none */
	struct pg_probe_env env;
};
int pg_limits_read(const char *root, const struct pg_topo *topo, struct pg_limits *out, struct pg_err *err);

/*
 * 0 = can run; -1 = cannot, *err (PG_EUNSUPPORTED) holds the reason with need and limit. `conf` is scratch of
 * bench->conf_size bytes or more. A loops of `auto` is bound as 1.
 */
int pg_preflight(const struct pg_cell *cell, const struct pg_limits *limits, void *conf, struct pg_err *err);

#endif
