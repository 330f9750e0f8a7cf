/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of CPUs or nodes, sized at run time, and their list text "0-3,8,10-14:2" (the kernel's form; `:stride` is read,
 * not written). One parser for scenario text and for /sys.
 */
#ifndef PG_BASE_CPULIST_H
#define PG_BASE_CPULIST_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pg_err;
struct pg_str;

#define PG_CPU_MAX 1048576u /* a number from here on is refused */

struct pg_cpuset {
	unsigned long *bits; /* malloc'ed; NULL when empty */
	size_t words;
};

void pg_cpuset_init(struct pg_cpuset *s);
void pg_cpuset_release(struct pg_cpuset *s);
int pg_cpuset_add(struct pg_cpuset *s, unsigned cpu); /* 0, -1 = out of memory or too large */
void pg_cpuset_del(struct pg_cpuset *s, unsigned cpu);
bool pg_cpuset_has(const struct pg_cpuset *s, unsigned cpu);
size_t pg_cpuset_count(const struct pg_cpuset *s);
int pg_cpuset_next(const struct pg_cpuset *s, int after); /* the first member above `after` (-1 to start), -1 = none */
int pg_cpuset_nth(const struct pg_cpuset *s, size_t i);	  /* the i-th member, 0-based, -1 = none */
int pg_cpuset_copy(struct pg_cpuset *to, const struct pg_cpuset *from);
int pg_cpuset_and(struct pg_cpuset *to, const struct pg_cpuset *with);
bool pg_cpuset_equal(const struct pg_cpuset *a, const struct pg_cpuset *b);
bool pg_cpuset_subset(const struct pg_cpuset *a, const struct pg_cpuset *of);

/*
 * Reads s[0..n); trailing newline and NULs (as /sys files have) are passed over. An empty list is an empty set. On
 * error *pos is the offset of the offending character and err the reason.
 */
int pg_cpulist_parse(const char *s, size_t n, struct pg_cpuset *out, size_t *pos, struct pg_err *err);
void pg_cpulist_format(const struct pg_cpuset *s, struct pg_str *out); /* canonical: ascending, ranges, no stride */

/* Affinity of a task (0 = caller), the kernel asked again with a larger mask on EINVAL. */
int pg_affinity_get(pid_t pid, struct pg_cpuset *out, struct pg_err *err);
int pg_affinity_set(pid_t pid, const struct pg_cpuset *s, struct pg_err *err);

#endif
