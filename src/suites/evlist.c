/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * internals/evlist-open-close: events opened, given ring buffers, enabled, disabled and closed (perf bench internals
 * evlist-open-close).
 * Timed: open to close, and each of the five phases. Not timed: reading the event names, and before each operation the
 * look for the target's tasks. Differs from the ancestor: phases told apart, the allowed CPUs instead of the online
 * ones, tracefs is not mounted where anybody could see it, events that
 * cannot sample are opened as counters, and what cannot run here is refused with the reason before anything is timed.
 */
#include "evlist.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

extern const struct pg_bench pg_internals_evlist;

static const struct pg_choice buffers[] = {
	{"per-cpu", "one ring buffer a CPU"},
	{"per-thread", "one ring buffer a task, events that follow it"},
	{NULL, NULL},
};

static const struct pg_param params[] = {
	PG_ROW_LOOPS(struct pg_evlist_conf, loops, "times the events are opened and closed", "100", "auto", 'i'),
	{
		.name = "target",
		.doc = "whose events are opened: system (every process), self, pid:N, tid:N or user:NAME",
		.def = "system",
		PG_AT_TEXT(struct pg_evlist_conf, target),
	},
	{
		.name = "events",
		.doc = "comma list of events to open",
		.def = "dummy",
		.opt = 'e',
		PG_AT_TEXT(struct pg_evlist_conf, events),
	},
	{
		.name = "event_copies",
		.doc = "times the list of events is repeated",
		.def = "1",
		.min = "1",
		.max = "10000",
		.opt = 'n',
		PG_AT_COUNT(struct pg_evlist_conf, event_copies),
	},
	{
		.name = "event_cpus",
		.doc = "CPUs that the events are opened on; those allowed to this process where unset",
		.opt = 'C',
		PG_AT_CPULIST(struct pg_evlist_conf, event_cpus),
	},
	{
		.name = "buffer",
		.doc = "ring buffers",
		.def = "per-cpu",
		.choices = buffers,
		PG_AT_ENUM(struct pg_evlist_conf, buffer),
	},
	{.name = NULL},
};

enum {
	M_TIME_PER_OP,
	M_OPEN_TIME, /* in the order of enum pg_evlist_phase */
	M_MAP_TIME,
	M_ENABLE_TIME,
	M_DISABLE_TIME,
	M_CLOSE_TIME,
	M_OPEN_EVENTS,
	M_OPERATIONS,
	M_TOTAL,
	M_OPENED,
	M_OPEN_TOTAL,
	M_MAP_TOTAL,
	M_ENABLE_TOTAL,
	M_DISABLE_TOTAL,
	M_CLOSE_TOTAL,
	M_END,
};

#define PHASE(m, total, n, what)                                                                                       \
	[m] = PG_ROW_RATIO(n "_time", what ", mean", PG_U_S, PG_LOWER, total, M_OPERATIONS, 0),                        \
	[total] = PG_ROW_HIDDEN(n "_total", what ", all operations", PG_U_S, PG_SUM, PG_M_GROWS)

static const struct pg_metric metrics[] = {
	[M_TIME_PER_OP] =
		PG_ROW_RATIO("time_per_op", "open to close, mean", PG_U_S, PG_LOWER, M_TOTAL, M_OPERATIONS, PG_M_MAIN),
	PHASE(M_OPEN_TIME, M_OPEN_TOTAL, "open", "perf_event_open of all events"),
	PHASE(M_MAP_TIME, M_MAP_TOTAL, "map", "ring buffers mapped and joined, ids asked for"),
	PHASE(M_ENABLE_TIME, M_ENABLE_TOTAL, "enable", "all events enabled"),
	PHASE(M_DISABLE_TIME, M_DISABLE_TOTAL, "disable", "all events disabled"),
	PHASE(M_CLOSE_TIME, M_CLOSE_TOTAL, "close", "ring buffers unmapped, events closed"),
	[M_OPEN_EVENTS] = PG_ROW_RATIO("open_events", "descriptors of one operation, mean", PG_U_COUNT, PG_NEITHER,
				       M_OPENED, M_OPERATIONS, 0),
	[M_OPERATIONS] = PG_ROW_HIDDEN("operations", "times opened and closed", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_TOTAL] = PG_ROW_HIDDEN("op_total", "open to close, all operations", PG_U_S, PG_SUM, PG_M_GROWS),
	[M_OPENED] = PG_ROW_HIDDEN("opened", "events opened, all operations", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_END] = {.name = NULL},
};

