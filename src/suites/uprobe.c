/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The suite `uprobe`: a function called in a loop, bare (baseline) and with a probe on its entry or its return whose
 * program counts, or counts and prints (perf bench uprobe).
 * Timed: the loop of calls. The probed benches time the same loop bare first (probe_time is the difference), and
 * loading and attaching, detaching and unloading apart. Not timed: finding the function, putting a trace setting back.
 * Differs from the ancestor: an empty function besides usleep, so that the probe stands clear of the sleep; a probe for
 * this process alone; hits are counted by the program and must reach the calls; nothing stays in the trace buffer.
 */
#include "uprobe.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "perf_event.h"

extern const struct pg_suite pg_suite_uprobe;

enum { ON_RETURN = 1 << 0, PRINTS = 1 << 1 };
enum { CALL_USLEEP, CALL_EMPTY };
enum { FOR_SYSTEM, FOR_SELF };

#define SLEEP_US 1000

struct conf {
	uint64_t loops;
	int function;
	int target;
};

struct state {
	const struct conf *conf;
	int flags;
	struct pg_uprobe_place place;
	uint32_t type;	 /* of the uprobe PMU */
	uint64_t config; /* the bit that asks for a probe on return, or 0 */
	int cpu;	 /* -1: target self */
	struct pg_uprobe_program program;
	struct pg_uprobe_trace trace;
	int event; /* the probe; -1 = none */
	int64_t attach_ns, detach_ns;
};

static const struct pg_choice functions[] = {
	[CALL_USLEEP] = {"usleep", "usleep(1000) of libc"},
	[CALL_EMPTY] = {"empty", "a function of perfgrid that only returns"},
	{NULL, NULL},
};
static const struct pg_choice targets[] = {
	[FOR_SYSTEM] = {"system", "every process that calls the function"},
	[FOR_SELF] = {"self", "this process"},
	{NULL, NULL},
};

/* clang-format off */
#define CALL_ROWS \
	PG_ROW_LOOPS(struct conf, loops, "calls", "1000", "auto", 'l'), \
	{.name = "function", .doc = "what is called", .def = "usleep", .choices = functions, .role = PG_ALL, \
	 PG_AT_ENUM(struct conf, function)}
/* clang-format on */

static const struct pg_param baseline_params[] = {CALL_ROWS, {.name = NULL}};
static const struct pg_param probed_params[] = {
	CALL_ROWS,
	{
		.name = "target",
		.doc = "processes that the probe is armed for",
		.def = "system",
		.choices = targets,
		PG_AT_ENUM(struct conf, target),
	},
	{.name = NULL},
};

enum { M_TIME_PER_OP, M_TIME, M_OPERATIONS, M_PROBE_TIME, M_HITS, M_ATTACH_TIME, M_DETACH_TIME, M_NET_TIME };

/* clang-format off */
#define CALL_METRICS \
	[M_TIME_PER_OP] = PG_ROW_RATIO("time_per_op", "time / loops", PG_U_S, PG_LOWER, M_TIME, M_OPERATIONS, PG_M_MAIN), \
	[M_TIME] = PG_ROW_RAW("time", "the loop of calls", PG_U_S, PG_LOWER, PG_SUM, PG_M_GROWS), \
	[M_OPERATIONS] = PG_ROW_HIDDEN("operations", "calls made", PG_U_COUNT, PG_SUM, PG_M_GROWS)
/* clang-format on */

