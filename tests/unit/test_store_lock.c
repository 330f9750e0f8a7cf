/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One run per machine: taking, waiting, the holder's pid, files that cannot be locked. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "store/store.h"
#include "tests/support/pgtest.h"

#ifdef PG_COVERAGE
void __gcov_dump(void);
#endif

static char dir[] = "/tmp/pg-lock-XXXXXX";
static char path[64];

static void setup(void)
{
	ck_assert_ptr_nonnull(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/lock", dir);
}

static void teardown(void)
{
	unlink(path);
	ck_assert_int_eq(rmdir(dir), 0);
}

struct tick {
	struct pg_clock clock;
	int64_t now;
	int sleeps;
	int interrupt; /* that sleep ends early; 0 = none */
	int release;   /* descriptor to close in the third sleep; 0 = none */
};

static int64_t tick_mono(void *ctx)
{
	return ((struct tick *)ctx)->now;
}

static void tick_sleep(void *ctx, int64_t ns)
{
	struct tick *t = ctx;

	t->sleeps++;
	t->now += t->sleeps == t->interrupt ? ns / 2 : ns;
	if (t->sleeps == 3 && t->release > 0)
		close(t->release);
}

static void tick_init(struct tick *t)
{
	memset(t, 0, sizeof(*t));
	t->clock = (struct pg_clock){.mono = tick_mono, .sleep = tick_sleep, .ctx = t};
}

START_TEST(taken)
{
	struct pg_err err = {.code = PG_OK};
	struct tick t;
	struct stat st;
	int a, b;

	setup();
	umask(077);
	tick_init(&t);
	ck_assert_int_eq(pg_lock_open(path, &a), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	ck_assert_int_eq(st.st_mode & 07777, 0644); /* others can open it, whatever our umask */
	ck_assert_int_ne(fcntl(a, F_GETFD) & FD_CLOEXEC, 0);
	ck_assert_int_eq(fcntl(a, F_GETFL) & O_ACCMODE, O_RDONLY);
	ck_assert_int_eq(pg_lock_open(path, &b), 0);
	ck_assert_int_eq(pg_lock_take(a, 0, &t.clock, &err), 0);
	ck_assert_int_eq(pg_lock_take(b, 0, &t.clock, &err), -1);
	ck_assert_int_eq(err.code, PG_EBUSY);
	ck_assert_int_eq(t.sleeps, 0);
	close(a);
	ck_assert_int_eq(pg_lock_take(b, 0, &t.clock, &err), 0);
	close(b);
	teardown();
}
END_TEST

START_TEST(names_the_holder)
{
	struct pg_err err = {.code = PG_OK};
	struct tick t;
	char want[128];
	int fds[2], fd;
	pid_t pid;
	char c;

	setup();
	tick_init(&t);
	ck_assert_int_eq(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		char one = pg_lock_open(path, &fd) == 0 && pg_lock_take(fd, 0, &t.clock, &err) == 0 ? 'y' : 'n';

#ifdef PG_COVERAGE
		__gcov_dump();
#endif
		if (write(fds[1], &one, 1) == 1)
			pause();
		_exit(1);
	}
	ck_assert_int_eq(read(fds[0], &c, 1), 1);
	ck_assert_int_eq(c, 'y');
	ck_assert_int_eq(pg_lock_open(path, &fd), 0);
	ck_assert_int_eq(pg_lock_take(fd, 0, &t.clock, &err), -1);
	snprintf(want, sizeof(want),
		 "another run holds the lock (pid %d); wait for it (--wait-lock 10min) or use --no-lock", (int)pid);
	ck_assert_str_eq(err.msg, want);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ck_assert_int_eq(pg_lock_take(fd, 0, &t.clock, &err), 0); /* it went with its holder */
	close(fd);
	teardown();
}
END_TEST

START_TEST(waiting)
{
	struct pg_err err = {.code = PG_OK};
	struct tick t;
	int a, b;

	setup();
	tick_init(&t);
	ck_assert_int_eq(pg_lock_open(path, &a), 0);
	ck_assert_int_eq(pg_lock_open(path, &b), 0);
	ck_assert_int_eq(pg_lock_take(a, 0, &t.clock, &err), 0);
	ck_assert_int_eq(pg_lock_take(b, 1000000000, &t.clock, &err), -1);
	ck_assert_int_eq(err.code, PG_EBUSY);
	ck_assert(t.now == 1000000000);
	/* A signal ends the wait. */
	t.interrupt = t.sleeps + 2;
	ck_assert_int_eq(pg_lock_take(b, 1000000000, &t.clock, &err), -1);
	ck_assert_msg(strstr(err.msg, "interrupted"), "%s", err.msg);
	ck_assert(t.now < 1200000000);
	/* The holder ends. */
	tick_init(&t);
	t.release = a;
	ck_assert_int_eq(pg_lock_take(b, 1000000000, &t.clock, &err), 0);
	ck_assert_int_eq(t.sleeps, 3);
	close(b);
	teardown();
}
END_TEST

START_TEST(cannot_be_opened)
{
	struct pg_err err = {.code = PG_EBUSY};
	struct tick t;
	char other[80];
	int fd = 5;

	setup();
	tick_init(&t);
	snprintf(other, sizeof(other), "%s/no/such", dir);
	ck_assert_int_eq(pg_lock_open(other, &fd), -1);
	ck_assert_int_eq(fd, -1);
	ck_assert_int_eq(pg_lock_open(dir, &fd), -1); /* a directory */
	ck_assert_int_eq(fd, -1);
	snprintf(other, sizeof(other), "%s/fifo", dir);
	ck_assert_int_eq(mkfifo(other, 0600), 0);
	ck_assert_int_eq(pg_lock_open(other, &fd), -1);
	unlink(other);
	ck_assert_int_eq(symlink("/dev/null", path), 0);
	ck_assert_int_eq(pg_lock_open(path, &fd),
			 -1); /* no links: another's file must not be made or held through us */
	ck_assert_int_eq(errno, ELOOP);
	/* Then there is no lock, and a note about it. */
	ck_assert_int_eq(pg_lock_take(-1, 0, &t.clock, &err), 0);
	ck_assert_int_eq(err.code, PG_OK);
	ck_assert_str_ne(err.msg, "");
	teardown();
}
END_TEST

PG_TEST_MAIN("store_lock", ((const struct pg_test[]){
				   {taken, 0},
				   {names_the_holder, 0},
				   {waiting, 0},
				   {cannot_be_opened, 0},
				   {NULL, 0},
			   }))
