/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a rep of noop prints, touches and leaves behind, for tests of the engine that has to clean up after it. */
#include "noop.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

bool pg_noop_leaves_traces(const struct pg_noop_conf *conf)
{
	return conf->output || conf->grandchild || conf->leaked_descriptors || conf->leaked_threads ||
	       conf->touch_size || conf->ignore_signals;
}

/* Exactly n bytes, in lines of 64. */
static int print(int fd, uint64_t n, struct pg_err *err)
{
	static const char line[] = "noop says nothing in a line of sixty-four bytes, over and over.\n";
	char block[64 * 64];

	for (size_t i = 0; i < sizeof(block); i += 64)
		memcpy(block + i, line, 64);
	for (uint64_t done = 0; done < n;) {
		const size_t at = done % 64, room = sizeof(block) - at;
		const ssize_t got = write(fd, block + at, n - done < room ? n - done : room);

		if (got < 0 && errno != EINTR)
			return pg_fail_sys(err, "cannot print %" PRIu64 " bytes", n);
		if (got > 0)
			done += (uint64_t)got;
	}
	return 0;
}

static void stay(void)
{
	for (;;)
		pause();
}

static int leave_grandchild(int kind, struct pg_err *err)
{
	const pid_t pid = fork();
	int status;

	if (pid < 0)
		return pg_fail_sys(err, "cannot leave a process");
	if (pid > 0) {
		if (kind != PG_NOOP_DOUBLE_FORK)
			return 0;
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		return status == 0 ? 0 : pg_fail(err, PG_EFAILED, "cannot leave a process");
	}
	if (kind == PG_NOOP_NEW_SESSION)
		setsid();
	if (kind == PG_NOOP_DOUBLE_FORK) {
		const pid_t second = fork();

		if (second != 0)
			pg_exit_child(second < 0);
	}
	stay();
	return 0;
}

static int leak_descriptors(uint64_t n, struct pg_err *err)
{
	for (uint64_t i = 0; i < n; i++)
		if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
			return pg_fail_sys(err,
					   "could leak %" PRIu64 " of %" PRIu64
					   " descriptors; raise the limit of open files (ulimit -n)",
					   i, n);
	return 0;
}

static void *thread_stay(void *arg)
{
	stay();
	return arg;
}

static int leak_threads(uint64_t n, struct pg_err *err)
{
	pthread_attr_t attr;
	pthread_t id;
	uint64_t i = 0;
	int e = pthread_attr_init(&attr);

	if (e == 0) {
		pthread_attr_setstacksize(&attr, pg_crew_stack_bytes(0));
		pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
		for (; e == 0 && i < n; i += e == 0)
			e = pthread_create(&id, &attr, thread_stay, NULL);
		pthread_attr_destroy(&attr);
	}
	errno = e;
	return e ? pg_fail_sys(err,
			       "could start %" PRIu64 " of %" PRIu64
			       " threads; raise the limit of processes (ulimit -u, pids.max of the cgroup)",
			       i, n)
		 : 0;
}

static int touch(struct pg_noop *n, uint64_t bytes, struct pg_err *err)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return pg_fail_sys(err, "cannot map %" PRIu64 " bytes; take fewer", bytes);
	n->touched = p;
	n->touched_bytes = bytes;
	for (uint64_t i = 0; i < bytes; i += page)
		((volatile char *)p)[i] = 1;
	return 0;
}

int pg_noop_leave_traces(const struct pg_noop_conf *conf, struct pg_noop *n, struct pg_err *err)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};

	if (conf->ignore_signals) {
		sigaction(SIGTERM, &ignore, &n->old_term);
		sigaction(SIGINT, &ignore, &n->old_int);
		n->ignoring = true;
	}
	if (conf->output && conf->output_stream != PG_NOOP_STDERR && print(STDOUT_FILENO, conf->output, err))
		return -1;
	if (conf->output && conf->output_stream != PG_NOOP_STDOUT && print(STDERR_FILENO, conf->output, err))
		return -1;
	if (conf->grandchild && leave_grandchild(conf->grandchild, err))
		return -1;
	if (leak_descriptors(conf->leaked_descriptors, err))
		return -1;
	if (conf->leaked_threads && leak_threads(conf->leaked_threads, err))
		return -1;
	return conf->touch_size ? touch(n, conf->touch_size, err) : 0;
}

void pg_noop_remove_traces(struct pg_noop *n)
{
	if (n->touched)
		munmap(n->touched, n->touched_bytes);
	if (n->ignoring) {
		sigaction(SIGTERM, &n->old_term, NULL);
		sigaction(SIGINT, &n->old_int, NULL);
	}
}
