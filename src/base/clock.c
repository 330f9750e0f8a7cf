/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The real clock, and time stamps for names.
 */
#include "base/clock.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#define NS_PER_S 1000000000

static int64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (int64_t)t.tv_sec * NS_PER_S + t.tv_nsec;
}

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

/* The generic vDSO serves CLOCK_MONOTONIC_RAW since Linux 5.3; before that it is a system call on most machines. */
static bool raw_is_fast(void)
{
	struct utsname u;
	char *end;
	unsigned long major, minor;

	if (uname(&u) < 0)
		return false;
	major = strtoul(u.release, &end, 10);
	minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
	return major > 5 || (major == 5 && minor >= 3);
}

const struct pg_clock *pg_clock_real(void)
{
	return raw_is_fast() ? &clock_raw : &clock_plain;
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
