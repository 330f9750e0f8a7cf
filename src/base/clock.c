/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The real clock, and time stamps for names.
 */
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>

#include "base/err.h"

#define NS_PER_S  1000000000
#define NS_PER_MS 1000000
#define READINGS  10000
#define TRY_READS 32
#define TRIES	  5

static int64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

_Thread_local bool pg_clock_plain;

static int64_t mono_raw(void *ctx)
{
	(void)ctx;
	return read_clock(CLOCK_MONOTONIC_RAW);
}

static int64_t mono_plain(void *ctx)
{
	(void)ctx;
	return read_clock(CLOCK_MONOTONIC);
}

static int64_t wall(void *ctx)
{
	(void)ctx;
	return read_clock(CLOCK_REALTIME);
}

static void sleep_ns(void *ctx, int64_t ns)
{
	struct timespec t;

	(void)ctx;
	if (ns <= 0)
		return;
	t.tv_sec = (time_t)(ns / NS_PER_S);
	t.tv_nsec = (long)(ns % NS_PER_S);
	nanosleep(&t, NULL);
}

static const struct pg_clock clock_raw = {mono_raw, wall, sleep_ns, NULL};
static const struct pg_clock clock_plain = {mono_plain, wall, sleep_ns, NULL};

/* Time by `plain` of so many readings in a row. */
static int64_t time_of(int64_t (*which)(void *ctx), int64_t (*plain)(void *ctx), void *ctx)
{
	int64_t start = plain(ctx);

	for (int i = 0; i < TRY_READS; i++)
		which(ctx);
	return pg_since(plain(ctx), start);
}

bool pg_clock_is_slow(int64_t (*raw)(void *ctx), int64_t (*plain)(void *ctx), void *ctx)
{
	int64_t best_raw = INT64_MAX, best_plain = INT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		int64_t a = time_of(raw, plain, ctx), b = time_of(plain, plain, ctx);

		best_raw = a < best_raw ? a : best_raw;
		best_plain = b < best_plain ? b : best_plain;
	}
	return best_raw > 2 * best_plain;
}

const struct pg_clock *pg_clock_real(void)
{
	pg_clock_plain = pg_clock_is_slow(mono_raw, mono_plain, NULL);
	return pg_clock_plain ? &clock_plain : &clock_raw;
}

const char *pg_clock_name(void)
{
	return pg_clock_plain ? "CLOCK_MONOTONIC" : "CLOCK_MONOTONIC_RAW";
}

static int by_number(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

void pg_clock_figures(int64_t *t, size_t n, int64_t kernel_res_ns, struct pg_clock_figures *out)
{
	size_t i = 0;

	for (i = 0; i < n; i++)
		t[i] = pg_since(t[i + 1], t[i]);
	qsort(t, n, sizeof(*t), by_number);
	out->cost_ns = (t[(n - 1) / 2] + t[n / 2]) / 2;
	for (i = 0; i < n && t[i] == 0; i++)
		;
	out->step_ns = i < n ? t[i] : 0;
	out->res_ns = kernel_res_ns > out->step_ns ? kernel_res_ns : out->step_ns;
}

int pg_clock_measure(struct pg_clock_figures *out, struct pg_err *err)
{
	int64_t *t = malloc((READINGS + 1) * sizeof(*t));
	struct timespec res = {0, 0};

	if (!t)
		return pg_fail_nomem(err);
	memset(t, 0, (READINGS + 1) * sizeof(*t)); /* no page fault between two readings */
	for (size_t i = 0; i <= READINGS; i++)
		t[i] = pg_now_ns();
	clock_getres(pg_clock_id(), &res);
	pg_clock_figures(t, READINGS, (int64_t)res.tv_sec * NS_PER_S + res.tv_nsec, out);
	free(t);
	return 0;
}

int64_t pg_clock_batch_ns(const struct pg_clock_figures *f)
{
	const int64_t slowest = f->res_ns > f->cost_ns ? f->res_ns : f->cost_ns;

	return slowest * 1000 > NS_PER_MS ? slowest * 1000 : NS_PER_MS;
}

int64_t pg_clock_overhead_ppm(const struct pg_clock_figures *f)
{
	const int64_t batch = pg_clock_batch_ns(f);

	return (f->cost_ns * 1000000 + batch - 1) / batch;
}

static char *put_digits(char *p, int v, int width)
{
	for (int i = width - 1; i >= 0; i--) {
		p[i] = (char)('0' + v % 10);
		v /= 10;
	}
	return p + width;
}

void pg_stamp_utc(char *buf, int64_t wall_ns)
{
	time_t s = (time_t)(wall_ns / NS_PER_S - (wall_ns % NS_PER_S < 0));
	struct tm tm = {0};
	char *p = buf;

	gmtime_r(&s, &tm); /* 64 bits of ns end in the year 2262 */
	p = put_digits(p, tm.tm_year + 1900, 4);
	p = put_digits(p, tm.tm_mon + 1, 2);
	p = put_digits(p, tm.tm_mday, 2);
	*p++ = 'T';
	p = put_digits(p, tm.tm_hour, 2);
	p = put_digits(p, tm.tm_min, 2);
	p = put_digits(p, tm.tm_sec, 2);
	*p++ = 'Z';
	*p = '\0';
}
