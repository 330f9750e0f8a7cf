/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * futex/wake: threads block on one futex, the main task wakes them, `waiters_per_call` a call (perf bench futex wake).
 * Timed: the loop of calls until all are woken, mean of the rounds (time, time_per_op), and from the first call to the
 * last waiter back in user space (work_time). Not timed: making the threads, their falling asleep, the rest before the
 * calls, a first round. Differs from the ancestor: waiters are seen asleep, not assumed to be; whole seconds count; a
 * waiter that a signal sends back, or a worker that fails, cannot make the loop spin for ever; many rounds in one rep.
 */
#include "futex.h"

extern const struct pg_bench pg_futex_wake;

static const struct pg_param params[] = {
	PG_FUTEX_ROW_THREADS("waiters"),
	PG_FUTEX_ROW_LOOPS,
	PG_FUTEX_ROW_PER_CALL("waiters that one call wakes", 'w'),
	PG_FUTEX_ROW_SETTLE("100ms"),
	PG_FUTEX_ROWS_COMMON("where the waiters run"),
	{.name = NULL},
};

enum { M_TIME, M_TIME_PER_OP, M_WORK_TIME, M_BUCKETS, M_ROUNDS, M_CALLS, M_TOTAL, M_WORK };

static const struct pg_metric metrics[] = {
	[M_TIME] = PG_ROW_RATIO("time", "loop of calls until all are woken, mean of the rounds", PG_U_S, PG_LOWER,
				M_TOTAL, M_ROUNDS, PG_M_MAIN),
	[M_TIME_PER_OP] = PG_ROW_RATIO("time_per_op", "one call", PG_U_S, PG_LOWER, M_TOTAL, M_CALLS, 0),
	[M_WORK_TIME] = PG_ROW_RATIO("work_time", "first call to last waiter back in user space, mean of the rounds",
				     PG_U_S, PG_LOWER, M_WORK, M_ROUNDS, 0),
	[M_BUCKETS] = PG_FUTEX_METRIC_BUCKETS,
	PG_FUTEX_ROUND_METRICS(M_ROUNDS, M_CALLS, M_TOTAL, M_WORK),
	{.name = NULL},
};

static int wake_probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct pg_futex_conf *conf = vconf;

	return pg_futex_probe(conf, env, conf->threads, pg_futex_rounds_bytes(conf), need, err);
}

static int wake_check(const void *conf, struct pg_err *err)
{
	return pg_futex_check(conf, err);
}

static int wake_all(struct pg_futex_rounds *f, _Atomic uint32_t *word, struct pg_futex_round *out, struct pg_err *err)
{
	const int op = pg_futex_op(f->conf, FUTEX_WAKE);
	const uint64_t n = f->conf->threads;
	const uint32_t per_call = pg_futex_per_call(f->conf);
	uint64_t woken = 0;

	out->start_ns = pg_now_ns();
	while (woken < n) {
		const long got = pg_futex_call(word, op, per_call, 0, NULL, 0);

		out->calls++;
		if (got < 0)
			return pg_futex_rounds_fail(f, "cannot wake waiters of a futex", err);
		if (got == 0 && pg_futex_rounds_stalled(f, out->start_ns, woken, false, err))
			return -1;
		woken += (uint64_t)got;
	}
	out->stop_ns = pg_now_ns();
	return 0;
}

static int wake_setup(struct pg_run *run, struct pg_err *err)
{
	return pg_futex_rounds_setup(run, sizeof(struct pg_futex_rounds), err);
}

static int wake_once(struct pg_run *run, struct pg_err *err)
{
	struct pg_futex_rounds *f = run->state;

	if (pg_futex_rounds_run(f, wake_all, err))
		return -1;
	run->timed_ns = f->span_ns;
	pg_record(run, M_ROUNDS, (int64_t)f->rounds);
	pg_record(run, M_CALLS, (int64_t)f->calls);
	pg_record(run, M_TOTAL, f->time_ns);
	pg_record(run, M_WORK, f->work_ns);
	return pg_futex_record_buckets(run, M_BUCKETS, err);
}

const struct pg_bench pg_futex_wake = {
	.name = "futex/wake",
	.summary = "threads that block on one futex, and the calls that wake them",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct pg_futex_conf),
	.probe = wake_probe,
	.check = wake_check,
	.setup = wake_setup,
	.once = wake_once,
	.teardown = pg_futex_rounds_teardown,
};
