/* SPDX-License-Identifier: GPL-2.0-or-later */
/* internals/synthesize, kallsyms-parse and inject-build-id: counts, sharing among threads, what is refused. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "registry/registry.h"
#include "tests/support/pgsuite.h"
#include "tests/support/pgtest.h"

#define SYNTHESIZE "internals/synthesize"
#define KALLSYMS   "internals/kallsyms-parse"
#define INJECT	   "internals/inject-build-id"

static void rep(struct ps_bench *b, const char *bench, const char *params, const char *root)
{
	const struct ps_around before = ps_look();

	ps_bind(b, pg_bench_find(bench), params);
	b->run.root = root;
	ck_assert_msg(ps_rep(b) == 0, "%s", b->err.msg);
	ps_same(&before);
}

/* The rep fails with that text; no descriptor and no thread is left. */
static void fails(const char *bench, const char *params, const char *root, const char *why)
{
	const struct ps_around before = ps_look();
	struct ps_bench b;

	ps_bind(&b, pg_bench_find(bench), params);
	b.run.root = root;
	ck_assert_int_eq(ps_rep(&b), -1);
	ck_assert_msg(strstr(b.err.msg, why), "%s", b.err.msg);
	ps_same(&before);
	ps_done(&b);
}

static int probe_of(struct ps_bench *b, const char *bench, const char *params, const char *root, struct pg_need *need)
{
	const struct pg_probe_env env = {.root = root};

	memset(need, 0, sizeof(*need));
	ps_bind(b, pg_bench_find(bench), params);
	return b->bench->probe(b->conf, &env, need, &b->err);
}

static char root[64];

static void make_root(void)
{
	char proc[80];

	strcpy(root, "/tmp/pg-proc-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	snprintf(proc, sizeof(proc), "%s/proc", root);
	ck_assert_int_eq(mkdir(proc, 0700), 0);
}

static void put(const char *path, const char *text)
{
	char full[256];
	FILE *f;

	snprintf(full, sizeof(full), "%s/proc/%s", root, path);
	for (char *s = full + strlen(root) + 1; (s = strchr(s, '/')); s++) {
		*s = '\0';
		mkdir(full, 0700);
		*s = '/';
	}
	f = fopen(full, "we");
	ck_assert_ptr_nonnull(f);
	fputs(text, f);
	fclose(f);
}

static void drop_root(void)
{
	char command[96];

	snprintf(command, sizeof(command), "rm -r %s", root);
	ck_assert_int_eq(system(command), 0);
}

/* Twenty processes of two threads and three mappings, one of them code: 5 records each, 7 with data. */
static void put_processes(void)
{
	char path[64], text[256];

	put("self/status", "Name:\tx\nTgid:\t1\nPid:\t1\nPPid:\t0\n");
	for (int pid = 1; pid <= 60; pid += 3) {
		for (int tid = pid; tid < pid + 2; tid++) {
			snprintf(path, sizeof(path), "%d/task/%d/status", pid, tid);
			snprintf(text, sizeof(text), "Name:\tp%d\nTgid:\t%d\nPid:\t%d\nPPid:\t1\n", tid, pid, tid);
			put(path, text);
		}
		snprintf(path, sizeof(path), "%d/maps", pid);
		put(path, "1000-2000 r-xp 00000000 08:01 9    /bin/p\n"
			  "2000-3000 rw-p 00000000 00:00 0 \n3000-4000 r--p 00000000 08:01 9    /bin/p\n");
	}
}

static int mappings_with_code(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[4400];
	int n = 0;

	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f)) {
		const char *words = strchr(line, ' ');

		n += words && words[3] == 'x';
	}
	fclose(f);
	return n;
}

/* Of this process: FORK, COMM, and one record a mapping with code, as counted here. */
START_TEST(own_records)
{
	static const int64_t loops[] = {1, 2, 50};
	const int code = mappings_with_code();
	struct ps_bench b;
	char params[32];

	snprintf(params, sizeof(params), "loops=%lld", (long long)loops[_i]);
	rep(&b, SYNTHESIZE, params, "");
	ck_assert_int_gt(code, 1);
	ck_assert_int_eq(ps_raw(&b, "operations"), loops[_i]);
	ck_assert_int_eq(ps_raw(&b, "records"), loops[_i] * (2 + code));
	ck_assert_int_gt(ps_raw(&b, "record_bytes"), 8 * ps_raw(&b, "records"));
	ck_assert_int_eq(b.run.timed_ns, ps_raw(&b, "synthesis_time_total"));
	ps_done(&b);
}
END_TEST

START_TEST(data_maps_are_more)
{
	struct ps_bench code, all;

	rep(&code, SYNTHESIZE, "loops=3 data_maps=false", "");
	rep(&all, SYNTHESIZE, "loops=3 data_maps=true", "");
	ck_assert_int_gt(ps_raw(&all, "records"), ps_raw(&code, "records"));
	ps_done(&code);
	ps_done(&all);
}
END_TEST

