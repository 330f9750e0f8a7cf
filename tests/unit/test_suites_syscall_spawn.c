/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscall/fork and syscall/execve: counts, the parent's memory, and children that end badly. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "registry/registry.h"
#include "tests/support/pgdeny.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

static const char *const spawners[] = {"syscall/fork", "syscall/execve"};

static int forks; /* made by this process */

static void count_fork(void)
{
	forks++;
}

static void rep(struct ps_bench *b, const char *bench, const char *params)
{
	const struct ps_around before = ps_look();

	ps_bind(b, pg_bench_find(bench), params);
	ck_assert_msg(ps_rep(b) == 0, "%s", b->err.msg);
	ps_same(&before);
}

/* The rep fails with that text, and nothing is left. */
static void fails(const char *bench, const char *params, const char *why)
{
	const struct ps_around before = ps_look();
	struct ps_bench b;

	ps_bind(&b, pg_bench_find(bench), params);
	ck_assert_int_eq(ps_rep(&b), -1);
	ck_assert_msg(strstr(b.err.msg, why), "%s", b.err.msg);
	ps_same(&before);
	ps_done(&b);
}

static void check_parts(const struct ps_bench *b, int64_t loops)
{
	ck_assert_int_eq(ps_raw(b, "operations"), loops);
	ck_assert_int_gt(ps_raw(b, "time"), 0);
	ck_assert_int_gt(ps_raw(b, "fork_time_total"), 0);
	ck_assert_int_le(ps_raw(b, "fork_time_total"), ps_raw(b, "time"));
	ck_assert_int_eq(b->run.timed_ns, ps_raw(b, "time"));
}

START_TEST(exactly_so_many_children)
{
	static const int64_t counts[] = {1, 2, 7, 40};
	const int64_t loops = counts[_i];
	struct ps_bench b;
	char params[40];

	ck_assert_int_eq(pthread_atfork(NULL, count_fork, NULL), 0);
	snprintf(params, sizeof(params), "loops=%lld", (long long)loops);
	forks = 0;
	rep(&b, "syscall/fork", params);
	ck_assert_int_eq(forks, loops);
	check_parts(&b, loops);
	ps_done(&b);
}
END_TEST

/* One child beforehand, and one for every eight of the loop that tells when its image is in place. */
START_TEST(exactly_so_many_programs)
{
	static const int64_t counts[][2] = {{1, 1}, {8, 1}, {9, 2}};
	const int64_t loops = counts[_i][0];
	struct ps_bench b;
	char params[40];

	ck_assert_int_eq(pthread_atfork(NULL, count_fork, NULL), 0);
	snprintf(params, sizeof(params), "loops=%lld", (long long)loops);
	forks = 0;
	rep(&b, "syscall/execve", params);
	ck_assert_int_eq(forks, 1 + loops + counts[_i][1]);
	check_parts(&b, loops);
	ck_assert_int_eq(ps_raw(&b, "watched_execs"), counts[_i][1]);
	ck_assert_int_gt(ps_raw(&b, "exec_time_total"), 0);
	ps_done(&b);
}
END_TEST

static int64_t resident_pages(void)
{
	FILE *f = fopen("/proc/self/statm", "re");
	long long size, resident;

	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(fscanf(f, "%lld %lld", &size, &resident), 2);
	fclose(f);
	return resident;
}

/* Written memory is there before the first fork() and gone after the last. */
START_TEST(parent_has_its_memory)
{
	const int64_t pages = 8 * 1024 * 1024 / sysconf(_SC_PAGESIZE), before = resident_pages();
	struct ps_bench b;

	ps_bind(&b, pg_bench_find(spawners[_i]), "loops=1 parent_size=8MB");
	ck_assert_msg(b.bench->setup(&b.run, &b.err) == 0, "%s", b.err.msg);
	ck_assert_int_ge(resident_pages(), before + pages);
	ck_assert_int_eq(b.bench->once(&b.run, &b.err), 0);
	b.bench->teardown(&b.run);
	ck_assert_int_lt(resident_pages(), before + pages / 2);
	ck_assert_ptr_null(b.run.state);
	ps_done(&b);
}
END_TEST

START_TEST(need_grows_with_the_parent)
{
	struct ps_bench b;
	struct pg_need small, large;

	ps_bind(&b, pg_bench_find(spawners[_i]), "parent_size=0B");
	ck_assert_int_eq(ps_probe(&b, &small), 0);
	ps_done(&b);
	ps_bind(&b, pg_bench_find(spawners[_i]), "parent_size=1GB");
	ck_assert_int_eq(ps_probe(&b, &large), 0);
	ck_assert_uint_ge(large.bytes, small.bytes + (1u << 30));
	ck_assert_uint_eq(large.tasks, 1);
	ps_done(&b);
}
END_TEST

