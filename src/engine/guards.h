/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts around a rep that the kernel keeps in files (docs/statistics.md 12). Some 5 us a file: read once a round only.
 * What cannot be read is absent, not 0.
 */
#ifndef PG_ENGINE_GUARDS_H
#define PG_ENGINE_GUARDS_H

#include <stdint.h>

#define PG_GUARD_FILES 5

/* Files stay open between readings. */
struct pg_guards {
	int fd[PG_GUARD_FILES]; /* -1 = not there */
};

/* PG_FACT_ABSENT where not known. */
struct pg_reading {
	int64_t steal, busy;		  /* ticks of 1/100 s, all CPUs; busy: user, nice, system, irq, softirq */
	int64_t psi_cpu, psi_mem, psi_io; /* us */
	int64_t throttled;		  /* us */
};

void pg_guards_open(struct pg_guards *g, const char *root);
void pg_guards_close(struct pg_guards *g);
/* group: directory of the rep's own cgroup, NULL = the runner's. */
void pg_guards_read(const struct pg_guards *g, const char *group, struct pg_reading *out);
/* Differences into facts[PG_F_STEAL..PG_F_THROTTLED]; own_ns: CPU time of the rep itself. */
void pg_guards_facts(const struct pg_reading *before, const struct pg_reading *after, int64_t own_ns, int64_t *facts);

#endif
