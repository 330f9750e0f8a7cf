/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The crew as its main task sees it: opening, the gate, ends and their reasons. */
#include "engine/crew_priv.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/clock.h"

#define LOOK_NS	    50000000 /* how often someone who waits before the gate looks for dead workers */
#define GRACE_NS    5000000  /* between two looks for the cause of a lost peer */
#define GRACE_LOOKS 20

static const char *noun(const struct pg_crew *c)
{
	return c->opts.threads ? "threads" : "processes";
}

size_t pg_crew_started(const struct pg_crew *c)
{
	return c->started;
}

struct pg_slot *pg_crew_slot(struct pg_crew *c, size_t i)
{
	assert(i < c->opts.n);
	return &c->slots[i];
}

static int map_shared(struct pg_crew *c, struct pg_err *err)
{
	void *p;

	c->shared_bytes = sizeof(struct pg_gate) + c->opts.n * sizeof(struct pg_slot);
	p = mmap(NULL, c->shared_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED)
		return pg_fail_sys(
			err,
			"cannot map the slots of %zu %s; free memory or raise the limit of the cgroup (memory.max)",
			c->opts.n, noun(c));
	c->gate = p;
	c->slots = (struct pg_slot *)(void *)(c->gate + 1);
	return 0;
}

int pg_crew_open(struct pg_crew **out, const struct pg_crew_opts *opts, struct pg_err *err)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct pg_crew *c = calloc(1, sizeof(*c));

	assert(opts->n > 0 && opts->n < UINT32_MAX);
	if (!c)
		return pg_fail_nomem(err);
	c->opts = *opts;
	c->self = getpid();
	pg_cpuset_init(&c->home);
	sigaction(SIGPIPE, &ignore, &c->old_pipe);
	c->workers = calloc(opts->n, sizeof(*c->workers));
	if (!c->workers) {
		pg_fail_nomem(err);
		goto fail;
	}
	if (map_shared(c, err) || pg_place_load(&c->place, opts->placement, opts->root, err))
		goto fail;
	if (opts->threads ? pg_crew_thread_open(c, err) : pg_crew_process_open(c, err))
		goto fail;
	*out = c;
	return 0;
fail:
	pg_crew_close(c);
	return -1;
}

void pg_crew_close(struct pg_crew *c)
{
	if (!c)
		return;
	if (c->left > 0 && c->opts.threads)
		pg_crew_thread_end(c);
	else if (c->left > 0)
		pg_crew_process_end(c);
	if (c->moved)
		pg_affinity_set(0, &c->home, NULL);
	sigaction(SIGPIPE, &c->old_pipe, NULL);
	pg_cpuset_release(&c->home);
	pg_place_release(&c->place);
	if (c->gate)
		munmap(c->gate, c->shared_bytes);
	free(c->pids);
	free(c->by_pid);
	free(c->threads);
	free(c->alive);
	free(c->workers);
	free(c);
}

static struct pg_worker *next_worker(struct pg_crew *c, int (*body)(struct pg_worker *w, void *arg), void *arg)
{
	struct pg_worker *w = &c->workers[c->started];

	assert(c->started < c->opts.n);
	w->crew = c;
	w->slot = &c->slots[c->started];
	w->index = c->started;
	w->body = body;
	w->arg = arg;
	return w;
}

/* What the end that ranks highest says. */
static void tell_cause(struct pg_crew *c)
{
	const struct pg_end *e = &c->end;
	const struct pg_slot *slot = &c->slots[e->index];
	const size_t no = e->index + 1, of = c->opts.n;

	if (e->rank == PG_RANK_NONE)
		pg_fail(&c->cause, PG_EFAILED, "the workers were ended before their work was done");
	else if (WIFSIGNALED(e->status))
		pg_fail(&c->cause, PG_EFAILED,
			"worker %zu of %zu was killed by signal %d (%s); see the kernel's log (dmesg) for who did it",
			no, of, WTERMSIG(e->status), strsignal(WTERMSIG(e->status)));
	else if (slot->state != PG_SLOT_GOOD)
		pg_fail(&c->cause, PG_EFAILED, "worker %zu of %zu: %s", no, of, slot->why);
	else
		pg_fail(&c->cause, PG_EFAILED, "worker %zu of %zu ended with status %d before its work was done", no,
			of, WEXITSTATUS(e->status));
}

