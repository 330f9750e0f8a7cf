/* SPDX-License-Identifier: GPL-2.0-or-later */
/* internals/pmu-scan over fake machines and this one. */
#include <dirent.h>
#include <stdio.h>

#include "registry/registry.h"
#include "tests/support/fake_root.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

#define PMU "sys/bus/event_source/devices/"

static const struct pg_bench *bench(void)
{
	return pg_bench_find("internals/pmu-scan");
}

/* Two core PMUs (one by name, one by its file), two others, and what is none. */
static void make_machine(char *root)
{
	fr_make(root);
	fr_put(root, PMU "cpu/type", "4\n");
	fr_put(root, PMU "cpu/format/event", "config:0-7\n");
	fr_put(root, PMU "cpu/format/umask", "config:8-15\n");
	fr_put(root, PMU "cpu/caps/branches", "32\n");
	fr_put(root, PMU "cpu/events/cycles", "event=0x3c\n");
	fr_put(root, PMU "cpu_atom/type", "10\n");
	fr_put(root, PMU "cpu_atom/cpus", "4-7\n");
	fr_put(root, PMU "power/type", "9\n");
	fr_put(root, PMU "power/cpumask", "0\n");
	fr_put(root, PMU "software/type", "1\n");
	fr_put(root, PMU "no_pmu/uevent", "\n");
}

static int probe(const char *root, const char *params, struct pg_err *err)
{
	const struct pg_probe_env env = {.root = root};
	struct pg_need need = {.tasks = 0};
	struct ps_bench b;
	int r;

	ps_bind(&b, bench(), params);
	r = b.bench->probe(b.conf, &env, &need, err);
	ps_done(&b);
	return r;
}

START_TEST(pmus_are_found)
{
	static const struct {
		const char *params;
		int64_t found;
	} c[] = {
		{"loops=3", 4},
		{"loops=3 pmus=every", 4},
		{"loops=5 pmus=core", 2},
		{"loops=1 pmus=core", 2},
	};
	const struct ps_around before = ps_look();
	char root[FAKE_ROOT];
	struct ps_bench b;

	make_machine(root);
	ck_assert_int_eq(probe(root, c[_i].params, &b.err), 0);
	ps_bind(&b, bench(), c[_i].params);
	b.run.root = root;
	ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
	ck_assert_int_eq(ps_raw(&b, "pmus_found"), c[_i].found);
	ck_assert_int_eq(ps_raw(&b, "operations"), c[_i].params[6] - '0');
	ck_assert_int_gt(ps_raw(&b, "op_total"), 0);
	ck_assert_int_eq(b.run.timed_ns, ps_raw(&b, "op_total"));
	fr_remove(root);
	ps_same(&before);
	ps_done(&b);
}
END_TEST

START_TEST(machines_without)
{
	struct pg_err err;
	char root[FAKE_ROOT];

	fr_make(root);
	ck_assert_int_eq(probe(root, "pmus=every", &err), -1);
	ck_assert_int_eq(err.code, PG_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, "no /sys/bus/event_source/devices; mount sysfs"), "%s", err.msg);
	fr_put(root, PMU "software/type", "1\n");
	ck_assert_int_eq(probe(root, "pmus=every", &err), 0);
	ck_assert_int_eq(probe(root, "pmus=core", &err), -1);
	ck_assert_int_eq(err.code, PG_EUNSUPPORTED);
	ck_assert_msg(strstr(err.msg, "no core PMU in") && strstr(err.msg, "; set pmus: every"), "%s", err.msg);
	fr_remove(root);
}
END_TEST

/* Between setup and the scans something comes or goes: whatever it is, the rep fails. */
START_TEST(changes_fail_the_rep)
{
	static const char *const changes[] = {
		PMU "gpu/type",
		PMU "cpu/format/edge",
		PMU "cpu/caps/more",
		PMU "cpu/events/more",
	};
	static const char *const texts[] = {"12\n", "config:18\n", "1\n", "event=1\n"};
	char root[FAKE_ROOT];
	struct ps_bench b;

	make_machine(root);
	ps_bind(&b, bench(), "loops=2");
	b.run.root = root;
	ck_assert_int_eq(b.bench->setup(&b.run, &b.err), 0);
	fr_put(root, changes[_i], texts[_i]);
	ck_assert_int_eq(b.bench->once(&b.run, &b.err), -1);
	ck_assert_int_eq(b.err.code, PG_EFAILED);
	ck_assert_msg(strstr(b.err.msg, _i < 3 ? "2 scans found other" : "the last 2 events instead of 1"), "%s",
		      b.err.msg);
	b.bench->teardown(&b.run);
	fr_remove(root);
	ps_done(&b);
}
END_TEST

/* As many as the folder has entries. */
START_TEST(this_machine)
{
	struct ps_bench b;
	DIR *d = opendir("/sys/bus/event_source/devices");
	int64_t n = 0;

	if (probe("", "pmus=every", &b.err)) {
		ck_assert_ptr_null(d);
		return;
	}
	ck_assert_ptr_nonnull(d);
	for (struct dirent *e; (e = readdir(d));)
		n += e->d_name[0] != '.';
	closedir(d);
	ps_bind(&b, bench(), "loops=2");
	ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
	ck_assert_int_eq(ps_raw(&b, "pmus_found"), n);
	ps_done(&b);
}
END_TEST

PG_TEST_MAIN("suites_pmu_scan", ((const struct pg_test[]){
					{pmus_are_found, 4},
					{machines_without, 0},
					{changes_fail_the_rep, 4},
					{this_machine, 0},
					{NULL, 0},
				}))
