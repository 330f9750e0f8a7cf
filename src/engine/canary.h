/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the machine itself does at a moment: a fixed loop of arithmetic and a fixed copy of memory, timed between reps.
 * Where these differ between sessions, what is measured may differ by itself (docs/statistics.md 9).
 */
#ifndef PG_ENGINE_CANARY_H
#define PG_ENGINE_CANARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct pg_clock;

enum { PG_CANARY_ALU, PG_CANARY_COPY, PG_CANARIES };
#define PG_CANARY_STEP_NS INT64_C(1000000000) /* between two samples at least: some 0.7 ms each */

/* Zeroed = no sample yet. */
struct pg_canary {
	unsigned char *buf; /* of the copy: mapped for the first sample; a fork leaves it out */
	bool off;	    /* there was no memory for it */
	bool sampled;	    /* of these the latest one: */
	size_t sweep;
	uint32_t round;
	int64_t at_ns;
};
void pg_canary_release(struct pg_canary *c);

/*
 * To be called between two reps, with the round that was at work: true = a sample was due, and is in ns[]. One a round
 * and one a second at most.
 */
bool pg_canary_sample(struct pg_canary *c, const struct pg_clock *clock, size_t sweep, uint32_t round,
		      int64_t ns[PG_CANARIES]);

#endif
