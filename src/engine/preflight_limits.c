/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What this process may use: limits of the process, the user, the machine, and its control groups of both versions.
 */
#include "engine/preflight.h"

#include <dirent.h>
#include <limits.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/err.h"
#include "base/num.h"
#include "base/topo.h"
#include "engine/cgroup.h"

#define PIPE_PAGES    16  /* of a pipe of default size */
#define RESERVED_PIDS 300 /* numbers that the kernel does not give out again after it has gone round */

/* First number in a small file; fallback where there is none ("max"). */
static uint64_t number_in(const char *root, const char *file, uint64_t fallback)
{
	char path[PATH_MAX], text[256];
	uint64_t v;

	snprintf(path, sizeof(path), "%s%s", root, file);
	if (pg_read_small(path, text, sizeof(text)) < 0)
		return fallback;
	return pg_parse_u64(text, strspn(text, "0123456789"), &v) == PG_NUM_OK ? v : fallback;
}

/* Tasks alive on the machine: "0.1 0.2 0.3 2/345 678". */
static uint64_t tasks_alive(const char *root)
{
	char path[PATH_MAX], text[256];
	const char *slash;
	uint64_t v;

	snprintf(path, sizeof(path), "%s/proc/loadavg", root);
	if (pg_read_small(path, text, sizeof(text)) < 0)
		return 0;
	slash = strchr(text, '/');
	return slash && pg_parse_u64(slash + 1, strspn(slash + 1, "0123456789"), &v) == PG_NUM_OK ? v : 0;
}

/* Tasks of this user: a task directory has two links more than the process has threads. */
static uint64_t tasks_of_user(const char *root)
{
	char path[PATH_MAX];
	uint64_t n = 0;
	struct dirent *e;
	DIR *d;

	snprintf(path, sizeof(path), "%s/proc", root);
	d = opendir(path);
	while (d && (e = readdir(d))) {
		struct stat st;

		if (e->d_name[0] < '1' || e->d_name[0] > '9')
			continue;
		snprintf(path, sizeof(path), "%s/proc/%s/task", root, e->d_name);
		if (stat(path, &st) == 0 && st.st_uid == getuid() && st.st_nlink > 2)
			n += st.st_nlink - 2;
	}
	if (d)
		closedir(d);
	return n;
}

static uint64_t less(uint64_t limit, uint64_t used)
{
	return limit > used ? limit - used : 1; /* 0 means unlimited */
}

static void take_least(struct pg_limits *out, uint64_t left, const char *name)
{
	if (out->tasks != 0 && out->tasks <= left)
		return;
	out->tasks = left;
	out->tasks_by = name;
}

static void take_group(struct pg_limits *out, const struct pg_cgroup_place *place)
{
	uint64_t left = pg_cgroup_limit(place, "pids.max", "pids.current");

	if (left != UINT64_MAX)
		take_least(out, less(left, 0), "the cgroup's pids.max");
}

/*
 * Does the kernel pass over RLIMIT_NPROC for this process? It does so for the machine's own root, which the root of a
 * user namespace is not, and for CAP_SYS_RESOURCE or CAP_SYS_ADMIN outside of any.
 */
static bool is_exempt(const char *root, bool resource_caps)
{
	char path[PATH_MAX], text[256];
	unsigned long inside = 0, outside = 0, n = UINT32_MAX;

	snprintf(path, sizeof(path), "%s/proc/self/uid_map", root);
	if (pg_read_small(path, text, sizeof(text)) == 0 && sscanf(text, "%lu %lu %lu", &inside, &outside, &n) != 3)
		return false;
	if (inside != 0 || outside != 0)
		return false;
	return getuid() == 0 || (resource_caps && n == UINT32_MAX);
}

