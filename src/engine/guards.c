/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/guards.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/cpulist.h"
#include "base/topo.h"
#include "engine/cgroup.h"
#include "model/result.h"

enum { STAT, PSI_CPU, PSI_MEM, PSI_IO, CPU_STAT, INTERRUPTS, SOFTIRQS, VMSTAT };

#define NS_PER_TICK 10000000	       /* USER_HZ is 100 on every architecture */
#define TABLE_BYTES ((size_t)64 << 10) /* of a file; a larger table takes too long to make and to read */
#define COLUMNS	    4096

static int open_below(const char *root, const char *path)
{
	char full[PATH_MAX];

	snprintf(full, sizeof(full), "%s%s", root, path);
	return open(full, O_RDONLY | O_CLOEXEC);
}

/* The cgroup2 group where it has the cpu controller's figures, else v1's. */
static int open_own_group(const char *root)
{
	static const char *const controllers[] = {NULL, "cpu"};
	struct pg_cgroup_place place;
	char text[1024];

	for (int i = 0; i < 2; i++) {
		if (pg_cgroup_locate(root, controllers[i], &place) < 0)
			continue;
		strncat(place.own, "/cpu.stat", sizeof(place.own) - strlen(place.own) - 1);
		if (pg_read_small(place.own, text, sizeof(text)) == 0 && strstr(text, "throttled_"))
			return open(place.own, O_RDONLY | O_CLOEXEC);
	}
	return -1;
}

static void open_thermal(struct pg_guards *g, const char *root, unsigned cpu, const char *what)
{
	char path[128];
	int fd = -1;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%u/thermal_throttle/%s_throttle_count", cpu, what);
	if (g->n_thermal < PG_GUARD_THERMAL_FILES)
		fd = open_below(root, path);
	if (fd >= 0)
		g->thermal[g->n_thermal++] = fd;
}

/* Sockets first: where there are more cores than files, those tell most. */
static void open_thermals(struct pg_guards *g, const char *root, const struct pg_topo *topo)
{
	static const enum pg_domain domains[] = {PG_DOMAIN_SOCKET, PG_DOMAIN_CORE};
	static const char *const names[] = {"package", "core"};

	for (size_t d = 0; d < 2; d++) {
		for (size_t i = 0; i < topo->domain[domains[d]].n; i++) {
			int cpu = pg_cpuset_next(&topo->domain[domains[d]].sets[i], -1);

			if (cpu >= 0)
				open_thermal(g, root, (unsigned)cpu, names[d]);
		}
	}
}

void pg_guards_open(struct pg_guards *g, const char *root, const struct pg_topo *topo)
{
	*g = (struct pg_guards){.topo = topo};
	g->fd[STAT] = open_below(root, "/proc/stat");
	g->fd[PSI_CPU] = open_below(root, "/proc/pressure/cpu");
	g->fd[PSI_MEM] = open_below(root, "/proc/pressure/memory");
	g->fd[PSI_IO] = open_below(root, "/proc/pressure/io");
	g->fd[CPU_STAT] = open_own_group(root);
	g->fd[INTERRUPTS] = open_below(root, "/proc/interrupts");
	g->fd[SOFTIRQS] = open_below(root, "/proc/softirqs");
	g->fd[VMSTAT] = open_below(root, "/proc/vmstat");
	g->text = malloc(TABLE_BYTES);
	open_thermals(g, root, topo);
}

void pg_guards_close(struct pg_guards *g)
{
	for (int i = 0; i < PG_GUARD_FILES; i++) {
		if (g->fd[i] >= 0)
			close(g->fd[i]);
		g->fd[i] = -1;
	}
	for (size_t i = 0; i < g->n_thermal; i++)
		close(g->thermal[i]);
	g->n_thermal = 0;
	free(g->text);
	g->text = NULL;
}

/* The start of an open file, NUL-terminated; false = nothing. */
static bool start_of(int fd, char *buf, size_t n)
{
	ssize_t k = fd < 0 ? -1 : pread(fd, buf, n - 1, 0);

	buf[k > 0 ? k : 0] = '\0';
	return k > 0;
}

