/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/canary.h"

#include <string.h>
#include <sys/mman.h>

#include "base/arena.h"
#include "base/clock.h"

#define COPY_BYTES ((size_t)1 << 20)
#define ALU_STEPS  400000 /* of 4 cycles on most processors: half a millisecond at 3 GHz */

/* Each step needs the one before, and the compiler cannot look through it: no vectors, nothing worked out ahead. */
static void work(void)
{
	uint64_t x = 1;

	for (unsigned i = 0; i < ALU_STEPS; i++) {
		x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
		__asm__ volatile("" : "+r"(x));
	}
}

static void copy(const struct pg_canary *c)
{
	memcpy(c->buf + COPY_BYTES, c->buf, COPY_BYTES);
	__asm__ volatile("" : : "r"(c->buf) : "memory");
}

/* Written once, for pages that nothing was written to are all one. Small ones: whether huge ones are free is luck. */
static bool map(struct pg_canary *c)
{
	c->buf = pg_big_alloc(2 * COPY_BYTES);
	c->off = !c->buf;
	if (c->off)
		return false;
	(void)madvise(c->buf, 2 * COPY_BYTES, MADV_NOHUGEPAGE);
	memset(c->buf, 1, 2 * COPY_BYTES);
	return true;
}

void pg_canary_release(struct pg_canary *c)
{
	pg_big_free(c->buf, 2 * COPY_BYTES);
	memset(c, 0, sizeof(*c));
}

static int64_t now(const struct pg_clock *clock)
{
	return clock->mono(clock->ctx);
}

/* The copy that is not timed brings the buffers back into the cache, out of which the rep has driven them. */
static void measure(const struct pg_canary *c, const struct pg_clock *clock, int64_t ns[PG_CANARIES])
{
	int64_t start, worked;

	copy(c);
	start = now(clock);
	work();
	worked = now(clock);
	copy(c);
	ns[PG_CANARY_COPY] = pg_since(now(clock), worked);
	ns[PG_CANARY_ALU] = pg_since(worked, start);
}

bool pg_canary_sample(struct pg_canary *c, const struct pg_clock *clock, size_t sweep, uint32_t round,
		      int64_t ns[PG_CANARIES])
{
	int64_t t;

	if (c->off || (c->sampled && c->sweep == sweep && c->round == round))
		return false;
	t = now(clock);
	if (c->sampled && pg_since(t, c->at_ns) < PG_CANARY_STEP_NS)
		return false;
	if (!c->buf && !map(c))
		return false;
	measure(c, clock, ns);
	c->sampled = true;
	c->sweep = sweep;
	c->round = round;
	c->at_ns = t;
	return true;
}
