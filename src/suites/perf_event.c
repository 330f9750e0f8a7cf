/* SPDX-License-Identifier: GPL-2.0-or-later */
/* perf_event_open(2), who may use it, and the small files that tell about it. */
#include "perf_event.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif
/* <sys/mount.h> and <linux/mount.h> cannot be included together everywhere. */
#define TRACEFS_CLOEXEC 1 /* FSOPEN_CLOEXEC, FSMOUNT_CLOEXEC */
#define TRACEFS_CREATE	6 /* FSCONFIG_CMD_CREATE */

int pg_perf_open(const struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

static bool has_cap(unsigned cap)
{
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[2] = {{0}};

	return syscall(SYS_capget, &head, caps) == 0 && caps[cap / 32].effective & (1u << cap % 32);
}

bool pg_perf_may_watch(void)
{
	return has_cap(CAP_PERFMON) || has_cap(CAP_SYS_ADMIN);
}

bool pg_perf_may_load(void)
{
	return has_cap(CAP_SYS_ADMIN) || (has_cap(CAP_BPF) && has_cap(CAP_PERFMON));
}

bool pg_perf_may_lock(void)
{
	return has_cap(CAP_IPC_LOCK);
}

ssize_t pg_perf_read(const char *root, const char *dir, const char *name, char *buf, size_t n)
{
	char path[4096];
	ssize_t got;
	int fd;

	if ((size_t)snprintf(path, sizeof(path), "%s%s/%s", root, dir, name) >= sizeof(path))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	got = read(fd, buf, n - 1);
	close(fd);
	if (got < 0)
		return -1;
	if (got > 0 && buf[got - 1] == '\n')
		got--;
	buf[got] = '\0';
	return got;
}

int64_t pg_perf_sysctl(const char *root, const char *name, int64_t missing)
{
	char text[32], *end;
	long long v;

	if (pg_perf_read(root, "/proc/sys/kernel", name, text, sizeof(text)) <= 0)
		return missing;
	v = strtoll(text, &end, 10);
	return end == text ? missing : v;
}

static int mounted_tracefs(const char *root)
{
	static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
	char path[4096];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int fd;

		if ((size_t)snprintf(path, sizeof(path), "%s%s", root, places[i]) >= sizeof(path))
			continue;
		fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd >= 0 && faccessat(fd, "events", X_OK, 0) == 0)
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -1;
}

int pg_perf_open_tracefs(const char *root)
{
	int fd = mounted_tracefs(root);

#ifdef SYS_fsopen
	if (fd < 0 && !*root) {
		const int fs = (int)syscall(SYS_fsopen, "tracefs", TRACEFS_CLOEXEC);

		if (fs >= 0 && syscall(SYS_fsconfig, fs, TRACEFS_CREATE, NULL, NULL, 0) == 0)
			fd = (int)syscall(SYS_fsmount, fs, TRACEFS_CLOEXEC, 0);
		if (fs >= 0)
			close(fs);
	}
#endif
	return fd;
}
