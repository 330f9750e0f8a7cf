/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "engine/guards.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/cgroup.h"
#include "model/result.h"

enum { STAT, PSI_CPU, PSI_MEM, PSI_IO, CPU_STAT };

#define NS_PER_TICK 10000000 /* USER_HZ is 100 on every architecture */

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

void pg_guards_open(struct pg_guards *g, const char *root)
{
	g->fd[STAT] = open_below(root, "/proc/stat");
	g->fd[PSI_CPU] = open_below(root, "/proc/pressure/cpu");
	g->fd[PSI_MEM] = open_below(root, "/proc/pressure/memory");
	g->fd[PSI_IO] = open_below(root, "/proc/pressure/io");
	g->fd[CPU_STAT] = open_own_group(root);
}

void pg_guards_close(struct pg_guards *g)
{
	for (int i = 0; i < PG_GUARD_FILES; i++) {
		if (g->fd[i] >= 0)
			close(g->fd[i]);
		g->fd[i] = -1;
	}
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

/* "cpu  user nice system idle iowait irq softirq steal ..." */
static void read_stat(const char *text, struct pg_reading *out)
{
	long long v[8];
	const char *p = text + 3;

	if (strncmp(text, "cpu ", 4) != 0)
		return;
	for (int i = 0; i < 8; i++) {
		char *end;

		v[i] = strtoll(p, &end, 10);
		if (end == p)
			return;
		p = end;
	}
	out->busy = v[0] + v[1] + v[2] + v[5] + v[6];
	out->steal = v[7];
}

static int64_t throttled(const char *text)
{
	int64_t us = number_after(text, "throttled_usec "), ns;

	if (us != PG_FACT_ABSENT)
		return us;
	ns = number_after(text, "throttled_time "); /* v1 */
	return ns == PG_FACT_ABSENT ? ns : ns / 1000;
}

void pg_guards_read(const struct pg_guards *g, const char *group, struct pg_reading *out)
{
	char buf[1024], path[PG_CGROUP_PATH + 16];

	*out = (struct pg_reading){PG_FACT_ABSENT, PG_FACT_ABSENT, PG_FACT_ABSENT,
				   PG_FACT_ABSENT, PG_FACT_ABSENT, PG_FACT_ABSENT};
	if (start_of(g->fd[STAT], buf, sizeof(buf)))
		read_stat(buf, out);
	if (start_of(g->fd[PSI_CPU], buf, sizeof(buf)))
		out->psi_cpu = number_after(buf, "total="); /* the first line is `some` */
	if (start_of(g->fd[PSI_MEM], buf, sizeof(buf)))
		out->psi_mem = number_after(buf, "total=");
	if (start_of(g->fd[PSI_IO], buf, sizeof(buf)))
		out->psi_io = number_after(buf, "total=");
	if (group) {
		snprintf(path, sizeof(path), "%s/cpu.stat", group);
		if (pg_read_small(path, buf, sizeof(buf)) == 0)
			out->throttled = throttled(buf);
	} else if (start_of(g->fd[CPU_STAT], buf, sizeof(buf))) {
		out->throttled = throttled(buf);
	}
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
}
