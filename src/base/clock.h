/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time, as something that is passed in. The real clock reads CLOCK_MONOTONIC_RAW where that has a vDSO path, else
 * CLOCK_MONOTONIC; tests pass a tick clock.
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

const struct pg_clock *pg_clock_real(void);

/* CLOCK_MONOTONIC_RAW now, for suites: inline, no indirection. */
static inline int64_t pg_now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* What a number that this clock gives is worth, in ns (docs/statistics.md 2.1). */
struct pg_clock_figures {
	int64_t cost_ns; /* median of 10,000 differences between readings in a row */
	int64_t step_ns; /* the smallest difference above 0 */
	int64_t res_ns;	 /* the larger one of the step and of what the kernel says */
};
#define PG_CLOCK_NAME "CLOCK_MONOTONIC_RAW" /* what pg_now_ns() reads */
/* Some 0.5 ms; pg_now_ns() is read. -1 with PG_ENOMEM. */
int pg_clock_measure(struct pg_clock_figures *out, struct pg_err *err);
/* The same from n + 1 readings; t is used up. */
void pg_clock_figures(int64_t *t, size_t n, int64_t kernel_res_ns, struct pg_clock_figures *out);
/* What a timed batch must last at least (2.2). */
int64_t pg_clock_batch_ns(const struct pg_clock_figures *f);

/* a - b, never below 0. */
static inline int64_t pg_since(int64_t a, int64_t b)
{
	return a > b ? a - b : 0;
}

/* "20261130T082300Z"; buf holds 17 bytes. */
void pg_stamp_utc(char *buf, int64_t wall_ns);

#endif
