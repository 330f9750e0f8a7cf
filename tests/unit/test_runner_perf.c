/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The tables of the `perf bench` drop-in against the rows of the benches, and what each option does to a bench's
 * values. */
#include "runner/compat_perf_call.h"

#include <stdio.h>
#include <string.h>

#include "registry/registry.h"
#include "runner/compat_perf_tables.h"
#include "runner/world.h"
#include "tests/support/pgtest.h"

#define MOST 64

/* The i-th bench of all collections; NULL = there are fewer. */
static const struct pg_pb_bench *nth(int i)
{
	for (const struct pg_pb_collection *c = pg_pb_collections; c->name; c++)
		for (size_t k = 0; c->benches[k]; k++)
			if (i-- == 0)
				return c->benches[k];
	return NULL;
}

static const struct pg_bench *engine_of(const struct pg_pb_bench *b)
{
	char name[64];

	snprintf(name, sizeof(name), "%s/%s", b->collection, b->name);
	return pg_bench_find(name);
}

static void check_metric(const struct pg_bench *e, const char *name)
{
	ck_assert_msg(pg_metric_find(e->metrics, name, NULL) != NULL, "%s has no metric %s", e->name, name);
}

static void check_option(const struct pg_pb_bench *b, const struct pg_bench *e, size_t i)
{
	const struct pg_fopt *o = &b->options[i];
	const struct pg_param *row;
	struct pg_value v;
	struct pg_arena a;
	struct pg_err err;

	for (size_t k = 0; k < i; k++) {
		ck_assert_msg(strcmp(o->name, b->options[k].name) != 0, "%s: --%s twice", e->name, o->name);
		ck_assert_msg(!o->letter || o->letter != b->options[k].letter, "%s: -%c twice", e->name, o->letter);
	}
	if (!o->help) {
		ck_assert_msg(pg_fopt_find(b->options, o->param) >= 0, "%s: --%s names nothing", e->name, o->name);
		return;
	}
	ck_assert_msg(o->kind != PG_FOPT_TEXT || o->arg, "%s: --%s has no placeholder", e->name, o->name);
	if (!o->param)
		return;
	row = pg_param_find(e->params, o->param, NULL);
	ck_assert_msg(row != NULL, "%s: --%s sets %s, which is no param", e->name, o->name, o->param);
	pg_arena_init(&a, false);
	if (o->kind == PG_FOPT_FLAG)
		ck_assert_msg(pg_value_parse(row, o->value, strlen(o->value), &a, &v, &err) == 0, "%s: --%s: %s",
			      e->name, o->name, err.msg);
	if (o->zero && *o->zero)
		ck_assert_msg(pg_value_parse(row, o->zero, strlen(o->zero), &a, &v, &err) == 0, "%s: --%s 0: %s",
			      e->name, o->name, err.msg);
	pg_arena_release(&a);
}

START_TEST(every_row_is_real)
{
	const struct pg_pb_bench *b = nth(_i);
	const struct pg_bench *e;

	if (!b)
		return;
	e = engine_of(b);
	ck_assert_msg(e != NULL, "%s/%s is no bench", b->collection, b->name);
	ck_assert_uint_lt(pg_fopts_count(b->options), PG_FOPTS_MOST);
	for (size_t i = 0; b->options[i].name; i++)
		check_option(b, e, i);
	check_metric(e, b->metric);
	ck_assert_ptr_nonnull(b->unit);
	ck_assert(b->scale > 0);
	if (b->simple == PG_PB_SECONDS)
		check_metric(e, "time");
	for (const char *const *s = b->singles; s && *s; s++)
		check_metric(e, *s);
	ck_assert_msg(strstr(b->synopsis, b->collection) != NULL, "%s", b->synopsis);
}
END_TEST

/* All benches of the ancestors: of 6.1, and of newer versions. */
static const char *const names[] = {
	"sched/messaging",
	"sched/pipe",
	"sched/seccomp-notify",
	"syscall/basic",
	"syscall/getpgid",
	"syscall/fork",
	"syscall/execve",
	"mem/memcpy",
	"mem/memset",
	"mem/find_bit",
	"mem/mmap",
	"numa/mem",
	"futex/hash",
	"futex/wake",
	"futex/wake-parallel",
	"futex/requeue",
	"futex/lock-pi",
	"epoll/wait",
	"epoll/ctl",
	"internals/synthesize",
	"internals/kallsyms-parse",
	"internals/inject-build-id",
	"internals/evlist-open-close",
	"internals/pmu-scan",
	"breakpoint/thread",
	"breakpoint/enable",
	"uprobe/baseline",
	"uprobe/empty",
	"uprobe/trace_printk",
	"uprobe/empty_ret",
	"uprobe/trace_printk_ret",
	NULL,
};

