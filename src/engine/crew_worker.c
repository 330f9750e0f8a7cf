/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The crew as a worker sees it. */
#include "engine/crew_priv.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#ifdef PG_COVERAGE
void __gcov_dump(void);
#endif

void pg_exit_child(int status)
{
#ifdef PG_COVERAGE
	__gcov_dump();
#endif
	_exit(status);
}

int pg_worker_run(struct pg_worker *w)
{
	const struct pg_cpuset *cpus = pg_place_of(&w->crew->place, w->index);
	struct pg_err err;

	if (cpus && pg_affinity_set(0, cpus, &err))
		return pg_worker_fail(w, "%s", err.msg);
	return w->body(w, w->arg);
}

void pg_worker_ready(struct pg_worker *w)
{
	struct pg_crew *c = w->crew;

	w->slot->ready_ns = pg_now_ns();
	if (atomic_fetch_add(&c->gate->arrived, 1) + 1 < c->opts.n)
		return;
	if (c->opts.last_opens)
		pg_crew_go(c);
	else
		pg_futex_wake_all(&c->gate->arrived);
}

bool pg_worker_told_to_stop(const struct pg_worker *w)
{
	return atomic_load_explicit(&w->crew->gate->state, memory_order_relaxed) == PG_GATE_END;
}

static int fail(struct pg_worker *w, enum pg_slot_state state, int sys, const char *fmt, va_list ap)
	__attribute__((format(printf, 4, 0), cold));

/* The first reason stays. */
static int fail(struct pg_worker *w, enum pg_slot_state state, int sys, const char *fmt, va_list ap)
{
	struct pg_slot *s = w->slot;
	size_t len;
	int n;

	if (atomic_load(&s->state) != PG_SLOT_GOOD)
		return -1;
	n = vsnprintf(s->why, sizeof(s->why), fmt, ap);
	len = n < 0 ? 0 : (size_t)n < sizeof(s->why) ? (size_t)n : sizeof(s->why) - 1;
	if (sys)
		snprintf(s->why + len, sizeof(s->why) - len, ": %s", strerror(sys));
	atomic_store(&s->state, state);
	atomic_fetch_add(&w->crew->gate->failed, 1);
	return -1;
}

int pg_worker_fail(struct pg_worker *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail(w, PG_SLOT_FAILED, 0, fmt, ap);
	va_end(ap);
	return -1;
}

int pg_worker_fail_sys(struct pg_worker *w, const char *fmt, ...)
{
	const int sys = errno;
	va_list ap;

	va_start(ap, fmt);
	fail(w, PG_SLOT_FAILED, sys, fmt, ap);
	va_end(ap);
	return -1;
}

int pg_worker_lost_peer(struct pg_worker *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fail(w, PG_SLOT_PEER, 0, fmt, ap);
	va_end(ap);
	return -1;
}
