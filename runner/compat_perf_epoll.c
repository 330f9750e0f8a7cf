/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `perf bench epoll`. Addresses mean nothing to a reader: offsets in the table of descriptors stand in their place. */
#include <unistd.h>

#include "runner/compat_perf_call.h"
#include "runner/compat_perf_tables.h"

/* clang-format off */
#define OPTIONS_COMMON                                                                                                 \
	{.name = "runtime", .letter = 'r', .kind = PG_FOPT_UINT, .param = "runtime", .value = "s",                     \
	 .help = "seconds to run (default: 8)"},                                                                       \
	{.name = "nfds", .letter = 'f', .kind = PG_FOPT_UINT, .param = "fds",                                          \
	 .help = "descriptors of a thread (default: 64)"},                                                             \
	{.name = "noaffinity", .letter = 'n', .param = "placement", .value = "free", .help = "threads run on any CPU"},  \
	{.name = "randomize", .letter = 'R', .param = "pattern", .value = "random", .help = "in random order"},        \
	{.name = "verbose", .letter = 'v', .help = "more lines"}
#define OPTION_NESTED                                                                                                  \
	{.name = "nested", .letter = 'N', .kind = PG_FOPT_UINT, .param = "nesting",                                    \
	 .help = "epoll instances chained below, 0 to 4 (default: 0)"}
/* clang-format on */

static const struct pg_fopt wait_options[] = {
	{.name = "threads",
	 .letter = 't',
	 .kind = PG_FOPT_UINT,
	 .param = "threads",
	 .zero = "",
	 .help = "waiting threads (default: one fewer than CPUs)"},
	OPTIONS_COMMON,
	{.name = "multiq",
	 .letter = 'm',
	 .param = "queue",
	 .value = "per-thread",
	 .help = "an epoll instance of each thread"},
	{.name = "nonblocking",
	 .letter = 'B',
	 .param = "wait",
	 .value = "poll",
	 .help = "epoll_wait() that does not wait"},
	OPTION_NESTED,
	{.name = "oneshot", .letter = 'S', .help = "EPOLLONESHOT"},
	{.name = "edge", .letter = 'E', .help = "edge-triggered"},
	{.name = NULL},
};
static const struct pg_fopt ctl_options[] = {
	{.name = "threads",
	 .letter = 't',
	 .kind = PG_FOPT_UINT,
	 .param = "threads",
	 .zero = "",
	 .help = "threads (default: the CPUs)"},
	OPTIONS_COMMON,
	OPTION_NESTED,
	{.name = NULL},
};

static unsigned long long count(const struct pg_pb *p, const char *param)
{
	return (unsigned long long)pg_dropin_value(&p->d, param);
}

static int wait_begin(struct pg_pb *p, struct pg_err *err)
{
	const bool edge = pg_pb_on(p, "edge"), oneshot = pg_pb_on(p, "oneshot");

	pg_pb_note_cpus(p);
	if (!edge && !oneshot)
		return 0;
	return pg_dropin_set(&p->d, "trigger",
			     edge && oneshot ? "edge-oneshot"
			     : edge	     ? "edge"
					     : "oneshot",
			     "--edge|-E, --oneshot|-S", err);
}

static int ctl_begin(struct pg_pb *p, struct pg_err *err)
{
	(void)err;
	pg_pb_note_cpus(p);
	return 0;
}

static void verbose_head(struct pg_pb *p)
{
	pg_str_addf(&p->out, "Using %s queue model\n", pg_pb_on(p, "multiq") ? "multi" : "single");
	pg_str_addf(&p->out, "Nesting level(s): %llu\n", count(p, "nesting"));
}

static void verbose_start(struct pg_pb *p)
{
	pg_str_addf(&p->out, "starting worker/consumer %sthreads%s\n", pg_pb_on(p, "noaffinity") ? "" : "CPU affinity ",
		    pg_pb_on(p, "nonblocking") ? " (nonblocking)" : "");
	pg_str_addf(&p->out, "starting writer-thread: doing %s writes ...\n",
		    pg_pb_on(p, "randomize") ? "random" : "lineal");
}

