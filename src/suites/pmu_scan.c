/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * internals/pmu-scan: the PMUs of /sys/bus/event_source/devices found and read anew (perf bench internals pmu-scan).
 * One scan forgets what it knew, lists the folder and reads of every PMU its type, CPUs, capabilities and formats.
 * Timed: all scans. Not timed: counting the names of events (which the ancestor also reads only when it needs them),
 * and the comparison with a first scan. Differs from the ancestor: core PMUs alone and all PMUs are two cells instead
 * of two runs mixed in one mean, and a scan that finds something else than the first fails the rep.
 */
#include "perf_event.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern const struct pg_bench pg_internals_pmu_scan;

enum { PMUS_EVERY, PMUS_CORE };

struct conf {
	uint64_t loops;
	int pmus;
};

struct pmu {
	char name[128];
	uint32_t type;
	struct pg_cpuset cpus;
	struct pg_pmu_format *formats;
	size_t n_formats;
	size_t n_caps;
};

struct counts {
	size_t pmus, caps, formats;
};

struct scan {
	const struct conf *conf;
	char devices[4096]; /* path */
	struct pmu *pmus;
	size_t n, cap;
	struct counts first;
	size_t first_events;
};

static const struct pg_choice pmus[] = {
	[PMUS_EVERY] = {"every", "all PMUs"},
	[PMUS_CORE] = {"core", "those of the CPUs: named `cpu`, or with a file `cpus`"},
	{NULL, NULL},
};

static const struct pg_param params[] = {
	PG_ROW_LOOPS(struct conf, loops, "scans", "100", "auto", 'i'),
	{
		.name = "pmus",
		.doc = "which PMUs are read",
		.def = "every",
		.choices = pmus,
		PG_AT_ENUM(struct conf, pmus),
	},
	{.name = NULL},
};

enum { M_TIME_PER_OP, M_PMUS_FOUND, M_OPERATIONS, M_TOTAL };

static const struct pg_metric metrics[] = {
	[M_TIME_PER_OP] =
		PG_ROW_RATIO("time_per_op", "one scan, mean", PG_U_S, PG_LOWER, M_TOTAL, M_OPERATIONS, PG_M_MAIN),
	[M_PMUS_FOUND] = PG_ROW_RAW("pmus_found", "PMUs of one scan", PG_U_COUNT, PG_NEITHER, PG_SUM, 0),
	[M_OPERATIONS] = PG_ROW_HIDDEN("operations", "scans made", PG_U_COUNT, PG_SUM, PG_M_GROWS),
	[M_TOTAL] = PG_ROW_HIDDEN("op_total", "all scans", PG_U_S, PG_SUM, PG_M_GROWS),
	{.name = NULL},
};

static void forget(struct scan *s)
{
	for (size_t i = 0; i < s->n; i++) {
		pg_cpuset_release(&s->pmus[i].cpus);
		free(s->pmus[i].formats);
	}
	free(s->pmus);
	s->pmus = NULL;
	s->n = s->cap = 0;
}

/* The text of dir/name: its length, -1 = none. */
static ssize_t read_at(int dir, const char *name, char *buf, size_t n)
{
	const int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return -1;
	got = read(fd, buf, n - 1);
	close(fd);
	if (got > 0 && buf[got - 1] == '\n')
		got--;
	if (got >= 0)
		buf[got] = '\0';
	return got;
}

/* A folder below the PMU's, NULL = it has none. */
static DIR *folder_of(int dir, const char *name)
{
	const int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d && fd >= 0)
		close(fd);
	return d;
}

static int read_formats(struct pmu *p, int dir, struct pg_err *err)
{
	DIR *d = folder_of(dir, "format");
	struct dirent *e;
	char text[256];
	size_t cap = 0;

	while (d && (e = readdir(d))) {
		struct pg_pmu_format f;

		if (e->d_name[0] == '.' || read_at(dirfd(d), e->d_name, text, sizeof(text)) <= 0 ||
		    pg_pmu_format_parse(text, &f))
			continue;
		if (p->n_formats == cap) {
			struct pg_pmu_format *more = realloc(p->formats, (cap += 16) * sizeof(*more));

			if (!more) {
				closedir(d);
				return pg_fail_nomem(err);
			}
			p->formats = more;
		}
		p->formats[p->n_formats++] = f;
	}
	if (d)
		closedir(d);
	return 0;
}

static void read_caps(struct pmu *p, int dir)
{
	DIR *d = folder_of(dir, "caps");
	struct dirent *e;
	char text[256];

	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.' && read_at(dirfd(d), e->d_name, text, sizeof(text)) >= 0)
			p->n_caps++;
	if (d)
		closedir(d);
}

static int read_pmu(struct scan *s, int dir, const char *name, struct pg_err *err)
{
	static const char *const cpu_files[] = {"cpumask", "cpus"};
	struct pmu p = {.n_caps = 0};
	char text[4096], *end;
	size_t pos;

	snprintf(p.name, sizeof(p.name), "%s", name);
	if (read_at(dir, "type", text, sizeof(text)) <= 0)
		return 0; /* gone meanwhile, or no PMU */
	p.type = (uint32_t)strtoul(text, &end, 10);
	for (size_t i = 0; i < 2; i++) {
		const ssize_t n = read_at(dir, cpu_files[i], text, sizeof(text));

		if (n > 0 && pg_cpulist_parse(text, (size_t)n, &p.cpus, &pos, err))
			return -1;
		if (n > 0)
			break;
	}
	read_caps(&p, dir);
	if (read_formats(&p, dir, err) == 0) {
		if (s->n == s->cap) {
			const size_t cap = s->cap + 16;
			struct pmu *more = realloc(s->pmus, cap * sizeof(*more));

			if (more) {
				s->pmus = more;
				s->cap = cap;
			}
		}
		if (s->n < s->cap) {
			s->pmus[s->n++] = p;
			return 0;
		}
		pg_fail_nomem(err);
	}
	pg_cpuset_release(&p.cpus);
	free(p.formats);
	return -1;
}