static const struct pg_metric baseline_metrics[] = {CALL_METRICS, [M_OPERATIONS + 1] = {.name = NULL}};
static const struct pg_metric probed_metrics[] = {
	CALL_METRICS,
	/* The sleeps of two loops may differ by more than the probe costs: never below 0. */
	[M_PROBE_TIME] = PG_ROW_RATIO("probe_time", "time_per_op less the same loop before attaching", PG_U_S, PG_LOWER,
				      M_NET_TIME, M_OPERATIONS, PG_M_ZERO_OK | PG_M_TYPICAL),
	[M_HITS] = PG_ROW_RAW("hits", "runs of the program; target system counts those of others as well", PG_U_COUNT,
			      PG_NEITHER, PG_SUM, PG_M_GROWS),
	[M_ATTACH_TIME] = PG_ROW_RAW("attach_time", "program load and attach", PG_U_S, PG_LOWER, PG_SUM, 0),
	[M_DETACH_TIME] = PG_ROW_RAW("detach_time", "detach and unload", PG_U_S, PG_LOWER, PG_SUM, 0),
	[M_NET_TIME] = PG_ROW_HIDDEN("net_time_total", "time less that of the bare loop", PG_U_S, PG_SUM,
				     PG_M_GROWS | PG_M_ZERO_OK),
	[M_NET_TIME + 1] = {.name = NULL},
};

static int64_t call_loop_ns(const struct conf *conf)
{
	const int64_t start = pg_now_ns();

	if (conf->function == CALL_EMPTY)
		for (uint64_t i = 0; i < conf->loops; i++)
			pg_uprobe_empty();
	else
		for (uint64_t i = 0; i < conf->loops; i++)
			usleep(SLEEP_US);
	return pg_since(pg_now_ns(), start);
}

static int baseline_once(struct pg_run *run, struct pg_err *err)
{
	const struct conf *conf = run->conf;
	const int64_t time = call_loop_ns(conf);

	(void)err;
	pg_record(run, M_TIME, time);
	pg_record(run, M_OPERATIONS, (int64_t)conf->loops);
	return 0;
}

/* Type of the PMU, and the bit for return probes. */
static int find_pmu(const char *root, int flags, uint32_t *type, uint64_t *config, struct pg_err *err)
{
	struct perf_event_attr attr = {.config = 0};

	if (pg_pmu_type(root, "uprobe", type))
		return pg_fail(err, PG_EUNSUPPORTED,
			       "no uprobe PMU (" PG_PERF_DEVICES
			       "/uprobe); use a kernel from 4.17 on with UPROBE_EVENTS, and mount sysfs");
	if (flags & ON_RETURN && pg_pmu_terms(root, "uprobe", "retprobe", 8, &attr, err))
		return -1;
	*config = attr.config;
	return 0;
}

static int probe_rights(const char *root, struct pg_err *err)
{
	const bool watch = pg_perf_may_watch(), load = pg_perf_may_load();

	if (watch && load)
		return 0;
	return pg_fail(err, PG_EUNSUPPORTED,
		       "probes need CAP_PERFMON and CAP_BPF, %s missing (perf_event_paranoid is %lld, "
		       "unprivileged_bpf_disabled is %lld; neither opens uprobes to users); run as root or grant both",
		       watch  ? "CAP_BPF is"
		       : load ? "CAP_PERFMON is"
			      : "both are",
		       (long long)pg_perf_sysctl(root, "perf_event_paranoid", 2),
		       (long long)pg_perf_sysctl(root, "unprivileged_bpf_disabled", 0));
}

static int find_place(const struct conf *conf, struct pg_uprobe_place *place, struct pg_err *err)
{
	const void *usleep_at;

	if (conf->function == CALL_EMPTY)
		return pg_uprobe_place_of((const void *)(uintptr_t)pg_uprobe_empty, place, err);
	usleep_at = pg_uprobe_usleep();
	if (!usleep_at)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "usleep is not in a shared libc of this process; use function empty, or link perfgrid "
			       "dynamically");
	return pg_uprobe_place_of(usleep_at, place, err);
}

static int probe(const void *conf, const struct pg_probe_env *env, int flags, struct pg_need *need, struct pg_err *err)
{
	struct pg_uprobe_place place;
	struct pg_uprobe_program program;
	uint32_t type;
	uint64_t config;

	need->descriptors = 8;
	if (find_pmu(env->root, flags, &type, &config, err) || probe_rights(env->root, err))
		return -1;
	if (flags & PRINTS && pg_uprobe_trace_probe(env->root, err))
		return -1;
	if (*env->root) /* a fake machine loads no program */
		return 0;
	if (find_place(conf, &place, err) || pg_uprobe_program_load(&program, false, err))
		return -1;
	pg_uprobe_program_unload(&program);
	return 0;
}

