/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The benches of each collection, in the order of its list; each table ends with NULL. */
#ifndef PG_RUNNER_COMPAT_PERF_TABLES_H
#define PG_RUNNER_COMPAT_PERF_TABLES_H

struct pg_pb;
struct pg_pb_bench;

extern const struct pg_pb_bench *const pg_pb_sched[],
	*const pg_pb_syscall[], *const pg_pb_mem[], *const pg_pb_numa[],
							    *const pg_pb_futex[],
								    *const pg_pb_epoll[],
									    *const pg_pb_internals[],
										    *const pg_pb_breakpoint[],
											    *const pg_pb_uprobe[];

/* Of mem. */
extern const struct pg_pb_bench pg_pb_memcpy, pg_pb_memset, pg_pb_find_bit, pg_pb_mmap;

/* Of internals. */
extern const struct pg_pb_bench pg_pb_evlist;

/* The preset suite of `numa mem`: a name, options, and what its kind has in common. */
struct pg_pb_preset {
	const char *name, *options, *tail;
};
extern const struct pg_pb_preset pg_pb_presets[]; /* ended by .name == NULL */
int pg_pb_numa_presets(struct pg_pb *p);

#endif