static int evlist_check(const void *vconf, struct pg_err *err)
{
	const struct pg_evlist_conf *conf = vconf;
	struct pg_evlist_target target;

	if (pg_evlist_target_parse(conf->target, &target, err) || pg_perf_events_check(conf->events, err))
		return -1;
	if (conf->buffer && target.who == PG_WHO_SYSTEM)
		return pg_fail(err, PG_EINPUT,
			       "buffer per-thread needs tasks to follow, target is system; set target to self, pid:N, "
			       "tid:N or user:NAME");
	if (conf->buffer && conf->event_cpus)
		return pg_fail(err, PG_EINPUT,
			       "event_cpus %s: events with buffer per-thread follow their task over all CPUs; leave "
			       "out event_cpus or set buffer: per-cpu",
			       conf->event_cpus);
	return 0;
}

static void release(struct pg_evlist *l)
{
	pg_evlist_op_close(l);
	pg_evlist_op_release(l);
	pg_perf_events_free(l->events, l->n_events);
	free(l->cpus);
	free(l->tasks.ids);
	free(l->fds);
	free(l->buffers);
}

static int choose_cpus(struct pg_evlist *l, const struct pg_cpuset *allowed, struct pg_err *err)
{
	struct pg_cpuset set = {.bits = NULL};
	const char *list = l->conf->event_cpus;
	size_t pos;
	int r = -1;

	if (list ? pg_cpulist_parse(list, strlen(list), &set, &pos, err)
		 : (allowed ? pg_cpuset_copy(&set, allowed) : pg_affinity_get(0, &set, err)))
		goto done;
	l->n_cpus = l->conf->buffer ? 1 : pg_cpuset_count(&set);
	l->cpus = calloc(l->n_cpus + 1, sizeof(*l->cpus));
	r = l->cpus ? 0 : pg_fail_nomem(err);
	for (size_t i = 0; r == 0 && i < l->n_cpus; i++)
		l->cpus[i] = l->conf->buffer ? -1 : pg_cpuset_nth(&set, i);
done:
	pg_cpuset_release(&set);
	return r;
}

/* All that is known before an event is opened. */
static int look(struct pg_evlist *l, const struct pg_cpuset *allowed, struct pg_err *err)
{
	if (pg_evlist_target_parse(l->conf->target, &l->target, err) || choose_cpus(l, allowed, err) ||
	    pg_evlist_tasks_find(&l->target, l->root, &l->tasks, err))
		return -1;
	return pg_perf_events_parse(l->conf->events, l->root, &l->events, &l->n_events, err);
}

static int probe_cpus(const struct pg_evlist *l, const struct pg_topo *topo, struct pg_err *err)
{
	for (size_t i = 0; i < l->n_cpus; i++)
		if (l->cpus[i] >= 0 && !pg_cpuset_has(&topo->online, (unsigned)l->cpus[i]))
			return pg_fail(err, PG_EUNSUPPORTED, "event_cpus %s: CPU %d is not online; choose others",
				       l->conf->event_cpus ? l->conf->event_cpus : "", l->cpus[i]);
	return 0;
}

/* The kernel lets a user lock mlock_kb a CPU for ring buffers, and RLIMIT_MEMLOCK on top. */
static int probe_locked(const struct pg_evlist *l, uint64_t bytes, const struct pg_topo *topo, struct pg_err *err)
{
	const int64_t kb = pg_perf_sysctl(l->root, "perf_event_mlock_kb", 516);
	const uint64_t free_bytes = (uint64_t)(kb > 0 ? kb : 0) * 1024 * pg_cpuset_count(&topo->online);
	struct rlimit limit;

	if (pg_perf_may_lock() || getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	    bytes <= free_bytes || bytes - free_bytes <= limit.rlim_cur)
		return 0;
	return pg_fail(err, PG_EUNSUPPORTED,
		       "ring buffers of %llu KiB, %llu may be locked; raise kernel.perf_event_mlock_kb or the limit of "
		       "locked memory (ulimit -l), or lower the number of tasks",
		       (unsigned long long)bytes / 1024, (unsigned long long)(free_bytes + limit.rlim_cur) / 1024);
}

