/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Metric rows, and those that the engine measures around every rep.
 */
#include "model/metric.h"

#include "base/str.h"

#define ROW(n, u, extra, d)                                                                                            \
	{                                                                                                              \
		.name = n, .doc = d, .unit = u, .better = PG_LOWER, .reduce = PG_SUM, .flags = PG_M_ENGINE | (extra),  \
	}

const struct pg_metric pg_engine_metrics[] = {
	[PG_E_WALL_TIME] = ROW("wall_time", PG_U_S, 0, "the whole rep process, start to reaped"),
	[PG_E_CPU_TIME] = ROW("cpu_time", PG_U_S, PG_M_ZERO_OK, "user and system time of the rep and its children"),
	[PG_E_USER_TIME] = ROW("user_time", PG_U_S, PG_M_ZERO_OK, "CPU time in user mode"),
	[PG_E_SYSTEM_TIME] = ROW("system_time", PG_U_S, PG_M_ZERO_OK, "CPU time in the kernel"),
	[PG_E_PEAK_MEMORY] = ROW("peak_memory", PG_U_B, PG_M_ZERO_OK, "largest resident memory of one process"),
	[PG_E_VOLUNTARY_SWITCHES] =
		ROW("voluntary_switches", PG_U_COUNT, PG_M_ZERO_OK, "context switches because a task waited"),
	[PG_E_INVOLUNTARY_SWITCHES] = ROW("involuntary_switches", PG_U_COUNT, PG_M_ZERO_OK,
					  "context switches because the scheduler took the CPU"),
	[PG_E_MINOR_FAULTS] =
		ROW("minor_faults", PG_U_COUNT, PG_M_ZERO_OK, "page faults served without input or output"),
	[PG_E_MAJOR_FAULTS] =
		ROW("major_faults", PG_U_COUNT, PG_M_ZERO_OK, "page faults that waited for input or output"),
	[PG_ENGINE_METRICS] = {.name = NULL},
};

size_t pg_metric_count(const struct pg_metric *rows)
{
	size_t n = 0;

	while (rows[n].name)
		n++;
	return n;
}

const struct pg_metric *pg_metric_find(const struct pg_metric *rows, const char *name, size_t *index)
{
	for (size_t i = 0; rows[i].name; i++) {
		if (!pg_streq(rows[i].name, name))
			continue;
		if (index)
			*index = i;
		return &rows[i];
	}
	return NULL;
}

/* The first row with all of `flags`; n = none. */
static size_t find_flag(const struct pg_metric *rows, unsigned flag)
{
	size_t i = 0;

	while (rows[i].name && !(rows[i].flags & flag))
		i++;
	return i;
}

size_t pg_metric_main(const struct pg_metric *rows, bool ops_auto)
{
	size_t n = pg_metric_count(rows), main = find_flag(rows, PG_M_MAIN), other;

	if (main == n) { /* a bench without rows of its own: exec */
		other = find_flag(rows, PG_M_ENGINE);
		return other < n ? other : 0;
	}
	if (ops_auto && rows[main].flags & PG_M_GROWS) {
		other = find_flag(rows, PG_M_AUTO_MAIN);
		if (other < n)
			return other;
	}
	return main;
}
