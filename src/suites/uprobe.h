/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Family header of the suite `uprobe`: uprobe.c (rows, hooks), uprobe_place.c (where a function lies in its file),
 * uprobe_bpf.c (the programs), uprobe_trace.c (where their output goes). All that a probe leaves in the kernel hangs on
 * descriptors: whichever way a rep ends, nothing stays.
 */
#ifndef PG_SUITES_UPROBE_H
#define PG_SUITES_UPROBE_H

#include <limits.h>

#include "pg_bench.h"

struct pg_uprobe_place {
	char path[PATH_MAX]; /* of the mapped file; may be a link below /proc/self */
	uint64_t offset;     /* of the function in it */
};

/* uprobe_place.c. The function that is probed beside usleep: nothing but a return. */
void pg_uprobe_empty(void);
/* Address of usleep in the libc that is mapped, never this program's own PLT entry for it. NULL = no libc is mapped. */
const void *pg_uprobe_usleep(void);
/* From an address of mapped code to file and offset; -1: PG_EUNSUPPORTED. */
int pg_uprobe_place_of(const void *code, struct pg_uprobe_place *out, struct pg_err *err);

/* uprobe_bpf.c. A program that counts its runs, and writes a line for each when it prints. */
struct pg_uprobe_program {
	int map, program; /* -1 = none */
};
int pg_uprobe_program_load(struct pg_uprobe_program *p, bool prints, struct pg_err *err);
void pg_uprobe_program_unload(struct pg_uprobe_program *p);
/* Every call must have run the program, and every run of a printing one have made a line: else -1. */
int pg_uprobe_check_hits(uint64_t loops, uint64_t runs, uint64_t lines, struct pg_err *err);
int pg_uprobe_program_runs(const struct pg_uprobe_program *p, uint64_t *runs, struct pg_err *err);

/*
 * uprobe_trace.c. Loading a program that prints makes the kernel enable its trace event for the common trace buffer;
 * that setting is put back, and the lines of this task go into a ring buffer of our own instead.
 */
struct pg_uprobe_trace {
	int enable;  /* the event's switch, -1 = closed */
	int event;   /* counts and keeps the lines, -1 = closed */
	void *lines; /* its ring buffer, NULL = not mapped */
	char before; /* the switch's state before a load: '0', '1'; NUL = not noted */
	/*
	 * A file that is there from before a load until the switch, which was off, is off again: whoever finds it while
	 * holding the lock knows that a SIGKILL came between. NULL = none is kept.
	 */
	const char *mark;
};
#define PG_UPROBE_MARK "/run/lock/perfgrid.bpf_trace_printk"
/* -1: PG_EUNSUPPORTED where tracefs or the event is missing. Puts back what a killed rep has left, if none runs. */
int pg_uprobe_trace_probe(const char *root, struct pg_err *err);
/*
 * Waits until no other process holds one open: until pg_uprobe_trace_close(), or the end of the process. Then puts back
 * what a killed rep has left.
 */
int pg_uprobe_trace_open(struct pg_uprobe_trace *t, struct pg_err *err);
/* That putting back, for whoever holds the lock. */
int pg_uprobe_trace_recover(const struct pg_uprobe_trace *t, struct pg_err *err);
/* Before a load, after one that succeeded, and after the calls: -1 when the switch was not as before all the time. */
int pg_uprobe_trace_note(struct pg_uprobe_trace *t, struct pg_err *err);
int pg_uprobe_trace_restore(const struct pg_uprobe_trace *t, struct pg_err *err);
int pg_uprobe_trace_is_kept(const struct pg_uprobe_trace *t, struct pg_err *err);
int pg_uprobe_trace_count(const struct pg_uprobe_trace *t, uint64_t *n, struct pg_err *err);
void pg_uprobe_trace_close(struct pg_uprobe_trace *t);

#endif
