/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The arena and the large mappings: alignment, zeroes, borders, and that a fork does not copy them. */
#include "tests/support/pgtest.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/arena.h"

static bool is_zero(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i += 97) {
		if (p[i])
			return false;
	}
	return true;
}

START_TEST(sizes_are_aligned_and_zero)
{
	static const size_t sizes[] = {0, 1, 15, 16, 17, 4095, 16 << 10, 20 << 10, 64 << 10, 1 << 20, 9 << 20, 1};
	unsigned char *p[sizeof(sizes) / sizeof(sizes[0])];
	size_t n = sizeof(sizes) / sizeof(sizes[0]);
	struct pg_arena a;

	pg_arena_init(&a, _i);
	for (int round = 0; round < 20; round++) {
		for (size_t i = 0; i < n; i++) {
			p[i] = pg_arena_alloc(&a, sizes[i]);
			ck_assert_ptr_nonnull(p[i]);
			ck_assert_uint_eq((uintptr_t)p[i] % 16, 0);
			ck_assert(is_zero(p[i], sizes[i]));
			if (sizes[i]) {
				p[i][0] = (unsigned char)(i + 1);
				p[i][sizes[i] - 1] = (unsigned char)(i + 1);
			}
		}
		for (size_t i = 0; i < n; i++)
			ck_assert(!sizes[i] || (p[i][0] == i + 1 && p[i][sizes[i] - 1] == i + 1));
		if (round % 7 == 6)
			pg_arena_release(&a);
	}
	pg_arena_release(&a);
	ck_assert_uint_eq(pg_arena_bytes(&a), 0);
}
END_TEST

START_TEST(empty_pointers_are_unique)
{
	struct pg_arena a;
	void *p, *q;

	pg_arena_init(&a, false);
	ck_assert_uint_eq(pg_arena_bytes(&a), 0);
	p = pg_arena_alloc(&a, 0);
	q = pg_arena_array(&a, 0, 8);
	ck_assert_ptr_nonnull(p);
	ck_assert_ptr_nonnull(q);
	ck_assert_ptr_ne(p, q);
	ck_assert_uint_eq(pg_arena_bytes(&a), 64 << 10);
	pg_arena_release(&a);
}
END_TEST

/* A large request must not retire a block that is hardly used, nor blocks grow without end. */
START_TEST(blocks_grow_to_a_limit)
{
	struct pg_arena a;
	char *p, *q;

	pg_arena_init(&a, true);
	p = pg_arena_alloc(&a, 16);
	pg_arena_alloc(&a, 10 << 20);
	q = pg_arena_alloc(&a, 16);
	ck_assert_ptr_eq(q, p + 16);
	ck_assert_uint_lt(pg_arena_bytes(&a), (10 << 20) + (128 << 10));
	pg_arena_release(&a);

	for (int i = 0; i < 20 << 10; i++) {
		if (!pg_arena_alloc(&a, 1024))
			ck_abort_msg("out of memory");
	}
	ck_assert_uint_ge(pg_arena_bytes(&a), 20 << 20);
	ck_assert_uint_le(pg_arena_bytes(&a), 25 << 20);
	pg_arena_release(&a);
}
END_TEST

START_TEST(overflow_is_refused)
{
	struct pg_arena a;

	pg_arena_init(&a, false);
	ck_assert_ptr_null(pg_arena_alloc(&a, SIZE_MAX));
	ck_assert_ptr_null(pg_arena_alloc(&a, SIZE_MAX - 15));
	ck_assert_ptr_null(pg_arena_alloc(&a, SIZE_MAX / 2));
	ck_assert_ptr_null(pg_arena_array(&a, SIZE_MAX / 2 + 1, 2));
	ck_assert_ptr_null(pg_arena_array(&a, 3, SIZE_MAX / 2));
	ck_assert_ptr_nonnull(pg_arena_array(&a, 3, 5)); /* usable after a refusal */
	pg_arena_release(&a);
}
END_TEST