static int cannot_fork(void *arg)
{
	struct ps_bench *b = arg;

	if (pg_deny(SYS_clone, EAGAIN))
		return 50;
	if (ps_rep(b) == 0)
		return 1;
	return strstr(b->err.msg,
		      "cannot fork; raise the limit of processes (ulimit -u, pids.max of the cgroup): Resource")
		       ? 0
		       : 2;
}

START_TEST(fork_fails)
{
	struct ps_bench b;
	int r;

	ps_bind(&b, pg_bench_find(spawners[_i]), "loops=3");
	r = ps_in_child(cannot_fork, &b);
	ck_assert_msg(r == 0 || r == 50, "%d", r);
	ps_done(&b);
}
END_TEST

/* A file that can be executed, below a folder of its own. */
static void write_program(const char *path, const char *text)
{
	FILE *f = fopen(path, "we");

	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
	ck_assert_int_eq(chmod(path, 0755), 0);
}

static void make_folder(char *folder, char *program, char *params, size_t n)
{
	strcpy(folder, "/tmp/pg-execve-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(program, n, "%s/program", folder);
	snprintf(params, n, "loops=2 program=%s", program);
}

START_TEST(bad_ends)
{
	static const struct {
		const char *text, *why;
	} c[] = {
		{"#!/bin/sh\nexit 3\n", "program ended with status 3; 0 is the only good one"},
		{"#!/bin/sh\nkill -9 $$\n", "program died by signal 9 (Killed)"},
		{"no program at all\n", "cannot execute "},
		{"#!/no/such/interpreter\n", "may execute: No such file or directory"},
	};
	char folder[64], program[128], params[160];

	make_folder(folder, program, params, sizeof(program));
	write_program(program, c[_i].text);
	fails("syscall/execve", params, c[_i].why);
	unlink(program);
	rmdir(folder);
}
END_TEST

/* The statuses of the loop's own children count, not only that of the one beforehand. */
START_TEST(bad_end_inside_the_loop)
{
	const struct ps_around before = ps_look();
	char folder[64], program[128], params[160];
	struct ps_bench b;

	make_folder(folder, program, params, sizeof(program));
	write_program(program, "#!/bin/sh\nexit 0\n");
	ps_bind(&b, pg_bench_find("syscall/execve"), params);
	ck_assert_msg(b.bench->setup(&b.run, &b.err) == 0, "%s", b.err.msg);
	write_program(program, "#!/bin/sh\nexit 9\n");
	ck_assert_int_eq(b.bench->once(&b.run, &b.err), -1);
	ck_assert_msg(strstr(b.err.msg, "ended with status 9"), "%s", b.err.msg);
	unlink(program);
	b.bench->teardown(&b.run);
	rmdir(folder);
	ps_same(&before);
	ps_done(&b);
}
END_TEST

/* What the program is started with. */
START_TEST(no_argument_no_environment)
{
	char folder[64], program[128], params[160];
	struct ps_bench b;

	make_folder(folder, program, params, sizeof(program));
	write_program(program, "#!/bin/sh\n[ $# = 0 ] && read -r e < /proc/$$/environ\n[ -z \"$e\" ]\n");
	rep(&b, "syscall/execve", params);
	ps_done(&b);
	unlink(program);
	rmdir(folder);
}
END_TEST

START_TEST(programs_refused)
{
	static const struct {
		const char *params, *why;
		enum pg_code code;
	} c[] = {
		{"program=true", "program `true` is no path; write one with a slash", PG_EINPUT},
		{"program=/no/such/thing", "program /no/such/thing: No such file or directory; install it",
		 PG_EUNSUPPORTED},
		{"program=/tmp", "program /tmp cannot be executed", PG_EUNSUPPORTED},
		{"program=/proc/self/status", "program /proc/self/status cannot be executed by this user",
		 PG_EUNSUPPORTED},
	};
	struct ps_bench b;
	struct pg_need need;
	int r;

	ps_bind(&b, pg_bench_find("syscall/execve"), c[_i].params);
	r = b.bench->check(b.conf, &b.err);
	if (r == 0)
		r = ps_probe(&b, &need);
	ck_assert_int_eq(r, -1);
	ck_assert_int_eq(b.err.code, c[_i].code);
	ck_assert_msg(strstr(b.err.msg, c[_i].why), "%s", b.err.msg);
	ps_done(&b);
}
END_TEST

PG_TEST_MAIN("suites_syscall_spawn", ((const struct pg_test[]){
					     {exactly_so_many_children, 4},
					     {exactly_so_many_programs, 3},
					     {parent_has_its_memory, 2},
					     {need_grows_with_the_parent, 2},
					     {fork_fails, 2},
					     {bad_ends, 4},
					     {bad_end_inside_the_loop, 0},
					     {no_argument_no_environment, 0},
					     {programs_refused, 4},
					     {NULL, 0},
				     }))
