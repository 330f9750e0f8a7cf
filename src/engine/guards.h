/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts around a rep that the kernel keeps in files, and which of them speak against its numbers (docs/statistics.md
 * 12). Some 5 us a file, more for the counts of interrupts: read once a round only. What cannot be read is absent, not
 * 0.
 */
#ifndef PG_ENGINE_GUARDS_H
#define PG_ENGINE_GUARDS_H

#include <stddef.h>
#include <stdint.h>

#include "model/metric.h"

struct pg_cpuset;
struct pg_outcome;
struct pg_runkeys;
struct pg_topo;

/* Bits. What is n/a has not fired. */
enum pg_guard {
	PG_GUARD_STEAL = 1 << 0,
	PG_GUARD_LOAD = 1 << 1,
	PG_GUARD_PRESSURE_CPU = 1 << 2,
	PG_GUARD_PRESSURE_MEMORY = 1 << 3,
	PG_GUARD_PRESSURE_IO = 1 << 4,
	PG_GUARD_SWITCHES = 1 << 5, /* told by a cell: against the median of its reps */
	PG_GUARD_MAJOR_FAULTS = 1 << 6,
	PG_GUARD_THROTTLED = 1 << 7,
	PG_GUARD_THERMAL = 1 << 8,
	PG_GUARD_FREQUENCY = 1 << 9,
	PG_GUARD_INTERRUPTS = 1 << 10, /* told by a cell */
	PG_GUARD_SWAP = 1 << 11,
};
#define PG_GUARDS 12
const char *pg_guard_name(unsigned bit); /* of 1 << bit: "steal", "load", "pressure-cpu", ..., "swap" */

/* Limits, as fractions of: time of the CPUs (steal, load), wall time (pressure), the frequency at the start. */
#define PG_GUARD_STEAL_MAX    0.01
#define PG_GUARD_LOAD_MAX     0.05
#define PG_GUARD_PSI_CPU_MAX  0.10
#define PG_GUARD_PSI_MEM_MAX  0.01
#define PG_GUARD_PSI_IO_MAX   0.01
#define PG_GUARD_FREQ_DROP    0.05
#define PG_GUARD_TICKS_MIN_NS INT64_C(200000000) /* in less, ticks of 10 ms say nothing: sum them over the cell */

/*
 * Those that a rep alone can tell; cpus: how many its ticks are of. metrics: the rows of o's samples. Not steal and
 * load where wall_time is below PG_GUARD_TICKS_MIN_NS.
 */
unsigned pg_guards_fired(const struct pg_metric *metrics, const struct pg_outcome *o, unsigned cpus);
/* CPUs that a rep may run on: those of its `pin`, else all that the runner may use. */
unsigned pg_guards_cpus(const struct pg_runkeys *keys, unsigned allowed);
/* Raw number of a row of the engine's among o's samples; PG_FACT_ABSENT = not there. */
int64_t pg_engine_raw(const struct pg_metric *metrics, const struct pg_outcome *o, enum pg_engine_metric which);
/* Those worth another try: the pressure on CPUs is as a rule that of a rep with more tasks than CPUs, and stays. */
#define PG_GUARDS_REDO (~(unsigned)PG_GUARD_PRESSURE_CPU)

#define PG_GUARD_FILES	       8
#define PG_GUARD_THERMAL_FILES 64 /* at most */

/* Files stay open between readings. */
struct pg_guards {
	int fd[PG_GUARD_FILES]; /* -1 = not there */
	int thermal[PG_GUARD_THERMAL_FILES];
	size_t n_thermal;
	const struct pg_topo *topo;
	char *text; /* of a file that may be long: interrupts, softirqs, vmstat, stat */
};

/* PG_FACT_ABSENT where not known. */
struct pg_reading {
	int64_t steal, busy;		  /* ticks of 1/100 s; busy: user, nice, system, irq, softirq */
	int64_t psi_cpu, psi_mem, psi_io; /* us */
	int64_t throttled;		  /* us */
	int64_t thermal;		  /* events of the allowed CPUs and their sockets */
	int64_t interrupts, softirqs;
	int64_t swapped; /* pages */
};

/* topo: whose CPUs are watched; it outlives g. */
void pg_guards_open(struct pg_guards *g, const char *root, const struct pg_topo *topo);
void pg_guards_close(struct pg_guards *g);
/*
 * group: directory of the rep's own cgroup, NULL = the runner's. cpus: those that ticks and interrupts are counted of,
 * NULL = all allowed ones.
 */
void pg_guards_read(struct pg_guards *g, const char *group, const struct pg_cpuset *cpus, struct pg_reading *out);
/* Differences into facts; own_ns: CPU time of the rep itself, which is no other's. */
void pg_guards_facts(const struct pg_reading *before, const struct pg_reading *after, int64_t own_ns, int64_t *facts);

#endif
