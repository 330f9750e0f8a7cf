/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `perf bench futex`. Addresses of futexes mean nothing to a reader: where the ancestor prints one, its offset stands.
 */
#include <stdio.h>
#include <unistd.h>

#include "runner/compat_perf_call.h"
#include "runner/compat_perf_tables.h"

/* clang-format off */
#define OPTIONS_COMMON                                                                                                 \
	{.name = "threads", .letter = 't', .kind = PG_FOPT_UINT, .param = "threads", .zero = "",                       \
	 .help = "threads (default: the CPUs)"},                                                                       \
	{.name = "silent", .letter = 's', .help = "no lines of single threads or runs"},                               \
	{.name = "shared", .letter = 'S', .param = "shared", .value = "true",                                          \
	 .help = "futexes that processes can share"},                                                                  \
	{.name = "mlockall", .letter = 'm', .param = "mlockall", .value = "true", .help = "lock all memory"},          \
	{.name = "buckets", .letter = 'b', .kind = PG_FOPT_INT, .param = "buckets", .zero = "global",                  \
	 .minus_one = true, .help = "slots of the hash table; 0: the common one"},                                     \
	{.name = "immutable", .letter = 'I', .help = "withdrawn by the kernel: refused"}, \
	{.name = NULL}
#define OPTION_RUNTIME                                                                                                 \
	{.name = "runtime", .letter = 'r', .kind = PG_FOPT_UINT, .param = "runtime", .value = "s",                     \
	 .help = "seconds to run (default: 10)"}
/* clang-format on */

static const struct pg_fopt hash_options[] = {
	OPTION_RUNTIME,
	{.name = "futexes",
	 .letter = 'f',
	 .kind = PG_FOPT_UINT,
	 .param = "futexes",
	 .help = "futexes of a thread (default: 1024)"},
	OPTIONS_COMMON,
};
static const struct pg_fopt wake_options[] = {
	{.name = "nwakes",
	 .letter = 'w',
	 .kind = PG_FOPT_UINT,
	 .param = "waiters_per_call",
	 .zero = "1",
	 .help = "threads to wake at once (default: 1)"},
	OPTIONS_COMMON,
};
static const struct pg_fopt parallel_options[] = {
	{.name = "nwakers",
	 .letter = 'w',
	 .kind = PG_FOPT_UINT,
	 .param = "wakers",
	 .zero = "",
	 .help = "waking threads (default: as many as wait)"},
	OPTIONS_COMMON,
};
static const struct pg_fopt requeue_options[] = {
	{.name = "nrequeue", .letter = 'q', .kind = PG_FOPT_UINT, .help = "threads to move at once (default: 1)"},
	{.name = "broadcast", .letter = 'B', .help = "move all threads at once"},
	{.name = "pi", .letter = 'p', .param = "priority_inheritance", .value = "true", .help = "FUTEX_CMP_REQUEUE_PI"},
	OPTIONS_COMMON,
};
static const struct pg_fopt lock_options[] = {
	OPTION_RUNTIME,
	{.name = "multi", .letter = 'M', .param = "lock", .value = "per-thread", .help = "a futex of each thread"},
	OPTIONS_COMMON,
};

static int begin(struct pg_pb *p, struct pg_err *err)
{
	static const char *const at_most_threads[] = {"waiters_per_call", "wakers"};

	pg_pb_note_cpus(p);
	for (size_t i = 0; i < sizeof(at_most_threads) / sizeof(at_most_threads[0]); i++)
		if (pg_dropin_has(&p->d, at_most_threads[i]))
			pg_dropin_clamp(&p->d, at_most_threads[i]);
	if (!pg_pb_on(p, "immutable"))
		return 0;
	p->status = PG_STATUS_USAGE;
	return pg_fail(err, PG_EUSAGE, "--immutable|-I: the kernel withdrew tables of fixed size; leave it out");
}

