/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall/call: one of several cheap calls in a loop (ours; perf bench has getppid and getpgid alone).
 * Timed: the loop only; what the calls return is added up, so that a loop in which one fails ends the rep. call_time
 * takes away an empty loop of the same shape, timed in the same rep just before. Not timed: opening the device, setting
 * up the ring, one call beforehand. By libc: getppid, getpgid, sched_yield, read, write, clock_gettime-vdso. By
 * syscall(2): gettid (some libcs remember it), clock_gettime (traps), futex-wake, io_uring-nop (io_uring_enter with one
 * request, its completion taken from the ring).
 */
#include "suites/syscall.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum function {
	F_GETPPID,
	F_GETPGID,
	F_GETTID,
	F_SCHED_YIELD,
	F_CLOCK_GETTIME,
	F_CLOCK_GETTIME_VDSO,
	F_READ_NULL,
	F_READ_ZERO,
	F_WRITE_NULL,
	F_WRITE_ZERO,
	F_FUTEX_WAKE,
	F_IO_URING_NOP,
};
#define FUNCTIONS 12

struct call_conf {
	uint64_t loops;
	int function; /* enum function */
};

struct call {
	int fd; /* -1 = none */
	uint32_t word;
	char byte;
	struct pg_syscall_ring ring;
};

static const struct pg_choice functions[] = {
	[F_GETPPID] = {"getppid", NULL},
	[F_GETPGID] = {"getpgid", "getpgid(0)"},
	[F_GETTID] = {"gettid", NULL},
	[F_SCHED_YIELD] = {"sched_yield", NULL},
	[F_CLOCK_GETTIME] = {"clock_gettime", "the monotonic clock by a trap into the kernel"},
	[F_CLOCK_GETTIME_VDSO] = {"clock_gettime-vdso", "the monotonic clock as libc reads it"},
	[F_READ_NULL] = {"read-null", "asks /dev/null for one byte: end of file"},
	[F_READ_ZERO] = {"read-zero", "one byte from /dev/zero"},
	[F_WRITE_NULL] = {"write-null", "one byte to /dev/null"},
	[F_WRITE_ZERO] = {"write-zero", "one byte to /dev/zero"},
	[F_FUTEX_WAKE] = {"futex-wake", "private, without a waiter"},
	[F_IO_URING_NOP] = {"io_uring-nop", "a request that does nothing, submitted and completed"},
	{NULL, NULL},
};

static const char *device_of(int function)
{
	const bool zero = function == F_READ_ZERO || function == F_WRITE_ZERO;
	const bool null = function == F_READ_NULL || function == F_WRITE_NULL;

	return zero ? "/dev/zero" : null ? "/dev/null" : NULL;
}

static int function_probe(int function, const char **why)
{
	const char *device = device_of(function);
	struct pg_syscall_ring ring;

	if (function == F_CLOCK_GETTIME_VDSO && getauxval(AT_SYSINFO_EHDR) == 0) {
		*why = "this kernel gives programs no vDSO";
		return -1;
	}
	if (device && access(device, R_OK | W_OK)) {
		*why = "the device cannot be opened; is /dev mounted?";
		return -1;
	}
	if (function == F_IO_URING_NOP) {
		const int r = pg_syscall_ring_open(&ring, NULL);

		pg_syscall_ring_close(&ring);
		if (r) {
			*why = "io_uring is absent or forbidden; see /proc/sys/kernel/io_uring_disabled";
			return -1;
		}
	}
	return 0;
}

static const struct pg_param params[] = {
	PG_SYSCALL_LOOPS(struct call_conf, "1000000"),
	{
		.name = "function",
		.doc = "the call",
		.def = "gettid",
		.choices = functions,
		.choice_probe = function_probe,
		.role = PG_ALL,
		.opt = 'f',
		PG_AT_ENUM(struct call_conf, function),
	},
	{.name = NULL},
};

/* A loop of its own for each call: a call through a pointer would add to what is measured. */
#define LOOP(NAME, CALL)                                                                                               \
	static uint64_t NAME(struct call *c, uint64_t loops)                                                           \
	{                                                                                                              \
		struct timespec t;                                                                                     \
		uint64_t sum = 0;                                                                                      \
                                                                                                                       \
		(void)c, (void)t;                                                                                      \
		for (uint64_t i = 0; i < loops; i++)                                                                   \
			sum += (uint64_t)(CALL);                                                                       \
		return sum;                                                                                            \
	}

