/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parts of the crew share: crew.c (gate, order of events), crew_process.c, crew_thread.c, crew_worker.c. */
#ifndef PG_ENGINE_CREW_PRIV_H
#define PG_ENGINE_CREW_PRIV_H

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/futex_wait.h"
#include "engine/crew.h"

enum pg_gate_state { PG_GATE_SHUT, PG_GATE_OPEN, PG_GATE_END };

/* In shared memory, each word on a cache line of its own: waiters of one do not disturb the other. */
struct pg_gate {
	_Alignas(64) _Atomic uint32_t arrived;
	_Alignas(64) _Atomic uint32_t state;  /* enum pg_gate_state */
	_Alignas(64) _Atomic uint32_t failed; /* workers whose slot is not good */
};

/* Which end of a worker is told as the reason. */
enum pg_rank { PG_RANK_NONE, PG_RANK_PEER, PG_RANK_CAUSE };
struct pg_end {
	enum pg_rank rank;
	size_t index;
	int status; /* of waitpid(); 0 for threads */
};

struct pg_crew {
	struct pg_crew_opts opts;
	struct pg_gate *gate; /* shared mapping of shared_bytes: the gate, then the slots */
	struct pg_slot *slots;
	size_t shared_bytes;
	struct pg_worker *workers;
	struct pg_place place;
	struct pg_cpuset home; /* of the main task, where pg_crew_here() moved it */
	bool moved;
	struct sigaction old_pipe;
	size_t started; /* with the main task where it is one */
	size_t left;	/* started beside the main task, not yet reaped */
	struct pg_end end;
	bool ending; /* the others were told to end: their ends are no news */
	bool broken; /* cause holds why */
	struct pg_err cause;
	/* Processes: pid by worker (0 = reaped or the main task), and worker by pid, open addressing. */
	pid_t self;
	pid_t *pids;
	uint32_t *by_pid; /* index + 1; 0 = empty */
	size_t mask;
	bool handlers; /* the main task has signal handlers */
	/* Threads. */
	bool plain_clock; /* pg_clock_plain of the main task */
	pthread_t *threads;
	bool *alive;
	size_t next; /* to join */
};

/* crew_process.c; crew_thread.c: the same four verbs. */
int pg_crew_process_open(struct pg_crew *c, struct pg_err *err);
int pg_crew_process_start(struct pg_crew *c, struct pg_worker *w); /* 0 or an errno */
int pg_crew_process_collect(struct pg_crew *c, bool wait); /* one more has ended: 1; none now, or none left: 0 */
void pg_crew_process_end(struct pg_crew *c);
int pg_crew_thread_open(struct pg_crew *c, struct pg_err *err);
int pg_crew_thread_start(struct pg_crew *c, struct pg_worker *w);
int pg_crew_thread_collect(struct pg_crew *c); /* waits at most 100 ms for the next one: 1; not yet, or none left: 0 */
void pg_crew_thread_end(struct pg_crew *c);

/* Takes note of the end of worker i; status as of waitpid(). */
void pg_crew_note_end(struct pg_crew *c, size_t i, int status);
/* Placement, then the body. */
int pg_worker_run(struct pg_worker *w);

#endif
