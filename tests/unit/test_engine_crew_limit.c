/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A crew of which only some could start. */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

static int linger(struct pg_worker *w, void *arg)
{
	(void)arg;
	pg_worker_ready(w);
	while (!pg_worker_told_to_stop(w))
		pause();
	return -1;
}

struct limited {
	bool threads;
	struct pg_err err;
	int left;
};

/* As a user of its own whose limit leaves room for three more tasks. */
static int start_too_many(void *arg)
{
	struct limited *l = arg;
	const struct rlimit lim = {4, 4};
	const struct pg_crew_opts opts = {.n = 40, .threads = l->threads, .root = ""};
	const int before = live_tasks();
	struct pg_crew *c;
	int r = 0;

	if (setrlimit(RLIMIT_NPROC, &lim) || setuid(60000 + (uid_t)getpid() % 5000))
		return 10;
	if (pg_crew_open(&c, &opts, &l->err))
		return 11;
	for (size_t i = 0; i < opts.n && r == 0; i++)
		r = pg_crew_start(c, linger, NULL, &l->err);
	l->left = live_tasks() - before;
	if (waitpid(-1, NULL, WNOHANG) != -1)
		l->left++;
	pg_crew_close(c);
	return r == -1 ? 0 : 12;
}

START_TEST(could_start_some)
{
	struct limited *l = ps_shared(sizeof(*l));

	l->threads = _i;
	if (geteuid() == 0) {
		char kind[16];
		int some;

		ck_assert_int_eq(ps_in_child(start_too_many, l), 0);
		ck_assert_msg(sscanf(l->err.msg, "could start %d of 40 %15[a-z]; lower", &some, kind) == 2, "%s",
			      l->err.msg);
		ck_assert_str_eq(kind, _i ? "threads" : "processes");
		ck_assert(some >= 1 && some <= 3); /* a sanitizer has a thread of its own */
		ck_assert_int_le(l->left, PS_FOREIGN_THREADS);
	}
	munmap(l, sizeof(*l));
}
END_TEST

PG_TEST_MAIN("engine_crew_limit", ((const struct pg_test[]){
					  {could_start_some, 2},
					  {NULL, 0},
				  }))
