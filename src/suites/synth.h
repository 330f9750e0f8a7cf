/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records that a profiler needs about tasks which were there before it: FORK, COMM and MMAP2, made from /proc in the
 * layout of perf.data (linux/perf_event.h), without a sample id at their end.
 */
#ifndef PG_SUITES_SYNTH_H
#define PG_SUITES_SYNTH_H

#include "pg_bench.h"

#include <linux/perf_event.h>
#include <sys/types.h>

/* Of one worker, used by nobody else meanwhile. */
struct pg_synth {
	/* Told each record, which is valid during the call only. */
	_Alignas(64) void (*deliver)(void *ctx, const struct perf_event_header *record);
	void *ctx;
	const char *root; /* "" or a fake root for /proc */
	bool data_maps;	  /* records for mappings that hold no code as well */
	char *text;	  /* what was read of a file */
	void *record;	  /* the one that is being made */
};

/* Layouts of the records. */
struct pg_synth_fork {
	struct perf_event_header header;
	uint32_t pid, ppid, tid, ptid;
	uint64_t time;
};
struct pg_synth_comm {
	struct perf_event_header header;
	uint32_t pid, tid;
	char comm[64]; /* as long as header.size says */
};
struct pg_synth_mmap2 {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, length, offset;
	uint32_t major, minor;
	uint64_t inode, generation;
	uint32_t protection, flags;
	char name[4096]; /* as long as header.size says */
};

/* deliver, ctx, root and data_maps are the caller's to fill. */
int pg_synth_init(struct pg_synth *s, struct pg_err *err);
void pg_synth_release(struct pg_synth *s);

/*
 * One process: records of its group leader alone, or of all its threads, and of its mappings. A task that has ended
 * meanwhile, or that this user may not look at, is passed over. -1: something else went wrong.
 */
int pg_synth_self(struct pg_synth *s, struct pg_err *err);
int pg_synth_process(struct pg_synth *s, pid_t pid, struct pg_err *err);

/* Numbers of all processes: *pids (malloc'ed, grown as needed, *room entries), *n of them. */
int pg_synth_list(const char *root, pid_t **pids, size_t *room, size_t *n, struct pg_err *err);

/* MMAP2 records of the mappings of a process. */
int pg_synth_maps(struct pg_synth *s, const char *path, pid_t pid, struct pg_err *err);

/* A file under /proc is gone with its task, or not for this user: no error. */
bool pg_synth_passed_over(int sys);

#define PG_SYNTH_TEXT 65536

#endif
