/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Senders and receivers. One write or read per message, as in the ancestor; what it got wrong (end of file, short
 * counts, EINTR, a vanished peer) is off the fast path.
 */
#include "messaging.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Closes fd[0..n), which lie side by side as far as the kernel gave them so. */
static void close_writers(const struct pg_msg_channel *ch, size_t n)
{
	for (size_t i = 0, k; i < n; i = k) {
		for (k = i + 1; k < n && ch[k].writer == ch[k - 1].writer + 1; k++)
			;
#ifdef SYS_close_range
		if (syscall(SYS_close_range, (unsigned)ch[i].writer, (unsigned)ch[k - 1].writer, 0) == 0)
			continue;
#endif
		for (size_t j = i; j < k; j++)
			close(ch[j].writer);
	}
}

/* A process lets go of the ends that are others' business, so that an end of file arrives when a peer dies. */
static void close_foreign(const struct pg_messaging *m)
{
	if (m->listener >= 0)
		close(m->listener);
	close(m->ready.reader);
	close(m->wake.writer);
}

static bool was_reset(int e)
{
	return e == EPIPE || e == ECONNRESET;
}

/* Reports ready, waits for the wake byte, which stays unread for the next worker. */
static int wait_for_wake(struct pg_worker *w, const struct pg_messaging *m)
{
	struct pollfd wake = {.fd = m->wake.reader, .events = POLLIN};

	while (write(m->ready.writer, "r", 1) != 1) {
		if (errno != EINTR)
			return pg_worker_fail_sys(w, "cannot report ready");
		if (pg_worker_told_to_stop(w))
			return -1;
	}
	while (poll(&wake, 1, -1) != 1) {
		if (errno != EINTR)
			return pg_worker_fail_sys(w, "cannot wait for the start");
		if (pg_worker_told_to_stop(w))
			return -1;
	}
	return wake.revents & POLLIN ? 0 : pg_worker_lost_peer(w, "the start never came");
}

/* The rest of a message of which `got` bytes were written; -1 = failed or told to stop. got < 0: errno says why. */
static int send_rest(struct pg_worker *w, int fd, const char *buf, size_t size, ssize_t got)
{
	size_t done = 0;

	for (;;) {
		if (got >= 0)
			done += (size_t)got;
		else if (was_reset(errno))
			return pg_worker_lost_peer(w, "a receiver closed its end");
		else if (errno != EINTR)
			return pg_worker_fail_sys(w, "cannot send");
		if (done == size)
			return 0;
		if (pg_worker_told_to_stop(w))
			return -1;
		got = write(fd, buf + done, size - done);
	}
}

static int receive_rest(struct pg_worker *w, int fd, char *buf, size_t size, ssize_t got)
{
	size_t done = 0;

	for (;;) {
		if (got > 0)
			done += (size_t)got;
		else if (got == 0 || was_reset(errno))
			return pg_worker_lost_peer(w, "end of file after %" PRIu64 " messages; a sender ended early",
						   w->slot->count);
		else if (errno != EINTR)
			return pg_worker_fail_sys(w, "cannot receive");
		if (done == size)
			return 0;
		if (pg_worker_told_to_stop(w))
			return -1;
		got = read(fd, buf + done, size - done);
	}
}

static char *buffer_of(const struct pg_worker *w, const struct pg_messaging *m)
{
	char *buf = m->buffers + m->stride * w->index;

	memset(buf, '-', m->conf->size);
	return buf;
}

int pg_msg_receiver(struct pg_worker *w, void *arg)
{
	const struct pg_messaging *m = arg;
	const size_t fds = m->conf->fds, size = m->conf->size;
	const size_t k = w->index % (2 * fds);
	const struct pg_msg_channel *group = &m->channels[w->index / (2 * fds) * fds];
	const int fd = group[k].reader;
	const uint64_t messages = fds * m->conf->loops;
	char *buf = buffer_of(w, m);
	uint64_t i;

	if (!m->threads) {
		close_writers(group, k + 1);
		close_foreign(m);
	}
	if (wait_for_wake(w, m))
		return -1;
	for (i = 0; i < messages; i++) {
		const ssize_t got = read(fd, buf, size);

		if (got != (ssize_t)size) {
			w->slot->count = i;
			if (receive_rest(w, fd, buf, size, got))
				return -1;
		}
	}
	w->slot->end_ns = pg_now_ns();
	w->slot->count = i;
	return 0;
}

int pg_msg_sender(struct pg_worker *w, void *arg)
{
	const struct pg_messaging *m = arg;
	const size_t fds = m->conf->fds, size = m->conf->size;
	const uint64_t loops = m->conf->loops;
	const struct pg_msg_channel *group = &m->channels[w->index / (2 * fds) * fds];
	const char *buf = buffer_of(w, m);

	if (!m->threads)
		close_foreign(m);
	if (wait_for_wake(w, m))
		return -1;
	for (uint64_t i = 0; i < loops; i++) {
		/* A sender may never block: it must see by itself that the crew is being ended. */
		if (pg_worker_told_to_stop(w))
			return -1;
		for (size_t k = 0; k < fds; k++) {
			const ssize_t got = write(group[k].writer, buf, size);

			if (got != (ssize_t)size && send_rest(w, group[k].writer, buf, size, got))
				return -1;
		}
	}
	w->slot->count = loops * fds;
	return 0;
}