LOOP(loop_getppid, getppid())
LOOP(loop_getpgid, getpgid(0))
LOOP(loop_gettid, syscall(SYS_gettid))
LOOP(loop_sched_yield, sched_yield())
LOOP(loop_clock_gettime, syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t))
LOOP(loop_clock_gettime_vdso, clock_gettime(CLOCK_MONOTONIC, &t))
LOOP(loop_read, read(c->fd, &c->byte, 1))
LOOP(loop_write, write(c->fd, &c->byte, 1))
LOOP(loop_futex_wake, syscall(SYS_futex, &c->word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0))
LOOP(loop_io_uring_nop, pg_syscall_ring_nop(&c->ring))

static uint64_t (*const loops_of[FUNCTIONS])(struct call *, uint64_t) = {
	[F_GETPPID] = loop_getppid,
	[F_GETPGID] = loop_getpgid,
	[F_GETTID] = loop_gettid,
	[F_SCHED_YIELD] = loop_sched_yield,
	[F_CLOCK_GETTIME] = loop_clock_gettime,
	[F_CLOCK_GETTIME_VDSO] = loop_clock_gettime_vdso,
	[F_READ_NULL] = loop_read,
	[F_READ_ZERO] = loop_read,
	[F_WRITE_NULL] = loop_write,
	[F_WRITE_ZERO] = loop_write,
	[F_FUTEX_WAKE] = loop_futex_wake,
	[F_IO_URING_NOP] = loop_io_uring_nop,
};

/* What a good call returns. A parent can end at any time, so getppid may change and is not looked at. */
static uint64_t expected(int function)
{
	switch (function) {
	case F_GETPGID:
		return (uint64_t)getpgrp();
	case F_GETTID:
		return (uint64_t)syscall(SYS_gettid);
	case F_READ_ZERO:
	case F_WRITE_NULL:
	case F_WRITE_ZERO:
	case F_IO_URING_NOP:
		return 1;
	default:
		return 0;
	}
}

static int verify(int function, uint64_t sum, uint64_t loops, struct pg_err *err)
{
	if (function == F_GETPPID || sum == expected(function) * loops)
		return 0;
	return pg_fail(err, PG_EFAILED, "calls of %s failed on the way; try another function",
		       functions[function].name);
}

static int probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct call_conf *conf = vconf;
	const char *why;

	(void)env;
	need->descriptors = device_of(conf->function) || conf->function == F_IO_URING_NOP;
	if (function_probe(conf->function, &why))
		return pg_fail(err, PG_EUNSUPPORTED, "function %s: %s; `all` takes those that run here",
			       functions[conf->function].name, why);
	return 0;
}

/* One call beforehand, whose reason can still be told. libc hands some calls' errors back as they come. */
static int try_once(struct call *c, int function, struct pg_err *err)
{
	int64_t r;

	errno = 0;
	r = (int64_t)loops_of[function](c, 1);
	if (r >= 0)
		return 0;
	if (errno == 0)
		errno = (int)-r;
	return pg_fail_sys(err, "%s failed", functions[function].name);
}

static int setup(struct pg_run *run, struct pg_err *err)
{
	const struct call_conf *conf = run->conf;
	const char *device = device_of(conf->function);
	struct call *c = calloc(1, sizeof(*c));

	run->state = c;
	if (!c)
		return pg_fail_nomem(err);
	c->fd = c->ring.fd = -1;
	if (device) {
		c->fd = open(device, O_RDWR | O_CLOEXEC);
		if (c->fd < 0)
			return pg_fail_sys(err, "cannot open %s; make it (mknod), or take another function", device);
	}
	if (conf->function == F_IO_URING_NOP && pg_syscall_ring_open(&c->ring, err))
		return -1;
	return try_once(c, conf->function, err);
}

static int once(struct pg_run *run, struct pg_err *err)
{
	const struct call_conf *conf = run->conf;
	const int64_t empty = pg_syscall_empty_ns(conf->loops);
	int64_t start, time;
	uint64_t sum;

	start = pg_now_ns();
	sum = loops_of[conf->function](run->state, conf->loops);
	time = pg_since(pg_now_ns(), start);
	if (verify(conf->function, sum, conf->loops, err))
		return -1;
	pg_syscall_record(run, conf->loops, time, empty);
	return 0;
}

static void teardown(struct pg_run *run)
{
	struct call *c = run->state;

	if (!c)
		return;
	pg_syscall_ring_close(&c->ring);
	if (c->fd >= 0)
		close(c->fd);
	free(c);
	run->state = NULL;
}

const struct pg_bench pg_syscall_call = {
	.name = "syscall/call",
	.summary = "one of several cheap calls in a loop",
	.params = params,
	.metrics = pg_syscall_loop_metrics,
	.conf_size = sizeof(struct call_conf),
	.probe = probe,
	.tries = true,
	.setup = setup,
	.once = once,
	.teardown = teardown,
	.batchable = true,
};