static int probe_counts(const void *conf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	return probe(conf, env, 0, need, err);
}

static int probe_prints(const void *conf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	return probe(conf, env, PRINTS, need, err);
}

static int probe_counts_ret(const void *conf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	return probe(conf, env, ON_RETURN, need, err);
}

static int probe_prints_ret(const void *conf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	return probe(conf, env, ON_RETURN | PRINTS, need, err);
}

/* An event for every process still names a CPU: any that is there. */
static int choose_cpu(struct state *s, struct pg_err *err)
{
	struct pg_cpuset allowed = {.bits = NULL};
	int r;

	s->cpu = -1;
	if (s->conf->target == FOR_SELF)
		return 0;
	r = pg_affinity_get(0, &allowed, err);
	if (r == 0)
		s->cpu = pg_cpuset_next(&allowed, -1);
	pg_cpuset_release(&allowed);
	return r;
}

static int setup(struct pg_run *run, int flags, struct pg_err *err)
{
	struct state *s = calloc(1, sizeof(*s));

	run->state = s;
	if (!s)
		return pg_fail_nomem(err);
	s->conf = run->conf;
	s->flags = flags;
	s->event = s->program.map = s->program.program = s->trace.enable = s->trace.event = -1;
	if (find_pmu(run->root, flags, &s->type, &s->config, err) || choose_cpu(s, err) ||
	    find_place(s->conf, &s->place, err))
		return -1;
	return flags & PRINTS ? pg_uprobe_trace_open(&s->trace, err) : 0;
}

static int setup_counts(struct pg_run *run, struct pg_err *err)
{
	return setup(run, 0, err);
}

static int setup_prints(struct pg_run *run, struct pg_err *err)
{
	return setup(run, PRINTS, err);
}

static int setup_counts_ret(struct pg_run *run, struct pg_err *err)
{
	return setup(run, ON_RETURN, err);
}

static int setup_prints_ret(struct pg_run *run, struct pg_err *err)
{
	return setup(run, ON_RETURN | PRINTS, err);
}

/* No signal but KILL comes between the load of a program that prints and the putting back of what it changed. */
static int load(struct state *s, struct pg_err *err)
{
	sigset_t all, before;
	int64_t start;
	int r;

	if (s->flags & PRINTS && pg_uprobe_trace_note(&s->trace, err))
		return -1;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &before);
	start = pg_now_ns();
	r = pg_uprobe_program_load(&s->program, s->flags & PRINTS, err);
	s->attach_ns = pg_since(pg_now_ns(), start);
	if (r == 0 && s->flags & PRINTS)
		r = pg_uprobe_trace_restore(&s->trace, err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return r;
}

static int attach(struct state *s, struct pg_err *err)
{
	const struct perf_event_attr attr = {
		.type = s->type,
		.size = sizeof(attr),
		.config = s->config,
		.uprobe_path = (uintptr_t)s->place.path,
		.probe_offset = s->place.offset,
		.disabled = 1,
	};
	int64_t start;

	if (load(s, err))
		return -1;
	start = pg_now_ns();
	s->event = pg_perf_open(&attr, s->conf->target == FOR_SELF ? 0 : -1, s->cpu);
	if (s->event < 0)
		return pg_fail_sys(
			err,
			"cannot set a probe at offset 0x%llx of %s; run as root, with perfgrid and libc on a local "
			"file system",
			(unsigned long long)attr.probe_offset, s->place.path);
	if (ioctl(s->event, PERF_EVENT_IOC_SET_BPF, s->program.program) || ioctl(s->event, PERF_EVENT_IOC_ENABLE, 0))
		return pg_fail_sys(
			err, "cannot attach the program to the probe; run as root, on a kernel with CONFIG_BPF_EVENTS");
	s->attach_ns += pg_since(pg_now_ns(), start);
	return 0;
}

