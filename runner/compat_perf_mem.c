/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `perf bench mem`: memcpy, memset, mmap; a step is a routine. compat_perf_bits.c has find_bit. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/num.h"
#include "runner/compat_perf_call.h"
#include "runner/compat_perf_tables.h"
#include "runner/world.h"

#define FAILED	   1
#define NO_COUNTER 255

/* What `all` runs: the ancestor's routines. Those that are ours are run by name. */
static const char *const copy_all[] = {"default", "x86-64-unrolled", "x86-64-movsq", "x86-64-movsb", NULL};
static const char *const set_all[] = {"default", "x86-64-unrolled", "x86-64-stosq", "x86-64-stosb", NULL};
static const char *const map_all[] = {"demand", "populate", NULL};

/* clang-format off */
#define OPTION_SIZE                                                                                                    \
	{.name = "size", .letter = 's', .kind = PG_FOPT_TEXT, .arg = "1MB",                                            \
	 .help = "bytes of a buffer; units: B, KB, MB, GB, TB, powers of 1024, in any case"}
#define OPTION_FUNCTION                                                                                                \
	{.name = "function", .letter = 'f', .kind = PG_FOPT_TEXT, .arg = "all",                                        \
	 .help = "the routine to run; \"all\" runs the usual ones, \"help\" lists what there is"}
#define OPTION_LOOPS                                                                                                   \
	{.name = "nr_loops", .letter = 'l', .kind = PG_FOPT_INT, .param = "loops", .help = "passes (default: 1)"}
#define OPTION_CYCLES                                                                                                  \
	{.name = "cycles", .letter = 'c', .help = "cycles per byte, from a counter of the CPU"}
#define OPTION_PAGE                                                                                                    \
	{.name = "page", .letter = 'p', .kind = PG_FOPT_TEXT, .arg = "4KB", .help = "page size: 4KB, 2MB, 1GB"}
/* clang-format on */

static const struct pg_fopt copy_options[] = {
	OPTION_SIZE,
	OPTION_PAGE,
	OPTION_FUNCTION,
	OPTION_LOOPS,
	OPTION_CYCLES,
	{.name = "chunk",
	 .letter = 'k',
	 .kind = PG_FOPT_TEXT,
	 .arg = "0",
	 .help = "bytes of a call; 0: the whole buffer"},
	{.name = "loop", .param = "nr_loops"},
	{.name = NULL},
};
static const struct pg_fopt map_options[] = {
	OPTION_SIZE,
	OPTION_PAGE,
	OPTION_FUNCTION,
	OPTION_LOOPS,
	{.name = "randomize",
	 .letter = 'r',
	 .kind = PG_FOPT_UINT,
	 .help = "seed; touch a random byte of each page (default: 0, the first byte)"},
	{.name = "threads",
	 .letter = 't',
	 .kind = PG_FOPT_UINT,
	 .param = "threads",
	 .help = "threads at once (default: 1)"},
	OPTION_CYCLES,
	{.name = NULL},
};

static const char *size_text(const struct pg_pb *p)
{
	return pg_pb_text(p, "size", "1MB");
}

/* The ancestor's message goes first; `err` has the reason. */
static int invalid(struct pg_pb *p, const char *what, const char *text)
{
	fprintf(p->world->err, "Invalid %s:%s\n", what, text);
	p->status = FAILED;
	return -1;
}

static bool for_people(const struct pg_pb *p)
{
	return p->format == PG_PB_DEFAULT || p->format == PG_PB_SIMPLE;
}

/* The ancestor's line, on standard output. */
static void no_memory(struct pg_pb *p, bool huge)
{
	p->status = FAILED;
	if (!for_people(p))
		return;
	pg_str_addf(&p->out, "# Memory allocation failed - maybe size (%s) %s?\n", size_text(p),
		    huge ? "has insufficient hugepages" : "is too large");
}

/* A size that is none, or more than any memory. */
static int set_size(struct pg_pb *p, struct pg_err *err)
{
	const char *text = size_text(p);
	uint64_t bytes;

	if (pg_pb_set(p, "size", text, "--size|-s", err) == 0)
		return 0;
	if (pg_size_parse(text, strlen(text), true, &bytes) != PG_NUM_OK || bytes == 0)
		return invalid(p, "size", text);
	no_memory(p, false);
	return -1;
}

static int set_pages(struct pg_pb *p, struct pg_err *err)
{
	const char *page = pg_pb_text(p, "page", NULL);

	if (page && pg_pb_set(p, "page_size", page, "--page|-p", err))
		return invalid(p, "page-size", page);
	return 0;
}

