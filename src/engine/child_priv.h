/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parts of child.h: one runner's means of starting and watching processes.
 */
#ifndef PG_ENGINE_CHILD_PRIV_H
#define PG_ENGINE_CHILD_PRIV_H

#include <signal.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "base/cpulist.h"
#include "base/str.h"
#include "engine/cgroup.h"
#include "engine/child.h"
#include "engine/drain.h"
#include "engine/guards.h"
#include "engine/lines.h"
#include "engine/rep.h"
#include "engine/spawn.h"
#include "engine/spawn_words.h"
#include "model/template.h"

#define PG_CHILD_STACK ((size_t)64 << 10)

struct pg_child {
	struct pg_child_opts opts;
	pid_t pid; /* the runner */
	struct pg_rep_page *page;
	int page_fd, null_fd;
	char *stack;		   /* of a program until exec; not forked */
	char *self_path;	   /* opts.self, for exec */
	char self[PG_CGROUP_PATH]; /* where this program lies, for prefix words; "" = not known */

	struct pg_drain out, err; /* of the rep, and of before and after */
	struct pg_drain bg;	  /* stderr of a background program; opened with the first one */
	struct pg_lines out_lines, err_lines;
	struct pg_captures captures;
	struct pg_proc background; /* pid 0 = none */

	struct pg_wordlist words;
	struct pg_environment env;
	struct pg_str path, directory, conf_text;
	void *conf; /* bound conf of a forked rep, and its texts behind it */
	size_t conf_cap;

	struct pg_cpuset pin;
	struct pg_str pin_text; /* what `pin` was made from */
	struct pg_cgroups cgroups;
	struct pg_guards guards;
	bool guards_open;
	sigset_t mask; /* outside of a rep */
	bool ignore_hup;
};

static inline int64_t pg_timeval_ns(struct timeval t)
{
	return (int64_t)t.tv_sec * 1000000000 + (int64_t)t.tv_usec * 1000;
}

static inline int64_t pg_child_now(const struct pg_child *c)
{
	return c->opts.clock->mono(c->opts.clock->ctx);
}

static inline bool pg_child_stopped(const struct pg_child *c)
{
	return c->opts.stop && *c->opts.stop;
}

/* How a process came to its end. */
enum pg_end_cause {
	PG_END_OWN,
	PG_END_DEADLINE,
	PG_END_STOP,	   /* the runner was told to stop */
	PG_END_BACKGROUND, /* the background program was gone */
	PG_END_LOST,	   /* could not be killed: it hangs in the kernel */
};
struct pg_end {
	enum pg_end_cause cause;
	int status; /* as wait4() has it */
	struct rusage ru;
	int64_t t0, t1; /* clock: before it was made, when its end was seen */
};

/*
 * Waits for p until its end or the deadline (timeout_ns from end->t0, -1 = none), empties the pipes, kills what is left
 * of its tree and reaps it. watch_stop: a stop of the runner ends it too. Signals are blocked by the caller; c->mask
 * holds while it waits.
 */
void pg_child_watch(struct pg_child *c, struct pg_proc *p, int64_t timeout_ns, bool watch_stop, struct pg_end *end);
/* Ends the background program: TERM, two seconds, KILL. */
void pg_child_end_background(struct pg_child *c);

/* Sends sig to the process group of pid and to its descendants outside of that group. */
void pg_tree_signal(pid_t pid, int sig);
/* No child of this process is left, neither alive nor unreaped. */
bool pg_tree_empty(void);

/* child_outcome.c: what came out, in words and numbers. */
void pg_outcome_clear(struct pg_outcome *out);
void pg_outcome_fail(struct pg_outcome *out, enum pg_status status, const char *text);
/* "exit status 2", "killed by SIGSEGV" */
void pg_end_describe(int status, struct pg_str *out);
/* Status and samples of an ended rep. */
void pg_outcome_bench(struct pg_child *c, const struct pg_job *job, const struct pg_end *end, struct pg_outcome *out);
void pg_outcome_program(struct pg_child *c, const struct pg_job *job, const struct pg_end *end, struct pg_outcome *out);
/* A helper (before, after) that did not end well: "before: exit status 1: its last line". */
void pg_outcome_helper(struct pg_child *c, const char *what, const struct pg_end *end, int64_t timeout_ns,
		       struct pg_outcome *out);

/* child_start.c: command lines, environment and run keys of the processes around a rep. */
/* Makes c->pin from a list, where it is not that already. -1: no such list. */
int pg_child_pin(struct pg_child *c, const char *list, struct pg_err *err);
struct pg_launch {
	const struct pg_job *job;
	struct pg_template_ctx ctx;
};
/*
 * 0 with p->pid > 0: started; 0 with p->pid == 0: the rep has failed, *out says why; -1: the runner is out of memory or
 * descriptors. *t0 is taken right before the process is made.
 */
int pg_child_start_rep(struct pg_child *c, const struct pg_launch *l, struct pg_proc *p, int64_t *t0,
		       struct pg_outcome *out, struct pg_err *err);
int pg_child_start_helper(struct pg_child *c, const struct pg_launch *l, const struct pg_words *words,
			  struct pg_proc *p, struct pg_outcome *out, struct pg_err *err);
int pg_child_start_background(struct pg_child *c, const struct pg_launch *l, struct pg_outcome *out,
			      struct pg_err *err);

#endif