static void read_tasks(const char *root, bool resource_caps, struct pg_limits *out)
{
	uint64_t alive = tasks_alive(root), v;
	struct pg_cgroup_place place;
	struct rlimit l;

	v = number_in(root, "/proc/sys/kernel/pid_max", 0);
	if (v > 0)
		take_least(out, less(v, alive + RESERVED_PIDS), "kernel.pid_max");
	v = number_in(root, "/proc/sys/kernel/threads-max", 0);
	if (v > 0)
		take_least(out, less(v, alive), "kernel.threads-max");
	if (!is_exempt(root, resource_caps) && getrlimit(RLIMIT_NPROC, &l) == 0 && l.rlim_cur != RLIM_INFINITY)
		take_least(out, less(l.rlim_cur, tasks_of_user(root)), "RLIMIT_NPROC");
	if (pg_cgroup_locate(root, NULL, &place) == 0)
		take_group(out, &place);
	if (pg_cgroup_locate(root, "pids", &place) == 0)
		take_group(out, &place);
}

static uint64_t mem_available(const char *root)
{
	static const char key[] = "\nMemAvailable:";
	char path[PATH_MAX], text[8192], *p;

	snprintf(path, sizeof(path), "%s/proc/meminfo", root);
	if (pg_read_small(path, text, sizeof(text)) < 0)
		return UINT64_MAX;
	p = strstr(text, key);
	return p ? strtoull(p + sizeof(key) - 1, NULL, 10) * 1024 : UINT64_MAX;
}

static void read_memory(const char *root, struct pg_limits *out)
{
	uint64_t least = mem_available(root), v;
	struct pg_cgroup_place place;

	if (pg_cgroup_locate(root, NULL, &place) == 0) {
		v = pg_cgroup_limit(&place, "memory.max", NULL);
		least = v < least ? v : least;
	}
	if (pg_cgroup_locate(root, "memory", &place) == 0) {
		v = pg_cgroup_limit(&place, "memory.limit_in_bytes", NULL);
		least = v < least ? v : least;
	}
	out->memory = least == UINT64_MAX ? 0 : least / 5 * 4;
}

static bool has_cap(const struct __user_cap_data_struct *data, unsigned cap)
{
	return data[cap / 32].effective >> cap % 32 & 1;
}

static unsigned read_caps(bool *pipes_free, bool *privileged)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct data[2] = {{0, 0, 0}, {0, 0, 0}};
	unsigned caps = 0;
	bool admin;

	if (syscall(SYS_capget, &header, data) < 0)
		return 0;
	admin = has_cap(data, CAP_SYS_ADMIN);
	if (has_cap(data, CAP_SYS_NICE))
		caps |= PG_CAP_NICE;
	if (admin)
		caps |= PG_CAP_ADMIN;
	if (admin || has_cap(data, 38 /* CAP_PERFMON */))
		caps |= PG_CAP_PERFMON;
	if (admin || has_cap(data, 39 /* CAP_BPF */))
		caps |= PG_CAP_BPF;
	*privileged = admin;
	*pipes_free = admin || has_cap(data, CAP_SYS_RESOURCE);
	return caps;
}

int pg_limits_read(const char *root, const struct pg_topo *topo, struct pg_limits *out, struct pg_err *err)
{
	bool pipes_free = false, privileged = false;
	struct rlimit l;

	memset(out, 0, sizeof(*out));
	if (getrlimit(RLIMIT_NOFILE, &l) < 0)
		return pg_fail_sys(err, "cannot read the limit of descriptors");
	out->descriptors = l.rlim_cur == RLIM_INFINITY ? 0 : l.rlim_cur;
	out->caps = read_caps(&pipes_free, &privileged);
	read_tasks(root, pipes_free, out);
	read_memory(root, out);
	if (!pipes_free)
		out->pipes_soft = number_in(root, "/proc/sys/fs/pipe-user-pages-soft", 0) / PIPE_PAGES;
	out->nice_least = getpriority(PRIO_PROCESS, 0);
	if (getrlimit(RLIMIT_NICE, &l) == 0 && 20 - (int)(l.rlim_cur < 40 ? l.rlim_cur : 40) < out->nice_least)
		out->nice_least = 20 - (int)(l.rlim_cur < 40 ? l.rlim_cur : 40);
	if (getrlimit(RLIMIT_RTPRIO, &l) == 0)
		out->rt_priority = l.rlim_cur < 99 ? (unsigned)l.rlim_cur : 99;
	out->env = (struct pg_probe_env){.root = root, .topo = topo, .privileged = privileged};
	return 0;
}