/* Some worker ended badly: finds the cause, ends the others. Afterwards no worker is left. */
static void break_off(struct pg_crew *c)
{
	const struct timespec grace = {.tv_nsec = GRACE_NS};

	if (c->broken)
		return;
	/* A killed process's peers may see its descriptors close, and end, before it can be waited for. */
	for (int i = 0; i < GRACE_LOOKS && !c->opts.threads && c->end.rank == PG_RANK_PEER && c->left > 0; i++)
		if (!pg_crew_process_collect(c, false))
			nanosleep(&grace, NULL);
	c->ending = true;
	if (c->left > 0 && c->opts.threads)
		pg_crew_thread_end(c);
	else if (c->left > 0)
		pg_crew_process_end(c);
	for (size_t i = 0; c->opts.threads && i < c->started; i++)
		pg_crew_note_end(c, i, 0);
	tell_cause(c);
	c->broken = true;
}

static int broken(struct pg_crew *c, struct pg_err *err)
{
	break_off(c);
	if (err)
		*err = c->cause;
	return -1;
}

void pg_crew_note_end(struct pg_crew *c, size_t i, int status)
{
	const uint32_t state = atomic_load(&c->slots[i].state);
	enum pg_rank rank = PG_RANK_NONE;

	if (c->ending && state == PG_SLOT_GOOD)
		return;
	/* It had said why it ends, and was still at it: the kill was ours. */
	if (c->ending && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL)
		status = 0;
	if (state == PG_SLOT_PEER && !WIFSIGNALED(status))
		rank = PG_RANK_PEER;
	else if (state != PG_SLOT_GOOD || status != 0)
		rank = PG_RANK_CAUSE;
	if (rank > c->end.rank)
		c->end = (struct pg_end){.rank = rank, .index = i, .status = status};
}

int pg_crew_start(struct pg_crew *c, int (*body)(struct pg_worker *w, void *arg), void *arg, struct pg_err *err)
{
	struct pg_worker *w = next_worker(c, body, arg);
	const int e = c->opts.threads ? pg_crew_thread_start(c, w) : pg_crew_process_start(c, w);
	const size_t started = c->started;

	if (e == 0) {
		c->started++;
		c->left++;
		return 0;
	}
	break_off(c);
	errno = e;
	return pg_fail_sys(err,
			   "could start %zu of %zu %s; lower their number or raise the limit of processes (ulimit -u, "
			   "pids.max of the cgroup)",
			   started, c->opts.n, noun(c));
}

void pg_crew_here(struct pg_crew *c, int (*body)(struct pg_worker *w, void *arg), void *arg)
{
	struct pg_worker *w = next_worker(c, body, arg);

	w->here = true;
	c->started++;
	if (c->place.sets && !c->moved)
		c->moved = pg_affinity_get(0, &c->home, NULL) == 0;
	pg_worker_run(w);
	pg_crew_note_end(c, w->index, 0);
}

int pg_crew_check(struct pg_crew *c, struct pg_err *err)
{
	const size_t left = c->left;

	if (!c->broken && !c->opts.threads)
		while (pg_crew_process_collect(c, false))
			;
	if (c->broken || c->left < left || c->end.rank != PG_RANK_NONE || atomic_load(&c->gate->failed) > 0)
		return broken(c, err);
	return 0;
}

int pg_crew_wait_ready(struct pg_crew *c, struct pg_err *err)
{
	uint32_t seen;

	while ((seen = atomic_load(&c->gate->arrived)) < c->opts.n) {
		pg_futex_wait(&c->gate->arrived, seen, LOOK_NS);
		if (atomic_load(&c->gate->arrived) == seen && pg_crew_check(c, err))
			return -1;
	}
	return 0;
}

int64_t pg_crew_go(struct pg_crew *c)
{
	const int64_t now = pg_now_ns();

	atomic_store(&c->gate->state, PG_GATE_OPEN);
	pg_futex_wake_all(&c->gate->state);
	return now;
}

int pg_crew_reap(struct pg_crew *c, struct pg_err *err)
{
	while (!c->broken && c->left > 0 && c->end.rank == PG_RANK_NONE) {
		if (!c->opts.threads)
			pg_crew_process_collect(c, true);
		else if (!pg_crew_thread_collect(c) && atomic_load(&c->gate->failed) > 0)
			break;
	}
	if (c->broken || c->end.rank != PG_RANK_NONE || atomic_load(&c->gate->failed) > 0)
		return broken(c, err);
	return 0;
}

/* A worker at the gate; the main task, where it is a worker, also looks for the death of the others. */
int pg_worker_hold(struct pg_worker *w)
{
	struct pg_crew *c = w->crew;
	uint32_t state;

	while ((state = atomic_load(&c->gate->state)) == PG_GATE_SHUT) {
		pg_futex_wait(&c->gate->state, PG_GATE_SHUT, w->here ? LOOK_NS : -1);
		if (w->here && atomic_load(&c->gate->state) == PG_GATE_SHUT && pg_crew_check(c, NULL))
			return -1;
	}
	return state == PG_GATE_OPEN ? 0 : -1;
}