static bool is_core(int dir, const char *name)
{
	return strcmp(name, "cpu") == 0 || faccessat(dir, "cpus", F_OK, 0) == 0;
}

static int scan_once(struct scan *s, struct pg_err *err)
{
	DIR *d = opendir(s->devices);
	struct dirent *e;
	int r = 0;

	forget(s);
	if (!d)
		return pg_fail_sys(err, "cannot read %s; mount sysfs", s->devices);
	while (r == 0 && (e = readdir(d))) {
		int dir;

		if (e->d_name[0] == '.')
			continue;
		dir = openat(dirfd(d), e->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (dir < 0)
			continue;
		if (s->conf->pmus == PMUS_EVERY || is_core(dir, e->d_name))
			r = read_pmu(s, dir, e->d_name, err);
		close(dir);
	}
	closedir(d);
	return r;
}

static struct counts count(const struct scan *s)
{
	struct counts c = {.pmus = s->n};

	for (size_t i = 0; i < s->n; i++) {
		c.caps += s->pmus[i].n_caps;
		c.formats += s->pmus[i].n_formats;
	}
	return c;
}

static size_t count_events(const struct scan *s)
{
	char path[sizeof(s->devices) + 160];
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		DIR *d;
		struct dirent *e;

		snprintf(path, sizeof(path), "%s/%s/events", s->devices, s->pmus[i].name);
		d = opendir(path);
		while (d && (e = readdir(d)))
			n += e->d_name[0] != '.';
		if (d)
			closedir(d);
	}
	return n;
}

static int open_scan(struct scan *s, const void *conf, const char *root, struct pg_err *err)
{
	s->conf = conf;
	if ((size_t)snprintf(s->devices, sizeof(s->devices), "%s" PG_PERF_DEVICES, root) >= sizeof(s->devices))
		return pg_fail(err, PG_EINPUT, "the root path is too long; use one of less than 4000 bytes");
	return 0;
}

static int scan_probe(const void *vconf, const struct pg_probe_env *env, struct pg_need *need, struct pg_err *err)
{
	struct scan s = {.n = 0};
	int r = open_scan(&s, vconf, env->root, err);

	need->descriptors = 4;
	if (r == 0 && access(s.devices, R_OK | X_OK))
		r = pg_fail(err, PG_EUNSUPPORTED,
			    "no " PG_PERF_DEVICES "; mount sysfs, or use a kernel with CONFIG_PERF_EVENTS");
	else if (r == 0)
		r = scan_once(&s, err);
	if (r == 0 && s.n == 0)
		r = pg_fail(err, PG_EUNSUPPORTED, "no %sPMU in " PG_PERF_DEVICES "; %s",
			    s.conf->pmus == PMUS_CORE ? "core " : "",
			    s.conf->pmus == PMUS_CORE ? "set pmus: every, or give a guest its counters (a virtual PMU)"
						      : "mount sysfs, or use a kernel with CONFIG_PERF_EVENTS");
	forget(&s);
	return r;
}

static int scan_setup(struct pg_run *run, struct pg_err *err)
{
	struct scan *s = calloc(1, sizeof(*s));

	run->state = s;
	if (!s)
		return pg_fail_nomem(err);
	if (open_scan(s, run->conf, run->root, err) || scan_once(s, err))
		return -1;
	s->first = count(s);
	s->first_events = count_events(s);
	return 0;
}

static bool differs(const struct scan *s)
{
	const struct counts c = count(s);

	return c.pmus != s->first.pmus || c.caps != s->first.caps || c.formats != s->first.formats;
}

static int scan_run(struct pg_run *run, struct pg_err *err)
{
	struct scan *s = run->state;
	uint64_t different = 0;
	int64_t start, total;
	size_t events;

	start = pg_now_ns();
	for (uint64_t i = 0; i < s->conf->loops; i++) {
		if (scan_once(s, err))
			return -1;
		different += differs(s); /* a few sums: nothing beside the files read */
	}
	total = pg_since(pg_now_ns(), start);
	events = count_events(s);
	if (different > 0 || events != s->first_events)
		return pg_fail(err, PG_EFAILED,
			       "%llu scans found other PMUs, capabilities or formats than the first (%zu, %zu, %zu), "
			       "the last %zu events instead of %zu; measure while no PMU comes or goes",
			       (unsigned long long)different, s->first.pmus, s->first.caps, s->first.formats, events,
			       s->first_events);
	run->timed_ns = total;
	pg_record(run, M_TOTAL, total);
	pg_record(run, M_OPERATIONS, (int64_t)s->conf->loops);
	pg_record(run, M_PMUS_FOUND, (int64_t)s->n);
	return 0;
}

static void scan_teardown(struct pg_run *run)
{
	struct scan *s = run->state;

	if (!s)
		return;
	forget(s);
	free(s);
	run->state = NULL;
}

const struct pg_bench pg_internals_pmu_scan = {
	.name = "internals/pmu-scan",
	.summary = "the PMUs of /sys found and read",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct conf),
	.probe = scan_probe,
	.tries = true,
	.setup = scan_setup,
	.once = scan_run,
	.teardown = scan_teardown,
};
