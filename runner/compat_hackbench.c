/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `hackbench`: sched/messaging behind the options and the three lines of hackbench 2.40. One rep in this process; every
 * way out that is no result has a reason and a status of its own.
 */
#include "runner/compat_hackbench.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "runner/commands.h"
#include "runner/dropin.h"
#include "runner/report.h"
#include "runner/world.h"

#define FAILED 1

/* A status for what standard output did to the result. A closed one is no fault: the result went nowhere by intention.
 */
static int finish(struct pg_hackbench *h, int status)
{
	struct pg_world *w = h->world;

	if (pg_stdout_flush(w) == 0 || status != 0)
		return status;
	if (w->out_errno == EPIPE)
		return PG_EXIT_SIGNAL + SIGPIPE;
	pg_say_unwritten(w, h->prog);
	return FAILED;
}

static int print_usage(struct pg_hackbench *h, int status)
{
	struct pg_str text;

	pg_str_init(&text);
	pg_hackbench_usage(h, &text);
	pg_stdout_text(h->world, &text);
	pg_str_release(&text);
	return finish(h, status);
}

/* Seen at once by who reads a pipe, and out of the way of the workers. */
static void print_banner(struct pg_hackbench *h)
{
	const struct pg_dropin *d = h->to;
	const int64_t groups = pg_dropin_value(d, "groups"), fds = pg_dropin_value(d, "fds");
	const int64_t tasks = groups * 2 * fds;
	struct pg_str text;

	pg_str_init(&text);
	if (h->positional)
		pg_str_addf(&text, "Running with %" PRId64 "*%" PRId64 " (== %" PRId64 ") tasks.\n", groups, 2 * fds,
			    tasks);
	else
		pg_str_addf(&text,
			    "Running in %s mode with %" PRId64 " groups using %" PRId64
			    " file descriptors each (== %" PRId64 " tasks)\n"
			    "Each sender will pass %.*s messages of %" PRId64 " bytes\n",
			    pg_dropin_value(d, "mode") ? "threaded" : "process", groups, 2 * fds, tasks,
			    (int)h->loops.n, h->loops.s, pg_dropin_value(d, "size"));
	pg_stdout_text(h->world, &text);
	pg_str_release(&text);
	pg_stdout_flush(h->world);
}

static int print_time(struct pg_hackbench *h)
{
	struct pg_str text;
	int64_t ns = 0;

	pg_dropin_raw(h->to, "time", &ns);
	pg_str_init(&text);
	pg_str_addf(&text, "Time: %" PRId64 ".%03" PRId64 "\n", ns / 1000000000, ns / 1000000 % 1000);
	pg_stdout_text(h->world, &text);
	pg_str_release(&text);
	return finish(h, 0);
}

static int fail(struct pg_hackbench *h, const struct pg_err *err)
{
	pg_say_as(h->world, h->prog, "%s", err->msg);
	return FAILED;
}

/* Whether it is -F alone that cannot be had: who reads the reason should see the option. */
static bool is_for_fifo(struct pg_hackbench *h)
{
	struct pg_err err;

	if (!h->fifo)
		return false;
	pg_dropin_reset(h->to, "main_policy");
	return pg_dropin_ready(h->to, &err) == 0;
}

static int measure(struct pg_hackbench *h)
{
	struct pg_err err;

	if (pg_dropin_ready(h->to, &err) != 0) {
		if (is_for_fifo(h))
			pg_err_wrap(&err, "--fifo|-F");
		return fail(h, &err);
	}
	if (h->to->note[0])
		pg_say_as(h->world, h->prog, "note: %s", h->to->note);
	print_banner(h);
	if (h->world->out_errno)
		return finish(h, 0); /* nobody would see the time */
	/* As the original: it goes on when its terminal has gone. */
	signal(SIGHUP, SIG_IGN);
	pg_dropin_catch_signals();
	if (pg_dropin_run(h->to, &err) != 0)
		return fail(h, &err);
	return print_time(h);
}

int pg_compat_hackbench(struct pg_world *w, int argc, char **argv)
{
	struct pg_dropin d;
	struct pg_hackbench h = {.world = w, .prog = argv[0], .to = &d, .loops = {"100", 3}};
	struct pg_err err;
	int status = FAILED;

	if (w->out_errno == EBADF) /* closed: the null device took its place */
		w->out_errno = 0;
	pg_dropin_process_name("hackbench");
	if (pg_dropin_open(&d, w, "sched/messaging", &err) != 0) {
		fail(&h, &err);
		pg_dropin_close(&d);
		return status;
	}
	d.lean = true; /* the smallest run is to take no longer than the original's */
	switch (pg_hackbench_parse(&h, argc, argv)) {
	case PG_HB_RUN:
		status = measure(&h);
		break;
	case PG_HB_HELP:
		status = print_usage(&h, 0);
		break;
	case PG_HB_WRONG:
		status = print_usage(&h, FAILED);
		break;
	}
	pg_dropin_close(&d);
	return status;
}
