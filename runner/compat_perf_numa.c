/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `perf bench numa mem`. Its progress, start-up lines and notes about bindings are left out: they stood between the
 * results on standard output.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

#include "runner/compat_perf_call.h"
#include "runner/compat_perf_tables.h"
#include "runner/report.h"
#include "runner/world.h"

#define WORDS_MOST 64
#define MB	   (1024.0 * 1024)

/* clang-format off */
#define AREA(NAME, LETTER, PARAM, HELP)                                                                                \
	{.name = NAME, .letter = LETTER, .kind = PG_FOPT_TEXT, .arg = "MB", .param = PARAM, .value = "MB", .help = HELP}
#define NUMBER(NAME, LETTER, KIND, PARAM, UNIT, ZERO, HELP)                                                            \
	{.name = NAME, .letter = LETTER, .kind = KIND, .param = PARAM, .value = UNIT, .zero = ZERO, .help = HELP}
#define FLAG(NAME, LETTER, HELP) {.name = NAME, .letter = LETTER, .help = HELP}

static const struct pg_fopt options[] = {
	NUMBER("nr_proc", 'p', PG_FOPT_INT, "processes", NULL, NULL, "processes (default: 1)"),
	NUMBER("nr_threads", 't', PG_FOPT_INT, "threads", NULL, NULL, "threads of each process (default: 1)"),
	AREA("mb_global", 'G', "global_size", "MiB that all processes share (default: 1)"),
	AREA("mb_proc", 'P', "process_size", "MiB of each process, shared by its threads"),
	AREA("mb_proc_locked", 'L', "locked_size", "MiB of them worked on again under a lock"),
	AREA("mb_thread", 'T', "thread_size", "MiB of each thread"),
	NUMBER("nr_loops", 'l', PG_FOPT_UINT, "loops", NULL, NULL, "passes at most (default: no limit)"),
	NUMBER("nr_secs", 's', PG_FOPT_UINT, "runtime", "s", "unlimited", "seconds at most; 0: no limit (default: 5)"),
	NUMBER("usleep", 'u', PG_FOPT_UINT, "loop_sleep", "us", NULL, "microseconds to sleep after each pass"),
	FLAG("data_reads", 'R', "read the data (on)"),
	FLAG("data_writes", 'W', "write the data (on)"),
	FLAG("data_backwards", 'B', "backwards in every other pass (on)"),
	FLAG("data_zero_memset", 'Z', "bzero() the data"),
	FLAG("data_rand_walk", 'r', "random chunks (on)"),
	FLAG("init_zero", 'z', "zeros before the run"),
	FLAG("init_random", 'I', "random contents before the run (on)"),
	{.name = "init_cpu0", .letter = '0', .param = "first_touch", .value = "cpu0-node", .help = "memory of CPU 0's node"},
	NUMBER("perturb_secs", 'x', PG_FOPT_INT, "perturb_interval", "s", "never", "move the first task every so many seconds"),
	{.name = "show_details", .letter = 'd', .kind = PG_FOPT_COUNTER, .help = "-dd: lines of single threads"},
	{.name = "all", .letter = 'a', .kind = PG_FOPT_COUNTER, .help = "the whole suite, as without options"},
	{.name = "thp", .letter = 'H', .kind = PG_FOPT_INT, .help = "huge pages: above 0 advised, below 0 not"},
	FLAG("show_convergence", 'c', "taken for compatibility"),
	{.name = "measure_convergence", .letter = 'm', .param = "until_converged", .value = "true", .help = "stop once converged"},
	FLAG("quiet", 'q', "the short form of the results"),
	FLAG("serialize-startup", 'S', "all threads begin together (on)"),
	{.name = "cpus", .letter = 'C', .kind = PG_FOPT_TEXT, .arg = "cpu[,cpu2,...cpuN]",
	 .param = "task_cpus", .help = "CPUs of the first N tasks"},
	{.name = "memnodes", .letter = 'M', .kind = PG_FOPT_TEXT, .arg = "node[,node2,...nodeN]",
	 .param = "task_nodes", .help = "memory nodes of the first N tasks"},
	{.name = NULL},
};
/* clang-format on */

static int set(struct pg_pb *p, const char *param, const char *text, const char *option, struct pg_err *err)
{
	return pg_dropin_set(&p->d, param, text, option, err);
}

static const char *access_of(const struct pg_pb *p)
{
	if (pg_pb_on(p, "data_zero_memset"))
		return "zero";
	if (pg_pb_off(p, "data_reads"))
		return "write";
	return pg_pb_off(p, "data_writes") ? "read" : "read-write";
}

static const char *pattern_of(const struct pg_pb *p)
{
	if (!pg_pb_off(p, "data_rand_walk"))
		return "random";
	return pg_pb_off(p, "data_backwards") ? "sequential" : "alternating";
}