static int probe_paranoid(const struct pg_evlist *l, struct pg_err *err)
{
	const int64_t paranoid = pg_perf_sysctl(l->root, "perf_event_paranoid", -2);

	if (paranoid == -2 && access("/proc/sys/kernel/perf_event_paranoid", F_OK) && !*l->root)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "this kernel has no perf_event_open; use one with CONFIG_PERF_EVENTS");
	if (l->target.who != PG_WHO_SYSTEM || paranoid <= 0 || pg_perf_may_watch())
		return 0;
	return pg_fail(err, PG_EUNSUPPORTED,
		       "target system watches every process, perf_event_paranoid %lld keeps that to root; run as root, "
		       "grant CAP_PERFMON, lower it to 0 or take target self",
		       (long long)paranoid);
}

static int evlist_probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	struct pg_evlist l = {.conf = vconf, .root = env->root};
	uint64_t bytes;
	int r = -1;

	if (look(&l, &env->topo->allowed, err) || probe_cpus(&l, env->topo, err) || probe_paranoid(&l, err))
		goto done;
	need->descriptors = l.n_events * l.conf->event_copies * l.n_cpus * l.tasks.n;
	bytes = (l.conf->buffer ? l.tasks.n : l.n_cpus) * (PG_EVLIST_PAGES + 1) * (uint64_t)sysconf(_SC_PAGESIZE);
	need->bytes = bytes + 2048 * need->descriptors;
	if (probe_locked(&l, bytes, env->topo, err))
		goto done;
	r = *env->root ? 0 : pg_evlist_attr_fit(&l, err); /* a fake machine opens nothing */
done:
	release(&l);
	return r;
}

static int evlist_setup(struct pg_run *run, struct pg_err *err)
{
	struct pg_evlist *l = calloc(1, sizeof(*l));

	run->state = l;
	if (!l)
		return pg_fail_nomem(err);
	l->conf = run->conf;
	l->root = run->root;
	return look(l, NULL, err) || pg_evlist_attr_fit(l, err) ? -1 : pg_evlist_op_init(l, err);
}

static int evlist_once(struct pg_run *run, struct pg_err *err)
{
	struct pg_evlist *l = run->state;
	int64_t total = 0, opened = 0;

	for (uint64_t i = 0; i < l->conf->loops; i++) {
		if (l->target.who > PG_WHO_SELF && pg_evlist_tasks_find(&l->target, l->root, &l->tasks, err))
			return -1;
		if (pg_evlist_op_prepare(l, err) || pg_evlist_op_run(l, err))
			return -1;
		opened += (int64_t)l->opened;
	}
	for (int p = 0; p < PG_EVLIST_PHASES; p++) {
		pg_record(run, (unsigned)(M_OPEN_TOTAL + p), l->phase_ns[p]);
		total += l->phase_ns[p];
	}
	run->timed_ns = total;
	pg_record(run, M_TOTAL, total);
	pg_record(run, M_OPERATIONS, (int64_t)l->conf->loops);
	pg_record(run, M_OPENED, opened);
	return 0;
}

static void evlist_teardown(struct pg_run *run)
{
	struct pg_evlist *l = run->state;

	if (!l)
		return;
	release(l);
	free(l);
	run->state = NULL;
}

const struct pg_bench pg_internals_evlist = {
	.name = "internals/evlist-open-close",
	.summary = "events opened, mapped, enabled, disabled and closed",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct pg_evlist_conf),
	.probe = evlist_probe,
	.tries = true,
	.check = evlist_check,
	.setup = evlist_setup,
	.once = evlist_once,
	.teardown = evlist_teardown,
};
