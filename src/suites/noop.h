/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Family header of noop: noop.c (rows, hooks), noop_strike.c (outcomes), noop_traces.c (what a rep leaves behind),
 * noop_noise.c (the reported time).
 */
#ifndef PG_SUITES_NOOP_H
#define PG_SUITES_NOOP_H

#include <signal.h>

#include "pg_bench.h"

enum pg_noop_outcome {
	PG_NOOP_SUCCEED,
	PG_NOOP_FAIL,
	PG_NOOP_EXIT,
	PG_NOOP_CRASH,
	PG_NOOP_HANG,
	PG_NOOP_VANISH,
	PG_NOOP_UNSUPPORTED,
	PG_NOOP_INVALID,
};
enum pg_noop_phase { PG_NOOP_PROBE, PG_NOOP_CHECK, PG_NOOP_SETUP, PG_NOOP_MEASURE, PG_NOOP_TEARDOWN };
enum pg_noop_stream { PG_NOOP_STDOUT, PG_NOOP_STDERR, PG_NOOP_BOTH };
enum pg_noop_grandchild { PG_NOOP_NO_GRANDCHILD, PG_NOOP_CHILD, PG_NOOP_NEW_SESSION, PG_NOOP_DOUBLE_FORK };
enum pg_noop_elapse { PG_NOOP_ELAPSE_NONE, PG_NOOP_SLEEP, PG_NOOP_SPIN };
enum pg_noop_noise {
	PG_NOOP_QUIET,
	PG_NOOP_NORMAL,
	PG_NOOP_LOGNORMAL,
	PG_NOOP_BIMODAL,
	PG_NOOP_SPIKES,
	PG_NOOP_DRIFT,
	PG_NOOP_CORRELATED,
};

struct pg_noop_conf {
	uint64_t strike_every, exit_code, output, leaked_descriptors, leaked_threads, touch_size, loops,
		uncounted_loops;
	struct pg_word_num recover_after;
	uint64_t first, second, amount;
	int64_t duration, interval;
	double noise_level, fraction;
	const char *cpu_set, *node_set, *text;
	int outcome, strike_phase, signal, output_stream, grandchild, elapse, noise, choice;
	bool flag, ignore_signals;
};

/* Made by setup only where there is something to undo. */
struct pg_noop {
	void *touched;
	size_t touched_bytes;
	struct sigaction old_term, old_int;
	bool ignoring;
};

/* noop_strike.c. Choices of `signal`; what outcome and strike_phase may be together. */
extern const struct pg_choice pg_noop_signals[];
int pg_noop_strike_check(const struct pg_noop_conf *conf, struct pg_err *err);
/* In probe and check there is no rep: the outcome always strikes. */
int pg_noop_strike_early(const struct pg_noop_conf *conf, enum pg_noop_phase phase, struct pg_err *err);
/* May not return; -1 with the reason; 0: nothing struck. `invalid` strikes by *time = 0. */
int pg_noop_strike(const struct pg_run *run, enum pg_noop_phase phase, int64_t *time, struct pg_err *err);

/* noop_traces.c. */
bool pg_noop_leaves_traces(const struct pg_noop_conf *conf);
int pg_noop_leave_traces(const struct pg_noop_conf *conf, struct pg_noop *n, struct pg_err *err);
void pg_noop_remove_traces(struct pg_noop *n);

/* noop_noise.c. Factor on the time of this rep, from its seed (drift and correlated: and its number); >= 0. */
double pg_noop_noise_factor(int shape, double level, uint64_t seed, uint32_t rep);

#endif