static const char *fill_of(const struct pg_pb *p)
{
	if (pg_pb_on(p, "init_zero"))
		return "zero";
	return pg_pb_off(p, "init_random") ? "none" : "random";
}

static const char *pages_of(const struct pg_pb *p)
{
	const struct pg_fopt_state *st = pg_pb_opt(p, "thp");

	return st->n == 0 ? "system" : st->negative ? "never" : "advise";
}

static int begin(struct pg_pb *p, struct pg_err *err)
{
	if (access_of(p)[0] == 'w' && pg_pb_off(p, "data_writes")) {
		p->status = PG_STATUS_USAGE;
		return pg_fail(
			err, PG_EUSAGE,
			"--no-data_reads and --no-data_writes together leave nothing to do; leave one of them out");
	}
	if (pg_pb_off(p, "mb_global") && set(p, "global_size", "0B", "--no-mb_global", err))
		return -1;
	if (pg_pb_off(p, "serialize-startup") && set(p, "start_gate", "false", "--no-serialize-startup", err))
		return -1;
	return set(p, "access", access_of(p), "--data_zero_memset|-Z", err) ||
			       set(p, "pattern", pattern_of(p), "--data_rand_walk|-r", err) ||
			       set(p, "fill", fill_of(p), "--init_zero|-z", err) ||
			       set(p, "transparent_huge_pages", pages_of(p), "--thp|-H", err)
		       ? -1
		       : 0;
}

static long long mb(const struct pg_pb *p, const char *param)
{
	return (long long)((double)pg_dropin_value(&p->d, param) / MB);
}

static unsigned long long tasks(const struct pg_pb *p)
{
	return (unsigned long long)(pg_dropin_value(&p->d, "processes") * pg_dropin_value(&p->d, "threads"));
}

static void binding(struct pg_pb *p, const char *param, const char *what)
{
	const char *list = pg_dropin_text(&p->d, param);

	if (list)
		pg_str_addf(&p->out, "# binding tasks to %s:\n#  %s\n", what, list);
}

static void head(struct pg_pb *p)
{
	/* Words of the row (unlimited) print as the ancestor's -1. */
	const long long loops = pg_dropin_text(&p->d, "loops") ? -1 : (long long)pg_dropin_value(&p->d, "loops");

	pg_str_addf(&p->out, "\n # Running %s \"perf bench numa %s", p->title ? p->title : "main,",
		    p->title ? "mem" : "numa-mem");
	for (int i = 0; i < p->n_words; i++)
		pg_str_addf(&p->out, " %s", p->words[i]);
	pg_str_adds(&p->out, "\"\n");
	if (pg_pb_on(p, "quiet"))
		return;
	pg_str_adds(&p->out, "#\n");
	binding(p, "task_cpus", "CPUs");
	binding(p, "task_nodes", "NODEs");
	pg_str_addf(&p->out, "#\n\n ###\n # %llu %s will execute (on %llu nodes, %llu CPUs):\n", tasks(p),
		    tasks(p) == 1 ? "task" : "tasks", (unsigned long long)pg_pb_nodes(p),
		    (unsigned long long)pg_pb_cpus());
	pg_str_addf(&p->out, " #      %5lldx %5lldMB global  shared mem operations\n", loops, mb(p, "global_size"));
	pg_str_addf(&p->out, " #      %5lldx %5lldMB process shared mem operations\n", loops, mb(p, "process_size"));
	pg_str_addf(&p->out, " #      %5lldx %5lldMB thread  local  mem operations\n ###\n\n", loops,
		    mb(p, "thread_size"));
}

static void line(struct pg_pb *p, double v, const char *unit, const char *text, const char *quiet)
{
	if (isnan(v)) /* not converged: there is no such time */
		return;
	if (pg_pb_on(p, "quiet"))
		pg_str_addf(&p->out, " %14.3f %s\n", v, quiet);
	else
		pg_str_addf(&p->out, " %-30s %15.3f, %-15s %s\n", p->title ? p->title : "main,", v, unit, text);
}

/* Speeds of single tasks: what each did by its own run time. */
static void details(struct pg_pb *p)
{
	const uint64_t threads = (uint64_t)pg_dropin_value(&p->d, "threads");
	uint32_t times = 0, sizes = 0;
	int64_t ns, bytes;
	char name[64];

	for (uint64_t i = 0;
	     pg_pb_single(p, "runtime_mean", &times, &ns) && pg_pb_single(p, "data_per_task", &sizes, &bytes); i++) {
		snprintf(name, sizeof(name), "process%llu:thread%llu", (unsigned long long)(i / threads),
			 (unsigned long long)(i % threads));
		pg_str_addf(&p->out, " %-30s %15.3f, %-15s %s\n", name, ns > 0 ? (double)bytes / (double)ns : 0.0,
			    "GB/sec", "thread-speed");
	}
}