START_TEST(every_bench_is_there_in_order)
{
	int i = 0;

	for (; names[i]; i++) {
		const struct pg_pb_bench *b = nth(i);
		char name[64];

		ck_assert_msg(b != NULL, "%s is missing", names[i]);
		snprintf(name, sizeof(name), "%s/%s", b->collection, b->name);
		ck_assert_str_eq(name, names[i]);
		ck_assert_ptr_eq(pg_pb_find(b->collection, b->name), b);
	}
	ck_assert_ptr_null(nth(i));
}
END_TEST

/* A line, and the params that it sets beside the defaults; NULL = it is refused. */
static const struct {
	const char *collection, *bench, *line, *want;
} lines[] = {
	{"sched", "messaging", "", ""},
	{"sched", "messaging", "-ptg2 -l5", "groups=2 loops=5 mode=thread transport=pipe"},
	{"sched", "messaging", "--pi --thr --gr 2 --loop 7", "groups=2 loops=7 mode=thread transport=pipe"},
	{"sched", "messaging", "-p --no-pipe -t --no-thread", ""},
	{"sched", "messaging", "-g 0", NULL},
	{"sched", "messaging", "-g 4294967297", NULL},
	{"sched", "messaging", "--no-group", NULL},
	{"sched", "messaging", "-l 3000000000", "loops=3000000000"},
	{"sched", "pipe", "-Tnl10", "loops=10 mode=thread wait=epoll"},
	{"sched", "pipe", "-G a,b -s 8", "size=8B task_cgroups=a,b"},
	{"sched", "pipe", "--nr_loops=10", "loops=10"},
	{"sched", "pipe", "-l -5", NULL},
	{"sched", "pipe", "-s 0", NULL},
	{"sched", "seccomp-notify", "-sl 10", "loops=10 sync_wakeup=true"},
	{"syscall", "basic", "--loop 10", "loops=10"},
	{"syscall", "execve", "-l 10", "loops=10"},
	{"mem", "memcpy", "-s 4K -k 64 -p 4KB -l 3", "size=4KB loops=3 chunk=64B page_size=4KB"},
	{"mem", "memcpy", "-s 1024", "size=1KB"},
	{"mem", "memcpy", "-s 1mB -k 0", "size=1MB"},
	{"mem", "memcpy", "--no-size --no-function", "size=1MB"},
	{"mem", "memset", "-s 0", NULL},
	{"mem", "memset", "-s -1", NULL},
	{"mem", "memset", "-p 3", NULL},
	{"mem", "memset", "-c", NULL},
	{"mem", "memset", "-f nosuch", NULL},
	{"mem", "memset", "-f help", NULL},
	{"mem", "mmap", "-t 2 -r 5", "size=1MB pattern=random threads=2"},
	{"mem", "find_bit", "-j 7", "loops=7"},
	{"mem", "find_bit", "-i 0", NULL},
	{"futex", "hash", "-t2 -r3 -f4 -sSm", "threads=2 runtime=3s futexes=4 shared=true mlockall=true"},
	{"futex", "hash", "-t 0", ""},
	{"futex", "hash", "-r 0", NULL},
	{"futex", "hash", "-f 0", NULL},
	{"futex", "hash", "-b 16", "buckets=16"},
	{"futex", "hash", "-b 0", "buckets=global"},
	{"futex", "hash", "-b -1", ""},
	{"futex", "hash", "-b -5", NULL},
	{"futex", "wake", "--buckets=-2", NULL},
	{"futex", "hash", "-b 16 --no-buckets", ""},
	{"futex", "hash", "-b 1", NULL},
	{"futex", "hash", "-I", NULL},
	{"futex", "hash", "-b 3000000000", NULL},
	{"futex", "wake", "-w 2 -t 4", "threads=4 waiters_per_call=2"},
	{"futex", "wake", "-w 0", "waiters_per_call=1"},
	{"futex", "wake-parallel", "-w 2 -t 4", "threads=4 wakers=2"},
	{"futex", "wake-parallel", "-w 0", ""},
	{"futex", "requeue", "-q 2 -pt4", "threads=4 waiters_per_call=2 priority_inheritance=true"},
	{"futex", "requeue", "-q 9 -t4", "threads=4 waiters_per_call=9"},
	{"futex", "requeue", "-q 0", NULL},
	{"futex", "requeue", "-B", "waiters_per_call=broadcast"},
	{"futex", "lock-pi", "-Mr 2", "runtime=2s lock=per-thread"},
	{"epoll", "wait", "-nRmB -N 2 -f 3",
	 "fds=3 pattern=random nesting=2 queue=per-thread wait=poll placement=free"},
	{"epoll", "wait", "-E", "trigger=edge"},
	{"epoll", "wait", "-S", "trigger=oneshot"},
	{"epoll", "wait", "-ES", "trigger=edge-oneshot"},
	{"epoll", "wait", "-N 5", NULL},
	{"epoll", "ctl", "-vn -r 2", "runtime=2s placement=free"},
	{"epoll", "ctl", "-f 0", NULL},
	{"internals", "kallsyms-parse", "-i 3", "loops=3"},
	{"internals", "kallsyms-parse", "-i 0", NULL},
	{"internals", "inject-build-id", "-m 2 -n 3 -i 1 -v", "loops=1 maps=2 samples_per_map=3"},
	{"internals", "evlist-open-close", "-e dummy,dummy -n 2 -C 0 --per-thread",
	 "events=dummy,dummy event_copies=2 event_cpus=0 buffer=per-thread"},
	{"internals", "evlist-open-close", "-p 1", "target=pid:1"},
	{"internals", "evlist-open-close", "-t 1", "target=tid:1"},
	{"internals", "evlist-open-close", "-u root", "target=user:root"},
	{"internals", "evlist-open-close", "-u root -a", ""},
	{"internals", "evlist-open-close", "-n 0", NULL},
	{"internals", "pmu-scan", "-i 2", "loops=2"},
	{"breakpoint", "thread", "-b 2 -p 3 -t 4", "breakpoints=2 creators=3 threads=4"},
	{"breakpoint", "thread", "-t 0", NULL},
	{"breakpoint", "enable", "-p 3 -a 1", "blocked_threads=3 spinning_threads=1"},
	{"uprobe", "baseline", "-l 5", "loops=5"},
	{"uprobe", "empty", "-l -5", NULL},
	{"numa", "mem", "-p 2 -t 3 -G 2 -P 1.5 -T 4",
	 "processes=2 threads=3 global_size=2MB process_size=1536KB thread_size=4MB"},
	{"numa", "mem", "-P 8 -L 4 -l 10 -s 0 -u 5",
	 "process_size=8MB locked_size=4MB loops=10 runtime=unlimited loop_sleep=5us"},
	{"numa", "mem", "-Z -z -0 -x 2 -m",
	 "until_converged=true access=zero fill=zero first_touch=cpu0-node perturb_interval=2s"},
	{"numa", "mem", "--no-data_reads --no-init_random", "access=write fill=none"},
	{"numa", "mem", "--no-data_writes --no-data_rand_walk", "access=read pattern=alternating"},
	{"numa", "mem", "--no-data_rand_walk --no-data_backwards -rB", ""},
	{"numa", "mem", "--no-data_rand_walk --no-data_backwards", "pattern=sequential"},
	{"numa", "mem", "--thp 1 --no-serialize-startup", "transparent_huge_pages=advise start_gate=false"},
	{"numa", "mem", "--thp -1 -C 0x2 -M 0", "transparent_huge_pages=never task_cpus=0x2 task_nodes=0"},
	{"numa", "mem", "--no-mb_global", "global_size=0B"},
	{"numa", "mem", "--no-data_reads --no-data_writes", NULL},
	{"numa", "mem", "-p 0", NULL},
	{"numa", "mem", "-P abc", NULL},
	{"numa", "mem", "-P -1", NULL},
};

