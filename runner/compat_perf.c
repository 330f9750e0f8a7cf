/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `perf bench`: its common options, its lists, and the way to the benches. */
#include "runner/compat_perf.h"

#include <stdio.h>
#include <string.h>

#include "runner/commands.h"
#include "runner/compat_perf_call.h"
#include "runner/report.h"
#include "runner/world.h"

#define FAILED 1

/* Options before the collection. */
static const struct pg_fopt common_rows[] = {
	{.name = "format",
	 .letter = 'f',
	 .kind = PG_FOPT_TEXT,
	 .arg = "default|simple",
	 .help = "style of the output: also json, csv"},
	{.name = "repeat", .letter = 'r', .kind = PG_FOPT_UINT, .help = "runs (operations in breakpoint)"},
	{.name = NULL},
};
enum { FORMAT, REPEAT };

static const struct pg_fopts common = {
	.rows = common_rows,
	.synopsis = "perf bench [<common options>] <collection> <benchmark> [<options>]",
	.stop = true,
};

/* A command line. */
struct line {
	struct pg_world *world;
	enum pg_pb_format format;
	struct pg_pb_machine machine;
	struct pg_pb_chain chain;
	struct pg_str out;
	bool repeat_given;
	uint64_t repeat;
};

static const struct pg_pb_collection *find_collection(const char *name)
{
	for (const struct pg_pb_collection *c = pg_pb_collections; c->name; c++)
		if (strcmp(c->name, name) == 0)
			return c;
	return NULL;
}

static const struct pg_pb_bench *find_bench(const struct pg_pb_collection *c, const char *name)
{
	for (size_t i = 0; c->benches[i]; i++)
		if (strcmp(c->benches[i]->name, name) == 0)
			return c->benches[i];
	return NULL;
}

const struct pg_pb_bench *pg_pb_find(const char *collection, const char *bench)
{
	const struct pg_pb_collection *c = find_collection(collection);

	return c ? find_bench(c, bench) : NULL;
}

/* Prints l->out and empties it; at once, for what comes next may take long. */
static void show(struct line *l)
{
	pg_stdout_text(l->world, &l->out);
	pg_stdout_flush(l->world);
}

static int list_collections(struct line *l)
{
	l->format = PG_PB_DEFAULT; /* a list is text in every format */
	pg_str_adds(&l->out, "Usage: \n\tperf bench [<common options>] <collection> <benchmark> [<options>]\n\n"
			     "        # List of all available benchmark collections:\n\n");
	for (const struct pg_pb_collection *c = pg_pb_collections; c->name; c++)
		pg_str_addf(&l->out, "%14s: %s\n", c->name, c->summary);
	pg_str_addf(&l->out, "%14s: %s\n", "all", "every benchmark of every collection");
	pg_str_addc(&l->out, '\n');
	return 0;
}

/* What there is here to measure says itself what it is. */
static const char *summary(const struct line *l, const struct pg_pb_bench *b)
{
	char name[64];
	const struct pg_bench *bench;

	snprintf(name, sizeof(name), "%s/%s", b->collection, b->name);
	bench = pg_dropin_bench(l->world, name);
	return bench ? bench->summary : "not in this build";
}

static int list_benches(struct line *l, const struct pg_pb_collection *c)
{
	l->format = PG_PB_DEFAULT;
	pg_str_addf(&l->out, "\n        # List of available benchmarks for collection '%s':\n\n", c->name);
	for (size_t i = 0; c->benches[i]; i++)
		pg_str_addf(&l->out, "%14s: %s\n", c->benches[i]->name, summary(l, c->benches[i]));
	if (c->all)
		pg_str_addf(&l->out, "%14s: %s\n", "all", c->all);
	pg_str_addc(&l->out, '\n');
	return 0;
}

static int call(struct line *l, const struct pg_pb_bench *b, bool in_all, int argc, char **argv)
{
	struct pg_pb p = {
		.world = l->world,
		.bench = b,
		.format = l->format,
		.machine = &l->machine,
		.chain = &l->chain,
		.in_all = in_all,
		.repeat_given = l->repeat_given,
		.repeat = l->repeat,
	};

	return pg_pb_call(&p, argc, argv);
}

static bool for_people(const struct line *l)
{
	return l->format == PG_PB_DEFAULT || l->format == PG_PB_SIMPLE;
}

/* The first failure is the status; what comes after it runs all the same. */
static int run_all(struct line *l, const struct pg_pb_collection *c)
{
	int status = 0;

	for (size_t i = 0; c->benches[i] && !l->world->out_errno; i++) {
		const struct pg_pb_bench *b = c->benches[i];
		int s;

		if (for_people(l))
			pg_str_addf(&l->out, "# Running %s/%s benchmark...\n", b->collection, b->name);
		show(l);
		s = call(l, b, true, 0, NULL);
		status = status ? status : s;
		if (for_people(l))
			pg_str_addc(&l->out, '\n');
	}
	return status;
}

