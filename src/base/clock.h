/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time, as something that is passed in; tests pass a tick clock. The real clock, and pg_now_ns(), read
 * CLOCK_MONOTONIC_RAW, or CLOCK_MONOTONIC where a reading of the former costs more than twice as much (it has no vDSO
 * path then; docs/statistics.md 2.2).
 */
#ifndef PG_BASE_CLOCK_H
#define PG_BASE_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct pg_err;

struct pg_clock {
	int64_t (*mono)(void *ctx);	      /* ns, monotonic, arbitrary origin */
	int64_t (*wall)(void *ctx);	      /* ns since the epoch, UTC */
	void (*sleep)(void *ctx, int64_t ns); /* returns early when a signal arrives */
	void *ctx;
};

/* Some 10 us: tries both of the kernel's clocks, and the calling thread reads the better one from then on. */
const struct pg_clock *pg_clock_real(void);
/*
 * Does a reading by `raw` cost more than two by `plain`, which tells the time? A few hundred readings, the fastest of
 * five attempts each.
 */
bool pg_clock_is_slow(int64_t (*raw)(void *ctx), int64_t (*plain)(void *ctx), void *ctx);

/*
 * Which clock pg_now_ns() reads in this thread. A forked process goes on with it; a new thread or program begins with
 * CLOCK_MONOTONIC_RAW and is told by who starts it: stamps of two clocks have no difference.
 */
extern _Thread_local bool pg_clock_plain;
static inline clockid_t pg_clock_id(void)
{
	return pg_clock_plain ? CLOCK_MONOTONIC : CLOCK_MONOTONIC_RAW;
}
const char *pg_clock_name(void); /* "CLOCK_MONOTONIC_RAW", "CLOCK_MONOTONIC" */

/* Now, for suites: inline, no indirection. */
static inline int64_t pg_now_ns(void)
{
	struct timespec t;

	clock_gettime(pg_clock_id(), &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What a number that this clock gives is worth, in ns (docs/statistics.md 2.1). */
struct pg_clock_figures {
	int64_t cost_ns; /* median of 10,000 differences between readings in a row */
	int64_t step_ns; /* the smallest difference above 0 */
	int64_t res_ns;	 /* the larger one of the step and of what the kernel says */
};
/* Some 0.5 ms; pg_now_ns() is read. -1 with PG_ENOMEM. */
int pg_clock_measure(struct pg_clock_figures *out, struct pg_err *err);
/* The same from n + 1 readings; t is used up. */
void pg_clock_figures(int64_t *t, size_t n, int64_t kernel_res_ns, struct pg_clock_figures *out);
/* What a timed batch must last at least (2.2). */
int64_t pg_clock_batch_ns(const struct pg_clock_figures *f);
/* What one reading takes of such a batch, in millionths, rounded up. */
int64_t pg_clock_overhead_ppm(const struct pg_clock_figures *f);

/* a - b, never below 0. */
static inline int64_t pg_since(int64_t a, int64_t b)
{
	return a > b ? a - b : 0;
}

/* "20261130T082300Z"; buf holds 17 bytes. */
void pg_stamp_utc(char *buf, int64_t wall_ns);

#endif
