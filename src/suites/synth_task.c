/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks from /proc as FORK and COMM records. */
#include "suites/synth.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH_BYTES 4200

bool pg_synth_passed_over(int sys)
{
	return sys == ENOENT || sys == ESRCH || sys == EACCES || sys == EPERM || sys == ENOTDIR;
}

int pg_synth_init(struct pg_synth *s, struct pg_err *err)
{
	s->text = malloc(PG_SYNTH_TEXT);
	s->record = calloc(1, sizeof(struct pg_synth_mmap2));
	return s->text && s->record ? 0 : pg_fail_nomem(err);
}

void pg_synth_release(struct pg_synth *s)
{
	free(s->text);
	free(s->record);
	s->text = NULL;
	s->record = NULL;
}

/* One /proc/.../status as text: 1 = there, 0 = passed over. */
static int read_status(struct pg_synth *s, const char *path, struct pg_err *err)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;
	int why;

	if (fd < 0)
		return pg_synth_passed_over(errno) ? 0 : pg_fail_sys(err, "cannot open %s", path);
	n = read(fd, s->text, PG_SYNTH_TEXT - 1);
	why = errno;
	close(fd);
	errno = why;
	if (n < 0)
		return pg_synth_passed_over(errno) ? 0 : pg_fail_sys(err, "cannot read %s", path);
	s->text[n] = '\0';
	return n > 0;
}

/* The text after "Key:\t" at the beginning of a line; NULL = no such line. */
static const char *field(const char *text, const char *key)
{
	const size_t len = strlen(key);

	while (text) {
		if (strncmp(text, key, len) == 0 && text[len] == ':')
			return text + len + 1 + strspn(text + len + 1, "\t ");
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return NULL;
}

static uint32_t number(const char *text, const char *key)
{
	const char *at = field(text, key);

	return at ? (uint32_t)strtoul(at, NULL, 10) : 0;
}

/* The kernel writes a newline in a name as \n and a backslash as \\. Returns the length without the end. */
static size_t copy_name(char *to, size_t room, const char *from)
{
	size_t n = 0;

	for (; *from && *from != '\n' && n + 1 < room; from++) {
		char c = *from;

		if (c == '\\' && (from[1] == '\\' || from[1] == 'n'))
			c = *++from == 'n' ? '\n' : '\\';
		to[n++] = c;
	}
	to[n] = '\0';
	return n;
}

static size_t round8(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

static void deliver_fork(struct pg_synth *s, uint32_t pid, uint32_t tid, uint32_t parent)
{
	struct pg_synth_fork *r = s->record;

	*r = (struct pg_synth_fork){
		.header = {.type = PERF_RECORD_FORK, .misc = PERF_RECORD_MISC_USER, .size = sizeof(*r)},
		.pid = pid,
		.tid = tid,
		/* A thread counts as made by the leader of its group. */
		.ppid = pid == tid ? parent : pid,
		.ptid = pid == tid ? parent : pid,
	};
	s->deliver(s->ctx, &r->header);
}

static void deliver_comm(struct pg_synth *s, uint32_t pid, uint32_t tid, const char *name)
{
	struct pg_synth_comm *r = s->record;
	size_t n;

	memset(r, 0, sizeof(*r));
	n = copy_name(r->comm, sizeof(r->comm), name);
	r->header = (struct perf_event_header){
		.type = PERF_RECORD_COMM,
		.misc = PERF_RECORD_MISC_USER,
		.size = (uint16_t)(offsetof(struct pg_synth_comm, comm) + round8(n + 1)),
	};
	r->pid = pid;
	r->tid = tid;
	s->deliver(s->ctx, &r->header);
}

/* Both records of the task whose status lies at `path`. */
static int task(struct pg_synth *s, const char *path, uint32_t tid, struct pg_err *err)
{
	const int r = read_status(s, path, err);
	const char *name;
	uint32_t tgid;

	if (r <= 0)
		return r;
	name = field(s->text, "Name");
	tgid = number(s->text, "Tgid");
	if (!name || tgid == 0)
		return pg_fail(err, PG_EFAILED, "%s says neither name nor thread group; is /proc mounted?", path);
	deliver_fork(s, tgid, tid, number(s->text, "PPid"));
	deliver_comm(s, tgid, tid, name);
	return 0;
}

int pg_synth_self(struct pg_synth *s, struct pg_err *err)
{
	char path[PATH_BYTES];
	uint32_t pid;
	int r;

	snprintf(path, sizeof(path), "%s/proc/self/status", s->root);
	r = read_status(s, path, err);
	if (r < 0)
		return -1;
	pid = r ? number(s->text, "Pid") : 0;
	if (pid == 0)
		return pg_fail(err, PG_EFAILED, "cannot find this process in %s; is /proc mounted?", path);
	snprintf(path, sizeof(path), "%s/proc/%u/status", s->root, pid);
	if (task(s, path, pid, err))
		return -1;
	snprintf(path, sizeof(path), "%s/proc/%u/task/%u/maps", s->root, pid, pid);
	return pg_synth_maps(s, path, (pid_t)pid, err);
}

static uint32_t number_of(const char *name)
{
	char *end;
	const unsigned long n = strtoul(name, &end, 10);

	return name[0] >= '1' && name[0] <= '9' && !*end && n <= INT32_MAX ? (uint32_t)n : 0;
}

int pg_synth_process(struct pg_synth *s, pid_t pid, struct pg_err *err)
{
	char path[PATH_BYTES];
	const struct dirent *e;
	uint32_t tid;
	int r = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/proc/%d/task", s->root, (int)pid);
	d = opendir(path);
	if (!d)
		return pg_synth_passed_over(errno) ? 0 : pg_fail_sys(err, "cannot list %s; mount /proc", path);
	while (r == 0 && (e = readdir(d))) {
		tid = number_of(e->d_name);
		if (tid == 0)
			continue;
		snprintf(path, sizeof(path), "%s/proc/%d/task/%u/status", s->root, (int)pid, tid);
		r = task(s, path, tid, err);
		if (r || tid != (uint32_t)pid)
			continue;
		snprintf(path, sizeof(path), "%s/proc/%d/maps", s->root, (int)pid);
		r = pg_synth_maps(s, path, pid, err);
	}
	closedir(d);
	return r;
}

int pg_synth_list(const char *root, pid_t **pids, size_t *room, size_t *n, struct pg_err *err)
{
	char path[PATH_BYTES];
	const struct dirent *e;
	int r = 0;
	DIR *d;

	snprintf(path, sizeof(path), "%s/proc", root);
	*n = 0;
	d = opendir(path);
	if (!d)
		return pg_fail_sys(err, "cannot list %s; mount /proc", path);
	while (r == 0 && (e = readdir(d))) {
		const uint32_t pid = number_of(e->d_name);

		if (pid && *n == *room) {
			const size_t more = *room ? 2 * *room : 1024;
			pid_t *grown = realloc(*pids, more * sizeof(**pids));

			if (!grown) {
				r = pg_fail_nomem(err);
				break;
			}
			*pids = grown;
			*room = more;
		}
		if (pid)
			(*pids)[(*n)++] = (pid_t)pid;
	}
	closedir(d);
	if (r == 0 && *n == 0)
		return pg_fail(err, PG_EFAILED, "no process below %s; is /proc mounted?", path);
	return r;
}
