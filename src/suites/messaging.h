/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Family header of sched/messaging: messaging.c (rows, one rep), messaging_channel.c (transports), messaging_worker.c
 * (senders and receivers).
 */
#ifndef PG_SUITES_MESSAGING_H
#define PG_SUITES_MESSAGING_H

#include "pg_bench.h"

enum pg_messaging_transport { PG_MSG_SOCKET, PG_MSG_PIPE, PG_MSG_INET };

struct pg_messaging_conf {
	uint64_t groups, fds, loops, size;
	int mode; /* 0 process, 1 thread */
	int transport;
	int main_policy; /* 0 inherit, 1 fifo */
	int placement;
};

/* One direction; -1 = closed. */
struct pg_msg_channel {
	int reader, writer;
};

struct pg_messaging {
	const struct pg_messaging_conf *conf;
	bool threads;
	struct pg_crew *crew;
	int listener;			 /* inet: what all channels connect to; -1 */
	struct pg_msg_channel ready;	 /* a byte from each worker to the main task */
	struct pg_msg_channel wake;	 /* one byte to all workers, read by none: poll() is level-triggered */
	struct pg_msg_channel *channels; /* groups x fds, by group */
	size_t n_channels, opened;	 /* opened: those that may hold descriptors */
	char *buffers; /* private mapping: one message each; processes share the address, not the pages */
	size_t stride, buffers_bytes;
};

/* messaging_channel.c. Blocking descriptors; -1 leaves *ch closed. */
int pg_msg_channel_open(struct pg_messaging *m, struct pg_msg_channel *ch, struct pg_err *err);
void pg_msg_channel_close(struct pg_msg_channel *ch);
void pg_msg_close_fd(int *fd);

/* messaging_worker.c: bodies of crew workers, arg is the struct pg_messaging. Worker i of 2 x fds in a group: receivers
 * first. */
int pg_msg_receiver(struct pg_worker *w, void *arg);
int pg_msg_sender(struct pg_worker *w, void *arg);

#endif
