/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An io_uring by raw system calls: one request slot, filled once with a request that does nothing. The kernel copies
 * the slot at each io_uring_enter(), so an operation is a new tail, one system call, and a new head.
 */
#include "suites/syscall.h"

#include <errno.h>
#include <linux/io_uring.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_io_uring_setup /* one number on all machines */
#define SYS_io_uring_setup 425
#define SYS_io_uring_enter 426
#endif

static void *map_part(int fd, size_t bytes, uint64_t offset)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)offset);

	return p == MAP_FAILED ? NULL : p;
}

static _Atomic uint32_t *word_at(void *ring, uint32_t offset)
{
	return (void *)((char *)ring + offset);
}

static int map_ring(struct pg_syscall_ring *r, const struct io_uring_params *p, struct pg_err *err)
{
	struct io_uring_sqe *request;

	r->sq_bytes = p->sq_off.array + p->sq_entries * sizeof(uint32_t);
	r->cq_bytes = p->cq_off.cqes + p->cq_entries * sizeof(struct io_uring_cqe);
	r->entries_bytes = p->sq_entries * sizeof(*request);
	r->sq = map_part(r->fd, r->sq_bytes, IORING_OFF_SQ_RING);
	r->cq = map_part(r->fd, r->cq_bytes, IORING_OFF_CQ_RING);
	r->entries = map_part(r->fd, r->entries_bytes, IORING_OFF_SQES);
	if (!r->sq || !r->cq || !r->entries)
		return pg_fail_sys(err, "cannot map an io_uring; raise the limit of locked memory (ulimit -l), or take "
					"another function");
	r->sq_tail = word_at(r->sq, p->sq_off.tail);
	r->cq_head = word_at(r->cq, p->cq_off.head);
	r->cq_tail = word_at(r->cq, p->cq_off.tail);
	r->cq_mask = *word_at(r->cq, p->cq_off.ring_mask);
	r->completions = (const char *)r->cq + p->cq_off.cqes;
	request = r->entries;
	memset(request, 0, sizeof(*request));
	request->opcode = IORING_OP_NOP;
	*word_at(r->sq, p->sq_off.array) = 0;
	return 0;
}

int pg_syscall_ring_open(struct pg_syscall_ring *r, struct pg_err *err)
{
	struct io_uring_params p = {0};

	*r = (struct pg_syscall_ring){.fd = (int)syscall(SYS_io_uring_setup, 1, &p)};
	if (r->fd < 0) {
		const bool never = errno == ENOSYS || errno == EPERM || errno == EACCES;

		pg_fail_sys(err, "cannot set up an io_uring; see /proc/sys/kernel/io_uring_disabled");
		if (never && err)
			err->code = PG_EUNSUPPORTED;
		return -1;
	}
	return map_ring(r, &p, err);
}

void pg_syscall_ring_close(struct pg_syscall_ring *r)
{
	if (r->sq)
		munmap(r->sq, r->sq_bytes);
	if (r->cq)
		munmap(r->cq, r->cq_bytes);
	if (r->entries)
		munmap(r->entries, r->entries_bytes);
	if (r->fd >= 0)
		close(r->fd);
	*r = (struct pg_syscall_ring){.fd = -1};
}

long pg_syscall_ring_nop(struct pg_syscall_ring *r)
{
	const uint32_t tail = atomic_load_explicit(r->sq_tail, memory_order_relaxed);
	const uint32_t head = atomic_load_explicit(r->cq_head, memory_order_relaxed);
	const struct io_uring_cqe *done;
	int result;

	atomic_store_explicit(r->sq_tail, tail + 1, memory_order_release);
	if (syscall(SYS_io_uring_enter, r->fd, 1, 1, IORING_ENTER_GETEVENTS, NULL, 0) != 1)
		return -1;
	if (atomic_load_explicit(r->cq_tail, memory_order_acquire) == head) {
		errno = EAGAIN;
		return -1;
	}
	done = (const struct io_uring_cqe *)r->completions + (head & r->cq_mask);
	result = done->res;
	atomic_store_explicit(r->cq_head, head + 1, memory_order_release);
	if (result == 0)
		return 1;
	errno = -result;
	return -1;
}