static void detach(struct state *s)
{
	const int64_t start = pg_now_ns();

	if (s->event >= 0)
		close(s->event);
	s->event = -1;
	pg_uprobe_program_unload(&s->program);
	s->detach_ns = pg_since(pg_now_ns(), start);
}

int pg_uprobe_check_hits(uint64_t loops, uint64_t runs, uint64_t lines, struct pg_err *err)
{
	if (runs < loops)
		return pg_fail(
			err, PG_EFAILED,
			"the probe's program ran %llu times in %llu calls; see that no other tool changes probes "
			"of this program meanwhile",
			(unsigned long long)runs, (unsigned long long)loops);
	if (lines < loops)
		return pg_fail(err, PG_EFAILED,
			       "the probe's program printed %llu lines in %llu calls; see that no other tool switches "
			       "trace events meanwhile",
			       (unsigned long long)lines, (unsigned long long)loops);
	return 0;
}

static int count_hits(const struct state *s, uint64_t *hits, struct pg_err *err)
{
	const bool prints = s->flags & PRINTS;
	uint64_t lines = UINT64_MAX;

	if (pg_uprobe_program_runs(&s->program, hits, err))
		return -1;
	if (prints && (pg_uprobe_trace_is_kept(&s->trace, err) || pg_uprobe_trace_count(&s->trace, &lines, err)))
		return -1;
	return pg_uprobe_check_hits(s->conf->loops, *hits, lines, err);
}

static int probed_once(struct pg_run *run, struct pg_err *err)
{
	struct state *s = run->state;
	const int64_t bare = call_loop_ns(s->conf);
	uint64_t hits;
	int64_t time;

	if (attach(s, err))
		return -1;
	time = call_loop_ns(s->conf);
	if (count_hits(s, &hits, err))
		return -1;
	detach(s);
	run->timed_ns = time;
	pg_record(run, M_TIME, time);
	pg_record(run, M_OPERATIONS, (int64_t)s->conf->loops);
	pg_record(run, M_HITS, (int64_t)hits);
	pg_record(run, M_ATTACH_TIME, s->attach_ns);
	pg_record(run, M_DETACH_TIME, s->detach_ns);
	pg_record(run, M_NET_TIME, pg_since(time, bare));
	return 0;
}

static void teardown(struct pg_run *run)
{
	struct state *s = run->state;

	if (!s)
		return;
	detach(s);
	pg_uprobe_trace_close(&s->trace);
	free(s);
	run->state = NULL;
}

static const struct pg_bench baseline = {
	.name = "uprobe/baseline",
	.summary = "a function called without a probe",
	.params = baseline_params,
	.metrics = baseline_metrics,
	.conf_size = sizeof(struct conf),
	.once = baseline_once,
};

#define PROBED(id, text, what)                                                                                         \
	{                                                                                                              \
		.name = "uprobe/" text, .summary = what, .params = probed_params, .metrics = probed_metrics,           \
		.conf_size = sizeof(struct conf), .probe = probe_##id, .setup = setup_##id, .once = probed_once,       \
		.teardown = teardown,                                                                                  \
	}

static const struct pg_bench empty = PROBED(counts, "empty", "a probe on entry whose program counts");
static const struct pg_bench trace_printk = PROBED(prints, "trace_printk", "a probe on entry whose program prints");
static const struct pg_bench empty_ret = PROBED(counts_ret, "empty_ret", "a probe on return whose program counts");
static const struct pg_bench trace_printk_ret =
	PROBED(prints_ret, "trace_printk_ret", "a probe on return whose program prints");

static const struct pg_bench *const benches[] = {&baseline, &empty, &trace_printk, &empty_ret, &trace_printk_ret, NULL};

const struct pg_suite pg_suite_uprobe = {
	.name = "uprobe",
	.summary = "probes in user space",
	.benches = benches,
};