static int set_chunk(struct pg_pb *p, struct pg_err *err)
{
	const char *chunk = pg_pb_text(p, "chunk", NULL);
	uint64_t bytes;

	if (!chunk || (pg_size_parse(chunk, strlen(chunk), true, &bytes) == PG_NUM_OK && bytes == 0))
		return 0;
	if (pg_pb_set(p, "chunk", chunk, "--chunk|-k", err))
		return invalid(p, "chunk_size", chunk);
	return 0;
}

static const struct pg_choice *choices(const struct pg_pb *p)
{
	return pg_param_find(p->d.bench->params, "function", NULL)->choices;
}

static const char *about(const struct pg_pb *p, const char *name)
{
	const struct pg_choice *c = choices(p);

	if (strcmp(name, "default") == 0)
		return strcmp(p->bench->name, "memcpy") == 0 ? "Default memcpy() provided by glibc"
							     : "Default memset() provided by glibc";
	return c[pg_choice_find(c, name, strlen(name))].doc;
}

static int list_functions(struct pg_pb *p, const char *asked, struct pg_err *err)
{
	struct pg_str text;

	pg_str_init(&text);
	if (asked)
		pg_str_addf(&text, "Unknown function: %s\n", asked);
	pg_str_adds(&text, "Available functions:\n");
	for (const struct pg_choice *c = choices(p); c->name; c++)
		pg_str_addf(&text, "\t%s ... %s\n", c->name, about(p, c->name));
	if (for_people(p))
		pg_str_adds(&p->out, pg_str_text(&text));
	else
		fputs(pg_str_text(&text), p->world->err);
	pg_str_release(&text);
	p->status = FAILED;
	return asked ? pg_fail(err, PG_EUSAGE, "there is no function '%s'; the list names those that there are", asked)
		     : pg_fail(err, PG_EUSAGE, "nothing was measured; give a function by its name");
}

static const char *function(const struct pg_pb *p)
{
	return pg_pb_text(p, "function", "all");
}

static bool all_functions(const struct pg_pb *p)
{
	return strncmp(function(p), "all", 3) == 0;
}

static int mem_begin(struct pg_pb *p, struct pg_err *err)
{
	const char *name = function(p);

	if (set_size(p, err) || set_pages(p, err))
		return -1;
	if (pg_fopt_find(p->set.rows, "chunk") >= 0 && set_chunk(p, err))
		return -1;
	if (strcmp(name, "help") == 0 || strcmp(name, "h") == 0)
		return list_functions(p, NULL, err);
	if (!all_functions(p) && pg_choice_find(choices(p), name, strlen(name)) < 0)
		return list_functions(p, name, err);
	if (!pg_pb_on(p, "cycles"))
		return 0;
	fputs("Failed to open cycles counter\n", p->world->err);
	p->status = NO_COUNTER;
	return pg_fail(err, PG_EUNSUPPORTED, "this build reads no cycles counter; leave --cycles (-c) out");
}

static int map_begin(struct pg_pb *p, struct pg_err *err)
{
	const uint64_t seed = pg_pb_count(p, "randomize", 0);

	if (seed > 0 && pg_pb_set(p, "pattern", "random", "--randomize|-r", err))
		return -1;
	p->d.seed = seed;
	return mem_begin(p, err);
}

static int use_function(struct pg_pb *p, const char *name, struct pg_err *err)
{
	snprintf(p->label, sizeof(p->label), "%s", name);
	return pg_pb_set(p, "function", name, "--function|-f", err) ? -1 : 1;
}

/* Of `all`, those that this CPU has not are left out. */
static int step_of(struct pg_pb *p, unsigned i, const char *const *all, struct pg_err *err)
{
	const struct pg_param *row = pg_param_find(p->d.bench->params, "function", NULL);
	const char *why;

	if (!all_functions(p))
		return i == 0 ? use_function(p, function(p), err) : 0;
	for (; *all; all++) {
		const int c = pg_choice_find(row->choices, *all, strlen(*all));

		if ((!row->choice_probe || row->choice_probe(c, &why) == 0) && i-- == 0)
			return use_function(p, *all, err);
	}
	return 0;
}

static int copy_step(struct pg_pb *p, unsigned i, struct pg_err *err)
{
	return step_of(p, i, copy_all, err);
}

static int set_step(struct pg_pb *p, unsigned i, struct pg_err *err)
{
	return step_of(p, i, set_all, err);
}

static int map_step(struct pg_pb *p, unsigned i, struct pg_err *err)
{
	return step_of(p, i, map_all, err);
}

