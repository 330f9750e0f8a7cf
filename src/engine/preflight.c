/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/preflight.h"

#include <inttypes.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/err.h"
#include "base/str.h"
#include "base/topo.h"
#include "engine/cgroup.h"

#define MIB	    (UINT64_C(1) << 20)
#define OWN_STREAMS 3 /* descriptors 0-2 */
#define ITSELF	    1 /* the rep's own task */

/* Appends the params of this cell that drive a need: "groups or fds". */
static void add_drivers(const struct pg_cell *cell, const char *const *names, struct pg_str *out)
{
	size_t start = out->len;

	for (; *names; names++) {
		if (pg_param_find(cell->params, *names, NULL))
			pg_str_addf(out, "%s%s", out->len > start ? " or " : "", *names);
	}
	if (out->len == start)
		pg_str_adds(out, "what the cell asks for");
}

static int refuse(const struct pg_cell *cell, const char *const *drivers, struct pg_str *what, struct pg_err *err)
{
	add_drivers(cell, drivers, what);
	pg_fail(err, PG_EUNSUPPORTED, "%s", pg_str_text(what));
	pg_str_release(what);
	return -1;
}

static int check_counts(const struct pg_cell *cell, const struct pg_limits *l, const struct pg_need *need,
			struct pg_err *err)
{
	static const char *const workers[] = {"groups",
					      "fds",
					      "processes",
					      "threads",
					      "pairs",
					      "creators",
					      "blocked_threads",
					      "spinning_threads",
					      "wakers",
					      "writers",
					      "event_copies",
					      "breakpoints",
					      "leaked_descriptors",
					      "leaked_threads",
					      NULL};
	struct pg_str why;

	pg_str_init(&why);
	if (l->descriptors > 0 &&
	    need->descriptors > l->descriptors - (l->descriptors < OWN_STREAMS ? l->descriptors : OWN_STREAMS)) {
		pg_str_addf(&why,
			    "needs %" PRIu64 " descriptors, the limit is %" PRIu64
			    "; raise the hard limit (ulimit -Hn) or lower ",
			    need->descriptors + OWN_STREAMS, l->descriptors);
		return refuse(cell, workers, &why, err);
	}
	if (l->tasks > 0 && need->tasks > l->tasks - ITSELF) {
		pg_str_addf(&why, "needs %" PRIu64 " tasks, %s leaves %" PRIu64 "; raise it or lower ",
			    need->tasks + ITSELF, l->tasks_by ? l->tasks_by : "the limit", l->tasks);
		return refuse(cell, workers, &why, err);
	}
	if (l->pipes_soft > 0 && need->pipes > l->pipes_soft) {
		pg_str_addf(&why,
			    "needs %" PRIu64 " pipes, beyond %" PRIu64
			    " the kernel makes them smaller; raise fs.pipe-user-pages-soft or lower ",
			    need->pipes, l->pipes_soft);
		return refuse(cell, workers, &why, err);
	}
	return 0;
}

static int check_memory(const struct pg_cell *cell, const struct pg_limits *l, const struct pg_need *need,
			struct pg_err *err)
{
	static const char *const sizes[] = {"size",
					    "global_size",
					    "process_size",
					    "thread_size",
					    "parent_size",
					    "touch_size",
					    "futexes",
					    "bits",
					    "groups",
					    "threads",
					    "processes",
					    "creators",
					    "blocked_threads",
					    "spinning_threads",
					    NULL};
	struct pg_str why;

	if (l->memory == 0 || need->bytes <= l->memory)
		return 0;
	pg_str_init(&why);
	pg_str_addf(&why,
		    "needs %" PRIu64 " MiB of memory, the limit is %" PRIu64
		    " MiB (80 %% of what is available); lower ",
		    need->bytes / MIB + (need->bytes % MIB != 0), l->memory / MIB);
	return refuse(cell, sizes, &why, err);
}

static int check_caps(const struct pg_limits *l, unsigned need, struct pg_err *err)
{
	static const struct {
		unsigned cap;
		const char *name;
	} names[] = {
		{PG_CAP_NICE, "CAP_SYS_NICE"},
		{PG_CAP_ADMIN, "CAP_SYS_ADMIN"},
		{PG_CAP_PERFMON, "CAP_PERFMON"},
		{PG_CAP_BPF, "CAP_BPF"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (need & names[i].cap & ~l->caps)
			return pg_fail(err, PG_EUNSUPPORTED, "needs %s; run as root or grant it", names[i].name);
	}
	return 0;
}

static int check_pin(const char *pin, const struct pg_topo *topo, struct pg_err *err)
{
	struct pg_cpuset want;
	struct pg_str list;
	size_t pos;
	int r;

	pg_cpuset_init(&want);
	r = pg_cpulist_parse(pin, strlen(pin), &want, &pos, err);
	pg_str_init(&list);
	for (int cpu = -1; r == 0 && (cpu = pg_cpuset_next(&want, cpu)) >= 0;) {
		bool online = pg_cpuset_has(&topo->online, (unsigned)cpu);

		if (pg_cpuset_has(&topo->allowed, (unsigned)cpu))
			continue;
		pg_cpulist_format(online ? &topo->allowed : &topo->online, &list);
		r = pg_fail(err, PG_EUNSUPPORTED, "pin %s: CPU %d is not %s (%s: %s); name others", pin, cpu,
			    online ? "allowed to this process" : "online", online ? "allowed" : "online",
			    pg_str_text(&list));
	}
	if (r < 0)
		err->code = PG_EUNSUPPORTED;
	pg_str_release(&list);
	pg_cpuset_release(&want);
	return r;
}

static int check_keys(const struct pg_runkeys *keys, const struct pg_limits *l, struct pg_err *err)
{
	bool may = l->caps & PG_CAP_NICE;

	if (keys->pin && l->env.topo && check_pin(keys->pin, l->env.topo, err) < 0)
		return -1;
	if (keys->policy == PG_POLICY_FIFO && !may && (unsigned)keys->priority > l->rt_priority)
		return pg_fail(
			err, PG_EUNSUPPORTED,
			"policy fifo:%d needs CAP_SYS_NICE or RLIMIT_RTPRIO %d (it is %u); run as root or raise it",
			keys->priority, keys->priority, l->rt_priority);
	if (keys->has_nice && !may && keys->nice < l->nice_least)
		return pg_fail(err, PG_EUNSUPPORTED, "nice %d needs CAP_SYS_NICE; run as root or use %d or more",
			       keys->nice, l->nice_least);
	if (keys->cgroup)
		return pg_cgroup_check(l->env.root ? l->env.root : "", keys->cgroup, err);
	return 0;
}

int pg_preflight(const struct pg_cell *cell, const struct pg_limits *limits, void *conf, struct pg_err *err)
{
	struct pg_need need = {.descriptors = 0};

	if (cell->bench->probe) {
		memset(conf, 0, cell->bench->conf_size);
		pg_conf_bind(cell->params, cell->vals, 1, conf);
		if (cell->bench->probe(conf, &limits->env, &need, err) < 0) {
			err->code = PG_EUNSUPPORTED;
			return -1;
		}
	}
	if (check_keys(cell->keys, limits, err) < 0 || check_caps(limits, need.caps, err) < 0)
		return -1;
	if (check_counts(cell, limits, &need, err) < 0)
		return -1;
	return check_memory(cell, limits, &need, err);
}
