/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * numa/mem: processes of threads pass over up to four areas of memory: one for all, one a process, a locked part of
 * that, one a thread (perf bench numa mem). Timed: from the opening of the start gate to the last process reaped
 * (runtime_max), and to each task's own stop. Not timed: start-up, allocation and filling, the count of pages by node.
 * Differs from the ancestor: all tasks stop at one moment, in the middle of a pass too; times are exact; what was
 * really visited is counted beside the nominal bytes; loop_sleep holds no mutex; a process that dies or lacks memory
 * ends the rep with its reason; CPUs and nodes are those that this process may use.
 */
#include "suites/numa.h"

extern const struct pg_bench pg_numa_mem;

static const struct pg_choice unlimited[] = {{"unlimited", NULL}, {NULL, NULL}};
static const struct pg_choice never[] = {{"never", NULL}, {NULL, NULL}};
static const struct pg_choice accesses[] = {
	[PG_NUMA_READ_WRITE] = {"read-write", NULL},
	[PG_NUMA_READ] = {"read", "the words are added up"},
	[PG_NUMA_WRITE] = {"write", NULL},
	[PG_NUMA_ZERO] = {"zero", "bzero()"},
	{NULL, NULL},
};
static const struct pg_choice patterns[] = {
	[PG_NUMA_RANDOM] = {"random", "chunks of 8 KiB anywhere in the area"},
	[PG_NUMA_ALTERNATING] = {"alternating", "once round the area, the direction changes each pass"},
	[PG_NUMA_SEQUENTIAL] = {"sequential", "once round the area, forwards"},
	{NULL, NULL},
};
static const struct pg_choice fills[] = {
	[PG_NUMA_FILL_RANDOM] = {"random", "a random number and the word's index"},
	[PG_NUMA_FILL_ZERO] = {"zero", NULL},
	[PG_NUMA_FILL_NONE] = {"none", "page faults fall into the run"},
	{NULL, NULL},
};
static const struct pg_choice touches[] = {
	[PG_NUMA_TOUCH_LOCAL] = {"local", "where the owner runs"},
	[PG_NUMA_TOUCH_CPU0_NODE] = {"cpu0-node", "on the node of CPU 0"},
	{NULL, NULL},
};
static const struct pg_choice huge_pages[] = {
	[PG_MEM_THP_SYSTEM] = {"system", "no advice"},
	[PG_MEM_THP_ADVISE] = {"advise", "MADV_HUGEPAGE"},
	[PG_MEM_THP_NEVER] = {"never", "MADV_NOHUGEPAGE"},
	{NULL, NULL},
};

#define AREA .min = "0B", .max = "16TB"

