/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a rep of noop ends badly. probe and check also run inside perfgrid itself, teardown has no result: what makes no
 * sense there is refused by pg_noop_strike_check().
 */
#include "noop.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

static const char *const outcomes[] = {
	[PG_NOOP_SUCCEED] = "succeed",
	[PG_NOOP_FAIL] = "fail",
	[PG_NOOP_EXIT] = "exit",
	[PG_NOOP_CRASH] = "crash",
	[PG_NOOP_HANG] = "hang",
	[PG_NOOP_VANISH] = "vanish",
	[PG_NOOP_UNSUPPORTED] = "unsupported",
	[PG_NOOP_INVALID] = "invalid",
};
static const char *const phases[] = {
	[PG_NOOP_PROBE] = "probe",     [PG_NOOP_CHECK] = "check",	[PG_NOOP_SETUP] = "setup",
	[PG_NOOP_MEASURE] = "measure", [PG_NOOP_TEARDOWN] = "teardown",
};

const struct pg_choice pg_noop_signals[] = {
	{"segv", NULL}, {"abrt", NULL}, {"bus", NULL}, {"fpe", NULL}, {"kill", NULL}, {"term", NULL}, {NULL, NULL},
};
static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGKILL, SIGTERM};

int pg_noop_strike_check(const struct pg_noop_conf *conf, struct pg_err *err)
{
	const int at = conf->strike_phase;
	const char *o = outcomes[conf->outcome];

	switch ((enum pg_noop_outcome)conf->outcome) {
	case PG_NOOP_SUCCEED:
		return 0;
	case PG_NOOP_FAIL:
	case PG_NOOP_UNSUPPORTED:
		if (at == PG_NOOP_TEARDOWN)
			return pg_fail(err, PG_EINPUT,
				       "outcome %s cannot strike in teardown, which has no result; probe, check, setup "
				       "or measure",
				       o);
		return 0;
	case PG_NOOP_INVALID:
		if (at != PG_NOOP_MEASURE)
			return pg_fail(err, PG_EINPUT, "outcome invalid is a sample: it can strike in measure only");
		return 0;
	case PG_NOOP_EXIT:
	case PG_NOOP_CRASH:
	case PG_NOOP_HANG:
	case PG_NOOP_VANISH:
		break;
	}
	if (at == PG_NOOP_PROBE || at == PG_NOOP_CHECK)
		return pg_fail(
			err, PG_EINPUT,
			"outcome %s cannot strike in %s, which runs inside perfgrid itself; setup, measure or teardown",
			o, phases[at]);
	return 0;
}

int pg_noop_strike_early(const struct pg_noop_conf *conf, enum pg_noop_phase phase, struct pg_err *err)
{
	const bool here = conf->strike_phase == (int)phase;

	/* A cell that cannot run is found out by its probe, unless another hook was asked to. */
	if (conf->outcome == PG_NOOP_UNSUPPORTED &&
	    (here || (phase == PG_NOOP_PROBE && conf->strike_phase == PG_NOOP_MEASURE)))
		return pg_fail(err, PG_EUNSUPPORTED, "noop was asked to be unsupported in %s", phases[phase]);
	if (conf->outcome == PG_NOOP_FAIL && here)
		return pg_fail(err, PG_EFAILED, "noop was asked to fail in %s", phases[phase]);
	return 0;
}

static void crash(int sig)
{
	const struct sigaction dfl = {.sa_handler = SIG_DFL};
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	sigaction(sig, &dfl, NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
	pg_exit_child(128 + sig); /* the first process of a PID namespace survives its own signals */
}

static bool due(const struct pg_run *run, const struct pg_noop_conf *conf)
{
	return run->rep % conf->strike_every == 0 &&
	       (conf->recover_after.word >= 0 || run->attempt <= conf->recover_after.n);
}

int pg_noop_strike(const struct pg_run *run, enum pg_noop_phase phase, int64_t *time, struct pg_err *err)
{
	const struct pg_noop_conf *conf = run->conf;

	if (conf->strike_phase != (int)phase || !due(run, conf))
		return 0;
	switch ((enum pg_noop_outcome)conf->outcome) {
	case PG_NOOP_SUCCEED:
		return 0;
	case PG_NOOP_FAIL:
		return pg_fail(err, PG_EFAILED, "noop was asked to fail in %s", phases[phase]);
	case PG_NOOP_EXIT:
		pg_exit_child((int)conf->exit_code);
	case PG_NOOP_CRASH:
		crash(signals[conf->signal]);
		return 0;
	case PG_NOOP_HANG:
		for (;;)
			pause();
	case PG_NOOP_VANISH:
		pg_exit_child(0);
	case PG_NOOP_UNSUPPORTED:
		return pg_fail(err, PG_EUNSUPPORTED, "noop was asked to be unsupported in %s", phases[phase]);
	case PG_NOOP_INVALID:
		*time = 0;
		return 0;
	}
	return 0;
}
