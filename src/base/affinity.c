/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Affinity of tasks, with masks as large as the kernel's: no count of CPUs is built in.
 */
#include "base/cpulist.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"

#define BITS	    (sizeof(unsigned long) * CHAR_BIT)
#define FIRST_WORDS (1024 / BITS)

int pg_affinity_get(pid_t pid, struct pg_cpuset *out, struct pg_err *err)
{
	pg_cpuset_init(out);
	/* The kernel answers EINVAL to a mask smaller than its own. */
	for (size_t words = FIRST_WORDS; words <= PG_CPU_MAX / BITS; words *= 2) {
		size_t bytes = words * sizeof(unsigned long);
		cpu_set_t *mask = malloc(bytes);
		int r, saved;

		if (!mask)
			return pg_fail_nomem(err);
		memset(mask, 0, bytes);
		r = sched_getaffinity(pid, bytes, mask);
		saved = errno;
		if (r == 0) {
			out->bits = (unsigned long *)(void *)mask;
			out->words = words;
			return 0;
		}
		free(mask);
		errno = saved;
		if (saved != EINVAL)
			break;
	}
	return pg_fail_sys(err, "cannot read the CPU affinity of process %d", (int)pid);
}

int pg_affinity_set(pid_t pid, const struct pg_cpuset *s, struct pg_err *err)
{
	struct pg_str list;
	int saved;

	if (pg_cpuset_next(s, -1) < 0)
		return pg_fail(err, PG_EINPUT, "no CPU to run on; name at least one");
	if (sched_setaffinity(pid, s->words * sizeof(*s->bits), (const cpu_set_t *)(const void *)s->bits) == 0)
		return 0;
	saved = errno;
	pg_str_init(&list);
	pg_cpulist_format(s, &list);
	if (saved == EINVAL) {
		pg_fail(err, PG_EUNSUPPORTED, "cannot run on CPUs %s; none of them is allowed and online",
			pg_str_text(&list));
	} else {
		errno = saved;
		pg_fail_sys(err, "cannot run on CPUs %s", pg_str_text(&list));
	}
	pg_str_release(&list);
	return -1;
}
