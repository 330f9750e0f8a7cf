/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which guards speak against a rep: docs/statistics.md 12.
 */
#include "engine/guards.h"

#include <string.h>

#include "base/cpulist.h"
#include "base/err.h"
#include "model/cell.h"
#include "model/result.h"

#define NS_PER_TICK 1e7
#define NS_PER_US   1e3

const char *pg_guard_name(unsigned bit)
{
	static const char *const names[PG_GUARDS] = {
		"steal",	"load",	     "pressure-cpu", "pressure-memory", "pressure-io", "switches",
		"major-faults", "throttled", "thermal",	     "frequency",	"interrupts",  "swap",
	};

	return bit < PG_GUARDS ? names[bit] : "unknown";
}

unsigned pg_guards_cpus(const struct pg_runkeys *keys, unsigned allowed)
{
	struct pg_cpuset set;
	struct pg_err err;
	size_t pos, n = 0;

	pg_cpuset_init(&set);
	if (keys->pin && pg_cpulist_parse(keys->pin, strlen(keys->pin), &set, &pos, &err) == 0)
		n = pg_cpuset_count(&set);
	pg_cpuset_release(&set);
	return n > 0 ? (unsigned)n : allowed;
}

int64_t pg_engine_raw(const struct pg_metric *metrics, const struct pg_outcome *o, enum pg_engine_metric which)
{
	/* s ascends, and the engine's rows stand in a row of their own. */
	for (size_t i = 0, first = SIZE_MAX; i < o->n; i++) {
		size_t m = o->s[i].metric;

		if (!(metrics[m].flags & PG_M_ENGINE))
			continue;
		if (first == SIZE_MAX)
			for (first = m; first > 0 && metrics[first - 1].flags & PG_M_ENGINE; first--)
				;
		if (m == first + (size_t)which)
			return o->s[i].missing ? PG_FACT_ABSENT : o->s[i].raw;
	}
	return PG_FACT_ABSENT;
}

/* More than `most`; false where it is not known. */
static bool above(int64_t fact, double scale, double most)
{
	return fact != PG_FACT_ABSENT && (double)fact * scale > most;
}

static bool slowed_down(const int64_t *facts)
{
	int64_t start = facts[PG_F_FREQUENCY_START], end = facts[PG_F_FREQUENCY_END];

	return start != PG_FACT_ABSENT && end != PG_FACT_ABSENT &&
	       (double)end < (double)start * (1 - PG_GUARD_FREQ_DROP);
}

unsigned pg_guards_fired(const struct pg_metric *metrics, const struct pg_outcome *o, unsigned cpus)
{
	const int64_t *f = o->facts;
	int64_t wall_ns = pg_engine_raw(metrics, o, PG_E_WALL_TIME);
	double wall = wall_ns == PG_FACT_ABSENT ? 0 : (double)wall_ns, all = wall * cpus;
	unsigned fired = 0;

	if (wall >= (double)PG_GUARD_TICKS_MIN_NS) {
		fired |= above(f[PG_F_STEAL], NS_PER_TICK, PG_GUARD_STEAL_MAX * all) ? PG_GUARD_STEAL : 0;
		fired |= above(f[PG_F_OTHER_BUSY], NS_PER_TICK, PG_GUARD_LOAD_MAX * all) ? PG_GUARD_LOAD : 0;
	}
	if (wall > 0) {
		fired |= above(f[PG_F_PSI_CPU], NS_PER_US, PG_GUARD_PSI_CPU_MAX * wall) ? PG_GUARD_PRESSURE_CPU : 0;
		fired |= above(f[PG_F_PSI_MEM], NS_PER_US, PG_GUARD_PSI_MEM_MAX * wall) ? PG_GUARD_PRESSURE_MEMORY : 0;
		fired |= above(f[PG_F_PSI_IO], NS_PER_US, PG_GUARD_PSI_IO_MAX * wall) ? PG_GUARD_PRESSURE_IO : 0;
	}
	fired |= above(pg_engine_raw(metrics, o, PG_E_MAJOR_FAULTS), 1, 0) ? PG_GUARD_MAJOR_FAULTS : 0;
	fired |= above(f[PG_F_THROTTLED], 1, 0) ? PG_GUARD_THROTTLED : 0;
	fired |= above(f[PG_F_THERMAL], 1, 0) ? PG_GUARD_THERMAL : 0;
	fired |= above(f[PG_F_SWAPPED], 1, 0) ? PG_GUARD_SWAP : 0;
	return slowed_down(f) ? fired | PG_GUARD_FREQUENCY : fired;
}
