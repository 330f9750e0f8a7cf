/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * futex/hash: threads wait on futex words of their own that never have the expected value (perf bench futex hash), so a
 * call is hash, lock of the slot, compare, and back with EAGAIN.
 * Timed: before the threads are made to the stop flag (thread_rate, rate), and each thread from the gate to its last
 * call (work_rate). Not timed: the look at the CPUs before the first thread is made; nothing is set up after the gate.
 * Differs from the ancestor: words are mapped and first touched by their own thread before the gate; elapsed time is
 * exact, not whole seconds; the stop flag is atomic and looked at after each call; a thread's count lies on its own
 * cache lines; any other answer of the kernel fails the rep.
 */
#include "futex.h"

#include <inttypes.h>
#include <stdlib.h>

extern const struct pg_bench pg_futex_hash;

#define NEVER 1234 /* what no word holds */

static const struct pg_param params[] = {
	PG_FUTEX_ROW_THREADS("workers"),
	PG_FUTEX_ROW_RUNTIME,
	{
		.name = "futexes",
		.doc = "words of each thread",
		.def = "1024",
		.min = "1",
		.max = "16777216",
		.opt = 'f',
		PG_AT_COUNT(struct pg_futex_conf, futexes),
	},
	PG_FUTEX_ROWS_COMMON("where the workers run"),
	{.name = NULL},
};

static const struct pg_metric metrics[] = {
	PG_FUTEX_PERIOD_METRICS,
	{.name = NULL},
};

static int hash_probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	const struct pg_futex_conf *conf = vconf;

	return pg_futex_probe(conf, env, conf->threads, conf->threads * conf->futexes * sizeof(uint32_t), need, err);
}

static int hash_check(const void *conf, struct pg_err *err)
{
	return pg_futex_check(conf, err);
}

struct hash {
	const struct pg_futex_conf *conf;
	struct pg_period period;
};

static int call_in_turn(struct pg_worker *w, struct hash *h, _Atomic uint32_t *words)
{
	const int op = pg_futex_op(h->conf, FUTEX_WAIT);
	const uint64_t n = h->conf->futexes;
	uint64_t count = 0, i = 0;

	pg_period_begin(w, &h->period);
	while (!pg_period_stopped(&h->period)) {
		if (pg_futex_call(&words[i], op, NEVER, 0, NULL, 0) == 0)
			return pg_worker_fail(w, "the kernel let a thread wait that expected %d in a word of 0", NEVER);
		if (errno != EAGAIN)
			return pg_worker_fail_sys(w, "cannot look up a futex");
		count++;
		i = i + 1 < n ? i + 1 : 0;
	}
	w->slot->end_ns = pg_now_ns();
	w->slot->count = count;
	return 0;
}

static int work(struct pg_worker *w, void *arg)
{
	struct hash *h = arg;
	const size_t bytes = h->conf->futexes * sizeof(_Atomic uint32_t);
	_Atomic uint32_t *words = pg_futex_map(h->conf, bytes);
	int r = -1;

	if (!words)
		return pg_worker_fail_sys(w, "cannot map %" PRIu64 " futex words; lower futexes or threads",
					  h->conf->futexes);
	pg_worker_ready(w);
	if (pg_worker_hold(w) == 0)
		r = call_in_turn(w, h, words);
	if (r)
		atomic_store(&h->period.stop, true);
	pg_futex_unmap(words, bytes);
	return r;
}

static int hash_setup(struct pg_run *run, struct pg_err *err)
{
	return pg_futex_prepare(run->conf, err);
}

static int hash_once(struct pg_run *run, struct pg_err *err)
{
	struct hash h = {.conf = run->conf};
	const int r = pg_futex_period_run(&h.period, run, work, &h, err);

	pg_period_end(&h.period);
	return r;
}

static void hash_teardown(struct pg_run *run)
{
	pg_futex_undo(run->conf);
}

const struct pg_bench pg_futex_hash = {
	.name = "futex/hash",
	.summary = "threads that look futexes up in the kernel's hash table",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct pg_futex_conf),
	.probe = hash_probe,
	.check = hash_check,
	.setup = hash_setup,
	.once = hash_once,
	.teardown = hash_teardown,
};