/* The number behind `key` at the start of a line or field. */
static int64_t number_after(const char *text, const char *key)
{
	const char *p = strstr(text, key);
	char *end;
	long long v;

	if (!p)
		return PG_FACT_ABSENT;
	p += strlen(key);
	v = strtoll(p, &end, 10);
	return end > p ? v : PG_FACT_ABSENT;
}

/* "user nice system idle iowait irq softirq steal ..." */
static bool add_ticks(const char *p, int64_t *busy, int64_t *steal)
{
	long long v[8];

	for (int i = 0; i < 8; i++) {
		char *end;

		v[i] = strtoll(p, &end, 10);
		if (end == p)
			return false;
		p = end;
	}
	*busy += v[0] + v[1] + v[2] + v[5] + v[6];
	*steal += v[7];
	return true;
}

/*
 * "cpu  sum of all\ncpu0 its ticks\ncpu1 ...\n", up to a line of another kind. Nothing where one of the set has no
 * line, as in a container that numbers its CPUs anew.
 */
static void read_stat(const char *text, const struct pg_cpuset *cpus, struct pg_reading *out)
{
	int64_t busy = 0, steal = 0;
	size_t found = 0;

	for (const char *p = text, *end; strncmp(p, "cpu", 3) == 0 && (end = strchr(p, '\n')); p = end + 1) {
		char *ticks;
		unsigned long cpu;

		if (p[3] < '0' || p[3] > '9')
			continue;
		cpu = strtoul(p + 3, &ticks, 10);
		if (cpu >= PG_CPU_MAX || !pg_cpuset_has(cpus, (unsigned)cpu))
			continue;
		if (!add_ticks(ticks, &busy, &steal))
			return;
		found++;
	}
	if (found == 0 || found < pg_cpuset_count(cpus))
		return;
	out->busy = busy;
	out->steal = steal;
}

static int64_t throttled(const char *text)
{
	int64_t us = number_after(text, "throttled_usec "), ns;

	if (us != PG_FACT_ABSENT)
		return us;
	ns = number_after(text, "throttled_time "); /* v1 */
	return ns == PG_FACT_ABSENT ? ns : ns / 1000;
}

/* All of an open file into g->text; false = it cannot be read. One that is too long is not asked again. */
static bool whole_table(struct pg_guards *g, int which)
{
	int fd = g->fd[which];
	size_t len = 0;
	ssize_t k = 0;

	while (g->text && fd >= 0 && len < TABLE_BYTES &&
	       (k = pread(fd, g->text + len, TABLE_BYTES - len, (off_t)len)) > 0)
		len += (size_t)k;
	if (len == TABLE_BYTES) {
		close(fd);
		g->fd[which] = -1;
		return false;
	}
	if (len == 0 || k < 0)
		return false;
	g->text[len] = '\0';
	return true;
}

/* Numbers of a row, those of the marked columns added up; false where it has none for each column, as "ERR:" has. */
static bool add_row(const char *p, const uint64_t *marked, size_t columns, int64_t *sum)
{
	int64_t mine = 0;

	for (size_t i = 0; i < columns; i++) {
		int64_t v = 0;

		p += strspn(p, " ");
		if (*p < '0' || *p > '9')
			return false;
		for (; *p >= '0' && *p <= '9'; p++)
			v = v * 10 + (*p - '0');
		if (marked[i / 64] >> i % 64 & 1)
			mine += v;
	}
	*sum += mine;
	return true;
}

/* "     CPU0  CPU1\n  0:  12  3  IO-APIC ...\n": what the CPUs of the set have had; PG_FACT_ABSENT = no such table. */
static int64_t sum_table(const char *text, const struct pg_cpuset *cpus)
{
	uint64_t marked[COLUMNS / 64] = {0};
	const char *p = text;
	int64_t sum = 0;
	size_t n = 0;
	bool any = false;

	for (; strncmp(p += strspn(p, " "), "CPU", 3) == 0 && n < COLUMNS; n++) {
		char *end;
		unsigned long cpu = strtoul(p + 3, &end, 10);

		if (cpu < PG_CPU_MAX && pg_cpuset_has(cpus, (unsigned)cpu))
			marked[n / 64] |= UINT64_C(1) << n % 64;
		p = end;
	}
	if (n == 0 || *p != '\n')
		return PG_FACT_ABSENT;
	while ((p = strchr(p, '\n')) && *++p) {
		size_t name = strcspn(p, ":\n");

		if (p[name] == ':')
			any |= add_row(p + name + 1, marked, n, &sum);
	}
	return any ? sum : PG_FACT_ABSENT;
}

