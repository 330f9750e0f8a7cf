/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Family header of the benches that use perf_event_open(2): perf_event.c (the call, who may, files of /sys and /proc),
 * perf_pmu.c (PMUs of /sys/bus/event_source/devices), perf_names.c (event names).
 */
#ifndef PG_SUITES_PERF_EVENT_H
#define PG_SUITES_PERF_EVENT_H

#include <linux/perf_event.h>
#include <sys/types.h>

#include "pg_bench.h"

#define PG_PERF_DEVICES "/sys/bus/event_source/devices"

/* perf_event_open(2) without a group, close-on-exec. -1 with errno. */
int pg_perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu);
/* The caller's effective capabilities: CAP_PERFMON, CAP_BPF, each also by CAP_SYS_ADMIN; CAP_IPC_LOCK. */
bool pg_perf_may_watch(void);
bool pg_perf_may_load(void);
bool pg_perf_may_lock(void);
/* The text of root/dir/name without its last newline: its length, -1 = cannot be read. */
ssize_t pg_perf_read(const char *root, const char *dir, const char *name, char *buf, size_t n);
/* A number below root/proc/sys/kernel, `missing` where there is none. */
int64_t pg_perf_sysctl(const char *root, const char *name, int64_t missing);
/*
 * Folder of tracefs: where it is mounted below root, else (real machine, privileged) a mount of our own that no path
 * leads to and that goes with the descriptor. -1 = not to be had.
 */
int pg_perf_open_tracefs(const char *root);

/* perf_pmu.c. Where a term goes: the bits of config, config1, config2 or config3, least first. */
struct pg_pmu_format {
	unsigned word; /* 0..3 */
	unsigned n;
	struct {
		uint8_t first, last;
	} bits[8];
};
/* "config1:0-7,32-35"; -1 = none of that form. */
int pg_pmu_format_parse(const char *text, struct pg_pmu_format *out);
/* -1: the value has more bits than the term. */
int pg_pmu_format_put(const struct pg_pmu_format *f, uint64_t value, uint64_t words[4]);
/* -1 = no such PMU. */
int pg_pmu_type(const char *root, const char *pmu, uint32_t *type);
/* The CPUs on which the PMU counts, from `cpumask` or `cpus`; empty = all. */
int pg_pmu_cpus(const char *root, const char *pmu, struct pg_cpuset *out, struct pg_err *err);
/* "event=0x3c,umask=1", or a name of the PMU's `events` folder. -1: PG_EUNSUPPORTED, err says which term. */
int pg_pmu_terms(const char *root, const char *pmu, const char *terms, size_t n, struct perf_event_attr *attr,
		 struct pg_err *err);

/* perf_names.c */
#define PG_PERF_NAME 128
struct pg_perf_event {
	char name[PG_PERF_NAME];
	struct perf_event_attr attr; /* type, config words, exclude_*, precise_ip; nothing else */
	struct pg_cpuset cpus;	     /* where it counts; empty = on all */
};
/*
 * A comma list of names: software, hardware, cache and tracepoint (group:name) events, rHEX, pmu/terms/; each may end
 * in modifiers (:u :k ...). pg_perf_events_check() judges the form alone, without looking at this machine. *out is
 * malloc'ed, released by pg_perf_events_free().
 */
int pg_perf_events_check(const char *list, struct pg_err *err);
int pg_perf_events_parse(const char *list, const char *root, struct pg_perf_event **out, size_t *n, struct pg_err *err);
void pg_perf_events_free(struct pg_perf_event *events, size_t n);

#endif
