/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * futex/requeue: threads block on one futex, the main task moves them to a second one, `waiters_per_call` a call (perf
 * bench futex requeue). With priority inheritance a call also wakes one waiter, the owner of the second futex, which
 * hands it on.
 * Timed: the loop of calls until all are moved, mean of the rounds (time, time_per_op), and from the first call to the
 * last waiter back in user space, with the final wake (work_time). Not timed: as futex/wake. Differs from the ancestor:
 * as futex/wake; the two futexes have cache lines of their own.
 */
#include "futex.h"

extern const struct pg_bench pg_futex_requeue;

static const struct pg_param params[] = {
	PG_FUTEX_ROW_THREADS("waiters"),
	PG_FUTEX_ROW_LOOPS,
	PG_FUTEX_ROW_PER_CALL("waiters that one call moves", 'q'),
	{
		.name = "priority_inheritance",
		.doc = "to a futex with priority inheritance",
		.def = "false",
		.opt = 'p',
		PG_AT_BOOL(struct pg_futex_conf, priority_inheritance),
	},
	PG_FUTEX_ROW_SETTLE("100ms"),
	PG_FUTEX_ROWS_COMMON("where the waiters run"),
	{.name = NULL},
};

enum { M_TIME, M_TIME_PER_OP, M_WORK_TIME, M_BUCKETS, M_ROUNDS, M_CALLS, M_TOTAL, M_WORK };

static const struct pg_metric metrics[] = {
	[M_TIME] = PG_ROW_RATIO("time", "loop of calls until all are moved, mean of the rounds", PG_U_S, PG_LOWER,
				M_TOTAL, M_ROUNDS, PG_M_MAIN),
	[M_TIME_PER_OP] = PG_ROW_RATIO("time_per_op", "one call", PG_U_S, PG_LOWER, M_TOTAL, M_CALLS, 0),
	[M_WORK_TIME] = PG_ROW_RATIO(
		"work_time", "first call to last waiter back in user space, with the final wake, mean of the rounds",
		PG_U_S, PG_LOWER, M_WORK, M_ROUNDS, 0),
	[M_BUCKETS] = PG_FUTEX_METRIC_BUCKETS,
	PG_FUTEX_ROUND_METRICS(M_ROUNDS, M_CALLS, M_TOTAL, M_WORK),
	{.name = NULL},
};

static int requeue_probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct pg_futex_conf *conf = vconf;

	if (conf->priority_inheritance && pg_futex_probe_pi(err))
		return -1;
	return pg_futex_probe(conf, env, conf->threads, pg_futex_rounds_bytes(conf), need, err);
}

static int requeue_check(const void *conf, struct pg_err *err)
{
	return pg_futex_check(conf, err);
}

static int requeue_setup(struct pg_run *run, struct pg_err *err)
{
	return pg_futex_rounds_setup(run, sizeof(struct pg_futex_rounds), err);
}

/* EAGAIN with priority inheritance: the owner of the target is just changing; the call is made again. */
static int move_all(struct pg_futex_rounds *f, _Atomic uint32_t *word, struct pg_futex_round *out, struct pg_err *err)
{
	const bool pi = f->conf->priority_inheritance;
	const int op = pg_futex_op(f->conf, pi ? FUTEX_CMP_REQUEUE_PI : FUTEX_CMP_REQUEUE);
	const uint64_t n = f->conf->threads;
	const uint32_t per_call = pg_futex_per_call(f->conf);
	_Atomic uint32_t *target = &f->words->target.v;
	uint64_t moved = 0;

	out->start_ns = pg_now_ns();
	while (moved < n) {
		const long got = pg_futex_call(word, op, pi, per_call, target, 0);

		out->calls++;
		if (got < 0 && !(pi && (errno == EAGAIN || errno == EINTR)))
			return pg_futex_rounds_fail(f, "cannot move waiters from one futex to the other", err);
		if (got <= 0 && pg_futex_rounds_stalled(f, out->start_ns, moved, !pi, err))
			return -1;
		moved += got > 0 ? (uint64_t)got : 0;
	}
	out->stop_ns = pg_now_ns();
	if (!pi && pg_futex_call(target, pg_futex_op(f->conf, FUTEX_WAKE), INT_MAX, 0, NULL, 0) < 0)
		return pg_futex_rounds_fail(f, "cannot wake the moved waiters", err);
	return 0;
}

static int requeue_once(struct pg_run *run, struct pg_err *err)
{
	struct pg_futex_rounds *f = run->state;

	if (pg_futex_rounds_run(f, move_all, err))
		return -1;
	run->timed_ns = f->span_ns;
	pg_record(run, M_ROUNDS, (int64_t)f->rounds);
	pg_record(run, M_CALLS, (int64_t)f->calls);
	pg_record(run, M_TOTAL, f->time_ns);
	pg_record(run, M_WORK, f->work_ns);
	return pg_futex_record_buckets(run, M_BUCKETS, err);
}

const struct pg_bench pg_futex_requeue = {
	.name = "futex/requeue",
	.summary = "threads that block on one futex, and the calls that move them to another",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct pg_futex_conf),
	.probe = requeue_probe,
	.check = requeue_check,
	.setup = requeue_setup,
	.once = requeue_once,
	.teardown = pg_futex_rounds_teardown,
};