static int run_everything(struct line *l)
{
	int status = 0;

	for (const struct pg_pb_collection *c = pg_pb_collections; c->name; c++) {
		const int s = run_all(l, c);

		status = status ? status : s;
	}
	return status;
}

static bool asks_help(int argc, char **argv)
{
	for (int i = 0; i < argc; i++)
		if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)
			return true;
	return false;
}

static void ignored(const struct line *l, int argc, char **argv)
{
	if (argc > 0)
		pg_say(l->world, "`all` takes no options of a benchmark; '%s' is ignored", argv[0]);
}

/* Words from the collection on. */
static int dispatch(struct line *l, int argc, char **argv)
{
	const struct pg_pb_collection *c;
	const struct pg_pb_bench *b;

	if (strcmp(argv[0], "all") == 0) {
		if (asks_help(argc - 1, argv + 1))
			return list_collections(l);
		ignored(l, argc - 1, argv + 1);
		return run_everything(l);
	}
	c = find_collection(argv[0]);
	if (!c) {
		l->format = PG_PB_DEFAULT;
		pg_str_addf(&l->out, "Unknown collection: '%s'\n", argv[0]);
		return FAILED;
	}
	if (argc < 2 || asks_help(1, argv + 1) || (strcmp(argv[1], "all") == 0 && asks_help(argc - 2, argv + 2)))
		return list_benches(l, c);
	if (strcmp(argv[1], "all") == 0) {
		ignored(l, argc - 2, argv + 2);
		return run_all(l, c);
	}
	b = find_bench(c, argv[1]);
	if (!b) {
		l->format = PG_PB_DEFAULT;
		pg_str_addf(&l->out, "Unknown benchmark: '%s' for collection '%s'\n", argv[1], c->name);
		return FAILED;
	}
	if (l->format == PG_PB_DEFAULT)
		pg_str_addf(&l->out, "# Running '%s/%s' benchmark:\n", b->collection, b->name);
	show(l);
	return call(l, b, false, argc - 2, argv + 2);
}

static int set_common(struct line *l, const struct pg_fopt_state *opt)
{
	static const char *const formats[] = {"default", "simple", "json", "csv"};
	const char *format = opt[FORMAT].given && !opt[FORMAT].no ? opt[FORMAT].text : formats[0];
	size_t i = 0;

	while (i < 4 && strcmp(formats[i], format) != 0)
		i++;
	if (i == 4) {
		pg_str_addf(&l->out, "Unknown format descriptor: '%s'\n", format);
		return FAILED;
	}
	l->format = (enum pg_pb_format)i;
	l->repeat_given = opt[REPEAT].given;
	l->repeat = opt[REPEAT].given ? opt[REPEAT].n : 10;
	if (l->repeat == 0) {
		pg_str_adds(&l->out, "Invalid repeat option: Must specify a positive value\n");
		return FAILED;
	}
	return 0;
}

static int run_line(struct line *l, int argc, char **argv)
{
	int status;

	pg_dropin_catch_signals();
	pg_pb_machine_begin(&l->machine, l->format);
	status = dispatch(l, argc, argv);
	show(l);
	pg_pb_machine_end(&l->machine, l->format);
	pg_stdout_text(l->world, &l->machine.text);
	pg_str_release(&l->machine.text);
	return status;
}

static int perf_line(struct line *l, int argc, char **argv)
{
	struct pg_fopt_state opt[sizeof(common_rows) / sizeof(common_rows[0])];
	struct pg_fopt_rest rest;
	struct pg_str text;
	enum pg_fopt_outcome r;
	int status;

	if (argc > 0 && strcmp(argv[0], "--help") == 0) {
		pg_fopts_usage(&common, &l->out);
		return 0;
	}
	pg_str_init(&text);
	r = pg_fopts_parse(&common, argc, argv, opt, &rest, &text);
	if (r == PG_FOPT_USAGE)
		fputs(pg_str_text(&text), l->world->err);
	else if (r == PG_FOPT_LIST)
		pg_stdout_text(l->world, &text);
	pg_str_release(&text);
	if (r != PG_FOPT_OK)
		return r == PG_FOPT_LIST ? PG_STATUS_LIST : PG_STATUS_USAGE;
	status = set_common(l, opt);
	if (status)
		return status;
	return rest.n == 0 ? list_collections(l) : run_line(l, rest.n, rest.words);
}

int pg_compat_perf(struct pg_world *w, int argc, char **argv)
{
	struct line l = {.world = w};
	int status, written;

	pg_str_init(&l.out);
	status = perf_line(&l, argc - 1, argv + 1);
	pg_stdout_text(w, &l.out);
	pg_str_release(&l.out);
	written = pg_stdout_done(w, status);
	return written == PG_EXIT_WRITE && written != status ? status ? status : FAILED : written;
}