static void mem_before(struct pg_pb *p)
{
	pg_str_addf(&p->out, "# function '%s' (%s)\n", p->label, about(p, p->label));
	if (p->format == PG_PB_DEFAULT)
		pg_str_addf(&p->out, "# Copying %s bytes ...\n\n", size_text(p));
}

/* With its unit, without what ends the line. */
static void bandwidth(struct pg_pb *p, double v)
{
	static const char *const units[] = {"bytes", "KB", "MB", "GB"};
	size_t u = 0;

	if (p->format == PG_PB_SIMPLE) {
		pg_str_addf(&p->out, "%lf", v);
		return;
	}
	for (; u < 3 && v >= 1024; u++)
		v /= 1024;
	pg_str_addf(&p->out, " %14lf %s/sec", v, units[u]);
}

static void mem_each(struct pg_pb *p)
{
	bandwidth(p, pg_pb_number(p, "bandwidth"));
	pg_str_addc(&p->out, '\n');
}

static void map_each(struct pg_pb *p)
{
	const int64_t threads = pg_dropin_value(&p->d, "threads");
	struct pg_pb_sum sum = {.n = 0};
	uint32_t at = 0;
	int64_t ns;

	bandwidth(p, pg_pb_number(p, "thread_bandwidth"));
	while (pg_pb_single(p, "busy_time_total", &at, &ns))
		pg_pb_add(&sum, (double)ns);
	if (threads > 1 && p->format == PG_PB_DEFAULT)
		pg_str_addf(&p->out, "/thread\t( +- %6.2f%% )", pg_pb_error_percent(&sum));
	pg_str_addc(&p->out, '\n');
}

/* More than the buffer; a chunk that is a word is all of it. */
static bool chunk_is_too_big(const struct pg_pb *p)
{
	return pg_dropin_has(&p->d, "chunk") && !pg_dropin_text(&p->d, "chunk") &&
	       pg_dropin_value(&p->d, "chunk") > pg_dropin_value(&p->d, "size");
}

static bool huge_pages(const struct pg_pb *p)
{
	return pg_dropin_value(&p->d, "page_size") > sysconf(_SC_PAGESIZE);
}

static bool function_runs_here(const struct pg_pb *p)
{
	const struct pg_param *row = pg_param_find(p->d.bench->params, "function", NULL);
	const char *why;

	return !row->choice_probe || row->choice_probe((int)pg_dropin_value(&p->d, "function"), &why) == 0;
}

/*
 * Memory that is not there has a line of its own on standard output, a chunk that does not fit one on standard error.
 * Of huge pages the kernel has none of that size, or too few.
 */
static void mem_refused(struct pg_pb *p, const struct pg_err *err)
{
	if (p->status)
		return; /* said already */
	if (chunk_is_too_big(p))
		invalid(p, "chunk_size", pg_pb_text(p, "chunk", ""));
	else if (p->d.bar == PG_BAR_BENCH && huge_pages(p) && function_runs_here(p))
		no_memory(p, true);
	else if (p->d.bar == PG_BAR_MEMORY || err->sys == ENOMEM)
		no_memory(p, huge_pages(p));
}

/* clang-format off */
static const char *const mmap_singles[] = {"busy_time_total", NULL};

#define BENCH(NAME, OPTIONS, BEGIN, STEP, EACH, METRIC, SINGLES)                                                                \
	{.collection = "mem", .name = NAME, .synopsis = "perf bench mem " NAME " <options>", .options = OPTIONS,       \
	 .words_ok = true, .simple = PG_PB_HOOKS, .metric = METRIC, .unit = "GB/sec",                                \
	 .scale = 1.0 / (1024.0 * 1024 * 1024), .decimals = 6, .begin = BEGIN, .step = STEP, .before = mem_before,     \
	 .each = EACH, .refused = mem_refused, .singles = SINGLES}
/* clang-format on */

const struct pg_pb_bench pg_pb_memcpy =
	BENCH("memcpy", copy_options, mem_begin, copy_step, mem_each, "bandwidth", NULL);
const struct pg_pb_bench pg_pb_memset = BENCH("memset", copy_options, mem_begin, set_step, mem_each, "bandwidth", NULL);
const struct pg_pb_bench pg_pb_mmap =
	BENCH("mmap", map_options, map_begin, map_step, map_each, "thread_bandwidth", mmap_singles);

const struct pg_pb_bench *const pg_pb_mem[] = {&pg_pb_memcpy, &pg_pb_memset, &pg_pb_find_bit, &pg_pb_mmap, NULL};