static void wait_head(struct pg_pb *p)
{
	if (pg_pb_on(p, "verbose"))
		verbose_head(p);
	pg_str_addf(&p->out,
		    "Run summary [PID %d]: %llu threads monitoring%s on %llu file-descriptors for %llu secs.\n\n",
		    getpid(), count(p, "threads"), pg_pb_on(p, "oneshot") ? " (EPOLLONESHOT semantics)" : "",
		    count(p, "fds"), count(p, "runtime") / 1000000000);
	if (pg_pb_on(p, "verbose"))
		verbose_start(p);
}

static void fdmap(struct pg_pb *p, uint64_t thread)
{
	const unsigned long long fds = count(p, "fds");

	pg_str_addf(&p->out, "[thread %2llu] fdmap: 0x0", (unsigned long long)thread);
	if (fds > 1)
		pg_str_addf(&p->out, " ... 0x%llx", 4 * (fds - 1));
}

static void wait_each(struct pg_pb *p)
{
	const double mean = pg_pb_number(p, "thread_rate"), error = pg_pb_number(p, "thread_rate_standard_error");
	int64_t elapsed = 0, events;
	uint32_t at = 0;

	pg_dropin_raw(&p->d, "elapsed", &elapsed);
	for (uint64_t i = 0; elapsed > 0 && pg_pb_single(p, "events_read", &at, &events); i++) {
		fdmap(p, i);
		pg_str_addf(&p->out, " [ %04lld ops/sec ]\n", (long long)((double)events / ((double)elapsed / 1e9)));
	}
	pg_str_addf(&p->out, "\nAveraged %lld operations/sec (+- %.2f%%), total secs = %lld\n", (long long)mean,
		    error > 0 ? 100 * error / mean : 0.0, (long long)(elapsed / 1000000000));
}

static void ctl_head(struct pg_pb *p)
{
	pg_str_addf(&p->out,
		    "Run summary [PID %d]: %llu threads doing epoll_ctl ops %llu file-descriptors for %llu secs.\n\n",
		    getpid(), count(p, "threads"), count(p, "fds"), count(p, "runtime") / 1000000000);
}

static const struct {
	const char *metric, *name;
} ctl_ops[] = {{"thread_adds", "ADD"}, {"thread_modifies", "MOD"}, {"thread_deletes", "DEL"}};
#define OPS 3

static void ctl_each(struct pg_pb *p)
{
	const char *many = count(p, "fds") > 1 ? " ops" : "", *end = count(p, "fds") > 1 ? " ops" : "s ops";
	struct pg_pb_sum sums[OPS] = {{.n = 0}};
	uint32_t at[OPS] = {0};
	int64_t n[OPS];

	for (uint64_t i = 0;; i++) {
		for (size_t k = 0; k < OPS; k++) {
			if (!pg_pb_single(p, ctl_ops[k].metric, &at[k], &n[k]))
				goto averages;
			pg_pb_add(&sums[k], (double)n[k]);
		}
		fdmap(p, i);
		pg_str_addf(&p->out, " [ add: %04lld%s; mod: %04lld%s; del: %04lld%s ]\n", (long long)n[0], many,
			    (long long)n[1], many, (long long)n[2], end);
	}
averages:
	pg_str_addc(&p->out, '\n');
	for (size_t k = 0; k < OPS; k++)
		pg_str_addf(&p->out, "Averaged %lld %s operations (+- %.2f%%)\n",
			    (long long)pg_pb_number(p, ctl_ops[k].metric), ctl_ops[k].name,
			    pg_pb_error_percent(&sums[k]));
}

static const char *const wait_singles[] = {"events_read", NULL};
static const char *const ctl_singles[] = {"thread_adds", "thread_modifies", "thread_deletes", NULL};

static const struct pg_pb_bench waits = {
	.collection = "epoll",
	.name = "wait",
	.synopsis = "perf bench epoll wait <options>",
	.options = wait_options,
	.singles = wait_singles,
	.metric = "thread_rate",
	.unit = "operations/sec",
	.scale = 1,
	.begin = wait_begin,
	.head = wait_head,
	.each = wait_each,
};
static const struct pg_pb_bench ctl = {
	.collection = "epoll",
	.name = "ctl",
	.synopsis = "perf bench epoll ctl <options>",
	.options = ctl_options,
	.singles = ctl_singles,
	.metric = "rate",
	.unit = "operations/sec",
	.scale = 1,
	.begin = ctl_begin,
	.head = ctl_head,
	.each = ctl_each,
};

const struct pg_pb_bench *const pg_pb_epoll[] = {&waits, &ctl, NULL};
