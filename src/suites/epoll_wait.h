/* SPDX-License-Identifier: GPL-2.0-or-later */
/* epoll/wait: rows and one rep (epoll_wait.c), the threads (epoll_wait_task.c). */
#ifndef PG_SUITES_EPOLL_WAIT_H
#define PG_SUITES_EPOLL_WAIT_H

#include "epoll.h"

/* Adds the eventfd that ends the waiting to queue i; -1 with errno. */
int pg_epoll_watch_stop(const struct pg_epoll *e, size_t i);

/* Bodies of crew workers, arg is the struct pg_epoll: index < threads wait, the others write. */
int pg_epoll_waiter(struct pg_worker *w, void *arg);
int pg_epoll_writer(struct pg_worker *w, void *arg);

#endif
