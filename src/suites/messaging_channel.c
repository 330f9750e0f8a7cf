/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The three transports of sched/messaging; control channels are of the same kind as those that carry messages. */
#include "messaging.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

void pg_msg_close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

void pg_msg_channel_close(struct pg_msg_channel *ch)
{
	pg_msg_close_fd(&ch->reader);
	pg_msg_close_fd(&ch->writer);
}

static int open_socketpair(struct pg_msg_channel *ch)
{
	int fd[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd))
		return -1;
	*ch = (struct pg_msg_channel){.reader = fd[0], .writer = fd[1]};
	return 0;
}

static int open_pipe(struct pg_msg_channel *ch)
{
	int fd[2];

	if (pipe2(fd, O_CLOEXEC))
		return -1;
	*ch = (struct pg_msg_channel){.reader = fd[0], .writer = fd[1]};
	return 0;
}

/* Port numbers in TIME_WAIT of earlier reps can be had again with SO_REUSEADDR; it does nothing to the data. */
static int tcp_socket(void)
{
	const int on = 1;
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (fd >= 0)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	return fd;
}

static int listen_loopback(struct pg_messaging *m)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int saved;

	m->listener = tcp_socket();
	if (m->listener < 0)
		return -1;
	if (bind(m->listener, (struct sockaddr *)&at, sizeof(at)) == 0 && listen(m->listener, 10) == 0)
		return 0;
	saved = errno;
	pg_msg_close_fd(&m->listener);
	errno = saved;
	return -1;
}

/* Accepts the connection that comes from `ours`; another program's is turned away. */
static int accept_from(int listener, const struct sockaddr_in *ours)
{
	for (;;) {
		struct sockaddr_in peer;
		socklen_t len = sizeof(peer);
		const int fd = accept4(listener, (struct sockaddr *)&peer, &len, SOCK_CLOEXEC);

		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0 || (peer.sin_port == ours->sin_port && peer.sin_addr.s_addr == ours->sin_addr.s_addr))
			return fd;
		close(fd);
	}
}

static int open_inet(struct pg_messaging *m, struct pg_msg_channel *ch)
{
	struct sockaddr_in at, ours;
	socklen_t len = sizeof(at);
	int saved;

	if (m->listener < 0 && listen_loopback(m))
		return -1;
	ch->writer = tcp_socket();
	if (ch->writer < 0)
		return -1;
	/* The kernel completes the handshake on its own: a blocking connect needs no accept yet. */
	if (getsockname(m->listener, (struct sockaddr *)&at, &len) ||
	    connect(ch->writer, (struct sockaddr *)&at, sizeof(at)))
		goto fail;
	len = sizeof(ours);
	if (getsockname(ch->writer, (struct sockaddr *)&ours, &len))
		goto fail;
	ch->reader = accept_from(m->listener, &ours);
	if (ch->reader >= 0)
		return 0;
fail:
	saved = errno;
	pg_msg_channel_close(ch);
	errno = saved;
	return -1;
}

int pg_msg_channel_open(struct pg_messaging *m, struct pg_msg_channel *ch, struct pg_err *err)
{
	int r = -1;

	switch ((enum pg_messaging_transport)m->conf->transport) {
	case PG_MSG_SOCKET:
		r = open_socketpair(ch);
		break;
	case PG_MSG_PIPE:
		r = open_pipe(ch);
		break;
	case PG_MSG_INET:
		r = open_inet(m, ch);
		break;
	}
	return r ? pg_fail_sys(
			   err,
			   "cannot create a channel; raise the limit of open files (ulimit -n) or lower fds or groups")
		 : 0;
}