/* However many threads share the list, each process is taken once. */
START_TEST(threads_share_the_list)
{
	static const int threads[] = {1, 2, 3, 20, 37};
	struct ps_bench b;
	char params[80];

	make_root();
	put_processes();
	for (int data = 0; data < 2; data++) {
		snprintf(params, sizeof(params), "target=system loops=4 threads=%d data_maps=%s", threads[_i],
			 data ? "true" : "false");
		rep(&b, SYNTHESIZE, params, root);
		ck_assert_int_eq(ps_raw(&b, "records"), 4 * 20 * (data ? 7 : 5));
		ps_done(&b);
	}
	drop_root();
}
END_TEST

/* The real machine: at least this process and its parent. */
START_TEST(whole_machine)
{
	struct ps_bench b;

	rep(&b, SYNTHESIZE, _i ? "target=system loops=2 threads=3" : "target=system loops=2", "");
	ck_assert_int_gt(ps_raw(&b, "records"), 2 * (2 + 2));
	ps_done(&b);
}
END_TEST

static void churn(void)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (int i = 0; i < 100000; i++) {
		const pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid > 0)
			waitpid(pid, NULL, 0);
	}
	_exit(0);
}

/* Processes come and go while they are looked at. */
START_TEST(processes_come_and_go)
{
	struct ps_bench b;
	const pid_t pid = fork();

	if (pid == 0)
		churn();
	ps_bind(&b, pg_bench_find(SYNTHESIZE), _i ? "target=system loops=10 threads=2" : "target=system loops=10");
	ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
	ps_done(&b);
	kill(pid, SIGKILL);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

/* What is no /proc ends the rep, with the reason of the thread that saw it. */
START_TEST(broken_file)
{
	make_root();
	put_processes();
	put("31/maps", "no mapping\n");
	fails(SYNTHESIZE, _i ? "target=system threads=3" : "target=system", root,
	      "31/maps has a line that is no mapping");
	drop_root();
}
END_TEST

static int few_descriptors(void *arg)
{
	struct ps_bench *b = arg;
	const struct rlimit limit = {.rlim_cur = 3, .rlim_max = 3};
	const int spare = open("/dev/null", O_RDONLY);

	if (spare < 0 || b->bench->setup(&b->run, &b->err))
		return 1;
	close(spare);
	setrlimit(RLIMIT_NOFILE, &limit);
	if (b->bench->once(&b->run, &b->err) == 0)
		return 2;
	b->bench->teardown(&b->run);
	return strstr(b->err.msg, "Too many open files") ? 0 : 3;
}

/* A lack of descriptors is no task that has ended. */
START_TEST(descriptors_lacking)
{
	struct ps_bench b;

	ps_bind(&b, pg_bench_find(SYNTHESIZE), _i ? "target=system" : "target=self");
	ck_assert_int_eq(ps_in_child(few_descriptors, &b), 0);
	ps_done(&b);
}
END_TEST

START_TEST(synthesize_refuses)
{
	struct pg_need need;
	struct ps_bench b;

	ps_bind(&b, pg_bench_find(SYNTHESIZE), "target=self threads=2");
	ck_assert_int_eq(b.bench->check(b.conf, &b.err), -1);
	ck_assert_int_eq(b.err.code, PG_EINPUT);
	ck_assert_msg(strstr(b.err.msg, "threads 2") && strstr(b.err.msg, "target system or threads 1"), "%s",
		      b.err.msg);
	ps_done(&b);
	make_root();
	ck_assert_int_eq(probe_of(&b, SYNTHESIZE, "", root, &need), -1);
	ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
	ck_assert_msg(strstr(b.err.msg, "mount /proc"), "%s", b.err.msg);
	ps_done(&b);
	fails(SYNTHESIZE, "", root, "is /proc mounted?");
	drop_root();
	ck_assert_int_eq(probe_of(&b, SYNTHESIZE, "target=system threads=8", "", &need), 0);
	ck_assert_uint_eq(need.tasks, 8);
	ck_assert_uint_eq(need.descriptors, 16);
	ps_done(&b);
}
END_TEST

static const char symbol_lines[] = "ffffffff81000000 T _stext\n"
				   "0000000000000000 A fixed_percpu_data\n"
				   "ffffffffc0000010 t inner [1]\t[module]\n";

START_TEST(symbols_are_counted)
{
	static const struct {
		const char *params;
		int64_t loops, apart;
	} c[] = {{"loops=1", 1, 1}, {"loops=8", 8, 1}, {"loops=9", 9, 2}};
	struct ps_bench b;

	make_root();
	put("kallsyms", symbol_lines);
	rep(&b, KALLSYMS, c[_i].params, root);
	ck_assert_int_eq(ps_raw(&b, "operations"), c[_i].loops);
	ck_assert_int_eq(ps_raw(&b, "symbols_total"), 3 * c[_i].loops);
	ck_assert_int_eq(ps_raw(&b, "passes_apart"), c[_i].apart);
	ck_assert_int_eq(b.run.timed_ns, ps_raw(&b, "parses_time_total"));
	ck_assert_int_gt(ps_raw(&b, "read_time_total"), 0);
	ps_done(&b);
	drop_root();
}
END_TEST

/* A file of many reads: no line is lost or seen twice where one ends. */
START_TEST(long_files)
{
	const size_t lines = 20000, room = lines * 128;
	char *text = malloc(room);
	struct ps_bench b;
	size_t len = 0;

	ck_assert_ptr_nonnull(text);
	for (size_t i = 0; i < lines; i++)
		len += (size_t)snprintf(text + len, room - len, "%016zx t symbol_%0*zu\n", i, (int)(1 + i % 73), i);
	make_root();
	put("kallsyms", text);
	free(text);
	rep(&b, KALLSYMS, "loops=2", root);
	ck_assert_int_eq(ps_raw(&b, "symbols_total"), 2 * (int64_t)lines);
	ps_done(&b);
	drop_root();
}
END_TEST

START_TEST(no_symbols)
{
	static const char *const texts[] = {
		"ffffffff81000000 T _stext",   /* the line has no end */
		"ffffffff81000000 T\n",	       /* no name */
		"ffffffff81000000 T \n",       /* an empty one */
		"ffffffff81000000 TT name\n",  /* two types */
		" T name\n",		       /* no address */
		"xyz T name\n",		       /* none in hex */
		"ffffffff81000000 T good\n\n", /* an empty line */
	};

	make_root();
	put("kallsyms", texts[_i]);
	fails(KALLSYMS, "", root, "/proc/kallsyms has a line that is no symbol");
	drop_root();
}
END_TEST

START_TEST(kallsyms_probe)
{
	struct pg_need need;
	struct ps_bench b;

	make_root();
	ck_assert_int_eq(probe_of(&b, KALLSYMS, "", root, &need), -1);
	ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
	ck_assert_msg(strstr(b.err.msg, "CONFIG_KALLSYMS"), "%s", b.err.msg);
	ps_done(&b);
	put("kallsyms", "");
	ck_assert_int_eq(probe_of(&b, KALLSYMS, "", root, &need), -1);
	ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
	ck_assert_msg(strstr(b.err.msg, "is empty for this user"), "%s", b.err.msg);
	ps_done(&b);
	fails(KALLSYMS, "", root, "is empty");
	put("kallsyms", symbol_lines);
	ck_assert_int_eq(probe_of(&b, KALLSYMS, "", root, &need), 0);
	ck_assert_uint_eq(need.descriptors, 1);
	ps_done(&b);
	drop_root();
}
END_TEST

/* The kernel's own table, where there is one; the kernel's part of the time and ours are told apart. */
START_TEST(kernel_table)
{
	struct pg_need need;
	struct ps_bench b;

	if (probe_of(&b, KALLSYMS, "loops=1", "", &need) == 0) {
		ck_assert_msg(ps_rep(&b) == 0, "%s", b.err.msg);
		ck_assert_int_gt(ps_raw(&b, "symbols_total"), 100);
		ck_assert_int_gt(ps_raw(&b, "parse_time_total"), 0);
	} else {
		ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
	}
	ps_done(&b);
}
END_TEST

/* Not measured, and says so with what to do instead; never a number. */
START_TEST(inject_is_refused)
{
	struct pg_need need;
	struct ps_bench b;

	ck_assert_int_eq(probe_of(&b, INJECT, "", "", &need), -1);
	ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
	ck_assert_msg(strstr(b.err.msg, "suite exec, command [perf, bench, internals, inject-build-id]"), "%s",
		      b.err.msg);
	ck_assert_int_eq(ps_rep(&b), -1);
	ck_assert_int_eq(b.err.code, PG_EUNSUPPORTED);
	ps_done(&b);
}
END_TEST

PG_TEST_MAIN("suites_internals_proc", ((const struct pg_test[]){
					      {own_records, 3},
					      {data_maps_are_more, 0},
					      {threads_share_the_list, 5},
					      {whole_machine, 2},
					      {processes_come_and_go, 2},
					      {broken_file, 2},
					      {descriptors_lacking, 2},
					      {synthesize_refuses, 0},
					      {symbols_are_counted, 3},
					      {long_files, 0},
					      {no_symbols, 7},
					      {kallsyms_probe, 0},
					      {kernel_table, 0},
					      {inject_is_refused, 0},
					      {NULL, 0},
				      }))
