/* SPDX-License-Identifier: GPL-2.0-or-later */
/* futex(2): the raw call, and sleeping while a word has a value. */
#ifndef PG_BASE_FUTEX_WAIT_H
#define PG_BASE_FUTEX_WAIT_H

#include <limits.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* -1 with errno. `val2` goes where waiting calls have their time-out. */
static inline long pg_futex_call(_Atomic uint32_t *word, int op, uint32_t val, unsigned long val2,
				 _Atomic uint32_t *word2, uint32_t val3)
{
	return syscall(SYS_futex, word, op, val, val2, word2, val3);
}

/*
 * Sleeps while the word is `seen`, timeout_ns at most (< 0: no limit). Returns for any reason: to be called in a loop
 * over the word. The word may lie between processes; `private` ones may not, and cost the kernel less.
 */
static inline void pg_futex_wait(_Atomic uint32_t *word, uint32_t seen, int64_t timeout_ns)
{
	const struct timespec t = {.tv_sec = timeout_ns / 1000000000, .tv_nsec = timeout_ns % 1000000000};

	pg_futex_call(word, FUTEX_WAIT, seen, timeout_ns < 0 ? 0 : (unsigned long)&t, NULL, 0);
}

static inline void pg_futex_wake_all(_Atomic uint32_t *word)
{
	pg_futex_call(word, FUTEX_WAKE, INT_MAX, 0, NULL, 0);
}

static inline void pg_futex_wait_private(_Atomic uint32_t *word, uint32_t seen)
{
	pg_futex_call(word, FUTEX_WAIT_PRIVATE, seen, 0, NULL, 0);
}

static inline void pg_futex_wake_all_private(_Atomic uint32_t *word)
{
	pg_futex_call(word, FUTEX_WAKE_PRIVATE, INT_MAX, 0, NULL, 0);
}

#endif