static int requeue_begin(struct pg_pb *p, struct pg_err *err)
{
	const struct pg_fopt_state *st = pg_pb_opt(p, "nrequeue");
	int r = 0;

	if (pg_pb_on(p, "broadcast"))
		r = pg_dropin_set(&p->d, "waiters_per_call", "broadcast", "--broadcast|-B", err);
	else if (st->given)
		r = pg_dropin_set_u64(&p->d, "waiters_per_call", st->n, "--nrequeue|-q", err);
	if (r) {
		p->status = PG_STATUS_USAGE;
		return -1;
	}
	return begin(p, err);
}

static const char *privacy(const struct pg_pb *p)
{
	return pg_dropin_value(&p->d, "shared") ? "shared" : "private";
}

static unsigned long long count(const struct pg_pb *p, const char *param)
{
	return (unsigned long long)pg_dropin_value(&p->d, param);
}

static unsigned long long seconds(const struct pg_pb *p)
{
	return count(p, "runtime") / 1000000000;
}

/* Where the table was chosen, its size stands in a last line, as newer versions print it. */
static void hashing(struct pg_pb *p)
{
	const struct pg_fopt_state *st = pg_pb_opt(p, "buckets");

	if (!st->given || st->no || st->negative)
		return;
	if (st->n == 0)
		pg_str_adds(&p->out, "Futex hashing: global hash\n");
	else
		pg_str_addf(&p->out, "Futex hashing: %llu hash buckets\n", (unsigned long long)st->n);
}

static void hash_head(struct pg_pb *p)
{
	pg_str_addf(&p->out,
		    "Run summary [PID %d]: %llu threads, each operating on %llu [%s] futexes for %llu secs.\n\n",
		    getpid(), count(p, "threads"), count(p, "futexes"), privacy(p), seconds(p));
}

/* Operations a second of the next thread: its share of what all did in the elapsed time. */
static bool next_rate(const struct pg_pb *p, uint32_t *at, double *rate)
{
	int64_t own, elapsed;

	if (!pg_dropin_raw(&p->d, "elapsed_x1000", &elapsed) || !pg_pb_single(p, "fastest_x1000", at, &own))
		return false;
	*rate = (double)own / ((double)elapsed / 1e9);
	return true;
}

/* 0: there are no lines of single threads. */
static double rate_scale(const struct pg_pb *p)
{
	double sum = 0, rate;

	if (pg_pb_on(p, "silent"))
		return 0;
	for (uint32_t at = 0; next_rate(p, &at, &rate);)
		sum += rate;
	return sum > 0 ? pg_pb_number(p, "rate") / sum : 0;
}

static void averaged(struct pg_pb *p)
{
	const double mean = pg_pb_number(p, "thread_rate"), error = pg_pb_number(p, "thread_rate_standard_error");
	int64_t elapsed = 0;

	pg_dropin_raw(&p->d, "elapsed", &elapsed);
	pg_str_addf(&p->out, "%sAveraged %lld operations/sec (+- %.2f%%), total secs = %lld\n",
		    pg_pb_on(p, "silent") ? "" : "\n", (long long)mean, error > 0 ? 100 * error / mean : 0.0,
		    (long long)(elapsed / 1000000000));
	hashing(p);
}

static void hash_each(struct pg_pb *p)
{
	const unsigned long long bytes = 4 * count(p, "futexes");
	const double scale = rate_scale(p);
	uint32_t at = 0;
	double rate;

	for (uint64_t i = 0; scale > 0 && next_rate(p, &at, &rate); i++) {
		pg_str_addf(&p->out, "[thread %2llu] ", (unsigned long long)i);
		if (bytes == 4)
			pg_str_adds(&p->out, "futex: 0x0");
		else
			pg_str_addf(&p->out, "futexes: 0x0 ... 0x%llx", bytes - 4);
		pg_str_addf(&p->out, " [ %lld ops/sec ]\n", (long long)(rate * scale));
	}
	averaged(p);
}

