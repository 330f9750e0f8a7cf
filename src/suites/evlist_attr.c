/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attributes as the ancestor opens its events, as far as this kernel and this user may have them. What an older kernel
 * does not know is left out step by step; a PMU that cannot sample counts; who may not watch the kernel watches user
 * space.
 */
#include "evlist.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4)
#endif

#define FREQUENCY 4000
#define LEVELS	  3 /* how much of what newer kernels know is asked for */

bool pg_evlist_counts_on(const struct pg_perf_event *e, int cpu)
{
	return cpu < 0 || e->cpus.words == 0 || pg_cpuset_has(&e->cpus, (unsigned)cpu);
}

struct perf_event_attr pg_evlist_attr(const struct pg_evlist *l, size_t i)
{
	struct perf_event_attr attr = l->events[i % l->n_events].attr;

	if (i == 0) {
		attr.mmap = attr.comm = attr.task = attr.mmap2 = attr.comm_exec = 1;
		/* Known since 5.1, and kept here until the kernel has refused them. */
		attr.ksymbol = attr.bpf_event = l->events[0].attr.bpf_event;
	} else {
		attr.ksymbol = attr.bpf_event = 0;
	}
	return attr;
}

static void fill(const struct pg_evlist *l, const struct pg_perf_event *e, int level, bool counts,
		 struct perf_event_attr *attr)
{
	*attr = e->attr;
	attr->size = sizeof(*attr);
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	if (l->n_events * l->conf->event_copies > 1)
		attr->sample_type |= PERF_SAMPLE_ID;
	attr->read_format = PERF_FORMAT_ID | (level == 0 ? PERF_FORMAT_LOST : 0);
	if (!counts && attr->type == PERF_TYPE_TRACEPOINT) {
		attr->sample_period = 1;
	} else if (!counts) {
		attr->freq = 1;
		attr->sample_freq = FREQUENCY;
	}
	attr->disabled = attr->sample_id_all = attr->enable_on_exec = 1;
	attr->inherit = l->conf->buffer == 0;
	attr->ksymbol = attr->bpf_event = level < 2;
}

/* A first descriptor of the event, at once closed again: 0 or an errno. */
static int try_open(struct pg_evlist *l, size_t i)
{
	const struct pg_perf_event *e = &l->events[i];
	const struct perf_event_attr attr = pg_evlist_attr(l, i);

	for (size_t c = 0; c < l->n_cpus; c++) {
		int fd;

		if (!pg_evlist_counts_on(e, l->cpus[c]))
			continue;
		fd = pg_perf_open(&attr, l->tasks.ids[0], l->cpus[c]);
		if (fd < 0)
			return errno;
		close(fd);
		return 0;
	}
	return ENXIO;
}

/* EINVAL is the kernel's answer to fields that it does not know, and EOPNOTSUPP to sampling without an interrupt. */
static int fit(struct pg_evlist *l, size_t i)
{
	struct pg_perf_event *e = &l->events[i];
	const struct pg_perf_event wanted = *e;
	int why = 0;

	for (int user_only = 0; user_only < 2; user_only++) {
		for (int step = 0; step < 2 * LEVELS; step++) {
			fill(l, &wanted, step % LEVELS, step >= LEVELS, &e->attr);
			if (user_only)
				e->attr.exclude_kernel = 1;
			why = try_open(l, i);
			if (why != EINVAL && why != EOPNOTSUPP)
				break;
		}
		if ((why != EACCES && why != EPERM) || l->target.who == PG_WHO_SYSTEM)
			break;
	}
	return why;
}

static int refuse(const struct pg_evlist *l, size_t i, int why, struct pg_err *err)
{
	const char *name = l->events[i].name;
	const long long paranoid = pg_perf_sysctl(l->root, "perf_event_paranoid", 2);

	switch (why) {
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return pg_fail(err, PG_EUNSUPPORTED,
			       "event %s: this machine has no such counter (guests often have none); take software "
			       "events such as cpu-clock",
			       name);
	case EACCES:
	case EPERM:
		return pg_fail(err, PG_EUNSUPPORTED,
			       "event %s may not be opened for target %s (perf_event_paranoid is %lld); run as root, "
			       "grant CAP_PERFMON or take target self",
			       name, l->conf->target, paranoid);
	case ENXIO:
		return pg_fail(err, PG_EUNSUPPORTED,
			       "event %s counts on none of the CPUs chosen; see cpumask of its PMU and set event_cpus",
			       name);
	case EINVAL:
		return pg_fail(err, PG_EUNSUPPORTED,
			       "event %s: the kernel takes it neither sampling nor counting for target %s and buffer "
			       "%s; try target system, or another event",
			       name, l->conf->target, l->conf->buffer ? "per-thread" : "per-cpu");
	default:
		errno = why;
		pg_fail_sys(err, "event %s cannot be opened for target %s; take another event or target", name,
			    l->conf->target);
		err->code = PG_EUNSUPPORTED;
		return -1;
	}
}

int pg_evlist_attr_fit(struct pg_evlist *l, struct pg_err *err)
{
	for (size_t i = 0; i < l->n_events; i++) {
		const int why = fit(l, i);

		if (why)
			return refuse(l, i, why, err);
	}
	return 0;
}