static const struct pg_param params[] = {
	{
		.name = "processes",
		.doc = "worker processes",
		.def = "1",
		.min = "1",
		.max = "4096",
		.opt = 'p',
		PG_AT_COUNT(struct pg_numa_conf, processes),
	},
	{
		.name = "threads",
		.doc = "threads of each process",
		.def = "1",
		.min = "1",
		.max = "4096",
		.opt = 't',
		PG_AT_COUNT(struct pg_numa_conf, threads),
	},
	{
		.name = "global_size",
		.doc = "area that all processes share",
		.def = "1MB",
		AREA,
		.opt = 'G',
		PG_AT_SIZE(struct pg_numa_conf, global_size),
	},
	{
		.name = "process_size",
		.doc = "area of each process, shared by its threads",
		.def = "0B",
		AREA,
		.opt = 'P',
		PG_AT_SIZE(struct pg_numa_conf, process_size),
	},
	{
		.name = "locked_size",
		.doc = "part of the process area that is worked on again under a mutex of the process",
		.def = "0B",
		.min = "0B",
		.max = "process_size",
		.opt = 'L',
		PG_AT_SIZE(struct pg_numa_conf, locked_size),
	},
	{
		.name = "thread_size",
		.doc = "area of each thread; one of the areas must not be empty",
		.def = "0B",
		AREA,
		.opt = 'T',
		PG_AT_SIZE(struct pg_numa_conf, thread_size),
	},
	{
		.name = "loops",
		.doc = "passes of each task at most",
		.def = "unlimited",
		.min = "1",
		.max = "1000000000000",
		.choices = unlimited,
		.opt = 'l',
		PG_AT_COUNT_W(struct pg_numa_conf, loops),
	},
	{
		.name = "runtime",
		.doc = "time at most; when loops is unlimited too, until_converged is needed",
		.def = "5s",
		.min = "1ms",
		.max = "24h",
		.choices = unlimited,
		.opt = 's',
		PG_AT_TIME(struct pg_numa_conf, runtime),
	},
	{
		.name = "until_converged",
		.doc = "stop when all threads of each process run on one node",
		.def = "false",
		.opt = 'm',
		PG_AT_BOOL(struct pg_numa_conf, until_converged),
	},
	{
		.name = "loop_sleep",
		.doc = "sleep of each task after each pass",
		.def = "0s",
		.min = "0s",
		.max = "1h",
		.opt = 'u',
		PG_AT_TIME(struct pg_numa_conf, loop_sleep),
	},
	{
		.name = "access",
		.doc = "what is done to each word",
		.def = "read-write",
		.choices = accesses,
		PG_AT_ENUM(struct pg_numa_conf, access),
	},
	{
		.name = "pattern",
		.doc = "order in which an area is visited",
		.def = "random",
		.choices = patterns,
		PG_AT_ENUM(struct pg_numa_conf, pattern),
	},
	{
		.name = "fill",
		.doc = "contents of the areas before the run",
		.def = "random",
		.choices = fills,
		PG_AT_ENUM(struct pg_numa_conf, fill),
	},
	{
		.name = "first_touch",
		.doc = "where areas are allocated and filled",
		.def = "local",
		.choices = touches,
		PG_AT_ENUM(struct pg_numa_conf, first_touch),
	},
	{
		.name = "perturb_interval",
		.doc = "how often task 0 is pushed to the other end of the allowed CPUs",
		.def = "never",
		.min = "1s",
		.max = "24h",
		.choices = never,
		.opt = 'x',
		PG_AT_TIME(struct pg_numa_conf, perturb_interval),
	},
	{
		.name = "transparent_huge_pages",
		.doc = "advice for process and thread areas",
		.def = "system",
		.choices = huge_pages,
		PG_AT_ENUM(struct pg_numa_conf, transparent_huge_pages),
	},
	{
		.name = "start_gate",
		.doc = "whether all threads begin together",
		.def = "true",
		.opt = 'S',
		PG_AT_BOOL(struct pg_numa_conf, start_gate),
	},
	{
		.name = "task_cpus",
		.doc = "entry i: CPUs of task i (process x threads + thread): N, N-M or N-M#STEP, then _LEN (that many "
		       "from N) and xMUL (repeat), separated by commas",
		.opt = 'C',
		PG_AT_TEXT(struct pg_numa_conf, task_cpus),
	},
	{
		.name = "task_nodes",
		.doc = "entry i: node that the memory of task i is bound to: N, N-M or N-M#STEP, then xMUL, separated "
		       "by commas",
		.opt = 'M',
		PG_AT_TEXT(struct pg_numa_conf, task_nodes),
	},
	PG_ROW_PLACEMENT(struct pg_numa_conf, placement, "where tasks run that have no entry in task_cpus", "free"),
	{.name = NULL},
};

#define RATE(n, d)  .unit = PG_U_B_PER_S, .better = PG_HIGHER, .reduce = PG_RATIO, .num = (n), .den = (d)
#define TIME(r)	    .unit = PG_U_S, .better = PG_LOWER, .reduce = (r)
#define BYTES(b, r) .unit = PG_U_B, .better = (b), .reduce = (r)

