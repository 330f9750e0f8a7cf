/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two tasks of sched/seccomp-notify. The filter traps gettid with one certain argument, which the call itself
 * passes over: gettid calls of libraries and tools in the same process go on as ever.
 */
#include "seccomp.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SECCOMP_IOCTL_NOTIF_SET_FLAGS /* Linux 6.6 */
#define SECCOMP_IOCTL_NOTIF_SET_FLAGS SECCOMP_IOW(4, __u64)
#endif
#ifndef SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP
#define SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP (1UL << 0)
#endif
#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define MARK	0x70677363u /* argument of the trapped calls */
#define ANSWER	INT_MAX
#define LOOK_NS 100000000 /* how often a supervisor that waits looks for the death of its caller */
#define NO_SYNC 200	  /* exit status beyond all errno values */

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define LOW_WORD 0
#else
#define LOW_WORD 4
#endif

/* For the calling task alone, as long as it lives: returns the listener, -1 with errno. */
static int install_filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_gettid, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0]) + LOW_WORD),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, MARK, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = {.len = sizeof(code) / sizeof(code[0]), .filter = code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &filter);
}

static int set_sync(int listener)
{
	return ioctl(listener, SECCOMP_IOCTL_NOTIF_SET_FLAGS, SECCOMP_USER_NOTIF_FD_SYNC_WAKE_UP);
}

int pg_seccomp_sizes(size_t *request, size_t *response, struct pg_err *err)
{
	struct seccomp_notif_sizes sizes = {0, 0, 0};

	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes))
		return pg_fail(
			err, PG_EUNSUPPORTED,
			"this kernel has no seccomp notifications (Linux 5.0, CONFIG_SECCOMP_FILTER): %s; run it "
			"on another kernel, or where a container allows seccomp",
			strerror(errno));
	*request =
		sizes.seccomp_notif > sizeof(struct seccomp_notif) ? sizes.seccomp_notif : sizeof(struct seccomp_notif);
	*response = sizes.seccomp_notif_resp > sizeof(struct seccomp_notif_resp) ? sizes.seccomp_notif_resp
										 : sizeof(struct seccomp_notif_resp);
	return 0;
}

static int try_here(bool sync)
{
	const int listener = install_filter();

	if (listener < 0)
		return errno;
	return sync && set_sync(listener) ? NO_SYNC : 0;
}

int pg_seccomp_try(bool sync, struct pg_err *err)
{
	const pid_t pid = fork();
	int status;

	if (pid < 0)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "cannot try a seccomp filter in a process of its own: %s; lower "
			       "the number of tasks",
			       strerror(errno));
	if (pid == 0)
		pg_exit_child(try_here(sync));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return pg_fail(err, PG_EUNSUPPORTED,
				       "cannot wait for the trial of a seccomp filter: %s; do not ignore SIGCHLD",
				       strerror(errno));
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == NO_SYNC)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "sync_wakeup needs Linux 6.6, this kernel knows no such flag; use sync_wakeup: false");
	if (WIFEXITED(status) && WEXITSTATUS(status) == EBUSY)
		return pg_fail(err, PG_EUNSUPPORTED,
			       "a seccomp listener watches this process already; run it outside of that container");
	return pg_fail(err, PG_EUNSUPPORTED,
		       "cannot install a seccomp filter with a listener: %s; run it where seccomp "
		       "is allowed",
		       WIFEXITED(status) ? strerror(WEXITSTATUS(status)) : "its process was killed");
}

union control { /* room for one descriptor, aligned */
	char bytes[CMSG_SPACE(sizeof(int))];
	struct cmsghdr align;
};

static int send_listener(int to, int listener)
{
	union control control;
	char byte = 'l';
	struct iovec io = {.iov_base = &byte, .iov_len = 1};
	struct msghdr m = {.msg_iov = &io, .msg_iovlen = 1, .msg_control = control.bytes};
	struct cmsghdr *c;

	memset(&control, 0, sizeof(control));
	m.msg_controllen = sizeof(control.bytes);
	c = CMSG_FIRSTHDR(&m);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &listener, sizeof(int));
	while (sendmsg(to, &m, 0) != 1)
		if (errno != EINTR)
			return -1;
	return 0;
}