static int64_t read_table(struct pg_guards *g, int which, const struct pg_cpuset *cpus)
{
	return whole_table(g, which) ? sum_table(g->text, cpus) : PG_FACT_ABSENT;
}

static int64_t read_thermal(const struct pg_guards *g)
{
	int64_t sum = PG_FACT_ABSENT, v;
	char buf[32];

	for (size_t i = 0; i < g->n_thermal; i++) {
		if (!start_of(g->thermal[i], buf, sizeof(buf)))
			continue;
		v = number_after(buf, "");
		if (v != PG_FACT_ABSENT)
			sum = sum == PG_FACT_ABSENT ? v : sum + v;
	}
	return sum;
}

static int64_t read_swapped(struct pg_guards *g)
{
	int64_t in, out;

	if (!whole_table(g, VMSTAT))
		return PG_FACT_ABSENT;
	in = number_after(g->text, "\npswpin ");
	out = number_after(g->text, "\npswpout ");
	return in == PG_FACT_ABSENT || out == PG_FACT_ABSENT ? PG_FACT_ABSENT : in + out;
}

static int64_t read_throttled(const struct pg_guards *g, const char *group)
{
	char buf[1024], path[PG_CGROUP_PATH + 16];

	if (!group)
		return start_of(g->fd[CPU_STAT], buf, sizeof(buf)) ? throttled(buf) : PG_FACT_ABSENT;
	snprintf(path, sizeof(path), "%s/cpu.stat", group);
	return pg_read_small(path, buf, sizeof(buf)) == 0 ? throttled(buf) : PG_FACT_ABSENT;
}

/* The first line is `some`. */
static int64_t read_pressure(int fd)
{
	char buf[256];

	return start_of(fd, buf, sizeof(buf)) ? number_after(buf, "total=") : PG_FACT_ABSENT;
}

void pg_guards_read(struct pg_guards *g, const char *group, const struct pg_cpuset *cpus, struct pg_reading *out)
{
	if (!cpus)
		cpus = &g->topo->allowed;
	out->thermal = read_thermal(g);
	out->interrupts = read_table(g, INTERRUPTS, cpus);
	out->softirqs = read_table(g, SOFTIRQS, cpus);
	out->swapped = read_swapped(g);
	out->throttled = read_throttled(g, group);
	out->psi_cpu = read_pressure(g->fd[PSI_CPU]);
	out->psi_mem = read_pressure(g->fd[PSI_MEM]);
	out->psi_io = read_pressure(g->fd[PSI_IO]);
	out->steal = out->busy = PG_FACT_ABSENT;
	if (g->text && start_of(g->fd[STAT], g->text, TABLE_BYTES))
		read_stat(g->text, cpus, out);
}

static int64_t difference(int64_t after, int64_t before)
{
	return after == PG_FACT_ABSENT || before == PG_FACT_ABSENT ? PG_FACT_ABSENT : pg_since(after, before);
}

void pg_guards_facts(const struct pg_reading *before, const struct pg_reading *after, int64_t own_ns, int64_t *facts)
{
	int64_t busy = difference(after->busy, before->busy);

	facts[PG_F_STEAL] = difference(after->steal, before->steal);
	facts[PG_F_OTHER_BUSY] =
		busy == PG_FACT_ABSENT ? busy : pg_since(busy, (own_ns + NS_PER_TICK / 2) / NS_PER_TICK);
	facts[PG_F_PSI_CPU] = difference(after->psi_cpu, before->psi_cpu);
	facts[PG_F_PSI_MEM] = difference(after->psi_mem, before->psi_mem);
	facts[PG_F_PSI_IO] = difference(after->psi_io, before->psi_io);
	facts[PG_F_THROTTLED] = difference(after->throttled, before->throttled);
	facts[PG_F_THERMAL] = difference(after->thermal, before->thermal);
	facts[PG_F_INTERRUPTS] = difference(after->interrupts, before->interrupts);
	facts[PG_F_SOFTIRQS] = difference(after->softirqs, before->softirqs);
	facts[PG_F_SWAPPED] = difference(after->swapped, before->swapped);
}
