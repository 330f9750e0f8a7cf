/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `fds: 20` of sched/messaging is 20 channels, 20 receivers, 20 senders: what a cell shows is that number, nowhere
 * doubled; what limits have to allow for it is told as tasks and descriptors, to the last one.
 */
#include "tests/support/pgtest.h"

#include "engine/preflight.h"
#include "tests/support/plankit.h"

static const struct {
	uint64_t groups, fds;
	const char *mode, *transport;
	uint64_t tasks, descriptors; /* with those of the rep itself and 0-2 */
} cells[] = {
	{1, 20, "thread", "socket", 1 + 40, 3 + 4 + 2 * 20},	{3, 20, "process", "pipe", 1 + 120, 3 + 4 + 20 + 1},
	{10, 20, "process", "socket", 1 + 400, 3 + 4 + 20 + 1}, {2, 7, "thread", "inet", 1 + 28, 3 + 5 + 2 * 14},
	{1, 1, "process", "inet", 1 + 2, 3 + 5 + 1 + 1},
};

static int preflight(struct kit *k, const struct pg_limits *l, struct pg_err *err)
{
	const struct pg_cell *c = kit_cell(k, 0);
	void *conf = calloc(1, c->bench->conf_size);
	int r;

	ck_assert_ptr_nonnull(conf);
	r = pg_preflight(c, l, conf, err);
	free(conf);
	return r;
}

START_TEST(messaging_counts)
{
	struct pg_limits l = {.caps = ~0u};
	char yaml[256], want[128];
	struct pg_err err;
	struct kit k;

	kit_init(&k);
	snprintf(yaml, sizeof(yaml),
		 KIT_HEAD
		 "  - {name: s, suite: sched/messaging, set: {groups: %llu, fds: %llu, mode: %s, transport: %s}}\n",
		 (unsigned long long)cells[_i].groups, (unsigned long long)cells[_i].fds, cells[_i].mode,
		 cells[_i].transport);
	kit_good(&k, yaml, "");
	snprintf(want, sizeof(want), "%llu %llu", (unsigned long long)cells[_i].groups,
		 (unsigned long long)cells[_i].fds);
	ck_assert_str_eq(kit_cells(&k, "groups fds"), want);

	l.tasks = cells[_i].tasks;
	l.descriptors = cells[_i].descriptors;
	ck_assert_msg(preflight(&k, &l, &err) == 0, "%s", err.msg);
	l.tasks--;
	ck_assert_int_eq(preflight(&k, &l, &err), -1);
	snprintf(want, sizeof(want), "needs %llu tasks, the limit leaves %llu; raise it or lower groups or fds",
		 (unsigned long long)cells[_i].tasks, (unsigned long long)cells[_i].tasks - 1);
	ck_assert_str_eq(err.msg, want);
	l.tasks++;
	l.descriptors--;
	ck_assert_int_eq(preflight(&k, &l, &err), -1);
	snprintf(want, sizeof(want),
		 "needs %llu descriptors, the limit is %llu; raise the hard limit (ulimit -Hn) or lower groups or fds",
		 (unsigned long long)cells[_i].descriptors, (unsigned long long)cells[_i].descriptors - 1);
	ck_assert_str_eq(err.msg, want);
	kit_done(&k);
}
END_TEST

PG_TEST_MAIN("plan_counts", ((const struct pg_test[]){
				    {messaging_counts, sizeof(cells) / sizeof(cells[0])},
				    {NULL, 0},
			    }))