static void each(struct pg_pb *p)
{
	const double max = pg_pb_number(p, "runtime_max"), gb = pg_pb_number(p, "bandwidth") / 1e9;

	if (pg_pb_on(p, "measure_convergence"))
		line(p, pg_pb_number(p, "convergence_time"), "secs,", "NUMA-convergence-latency",
		     "secs latency to NUMA-converge");
	line(p, max, "secs,", "runtime-max/thread", "secs slowest (max) thread-runtime");
	line(p, pg_pb_number(p, "runtime_min"), "secs,", "runtime-min/thread", "secs fastest (min) thread-runtime");
	line(p, pg_pb_number(p, "runtime_mean"), "secs,", "runtime-avg/thread", "secs average thread-runtime");
	line(p, pg_pb_number(p, "runtime_spread") * 100, "%,", "spread-runtime/thread",
	     "% difference between max/avg runtime");
	line(p, pg_pb_number(p, "data_per_task") / 1e9, "GB,", "data/thread", "GB data processed, per thread");
	line(p, pg_pb_number(p, "data_total") / 1e9, "GB,", "data-total", "GB data processed, total");
	line(p, pg_pb_number(p, "time_per_byte") * 1e9, "nsecs,", "runtime/byte/thread", "nsecs/byte/thread runtime");
	line(p, pg_pb_number(p, "thread_bandwidth") / 1e9, "GB/sec,", "thread-speed", "GB/sec/thread speed");
	line(p, gb, "GB/sec,", "total-speed", "GB/sec total speed");
	if (pg_pb_count(p, "show_details", 0) > 1 && !pg_pb_on(p, "quiet"))
		details(p);
}

static void refused(struct pg_pb *p, const struct pg_err *err)
{
	if (err->code == PG_EUNSUPPORTED && p->format == PG_PB_DEFAULT)
		pg_str_addf(&p->out, "\nTest not applicable, %s\n", err->msg);
}

/* One preset: a call with words of its own. */
static int run_preset(const struct pg_pb *suite, const struct pg_pb_preset *preset)
{
	struct pg_pb p = *suite;
	char words[256], *argv[WORDS_MOST], *save = words;
	int argc = 0, status;

	snprintf(words, sizeof(words), "%s %s", preset->options, preset->tail);
	for (char *w = strsep(&save, " "); w && argc < WORDS_MOST; w = strsep(&save, " "))
		if (*w)
			argv[argc++] = w;
	p.in_all = true;
	p.title = preset->name;
	snprintf(p.label, sizeof(p.label), "%.*s", (int)strcspn(preset->name + strspn(preset->name, " "), ","),
		 preset->name + strspn(preset->name, " "));
	pg_pb_open(&p);
	status = pg_pb_options(&p, argc, argv);
	if (status == 0 && p.d.bench)
		status = pg_pb_rounds(&p);
	pg_pb_close(&p);
	return status;
}

int pg_pb_numa_presets(struct pg_pb *p)
{
	struct utsname u;
	int status = 0;

	if (p->format == PG_PB_DEFAULT && uname(&u) == 0)
		pg_str_addf(&p->out, " #\n # Running test on: %s %s %s %s %s\n #\n", u.sysname, u.nodename, u.release,
			    u.version, u.machine);
	pg_pb_write(p);
	for (const struct pg_pb_preset *preset = pg_pb_presets; preset->name && !p->world->out_errno; preset++) {
		const int s = run_preset(p, preset);

		status = status ? status : s;
	}
	if (p->format == PG_PB_DEFAULT)
		pg_str_addc(&p->out, '\n');
	return status;
}

/* Without options, and with -a, the suite. */
static int instead(struct pg_pb *p, int argc, char **argv)
{
	struct pg_fopt_rest rest;
	struct pg_str text;
	bool all = argc == 0;

	pg_str_init(&text);
	if (!all && pg_fopts_parse(&p->set, argc, argv, p->opt, &rest, &text) == PG_FOPT_OK && rest.n == 0)
		all = pg_pb_on(p, "all");
	pg_str_release(&text);
	return all ? pg_pb_numa_presets(p) : -1;
}

static const char *const singles[] = {"runtime_mean", "data_per_task", NULL};

static const struct pg_pb_bench mem = {
	.collection = "numa",
	.name = "mem",
	.synopsis = "perf bench numa mem [<options>]",
	.options = options,
	.singles = singles,
	.metric = "bandwidth",
	.unit = "GB/sec",
	.scale = 1e-9,
	.decimals = 3,
	.instead = instead,
	.begin = begin,
	.head = head,
	.each = each,
	.refused = refused,
};

const struct pg_pb_bench *const pg_pb_numa[] = {&mem, NULL};
