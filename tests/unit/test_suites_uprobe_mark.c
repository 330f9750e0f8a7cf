/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a printing probe's rep leaves when it is killed between load and putting back, and who puts it back. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>

#include "suites/uprobe.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

/* A switch of the test's own, with its mark. */
struct own_switch {
	char dir[32], mark[64];
	struct pg_uprobe_trace t;
};

static void make_switch(struct own_switch *o)
{
	char path[64];

	snprintf(o->dir, sizeof(o->dir), "/tmp/perfgrid-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(o->dir));
	snprintf(o->mark, sizeof(o->mark), "%s/mark", o->dir);
	snprintf(path, sizeof(path), "%s/enable", o->dir);
	o->t = (struct pg_uprobe_trace){.enable = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600), .event = -1};
	o->t.mark = o->mark;
	ck_assert_int_eq(pwrite(o->t.enable, "0\n", 2, 0), 2);
}

static char drop_switch(struct own_switch *o)
{
	char path[64], state = 0;

	ck_assert_int_eq(pread(o->t.enable, &state, 1, 0), 1);
	close(o->t.enable);
	snprintf(path, sizeof(path), "%s/enable", o->dir);
	unlink(path);
	unlink(o->mark);
	ck_assert_int_eq(rmdir(o->dir), 0);
	return state;
}

/* What the kernel does when a program that prints is loaded, and then the worst that can come. */
static int load_and_die(void *arg)
{
	struct own_switch *o = arg;
	struct pg_err err;

	if (pg_uprobe_trace_note(&o->t, &err) || pwrite(o->t.enable, "1", 1, 0) != 1)
		return 1;
	raise(SIGKILL);
	return 2;
}

START_TEST(next_start_puts_the_switch_back)
{
	struct own_switch o;
	struct pg_err err;

	make_switch(&o);
	ck_assert_int_eq(ps_in_child(load_and_die, &o), 128 + SIGKILL);
	ck_assert_int_eq(access(o.mark, F_OK), 0);
	ck_assert_int_eq(pg_uprobe_trace_recover(&o.t, &err), 0);
	ck_assert_int_ne(access(o.mark, F_OK), 0);
	ck_assert_int_eq(drop_switch(&o), '0');
}
END_TEST

/* No mark, another user's, or a link: whoever switched it on wants it on. */
START_TEST(others_keep_their_switch)
{
	struct own_switch o;
	struct pg_err err;

	make_switch(&o);
	ck_assert_int_eq(pwrite(o.t.enable, "1", 1, 0), 1);
	if (_i == 1)
		ck_assert_int_eq(symlink("enable", o.mark), 0);
	if (_i == 2 && geteuid() == 0) {
		const int fd = open(o.mark, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

		ck_assert_int_eq(fchown(fd, 65534, 65534), 0);
		close(fd);
	}
	ck_assert_int_eq(pg_uprobe_trace_recover(&o.t, &err), 0);
	ck_assert_int_eq(drop_switch(&o), '1');
}
END_TEST

/* A rep that ends by itself leaves neither mark nor switch; one that finds the switch on makes no mark. */
START_TEST(mark_goes_with_the_rep)
{
	struct own_switch o;
	struct pg_err err;
	char path[64];

	make_switch(&o);
	if (_i == 1)
		ck_assert_int_eq(pwrite(o.t.enable, "1", 1, 0), 1);
	ck_assert_int_eq(pg_uprobe_trace_note(&o.t, &err), 0);
	ck_assert_int_eq(access(o.mark, F_OK), _i == 1 ? -1 : 0);
	ck_assert_int_eq(pwrite(o.t.enable, "1", 1, 0), 1);
	if (_i == 2) { /* the load failed */
		snprintf(path, sizeof(path), "%s/enable", o.dir);
		pg_uprobe_trace_close(&o.t);
		o.t.enable = open(path, O_RDWR | O_CLOEXEC);
	} else {
		ck_assert_int_eq(pg_uprobe_trace_restore(&o.t, &err), 0);
	}
	ck_assert_int_ne(access(o.mark, F_OK), 0);
	ck_assert_int_eq(drop_switch(&o), _i == 1 ? '1' : '0');
}
END_TEST

PG_TEST_MAIN("suites_uprobe_mark", ((const struct pg_test[]){
					   {next_start_puts_the_switch_back, 0},
					   {others_keep_their_switch, 3},
					   {mark_goes_with_the_rep, 3},
					   {NULL, 0},
				   }))
