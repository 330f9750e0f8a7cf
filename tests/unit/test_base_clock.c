/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The real clock only moves forward; stamps are UTC. */
#include "tests/support/pgtest.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

#include "base/clock.h"
#include "base/err.h"

#define S INT64_C(1000000000)

START_TEST(moves_forward)
{
	const struct pg_clock *c = pg_clock_real();
	int64_t last = c->mono(c->ctx), raw = pg_now_ns(), backward = 0;

	ck_assert_int_gt(last, 0);
	for (int i = 0; i < 100000; i++) {
		int64_t now = c->mono(c->ctx), r = pg_now_ns();

		backward += now < last || r < raw;
		last = now;
		raw = r;
	}
	ck_assert_int_eq(backward, 0);
}
END_TEST

START_TEST(wall_is_the_time_of_day)
{
	const struct pg_clock *c = pg_clock_real();
	int64_t before = (int64_t)time(NULL), wall = c->wall(c->ctx), after;

	after = (int64_t)time(NULL);
	/* time() may lag by one tick of the kernel */
	ck_assert_int_ge(wall, before * S);
	ck_assert_int_lt(wall, (after + 2) * S);
}
END_TEST

START_TEST(sleep_lasts)
{
	const struct pg_clock *c = pg_clock_real();
	int64_t start = c->mono(c->ctx);

	c->sleep(c->ctx, 0);
	c->sleep(c->ctx, -5);
	c->sleep(c->ctx, 3000000);
	/* the sleep is timed by another clock, which time adjustment may let run a little faster */
	ck_assert_int_ge(c->mono(c->ctx) - start, 2900000);
}
END_TEST

static void on_alarm(int sig)
{
	(void)sig;
}

/* An hour that a signal ends: the test would time out otherwise. */
START_TEST(signal_ends_sleep)
{
	const struct pg_clock *c = pg_clock_real();
	struct sigaction sa;
	/* repeated, in case that the first one comes before the sleep has begun */
	struct itimerval t = {{0, 20000}, {0, 20000}}, off;

	memset(&sa, 0, sizeof(sa));
	memset(&off, 0, sizeof(off));
	sa.sa_handler = on_alarm;
	sa.sa_flags = SA_RESTART;
	ck_assert_int_eq(sigaction(SIGALRM, &sa, NULL), 0);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &t, NULL), 0);
	c->sleep(c->ctx, 3600 * S);
	ck_assert_int_eq(setitimer(ITIMER_REAL, &off, NULL), 0);
}
END_TEST

/* Odd and even counts; readings that do not move, a step, one that is late. */
static const struct {
	int64_t t[8];
	size_t n;
	int64_t kernel;
	struct pg_clock_figures figures;
} readings[] = {
	{{0, 20, 40, 60, 100}, 4, 1, {20, 20, 20}},  {{0, 20, 40, 90, 100, 1100}, 5, 1, {20, 10, 10}},
	{{0, 10, 40}, 2, 1, {20, 10, 10}},	     {{5, 5, 5, 5}, 3, 4000000, {0, 0, 4000000}},
	{{0, 0, 0, 0, 1000}, 4, 1, {0, 1000, 1000}}, {{0, 30, 20, 50}, 3, 1, {30, 30, 30}}, /* back: no difference */
};
#define READINGS ((int)(sizeof(readings) / sizeof(readings[0])))

START_TEST(figures)
{
	struct pg_clock_figures f;
	int64_t t[8];

	memcpy(t, readings[_i].t, sizeof(t));
	pg_clock_figures(t, readings[_i].n, readings[_i].kernel, &f);
	ck_assert_int_eq(f.cost_ns, readings[_i].figures.cost_ns);
	ck_assert_int_eq(f.step_ns, readings[_i].figures.step_ns);
	ck_assert_int_eq(f.res_ns, readings[_i].figures.res_ns);
}
END_TEST

START_TEST(figures_of_this_machine)
{
	struct pg_clock_figures f;
	struct pg_err err;

	ck_assert_int_eq(pg_clock_measure(&f, &err), 0);
	ck_assert_int_ge(f.cost_ns, 0);
	ck_assert_int_gt(f.step_ns, 0);
	ck_assert_int_ge(f.res_ns, f.step_ns);
}
END_TEST

/* A machine whose time goes on by what readings cost. */
struct costs {
	int64_t now, raw, plain;
	int64_t late; /* every so many readings one is late */
	int64_t n;
};

static int64_t cost(struct costs *c, int64_t ns)
{
	c->now += ns;
	if (c->late && ++c->n % c->late == 0)
		c->now += 50000;
	return c->now;
}

