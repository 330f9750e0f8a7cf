/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Workers of one rep: n processes or threads, each placed on its CPUs, held at one gate, with a slot of its own in
 * shared memory. A worker's body touches its slot and what it was given, and never prints; why it failed stands in its
 * slot. No path leaves a worker behind: processes die with the main task, and whoever fails ends the others.
 *
 *   pg_crew_open   pg_crew_start (n times)   pg_crew_wait_ready   pg_crew_go   pg_crew_reap   pg_crew_close
 *   worker:        pg_worker_ready   pg_worker_hold   the work
 *
 * A bench whose ancestor has its own gate (messaging) leaves out ready, hold, wait_ready and go. While a crew of
 * processes is open, its caller has no other children: their statuses would be taken.
 */
#ifndef PG_ENGINE_CREW_H
#define PG_ENGINE_CREW_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/place.h"

struct pg_crew;
struct pg_err;

enum pg_slot_state {
	PG_SLOT_GOOD,
	PG_SLOT_FAILED, /* `why` says so */
	PG_SLOT_PEER,	/* the same, as a consequence of another worker's end: told only when that one has no reason */
};

#define PG_SLOT_WHY 208

/* Written by its worker, read by the main task after the reaping. On cache lines of its own. Stamps: pg_now_ns(). */
struct pg_slot {
	_Alignas(64) _Atomic uint32_t state; /* enum pg_slot_state */
	int64_t ready_ns;		     /* set by pg_worker_ready() */
	int64_t start_ns, end_ns;	     /* the body's: its first and after its last operation */
	uint64_t count;			     /* the body's */
	char why[PG_SLOT_WHY];
};

struct pg_worker {
	struct pg_crew *crew;
	struct pg_slot *slot;
	size_t index;				     /* 0-based, in order of creation */
	int (*body)(struct pg_worker *w, void *arg); /* 0, or -1 with the slot failed */
	void *arg;
	bool here; /* the main task itself */
};

struct pg_crew_opts {
	size_t n;	    /* workers, with the main task where it is one (pg_crew_here) */
	bool threads;	    /* false: processes */
	int placement;	    /* enum pg_placement */
	const char *root;   /* "" or a fake root for /sys */
	size_t stack_bytes; /* threads: what the body needs beyond the smallest stack */
	bool last_opens;    /* the gate opens when all n are ready, without pg_crew_go() */
};

/* Stack of one thread for opts->stack_bytes: for need->bytes of a probe. */
size_t pg_crew_stack_bytes(size_t stack_bytes);
/* Memory that one worker costs beside its buffers: kernel stack, page tables, copied pages or thread stack. An
 * estimate. */
uint64_t pg_crew_task_bytes(bool threads, size_t stack_bytes);

/* -1: PG_EUNSUPPORTED for the placement, else what could not be had. Sets SIGPIPE to ignored until pg_crew_close(). */
int pg_crew_open(struct pg_crew **out, const struct pg_crew_opts *opts, struct pg_err *err);
/* Ends whatever still runs, reaps it, frees all. NULL is fine. */
void pg_crew_close(struct pg_crew *c);

/* Starts the next worker. -1: "could start N of M ..."; those started were ended. */
int pg_crew_start(struct pg_crew *c, int (*body)(struct pg_worker *w, void *arg), void *arg, struct pg_err *err);
/* The next worker is the calling task: returns when body has. A failure is told by pg_crew_reap(). */
void pg_crew_here(struct pg_crew *c, int (*body)(struct pg_worker *w, void *arg), void *arg);

/* Before the gate: 0, or -1 when a worker has ended or failed; all were ended then. Does not wait. */
int pg_crew_check(struct pg_crew *c, struct pg_err *err);
/* Until all n are ready; -1 as pg_crew_check(). */
int pg_crew_wait_ready(struct pg_crew *c, struct pg_err *err);
/* Opens the gate; returns the stamp taken just before. */
int64_t pg_crew_go(struct pg_crew *c);
/*
 * Until every worker has ended and is reaped. -1 with the first cause when one failed or died: the others are ended
 * at once, never waited for.
 */
int pg_crew_reap(struct pg_crew *c, struct pg_err *err);

size_t pg_crew_started(const struct pg_crew *c);
struct pg_slot *pg_crew_slot(struct pg_crew *c, size_t i);

/* For workers. */
void pg_worker_ready(struct pg_worker *w);
int pg_worker_hold(struct pg_worker *w); /* until the gate is open: 0; -1 = the crew is being ended */
/* The crew is being ended: a body returns. Asked after EINTR and once per pass by bodies that may never block. */
bool pg_worker_told_to_stop(const struct pg_worker *w);
/* All return -1. */
int pg_worker_fail(struct pg_worker *w, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold));
int pg_worker_fail_sys(struct pg_worker *w, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold));
int pg_worker_lost_peer(struct pg_worker *w, const char *fmt, ...) __attribute__((format(printf, 2, 3), cold));

/* _exit() that keeps coverage counts where the build has them. */
void pg_exit_child(int status) __attribute__((noreturn));

#endif