static int receive_listener(struct pg_worker *w, struct pg_seccomp *s)
{
	union control control;
	char byte;
	struct iovec io = {.iov_base = &byte, .iov_len = 1};
	struct msghdr m;
	struct cmsghdr *c;
	ssize_t got;

	memset(&control, 0, sizeof(control));
	do {
		m = (struct msghdr){.msg_iov = &io, .msg_iovlen = 1, .msg_control = control.bytes};
		m.msg_controllen = sizeof(control.bytes);
		got = recvmsg(s->link[1], &m, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	if (got < 0)
		return pg_worker_fail_sys(w, "cannot receive the listener");
	if (got == 0)
		return pg_worker_lost_peer(w, "the caller ended before it had a listener");
	c = CMSG_FIRSTHDR(&m);
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return pg_worker_fail(w, "the listener did not arrive; raise the limit of descriptors");
	memcpy(&s->listener, CMSG_DATA(c), sizeof(int));
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

int pg_seccomp_caller(struct pg_worker *w, void *arg)
{
	struct pg_seccomp *s = arg;
	int listener, r;

	close_fd(&s->link[1]);
	listener = install_filter();
	if (listener < 0)
		return pg_worker_fail_sys(
			w, "cannot create a notification descriptor; measure outside of other seccomp supervisors");
	r = send_listener(s->link[0], listener);
	close_fd(&listener);
	if (r)
		return pg_worker_fail_sys(w, "cannot hand the listener over");
	pg_worker_ready(w);
	if (pg_worker_hold(w))
		return -1;
	for (w->slot->count = 0; w->slot->count < s->conf->loops; w->slot->count++) {
		const long answer = syscall(SYS_gettid, MARK);

		if (answer != ANSWER)
			return pg_worker_fail(w, "call %" PRIu64 " was answered %ld, not by the supervisor",
					      w->slot->count + 1, answer);
	}
	return 0;
}

/*
 * Kernels before 6.11 let a supervisor wait for ever when its caller is gone: a timer interrupts the wait now and then.
 */
struct watch {
	timer_t timer;
	struct sigaction old;
	sigset_t old_mask;
	bool on;
};

static void interrupted(int sig)
{
	(void)sig;
}

static int watch_start(struct watch *watch)
{
	const struct itimerspec often = {.it_interval = {.tv_nsec = LOOK_NS}, .it_value = {.tv_nsec = LOOK_NS}};
	const struct sigaction sa = {.sa_handler = interrupted};
	struct sigevent ev;
	sigset_t alarm;

	memset(&ev, 0, sizeof(ev));
	ev.sigev_notify = SIGEV_THREAD_ID;
	ev.sigev_signo = SIGALRM;
	ev.sigev_notify_thread_id = (pid_t)syscall(SYS_gettid);
	if (timer_create(CLOCK_MONOTONIC, &ev, &watch->timer))
		return -1;
	sigemptyset(&alarm);
	sigaddset(&alarm, SIGALRM);
	sigaction(SIGALRM, &sa, &watch->old);
	sigprocmask(SIG_UNBLOCK, &alarm, &watch->old_mask);
	watch->on = true;
	return timer_settime(watch->timer, 0, &often, NULL);
}

static void watch_stop(struct watch *watch)
{
	if (!watch->on)
		return;
	timer_delete(watch->timer);
	sigprocmask(SIG_SETMASK, &watch->old_mask, NULL);
	sigaction(SIGALRM, &watch->old, NULL);
}

/* An ioctl did not do its work. 0 = once more; -1 = failed, or the caller is gone. ENOENT: so is the notification. */
static int look_closer(struct pg_worker *w, const char *what)
{
	if (errno != EINTR && errno != ENOENT)
		return pg_worker_fail_sys(w, "cannot %s a notification", what);
	return pg_crew_check(w->crew, NULL);
}

/* 1 = answered; 0 = nothing to answer any more; -1 = failed. */
static int answer_one(struct pg_worker *w, const struct pg_seccomp *s)
{
	struct seccomp_notif *request = s->request;
	struct seccomp_notif_resp *response = s->response;

	memset(request, 0, s->request_bytes);
	if (ioctl(s->listener, SECCOMP_IOCTL_NOTIF_RECV, request))
		return look_closer(w, "receive");
	if (request->data.nr != SYS_gettid)
		return pg_worker_fail(w, "system call %d was trapped, not gettid", request->data.nr);
	response->id = request->id;
	response->error = 0;
	response->val = ANSWER;
	response->flags = 0;
	while (ioctl(s->listener, SECCOMP_IOCTL_NOTIF_SEND, response)) {
		const bool gone = errno == ENOENT;

		if (look_closer(w, "answer"))
			return -1;
		if (gone)
			return 0;
	}
	return 1;
}

static int answer_all(struct pg_worker *w, const struct pg_seccomp *s)
{
	const uint64_t loops = s->conf->loops;
	uint64_t count = 0;

	w->slot->start_ns = pg_now_ns();
	while (count < loops) {
		const int r = answer_one(w, s);

		if (r < 0)
			return -1;
		count += (uint64_t)r;
	}
	w->slot->end_ns = pg_now_ns();
	w->slot->count = count;
	return 0;
}

int pg_seccomp_supervisor(struct pg_worker *w, void *arg)
{
	struct pg_seccomp *s = arg;
	struct watch watch = {.on = false};
	int r = -1;

	if (receive_listener(w, s))
		return -1;
	if (s->conf->sync_wakeup && set_sync(s->listener))
		return pg_worker_fail_sys(w, "cannot set the flag of sync_wakeup; use sync_wakeup: false");
	if (watch_start(&watch))
		pg_worker_fail_sys(w, "cannot set a timer");
	else {
		pg_worker_ready(w);
		r = pg_worker_hold(w) ? -1 : answer_all(w, s);
	}
	watch_stop(&watch);
	return r;
}