static int64_t fake_raw(void *ctx)
{
	struct costs *c = ctx;

	return cost(c, c->raw);
}

/* Told in steps of 20 ns. */
static int64_t fake_plain(void *ctx)
{
	struct costs *c = ctx;

	return cost(c, c->plain) / 20 * 20;
}

START_TEST(slow_clock)
{
	static const struct {
		struct costs costs;
		bool slow;
	} rows[] = {
		{{.raw = 25, .plain = 25}, false},
		{{.raw = 20, .plain = 30}, false},
		{{.raw = 50, .plain = 25}, false}, /* twice as much is not more than twice */
		{{.raw = 53, .plain = 25}, true},
		{{.raw = 300, .plain = 25}, true},     /* a system call */
		{{.raw = 1200, .plain = 1100}, false}, /* neither has another path */
		{{.raw = 0, .plain = 0}, false},
		{{.raw = 25, .plain = 25, .late = 150}, false}, /* interrupted in some of the attempts */
		{{.raw = 300, .plain = 25, .late = 150}, true},
	};
	struct costs c = rows[_i].costs;

	ck_assert(pg_clock_is_slow(fake_raw, fake_plain, &c) == rows[_i].slow);
}
END_TEST
#define SLOW_CLOCKS 9

/* What pg_now_ns() reads is what the real clock reads. */
START_TEST(one_clock)
{
	const struct pg_clock *c = pg_clock_real();
	const clockid_t id = pg_clock_id();
	int64_t before = pg_now_ns(), now = c->mono(c->ctx), after = pg_now_ns();

	ck_assert(before <= now && now <= after);
	ck_assert_str_eq(pg_clock_name(), id == CLOCK_MONOTONIC ? "CLOCK_MONOTONIC" : "CLOCK_MONOTONIC_RAW");
	pg_clock_plain = !pg_clock_plain;
	ck_assert_int_ne(pg_clock_id(), id);
	pg_clock_plain = !pg_clock_plain;
	ck_assert_int_eq(pg_clock_id(), id);
}
END_TEST

START_TEST(overhead)
{
	ck_assert_int_eq(pg_clock_overhead_ppm(&(struct pg_clock_figures){30, 20, 20}), 30);
	ck_assert_int_eq(pg_clock_overhead_ppm(&(struct pg_clock_figures){1500, 70, 70}), 1000);
	ck_assert_int_eq(pg_clock_overhead_ppm(&(struct pg_clock_figures){30, 20, 4000000}), 1);
	ck_assert_int_eq(pg_clock_overhead_ppm(&(struct pg_clock_figures){0, 20, 20}), 0);
}
END_TEST

START_TEST(least_batch)
{
	ck_assert_int_eq(pg_clock_batch_ns(&(struct pg_clock_figures){30, 20, 20}), 1000000);
	ck_assert_int_eq(pg_clock_batch_ns(&(struct pg_clock_figures){1500, 70, 70}), 1500000);
	ck_assert_int_eq(pg_clock_batch_ns(&(struct pg_clock_figures){30, 20, 4000000}), INT64_C(4000000000));
}
END_TEST

START_TEST(differences_are_clamped)
{
	ck_assert_int_eq(pg_since(5, 3), 2);
	ck_assert_int_eq(pg_since(3, 5), 0);
	ck_assert_int_eq(pg_since(3, 3), 0);
}
END_TEST

START_TEST(stamps)
{
	static const struct {
		int64_t ns;
		const char *s;
	} t[] = {
		{0, "19700101T000000Z"},
		{999999999, "19700101T000000Z"},
		{-1, "19691231T235959Z"},
		{1796026980 * S + 1, "20261130T082300Z"},
		{951827696 * S, "20000229T123456Z"},
		{INT64_MAX, "22620411T234716Z"},
		{INT64_MIN, "16770921T001243Z"},
	};
	char buf[17];

	setenv("TZ", "America/New_York", 1);
	tzset();
	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++) {
		pg_stamp_utc(buf, t[i].ns);
		ck_assert_str_eq(buf, t[i].s);
	}
}
END_TEST

PG_TEST_MAIN("base_clock", ((const struct pg_test[]){
				   {moves_forward, 0},
				   {wall_is_the_time_of_day, 0},
				   {sleep_lasts, 0},
				   {signal_ends_sleep, 0},
				   {figures, READINGS},
				   {figures_of_this_machine, 0},
				   {slow_clock, SLOW_CLOCKS},
				   {one_clock, 0},
				   {overhead, 0},
				   {least_batch, 0},
				   {differences_are_clamped, 0},
				   {stamps, 0},
				   {NULL, 0},
			   }))