static const struct pg_metric metrics[] = {
	[PG_NUMA_M_BANDWIDTH] = {.name = "bandwidth",
				 .doc = "nominal bytes of all tasks / runtime_max",
				 RATE(PG_NUMA_M_DATA_TOTAL, PG_NUMA_M_RUNTIME_MAX),
				 .flags = PG_M_MAIN},
	[PG_NUMA_M_THREAD_BANDWIDTH] = {.name = "thread_bandwidth",
					.doc = "bandwidth / tasks",
					RATE(PG_NUMA_M_DATA_PER_TASK, PG_NUMA_M_RUNTIME_MAX)},
	[PG_NUMA_M_RUNTIME_MAX] = {.name = "runtime_max", .doc = "gate open to last process reaped", TIME(PG_SUM)},
	[PG_NUMA_M_RUNTIME_MIN] = {.name = "runtime_min", .doc = "shortest run time of a task", TIME(PG_MIN)},
	[PG_NUMA_M_RUNTIME_MEAN] = {.name = "runtime_mean", .doc = "mean run time of the tasks", TIME(PG_MEAN)},
	[PG_NUMA_M_RUNTIME_SPREAD] =
		PG_ROW_RATIO("runtime_spread", "half of runtime_max less runtime_min, as a part of runtime_max",
			     PG_U_COUNT, PG_LOWER, PG_NUMA_M_HALF_RANGE, PG_NUMA_M_WHOLE_RANGE, PG_M_TYPICAL),
	[PG_NUMA_M_DATA_TOTAL] = {.name = "data_total", .doc = "nominal bytes of all tasks", BYTES(PG_HIGHER, PG_SUM)},
	[PG_NUMA_M_DATA_PER_TASK] = {.name = "data_per_task", .doc = "data_total / tasks", BYTES(PG_HIGHER, PG_MEAN)},
	[PG_NUMA_M_TIME_PER_BYTE] = {.name = "time_per_byte",
				     .doc = "runtime_max / data_per_task",
				     TIME(PG_RATIO),
				     .num = PG_NUMA_M_RUNTIME_MAX,
				     .den = PG_NUMA_M_DATA_PER_TASK},
	[PG_NUMA_M_CONVERGENCE_TIME] = {.name = "convergence_time", .doc = "gate open to convergence", TIME(PG_SUM)},
	[PG_NUMA_M_TOUCHED_BANDWIDTH] = {.name = "touched_bandwidth",
					 .doc = "bytes really visited / (gate open to the last task's own stop)",
					 RATE(PG_NUMA_M_TOUCHED, PG_NUMA_M_WORK_TIME)},
	[PG_NUMA_M_LOCAL_FRACTION] =
		PG_ROW_RATIO("local_fraction", "pages of the tasks' own areas on their nodes when they stop",
			     PG_U_COUNT, PG_HIGHER, PG_NUMA_M_LOCAL_PAGES, PG_NUMA_M_PAGES, PG_M_TYPICAL),
	/* Times as plain numbers: a ratio of two of them is one too. */
	[PG_NUMA_M_HALF_RANGE] = PG_ROW_HIDDEN("runtime_half_range", "half of runtime_max less runtime_min, in ns",
					       PG_U_COUNT, PG_SUM, 0),
	[PG_NUMA_M_WHOLE_RANGE] = PG_ROW_HIDDEN("runtime_whole_range", "runtime_max in ns", PG_U_COUNT, PG_SUM, 0),
	[PG_NUMA_M_TOUCHED] = {.name = "data_touched",
			       .doc = "bytes really visited",
			       BYTES(PG_NEITHER, PG_SUM),
			       .flags = PG_M_HIDDEN},
	[PG_NUMA_M_WORK_TIME] = {.name = "work_time",
				 .doc = "gate open to the last task's own stop",
				 TIME(PG_SUM),
				 .flags = PG_M_HIDDEN},
	[PG_NUMA_M_PAGES] = PG_ROW_HIDDEN("own_pages", "pages looked at", PG_U_COUNT, PG_SUM, 0),
	[PG_NUMA_M_LOCAL_PAGES] =
		PG_ROW_HIDDEN("local_pages", "those of them on the task's node", PG_U_COUNT, PG_SUM, 0),
	{.name = NULL},
};

const struct pg_bench pg_numa_mem = {
	.name = "numa/mem",
	.summary = "processes and threads that work on shared and own memory",
	.params = params,
	.metrics = metrics,
	.conf_size = sizeof(struct pg_numa_conf),
	.probe = pg_numa_probe,
	.check = pg_numa_check,
	.setup = pg_numa_setup,
	.once = pg_numa_once,
	.teardown = pg_numa_teardown,
};