static void lock_head(struct pg_pb *p)
{
	pg_str_addf(&p->out, "Run summary [PID %d]: %llu threads doing pi lock/unlock pairing for %llu secs.\n\n",
		    getpid(), count(p, "threads"), seconds(p));
}

static void lock_each(struct pg_pb *p)
{
	const double scale = rate_scale(p);
	uint32_t at = 0;
	double rate;

	for (uint64_t i = 0; scale > 0 && next_rate(p, &at, &rate); i++)
		pg_str_addf(&p->out, "[thread %3llu] futex: 0x%llx [ %lld ops/sec ]\n", (unsigned long long)i,
			    pg_pb_on(p, "multi") ? 64 * (unsigned long long)i : 0, (long long)(rate * scale));
	averaged(p);
}

/* Threads of one call; the word `broadcast` is all. */
static unsigned long long per_call(const struct pg_pb *p)
{
	return pg_dropin_text(&p->d, "waiters_per_call") ? count(p, "threads") : count(p, "waiters_per_call");
}

/* The head line has the number that was asked for, also where it is more than there are threads. */
static void wake_head(struct pg_pb *p)
{
	const unsigned long long asked = pg_pb_count(p, "nwakes", 0), runs = per_call(p);

	pg_str_addf(&p->out,
		    "Run summary [PID %d]: blocking on %llu threads (at [%s] futex 0x0), waking up %llu at a time.\n\n",
		    getpid(), count(p, "threads"), privacy(p), asked > runs ? asked : runs);
}

/* A run's milliseconds into the sum of the step. */
static double take(struct pg_pb *p, const char *metric)
{
	const double ms = pg_pb_number(p, metric) * 1e3;

	pg_pb_add(&p->sum[0], ms);
	return ms;
}

static void wake_each(struct pg_pb *p)
{
	const double ms = take(p, "time");

	if (!pg_pb_on(p, "silent"))
		pg_str_addf(&p->out, "[Run %llu]: Wokeup %llu of %llu threads in %.4f ms\n",
			    (unsigned long long)p->part + 1, count(p, "threads"), count(p, "threads"), ms);
}

static void wake_after(struct pg_pb *p)
{
	pg_str_addf(&p->out, "Wokeup %llu of %llu threads in %.4f ms (+-%.2f%%)\n", count(p, "threads"),
		    count(p, "threads"), p->sum[0].mean, pg_pb_error_percent(&p->sum[0]));
	hashing(p);
}

static void parallel_head(struct pg_pb *p)
{
	pg_str_addf(&p->out,
		    "Run summary [PID %d]: blocking on %llu threads (at [%s] futex 0x0), %llu threads waking up %llu "
		    "at a time.\n\n",
		    getpid(), count(p, "threads"), privacy(p), count(p, "wakers"),
		    count(p, "threads") / count(p, "wakers"));
}

static void parallel_line(struct pg_pb *p, const struct pg_pb_sum *s)
{
	pg_str_addf(&p->out, "Avg per-thread latency (waking %llu/%llu threads) in %.4f ms (+-%.2f%%)\n",
		    count(p, "threads") / count(p, "wakers"), count(p, "threads"), s->mean, pg_pb_error_percent(s));
}

/* The spread of one run is that between its wakers; the last line has that of all wakers of all runs. */
static void parallel_each(struct pg_pb *p)
{
	struct pg_pb_sum run = {.n = 0};
	uint32_t at = 0;
	int64_t ns;

	while (pg_pb_single(p, "total_thread_time", &at, &ns)) {
		pg_pb_add(&run, (double)ns / 1e6);
		pg_pb_add(&p->sum[0], (double)ns / 1e6);
	}
	if (run.n < 1) {
		run = (struct pg_pb_sum){.n = 1, .mean = pg_pb_number(p, "thread_time") * 1e3};
		pg_pb_add(&p->sum[0], run.mean);
	}
	if (pg_pb_on(p, "silent"))
		return;
	pg_str_addf(&p->out, "[Run %llu]: ", (unsigned long long)p->part + 1);
	parallel_line(p, &run);
}

