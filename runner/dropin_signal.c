/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * INT and TERM of a drop-in. The handler only makes system calls: it may stand inside anything. Workers would die with
 * this process anyway (PR_SET_PDEATHSIG); here they are gone before it is.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "runner/dropin.h"

/* No child is made meanwhile: whoever forks blocks signals or is this very task. */
static void kill_children(void)
{
	const int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	char buf[4096];
	pid_t pid = 0;
	ssize_t n;

	if (fd < 0)
		return;
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		for (ssize_t i = 0; i < n; i++) {
			if (buf[i] >= '0' && buf[i] <= '9') {
				pid = pid * 10 + (buf[i] - '0');
			} else if (pid > 0) {
				kill(pid, SIGKILL);
				pid = 0;
			}
		}
	}
	close(fd);
	if (pid > 0)
		kill(pid, SIGKILL);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

static void add(char *line, size_t *n, const char *s)
{
	const size_t len = strlen(s);

	memcpy(line + *n, s, len);
	*n += len;
}

static void say(int sig)
{
	const char digits[] = {(char)('0' + sig / 10), (char)('0' + sig % 10), '\0'};
	char name[17] = "", line[160];
	size_t n = 0;

	prctl(PR_GET_NAME, name, 0, 0, 0);
	add(line, &n, name);
	add(line, &n, ": stopped by signal ");
	add(line, &n, sig < 10 ? digits + 1 : digits);
	add(line, &n, sig == SIGINT ? " (Interrupt)" : " (Terminated)");
	add(line, &n, "; no measurement\n");
	if (write(STDERR_FILENO, line, n) < 0)
		return; /* nobody left to tell */
}

static void die_of(int sig)
{
	sigset_t one;

	say(sig);
	signal(sig, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, sig);
	raise(sig);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	_exit(128 + sig); /* the first process of a container does not die of it */
}

static void on_stop(int sig)
{
	kill_children();
	die_of(sig);
}

/* Whoever became this program by exec may have had children, and they are none of its business. */
static bool has_children(void)
{
	siginfo_t info;

	return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

void pg_dropin_catch_signals(void)
{
	struct sigaction sa = {.sa_handler = has_children() ? die_of : on_stop};

	sigemptyset(&sa.sa_mask);
	sigaddset(&sa.sa_mask, SIGINT); /* a second one changes nothing: the clean-up is under way */
	sigaddset(&sa.sa_mask, SIGTERM);
	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
}