/* Params that were set and are no default, as text. */
static void set_params(const struct pg_dropin *d, struct pg_str *out)
{
	for (size_t i = 0; i < d->n; i++) {
		const struct pg_param *row = &d->bench->params[i];
		struct pg_str v;

		if (!d->given[i])
			continue;
		pg_str_init(&v);
		pg_value_format(row, &d->vals[i], &v);
		if (!row->def || strcmp(pg_str_text(&v), row->def) != 0 || strcmp(row->name, "size") == 0 ||
		    strcmp(row->name, "page_size") == 0 || strcmp(row->name, "waiters_per_call") == 0)
			pg_str_addf(out, "%s%s=%s", out->len ? " " : "", row->name, pg_str_text(&v));
		pg_str_release(&v);
	}
}

START_TEST(options_become_values)
{
	FILE *null = fopen("/dev/null", "w");
	struct pg_world w = {.root = "", .suites = pg_suites, .out = null, .err = null};
	struct pg_pb p = {.world = &w, .bench = pg_pb_find(lines[_i].collection, lines[_i].bench)};
	char buf[128], *argv[32];
	struct pg_err err = {.msg = ""};
	struct pg_str out;
	int argc = 0, r;

	snprintf(buf, sizeof(buf), "%s", lines[_i].line);
	for (char *word = strtok(buf, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	ck_assert_ptr_nonnull(p.bench);
	pg_pb_open(&p);
	r = pg_pb_options(&p, argc, argv);
	if (r == 0 && p.bench->begin)
		r = p.bench->begin(&p, &err);
	pg_str_init(&out);
	if (r == 0)
		set_params(&p.d, &out);
	ck_assert_msg((r == 0) == (lines[_i].want != NULL), "%s: %d %s", lines[_i].line, r, err.msg);
	if (r == 0)
		ck_assert_msg(strcmp(pg_str_text(&out), lines[_i].want) == 0, "%s: %s", lines[_i].line,
			      pg_str_text(&out));
	pg_str_release(&out);
	pg_pb_close(&p);
	fclose(null);
}
END_TEST

/* More than there are threads is all of them, whether their number was given or follows from the CPUs. */
static const struct {
	const char *bench, *line, *param;
	uint64_t threads, want; /* threads 0: those of the machine, and so many are wanted */
} clamps[] = {
	{"wake", "-w 100 -t 2", "waiters_per_call", 2, 2},   {"wake", "-w 3 -t 4", "waiters_per_call", 4, 3},
	{"wake", "-w 5000000000", "waiters_per_call", 0, 0}, {"wake-parallel", "-w 100 -t 2", "wakers", 2, 2},
	{"wake-parallel", "-w 90000000000", "wakers", 0, 0}, {"requeue", "-q 100 -t 2", "waiters_per_call", 2, 2},
	{"requeue", "-q 99999", "waiters_per_call", 0, 0},   {"requeue", "-q 9 -pt 4", "waiters_per_call", 4, 4},
};

START_TEST(no_more_than_threads)
{
	FILE *null = fopen("/dev/null", "w");
	struct pg_world w = {.root = "", .suites = pg_suites, .out = null, .err = null};
	struct pg_pb p = {.world = &w, .bench = pg_pb_find("futex", clamps[_i].bench)};
	char buf[128], *argv[32];
	struct pg_err err = {.msg = ""};
	uint64_t threads;
	int argc = 0;

	snprintf(buf, sizeof(buf), "%s", clamps[_i].line);
	for (char *word = strtok(buf, " "); word; word = strtok(NULL, " "))
		argv[argc++] = word;
	pg_pb_open(&p);
	ck_assert_int_eq(pg_pb_options(&p, argc, argv), 0);
	ck_assert_msg(p.bench->begin(&p, &err) == 0, "%s", err.msg);
	ck_assert_msg(pg_dropin_ready(&p.d, &err) == 0, "%s", err.msg);
	threads = (uint64_t)pg_dropin_value(&p.d, "threads");
	ck_assert_uint_gt(threads, 0);
	if (clamps[_i].threads)
		ck_assert_uint_eq(threads, clamps[_i].threads);
	ck_assert_uint_eq((uint64_t)pg_dropin_value(&p.d, clamps[_i].param),
			  clamps[_i].threads ? clamps[_i].want : threads);
	pg_pb_close(&p);
	fclose(null);
}
END_TEST

START_TEST(every_preset_is_a_good_line)
{
	FILE *null = fopen("/dev/null", "w");
	struct pg_world w = {.root = "", .suites = pg_suites, .out = null, .err = null};
	int n = 0;

	for (const struct pg_pb_preset *s = pg_pb_presets; s->name; s++, n++) {
		struct pg_pb p = {.world = &w, .bench = pg_pb_find("numa", "mem")};
		char buf[256], *argv[32];
		struct pg_err err = {.msg = ""};
		int argc = 0;

		snprintf(buf, sizeof(buf), "%s %s", s->options, s->tail);
		for (char *word = strtok(buf, " "); word; word = strtok(NULL, " "))
			argv[argc++] = word;
		pg_pb_open(&p);
		ck_assert_msg(pg_pb_options(&p, argc, argv) == 0 && p.bench->begin(&p, &err) == 0, "%s: %s", s->name,
			      err.msg);
		/* NAME is PROCESSESxTHREADS in most of them: never typed otherwise than it runs. */
		if (s->name[strspn(s->name, " 0123456789")] == 'x') {
			unsigned processes, threads;

			ck_assert_int_eq(sscanf(s->name, "%ux%u-", &processes, &threads), 2);
			ck_assert_msg(strcmp(pg_pb_text(&p, "cpus", ""), "") == 0, "%s", s->name);
			ck_assert_msg(pg_pb_count(&p, "nr_proc", 0) == processes &&
					      pg_pb_count(&p, "nr_threads", 0) == threads,
				      "%s", s->name);
		}
		pg_pb_close(&p);
	}
	ck_assert_int_eq(n, 45);
	fclose(null);
}
END_TEST

#define N(a) (int)(sizeof(a) / sizeof((a)[0]))

PG_TEST_MAIN("runner_perf", ((const struct pg_test[]){
				    {every_row_is_real, MOST},
				    {every_bench_is_there_in_order, 0},
				    {options_become_values, N(lines)},
				    {no_more_than_threads, N(clamps)},
				    {every_preset_is_a_good_line, 0},
				    {NULL, 0},
			    }))