static void parallel_after(struct pg_pb *p)
{
	parallel_line(p, &p->sum[0]);
	hashing(p);
}

static bool pi(const struct pg_pb *p)
{
	return pg_dropin_value(&p->d, "priority_inheritance") != 0;
}

static void requeue_head(struct pg_pb *p)
{
	pg_str_addf(&p->out,
		    "Run summary [PID %d]: Requeuing %llu threads (from [%s] 0x0 to %s0x40), %llu at a time.\n\n",
		    getpid(), count(p, "threads"), privacy(p), pi(p) ? "PI " : "", per_call(p));
}

/* With PI each call wakes one waiter and moves the others of its share. */
static void requeue_line(struct pg_pb *p)
{
	const unsigned long long n = count(p, "threads"), calls = (n + per_call(p)) / (per_call(p) + 1);

	if (pi(p))
		pg_str_addf(&p->out, "Awoke and Requeued (%llu+%llu) of %llu threads", calls, n - calls, n);
	else
		pg_str_addf(&p->out, "Requeued %llu of %llu threads", n, n);
}

static void requeue_each(struct pg_pb *p)
{
	const double ms = take(p, "time");

	if (pg_pb_on(p, "silent"))
		return;
	pg_str_addf(&p->out, "[Run %llu]: ", (unsigned long long)p->part + 1);
	requeue_line(p);
	pg_str_addf(&p->out, " in %.4f ms\n", ms);
}

static void requeue_after(struct pg_pb *p)
{
	pg_str_addf(&p->out, "Requeued %llu of %llu threads in %.4f ms (+-%.2f%%)\n", count(p, "threads"),
		    count(p, "threads"), p->sum[0].mean, pg_pb_error_percent(&p->sum[0]));
	hashing(p);
}

/* clang-format off */
static const char *const period_singles[] = {"fastest_x1000", NULL};
static const char *const parallel_singles[] = {"total_thread_time", NULL};

#define BENCH(NAME, OPTIONS, METRIC, UNIT, SCALE, DECIMALS)                                                            \
	.collection = "futex", .name = NAME, .synopsis = "perf bench futex " NAME " <options>", .options = OPTIONS,    \
	.metric = METRIC, .unit = UNIT, .scale = SCALE, .decimals = DECIMALS

static const struct pg_pb_bench hash = {
	BENCH("hash", hash_options, "thread_rate", "operations/sec", 1, 0),
	.singles = period_singles, .begin = begin, .head = hash_head, .each = hash_each,
};
static const struct pg_pb_bench wake = {
	BENCH("wake", wake_options, "time", "ms", 1e3, 4), .by_repeat = PG_PB_PARTS,
	.begin = begin, .head = wake_head, .each = wake_each, .after = wake_after,
};
static const struct pg_pb_bench parallel = {
	BENCH("wake-parallel", parallel_options, "thread_time", "ms", 1e3, 4), .by_repeat = PG_PB_PARTS,
	.singles = parallel_singles, .begin = begin, .head = parallel_head, .each = parallel_each, .after = parallel_after,
};
static const struct pg_pb_bench requeue = {
	BENCH("requeue", requeue_options, "time", "ms", 1e3, 4), .by_repeat = PG_PB_PARTS,
	.begin = requeue_begin, .head = requeue_head, .each = requeue_each, .after = requeue_after,
};
static const struct pg_pb_bench lock_pi = {
	BENCH("lock-pi", lock_options, "thread_rate", "operations/sec", 1, 0),
	.singles = period_singles, .begin = begin, .head = lock_head, .each = lock_each,
};
/* clang-format on */

const struct pg_pb_bench *const pg_pb_futex[] = {&hash, &wake, &parallel, &requeue, &lock_pi, NULL};
