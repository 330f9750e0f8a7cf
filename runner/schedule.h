/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which sweep runs when: one after the other; `sessions` splits the rounds of all of them into parts with rests
 * between; `--budget` gives each cell its minimum, then the time that is left to those that are known worst.
 */
#ifndef PG_RUNNER_SCHEDULE_H
#define PG_RUNNER_SCHEDULE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/parts.h"

struct pg_clock;
struct pg_err;
struct pg_executor;
struct pg_observer;
struct pg_rounds;
struct pg_rules;

struct pg_schedule {
	size_t n; /* sweeps */
	struct pg_rounds *const *rounds;
	const struct pg_rules *const *rules;
	const struct pg_executor *executor;
	const struct pg_observer *observer;
	const struct pg_clock *clock;
	const volatile sig_atomic_t *stop;
	uint32_t parts;	  /* at least 1; with until_ns: 1 */
	uint32_t was;	  /* part of the rep that was measured last, as rounds were split then; 0 = none, not known */
	int64_t until_ns; /* on the clock: end of the budget; 0 = none */
	/* A rest begins before part `number`, 1-based; it is over: a session begins. */
	void (*rest)(void *ctx, uint32_t number);
	int (*begin)(void *ctx, uint32_t number, struct pg_err *err);
	void *ctx;
};

/*
 * Before the first session of this start, with the rounds restored: where the earlier one ended between two parts, the
 * rest that belongs there. -1 = the observer failed.
 */
int pg_schedule_rest(const struct pg_schedule *s, struct pg_err *err);
/* The part that pg_schedule_run() goes on in. */
uint32_t pg_schedule_part(const struct pg_schedule *s);
/* Runs what is left. Cells may be left over when *stop is set, or the budget was too short to measure them at all. */
int pg_schedule_run(const struct pg_schedule *s, struct pg_err *err);

/* Reps that each cell gets before the budget is spent on the worst ones. */
uint32_t pg_schedule_minimum(const struct pg_rules *rules);

#endif