START_TEST(texts)
{
	struct pg_arena a;
	char *big;

	pg_arena_init(&a, false);
	ck_assert_str_eq(pg_arena_strdup(&a, ""), "");
	ck_assert_str_eq(pg_arena_strdup(&a, "abc"), "abc");
	ck_assert_str_eq(pg_arena_strndup(&a, "abcdef", 3), "abc");
	ck_assert_str_eq(pg_arena_strndup(&a, "ab", 9), "ab");
	ck_assert_str_eq(pg_arena_printf(&a, "%d-%s", 7, "x"), "7-x");
	big = pg_arena_printf(&a, "%0*d", 300000, 1);
	ck_assert_uint_eq(strlen(big), 300000);
	pg_arena_release(&a);
}
END_TEST

#ifdef PG_COVERAGE
void __gcov_dump(void);
#endif

static void leave(int seen)
{
#ifdef PG_COVERAGE
	__gcov_dump();
#endif
	_exit(seen);
}

static void on_fault(int sig)
{
	(void)sig;
	leave(0);
}

/* Does a forked child see the page at p? */
static bool child_sees(const volatile char *p)
{
	int status;
	pid_t pid = fork();

	ck_assert_int_ge(pid, 0);
	if (pid == 0) {
		signal(SIGSEGV, on_fault);
		(void)*p;
		leave(1);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	return WEXITSTATUS(status);
}

START_TEST(nofork_is_not_copied)
{
	struct pg_arena plain, hidden;
	char *p, *q, *big;

	pg_arena_init(&plain, false);
	pg_arena_init(&hidden, true);
	p = pg_arena_alloc(&plain, 10);
	q = pg_arena_alloc(&hidden, 10);
	big = pg_big_alloc(10000);
	ck_assert_ptr_nonnull(big);
	*p = *q = *big = 1;
	ck_assert(child_sees(p));
	ck_assert(!child_sees(q));
	ck_assert(!child_sees(big));
	big = pg_big_grow(big, 10000, 3 << 20);
	ck_assert_ptr_nonnull(big);
	ck_assert(!child_sees(big));
	ck_assert(!child_sees(big + (3 << 20) - 1));
	pg_big_free(big, 3 << 20);
	pg_arena_release(&plain);
	pg_arena_release(&hidden);
}
END_TEST

START_TEST(big_grows_and_keeps)
{
	size_t n = 100;
	unsigned char *p = pg_big_grow(NULL, 0, n), *q;

	ck_assert_ptr_nonnull(p);
	p[0] = 1;
	for (int i = 0; i < 12; i++) {
		p[n - 1] = (unsigned char)i;
		q = pg_big_grow(p, n, n * 3);
		ck_assert_ptr_nonnull(q);
		p = q;
		ck_assert_uint_eq(p[0], 1);
		ck_assert_uint_eq(p[n - 1], (unsigned char)i);
		ck_assert_uint_eq(p[n], 0);
		ck_assert_uint_eq(p[3 * n - 1], 0);
		n *= 3;
	}
	ck_assert_ptr_null(pg_big_grow(p, n, SIZE_MAX / 2));
	ck_assert_uint_eq(p[0], 1); /* still valid */
	q = pg_big_grow(p, n, 50);
	ck_assert_ptr_nonnull(q);
	ck_assert_uint_eq(q[0], 1);
	pg_big_free(q, 50);
	ck_assert_ptr_null(pg_big_alloc(SIZE_MAX));
	pg_big_free(NULL, 0);
	p = pg_big_alloc(0);
	ck_assert_ptr_nonnull(p);
	pg_big_free(p, 0);
}
END_TEST

PG_TEST_MAIN("base_arena", ((const struct pg_test[]){
				   {sizes_are_aligned_and_zero, 2},
				   {empty_pointers_are_unique, 0},
				   {blocks_grow_to_a_limit, 0},
				   {overflow_is_refused, 0},
				   {texts, 0},
				   {nofork_is_not_copied, 0},
				   {big_grows_and_keeps, 0},
				   {NULL, 0},
			   }))
