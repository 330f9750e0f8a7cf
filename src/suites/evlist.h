/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Family header of internals/evlist-open-close: evlist.c (rows, hooks), evlist_target.c (whose events), evlist_attr.c
 * (what the kernel takes), evlist_op.c (one operation).
 */
#ifndef PG_SUITES_EVLIST_H
#define PG_SUITES_EVLIST_H

#include "perf_event.h"

#define PG_EVLIST_PAGES 128 /* data pages of a ring buffer, beside its header page */

struct pg_evlist_conf {
	uint64_t loops, event_copies;
	const char *target, *events;
	const char *event_cpus; /* NULL = the CPUs allowed to this process */
	int buffer;		/* 0 per-cpu, 1 per-thread */
};

enum pg_evlist_who { PG_WHO_SYSTEM, PG_WHO_SELF, PG_WHO_PID, PG_WHO_TID, PG_WHO_USER };

/* The text of the param `target`, taken apart. */
struct pg_evlist_target {
	enum pg_evlist_who who;
	pid_t id;	  /* PID, TID */
	const char *user; /* USER; in the text */
};

struct pg_evlist_tasks {
	pid_t *ids;
	size_t n, cap;
};

enum pg_evlist_phase { PG_EV_OPEN, PG_EV_MAP, PG_EV_ENABLE, PG_EV_DISABLE, PG_EV_CLOSE };
#define PG_EVLIST_PHASES 5

struct pg_evlist {
	const struct pg_evlist_conf *conf;
	const char *root;
	struct pg_evlist_target target;
	struct pg_perf_event *events;
	size_t n_events;
	int *cpus; /* -1 alone: events that follow a thread */
	size_t n_cpus;
	struct pg_cpuset *spots;      /* each CPU alone, in the order of cpus; NULL = none */
	struct pg_cpuset home;	      /* of this task */
	struct pg_evlist_tasks tasks; /* -1 alone: every process */
	/* One operation. fds: by event and copy, CPU, task; -1 = none. */
	int *fds;
	size_t n_fds, fds_cap;
	struct pg_evlist_buffer {
		void *map; /* NULL = not mapped */
		int leader;
	} * buffers; /* by CPU or by task */
	size_t n_buffers, buffers_cap;
	size_t opened;
	int64_t phase_ns[PG_EVLIST_PHASES]; /* sums over the operations */
};

/* evlist_target.c */
int pg_evlist_target_parse(const char *text, struct pg_evlist_target *out, struct pg_err *err);
/* The tasks that the target has now. -1: PG_EUNSUPPORTED where there is none. */
int pg_evlist_tasks_find(const struct pg_evlist_target *t, const char *root, struct pg_evlist_tasks *tasks,
			 struct pg_err *err);

/* evlist_attr.c. Completes the attributes of every event by asking the kernel what it takes; -1: PG_EUNSUPPORTED. */
int pg_evlist_attr_fit(struct pg_evlist *l, struct pg_err *err);
/* As the event with index i (over events and copies) is opened: the first of all also tracks mappings and names. */
struct perf_event_attr pg_evlist_attr(const struct pg_evlist *l, size_t i);
/* Whether the event counts on that CPU (-1 = any). */
bool pg_evlist_counts_on(const struct pg_perf_event *e, int cpu);

/* evlist_op.c. What the operations need beside their events: sets of CPUs. */
int pg_evlist_op_init(struct pg_evlist *l, struct pg_err *err);
void pg_evlist_op_release(struct pg_evlist *l);
/* Rooms for one operation over the present tasks, untimed; then open to close, adding to phase_ns. */
int pg_evlist_op_prepare(struct pg_evlist *l, struct pg_err *err);
int pg_evlist_op_run(struct pg_evlist *l, struct pg_err *err);
/* Unmaps and closes whatever is open. */
void pg_evlist_op_close(struct pg_evlist *l);

#endif
